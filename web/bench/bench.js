// bench.js: `npm run bench [-- WIDTHxHEIGHT ...]`: mip chains by this package, by webgpu-spd and by a chain of render
// passes, on the adapter of Node's WebGPU; bench/index.html runs the same in a browser.
import { requestDevice } from '../test/gpu.js';
import { deviceDescriptor } from '../src/index.js';
import { measure } from './mips.js';

const sizes = process.argv.slice(2).map((text) => text.split('x').map(Number));
const device = await requestDevice((adapter) => (process.env.ONEPASS_DEFAULT_LIMITS === '1'
  ? { requiredFeatures: deviceDescriptor(adapter).requiredFeatures } : deviceDescriptor(adapter)));
const { WebGPUSinglePassDownsampler } = await import('webgpu-spd');
await measure(device, WebGPUSinglePassDownsampler, sizes.length ? sizes : [[1024, 1024], [1920, 1080]], console.log);
device.destroy();
