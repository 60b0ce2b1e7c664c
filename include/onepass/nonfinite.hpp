// nonfinite.hpp: finds and replaces NaN and Inf in an image. One such texel makes a whole channel of a transform, every
// coarser texel above it in a mean pyramid, and any average useless. They come from renderers and cameras: 0/0 in a
// shader, an unlit sample, a sensor defect. docs/nonfinite.md lists what each technique does with them.
//
//     auto found = find_nonfinite(scene);
//     if (!found) return found.error();
//     if (found->count() != 0) {
//       // "NaN at (x, y), 3 texels in all": refuse the image, or
//       auto replaced = replace_nonfinite(scene);
//     }
//
// Definitions. Texels are counted, over all their channels including alpha:
//     a NaN texel        at least one channel is NaN
//     an infinite texel  at least one channel is +Inf or -Inf, none is NaN
// A texel is of one kind at most, so the sum of both counts is the number of non-finite texels. Denormals, zeros of
// either sign and the largest finite value are finite. UNORM and sRGB formats cannot represent NaN or Inf.
#pragma once

#include <cstdint>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// The values to find, and the region to search.
struct NonFiniteOptions {
  bool infinite = true;  ///< Finds Inf as well. False: only NaN; infinite texels count as finite and are not replaced.
  Rect rect{};           ///< The region to search, the same in all slices. All 0: the whole image.

  // Tuning
  uint32_t threads = 0;  ///< At most this many threads; 0 = usable_threads(). Does not change the result.
};

/// One channel of a texel.
struct NonFiniteTexel {
  uint32_t x = 0;  ///< Position in the image, not in the rectangle.
  uint32_t y = 0;
  uint32_t slice = 0;
  uint32_t channel = 0;  ///< 0 is red. The first NaN of a NaN texel, the first Inf of an infinite texel.
  float value = 0.0F;    ///< The value found: NaN, +Inf or -Inf.
};

/// The non-finite texels of an image.
struct NonFinite {
  uint64_t nan_count = 0;       ///< Number of NaN texels in all slices.
  uint64_t infinite_count = 0;  ///< Number of infinite texels in all slices; 0 if NonFiniteOptions::infinite is false.
  NonFiniteTexel first{};  ///< The first texel counted, by slice, then row from the top, then column from the left. All
                           ///< 0 if there is none.
  [[nodiscard]] uint64_t count() const { return nan_count + infinite_count; }  ///< Number of texels of both kinds.
};

/// Counts the texels that are NaN or infinite. Padding between rows and slices is not read.
/// Cost: reads the rectangle in all slices once, at memory speed. UNORM and sRGB formats are not read.
/// Threads: any number of calls at once.
/// Errors: kInvalidArgument for a view without pixels, an unknown format, strides that are too short, or a rectangle
/// that is not within the image; kOutOfMemory.
[[nodiscard]] ONEPASS_API Result<NonFinite> find_nonfinite(const ImageView& image,
                                                           const NonFiniteOptions& options = {});

/// Replaces, in each channel: NaN by 0, +Inf by the largest finite value of the format (65504 for half, 3.40e38 for
/// float; for B10G11R11 65024 in the 11-bit channels and 64512 in the 10-bit channel), and -Inf by its negative. All
/// other bits keep their values. Returns the counts that find_nonfinite() would have returned before the replacement.
/// Cost: reads the rectangle in all slices once and writes only near replaced values.
/// Threads: any number of calls at once on images that do not overlap. Errors: those of find_nonfinite().
[[nodiscard]] ONEPASS_API Result<NonFinite> replace_nonfinite(const MutableImageView& image,
                                                              const NonFiniteOptions& options = {});

}  // namespace onepass
