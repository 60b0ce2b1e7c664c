// options.hpp: the command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "onepass/image.hpp"
#include "onepass/reflection.hpp"

namespace samples::frame {

/// The depth format of the frame.
enum class DepthFormat : uint32_t { kD32 = 126, kD24S8 = 129 };  // numbers of VkFormat

enum class Output : uint32_t { kSrgb, kPq };

/// Steps of a frame that can be pictures of their own, at the size of the frame.
enum class Shown : uint32_t {
  kNormals,
  kRoughness,    ///< Black is a mirror; blue surfaces have no reflections.
  kMotion,       ///< Grey: none; red and green: right and down by up to 8 texels in this frame.
  kSurfaces,     ///< Light without reflections of the screen.
  kRays,         ///< Radiance that the rays of one frame bring, not filtered.
  kReflections,  ///< The same with history and filter.
  kConfidence,
  kReflected,  ///< Light with reflections.
};

struct Options {
  onepass::Extent size{640, 360};
  uint32_t boxes = 16'000;
  uint32_t particles = 0;  ///< 0: by the size of the image.
  uint32_t frames = 20;    ///< Of the sequence.
  uint32_t timed = 3;      ///< Frames per row of the table of times.
  uint32_t reduce = 1;     ///< The pictures of single frames are this many times smaller.
  float time = 0.42F;      ///< Place of the picture along the path, 0 to 1.
  float first_time = 0;    ///< The sequence begins
  float last_time = 1;     ///< and ends here along the path.
  onepass::ReflectionRays rays = onepass::ReflectionRays::kOne;
  bool half_reflections = false;  ///< Rays of every second texel along x and y.
  float floor_roughness = -1;     ///< Of the whole floor; negative: its own.
  DepthFormat depth = DepthFormat::kD32;
  Output output_transfer = Output::kSrgb;
  bool stereo = false;
  bool local_exposure = false;
  bool jpeg = false;   ///< Pictures but those of the sequence are JPEG files.
  bool tiles = false;  ///< Times coarse images of depth.
  bool view = false;   ///< Writes the sheet of all steps.
  bool noise = false;  ///< Measures errors and flicker of reflections.
  bool validation = false;
  std::vector<Shown> steps;  ///< Pictures of their own.
  std::string device;
  std::filesystem::path output = "out/frame";
  std::filesystem::path csv;  ///< Times. Empty: none.

  [[nodiscard]] uint32_t eyes() const { return stereo ? 2 : 1; }
};

/// The name of a step, as --step takes it.
[[nodiscard]] const char* shown_name(Shown step);

/// Returns nothing after printing the help for --help. Throws Failure for an unknown option or value.
std::optional<Options> parse_options(int count, const char* const* arguments);

}  // namespace samples::frame
