// gpu.js: the device, whether it can present textures, drawing textures to canvases, times of passes.
import { deviceDescriptor } from '../src/index.js';

/** Requests a device, or throws a sentence that says what is needed. */
export async function openDevice() {
  const need =
    'This page needs WebGPU: Chrome or Edge 113, Safari 26 or Firefox 141 and newer, on a page served from localhost or by https.';
  if (!navigator.gpu) throw new Error(need);
  // After a loss the browser may need a moment to start its graphics process again.
  for (const wait of [0, 300, 1000, 3000]) {
    await new Promise((resolve) => {
      setTimeout(resolve, wait);
    });
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter)
      return {
        device: await adapter.requestDevice(deviceDescriptor(adapter)),
        software: adapter.info?.isFallbackAdapter || adapter.info?.architecture === 'swiftshader',
      };
  }
  throw new Error(`${need} This browser has it, but found no graphics adapter that it may use.`);
}

/**
 * Whether a device can show a texture on a canvas: draws one, on a device of its own, which may be lost over it, and looks
 * at the pixels.
 */
export async function canPresent() {
  try {
    const adapter = await navigator.gpu.requestAdapter();
    const device = await adapter.requestDevice();
    let failed = false;
    device.lost.then(() => {
      failed = true;
    });
    device.addEventListener('uncapturederror', () => {
      failed = true;
    });
    const canvas = document.createElement('canvas');
    canvas.width = 8;
    canvas.height = 8;
    canvas.className = 'probe';
    document.body.append(canvas);
    const context = canvas.getContext('webgpu');
    context.configure({ device, format: navigator.gpu.getPreferredCanvasFormat(), alphaMode: 'opaque' });
    const encoder = device.createCommandEncoder();
    encoder
      .beginRenderPass({
        colorAttachments: [
          {
            view: context.getCurrentTexture().createView(),
            loadOp: 'clear',
            clearValue: [0, 1, 0, 1],
            storeOp: 'store',
          },
        ],
      })
      .end();
    device.queue.submit([encoder.finish()]);
    await new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    });
    await device.queue.onSubmittedWorkDone();
    const copy = new OffscreenCanvas(8, 8).getContext('2d');
    copy.drawImage(canvas, 0, 0);
    const [red, green] = copy.getImageData(4, 4, 1, 1).data;
    canvas.remove();
    device.destroy();
    return !failed && green > 200 && red < 50;
  } catch {
    return false;
  }
}

const drawCode = `
struct Draw { size: vec2f, level: f32, mode: f32, gain: f32, low: f32, a: f32, b: f32 }
@group(0) @binding(0) var<uniform> draw: Draw;
@group(0) @binding(1) var image: texture_2d<f32>;
struct Corner { @builtin(position) position: vec4f, @location(0) at: vec2f }
@vertex fn corner(@builtin(vertex_index) i: u32) -> Corner {
  let p = vec2f(f32(i & 1u), f32(i >> 1u)) * 2.0;
  return Corner(vec4f(p.x * 2.0 - 1.0, 1.0 - p.y * 2.0, 0.0, 1.0), p);
}
fn encode(light: vec3f) -> vec3f {
  let c = clamp(light, vec3f(0.0), vec3f(1.0));
  return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3f(0.0031308));
}
@fragment fn shade(corner: Corner) -> @location(0) vec4f {
  let level = i32(draw.level);
  let size = vec2f(textureDimensions(image, level));
  let at = vec2i(min(corner.at * size, size - 1.0));
  let texel = textureLoad(image, at, level);
  if (draw.mode == 1.0) { let c = max(texel.rgb * draw.gain, vec3f(0.0)); return vec4f(encode(c / (1.0 + c)), 1.0); }
  if (draw.mode == 2.0) { return vec4f(encode(vec3f(texel.r * draw.gain / (1.0 + texel.r * draw.gain))), 1.0); }
  if (draw.mode == 3.0) { return vec4f(encode(vec3f(texel.g * draw.gain / (1.0 + texel.g * draw.gain))), 1.0); }
  return vec4f(texel.rgb, 1.0);
}`;

const spectrumCode = `
struct Shape { size: vec2u, width: u32, channels: u32, unused: vec4u }
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> spectrum: array<vec2f>;
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(vec2f(f32(i & 1u), f32(i >> 1u)) * 4.0 - 1.0, 0.0, 1.0);
}
@fragment fn shade(@builtin(position) at: vec4f) -> @location(0) vec4f {
  // Frequency 0 is in the middle; the half with negative kx is the mirrored other half.
  var k = (vec2u(at.xy) + (shape.size + 1u) / 2u) % shape.size;
  if (k.x >= shape.width) { k = (shape.size - k) % shape.size; }
  var colour = vec3f(0.0);
  for (var c = 0u; c < 3u; c++) {
    let pair = spectrum[(k.y * shape.width + k.x) * shape.channels + min(c, shape.channels - 1u)];
    let texels = f32(shape.size.x * shape.size.y);
    colour[c] = log2(1.0 + length(pair) * sqrt(texels)) / log2(1.0 + texels) * 0.85;
  }
  return vec4f(colour * colour, 1.0);
}`;

/** Draws textures to canvases. `copies`: fills them by copies, where the device cannot present textures. */
export class Painter {
  constructor(device, copies) {
    this.device = device;
    this.copies = copies;
    this.copied = Promise.resolve(); // when all copies have arrived
    this.format = this.copies ? 'rgba8unorm' : navigator.gpu.getPreferredCanvasFormat();
    this.draw = this.#pipeline(drawCode);
    this.spectrum = this.#pipeline(spectrumCode);
  }

  #pipeline(code) {
    const module = this.device.createShaderModule({ code });
    return this.device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: this.format }] },
      primitive: { topology: 'triangle-list' },
    });
  }

  /** A context of a canvas of this size. */
  context(canvas, width, height) {
    canvas.width = width;
    canvas.height = height;
    if (this.copies) return canvas.getContext('2d');
    const context = canvas.getContext('webgpu');
    context.configure({ device: this.device, format: this.format, alphaMode: 'opaque' });
    return context;
  }

  #pass(context, pipeline, tiles) {
    const { width, height } = context.canvas;
    const target = this.copies
      ? this.device.createTexture({
          size: [width, height],
          format: this.format,
          usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
        })
      : context.getCurrentTexture();
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [
        { view: target.createView(), loadOp: 'clear', clearValue: [0.1, 0.1, 0.11, 1], storeOp: 'store' },
      ],
    });
    pass.setPipeline(pipeline);
    for (const { data, resource, viewport } of tiles) {
      const buffer = this.device.createBuffer({ size: 32, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
      this.device.queue.writeBuffer(buffer, 0, data);
      pass.setBindGroup(
        0,
        this.device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            { binding: 0, resource: { buffer } },
            { binding: 1, resource },
          ],
        }),
      );
      if (viewport) pass.setViewport(...viewport, 0, 1);
      pass.draw(3);
    }
    pass.end();
    const pitch = Math.ceil(width / 64) * 256;
    const copy = this.copies
      ? this.device.createBuffer({ size: pitch * height, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
      : null;
    if (copy) encoder.copyTextureToBuffer({ texture: target }, { buffer: copy, bytesPerRow: pitch }, [width, height]);
    this.device.queue.submit([encoder.finish()]);
    if (copy) this.copied = Promise.all([this.copied, this.#copy(context, target, copy, pitch)]);
  }

  async #copy(context, texture, buffer, pitch) {
    const { width, height } = texture;
    try {
      await buffer.mapAsync(GPUMapMode.READ);
    } catch {
      return; // the device is lost, which the page hears of
    }
    if (context.canvas.width !== width || context.canvas.height !== height) return; // it shows something else by now
    const bytes = new Uint8ClampedArray(buffer.getMappedRange());
    const image = context.createImageData(width, height);
    for (let y = 0; y < height; ++y) image.data.set(bytes.subarray(y * pitch, y * pitch + 4 * width), 4 * y * width);
    context.putImageData(image, 0, 0);
    buffer.destroy();
    texture.destroy();
  }

  /** Draws levels of textures: {texture, level, mode, gain, viewport: [x, y, width, height]}. */
  paint(context, tiles) {
    this.#pass(
      context,
      this.draw,
      tiles.map(({ texture, level = 0, mode = 0, gain = 1, viewport }) => ({
        data: new Float32Array([0, 0, level, mode, gain, 0, 0, 0]),
        resource: texture.createView({ dimension: '2d', arrayLayerCount: 1 }),
        viewport,
      })),
    );
  }

  /** Draws the magnitudes of a half spectrum, frequency 0 in the middle. */
  paintSpectrum(context, [width, height], buffer, channels) {
    this.#pass(context, this.spectrum, [
      { data: new Uint32Array([width, height, Math.floor(width / 2) + 1, channels, 0, 0, 0, 0]), resource: { buffer } },
    ]);
  }
}

/** Records, submits and resolves to the time of the pass in milliseconds; null without timestamp-query. */
export async function timed(device, record) {
  const encoder = device.createCommandEncoder();
  if (!device.features.has('timestamp-query')) {
    record(encoder);
    device.queue.submit([encoder.finish()]);
    return null;
  }
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 });
  const resolved = device.createBuffer({ size: 16, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const copy = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  record(encoder, { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 });
  encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, copy, 0, 16);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const [begin, end] = new BigInt64Array(copy.getMappedRange());
  [querySet, resolved, copy].forEach((resource) => resource.destroy());
  return Number(end - begin) / 1e6;
}
