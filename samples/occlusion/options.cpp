// options.cpp: the help text and a parser that throws a Failure for numbers out of range.
#include "options.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

#include "common/gpu.hpp"
#include "onepass/words.hpp"
#include "scene.hpp"

namespace samples::occlusion {
namespace {

constexpr const char* kHelp =
    R"(occlusion: draws a city of boxes with two-phase occlusion culling, and without, and compares every frame.

  --size WxH            of the image (1920x1080); 16 to 8192 each way
  --boxes N             in the scene (40000); 500 to 2000000
  --frames N            along the camera's path (60); 2 to 10000
  --footprint NAME      of the depth pyramid: covering, tight, edge, aligned (covering). aligned drops rows and
                        columns at most sizes and therefore hides visible boxes: the sample shows them
  --device SELECTOR     index or part of the name (the first GPU, or else software)
  --output FOLDER       for the pictures (out/occlusion)
  --csv FILE            counts and GPU times of every frame
  --validation          with the Vulkan validation layers; any message is a failure
  --help

Exit code: 0 all frames are the same with and without culling (with aligned: always); 1 a failure, or frames differ;
2 wrong options.
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

onepass::Extent extent(std::string_view option, std::string_view text) {
  constexpr uint32_t kLeast = 16;
  constexpr uint32_t kMost = 8192;
  const size_t cross = text.find('x');
  if (cross == std::string_view::npos) {
    throw Failure(std::string(option) + ": '" + std::string(text) + "' is not a size like 1920x1080");
  }
  return {number(option, text.substr(0, cross), kLeast, kMost), number(option, text.substr(cross + 1), kLeast, kMost)};
}

onepass::Footprint footprint(std::string_view option, std::string_view text) {
  const auto known = onepass::from_word<onepass::Footprint>(text);
  if (known && *known != onepass::Footprint::kCeil) return *known;  // sizes of Vulkan images round down
  throw Failure(std::string(option) + ": '" + std::string(text) + "' is not covering, tight, edge or aligned");
}

}  // namespace

std::optional<Options> parse_options(int count, const char* const* arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view option = arguments[i];
    if (option == "--help" || option == "-h") {
      std::fputs(kHelp, stdout);
      return std::nullopt;
    }
    if (option == "--validation") {
      options.validation = true;
      continue;
    }
    const auto value = [&]() -> std::string_view {
      if (++i == count || std::string_view(arguments[i]).empty())
        throw Failure(std::string(option) + ": needs a value");
      return arguments[i];
    };
    if (option == "--size") {
      options.size = extent(option, value());
    } else if (option == "--boxes") {
      options.boxes = number(option, value(), kFewestBoxes, kMostBoxes);
    } else if (option == "--frames") {
      options.frames = number(option, value(), 2, 10'000);
    } else if (option == "--footprint") {
      options.footprint = footprint(option, value());
    } else if (option == "--device") {
      options.device = value();
    } else if (option == "--output") {
      options.output = value();
    } else if (option == "--csv") {
      options.csv = value();
    } else {
      throw Failure("unknown option '" + std::string(option) + "'; see --help");
    }
  }
  return options;
}

}  // namespace samples::occlusion
