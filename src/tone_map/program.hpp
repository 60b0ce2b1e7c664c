// program.hpp: a tone map as a sequence of stages, matrices and curves, which both engines apply to each texel.
//
//     exposed rgb --mix--> [matrix] --clip--> [curve] --hue--> [matrix] --> ... four stages --> stored value
//
// For HLG, display light becomes scene light in front of the last curve: channels are multiplied by a curve of their
// luminance.
//
// operators.cpp has the formulas; program.cpp makes curves and matrices of them. The kernels have code for an operator
// only if it mixes channels in its own way (Mix).
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "onepass/color.hpp"
#include "onepass/tone_map.hpp"
#include "tone_map/curve.hpp"

namespace onepass::tone_map {

using Matrix = ColorMatrix;  ///< Rows.

/// The step before the stages. The numbers are those of shaders/onepass/tone_map_params.h.
enum class Mix : uint32_t {
  kNone = 0,
  kLuminance = 1,  ///< Channels are multiplied by a curve of luminance.
  kNeutral = 2,    ///< Khronos PBR Neutral.
};

/// Exposed values are at most this: the largest half.
inline constexpr double kMostLight = 65504;

inline constexpr size_t kStages = 4;

struct Stage {
  std::optional<Matrix> matrix;
  std::array<std::array<float, 3>, 3> weights{};  ///< The matrix in floats, for the CPU.
  float top = static_cast<float>(kMostLight);     ///< After the matrix, values are clipped to 0..top.
  bool clips = true;                              ///< False if the curve clips to 0..top anyway.
  std::optional<Curve> curve;
};

struct Program {
  Mix mix = Mix::kNone;
  Curve luminance;  ///< For Mix::kLuminance: the factor.
  std::array<Stage, kStages> stages;
  bool keeps_hue = false;               ///< After the first stage, part of the hue is restored: Blender's AgX.
  bool guard_rail = false;              ///< After the second stage's matrix, colours are moved into Rec.709.
  Curve rail;                           ///< guard_rail: luminance to the power 0.08, at most 1.
  std::array<float, 3> rail_weights{};  ///< guard_rail: weights of Rec.709 channels in its luminance.
  /// The stage with HLG's inverse OOTF, after its clipping and in front of its curve; kStages: none.
  size_t ootf_stage = kStages;
  Curve ootf;                           ///< The factor, as a function of luminance.
  std::array<float, 3> ootf_weights{};  ///< Weights of luminance in the target's primaries.
};

/// Whether each stored channel is a function of one channel: the program has curves only.
bool keeps_channels_apart(const Program& program);

/// Makes the program of options that must be valid. Takes milliseconds.
Program make_program(const ToneMapOptions& options);

/// The same, but a program of the last kKeptPrograms that the process asked for is not made again. Threads: any number
/// of calls at once; those that ask for a new program at the same time may make it several times, and get the same one.
std::shared_ptr<const Program> find_program(const ToneMapOptions& options);

/// Enough for the operators of one program run. A program has 7 to 25 KB.
inline constexpr size_t kKeptPrograms = 16;

/// Everything of the options that a program and its stored form depend on: equal keys, equal programs.
std::string program_key(const ToneMapOptions& options);

/// The stored value of 1, for colours and for alpha: the largest quantised value, or 1 for floats.
struct TargetUnit {
  float color = 1;
  float alpha = 1;
  float most = std::numeric_limits<float>::max();  ///< The largest stored value of colours: 65504 for halves.
  bool unorm = false;
};
TargetUnit target_unit(Format target);

}  // namespace onepass::tone_map
