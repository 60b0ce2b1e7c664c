// golden.js: results of the C++ CPU engine for a list of cases, through the program web_golden.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('../../', import.meta.url).pathname;

/** The program: ONEPASS_WEB_GOLDEN, or that of a build folder. */
function program() {
  const places = [
    process.env.ONEPASS_WEB_GOLDEN,
    ...['dev', 'web', 'release'].map((name) => `${root}build/${name}/web/golden/web_golden`),
  ];
  const found = places.find((place) => place && existsSync(place));
  if (!found) throw new Error('web_golden: not built; run scripts/test-web, or set ONEPASS_WEB_GOLDEN');
  return found;
}

/** Formats as numbers of VkFormat, as the C++ API has them. */
export const formats = {
  r8unorm: 9,
  rg8unorm: 16,
  rgba8unorm: 37,
  'rgba8unorm-srgb': 43,
  rgb10a2unorm: 64,
  r16float: 76,
  rg16float: 83,
  rgba16float: 97,
  r32float: 100,
  rg32float: 103,
  rgba32float: 109,
  rg11b10ufloat: 122,
  depth16unorm: 124,
  depth32float: 126,
};

/**
 * Runs all cases in one process. Fields that are typed arrays become files of their bytes. Returns an ArrayBuffer a case.
 */
export function golden(cases) {
  const folder = mkdtempSync(join(tmpdir(), 'onepass-web-'));
  try {
    const list = cases.map((one, number) => {
      const json = { output: join(folder, `${number}.out`) };
      for (const [name, value] of Object.entries(one)) {
        if (ArrayBuffer.isView(value)) {
          json[name] = join(folder, `${number}.${name}`);
          writeFileSync(json[name], value);
        } else {
          json[name] = value;
        }
      }
      return json;
    });
    writeFileSync(join(folder, 'cases.json'), JSON.stringify(list));
    execFileSync(program(), [join(folder, 'cases.json')], { stdio: ['ignore', 'inherit', 'inherit'] });
    return list.map((json) => {
      const bytes = readFileSync(json.output);
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A generator of numbers in [0, 1): mulberry32. */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Bits of a float as a half float, rounded to nearest even; finite values beyond the largest half become that. */
export function halfOf(value) {
  const bits = new Uint32Array(new Float32Array([value]).buffer)[0];
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | (magnitude === 0x7f800000 ? 0x7c00 : 0x7bff);
  if (magnitude < 0x38800000) return sign | Math.round(Math.abs(value) * 2 ** 24);
  const rounded = magnitude - (112 << 23) + 0xfff + ((magnitude >>> 13) & 1);
  return sign | (rounded >>> 13);
}

/** The value of a half float. */
export function ofHalf(bits) {
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

/** Random texels of a format, as bytes. `scale`: magnitude of floats; negative values if `signed`. */
export function texels(format, count, random, { scale = 1, signed = false } = {}) {
  const value = () => (signed ? 2 * random() - 1 : random()) * scale;
  const channels = format.startsWith('rgba') || format.startsWith('bgra') ? 4 : format.startsWith('rg') ? 2 : 1;
  if (format.includes('8unorm')) return Uint8Array.from({ length: count * channels }, () => Math.floor(random() * 256));
  if (format.includes('16float')) return Uint16Array.from({ length: count * channels }, () => halfOf(value()));
  if (format === 'depth16unorm') return Uint16Array.from({ length: count }, () => Math.floor(random() * 65536));
  return Float32Array.from({ length: count * channels }, value);
}

/** The values of texels as an array of numbers: codes for UNORM. */
export function valuesOf(format, bytes) {
  const buffer = bytes.buffer ? bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) : bytes;
  if (format.includes('8unorm')) return new Uint8Array(buffer);
  if (format.includes('16float')) return Float64Array.from(new Uint16Array(buffer), ofHalf);
  return new Float32Array(buffer);
}
