// meter_layout.js: the layout of a meter's result, that of struct LuminanceResult in shaders/onepass/luminance_params.h.

export const meterBins = 256;
export const meterPercentiles = 8;
/** Bytes of one slice's result. */
export const meterResultBytes = 144 + 8 * meterBins;

/**
 * The members in 32-bit words.
 * @type {readonly [name: string, kind: 'u32' | 'f32' | 'u64', at: number, count: number][]}
 */
export const meterMembers = [
  ['valid', 'u32', 0, 1],
  ['exposure', 'f32', 1, 1],
  ['ev100', 'f32', 2, 1],
  ['logAverage', 'f32', 3, 1],
  ['adaptedLuminance', 'f32', 4, 1],
  ['meanLuminance', 'f32', 5, 1],
  ['minLuminance', 'f32', 6, 1],
  ['maxLuminance', 'f32', 7, 1],
  ['meanColour', 'f32', 8, 3],
  ['meteredLuminance', 'f32', 11, 1],
  ['finiteCount', 'u32', 12, 1],
  ['nanCount', 'u32', 13, 1],
  ['infiniteCount', 'u32', 14, 1],
  ['negativeCount', 'u32', 15, 1],
  ['zeroCount', 'u32', 16, 1],
  ['hasHistory', 'u32', 17, 1],
  ['adaptedLog2', 'f32', 18, 1],
  ['histogramLow', 'f32', 19, 1],
  ['histogramHigh', 'f32', 20, 1],
  ['totalWeight', 'u64', 22, 1],
  ['zeroWeight', 'u64', 24, 1],
  ['percentiles', 'f32', 26, 8],
  ['histogram', 'u64', 36, 256],
];
