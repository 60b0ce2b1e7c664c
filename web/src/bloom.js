// bloom.js: the glare of bright light in a lens or an eye.
//
//     result = image + scatter * (glow - bright)      bright: the light above the threshold;  glow: bright, spread out
//
// Light is moved, not added: the share that scatters leaves its texel, and the glow spreads it with weights whose sum is 1.
// With a threshold, the largest colour m of a texel decides how much of its light scatters: none where m is below
// threshold - knee, all that exceeds the threshold where m is above threshold + knee, and a parabola between these.
import { checkAlive, checkBinding, makeBinding, markDestroyed, recordSteps } from './binding.js';
import {
  allocate,
  bufferOf,
  checkDevice,
  groupOf,
  makePipeline,
  needLimit,
  needTexture,
  orDestroy,
  textureUsage,
  usage,
} from './device.js';
import { checkFields, checkInteger, checkNumber, checkOneOf, checkPair, invalid } from './errors.js';
import { axisLevelSize } from './footprint.js';
import { Convolution } from './fourier.js';
import { encodeWgsl, needTarget, readView, sourceFormat, targetFormat, writeView } from './formats.js';
import { Pyramid } from './pyramid.js';
import { bloomMethodWords, boundaryWords } from './words.js';

/**
 * Options of a bloom.
 * @typedef {object} BloomOptions
 * @property {readonly [width: number, height: number]} size
 * @property {number} [slices]  Default 1.
 * @property {GPUTextureFormat} source  Linear light, three or four channels; sRGB is decoded. Alpha does not scatter.
 * @property {GPUTextureFormat} target
 * @property {import('./words.js').BloomMethod} [method]  `convolution`: exact, with a kernel as wide as wanted and streaks.
 *   `mip_chain`: levels of the bright light in half floats, added from coarse to fine by tent filters; less memory
 *   traffic, round glow. Default `convolution`.
 * @property {number} [kernelWidth]  Width of the glow in widths of the image, 0.0001 to 4. Default 0.5.
 * @property {{fieldOfView?: number, rays?: number}} [glare]  Of `convolution`. `fieldOfView`: degrees across the width of
 *   the image, 0.1 to 180, default 60. `rays`: streaks, 0 to 64, default 0.
 * @property {import('./words.js').Boundary} [boundary]  Of `convolution`. Default `mirror`.
 */

/**
 * What can change from frame to frame.
 * @typedef {object} BloomLight
 * @property {number} [scatter]    Share of the bright light that scatters, 0 to 1. Default 0.1.
 * @property {number} [threshold]  Only light above it scatters, 0 to 1e30. Default 0: all light.
 * @property {number} [knee]       Half the width of the transition at the threshold. Default 0.
 * @property {number} [spread]     `mip_chain`: share of its light that each level takes from the coarser one, 0 to 1.
 *   Default 0.75.
 */

/** Relative amount of scattered light at an angle in degrees. @param {number} degrees */
function glareAt(degrees) {
  const a = degrees + 0.02;
  return (0.478 * 20.91) / (a * a * a) + (0.138 * 72.37) / (a * a);
}

/**
 * The built-in kernel: the falloff of scattering in the human eye, f(angle) = 0.478 · 20.91 / (angle + 0.02)³ + 0.138 ·
 * 72.37 / (angle + 0.02)², in degrees, with a smooth cutoff at its rim. Source: G. Spencer, P. Shirley, K. Zimmerman,
 * D. Greenberg, "Physically-Based Glare Effects for Digital Images", 1995.
 * @param {number} width        Of the kernel in texels, odd.
 * @param {number} imageWidth   In texels.
 * @param {number} fieldOfView  Degrees across the image.
 * @param {number} rays
 * @returns {Float32Array}  width × width weights, not normalised.
 */
export function glareKernel(width, imageWidth, fieldOfView, rays) {
  const weights = new Float32Array(width * width);
  const degrees = fieldOfView / imageWidth;
  const middle = width >> 1;
  const rim = middle + 0.5;
  for (let y = 0; y < width; ++y) {
    for (let x = 0; x < width; ++x) {
      const [dx, dy] = [x - middle, y - middle];
      // Near its peak the falloff changes within a texel: 8x8 samples are averaged.
      const fine = dx * dx + dy * dy < 64 ? 8 : 1;
      let sum = 0;
      for (let i = 0; i < fine * fine; ++i) {
        const px = dx + ((i % fine) + 0.5) / fine - 0.5;
        const py = dy + (Math.floor(i / fine) + 0.5) / fine - 0.5;
        const r = Math.hypot(px, py);
        const cut = Math.max(0, 1 - (r * r) / (rim * rim));
        if (cut === 0) continue;
        const c = rays > 0 ? Math.cos(0.5 * rays * (Math.atan2(py, px) + Math.PI / 2)) : 0;
        sum += glareAt(r * degrees) * cut * cut * (rays > 0 ? 0.25 + 12 * (c * c) ** 200 : 1);
      }
      weights[y * width + x] = sum / (fine * fine);
    }
  }
  return weights;
}

/** WGSL of the light that scatters. @param {number} binding */
const lightWgsl = (binding) => `
struct Light { scatter: f32, threshold: f32, knee: f32, spread: f32 }
@group(0) @binding(${binding}) var<uniform> light: Light;
// NaN counts as 0, Inf as the largest half float: one such texel would spoil others.
fn usable(value: f32) -> f32 {
  let bits = bitcast<u32>(value);
  let magnitude = bits & 0x7FFFFFFFu;
  let most = select(-65504.0, 65504.0, bits == magnitude);
  return select(select(0.0, most, magnitude == 0x7F800000u), value, magnitude < 0x7F800000u);
}
fn usable_texel(texel: vec4f) -> vec4f { return vec4f(usable(texel.r), usable(texel.g), usable(texel.b), usable(texel.a)); }
fn bright_of(texel: vec4f) -> vec4f {
  let most = max(max(texel.r, texel.g), texel.b);
  if (light.threshold == 0.0) { return texel; }
  let over = most - light.threshold;
  let soft = clamp(over + light.knee, 0.0, 2.0 * light.knee);
  var curved = 0.0;
  if (light.knee > 0.0) { curved = soft * (soft / (4.0 * light.knee)); }
  var share = 0.0;
  if (most > 0.0) { share = clamp(max(curved, over) / most, 0.0, 1.0); }
  return vec4f(texel.rgb * share, texel.a);
}
`;

const size2 = (/** @type {readonly [number, number]} */ size) => `vec2u(${size[0]}u, ${size[1]}u)`;

/** The bright light, as half floats. @param {readonly [number, number]} size */
const brightWgsl = (size) => `
@group(0) @binding(0) var source: texture_2d_array<f32>;
@group(0) @binding(1) var bright: texture_storage_2d_array<rgba16float, write>;
${lightWgsl(2)}
@compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= ${size2(size)})) { return; }
  let texel = bright_of(usable_texel(textureLoad(source, id.xy, id.z, 0)));
  textureStore(bright, id.xy, id.z, clamp(texel, vec4f(-65504.0), vec4f(65504.0)));
}`;

/** Enlargement by tent filters that are four coarse texels wide. @param {readonly [number, number]} fine @param {readonly [number, number]} coarse */
const enlargeWgsl = (fine, coarse) => `
fn mirrored(at: i32, n: i32) -> u32 { return u32(clamp(select(select(at, 2 * n - 1 - at, at >= n), -1 - at, at < 0), 0, n - 1)); }
fn tent(offset: f32) -> vec4f { return 0.25 * vec4f(1.0 - offset, 2.0 - offset, 1.0 + offset, offset); }
fn enlarged(at: vec2u, slice: u32) -> vec4f {
  let place = (vec2f(at) + 0.5) * (vec2f(${size2(coarse)}) / vec2f(${size2(fine)})) - 0.5;
  let first = vec2i(floor(place));
  let across = tent(place.x - f32(first.x));
  let down = tent(place.y - f32(first.y));
  var sum = vec4f(0.0);
  for (var y = 0; y < 4; y++) {
    var row = vec4f(0.0);
    for (var x = 0; x < 4; x++) {
      row += across[x] * textureLoad(coarser, vec2u(mirrored(first.x + x - 1, ${coarse[0]}), mirrored(first.y + y - 1, ${coarse[1]})), slice, 0);
    }
    sum += down[y] * row;
  }
  return sum;
}
`;

/** A level and the coarser sum. @param {readonly [number, number]} fine @param {readonly [number, number]} coarse */
const addWgsl = (fine, coarse) => `
@group(0) @binding(0) var level: texture_2d_array<f32>;
@group(0) @binding(1) var coarser: texture_2d_array<f32>;
@group(0) @binding(2) var added: texture_storage_2d_array<rgba16float, write>;
${lightWgsl(3)}
${enlargeWgsl(fine, coarse)}
@compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= ${size2(fine)})) { return; }
  textureStore(added, id.xy, id.z, mix(textureLoad(level, id.xy, id.z, 0), enlarged(id.xy, id.z), light.spread));
}`;

/** The result: the last level's sum is not stored. @param {readonly [number, number]} fine @param {readonly [number, number]} coarse @param {import('./formats.js').TargetFormat} target */
const composeWgsl = (fine, coarse, target) => `
@group(0) @binding(0) var source: texture_2d_array<f32>;
@group(0) @binding(1) var coarser: texture_2d_array<f32>;
@group(0) @binding(2) var image: texture_storage_2d_array<${target.storage}, write>;
${lightWgsl(3)}
${enlargeWgsl(fine, coarse)}
${encodeWgsl(target)}
@compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= ${size2(fine)})) { return; }
  let texel = usable_texel(textureLoad(source, id.xy, id.z, 0));
  let bright = bright_of(texel).rgb;
  let glow = mix(bright, enlarged(id.xy, id.z).rgb, light.spread);
  textureStore(image, id.xy, id.z, to_target(vec4f(texel.rgb + light.scatter * (glow - bright), texel.a)));
}`;

/** Adds the glow of a convolution. @param {readonly [number, number]} size @param {import('./formats.js').TargetFormat} target */
const compositeWgsl = (size, target) => `
@group(0) @binding(0) var source: texture_2d_array<f32>;
@group(0) @binding(1) var glow: texture_2d_array<f32>;
@group(0) @binding(2) var image: texture_storage_2d_array<${target.storage}, write>;
${lightWgsl(3)}
${encodeWgsl(target)}
@compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= ${size2(size)})) { return; }
  let texel = usable_texel(textureLoad(source, id.xy, id.z, 0));
  let spread = textureLoad(glow, id.xy, id.z, 0).rgb - bright_of(texel).rgb;
  textureStore(image, id.xy, id.z, to_target(vec4f(texel.rgb + light.scatter * spread, texel.a)));
}`;

/** @param {BloomOptions} options */
function resolve(options) {
  checkFields(options, ['size', 'slices', 'source', 'target', 'method', 'kernelWidth', 'glare', 'boundary']);
  const size = checkPair('size', options.size);
  const source = sourceFormat('source', options.source);
  const target = targetFormat('target', options.target);
  if (source.channels < 3) throw invalid(`source: ${options.source} has ${source.channels} channels, three are needed`);
  if (target.channels < 3) throw invalid(`target: ${options.target} has ${target.channels} channels, three are needed`);
  const glare = options.glare ?? {};
  checkFields(glare, ['fieldOfView', 'rays'], 'glare');
  const method = checkOneOf('method', options.method ?? 'convolution', bloomMethodWords);
  const kernelWidth = checkNumber('kernelWidth', options.kernelWidth ?? 0.5, 1e-4, 4);
  const boundary = checkOneOf('boundary', options.boundary ?? 'mirror', boundaryWords);
  if (method === 'mip_chain' && Math.max(...size) < 2) throw invalid(`size: 1x1, a mip chain needs two levels`);
  if (method === 'mip_chain' && boundary !== 'mirror') throw invalid(`boundary: ${boundary}, but a mip chain mirrors`);
  const longest = 32 - Math.clz32(Math.max(...size));
  const tents = Math.max(1, Math.floor((kernelWidth * size[0]) / 4));
  return {
    size,
    source,
    target,
    method,
    boundary,
    sourceName: options.source,
    slices: checkInteger('slices', options.slices ?? 1, 1, 65535),
    kernelTexels: 2 * Math.round(0.5 * Math.max(0, kernelWidth * size[0] - 1)) + 1,
    levels: Math.max(2, Math.min(longest, 32 - Math.clz32(tents))),
    fieldOfView: checkNumber('glare.fieldOfView', glare.fieldOfView ?? 60, 0.1, 180),
    rays: checkInteger('glare.rays', glare.rays ?? 0, 0, 64),
  };
}

/** @typedef {ReturnType<typeof resolve>} Resolved */
/** @typedef {import('./binding.js').Binding} Binding */

/** Adds bloom to HDR images. NaN counts as 0, infinities as ±65504. */
export class Bloom {
  /** @type {GPUDevice} */ #device;
  /** @type {Resolved} */ #options;
  /** @type {GPUBuffer} */ #light;
  /** @type {GPUComputePipeline[]} */ #pipelines;
  /** @type {Convolution | Pyramid} */ #core;

  /**
   * @param {GPUDevice} device
   * @param {Resolved} options
   * @param {GPUBuffer} light
   * @param {GPUComputePipeline[]} pipelines
   * @param {Convolution | Pyramid} core
   * @private
   */
  constructor(device, options, light, pipelines, core) {
    this.#device = device;
    this.#options = options;
    this.#light = light;
    this.#pipelines = pipelines;
    this.#core = core;
    const chain = core instanceof Pyramid ? core.plan.dispatches.length : 0;
    /** @type {{dispatches: number, levels: number, kernelSize: number}} */
    this.plan =
      core instanceof Convolution
        ? { dispatches: 5, levels: 0, kernelSize: options.kernelTexels }
        : { dispatches: chain + options.levels, levels: options.levels, kernelSize: 0 };
  }

  /**
   * Validates the options, compiles the kernels and, for `convolution`, computes and transforms the built-in kernel
   * (which submits commands).
   * @param {GPUDevice} device
   * @param {BloomOptions} options
   * @returns {Promise<Bloom>}
   * @throws {OnepassError} `invalid_argument`, `unsupported`, `out_of_memory`, `device_lost`, `device`
   */
  static async create(device, options) {
    const o = resolve(options);
    await checkDevice(device);
    needTexture(device, o.size, o.slices);
    needTarget(device, 'target', o.target);
    const compile = (/** @type {string} */ code) => makePipeline(device, 'onepass bloom', code);
    /** @type {Convolution | Pyramid} */
    let core;
    /** @type {Promise<GPUComputePipeline>[]} */
    const pipelines = [compile(brightWgsl(o.size))];
    if (o.method === 'convolution') {
      core = await Convolution.create(device, {
        size: o.size,
        slices: o.slices,
        source: 'rgba16float',
        target: 'rgba32float',
        kernel: 'r32float',
        kernelSize: [o.kernelTexels, o.kernelTexels],
        boundary: o.boundary,
        alpha: 'pass',
        scale: 'none',
      });
      needLimit(device, 'maxTextureDimension2D', o.kernelTexels, 'the kernel');
      pipelines.push(compile(compositeWgsl(o.size, o.target)));
    } else {
      core = await Pyramid.create(device, {
        size: o.size,
        slices: o.slices,
        levels: o.levels,
        source: 'rgba16float',
        target: 'rgba16float',
      });
      for (let n = 0; n + 1 < o.levels; ++n) {
        const [fine, coarse] = [levelOf(o, n), levelOf(o, n + 1)];
        pipelines.push(compile(n === 0 ? composeWgsl(fine, coarse, o.target) : addWgsl(fine, coarse)));
      }
    }
    /** @type {{destroy(): void}[]} */
    const made = [core];
    return orDestroy(made, async () => {
      const compiled = await Promise.all(pipelines);
      const light = await allocate(device, 'Bloom.create', (own) =>
        own(bufferOf(device, 'onepass light', new Float32Array([0.1, 0, 0, 0.75]), usage.uniform | usage.copyDst)),
      );
      made.push(light);
      if (core instanceof Convolution) {
        const weights = glareKernel(o.kernelTexels, o.size[0], o.fieldOfView, o.rays);
        const sum = weights.reduce((total, weight) => total + weight, 0);
        const texture = await allocate(device, 'Bloom.create', (own) =>
          own(
            device.createTexture({
              size: [o.kernelTexels, o.kernelTexels],
              format: 'r32float',
              usage: textureUsage.texture | textureUsage.copyDst,
            }),
          ),
        );
        device.queue.writeTexture(
          { texture },
          weights.map((weight) => weight / sum),
          { bytesPerRow: 4 * o.kernelTexels },
          [o.kernelTexels, o.kernelTexels],
        );
        await orDestroy([texture], () => core.setKernel(texture));
        texture.destroy();
      }
      return new Bloom(device, o, light, compiled, core);
    });
  }

  /**
   * Sets scatter, threshold, knee and spread: a write on the device's queue, which command buffers submitted later see.
   * @param {BloomLight} light
   * @throws {OnepassError} `invalid_argument`
   */
  setLight(light) {
    checkAlive(this, 'bloom');
    checkFields(light, ['scatter', 'threshold', 'knee', 'spread'], 'light');
    this.#device.queue.writeBuffer(
      this.#light,
      0,
      new Float32Array([
        checkNumber('light.scatter', light.scatter ?? 0.1, 0, 1),
        checkNumber('light.threshold', light.threshold ?? 0, 0, 1e30),
        checkNumber('light.knee', light.knee ?? 0, 0, 1e30),
        checkNumber('light.spread', light.spread ?? 0.75, 0, 1),
      ]),
    );
  }

  /**
   * Ties the plan to textures and allocates the bright light, in half floats, and what the method needs.
   * @param {{source: GPUTexture, target: GPUTexture}} textures
   * @returns {Promise<Binding>}
   * @throws {OnepassError} `invalid_argument` naming the texture, `out_of_memory`, `device_lost`
   */
  async bind(textures) {
    checkAlive(this, 'bloom');
    checkFields(textures, ['source', 'target']);
    const o = this.#options;
    const device = this.#device;
    const core = this.#core;
    const chain = o.method === 'mip_chain';
    const texture = (/** @type {GPUTextureFormat} */ format) =>
      device.createTexture({
        label: 'onepass bloom',
        size: [...o.size, o.slices],
        format,
        mipLevelCount: chain ? o.levels : 1,
        usage: textureUsage.texture | textureUsage.storage,
      });
    // The bright light, and what is made of it.
    const [bright, other] = await allocate(device, 'Bloom.bind', (own) => [
      own(texture('rgba16float')),
      own(texture(chain ? 'rgba16float' : 'rgba32float')),
    ]);
    /** @type {(GPUTexture | Binding)[]} */
    const made = [bright, other];
    return orDestroy(made, async () => {
      const inner =
        core instanceof Convolution
          ? await core.bind({ source: bright, target: other })
          : await core.bind({ source: bright });
      made.push(inner);
      return allocate(device, 'Bloom.bind', (_, view) =>
        makeBinding(this, this.#steps(view, textures, bright, other, inner), made),
      );
    });
  }

  /**
   * The dispatches: bright light, those of the convolution or the pyramid, and the way back to the image.
   * @param {import('./device.js').MakeView} view
   * @param {{source: GPUTexture, target: GPUTexture}} textures
   * @param {GPUTexture} bright
   * @param {GPUTexture} other
   * @param {Binding} inner
   * @returns {import('./binding.js').Step[]}
   */
  #steps(view, textures, bright, other, inner) {
    const o = this.#options;
    const light = { buffer: this.#light };
    const half = targetFormat('target', 'rgba16float');
    const read = readView(view, 'source', textures.source, o.sourceName, o.size, o.slices);
    const write = writeView(view, 'target', textures.target, o.target, o.size, o.slices);
    /** @type {(index: number, size: readonly [number, number], resources: GPUBindingResource[]) => import('./binding.js').Step} */
    const step = (index, size, resources) => ({
      pipeline: this.#pipelines[index],
      group: groupOf(this.#device, this.#pipelines[index], resources),
      groups: [Math.ceil(size[0] / 16), Math.ceil(size[1] / 16), o.slices],
    });
    const steps = [
      step(0, o.size, [read, writeView(view, 'bright', bright, half, o.size, o.slices), light]),
      ...inner.steps,
    ];
    if (o.method === 'convolution') {
      const glow = readView(view, 'glow', other, 'rgba32float', o.size, o.slices);
      return [...steps, step(1, o.size, [read, glow, write, light])];
    }
    for (let n = o.levels - 2; n >= 0; --n) {
      const size = levelOf(o, n);
      const from = n === o.levels - 2 ? bright : other;
      const coarser = readView(view, 'level', from, 'rgba16float', levelOf(o, n + 1), o.slices, n + 1);
      steps.push(
        step(
          1 + n,
          size,
          n === 0
            ? [read, coarser, write, light]
            : [
                readView(view, 'level', bright, 'rgba16float', size, o.slices, n),
                coarser,
                writeView(view, 'level', other, half, size, o.slices, n),
                light,
              ],
        ),
      );
    }
    return steps;
  }

  /**
   * Records plan.dispatches dispatches. Allocates and submits nothing.
   * @param {GPUCommandEncoder} encoder
   * @param {Binding} binding  From bind().
   * @param {GPUComputePassTimestampWrites} [timestampWrites]
   * @throws {OnepassError} `invalid_argument` if the binding belongs to another object or is destroyed
   */
  record(encoder, binding, timestampWrites) {
    checkBinding(binding, this, 'bloom');
    recordSteps(encoder, 'onepass bloom', binding.steps, timestampWrites);
  }

  /** Frees the kernel and the tables: setLight(), bind() and record() refuse the bloom afterwards. */
  destroy() {
    markDestroyed(this);
    this.#light.destroy();
    this.#core.destroy();
  }
}

/** @param {Resolved} o @param {number} n @returns {[number, number]} */
const levelOf = (o, n) => [axisLevelSize(o.size[0], n), axisLevelSize(o.size[1], n)];
