// vulkan.cpp: vulkan::Reflection: six kernels over one descriptor set. Matrices and counters are written into scratch
// memory by the command buffer, so that a recording can be submitted again.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "image/div_up.hpp"
#include "image/error.hpp"
#include "onepass/vulkan/reflection.hpp"
#include "reflection/blue_noise.hpp"
#include "reflection/matrix.hpp"
#include "reflection/scratch.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/compute_kernel.hpp"
#include "vulkan/debug_names.hpp"

namespace onepass::vulkan {

using reflection::ReflectionMatrices;
using reflection::ReflectionParams;
using reflection::ScratchParts;

namespace {

enum BindingIndex : uint32_t {
  kDepth,
  kPyramid,
  kNormals,
  kRoughness,
  kColor,
  kMotion,
  kEnvironment,
  kTarget,
  kHitDistance,
  kState,
  kTraced,
  kSettled,
  kHistory,
  kNoise
};

constexpr Format kTargetFormat = Format::kRGBA16Sfloat;
constexpr VkDeviceSize kOffsetAlign = 256;
constexpr VkBufferUsageFlags kScratchUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr uint64_t kMatricesAt = uint64_t{4} * ONEPASS_REFLECTION_HEADER_WORDS;

constexpr Accesses kCommandReads{VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT};
constexpr Accesses kShader = kShaderReads | kShaderWrites;

/// Specialization constants in the order of their ids.
struct Constants {
  uint32_t march_group, rays, footprint, nearest_channel;
  VkBool32 reversed_depth;
  uint32_t normal_encoding, roughness_channel;
  VkBool32 has_motion, has_environment, color_of_last_frame, stores_distance;
  uint32_t filter_passes;
  VkBool32 has_range;
  uint32_t stride;
};

struct Kernels {
  std::shared_ptr<const ComputeKernel> classify, prepare, march, temporal, filter, resolve;
};

uint32_t ray_count(ReflectionRays rays) {
  switch (rays) {
    case ReflectionRays::kQuarter:
      return 0;
    case ReflectionRays::kOne:
      return 1;
    case ReflectionRays::kTwo:
      return 2;
    case ReflectionRays::kFour:
      return 4;
  }
  return 1;
}

Constants make_constants(const ReflectionPlan& plan, uint32_t march_group) {
  const ReflectionOptions& o = plan.options;
  // Of the minimum and maximum, the nearest.
  const bool has_range = format_info(o.pyramid).channels == 2;
  const bool second = has_range && o.reversed_depth;
  return {.march_group = march_group,
          .rays = ray_count(o.rays),
          .footprint = static_cast<uint32_t>(o.footprint),
          .nearest_channel = second ? 1U : 0U,
          .reversed_depth = o.reversed_depth,
          .normal_encoding = static_cast<uint32_t>(o.normal_encoding),
          .roughness_channel = o.roughness_channel,
          .has_motion = o.motion != Format::kUndefined,
          .has_environment = o.environment != Format::kUndefined,
          .color_of_last_frame = o.color_frame == ReflectionColor::kLastFrame,
          .stores_distance = o.hit_distance != Format::kUndefined,
          .filter_passes = o.filter_passes,
          .has_range = has_range,
          .stride = reflection::stride_of(o.resolution)};
}

// NaN is 0.
float radiance_of(float value) { return value > 0 ? std::min(value, 65504.0F) : 0; }

ReflectionParams make_params(const ReflectionPlan& plan, const ReflectionFrame& frame) {
  const ReflectionOptions& o = plan.options;
  return {.size = {o.size.width, o.size.height},
          .traced = {plan.traced.width, plan.traced.height},
          .frame = frame.index,
          .reset = frame.reset ? 1U : 0U,
          .fallback_r = radiance_of(frame.fallback[0]),
          .fallback_g = radiance_of(frame.fallback[1]),
          .fallback_b = radiance_of(frame.fallback[2]),
          .step = 1,
          .motion_x = o.motion_scale[0],
          .motion_y = o.motion_scale[1],
          .thickness = o.thickness,
          .relative_thickness = o.relative_thickness,
          .border_fade = o.border_fade,
          .mirror_roughness = o.mirror_roughness,
          .max_roughness = o.max_roughness,
          .history_deviations = o.history_deviations,
          .filter_radius = o.filter_radius,
          .history_frames = o.history_frames,
          .max_steps = o.max_steps,
          .first_pass = 0,
          .last_level = plan.levels,
          .reserved = 0};
}

// ---- Creation

Result<void> check_device(const Device::Impl& device, const ReflectionPlan& plan) {
  const ReflectionOptions& o = plan.options;
  // Size and slices. Vulkan requires both uses of the target's format.
  if (auto checked = check_images(device, {o.size, o.slices, kTargetFormat, kTargetFormat}); !checked) return checked;
  const std::pair<const char*, Format> sampled[] = {
      {"color", o.color},         {"depth", o.depth},   {"pyramid", o.pyramid},        {"normals", o.normals},
      {"roughness", o.roughness}, {"motion", o.motion}, {"environment", o.environment}};
  for (const auto& [name, format] : sampled) {
    if (format == Format::kUndefined) continue;
    if ((device.features_of(static_cast<VkFormat>(format)) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) == 0) {
      return unsupported(device,
                         std::string(name) + ": the device cannot sample " + std::string(format_info(format).name));
    }
  }
  const VkFormat distance = static_cast<VkFormat>(o.hit_distance);
  if (o.hit_distance != Format::kUndefined &&
      (device.features_of(distance) & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) == 0) {
    return unsupported(device,
                       "hit_distance: the device cannot store to " + std::string(format_info(o.hit_distance).name));
  }
  const ScratchParts parts(plan);
  const uint64_t largest = std::max(parts.history_bytes, parts.state_bytes);
  if (largest > device.limits.maxStorageBufferRange) {
    return unsupported(device, "size: a history of " + std::to_string(largest) +
                                   " bytes, but maxStorageBufferRange is " +
                                   std::to_string(device.limits.maxStorageBufferRange));
  }
  return {};
}

// The device's table of noise, which all reflections share.
Result<std::shared_ptr<const Buffer>> find_noise(const Device::Impl& device) {
  const auto create = [&]() -> Result<std::shared_ptr<Buffer>> {
    const std::vector<uint32_t> words = reflection::blue_noise_words();
    auto buffer = Buffer::create(device, 4 * words.size(), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, true,
                                 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (!buffer) return buffer.error();
    std::memcpy(buffer->mapped, words.data(), 4 * words.size());
    name_buffer(*buffer, "reflection", "noise");
    return std::make_shared<Buffer>(std::move(*buffer));
  };
  return device.shared->get<Buffer>("reflection noise", create);
}

Result<void> find_kernels(KernelBatch& batch, const Constants& constants, Kernels& kernels) {
  std::vector<KernelBinding> bindings;
  for (uint32_t i = kDepth; i <= kEnvironment; ++i) bindings.push_back({i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER});
  for (const uint32_t i : {kTarget, kHitDistance}) bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE});
  for (uint32_t i = kState; i <= kHistory; ++i) bindings.push_back({i});
  bindings.push_back({kNoise, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER});
  const std::pair<const char*, std::shared_ptr<const ComputeKernel>*> all[] = {
      {"reflection_classify", &kernels.classify}, {"reflection_prepare", &kernels.prepare},
      {"reflection_march", &kernels.march},       {"reflection_temporal", &kernels.temporal},
      {"reflection_filter", &kernels.filter},     {"reflection_resolve", &kernels.resolve}};
  for (const auto& [name, kernel] : all) {
    auto found = batch.find({.set = kReflectionKernels,
                             .kernel = name,
                             .constants = constants_of(constants),
                             .bindings = bindings,
                             .params_bytes = sizeof(ReflectionParams)});
    if (!found) return found.error();
    *kernel = std::move(*found);
  }
  return {};
}

}  // namespace

struct ONEPASS_INTERNAL Reflection::Impl {
  Device device;
  ReflectionPlan plan;
  ScratchParts parts;
  Kernels kernels;
  std::shared_ptr<const Buffer> noise;

  Impl(const Device& d, const ReflectionPlan& p) : device(d), plan(p), parts(p) {}
};

struct ONEPASS_INTERNAL ReflectionBinding::Impl {
  std::shared_ptr<const Reflection::Impl> reflections;  // keeps the device and layouts alive
  BindingObjects objects;
  VkBuffer scratch = VK_NULL_HANDLE;
  VkDeviceSize scratch_offset = 0;
  VkDescriptorSet set = VK_NULL_HANDLE;

  explicit Impl(std::shared_ptr<const Reflection::Impl> r)
      : reflections(std::move(r)), objects(reflections->device.impl(), "reflection") {}
};

ReflectionBinding::ReflectionBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ReflectionBinding::ReflectionBinding(ReflectionBinding&&) noexcept = default;
ReflectionBinding& ReflectionBinding::operator=(ReflectionBinding&&) noexcept = default;
ReflectionBinding::~ReflectionBinding() = default;

Result<Reflection> Reflection::create(const Device& device, const ReflectionOptions& options,
                                      const ReflectionTuning& tuning) {
  const auto plan = plan_reflection(options);
  if (!plan) return plan.error();
  const uint32_t group = tuning.march_group == 0 ? 64 : tuning.march_group;
  if (group != 32 && group != 64 && group != 128) {
    return invalid("tuning.march_group: " + std::to_string(group) + " is not one of 32, 64 and 128");
  }
  if (auto checked = check_device(device.impl(), *plan); !checked) return checked.error();
  auto impl = std::make_shared<Impl>(device, *plan);
  KernelBatch batch(device);
  auto done = find_kernels(batch, make_constants(*plan, group), impl->kernels);
  if (done) done = batch.compile();
  if (!done) return done.error();
  auto noise = find_noise(device.impl());
  if (!noise) return noise.error();
  impl->noise = std::move(*noise);
  return Reflection(std::move(impl));
}

// ---- Binding

namespace {

/// An image of a binding as the options and the kernels know it.
struct Role {
  const char* name;
  const ReflectionImage& image;
  uint32_t index;
  Format format;
  bool target = false;
  uint32_t levels = 1;
  uint32_t slices = 1;
};

std::vector<Role> roles_of(const ReflectionPlan& plan, const ReflectionImages& images) {
  const ReflectionOptions& o = plan.options;
  const uint32_t s = o.slices;
  const Format pyramid = plan.levels == 0 ? Format::kUndefined : o.pyramid;
  return {{"color", images.color, kColor, o.color, false, 1, s},
          {"depth", images.depth, kDepth, o.depth, false, 1, s},
          {"pyramid", images.pyramid, kPyramid, pyramid, false, plan.levels, s},
          {"normals", images.normals, kNormals, o.normals, false, 1, s},
          {"roughness", images.roughness, kRoughness, o.roughness, false, 1, s},
          {"motion", images.motion, kMotion, o.motion, false, 1, s},
          {"environment", images.environment, kEnvironment, o.environment, false, 1, 1},
          {"target", images.target, kTarget, kTargetFormat, true, 1, s},
          {"hit_distance", images.hit_distance, kHitDistance, o.hit_distance, true, 1, s}};
}

Result<void> check_role(const Role& role) {
  const bool wanted = role.format != Format::kUndefined;
  const bool given = role.image.image != VK_NULL_HANDLE;
  if (wanted && !given) return invalid(std::string(role.name) + ": null image");
  if (!wanted && given) return invalid(std::string(role.name) + ": given, but the options have none");
  return {};
}

Result<void> check_targets(const ReflectionImages& images, const std::vector<Role>& roles) {
  for (const Role& role : roles) {
    for (const Role& target : roles) {
      const bool same = role.image.image != VK_NULL_HANDLE && role.image.image == target.image.image;
      const bool levels_meet =
          target.image.level >= role.image.level && target.image.level < role.image.level + role.levels;
      const bool slices_meet = role.image.first_slice < target.image.first_slice + target.slices &&
                               target.image.first_slice < role.image.first_slice + role.slices;
      if (target.target && &role != &target && same && levels_meet && slices_meet) {
        return invalid(std::string(target.name) + ": the same level and slice as " + role.name);
      }
    }
  }
  if (images.scratch_offset % kOffsetAlign != 0) {
    return invalid("scratch_offset: " + std::to_string(images.scratch_offset) + " is not a multiple of 256");
  }
  return {};
}

}  // namespace

Result<ReflectionBinding> Reflection::bind(const ReflectionImages& images) const {
  const std::vector<Role> roles = roles_of(impl_->plan, images);
  for (const Role& role : roles) {
    if (auto checked = check_role(role); !checked) return checked.error();
  }
  if (auto checked = check_targets(images, roles); !checked) return checked.error();
  auto binding = std::make_unique<ReflectionBinding::Impl>(impl_);
  ReflectionBinding::Impl& b = *binding;
  b.scratch = images.scratch;
  b.scratch_offset = images.scratch_offset;
  auto done = b.objects.add_buffer(impl_->parts.bytes, kScratchUsage, b.scratch, b.scratch_offset);
  std::vector<Resource> resources;
  for (const Role& role : roles) {
    if (role.format == Format::kUndefined || !done) continue;
    VkImageView view = VK_NULL_HANDLE;
    const VkImageUsageFlags usage = role.target ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
    done = b.objects.add_view({.image = role.image.image,
                               .format = role.format,
                               .level = role.image.level,
                               .first_slice = role.image.first_slice,
                               .slices = role.slices,
                               .usage = usage,
                               .role = role.name,
                               .levels = role.levels},
                              view);
    resources.emplace_back(role.index, view, role.target ? VK_IMAGE_LAYOUT_GENERAL : role.image.layout);
  }
  const ScratchParts& parts = impl_->parts;
  const auto add_part = [&](uint32_t index, uint64_t at, uint64_t bytes) {
    resources.emplace_back(index, VkDescriptorBufferInfo{b.scratch, b.scratch_offset + at, bytes});
  };
  add_part(kState, parts.state, parts.state_bytes);
  add_part(kTraced, parts.traced, parts.texel_bytes);
  add_part(kSettled, parts.settled, parts.texel_bytes);
  add_part(kHistory, parts.history, parts.history_bytes);
  resources.emplace_back(kNoise, VkDescriptorBufferInfo{impl_->noise->buffer, 0, VK_WHOLE_SIZE});
  if (done) done = b.objects.add_set(*impl_->kernels.classify, resources, b.set);
  if (!done) return done.error();
  return ReflectionBinding(std::move(binding));
}

// ---- Recording

namespace {

// Counters of 0, then the matrices of all slices. A view that is missing has zeroes, and so no surfaces.
void record_state(const Device::Impl& d, VkCommandBuffer commands, const ReflectionBinding::Impl& b,
                  const ReflectionPlan& plan, std::span<const ReflectionView> views) {
  const VkDeviceSize at = b.scratch_offset;
  // Recordings before this one may still read commands and write history; nothing else of theirs is needed.
  record_barrier(d, commands, {.before = kShader | kCommandReads, .after = kTransferWrites | kShader});
  constexpr uint32_t kZeroes[ONEPASS_REFLECTION_HEADER_WORDS] = {};
  d.functions.vkCmdUpdateBuffer(commands, b.scratch, at, sizeof(kZeroes), kZeroes);
  for (uint32_t slice = 0; slice < plan.options.slices; ++slice) {
    const ReflectionMatrices matrices =
        slice < views.size() ? reflection::make_matrices(plan, views[slice]) : ReflectionMatrices{};
    d.functions.vkCmdUpdateBuffer(commands, b.scratch, at + kMatricesAt + slice * sizeof(matrices), sizeof(matrices),
                                  &matrices);
  }
  record_barrier(d, commands, {.before = kTransferWrites, .after = kShader});
}

}  // namespace

void Reflection::record(VkCommandBuffer commands, const ReflectionBinding& binding,
                        const ReflectionFrame& frame) const {
  const Device::Impl& d = impl_->device.impl();
  const CommandLabel label(d, commands, "onepass reflection");
  const ReflectionBinding::Impl& b = binding.impl();
  const ReflectionOptions& o = impl_->plan.options;
  ONEPASS_ASSERT(b.reflections == impl_ && frame.views.size() == o.slices);
  record_state(d, commands, b, impl_->plan, frame.views);
  ReflectionParams params = make_params(impl_->plan, frame);
  const GroupCounts tiles{impl_->plan.tiles.width, impl_->plan.tiles.height, o.slices};
  const auto then = [&](const Accesses& after = kShader) {
    record_barrier(d, commands, {.before = kShader, .after = after});
  };
  const auto indirect = [&](const ComputeKernel& kernel, uint32_t word) {
    kernel.record_indirect(commands, b.set, params, b.scratch, b.scratch_offset + 4 * word);
    then();
  };
  const Kernels& kernels = impl_->kernels;
  kernels.classify->record(commands, b.set, params, tiles);
  then();
  kernels.prepare->record(commands, b.set, params, {});
  then(kShader | kCommandReads);
  indirect(*kernels.march, ONEPASS_REFLECTION_MARCH_COMMAND);
  indirect(*kernels.temporal, ONEPASS_REFLECTION_TILE_COMMAND);
  for (uint32_t pass = 0; pass < o.filter_passes; ++pass) {
    params.step = 1U << pass;
    params.first_pass = pass == 0 ? 1 : 0;
    indirect(*kernels.filter, ONEPASS_REFLECTION_TILE_COMMAND);
  }
  kernels.resolve->record(
      commands, b.set, params,
      {div_up(o.size.width, ONEPASS_REFLECTION_TILE), div_up(o.size.height, ONEPASS_REFLECTION_TILE), o.slices});
}

const ReflectionPlan& Reflection::plan() const { return impl_->plan; }

}  // namespace onepass::vulkan
