// volume_viewer_controls.js: pointers, keys and fields of the viewer of volumes; the start of the page.
'use strict';

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

function fit() {
  const least = views.map(({ canvas, axes: [u, v] }) =>
    Math.min(
      canvas.clientWidth / (volume.size[u] * volume.voxel[u]),
      canvas.clientHeight / (volume.size[v] * volume.voxel[v]),
    ),
  );
  return Math.max(1e-30, 0.96 * Math.min(...least));
}

function showAll() {
  state.centre = volume.size.map((size) => size / 2);
  state.zoom = fit();
  redraw();
}

// Zooms by a factor; what is at (x, y) of a canvas, in pixels of the page, stays there.
function zoomBy(factor, view, x = view.canvas.clientWidth / 2, y = view.canvas.clientHeight / 2) {
  const pixel = 1 / Math.min(...volume.voxel); // the zoom at which a voxel has one
  const next = clamp(state.zoom * factor, Math.min(fit() / 4, pixel / 4), 64 * pixel);
  const away = [x - view.canvas.clientWidth / 2, y - view.canvas.clientHeight / 2];
  [0, 1].forEach((i) => {
    const axis = view.axes[i];
    state.centre[axis] += (away[i] * (1 / state.zoom - 1 / next)) / volume.voxel[axis];
  });
  state.zoom = next;
  redraw();
}

function moveCross(axis, step) {
  state.cross[axis] = clamp(state.cross[axis] + step, 0, volume.size[axis] - 1);
  state.hover = null;
  redraw();
}

// The voxel at a place of a canvas, in pixels of the page; outside of the volume the nearest one if `near`, else null.
function voxelAt(view, x, y, near) {
  const { ratio, steps, origin } = geometry(view);
  const position = [...state.cross];
  for (const [i, place] of [x, y].entries()) {
    const axis = view.axes[i];
    const at = Math.floor((place * ratio - origin[i]) / steps[i]);
    position[axis] = clamp(at, 0, volume.size[axis] - 1);
    if (at !== position[axis] && !near) return null;
  }
  return position;
}

function watchPointers(view) {
  const { canvas } = view;
  const touches = new Map();
  let moved = 0;
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    moved = touches.size === 0 ? 0 : Infinity;
    touches.set(event.pointerId, event);
  });
  canvas.addEventListener('pointerup', (event) => {
    if (touches.delete(event.pointerId) && moved < 5) {
      state.cross = voxelAt(view, event.offsetX, event.offsetY, true);
      redraw();
    }
  });
  canvas.addEventListener('pointercancel', (event) => touches.delete(event.pointerId));
  canvas.addEventListener('pointerleave', () => {
    state.hover = null;
    redraw();
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = touches.get(event.pointerId);
    if (!before) {
      state.hover = voxelAt(view, event.offsetX, event.offsetY, false);
      if (!queued) showStatus();
      return;
    }
    const by = [event.offsetX - before.offsetX, event.offsetY - before.offsetY];
    moved += Math.abs(by[0]) + Math.abs(by[1]);
    if (moved < 5) return;
    const other = [...touches.values()].find((touch) => touch.pointerId !== event.pointerId);
    if (other) {
      const apart = (touch) => Math.hypot(touch.offsetX - other.offsetX, touch.offsetY - other.offsetY) || 1;
      zoomBy(
        apart(event) / apart(before),
        view,
        (event.offsetX + other.offsetX) / 2,
        (event.offsetY + other.offsetY) / 2,
      );
    }
    [0, 1].forEach((i) => {
      state.centre[view.axes[i]] -= by[i] / touches.size / (state.zoom * volume.voxel[view.axes[i]]);
    });
    touches.set(event.pointerId, event);
    redraw();
  });
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const turn = event.deltaY || event.deltaX; // with Shift some systems scroll sideways
      if (event.shiftKey) moveCross(view.axes[2], Math.sign(turn));
      else zoomBy(2 ** (-turn / (event.deltaMode === 0 ? 240 : 6)), view, event.offsetX, event.offsetY);
    },
    { passive: false },
  );
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !volume) return;
  const focused = document.activeElement;
  if (['INPUT', 'BUTTON', 'SUMMARY'].includes(focused?.tagName)) return;
  const view = views.find(({ canvas }) => canvas === focused) ?? views[0];
  const [u, v, w] = view.axes;
  const step = event.shiftKey ? 10 : 1;
  const keys = {
    ArrowLeft: () => moveCross(u, -step),
    ArrowRight: () => moveCross(u, step),
    ArrowUp: () => moveCross(v, -step),
    ArrowDown: () => moveCross(v, step),
    PageUp: () => moveCross(w, -step),
    PageDown: () => moveCross(w, step),
    '+': () => zoomBy(1.5, view),
    '=': () => zoomBy(1.5, view),
    '-': () => zoomBy(1 / 1.5, view),
    0: showAll,
    1: () => zoomBy(1 / Math.min(...volume.voxel) / state.zoom, view),
    c: centreCross,
    C: centreCross,
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

function centreCross() {
  state.centre = state.cross.map((at) => at + 0.5);
  redraw();
}

// A range with a label, for an index from 0 to `most`.
function indexRow(parent, name, most, read, write) {
  const range = element('input', { type: 'range', min: 0, max: most, step: 1, ariaLabel: name });
  const number = element('input', { type: 'number', min: 0, max: most, step: 1, ariaLabel: `${name}, number` });
  for (const control of [range, number]) {
    control.addEventListener('input', () => {
      const value = Number(control.value);
      if (control.value === '' || !Number.isInteger(value)) return;
      write(clamp(value, 0, most));
      redraw();
    });
    control.addEventListener('change', redraw);
    controls.push([control, read]);
  }
  parent.append(element('div', { className: 'row' }, element('label', { textContent: name }), range, number));
}

// Name, colour, visibility and window of a channel.
function channelRow(channel) {
  const visible = element('input', { type: 'checkbox', checked: channel.visible, ariaLabel: `show ${channel.name}` });
  visible.addEventListener('change', () => {
    channel.visible = visible.checked;
    recolour();
  });
  const colour = element('input', {
    type: 'color',
    value: `#${channel.colour}`,
    ariaLabel: `colour of ${channel.name}`,
  });
  colour.addEventListener('input', () => {
    channel.colour = colour.value.slice(1);
    recolour();
  });
  const handles = ['low', 'high'].map((end) =>
    element('input', { type: 'range', min: 0, max: 1000, step: 'any', ariaLabel: `${end} end of ${channel.name}` }),
  );
  const numbers = ['low', 'high'].map((end) =>
    element('input', { type: 'number', step: 'any', ariaLabel: `${end} end of ${channel.name}, number` }),
  );
  const whole = !/float/.test(volume.type);
  const change = (i, number) => {
    const value = whole ? Math.round(number) : number;
    const ends = [channel.low, channel.high];
    ends[i] = value;
    if (Number.isFinite(value) && ends[0] < ends[1]) setWindow(channel, ...ends);
  };
  handles.forEach((handle, i) => {
    handle.addEventListener('input', () =>
      change(i, channel.least + ((channel.most - channel.least) * handle.value) / 1000),
    );
  });
  numbers.forEach((field, i) => {
    field.addEventListener('change', () => {
      if (field.value !== '') change(i, Number(field.value));
      channel.show();
    });
  });
  channel.show = () => {
    if (channel.low === null) return;
    [channel.low, channel.high].forEach((end, i) => {
      numbers[i].value = Number(end.toPrecision(7));
      if (handles[i] !== document.activeElement) {
        handles[i].value = (1000 * (end - channel.least)) / (channel.most - channel.least || 1);
      }
    });
  };
  const auto = element('button', {
    textContent: 'Auto',
    title: 'From the 0.1 to the 99.9 percentile of the coarsest level',
  });
  auto.addEventListener('click', () => {
    channel.given = null;
    channel.low = null;
    redraw();
  });
  const name = element('span', { className: 'name', textContent: channel.name });
  channel.contrast = [
    element('div', { className: 'handles' }, ...handles),
    element('div', { className: 'row' }, ...numbers, auto),
  ];
  const row = element('div', { className: 'row' }, element('label', {}, visible), name, colour);
  $('#channels').append(element('div', { className: 'channel' }, row, ...channel.contrast));
}

// A window of omero that spans all values of the type says nothing about the volume.
function givenWindow(window) {
  if (!window || !(Number(window.end) > Number(window.start))) return null;
  const { most } = kTypes[volume.type];
  const all = window.end >= (most ?? 1) && window.start <= 0;
  return all ? null : [Number(window.start), Number(window.end)];
}

function makeChannels() {
  const given = volume.omero?.channels ?? [];
  state.channels = Array.from({ length: volume.channels }, (_, i) => ({
    name: given[i]?.label ?? (volume.channels > 1 ? `Channel ${i}` : 'Voxels'),
    colour: /^[0-9a-f]{6}$/i.test(given[i]?.color ?? '')
      ? given[i].color
      : volume.channels > 1
        ? kPalette[i % kPalette.length]
        : 'FFFFFF',
    visible: given[i]?.active ?? i < kPalette.length,
    given: givenWindow(given[i]?.window),
    low: null,
    high: null,
    least: 0,
    most: 0,
    colourOf: null,
    show: () => {},
  }));
  state.channels.forEach(channelRow);
}

function useLabels(on) {
  state.labels = on;
  for (const { contrast } of state.channels) for (const part of contrast) part.hidden = on;
  recolour();
}

function makeLabels() {
  const colours = volume.label?.colors;
  if (Array.isArray(colours)) {
    state.ownColours = new Map(
      colours
        .filter(({ rgba }) => Array.isArray(rgba))
        .map(({ 'label-value': label, rgba: [r, g, b] }) => [
          String(label),
          (0xff000000 | (b << 16) | (g << 8) | r) >>> 0,
        ]),
    );
  }
  const whole = !/float/.test(volume.type);
  $('#label-row').hidden = !whole;
  $('#labels').checked = whole && (volume.reduction === 'mode' || Boolean(volume.label) || volume.type === 'uint64');
  $('#labels').addEventListener('change', () => useLabels($('#labels').checked));
  useLabels($('#labels').checked);
}

function makeFacts() {
  const voxel = volume.voxel.map((extent) => lengthText(extent, 4)).join(' × ');
  const facts = [
    `${volume.size.join(' × ')} voxels of ${volume.type}`,
    volume.unit || volume.voxel.some((extent) => extent !== 1) ? `Voxel: ${voxel}` : '',
    `Levels: ${volume.levels.map(({ size }) => size.join('×')).join(', ')}`,
    volume.reduction ? `Reduction: ${volume.reduction}` : '',
  ];
  $('#facts').append(...facts.filter(Boolean).map((text) => element('p', { textContent: text })));
}

function makePage() {
  document.title = volume.name || document.title;
  $('h1').textContent = document.title;
  for (const id of ['main', '#status', 'aside']) $(id).hidden = false;
  views = [
    ['xy', 0, 1, 2],
    ['yz', 2, 1, 0],
    ['xz', 0, 2, 1],
  ].map(([name, ...axes]) => {
    const canvas = $(`#${name} canvas`);
    return {
      name,
      axes,
      canvas,
      caption: $(`#${name} figcaption`),
      buffer: document.createElement('canvas'),
      level: 0,
    };
  });
  const [x, y, z] = volume.size.map((size, axis) => size * volume.voxel[axis]);
  $('main').style.setProperty('--wide', `${clamp(z / x, 0.3, 1)}fr`);
  $('main').style.setProperty('--tall', `${clamp(z / y, 0.3, 1)}fr`);
  const parent = $('#position');
  ['x', 'y', 'z'].forEach((name, axis) => {
    indexRow(
      parent,
      name,
      volume.size[axis] - 1,
      () => state.cross[axis],
      (value) => {
        state.cross[axis] = value;
      },
    );
  });
  if (volume.times > 1) {
    indexRow(
      parent,
      't',
      volume.times - 1,
      () => state.time,
      (value) => {
        state.time = value;
      },
    );
  }
  makeChannels();
  makeLabels();
  makeFacts();
  views.forEach(watchPointers);
  $('#fit').addEventListener('click', showAll);
  $('#centre').addEventListener('click', centreCross);
  $('#lines').addEventListener('change', redraw);
  window.addEventListener('keydown', onKey);
  new ResizeObserver(redraw).observe($('main'));
}

async function start() {
  if (location.protocol === 'file:') {
    const name = decodeURIComponent(location.pathname.split('/').pop());
    notice(
      'Browsers do not let a page read other files from a disk: run "python3 -m http.server" in the folder of this ' +
        `page, then open http://localhost:8000/${encodeURIComponent(name)}.`,
    );
    return;
  }
  try {
    volume = await openVolume(`${base}${page.path}/`);
    decoders = new Decoders($('#decoders').textContent, clamp((navigator.hardwareConcurrency ?? 2) - 1, 1, 4));
  } catch (error) {
    volume = undefined;
    notice(error instanceof Failure ? error.message : `The volume cannot be shown: ${error.message}.`);
    return;
  }
  state.cross = volume.size.map((size) => Math.floor((size - 1) / 2));
  makePage();
  showAll();
}

start();
