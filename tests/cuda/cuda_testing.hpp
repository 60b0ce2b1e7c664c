// cuda_testing.hpp: the CUDA device under test, and images in its memory, in any order of channels.
//
// ONEPASS_TEST_CUDA: the number of a device. Without it kernels run on the host (fake_driver.hpp).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cuda/device_impl.hpp"
#include "onepass/cuda/image.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {

/// The device under test; opened once.
const cuda::Device& test_cuda_device();

/// Is it a device, not the host?
bool on_cuda_device();

/// A launch on the host takes some seconds per million texels: there, one case in `odds`. On a device, one in
/// `odds_on_device`: oracles of large images and drivers' compilers take their time, too.
class CudaSample {
 public:
  bool takes(uint32_t odds, uint32_t odds_on_device = 1) {
    return random_.below(on_cuda_device() ? odds_on_device : odds) == 0 || full_run();
  }

 private:
  Random random_{random_seed()};
};

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

/// Where an image lies in memory.
struct CudaPlace {
  cuda::Channels channels = cuda::Channels::kInterleaved;
  size_t row_gap = 0;    ///< Bytes between rows; a multiple of the texels' alignment.
  size_t slice_gap = 0;  ///< Bytes between slices.
};

/// An image in device memory of its own, of poison at first.
class CudaImage {
 public:
  CudaImage(Format format, Extent size, uint32_t slices, const CudaPlace& place);

  [[nodiscard]] cuda::DeviceImage image() const {
    return {.data = memory_->data(),
            .row_stride = row_stride_,
            .slice_stride = slice_stride_,
            .channel_stride = channel_stride_};
  }
  void upload(const ImageView& view) const;
  void poison() const;
  /// Fails if bytes between texels are no longer poison.
  [[nodiscard]] ::testing::AssertionResult download(const MutableImageView& view) const;

 private:
  /// Calls copy(place in the device's order, place in the view) for every channel of every texel, or for whole texels.
  template <typename Copy>
  void for_each(const ImageView& view, const Copy& copy) const;

  Format format_;
  Extent size_;
  uint32_t slices_ = 1, channels_ = 1, channel_bytes_ = 0;
  size_t row_stride_ = 0, channel_stride_ = 0, slice_stride_ = 0, bytes_ = 0;
  std::unique_ptr<CudaMemory> memory_;
};

/// The format of four channels that oracles have instead of RGB; others as they are.
Format known_format(Format format);

/// A view of RGB as an image with an alpha of 1. Other formats as they are, or, if `opaque`, with an alpha of 1.
PaddedImage expanded(const ImageView& view, bool opaque = false);

/// Promises of the CUDA engine: docs/accuracy.md.
Tolerance cuda_tolerance(const PyramidOptions& options);

}  // namespace onepass::testing
