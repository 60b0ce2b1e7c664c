// main.js: the page: opens a device, loads images, switches between tabs.
import { element } from './controls.js';
import { Painter, openDevice } from './gpu.js';
import { sampleScene, sceneOfFile } from './scene.js';
import { tabs } from './tabs.js';

const list = document.getElementById('tabs');
const body = document.getElementById('panel');
const notice = document.getElementById('notice');
const sceneText = document.getElementById('scene');

const say = (text) => {
  notice.textContent = text;
  notice.hidden = text === '';
};

const panel = {
  show: (...children) => body.replaceChildren(...children),
  fail: (error) => say(error.message),
};

const state = { device: null, painter: null, scene: null, tab: tabs[0][0], release: null, opening: Promise.resolve() };

/** Opens a tab after the one before has finished; `body` says which one is complete. */
function open(name) {
  state.tab = name;
  for (const button of list.children) {
    const selected = button.id === `tab-${name}`;
    button.setAttribute('aria-selected', String(selected));
    button.tabIndex = selected ? 0 : -1;
    if (selected) button.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  body.setAttribute('aria-labelledby', `tab-${name}`);
  history.replaceState(null, '', `#${name}`);
  state.opening = state.opening.then(async () => {
    if (state.tab !== name || !state.scene) return;
    delete body.dataset.ready;
    state.release?.();
    state.release = null;
    say('');
    panel.show(element('p', { className: 'note', textContent: 'Compiling kernels …' }));
    try {
      const { device, painter, scene } = state;
      state.release = await tabs.find(([id]) => id === name)[2]({ device, painter, scene, size: [scene.width, scene.height], panel });
    } catch (error) {
      panel.show();
      say(error.message);
    }
    await state.painter.copied;
    body.dataset.ready = name;
  });
}

function setScene(scene, name) {
  state.opening = state.opening.then(() => {
    state.release?.();
    state.release = null;
    state.scene?.destroy();
    state.scene = scene;
    sceneText.textContent = `${name}, ${scene.width}×${scene.height}`;
  });
  open(state.tab);
}

async function load(file) {
  if (!file) return;
  try {
    setScene(await sceneOfFile(state.device, file), file.name);
  } catch (error) {
    say(error.message);
  }
}

for (const [name, title] of tabs) {
  const button = element('button', { type: 'button', id: `tab-${name}`, role: 'tab', textContent: title, 'aria-controls': 'panel', 'aria-selected': 'false' });
  button.addEventListener('click', () => open(name));
  list.append(button);
}
list.addEventListener('keydown', (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step && event.key !== 'Home' && event.key !== 'End') return;
  event.preventDefault();
  const at = tabs.findIndex(([name]) => name === state.tab);
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? tabs.length - 1 : (at + step + tabs.length) % tabs.length;
  open(tabs[next][0]);
  list.children[next].focus();
});

try {
  state.device = await openDevice();
  state.device.lost.then((info) => say(`The graphics device was lost (${info.message || info.reason}). Reload the page.`));
  state.device.addEventListener('uncapturederror', (event) => say(event.error.message));
  state.painter = new Painter(state.device);
  const wanted = location.hash.slice(1);
  if (tabs.some(([name]) => name === wanted)) state.tab = wanted;
  document.getElementById('file').addEventListener('change', (event) => load(event.target.files[0]));
  document.getElementById('sample').addEventListener('click', () => setScene(sampleScene(state.device), 'Sample scene'));
  window.addEventListener('dragover', (event) => { event.preventDefault(); document.body.classList.add('drop'); });
  window.addEventListener('dragleave', (event) => { if (!event.relatedTarget) document.body.classList.remove('drop'); });
  window.addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('drop');
    load(event.dataTransfer.files[0]);
  });
  setScene(sampleScene(state.device), 'Sample scene');
} catch (error) {
  list.replaceChildren();
  body.hidden = true;
  say(error.message);
}
