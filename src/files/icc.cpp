// icc.cpp: reads ICC profiles with littlecms2: matrix-and-curve profiles become primaries and curves.
//
// A profile stores its primaries adapted to D50. The inverse of its 'chad' tag, if present, restores their original
// white; otherwise they stay relative to D50, from which the same Bradford adaptation converts to any other white.
// Source: ICC.1:2022, sections 8.3.3 (matrix profiles), 9.2.15 (chromaticAdaptationTag) and annex E.
#include "files/icc.hpp"

#ifdef ONEPASS_HAS_LCMS

#include <algorithm>
#include <cmath>

#include "files/lcms_context.hpp"

namespace onepass::files {
namespace {

std::string name_of(cmsHPROFILE profile) {
  std::array<char, 128> text{};
  cmsGetProfileInfoASCII(profile, cmsInfoDescription, "en", "US", text.data(), text.size());
  std::string name(text.data());
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return name.empty() ? "unnamed" : name;
}

// Samples of the curve; empty if it is not finite or does not rise.
std::vector<float> sample(const cmsToneCurve* curve) {
  if (curve == nullptr) return {};
  std::vector<float> samples(kCurveSamples);
  for (size_t i = 0; i < samples.size(); ++i) {
    const float code = static_cast<float>(i) / static_cast<float>(kCurveSamples - 1);
    samples[i] = cmsEvalToneCurveFloat(curve, code);
    if (!std::isfinite(samples[i])) return {};
    samples[i] = std::clamp(samples[i], 0.0F, 1.0F);
  }
  return samples.back() > samples.front() ? samples : std::vector<float>();
}

const cmsToneCurve* curve_tag(cmsHPROFILE profile, cmsTagSignature tag) {
  return static_cast<const cmsToneCurve*>(cmsReadTag(profile, tag));
}

// The inverse of a 3x3 matrix in row order; identity for null or a singular matrix.
ColorMatrix unadapted(const cmsFloat64Number* chad) {
  const ColorMatrix identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  if (chad == nullptr) return identity;
  const auto m = [&](size_t row, size_t column) { return chad[3 * (row % 3) + column % 3]; };
  ColorMatrix out{};
  double determinant = 0;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      out[j][i] = m(i + 1, j + 1) * m(i + 2, j + 2) - m(i + 1, j + 2) * m(i + 2, j + 1);
    }
  }
  for (size_t j = 0; j < 3; ++j) determinant += m(0, j) * out[j][0];
  if (!(std::fabs(determinant) > 1e-6)) return identity;
  for (auto& row : out) {
    for (double& value : row) value /= determinant;
  }
  return out;
}

// Chromaticities of the colorants, and of white, which is their sum.
std::optional<Chromaticities> chromaticities_of(cmsHPROFILE profile) {
  const ColorMatrix back =
      unadapted(static_cast<const cmsFloat64Number*>(cmsReadTag(profile, cmsSigChromaticAdaptationTag)));
  std::array<std::array<double, 2>, 4> points{};
  std::array<double, 3> white{};
  const auto point = [](const std::array<double, 3>& xyz) {
    const double sum = xyz[0] + xyz[1] + xyz[2];
    return std::array<double, 2>{xyz[0] / sum, xyz[1] / sum};
  };
  size_t place = 0;
  for (const cmsTagSignature tag : {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag}) {
    const auto* stored = static_cast<const cmsCIEXYZ*>(cmsReadTag(profile, tag));
    if (stored == nullptr) return std::nullopt;
    std::array<double, 3> xyz{};
    for (size_t i = 0; i < 3; ++i) {
      xyz[i] = back[i][0] * stored->X + back[i][1] * stored->Y + back[i][2] * stored->Z;
      white[i] += xyz[i];
    }
    points[place++] = point(xyz);
  }
  points[3] = point(white);
  const Chromaticities found{points[0], points[1], points[2], points[3]};
  if (!xyz_matrix(found)) return std::nullopt;
  // Rounding, or a white kept as D50, can disguise known primaries: conversion to those is the identity within 0.003.
  for (const Chromaticities& known : {kRec709Chromaticities, kDisplayP3Chromaticities, kRec2020Chromaticities,
                                      kAcesCgChromaticities, kAces2065Chromaticities}) {
    const auto matrix = conversion_matrix(found, known);
    double most = 0;
    for (size_t i = 0; i < 9; ++i) {
      most = std::max(most, std::fabs((*matrix)[i / 3][i % 3] - (i % 4 == 0 ? 1.0 : 0.0)));
    }
    if (most < 0.003) return known;
  }
  return found;
}

void read_curves(cmsHPROFILE profile, bool gray, IccProfile& out) {
  if (gray) {
    out.curves[0] = sample(curve_tag(profile, cmsSigGrayTRCTag));
    if (out.curves[0].empty()) out.problem = "has no usable grey curve";
    return;
  }
  if (cmsIsMatrixShaper(profile) == 0) {
    out.problem = "is made of tables, not of primaries and curves";
    return;
  }
  out.primaries = chromaticities_of(profile);
  if (!out.primaries) out.problem = "has primaries that are none";
  size_t channel = 0;
  for (const cmsTagSignature tag : {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag}) {
    out.curves[channel] = sample(curve_tag(profile, tag));
    if (out.curves[channel++].empty()) out.problem = "has no usable curve for a channel";
  }
}

}  // namespace

IccProfile read_icc(std::span<const std::byte> bytes, bool gray) {
  IccProfile out;
  out.name = "unnamed";
  const LcmsContext context(icc_bytes(bytes.size()));
  const LcmsProfile profile = open_profile(context, bytes);
  if (profile == nullptr) {
    out.problem = "is damaged";
    return out;
  }
  out.name = name_of(profile.get());
  // A number, not an enumerator: damaged profiles hold any.
  const auto space = static_cast<uint32_t>(cmsGetColorSpace(profile.get()));
  // A grey image may carry an RGB profile; the red curve then serves for grey.
  if (space == uint32_t{cmsSigRgbData}) {
    read_curves(profile.get(), false, out);
  } else if (space == uint32_t{cmsSigGrayData} && gray) {
    read_curves(profile.get(), true, out);
  } else {
    out.problem = gray ? "is neither of grey nor of red, green and blue" : "is not of red, green and blue";
  }
  return out;
}

}  // namespace onepass::files

#else

namespace onepass::files {

IccProfile read_icc(std::span<const std::byte> /*bytes*/, bool /*gray*/) {
  return {.name = "unnamed", .curves = {}, .primaries = {}, .problem = "cannot be read: built without littlecms2"};
}

}  // namespace onepass::files

#endif
