// vulkan_tiles.cpp: tile reductions, and what they cannot be faster than: reading the image.
#include <array>
#include <vector>

#include "vulkan/image_view.hpp"
#include "vulkan_technique.hpp"
// The words of the kernel, made by the build.
#include "kernels/bench_read_only.h"

namespace onepass::bench {
namespace {

class TileTechnique final : public VulkanTechnique {
 public:
  TileTechnique(vulkan::TileReduction tiles, std::vector<vulkan::TileReductionBinding> bindings)
      : tiles_(std::move(tiles)), bindings_(std::move(bindings)) {}

  void record(VkCommandBuffer commands, size_t set) const override { tiles_.record(commands, bindings_[set]); }
  uint64_t bytes() const override {
    const TileReductionPlan& plan = tiles_.plan().plan;
    return plan.bytes_read + plan.bytes_written;
  }

 private:
  vulkan::TileReduction tiles_;
  std::vector<vulkan::TileReductionBinding> bindings_;
};

class ReadOnly final : public VulkanTechnique {
 public:
  ReadOnly(const Gpu& gpu, const PyramidCase& pyramid) : gpu_(gpu), pyramid_(pyramid) {}
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;
  ~ReadOnly() override {
    for (VkImageView view : views_) gpu_.vk().vkDestroyImageView(gpu_.handle(), view, nullptr);
  }

  Result<void> init(const ImageSets& images) {
    const std::vector<VkDescriptorType> bindings = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
    PipelineRequest request;
    request.code = kernel_bench_read_only;
    request.bindings = bindings;
    request.constants = {format_info(pyramid_.source).channels == 1 ? 1U : 0U};
    request.push_bytes = sizeof(push_);
    auto pipeline = ComputePipeline::create(gpu_, request);
    if (!pipeline) return pipeline.error();
    pipeline_ = std::move(*pipeline);
    push_ = {pyramid_.size.width, pyramid_.size.height};
    auto sets = DescriptorSets::create(gpu_, *pipeline_, bindings, static_cast<uint32_t>(images.count()));
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
    return uint64_t{pyramid_.size.width} * pyramid_.size.height * pyramid_.slices *
           format_info(pyramid_.source).bytes_per_texel;
  }

 private:
  Result<void> write_set(const ImageSets& images, size_t set) {
    auto source = vulkan::create_view(gpu_.device().impl(), {.image = images.source(set).image,
                                                             .format = static_cast<VkFormat>(pyramid_.source),
                                                             .slices = pyramid_.slices,
                                                             .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    if (!source) return source.error();
    views_.push_back(*source);
    auto target = vulkan::create_view(gpu_.device().impl(), {.image = images.target(set).image,
                                                             .format = vulkan::storage_format(pyramid_.target),
                                                             .slices = pyramid_.slices,
                                                             .usage = VK_IMAGE_USAGE_STORAGE_BIT});
    if (!target) return target.error();
    views_.push_back(*target);
    sets_->write_image(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                       {pipeline_->sampler(), *source, source_layout()});
    sets_->write_image(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, {VK_NULL_HANDLE, *target, VK_IMAGE_LAYOUT_GENERAL});
    return {};
  }

  const Gpu& gpu_;
  PyramidCase pyramid_;
  std::array<uint32_t, 2> push_{};
  std::unique_ptr<ComputePipeline> pipeline_;
  std::unique_ptr<DescriptorSets> sets_;
  std::vector<VkImageView> views_;
};

}  // namespace

TechniqueResult make_tile_technique(const Gpu& gpu, const ImageSets& images, const TileReductionOptions& options,
                                    const vulkan::TileReductionTuning& tuning) {
  auto tiles = vulkan::TileReduction::create(gpu.device(), options, tuning);
  if (!tiles) return tiles.error();
  std::vector<vulkan::TileReductionBinding> bindings;
  for (size_t i = 0; i < images.count(); ++i) {
    auto binding = tiles->bind(
        {.source = images.source(i).image, .target = images.target(i).image, .target_level = kTileLevel - 1});
    if (!binding) return binding.error();
    bindings.push_back(std::move(*binding));
  }
  return std::unique_ptr<VulkanTechnique>(new TileTechnique(std::move(*tiles), std::move(bindings)));
}

TechniqueResult make_read_only(const Gpu& gpu, const ImageSets& images) {
  auto out = std::make_unique<ReadOnly>(gpu, images.pyramid());
  if (auto made = out->init(images); !made) return made.error();
  return std::unique_ptr<VulkanTechnique>(std::move(out));
}

}  // namespace onepass::bench
