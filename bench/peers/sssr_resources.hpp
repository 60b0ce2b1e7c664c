// sssr_resources.hpp: the images and buffers of FidelityFX SSSR and its denoiser, with the formats of the SDK's
// components sssr and denoiser.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "reflection_vulkan.hpp"

namespace onepass::bench {

/// An image whose layout is always GENERAL, and a view of all of it, neither an array.
class SssrImage {
 public:
  SssrImage() = default;
  SssrImage(SssrImage&& other) noexcept { swap(other); }
  SssrImage& operator=(SssrImage&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SssrImage();
  void swap(SssrImage& other) noexcept;

  /// An image of its own, filled with zeroes when clear() is recorded.
  static Result<SssrImage> create(const Gpu& gpu, const vulkan::DeviceImage::Request& request);
  /// A cube of one black texel per face.
  static Result<SssrImage> create_cube(const Gpu& gpu);
  /// A view of another's image.
  static Result<SssrImage> of(const Gpu& gpu, const vulkan::DeviceImage& image);

  void record_clear(VkCommandBuffer commands) const;
  [[nodiscard]] const vulkan::DeviceImage& image() const { return image_; }
  [[nodiscard]] VkImageView view() const { return view_; }

 private:
  Result<void> create_view(VkImage image, Format format, VkImageViewType type);

  const Gpu* gpu_ = nullptr;
  vulkan::DeviceImage image_;
  VkImageView view_ = VK_NULL_HANDLE;
};

/// Of one view: what lasts from frame to frame, or only within one.
struct SssrView {
  std::array<SssrImage, 2> radiance, variance, samples, average;  // by turns this frame's and the last one's
  SssrImage reprojected, roughness, roughness_history, depth_history, normal_history;
  vulkan::Buffer rays, tiles, counters, arguments;

  static Result<SssrView> create(const Gpu& gpu, Extent size);
  void record_clear(const Gpu& gpu, VkCommandBuffer commands) const;
};

/// Of a set: views of its images, and the depth hierarchy: depth, then maxima of 2x2 texels.
struct SssrSet {
  SssrImage color, normals, motion, depths;

  static Result<std::vector<SssrSet>> create_all(const Gpu& gpu, const ReflectionSets& sets);
};

/// The tables of numbers that all views share, and the noise that is made from them.
struct SssrNoise {
  SssrImage sobol, scrambling, noise;

  static Result<SssrNoise> create(const Gpu& gpu);
};

/// Copies level 0 of one image to another of the same format and size, both in `from_layout` and GENERAL.
void record_copy(const Gpu& gpu, VkCommandBuffer commands, const vulkan::DeviceImage& from, VkImageLayout from_layout,
                 const vulkan::DeviceImage& to);

}  // namespace onepass::bench
