// viewer_browser.js: headless Chromium by its debugging pipe (Chrome DevTools Protocol), and a server of a folder.
const assert = require('assert');
const { spawn } = require('child_process');
const fs = require('fs');
const http = require('http');
const path = require('path');

// A page of a browser that lives as long as this object. `exceptions` collects those of scripts.
class Browser {
  constructor(program, folder) {
    const options = [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--remote-debugging-pipe',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--user-data-dir=${folder}`,
    ];
    this.process = spawn(program, [...options, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.waiting = new Map();
    this.exceptions = [];
    this.next = 1;
    let text = '';
    this.process.stdio[4].on('data', (data) => {
      text += data;
      for (let end = text.indexOf('\0'); end >= 0; end = text.indexOf('\0')) {
        this.receive(JSON.parse(text.slice(0, end)));
        text = text.slice(end + 1);
      }
    });
  }

  receive({ id, method, params, result, error }) {
    if (method === 'Runtime.exceptionThrown') {
      this.exceptions.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    }
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }

  send(method, params = {}) {
    const id = this.next++;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
    });
  }

  async open(width, height) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    this.session = (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    await this.send('Runtime.enable');
    await this.send('Page.enable');
    await this.send('Emulation.setFocusEmulationEnabled', { enabled: true });
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  }

  // The value of an expression or promise in the page.
  async run(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    assert.ok(!exceptionDetails, `${expression}: ${exceptionDetails?.exception?.description}`);
    return result.value;
  }

  // Waits until an expression of the page is true.
  async until(expression, what = expression) {
    for (let i = 0; i < 600; ++i) {
      if (await this.run(`Boolean(${expression})`).catch(() => false)) return;
      await new Promise((resolve) => {
        setTimeout(resolve, 25);
      });
    }
    assert.fail(`${what}: ${await this.run('document.body.innerText')}`);
  }

  mouse(type, x, y, more = {}) {
    return this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1, ...more });
  }

  async key(key) {
    const windowsVirtualKeyCode = key.length === 1 ? key.charCodeAt(0) : { PageDown: 34, PageUp: 33 }[key];
    const text = key.length === 1 ? key : undefined;
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text, windowsVirtualKeyCode });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode });
  }

  async close() {
    const ended = new Promise((resolve) => {
      this.process.once('exit', resolve);
    });
    await this.send('Browser.close').catch(() => {});
    await ended;
  }
}

// Serves a folder below /parts/, with ranges, and below /whole/, where every answer is a whole file. `ranges` counts
// answers with parts; `chunks` has the addresses of chunks and shards that were asked for.
async function serve(folder) {
  const site = { ranges: 0, chunks: [] };
  const server = http.createServer((request, response) => {
    if (request.url.includes('/c/')) site.chunks.push(request.url);
    const [, kind, ...names] = decodeURIComponent(request.url).split('/');
    const file = path.join(folder, ...names);
    if (!fs.existsSync(file) || fs.statSync(file).isDirectory()) return response.writeHead(404).end();
    const bytes = fs.readFileSync(file);
    const headers = {
      'content-type': file.endsWith('.html') ? 'text/html' : 'application/octet-stream',
      'cache-control': 'no-store',
    };
    const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '');
    if (kind !== 'parts' || !range)
      return response.writeHead(200, { ...headers, 'content-length': bytes.length }).end(bytes);
    const from = range[1] === '' ? bytes.length - Number(range[2]) : Number(range[1]);
    const to = range[1] === '' ? bytes.length : Math.min(Number(range[2]) + 1, bytes.length);
    ++site.ranges;
    return response
      .writeHead(206, { ...headers, 'content-range': `bytes ${from}-${to - 1}/${bytes.length}` })
      .end(bytes.subarray(from, to));
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  site.url = `http://127.0.0.1:${server.address().port}/`;
  site.close = () => {
    server.close();
    server.closeAllConnections?.();
  };
  return site;
}

module.exports = { Browser, serve };
