// browser.js: headless Chromium with WebGPU on SwiftShader, a server of a folder, PNG files.
import { existsSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { serve } from '../../demo/serve.js';

/** Opens a browser; `gpu` false: without WebGPU. */
export async function launch({ gpu = true } = {}) {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath))
    throw new Error(`${executablePath}: not found; install the package chromium, or set CHROMIUM`);
  return chromium.launch({
    executablePath,
    args: [
      '--headless=new',
      '--no-sandbox',
      ...(gpu
        ? ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader']
        : ['--disable-gpu', '--disable-features=WebGPU,WebGPUService']),
      '--disable-gpu-watchdog',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

/** Serves a folder; {url, close}. */
export async function site(folder) {
  const server = await serve(0, folder);
  return { url: `http://localhost:${server.address().port}/`, close: () => server.close() };
}

/** A page whose errors are collected in `errors`. */
export async function openPage(browser, options) {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(120000); // software devices compile for long
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return { page, errors };
}

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** A PNG file of RGBA texels. */
export function png([width, height], texels) {
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const crc = ~body.reduce((c, byte) => crcTable[(c ^ byte) & 255] ^ (c >>> 8), ~0) >>> 0;
    const made = Buffer.alloc(body.length + 8);
    made.writeUInt32BE(data.length, 0);
    body.copy(made, 4);
    made.writeUInt32BE(crc, body.length + 4);
    return made;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.concat([Buffer.from([0]), Buffer.from(texels.buffer, 4 * width * y, 4 * width)]),
  );
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
