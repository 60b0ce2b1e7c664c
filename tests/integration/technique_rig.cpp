// technique_rig.cpp: creates images, buffers and scratch memory once; a Driver per interface creates, binds and records
// all techniques on them. Guard bytes between parts of the scratch memory show writes beyond them.
#include "tests/integration/technique_rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "onepass/luminance.hpp"

namespace onepass::testing {
namespace {

constexpr Format kHalf = Format::kRGBA16Sfloat;
constexpr uint64_t kScratchBytes = uint64_t{32} << 20U;
constexpr std::byte kGuard{0x5A};

PlacedImage make_image(const vulkan::Device& device, Format format, Extent size, Place at, VkImageUsageFlags usage,
                       uint32_t levels = 1) {
  auto image = PlacedImage::create(device.impl(),
                                   {.format = format, .size = size, .levels = levels, .slices = 1, .usage = usage}, at);
  if (image) return std::move(*image);
  ADD_FAILURE() << image.error().text();
  return {};
}

vulkan::Buffer make_buffer(const vulkan::Device& device, uint64_t bytes) {
  auto buffer = vulkan::Buffer::create(
      device.impl(), bytes,
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (buffer) return std::move(*buffer);
  ADD_FAILURE() << buffer.error().text();
  return {};
}

}  // namespace

Rig::Rig(OwnDevice& o, const vulkan::Device& d, uint32_t seed, const RigPlaces& places)
    : own(o),
      device(d),
      source_pixels(kHalf, kRigSize),
      kernel_pixels(Format::kR8Unorm, {5, 5}),
      mask_pixels(Format::kR8Unorm, kRigSize),
      hall(device, kRigSize, places.mask, places.target) {
  Random random(seed);
  fill_random(source_pixels.view(), random);
  fill_random(kernel_pixels.view(), random);
  for (uint32_t y = 0; y < kRigSize.height; ++y) {
    std::byte* row = mask_pixels.view().row(y);
    for (uint32_t x = 0; x < kRigSize.width; ++x) row[x] = static_cast<std::byte>(1 + random.below(255));
  }
  create_images(places);
  const auto transform = plan_transform({.size = kRigSize, .source = kHalf, .order = SpectrumOrder::kColumns});
  spectrum = make_buffer(device, transform->spectrum_bytes);
  results = make_buffer(device, sizeof(MeterResult));
  frame_results = make_buffer(device, sizeof(MeterResult));
  shift = make_buffer(device, uint64_t{1} << 18U);
  surface = make_buffer(device, uint64_t{kRigSize.width} * kRigSize.height * 4);
  const Extent count = size_in_blocks(BlockFormat::kBc6hSfloat, kRigSize);
  blocks = make_buffer(device, uint64_t{16} * count.width * count.height);
  create_scratch();
  clear();
}

// Creates the images, filled with poison; uploads source and mask.
void Rig::create_images(const RigPlaces& places) {
  constexpr VkImageUsageFlags kSampled = VK_IMAGE_USAGE_SAMPLED_BIT, kStorage = VK_IMAGE_USAGE_STORAGE_BIT;
  source = make_image(device, kHalf, kRigSize, places.source, kSampled);
  mask = make_image(device, Format::kR8Unorm, kRigSize, places.mask, kSampled);
  levels = make_image(device, kHalf, level_size(kRigSize, 1), places.target, kStorage, full_level_count(kRigSize) - 1);
  tiles = make_image(device, kHalf, kRigTiles, places.target, kStorage);
  for (PlacedImage* image : {&restored, &filtered, &sharpened, &glowing, &mip_glowing})
    *image = make_image(device, kHalf, kRigSize, places.target, kStorage);
  blurred = make_image(device, kHalf, kRigSize, places.target, kStorage | kSampled);
  for (PlacedImage* image : {&picture, &frame, &local})
    *image = make_image(device, Format::kRGBA8Srgb, kRigSize, places.target, kStorage);
  uint64_t bytes = 0;
  for (const auto& images : {sources(), targets()})
    for (const PlacedImage* image : images) bytes = std::max(bytes, image->whole_bytes());
  staging_ = make_buffer(device, bytes);
  own.run([&](VkCommandBuffer commands) {
    for (const PlacedImage* image : targets()) {
      image->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        vulkan::kTransferWrites);
      image->record_poison(staging_, commands);
      image->transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites,
                        VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites);
    }
  });
  upload({&source_pixels, 1}, source);
  upload({&mask_pixels, 1}, mask);
  for (const HallImages::Content& content : hall.contents()) upload(content.levels, *content.image);
}

void Rig::upload(std::span<const PaddedImage> pixels, const PlacedImage& image) {
  own.run([&](VkCommandBuffer commands) {
    image.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                     vulkan::kTransferWrites);
    image.record_poison(staging_, commands);
  });
  for (uint32_t n = 0; n < pixels.size(); ++n) {  // levels
    vulkan::pack_view(pixels[n].view(), static_cast<std::byte*>(staging_.mapped));
    own.run([&](VkCommandBuffer commands) {
      full_barrier(own, commands);
      image.record_part(staging_, n, 1, true, commands);
    });
  }
  own.run([&](VkCommandBuffer commands) {
    image.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites,
                     VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, vulkan::kShaderReads);
  });
}

Rig::~Rig() {
  own.vk.vkDestroyBuffer(own.device, scratch, nullptr);
  own.vk.vkFreeMemory(own.device, memory_, nullptr);
  for (const auto& [image, memory] : images_) {
    own.vk.vkDestroyImage(own.device, image, nullptr);
    own.vk.vkFreeMemory(own.device, memory, nullptr);
  }
}

VkDeviceMemory Rig::allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags required, VkDeviceSize bytes) {
  const VkMemoryAllocateInfo info{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, bytes,
      vulkan::memory_types(device.impl().memory, {.needs = needs, .required = required}).at(0)};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  EXPECT_EQ(own.vk.vkAllocateMemory(own.device, &info, nullptr, &memory), VK_SUCCESS);
  return memory;
}

VkImage Rig::take_image(const VkImageCreateInfo& info) {
  if (!gives_scratch) return VK_NULL_HANDLE;
  VkImage image = VK_NULL_HANDLE;
  EXPECT_EQ(own.vk.vkCreateImage(own.device, &info, nullptr, &image), VK_SUCCESS);
  VkMemoryRequirements needs{};
  own.vk.vkGetImageMemoryRequirements(own.device, image, &needs);
  images_.emplace_back(image, allocate(needs, 0, needs.size));
  EXPECT_EQ(own.vk.vkBindImageMemory(own.device, image, images_.back().second, 0), VK_SUCCESS);
  return image;
}

// Binds the buffer at an offset in an allocation, as memory allocators do.
void Rig::create_scratch() {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = kScratchBytes;
  info.usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  ASSERT_EQ(own.vk.vkCreateBuffer(own.device, &info, nullptr, &scratch), VK_SUCCESS);
  VkMemoryRequirements needs{};
  own.vk.vkGetBufferMemoryRequirements(own.device, scratch, &needs);
  const VkDeviceSize place = 3 * needs.alignment;
  memory_ =
      allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, place + needs.size);
  ASSERT_EQ(own.vk.vkBindBufferMemory(own.device, scratch, memory_, place), VK_SUCCESS);
  void* mapped = nullptr;
  ASSERT_EQ(own.vk.vkMapMemory(own.device, memory_, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  scratch_bytes_ = static_cast<std::byte*>(mapped) + place;
  std::memset(scratch_bytes_, static_cast<int>(kGuard), kScratchBytes);
}

vulkan::BufferRange Rig::take_scratch(uint64_t bytes) {
  if (!gives_scratch) return {};
  const uint64_t offset = next_;
  next_ = (offset + bytes + 255) / 256 * 256 + 256;
  EXPECT_LE(next_, kScratchBytes);
  taken_.emplace_back(offset, offset + bytes);
  return {scratch, offset};
}

void Rig::spoil_scratch(uint32_t word) {
  for (const auto& [begin, end] : taken_) {
    for (uint64_t at = begin; at + 4 <= end; at += 4) std::memcpy(scratch_bytes_ + at, &word, 4);
  }
}

bool Rig::guards_touched() {
  uint64_t from = 0;
  for (const auto& [begin, end] : taken_) {
    if (std::any_of(scratch_bytes_ + from, scratch_bytes_ + begin, [](std::byte b) { return b != kGuard; }))
      return true;
    from = end;
  }
  return std::any_of(scratch_bytes_ + from, scratch_bytes_ + kScratchBytes, [](std::byte b) { return b != kGuard; });
}

std::vector<const PlacedImage*> Rig::targets() const {
  std::vector<const PlacedImage*> all;
  for (uint32_t t = 0; t < kTechniques; ++t) {
    const auto some = targets_of(static_cast<Technique>(t));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<const PlacedImage*> Rig::sources() const {
  std::vector<const PlacedImage*> all = hall.sampled();
  all.insert(all.end(), {&source, &mask});
  return all;
}

std::vector<const vulkan::Buffer*> Rig::buffers_of(Technique technique) const {
  switch (technique) {
    case Technique::kMeter:
      return {&results};
    case Technique::kForward:
      return {&spectrum};
    case Technique::kFrame:
      return {&frame_results};
    case Technique::kCorrelator:
      return {&shift, &surface};
    case Technique::kBlocks:
      return {&blocks};
    default:
      return {};
  }
}

std::vector<const PlacedImage*> Rig::targets_of(Technique technique) const {
  switch (technique) {
    case Technique::kPyramid:
      return {&levels};
    case Technique::kTiles:
      return {&tiles};
    case Technique::kToneMap:
      return {&picture};
    case Technique::kInverse:
      return {&restored};
    case Technique::kConvolver:
      return {&blurred};
    case Technique::kFilter:
      return {&filtered};
    case Technique::kFrame:
      return {&frame};
    case Technique::kLocal:
      return {&local};
    case Technique::kDeconvolver:
      return {&sharpened};
    case Technique::kBloom:
      return {&glowing};
    case Technique::kMipBloom:
      return {&mip_glowing};
    case Technique::kReflection:
      return {&hall.reflected, &hall.distance};
    case Technique::kMeter:
    case Technique::kForward:
    case Technique::kCorrelator:
    case Technique::kBlocks:
      return {};
  }
  return {};
}

std::vector<std::byte> Rig::download(Technique technique) {
  std::vector<std::byte> all;
  for (const PlacedImage* image : targets_of(technique)) {
    std::memset(staging_.mapped, 0, staging_.size);
    own.run([&](VkCommandBuffer commands) {
      image->transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                        vulkan::kTransferReads);
      image->record_part(staging_, 0, image->part_levels, false, commands);
      image->transition(commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, vulkan::kTransferReads, VK_IMAGE_LAYOUT_GENERAL,
                        vulkan::kShaderWrites);
      full_barrier(own, commands);
    });
    const auto* bytes = static_cast<const std::byte*>(staging_.mapped);
    all.insert(all.end(), bytes, bytes + image->part_bytes(0, image->part_levels));
  }
  for (const vulkan::Buffer* buffer : buffers_of(technique)) {
    const auto* bytes = static_cast<const std::byte*>(buffer->mapped);
    all.insert(all.end(), bytes, bytes + buffer->size);
  }
  return all;
}

bool Rig::outside_touched() {
  std::vector<std::pair<const PlacedImage*, VkImageLayout>> images;
  for (const PlacedImage* image : sources()) images.emplace_back(image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  for (const PlacedImage* image : targets()) images.emplace_back(image, VK_IMAGE_LAYOUT_GENERAL);
  return std::any_of(images.begin(), images.end(), [&](const auto& entry) {
    const auto& [image, layout] = entry;
    own.run([&, image = image, layout = layout](VkCommandBuffer commands) {
      image->transition(commands, layout, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                        vulkan::kTransferReads);
      vulkan::copy_levels(*image, staging_, 0, 0, image->levels, false, commands);
      image->transition(commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, vulkan::kTransferReads, layout,
                        vulkan::kShaderWrites);
      full_barrier(own, commands);
    });
    return image->outside_touched(static_cast<const std::byte*>(staging_.mapped));
  });
}

void Rig::clear() {
  own.run([&](VkCommandBuffer commands) {
    const VkClearColorValue colour{{0.123F, 0.5F, 0.7F, 0.9F}};
    for (const PlacedImage* image : targets()) {
      const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, image->at.level, image->part_levels, image->at.slice,
                                        image->part_slices};
      own.vkCmdClearColorImage(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, &colour, 1, &all);
    }
    full_barrier(own, commands);
  });
  for (const vulkan::Buffer* buffer : {&spectrum, &results, &frame_results, &shift, &surface, &blocks})
    std::memset(buffer->mapped, 0x33, buffer->size);
}

onepass_vulkan_device_handles c_handles(const OwnDevice& own) {
  onepass_vulkan_device_handles handles;
  onepass_vulkan_device_handles_init(&handles, sizeof handles);
  const vulkan::DeviceHandles h = own.handles();
  handles.get_instance_proc_addr = h.get_instance_proc_addr;
  handles.instance = h.instance;
  handles.physical_device = h.physical_device;
  handles.device = h.device;
  handles.queue_family = h.queue_family;
  handles.shader_storage_image_write_without_format = VK_TRUE;
  return handles;
}

void full_barrier(const OwnDevice& own, VkCommandBuffer commands) {
  VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  all.srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  all.dstAccessMask = all.srcAccessMask;
  own.vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                              VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, nullptr,
                              0, nullptr);
}

void record_all(const Rig& rig, const Driver& driver, VkCommandBuffer commands, First first) {
  if (first == First::kReset) {
    driver.reset(commands);
  } else {
    driver.record_kernels(commands);
  }
  full_barrier(rig.own, commands);
  for (uint32_t t = 0; t < kTechniques; ++t) {
    driver.record(static_cast<Technique>(t), commands);
    full_barrier(rig.own, commands);
  }
}

}  // namespace onepass::testing
