// vulkan_impl.hpp: private data of vulkan::Meter and vulkan::MeterBinding; functions that vulkan::FrameToneMap shares.
#pragma once

#include "luminance/settings.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "vulkan/compute_kernel.hpp"

namespace onepass::vulkan {

// Shared memory of a meter's workgroup, in bytes: for each of `copies`, and for everything else (2880, rounded up).
inline constexpr uint32_t kMeterCopyBytes = 8192;
inline constexpr uint32_t kMeterOtherBytes = 2944;

/// Whether kernels use subgroup shuffles. Errors: kInvalidArgument, kUnsupported.
Result<bool> choose_meter_subgroup(const Device::Impl& device, Switch wanted);

/// Computes the numbers of workgroups, scratch memory and bytes. Errors: those of Meter::create.
Result<MeterDispatchPlan> plan_meter_dispatch(const Device::Impl& device, const MeterOptions& options,
                                              const MeterTuning& tuning);

/// Usage of the results and scratch memory that a binding allocates.
inline constexpr VkBufferUsageFlags kMeterBufferUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;

struct ONEPASS_INTERNAL Meter::Impl {
  Device device;
  MeterOptions options;
  MeterDispatchPlan plan;
  luminance::LuminanceParams params{};
  std::shared_ptr<const ComputeKernel> kernel;  // shared by meters with the same specialization constants
  std::shared_ptr<const ComputeKernel> join;    // the second dispatch without divergent barriers; else null

  explicit Impl(const Device& d) : device(d) {}
};

struct ONEPASS_INTERNAL MeterBinding::Impl {
  std::shared_ptr<const Meter::Impl> meter;  // keeps the device and layouts alive
  BindingObjects objects;
  VkBuffer results = VK_NULL_HANDLE;
  VkBuffer scratch = VK_NULL_HANDLE;
  VkDeviceSize results_offset = 0;
  VkDeviceSize scratch_offset = 0;
  VkDescriptorSet set = VK_NULL_HANDLE;

  explicit Impl(std::shared_ptr<const Meter::Impl> m)
      : meter(std::move(m)), objects(meter->device.impl(), "luminance") {}
};

}  // namespace onepass::vulkan
