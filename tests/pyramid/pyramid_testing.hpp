// pyramid_testing.hpp: images for tests: random sources in every format, and targets that detect bytes written outside
// of their texels.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "onepass/pyramid.hpp"

namespace onepass::testing {

/// Random numbers, the same for the same seed.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t word() { return static_cast<uint32_t>(engine_()); }
  uint32_t below(uint32_t end) { return word() % end; }
  /// In [low, high).
  float between(float low, float high) { return low + (high - low) * static_cast<float>(word() >> 8) * 0x1p-24F; }

 private:
  std::mt19937 engine_;
};

/// An image with gaps between rows and slices; all bytes are 0xA5 at first.
class PaddedImage {
 public:
  PaddedImage(Format format, Extent size, uint32_t slices = 1, size_t row_gap = 0, size_t slice_gap = 0);

  [[nodiscard]] MutableImageView view() { return view_; }
  [[nodiscard]] ImageView view() const { return view_; }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

  /// Whether a byte outside the texels has changed.
  [[nodiscard]] bool gaps_touched() const;

  static constexpr std::byte kPoison{0xA5};

 private:
  std::vector<std::byte> bytes_;
  MutableImageView view_;
};

/// Random texels: all quantised values of UNORM formats, finite floats between -1 and 2 (unsigned formats: 0 and 2).
void fill_random(const MutableImageView& image, Random& random);

/// The same for one rectangle of every slice.
void fill_random(const MutableImageView& image, Rect rect, Random& random);

/// Images for levels 1 and up.
struct Levels {
  std::vector<PaddedImage> images;
  std::vector<MutableImageView> views;

  explicit Levels(const PyramidOptions& options, size_t row_gap = 0, size_t slice_gap = 0);
  Levels(const Levels&) = delete;
  Levels(Levels&&) = default;

  [[nodiscard]] bool same_bytes(const Levels& other) const;
  [[nodiscard]] bool gaps_touched() const;
};

/// "1920x1080 r8g8b8a8_unorm > r8g8b8a8_unorm mean covering", for messages.
std::string describe(const PyramidOptions& options);

/// Sizes at which other pyramid implementations have failed, without the largest.
const std::vector<Extent>& awkward_sizes();

/// True if the environment asks for long test runs: ONEPASS_FULL=1.
bool full_run();

}  // namespace onepass::testing
