// peer_row.hpp: the row of a peer that was timed in turns with the library's technique on a GPU.
#pragma once

#include <string>
#include <string_view>

#include "report.hpp"
#include "vulkan_timer.hpp"

namespace onepass::bench {

/// `bytes` are those of the library's technique. Slices, reduction and footprint are left for the caller.
[[nodiscard]] inline Row peer_row(std::string name, std::string_view format, Extent size, std::string_view peer,
                                  Mode mode, const Comparison& times, uint64_t bytes) {
  Row row;
  row.name = std::move(name);
  row.engine = "vulkan";
  row.format = format;
  row.width = size.width;
  row.height = size.height;
  row.path = peer;
  row.mode = mode_description(mode);
  row.times = times.technique;
  row.bytes = bytes;
  row.reference = times.reference.median;
  row.ratios = times.ratio;
  return row;
}

}  // namespace onepass::bench
