// renderer.hpp: the scene's depth buffer, its tiles of nearest depths, and particles drawn against both.
#pragma once

#include <vector>

#include "common/gpu.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "options.hpp"
#include "particles_params.h"

namespace samples::particles {

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
  Renderer(Gpu& gpu, const Options& options);

  /// Replaces all particles: `count` of them, the fraction `visible` in front of the scene.
  void emit(uint32_t count, double visible);

  void record_build(VkCommandBuffer commands) const;
  void record_draw(VkCommandBuffer commands, DepthTest test) const;

  /// Draws on black. Returns the sum of brightness of each texel.
  [[nodiscard]] std::vector<uint32_t> draw(DepthTest test) const;
  /// Draws with kTileFirst and counts particles and reads at each texel.
  [[nodiscard]] std::vector<TexelCounts> count() const;

  [[nodiscard]] std::vector<float> read_depth() const { return read_image(depth_, kDepthLayout); }
  [[nodiscard]] std::vector<float> read_tiles() const { return read_image(tiles_, VK_IMAGE_LAYOUT_GENERAL); }
  [[nodiscard]] std::vector<uint32_t> read_colors() const;  ///< Of the scene, RGBA8.

  [[nodiscard]] const Gpu& gpu() const { return gpu_; }
  [[nodiscard]] onepass::Extent size() const { return depth_.size; }
  [[nodiscard]] onepass::Extent tiles_size() const { return tiles_.size; }
  [[nodiscard]] const ParticlesParams& params() const { return params_; }

 private:
  static constexpr VkImageLayout kDepthLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  struct Kernel {
    Pipeline pipeline;
    VkDescriptorSet set = VK_NULL_HANDLE;
  };
  Buffer create_buffer(const char* option, uint64_t bytes);
  Kernel create_kernel(std::span<const uint32_t> code, std::vector<VkDescriptorType> bindings,
                       std::initializer_list<Resource> resources, const std::vector<uint32_t>& constants);
  void create_kernels(const Options& options);
  void draw_scene() const;
  void dispatch(VkCommandBuffer commands, const Kernel& kernel, uint32_t groups_x, uint32_t groups_y) const;
  void dispatch_particles(VkCommandBuffer commands, const Kernel& kernel) const;
  /// Clears a buffer and draws into it with a kernel.
  void draw_into(const Buffer& buffer, const Kernel& kernel) const;
  template <typename Item>
  [[nodiscard]] std::vector<Item> read_buffer(const Buffer& buffer) const;
  [[nodiscard]] std::vector<float> read_image(const Image& image, VkImageLayout layout) const;
  [[nodiscard]] uint64_t texels() const { return uint64_t{params_.width} * params_.height; }

  Gpu& gpu_;
  ParticlesParams params_{};
  onepass::vulkan::TileReduction reduction_;
  Image depth_;  // in kDepthLayout once drawn
  Image tiles_;  // in GENERAL
  onepass::vulkan::TileReductionBinding reduction_binding_;
  Buffer colors_, particles_, image_, counts_;
  Buffer staging_;  // for one TexelCounts per texel, the largest result
  Kernel scene_, emit_, draw_full_, draw_tiles_, draw_counting_;
};

}  // namespace samples::particles
