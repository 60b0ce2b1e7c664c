// cpu_image_rows.cpp: one task per row of a slice. The copy of alpha decodes the target's row, replaces the fourth
// channel and encodes the row again, which works for any two formats; texels outside of the source get 0.
#include "fourier/cpu_image_rows.hpp"

#include <vector>

#include "cpu/rgb_texels.hpp"

namespace onepass::cpu {

void for_rows(Workers& workers, uint32_t height, uint32_t slices,
              const std::function<void(uint32_t y, uint32_t slice, uint32_t slot)>& row) {
  workers.run(size_t{height} * slices, [&](size_t task, uint32_t slot) {
    row(static_cast<uint32_t>(task % height), static_cast<uint32_t>(task / height), slot);
  });
}

void copy_alpha(Workers& workers, const ImageView& source, const MutableImageView& target, Offset offset) {
  if (is_rgb(target.format)) return;
  const uint32_t from_width = source.size.width;
  const uint32_t to_width = target.size.width;
  std::vector<std::vector<float>> scratch(workers.slots());
  for_rows(workers, target.size.height, target.slices, [&](uint32_t y, uint32_t slice, uint32_t slot) {
    std::vector<float>& texels = scratch[slot];
    texels.resize(size_t{4} * (from_width + to_width));
    float* from = texels.data();
    float* to = from + size_t{4} * from_width;
    const int64_t from_y = int64_t{y} + offset.y;
    const bool inside = from_y >= 0 && from_y < source.size.height;
    if (inside) decode_row(source.format, source.row(static_cast<uint32_t>(from_y), slice), from_width, from);
    decode_row(target.format, target.row(y, slice), to_width, to);
    for (uint32_t x = 0; x < to_width; ++x) {
      const int64_t from_x = int64_t{x} + offset.x;
      const bool there = inside && from_x >= 0 && from_x < from_width;
      to[size_t{4} * x + 3] = there ? from[4 * from_x + 3] : 0.0F;
    }
    encode_row(target.format, to, to_width, target.row(y, slice));
  });
}

}  // namespace onepass::cpu
