// batch.hpp: runs `mips` or `hiz` on all inputs.
#pragma once

#include "pyramid_options.hpp"

namespace onepass::cli {

/// Runs the parsed command on all its units and reports. Returns the exit status: 0 all good, 1 some failed, 2 usage.
int run_pyramids(const CLI::App& command, PyramidRequest& request, const PyramidWords& words);

}  // namespace onepass::cli
