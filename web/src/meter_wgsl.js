// meter_wgsl.js: the two kernels of the meter. The GLSL versions are shaders/onepass/luminance_*.glsl of the project.
//
//     meter    workgroups stride over tiles of 128x16 texels, each invocation meters 4x2 texels of a tile. Sums and
//              histogram are integers in workgroup memory, added to the slice's by atomics: their order has no effect
//     finish   one workgroup per slice computes the result, and zeroes the slice's sums and bins for the next image
//
// A sum of floats is split into digits of 13 bits, which are added as integers: R. M. Neal, "Fast Exact Summation Using
// Small and Large Superaccumulators", 2015.
import { meterMembers } from './meter_layout.js';

/**
 * @typedef {object} MeterShape
 * @property {number} bins        2048 (automatic range) or 256.
 * @property {import('./words.js').Metering} metering
 * @property {0 | 1 | 2} statistic
 * @property {boolean} grey
 * @property {boolean} depth
 */

export const fineBins = 2048;
export const tileWidth = 128;
export const tileHeight = 16;
export const sumsAt = 32;
export const binsAt = 160;
/** @param {number} bins  Words of scratch memory of a slice. */
export const scratchWords = (bins) => binsAt + 2 * bins;

// Upper edges of the 32 bins of a mantissa in [1, 2): bits of the smallest floats not below 2^(1/32), 2^(2/32)... 2.
export const binEnds = [
  0x3f82cd87, 0x3f85aac4, 0x3f88980f, 0x3f8b95c2, 0x3f8ea43a, 0x3f91c3d4, 0x3f94f4f0, 0x3f9837f1, 0x3f9b8d3a,
  0x3f9ef533, 0x3fa27044, 0x3fa5fed7, 0x3fa9a15b, 0x3fad583f, 0x3fb123f6, 0x3fb504f4, 0x3fb8fbb0, 0x3fbd08a4,
  0x3fc12c4d, 0x3fc5672b, 0x3fc9b9be, 0x3fce248d, 0x3fd2a81e, 0x3fd744fd, 0x3fdbfbb8, 0x3fe0ccdf, 0x3fe5b907,
  0x3feac0c7, 0x3fefe4ba, 0x3ff5257e, 0x3ffa83b3, 0x40000000,
];

const hex = (/** @type {number} */ value) => `0x${value.toString(16)}u`;

/** @param {MeterShape} shape */
const isWide = ({ metering }) => metering === 'centre_weighted' || metering === 'mask';

/** @param {MeterShape} shape */
const commonWgsl = (shape) => `
const BINS = ${shape.bins}u;
const FINE = ${shape.bins === fineBins};
const WIDE = ${isWide(shape)};  // weights are 0 to 255, and their sums need 64 bits
const SUMS_AT = ${sumsAt}u;
const BINS_AT = ${binsAt}u;
const SCRATCH_WORDS = ${scratchWords(shape.bins)}u;
// Words of the sums: five float sums of 21 digits, three integer sums of 4 digits, counts of finite, NaN, infinite,
// negative and zero pixels, bits of infinity minus bits of the least luminance, bits of the greatest.
const AT_WHOLE = 105u;
const AT_COUNTS = 117u;
const AT_RANGE = 122u;
const SUM_WORDS = 124u;
const SUM_DIGITS = 21u;
const LEAST_NORMAL = 1.17549435e-38;
struct Params {
  origin: vec2u, size: vec2u,      // the metered rectangle
  weights: vec3f, delta: f32,
  centre: vec2f, inverse_radius: vec2f,
  bin_low: f32, bin_scale: f32, tiles_x: u32, groups: u32,
  up: f32, down: f32, ease: f32, seconds: f32,  // seconds below 0: a cut
  ev_offset: f32, exposure_offset: f32, clip_low: f32, clip_high: f32,
  log2_low: f32, log2_high: f32, unused0: f32, unused1: f32,
  percentiles: array<vec4f, 2>,
}
@group(0) @binding(0) var<uniform> p: Params;
// log2 of a positive normal number: the integer, and the fraction of -0.5 to 0.5. Error at most 1.3e-7.
struct Log2 { whole: i32, part: f32 }
fn log2_parts(x: f32) -> Log2 {
  let bits = bitcast<u32>(x);
  let whole = i32(bits - 0x3F3504F3u) >> 23u;  // x = 2^whole m, with m from sqrt(1/2) to sqrt(2)
  let t = bitcast<f32>(bits - (bitcast<u32>(whole) << 23u)) - 1.0;
  var q = -0.1457548886537552;
  q = q * t + 0.23688070476055145;
  q = q * t - 0.25006136298179626;
  q = q * t + 0.286708801984787;
  q = q * t - 0.36008813977241516;
  q = q * t + 0.4809393882751465;
  q = q * t - 0.7213571071624756;
  q = q * t + 1.4426947832107544;
  return Log2(whole, q * t);
}
fn exact_log2(x: f32) -> f32 {
  let parts = log2_parts(x);
  return f32(parts.whole) + parts.part;
}
`;

/** @param {MeterShape} shape */
export function meterWgsl(shape) {
  const { metering } = shape;
  const weight = {
    average: 'return 1u;',
    mask: 'return u32(clamp(textureLoad(mask, min(texel, p.size - 1u) + p.origin, 0, 0).r, 0.0, 1.0) * 255.0 + 0.5);',
    spot: 'return select(0u, 1u, distance <= 1.0);',
    centre_weighted: 'let rest = max(1.0 - distance, 0.0); return u32(rest * rest * 255.0 + 0.5);',
  }[metering];
  return `${commonWgsl(shape)}
@group(0) @binding(1) var source: ${shape.depth ? 'texture_depth_2d_array' : 'texture_2d_array<f32>'};
@group(0) @binding(2) var<storage, read_write> scratch: array<atomic<u32>>;
${metering === 'mask' ? '@group(0) @binding(3) var mask: texture_2d_array<f32>;' : ''}
var<workgroup> s_bins: array<atomic<u32>, BINS>;
var<workgroup> s_sums: array<atomic<u32>, SUM_WORDS>;
const bin_ends = array<u32, 32>(${binEnds.map(hex).join(', ')});
var<private> block: vec4f;      // sums of at most 32 texels: red, green, blue, luminance, times 2^-32
var<private> fractions: f32;    // weighted sum of the fractions of their log2
var<private> product: f32;      // of the mantissas of at most 8 texels
var<private> whole: u32;        // weighted sum of the integer parts of log2, plus 127 each
var<private> weights: u32;
var<private> zero_weights: u32;
var<private> finite: u32;
var<private> low: f32;
var<private> high: f32;

fn weight_of(texel: vec2u) -> u32 {
  ${
    metering === 'spot' || metering === 'centre_weighted'
      ? `let at = (vec2f(texel) - p.centre) * p.inverse_radius;
  let distance = at.x * at.x + at.y * at.y;`
      : ''
  }
  ${weight}
}

// The bin of a luminance. In the automatic range it is exact: a parabola gives the bin or the one before, a comparison
// with an edge decides.
fn bin_of(luminance: f32) -> u32 {
  if (FINE) {
    let bits = bitcast<u32>(clamp(luminance, 2.3283064365386963e-10, 4294967040.0));
    let mantissa = (bits & 0x7FFFFFu) | 0x3F800000u;
    let m = bitcast<f32>(mantissa);
    let guess = u32((m * -8.0 + 56.0) * m - 48.00390625);
    var ends = bin_ends;
    return (bits >> 23u) * 32u - 3040u + guess + select(0u, 1u, mantissa >= ends[guess]);
  }
  let place = (exact_log2(max(luminance, LEAST_NORMAL)) - p.bin_low) * p.bin_scale;
  return u32(clamp(place, 0.0, f32(BINS - 1u)));
}

fn add_pixel(texel: vec2u, slice: u32) {
  if (any(texel >= p.size)) { return; }
  let weight = weight_of(texel);
  if (weight == 0u) { return; }
  ${
    shape.depth
      ? 'let colour = vec3f(textureLoad(source, texel + p.origin, slice, 0));'
      : `let colour = textureLoad(source, texel + p.origin, slice, 0).${shape.grey ? 'rrr' : 'rgb'};`
  }
  var luminance = colour.r * p.weights.r + colour.g * p.weights.g + colour.b * p.weights.b;
  // Positive and finite: one comparison of bits.
  if (bitcast<u32>(luminance) - 1u >= 0x7F7FFFFFu) {
    let bits = bitcast<vec3u>(colour) & vec3u(0x7FFFFFFFu);
    let largest = max(max(bits.x, bits.y), bits.z);
    if (largest > 0x7F800000u) { atomicAdd(&s_sums[AT_COUNTS + 1u], 1u); return; }
    if (largest == 0x7F800000u) { atomicAdd(&s_sums[AT_COUNTS + 2u], 1u); return; }
    let sign = bitcast<u32>(luminance);
    if ((sign & 0x7FFFFFFFu) == 0u || (sign & 0x80000000u) != 0u) {
      atomicAdd(&s_sums[AT_COUNTS + select(3u, 4u, (sign & 0x7FFFFFFFu) == 0u)], 1u);
      zero_weights += weight;
      luminance = 0.0;
    } else {
      luminance = 3.4028234e38;
    }
  }
  block += vec4f(colour, luminance) * (2.3283064365386963e-10 * f32(weight));
  finite += 1u;
  weights += weight;
  low = min(low, luminance);
  high = max(high, luminance);
  let argument = max(luminance + p.delta, LEAST_NORMAL);
  if (WIDE) {
    let parts = log2_parts(argument);
    fractions += parts.part * f32(weight);
    whole += u32(parts.whole + 127) * weight;
  } else {
    let bits = bitcast<u32>(argument);
    whole += bits >> 23u;
    product *= bitcast<f32>((bits & 0x7FFFFFu) | 0x3F800000u);
  }
  if (luminance > 0.0) { atomicAdd(&s_bins[bin_of(luminance)], weight); }
}

// Adds a float to sum \`number\` of the workgroup: three digits hold it exactly.
fn share_float(number: u32, sum: f32) {
  let exponent = (bitcast<u32>(sum) & 0x7FFFFFFFu) >> 23u;
  let top = min(exponent / 13u, 18u) + 2u;
  var rest = sum * bitcast<f32>((280u - 13u * top) << 23u);  // in units of digit \`top\`
  for (var i = 0u; i < 3u; i++) {
    let digit = i32(rest);
    rest = (rest - f32(digit)) * 8192.0;
    atomicAdd(&s_sums[SUM_DIGITS * number + top - i], bitcast<u32>(digit));
  }
}
fn share_whole(number: u32, value: u32) {
  let word = AT_WHOLE + 4u * number;
  atomicAdd(&s_sums[word], value & 8191u);
  atomicAdd(&s_sums[word + 1u], (value >> 13u) & 8191u);
  atomicAdd(&s_sums[word + 2u], value >> 26u);
}
// Adds the invocation's sums to the workgroup's, and resets them.
fn share() {
  share_float(0u, block.r);
  share_float(1u, block.g);
  share_float(2u, block.b);
  share_float(3u, block.a);
  share_float(4u, fractions);
  share_whole(0u, whole);
  share_whole(1u, weights);
  share_whole(2u, zero_weights);
  atomicAdd(&s_sums[AT_COUNTS], finite);
  block = vec4f(0.0);
  fractions = 0.0;
  whole = 0u;
  weights = 0u;
  zero_weights = 0u;
  finite = 0u;
}
fn carry(sum: u32, integer: bool) -> u32 {
  return select(bitcast<u32>(bitcast<i32>(sum + 4096u) >> 13u), sum >> 13u, integer);
}
// A word of the workgroup's sums with carries: digits keep 13 bits, so that those of all workgroups can be added.
fn group_digit(word: u32) -> u32 {
  var sum = atomicLoad(&s_sums[word]);
  if (word >= AT_COUNTS) { return sum; }
  let integer = word >= AT_WHOLE;
  let digits = select(SUM_DIGITS, 4u, integer);
  let digit = select(word, word - AT_WHOLE, integer) % digits;
  let own = sum;
  if (digit != 0u) { sum += carry(atomicLoad(&s_sums[word - 1u]), integer); }
  if (digit + 1u < digits) { sum -= carry(own, integer) << 13u; }
  return sum;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  // Workgroup memory is zero at first.
  product = 1.0;
  low = bitcast<f32>(0x7F7FFFFFu);
  let tiles = p.tiles_x * ((p.size.y + ${tileHeight - 1}u) / ${tileHeight}u);
  let in_tile = vec2u(lane % 32u, lane / 32u);
  var pending = 0u;
  for (var tile = group.x; tile < tiles; tile += p.groups) {
    let first = vec2u(tile % p.tiles_x * ${tileWidth}u, tile / p.tiles_x * ${tileHeight}u) + in_tile;
    for (var i = 0u; i < 8u; i++) { add_pixel(first + vec2u((i & 3u) * 32u, (i >> 2u) * 8u), group.z); }
    if (!WIDE) {
      let parts = log2_parts(product);
      fractions += parts.part;
      whole += u32(parts.whole);  // the product is at least 1
      product = 1.0;
    }
    pending += 1u;
    if (pending == 4u) {
      share();
      pending = 0u;
    }
  }
  if (pending != 0u) { share(); }
  atomicMax(&s_sums[AT_RANGE], 0x7F800000u - bitcast<u32>(low));
  atomicMax(&s_sums[AT_RANGE + 1u], bitcast<u32>(high));
  workgroupBarrier();  // all pixels are in sums and bins
  let base = group.z * SCRATCH_WORDS;
  for (var bin = lane; bin < BINS; bin += 256u) {
    let count = atomicLoad(&s_bins[bin]);
    if (WIDE) {
      // The lower 16 bits and the rest, so that no word overflows.
      if ((count & 0xFFFFu) != 0u) { atomicAdd(&scratch[base + BINS_AT + bin], count & 0xFFFFu); }
      if (count >> 16u != 0u) { atomicAdd(&scratch[base + BINS_AT + BINS + bin], count >> 16u); }
    } else if (count != 0u) {
      atomicAdd(&scratch[base + BINS_AT + bin], count);
    }
  }
  if (lane < SUM_WORDS) {
    let sum = group_digit(lane);
    if (lane >= AT_RANGE) {
      atomicMax(&scratch[base + SUMS_AT + lane], sum);
    } else if (sum != 0u) {
      atomicAdd(&scratch[base + SUMS_AT + lane], sum);
    }
  }
}
`;
}

/** The struct of a result, from its layout. */
function resultWgsl() {
  let at = 0;
  const members = [];
  for (const [name, kind, word, count] of meterMembers) {
    while (at < word) members.push(`  reserved${at++}: u32,`);
    const type = kind === 'u64' ? 'vec2u' : kind;
    members.push(
      `  ${name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}: ${count > 1 ? `array<${type}, ${count}>` : type},`,
    );
    at += count * (kind === 'u64' ? 2 : 1);
  }
  return `struct LuminanceResult {\n${members.join('\n')}\n}`;
}

/** WGSL of the result's struct, for shaders that read it. */
export const meterResultWgsl = resultWgsl();

/** @param {MeterShape} shape */
export function finishWgsl(shape) {
  const lanes = shape.bins / 256;
  return `${commonWgsl(shape)}
${meterResultWgsl}
@group(0) @binding(1) var<storage, read_write> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<LuminanceResult>;
var<workgroup> s_until: array<f32, BINS>;  // weight of a bin and those before it
var<workgroup> s_scan: array<vec2u, 256>;
var<workgroup> s_first: atomic<u32>;       // BINS minus the first bin with weight
var<workgroup> s_end: atomic<u32>;
var<workgroup> s_clipped: array<f32, 256>;
var<private> base: u32;

// ---- 64-bit integers: the lower word in x
fn add_wide(a: vec2u, b: vec2u) -> vec2u {
  let sum = a.x + b.x;
  return vec2u(sum, a.y + b.y + select(0u, 1u, sum < a.x));
}
fn subtract_wide(a: vec2u, b: vec2u) -> vec2u { return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x)); }
fn less_wide(a: vec2u, b: vec2u) -> bool { return a.y < b.y || (a.y == b.y && a.x < b.x); }
fn scale_wide(a: vec2u, b: u32) -> vec2u {  // b below 2^16
  let low = (a.x & 0xFFFFu) * b;
  let middle = (a.x >> 16u) * b + (low >> 16u);
  return vec2u((middle << 16u) | (low & 0xFFFFu), a.y * b + (middle >> 16u));
}
fn float_wide(a: vec2u) -> f32 { return f32(a.y) * 4294967296.0 + f32(a.x); }

// 2^(whole + part), with part within -1/2 and 1/2.
fn exp2_parts(whole: i32, part: f32) -> f32 {
  var q = 0.0001547625579405576;
  q = q * part + 0.0013400234747678041;
  q = q * part + 0.009618003852665424;
  q = q * part + 0.055503278970718384;
  q = q * part + 0.24022650718688965;
  q = q * part + 0.6931471824645996;
  let limited = clamp(whole, -252, 254);  // 2^whole as two factors, because 2^128 is no float
  let first = limited >> 1u;
  return (q * part + 1.0) * bitcast<f32>(u32(first + 127) << 23u) * bitcast<f32>(u32(limited - first + 127) << 23u);
}
fn exact_exp2(x: f32) -> f32 {
  let limited = clamp(x, -300.0, 300.0);
  let whole = floor(limited + 0.5);
  return exp2_parts(i32(whole), limited - whole);
}

fn bin_weight(bin: u32) -> vec2u {
  let at = base + BINS_AT + bin;
  if (!WIDE) { return vec2u(words[at], 0u); }
  let rest = words[at + BINS];
  return add_wide(vec2u(words[at], 0u), vec2u(rest << 16u, rest >> 16u));
}
fn sum_word(i: u32) -> u32 { return words[base + SUMS_AT + i]; }
fn float_sum(number: u32) -> f32 {
  var sum = 0.0;
  // The unit of digit j is 2^(13 j - 153); the lowest three are below the normal floats. Wide weights: times 2^-8,
  // because a sum of the largest floats, weighted by 255, would overflow.
  for (var digit = 3u; digit < SUM_DIGITS; digit++) {
    let exponent = 13u * digit + 127u - 153u - select(0u, 8u, WIDE);
    sum += f32(bitcast<i32>(sum_word(SUM_DIGITS * number + digit))) * bitcast<f32>(exponent << 23u);
  }
  return sum;
}
fn whole_sum(number: u32) -> vec2u {
  var sum = vec2u(0u);
  for (var i = 0u; i < 4u; i++) {
    let digit = sum_word(AT_WHOLE + 4u * number + i);
    let shift = 13u * i;
    if (shift == 0u) { sum = add_wide(sum, vec2u(digit, 0u)); }
    else if (shift < 32u) { sum = add_wide(sum, vec2u(digit << shift, digit >> (32u - shift))); }
    else { sum = add_wide(sum, vec2u(0u, digit << (shift - 32u))); }
  }
  return sum;
}
fn least() -> f32 { return bitcast<f32>(0x7F800000u - sum_word(AT_RANGE)); }
fn most() -> f32 { return bitcast<f32>(sum_word(AT_RANGE + 1u)); }
fn bin_edge(bin: u32) -> f32 { return p.bin_low + f32(bin) / p.bin_scale; }
fn bin_middle(bin: u32) -> f32 { return p.bin_low + (f32(bin) + 0.5) / p.bin_scale; }

// The log2 luminances between which pixels count in the clipped mean: at least the floor, which is delta or the middle of
// bin 0; within the slice's least and greatest where these are narrower.
fn clipped_range() -> vec2f {
  let floor_log2 = max(exact_log2(max(p.delta, LEAST_NORMAL)), bin_middle(0u));
  let low = max(floor_log2, exact_log2(max(least(), LEAST_NORMAL)));
  return vec2f(low, max(low, exact_log2(max(most(), LEAST_NORMAL))));
}

// The luminance that \`share\` of a bin's weight lies below, interpolated in log2.
fn luminance_in_bin(bin: u32, share: f32) -> f32 {
  let low = least();
  let range_low = select(bin_edge(0u), exact_log2(max(low, LEAST_NORMAL)), low > 0.0);
  let range_high = exact_log2(max(most(), LEAST_NORMAL));
  let to = select(min(bin_edge(bin + 1u), range_high), range_high, bin + 1u == BINS);
  let begin = min(select(max(bin_edge(bin), range_low), range_low, bin == 0u), to);
  return clamp(exact_exp2(begin + (to - begin) * share), low, most());
}
fn percentile(i: u32, zero: f32, total: f32) -> f32 {
  let rank = p.percentiles[i / 4u][i % 4u] * total;
  // Values are rounded separately: the difference may exceed the weight in the bins.
  let in_bins = min(rank - zero, s_until[BINS - 1u]);
  if (in_bins <= 0.0) { return select(0.0, least(), rank <= 0.0 && total > 0.0); }
  var first = 0u;
  var count = BINS;
  while (count > 1u) {
    let half_count = count / 2u;
    if (s_until[first + half_count - 1u] < in_bins) { first += half_count; }
    count -= half_count;
  }
  var before = 0.0;
  if (first > 0u) { before = s_until[first - 1u]; }
  return luminance_in_bin(first, (in_bins - before) / (s_until[first] - before));
}
fn clipped_part(before: f32, after: f32, total: f32, log2_luminance: f32) -> f32 {
  return max(min(after, p.clip_high * total) - max(before, p.clip_low * total), 0.0) * log2_luminance;
}

// Stops that adaptation moves towards a target: at \`speed\` until p.ease stops are left, then exponentially slower.
fn adapted_distance(distance: f32, speed: f32) -> f32 {
  let until_ease = max(distance - p.ease, 0.0) / speed;
  if (p.seconds <= until_ease) { return speed * p.seconds; }
  if (p.ease == 0.0) { return distance; }
  return distance - min(distance, p.ease) * exact_exp2(-(p.seconds - until_ease) * (speed / p.ease) * 1.44269504);
}

// Without pixels brighter than the floor and without a history: the state before the first image with light, which is
// then not adapted.
fn write_start(slice: u32, metered: f32) {
  results[slice].metered_luminance = exact_exp2(metered);
  results[slice].adapted_log2 = 0.0;
  results[slice].adapted_luminance = 0.0;
  results[slice].ev100 = 0.0;
  results[slice].exposure = 1.0;
}

fn write_exposure(slice: u32, metered: f32, has_history: bool) {
  var adapted = metered;
  if (has_history) {
    let before = results[slice].adapted_log2;
    let distance = metered - before;
    let moved = adapted_distance(abs(distance), select(p.down, p.up, distance > 0.0));
    adapted = before + select(-moved, moved, distance > 0.0);
  }
  results[slice].metered_luminance = exact_exp2(metered);
  results[slice].adapted_log2 = adapted;
  results[slice].adapted_luminance = exact_exp2(adapted);
  results[slice].ev100 = adapted + p.ev_offset;
  results[slice].exposure = exact_exp2(p.exposure_offset - adapted);
}

// Means, range and log-average; returns log2 of the luminance that the exposure is computed from.
fn write_statistics(slice: u32, weight: vec2u, clipped: f32) -> f32 {
  let divisor = float_wide(weight);
  let per_weight = select(4294967296.0, 1099511627776.0, WIDE) / divisor;
  for (var i = 0u; i < 3u; i++) { results[slice].mean_colour[i] = float_sum(i) * per_weight; }
  let mean = float_sum(3u) * per_weight;
  results[slice].mean_luminance = mean;
  results[slice].min_luminance = least();
  results[slice].max_luminance = most();
  // log2 of the log-average: whole / weight - 127 + fractions / weight, the first in integers.
  let whole = whole_sum(0u);
  var quotient = u32(clamp(float_wide(whole) / divisor, 0.0, 65000.0));
  if (less_wide(whole, scale_wide(weight, quotient))) { quotient -= 1u; }
  var rest = subtract_wide(whole, scale_wide(weight, quotient));
  if (!less_wide(rest, weight)) {
    rest = subtract_wide(rest, weight);
    quotient += 1u;
  }
  let integer = i32(quotient) - 127;
  let part = float_wide(rest) / divisor + float_sum(4u) * select(1.0, 256.0, WIDE) / divisor;
  let near = floor(part + 0.5);
  results[slice].log_average = exp2_parts(integer + i32(near), part - near);
  ${
    [
      'return f32(integer) + part;',
      'return exact_log2(max(mean, LEAST_NORMAL));',
      'return clipped_range().x + clipped / ((p.clip_high - p.clip_low) * divisor);',
    ][shape.statistic]
  }
}

fn write_result(slice: u32, weight: vec2u, zero_weight: vec2u, clipped: f32) {
  let valid = (weight.x | weight.y) != 0u;
  let has_history = p.seconds >= 0.0 && results[slice].has_history != 0u;
  results[slice].valid = select(0u, 1u, valid);
  let starts = valid && !has_history && most() <= max(p.delta, LEAST_NORMAL);
  results[slice].has_history = select(0u, 1u, (valid && !starts) || has_history);
  results[slice].finite_count = sum_word(AT_COUNTS);
  results[slice].nan_count = sum_word(AT_COUNTS + 1u);
  results[slice].infinite_count = sum_word(AT_COUNTS + 2u);
  results[slice].negative_count = sum_word(AT_COUNTS + 3u);
  results[slice].zero_count = sum_word(AT_COUNTS + 4u);
  results[slice].total_weight = weight;
  results[slice].zero_weight = zero_weight;
  if (valid) {
    let metered = clamp(write_statistics(slice, weight, clipped), p.log2_low, p.log2_high);
    if (starts) { write_start(slice, metered); } else { write_exposure(slice, metered, has_history); }
    return;
  }
  results[slice].log_average = 0.0;
  results[slice].mean_luminance = 0.0;
  results[slice].min_luminance = 0.0;
  results[slice].max_luminance = 0.0;
  for (var i = 0u; i < 3u; i++) { results[slice].mean_colour[i] = 0.0; }
  results[slice].metered_luminance = 0.0;
  if (!(results[slice].exposure > 0.0)) { results[slice].exposure = 1.0; }
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let slice = group.z;
  base = slice * SCRATCH_WORDS;
  // Weights of the lane's ${lanes} adjacent bins, and their prefix sums over lanes.
  var mine = vec2u(0u);
  for (var i = 0u; i < ${lanes}u; i++) {
    let bin = lane * ${lanes}u + i;
    let weight = bin_weight(bin);
    if ((weight.x | weight.y) != 0u) {
      atomicMax(&s_first, BINS - bin);
      atomicMax(&s_end, bin + 1u);
    }
    mine = add_wide(mine, weight);
  }
  s_scan[lane] = mine;
  for (var apart = 1u; apart < 256u; apart <<= 1u) {
    workgroupBarrier();  // sums over \`apart\` lanes are written
    var sum = s_scan[lane];
    if (lane >= apart) { sum = add_wide(sum, s_scan[lane - apart]); }
    workgroupBarrier();  // and read
    s_scan[lane] = sum;
  }
  workgroupBarrier();  // prefix sums are written
  let total_weight = whole_sum(1u);
  let zero_weight = whole_sum(2u);
  let total = float_wide(total_weight);
  let zero = float_wide(zero_weight);
  var until = subtract_wide(s_scan[lane], mine);
  var clipped = 0.0;
  let range = clipped_range();
  for (var i = 0u; i < ${lanes}u; i++) {
    let bin = lane * ${lanes}u + i;
    let before = float_wide(until);
    until = add_wide(until, bin_weight(bin));
    s_until[bin] = float_wide(until);
    // Relative to the value of pixels without a bin.
    clipped += clipped_part(zero + before, zero + s_until[bin], total, clamp(bin_middle(bin), range.x, range.y) - range.x);
  }
  s_clipped[lane] = clipped;
  for (var apart = 128u; apart > 0u; apart >>= 1u) {
    workgroupBarrier();  // the values to add are written
    if (lane < apart) { s_clipped[lane] += s_clipped[lane + apart]; }
  }
  workgroupBarrier();  // cumulative weights and the clipped sum are written

  // Each of the result's bins is the sum of \`joined\` counted bins; together they cover all with weight.
  let begin = BINS - atomicLoad(&s_first);
  let end = atomicLoad(&s_end);
  let given = BINS == 256u || end == 0u;
  let first = select(begin, 0u, given);
  let joined = select((end - begin + 255u) / 256u, 1u, given);
  var shown = vec2u(0u);
  for (var i = 0u; i < joined; i++) {
    let bin = first + lane * joined + i;
    if (bin < BINS) { shown = add_wide(shown, bin_weight(bin)); }
  }
  results[slice].histogram[lane] = shown;
  if (lane < 8u) { results[slice].percentiles[lane] = percentile(lane, zero, total); }
  if (lane == 64u) {
    results[slice].histogram_low = bin_edge(first);
    results[slice].histogram_high = bin_edge(first + joined * 256u);
  }
  if (lane == 128u) { write_result(slice, total_weight, zero_weight, s_clipped[0]); }
  storageBarrier();  // all invocations have read sums and bins
  for (var i = lane; i < SCRATCH_WORDS; i += 256u) { words[base + i] = 0u; }
}
`;
}
