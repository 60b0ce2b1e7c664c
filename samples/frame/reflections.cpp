// reflections.cpp: options and images of onepass' reflections: rays through the pyramid of farthest and nearest depths,
// normals and roughness in one image, motion vectors. Rays without a hit are black: reflect.comp adds what they see.
#include "reflections.hpp"

#include <algorithm>

namespace samples::frame {
namespace {

namespace ov = onepass::vulkan;

onepass::ReflectionOptions options_of(const Targets& targets, const ReflectionQuality& quality) {
  const auto format = [](const Image& image) { return static_cast<onepass::Format>(image.format); };
  return {.size = targets.size,
          .slices = targets.eyes,
          .color = format(targets.lit),
          .depth = format(targets.depth),
          .pyramid = onepass::Format::kRG32Sfloat,
          .normals = format(targets.normals),
          .roughness = format(targets.normals),
          .motion = format(targets.motion),
          .footprint = onepass::Footprint::kCovering,
          .reversed_depth = true,
          .roughness_channel = 3,
          .resolution = quality.resolution,
          .rays = quality.rays,
          .max_roughness = MOST_ROUGHNESS,
          .relative_thickness = 0.004F,
          .history_frames = quality.history ? 32U : 1U,
          .filter_passes = quality.filter ? 3U : 0U};
}

ov::ReflectionImages images_of(const Targets& targets, const Pyramids& pyramids) {
  const ov::ReflectionImage normals{.image = targets.normals.handle, .layout = kRead};
  return {.color = {.image = targets.lit.handle, .layout = kRead},
          .depth = {.image = targets.depth.handle, .layout = kDepthRead},
          .pyramid = {.image = pyramids.min_max.image().handle, .layout = VK_IMAGE_LAYOUT_GENERAL},
          .normals = normals,
          .roughness = normals,
          .motion = {.image = targets.motion.handle, .layout = kRead},
          .target = {.image = targets.reflections.handle, .layout = VK_IMAGE_LAYOUT_GENERAL}};
}

// Columns of the matrix one after the other.
std::array<float, 16> numbers_of(const mat4& matrix) {
  std::array<float, 16> numbers{};
  auto next = numbers.begin();
  for (const auto& column : matrix.columns) next = std::copy(column.begin(), column.end(), next);
  return numbers;
}

}  // namespace

Reflections::Reflections(Gpu& gpu, const Targets& targets, const Pyramids& pyramids, const ReflectionQuality& quality)
    : gpu_(gpu),
      reflection_(value_of(ov::Reflection::create(gpu.device(), options_of(targets, quality)))),
      binding_(value_of(reflection_.bind(images_of(targets, pyramids)))) {}

void Reflections::record(VkCommandBuffer commands, std::span<const Eye> eyes, uint32_t index, bool reset) const {
  std::array<ov::ReflectionView, MOST_EYES> views{};
  std::transform(eyes.begin(), eyes.end(), views.begin(), [](const Eye& eye) {
    return ov::ReflectionView{.clip_from_world = numbers_of(eye.clip_of_world),
                              .last_clip_from_world = numbers_of(eye.last_clip_of_world)};
  });
  gpu_.barrier(commands, kComputeBoth, kComputeBoth);
  reflection_.record(commands, binding_,
                     {.views = std::span(views).first(eyes.size()), .index = index, .reset = reset});
  gpu_.barrier(commands, kComputeWrite, kComputeRead);
}

}  // namespace samples::frame
