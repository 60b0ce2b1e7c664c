// check.cpp: the sums of Tessendorf's article, term by term. Slopes and derivatives are compared with differences of
// two such sums, so that no factor of evolve.comp stands here a second time, except that of displacements.
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace samples::ocean {
namespace {

using Complex = std::complex<double>;
using Texels = std::vector<std::array<float, 4>>;

constexpr double kPi = std::numbers::pi;
constexpr uint32_t kSampled = 12;            // texels per cascade
constexpr double kSmallestNormal = 0x1p-14;  // of 16-bit floats, whose smaller values have fewer bits

struct Displacement {
  double x, height, z;
};

// The waves of a cascade at a frame.
class Sum {
 public:
  Sum(const Simulation& simulation, uint32_t cascade)
      : texels_(simulation.params().texels),
        step_(2 * kPi / kLengths[cascade]),
        choppiness_(double{simulation.params().choppiness}),
        amplitudes_(simulation.waves(cascade).size()) {
    const auto& waves = simulation.waves(cascade);
    const double loops = static_cast<double>(simulation.params().frame) / LOOP_FRAMES;
    for (uint32_t x = 0; x < texels_; ++x) {
      for (uint32_t z = 0; z < texels_; ++z) {
        const Wave& along = waves[size_t{x} * texels_ + z];
        const Wave& against = waves[size_t{(texels_ - x) % texels_} * texels_ + (texels_ - z) % texels_];
        const Complex turn = std::polar(1.0, -2 * kPi * along.cycles * loops);
        amplitudes_[size_t{x} * texels_ + z] =
            Complex(along.re, along.im) * turn + std::conj(Complex(against.re, against.im) * turn);
      }
    }
  }

  // At a place in metres.
  [[nodiscard]] Displacement at(double x, double z) const {
    std::vector<Complex> along_z(texels_);
    for (uint32_t i = 0; i < texels_; ++i) along_z[i] = std::polar(1.0, wave_number(i) * z);
    Displacement sum{};
    for (uint32_t i = 0; i < texels_; ++i) {
      const Complex along_x = std::polar(1.0, wave_number(i) * x);
      for (uint32_t j = 0; j < texels_; ++j) {
        const Complex amplitude = amplitudes_[size_t{i} * texels_ + j];
        if (amplitude == Complex()) continue;
        const Complex wave = amplitude * along_x * along_z[j];
        const double k = std::hypot(wave_number(i), wave_number(j));
        sum.height += wave.real();
        // The real part of i k / |k| wave.
        sum.x -= choppiness_ * wave_number(i) / k * wave.imag();
        sum.z -= choppiness_ * wave_number(j) / k * wave.imag();
      }
    }
    return sum;
  }

  // The mean of squared slopes along x and along z.
  [[nodiscard]] std::array<double, 2> squared_slopes() const {
    std::array<double, 2> sums{};
    for (uint32_t i = 0; i < texels_; ++i) {
      for (uint32_t j = 0; j < texels_; ++j) {
        const double power = std::norm(amplitudes_[size_t{i} * texels_ + j]);
        sums[0] += power * wave_number(i) * wave_number(i);
        sums[1] += power * wave_number(j) * wave_number(j);
      }
    }
    return sums;
  }

 private:
  [[nodiscard]] double wave_number(uint32_t i) const { return step_ * signed_index(i, texels_); }
  uint32_t texels_;
  double step_;
  double choppiness_;
  std::vector<Complex> amplitudes_;
};

// Keeps the larger one; a NaN stays.
void keep_larger(double& worst, double value) {
  if (!std::isnan(worst) && !(value <= worst)) worst = value;
}

// The relative difference of one field.
struct Error {
  double difference = 0, whole = 0;
  void add(double actual, double expected) {
    difference += (actual - expected) * (actual - expected);
    whole += expected * expected;
  }
  [[nodiscard]] double relative() const { return whole > 0 ? std::sqrt(difference / whole) : std::sqrt(difference); }
};

void check_fields(const Simulation& simulation, uint32_t cascade, const Sum& sum, Differences& worst) {
  const uint32_t n = simulation.params().texels;
  const Texels moved = simulation.read(simulation.fields(), 0, cascade);
  const Texels derivatives = simulation.read(simulation.fields(), 0, CASCADES + cascade);
  const double texel = kLengths[cascade] / n;
  const double near = texel / 1024;
  std::array<Error, 3> displacements;
  std::array<Error, 5> slopes;
  for (uint32_t i = 0; i < kSampled; ++i) {
    const uint32_t x = (i * 73 + (i > 6 ? 5 : 0)) % n;  // the first one is texel (0, 0)
    const uint32_t z = (i * 41) % n;
    const size_t at = size_t{z} * n + x;
    const Displacement here = sum.at(x * texel, z * texel);
    displacements[0].add(moved[at][0], here.x);
    displacements[1].add(moved[at][1], here.height);
    displacements[2].add(moved[at][2], here.z);
    const auto difference = [&](double dx, double dz) {
      const Displacement a = sum.at(x * texel - dx, z * texel - dz);
      const Displacement b = sum.at(x * texel + dx, z * texel + dz);
      return Displacement{(b.x - a.x) / (2 * near), (b.height - a.height) / (2 * near), (b.z - a.z) / (2 * near)};
    };
    const Displacement along_x = difference(near, 0);
    const Displacement along_z = difference(0, near);
    slopes[0].add(derivatives[at][0], along_x.height);
    slopes[1].add(derivatives[at][1], along_z.height);
    slopes[2].add(derivatives[at][2], along_x.x);
    slopes[3].add(derivatives[at][3], along_z.z);
    slopes[4].add(moved[at][3], along_z.x);
  }
  for (const Error& e : displacements) keep_larger(worst.displacements, e.relative());
  for (const Error& e : slopes) keep_larger(worst.derivatives, e.relative());
}

// The mean of each channel's squares.
std::array<double, 4> mean_squares(const Texels& texels) {
  std::array<double, 4> sums{};
  for (const auto& texel : texels) {
    for (size_t c = 0; c < 4; ++c) sums[c] += double{texel[c]} * texel[c] / static_cast<double>(texels.size());
  }
  return sums;
}

// Each texel of a level against the mean of 2x2 texels of the level before, both of the current frame.
void check_mips(const Simulation& simulation, const Image& image, Differences& worst) {
  for (uint32_t layer = 0; layer < image.layers; ++layer) {
    Texels finer = simulation.read(image, 0, layer);
    const std::array<double, 4> whole = mean_squares(finer);
    for (uint32_t level = 1; level < image.levels; ++level) {
      Texels texels = simulation.read(image, level, layer);
      Texels differences = texels;
      const size_t side = image.size.width >> level;
      for (size_t i = 0; i < texels.size(); ++i) {
        const auto* rows = &finer[4 * side * (i / side) + 2 * (i % side)];
        for (size_t c = 0; c < 4; ++c) {
          differences[i][c] -= (rows[0][c] + rows[1][c] + rows[2 * side][c] + rows[2 * side + 1][c]) / 4;
        }
      }
      const std::array<double, 4> different = mean_squares(differences);
      for (size_t c = 0; c < 4; ++c) {
        keep_larger(worst.mips, std::sqrt(different[c] / std::max(whole[c], kSmallestNormal * kSmallestNormal)));
      }
      finer = std::move(texels);
    }
  }
}

void check_squares(const Simulation& simulation, uint32_t cascade, const Sum& sum, Differences& worst) {
  const Texels last = simulation.read(simulation.surface(), simulation.surface().levels - 1, cascade);
  const std::array<double, 2> expected = sum.squared_slopes();
  for (size_t c = 0; c < 2; ++c) {
    if (expected[c] == 0) continue;  // a band beyond the shortest wave of the texels
    keep_larger(worst.squared_slopes, std::abs(last[0][c] / expected[c] - 1));
  }
}

void check_foam(Simulation& simulation, Differences& worst) {
  std::array<Texels, CASCADES> before;
  for (uint32_t c = 0; c < CASCADES; ++c) before[c] = simulation.read(simulation.surface(), 0, c);
  simulation.advance();
  for (uint32_t c = 0; c < CASCADES; ++c) {
    const Texels after = simulation.read(simulation.surface(), 0, c);
    const Texels moved = simulation.read(simulation.fields(), 0, c);
    const Texels derivatives = simulation.read(simulation.fields(), 0, CASCADES + c);
    for (size_t i = 0; i < after.size(); ++i) {
      const double area = (1.0 + derivatives[i][2]) * (1.0 + derivatives[i][3]) - std::pow(moved[i][3], 2);
      const double fresh = std::clamp(WHITECAP_GAIN * (WHITECAP_AREA - area), 0.0, 1.0);
      const double expected = std::max(double{simulation.params().foam_left} * before[c][i][3], fresh);
      keep_larger(worst.foam, std::abs(after[i][3] - expected));
    }
  }
}

}  // namespace

// Written so that a NaN fails.
bool Differences::small() const {
  return displacements < 1e-3 && derivatives < 1e-3 && mips < 1e-3 && squared_slopes < 2e-3 && foam < 1e-3;
}

Differences check_frame(Simulation& simulation) {
  Differences worst;
  for (uint32_t cascade = 0; cascade < CASCADES; ++cascade) {
    const Sum sum(simulation, cascade);
    check_fields(simulation, cascade, sum, worst);
    check_squares(simulation, cascade, sum, worst);
  }
  check_mips(simulation, simulation.fields(), worst);
  check_mips(simulation, simulation.surface(), worst);
  check_foam(simulation, worst);
  return worst;
}

}  // namespace samples::ocean
