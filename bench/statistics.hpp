// statistics.hpp: median and extremes of repeated timings.
#pragma once

#include <algorithm>
#include <vector>

namespace onepass::bench {

/// Microseconds, or ratios of them.
struct Times {
  double median = 0;
  double least = 0;
  double most = 0;
};

/// Statistics of at least one value. For an even number of values the median is the upper one.
inline Times times_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

}  // namespace onepass::bench
