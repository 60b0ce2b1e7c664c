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

#include <array>
#include <cstdint>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "onepass/local_exposure_params.h"
#include "onepass/tone_map.hpp"
#include "vulkan/scratch_layout.hpp"

namespace onepass::tone_map {

inline constexpr uint32_t kLocalBins = ONEPASS_LOCAL_BINS;
/// The nodes of a column in memory: kLocalBins, rounded up to whole vectors.
inline constexpr uint32_t kLocalStride = 48;
static_assert(kLocalStride > kLocalBins && kLocalStride % 16 == 0);

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

/// Scratch memory of kernels: counters | raw nodes | nodes, each part at a multiple of 256 bytes.
struct LocalScratch {
  uint64_t counter_bytes = 0, node_bytes = 0;
  uint64_t counters_at = 0, raw_at = 0, nodes_at = 0;
  uint64_t bytes = 0;

  LocalScratch(const LocalPlan& plan, uint32_t slices)
      : counter_bytes(sizeof(uint32_t) * uint64_t{plan.columns} * plan.rows * slices),
        node_bytes(sizeof(LocalNode) * plan.nodes() * slices) {
    vulkan::ScratchLayout layout;
    counters_at = layout.add(counter_bytes);
    raw_at = layout.add(node_bytes);
    nodes_at = layout.add(node_bytes);
    bytes = layout.bytes();
  }
};

/// Integer sums over the texels of a region, for each node: of those between it and the next one.
struct LocalSums {
  alignas(64) std::array<uint64_t, kLocalStride> texels{};  ///< Their number.
  alignas(64) std::array<uint64_t, kLocalStride> above{};   ///< Of weights at the next node, in 1 / ONEPASS_LOCAL_ONE.
  alignas(
      64) std::array<uint64_t, kLocalStride> between{};  ///< Of products of a texel's two weights, in the same unit.
};

/// The grid of one slice.
class LocalGrid {
 public:
  explicit LocalGrid(const LocalPlan& plan)
      : plan_(plan), raw_(plan.nodes()), nodes_(size_t{2} * kLocalStride * plan.columns * plan.rows) {}

  /// Sets the nodes of a region.
  void take(uint32_t row, uint32_t column, const LocalSums& sums);
  /// Blurs row `row` of regions. take() must have been called for all regions.
  void blur_row(uint32_t row);
  /// The two rows of regions that row `y` of the image is between, and the second one's share. A row has for each
  /// column kLocalStride weights of nodes and as many offsets.
  struct Rows {
    const float* first;
    const float* second;
    float share;
  };
  [[nodiscard]] Rows rows_at(uint32_t y) const;
  [[nodiscard]] size_t row_size() const { return size_t{2} * kLocalStride * plan_.columns; }

 private:
  LocalPlan plan_;
  std::vector<LocalNode> raw_;
  cpu::AlignedVector<float> nodes_;  // as in Rows
};

}  // namespace onepass::tone_map
