// pyramid.js: mip chains, depth pyramids and min/max pyramids: options, plan, bindings.
import { checkAlive, checkBinding, makeBinding, markDestroyed, recordSteps } from './binding.js';
import { allocate, bufferOf, checkDevice, makePipeline, needLimit, needTexture, usage } from './device.js';
import { checkFields, checkInteger, checkOneOf, checkPair, checkRect, checkSamples, invalid } from './errors.js';
import { affectedRange, axisLevelSize, footprints, fullLevelCount } from './footprint.js';
import { needTarget, readView, sourceFormat, targetFormat, writeView } from './formats.js';
import { arrivedBytes, mostLevels, pyramidWgsl, usesKept, workgroupBytes } from './pyramid_wgsl.js';
import { alphaWords, reductionWords } from './words.js';

/**
 * Options of a pyramid.
 * @typedef {object} PyramidOptions
 * @property {readonly [width: number, height: number]} size  Size of the base, level 0, in texels: 1 to the device's limit.
 * @property {number} [slices]  Array layers or cube faces, each with its own chain. Default 1.
 * @property {number} [levels]  Number of levels, level 0 included. Default 0: down to 1×1.
 * @property {GPUTextureFormat} source  Format of the base; depth formats and `-srgb` formats are allowed. sRGB is
 *   averaged as linear light.
 * @property {GPUTextureFormat} target  Format of the levels. `rgba8unorm-srgb`: the texture has the format `rgba8unorm`
 *   and holds sRGB-encoded texels.
 * @property {import('./words.js').Reduction} [reduction]  Default `mean`. `min_max`: the minimum in the first
 *   channel and the maximum in the second; the target has two channels or more, the source one or two.
 * @property {import('./footprint.js').Footprint} [footprint]  Default `covering`.
 * @property {import('./words.js').Alpha} [alpha]  `weighted`: colours are averaged with alpha as their weight, so that
 *   transparent texels do not bleed. Needs `mean` and four channels. Default `independent`.
 * @property {1 | 4} [samples]  Samples per texel of the base, all of which count: a multisampled depth buffer needs no
 *   resolve. 4 needs one slice. Default 1.
 */

/**
 * One dispatch of a pyramid.
 * @typedef {object} PyramidDispatch
 * @property {'tile' | 'tail'} kind
 * @property {number} firstLevel   The level that it reads.
 * @property {number} levels       Levels that it stores: firstLevel + 1 to firstLevel + levels.
 * @property {[x: number, y: number, z: number]} groups  Workgroups.
 */

/**
 * @typedef {object} PyramidPlan
 * @property {number} levels            Level 0 included.
 * @property {[number, number][]} sizes Of all levels.
 * @property {PyramidDispatch[]} dispatches  In order. With `n` levels to make and `t` storage textures a stage:
 *   ceil(n / t) dispatches at the default limit of 4.
 * @property {number} scratchBytes      Two buffers of a binding: unrounded texels between dispatches, and arrivals of tiles.
 * @property {number} workgroupBytes    Largest workgroup memory.
 * @property {number} bytesRead         The base once.
 * @property {number} bytesWritten      Levels 1 and up once.
 */

/**
 * @typedef {object} PyramidTextures
 * @property {GPUTexture} source  Holds level 0; usage TEXTURE_BINDING.
 * @property {number} [sourceLevel]  Its mip level with the base. Default 0.
 * @property {number} [sourceSlice]  Its first array layer. Default 0.
 * @property {GPUTexture} [target]  Receives the levels; usage STORAGE_BINDING. Default: the source.
 * @property {number} [targetLevel]  The mip level that receives level 1. Default: sourceLevel + 1 if the target is the
 *   source, 1 if the target has the size of the base, 0 if it has the size of level 1.
 * @property {number} [targetSlice]  Its first array layer. Default 0.
 */

/** @typedef {import('./binding.js').Binding} Binding */

// A tail dispatch is one workgroup per slice, which makes level after level: for few texels, or where nothing else saves a
// dispatch, up to the number of texels that takes longer than another dispatch.
const fewTexels = 1024;
const mostTailTexels = 65536;
// Texels that one workgroup makes the top levels of.
const mostTopTexels = 1024;

/** @param {PyramidOptions} options */
function resolve(options) {
  checkFields(options, ['size', 'slices', 'levels', 'source', 'target', 'reduction', 'footprint', 'alpha', 'samples']);
  const size = checkPair('size', options.size);
  const slices = checkInteger('slices', options.slices ?? 1, 1, 65535);
  const full = fullLevelCount(size);
  const levels = checkInteger('levels', options.levels ?? 0, 0, 32) || full;
  if (levels > full) throw invalid(`levels: ${levels}, but ${size[0]}x${size[1]} has ${full}`);
  const source = sourceFormat('source', options.source);
  const target = targetFormat('target', options.target);
  const reduction = checkOneOf('reduction', options.reduction ?? 'mean', reductionWords);
  const footprint = checkOneOf('footprint', options.footprint ?? 'covering', footprints);
  const alpha = checkOneOf('alpha', options.alpha ?? 'independent', alphaWords);
  if (alpha === 'weighted' && (reduction !== 'mean' || source.channels !== 4 || target.channels !== 4)) {
    throw invalid('alpha: weighted needs the reduction mean, and source and target with four channels');
  }
  const samples = checkSamples(options.samples, slices);
  const colours = (/** @type {number} */ channels) => (channels >= 3 ? 3 : channels);
  if (reduction === 'min_max') {
    if (source.channels > 2) throw invalid(`source: ${options.source} has more than two channels, for min_max`);
    if (target.channels < 2) throw invalid(`target: ${options.target} has one channel, two needed for min_max`);
  } else if (colours(source.channels) !== colours(target.channels)) {
    throw invalid(
      `target: ${options.target} has ${target.channels} channels, but source ${options.source} has ` +
        `${source.channels}`,
    );
  }
  const components = reduction === 'min_max' || source.channels === 2 ? 2 : source.channels === 1 ? 1 : 4;
  return {
    size,
    slices,
    levels,
    source,
    target,
    reduction,
    footprint,
    alpha,
    samples,
    components: /** @type {1 | 2 | 4} */ (components),
    sourceName: options.source,
  };
}

/** @typedef {ReturnType<typeof resolve>} Resolved */

/** @typedef {import('./pyramid_wgsl.js').KernelShape} KernelShape */

/** @param {Resolved} o @param {number} level @returns {[number, number]} */
const levelSizes = ({ size }, level) => [axisLevelSize(size[0], level), axisLevelSize(size[1], level)];

/**
 * Texels per axis that a texel above a level takes of it: 1, 2, 3, or 0 for `edge` where the last texel takes more.
 * @param {Resolved} o
 * @param {number} finer  Number of the level.
 * @returns {[number, number]}
 */
function tapsOf({ size, footprint }, finer) {
  const of = (/** @type {number} */ base) => {
    const texels = axisLevelSize(base, finer);
    if (texels === 1) return 1;
    if (footprint === 'edge') return base % 2 ** (finer + 1) ? 0 : 2;
    return footprint === 'covering' ? 2 + (texels & 1) : 2;
  };
  return [of(size[0]), of(size[1])];
}

/**
 * The tile side of a shape. Without a halo: 64 texels of the source. With one, larger tiles compute fewer texels twice, but
 * take more workgroup memory, which fewer workgroups then share.
 * @param {KernelShape} shape
 * @param {number} memory
 */
function fitTile(shape, memory) {
  // Top levels may need more, whatever the tile.
  const most = shape.halo ? Math.min(memory, Math.max(12288, workgroupBytes({ ...shape, tile: 1 }))) : memory;
  for (const tile of [32, 16, 12, 10, 8, 6, 5, 4, 3, 2]) {
    if (tile * 2 ** shape.levels > 64) continue;
    const fitted = { ...shape, tile };
    if (workgroupBytes(fitted) <= most) return fitted;
  }
  return { ...shape, tile: 1 };
}

/** @param {Resolved} o @param {number} level @param {number} by */
const divides = (o, level, by) => levelSizes(o, level).every((size) => size % by === 0);

/** Whether all texels of the next two levels take 2x2 texels with equal weights. @param {Resolved} o @param {number} level */
const halvesTwice = (o, level) => [level, level + 1].every((finer) => tapsOf(o, finer).every((taps) => taps === 2));

/**
 * The next dispatch from a level: tiles, with top levels where the rest of the chain fits.
 * @param {Resolved} o
 * @param {number} level  That it reads.
 * @param {number} count  Levels of the tiles.
 * @param {number} textures
 * @param {number} memory
 * @returns {KernelShape}
 */
function tilesOf(o, level, count, textures, memory) {
  const rest = o.levels - 1 - level;
  const end = levelSizes(o, level + count);
  const make = (/** @type {number} */ top) =>
    fitTile(
      {
        kind: 'tile',
        levels: count,
        top,
        taps: Array.from({ length: count + top }, (_, n) => tapsOf(o, level + n)),
        lastSize: top ? end : [0, 0],
        tile: 1,
        fused: count > 1 && halvesTwice(o, level),
        halo: o.footprint !== 'aligned' && !divides(o, level, 2 ** count),
        components: o.components,
        source: level > 0 ? 'buffer' : o.source.depth ? 'depth' : 'texture',
        sourceChannels: o.source.channels,
        samples: level > 0 ? 1 : o.samples,
        reduction: o.reduction,
        footprint: o.footprint,
        weighted: o.alpha === 'weighted',
        keeps: count < rest,
        target: o.target,
      },
      memory,
    );
  const whole = make(rest <= textures && end[0] * end[1] <= mostTopTexels ? rest - count : 0);
  return whole.top && workgroupBytes(whole) > memory ? make(0) : whole;
}

/**
 * The dispatches from a level to the end of the chain, as few as there can be.
 * @param {Resolved} o
 * @param {number} level
 * @param {number} textures  maxStorageTexturesPerShaderStage
 * @param {number} memory    maxComputeWorkgroupStorageSize
 * @returns {KernelShape[]}
 */
function shapesFrom(o, level, textures, memory) {
  const rest = o.levels - 1 - level;
  if (rest === 0) return [];
  const [width, height] = levelSizes(o, level);
  /** @type {KernelShape[] | null} */
  let best = null;
  // Three levels where tiles overlap: with four the overlap is a larger share.
  const halves = halvesTwice(o, level);
  for (const most of halves && (divides(o, level, 64) || o.footprint === 'aligned')
    ? [6, 4]
    : halves && divides(o, level, 16)
      ? [4]
      : [3, 4]) {
    const count = Math.min(rest, textures, most);
    const shape = tilesOf(o, level, count, textures, memory);
    const made = [shape, ...shapesFrom(o, level + shape.levels + shape.top, textures, memory)];
    if (!best || made.length < best.length) best = made;
  }
  const tiles = /** @type {KernelShape[]} */ (best);
  if (rest <= textures && width * height <= (tiles.length > 1 ? mostTailTexels : fewTexels)) {
    return [
      {
        ...tiles[0],
        kind: 'tail',
        levels: rest,
        top: 0,
        taps: Array.from({ length: rest }, (_, n) => tapsOf(o, level + n)),
        lastSize: [0, 0],
        tile: 1,
        fused: false,
        halo: false,
        keeps: false,
      },
    ];
  }
  return tiles;
}

/**
 * @param {Resolved} o
 * @param {number} textures  maxStorageTexturesPerShaderStage
 * @param {number} memory    maxComputeWorkgroupStorageSize
 */
function schedule(o, textures, memory) {
  /** @type {{shape: KernelShape, firstLevel: number, size: [number, number], groups: [number, number, number], keptIn: number, keptOut: number}[]} */
  const steps = [];
  let kept = 0;
  let keptIn = 0;
  let level = 0;
  for (const shape of shapesFrom(o, 0, textures, memory)) {
    const texels = (/** @type {number} */ n) => levelSizes(o, level + n).reduce((a, b) => a * b);
    // `aligned` has texels of fine levels that no coarse one takes: tiles are counted on the first level.
    const counted = o.footprint === 'aligned' ? 1 : shape.levels;
    const side = shape.tile * 2 ** (shape.levels - counted);
    const keptOut = kept;
    if (shape.kind === 'tail') {
      for (let n = 1; n < shape.levels; ++n) kept += texels(n);
    } else if (shape.keeps) {
      kept += texels(shape.levels);
    }
    steps.push({
      shape,
      firstLevel: level,
      size: levelSizes(o, level),
      groups:
        shape.kind === 'tail'
          ? [1, 1, o.slices]
          : /** @type {[number, number, number]} */ ([
              ...levelSizes(o, level + counted).map((axis) => Math.ceil(axis / side)),
              o.slices,
            ]),
      keptIn,
      keptOut,
    });
    keptIn = keptOut;
    level += shape.levels + shape.top;
  }
  return {
    steps,
    keptPerSlice: kept,
    keptBytes: kept * o.slices * o.components * 4,
    arrivedBytes: Math.max(0, ...steps.map(({ shape }) => arrivedBytes(shape, o.slices))),
  };
}

/**
 * @param {Resolved} o
 * @param {ReturnType<typeof schedule>} made
 * @returns {PyramidPlan}
 */
function planOf(o, { steps, keptBytes, arrivedBytes: arrived }) {
  const sizes = Array.from(
    { length: o.levels },
    (_, n) => /** @type {[number, number]} */ ([axisLevelSize(o.size[0], n), axisLevelSize(o.size[1], n)]),
  );
  const texels = sizes.map(([width, height]) => width * height * o.slices);
  return {
    levels: o.levels,
    sizes,
    dispatches: steps.map(({ shape, firstLevel, groups }) => ({
      kind: shape.kind,
      firstLevel,
      levels: shape.levels + shape.top,
      groups,
    })),
    scratchBytes: keptBytes + arrived,
    workgroupBytes: Math.max(0, ...steps.map(({ shape }) => workgroupBytes(shape))),
    bytesRead: o.levels > 1 ? texels[0] * o.samples * o.source.bytes : 0,
    bytesWritten: texels.slice(1).reduce((sum, count) => sum + count * o.target.bytes, 0),
  };
}

/**
 * The plan of a pyramid, from the options and two limits alone (defaults: those of WebGPU).
 * @param {PyramidOptions} options
 * @param {{maxStorageTexturesPerShaderStage?: number, maxComputeWorkgroupStorageSize?: number}} [limits]
 * @returns {PyramidPlan}
 * @throws {OnepassError} `invalid_argument`
 */
export function planPyramid(options, limits = {}) {
  const o = resolve(options);
  return planOf(
    o,
    schedule(o, limits.maxStorageTexturesPerShaderStage ?? 4, limits.maxComputeWorkgroupStorageSize ?? 16384),
  );
}

/**
 * Makes levels 1 and up of a texture.
 *
 *     const pyramid = await Pyramid.create(device, {size: [1920, 1080], source: 'rgba8unorm', target: 'rgba8unorm'});
 *     const binding = await pyramid.bind({source: texture});
 *     pyramid.record(encoder, binding);
 *
 * min, max: the bits of the CPU engine for finite normal values. NaN: undefined, as in WGSL.
 */
export class Pyramid {
  /** @type {GPUDevice} */ #device;
  /** @type {Resolved} */ #options;
  /** @type {ReturnType<typeof schedule>} */ #schedule;
  /** @type {GPUComputePipeline[]} */ #pipelines;

  /**
   * @param {GPUDevice} device
   * @param {Resolved} options
   * @param {ReturnType<typeof schedule>} made
   * @param {GPUComputePipeline[]} pipelines
   * @private
   */
  constructor(device, options, made, pipelines) {
    this.#device = device;
    this.#options = options;
    this.#schedule = made;
    this.#pipelines = pipelines;
    /** @type {PyramidPlan} The plan for this device. */
    this.plan = planOf(options, made);
  }

  /**
   * Validates the options against the device and compiles the kernels.
   * @param {GPUDevice} device
   * @param {PyramidOptions} options
   * @returns {Promise<Pyramid>}
   * @throws {OnepassError} `invalid_argument`, `unsupported` naming the limit or feature, `device_lost`, `device`
   */
  static async create(device, options) {
    const o = resolve(options);
    await checkDevice(device);
    needTexture(device, o.size, o.slices);
    needTarget(device, 'target', o.target);
    const { limits } = device;
    const made = schedule(o, limits.maxStorageTexturesPerShaderStage, limits.maxComputeWorkgroupStorageSize);
    const plan = planOf(o, made);
    needLimit(device, 'maxComputeWorkgroupStorageSize', plan.workgroupBytes, 'a tile');
    needLimit(
      device,
      'maxStorageBufferBindingSize',
      Math.max(made.keptBytes, made.arrivedBytes),
      'the exchange buffer',
    );
    const pipelines = await Promise.all(
      made.steps.map(({ shape }) => makePipeline(device, `onepass pyramid ${shape.kind}`, pyramidWgsl(shape))),
    );
    return new Pyramid(device, o, made, pipelines);
  }

  /**
   * Ties the plan to textures and allocates the exchange buffer.
   * @param {PyramidTextures} textures
   * @returns {Promise<Binding>}
   * @throws {OnepassError} `invalid_argument` naming the texture, `out_of_memory`, `device_lost`
   */
  async bind(textures) {
    checkAlive(this, 'pyramid');
    checkFields(textures, ['source', 'sourceLevel', 'sourceSlice', 'target', 'targetLevel', 'targetSlice']);
    const o = this.#options;
    const { source, target = source } = textures;
    const sourceLevel = checkInteger('sourceLevel', textures.sourceLevel ?? 0, 0, 31);
    const sourceSlice = checkInteger('sourceSlice', textures.sourceSlice ?? 0, 0, 65535);
    const targetSlice = checkInteger('targetSlice', textures.targetSlice ?? 0, 0, 65535);
    const same = target === source;
    const whole = target?.width === o.size[0] && target?.height === o.size[1];
    const targetLevel = checkInteger(
      'targetLevel',
      textures.targetLevel ?? (same ? sourceLevel + 1 : whole ? 1 : 0),
      0,
      31,
    );
    return allocate(this.#device, 'Pyramid.bind', (own, view) => {
      const read = readView(
        view,
        'source',
        source,
        o.sourceName,
        o.size,
        o.slices,
        sourceLevel,
        sourceSlice,
        o.samples,
      );
      const views = this.plan.sizes
        .slice(1)
        .map((size, i) => writeView(view, 'target', target, o.target, size, o.slices, targetLevel + i, targetSlice));
      const scratch = (/** @type {string} */ label, /** @type {number} */ size) =>
        size > 0 ? own(this.#device.createBuffer({ label, size, usage: usage.storage })) : null;
      const kept = scratch('onepass exchange', this.#schedule.keptBytes);
      // Zero at first, and again after each dispatch.
      const arrived = scratch('onepass arrivals', this.#schedule.arrivedBytes);
      return this.#makeBinding(own, { kept, arrived }, read, views, null);
    });
  }

  /**
   * A binding that rewrites only the texels that a change inside a rectangle of the base affects; the result is that of
   * a full build. Record the given binding at least once before: its exchange buffer is shared.
   * @param {Binding} binding  From bind().
   * @param {[x: number, y: number, width: number, height: number]} rect  In texels of the base, in every slice.
   * @returns {Promise<Binding>}
   * @throws {OnepassError} as bind()
   */
  async bindUpdate(binding, rect) {
    checkBinding(binding, this, 'pyramid');
    const [x, y, width, height] = checkRect('rect', rect, this.#options.size);
    const { scratch, read, views } = /** @type {Resources} */ (bindingResources.get(binding));
    return allocate(this.#device, 'Pyramid.bindUpdate', (own) =>
      this.#makeBinding(own, scratch, read, views, {
        parent: binding,
        rect: [
          [x, x + width],
          [y, y + height],
        ],
      }),
    );
  }

  /**
   * @param {<R extends {destroy(): void}>(resource: R) => R} own
   * @param {Scratch} scratch
   * @param {GPUTextureView} read
   * @param {GPUTextureView[]} views
   * @param {{parent: Binding, rect: [[number, number], [number, number]]} | null} update
   * @returns {Binding}
   */
  #makeBinding(own, scratch, read, views, update) {
    const o = this.#options;
    const [parent, changed] = [update?.parent ?? null, update?.rect];
    const { kept, arrived } = scratch;
    const buffers = /** @type {GPUBuffer[]} */ (changed ? [] : [kept, arrived].filter((buffer) => buffer));
    /** @type {import('./binding.js').Step[]} */
    const steps = [];
    this.#schedule.steps.forEach((step, index) => {
      const { shape, firstLevel, size } = step;
      let first = [0, 0];
      let groups = step.groups;
      if (changed && shape.kind === 'tile') {
        // Every level of the dispatch must be covered: finer levels may have affected texels beyond the coarsest's.
        const tiles = [0, 1].map((axis) => tileRange(o, step, axis, changed[axis]));
        first = [tiles[0][0], tiles[1][0]];
        groups = [tiles[0][1] - tiles[0][0], tiles[1][1] - tiles[1][0], o.slices];
      }
      const words = new Uint32Array(12 + 4 * mostLevels);
      words.set([
        ...o.size,
        ...size,
        ...first,
        firstLevel,
        step.keptIn,
        step.keptOut,
        this.#schedule.keptPerSlice,
        o.slices,
      ]);
      const inverses = new Float32Array(words.buffer, 48);
      for (let n = 0; n < shape.levels + shape.top; ++n)
        inverses.set(
          o.size.map((axis) => 1 / axisLevelSize(axis, firstLevel + n)),
          4 * n,
        );
      const params = own(bufferOf(this.#device, 'onepass pyramid', words, usage.uniform));
      buffers.push(params);
      const pipeline = this.#pipelines[index];
      /** @type {GPUBindGroupEntry[]} */
      const entries = [{ binding: 0, resource: { buffer: params } }];
      if (shape.source !== 'buffer') entries.push({ binding: 1, resource: read });
      if (kept && usesKept(shape)) entries.push({ binding: 2, resource: { buffer: kept } });
      const stored = shape.levels + shape.top;
      for (let n = 0; n < stored; ++n) entries.push({ binding: 3 + n, resource: views[firstLevel + n] });
      if (arrived && shape.top) entries.push({ binding: 3 + stored, resource: { buffer: arrived } });
      const group = this.#device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
      steps.push({ pipeline, group, groups });
    });
    const binding = makeBinding(this, steps, buffers);
    bindingResources.set(binding, { scratch, read, views, parent });
    return binding;
  }

  /**
   * Records the dispatches in one compute pass. Allocates and submits nothing.
   * @param {GPUCommandEncoder} encoder
   * @param {Binding} binding  From bind() or bindUpdate().
   * @param {GPUComputePassTimestampWrites} [timestampWrites]
   * @throws {OnepassError} `invalid_argument` if the binding belongs to another pyramid or is destroyed
   */
  record(encoder, binding, timestampWrites) {
    checkBinding(binding, this, 'pyramid');
    const parent = bindingResources.get(binding)?.parent;
    if (parent) checkAlive(parent, 'binding of the full build');
    recordSteps(encoder, 'onepass pyramid', binding.steps, timestampWrites);
  }

  /** Ends the use of the pyramid: bind() and record() refuse it. Its bindings have their own destroy(). */
  destroy() {
    markDestroyed(this);
  }
}

/** @typedef {{kept: GPUBuffer | null, arrived: GPUBuffer | null}} Scratch  The exchange buffer; arrivals of tiles. */

/**
 * `parent`: of an update, the binding that owns the scratch buffers.
 * @typedef {{scratch: Scratch, read: GPUTextureView, views: GPUTextureView[], parent: Binding | null}} Resources
 */

/** @type {WeakMap<object, Resources>} */
const bindingResources = new WeakMap();

/**
 * The tiles [begin, end) of a dispatch that hold affected texels of any of its levels.
 * @param {Resolved} o
 * @param {ReturnType<typeof schedule>['steps'][number]} step
 * @param {number} axis
 * @param {[number, number]} changed
 * @returns {[number, number]}
 */
function tileRange(o, step, axis, changed) {
  const { shape, firstLevel, groups } = step;
  let begin = groups[axis];
  let end = 0;
  for (let n = 1; n <= shape.levels; ++n) {
    const [from, to] = affectedRange(o.footprint, o.size[axis], firstLevel + n, changed);
    if (from >= to) continue;
    const side = shape.tile * 2 ** (shape.levels - n);
    begin = Math.min(begin, Math.floor(from / side), groups[axis] - 1);
    end = Math.max(end, Math.min(groups[axis], Math.ceil(to / side)), begin + 1);
  }
  return [Math.min(begin, end), end];
}
