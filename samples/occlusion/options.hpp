// options.hpp: the command line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "onepass/pyramid.hpp"

namespace samples::occlusion {

struct Options {
  onepass::Extent size{1920, 1080};
  uint32_t boxes = 40'000;
  uint32_t frames = 60;
  onepass::Footprint footprint = onepass::Footprint::kCovering;
  std::string device;
  std::filesystem::path output = "out/occlusion";
  std::filesystem::path csv;  ///< Empty: none.
  bool validation = false;
};

/// Returns nothing after printing the help for --help. Throws Failure for an unknown option or value.
std::optional<Options> parse_options(int count, const char* const* arguments);

}  // namespace samples::occlusion
