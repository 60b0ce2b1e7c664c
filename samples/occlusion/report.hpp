// report.hpp: prints a table of frames with sums and medians, and writes all frames as CSV.
#pragma once

#include <vector>

#include "frame.hpp"
#include "onepass/files.hpp"

namespace samples::occlusion {

/// Prints at most 20 of the frames, evenly spaced, then medians of times and sums of boxes.
void print_report(const std::vector<FrameResult>& frames, uint32_t boxes);

/// Writes every frame, with times in microseconds.
void write_csv(onepass::files::AtomicFile& file, const std::vector<FrameResult>& frames, uint32_t boxes);

[[nodiscard]] uint64_t wrong_pixels(const std::vector<FrameResult>& frames);
[[nodiscard]] uint64_t boxes_drawn(const std::vector<FrameResult>& frames);
[[nodiscard]] uint64_t boxes_in_view(const std::vector<FrameResult>& frames);

}  // namespace samples::occlusion
