// local_exposure_oracle.cpp: the weight of one texel for another is the product of a luminance weight and a place
// weight per axis, each the closed form of distribution to a grid, blur and interpolation.
#include "tests/local_exposure/local_exposure_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace onepass::testing {
namespace {

double hat(double x) { return std::max(0.0, 1 - std::fabs(x)); }

/// (1, 2, 1) / 4 at whole numbers.
double blur(double steps) { return steps == 0 ? 0.5 : std::fabs(steps) == 1 ? 0.25 : 0.0; }

/// Weight of luminance `b` for a texel of luminance `a`, both log2: distributed to nodes at whole stops + 0.5, blurred
/// and interpolated.
double luminance_weight(double a, double b) {
  double sum = 0;
  for (double i = std::floor(a - 0.5) + 0.5; i < a + 1; ++i) {
    for (double j = std::floor(b - 0.5) + 0.5; j < b + 1; ++j) sum += hat(a - i) * hat(b - j) * blur(i - j);
  }
  return sum;
}

/// Weight of region `region` for a texel on one axis: regions are blurred, then interpolated between their centres and
/// clamped at the outer centres.
double place_weight(uint32_t texel, uint32_t region, uint32_t side, uint32_t regions) {
  const double at = std::clamp((texel + 0.5) / side - 0.5, 0.0, regions - 1.0);
  double sum = 0;
  for (uint32_t i = 0; i < regions; ++i) sum += hat(at - i) * blur(double{1} * i - region);
  return sum;
}

uint32_t count_of(uint32_t texels, uint32_t side) { return (texels + side - 1) / side; }

}  // namespace

LocalOracle::LocalOracle(const ToneMapOptions& options, const ImageView& source, uint32_t slice) : options_(options) {
  const auto [width, height] = options.size;
  // A share of the shorter side, rounded to a multiple of 16 from 16 to 256 texels.
  const double tiles = std::round(double{options.local.region} * std::min(width, height) / 16);
  side_ = 16 * static_cast<uint32_t>(std::clamp(tiles, 1.0, 16.0));
  rgba_.resize(size_t{4} * width * height);
  const uint32_t channels = format_info(options.source).channels;
  for (uint32_t y = 0; y < height; ++y) {
    float* row = rgba_.data() + size_t{4} * width * y;
    decode_row(options.source, source.row(y, slice), width, row);
    for (uint32_t x = 0; x < width && channels < 3; ++x) row[4 * x + 1] = row[4 * x + 2] = row[4 * x];
  }
}

const float* LocalOracle::texel(uint32_t x, uint32_t y) const {
  return rgba_.data() + 4 * (size_t{y} * options_.size.width + x);
}

bool LocalOracle::is_colour(uint32_t x, uint32_t y) const {
  const float* c = texel(x, y);
  return std::isfinite(c[0]) && std::isfinite(c[1]) && std::isfinite(c[2]);
}

double LocalOracle::log2_luminance(uint32_t x, uint32_t y) const {
  const float* c = texel(x, y);
  const double luminance = 0.2126 * double{c[0]} + 0.7152 * double{c[1]} + 0.0722 * double{c[2]};
  const double light = std::max(luminance, 0.0722 * double{std::max({c[0], c[1], c[2]})});
  return std::log2(std::clamp(light, 0x1p-20, 0x1p20));
}

double LocalOracle::base(uint32_t x, uint32_t y) const {
  const auto [width, height] = options_.size;
  const uint32_t columns = count_of(width, side_), rows = count_of(height, side_);
  const double own = log2_luminance(x, y);
  double sum = 0, weights = 0;
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      const double place = place_weight(x, column, side_, columns) * place_weight(y, row, side_, rows);
      if (place == 0) continue;
      for (uint32_t v = row * side_; v < std::min(height, (row + 1) * side_); ++v) {
        for (uint32_t u = column * side_; u < std::min(width, (column + 1) * side_); ++u) {
          if (!is_colour(u, v)) continue;
          const double other = log2_luminance(u, v);
          const double weight = place * luminance_weight(own, other);
          weights += weight;
          sum += weight * other;
        }
      }
    }
  }
  return sum / weights;
}

double LocalOracle::factor(uint32_t x, uint32_t y, double exposure) const {
  if (!is_colour(x, y)) return 1;
  const LocalExposure& local = options_.local;
  const double b = base(x, y);
  const double from_grey = std::clamp(b + std::log2(exposure / double{local.grey}), -10.0, 10.0);
  const double contrast = from_grey > 0 ? double{local.highlights} : double{local.shadows};
  return std::exp2((contrast - 1) * from_grey + (double{local.detail} - 1) * (log2_luminance(x, y) - b));
}

void fill_local_scene(const MutableImageView& image, Random& random, bool odd) {
  const FormatInfo& info = format_info(image.format);
  const bool floats = info.type == ChannelType::kFloat;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (uint32_t slice = 0; slice < image.slices; ++slice) {
    const float slope = random.between(-0.02F, 0.02F);
    const uint32_t patch = 8 + random.below(60);
    std::vector<float> levels(4096);
    for (float& level : levels) level = random.between(-9, floats ? 7 : 0);
    for (uint32_t y = 0; y < image.size.height; ++y) {
      for (uint32_t x = 0; x < image.size.width; ++x) {
        const uint32_t index = (x / patch * 67 + y / patch * 31) % 4096;
        const float stops = levels[index] + slope * static_cast<float>(x) + random.between(-0.3F, 0.3F);
        std::array<float, 4> texel{};
        for (float& v : texel) v = std::exp2(stops) * random.between(0.4F, 1.0F);
        texel[3] = random.between(0, 1);
        if (random.below(40) == 0) texel = {0, 0, 0, 1};
        if (odd && floats && random.below(20) == 0) {
          const float values[] = {kNan, kInf, -kInf, -1.0F, -0.001F, 3e38F, 1e-30F, 60000.0F};
          texel[random.below(3)] = values[random.below(8)];
        }
        encode_row(image.format, texel.data(), 1, image.row(y, slice) + size_t{x} * info.bytes_per_texel);
      }
    }
  }
}

ToneMapOptions local_options(Extent size, Format source, Random& random) {
  ToneMapOptions options{.size = size,
                         .source = source,
                         .target = Format::kRGBA32Sfloat,
                         .tone_operator = ToneOperator::kExposure,
                         .transfer = Transfer::kLinear};
  options.local = {.highlights = random.between(0, 1.5F),
                   .shadows = random.between(0, 1.5F),
                   .detail = random.between(0.5F, 2),
                   .grey = std::exp2(random.between(-4, 1)),
                   .region = std::exp2(random.between(-6, -1))};
  return options;
}

std::string describe_local(const ToneMapOptions& options) {
  const LocalExposure& local = options.local;
  return std::to_string(options.size.width) + "x" + std::to_string(options.size.height) + " " +
         std::string(format_info(options.source).name) + " highlights " + std::to_string(local.highlights) +
         " shadows " + std::to_string(local.shadows) + " detail " + std::to_string(local.detail) + " grey " +
         std::to_string(local.grey) + " region " + std::to_string(local.region);
}

::testing::AssertionResult local_matches(const ToneMapOptions& options, const ImageView& source,
                                         const ImageView& actual, const std::vector<double>& exposures,
                                         double tolerance, Random& random, uint32_t samples) {
  const auto [width, height] = options.size;
  const uint32_t texels = width * height;
  const uint32_t count = samples == 0 ? texels : std::min(samples, texels);
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    const LocalOracle oracle(options, source, slice);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t at = count == texels ? i : random.below(texels);
      const uint32_t x = at % width, y = at / width;
      const double factor = oracle.factor(x, y, exposures[slice]);
      const float* out = reinterpret_cast<const float*>(actual.row(y, slice)) + size_t{4} * x;
      for (int channel = 0; channel < 3; ++channel) {
        const double light = double{oracle.texel(x, y)[channel]} * factor * exposures[slice];
        const double expected = light > 0 ? std::min(light, 65504.0) : 0.0;
        if (std::fabs(double{out[channel]} - expected) <= tolerance * expected + 1e-30) continue;
        return ::testing::AssertionFailure()
               << describe_local(options) << ": texel " << x << ", " << y << " slice " << slice << " channel "
               << channel << " is " << out[channel] << ", expected " << expected << " (off by "
               << double{out[channel]} / expected - 1 << "), base " << oracle.base(x, y);
      }
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace onepass::testing
