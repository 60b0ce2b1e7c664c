// levels.hpp: random images, levels in host memory, and comparisons of both.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onepass/pyramid.hpp"

namespace onepass::bench {

/// The seed of the random images of this run. It differs from run to run.
[[nodiscard]] uint64_t run_seed();

/// An image of random texels: bytes uniform, floats uniform in [0, 1). GPUs compress constant images in memory and read
/// them up to twice as fast as real ones.
[[nodiscard]] Result<Image> random_image(Format format, Extent size, uint32_t slices);

/// Levels 1 and up.
struct Levels {
  std::vector<Image> images;  // level n at n - 1

  static Result<Levels> create(const PyramidOptions& options);
  [[nodiscard]] std::vector<MutableImageView> views();
};

/// The levels that the CPU engine makes.
[[nodiscard]] Result<Levels> cpu_levels(const PyramidOptions& options, const ImageView& source);

/// How far two images may differ. All zero: not at all.
struct Tolerance {
  uint32_t codes = 0;   ///< 8-bit formats: steps between quantised values.
  double relative = 0;  ///< Other formats: of the expected value...
  double absolute = 0;  ///< ...plus this.
};

/// The tolerance that docs/accuracy.md states for means on a GPU; min and max are exact.
[[nodiscard]] Tolerance contract(const PyramidOptions& options, bool less_exact);

/// The first difference beyond the tolerance in one sentence; nothing if there is none. 8-bit formats are compared as
/// quantised values, other formats after decoding, in the channels of `expected`.
[[nodiscard]] std::optional<std::string> difference(const ImageView& actual, const ImageView& expected,
                                                    const Tolerance& tolerance);

/// The same for levels 1 to `count`.
[[nodiscard]] std::optional<std::string> difference(const Levels& actual, const Levels& expected, size_t count,
                                                    const Tolerance& tolerance);

/// |actual - expected| / |expected|, Euclidean norms over all channels of texels of `format`, in double. NaN if
/// `actual` or `expected` contains one.
[[nodiscard]] double relative_error(Format format, std::span<const std::byte> actual,
                                    std::span<const std::byte> expected);

}  // namespace onepass::bench
