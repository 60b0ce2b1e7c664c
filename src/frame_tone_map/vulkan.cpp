// vulkan.cpp: vulkan::FrameToneMap: one kernel that meters and maps a frame, with the meter's plan and buffers and the
// tone map's program.
#include <cstring>
#include <string>
#include <utility>

#include "luminance/vulkan_impl.hpp"
#include "onepass/frame_tone_map_params.h"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "tone_map/vulkan_impl.hpp"
#include "vulkan/debug_names.hpp"
#include "vulkan/tunings.hpp"

namespace onepass::vulkan {
namespace {

enum BindingIndex : uint32_t { kSource, kMask, kScratch, kResults, kTarget, kProgram, kCubics };

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

Result<std::shared_ptr<const ComputeKernel>> find_kernel_of(const Device& device, const Constants& constants,
                                                            bool subgroup) {
  constexpr KernelBinding kBindings[] = {{kSource, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                         {kMask, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                         {kScratch},
                                         {kResults},
                                         {kTarget, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
                                         {kProgram, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
                                         {kCubics}};
  return find_compute_kernel(device, {.set = kFrameToneMapKernels,
                                      .kernel = subgroup ? "frame_tone_map_subgroup" : "frame_tone_map",
                                      .constants = constants_of(constants),
                                      .bindings = kBindings,
                                      .params_bytes = sizeof(luminance::LuminanceParams),
                                      .full_subgroups = subgroup});
}

// The device's buffer of a frame program, which frames of the same size share: they do not write to it.
Result<std::shared_ptr<const Buffer>> find_program_buffer(const Device::Impl& device, const tone_map::Program& program,
                                                          const ToneMapOptions& options) {
  const struct {
    tone_map::uint2 size;
    float exposure, reserved;
  } rest{{options.size.width, options.size.height}, options.exposure, 0};
  static_assert(sizeof(rest) + sizeof(tone_map::ToneMapProgram) == sizeof(tone_map::FrameProgram));
  const auto create = [&]() -> Result<std::shared_ptr<Buffer>> {
    auto buffer = create_tone_program(device, program, options.target);
    if (!buffer) return buffer.error();
    std::memcpy(static_cast<std::byte*>(buffer->mapped) + sizeof(tone_map::ToneMapProgram), &rest, sizeof(rest));
    return std::make_shared<Buffer>(std::move(*buffer));
  };
  std::string key = "frame program " + tone_map::program_key(options);
  key.append(reinterpret_cast<const char*>(&rest), sizeof(rest));
  return device.shared->get<Buffer>(key, create);
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
  return unsupported(device, "tuning.copies: " + std::to_string(plan.copies) + " and " + std::to_string(curves) +
                                 " curves need more shared memory than " + std::to_string(most) + " bytes");
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
  std::shared_ptr<const Buffer> program;  // a FrameProgram, then, from kToneCubicsOffset on, cubics
  std::shared_ptr<const ComputeKernel> kernel;

  explicit Impl(const Device& d) : device(d) {}
};

struct ONEPASS_INTERNAL FrameToneMapBinding::Impl {
  std::shared_ptr<const FrameToneMap::Impl> frames;  // keeps the device and layouts alive
  BindingObjects objects;
  VkBuffer results = VK_NULL_HANDLE;
  VkBuffer scratch = VK_NULL_HANDLE;
  VkDeviceSize results_offset = 0;
  VkDeviceSize scratch_offset = 0;
  VkDescriptorSet set = VK_NULL_HANDLE;

  explicit Impl(std::shared_ptr<const FrameToneMap::Impl> f)
      : frames(std::move(f)), objects(frames->device.impl(), "frame_tone_map") {}
};

namespace {

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

FrameToneMapBinding::FrameToneMapBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FrameToneMapBinding::FrameToneMapBinding(FrameToneMapBinding&&) noexcept = default;
FrameToneMapBinding& FrameToneMapBinding::operator=(FrameToneMapBinding&&) noexcept = default;
FrameToneMapBinding::~FrameToneMapBinding() = default;
VkBuffer FrameToneMapBinding::results() const { return impl_->results; }
VkDeviceSize FrameToneMapBinding::results_offset() const { return impl_->results_offset; }

namespace {

Result<FrameToneMap> create_resolved(const Device& device, const FrameToneMapOptions& options,
                                     const FrameToneMapTuning& tuning) {
  auto impl = std::make_shared<FrameToneMap::Impl>(device);
  const Device::Impl& d = impl->device.impl();
  impl->options = options;
  if (auto known = check_enumerators("tuning.divergent_barriers", tuning.divergent_barriers); !known)
    return known.error();
  if (!is_on(tuning.divergent_barriers, d.driver.divergent_barriers)) {
    return unsupported(d, "frames: the kernel needs tuning.divergent_barriers; a meter and a tone map do not");
  }
  auto plan = plan_dispatch(d, options, tuning);
  if (!plan) return plan.error();
  impl->plan = *plan;
  const auto program = find_tone_program(d, options.tone);
  if (!program) return program.error();
  const ToneConstants tone = make_tone_constants(options.tone, **program, {});
  impl->plan.curves = tone.curve_count;
  // The copies of the histogram get the shared memory that the curves leave.
  if (auto fits = fit_shared_memory(d, tuning.copies, tone.curve_count + tone.fine, impl->plan); !fits)
    return fits.error();

  const MeterOptions& meter = options.meter;
  const Rect whole{0, 0, meter.size.width, meter.size.height};
  impl->params = luminance::make_params(meter, meter.rect == Rect{} ? whole : meter.rect);
  // The tone map needs the tiles of the whole image, also where the meter reads a rectangle.
  impl->params.tiles_x = luminance::make_params(meter, whole).tiles_x;
  impl->params.groups = plan->groups_x;

  auto buffer = find_program_buffer(d, **program, options.tone);
  if (!buffer) return buffer.error();
  impl->program = std::move(*buffer);

  const Constants constants = make_constants(options, impl->plan, tone);
  auto subgroup = choose_meter_subgroup(d, tuning.subgroup);
  if (!subgroup) return subgroup.error();
  auto kernel = find_kernel_of(device, constants, *subgroup);
  if (!kernel) return kernel.error();
  impl->kernel = std::move(*kernel);
  return FrameToneMap(std::move(impl));
}

}  // namespace

Result<FrameToneMap> FrameToneMap::create(const Device& device, const FrameToneMapOptions& options,
                                          const FrameToneMapTuning& tuning) {
  return create_tuned(device.impl(), tuning, tuning_case(options.tone),
                      [&](const FrameToneMapTuning& use) { return create_resolved(device, options, use); });
}

Result<FrameToneMapBinding> FrameToneMap::bind(const FrameToneMapImages& images) const {
  if (auto checked = check_images_given(impl_->options, images); !checked) return checked.error();
  const FrameToneMapOptions& options = impl_->options;
  const FrameToneMapDispatchPlan& plan = impl_->plan;
  auto binding = std::make_unique<FrameToneMapBinding::Impl>(impl_);
  FrameToneMapBinding::Impl& b = *binding;
  b.results = images.results;
  b.results_offset = images.results_offset;
  b.scratch = images.scratch;
  b.scratch_offset = images.scratch_offset;
  VkImageView source = VK_NULL_HANDLE, mask = VK_NULL_HANDLE, target = VK_NULL_HANDLE;
  auto done = b.objects.add_view(view_of_source(images, options.tone.source, options.tone.slices), source);
  if (done) done = b.objects.add_view(view_of_target(images, options.tone.target, options.tone.slices), target);
  if (done && options.meter.metering == Metering::kMask) {
    done = b.objects.add_view({images.mask, options.meter.mask, images.mask_level, images.mask_slice}, mask);
  }
  const auto add_zeros = [&](uint64_t bytes, VkBuffer& buffer, VkDeviceSize& offset, const char* role) {
    if (done) done = b.objects.add_buffer(bytes, kMeterBufferUsage, buffer, offset, role, Content::kZero);
  };
  add_zeros(plan.result_bytes, b.results, b.results_offset, "results");
  add_zeros(plan.scratch_bytes, b.scratch, b.scratch_offset, "scratch");
  if (done) {
    done = b.objects.add_set(*impl_->kernel,
                             {{kSource, source, images.source_layout},
                              {kMask, mask, images.mask_layout},
                              {kScratch, {b.scratch, b.scratch_offset, plan.scratch_bytes}},
                              {kResults, {b.results, b.results_offset, plan.result_bytes}},
                              {kTarget, target},
                              {kProgram, {impl_->program->buffer, 0, sizeof(tone_map::FrameProgram)}},
                              {kCubics, {impl_->program->buffer, kToneCubicsOffset, VK_WHOLE_SIZE}}},
                             b.set);
  }
  if (!done) return done.error();
  return FrameToneMapBinding(std::move(binding));
}

void FrameToneMap::record_reset(VkCommandBuffer commands, const FrameToneMapBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass frame tone map reset");
  const FrameToneMapBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.frames == impl_);
  const DeviceFunctions& vk = impl_->device.impl().functions;
  vk.vkCmdFillBuffer(commands, b.results, b.results_offset, impl_->plan.result_bytes, 0);
  vk.vkCmdFillBuffer(commands, b.scratch, b.scratch_offset, impl_->plan.scratch_bytes, 0);
}

void FrameToneMap::record_reset_scratch(VkCommandBuffer commands, const FrameToneMapBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass frame tone map reset");
  const FrameToneMapBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.frames == impl_);
  impl_->device.impl().functions.vkCmdFillBuffer(commands, b.scratch, b.scratch_offset, impl_->plan.scratch_bytes, 0);
}

void FrameToneMap::record(VkCommandBuffer commands, const FrameToneMapBinding& binding, const MeterFrame& frame) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass frame tone map");
  const FrameToneMapBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.frames == impl_);
  luminance::LuminanceParams params = impl_->params;
  const auto seconds = luminance::seconds_of(frame);
  ONEPASS_ASSERT(seconds.ok());
  params.seconds = seconds ? *seconds : 0.0F;
  impl_->kernel->record(commands, b.set, params, {impl_->plan.groups_x, 1, impl_->plan.groups_z});
}

const FrameToneMapDispatchPlan& FrameToneMap::dispatch_plan() const { return impl_->plan; }
const FrameToneMapOptions& FrameToneMap::options() const { return impl_->options; }

}  // namespace onepass::vulkan
