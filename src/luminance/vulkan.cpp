// vulkan.cpp: the Vulkan engine of the meter: number of workgroups, pipelines, descriptors, one dispatch (two with
// MeterTuning::two_pass).
#include <algorithm>
#include <array>
#include <string>

#include "luminance/vulkan_impl.hpp"
#include "vulkan/compute_pipeline.hpp"
#include "vulkan/image_view.hpp"

namespace onepass::vulkan {
namespace {

using luminance::LuminanceParams;

enum BindingIndex : uint32_t { kSource = 0, kMask = 1, kScratch = 2, kResults = 3 };

// Enough workgroups to fill the largest GPUs: two of 256 invocations for each of 132 multiprocessors, with 32 KB of
// rgba16f in flight on each. More would only add sums and histograms to join.
constexpr uint32_t kDefaultGroups = 264;
// The 32-bit words of a workgroup's histogram hold at most 8192 tiles of 2048 pixels of weight 255.
constexpr uint32_t kMostTilesOfGroup = 8192;
constexpr uint32_t kMostGroups = 65535;     // every device allows as many; the digits of sums are sized for it
constexpr VkDeviceSize kOffsetAlign = 256;  // the largest minStorageBufferOffsetAlignment that Vulkan allows

/// Specialization constants in the order of their ids.
struct Constants {
  uint32_t bins, copies, metering, statistic;
  VkBool32 grey;
};
constexpr uint32_t kConstantCount = sizeof(Constants) / 4;

Error invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), {}}; }

Error unsupported(const Device::Impl& device, std::string message) {
  return {ErrorCode::kUnsupported, std::move(message), device.info.name};
}

// ---- Plan

Result<void> check_device(const Device::Impl& device, const MeterOptions& options) {
  // A meter has no target image; every device supports this format.
  auto checked = check_images(device, {options.size, options.slices, options.source, Format::kR32Sfloat});
  if (!checked) return checked;
  const bool masked = options.metering == Metering::kMask;
  if (masked && (device.features_of(static_cast<VkFormat>(options.mask)) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) == 0) {
    return unsupported(device, "mask: the device cannot sample " + std::string(format_info(options.mask).name));
  }
  const VkPhysicalDeviceLimits& limits = device.limits;
  if (std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]) < ONEPASS_LUMINANCE_GROUP) {
    return unsupported(device, "maxComputeWorkGroupInvocations: " +
                                   std::to_string(limits.maxComputeWorkGroupInvocations) + ", 256 are needed");
  }
  return {};
}

Result<uint32_t> choose_copies(const Device::Impl& device, uint32_t wanted) {
  const uint32_t bytes = device.limits.maxComputeSharedMemorySize;
  if (wanted == 0) return bytes >= 32768 ? 2U : 1U;
  if (wanted != 1 && wanted != 2 && wanted != 4) {
    return invalid("tuning.copies: " + std::to_string(wanted) + " is not one of 1, 2 and 4");
  }
  if (wanted * kMeterCopyBytes + kMeterOtherBytes > bytes) {
    return unsupported(device, "tuning.copies: " + std::to_string(wanted) + " need more shared memory than " +
                                   std::to_string(bytes) + " bytes");
  }
  return wanted;
}

}  // namespace

Result<bool> choose_meter_subgroup(const Device::Impl& device, Switch wanted) {
  constexpr VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  const uint32_t size = device.info.subgroup_size;
  const bool has = (device.subgroup_operations & needed) == needed && size >= 8 && size <= 128;
  if (wanted > Switch::kOn) return invalid("tuning.subgroup: not one of the enumerators");
  if (wanted == Switch::kOn && !has) {
    return unsupported(device,
                       "tuning.subgroup: shuffle operations in subgroups of 8 to 128 are missing in compute shaders");
  }
  // With kOn the caller guarantees full subgroups, if the feature computeFullSubgroups is not enabled.
  return has && (wanted == Switch::kOn || (wanted == Switch::kAuto && device.handles.features.compute_full_subgroups));
}

Result<MeterDispatchPlan> plan_meter_dispatch(const Device::Impl& device, const MeterOptions& options,
                                              const MeterTuning& tuning) {
  const auto base = plan_meter(options);
  if (!base) return base.error();
  if (auto checked = check_device(device, options); !checked) return checked.error();
  if (tuning.subgroup == Switch::kOn && tuning.two_pass) {
    return invalid("tuning.subgroup: two passes have no kernels with subgroup operations");
  }
  if (tuning.memory_model && tuning.two_pass) {
    return invalid("tuning.memory_model: two passes hand nothing over within a dispatch");
  }
  if (tuning.memory_model && !device.handles.features.vulkan_memory_model) {
    return unsupported(device, "tuning.memory_model: feature vulkanMemoryModel is missing");
  }
  MeterDispatchPlan plan;
  plan.plan = *base;
  const auto copies = choose_copies(device, tuning.copies);
  if (!copies) return copies.error();
  plan.copies = *copies;
  const auto tiles_of = [](uint32_t texels, uint32_t side) { return (texels + side - 1) / side; };
  const uint32_t tiles = tiles_of(base->rect.width, ONEPASS_LUMINANCE_TILE_WIDTH) *
                         tiles_of(base->rect.height, ONEPASS_LUMINANCE_TILE_HEIGHT);
  const uint32_t most = std::min(tiles, kMostGroups);
  const uint32_t least = tiles_of(tiles, kMostTilesOfGroup);
  if (tuning.groups > most) {
    return invalid("tuning.groups: " + std::to_string(tuning.groups) + ", at most " + std::to_string(most) +
                   " have something to do");
  }
  const uint32_t wanted = tuning.groups != 0 ? tuning.groups : std::max(1U, kDefaultGroups / options.slices);
  plan.groups_x = std::clamp(wanted, least, most);
  plan.groups_z = options.slices;
  plan.dispatches = tuning.two_pass ? 2 : 1;
  const uint64_t words = ONEPASS_LUMINANCE_BINS_AT + 2 * luminance::counted_bins(options);
  if (words * options.slices > UINT32_MAX) return unsupported(device, "slices: too many to index their scratch memory");
  plan.scratch_bytes = 4 * words * options.slices;
  plan.result_bytes = base->bytes_written;
  return plan;
}

namespace {

// ---- Pipelines

Result<std::shared_ptr<const ComputeKernel>> find_kernel_of(const Device::Impl& device, const Constants& constants,
                                                            const std::string& name, bool full_subgroups = false) {
  constexpr KernelBinding kBindings[] = {{kSource, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                         {kMask, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                         {kScratch},
                                         {kResults}};
  std::string key = name + '/';
  key.append(reinterpret_cast<const char*>(&constants), sizeof(constants));
  return device.shared->get<ComputeKernel>(key, [&] {
    return create_compute_kernel(device, {.kernel = name,
                                          .constants = {reinterpret_cast<const uint32_t*>(&constants), kConstantCount},
                                          .bindings = kBindings,
                                          .params_bytes = sizeof(LuminanceParams),
                                          .full_subgroups = full_subgroups});
  });
}

// ---- Binding

Result<void> check_binding(const MeterOptions& options, const MeterImages& images) {
  if (images.source == VK_NULL_HANDLE) return invalid("source: null image");
  const bool masked = options.metering == Metering::kMask;
  if (masked && images.mask == VK_NULL_HANDLE) return invalid("mask: null image");
  if (!masked && images.mask != VK_NULL_HANDLE) return invalid("mask: given, but metering is not by mask");
  for (const auto& [name, offset] :
       {std::pair{"results_offset", images.results_offset}, {"scratch_offset", images.scratch_offset}}) {
    if (offset % kOffsetAlign != 0) {
      return invalid(std::string(name) + ": " + std::to_string(offset) + " is not a multiple of 256");
    }
  }
  return {};
}

Result<void> create_views(const Meter::Impl& meter, const MeterImages& images, MeterBinding::Impl& binding) {
  const Device::Impl& device = meter.device.impl();
  const MeterOptions& options = meter.options;
  auto source = create_view(device, {.image = images.source,
                                     .format = static_cast<VkFormat>(options.source),
                                     .level = images.source_level,
                                     .first_slice = images.source_slice,
                                     .slices = options.slices,
                                     .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
                                     .depth = format_info(options.source).depth});
  if (!source) return source.error();
  binding.source = *source;
  if (options.metering != Metering::kMask) return {};
  auto mask = create_view(device, {.image = images.mask,
                                   .format = static_cast<VkFormat>(options.mask),
                                   .level = images.mask_level,
                                   .first_slice = images.mask_slice,
                                   .slices = 1,
                                   .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
                                   .depth = format_info(options.mask).depth});
  if (!mask) return mask.error();
  binding.mask = *mask;
  return {};
}

}  // namespace

Result<void> take_meter_buffer(const Device::Impl& device, VkBuffer given, VkDeviceSize given_offset, uint64_t bytes,
                               Buffer& owned, VkBuffer& buffer, VkDeviceSize& offset) {
  buffer = given;
  offset = given != VK_NULL_HANDLE ? given_offset : 0;
  if (given != VK_NULL_HANDLE) return {};
  constexpr VkBufferUsageFlags kUsage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  auto created = Buffer::create(device, bytes, kUsage, false);
  if (!created) return created.error();
  owned = std::move(*created);
  buffer = owned.buffer;
  return {};
}

namespace {

Result<void> create_set(const Meter::Impl& meter, const MeterImages& given, MeterBinding::Impl& binding) {
  const Device::Impl& device = meter.device.impl();
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2},
                                        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = 1;
  pool.poolSizeCount = 2;
  pool.pPoolSizes = sizes;
  VkResult result = device.functions.vkCreateDescriptorPool(device.handles.device, &pool, nullptr, &binding.pool);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = binding.pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &meter.kernel->set_layout;
  result = device.functions.vkAllocateDescriptorSets(device.handles.device, &allocate, &binding.set);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkAllocateDescriptorSets");

  VkSampler sampler = meter.kernel->sampler;
  const VkDescriptorImageInfo source{sampler, binding.source, given.source_layout};
  // Without a mask the kernel does not read it, but the descriptor must be valid.
  const VkDescriptorImageInfo mask =
      binding.mask != VK_NULL_HANDLE ? VkDescriptorImageInfo{sampler, binding.mask, given.mask_layout} : source;
  const VkDescriptorBufferInfo scratch{binding.scratch, binding.scratch_offset, meter.plan.scratch_bytes};
  const VkDescriptorBufferInfo results{binding.results, binding.results_offset, meter.plan.result_bytes};
  std::array<VkWriteDescriptorSet, 4> writes{};
  for (uint32_t i = 0; i < writes.size(); ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = binding.set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType =
        i <= kMask ? VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  }
  writes[kSource].pImageInfo = &source;
  writes[kMask].pImageInfo = &mask;
  writes[kScratch].pBufferInfo = &scratch;
  writes[kResults].pBufferInfo = &results;
  device.functions.vkUpdateDescriptorSets(device.handles.device, static_cast<uint32_t>(writes.size()), writes.data(), 0,
                                          nullptr);
  return {};
}

}  // namespace

MeterBinding::Impl::~Impl() {
  if (!meter) return;
  const Device::Impl& device = meter->device.impl();
  VkDevice handle = device.handles.device;
  device.functions.vkDestroyDescriptorPool(handle, pool, nullptr);
  device.functions.vkDestroyImageView(handle, source, nullptr);
  device.functions.vkDestroyImageView(handle, mask, nullptr);
  Buffer().swap(owned_results);  // before the device is released
  Buffer().swap(owned_scratch);
}

MeterBinding::MeterBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MeterBinding::MeterBinding(MeterBinding&&) noexcept = default;
MeterBinding& MeterBinding::operator=(MeterBinding&&) noexcept = default;
MeterBinding::~MeterBinding() = default;
VkBuffer MeterBinding::results() const { return impl_->results; }
VkDeviceSize MeterBinding::results_offset() const { return impl_->results_offset; }

Result<Meter> Meter::create(const Device& device, const MeterOptions& options, const MeterTuning& tuning) {
  auto impl = std::make_shared<Impl>(device);
  const Device::Impl& d = impl->device.impl();
  impl->options = options;
  auto plan = plan_meter_dispatch(d, options, tuning);
  if (!plan) return plan.error();
  impl->plan = *plan;
  impl->params = luminance::make_params(options, plan->plan.rect);
  impl->params.groups = plan->groups_x;
  const Constants constants{.bins = luminance::counted_bins(options),
                            .copies = plan->copies,
                            .metering = static_cast<uint32_t>(options.metering),
                            .statistic = static_cast<uint32_t>(options.statistic),
                            .grey = luminance::is_grey(options.source)};
  auto subgroup = choose_meter_subgroup(d, tuning.subgroup);
  if (!subgroup) return subgroup.error();
  if (tuning.two_pass) *subgroup = false;
  const std::string name = std::string("luminance") + (tuning.memory_model ? "_memory_model" : "") +
                           (tuning.two_pass ? "_partial"
                            : *subgroup     ? "_subgroup"
                                            : "");
  auto kernel = find_kernel_of(d, constants, name, *subgroup);
  if (!kernel) return kernel.error();
  impl->kernel = std::move(*kernel);
  if (tuning.two_pass) {
    auto join = find_kernel_of(d, constants, "luminance_join");
    if (!join) return join.error();
    impl->join = std::move(*join);
  }
  return Meter(std::move(impl));
}

Result<MeterBinding> Meter::bind(const MeterImages& images) const {
  if (auto checked = check_binding(impl_->options, images); !checked) return checked.error();
  auto binding = std::make_unique<MeterBinding::Impl>();
  MeterBinding::Impl& b = *binding;
  const Device::Impl& device = impl_->device.impl();
  b.meter = impl_;
  if (auto created = create_views(*impl_, images, b); !created) return created.error();
  auto taken = take_meter_buffer(device, images.results, images.results_offset, impl_->plan.result_bytes,
                                 b.owned_results, b.results, b.results_offset);
  if (!taken) return taken.error();
  taken = take_meter_buffer(device, images.scratch, images.scratch_offset, impl_->plan.scratch_bytes, b.owned_scratch,
                            b.scratch, b.scratch_offset);
  if (!taken) return taken.error();
  if (auto created = create_set(*impl_, images, b); !created) return created.error();
  return MeterBinding(std::move(binding));
}

void Meter::record_reset(VkCommandBuffer commands, const MeterBinding& binding) const {
  const MeterBinding::Impl& b = binding.impl();
  const DeviceFunctions& vk = impl_->device.impl().functions;
  vk.vkCmdFillBuffer(commands, b.results, b.results_offset, impl_->plan.result_bytes, 0);
  vk.vkCmdFillBuffer(commands, b.scratch, b.scratch_offset, impl_->plan.scratch_bytes, 0);
}

void Meter::record(VkCommandBuffer commands, const MeterBinding& binding, const MeterFrame& frame) const {
  const MeterBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.meter == impl_);
  const DeviceFunctions& vk = impl_->device.impl().functions;
  LuminanceParams params = impl_->params;
  const auto seconds = luminance::seconds_of(frame);
  ONEPASS_ASSERT(seconds.ok());
  params.seconds = seconds ? *seconds : 0.0F;
  const std::span bytes = std::as_bytes(std::span(&params, 1));
  record_kernel(*impl_->kernel, commands, b.set, bytes, {impl_->plan.groups_x, 1, impl_->plan.groups_z});
  if (!impl_->join) return;
  VkMemoryBarrier partials{};
  partials.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  partials.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  partials.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                          &partials, 0, nullptr, 0, nullptr);
  record_kernel(*impl_->join, commands, b.set, bytes, {1, 1, impl_->plan.groups_z});
}

const MeterDispatchPlan& Meter::plan() const { return impl_->plan; }
const MeterOptions& Meter::options() const { return impl_->options; }

}  // namespace onepass::vulkan
