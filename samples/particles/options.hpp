// options.hpp: the command line of the particles sample.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "onepass/image.hpp"

namespace onepass::particles {

struct Options {
  Extent size{1920, 1080};  ///< Of the depth buffer.
  uint32_t particles = 4'000'000;
  double visible = 0.8;     ///< Fraction that is to be visible.
  double band = 0.9;        ///< Farthest a particle may be from the surface of its texel, as a fraction of the
                            ///< surface's distance. Small: particles hug the scene, and tiles prove less.
  uint32_t factor = 16;     ///< Texels a side that become one of the reduced image.
  bool reversed_z = false;  ///< 1 is near.
  uint32_t frames = 20;     ///< Timings that a median is taken of.
  std::string device;       ///< As in DeviceRequest::selector; empty: a GPU, or software where there is none.
  bool validation = false;  ///< With validation layers; a message is a failure.
  std::filesystem::path output = "out/particles";
  std::filesystem::path csv;  ///< Empty: no sweep.
  uint32_t steps = 10;        ///< Of the visible fraction, in the sweep.
};

/// Fills `options` from the command line. Returns the exit status when there is nothing left to do: help was asked for,
/// or an option is wrong, which has then been said.
std::optional<int> parse_options(int argc, char** argv, Options& options);

}  // namespace onepass::particles
