// vulkan_impl.hpp: the insides of vulkan::ToneMap and vulkan::ToneMapBinding.
#pragma once

#include "onepass/tone_map_params.h"
#include "onepass/vulkan/tone_map.hpp"
#include "tone_map/local_exposure.hpp"
#include "tone_map/program.hpp"
#include "vulkan/compute_pipeline.hpp"

namespace onepass::vulkan {

/// Where cubics begin in the buffer of a program, a ToneMapProgram: a multiple of every alignment that devices ask of
/// buffers in descriptors (256 at most).
inline constexpr VkDeviceSize kToneCubicsOffset = 512;
static_assert(sizeof(tone_map::ToneMapProgram) <= kToneCubicsOffset);

/// What a kernel is specialised for, in the order of the ids of tone_map.comp.
struct ToneConstants {
  uint32_t local_size, group, pixels;
  uint32_t mix, matrix_mask, curve_mask, root_mask, curve_count;
  VkBool32 keeps_hue, guard_rail;
  uint32_t source_channels, target_channels, target_kind;
  VkBool32 dither, fine;
  uint32_t foot_mask, shifts, ootf_stage;
  VkBool32 local;  // tone_map.comp only
};

/// A program's numbers on the device. Errors: kOutOfMemory, kDevice.
Result<Buffer> create_tone_program(const Device::Impl& device, const tone_map::Program& program, Format target);
ToneConstants make_tone_constants(const ToneMapOptions& options, const tone_map::Program& program,
                                  const ToneMapDispatchPlan& plan);

struct ONEPASS_INTERNAL ToneMap::Impl {
  Device device;
  ToneMapOptions options;
  ToneMapDispatchPlan plan;
  Buffer program;                                 // a ToneMapProgram, then, from kCubicsOffset on, cubics
  std::shared_ptr<const ComputeKernel> pipeline;  // shared by all that differ in numbers only
  std::shared_ptr<const ComputeKernel> grid;      // of local exposure; null without
  tone_map::LocalPlan local;

  explicit Impl(const Device& d) : device(d) {}
};

/// The grid of local exposure, of all slices, and what its dispatch is bound by.
struct LocalBinding {
  Buffer counters;  // a region each; zeroes between dispatches
  Buffer raw, nodes;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

/// Bytes of the three buffers. Errors: kUnsupported where the device cannot index them.
Result<uint64_t> plan_local_scratch(const Device::Impl& device, const ToneMapOptions& options,
                                    const tone_map::LocalPlan& plan);
/// Errors: kOutOfMemory, kDevice.
Result<std::shared_ptr<const ComputeKernel>> find_local_kernel(const Device::Impl& device,
                                                               const ToneMapOptions& options);
/// Errors: kOutOfMemory, kDevice.
Result<void> bind_local(const ToneMap::Impl& map, VkImageView source, VkImageLayout layout, LocalBinding& binding);
/// Makes the grid, and the barriers about it.
void record_local(const ToneMap::Impl& map, const LocalBinding& binding, VkCommandBuffer commands);

struct ONEPASS_INTERNAL ToneMapBinding::Impl {
  std::shared_ptr<const ToneMap::Impl> map;  // keeps the device and layouts alive
  VkImageView source = VK_NULL_HANDLE;
  VkImageView target = VK_NULL_HANDLE;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  uint32_t exposure_index = ONEPASS_TONE_NO_EXPOSURE;
  uint32_t exposure_step = 0;
  LocalBinding local;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();
};

}  // namespace onepass::vulkan
