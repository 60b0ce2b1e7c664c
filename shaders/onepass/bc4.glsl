// bc4.glsl: the encoder of BC4 and of the halves of BC5: one block of 8 bytes per call.
//
//     block.value[i] = 255.0 * height;   // 16 values of 0 to 255, row by row; -127 to 127 of signed formats
//     block.inside = 0xFFFFu;
//     uint2 words = onepass_bc4(block, false);
//
// A block has two endpoints of 8 bits and six values between them. The endpoints are the least and the largest value;
// each texel takes the nearest one. BC5 is two such blocks, of red and of green: x and y of normal maps. Blocks are
// those of BlockQuality::kFast.
#ifndef ONEPASS_BC4_GLSL_
#define ONEPASS_BC4_GLSL_

#include "onepass/block_texels.glsl"
#include "onepass/prelude_names.glsl"

/// 4x4 values, row by row.
struct OnepassChannelBlock {
  float value[16];  // 0 to 255, or -127 to 127; need not be whole
  uint inside;      // bit i: texel i is in the image; the others do not count. 0xFFFFu: all
};

/// The nearest stored value.
float onepass_bc4_whole(float value, float least, float most) {
  // Truncation rounds values that are not negative: signed ones are moved up by 128.
  precise float moved = clamp(value, least, most) + 128.5;
  return floor(moved) - 128.0;
}

/// The two words of a block; `has_sign`: of BC4_SNORM and BC5_SNORM.
uint2 onepass_bc4(OnepassChannelBlock block, bool has_sign) {
  float bottom = has_sign ? -127.0 : 0.0;
  float top = has_sign ? 127.0 : 255.0;
  float least = top;
  float most = bottom;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    bool counts = (block.inside >> i & 1u) != 0u;
    least = counts ? min(least, block.value[i]) : least;
    most = counts ? max(most, block.value[i]) : most;
  }
  // The larger endpoint first states the form with six values between them. Of equal ones every texel takes the first.
  precise float first = onepass_bc4_whole(most, bottom, top);
  precise float along = onepass_bc4_whole(least, bottom, top) - first;
  precise float scale = along == 0.0 ? 0.0 : 7.0 / along;
  uint low = 0u;
  uint high = 0u;
  ONEPASS_UNROLL for (uint i = 0u; i < 16u; ++i) {
    precise float place = clamp((block.value[i] - first) * scale, 0.0, 7.0) + 0.5;
    uint index = uint(place);
    // Steps 0, 1 .. 6, 7 are the codes 0, 2 .. 7, 1.
    uint code = index == 7u ? 1u : index + min(index, 1u);
    if (i < 8u) {
      low |= code << (3u * i);
    } else {
      high |= code << (3u * (i - 8u));
    }
  }
  uint ends = (uint(int(first)) & 255u) | (uint(int(first + along)) & 255u) << 8u;
  return uint2(ends | low << 16u, low >> 16u | high << 8u);
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_BC4_GLSL_
