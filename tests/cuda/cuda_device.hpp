// cuda_device.hpp: runs kernels in PTX on a CUDA device, by NVIDIA's driver (libcuda.so.1), without its headers.
#pragma once

#include <memory>
#include <string>

#include "tests/cuda/kernels.hpp"

namespace onepass::testing {

class CudaDevice {
 public:
  /// The first device; null without a driver or a device.
  static CudaDevice* get();

  /// Copies the buffers to the device, runs the kernel of the PTX in `file`, copies them back. Returns the error, empty
  /// if there is none.
  std::string run(const std::string& file, const CudaKernel& kernel, const Launch& launch);

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  struct Driver;
  std::shared_ptr<Driver> driver_;
  std::string name_;
};

}  // namespace onepass::testing
