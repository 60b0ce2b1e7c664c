// fourier.test.js: transforms and convolutions against the CPU engine and against definitions in double.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Convolution, Filter, Fourier, nextSmoothSize } from '../src/index.js';
import { lineTables, planLine } from '../src/fourier_line.js';
import { formats, golden, randomOf, texels, valuesOf } from './golden.js';
import { readBuffer, readTexture, requestDevice, submit, textureOf } from './gpu.js';

const full = process.env.ONEPASS_FULL === '1';
const random = randomOf(Number(process.env.ONEPASS_SEED ?? 4));
const boundaries = ['zero', 'wrap', 'clamp', 'mirror'];
let device;
before(async () => {
  device = await requestDevice();
});
after(() => device.destroy());

/** Relative L2 error. */
function distance(got, want) {
  let error = 0;
  let energy = 0;
  for (let i = 0; i < want.length; ++i) {
    error += (got[i] - want[i]) ** 2;
    energy += want[i] ** 2;
  }
  assert.equal(got.length, want.length);
  return Math.sqrt(error / Math.max(energy, 1e-30));
}

async function check(o) {
  const slices = o.slices ?? 1;
  const input = texels(o.source, o.size[0] * o.size[1] * slices, random, { signed: o.source.endsWith('32float') });
  const [expected] = golden([
    { kind: 'fourier', size: o.size, slices, source: formats[o.source], channels: o.channels ?? 0, input },
  ]);
  const fourier = await Fourier.create(device, o);
  const source = textureOf(device, o.source, o.size, input, { slices });
  const spectrum = device.createBuffer({
    size: fourier.plan.spectrumBytes,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC,
  });
  const forward = await fourier.bindForward({ source, spectrum });
  const format = o.target ?? ['r32float', 'rg32float', 'rgba32float', 'rgba32float'][fourier.plan.channels - 1];
  const target = textureOf(device, format, o.size, null, { slices, storage: true });
  const inverse = await fourier.bindInverse({ spectrum, target });
  submit(device, (encoder) => {
    fourier.record(encoder, forward);
    fourier.record(encoder, inverse);
  });
  const got = new Float32Array((await readBuffer(device, spectrum)).buffer);
  const error = distance(got, new Float32Array(expected));
  assert.ok(error < 7e-7, `${JSON.stringify(o)}: relative error ${error}`); // both engines are within 5e-7
  const back = valuesOf(format, await readTexture(device, target));
  if (o.source === 'rgba8unorm') {
    assert.deepEqual(back, input); // 8-bit images survive a round trip
  } else if (!o.channels) {
    assert.ok(distance(back, input) < 1e-6, `${JSON.stringify(o)}: round trip`);
  }
  [forward, inverse, fourier, source, spectrum, target].forEach((resource) => resource.destroy());
}

test('Fourier: sizes and channels like the CPU engine', async () => {
  const list = [
    { size: [1, 8], source: 'r32float' },
    { size: [64, 48], source: 'rgba8unorm', target: 'rgba8unorm' },
    { size: [105, 36], source: 'rg32float' },
    { size: [11, 15], source: 'rgba32float', channels: 3 },
    { size: [14, 37], source: 'r32float', slices: 3 },
  ];
  if (full)
    for (let i = 0; i < 500; ++i)
      list.push({ size: [1 + Math.floor(random() * 300), 1 + Math.floor(random() * 300)], source: 'rgba32float' });
  for (const o of list) await check(o);
});

test('Fourier: the longest lines of the default limits', async () => {
  await check({ size: [4096, 2], source: 'r32float' });
  await check({ size: [3, 2039], source: 'r32float' });
});

test('Fourier: plans of all lengths up to 4096', () => {
  for (let n = 1; n <= 4096; ++n) {
    const plan = planLine(n);
    assert.equal(
      plan.radices.reduce((a, b) => a * b, 1),
      plan.length,
    );
    assert.ok(plan.bluestein ? plan.length >= 2 * n - 1 : plan.length === n);
    assert.ok(plan.slots <= 40 && plan.threads <= 256, `${n}: ${plan.slots} ${plan.threads}`);
  }
  assert.equal(nextSmoothSize(11), 12);
  const tables = lineTables(planLine(48));
  for (let k = 0; k < 48; ++k) {
    assert.ok(Math.abs(tables[2 * k] - Math.cos((2 * Math.PI * k) / 48)) < 1e-7);
    assert.ok(Math.abs(tables[2 * k + 1] + Math.sin((2 * Math.PI * k) / 48)) < 1e-7);
  }
});

test('Convolution: boundaries, kernels and alpha like the CPU engine', async () => {
  const list = [
    { size: [33, 20], source: 'rgba32float', kernelSize: [5, 7], kernel: 'r32float', boundary: 'zero' },
    { size: [40, 20], source: 'rgba32float', kernelSize: [5, 7], kernel: 'r32float', boundary: 'wrap', alpha: 'pass' },
    {
      size: [33, 21],
      source: 'r32float',
      kernelSize: [4, 9],
      kernel: 'r32float',
      boundary: 'clamp',
      scale: 'unit_sum',
    },
    {
      size: [25, 18],
      source: 'rgba32float',
      kernelSize: [9, 4],
      kernel: 'rgba32float',
      boundary: 'mirror',
      kernelChannels: 'per_channel',
      scale: 'unit_sum',
    },
    {
      size: [30, 18],
      slices: 2,
      source: 'rg32float',
      kernelSize: [6, 6],
      kernel: 'rgba32float',
      kernelOrigin: [0, 5],
      mix: 0.25,
      boundary: 'mirror',
    },
  ];
  for (const o of list) {
    const slices = o.slices ?? 1;
    const input = texels(o.source, o.size[0] * o.size[1] * slices, random);
    const weights = texels(o.kernel, o.kernelSize[0] * o.kernelSize[1], random);
    const [expected] = golden([
      {
        kind: 'convolution',
        size: o.size,
        slices,
        source: formats[o.source],
        target: formats[o.source],
        kernel_size: o.kernelSize,
        kernel: formats[o.kernel],
        ...(o.kernelOrigin ? { kernel_origin: o.kernelOrigin } : {}),
        boundary: boundaries.indexOf(o.boundary),
        scale: o.scale === 'unit_sum' ? 1 : 0,
        kernel_channels: o.kernelChannels ? 1 : 0,
        alpha: o.alpha === 'pass' ? 1 : 0,
        mix: o.mix ?? 1,
        input,
        kernel_input: weights,
      },
    ]);
    const convolution = await Convolution.create(device, { ...o, target: o.source });
    await convolution.setKernel(textureOf(device, o.kernel, o.kernelSize, weights));
    const source = textureOf(device, o.source, o.size, input, { slices });
    const target = textureOf(device, o.source, o.size, null, { slices, storage: true });
    const binding = await convolution.bind({ source, target });
    submit(device, (encoder) => convolution.record(encoder, binding));
    const got = valuesOf(o.source, await readTexture(device, target));
    const want = new Float32Array(expected);
    const largest = want.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    got.forEach((value, i) =>
      assert.ok(
        Math.abs(value - want[i]) <= 2e-6 * largest,
        `${JSON.stringify(o)}: value ${i}: ${value}, not ${want[i]}`,
      ),
    );
  }
});

test('Filter: a Gaussian low-pass against its definition', async () => {
  const size = [24, 15];
  const input = texels('r32float', 24 * 15, random);
  const filter = await Filter.create(device, { size, source: 'r32float', target: 'r32float', boundary: 'wrap' });
  filter.setGain({ shape: 'gaussian', cutoff: 0.08 });
  const source = textureOf(device, 'r32float', size, input);
  const target = textureOf(device, 'r32float', size, null, { storage: true });
  const binding = await filter.bind({ source, target });
  submit(device, (encoder) => filter.record(encoder, binding));
  const got = new Float32Array((await readTexture(device, target)).buffer);
  const want = new Float64Array(input.length);
  for (let ky = 0; ky < 15; ++ky) {
    for (let kx = 0; kx < 24; ++kx) {
      let [re, im] = [0, 0];
      for (let i = 0; i < input.length; ++i) {
        const angle = -2 * Math.PI * ((kx * (i % 24)) / 24 + (ky * Math.floor(i / 24)) / 15);
        re += input[i] * Math.cos(angle);
        im += input[i] * Math.sin(angle);
      }
      const f = Math.hypot(Math.min(kx, 24 - kx) / 24, Math.min(ky, 15 - ky) / 15);
      const gain = Math.exp(-0.5 * (f / 0.08) ** 2) / input.length;
      for (let i = 0; i < input.length; ++i) {
        const angle = 2 * Math.PI * ((kx * (i % 24)) / 24 + (ky * Math.floor(i / 24)) / 15);
        want[i] += gain * (re * Math.cos(angle) - im * Math.sin(angle));
      }
    }
  }
  got.forEach((value, i) => assert.ok(Math.abs(value - want[i]) < 3e-6, `${i}: ${value}, not ${want[i]}`));
});

test('Fourier: what does not fit is refused by name', async () => {
  const good = { size: [8, 8], source: 'rgba16float' };
  for (const [change, message] of [
    [{ size: [4200, 8] }, /maxComputeWorkgroupStorageSize: the device has 16384, 16800 needed for a transform of 4200/],
    [{ size: [8, 2053] }, /a transform of 2053 texels, which has a prime factor above 7/],
    [{ size: [4096, 4096] }, /maxStorageBufferBindingSize: the device has 134217728/],
    [{ channels: 5 }, /channels: 5/],
    [{ norm: 'unitary' }, /norm: "unitary"/],
    [{ target: 'r32float' }, /target: r32float has 1/],
  ]) {
    await assert.rejects(Fourier.create(device, { ...good, ...change }), message);
  }
  const fourier = await Fourier.create(device, good);
  const source = textureOf(device, 'rgba16float', [8, 8], null);
  await assert.rejects(
    fourier.bindForward({ source, spectrum: device.createBuffer({ size: 64, usage: GPUBufferUsage.STORAGE }) }),
    /spectrum: a buffer of 64 bytes, 1280 are needed/,
  );
  await assert.rejects(
    Convolution.create(device, {
      ...good,
      target: 'rgba16float',
      kernelSize: [3, 3],
      kernel: 'r32float',
      kernelOrigin: [3, 0],
    }),
    /kernelOrigin: 3,0 is outside of 3x3/,
  );
});
