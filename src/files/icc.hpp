// icc.hpp: what an ICC profile says, as far as primaries and one curve a channel can say it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onepass/color.hpp"

namespace onepass::files {

/// Samples of a curve from codes 0..1 to light 0..1, at equal steps.
inline constexpr size_t kCurveSamples = 4096;

struct IccProfile {
  std::string name;  ///< Its description; "unnamed" where it has none.
  /// Red, green and blue; of a grey profile the first serves all. Empty: `problem` says why.
  std::array<std::vector<float>, 3> curves;
  std::optional<Chromaticities> primaries;  ///< None: a grey profile.
  std::string problem;                      ///< Why the profile cannot be used; empty if it can.
};

/// The most memory that read_icc() takes, besides the profile, for one of this size.
constexpr uint64_t icc_bytes(uint64_t profile_size) {
  return profile_size == 0 ? 0 : (uint64_t{256} << 10) + 4 * profile_size;
}

/// Reads a profile for an image with one colour channel (`gray`) or three. Never fails: what is wrong with the profile
/// is in `problem`.
IccProfile read_icc(std::span<const std::byte> bytes, bool gray);

}  // namespace onepass::files
