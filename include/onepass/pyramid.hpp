// pyramid.hpp: mip chains and hierarchical depth buffers: options, cost, and the CPU engine.
//
// A pyramid is a chain of levels. Level 0 is the base image. Level n has size max(1, floor(size / 2^n)) per axis
// (Footprint::kCeil: ceil(size / 2^n)), and each of its texels represents a footprint of base texels. The footprint
// rule matters at sizes that are not powers of two: most generators drop the odd row or column, which shifts colours
// and makes depth queries wrong. docs/pyramid.md has pictures.
//
//     onepass::PyramidOptions options{.size = {1920, 1080}, .source = photo.format, .target = photo.format};
//     auto pyramid = onepass::cpu::Pyramid::create(options);
//     if (!pyramid) return pyramid.error();
//     auto done = pyramid->build(photo, levels);  // levels[0] receives level 1, and so on
//
// onepass/vulkan/pyramid.hpp is the GPU version, with the same options. docs/accuracy.md bounds how far the results of
// the two may differ; min and max have the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/progress.hpp"
#include "onepass/reduction.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// The base texels that texel i of level n represents, per axis; S is the base size, S_n the size of the level.
enum class Footprint : uint32_t {
  kAligned,   ///< [i*2^n, (i+1)*2^n); the remainder is dropped, as in FidelityFX SPD.
  kCovering,  ///< [i*2^n, (i+1)*2^n + S mod 2^n). A texel is conservative for the finer texels at the same texture
              ///< coordinate, on every finer level. With kMean: polyphase weights (k-i, k, i+1)/(2k+1) at a finer size
              ///< 2k+1, so that every base texel has the same total weight.
  kTight,  ///< [floor(i*S/S_n), ceil((i+1)*S/S_n)). Conservative with respect to the base only; smaller footprints cull
           ///< more. Only kMin, kMax and kMinMax.
  kEdge,   ///< As kAligned, but the last texel of each level also covers the remainder. Look it up by texel index, not
           ///< by coordinate. With kMean all base texels of a footprint have the same weight.
  kCeil,   ///< [i*2^n, min(S, (i+1)*2^n)) with level sizes that round up: ceil(S/2^n), as in DeepZoom, TIFF and
           ///< OME-Zarr. The last texel stands for what exists of its block; with kMean all base texels of a footprint
           ///< have the same weight. Only on the CPU: sizes of Vulkan images and KTX2 files round down.
};

/// Treatment of the fourth channel.
enum class Alpha : uint32_t {
  kIndependent,  ///< Alpha is reduced like the other channels.
  kWeighted,     ///< Colours are averaged with alpha as their weight, so that transparent texels do not bleed into the
                 ///< result. If all texels of a footprint are transparent, the unweighted mean is used.
  kCoverage,     ///< kWeighted; each level's alpha is also scaled so that the share of texels that store alpha >=
                 ///< alpha_threshold is nearest to the base's: foliage does not get thinner. By slice (pyramid.md).
};

/// Whether the texels are unit vectors.
enum class NormalMap : uint32_t {
  kOff,
  kRenormalize,  ///< Averages the vectors and writes them with length 1. UNORM stores 0.5*n+0.5. With two channels, z =
                 ///< sqrt(1-x^2-y^2) is implied; with four channels, the last one is averaged unchanged.
};

/// The dispatches of the Vulkan engine; results differ at most by the rounding contract (docs/accuracy.md).
enum class PyramidPath : uint32_t {
  kAuto,  ///< kSingleDispatch; kPerLevel if the device has fewer than 15 storage images per stage or less shared memory
          ///< than the kernel needs: 3 to 17 KB, by components and footprint.
  kSingleDispatch,  ///< All levels of all slices in one dispatch, or in two: vulkan::PyramidTuning::second_dispatch.
  kPerLevel,        ///< One dispatch and one barrier per level.
};

/// The weights of a mean. All but kBox are functions h(x) of the distance x from the middle of a texel, in texels of
/// its level, per axis: docs/mip_filters.md has the formulas, spectra and pictures.
enum class MipFilter : uint32_t {
  kBox,         ///< The texels of the footprint. The fastest; blurs, and lets fine detail through as aliases.
  kTriangle,    ///< 1 - |x|, half width 1. Smoother than the box; no negative weights.
  kCatmullRom,  ///< Cubic with B = 0, C = 1/2, half width 2. Sharp.
  kMitchell,    ///< Cubic with B = C = 1/3, half width 2. Between sharp and smooth, with little ringing.
  kLanczos,     ///< sinc(x) sinc(x/3), half width 3. Sharp, few aliases, rings beside edges.
  kKaiser,      ///< sinc(x) times a Kaiser window with a width and a shape of your choice; the usual one for textures.
};

/// The texels that the weights of a MipFilter apply to.
enum class MipFilterInput : uint32_t {
  kFinerLevel,  ///< The level before, unrounded.
  kBase,        ///< The base, with filters as much wider: no filter is applied to the result of another. Each level
                ///< costs as much as the first one.
};

/// What becomes of values beyond those of the input, which filters with negative weights make beside edges.
enum class Ringing : uint32_t {
  kKeep,   ///< They are stored, unless the target clamps them.
  kLimit,  ///< Along each axis a value is limited to the range of the input texels nearer than one texel of the level.
};

/// The filter of a mean, other than the footprint's. Fields after the first count for other kinds than kBox.
struct MipFilterOptions {
  MipFilter kind = MipFilter::kBox;                    ///< Others need kMean and kCovering.
  MipFilterInput input = MipFilterInput::kFinerLevel;  ///< kBase: slower, and exact.
  Boundary boundary = Boundary::kClamp;  ///< Texels outside the image: kWrap for textures that repeat. Not kZero.
  Ringing ringing = Ringing::kKeep;      ///< Alpha::kWeighted needs kLimit, unless the kind is kTriangle.
  float kaiser_width = 3.0F;  ///< kKaiser: half width in texels of the level, 1 to 16. More is sharper and rings more.
  float kaiser_alpha = 4.0F;  ///< kKaiser: 0 to 20; more blurs and rings less. The argument of I0: NumPy's beta.
};

/// Capacity for levels; the largest base, 65535 texels, has 16.
inline constexpr uint32_t kMaxLevels = 32;

/// Options of a pyramid, the same for both engines.
struct PyramidOptions {
  Extent size;                         ///< Size of the base, 1 to 65535 per axis (Vulkan: up to the device's limit).
  uint32_t slices = 1;                 ///< Array layers or cube faces; each has its own chain.
  uint32_t levels = 0;                 ///< Number of levels including level 0, as Vulkan's mipLevels. 0 = down to 1x1.
  Format source = Format::kUndefined;  ///< Any format.
  Format target = Format::kUndefined;  ///< Any format except depth, with the channels of the source; three and four
                                       ///< channels convert to each other. kMinMax: two channels.
  Reduction reduction = Reduction::kMean;
  Footprint footprint = Footprint::kCovering;
  Alpha alpha = Alpha::kIndependent;       ///< Other values need kMean and four channels.
  float alpha_threshold = 0.5F;            ///< kCoverage: above 0, at most 1.
  NormalMap normal_map = NormalMap::kOff;  ///< kRenormalize needs kMean, kIndependent, two to four channels and no
                                           ///< sRGB.
  uint32_t samples = 1;  ///< Samples per texel of the source: 1, or 2, 4 or 8 of a multisampled image, which the
                         ///< Vulkan engine reads. All samples of a texel are reduced. More than 1 needs a source with
                         ///< one channel, and kMin, kMax or kMinMax.
  MipFilterOptions filter{};  ///< Weights of kMean.
};

/// Number of levels of a full chain: floor(log2(max(width, height))) + 1. 0 for an empty size.
[[nodiscard]] ONEPASS_API uint32_t full_level_count(Extent size);

/// Size of level n: max(1, size >> n) per axis.
[[nodiscard]] ONEPASS_API Extent level_size(Extent base, uint32_t level);

/// The same for a footprint: with kCeil level n has ceil(size / 2^n) texels per axis and a full chain
/// ceil(log2(max(width, height))) + 1 levels. Other footprints: as above.
[[nodiscard]] ONEPASS_API uint32_t full_level_count(Footprint footprint, Extent size);
/// Size of a level of a footprint.
[[nodiscard]] ONEPASS_API Extent level_size(Footprint footprint, Extent base, uint32_t level);

/// A half-open range of texel indices.
struct TexelRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  friend bool operator==(const TexelRange&, const TexelRange&) = default;
};

/// The base texels that texel `i` of level `level` represents along one axis of base size `size`: the footprint
/// definitions as code.
[[nodiscard]] ONEPASS_API TexelRange footprint_range(Footprint footprint, uint32_t size, uint32_t level, uint32_t i);

/// The texels of `level` whose footprint along one axis overlaps the base range `changed`: those that an update
/// rewrites. Empty (begin == end) if there are none.
[[nodiscard]] ONEPASS_API TexelRange affected_range(Footprint footprint, uint32_t size, uint32_t level,
                                                    TexelRange changed);

/// The texels of `level` that a changed rectangle of the base affects. Width and height are 0 if there are none. With a
/// MipFilter other than kBox: all texels of the level.
[[nodiscard]] ONEPASS_API Rect affected_rect(const PyramidOptions& options, uint32_t level, Rect changed);

/// The levels of a pyramid and its minimum memory traffic. Computed from the options alone.
struct PyramidPlan {
  uint32_t levels = 0;                     ///< Number of levels, including level 0.
  std::array<Extent, kMaxLevels> sizes{};  ///< sizes[n] is the size of level n, for n < levels.
  uint64_t bytes_read = 0;                 ///< The base of all slices with all samples, read once; 0 if there is no
                                           ///< level to make.
  uint64_t bytes_written = 0;              ///< Levels 1 and up of all slices, written once.
};

/// Validates the options and computes the plan.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<PyramidPlan> plan_pyramid(const PyramidOptions& options);

/// Cost of a pyramid on a GPU, known before anything is created.
struct PyramidDispatchPlan {
  /// The workgroups of one dispatch.
  struct Groups {
    uint32_t x = 0, y = 0, z = 0;   ///< Their number on each axis.
    uint32_t workgroup_size = 256;  ///< Invocations of each of them.
  };
  PyramidPlan plan;
  PyramidPath path = PyramidPath::kSingleDispatch;
  std::vector<Groups> dispatches;  ///< All dispatches of record(), in order.
  uint64_t scratch_bytes = 0;      ///< Bytes of device memory for counters and the exchange.
  uint64_t bytes_read = 0;         ///< Predicted minimum: the source once, and the reads of the exchange.
  uint64_t bytes_written = 0;      ///< Predicted: the levels, and the writes of the exchange.
};

namespace cpu {

/// Tuning of the CPU engine; it never changes a result.
struct PyramidTuning {
  uint32_t threads = 0;    ///< At most this many threads; 0 = usable_threads().
  Progress progress = {};  ///< Reports of build() and update(); a cancelled call leaves the levels partly written.
};

/// Makes pyramids in host memory. Reads the base once, in bands of rows, and keeps the coarser rows in the cache.
///
/// Results are bit-identical for any number of threads and any SIMD target.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Pyramid {
 public:
  /// Validates the options and allocates the working memory of build().
  /// Errors: those of plan_pyramid(), kInvalidArgument for more than one sample, kOutOfMemory.
  static Result<Pyramid> create(const PyramidOptions& options, const PyramidTuning& tuning = {});

  /// Makes levels 1 and up of every slice. `levels[n-1]` receives level n: format options.target, size plan().sizes[n],
  /// all slices. There is one view for each level except level 0. The views must not overlap the source or each other.
  /// Cost: reads the source once, writes each level once.
  /// Errors: kInvalidArgument if the number of views or a view does not match the options; kOutOfMemory;
  /// kCancelled.
  Result<void> build(const ImageView& source, std::span<const MutableImageView> levels);

  /// Rewrites only the texels that a change inside `changed`, a rectangle of the base in every slice, can affect; the
  /// result is that of build(). Other texels of `levels` are neither read nor written. After a build() of the same
  /// object, an update is cheap, because the object keeps unrounded intermediate levels; otherwise it reads the whole
  /// source. With Alpha::kCoverage, or a MipFilter other than kBox, update() does a build().
  /// Errors: those of build(); kInvalidArgument if the rectangle is empty or not within the base.
  Result<void> update(const ImageView& source, std::span<const MutableImageView> levels, Rect changed);

  [[nodiscard]] const PyramidPlan& plan() const;  ///< The plan of the options given to create().

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
