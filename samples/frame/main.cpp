// main.cpp: draws a walk from a dark room through a sunlit hall into a garden, every frame in one command buffer, and
// checks that the techniques change times only.
//
// frame.cpp has the frame, pyramids.cpp the Hi-Z, cull.comp, reflect.comp, particles.comp and fog.comp its uses.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "frame.hpp"
#include "measure.hpp"
#include "onepass/files.hpp"
#include "options.hpp"
#include "pictures.hpp"
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
  uint32_t hits_differ = 0;
  uint32_t visible_differ = 0;
  double least_hit_share = 1;
  double most_hit_share = 0;

  [[nodiscard]] bool passed() const { return different == 0 && hits_differ == 0 && visible_differ == 0; }
};

// Draws a frame with all techniques, and again with every object, linear ray marches, particles that read the full
// depth and whole columns of fog. Both must be equal, texel by texel.
FrameResult draw_checked(FrameLoop& loop, const Moment& moment, bool local_exposure, Checks& checks) {
  const Techniques plain{.drawing = Drawing::kAll, .march = MARCH_LINEAR, .cell_first = false, .fog_bounded = false};
  const FrameResult result = loop.draw(moment, {.local_exposure = local_exposure}, Compare::kKeep);
  Moment again = moment;
  again.seconds = 0;  // the exposure does not move
  const FrameResult reference = loop.draw(again, plain, Compare::kCompare);
  ++checks.frames;
  checks.different += reference.counters.different;
  checks.hits_differ += reference.counters.hits != result.counters.hits ? 1 : 0;
  checks.visible_differ += reference.counters.visible != result.counters.visible ? 1 : 0;
  if (result.counters.rays > 0) {
    const double share = static_cast<double>(result.counters.hits) / result.counters.rays;
    checks.least_hit_share = std::min(checks.least_hit_share, share);
    checks.most_hit_share = std::max(checks.most_hit_share, share);
  }
  return result;
}

// The walk; exposure adapts from frame to frame.
void draw_sequence(Gpu& gpu, FrameLoop& loop, const Options& options, Checks& checks) {
  const std::filesystem::path folder = options.output / "sequence";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Failure("--output " + folder.string() + ": " + failed.message());
  std::vector<Exposed> sequence;
  const float step = options.frames > 1 ? 1.0F / static_cast<float>(options.frames - 1) : 0;
  for (uint32_t i = 0; i < options.frames; ++i) {
    const Moment moment{.time = step * static_cast<float>(i), .seconds = step * kSequenceSeconds, .cut = i == 0};
    const bool checked = i % std::max(options.frames / kCheckedFrames, 1U) == 0;
    FrameResult result;
    if (checked) {
      result = draw_checked(loop, moment, options.local_exposure, checks);
      Moment again = moment;
      again.seconds = 0;
      again.cut = false;
      loop.draw(again, {.local_exposure = options.local_exposure});
    } else {
      result = loop.draw(moment, {.local_exposure = options.local_exposure});
    }
    const Exposed exposed{.seconds = moment.time * kSequenceSeconds,
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
  std::printf("sequence   %u frames, EV100 %.1f in the dark room, %.1f in the garden\n", options.frames,
              static_cast<double>(sequence.front().adapted_ev), static_cast<double>(sequence.back().adapted_ev));
}

int conclude(const Gpu& gpu, const Options& options, const Checks& checks) {
  std::printf("\nreflections %.1f to %.1f %% of the rays hit\n", 100 * checks.least_hit_share,
              100 * checks.most_hit_share);
  if (checks.passed()) {
    std::printf(
        "check      %u frames are identical, texel by texel, to those with every object, linear marches, "
        "full depth tests and whole fog\n",
        checks.frames);
  } else {
    std::printf("check      FAILED: %llu texels differ in %u frames; hits differ in %u, visible particles in %u\n",
                static_cast<unsigned long long>(checks.different), checks.frames, checks.hits_differ,
                checks.visible_differ);
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
  const Moment still{.time = options.time};
  for (int i = 0; i < 2; ++i) loop.draw(still, {});  // finds the objects that are visible from here
  const FrameResult result = draw_checked(loop, still, options.local_exposure, checks);
  loop.draw(still, {.local_exposure = options.local_exposure});
  const std::string type = options.jpeg ? ".jpg" : ".png";
  write_frame(options.output / ("frame" + type), gpu, loop, options);
  std::printf("picture    EV100 %.1f\n", static_cast<double>(result.meter.ev100));
  if (options.view) write_sheet(options.output / ("steps" + type), gpu, loop, scene, still);
  if (options.frames > 0) draw_sequence(gpu, loop, options, checks);
  if (options.timed > 0) {
    const Measurements measured = measure(loop, still, options.timed);
    print_measurements(measured, loop.shadow_microseconds());
    if (csv) {
      check(csv->write(csv_text(measured, gpu, options)));
      check(csv->commit());
    }
    if (options.tiles) print_tiles(time_tiles(gpu, loop.targets(), options.timed));
  }
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
