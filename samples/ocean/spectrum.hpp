// spectrum.hpp: random waves of a wind sea.
//
// The variance of the height per wave vector is S(omega) D(omega, theta) d omega / (k dk): JONSWAP's spectrum of a sea
// whose fetch limits it, and a spreading of directions around the wind's that narrows towards the peak.
// Sources: K. Hasselmann et al., "Measurements of Wind-Wave Growth and Swell Decay during the Joint North Sea Wave
// Project (JONSWAP)", 1973; M. Donelan, J. Hamilton, W. Hui, "Directional Spectra of Wind-Generated Waves", 1985;
// M. Banner, "Equilibrium Spectra of Wind Waves", 1990, for short waves; the form of all in C. Horvath, "Empirical
// Directional Wave Spectra for Computer Graphics", 2015.
#pragma once

#include <vector>

#include "ocean_params.h"

namespace samples::ocean {

/// Lengths of the patches, metres. None is a multiple of another one: their repetitions do not coincide.
inline constexpr std::array<double, CASCADES> kLengths{617.0, 71.3, 8.37};

struct Wind {
  double speed = 11;         ///< 10 metres above the water, metres per second.
  double direction = 0;      ///< In which it blows, radians from the x axis to the z axis.
  double fetch = 120'000.0;  ///< The distance over which it blows, metres.
};

/// Waves of one patch in SpectrumOrder::kColumns: wave vector (2 pi / length) * (n_x, n_z) has index
/// (n_x mod texels) * texels + (n_z mod texels). A cascade holds the wave numbers below the band of the next one, and
/// a wave vector has the same wave for any number of texels.
[[nodiscard]] std::vector<Wave> make_waves(const Wind& wind, uint32_t cascade, uint32_t texels);

/// The integer of a position in a spectrum: negative above texels / 2.
[[nodiscard]] constexpr int signed_index(uint32_t at, uint32_t texels) {
  return at > texels / 2 ? static_cast<int>(at) - static_cast<int>(texels) : static_cast<int>(at);
}

}  // namespace samples::ocean
