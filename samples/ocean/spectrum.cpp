// spectrum.cpp: amplitudes are normal random numbers, by the method of Box and Muller, from a hash of the wave vector.
#include "spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace samples::ocean {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kGravity = 9.81;   // metres per second^2
constexpr double kShortest = 0.02;  // waves much shorter, metres, are damped
// The number of waves per length of a patch at which its band begins; the band of the patch before ends there.
constexpr double kFirstWave = 6;

// PCG: M. Jarzynski, M. Olano, Hash Functions for GPU Rendering, 2020.
uint32_t hash(uint32_t x) {
  const uint32_t state = x * 747796405U + 2891336453U;
  const uint32_t word = ((state >> ((state >> 28U) + 4U)) ^ state) * 277803737U;
  return (word >> 22U) ^ word;
}

// The next number of a sequence, above 0, at most 1.
double random(uint32_t& sequence) {
  sequence = hash(sequence);
  return (sequence + 1.0) * 0x1p-32;
}

// Variance of the height per angular frequency, metres^2 seconds.
double jonswap(const Wind& wind, double omega, double peak) {
  const double alpha = 0.076 * std::pow(wind.speed * wind.speed / (wind.fetch * kGravity), 0.22);
  const double width = omega <= peak ? 0.07 : 0.09;
  const double from_peak = (omega - peak) / (width * peak);
  return alpha * kGravity * kGravity / std::pow(omega, 5) * std::exp(-1.25 * std::pow(peak / omega, 4)) *
         std::pow(3.3, std::exp(-0.5 * from_peak * from_peak));
}

// Share of a direction, `angle` radians off the wind's; the integral over all directions is 1.
double spreading(double ratio, double angle) {
  const double beta = ratio < 0.95  ? 2.61 * std::pow(std::max(ratio, 0.56), 1.3)
                      : ratio < 1.6 ? 2.28 * std::pow(ratio, -1.3)
                                    : std::pow(10, -0.4 + 0.8393 * std::exp(-0.567 * std::log(ratio * ratio)));
  const double cosh = std::cosh(beta * angle);
  return beta / (2 * std::tanh(beta * kPi) * cosh * cosh);
}

// Variance of the height per wave vector, metres^4.
double variance_density(const Wind& wind, double k_x, double k_z) {
  const double k = std::hypot(k_x, k_z);
  const double omega = std::sqrt(kGravity * k);
  const double peak = 22 * std::cbrt(kGravity * kGravity / (wind.speed * wind.fetch));
  const double angle = std::remainder(std::atan2(k_z, k_x) - wind.direction, 2 * kPi);
  const double damping = std::exp(-k * k * kShortest * kShortest / (4 * kPi * kPi));
  return jonswap(wind, omega, peak) * spreading(omega / peak, angle) * (kGravity / (2 * omega)) / k * damping;
}

bool in_band(uint32_t cascade, double k) {
  const auto first = [](uint32_t c) { return kFirstWave * 2 * kPi / kLengths[c]; };
  return (cascade == 0 || k >= first(cascade)) && (cascade + 1 == CASCADES || k < first(cascade + 1));
}

}  // namespace

std::vector<Wave> make_waves(const Wind& wind, uint32_t cascade, uint32_t texels) {
  std::vector<Wave> waves(size_t{texels} * texels);
  const double step = 2 * kPi / kLengths[cascade];
  for (uint32_t x = 0; x < texels; ++x) {
    for (uint32_t z = 0; z < texels; ++z) {
      const int n_x = signed_index(x, texels);
      const int n_z = signed_index(z, texels);
      const double k = step * std::hypot(n_x, n_z);
      // The wave vectors at texels / 2 have no opposite: the sum would not be real.
      const bool unpaired = x == texels / 2 || z == texels / 2;
      if (k == 0 || unpaired || !in_band(cascade, k)) continue;
      // The height is the sum of the waves of k and -k: each has half the variance, and half of that per component.
      const double deviation = 0.5 * step * std::sqrt(variance_density(wind, step * n_x, step * n_z));
      uint32_t sequence = hash(cascade ^ hash(static_cast<uint32_t>(n_x) ^ hash(static_cast<uint32_t>(n_z))));
      const double radius = deviation * std::sqrt(-2 * std::log(random(sequence)));
      const double angle = 2 * kPi * random(sequence);
      const double cycles = std::sqrt(kGravity * k) / (2 * kPi) * LOOP_FRAMES / FRAMES_PER_SECOND;
      waves[size_t{x} * texels + z] = {static_cast<float>(radius * std::cos(angle)),
                                       static_cast<float>(radius * std::sin(angle)),
                                       static_cast<uint32_t>(std::lround(cycles))};
    }
  }
  return waves;
}

}  // namespace samples::ocean
