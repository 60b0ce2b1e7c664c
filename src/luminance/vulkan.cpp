// vulkan.cpp: the Vulkan engine of the meter: number of workgroups, pipelines, descriptors, one dispatch (two with
// MeterTuning::divergent_barriers off).
#include <algorithm>
#include <string>

#include "luminance/vulkan_impl.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/debug_names.hpp"
#include "vulkan/tunings.hpp"

namespace onepass::vulkan {
namespace {

using luminance::LuminanceParams;

enum BindingIndex : uint32_t { kSource = 0, kMask = 1, kScratch = 2, kResults = 3 };

constexpr VkDeviceSize kOffsetAlign = 256;  // the largest minStorageBufferOffsetAlignment that Vulkan allows

/// Specialization constants in the order of their ids.
struct Constants {
  uint32_t bins, copies, metering, statistic;
  VkBool32 grey;
};

// ---- Plan

Result<void> check_device(const Device::Impl& device, const MeterOptions& options) {
  // A meter has no target image; every device supports this format.
  auto checked = check_images(device, {options.size, options.slices, options.source, Format::kR32Sfloat});
  if (!checked) return checked;
  const bool masked = options.metering == Metering::kMask;
  if (masked && (device.features_of(static_cast<VkFormat>(options.mask)) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) == 0) {
    return unsupported(device, "mask: the device cannot sample " + std::string(format_info(options.mask).name));
  }
  return {};
}

Result<uint32_t> choose_copies(const Device::Impl& device, uint32_t wanted) {
  const uint32_t bytes = device.limits.maxComputeSharedMemorySize;
  if (wanted == 0) return 2 * kMeterCopyBytes + kMeterOtherBytes <= bytes ? 2U : 1U;
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
  const uint32_t size = device.full_subgroup_size();
  const bool has = (device.subgroup_operations & needed) == needed && size >= 8 && size <= 128;
  if (auto known = check_enumerators("tuning.subgroup", wanted); !known) return known.error();
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
  if (tuning.subgroup == Switch::kOn && tuning.divergent_barriers == Switch::kOff) {
    return invalid("tuning.subgroup: two passes have no kernels with subgroup operations");
  }
  MeterDispatchPlan plan;
  plan.plan = *base;
  const auto copies = choose_copies(device, tuning.copies);
  if (!copies) return copies.error();
  plan.copies = *copies;
  const uint32_t most = luminance::most_groups(base->rect);
  if (tuning.groups > most) {
    return invalid("tuning.groups: " + std::to_string(tuning.groups) + ", at most " + std::to_string(most) +
                   " have something to do");
  }
  // Enough workgroups to fill the device: two for each multiprocessor, 264 on an H200, with 32 KB of rgba16f in flight
  // on each. More would only add sums and histograms to join.
  const uint32_t wanted = tuning.groups != 0 ? tuning.groups : std::max(1U, filling_groups(device) / options.slices);
  plan.groups_x = luminance::count_groups(base->rect, wanted);
  plan.groups_z = options.slices;
  plan.dispatches = tuning.divergent_barriers == Switch::kOff ? 2 : 1;
  const auto scratch = luminance::scratch_bytes(options);
  if (!scratch) return unsupported(device, scratch.error().message);
  plan.scratch_bytes = *scratch;
  plan.result_bytes = base->bytes_written;
  return plan;
}

namespace {

// ---- Pipelines

Result<std::shared_ptr<const ComputeKernel>> find_kernel_of(KernelBatch& batch, const Constants& constants,
                                                            const std::string& name, bool full_subgroups = false) {
  constexpr KernelBinding kBindings[] = {{kSource, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                         {kMask, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                         {kScratch},
                                         {kResults}};
  return batch.find({.set = kLuminanceKernels,
                     .kernel = name,
                     .constants = constants_of(constants),
                     .bindings = kBindings,
                     .params_bytes = sizeof(LuminanceParams),
                     .full_subgroups = full_subgroups});
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

}  // namespace

MeterBinding::MeterBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MeterBinding::MeterBinding(MeterBinding&&) noexcept = default;
MeterBinding& MeterBinding::operator=(MeterBinding&&) noexcept = default;
MeterBinding::~MeterBinding() = default;
VkBuffer MeterBinding::results() const { return impl_->results; }
VkDeviceSize MeterBinding::results_offset() const { return impl_->results_offset; }

namespace {

Result<Meter> create_resolved(const Device& device, const MeterOptions& options, const MeterTuning& wanted) {
  auto impl = std::make_shared<Meter::Impl>(device);
  const Device::Impl& d = impl->device.impl();
  if (auto known = check_enumerators("tuning.divergent_barriers", wanted.divergent_barriers); !known)
    return known.error();
  MeterTuning tuning = wanted;
  const bool two_pass = !is_on(wanted.divergent_barriers, d.driver.divergent_barriers);
  tuning.divergent_barriers = two_pass ? Switch::kOff : Switch::kOn;
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
  if (two_pass) *subgroup = false;
  const std::string name = two_pass ? "luminance_partial" : *subgroup ? "luminance_subgroup" : "luminance";
  KernelBatch batch(device);
  auto kernel = find_kernel_of(batch, constants, name, *subgroup);
  if (!kernel) return kernel.error();
  impl->kernel = std::move(*kernel);
  if (two_pass) {
    auto join = find_kernel_of(batch, constants, "luminance_join");
    if (!join) return join.error();
    impl->join = std::move(*join);
  }
  if (auto compiled = batch.compile(); !compiled) return compiled.error();
  return Meter(std::move(impl));
}

}  // namespace

Result<Meter> Meter::create(const Device& device, const MeterOptions& options, const MeterTuning& tuning) {
  return create_tuned(device.impl(), tuning, tuning_case(options),
                      [&](const MeterTuning& use) { return create_resolved(device, options, use); });
}

Result<MeterBinding> Meter::bind(const MeterImages& images) const {
  if (auto checked = check_binding(impl_->options, images); !checked) return checked.error();
  const MeterOptions& options = impl_->options;
  const MeterDispatchPlan& plan = impl_->plan;
  auto binding = std::make_unique<MeterBinding::Impl>(impl_);
  MeterBinding::Impl& b = *binding;
  b.results = images.results;
  b.results_offset = images.results_offset;
  b.scratch = images.scratch;
  b.scratch_offset = images.scratch_offset;
  VkImageView source = VK_NULL_HANDLE, mask = VK_NULL_HANDLE;
  auto done = b.objects.add_view(view_of_source(images, options.source, options.slices), source);
  if (done && options.metering == Metering::kMask) {
    done = b.objects.add_view({images.mask, options.mask, images.mask_level, images.mask_slice}, mask);
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
                              {kResults, {b.results, b.results_offset, plan.result_bytes}}},
                             b.set);
  }
  if (!done) return done.error();
  return MeterBinding(std::move(binding));
}

void Meter::record_reset(VkCommandBuffer commands, const MeterBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass meter reset");
  const MeterBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.meter == impl_);
  const DeviceFunctions& vk = impl_->device.impl().functions;
  vk.vkCmdFillBuffer(commands, b.results, b.results_offset, impl_->plan.result_bytes, 0);
  vk.vkCmdFillBuffer(commands, b.scratch, b.scratch_offset, impl_->plan.scratch_bytes, 0);
}

void Meter::record_reset_scratch(VkCommandBuffer commands, const MeterBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass meter reset");
  const MeterBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.meter == impl_);
  impl_->device.impl().functions.vkCmdFillBuffer(commands, b.scratch, b.scratch_offset, impl_->plan.scratch_bytes, 0);
}

void Meter::record(VkCommandBuffer commands, const MeterBinding& binding, const MeterFrame& frame) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass meter");
  const MeterBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.meter == impl_);
  LuminanceParams params = impl_->params;
  const auto seconds = luminance::seconds_of(frame);
  ONEPASS_ASSERT(seconds.ok());
  params.seconds = seconds ? *seconds : 0.0F;
  impl_->kernel->record(commands, b.set, params, {impl_->plan.groups_x, 1, impl_->plan.groups_z});
  if (!impl_->join) return;
  record_barrier(impl_->device.impl(), commands, {.before = kShaderWrites, .after = kShaderReads | kShaderWrites});
  impl_->join->record(commands, b.set, params, {1, 1, impl_->plan.groups_z});
}

const MeterDispatchPlan& Meter::dispatch_plan() const { return impl_->plan; }
const MeterOptions& Meter::options() const { return impl_->options; }

}  // namespace onepass::vulkan
