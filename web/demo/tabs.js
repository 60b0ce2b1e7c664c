// tabs.js: one function a technique. It fills the panel, and returns a function that frees what it made.
import {
  Bloom,
  Filter,
  Fourier,
  Meter,
  Pyramid,
  ToneMap,
  footprintRange,
  levelSize,
  toneOperators,
} from '../src/index.js';
import { choice, element, figure, slider, timeText } from './controls.js';
import { timed } from './gpu.js';

/**
 * What a tab works with: {device, painter, scene, size, panel, own}. `own(resource)` is destroyed when the tab is closed, and when
 * it fails. A tab may return a function that frees more.
 */

const storage = () => GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC;

function makeTexture(device, format, size, mipLevelCount = 1) {
  return device.createTexture({ size, format, mipLevelCount, usage: storage() });
}

/** Runs an update at most once at a time; the last request wins. The panel waits for it before it is closed. */
function latest(update, panel) {
  let running = null;
  let again = false;
  const run = async () => {
    try {
      do {
        again = false;
        await update();
      } while (again);
    } catch (error) {
      panel.fail(error);
    }
    running = null;
  };
  return function request() {
    if (running) again = true;
    else panel.busy((running = run()));
    return running;
  };
}

const levelOptions = (size, footprint) => ({ size, source: 'rgba16float', target: 'rgba16float', footprint });

async function levels({ device, painter, scene, size, panel }) {
  const time = element('p', { className: 'time' });
  const view = figure('All levels: level 0 to the left, each coarser level half as large');
  const controls = element('div', { className: 'controls' });
  const state = { footprint: 'covering' };
  let owned = [];
  const release = () => {
    owned.forEach((one) => one.destroy());
    owned = [];
  };
  const update = async () => {
    release();
    const pyramid = await Pyramid.create(device, levelOptions(size, state.footprint));
    const target = makeTexture(device, 'rgba16float', size, pyramid.plan.levels);
    const binding = await pyramid.bind({ source: scene, target });
    owned = [target, binding];
    const spent = await timed(device, (encoder, stamps) => pyramid.record(encoder, binding, stamps));
    const [w, h] = size;
    const context = painter.context(view.canvas, w + Math.max(1, w >> 1), h);
    const tiles = [{ texture: scene, mode: 1, viewport: [0, 0, w, h] }];
    let y = 0;
    pyramid.plan.sizes.slice(1).forEach(([lw, lh], i) => {
      if (y + lh > h) return;
      tiles.push({ texture: target, level: i + 1, mode: 1, viewport: [w, y, lw, lh] });
      y += lh;
    });
    painter.paint(context, tiles);
    time.textContent =
      `${timeText(spent)} · ${pyramid.plan.levels - 1} levels in ${pyramid.plan.dispatches.length} dispatches · ` +
      `sizes ${pyramid.plan.sizes
        .slice(0, 5)
        .map(([a, b]) => `${a}×${b}`)
        .join(', ')} …`;
  };
  const request = latest(update, panel);
  controls.append(
    choice('Footprint', ['covering', 'aligned', 'edge'], state.footprint, (value) => {
      state.footprint = value;
      request();
    }),
  );
  panel.show(controls, time, view.figure);
  await request();
  return release;
}

const luminanceCode = `
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var grey: texture_storage_2d<r32float, write>;
@compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= textureDimensions(source))) { return; }
  textureStore(grey, id.xy, vec4f(dot(textureLoad(source, id.xy, 0).rgb, vec3f(0.2126, 0.7152, 0.0722)), 0.0, 0.0, 1.0));
}`;

const minMaxOptions = (size, footprint) => ({
  size,
  source: 'r32float',
  target: 'rg32float',
  reduction: 'min_max',
  footprint,
});

async function minMax({ device, painter, scene, size, panel, own }) {
  const grey = own(makeTexture(device, 'r32float', size));
  const pipeline = device.createComputePipeline({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code: luminanceCode }) },
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: scene.createView() },
        { binding: 1, resource: grey.createView() },
      ],
    }),
  );
  pass.dispatchWorkgroups(Math.ceil(size[0] / 16), Math.ceil(size[1] / 16));
  pass.end();
  device.queue.submit([encoder.finish()]);

  const made = {};
  const time = element('p', { className: 'time' });
  const times = [];
  for (const footprint of ['aligned', 'covering']) {
    const pyramid = await Pyramid.create(device, minMaxOptions(size, footprint));
    const target = own(makeTexture(device, 'rg32float', size, pyramid.plan.levels));
    const binding = own(await pyramid.bind({ source: grey, target }));
    times.push(
      `${footprint}: ${timeText(await timed(device, (commands, stamps) => pyramid.record(commands, binding, stamps)))}`,
    );
    made[footprint] = { target, count: pyramid.plan.levels };
  }
  time.textContent = times.join(' · ');
  // A row of minima and one of maxima; the footprints side by side.
  const views = ['minimum', 'maximum'].flatMap((what) =>
    ['aligned', 'covering'].map((footprint) => ({ footprint, what, ...figure(`${footprint}, ${what}`, true) })),
  );
  const note = element('p', { className: 'note', 'aria-live': 'polite' });
  const last = made.covering.count - 1;
  const draw = (level) => {
    const [w, h] = levelSize(size, level);
    for (const { canvas, footprint, what } of views) {
      const context = painter.context(canvas, w, h);
      painter.paint(context, [{ texture: made[footprint].target, level, mode: what === 'minimum' ? 2 : 3, gain: 2 }]);
    }
    const lost = [0, 1].map(
      (axis) => size[axis] - footprintRange('aligned', size[axis], level, levelSize(size, level)[axis] - 1)[1],
    );
    note.textContent =
      `Level ${level}, ${w}×${h}: of ${size[0]} columns aligned drops ${lost[0]} at the right, of ${size[1]} rows ${lost[1]} at the bottom, ` +
      'so a depth query there, or at a shifted texture coordinate, can be wrong; covering drops none.';
  };
  const start = Math.min(4, last);
  panel.show(
    element('div', { className: 'controls' }, slider('Level', { min: 1, max: last, step: 1, value: start }, draw)),
    note,
    time,
    element('div', { className: 'pair two' }, ...views.map((one) => one.figure)),
  );
  draw(start);
}

const spectrumOptions = (size) => ({ size, source: 'rgba16float', channels: 3, target: 'rgba16float', norm: 'ortho' });

async function spectrum({ device, painter, scene, size, panel, own }) {
  const fourier = own(await Fourier.create(device, spectrumOptions(size)));
  const buffer = own(device.createBuffer({ size: fourier.plan.spectrumBytes, usage: GPUBufferUsage.STORAGE }));
  const binding = own(await fourier.bindForward({ source: scene, spectrum: buffer }));
  const spent = await timed(device, (encoder, stamps) => fourier.record(encoder, binding, stamps));
  const view = figure('Magnitudes of all frequencies; frequency 0 is in the middle', true);
  panel.show(
    element('p', {
      className: 'time',
      textContent: `${timeText(spent)} · ${size[0]}×${size[1]}, any length, 2 dispatches`,
    }),
    view.figure,
  );
  painter.paintSpectrum(painter.context(view.canvas, ...size), size, buffer, 3);
}

const filterOptions = (size) => ({ size, source: 'rgba16float', target: 'rgba16float', margin: 32 });

async function filter({ device, painter, scene, size, panel, own }) {
  const filtered = own(await Filter.create(device, filterOptions(size)));
  const target = own(makeTexture(device, 'rgba16float', size));
  const binding = own(await filtered.bind({ source: scene, target }));
  const time = element('p', { className: 'time' });
  const view = figure('The filtered image');
  const gain = { band: 'low_pass', shape: 'gaussian', cutoff: 0.06, order: 2, stopGain: 0 };
  const context = painter.context(view.canvas, ...size);
  const request = latest(async () => {
    filtered.setGain({ ...gain, upperCutoff: Math.min(1, gain.cutoff * 2) });
    time.textContent = timeText(await timed(device, (encoder, stamps) => filtered.record(encoder, binding, stamps)));
    painter.paint(context, [{ texture: target, mode: 1 }]);
  }, panel);
  const set = (name) => (value) => {
    gain[name] = value;
    request();
  };
  panel.show(
    element(
      'div',
      { className: 'controls' },
      choice('Band', ['low_pass', 'high_pass', 'band_pass', 'band_stop'], gain.band, set('band')),
      choice('Shape', ['gaussian', 'butterworth', 'ideal'], gain.shape, set('shape')),
      slider(
        'Cutoff',
        { min: -9, max: -1, step: 0.1, value: Math.log2(gain.cutoff), exponential: true, unit: ' cycles per texel' },
        set('cutoff'),
      ),
      slider('Gain outside', { min: 0, max: 1, step: 0.01, value: 0 }, set('stopGain')),
    ),
    time,
    view.figure,
  );
  await request();
}

const bloomOptions = (size, { method, kernelWidth, rays }) => ({
  size,
  source: 'rgba16float',
  target: 'rgba16float',
  method,
  kernelWidth,
  ...(method === 'mip_chain' ? {} : { glare: { rays } }),
});
const bloomStart = { method: 'mip_chain', kernelWidth: 0.5, rays: 0 };

async function bloom({ device, painter, scene, size, panel }) {
  const light = { scatter: 0.25, threshold: 0, knee: 0, spread: 0.75 };
  const state = { ...bloomStart };
  const time = element('p', { className: 'time' });
  const view = figure('The image with bloom');
  const context = painter.context(view.canvas, ...size);
  let owned = [];
  let made = null;
  let renewed = false;
  const release = () => {
    owned.forEach((one) => one.destroy());
    owned = [];
    made = null;
  };
  const request = latest(async () => {
    if (renewed) release();
    renewed = false;
    if (!made) {
      const object = await Bloom.create(device, bloomOptions(size, state));
      const target = makeTexture(device, 'rgba16float', size);
      const binding = await object.bind({ source: scene, target });
      owned = [object, target, binding];
      made = { object, target, binding };
    }
    made.object.setLight(light);
    const spent = await timed(device, (encoder, stamps) => made.object.record(encoder, made.binding, stamps));
    time.textContent = `${timeText(spent)} · ${made.object.plan.dispatches} dispatches`;
    painter.paint(context, [{ texture: made.target, mode: 1 }]);
  }, panel);
  const renew = (name) => (value) => {
    state[name] = typeof state[name] === 'number' ? Number(value) : value;
    renewed = true;
    request();
  };
  const set = (name) => (value) => {
    light[name] = value;
    request();
  };
  panel.show(
    element(
      'div',
      { className: 'controls' },
      choice('Method', ['mip_chain', 'convolution'], state.method, renew('method')),
      choice('Rays (convolution)', ['0', '4', '6', '8'], '0', renew('rays')),
      slider('Scatter', { min: 0, max: 1, step: 0.01, value: light.scatter }, set('scatter')),
      slider('Threshold', { min: 0, max: 20, step: 0.1, value: 0 }, set('threshold')),
      slider('Knee', { min: 0, max: 5, step: 0.1, value: 0 }, set('knee')),
      slider('Spread (mip chain)', { min: 0, max: 1, step: 0.01, value: light.spread }, set('spread')),
    ),
    time,
    view.figure,
  );
  await request();
  return release;
}

const meterOptions = (size, state = {}) => ({ size, source: 'rgba16float', ...state });
const mapOptions = (size, state = {}) => ({ size, source: 'rgba16float', target: 'rgba8unorm', ...state });

async function histogram({ device, painter, scene, size, panel, own }) {
  const time = element('p', { className: 'time' });
  const view = figure('Tone mapped with the metered exposure, which stays on the GPU');
  const chart = element('canvas', {
    width: 768,
    height: 300,
    role: 'img',
    'aria-label': 'Histogram: share of pixels by luminance in stops',
    id: 'histogram',
  });
  const table = element('table');
  const note = element('p', {
    className: 'note',
    textContent: 'cd/m² and EV100 hold if 1.0 in the picture is 1 cd/m².',
  });
  const state = { metering: 'average', statistic: 'log_average', compensation: 0 };
  const target = own(makeTexture(device, 'rgba8unorm', size));
  const map = own(await ToneMap.create(device, mapOptions(size)));
  let owned = [];
  const release = () => {
    owned.forEach((one) => one.destroy());
    owned = [];
  };
  const context = painter.context(view.canvas, ...size);
  const request = latest(async () => {
    release();
    const meter = await Meter.create(device, meterOptions(size, state));
    const metered = await meter.bind({ source: scene });
    const mapped = await map.bind({ source: scene, target, exposure: metered.results });
    owned = [metered, mapped];
    const spent = await timed(device, (encoder, stamps) => meter.record(encoder, metered, stamps));
    const encoder = device.createCommandEncoder();
    map.record(encoder, mapped);
    device.queue.submit([encoder.finish()]);
    painter.paint(context, [{ texture: target }]);
    const [result] = await meter.read(metered);
    time.textContent = `Meter: ${timeText(spent)}`;
    const units = 'cd/m²';
    const shown = (value) => String(Number(value.toPrecision(3)));
    table.replaceChildren(
      ...[
        ['Exposure', result.exposure.toPrecision(4), 'factor on the light'],
        ['EV100', result.ev100.toFixed(2), 'stops'],
        ['Log-average', shown(result.logAverage), units],
        ['Mean', shown(result.meanLuminance), units],
        ['Median', shown(result.percentiles[3]), units],
        ['Range', `${shown(result.minLuminance)} to ${shown(result.maxLuminance)}`, units],
      ].map((row) => element('tr', {}, ...row.map((textContent) => element('td', { textContent })))),
    );
    drawHistogram(chart, result);
  }, panel);
  const set = (name) => (value) => {
    state[name] = value;
    request();
  };
  panel.show(
    element(
      'div',
      { className: 'controls' },
      choice('Metering', ['average', 'centre_weighted', 'spot'], state.metering, set('metering')),
      choice('Exposure from', ['log_average', 'mean', 'percentiles'], state.statistic, set('statistic')),
      slider('Compensation', { min: -4, max: 4, step: 0.25, value: 0, unit: ' stops' }, set('compensation')),
    ),
    time,
    element('div', { className: 'pair' }, view.figure, element('div', {}, chart, table, note)),
  );
  await request();
  return release;
}

/** Bars of the share of pixels a bin, on an axis of stops; a line marks the metered luminance. */
function drawHistogram(canvas, { histogram: bins, histogramLow, histogramHigh, meteredLuminance, totalWeight }) {
  const context = canvas.getContext('2d');
  const style = window.getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name);
  // Drawn in the units of the page, so that its text has the size of the page's.
  const wide = canvas.parentElement?.clientWidth || 768;
  const sharp = window.devicePixelRatio || 1;
  canvas.width = Math.round(wide * sharp);
  canvas.height = Math.round(260 * sharp);
  canvas.style.aspectRatio = `${canvas.width} / ${canvas.height}`;
  context.scale(sharp, sharp);
  const [left, top, w, h] = [44, 42, wide - 56, 162];
  context.fillStyle = colour('--ground');
  context.fillRect(0, 0, wide, 260);
  context.font = '13px system-ui, sans-serif';
  const text = (words, x, y, align = 'center') => {
    context.textAlign = align;
    context.fillText(words, x, y);
  };
  const most = Math.max(...bins) / totalWeight;
  const [low, high] = [histogramLow, histogramHigh];
  const toX = (stop) => left + ((stop - low) / (high - low)) * w;
  const toY = (share) => top + h - (h * share) / most;
  context.fillStyle = colour('--line');
  context.fillRect(left, top + h, w, 1);
  context.fillStyle = colour('--soft');
  const step = 10 ** Math.floor(Math.log10(most));
  const every = [1, 2, 5].map((n) => n * step).find((n) => most / n <= 4) ?? 10 * step;
  for (let share = every; share <= most; share += every) {
    context.fillRect(left, toY(share), 4, 1);
    text(`${Number((100 * share).toPrecision(3))} %`, left - 4, toY(share) + 4, 'right');
  }
  text('share of pixels', 4, 14, 'left');
  const apart = Math.max(1, Math.ceil((high - low) / (w / 34)));
  for (let stop = Math.ceil(low / apart) * apart; stop <= high; stop += apart) {
    context.fillRect(toX(stop), top + h, 1, 5);
    text(`${stop}`, toX(stop), top + h + 19);
  }
  text('luminance in stops: log2, 0 is 1.0', left + w / 2, top + h + 40);
  context.fillStyle = colour('--accent');
  bins.forEach((count, i) =>
    context.fillRect(
      left + (i * w) / 256,
      toY(count / totalWeight),
      Math.max(1, w / 256),
      (h * count) / totalWeight / most,
    ),
  );
  context.fillStyle = colour('--ink');
  const x = toX(Math.log2(meteredLuminance));
  context.fillRect(x - 1, top - 8, 2, h + 8);
  const right = x > left + w / 2;
  text(
    `metered: ${Number(meteredLuminance.toPrecision(3))} cd/m²`,
    right ? x - 6 : x + 6,
    33,
    right ? 'right' : 'left',
  );
}

async function operators({ device, painter, scene, size, panel, own }) {
  const meter = await Meter.create(device, meterOptions(size));
  const metered = own(await meter.bind({ source: scene }));
  const encoder = device.createCommandEncoder();
  meter.record(encoder, metered);
  device.queue.submit([encoder.finish()]);
  const target = own(makeTexture(device, 'rgba8unorm', size));
  const views = toneOperators.map((operator) => ({ operator, ...figure(operator.replaceAll('_', ' ')) }));
  const state = { exposure: 1 };
  panel.show(
    element(
      'div',
      { className: 'controls' },
      slider('Exposure times the meter’s', { min: -4, max: 4, step: 0.25, value: 0, exponential: true }, (value) => {
        state.exposure = value;
        request();
      }),
    ),
    element('div', { className: 'grid' }, ...views.map((one) => one.figure)),
  );
  const request = latest(async () => {
    for (const { operator, canvas, text } of views) {
      const map = await ToneMap.create(device, mapOptions(size, { operator, exposure: state.exposure }));
      const binding = await map.bind({ source: scene, target, exposure: metered.results });
      const spent = await timed(device, (commands, stamps) => map.record(commands, binding, stamps));
      painter.paint(painter.context(canvas, ...size), [{ texture: target }]);
      text.textContent = `${operator.replaceAll('_', ' ')}${spent === null ? '' : ` · ${spent.toFixed(2)} ms`}`;
      binding.destroy();
      map.destroy();
    }
  }, panel);
  await request();
}

/**
 * The tabs. `kernels(work)`: functions that make the objects which open() needs, so that their kernels are compiled;
 * `more(work)`: those that its controls can ask for.
 */
export const tabs = [
  {
    id: 'levels',
    title: 'Levels',
    open: levels,
    kernels: ({ device, size }) => [() => Pyramid.create(device, levelOptions(size, 'covering'))],
    more: ({ device, size }) =>
      ['aligned', 'edge'].map((footprint) => () => Pyramid.create(device, levelOptions(size, footprint))),
  },
  {
    id: 'min-max',
    title: 'Min and max',
    open: minMax,
    kernels: ({ device, size }) =>
      ['aligned', 'covering'].map((footprint) => () => Pyramid.create(device, minMaxOptions(size, footprint))),
  },
  {
    id: 'spectrum',
    title: 'Spectrum',
    open: spectrum,
    kernels: ({ device, size }) => [() => Fourier.create(device, spectrumOptions(size))],
  },
  {
    id: 'filter',
    title: 'Filter',
    open: filter,
    kernels: ({ device, size }) => [() => Filter.create(device, filterOptions(size))],
  },
  {
    id: 'bloom',
    title: 'Bloom',
    open: bloom,
    kernels: ({ device, size }) => [() => Bloom.create(device, bloomOptions(size, bloomStart))],
    more: ({ device, size }) => [
      () => Bloom.create(device, bloomOptions(size, { ...bloomStart, method: 'convolution' })),
    ],
  },
  {
    id: 'histogram',
    title: 'Exposure',
    open: histogram,
    kernels: ({ device, size }) => [
      () => Meter.create(device, meterOptions(size)),
      () => ToneMap.create(device, mapOptions(size)),
    ],
    more: ({ device, size }) => [
      ...['centre_weighted', 'spot'].map((metering) => () => Meter.create(device, meterOptions(size, { metering }))),
      ...['mean', 'percentiles'].map((statistic) => () => Meter.create(device, meterOptions(size, { statistic }))),
    ],
  },
  {
    id: 'operators',
    title: 'Operators',
    open: operators,
    kernels: ({ device, size }) => [
      () => Meter.create(device, meterOptions(size)),
      ...toneOperators.map((operator) => () => ToneMap.create(device, mapOptions(size, { operator }))),
    ],
  },
];
