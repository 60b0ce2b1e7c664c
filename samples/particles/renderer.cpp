// renderer.cpp: see renderer.hpp.
#include "renderer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/sample_particles_draw.h"
#include "kernels/sample_particles_emit.h"
#include "kernels/sample_particles_scene.h"

namespace onepass::particles {
namespace {

using vulkan::Buffer;
using vulkan::DeviceImage;

constexpr VkDescriptorType kSampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
constexpr VkDescriptorType kStored = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
constexpr VkDescriptorType kBuffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr VkImageLayout kDepthLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
constexpr uint32_t kGroup = 256;  // invocations per workgroup of draw.comp and emit.comp
constexpr uint32_t kParticleBytes = 16;

// The camera looks down on the grid so steeply that every ray meets the ground before the far plane.
ParticlesParams camera(Extent size) {
  constexpr float kPitch = 0.50F;  // radians below the horizon
  constexpr float kTangent = 0.36F;
  ParticlesParams params{};
  params.eye = {0.37F, 15.0F, -9.0F, 0.5F};
  params.forward = {0, -std::sin(kPitch), std::cos(kPitch), 600.0F};
  params.right = {1, 0, 0, kTangent * static_cast<float>(size.width) / static_cast<float>(size.height)};
  params.down = {0, -std::cos(kPitch), -std::sin(kPitch), kTangent};
  params.width = size.width;
  params.height = size.height;
  return params;
}

// These layout transitions are never timed, so that the widest dependency is good enough.
void change_layout(const DeviceImage& image, VkCommandBuffer commands, VkImageLayout from, VkImageLayout to) {
  image.transition(commands, from, vulkan::kAllAccesses, to, vulkan::kAllAccesses);
}

uint32_t groups(uint64_t items, uint32_t a_group) { return static_cast<uint32_t>((items + a_group - 1) / a_group); }

}  // namespace

Renderer::Renderer(const bench::Gpu& gpu, const Options& options) : gpu_(gpu), params_(camera(options.size)) {
  params_.band = static_cast<float>(options.band);
}

Renderer::~Renderer() {
  gpu_.vk().vkDestroyImageView(gpu_.handle(), depth_view_, nullptr);
  gpu_.vk().vkDestroyImageView(gpu_.handle(), tiles_view_, nullptr);
}

Result<std::unique_ptr<Renderer>> Renderer::create(const bench::Gpu& gpu, const Options& options) {
  std::unique_ptr<Renderer> out(new Renderer(gpu, options));
  out->copy_buffer_ = reinterpret_cast<PFN_vkCmdCopyBuffer>(
      gpu.impl().instance_functions.vkGetDeviceProcAddr(gpu.handle(), "vkCmdCopyBuffer"));
  if (auto created = out->create_tiles(options); !created) return created.error();
  if (auto created = out->create_images(options); !created) return created.error();
  if (auto created = out->create_buffers(options); !created) return created.error();
  if (auto created = out->create_kernels(options); !created) return created.error();
  if (auto drawn = out->draw_scene(); !drawn) return drawn.error();
  return out;
}

// The nearest depth of a tile is the smallest, with reversed depth the largest.
Result<void> Renderer::create_tiles(const Options& options) {
  auto reduction =
      vulkan::TileReduction::create(gpu_.device(), {.size = options.size,
                                                    .source = Format::kR32Sfloat,
                                                    .target = Format::kR32Sfloat,
                                                    .reduction = options.reversed_z ? Reduction::kMax : Reduction::kMin,
                                                    .factor = options.factor});
  if (!reduction) return reduction.error();
  reduction_ = std::make_unique<vulkan::TileReduction>(std::move(*reduction));
  return {};
}

Result<void> Renderer::create_images(const Options& options) {
  constexpr VkImageUsageFlags kUsage =
      VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  auto depth = DeviceImage::create(gpu_.impl(), {.format = Format::kR32Sfloat, .size = options.size, .usage = kUsage});
  if (!depth) return depth.error();
  depth_ = std::move(*depth);
  auto tiles = DeviceImage::create(
      gpu_.impl(), {.format = Format::kR32Sfloat, .size = reduction_->plan().plan.size, .usage = kUsage});
  if (!tiles) return tiles.error();
  tiles_ = std::move(*tiles);
  auto depth_view = create_view(depth_);
  if (!depth_view) return depth_view.error();
  depth_view_ = *depth_view;
  auto tiles_view = create_view(tiles_);
  if (!tiles_view) return tiles_view.error();
  tiles_view_ = *tiles_view;

  auto binding = reduction_->bind({.source = depth_.image, .source_layout = kDepthLayout, .target = tiles_.image});
  if (!binding) return binding.error();
  reduction_binding_ = std::make_unique<vulkan::TileReductionBinding>(std::move(*binding));
  return {};
}

Result<VkImageView> Renderer::create_view(const DeviceImage& image) const {
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image.image;
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = static_cast<VkFormat>(image.format);
  info.subresourceRange = {image.aspect(), 0, 1, 0, 1};
  VkImageView view = VK_NULL_HANDLE;
  const VkResult result = gpu_.vk().vkCreateImageView(gpu_.handle(), &info, nullptr, &view);
  if (result != VK_SUCCESS) return vulkan::vulkan_error(result, "vkCreateImageView");
  return view;
}

Result<void> Renderer::create_buffers(const Options& options) {
  struct Request {
    Buffer& buffer;
    uint64_t bytes;
    const char* what;
  };
  const Request requests[] = {
      {particles_, uint64_t{options.particles} * kParticleBytes, "--particles"},
      {colors_, texels() * sizeof(uint32_t), "--size"},
      {image_, texels() * sizeof(uint32_t), "--size"},
      {counts_, texels() * sizeof(TexelCounts), "--size"},
  };
  const uint64_t most = gpu_.impl().limits.maxStorageBufferRange;
  for (const auto& [buffer, bytes, what] : requests) {
    if (bytes > most) {
      return Error{
          ErrorCode::kUnsupported,
          "needs a buffer of " + std::to_string(bytes) + " bytes; this device has at most " + std::to_string(most),
          what};
    }
    constexpr VkBufferUsageFlags kUsage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    auto created = Buffer::create(gpu_.impl(), bytes, kUsage, false);
    if (!created) return created.error();
    buffer = std::move(*created);
  }
  return {};
}

Result<Renderer::Kernel> Renderer::create_kernel(std::span<const uint32_t> code,
                                                 const std::vector<VkDescriptorType>& bindings,
                                                 const std::vector<uint32_t>& constants) const {
  Kernel kernel;
  bench::PipelineRequest request;
  request.code = code;
  request.bindings = bindings;
  request.constants = constants;
  request.push_bytes = sizeof(ParticlesParams);
  auto pipeline = bench::ComputePipeline::create(gpu_, request);
  if (!pipeline) return pipeline.error();
  kernel.pipeline = std::move(*pipeline);
  auto sets = bench::DescriptorSets::create(gpu_, *kernel.pipeline, bindings, 1);
  if (!sets) return sets.error();
  kernel.sets = std::move(*sets);
  return kernel;
}

Result<void> Renderer::create_kernels(const Options& options) {
  const uint32_t reversed_z = options.reversed_z ? 1 : 0;
  auto scene = create_kernel(kernel_sample_particles_scene, {kStored, kBuffer}, {reversed_z});
  if (!scene) return scene.error();
  scene_ = std::move(*scene);
  scene_.sets->write_image(0, 0, kStored, {VK_NULL_HANDLE, depth_view_, VK_IMAGE_LAYOUT_GENERAL});
  scene_.sets->write_buffer(0, 1, colors_.buffer);

  auto emit = create_kernel(kernel_sample_particles_emit, {kSampled, kBuffer}, {reversed_z});
  if (!emit) return emit.error();
  emit_ = std::move(*emit);
  emit_.sets->write_image(0, 0, kSampled, {emit_.pipeline->sampler(), depth_view_, kDepthLayout});
  emit_.sets->write_buffer(0, 1, particles_.buffer);

  // Specialization constants of draw.comp: REVERSED_Z, TILE_FIRST, FACTOR, COUNT.
  if (auto made = create_draw_kernel(draw_full_, {reversed_z, 0, options.factor, 0}); !made) return made.error();
  if (auto made = create_draw_kernel(draw_tiles_, {reversed_z, 1, options.factor, 0}); !made) return made.error();
  return create_draw_kernel(draw_counting_, {reversed_z, 1, options.factor, 1});
}

Result<void> Renderer::create_draw_kernel(Kernel& kernel, const std::vector<uint32_t>& constants) const {
  auto made = create_kernel(kernel_sample_particles_draw, {kSampled, kSampled, kBuffer, kBuffer, kBuffer}, constants);
  if (!made) return made.error();
  kernel = std::move(*made);
  const VkSampler sampler = kernel.pipeline->sampler();
  kernel.sets->write_image(0, 0, kSampled, {sampler, depth_view_, kDepthLayout});
  kernel.sets->write_image(0, 1, kSampled, {sampler, tiles_view_, VK_IMAGE_LAYOUT_GENERAL});
  kernel.sets->write_buffer(0, 2, particles_.buffer);
  kernel.sets->write_buffer(0, 3, image_.buffer);
  kernel.sets->write_buffer(0, 4, counts_.buffer);
  return {};
}

std::span<const uint32_t> Renderer::push() const {
  return {reinterpret_cast<const uint32_t*>(&params_), sizeof(params_) / sizeof(uint32_t)};
}

Result<void> Renderer::draw_scene() const {
  return gpu_.device().run([&](VkCommandBuffer commands) {
    change_layout(depth_, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    change_layout(tiles_, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    scene_.pipeline->dispatch(commands, (*scene_.sets)[0], push(), groups(params_.width, 8), groups(params_.height, 8));
    change_layout(depth_, commands, VK_IMAGE_LAYOUT_GENERAL, kDepthLayout);
    record_build(commands);
    bench::full_barrier(gpu_, commands);
  });
}

Result<void> Renderer::emit(uint32_t count, double visible) {
  if (uint64_t{count} * kParticleBytes > particles_.size) {
    return Error{ErrorCode::kInvalidArgument, "more particles than there is room for", std::to_string(count)};
  }
  params_.count = count;
  params_.visible = static_cast<float>(visible);
  return gpu_.device().run([&](VkCommandBuffer commands) {
    bench::full_barrier(gpu_, commands);
    dispatch_particles(commands, emit_);
    bench::full_barrier(gpu_, commands);
  });
}

void Renderer::dispatch_particles(VkCommandBuffer commands, const Kernel& kernel) const {
  constexpr uint32_t kMostInARow = 65535;
  const uint32_t all = groups(params_.count, kGroup);
  const uint32_t columns = std::min(all, kMostInARow);
  kernel.pipeline->dispatch(commands, (*kernel.sets)[0], push(), columns, groups(all, columns));
}

void Renderer::record_build(VkCommandBuffer commands) const { reduction_->record(commands, *reduction_binding_); }

void Renderer::record_draw(VkCommandBuffer commands, DepthTest test) const {
  dispatch_particles(commands, test == DepthTest::kTileFirst ? draw_tiles_ : draw_full_);
}

Result<void> Renderer::draw_and_read(const Kernel& kernel, const Buffer& buffer, std::span<std::byte> out) const {
  auto drawn = gpu_.device().run([&](VkCommandBuffer commands) {
    bench::full_barrier(gpu_, commands);
    gpu_.vk().vkCmdFillBuffer(commands, buffer.buffer, 0, VK_WHOLE_SIZE, 0);
    bench::full_barrier(gpu_, commands);
    dispatch_particles(commands, kernel);
    bench::full_barrier(gpu_, commands);
  });
  if (!drawn) return drawn;
  return read_buffer(buffer, out);
}

Result<std::vector<uint32_t>> Renderer::draw(DepthTest test) const {
  std::vector<uint32_t> sums(texels());
  const Kernel& kernel = test == DepthTest::kTileFirst ? draw_tiles_ : draw_full_;
  if (auto drawn = draw_and_read(kernel, image_, std::as_writable_bytes(std::span(sums))); !drawn) return drawn.error();
  return sums;
}

Result<std::vector<TexelCounts>> Renderer::count() const {
  std::vector<TexelCounts> counts(texels());
  auto drawn = draw_and_read(draw_counting_, counts_, std::as_writable_bytes(std::span(counts)));
  if (!drawn) return drawn.error();
  return counts;
}

Result<std::vector<uint32_t>> Renderer::read_colors() const {
  std::vector<uint32_t> colors(texels());
  if (auto read = read_buffer(colors_, std::as_writable_bytes(std::span(colors))); !read) return read.error();
  return colors;
}

Result<void> Renderer::read_buffer(const Buffer& buffer, std::span<std::byte> out) const {
  auto staging = Buffer::create(gpu_.impl(), out.size(), VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!staging) return staging.error();
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    const VkBufferCopy region{0, 0, out.size()};
    bench::full_barrier(gpu_, commands);
    copy_buffer_(commands, buffer.buffer, staging->buffer, 1, &region);
    bench::full_barrier(gpu_, commands);
  });
  if (ran) std::memcpy(out.data(), staging->mapped, out.size());
  return ran;
}

Result<std::vector<float>> Renderer::read_image(const DeviceImage& image) const {
  const uint64_t bytes = vulkan::packed_bytes(image, 0, 1);
  auto staging = Buffer::create(gpu_.impl(), bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!staging) return staging.error();
  const VkImageLayout layout = &image == &depth_ ? kDepthLayout : VK_IMAGE_LAYOUT_GENERAL;
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    change_layout(image, commands, layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vulkan::copy_levels(image, *staging, 0, 0, 1, false, commands);
    change_layout(image, commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, layout);
    bench::full_barrier(gpu_, commands);
  });
  if (!ran) return ran.error();
  std::vector<float> values(uint64_t{image.size.width} * image.size.height);
  std::memcpy(values.data(), staging->mapped, values.size() * sizeof(float));
  return values;
}

}  // namespace onepass::particles
