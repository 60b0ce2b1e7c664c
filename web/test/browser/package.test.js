// package.test.js: the packed package in a fresh Vite project, and by a plain <script type="module">.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { launch, openPage, png, site } from './browser.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
let folder;
let installed;
let browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'onepass-package-'));
  run('npm', ['pack', '--pack-destination', folder], root);
  run('sh', ['-c', 'tar -xzf *.tgz'], folder);
  installed = join(folder, 'package');
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const program = `
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter.requestDevice();
const texture = device.createTexture({ size: [5, 3], format: 'r32float', mipLevelCount: 3, usage: 31 & ~16 });
device.queue.writeTexture({ texture }, Float32Array.from({ length: 15 }, (_, i) => i), { bytesPerRow: 20 }, [5, 3]);
const pyramid = await Pyramid.create(device, { size: [5, 3], source: 'r32float', target: 'r32float', reduction: 'max' });
const binding = await pyramid.bind({ source: texture });
const buffer = device.createBuffer({ size: 256, usage: 9 });
const encoder = device.createCommandEncoder();
pyramid.record(encoder, binding);
encoder.copyTextureToBuffer({ texture, mipLevel: 2 }, { buffer, bytesPerRow: 256 }, [1, 1]);
device.queue.submit([encoder.finish()]);
await buffer.mapAsync(1);
document.body.textContent = 'max ' + new Float32Array(buffer.getMappedRange())[0];
`;

/** Opens a folder's page, which shows `result`. */
async function check(served, result = 'max 14') {
  const server = await site(served);
  const { page, errors } = await openPage(browser);
  await page.goto(server.url);
  await page
    .waitForFunction((word) => document.body.textContent.startsWith(word), result.split(' ')[0], { timeout: 60000 })
    .catch((error) => {
      throw new Error(errors.join() || error.message, { cause: error });
    });
  assert.equal(await page.textContent('body'), result);
  assert.deepEqual(errors, []);
  await page.close();
  server.close();
}

test('Package: a plain script of type module uses it', async () => {
  const plain = join(folder, 'plain');
  mkdirSync(plain);
  symlinkSync(installed, join(plain, 'onepass'));
  writeFileSync(
    join(plain, 'index.html'),
    `<!doctype html><link rel="icon" href="data:,"><body><script type="module">import { Pyramid } from './onepass/src/index.js';${program}</script>`,
  );
  await check(plain);
});

test('Package: the first lines of the README work in a page with its import map', async () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  const [map] = readme.match(/<script type="importmap">.*?<\/script>/);
  const [, first] = readme.match(/^```js\n([\s\S]*?)^```$/m);
  const page = join(folder, 'page');
  mkdirSync(join(page, 'node_modules/@onepass'), { recursive: true });
  symlinkSync(installed, join(page, 'node_modules/@onepass/webgpu'));
  // The picture is white at the left and black at the right: 2x1 texels, whose mean light is one half, in sRGB 188.
  writeFileSync(join(page, 'picture.png'), png([2, 1], Uint8ClampedArray.of(255, 255, 255, 255, 0, 0, 0, 255)));
  writeFileSync(
    join(page, 'index.html'),
    `<!doctype html><link rel="icon" href="data:,"><body>${map}<script>
const { createTexture } = GPUDevice.prototype;   // so that the test can read the texture
GPUDevice.prototype.createTexture = function create(descriptor) {
  return createTexture.call(this, { ...descriptor, usage: descriptor.usage | GPUTextureUsage.COPY_SRC });
};
</script><script type="module">${first}
const buffer = device.createBuffer({ size: 256, usage: 9 });
const encoder = device.createCommandEncoder();
encoder.copyTextureToBuffer({ texture, mipLevel: 1 }, { buffer, bytesPerRow: 256 }, [1, 1]);
device.queue.submit([encoder.finish()]);
await buffer.mapAsync(1);
document.body.textContent = 'mean ' + new Uint8Array(buffer.getMappedRange(0, 4)).join();
</script>`,
  );
  await check(page, 'mean 188,188,188,255');
});

test('Package: a fresh Vite project builds with it, with types', async () => {
  const project = join(folder, 'vite');
  mkdirSync(join(project, 'node_modules/@onepass'), { recursive: true });
  symlinkSync(installed, join(project, 'node_modules/@onepass/webgpu'));
  mkdirSync(join(project, 'node_modules/@webgpu'), { recursive: true });
  symlinkSync(join(root, 'node_modules/@webgpu/types'), join(project, 'node_modules/@webgpu/types'));
  writeFileSync(join(project, 'package.json'), '{"type": "module"}');
  writeFileSync(
    join(project, 'index.html'),
    '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="main.js"></script>',
  );
  writeFileSync(join(project, 'main.js'), `import { Pyramid } from '@onepass/webgpu';\n${program}`);
  run(
    process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--target', 'esnext', '--logLevel', 'error'],
    project,
  );
  await check(join(project, 'dist'));
  writeFileSync(
    join(project, 'use.ts'),
    `import { Pyramid, type PyramidOptions, OnepassError } from '@onepass/webgpu';
export async function make(device: GPUDevice): Promise<Pyramid> {
  const options: PyramidOptions = { size: [4, 4], source: 'rgba8unorm', target: 'rgba8unorm', reduction: 'min' };
  try { return await Pyramid.create(device, options); } catch (error) { throw error instanceof OnepassError ? error.code : error; }
}
// @ts-expect-error: not a reduction
export const wrong: PyramidOptions = { size: [4, 4], source: 'rgba8unorm', target: 'rgba8unorm', reduction: 'median' };
`,
  );
  run(
    process.execPath,
    [
      join(root, 'node_modules/typescript/bin/tsc'),
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--types',
      '@webgpu/types',
      'use.ts',
    ],
    project,
  );
});

test('Package: size and content', () => {
  const text = run('sh', ['-c', 'cat package/src/*.js'], folder);
  assert.ok(gzipSync(text).length < 150000, `${gzipSync(text).length} bytes`);
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(manifest.dependencies, undefined);
  assert.ok(readFileSync(join(installed, 'LICENSE'), 'utf8').length > 100);
  assert.ok(
    !readFileSync(join(root, 'package-lock.json'), 'utf8').includes('"resolved"'),
    'the lock file names no registry',
  );
});
