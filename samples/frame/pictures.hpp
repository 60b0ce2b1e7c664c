// pictures.hpp: the pictures that the sample writes.
#pragma once

#include <filesystem>
#include <vector>

#include "common/canvas.hpp"
#include "frame.hpp"

namespace samples::frame {

/// The current picture of all eyes, side by side, as 8-bit sRGB values.
[[nodiscard]] Pixels read_picture(Gpu& gpu, const FrameLoop& loop);

/// A PNG file, or a JPEG file if the name ends in .jpg.
void write_pixels(const std::filesystem::path& path, const Pixels& pixels);

/// The current picture as write_pixels() writes it, each block of `reduce` x `reduce` texels averaged to one. PQ: a
/// 16-bit file of the whole size, that says so in a cICP chunk.
void write_frame(const std::filesystem::path& path, Gpu& gpu, const FrameLoop& loop, const Options& options);

/// The steps of the last frame, of the first eye, in one picture. Draws the frame again.
void write_sheet(const std::filesystem::path& path, Gpu& gpu, FrameLoop& loop, const Scene& scene,
                 const Moment& moment);

/// A moment of the sequence.
struct Exposed {
  float seconds = 0;
  float metered_ev = 0;  ///< EV100 of the metered luminance, and
  float adapted_ev = 0;  ///< of the luminance that the exposure is adapted to.
  Pixels picture;
};

/// Some frames of the sequence above a plot of EV100 over time.
void write_exposures(const std::filesystem::path& path, const std::vector<Exposed>& sequence);

}  // namespace samples::frame
