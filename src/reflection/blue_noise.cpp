// blue_noise.cpp: void and cluster. Each texel that is set spreads an energy around it, a Gaussian. A first pattern is
// made even by moving texels from the tightest cluster to the largest void. Then the ranks below its number are given
// by removing the tightest clusters, those above by filling the largest voids.
#include "reflection/blue_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "reflection/reflection_params.h"

namespace onepass::reflection {
namespace {

constexpr int kReach = 7;  // texels; the Gaussian of 1.9 texels is 0.001 there

class Pattern {
 public:
  explicit Pattern(uint32_t side) : side_(side), energies_(size_t{side} * side), set_(energies_.size()) {
    for (int dy = -kReach; dy <= kReach; ++dy) {
      for (int dx = -kReach; dx <= kReach; ++dx) {
        // Rounded to a multiple of 2^-20: the same integers with every library of mathematics.
        weight(dx, dy) = static_cast<uint32_t>(std::lround(std::exp(-(dx * dx + dy * dy) / 7.22) * 1048576));
      }
    }
  }

  [[nodiscard]] bool is_set(uint32_t at) const { return set_[at]; }

  void toggle(uint32_t at) {
    const bool adds = !set_[at];
    set_[at] = adds;
    const uint32_t mask = side_ - 1, x = at % side_, y = at / side_;
    for (int dy = -kReach; dy <= kReach; ++dy) {
      const size_t row = size_t{(y + static_cast<uint32_t>(dy)) & mask} * side_;
      for (int dx = -kReach; dx <= kReach; ++dx) {
        uint32_t& energy = energies_[row + ((x + static_cast<uint32_t>(dx)) & mask)];
        energy = adds ? energy + weight(dx, dy) : energy - weight(dx, dy);
      }
    }
  }

  /// The set texel of most energy, or the other texel of least; the first of several.
  [[nodiscard]] uint32_t tightest() const {
    return find(true, [](uint32_t a, uint32_t b) { return a > b; });
  }
  [[nodiscard]] uint32_t widest() const {
    return find(false, [](uint32_t a, uint32_t b) { return a < b; });
  }

 private:
  uint32_t& weight(int dx, int dy) {
    return weights_[static_cast<size_t>(dy + kReach)][static_cast<size_t>(dx + kReach)];
  }

  template <typename Better>
  [[nodiscard]] uint32_t find(bool set, const Better& better) const {
    uint32_t best = static_cast<uint32_t>(energies_.size());
    for (uint32_t i = 0; i < energies_.size(); ++i) {
      if (set_[i] != set) continue;
      if (best == energies_.size() || better(energies_[i], energies_[best])) best = i;
    }
    return best;
  }

  uint32_t side_;  // a power of two
  std::vector<uint32_t> energies_;
  std::vector<bool> set_;
  std::array<std::array<uint32_t, 2 * kReach + 1>, 2 * kReach + 1> weights_{};
};

}  // namespace

std::vector<uint16_t> blue_noise_ranks(uint32_t side, uint32_t seed) {
  const uint32_t texels = side * side;
  const uint32_t first = texels / 8;
  Pattern pattern(side);
  uint32_t state = seed;
  for (uint32_t count = 0; count < first;) {
    state = state * 1664525U + 1013904223U;  // a linear congruential generator; its high bits are the random ones
    const uint32_t at = (state >> 8) % texels;
    if (pattern.is_set(at)) continue;
    pattern.toggle(at);
    ++count;
  }
  for (uint32_t moves = 0; moves < texels; ++moves) {
    const uint32_t from = pattern.tightest();
    pattern.toggle(from);
    const uint32_t to = pattern.widest();
    pattern.toggle(to);
    if (to == from) break;
  }
  std::vector<uint16_t> ranks(texels);
  Pattern removed = pattern;
  for (uint32_t rank = first; rank-- > 0;) {
    const uint32_t at = removed.tightest();
    removed.toggle(at);
    ranks[at] = static_cast<uint16_t>(rank);
  }
  for (uint32_t rank = first; rank < texels; ++rank) {
    const uint32_t at = pattern.widest();
    pattern.toggle(at);
    ranks[at] = static_cast<uint16_t>(rank);
  }
  return ranks;
}

std::vector<uint32_t> blue_noise_words() {
  constexpr uint32_t kTexels = ONEPASS_REFLECTION_NOISE * ONEPASS_REFLECTION_NOISE;
  constexpr uint32_t kScale = 65536 / kTexels;
  const auto a = blue_noise_ranks(ONEPASS_REFLECTION_NOISE, 1);
  const auto b = blue_noise_ranks(ONEPASS_REFLECTION_NOISE, 2);
  std::vector<uint32_t> words(kTexels);
  for (uint32_t i = 0; i < kTexels; ++i) words[i] = a[i] * kScale | (b[i] * kScale) << 16;
  return words;
}

}  // namespace onepass::reflection
