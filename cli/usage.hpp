// usage.hpp: errors of the command line itself.
#pragma once

#include <string>
#include <utility>

#include "onepass/result.hpp"

namespace onepass::cli {

/// An option that is wrong, missing or without meaning beside the others; the message names it.
[[nodiscard]] inline Error usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), ""}; }

}  // namespace onepass::cli
