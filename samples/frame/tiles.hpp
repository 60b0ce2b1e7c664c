// tiles.hpp: times of three methods that make a coarse image of nearest depths, on the depth that the frame has drawn:
// the complete pyramid, four levels, and one tile reduction with every shape of workgroups.
#pragma once

#include <string>
#include <vector>

#include "common/gpu.hpp"
#include "targets.hpp"

namespace samples::frame {

struct TileTime {
  std::string name;
  double microseconds = 0;  ///< Median.
};

/// All eyes in one recording; `repeats` of each.
[[nodiscard]] std::vector<TileTime> time_tiles(Gpu& gpu, const Targets& targets, uint32_t repeats);

void print_tiles(const std::vector<TileTime>& times);

}  // namespace samples::frame
