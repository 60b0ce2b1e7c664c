// technique_rig.hpp: all techniques on one device, by the C++ classes or by the C API, on the same images and in
// scratch memory that the test allocates.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "onepass/blocks.hpp"
#include "onepass/onepass_vulkan.h"
#include "onepass/vulkan/fourier.hpp"
#include "tests/integration/hall_images.hpp"
#include "tests/integration/placed_image.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/vulkan/own_device.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::testing {

enum class Technique : uint32_t {
  kPyramid,
  kTiles,
  kMeter,
  kToneMap,
  kForward,
  kInverse,
  kConvolver,
  kFilter,
  kFrame,
  kLocal,  // a tone map with local exposure
  kDeconvolver,
  kCorrelator,  // of the source and the convolver's result
  kBloom,       // by convolution
  kMipBloom,    // by a mip chain at half resolution
  kReflection,  // two frames of a hall in two slices, the second with a history
  kBlocks,      // of the source, BC6H in a buffer
};
inline constexpr uint32_t kTechniques = 16;

inline constexpr Extent kRigSize{150, 90};
inline constexpr Extent kRigTiles{19, 12};  // of 8 x 8 texels

/// Where the images of a rig begin in larger images.
struct RigPlaces {
  Place source, mask, target;
};
/// Levels and slices differ from each other, so that exchanged fields of a binding name other texels.
inline constexpr RigPlaces kPlacedApart{.source = {2, 1}, .mask = {1, 2}, .target = {1, 3}};

/// Source, targets, buffers and scratch memory of all techniques.
class Rig {
 public:
  Rig(OwnDevice& own, const vulkan::Device& device, uint32_t seed, const RigPlaces& places = {});
  Rig(const Rig&) = delete;
  ~Rig();

  /// The next `bytes` of the scratch allocation, at a multiple of 256, after a guard of at least 256 bytes; an empty
  /// range while `gives_scratch` is false.
  vulkan::BufferRange take_scratch(uint64_t bytes);
  /// A new image of the test's, destroyed with the rig; null while `gives_scratch` is false.
  VkImage take_image(const VkImageCreateInfo& info);
  /// Overwrites the taken ranges with `word`.
  void spoil_scratch(uint32_t word);
  /// Whether a byte outside of the taken ranges has changed.
  bool guards_touched();
  /// Whether a texel outside of the bound levels and slices has changed, in any image.
  bool outside_touched();

  /// The bytes that a technique has written.
  std::vector<std::byte> download(Technique technique);
  /// Overwrites all targets.
  void clear();

  OwnDevice& own;
  vulkan::Device device;
  PaddedImage source_pixels;
  PaddedImage kernel_pixels;
  PaddedImage mask_pixels;  // weights above 0
  PlacedImage source, mask, levels, tiles, picture, restored, blurred, filtered, frame, local, sharpened, glowing,
      mip_glowing;
  HallImages hall;
  vulkan::Buffer spectrum, results, frame_results, shift, surface, blocks;
  VkBuffer scratch = VK_NULL_HANDLE;
  bool gives_scratch = true;

 private:
  [[nodiscard]] std::vector<const PlacedImage*> targets_of(Technique technique) const;
  [[nodiscard]] std::vector<const PlacedImage*> targets() const;
  [[nodiscard]] std::vector<const PlacedImage*> sources() const;
  [[nodiscard]] std::vector<const vulkan::Buffer*> buffers_of(Technique technique) const;
  void create_images(const RigPlaces& places);
  void upload(std::span<const PaddedImage> pixels, const PlacedImage& image);
  void create_scratch();
  VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags required, VkDeviceSize bytes);

  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::vector<std::pair<VkImage, VkDeviceMemory>> images_;
  std::byte* scratch_bytes_ = nullptr;  // mapped
  std::vector<std::pair<uint64_t, uint64_t>> taken_;
  uint64_t next_ = 256 * 3;
  vulkan::Buffer staging_;
};

/// Records every technique.
class Driver {
 public:
  virtual ~Driver() = default;
  /// Records work that is done once: reset of scratch memory, and record_kernels().
  virtual void reset(VkCommandBuffer commands) const = 0;
  /// Records the reset of scratch memory alone: results of meters keep their history.
  virtual void reset_scratch(VkCommandBuffer commands) const = 0;
  /// Records the spectra of convolution kernels.
  virtual void record_kernels(VkCommandBuffer commands) const = 0;
  virtual void record(Technique technique, VkCommandBuffer commands) const = 0;
  /// Binds every technique once more, with scratch memory of the rig, and destroys the bindings. Not for drivers in C.
  virtual void bind_again() const { ADD_FAILURE() << "not implemented"; }
  /// Reads the bytes of a correlator's result: x, y, confidence.
  [[nodiscard]] virtual std::array<double, 3> shift(std::span<const std::byte> result) const = 0;
};

/// A driver by the C++ classes. Fails the test and aborts if an object cannot be created or bound.
std::unique_ptr<Driver> make_cpp_driver(Rig& rig);
/// The device for the C API.
onepass_vulkan_device_handles c_handles(const OwnDevice& own);
/// A driver by the C API, on the same device.
std::unique_ptr<Driver> make_c_driver(Rig& rig);

/// A memory barrier between all commands before it, and all commands and host reads after it.
void full_barrier(const OwnDevice& own, VkCommandBuffer commands);

/// What record_all() does first.
enum class First { kReset, kKernelsOnly };
/// reset(), then every technique, with barriers between.
void record_all(const Rig& rig, const Driver& driver, VkCommandBuffer commands, First first = First::kReset);

}  // namespace onepass::testing
