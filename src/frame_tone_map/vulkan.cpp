// vulkan.cpp: vulkan::FrameToneMap: one kernel that meters and maps a frame, with the meter's plan and buffers and the
// tone map's program.
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "luminance/vulkan_impl.hpp"
#include "onepass/frame_tone_map_params.h"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "tone_map/vulkan_impl.hpp"
#include "vulkan/compute_pipeline.hpp"
#include "vulkan/image_view.hpp"

namespace onepass::vulkan {
namespace {

enum BindingIndex : uint32_t { kSource, kMask, kScratch, kResults, kTarget, kProgram, kCubics, kBindings };

constexpr VkDescriptorType kTypes[kBindings] = {
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,          VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};

static_assert(sizeof(tone_map::FrameProgram) <= kToneCubicsOffset);

constexpr uint32_t kCurveBytes = 16 * ONEPASS_TONE_PIECES;  // of shared memory, per curve
constexpr uint32_t kResidentBytes = 49152;                  // of shared memory, for the workgroups of a compute unit
constexpr VkDeviceSize kOffsetAlign = 256;

/// Specialization constants in the order of their ids.
struct Constants {
  uint32_t bins, copies, metering, statistic;
  uint32_t mix, matrix_mask, curve_mask, root_mask, curve_count;
  VkBool32 keeps_hue, guard_rail;
  uint32_t source_channels, target_channels, target_kind;
  VkBool32 dither, fine;
  uint32_t foot_mask, shifts, ootf_stage;
};
constexpr uint32_t kConstantCount = sizeof(Constants) / 4;

Error invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), {}}; }

Result<std::shared_ptr<ComputeKernel>> create_kernel(const Device::Impl& device, const std::string& name,
                                                     const Constants& constants, bool full_subgroups) {
  KernelBinding bindings[kBindings];
  for (uint32_t i = 0; i < kBindings; ++i) bindings[i] = {i, kTypes[i]};
  return create_compute_kernel(device, {.kernel = name,
                                        .constants = {reinterpret_cast<const uint32_t*>(&constants), kConstantCount},
                                        .bindings = bindings,
                                        .params_bytes = sizeof(luminance::LuminanceParams),
                                        .full_subgroups = full_subgroups});
}

Constants make_constants(const FrameToneMapOptions& options, const FrameToneMapDispatchPlan& plan,
                         const ToneConstants& tone) {
  return {.bins = luminance::counted_bins(options.meter),
          .copies = plan.copies,
          .metering = static_cast<uint32_t>(options.meter.metering),
          .statistic = static_cast<uint32_t>(options.meter.statistic),
          .mix = tone.mix,
          .matrix_mask = tone.matrix_mask,
          .curve_mask = tone.curve_mask,
          .root_mask = tone.root_mask,
          .curve_count = tone.curve_count,
          .keeps_hue = tone.keeps_hue,
          .guard_rail = tone.guard_rail,
          .source_channels = tone.source_channels,
          .target_channels = tone.target_channels,
          .target_kind = tone.target_kind,
          .dither = tone.dither,
          .fine = tone.fine,
          .foot_mask = tone.foot_mask,
          .shifts = tone.shifts,
          .ootf_stage = tone.ootf_stage};
}

/// Curves and histograms are both in shared memory. maxComputeSharedMemorySize is the limit of one workgroup. No limit
/// of Vulkan tells how many workgroups are resident on a compute unit: for the default of `copies` its memory is
/// assumed to be kResidentBytes.
Result<void> fit_shared_memory(const Device::Impl& device, uint32_t wanted, uint32_t curves,
                               FrameToneMapDispatchPlan& plan) {
  const uint32_t most = device.limits.maxComputeSharedMemorySize;
  const auto bytes = [&] { return plan.copies * kMeterCopyBytes + kMeterOtherBytes + curves * kCurveBytes; };
  const bool alone = 2 * bytes() > kResidentBytes || bytes() > most;
  if (wanted == 0 && alone) plan.copies = 1;  // two resident workgroups gain more than copies
  if (bytes() <= most) return {};
  return Error{ErrorCode::kUnsupported,
               "tuning.copies: " + std::to_string(plan.copies) + " and " + std::to_string(curves) +
                   " curves need more shared memory than " + std::to_string(most) + " bytes",
               device.info.name};
}

Result<void> check_images_given(const FrameToneMapOptions& options, const FrameToneMapImages& images) {
  if (images.source == VK_NULL_HANDLE) return invalid("source: null image");
  if (images.target == VK_NULL_HANDLE) return invalid("target: null image");
  if (images.source == images.target && images.source_level == images.target_level) {
    return invalid("target_level: " + std::to_string(images.target_level) +
                   " would overwrite the source, the same level of the same image");
  }
  const bool masked = options.meter.metering == Metering::kMask;
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

}  // namespace

struct ONEPASS_INTERNAL FrameToneMap::Impl {
  Device device;
  FrameToneMapOptions options;
  FrameToneMapDispatchPlan plan;
  luminance::LuminanceParams params{};
  Buffer program;  // a FrameProgram, then, from kToneCubicsOffset on, cubics
  std::shared_ptr<const ComputeKernel> pipeline;

  explicit Impl(const Device& d) : device(d) {}
};

struct ONEPASS_INTERNAL FrameToneMapBinding::Impl {
  std::shared_ptr<const FrameToneMap::Impl> frames;  // keeps the device and layouts alive
  VkImageView source = VK_NULL_HANDLE;
  VkImageView mask = VK_NULL_HANDLE;
  VkImageView target = VK_NULL_HANDLE;
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

namespace {

Result<void> create_views(const FrameToneMap::Impl& frames, const FrameToneMapImages& images,
                          FrameToneMapBinding::Impl& binding) {
  const Device::Impl& device = frames.device.impl();
  const FrameToneMapOptions& options = frames.options;
  auto source = create_view(device, {.image = images.source,
                                     .format = static_cast<VkFormat>(options.tone.source),
                                     .level = images.source_level,
                                     .first_slice = images.source_slice,
                                     .slices = options.tone.slices,
                                     .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
                                     .depth = format_info(options.tone.source).depth});
  if (!source) return source.error();
  binding.source = *source;
  auto target = create_view(device, {.image = images.target,
                                     .format = storage_format(options.tone.target),
                                     .level = images.target_level,
                                     .first_slice = images.target_slice,
                                     .slices = options.tone.slices,
                                     .usage = VK_IMAGE_USAGE_STORAGE_BIT});
  if (!target) return target.error();
  binding.target = *target;
  if (options.meter.metering != Metering::kMask) return {};
  auto mask = create_view(device, {.image = images.mask,
                                   .format = static_cast<VkFormat>(options.meter.mask),
                                   .level = images.mask_level,
                                   .first_slice = images.mask_slice,
                                   .slices = 1,
                                   .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
                                   .depth = format_info(options.meter.mask).depth});
  if (!mask) return mask.error();
  binding.mask = *mask;
  return {};
}

Result<void> allocate_set(const FrameToneMap::Impl& frames, FrameToneMapBinding::Impl& binding) {
  const Device::Impl& device = frames.device.impl();
  VkDescriptorPoolSize sizes[kBindings];
  for (uint32_t i = 0; i < kBindings; ++i) sizes[i] = {kTypes[i], 1};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = 1;
  pool.poolSizeCount = kBindings;
  pool.pPoolSizes = sizes;
  VkResult result = device.functions.vkCreateDescriptorPool(device.handles.device, &pool, nullptr, &binding.pool);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = binding.pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &frames.pipeline->set_layout;
  result = device.functions.vkAllocateDescriptorSets(device.handles.device, &allocate, &binding.set);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkAllocateDescriptorSets");
  return {};
}

void write_set(const FrameToneMap::Impl& frames, const FrameToneMapImages& given,
               const FrameToneMapBinding::Impl& binding) {
  const Device::Impl& device = frames.device.impl();
  VkSampler sampler = frames.pipeline->sampler;
  const VkDescriptorImageInfo source{sampler, binding.source, given.source_layout};
  // Without a mask the kernel does not read this binding, but the descriptor must be valid.
  const VkDescriptorImageInfo mask =
      binding.mask != VK_NULL_HANDLE ? VkDescriptorImageInfo{sampler, binding.mask, given.mask_layout} : source;
  const VkDescriptorImageInfo target{VK_NULL_HANDLE, binding.target, VK_IMAGE_LAYOUT_GENERAL};
  const VkDescriptorBufferInfo scratch{binding.scratch, binding.scratch_offset, frames.plan.scratch_bytes};
  const VkDescriptorBufferInfo results{binding.results, binding.results_offset, frames.plan.result_bytes};
  const VkDescriptorBufferInfo program{frames.program.buffer, 0, sizeof(tone_map::FrameProgram)};
  const VkDescriptorBufferInfo cubics{frames.program.buffer, kToneCubicsOffset, VK_WHOLE_SIZE};
  const std::array<const VkDescriptorImageInfo*, kBindings> images{&source, &mask, nullptr, nullptr, &target};
  const std::array<const VkDescriptorBufferInfo*, kBindings> buffers{nullptr, nullptr,  &scratch, &results,
                                                                     nullptr, &program, &cubics};
  VkWriteDescriptorSet writes[kBindings] = {};
  for (uint32_t i = 0; i < kBindings; ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = binding.set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = kTypes[i];
    writes[i].pImageInfo = images[i];
    writes[i].pBufferInfo = buffers[i];
  }
  device.functions.vkUpdateDescriptorSets(device.handles.device, kBindings, writes, 0, nullptr);
}

/// The plan of a meter of the whole image: workgroups map all of it, even if only a part is metered.
Result<FrameToneMapDispatchPlan> plan_dispatch(const Device::Impl& device, const FrameToneMapOptions& options,
                                               const FrameToneMapTuning& tuning) {
  const auto base = plan_frame_tone_map(options);
  if (!base) return base.error();
  MeterOptions whole = options.meter;
  whole.rect = {};
  const auto meter = plan_meter_dispatch(device, whole, {.groups = tuning.groups, .copies = tuning.copies});
  if (!meter) return meter.error();
  const ToneMapOptions& tone = options.tone;
  if (auto checked = check_images(device, {tone.size, tone.slices, tone.source, tone.target}); !checked) {
    return checked.error();
  }
  return FrameToneMapDispatchPlan{.plan = *base,
                                  .groups_x = meter->groups_x,
                                  .groups_z = meter->groups_z,
                                  .copies = meter->copies,
                                  .scratch_bytes = meter->scratch_bytes,
                                  .result_bytes = meter->result_bytes};
}

}  // namespace

FrameToneMapBinding::Impl::~Impl() {
  if (!frames) return;
  const Device::Impl& device = frames->device.impl();
  VkDevice handle = device.handles.device;
  device.functions.vkDestroyDescriptorPool(handle, pool, nullptr);
  for (VkImageView view : {source, mask, target}) device.functions.vkDestroyImageView(handle, view, nullptr);
  Buffer().swap(owned_results);  // before the device is released
  Buffer().swap(owned_scratch);
}

FrameToneMapBinding::FrameToneMapBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FrameToneMapBinding::FrameToneMapBinding(FrameToneMapBinding&&) noexcept = default;
FrameToneMapBinding& FrameToneMapBinding::operator=(FrameToneMapBinding&&) noexcept = default;
FrameToneMapBinding::~FrameToneMapBinding() = default;
VkBuffer FrameToneMapBinding::results() const { return impl_->results; }
VkDeviceSize FrameToneMapBinding::results_offset() const { return impl_->results_offset; }

Result<FrameToneMap> FrameToneMap::create(const Device& device, const FrameToneMapOptions& options,
                                          const FrameToneMapTuning& tuning) {
  auto impl = std::make_shared<Impl>(device);
  const Device::Impl& d = impl->device.impl();
  impl->options = options;
  auto plan = plan_dispatch(d, options, tuning);
  if (!plan) return plan.error();
  impl->plan = *plan;
  const tone_map::Program program = tone_map::make_program(options.tone);
  const ToneConstants tone = make_tone_constants(options.tone, program, {});
  impl->plan.curves = tone.curve_count;
  if (auto fits = fit_shared_memory(d, tuning.copies, tone.curve_count + tone.fine, impl->plan); !fits)
    return fits.error();

  const MeterOptions& meter = options.meter;
  const Rect whole{0, 0, meter.size.width, meter.size.height};
  impl->params = luminance::make_params(meter, meter.rect == Rect{} ? whole : meter.rect);
  impl->params.tiles_x = luminance::make_params(meter, whole).tiles_x;
  impl->params.groups = plan->groups_x;

  auto buffer = create_tone_program(d, program, options.tone.target);
  if (!buffer) return buffer.error();
  impl->program = std::move(*buffer);
  const struct {
    tone_map::uint2 size;
    float exposure, reserved;
  } rest{{meter.size.width, meter.size.height}, options.tone.exposure, 0};
  static_assert(sizeof(rest) + sizeof(tone_map::ToneMapProgram) == sizeof(tone_map::FrameProgram));
  std::memcpy(static_cast<std::byte*>(impl->program.mapped) + sizeof(tone_map::ToneMapProgram), &rest, sizeof(rest));

  const Constants constants = make_constants(options, impl->plan, tone);
  auto subgroup = choose_meter_subgroup(d, tuning.subgroup);
  if (!subgroup) return subgroup.error();
  const std::string name = *subgroup ? "frame_tone_map_subgroup" : "frame_tone_map";
  std::string key = name + '/';
  key.append(reinterpret_cast<const char*>(&constants), sizeof(constants));
  auto pipeline = d.shared->get<ComputeKernel>(key, [&] { return create_kernel(d, name, constants, *subgroup); });
  if (!pipeline) return pipeline.error();
  impl->pipeline = std::move(*pipeline);
  return FrameToneMap(std::move(impl));
}

Result<FrameToneMapBinding> FrameToneMap::bind(const FrameToneMapImages& images) const {
  if (auto checked = check_images_given(impl_->options, images); !checked) return checked.error();
  auto binding = std::make_unique<FrameToneMapBinding::Impl>();
  FrameToneMapBinding::Impl& b = *binding;
  const Device::Impl& device = impl_->device.impl();
  b.frames = impl_;
  if (auto created = create_views(*impl_, images, b); !created) return created.error();
  auto taken = take_meter_buffer(device, images.results, images.results_offset, impl_->plan.result_bytes,
                                 b.owned_results, b.results, b.results_offset);
  if (!taken) return taken.error();
  taken = take_meter_buffer(device, images.scratch, images.scratch_offset, impl_->plan.scratch_bytes, b.owned_scratch,
                            b.scratch, b.scratch_offset);
  if (!taken) return taken.error();
  if (auto allocated = allocate_set(*impl_, b); !allocated) return allocated.error();
  write_set(*impl_, images, b);
  return FrameToneMapBinding(std::move(binding));
}

void FrameToneMap::record_reset(VkCommandBuffer commands, const FrameToneMapBinding& binding) const {
  const FrameToneMapBinding::Impl& b = binding.impl();
  const DeviceFunctions& vk = impl_->device.impl().functions;
  vk.vkCmdFillBuffer(commands, b.results, b.results_offset, impl_->plan.result_bytes, 0);
  vk.vkCmdFillBuffer(commands, b.scratch, b.scratch_offset, impl_->plan.scratch_bytes, 0);
}

void FrameToneMap::record(VkCommandBuffer commands, const FrameToneMapBinding& binding, const MeterFrame& frame) const {
  const FrameToneMapBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.frames == impl_);
  luminance::LuminanceParams params = impl_->params;
  const auto seconds = luminance::seconds_of(frame);
  ONEPASS_ASSERT(seconds.ok());
  params.seconds = seconds ? *seconds : 0.0F;
  record_kernel(*impl_->pipeline, commands, b.set, std::as_bytes(std::span(&params, 1)),
                {impl_->plan.groups_x, 1, impl_->plan.groups_z});
}

const FrameToneMapDispatchPlan& FrameToneMap::plan() const { return impl_->plan; }
const FrameToneMapOptions& FrameToneMap::options() const { return impl_->options; }

}  // namespace onepass::vulkan
