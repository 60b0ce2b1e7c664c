// pyramid.js: mip chains, depth pyramids and min/max pyramids: options, plan, bindings.
import { allocate, bufferOf, checkDevice, makePipeline, needLimit, needTexture, usage } from './device.js';
import { checkFields, checkInteger, checkOneOf, checkPair, checkRect, invalid } from './errors.js';
import { affectedRange, axisLevelSize, footprints, fullLevelCount } from './footprint.js';
import { needTarget, readView, sourceFormat, targetFormat, writeView } from './formats.js';
import { pyramidWgsl, usesKept, workgroupBytes } from './pyramid_wgsl.js';

/**
 * Options of a pyramid.
 * @typedef {object} PyramidOptions
 * @property {[width: number, height: number]} size  Size of the base, level 0, in texels: 1 to the device's limit.
 * @property {number} [slices]  Array layers or cube faces, each with its own chain. Default 1.
 * @property {number} [levels]  Number of levels, level 0 included. Default 0: down to 1×1.
 * @property {GPUTextureFormat} source  Format of the base; depth formats and `-srgb` formats are allowed. sRGB is
 *   averaged as linear light.
 * @property {GPUTextureFormat} target  Format of the levels. `rgba8unorm-srgb`: the texture has the format `rgba8unorm`
 *   and holds sRGB-encoded texels.
 * @property {'mean' | 'min' | 'max' | 'min_max'} [reduction]  Default `mean`. `min_max`: the minimum in the first
 *   channel and the maximum in the second; the target has two channels or more, the source one or two.
 * @property {import('./footprint.js').Footprint} [footprint]  Default `covering`.
 * @property {'independent' | 'weighted'} [alpha]  `weighted`: colours are averaged with alpha as their weight, so that
 *   transparent texels do not bleed. Needs `mean` and four channels. Default `independent`.
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
 * @property {number} scratchBytes      Exchange buffer of a binding.
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

/**
 * @typedef {object} PyramidBinding
 * @property {object} owner
 * @property {GPUBuffer[]} buffers
 * @property {{pipeline: GPUComputePipeline, group: GPUBindGroup, groups: [number, number, number]}[]} steps
 * @property {() => void} destroy  Frees the buffers of the binding.
 */

// A tail dispatch is one workgroup per slice: above this number of texels it would take longer than another dispatch.
const mostTailTexels = 65536;
const mostTailSource = 4096;

/** @param {PyramidOptions} options */
function resolve(options) {
  checkFields(options, ['size', 'slices', 'levels', 'source', 'target', 'reduction', 'footprint', 'alpha']);
  const size = checkPair('size', options.size);
  const slices = checkInteger('slices', options.slices ?? 1, 1, 65535);
  const full = fullLevelCount(size);
  const levels = checkInteger('levels', options.levels ?? 0, 0, 32) || full;
  if (levels > full) throw invalid(`levels: ${levels}, but ${size[0]}x${size[1]} has ${full}`);
  const source = sourceFormat('source', options.source);
  const target = targetFormat('target', options.target);
  const reduction = checkOneOf('reduction', options.reduction ?? 'mean', ['mean', 'min', 'max', 'min_max']);
  const footprint = checkOneOf('footprint', options.footprint ?? 'covering', footprints);
  const alpha = checkOneOf('alpha', options.alpha ?? 'independent', ['independent', 'weighted']);
  if (alpha === 'weighted' && (reduction !== 'mean' || source.channels !== 4 || target.channels !== 4)) {
    throw invalid('alpha: weighted needs the reduction mean, and source and target with four channels');
  }
  const colours = (/** @type {number} */ channels) => (channels >= 3 ? 3 : channels);
  if (reduction === 'min_max') {
    if (source.channels > 2) throw invalid(`source: ${options.source} has more than two channels, for min_max`);
    if (target.channels < 2) throw invalid(`target: ${options.target} has one channel, two needed for min_max`);
  } else if (colours(source.channels) !== colours(target.channels)) {
    throw invalid(`target: ${options.target} has ${target.channels} channels, but source ${options.source} has ` +
      `${source.channels}`);
  }
  const components = reduction === 'min_max' || source.channels === 2 ? 2 : source.channels === 1 ? 1 : 4;
  return {
    size, slices, levels, source, target, reduction, footprint, alpha,
    components: /** @type {1 | 2 | 4} */ (components), sourceName: options.source,
  };
}

/** @typedef {ReturnType<typeof resolve>} Resolved */

/** The largest tile whose levels fit the workgroup memory. @param {import('./pyramid_wgsl.js').KernelShape} shape @param {number} memory */
function fitTile(shape, memory) {
  for (const tile of [64, 32, 16, 8, 4, 3, 2, 1]) {
    if (tile * 2 ** shape.levels > 64) continue;
    const fitted = { ...shape, tile };
    if (workgroupBytes(fitted) <= memory) return fitted;
  }
  return { ...shape, tile: 1 };
}

/**
 * @param {Resolved} o
 * @param {number} textures  maxStorageTexturesPerShaderStage
 * @param {number} memory    maxComputeWorkgroupStorageSize
 */
function schedule(o, textures, memory) {
  /** @type {{shape: import('./pyramid_wgsl.js').KernelShape, firstLevel: number, size: [number, number], groups: [number, number, number], keptIn: number, keptOut: number}[]} */
  const steps = [];
  let kept = 0;
  let keptIn = 0;
  for (let level = 0; level + 1 < o.levels;) {
    const rest = o.levels - 1 - level;
    /** @type {[number, number]} */
    const size = [axisLevelSize(o.size[0], level), axisLevelSize(o.size[1], level)];
    const divides = (/** @type {number} */ by) => size[0] % by === 0 && size[1] % by === 0;
    const tail = rest <= textures && size[0] * size[1] <= (level === 0 ? mostTailSource : mostTailTexels);
    const count = tail ? rest : Math.min(rest, textures, divides(64) ? 6 : 4);
    /** @type {import('./pyramid_wgsl.js').KernelShape} */
    const shape = {
      kind: tail ? 'tail' : 'tile',
      levels: count,
      tile: 1,
      fused: !tail && count > 1 && divides(4),
      halo: !divides(2 ** count),
      components: o.components,
      source: level > 0 ? 'buffer' : o.source.depth ? 'depth' : 'texture',
      sourceChannels: o.source.channels,
      reduction: o.reduction,
      footprint: o.footprint,
      weighted: o.alpha === 'weighted',
      keeps: count < rest,
      target: o.target,
    };
    const fitted = tail ? shape : fitTile(shape, memory);
    const texels = (/** @type {number} */ n) => axisLevelSize(o.size[0], n) * axisLevelSize(o.size[1], n);
    const end = [axisLevelSize(o.size[0], level + count), axisLevelSize(o.size[1], level + count)];
    const keptOut = kept;
    if (tail) {
      for (let n = 1; n < count; ++n) kept += texels(level + n);
      if (shape.keeps) kept += texels(level + count);
    } else if (shape.keeps) {
      kept += texels(level + count);
    }
    steps.push({
      shape: fitted,
      firstLevel: level,
      size,
      groups: tail ? [1, 1, o.slices]
        : [Math.ceil(end[0] / fitted.tile), Math.ceil(end[1] / fitted.tile), o.slices],
      keptIn,
      keptOut,
    });
    keptIn = keptOut;
    level += count;
  }
  return { steps, keptPerSlice: kept };
}

/**
 * @param {Resolved} o
 * @param {ReturnType<typeof schedule>} made
 * @returns {PyramidPlan}
 */
function planOf(o, { steps, keptPerSlice }) {
  const sizes = Array.from({ length: o.levels }, (_, n) =>
    /** @type {[number, number]} */ ([axisLevelSize(o.size[0], n), axisLevelSize(o.size[1], n)]));
  const texels = sizes.map(([width, height]) => width * height * o.slices);
  return {
    levels: o.levels,
    sizes,
    dispatches: steps.map(({ shape, firstLevel, groups }) =>
      ({ kind: shape.kind, firstLevel, levels: shape.levels, groups })),
    scratchBytes: keptPerSlice * o.slices * o.components * 4,
    workgroupBytes: Math.max(0, ...steps.map(({ shape }) => workgroupBytes(shape))),
    bytesRead: o.levels > 1 ? texels[0] * o.source.bytes : 0,
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
  return planOf(o, schedule(o, limits.maxStorageTexturesPerShaderStage ?? 4,
    limits.maxComputeWorkgroupStorageSize ?? 16384));
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
    checkDevice(device);
    needTexture(device, o.size, o.slices);
    needTarget(device, 'target', o.target);
    const { limits } = device;
    const made = schedule(o, limits.maxStorageTexturesPerShaderStage, limits.maxComputeWorkgroupStorageSize);
    const plan = planOf(o, made);
    needLimit(device, 'maxComputeWorkgroupStorageSize', plan.workgroupBytes, 'a tile');
    needLimit(device, 'maxStorageBufferBindingSize', plan.scratchBytes, 'the exchange buffer');
    const pipelines = await Promise.all(made.steps.map(({ shape }) =>
      makePipeline(device, `onepass pyramid ${shape.kind}`, pyramidWgsl(shape))));
    return new Pyramid(device, o, made, pipelines);
  }

  /**
   * Ties the plan to textures and allocates the exchange buffer.
   * @param {PyramidTextures} textures
   * @returns {Promise<PyramidBinding>}
   * @throws {OnepassError} `invalid_argument` naming the texture, `out_of_memory`, `device_lost`
   */
  async bind(textures) {
    checkFields(textures, ['source', 'sourceLevel', 'sourceSlice', 'target', 'targetLevel', 'targetSlice']);
    const o = this.#options;
    const { source, target = source } = textures;
    const sourceLevel = checkInteger('sourceLevel', textures.sourceLevel ?? 0, 0, 31);
    const sourceSlice = checkInteger('sourceSlice', textures.sourceSlice ?? 0, 0, 65535);
    const targetSlice = checkInteger('targetSlice', textures.targetSlice ?? 0, 0, 65535);
    const same = target === source;
    const whole = target?.width === o.size[0] && target?.height === o.size[1];
    const targetLevel = checkInteger('targetLevel', textures.targetLevel ?? (same ? sourceLevel + 1 : whole ? 1 : 0), 0, 31);
    const read = readView('source', source, o.sourceName, o.size, o.slices, sourceLevel, sourceSlice);
    const views = this.plan.sizes.slice(1).map((size, i) =>
      writeView('target', target, o.target, size, o.slices, targetLevel + i, targetSlice));
    return allocate(this.#device, 'Pyramid.bind', (own) => {
      const kept = this.plan.scratchBytes > 0
        ? own(this.#device.createBuffer({ label: 'onepass exchange', size: this.plan.scratchBytes, usage: usage.storage }))
        : null;
      return this.#makeBinding(own, kept, read, views, null);
    });
  }

  /**
   * A binding that rewrites only the texels that a change inside a rectangle of the base affects; the result is that of
   * a full build. Record the given binding at least once before: its exchange buffer is shared.
   * @param {PyramidBinding} binding  From bind().
   * @param {[x: number, y: number, width: number, height: number]} rect  In texels of the base, in every slice.
   * @returns {Promise<PyramidBinding>}
   * @throws {OnepassError} as bind()
   */
  async bindUpdate(binding, rect) {
    const resources = bindingResources.get(binding);
    if (!resources || binding.owner !== this) throw invalid('binding: is not a binding of this pyramid');
    const [x, y, width, height] = checkRect('rect', rect, this.#options.size);
    const { kept, read, views } = resources;
    return allocate(this.#device, 'Pyramid.bindUpdate', (own) =>
      this.#makeBinding(own, kept, read, views, [[x, x + width], [y, y + height]]));
  }

  /**
   * @param {<R extends {destroy(): void}>(resource: R) => R} own
   * @param {GPUBuffer | null} kept
   * @param {GPUTextureView} read
   * @param {GPUTextureView[]} views
   * @param {[[number, number], [number, number]] | null} changed
   * @returns {PyramidBinding}
   */
  #makeBinding(own, kept, read, views, changed) {
    const o = this.#options;
    /** @type {GPUBuffer[]} */
    const buffers = kept && !changed ? [kept] : [];
    /** @type {PyramidBinding['steps']} */
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
      const params = own(bufferOf(this.#device, 'onepass pyramid', new Uint32Array([
        ...o.size, ...size, ...first, firstLevel, step.keptIn, step.keptOut, this.#schedule.keptPerSlice, 0, 0,
      ]), usage.uniform));
      buffers.push(params);
      const pipeline = this.#pipelines[index];
      /** @type {GPUBindGroupEntry[]} */
      const entries = [{ binding: 0, resource: { buffer: params } }];
      if (shape.source !== 'buffer') entries.push({ binding: 1, resource: read });
      if (kept && usesKept(shape)) entries.push({ binding: 2, resource: { buffer: kept } });
      for (let n = 0; n < shape.levels; ++n) entries.push({ binding: 3 + n, resource: views[firstLevel + n] });
      const group = this.#device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
      steps.push({ pipeline, group, groups });
    });
    const binding = { owner: this, buffers, steps, destroy: () => buffers.forEach((buffer) => buffer.destroy()) };
    bindingResources.set(binding, { kept, read, views });
    return binding;
  }

  /**
   * Records the dispatches in one compute pass. Allocates and submits nothing.
   * @param {GPUCommandEncoder} encoder
   * @param {PyramidBinding} binding  From bind() or bindUpdate().
   * @param {GPUComputePassTimestampWrites} [timestampWrites]
   * @throws {OnepassError} `invalid_argument` if the binding belongs to another pyramid
   */
  record(encoder, binding, timestampWrites) {
    if (binding?.owner !== this) throw invalid('binding: is not a binding of this pyramid');
    recordSteps(encoder, 'onepass pyramid', binding.steps, timestampWrites);
  }
}

/** @type {WeakMap<object, {kept: GPUBuffer | null, read: GPUTextureView, views: GPUTextureView[]}>} */
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

/**
 * @param {GPUCommandEncoder} encoder
 * @param {string} label
 * @param {{pipeline: GPUComputePipeline, group: GPUBindGroup, groups: [number, number, number]}[]} steps
 * @param {GPUComputePassTimestampWrites} [timestampWrites]
 */
export function recordSteps(encoder, label, steps, timestampWrites) {
  if (steps.length === 0 && !timestampWrites) return;
  const pass = encoder.beginComputePass({ label, ...(timestampWrites ? { timestampWrites } : {}) });
  for (const { pipeline, group, groups } of steps) {
    if (groups[0] * groups[1] * groups[2] === 0) continue;
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...groups);
  }
  pass.end();
}
