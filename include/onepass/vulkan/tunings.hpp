// vulkan/tunings.hpp: tunings that were measured on a device, as a JSON text.
//
// A field of a tuning struct that its caller leaves open (0, kAuto) is chosen by the text that the device was adopted or
// opened with, else by the library's table of known devices, else by a rule. docs/tuning.md has the text's form:
//
//     {"onepass_tunings": 1, "device": "llvmpipe", "transform": [
//       {"when": {"texels": {"at_most": 16384}, "channels": 4}, "use": {"values_per_invocation": 8}}
//     ]}
//
//     auto device = onepass::vulkan::Device::open({.tunings = text});
//
// The command `onepass tune` measures on a device and writes the text.
#pragma once

#include <string_view>

#include "onepass/export.h"
#include "onepass/result.hpp"

namespace onepass::vulkan {

/// Checks a text of tunings. An empty text is valid and has none.
/// Errors: kInvalidArgument, naming the line, the path of the field, and the value:
/// "tunings: line 2: transform[0].use.values_per_invocation: 5 is not a power of two from 4 to 16".
/// Threads: any number of calls at once.
[[nodiscard]] ONEPASS_API Result<void> check_tunings(std::string_view text);

}  // namespace onepass::vulkan
