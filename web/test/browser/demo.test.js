// demo.test.js: every tab of the demo in a browser. ONEPASS_SCREENSHOTS=FOLDER keeps pictures. Chromium on SwiftShader
// cannot present textures on canvases, so the demo fills them by copies (?copy).
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, openPage, site } from './browser.js';

const shots = process.env.ONEPASS_SCREENSHOTS;
let browser;
let server;
before(async () => { server = await site(); browser = await launch(); });
after(async () => { await browser?.close(); server.close(); });

async function ready(page, name) {
  await page.waitForFunction((id) => document.getElementById('panel').dataset.ready === id, name, { timeout: 120000 });
  assert.equal(await page.textContent('#notice'), '', `${name}: notice`);
}

/** The share of pixels of a canvas that are not black, and the number of distinct colours. */
const looks = (page, selector) => page.evaluate(async (what) => {
  const canvas = document.querySelector(what);
  await new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  const context = copy.getContext('2d');
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let i = 0; i < data.length; i += 4) colours.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
  return { width: canvas.width, height: canvas.height, colours: colours.size };
}, selector);

test('Demo: every tab shows its result, by keyboard', async () => {
  const { page, errors } = await openPage(browser, { viewport: { width: 1200, height: 860 }, colorScheme: 'light' });
  await page.goto(`${server.url}demo/?copy`);
  await ready(page, 'levels');
  await page.focus('#tab-levels');
  for (const name of ['levels', 'min-max', 'spectrum', 'filter', 'bloom', 'histogram', 'operators']) {
    if (name !== 'levels') await page.keyboard.press('ArrowRight');
    await ready(page, name);
    assert.equal(await page.getAttribute(`#tab-${name}`, 'aria-selected'), 'true');
    assert.equal(await page.evaluate(() => document.activeElement.id), `tab-${name}`);
    const { colours } = await looks(page, '#panel canvas');
    assert.ok(colours > (name === 'min-max' ? 20 : 200), `${name}: ${colours} colours`);
    if (shots) await page.screenshot({ path: join(shots, `web-${name}.jpg`), quality: 60 });
  }
  assert.equal(await page.locator('#panel canvas').count(), 14);
  assert.deepEqual(errors, []);
  await page.close();
});

test('Demo: sliders change the result, files are read, bad files are refused', async () => {
  const { page, errors } = await openPage(browser, { viewport: { width: 1000, height: 800 } });
  await page.goto(`${server.url}demo/?copy#min-max`);
  await ready(page, 'min-max');
  assert.match(await page.textContent('#panel .note'), /Level 4, 40×26: of 641 columns aligned drops 1 at the right, of 427 rows 11 at the bottom/);
  await page.locator('#panel input[type=range]').fill('6');
  assert.match(await page.textContent('#panel .note'), /Level 6, 10×6/);
  // A Radiance file of 3x2 texels, and a damaged one.
  const hdr = Buffer.concat([Buffer.from('#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 3\n'), Buffer.from(Array.from({ length: 6 }, (_, i) => [100 + i * 20, 128, 90, 129 + i]).flat())]);
  await page.setInputFiles('#file', { name: 'small.hdr', mimeType: 'image/vnd.radiance', buffer: hdr });
  await page.waitForFunction(() => document.getElementById('scene').textContent === 'small.hdr, 3×2');
  await page.click('#tab-histogram');
  await ready(page, 'histogram');
  await page.setInputFiles('#file', { name: 'broken.hdr', mimeType: 'image/vnd.radiance', buffer: hdr.subarray(0, hdr.length - 3) });
  await page.waitForFunction(() => document.getElementById('notice').textContent === 'broken.hdr: cannot be read: it ends too early');
  assert.deepEqual(errors, []);
  await page.close();
});

test('Demo: fits a phone, in the dark', async () => {
  for (const name of ['levels', 'histogram']) {
    const { page } = await openPage(browser, { viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    await page.goto(`${server.url}demo/?copy#${name}`);
    await ready(page, name);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${name}: no horizontal scrolling`);
    if (shots) await page.screenshot({ path: join(shots, `web-phone-${name}.jpg`), quality: 60 });
    await page.close();
  }
});

test('Demo: without WebGPU a sentence says what is needed', async () => {
  const { page } = await openPage(browser, {});
  await page.addInitScript(() => Object.defineProperty(navigator, 'gpu', { value: undefined }));
  await page.goto(`${server.url}demo/?copy`);
  await page.waitForFunction(() => !document.getElementById('notice').hidden);
  assert.match(await page.textContent('#notice'), /needs WebGPU: Chrome or Edge 113/);
  await page.close();
});
