// kernel.hpp: kernels that the build embeds as PTX, with their constants; loaded once per device and shared.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cuda/device_impl.hpp"
#include "vulkan/kernels.hpp"

namespace onepass::cuda {

/// PTX packed by cmake/pack_ptx.pl. Empty in builds without clang.
extern const vulkan::KernelSet kCudaLuminanceKernels;
extern const vulkan::KernelSet kCudaPyramidKernels;
extern const vulkan::KernelSet kCudaTileReductionKernels;
extern const vulkan::KernelSet kCudaToneMapKernels;

/// The PTX of the variant `name`; no value if the set has no such variant or is damaged.
std::optional<std::string> unpack_ptx(const vulkan::KernelSet& set, std::string_view name);

/// Writes constant n in place of its name in the PTX (cuda/specialized.cuh), and in front of it a comment with the name
/// of the kernel and its constants.
std::string specialize(std::string_view ptx, std::string_view name, std::span<const uint32_t> constants);

/// A loaded kernel.
class Kernel {
 public:
  /// The variant `name` with these constants. The driver compiles PTX in tenths of a second, and stores the result in a
  /// cache of its own.
  /// Errors: kUnsupported if the build has no kernels; kDevice, kOutOfMemory.
  static Result<std::shared_ptr<const Kernel>> find(const Device& device, const vulkan::KernelSet& set,
                                                    const std::string& name, std::span<const uint32_t> constants);

  Kernel(const Device::Impl& device, Module module, Function function)
      : device_(device), module_(module), function_(function) {}
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  ~Kernel() { device_.driver.module_unload(module_); }

  /// The launch of a technique that has one: makes the context current for it. Errors: kDevice.
  Result<void> record(Stream stream, std::array<uint32_t, 3> groups, uint32_t group_size, const void* parameter) const {
    const CurrentContext current(device_);
    if (auto checked = device_.check("cuCtxPushCurrent", current.status()); !checked) return checked;
    return device_.check("cuLaunchKernel", launch(stream, groups, group_size, parameter));
  }

  /// Enqueues a launch with one parameter, a struct, which the driver copies. The context is current.
  int launch(Stream stream, std::array<uint32_t, 3> groups, uint32_t group_size, const void* parameter) const {
    void* parameters[] = {const_cast<void*>(parameter)};
    return device_.driver.launch(function_, groups[0], groups[1], groups[2], group_size, 1, 1, 0, stream, parameters,
                                 nullptr);
  }

 private:
  const Device::Impl& device_;  // which owns it
  Module module_;
  Function function_;
};

}  // namespace onepass::cuda
