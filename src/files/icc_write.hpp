// icc_write.hpp: ICC profiles for files, made from primaries.
#pragma once

#include <cstddef>
#include <vector>

#include "onepass/color.hpp"

namespace onepass::files {

/// The transfer curve of a profile that is made.
enum class ProfileCurve { kLinear, kSrgb };

/// An ICC profile of version 4 of colours of these primaries, always of the same bytes. Empty where the build is
/// without Little CMS, or where the primaries are no set of primaries.
std::vector<std::byte> rgb_profile(const Chromaticities& primaries, ProfileCurve curve);

}  // namespace onepass::files
