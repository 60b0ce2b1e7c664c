// gpu.js: a device for tests in Node (Dawn on SwiftShader, or the driver that VK_DRIVER_FILES names), textures from
// texels and back.
import { existsSync } from 'node:fs';
import { bytesPerTexel } from './textures.js';

export { bytesPerTexel, readTexture } from './textures.js';

const swiftshader = '/usr/lib/chromium/vk_swiftshader_icd.json';
if (!process.env.VK_DRIVER_FILES && existsSync(swiftshader)) {
  process.env.VK_DRIVER_FILES = swiftshader;
  process.env.VK_ICD_FILENAMES = swiftshader;
}

process.env.XDG_RUNTIME_DIR ??= '/tmp'; // the loader reports that it is missing

const { create, globals } = await import('webgpu');
Object.assign(globalThis, globals);
// Dawn ends the process when its instance is collected before its devices.
// Times are not rounded for the benchmark.
const gpu = create(['disable-dawn-features=timestamp_quantization']);
globalThis.onepassTestGpu = gpu;

/** Requests a device; `limits` and `features` beyond the defaults are optional. */
export async function requestDevice(descriptor = {}) {
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('no WebGPU adapter: install chromium, or set VK_DRIVER_FILES');
  const device = await adapter.requestDevice(typeof descriptor === 'function' ? descriptor(adapter) : descriptor);
  device.addEventListener('uncapturederror', (event) => {
    console.error(`uncaptured: ${event.error.message}`);
    process.exitCode = 1;
    throw new Error(event.error.message);
  });
  return device;
}

const usage = GPUTextureUsage;
const all = usage.TEXTURE_BINDING | usage.COPY_DST | usage.COPY_SRC;

/** A texture of one level with texels, tightly packed. sRGB formats become a UNORM texture with an sRGB view format. */
export function textureOf(device, format, [width, height], data, { slices = 1, levels = 1, storage = false } = {}) {
  const srgb = format.endsWith('-srgb');
  const texture = device.createTexture({
    size: [width, height, slices],
    format: srgb ? format.slice(0, -5) : format,
    viewFormats: srgb ? [format] : [],
    mipLevelCount: levels,
    usage: all | (storage ? usage.STORAGE_BINDING : 0) | (format.startsWith('depth32') ? usage.RENDER_ATTACHMENT : 0),
  });
  if (!data) return texture;
  if (format.startsWith('depth32')) {
    writeDepth(device, texture, [width, height], data, slices);
  } else {
    const row = width * bytesPerTexel[format];
    device.queue.writeTexture({ texture }, data, { bytesPerRow: row, rowsPerImage: height }, [width, height, slices]);
  }
  return texture;
}

/** Depth textures of floats cannot be copied to: a draw writes them. */
function writeDepth(device, texture, size, data, slices) {
  const module = device.createShaderModule({
    code: `
@group(0) @binding(0) var depths: texture_2d_array<f32>;
override slice: u32;
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}
@fragment fn depth(@builtin(position) at: vec4f) -> @builtin(frag_depth) f32 {
  return textureLoad(depths, vec2u(at.xy), slice, 0).r;
}`,
  });
  const from = textureOf(device, 'r32float', size, data, { slices });
  const encoder = device.createCommandEncoder();
  for (let slice = 0; slice < slices; ++slice) {
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [], constants: { slice } },
      depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always' },
    });
    const pass = encoder.beginRenderPass({
      colorAttachments: [],
      depthStencilAttachment: {
        view: texture.createView({ dimension: '2d', baseArrayLayer: slice, arrayLayerCount: 1 }),
        depthLoadOp: 'clear',
        depthClearValue: 0,
        depthStoreOp: 'store',
      },
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: from.createView({ dimension: '2d-array' }) }],
      }),
    );
    pass.draw(3);
    pass.end();
  }
  device.queue.submit([encoder.finish()]);
}

/**
 * A texture of four samples a texel, drawn sample by sample. `values`: four floats (r of depth formats) a sample; the
 * samples of a texel lie next to each other.
 */
export function multisampledOf(device, format, [width, height], values) {
  const depth = format.startsWith('depth');
  const texture = device.createTexture({
    size: [width, height],
    format,
    sampleCount: 4,
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const from = textureOf(device, 'rgba32float', [4 * width, height], values);
  const module = device.createShaderModule({
    code: `
@group(0) @binding(0) var values: texture_2d<f32>;
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}
@fragment fn sample(@builtin(position) at: vec4f, @builtin(sample_index) index: u32) -> ${depth ? '@builtin(frag_depth) f32' : '@location(0) vec4f'} {
  return textureLoad(values, vec2u(4u * u32(at.x) + index, u32(at.y)), 0)${depth ? '.r' : ''};
}`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: depth ? [] : [{ format }] },
    multisample: { count: 4 },
    ...(depth ? { depthStencil: { format, depthWriteEnabled: true, depthCompare: 'always' } } : {}),
  });
  submit(device, (encoder) => {
    const view = texture.createView();
    const pass = encoder.beginRenderPass(
      depth
        ? {
            colorAttachments: [],
            depthStencilAttachment: { view, depthLoadOp: 'clear', depthClearValue: 0, depthStoreOp: 'store' },
          }
        : { colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] },
    );
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: from.createView() }],
      }),
    );
    pass.draw(3);
    pass.end();
  });
  return texture;
}

/** The bytes of a buffer that has COPY_SRC. */
export async function readBuffer(device, buffer, size = buffer.size) {
  const copy = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const bytes = new Uint8Array(copy.getMappedRange()).slice();
  copy.destroy();
  return bytes;
}

/** Records with `record(encoder)` and submits. */
export function submit(device, record) {
  const encoder = device.createCommandEncoder();
  record(encoder);
  device.queue.submit([encoder.finish()]);
}
