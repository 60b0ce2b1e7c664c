// cuda_pyramid_testing.hpp: pyramids on the device under test that are uploaded, built and read back.
#pragma once

#include "onepass/cuda/pyramid.hpp"
#include "pyramid/cuda_impl.hpp"
#include "tests/cuda/cuda_testing.hpp"

namespace onepass::testing {

struct CudaSetup {
  PyramidOptions options;
  cuda::ImageMemory memory = {};
  cuda::PyramidTuning tuning = {};
  cuda::PyramidTestTuning test = {};
  size_t row_gap = 0;
  size_t slice_gap = 0;
  bool own_scratch = true;  ///< false: the test allocates and resets it.

  [[nodiscard]] CudaPlace place(cuda::Channels channels) const { return {channels, row_gap, slice_gap}; }
};

/// Builds a pyramid on the device under test `builds` times, the last time over poison, and compares all levels with
/// the oracle.
::testing::AssertionResult cuda_build_matches(const CudaSetup& setup, const ImageView& source, int builds = 1);
/// The same with random texels.
::testing::AssertionResult cuda_build_matches(const CudaSetup& setup, uint32_t seed = 1, int builds = 1);

}  // namespace onepass::testing
