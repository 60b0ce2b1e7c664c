// tile_reduction.js: one coarser image; each of its texels is the reduction of a square tile of texels.
//
// A workgroup reduces 64x64 texels: each invocation at most 4x4 of them, then invocations join their results in workgroup
// memory until one result per tile is left.
import { checkAlive, checkBinding, makeBinding, markDestroyed, recordSteps } from './binding.js';
import { allocate, bufferOf, checkDevice, groupOf, makePipeline, needTexture, usage } from './device.js';
import { checkFields, checkInteger, checkOneOf, checkPair, checkSamples, invalid } from './errors.js';
import {
  encodeWgsl,
  needTarget,
  readView,
  sourceFormat,
  sourceTextureWgsl,
  targetFormat,
  writeView,
} from './formats.js';
import { reductionWords } from './words.js';

/**
 * Options of a tile reduction.
 * @typedef {object} TileReductionOptions
 * @property {[width: number, height: number]} size  Size of the source in texels.
 * @property {number} [slices]  Array layers, each reduced separately. Default 1.
 * @property {GPUTextureFormat} source  Depth and sRGB formats are allowed; sRGB is averaged as linear light.
 * @property {GPUTextureFormat} target
 * @property {import('./words.js').Reduction} [reduction]  Default `min`. `mean`: all existing texels of a tile have
 *   the same weight. `min_max`: minimum in the first channel, maximum in the second.
 * @property {2 | 4 | 8 | 16 | 32 | 64} [factor]  Side of a tile in texels. Default 16.
 * @property {1 | 4} [samples]  Samples per texel of the source, all of which count. 4 needs one slice. Default 1.
 */

/**
 * @typedef {object} TileReductionPlan
 * @property {[number, number]} size  Of the target: ceil(size / factor) per axis.
 * @property {number} dispatches      1.
 * @property {number} bytesRead       The source once.
 * @property {number} bytesWritten    The target once.
 */

/** @param {TileReductionOptions} options */
function resolve(options) {
  checkFields(options, ['size', 'slices', 'source', 'target', 'reduction', 'factor', 'samples']);
  const size = checkPair('size', options.size);
  const slices = checkInteger('slices', options.slices ?? 1, 1, 65535);
  const source = sourceFormat('source', options.source);
  const target = targetFormat('target', options.target);
  const reduction = checkOneOf('reduction', options.reduction ?? 'min', reductionWords);
  const factor = options.factor ?? 16;
  if (![2, 4, 8, 16, 32, 64].includes(factor)) throw invalid(`factor: ${factor} is not one of 2, 4, 8, 16, 32, 64`);
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
  const samples = checkSamples(options.samples, slices);
  return { size, slices, source, target, reduction, factor, samples, sourceName: options.source };
}

/** @typedef {ReturnType<typeof resolve>} Resolved */

/** @param {Resolved} o */
function tileWgsl({ source, target, reduction, factor, samples }) {
  const components = reduction === 'min_max' || source.channels === 2 ? 2 : source.channels === 1 ? 1 : 4;
  const type = { 1: 'f32', 2: 'vec2f', 4: 'vec4f' }[components];
  const part = Math.min(factor, 4); // side of an invocation's block
  const side = 64 / part; // invocations' blocks per axis of a workgroup
  const join = { mean: 'a + b', min: 'min(a, b)', max: 'max(a, b)', min_max: 'vec2f(min(a.x, b.x), max(a.y, b.y))' }[
    reduction
  ];
  const decode =
    components === 1 ? 'texel.r' : components === 2 ? (source.channels === 1 ? 'texel.rr' : 'texel.rg') : 'texel';
  const texture = sourceTextureWgsl('source', { depth: source.depth, samples });
  const parts = Array.from({ length: samples }, (_, sample) => `decode(${texture.load('at', 'slice', sample)})`);
  const loaded = samples === 1 ? parts[0] : `join(join(${parts[0]}, ${parts[1]}), join(${parts[2]}, ${parts[3]}))`;
  const store =
    components === 1 ? 'vec4f(element, 0.0, 0.0, 1.0)' : components === 2 ? 'vec4f(element, 0.0, 1.0)' : 'element';
  const steps = [];
  // Halves the number of results per axis in workgroup memory until one a tile is left.
  for (let apart = 1; apart < factor / part; apart *= 2) {
    steps.push(`
    workgroupBarrier();  // the results to join are stored
    for (var i = lane; i < ${(side / apart / 2) ** 2}u; i += 256u) {
      let at = vec2u(i % ${side / apart / 2}u, i / ${side / apart / 2}u) * ${2 * apart}u;
      // Blocks beyond the edge are empty.
      let right = first + (at.x + ${apart}u) * ${part}u;
      let low = top + (at.y + ${apart}u) * ${part}u;
      let here = at.y * ${side}u + at.x;
      var element = s_parts[here];
      if (right < p.size.x) { element = join(element, s_parts[here + ${apart}u]); }
      if (low < p.size.y) {
        var other = s_parts[here + ${apart * side}u];
        if (right < p.size.x) { other = join(other, s_parts[here + ${apart * side + apart}u]); }
        element = join(element, other);
      }
      s_parts[here] = element;
    }`);
  }
  const results = 64 / factor;
  const step = factor / part;
  return `
alias Element = ${type};
struct Params { size: vec2u, unused: vec2u }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var source: ${texture.type};
@group(0) @binding(2) var coarse: texture_storage_2d_array<${target.storage}, write>;
var<workgroup> s_parts: array<Element, ${side * side}>;
fn join(a: Element, b: Element) -> Element { return ${join}; }
fn decode(texel: vec4f) -> Element { return ${decode}; }
fn load_source(at: vec2u, slice: u32) -> Element {
  return ${loaded}${samples > 1 && reduction === 'mean' ? ` * ${1 / samples}` : ''};
}
${encodeWgsl(target)}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let slice = group.z;
  let first = group.x * 64u;
  let top = group.y * 64u;
  for (var i = lane; i < ${side * side}u; i += 256u) {
    let at = vec2u(first, top) + vec2u(i % ${side}u, i / ${side}u) * ${part}u;
    let end = min(at + ${part}u, p.size);
    if (all(at < p.size)) {
      var element: Element;
      for (var y = at.y; y < end.y; y++) {
        var row = load_source(vec2u(at.x, y), slice);
        for (var x = at.x + 1u; x < end.x; x++) { row = join(row, load_source(vec2u(x, y), slice)); }
        if (y == at.y) { element = row; } else { element = join(element, row); }
      }
      s_parts[i] = element;
    }
  }
  ${steps.join('')}
  workgroupBarrier();  // the results are stored
  for (var i = lane; i < ${results * results}u; i += 256u) {
    let tile = vec2u(i % ${results}u, i / ${results}u);
    let texel = group.xy * ${results}u + tile;
    let begin = texel * ${factor}u;
    if (all(begin < p.size)) {
      var element = s_parts[tile.y * ${step * side}u + tile.x * ${step}u];
      ${
        reduction === 'mean'
          ? `let extent = min(begin + ${factor}u, p.size) - begin;
      element = element / f32(extent.x * extent.y);`
          : ''
      }
      textureStore(coarse, texel, slice, to_target(${store}));
    }
  }
}
`;
}

/**
 * The plan of a tile reduction, from the options alone.
 * @param {TileReductionOptions} options
 * @returns {TileReductionPlan}
 * @throws {OnepassError} `invalid_argument`
 */
export function planTileReduction(options) {
  const { size, slices, factor, samples, source, target } = resolve(options);
  const width = Math.ceil(size[0] / factor);
  const height = Math.ceil(size[1] / factor);
  return {
    size: [width, height],
    dispatches: 1,
    bytesRead: size[0] * size[1] * slices * samples * source.bytes,
    bytesWritten: width * height * slices * target.bytes,
  };
}

/**
 * Reduces tiles of factor × factor texels in one dispatch. Look the result up by texel: coarse texel
 * (floor(x / factor), floor(y / factor)) stands for texel (x, y).
 */
export class TileReduction {
  /** @type {GPUDevice} */ #device;
  /** @type {Resolved} */ #options;
  /** @type {GPUComputePipeline} */ #pipeline;

  /**
   * @param {GPUDevice} device
   * @param {TileReductionOptions} options
   * @param {GPUComputePipeline} pipeline
   * @private
   */
  constructor(device, options, pipeline) {
    this.#device = device;
    this.#options = resolve(options);
    this.#pipeline = pipeline;
    /** @type {TileReductionPlan} */
    this.plan = planTileReduction(options);
  }

  /**
   * Validates the options against the device and compiles the kernel.
   * @param {GPUDevice} device
   * @param {TileReductionOptions} options
   * @returns {Promise<TileReduction>}
   * @throws {OnepassError} `invalid_argument`, `unsupported`, `device_lost`, `device`
   */
  static async create(device, options) {
    const o = resolve(options);
    await checkDevice(device);
    needTexture(device, o.size, o.slices);
    needTarget(device, 'target', o.target);
    return new TileReduction(device, options, await makePipeline(device, 'onepass tile reduction', tileWgsl(o)));
  }

  /**
   * Ties the plan to textures.
   * @param {{source: GPUTexture, target: GPUTexture, sourceLevel?: number, sourceSlice?: number, targetLevel?: number,
   *   targetSlice?: number}} textures  Levels are mip levels of the sizes of the options and the plan.
   * @returns {Promise<import('./binding.js').Binding>}
   * @throws {OnepassError} `invalid_argument` naming the texture, `out_of_memory`, `device_lost`
   */
  async bind(textures) {
    checkAlive(this, 'tile reduction');
    checkFields(textures, ['source', 'target', 'sourceLevel', 'sourceSlice', 'targetLevel', 'targetSlice']);
    const o = this.#options;
    const [sourceLevel, targetLevel] = /** @type {const} */ (['sourceLevel', 'targetLevel']).map((name) =>
      checkInteger(name, textures[name] ?? 0, 0, 31),
    );
    const [sourceSlice, targetSlice] = /** @type {const} */ (['sourceSlice', 'targetSlice']).map((name) =>
      checkInteger(name, textures[name] ?? 0, 0, 65535),
    );
    return allocate(this.#device, 'TileReduction.bind', (own, view) => {
      const read = readView(
        view,
        'source',
        textures.source,
        o.sourceName,
        o.size,
        o.slices,
        sourceLevel,
        sourceSlice,
        o.samples,
      );
      const write = writeView(
        view,
        'target',
        textures.target,
        o.target,
        this.plan.size,
        o.slices,
        targetLevel,
        targetSlice,
      );
      const params = own(
        bufferOf(this.#device, 'onepass tile reduction', new Uint32Array([...o.size, 0, 0]), usage.uniform),
      );
      return makeBinding(
        this,
        [
          {
            pipeline: this.#pipeline,
            group: groupOf(this.#device, this.#pipeline, [{ buffer: params }, read, write]),
            groups: [Math.ceil(o.size[0] / 64), Math.ceil(o.size[1] / 64), o.slices],
          },
        ],
        [params],
      );
    });
  }

  /**
   * Records one dispatch. Allocates and submits nothing.
   * @param {GPUCommandEncoder} encoder
   * @param {import('./binding.js').Binding} binding  From bind().
   * @param {GPUComputePassTimestampWrites} [timestampWrites]
   * @throws {OnepassError} `invalid_argument` if the binding belongs to another object or is destroyed
   */
  record(encoder, binding, timestampWrites) {
    checkBinding(binding, this, 'tile reduction');
    recordSteps(encoder, 'onepass tile reduction', binding.steps, timestampWrites);
  }

  /** Ends the use of the tile reduction: bind() and record() refuse it. Its bindings have their own destroy(). */
  destroy() {
    markDestroyed(this);
  }
}
