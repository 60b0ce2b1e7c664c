// icc_write.hpp: makes ICC profiles from primaries, for files to be written.
#pragma once

#include <cstddef>
#include <vector>

#include "onepass/color.hpp"

namespace onepass::files {

/// The transfer curve of a new profile.
enum class ProfileCurve { kLinear, kSrgb };

/// An RGB profile of ICC version 4 with these primaries; equal arguments give equal bytes. Empty if the build lacks
/// Little CMS or the primaries are invalid.
std::vector<std::byte> rgb_profile(const Chromaticities& primaries, ProfileCurve curve);
/// The same for grey.
std::vector<std::byte> gray_profile(ProfileCurve curve);

}  // namespace onepass::files
