#include "tests/reflection/reflection_rig.hpp"

#include <cmath>
#include <cstring>

#include "vulkan/barrier.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::testing {
namespace {

using vulkan::Buffer;
using vulkan::DeviceImage;

DeviceImage make_image(Format format, Extent size, uint32_t levels, uint32_t slices, VkImageUsageFlags usage) {
  auto made = DeviceImage::create(test_device().impl(),
                                  {.format = format,
                                   .size = size,
                                   .levels = levels,
                                   .slices = slices,
                                   .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  auto ran = test_device().run([&](VkCommandBuffer commands) {
    made->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_GENERAL,
                     vulkan::kAllAccesses);
  });
  EXPECT_TRUE(ran);
  return std::move(*made);
}

Buffer make_buffer(uint64_t bytes) {
  return *Buffer::create(test_device().impl(), bytes,
                         VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
}

void barrier(VkCommandBuffer commands) { vulkan::record_barrier(test_device().impl(), commands, vulkan::kFullBarrier); }

void copy(const DeviceImage& image, Buffer& staging, bool to_image) {
  const VkImageLayout layout = to_image ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  auto ran = test_device().run([&](VkCommandBuffer commands) {
    image.transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kAllAccesses, layout, vulkan::kAllAccesses);
    copy_levels(image, staging, 0, 0, 1, to_image, commands);
    image.transition(commands, layout, vulkan::kAllAccesses, VK_IMAGE_LAYOUT_GENERAL, vulkan::kAllAccesses);
    barrier(commands);
  });
  EXPECT_TRUE(ran);
}

void upload(const DeviceImage& image, const void* texels) {
  Buffer staging = make_buffer(packed_bytes(image, 0, 1));
  std::memcpy(staging.mapped, texels, packed_bytes(image, 0, 1));
  copy(image, staging, true);
}

// Texels of all frames, slice by slice, each made by `texel_of` from its index in a frame and encoded in the image's
// format. Depth: floats, also of 32-bit depth formats.
template <typename TexelOf>
void upload_slices(const DeviceImage& image, const std::vector<Frame>& frames, const TexelOf& texel_of) {
  if (image.image == VK_NULL_HANDLE) return;
  const Format format = image.format == Format::kD32Sfloat ? Format::kR32Sfloat : image.format;
  const uint32_t step = format_info(format).bytes_per_texel;
  std::vector<std::byte> texels(packed_bytes(image, 0, 1));
  size_t at = 0;
  for (const Frame& frame : frames) {
    for (size_t i = 0; i < frame.depth.size(); ++i, at += step) {
      const std::array<float, 4> texel = texel_of(frame, i);
      encode_row(format, texel.data(), 1, texels.data() + at);
    }
  }
  upload(image, texels.data());
}

std::array<float, 4> encoded_normal(const std::array<float, 4>& n, NormalEncoding encoding) {
  if (encoding == NormalEncoding::kSigned) return n;
  if (encoding == NormalEncoding::kUnsigned) return {0.5F * n[0] + 0.5F, 0.5F * n[1] + 0.5F, 0.5F * n[2] + 0.5F, n[3]};
  const float sum = std::fabs(n[0]) + std::fabs(n[1]) + std::fabs(n[2]);
  float x = n[0] / sum, y = n[1] / sum;
  if (n[2] < 0) {
    const float folded = std::copysign(1 - std::fabs(y), x);
    y = std::copysign(1 - std::fabs(x), y);
    x = folded;
  }
  return {0.5F * x + 0.5F, 0.5F * y + 0.5F, 0, 0};
}

std::vector<std::byte> download(const DeviceImage& image) {
  Buffer staging = make_buffer(packed_bytes(image, 0, 1));
  copy(image, staging, false);
  std::vector<std::byte> bytes(packed_bytes(image, 0, 1));
  std::memcpy(bytes.data(), staging.mapped, bytes.size());
  return bytes;
}

}  // namespace

std::vector<vulkan::ReflectionView> views_of(const std::vector<Camera>& cameras, const std::vector<Camera>& last) {
  std::vector<vulkan::ReflectionView> views;
  for (size_t i = 0; i < cameras.size(); ++i)
    views.push_back({.clip_from_world = cameras[i].matrix(), .last_clip_from_world = last[i].matrix()});
  return views;
}

ReflectionOptions rig_options(Extent size, const Camera& camera) {
  return {.size = size,
          .color = Format::kRGBA32Sfloat,
          .depth = Format::kR32Sfloat,
          .pyramid = Format::kR32Sfloat,
          .normals = Format::kRGBA32Sfloat,
          .roughness = Format::kRGBA32Sfloat,
          .hit_distance = Format::kR32Sfloat,
          .reversed_depth = camera.reversed(),
          .roughness_channel = 3,
          .border_fade = 0};
}

ReflectionRig::ReflectionRig(const ReflectionOptions& options, const vulkan::ReflectionTuning& tuning)
    : options_(options) {
  const vulkan::Device& device = test_device();
  auto reflection = vulkan::Reflection::create(device, options, tuning);
  if (!reflection) {
    ADD_FAILURE() << reflection.error().text();
    return;
  }
  reflection_ = std::make_unique<vulkan::Reflection>(std::move(*reflection));
  const uint32_t s = options.slices;
  color_ = make_image(options.color, options.size, 1, s, VK_IMAGE_USAGE_SAMPLED_BIT);
  normals_ = make_image(options.normals, options.size, 1, s, VK_IMAGE_USAGE_SAMPLED_BIT);
  depth_ = make_image(options.depth, options.size, 1, s, VK_IMAGE_USAGE_SAMPLED_BIT);
  if (!roughness_is_in_normals())
    roughness_ = make_image(options.roughness, options.size, 1, s, VK_IMAGE_USAGE_SAMPLED_BIT);
  if (options.motion != Format::kUndefined)
    motion_ = make_image(options.motion, options.size, 1, s, VK_IMAGE_USAGE_SAMPLED_BIT);
  target_ = make_image(Format::kRGBA16Sfloat, options.size, 1, s, VK_IMAGE_USAGE_STORAGE_BIT);
  if (options.hit_distance != Format::kUndefined)
    distance_ = make_image(options.hit_distance, options.size, 1, s, VK_IMAGE_USAGE_STORAGE_BIT);
  if (reflection_->plan().levels > 0) create_pyramid();
}

void ReflectionRig::create_pyramid() {
  const bool both = format_info(options_.pyramid).channels == 2;
  const PyramidOptions pyramid{.size = options_.size,
                               .slices = options_.slices,
                               .source = options_.depth,
                               .target = options_.pyramid,
                               .reduction = both                      ? Reduction::kMinMax
                                            : options_.reversed_depth ? Reduction::kMax
                                                                      : Reduction::kMin,
                               .footprint = options_.footprint};
  levels_ = make_image(options_.pyramid, level_size(options_.size, 1), reflection_->plan().levels, options_.slices,
                       VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT);
  auto made = vulkan::Pyramid::create(test_device(), pyramid);
  ASSERT_TRUE(made) << made.error().text();
  pyramid_ = std::make_unique<vulkan::Pyramid>(std::move(*made));
  auto bound = pyramid_->bind(
      {.source = depth_.image, .source_layout = VK_IMAGE_LAYOUT_GENERAL, .target = levels_.image, .target_level = 0});
  ASSERT_TRUE(bound) << bound.error().text();
  pyramid_binding_ = std::make_unique<vulkan::PyramidBinding>(std::move(*bound));
  ASSERT_TRUE(
      test_device().run([&](VkCommandBuffer commands) { pyramid_->record_reset(commands, *pyramid_binding_); }));
}

void ReflectionRig::set_environment(const ImageView& picture) {
  environment_ = make_image(picture.format, picture.size, 1, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
  upload(environment_, picture.data);
}

void ReflectionRig::bind() {
  constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
  const auto sampled = [&](const DeviceImage& image) {
    return vulkan::ReflectionImage{.image = image.image, .layout = kGeneral};
  };
  auto bound = reflection_->bind({.color = sampled(color_),
                                  .depth = sampled(depth_),
                                  .pyramid = sampled(levels_),
                                  .normals = sampled(normals_),
                                  .roughness = sampled(roughness_is_in_normals() ? normals_ : roughness_),
                                  .motion = sampled(motion_),
                                  .environment = sampled(environment_),
                                  .target = {.image = target_.image},
                                  .hit_distance = {.image = distance_.image},
                                  .scratch = scratch_,
                                  .scratch_offset = scratch_offset_});
  ASSERT_TRUE(bound) << bound.error().text();
  binding_ = std::make_unique<vulkan::ReflectionBinding>(std::move(*bound));
}

bool ReflectionRig::roughness_is_in_normals() const {
  return options_.roughness == options_.normals && options_.roughness_channel == 3;
}

Reflected ReflectionRig::run(const std::vector<Frame>& frames, const vulkan::ReflectionFrame& frame,
                             const std::vector<Frame>* colors, uint32_t times) {
  if (binding_ == nullptr) bind();
  using Texel = std::array<float, 4>;
  upload_slices(depth_, frames, [](const Frame& f, size_t i) { return Texel{f.depth[i]}; });
  upload_slices(normals_, frames,
                [&](const Frame& f, size_t i) { return encoded_normal(f.normals[i], options_.normal_encoding); });
  upload_slices(roughness_, frames, [&](const Frame& f, size_t i) {
    Texel texel{0.9F, 0.9F, 0.9F, 0.9F};
    texel[options_.roughness_channel] = f.normals[i][3];
    return texel;
  });
  upload_slices(motion_, frames, [](const Frame& f, size_t i) { return Texel{f.motion[i][0], f.motion[i][1]}; });
  upload_slices(color_, colors != nullptr ? *colors : frames, [](const Frame& f, size_t i) { return f.color[i]; });
  auto ran = test_device().run([&](VkCommandBuffer commands) {
    if (pyramid_) pyramid_->record(commands, *pyramid_binding_);
    vulkan::record_barrier(test_device().impl(), commands, vulkan::kBetweenDispatches);
    for (uint32_t time = 0; time < times; ++time) reflection_->record(commands, *binding_, frame);
  });
  EXPECT_TRUE(ran) << (ran ? "" : ran.error().text());
  Reflected reflected;
  const std::vector<std::byte> bytes = download(target_);
  const size_t texels = size_t{options_.size.width} * options_.size.height * options_.slices;
  reflected.light.resize(texels);
  for (size_t i = 0; i < reflected.light.size(); ++i)
    decode_row(Format::kRGBA16Sfloat, bytes.data() + 8 * i, 1, reflected.light[i].data());
  if (distance_.image == VK_NULL_HANDLE) return reflected;
  const std::vector<std::byte> distances = download(distance_);
  const uint32_t step = format_info(options_.hit_distance).bytes_per_texel;
  for (size_t i = 0; i < texels; ++i) {
    std::array<float, 4> texel{};
    decode_row(options_.hit_distance, distances.data() + step * i, 1, texel.data());
    reflected.distance.push_back(texel[0]);
  }
  return reflected;
}

}  // namespace onepass::testing
