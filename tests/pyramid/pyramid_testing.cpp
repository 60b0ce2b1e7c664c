// pyramid_testing.cpp: images with gaps between rows and slices, filled with a pattern that a write outside of the
// texels would change.
#include "tests/pyramid/pyramid_testing.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "onepass/words.hpp"

namespace onepass::testing {

PaddedImage::PaddedImage(Format format, Extent size, uint32_t slices, size_t row_gap, size_t slice_gap) {
  const size_t row_stride = size_t{size.width} * texel_info(format).bytes_per_texel + row_gap;
  const size_t slice_stride = row_stride * size.height + slice_gap;
  bytes_.assign(slice_stride * slices, kPoison);
  view_ = {bytes_.data(), format, size, slices, row_stride, slice_stride};
}

bool PaddedImage::gaps_touched() const {
  const size_t row_bytes = size_t{view_.size.width} * texel_info(view_.format).bytes_per_texel;
  for (size_t i = 0; i < bytes_.size(); ++i) {
    const size_t in_slice = i % view_.slice_stride;
    const bool is_gap = in_slice / view_.row_stride >= view_.size.height || in_slice % view_.row_stride >= row_bytes;
    if (is_gap && bytes_[i] != kPoison) return true;
  }
  return false;
}

void fill_random(const MutableImageView& image, Rect rect, Random& random) {
  const FormatInfo& info = texel_info(image.format);
  const float least = info.packed ? 0.0F : -1.0F;
  std::array<float, 4> texel{};
  for (uint32_t slice = 0; slice < image.slices; ++slice) {
    for (uint32_t y = rect.y; y < rect.y + rect.height; ++y) {
      std::byte* row = image.row(y, slice) + size_t{rect.x} * info.bytes_per_texel;
      for (uint32_t x = 0; x < rect.width; ++x, row += info.bytes_per_texel) {
        if (info.type == ChannelType::kFloat) {
          for (float& value : texel) value = random.between(least, 2.0F);
          encode_row(image.format, texel.data(), 1, row);
        } else {
          for (uint32_t byte = 0; byte < info.bytes_per_texel; byte += 4) {
            const uint32_t word = random.word();
            std::memcpy(row + byte, &word, std::min(4U, info.bytes_per_texel - byte));
          }
        }
      }
    }
  }
}

void fill_random(const MutableImageView& image, Random& random) {
  fill_random(image, {0, 0, image.size.width, image.size.height}, random);
}

Levels::Levels(const PyramidOptions& options, size_t row_gap, size_t slice_gap) {
  const uint32_t levels = options.levels == 0 ? full_level_count(options.footprint, options.size) : options.levels;
  for (uint32_t n = 1; n < levels; ++n) {
    images.emplace_back(options.target, level_size(options.footprint, options.size, n), options.slices, row_gap,
                        slice_gap);
  }
  for (PaddedImage& image : images) views.push_back(image.view());
}

bool Levels::same_bytes(const Levels& other) const {
  return std::equal(images.begin(), images.end(), other.images.begin(), other.images.end(),
                    [](const PaddedImage& a, const PaddedImage& b) { return a.bytes() == b.bytes(); });
}

bool Levels::gaps_touched() const {
  return std::any_of(images.begin(), images.end(), [](const PaddedImage& image) { return image.gaps_touched(); });
}

std::string describe(const PyramidOptions& options) {
  std::string text = std::to_string(options.size.width) + "x" + std::to_string(options.size.height) + " ";
  if (options.slices > 1) text += "slices " + std::to_string(options.slices) + " ";
  text += std::string(texel_info(options.source).name) + " > " + std::string(texel_info(options.target).name) + " ";
  text += std::string(word_of(options.reduction)) + " " + std::string(word_of(options.footprint));
  if (options.alpha == Alpha::kWeighted) text += " weighted";
  if (options.alpha == Alpha::kCoverage) text += " coverage";
  if (options.normal_map == NormalMap::kRenormalize) text += " renormalize";
  return text;
}

const std::vector<Extent>& awkward_sizes() {
  static const std::vector<Extent> sizes = {
      {1, 1},       {1, 17},      {17, 1},      {2, 2},       {3, 3},       {7, 4},       {5, 5},       {63, 63},
      {64, 64},     {65, 65},     {127, 127},   {128, 32},    {191, 191},   {1023, 1023}, {1648, 1776}, {1280, 720},
      {1920, 1080}, {2560, 1440}, {3840, 2160}, {1919, 1079}, {2047, 2047}, {4094, 4094}, {4095, 4095}, {4096, 4096},
      {4097, 3},    {4096, 64},   {8191, 17},   {8192, 64},   {16384, 16},  {3, 1},       {2, 3},       {31, 257}};
  return sizes;
}

bool full_run() {
  const char* wanted = std::getenv("ONEPASS_FULL");
  return wanted != nullptr && std::strcmp(wanted, "1") == 0;
}

}  // namespace onepass::testing
