// coverage_oracle.hpp: the promise of Alpha::kCoverage about stored alphas, counted. Shares no code with the library.
#pragma once

#include <span>

#include <gtest/gtest.h>

#include "onepass/pyramid.hpp"

namespace onepass::testing {

/// Pictures of alpha.
enum class AlphaPicture {
  kMask,    ///< A disc and noise, 0 or 1.
  kLeaves,  ///< Random alphas of which a third is 0 and some are 1.
  kLines    ///< Lines of one texel.
};
inline constexpr AlphaPicture kAlphaPictures[] = {AlphaPicture::kMask, AlphaPicture::kLeaves, AlphaPicture::kLines};

/// Random colours, and such a picture, another one in each slice.
void fill_alpha(const MutableImageView& image, AlphaPicture picture, uint32_t seed);

/// Whether of every level's stored alphas the share that passes the test is the nearest to the base's that any choice
/// of the largest alphas gives, and the passing texels are those with the largest alphas. Alphas that differ by less
/// than 10^-6 may be in any order.
::testing::AssertionResult keeps_coverage(const PyramidOptions& options, const ImageView& source,
                                          std::span<const MutableImageView> levels);

}  // namespace onepass::testing
