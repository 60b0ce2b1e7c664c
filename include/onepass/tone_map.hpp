// tone_map.hpp: scene light to what a display or a file can hold: exposure, a tone curve, a transfer function, one
// pass.
//
//     texel --> x exposure --> operator --> primaries --> transfer --> dither --> target
//     linear    (the meter's   (scene to    Rec.709 or    sRGB, PQ...   codes     8 to 32 bits
//     light      or yours)      display)    Rec.2020
//
// Every texel is read once (with local exposure twice) and written once. Whatever the operator, a channel costs about
// the same: the operator, and where nothing mixes channels after it the transfer too, is one curve, and curves are
// evaluated as short polynomials looked up by exponent. No result depends on a library's or a driver's log, exp or pow;
// see docs/tone_map.md, which also has every formula with its source, and a table of exact values.
//
//     onepass::ToneMapOptions options{.size = {3840, 2160}, .source = Format::kRGBA16Sfloat,
//                                     .target = Format::kRGBA8Srgb, .tone_operator = ToneOperator::kAgxBlender};
//     auto map = onepass::cpu::ToneMap::create(options);
//     if (!map) return map.error();
//     auto done = map->apply(scene, picture, exposure);
//
// What is not a colour: after exposure NaN and negative channels count as 0, and values above 65504, Inf among them, as
// 65504, the largest half. No result is NaN, with any input. Alpha is not touched (NaN becomes 0).
//
// onepass/vulkan/tone_map.hpp is the same on a GPU, where the exposure can come from the meter's buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// Tone curves. "Per channel": red, green and blue on their own, hues shift towards the brightest channels.
/// All take linear Rec.709 light; 0.18 is mid grey. Display light 1 is reference white. "Headroom": the operator has a
/// form whose highlights go above 1, up to headroom_of(); all others end at 1, which PQ and HLG show at
/// `paper_white_nits`. Formulas, constants, sources, and the most that each gives: docs/tone_map.md.
enum class ToneOperator : uint32_t {
  kExposure,           ///< Exposure only; the transfer clips. Headroom: linear up to there.
  kReinhard,           ///< Per channel x / (1 + x). Reinhard et al. 2002, equation 3. Headroom.
  kReinhardExtended,   ///< Per channel; `white` becomes 1, with headroom that. Equation 4.
  kReinhardLuminance,  ///< Equation 4 of luminance; keeps ratios of channels, saturated colours may pass 1. Headroom.
  kHable,              ///< Per channel; the film curve of Uncharted 2 with white 11.2. Hable 2010.
  kHejlBurgessDawson,  ///< Per channel; made for a display of gamma 2.2. 2010.
  kAcesNarkowicz,      ///< Per channel; a fit to the ACES RRT + ODT, without the author's scale of 0.6. 2016.
  kAcesHill,           ///< The fit that keeps the matrices of ACES. Hill 2016, without scale.
  kAgxSobotka,         ///< Per channel after an inset; made for a display of gamma 2.2. 2022.
  kAgxBlender,         ///< Rec.2020, with an outset, 60 % of the hue kept, guard rail. Chow 2023; Blender 4. Headroom.
  kPbrNeutral,         ///< Base colours below 0.8 stay as they are. Khronos 2024.
  kLottes,             ///< Per channel; contrast 1.6, white at 8. GDC 2016.
  kUchimura,           ///< Per channel; toe, line, shoulder. "Gran Turismo", 2017.
  kDrago,              ///< Logarithms of bases 2 to 10, of luminance; `drago` says which light is white. 2003.
};

/// How display light becomes stored values. kSrgb and kGamma clip to 0..1 first, kPq and kHlg to 0..headroom_of(), or
/// to 0..1 for operators without headroom.
enum class Transfer : uint32_t {
  kLinear,  ///< As it is; float targets receive what is above 1.
  kSrgb,    ///< IEC 61966-2-1.
  kGamma,   ///< Light to the power 1 / gamma.
  kPq,      ///< SMPTE ST 2084: 1 is shown as `paper_white_nits`, the headroom as `peak_nits`.
  kHlg,     ///< ARIB STD-B67 of BT.2100. The scene light that a display of 1000 cd/m^2 and system gamma 1.2 shows so
            ///< that 1 has `paper_white_nits`: the inverse OOTF goes by luminance, colours stay what they are.
};

/// Colours of the target.
enum class Primaries : uint32_t {
  kRec709,   ///< BT.709, also those of sRGB: as the source.
  kRec2020,  ///< BT.2020, for PQ and HLG.
};

/// Grading after AgX: slope, power and saturation as in ASC CDL, on values as encoded for a display.
enum class AgxLook : uint32_t {
  kNone,
  kGolden,  ///< Slope (1, 0.9, 0.5), power 0.8, saturation 1.3.
  kPunchy,  ///< Power 1.35, saturation 1.4.
};

/// What hides the steps of UNORM targets.
enum class Dither : uint32_t {
  kOff,
  kOn,  ///< Up to half a code up or down, by position only: nothing to seed, the same on every run and engine, and a
        ///< value that is a code stays that code. Neighbours differ: the error is at high frequencies, like blue noise.
};

/// Parameters of kDrago, in units of exposed light.
struct DragoOptions {
  float bias = 0.85F;     ///< 0.5 to 1: higher is darker.
  float average = 0.18F;  ///< The adapting luminance: where exposure puts the average. 0.01 to 65504.
  float white = 100.0F;   ///< The luminance that becomes 1. 0.01 to 65504.
};

/// Local exposure: regions brighter or darker than grey are brought nearer to it (or taken farther away), while what is
/// inside a region keeps its contrast and edges between regions have no halos. With what is below at 1 there is none,
/// and nothing is computed. Reads the source a second time. Formulas and sources: docs/local_exposure.md.
struct LocalExposure {
  float highlights = 1.0F;  ///< Contrast of regions brighter than grey, in stops: 0.5 halves their distance. 0 to 2.
  float shadows = 1.0F;     ///< The same of darker regions. 0 to 2.
  float detail = 1.0F;      ///< Contrast inside regions. 0 to 4.
  float grey = 0.18F;       ///< The exposed luminance that stays: what exposure makes of the average. 2^-16 to 2^16.
  float region = 0.0625F;   ///< Side of a region as a share of the image's shorter side, 1/256 to 1/2. What is much
                            ///< smaller is detail. In texels it is a multiple of 16, and at most 256.

  /// Does it change anything?
  [[nodiscard]] constexpr bool enabled() const { return highlights != 1 || shadows != 1 || detail != 1; }
};

/// What to make. The two engines take the same options.
struct ToneMapOptions {
  Extent size;                         ///< Of source and target, 1 to 65535 each way (Vulkan: the device's limit).
  uint32_t slices = 1;                 ///< Array layers or cube faces.
  Format source = Format::kUndefined;  ///< Any: sRGB is decoded. One channel: grey; two: grey and alpha.
  Format target = Format::kUndefined;  ///< Any but depth. sRGB formats hold sRGB codes: `transfer` must be kSrgb.
                                       ///< One or two channels: for sources with as many.
  ToneOperator tone_operator = ToneOperator::kAgxBlender;
  float exposure = 1.0F;  ///< Factor on the source's light, 0 or more; multiplied with that of a call.
  float white = 4.0F;     ///< kReinhardExtended and kReinhardLuminance: the exposed light that becomes the headroom, 1
                          ///< without. 2^-6 to 65504; below the headroom the curve lies above the straight line.
  DragoOptions drago{};
  AgxLook look = AgxLook::kNone;  ///< kAgxSobotka and kAgxBlender only.
  Transfer transfer = Transfer::kSrgb;
  float gamma = 2.2F;         ///< kGamma: 1 to 3.
  float peak_nits = 1000.0F;  ///< kPq: the brightest that is stored, in cd/m^2: 1 to 10000. kHlg: always 1000.
  Primaries primaries = Primaries::kRec709;
  Dither dither = Dither::kOff;  ///< UNORM and sRGB targets only.
  LocalExposure local{};         ///< Off by default.
  /// kPq and kHlg: what display light 1, reference white, is shown as, in cd/m^2: 1 to 10000, and at most the peak.
  /// 203 is HDR reference white of BT.2408, 75 % of an HLG signal. Equal to the peak, there is no headroom.
  float paper_white_nits = 203.0F;
  /// kLinear with float targets: display light that operators with headroom go up to, 1 to 10000. What the other
  /// transfers have follows from the two peaks, or is 1.
  float headroom = 1.0F;
};

/// The peak of the display that HLG signals are made for, in cd/m^2: BT.2100, system gamma 1.2.
inline constexpr float kHlgPeakNits = 1000.0F;

/// Does an operator have a form with headroom? The others end at 1, or are clipped there.
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

/// The brightest display light that a target holds, in units of reference white: the peak over paper white for kPq and
/// kHlg, `headroom` for kLinear, else 1.
[[nodiscard]] constexpr double headroom_of(const ToneMapOptions& options) {
  if (options.transfer == Transfer::kPq) return double{options.peak_nits} / double{options.paper_white_nits};
  if (options.transfer == Transfer::kHlg) return double{kHlgPeakNits} / double{options.paper_white_nits};
  return options.transfer == Transfer::kLinear ? double{options.headroom} : 1.0;
}

/// What a tone map costs at least: pure arithmetic on the options, no engine involved.
struct ToneMapPlan {
  uint64_t bytes_read = 0;     ///< The source of all slices, once; twice with local exposure.
  uint64_t bytes_written = 0;  ///< The target of all slices, once.
};

/// Validates the options and counts bytes.
/// Errors: kInvalidArgument or kUnsupported, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<ToneMapPlan> plan_tone_map(const ToneMapOptions& options);

/// An operator as your own shader around shaders/onepass/tone_map.glsl (or .hlsl) applies it; docs/shaders/tone_map.md.
struct ToneMapShader {
  std::vector<float> program;  ///< ToneMapProgram of tone_map_params.h: a uniform buffer, std140, 336 bytes.
  std::vector<float> cubics;   ///< Four numbers a cubic, for ONEPASS_TONE_CUBICS: a storage buffer of float4.
  std::string definitions;     ///< The macros that the header wants, as lines "#define ONEPASS_TONE_MIX 0" and so on.
};

/// Fits the curves: some milliseconds. The same numbers as vulkan::ToneMap uses. `size`, `slices`, `source`,
/// `exposure`, `dither` and `local` do not matter but must be valid.
/// Errors: those of plan_tone_map.
[[nodiscard]] ONEPASS_API Result<ToneMapShader> tone_map_shader(const ToneMapOptions& options);

/// What a factor of exposure that came from elsewhere counts as: itself if it is finite and above 0, else 1, so that a
/// meter that has seen nothing yet makes a picture and not a black frame.
[[nodiscard]] constexpr float usable_exposure(float exposure) {
  return exposure > 0.0F && exposure <= 3.402823466e38F ? exposure : 1.0F;
}

namespace cpu {

/// Options of the CPU engine that never change a result.
struct ToneMapTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = all the machine has.
};

/// Maps images in host memory: rows in pieces that stay in the nearest cache, spread over threads.
///
/// The same bits come out for any number of threads and any SIMD target.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API ToneMap {
 public:
  /// Validates the options and fits the curves: some milliseconds.
  /// Errors: those of plan_tone_map, kOutOfMemory.
  static Result<ToneMap> create(const ToneMapOptions& options, const ToneMapTuning& tuning = {});

  /// Maps every slice. The target may be the source where formats have the same number of bytes a texel. `exposure` is
  /// multiplied with options.exposure; see usable_exposure(). Cost: reads the source once, writes the target once.
  /// Errors: kInvalidArgument when a view does not match the options, kOutOfMemory.
  [[nodiscard]] Result<void> apply(const ImageView& source, const MutableImageView& target,
                                   float exposure = 1.0F) const;

  [[nodiscard]] const ToneMapPlan& plan() const;        ///< What it costs.
  [[nodiscard]] const ToneMapOptions& options() const;  ///< As given to create().

  ToneMap(ToneMap&&) noexcept;
  ToneMap& operator=(ToneMap&&) noexcept;
  ~ToneMap();

 private:
  friend class FrameToneMap;
  [[nodiscard]] ONEPASS_INTERNAL Result<void> check(const ImageView& source, const MutableImageView& target) const;
  /// Gets ready for the rows of a slice: before apply_rows(), and not beside it.
  ONEPASS_INTERNAL void prepare(uint32_t slice, float exposure) const;
  /// Rows of one slice, on the calling thread. Any number of calls at once.
  ONEPASS_INTERNAL void apply_rows(const ImageView& source, const MutableImageView& target, uint32_t slice,
                                   uint32_t first, uint32_t count) const;

  struct Impl;
  ONEPASS_INTERNAL explicit ToneMap(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
