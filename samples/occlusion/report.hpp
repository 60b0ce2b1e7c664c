// report.hpp: the table of frames, its last line, and the same as CSV.
#pragma once

#include <vector>

#include "frame.hpp"
#include "onepass/files.hpp"

namespace occlusion {

/// A table of at most 20 of the frames, evenly chosen, then sums of boxes and medians of times.
void print_report(const std::vector<FrameResult>& frames, uint32_t boxes);

/// Every frame, times in microseconds.
void write_csv(onepass::files::AtomicFile& file, const std::vector<FrameResult>& frames, uint32_t boxes);

[[nodiscard]] uint64_t wrong_pixels(const std::vector<FrameResult>& frames);
[[nodiscard]] uint64_t boxes_drawn(const std::vector<FrameResult>& frames);
[[nodiscard]] uint64_t boxes_in_view(const std::vector<FrameResult>& frames);

}  // namespace occlusion
