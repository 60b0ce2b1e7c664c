// vulkan_filter.cpp: pyramids on a device whose mip filter is not the box: kernels and their table at creation,
// descriptor sets at binding, two dispatches per level at recording.
#include <cstring>
#include <string>

#include "pyramid/filter_plan.hpp"
#include "pyramid/vulkan_impl.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/debug_names.hpp"
#include "vulkan/kernels.hpp"

namespace onepass::vulkan {
namespace {

using pyramid::FilterLayout;

// Specialization constants in the order of their ids.
struct FilterConstants {
  uint32_t step, boundary;
  VkBool32 limits, weighted, long_sums;
  uint32_t texel_mode, source_channels, target_channels;
  VkBool32 source_unorm;
  uint32_t target_kind;
  VkBool32 target_srgb, source_srgb;
};

FilterConstants make_filter_constants(const PyramidOptions& options) {
  const FormatInfo& source = format_info(options.source);
  const FormatInfo& target = format_info(options.target);
  const bool weighted = options.alpha == Alpha::kWeighted;
  FilterConstants constants{};
  constants.boundary = static_cast<uint32_t>(options.filter.boundary);
  constants.limits = weighted || options.filter.ringing == Ringing::kLimit ? VK_TRUE : VK_FALSE;
  constants.weighted = weighted ? VK_TRUE : VK_FALSE;
  constants.long_sums = options.filter.input == MipFilterInput::kBase ? VK_TRUE : VK_FALSE;
  constants.texel_mode = options.normal_map != NormalMap::kOff ? kModeNormalMap : kModePlain;
  constants.source_channels = source.channels;
  constants.target_channels = target.channels;
  constants.source_unorm = source.type == ChannelType::kUnorm ? VK_TRUE : VK_FALSE;
  constants.target_kind = target_kind(target);
  constants.target_srgb = target.type == ChannelType::kSrgb ? VK_TRUE : VK_FALSE;
  constants.source_srgb = source.type == ChannelType::kSrgb ? VK_TRUE : VK_FALSE;
  return constants;
}

Result<void> find_filter_kernels(const Device& device, Pyramid::Impl& out) {
  const KernelBinding bindings[] = {{kSource, descriptor_type(out.source_usage)},
                                    {kLevels, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
                                    {kFilterTable},
                                    {kFilterSums},
                                    {kFilterKept}};
  const std::string kernel =
      "pyramid_filter_" + std::to_string(out.layout.components) + kernel_tail(out.source_usage, 1);
  FilterConstants constants = make_filter_constants(out.layout.options);
  KernelBatch batch(device);
  for (const auto& dispatch : out.layout.filter->dispatches) {
    auto& step = out.filter.steps[dispatch.step];
    if (step != nullptr) continue;
    constants.step = dispatch.step;
    auto found = batch.find({.set = kPyramidKernels,
                             .kernel = kernel,
                             .constants = constants_of(constants),
                             .bindings = bindings,
                             .params_bytes = sizeof(pyramid::FilterParams)});
    if (!found) return found.error();
    step = std::move(*found);
  }
  return batch.compile();
}

Result<void> upload_table(const Device::Impl& device, const std::vector<uint32_t>& table, Pyramid::Impl& out) {
  const uint64_t bytes = table.size() * sizeof(uint32_t);
  if (bytes > device.limits.maxStorageBufferRange) {
    return unsupported(device, "filter.input: base: weights of " + std::to_string(bytes) +
                                   " bytes exceed maxStorageBufferRange " +
                                   std::to_string(device.limits.maxStorageBufferRange));
  }
  auto buffer =
      Buffer::create(device, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (!buffer) return buffer.error();
  std::memcpy(buffer->mapped, table.data(), bytes);
  name_object(device, VK_OBJECT_TYPE_BUFFER, buffer->buffer, "pyramid", "weights");
  out.filter.table = std::move(*buffer);
  return {};
}

}  // namespace

Result<void> check_filter_tuning(const PyramidOptions& options, const PyramidTuning& tuning) {
  if (options.filter.kind == MipFilter::kBox) return {};
  const std::string filter = ", but filter.kind is " + std::string(word_of(options.filter.kind));
  if (tuning.path == PyramidPath::kSingleDispatch) {
    return unsupported("tuning.path: single_dispatch" + filter + ": two dispatches per level");
  }
  if (tuning.sampling == Sampling::kLinear) return unsupported("tuning.sampling: linear" + filter);
  return {};
}

Result<void> create_filter(const Device& device, Pyramid::Impl& out) {
  const pyramid::DispatchLayout& layout = out.layout;
  if (layout.plan.plan.levels == 1) return {};
  auto filter = std::make_shared<FilterLayout>(*layout.filter);
  const std::vector<uint32_t> table = pyramid::add_filter_table(layout.options, layout.plan.plan, *filter);
  out.layout.filter = std::move(filter);
  if (auto uploaded = upload_table(device.impl(), table, out); !uploaded) return uploaded;
  return find_filter_kernels(device, out);
}

void record_filter(const Pyramid::Impl& self, VkCommandBuffer commands, const PyramidBinding::Impl& binding) {
  bool first = true;
  for (const pyramid::FilterDispatch& dispatch : self.layout.filter->dispatches) {
    if (!first) record_barrier(self.device.impl(), commands, kBetweenDispatches);
    first = false;
    const auto& groups = dispatch.groups;
    self.filter.steps[dispatch.step]->record(commands, binding.sets[dispatch.level - 1], dispatch.params,
                                             {groups.x, groups.y, groups.z});
  }
}

}  // namespace onepass::vulkan
