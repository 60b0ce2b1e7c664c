// light_vulkan.hpp: images for metering and tone mapping on a GPU, and the techniques that are timed on them.
#pragma once

#include <memory>
#include <vector>

#include "light_cases.hpp"
#include "vulkan_technique.hpp"

namespace onepass::bench {

/// Sets of a source, a target and a buffer for the reference copies. All sources hold the same image.
/// Sources stay in VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, targets in VK_IMAGE_LAYOUT_GENERAL.
class LightSets final : public MemorySets {
 public:
  /// As many sets as fill kColdBytes, but at least two and at most `most`.
  static Result<std::unique_ptr<LightSets>> create(const Gpu& gpu, const LightCase& light, uint32_t most);

  [[nodiscard]] const LightCase& light() const { return light_; }
  [[nodiscard]] VkImage source(size_t set) const { return sets_[set].source.image; }
  [[nodiscard]] VkImage target(size_t set) const { return sets_[set].target.image; }
  [[nodiscard]] const vulkan::Buffer& buffer(size_t set) const { return sets_[set].buffer; }
  [[nodiscard]] ImageView host_source() const { return host_source_.view(); }
  [[nodiscard]] ReadOnlyImages images() const;

  [[nodiscard]] size_t count() const override { return sets_.size(); }
  [[nodiscard]] bool larger_than_caches() const override { return set_bytes_ * sets_.size() >= kColdBytes; }
  Result<void> use_sources_as(VkImageLayout /*layout*/) override { return {}; }

  /// The target of set 0.
  [[nodiscard]] Result<Image> download() const;

 private:
  struct Set {
    vulkan::DeviceImage source, target;
    vulkan::Buffer buffer;
  };
  LightSets(const Gpu& gpu, const LightCase& light) : gpu_(gpu), light_(light) {}
  Result<void> create_set();
  Result<void> upload();

  const Gpu& gpu_;
  LightCase light_;
  Image host_source_;
  std::vector<Set> sets_;
  uint64_t set_bytes_ = 0;
};

/// A technique whose results can be checked.
class LightTechnique : public VulkanTechnique {
 public:
  /// Meter results of set 0; empty for techniques without a meter.
  [[nodiscard]] virtual Result<std::vector<MeterResult>> results() const { return std::vector<MeterResult>(); }
};

/// The library's technique for `light`, in the state before a first image. The sets must outlive it.
[[nodiscard]] Result<std::unique_ptr<LightTechnique>> make_light_technique(const Gpu& gpu, const LightSets& sets,
                                                                           const LightCase& light);

/// Copies `bytes` / 2 bytes from one set's buffer to another's by copy.comp: reads and writes are `bytes` together.
TechniqueResult make_light_copy(const Gpu& gpu, const LightSets& sets, uint64_t bytes);

}  // namespace onepass::bench
