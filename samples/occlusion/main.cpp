// main.cpp: a walk through a city of boxes with two-phase occlusion culling on the GPU, checked frame by frame.
//
// frame.cpp has the frame, culling.cpp the pyramid and its barriers, cull.comp the query.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "frame.hpp"
#include "onepass/words.hpp"
#include "options.hpp"
#include "pictures.hpp"
#include "readback.hpp"
#include "report.hpp"

namespace samples::occlusion {
namespace {

constexpr const char* kWrong = "wrong.png";
constexpr const char* kWrongDifference = "wrong_difference.png";

// The frame with the most wrong pixels so far.
struct Worst {
  uint32_t frame = 0;
  uint32_t wrong = 0;
  std::optional<onepass::Image> all;
  std::optional<onepass::Image> culled;
};

void write_frame(const Readback& read, const FrameLoop& loop, const Scene& scene, const Camera& camera,
                 const Options& options) {
  write_picture(options.output / "frame.png", read.colour(loop.culled()));
  write_map(options.output / "map.png", scene, camera, read.states(loop.culling()));
  write_pyramid(options.output / "pyramid.png", read.pyramid(loop.culling()));
}

int conclude(const Gpu& gpu, const Options& options, const std::vector<FrameResult>& frames, const Worst& worst) {
  const uint64_t wrong = wrong_pixels(frames);
  const bool aligned = options.footprint == onepass::Footprint::kAligned;
  if (wrong == 0) {
    std::printf("all frames are identical, pixel for pixel, to those with all boxes drawn\n");
  } else {
    write_wrong(options.output / kWrong, *worst.all, *worst.culled, std::string(onepass::word_of(options.footprint)));
    write_difference(options.output / kWrongDifference, *worst.all, *worst.culled);
    std::printf("%llu wrong pixels, most of them (%u) in frame %u: %s\n", static_cast<unsigned long long>(wrong),
                worst.wrong, worst.frame,
                aligned ? "aligned hides visible boxes, see wrong.png"
                        : "an error of the library or the driver, see wrong.png");
  }
  std::printf("pictures are in %s\n", options.output.c_str());
  if (gpu.validation_messages() > 0) {
    std::fprintf(stderr, "occlusion: %u validation messages\n", gpu.validation_messages());
    return 1;
  }
  return wrong == 0 || aligned ? 0 : 1;
}

// Refuses unusable options before the first frame.
void check_output(const Options& options, const Gpu& gpu) {
  std::error_code failed;
  std::filesystem::create_directories(options.output, failed);
  if (failed) throw Failure("--output " + options.output.string() + ": " + failed.message());
  // Removes pictures of an earlier run, because this run may find nothing wrong.
  for (const char* name : {kWrong, kWrongDifference}) std::filesystem::remove(options.output / name, failed);
  const VkPhysicalDeviceLimits& limits = gpu.limits();
  const uint32_t most = std::min({limits.maxFramebufferWidth, limits.maxFramebufferHeight, limits.maxImageDimension2D});
  if (std::max(options.size.width, options.size.height) > most) {
    throw Failure("--size: this device draws images of at most " + std::to_string(most) + " texels per side");
  }
}

int run(const Options& options) {
  Gpu gpu(options.device, options.validation, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
  check_output(options, gpu);
  std::optional<onepass::files::AtomicFile> csv;
  if (!options.csv.empty()) csv = value_of(onepass::files::AtomicFile::create(options.csv));
  std::printf("%s (%s), %ux%u, footprint %s\n", gpu.device().info().name.c_str(), gpu.device().info().driver.c_str(),
              options.size.width, options.size.height, onepass::word_of(options.footprint).data());
  const Scene scene = make_scene(options.boxes);
  FrameLoop loop(gpu, scene, options.size, options.footprint);
  const Readback read(gpu, options.size, options.boxes);
  std::vector<FrameResult> frames;
  Worst worst;
  const uint32_t pictured = options.frames * 3 / 8;  // the camera looks down the street
  for (uint32_t i = 0; i < options.frames; ++i) {
    const Camera camera = scene.camera(static_cast<double>(i) / (options.frames - 1), options.size);
    frames.push_back(loop.draw(camera));
    if (i == pictured) write_frame(read, loop, scene, camera, options);
    if (frames.back().wrong > worst.wrong) {
      worst = {i, frames.back().wrong, read.colour(loop.reference()), read.colour(loop.culled())};
    }
  }
  print_report(frames, options.boxes);
  if (csv) write_csv(*csv, frames, options.boxes);
  return conclude(gpu, options, frames, worst);
}

}  // namespace
}  // namespace samples::occlusion

int main(int count, char** arguments) {
  std::optional<samples::occlusion::Options> options;
  try {
    options = samples::occlusion::parse_options(count, arguments);
  } catch (const samples::Failure& failure) {
    std::fprintf(stderr, "occlusion: %s\n", failure.what());
    return 2;
  }
  if (!options) return 0;
  try {
    return samples::occlusion::run(*options);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "occlusion: %s\n", failure.what());
    return 1;
  }
}
