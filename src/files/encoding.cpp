// encoding.cpp: chooses the encoding of a file and decodes by it; see encoding.hpp.
#include "files/encoding.hpp"

#include <algorithm>
#include <cmath>

#include "files/icc.hpp"
#include "files/pixels.hpp"

namespace onepass::files {
namespace {

// Transfer characteristics of ITU-T H.273.
constexpr uint8_t kUnspecified = 2;
constexpr uint8_t kGamma22 = 4;
constexpr uint8_t kGamma28 = 5;
constexpr uint8_t kLinear = 8;
constexpr uint8_t kSrgb = 13;
constexpr uint8_t kPq = 16;
constexpr uint8_t kHlg = 18;

// Colour primaries of ITU-T H.273.
std::optional<Chromaticities> primaries_of(uint8_t code) {
  switch (code) {
    case 1:
      return kRec709Chromaticities;
    case 5:
      return Chromaticities{{0.640, 0.330}, {0.290, 0.600}, {0.150, 0.060}, {0.3127, 0.3290}};
    case 6:
    case 7:
      return Chromaticities{{0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}, {0.3127, 0.3290}};
    case 9:
      return kRec2020Chromaticities;
    case 11:
      return Chromaticities{{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.314, 0.351}};
    case 12:
      return kDisplayP3Chromaticities;
    default:
      return std::nullopt;
  }
}

std::vector<float> power_curve(double gamma) {
  std::vector<float> curve(kCurveSamples);
  for (size_t i = 0; i < curve.size(); ++i) {
    curve[i] = static_cast<float>(std::pow(static_cast<double>(i) / (kCurveSamples - 1), gamma));
  }
  return curve;
}

// Whether the curve differs from `function` by at most 0.0008, which 8-bit values cannot show.
template <typename Function>
bool is_near(const std::vector<float>& curve, const Function& function) {
  for (size_t i = 0; i < curve.size(); ++i) {
    if (std::fabs(curve[i] - function(static_cast<double>(i) / (kCurveSamples - 1))) > 0.0008) return false;
  }
  return true;
}

std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.resize(std::min(text.size(), text.find('.') + 4));
  return text;
}

// Each by_*() function uses one kind of statement; they are called in order of precedence.
class Finder {
 public:
  Finder(const ColorTags& tags, bool gray) : tags_(tags), gray_(gray) {}

  Encoding find() {
    const bool decided = by_code_points() || by_profile() || by_srgb_mark() || by_gamma();
    if (!decided && tags_.numbers && tags_.icc.empty() && !tags_.gamma) take_linear();
    if (!out_.says_primaries && tags_.primaries) take_primaries(*tags_.primaries);
    return std::move(out_);
  }

 private:
  void take_primaries(const Chromaticities& primaries) {
    if (!xyz_matrix(primaries)) {
      out_.warnings.push_back("its chromaticities are no primaries and are not used");
      return;
    }
    out_.primaries = primaries;
    out_.says_primaries = true;
    // Files round: primaries that agree with known ones are replaced by them.
    for (const Chromaticities& known : {kRec709Chromaticities, kDisplayP3Chromaticities, kRec2020Chromaticities}) {
      if (same_chromaticities(primaries, known)) out_.primaries = known;
    }
  }

  void take_linear() {
    out_.linear = true;
    out_.srgb = false;
  }

  void take_curves(std::array<std::vector<float>, 3> curves) {
    const auto all = [&](const auto& function) {
      return std::all_of(curves.begin(), curves.end(), [&](const auto& c) { return is_near(c, function); });
    };
    if (all([](double code) { return code; })) return take_linear();
    out_.srgb = all(srgb_to_linear);
    if (!out_.srgb) out_.curves = std::move(curves);
  }

  void take_power(double gamma) {
    const std::vector<float> curve = power_curve(gamma);
    take_curves({curve, curve, curve});
  }

  bool by_code_points() {
    if (!tags_.code_points) return false;
    const auto [primaries, transfer] = *tags_.code_points;
    out_.transfer = transfer;
    if (const auto known = primaries_of(primaries)) {
      take_primaries(*known);
    } else if (primaries != kUnspecified) {
      out_.warnings.push_back("its colour primaries of code " + std::to_string(primaries) + " are not known");
    }
    switch (transfer) {
      case kUnspecified:
        out_.transfer = 0;
        return false;
      case kGamma22:
        take_power(2.2);
        return true;
      case kGamma28:
        take_power(2.8);
        return true;
      case kLinear:
        take_linear();
        return true;
      case kSrgb:
      case kPq:  // kept as stored; the caller decides
      case kHlg:
        return true;
      default:
        out_.warnings.push_back("its transfer function of code " + std::to_string(transfer) + " is taken as sRGB");
        return true;
    }
  }

  bool by_profile() {
    if (tags_.icc.empty()) return false;
    IccProfile profile = read_icc(tags_.icc, gray_);
    if (!profile.problem.empty()) {
      out_.warnings.push_back("its ICC profile \"" + profile.name + "\" " + profile.problem +
                              "; colours are taken as sRGB");
      return false;
    }
    for (size_t c = 1; c < 3; ++c) {
      if (profile.curves[c].empty()) profile.curves[c] = profile.curves[0];
    }
    take_curves(std::move(profile.curves));
    if (profile.primaries) take_primaries(*profile.primaries);
    return true;
  }

  bool by_srgb_mark() {
    if (!tags_.srgb) return false;
    take_primaries(kRec709Chromaticities);
    return true;
  }

  // Writers of sRGB files state gamma 2.2 for old readers: it means sRGB (PNG specification, section 11.3.2.5).
  bool by_gamma() {
    if (!tags_.gamma) return false;
    const double gamma = *tags_.gamma;
    if (!(gamma >= 0.1 && gamma <= 10)) {
      out_.warnings.push_back("its gamma of " + number_text(gamma) + " is not used; colours are taken as sRGB");
      return false;
    }
    if (std::fabs(gamma - 2.2) < 0.03) return true;
    take_power(gamma);
    return true;
  }

  const ColorTags& tags_;
  bool gray_;
  Encoding out_;
};

/// Linear light, 0 to 1, of a stored value.
float decode(const Encoding& encoding, size_t channel, double code) {
  if (encoding.linear) return static_cast<float>(code);
  if (encoding.srgb) return static_cast<float>(srgb_to_linear(code));
  const std::vector<float>& curve = encoding.curves[channel];
  const double place = std::clamp(code, 0.0, 1.0) * (kCurveSamples - 1);
  const auto below = std::min(static_cast<size_t>(place), kCurveSamples - 2);
  const double share = place - static_cast<double>(below);
  return static_cast<float>((1 - share) * curve[below] + share * curve[below + 1]);
}

}  // namespace

Encoding encoding_of(const ColorTags& tags, const ReadOptions& options, bool gray) {
  Encoding out = Finder(tags, gray).find();
  if (options.color == Color::kAuto) return out;
  out.linear = options.color == Color::kLinear;
  out.srgb = !out.linear;
  out.warnings.clear();  // they concern a curve that is not used
  return out;
}

void recode(Image& image, const Encoding& encoding) {
  if (encoding.linear || encoding.srgb) return;
  const uint32_t channels = format_info(image.format()).channels;
  const uint32_t colours = std::min(channels, 3U);
  std::array<std::array<uint8_t, 256>, 3> codes{};
  for (size_t c = 0; c < colours; ++c) {
    for (size_t code = 0; code < 256; ++code) {
      const double light = decode(encoding, c, static_cast<double>(code) / 255);
      codes[c][code] = static_cast<uint8_t>(std::lround(255 * std::clamp(linear_to_srgb(light), 0.0, 1.0)));
    }
  }
  auto* texel = reinterpret_cast<uint8_t*>(image.data());
  for (const uint8_t* end = texel + image.size_in_bytes(); texel != end; texel += channels) {
    for (size_t c = 0; c < colours; ++c) texel[c] = codes[c][texel[c]];
  }
}

Result<Image> decode_wide(const Source& source, const Image& codes, const Encoding& encoding) {
  const uint32_t channels = format_info(codes.format()).channels;
  const uint32_t colours = std::min(channels, 3U);
  std::array<std::vector<float>, 3> tables;
  const size_t distinct = encoding.linear || encoding.srgb ? 1 : colours;
  for (size_t c = 0; c < distinct; ++c) {
    tables[c].resize(65536);
    for (size_t code = 0; code < 65536; ++code)
      tables[c][code] = decode(encoding, c, static_cast<double>(code) / 65535);
  }
  Result<Image> light = create_image(source, float_format(channels), codes.size(), codes.slices());
  if (!light) return light;
  const auto* code = reinterpret_cast<const uint16_t*>(codes.data());
  auto* value = reinterpret_cast<float*>(light->data());
  const size_t texels = size_t{codes.size().width} * codes.size().height * codes.slices();
  for (size_t i = 0; i < texels; ++i, code += channels, value += channels) {
    for (size_t c = 0; c < colours; ++c) value[c] = tables[distinct == 1 ? 0 : c][code[c]];
    if (channels == 4) value[3] = static_cast<float>(code[3] / 65535.0);
  }
  return light;
}

Result<Image> decode_floats(const Source& source, const Image& codes, const Encoding& encoding) {
  const uint32_t channels = format_info(codes.format()).channels;
  const uint32_t width = codes.size().width;
  Result<Image> light = create_image(source, float_format(channels), codes.size(), codes.slices());
  if (!light) return light;
  std::vector<float> texels(size_t{4} * width);
  for (uint32_t slice = 0; slice < codes.slices(); ++slice) {
    for (uint32_t y = 0; y < codes.size().height; ++y) {
      decode_row(codes.format(), codes.view().row(y, slice), width, texels.data());
      for (size_t i = 0; i < texels.size(); ++i) {
        const size_t channel = i % 4;
        if (channel < std::min(channels, 3U)) texels[i] = decode(encoding, channel, texels[i]);
      }
      encode_row(light->format(), texels.data(), width, light->view().row(y, slice));
    }
  }
  return light;
}

void describe(ImageFile& file, Encoding encoding) {
  file.transfer = encoding.transfer;
  file.primaries = encoding.primaries;
  file.says_primaries = encoding.says_primaries;
  for (std::string& warning : encoding.warnings) file.warnings.push_back(std::move(warning));
}

}  // namespace onepass::files
