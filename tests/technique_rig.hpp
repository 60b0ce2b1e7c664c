// technique_rig.hpp: all techniques on one device, by the C++ classes or by the C API, on the same images and in
// scratch memory that is a piece of an allocation of the test's own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "onepass/onepass_vulkan.h"
#include "onepass/vulkan/fourier.hpp"
#include "own_device.hpp"
#include "pyramid_testing.hpp"
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
  kCorrelator,  // of the source and what the convolver made of it
};
inline constexpr uint32_t kTechniques = 12;

inline constexpr Extent kRigSize{150, 90};
inline constexpr Extent kRigTiles{19, 12};  // of 8 x 8

/// Source, targets and buffers; everything that the techniques work on.
class Rig {
 public:
  Rig(OwnDevice& own, const vulkan::Device& device, uint32_t seed);
  Rig(const Rig&) = delete;
  ~Rig();

  /// The next so many bytes of the scratch allocation, at a multiple of 256, a guard of 256 bytes before.
  vulkan::BufferRange take_scratch(uint64_t bytes);
  /// Whether a byte outside of what was taken has changed.
  bool guards_touched();

  /// The bytes that a technique has written.
  std::vector<std::byte> download(Technique technique);
  /// Overwrites all targets.
  void clear();

  OwnDevice& own;
  vulkan::Device device;
  PaddedImage source_pixels;
  PaddedImage kernel_pixels;
  vulkan::DeviceImage source, levels, tiles, picture, restored, blurred, filtered, frame, local, sharpened;
  vulkan::Buffer spectrum, results, frame_results, shift, surface;
  VkBuffer scratch = VK_NULL_HANDLE;

 private:
  [[nodiscard]] const vulkan::DeviceImage* target_of(Technique technique) const;
  [[nodiscard]] std::vector<const vulkan::DeviceImage*> targets() const;
  [[nodiscard]] std::vector<const vulkan::Buffer*> buffers_of(Technique technique) const;
  void create_scratch();

  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::byte* scratch_bytes_ = nullptr;  // mapped
  std::vector<std::pair<uint64_t, uint64_t>> taken_;
  uint64_t next_ = 256 * 3;
  vulkan::Buffer staging_;
};

/// Something that records every technique.
class Driver {
 public:
  virtual ~Driver() = default;
  /// What comes once: scratch memory, kernels.
  virtual void reset(VkCommandBuffer commands) const = 0;
  virtual void record(Technique technique, VkCommandBuffer commands) const = 0;
  /// What the bytes of a correlator's result say: x, y, confidence.
  [[nodiscard]] virtual std::array<double, 3> shift(std::span<const std::byte> result) const = 0;
};

/// By the C++ classes. Fails the test and returns null where a class cannot be created.
std::unique_ptr<Driver> make_cpp_driver(Rig& rig);
/// The device for the C API.
onepass_vulkan_device_handles c_handles(const OwnDevice& own);
/// By the C API, on the same device.
std::unique_ptr<Driver> make_c_driver(Rig& rig);

/// COMPUTE and TRANSFER writes before everything of both.
void full_barrier(const OwnDevice& own, VkCommandBuffer commands);

/// reset(), then every technique, with barriers between.
void record_all(const Rig& rig, const Driver& driver, VkCommandBuffer commands);

}  // namespace onepass::testing
