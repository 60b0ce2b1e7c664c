// vulkan_impl.hpp: private data of vulkan::Meter and vulkan::MeterBinding; functions that vulkan::FrameToneMap shares.
#pragma once

#include "luminance/settings.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "vulkan/compute_pipeline.hpp"

namespace onepass::vulkan {

// Shared memory of a meter's workgroup, in bytes: for each of `copies`, and for everything else (2880, rounded up).
inline constexpr uint32_t kMeterCopyBytes = 8192;
inline constexpr uint32_t kMeterOtherBytes = 2944;

/// Whether kernels use subgroup shuffles. Errors: kInvalidArgument, kUnsupported.
Result<bool> choose_meter_subgroup(const Device::Impl& device, Switch wanted);

/// Computes the numbers of workgroups, scratch memory and bytes. Errors: those of Meter::create.
Result<MeterDispatchPlan> plan_meter_dispatch(const Device::Impl& device, const MeterOptions& options,
                                              const MeterTuning& tuning);

/// Sets `buffer` and `offset` to a buffer of results or scratch memory: the given one, or a new one in `owned`.
Result<void> take_meter_buffer(const Device::Impl& device, VkBuffer given, VkDeviceSize given_offset, uint64_t bytes,
                               Buffer& owned, VkBuffer& buffer, VkDeviceSize& offset);

struct ONEPASS_INTERNAL Meter::Impl {
  Device device;
  MeterOptions options;
  MeterDispatchPlan plan;
  luminance::LuminanceParams params{};
  std::shared_ptr<const ComputeKernel> kernel;  // shared by meters with the same specialization constants
  std::shared_ptr<const ComputeKernel> join;    // the second dispatch of two_pass; else null

  explicit Impl(const Device& d) : device(d) {}
};

struct ONEPASS_INTERNAL MeterBinding::Impl {
  std::shared_ptr<const Meter::Impl> meter;  // keeps the device and layouts alive
  VkImageView source = VK_NULL_HANDLE;
  VkImageView mask = VK_NULL_HANDLE;
  VkBuffer results = VK_NULL_HANDLE;
  VkBuffer scratch = VK_NULL_HANDLE;
  VkDeviceSize results_offset = 0;
  VkDeviceSize scratch_offset = 0;
  Buffer owned_results;
  Buffer owned_scratch;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();
};

}  // namespace onepass::vulkan
