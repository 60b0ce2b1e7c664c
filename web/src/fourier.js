// fourier.js: 2-D Fourier transforms of textures, and operations on spectra: convolution and filters.
import { checkAlive, checkBinding, makeBinding, markDestroyed, recordSteps } from './binding.js';
import {
  allocate,
  bufferOf,
  checkDevice,
  contentsOf,
  groupOf,
  makePipeline,
  needLimit,
  needStorageBuffer,
  needTexture,
  orDestroy,
  usage,
} from './device.js';
import { checkFields, checkInteger, checkNumber, checkOneOf, checkPair, invalid } from './errors.js';
import { lineTables, nextSmoothSize, planLine } from './fourier_line.js';
import { columns, rowsForward, rowsInverse } from './fourier_wgsl.js';
import { needTarget, readView, sourceFormat, targetFormat, writeView } from './formats.js';
import {
  alphaPolicyWords,
  boundaryWords,
  filterBandWords,
  filterShapeWords,
  kernelChannelsWords,
  kernelScaleWords,
  normWords,
} from './words.js';

/** @typedef {import('./fourier_wgsl.js').FourierShape} FourierShape */
/** @typedef {import('./binding.js').Binding} Binding */

/**
 * Options of a transform.
 * @typedef {object} FourierOptions
 * @property {readonly [width: number, height: number]} size  Of the image and the transform, in texels. With 16 KB of workgroup
 *   memory an axis has at most 4096 texels, 2048 if it has a prime factor above 7 (32 KB: 8192 and 4096).
 * @property {number} [slices]    Default 1.
 * @property {number} [channels]  Leading channels to transform, 1 to 4. Default: all of the source. The inverse writes 0
 *   to the others and 1 to an alpha.
 * @property {GPUTextureFormat} source   sRGB is transformed as linear light.
 * @property {GPUTextureFormat} [target] That inverse() writes. Default: `rgba32float`, `rg32float` or `r32float`.
 * @property {import('./words.js').Norm} [norm]  Where the factor 1/(W·H) is applied. Default `backward`.
 */

/**
 * @typedef {object} FourierPlan
 * @property {[number, number]} spectrumSize  W/2 + 1 and H: the other half follows from F(-k) = conj F(k).
 * @property {number} channels
 * @property {number} spectrumBytes  Pair ((s·H + ky)·(W/2+1) + kx)·C + c: real and imaginary part as floats.
 * @property {number} dispatches     2: rows and columns.
 * @property {number} bytesRead      Of forward().
 * @property {number} bytesWritten
 */

/** Refuses lines that do not fit, by name of the limit. @param {GPUDevice} device @param {readonly [number, number]} domain */
function needLines(device, domain) {
  for (const n of domain) {
    const { length, bluestein } = planLine(n);
    needLimit(
      device,
      'maxComputeWorkgroupStorageSize',
      4 * length,
      `a transform of ${n} texels${bluestein ? `, which has a prime factor above 7 and takes one of ${length}` : ''}`,
    );
  }
}

/** @param {GPUDevice} device @param {string} label @param {number} n @param {(resource: GPUBuffer) => GPUBuffer} own */
const tableBuffer = (device, label, n, own) => own(bufferOf(device, label, lineTables(planLine(n)), usage.storage));

/** @param {FourierOptions} options */
function resolve(options) {
  checkFields(options, ['size', 'slices', 'channels', 'source', 'target', 'norm']);
  const size = checkPair('size', options.size);
  const slices = checkInteger('slices', options.slices ?? 1, 1, 65535);
  const source = sourceFormat('source', options.source);
  const channels = checkInteger('channels', options.channels ?? source.channels, 1, source.channels);
  const targetName = options.target ?? ['r32float', 'rg32float', 'rgba32float', 'rgba32float'][channels - 1];
  const target = targetFormat('target', targetName);
  if (target.channels < channels)
    throw invalid(`target: ${targetName} has ${target.channels} channels, ${channels} are needed`);
  const norm = checkOneOf('norm', options.norm ?? 'backward', normWords);
  const count = size[0] * size[1];
  const [forward, inverse] = {
    backward: [1, 1 / count],
    ortho: [count ** -0.5, count ** -0.5],
    forward: [1 / count, 1],
    none: [1, 1],
  }[norm];
  /** @type {FourierShape} */
  const shape = {
    domain: size,
    image: size,
    placement: [0, 0],
    result: [0, 0, size[0], size[1]],
    boundary: 'zero',
    channels,
    stride: size[1],
    forward,
    inverse,
  };
  return { size, slices, source, sourceName: options.source, target, shape };
}

/** @typedef {ReturnType<typeof resolve>} Resolved */

/** @param {Resolved} o @returns {FourierPlan} */
function planOf({ size, slices, source, shape }) {
  const width = Math.floor(size[0] / 2) + 1;
  const spectrumBytes = 8 * width * size[1] * shape.channels * slices;
  return {
    spectrumSize: [width, size[1]],
    channels: shape.channels,
    spectrumBytes,
    dispatches: 2,
    bytesRead: size[0] * size[1] * slices * source.bytes + spectrumBytes,
    bytesWritten: 2 * spectrumBytes,
  };
}

/**
 * The plan of a transform, from the options alone.
 * @param {FourierOptions} options
 * @returns {FourierPlan}
 * @throws {OnepassError} `invalid_argument`
 */
export const planFourier = (options) => planOf(resolve(options));

/**
 * Fourier transforms of textures to half spectra in a buffer, and back. Forward kernel exp(-2πi…), DC at (0, 0). Every
 * channel is a real signal; two of them share one complex transform. Relative L2 error below 5e-7.
 */
export class Fourier {
  /** @type {GPUDevice} */ #device;
  /** @type {Resolved} */ #options;
  /** @type {GPUComputePipeline[]} */ #pipelines;
  /** @type {number[]} */ #groups;
  /** @type {GPUBuffer[]} */ #tables;

  /**
   * @param {GPUDevice} device
   * @param {Resolved} options
   * @param {GPUComputePipeline[]} pipelines
   * @param {number[]} groups
   * @param {GPUBuffer[]} tables
   * @private
   */
  constructor(device, options, pipelines, groups, tables) {
    this.#device = device;
    this.#options = options;
    this.#pipelines = pipelines;
    this.#groups = groups;
    this.#tables = tables;
    /** @type {FourierPlan} */
    this.plan = planOf(options);
  }

  /**
   * Validates the options against the device, computes tables and compiles the kernels.
   * @param {GPUDevice} device
   * @param {FourierOptions} options
   * @returns {Promise<Fourier>}
   * @throws {OnepassError} `invalid_argument`, `unsupported`, `out_of_memory`, `device_lost`, `device`
   */
  static async create(device, options) {
    const o = resolve(options);
    await checkDevice(device);
    needTexture(device, o.size, o.slices);
    needTarget(device, 'target', o.target);
    needLines(device, o.size);
    needLimit(device, 'maxStorageBufferBindingSize', planOf(o).spectrumBytes, 'the spectrum');
    const memory = device.limits.maxComputeWorkgroupStorageSize;
    const kernels = [
      rowsForward(o.shape, memory, { depth: o.source.depth }),
      columns(o.shape, memory, { forward: true, inverse: false }),
      columns(o.shape, memory, { forward: false, inverse: true }),
      rowsInverse(o.shape, memory, o.target),
    ];
    const pipelines = await Promise.all(kernels.map(({ code }) => makePipeline(device, 'onepass transform', code)));
    const tables = await allocate(device, 'Fourier.create', (own) =>
      o.size.map((n) => tableBuffer(device, 'onepass twiddle factors', n, own)),
    );
    return new Fourier(
      device,
      o,
      pipelines,
      kernels.map(({ groups }) => groups),
      tables,
    );
  }

  /**
   * Ties a transform from a texture to a spectrum to its memory.
   * @param {{source: GPUTexture, spectrum: GPUBuffer}} resources  `spectrum`: usage STORAGE, plan.spectrumBytes.
   * @returns {Promise<Binding>}
   * @throws {OnepassError} `invalid_argument`, `out_of_memory`, `device_lost`
   */
  async bindForward(resources) {
    checkFields(resources, ['source', 'spectrum']);
    const o = this.#options;
    return this.#bind('Fourier.bindForward', resources.spectrum, (view, rows, spectrum) => [
      [
        0,
        [{ buffer: this.#tables[0] }, readView(view, 'source', resources.source, o.sourceName, o.size, o.slices), rows],
      ],
      [1, [{ buffer: this.#tables[1] }, rows, spectrum]],
    ]);
  }

  /**
   * Ties a transform from a spectrum to a texture to its memory. The spectrum is not changed.
   * @param {{spectrum: GPUBuffer, target: GPUTexture}} resources
   * @returns {Promise<Binding>}
   * @throws {OnepassError} `invalid_argument`, `out_of_memory`, `device_lost`
   */
  async bindInverse(resources) {
    checkFields(resources, ['spectrum', 'target']);
    const o = this.#options;
    return this.#bind('Fourier.bindInverse', resources.spectrum, (view, rows, spectrum) => [
      [2, [{ buffer: this.#tables[1] }, rows, spectrum]],
      [3, [{ buffer: this.#tables[0] }, rows, writeView(view, 'target', resources.target, o.target, o.size, o.slices)]],
    ]);
  }

  /**
   * @param {string} what
   * @param {GPUBuffer} spectrum
   * @param {(view: import('./device.js').MakeView, rows: GPUBufferBinding, spectrum: GPUBufferBinding) => [number, GPUBindingResource[]][]} steps
   * @returns {Promise<Binding>}
   */
  async #bind(what, spectrum, steps) {
    checkAlive(this, 'transform');
    needStorageBuffer('spectrum', spectrum, this.plan.spectrumBytes);
    return allocate(this.#device, what, (own, view) => {
      const rows = own(
        this.#device.createBuffer({
          label: 'onepass half spectra of rows',
          size: this.plan.spectrumBytes,
          usage: usage.storage,
        }),
      );
      return makeBinding(
        this,
        steps(view, { buffer: rows }, { buffer: spectrum }).map(([index, resources]) => ({
          pipeline: this.#pipelines[index],
          group: groupOf(this.#device, this.#pipelines[index], resources),
          groups: [this.#groups[index], 1, this.#options.slices],
        })),
        [rows],
      );
    });
  }

  /**
   * Records two dispatches. Allocates and submits nothing.
   * @param {GPUCommandEncoder} encoder
   * @param {Binding} binding  From bindForward() or bindInverse().
   * @param {GPUComputePassTimestampWrites} [timestampWrites]
   * @throws {OnepassError} `invalid_argument` if the binding belongs to another object or is destroyed
   */
  record(encoder, binding, timestampWrites) {
    checkBinding(binding, this, 'transform');
    recordSteps(encoder, 'onepass transform', binding.steps, timestampWrites);
  }

  /** Frees the tables: bind and record functions refuse the transform afterwards. */
  destroy() {
    markDestroyed(this);
    this.#tables.forEach((buffer) => buffer.destroy());
  }
}

// ---- Convolution and filters: rows, columns with a multiplication, rows

/**
 * Options of a convolution.
 * @typedef {object} ConvolutionOptions
 * @property {readonly [width: number, height: number]} size  Of source and target.
 * @property {number} [slices]  Default 1.
 * @property {GPUTextureFormat} source  sRGB is convolved as linear light.
 * @property {GPUTextureFormat} target  With as many channels; three and four convert to each other.
 * @property {readonly [width: number, height: number]} kernelSize
 * @property {GPUTextureFormat} kernel
 * @property {readonly [x: number, y: number]} [kernelOrigin]  The kernel texel at the image texel. Default
 *   [floor(w/2), floor(h/2)].
 * @property {import('./words.js').Boundary} [boundary]  Content beyond the edges. Default `zero`.
 * @property {import('./words.js').KernelScale} [scale]  `unit_sum`: one factor for all colours, so that
 *   brightness and tint are kept; `unit_sum_per_channel`: each channel sums to 1. setKernel() reads the sums from the
 *   device. Default `none`.
 * @property {import('./words.js').KernelChannels} [kernelChannels]  `shared`: the kernel's luminance or only channel. `per_channel`:
 *   each channel with the same channel of the kernel, alpha with its luminance. Default `shared`.
 * @property {import('./words.js').AlphaPolicy} [alpha]  `pass`: alpha is copied. Default `filter`.
 * @property {number} [mix]  Result = (1 - mix) · image + mix · convolved. Finite. Default 1.
 */

/**
 * One axis of a convolution: the domain, and where the image lies in it.
 * @param {number} n
 * @param {number} k
 * @param {number} origin
 * @param {import('./words.js').Boundary} boundary
 */
export function convolutionAxis(n, k, origin, boundary) {
  if (boundary === 'zero') {
    // One gap of zeros serves both sides.
    return { domain: nextSmoothSize(Math.max(n + origin, n + k - 1 - origin, k)), placement: 0 };
  }
  if (boundary === 'wrap' && k <= n && !planLine(n).bluestein) return { domain: n, placement: 0 };
  return { domain: nextSmoothSize(n + k - 1), placement: k - 1 - origin };
}

/** The kernels of rows, columns times a gain, rows. */
class FusedTransform {
  /**
   * @param {GPUDevice} device
   * @param {object} o
   * @param {readonly [number, number]} o.size
   * @param {number} o.slices
   * @param {import('./formats.js').SourceFormat} o.source
   * @param {GPUTextureFormat} o.sourceName
   * @param {import('./formats.js').TargetFormat} o.target
   * @param {FourierShape} o.shape
   * @param {string} o.gain      WGSL bindings from 3 on, and `fn gain`.
   * @param {{bindings: string, texel: string}} [o.finish]
   * @param {string} [o.value]
   */
  constructor(device, o) {
    this.device = device;
    this.o = o;
    const memory = device.limits.maxComputeWorkgroupStorageSize;
    this.kernels = [
      rowsForward(o.shape, memory, { depth: o.source.depth, value: o.value }),
      columns(o.shape, memory, { forward: true, inverse: true, multiply: o.gain }),
      rowsInverse(o.shape, memory, o.target, o.finish),
    ];
    this.rowsBytes = 8 * (Math.floor(o.shape.domain[0] / 2) + 1) * o.shape.stride * o.shape.channels * o.slices;
    /** @type {GPUComputePipeline[]} */
    this.pipelines = [];
    /** @type {GPUBuffer[]} */
    this.tables = [];
  }

  /** @param {string} what */
  async compile(what) {
    const { device, o } = this;
    needLines(device, o.shape.domain);
    needLimit(device, 'maxStorageBufferBindingSize', this.rowsBytes, 'half spectra of rows');
    this.pipelines = await Promise.all(this.kernels.map(({ code }) => makePipeline(device, `onepass ${what}`, code)));
    this.tables = await allocate(device, `${what}.create`, (own) =>
      o.shape.domain.map((n) => tableBuffer(device, 'onepass twiddle factors', n, own)),
    );
  }

  /**
   * @param {object} owner
   * @param {string} what
   * @param {GPUTexture} source
   * @param {GPUTexture} target
   * @param {GPUBuffer} gain
   * @param {boolean} mixes  The last kernel reads the source.
   * @returns {Promise<Binding>}
   */
  bind(owner, what, source, target, gain, mixes) {
    const { device, o } = this;
    return allocate(device, what, (own, view) => {
      const read = readView(view, 'source', source, o.sourceName, o.size, o.slices);
      const write = writeView(view, 'target', target, o.target, o.size, o.slices);
      const rows = own(
        device.createBuffer({ label: 'onepass half spectra of rows', size: this.rowsBytes, usage: usage.storage }),
      );
      const resources = [
        [{ buffer: this.tables[0] }, read, { buffer: rows }],
        [{ buffer: this.tables[1] }, { buffer: rows }, null, { buffer: gain }],
        [{ buffer: this.tables[0] }, { buffer: rows }, write, mixes ? read : null],
      ];
      return makeBinding(
        owner,
        this.pipelines.map((pipeline, i) => ({
          pipeline,
          group: groupOf(device, pipeline, resources[i]),
          groups: [this.kernels[i].groups, 1, o.slices],
        })),
        [rows],
      );
    });
  }
}

/** WGSL that mixes the convolved texel with the image, and copies alpha. @param {boolean} pass @param {number} mix @param {boolean} depth */
function finishWgsl(pass, mix, depth) {
  if (!pass && mix === 1) return undefined;
  const literal = (/** @type {number} */ value) => (Number.isInteger(value) ? `${value}.0` : `${Math.fround(value)}`);
  const texel = depth ? 'vec4f(textureLoad(before, at, slice, 0), 0.0, 0.0, 1.0)' : 'textureLoad(before, at, slice, 0)';
  return {
    bindings: `@group(0) @binding(3) var before: ${depth ? 'texture_depth_2d_array' : 'texture_2d_array<f32>'};`,
    texel: `let old = ${texel};
  ${mix !== 1 ? `result = old * ${literal(1 - mix)} + result * ${literal(mix)};` : ''}
  ${pass ? 'result.a = old.a;' : ''}`,
  };
}

/**
 * Convolves textures with a kernel of any size: three dispatches, whatever the kernel. Error of a texel: below 1e-6 of
 * the largest texel.
 */
export class Convolution {
  /** @type {FusedTransform} */ #fused;
  /** @type {ConvolutionOptions} */ #options;
  /** @type {FourierShape} */ #kernelShape;
  /** @type {GPUBuffer} */ #spectrum;
  /** @type {GPUBuffer | null} */ #scratch = null;
  /** @type {boolean} */ #mixes;
  /** @type {boolean} */ #isSet = false;

  /**
   * @param {FusedTransform} fused
   * @param {ConvolutionOptions} options
   * @param {FourierShape} kernelShape
   * @param {GPUBuffer} spectrum
   * @param {boolean} mixes
   * @private
   */
  constructor(fused, options, kernelShape, spectrum, mixes) {
    this.#fused = fused;
    this.#options = options;
    this.#kernelShape = kernelShape;
    this.#spectrum = spectrum;
    this.#mixes = mixes;
    /** @type {{dispatches: number, domain: [number, number], kernelBytes: number, scratchBytes: number}} */
    this.plan = {
      dispatches: 3,
      domain: fused.o.shape.domain,
      kernelBytes: spectrum.size,
      scratchBytes: fused.rowsBytes,
    };
  }

  /**
   * Validates the options against the device, computes tables and compiles the kernels.
   * @param {GPUDevice} device
   * @param {ConvolutionOptions} options
   * @returns {Promise<Convolution>}
   * @throws {OnepassError} `invalid_argument`, `unsupported`, `out_of_memory`, `device_lost`, `device`
   */
  static async create(device, options) {
    checkFields(options, [
      'size',
      'slices',
      'source',
      'target',
      'kernelSize',
      'kernel',
      'kernelOrigin',
      'boundary',
      'scale',
      'kernelChannels',
      'alpha',
      'mix',
    ]);
    const size = checkPair('size', options.size);
    const slices = checkInteger('slices', options.slices ?? 1, 1, 65535);
    const source = sourceFormat('source', options.source);
    const target = targetFormat('target', options.target);
    const colours = Math.min(3, source.channels);
    if (Math.min(3, target.channels) !== colours) {
      throw invalid(
        `target: ${options.target} has ${target.channels} channels, but source ${options.source} has ${source.channels}`,
      );
    }
    const kernelSize = checkPair('kernelSize', options.kernelSize);
    const kernel = sourceFormat('kernel', options.kernel);
    const origin = options.kernelOrigin
      ? checkPair('kernelOrigin', options.kernelOrigin, 0, 65534)
      : [kernelSize[0] >> 1, kernelSize[1] >> 1];
    if (origin[0] >= kernelSize[0] || origin[1] >= kernelSize[1]) {
      throw invalid(`kernelOrigin: ${origin[0]},${origin[1]} is outside of ${kernelSize[0]}x${kernelSize[1]}`);
    }
    const boundary = checkOneOf('boundary', options.boundary ?? 'zero', boundaryWords);
    const scale = checkOneOf('scale', options.scale ?? 'none', kernelScaleWords);
    const kernelChannels = checkOneOf('kernelChannels', options.kernelChannels ?? 'shared', kernelChannelsWords);
    const pass = checkOneOf('alpha', options.alpha ?? 'filter', alphaPolicyWords) === 'pass' && source.channels === 4;
    const mix = checkNumber('mix', options.mix ?? 1, -3e38, 3e38);
    const perChannel = kernelChannels === 'per_channel';
    if (perChannel && kernel.channels < colours) {
      throw invalid(
        `kernel: ${options.kernel} has ${kernel.channels} channels, but kernels per channel need ${colours}`,
      );
    }
    await checkDevice(device);
    needTexture(device, size, slices);
    needTarget(device, 'target', target);
    const x = convolutionAxis(size[0], kernelSize[0], origin[0], boundary);
    const y = convolutionAxis(size[1], kernelSize[1], origin[1], boundary);
    const channels = pass ? 3 : source.channels;
    const planes = perChannel ? channels : 1;
    /** @type {FourierShape} */
    const shape = {
      domain: [x.domain, y.domain],
      image: size,
      placement: [x.placement, y.placement],
      result: [x.placement, y.placement, size[0], size[1]],
      boundary,
      channels,
      stride: size[1],
      forward: 1,
      inverse: 1 / (x.domain * y.domain),
    };
    /** @type {FourierShape} */
    const kernelShape = {
      // The kernel texel `origin` lies at (0, 0).
      domain: shape.domain,
      image: kernelSize,
      placement: [-origin[0], -origin[1]],
      result: [0, 0, x.domain, y.domain],
      boundary: 'zero',
      channels: planes,
      stride: kernelSize[1],
      forward: 1,
      inverse: 1,
    };
    const width = Math.floor(x.domain / 2) + 1;
    const gain = `@group(0) @binding(3) var<storage, read> kernel: array<vec2f>;
fn gain(kx: u32, ky: u32, channel: u32) -> vec2f { return kernel[(ky * ${width}u + kx) * ${planes}u + ${planes > 1 ? 'channel' : '0u'}]; }`;
    const finish = finishWgsl(pass, mix, source.depth);
    const fused = new FusedTransform(device, {
      size,
      slices,
      source,
      sourceName: options.source,
      target,
      shape,
      gain,
      finish,
    });
    const bytes = 8 * width * y.domain * planes;
    needLimit(device, 'maxStorageBufferBindingSize', bytes, "the kernel's spectrum");
    await fused.compile('Convolution');
    const spectrum = await orDestroy(fused.tables, () =>
      allocate(device, 'Convolution.create', (own) =>
        own(device.createBuffer({ label: 'onepass kernel spectrum', size: bytes, usage: usage.storage })),
      ),
    );
    return new Convolution(fused, { ...options, scale, kernelChannels }, kernelShape, spectrum, finish !== undefined);
  }

  /**
   * Transforms a kernel and keeps its spectrum: submits two dispatches. Except with the scale `none` it also reads the weights back.
   * Weights must be finite.
   * @param {GPUTexture} texture  Of `kernelSize` and format `kernel`; usage TEXTURE_BINDING.
   * @returns {Promise<void>}
   * @throws {OnepassError} `invalid_argument`: the texture does not fit, or weights sum to 0; `out_of_memory`,
   *   `device_lost`, `device`
   */
  async setKernel(texture) {
    checkAlive(this, 'convolution');
    const { device } = this.#fused;
    const o = this.#options;
    const format = sourceFormat('kernel', o.kernel);
    const view = await allocate(device, 'Convolution.setKernel', (_, make) =>
      readView(make, 'kernel', texture, o.kernel, o.kernelSize, 1),
    );
    const memory = device.limits.maxComputeWorkgroupStorageSize;
    const luminance = format.channels >= 3 ? 'dot(texel.rgb, vec3f(0.2126, 0.7152, 0.0722))' : 'texel.r';
    const shared = o.kernelChannels === 'shared';
    // Alpha is convolved with the luminance.
    const value = shared ? `vec4f(${luminance})` : `vec4f(texel.rgb, ${luminance})`;
    let factors = [1, 1, 1, 1];
    if (o.scale !== 'none') {
      const sums = await this.#sumsOf(view, format.depth, value);
      const colours = shared ? 1 : Math.min(3, this.#kernelShape.channels);
      const mean = sums.slice(0, colours).reduce((sum, each) => sum + each, 0) / colours;
      factors = sums.map((sum, c) => 1 / (o.scale === 'unit_sum_per_channel' || c === 3 ? sum : mean));
      if (!factors.slice(0, this.#kernelShape.channels).every(Number.isFinite)) {
        throw invalid(`kernel: its weights sum to 0 or are not finite, and scale is ${o.scale}`);
      }
      factors = factors.map((factor) => (Number.isFinite(factor) ? factor : 0));
    }
    const shape = this.#kernelShape;
    const scaled = `${value} * vec4f(${factors.map((factor) => Math.fround(factor).toExponential()).join(', ')})`;
    const rows = rowsForward(shape, memory, { depth: format.depth, value: scaled });
    const across = columns(shape, memory, { forward: true, inverse: false });
    const [rowPipeline, columnPipeline] = await Promise.all(
      [rows, across].map(({ code }) => makePipeline(device, 'onepass kernel', code)),
    );
    const rowBytes = 8 * (Math.floor(shape.domain[0] / 2) + 1) * shape.stride * shape.channels;
    needLimit(device, 'maxStorageBufferBindingSize', rowBytes, "the kernel's rows");
    const { tables } = this.#fused;
    const encoder = device.createCommandEncoder();
    const scratch = await allocate(device, 'Convolution.setKernel', (own) => {
      const buffer = own(device.createBuffer({ label: 'onepass kernel rows', size: rowBytes, usage: usage.storage }));
      recordSteps(encoder, 'onepass kernel', [
        {
          pipeline: rowPipeline,
          group: groupOf(device, rowPipeline, [{ buffer: tables[0] }, view, { buffer }]),
          groups: [rows.groups, 1, 1],
        },
        {
          pipeline: columnPipeline,
          group: groupOf(device, columnPipeline, [{ buffer: tables[1] }, { buffer }, { buffer: this.#spectrum }]),
          groups: [across.groups, 1, 1],
        },
      ]);
      return buffer;
    });
    device.queue.submit([encoder.finish()]);
    this.#scratch?.destroy();
    this.#scratch = scratch;
    this.#isSet = true;
  }

  /** The sums of weights of each plane. @param {GPUTextureView} view @param {boolean} depth @param {string} value */
  async #sumsOf(view, depth, value) {
    const { device } = this.#fused;
    const [width, height] = this.#options.kernelSize;
    const texel = depth ? 'vec4f(textureLoad(kernel, at, 0, 0), 0.0, 0.0, 1.0)' : 'textureLoad(kernel, at, 0, 0)';
    const pipeline = await makePipeline(
      device,
      'onepass kernel rows',
      `
@group(0) @binding(0) var kernel: ${depth ? 'texture_depth_2d_array' : 'texture_2d_array<f32>'};
@group(0) @binding(1) var<storage, read_write> weights: array<vec4f>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let at = id.xy;
  if (at.x >= ${width}u) { return; }
  let texel = ${texel};
  weights[at.y * ${width}u + at.x] = ${value};
}`,
    );
    const size = 16 * width * height;
    needLimit(device, 'maxStorageBufferBindingSize', size, "the kernel's weights");
    const { weights, copy, group } = await allocate(device, 'Convolution.setKernel', (own) => {
      const buffer = own(device.createBuffer({ size, usage: usage.storage | usage.copySrc }));
      return {
        weights: buffer,
        copy: own(device.createBuffer({ label: 'onepass kernel weights', size, usage: usage.copyDst | usage.mapRead })),
        group: groupOf(device, pipeline, [view, { buffer }]),
      };
    });
    try {
      const encoder = device.createCommandEncoder();
      recordSteps(encoder, 'onepass kernel', [{ pipeline, group, groups: [Math.ceil(width / 64), height, 1] }]);
      encoder.copyBufferToBuffer(weights, 0, copy, 0, size);
      device.queue.submit([encoder.finish()]);
      const values = new Float32Array(await contentsOf(device, copy));
      const sums = [0, 0, 0, 0];
      values.forEach((weight, i) => {
        sums[i % 4] += weight;
      });
      return sums;
    } finally {
      weights.destroy();
      copy.destroy();
    }
  }

  /**
   * Ties the plan to textures.
   * @param {{source: GPUTexture, target: GPUTexture}} textures
   * @returns {Promise<Binding>}
   * @throws {OnepassError} `invalid_argument` naming the texture, `out_of_memory`, `device_lost`
   */
  async bind(textures) {
    checkAlive(this, 'convolution');
    checkFields(textures, ['source', 'target']);
    return this.#fused.bind(this, 'Convolution.bind', textures.source, textures.target, this.#spectrum, this.#mixes);
  }

  /**
   * Records three dispatches. Allocates and submits nothing.
   * @param {GPUCommandEncoder} encoder
   * @param {Binding} binding  From bind().
   * @param {GPUComputePassTimestampWrites} [timestampWrites]
   * @throws {OnepassError} `invalid_argument` if no kernel is set, or the binding belongs to another object or is destroyed
   */
  record(encoder, binding, timestampWrites) {
    checkBinding(binding, this, 'convolution');
    if (!this.#isSet) throw invalid('kernel: call setKernel() first');
    recordSteps(encoder, 'onepass convolution', binding.steps, timestampWrites);
  }

  /** Frees the kernel's spectrum and the tables: setKernel(), bind() and record() refuse the convolution afterwards. */
  destroy() {
    markDestroyed(this);
    this.#spectrum.destroy();
    this.#scratch?.destroy();
    this.#fused.tables.forEach((buffer) => buffer.destroy());
  }
}

/**
 * Options of a filter.
 * @typedef {object} FilterOptions
 * @property {readonly [width: number, height: number]} size
 * @property {number} [slices]  Default 1.
 * @property {GPUTextureFormat} source
 * @property {GPUTextureFormat} target
 * @property {import('./words.js').Boundary} [boundary]  Default `mirror`.
 * @property {number} [margin]  Texels of boundary on each side before the image repeats. Default 0 for `wrap`, otherwise
 *   half the image.
 * @property {import('./words.js').AlphaPolicy} [alpha]  Default `pass`.
 */

/**
 * The gain of frequencies f = √(fx² + fy²) in cycles per texel; 0.5 is the finest stripes.
 * @typedef {object} FilterGain
 * @property {import('./words.js').FilterBand} [band]  Default `low_pass`.
 * @property {import('./words.js').FilterShape} [shape]  Default `butterworth`.
 * @property {number} [cutoff]       1e-9 to 1. Default 0.1.
 * @property {number} [upperCutoff]  Of bands: above cutoff, at most 1. Default 0.2.
 * @property {number} [order]        Butterworth: 1 to 64. Default 2.
 * @property {number} [stopGain]     Default 0.
 * @property {number} [passGain]     Default 1.
 */

/** Filters textures by a gain of their frequencies, which can change from frame to frame. Three dispatches. */
export class Filter {
  /** @type {FusedTransform} */ #fused;
  /** @type {GPUBuffer} */ #params;
  /** @type {boolean} */ #mixes;

  /**
   * @param {FusedTransform} fused
   * @param {GPUBuffer} params
   * @param {boolean} mixes
   * @private
   */
  constructor(fused, params, mixes) {
    this.#fused = fused;
    this.#params = params;
    this.#mixes = mixes;
    /** @type {{dispatches: number, domain: [number, number], scratchBytes: number}} */
    this.plan = { dispatches: 3, domain: fused.o.shape.domain, scratchBytes: fused.rowsBytes };
  }

  /**
   * @param {GPUDevice} device
   * @param {FilterOptions} options
   * @returns {Promise<Filter>}
   * @throws {OnepassError} `invalid_argument`, `unsupported`, `out_of_memory`, `device_lost`, `device`
   */
  static async create(device, options) {
    checkFields(options, ['size', 'slices', 'source', 'target', 'boundary', 'margin', 'alpha']);
    const size = checkPair('size', options.size);
    const slices = checkInteger('slices', options.slices ?? 1, 1, 65535);
    const source = sourceFormat('source', options.source);
    const target = targetFormat('target', options.target);
    if (Math.min(3, target.channels) !== Math.min(3, source.channels)) {
      throw invalid(
        `target: ${options.target} has ${target.channels} channels, but source ${options.source} has ${source.channels}`,
      );
    }
    const boundary = checkOneOf('boundary', options.boundary ?? 'mirror', boundaryWords);
    const wrap = boundary === 'wrap';
    const margins = size.map((n) => checkInteger('margin', options.margin ?? (wrap ? 0 : n >> 1), 0, wrap ? 0 : 65535));
    const pass = checkOneOf('alpha', options.alpha ?? 'pass', alphaPolicyWords) === 'pass' && source.channels === 4;
    await checkDevice(device);
    needTexture(device, size, slices);
    needTarget(device, 'target', target);
    const domain = /** @type {[number, number]} */ (
      size.map((n, axis) => (wrap ? n : nextSmoothSize(n + 2 * margins[axis])))
    );
    const placement = /** @type {[number, number]} */ (domain.map((n, axis) => (n - size[axis]) >> 1));
    /** @type {FourierShape} */
    const shape = {
      domain,
      image: size,
      placement,
      result: [...placement, ...size],
      boundary,
      channels: pass ? 3 : source.channels,
      stride: size[1],
      forward: 1,
      inverse: 1 / (domain[0] * domain[1]),
    };
    const gain = `
struct Gain { band: u32, shape: u32, cutoff: f32, upper: f32, order: f32, stop_gain: f32, pass_gain: f32, unused: f32 }
@group(0) @binding(3) var<uniform> params: Gain;
fn gain(kx: u32, ky: u32, channel: u32) -> vec2f {
  let fx = f32(kx) / ${domain[0]}.0;
  let fy = f32(min(ky, ${domain[1]}u - ky)) / ${domain[1]}.0;
  let f = sqrt(fx * fx + fy * fy);
  let bands = params.band >= 2u;
  var ratio = f / params.cutoff;
  if (bands) { ratio = abs(f * f - params.cutoff * params.upper) / max(f * (params.upper - params.cutoff), 1e-30); }
  ratio = min(ratio, 1e6);
  var passed = select(0.0, 1.0, ratio <= 1.0);
  if (params.shape == 1u) {
    let power = select(exp2(clamp(2.0 * params.order * log2(max(ratio, 1e-30)), -120.0, 120.0)), 0.0, ratio == 0.0);
    passed = 1.0 / (1.0 + power);
  }
  if (params.shape == 2u) { passed = exp(-0.5 * min(ratio * ratio, 200.0)); }
  if ((params.band & 1u) == 1u) { passed = 1.0 - passed; }
  return vec2f(params.stop_gain + (params.pass_gain - params.stop_gain) * passed, 0.0);
}`;
    const finish = finishWgsl(pass, 1, source.depth);
    const fused = new FusedTransform(device, {
      size,
      slices,
      source,
      sourceName: options.source,
      target,
      shape,
      gain,
      finish,
    });
    await fused.compile('Filter');
    const params = await orDestroy(fused.tables, () =>
      allocate(device, 'Filter.create', (own) =>
        own(device.createBuffer({ label: 'onepass gain', size: 32, usage: usage.uniform | usage.copyDst })),
      ),
    );
    const filter = new Filter(fused, params, finish !== undefined);
    filter.setGain({});
    return filter;
  }

  /**
   * Sets the gain: a write on the device's queue, which command buffers submitted later see.
   * @param {FilterGain} gain
   * @throws {OnepassError} `invalid_argument`
   */
  setGain(gain) {
    checkAlive(this, 'filter');
    checkFields(gain, ['band', 'shape', 'cutoff', 'upperCutoff', 'order', 'stopGain', 'passGain'], 'gain');
    const band = filterBandWords.indexOf(checkOneOf('gain.band', gain.band ?? 'low_pass', filterBandWords));
    const shape = filterShapeWords.indexOf(checkOneOf('gain.shape', gain.shape ?? 'butterworth', filterShapeWords));
    const cutoff = checkNumber('gain.cutoff', gain.cutoff ?? 0.1, 1e-9, 1);
    const upper = checkNumber(
      'gain.upperCutoff',
      gain.upperCutoff ?? (band >= 2 ? 0.2 : Math.max(0.2, cutoff)),
      1e-9,
      1,
    );
    if (band >= 2 && upper <= cutoff) throw invalid(`gain.upperCutoff: ${upper} is not above cutoff, ${cutoff}`);
    const data = new ArrayBuffer(32);
    new Uint32Array(data).set([band, shape]);
    new Float32Array(data).set(
      [
        cutoff,
        upper,
        checkInteger('gain.order', gain.order ?? 2, 1, 64),
        checkNumber('gain.stopGain', gain.stopGain ?? 0, -3e38, 3e38),
        checkNumber('gain.passGain', gain.passGain ?? 1, -3e38, 3e38),
      ],
      2,
    );
    this.#fused.device.queue.writeBuffer(this.#params, 0, data);
  }

  /**
   * Ties the plan to textures.
   * @param {{source: GPUTexture, target: GPUTexture}} textures
   * @returns {Promise<Binding>}
   * @throws {OnepassError} `invalid_argument` naming the texture, `out_of_memory`, `device_lost`
   */
  async bind(textures) {
    checkAlive(this, 'filter');
    checkFields(textures, ['source', 'target']);
    return this.#fused.bind(this, 'Filter.bind', textures.source, textures.target, this.#params, this.#mixes);
  }

  /**
   * Records three dispatches. Allocates and submits nothing.
   * @param {GPUCommandEncoder} encoder
   * @param {Binding} binding  From bind().
   * @param {GPUComputePassTimestampWrites} [timestampWrites]
   * @throws {OnepassError} `invalid_argument` if the binding belongs to another object or is destroyed
   */
  record(encoder, binding, timestampWrites) {
    checkBinding(binding, this, 'filter');
    recordSteps(encoder, 'onepass filter', binding.steps, timestampWrites);
  }

  /** Frees the gain and the tables: setGain(), bind() and record() refuse the filter afterwards. */
  destroy() {
    markDestroyed(this);
    this.#params.destroy();
    this.#fused.tables.forEach((buffer) => buffer.destroy());
  }
}
