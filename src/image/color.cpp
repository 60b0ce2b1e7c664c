// color.cpp: matrices from primaries, and the loop over rows that applies alpha, primaries and background.
#include "onepass/color.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cpu/workers.hpp"
#include "image/div_up.hpp"
#include "image/error.hpp"
#include "image/matrix.hpp"
#include "image/straight_alpha.hpp"

namespace onepass {
namespace {

constexpr uint32_t kRowsPerTask = 16;

std::array<double, 3> product(const ColorMatrix& m, const std::array<double, 3>& v) {
  std::array<double, 3> out{};
  for (size_t i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

std::array<double, 3> xyz_of(const std::array<double, 2>& xy) {
  return {xy[0] / xy[1], 1, (1 - xy[0] - xy[1]) / xy[1]};
}

bool is_finite(const ColorMatrix& m) {
  for (const auto& row : m) {
    for (const double value : row) {
      if (!(std::fabs(value) < 1e6)) return false;
    }
  }
  return true;
}

std::string text_of(const Chromaticities& c) {
  std::string text;
  for (const auto& point : {c.red, c.green, c.blue, c.white}) {
    for (const double value : point) {
      std::string number = std::to_string(value);
      number.resize(std::min(number.size(), number.find('.') + 5));
      text += (text.empty() ? "" : ",") + number;
    }
  }
  return text;
}

/// Cone responses of the Bradford transform.
constexpr ColorMatrix kBradford = {{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}};

/// XYZ under white `from` to XYZ under white `to`.
ColorMatrix adaptation(const std::array<double, 2>& from, const std::array<double, 2>& to) {
  if (std::fabs(from[0] - to[0]) < 1e-9 && std::fabs(from[1] - to[1]) < 1e-9) {
    return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  }
  const auto before = product(kBradford, xyz_of(from)), after = product(kBradford, xyz_of(to));
  ColorMatrix scale{};
  for (size_t i = 0; i < 3; ++i) scale[i][i] = after[i] / before[i];
  return multiply(inverse(kBradford), multiply(scale, kBradford));
}

/// The largest magnitude that a division by alpha may give: 65504 for half and packed float targets, else FLT_MAX.
float largest(const FormatInfo& target) {
  if (target.type != ChannelType::kFloat) return std::numeric_limits<float>::max();
  return target.packed || target.bytes_per_texel / target.channels == 2 ? 65504.0F : std::numeric_limits<float>::max();
}

/// Converts rows of RGBA floats.
class RowConversion {
 public:
  RowConversion(const ColorConversion& how, const FormatInfo& source, const FormatInfo& target)
      : how_(how), limit_(largest(target)), colours_(source.channels >= 3) {
    const bool alpha = source.channels == 4 && how.from != AlphaAssociation::kNone;
    const AlphaAssociation to = how.to == AlphaAssociation::kNone ? how.from : how.to;
    divides_ = alpha && how.from == AlphaAssociation::kPremultiplied && to == AlphaAssociation::kStraight;
    multiplies_ = alpha && how.from == AlphaAssociation::kStraight && to == AlphaAssociation::kPremultiplied;
    straight_ = alpha && to == AlphaAssociation::kStraight;
    has_alpha_ = alpha;
    if (!how.matrix || !colours_) return;
    for (size_t i = 0; i < 9; ++i) matrix_[i] = static_cast<float>((*how.matrix)[i / 3][i % 3]);
    mixes_ = true;
  }

  /// Returns the number of emissive texels.
  uint64_t apply(float* rgba, uint32_t count) const {
    uint64_t emissive = 0;
    for (uint32_t x = 0; x < count; ++x, rgba += 4) {
      if (divides_) emissive += divide(rgba);
      if (mixes_) mix(rgba);
      if (multiplies_ && !(how_.keep_emission && rgba[3] == 0)) {
        for (size_t c = 0; c < 3; ++c) rgba[c] *= rgba[3];
      }
      if (how_.background) cover(rgba);
    }
    return emissive;
  }

 private:
  uint64_t divide(float* rgba) const {
    make_straight(rgba, limit_);
    return rgba[3] == 0 && (rgba[0] != 0 || rgba[1] != 0 || rgba[2] != 0) ? 1 : 0;
  }

  void mix(float* rgba) const {
    const float r = rgba[0], g = rgba[1], b = rgba[2];
    for (size_t i = 0; i < 3; ++i) rgba[i] = matrix_[3 * i] * r + matrix_[3 * i + 1] * g + matrix_[3 * i + 2] * b;
  }

  void cover(float* rgba) const {
    const float alpha = has_alpha_ ? rgba[3] : 1.0F;
    const float share = straight_ ? alpha : 1.0F;
    for (size_t c = 0; c < 3; ++c) rgba[c] = share * rgba[c] + (1 - alpha) * (*how_.background)[c];
    rgba[3] = 1;
  }

  const ColorConversion& how_;
  float limit_;
  bool colours_;
  bool divides_ = false;
  bool multiplies_ = false;
  bool straight_ = false;  // alpha association of the target, before the background
  bool has_alpha_ = false;
  bool mixes_ = false;
  std::array<float, 9> matrix_{};
};

Result<void> check_views(const ImageView& source, const MutableImageView& target) {
  const FormatInfo& from = format_info(source.format);
  const FormatInfo& to = format_info(target.format);
  if (from.channels == 0) return invalid("source: unknown format");
  if (to.channels == 0 || to.depth) return invalid("target: not a format of colours");
  if (source.data == nullptr || target.data == nullptr) return invalid("source or target: no pixels");
  if (source.size != target.size || source.slices != target.slices) {
    return invalid("target: its size or slices are not those of the source");
  }
  if (source.data == target.data && from.bytes_per_texel != to.bytes_per_texel) {
    return invalid("target: overlaps a source with a different number of bytes per texel");
  }
  return {};
}

}  // namespace

bool same_chromaticities(const Chromaticities& a, const Chromaticities& b) {
  const auto near = [](const std::array<double, 2>& p, const std::array<double, 2>& q) {
    return std::fabs(p[0] - q[0]) <= 0.001 && std::fabs(p[1] - q[1]) <= 0.001;
  };
  return near(a.red, b.red) && near(a.green, b.green) && near(a.blue, b.blue) && near(a.white, b.white);
}

Result<ColorMatrix> xyz_matrix(const Chromaticities& primaries) {
  const Error bad{
      ErrorCode::kInvalidArgument, "chromaticities: " + text_of(primaries) + " are no primaries and white", {}};
  if (!(primaries.white[1] > 0)) return bad;
  // Columns are x, y, z of the primaries, without a division by y, so that y may be 0; `amounts` scale them to white.
  ColorMatrix m{};
  const std::array<std::array<double, 2>, 3> points = {primaries.red, primaries.green, primaries.blue};
  for (size_t c = 0; c < 3; ++c) {
    m[0][c] = points[c][0];
    m[1][c] = points[c][1];
    m[2][c] = 1 - points[c][0] - points[c][1];
  }
  const auto amounts = product(inverse(m), xyz_of(primaries.white));
  for (auto& row : m) {
    for (size_t c = 0; c < 3; ++c) row[c] *= amounts[c];
  }
  if (!is_finite(m) || !is_finite(inverse(m))) return bad;
  return m;
}

Result<ColorMatrix> conversion_matrix(const Chromaticities& from, const Chromaticities& to) {
  const auto source = xyz_matrix(from);
  if (!source) return source.error();
  const auto target = xyz_matrix(to);
  if (!target) return target.error();
  // XYZ is measured light. An adaptation of its "white" would change the colours that the numbers mean.
  const bool absolute = same_chromaticities(from, kXyzChromaticities) || same_chromaticities(to, kXyzChromaticities);
  if (absolute) return multiply(inverse(*target), *source);
  return multiply(inverse(*target), multiply(adaptation(from.white, to.white), *source));
}

Result<ColorReport> convert_colors(const ImageView& source, const MutableImageView& target,
                                   const ColorConversion& conversion, uint32_t threads) {
  if (auto fine = check_views(source, target); !fine) return fine.error();
  const RowConversion row(conversion, format_info(source.format), format_info(target.format));
  const uint32_t width = source.size.width;
  const size_t blocks = div_up(size_t{source.size.height}, kRowsPerTask);
  std::atomic<uint64_t> emissive{0};
  try {
    cpu::Workers workers(threads);
    std::vector<std::vector<float>> rows(workers.slots(), std::vector<float>(size_t{4} * width));
    workers.run(blocks * source.slices, [&](size_t index, uint32_t slot) {
      const auto slice = static_cast<uint32_t>(index / blocks);
      const auto first = static_cast<uint32_t>(index % blocks) * kRowsPerTask;
      uint64_t found = 0;
      for (uint32_t y = first; y < std::min(first + kRowsPerTask, source.size.height); ++y) {
        decode_row(source.format, source.row(y, slice), width, rows[slot].data());
        found += row.apply(rows[slot].data(), width);
        encode_row(target.format, rows[slot].data(), width, target.row(y, slice));
      }
      emissive += found;
    });
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "out of memory", {}};
  }
  return ColorReport{.emissive_texels = emissive};
}

}  // namespace onepass
