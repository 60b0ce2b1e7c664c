// transforms.js: the time of a transform and its inverse; the result is compared with the source.
import { Fourier } from '../src/index.js';
import { readTexture } from '../test/textures.js';
import { codesOf } from './texels.js';
import { times, timeText } from './timing.js';

/** Measures a transform there and back of four 8-bit channels and prints a line with `print`. */
export async function measureTransform(device, size, print) {
  const [width, height] = size;
  const source = device.createTexture({
    size,
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  const target = device.createTexture({
    size,
    format: 'rgba8unorm',
    usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
  });
  const texels = codesOf(4 * width * height);
  device.queue.writeTexture({ texture: source }, texels, { bytesPerRow: 4 * width }, size);
  const fourier = await Fourier.create(device, { size, source: 'rgba8unorm', target: 'rgba8unorm' });
  const spectrum = device.createBuffer({ size: fourier.plan.spectrumBytes, usage: GPUBufferUsage.STORAGE });
  const forward = await fourier.bindForward({ source, spectrum });
  const inverse = await fourier.bindInverse({ spectrum, target });
  const [samples] = await times(device, [
    (encoder) => {
      fourier.record(encoder, forward);
      fourier.record(encoder, inverse);
    },
  ]);
  const back = await readTexture(device, target);
  const wrong = texels.filter((code, i) => code !== back[i]).length;
  print(
    `fourier/webgpu/rgba8unorm/${width}x${height}/there and back: ${timeText(samples)}, ${wrong} codes differ from the source`,
  );
  [source, target, spectrum, forward, inverse, fourier].forEach((resource) => resource.destroy());
}
