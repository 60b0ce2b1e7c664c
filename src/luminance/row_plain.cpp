// row_plain.cpp: meter_row_plain(), the scalar reference of row_meter.cpp: sums, extremes and histogram of a row, one
// pixel at a time. It defines the results of all SIMD targets, and runs on targets without vectors.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "image/log2.hpp"
#include "luminance/bins.hpp"
#include "luminance/row_meter.hpp"

namespace onepass::luminance {
namespace {

constexpr float kLeast = 0x1p-126F;  // the least normal float
constexpr float kLargest = std::numeric_limits<float>::max();

/// The float sums of a block, for each lane.
struct BlockSums {
  std::array<float, kLanes> red{}, green{}, blue{}, luminance{}, fraction{}, product;
  BlockSums() { product.fill(1.0F); }
};

float mantissa_of(uint32_t bits) { return std::bit_cast<float>((bits & 0x7FFFFFU) | 0x3F800000U); }

struct Pixel {
  float red, green, blue;
};

bool is_counted_out(const Pixel& pixel, LaneSums& sums) {
  const bool nan = std::isnan(pixel.red) || std::isnan(pixel.green) || std::isnan(pixel.blue);
  const bool infinite = std::isinf(pixel.red) || std::isinf(pixel.green) || std::isinf(pixel.blue);
  if (nan) {
    ++sums.nan;
  } else if (infinite) {
    ++sums.infinite;
  }
  return nan || infinite;
}

/// The bin of a luminance above 0.
size_t bin_of(const MeterRowSpec& spec, float luminance) {
  if (spec.automatic()) return automatic_bin(luminance);
  const float place = (log2_of(std::max(luminance, kLeast)) - spec.params.bin_low) * spec.params.bin_scale;
  return static_cast<size_t>(std::min(std::max(place, 0.0F), static_cast<float>(spec.bins - 1)));
}

void add_pixel(const MeterRowSpec& spec, const Pixel& pixel, uint32_t weight, size_t lane, BlockSums& block,
               LaneSums& sums, uint32_t* histogram) {
  if (is_counted_out(pixel, sums)) return;
  const LuminanceParams& params = spec.params;
  const float raw = pixel.red * params.red + pixel.green * params.green + pixel.blue * params.blue;
  const float y = std::min(std::max(raw, 0.0F), kLargest);
  const auto w = static_cast<float>(weight);
  const float scale = w * kSumScale;
  ++sums.finite;
  sums.weight += weight;
  sums.negative += raw < 0.0F ? 1 : 0;
  sums.zero += raw == 0.0F ? 1 : 0;
  sums.zero_weight += y == 0.0F ? weight : 0;
  sums.min[lane] = std::min(sums.min[lane], y);
  sums.max[lane] = std::max(sums.max[lane], y);
  block.red[lane] += pixel.red * scale;
  block.green[lane] += pixel.green * scale;
  block.blue[lane] += pixel.blue * scale;
  block.luminance[lane] += y * scale;
  const float argument = std::max(y + params.delta, kLeast);
  if (spec.weighted) {
    const Log2Parts parts = log2_parts(argument);
    sums.log2_whole += int64_t{parts.whole} * weight;
    block.fraction[lane] += parts.fraction * w;
  } else {
    const uint32_t bits = std::bit_cast<uint32_t>(argument);
    sums.log2_whole += static_cast<int64_t>(bits >> 23) - 127;
    block.product[lane] *= mantissa_of(bits);
  }
  if (y > 0.0F) histogram[lane % kCopies * kCopyWords + bin_of(spec, y)] += weight;
}

}  // namespace

LaneSums::LaneSums() {
  min.fill(std::numeric_limits<float>::infinity());
  max.fill(0.0F);
}

void meter_row_plain(const MeterRowSpec& spec, const void* texels, size_t count, const uint8_t* weights, LaneSums& sums,
                     uint32_t* histogram) {
  const auto* channels = static_cast<const float*>(texels);
  const size_t stride = spec.colour ? 4 : 1;
  std::array<float, kLanes> products;  // of the row's mantissas; within 1 and 2 after each block
  products.fill(1.0F);
  for (size_t begin = 0; begin < count; begin += kLanes * kBlockGroups) {
    BlockSums block;
    for (size_t i = begin; i < std::min(count, begin + kLanes * kBlockGroups); ++i) {
      const float* texel = channels + i * stride;
      const Pixel pixel = spec.colour ? Pixel{texel[0], texel[1], texel[2]} : Pixel{*texel, *texel, *texel};
      const size_t lane = lane_of_pixel(spec.colour, i % kLanes);
      const uint32_t weight = spec.weighted ? weights[i / kLanes * kLanes + lane] : 1;
      if (weight != 0) add_pixel(spec, pixel, weight, lane, block, sums, histogram);
    }
    for (size_t lane = 0; lane < kLanes; ++lane) {
      sums.red[lane] += static_cast<double>(block.red[lane]);
      sums.green[lane] += static_cast<double>(block.green[lane]);
      sums.blue[lane] += static_cast<double>(block.blue[lane]);
      sums.luminance[lane] += static_cast<double>(block.luminance[lane]);
      sums.log2_fraction[lane] += static_cast<double>(block.fraction[lane]);
      const uint32_t bits = std::bit_cast<uint32_t>(products[lane] * block.product[lane]);
      sums.log2_whole += static_cast<int64_t>(bits >> 23) - 127;
      products[lane] = mantissa_of(bits);
    }
  }
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const Log2Parts product = log2_parts(products[lane]);
    sums.log2_whole += product.whole;
    sums.log2_fraction[lane] += static_cast<double>(product.fraction);
  }
}

}  // namespace onepass::luminance
