// vulkan.cpp: the Vulkan engine of tile reductions: distributes a tile over invocations, creates the pipeline and the
// descriptors, records one dispatch.
#include <algorithm>
#include <string>

#include "tile_reduction/shares.hpp"
#include "tile_reduction/vulkan_impl.hpp"
#include "vulkan/debug_names.hpp"
#include "vulkan/image_view.hpp"
#include "vulkan/tunings.hpp"

namespace onepass::vulkan {
namespace {

using tile_reduction::log2_of;
using tile_reduction::TileReductionParams;

enum BindingIndex : uint32_t { kSource = 0, kTarget = 1 };

/// Specialization constants in the order of their ids.
struct Constants {
  uint32_t group, group_log2, side_log2, reads_log2;
  uint32_t reduction, source_channels, target_kind;
  VkBool32 target_srgb, partial;
  uint32_t samples;
};

const char* strategy_word(TileStrategy strategy) { return strategy == TileStrategy::kTree ? "tree" : "subgroup"; }

// ---- Distribution of a tile over invocations

std::string subgroups_missing(const Device::Impl& device) {
  constexpr VkSubgroupFeatureFlags needed =
      VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  if ((device.subgroup_operations & needed) != needed) return "shuffle operations are missing in compute shaders";
  const uint32_t size = device.full_subgroup_size();
  if (size < 4 || size > 128) return "subgroups of " + std::to_string(size) + " are not within 4 and 128";
  return {};
}

Result<TileStrategy> choose_strategy(const Device::Impl& device, TileStrategy wanted, bool usual_source) {
  std::string missing = subgroups_missing(device);
  if (!usual_source) missing = "only for sampled sources of one sample";
  switch (wanted) {
    case TileStrategy::kAuto:
      // Invocation indices assume full subgroups. With kSubgroup and without the feature the caller guarantees them.
      return missing.empty() && device.handles.features.compute_full_subgroups ? TileStrategy::kSubgroup
                                                                               : TileStrategy::kTree;
    case TileStrategy::kTree:
      return wanted;
    case TileStrategy::kSubgroup:
      if (!missing.empty()) return unsupported(device, "tuning.strategy: subgroup: " + missing);
      return wanted;
  }
  return check_enumerators("tuning.strategy", wanted).error();
}

// Chooses the gathers per invocation, the workgroup size and the number of workgroups.
Result<void> share_tiles(const Device::Impl& device, const TileReductionOptions& options,
                         const TileReductionTuning& tuning, TileReductionDispatchPlan& plan) {
  const uint32_t limit =
      std::min(device.limits.maxComputeWorkGroupInvocations, device.limits.maxComputeWorkGroupSize[0]);
  const auto shares =
      tile_reduction::share_tiles(options, {.gathers = tuning.gathers, .workgroup_size = tuning.workgroup_size}, limit);
  if (!shares) return shares.error();
  plan.gathers = shares->gathers;
  plan.workgroup_size = shares->workgroup_size;
  plan.groups_x = shares->groups[0];
  plan.groups_y = shares->groups[1];
  plan.groups_z = shares->groups[2];
  const uint32_t subgroup = device.full_subgroup_size();
  if (plan.strategy == TileStrategy::kSubgroup && plan.workgroup_size % subgroup != 0) {
    return invalid("tuning.workgroup_size: " + std::to_string(plan.workgroup_size) +
                   " is not a multiple of subgroups of " + std::to_string(subgroup));
  }
  return {};
}

// ---- Pipeline

std::string kernel_name(const TileReductionOptions& options, TileStrategy strategy, SourceUsage usage) {
  const uint32_t most = std::max(format_info(options.source).channels, format_info(options.target).channels);
  const uint32_t channels = options.reduction == Reduction::kMinMax ? 2 : most;
  return "tile_reduction_" + std::to_string(channels > 2 ? 4 : channels) + "_" + strategy_word(strategy) +
         kernel_tail(usage, options.samples);
}

Constants make_constants(const TileReductionOptions& options, const TileReductionDispatchPlan& plan) {
  const FormatInfo& target = format_info(options.target);
  return {.group = plan.workgroup_size,
          .group_log2 = log2_of(plan.workgroup_size),
          .side_log2 = log2_of(options.factor / 2),
          .reads_log2 = log2_of(plan.gathers),
          .reduction = static_cast<uint32_t>(options.reduction),
          // The samples of a texel become two channels, minimum and maximum.
          .source_channels =
              options.samples > 1 && options.reduction == Reduction::kMinMax ? 2 : format_info(options.source).channels,
          .target_kind = target_kind(target),
          .target_srgb = target.type == ChannelType::kSrgb,
          .partial = tile_reduction::has_partial_tiles(options),
          .samples = options.samples};
}

Result<std::shared_ptr<const ComputeKernel>> find_kernel(const Device& device, const TileReductionOptions& options,
                                                         const TileReductionDispatchPlan& plan, SourceUsage usage) {
  const KernelBinding bindings[] = {{kSource, descriptor_type(usage)}, {kTarget, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE}};
  const Constants constants = make_constants(options, plan);
  return find_compute_kernel(device, {.set = kTileReductionKernels,
                                      .kernel = kernel_name(options, plan.strategy, usage),
                                      .constants = constants_of(constants),
                                      .bindings = bindings,
                                      .params_bytes = sizeof(TileReductionParams),
                                      .full_subgroups = plan.strategy == TileStrategy::kSubgroup});
}

// ---- Binding

Result<void> check_set(const TileReductionImages& images, uint32_t slices) {
  if (images.source == VK_NULL_HANDLE) return invalid("source: null image");
  if (images.target == VK_NULL_HANDLE) return invalid("target: null image");
  const bool slices_meet =
      images.source_slice < images.target_slice + slices && images.target_slice < images.source_slice + slices;
  if (images.source == images.target && images.source_level == images.target_level && slices_meet) {
    return invalid("target_level: " + std::to_string(images.target_level) +
                   " would overwrite the source, the same level of the same image");
  }
  return {};
}

}  // namespace

TileReductionBinding::TileReductionBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TileReductionBinding::TileReductionBinding(TileReductionBinding&&) noexcept = default;
TileReductionBinding& TileReductionBinding::operator=(TileReductionBinding&&) noexcept = default;
TileReductionBinding::~TileReductionBinding() = default;

namespace {

Result<TileReduction> create_resolved(const Device& device, const TileReductionOptions& options,
                                      const TileReductionTuning& tuning) {
  auto plan = plan_tile_reduction(options);
  if (!plan) return plan.error();
  auto impl = std::make_shared<TileReduction::Impl>(device);
  const Device::Impl& d = impl->device.impl();
  impl->options = options;
  impl->plan.plan = *plan;
  auto strategy =
      choose_strategy(d, tuning.strategy, options.samples == 1 && tuning.source_usage == SourceUsage::kSampled);
  if (!strategy) return strategy.error();
  impl->plan.strategy = *strategy;
  if (auto shared = share_tiles(d, options, tuning, impl->plan); !shared) return shared.error();
  auto checked = check_images(
      d, {options.size, options.slices, options.source, options.target, options.samples, tuning.source_usage});
  if (!checked) return checked.error();
  impl->source_usage = tuning.source_usage;
  auto kernel = find_kernel(device, options, impl->plan, tuning.source_usage);
  if (!kernel) return kernel.error();
  impl->kernel = std::move(*kernel);
  impl->params = tile_reduction::make_params(options);
  return TileReduction(std::move(impl));
}

}  // namespace

Result<TileReduction> TileReduction::create(const Device& device, const TileReductionOptions& options,
                                            const TileReductionTuning& tuning) {
  return create_tuned(device.impl(), tuning, tuning_case(options),
                      [&](const TileReductionTuning& use) { return create_resolved(device, options, use); });
}

Result<TileReductionBinding> TileReduction::bind(const TileReductionImages& images) const {
  if (auto checked = check_set(images, impl_->options.slices); !checked) return checked.error();
  if (auto checked = check_layout(impl_->source_usage, images.source_layout); !checked) return checked.error();
  auto binding = std::make_unique<TileReductionBinding::Impl>(impl_);
  const TileReductionOptions& options = impl_->options;
  VkImageView source = VK_NULL_HANDLE, target = VK_NULL_HANDLE;
  auto done =
      binding->objects.add_view(view_of_source(images, options.source, options.slices, impl_->source_usage), source);
  if (done) done = binding->objects.add_view(view_of_target(images, options.target, options.slices), target);
  if (done) {
    done = binding->objects.add_set(*impl_->kernel, {{kSource, source, images.source_layout}, {kTarget, target}},
                                    binding->set);
  }
  if (!done) return done.error();
  return TileReductionBinding(std::move(binding));
}

void TileReduction::record(VkCommandBuffer commands, const TileReductionBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass tile reduction");
  const TileReductionBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.tiles == impl_);
  impl_->kernel->record(commands, b.set, impl_->params,
                        {impl_->plan.groups_x, impl_->plan.groups_y, impl_->plan.groups_z});
}

const TileReductionDispatchPlan& TileReduction::dispatch_plan() const { return impl_->plan; }
const TileReductionOptions& TileReduction::options() const { return impl_->options; }

}  // namespace onepass::vulkan
