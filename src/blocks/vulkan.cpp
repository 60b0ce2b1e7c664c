// vulkan.cpp: the Vulkan engine of block compression: chooses the kernel, numbers the workgroups of all levels, records
// one dispatch and one copy.
#include <algorithm>
#include <string>

#include "blocks/views.hpp"
#include "blocks/vulkan_impl.hpp"
#include "image/div_up.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/debug_names.hpp"
#include "vulkan/image_view.hpp"

namespace onepass::vulkan {
namespace {

enum BindingIndex : uint32_t { kSource = 0, kBlocks = 1 };

constexpr VkDeviceSize kOffsetAlign = 256;
constexpr uint32_t kMostGroups = 32768;  // per row of workgroups: every device has 65535

/// Specialization constants in the order of their ids.
struct Constants {
  VkBool32 luma, weighted, encodes_srgb, transparent, has_sign, maps_sign;
};

const char* kernel_name(BlockFormat format) {
  switch (format) {
    case BlockFormat::kBc1RgbUnorm:
    case BlockFormat::kBc1RgbSrgb:
    case BlockFormat::kBc1RgbaUnorm:
    case BlockFormat::kBc1RgbaSrgb:
      return "blocks_bc1";
    case BlockFormat::kBc3Unorm:
    case BlockFormat::kBc3Srgb:
      return "blocks_bc3";
    case BlockFormat::kBc4Unorm:
    case BlockFormat::kBc4Snorm:
      return "blocks_bc4";
    case BlockFormat::kBc5Unorm:
    case BlockFormat::kBc5Snorm:
      return "blocks_bc5";
    case BlockFormat::kBc6hUfloat:
    case BlockFormat::kBc6hSfloat:
      return "blocks_bc6h";
    default:
      return "blocks_bc7";
  }
}

bool is_srgb(Format format) { return format_info(format).type == ChannelType::kSrgb; }

/// Stored values of an sRGB source are what sRGB blocks hold.
Format view_format(const BlockCompressorOptions& options) {
  const bool stored = is_srgb(options.source) && block_format_info(options.blocks).type == ChannelType::kSrgb;
  return stored ? static_cast<Format>(storage_format(options.source)) : options.source;
}

Constants make_constants(const BlockCompressorOptions& options) {
  const BlockFormatInfo& info = block_format_info(options.blocks);
  const bool bc1_alpha = info.channels == 4 && info.bytes_per_block == 8;
  return {.luma = options.metric == BlockMetric::kLuma,
          .weighted = options.alpha == BlockAlpha::kWeighted,
          .encodes_srgb = info.type == ChannelType::kSrgb && !is_srgb(options.source),
          .transparent = bc1_alpha,
          .has_sign = info.has_sign,
          .maps_sign = blocks::maps_sign(info, format_info(options.source))};
}

Result<void> check_device(const Device::Impl& device, const BlockCompressorOptions& options,
                          const BlockCompressorPlan& plan) {
  const VkPhysicalDeviceLimits& limits = device.limits;
  if (std::max(options.size.width, options.size.height) > limits.maxImageDimension2D) {
    return unsupported(device, "size: " + size_text(options.size) + " exceeds maxImageDimension2D " +
                                   std::to_string(limits.maxImageDimension2D));
  }
  if (options.slices > std::min(limits.maxImageArrayLayers, limits.maxComputeWorkGroupCount[2])) {
    return unsupported(device, "slices: " + std::to_string(options.slices) + " exceeds maxImageArrayLayers " +
                                   std::to_string(limits.maxImageArrayLayers) + " or maxComputeWorkGroupCount " +
                                   std::to_string(limits.maxComputeWorkGroupCount[2]));
  }
  const auto features = device.features_of(static_cast<VkFormat>(view_format(options)));
  if ((features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) == 0) {
    return unsupported(device, "source: the device cannot sample " + std::string(format_info(options.source).name));
  }
  if (plan.bytes > limits.maxStorageBufferRange) {
    return unsupported(device, "size: blocks of " + std::to_string(plan.bytes) +
                                   " bytes, but maxStorageBufferRange is " +
                                   std::to_string(limits.maxStorageBufferRange));
  }
  return {};
}

/// Workgroups of all levels in rows of kMostGroups.
GroupCounts count_groups(const BlockCompressorPlan& plan, uint32_t slices) {
  uint32_t groups = 0;
  for (const BlockLevel& level : plan.levels) {
    groups += div_up(level.blocks.width, uint32_t{ONEPASS_BLOCKS_GROUP}) *
              div_up(level.blocks.height, uint32_t{ONEPASS_BLOCKS_GROUP});
  }
  return {std::min(groups, kMostGroups), div_up(groups, kMostGroups), slices};
}

Result<void> check_bound(const BlockImages& images) {
  if (images.source == VK_NULL_HANDLE) return invalid("source: null image");
  if (images.blocks == VK_NULL_HANDLE && images.target == VK_NULL_HANDLE) {
    return invalid("blocks: null buffer, and target: null image: nothing receives the blocks");
  }
  if (images.blocks_offset % kOffsetAlign != 0) {
    return invalid("blocks_offset: " + std::to_string(images.blocks_offset) + " is not a multiple of 256");
  }
  return {};
}

std::vector<VkBufferImageCopy> make_copies(const BlockCompressorPlan& plan, uint32_t slices, const BlockImages& images,
                                           VkDeviceSize offset) {
  std::vector<VkBufferImageCopy> copies;
  for (const BlockLevel& level : plan.levels) {
    const auto n = static_cast<uint32_t>(copies.size());
    VkBufferImageCopy copy{};
    copy.bufferOffset = offset + level.offset;
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, images.target_level + n, images.target_slice, slices};
    copy.imageExtent = {level.size.width, level.size.height, 1};
    copies.push_back(copy);
  }
  return copies;
}

}  // namespace

BlockBinding::BlockBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BlockBinding::BlockBinding(BlockBinding&&) noexcept = default;
BlockBinding& BlockBinding::operator=(BlockBinding&&) noexcept = default;
BlockBinding::~BlockBinding() = default;

Result<BlockCompressor> BlockCompressor::create(const Device& device, const BlockCompressorOptions& options) {
  auto plan = plan_block_compressor(options);
  if (!plan) return plan.error();
  auto impl = std::make_shared<Impl>(device);
  if (auto checked = check_device(impl->device.impl(), options, *plan); !checked) return checked.error();
  impl->options = options;
  impl->view = view_format(options);
  impl->groups = count_groups(*plan, options.slices);
  impl->params = {.size = {options.size.width, options.size.height},
                  .levels = static_cast<uint32_t>(plan->levels.size()),
                  .slices = options.slices,
                  .threshold = 255 * options.alpha_threshold,
                  .group_row = impl->groups.x};
  impl->plan = std::move(*plan);
  const KernelBinding bindings[] = {{kSource, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}, {kBlocks}};
  const Constants constants = make_constants(options);
  auto kernel = find_compute_kernel(device, {.set = kBlocksKernels,
                                             .kernel = kernel_name(options.blocks),
                                             .constants = constants_of(constants),
                                             .bindings = bindings,
                                             .params_bytes = sizeof(blocks::BlocksParams)});
  if (!kernel) return kernel.error();
  impl->kernel = std::move(*kernel);
  return BlockCompressor(std::move(impl));
}

Result<BlockBinding> BlockCompressor::bind(const BlockImages& images) const {
  if (auto checked = check_bound(images); !checked) return checked.error();
  auto binding = std::make_unique<BlockBinding::Impl>(impl_);
  BlockBinding::Impl& b = *binding;
  const BlockCompressorPlan& plan = impl_->plan;
  const uint32_t slices = impl_->options.slices;
  VkImageView source = VK_NULL_HANDLE;
  auto done = b.objects.add_view({.image = images.source,
                                  .format = impl_->view,
                                  .level = images.source_level,
                                  .first_slice = images.source_slice,
                                  .slices = slices,
                                  .levels = static_cast<uint32_t>(plan.levels.size())},
                                 source);
  b.blocks = images.blocks;
  VkDeviceSize offset = images.blocks_offset;
  if (done) {
    done = b.objects.add_buffer(plan.bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                b.blocks, offset, "blocks");
  }
  if (done) {
    done = b.objects.add_set(
        *impl_->kernel,
        {{kSource, source, images.source_layout}, {kBlocks, VkDescriptorBufferInfo{b.blocks, offset, plan.bytes}}},
        b.set);
  }
  if (!done) return done.error();
  b.target = images.target;
  b.copies = make_copies(plan, slices, images, offset);
  return BlockBinding(std::move(binding));
}

void BlockCompressor::record(VkCommandBuffer commands, const BlockBinding& binding) const {
  const Device::Impl& d = impl_->device.impl();
  const CommandLabel label(d, commands, "onepass blocks");
  const BlockBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.compressor == impl_);
  const bool copies = b.target != VK_NULL_HANDLE;
  // The copy of the recording before this one may still read the buffer.
  if (copies) record_barrier(d, commands, {.before = kTransferReads, .after = kShaderWrites});
  impl_->kernel->record(commands, b.set, impl_->params, impl_->groups);
  if (!copies) return;
  record_barrier(d, commands, {.before = kShaderWrites, .after = kTransferReads});
  d.functions.vkCmdCopyBufferToImage(commands, b.blocks, b.target, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                     static_cast<uint32_t>(b.copies.size()), b.copies.data());
}

const BlockCompressorPlan& BlockCompressor::plan() const { return impl_->plan; }
const BlockCompressorOptions& BlockCompressor::options() const { return impl_->options; }

}  // namespace onepass::vulkan
