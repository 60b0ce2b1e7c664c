// hall_images.hpp: the images of reflections of a rig: a hall with a floor that is a mirror and a rough sphere, seen by
// two cameras, each of which has a slice. Targets: radiance with confidence, and distances.
#pragma once

#include <cstdint>
#include <vector>

#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/reflection.hpp"
#include "tests/integration/placed_image.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/reflection/reflection_scene.hpp"

namespace onepass::testing {

struct HallImages {
  static constexpr uint32_t kSlices = 2;
  static constexpr float kGrey = 0.5F;  ///< Radiance of the surroundings.

  /// Renders the hall, and creates images without content.
  HallImages(const vulkan::Device& device, Extent size, Place read_at, Place write_at);

  /// Every image is used: motion vectors, surroundings, distances.
  [[nodiscard]] ReflectionOptions options() const;
  /// All images, in SHADER_READ_ONLY_OPTIMAL, and scratch memory.
  [[nodiscard]] vulkan::ReflectionImages bound(const vulkan::BufferRange& scratch) const;
  /// Two frames, the second with a history: the cameras have moved between them.
  [[nodiscard]] vulkan::ReflectionFrame first_frame() const { return {.views = views, .index = 5, .reset = true}; }
  [[nodiscard]] vulkan::ReflectionFrame second_frame() const { return {.views = views, .index = 6}; }

  /// An image that is read, and its texels, a PaddedImage for each level.
  struct Content {
    const PlacedImage* image;
    std::vector<PaddedImage> levels;
  };
  [[nodiscard]] std::vector<Content> contents() const;
  [[nodiscard]] std::vector<const PlacedImage*> sampled() const;

  /// Fails the test where the texels of the mirror that the screen can answer differ from the traced hall. `light` and
  /// `distances`: the packed texels of both targets.
  void expect_mirror(const std::byte* light, const std::byte* distances) const;

  Extent size;
  std::vector<Camera> cameras;
  std::vector<Frame> frames;
  std::vector<vulkan::ReflectionView> views;
  PlacedImage color, depth, pyramid, normals, roughness, motion, environment, reflected, distance;
};

}  // namespace onepass::testing
