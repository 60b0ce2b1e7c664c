// tone_map.test.js: every operator and transfer against the CPU engine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ToneMap, toneMapWgslFunctions, toneOperators } from '../src/index.js';
import { primariesMatrix } from '../src/tone_program.js';
import { formats, golden, randomOf, texels, valuesOf } from './golden.js';
import { readTexture, requestDevice, submit, textureOf } from './gpu.js';

const transfers = ['linear', 'srgb', 'gamma', 'pq', 'hlg'];
const looks = ['none', 'golden', 'punchy'];
const random = randomOf(Number(process.env.ONEPASS_SEED ?? 2));
let device;
before(async () => {
  device = await requestDevice();
});
after(() => device.destroy());

/** Light over 30 stops, and special values. */
function scene(count) {
  const light = Float32Array.from({ length: 4 * count }, (_, i) =>
    i % 4 === 3 ? random() : 2 ** (random() * 26 - 14) * (random() < 0.02 ? 0 : 1),
  );
  light.set([0, 0, 0, 1, 1, 1, 1, 0.5, 0.18, 0.18, 0.18, 1, -1, 2, 0.5, 1, 70000, 1e30, 3, 1, 1e-30, 5, 0, 1]);
  return light;
}

const caseOf = (o, input) => ({
  kind: 'tone_map',
  size: o.size,
  source: formats[o.source],
  target: formats[o.target],
  tone_operator: toneOperators.indexOf(o.operator),
  exposure: o.exposure ?? 1,
  white: o.white ?? 4,
  look: looks.indexOf(o.look ?? 'none'),
  transfer: transfers.indexOf(o.transfer ?? 'srgb'),
  gamma: o.gamma ?? 2.2,
  peak_nits: o.peakNits ?? 1000,
  paper_white_nits: o.paperWhiteNits ?? 203,
  headroom: o.headroom ?? 1,
  primaries: o.primaries === 'rec2020' ? 1 : 0,
  dither: o.dither ? 1 : 0,
  input,
});

async function mapped(o, input) {
  const map = await ToneMap.create(device, o);
  const source = textureOf(device, o.source, o.size, input);
  const target = textureOf(device, o.target, o.size, null, { storage: true });
  const binding = await map.bind({ source, target });
  submit(device, (encoder) => map.record(encoder, binding));
  const result = valuesOf(o.target, await readTexture(device, target));
  binding.destroy();
  map.destroy();
  return result;
}

function compare(o, got, want, allowed) {
  let worst = 0;
  for (let i = 0; i < want.length; ++i) {
    const error = Math.abs(got[i] - want[i]) / Math.max(1, Math.abs(want[i]));
    if (!(error <= allowed)) assert.fail(`${JSON.stringify(o)}: value ${i}: ${got[i]}, not ${want[i]}`);
    worst = Math.max(worst, error);
  }
  return worst;
}

test('ToneMap: every operator and transfer', async () => {
  const list = [];
  const base = { size: [40, 25], source: 'rgba32float', target: 'rgba32float' };
  for (const operator of toneOperators) {
    for (const transfer of process.env.ONEPASS_FULL === '1' ? transfers : ['srgb', transfers[list.length % 5]]) {
      list.push({ ...base, operator, transfer });
    }
  }
  list.push({ ...base, operator: 'agx_blender', transfer: 'linear', headroom: 8 });
  list.push({ ...base, operator: 'reinhard_extended', transfer: 'linear', headroom: 4, white: 16 });
  list.push({ ...base, operator: 'agx_blender', look: 'punchy' });
  list.push({ ...base, operator: 'agx_sobotka', look: 'golden' });
  list.push({ ...base, operator: 'agx_blender', primaries: 'rec2020', transfer: 'pq' });
  list.push({ ...base, operator: 'aces_hill', primaries: 'rec2020', transfer: 'hlg' });
  list.push({ ...base, operator: 'hable', exposure: 2.5 });
  const inputs = list.map(() => scene(1000));
  const expected = golden(list.map((o, i) => caseOf(o, inputs[i])));
  for (const [i, o] of list.entries()) {
    // Both engines are within 1e-5 of the exact value, with AgX and the look punchy 2e-5.
    compare(o, await mapped(o, inputs[i]), new Float32Array(expected[i]), o.look ? 4e-5 : 2e-5);
  }
});

test('ToneMap: the tables of curves are those of the Vulkan engine', () => {
  const same = ['reinhard', 'hable', 'agx_sobotka', 'agx_blender', 'lottes', 'uchimura', 'drago'];
  const expected = golden(
    same.map((operator) => ({
      kind: 'tone_shader',
      target: formats.rgba8unorm,
      tone_operator: toneOperators.indexOf(operator),
      transfer: 1,
    })),
  );
  same.forEach((operator, i) => {
    const want = new Float32Array(expected[i]).subarray(84);
    const { cubics } = toneMapWgslFunctions({ operator });
    assert.equal(cubics.length, want.length, operator);
    // Coefficients of the third power are differences of nearly equal numbers: their rounding errors are larger.
    cubics.forEach((value, k) =>
      assert.ok(
        Math.abs(value - want[k]) < 1e-5 * Math.max(1, Math.abs(want[k])),
        `${operator} ${k}: ${value}, not ${want[k]}`,
      ),
    );
  });
});

test('ToneMap: 8-bit targets and dithering', async () => {
  const list = [
    { size: [64, 37], source: 'rgba16float', target: 'rgba8unorm', operator: 'agx_blender' },
    { size: [64, 37], source: 'rgba16float', target: 'rgba8unorm', operator: 'reinhard', dither: true },
    { size: [64, 37], source: 'rgba16float', target: 'rgba16float', operator: 'lottes' },
  ];
  const inputs = list.map((o) => texels(o.source, 64 * 37, random, { scale: 3 }));
  const expected = golden(list.map((o, i) => caseOf(o, inputs[i])));
  for (const [i, o] of list.entries()) {
    const got = await mapped(o, inputs[i]);
    const want = valuesOf(o.target, expected[i]);
    let different = 0;
    got.forEach((value, k) => {
      if (value !== want[k]) ++different;
      assert.ok(Math.abs(value - want[k]) <= (o.target === 'rgba8unorm' ? 1 : 1e-3), `${i} ${k} ${value} ${want[k]}`);
    });
    assert.ok(different < got.length / 100, `${different} of ${got.length} values differ`);
  }
});

test('ToneMap: Display P3 and extended range', async () => {
  const input = scene(1000).map((value) => Math.min(value, 30));
  const linear = {
    size: [40, 25],
    source: 'rgba32float',
    target: 'rgba32float',
    operator: 'reinhard',
    transfer: 'linear',
    headroom: 4,
  };
  const [light] = golden([caseOf(linear, input)]).map((buffer) => new Float32Array(buffer));
  const matrix = primariesMatrix('display_p3');
  const [exact] = golden([{ kind: 'matrix' }]).map((buffer) => new Float64Array(buffer));
  matrix.flat().forEach((value, i) => assert.ok(Math.abs(value - exact[i]) < 1e-12));
  primariesMatrix('rec2020')
    .flat()
    .forEach((value, i) => assert.ok(Math.abs(value - exact[9 + i]) < 1e-12));
  const o = { ...linear, transfer: 'srgb', primaries: 'display_p3' };
  const got = await mapped(o, input);
  const srgb = (x) => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);
  const want = light.map((value, i) => {
    if (i % 4 === 3) return value;
    const rgb = light.subarray(i - (i % 4), i - (i % 4) + 3);
    const row = matrix[i % 4];
    return srgb(Math.min(4, Math.max(0, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2])));
  });
  compare(o, got, want, 2e-5);
  assert.ok(
    got.some((value, i) => i % 4 < 3 && value > 1.2),
    'values above 1 are kept',
  );
});

test('ToneMap: bad options', async () => {
  const good = { size: [8, 8], source: 'rgba16float', target: 'rgba8unorm' };
  for (const [change, message] of [
    [{ operator: 'aces' }, /operator: "aces"/],
    [{ white: 0 }, /white: 0 is not a number within 0.015625 and 65504/],
    [{ look: 'punchy', operator: 'hable' }, /look: punchy/],
    [{ headroom: 2 }, /headroom: 2, but target rgba8unorm ends at 1/],
    [{ headroom: 2, transfer: 'pq' }, /headroom: 2, but transfer is pq/],
    [{ target: 'rgba16float', dither: true }, /dither: true/],
    [{ target: 'rgba8unorm-srgb', transfer: 'linear' }, /transfer: linear/],
    [{ transfer: 'pq', peakNits: 100 }, /paperWhiteNits: 203/],
    [{ drago: { bais: 1 } }, /drago.bais: no such field/],
    [{ exposure: NaN }, /exposure: NaN/],
  ]) {
    await assert.rejects(ToneMap.create(device, { ...good, ...change }), message);
  }
});
