// pyramid.test.js: pyramids and tile reductions against the CPU engine, texel by texel.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  Pyramid,
  TileReduction,
  affectedRange,
  deviceDescriptor,
  footprintRange,
  levelSize,
  planPyramid,
} from '../src/index.js';
import { formats, golden, randomOf, texels, valuesOf } from './golden.js';
import { multisampledOf, readTexture, requestDevice, submit, textureOf } from './gpu.js';
import { meanLevels, toLight, toSrgb } from './oracle.js';

const footprints = ['aligned', 'covering', 'tight', 'edge'];
const reductions = ['mean', 'min', 'max', 'min_max'];
const full = process.env.ONEPASS_FULL === '1';
const seed = Number(process.env.ONEPASS_SEED ?? 1);
const random = randomOf(seed);
let device;
let large;

before(async () => {
  device = await requestDevice();
  large = await requestDevice(deviceDescriptor);
});
after(() => {
  device.destroy();
  large.destroy();
});

/** The case for the CPU engine. */
const caseOf = (o, input) => ({
  kind: 'pyramid',
  size: o.size,
  slices: o.slices ?? 1,
  source: formats[o.source],
  target: o.reduction === 'min_max' ? formats.rg32float : formats[o.target],
  reduction: reductions.indexOf(o.reduction ?? 'mean'),
  footprint: footprints.indexOf(o.footprint ?? 'covering'),
  alpha: o.alpha === 'weighted' ? 1 : 0,
  input,
});

async function levelsOf(on, o, input, update) {
  const source = textureOf(on, o.source, o.size, input, { slices: o.slices });
  const pyramid = await Pyramid.create(on, o);
  const count = pyramid.plan.levels;
  const target = textureOf(on, o.target, o.size, null, { slices: o.slices, levels: count, storage: true });
  const binding = await pyramid.bind({ source, target });
  submit(on, (encoder) => pyramid.record(encoder, binding));
  if (update) await update(pyramid, binding, source);
  const levels = [];
  for (let n = 1; n < count; ++n) levels.push(valuesOf(o.target, await readTexture(on, target, n)));
  binding.destroy();
  source.destroy();
  target.destroy();
  return levels;
}

/**
 * Compares levels with the golden ones; `allowed(magnitude)` is the largest difference. `magnitudes`: levels of the
 * absolute values of the texels, for means of signed ones; otherwise the magnitude is that of the value.
 */
function compare(o, levels, expected, allowed, magnitudes = expected) {
  const all = valuesOf(o.target, expected);
  const sizes = valuesOf(o.target, magnitudes);
  let at = 0;
  levels.forEach((level, index) => {
    for (let i = 0; i < level.length; ++i) {
      const want = all[at + i];
      if (!(Math.abs(level[i] - want) <= allowed(Math.abs(sizes[at + i])))) {
        assert.fail(`${JSON.stringify(o)}, seed ${seed}: level ${index + 1}, value ${i}: ${level[i]}, not ${want}`);
      }
    }
    at += level.length;
  });
  assert.equal(at, all.length);
}

const exact = () => 0;
const float = (magnitude) => magnitude * 2 ** -21; // of fp32 means: 4 ULP of the mean magnitude, half of what two engines may
const half = (magnitude) => magnitude * 2 ** -9 + 1e-7;
const code = () => 1;

/** The golden results `expected` of absolute values, where signs cancel in means. */
function magnitudesOf(cases, expected) {
  const signed = cases.map(
    ({ reduction, input }) => reduction === 0 && input instanceof Float32Array && input.some((value) => value < 0),
  );
  const made = golden(cases.filter((_, i) => signed[i]).map((one) => ({ ...one, input: one.input.map(Math.abs) })));
  return expected.map((buffer, i) => (signed[i] ? made.shift() : buffer));
}

async function check(on, list) {
  const inputs = list.map(([o]) =>
    texels(o.source, o.size[0] * o.size[1] * (o.slices ?? 1), random, {
      signed: o.source.endsWith('32float') && !o.source.startsWith('depth'),
    }),
  );
  const cases = list.map(([o], i) => caseOf(o, inputs[i]));
  const expected = golden(cases);
  const magnitudes = magnitudesOf(cases, expected);
  for (const [i, [o, allowed]] of list.entries()) {
    compare(o, await levelsOf(on, o, inputs[i]), expected[i], allowed, magnitudes[i]);
  }
}

// prettier-ignore
const sizes = [[1, 1], [1, 7], [64, 64], [37, 101], [128, 96], [300, 5], [511, 130]];

for (const footprint of ['aligned', 'covering', 'edge']) {
  for (const reduction of ['min', 'max', 'min_max', 'mean']) {
    test(`Pyramid, ${reduction} ${footprint}: every size like the CPU engine`, async () => {
      const target = reduction === 'min_max' ? 'rg32float' : 'r32float';
      const list = sizes.map((size) => [
        { size, source: 'r32float', target, reduction, footprint },
        reduction === 'mean' ? float : exact,
      ]);
      await check(full || reduction === 'min_max' ? large : device, list);
      if (full) await check(device, list);
    });
  }
}

test('Pyramid: formats, four channels, sRGB, alpha, slices', async () => {
  const list = [
    [{ size: [67, 45], source: 'rgba8unorm', target: 'rgba8unorm' }, code],
    [{ size: [67, 45], source: 'rgba8unorm-srgb', target: 'rgba8unorm-srgb' }, code],
    [{ size: [129, 65], source: 'rgba16float', target: 'rgba16float' }, half],
    [{ size: [129, 65], source: 'rgba32float', target: 'rgba32float', footprint: 'edge' }, float],
    [{ size: [61, 90], source: 'rgba8unorm', target: 'rgba8unorm', alpha: 'weighted' }, code],
    [
      { size: [61, 90], source: 'rgba8unorm-srgb', target: 'rgba8unorm-srgb', alpha: 'weighted', footprint: 'aligned' },
      code,
    ],
    [{ size: [33, 47], slices: 6, source: 'rgba8unorm', target: 'rgba8unorm' }, code],
    [{ size: [96, 96], slices: 3, source: 'rg32float', target: 'rg32float', reduction: 'min_max' }, exact],
    [{ size: [101, 77], source: 'rgba32float', target: 'rgba32float', reduction: 'max', footprint: 'aligned' }, exact],
    [{ size: [101, 77], source: 'rg32float', target: 'rg32float' }, float],
  ];
  await check(device, list);
  if (full) await check(large, list);
});

test('Pyramid: edge weights at levels that halve exactly', async () => {
  // Sizes of some levels are multiples of four, but their last texels stand for more base texels than the others.
  for (const on of [device, large]) {
    await check(
      on,
      [
        [513, 513],
        [516, 513],
        [1029, 40],
      ].map((size) => [{ size, source: 'r32float', target: 'r32float', footprint: 'edge' }, float]),
    );
  }
});

test('Pyramid: a constant image stays constant within 4 ULP', async () => {
  for (const size of [
    [255, 255],
    [511, 300],
    [1023, 77],
  ]) {
    for (const on of [device, large]) {
      const o = { size, source: 'r32float', target: 'r32float' };
      for (const level of await levelsOf(on, o, new Float32Array(size[0] * size[1]).fill(1))) {
        level.forEach((value) => assert.ok(Math.abs(value - 1) <= 4 * 2 ** -23, `${size}: ${value}`));
      }
    }
  }
});

test('Pyramid: workgroup memory up to the limit', async () => {
  // Eight storage textures, and 16 KB of workgroup memory.
  const small = await requestDevice((adapter) => ({
    requiredLimits: { maxStorageTexturesPerShaderStage: adapter.limits.maxStorageTexturesPerShaderStage },
  }));
  for (const size of [
    [104, 472],
    [833, 60],
  ]) {
    const o = { size, source: 'rgba8unorm', target: 'rgba8unorm' };
    assert.ok(planPyramid(o, small.limits).workgroupBytes <= small.limits.maxComputeWorkgroupStorageSize);
    await check(small, [[o, code]]);
  }
  small.destroy();
});

test('Pyramid: depth textures as sources', async () => {
  await check(device, [
    [{ size: [107, 61], source: 'depth32float', target: 'r32float', reduction: 'max' }, exact],
    [{ size: [107, 61], slices: 2, source: 'depth32float', target: 'rg32float', reduction: 'min_max' }, exact],
    [
      { size: [128, 64], source: 'depth16unorm', target: 'r32float', reduction: 'min', footprint: 'edge' },
      (want) => want * 2 ** -22,
    ],
  ]);
});

test('Pyramid: random sizes', async () => {
  const list = [];
  for (let i = 0; i < (full ? 2000 : 10); ++i) {
    const most = i % 8 === 0 ? 900 : 200;
    const size = [1 + Math.floor(random() * most), 1 + Math.floor(random() * most)];
    const reduction = reductions[Math.floor(random() * 4)];
    list.push([
      {
        size,
        source: 'r32float',
        target: reduction === 'min_max' ? 'rg32float' : 'r32float',
        reduction,
        footprint: ['aligned', 'covering', 'edge'][Math.floor(random() * 3)],
        slices: 1 + Math.floor(random() * 2),
      },
      reduction === 'mean' ? float : exact,
    ]);
  }
  for (let i = 0; i < list.length; i += 50) await check(i % 100 ? large : device, list.slice(i, i + 50));
});

test('Pyramid: an update gives the texels of a full build', async () => {
  for (const footprint of ['aligned', 'covering', 'edge']) {
    for (const rect of [
      [0, 0, 1, 1],
      [200, 130, 1, 1],
      [60, 40, 90, 3],
      [0, 0, 201, 131],
      [199, 0, 2, 131],
    ]) {
      const o = { size: [201, 131], source: 'r32float', target: 'r32float', reduction: 'max', footprint };
      const input = texels('r32float', 201 * 131, random);
      const changed = input.slice();
      for (let y = rect[1]; y < rect[1] + rect[3]; ++y) {
        for (let x = rect[0]; x < rect[0] + rect[2]; ++x) changed[y * 201 + x] = 2 + random();
      }
      const levels = await levelsOf(device, o, input, async (pyramid, binding, source) => {
        device.queue.writeTexture({ texture: source }, changed, { bytesPerRow: 201 * 4 }, [201, 131]);
        const update = await pyramid.bindUpdate(binding, rect);
        submit(device, (encoder) => pyramid.record(encoder, update));
      });
      compare({ ...o, rect }, levels, golden([caseOf(o, changed)])[0], exact);
    }
  }
});

/** Options whose first dispatch makes more levels than its tiles, with eight storage textures. */
const topped = [
  { size: [201, 131], source: 'r32float', target: 'rg32float', reduction: 'min_max' },
  { size: [160, 240], source: 'r32float', target: 'r32float', reduction: 'max', footprint: 'aligned', slices: 3 },
  { size: [255, 130], source: 'rgba32float', target: 'rgba32float', reduction: 'min', footprint: 'edge' },
];

test('Pyramid: top levels by the last workgroup, in repeated and in partial builds', async () => {
  for (const o of topped) {
    const [width, height] = o.size;
    const input = texels(o.source, width * height * (o.slices ?? 1), random);
    const channels = input.length / (width * height * (o.slices ?? 1));
    const rect = [width - 70, 3, 60, 9];
    const changed = input.map((value, i) => {
      const [x, y] = [Math.floor(i / channels) % width, Math.floor(i / channels / width) % height];
      return x >= rect[0] && x < rect[0] + rect[2] && y >= rect[1] && y < rect[1] + rect[3] ? -value : value;
    });
    const levels = await levelsOf(large, o, input, async (pyramid, binding, source) => {
      assert.ok(pyramid.plan.dispatches.length === 1 && pyramid.plan.dispatches[0].levels > 4, JSON.stringify(o));
      const update = await pyramid.bindUpdate(binding, rect);
      submit(large, (encoder) => {
        pyramid.record(encoder, binding);
        pyramid.record(encoder, update);
      });
      large.queue.writeTexture(
        { texture: source },
        changed,
        { bytesPerRow: width * channels * 4, rowsPerImage: height },
        [width, height, o.slices ?? 1],
      );
      submit(large, (encoder) => {
        pyramid.record(encoder, update);
        pyramid.record(encoder, update);
      });
    });
    compare(o, levels, golden([caseOf(o, changed)])[0], exact);
  }
});

test('Pyramid: tiles that do not arrive are made by the last workgroup', async () => {
  const own = await requestDevice(deviceDescriptor);
  const createShaderModule = own.createShaderModule.bind(own);
  let edited = 0;
  // Only the last column of workgroups makes its tiles: words of all others are missing.
  own.createShaderModule = (descriptor) => {
    const made = /\n {2}make_tile\(group.xy \+ p.first_tile, group.z, lane\);/;
    if (made.test(descriptor.code)) ++edited;
    return createShaderModule({
      ...descriptor,
      code: descriptor.code.replace(made, (call) => `if (group.x + 1u == groups.x) { ${call} }`),
    });
  };
  for (const o of topped) {
    const input = texels(o.source, o.size[0] * o.size[1] * (o.slices ?? 1), random);
    // The second record finds that words have been missing.
    const levels = await levelsOf(own, o, input, (pyramid, binding) =>
      submit(own, (encoder) => pyramid.record(encoder, binding)),
    );
    compare(o, levels, golden([caseOf(o, input)])[0], exact);
  }
  assert.equal(edited, topped.length);
  own.destroy();
});

test('Pyramid: mips of the same texture, with and without a larger limit', async () => {
  for (const on of [device, large]) {
    const o = { size: [97, 50], source: 'rgba8unorm', target: 'rgba8unorm' };
    const input = texels('rgba8unorm', 97 * 50, random);
    const texture = textureOf(on, 'rgba8unorm', o.size, input, { levels: 7, storage: true });
    const pyramid = await Pyramid.create(on, o);
    const binding = await pyramid.bind({ source: texture });
    submit(on, (encoder) => pyramid.record(encoder, binding));
    const levels = [];
    for (let n = 1; n < 7; ++n) levels.push(valuesOf('rgba8unorm', await readTexture(on, texture, n)));
    compare(o, levels, golden([caseOf(o, input)])[0], code);
  }
});

test('TileReduction: every factor like the CPU engine', async () => {
  const list = [];
  for (const factor of [2, 4, 8, 16, 32, 64]) {
    for (const size of [
      [1, 1],
      [64, 64],
      [131, 67],
      [200, 9],
    ]) {
      for (const reduction of reductions) {
        list.push({
          size,
          factor,
          reduction,
          source: 'r32float',
          target: reduction === 'min_max' ? 'rg32float' : 'r32float',
        });
      }
    }
  }
  list.push({
    size: [70, 50],
    slices: 3,
    factor: 8,
    reduction: 'mean',
    source: 'rgba8unorm-srgb',
    target: 'rgba8unorm',
  });
  list.push({ size: [70, 50], slices: 2, factor: 16, reduction: 'max', source: 'depth32float', target: 'r32float' });
  const inputs = list.map((o) =>
    texels(o.source, o.size[0] * o.size[1] * (o.slices ?? 1), random, { signed: o.source === 'r32float' }),
  );
  const cases = list.map((o, i) => ({
    kind: 'tile_reduction',
    size: o.size,
    slices: o.slices ?? 1,
    source: formats[o.source],
    target: formats[o.target],
    reduction: reductions.indexOf(o.reduction),
    factor: o.factor,
    input: inputs[i],
  }));
  const expected = golden(cases);
  const magnitudes = magnitudesOf(cases, expected);
  for (const [i, o] of list.entries()) {
    const tiles = await TileReduction.create(device, o);
    const source = textureOf(device, o.source, o.size, inputs[i], { slices: o.slices });
    const target = textureOf(device, o.target, tiles.plan.size, null, { slices: o.slices, storage: true });
    const binding = await tiles.bind({ source, target });
    submit(device, (encoder) => tiles.record(encoder, binding));
    const result = valuesOf(o.target, await readTexture(device, target));
    compare(
      o,
      [result],
      expected[i],
      o.reduction !== 'mean' ? exact : o.target === 'rgba8unorm' ? code : float,
      magnitudes[i],
    );
    source.destroy();
    target.destroy();
  }
});

test('Pyramid and TileReduction: every sample of a multisampled texture counts', async () => {
  const size = [75, 38];
  const count = size[0] * size[1];
  const values = new Float32Array(16 * count);
  for (let i = 0; i < 4 * count; ++i)
    values.set(
      [random(), random(), random(), random()].map((value) => Math.fround(Math.floor(value * 256) / 255)),
      4 * i,
    );
  const ofTexel = (i, c) => [0, 1, 2, 3].map((sample) => values[16 * i + 4 * sample + c]);
  const nearest = Float32Array.from({ length: count }, (_, i) => Math.min(...ofTexel(i, 0)));
  const farthest = Float32Array.from({ length: count }, (_, i) => Math.max(...ofTexel(i, 0)));
  const depth = multisampledOf(device, 'depth32float', size, values);
  const made = async (object, target) => {
    const binding = await object.bind({ source: depth, target });
    submit(device, (encoder) => object.record(encoder, binding));
    const levels = [];
    for (let n = target.width === size[0] ? 1 : 0; n < target.mipLevelCount; ++n)
      levels.push(...new Float32Array((await readTexture(device, target, n)).buffer));
    return levels;
  };
  const pair = (a, b) => Array.from(a, (value, i) => [value, b[i]]).flat();
  for (const [footprint, reduction] of [
    ['covering', 'min_max'],
    ['edge', 'min_max'],
    ['aligned', 'max'],
    ['covering', 'min'],
  ]) {
    const target = reduction === 'min_max' ? 'rg32float' : 'r32float';
    const o = { size, source: 'depth32float', target, reduction, footprint, samples: 4 };
    const pyramid = await Pyramid.create(device, o);
    const got = await made(pyramid, textureOf(device, target, size, null, { levels: 7, storage: true }));
    const [low, high] = golden(
      [
        ['min', nearest],
        ['max', farthest],
      ].map(([name, input]) => caseOf({ ...o, source: 'r32float', target: 'r32float', reduction: name }, input)),
    ).map((buffer) => new Float32Array(buffer));
    assert.deepEqual(
      got,
      reduction === 'min_max' ? pair(low, high) : [...(reduction === 'min' ? low : high)],
      `${footprint} ${reduction}`,
    );
    assert.equal(pyramid.plan.bytesRead, 16 * count);
  }
  const tiles = await TileReduction.create(device, {
    size,
    source: 'depth32float',
    target: 'rg32float',
    reduction: 'min_max',
    factor: 8,
    samples: 4,
  });
  const ofTiles = [Math.min, Math.max].map((join, k) =>
    Array.from({ length: 10 * 5 }, (_, tile) => {
      const inside = [...[nearest, farthest][k].keys()].filter(
        (i) => Math.floor((i % size[0]) / 8) === tile % 10 && Math.floor(i / size[0] / 8) === Math.floor(tile / 10),
      );
      return join(...inside.map((i) => [nearest, farthest][k][i]));
    }),
  );
  assert.deepEqual(
    await made(tiles, textureOf(device, 'rg32float', [10, 5], null, { storage: true })),
    pair(...ofTiles),
  );
  // Colours: the mean of all samples.
  const colours = multisampledOf(device, 'rgba8unorm', size, values);
  const wanted = meanLevels(
    size,
    4,
    Float64Array.from({ length: 4 * count }, (_, k) => ofTexel(k >> 2, k & 3).reduce((a, b) => a + b) / 4),
  );
  for (const [object, want] of [
    [
      await Pyramid.create(device, { size, source: 'rgba8unorm', target: 'rgba32float', levels: 2, samples: 4 }),
      wanted[0],
    ],
    [
      await TileReduction.create(device, {
        size: [74, 38],
        source: 'rgba8unorm',
        target: 'rgba32float',
        factor: 2,
        reduction: 'mean',
        samples: 4,
      }),
      null,
    ],
  ]) {
    if (!want) {
      await assert.rejects(
        object.bind({ source: colours, target: colours }),
        /source: mip level 0 of the texture is 75x38, not 74x38/,
      );
      continue;
    }
    const target = textureOf(device, 'rgba32float', size, null, { levels: 2, storage: true });
    const binding = await object.bind({ source: colours, target });
    submit(device, (encoder) => object.record(encoder, binding));
    new Float32Array((await readTexture(device, target, 1)).buffer).forEach((value, i) =>
      assert.ok(Math.abs(value - want[i]) < 2 ** -21, `${i}: ${value}, not ${want[i]}`),
    );
  }
  const mean = await TileReduction.create(device, {
    size,
    source: 'rgba8unorm',
    target: 'rgba32float',
    factor: 64,
    reduction: 'mean',
    samples: 4,
  });
  const one = textureOf(device, 'rgba32float', [2, 1], null, { storage: true });
  const binding = await mean.bind({ source: colours, target: one });
  submit(device, (encoder) => mean.record(encoder, binding));
  const got = new Float32Array((await readTexture(device, one)).buffer);
  for (let c = 0; c < 4; ++c) {
    let sum = 0;
    for (let i = 0; i < count; ++i) if (i % size[0] < 64) sum += ofTexel(i, c).reduce((a, b) => a + b);
    assert.ok(Math.abs(got[c] - sum / (4 * 64 * 38)) < 2 ** -20);
  }
  // Options and textures that do not fit.
  for (const [change, message] of [
    [{ samples: 2 }, /samples: 2 is not 1 or 4/],
    [{ samples: 4, slices: 2 }, /samples: 4, but a multisampled texture has one slice, not 2/],
  ]) {
    await assert.rejects(
      Pyramid.create(device, { size, source: 'depth32float', target: 'r32float', reduction: 'min', ...change }),
      message,
    );
    await assert.rejects(
      TileReduction.create(device, { size, source: 'depth32float', target: 'r32float', ...change }),
      message,
    );
  }
  const plain = await Pyramid.create(device, { size, source: 'depth32float', target: 'r32float', reduction: 'min' });
  await assert.rejects(
    plain.bind({ source: depth, target: depth }),
    /source: the texture has 4 samples per texel, not 1; Pyramid and TileReduction read them with the option samples/,
  );
  const four = await Pyramid.create(device, { size, source: 'r32float', target: 'r32float', samples: 4 });
  await assert.rejects(
    four.bind({ source: textureOf(device, 'r32float', size, null) }),
    /source: the texture has 1 samples per texel, not 4 as in the options/,
  );
});

test('Pyramid: means of few rows are those of their footprints', async () => {
  // Against the definition in double: 513x3 has one row above the base, of three.
  for (const [size, footprint] of [
    [[513, 3], 'edge'],
    [[513, 3], 'covering'],
    [[5, 258], 'edge'],
  ]) {
    const input = texels('rgba8unorm', size[0] * size[1], random);
    const o = { size, source: 'rgba8unorm-srgb', target: 'rgba8unorm-srgb', footprint };
    const levels = await levelsOf(device, o, input);
    const want = meanLevels(
      size,
      4,
      Float64Array.from(input, (value, i) => (i % 4 < 3 ? toLight(value / 255) : value / 255)),
      footprint,
    );
    levels.forEach((level, n) =>
      level.forEach((value, i) => {
        const wanted = 255 * (i % 4 < 3 ? toSrgb(want[n][i]) : want[n][i]);
        assert.ok(
          Math.abs(value - wanted) <= 0.6,
          `${size} ${footprint}, level ${n + 1}, value ${i}: ${value}, not ${wanted}`,
        );
      }),
    );
    if (footprint !== 'edge') continue;
    // The same, directly: every texel is the mean of its base texels.
    const width = Math.max(1, size[0] >> 2);
    const height = Math.max(1, size[1] >> 2);
    for (let i = 0; i < width * height; ++i) {
      const range = (axis, at, n) => {
        const block = Math.min(4, 2 ** (31 - Math.clz32(size[axis])));
        return [at * block, at + 1 === n ? size[axis] : (at + 1) * block];
      };
      const [[x0, x1], [y0, y1]] = [range(0, i % width, width), range(1, Math.floor(i / width), height)];
      let sum = 0;
      for (let y = y0; y < y1; ++y) for (let x = x0; x < x1; ++x) sum += toLight(input[4 * (y * size[0] + x)] / 255);
      assert.ok(Math.abs(levels[1][4 * i] - 255 * toSrgb(sum / (x1 - x0) / (y1 - y0))) <= 0.6, `${size}: ${i}`);
    }
  }
});

test('planPyramid: dispatches for each limit', () => {
  const count = (size, textures) =>
    planPyramid(
      { size, source: 'rgba8unorm', target: 'rgba8unorm' },
      { maxStorageTexturesPerShaderStage: textures, maxComputeWorkgroupStorageSize: textures > 4 ? 32768 : 16384 },
    ).dispatches.length;
  for (const size of [
    [1, 1],
    [16, 16],
    [17, 3],
    [1920, 1080],
    [3840, 2160],
    [4096, 4096],
    [8191, 8191],
    [65535, 1],
  ]) {
    const levels = Math.floor(Math.log2(Math.max(...size)));
    assert.equal(count(size, 4), Math.ceil(levels / 4), `${size}`);
  }
  for (const size of [
    [300, 200],
    [511, 511],
    [1920, 1080],
    [3840, 2160],
    [4095, 4095],
    [4096, 4096],
    [8191, 8191],
    [8192, 8192],
  ]) {
    assert.equal(count(size, 8), Math.ceil(Math.floor(Math.log2(Math.max(...size))) / 8), `${size}`);
  }
});

test('affectedRange: agrees with footprintRange', () => {
  for (const footprint of ['aligned', 'covering', 'edge']) {
    for (const size of [1, 2, 5, 7, 8, 13, 100, 101]) {
      for (let level = 0; level < 8; ++level) {
        const count = levelSize([size, 1], level)[0];
        for (let begin = 0; begin < size; begin += 3) {
          const end = Math.min(size, begin + 1 + (begin % 5));
          const hit = [];
          for (let i = 0; i < count; ++i) {
            const [from, to] = footprintRange(footprint, size, level, i);
            if (from < end && to > begin) hit.push(i);
          }
          const [from, to] = affectedRange(footprint, size, level, [begin, end]);
          assert.deepEqual(
            [from, to - from],
            hit.length ? [hit[0], hit.length] : [from, 0],
            `${footprint} ${size} ${level} ${begin}`,
          );
        }
      }
    }
  }
});

test('Bad options: one error naming field and value', async () => {
  const good = { size: [8, 8], source: 'rgba8unorm', target: 'rgba8unorm' };
  const cases = [
    [{ ...good, size: [0, 8] }, /size: 0 is not an integer within 1 and 65535/],
    [{ ...good, size: 8 }, /size: 8 is not \[width, height\]/],
    [{ ...good, levels: 5 }, /levels: 5, but 8x8 has 4/],
    [{ ...good, slices: 1.5 }, /slices: 1.5/],
    [{ ...good, source: 'rgba8uint' }, /source: rgba8uint/],
    [{ ...good, target: 'rgba8snorm' }, /target: rgba8snorm/],
    [{ ...good, reduction: 'median' }, /reduction: "median" is not one of mean, min, max, min_max/],
    [{ ...good, footprint: 'tight' }, /footprint: "tight"/],
    [{ ...good, alpha: 'coverage' }, /alpha: "coverage"/],
    [{ ...good, alpha: 'weighted', reduction: 'min' }, /alpha: weighted needs/],
    [{ ...good, source: 'r32float' }, /target: rgba8unorm has 4 channels, but source r32float has 1/],
    [{ ...good, source: 'rgba8unorm', target: 'rg32float', reduction: 'min_max' }, /source: rgba8unorm/],
    [{ ...good, footprnt: 'edge' }, /footprnt: no such field/],
    [null, /options: null is not an object/],
    [{ ...good, size: [9000, 8] }, /maxTextureDimension2D: the device has 8192, 9000 needed/],
    [{ ...good, slices: 300 }, /maxTextureArrayLayers: the device has 256, 300 needed/],
    [{ ...good, target: 'r8unorm', source: 'r8unorm' }, /texture-formats-tier1/],
  ];
  for (const [options, message] of cases) {
    await assert.rejects(
      Pyramid.create(device, options),
      (error) => error.name === 'OnepassError' && message.test(error.message),
      JSON.stringify(options),
    );
  }
  await assert.rejects(Pyramid.create({}, good), /device: is not a GPUDevice/);
  await assert.rejects(TileReduction.create(device, { ...good, factor: 3 }), /factor: 3/);
  const pyramid = await Pyramid.create(device, good);
  const wrong = textureOf(device, 'rgba8unorm', [8, 7], null, { storage: true, levels: 4 });
  await assert.rejects(pyramid.bind({ source: wrong }), /source: mip level 0 of the texture is 8x7, not 8x8/);
  const format = textureOf(device, 'rgba16float', [8, 8], null, { storage: true, levels: 4 });
  await assert.rejects(
    pyramid.bind({ source: format }),
    /source: the texture has the format rgba16float, not rgba8unorm/,
  );
  const flat = textureOf(device, 'rgba8unorm', [8, 8], null, { storage: true, levels: 2 });
  await assert.rejects(pyramid.bind({ source: flat }), /target: the texture has 2 mip levels/);
  const unwritable = textureOf(device, 'rgba8unorm', [8, 8], null, { levels: 4 });
  await assert.rejects(pyramid.bind({ source: unwritable }), (error) => error.code === 'invalid_argument');
  assert.throws(() => pyramid.record(device.createCommandEncoder(), {}), /binding: is not a binding of this pyramid/);
});

test('A lost device and an allocation that does not fit are errors of their own', async () => {
  const lost = await requestDevice();
  const o = { size: [64, 64], source: 'r32float', target: 'r32float' };
  const pyramid = await Pyramid.create(lost, o);
  const source = textureOf(lost, 'r32float', [64, 64], null, { levels: 7, storage: true });
  lost.destroy();
  await lost.lost;
  await assert.rejects(pyramid.bind({ source }), (error) => error.code === 'device_lost');
  await assert.rejects(Pyramid.create(lost, o), (error) => error.code === 'device_lost');
});
