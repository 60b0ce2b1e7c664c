// volume_viewer_slices.js: three linked slices of the volume of the viewer. Positions are in voxels of level 0, per
// axis 0 x, 1 y, 2 z; `zoom` is in pixels of the page per unit of length.
'use strict';

const kMostLoads = 8; // chunks that are loaded at once
const kPalette = ['00FFFF', 'FF00FF', 'FFFF00', 'FF0000', '00FF00', '0000FF'];
const memory = (navigator.deviceMemory ?? 4) * 2 ** 26; // of decoded chunks, in bytes: 256 MiB on usual machines

const $ = (selector) => document.querySelector(selector);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

let volume;
let decoders;
const chunks = new Cache(memory); // voxels, or null for a chunk that cannot be read
const tiles = new Cache(memory / 4); // pictures of the chunks of a slice
const loading = new Set();
let needed = new Map(); // chunks that the last drawing uses or misses
const state = {
  time: 0,
  cross: [0, 0, 0],
  centre: [0, 0, 0],
  zoom: 1,
  channels: [],
  labels: false,
  hover: null,
  missing: [],
  count: 0,
  cost: 0,
  timer: 0,
};
let views = [];
const controls = []; // fields and what they show

function notice(text) {
  $('#notice').textContent = text;
}

// ---- Chunks

const keyOf = (level, channel, time, place) => `${level} ${channel} ${time} ${place.join(' ')}`;

// The voxels of a chunk; undefined if they are not there yet. `distance` is its rank among those to load; null: it is
// not loaded.
function chunkOf(level, channel, place, distance) {
  const { time } = state;
  const key = keyOf(level, channel, time, place);
  const kept = chunks.get(key);
  if (distance !== null && !needed.has(key)) {
    needed.set(key, { key, level, channel, time, place, distance, missing: kept === undefined });
  }
  return kept;
}

async function load({ key, level, channel, time, place }) {
  loading.add(key);
  try {
    const voxels = await readChunk(volume, decoders, volume.levels[level], time, channel, place);
    chunks.set(key, voxels, voxels.byteLength + 200);
  } catch (error) {
    chunks.set(key, null, 200);
    notice(error instanceof Failure ? error.message : `A chunk cannot be shown: ${error.message}.`);
  }
  loading.delete(key);
  startLoads();
  // Drawings of many chunks take at most a third of the time.
  state.timer ||= setTimeout(() => {
    state.timer = 0;
    redraw();
  }, 2 * state.cost);
}

function startLoads() {
  while (loading.size < kMostLoads && state.missing.length > 0) {
    const chunk = state.missing.shift();
    if (!loading.has(chunk.key) && chunks.get(chunk.key) === undefined) load(chunk);
  }
}

// Starts to load what the last drawing missed, of as many chunks as fit into memory. Returns their number.
function loadMissing() {
  const most = Math.max(8, Math.floor((0.8 * memory) / volume.levels[0].bytes));
  const list = [...needed.values()].sort((a, b) => a.distance - b.distance);
  state.missing = list.slice(0, most).filter((chunk) => chunk.missing);
  state.tooMany = list.length > most;
  const count = state.missing.length;
  startLoads();
  return count;
}

// ---- Colours

// Distinct colours of labels by a hash; 0 is no label.
const kLabelColours = Uint32Array.from({ length: 1024 }, (_, i) => {
  const hue = (i * 0.618034) % 1;
  const value = 1 - 0.35 * ((i * 0.754878) % 1);
  const part = (shift) => Math.round(255 * value * (1 - 0.75 * clamp(Math.abs(((hue + shift) % 1) * 6 - 3) - 1, 0, 1)));
  return (0xff000000 | (part(0.5) << 16) | (part(0.17) << 8) | part(0.83)) >>> 0;
});
function labelColour(low, high) {
  if (low === 0 && high === 0) return 0xff000000;
  let hash = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  return kLabelColours[(hash ^ (hash >>> 13)) & 1023];
}

// Where a number lies in a window, from 0 to 255.
function shadeOf(number, { low, high }) {
  const part = (number - low) / (high - low);
  return part > 0 ? Math.round(255 * Math.min(part, 1)) : 0; // NaN: 0
}

// A function from a voxel of a channel to its colour, red in the lowest byte.
function colourOf(channel) {
  const { array, value } = kTypes[volume.type];
  const rgb = parseInt(channel.colour, 16);
  const ramp = Uint32Array.from({ length: 256 }, (_, shade) => {
    const part = (shift) => Math.round((((rgb >> shift) & 255) * shade) / 255);
    return (0xff000000 | (part(0) << 16) | (part(8) << 8) | part(16)) >>> 0;
  });
  let colour;
  if (state.labels) {
    const own = (code) => state.ownColours?.get(String(value(code)));
    colour =
      array === BigUint64Array
        ? (code) => own(code) ?? labelColour(Number(code & 0xffffffffn), Number(code >> 32n))
        : (code) => own(code) ?? labelColour(code, 0);
  } else {
    colour = (code) => ramp[shadeOf(Number(value(code)), channel)];
  }
  if (array.BYTES_PER_ELEMENT > 2) return colour;
  const table = Uint32Array.from({ length: 256 ** array.BYTES_PER_ELEMENT }, (_, code) => colour(code));
  return (code) => table[code];
}

// A window or colour of a channel has changed.
function recolour() {
  for (const channel of state.channels) channel.colourOf = null;
  tiles.clear();
  redraw();
}

// ---- Drawing

// The part of the slice of a view that a chunk shows; null if its voxels are not there.
function tileOf(view, number, place, slice, distance) {
  const level = volume.levels[number];
  const [u, v, w] = view.axes;
  const key = `${number} ${state.time} ${u}${v} ${slice} ${place[u]} ${place[v]}`;
  const shown = state.channels.map((channel, index) => ({ channel, index })).filter(({ channel }) => channel.visible);
  const parts = shown.map(({ channel, index }) => ({ channel, voxels: chunkOf(number, index, place, distance) }));
  if (parts.some(({ channel, voxels }) => voxels === undefined || channel.low === null)) return null;
  const kept = tiles.get(key);
  if (kept) return kept;
  if (parts.length > 0 && parts.every(({ voxels }) => voxels === null)) return null;
  const strides = [1, level.box[0], level.box[0] * level.box[1]];
  const [width, height] = [u, v].map((axis) =>
    Math.min(level.box[axis], level.size[axis] - place[axis] * level.box[axis]),
  );
  const picture = new ImageData(width, height);
  const words = new Uint32Array(picture.data.buffer).fill(0xff000000);
  for (const { channel, voxels } of parts) {
    if (!voxels) continue;
    const colour = (channel.colourOf ??= colourOf(channel));
    const one = voxels.length === 1 ? 0 : 1;
    for (let y = 0, to = 0; y < height; ++y) {
      let from = one * ((slice - place[w] * level.box[w]) * strides[w] + y * strides[v]);
      for (let x = 0; x < width; ++x, ++to, from += one * strides[u])
        add(words, picture.data, to, colour(voxels[from]));
    }
  }
  tiles.set(key, picture, 4 * width * height + 300);
  return picture;
}

// Channels are added; a label covers those before it.
function add(words, bytes, to, colour) {
  if (words[to] === 0xff000000) {
    words[to] = colour;
  } else if (!state.labels) {
    bytes[4 * to] += colour & 255; // these saturate
    bytes[4 * to + 1] += (colour >> 8) & 255;
    bytes[4 * to + 2] += (colour >> 16) & 255;
  } else if (colour !== 0xff000000) {
    words[to] = colour;
  }
}

// Pixels of the canvas per voxel of level 0 along an axis, and where voxel 0 begins.
function geometry(view) {
  const ratio = view.canvas.width / (view.canvas.clientWidth || 1);
  const steps = view.axes.map((axis) => state.zoom * ratio * volume.voxel[axis]);
  const extents = [view.canvas.width, view.canvas.height];
  return {
    ratio,
    steps,
    origin: [0, 1].map((i) => Math.round(extents[i] / 2 - state.centre[view.axes[i]] * steps[i])),
  };
}

// The voxels of a level that a view shows, [from, to) for both axes.
function rangeOf(view, { steps, origin }, number) {
  const level = volume.levels[number];
  const extents = [view.canvas.width, view.canvas.height];
  return [0, 1].map((i) => {
    const step = steps[i] * level.factors[view.axes[i]];
    const most = level.size[view.axes[i]];
    return [clamp(Math.floor(-origin[i] / step), 0, most), clamp(Math.ceil((extents[i] - origin[i]) / step), 0, most)];
  });
}

// The coarsest level whose voxels are no larger than pixels, along axes that levels halve; a coarser one if that has
// too many voxels to show.
function levelOf(view, place) {
  const last = volume.levels.length - 1;
  const fits = (number) =>
    volume.levels[number].factors.every(
      (factor, axis) =>
        factor === 1 || !view.axes.slice(0, 2).includes(axis) || factor * place.steps[view.axes.indexOf(axis)] <= 1.001,
    );
  let best = last;
  while (best > 0 && !fits(best)) --best;
  for (; best < last; ++best) {
    const area = rangeOf(view, place, best).reduce((size, [from, to]) => size * (to - from), 1);
    if (area <= 2 ** 24) break;
  }
  return best;
}

// Puts a tile at (x, y), with one pixel for `fewer` voxels along both axes.
const scratch = document.createElement('canvas');
function putTile(context, tile, x, y, fewer) {
  if (fewer === 1) {
    context.putImageData(tile, x, y);
    return;
  }
  [scratch.width, scratch.height] = [tile.width, tile.height];
  scratch.getContext('2d').putImageData(tile, 0, 0);
  context.drawImage(scratch, x / fewer, y / fewer, tile.width / fewer, tile.height / fewer);
}

// Draws a level; true if all of its chunks are there. `want`: those that are missing are loaded.
function drawLevel(view, place, number, want) {
  const level = volume.levels[number];
  const [u, v, w] = view.axes;
  const [[left, right], [top, bottom]] = rangeOf(view, place, number);
  if (right <= left || bottom <= top) return true;
  const slice = Math.min(Math.floor(state.cross[w] / level.factors[w]), level.size[w] - 1);
  const at = [0, 0, 0];
  at[w] = Math.floor(slice / level.box[w]);
  // A level of too many pixels, which only the coarsest one can be, is drawn with fewer.
  const fewer = Math.max(1, Math.ceil(Math.sqrt(((right - left) * (bottom - top)) / 2 ** 25)));
  view.buffer.width = Math.ceil((right - left) / fewer);
  view.buffer.height = Math.ceil((bottom - top) / fewer);
  const context = view.buffer.getContext('2d');
  let complete = true;
  let any = false;
  for (at[v] = Math.floor(top / level.box[v]); at[v] * level.box[v] < bottom; ++at[v]) {
    for (at[u] = Math.floor(left / level.box[u]); at[u] * level.box[u] < right; ++at[u]) {
      const away = Math.hypot(
        (at[u] + 0.5) * level.box[u] - state.centre[u] / level.factors[u],
        (at[v] + 0.5) * level.box[v] - state.centre[v] / level.factors[v],
      );
      const tile = tileOf(view, number, [...at], slice, want ? away : null);
      complete &&= tile !== null;
      any ||= tile !== null;
      if (tile) putTile(context, tile, at[u] * level.box[u] - left, at[v] * level.box[v] - top, fewer);
    }
  }
  if (!any) return complete;
  const target = view.canvas.getContext('2d');
  const steps = place.steps.map((step, i) => step * level.factors[view.axes[i]]);
  target.save();
  target.beginPath();
  target.rect(...place.origin, place.steps[0] * volume.size[u], place.steps[1] * volume.size[v]);
  target.clip();
  target.imageSmoothingEnabled = !state.labels && Math.min(...steps) < 1;
  target.drawImage(
    view.buffer,
    place.origin[0] + left * steps[0],
    place.origin[1] + top * steps[1],
    (right - left) * steps[0],
    (bottom - top) * steps[1],
  );
  target.restore();
  return complete;
}

function drawLines(view, { ratio, steps, origin }) {
  if (!$('#lines').checked) return;
  const context = view.canvas.getContext('2d');
  const [x, y] = [0, 1].map((i) => Math.round(origin[i] + (state.cross[view.axes[i]] + 0.5) * steps[i]));
  const gap = Math.round(clamp(steps[0], 8 * ratio, 40 * ratio));
  const width = Math.max(1, Math.round(ratio));
  context.fillStyle = '#ffd34dcc';
  for (const [from, to] of [
    [0, -gap],
    [gap, 0],
  ]) {
    const end = (at, extent) => (to < 0 ? Math.max(0, at - gap) : Math.max(0, extent - at - gap));
    context.fillRect(to < 0 ? 0 : x + from, y, end(x, view.canvas.width), width);
    context.fillRect(x, to < 0 ? 0 : y + from, width, end(y, view.canvas.height));
  }
}

const kMetres = { angstrom: 1e-10, nanometer: 1e-9, micrometer: 1e-6, millimeter: 1e-3, centimeter: 1e-2, meter: 1 };

// A length of the volume with its unit.
function lengthText(length, digits = 3) {
  const metres = kMetres[volume.unit];
  const plain = (number) => String(Number(number.toPrecision(digits)));
  if (metres === undefined) return plain(length) + (volume.unit ? ` ${volume.unit}` : '');
  const size = length * metres;
  const [name, unit] = [
    ['m', 1],
    ['mm', 1e-3],
    ['µm', 1e-6],
    ['nm', 1e-9],
  ].find(([, one]) => Math.abs(size) >= one * 0.9999) ?? ['nm', 1e-9];
  return `${plain(size / unit)} ${name}`;
}

function drawScale(view, ratio) {
  if (view.name !== 'xy') return;
  const context = view.canvas.getContext('2d');
  const most = Math.min(140, view.canvas.clientWidth / 3) / state.zoom;
  const power = 10 ** Math.floor(Math.log10(most));
  const length = [5, 2, 1].find((digit) => digit * power <= most) * power;
  const width = Math.round(length * state.zoom * ratio);
  const x = Math.round(10 * ratio);
  const y = view.canvas.height - Math.round(12 * ratio);
  context.font = `${Math.round(12 * ratio)}px system-ui, sans-serif`;
  const text = volume.unit || volume.voxel.some((extent) => extent !== 1) ? lengthText(length) : `${length} voxels`;
  context.fillStyle = '#000a';
  const back = Math.max(width, context.measureText(text).width) + 12 * ratio;
  context.fillRect(x - 6 * ratio, y - 22 * ratio, back, 30 * ratio);
  context.fillStyle = '#fff';
  context.fillRect(x, y, width, Math.round(3 * ratio));
  context.fillText(text, x, y - 6 * ratio);
}

function drawView(view) {
  const { canvas } = view;
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext('2d');
  context.clearRect(0, 0, width, height);
  const place = geometry(view);
  const [u, v, w] = view.axes;
  context.fillStyle = '#000';
  context.fillRect(...place.origin, place.steps[0] * volume.size[u], place.steps[1] * volume.size[v]);
  view.level = levelOf(view, place);
  if (!drawLevel(view, place, view.level, true)) {
    for (let number = volume.levels.length - 1; number >= view.level; --number) drawLevel(view, place, number, false);
  }
  drawLines(view, place);
  drawScale(view, ratio);
  view.caption.textContent = `${view.name}, ${'xyz'[w]} ${state.cross[w]} of 0 to ${volume.size[w] - 1}`;
}

let queued = 0;
function redraw() {
  queued ||= requestAnimationFrame(() => {
    queued = 0;
    if (!volume) return;
    const begin = performance.now();
    needed = new Map();
    state.centre = state.centre.map((at, axis) => clamp(at, 0, volume.size[axis]));
    findWindows();
    for (const view of views) drawView(view);
    state.count = loadMissing();
    state.cost = performance.now() - begin;
    showStatus();
    for (const [control, read] of controls) if (control !== document.activeElement) control.value = read();
    document.body.dataset.ready = state.count === 0 && loading.size === 0 ? 'yes' : 'no';
  });
}

// ---- Windows

// The chunks of the coarsest level from which windows are found: all of a few, else those at the centre.
function sampledPlaces() {
  const level = volume.levels.at(-1);
  const counts = level.size.map((size, axis) => Math.ceil(size / level.box[axis]));
  const wide = counts.reduce((a, b) => a * b, 1) > 8;
  const ranges = counts.map((count) => {
    const first = wide ? Math.max(0, Math.floor((count - 1) / 2)) : 0;
    return Array.from({ length: wide ? Math.min(2, count) : count }, (_, i) => first + i);
  });
  return ranges[2].flatMap((z) => ranges[1].flatMap((y) => ranges[0].map((x) => [x, y, z])));
}

// The numbers of a chunk inside the volume, at most about 2^18 of them.
function numbersIn(voxels, place, numbers) {
  const level = volume.levels.at(-1);
  const { value } = kTypes[volume.type];
  const [width, height, planes] = level.size.map((size, axis) =>
    Math.min(level.box[axis], size - place[axis] * level.box[axis]),
  );
  const step = Math.ceil((width * height * planes) / 2 ** 18);
  for (let i = 0; i < width * height * planes; i += step) {
    const [x, y, z] = [i % width, Math.floor(i / width) % height, Math.floor(i / width / height)];
    const code = voxels.length === 1 ? voxels[0] : voxels[(z * level.box[1] + y) * level.box[0] + x];
    const number = Number(value(code));
    if (Number.isFinite(number)) numbers.push(number);
  }
}

// Windows of channels that have none yet: the 0.1 and 99.9 percentiles of the coarsest level.
function findWindows() {
  const places = sampledPlaces();
  state.channels.forEach((channel, index) => {
    if (channel.low !== null || (!channel.visible && channel.least !== null)) return;
    const sampled = places.map((place) => chunkOf(volume.levels.length - 1, index, place, -1));
    if (sampled.includes(undefined)) return;
    const numbers = [];
    sampled.forEach((voxels, i) => {
      if (voxels) numbersIn(voxels, places[i], numbers);
    });
    const sorted = Float64Array.from(numbers).sort();
    const rank = (part, round) => sorted[round(part * (sorted.length - 1))] ?? 0;
    const given = channel.given;
    channel.auto = [rank(0.001, Math.floor), rank(0.999, Math.ceil)];
    [channel.least, channel.most] = [rank(0, Math.floor), rank(1, Math.ceil)];
    setWindow(channel, ...(given ?? channel.auto));
  });
}

function setWindow(channel, low, high) {
  channel.low = low;
  channel.high = high > low ? high : low + (/float/.test(volume.type) ? 1e-6 * Math.max(1, Math.abs(low)) : 1);
  channel.least = Math.min(channel.least, channel.low);
  channel.most = Math.max(channel.most, channel.high);
  channel.show();
  recolour();
}

// ---- Status

// The value at a voxel of level 0, from the finest level that is there.
function valueAt(position, index) {
  for (let number = 0; number < volume.levels.length; ++number) {
    const level = volume.levels[number];
    const at = position.map((p, axis) => Math.min(Math.floor(p / level.factors[axis]), level.size[axis] - 1));
    const place = at.map((p, axis) => Math.floor(p / level.box[axis]));
    const voxels = chunkOf(number, index, place, null);
    if (!voxels) continue;
    const [x, y, z] = at.map((p, axis) => p % level.box[axis]);
    const code = voxels.length === 1 ? voxels[0] : voxels[(z * level.box[1] + y) * level.box[0] + x];
    const value = kTypes[volume.type].value(code);
    return { text: typeof value === 'number' ? String(Number(value.toPrecision(7))) : String(value), number };
  }
  return null;
}

function showStatus() {
  const position = state.hover ?? state.cross;
  const found = state.channels.map((channel, index) => ({ channel, value: valueAt(position, index) }));
  const values = found
    .filter(({ channel, value }) => channel.visible && value)
    .map(({ channel, value }) => (found.length > 1 ? `${channel.name} ${value.text}` : value.text));
  const level = found.find(({ value }) => value)?.value.number;
  const lengths = position.map((at, axis) => lengthText((at + 0.5) * volume.voxel[axis], 4)).join(', ');
  const parts = [`x ${position[0]}, y ${position[1]}, z ${position[2]}`];
  if (volume.unit) parts.push(lengths);
  if (values.length > 0) parts.push(`value ${values.join(', ')}${level > 0 ? ` (of level ${level})` : ''}`);
  parts.push(`level ${views[0].level} of 0 to ${volume.levels.length - 1}`);
  if (state.tooMany) parts.push('more chunks than fit into memory: zoom in to see all');
  else if (state.count > 0) parts.push(`loading ${state.count} chunks`);
  $('#status').textContent = parts.join(' · ');
}
