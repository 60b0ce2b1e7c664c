// reflection_rig.hpp: reflections on the device under test, of frames that the test uploads.
#pragma once

#include <array>
#include <vector>

#include "onepass/vulkan/reflection.hpp"
#include "tests/reflection/reflection_scene.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {

/// The result of a frame, slice by slice and row by row.
struct Reflected {
  std::vector<std::array<float, 4>> light;  // radiance, confidence
  std::vector<float> distance;              // empty without options.hit_distance
  [[nodiscard]] bool operator==(const Reflected&) const = default;
};

/// Cameras of this frame and the last, one per slice.
std::vector<vulkan::ReflectionView> views_of(const std::vector<Camera>& cameras, const std::vector<Camera>& last);

/// Options for frames of the rig: floats, roughness in the normals' alpha, no fading at borders.
ReflectionOptions rig_options(Extent size, const Camera& camera);

/// Images, the depth pyramid and a binding.
class ReflectionRig {
 public:
  /// Fails the test if an object cannot be created.
  ReflectionRig(const ReflectionOptions& options, const vulkan::ReflectionTuning& tuning = {});

  /// Uploads the frames of all slices, builds the pyramid, records `times` times and downloads. `colors`: null for
  /// those of `frames`.
  Reflected run(const std::vector<Frame>& frames, const vulkan::ReflectionFrame& frame,
                const std::vector<Frame>* colors = nullptr, uint32_t times = 1);
  /// A picture of the surroundings, of the format of options.environment.
  void set_environment(const ImageView& picture);
  /// Scratch memory of the test's, before the first run.
  void set_scratch(VkBuffer buffer, VkDeviceSize offset) { scratch_ = buffer, scratch_offset_ = offset; }
  [[nodiscard]] const ReflectionPlan& plan() const { return reflection_->plan(); }

 private:
  [[nodiscard]] bool roughness_is_in_normals() const;
  void create_pyramid();
  void bind();

  ReflectionOptions options_;
  std::unique_ptr<vulkan::Reflection> reflection_;
  std::unique_ptr<vulkan::ReflectionBinding> binding_;
  vulkan::DeviceImage color_, normals_, roughness_, motion_, depth_, levels_, environment_, target_, distance_;
  VkBuffer scratch_ = VK_NULL_HANDLE;
  VkDeviceSize scratch_offset_ = 0;
  std::unique_ptr<vulkan::Pyramid> pyramid_;
  std::unique_ptr<vulkan::PyramidBinding> pyramid_binding_;
};

}  // namespace onepass::testing
