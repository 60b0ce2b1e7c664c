// pyramids.cpp: two pyramids with the covering footprint: farthest depth (min, reversed depth), and farthest and
// nearest depth (min_max).
#include "pyramids.hpp"

namespace samples::frame {
namespace {

namespace ov = onepass::vulkan;

// The options of a pyramid of all eyes. Formats of onepass are numbers of VkFormat.
onepass::PyramidOptions options_of(const Image& source, onepass::Format target, onepass::Reduction reduction) {
  return {.size = source.size,
          .slices = source.layers,
          .source = static_cast<onepass::Format>(source.format),
          .target = target,
          .reduction = reduction,
          .footprint = onepass::Footprint::kCovering};
}

}  // namespace

FramePyramid::FramePyramid(Gpu& gpu, const Image& source, VkImageLayout layout, const onepass::PyramidOptions& options)
    : gpu_(gpu),
      pyramid_(value_of(ov::Pyramid::create(gpu.device(), options))),
      image_(gpu.image(
          static_cast<VkFormat>(options.target), onepass::level_size(options.size, 1), pyramid_.plan().levels - 1,
          VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, options.slices)),
      binding_(value_of(pyramid_.bind(
          {.source = source.handle, .source_layout = layout, .target = image_.handle, .target_level = 0}))) {
  gpu.run([&](VkCommandBuffer commands) {
    gpu.transition(commands, image_, VK_IMAGE_LAYOUT_UNDEFINED, {VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
                   VK_IMAGE_LAYOUT_GENERAL, kComputeBoth);
    pyramid_.record_reset(commands, binding_);
  });
}

void FramePyramid::record(VkCommandBuffer commands) const {
  gpu_.barrier(commands, kComputeWrite, kComputeBoth);
  pyramid_.record(commands, binding_);
  gpu_.barrier(commands, kComputeWrite, kComputeRead);
}

Pyramids::Pyramids(Gpu& gpu, const Targets& targets)
    : farthest(gpu, targets.depth, kDepthRead,
               options_of(targets.depth, onepass::Format::kR32Sfloat, onepass::Reduction::kMin)),
      min_max(gpu, targets.depth, kDepthRead,
              options_of(targets.depth, onepass::Format::kRG32Sfloat, onepass::Reduction::kMinMax)) {}

}  // namespace samples::frame
