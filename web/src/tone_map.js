// tone_map.js: scene light to the range of a display: exposure, tone curve, primaries, transfer, dithering.
import { checkAlive, checkBinding, makeBinding, markDestroyed, recordSteps } from './binding.js';
import {
  allocate,
  bufferOf,
  checkDevice,
  groupOf,
  makePipeline,
  needLimit,
  needStorageBuffer,
  needTexture,
  usage,
} from './device.js';
import { checkFields, checkInteger, checkNumber, checkOneOf, checkPair, invalid } from './errors.js';
import { encodeWgsl, needTarget, readView, sourceFormat, targetFormat, writeView } from './formats.js';
import { meterResultBytes } from './meter_layout.js';
import { headroomOperators } from './tone_formulas.js';
import { makeProgram } from './tone_program.js';
import { cubicsOf, toneFunctionsWgsl } from './tone_map_wgsl.js';
import { agxLookWords, toneOperatorWords, transferWords } from './words.js';

/**
 * Tone curves of linear Rec. 709 light; 0.18 is middle grey. docs/tone_map.md of the project has every formula.
 * @typedef {import('./words.js').ToneOperator} ToneOperator
 */

/** All operators, in the order of the C++ API. @type {readonly ToneOperator[]} */
export const toneOperators = toneOperatorWords;

/**
 * Options of a tone curve and its encoding, without the images.
 * @typedef {object} ToneOptions
 * @property {ToneOperator} [operator]  Default `agx_blender`.
 * @property {number} [exposure]  Factor on the light, 0 or more. Default 1. Multiplied by the meter's exposure.
 * @property {number} [white]  `reinhard_extended`, `reinhard_luminance`: the light that maps to the headroom (without
 *   headroom: to 1), 1/64 to 65504. Default 4.
 * @property {{bias?: number, average?: number, white?: number}} [drago]  Bias 0.5 to 1 (0.85); average 0.01 to 65504
 *   (0.18); white 0.01 to 65504 (100), in exposed light.
 * @property {import('./words.js').AgxLook} [look]  Only for AgX. Default `none`.
 * @property {import('./words.js').Transfer} [transfer]  Default `srgb`: canvases of both colour spaces.
 * @property {number} [gamma]  For `gamma`: 1 to 3. Default 2.2.
 * @property {'rec709' | 'display_p3' | 'rec2020'} [primaries]  `rec709` for a canvas with the colour space `srgb`.
 * @property {number} [headroom]  `linear` and `srgb` with a float target: the display light up to which the operators
 *   exposure, reinhard, reinhard_extended, reinhard_luminance and agx_blender go, 1 to 10000. Above 1 it is for canvases
 *   with `toneMapping: {mode: 'extended'}`. Default 1.
 * @property {number} [peakNits]  `pq`: 1 to 10000. Default 1000.
 * @property {number} [paperWhiteNits]  `pq`, `hlg`: luminance of display light 1. Default 203.
 */

/**
 * Options of a tone map.
 * @typedef {ToneOptions & ToneImages} ToneMapOptions
 */

/**
 * @typedef {object} ToneImages
 * @property {readonly [width: number, height: number]} size  Of source and target, in texels.
 * @property {number} [slices]  Default 1.
 * @property {GPUTextureFormat} source  Three or four channels; one: grey; two: grey and alpha. sRGB is decoded.
 * @property {GPUTextureFormat} target  A storage format, with the same number of channels if it has one or two. The
 *   format `rgba8unorm-srgb` stands for a texture `rgba8unorm` and needs the transfer `srgb`.
 * @property {boolean} [dither]  Hides the steps of UNORM targets. Default false.
 */

/** @typedef {Required<Omit<ToneOptions, 'drago'>> & {drago: {bias: number, average: number, white: number}}} ResolvedTone */

const toneFields = [
  'operator',
  'exposure',
  'white',
  'drago',
  'look',
  'transfer',
  'gamma',
  'primaries',
  'headroom',
  'peakNits',
  'paperWhiteNits',
];

/** @param {ToneOptions} options @returns {ResolvedTone} */
export function resolveTone(options) {
  const drago = options.drago ?? {};
  checkFields(drago, ['bias', 'average', 'white'], 'drago');
  /** @type {ResolvedTone} */
  const o = {
    operator: checkOneOf('operator', options.operator ?? 'agx_blender', toneOperators),
    exposure: checkNumber('exposure', options.exposure ?? 1, 0, 3.4028234663852886e38),
    white: checkNumber('white', options.white ?? 4, 2 ** -6, 65504),
    drago: {
      bias: checkNumber('drago.bias', drago.bias ?? 0.85, 0.5, 1),
      average: checkNumber('drago.average', drago.average ?? 0.18, 0.01, 65504),
      white: checkNumber('drago.white', drago.white ?? 100, 0.01, 65504),
    },
    look: checkOneOf('look', options.look ?? 'none', agxLookWords),
    transfer: checkOneOf('transfer', options.transfer ?? 'srgb', transferWords),
    gamma: checkNumber('gamma', options.gamma ?? 2.2, 1, 3),
    primaries: checkOneOf('primaries', options.primaries ?? 'rec709', ['rec709', 'display_p3', 'rec2020']),
    headroom: checkNumber('headroom', options.headroom ?? 1, 1, 10000),
    peakNits: checkNumber('peakNits', options.peakNits ?? 1000, 1, 10000),
    paperWhiteNits: checkNumber('paperWhiteNits', options.paperWhiteNits ?? 203, 1, 10000),
  };
  if (o.look !== 'none' && !o.operator.startsWith('agx_')) {
    throw invalid(`look: ${o.look} is for the AgX operators, not for ${o.operator}`);
  }
  if (o.transfer === 'pq' && o.paperWhiteNits > o.peakNits) {
    throw invalid(`paperWhiteNits: ${o.paperWhiteNits} is above peakNits, ${o.peakNits}`);
  }
  if (o.transfer === 'hlg' && o.paperWhiteNits > 1000) {
    throw invalid(`paperWhiteNits: ${o.paperWhiteNits} is above 1000, the peak of the display that HLG is made for`);
  }
  if (o.headroom !== 1 && o.transfer !== 'linear' && o.transfer !== 'srgb') {
    throw invalid(`headroom: ${o.headroom}, but transfer is ${o.transfer}; it is for linear and srgb`);
  }
  return o;
}

/** @param {ToneMapOptions} options */
function resolve(options) {
  checkFields(options, ['size', 'slices', 'source', 'target', 'dither', ...toneFields]);
  const size = checkPair('size', options.size);
  const slices = checkInteger('slices', options.slices ?? 1, 1, 65535);
  const source = sourceFormat('source', options.source);
  const target = targetFormat('target', options.target);
  const tone = resolveTone(options);
  const dither = checkOneOf('dither', String(options.dither ?? false), ['true', 'false']) === 'true';
  if (target.channels < 3 && source.channels !== target.channels) {
    throw invalid(
      `target: ${options.target} has ${target.channels} channels, but source ${options.source} has ` +
        `${source.channels}`,
    );
  }
  if (target.srgb && tone.transfer !== 'srgb') {
    throw invalid(`transfer: ${tone.transfer}, but target ${options.target} holds sRGB-encoded texels`);
  }
  if (dither && target.levels === 0) throw invalid(`dither: true, but target ${options.target} has no steps to hide`);
  if (tone.headroom !== 1 && target.levels > 0) {
    throw invalid(`headroom: ${tone.headroom}, but target ${options.target} ends at 1`);
  }
  return { size, slices, source, target, tone, dither, sourceName: options.source };
}

/** @typedef {ReturnType<typeof resolve>} Resolved */

const rowsPerInvocation = 8;

/** What recordTo() makes steps of bindings with. @type {WeakMap<object, (view: GPUTextureView) => import('./binding.js').Step>} */
const steps = new WeakMap();

/** @param {Resolved} o @param {import('./tone_program.js').Program} program */
function toneMapWgsl({ source, target, dither }, program) {
  const count = cubicsOf(program).length / 4;
  const grey = source.channels <= 2;
  const unit = target.levels;
  const store = dither ? 'vec4f(dither(stored, at), to_target(vec4f(alpha)).a)' : 'to_target(vec4f(stored, alpha))';
  const two = target.channels === 2;
  return `
struct Params { size: vec2u, exposure: f32, index: u32, step: u32, unused: vec3u }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var source: ${source.depth ? 'texture_depth_2d_array' : 'texture_2d_array<f32>'};
@group(0) @binding(2) var mapped: texture_storage_2d_array<${target.storage}, write>;
@group(0) @binding(3) var<storage, read> cubics: array<vec4f>;
@group(0) @binding(4) var<storage, read> exposures: array<f32>;
var<workgroup> s_cubics: array<vec4f, ${count}>;
fn onepass_cubic(i: u32) -> vec4f { return s_cubics[i]; }
${toneFunctionsWgsl(program)}
${encodeWgsl({ ...target, srgb: false })}
${
  dither
    ? `
// Noise of less than half a step, a function of the position.
fn dither(stored: vec3f, at: vec2u) -> vec3f {
  let phase = at.x * 0xC13FA9A9u + at.y * 0x91E10DA5u;
  let unit = f32(phase >> 8u) * (1.0 / 8388608.0);
  let noise = (0.5 - abs(unit - 1.0)) * 0.999969482421875 * (1.0 - ${unit}.0 * (1.0 / 2097152.0));
  let values = min(stored, vec3f(1.0)) * ${unit}.0;
  // Noise is added to the difference from the nearest step: beside a large value it would be rounded.
  let nearest = floor(values + 0.5);
  return clamp(nearest + floor((values - nearest) + (noise + 0.5)), vec3f(0.0), vec3f(${unit}.0)) / ${unit}.0;
}`
    : ''
}
@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u,
        @builtin(local_invocation_index) lane: u32) {
  for (var i = lane; i < ${count}u; i += 256u) { s_cubics[i] = cubics[i]; }
  workgroupBarrier();  // the curves are loaded
  let exposure = p.exposure * onepass_usable_exposure(exposures[p.index + group.z * p.step]);
  for (var row = 0u; row < ${rowsPerInvocation}u; row++) {
    let at = vec2u(group.x * 16u + local.x, (group.y * ${rowsPerInvocation}u + row) * 16u + local.y);
    if (any(at >= p.size)) { continue; }
    ${source.depth ? 'let texel = vec4f(vec3f(textureLoad(source, at, group.z, 0)), 1.0);' : 'let texel = textureLoad(source, at, group.z, 0);'}
    let stored = onepass_tone_map(onepass_exposed(texel.${grey ? 'rrr' : 'rgb'}, exposure));
    var alpha = texel.${source.channels === 2 ? 'g' : 'a'};
    alpha = select(alpha, 0.0, (bitcast<u32>(alpha) & 0x7FFFFFFFu) > 0x7F800000u);
    let result = ${store};
    textureStore(mapped, at, group.z, ${two ? 'vec4f(result.r, result.a, 0.0, 1.0)' : 'result'});
  }
}
`;
}

/**
 * Maps every texel of a texture in one dispatch: reads it once, writes the target once. NaN and negative light become
 * 0, light above 65504 becomes 65504; alpha is not changed, except that NaN becomes 0.
 *
 *     const map = await ToneMap.create(device, {size, source: 'rgba16float', target: 'rgba8unorm'});
 *     const binding = await map.bind({source: scene, exposure: metered.results});
 *     map.recordTo(encoder, binding, context.getCurrentTexture());
 *
 * A canvas can be the target, as here: configure its context with the usage STORAGE_BINDING and the format `rgba8unorm`
 * or `rgba16float` (`bgra8unorm` needs the feature `bgra8unorm-storage`).
 */
export class ToneMap {
  /** @type {GPUDevice} */ #device;
  /** @type {Resolved} */ #options;
  /** @type {GPUComputePipeline} */ #pipeline;
  /** @type {GPUBuffer} */ #cubics;
  /** @type {GPUBuffer} */ #one;

  /**
   * @param {GPUDevice} device
   * @param {Resolved} options
   * @param {GPUComputePipeline} pipeline
   * @param {[GPUBuffer, GPUBuffer]} buffers
   * @private
   */
  constructor(device, options, pipeline, buffers) {
    this.#device = device;
    this.#options = options;
    this.#pipeline = pipeline;
    [this.#cubics, this.#one] = buffers;
    const texels = options.size[0] * options.size[1] * options.slices;
    /** @type {{dispatches: number, bytesRead: number, bytesWritten: number}} */
    this.plan = {
      dispatches: 1,
      bytesRead: texels * options.source.bytes,
      bytesWritten: texels * options.target.bytes,
    };
  }

  /**
   * Validates the options, fits the curves (some milliseconds) and compiles the kernel.
   * @param {GPUDevice} device
   * @param {ToneMapOptions} options
   * @returns {Promise<ToneMap>}
   * @throws {OnepassError} `invalid_argument`, `unsupported`, `out_of_memory`, `device_lost`, `device`
   */
  static async create(device, options) {
    const o = resolve(options);
    await checkDevice(device);
    needTexture(device, o.size, o.slices);
    needTarget(device, 'target', o.target);
    const program = makeProgram(o.tone);
    const cubics = cubicsOf(program);
    needLimit(device, 'maxComputeWorkgroupStorageSize', cubics.byteLength, 'the curves');
    const pipeline = await makePipeline(device, `onepass tone map ${o.tone.operator}`, toneMapWgsl(o, program));
    const buffers = await allocate(
      device,
      'ToneMap.create',
      (own) =>
        /** @type {[GPUBuffer, GPUBuffer]} */ ([
          own(bufferOf(device, 'onepass curves', cubics, usage.storage)),
          own(bufferOf(device, 'onepass exposure of 1', new Float32Array([1, 1, 1, 1]), usage.storage)),
        ]),
    );
    return new ToneMap(device, o, pipeline, buffers);
  }

  /**
   * Ties the plan to textures and, if wanted, to an exposure on the GPU.
   * @param {object} textures
   * @param {GPUTexture} textures.source
   * @param {GPUTexture} [textures.target]  For record(). Textures of a canvas, which change every frame, go to
   *   recordTo() instead.
   * @param {GPUBuffer} [textures.exposure]  Results of a meter with as many slices (`MeterBinding.results`), usage
   *   STORAGE: each slice uses its own exposure. Without it only `exposure` of the options counts.
   * @returns {Promise<import('./binding.js').Binding>}
   * @throws {OnepassError} `invalid_argument` naming the texture or buffer, `out_of_memory`, `device_lost`
   */
  async bind(textures) {
    checkAlive(this, 'tone map');
    checkFields(textures, ['source', 'target', 'exposure']);
    const o = this.#options;
    const meter = textures.exposure;
    if (meter) needStorageBuffer('exposure', meter, o.slices * meterResultBytes);
    return allocate(this.#device, 'ToneMap.bind', (own, view) => {
      const read = readView(view, 'source', textures.source, o.sourceName, o.size, o.slices);
      const write = textures.target ? writeView(view, 'target', textures.target, o.target, o.size, o.slices) : null;
      const data = new ArrayBuffer(48);
      new Uint32Array(data).set([...o.size, 0, meter ? 1 : 0, meter ? meterResultBytes / 4 : 0]);
      new Float32Array(data)[2] = o.tone.exposure;
      const params = own(bufferOf(this.#device, 'onepass tone map', new Uint8Array(data), usage.uniform));
      /** @param {GPUTextureView} to */
      const stepTo = (to) => ({
        pipeline: this.#pipeline,
        group: groupOf(this.#device, this.#pipeline, [
          { buffer: params },
          read,
          to,
          { buffer: this.#cubics },
          { buffer: meter ?? this.#one },
        ]),
        groups: /** @type {[number, number, number]} */ ([
          Math.ceil(o.size[0] / 16),
          Math.ceil(o.size[1] / (16 * rowsPerInvocation)),
          o.slices,
        ]),
      });
      const binding = makeBinding(this, write ? [stepTo(write)] : [], [params]);
      steps.set(binding, stepTo);
      return binding;
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
    checkBinding(binding, this, 'tone map');
    if (binding.steps.length === 0) throw invalid('binding: has no target; use recordTo()');
    recordSteps(encoder, 'onepass tone map', binding.steps, timestampWrites);
  }

  /**
   * Records one dispatch to a texture that was not known before, such as that of a canvas. Makes a view and a bind group
   * and submits nothing.
   * @param {GPUCommandEncoder} encoder
   * @param {import('./binding.js').Binding} binding  From bind().
   * @param {GPUTexture} target
   * @param {GPUComputePassTimestampWrites} [timestampWrites]
   * @throws {OnepassError} `invalid_argument` if the binding belongs to another object or is destroyed, or the target does
   *   not fit
   */
  recordTo(encoder, binding, target, timestampWrites) {
    checkBinding(binding, this, 'tone map');
    const o = this.#options;
    const view = writeView(
      (_, texture, descriptor) => texture.createView(descriptor),
      'target',
      target,
      o.target,
      o.size,
      o.slices,
    );
    const stepTo = /** @type {(view: GPUTextureView) => import('./binding.js').Step} */ (steps.get(binding));
    recordSteps(encoder, 'onepass tone map', [stepTo(view)], timestampWrites);
  }

  /** Frees the curves: bind() and record() refuse the tone map afterwards. */
  destroy() {
    markDestroyed(this);
    this.#cubics.destroy();
    this.#one.destroy();
  }
}

/**
 * A tone curve for your own shader: `code` has `fn onepass_tone_map(light: vec3f) -> vec3f` (exposed light to the stored
 * value) and `fn onepass_exposed(light: vec3f, exposure: f32) -> vec3f`; declare `fn onepass_cubic(i: u32) -> vec4f`,
 * which returns element i of `cubics`, for example from a storage or uniform buffer.
 * @param {ToneOptions} options
 * @returns {{code: string, cubics: Float32Array}}
 * @throws {OnepassError} `invalid_argument`
 */
export function toneMapWgslFunctions(options) {
  checkFields(options, toneFields);
  const program = makeProgram(resolveTone(options));
  return { code: toneFunctionsWgsl(program), cubics: cubicsOf(program) };
}

/**
 * Whether an operator has a variant whose highlights exceed 1.
 * @param {ToneOperator} operator
 * @returns {boolean}
 */
export const usesHeadroom = (operator) => headroomOperators.includes(checkOneOf('operator', operator, toneOperators));
