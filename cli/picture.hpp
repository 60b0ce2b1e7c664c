// picture.hpp: converts texels to RGB pictures: tone-mapped light, false-coloured depth.
#pragma once

#include <string>
#include <vector>

#include "canvas.hpp"
#include "onepass/image.hpp"

namespace onepass::cli {

/// How the texels of a pyramid are to be interpreted.
struct PixelSemantics {
  bool depth = false;
  bool reversed = false;    ///< Depth 1 is near.
  bool two_depths = false;  ///< A minimum and a maximum, shown side by side.
  bool data = false;        ///< Numbers rather than colours: shown without sRGB encoding.
};

/// Converts the levels of a pyramid to pictures, all by one mapping that depends on the base.
///
/// Depth is coloured by rank: equal parts of the colour scale hold equally many different depths, under any projection.
/// HDR colours are scaled so that the geometric mean of luminance becomes 0.18, then tone mapped by a filmic curve.
/// Slices are shown side by side.
class Viewer {
 public:
  Viewer(const ImageView& base, const PixelSemantics& meaning);

  [[nodiscard]] Pixels show(const ImageView& level) const;

  /// Size of show()'s result.
  [[nodiscard]] Extent shown_size(const ImageView& level) const;

  /// The colour of a position on the depth scale, 0 near to 1 far.
  [[nodiscard]] static Rgb depth_colour(float place);
  [[nodiscard]] float nearest() const { return meaning_.reversed ? highest_ : lowest_; }
  [[nodiscard]] float farthest() const { return meaning_.reversed ? lowest_ : highest_; }

  /// "tone-mapped, exposure +1.5 EV", "coloured by rank of depth", or an empty text.
  [[nodiscard]] std::string remark() const;

 private:
  void study_depth(const ImageView& base);
  void study_light(const ImageView& base);
  [[nodiscard]] float rank(float depth) const;
  void colour_row(const ImageView& level, const float* rgba, std::vector<Rgb>& row, uint32_t tile) const;
  [[nodiscard]] uint32_t tiles(const ImageView& level) const;

  PixelSemantics meaning_;
  bool hdr_ = false;
  float exposure_ = 1;
  float lowest_ = 0;
  float highest_ = 1;
  std::vector<float> depths_;  // a sample of the base: distinct, ascending
};

}  // namespace onepass::cli
