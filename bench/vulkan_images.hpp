// vulkan_images.hpp: copies of one image and of its levels, enough of them that a measurement finds none in a cache.
#pragma once

#include <memory>
#include <vector>

#include "cases.hpp"
#include "levels.hpp"
#include "vulkan/host_image.hpp"
#include "vulkan_gpu.hpp"

namespace onepass::bench {

/// Bytes that are moved before a set of images is used again in cold modes. Several times the largest last-level cache
/// of any GPU.
inline constexpr uint64_t kColdBytes = 500'000'000;

/// Interface of the timer to the sets of memory that techniques work on one after the other.
class MemorySets {
 public:
  MemorySets() = default;
  MemorySets(const MemorySets&) = delete;
  MemorySets& operator=(const MemorySets&) = delete;
  virtual ~MemorySets() = default;
  [[nodiscard]] virtual size_t count() const = 0;

  /// True if all sets together are larger than any cache.
  [[nodiscard]] virtual bool larger_than_caches() const = 0;

  /// Transitions all source images to a layout.
  virtual Result<void> use_sources_as(VkImageLayout layout) = 0;
};

/// Sets of a source and the levels made from it. All sources hold the same random texels. Levels are always in
/// VK_IMAGE_LAYOUT_GENERAL.
class ImageSets final : public MemorySets {
 public:
  /// As many sets as fill kColdBytes, but at least two and at most `most`. With `whole_tiles` the levels are those of a
  /// base rounded up to whole tiles, so that level kTileLevel holds a tile reduction.
  static Result<std::unique_ptr<ImageSets>> create(const Gpu& gpu, const PyramidCase& pyramid, uint32_t most,
                                                   bool whole_tiles = false);

  [[nodiscard]] const PyramidCase& pyramid() const { return pyramid_; }
  [[nodiscard]] size_t count() const override { return sets_.size(); }
  [[nodiscard]] const vulkan::DeviceImage& source(size_t set) const { return sets_[set].source; }
  [[nodiscard]] const vulkan::DeviceImage& target(size_t set) const { return sets_[set].target; }
  [[nodiscard]] ImageView host_source() const { return host_source_.view(); }

  [[nodiscard]] bool larger_than_caches() const override { return set_bytes_ * sets_.size() >= kColdBytes; }
  Result<void> use_sources_as(VkImageLayout layout) override;

  /// Fills the levels of set 0 with a value that no pyramid of the source contains everywhere.
  Result<void> clear_target() const;

  /// Reads the levels of set 0.
  [[nodiscard]] Result<Levels> download() const;

 private:
  struct Set {
    vulkan::DeviceImage source;
    vulkan::DeviceImage target;
  };
  ImageSets(const Gpu& gpu, const PyramidCase& pyramid, Extent levels_of)
      : gpu_(gpu), pyramid_(pyramid), levels_of_(levels_of) {}
  Result<void> create_set();
  Result<void> upload();

  const Gpu& gpu_;
  PyramidCase pyramid_;
  Extent levels_of_;  // the size whose levels the targets have
  Image host_source_;
  std::vector<Set> sets_;
  uint64_t set_bytes_ = 0;
  VkImageLayout source_layout_ = VK_IMAGE_LAYOUT_UNDEFINED;
};

}  // namespace onepass::bench
