// reflection.hpp: stochastic screen-space reflections of rough and smooth surfaces: options, sizes and costs. The
// engine is onepass/vulkan/reflection.hpp.
//
// For each texel of a surface whose roughness is low enough, rays march through the depth pyramid of the frame, in
// random directions of the surface's reflection, and bring the colour of what they hit. A filter over frames and texels
// removes the noise. With n the normal, v the direction to the eye, and h a random visible normal of the GGX
// distribution of alpha = roughness^2, the result of a texel is
//     radiance   = mean of  c * color(hit) + (1 - c) * fallback(direction)   over directions reflect(-v, h) above the
//                  surface
//     confidence = mean of  c,   c: 0 for a ray without hit on the screen; for others 1, less near the borders
// There is no Fresnel factor in it: multiply it by the BRDF's integral over directions, as a table for image-based
// lighting has it. With the default fallback, black, the radiance is multiplied by the confidence already:
//     reflected = radiance + (1 - confidence) * probe
// Sources: J. Dupuy and A. Benyoub, "Sampling Visible GGX Normals with Spherical Caps", HPG 2023 (directions);
// Y. Uludag, "Hi-Z Screen-Space Cone-Traced Reflections", GPU Pro 5, 2014 (ray march); T. Stachowiak, "Stochastic
// Screen-Space Reflections", SIGGRAPH 2015; C. Schied et al., "Spatiotemporal Variance-Guided Filtering", HPG 2017.
#pragma once

#include <array>
#include <cstdint>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/pyramid.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// How texels hold a normal. Its length does not matter.
enum class NormalEncoding : uint32_t {
  kSigned,      ///< x, y, z in the first three channels of a float format.
  kUnsigned,    ///< (x, y, z) / 2 + 1/2 in the first three channels.
  kOctahedral,  ///< Two channels, 0 to 1: Z. Cigolle et al., "A Survey of Efficient Representations for Independent
                ///< Unit Vectors", JCGT 3 (2), 2014.
};

/// Rays of a rough texel in each frame. Mirrors have one.
enum class ReflectionRays : uint32_t {
  kQuarter,  ///< One for each quad of 2x2 texels that have rays; the texels of a quad take turns.
  kOne,
  kTwo,
  kFour,
};

/// Texels that have rays, a history and a filter.
enum class ReflectionResolution : uint32_t {
  kFull,  ///< Every texel.
  kHalf,  ///< Every second one in x and y, from the first: a quarter of the rays and memory. The texels between take
          ///< the light of the two or four beside them whose surfaces are like theirs. Mirrors are half as sharp.
};

/// The frame of the colour image.
enum class ReflectionColor : uint32_t {
  kThisFrame,  ///< The frame of all other images.
  kLastFrame,  ///< The frame before, found by motion vectors or, without such, by the matrices.
};

/// Options of reflections. Images have `size` and `slices`, except for the environment.
struct ReflectionOptions {
  Extent size;                          ///< Size of all images, 1 to 16384 per axis.
  uint32_t slices = 1;                  ///< Array layers: views of stereo, faces; 1 to 64. Each is treated separately.
  Format color = Format::kUndefined;    ///< Radiance, any format but labels. NaN counts as 0; negative values, too.
  Format depth = Format::kUndefined;    ///< Depth, 0 to 1: a depth format, or one channel of floats.
  Format pyramid = Format::kUndefined;  ///< Levels 1 and up of a pyramid of the depth: nearest depths (kMin, with
                                        ///< reversed depth kMax) in one channel, or kMinMax in two, by
                                        ///< which rays also skip what they are behind.
  Format normals = Format::kUndefined;  ///< Normals in the world; world: the space of the matrices.
  Format roughness = Format::kUndefined;     ///< Roughness, 0 to 1: the square root of GGX's alpha.
  Format motion = Format::kUndefined;        ///< Motion vectors, at least two channels; kUndefined: nothing moves.
  Format environment = Format::kUndefined;   ///< A picture of the surroundings for rays without a hit: longitude along
                                             ///< x, from -z over +x to +z and -x; latitude along y, from +y to -y.
                                             ///< kUndefined: the fallback of each frame.
  Format hit_distance = Format::kUndefined;  ///< Target of distances: kR16Sfloat, kR32Sfloat; kUndefined: none.
  Footprint footprint = Footprint::kCovering;  ///< Of the pyramid: kCovering, kTight or kEdge, whose rays hit what they
                                               ///< would hit without a pyramid, but for cut corners of texels.
  bool reversed_depth = false;                 ///< 1 is near.
  NormalEncoding normal_encoding = NormalEncoding::kSigned;
  uint32_t roughness_channel = 0;  ///< Channel that holds the roughness, 0 to 3: it may be a channel of the normals.
  ReflectionColor color_frame = ReflectionColor::kThisFrame;
  std::array<float, 2> motion_scale{1, 1};  ///< Last position = position + scale * motion vector, in coordinates of 0
                                            ///< to 1 from left to right and from top to bottom.
  // Rays
  ReflectionResolution resolution = ReflectionResolution::kFull;
  ReflectionRays rays = ReflectionRays::kOne;
  float mirror_roughness = 0.05F;    ///< Surfaces up to this roughness are mirrors: one ray, no filter. 0 to 1.
  float max_roughness = 0.6F;        ///< Rougher surfaces have no rays: radiance and confidence 0. 0 to 1.
  float thickness = 0;               ///< Depth behind the visible surface that stops rays, in units of the world. 0 to
                                     ///< 1e30.
  float relative_thickness = 0.02F;  ///< Share of the surface's distance that is added to the thickness. 0 to 1.
  float border_fade = 0.05F;  ///< Width in which confidence fades to 0 at the borders; share of the size, 0 to 0.5.
  uint32_t max_steps = 256;   ///< Steps of a ray, each a load of one depth; then it has hit nothing. 1 to 4096.
  // Filter
  uint32_t history_frames = 32;  ///< Most frames in a mean, 1 to 1024; 1: no history.
  float history_deviations = 1;  ///< Standard deviations of this frame's rays around a texel to which its history is
                                 ///< clipped: small values follow changes faster, with more noise. 0: not clipped.
  uint32_t filter_passes = 3;    ///< Passes of the filter over texels, 0 to 5: the last reaches 2^(passes-1) texels
                                 ///< that have rays.
  float filter_radius = 0.5F;    ///< Radius of that filter, in those of what a texel's lobe covers on the screen, 0 to
                                 ///< 4.
};

/// Sizes and costs of reflections.
struct ReflectionPlan {
  ReflectionOptions options;
  uint32_t levels = 0;         ///< Levels below the base that the pyramid has; 0: there is no pyramid image.
  Extent traced;               ///< Texels that have rays: the size, or its half, rounded up.
  Extent tiles;                ///< Tiles of 8x8 of these.
  uint32_t dispatches = 0;     ///< Dispatches of record().
  uint64_t scratch_bytes = 0;  ///< Scratch memory, history included: 56 bytes per traced texel, 8 per tile, 24640.
};

/// Validates the options and computes the plan.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<ReflectionPlan> plan_reflection(const ReflectionOptions& options);

}  // namespace onepass
