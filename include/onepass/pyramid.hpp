// pyramid.hpp: mip chains and hierarchical depth buffers: what is asked for, what it will cost, and the CPU engine.
//
// A pyramid is a chain of levels. Level 0 is the base image; level n has size max(1, floor(size / 2^n)) per axis and
// every texel of it stands for a footprint of base texels. The footprint rule matters at sizes that are not powers of
// two: most generators drop the odd row or column, which shifts colours and makes depth queries wrong. See
// docs/pyramid.md for pictures.
//
//     onepass::PyramidOptions options{.size = {1920, 1080}, .source = photo.format, .target = photo.format};
//     auto pyramid = onepass::cpu::Pyramid::create(options);
//     if (!pyramid) return pyramid.error();
//     auto done = pyramid->build(photo, levels);  // levels[0] receives level 1, and so on
//
// onepass/vulkan/pyramid.hpp is the same on a GPU, with the same options and results.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// How a footprint becomes one texel.
enum class Reduction : uint32_t {
  kMean,    ///< Weighted mean; see Footprint for the weights.
  kMin,     ///< Smallest value, each channel on its own.
  kMax,     ///< Largest value, each channel on its own.
  kMinMax,  ///< Smallest in the first channel, largest in the second. The target has two channels, the source one (it
            ///< feeds both) or two (already a min and a max).
};

/// Which base texels a texel of level n stands for, per axis, with base size S and level size S_n.
enum class Footprint : uint32_t {
  kAligned,   ///< [i*2^n, (i+1)*2^n); the remainder is dropped. What FidelityFX SPD does.
  kCovering,  ///< [i*2^n, (i+1)*2^n + S mod 2^n). A query at any texture coordinate is conservative with respect to
              ///< that coordinate on every finer level. With kMean: polyphase weights (k-i, k, i+1)/(2k+1) at a finer
              ///< size 2k+1, so that every base texel carries the same total weight.
  kTight,     ///< [floor(i*S/S_n), ceil((i+1)*S/S_n)). Conservative with respect to the base only; smaller footprints
              ///< cull more. kMin, kMax and kMinMax only.
  kEdge,  ///< As kAligned, but the last texel of each level also takes the remainder. Query it by texel index, not by
          ///< coordinate. With kMean every base texel of the footprint has the same weight.
};

/// What happens to the fourth channel.
enum class Alpha : uint32_t {
  kIndependent,  ///< Alpha is a channel like the others.
  kWeighted,  ///< Colours are averaged with their alpha as weight, so that invisible texels do not bleed. Where all are
              ///< transparent the plain mean remains.
  kCoverage,  ///< Alpha of each level is scaled so that the share of texels with alpha >= alpha_threshold stays that of
              ///< the base: foliage does not thin out with distance. Each slice on its own.
};

/// Whether the texels are unit vectors.
enum class NormalMap : uint32_t {
  kOff,
  kRenormalize,  ///< Averages vectors, writes them with length 1. UNORM stores 0.5*n+0.5. With two channels z =
                 ///< sqrt(1-x^2-y^2) is implied; with four the last is averaged as it is.
};

/// How the Vulkan engine goes about it; never changes a result beyond the contract on rounding.
enum class PyramidPath : uint32_t {
  kAuto,            ///< kSingleDispatch, unless the device cannot or kPerLevel was measured to be faster.
  kSingleDispatch,  ///< The whole chain of all slices in one dispatch.
  kPerLevel,        ///< One dispatch and one barrier per level.
};

/// Room for levels; the largest base, 65535 texels, has 16.
inline constexpr uint32_t kMaxLevels = 32;

/// What to make. The two engines take the same options.
struct PyramidOptions {
  Extent size;                         ///< Of the base, 1 to 65535 each way (Vulkan: the device's limit).
  uint32_t slices = 1;                 ///< Array layers or cube faces; each gets its own chain.
  uint32_t levels = 0;                 ///< Counts level 0, as Vulkan's mipLevels does. 0 = down to 1x1.
  Format source = Format::kUndefined;  ///< Any Format.
  Format target = Format::kUndefined;  ///< Any but depth, with as many channels as the source (kMinMax: two).
  Reduction reduction = Reduction::kMean;
  Footprint footprint = Footprint::kCovering;
  Alpha alpha = Alpha::kIndependent;       ///< The others need kMean and four channels.
  float alpha_threshold = 0.5F;            ///< For kCoverage, in (0, 1].
  NormalMap normal_map = NormalMap::kOff;  ///< kRenormalize needs kMean, alpha independent and two to four channels.
};

/// Levels of a full chain: floor(log2(max(width, height))) + 1. 0 for an empty size.
[[nodiscard]] ONEPASS_API uint32_t full_level_count(Extent size);

/// Size of level n: max(1, size >> n) per axis.
[[nodiscard]] ONEPASS_API Extent level_size(Extent base, uint32_t level);

/// A half-open range of texel indices.
struct TexelRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  friend bool operator==(const TexelRange&, const TexelRange&) = default;
};

/// The base texels that texel `i` of level `level` stands for along one axis of base size `size`: the definition of the
/// footprints, as code.
[[nodiscard]] ONEPASS_API TexelRange footprint_range(Footprint footprint, uint32_t size, uint32_t level, uint32_t i);

/// The texels of `level` whose footprint along one axis meets the base range `changed`: what a subregion update
/// rewrites. Empty (begin == end) when none does.
[[nodiscard]] ONEPASS_API TexelRange affected_range(Footprint footprint, uint32_t size, uint32_t level,
                                                    TexelRange changed);

/// The texels of `level` that a changed rectangle of the base can affect. Width or height 0 when none is.
[[nodiscard]] ONEPASS_API Rect affected_rect(const PyramidOptions& options, uint32_t level, Rect changed);

/// What a pyramid consists of and what it costs at least: pure arithmetic on the options, no engine involved.
struct PyramidPlan {
  uint32_t levels = 0;                     ///< Level 0 included.
  std::array<Extent, kMaxLevels> sizes{};  ///< sizes[n] of level n < levels.
  uint64_t bytes_read = 0;                 ///< The base of all slices, once.
  uint64_t bytes_written = 0;              ///< Levels 1 and up of all slices, once.
};

/// Validates the options and lays the pyramid out.
/// Errors: kInvalidArgument or kUnsupported, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<PyramidPlan> plan_pyramid(const PyramidOptions& options);

namespace cpu {

/// Options of the CPU engine that never change a result.
struct PyramidTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = all the machine has.
};

/// Makes pyramids in host memory: streams the base once per band of rows, keeps the coarser rows in cache.
///
/// The same bits come out for any number of threads and any SIMD target.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Pyramid {
 public:
  /// Validates the options and allocates what build() needs.
  /// Errors: those of plan_pyramid, kOutOfMemory.
  static Result<Pyramid> create(const PyramidOptions& options, const PyramidTuning& tuning = {});

  /// Makes levels 1 and up of every slice. `levels[n-1]` receives level n: format options.target, size level_size(n),
  /// all slices. `levels` may hold fewer views than the plan has levels only if it is empty and the plan has one level.
  /// The views must not overlap the source or each other.
  /// Cost: reads the source once, writes each level once.
  /// Errors: kInvalidArgument when a view does not match the options, kOutOfMemory.
  Result<void> build(const ImageView& source, std::span<const MutableImageView> levels);

  /// Rewrites only the texels that a change of `changed`, a rectangle of the base (applied to every slice), can affect;
  /// the result equals build(). The rest of `levels` is neither read nor written. Cheap after a build() by the same
  /// object, because unrounded coarse values are kept; without one the whole source is read.
  /// With Alpha::kCoverage every texel can be affected: it is a build().
  /// Errors: as build(); kInvalidArgument when the rectangle is empty or leaves the base.
  Result<void> update(const ImageView& source, std::span<const MutableImageView> levels, Rect changed);

  [[nodiscard]] const PyramidPlan& plan() const;  ///< What it costs.

  Pyramid(Pyramid&&) noexcept;
  Pyramid& operator=(Pyramid&&) noexcept;
  ~Pyramid();

 private:
  struct Impl;
  ONEPASS_INTERNAL explicit Pyramid(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
