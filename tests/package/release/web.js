// web.js GPU_JS: mip levels by the installed package, in Node; GPU_JS is web/test/gpu.js, which opens a device.
import assert from 'node:assert/strict';
import { fullLevelCount, generateMipmaps } from '@onepass/webgpu';

const { readTexture, requestDevice, textureOf } = await import(process.argv[2]);
const size = [61, 47];
const texels = Uint8Array.from({ length: 4 * size[0] * size[1] }, (_, i) => (i * 7919) % 251);
const device = await requestDevice();
const levels = fullLevelCount(size);
const texture = textureOf(device, 'rgba8unorm', size, texels, { levels });
await generateMipmaps(device, texture);
const last = await readTexture(device, texture, levels - 1);
for (let channel = 0; channel < 4; ++channel) {
  const mean = texels.filter((_, i) => i % 4 === channel).reduce((sum, value) => sum + value) / (size[0] * size[1]);
  assert.ok(Math.abs(last[channel] - mean) <= 1, `channel ${channel}: ${last[channel]}, not ${mean}`);
}
console.log(`  ${levels} levels in Node ${process.version}`);
process.exit();
