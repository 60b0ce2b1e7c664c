// vulkan/blocks.hpp: block-compressed textures on a GPU, all levels and slices in one dispatch, in the caller's command
// buffer. The formats and the options are those of blocks.hpp.
//
//     auto compressor = onepass::vulkan::BlockCompressor::create(*device, {.size = {1024, 1024}, .slices = 6, .levels =
//     0,
//                                                                         .source = Format::kRGBA8Srgb,
//                                                                         .blocks = BlockFormat::kBc7Srgb});
//     auto binding = compressor->bind({.source = colors, .target = texture});
//     compressor->record(commands, *binding);
//
// The kernel writes blocks to a buffer; record() then copies them to the target, if there is one. A kernel could write
// the image itself, but Vulkan allows a view of it as texels of 64 or 128 bits for one level and one slice at a time
// (VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT), on devices that have such images, and one dispatch of all levels
// of a cube would take 66 of them. The buffer works on every device, and its copy takes the time of reading and writing
// the blocks once more.
//
// Barriers that the caller records:
//   before record(): writes to the source are visible to VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT /
//                    VK_ACCESS_SHADER_READ_BIT, with the source in BlockImages::source_layout; earlier accesses to the
//                    target are done, and it is in VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
//   after record():  with a target VK_PIPELINE_STAGE_TRANSFER_BIT / VK_ACCESS_TRANSFER_WRITE_BIT -> its next reader;
//                    without one COMPUTE_SHADER / SHADER_WRITE -> the next reader of the buffer.
// The library records the barriers of the buffer in between, and those between two recordings with a target. Bindings
// that share a buffer run one after the other.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <span>

#include "onepass/blocks.hpp"
#include "onepass/export.h"
#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// The image and the memory of one compression.
struct BlockImages {
  VkImage source = VK_NULL_HANDLE;  ///< Usage SAMPLED, format options.source. For sRGB blocks an sRGB source is read
                                    ///< through a UNORM view, for its stored values: flag MUTABLE_FORMAT.
  uint32_t source_level = 0;        ///< The first level.
  uint32_t source_slice = 0;        ///< The first slice.
  VkImageLayout source_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;  ///< During the dispatch.
  VkBuffer blocks = VK_NULL_HANDLE;  ///< Usage STORAGE_BUFFER and, with a target, TRANSFER_SRC; plan().bytes long.
                                     ///< Null, with a target only: bind() allocates it.
  VkDeviceSize blocks_offset = 0;    ///< In bytes; a multiple of 256.
  VkImage target = VK_NULL_HANDLE;   ///< Usage TRANSFER_DST, format options.blocks. Null: blocks stay in the buffer.
  uint32_t target_level = 0;         ///< Receives the first level.
  uint32_t target_slice = 0;         ///< Receives the first slice.
};

/// A compressor bound to an image and memory. Destroy it after its commands have run.
class ONEPASS_API BlockBinding {
 public:
  BlockBinding(BlockBinding&&) noexcept;
  BlockBinding& operator=(BlockBinding&&) noexcept;
  ~BlockBinding();

  struct Impl;  // private to the library
  ONEPASS_INTERNAL explicit BlockBinding(std::unique_ptr<Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Compresses images of one shape. create() and bind() may fail; record() cannot: it allocates nothing and does not
/// wait. Blocks are those of cpu::compress() at BlockQuality::kFast where the device's division and square root are
/// those of IEEE 754; elsewhere some endpoints differ by a step. Texels outside the image do not count, opaque texels
/// stay opaque exactly, NaN becomes 0.
/// Threads: create() and bind() from any thread; any number of record() at once with distinct command buffers.
class ONEPASS_API BlockCompressor {
 public:
  /// Validates the options and compiles the pipeline.
  /// Errors: those of plan_block_compressor(); kUnsupported, naming the field and what the device lacks; kDevice;
  /// kOutOfMemory.
  static Result<BlockCompressor> create(const Device& device, const BlockCompressorOptions& options);

  /// Creates the view and the descriptors, and the buffer if it is null in `images`.
  /// Errors: kInvalidArgument, kOutOfMemory, kDevice.
  [[nodiscard]] Result<BlockBinding> bind(const BlockImages& images) const;

  /// Records one dispatch for all levels and slices and, with a target, one copy to the image.
  void record(VkCommandBuffer commands, const BlockBinding& binding) const;

  [[nodiscard]] const BlockCompressorPlan& plan() const;        ///< The plan of the options given to create().
  [[nodiscard]] const BlockCompressorOptions& options() const;  ///< The options given to create().

  struct Impl;  // private to the library
  explicit BlockCompressor(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Result of compress_levels().
struct HostBlockReport {
  BlockCompressorPlan plan;
  double gpu_microseconds = 0;  ///< Measured by GPU timestamps around record(); 0 if the queue has none.
};

/// For programs that work on files: uploads the levels, compresses them on an opened device, and downloads their
/// blocks. `levels` and `blocks` have one view per level of plan_block_compressor(options), the finest first. Errors:
/// those of BlockCompressor::create() and bind(); kInvalidArgument if a view does not match the options; kOutOfMemory.
ONEPASS_API Result<HostBlockReport> compress_levels(const Device& device, const BlockCompressorOptions& options,
                                                    std::span<const ImageView> levels,
                                                    std::span<const MutableBlockView> blocks);

}  // namespace onepass::vulkan
