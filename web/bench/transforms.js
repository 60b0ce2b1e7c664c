// transforms.js: the time of a transform and its inverse; the result is compared with the source.
import { Fourier } from '../src/index.js';
import { times, timeText } from './timing.js';

/** Measures a transform there and back of four 8-bit channels and prints a line with `print`. */
export async function measureTransform(device, size, print) {
  const [width, height] = size;
  const source = device.createTexture({ size, format: 'rgba8unorm', usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST });
  const target = device.createTexture({
    size, format: 'rgba8unorm', usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
  });
  const texels = Uint8Array.from({ length: 4 * width * height }, (_, i) => (i * 2654435761) >>> 24);
  device.queue.writeTexture({ texture: source }, texels, { bytesPerRow: 4 * width }, size);
  const fourier = await Fourier.create(device, { size, source: 'rgba8unorm', target: 'rgba8unorm' });
  const spectrum = device.createBuffer({ size: fourier.plan.spectrumBytes, usage: GPUBufferUsage.STORAGE });
  const forward = await fourier.bindForward({ source, spectrum });
  const inverse = await fourier.bindInverse({ spectrum, target });
  const [samples] = await times(device, [(encoder) => {
    fourier.record(encoder, forward);
    fourier.record(encoder, inverse);
  }]);
  const pitch = Math.ceil(width * 4 / 256) * 256;
  const buffer = device.createBuffer({ size: pitch * height, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: pitch }, size);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const bytes = new Uint8Array(buffer.getMappedRange());
  let wrong = 0;
  for (let i = 0; i < texels.length; ++i) wrong += texels[i] !== bytes[Math.floor(i / (4 * width)) * pitch + i % (4 * width)];
  print(`fourier/webgpu/rgba8unorm/${width}x${height}/there and back: ${timeText(samples)}, ${wrong} codes differ from the source`);
  [source, target, spectrum, forward, inverse, fourier, buffer].forEach((resource) => resource.destroy());
}
