// tile_reduction.hpp: one coarser image, every texel of it the reduction of a square tile of texels.
//
// Where one coarse level is all that is wanted (depth culling in tiles of 16x16, say), a chain of levels writes three
// images too many. A tile reduction reads the image once and writes only that level, of size ceil(size / factor):
//
//         size 10, factor 4          +-------+-------+---+
//                                    |       |       |   |    tiles at the right and bottom edge may be
//     coarse texel = texel / factor  |   0   |   1   | 2 |    partial: they are reduced over the texels
//     (whole numbers, rounded down)  |       |       |   |    that exist
//                                    +-------+-------+---+
//
// The lookup rule is by texel, not by texture coordinate: what bounds texel (x, y) is coarse texel (x / factor, y /
// factor). A normalised coordinate is first turned into a texel index of the full image. See docs/tile_reduction.md.
//
//     onepass::TileReductionOptions options{.size = {1648, 1776}, .source = Format::kD32Sfloat,
//                                           .target = Format::kR32Sfloat, .reduction = Reduction::kMax};
//     auto tiles = onepass::cpu::TileReduction::create(options);
//     if (!tiles) return tiles.error();
//     auto done = tiles->reduce(depth, coarse);  // coarse: 103x111 texels
//
// onepass/vulkan/tile_reduction.hpp is the same on a GPU, with the same options and results.
// Source: M. Turitzin, "Hierarchical Depth Buffers", 2020, technique 2.
#pragma once

#include <cstdint>
#include <memory>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/pyramid.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// What to make. The two engines take the same options.
struct TileReductionOptions {
  Extent size;                            ///< Of the source, 1 to 65535 each way (Vulkan: the device's limit).
  uint32_t slices = 1;                    ///< Array layers or cube faces; each is reduced on its own.
  Format source = Format::kUndefined;     ///< Any Format; decoded as for a pyramid: sRGB to linear light.
  Format target = Format::kUndefined;     ///< Any but depth, with as many channels as the source (kMinMax: two).
  Reduction reduction = Reduction::kMin;  ///< kMean: the mean of the texels that exist, all with the same weight.
  uint32_t factor = 16;                   ///< Texels of a tile's side: 2, 4, 8, 16, 32 or 64.
};

/// What a tile reduction makes and what it costs at least: pure arithmetic on the options, no engine involved.
struct TileReductionPlan {
  Extent size;                 ///< Of the target: ceil(size / factor) per axis.
  uint64_t bytes_read = 0;     ///< The source of all slices, once.
  uint64_t bytes_written = 0;  ///< The target of all slices, once.
};

/// Validates the options and lays the target out.
/// Errors: kInvalidArgument or kUnsupported, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<TileReductionPlan> plan_tile_reduction(const TileReductionOptions& options);

/// The lookup rule: the coarse texel that stands for `texel` of the source, along one axis.
[[nodiscard]] constexpr uint32_t tile_of_texel(uint32_t texel, uint32_t factor) { return texel / factor; }

namespace cpu {

/// Options of the CPU engine that never change a result.
struct TileReductionTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = all the machine has.
};

/// Reduces images in host memory: one pass over the source, a row of tiles at a time, spread over threads.
///
/// The same bits come out for any number of threads and any SIMD target.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API TileReduction {
 public:
  /// Validates the options and allocates what reduce() needs.
  /// Errors: those of plan_tile_reduction, kOutOfMemory.
  static Result<TileReduction> create(const TileReductionOptions& options, const TileReductionTuning& tuning = {});

  /// Makes the coarse image of every slice. `target` has format options.target and size plan().size; it must not
  /// overlap the source. Cost: reads the source once, writes the target once. Errors: kInvalidArgument when a view does
  /// not match the options, kOutOfMemory.
  [[nodiscard]] Result<void> reduce(const ImageView& source, const MutableImageView& target) const;

  [[nodiscard]] const TileReductionPlan& plan() const;  ///< What it costs.

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
