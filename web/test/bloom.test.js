// bloom.test.js: both methods against their definitions in double.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Bloom, glareKernel } from '../src/index.js';
import { randomOf } from './golden.js';
import { readTexture, requestDevice, submit, textureOf } from './gpu.js';

const random = randomOf(5);
const [width, height] = [37, 22];
const count = width * height;
let device;
before(async () => {
  device = await requestDevice();
});
after(() => device.destroy());

const scene = () =>
  Float32Array.from({ length: 4 * count }, (_, i) => (i % 4 === 3 ? 0.5 : random() < 0.05 ? 40 * random() : random()));
const mirrored = (at, n) => {
  const i = ((at % (2 * n)) + 2 * n) % (2 * n);
  return Math.min(i, 2 * n - 1 - i);
};

function brightOf(rgb, { threshold, knee }) {
  const m = Math.max(...rgb);
  const over = m - threshold;
  const soft = Math.min(Math.max(over + knee, 0), 2 * knee);
  const curved = knee > 0 ? (soft * soft) / (4 * knee) : 0;
  return rgb.map((value) => value * (m > 0 ? Math.min(1, Math.max(0, curved, over) / m) : 0));
}

async function bloomed(options, light, input) {
  const o = { size: [width, height], source: 'rgba32float', target: 'rgba32float', ...options };
  const bloom = await Bloom.create(device, o);
  bloom.setLight(light);
  const source = textureOf(device, o.source, o.size, input);
  const target = textureOf(device, o.target, o.size, null, { storage: true });
  const binding = await bloom.bind({ source, target });
  submit(device, (encoder) => bloom.record(encoder, binding));
  const result = new Float32Array((await readTexture(device, target)).buffer);
  assert.equal(binding.steps.length, bloom.plan.dispatches);
  binding.destroy();
  bloom.destroy();
  return { result, plan: bloom.plan };
}

const light = { scatter: 0.3, threshold: 0.8, knee: 0.2, spread: 0.6 };

function compare(input, glow, result) {
  let worst = 0;
  for (let i = 0; i < count; ++i) {
    const rgb = [...input.subarray(4 * i, 4 * i + 3)];
    const bright = brightOf(rgb, light);
    for (let c = 0; c < 3; ++c) {
      const want = rgb[c] + light.scatter * (glow[i][c] - bright[c]);
      worst = Math.max(worst, Math.abs(result[4 * i + c] - want) / Math.max(1, want));
    }
    assert.equal(result[4 * i + 3], 0.5);
  }
  assert.ok(worst < 2e-3, `error ${worst}`); // the bright light is stored as half floats: 2^-11 of up to 40
}

test('Bloom: convolution', async () => {
  const input = scene();
  const { result, plan } = await bloomed({ kernelWidth: 0.4, glare: { rays: 6 } }, light, input);
  const k = plan.kernelSize;
  const weights = glareKernel(k, width, 60, 6);
  const sum = weights.reduce((a, b) => a + b, 0);
  const bright = Array.from({ length: count }, (_, i) => brightOf([...input.subarray(4 * i, 4 * i + 3)], light));
  const glow = bright.map((_, i) => {
    const total = [0, 0, 0];
    for (let y = 0; y < k; ++y) {
      for (let x = 0; x < k; ++x) {
        const at =
          mirrored(Math.floor(i / width) - (y - (k >> 1)), height) * width +
          mirrored((i % width) - (x - (k >> 1)), width);
        bright[at].forEach((value, c) => {
          total[c] += (value * weights[y * k + x]) / sum;
        });
      }
    }
    return total;
  });
  compare(input, glow, result);
});

test('Bloom: mip chain', async () => {
  const input = scene();
  const { result, plan } = await bloomed({ method: 'mip_chain', kernelWidth: 0.5 }, light, input);
  const levels = [
    {
      w: width,
      h: height,
      texels: Array.from({ length: count }, (_, i) => brightOf([...input.subarray(4 * i, 4 * i + 3)], light)),
    },
  ];
  const taps = (i, n) =>
    n === 1
      ? [[0, 1]]
      : n % 2 === 0
        ? [
            [2 * i, 0.5],
            [2 * i + 1, 0.5],
          ]
        : [
            [2 * i, ((n - 1) / 2 - i) / n],
            [2 * i + 1, (n - 1) / 2 / n],
            [2 * i + 2, (i + 1) / n],
          ];
  for (let n = 1; n < plan.levels; ++n) {
    const { w, h, texels } = levels[n - 1];
    const [cw, ch] = [Math.max(1, w >> 1), Math.max(1, h >> 1)];
    levels.push({
      w: cw,
      h: ch,
      texels: Array.from({ length: cw * ch }, (_, i) =>
        [0, 1, 2].map((c) => {
          let sum = 0;
          for (const [y, wy] of taps(Math.floor(i / cw), h))
            for (const [x, wx] of taps(i % cw, w)) sum += wx * wy * texels[y * w + x][c];
          return sum;
        }),
      ),
    });
  }
  let glow = levels[plan.levels - 1];
  for (let n = plan.levels - 2; n >= 0; --n) {
    const { w, h, texels } = levels[n];
    const coarse = glow;
    glow = {
      w,
      h,
      texels: texels.map((texel, i) => {
        const [px, py] = [(((i % w) + 0.5) * coarse.w) / w - 0.5, ((Math.floor(i / w) + 0.5) * coarse.h) / h - 0.5];
        const weightsOf = (p) => {
          const o = p - Math.floor(p);
          return [1 - o, 2 - o, 1 + o, o].map((v) => v / 4);
        };
        const [ax, ay] = [weightsOf(px), weightsOf(py)];
        const total = [0, 0, 0];
        ay.forEach((wy, y) =>
          ax.forEach((wx, x) => {
            const clampTo = (v, m) => Math.min(Math.max(v < 0 ? -1 - v : v >= m ? 2 * m - 1 - v : v, 0), m - 1);
            const at = clampTo(Math.floor(py) + y - 1, coarse.h) * coarse.w + clampTo(Math.floor(px) + x - 1, coarse.w);
            coarse.texels[at].forEach((value, c) => {
              total[c] += wx * wy * value;
            });
          }),
        );
        return texel.map((value, c) => (1 - light.spread) * value + light.spread * total[c]);
      }),
    };
  }
  compare(input, glow.texels, result);
});

test('Bloom: bad options', async () => {
  const good = { size: [8, 8], source: 'rgba16float', target: 'rgba16float' };
  await assert.rejects(Bloom.create(device, { ...good, method: 'gauss' }), /method: "gauss"/);
  await assert.rejects(Bloom.create(device, { ...good, source: 'r32float' }), /source: r32float has 1/);
  await assert.rejects(Bloom.create(device, { ...good, glare: { rays: 65 } }), /glare.rays: 65/);
  await assert.rejects(Bloom.create(device, { ...good, method: 'mip_chain', boundary: 'wrap' }), /boundary: wrap/);
  const bloom = await Bloom.create(device, { ...good, method: 'mip_chain' });
  assert.throws(() => bloom.setLight({ scatter: 2 }), /light.scatter: 2/);
});
