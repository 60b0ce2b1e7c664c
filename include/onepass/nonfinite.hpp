// nonfinite.hpp: where does an image have NaN or Inf? One such texel spoils a whole channel of a transform, every
// coarser texel above it in a pyramid of means, and any average. Renderers and cameras make them: 0/0 in a shader, an
// unlit sample, a sensor defect. docs/nonfinite.md tells what each technique does with them.
//
//     auto found = find_nonfinite(scene);
//     if (!found) return found.error();
//     if (found->count() != 0) {
//       // "NaN at (x, y), 3 texels in all": refuse the image, or
//       auto replaced = replace_nonfinite(scene);
//     }
//
// Definitions. The unit of counting is the texel, alpha and every other channel included:
//     a NaN texel        at least one channel is NaN
//     an infinite texel  at least one channel is +Inf or -Inf, none is NaN
// The two kinds exclude each other, so that their sum is the number of texels that are not finite. Denormals, zeros of
// either sign and the largest finite value are finite. UNORM and sRGB formats have no codes for NaN and Inf.
#pragma once

#include <cstdint>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// What to look for, and where.
struct NonFiniteOptions {
  bool infinite = true;  ///< Inf too. False: NaN only; infinite texels are finite ones then, and stay.
  Rect rect{};           ///< The texels to look at, the same in all slices. All 0: the whole image.

  // Tuning
  uint32_t threads = 0;  ///< At most this many threads; 0 = all the machine has. Never changes a result.
};

/// A channel of a texel.
struct NonFiniteTexel {
  uint32_t x = 0;  ///< In the image, also where a rectangle was asked for.
  uint32_t y = 0;
  uint32_t slice = 0;
  uint32_t channel = 0;  ///< 0 is red: of a NaN texel the first NaN, of an infinite one the first Inf.
  float value = 0.0F;    ///< What it held: NaN, +Inf or -Inf.
};

/// What an image has that is not finite.
struct NonFinite {
  uint64_t nan_count = 0;       ///< NaN texels of all slices.
  uint64_t infinite_count = 0;  ///< Infinite texels of all slices; 0 if they were not asked for.
  NonFiniteTexel first{};  ///< The first that was counted: slices in order, rows from the top, texels from the left.
                           ///< All 0 if there is none.
  [[nodiscard]] uint64_t count() const { return nan_count + infinite_count; }  ///< Texels of both kinds.
};

/// Counts the texels that are NaN or infinite. Bytes between rows and slices are not looked at.
/// Cost: reads the rectangle of all slices once, at the speed of memory; UNORM and sRGB formats are not read.
/// Threads: any number of calls at once.
/// Errors: kInvalidArgument for a view without pixels, of an unknown format, with strides that are too short, or a
/// rectangle that is not within the image, kOutOfMemory.
[[nodiscard]] ONEPASS_API Result<NonFinite> find_nonfinite(const ImageView& image,
                                                           const NonFiniteOptions& options = {});

/// Replaces, channel by channel: NaN by 0, +Inf by the largest finite value of the format (65504 for half, 3.40e38 for
/// float, 65024 and 64512 for the 11 and 10 bits of B10G11R11), -Inf by its negative. All other bits stay. Returns what
/// find_nonfinite() would have returned before.
/// Cost: reads the rectangle of all slices once, writes only near what it replaces.
/// Threads: any number of calls on images that do not overlap. Errors: those of find_nonfinite().
[[nodiscard]] ONEPASS_API Result<NonFinite> replace_nonfinite(const MutableImageView& image,
                                                              const NonFiniteOptions& options = {});

}  // namespace onepass
