// options.hpp: the command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "onepass/image.hpp"

namespace samples::frame {

/// The depth format of the frame.
enum class DepthFormat : uint32_t { kD32 = 126, kD24S8 = 129 };  // numbers of VkFormat

enum class Output : uint32_t { kSrgb, kPq };

struct Options {
  onepass::Extent size{640, 360};
  uint32_t boxes = 16'000;
  uint32_t particles = 0;  ///< 0: by the size of the image.
  uint32_t frames = 20;    ///< Of the sequence.
  uint32_t timed = 3;      ///< Frames per row of the table of times.
  uint32_t reduce = 1;     ///< The pictures of single frames are this many times smaller.
  float time = 0.42F;      ///< Place of the picture along the path, 0 to 1.
  DepthFormat depth = DepthFormat::kD32;
  Output output_transfer = Output::kSrgb;
  bool stereo = false;
  bool local_exposure = false;
  bool jpeg = false;   ///< Pictures but those of the sequence are JPEG files.
  bool tiles = false;  ///< Times coarse images of depth.
  bool view = false;   ///< Writes the sheet of all steps.
  bool validation = false;
  std::string device;
  std::filesystem::path output = "out/frame";
  std::filesystem::path csv;  ///< Times. Empty: none.

  [[nodiscard]] uint32_t eyes() const { return stereo ? 2 : 1; }
};

/// Returns nothing after printing the help for --help. Throws Failure for an unknown option or value.
std::optional<Options> parse_options(int count, const char* const* arguments);

}  // namespace samples::frame
