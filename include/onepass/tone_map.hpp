// tone_map.hpp: maps scene light to the range of a display or file in one pass: exposure, tone curve, transfer
// function.
//
//     texel --> x exposure --> operator --> primaries --> transfer --> dither --> target
//     linear    (the meter's   (scene to    Rec.709 or    sRGB, PQ...  UNORM      8 to 32 bits
//     light      or yours)      display)    Rec.2020                   only
//
// Every texel is read once (twice with local exposure) and written once. All operators cost about the same per channel:
// the operator is one curve, combined with the transfer function if no step in between mixes channels, and each curve
// is evaluated as a short polynomial, looked up by exponent. Results do not depend on the log, exp or pow of a library
// or driver. docs/tone_map.md has every formula with its source, and a table of exact values.
//
//     onepass::ToneMapOptions options{.size = {3840, 2160}, .source = Format::kRGBA16Sfloat,
//                                     .target = Format::kRGBA8Srgb, .tone_operator = ToneOperator::kAgxBlender};
//     auto map = onepass::cpu::ToneMap::create(options);
//     if (!map) return map.error();
//     auto done = map->apply(scene, picture, exposure);
//
// Non-finite and out-of-range input: after exposure, NaN and negative channels count as 0, and values above 65504 (the
// largest half), including Inf, count as 65504. No result is NaN for any input. Alpha is not changed, except that NaN
// becomes 0.
//
// onepass/vulkan/tone_map.hpp is the GPU version; it can read the exposure from the meter's buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// Tone curves. "Per channel": red, green and blue are mapped separately, so hues shift towards the brightest channels.
/// All operators take linear Rec.709 light; 0.18 is middle grey. Display light 1 is reference white. "Headroom": the
/// operator has a variant whose highlights exceed 1, up to headroom_of(). The others end at 1, which PQ and HLG show at
/// `paper_white_nits`. Formulas, constants, sources and the maximum of each: docs/tone_map.md.
enum class ToneOperator : uint32_t {
  kExposure,           ///< Exposure only; the transfer clips. Headroom: linear up to it.
  kReinhard,           ///< Per channel x / (1 + x). Reinhard et al. 2002, equation 3. Headroom.
  kReinhardExtended,   ///< Per channel; `white` maps to 1, or to the headroom. Equation 4.
  kReinhardLuminance,  ///< Equation 4 of luminance; keeps ratios of channels, so saturated colours may exceed 1.
                       ///< Headroom.
  kHable,              ///< Per channel; the film curve of Uncharted 2 with white 11.2. Hable 2010.
  kHejlBurgessDawson,  ///< Per channel; designed for a display of gamma 2.2. 2010.
  kAcesNarkowicz,      ///< Per channel; a fit to the ACES RRT + ODT, without the author's factor 0.6. 2016.
  kAcesHill,           ///< The fit with the matrices of ACES. Hill 2016, without a factor.
  kAgxSobotka,         ///< Per channel after an inset; designed for a display of gamma 2.2. 2022.
  kAgxBlender,  ///< Rec.2020, with an outset, 60 % of the hue kept, and a guard rail. Chow 2023; Blender 4. Headroom.
  kPbrNeutral,  ///< Base colours below 0.8 are not changed. Khronos 2024.
  kLottes,      ///< Per channel; contrast 1.6, white at 8. GDC 2016.
  kUchimura,    ///< Per channel; toe, line, shoulder. "Gran Turismo", 2017.
  kDrago,       ///< Logarithms of bases 2 to 10, of luminance; `drago` defines white. 2003.
};

/// The encoding of display light as stored values. kSrgb and kGamma clip to 0..1 first, kPq and kHlg to
/// 0..headroom_of(), or to 0..1 for operators without headroom.
enum class Transfer : uint32_t {
  kLinear,  ///< No encoding; float targets can hold values above 1.
  kSrgb,    ///< IEC 61966-2-1.
  kGamma,   ///< Light to the power of 1 / gamma.
  kPq,      ///< SMPTE ST 2084: light 1 is shown at `paper_white_nits`, the headroom at `peak_nits`.
  kHlg,     ///< ARIB STD-B67 of BT.2100. Stores the scene light for which a display of 1000 cd/m^2 and system gamma 1.2
            ///< shows light 1 at `paper_white_nits`. The inverse OOTF is applied to luminance, so colours are kept.
};

/// The primaries of the target.
enum class Primaries : uint32_t {
  kRec709,   ///< BT.709, also the primaries of sRGB: those of the source.
  kRec2020,  ///< BT.2020, for PQ and HLG.
};

/// Grading after AgX: slope, power and saturation as in the ASC CDL, on display-encoded values.
enum class AgxLook : uint32_t {
  kNone,
  kGolden,  ///< Slope (1, 0.9, 0.5), power 0.8, saturation 1.3.
  kPunchy,  ///< Power 1.35, saturation 1.4.
};

/// Dither hides the steps of UNORM targets.
enum class Dither : uint32_t {
  kOff,
  kOn,  ///< Adds up to half a quantisation step up or down. The offset depends on the position only: no seed, the same
        ///< result in every run and engine. A value that is exactly representable does not change. Neighbours get
        ///< different offsets, so the error is at high frequencies, like blue noise.
};

/// Parameters of kDrago; luminances are of exposed light.
struct DragoOptions {
  float bias = 0.85F;     ///< 0.5 to 1: higher values give a darker image.
  float average = 0.18F;  ///< The adaptation luminance: the value that exposure maps the average to. 0.01 to 65504.
  float white = 100.0F;   ///< The luminance that maps to 1. 0.01 to 65504.
};

/// Local exposure: moves regions brighter or darker than grey nearer to grey (or farther away), keeps the contrast
/// inside each region, and makes no halos at edges between regions. It is off, and costs nothing, while the three
/// contrasts are 1. It reads the source a second time. Formulas and sources: docs/local_exposure.md.
struct LocalExposure {
  float highlights = 1.0F;  ///< Contrast of regions brighter than grey, in stops: 0.5 halves their distance from grey.
                            ///< 0 to 2.
  float shadows = 1.0F;     ///< Contrast of regions darker than grey. 0 to 2.
  float detail = 1.0F;      ///< Contrast inside regions. 0 to 4.
  float grey = 0.18F;      ///< The exposed luminance that does not change: the value that exposure maps the average to.
                           ///< 2^-16 to 2^16.
  float region = 0.0625F;  ///< Side of a region as a share of the image's shorter side, 1/256 to 1/2. Much smaller
                           ///< structures are detail. In texels it is a multiple of 16, at most 256.

  /// Whether local exposure changes anything.
  [[nodiscard]] constexpr bool enabled() const { return highlights != 1 || shadows != 1 || detail != 1; }
};

/// Options of a tone map, the same for both engines.
struct ToneMapOptions {
  Extent size;          ///< Size of source and target, 1 to 65535 per axis (Vulkan: up to the device's limit).
  uint32_t slices = 1;  ///< Array layers or cube faces.
  Format source = Format::kUndefined;  ///< Any format; sRGB is decoded. One channel: grey; two: grey and alpha.
  Format target = Format::kUndefined;  ///< Any format except depth. sRGB formats hold sRGB-encoded values: `transfer`
                                       ///< must be kSrgb. One or two channels: the source must have as many.
  ToneOperator tone_operator = ToneOperator::kAgxBlender;
  float exposure = 1.0F;  ///< Factor on the source's light, 0 or more; multiplied by the exposure given to each call.
  float white = 4.0F;     ///< kReinhardExtended and kReinhardLuminance: the exposed light that maps to the headroom
                       ///< (without headroom: to 1). Range: 2^-6 to 65504. Below the headroom, the curve lies above the
                       ///< straight line.
  DragoOptions drago{};
  AgxLook look = AgxLook::kNone;  ///< Only for kAgxSobotka and kAgxBlender.
  Transfer transfer = Transfer::kSrgb;
  float gamma = 2.2F;         ///< kGamma: 1 to 3.
  float peak_nits = 1000.0F;  ///< kPq: the largest stored luminance in cd/m^2, 1 to 10000. kHlg: always 1000.
  Primaries primaries = Primaries::kRec709;
  Dither dither = Dither::kOff;  ///< Only for UNORM and sRGB targets.
  LocalExposure local{};         ///< Off by default.
  /// kPq and kHlg: the luminance at which display light 1, reference white, is shown, in cd/m^2: 1 to 10000, at most
  /// the peak. 203 is HDR reference white of BT.2408, 75 % of an HLG signal. Equal to the peak: no headroom.
  float paper_white_nits = 203.0F;
  /// kLinear with float targets: the display light up to which operators with headroom go, 1 to 10000. Otherwise it
  /// must be 1: for kPq and kHlg the headroom follows from the two luminances above.
  float headroom = 1.0F;
};

/// The peak of the display for which HLG signals are made, in cd/m^2: BT.2100, system gamma 1.2.
inline constexpr float kHlgPeakNits = 1000.0F;

/// Whether an operator has a variant with headroom. The others end at 1, or are clipped there.
[[nodiscard]] constexpr bool uses_headroom(ToneOperator tone_operator) {
  switch (tone_operator) {
    case ToneOperator::kExposure:
    case ToneOperator::kReinhard:
    case ToneOperator::kReinhardExtended:
    case ToneOperator::kReinhardLuminance:
    case ToneOperator::kAgxBlender:
      return true;
    default:
      return false;
  }
}

/// The brightest display light that a target can hold, in units of reference white: peak over paper white for kPq and
/// kHlg, `headroom` for kLinear, otherwise 1.
[[nodiscard]] constexpr double headroom_of(const ToneMapOptions& options) {
  if (options.transfer == Transfer::kPq) return double{options.peak_nits} / double{options.paper_white_nits};
  if (options.transfer == Transfer::kHlg) return double{kHlgPeakNits} / double{options.paper_white_nits};
  return options.transfer == Transfer::kLinear ? double{options.headroom} : 1.0;
}

/// The minimum memory traffic of a tone map. Computed from the options alone.
struct ToneMapPlan {
  uint64_t bytes_read = 0;     ///< The source of all slices, read once; twice with local exposure.
  uint64_t bytes_written = 0;  ///< The target of all slices, written once.
};

/// Validates the options and computes the plan.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<ToneMapPlan> plan_tone_map(const ToneMapOptions& options);

/// The data of an operator for your own shader around shaders/onepass/tone_map.glsl (or .hlsl);
/// docs/shaders/tone_map.md.
struct ToneMapShader {
  std::vector<float> program;  ///< ToneMapProgram of tone_map_params.h, for a uniform buffer: std140, 336 bytes.
  std::vector<float> cubics;   ///< Four numbers per cubic, for ONEPASS_TONE_CUBICS: a storage buffer of float4.
  std::string definitions;     ///< The macros that the header needs: lines such as "#define ONEPASS_TONE_MIX 0".
};

/// Fits the curves, which takes some milliseconds. The numbers are those of vulkan::ToneMap. `size`, `slices`,
/// `source`, `exposure`, `dither` and `local` have no effect but must be valid. Threads: any number of calls at once.
/// Errors: those of plan_tone_map().
[[nodiscard]] ONEPASS_API Result<ToneMapShader> tone_map_shader(const ToneMapOptions& options);

/// The exposure factor that is used for a factor from another source: the factor itself if it is finite and above 0,
/// otherwise 1. So a meter that has measured nothing yet does not give a black frame.
[[nodiscard]] constexpr float usable_exposure(float exposure) {
  return exposure > 0.0F && exposure <= 3.402823466e38F ? exposure : 1.0F;
}

namespace cpu {

/// Tuning of the CPU engine; it never changes a result.
struct ToneMapTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = usable_threads().
};

/// Maps images in host memory. Rows are processed in pieces that stay in the L1 cache, on several threads.
///
/// Results are bit-identical for any number of threads and any SIMD target.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API ToneMap {
 public:
  /// Validates the options and fits the curves, which takes some milliseconds. The process keeps the curves of the last
  /// 16 operators that were asked for, on the CPU or in Vulkan: asking again takes microseconds. Sizes, source formats,
  /// exposure and local exposure make no difference.
  /// Errors: those of plan_tone_map(), kOutOfMemory.
  static Result<ToneMap> create(const ToneMapOptions& options, const ToneMapTuning& tuning = {});

  /// Maps every slice. The target may be the source if the formats of both views have the same number of bytes per
  /// texel. With one slice, a target of fewer bytes per texel may begin where the source begins, with the same
  /// row_stride or a smaller one: the source is overwritten, and no memory for a target is needed. Other overlaps are
  /// not allowed. After kOutOfMemory the target, and a source in the same place, may be partly overwritten. `exposure`
  /// is multiplied by options.exposure; see usable_exposure(). Cost: reads the source once (twice with local exposure),
  /// writes the target once. Errors: kInvalidArgument if a view does not match the options; kOutOfMemory.
  [[nodiscard]] Result<void> apply(const ImageView& source, const MutableImageView& target,
                                   float exposure = 1.0F) const;

  [[nodiscard]] const ToneMapPlan& plan() const;        ///< The plan of the options given to create().
  [[nodiscard]] const ToneMapOptions& options() const;  ///< The options given to create().

  ToneMap(ToneMap&&) noexcept;
  ToneMap& operator=(ToneMap&&) noexcept;
  ~ToneMap();

 private:
  friend class FrameToneMap;
  [[nodiscard]] ONEPASS_INTERNAL Result<void> check(const ImageView& source, const MutableImageView& target) const;
  /// Prepares a slice: call it before apply_rows(), and not at the same time.
  ONEPASS_INTERNAL void prepare(uint32_t slice, float exposure) const;
  /// Maps rows of one slice on the calling thread. Any number of calls at once.
  ONEPASS_INTERNAL void apply_rows(const ImageView& source, const MutableImageView& target, uint32_t slice,
                                   uint32_t first, uint32_t count) const;

  struct Impl;
  ONEPASS_INTERNAL explicit ToneMap(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
