// reflection_checks.hpp: checks of reflections of the scene against rays that the host traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reflection_scene.hpp"

namespace onepass::bench {

/// What reflections of the scene must show.
struct ReflectionChecks {
  double max_roughness = 0;   ///< Rougher surfaces and the background are black. -1: all surfaces.
  uint32_t stride = 1;        ///< Mirrors are checked at texels whose coordinates are its multiples: those with rays.
  double wrong_mirrors = 0;   ///< Share of the mirrors' texels that may differ from what the image has elsewhere,
  double missed_mirrors = 0;  ///< and share of those that may be black: a ray ends after its most steps.
  double least_mean = 0, most_mean = 1e30;  ///< Of the light of all surfaces of a roughness, in parts of the expected.
                                            ///< Less: rays end after their most steps. More: rays that go behind an
                                            ///< object hit it.
  bool fades = false;  ///< Hits may be darker than what they show, and alpha has any value. Else alpha is the share of
                       ///< rays that hit.
};

/// Checks four floats per texel, of the view from `place`, on at most about 500 x 300 texels. Rays without a hit are
/// black. Returns what is wrong; empty if nothing is.
[[nodiscard]] std::string wrong_reflections(const std::vector<float>& texels, Extent size, uint32_t place,
                                            const ReflectionChecks& checks);

}  // namespace onepass::bench
