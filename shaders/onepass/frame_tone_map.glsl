// frame_tone_map.glsl: maps and meters a frame of video in one dispatch that reads it once. Every texel is mapped with
// the exposure computed from the previous frame, and metered for the next one. luminance_meter.glsl includes this file
// in place of its own loop if ONEPASS_LUMINANCE_FRAME is 1.
//
// Workgroups stride over tiles of the whole image; texels outside the metered rectangle have weight 0.
//
// Define before including luminance_meter.glsl, besides its own macros and functions except onepass_load_colour():
//   uint2 onepass_frame_size()                    of the image
//   float onepass_frame_exposure(uint slice)      of the previous frame; called before the last workgroup overwrites it
//   float4 onepass_load_texel(uint2 texel, uint slice)      as stored
//   float3 onepass_colour_of(float4 texel)                  linear; grey in all three channels
//   void onepass_frame_store(uint2 texel, uint slice, float4 loaded, float exposure)

#include "onepass/prelude_names.glsl"

/// An invocation's eight texels of a tile, as stored.
struct FrameTexels {
  float4 of[ONEPASS_LUMINANCE_READS];
};

FrameTexels onepass_load_frame(uint2 first, uint2 area, uint slice) {
  FrameTexels texels;
  ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) {
    texels.of[i] = onepass_load_texel(min(onepass_texel_of(first, i), area - 1u), slice);
  }
  return texels;
}

/// Meters and maps all texels of an invocation. Prefetches the texels of the next tile while it works on the current
/// one.
LuminanceShare onepass_meter_tiles(uint group, uint slice, uint lane) {
  LuminanceSums sums = onepass_no_sums();
  LuminancePairs pairs = onepass_no_pairs();
  uint2 origin = uint2(pc.origin & 0xFFFFu, pc.origin >> 16);
  uint2 size = uint2(pc.size & 0xFFFFu, pc.size >> 16);
  uint2 area = onepass_frame_size();
  float exposure = onepass_frame_exposure(slice);
  uint tiles = pc.tiles_x * ((area.y + ONEPASS_LUMINANCE_TILE_HEIGHT - 1u) / ONEPASS_LUMINANCE_TILE_HEIGHT);
  uint2 in_tile = onepass_in_tile(lane);
  uint2 next_first = onepass_first_texel(group, in_tile);
  FrameTexels next = onepass_load_frame(next_first, area, slice);
  for (uint tile = group; tile < tiles; tile += pc.groups) {
    uint2 first = next_first;
    FrameTexels texels = next;
    next_first = onepass_first_texel(min(tile + pc.groups, tiles - 1u), in_tile);
    next = onepass_load_frame(next_first, area, slice);
    LuminanceTexels light;
    ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) {
      light.colours[i] = onepass_colour_of(texels.of[i]);
    }
    uint2 corner = first - in_tile;
    uint2 last = corner + uint2(ONEPASS_LUMINANCE_TILE_WIDTH, ONEPASS_LUMINANCE_TILE_HEIGHT) - origin;
    bool whole = corner.x >= origin.x && corner.y >= origin.y && last.x <= size.x && last.y <= size.y;
    bool done = false;
    if (METERING == ONEPASS_LUMINANCE_AVERAGE && whole) done = onepass_add_ordinary(sums, pairs, light.colours, lane);
    if (!done) {
      ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) {
        uint2 in_rect = onepass_texel_of(first, i) - origin;  // wraps to a large number left of and above the rectangle
        bool metered = in_rect.x < size.x && in_rect.y < size.y;
        onepass_add_pixel(sums, light.colours[i], metered ? onepass_weight(in_rect, size) : 0u, lane);
      }
      onepass_close_block(sums, pairs);
    }
    ONEPASS_UNROLL for (uint i = 0u; i < ONEPASS_LUMINANCE_READS; ++i) {
      uint2 texel = onepass_texel_of(first, i);
      if (texel.x < area.x && texel.y < area.y) onepass_frame_store(texel, slice, texels.of[i], exposure);
    }
  }
  return onepass_share_of(sums, pairs);
}

#include "onepass/prelude_names_end.glsl"
