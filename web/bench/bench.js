// bench.js: `npm run bench [-- WIDTHxHEIGHT ...]`: mip chains by this package, by webgpu-spd and by render passes, then a
// transform, on the adapter of Node's WebGPU; bench/index.html runs the same in a browser. Environment:
// ONEPASS_DEFAULT_LIMITS=1 requests no limit beyond the defaults, ONEPASS_ROUNDS=N takes N rounds.
import { requestDevice } from '../test/gpu.js';
import { deviceDescriptor } from '../src/index.js';
import { measure } from './measure.js';

const sizes = process.argv.slice(2).map((text) => text.split('x').map(Number));
const device = await requestDevice((adapter) =>
  process.env.ONEPASS_DEFAULT_LIMITS === '1'
    ? { requiredFeatures: deviceDescriptor(adapter).requiredFeatures }
    : deviceDescriptor(adapter),
);
const { WebGPUSinglePassDownsampler } = await import('webgpu-spd');
await measure(
  device,
  WebGPUSinglePassDownsampler,
  sizes.length
    ? sizes
    : [
        [1920, 1080],
        [4096, 4096],
        [4095, 4095],
      ],
  [1024],
  console.log,
);
device.destroy();
