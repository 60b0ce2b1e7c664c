// levels.cpp: fills images with random texels and compares levels by a tolerance. Rows are spread over all threads: at
// 16384x16384 one thread would take longer than the GPU's whole benchmark.
#include "levels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <random>

#include "cpu/workers.hpp"
#include "image/div_up.hpp"

namespace onepass::bench {
namespace {

/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): any seed is a good one.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

 private:
  uint64_t state_;
};

float unit_float(uint64_t bits) { return static_cast<float>(bits >> 40U) * 0x1p-24F; }

void fill_row(const FormatInfo& info, uint32_t width, std::byte* row, Random random) {
  if (info.type == ChannelType::kFloat) {
    std::vector<float> rgba(size_t{width} * 4);
    for (size_t i = 0; i < rgba.size(); ++i) {
      if (i % 4 < info.channels) rgba[i] = unit_float(random.next());
    }
    encode_row(info.format, rgba.data(), width, row);
    return;
  }
  const size_t bytes = size_t{width} * info.bytes_per_texel;
  for (size_t i = 0; i < bytes; i += 8) {
    const uint64_t word = random.next();
    std::memcpy(row + i, &word, std::min<size_t>(8, bytes - i));
  }
}

// Depths as a renderer draws them: squares of 128 texels, each an inclined plane of its own, a quarter of them far
// away.
void fill_depth_row(const FormatInfo& info, uint32_t width, std::byte* row, uint64_t seed, uint32_t y) {
  constexpr uint32_t kSide = 128;
  std::vector<float> rgba(size_t{width} * 4);
  for (uint32_t first = 0; first < width; first += kSide) {
    Random random(seed + (uint64_t{y / kSide} << 32U) + first);
    const float nearest = random.next() % 4 == 0 ? 1.0F : 0.9F * unit_float(random.next());
    const float across = 0.1F * unit_float(random.next()) / kSide;
    const float down = 0.1F * unit_float(random.next()) / kSide;
    for (uint32_t x = first; x < std::min(width, first + kSide); ++x) {
      const float depth = nearest + across * static_cast<float>(x - first) + down * static_cast<float>(y % kSide);
      rgba[size_t{4} * x] = std::min(depth, 1.0F);
    }
  }
  encode_row(info.format, rgba.data(), width, row);
}

bool is_8_bit(const FormatInfo& info) {
  return info.type != ChannelType::kFloat && info.bytes_per_texel == info.channels;
}

/// Compares rows.
class RowComparer {
 public:
  RowComparer(const ImageView& actual, const ImageView& expected, const Tolerance& tolerance)
      : actual_(format_info(actual.format)),
        expected_(format_info(expected.format)),
        width_(expected.size.width),
        tolerance_(tolerance) {}

  /// Index of the first texel that differs; the width if none does.
  [[nodiscard]] uint32_t first_difference(const std::byte* actual, const std::byte* expected) const {
    if (is_8_bit(actual_) && is_8_bit(expected_)) return first_code(actual, expected);
    const size_t row_bytes = size_t{width_} * expected_.bytes_per_texel;
    const bool same = actual_.format == expected_.format && std::memcmp(actual, expected, row_bytes) == 0;
    return same ? width_ : first_value(actual, expected);
  }

 private:
  [[nodiscard]] uint32_t first_code(const std::byte* actual, const std::byte* expected) const {
    for (uint32_t i = 0; i < width_ * expected_.channels; ++i) {
      const int apart = std::abs(std::to_integer<int>(actual[i]) - std::to_integer<int>(expected[i]));
      if (apart > static_cast<int>(tolerance_.codes)) return i / expected_.channels;
    }
    return width_;
  }

  [[nodiscard]] uint32_t first_value(const std::byte* actual, const std::byte* expected) const {
    std::vector<float> a(size_t{width_} * 4);
    std::vector<float> e(size_t{width_} * 4);
    decode_row(actual_.format, actual, width_, a.data());
    decode_row(expected_.format, expected, width_, e.data());
    for (uint32_t i = 0; i < width_ * 4; ++i) {
      const double allowed = tolerance_.absolute + tolerance_.relative * std::abs(static_cast<double>(e[i]));
      // Written so that a NaN fails.
      const bool close = std::abs(static_cast<double>(a[i]) - static_cast<double>(e[i])) <= allowed;
      if (!close && i % 4 < expected_.channels) return i / 4;
    }
    return width_;
  }

  const FormatInfo& actual_;
  const FormatInfo& expected_;
  uint32_t width_;
  const Tolerance& tolerance_;
};

std::string texel_text(Format format, const std::byte* texel) {
  float rgba[4] = {};
  decode_row(format, texel, 1, rgba);
  std::string text = "(";
  for (uint32_t c = 0; c < format_info(format).channels; ++c) text += (c == 0 ? "" : ", ") + std::to_string(rgba[c]);
  return text + ")";
}

}  // namespace

uint64_t run_seed() {
  static const uint64_t seed = std::random_device()();
  return seed;
}

Result<Image> random_image(Format format, Extent size, uint32_t slices) {
  auto image = Image::create(format, size, slices);
  if (!image) return image.error();
  const MutableImageView view = image->view();
  cpu::Workers workers(0);
  workers.run(size_t{size.height} * slices, [&](size_t i, uint32_t) {
    const auto y = static_cast<uint32_t>(i % size.height);
    const auto slice = static_cast<uint32_t>(i / size.height);
    if (format_info(format).depth) {
      fill_depth_row(format_info(format), size.width, view.row(y, slice), run_seed() + slice, y);
    } else {
      fill_row(format_info(format), size.width, view.row(y, slice), Random(run_seed() + i * 0x100000001B3U));
    }
  });
  return image;
}

Result<Levels> Levels::create(const PyramidOptions& options) {
  auto plan = plan_pyramid(options);
  if (!plan) return plan.error();
  Levels out;
  for (uint32_t n = 1; n < plan->levels; ++n) {
    auto image = Image::create(options.target, plan->sizes[n], options.slices);
    if (!image) return image.error();
    out.images.push_back(std::move(*image));
  }
  return out;
}

std::vector<MutableImageView> Levels::views() {
  std::vector<MutableImageView> out;
  for (Image& image : images) out.push_back(image.view());
  return out;
}

Result<Levels> cpu_levels(const PyramidOptions& options, const ImageView& source) {
  auto levels = Levels::create(options);
  if (!levels) return levels.error();
  auto pyramid = cpu::Pyramid::create(options);
  if (!pyramid) return pyramid.error();
  if (auto built = pyramid->build(source, levels->views()); !built) return built.error();
  return levels;
}

Tolerance contract(const PyramidOptions& options, bool less_exact) {
  if (options.reduction != Reduction::kMean) return {};
  // Linear samples of sRGB: two quantised values of 8 bits. A half has 11 significant bits: its neighbour is at most
  // 2^-10 of its value away. Floats are within 4 ULP of the true value on either engine.
  if (less_exact) return {.codes = 2, .relative = 0, .absolute = 2.0 / 255.0};
  const FormatInfo& target = format_info(options.target);
  const bool half = target.bytes_per_texel == 2 * target.channels;
  return {.codes = 1, .relative = half ? 0x1.1p-10 : 8 * 0x1p-23, .absolute = 0x1p-24};
}

std::optional<std::string> difference(const ImageView& actual, const ImageView& expected, const Tolerance& tolerance) {
  const RowComparer comparer(actual, expected, tolerance);
  std::mutex mutex;
  std::optional<std::string> found;
  uint64_t bad_rows = 0;
  const auto compare_row = [&](size_t i, uint32_t) {
    const auto y = static_cast<uint32_t>(i % expected.size.height);
    const auto slice = static_cast<uint32_t>(i / expected.size.height);
    const std::byte* a = actual.row(y, slice);
    const std::byte* e = expected.row(y, slice);
    const uint32_t x = comparer.first_difference(a, e);
    if (x == expected.size.width) return;
    const std::lock_guard lock(mutex);
    if (++bad_rows > 1) return;
    a += size_t{x} * format_info(actual.format).bytes_per_texel;
    e += size_t{x} * format_info(expected.format).bytes_per_texel;
    found = "texel (" + std::to_string(x) + ", " + std::to_string(y) + ") of slice " + std::to_string(slice) + " is " +
            texel_text(actual.format, a) + ", not " + texel_text(expected.format, e);
  };
  cpu::Workers workers(0);
  workers.run(size_t{expected.size.height} * expected.slices, compare_row);
  if (found) *found += " (" + std::to_string(bad_rows) + " rows differ)";
  return found;
}

std::optional<std::string> difference(const Levels& actual, const Levels& expected, size_t count,
                                      const Tolerance& tolerance) {
  for (size_t n = 0; n < std::min(count, expected.images.size()); ++n) {
    auto found = difference(actual.images[n].view(), expected.images[n].view(), tolerance);
    if (found) return "level " + std::to_string(n + 1) + ": " + *found;
  }
  return std::nullopt;
}

double relative_error(Format format, std::span<const std::byte> actual, std::span<const std::byte> expected) {
  constexpr size_t kChunk = 4096;  // texels
  const FormatInfo& info = format_info(format);
  const size_t texels = expected.size() / info.bytes_per_texel;
  if (actual.size() != expected.size()) return std::numeric_limits<double>::infinity();
  std::mutex mutex;
  double error = 0;
  double energy = 0;
  cpu::Workers workers(0);
  workers.run(div_up(texels, kChunk), [&](size_t chunk, uint32_t) {
    const size_t offset = chunk * kChunk * info.bytes_per_texel;
    const auto count = static_cast<uint32_t>(std::min(kChunk, texels - chunk * kChunk));
    std::vector<float> a(size_t{count} * 4);
    std::vector<float> e(size_t{count} * 4);
    decode_row(format, actual.data() + offset, count, a.data());
    decode_row(format, expected.data() + offset, count, e.data());
    double chunk_error = 0;
    double chunk_energy = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      if (i % 4 >= info.channels) continue;
      const double apart = static_cast<double>(a[i]) - static_cast<double>(e[i]);
      chunk_error += apart * apart;
      chunk_energy += static_cast<double>(e[i]) * static_cast<double>(e[i]);
    }
    const std::lock_guard lock(mutex);
    error += chunk_error;
    energy += chunk_energy;
  });
  return std::sqrt(error / energy);
}

}  // namespace onepass::bench
