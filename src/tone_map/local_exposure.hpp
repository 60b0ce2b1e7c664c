// local_exposure.hpp: the grid of local exposure, as the CPU engine makes it. It gives the base of a texel: the mean
// log2 luminance of texels near it in position and in luminance.
//
//     image, in regions                 grid: a column of nodes per region, one stop apart
//     +----+----+----+
//     |    |    |    |   every texel: its weight is divided between the two nearest nodes in its region's column
//     +----+----+----+   every node:  blurred over 3x3 regions and 3 nodes
//     |    |    |    |   every texel: its base is interpolated between the two nearest nodes, of 2x2 regions
//     +----+----+----+
//
// Texels on the two sides of an edge differ by several stops and have no weight for each other, so edges have no halo.
// The shaders local_exposure_grid.glsl and local_exposure.glsl do the same arithmetic in the same order.
//
// Source: J. Chen, S. Paris, F. Durand, "Real-time edge-aware image processing with the bilateral grid", SIGGRAPH 2007;
// contrasts of base and detail: F. Durand, J. Dorsey, "Fast bilateral filtering for the display of high-dynamic-range
// images", SIGGRAPH 2002. Unlike there, weights are integers, so that sums do not depend on their order.
#pragma once

#include <cstdint>
#include <vector>

#include "onepass/local_exposure_params.h"
#include "onepass/tone_map.hpp"

namespace onepass::tone_map {

inline constexpr uint32_t kLocalBins = ONEPASS_LOCAL_BINS;

/// The division of an image into regions.
struct LocalPlan {
  uint32_t side = 0;  ///< Of a region, in texels.
  uint32_t columns = 0;
  uint32_t rows = 0;

  [[nodiscard]] uint64_t nodes() const { return uint64_t{columns} * rows * kLocalBins; }
};
LocalPlan plan_local_exposure(const ToneMapOptions& options);

/// The constants of the options, for both engines.
LocalParams make_local_params(const ToneMapOptions& options);

/// A node. `offset`: sum over texels of the weight times the distance above the node, in stops.
struct LocalNode {
  float weight = 0;
  float offset = 0;
};

/// Integer sums of a node while texels are added, in units of 1 / ONEPASS_LOCAL_ONE.
struct LocalSums {
  uint64_t weight = 0;   ///< Of the texels' weights at the node.
  uint64_t between = 0;  ///< Of the products of a texel's weights at the node and at the next one.
};

/// The grid of one slice.
class LocalGrid {
 public:
  explicit LocalGrid(const LocalPlan& plan) : plan_(plan), raw_(plan.nodes()), nodes_(plan.nodes()) {}

  /// Sets the nodes of row `row` of regions from its sums, kLocalBins per region.
  void take_row(uint32_t row, const LocalSums* sums);
  /// Blurs row `row` of regions. take_row() must have been called for all rows.
  void blur_row(uint32_t row);
  /// Interpolates between rows of regions at row `y` of the image: kLocalBins nodes for each column of regions.
  void interpolate_row(uint32_t y, LocalNode* nodes) const;

 private:
  LocalPlan plan_;
  std::vector<LocalNode> raw_;
  std::vector<LocalNode> nodes_;
};

}  // namespace onepass::tone_map
