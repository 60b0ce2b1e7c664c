// tile_options.hpp: checks options against the picture and resolves their defaults.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tiles/output.hpp"
#include "tiles/row_source.hpp"

namespace onepass::tiles {

/// Checks that need no picture. Errors: kInvalidArgument, kUnsupported, naming the field and its value.
Result<void> check_options(const TileOptions& options);

/// The plan for a picture: encoding, compression and tile sizes chosen, sizes of all levels.
/// Errors: kUnsupported if the output cannot hold the picture's pixels.
Result<OutputPlan> plan_output(const TileOptions& options, const RowSource& source);

/// Names and values of the input and of all options that change the output.
std::vector<std::pair<std::string, std::string>> identity_fields(const OutputPlan& plan);

/// One line that identifies the input and all options that change the output.
std::string identity_of(const OutputPlan& plan);

}  // namespace onepass::tiles
