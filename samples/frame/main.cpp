// main.cpp: draws a walk from a dark room through a sunlit hall into a garden, every frame in one command buffer, and
// checks that the techniques change times only.
//
// frame.cpp has the frame, pyramids.cpp the Hi-Z, reflections.cpp, cull.comp, particles.comp and fog.comp its uses.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "frame.hpp"
#include "measure.hpp"
#include "noise.hpp"
#include "onepass/files.hpp"
#include "options.hpp"
#include "pictures.hpp"
#include "steps.hpp"
#include "tiles.hpp"

namespace samples::frame {
namespace {

constexpr float kSequenceSeconds = 10;
constexpr uint32_t kCheckedFrames = 5;  // of the sequence

// Refuses unusable options before the first frame.
void check_options(const Options& options, const Gpu& gpu) {
  const VkPhysicalDeviceLimits& limits = gpu.limits();
  const uint32_t most = std::min({limits.maxFramebufferWidth, limits.maxFramebufferHeight, limits.maxImageDimension2D});
  if (std::max(options.size.width, options.size.height) > most) {
    throw Failure("--size: this device draws images of at most " + std::to_string(most) + " texels per side");
  }
  const uint64_t texels = uint64_t{options.size.width} * options.size.height * options.eyes();
  if (texels * 16 > limits.maxStorageBufferRange) {
    throw Failure("--size: this device has storage buffers of at most " + std::to_string(limits.maxStorageBufferRange) +
                  " bytes, the check of a frame needs " + std::to_string(texels * 16));
  }
  if (!gpu.device().can_read(static_cast<onepass::Format>(options.depth))) {
    throw Failure("--depth: onepass cannot read this format on this device");
  }
  std::error_code failed;
  std::filesystem::create_directories(options.output, failed);
  if (failed) throw Failure("--output " + options.output.string() + ": " + failed.message());
}

/// What the checks found.
struct Checks {
  uint32_t frames = 0;
  uint64_t different = 0;  ///< Texels.
  uint32_t visible_differ = 0;
  double least_confidence = 1;
  double most_confidence = 0;

  [[nodiscard]] bool passed() const { return different == 0 && visible_differ == 0; }
};

// Draws a frame with all techniques, and again with every object, particles that read the full depth and whole columns
// of fog. Both must be equal, texel by texel. Their reflections have no history; the exposure does not move.
void check_frame(FrameLoop& loop, const Moment& moment, Checks& checks) {
  Moment still = moment;
  still.seconds = 0;
  const FrameResult result = loop.draw(still, {.reflect = Reflect::kOneFrame}, Compare::kKeep);
  const FrameResult reference = loop.draw(
      still, {.drawing = Drawing::kAll, .reflect = Reflect::kOneFrame, .cell_first = false, .fog_bounded = false},
      Compare::kCompare);
  ++checks.frames;
  checks.different += reference.counters.different;
  checks.visible_differ += reference.counters.visible != result.counters.visible ? 1 : 0;
  if (result.counters.reflecting == 0) return;
  const double confidence = mean_confidence(result.counters);
  checks.least_confidence = std::min(checks.least_confidence, confidence);
  checks.most_confidence = std::max(checks.most_confidence, confidence);
}

// The walk; exposure adapts from frame to frame.
void draw_sequence(Gpu& gpu, FrameLoop& loop, const Options& options, Checks& checks) {
  const std::filesystem::path folder = options.output / "sequence";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Failure("--output " + folder.string() + ": " + failed.message());
  std::vector<Exposed> sequence;
  const float length = options.last_time - options.first_time;
  const float step = options.frames > 1 ? length / static_cast<float>(options.frames - 1) : 0;
  for (uint32_t i = 0; i < options.frames; ++i) {
    const Moment moment{
        .time = options.first_time + step * static_cast<float>(i), .seconds = step * kSequenceSeconds, .cut = i == 0};
    if (i % std::max(options.frames / kCheckedFrames, 1U) == 0) check_frame(loop, moment, checks);
    const FrameResult result = loop.draw(moment, {.local_exposure = options.local_exposure});
    const Exposed exposed{.seconds = (moment.time - options.first_time) * kSequenceSeconds,
                          .metered_ev = std::log2(result.meter.metered_luminance * 100 / 0.125F),
                          .adapted_ev = result.meter.ev100,
                          .picture = read_picture(gpu, loop)};
    char name[16];
    std::snprintf(name, sizeof(name), "%04u.png", i);
    if (options.output_transfer == Output::kPq) {
      write_frame(folder / name, gpu, loop, options);
    } else {
      write_pixels(folder / name, exposed.picture);
    }
    sequence.push_back(exposed);
  }
  if (sequence.size() > 1) write_exposures(options.output / (options.jpeg ? "exposure.jpg" : "exposure.png"), sequence);
  std::printf("sequence   %u frames, EV100 %.1f at the begin, %.1f at the end\n", options.frames,
              static_cast<double>(sequence.front().adapted_ev), static_cast<double>(sequence.back().adapted_ev));
}

int conclude(const Gpu& gpu, const Options& options, const Checks& checks) {
  std::printf("\nreflections have confidences of %.3f to %.3f in the mean of a frame\n", checks.least_confidence,
              checks.most_confidence);
  if (checks.passed()) {
    std::printf(
        "check      %u frames are identical, texel by texel, to those with every object, full depth tests and whole "
        "fog\n",
        checks.frames);
  } else {
    std::printf("check      FAILED: %llu texels differ in %u frames; visible particles in %u\n",
                static_cast<unsigned long long>(checks.different), checks.frames, checks.visible_differ);
  }
  std::printf("pictures are in %s\n", options.output.c_str());
  if (gpu.validation_messages() > 0) {
    std::fprintf(stderr, "frame: %u validation messages\n", gpu.validation_messages());
    return 1;
  }
  return checks.passed() ? 0 : 1;
}

int run(const Options& options) {
  Gpu gpu(options.device, options.validation, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
  check_options(options, gpu);
  std::optional<onepass::files::AtomicFile> csv;
  if (!options.csv.empty()) csv = value_of(onepass::files::AtomicFile::create(options.csv));
  const Scene scene = make_scene(options.boxes);
  std::printf("%s (%s)%s\n%ux%u, %u eye%s, %zu objects, %u particles\n", gpu.device().info().name.c_str(),
              gpu.device().info().driver.c_str(),
              gpu.device().info().software ? "; software: its times say nothing about GPUs" : "", options.size.width,
              options.size.height, options.eyes(), options.stereo ? "s" : "", scene.objects.size(), options.particles);
  FrameLoop loop(gpu, scene, options);
  Checks checks;
  const Moment place{.time = options.time};
  for (int i = 0; i < 2; ++i) loop.draw(place, {.reflect = Reflect::kNone});  // finds the visible objects
  check_frame(loop, place, checks);
  const FrameResult result = draw_settled(loop, place, options.local_exposure);
  const std::string type = options.jpeg ? ".jpg" : ".png";
  write_frame(options.output / ("frame" + type), gpu, loop, options);
  std::printf("picture    EV100 %.1f\n", static_cast<double>(result.meter.ev100));
  for (const Shown step : options.steps) {
    write_pixels(options.output / (shown_name(step) + type), show_step(gpu, loop, step, result.meter.exposure));
  }
  if (options.view) write_sheet(options.output / ("steps" + type), gpu, loop, scene, place);
  if (options.frames > 0) draw_sequence(gpu, loop, options, checks);
  if (options.timed > 0) {
    const Measurements measured = measure(loop, {.time = options.time, .cut = false}, options.timed);
    print_measurements(measured, loop.shadow_microseconds());
    if (csv) {
      check(csv->write(csv_text(measured, gpu, options)));
      check(csv->commit());
    }
    if (options.tiles) print_tiles(time_tiles(gpu, loop.targets(), options.timed));
  }
  if (options.noise) print_noise(gpu, loop, options.time);
  return conclude(gpu, options, checks);
}

}  // namespace
}  // namespace samples::frame

int main(int count, char** arguments) {
  std::optional<samples::frame::Options> options;
  try {
    options = samples::frame::parse_options(count, arguments);
  } catch (const samples::Failure& failure) {
    std::fprintf(stderr, "frame: %s\n", failure.what());
    return 2;
  }
  if (!options) return 0;
  try {
    return samples::frame::run(*options);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "frame: %s\n", failure.what());
    return 1;
  }
}
