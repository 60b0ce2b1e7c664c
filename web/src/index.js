// index.js: everything that the package exports.
export { OnepassError } from './errors.js';
export { deviceDescriptor } from './device.js';
export { affectedRange, footprintRange, fullLevelCount, levelSize } from './footprint.js';
export { Pyramid, planPyramid } from './pyramid.js';
export { TileReduction, planTileReduction } from './tile_reduction.js';
export { depthQueryWgsl } from './depth_query.js';
export { ToneMap, toneMapWgslFunctions, toneOperators, usesHeadroom } from './tone_map.js';
export { Meter, parseMeterResults } from './meter.js';
export { meterResultWgsl } from './meter_wgsl.js';
export { Convolution, Filter, Fourier, planFourier } from './fourier.js';
export { nextSmoothSize } from './fourier_line.js';
export { Bloom, glareKernel } from './bloom.js';
