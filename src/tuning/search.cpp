// search.cpp: comparison of outputs and of times.
#include "tuning/search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace onepass::vulkan {
namespace {

double at_share(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

double median_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return at_share(sorted, 0.5);
}

}  // namespace

bool outputs_match(const Output& output, const Output& expected, const OutputTolerance& tolerance) {
  const bool codes_match =
      std::equal(output.codes.begin(), output.codes.end(), expected.codes.begin(), expected.codes.end(),
                 [&](int a, int b) { return std::abs(a - b) <= tolerance.codes; });
  if (!codes_match || output.numbers.size() != expected.numbers.size()) return false;
  double error = 0, norm = 0;
  for (size_t i = 0; i < output.numbers.size(); ++i) {
    const double a = output.numbers[i], b = expected.numbers[i];
    error += (a - b) * (a - b);
    norm += b * b;
    if (tolerance.norm > 0 || a == b) continue;
    if (!(std::abs(a - b) <= tolerance.relative * std::max(std::abs(a), std::abs(b)))) return false;  // also of NaN
  }
  return tolerance.norm <= 0 || error <= tolerance.norm * tolerance.norm * norm;
}

PairedTimes paired_times(std::span<const double> candidate, std::span<const double> expected) {
  if (candidate.empty() || candidate.size() != expected.size()) return {};
  std::vector<double> ratios(candidate.size());
  for (size_t i = 0; i < ratios.size(); ++i) ratios[i] = expected[i] > 0 ? candidate[i] / expected[i] : 1;
  std::sort(ratios.begin(), ratios.end());
  return {.ratio = at_share(ratios, 0.5),
          .spread = (at_share(ratios, 0.75) - at_share(ratios, 0.25)) / 2,
          .default_us = median_of(expected)};
}

}  // namespace onepass::vulkan
