// vulkan_impl.hpp: private data of vulkan::ToneMap and vulkan::ToneMapBinding; functions that vulkan::FrameToneMap
// shares; the Vulkan part of local exposure.
#pragma once

#include "onepass/tone_map_params.h"
#include "onepass/vulkan/tone_map.hpp"
#include "tone_map/local_exposure.hpp"
#include "tone_map/program.hpp"
#include "vulkan/compute_kernel.hpp"

namespace onepass::vulkan {

/// Offset of the cubics in a program's buffer, after the ToneMapProgram: a multiple of the largest alignment of
/// descriptors that Vulkan allows, 256.
inline constexpr VkDeviceSize kToneCubicsOffset = 512;
static_assert(sizeof(tone_map::ToneMapProgram) <= kToneCubicsOffset);

/// The specialization constants, in the order of their ids in tone_map.comp.
struct ToneConstants {
  uint32_t local_size, group, pixels;
  uint32_t mix, matrix_mask, curve_mask, root_mask, curve_count;
  VkBool32 keeps_hue, guard_rail;
  uint32_t source_channels, target_channels, target_kind;
  VkBool32 dither, fine;
  uint32_t foot_mask, shifts, ootf_stage;
  VkBool32 local;  // tone_map.comp only
};

/// The device's program for these options, whose curves the first call fits. Errors: none.
Result<std::shared_ptr<const tone_map::Program>> find_tone_program(const Device::Impl& device,
                                                                   const ToneMapOptions& options);
/// Makes a device buffer with the constants and curves of a program. Errors: kOutOfMemory, kDevice.
Result<Buffer> create_tone_program(const Device::Impl& device, const tone_map::Program& program, Format target);
ToneConstants make_tone_constants(const ToneMapOptions& options, const tone_map::Program& program,
                                  const ToneMapDispatchPlan& plan);

struct ONEPASS_INTERNAL ToneMap::Impl {
  Device device;
  ToneMapOptions options;
  ToneMapDispatchPlan plan;
  std::shared_ptr<const Buffer> program;        // a ToneMapProgram, then, from kToneCubicsOffset on, cubics; shared by
                                                // tone maps with the same operator and transfer
  std::shared_ptr<const ComputeKernel> kernel;  // shared by tone maps with the same specialization constants
  std::shared_ptr<const ComputeKernel> grid;    // kernel of local exposure's grid, or null
  tone_map::LocalPlan local;

  explicit Impl(const Device& d) : device(d) {}
};

/// The grid of local exposure for all slices, and the descriptors of its dispatch.
struct LocalBinding {
  VkDescriptorBufferInfo counters{};  // a word per region; zero between dispatches
  VkDescriptorBufferInfo nodes{};
  VkDescriptorSet set = VK_NULL_HANDLE;
};

/// Bytes of counters, raw nodes and nodes. Errors: kUnsupported where the device cannot index them.
Result<uint64_t> plan_local_scratch(const Device::Impl& device, const ToneMapOptions& options,
                                    const tone_map::LocalPlan& plan);
/// Errors: kOutOfMemory, kDevice.
Result<std::shared_ptr<const ComputeKernel>> find_local_kernel(KernelBatch& batch, const ToneMapOptions& options);
/// Errors: kOutOfMemory, kDevice.
Result<void> bind_local(const ToneMap::Impl& map, const ToneMapImages& images, VkImageView source,
                        BindingObjects& objects, LocalBinding& binding);
/// Records the dispatch that makes the grid, and the barriers before and after it.
void record_local(const ToneMap::Impl& map, const LocalBinding& binding, VkCommandBuffer commands);

struct ONEPASS_INTERNAL ToneMapBinding::Impl {
  std::shared_ptr<const ToneMap::Impl> map;  // keeps the device and layouts alive
  BindingObjects objects;
  VkDescriptorSet set = VK_NULL_HANDLE;
  uint32_t exposure_index = ONEPASS_TONE_NO_EXPOSURE;
  uint32_t exposure_step = 0;
  LocalBinding local;

  explicit Impl(std::shared_ptr<const ToneMap::Impl> m) : map(std::move(m)), objects(map->device.impl(), "tone_map") {}
};

}  // namespace onepass::vulkan
