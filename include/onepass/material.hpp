// material.hpp: textures of materials: mip levels of normal maps and of the roughness that belongs to them, normals of
// heights, channels packed from several pictures.
//
// A level of a normal map is a mean of normals, and a mean of different unit vectors is shorter than 1. The lost length
// says how much the surface varies within a texel: from far away it is smooth and rough, not flat and shiny. Levels of
// a normal map therefore need levels of roughness made of both pictures; otherwise highlights grow too bright and
// sparkle where a surface is far away.
//
//     // normal_levels and roughness_levels: std::vector<MutableImageView> of level 1, level 2, ...
//     auto done = onepass::cpu::roughness_mips(normal_map, roughness_map, normal_levels, roughness_levels);
//
// Roughness r is perceptual, 0 to 1, as glTF and most engines store it; a GGX lobe has alpha = r^2. Normal maps store
// x, y and z of a vector: UNORM formats 0.5*n+0.5, floats n itself; with two channels z = sqrt(1-x^2-y^2) is implied.
// docs/textures.md has the errors of rendered highlights with and without this.
#pragma once

#include <cstdint>
#include <span>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// The measure of how much the normals in a footprint vary, and with it the number of roughnesses of a texel.
enum class NormalVariance : uint32_t {
  kToksvig,     ///< The length L of their mean: alpha^2 = mean(alpha^2) + 2*(1-L)/L. One roughness for all directions.
  kCovariance,  ///< Their second moments in the tangent plane of the mean normal: a roughness along x and one along y
                ///< of the texture, in two channels. For grooves, brushed metal and cloth in an anisotropic GGX lobe.
};

/// The direction of y in a normal map.
enum class NormalY : uint32_t {
  kUp,    ///< Towards the first row (OpenGL, glTF, Unity, Blender).
  kDown,  ///< Towards the last row (Direct3D, Unreal Engine).
};

/// Options of cpu::roughness_mips().
struct RoughnessOptions {
  NormalVariance variance = NormalVariance::kToksvig;
  float roughness = 0;          ///< Of the whole base if there is no picture of it: 0 to 1.
  uint32_t source_channel = 0;  ///< Channel of the picture that holds the roughness, 0 to 3.
  uint32_t target_channel = 0;  ///< Channel of the levels that receives it; kCovariance: along x, the next one along y.
};

/// Options of cpu::height_to_normals().
struct HeightOptions {
  float scale = 1;                       ///< Height of a value of 1 above 0, in texels. Negative: depths.
  Boundary boundary = Boundary::kClamp;  ///< Heights outside: kWrap for textures that repeat. kClamp: differences at
                                         ///< the edge are one-sided, so that slopes continue. Not kZero.
  NormalY normal_y = NormalY::kUp;       ///< Direction of y in the normal map that is made.
  uint32_t channel = 0;                  ///< Channel that holds the heights, 0 to 3.
};

/// The content of one channel of cpu::pack_channels().
struct ChannelSource {
  ImageView image;       ///< Without data: `value` everywhere.
  uint32_t channel = 0;  ///< Of the image, 0 to 3.
  float value = 0;       ///< Used if there is no image.
};

namespace cpu {

/// Tuning of the functions of this header; it never changes a result.
struct MaterialTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = usable_threads().
};

/// Makes levels 1 and up of a normal map and of its roughness.
///
/// Texels of a level have the footprints and weights of Footprint::kCovering, at any size. Vectors of the base count
/// with length 1; a null vector counts as (0, 0, 1), and is what normals that cancel out get. `normal_levels[n-1]`
/// receives the unit vectors of level n, the fourth channel its mean. `roughness_levels[n-1]` receives the roughness in
/// its channel; other channels of the level keep their values (formats of several channels are read, therefore), so
/// that the levels of a packed picture can be made first. Either span may be empty. Roughness: (mean(r^4) + 2*v)^(1/4),
/// at most 1, where v is the variance of slopes along an axis.
///
/// `normals`: two to four channels. `roughness`: the size and slices of `normals`, or no data, which means
/// options.roughness. Level views have the sizes of level_size() and those slices; any format but depth, labels and
/// sRGB. NaN of a base texel becomes NaN of every texel whose footprint has it, 0 in UNORM.
///
/// Results have the same bits for any number of threads and any SIMD target.
/// Cost: reads the base once; works in double precision; memory of 40 bytes (kCovariance: 80) for each texel of
/// level 1. Errors: kInvalidArgument, naming the field and its value; kOutOfMemory. Threads: any number of calls at
/// once, for different levels. Source: M. Toksvig, "Mipmapping Normal Maps", 2005; M. Olano, D. Baker, "LEAN Mapping",
/// 2010.
[[nodiscard]] ONEPASS_API Result<void> roughness_mips(const ImageView& normals, const ImageView& roughness,
                                                      std::span<const MutableImageView> normal_levels,
                                                      std::span<const MutableImageView> roughness_levels,
                                                      const RoughnessOptions& options = {},
                                                      const MaterialTuning& tuning = {});

/// Makes a normal map of heights, by central differences: (h(x+1) - h(x-1)) / 2 along each axis.
///
/// Central differences look at a row and a column only. Sobel's operator averages three of each as well, and blurs the
/// finest detail, which a normal map is there to show.
///
/// `heights`: any format but labels. `normals`: the same size and slices; two to four channels (the fourth becomes 1),
/// any format but depth, labels and sRGB. Heights of 8 bits make steps at gentle slopes: 16 bits or floats are better.
/// Errors: kInvalidArgument, naming the field and its value; kOutOfMemory.
/// Threads: any number of calls at once, for different targets.
[[nodiscard]] ONEPASS_API Result<void> height_to_normals(const ImageView& heights, const MutableImageView& normals,
                                                         const HeightOptions& options = {},
                                                         const MaterialTuning& tuning = {});

/// Reverses y of a normal map: converts between NormalY::kUp and kDown. Codes of UNORM formats are mirrored exactly.
///
/// `source` and `target`: the same format, size and slices, two to four channels; any format but depth, labels, sRGB
/// and B10G11R11, which has no sign. They may be the same image.
/// Errors: kInvalidArgument, naming the field and its value; kOutOfMemory.
/// Threads: any number of calls at once, for different targets.
[[nodiscard]] ONEPASS_API Result<void> flip_normal_y(const ImageView& source, const MutableImageView& target,
                                                     const MaterialTuning& tuning = {});

/// Copies a normal map to another format and number of channels, with vectors of length 1; null vectors become (0, 0,
/// 1).
///
/// `source`, `target`: the same size and slices, two to four channels; any format but depth, labels and sRGB. A fourth
/// channel is copied; one that the source lacks becomes 1. They may be the same image.
/// Errors: kInvalidArgument, naming the field and its value; kOutOfMemory.
/// Threads: any number of calls at once, for different targets.
[[nodiscard]] ONEPASS_API Result<void> convert_normals(const ImageView& source, const MutableImageView& target,
                                                       const MaterialTuning& tuning = {});

/// Fills each channel of a picture from a channel of another: occlusion, roughness and metalness in one texture.
///
/// `channels`: one for each channel of `target`. Images have the size and slices of `target`, and any format but
/// labels; values are converted as everywhere: sRGB is decoded, channels that a format lacks are 0, a missing alpha is
/// 1. `target`: any format but depth and labels; in sRGB formats colours are encoded. It is none of the images.
/// Errors: kInvalidArgument, naming the field and its value; kOutOfMemory.
/// Threads: any number of calls at once, for different targets.
[[nodiscard]] ONEPASS_API Result<void> pack_channels(std::span<const ChannelSource> channels,
                                                     const MutableImageView& target, const MaterialTuning& tuning = {});

}  // namespace cpu
}  // namespace onepass
