// pyramid_oracle.cpp: decodes each format from its bit layout, reduces every level from the base (the covering mean
// from the next finer level) in double, and encodes with rounding to nearest even.
#include "tests/pyramid/pyramid_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

namespace onepass::testing {
namespace {

// ---- Formats

enum class Kind { kUnorm, kSrgb, kFloat };

/// How one channel of a format is stored.
struct ChannelLayout {
  Kind kind = Kind::kUnorm;
  uint32_t bits = 0;      ///< Number of stored bits.
  uint32_t offset = 0;    ///< In bits, from the start of the texel.
  uint32_t mantissa = 0;  ///< Bits of the mantissa, for kFloat.
};

struct Layout {
  uint32_t bytes = 0;
  std::vector<ChannelLayout> channels;
};

Layout uniform(uint32_t channels, Kind kind, uint32_t bits) {
  Layout layout{channels * bits / 8, {}};
  const uint32_t mantissa = bits == 16 ? 10 : 23;
  for (uint32_t c = 0; c < channels; ++c) layout.channels.push_back({kind, bits, c * bits, mantissa});
  return layout;
}

Layout layout_of(Format format) {
  switch (format) {
    case Format::kR8Unorm:
      return uniform(1, Kind::kUnorm, 8);
    case Format::kR8Srgb:
      return uniform(1, Kind::kSrgb, 8);
    case Format::kRG8Unorm:
      return uniform(2, Kind::kUnorm, 8);
    case Format::kRG8Srgb:
      return uniform(2, Kind::kSrgb, 8);
    case Format::kRGBA8Unorm:
      return uniform(4, Kind::kUnorm, 8);
    case Format::kRGBA8Srgb: {
      Layout layout = uniform(4, Kind::kSrgb, 8);
      layout.channels[3].kind = Kind::kUnorm;
      return layout;
    }
    case Format::kBGRA8Unorm:
      return {4,
              {{Kind::kUnorm, 8, 16, 0}, {Kind::kUnorm, 8, 8, 0}, {Kind::kUnorm, 8, 0, 0}, {Kind::kUnorm, 8, 24, 0}}};
    case Format::kBGRA8Srgb:
      return {4, {{Kind::kSrgb, 8, 16, 0}, {Kind::kSrgb, 8, 8, 0}, {Kind::kSrgb, 8, 0, 0}, {Kind::kUnorm, 8, 24, 0}}};
    case Format::kA2B10G10R10Unorm:
      return {
          4,
          {{Kind::kUnorm, 10, 0, 0}, {Kind::kUnorm, 10, 10, 0}, {Kind::kUnorm, 10, 20, 0}, {Kind::kUnorm, 2, 30, 0}}};
    case Format::kR16Unorm:
    case Format::kD16Unorm:
      return uniform(1, Kind::kUnorm, 16);
    case Format::kRG16Unorm:
      return uniform(2, Kind::kUnorm, 16);
    case Format::kRGBA16Unorm:
      return uniform(4, Kind::kUnorm, 16);
    case Format::kR16Sfloat:
      return uniform(1, Kind::kFloat, 16);
    case Format::kRG16Sfloat:
      return uniform(2, Kind::kFloat, 16);
    case Format::kRGBA16Sfloat:
      return uniform(4, Kind::kFloat, 16);
    case Format::kR32Sfloat:
    case Format::kD32Sfloat:
    case Format::kD32SfloatS8:
      return uniform(1, Kind::kFloat, 32);
    case Format::kRG32Sfloat:
      return uniform(2, Kind::kFloat, 32);
    case Format::kRGBA32Sfloat:
      return uniform(4, Kind::kFloat, 32);
    case Format::kB10G11R11Ufloat:
      return {4, {{Kind::kFloat, 11, 0, 6}, {Kind::kFloat, 11, 11, 6}, {Kind::kFloat, 10, 22, 5}}};
    case Format::kX8D24Unorm:
    case Format::kD24UnormS8:
      return {4, {{Kind::kUnorm, 24, 0, 0}}};
    case Format::kRGB8Unorm:  // tested against pyramids with an alpha
    case Format::kRGB8Srgb:
    case Format::kRGB16Unorm:
    case Format::kRGB16Sfloat:
    case Format::kRGB32Sfloat:
    case Format::kR8Uint:  // labels: the oracle of modes
    case Format::kR16Uint:
    case Format::kR32Uint:
    case Format::kUndefined:
      break;
  }
  return {};
}

uint64_t stored_bits(const std::byte* texel, const ChannelLayout& channel) {
  uint64_t word = 0;
  const uint32_t first = channel.offset / 8;
  const uint32_t bytes = (channel.offset % 8 + channel.bits + 7) / 8;
  std::memcpy(&word, texel + first, bytes);
  return word >> channel.offset % 8 & ((uint64_t{1} << channel.bits) - 1);
}

double float_value(uint64_t bits, const ChannelLayout& channel) {
  if (channel.bits == 32) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  const uint64_t mantissa = bits & ((1U << channel.mantissa) - 1);
  const auto exponent = static_cast<int>(bits >> channel.mantissa & 31U);
  const double sign = channel.bits == 16 && (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const int shift = static_cast<int>(channel.mantissa);
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(mantissa), -14 - shift);
  return sign * std::ldexp(static_cast<double>(mantissa + (uint64_t{1} << shift)), exponent - 15 - shift);
}

double channel_value(uint64_t bits, const ChannelLayout& channel) {
  if (channel.kind == Kind::kFloat) return float_value(bits, channel);
  const double value = static_cast<double>(bits) / static_cast<double>((1U << channel.bits) - 1);
  if (channel.kind == Kind::kUnorm) return value;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double srgb_encoded(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

/// `value` rounded to nearest even with `mantissa` bits and the exponent range of the channel.
double round_float(double value, const ChannelLayout& channel) {
  if (!std::isfinite(value)) return value;
  const bool is_unsigned = channel.bits < 16;
  if (is_unsigned && value < 0) return 0;
  const int least = channel.bits == 32 ? -126 : -14;
  const int most = channel.bits == 32 ? 127 : 15;
  const int exponent = value == 0 ? least : std::max(least, std::ilogb(value));
  const double unit = std::ldexp(1.0, exponent - static_cast<int>(channel.mantissa));
  const double rounded = std::nearbyint(value / unit) * unit;
  const double largest = std::ldexp(2.0 - std::ldexp(1.0, -static_cast<int>(channel.mantissa)), most);
  if (std::fabs(rounded) <= largest) return rounded;
  return std::copysign(channel.bits < 32 ? largest : std::numeric_limits<double>::infinity(), value);
}

/// The ULP of a float of this magnitude.
double float_ulp(double magnitude) {
  if (!(magnitude > 0) || std::isinf(magnitude)) return std::ldexp(1.0, -149);
  return std::ldexp(1.0, std::max(-126, std::ilogb(magnitude)) - 23);
}

// ---- Reductions of one channel

struct PlaneD {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<double> values;
  [[nodiscard]] double& at(uint32_t x, uint32_t y) { return values[size_t{y} * width + x]; }
  [[nodiscard]] double at(uint32_t x, uint32_t y) const { return values[size_t{y} * width + x]; }
};

enum class Fold { kMean, kMin, kMax };

uint32_t size_at(Footprint footprint, uint32_t size, uint32_t level) {
  if (footprint != Footprint::kCeil) return std::max(1U, size >> level);
  const uint64_t block = uint64_t{1} << level;
  return static_cast<uint32_t>((size + block - 1) / block);
}

/// The mean, min or max of values[range] with a stride.
double fold_range(const double* values, size_t stride, TexelRange range, Fold fold) {
  double result = values[range.begin * stride];
  for (uint32_t i = range.begin + 1; i < range.end; ++i) {
    const double value = values[i * stride];
    if (fold == Fold::kMean) result += value;
    if (fold == Fold::kMin) result = std::min(result, value);
    if (fold == Fold::kMax) result = std::max(result, value);
  }
  return fold == Fold::kMean ? result / (range.end - range.begin) : result;
}

/// A level directly from the base: every base texel of a footprint has the same weight.
PlaneD reduce_base(const PlaneD& base, Footprint footprint, uint32_t level, Fold fold) {
  PlaneD rows{size_at(footprint, base.width, level), base.height, {}};
  rows.values.resize(size_t{rows.width} * rows.height);
  for (uint32_t y = 0; y < rows.height; ++y) {
    for (uint32_t x = 0; x < rows.width; ++x) {
      const TexelRange range = oracle_footprint(footprint, base.width, level, x);
      rows.at(x, y) = fold_range(&base.values[size_t{y} * base.width], 1, range, fold);
    }
  }
  PlaneD result{rows.width, size_at(footprint, base.height, level), {}};
  result.values.resize(size_t{result.width} * result.height);
  for (uint32_t y = 0; y < result.height; ++y) {
    const TexelRange range = oracle_footprint(footprint, base.height, level, y);
    for (uint32_t x = 0; x < result.width; ++x) result.at(x, y) = fold_range(&rows.values[x], rows.width, range, fold);
  }
  return result;
}

/// One coarse value of the covering mean along an axis of `size` values.
double polyphase(const double* values, size_t stride, uint32_t size, uint32_t i) {
  if (size == 1) return values[0];
  const double* at = values + size_t{2} * i * stride;
  if (size % 2 == 0) return (at[0] + at[stride]) / 2;
  const double k = size / 2;
  return ((k - i) * at[0] + k * at[stride] + (i + 1) * at[2 * stride]) / size;
}

/// A level of the covering mean from the next finer one.
PlaneD reduce_polyphase(const PlaneD& fine) {
  PlaneD rows{std::max(1U, fine.width / 2), fine.height, {}};
  rows.values.resize(size_t{rows.width} * rows.height);
  for (uint32_t y = 0; y < rows.height; ++y) {
    for (uint32_t x = 0; x < rows.width; ++x) {
      rows.at(x, y) = polyphase(&fine.values[size_t{y} * fine.width], 1, fine.width, x);
    }
  }
  PlaneD result{rows.width, std::max(1U, rows.height / 2), {}};
  result.values.resize(size_t{result.width} * result.height);
  for (uint32_t y = 0; y < result.height; ++y) {
    for (uint32_t x = 0; x < result.width; ++x) {
      result.at(x, y) = polyphase(&rows.values[x], rows.width, fine.height, y);
    }
  }
  return result;
}

/// Every level of one channel; [0] is the base.
std::vector<PlaneD> reduce_all(const PlaneD& base, Footprint footprint, Fold fold, uint32_t levels) {
  std::vector<PlaneD> chain = {base};
  for (uint32_t n = 1; n < levels; ++n) {
    const bool nested_weights = fold == Fold::kMean && footprint == Footprint::kCovering;
    chain.push_back(nested_weights ? reduce_polyphase(chain.back()) : reduce_base(base, footprint, n, fold));
  }
  return chain;
}

// ---- PixelSemantics of channels

constexpr double kLeastWeight = 0x1p-40;

/// Channels of the base in the form that is averaged.
std::vector<PlaneD> prepare(const PyramidOptions& options, const ImageView& source, uint32_t slice) {
  const std::vector<double> rgba = oracle_decode(source, slice);
  const auto channels = static_cast<uint32_t>(layout_of(source.format).channels.size());
  const bool normals = options.normal_map == NormalMap::kRenormalize;
  const bool is_unorm = format_info(source.format).type == ChannelType::kUnorm;
  const double unit = oracle_alpha_unit(source.format);  // of coverage
  std::vector<PlaneD> planes(channels == 1               ? (options.reduction == Reduction::kMinMax ? 2 : 1)
                             : channels == 2 && !normals ? 2
                                                         : 4);
  for (PlaneD& plane : planes) {
    plane = {source.size.width, source.size.height, std::vector<double>(rgba.size() / 4)};
  }
  for (size_t i = 0; i < rgba.size() / 4; ++i) {
    std::array<double, 4> texel = {rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2], rgba[4 * i + 3]};
    if (options.reduction == Reduction::kMinMax && channels == 1) texel[1] = texel[0];
    if (normals) {
      for (uint32_t c = 0; c < 3 && is_unorm; ++c) texel[c] = 2 * texel[c] - 1;
      if (channels == 2) texel[2] = std::sqrt(std::max(0.0, 1 - texel[0] * texel[0] - texel[1] * texel[1]));
    }
    if (options.alpha != Alpha::kIndependent) {
      double weight = std::max(texel[3], 0.0);
      if (options.alpha == Alpha::kCoverage) weight = std::min(weight, 1.0) * unit;
      if (options.alpha == Alpha::kCoverage && unit != 1) weight = std::round(weight);  // removes a double's rounding
      weight += kLeastWeight;
      texel = {texel[0] * weight, texel[1] * weight, texel[2] * weight, weight};
    }
    for (size_t c = 0; c < planes.size(); ++c) planes[c].values[i] = texel[c];
  }
  return planes;
}

Fold fold_of(Reduction reduction, size_t channel) {
  if (reduction == Reduction::kMean) return Fold::kMean;
  if (reduction == Reduction::kMinMax) return channel == 0 ? Fold::kMin : Fold::kMax;
  return reduction == Reduction::kMin ? Fold::kMin : Fold::kMax;
}

/// Undoes prepare() for one texel of a level.
void finish(const PyramidOptions& options, std::array<double, 4>& texel, std::array<double, 4>& magnitude) {
  if (options.alpha != Alpha::kIndependent) {
    for (uint32_t c = 0; c < 3; ++c) {
      texel[c] /= texel[3];
      magnitude[c] /= texel[3];
    }
    texel[3] -= kLeastWeight;
  }
  if (options.normal_map == NormalMap::kRenormalize) {
    const double length = std::sqrt(texel[0] * texel[0] + texel[1] * texel[1] + texel[2] * texel[2]);
    const bool stores_codes = format_info(options.target).type == ChannelType::kUnorm;
    const double largest = std::max({magnitude[0], magnitude[1], magnitude[2]});
    for (uint32_t c = 0; c < 3; ++c) {
      texel[c] = length > 0 ? texel[c] / length : (c == 2 ? 1.0 : 0.0);
      magnitude[c] = length > 0 ? largest / length : 1.0;
      if (stores_codes) texel[c] = 0.5 * texel[c] + 0.5;
    }
  }
}

/// The largest alpha of a target that fails the test, and the least that passes it.
struct Bounds {
  double failing = 0;
  double passing = 1;
};

Bounds bounds_of(Format target, float threshold) {
  std::vector<double> stored;  // all alphas from 0 to 1
  const FormatInfo& info = format_info(target);
  const double unit = oracle_alpha_unit(target);
  if (unit != 1) {
    for (double code = 0; code <= unit; ++code) stored.push_back(code / unit);
  } else if (info.bytes_per_texel == 8) {
    for (int exponent = 0; exponent <= 15; ++exponent) {
      for (int mantissa = 0; mantissa < 1024; ++mantissa) {
        const int significand = exponent == 0 ? mantissa : 1024 + mantissa;
        stored.push_back(std::ldexp(significand, std::max(exponent, 1) - 25));
      }
    }
  } else {
    stored = {std::nextafter(threshold, 0.0F), threshold};
  }
  Bounds bounds;
  for (const double alpha : stored) {
    if (passes_alpha_test(alpha, threshold)) {
      bounds.passing = std::min(bounds.passing, alpha);
    } else {
      bounds.failing = std::max(bounds.failing, alpha);
    }
  }
  return bounds;
}

/// Alpha::kCoverage by the rule in docs/pyramid.md: the alphas to store, 0..1, before they are rounded, of a level with
/// these unrounded alphas, in units of the source.
std::vector<double> coverage_alphas(const PyramidOptions& options, const std::vector<double>& alphas,
                                    uint64_t base_passing, uint64_t base_texels) {
  const double unit = oracle_alpha_unit(options.source);
  const auto texels = static_cast<double>(alphas.size());
  const double wanted = static_cast<double>(base_passing) * texels / static_cast<double>(base_texels);
  std::vector<double> sorted = alphas;
  std::sort(sorted.rbegin(), sorted.rend());
  const double v = sorted[static_cast<size_t>(std::max(1.0, std::ceil(wanted))) - 1];
  const auto count = [&](double least) {
    return std::count_if(alphas.begin(), alphas.end(), [&](double alpha) { return alpha >= least; });
  };
  const double near = 1e-9 * unit;  // alphas that are equal but for the rounding of doubles
  const auto more = count(v - near);
  const auto fewer = count(v + near);
  const bool equals_pass = v > near && static_cast<double>(more) - wanted <= wanted - static_cast<double>(fewer);
  // Unscaled texels pass as the base's do.
  double unscaled_cut = static_cast<double>(options.alpha_threshold) * unit;
  if (unit != 1)
    unscaled_cut = std::min(unscaled_cut, unit * bounds_of(options.source, options.alpha_threshold).passing);
  const bool is_scaled = count(unscaled_cut - near) != (equals_pass ? more : fewer);
  const double scale = is_scaled ? options.alpha_threshold / std::max(v, 0x1p-24) : 1 / unit;
  const double cut = !is_scaled ? unscaled_cut - near : equals_pass ? v - near : v + near;
  const Bounds bounds = bounds_of(options.target, options.alpha_threshold);
  std::vector<double> scaled;
  for (const double alpha : alphas) {
    const double value = std::min(1.0, alpha * scale);
    scaled.push_back(alpha >= cut ? std::max(value, bounds.passing) : std::min(value, bounds.failing));
  }
  return scaled;
}

/// The alphas of a level with Alpha::kCoverage, from the weights of its texels and of the base's.
std::vector<double> scale_alphas(const PyramidOptions& options, std::vector<double> base, std::vector<double> level) {
  const double unit = oracle_alpha_unit(options.source);
  for (double& alpha : base) alpha -= kLeastWeight;
  for (double& alpha : level) alpha = std::max(0.0, alpha - kLeastWeight);
  const auto base_passing = std::count_if(base.begin(), base.end(), [&](double alpha) {
    if (unit != 1) alpha = std::round(alpha);
    return passes_alpha_test(alpha / unit, options.alpha_threshold);
  });
  return coverage_alphas(options, level, static_cast<uint64_t>(base_passing), base.size());
}

OracleLevel make_level(const PyramidOptions& options, const std::vector<std::vector<PlaneD>>& values,
                       const std::vector<std::vector<PlaneD>>& magnitudes, uint32_t n, uint32_t slice) {
  OracleLevel level;
  level.level = n;
  level.slice = slice;
  level.size = {values[0][n].width, values[0][n].height};
  const size_t texels = size_t{level.size.width} * level.size.height;
  level.rgba.resize(4 * texels);
  level.magnitude.resize(4 * texels);
  std::vector<double> scaled_alphas;
  if (options.alpha == Alpha::kCoverage)
    scaled_alphas = scale_alphas(options, values[3][0].values, values[3][n].values);
  for (size_t i = 0; i < texels; ++i) {
    std::array<double, 4> texel = {0, 0, 0, 1};
    std::array<double, 4> magnitude = {0, 0, 0, 1};
    for (size_t c = 0; c < values.size(); ++c) {
      texel[c] = values[c][n].values[i];
      magnitude[c] = magnitudes.empty() ? std::fabs(texel[c]) : magnitudes[c][n].values[i];
    }
    finish(options, texel, magnitude);
    if (!scaled_alphas.empty()) texel[3] = magnitude[3] = scaled_alphas[i];
    std::copy(texel.begin(), texel.end(), &level.rgba[4 * i]);
    std::copy(magnitude.begin(), magnitude.end(), &level.magnitude[4 * i]);
  }
  return level;
}

}  // namespace

TexelRange oracle_footprint(Footprint footprint, uint32_t size, uint32_t level, uint32_t i) {
  const uint32_t count = size_at(footprint, size, level);
  if (footprint == Footprint::kCeil) {
    const uint64_t texels = uint64_t{1} << level;
    return {static_cast<uint32_t>(i * texels), static_cast<uint32_t>(std::min<uint64_t>(size, (i + 1) * texels))};
  }
  if (footprint == Footprint::kTight) {
    const uint64_t ends = uint64_t{i + 1} * size;
    return {static_cast<uint32_t>(uint64_t{i} * size / count), static_cast<uint32_t>((ends + count - 1) / count)};
  }
  uint32_t steps = 0;  // an axis of one texel is not halved further
  while (steps < level && size >> steps > 1) ++steps;
  const uint32_t block = 1U << steps;
  const uint32_t remainder = size % block;
  TexelRange range = {i * block, (i + 1) * block};
  if (footprint == Footprint::kCovering || (footprint == Footprint::kEdge && i + 1 == count)) range.end += remainder;
  return range;
}

double oracle_alpha_unit(Format format) {
  const FormatInfo& info = format_info(format);
  if (info.type == ChannelType::kFloat) return 1;
  if (info.packed) return 3;
  return info.bytes_per_texel == 8 ? 65535 : 255;
}

bool passes_alpha_test(double alpha, float threshold) { return static_cast<float>(alpha) >= threshold; }

std::vector<double> oracle_decode(const ImageView& source, uint32_t slice) {
  const Layout layout = layout_of(source.format);
  std::vector<double> rgba;
  rgba.reserve(size_t{4} * source.size.width * source.size.height);
  for (uint32_t y = 0; y < source.size.height; ++y) {
    for (uint32_t x = 0; x < source.size.width; ++x) {
      std::array<double, 4> texel = {0, 0, 0, 1};
      const std::byte* bytes = source.row(y, slice) + size_t{x} * layout.bytes;
      for (size_t c = 0; c < layout.channels.size(); ++c) {
        texel[c] = channel_value(stored_bits(bytes, layout.channels[c]), layout.channels[c]);
      }
      rgba.insert(rgba.end(), texel.begin(), texel.end());
    }
  }
  return rgba;
}

std::vector<OracleLevel> oracle_pyramid(const PyramidOptions& options, const ImageView& source) {
  uint32_t full = 1;
  while (std::max(source.size.width, source.size.height) >> full > 0) ++full;
  const uint32_t levels = options.levels == 0 ? full : options.levels;
  const bool needs_magnitude =
      options.reduction == Reduction::kMean && format_info(source.format).type == ChannelType::kFloat;
  std::vector<OracleLevel> pyramid;
  for (uint32_t slice = 0; slice < source.slices; ++slice) {
    std::vector<std::vector<PlaneD>> values;
    std::vector<std::vector<PlaneD>> magnitudes;
    for (PlaneD& base : prepare(options, source, slice)) {
      const Fold fold = fold_of(options.reduction, values.size());
      values.push_back(reduce_all(base, options.footprint, fold, levels));
      if (!needs_magnitude && options.normal_map == NormalMap::kOff) continue;
      for (double& value : base.values) value = std::fabs(value);
      magnitudes.push_back(reduce_all(base, options.footprint, fold, levels));
    }
    for (uint32_t n = 1; n < levels; ++n) pyramid.push_back(make_level(options, values, magnitudes, n, slice));
  }
  return pyramid;
}

double oracle_target(Format format, uint32_t channel, double value) {
  const ChannelLayout layout = layout_of(format).channels[channel];
  if (layout.kind == Kind::kFloat) return value;
  const double clamped = value > 0 ? std::min(value, 1.0) : 0.0;
  return (layout.kind == Kind::kSrgb ? srgb_encoded(clamped) : clamped) * ((1U << layout.bits) - 1);
}

Tolerance cpu_tolerance(const PyramidOptions& options) {
  if (options.reduction == Reduction::kMean) return {};
  // The conversion of an exact value to another format rounds.
  return options.source == options.target ? Tolerance::exact() : Tolerance{1e-3, 0.5};
}

// ---- Comparison

namespace {

/// Whether the stored `bits` equal `value` within the tolerance.
bool is_close(const ChannelLayout& layout, uint64_t bits, double exact_code, double value, double magnitude,
              const Tolerance& tolerance) {
  if (layout.kind != Kind::kFloat) {
    const double slack = tolerance.code_ulps * float_ulp(magnitude) * ((1U << layout.bits) - 1);
    if (std::isnan(value)) return bits == 0;
    return std::fabs(static_cast<double>(bits) - exact_code) <= 0.5 + tolerance.codes + slack + 1e-9;
  }
  const double actual = float_value(bits, layout);
  if (std::isnan(value)) return std::isnan(actual);
  const double slack = tolerance.ulps * float_ulp(std::max(magnitude, std::fabs(value)));
  return actual >= round_float(value - slack, layout) && actual <= round_float(value + slack, layout);
}

void write_pfm(const std::string& path, Extent size, const std::vector<float>& rgb) {
  std::ofstream file(path, std::ios::binary);
  file << "PF\n" << size.width << ' ' << size.height << "\n-1.0\n";
  for (uint32_t y = size.height; y-- > 0;) {
    file.write(reinterpret_cast<const char*>(&rgb[size_t{3} * y * size.width]),
               static_cast<std::streamsize>(sizeof(float) * 3 * size.width));
  }
}

void write_images(const std::string& stem, const OracleLevel& expected, const std::vector<double>& actual) {
  std::array<std::vector<float>, 3> images;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (i % 4 == 3) continue;
    images[0].push_back(static_cast<float>(actual[i]));
    images[1].push_back(static_cast<float>(expected.rgba[i]));
    images[2].push_back(static_cast<float>(std::fabs(actual[i] - expected.rgba[i])));
  }
  const std::array<const char*, 3> names = {"actual", "expected", "difference"};
  for (size_t i = 0; i < 3; ++i) write_pfm(stem + '_' + names[i] + ".pfm", expected.size, images[i]);
}

}  // namespace

::testing::AssertionResult matches(const OracleLevel& expected, const ImageView& actual, const Tolerance& tolerance,
                                   const std::string& name) {
  if (actual.size != expected.size) return ::testing::AssertionFailure() << name << ": another size than expected";
  const Layout layout = layout_of(actual.format);
  std::ostringstream report;
  report.precision(9);
  size_t wrong = 0;
  for (uint32_t y = 0; y < expected.size.height; ++y) {
    for (uint32_t x = 0; x < expected.size.width; ++x) {
      for (uint32_t c = 0; c < layout.channels.size(); ++c) {
        const size_t i = (size_t{y} * expected.size.width + x) * 4 + c;
        const uint64_t bits = stored_bits(actual.row(y, expected.slice) + size_t{x} * layout.bytes, layout.channels[c]);
        const double code = oracle_target(actual.format, c, expected.rgba[i]);
        if (is_close(layout.channels[c], bits, code, expected.rgba[i], expected.magnitude[i], tolerance)) continue;
        if (++wrong > 6) continue;
        const bool is_float = layout.channels[c].kind == Kind::kFloat;
        report << "\n  level " << expected.level << " slice " << expected.slice << " (" << x << ", " << y
               << ") channel " << c << ": "
               << (is_float ? float_value(bits, layout.channels[c]) : static_cast<double>(bits)) << ", expected "
               << code;
      }
    }
  }
  if (wrong == 0) return ::testing::AssertionSuccess();
  std::string file = name;
  for (char& letter : file) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  const std::string stem = ::testing::TempDir() + "onepass_" + file + "_level" + std::to_string(expected.level);
  write_images(stem, expected, oracle_decode(actual, expected.slice));
  return ::testing::AssertionFailure() << name << ": " << wrong << " wrong of " << expected.rgba.size() / 4
                                       << " texels of " << format_info(actual.format).name << report.str()
                                       << "\n  images: " << stem << "_{actual,expected,difference}.pfm";
}

::testing::AssertionResult matches(std::span<const OracleLevel> expected, std::span<const MutableImageView> levels,
                                   const Tolerance& tolerance, const std::string& name) {
  for (const OracleLevel& level : expected) {
    if (auto result = matches(level, levels[level.level - 1], tolerance, name); !result) return result;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace onepass::testing
