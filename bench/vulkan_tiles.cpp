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
  ReadOnly(const Gpu& gpu, const ReadOnlyImages& images) : gpu_(gpu), images_(images) {}
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;
  ~ReadOnly() override {
    for (VkImageView view : views_) gpu_.vk().vkDestroyImageView(gpu_.handle(), view, nullptr);
  }

  Result<void> init() {
    const std::vector<VkDescriptorType> bindings = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
    PipelineRequest request;
    request.code = kernel_bench_read_only;
    request.bindings = bindings;
    request.constants = {format_info(images_.source).channels == 1 ? 1U : 0U};
    request.push_bytes = sizeof(push_);
    auto pipeline = ComputePipeline::create(gpu_, request);
    if (!pipeline) return pipeline.error();
    pipeline_ = std::move(*pipeline);
    push_ = {images_.size.width, images_.size.height};
    auto sets = DescriptorSets::create(gpu_, *pipeline_, bindings, static_cast<uint32_t>(images_.sets.size()));
    if (!sets) return sets.error();
    sets_ = std::move(*sets);
    for (size_t i = 0; i < images_.sets.size(); ++i) {
      if (auto written = write_set(i); !written) return written;
    }
    return {};
  }

  void record(VkCommandBuffer commands, size_t set) const override {
    const auto tiles = [](uint32_t texels) { return (texels + 63) / 64; };
    pipeline_->dispatch(commands, (*sets_)[set], push_, tiles(images_.size.width), tiles(images_.size.height),
                        images_.slices);
  }
  uint64_t bytes() const override {
    return uint64_t{images_.size.width} * images_.size.height * images_.slices *
           format_info(images_.source).bytes_per_texel;
  }

 private:
  Result<void> write_set(size_t set) {
    auto source = vulkan::create_view(gpu_.device().impl(), {.image = images_.sets[set].first,
                                                             .format = static_cast<VkFormat>(images_.source),
                                                             .slices = images_.slices,
                                                             .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    if (!source) return source.error();
    views_.push_back(*source);
    auto target = vulkan::create_view(gpu_.device().impl(), {.image = images_.sets[set].second,
                                                             .format = vulkan::storage_format(images_.target),
                                                             .slices = images_.slices,
                                                             .usage = VK_IMAGE_USAGE_STORAGE_BIT});
    if (!target) return target.error();
    views_.push_back(*target);
    sets_->write_image(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                       {pipeline_->sampler(), *source, source_layout()});
    sets_->write_image(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, {VK_NULL_HANDLE, *target, VK_IMAGE_LAYOUT_GENERAL});
    return {};
  }

  const Gpu& gpu_;
  ReadOnlyImages images_;
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

TechniqueResult make_read_only(const Gpu& gpu, const ReadOnlyImages& images) {
  auto out = std::make_unique<ReadOnly>(gpu, images);
  if (auto made = out->init(); !made) return made.error();
  return std::unique_ptr<VulkanTechnique>(std::move(out));
}

TechniqueResult make_read_only(const Gpu& gpu, const ImageSets& images) {
  const PyramidCase& pyramid = images.pyramid();
  ReadOnlyImages out{pyramid.source, pyramid.target, pyramid.size, pyramid.slices, {}};
  for (size_t i = 0; i < images.count(); ++i) out.sets.emplace_back(images.source(i).image, images.target(i).image);
  return make_read_only(gpu, out);
}

}  // namespace onepass::bench
