// objects.test.js: what all techniques share: textures of all usages, errors that name texture and usage, destroy(), lost
// devices.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Bloom, Convolution, Filter, Fourier, Meter, Pyramid, TileReduction, ToneMap } from '../src/index.js';
import { randomOf, texels } from './golden.js';
import { readBuffer, readTexture, requestDevice, submit } from './gpu.js';

const random = randomOf(Number(process.env.ONEPASS_SEED ?? 8));
const { TEXTURE_BINDING, STORAGE_BINDING, COPY_DST, COPY_SRC, RENDER_ATTACHMENT } = GPUTextureUsage;
const all = TEXTURE_BINDING | STORAGE_BINDING | COPY_DST | COPY_SRC | RENDER_ATTACHMENT;
const size = [20, 12]; // lengths without large prime factors, whose kernels compile for long
let device;
before(async () => {
  device = await requestDevice();
});
after(() => device.destroy());

const srgb = { size, source: 'rgba8unorm-srgb', target: 'rgba8unorm-srgb' };
const plane = (on, descriptor) =>
  on.createTexture({
    label: 'frame',
    size,
    format: 'rgba8unorm',
    viewFormats: ['rgba8unorm-srgb'],
    mipLevelCount: 5,
    usage: all,
    ...descriptor,
  });

/**
 * Every technique with an sRGB source: create, bind(source, target), and what record() needs before. `out(target)`:
 * level, and size in texels, of the result; a buffer instead of a texture where it writes none.
 */
const techniques = [
  {
    name: 'Pyramid',
    create: (on) => Pyramid.create(on, srgb),
    bind: (object, source, target) => object.bind({ source, target }),
    level: 1,
  },
  {
    name: 'TileReduction',
    create: (on) => TileReduction.create(on, { ...srgb, factor: 2, reduction: 'mean' }),
    bind: (object, source) =>
      object.bind({ source, target: plane(device, { size: object.plan.size, mipLevelCount: 1 }) }),
    own: true,
  },
  {
    name: 'ToneMap',
    create: (on) => ToneMap.create(on, { ...srgb, operator: 'exposure' }),
    bind: (object, source, target) => object.bind({ source, target }),
    level: 0,
  },
  {
    name: 'Convolution',
    create: async (on) => {
      const convolution = await Convolution.create(on, {
        ...srgb,
        kernelSize: [3, 3],
        kernel: 'rgba8unorm-srgb',
        scale: 'unit_sum',
      });
      const kernel = plane(on, { size: [3, 3], mipLevelCount: 1 });
      on.queue.writeTexture({ texture: kernel }, new Uint8Array(36).fill(255), { bytesPerRow: 12 }, [3, 3]);
      await convolution.setKernel(kernel);
      return convolution;
    },
    bind: (object, source, target) => object.bind({ source, target }),
    level: 0,
  },
  {
    name: 'Filter',
    create: (on) => Filter.create(on, srgb),
    bind: (object, source, target) => object.bind({ source, target }),
    level: 0,
  },
  {
    name: 'Bloom',
    create: (on) => Bloom.create(on, { ...srgb, method: 'mip_chain' }),
    bind: (object, source, target) => object.bind({ source, target }),
    level: 0,
  },
  {
    name: 'Fourier',
    create: (on) => Fourier.create(on, srgb),
    bind: (object, source) =>
      object.bindForward({
        source,
        spectrum: device.createBuffer({
          label: 'spectrum',
          size: object.plan.spectrumBytes,
          usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
        }),
      }),
    own: true,
  },
  {
    name: 'Meter',
    create: (on) => Meter.create(on, { size, source: 'rgba8unorm-srgb' }),
    bind: (object, source) => object.bind({ source }),
    own: true,
  },
];

test('Every technique: an sRGB source and a target of all usages', async () => {
  const input = texels('rgba8unorm', size[0] * size[1], random);
  for (const { name, create, bind, level, own } of techniques) {
    const object = await create(device);
    // The reference: a source that is only read, for which no view has to be narrowed.
    const results = [];
    for (const usage of [TEXTURE_BINDING | COPY_DST, all]) {
      const source = plane(device, { usage, mipLevelCount: 1 });
      device.queue.writeTexture({ texture: source }, input, { bytesPerRow: 4 * size[0] }, size);
      const made = [];
      const target = plane(device);
      const { createBuffer, createTexture } = device;
      device.createBuffer = (descriptor) => {
        const buffer = createBuffer.call(device, descriptor);
        if (descriptor.label === 'spectrum') made.push(buffer);
        return buffer;
      };
      device.createTexture = (descriptor) => {
        const texture = createTexture.call(device, descriptor);
        if (descriptor.label === 'frame') made.push(texture);
        return texture;
      };
      const binding = await bind(object, source, target);
      Object.assign(device, { createBuffer, createTexture });
      submit(device, (encoder) => object.record(encoder, binding));
      const result =
        name === 'Meter'
          ? new Uint8Array(Float64Array.of((await object.read(binding))[0].meanLuminance).buffer)
          : name === 'Fourier'
            ? await readBuffer(device, made[0])
            : await readTexture(device, own ? made[0] : target, level ?? 0);
      assert.ok(new Set(result).size > 4, `${name}: writes something`);
      results.push(result);
      binding.destroy();
    }
    assert.deepEqual(results[1], results[0], name);
    object.destroy();
  }
});

test('Every technique: a missing usage is an error that names texture and usage', async () => {
  const good = plane(device);
  for (const { name, create, bind, own } of techniques) {
    const object = await create(device);
    await assert.rejects(bind(object, plane(device, { usage: COPY_DST | RENDER_ATTACHMENT }), good), (error) => {
      assert.equal(
        error.message,
        'source: the texture "frame" has the usage COPY_DST | RENDER_ATTACHMENT; TEXTURE_BINDING is needed',
        name,
      );
      return error.code === 'invalid_argument';
    });
    await assert.rejects(bind(object, plane(device, { viewFormats: [] }), good), (error) => {
      assert.match(error.message, /^source: the texture "frame": .*rgba8unorm-srgb|RGBA8UnormSrgb/i, name); // a view, refused by the device
      return error.code === 'invalid_argument';
    });
    if (!own) {
      await assert.rejects(
        bind(object, good, plane(device, { label: '', usage: TEXTURE_BINDING })),
        { message: 'target: the texture has the usage TEXTURE_BINDING; STORAGE_BINDING is needed' },
        name,
      );
    }
    object.destroy();
  }
  const buffer = device.createBuffer({ size: 65536, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.UNIFORM });
  const fourier = await Fourier.create(device, srgb);
  await assert.rejects(fourier.bindForward({ source: good, spectrum: buffer }), {
    message: 'spectrum: a buffer of usage COPY_SRC | UNIFORM; STORAGE is needed',
  });
  const map = await ToneMap.create(device, srgb);
  await assert.rejects(map.bind({ source: good, exposure: buffer }), {
    message: 'exposure: a buffer of usage COPY_SRC | UNIFORM; STORAGE is needed',
  });
  await assert.rejects(map.bind({ source: good, exposure: {} }), { message: 'exposure: is not a GPUBuffer' });
});

test('Every technique: destroyed objects and bindings are refused', async () => {
  for (const { name, create, bind } of techniques) {
    const object = await create(device);
    const [source, target] = [plane(device), plane(device)];
    const [first, second] = [await bind(object, source, target), await bind(object, source, target)];
    const encoder = device.createCommandEncoder();
    first.destroy();
    assert.throws(() => object.record(encoder, first), { message: 'binding: is destroyed' }, name);
    object.record(encoder, second);
    object.destroy();
    assert.throws(() => object.record(encoder, second), /: is destroyed$/, name);
    await assert.rejects(
      bind(object, source, target),
      (error) => error.code === 'invalid_argument' && / is destroyed$/.test(error.message),
      name,
    );
    second.destroy();
  }
  const pyramid = await Pyramid.create(device, srgb);
  const whole = await pyramid.bind({ source: plane(device), target: plane(device) });
  const update = await pyramid.bindUpdate(whole, [0, 0, 4, 4]);
  whole.destroy();
  assert.throws(() => pyramid.record(device.createCommandEncoder(), update), {
    message: 'binding of the full build: is destroyed',
  });
});

test('Every technique: create on a lost device rejects, the first time', async () => {
  for (const waits of [true, false]) {
    for (const { name, create } of techniques) {
      const lost = await requestDevice();
      lost.destroy();
      if (waits) await lost.lost;
      await assert.rejects(
        create(lost),
        (error) => error.name === 'OnepassError' && error.code === 'device_lost',
        `${name}, ${waits}`,
      );
    }
  }
});
