// geometry.hpp: the scene on the GPU: objects, lists of objects to draw, the texture of the leaves, graphics pipelines.
#pragma once

#include "common/gpu.hpp"
#include "scene.hpp"
#include "targets.hpp"

namespace samples::frame {

/// The scene's buffers and the frame's parameters.
struct SceneBuffers {
  SceneBuffers(Gpu& gpu, const Scene& scene);

  /// Empties the lists EARLY, LATE and IN_VIEW, and waits for it.
  void record_clear(const Gpu& gpu, VkCommandBuffer commands) const;
  /// Writes the frame's parameters, and waits for it.
  void record_params(const Gpu& gpu, VkCommandBuffer commands, const FrameParams& frame) const;
  /// Index of the first entry of a list.
  [[nodiscard]] uint32_t first(uint32_t list, uint32_t kind) const { return (list * KIND_COUNT + kind) * count; }

  uint32_t count = 0;  ///< Objects.
  uint32_t box_count = 0;
  uint32_t ball_count = 0;
  Buffer params;
  Buffer objects;
  Buffer entries;  ///< Of all lists; see first().
  Buffer draws;    ///< A VkDrawIndirectCommand per list and kind.
};

/// Draws lists of objects.
class Geometry {
 public:
  Geometry(Gpu& gpu, const SceneBuffers& buffers, const Targets& targets);

  /// Draws the shadow map from all objects but balls, which move.
  void record_shadow(VkCommandBuffer commands) const;
  /// Draws a list to the depth of every eye. `pass`: kDepthClear or kDepthContinue.
  void record_depth(VkCommandBuffer commands, Pass pass, uint32_t list) const;
  /// Draws lists and the sky where depths are equal.
  void record_colour(VkCommandBuffer commands, std::initializer_list<uint32_t> lists) const;

 private:
  enum Drawn : uint32_t {
    kBoxDepth,
    kClusterDepth,
    kBallDepth,
    kBoxColour,
    kClusterColour,
    kBallColour,
    kSky,
    kBoxShadow,
    kClusterShadow,
    kDrawnCount
  };

  void make_leaves(Gpu& gpu);
  void make_pipeline(Gpu& gpu, Drawn drawn, Pass pass, std::span<const uint32_t> vertex,
                     std::span<const uint32_t> fragment);
  void bind(VkCommandBuffer commands, Drawn drawn, const DrawParams& params) const;
  void draw_list(VkCommandBuffer commands, Drawn drawn, uint32_t eye, uint32_t list, uint32_t kind) const;

  const Gpu& gpu_;
  const SceneBuffers& buffers_;
  const Targets& targets_;
  Image leaves_;
  Pipeline layout_;
  std::array<VkPipeline, kDrawnCount> pipelines_{};
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

}  // namespace samples::frame
