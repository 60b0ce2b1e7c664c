// peer_levels.hpp: the levels that other libraries define, evaluated texel by texel on the CPU. Shares no code with the
// engines.
#pragma once

#include "levels.hpp"

namespace onepass::bench {

/// The texels of a level, along each axis, from which a peer makes texel i of the next level.
enum class PeerTaps {
  kPair,  ///< 2i and 2i + 1 with equal weights; the last row or column of an odd level is dropped.
  kArea,  ///< The texels that it covers, weighted by overlap: three at odd sizes.
  kDxvk,  ///< As kPair, but two texels beside one point at odd sizes, which depends on the workgroup. All levels are
          ///< quantised.
};

/// How a peer defines its levels.
struct PeerDefinition {
  Reduction reduction = Reduction::kMean;
  PeerTaps taps = PeerTaps::kPair;
  uint32_t quantised = 0;  ///< Bit n: level n + 1 is made from level n as stored; else from values before quantisation.
};

/// Levels 1 and up, computed in float with sums in double, then stored in the target format.
[[nodiscard]] Result<Levels> peer_levels(const PeerDefinition& definition, const PyramidOptions& options,
                                         const ImageView& source);

}  // namespace onepass::bench
