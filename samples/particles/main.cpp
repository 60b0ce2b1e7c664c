// main.cpp: the particles sample: several million particles of one texel, drawn unsorted by a compute shader, each
// tested against a depth buffer (a) directly, or (b) only if the nearest depth of its tile does not prove it visible.
// Checks that both give the same picture, times both, writes pictures. See docs/tile_reduction.md.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <set>

#include "onepass/files.hpp"
#include "options.hpp"
#include "pictures.hpp"
#include "report.hpp"
#include "stopwatch.hpp"

namespace {

using namespace onepass;
using namespace onepass::particles;

std::atomic<int> validation_messages{0};

Result<std::unique_ptr<bench::Gpu>> open_device(const Options& options) {
  return bench::Gpu::open({.selector = options.device,
                           .allow_software = true,
                           .validation = options.validation,
                           .on_validation_message = [](std::string_view message) {
                             ++validation_messages;
                             fmt::print(stderr, "validation: {}\n", message);
                           }});
}

// Draws with (a) and (b), checks that both pictures are the same, and returns it.
Result<std::vector<uint32_t>> draw_both(const Renderer& renderer) {
  auto full = renderer.draw(DepthTest::kFullResolution);
  if (!full) return full.error();
  auto tile_first = renderer.draw(DepthTest::kTileFirst);
  if (!tile_first) return tile_first.error();
  size_t different = 0;
  for (size_t i = 0; i < full->size(); ++i) different += (*full)[i] != (*tile_first)[i] ? 1 : 0;
  if (different > 0) {
    return Error{ErrorCode::kBadData, fmt::format("(a) and (b) differ in {} of {} texels", different, full->size()),
                 renderer.gpu().device().info().name};
  }
  return full;
}

Result<void> draw_and_time(Renderer& renderer, const Stopwatch& stopwatch, const Options& options) {
  if (auto emitted = renderer.emit(options.particles, options.visible); !emitted) return emitted;
  auto image = draw_both(renderer);
  if (!image) return image.error();
  auto counts = renderer.count();
  if (!counts) return counts.error();
  print_summary(Summary::of(*counts), options);
  fmt::print("pictures   of (a) and (b) are identical, bit for bit ({} texels)\n", image->size());

  auto warm = stopwatch.measure(renderer, Caches::kWarm, options.frames);
  if (!warm) return warm.error();
  auto cold = stopwatch.measure(renderer, Caches::kCold, options.frames);
  if (!cold) return cold.error();
  print_timings(*warm, *cold, options);

  auto files = write_pictures(renderer, options, *image, *counts);
  if (!files) return files.error();
  fmt::print("\n");
  for (const auto& file : *files) fmt::print("wrote {}\n", file.string());
  return {};
}

Result<SweepPoint> sweep_point(Renderer& renderer, const Stopwatch& stopwatch, const Options& options,
                               uint32_t particles, double visible) {
  SweepPoint point{.particles = particles, .visible_requested = visible};
  if (auto emitted = renderer.emit(particles, visible); !emitted) return emitted.error();
  if (auto image = draw_both(renderer); !image) return image.error();
  auto counts = renderer.count();
  if (!counts) return counts.error();
  point.summary = Summary::of(*counts);
  auto warm = stopwatch.measure(renderer, Caches::kWarm, options.frames);
  if (!warm) return warm.error();
  auto cold = stopwatch.measure(renderer, Caches::kCold, options.frames);
  if (!cold) return cold.error();
  point.warm = *warm;
  point.cold = *cold;
  return point;
}

// Measures visible fractions from 0 to 1, for all particles, a quarter and a sixteenth of them.
Result<void> sweep(Renderer& renderer, const Stopwatch& stopwatch, const Options& options, files::AtomicFile& csv) {
  std::vector<SweepPoint> points;
  const std::set<uint32_t> amounts{std::max(options.particles / 16, 1U), std::max(options.particles / 4, 1U),
                                   options.particles};
  for (const uint32_t particles : amounts) {
    for (uint32_t step = 0; step <= options.steps; ++step) {
      const double visible = static_cast<double>(step) / options.steps;
      auto point = sweep_point(renderer, stopwatch, options, particles, visible);
      if (!point) return point.error();
      fmt::print("sweep      {:>10} particles, {:>5.1f} % visible: (b) saves {:.1f} % warm, {:.1f} % cold\n", particles,
                 100 * visible, 100 * point->warm.gain(), 100 * point->cold.gain());
      points.push_back(*point);
    }
  }
  if (auto written = csv.write(csv_text(renderer, options, points)); !written) return written;
  if (auto committed = csv.commit(); !committed) return committed;
  fmt::print("wrote {}\n", options.csv.string());
  return {};
}

Result<void> run(const Options& options) {
  // Opens files first, so that a path that cannot be written fails before the measurements.
  if (auto made = make_folder(options.output); !made) return made;
  std::optional<files::AtomicFile> csv;
  if (!options.csv.empty()) {
    auto created = files::AtomicFile::create(options.csv);
    if (!created) return created.error();
    csv = std::move(*created);
  }
  auto gpu = open_device(options);
  if (!gpu) return gpu.error();
  auto renderer = Renderer::create(**gpu, options);
  if (!renderer) return renderer.error();
  auto stopwatch = Stopwatch::create(**gpu);
  if (!stopwatch) return stopwatch.error();
  print_scene(**renderer, options);
  if (auto done = draw_and_time(**renderer, **stopwatch, options); !done) return done;
  return csv ? sweep(**renderer, **stopwatch, options, *csv) : Result<void>();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Options options;
    if (const auto status = parse_options(argc, argv, options)) return *status;
    const auto done = run(options);
    if (!done) fmt::print(stderr, "particles: {}\n", done.error().text());
    if (validation_messages > 0) fmt::print(stderr, "particles: {} validation messages\n", validation_messages.load());
    return done.ok() && validation_messages == 0 ? 0 : 1;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "particles: out of memory\n");
    return 1;
  }
}
