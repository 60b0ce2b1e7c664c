// levels.hpp: random images, levels in host memory, and whether two of them are the same.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onepass/pyramid.hpp"

namespace onepass::bench {

/// What the random images of this run are made from: another number every time.
[[nodiscard]] uint64_t run_seed();

/// An image of random texels: bytes uniform, floats uniform in [0, 1). Constant images would be compressed on their way
/// to memory, and read up to twice as fast as real ones.
[[nodiscard]] Result<Image> random_image(Format format, Extent size, uint32_t slices);

/// Levels 1 and up.
struct Levels {
  std::vector<Image> images;  // level n at n - 1

  static Result<Levels> create(const PyramidOptions& options);
  [[nodiscard]] std::vector<MutableImageView> views();
};

/// Levels as the CPU engine makes them.
[[nodiscard]] Result<Levels> cpu_levels(const PyramidOptions& options, const ImageView& source);

/// How far two images may differ. All zero: not at all.
struct Tolerance {
  uint32_t codes = 0;   ///< 8-bit formats.
  double relative = 0;  ///< Other formats: of the expected value...
  double absolute = 0;  ///< ...plus this.
};

/// What docs/accuracy.md promises for the mean on a GPU; min and max are exact.
[[nodiscard]] Tolerance contract(const PyramidOptions& options, bool packed_half);

/// The first difference beyond the tolerance in one sentence; nothing if there is none. Formats of 8 bits are compared
/// as codes; of others, the channels that `expected` has.
[[nodiscard]] std::optional<std::string> difference(const ImageView& actual, const ImageView& expected,
                                                    const Tolerance& tolerance);

/// As difference() for level 1 and up, as many as `count`.
[[nodiscard]] std::optional<std::string> difference(const Levels& actual, const Levels& expected, size_t count,
                                                    const Tolerance& tolerance);

/// |actual - expected| / |expected|, Euclidean norms of all channels of texels of a format, in double. NaN if either
/// has one.
[[nodiscard]] double relative_error(Format format, std::span<const std::byte> actual,
                                    std::span<const std::byte> expected);

}  // namespace onepass::bench
