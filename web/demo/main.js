// main.js: the page: opens a device and opens another one when it is lost, loads pictures, switches between tabs, compiles
// kernels ahead.
import { element } from './controls.js';
import { Painter, canPresent, openDevice } from './gpu.js';
import { describe, pictureOfFile, samplePicture, upload } from './scene.js';
import { tabs } from './tabs.js';

const list = document.getElementById('tabs');
const body = document.getElementById('panel');
const notice = document.getElementById('notice');
const status = document.getElementById('status');
const progress = document.getElementById('progress');
const sceneText = document.getElementById('scene');

/** A problem, in words; empty: none. */
const say = (text) => {
  notice.textContent = text;
  notice.hidden = text === '';
};

const state = {
  device: null,
  painter: null,
  picture: null,
  scene: null,
  tab: tabs[0].id,
  presents: null, // whether canvases can show textures; null: not known yet
  losses: 0, // devices lost since the user did something
  view: null, // the open tab: {alive, owned, release, busy}
  queue: Promise.resolve(),
};

/** Thrown into the work of a tab that is not open any more. */
class Closed extends Error {}

/** Runs tasks one after the other: the GPU is one, and a tab must have finished before its picture is freed. */
function enqueue(task) {
  state.queue = state.queue.then(task).catch((error) => {
    if (!(error instanceof Closed) && state.device) say(error.message);
  });
  return state.queue;
}

async function close() {
  const { view } = state;
  state.view = null;
  if (!view) return;
  await view.busy;
  view.release?.();
  view.owned.forEach((resource) => resource.destroy());
}

/** Compiles kernels one by one, with a line that says how far it is. `kernels`: functions that make an object. */
async function compile(kernels, view, show) {
  for (const [i, make] of kernels.entries()) {
    if (!view.alive) throw new Closed();
    show(i, kernels.length);
    await new Promise((resolve) => {
      setTimeout(resolve);
    }); // the page stays responsive
    (await make()).destroy();
  }
}

/** Fills the panel with a tab. `view.alive` ends when another one is opened: nothing is drawn from then on. */
async function fill(view, { id, kernels, open: openTab }) {
  await close();
  const { device, painter, scene } = state;
  if (!view.alive || !device || !scene) return;
  state.view = view;
  delete body.dataset.ready;
  say('');
  const panel = {
    show: (...children) => {
      if (!view.alive) throw new Closed();
      body.replaceChildren(...children);
    },
    fail: (error) => {
      if (view.alive && state.device === device) say(error.message);
    },
    busy: (promise) => {
      view.busy = promise;
    },
  };
  const line = element('p', { className: 'note', role: 'status' });
  const own = (resource) => {
    view.owned.push(resource);
    return resource;
  };
  const work = { device, painter, scene, size: [scene.width, scene.height], panel, own };
  try {
    panel.show(line);
    await compile(kernels(work), view, (done, all) => {
      line.textContent = `Compiling kernels: ${done} of ${all} …`;
    });
    view.release = await openTab(work);
  } catch (error) {
    if (!view.alive || state.device !== device) throw new Closed();
    body.replaceChildren();
    say(error.message);
  }
  await painter.copied;
  if (view.alive && state.device === device) body.dataset.ready = id;
}

let alive = { alive: false };

function open(name) {
  const tab = tabs.find(({ id }) => id === name);
  alive.alive = false;
  alive = { alive: true, owned: [], release: null, busy: null };
  state.tab = name;
  for (const button of list.children) {
    const selected = button.id === `tab-${name}`;
    button.setAttribute('aria-selected', String(selected));
    button.tabIndex = selected ? 0 : -1;
    if (selected) button.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  body.setAttribute('aria-labelledby', `tab-${name}`);
  history.replaceState(null, '', `#${name}`);
  delete body.dataset.ready;
  body.replaceChildren(element('p', { className: 'note', textContent: 'Waiting for the graphics device …' }));
  status.textContent = '';
  const view = alive;
  enqueue(() => fill(view, tab));
  enqueue(() => ahead(view));
}

/** Compiles the kernels of the other tabs while a tab is open for a while; another one that is opened interrupts it. */
async function ahead(view) {
  for (let i = 0; i < 10 && view.alive; ++i)
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  const { device, scene } = state;
  if (!view.alive || !device || !scene) return;
  const work = { device, scene, size: [scene.width, scene.height] };
  const all = [...tabs.flatMap(({ kernels }) => kernels(work)), ...tabs.flatMap(({ more }) => more?.(work) ?? [])];
  try {
    await compile(all, view, (done, count) => {
      progress.textContent = `Compiling the kernels of all tabs ahead: ${done} of ${count} …`;
    });
    progress.textContent = `The kernels of all tabs are compiled (${all.length}).`;
  } catch (error) {
    // A kernel that this device cannot have: its tab says so.
    progress.textContent = '';
    if (error instanceof Closed) throw error;
  }
}

function setPicture(picture) {
  alive.alive = false;
  enqueue(async () => {
    await close();
    state.scene?.destroy();
    state.picture = picture;
    state.scene = state.device ? upload(state.device, picture) : null;
    sceneText.textContent = describe(picture);
  });
  open(state.tab);
}

async function load(file) {
  if (!file) return;
  try {
    const picture = await pictureOfFile(file);
    act(() => setPicture(picture));
  } catch (error) {
    say(error.message);
  }
}

/** Opens a device and shows the picture on it. */
async function start() {
  const { device, software } = await openDevice();
  state.device = device;
  device.lost.then((info) => recover(device, info));
  device.addEventListener('uncapturederror', (event) => {
    if (state.device === device) say(event.error.message);
  });
  // A device that was lost may have been lost because it cannot present.
  state.presents ??= !software && (await canPresent());
  if (state.device !== device) return;
  state.painter = new Painter(device, !state.presents);
  setPicture(state.picture ?? samplePicture());
}

async function recover(device, info) {
  if (state.device !== device) return;
  const why = info.message || info.reason;
  alive.alive = false;
  Object.assign(state, { device: null, scene: null, presents: false });
  if (++state.losses > 3) {
    body.replaceChildren();
    say(`The graphics device was lost ${state.losses} times (${why}). Reload the page to try again.`);
    return;
  }
  try {
    await start();
    if (state.device) status.textContent = `The graphics device was lost (${why}); the page has opened another one.`;
  } catch (error) {
    say(error.message);
  }
}

/** Does what the user asks for. */
function act(what) {
  state.losses = 0;
  what();
}

for (const { id, title } of tabs) {
  const button = element('button', {
    type: 'button',
    id: `tab-${id}`,
    role: 'tab',
    textContent: title,
    'aria-controls': 'panel',
    'aria-selected': 'false',
  });
  button.addEventListener('click', () => act(() => open(id)));
  list.append(button);
}
list.addEventListener('keydown', (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step && event.key !== 'Home' && event.key !== 'End') return;
  event.preventDefault();
  const at = tabs.findIndex(({ id }) => id === state.tab);
  const next =
    event.key === 'Home' ? 0 : event.key === 'End' ? tabs.length - 1 : (at + step + tabs.length) % tabs.length;
  act(() => open(tabs[next].id));
  list.children[next].focus();
});
document.getElementById('file').addEventListener('change', (event) => {
  load(event.target.files[0]);
  event.target.value = ''; // the same file can be opened again
});
document.getElementById('sample').addEventListener('click', () => act(() => setPicture(samplePicture())));
window.addEventListener('dragover', (event) => {
  event.preventDefault();
  document.body.classList.add('drop');
});
window.addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) document.body.classList.remove('drop');
});
window.addEventListener('drop', (event) => {
  event.preventDefault();
  document.body.classList.remove('drop');
  load(event.dataTransfer.files[0]);
});

try {
  const wanted = location.hash.slice(1);
  if (tabs.some(({ id }) => id === wanted)) state.tab = wanted;
  await start();
} catch (error) {
  list.replaceChildren();
  body.hidden = true;
  say(error.message);
}
