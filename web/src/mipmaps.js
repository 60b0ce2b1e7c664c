// mipmaps.js: the mip levels of a texture in one call, whatever usages its creator gave it.
//
//     STORAGE_BINDING       the pyramid stores the levels
//     COPY_DST              it stores them in a scratch texture of the same format, which is copied
//     RENDER_ATTACHMENT     it stores floats in a scratch texture, which is drawn: the device rounds and encodes
import {
  allocate,
  checkDevice,
  makeDrawPipeline,
  needTextureUsage,
  orDestroy,
  textureName,
  textureUsage,
  usageNamesOf,
} from './device.js';
import { checkFields, invalid } from './errors.js';
import { levelSize } from './footprint.js';
import { isStorable, sourceFormat } from './formats.js';
import { Pyramid } from './pyramid.js';

/**
 * Options of generateMipmaps().
 * @typedef {object} MipmapOptions
 * @property {GPUTextureFormat} [format]  What the texels are: `rgba8unorm-srgb` for a texture `rgba8unorm` that holds
 *   sRGB-encoded texels and has `rgba8unorm-srgb` among its viewFormats. Default: the format of the texture.
 * @property {'mean' | 'min' | 'max'} [reduction]  Default `mean`.
 * @property {import('./footprint.js').Footprint} [footprint]  Default `covering`.
 * @property {import('./words.js').Alpha} [alpha]  `weighted`: transparent texels do not bleed. Default `independent`.
 */

const drawCode = `
@group(0) @binding(0) var levels: texture_2d_array<f32>;
struct Corner { @builtin(position) at: vec4f, @location(0) @interpolate(flat) slice: u32 }
@vertex fn corner(@builtin(vertex_index) i: u32, @builtin(instance_index) slice: u32) -> Corner {
  return Corner(vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0), slice);
}
@fragment fn texel(corner: Corner) -> @location(0) vec4f { return textureLoad(levels, vec2u(corner.at.xy), corner.slice, 0); }
`;

/**
 * How levels get into a texture, and the format of the pyramid's target.
 * @param {GPUDevice} device
 * @param {GPUTexture} texture
 * @param {GPUTextureFormat} format
 * @returns {{way: 'store' | 'copy' | 'draw', target: GPUTextureFormat}}
 */
function wayOf(device, texture, format) {
  const has = (/** @type {number} */ one) => (texture.usage & one) !== 0;
  if (has(textureUsage.storage) && isStorable(device, texture.format)) return { way: 'store', target: format };
  const copies = isStorable(device, texture.format.replace('-srgb', ''));
  if (copies && has(textureUsage.copyDst)) return { way: 'copy', target: format };
  if (has(textureUsage.attachment)) {
    const { channels } = sourceFormat('texture', format);
    return {
      way: 'draw',
      target: /** @type {GPUTextureFormat[]} */ (['r32float', 'rg32float', 'rgba32float', 'rgba32float'])[channels - 1],
    };
  }
  throw invalid(
    `texture: ${textureName(texture)} has the usage ${usageNamesOf(texture)}; ` +
      `${copies ? 'STORAGE_BINDING, COPY_DST or ' : ''}RENDER_ATTACHMENT is needed to write its levels`,
  );
}

/**
 * Makes all mip levels of a texture from its level 0: array layers and cube faces, sRGB in linear light. Submits commands;
 * what is submitted later sees the levels. Kernels are compiled once a format and shape of a chain.
 *
 *     await generateMipmaps(device, texture);
 *
 * Textures of renderers and loaders mostly have no usage STORAGE_BINDING: then the levels pass through a scratch texture of
 * a third of the texture's size, and a `Pyramid` with a texture of your own is faster.
 * @param {GPUDevice} device
 * @param {GPUTexture} texture  Usage TEXTURE_BINDING, and STORAGE_BINDING, COPY_DST or RENDER_ATTACHMENT: COPY_DST is enough
 *   for the formats that `Pyramid` stores.
 * @param {MipmapOptions} [options]
 * @returns {Promise<void>}
 * @throws {OnepassError} `invalid_argument` naming the texture and its usage or format, `unsupported`, `out_of_memory`,
 *   `device_lost`, `device`
 */
export async function generateMipmaps(device, texture, options = {}) {
  checkFields(options, ['format', 'reduction', 'footprint', 'alpha']);
  await checkDevice(device);
  if (!texture || typeof texture.createView !== 'function') throw invalid('texture: is not a GPUTexture');
  const { format = texture.format, ...rest } = options;
  if (texture.dimension !== '2d')
    throw invalid(`texture: ${textureName(texture)} has the dimension ${texture.dimension}, not 2d`);
  if (format.replace('-srgb', '') !== texture.format.replace('-srgb', '')) {
    throw invalid(`format: ${format}, but ${textureName(texture)} has the format ${texture.format}`);
  }
  if (sourceFormat('texture', format).depth)
    throw invalid(`texture: levels of ${format} cannot be written; make a Pyramid with a target of r32float`);
  needTextureUsage('texture', texture, textureUsage.texture);
  const { way, target } = wayOf(device, texture, format);
  const levels = texture.mipLevelCount;
  const slices = texture.depthOrArrayLayers;
  if (levels === 1) return;

  const pyramid = await Pyramid.create(device, {
    size: [texture.width, texture.height],
    slices,
    levels,
    source: format,
    target,
    ...rest,
  });
  const pipeline = way === 'draw' ? await makeDrawPipeline(device, 'onepass mip levels', drawCode, format) : null;
  /** @type {{destroy(): void}[]} */
  const made = [];
  await orDestroy(made, async () => {
    const scratch =
      way === 'store'
        ? null
        : await allocate(device, 'generateMipmaps', (own) =>
            own(
              device.createTexture({
                label: 'onepass mip levels',
                size: [...levelSize([texture.width, texture.height], 1), slices],
                mipLevelCount: levels - 1,
                format: /** @type {GPUTextureFormat} */ (target.replace('-srgb', '')),
                usage: textureUsage.storage | textureUsage.copySrc | textureUsage.texture,
              }),
            ),
          );
    if (scratch) made.push(scratch);
    const binding = await pyramid.bind(
      scratch ? { source: texture, target: scratch, targetLevel: 0 } : { source: texture },
    );
    made.push(binding);
    await allocate(device, 'generateMipmaps', (_, view) => {
      const encoder = device.createCommandEncoder({ label: 'onepass mip levels' });
      pyramid.record(encoder, binding);
      for (let level = 1; scratch && level < levels; ++level) {
        if (!pipeline) {
          encoder.copyTextureToTexture({ texture: scratch, mipLevel: level - 1 }, { texture, mipLevel: level }, [
            ...levelSize([texture.width, texture.height], level),
            slices,
          ]);
          continue;
        }
        const group = device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            {
              binding: 0,
              resource: scratch.createView({ dimension: '2d-array', baseMipLevel: level - 1, mipLevelCount: 1 }),
            },
          ],
        });
        for (let slice = 0; slice < slices; ++slice) {
          const pass = encoder.beginRenderPass({
            colorAttachments: [
              {
                view: view('texture', texture, {
                  format,
                  dimension: '2d',
                  baseMipLevel: level,
                  mipLevelCount: 1,
                  baseArrayLayer: slice,
                  arrayLayerCount: 1,
                  usage: textureUsage.attachment,
                }),
                loadOp: 'clear',
                storeOp: 'store',
              },
            ],
          });
          pass.setPipeline(pipeline);
          pass.setBindGroup(0, group);
          pass.draw(3, 1, 0, slice);
          pass.end();
        }
      }
      device.queue.submit([encoder.finish()]);
    });
  });
  made.forEach((resource) => resource.destroy());
}
