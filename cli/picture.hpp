// picture.hpp: texels as something to look at: tone-mapped light, false-coloured depth.
#pragma once

#include <string>
#include <vector>

#include "canvas.hpp"
#include "onepass/image.hpp"

namespace onepass::cli {

/// What the texels of a pyramid mean.
struct Meaning {
  bool depth = false;
  bool reversed = false;    ///< Depth 1 is near.
  bool two_depths = false;  ///< A minimum and a maximum, shown side by side.
  bool data = false;        ///< Numbers rather than colours: shown without sRGB encoding.
};

/// Turns levels into pictures, all in the same way.
///
/// Depth is coloured by rank: equal areas of the scale hold equally many different depths, whatever the projection. HDR
/// colours are exposed so that the geometric mean of luminance becomes middle gray, then go through a film-like curve.
/// Slices stand side by side.
class Viewer {
 public:
  Viewer(const ImageView& base, const Meaning& meaning);

  [[nodiscard]] Pixels show(const ImageView& level) const;

  /// Size of show()'s result.
  [[nodiscard]] Extent shown_size(const ImageView& level) const;

  /// Depth: the colour of a place on the scale, 0 near to 1 far.
  [[nodiscard]] static Rgb depth_colour(float place);
  [[nodiscard]] float nearest() const { return meaning_.reversed ? highest_ : lowest_; }
  [[nodiscard]] float farthest() const { return meaning_.reversed ? lowest_ : highest_; }

  /// "tone-mapped, exposure +1.5 EV", "colour by rank of depth", or nothing.
  [[nodiscard]] std::string remark() const;

 private:
  void study_depth(const ImageView& base);
  void study_light(const ImageView& base);
  [[nodiscard]] float rank(float depth) const;
  void colour_row(const ImageView& level, const float* rgba, std::vector<Rgb>& row, uint32_t tile) const;
  [[nodiscard]] uint32_t tiles(const ImageView& level) const;

  Meaning meaning_;
  bool hdr_ = false;
  float exposure_ = 1;
  float lowest_ = 0;
  float highest_ = 1;
  std::vector<float> depths_;  // distinct, rising: a sample
};

}  // namespace onepass::cli
