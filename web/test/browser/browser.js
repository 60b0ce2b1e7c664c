// browser.js: headless Chromium with WebGPU on SwiftShader, and a server of a folder.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { serve } from '../../demo/serve.js';

/** Opens a browser; `gpu` false: without WebGPU. */
export async function launch({ gpu = true } = {}) {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) throw new Error(`${executablePath}: not found; install the package chromium, or set CHROMIUM`);
  return chromium.launch({
    executablePath,
    args: ['--headless=new', '--no-sandbox', ...(gpu ? ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'] : ['--disable-gpu', '--disable-features=WebGPU,WebGPUService']),
      '--disable-gpu-watchdog', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
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
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
  return { page, errors };
}
