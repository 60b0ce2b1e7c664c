// bloom_oracle.hpp: bloom from its definition, in double: direct sums, no code of the library.
#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "onepass/bloom.hpp"
#include "tests/fourier/fourier_ops_oracle.hpp"

namespace fourier_ops_test {

/// The colours of an image with bloom. `kernels`: one plane for all colours or one per colour, as large as the plan's;
/// their common factor is removed. `levels`: of a mip chain.
std::vector<Plane> bloom_of(const std::vector<Plane>& colours, const onepass::BloomOptions& options,
                            const std::vector<Plane>& kernels, uint32_t levels);

/// An engine: the image with bloom. `kernel` may be null. Fails the running test if the engine fails.
using BloomEngine = std::function<Image(const onepass::BloomOptions&, const Image* kernel, const Image& source)>;

/// A random image and, if the options have a kernel image, a random kernel of the plan's size; their formats are
/// floats. Compares the engine's result with the oracle; `tolerance`: of the largest value.
void check_bloom(const BloomEngine& engine, onepass::BloomOptions options, uint32_t seed, double tolerance);

/// Options of every method, resolution and kind of kernel, at one size; the kernel images have as many channels as the
/// image.
std::vector<onepass::BloomOptions> bloom_cases(Extent size, uint32_t channels);

std::string describe(const onepass::BloomOptions& options);

}  // namespace fourier_ops_test
