// documents.test.js: every code block of README.md and docs/web.md, as it stands, in Node and by TypeScript's strict rules.
// test/browser/documents.test.js runs them in Chromium.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { deviceDescriptor } from '../src/index.js';
import { blocksOf, pages } from './documents.js';
import { checks, cleanUp, declarations, makeScreen, pictureSize, pictureTexels, prepare } from './fixtures.js';
import { requestDevice } from './gpu.js';

const root = fileURLToPath(new URL('..', import.meta.url));
let folder;
before(() => {
  // A project that has installed the package.
  folder = mkdtempSync(join(tmpdir(), 'onepass-documents-'));
  mkdirSync(join(folder, 'node_modules/@onepass'), { recursive: true });
  symlinkSync(root, join(folder, 'node_modules/@onepass/webgpu'));
  for (const name of ['three', 'webgpu', '@webgpu'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
});
after(() => rmSync(folder, { recursive: true }));

/** What Node lacks: pictures, and a canvas. */
function browserParts(device) {
  const ImageBitmap = class {
    width = pictureSize[0];
    height = pictureSize[1];
  };
  Object.assign(globalThis, { ImageBitmap });
  globalThis.createImageBitmap = async () => new ImageBitmap();
  globalThis.fetch = async (name) => {
    assert.equal(name, 'picture.png');
    return { blob: async () => null };
  };
  Object.getPrototypeOf(device.queue).copyExternalImageToTexture = function copy({ source }, { texture }, size) {
    assert.ok(source instanceof ImageBitmap);
    this.writeTexture(
      { texture },
      pictureTexels,
      { bytesPerRow: 4 * pictureSize[0] },
      Array.isArray(size) ? size : [size.width, size.height],
    );
  };
  Object.defineProperty(globalThis, 'navigator', { value: { gpu: globalThis.onepassTestGpu }, configurable: true });
  globalThis.onepassTestGpu.getPreferredCanvasFormat ??= () => 'bgra8unorm';
  Object.assign(globalThis, { self: globalThis, requestAnimationFrame: () => 0, cancelAnimationFrame: () => {} });
  const screen = makeScreen();
  const surface = {
    width: 64,
    height: 48,
    style: {},
    addEventListener() {},
    removeEventListener() {},
    getContext: () => screen,
  };
  return { surface, screen, picture: new ImageBitmap() };
}

test('Pages: every code block runs in Node', async () => {
  const device = await requestDevice(deviceDescriptor);
  await prepare(device, browserParts(device));
  const { warn } = console;
  for (const page of pages) {
    const blocks = blocksOf(page);
    assert.equal(blocks.length, checks[page].length, `${page}: every block has a check`);
    for (const [i, { name, script }] of blocks.entries()) {
      const file = join(folder, `${page.replace(/\W/g, '_')}_${i}.js`);
      writeFileSync(file, script);
      let output = '';
      console.warn = (...words) => {
        output += words.join(' ');
      };
      try {
        await import(pathToFileURL(file).href);
      } catch (error) {
        throw new Error(`${name}: ${error.message}`, { cause: error });
      } finally {
        console.warn = warn;
      }
      await checks[page][i](output);
      cleanUp();
    }
  }
  device.destroy();
});

test('Pages: every code block passes the strict type check, and so do misuses not', () => {
  const tsc = (...args) =>
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  tsc('-p', join(root, 'tsconfig.json')); // the declarations of the package
  writeFileSync(join(folder, 'fixtures.d.ts'), declarations);
  const files = pages.flatMap((page) =>
    blocksOf(page).map(({ code }, i) => {
      const file = `typed_${page.replace(/\W/g, '_')}_${i}.ts`;
      writeFileSync(join(folder, file), `${code}\nexport {};\n`);
      return file;
    }),
  );
  writeFileSync(
    join(folder, 'use.ts'),
    `
import { Bloom, Meter, Pyramid, ToneMap, generateMipmaps, type Binding, type MeterBinding, type PyramidOptions } from '@onepass/webgpu';
const size = [8, 8] as const;
const options: PyramidOptions = { size, source: 'rgba8unorm', target: 'rgba8unorm', reduction: 'min', samples: 4 };
export const pyramid: Pyramid = await Pyramid.create(device, options);
export const binding: Binding = await pyramid.bind({ source: texture });
binding.destroy();
pyramid.destroy();
const meter = await Meter.create(device, { size, source: 'rgba16float', rect: [0, 0, 4, 4] as const });
export const metered: MeterBinding & Binding = await meter.bind({ source: scene });
meter.destroy();
export const others: { destroy(): void }[] = [await ToneMap.create(device, { size, source: 'rgba16float', target: 'rgba8unorm' }),
  await Bloom.create(device, { size, source: 'rgba16float', target: 'rgba16float' })];
await generateMipmaps(device, texture, { footprint: 'edge', alpha: 'weighted' });
// @ts-expect-error: not a reduction
export const reduction: PyramidOptions = { size, source: 'rgba8unorm', target: 'rgba8unorm', reduction: 'median' };
// @ts-expect-error: not a number of samples
export const samples: PyramidOptions = { size, source: 'rgba8unorm', target: 'rgba8unorm', samples: 2 };
// @ts-expect-error: not a size
export const short: PyramidOptions = { size: [8], source: 'rgba8unorm', target: 'rgba8unorm' };
// @ts-expect-error: no such option
await generateMipmaps(device, texture, { filter: 'box' });
`,
  );
  try {
    tsc(
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUnusedLocals',
      'false',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--preserveSymlinks',
      '--types',
      '@webgpu/types',
      'fixtures.d.ts',
      'use.ts',
      ...files,
    );
  } catch (error) {
    assert.fail(error.stdout || error.message);
  }
});
