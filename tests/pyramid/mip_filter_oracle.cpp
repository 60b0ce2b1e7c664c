// mip_filter_oracle.cpp: weights by the functions of <cmath>, sums tap by tap, y before x.
#include "tests/pyramid/mip_filter_oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace onepass::testing {
namespace {

constexpr double kPi = std::numbers::pi;

double sinc(double x) { return x == 0 ? 1 : std::sin(kPi * x) / (kPi * x); }

/// The modified Bessel function I0 by its integral: the mean of exp(x cos t) over a period. The trapezoidal rule
/// converges faster than any power of the number of steps.
double bessel_i0(double x) {
  constexpr int kSteps = 256;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += std::exp(x * std::cos(2 * kPi * i / kSteps));
  return sum / kSteps;
}

/// Mitchell and Netravali 1988, equation 8, term by term.
double cubic(double b, double c, double x) {
  const double x2 = x * x;
  const double x3 = x2 * x;
  if (x < 1) return ((12 - 9 * b - 6 * c) * x3 + (-18 + 12 * b + 6 * c) * x2 + (6 - 2 * b)) / 6;
  return ((-b - 6 * c) * x3 + (6 * b + 30 * c) * x2 + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6;
}

using Texel = std::array<double, 4>;

/// Working texels, and the magnitudes that rounding errors are relative to.
struct Plane {
  int64_t width = 0;
  int64_t height = 0;
  std::vector<Texel> values;
  std::vector<Texel> magnitudes;
  [[nodiscard]] size_t at(int64_t x, int64_t y) const { return static_cast<size_t>(y * width + x); }
};

bool is_weighted(const PyramidOptions& options) { return options.alpha == Alpha::kWeighted; }

/// The texel made from the texels `input(tap)` of a plane.
template <class Input>
void reduce(const PyramidOptions& options, const Plane& plane, const std::vector<OracleTap>& taps, const Input& input,
            Texel& value, Texel& magnitude) {
  Texel low;
  Texel high;
  low.fill(HUGE_VAL);
  high.fill(-HUGE_VAL);
  value = magnitude = {};
  for (const OracleTap& tap : taps) {
    const size_t at = input(tap.texel);
    const Texel& texel = plane.values[at];
    for (size_t c = 0; c < 4; ++c) {
      const double factor = is_weighted(options) && c < 3 ? texel[3] : 1;
      value[c] += tap.weight * factor * texel[c];
      magnitude[c] += std::fabs(tap.weight * factor) * plane.magnitudes[at][c];
      if (!tap.is_near) continue;
      low[c] = std::min(low[c], texel[c]);
      high[c] = std::max(high[c], texel[c]);
    }
  }
  if (is_weighted(options)) {
    const double weight = std::max(value[3], low[3]);
    for (size_t c = 0; c < 3; ++c) {
      value[c] /= weight;
      magnitude[c] /= weight;
    }
  }
  if (!is_weighted(options) && options.filter.ringing == Ringing::kKeep) return;
  for (size_t c = 0; c < 4; ++c) value[c] = std::min(std::max(value[c], low[c]), high[c]);
}

Plane reduce_plane(const PyramidOptions& options, const Plane& input, Extent size) {
  const MipFilterOptions& filter = options.filter;
  Plane rows{input.width, size.height, {}, {}};
  rows.values.resize(static_cast<size_t>(rows.width * rows.height));
  rows.magnitudes.resize(rows.values.size());
  for (int64_t y = 0; y < rows.height; ++y) {
    const auto taps = oracle_taps(filter, input.height, rows.height, y);
    for (int64_t x = 0; x < rows.width; ++x) {
      const auto at = [&](int64_t j) { return input.at(x, oracle_mapped(filter.boundary, j, input.height)); };
      reduce(options, input, taps, at, rows.values[rows.at(x, y)], rows.magnitudes[rows.at(x, y)]);
    }
  }
  Plane level{size.width, size.height, {}, {}};
  level.values.resize(static_cast<size_t>(level.width * level.height));
  level.magnitudes.resize(level.values.size());
  for (int64_t x = 0; x < level.width; ++x) {
    const auto taps = oracle_taps(filter, rows.width, level.width, x);
    for (int64_t y = 0; y < level.height; ++y) {
      const auto at = [&](int64_t j) { return rows.at(oracle_mapped(filter.boundary, j, rows.width), y); };
      reduce(options, rows, taps, at, level.values[level.at(x, y)], level.magnitudes[level.at(x, y)]);
    }
  }
  return level;
}

constexpr double kLeastWeight = 0x1p-40;

Plane decode(const PyramidOptions& options, const ImageView& source, uint32_t slice) {
  const std::vector<double> rgba = oracle_decode(source, slice);
  const bool is_unorm = format_info(source.format).type == ChannelType::kUnorm;
  const bool normals = options.normal_map == NormalMap::kRenormalize;
  Plane plane{source.size.width, source.size.height, {}, {}};
  for (size_t i = 0; i < rgba.size(); i += 4) {
    Texel texel = {rgba[i], rgba[i + 1], rgba[i + 2], rgba[i + 3]};
    for (size_t c = 0; c < 3 && normals && is_unorm; ++c) texel[c] = 2 * texel[c] - 1;
    if (normals && format_info(source.format).channels == 2) {
      texel[2] = std::sqrt(std::max(0.0, 1 - texel[0] * texel[0] - texel[1] * texel[1]));
    }
    if (is_weighted(options)) texel[3] = std::max(texel[3], 0.0) + kLeastWeight;
    plane.values.push_back(texel);
    for (double& value : texel) value = std::fabs(value);
    plane.magnitudes.push_back(texel);
  }
  return plane;
}

OracleLevel finish(const PyramidOptions& options, const Plane& plane, uint32_t level, uint32_t slice) {
  OracleLevel out;
  out.level = level;
  out.slice = slice;
  out.size = {static_cast<uint32_t>(plane.width), static_cast<uint32_t>(plane.height)};
  for (size_t i = 0; i < plane.values.size(); ++i) {
    Texel texel = plane.values[i];
    Texel magnitude = plane.magnitudes[i];
    if (is_weighted(options)) texel[3] -= kLeastWeight;
    if (options.normal_map == NormalMap::kRenormalize) {
      const double length = std::sqrt(texel[0] * texel[0] + texel[1] * texel[1] + texel[2] * texel[2]);
      const double largest = std::max({magnitude[0], magnitude[1], magnitude[2]});
      for (size_t c = 0; c < 3; ++c) {
        texel[c] /= length;
        magnitude[c] = largest / length;
        if (format_info(options.target).type == ChannelType::kUnorm) texel[c] = 0.5 * texel[c] + 0.5;
      }
    }
    out.rgba.insert(out.rgba.end(), texel.begin(), texel.end());
    out.magnitude.insert(out.magnitude.end(), magnitude.begin(), magnitude.end());
  }
  return out;
}

}  // namespace

double oracle_filter_half_width(const MipFilterOptions& filter) {
  if (filter.kind == MipFilter::kTriangle) return 1;
  if (filter.kind == MipFilter::kLanczos) return 3;
  return filter.kind == MipFilter::kKaiser ? static_cast<double>(filter.kaiser_width) : 2;
}

double oracle_filter_height(const MipFilterOptions& filter, double x) {
  const double distance = std::fabs(x);
  const double width = oracle_filter_half_width(filter);
  if (distance >= width) return 0;
  if (filter.kind == MipFilter::kTriangle) return 1 - distance;
  if (filter.kind == MipFilter::kCatmullRom) return cubic(0, 0.5, distance);
  if (filter.kind == MipFilter::kMitchell) return cubic(1.0 / 3, 1.0 / 3, distance);
  if (filter.kind == MipFilter::kLanczos) return sinc(distance) * sinc(distance / 3);
  const double alpha = static_cast<double>(filter.kaiser_alpha);
  const double window = bessel_i0(alpha * std::sqrt(1 - distance * distance / (width * width)));
  return sinc(distance) * window / bessel_i0(alpha);
}

std::vector<OracleTap> oracle_taps(const MipFilterOptions& filter, int64_t input, int64_t level, int64_t i) {
  if (input == level) return {{i, 1, true}};
  const double ratio = static_cast<double>(input) / static_cast<double>(level);
  const double middle = (static_cast<double>(i) + 0.5) * ratio;
  const double reach = oracle_filter_half_width(filter) * ratio;
  std::vector<OracleTap> taps;
  double sum = 0;
  for (auto j = static_cast<int64_t>(std::floor(middle - reach)) - 1; static_cast<double>(j) < middle + reach + 1;
       ++j) {
    const double x = (static_cast<double>(j) + 0.5 - middle) / ratio;
    // Positions within rounding of the half width have no weight; no other texel lies so near.
    if (std::fabs(x) > oracle_filter_half_width(filter) - 1e-9) continue;
    taps.push_back({j, oracle_filter_height(filter, x), std::fabs(x) < 1 - 1e-9});
    sum += taps.back().weight;
  }
  for (OracleTap& tap : taps) tap.weight /= sum;
  return taps;
}

int64_t oracle_mapped(Boundary boundary, int64_t j, int64_t size) {
  int64_t texel = 0;
  int64_t step = 1;
  for (int64_t at = 0; at != j; at += j > 0 ? 1 : -1) {  // one texel further to the right or to the left
    const int64_t next = texel + (j > 0 ? step : -step);
    if (next >= 0 && next < size) {
      texel = next;
    } else if (boundary == Boundary::kWrap) {
      texel = next < 0 ? size - 1 : 0;
    } else if (boundary == Boundary::kMirror) {
      step = -step;  // the texel at the edge is repeated
    } else {
      return next < 0 ? 0 : size - 1;
    }
  }
  return texel;
}

std::vector<OracleLevel> oracle_filtered_pyramid(const PyramidOptions& options, const ImageView& source) {
  std::vector<OracleLevel> levels;
  for (uint32_t slice = 0; slice < source.slices; ++slice) {
    const Plane base = decode(options, source, slice);
    Plane finer = base;
    for (uint32_t n = 1; std::max(source.size.width, source.size.height) >> n > 0; ++n) {
      if (options.levels != 0 && n >= options.levels) break;
      const Extent size = {std::max(1U, source.size.width >> n), std::max(1U, source.size.height >> n)};
      finer = reduce_plane(options, options.filter.input == MipFilterInput::kBase ? base : finer, size);
      levels.push_back(finish(options, finer, n, slice));
    }
  }
  return levels;
}

}  // namespace onepass::testing
