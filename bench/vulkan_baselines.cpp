// vulkan_baselines.cpp: the techniques of vulkan_technique.hpp.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "vulkan_technique.hpp"
// The words of the kernels, made by the build.
#include "kernels/bench_empty.h"
#include "kernels/bench_speed_of_light.h"
#include "kernels/bench_speed_of_light_contiguous.h"

namespace onepass::bench {
namespace {

using vulkan::vulkan_error;

Error unsupported(const Gpu& gpu, std::string message) {
  return {ErrorCode::kUnsupported, std::move(message), gpu.device().info().name};
}

uint64_t bytes_of(Format format, Extent size, uint32_t slices) {
  return uint64_t{size.width} * size.height * slices * format_info(format).bytes_per_texel;
}

class PyramidTechnique final : public VulkanTechnique {
 public:
  PyramidTechnique(vulkan::Pyramid pyramid, std::vector<vulkan::PyramidBinding> bindings)
      : pyramid_(std::move(pyramid)), bindings_(std::move(bindings)) {}

  void record(VkCommandBuffer commands, size_t set) const override { pyramid_.record(commands, bindings_[set]); }
  uint64_t bytes() const override {
    const PyramidPlan& plan = pyramid_.plan().plan;
    return plan.bytes_read + plan.bytes_written;
  }

 private:
  vulkan::Pyramid pyramid_;
  std::vector<vulkan::PyramidBinding> bindings_;
};

const std::vector<VkDescriptorType> kSpeedOfLightBindings = {
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};

class SpeedOfLight final : public VulkanTechnique {
 public:
  SpeedOfLight(const Gpu& gpu, const PyramidCase& pyramid) : gpu_(gpu), pyramid_(pyramid) {}
  SpeedOfLight(const SpeedOfLight&) = delete;
  SpeedOfLight& operator=(const SpeedOfLight&) = delete;
  ~SpeedOfLight() override {
    for (VkImageView view : views_) gpu_.vk().vkDestroyImageView(gpu_.handle(), view, nullptr);
  }

  Result<void> init(const ImageSets& images, bool contiguous) {
    const bool linear = gpu_.can_filter(pyramid_.source);
    const bool two_from_one = format_info(pyramid_.target).channels == 2 && format_info(pyramid_.source).channels == 1;
    PipelineRequest request;
    request.code = contiguous ? std::span<const uint32_t>(kernel_bench_speed_of_light_contiguous)
                              : std::span<const uint32_t>(kernel_bench_speed_of_light);
    request.bindings = kSpeedOfLightBindings;
    request.constants = {linear ? 1U : 0U, two_from_one ? 1U : 0U};
    request.push_bytes = sizeof(push_);
    request.full_subgroups = contiguous;
    request.linear_filter = linear;
    auto pipeline = ComputePipeline::create(gpu_, request);
    if (!pipeline) return pipeline.error();
    pipeline_ = std::move(*pipeline);
    const Extent level_1 = level_size(pyramid_.size, 1);
    const Extent level_2 = level_size(pyramid_.size, 2);
    push_ = {pyramid_.size.width, pyramid_.size.height, level_1.width, level_1.height, level_2.width, level_2.height};
    auto sets = DescriptorSets::create(gpu_, *pipeline_, kSpeedOfLightBindings, static_cast<uint32_t>(images.count()));
    if (!sets) return sets.error();
    sets_ = std::move(*sets);
    for (size_t i = 0; i < images.count(); ++i) {
      if (auto written = write_set(images, i); !written) return written;
    }
    return {};
  }

  void record(VkCommandBuffer commands, size_t set) const override {
    const auto tiles = [](uint32_t texels) { return (texels + 63) / 64; };
    pipeline_->dispatch(commands, (*sets_)[set], push_, tiles(pyramid_.size.width), tiles(pyramid_.size.height),
                        pyramid_.slices);
  }

  uint64_t bytes() const override {
    return bytes_of(pyramid_.source, pyramid_.size, pyramid_.slices) +
           bytes_of(pyramid_.target, level_size(pyramid_.size, 1), pyramid_.slices) +
           bytes_of(pyramid_.target, level_size(pyramid_.size, 2), pyramid_.slices);
  }

 private:
  Result<void> write_set(const ImageSets& images, size_t set) {
    auto source =
        create_view(images.source(set), static_cast<VkFormat>(pyramid_.source), 0, VK_IMAGE_USAGE_SAMPLED_BIT);
    if (!source) return source.error();
    sets_->write_image(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                       {pipeline_->sampler(), *source, source_layout()});
    // sRGB images have no stores of their own; the values are stored as they are, because the bytes are the same.
    const VkFormat target =
        pyramid_.target == Format::kRGBA8Srgb ? VK_FORMAT_R8G8B8A8_UNORM : static_cast<VkFormat>(pyramid_.target);
    for (uint32_t level = 0; level < 2; ++level) {
      auto view = create_view(images.target(set), target, level, VK_IMAGE_USAGE_STORAGE_BIT);
      if (!view) return view.error();
      sets_->write_image(set, level + 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                         {VK_NULL_HANDLE, *view, VK_IMAGE_LAYOUT_GENERAL});
    }
    return {};
  }

  Result<VkImageView> create_view(const vulkan::DeviceImage& image, VkFormat format, uint32_t level,
                                  VkImageUsageFlags allowed) {
    VkImageViewUsageCreateInfo usage{};
    usage.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO;
    usage.usage = allowed;
    VkImageViewCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    info.pNext = &usage;
    info.image = image.image;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    info.format = format;
    info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, 0, image.slices};
    VkImageView view = VK_NULL_HANDLE;
    const VkResult result = gpu_.vk().vkCreateImageView(gpu_.handle(), &info, nullptr, &view);
    if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateImageView");
    views_.push_back(view);
    return view;
  }

  const Gpu& gpu_;
  PyramidCase pyramid_;
  std::array<uint32_t, 6> push_{};
  std::unique_ptr<ComputePipeline> pipeline_;
  std::unique_ptr<DescriptorSets> sets_;
  std::vector<VkImageView> views_;
};

class Copy final : public VulkanTechnique {
 public:
  Copy(const Gpu& gpu, const ImageSets& images) : gpu_(gpu), images_(images) {}

  // To the set that is half a round away: neither what was read nor what was written is in a cache when its turn comes.
  void record(VkCommandBuffer commands, size_t set) const override {
    const vulkan::DeviceImage& from = images_.source(set);
    const vulkan::DeviceImage& to = images_.source((set + images_.count() / 2) % images_.count());
    VkImageCopy region{};
    region.srcSubresource = {from.aspect(), 0, 0, from.slices};
    region.dstSubresource = region.srcSubresource;
    region.extent = {from.size.width, from.size.height, 1};
    gpu_.vkCmdCopyImage(commands, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }
  uint64_t bytes() const override {
    const PyramidCase& pyramid = images_.pyramid();
    return 2 * bytes_of(pyramid.source, pyramid.size, pyramid.slices);
  }
  VkImageLayout source_layout() const override { return VK_IMAGE_LAYOUT_GENERAL; }
  VkPipelineStageFlagBits stage() const override { return VK_PIPELINE_STAGE_TRANSFER_BIT; }

 private:
  const Gpu& gpu_;
  const ImageSets& images_;
};

class BlitChain final : public VulkanTechnique {
 public:
  BlitChain(const Gpu& gpu, const ImageSets& images) : gpu_(gpu), images_(images) {}

  void record(VkCommandBuffer commands, size_t set) const override {
    const vulkan::DeviceImage& target = images_.target(set);
    for (uint32_t level = 0; level < target.levels; ++level) {
      if (level > 0) stage_barrier(gpu_, commands, stage());
      const vulkan::DeviceImage& from = level == 0 ? images_.source(set) : target;
      const Extent from_size = level_size(images_.pyramid().size, level);
      const Extent to_size = level_size(images_.pyramid().size, level + 1);
      VkImageBlit region{};
      region.srcSubresource = {from.aspect(), level == 0 ? 0 : level - 1, 0, from.slices};
      region.srcOffsets[1] = {static_cast<int32_t>(from_size.width), static_cast<int32_t>(from_size.height), 1};
      region.dstSubresource = {target.aspect(), level, 0, target.slices};
      region.dstOffsets[1] = {static_cast<int32_t>(to_size.width), static_cast<int32_t>(to_size.height), 1};
      gpu_.vkCmdBlitImage(commands, from.image, VK_IMAGE_LAYOUT_GENERAL, target.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                          &region, VK_FILTER_LINEAR);
    }
  }
  uint64_t bytes() const override {
    uint64_t bytes = images_.source(0).level_bytes(0);
    for (uint32_t level = 0; level < images_.target(0).levels; ++level) bytes += images_.target(0).level_bytes(level);
    return bytes;
  }
  VkImageLayout source_layout() const override { return VK_IMAGE_LAYOUT_GENERAL; }
  VkPipelineStageFlagBits stage() const override { return VK_PIPELINE_STAGE_TRANSFER_BIT; }

 private:
  const Gpu& gpu_;
  const ImageSets& images_;
};

class Empty final : public VulkanTechnique {
 public:
  explicit Empty(std::unique_ptr<ComputePipeline> pipeline) : pipeline_(std::move(pipeline)) {}
  void record(VkCommandBuffer commands, size_t) const override { pipeline_->dispatch(commands, VK_NULL_HANDLE, {}, 1); }
  uint64_t bytes() const override { return 0; }

 private:
  std::unique_ptr<ComputePipeline> pipeline_;
};

}  // namespace

TechniqueResult make_pyramid_technique(const Gpu& gpu, const ImageSets& images, const PyramidOptions& options,
                                       const vulkan::PyramidTuning& tuning) {
  auto pyramid = vulkan::Pyramid::create(gpu.device(), options, tuning);
  if (!pyramid) return pyramid.error();
  std::vector<vulkan::PyramidBinding> bindings;
  for (size_t i = 0; i < images.count(); ++i) {
    auto binding =
        pyramid->bind({.source = images.source(i).image, .target = images.target(i).image, .target_level = 0});
    if (!binding) return binding.error();
    bindings.push_back(std::move(*binding));
  }
  auto reset = gpu.device().run([&](VkCommandBuffer commands) {
    for (const vulkan::PyramidBinding& binding : bindings) pyramid->record_reset(commands, binding);
    full_barrier(gpu, commands);
  });
  if (!reset) return reset.error();
  return std::unique_ptr<VulkanTechnique>(new PyramidTechnique(std::move(*pyramid), std::move(bindings)));
}

TechniqueResult make_speed_of_light(const Gpu& gpu, const ImageSets& images, bool contiguous) {
  const Extent size = images.pyramid().size;
  if (std::min(size.width, size.height) < 4) return unsupported(gpu, "speed of light needs 4x4 texels");
  if (contiguous && !gpu.has_quads()) return unsupported(gpu, "no quad operations in compute shaders");
  auto out = std::make_unique<SpeedOfLight>(gpu, images.pyramid());
  if (auto made = out->init(images, contiguous); !made) return made.error();
  return std::unique_ptr<VulkanTechnique>(std::move(out));
}

TechniqueResult make_copy(const Gpu& gpu, const ImageSets& images) {
  return std::unique_ptr<VulkanTechnique>(new Copy(gpu, images));
}

TechniqueResult make_blit_chain(const Gpu& gpu, const ImageSets& images) {
  const PyramidCase& pyramid = images.pyramid();
  if (pyramid.source != pyramid.target) return unsupported(gpu, "a blit makes one value of one");
  if (!gpu.can_blit(pyramid.source)) {
    return unsupported(gpu, "no linear blits of " + std::string(format_info(pyramid.source).name) + " on this queue");
  }
  return std::unique_ptr<VulkanTechnique>(new BlitChain(gpu, images));
}

TechniqueResult make_empty(const Gpu& gpu) {
  PipelineRequest request;
  request.code = kernel_bench_empty;
  auto pipeline = ComputePipeline::create(gpu, request);
  if (!pipeline) return pipeline.error();
  return std::unique_ptr<VulkanTechnique>(new Empty(std::move(*pipeline)));
}

}  // namespace onepass::bench
