// options.cpp: the help text and a parser that throws a Failure for numbers out of range.
#include "options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "common/gpu.hpp"
#include "scene.hpp"

namespace samples::frame {
namespace {

constexpr const char* kHelp =
    R"(frame: a whole HDR frame around onepass: depth, Hi-Z, occlusion culling, reflections, particles, fog, exposure, bloom,
tone mapping. It checks that culling changes no pixel, and writes pictures and times.

  --size WxH            of the image (640x360); 64 to 8192 each way
  --stereo              two eyes in two layers
  --depth NAME          format of the depth image: d32, d24s8 (d32)
  --output-transfer N   srgb (8 bits) or pq (16 bits, BT.2020) (srgb)
  --local-exposure      tone mapping with local exposure
  --time T              place of the picture along the path: 0 in the dark room, 1 in the garden (0.42)
  --view                also a sheet of all steps: depth, Hi-Z, culled objects, reflections, fog, exposure
  --step NAME           also a picture of one step: normals, roughness, motion, surfaces, rays, reflections, confidence,
                        reflected; any number of times
  --rays N              of a rough texel in each frame, for reflections: quarter, 1, 2 or 4 (1)
  --half-reflections    rays of every second texel along x and y only
  --floor-roughness R   of the hall's floor, the same everywhere: 0 to 1; 0 is a mirror
  --reduce N            frame.png is N times smaller than the image, each way (1); 1, 2 or 4
  --jpeg                pictures but those of the sequence are JPEG files, much smaller
  --frames N            of the sequence from the dark room into the sun (20); 0 to 1000
  --from T, --until T   its begin and end along the path (0, 1)
  --noise               also errors and flicker of the reflections, by number of rays; takes minutes in software
  --timed N             frames per row of the table of times (3); 0: no table
  --tiles               also times of pyramids and tiles of the frame's depth, by shapes of workgroups
  --boxes N             in the scene (16000); 4000 to 1000000
  --particles N         (one per four texels of the image); 1 to 16000000
  --device SELECTOR     index or part of the name (the first GPU, or else software)
  --output FOLDER       for the pictures (out/frame)
  --csv FILE            times
  --validation          with the Vulkan validation layers; any message is a failure
  --help

Exit code: 0 culling and the pyramid changed no pixel, no ray and no particle; 1 a failure, or differences; 2 wrong options.
)";

uint32_t number(std::string_view option, std::string_view text, uint32_t least, uint32_t most) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw Failure(std::string(option) + ": '" + std::string(text) + "' is not a number from " + std::to_string(least) +
                  " to " + std::to_string(most));
  }
  return value;
}

float share(std::string_view option, std::string_view text) {
  float value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1)) {
    throw Failure(std::string(option) + ": '" + std::string(text) + "' is not a number from 0 to 1");
  }
  return value;
}

onepass::Extent extent(std::string_view option, std::string_view text) {
  constexpr uint32_t kLeast = 64;
  constexpr uint32_t kMost = 8192;
  const size_t cross = text.find('x');
  if (cross == std::string_view::npos) {
    throw Failure(std::string(option) + ": '" + std::string(text) + "' is not a size like 1920x1080");
  }
  return {number(option, text.substr(0, cross), kLeast, kMost), number(option, text.substr(cross + 1), kLeast, kMost)};
}

template <typename Value>
struct Named {
  std::string_view name;
  Value value;
};

template <typename Value>
Value named(std::string_view option, std::string_view text, const std::vector<Named<Value>>& values) {
  std::string names;
  for (const Named<Value>& value : values) {
    if (text == value.name) return value.value;
    names += (names.empty() ? "" : &value == &values.back() ? " or " : ", ") + std::string(value.name);
  }
  throw Failure(std::string(option) + ": '" + std::string(text) + "' is not " + names);
}

Shown shown_of(std::string_view option, std::string_view text) {
  std::vector<Named<Shown>> values;
  for (const auto step : {Shown::kNormals, Shown::kRoughness, Shown::kMotion, Shown::kSurfaces, Shown::kRays,
                          Shown::kReflections, Shown::kConfidence, Shown::kReflected}) {
    values.push_back({shown_name(step), step});
  }
  return named<Shown>(option, text, values);
}

uint32_t reduction(std::string_view option, std::string_view text) {
  const uint32_t value = number(option, text, 1, 4);
  if (value == 3) throw Failure(std::string(option) + ": '3' is not 1, 2 or 4");
  return value;
}

bool needs_value(std::string_view option) {
  constexpr std::array<std::string_view, 17> kOptions{
      "--size",  "--depth", "--output-transfer", "--time",      "--reduce", "--frames",
      "--timed", "--boxes", "--device",          "--particles", "--output", "--csv",
      "--step",  "--rays",  "--floor-roughness", "--from",      "--until"};
  return std::find(kOptions.begin(), kOptions.end(), option) != kOptions.end();
}

// Options without a value. False: another option.
bool set_switch(Options& options, std::string_view option) {
  bool Options::*const member = option == "--stereo"             ? &Options::stereo
                                : option == "--local-exposure"   ? &Options::local_exposure
                                : option == "--half-reflections" ? &Options::half_reflections
                                : option == "--view"             ? &Options::view
                                : option == "--tiles"            ? &Options::tiles
                                : option == "--noise"            ? &Options::noise
                                : option == "--jpeg"             ? &Options::jpeg
                                : option == "--validation"       ? &Options::validation
                                                                 : nullptr;
  if (member == nullptr) return false;
  options.*member = true;
  return true;
}

// Options about reflections and about the sequence, with a value.
void set_reflections(Options& options, std::string_view option, std::string_view text) {
  if (option == "--step") {
    options.steps.push_back(shown_of(option, text));
  } else if (option == "--rays") {
    using Rays = onepass::ReflectionRays;
    options.rays = named<Rays>(option, text,
                               {{"quarter", Rays::kQuarter}, {"1", Rays::kOne}, {"2", Rays::kTwo}, {"4", Rays::kFour}});
  } else if (option == "--floor-roughness") {
    options.floor_roughness = share(option, text);
  } else if (option == "--from") {
    options.first_time = share(option, text);
  } else {
    options.last_time = share(option, text);
  }
}

void set_value(Options& options, std::string_view option, std::string_view text) {
  if (option == "--size") {
    options.size = extent(option, text);
  } else if (option == "--depth") {
    options.depth = named<DepthFormat>(option, text, {{"d32", DepthFormat::kD32}, {"d24s8", DepthFormat::kD24S8}});
  } else if (option == "--output-transfer") {
    options.output_transfer = named<Output>(option, text, {{"srgb", Output::kSrgb}, {"pq", Output::kPq}});
  } else if (option == "--time") {
    options.time = share(option, text);
  } else if (option == "--reduce") {
    options.reduce = reduction(option, text);
  } else if (option == "--frames") {
    options.frames = number(option, text, 0, 1000);
  } else if (option == "--timed") {
    options.timed = number(option, text, 0, 1000);
  } else if (option == "--boxes") {
    options.boxes = number(option, text, kFewestBoxes, kMostBoxes);
  } else if (option == "--particles") {
    options.particles = number(option, text, 1, 16'000'000);
  } else if (option == "--device") {
    options.device = text;
  } else if (option == "--output") {
    options.output = text;
  } else if (option == "--csv") {
    options.csv = text;
  } else {
    set_reflections(options, option, text);
  }
}

}  // namespace

const char* shown_name(Shown step) {
  constexpr std::array<const char*, 8> kNames{"normals", "roughness",   "motion",     "surfaces",
                                              "rays",    "reflections", "confidence", "reflected"};
  return kNames.at(static_cast<size_t>(step));
}

std::optional<Options> parse_options(int count, const char* const* arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view option = arguments[i];
    if (option == "--help" || option == "-h") {
      std::fputs(kHelp, stdout);
      return std::nullopt;
    }
    if (set_switch(options, option)) continue;
    if (!needs_value(option)) throw Failure("unknown option '" + std::string(option) + "'; see --help");
    if (i + 1 == count || std::string_view(arguments[i + 1]).empty()) {
      throw Failure(std::string(option) + ": needs a value");
    }
    set_value(options, option, arguments[++i]);
  }
  if (options.jpeg && options.output_transfer == Output::kPq) {
    throw Failure("--jpeg: files of --output-transfer pq have 16 bits");
  }
  if (options.particles == 0) options.particles = options.size.width * options.size.height / 4;
  return options;
}

}  // namespace samples::frame
