// statistics.hpp: what is reported of repeated timings.
#pragma once

#include <algorithm>
#include <vector>

namespace onepass::bench {

/// Microseconds.
struct Times {
  double median = 0;
  double least = 0;
  double most = 0;
};

/// Of at least one value; the upper median of an even number.
inline Times times_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

}  // namespace onepass::bench
