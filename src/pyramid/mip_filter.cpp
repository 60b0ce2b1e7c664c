// mip_filter.cpp: the functions h(x) and their tables.
//
// D. Mitchell and A. Netravali, "Reconstruction Filters in Computer Graphics", SIGGRAPH 1988 (cubics by B and C)
// E. Catmull and R. Rom, "A Class of Local Interpolating Splines", 1974
// C. Lanczos, "Applied Analysis", 1956 (sigma factors); K. Turkowski, "Filters for Common Resampling Tasks", 1990
// J. Kaiser and R. Schafer, "On the Use of the I0-sinh Window for Spectrum Analysis", 1980
#include "pyramid/mip_filter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace onepass::pyramid {
namespace {

/// sin(pi x) / (pi x), by the series of the sine on [-1/2, 1/2].
double sinc(double x) {
  if (x == 0) return 1;
  const double whole = std::nearbyint(x);
  const double y = std::numbers::pi * (x - whole);
  double term = y;
  double sine = y;
  for (int k = 2; k <= 22; k += 2) {
    term *= -y * y / (k * (k + 1));
    sine += term;
  }
  const bool is_odd = std::fmod(whole, 2.0) != 0;
  return (is_odd ? -sine : sine) / (std::numbers::pi * x);
}

/// The modified Bessel function of the first kind and order 0, by its power series: all terms are positive.
double bessel_i0(double x) {
  double term = 1;
  double sum = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= (x / 2) * (x / 2) / (static_cast<double>(k) * k);
    sum += term;
  }
  return sum;
}

/// The piecewise cubic of Mitchell and Netravali.
double cubic(double b, double c, double x) {
  if (x < 1) return (((12 - 9 * b - 6 * c) * x + (-18 + 12 * b + 6 * c)) * x * x + (6 - 2 * b)) / 6;
  return (((-b - 6 * c) * x + (6 * b + 30 * c)) * x * x + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6;
}

}  // namespace

double filter_half_width(const MipFilterOptions& filter) {
  switch (filter.kind) {
    case MipFilter::kTriangle:
      return 1;
    case MipFilter::kLanczos:
      return 3;
    case MipFilter::kKaiser:
      return static_cast<double>(filter.kaiser_width);
    default:
      return 2;
  }
}

double filter_height(const MipFilterOptions& filter, double x) {
  const double distance = std::fabs(x);
  const double half_width = filter_half_width(filter);
  if (!(distance < half_width)) return 0;
  switch (filter.kind) {
    case MipFilter::kTriangle:
      return 1 - distance;
    case MipFilter::kCatmullRom:
      return cubic(0, 0.5, distance);
    case MipFilter::kMitchell:
      return cubic(1.0 / 3, 1.0 / 3, distance);
    case MipFilter::kLanczos:
      return sinc(distance) * sinc(distance / 3);
    default: {
      const double alpha = static_cast<double>(filter.kaiser_alpha);
      const double part = distance / half_width;
      return sinc(distance) * bessel_i0(alpha * std::sqrt(1 - part * part)) / bessel_i0(alpha);
    }
  }
}

uint32_t mapped_texel(Boundary boundary, int64_t j, uint32_t size) {
  const int64_t last = int64_t{size} - 1;
  if (boundary == Boundary::kClamp) return static_cast<uint32_t>(std::clamp<int64_t>(j, 0, last));
  const int64_t period = boundary == Boundary::kMirror ? 2 * int64_t{size} : int64_t{size};
  const int64_t within = ((j % period) + period) % period;
  return static_cast<uint32_t>(within > last ? period - 1 - within : within);
}

template <typename T>
FilterAxis<T>::FilterAxis(const MipFilterOptions& filter, uint32_t input, uint32_t level, uint32_t repeats)
    : input_(input), repeats_(repeats) {
  const bool is_uniform = input % level == 0;
  shift_ = is_uniform ? input / level : 0;
  for (uint32_t i = 0; i < (is_uniform ? 1 : level); ++i) add_phase(filter, level, i);
  margin_ = static_cast<uint32_t>(std::max<int64_t>(0, -phases_.front().first));  // symmetric: the same on both sides
}

template <typename T>
void FilterAxis<T>::add_phase(const MipFilterOptions& filter, uint32_t level, uint32_t i) {
  Phase phase = {.weights = weights_.size()};
  const auto distance = [&](int64_t j) {
    return static_cast<double>((2 * j + 1) * int64_t{level} - (2 * int64_t{i} + 1) * input_) / (2.0 * input_);
  };
  if (input_ == level) {  // an axis of one texel is not reduced
    phase.first = i;
    phase.count = phase.near_end = 1;
    weights_.insert(weights_.end(), repeats_, T(1));
    phases_.push_back(phase);
    return;
  }
  const double half_width = filter_half_width(filter);
  const double ratio = static_cast<double>(input_) / level;
  auto j = static_cast<int64_t>(std::floor((i + 0.5 - half_width) * ratio)) - 1;  // not right of the first tap
  while (!(distance(j) > -half_width)) ++j;
  phase.first = j;
  std::vector<double> heights;
  double sum = 0;
  for (; distance(j) < half_width; ++j) {
    heights.push_back(filter_height(filter, distance(j)));
    sum += heights.back();
    if (distance(j) <= -1) ++phase.near_begin;
    if (distance(j) < 1) ++phase.near_end;
  }
  phase.count = static_cast<uint32_t>(heights.size());
  // The largest weight absorbs the rounding errors of the others, so that a constant stays one.
  const auto largest = static_cast<size_t>(std::max_element(heights.begin(), heights.end()) - heights.begin());
  double rest = 1;
  for (size_t k = 0; k < heights.size(); ++k) {
    heights[k] = static_cast<double>(static_cast<T>(heights[k] / sum));
    if (k != largest) rest -= heights[k];
  }
  heights[largest] = rest;
  for (const double height : heights) weights_.insert(weights_.end(), repeats_, static_cast<T>(height));
  phases_.push_back(phase);
}

template <typename T>
FilterTaps<T> FilterAxis<T>::taps(uint32_t i) const {
  const Phase& phase = phases_[is_uniform() ? 0 : i];
  const int64_t moved = is_uniform() ? int64_t{i} * shift_ : 0;
  return {phase.first + moved, phase.count, weights_.data() + phase.weights, phase.near_begin, phase.near_end};
}

template class FilterAxis<float>;
template class FilterAxis<double>;

}  // namespace onepass::pyramid
