// mips.js: times of mip chains by this package, by webgpu-spd and by a chain of render passes, in one run; the peers'
// levels are compared with this package's.
import { Pyramid } from '../src/index.js';
import { readTexture } from '../test/textures.js';
import { codesOf } from './texels.js';
import { median, times, timeText } from './timing.js';

/** The chain of render passes that engines use: a draw a level, which averages 2x2 texels of the finer level. */
function renderChain(device, format, texture) {
  // r32float is not filterable by default: four loads instead of a linear sample.
  const filtered = format !== 'r32float';
  const module = device.createShaderModule({
    code: `
@group(0) @binding(0) var finer: texture_2d<f32>;
${filtered ? '@group(0) @binding(1) var linear: sampler;' : ''}
struct Corner { @builtin(position) position: vec4f, @location(0) at: vec2f }
@vertex fn corner(@builtin(vertex_index) i: u32) -> Corner {
  let p = vec2f(f32(i & 1u), f32(i >> 1u)) * 2.0;
  return Corner(vec4f(p.x * 2.0 - 1.0, 1.0 - p.y * 2.0, 0.0, 1.0), p);
}
fn texel(x: u32, y: u32) -> vec4f { return textureLoad(finer, min(vec2u(x, y), textureDimensions(finer) - 1u), 0); }
@fragment fn half_size(c: Corner) -> @location(0) vec4f {
  ${
    filtered
      ? 'return textureSampleLevel(finer, linear, c.at, 0.0);'
      : `let p = 2u * vec2u(c.position.xy);
  return 0.25 * (texel(p.x, p.y) + texel(p.x + 1u, p.y) + texel(p.x, p.y + 1u) + texel(p.x + 1u, p.y + 1u));`
  }
}`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
  });
  const sampler = device.createSampler({ magFilter: 'linear' });
  const views = Array.from({ length: texture.mipLevelCount }, (_, n) =>
    texture.createView({ baseMipLevel: n, mipLevelCount: 1 }),
  );
  const groups = views
    .slice(1)
    .map((_, n) =>
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: views[n] }, ...(filtered ? [{ binding: 1, resource: sampler }] : [])],
      }),
    );
  return (encoder) =>
    groups.forEach((group, n) => {
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: views[n + 1], loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.draw(3);
      pass.end();
    });
}

/** The largest difference of two textures' levels: in codes, or in units of 1 for floats. NaN if a value is NaN. */
async function difference(device, format, a, b) {
  let worst = 0;
  for (let level = 1; level < a.mipLevelCount; ++level) {
    const [values, others] = (await Promise.all([a, b].map((texture) => readTexture(device, texture, level)))).map(
      ({ buffer }) => (format === 'r32float' ? new Float32Array(buffer) : new Uint8Array(buffer)),
    );
    values.forEach((value, i) => {
      worst = Math.max(worst, Math.abs(value - others[i]));
    }); // keeps NaN
  }
  return worst;
}

/** Measures chains of one size and format and prints lines with `print`. */
export async function measureMips(device, Downsampler, format, size, print) {
  const [width, height] = size;
  const levels = 32 - Math.clz32(Math.max(width, height));
  const usage =
    GPUTextureUsage.TEXTURE_BINDING |
    GPUTextureUsage.STORAGE_BINDING |
    GPUTextureUsage.COPY_DST |
    GPUTextureUsage.COPY_SRC |
    GPUTextureUsage.RENDER_ATTACHMENT;
  const codes = codesOf(4 * width * height);
  const texels =
    format === 'r32float' ? Float32Array.from(codes.subarray(0, width * height), (code) => code / 255) : codes;
  const [own, covered, spd, rendered] = [0, 1, 2, 3].map(() => {
    const texture = device.createTexture({ size, format, mipLevelCount: levels, usage });
    device.queue.writeTexture({ texture }, texels, { bytesPerRow: 4 * width }, size);
    return texture;
  });
  const aligned = await Pyramid.create(device, { size, source: format, target: format, footprint: 'aligned' });
  const covering = await Pyramid.create(device, { size, source: format, target: format });
  const [alignedBinding, coveringBinding] = [
    await aligned.bind({ source: own }),
    await covering.bind({ source: covered }),
  ];
  const spdPass = new Downsampler({ device, formats: [{ format }] }).preparePass(device, spd);
  const spdDispatches = Math.ceil((levels - 1) / Math.min(12, device.limits.maxStorageTexturesPerShaderStage));
  const samples = await times(device, [
    (encoder) => aligned.record(encoder, alignedBinding),
    (encoder) => covering.record(encoder, coveringBinding),
    (encoder) => {
      const pass = encoder.beginComputePass();
      spdPass.encode(pass);
      pass.end();
    },
    renderChain(device, format, rendered),
  ]);
  const apart = [
    null,
    null,
    await difference(device, format, own, spd),
    await difference(device, format, own, rendered),
  ];
  const name = `pyramid/webgpu/${format}/${width}x${height}/mean`;
  const unit = format === 'r32float' ? '' : ' codes';
  [
    ['aligned', `${aligned.plan.dispatches.length} dispatches`],
    ['covering', `${covering.plan.dispatches.length} dispatches`],
    ['webgpu-spd', `${spdDispatches} dispatches`],
    ['render passes', `${levels - 1} draws`],
  ].forEach(([way, work], i) =>
    print(
      `${name}/${way}: ${timeText(samples[i])}, ${work}, ${(median(samples[i]) / median(samples[0])).toFixed(2)} of aligned` +
        `${apart[i] === null ? '' : `, differs from it by ${Number(apart[i].toPrecision(2))}${unit}`}`,
    ),
  );
  [own, covered, spd, rendered, alignedBinding, coveringBinding].forEach((resource) => resource.destroy());
}
