// program.hpp: what a tone map does to a texel, as both engines carry it out.
//
//     exposed rgb --mix--> [matrix] --clip--> [curve] --hue--> [matrix] --> ... four stages --> stored value
//
// In front of the last curve of HLG display light becomes scene light: channels times a curve of their luminance.
//
// Formulas live in operators.cpp and become curves and matrices here; kernels know no operator by name except for what
// mixes channels in ways of its own (Mix).
#pragma once

#include <array>
#include <limits>
#include <optional>

#include "onepass/tone_map.hpp"
#include "tone_map/curve.hpp"

namespace onepass::tone_map {

using Matrix = std::array<std::array<double, 3>, 3>;  ///< Rows.

/// What comes before the stages. Numbers of shaders/onepass/tone_map.glsl.
enum class Mix : uint32_t {
  kNone = 0,
  kLuminance = 1,  ///< Channels times a curve of luminance.
  kNeutral = 2,    ///< Khronos PBR Neutral.
};

/// After the exposure, values are at most this: the largest half.
inline constexpr double kMostLight = 65504;

inline constexpr size_t kStages = 4;

struct Stage {
  std::optional<Matrix> matrix;
  std::array<std::array<float, 3>, 3> weights{};  ///< Of the matrix, as the CPU has them.
  float top = static_cast<float>(kMostLight);     ///< After the matrix values are clipped to 0..top.
  bool clips = true;                              ///< The curve does not do that anyway.
  std::optional<Curve> curve;
};

struct Program {
  Mix mix = Mix::kNone;
  Curve luminance;  ///< kLuminance.
  std::array<Stage, kStages> stages;
  bool keeps_hue = false;               ///< After the first stage: AgX as Blender has it.
  bool guard_rail = false;              ///< After the second stage's matrix: colours outside Rec.709 are moved in.
  Curve rail;                           ///< guard_rail: luminance to the power 0.08, at most 1.
  std::array<float, 3> rail_weights{};  ///< guard_rail: luminance of Rec.709 as the guard rail sees it.
  /// The stage whose clipped values the inverse OOTF of HLG takes, in front of its curve; kStages: none does.
  size_t ootf_stage = kStages;
  Curve ootf;                           ///< Of luminance, to multiply with.
  std::array<float, 3> ootf_weights{};  ///< Luminance in the target's primaries.
};

/// One curve, with nothing before it but a matrix.
bool has_one_stage(const Program& program);
/// Curves only: what a channel becomes is a function of that channel.
bool keeps_channels_apart(const Program& program);

/// Options must be valid. Takes milliseconds.
Program make_program(const ToneMapOptions& options);

/// Values that are stored: the code that 1 becomes, for colours and for alpha; 1 for floats. Halves end at 65504.
struct TargetUnit {
  float color = 1;
  float alpha = 1;
  float most = std::numeric_limits<float>::max();  ///< Colours are at most this, in such units.
  bool unorm = false;
};
TargetUnit target_unit(Format target);

}  // namespace onepass::tone_map
