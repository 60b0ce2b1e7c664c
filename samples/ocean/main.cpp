// main.cpp: the ocean sample: waves by J. Tessendorf's method ("Simulating Ocean Water", 2001) on the Vulkan engine. An
// inverse transform makes displacements and slopes of every frame, mip chains filter them, a small renderer draws them.
// The sample compares the fields with sums in double, draws a picture, and times the steps.
//
// spectrum.cpp has the waves, simulation.cpp the steps, check.cpp the sums, renderer.cpp the picture. See
// docs/ocean.md.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>

#include "check.hpp"
#include "onepass/files.hpp"
#include "pictures.hpp"
#include "renderer.hpp"

namespace samples::ocean {
namespace {

void write_picture(std::filesystem::path path, const onepass::Image& image, const Options& options) {
  path += options.jpeg ? ".jpg" : ".png";
  const onepass::ImageView view = image.view();
  check(onepass::files::write(path, std::span(&view, 1)));
}

void write_sequence(Simulation& simulation, Renderer& renderer, const Options& options) {
  for (uint32_t i = 0; i < options.sequence; ++i) {
    char name[32];
    std::snprintf(name, sizeof(name), "sequence/%04u", i);
    simulation.advance();
    write_picture(options.output / name, renderer.draw(), options);
  }
}

bool agrees(Simulation& simulation) {
  const Differences d = check_frame(simulation);
  std::printf("check      displacements %.1e, slopes and derivatives %.1e, foam %.1e\n", d.displacements, d.derivatives,
              d.foam);
  std::printf("           mip chains %.1e, squared slopes against Parseval's sum %.1e\n", d.mips, d.squared_slopes);
  std::printf(d.small() ? "fields agree with the sums in double\n" : "fields differ from the sums in double\n");
  return d.small();
}

void print_times(Simulation& simulation, uint32_t frames) {
  constexpr double kWarmUp = 300'000;  // microseconds of work that raise the clocks
  const auto sum = [](const auto& frame) { return std::accumulate(frame.begin(), frame.end(), 0.0); };
  for (double spent = 0; spent < kWarmUp;) spent += sum(simulation.advance());
  std::array<std::vector<double>, kSteps + 1> times;
  for (uint32_t i = 0; i < frames; ++i) {
    const std::array<double, kSteps> frame = simulation.advance();
    for (uint32_t step = 0; step < kSteps; ++step) times[step].push_back(frame[step]);
    times[kSteps].push_back(sum(frame));
  }
  const uint32_t n = simulation.params().texels;
  const auto text = [&](const char* format) {
    char line[64];
    std::snprintf(line, sizeof(line), format, n, n, 2 * CASCADES);
    return std::string(line);
  };
  const std::string names[] = {text("spectra of %ux%u at the frame's time, %u slices"),
                               text("inverse transform, %ux%u, %u slices of 2 signals"), "squares of slopes, foam",
                               "mip chains of 9 layers", "all"};
  std::printf("\n%-52s%10s%10s%10s\n", "microseconds", "median", "least", "most");
  for (uint32_t step = 0; step <= kSteps; ++step) {
    std::sort(times[step].begin(), times[step].end());
    std::printf("%-52s%10.1f%10.1f%10.1f\n", names[step].c_str(), times[step][frames / 2], times[step].front(),
                times[step].back());
  }
}

void make_folders(const Options& options) {
  std::error_code failed;
  const auto folder = options.sequence > 0 ? options.output / "sequence" : options.output;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Failure("--output " + folder.string() + ": " + failed.message());
}

int run(const Options& options) {
  make_folders(options);
  Gpu gpu(options.device, options.validation, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
  const auto& info = gpu.device().info();
  std::printf("device     %s (%s)%s\n", info.name.c_str(), info.driver.c_str(),
              info.software ? "; software: its times say nothing about GPUs" : "");
  Simulation simulation(gpu, options);
  std::printf("waves      %ux%u per patch of %g, %g and %g m; significant height %.2f m\n", options.texels,
              options.texels, kLengths[0], kLengths[1], kLengths[2], simulation.significant_height());
  for (uint32_t i = 1; i < options.frames; ++i) simulation.advance();
  const bool agreed = agrees(simulation);
  Renderer renderer(gpu, simulation, options.size);
  write_picture(options.output / "ocean", renderer.draw(), options);
  write_picture(options.output / "maps", draw_maps(simulation), options);
  write_sequence(simulation, renderer, options);
  std::printf("pictures are in %s\n", options.output.c_str());
  if (options.timed > 0) print_times(simulation, options.timed);
  if (gpu.validation_messages() > 0) {
    std::fprintf(stderr, "ocean: %u validation messages\n", gpu.validation_messages());
    return 1;
  }
  return agreed ? 0 : 1;
}

}  // namespace
}  // namespace samples::ocean

int main(int count, char** arguments) {
  std::optional<samples::ocean::Options> options;
  try {
    options = samples::ocean::parse_options(count, arguments);
  } catch (const samples::Failure& failure) {
    std::fprintf(stderr, "ocean: %s\n", failure.what());
    return 2;
  }
  if (!options) return 0;
  try {
    return samples::ocean::run(*options);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "ocean: %s\n", failure.what());
    return 1;
  }
}
