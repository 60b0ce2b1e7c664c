// options.hpp: the command line of the particles sample.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "onepass/image.hpp"

namespace samples::particles {

struct Options {
  onepass::Extent size{1920, 1080};  ///< Of the depth buffer.
  uint32_t particles = 4'000'000;
  double visible = 0.8;     ///< Fraction of visible particles.
  double band = 0.9;        ///< Largest distance of a particle to the surface of its texel, as a fraction of the
                            ///< surface's distance. At small values tiles prove fewer particles visible.
  uint32_t factor = 16;     ///< Texels per side of a tile, which becomes one texel of the reduced image.
  bool reversed_z = false;  ///< Depth 1 is near.
  uint32_t frames = 20;     ///< Number of timings per median.
  std::string device;       ///< As in DeviceRequest::selector; empty: a GPU, or software where there is none.
  bool validation = false;  ///< Enables the validation layers; a message is a failure.
  std::filesystem::path output = "out/particles";
  std::filesystem::path csv;  ///< Empty: no sweep.
  uint32_t steps = 10;        ///< Of the visible fraction, in the sweep.
};

/// Fills `options` from the command line. Returns an exit status if the program should end, after printing the help or
/// a message about a wrong option.
std::optional<int> parse_options(int argc, char** argv, Options& options);

}  // namespace samples::particles
