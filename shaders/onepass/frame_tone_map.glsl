// frame_tone_map.glsl: a frame of video in one dispatch that reads it once: every texel is mapped with the exposure that
// the frame before led to, and metered for the next one. Included by luminance_meter.glsl in place of its own loop when
// ONEPASS_LUMINANCE_FRAME is 1.
//
// Groups stride over tiles of the whole image as the meter's do; texels outside the metered rectangle weigh nothing.
//
// Define before including luminance_meter.glsl, besides what that wants:
//   uint2 onepass_frame_size()                    of the image
//   float onepass_frame_exposure(uint slice)      of the frame before, read before the last group writes the next one
//   float4 onepass_load_texel(uint2 texel, uint slice)      as stored
//   float3 onepass_colour_of(float4 texel)                  linear; grey: three times the same
//   void onepass_frame_store(uint2 texel, uint slice, float4 loaded, float exposure)

/// Everything that falls to one invocation.
LuminanceItems onepass_meter_tiles(uint group, uint slice, uint lane) {
  LuminanceSums sums = onepass_no_sums();
  LuminancePairs pairs = onepass_no_pairs();
  uint2 origin = uint2(pc.origin & 0xFFFFu, pc.origin >> 16);
  uint2 size = uint2(pc.size & 0xFFFFu, pc.size >> 16);
  uint2 area = onepass_frame_size();
  float exposure = onepass_frame_exposure(slice);
  uint tiles = pc.tiles_x * ((area.y + ONEPASS_LUMINANCE_TILE_HEIGHT - 1u) / ONEPASS_LUMINANCE_TILE_HEIGHT);
  uint2 in_tile = onepass_in_tile(lane);
  for (uint tile = group; tile < tiles; tile += pc.groups) {
    uint2 first = uint2(tile % pc.tiles_x * ONEPASS_LUMINANCE_TILE_WIDTH,
                        tile / pc.tiles_x * ONEPASS_LUMINANCE_TILE_HEIGHT) + in_tile;
    float4 texels[ONEPASS_LUMINANCE_READS];
    ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) {
      uint2 texel = first + uint2((i & 3u) * 32u, (i >> 2) * 8u);
      texels[i] = onepass_load_texel(min(texel, area - 1u), slice);
    }
    ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) {
      uint2 texel = first + uint2((i & 3u) * 32u, (i >> 2) * 8u);
      uint2 in_rect = texel - origin;  // left of and above the rectangle this wraps: large
      bool metered = in_rect.x < size.x && in_rect.y < size.y;
      onepass_add_pixel(sums, onepass_colour_of(texels[i]), metered ? onepass_weight(in_rect, size) : 0u, lane);
      if (texel.x < area.x && texel.y < area.y) onepass_frame_store(texel, slice, texels[i], exposure);
    }
    onepass_close_block(sums, pairs);
  }
  onepass_flush_bin(sums, lane);
  return onepass_items_of(sums, pairs);
}
