// batch.hpp: runs `mips` or `hiz` on all inputs.
#pragma once

#include "pyramid_options.hpp"

namespace onepass::cli {

/// Runs the parsed command on all its units and reports. Returns the exit status: 0 all good, 1 some failed, 2 usage.
int run_request(const CLI::App& command, Request& request, const RequestWords& words);

}  // namespace onepass::cli
