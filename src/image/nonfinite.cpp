// nonfinite.cpp: threads scan bands of rows of about 256 KB. The results are merged in the order of the bands, so that
// the first texel found is the same for any number of threads.
#include "onepass/nonfinite.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "cpu/views.hpp"
#include "cpu/workers.hpp"
#include "image/div_up.hpp"
#include "image/error.hpp"
#include "image/row_nonfinite.hpp"
#include "image/small_float.hpp"

namespace onepass {
namespace image {
namespace {

/// The largest finite value of a channel.
float largest_finite(const FormatInfo& info, uint32_t channel) {
  if (info.packed) return decode_magnitude(channel == 2 ? 0x3DFU : 0x7BFU, channel == 2 ? 5 : 6);
  return info.bytes_per_texel / info.channels == 2 ? 65504.0F : std::numeric_limits<float>::max();
}

/// The channel because of which a texel counts: the first NaN, else the first Inf; 4 if the texel does not count.
uint32_t offending_channel(const std::array<float, 4>& texel, bool infinite) {
  const auto* nan = std::find_if(texel.begin(), texel.end(), [](float value) { return std::isnan(value); });
  if (nan != texel.end() || !infinite) return static_cast<uint32_t>(nan - texel.begin());
  const auto* inf = std::find_if(texel.begin(), texel.end(), [](float value) { return std::isinf(value); });
  return static_cast<uint32_t>(inf - texel.begin());
}

}  // namespace

void find_nonfinite_scalar(Format format, const void* row, size_t texels, bool infinite, NonFiniteCounts& counts) {
  const uint32_t bytes = format_info(format).bytes_per_texel;
  const auto* at = static_cast<const std::byte*>(row);
  std::array<float, 4> texel{};
  for (size_t x = 0; x < texels; ++x, at += bytes) {
    decode_row(format, at, 1, texel.data());
    const uint32_t channel = offending_channel(texel, infinite);
    if (channel == 4) continue;
    if (!counts.any()) {
      counts.x = x;
      counts.channel = channel;
      counts.value = texel[channel];
    }
    ++(std::isnan(texel[channel]) ? counts.nan : counts.infinite);
  }
}

void replace_nonfinite_scalar(Format format, void* row, size_t texels, bool infinite, NonFiniteCounts& counts) {
  find_nonfinite_scalar(format, row, texels, infinite, counts);
  const FormatInfo& info = format_info(format);
  auto* at = static_cast<std::byte*>(row);
  std::array<float, 4> texel{};
  for (size_t x = 0; x < texels; ++x, at += info.bytes_per_texel) {
    decode_row(format, at, 1, texel.data());
    if (offending_channel(texel, infinite) == 4) continue;
    for (uint32_t c = 0; c < info.channels; ++c) {
      const float value = texel[c];
      if (std::isnan(value)) texel[c] = 0.0F;
      if (infinite && std::isinf(value)) texel[c] = std::copysign(largest_finite(info, c), value);
    }
    encode_row(format, texel.data(), 1, at);
  }
}

}  // namespace image

namespace {

constexpr size_t kBandBytes = size_t{1} << 18;  // of a task

std::string text(uint32_t a, const char* between, uint32_t b) {
  return std::to_string(a) + between + std::to_string(b);
}

/// Checks options and view, and returns the rectangle to scan.
Result<Rect> checked_rect(const ImageView& image, const NonFiniteOptions& options) {
  if (format_info(image.format).channels == 0) {
    return invalid("image: unknown format " + std::to_string(static_cast<uint32_t>(image.format)));
  }
  const auto [width, height] = image.size;
  if (width == 0 || height == 0 || image.slices == 0) {
    return invalid("image: size " + text(width, "x", height) + ", slices " + std::to_string(image.slices) +
                   " is empty");
  }
  if (auto checked = cpu::check_view("image", image, image.format, image.size, image.slices); !checked) {
    return checked.error();
  }
  const Rect& rect = options.rect;
  if (rect == Rect{}) return Rect{0, 0, width, height};
  if (rect.width == 0 || rect.height == 0 || uint64_t{rect.x} + rect.width > width ||
      uint64_t{rect.y} + rect.height > height) {
    return invalid("rect: " + text(rect.width, "x", rect.height) + " at " + text(rect.x, ", ", rect.y) +
                   " is not within " + text(width, "x", height));
  }
  return rect;
}

/// Counts of a band, and the index of the row that contains its first counted texel.
struct Band {
  image::NonFiniteCounts counts;
  uint64_t row = 0;
};

/// Calls row_function(y, slice, counts) for every row of the rectangle in all slices.
template <typename RowFunction>
Result<NonFinite> scan(const Rect& rect, const ImageView& image, uint32_t threads, const RowFunction& row_function) {
  const uint64_t rows = uint64_t{rect.height} * image.slices;
  const size_t row_bytes = size_t{rect.width} * format_info(image.format).bytes_per_texel;
  const uint64_t band_rows = std::max<uint64_t>(1, kBandBytes / row_bytes);
  NonFinite out;
  try {
    std::vector<Band> bands(div_up(rows, band_rows));
    cpu::Workers(threads).run(bands.size(), [&](size_t index, uint32_t /*slot*/) {
      Band band;
      const uint64_t begin = index * band_rows;
      for (uint64_t row = begin; row < std::min(begin + band_rows, rows); ++row) {
        if (!band.counts.any()) band.row = row;
        row_function(rect.y + static_cast<uint32_t>(row % rect.height), static_cast<uint32_t>(row / rect.height),
                     band.counts);
      }
      bands[index] = band;
    });
    for (const Band& band : bands) {
      if (out.count() == 0 && band.counts.any()) {
        out.first = {.x = rect.x + static_cast<uint32_t>(band.counts.x),
                     .y = rect.y + static_cast<uint32_t>(band.row % rect.height),
                     .slice = static_cast<uint32_t>(band.row / rect.height),
                     .channel = band.counts.channel,
                     .value = band.counts.value};
      }
      out.nan_count += band.counts.nan;
      out.infinite_count += band.counts.infinite;
    }
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory to look for NaN and Inf", ""};
  }
  return out;
}

}  // namespace

Result<NonFinite> find_nonfinite(const ImageView& image, const NonFiniteOptions& options) {
  const auto rect = checked_rect(image, options);
  if (!rect) return rect.error();
  const FormatInfo& info = format_info(image.format);
  if (info.type != ChannelType::kFloat) return NonFinite{};
  const auto find = image::find_nonfinite_rows(image.format).find;
  const size_t offset = size_t{rect->x} * info.bytes_per_texel;
  return scan(*rect, image, options.threads, [&](uint32_t y, uint32_t slice, image::NonFiniteCounts& counts) {
    const std::byte* row = image.row(y, slice) + offset;
    if (find != nullptr) {
      find(row, rect->width, options.infinite, counts);
    } else {
      image::find_nonfinite_scalar(image.format, row, rect->width, options.infinite, counts);
    }
  });
}

Result<NonFinite> replace_nonfinite(const MutableImageView& image, const NonFiniteOptions& options) {
  const auto rect = checked_rect(image, options);
  if (!rect) return rect.error();
  const FormatInfo& info = format_info(image.format);
  if (info.type != ChannelType::kFloat) return NonFinite{};
  const auto replace = image::find_nonfinite_rows(image.format).replace;
  const size_t offset = size_t{rect->x} * info.bytes_per_texel;
  return scan(*rect, image, options.threads, [&](uint32_t y, uint32_t slice, image::NonFiniteCounts& counts) {
    std::byte* row = image.row(y, slice) + offset;
    if (replace != nullptr) {
      replace(row, rect->width, options.infinite, counts);
    } else {
      image::replace_nonfinite_scalar(image.format, row, rect->width, options.infinite, counts);
    }
  });
}

}  // namespace onepass
