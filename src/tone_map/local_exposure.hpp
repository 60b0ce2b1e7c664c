// local_exposure.hpp: the grid that local exposure looks its base up in, as the CPU engine makes it.
//
//     image, in regions                 grid: a column of nodes a region, a stop apart
//     +----+----+----+
//     |    |    |    |   every texel --> its region's column: shared out to the two nodes about its luminance
//     +----+----+----+   every node  --> a blur over 3x3 regions and 3 nodes
//     |    |    |    |   every texel <-- between the nodes about it, of 2x2 regions: mean log2 luminance of what is
//     +----+----+----+                   near both in place and in luminance: the base
//
// Across an edge luminances are stops apart: what is beyond it has no weight, and there is no halo. The kernel
// shaders/onepass/local_exposure.glsl does the same arithmetic in the same order.
//
// Source: J. Chen, S. Paris, F. Durand, "Real-time edge-aware image processing with the bilateral grid", SIGGRAPH 2007;
// contrasts of base and detail: F. Durand, J. Dorsey, "Fast bilateral filtering for the display of high-dynamic-range
// images", SIGGRAPH 2002. Unlike there, what texels share out are whole numbers: the sums have no order.
#pragma once

#include <cstdint>
#include <vector>

#include "onepass/local_exposure_params.h"
#include "onepass/tone_map.hpp"

namespace onepass::tone_map {

inline constexpr uint32_t kLocalBins = ONEPASS_LOCAL_BINS;

/// How an image is cut into regions.
struct LocalPlan {
  uint32_t side = 0;  ///< Texels.
  uint32_t columns = 0;
  uint32_t rows = 0;

  [[nodiscard]] uint64_t nodes() const { return uint64_t{columns} * rows * kLocalBins; }
};
LocalPlan plan_local_exposure(const ToneMapOptions& options);

/// What the options say, for both engines.
LocalParams make_local_params(const ToneMapOptions& options);

/// Of one node. `offset`: sum of weights times how far above the node texels lie, in stops.
struct LocalNode {
  float weight = 0;
  float offset = 0;
};

/// Sums of one region while texels are shared out. Units of 1 / ONEPASS_LOCAL_ONE.
struct LocalSums {
  uint64_t weight = 0;   ///< Of a node.
  uint64_t between = 0;  ///< Between a node and the next: of a texel's weights of the two, multiplied.
};

/// A grid of one slice.
class LocalGrid {
 public:
  explicit LocalGrid(const LocalPlan& plan) : plan_(plan), raw_(plan.nodes()), nodes_(plan.nodes()) {}

  /// Takes the sums of row `row` of regions, kLocalBins for each of them.
  void take_row(uint32_t row, const LocalSums* sums);
  /// Blurs row `row`; all rows have been taken.
  void blur_row(uint32_t row);
  /// Interpolates between rows of regions for row `y` of the image: kLocalBins nodes for each column.
  void interpolate_row(uint32_t y, LocalNode* nodes) const;

 private:
  LocalPlan plan_;
  std::vector<LocalNode> raw_;
  std::vector<LocalNode> nodes_;
};

}  // namespace onepass::tone_map
