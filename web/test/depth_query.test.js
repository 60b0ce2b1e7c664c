// depth_query.test.js: queries of a depth pyramid on the GPU against loops over all texels.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Pyramid, depthQueryWgsl } from '../src/index.js';
import { randomOf } from './golden.js';
import { readBuffer, requestDevice, submit, textureOf } from './gpu.js';

const random = randomOf(6);
let device;
before(async () => {
  device = await requestDevice();
});
after(() => device.destroy());

const callbacks = {
  farthest: 'return textureLoad(farthest, cell, i32(level) - 1).r;',
  nearest: 'return textureLoad(nearest, cell, i32(level) - 1).r;',
};

test('depthQueryWgsl: compiles with every set of callbacks', async () => {
  const body = 'return 0.5;';
  for (const set of [
    {},
    { farthest: body },
    { nearest: body },
    { tile: body },
    { sampleFarthest: body },
    { sampleNearest: body, nearest: body },
  ]) {
    device.pushErrorScope('validation');
    device.createShaderModule({ code: depthQueryWgsl(set) });
    assert.equal((await device.popErrorScope())?.message, undefined, Object.keys(set).join());
  }
  assert.throws(() => depthQueryWgsl({ nearst: body }), /callbacks.nearst: no such field/);
  assert.throws(() => depthQueryWgsl({ nearest: 3 }), /callbacks.nearest: is not WGSL text/);
});

test('onepass_rect_occluded and onepass_march: promises at odd sizes', async () => {
  for (const [footprint, number] of [
    ['covering', 1],
    ['edge', 3],
  ]) {
    const [width, height] = [53, 31];
    // Smooth depths, so that some rectangles are hidden.
    const depth = Float32Array.from(
      { length: width * height },
      (_, i) => 0.5 + 0.2 * Math.sin((i % width) * 0.2) + 0.1 * random(),
    );
    const source = textureOf(device, 'depth32float', [width, height], depth);
    const levels = {};
    for (const [name, reduction] of [
      ['farthest', 'max'],
      ['nearest', 'min'],
    ]) {
      const pyramid = await Pyramid.create(device, {
        size: [width, height],
        source: 'depth32float',
        target: 'r32float',
        reduction,
        footprint,
      });
      // Mip 0 of the target is level 1.
      levels[name] = textureOf(device, 'r32float', [width >> 1, height >> 1], null, {
        levels: pyramid.plan.levels - 1,
        storage: true,
      });
      const binding = await pyramid.bind({ source, target: levels[name] });
      submit(device, (encoder) => pyramid.record(encoder, binding));
    }
    const count = 512;
    const queries = Float32Array.from({ length: 8 * count }, (_, i) => {
      if (i % 8 > 3) return random();
      return Math.floor(random() * (i % 2 ? height : width)) / (i % 2 ? height : width);
    });
    for (let q = 0; q < count; ++q) {
      // rectangles of up to a third of the image
      for (const axis of [0, 1]) queries[8 * q + 2 + axis] = Math.min(1, queries[8 * q + axis] + random() * 0.3 + 0.01);
      queries[8 * q + 4] = 0.3 + 0.7 * random();
    }
    const code = `
@group(0) @binding(0) var farthest: texture_2d<f32>;
@group(0) @binding(1) var nearest: texture_2d<f32>;
@group(0) @binding(2) var<storage, read> queries: array<array<vec4f, 2>>;
@group(0) @binding(3) var<storage, read_write> answers: array<vec2u>;
${depthQueryWgsl(callbacks)}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  var pyramid = onepass_full_depth_pyramid(vec2u(${width}u, ${height}u), ${number}u, false);
  pyramid.first_level = 1u;
  let q = queries[id.x];
  let hidden = onepass_rect_occluded(pyramid, q[0], q[1].x);
  let ray = onepass_march(pyramid, vec3f(q[0].xy, 0.0), vec3f(q[0].zw, q[1].y), 400u);
  answers[id.x] = vec2u(select(0u, 1u, hidden), ray.state);
}`;
    const pipeline = device.createComputePipeline({
      layout: 'auto',
      compute: { module: device.createShaderModule({ code }) },
    });
    const buffers = [queries, new Uint32Array(2 * count)].map((data) => {
      const buffer = device.createBuffer({
        size: data.byteLength,
        usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
      });
      device.queue.writeBuffer(buffer, 0, data);
      return buffer;
    });
    const group = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        levels.farthest.createView(),
        levels.nearest.createView(),
        { buffer: buffers[0] },
        { buffer: buffers[1] },
      ].map((resource, binding) => ({ binding, resource })),
    });
    submit(device, (encoder) => {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(count / 64);
      pass.end();
    });
    const answers = new Uint32Array((await readBuffer(device, buffers[1])).buffer);
    let hiddenCount = 0;
    let reallyHidden = 0;
    let hits = 0;
    for (let q = 0; q < count; ++q) {
      const [x0, y0, x1, y1, near, end] = queries.subarray(8 * q, 8 * q + 6);
      let hidden = true;
      for (let y = Math.floor(y0 * height); y < Math.min(height, Math.ceil(y1 * height)); ++y) {
        for (let x = Math.floor(x0 * width); x < Math.min(width, Math.ceil(x1 * width)); ++x)
          hidden &&= depth[y * width + x] < near;
      }
      if (answers[2 * q]) {
        ++hiddenCount;
        assert.ok(hidden, `${footprint}: query ${q} is said to be hidden, but is not`);
      }
      if (hidden) ++reallyHidden;
      // The ray goes behind a texel on its way: the march must not miss it.
      let behind = false;
      for (let s = 0; s <= 400; ++s) {
        const t = s / 400;
        const [x, y] = [
          Math.min(width - 1, Math.floor((x0 + (x1 - x0) * t) * width)),
          Math.min(height - 1, Math.floor((y0 + (y1 - y0) * t) * height)),
        ];
        behind ||= end * t > depth[y * width + x] + 1e-5;
      }
      if (behind) {
        ++hits;
        assert.notEqual(answers[2 * q + 1], 2, `${footprint}: ray ${q} misses a texel that it goes behind`);
      }
    }
    assert.ok(
      hiddenCount > 0.5 * reallyHidden && hiddenCount > 30 && hits > 30,
      `${hiddenCount} of ${reallyHidden} found, ${hits} rays`,
    );
  }
});
