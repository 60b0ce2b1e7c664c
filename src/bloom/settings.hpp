// settings.hpp: options of the convolution and the pyramid that compute a bloom's glow, for both engines.
#pragma once

#include "onepass/bloom.hpp"
#include "onepass/pyramid.hpp"

namespace onepass {

/// The format of a glow that is stored: 32-bit floats, one channel per colour; three are stored as four.
[[nodiscard]] Format glow_format(const BloomOptions& options);

/// The format of the kernel that make_bloom_kernel() returns.
[[nodiscard]] Format kernel_format(const BloomOptions& options);

/// The convolution of the glow. Its source is the image, read by the bright pass, also at half resolution; its target
/// is the image at full and the glow at half resolution.
[[nodiscard]] ConvolutionOptions convolution_options(const BloomPlan& plan);

/// kMipChain, at least two levels: the pyramid whose base is the bright light.
[[nodiscard]] PyramidOptions chain_options(const BloomPlan& plan);

/// Weights of the tent filter that enlarges a level, for a texel at `offset` texels (0 to 1) after tap 1 of four
/// consecutive texels: linear interpolation of the level blurred by (1 2 1) / 4.
inline void tent_weights(float offset, float* weights) {
  weights[0] = 0.25F * (1 - offset);
  weights[1] = 0.25F * (2 - offset);
  weights[2] = 0.25F * (1 + offset);
  weights[3] = 0.25F * offset;
}

}  // namespace onepass
