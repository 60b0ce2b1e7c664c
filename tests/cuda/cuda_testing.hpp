// cuda_testing.hpp: the CUDA device under test, and pyramids on it that tests can upload, build and read back.
//
// ONEPASS_TEST_CUDA: the number of a device. Without it kernels run on the host (fake_driver.hpp).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "onepass/cuda/pyramid.hpp"
#include "pyramid/cuda_impl.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {

/// The device under test; opened once.
const cuda::Device& test_cuda_device();

/// Is it a device, not the host?
bool on_cuda_device();

/// Device memory with a copy of bytes.
class CudaMemory {
 public:
  explicit CudaMemory(size_t bytes);
  CudaMemory(CudaMemory&& other) noexcept : address_(std::exchange(other.address_, 0)) {}
  CudaMemory& operator=(CudaMemory&&) = delete;
  ~CudaMemory();

  void upload(const void* bytes, size_t count) const;
  void download(void* bytes, size_t count) const;
  [[nodiscard]] void* data() const { return reinterpret_cast<void*>(address_); }

 private:
  cuda::DeviceAddress address_ = 0;
};

struct CudaSetup {
  PyramidOptions options;
  cuda::ImageMemory memory = {};
  cuda::PyramidTuning tuning = {};
  cuda::PyramidTestTuning test = {};
  size_t row_gap = 0;       ///< Bytes between rows; a multiple of the texels' alignment.
  size_t slice_gap = 0;     ///< Bytes between slices.
  bool own_scratch = true;  ///< false: the test allocates and resets it.
};

/// Builds a pyramid on the device under test `builds` times, the last time over poison, and compares all levels with
/// the oracle.
::testing::AssertionResult cuda_build_matches(const CudaSetup& setup, const ImageView& source, int builds = 1);
/// The same with random texels.
::testing::AssertionResult cuda_build_matches(const CudaSetup& setup, uint32_t seed = 1, int builds = 1);

}  // namespace onepass::testing
