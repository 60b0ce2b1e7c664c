// textures.js: the texels of textures, for tests and for the benchmark, in Node and in a browser.

export const bytesPerTexel = {
  r8unorm: 1,
  rg8unorm: 2,
  rgba8unorm: 4,
  'rgba8unorm-srgb': 4,
  bgra8unorm: 4,
  'bgra8unorm-srgb': 4,
  r16float: 2,
  rg16float: 4,
  rgba16float: 8,
  r32float: 4,
  rg32float: 8,
  rgba32float: 16,
  depth32float: 4,
  depth16unorm: 2,
  rgb10a2unorm: 4,
  rg11b10ufloat: 4,
};

/** The bytes of one mip level, all slices, tightly packed. */
export async function readTexture(device, texture, level = 0) {
  const width = Math.max(1, texture.width >> level);
  const height = Math.max(1, texture.height >> level);
  const slices = texture.depthOrArrayLayers;
  const bytes = bytesPerTexel[texture.format];
  const pitch = Math.ceil((width * bytes) / 256) * 256;
  const buffer = device.createBuffer({
    size: pitch * height * slices,
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
  });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture, mipLevel: level }, { buffer, bytesPerRow: pitch, rowsPerImage: height }, [
    width,
    height,
    slices,
  ]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const from = new Uint8Array(buffer.getMappedRange());
  const to = new Uint8Array(width * bytes * height * slices);
  for (let row = 0; row < height * slices; ++row) {
    to.set(from.subarray(row * pitch, row * pitch + width * bytes), row * width * bytes);
  }
  buffer.destroy();
  return to;
}
