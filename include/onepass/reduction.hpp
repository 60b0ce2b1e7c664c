// reduction.hpp: the ways to combine texels into one, which pyramids and tile reductions share.
#pragma once

#include <cstdint>

namespace onepass {

/// How several texels are combined into one texel.
enum class Reduction : uint32_t {
  kMean,    ///< The mean. Weights: see Footprint for pyramids; tile reductions weigh all texels of a tile equally.
  kMin,     ///< Smallest value of each channel.
  kMax,     ///< Largest value of each channel.
  kMinMax,  ///< Minimum in the first channel, maximum in the second. The target has two channels; the source has one
            ///< (used for both) or two (already a minimum and a maximum).
  kMode,    ///< The most frequent label of the up to four texels one level finer; the smallest one if several are
            ///< equally frequent. Labels are kR8Uint, kR16Uint or kR32Uint, the same in source and target. Only the CPU
            ///< engine of pyramids, with Footprint::kCeil or kAligned.
};

}  // namespace onepass
