// steps.hpp: pictures of single steps of a frame, at its size.
#pragma once

#include "common/canvas.hpp"
#include "frame.hpp"
#include "onepass/tone_map.hpp"

namespace samples::frame {

/// Frames of a still camera until the reflections hardly change.
inline constexpr uint32_t kSettledFrames = 24;

/// Draws a moment and reflects it kSettledFrames times; the exposure does not move.
FrameResult draw_settled(FrameLoop& loop, const Moment& moment, bool local_exposure);

/// An image of light as the tone map shows it.
[[nodiscard]] Pixels show_light(const onepass::Image& light, float exposure,
                                onepass::ToneOperator tone_operator = onepass::ToneOperator::kAgxBlender);

/// A step of the frame that was drawn last, of the first eye. Steps of reflections need a frame of Reflect::kSettled.
[[nodiscard]] Pixels show_step(Gpu& gpu, FrameLoop& loop, Shown step, float exposure);

}  // namespace samples::frame
