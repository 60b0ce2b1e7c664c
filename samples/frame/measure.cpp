// measure.cpp: draws the same moment with one technique changed at a time, and takes the median of each step's times.
// Two frames before each series warm the caches and complete the set of visible objects.
#include "measure.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <numeric>

namespace samples::frame {
namespace {

Measured median(FrameLoop& loop, const Moment& moment, const Techniques& techniques, uint32_t frames) {
  std::array<std::vector<double>, kSteps + 1> times;
  Measured measured;
  // Warm caches, and the visible set of this place: complete after two frames.
  for (int i = 0; i < 2; ++i) measured.result = loop.draw(moment, techniques);
  for (uint32_t i = 0; i < frames; ++i) {
    measured.result = loop.draw(moment, techniques);
    for (uint32_t step = 0; step < kSteps; ++step) times[step].push_back(measured.result.microseconds[step]);
    times[kSteps].push_back(measured.result.total);
  }
  for (uint32_t step = 0; step <= kSteps; ++step) {
    std::sort(times[step].begin(), times[step].end());
    const double middle = times[step][times[step].size() / 2];
    (step < kSteps ? measured.result.microseconds[step] : measured.result.total) = middle;
  }
  return measured;
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string format(const char* text, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, text);
  std::vsnprintf(line, sizeof(line), text, arguments);
  va_end(arguments);
  return line;
}

struct Row {
  std::string name;
  double with;
  double without;
  std::string note;
};

std::vector<Row> rows_of(const Measurements& m) {
  const Counters& c = m.all.result.counters;
  const auto geometry = [](const Measured& measured) { return measured.time(Step::kEarlyList, Step::kColour); };
  const double drawn = m.all.result.early + m.all.result.late;
  return {
      {"occlusion culling: lists to colour", geometry(m.all), geometry(m.in_view),
       format("%.0f of %u objects in view drawn", drawn, m.in_view.result.in_view)},
      {"reflections of the screen", m.all.time(Step::kReflections, Step::kReflected),
       m.no_reflections.time(Step::kReflections, Step::kReflected),
       format("%u texels reflect; mean confidence %.3f", c.reflecting, mean_confidence(c))},
      {"particles: pyramid before depth", m.all.time(Step::kParticles), m.full_depth.time(Step::kParticles),
       format("%.1f %% of %u texels visible, %.1f %% of these proved by their cell", percent(c.visible, c.splats),
              c.splats, percent(c.proved, c.visible))},
      {"fog ends at the tiles' farthest depths", m.all.time(Step::kFog), m.unbounded_fog.time(Step::kFog),
       format("%.1f %% of the slices computed", percent(c.fog_steps, m.unbounded_fog.result.counters.fog_steps))},
      {"bloom", m.all.time(Step::kBloom), m.no_bloom.time(Step::kBloom), "by a mip chain"},
      {"local exposure", m.local.time(Step::kToneMap), m.all.time(Step::kToneMap), "in the tone map"},
  };
}

}  // namespace

double Measured::time(Step first, Step last) const {
  return std::accumulate(result.microseconds.begin() + static_cast<ptrdiff_t>(first),
                         result.microseconds.begin() + static_cast<ptrdiff_t>(last) + 1, 0.0);
}

Measurements measure(FrameLoop& loop, const Moment& moment, uint32_t frames) {
  Measurements m;
  m.in_view = median(loop, moment, {.drawing = Drawing::kInView}, frames);
  m.all = median(loop, moment, {}, frames);
  m.no_reflections = median(loop, moment, {.reflect = Reflect::kNone}, frames);
  m.full_depth = median(loop, moment, {.cell_first = false}, frames);
  m.unbounded_fog = median(loop, moment, {.fog_bounded = false}, frames);
  m.no_bloom = median(loop, moment, {.bloom = false}, frames);
  m.local = median(loop, moment, {.local_exposure = true}, frames);
  return m;
}

void print_measurements(const Measurements& m, double shadow_microseconds) {
  std::printf("\n%-44s %10s\n", "step, microseconds", "median");
  for (uint32_t step = 0; step < kSteps; ++step) {
    std::printf("%-44s %10.1f\n", step_name(static_cast<Step>(step)), m.all.result.microseconds[step]);
  }
  std::printf("%-44s %10.1f\n", "frame", m.all.result.total);
  std::printf("%-44s %10.1f\n\n", "shadow map, drawn once", shadow_microseconds);
  std::printf("%-44s %10s %10s\n", "technique, microseconds", "with", "without");
  for (const Row& row : rows_of(m)) {
    std::printf("%-44s %10.1f %10.1f   %s\n", row.name.c_str(), row.with, row.without, row.note.c_str());
  }
}

std::string csv_text(const Measurements& m, const Gpu& gpu, const Options& options) {
  const auto& info = gpu.device().info();
  const std::string scene = format("\"%s\",\"%s\",%u,%u,%u", info.name.c_str(), info.driver.c_str(), options.size.width,
                                   options.size.height, options.eyes());
  std::string text = "device,driver,width,height,eyes,step,microseconds,microseconds_without\n";
  for (uint32_t step = 0; step < kSteps; ++step) {
    text += scene + format(",\"%s\",%.1f,\n", step_name(static_cast<Step>(step)), m.all.result.microseconds[step]);
  }
  text += scene + format(",\"frame\",%.1f,\n", m.all.result.total);
  for (const Row& row : rows_of(m)) {
    text += scene + format(",\"%s\",%.1f,%.1f\n", row.name.c_str(), row.with, row.without);
  }
  return text;
}

}  // namespace samples::frame
