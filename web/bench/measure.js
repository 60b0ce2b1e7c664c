// measure.js: all measurements of the benchmark, for Node and for the page.
import { measureMips } from './mips.js';
import { measureTransform } from './transforms.js';

/** Measures mip chains of `sizes`, then transforms of `squares`, and prints lines with `print`. */
export async function measure(device, Downsampler, sizes, squares, print) {
  const { vendor, architecture, description } = device.adapterInfo;
  print(
    `adapter: ${vendor} ${architecture} ${description}, ${device.limits.maxStorageTexturesPerShaderStage} storage textures a stage, ` +
      `times by ${device.features.has('timestamp-query') ? 'timestamps' : "the host's clock"}`,
  );
  for (const size of sizes) {
    for (const format of ['rgba8unorm', 'r32float']) await measureMips(device, Downsampler, format, size, print);
  }
  for (const side of squares) await measureTransform(device, [side, side], print);
}
