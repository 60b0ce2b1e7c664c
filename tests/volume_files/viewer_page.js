// viewer_page.js ONEPASS CHROMIUM: the pages of `onepass volume --viewer` in a browser. Pixels of slices are compared
// with voxels and their means by definition.
const assert = require('assert');
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Browser, serve } = require('./viewer_browser.js');

const [onepass, chromium] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viewer-'));
const at = (name) => path.join(folder, name);
const volume = (...options) => execFileSync(onepass, ['volume', ...options, '--viewer', '--quiet'], { cwd: folder });

// ---- The volumes

const kSize = [71, 50, 21];
const voxel = ([x, y, z]) => 1000 + x * 17 + y * 31 + z * 101 + ((x * y) % 7) * 300;

// The mean of a cell of 2^level voxels per axis, rounded; of the voxels that exist.
function mean(index, level) {
  const edge = 2 ** level;
  let [sum, count] = [0, 0];
  for (let z = index[2] * edge; z < Math.min((index[2] + 1) * edge, kSize[2]); ++z)
    for (let y = index[1] * edge; y < Math.min((index[1] + 1) * edge, kSize[1]); ++y)
      for (let x = index[0] * edge; x < Math.min((index[0] + 1) * edge, kSize[0]); ++x, ++count)
        sum += voxel([x, y, z]);
  const floor = Math.floor(sum / count);
  const rest = sum / count - floor;
  return rest === 0.5 ? floor + (floor % 2) : Math.round(sum / count);
}

function writeRaw(name, type, [width, height, planes], value) {
  const voxels = new type(width * height * planes);
  for (let z = 0, i = 0; z < planes; ++z)
    for (let y = 0; y < height; ++y) for (let x = 0; x < width; ++x, ++i) voxels[i] = value([x, y, z]);
  fs.writeFileSync(at(name), Buffer.from(voxels.buffer));
}

// Two times of two channels of 12 x 10 x 4 voxels, uint8, in red and green with windows of omero.
const kSetSize = [12, 10, 4];
const setVoxel = (time, channel, [x, y, z]) => 20 + time * 50 + (channel === 0 ? 5 * x + z : 7 * y);
function writeSet(name) {
  const json = (file, content) => {
    fs.mkdirSync(path.dirname(at(`${name}/${file}`)), { recursive: true });
    fs.writeFileSync(at(`${name}/${file}`), JSON.stringify(content));
  };
  const axes = [
    ['t', 'time'],
    ['c', 'channel'],
    ['z', 'space'],
    ['y', 'space'],
    ['x', 'space'],
  ].map(([axis, type]) => ({ name: axis, type }));
  const datasets = [{ path: '0', coordinateTransformations: [{ type: 'scale', scale: [1, 1, 1, 1, 1] }] }];
  const channels = ['FF0000', '00FF00'].map((color, i) => ({
    label: `dye ${i}`,
    color,
    active: true,
    window: { min: 0, max: 255, start: 10, end: 200 },
  }));
  json('.zgroup', { zarr_format: 2 });
  json('.zattrs', { multiscales: [{ version: '0.4', axes, datasets }], omero: { channels } });
  json('0/.zarray', {
    zarr_format: 2,
    shape: [2, 2, 4, 10, 12],
    chunks: [1, 1, 4, 10, 12],
    dtype: '|u1',
    compressor: null,
    fill_value: 0,
    filters: null,
    order: 'C',
    dimension_separator: '/',
  });
  for (const [t, c] of [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]) {
    fs.mkdirSync(at(`${name}/0/${t}/${c}/0/0`), { recursive: true });
    writeRaw(`${name}/0/${t}/${c}/0/0/0`, Uint8Array, kSetSize, (place) => setVoxel(t, c, place));
  }
}

// ---- The page

let browser;
const kAxes = { xy: [0, 1, 2], yz: [2, 1, 0], xz: [0, 2, 1] };
const isReady = 'document.body.dataset.ready === "yes"';

async function open(url) {
  await browser.send('Page.navigate', { url });
  await browser.until(`location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`);
}

// Waits for what has been asked for to be drawn.
async function drawn() {
  await browser.run('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await browser.until(isReady, 'the page is not ready');
}

const press = async (...keys) => {
  for (const key of keys) await browser.key(key);
  await drawn();
};
const setField = async (label, value) => {
  await browser.run(`{ const field = document.querySelector('[aria-label="${label}"]'); field.value = ${value};
    for (const name of ['input', 'change']) field.dispatchEvent(new Event(name)); }`);
  await drawn();
};
const status = () => browser.run('document.querySelector("#status").textContent');
const box = (view) =>
  browser.run(`(() => {
    const { x, y, width, height } = document.querySelector('#${view} canvas').getBoundingClientRect();
    return { x, y, width, height };
  })()`);

// Compares the pixels of a view in which a voxel of a level has one pixel with `expected`, a colour of an index.
async function compare(view, size, index, scale, expected, centre = size.map((s) => (s * scale) / 2)) {
  const { width, height, bytes } = await browser.run(`(() => {
    const canvas = document.querySelector('#${view} canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const text = Array.from(data, (byte) => String.fromCharCode(byte)).join('');
    return { width: canvas.width, height: canvas.height, bytes: btoa(text) };
  })()`);
  const pixels = Buffer.from(bytes, 'base64');
  const [u, v] = kAxes[view];
  const left = Math.round(width / 2 - centre[u]);
  const top = Math.round(height / 2 - centre[v]);
  let count = 0;
  const whole = (axis) => Math.floor(size[axis] * scale + 1e-9); // a last voxel of less than a pixel is left out
  for (let y = 0; y < whole(v); ++y) {
    for (let x = 0; x < whole(u); ++x) {
      if (left + x < 0 || left + x >= width || top + y < 34 || top + y >= height - 40) continue; // the scale, the bar
      const place = [...index];
      [place[u], place[v]] = [x, y];
      const from = 4 * ((top + y) * width + left + x);
      assert.deepStrictEqual([...pixels.subarray(from, from + 4)], [...expected(place), 255], `${view} ${place}`);
      ++count;
    }
  }
  assert.ok(count > 0.5 * whole(u) * whole(v), `${view}: ${count} pixels seen`);
}

const shade = (value, low, high) => Math.round(255 * Math.min(Math.max((value - low) / (high - low), 0), 1));
const grey =
  (low, high, level = 0) =>
  (place) =>
    Array(3).fill(shade(level === 0 ? voxel(place) : mean(place, level), low, high));

// Slices of a level and another one, by keys and by the pointer; `brief`: the first of them.
async function checkSlices(url, brief = false) {
  await open(url);
  await drawn();
  const window = await browser.run(
    '[...document.querySelectorAll(".channel input[type=number]")].map((field) => Number(field.value))',
  );
  const coarse = [];
  for (let z = 0; z < 3; ++z) for (let y = 0; y < 7; ++y) for (let x = 0; x < 9; ++x) coarse.push(mean([x, y, z], 3));
  coarse.sort((a, b) => a - b);
  assert.deepStrictEqual(window, [coarse[0], coarse[188]], 'percentiles of the coarsest level');
  await setField('low end of Voxels, number', 1200);
  await setField('high end of Voxels, number', 5000);
  await browser.run('document.querySelector("#lines").click()');
  await press('0', '1');
  let cross = [35, 24, 10];
  for (const view of ['xy', 'yz', 'xz']) await compare(view, kSize, cross, 1, grey(1200, 5000));
  assert.strictEqual(await browser.run('document.querySelector("#notice").textContent'), '');
  if (brief) return;
  // Another slice by key and by click.
  await press('PageDown');
  cross[2] = 11;
  await compare('xy', kSize, cross, 1, grey(1200, 5000));
  const place = await box('xy');
  const [x, y] = [
    place.x + Math.round(place.width / 2 - 35.5) + 12.5,
    place.y + Math.round(place.height / 2 - 25) + 20.5,
  ];
  await browser.mouse('mousePressed', x, y);
  await browser.mouse('mouseReleased', x, y);
  await drawn();
  cross = [12, 20, 11];
  assert.match(await status(), new RegExp(`^x 12, y 20, z 11 · value ${voxel(cross)} · level 0 of 0 to 3$`));
  for (const view of ['yz', 'xz']) await compare(view, kSize, cross, 1, grey(1200, 5000));
  // Half the zoom shows level 1; then a drag.
  await browser.mouse('mouseWheel', place.x + place.width / 2, place.y + place.height / 2, { deltaX: 0, deltaY: 240 });
  await drawn();
  await browser.until('/level 1 of 0 to 3$/.test(document.querySelector("#status").textContent)', 'level 1');
  const half = [36, 25, 11];
  const centre = kSize.map((size) => size / 4);
  await compare(
    'xy',
    half.map((s, i) => kSize[i] / 2),
    [0, 0, 5],
    1,
    grey(1200, 5000, 1),
    centre,
  );
  await browser.mouse('mousePressed', place.x + 100, place.y + 100);
  await browser.mouse('mouseMoved', place.x + 90, place.y + 106, { buttons: 1 });
  await browser.mouse('mouseReleased', place.x + 90, place.y + 106);
  await drawn();
  const moved = [centre[0] + 10, centre[1] - 6, centre[2]];
  await compare(
    'xy',
    kSize.map((s) => s / 2),
    [0, 0, 5],
    1,
    grey(1200, 5000, 1),
    moved,
  );
}

async function checkChannels(url) {
  await open(url);
  await drawn();
  await browser.run('document.querySelector("#lines").click()');
  await press('0', '1');
  const colours = (time, shown) => (place) =>
    [0, 1, 2].map((c) => (shown.includes(c) ? shade(setVoxel(time, c, place), 10, 200) : 0));
  await compare('xy', kSetSize, [5, 4, 1], 1, colours(0, [0, 1]));
  await setField('t', 1);
  await compare('xy', kSetSize, [5, 4, 1], 1, colours(1, [0, 1]));
  await browser.run('document.querySelector(\'[aria-label="show dye 0"]\').click()');
  await drawn();
  await compare('xy', kSetSize, [5, 4, 1], 1, colours(1, [1]));
}

async function checkLabels(url) {
  await open(url);
  await drawn();
  await browser.run('document.querySelector("#lines").click()');
  await press('0', '1');
  const colourOf = new Map([[0, [0, 0, 0]]]);
  const seen = await browser.run(`(() => { const canvas = document.querySelector('#xy canvas');
    const left = Math.round(canvas.width / 2 - 20), top = Math.round(canvas.height / 2 - 20);
    const at = (x) => [...canvas.getContext('2d').getImageData(left + x, top + 20, 1, 1).data].slice(0, 3);
    return [2, 12, 22, 32].map(at); })()`);
  seen.forEach((colour, i) => colourOf.set(i, colour));
  assert.deepStrictEqual(colourOf.get(0), [0, 0, 0]);
  assert.strictEqual(new Set(seen.map(String)).size, 4, 'labels have distinct colours');
  await compare('xy', [40, 40, 8], [0, 0, 3], 1, ([x]) => colourOf.get(Math.floor(x / 10)));
}

async function checkErrors(site, says) {
  // A damaged chunk leaves the others; an unknown codec, missing metadata and a page from a disk leave no volume.
  const shard = at('a b.zarr/0/c/0/0/0');
  const bytes = fs.readFileSync(shard);
  bytes.fill(0x55, 0, Math.floor(bytes.length / 2));
  fs.writeFileSync(shard, bytes);
  await open(`${site.url}parts/a%20b.html`);
  await drawn();
  await says(/^a b\.zarr\/0\/c\/0\/0\/0 is damaged: it is no Zstandard frame\.$/);
  const metadata = at('a b.zarr/2/zarr.json');
  fs.writeFileSync(metadata, fs.readFileSync(metadata, 'utf8').replace('"zstd"', '"pcodec"'));
  await open(`${site.url}whole/a%20b.html`);
  await says(/^a b\.zarr\/2 has the codec pcodec; this page reads zstd and blosc\.$/);
  fs.renameSync(at('a b.zarr'), at('moved.zarr'));
  await open(`${site.url}parts/a%20b.html`);
  await says(/^a b\.zarr\/ is not beside this page\.$/);
  await open(`file://${encodeURI(at('a b.html'))}`);
  await says(
    /run "python3 -m http\.server" in the folder of this page, then open http:\/\/localhost:8000\/a%20b\.html\.$/,
  );
}

async function main() {
  writeRaw('in.raw', Uint16Array, kSize, voxel);
  const raw = ['in.raw', '--raw', `${kSize.join('x')}:uint16`, '--chunk', '16', '--steps', 'xyz', '--levels', '4'];
  volume(...raw, '-o', 'a b.zarr', '--shard-size', '32');
  fs.mkdirSync(at('sub'));
  volume(...raw, '-o', 'sub/old.zarr', '--zarr', '2', '--compression', 'none');
  writeSet('set.zarr');
  volume('set.zarr', '-o', 'two.zarr');
  writeRaw('labels.raw', BigUint64Array, [40, 40, 8], ([x]) => BigInt(Math.floor(x / 10)) * 0x100000001n);
  volume('labels.raw', '--raw', '40x40x8:uint64', '-o', 'labels.zarr', '--reduction', 'mode');

  browser = new Browser(chromium, at('profile'));
  const site = await serve(folder);
  try {
    await browser.open(800, 520);
    await checkSlices(`${site.url}parts/a%20b.html`);
    assert.ok(site.ranges > 20, `${site.ranges} ranges`);
    site.chunks = [];
    await checkSlices(`${site.url}whole/a%20b.html`, true);
    assert.strictEqual(new Set(site.chunks).size, site.chunks.length, 'whole files are kept');
    await checkSlices(`${site.url}parts/sub/old.html`, true);
    await checkChannels(`${site.url}parts/two.html`);
    await checkLabels(`${site.url}whole/labels.html`);
    await checkErrors(site, async (pattern) => {
      await browser.until(`document.querySelector('#notice').textContent !== ''`, 'a notice');
      assert.match(await browser.run('document.querySelector("#notice").textContent'), pattern);
    });
    assert.deepStrictEqual(browser.exceptions, []);
  } catch (error) {
    const { data } = await browser.send('Page.captureScreenshot');
    fs.writeFileSync(path.join(os.tmpdir(), 'viewer_page.png'), Buffer.from(data, 'base64'));
    throw error;
  } finally {
    await browser.close();
    site.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log('the pages show the voxels, by ranges and by whole files');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
