// index.js: everything that the package exports.

/** @typedef {import('./errors.js').ErrorCode} ErrorCode */
/** @typedef {import('./footprint.js').Footprint} Footprint */
/** @typedef {import('./pyramid.js').PyramidOptions} PyramidOptions */
/** @typedef {import('./pyramid.js').PyramidPlan} PyramidPlan */
/** @typedef {import('./pyramid.js').PyramidDispatch} PyramidDispatch */
/** @typedef {import('./pyramid.js').PyramidTextures} PyramidTextures */
/** @typedef {import('./binding.js').Binding} Binding */
/** @typedef {import('./mipmaps.js').MipmapOptions} MipmapOptions */
/** @typedef {import('./tile_reduction.js').TileReductionOptions} TileReductionOptions */
/** @typedef {import('./tile_reduction.js').TileReductionPlan} TileReductionPlan */
/** @typedef {import('./depth_query.js').DepthQueryCallbacks} DepthQueryCallbacks */
/** @typedef {import('./tone_map.js').ToneOperator} ToneOperator */
/** @typedef {import('./tone_map.js').ToneOptions} ToneOptions */
/** @typedef {import('./tone_map.js').ToneMapOptions} ToneMapOptions */
/** @typedef {import('./meter.js').MeterOptions} MeterOptions */
/** @typedef {import('./meter.js').MeterResult} MeterResult */
/** @typedef {import('./meter.js').MeterBinding} MeterBinding */
/** @typedef {import('./fourier.js').FourierOptions} FourierOptions */
/** @typedef {import('./fourier.js').FourierPlan} FourierPlan */
/** @typedef {import('./fourier.js').ConvolutionOptions} ConvolutionOptions */
/** @typedef {import('./fourier.js').FilterOptions} FilterOptions */
/** @typedef {import('./fourier.js').FilterGain} FilterGain */
/** @typedef {import('./bloom.js').BloomOptions} BloomOptions */
/** @typedef {import('./bloom.js').BloomLight} BloomLight */

export { OnepassError } from './errors.js';
export { deviceDescriptor } from './device.js';
export { affectedRange, footprintRange, fullLevelCount, levelSize } from './footprint.js';
export { Pyramid, planPyramid } from './pyramid.js';
export { generateMipmaps } from './mipmaps.js';
export { TileReduction, planTileReduction } from './tile_reduction.js';
export { depthQueryWgsl } from './depth_query.js';
export { ToneMap, toneMapWgslFunctions, toneOperators, usesHeadroom } from './tone_map.js';
export { Meter, parseMeterResults } from './meter.js';
export { meterResultWgsl } from './meter_wgsl.js';
export { Convolution, Filter, Fourier, planFourier } from './fourier.js';
export { nextSmoothSize } from './fourier_line.js';
export { Bloom, glareKernel } from './bloom.js';
