// demo.test.js: the demo in a browser, opened as a user would. ONEPASS_SCREENSHOTS=FOLDER keeps pictures.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, openPage, png, site } from './browser.js';

const shots = process.env.ONEPASS_SCREENSHOTS;
const type = process.env.ONEPASS_SCREENSHOT_TYPE ?? 'jpeg';
const names = ['levels', 'min-max', 'spectrum', 'filter', 'bloom', 'histogram', 'operators'];
let browser;
let server;
before(async () => {
  server = await site();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

async function ready(page, name) {
  await page
    .waitForFunction((id) => document.getElementById('panel').dataset.ready === id, name, { timeout: 300000 })
    .catch(async (error) => {
      throw new Error(`${name}: ${await page.evaluate(() => document.body.innerText)}`, { cause: error });
    });
  assert.equal(await page.textContent('#notice'), '', `${name}: notice`);
}

const shot = (page, name) =>
  shots &&
  page.screenshot({
    path: join(shots, `web-${name}.${type === 'png' ? 'png' : 'jpg'}`),
    fullPage: name.startsWith('phone'),
    type,
    timeout: 120000,
    ...(type === 'jpeg' ? { quality: 60 } : {}),
  });

/** The number of distinct colours of a canvas. */
const coloursOf = (page, selector) =>
  page.evaluate(async (what) => {
    const canvas = document.querySelector(what);
    await new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    });
    const context = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) colours.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
    return colours.size;
  }, selector);

/** Keeps the devices of a page in `window.devices`, and loses them at once if `window.failing`; compiling takes `delay` ms longer. */
const watchDevices = (page, delay = 0) =>
  page.addInitScript((wait) => {
    window.devices = [];
    const { requestDevice } = GPUAdapter.prototype;
    GPUAdapter.prototype.requestDevice = async function request(descriptor) {
      const device = await requestDevice.call(this, descriptor);
      window.devices.push(device);
      if (window.failing) device.destroy();
      return device;
    };
    const { createComputePipelineAsync } = GPUDevice.prototype;
    GPUDevice.prototype.createComputePipelineAsync = async function create(descriptor) {
      await new Promise((resolve) => {
        setTimeout(resolve, wait);
      });
      return createComputePipelineAsync.call(this, descriptor);
    };
  }, delay);

test('Demo: every tab shows its result, by keyboard; then all kernels are compiled', async (t) => {
  const { page, errors } = await openPage(browser, { viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
  t.after(() => page.close());
  await page.goto(`${server.url}demo/`);
  await ready(page, 'levels');
  await page.focus('#tab-levels');
  for (const name of names) {
    if (name !== 'levels') await page.keyboard.press('ArrowRight');
    await ready(page, name);
    assert.equal(await page.getAttribute(`#tab-${name}`, 'aria-selected'), 'true');
    assert.equal(await page.evaluate(() => document.activeElement.id), `tab-${name}`);
    const colours = await coloursOf(page, '#panel canvas');
    assert.ok(colours > (name === 'min-max' ? 20 : 200), `${name}: ${colours} colours`);
    if (name === 'min-max') {
      // Both footprints of a reduction side by side.
      const boxes = await page
        .locator('#panel figure')
        .evaluateAll((all) =>
          all.map((one) => [one.innerText, one.getBoundingClientRect().top, one.getBoundingClientRect().left]),
        );
      assert.deepEqual(
        boxes.map(([text]) => text),
        ['aligned, minimum', 'covering, minimum', 'aligned, maximum', 'covering, maximum'],
      );
      assert.ok(
        boxes[0][1] === boxes[1][1] && boxes[2][1] === boxes[3][1] && boxes[0][2] < boxes[1][2],
        JSON.stringify(boxes),
      );
    }
    await shot(page, name);
  }
  assert.equal(await page.locator('#panel canvas').count(), 14);
  await page.waitForFunction(() =>
    /^Compiling the kernels of all tabs ahead: \d+ of \d+ …$|^The kernels/.test(
      document.getElementById('progress').textContent,
    ),
  );
  await page.waitForFunction(
    () => /^The kernels of all tabs are compiled \(\d\d\)\.$/.test(document.getElementById('progress').textContent),
    null,
    { timeout: 180000 },
  );
  assert.deepEqual(errors, []);
});

test('Demo: sliders change the result, files are read or refused in a sentence', async (t) => {
  const { page, errors } = await openPage(browser, { viewport: { width: 1000, height: 800 } });
  t.after(() => page.close());
  await page.goto(`${server.url}demo/#min-max`);
  await ready(page, 'min-max');
  assert.match(
    await page.textContent('#panel .note'),
    /Level 4, 40×26: of 641 columns aligned drops 1 at the right, of 427 rows 11 at the bottom/,
  );
  await page.locator('#panel input[type=range]').fill('6');
  assert.match(await page.textContent('#panel .note'), /Level 6, 10×6/);
  // A Radiance file of 3x2 texels, as Radiance pads its sizes; a picture that is too large.
  const hdr = (resolution, bytes = 24) =>
    Buffer.concat([
      Buffer.from(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n${resolution}\n`),
      Buffer.from(
        Array.from({ length: 6 }, (_, i) => [100 + i * 20, 128, 90, 129 + i])
          .flat()
          .slice(0, bytes),
      ),
    ]);
  const give = (name, buffer) => page.setInputFiles('#file', { name, mimeType: 'application/octet-stream', buffer });
  const says = (where, text) =>
    page
      .waitForFunction(([id, words]) => document.getElementById(id).textContent === words, [where, text])
      .catch(async (error) => {
        throw new Error(`${await page.textContent(`#${where}`)}, not ${text}`, { cause: error });
      });
  await give('small.hdr', hdr('-Y        2 +X        3'));
  await says('scene', 'small.hdr, 3×2');
  await page.click('#tab-histogram');
  await ready(page, 'histogram');
  for (const words of ['stops', 'factor on the light', 'cd/m²'])
    assert.ok((await page.textContent('#panel table')).includes(words), words);
  await give('large.png', png([2001, 3], new Uint8ClampedArray(4 * 2001 * 3).fill(255)));
  await says('scene', 'large.png, 2001×3, reduced to 1600×2: this page shows at most 1600 texels a side');
  await ready(page, 'histogram');
  for (const [name, bytes, text] of [
    ['broken.hdr', hdr('-Y 2 +X 3', 21), 'broken.hdr: cannot be read: it ends too early'],
    ['none.hdr', hdr('-Y 0 +X 0'), 'none.hdr: cannot be read: its size is 0×0: it has no texels'],
    [
      'huge.hdr',
      hdr('-Y 99999 +X 99999'),
      'huge.hdr: cannot be read: its size 99999×99999 is above the limit of 67 million texels',
    ],
    [
      'turned.hdr',
      hdr('+X 3 -Y 2'),
      'turned.hdr: cannot be read: its rows and columns are "+X 3 -Y 2"; this page reads "-Y height +X width"',
    ],
    [
      'beach.exr',
      Buffer.from([0x76, 0x2f, 0x31, 0x01, 2]),
      'beach.exr: it is an OpenEXR file, which this page does not read; save it as Radiance (.hdr).',
    ],
    [
      'logo.svg',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'logo.svg: it is an SVG drawing, which has no texels of its own; save it as PNG.',
    ],
    ['scan.tif', Buffer.from('II*\0'), 'scan.tif: it is a TIFF file, which browsers do not read; save it as PNG.'],
    [
      'text.png',
      Buffer.from('not a picture'),
      'text.png: the browser cannot decode it; PNG, JPEG, WebP, AVIF and Radiance (.hdr) files are read.',
    ],
    ['empty.png', Buffer.alloc(0), 'empty.png: the file is empty.'],
  ]) {
    await give(name, bytes);
    await says('notice', text);
  }
  assert.match(await page.textContent('#scene'), /^large.png/); // what was shown is still shown
  assert.deepEqual(errors, []);
});

test('Demo: a lost device is replaced, and the picture shown again', async (t) => {
  const { page, errors } = await openPage(browser, {});
  t.after(() => page.close());
  await watchDevices(page);
  await page.goto(`${server.url}demo/#min-max`);
  await ready(page, 'min-max');
  const colours = await coloursOf(page, '#panel canvas');
  await page.evaluate(() => window.devices.at(-1).destroy());
  await page.waitForFunction(() =>
    /^The graphics device was lost \(.+\); the page has opened another one\.$/.test(
      document.getElementById('status').textContent,
    ),
  );
  await ready(page, 'min-max');
  assert.equal(await coloursOf(page, '#panel canvas'), colours);
  await page.locator('#panel input[type=range]').fill('6');
  assert.match(await page.textContent('#panel .note'), /^Level 6, /);
  // Again and again: the page gives up with a sentence.
  await page.evaluate(() => {
    window.failing = true;
    window.devices.at(-1).destroy();
  });
  await page.waitForFunction(() =>
    /^The graphics device was lost 4 times \(.+\)\. Reload the page to try again\.$/.test(
      document.getElementById('notice').textContent,
    ),
  );
  assert.deepEqual(errors, []);
});

test('Demo: where textures cannot be presented, canvases are filled by copies', async (t) => {
  const { page } = await openPage(browser, {});
  t.after(() => page.close());
  await watchDevices(page);
  // The adapter does not say that it is software: the page finds out by trying, for which this browser may lose devices.
  await page.addInitScript(() => {
    for (const name of ['isFallbackAdapter', 'architecture'])
      Object.defineProperty(GPUAdapterInfo.prototype, name, { get: () => '' });
  });
  await page.goto(`${server.url}demo/#levels`);
  await ready(page, 'levels');
  assert.ok((await page.evaluate(() => window.devices.length)) > 1, 'it has tried');
  assert.ok((await coloursOf(page, '#panel canvas')) > 200);
});

test('Demo: a tab that finishes late draws nothing into another one', async (t) => {
  const { page, errors } = await openPage(browser, {});
  t.after(() => page.close());
  await watchDevices(page, 400);
  await page.goto(`${server.url}demo/#levels`);
  await ready(page, 'levels');
  await page.evaluate(() => {
    window.seen = [];
    new MutationObserver(() => {
      const selected = document.querySelector('[aria-selected=true]').id;
      const text = document.getElementById('panel').innerText;
      window.seen.push([
        selected,
        /Metering/.test(text)
          ? 'tab-histogram'
          : /Cutoff/.test(text)
            ? 'tab-filter'
            : /All levels/.test(text)
              ? 'tab-levels'
              : '',
      ]);
    }).observe(document.getElementById('panel'), { childList: true, subtree: true });
  });
  await page.click('#tab-filter');
  await page.waitForTimeout(600); // in the middle of compiling
  await page.click('#tab-histogram');
  await page.waitForTimeout(600);
  await page.click('#tab-levels');
  await ready(page, 'levels');
  await page.waitForTimeout(1500);
  const seen = await page.evaluate(() => window.seen);
  assert.ok(seen.some(([selected, shown]) => selected === 'tab-levels' && shown === 'tab-levels'));
  for (const [selected, shown] of seen) assert.ok(shown === '' || shown === selected, `${shown} in ${selected}`);
  assert.ok(
    await page
      .locator('#panel figcaption')
      .first()
      .innerText()
      .then((text) => text.startsWith('All levels')),
  );
  assert.deepEqual(errors, []);
});

test('Demo: fits a phone, in the dark', async (t) => {
  const { page } = await openPage(browser, { viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
  t.after(() => page.close());
  await page.goto(`${server.url}demo/#levels`);
  for (const name of ['levels', 'histogram', 'operators']) {
    await page.click(`#tab-${name}`);
    await ready(page, name);
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
      `${name}: no horizontal scrolling`,
    );
    await shot(page, `phone-${name}`);
  }
  // 14 pictures in two columns.
  const tops = await page
    .locator('#panel figure')
    .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
  assert.equal(new Set(tops).size, 7, `${tops}`);
});

test('Demo: without WebGPU a sentence says what is needed', async (t) => {
  const { page } = await openPage(browser, {});
  t.after(() => page.close());
  await page.addInitScript(() => Object.defineProperty(navigator, 'gpu', { value: undefined }));
  await page.goto(`${server.url}demo/`);
  await page.waitForFunction(() => !document.getElementById('notice').hidden);
  assert.match(await page.textContent('#notice'), /needs WebGPU: Chrome or Edge 113/);
});
