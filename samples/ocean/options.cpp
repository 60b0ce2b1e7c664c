// options.cpp: the help text and a parser that throws a Failure for numbers out of range.
#include "options.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

#include "common/gpu.hpp"

namespace samples::ocean {
namespace {

constexpr const char* kHelp =
    R"(ocean: waves by inverse transforms and mip chains on Vulkan, checked against sums in double, drawn and timed.

  --size WxH            of the picture (1280x720); 16 to 4096 each way
  --texels N            per side of a patch (256): 64, 128, 256, 512 or 1024
  --wind N              metres per second (11); 3 to 25
  --choppiness F        factor on horizontal displacements (1); 0 to 2
  --frames N            before the picture (180); 2 to 5000
  --sequence N          also pictures of the next N frames (0); 0 to 900
  --timed N             frames of the table of times (100); 0 to 10000; 0: no table
  --jpeg                JPEG instead of PNG files, much smaller
  --device SELECTOR     index or part of the name (the first GPU, or else software)
  --output FOLDER       for the pictures (out/ocean)
  --validation          with the Vulkan validation layers; any message is a failure
  --help

Times of a software device say nothing about GPUs.
Exit code: 0 the fields agree with the sums; 1 a failure, or differences; 2 wrong options.
)";

template <typename Number>
Number number(std::string_view option, std::string_view text, Number least, Number most) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= least && value <= most)) {
    char range[64];
    std::snprintf(range, sizeof(range), "%g to %g", static_cast<double>(least), static_cast<double>(most));
    throw Failure(std::string(option) + ": '" + std::string(text) + "' is not a number from " + range);
  }
  return value;
}

onepass::Extent extent(std::string_view option, std::string_view text) {
  const size_t cross = text.find('x');
  if (cross == std::string_view::npos) {
    throw Failure(std::string(option) + ": '" + std::string(text) + "' is not a size like 1920x1080");
  }
  return {number(option, text.substr(0, cross), 16U, 4096U), number(option, text.substr(cross + 1), 16U, 4096U)};
}

uint32_t power_of_two(std::string_view option, std::string_view text) {
  const uint32_t value = number(option, text, 64U, 1024U);
  if ((value & (value - 1)) != 0)
    throw Failure(std::string(option) + ": '" + std::string(text) + "' is not a power of two");
  return value;
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
    if (option == "--validation" || option == "--jpeg") {
      (option == "--jpeg" ? options.jpeg : options.validation) = true;
      continue;
    }
    const auto value = [&]() -> std::string_view {
      if (++i == count || std::string_view(arguments[i]).empty()) {
        throw Failure(std::string(option) + ": needs a value");
      }
      return arguments[i];
    };
    if (option == "--size") {
      options.size = extent(option, value());
    } else if (option == "--texels") {
      options.texels = power_of_two(option, value());
    } else if (option == "--wind") {
      options.wind = number(option, value(), 3U, 25U);
    } else if (option == "--choppiness") {
      options.choppiness = number(option, value(), 0.0, 2.0);
    } else if (option == "--frames") {
      options.frames = number(option, value(), 2U, 5000U);
    } else if (option == "--sequence") {
      options.sequence = number(option, value(), 0U, 900U);
    } else if (option == "--timed") {
      options.timed = number(option, value(), 0U, 10'000U);
    } else if (option == "--device") {
      options.device = value();
    } else if (option == "--output") {
      options.output = value();
    } else {
      throw Failure("unknown option '" + std::string(option) + "'; see --help");
    }
  }
  return options;
}

}  // namespace samples::ocean
