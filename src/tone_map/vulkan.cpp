// vulkan.cpp: the Vulkan engine of the tone map: buffer of a program's constants and curves, pipeline, descriptors, one
// dispatch.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "image/div_up.hpp"
#include "tone_map/kernel_program.hpp"
#include "tone_map/vulkan_impl.hpp"
#include "vulkan/debug_names.hpp"
#include "vulkan/tunings.hpp"

namespace onepass::vulkan {
namespace {

using tone_map::Program;
using tone_map::ToneMapParams;
using tone_map::ToneMapProgram;

enum BindingIndex : uint32_t { kSource, kTarget, kProgram, kCubics, kExposure, kNodes };

constexpr VkDeviceSize kCubicsOffset = kToneCubicsOffset;

constexpr uint32_t kDefaultPixels = 4;
constexpr uint32_t kDefaultGroup = 256;
constexpr uint32_t kLeastGroup = 64;
constexpr uint32_t kMostGroup = 512;

using Constants = ToneConstants;

// ---- Shape

Result<void> choose_shape(const Device::Impl& device, const ToneMapOptions& options, const ToneMapTuning& tuning,
                          ToneMapDispatchPlan& plan) {
  if (tuning.pixels != 0 && (!std::has_single_bit(tuning.pixels) || tuning.pixels > ONEPASS_TONE_MOST_PIXELS)) {
    return invalid("tuning.pixels: " + std::to_string(tuning.pixels) + " is not one of 1, 2, 4 and 8");
  }
  const uint32_t limit =
      std::bit_floor(std::min(device.limits.maxComputeWorkGroupInvocations, device.limits.maxComputeWorkGroupSize[0]));
  const uint32_t group = tuning.workgroup_size != 0 ? tuning.workgroup_size : std::min(kDefaultGroup, limit);
  if (!std::has_single_bit(group) || group < kLeastGroup || group > kMostGroup || group > limit) {
    return invalid("tuning.workgroup_size: " + std::to_string(group) +
                   " is not one of 64, 128, 256 and 512, or more than the device's " + std::to_string(limit));
  }
  plan.pixels = tuning.pixels != 0 ? tuning.pixels : kDefaultPixels;
  plan.workgroup_size = group;
  const uint32_t rows = group / ONEPASS_TONE_TILE * plan.pixels;
  plan.groups_x = div_up(options.size.width, ONEPASS_TONE_TILE);
  plan.groups_y = div_up(options.size.height, rows);
  plan.groups_z = options.slices;
  return {};
}

}  // namespace

Result<std::shared_ptr<const Program>> find_tone_program(const Device::Impl& device, const ToneMapOptions& options) {
  return device.shared->get<const Program>("tone program " + tone_map::program_key(options), [&] {
    return Result<std::shared_ptr<const Program>>(tone_map::find_program(options));
  });
}

Result<Buffer> create_tone_program(const Device::Impl& device, const Program& program, Format target) {
  const tone_map::KernelProgram made = tone_map::make_kernel_program(program, target);
  const size_t cubic_bytes = made.cubics.size() * sizeof(made.cubics[0]);
  auto buffer = Buffer::create(device, kCubicsOffset + cubic_bytes,
                               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true,
                               VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (!buffer) return buffer.error();
  auto* bytes = static_cast<std::byte*>(buffer->mapped);
  std::memcpy(bytes, &made.program, sizeof made.program);
  std::memcpy(bytes + kCubicsOffset, made.cubics.data(), cubic_bytes);
  name_object(device, VK_OBJECT_TYPE_BUFFER, buffer->buffer, "tone_map", "curves");
  return buffer;
}

ToneConstants make_tone_constants(const ToneMapOptions& options, const Program& program,
                                  const ToneMapDispatchPlan& plan) {
  Constants c{.local_size = plan.workgroup_size, .group = plan.workgroup_size, .pixels = plan.pixels};
  const tone_map::ProgramConstants p = tone_map::make_program_constants(program);
  c.mix = p.mix;
  c.matrix_mask = p.matrix_mask;
  c.curve_mask = p.curve_mask;
  c.root_mask = p.root_mask;
  c.foot_mask = p.foot_mask;
  c.shifts = p.shifts;
  c.curve_count = p.curve_count;
  c.keeps_hue = p.keeps_hue;
  c.guard_rail = p.guard_rail;
  c.ootf_stage = p.ootf_stage;
  c.fine = p.fine;
  c.source_channels = format_info(options.source).channels;
  c.target_channels = format_info(options.target).channels;
  const FormatInfo& target = format_info(options.target);
  c.target_kind = target.type == ChannelType::kSrgb ? kKindUnorm : target_kind(target);
  c.dither = options.dither == Dither::kOn;
  c.local = options.local.enabled();
  return c;
}

namespace {

// ---- Pipeline

Result<std::shared_ptr<const ComputeKernel>> find_kernel_of(KernelBatch& batch, const Constants& constants) {
  constexpr KernelBinding kBindings[] = {{kSource, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                         {kTarget, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
                                         {kProgram, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
                                         {kCubics},
                                         {kExposure},
                                         {kNodes}};
  return batch.find({.set = kToneMapKernels,
                     .kernel = "tone_map",
                     .constants = constants_of(constants),
                     .bindings = kBindings,
                     .params_bytes = sizeof(ToneMapParams)});
}

// The device's buffer of a program, which tone maps share: they do not write to it.
Result<std::shared_ptr<const Buffer>> find_program_buffer(const Device::Impl& device, const Program& program,
                                                          const ToneMapOptions& options) {
  const auto create = [&]() -> Result<std::shared_ptr<Buffer>> {
    auto buffer = create_tone_program(device, program, options.target);
    if (!buffer) return buffer.error();
    return std::make_shared<Buffer>(std::move(*buffer));
  };
  return device.shared->get<Buffer>("tone curves " + tone_map::program_key(options), create);
}

// ---- Binding

Result<void> check_set(const ToneMapImages& images) {
  if (images.source == VK_NULL_HANDLE) return invalid("source: null image");
  if (images.target == VK_NULL_HANDLE) return invalid("target: null image");
  if (images.source == images.target && images.source_level == images.target_level) {
    return invalid("target_level: " + std::to_string(images.target_level) +
                   " would overwrite the source, the same level of the same image");
  }
  for (const auto& [name, bytes] :
       {std::pair{"exposure_offset", images.exposure_offset}, std::pair{"exposure_stride", images.exposure_stride}}) {
    if (bytes % 4 == 0) continue;
    return invalid(std::string(name) + ": " + std::to_string(bytes) + " is not a multiple of 4");
  }
  if (images.scratch_offset % 256 != 0) {
    return invalid("scratch_offset: " + std::to_string(images.scratch_offset) + " is not a multiple of 256");
  }
  return {};
}

// The range of the buffer of exposures that is read, from an offset at which a descriptor may begin.
Result<VkDescriptorBufferInfo> exposure_range(const ToneMap::Impl& map, const ToneMapImages& images) {
  constexpr VkDeviceSize kOffsetAlign = 256;  // the largest minStorageBufferOffsetAlignment that Vulkan allows
  const VkDeviceSize start = images.exposure_offset / kOffsetAlign * kOffsetAlign;
  const VkDeviceSize most = map.device.impl().limits.maxStorageBufferRange;
  const VkDeviceSize steps = map.options.slices - 1;
  const VkDeviceSize first_end = images.exposure_offset - start + sizeof(float);
  if (steps > 0 && images.exposure_stride > (most - first_end) / steps) {
    return unsupported(map.device.impl(), "exposure_stride: " + std::to_string(images.exposure_stride) + " times " +
                                              std::to_string(steps) + " is more than a buffer may have");
  }
  return VkDescriptorBufferInfo{images.exposure, start, first_end + steps * images.exposure_stride};
}

Result<void> create_set(const ToneMap::Impl& map, const ToneMapImages& images, ToneMapBinding::Impl& binding) {
  const ToneMapOptions& options = map.options;
  VkImageView source = VK_NULL_HANDLE, target = VK_NULL_HANDLE;
  auto done = binding.objects.add_view(view_of_source(images, options.source, options.slices), source);
  if (done) done = binding.objects.add_view(view_of_target(images, options.target, options.slices), target);
  if (done && map.grid) done = bind_local(map, images, source, binding.objects, binding.local);
  if (!done) return done;
  VkDescriptorBufferInfo exposures{};
  if (images.exposure != VK_NULL_HANDLE) {
    const auto range = exposure_range(map, images);
    if (!range) return range.error();
    exposures = *range;
    binding.exposure_index = static_cast<uint32_t>((images.exposure_offset - range->offset) / sizeof(float));
  }
  VkBuffer program = map.program->buffer;
  return binding.objects.add_set(*map.kernel,
                                 {{kSource, source, images.source_layout},
                                  {kTarget, target},
                                  {kProgram, {program, 0, sizeof(ToneMapProgram)}},
                                  {kCubics, {program, kCubicsOffset, VK_WHOLE_SIZE}},
                                  {kExposure, exposures},
                                  {kNodes, binding.local.nodes}},
                                 binding.set);
}

}  // namespace

ToneMapBinding::ToneMapBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ToneMapBinding::ToneMapBinding(ToneMapBinding&&) noexcept = default;
ToneMapBinding& ToneMapBinding::operator=(ToneMapBinding&&) noexcept = default;
ToneMapBinding::~ToneMapBinding() = default;

namespace {

Result<ToneMap> create_resolved(const Device& device, const ToneMapOptions& options, const ToneMapTuning& tuning) {
  auto plan = plan_tone_map(options);
  if (!plan) return plan.error();
  auto impl = std::make_shared<ToneMap::Impl>(device);
  const Device::Impl& d = impl->device.impl();
  impl->options = options;
  impl->plan.plan = *plan;
  if (auto chosen = choose_shape(d, options, tuning, impl->plan); !chosen) return chosen.error();
  if (auto checked = check_images(d, {options.size, options.slices, options.source, options.target}); !checked) {
    return checked.error();
  }
  if (auto known = check_enumerators("tuning.divergent_barriers", tuning.divergent_barriers); !known)
    return known.error();
  KernelBatch batch(device);
  if (options.local.enabled()) {
    if (!is_on(tuning.divergent_barriers, d.driver.divergent_barriers)) {
      return unsupported(d, "local: local exposure needs tuning.divergent_barriers");
    }
    impl->local = tone_map::plan_local_exposure(options);
    auto bytes = plan_local_scratch(d, options, impl->local);
    if (!bytes) return bytes.error();
    impl->plan.scratch_bytes = *bytes;
    impl->plan.dispatches = 2;
    auto grid = find_local_kernel(batch, options);
    if (!grid) return grid.error();
    impl->grid = std::move(*grid);
  }
  const auto program = find_tone_program(d, options);
  if (!program) return program.error();
  impl->plan.curves = static_cast<uint32_t>(tone_map::curves_of(**program).size());
  auto buffer = find_program_buffer(d, **program, options);
  if (!buffer) return buffer.error();
  impl->program = std::move(*buffer);
  auto kernel = find_kernel_of(batch, make_tone_constants(options, **program, impl->plan));
  if (!kernel) return kernel.error();
  impl->kernel = std::move(*kernel);
  if (auto compiled = batch.compile(); !compiled) return compiled.error();
  return ToneMap(std::move(impl));
}

}  // namespace

Result<ToneMap> ToneMap::create(const Device& device, const ToneMapOptions& options, const ToneMapTuning& tuning) {
  return create_tuned(device.impl(), tuning, tuning_case(options),
                      [&](const ToneMapTuning& use) { return create_resolved(device, options, use); });
}

Result<ToneMapBinding> ToneMap::bind(const ToneMapImages& images) const {
  if (auto checked = check_set(images); !checked) return checked.error();
  auto binding = std::make_unique<ToneMapBinding::Impl>(impl_);
  binding->exposure_step = static_cast<uint32_t>(images.exposure_stride / 4);
  if (auto created = create_set(*impl_, images, *binding); !created) return created.error();
  return ToneMapBinding(std::move(binding));
}

void ToneMap::record_reset(VkCommandBuffer commands, const ToneMapBinding& binding) const {
  const ToneMapBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.map == impl_);
  if (!impl_->grid) return;
  const CommandLabel label(impl_->device.impl(), commands, "onepass tone map reset");
  const VkDescriptorBufferInfo& counters = b.local.counters;
  impl_->device.impl().functions.vkCmdFillBuffer(commands, counters.buffer, counters.offset, counters.range, 0);
}

void ToneMap::record(VkCommandBuffer commands, const ToneMapBinding& binding, float exposure) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass tone map");
  const ToneMapBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.map == impl_);
  const ToneMapOptions& options = impl_->options;
  ToneMapParams params{.size = {options.size.width, options.size.height},
                       .exposure = options.exposure * usable_exposure(exposure),
                       .exposure_index = b.exposure_index,
                       .exposure_step = b.exposure_step,
                       .local = {}};
  if (impl_->grid) {
    params.local = tone_map::make_local_params(options);
    record_local(*impl_, b.local, commands);
  }
  impl_->kernel->record(commands, b.set, params, {impl_->plan.groups_x, impl_->plan.groups_y, impl_->plan.groups_z});
}

const ToneMapDispatchPlan& ToneMap::dispatch_plan() const { return impl_->plan; }
const ToneMapOptions& ToneMap::options() const { return impl_->options; }

}  // namespace onepass::vulkan
