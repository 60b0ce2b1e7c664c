// renderer.hpp: the scene's depth buffer, its tiles of nearest depths, and particles drawn against both.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "onepass/vulkan/tile_reduction.hpp"
#include "options.hpp"
#include "particles_params.h"
#include "vulkan/host_image.hpp"
#include "vulkan_gpu.hpp"

namespace onepass::particles {

/// Depth test of a particle. Both tests give the same picture.
enum class DepthTest { kFullResolution, kTileFirst };

/// Counts of one texel; see draw.comp.
struct TexelCounts {
  uint32_t particles, visible, visible_read, read;
};

/// Buffers and images of one scene, and the commands that fill them. The record functions record no barriers.
class Renderer {
 public:
  /// Draws the scene and makes its tiles. Allocates memory for options.particles particles.
  static Result<std::unique_ptr<Renderer>> create(const bench::Gpu& gpu, const Options& options);
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;
  ~Renderer();

  /// Replaces all particles: `count` of them, the fraction `visible` in front of the scene.
  Result<void> emit(uint32_t count, double visible);

  void record_build(VkCommandBuffer commands) const;
  void record_draw(VkCommandBuffer commands, DepthTest test) const;

  /// Draws on black. Returns the sum of brightness of each texel.
  Result<std::vector<uint32_t>> draw(DepthTest test) const;
  /// Draws with kTileFirst and counts particles and reads at each texel.
  Result<std::vector<TexelCounts>> count() const;

  [[nodiscard]] Result<std::vector<float>> read_depth() const { return read_image(depth_); }
  [[nodiscard]] Result<std::vector<float>> read_tiles() const { return read_image(tiles_); }
  [[nodiscard]] Result<std::vector<uint32_t>> read_colors() const;  ///< Of the scene, RGBA8.

  [[nodiscard]] const bench::Gpu& gpu() const { return gpu_; }
  [[nodiscard]] Extent size() const { return depth_.size; }
  [[nodiscard]] Extent tiles_size() const { return tiles_.size; }
  [[nodiscard]] const ParticlesParams& params() const { return params_; }

 private:
  struct Kernel {
    std::unique_ptr<bench::ComputePipeline> pipeline;
    std::unique_ptr<bench::DescriptorSets> sets;
  };
  Renderer(const bench::Gpu& gpu, const Options& options);
  Result<void> create_images(const Options& options);
  Result<void> create_buffers(const Options& options);
  Result<void> create_tiles(const Options& options);
  Result<void> create_kernels(const Options& options);
  Result<Kernel> create_kernel(std::span<const uint32_t> code, const std::vector<VkDescriptorType>& bindings,
                               const std::vector<uint32_t>& constants) const;
  Result<void> create_draw_kernel(Kernel& kernel, const std::vector<uint32_t>& constants) const;
  Result<VkImageView> create_view(const vulkan::DeviceImage& image) const;
  Result<void> draw_scene() const;
  void dispatch_particles(VkCommandBuffer commands, const Kernel& kernel) const;
  [[nodiscard]] std::span<const uint32_t> push() const;
  /// Clears a buffer, draws with a kernel and copies the buffer to the host.
  Result<void> draw_and_read(const Kernel& kernel, const vulkan::Buffer& buffer, std::span<std::byte> out) const;
  Result<void> read_buffer(const vulkan::Buffer& buffer, std::span<std::byte> out) const;
  Result<std::vector<float>> read_image(const vulkan::DeviceImage& image) const;
  [[nodiscard]] uint64_t texels() const { return uint64_t{params_.width} * params_.height; }

  const bench::Gpu& gpu_;
  ParticlesParams params_{};
  vulkan::DeviceImage depth_;  // in SHADER_READ_ONLY_OPTIMAL once drawn
  vulkan::DeviceImage tiles_;  // in GENERAL
  VkImageView depth_view_ = VK_NULL_HANDLE;
  VkImageView tiles_view_ = VK_NULL_HANDLE;
  vulkan::Buffer colors_, particles_, image_, counts_;
  std::unique_ptr<vulkan::TileReduction> reduction_;
  std::unique_ptr<vulkan::TileReductionBinding> reduction_binding_;
  Kernel scene_, emit_, draw_full_, draw_tiles_, draw_counting_;
  PFN_vkCmdCopyBuffer copy_buffer_ = nullptr;
};

}  // namespace onepass::particles
