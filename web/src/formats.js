// formats.js: the texture formats that kernels read and write.
import { needFeature, needTextureUsage, textureName, textureUsage } from './device.js';
import { invalid } from './errors.js';

/**
 * @typedef {object} SourceFormat
 * @property {number} channels
 * @property {boolean} depth
 * @property {boolean} srgb
 * @property {number} bytes  Per texel, as the plans count; depth24plus counts as 4.
 */

/** @type {Record<string, [channels: number, bytes: number]>} */
const sources = {
  r8unorm: [1, 1],
  r8snorm: [1, 1],
  rg8unorm: [2, 2],
  rg8snorm: [2, 2],
  rgba8unorm: [4, 4],
  'rgba8unorm-srgb': [4, 4],
  rgba8snorm: [4, 4],
  bgra8unorm: [4, 4],
  'bgra8unorm-srgb': [4, 4],
  rgb10a2unorm: [4, 4],
  r16unorm: [1, 2],
  rg16unorm: [2, 4],
  rgba16unorm: [4, 8],
  r16float: [1, 2],
  rg16float: [2, 4],
  rgba16float: [4, 8],
  r32float: [1, 4],
  rg32float: [2, 8],
  rgba32float: [4, 16],
  rg11b10ufloat: [3, 4],
  rgb9e5ufloat: [3, 4],
  depth16unorm: [1, 2],
  depth24plus: [1, 4],
  'depth24plus-stencil8': [1, 4],
  depth32float: [1, 4],
  'depth32float-stencil8': [1, 4],
};

/**
 * @param {string} field
 * @param {unknown} format
 * @returns {SourceFormat}
 */
export function sourceFormat(field, format) {
  const known = sources[/** @type {string} */ (format)];
  if (!known) throw invalid(`${field}: ${String(format)} is not a format that can be read as floats`);
  const name = /** @type {string} */ (format);
  return { channels: known[0], depth: name.startsWith('depth'), srgb: name.endsWith('-srgb'), bytes: known[1] };
}

/**
 * @typedef {object} TargetFormat
 * @property {number} channels
 * @property {boolean} srgb       Texels are sRGB-encoded by the kernel.
 * @property {number} levels      Largest integer of a UNORM channel; 0 for floats.
 * @property {number} bytes
 * @property {GPUTextureFormat} storage  The format of the storage view.
 * @property {GPUFeatureName | ''} feature  The feature that the storage view needs.
 */

/** @type {Record<string, [channels: number, levels: number, bytes: number, feature: string]>} */
const targets = {
  rgba8unorm: [4, 255, 4, ''],
  bgra8unorm: [4, 255, 4, 'bgra8unorm-storage'],
  rgba16float: [4, 0, 8, ''],
  r32float: [1, 0, 4, ''],
  rg32float: [2, 0, 8, ''],
  rgba32float: [4, 0, 16, ''],
  r8unorm: [1, 255, 1, 'texture-formats-tier1'],
  rg8unorm: [2, 255, 2, 'texture-formats-tier1'],
  r16float: [1, 0, 2, 'texture-formats-tier1'],
  rg16float: [2, 0, 4, 'texture-formats-tier1'],
  rgb10a2unorm: [4, 1023, 4, 'texture-formats-tier1'],
  rg11b10ufloat: [3, 0, 4, 'texture-formats-tier1'],
};

/**
 * @param {string} field
 * @param {unknown} format
 * @returns {TargetFormat}
 */
export function targetFormat(field, format) {
  const name = String(format);
  const srgb = name === 'rgba8unorm-srgb' || name === 'bgra8unorm-srgb';
  const storage = srgb ? name.slice(0, -5) : name;
  const known = targets[storage];
  if (!known) {
    throw invalid(
      `${field}: ${name} cannot be a storage texture; there are ${Object.keys(targets).join(', ')}, ` +
        'rgba8unorm-srgb and bgra8unorm-srgb',
    );
  }
  return {
    channels: known[0],
    srgb,
    levels: known[1],
    bytes: known[2],
    storage: /** @type {GPUTextureFormat} */ (storage),
    feature: /** @type {GPUFeatureName | ''} */ (known[3]),
  };
}

/** Whether textures of a format can be stored to on a device. @param {GPUDevice} device @param {string} format */
export function isStorable(device, format) {
  const known = targets[format];
  return known !== undefined && (known[3] === '' || device.features.has(/** @type {GPUFeatureName} */ (known[3])));
}

/**
 * @param {GPUDevice} device
 * @param {string} field
 * @param {TargetFormat} target
 */
export function needTarget(device, field, target) {
  if (target.feature) needFeature(device, target.feature, `${field} ${target.storage}`);
}

/**
 * A view of one mip level with all slices, for reading.
 * @param {import('./device.js').MakeView} view
 * @param {string} field
 * @param {GPUTexture} texture
 * @param {string} format         Of the options.
 * @param {readonly [number, number]} size
 * @param {number} slices
 * @param {number} level
 * @param {number} firstSlice
 * @param {number} samples
 * @returns {GPUTextureView}
 */
export function readView(view, field, texture, format, size, slices, level = 0, firstSlice = 0, samples = 1) {
  checkTexture(field, texture, size, slices, level, firstSlice, samples);
  if (texture.format.replace('-srgb', '') !== format.replace('-srgb', '')) {
    throw invalid(
      `${field}: ${textureName(texture)} has the format ${texture.format}, not ${format} as in the options`,
    );
  }
  needTextureUsage(field, texture, textureUsage.texture);
  const depth = format.startsWith('depth');
  return view(field, texture, {
    dimension: samples > 1 ? '2d' : '2d-array',
    baseMipLevel: level,
    mipLevelCount: 1,
    baseArrayLayer: firstSlice,
    arrayLayerCount: slices,
    // An sRGB view cannot have the usage STORAGE_BINDING of its texture.
    usage: textureUsage.texture,
    ...(depth ? { aspect: 'depth-only' } : { format: /** @type {GPUTextureFormat} */ (format) }),
  });
}

/**
 * A view of one mip level with all slices, for writing.
 * @param {import('./device.js').MakeView} view
 * @param {string} field
 * @param {GPUTexture} texture
 * @param {TargetFormat} target
 * @param {readonly [number, number]} size
 * @param {number} slices
 * @param {number} level
 * @param {number} firstSlice
 * @returns {GPUTextureView}
 */
export function writeView(view, field, texture, target, size, slices, level = 0, firstSlice = 0) {
  checkTexture(field, texture, size, slices, level, firstSlice);
  if (texture.format !== target.storage) {
    throw invalid(
      `${field}: ${textureName(texture)} has the format ${texture.format}, but a storage view needs ${target.storage}` +
        (target.srgb ? ` (with viewFormats ['${target.storage}-srgb'] to sample it)` : ''),
    );
  }
  needTextureUsage(field, texture, textureUsage.storage);
  return view(field, texture, {
    dimension: '2d-array',
    baseMipLevel: level,
    mipLevelCount: 1,
    baseArrayLayer: firstSlice,
    arrayLayerCount: slices,
    usage: textureUsage.storage,
    format: target.storage,
  });
}

/**
 * @param {string} field
 * @param {GPUTexture} texture
 * @param {readonly [number, number]} size
 * @param {number} slices
 * @param {number} level
 * @param {number} firstSlice
 * @param {number} samples
 */
function checkTexture(field, texture, size, slices, level, firstSlice, samples = 1) {
  if (!texture || typeof texture.createView !== 'function') throw invalid(`${field}: is not a GPUTexture`);
  const name = textureName(texture);
  if (level >= texture.mipLevelCount) {
    throw invalid(`${field}: ${name} has ${texture.mipLevelCount} mip levels, level ${level} is needed`);
  }
  const width = Math.max(1, texture.width >> level);
  const height = Math.max(1, texture.height >> level);
  if (width !== size[0] || height !== size[1]) {
    throw invalid(`${field}: mip level ${level} of ${name} is ${width}x${height}, not ${size[0]}x${size[1]}`);
  }
  if (texture.dimension !== '2d') throw invalid(`${field}: ${name} has the dimension ${texture.dimension}, not 2d`);
  if (texture.sampleCount !== samples) {
    throw invalid(
      `${field}: ${name} has ${texture.sampleCount} samples per texel, not ${samples}` +
        (samples === 1 ? '; Pyramid and TileReduction read them with the option samples' : ' as in the options'),
    );
  }
  if (firstSlice + slices > texture.depthOrArrayLayers) {
    throw invalid(`${field}: ${name} has ${texture.depthOrArrayLayers} layers, ${firstSlice + slices} are needed`);
  }
}

/**
 * WGSL of a source texture: its type, and a call that loads a texel as vec4f.
 * @param {string} name
 * @param {{depth: boolean, samples?: number}} source
 */
export function sourceTextureWgsl(name, { depth, samples = 1 }) {
  const type =
    samples > 1
      ? depth
        ? 'texture_depth_multisampled_2d'
        : 'texture_multisampled_2d<f32>'
      : depth
        ? 'texture_depth_2d_array'
        : 'texture_2d_array<f32>';
  return {
    type,
    /** @param {string} at @param {string} slice @param {number} sample */
    load: (at, slice, sample = 0) => {
      const texel = `textureLoad(${name}, ${at}, ${samples > 1 ? sample : `${slice}, 0`})`;
      return depth ? `vec4f(${texel}, 0.0, 0.0, 1.0)` : texel;
    },
  };
}

/** WGSL: sRGB encoding of light in 0..1. */
export const srgbEncodeWgsl = /* wgsl */ `
fn srgb_encode(light: vec3f) -> vec3f {
  let c = clamp(light, vec3f(0.0), vec3f(1.0));
  return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3f(0.0031308));
}
`;

/**
 * WGSL: `fn to_target(texel: vec4f) -> vec4f`, the value to store.
 * @param {TargetFormat} target
 * @returns {string}
 */
export function encodeWgsl(target) {
  // Devices may be off by a part of a step, and may round floats towards zero: values of the format are stored.
  const steps = target.storage === 'rgb10a2unorm' ? [1023, 1023, 1023, 3] : Array(4).fill(target.levels);
  const round = target.levels
    ? `texel = floor(clamp(texel, vec4f(0.0), vec4f(1.0)) * vec4f(${steps}) + 0.5) * vec4f(${steps.map((n) => Math.fround(1 / n))});`
    : mantissa[target.storage]
      ? 'texel = to_small_float(texel);'
      : '';
  return `${target.srgb ? srgbEncodeWgsl : ''}
${mantissa[target.storage] ? smallFloatWgsl(mantissa[target.storage], target.storage === 'rg11b10ufloat') : ''}
fn to_target(value: vec4f) -> vec4f {
  var texel = value;
  ${target.srgb ? 'texel = vec4f(srgb_encode(texel.rgb), texel.a);' : ''}
  ${round}
  return texel;
}
`;
}

/** Bits of mantissa of the channels of float formats with five bits of exponent. @type {Record<string, number[]>} */
const mantissa = {
  rgba16float: [10, 10, 10, 10],
  r16float: [10, 10, 10, 10],
  rg16float: [10, 10, 10, 10],
  rg11b10ufloat: [6, 6, 5, 10],
};

/**
 * WGSL: `fn to_small_float(value: vec4f) -> vec4f`, the nearest values of a format, ties to even.
 * @param {number[]} bits
 * Finite values beyond the largest value become that.
 * @param {boolean} unsigned  Negative values become 0.
 */
function smallFloatWgsl(bits, unsigned) {
  const each = (/** @type {(bits: number) => number} */ of) => bits.map((n) => `${of(n)}`).join(', ');
  return `
fn to_small_float(value: vec4f) -> vec4f {
  let magnitude = bitcast<vec4u>(value) & vec4u(0x7FFFFFFFu);
  let dropped = vec4u(${each((n) => 23 - n)});
  let below_half = vec4u(${each((n) => 2 ** (22 - n) - 1)});
  var nearest = ((magnitude + below_half + ((magnitude >> dropped) & vec4u(1u))) >> dropped) << dropped;
  let beyond = (nearest >= vec4u(0x47800000u)) & (magnitude < vec4u(0x7F800000u));
  nearest = select(nearest, vec4u(${each((n) => 0x47800000 - 2 ** (23 - n))}), beyond);
  // Below 2^-14 values are multiples of one step.
  let steps = round(bitcast<vec4f>(magnitude) * vec4f(${each((n) => 2 ** (14 + n))}));
  nearest = select(nearest, bitcast<vec4u>(steps * vec4f(${each((n) => 2 ** -(14 + n))})), magnitude < vec4u(0x38800000u));
  ${
    unsigned
      ? 'return select(bitcast<vec4f>(nearest), vec4f(0.0), value < vec4f(0.0));'
      : 'return bitcast<vec4f>(nearest | (bitcast<vec4u>(value) & vec4u(0x80000000u)));'
  }
}
`;
}
