// vulkan.cpp: the Vulkan engine of the pyramid: pipelines at creation, descriptors at binding, commands at recording.
//
// A descriptor set has the source, the level images, the counters and the exchange buffer. per_level has one set per
// level with one level image each, so that it runs on devices with few storage images.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "image/row_spec.hpp"
#include "pyramid/coverage.hpp"
#include "pyramid/dispatch_plan.hpp"
#include "pyramid/stage_constants.hpp"
#include "pyramid/test_tuning.hpp"
#include "pyramid/vulkan_impl.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/debug_names.hpp"
#include "vulkan/kernels.hpp"
#include "vulkan/tunings.hpp"

namespace onepass::vulkan {
namespace {

using pyramid::ChainDispatch;
using pyramid::DispatchLayout;
using pyramid::PyramidParams;
using pyramid::StageConstants;
using pyramid::StageKinds;

/// Specialization constants in the order of their ids.
struct Constants {
  uint32_t reduction, footprint, texel_mode, source_channels, target_channels;
  VkBool32 source_unorm;
  uint32_t target_kind;
  VkBool32 target_srgb, linear_sampler, store_levels;
  uint32_t delay;
  float threshold;
  float sample_shift;
  uint32_t stage_count, stage_firsts, stage_depths, stage_kinds;
  VkBool32 has_general, partial, window_pairs, subgroup_polls;
  uint32_t max_polls;
  uint32_t samples;
  uint32_t stages;
  uint32_t workgroup_size;
  uint32_t base_remainders;
  float alpha_unit, base_cut, unscaled_cut, unscaled_scale, least_passing, most_failing, target_alpha_unit;
};

std::string format_name(Format format) { return std::string(format_info(format).name); }

Result<void> check_tuning(const PyramidTuning& tuning) {
  return check_enumerators("tuning.path", tuning.path, "tuning.subgroup", tuning.subgroup, "tuning.sampling",
                           tuning.sampling, "tuning.last_to_start", tuning.last_to_start, "tuning.second_dispatch",
                           tuning.second_dispatch, "tuning.publish", tuning.publish, "tuning.source_usage",
                           tuning.source_usage, "tuning.pipelines", tuning.pipelines);
}

bool can_use_subgroups(const Device::Impl& device) {
  constexpr VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                            VK_SUBGROUP_FEATURE_QUAD_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  return (device.subgroup_operations & needed) == needed && device.full_subgroup_size() >= 4 &&
         device.full_subgroup_size() <= 128;
}

// Is the source a sampled image of one sample? Others have fewer kernels.
bool is_usual_source(const PyramidOptions& options, const PyramidTuning& tuning) {
  return options.samples == 1 && tuning.source_usage == SourceUsage::kSampled;
}

Result<bool> choose_subgroups(const Device::Impl& device, const PyramidTuning& tuning) {
  if (tuning.source_usage == SourceUsage::kStorage) {
    if (tuning.subgroup != Switch::kOn) return false;
    return unsupported(device, "tuning.subgroup: on, but source_usage is storage, which has no such kernels");
  }
  bool subgroup = can_use_subgroups(device);
  if (tuning.subgroup == Switch::kOn && !subgroup) {
    return unsupported(device, "tuning.subgroup: ballot, quad or shuffle operations are missing in compute shaders");
  }
  // Invocation indices assume full subgroups. With kOn and without the feature the caller guarantees them.
  if (tuning.subgroup == Switch::kAuto && !device.handles.features.compute_full_subgroups) subgroup = false;
  return subgroup && tuning.subgroup != Switch::kOff;
}

// Last-to-start mode: may a workgroup wait for workgroups that have started?
bool last_to_start(const Device::Impl& device, const PyramidTuning& tuning) {
  return is_on(tuning.last_to_start, device.driver.forward_progress);
}

// Self-validating words: do stores become visible to other workgroups without a fence? Last-to-start mode, forced on,
// is a request for them.
bool publishes(const Device::Impl& device, const PyramidTuning& tuning) {
  return is_on(tuning.publish, device.driver.unfenced_stores || tuning.last_to_start == Switch::kOn);
}

// Does one linear sample in the middle of 2x2 texels give the result that the options ask for?
bool linear_is_mean(const PyramidOptions& options) {
  return options.reduction == Reduction::kMean && options.alpha == Alpha::kIndependent &&
         options.normal_map == NormalMap::kOff && !format_info(options.source).depth;
}

Result<bool> choose_linear(const Device::Impl& device, const PyramidOptions& options, const PyramidTuning& tuning) {
  if (tuning.sampling == Sampling::kFetch) return false;
  if (!is_usual_source(options, tuning)) {
    if (tuning.sampling == Sampling::kAuto) return false;
    return unsupported(device, "tuning.sampling: linear needs a sampled source of one sample");
  }
  // Texture filters resolve a coordinate with few bits. On an H200 they hit the middle of 2x2 texels at every tested
  // size up to 6143, and missed it by 1/256 texel at 7777 and more. At powers of two, coordinates are exact.
  const auto [width, height] = options.size;
  const bool exact = std::has_single_bit(width) && std::has_single_bit(height);
  const bool small = std::max(width, height) <= (exact ? 8192U : 4096U);
  const bool filterable = (device.features_of(static_cast<VkFormat>(options.source)) &
                           VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0;
  if (tuning.sampling == Sampling::kAuto) {
    // GPUs filter decoded sRGB with too few bits for the accuracy contract: some results on an H200 are off by two
    // quantisation steps.
    const bool srgb = format_info(options.source).type == ChannelType::kSrgb;
    return small && filterable && linear_is_mean(options) && !srgb && !device.info.software;
  }
  if (!linear_is_mean(options)) {
    return unsupported(device, "tuning.sampling: linear needs reduction mean, alpha independent and no normal map");
  }
  if (!small)
    return unsupported(device, "tuning.sampling: linear is exact up to 4096 texels only, 8192 for powers of two");
  if (!filterable)
    return unsupported(device, "tuning.sampling: the device cannot filter " + format_name(options.source));
  return true;
}

Constants make_constants(const Device::Impl& device, const DispatchLayout& layout, bool linear,
                         const PyramidTestTuning& test) {
  const PyramidOptions& options = layout.options;
  const FormatInfo& source = format_info(options.source);
  const FormatInfo& target = format_info(options.target);
  Constants constants{};
  constants.reduction = static_cast<uint32_t>(options.reduction);
  constants.texel_mode = options.alpha == Alpha::kWeighted       ? kModeWeightedAlpha
                         : options.alpha == Alpha::kCoverage     ? kModeCoverage
                         : options.normal_map != NormalMap::kOff ? kModeNormalMap
                                                                 : kModePlain;
  // The samples of a texel become two channels, minimum and maximum.
  constants.source_channels = options.samples > 1 && options.reduction == Reduction::kMinMax ? 2 : source.channels;
  constants.target_channels = target.channels;
  constants.source_unorm = source.type == ChannelType::kUnorm;
  constants.target_kind = target_kind(target);
  if (constants.target_kind == kKindHalf && device.driver.half_rounds_to_nearest)
    constants.target_kind = kKindHalfPacked;
  constants.target_srgb = target.type == ChannelType::kSrgb;
  constants.linear_sampler = linear;
  constants.store_levels = options.alpha != Alpha::kCoverage;
  constants.delay = test.delay;
  constants.sample_shift = device.info.software ? 0.0F : 1.0F / 1024.0F;  // software: float weights
  // Measured on an H200 (docs/experiments/pyramid.md): pairs of invocations do not speed up fetches of narrower texels.
  constants.window_pairs = source.bytes_per_texel >= 8 ? VK_TRUE : VK_FALSE;
  // Mesa 22's lavapipe no longer executes invocations that leave a loop at different iterations.
  constants.subgroup_polls = device.info.software ? VK_TRUE : VK_FALSE;
  // On a GPU polls end before the operating system takes the device for hung, which Windows does after 2 s.
  const uint32_t most_polls = device.info.software ? ONEPASS_DEFAULT_MAX_POLLS : ONEPASS_DEFAULT_MAX_POLLS / 8;
  constants.max_polls = test.max_polls > 0 ? test.max_polls : most_polls;
  constants.samples = options.samples;
  if (options.alpha == Alpha::kCoverage) {
    const AlphaTest alpha = make_alpha_test(options.source, options.target, options.alpha_threshold);
    constants.threshold = alpha.threshold;
    constants.alpha_unit = image::make_decode_spec(options.source).alpha_unit;
    constants.base_cut = alpha.base_cut;
    constants.unscaled_cut = alpha.unscaled_cut;
    constants.unscaled_scale = alpha.unscaled_scale;
    constants.least_passing = alpha.least_passing;
    constants.most_failing = alpha.most_failing;
    constants.target_alpha_unit = image::make_decode_spec(options.target).alpha_unit;
  }
  return constants;
}

// The constants with those of stages.
Constants with_stages(Constants constants, const StageConstants& stages) {
  constants.footprint = stages.footprint;
  constants.stage_count = stages.stage_count;
  constants.stage_firsts = stages.stage_firsts;
  constants.stage_depths = stages.stage_depths;
  constants.stage_kinds = stages.stage_kinds;
  constants.has_general = stages.has_general ? VK_TRUE : VK_FALSE;
  constants.stages = stages.stages;
  constants.workgroup_size = stages.workgroup_size;
  constants.base_remainders = stages.base_remainders;
  return constants;
}

// A kernel with its constants.
struct Variant {
  std::string kernel;
  Constants constants{};
};

// All inputs that a pyramid's kernels depend on.
struct KernelKey {
  Variant chain;   // of builds in a single dispatch, per level
  Variant base;    // of the first of two dispatches; without a name there is one
  Variant later;   // of the second
  Variant update;  // of updates
  SourceUsage source_usage = SourceUsage::kSampled;
  uint32_t images_per_set = kLevelImages;
  bool coverage = false;
  bool full_subgroups = false;
};

// The kernels of a pyramid have the same bindings, so that each can use the sets of the others.
Result<std::shared_ptr<const ComputeKernel>> find_kernel(KernelBatch& batch, const KernelKey& key,
                                                         const Variant& variant, bool full_subgroups) {
  const KernelBinding bindings[] = {{kSource, descriptor_type(key.source_usage)},
                                    {kLevels, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, key.images_per_set},
                                    {kCounters},
                                    {kIntermediate},
                                    {kHistogram}};
  return batch.find({.set = kPyramidKernels,
                     .kernel = variant.kernel,
                     .constants = constants_of(variant.constants),
                     .bindings = std::span(bindings).first(key.coverage ? 5 : 4),
                     .params_bytes = sizeof(PyramidParams),
                     .filter = variant.constants.linear_sampler != VK_FALSE ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                     .full_subgroups = full_subgroups});
}

Result<void> find_kernels(KernelBatch& batch, const KernelKey& key, PyramidKernels& out) {
  Result<void> done;
  const auto find = [&](const Variant& variant, bool full_subgroups, std::shared_ptr<const ComputeKernel>& kernel) {
    if (!done) return;
    auto found = find_kernel(batch, key, variant, full_subgroups);
    if (found) {
      kernel = std::move(*found);
    } else {
      done = found.error();
    }
  };
  const bool splits = !key.base.kernel.empty();
  find(splits ? key.base : key.chain, key.full_subgroups, out.chain);
  if (splits) find(key.later, key.full_subgroups, out.later);
  if (key.coverage) {
    Constants constants = key.chain.constants;
    constants.store_levels = VK_TRUE;
    find({"pyramid_coverage_count", constants}, false, out.coverage_count);
    find({"pyramid_coverage_scale", constants}, false, out.coverage_scale);
  }
  out.create_update = [device = batch.device(), key]() -> Result<std::shared_ptr<const ComputeKernel>> {
    KernelBatch update(device);
    auto kernel = find_kernel(update, key, key.update, key.full_subgroups);
    if (!kernel) return kernel.error();
    if (auto compiled = update.compile(); !compiled) return compiled.error();
    return kernel;
  };
  return done;
}

// The end of the name of a single dispatch's kernel for a source that is not a sampled image of one sample.
Result<std::string> choose_source_tail(const Device::Impl& device, const DispatchLayout& layout,
                                       const PyramidTuning& tuning) {
  const PyramidOptions& options = layout.options;
  const std::string field =
      options.samples > 1 ? "samples: " + std::to_string(options.samples) : std::string("tuning.source_usage: storage");
  if (options.footprint == Footprint::kTight) {
    return unsupported(device, field + ": a single dispatch has no tight footprints of such sources");
  }
  if (options.samples > 1 && layout.subgroup_size == 0) {
    return unsupported(device, field + ": a single dispatch needs subgroup operations for such sources");
  }
  return (options.samples > 1 ? std::string("_subgroup") : std::string()) +
         kernel_tail(tuning.source_usage, options.samples);
}

// The variant of kernel `plain` for stages of `kinds`, with calls inlined if possible. Kernels with the code of one
// kind are compiled several times faster: drivers inline all functions before they know which stages a pipeline has.
std::string choose_variant(const std::string& plain, StageKinds kinds, bool inlined) {
  const std::string only = kinds == pyramid::kTwoToOneStages ? "_two_to_one"
                           : kinds == pyramid::kWindowStages ? "_window"
                                                             : "";
  const std::string tail = inlined ? "_inlined" : "";
  for (const std::string& name : {plain + only + tail, plain + only, plain + tail}) {
    if (has_kernel(kPyramidKernels, name)) return name;
  }
  return plain;
}

// Resolves the tuning switches to kernel variants and their specialization constants.
Result<KernelKey> choose_kernel(const Device::Impl& device, const DispatchLayout& layout, const PyramidTuning& tuning,
                                const PyramidTestTuning& test) {
  const PyramidOptions& options = layout.options;
  auto linear = choose_linear(device, options, tuning);
  if (!linear) return linear.error();
  const bool usual = is_usual_source(options, tuning);
  const bool shares = tuning.pipelines != Pipelines::kOwn;
  KernelKey key;
  const Constants constants = make_constants(device, layout, *linear, test);
  key.source_usage = tuning.source_usage;
  key.coverage = options.alpha == Alpha::kCoverage;
  if (key.coverage && !usual) return unsupported(device, "tuning.source_usage: storage, but alpha is coverage");
  const std::string components = std::to_string(layout.components);
  std::string kernel;
  if (layout.plan.path == PyramidPath::kPerLevel) {
    kernel = "pyramid_per_level_" + components + kernel_tail(tuning.source_usage, options.samples);
    key.images_per_set = key.coverage ? kLevelImages : 1;
  } else if (!usual) {
    auto tail = choose_source_tail(device, layout, tuning);
    if (!tail) return tail.error();
    kernel = "pyramid_" + components + *tail;
    key.full_subgroups = layout.subgroup_size > 0;
  } else if (options.footprint == Footprint::kTight) {
    kernel = "pyramid_tight_" + components;
  } else {
    const bool indexed = device.handles.features.storage_image_array_dynamic_indexing;
    const std::string plain =
        "pyramid_" + components + (indexed ? "_indexed" : "") + (layout.subgroup_size > 0 ? "_subgroup" : "");
    key.full_subgroups = layout.subgroup_size > 0;
    // Measured (docs/experiments/pyramid.md): inlined kernels gain with one component; with four where texels are wide,
    // or where only later stages are sliding windows, as at 1920x1080; with two not at all.
    const bool gains =
        format_info(options.source).bytes_per_texel >= 16 || layout.base_kind == pyramid::kTwoToOneStages;
    const bool inlined =
        layout.components == 1 || (layout.components == 4 && (layout.kinds() & pyramid::kWindowStages) != 0 && gains);
    kernel = choose_variant(plain, layout.kinds(), inlined);
    if (layout.splits) {
      key.base.kernel = choose_variant(plain, layout.base_kind, inlined);
      key.later.kernel = choose_variant(plain, layout.later_kinds, true);
    }
  }
  const StageConstants all = pyramid::stage_constants(layout);
  key.chain = {kernel, with_stages(constants, pyramid::chain_constants(layout, shares))};
  key.update = {kernel, with_stages(constants, shares ? pyramid::without_stages(all) : all)};
  key.update.constants.partial = VK_TRUE;
  if (layout.splits) {
    if (key.base.kernel.empty()) key.base.kernel = key.later.kernel = kernel;
    key.base.constants = with_stages(constants, pyramid::base_constants(layout, shares));
    key.later.constants = with_stages(constants, pyramid::later_constants(layout, shares));
  }
  return key;
}

void dispatch(const ComputeKernel& kernel, VkCommandBuffer commands, VkDescriptorSet set, const PyramidParams& params,
              const PyramidDispatchPlan::Groups& groups) {
  kernel.record(commands, set, params, {groups.x, groups.y, groups.z});
}

void record_chain(const Pyramid::Impl& self, VkCommandBuffer commands, const PyramidBinding::Impl& binding,
                  std::optional<Rect> changed, bool all_tiles) {
  const ComputeKernel* kernel = changed ? self.kernels.update() : self.kernels.chain.get();
  if (kernel == nullptr) {  // a full build covers the affected region
    kernel = self.kernels.chain.get();
    changed.reset();
    all_tiles = true;
  }
  const auto wait = [&] {
    record_barrier(self.device.impl(), commands, {.before = kShaderWrites, .after = kShaderReads | kShaderWrites});
  };
  bool first = true;
  for (uint32_t i = 0; i < binding.sets.size(); ++i) {
    const ChainDispatch next = pyramid::chain_dispatch(self.layout, i, changed, all_tiles);
    if (next.groups.x == 0) continue;
    if (!first) wait();
    first = false;
    dispatch(*kernel, commands, binding.sets[i], next.params, next.groups);
  }
  if (self.layout.splits && !changed) {
    wait();
    const ChainDispatch later = pyramid::later_dispatch(self.layout);
    dispatch(*self.kernels.later, commands, binding.sets[0], later.params, later.groups);
  }
}

void record_coverage(const Pyramid::Impl& self, VkCommandBuffer commands, const PyramidBinding::Impl& binding) {
  const Device::Impl& device = self.device.impl();
  const auto groups = pyramid::coverage_groups(self.layout);
  record_barrier(device, commands, {.before = kShaderWrites | kTransferWrites, .after = kShaderReads | kShaderWrites});
  PyramidParams params = self.layout.params;
  for (params.level = 0; params.level < pyramid::kCoverageDigits; ++params.level) {
    dispatch(*self.kernels.coverage_count, commands, binding.sets[0], params, groups);
    record_barrier(device, commands, {.before = kShaderWrites, .after = kShaderReads | kShaderWrites});
  }
  dispatch(*self.kernels.coverage_scale, commands, binding.sets[0], self.layout.params, groups);
}

}  // namespace

const ComputeKernel* PyramidKernels::update() const {
  const std::lock_guard lock(update_mutex);
  if (lazy_update == nullptr) {
    if (auto created = create_update(); created) lazy_update = std::move(*created);
  }
  return lazy_update.get();
}

Result<PyramidDispatchPlan> plan_pyramid_dispatches(const PyramidOptions& options, const PyramidTuning& tuning) {
  if (auto checked = check_filter_tuning(options, tuning); !checked) return checked.error();
  const PyramidPath path =
      tuning.path == PyramidPath::kPerLevel ? PyramidPath::kPerLevel : PyramidPath::kSingleDispatch;
  constexpr uint32_t kUsualSubgroup = 32;  // no device is asked
  auto layout = pyramid::lay_out(options, {.path = path,
                                           .subgroup_size = tuning.subgroup == Switch::kOff ? 0 : kUsualSubgroup,
                                           .may_split = tuning.second_dispatch != Switch::kOff,
                                           .always_splits = tuning.second_dispatch == Switch::kOn,
                                           .shares_pipelines = tuning.pipelines != Pipelines::kOwn});
  if (!layout) return layout.error();
  return std::move(layout->plan);
}

namespace {

Result<void> check_limits(const Device::Impl& device, const DispatchLayout& layout, SourceUsage usage) {
  const PyramidOptions& options = layout.options;
  auto checked =
      check_images(device, {options.size, options.slices, options.source, options.target, options.samples, usage});
  if (!checked) return checked;
  const VkPhysicalDeviceLimits& limits = device.limits;
  if (options.alpha == Alpha::kCoverage && limits.maxPerStageDescriptorStorageImages < kLevelImages) {
    return unsupported(device, "alpha: coverage needs 15 storage images, but maxPerStageDescriptorStorageImages is " +
                                   std::to_string(limits.maxPerStageDescriptorStorageImages));
  }
  const uint64_t exchange = layout.filter != nullptr ? std::max(layout.filter->sums_bytes, layout.filter->kept_bytes)
                                                     : layout.intermediate_bytes + layout.mailbox_bytes;
  const uint64_t largest = std::max({layout.counter_bytes, layout.histogram_bytes, exchange});
  if (largest <= limits.maxStorageBufferRange) return {};
  return unsupported(device, "size: scratch of " + std::to_string(largest) + " bytes exceeds maxStorageBufferRange " +
                                 std::to_string(limits.maxStorageBufferRange));
}

Result<Pyramid> create_on_path(const Device& device, const PyramidOptions& options, const PyramidTuning& tuning,
                               const PyramidTestTuning& test, PyramidPath path) {
  const Device::Impl& d = device.impl();
  auto subgroup = choose_subgroups(d, tuning);
  if (!subgroup) return subgroup.error();
  auto layout = pyramid::lay_out(options, {.path = path,
                                           .stage_depth = test.stage_depth,
                                           .tiles_per_workgroup = test.tiles_per_workgroup,
                                           .subgroup_size = *subgroup ? d.full_subgroup_size() : 0,
                                           .publishes = publishes(d, tuning),
                                           .last_to_start = last_to_start(d, tuning),
                                           .may_split = tuning.second_dispatch != Switch::kOff,
                                           .always_splits = is_on(tuning.second_dispatch, d.info.software),
                                           .shares_pipelines = tuning.pipelines != Pipelines::kOwn});
  if (!layout) return layout.error();
  if (auto checked = check_limits(d, *layout, tuning.source_usage); !checked) return checked.error();
  auto key = choose_kernel(d, *layout, tuning, test);
  if (!key) return key.error();
  auto impl = std::make_shared<Pyramid::Impl>(device);
  KernelBatch batch(device);
  auto found = find_kernels(batch, *key, impl->kernels);
  if (found) found = batch.compile();
  if (!found) return found.error();
  if (tuning.prepare_update && !key->coverage && impl->kernels.update() == nullptr) {
    return Error{ErrorCode::kDevice, "tuning.prepare_update: the pipeline of updates cannot be created",
                 device.info().name};
  }
  impl->layout = std::move(*layout);
  impl->source_usage = tuning.source_usage;
  return Pyramid(std::move(impl));
}

Result<Pyramid> create_filtered(const Device& device, const PyramidOptions& options, const PyramidTuning& tuning) {
  if (auto checked = check_filter_tuning(options, tuning); !checked) return checked.error();
  auto layout = pyramid::lay_out(options, {.path = PyramidPath::kPerLevel});
  if (!layout) return layout.error();
  if (auto checked = check_limits(device.impl(), *layout, tuning.source_usage); !checked) return checked.error();
  auto impl = std::make_shared<Pyramid::Impl>(device);
  impl->layout = std::move(*layout);
  impl->source_usage = tuning.source_usage;
  if (auto created = create_filter(device, *impl); !created) return created.error();
  return Pyramid(std::move(impl));
}

Result<Pyramid> create_resolved(const Device& device, const PyramidOptions& options, const PyramidTuning& tuning,
                                const PyramidTestTuning& test) {
  if (tuning.path != PyramidPath::kAuto) return create_on_path(device, options, tuning, test, tuning.path);
  if (!device.impl().driver.divergent_barriers) {
    return create_on_path(device, options, tuning, test, PyramidPath::kPerLevel);
  }
  auto single = create_on_path(device, options, tuning, test, PyramidPath::kSingleDispatch);
  // What the kernel of a single dispatch needs and per_level does not: 15 storage images, more shared memory.
  if (single || single.error().code != ErrorCode::kUnsupported) return single;
  return create_on_path(device, options, tuning, test, PyramidPath::kPerLevel);
}

}  // namespace

Result<Pyramid> create_pyramid(const Device& device, const PyramidOptions& options, const PyramidTuning& tuning,
                               const PyramidTestTuning& test) {
  if (auto checked = check_tuning(tuning); !checked) return checked.error();
  if (options.filter.kind != MipFilter::kBox) return create_filtered(device, options, tuning);
  return create_tuned(device.impl(), tuning, tuning_case(options, tuning),
                      [&](const PyramidTuning& use) { return create_resolved(device, options, use, test); });
}

Result<Pyramid> Pyramid::create(const Device& device, const PyramidOptions& options, const PyramidTuning& tuning) {
  return create_pyramid(device, options, tuning, {});
}

const PyramidDispatchPlan& Pyramid::dispatch_plan() const { return impl_->layout.plan; }
const PyramidOptions& Pyramid::options() const { return impl_->layout.options; }

void Pyramid::record_reset(VkCommandBuffer commands, const PyramidBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass pyramid reset");
  const PyramidBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.pyramid == impl_);
  if (impl_->layout.filter != nullptr) return;  // its dispatches read what they have written
  const DeviceFunctions& vk = impl_->device.impl().functions;
  for (const VkDescriptorBufferInfo& part : {b.state, b.exchange}) {
    vk.vkCmdFillBuffer(commands, part.buffer, part.offset, part.range, 0);
  }
}

void Pyramid::record(VkCommandBuffer commands, const PyramidBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass pyramid");
  const PyramidBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.pyramid == impl_);
  if (impl_->layout.params.last_level == 0) return;
  if (impl_->layout.filter != nullptr) return record_filter(*impl_, commands, b);
  if (impl_->coverage()) {
    const Device::Impl& device = impl_->device.impl();
    // The previous record() must have finished reading the histogram before it is cleared.
    record_barrier(device, commands,
                   {.before = {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0},
                    .after = {VK_PIPELINE_STAGE_TRANSFER_BIT, 0}});
    device.functions.vkCmdFillBuffer(commands, b.state.buffer, b.state.offset + impl_->layout.histogram_offset,
                                     impl_->layout.histogram_bytes, 0);
  }
  record_chain(*impl_, commands, b, std::nullopt, true);
  if (impl_->coverage()) record_coverage(*impl_, commands, b);
}

void Pyramid::record_update(VkCommandBuffer commands, const PyramidBinding& binding, Rect changed,
                            Scratch scratch) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass pyramid update");
  const Extent size = impl_->layout.options.size;
  if (changed.x >= size.width || changed.y >= size.height || changed.width == 0 || changed.height == 0) return;
  changed.width = std::min(changed.width, size.width - changed.x);
  changed.height = std::min(changed.height, size.height - changed.y);
  if (impl_->coverage() || impl_->layout.filter != nullptr) return record(commands, binding);
  // In a single dispatch every tile contributes to coarse tight texels (by atomics), so every tile has to run.
  const bool tight = impl_->layout.options.footprint == Footprint::kTight;
  const bool single = impl_->layout.plan.path == PyramidPath::kSingleDispatch;
  // per_level makes tight levels from the base and never reads scratch memory.
  const bool scratch_matters = !(tight && !single);
  const bool all_tiles = (scratch == Scratch::kUnknown && scratch_matters) || (tight && single);
  record_chain(*impl_, commands, binding.impl(), changed, all_tiles);
}

}  // namespace onepass::vulkan
