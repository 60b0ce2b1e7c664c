#include "peers/sssr_resources.hpp"

#include <cstring>
#include <span>

#include "image/div_up.hpp"
#include "onepass/vulkan/pyramid.hpp"

// The SDK's tables, as its component includes them.
namespace {
#include "samplerBlueNoiseErrorDistribution_128x128_OptimizedFor_2d2d2d2d_1spp.cpp"
}

namespace onepass::bench {
namespace {

constexpr VkImageUsageFlags kUsage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                     VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkImageUsageFlags kTableUsage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

Error failed(VkResult result, const char* what) { return vulkan::vulkan_error(result, what); }

Result<vulkan::Buffer> create_buffer(const Gpu& gpu, uint64_t bytes) {
  return vulkan::Buffer::create(
      gpu.impl(), bytes,
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
      false);
}

void change_layout(const vulkan::DeviceImage& image, VkCommandBuffer commands, VkImageLayout from, VkImageLayout to) {
  image.transition(commands, from, vulkan::kAllAccesses, to, vulkan::kAllAccesses);
}

Result<SssrImage> create_table(const Gpu& gpu, Extent size, std::span<const int> values) {
  auto table = SssrImage::create(gpu, {.format = Format::kR32Uint, .size = size, .usage = kTableUsage});
  if (!table) return table.error();
  auto staging = vulkan::Buffer::create(gpu.impl(), values.size_bytes(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
  if (!staging) return staging.error();
  std::memcpy(staging->mapped, values.data(), values.size_bytes());
  auto ran = gpu.device().run(
      [&](VkCommandBuffer commands) { record_upload(table->image(), *staging, 0, commands, VK_IMAGE_LAYOUT_GENERAL); });
  if (!ran) return ran.error();
  return table;
}

}  // namespace

SssrImage::~SssrImage() {
  if (view_ != VK_NULL_HANDLE) gpu_->vk().vkDestroyImageView(gpu_->handle(), view_, nullptr);
}

void SssrImage::swap(SssrImage& other) noexcept {
  std::swap(gpu_, other.gpu_);
  image_.swap(other.image_);
  std::swap(view_, other.view_);
}

Result<void> SssrImage::create_view(VkImage image, Format format, VkImageViewType type) {
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image;
  info.viewType = type;
  info.format = static_cast<VkFormat>(format);
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
  const VkResult result = gpu_->vk().vkCreateImageView(gpu_->handle(), &info, nullptr, &view_);
  return result == VK_SUCCESS ? Result<void>() : failed(result, "vkCreateImageView");
}

Result<SssrImage> SssrImage::create(const Gpu& gpu, const vulkan::DeviceImage::Request& request) {
  SssrImage out;
  out.gpu_ = &gpu;
  auto image = vulkan::DeviceImage::create(gpu.impl(), request);
  if (!image) return image.error();
  out.image_ = std::move(*image);
  if (auto made = out.create_view(out.image_.image, request.format, VK_IMAGE_VIEW_TYPE_2D); !made) return made.error();
  return out;
}

Result<SssrImage> SssrImage::of(const Gpu& gpu, const vulkan::DeviceImage& image) {
  SssrImage out;
  out.gpu_ = &gpu;
  if (auto made = out.create_view(image.image, image.format, VK_IMAGE_VIEW_TYPE_2D); !made) return made.error();
  return out;
}

Result<SssrImage> SssrImage::create_cube(const Gpu& gpu) {
  SssrImage out;
  out.gpu_ = &gpu;
  vulkan::DeviceImage& cube = out.image_;
  cube.device = &gpu.impl();
  cube.format = Format::kRGBA16Sfloat;
  cube.size = {1, 1};
  cube.slices = 6;
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = static_cast<VkFormat>(cube.format);
  info.extent = {1, 1, 1};
  info.mipLevels = 1;
  info.arrayLayers = cube.slices;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = kTableUsage;
  VkResult result = gpu.vk().vkCreateImage(gpu.handle(), &info, nullptr, &cube.image);
  if (result != VK_SUCCESS) return failed(result, "vkCreateImage");
  vulkan::MemoryRequest request{.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, .image = cube.image};
  gpu.vk().vkGetImageMemoryRequirements(gpu.handle(), cube.image, &request.needs);
  auto memory = vulkan::DeviceMemory::allocate(gpu.impl(), request);
  if (!memory) return memory.error();
  cube.memory = std::move(*memory);
  const auto& range = cube.memory.range();
  result = gpu.vk().vkBindImageMemory(gpu.handle(), cube.image, range.memory, range.offset);
  if (result != VK_SUCCESS) return failed(result, "vkBindImageMemory");
  if (auto made = out.create_view(cube.image, cube.format, VK_IMAGE_VIEW_TYPE_CUBE); !made) return made.error();
  return out;
}

void SssrImage::record_clear(VkCommandBuffer commands) const {
  change_layout(image_, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  const VkClearColorValue black{};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                    VK_REMAINING_ARRAY_LAYERS};
  gpu_->vkCmdClearColorImage(commands, image_.image, VK_IMAGE_LAYOUT_GENERAL, &black, 1, &all);
}

Result<SssrView> SssrView::create(const Gpu& gpu, Extent size) {
  SssrView out;
  const Extent tiles{div_up(size.width, 8), div_up(size.height, 8)};
  const auto image = [&](SssrImage& target, Format format, Extent extent) -> Result<void> {
    auto created = SssrImage::create(gpu, {.format = format, .size = extent, .usage = kUsage});
    if (!created) return created.error();
    target = std::move(*created);
    return {};
  };
  Result<void> done;
  for (size_t i = 0; i < 2 && done; ++i) {
    done = image(out.radiance[i], Format::kRGBA16Sfloat, size);
    if (done) done = image(out.variance[i], Format::kR16Sfloat, size);
    if (done) done = image(out.samples[i], Format::kR16Sfloat, size);
    if (done) done = image(out.average[i], Format::kB10G11R11Ufloat, tiles);
  }
  if (done) done = image(out.reprojected, Format::kRGBA16Sfloat, size);
  if (done) done = image(out.roughness, Format::kR8Unorm, size);
  if (done) done = image(out.roughness_history, Format::kR8Unorm, size);
  if (done) done = image(out.depth_history, kSceneDepth, size);
  if (done) done = image(out.normal_history, kSceneNormals, size);
  if (!done) return done.error();
  const uint64_t texels = uint64_t{size.width} * size.height;
  const std::pair<vulkan::Buffer*, uint64_t> buffers[] = {
      {&out.rays, 4 * texels}, {&out.tiles, 4 * texels}, {&out.counters, 16}, {&out.arguments, 24}};
  for (const auto& [target, bytes] : buffers) {
    auto buffer = create_buffer(gpu, bytes);
    if (!buffer) return buffer.error();
    *target = std::move(*buffer);
  }
  return out;
}

void SssrView::record_clear(const Gpu& gpu, VkCommandBuffer commands) const {
  for (const auto* both : {&radiance, &variance, &samples, &average}) {
    for (const SssrImage& image : *both) image.record_clear(commands);
  }
  for (const SssrImage* image : {&reprojected, &roughness, &roughness_history, &depth_history, &normal_history}) {
    image->record_clear(commands);
  }
  for (const vulkan::Buffer* buffer : {&rays, &tiles, &counters, &arguments}) {
    gpu.vk().vkCmdFillBuffer(commands, buffer->buffer, 0, VK_WHOLE_SIZE, 0);
  }
}

Result<std::vector<SssrSet>> SssrSet::create_all(const Gpu& gpu, const ReflectionSets& sets) {
  const Extent size = sets.size();
  auto pyramid = vulkan::Pyramid::create(gpu.device(), {.size = size,
                                                        .source = kSceneDepth,
                                                        .target = kSceneDepth,
                                                        .reduction = Reduction::kMax,
                                                        .footprint = Footprint::kAligned});
  if (!pyramid) return pyramid.error();
  std::vector<SssrSet> out(sets.count());
  std::vector<vulkan::PyramidBinding> bindings;
  for (size_t i = 0; i < sets.count(); ++i) {
    auto color = SssrImage::of(gpu, sets[i].color), normals = SssrImage::of(gpu, sets[i].normals);
    auto motion = SssrImage::of(gpu, sets[i].motion);
    auto depths = SssrImage::create(
        gpu, {.format = kSceneDepth, .size = size, .levels = pyramid->plan().levels, .usage = kUsage});
    for (const auto* image : {&color, &normals, &motion, &depths}) {
      if (!*image) return image->error();
    }
    auto binding = pyramid->bind({.source = sets[i].depth.image, .target = depths->image().image, .target_level = 1});
    if (!binding) return binding.error();
    bindings.push_back(std::move(*binding));
    out[i] = {std::move(*color), std::move(*normals), std::move(*motion), std::move(*depths)};
  }
  auto ran = gpu.device().run([&](VkCommandBuffer commands) {
    for (size_t i = 0; i < sets.count(); ++i) {
      const vulkan::DeviceImage& depths = out[i].depths.image();
      change_layout(depths, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
      record_copy(gpu, commands, sets[i].depth, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, depths);
      pyramid->record(commands, bindings[i]);
    }
    full_barrier(gpu, commands);
  });
  if (!ran) return ran.error();
  return out;
}

Result<SssrNoise> SssrNoise::create(const Gpu& gpu) {
  auto sobol = create_table(gpu, {256, 256}, sobol_256spp_256d);
  if (!sobol) return sobol.error();
  auto scrambling = create_table(gpu, {512, 256}, scramblingTile);
  if (!scrambling) return scrambling.error();
  auto noise = SssrImage::create(gpu, {.format = Format::kRG8Unorm, .size = {128, 128}, .usage = kUsage});
  if (!noise) return noise.error();
  return SssrNoise{std::move(*sobol), std::move(*scrambling), std::move(*noise)};
}

void record_copy(const Gpu& gpu, VkCommandBuffer commands, const vulkan::DeviceImage& from, VkImageLayout from_layout,
                 const vulkan::DeviceImage& to) {
  const bool general = from_layout == VK_IMAGE_LAYOUT_GENERAL;
  const VkImageLayout layout = general ? from_layout : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  if (!general) from.transition(commands, from_layout, vulkan::kShaderReads, layout, vulkan::kTransferReads);
  VkImageCopy region{};
  region.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.dstSubresource = region.srcSubresource;
  region.extent = {from.size.width, from.size.height, 1};
  gpu.vkCmdCopyImage(commands, from.image, layout, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  if (!general) from.transition(commands, layout, vulkan::kTransferReads, from_layout, vulkan::kShaderReads);
}

}  // namespace onepass::bench
