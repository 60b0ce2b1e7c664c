// placed_image.hpp: a device image of which a binding uses a part: some levels and slices, with others around them.
#pragma once

#include "vulkan/host_image.hpp"

namespace onepass::testing {

/// Where a part begins in its image.
struct Place {
  uint32_t level = 0;
  uint32_t slice = 0;
};

/// An image with a part of `part_levels` levels and `part_slices` slices at `at`. Unless the part begins at level 0 and
/// slice 0, the image has a level and a slice more after it. Bytes outside the part are poison once
/// record_poison() has run.
struct PlacedImage : vulkan::DeviceImage {
  Place at;
  uint32_t part_levels = 1;
  uint32_t part_slices = 1;

  /// `part`: format, size, levels and slices of the part; usage without transfers.
  static Result<PlacedImage> create(const vulkan::Device::Impl& device, const Request& part, Place at);

  /// Bytes of a buffer for levels `first` .. `first + count - 1` of the part, each aligned to 16 bytes.
  [[nodiscard]] uint64_t part_bytes(uint32_t first, uint32_t count) const;
  /// Bytes of a buffer for the whole image.
  [[nodiscard]] uint64_t whole_bytes() const { return vulkan::packed_bytes(*this, 0, levels); }

  /// Copies levels `first` .. `first + count - 1` of the part between the image, in a TRANSFER layout, and the buffer.
  void record_part(const vulkan::Buffer& buffer, uint32_t first, uint32_t count, bool to_image,
                   VkCommandBuffer commands) const;
  /// Overwrites the whole image, in layout TRANSFER_DST_OPTIMAL, with poison. The mapped buffer has whole_bytes().
  void record_poison(const vulkan::Buffer& buffer, VkCommandBuffer commands) const;
  /// Whether a byte outside the part is not poison. `whole`: what copy_levels() downloads of all levels.
  [[nodiscard]] bool outside_touched(const std::byte* whole) const;

  static constexpr std::byte kPoison{0xA5};
};

}  // namespace onepass::testing
