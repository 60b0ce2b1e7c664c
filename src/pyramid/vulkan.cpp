// vulkan.cpp: the Vulkan engine of the pyramid: pipelines at creation, descriptors at binding, commands at recording.
//
// One descriptor set per dispatch: the source, the level images, the counters and the exchange buffer. per_level has
// one set per level with one level image each, so that it runs on devices with few storage images.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "pyramid/dispatch_plan.hpp"
#include "pyramid/test_tuning.hpp"
#include "pyramid/vulkan_impl.hpp"
#include "vulkan/compute_pipeline.hpp"
#include "vulkan/image_view.hpp"
#include "vulkan/kernels.hpp"

namespace onepass::vulkan {
namespace {

using pyramid::ChainDispatch;
using pyramid::DispatchLayout;
using pyramid::PyramidParams;

// Values of the MODE_ macros in pyramid_options.glsl.
enum TexelMode : uint32_t { kModePlain = 0, kModeWeightedAlpha = 1, kModeNormalMap = 2 };

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
};
constexpr uint32_t kConstantCount = sizeof(Constants) / 4;

Error unsupported(const Device::Impl& device, std::string message) {
  return {ErrorCode::kUnsupported, std::move(message), device.info.name};
}

std::string format_name(Format format) { return std::string(format_info(format).name); }

Result<void> check_tuning(const PyramidTuning& tuning) {
  const auto invalid = [](const char* field) {
    return Error{ErrorCode::kInvalidArgument, std::string("tuning.") + field + ": not one of the enumerators", {}};
  };
  if (tuning.path > PyramidPath::kPerLevel) return invalid("path");
  if (tuning.subgroup > Switch::kOn) return invalid("subgroup");
  if (tuning.sampling > Sampling::kLinear) return invalid("sampling");
  if (tuning.arithmetic > Arithmetic::kPackedHalf) return invalid("arithmetic");
  if (tuning.memory_model > Switch::kOn) return invalid("memory_model");
  if (tuning.last_to_start > Switch::kOn) return invalid("last_to_start");
  return {};
}

// The requirement of kSingleDispatch that the device does not meet; empty if it meets all.
std::string single_dispatch_missing(const Device::Impl& device) {
  if (device.limits.maxPerStageDescriptorStorageImages < kLevelImages) return "fewer than 15 storage images a shader";
  if (device.limits.maxComputeSharedMemorySize < 32768) return "less than 32 KB of shared memory";
  return {};
}

Result<PyramidPath> choose_path(const Device::Impl& device, const PyramidTuning& tuning) {
  if (tuning.path == PyramidPath::kPerLevel) return PyramidPath::kPerLevel;
  const std::string missing = single_dispatch_missing(device);
  if (tuning.path == PyramidPath::kAuto && !missing.empty()) return PyramidPath::kPerLevel;
  if (!missing.empty()) return unsupported(device, "path: single_dispatch: " + missing);
  return PyramidPath::kSingleDispatch;
}

bool can_use_subgroups(const Device::Impl& device, Arithmetic arithmetic) {
  constexpr VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                            VK_SUBGROUP_FEATURE_QUAD_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  const bool types = arithmetic == Arithmetic::kFloat || device.handles.features.subgroup_extended_types;
  return (device.subgroup_operations & needed) == needed && types && device.info.subgroup_size >= 4 &&
         device.info.subgroup_size <= 128;
}

Result<bool> choose_subgroups(const Device::Impl& device, const PyramidTuning& tuning) {
  bool subgroup = can_use_subgroups(device, tuning.arithmetic);
  if (tuning.subgroup == Switch::kOn && !subgroup) {
    return unsupported(device, "tuning.subgroup: ballot, quad or shuffle operations are missing in compute shaders");
  }
  // Invocation indices assume full subgroups. With kOn and without the feature the caller guarantees them.
  if (tuning.subgroup == Switch::kAuto && !device.handles.features.compute_full_subgroups) subgroup = false;
  return subgroup && tuning.subgroup != Switch::kOff;
}

// Last-to-start mode: may a workgroup wait for workgroups that have started?
bool last_to_start(const Device::Impl& device, const PyramidTuning& tuning) {
  return tuning.last_to_start == Switch::kOn || (tuning.last_to_start == Switch::kAuto && device.forward_progress);
}

// Does one linear sample in the middle of 2x2 texels give the result that the options ask for?
bool linear_is_mean(const PyramidOptions& options) {
  return options.reduction == Reduction::kMean && options.alpha == Alpha::kIndependent &&
         options.normal_map == NormalMap::kOff && !format_info(options.source).depth;
}

Result<bool> choose_linear(const Device::Impl& device, const PyramidOptions& options, const PyramidTuning& tuning) {
  if (tuning.sampling == Sampling::kFetch) return false;
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

// Do 16-bit floats have enough precision and range for the format's values?
bool fits_half(Format format) {
  const FormatInfo& info = format_info(format);
  if (info.packed) return format == Format::kB10G11R11Ufloat;
  return info.bytes_per_texel == info.channels ||
         (info.type == ChannelType::kFloat && info.bytes_per_texel == 2 * info.channels);
}

Result<bool> choose_half(const Device::Impl& device, const PyramidOptions& options, const PyramidTuning& tuning,
                         PyramidPath path) {
  if (tuning.arithmetic == Arithmetic::kFloat) return false;
  if (!device.handles.features.shader_float16) {
    return unsupported(device, "tuning.arithmetic: feature shaderFloat16 is missing");
  }
  if (!fits_half(options.source) || !fits_half(options.target)) {
    return unsupported(device, "tuning.arithmetic: packed_half cannot carry " + format_name(options.source) + " to " +
                                   format_name(options.target));
  }
  if (options.footprint == Footprint::kTight || options.alpha != Alpha::kIndependent) {
    return unsupported(device, "tuning.arithmetic: packed_half does not do tight footprints or alpha modes");
  }
  if (path == PyramidPath::kPerLevel) return unsupported(device, "tuning.arithmetic: packed_half: path is per_level");
  if (tuning.memory_model == Switch::kOn) {
    return unsupported(device, "tuning.arithmetic: packed_half and memory_model exclude each other");
  }
  return true;
}

Constants make_constants(const Device::Impl& device, const DispatchLayout& layout, bool linear, uint32_t delay) {
  const PyramidOptions& options = layout.options;
  const FormatInfo& source = format_info(options.source);
  const FormatInfo& target = format_info(options.target);
  Constants constants{};
  constants.reduction = static_cast<uint32_t>(options.reduction);
  constants.footprint = static_cast<uint32_t>(options.footprint);
  constants.texel_mode = options.alpha == Alpha::kWeighted       ? kModeWeightedAlpha
                         : options.normal_map != NormalMap::kOff ? kModeNormalMap
                                                                 : kModePlain;
  constants.source_channels = source.channels;
  constants.target_channels = target.channels;
  constants.source_unorm = source.type == ChannelType::kUnorm;
  constants.target_kind = target_kind(target);
  if (constants.target_kind == kKindHalf && device.pack_half_rounds_to_nearest) constants.target_kind = kKindHalfPacked;
  constants.target_srgb = target.type == ChannelType::kSrgb;
  constants.linear_sampler = linear;
  constants.store_levels = options.alpha != Alpha::kCoverage;
  constants.delay = delay;
  constants.threshold = options.alpha_threshold;
  constants.sample_shift = device.info.software ? 0.0F : 1.0F / 1024.0F;  // software: float weights
  constants.stage_count = layout.params.stage_count;
  constants.stage_firsts = layout.params.stage_firsts;
  constants.stage_depths = layout.params.stage_depths;
  constants.stage_kinds = layout.params.stage_kinds;
  constants.has_general = layout.has_general ? VK_TRUE : VK_FALSE;
  // Measured on an H200 (docs/experiments/pyramid.md): pairs of invocations do not speed up fetches of narrower texels.
  constants.window_pairs = source.bytes_per_texel >= 8 ? VK_TRUE : VK_FALSE;
  // Mesa 22's lavapipe no longer executes invocations that leave a loop at different iterations.
  constants.subgroup_polls = device.info.software ? VK_TRUE : VK_FALSE;
  return constants;
}

// All inputs that a set of pipelines depends on.
struct PipelineKey {
  std::string kernel;
  Constants constants{};
  uint32_t images_per_set = kLevelImages;
  bool coverage = false;
  bool full_subgroups = false;

  [[nodiscard]] std::string text() const {
    std::string text = kernel + '/' + std::to_string(images_per_set) + (coverage ? "c" : "") + '/';
    return text.append(reinterpret_cast<const char*>(&constants), sizeof(constants));
  }
};

VkDescriptorSetLayoutBinding set_binding(uint32_t binding, VkDescriptorType type, uint32_t count) {
  return {binding, type, count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
}

Result<void> create_layouts(const Device::Impl& device, const PipelineKey& key, PyramidPipelines& out) {
  const DeviceFunctions& vk = device.functions;
  const VkDescriptorSetLayoutBinding bindings[] = {
      set_binding(kSource, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1),
      set_binding(kLevels, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, key.images_per_set),
      set_binding(kCounters, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
      set_binding(kIntermediate, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
      set_binding(kHistogram, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1),
  };
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = key.coverage ? 5 : 4;
  set.pBindings = bindings;
  VkResult result = vk.vkCreateDescriptorSetLayout(device.handles.device, &set, nullptr, &out.set_layout);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateDescriptorSetLayout");
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(PyramidParams)};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &out.set_layout;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &range;
  result = vk.vkCreatePipelineLayout(device.handles.device, &layout, nullptr, &out.pipeline_layout);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreatePipelineLayout");

  auto sampler =
      create_sampler(device, key.constants.linear_sampler != VK_FALSE ? VK_FILTER_LINEAR : VK_FILTER_NEAREST);
  if (!sampler) return sampler.error();
  out.sampler = *sampler;
  return {};
}

Result<VkPipeline> create_pipeline(const Device::Impl& device, const PyramidPipelines& pipelines,
                                   const std::string& kernel, const Constants& constants, bool full_subgroups) {
  return create_compute_pipeline(device, {.layout = pipelines.pipeline_layout,
                                          .kernel = kernel,
                                          .constants = {reinterpret_cast<const uint32_t*>(&constants), kConstantCount},
                                          .full_subgroups = full_subgroups});
}

Result<std::shared_ptr<PyramidPipelines>> create_pipelines(const Device::Impl& device, const PipelineKey& key) {
  auto out = std::make_shared<PyramidPipelines>();
  out->device = &device;
  if (auto created = create_layouts(device, key, *out); !created) return created.error();
  auto chain = create_pipeline(device, *out, key.kernel, key.constants, key.full_subgroups);
  if (!chain) return chain.error();
  out->chain = *chain;
  out->create_update = [&device, key, pipelines = out.get()]() -> VkPipeline {
    Constants constants = key.constants;
    constants.partial = VK_TRUE;
    auto update = create_pipeline(device, *pipelines, key.kernel, constants, key.full_subgroups);
    return update ? *update : VK_NULL_HANDLE;
  };
  if (!key.coverage) return out;
  Constants constants = key.constants;
  constants.store_levels = VK_TRUE;
  auto count = create_pipeline(device, *out, "pyramid_coverage_count", constants, false);
  if (!count) return count.error();
  out->coverage_count = *count;
  auto scale = create_pipeline(device, *out, "pyramid_coverage_scale", constants, false);
  if (!scale) return scale.error();
  out->coverage_scale = *scale;
  return out;
}

// Resolves the tuning switches to a kernel variant and its specialization constants.
Result<PipelineKey> choose_kernel(const Device::Impl& device, const DispatchLayout& layout, const PyramidTuning& tuning,
                                  uint32_t delay) {
  const PyramidOptions& options = layout.options;
  auto linear = choose_linear(device, options, tuning);
  if (!linear) return linear.error();
  auto half = choose_half(device, options, tuning, layout.plan.path);
  if (!half) return half.error();
  // kAuto means off: on an H200 the kernels in the Vulkan memory model take 1.1 to 2 times as long
  // (docs/experiments/pyramid.md).
  const bool memory_model = tuning.memory_model == Switch::kOn;
  if (memory_model && !device.handles.features.vulkan_memory_model) {
    return unsupported(device, "tuning.memory_model: feature vulkanMemoryModel is missing");
  }
  PipelineKey key;
  key.constants = make_constants(device, layout, *linear, delay);
  key.coverage = options.alpha == Alpha::kCoverage;
  const std::string components = std::to_string(layout.components);
  const std::string half_tail = *half ? "_half" : "";
  const std::string model_tail = memory_model ? "_memory_model" : "";
  if (layout.plan.path == PyramidPath::kPerLevel) {
    key.kernel = "pyramid_per_level_" + components;
    key.images_per_set = key.coverage ? kLevelImages : 1;
  } else if (options.footprint == Footprint::kTight) {
    key.kernel = "pyramid_tight_" + components + model_tail;
  } else {
    // Packed half and the memory model have no variants with indexed images.
    const bool indexed = device.handles.features.storage_image_array_dynamic_indexing && !*half && !memory_model;
    key.kernel = "pyramid_" + components + half_tail + model_tail + (indexed ? "_indexed" : "") +
                 (layout.subgroup_size > 0 ? "_subgroup" : "");
    key.full_subgroups = layout.subgroup_size > 0;
    // Measured on an H200 (docs/experiments/pyramid.md): at odd sizes inlined kernels gain with one component, with
    // four only where texels are wide, with two not at all.
    const bool two_to_one_only = !layout.has_sliding_window && !layout.has_general;
    const bool wide = format_info(options.source).bytes_per_texel >= 16;
    std::string special;
    if (two_to_one_only) {
      special = key.kernel + "_two_to_one";
    } else if (layout.components == 1 || (layout.has_sliding_window && wide)) {
      special = key.kernel + "_inlined";
    }
    if (has_kernel(special)) key.kernel = special;
  }
  return key;
}

void memory_barrier(const DeviceFunctions& vk, VkCommandBuffer commands, VkPipelineStageFlags from,
                    VkAccessFlags from_access) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = from_access;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  vk.vkCmdPipelineBarrier(commands, from, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void dispatch(const Pyramid::Impl& self, VkCommandBuffer commands, VkPipeline pipeline, VkDescriptorSet set,
              const PyramidParams& params, PyramidDispatchPlan::Groups groups) {
  const DeviceFunctions& vk = self.device.impl().functions;
  VkPipelineLayout layout = self.pipelines->pipeline_layout;
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vk.vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(params), &params);
  vk.vkCmdDispatch(commands, groups.x, groups.y, groups.z);
}

void record_chain(const Pyramid::Impl& self, VkCommandBuffer commands, const PyramidBinding::Impl& binding,
                  std::optional<Rect> changed, bool all_tiles) {
  const DeviceFunctions& vk = self.device.impl().functions;
  VkPipeline pipeline = changed ? self.pipelines->update() : self.pipelines->chain;
  if (pipeline == VK_NULL_HANDLE) {  // a full build covers the affected region
    pipeline = self.pipelines->chain;
    changed.reset();
    all_tiles = true;
  }
  bool first = true;
  for (uint32_t i = 0; i < binding.sets.size(); ++i) {
    const ChainDispatch next = pyramid::chain_dispatch(self.layout, i, changed, all_tiles);
    if (next.groups.x == 0) continue;
    if (!first) {
      memory_barrier(vk, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT);
    }
    first = false;
    dispatch(self, commands, pipeline, binding.sets[i], next.params, next.groups);
  }
}

void record_coverage(const Pyramid::Impl& self, VkCommandBuffer commands, const PyramidBinding::Impl& binding) {
  const DeviceFunctions& vk = self.device.impl().functions;
  const auto groups = pyramid::coverage_groups(self.layout);
  memory_barrier(vk, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                 VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  dispatch(self, commands, self.pipelines->coverage_count, binding.sets[0], self.layout.params, groups);
  memory_barrier(vk, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT);
  dispatch(self, commands, self.pipelines->coverage_scale, binding.sets[0], self.layout.params, groups);
}

}  // namespace

VkPipeline PyramidPipelines::update() const {
  std::call_once(update_once, [this] { lazy_update = create_update(); });
  return lazy_update;
}

PyramidPipelines::~PyramidPipelines() {
  if (device == nullptr) return;
  const DeviceFunctions& vk = device->functions;
  VkDevice handle = device->handles.device;
  for (VkPipeline pipeline : {chain, lazy_update, coverage_count, coverage_scale}) {
    vk.vkDestroyPipeline(handle, pipeline, nullptr);
  }
  vk.vkDestroyPipelineLayout(handle, pipeline_layout, nullptr);
  vk.vkDestroyDescriptorSetLayout(handle, set_layout, nullptr);
  vk.vkDestroySampler(handle, sampler, nullptr);
}

Result<Pyramid> create_pyramid(const Device& device, const PyramidOptions& options, const PyramidTuning& tuning,
                               const PyramidTestTuning& test) {
  if (auto checked = check_tuning(tuning); !checked) return checked.error();
  auto path = choose_path(device.impl(), tuning);
  if (!path) return path.error();
  auto subgroup = choose_subgroups(device.impl(), tuning);
  if (!subgroup) return subgroup.error();
  auto layout = pyramid::lay_out(options, {.path = *path,
                                           .stage_depth = test.stage_depth,
                                           .tiles_per_workgroup = test.tiles_per_workgroup,
                                           .subgroup_size = *subgroup ? device.impl().info.subgroup_size : 0,
                                           .last_to_start = last_to_start(device.impl(), tuning)});
  if (!layout) return layout.error();
  if (auto checked = check_images(device.impl(), {options.size, options.slices, options.source, options.target});
      !checked) {
    return checked.error();
  }
  if (options.alpha == Alpha::kCoverage && device.impl().limits.maxPerStageDescriptorStorageImages < kLevelImages) {
    return unsupported(device.impl(), "alpha: coverage needs 15 storage images a shader");
  }
  const uint64_t largest =
      std::max({layout->counter_bytes, layout->histogram_bytes, layout->intermediate_bytes + layout->mailbox_bytes});
  if (largest > device.impl().limits.maxStorageBufferRange) {
    return unsupported(device.impl(), "size: scratch of " + std::to_string(largest) +
                                          " bytes exceeds maxStorageBufferRange " +
                                          std::to_string(device.impl().limits.maxStorageBufferRange));
  }
  auto key = choose_kernel(device.impl(), *layout, tuning, test.delay);
  if (!key) return key.error();
  auto pipelines =
      device.impl().shared->get<PyramidPipelines>(key->text(), [&] { return create_pipelines(device.impl(), *key); });
  if (!pipelines) return pipelines.error();
  if (tuning.prepare_update && !key->coverage && (*pipelines)->update() == VK_NULL_HANDLE) {
    return Error{ErrorCode::kDevice, "tuning.prepare_update: the pipeline of updates cannot be created",
                 device.info().name};
  }
  auto impl = std::make_shared<Pyramid::Impl>(device);
  impl->layout = std::move(*layout);
  impl->images_per_set = key->images_per_set;
  impl->pipelines = std::move(*pipelines);
  return Pyramid(std::move(impl));
}

Result<Pyramid> Pyramid::create(const Device& device, const PyramidOptions& options, const PyramidTuning& tuning) {
  return create_pyramid(device, options, tuning, {});
}

const PyramidDispatchPlan& Pyramid::plan() const { return impl_->layout.plan; }
const PyramidOptions& Pyramid::options() const { return impl_->layout.options; }

void Pyramid::record_reset(VkCommandBuffer commands, const PyramidBinding& binding) const {
  const PyramidBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.pyramid == impl_);
  impl_->device.impl().functions.vkCmdFillBuffer(commands, b.scratch, b.scratch_offset,
                                                 impl_->layout.plan.scratch_bytes, 0);
}

void Pyramid::record(VkCommandBuffer commands, const PyramidBinding& binding) const {
  const PyramidBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.pyramid == impl_);
  if (impl_->layout.params.last_level == 0) return;
  if (impl_->coverage()) {
    const DeviceFunctions& vk = impl_->device.impl().functions;
    // The previous record() must have finished reading the histogram before it is cleared.
    vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                            VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 0, nullptr);
    vk.vkCmdFillBuffer(commands, b.scratch, b.scratch_offset + impl_->layout.histogram_offset,
                       impl_->layout.histogram_bytes, 0);
  }
  record_chain(*impl_, commands, b, std::nullopt, true);
  if (impl_->coverage()) record_coverage(*impl_, commands, b);
}

void Pyramid::record_update(VkCommandBuffer commands, const PyramidBinding& binding, Rect changed,
                            Scratch scratch) const {
  const Extent size = impl_->layout.options.size;
  if (changed.x >= size.width || changed.y >= size.height || changed.width == 0 || changed.height == 0) return;
  changed.width = std::min(changed.width, size.width - changed.x);
  changed.height = std::min(changed.height, size.height - changed.y);
  if (impl_->coverage()) return record(commands, binding);
  // In a single dispatch every tile contributes to coarse tight texels (by atomics), so every tile has to run.
  const bool tight = impl_->layout.options.footprint == Footprint::kTight;
  const bool single = impl_->layout.plan.path == PyramidPath::kSingleDispatch;
  // per_level makes tight levels from the base and never reads scratch memory.
  const bool scratch_matters = !(tight && !single);
  const bool all_tiles = (scratch == Scratch::kUnknown && scratch_matters) || (tight && single);
  record_chain(*impl_, commands, binding.impl(), changed, all_tiles);
}

}  // namespace onepass::vulkan
