// encoding.cpp: Finder applies the statements in order of precedence (code points, ICC profile, sRGB mark, gamma).
// Integers are decoded through lookup tables computed in double, floats one by one.
#include "files/encoding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
        return true;
      case kPq:
      case kHlg:
        out_.srgb = false;
        out_.signal = transfer == kPq ? HdrSignal::kPq : HdrSignal::kHlg;
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

constexpr double kReferenceWhite = 203;  // cd/m2: BT.2408, section 2.1

/// Display light of a PQ signal, in units of reference white: SMPTE ST 2084, equation 4.1.
double pq_light(double code) {
  constexpr double kM1 = 2610.0 / 16384, kM2 = 2523.0 / 4096 * 128;
  constexpr double kC1 = 3424.0 / 4096, kC2 = 2413.0 / 4096 * 32, kC3 = 2392.0 / 4096 * 32;
  const double power = std::pow(code, 1 / kM2);
  return 10000 / kReferenceWhite * std::pow(std::max(power - kC1, 0.0) / (kC2 - kC3 * power), 1 / kM1);
}

/// Scene light, 0 to 1, of an HLG signal: BT.2100, table 5, inverse OETF.
double hlg_scene(double code) {
  constexpr double kA = 0.17883277, kB = 1 - 4 * kA;
  const double c = 0.5 - kA * std::log(4 * kA);
  return code <= 0.5 ? code * code / 3 : (std::exp((code - c) / kA) + kB) / 12;
}

/// Turns the scene light of HLG into display light: the OOTF of BT.2100, table 5, for a peak of 1000 cd/m2.
class HlgDisplay {
 public:
  explicit HlgDisplay(const Chromaticities& primaries) {
    if (const auto xyz = xyz_matrix(primaries)) weights_ = (*xyz)[1];
  }
  void show(float* colours, uint32_t count) const {
    constexpr double kPeak = 1000, kGamma = 1.2;
    double luminance = count > 0 ? colours[0] : 0;
    if (count == 3) luminance = weights_[0] * colours[0] + weights_[1] * colours[1] + weights_[2] * colours[2];
    const double factor = kPeak / kReferenceWhite * std::pow(std::max(luminance, 0.0), kGamma - 1);
    for (uint32_t c = 0; c < count; ++c) colours[c] = static_cast<float>(factor * colours[c]);
  }

 private:
  std::array<double, 3> weights_{0.2627, 0.6780, 0.0593};  // of BT.2020
};

/// Linear light of a stored value, 0 to 1; of HLG the scene light.
float decode(const Encoding& encoding, size_t channel, double code) {
  if (encoding.linear) return static_cast<float>(code);
  if (encoding.srgb) return static_cast<float>(srgb_to_linear(code));
  if (std::isnan(code)) return static_cast<float>(code);
  const double inside = std::clamp(code, 0.0, 1.0);
  if (encoding.signal == HdrSignal::kPq) return static_cast<float>(pq_light(inside));
  if (encoding.signal == HdrSignal::kHlg) return static_cast<float>(hlg_scene(inside));
  const std::vector<float>& curve = encoding.curves[channel];
  const double place = inside * (kCurveSamples - 1);
  const auto below = std::min(static_cast<size_t>(place), kCurveSamples - 2);
  const double share = place - static_cast<double>(below);
  return static_cast<float>((1 - share) * curve[below] + share * curve[below + 1]);
}

/// Whether all channels have one curve.
bool has_one_curve(const Encoding& encoding) {
  return encoding.linear || encoding.srgb || encoding.signal != HdrSignal::kNone;
}

template <typename Code>
void decode_codes(const Image& codes, const Encoding& encoding, Image& light) {
  const uint32_t channels = format_info(codes.format()).channels;
  const uint32_t colours = std::min(channels, 3U);
  constexpr size_t kMost = std::numeric_limits<Code>::max();
  std::array<std::vector<float>, 3> tables;
  const size_t distinct = has_one_curve(encoding) ? 1 : colours;
  for (size_t c = 0; c < distinct; ++c) {
    tables[c].resize(kMost + 1);
    for (size_t code = 0; code <= kMost; ++code) {
      tables[c][code] = decode(encoding, c, static_cast<double>(code) / static_cast<double>(kMost));
    }
  }
  const HlgDisplay display(encoding.primaries);
  const auto* code = reinterpret_cast<const Code*>(codes.data());
  auto* value = reinterpret_cast<float*>(light.data());
  const size_t texels = size_t{codes.size().width} * codes.size().height * codes.slices();
  for (size_t i = 0; i < texels; ++i, code += channels, value += channels) {
    for (size_t c = 0; c < colours; ++c) value[c] = tables[distinct == 1 ? 0 : c][code[c]];
    if (encoding.signal == HdrSignal::kHlg) display.show(value, colours);
    if (channels == 4) value[3] = static_cast<float>(code[3] / static_cast<double>(kMost));
  }
}

}  // namespace

Encoding encoding_of(const ColorTags& tags, const ReadOptions& options, bool gray) {
  Encoding out = Finder(tags, gray).find();
  if (options.color == Color::kAuto) return out;
  out.linear = options.color == Color::kLinear;
  out.srgb = !out.linear;
  out.signal = HdrSignal::kNone;
  out.warnings.clear();  // they concern a curve that is not used
  return out;
}

std::vector<uint16_t> srgb_codes(const Encoding& encoding, size_t channel, uint32_t most) {
  std::vector<uint16_t> codes(most + 1);
  for (uint32_t code = 0; code <= most; ++code) {
    const double light = decode(encoding, channel, static_cast<double>(code) / most);
    codes[code] = static_cast<uint16_t>(std::lround(most * std::clamp(linear_to_srgb(light), 0.0, 1.0)));
  }
  return codes;
}

void recode(Image& image, const Encoding& encoding) {
  ONEPASS_ASSERT(encoding.signal == HdrSignal::kNone);
  if (encoding.linear || encoding.srgb) return;
  const uint32_t channels = format_info(image.format()).channels;
  const uint32_t colours = std::min(channels, 3U);
  std::array<std::vector<uint16_t>, 3> codes;
  for (size_t c = 0; c < colours; ++c) codes[c] = srgb_codes(encoding, c, 255);
  auto* texel = reinterpret_cast<uint8_t*>(image.data());
  for (const uint8_t* end = texel + image.size_in_bytes(); texel != end; texel += channels) {
    for (size_t c = 0; c < colours; ++c) texel[c] = static_cast<uint8_t>(codes[c][texel[c]]);
  }
}

bool becomes_float(const Encoding& encoding, uint32_t bits) {
  return encoding.signal != HdrSignal::kNone || (bits > 8 && !encoding.linear);
}

Result<Image> decode_wide(const Source& source, const Image& codes, const Encoding& encoding) {
  const FormatInfo& info = format_info(codes.format());
  Result<Image> light = create_image(source, float_format(info.channels), codes.size(), codes.slices());
  if (!light) return light;
  if (info.bytes_per_texel == info.channels) {
    decode_codes<uint8_t>(codes, encoding, *light);
  } else {
    decode_codes<uint16_t>(codes, encoding, *light);
  }
  return light;
}

Result<Image> decode_floats(const Source& source, const Image& codes, const Encoding& encoding) {
  const uint32_t channels = format_info(codes.format()).channels;
  const uint32_t width = codes.size().width;
  Result<Image> light = create_image(source, float_format(channels), codes.size(), codes.slices());
  if (!light) return light;
  const uint32_t colours = std::min(channels, 3U);
  const HlgDisplay display(encoding.primaries);
  std::vector<float> texels(size_t{4} * width);
  for (uint32_t slice = 0; slice < codes.slices(); ++slice) {
    for (uint32_t y = 0; y < codes.size().height; ++y) {
      decode_row(codes.format(), codes.view().row(y, slice), width, texels.data());
      for (size_t i = 0; i < texels.size(); i += 4) {
        for (size_t c = 0; c < colours; ++c) texels[i + c] = decode(encoding, c, texels[i + c]);
        if (encoding.signal == HdrSignal::kHlg) display.show(&texels[i], colours);
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
