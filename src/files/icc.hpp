// icc.hpp: reads ICC profiles that consist of primaries and one curve per channel.
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

/// Samples of a curve at equally spaced stored values 0..1; the samples are light 0..1.
inline constexpr size_t kCurveSamples = 4096;

struct IccProfile {
  std::string name;  ///< Its description; "unnamed" if it has none.
  /// Red, green and blue; a grey profile has the first only. Empty: see `problem`.
  std::array<std::vector<float>, 3> curves;
  std::optional<Chromaticities> primaries;  ///< Empty for a grey profile.
  std::string problem;                      ///< Why the profile cannot be used; empty if it can.
};

/// Upper bound of the bytes that read_icc() allocates for a profile of this size, besides the profile itself.
constexpr uint64_t icc_bytes(uint64_t profile_size) {
  return profile_size == 0 ? 0 : (uint64_t{256} << 10) + 4 * profile_size;
}

/// Reads a profile for an image with one colour channel (`gray`) or three. Does not fail: `problem` states what is
/// wrong with the profile.
IccProfile read_icc(std::span<const std::byte> bytes, bool gray);

}  // namespace onepass::files
