// nvpro.cpp: nvpro_pyramid (vk_compute_mipmaps) for 8-bit sRGB: its two shaders as they are, dispatched by its own
// nvproCmdPyramidDispatch().
//
// Its shaders read and write the levels of one image, so that every set has an image of its own with the source as
// level 0. Levels are written as integers and read through an sRGB view.
#include <vulkan/vulkan.h>

#include <nvpro_pyramid_dispatch.hpp>

#include <array>
#include <cstdint>

#include "kernels/peer_nvpro_fast.h"
#include "kernels/peer_nvpro_general.h"
#include "peers/pyramid_peers.hpp"

namespace onepass::bench {
namespace {

using vulkan::vulkan_error;

constexpr uint32_t kMostLevels = 16;

const std::vector<Binding> kSourceBindings = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};
const std::vector<Binding> kLevelBindings = {{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, kMostLevels}};

class Nvpro final : public VulkanTechnique {
 public:
  Nvpro(const Gpu& gpu, const ImageSets& images) : gpu_(gpu), images_(images) {}
  Nvpro(const Nvpro&) = delete;
  Nvpro& operator=(const Nvpro&) = delete;
  ~Nvpro() override {
    for (VkImageView view : views_) gpu_.vk().vkDestroyImageView(gpu_.handle(), view, nullptr);
  }

  Result<void> init() {
    if (auto created = create_pipelines(); !created) return created;
    const auto count = static_cast<uint32_t>(images_.count());
    auto sources = DescriptorSets::create(gpu_, *general_, kSourceBindings, count, 0);
    if (!sources) return sources.error();
    sources_ = std::move(*sources);
    auto levels = DescriptorSets::create(gpu_, *general_, kLevelBindings, count, 1);
    if (!levels) return levels.error();
    levels_ = std::move(*levels);
    for (size_t i = 0; i < images_.count(); ++i) {
      if (auto created = create_set(i); !created) return created;
    }
    return {};
  }

  // Copies the source of every set to level 0 of its image.
  Result<void> fill() {
    return gpu_.device().run([&](VkCommandBuffer commands) {
      for (size_t i = 0; i < chains_.size(); ++i) {
        chains_[i].transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kAllAccesses, VK_IMAGE_LAYOUT_GENERAL,
                              vulkan::kAllAccesses);
        copy_level(commands, images_.source(i), 0, chains_[i], 0, images_.pyramid().size);
      }
      full_barrier(gpu_, commands);
    });
  }

  void record(VkCommandBuffer commands, size_t set) const override {
    const std::array<VkDescriptorSet, 2> sets = {(*sources_)[set], (*levels_)[set]};
    gpu_.vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, general_->layout(), 0, 2, sets.data(),
                                      0, nullptr);
    NvproPyramidPipelines pipelines;
    pipelines.generalPipeline = general_->handle();
    pipelines.fastPipeline = fast_ ? fast_->handle() : VK_NULL_HANDLE;
    pipelines.layout = general_->layout();
    const auto& [width, height] = images_.pyramid().size;
    nvproCmdPyramidDispatch(commands, pipelines, width, height, chains_[set].levels);
  }

  void record_results(VkCommandBuffer commands, size_t set) const override {
    const vulkan::DeviceImage& target = images_.target(set);
    for (uint32_t n = 0; n < target.levels; ++n) {
      copy_level(commands, chains_[set], n + 1, target, n, level_size(images_.pyramid().size, n + 1));
    }
    full_barrier(gpu_, commands);
  }

  uint64_t bytes() const override {
    const PyramidPlan plan = *plan_pyramid(images_.pyramid().options());
    return plan.bytes_read + plan.bytes_written;
  }
  VkImageLayout source_layout() const override { return VK_IMAGE_LAYOUT_GENERAL; }

 private:
  Result<void> create_pipelines() {
    PipelineRequest request;
    request.code = kernel_peer_nvpro_general;
    request.bindings = kSourceBindings;
    request.bindings_1 = kLevelBindings;
    request.push_bytes = sizeof(uint32_t);
    request.linear_filter = true;
    auto general = ComputePipeline::create(gpu_, request);
    if (!general) return general.error();
    general_ = std::move(*general);
    if (!has_nvpro_fast_path(gpu_)) return {};
    request.code = kernel_peer_nvpro_fast;
    auto fast = ComputePipeline::create(gpu_, request);
    if (!fast) return fast.error();
    fast_ = std::move(*fast);
    return {};
  }

  Result<void> create_set(size_t set) {
    const PyramidCase& pyramid = images_.pyramid();
    auto chain = vulkan::DeviceImage::create(
        gpu_.impl(), {.format = pyramid.source,
                      .size = pyramid.size,
                      .levels = full_level_count(pyramid.size),
                      .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                               VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    if (!chain) return chain.error();
    chains_.push_back(std::move(*chain));
    auto whole = create_view(VK_FORMAT_R8G8B8A8_SRGB, 0, chains_.back().levels, VK_IMAGE_USAGE_SAMPLED_BIT);
    if (!whole) return whole.error();
    sources_->write_image(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                          {general_->sampler(), *whole, VK_IMAGE_LAYOUT_GENERAL});
    VkDescriptorImageInfo level{VK_NULL_HANDLE, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL};
    // Levels that do not exist are never written; their descriptors repeat the last level.
    for (uint32_t n = 0; n < kMostLevels; ++n) {
      if (n < chains_.back().levels) {
        auto view = create_view(VK_FORMAT_R8G8B8A8_UINT, n, 1, VK_IMAGE_USAGE_STORAGE_BIT);
        if (!view) return view.error();
        level.imageView = *view;
      }
      levels_->write_image(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, level, n);
    }
    return {};
  }

  // A view of the last chain.
  Result<VkImageView> create_view(VkFormat format, uint32_t level, uint32_t levels, VkImageUsageFlags allowed) {
    VkImageViewUsageCreateInfo usage{};
    usage.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO;
    usage.usage = allowed;
    VkImageViewCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    info.pNext = &usage;
    info.image = chains_.back().image;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = format;
    info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, level, levels, 0, 1};
    VkImageView view = VK_NULL_HANDLE;
    const VkResult result = gpu_.vk().vkCreateImageView(gpu_.handle(), &info, nullptr, &view);
    if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateImageView");
    views_.push_back(view);
    return view;
  }

  static void copy_level(VkCommandBuffer commands, const vulkan::DeviceImage& from, uint32_t from_level,
                         const vulkan::DeviceImage& to, uint32_t to_level, Extent size) {
    VkImageCopy region{};
    region.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, from_level, 0, 1};
    region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, to_level, 0, 1};
    region.extent = {size.width, size.height, 1};
    vkCmdCopyImage(commands, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }

  const Gpu& gpu_;
  const ImageSets& images_;
  std::unique_ptr<ComputePipeline> general_;
  std::unique_ptr<ComputePipeline> fast_;  // null where the device cannot run it
  std::unique_ptr<DescriptorSets> sources_;
  std::unique_ptr<DescriptorSets> levels_;
  std::vector<vulkan::DeviceImage> chains_;
  std::vector<VkImageView> views_;
};

}  // namespace

TechniqueResult make_nvpro(const Gpu& gpu, ImageSets& images) {
  const auto unsupported = [&](const char* message) {
    return Error{ErrorCode::kUnsupported, message, gpu.device().info().name};
  };
  if (!gpu.device().handles().features.storage_image_array_dynamic_indexing && !gpu.software()) {
    return unsupported("no dynamic indexing of storage images");
  }
  if (!gpu.can_filter(Format::kRGBA8Srgb)) return unsupported("no linear filter for this format");
  auto out = std::make_unique<Nvpro>(gpu, images);
  if (auto made = out->init(); !made) return made.error();
  if (auto used = images.use_sources_as(VK_IMAGE_LAYOUT_GENERAL); !used) return used.error();
  if (auto filled = out->fill(); !filled) return filled.error();
  return std::unique_ptr<VulkanTechnique>(std::move(out));
}

}  // namespace onepass::bench
