// tiles_support.hpp: pictures of numbers, the definition of levels and readers of outputs, for the tests of tiles.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "onepass/tiles.hpp"
#include "tests/files/files_support.hpp"

namespace tiles_test {

using files_test::Bytes;
using files_test::TempDirectory;
using onepass::ErrorCode;
using onepass::Extent;
using onepass::Reduction;
using onepass::files::Color;
using onepass::tiles::make_tiles;
using onepass::tiles::TileCompression;
using onepass::tiles::TileFormat;
using onepass::tiles::TileOptions;

// Samples of a picture, interleaved, as numbers.
struct Picture {
  Extent size;
  uint32_t channels = 1;
  std::vector<double> samples;

  [[nodiscard]] double at(uint32_t x, uint32_t y, uint32_t c) const {
    return samples[(size_t{y} * size.width + x) * channels + c];
  }
};

// Pseudo-random whole numbers from `low` to `high`.
Picture random_picture(Extent size, uint32_t channels, double low, double high, uint32_t seed = 1);

template <typename T>
void save_raw(const std::filesystem::path& path, const Picture& picture) {
  std::vector<T> samples(picture.samples.begin(), picture.samples.end());
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(samples.data()), static_cast<std::streamsize>(samples.size() * sizeof(T)));
}

// The definition of a level: what exists of each block of 2^n texels, joined; with `most` not 0 in linear light of sRGB
// values up to `most`. `alpha`: the last channel is the weight of the others.
struct Oracle {
  Reduction reduction = Reduction::kMean;
  double most = 0;
  bool alpha = false;

  [[nodiscard]] double light(double value) const { return most > 0 ? files_test::srgb_decode(value / most) : value; }
  [[nodiscard]] double stored(double value) const { return most > 0 ? files_test::srgb_encode(value) * most : value; }

  [[nodiscard]] Picture level(const Picture& base, uint32_t n) const {
    const uint32_t step = 1U << n;
    const Extent size{(base.size.width + step - 1) / step, (base.size.height + step - 1) / step};
    Picture out{size, base.channels, {}};
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        for (uint32_t c = 0; c < base.channels; ++c) out.samples.push_back(texel(base, x * step, y * step, step, c));
      }
    }
    return out;
  }

  [[nodiscard]] double texel(const Picture& base, uint32_t x0, uint32_t y0, uint32_t step, uint32_t c) const {
    const bool is_alpha = alpha && c + 1 == base.channels;
    double sum = 0;
    double weights = 0;
    double least = INFINITY;
    double greatest = -INFINITY;
    for (uint32_t y = y0; y < std::min(y0 + step, base.size.height); ++y) {
      for (uint32_t x = x0; x < std::min(x0 + step, base.size.width); ++x) {
        const double value = base.at(x, y, c);
        const double weight = alpha && !is_alpha ? base.at(x, y, base.channels - 1) : 1;
        sum += weight * (is_alpha ? value : light(value));
        weights += weight;
        least = std::min(least, value);
        greatest = std::max(greatest, value);
      }
    }
    if (reduction == Reduction::kMin) return least;
    if (reduction == Reduction::kMax) return greatest;
    return is_alpha ? sum / weights : stored(sum / weights);
  }
};

// A stored number; `format`: TIFF's SampleFormat.
double number(const std::byte* at, uint16_t bits, uint16_t format);

// All pages of a TIFF file with tiles.
std::vector<Picture> tiff_pages(const std::filesystem::path& path);

// `slack`: the largest difference, 0.501 for values that are rounded to whole numbers.
void expect_level(const Picture& got, const Picture& base, uint32_t n, const Oracle& oracle, double slack);

// All files below a directory.
std::map<std::string, Bytes> tree(const std::filesystem::path& root);

class Tiles : public ::testing::Test {
 protected:
  TempDirectory directory_;

  [[nodiscard]] TileOptions options(const std::string& raw, const std::string& output) const {
    TileOptions o;
    o.input.path = directory_ / "in.raw";
    o.input.raw = raw;
    o.output = directory_ / output;
    return o;
  }
  static onepass::tiles::TileReport good(const TileOptions& o) {
    auto report = make_tiles(o);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().text());
    return report.ok() ? *report : onepass::tiles::TileReport();
  }
  static void bad(const TileOptions& o, ErrorCode code, const std::vector<std::string>& words) {
    const auto report = make_tiles(o);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, code) << report.error().text();
    for (const std::string& word : words) {
      EXPECT_NE(report.error().text().find(word), std::string::npos) << report.error().text();
    }
  }
};

}  // namespace tiles_test
