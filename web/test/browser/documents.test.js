// documents.test.js: every code block of README.md and docs/web.md, as it stands, in Chromium.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { blocksOf, pages } from '../documents.js';
import { pictureSize, pictureTexels } from '../fixtures.js';
import { launch, openPage, png, site } from './browser.js';

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

const html = `<!doctype html><link rel="icon" href="data:,">
<script type="importmap">{"imports": {"@onepass/webgpu": "/src/index.js", "three/webgpu": "/node_modules/three/build/three.webgpu.js"}}</script>
<canvas width="64" height="48"></canvas>`;

test('Pages: every code block runs in Chromium', async () => {
  const { page, errors } = await openPage(browser);
  await page.route('**/blocks.html', (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await page.route('**/picture.png', (route) =>
    route.fulfill({ contentType: 'image/png', body: png(pictureSize, pictureTexels) }),
  );
  await page.goto(`${server.url}blocks.html`);
  await page.evaluate(async () => {
    const { deviceDescriptor } = await import('/src/index.js');
    const { prepare, checks, cleanUp, makeScreen } = await import('/test/fixtures.js');
    const adapter = await navigator.gpu.requestAdapter();
    const device = await adapter.requestDevice(deviceDescriptor(adapter));
    const reported = [];
    device.addEventListener('uncapturederror', ({ error }) => reported.push(error.message));
    await prepare(device, {
      surface: document.querySelector('canvas'),
      screen: makeScreen(),
      picture: await createImageBitmap(await (await fetch('picture.png')).blob()),
    });
    let output = '';
    console.warn = (...words) => {
      output += words.join(' ');
    };
    window.run = async (name, script, at) => {
      output = '';
      const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
      await import(url);
      await checks[name][at](output);
      cleanUp();
      if (reported.length > 0) throw new Error(reported.join());
    };
  });
  let ran = 0;
  for (const name of pages) {
    for (const [i, block] of blocksOf(name).entries()) {
      if (block.node) continue;
      await page
        .evaluate(([what, script, at]) => window.run(what, script, at), [name, block.script, i])
        .catch((error) => {
          throw new Error(`${block.name}: ${error.message}`, { cause: error });
        });
      ++ran;
    }
  }
  assert.equal(ran, 7);
  assert.deepEqual(errors, []);
  await page.close();
});
