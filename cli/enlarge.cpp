// enlarge.cpp: the two texels and the share of each are computed once per column; a row blends two rows of the source.
#include "enlarge.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace onepass::cli {
namespace {

// The texels around a position, and the share of the second one.
struct Between {
  uint32_t first = 0;
  uint32_t second = 0;
  float share = 0;
};

Between between(uint32_t at, uint32_t size, uint32_t source, bool wrap) {
  const double position = (at + 0.5) * source / size - 0.5;
  const double floor = std::floor(position);
  const auto texel = [&](int64_t i) {
    const auto last = static_cast<int64_t>(source) - 1;
    if (wrap) return static_cast<uint32_t>(i < 0 ? last : i > last ? 0 : i);
    return static_cast<uint32_t>(std::clamp<int64_t>(i, 0, last));
  };
  const auto low = static_cast<int64_t>(floor);
  return {texel(low), texel(low + 1), static_cast<float>(position - floor)};
}

}  // namespace

Result<Image> enlarged(const ImageView& source, Extent size, bool wrap) {
  auto image = Image::create(source.format, size);
  if (!image) return image.error();
  std::vector<Between> columns(size.width);
  for (uint32_t x = 0; x < size.width; ++x) columns[x] = between(x, size.width, source.size.width, wrap);
  std::vector<float> above(size_t{4} * source.size.width), below(above.size()), out(size_t{4} * size.width);
  for (uint32_t y = 0; y < size.height; ++y) {
    const Between rows = between(y, size.height, source.size.height, wrap);
    decode_row(source.format, source.row(rows.first), source.size.width, above.data());
    decode_row(source.format, source.row(rows.second), source.size.width, below.data());
    for (size_t i = 0; i < above.size(); ++i) above[i] += rows.share * (below[i] - above[i]);
    for (size_t i = 0; i < out.size(); ++i) {
      const Between& column = columns[i / 4];
      const float left = above[size_t{4} * column.first + i % 4], right = above[size_t{4} * column.second + i % 4];
      out[i] = left + column.share * (right - left);
    }
    encode_row(source.format, out.data(), size.width, image->view().row(y));
  }
  return image;
}

}  // namespace onepass::cli
