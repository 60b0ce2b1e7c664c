// tile_reduction.hpp: one coarser image; each of its texels is the reduction of a square tile of texels.
//
// If only one coarse level is needed (for example depth culling in tiles of 16x16), a mip chain writes three
// unnecessary levels. A tile reduction reads the image once and writes only the level needed, of size ceil(size /
// factor):
//
//         size 10, factor 4          +-------+-------+---+
//                                    |       |       |   |    tiles at the right and bottom edge may be
//     coarse texel = texel / factor  |   0   |   1   | 2 |    partial: they are reduced over the texels
//     (whole numbers, rounded down)  |       |       |   |    that exist
//                                    +-------+-------+---+
//
// Lookup is by texel, not by texture coordinate: coarse texel (x / factor, y / factor) bounds texel (x, y). Convert a
// normalised coordinate to a texel index of the full image first. See docs/tile_reduction.md.
//
//     onepass::TileReductionOptions options{.size = {1648, 1776}, .source = Format::kD32Sfloat,
//                                           .target = Format::kR32Sfloat, .reduction = Reduction::kMax};
//     auto tiles = onepass::cpu::TileReduction::create(options);
//     if (!tiles) return tiles.error();
//     auto done = tiles->reduce(depth, coarse);  // coarse: 103x111 texels
//
// onepass/vulkan/tile_reduction.hpp is the GPU version, with the same options and results.
// Source: M. Turitzin, "Hierarchical Depth Buffers", 2020, technique 2.
#pragma once

#include <cstdint>
#include <memory>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/reduction.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// Options of a tile reduction, the same for both engines.
struct TileReductionOptions {
  Extent size;                         ///< Size of the source, 1 to 65535 per axis (Vulkan: up to the device's limit).
  uint32_t slices = 1;                 ///< Array layers or cube faces; each is reduced separately.
  Format source = Format::kUndefined;  ///< Any format; sRGB is decoded to linear light.
  Format target = Format::kUndefined;  ///< Any format except depth, with the channels of the source; three and four
                                       ///< channels convert to each other. kMinMax: two channels.
  Reduction reduction = Reduction::kMin;  ///< kMean: the mean of the existing texels, all with the same weight.
  uint32_t factor = 16;                   ///< Side of a tile in texels: 2, 4, 8, 16, 32 or 64.
  uint32_t samples = 1;                   ///< Samples per texel of the source, as PyramidOptions::samples.
};

/// The size of the result and the minimum memory traffic. Computed from the options alone.
struct TileReductionPlan {
  Extent size;                 ///< Size of the target: ceil(size / factor) per axis.
  uint64_t bytes_read = 0;     ///< The source of all slices with all samples, read once.
  uint64_t bytes_written = 0;  ///< The target of all slices, written once.
};

/// Validates the options and computes the plan.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<TileReductionPlan> plan_tile_reduction(const TileReductionOptions& options);

/// The lookup rule: the coarse texel that represents `texel` of the source, along one axis.
[[nodiscard]] constexpr uint32_t tile_of_texel(uint32_t texel, uint32_t factor) { return texel / factor; }

namespace cpu {

/// Tuning of the CPU engine; it never changes a result.
struct TileReductionTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = usable_threads().
};

/// Reduces images in host memory in one pass over the source, one row of tiles at a time, on several threads.
///
/// Results are bit-identical for any number of threads and any SIMD target.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API TileReduction {
 public:
  /// Validates the options and allocates the working memory of reduce().
  /// Errors: those of plan_tile_reduction(), kInvalidArgument for more than one sample, kOutOfMemory.
  static Result<TileReduction> create(const TileReductionOptions& options, const TileReductionTuning& tuning = {});

  /// Makes the coarse image of every slice. `target` has format options.target and size plan().size; it must not
  /// overlap the source. Cost: reads the source once, writes the target once.
  /// Errors: kInvalidArgument if a view does not match the options; kOutOfMemory.
  [[nodiscard]] Result<void> reduce(const ImageView& source, const MutableImageView& target) const;

  [[nodiscard]] const TileReductionPlan& plan() const;  ///< The plan of the options given to create().

  TileReduction(TileReduction&&) noexcept;
  TileReduction& operator=(TileReduction&&) noexcept;
  ~TileReduction();

 private:
  struct Impl;
  ONEPASS_INTERNAL explicit TileReduction(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
