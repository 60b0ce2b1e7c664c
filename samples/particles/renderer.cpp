// renderer.cpp: three variants of draw.comp by specialization constants: every particle reads the depth buffer, tiles
// first, and tiles first with counts. More than 65535 workgroups continue along y.
#include "renderer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/draw_comp.h"
#include "kernels/emit_comp.h"
#include "kernels/scene_comp.h"

namespace samples::particles {
namespace {

namespace ov = onepass::vulkan;

constexpr VkDescriptorType kSampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
constexpr VkDescriptorType kStored = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
constexpr VkDescriptorType kBuffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr uint32_t kGroup = 256;  // invocations per workgroup of draw.comp and emit.comp
constexpr uint32_t kParticleBytes = 16;

// The camera looks down on the grid so steeply that every ray meets the ground before the far plane.
ParticlesParams camera(const Options& options) {
  constexpr float kPitch = 0.50F;  // radians below the horizon
  constexpr float kTangent = 0.36F;
  const onepass::Extent size = options.size;
  ParticlesParams params{};
  params.eye = {0.37F, 15.0F, -9.0F, 0.5F};
  params.forward = {0, -std::sin(kPitch), std::cos(kPitch), 600.0F};
  params.right = {1, 0, 0, kTangent * static_cast<float>(size.width) / static_cast<float>(size.height)};
  params.down = {0, -std::cos(kPitch), -std::sin(kPitch), kTangent};
  params.width = size.width;
  params.height = size.height;
  params.band = static_cast<float>(options.band);
  return params;
}

// The nearest depth of a tile is the smallest, with reversed depth the largest.
ov::TileReduction make_reduction(const Gpu& gpu, const Options& options) {
  return value_of(ov::TileReduction::create(
      gpu.device(), {.size = options.size,
                     .source = onepass::Format::kR32Sfloat,
                     .target = onepass::Format::kR32Sfloat,
                     .reduction = options.reversed_z ? onepass::Reduction::kMax : onepass::Reduction::kMin,
                     .factor = options.factor}));
}

Image make_image(Gpu& gpu, onepass::Extent size) {
  return gpu.image(VK_FORMAT_R32_SFLOAT, size, 1,
                   VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
}

// These layout transitions are never timed, so that the widest dependency is good enough.
void change_layout(const Gpu& gpu, VkCommandBuffer commands, const Image& image, VkImageLayout from, VkImageLayout to) {
  constexpr Gpu::Access kAll{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
  gpu.transition(commands, image, from, kAll, to, kAll);
}

uint32_t groups(uint64_t items, uint32_t per_group) {
  return static_cast<uint32_t>((items + per_group - 1) / per_group);
}

}  // namespace

Renderer::Renderer(Gpu& gpu, const Options& options)
    : gpu_(gpu),
      params_(camera(options)),
      reduction_(make_reduction(gpu, options)),
      depth_(make_image(gpu, options.size)),
      tiles_(make_image(gpu, reduction_.plan().size)),
      reduction_binding_(value_of(
          reduction_.bind({.source = depth_.handle, .source_layout = kDepthLayout, .target = tiles_.handle}))) {
  particles_ = create_buffer("--particles", uint64_t{options.particles} * kParticleBytes);
  colors_ = create_buffer("--size", texels() * sizeof(uint32_t));
  image_ = create_buffer("--size", texels() * sizeof(uint32_t));
  counts_ = create_buffer("--size", texels() * sizeof(TexelCounts));
  staging_ = gpu_.buffer(counts_.size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kHost);
  create_kernels(options);
  draw_scene();
}

// A storage buffer; `option` sets its size.
Buffer Renderer::create_buffer(const char* option, uint64_t bytes) {
  const uint64_t most = gpu_.limits().maxStorageBufferRange;
  if (bytes > most) {
    throw Failure(std::string(option) + ": needs a buffer of " + std::to_string(bytes) +
                  " bytes; this device allows at most " + std::to_string(most));
  }
  return gpu_.buffer(
      bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
      Memory::kDevice);
}

Renderer::Kernel Renderer::create_kernel(std::span<const uint32_t> code, std::vector<VkDescriptorType> bindings,
                                         std::initializer_list<Resource> resources,
                                         const std::vector<uint32_t>& constants) {
  Kernel kernel{.pipeline = gpu_.compute(code, std::move(bindings), sizeof(ParticlesParams), constants)};
  kernel.set = gpu_.descriptors(kernel.pipeline, resources);
  return kernel;
}

void Renderer::create_kernels(const Options& options) {
  const uint32_t reversed_z = options.reversed_z ? 1 : 0;
  const ImageResource depth{depth_.view, kDepthLayout};
  const ImageResource tiles{tiles_.view, VK_IMAGE_LAYOUT_GENERAL};
  scene_ = create_kernel(kernel_scene_comp, {kStored, kBuffer},
                         {ImageResource{depth_.view, VK_IMAGE_LAYOUT_GENERAL}, colors_.handle}, {reversed_z});
  emit_ = create_kernel(kernel_emit_comp, {kSampled, kBuffer}, {depth, particles_.handle}, {reversed_z});
  // Specialization constants of draw.comp: REVERSED_Z, TILE_FIRST, FACTOR, COUNT.
  const auto draw = [&](uint32_t tile_first, uint32_t count) {
    return create_kernel(kernel_draw_comp, {kSampled, kSampled, kBuffer, kBuffer, kBuffer},
                         {depth, tiles, particles_.handle, image_.handle, counts_.handle},
                         {reversed_z, tile_first, options.factor, count});
  };
  draw_full_ = draw(0, 0);
  draw_tiles_ = draw(1, 0);
  draw_counting_ = draw(1, 1);
}

void Renderer::draw_scene() const {
  gpu_.run([&](VkCommandBuffer commands) {
    change_layout(gpu_, commands, depth_, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    change_layout(gpu_, commands, tiles_, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    dispatch(commands, scene_, groups(params_.width, 8), groups(params_.height, 8));
    change_layout(gpu_, commands, depth_, VK_IMAGE_LAYOUT_GENERAL, kDepthLayout);
    record_build(commands);
  });
}

void Renderer::emit(uint32_t count, double visible) {
  if (uint64_t{count} * kParticleBytes > particles_.size) throw Failure("more particles than the buffer holds");
  params_.count = count;
  params_.visible = static_cast<float>(visible);
  gpu_.run([&](VkCommandBuffer commands) { dispatch_particles(commands, emit_); });
}

void Renderer::dispatch(VkCommandBuffer commands, const Kernel& kernel, uint32_t groups_x, uint32_t groups_y) const {
  gpu_.dispatch(commands, kernel.pipeline, kernel.set, std::as_bytes(std::span(&params_, 1)), groups_x, groups_y);
}

void Renderer::dispatch_particles(VkCommandBuffer commands, const Kernel& kernel) const {
  constexpr uint32_t kMostInARow = 65535;
  const uint32_t all = groups(params_.count, kGroup);
  const uint32_t columns = std::min(all, kMostInARow);
  dispatch(commands, kernel, columns, groups(all, columns));
}

void Renderer::record_build(VkCommandBuffer commands) const { reduction_.record(commands, reduction_binding_); }

void Renderer::record_draw(VkCommandBuffer commands, DepthTest test) const {
  dispatch_particles(commands, test == DepthTest::kTileFirst ? draw_tiles_ : draw_full_);
}

void Renderer::draw_into(const Buffer& buffer, const Kernel& kernel) const {
  gpu_.run([&](VkCommandBuffer commands) {
    gpu_.vk.vkCmdFillBuffer(commands, buffer.handle, 0, VK_WHOLE_SIZE, 0);
    gpu_.full_barrier(commands);
    dispatch_particles(commands, kernel);
  });
}

template <typename Item>
std::vector<Item> Renderer::read_buffer(const Buffer& buffer) const {
  gpu_.run([&](VkCommandBuffer commands) {
    const VkBufferCopy region{0, 0, buffer.size};
    gpu_.vk.vkCmdCopyBuffer(commands, buffer.handle, staging_.handle, 1, &region);
  });
  std::vector<Item> items(buffer.size / sizeof(Item));
  std::memcpy(items.data(), staging_.mapped, buffer.size);
  return items;
}

std::vector<uint32_t> Renderer::draw(DepthTest test) const {
  draw_into(image_, test == DepthTest::kTileFirst ? draw_tiles_ : draw_full_);
  return read_buffer<uint32_t>(image_);
}

std::vector<TexelCounts> Renderer::count() const {
  draw_into(counts_, draw_counting_);
  return read_buffer<TexelCounts>(counts_);
}

std::vector<uint32_t> Renderer::read_colors() const { return read_buffer<uint32_t>(colors_); }

std::vector<float> Renderer::read_image(const Image& image, VkImageLayout layout) const {
  gpu_.run([&](VkCommandBuffer commands) {
    change_layout(gpu_, commands, image, layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {image.aspect, 0, 0, 1};
    copy.imageExtent = {image.size.width, image.size.height, 1};
    gpu_.vk.vkCmdCopyImageToBuffer(commands, image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, staging_.handle, 1,
                                   &copy);
    change_layout(gpu_, commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, layout);
  });
  std::vector<float> values(uint64_t{image.size.width} * image.size.height);
  std::memcpy(values.data(), staging_.mapped, values.size() * sizeof(float));
  return values;
}

}  // namespace samples::particles
