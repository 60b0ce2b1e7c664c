// plan.cpp: checks the options of a tone map and counts the bytes it reads and writes at least.
#include <string>

#include "image/error.hpp"
#include "onepass/tone_map.hpp"

namespace onepass {
namespace {

constexpr uint32_t kMostTexels = 65535;

std::string name_of(Format format) {
  const FormatInfo& info = format_info(format);
  return info.channels == 0 ? "unknown format " + std::to_string(static_cast<uint32_t>(format))
                            : std::string(info.name);
}

Result<void> check_shape(const ToneMapOptions& options) {
  const auto [width, height] = options.size;
  if (width < 1 || height < 1 || width > kMostTexels || height > kMostTexels) {
    return invalid("size: " + std::to_string(width) + "x" + std::to_string(height) +
                   " is not within 1x1 and 65535x65535");
  }
  if (options.slices < 1) return invalid("slices: 0, at least one is needed");
  // With 16 bytes per texel, the sum of all bytes read and written then fits 64 bits.
  constexpr uint64_t kMostSum = uint64_t{1} << 52;
  if (uint64_t{width} * height > kMostSum / options.slices) {
    return invalid("slices: " + std::to_string(options.slices) + " of " + std::to_string(width) + "x" +
                   std::to_string(height) + " are too many");
  }
  return {};
}

Result<void> check_formats(const ToneMapOptions& options) {
  const FormatInfo& source = format_info(options.source);
  const FormatInfo& target = format_info(options.target);
  if (source.channels == 0) return invalid("source: " + name_of(options.source));
  if (target.channels == 0) return invalid("target: " + name_of(options.target));
  if (target.depth) return invalid("target: depth format " + name_of(options.target) + " can only be a source");
  if (target.channels < 3 && source.channels != target.channels) {
    return invalid("target: " + name_of(options.target) + " has " + std::to_string(target.channels) +
                   (target.channels == 1 ? " channel" : " channels") + ", but source " + name_of(options.source) +
                   " has " + std::to_string(source.channels));
  }
  if (options.target == Format::kRG8Srgb) {
    return invalid("target: " + name_of(options.target) + " encodes its second channel, but alpha is linear");
  }
  if (target.type == ChannelType::kSrgb && options.transfer != Transfer::kSrgb) {
    return invalid("transfer: not srgb, but target " + name_of(options.target) + " holds sRGB codes");
  }
  if (options.dither == Dither::kOn && target.type == ChannelType::kFloat) {
    return invalid("dither: on, but target " + name_of(options.target) + " has no steps to hide");
  }
  return {};
}

/// Checks paper white, the peak, and the headroom between the two.
Result<void> check_headroom(const ToneMapOptions& options) {
  auto checked = check_range("peak_nits", options.peak_nits, 1, 10000);
  if (checked) checked = check_range("paper_white_nits", options.paper_white_nits, 1, 10000);
  if (checked) checked = check_range("headroom", options.headroom, 1, 10000);
  if (!checked) return checked;
  const float paper = options.paper_white_nits;
  if (options.transfer == Transfer::kPq && paper > options.peak_nits) {
    return invalid("paper_white_nits: " + number_text(paper) + " is above peak_nits, " +
                   number_text(options.peak_nits));
  }
  if (options.transfer == Transfer::kHlg && paper > kHlgPeakNits) {
    return invalid("paper_white_nits: " + number_text(paper) + " is above " + number_text(kHlgPeakNits) +
                   ", the peak of the display that HLG is made for");
  }
  if (options.headroom == 1) return {};
  if (options.transfer != Transfer::kLinear) {
    return invalid("headroom: " + number_text(options.headroom) +
                   ", but transfer is not linear; PQ and HLG have paper_white_nits, others none");
  }
  if (format_info(options.target).type != ChannelType::kFloat) {
    return invalid("headroom: " + number_text(options.headroom) + ", but target " + name_of(options.target) +
                   " ends at 1");
  }
  return {};
}

Result<void> check_numbers(const ToneMapOptions& options) {
  constexpr float kLargest = 3.402823466e38F;  // FLT_MAX
  if (!(options.exposure >= 0 && options.exposure <= kLargest)) {
    return invalid("exposure: " + number_text(options.exposure) + " is not a finite number from 0 on");
  }
  auto checked = check_range("white", options.white, 0x1p-6F, 65504.0F);
  if (checked) checked = check_range("gamma", options.gamma, 1, 3);
  if (checked) checked = check_headroom(options);
  if (checked) checked = check_range("drago.bias", options.drago.bias, 0.5F, 1);
  if (checked) checked = check_range("drago.average", options.drago.average, 0.01F, 65504.0F);
  if (checked) checked = check_range("drago.white", options.drago.white, 0.01F, 65504.0F);
  const LocalExposure& local = options.local;
  if (checked) checked = check_range("local.highlights", local.highlights, 0, 2);
  if (checked) checked = check_range("local.shadows", local.shadows, 0, 2);
  if (checked) checked = check_range("local.detail", local.detail, 0, 4);
  if (checked) checked = check_range("local.grey", local.grey, 0x1p-16F, 0x1p16F);
  if (checked) checked = check_range("local.region", local.region, 0x1p-8F, 0.5F);
  return checked;
}

Result<void> check_enums(const ToneMapOptions& options) {
  if (auto known = check_enumerators("tone_operator", options.tone_operator, "transfer", options.transfer, "primaries",
                                     options.primaries, "dither", options.dither, "look", options.look);
      !known)
    return known.error();
  const bool agx =
      options.tone_operator == ToneOperator::kAgxSobotka || options.tone_operator == ToneOperator::kAgxBlender;
  if (options.look != AgxLook::kNone && !agx) return invalid("look: golden and punchy are for the AgX operators");
  return {};
}

}  // namespace

Result<ToneMapPlan> plan_tone_map(const ToneMapOptions& options) {
  auto checked = check_shape(options);
  if (checked) checked = check_formats(options);
  if (checked) checked = check_numbers(options);
  if (checked) checked = check_enums(options);
  if (!checked) return checked.error();
  const uint64_t texels = uint64_t{options.size.width} * options.size.height * options.slices;
  const uint64_t reads = options.local.enabled() ? 2 : 1;
  return ToneMapPlan{.bytes_read = reads * texels * format_info(options.source).bytes_per_texel,
                     .bytes_written = texels * format_info(options.target).bytes_per_texel};
}

}  // namespace onepass
