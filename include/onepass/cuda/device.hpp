// cuda/device.hpp: the CUDA device on which techniques run, in a context of the caller's or in the device's primary
// context, which programs of the CUDA runtime use.
//
// NVIDIA's driver (libcuda.so.1, nvcuda.dll) is opened at run time; neither CUDA's toolkit nor its headers are needed.
// Without a driver or a device everything else works, and create() returns an error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "onepass/export.h"
#include "onepass/result.hpp"

// NVIDIA's names: CUcontext is CUctx_st*; CUstream and cudaStream_t are CUstream_st*.
struct CUctx_st;
struct CUstream_st;

namespace onepass::cuda {

/// A stream of the driver (CUstream) or of the runtime (cudaStream_t), which are the same. Null: the default stream.
using Stream = ::CUstream_st*;

/// Properties of a device.
struct DeviceInfo {
  std::string name;            ///< As the driver states it: "NVIDIA H200".
  uint32_t ordinal = 0;        ///< The number of the device in the driver's order.
  uint32_t compute_major = 0;  ///< Compute capability, 7.5 or higher: 9 of 9.0.
  uint32_t compute_minor = 0;
  uint32_t multiprocessors = 0;
  uint64_t memory_bytes = 0;    ///< Total memory.
  uint32_t driver_version = 0;  ///< Highest version of CUDA that the driver supports: 12040 is 12.4.
};

/// A device with a context. Copies share it. Pyramids keep it alive.
/// Threads: any number of calls at once.
class ONEPASS_API Device {
 public:
  /// The device of this number in its primary context, which is retained until the last copy and everything created
  /// from it is gone.
  /// Errors: kNotFound without a driver or a device of this number; kUnsupported below compute capability 7.5; kDevice;
  /// kOutOfMemory.
  static Result<Device> create(uint32_t ordinal = 0);

  /// The context that is current on the calling thread. It must outlive the last copy and everything created from it.
  /// Errors: as create(); kInvalidArgument without a current context.
  static Result<Device> adopt();

  /// All devices. Errors: kNotFound without a driver, kDevice.
  static Result<std::vector<DeviceInfo>> list();

  [[nodiscard]] const DeviceInfo& info() const;  ///< Properties of the device.
  [[nodiscard]] ::CUctx_st* context() const;     ///< CUcontext.

  /// Unloads the kernels that no technique uses; returns their number. Launches of these must have ended.
  size_t trim() const;

  struct Impl;  // private to the library
  explicit Device(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace onepass::cuda
