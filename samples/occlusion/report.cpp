// report.cpp: medians of times, which have outliers; sums of boxes and wrong pixels over all frames.
#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace samples::occlusion {
namespace {

constexpr size_t kMostLines = 20;

template <typename Value>
uint64_t sum(const std::vector<FrameResult>& frames, Value value) {
  return std::accumulate(frames.begin(), frames.end(), uint64_t{0},
                         [&](uint64_t so_far, const FrameResult& frame) { return so_far + value(frame); });
}

double median(const std::vector<FrameResult>& frames, double FrameTimes::*time) {
  std::vector<double> values;
  for (const FrameResult& frame : frames) values.push_back(frame.times.*time);
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void print_times(const FrameTimes& t) {
  std::printf(" | %9.1f %9.1f %9.1f %9.1f %10.1f | %10.1f %10.1f |", t.early_draw, t.pyramid, t.cull, t.late_draw,
              t.total, t.in_view, t.all);
}

}  // namespace

uint64_t wrong_pixels(const std::vector<FrameResult>& frames) {
  return sum(frames, [](const FrameResult& frame) { return frame.wrong; });
}
uint64_t boxes_drawn(const std::vector<FrameResult>& frames) {
  return sum(frames, [](const FrameResult& frame) { return frame.early + frame.late; });
}
uint64_t boxes_in_view(const std::vector<FrameResult>& frames) {
  return sum(frames, [](const FrameResult& frame) { return frame.in_view; });
}

void print_report(const std::vector<FrameResult>& frames, uint32_t boxes) {
  std::printf(
      "\n       |  boxes drawn               | GPU time with culling, us %23s | without, us           |  wrong\n", "");
  std::printf(
      " frame | in view  phase 1  phase 2  |   phase 1   pyramid      cull   phase 2      frame "
      "|    in view  all boxes | pixels\n");
  const size_t lines = std::min(kMostLines, frames.size());
  for (size_t line = 0; line < lines; ++line) {
    const size_t i = lines > 1 ? line * (frames.size() - 1) / (lines - 1) : 0;
    const FrameResult& frame = frames[i];
    std::printf("%6zu | %7u  %7u  %7u ", i, frame.in_view, frame.early, frame.late);
    print_times(frame.times);
    std::printf(" %6u\n", frame.wrong);
  }
  const FrameTimes medians{.early_draw = median(frames, &FrameTimes::early_draw),
                           .pyramid = median(frames, &FrameTimes::pyramid),
                           .cull = median(frames, &FrameTimes::cull),
                           .late_draw = median(frames, &FrameTimes::late_draw),
                           .total = median(frames, &FrameTimes::total),
                           .in_view = median(frames, &FrameTimes::in_view),
                           .all = median(frames, &FrameTimes::all)};
  std::printf("median | %27s", "");
  print_times(medians);
  std::printf("\n\n%zu frames, %u boxes: %llu drawn, %llu in view without occlusion culling, %llu in all\n",
              frames.size(), boxes, static_cast<unsigned long long>(boxes_drawn(frames)),
              static_cast<unsigned long long>(boxes_in_view(frames)),
              static_cast<unsigned long long>(uint64_t{boxes} * frames.size()));
}

void write_csv(onepass::files::AtomicFile& file, const std::vector<FrameResult>& frames, uint32_t boxes) {
  check(
      file.write("frame,boxes,in_view,drawn_phase_1,drawn_phase_2,phase_1_us,pyramid_us,cull_us,phase_2_us,total_us,"
                 "in_view_us,all_boxes_us,wrong_pixels\n"));
  for (size_t i = 0; i < frames.size(); ++i) {
    const FrameResult& f = frames[i];
    const FrameTimes& t = f.times;
    char line[256];
    std::snprintf(line, sizeof(line), "%zu,%u,%u,%u,%u,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%u\n", i, boxes, f.in_view,
                  f.early, f.late, t.early_draw, t.pyramid, t.cull, t.late_draw, t.total, t.in_view, t.all, f.wrong);
    check(file.write(line));
  }
  check(file.commit());
}

}  // namespace samples::occlusion
