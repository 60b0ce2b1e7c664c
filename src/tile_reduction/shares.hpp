// shares.hpp: how invocations share the tiles of a reduction, and the constants of the dispatch, for every engine whose
// kernel is around shaders/onepass/tile_reduction.glsl.
#pragma once

#include <array>
#include <bit>

#include "onepass/tile_reduction.hpp"
#include "onepass/tile_reduction_params.h"

namespace onepass::tile_reduction {

inline uint32_t log2_of(uint32_t power) { return static_cast<uint32_t>(std::countr_zero(power)); }

/// Members of a tuning; 0: to be chosen.
struct WantedShares {
  uint32_t gathers = 0;
  uint32_t workgroup_size = 0;
};

struct Shares {
  uint32_t gathers = 0;         ///< Blocks of 2x2 texels per invocation.
  uint32_t workgroup_size = 0;  ///< Invocations.
  std::array<uint32_t, 3> groups{};
};

/// The options are valid; `limit`: most invocations of a workgroup.
/// Errors: kInvalidArgument, naming a member of the tuning.
Result<Shares> share_tiles(const TileReductionOptions& options, const WantedShares& wanted, uint32_t limit);

/// Whether tiles at the right or lower edge have fewer texels than others.
bool has_partial_tiles(const TileReductionOptions& options);

TileReductionParams make_params(const TileReductionOptions& options);

}  // namespace onepass::tile_reduction
