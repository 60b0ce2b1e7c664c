// mips.js: times of mip chains, in one run: medians of repeated passes, by timestamps where the device has them.
import { Pyramid } from '../src/index.js';

// A software driver takes seconds a repetition.
const repeats = Number(globalThis.process?.env.ONEPASS_REPEATS ?? 15);

/** The chain of render passes that engines use: one draw a level, a linear sample of the finer level. */
function renderChain(device, format) {
  const module = device.createShaderModule({
    code: `
@group(0) @binding(0) var finer: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;
struct Corner { @builtin(position) position: vec4f, @location(0) at: vec2f }
@vertex fn corner(@builtin(vertex_index) i: u32) -> Corner {
  let p = vec2f(f32(i & 1u), f32(i >> 1u)) * 2.0;
  return Corner(vec4f(p.x * 2.0 - 1.0, 1.0 - p.y * 2.0, 0.0, 1.0), p);
}
@fragment fn half_size(c: Corner) -> @location(0) vec4f { return textureSampleLevel(finer, linear, c.at, 0.0); }`,
  });
  const pipeline = device.createRenderPipeline({ layout: 'auto', vertex: { module }, fragment: { module, targets: [{ format }] } });
  const sampler = device.createSampler({ minFilter: 'linear' });
  return (texture) => {
    const views = Array.from({ length: texture.mipLevelCount }, (_, n) => texture.createView({ baseMipLevel: n, mipLevelCount: 1 }));
    const groups = views.slice(1).map((_, n) => device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: views[n] }, { binding: 1, resource: sampler }],
    }));
    return (encoder) => groups.forEach((group, n) => {
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view: views[n + 1], loadOp: 'clear', storeOp: 'store' }] });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.draw(3);
      pass.end();
    });
  };
}

/** Milliseconds of what `record` records: the median, and the quartiles. */
async function time(device, record) {
  const samples = [];
  const run = async (count) => {
    const begin = performance.now();
    const encoder = device.createCommandEncoder();
    for (let i = 0; i < count; ++i) record(encoder);
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - begin;
  };
  await run(1);  // compiles
  for (let i = 0; i < repeats; ++i) {
    // The time of eight repetitions minus that of one: submission and waiting cancel.
    const one = await run(1);
    samples.push((await run(9) - one) / 8);
  }
  samples.sort((a, b) => a - b);
  const at = (share) => samples[Math.round(share * (samples.length - 1))];
  return `${at(0.5).toFixed(3)} ms (quartiles ${at(0.25).toFixed(3)} to ${at(0.75).toFixed(3)})`;
}

/** The largest difference of two textures' levels, in codes, and the level. */
async function difference(device, a, b) {
  let worst = 0;
  for (let level = 1; level < a.mipLevelCount; ++level) {
    const [width, height] = [Math.max(1, a.width >> level), Math.max(1, a.height >> level)];
    const pitch = Math.ceil(width * 4 / 256) * 256;
    const bytes = await Promise.all([a, b].map(async (texture) => {
      const buffer = device.createBuffer({ size: pitch * height, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture, mipLevel: level }, { buffer, bytesPerRow: pitch }, [width, height]);
      device.queue.submit([encoder.finish()]);
      await buffer.mapAsync(GPUMapMode.READ);
      return new Uint8Array(buffer.getMappedRange());
    }));
    for (let y = 0; y < height; ++y) {
      for (let i = 0; i < width * 4; ++i) worst = Math.max(worst, Math.abs(bytes[0][y * pitch + i] - bytes[1][y * pitch + i]));
    }
  }
  return worst;
}

/** Measures and prints lines with `print`. */
export async function measure(device, Downsampler, sizes, print) {
  const { info = {} } = device.adapterInfo ? { info: device.adapterInfo } : {};
  print(`adapter: ${info.vendor ?? ''} ${info.architecture ?? ''} ${info.description ?? ''}, ` +
    `${device.limits.maxStorageTexturesPerShaderStage} storage textures a stage`);
  for (const [width, height] of sizes) {
    const levels = 32 - Math.clz32(Math.max(width, height));
    const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.COPY_SRC |
      GPUTextureUsage.RENDER_ATTACHMENT;
    const texels = Uint8Array.from({ length: 4 * width * height }, (_, i) => (i * 2654435761) >>> 24);
    const textures = [0, 1, 2].map(() => {
      const texture = device.createTexture({ size: [width, height], format: 'rgba8unorm', mipLevelCount: levels, usage });
      device.queue.writeTexture({ texture }, texels, { bytesPerRow: 4 * width }, [width, height]);
      return texture;
    });
    const name = `pyramid/webgpu/rgba8/${width}x${height}/mean`;
    const pyramid = await Pyramid.create(device, { size: [width, height], source: 'rgba8unorm', target: 'rgba8unorm', footprint: 'aligned' });
    const binding = await pyramid.bind({ source: textures[0] });
    print(`${name}/aligned: ${await time(device, (encoder) => pyramid.record(encoder, binding))}, ${pyramid.plan.dispatches.length} dispatches`);
    const covering = await Pyramid.create(device, { size: [width, height], source: 'rgba8unorm', target: 'rgba8unorm' });
    const coveringBinding = await covering.bind({ source: textures[1] });
    print(`${name}/covering: ${await time(device, (encoder) => covering.record(encoder, coveringBinding))}`);
    const downsampler = new Downsampler({ device, formats: [{ format: 'rgba8unorm' }] });
    const pass = downsampler.preparePass(device, textures[2]);
    const spdPasses = Math.ceil((levels - 1) / Math.min(12, device.limits.maxStorageTexturesPerShaderStage));
    print(`${name}/webgpu-spd: ${await time(device, (encoder) => {
      const compute = encoder.beginComputePass();
      pass.encode(compute);
      compute.end();
    })}, ${spdPasses} dispatches, differs by ${await difference(device, textures[0], textures[2])} codes from aligned`);
    const chain = renderChain(device, 'rgba8unorm')(textures[2]);
    print(`${name}/render passes: ${await time(device, chain)}, ${levels - 1} draws`);
    [...textures, binding, coveringBinding].forEach((resource) => resource.destroy());
  }
}
