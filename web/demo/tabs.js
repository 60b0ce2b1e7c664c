// tabs.js: one function a technique. It fills the panel, and returns a function that frees what it made.
import { Bloom, Filter, Fourier, Meter, Pyramid, ToneMap, footprintRange, levelSize, toneOperators } from '../src/index.js';
import { choice, element, figure, slider, timeText } from './controls.js';
import { timed } from './gpu.js';

/** What a tab works with: {device, painter, scene, size, panel}. */

const storage = () => GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC;

function makeTexture(device, format, size, mipLevelCount = 1) {
  return device.createTexture({ size, format, mipLevelCount, usage: storage() });
}

/** Runs an update at most once at a time; the last request wins. */
function latest(update, failed) {
  let running = false;
  let again = false;
  return async function request() {
    if (running) { again = true; return; }
    running = true;
    try {
      do { again = false; await update(); } while (again);
    } catch (error) {
      failed(error);
    }
    running = false;
  };
}

async function levels({ device, painter, scene, size, panel }) {
  const time = element('p', { className: 'time' });
  const view = figure('All levels: level 0 to the left, each coarser level half as large', true);
  const controls = element('div', { className: 'controls' });
  const state = { footprint: 'covering' };
  let owned = [];
  const release = () => { owned.forEach((one) => one.destroy()); owned = []; };
  const update = async () => {
    release();
    const pyramid = await Pyramid.create(device, { size, source: 'rgba16float', target: 'rgba16float', footprint: state.footprint });
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
    time.textContent = `${timeText(spent)} · ${pyramid.plan.levels - 1} levels in ${pyramid.plan.dispatches.length} dispatches · ` +
      `sizes ${pyramid.plan.sizes.slice(0, 5).map(([a, b]) => `${a}×${b}`).join(', ')} …`;
  };
  const request = latest(update, panel.fail);
  controls.append(choice('Footprint', ['covering', 'aligned', 'edge'], state.footprint, (value) => { state.footprint = value; request(); }));
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

async function minMax({ device, painter, scene, size, panel }) {
  const grey = makeTexture(device, 'r32float', size);
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module: device.createShaderModule({ code: luminanceCode }) } });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: scene.createView() }, { binding: 1, resource: grey.createView() }],
  }));
  pass.dispatchWorkgroups(Math.ceil(size[0] / 16), Math.ceil(size[1] / 16));
  pass.end();
  device.queue.submit([encoder.finish()]);

  const owned = [grey];
  const made = {};
  const time = element('p', { className: 'time' });
  const times = [];
  for (const footprint of ['aligned', 'covering']) {
    const pyramid = await Pyramid.create(device, { size, source: 'r32float', target: 'rg32float', reduction: 'min_max', footprint });
    const target = makeTexture(device, 'rg32float', size, pyramid.plan.levels);
    const binding = await pyramid.bind({ source: grey, target });
    owned.push(target, binding);
    times.push(`${footprint}: ${timeText(await timed(device, (commands, stamps) => pyramid.record(commands, binding, stamps)))}`);
    made[footprint] = { target, count: pyramid.plan.levels };
  }
  time.textContent = times.join(' · ');
  const views = ['aligned', 'covering'].flatMap((footprint) => ['minimum', 'maximum'].map((what) => ({ footprint, what, ...figure(`${footprint}, ${what}`, true) })));
  const note = element('p', { className: 'note', 'aria-live': 'polite' });
  const last = made.covering.count - 1;
  const draw = (level) => {
    const [w, h] = levelSize(size, level);
    for (const { canvas, footprint, what } of views) {
      const context = painter.context(canvas, w, h);
      painter.paint(context, [{ texture: made[footprint].target, level, mode: what === 'minimum' ? 2 : 3, gain: 2 }]);
    }
    const lost = [0, 1].map((axis) => size[axis] - footprintRange('aligned', size[axis], level, levelSize(size, level)[axis] - 1)[1]);
    note.textContent = `Level ${level}, ${w}×${h}: of ${size[0]} columns aligned drops ${lost[0]} at the right, of ${size[1]} rows ${lost[1]} at the bottom, ` +
      'so a depth query there, or at a shifted texture coordinate, can be wrong; covering drops none.';
  };
  const start = Math.min(4, last);
  panel.show(
    element('div', { className: 'controls' }, slider('Level', { min: 1, max: last, step: 1, value: start }, draw)), note, time,
    element('div', { className: 'pair' }, ...views.map((one) => one.figure)),
  );
  draw(start);
  return () => owned.forEach((one) => one.destroy());
}

async function spectrum({ device, painter, scene, size, panel }) {
  const fourier = await Fourier.create(device, { size, source: 'rgba16float', channels: 3, target: 'rgba16float', norm: 'ortho' });
  const buffer = device.createBuffer({ size: fourier.plan.spectrumBytes, usage: GPUBufferUsage.STORAGE });
  const binding = await fourier.bindForward({ source: scene, spectrum: buffer });
  const spent = await timed(device, (encoder, stamps) => fourier.record(encoder, binding, stamps));
  const view = figure('Magnitudes of all frequencies; frequency 0 is in the middle', true);
  panel.show(element('p', { className: 'time', textContent: `${timeText(spent)} · ${size[0]}×${size[1]}, any length, 2 dispatches` }), view.figure);
  painter.paintSpectrum(painter.context(view.canvas, ...size), size, buffer, 3);
  return () => [fourier, buffer, binding].forEach((one) => one.destroy());
}

async function filter({ device, painter, scene, size, panel }) {
  const filtered = await Filter.create(device, { size, source: 'rgba16float', target: 'rgba16float', margin: 32 });
  const target = makeTexture(device, 'rgba16float', size);
  const binding = await filtered.bind({ source: scene, target });
  const time = element('p', { className: 'time' });
  const view = figure('The filtered image');
  const gain = { band: 'low_pass', shape: 'gaussian', cutoff: 0.06, order: 2, stopGain: 0 };
  const context = painter.context(view.canvas, ...size);
  const request = latest(async () => {
    filtered.setGain({ ...gain, upperCutoff: Math.min(1, gain.cutoff * 2) });
    time.textContent = timeText(await timed(device, (encoder, stamps) => filtered.record(encoder, binding, stamps)));
    painter.paint(context, [{ texture: target, mode: 1 }]);
  }, panel.fail);
  const set = (name) => (value) => { gain[name] = value; request(); };
  panel.show(element('div', { className: 'controls' },
    choice('Band', ['low_pass', 'high_pass', 'band_pass', 'band_stop'], gain.band, set('band')),
    choice('Shape', ['gaussian', 'butterworth', 'ideal'], gain.shape, set('shape')),
    slider('Cutoff', { min: -9, max: -1, step: 0.1, value: Math.log2(gain.cutoff), exponential: true, unit: ' cycles per texel' }, set('cutoff')),
    slider('Gain outside', { min: 0, max: 1, step: 0.01, value: 0 }, set('stopGain'))), time, view.figure);
  await request();
  return () => [filtered, target, binding].forEach((one) => one.destroy());
}

async function bloom({ device, painter, scene, size, panel }) {
  const light = { scatter: 0.25, threshold: 0, knee: 0, spread: 0.75 };
  const state = { method: 'mip_chain', kernelWidth: 0.5, rays: 0 };
  const time = element('p', { className: 'time' });
  const view = figure('The image with bloom');
  const context = painter.context(view.canvas, ...size);
  let owned = [];
  let made = null;
  const release = () => { owned.forEach((one) => one.destroy()); owned = []; made = null; };
  const request = latest(async () => {
    if (!made) {
      const chain = state.method === 'mip_chain';
      const object = await Bloom.create(device, { size, source: 'rgba16float', target: 'rgba16float', method: state.method, kernelWidth: state.kernelWidth,
        ...(chain ? {} : { glare: { rays: state.rays } }) });
      const target = makeTexture(device, 'rgba16float', size);
      const binding = await object.bind({ source: scene, target });
      owned = [object, target, binding];
      made = { object, target, binding };
    }
    made.object.setLight(light);
    const spent = await timed(device, (encoder, stamps) => made.object.record(encoder, made.binding, stamps));
    time.textContent = `${timeText(spent)} · ${made.object.plan.dispatches} dispatches`;
    painter.paint(context, [{ texture: made.target, mode: 1 }]);
  }, panel.fail);
  const renew = (name) => (value) => { state[name] = typeof state[name] === 'number' ? Number(value) : value; release(); request(); };
  const set = (name) => (value) => { light[name] = value; request(); };
  panel.show(element('div', { className: 'controls' },
    choice('Method', ['mip_chain', 'convolution'], state.method, renew('method')),
    choice('Rays (convolution)', ['0', '4', '6', '8'], '0', renew('rays')),
    slider('Scatter', { min: 0, max: 1, step: 0.01, value: light.scatter }, set('scatter')),
    slider('Threshold', { min: 0, max: 20, step: 0.1, value: 0 }, set('threshold')),
    slider('Knee', { min: 0, max: 5, step: 0.1, value: 0 }, set('knee')),
    slider('Spread (mip chain)', { min: 0, max: 1, step: 0.01, value: light.spread }, set('spread'))), time, view.figure);
  await request();
  return release;
}

async function histogram({ device, painter, scene, size, panel }) {
  const time = element('p', { className: 'time' });
  const view = figure('Tone mapped with the metered exposure, which stays on the GPU');
  const chart = element('canvas', { width: 768, height: 220, role: 'img', 'aria-label': 'Histogram of log2 luminance', id: 'histogram' });
  const table = element('table');
  const state = { metering: 'average', statistic: 'log_average', compensation: 0 };
  const target = makeTexture(device, 'rgba8unorm', size);
  const map = await ToneMap.create(device, { size, source: 'rgba16float', target: 'rgba8unorm' });
  let owned = [];
  const release = () => { owned.forEach((one) => one.destroy()); owned = []; };
  const context = painter.context(view.canvas, ...size);
  const request = latest(async () => {
    release();
    const meter = await Meter.create(device, { size, source: 'rgba16float', ...state });
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
    table.replaceChildren(...[
      ['Exposure', result.exposure.toPrecision(4)], ['EV100', result.ev100.toFixed(2)], ['Log-average', result.logAverage.toPrecision(4)],
      ['Mean', result.meanLuminance.toPrecision(4)], ['Range', `${result.minLuminance.toPrecision(3)} to ${result.maxLuminance.toPrecision(3)}`],
      ['Median', result.percentiles[3].toPrecision(3)],
    ].map((row) => element('tr', {}, ...row.map((textContent) => element('td', { textContent })))));
    drawHistogram(chart, result);
  }, panel.fail);
  const set = (name) => (value) => { state[name] = value; request(); };
  panel.show(element('div', { className: 'controls' },
    choice('Metering', ['average', 'centre_weighted', 'spot'], state.metering, set('metering')),
    choice('Exposure from', ['log_average', 'mean', 'percentiles'], state.statistic, set('statistic')),
    slider('Compensation', { min: -4, max: 4, step: 0.25, value: 0, unit: ' stops' }, set('compensation'))), time,
  element('div', { className: 'pair' }, view.figure, element('div', {}, chart, table)));
  await request();
  return () => { release(); map.destroy(); target.destroy(); };
}

function drawHistogram(canvas, { histogram: bins, histogramLow, histogramHigh, meteredLuminance }) {
  const context = canvas.getContext('2d');
  const style = window.getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name);
  const [w, h] = [canvas.width, canvas.height - 24];
  context.fillStyle = colour('--ground');
  context.fillRect(0, 0, canvas.width, canvas.height);
  const most = Math.max(...bins);
  context.fillStyle = colour('--accent');
  bins.forEach((count, i) => context.fillRect(i * w / 256, h - h * Math.sqrt(count / most), w / 256, h * Math.sqrt(count / most)));
  context.fillStyle = colour('--ink');
  context.font = '15px system-ui, sans-serif';
  for (let stop = Math.ceil(histogramLow / 2) * 2; stop <= histogramHigh; stop += 2) {
    const x = (stop - histogramLow) / (histogramHigh - histogramLow) * w;
    context.fillRect(x, h, 1, 5);
    if (x > 10 && x < w - 24) context.fillText(`${stop}`, x - 6, h + 20);
  }
  const x = (Math.log2(meteredLuminance) - histogramLow) / (histogramHigh - histogramLow) * w;
  context.fillRect(x - 1, 0, 2, h);
}

async function operators({ device, painter, scene, size, panel }) {
  const meter = await Meter.create(device, { size, source: 'rgba16float' });
  const metered = await meter.bind({ source: scene });
  const encoder = device.createCommandEncoder();
  meter.record(encoder, metered);
  device.queue.submit([encoder.finish()]);
  const target = makeTexture(device, 'rgba8unorm', size);
  const views = toneOperators.map((operator) => ({ operator, ...figure(operator.replaceAll('_', ' ')) }));
  const state = { exposure: 1 };
  panel.show(element('div', { className: 'controls' },
    slider('Exposure times the meter’s', { min: -4, max: 4, step: 0.25, value: 0, exponential: true }, (value) => { state.exposure = value; request(); })),
  element('div', { className: 'grid' }, ...views.map((one) => one.figure)));
  const request = latest(async () => {
    for (const { operator, canvas, text } of views) {
      const map = await ToneMap.create(device, { size, source: 'rgba16float', target: 'rgba8unorm', operator, exposure: state.exposure });
      const binding = await map.bind({ source: scene, target, exposure: metered.results });
      const spent = await timed(device, (commands, stamps) => map.record(commands, binding, stamps));
      painter.paint(painter.context(canvas, ...size), [{ texture: target }]);
      text.textContent = `${operator.replaceAll('_', ' ')}${spent === null ? '' : ` · ${spent.toFixed(2)} ms`}`;
      binding.destroy();
      map.destroy();
    }
  }, panel.fail);
  await request();
  return () => [metered, target].forEach((one) => one.destroy());
}

export const tabs = [
  ['levels', 'Levels', levels], ['min-max', 'Min and max', minMax], ['spectrum', 'Spectrum', spectrum], ['filter', 'Filter', filter],
  ['bloom', 'Bloom', bloom], ['histogram', 'Exposure', histogram], ['operators', 'Operators', operators],
];
