// measure.hpp: times of a frame with each technique and without it, and the counters that explain them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frame.hpp"

namespace samples::frame {

/// Medians over some frames, and the counters of the last one.
struct Measured {
  FrameResult result;
  [[nodiscard]] double time(Step step) const { return result.microseconds[static_cast<size_t>(step)]; }
  [[nodiscard]] double time(Step first, Step last) const;  ///< Sum of the steps from first to last.
};

/// A frame with all techniques, and frames without one of them each.
struct Measurements {
  Measured all;
  Measured in_view;         ///< Without occlusion culling.
  Measured no_reflections;  ///< Of the screen.
  Measured full_depth;      ///< Particles read the full depth.
  Measured unbounded_fog;   ///< Columns of fog up to the far end.
  Measured no_bloom;
  Measured local;  ///< With local exposure.
};

/// Draws every variant `frames` times.
[[nodiscard]] Measurements measure(FrameLoop& loop, const Moment& moment, uint32_t frames);

void print_measurements(const Measurements& measured, double shadow_microseconds);
[[nodiscard]] std::string csv_text(const Measurements& measured, const Gpu& gpu, const Options& options);

}  // namespace samples::frame
