// encoding.cpp: see encoding.hpp.
#include "files/encoding.hpp"

#include <algorithm>
#include <cmath>

#include "files/pixels.hpp"

namespace onepass::files {
namespace {

constexpr size_t kSteps = 4096;  // of a curve

constexpr uint8_t kTransferLinear = 8;  // of ITU-T H.273

/// Light of a code, 0 to 1.
float decode(const Encoding& encoding, size_t channel, double code) {
  if (encoding.linear) return static_cast<float>(code);
  if (encoding.srgb) return static_cast<float>(srgb_to_linear(code));
  const std::vector<float>& curve = encoding.curves[channel];
  const double place = std::clamp(code, 0.0, 1.0) * (kSteps - 1);
  const auto below = std::min(static_cast<size_t>(place), kSteps - 2);
  const double share = place - static_cast<double>(below);
  return static_cast<float>((1 - share) * curve[below] + share * curve[below + 1]);
}

}  // namespace

Encoding encoding_of(const ColorTags& tags, const ReadOptions& options, bool /*gray*/) {
  Encoding out;
  if (tags.code_points) out.transfer = (*tags.code_points)[1];
  const bool says_linear = tags.code_points ? out.transfer == kTransferLinear
                                            : tags.icc.empty() && !tags.srgb && tags.gamma && *tags.gamma == 1;
  out.linear = options.color == Color::kLinear || (options.color == Color::kAuto && says_linear);
  out.srgb = !out.linear;
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

void describe(ImageFile& file, Encoding encoding) {
  file.transfer = encoding.transfer;
  file.primaries = encoding.primaries;
  file.says_primaries = encoding.says_primaries;
  for (std::string& warning : encoding.warnings) file.warnings.push_back(std::move(warning));
}

}  // namespace onepass::files
