// main.cpp: the particles sample: several million particles of one texel, drawn unsorted by a compute shader, each
// tested against a depth buffer (a) directly, or (b) only if the nearest depth of its tile does not prove it visible.
// Checks that both give the same picture, times both, writes pictures. See docs/tile_reduction.md.
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <set>

#include "onepass/files.hpp"
#include "options.hpp"
#include "pictures.hpp"
#include "report.hpp"
#include "stopwatch.hpp"

namespace samples::particles {
namespace {

using onepass::files::AtomicFile;

// Draws with (a) and (b), checks that both pictures are the same, and returns it.
std::vector<uint32_t> draw_both(const Renderer& renderer) {
  auto full = renderer.draw(DepthTest::kFullResolution);
  const auto tile_first = renderer.draw(DepthTest::kTileFirst);
  size_t different = 0;
  for (size_t i = 0; i < full.size(); ++i) different += full[i] != tile_first[i] ? 1 : 0;
  if (different > 0) throw Failure(fmt::format("(a) and (b) differ in {} of {} texels", different, full.size()));
  return full;
}

void draw_and_time(Renderer& renderer, const Stopwatch& stopwatch, const Options& options) {
  renderer.emit(options.particles, options.visible);
  const auto image = draw_both(renderer);
  const auto counts = renderer.count();
  print_summary(Summary::of(counts), options);
  fmt::print("pictures   of (a) and (b) are identical, bit for bit ({} texels)\n", image.size());

  const Timings warm = stopwatch.measure(renderer, Caches::kWarm, options.frames);
  const Timings cold = stopwatch.measure(renderer, Caches::kCold, options.frames);
  print_timings(warm, cold, options);

  const auto files = write_pictures(renderer, options, image, counts);
  fmt::print("\n");
  for (const auto& file : files) fmt::print("wrote {}\n", file.string());
}

SweepPoint sweep_point(Renderer& renderer, const Stopwatch& stopwatch, const Options& options, uint32_t particles,
                       double visible) {
  renderer.emit(particles, visible);
  draw_both(renderer);
  return {.particles = particles,
          .visible_requested = visible,
          .summary = Summary::of(renderer.count()),
          .warm = stopwatch.measure(renderer, Caches::kWarm, options.frames),
          .cold = stopwatch.measure(renderer, Caches::kCold, options.frames)};
}

// Measures visible fractions from 0 to 1, for all particles, a quarter and a sixteenth of them.
void sweep(Renderer& renderer, const Stopwatch& stopwatch, const Options& options, AtomicFile& csv) {
  std::vector<SweepPoint> points;
  const std::set<uint32_t> amounts{std::max(options.particles / 16, 1U), std::max(options.particles / 4, 1U),
                                   options.particles};
  for (const uint32_t particles : amounts) {
    for (uint32_t step = 0; step <= options.steps; ++step) {
      const double visible = static_cast<double>(step) / options.steps;
      points.push_back(sweep_point(renderer, stopwatch, options, particles, visible));
      fmt::print("sweep      {:>10} particles, {:>5.1f} % visible: (b) saves {:.1f} % warm, {:.1f} % cold\n", particles,
                 100 * visible, 100 * points.back().warm.gain(), 100 * points.back().cold.gain());
    }
  }
  check(csv.write(csv_text(renderer, options, points)));
  check(csv.commit());
  fmt::print("wrote {}\n", options.csv.string());
}

int run(const Options& options) {
  // Opens files first, so that a path that cannot be written fails before the measurements.
  make_folder(options.output);
  std::optional<AtomicFile> csv;
  if (!options.csv.empty()) csv = value_of(AtomicFile::create(options.csv));
  Gpu gpu(options.device, options.validation);
  Renderer renderer(gpu, options);
  const Stopwatch stopwatch(gpu);
  print_scene(renderer, options);
  draw_and_time(renderer, stopwatch, options);
  if (csv) sweep(renderer, stopwatch, options, *csv);
  if (gpu.validation_messages() == 0) return 0;
  fmt::print(stderr, "particles: {} validation messages\n", gpu.validation_messages());
  return 1;
}

}  // namespace
}  // namespace samples::particles

int main(int argc, char** argv) {
  try {
    samples::particles::Options options;
    if (const auto status = samples::particles::parse_options(argc, argv, options)) return *status;
    return samples::particles::run(options);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "particles: {}\n", failure.what());
    return 1;
  }
}
