// reflection_vulkan.hpp: the scene's images on a GPU, and reflections of them, checked against rays of the host.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "onepass/vulkan/reflection.hpp"
#include "reflection_checks.hpp"
#include "vulkan_technique.hpp"

namespace onepass::bench {

/// Sets of the scene's images. Even sets have it from place 0, odd sets from place 1. Their number is twice an odd one,
/// count / 2: set n and set n + count / 2 are the two frames that a view n % (count / 2) has by turns, so that a view's
/// history is used once while all sets are used once.
class ReflectionSets final : public MemorySets {
 public:
  struct Set {
    vulkan::DeviceImage color, depth, pyramid, normals, motion;  ///< SHADER_READ_ONLY_OPTIMAL
    vulkan::DeviceImage target;                                  ///< GENERAL
    vulkan::Buffer copied;                                       ///< For the reference copies.
  };

  /// About as many sets as fill kColdBytes with the views' histories, at least two, and at most `most` or two.
  static Result<std::unique_ptr<ReflectionSets>> create(const Gpu& gpu, Extent size, uint32_t most);

  [[nodiscard]] Extent size() const { return size_; }
  [[nodiscard]] const Set& operator[](size_t set) const { return sets_[set]; }
  [[nodiscard]] size_t views() const { return sets_.size() / 2; }
  [[nodiscard]] static uint32_t place_of(size_t set) { return set % 2; }
  /// Bytes of a set's images that reflections read and write once.
  [[nodiscard]] uint64_t image_bytes() const;

  [[nodiscard]] size_t count() const override { return sets_.size(); }
  [[nodiscard]] bool larger_than_caches() const override { return set_bytes() * sets_.size() >= kColdBytes; }
  Result<void> use_sources_as(VkImageLayout /*layout*/) override { return {}; }

  /// The target of a set, four floats per texel.
  [[nodiscard]] Result<std::vector<float>> download(size_t set) const;

 private:
  ReflectionSets(const Gpu& gpu, Extent size) : gpu_(gpu), size_(size) {}
  [[nodiscard]] uint64_t set_bytes() const;
  Result<void> create_set();
  Result<void> upload(uint32_t place, const SceneImages& images) const;
  Result<void> build_pyramids() const;

  const Gpu& gpu_;
  Extent size_;
  std::vector<Set> sets_;
};

/// The options of the library's reflections for the sets: their formats, no fading at the borders.
[[nodiscard]] ReflectionOptions reflection_options(Extent size);

/// The library's reflections, with a history for each view. `all_matte`: roughness is the alpha of colours, which is 1.
TechniqueResult make_reflections(const Gpu& gpu, const ReflectionSets& sets, const ReflectionOptions& options,
                                 bool all_matte = false);

/// A copy of as many bytes as the images have that reflections read and write.
TechniqueResult make_reflection_copy(const Gpu& gpu, const ReflectionSets& sets);

/// Runs some frames of view 0 and checks the last one. Errors: kBadData, with `name`.
[[nodiscard]] Result<void> verify_reflections(const Gpu& gpu, const ReflectionSets& sets,
                                              const VulkanTechnique& technique, const ReflectionChecks& checks,
                                              const std::string& name);

}  // namespace onepass::bench
