// meter.test.js: the meter against the CPU engine.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Meter, ToneMap, parseMeterResults } from '../src/index.js';
import { binEnds } from '../src/meter_wgsl.js';
import { formats, golden, halfOf, randomOf, texels } from './golden.js';
import { readTexture, requestDevice, submit, textureOf } from './gpu.js';

const random = randomOf(Number(process.env.ONEPASS_SEED ?? 3));
const meterings = ['average', 'centre_weighted', 'spot', 'mask'];
let device;
before(async () => {
  device = await requestDevice();
});
after(() => device.destroy());

const scene = (count, special = true) => {
  const light = Float32Array.from({ length: 4 * count }, () => 2 ** (random() * 20 - 12));
  if (special && count > 8) {
    light.set([NaN, 1, 1, 1, Infinity, 1, 1, 1, -1, -2, -3, 1, 0, 0, 0, 1, 3, -0.1, 2, 1, 1e-9, 1e-9, 1e-9, 1], 0);
  }
  return light;
};

const caseOf = (o, input, frames, more) => ({
  kind: 'meter',
  size: o.size,
  slices: o.slices ?? 1,
  source: formats[o.source],
  ...(o.rect ? { rect: o.rect } : {}),
  weights: ['rec709', 'rec2020', 'acescg'].indexOf(o.weights ?? 'rec709'),
  metering: meterings.indexOf(o.metering ?? 'average'),
  centre_x: o.centre?.[0] ?? 0.5,
  centre_y: o.centre?.[1] ?? 0.5,
  radius: o.radius ?? 0,
  mask: o.mask ? formats[o.mask] : 0,
  histogram_low: o.histogramLow ?? 0,
  histogram_high: o.histogramHigh ?? 0,
  delta: o.delta ?? 1e-4,
  statistic: ['log_average', 'mean', 'percentiles'].indexOf(o.statistic ?? 'log_average'),
  rule: o.rule === 'saturation' ? 1 : 0,
  compensation: o.compensation ?? 0,
  frames: frames ?? [{ cut: true }],
  input,
  ...more,
});

/** Compares results; `codes`: by how many units of weight sums may differ. */
function compare(what, got, want, weightError = 0) {
  const near = (name, a, b, error, floor = 0) => {
    assert.ok(Math.abs(a - b) <= error * Math.max(Math.abs(b), floor), `${what}: ${name}: ${a}, not ${b}`);
  };
  for (const name of [
    'valid',
    'finiteCount',
    'nanCount',
    'infiniteCount',
    'negativeCount',
    'zeroCount',
    'hasHistory',
  ]) {
    assert.equal(got[name], want[name], `${what}: ${name}`);
  }
  for (const name of ['totalWeight', 'zeroWeight']) near(name, got[name], want[name], weightError);
  const loose = 2e-6 + weightError; // both engines are within 1e-6
  for (const name of [
    'logAverage',
    'meanLuminance',
    'minLuminance',
    'maxLuminance',
    'meteredLuminance',
    'adaptedLuminance',
    'exposure',
  ]) {
    near(name, got[name], want[name], name.startsWith('m') ? loose : 8e-6 + weightError);
  }
  near('ev100', got.ev100, want.ev100, 1e-6, 1);
  near('histogramLow', got.histogramLow, want.histogramLow, 1e-6);
  near('histogramHigh', got.histogramHigh, want.histogramHigh, 1e-6);
  got.meanColour.forEach((value, i) => near('meanColour', value, want.meanColour[i], loose));
  got.percentiles.forEach((value, i) => near(`percentile ${i}`, value, want.percentiles[i], weightError ? 1e-2 : 2e-6));
  const sum = want.totalWeight;
  got.histogram.forEach((value, i) =>
    assert.ok(
      Math.abs(value - want.histogram[i]) <= weightError * sum,
      `${what}: bin ${i}: ${value}, not ${want.histogram[i]}`,
    ),
  );
}

test('Meter: options and sizes like the CPU engine', async () => {
  const base = { source: 'rgba32float' };
  const list = [
    [{ ...base, size: [1, 1] }],
    [{ ...base, size: [200, 77] }],
    [{ ...base, size: [300, 100], statistic: 'mean', weights: 'rec2020' }],
    [{ ...base, size: [130, 40], statistic: 'percentiles', rule: 'saturation', compensation: 1 }],
    [{ ...base, size: [129, 33], histogramLow: -10, histogramHigh: 6, weights: 'acescg' }],
    [{ ...base, size: [150, 90], rect: [11, 7, 100, 50], delta: 0 }],
    [{ ...base, size: [64, 64], slices: 3 }],
    [{ ...base, size: [140, 70], metering: 'spot', radius: 0.7, centre: [0.4, 0.6] }],
    [{ ...base, size: [140, 70], metering: 'centre_weighted' }, 1e-4],
    [{ ...base, size: [90, 70], metering: 'mask', mask: 'r8unorm' }],
    [{ size: [100, 70], source: 'r32float' }],
    [{ size: [100, 70], source: 'rgba8unorm-srgb' }, 0],
  ];
  const inputs = list.map(([o]) =>
    o.source === 'rgba32float'
      ? scene(o.size[0] * o.size[1] * (o.slices ?? 1))
      : texels(o.source, o.size[0] * o.size[1], random),
  );
  const masks = list.map(([o]) => (o.mask ? texels(o.mask, o.size[0] * o.size[1], random) : null));
  const expected = golden(list.map(([o], i) => caseOf(o, inputs[i], null, masks[i] ? { mask_input: masks[i] } : {})));
  for (const [i, [o, weightError]] of list.entries()) {
    const meter = await Meter.create(device, o);
    const source = textureOf(device, o.source, o.size, inputs[i], { slices: o.slices });
    const mask = masks[i] ? { mask: textureOf(device, o.mask, o.size, masks[i]) } : {};
    const binding = await meter.bind({ source, ...mask });
    for (let run = 0; run < 2; ++run) {
      // the second finds zeroed sums
      submit(device, (encoder) => meter.record(encoder, binding));
      const results = await meter.read(binding);
      const want = parseMeterResults(expected[i]);
      if (o.source.endsWith('srgb')) {
        // sRGB decoded by the device
        assert.ok(Math.abs(results[0].meanLuminance / want[0].meanLuminance - 1) < 1e-3);
        continue;
      }
      results.forEach((result, slice) =>
        compare(`${JSON.stringify(o)} ${slice} run ${run}`, result, want[slice], weightError),
      );
    }
  }
});

test('Meter: adaptation over frames', async () => {
  const o = {
    size: [64, 48],
    source: 'rgba32float',
    adaptation: { upStopsPerSecond: 2, downStopsPerSecond: 0.5, easeStops: 1 },
  };
  const bright = scene(64 * 48);
  const dark = bright.map((value, i) => (i % 4 === 3 ? value : value / 64));
  const frames = [
    { cut: true },
    { cut: false, seconds: 0.5, second: true },
    { cut: false, seconds: 3, second: true },
    { cut: false, seconds: 0.25 },
    { cut: false, seconds: 100 },
  ];
  const [expected] = golden([
    caseOf(o, bright, frames, {
      second_input: dark,
      up_stops_per_second: 2,
      down_stops_per_second: 0.5,
      ease_stops: 1,
    }),
  ]);
  const want = parseMeterResults(expected);
  const meter = await Meter.create(device, o);
  const source = textureOf(device, o.source, o.size, bright);
  const binding = await meter.bind({ source });
  for (const [i, frame] of frames.entries()) {
    device.queue.writeTexture({ texture: source }, frame.second ? dark : bright, { bytesPerRow: 64 * 16 }, [64, 48]);
    meter.setFrame(binding, { cut: frame.cut, seconds: frame.seconds });
    submit(device, (encoder) => meter.record(encoder, binding));
    compare(`frame ${i}`, (await meter.read(binding))[0], want[i]);
  }
});

test('Meter: dark frames before the first light are no history', async () => {
  for (const statistic of ['log_average', 'mean', 'percentiles']) {
    const o = { size: [64, 48], source: 'rgba32float', statistic };
    const dark = new Float32Array(4 * 64 * 48);
    const half = dark.map((_, i) => (i % 8 < 4 ? 6e-8 : 0.5));
    const frames = [
      { cut: true },
      { cut: false, seconds: 0.04 },
      { cut: false, seconds: 0.04, second: true },
      { cut: false, seconds: 0.04 },
    ];
    const [expected] = golden([caseOf(o, dark, frames, { second_input: half })]);
    const want = parseMeterResults(expected);
    assert.equal(want[1].hasHistory, 0);
    const meter = await Meter.create(device, o);
    const source = textureOf(device, o.source, o.size, dark);
    const binding = await meter.bind({ source });
    for (const [i, frame] of frames.entries()) {
      device.queue.writeTexture({ texture: source }, frame.second ? half : dark, { bytesPerRow: 64 * 16 }, [64, 48]);
      meter.setFrame(binding, { cut: frame.cut, seconds: frame.seconds });
      submit(device, (encoder) => meter.record(encoder, binding));
      const [result] = await meter.read(binding);
      compare(`${statistic}: frame ${i}`, result, want[i]);
      if (i < 2) assert.deepEqual([result.valid, result.hasHistory, result.exposure, result.ev100], [1, 0, 1, 0]);
    }
  }
});

test('Meter: a tone map takes its exposure', async () => {
  const o = { size: [32, 32], source: 'rgba16float' };
  const input = Uint16Array.from({ length: 4 * 1024 }, () => halfOf(4));
  const source = textureOf(device, o.source, o.size, input);
  const target = textureOf(device, 'rgba32float', o.size, null, { storage: true });
  const meter = await Meter.create(device, o);
  const map = await ToneMap.create(device, {
    ...o,
    target: 'rgba32float',
    operator: 'exposure',
    transfer: 'linear',
    headroom: 10,
  });
  const metered = await meter.bind({ source });
  const mapped = await map.bind({ source, target, exposure: metered.results });
  submit(device, (encoder) => {
    meter.record(encoder, metered);
    map.record(encoder, mapped);
  });
  const result = new Float32Array((await readTexture(device, target)).buffer);
  assert.ok(Math.abs(result[0] - 0.18) < 1e-5, `${result[0]}`);
  // The same to a texture that is known only when commands are recorded, as that of a canvas.
  const other = textureOf(device, 'rgba32float', o.size, null, { storage: true });
  const open = await map.bind({ source, exposure: metered.results });
  submit(device, (encoder) => map.recordTo(encoder, open, other));
  assert.deepEqual(new Float32Array((await readTexture(device, other)).buffer), result);
  assert.throws(() => map.record(device.createCommandEncoder(), open), /binding: has no target/);
  assert.throws(
    () => map.recordTo(device.createCommandEncoder(), open, source),
    /target: the texture has the format rgba16float, but a storage view needs rgba32float/,
  );
});

test('Meter: the bin edges are those of the GLSL kernels', () => {
  const text = readFileSync(new URL('../../shaders/onepass/luminance_params.h', import.meta.url), 'utf8');
  const block = text.slice(
    text.indexOf('define ONEPASS_LUMINANCE_BIN_ENDS'),
    text.indexOf('define ONEPASS_LUMINANCE_GROUP'),
  );
  assert.deepEqual(
    [...block.matchAll(/0x([0-9A-F]{8})u/g)].map((match) => parseInt(match[1], 16)),
    binEnds,
  );
});

test('Meter: bad options', async () => {
  const good = { size: [8, 8], source: 'rgba16float' };
  for (const [change, message] of [
    [{ rect: [4, 4, 8, 1] }, /rect: 8x1 at 4, 4 is not within 8x8/],
    [{ percentiles: [0.5] }, /percentiles: eight/],
    [{ metering: 'mask' }, /mask: undefined/],
    [{ mask: 'r8unorm' }, /mask: r8unorm, but metering is average/],
    [{ clipHigh: 0.05 }, /clipHigh: 0.05/],
    [{ key: 0 }, /key: 0/],
    [{ adaptation: { up: 1 } }, /adaptation.up: no such field/],
    [{ histogramLow: 1, histogramHigh: 0 }, /histogramHigh: 0/],
  ]) {
    await assert.rejects(Meter.create(device, { ...good, ...change }), message);
  }
});
