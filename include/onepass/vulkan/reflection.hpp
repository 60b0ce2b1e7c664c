// vulkan/reflection.hpp: screen-space reflections on a GPU, in the caller's command buffer. Nothing is read back: rays
// and filters are dispatched indirectly, over lists of the texels and tiles that need them.
//
//     classify   8x8 tiles: no ray, mirrors, rough surfaces ──> list of texels with rays, list of rough tiles
//     prepare    the lists' lengths ──> workgroups of the next dispatches
//     march      a ray per invocation through the depth pyramid ──> radiance, confidence, distance
//     temporal   rough tiles: mean over frames, variance
//     filter     rough tiles: mean over texels, once per pass
//     resolve    all texels: targets, history; at half resolution also what is between the texels with rays
//
//     auto reflections = onepass::vulkan::Reflection::create(*device, options);
//     auto binding = reflections->bind({.color = lit, .depth = depth, .pyramid = hiz, .normals = normals,
//                                       .roughness = normals, .target = reflected});
//     reflections->record(commands, *binding, {.views = views, .index = n, .reset = n == 0});  // frame n
//
// Barriers that the caller records:
//   before record(): the sampled images are readable at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, each in the layout of the
//                    binding; earlier accesses to the targets are done, and these are in GENERAL;
//   after record():  SHADER_WRITE at VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT -> the next reader of the targets.
// The library records the barriers of scratch memory, those between two recordings included. Scratch memory has the
// history: frames that share it run one after the other.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "onepass/export.h"
#include "onepass/reflection.hpp"
#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// Tuning; results do not depend on it.
struct ReflectionTuning {
  uint32_t march_group = 0;  ///< Invocations per workgroup of the march: 32, 64 or 128; 0: 64. Rays of a workgroup wait
                             ///< for the longest.
};

/// An image of a binding: slices first_slice to first_slice + options.slices - 1 of one level.
struct ReflectionImage {
  VkImage image = VK_NULL_HANDLE;
  uint32_t level = 0;
  uint32_t first_slice = 0;
  VkImageLayout layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< Of sampled images. Targets: GENERAL.
};

/// The images and memory of one binding. Sampled images have usage SAMPLED, targets STORAGE. One image may be several
/// of the sampled ones.
struct ReflectionImages {
  ReflectionImage color{};
  ReflectionImage depth{};
  ReflectionImage pyramid{};  ///< `level`: the one that holds level 1 of the pyramid. Null at 1x1.
  ReflectionImage normals{};
  ReflectionImage roughness{};
  ReflectionImage motion{};        ///< Null without options.motion.
  ReflectionImage environment{};   ///< One slice, of any size. Null without options.environment.
  ReflectionImage target{};        ///< RGBA16_SFLOAT: radiance in rgb, confidence in alpha.
  ReflectionImage hit_distance{};  ///< Distance of the hits from the surface along the ray, in units of the world, mean
                                   ///< of the rays that hit; 0 if none did. Null without options.hit_distance.
  VkBuffer scratch = VK_NULL_HANDLE;  ///< Usage STORAGE_BUFFER, INDIRECT_BUFFER and TRANSFER_DST, plan().scratch_bytes
                                      ///< long, of any content; null: bind() allocates it.
  VkDeviceSize scratch_offset = 0;    ///< In bytes; a multiple of 256.
};

/// A camera. Matrices are column-major, as GLSL's, and multiply column vectors: clip = matrix * (x, y, z, 1). Clip
/// space is Vulkan's: y down, depth 0 to 1; with a viewport of negative height negate the second row. Any projection:
/// perspective, also without far plane, off-centre, or orthographic.
struct ReflectionView {
  std::array<float, 16> clip_from_world{};
  std::array<float, 16> last_clip_from_world{};  ///< Of the last frame, in the world of this frame.
};

/// What changes from frame to frame.
struct ReflectionFrame {
  std::span<const ReflectionView> views{};  ///< One per slice.
  uint32_t index = 0;                       ///< Number of the frame: another one, other random rays.
  bool reset = false;  ///< The last frame is no history: in the first recording into new scratch memory, after a cut.
  std::array<float, 3> fallback{};  ///< Radiance of rays without a hit, if there is no environment. 0 to 65504.
};

/// Reflections bound to images and memory. Destroy it after its commands have run.
class ONEPASS_API ReflectionBinding {
 public:
  ReflectionBinding(ReflectionBinding&&) noexcept;
  ReflectionBinding& operator=(ReflectionBinding&&) noexcept;
  ~ReflectionBinding();

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit ReflectionBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Traces and filters reflections. create() and bind() may fail; record() cannot: it allocates nothing and does not
/// wait. Results are the same bits on every run of a device, whatever the order of its workgroups. NaN and Inf: colours
/// that are NaN or negative count as 0, +Inf as 65504; texels whose depth, normal or roughness is NaN have no surface.
/// No result is NaN or infinite. Threads: create() and bind() from any thread; any number of record() at once with
/// distinct command buffers.
class ONEPASS_API Reflection {
 public:
  /// Validates the options, compiles the pipelines and makes the table of noise (16 KB, which the device keeps).
  /// Errors: those of plan_reflection(); kInvalidArgument for the tuning; kUnsupported, naming the format, limit or
  /// size that the device lacks; kDevice; kOutOfMemory.
  static Result<Reflection> create(const Device& device, const ReflectionOptions& options,
                                   const ReflectionTuning& tuning = {});

  /// Creates views and descriptors, and scratch memory if it is null in `images`.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<ReflectionBinding> bind(const ReflectionImages& images) const;

  /// Records plan().dispatches dispatches. A number of views other than options.slices is a caller mistake: views that
  /// are missing have no reflections.
  void record(VkCommandBuffer commands, const ReflectionBinding& binding, const ReflectionFrame& frame) const;

  [[nodiscard]] const ReflectionPlan& plan() const;  ///< The plan of the options given to create().

  struct Impl;  // private to the library
  explicit Reflection(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace onepass::vulkan
