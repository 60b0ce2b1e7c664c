// mipmaps.test.js: generateMipmaps() against its definition in double, for every usage that a texture can have and on
// textures that three.js makes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deviceDescriptor, generateMipmaps } from '../src/index.js';
import { randomOf } from './golden.js';
import { readTexture, requestDevice } from './gpu.js';
import { bytesOf, formatOf, meanLevels, toLight, toSrgb } from './oracle.js';

const random = randomOf(Number(process.env.ONEPASS_SEED ?? 7));
const { TEXTURE_BINDING, STORAGE_BINDING, COPY_DST, COPY_SRC, RENDER_ATTACHMENT } = GPUTextureUsage;
// What three.js asks for.
const ofThree = TEXTURE_BINDING | COPY_DST | COPY_SRC | RENDER_ATTACHMENT;
let device;
let large;
before(async () => {
  device = await requestDevice();
  large = await requestDevice(deviceDescriptor);
});
after(() => [device, large].forEach((one) => one.destroy()));

function filled(on, format, [width, height], bytes, { slices = 1, usage = ofThree, viewFormats = [] } = {}) {
  const texture = on.createTexture({
    label: 'albedo',
    size: [width, height, slices],
    mipLevelCount: 32 - Math.clz32(Math.max(width, height)),
    format,
    viewFormats,
    usage: usage | COPY_DST,
  });
  on.queue.writeTexture({ texture }, bytes, { bytesPerRow: width * formatOf(format).bytes, rowsPerImage: height }, [
    width,
    height,
    slices,
  ]);
  return texture;
}

/** Compares the levels of a texture with the means of its level 0. `format`: what its texels are. */
async function compare(on, texture, bytes, { format = texture.format, footprint = 'covering' } = {}) {
  const { channels, values, allowed, bytes: texelBytes } = formatOf(format);
  const srgb = format.endsWith('-srgb');
  const size = [texture.width, texture.height];
  const slices = texture.depthOrArrayLayers;
  const texels = size[0] * size[1];
  const want = Array.from({ length: slices }, (_, slice) => {
    const stored = values(bytes.slice(slice * texels * texelBytes, (slice + 1) * texels * texelBytes));
    return meanLevels(
      size,
      channels,
      stored.map((value, i) => (srgb && i % 4 < 3 ? toLight(value) : value)),
      footprint,
    );
  });
  for (let level = 1; level < texture.mipLevelCount; ++level) {
    const got = values(await readTexture(on, texture, level));
    const count = want[0][level - 1].length;
    assert.equal(got.length, count * slices);
    got.forEach((value, i) => {
      const exact = want[Math.floor(i / count)][level - 1][i % count];
      const code = srgb && i % 4 < 3 ? toSrgb(exact) : exact;
      assert.ok(
        Math.abs(value - code) <= allowed(code, i % channels),
        `${format} ${size}, level ${level}, value ${i}: ${value}, not ${code}`,
      );
    });
  }
}

const formats = [
  'rgba8unorm',
  'rgba8unorm-srgb',
  'bgra8unorm',
  'bgra8unorm-srgb',
  'r8unorm',
  'rg8unorm',
  'rgb10a2unorm',
  'r16float',
  'rg16float',
  'rgba16float',
  'r32float',
  'rg32float',
  'rgba32float',
];

test('generateMipmaps: every format of colour attachments, without storage usage', async () => {
  for (const [n, format] of formats.entries()) {
    const size = [13, 5]; // one small kernel
    const bytes = bytesOf(format, size[0] * size[1], random);
    for (const on of n % 4 === 0 ? [device, large] : [device]) {
      const texture = filled(on, format, size, bytes);
      await generateMipmaps(on, texture);
      await compare(on, texture, bytes);
      texture.destroy();
    }
  }
});

test('generateMipmaps: stores, copies or draws, as the usage allows', async () => {
  const size = [14, 9];
  const cases = [
    { format: 'rgba8unorm', usage: TEXTURE_BINDING | STORAGE_BINDING | COPY_SRC },
    { format: 'rgba8unorm', usage: TEXTURE_BINDING | COPY_DST | COPY_SRC },
    { format: 'rgba8unorm-srgb', usage: TEXTURE_BINDING | COPY_DST | COPY_SRC },
    { format: 'rgba8unorm', as: 'rgba8unorm-srgb', usage: ofThree | STORAGE_BINDING },
    { format: 'rgba8unorm', as: 'rgba8unorm-srgb', usage: ofThree },
    { format: 'bgra8unorm', as: 'bgra8unorm-srgb', usage: ofThree },
    { format: 'r8unorm', usage: TEXTURE_BINDING | RENDER_ATTACHMENT | COPY_SRC, footprint: 'edge' },
    { format: 'rgba16float', usage: TEXTURE_BINDING | COPY_DST | COPY_SRC, footprint: 'edge' },
  ];
  for (const { format, as = format, usage, footprint } of cases) {
    const bytes = bytesOf(format, size[0] * size[1], random);
    const texture = filled(device, format, size, bytes, { usage, viewFormats: as === format ? [] : [as] });
    await generateMipmaps(device, texture, { format: as, ...(footprint ? { footprint } : {}) });
    await compare(device, texture, bytes, { format: as, footprint });
  }
});

test('generateMipmaps: cube faces and array layers, each for itself', async () => {
  for (const [format, size, slices] of [
    ['rgba8unorm-srgb', [24, 24], 6],
    ['r8unorm', [17, 5], 3],
    ['rgba16float', [16, 16], 12],
  ]) {
    const bytes = bytesOf(format, size[0] * size[1] * slices, random);
    const texture = filled(device, format, size, bytes, { slices });
    await generateMipmaps(device, texture);
    await compare(device, texture, bytes);
  }
});

test('generateMipmaps: min, max and weighted alpha', async () => {
  const bytes = new Uint8Array([255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255]); // opaque red, and others transparent
  const texture = filled(device, 'rgba8unorm', [2, 2], bytes);
  await generateMipmaps(device, texture, { alpha: 'weighted' });
  assert.deepEqual([...(await readTexture(device, texture, 1))], [255, 0, 0, 128]);
  await generateMipmaps(device, texture, { reduction: 'min' });
  assert.deepEqual([...(await readTexture(device, texture, 1))], [0, 0, 0, 0]);
  await generateMipmaps(device, texture, { reduction: 'max' });
  assert.deepEqual([...(await readTexture(device, texture, 1))], [255, 255, 255, 255]);
});

test('generateMipmaps: what cannot be done is one error that names texture and usage', async () => {
  const make = (descriptor) =>
    device.createTexture({
      label: 'albedo',
      size: [8, 8],
      mipLevelCount: 4,
      format: 'rgba8unorm',
      usage: ofThree,
      ...descriptor,
    });
  const cases = [
    [
      make({ usage: COPY_DST | RENDER_ATTACHMENT }),
      {},
      /^texture: the texture "albedo" has the usage COPY_DST \| RENDER_ATTACHMENT; TEXTURE_BINDING is needed$/,
    ],
    [
      make({ usage: TEXTURE_BINDING | COPY_SRC }),
      {},
      /has the usage COPY_SRC \| TEXTURE_BINDING; STORAGE_BINDING, COPY_DST or RENDER_ATTACHMENT is needed to write its levels/,
    ],
    [
      make({ format: 'r8unorm', usage: TEXTURE_BINDING | COPY_DST }),
      {},
      /has the usage COPY_DST \| TEXTURE_BINDING; RENDER_ATTACHMENT is needed/,
    ],
    [make({ size: [8, 8, 8], dimension: '3d' }), {}, /"albedo" has the dimension 3d, not 2d/],
    [make({ format: 'rgba8uint' }), {}, /texture: rgba8uint is not a format that can be read as floats/],
    [
      make({ format: 'depth32float', usage: TEXTURE_BINDING | RENDER_ATTACHMENT }),
      {},
      /levels of depth32float cannot be written/,
    ],
    [make({}), { format: 'rgba16float' }, /format: rgba16float, but the texture "albedo" has the format rgba8unorm/],
    [make({}), { format: 'rgba8unorm-srgb' }, /^source: the texture "albedo": /], // without this view format
    [make({}), { gamma: 2 }, /gamma: no such field/],
    [{}, {}, /texture: is not a GPUTexture/],
  ];
  for (const [texture, options, message] of cases) {
    await assert.rejects(generateMipmaps(device, texture, options), (error) => {
      assert.match(error.message, message);
      return error.code === 'invalid_argument';
    });
  }
  await generateMipmaps(device, make({ mipLevelCount: 1 })); // nothing to do
});

test('generateMipmaps: textures of three.js', async () => {
  // What its WebGPU renderer needs of a browser.
  const kept = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', {
    value: { gpu: { getPreferredCanvasFormat: () => 'bgra8unorm' } },
    configurable: true,
  });
  globalThis.self = globalThis;
  globalThis.requestAnimationFrame = () => 0;
  globalThis.cancelAnimationFrame = () => {};
  const THREE = await import('three/webgpu');
  const canvas = {
    width: 8,
    height: 8,
    style: {},
    addEventListener() {},
    removeEventListener() {},
    getContext: () => ({ configure() {}, unconfigure() {} }),
  };
  const renderer = new THREE.WebGPURenderer({ canvas, device });
  const reported = [];
  renderer.onError = ({ message }) => reported.push(message);
  await renderer.init();
  const kinds = [
    ['rgba8unorm-srgb', [21, 9], THREE.RGBAFormat, THREE.UnsignedByteType],
    ['rgba8unorm', [21, 9], THREE.RGBAFormat, THREE.UnsignedByteType],
    ['r8unorm', [16, 5], THREE.RedFormat, THREE.UnsignedByteType],
    ['rg8unorm', [9, 9], THREE.RGFormat, THREE.UnsignedByteType],
    ['rgba16float', [15, 10], THREE.RGBAFormat, THREE.HalfFloatType],
    ['r16float', [16, 5], THREE.RedFormat, THREE.HalfFloatType],
    ['rgba32float', [12, 5], THREE.RGBAFormat, THREE.FloatType],
    ['rgba8unorm-srgb', [16, 16], THREE.RGBAFormat, THREE.UnsignedByteType, 6],
    ['rgba8unorm', [15, 6], THREE.RGBAFormat, THREE.UnsignedByteType, 3],
  ];
  for (const [format, [width, height], channels, type, slices = 1] of kinds) {
    const bytes = bytesOf(format, width * height * slices, random);
    const data = (from) =>
      type === THREE.HalfFloatType
        ? new Uint16Array(from.buffer)
        : type === THREE.FloatType
          ? new Float32Array(from.buffer)
          : from;
    const face = (n) =>
      new THREE.DataTexture(
        data(bytes.slice((n * bytes.length) / 6, ((n + 1) * bytes.length) / 6)),
        width,
        height,
        channels,
        type,
      );
    const texture =
      slices === 6
        ? new THREE.CubeTexture([0, 1, 2, 3, 4, 5].map(face))
        : slices > 1
          ? new THREE.DataArrayTexture(data(bytes), width, height, slices)
          : new THREE.DataTexture(data(bytes), width, height, channels, type);
    if (format.endsWith('srgb')) texture.colorSpace = THREE.SRGBColorSpace;
    Object.assign(texture, {
      generateMipmaps: true,
      mipmapsAutoUpdate: false,
      minFilter: THREE.LinearMipmapLinearFilter,
      needsUpdate: true,
    });
    renderer.initTexture(texture);
    const gpu = renderer.backend.get(texture).texture;
    assert.equal(gpu.format, format);
    assert.equal(gpu.usage & STORAGE_BINDING, 0);
    await generateMipmaps(device, gpu);
    await compare(device, gpu, bytes);
    texture.dispose();
  }
  assert.deepEqual(reported, []);
  if (kept) Object.defineProperty(globalThis, 'navigator', kept);
  else delete globalThis.navigator;
});
