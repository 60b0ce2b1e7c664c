// options.hpp: the command line of the ocean sample.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "onepass/image.hpp"

namespace samples::ocean {

struct Options {
  onepass::Extent size{1280, 720};  ///< Of the picture.
  uint32_t texels = 256;            ///< Per side of a patch, a power of two.
  uint32_t wind = 11;               ///< Metres per second.
  double choppiness = 1;            ///< Factor on horizontal displacements.
  uint32_t frames = 180;            ///< Before the picture, while foam gathers.
  uint32_t sequence = 0;            ///< Pictures of the frames that follow.
  uint32_t timed = 100;             ///< Frames of the table of times; 0: no table.
  std::string device;               ///< As in DeviceRequest::selector; empty: a GPU, or software where there is none.
  bool jpeg = false;                ///< Pictures are JPEG instead of PNG files.
  bool validation = false;          ///< Enables the validation layers; a message is a failure.
  std::filesystem::path output = "out/ocean";
};

/// Reads the command line. Nothing: help was printed. Throws a Failure for a wrong option.
[[nodiscard]] std::optional<Options> parse_options(int count, const char* const* arguments);

}  // namespace samples::ocean
