// oracle.js: levels of means in double, written from the definition of footprints (docs/pyramid.md); sRGB and half floats.
import { halfOf, ofHalf } from './golden.js';

/** Texels of the finer level that texel i takes, with weights. `base`: of level 0; `level`: of the finer one. */
function taps(footprint, i, finer, base, level) {
  if (finer === 1) return [[0, 1]];
  if (footprint === 'covering' && finer % 2 === 1) {
    const k = (finer - 1) / 2;
    return [
      [2 * i, (k - i) / finer],
      [2 * i + 1, k / finer],
      [2 * i + 2, (i + 1) / finer],
    ];
  }
  if (footprint === 'edge' && i + 1 === finer >> 1) {
    // Texels count by the base texels that they stand for.
    const texels = Array.from({ length: finer - 2 * i }, (_, n) => 2 * i + n);
    const stands = (n) => (n + 1 === finer ? base - n * 2 ** level : 2 ** level);
    const total = texels.reduce((sum, n) => sum + stands(n), 0);
    return texels.map((n) => [n, stands(n) / total]);
  }
  return [
    [2 * i, 0.5],
    [2 * i + 1, 0.5],
  ];
}

/** Levels 1 and up of the means of one slice of values, interleaved channels. */
export function meanLevels([width, height], channels, values, footprint = 'covering') {
  const levels = [];
  let finer = { size: [width, height], values: Float64Array.from(values) };
  for (let level = 0; Math.max(...finer.size) > 1; ++level) {
    const size = finer.size.map((n) => Math.max(1, n >> 1));
    const made = new Float64Array(size[0] * size[1] * channels);
    for (let y = 0; y < size[1]; ++y) {
      const rows = taps(footprint, y, finer.size[1], height, level);
      for (let x = 0; x < size[0]; ++x) {
        const columns = taps(footprint, x, finer.size[0], width, level);
        for (const [fy, wy] of rows) {
          for (const [fx, wx] of columns) {
            for (let c = 0; c < channels; ++c)
              made[(y * size[0] + x) * channels + c] +=
                wx * wy * finer.values[(fy * finer.size[0] + fx) * channels + c];
          }
        }
      }
    }
    finer = { size, values: made };
    levels.push(made);
  }
  return levels;
}

export const toLight = (code) => (code <= 0.04045 ? code / 12.92 : ((code + 0.055) / 1.055) ** 2.4);
export const toSrgb = (light) => (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);

/**
 * What the bytes of a format stand for: {channels, bytes, values(bytes), allowed}. `allowed(value)` is the distance of
 * neighbouring values of the format: what a device may be off by. sRGB: values are codes / 255 and `light` converts.
 */
export function formatOf(format) {
  const plain = format.replace('-srgb', '');
  const swapped = plain.startsWith('bgra');
  const channels = plain.startsWith('rgb') || swapped ? 4 : plain.startsWith('rg') ? 2 : 1;
  if (plain.endsWith('8unorm')) {
    const order = (values) => (swapped ? values.map((_, i) => values[i - (i % 4) + [2, 1, 0, 3][i % 4]]) : values);
    return {
      channels,
      bytes: channels,
      allowed: () => 1 / 255,
      values: (bytes) => order(Float64Array.from(bytes, (code) => code / 255)),
    };
  }
  if (plain === 'rgb10a2unorm') {
    return {
      channels,
      bytes: 4,
      allowed: (_, c) => (c === 3 ? 1 / 3 : 1 / 1023),
      values: (bytes) =>
        Float64Array.from({ length: bytes.length }, (_, i) => {
          const word = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)[i >> 2];
          return i % 4 === 3 ? (word >>> 30) / 3 : ((word >>> (10 * (i % 4))) & 1023) / 1023;
        }),
    };
  }
  if (plain.endsWith('16float')) {
    return {
      channels,
      bytes: 2 * channels,
      allowed: (value) => Math.max(Math.abs(value), 2 ** -14) * 2 ** -10,
      values: (bytes) => Float64Array.from(new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2), ofHalf),
    };
  }
  return {
    channels,
    bytes: 4 * channels,
    allowed: (value) => Math.max(Math.abs(value), 2 ** -10) * 2 ** -21,
    values: (bytes) => Float64Array.from(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)),
  };
}

/** Random texels of a format as bytes; values within 0 and 1. */
export function bytesOf(format, count, random) {
  const { bytes } = formatOf(format);
  const plain = format.replace('-srgb', '');
  if (plain.endsWith('16float'))
    return new Uint8Array(Uint16Array.from({ length: (count * bytes) / 2 }, () => halfOf(random())).buffer);
  if (plain.endsWith('32float'))
    return new Uint8Array(Float32Array.from({ length: (count * bytes) / 4 }, random).buffer);
  return Uint8Array.from({ length: count * bytes }, () => Math.floor(random() * 256));
}
