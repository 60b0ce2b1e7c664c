// targets.hpp: the images of a frame, a layer per eye, and the render passes that draw to them.
#pragma once

#include <array>

#include "common/gpu.hpp"
#include "frame_params.h"
#include "options.hpp"

namespace samples::frame {

inline constexpr VkFormat kLight = VK_FORMAT_R16G16B16A16_SFLOAT;  // of normals, too
inline constexpr VkFormat kReflectance = VK_FORMAT_R8G8B8A8_UNORM;
inline constexpr VkFormat kMotion = VK_FORMAT_R16G16_SFLOAT;
inline constexpr VkImageLayout kRead = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
inline constexpr VkImageLayout kDepthRead = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
inline constexpr uint32_t kShadowSize = 2048;
inline constexpr uint32_t kShadowSizeGpu = 4096;

inline constexpr Gpu::Access kComputeWrite{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT};
inline constexpr Gpu::Access kComputeRead{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT};
inline constexpr Gpu::Access kComputeBoth{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};

enum class Pass : uint32_t {
  kDepthClear,     ///< Clears the depth and draws to it.
  kDepthContinue,  ///< Draws to the depth.
  kColour,         ///< Clears the images of surfaces, and draws where depths are equal.
  kShadow,         ///< Clears the shadow map and draws to it.
};
inline constexpr uint32_t kPasses = 4;
inline constexpr uint32_t kDrawnImages = 4;  // of Pass::kColour

/// The images of a frame. Those that compute shaders write are in VK_IMAGE_LAYOUT_GENERAL at all times, and the others
/// in kRead or kDepthRead outside of render passes.
class Targets {
 public:
  Targets(Gpu& gpu, const Options& options);

  /// Begins a pass on one eye's layer, with viewport and scissor. Its dependencies order it after earlier passes and
  /// compute shaders, and before later ones.
  void begin(VkCommandBuffer commands, Pass pass, uint32_t eye) const;
  [[nodiscard]] VkRenderPass pass(Pass pass) const { return passes_[static_cast<size_t>(pass)]; }

  onepass::Extent size;
  uint32_t eyes = 1;
  Image depth;
  Image shadow;
  Image lit;          ///< Light of the surfaces, with what they mirror of the surroundings.
  Image normals;      ///< Normals in the world; in alpha the roughness, 1 without reflections.
  Image reflectance;  ///< At normal incidence.
  Image motion;       ///< Place of each surface in the last frame, less its place, in coordinates of 0 to 1.
  Image reflections;  ///< What the screen shows of what surfaces mirror, with confidence. The library writes it.
  Image reflected;    ///< Light of the surfaces with reflections of the screen. Compute shaders write it.
  Image scene;        ///< With fog and particles. Compute shaders write it.

 private:
  VkRenderPass make_pass(Gpu& gpu, Pass pass);
  VkFramebuffer make_framebuffer(Gpu& gpu, VkRenderPass pass, const std::vector<VkImageView>& views,
                                 onepass::Extent size);

  const Gpu& gpu_;
  std::array<VkRenderPass, kPasses> passes_{};
  std::array<VkFramebuffer, MOST_EYES> depth_framebuffers_{};
  std::array<VkFramebuffer, MOST_EYES> colour_framebuffers_{};
  VkFramebuffer shadow_framebuffer_ = VK_NULL_HANDLE;
};

}  // namespace samples::frame
