// tile_reduction_oracle.hpp: oracle of tile reductions for tests of every engine, in double precision, from the
// definition. Shares no code with the library.
#pragma once

#include <string>
#include <vector>

#include "onepass/tile_reduction.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {

/// Size of the coarse image: ceil(size / factor).
Extent oracle_tiles_size(const TileReductionOptions& options);

/// The coarse image of every slice.
std::vector<OracleLevel> oracle_tiles(const TileReductionOptions& options, const ImageView& source);

/// Options of a pyramid with the same formats and reduction, for tolerances.
PyramidOptions as_pyramid(const TileReductionOptions& options);

/// "37x23 slices 1 r32_sfloat > r32_sfloat min factor 16", for messages.
std::string describe(const TileReductionOptions& options);

/// Compares all slices of `actual` with the oracle.
::testing::AssertionResult tiles_match(const TileReductionOptions& options, const ImageView& source,
                                       const ImageView& actual, const Tolerance& tolerance,
                                       const std::string& name = "tiles");

}  // namespace onepass::testing
