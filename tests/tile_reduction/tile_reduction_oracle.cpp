// tile_reduction_oracle.cpp: reduces each tile from its texels in double, then converts to the target as the oracle of
// pyramids does.
#include "tests/tile_reduction/tile_reduction_oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "onepass/words.hpp"

namespace onepass::testing {
namespace {

struct Texel {
  std::array<double, 4> value{};
  std::array<double, 4> magnitude{};
};

/// One coarse texel: the texels (x, y) of `rgba` with x / factor == i and y / factor == j.
Texel reduce_tile(const TileReductionOptions& options, const std::vector<double>& rgba, uint32_t i, uint32_t j) {
  const auto [width, height] = options.size;
  const bool pair = options.reduction == Reduction::kMinMax && format_info(options.source).channels == 1;
  Texel out;
  for (uint32_t c = 0; c < 4; ++c) {
    double sum = 0;
    double absolute = 0;
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    uint32_t count = 0;
    for (uint32_t y = j * options.factor; y < height && y / options.factor == j; ++y) {
      for (uint32_t x = i * options.factor; x < width && x / options.factor == i; ++x) {
        const double value = rgba[(size_t{y} * width + x) * 4 + (pair ? 0 : c)];
        sum += value;
        absolute += std::fabs(value);
        least = std::min(least, value);
        most = std::max(most, value);
        ++count;
      }
    }
    const bool wants_least =
        options.reduction == Reduction::kMin || (options.reduction == Reduction::kMinMax && c == 0);
    const bool mean = options.reduction == Reduction::kMean;
    out.value[c] = mean ? sum / count : wants_least ? least : most;
    out.magnitude[c] = mean ? absolute / count : std::fabs(out.value[c]);
  }
  return out;
}

}  // namespace

Extent oracle_tiles_size(const TileReductionOptions& options) {
  const auto side = [&](uint32_t texels) { return static_cast<uint32_t>(std::ceil(1.0 * texels / options.factor)); };
  return {side(options.size.width), side(options.size.height)};
}

std::vector<OracleLevel> oracle_tiles(const TileReductionOptions& options, const ImageView& source) {
  std::vector<OracleLevel> out;
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    const std::vector<double> rgba = oracle_decode(source, slice);
    OracleLevel& level = out.emplace_back();
    level.level = 1;
    level.slice = slice;
    level.size = oracle_tiles_size(options);
    for (uint32_t j = 0; j < level.size.height; ++j) {
      for (uint32_t i = 0; i < level.size.width; ++i) {
        const Texel texel = reduce_tile(options, rgba, i, j);
        level.rgba.insert(level.rgba.end(), texel.value.begin(), texel.value.end());
        level.magnitude.insert(level.magnitude.end(), texel.magnitude.begin(), texel.magnitude.end());
      }
    }
  }
  return out;
}

PyramidOptions as_pyramid(const TileReductionOptions& options) {
  return {.size = options.size,
          .slices = options.slices,
          .source = options.source,
          .target = options.target,
          .reduction = options.reduction};
}

std::string describe(const TileReductionOptions& options) {
  return std::to_string(options.size.width) + "x" + std::to_string(options.size.height) + " slices " +
         std::to_string(options.slices) + " " + std::string(format_info(options.source).name) + " > " +
         std::string(format_info(options.target).name) + " " + std::string(word_of(options.reduction)) + " factor " +
         std::to_string(options.factor);
}

::testing::AssertionResult tiles_match(const TileReductionOptions& options, const ImageView& source,
                                       const ImageView& actual, const Tolerance& tolerance, const std::string& name) {
  for (const OracleLevel& expected : oracle_tiles(options, source)) {
    if (auto same = matches(expected, actual, tolerance, name); !same) return same;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace onepass::testing
