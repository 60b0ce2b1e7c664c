// plan.cpp: plan_pyramid: validates options and computes sizes and traffic; footprint ranges and their inverse.
//
// The rules of footprints are in onepass/pyramid_layout.h, but for ceil, which no kernel has. With base size S and
// level n of size S_n:
//     aligned   [i*2^n, (i+1)*2^n)
//     covering  [i*2^n, (i+1)*2^n + S mod 2^n)      the closed form of the nested 3-tap rule
//     edge      as aligned; the range of the last texel ends at S
//     tight     [floor(i*S/S_n), ceil((i+1)*S/S_n))
//     ceil      [i*2^n, min(S, (i+1)*2^n)), where S_n = ceil(S / 2^n)
// Covering: M. Turitzin, "Hierarchical Depth Buffers", 2020, technique 1; edge is its alternative.
#include <algorithm>
#include <bit>
#include <string>

#include "image/div_up.hpp"
#include "image/error.hpp"
#include "onepass/pyramid.hpp"
#include "onepass/pyramid_layout.h"
#include "onepass/pyramid_stream.hpp"

namespace onepass {
namespace {

constexpr uint32_t kMaxExtent = 65535;
constexpr uint32_t kMaxStreamExtent = uint32_t{1} << 31;

std::string name(Format format) { return std::string(texel_info(format).name); }

std::string channels_of(const FormatInfo& info) {
  return std::string(info.name) + " has " + std::to_string(info.channels) +
         (info.channels == 1 ? " channel" : " channels");
}

/// Three-channel and four-channel formats convert to each other: alpha is dropped or becomes 1.
bool channels_match(uint32_t source, uint32_t target) {
  return source == target || (source == 3 && target == 4) || (source == 4 && target == 3);
}

/// Refuses unknown formats, labels without the mode, and RGB outside of streams.
Result<void> check_format(const std::string& field, Format format, const PyramidOptions& options, bool stream) {
  const FormatInfo& info = texel_info(format);
  if (info.channels == 0) {
    return invalid(field + ": format " + std::to_string(static_cast<uint32_t>(format)) + " is not supported");
  }
  const bool labels = info.type == ChannelType::kUint;
  if (labels && options.reduction != Reduction::kMode) {
    return invalid(field + ": " + name(format) + " has labels, which only the reduction mode combines");
  }
  if (!labels && options.reduction == Reduction::kMode) {
    return invalid(field + ": the reduction mode needs labels, r8_uint, r16_uint or r32_uint, not " + name(format));
  }
  if (!labels && is_row_format(format) && !stream) {
    return invalid(field + ": only streams have " + name(format) + "; add an alpha");
  }
  return {};
}

Result<void> check_formats(const PyramidOptions& options, bool stream) {
  if (auto checked = check_format("source", options.source, options, stream); !checked) return checked;
  if (auto checked = check_format("target", options.target, options, stream); !checked) return checked;
  const FormatInfo& source = texel_info(options.source);
  const FormatInfo& target = texel_info(options.target);
  if (options.reduction == Reduction::kMode && options.source != options.target) {
    return invalid("target: the reduction mode keeps the format, but source is " + name(options.source) +
                   " and target " + name(options.target));
  }
  if (target.depth) return invalid("target: depth format " + name(options.target) + " can only be a source");
  if (options.reduction == Reduction::kMinMax) {
    if (target.channels != 2) return invalid("target: min_max writes two channels, but " + channels_of(target));
    if (source.channels > 2) return invalid("source: min_max reads one or two channels, but " + channels_of(source));
  } else if (!channels_match(source.channels, target.channels)) {
    return invalid("target: " + channels_of(target) + ", but source " + channels_of(source));
  }
  return {};
}

Result<void> check_samples(const PyramidOptions& options) {
  const uint32_t samples = options.samples;
  if (samples == 0 || samples > 8 || !std::has_single_bit(samples)) {
    return invalid("samples: " + std::to_string(samples) + " is not one of 1, 2, 4 and 8");
  }
  if (samples == 1) return {};
  if (options.reduction == Reduction::kMean) {
    return invalid("reduction: mean, but the source has " + std::to_string(samples) + " samples: resolve it first");
  }
  const FormatInfo& source = format_info(options.source);
  if (source.channels != 1) {
    return invalid("source: " + channels_of(source) + ", but a source of " + std::to_string(samples) +
                   " samples has one");
  }
  return {};
}

Result<void> check_modes(const PyramidOptions& options) {
  const bool mean = options.reduction == Reduction::kMean;
  if (options.footprint == Footprint::kTight && mean) {
    return invalid("footprint: tight is defined for min, max and min_max, not for mean");
  }
  if (options.reduction == Reduction::kMode && options.footprint != Footprint::kCeil &&
      options.footprint != Footprint::kAligned) {
    return invalid("footprint: the reduction mode is defined for ceil and aligned");
  }
  if (options.alpha != Alpha::kIndependent) {
    if (!mean) return invalid("alpha: weighted and coverage need reduction mean");
    if (texel_info(options.source).channels != 4 || texel_info(options.target).channels != 4) {
      return invalid("alpha: weighted and coverage need four channels, but source is " + name(options.source) +
                     " and target " + name(options.target));
    }
    if (options.normal_map != NormalMap::kOff) return invalid("normal_map: renormalize needs alpha independent");
  }
  if (options.alpha == Alpha::kCoverage && !(options.alpha_threshold > 0.0F && options.alpha_threshold <= 1.0F)) {
    return invalid("alpha_threshold: " + number_text(options.alpha_threshold) + " is not in (0, 1]");
  }
  if (options.normal_map == NormalMap::kRenormalize) {
    if (!mean) return invalid("normal_map: renormalize needs reduction mean");
    const FormatInfo& source = texel_info(options.source);
    if (source.channels < 2)
      return invalid("normal_map: renormalize needs two to four channels, but " + channels_of(source));
    if (source.type == ChannelType::kSrgb || texel_info(options.target).type == ChannelType::kSrgb) {
      return invalid("normal_map: vectors cannot be sRGB-encoded, but source is " + name(options.source) +
                     " and target " + name(options.target));
    }
  }
  return {};
}

Result<void> check_enums(const PyramidOptions& options) {
  const MipFilterOptions& filter = options.filter;
  return check_enumerators("reduction", options.reduction, "footprint", options.footprint, "alpha", options.alpha,
                           "normal_map", options.normal_map, "filter.kind", filter.kind, "filter.input", filter.input,
                           "filter.boundary", filter.boundary, "filter.ringing", filter.ringing);
}

Result<void> check_filter(const PyramidOptions& options) {
  const MipFilterOptions& filter = options.filter;
  if (filter.kind == MipFilter::kBox) return {};
  const std::string kind(word_of(filter.kind));
  const auto needs = [&](const std::string& what) { return invalid("filter.kind: " + kind + " needs " + what); };
  if (options.reduction != Reduction::kMean)
    return needs("reduction mean, not " + std::string(word_of(options.reduction)));
  if (options.footprint != Footprint::kCovering) {
    return needs("footprint covering, not " + std::string(word_of(options.footprint)));
  }
  if (options.alpha == Alpha::kCoverage) return needs("alpha independent or weighted, not coverage");
  if (filter.boundary == Boundary::kZero) return invalid("filter.boundary: zero would darken the edges");
  if (options.alpha == Alpha::kWeighted && filter.ringing == Ringing::kKeep && filter.kind != MipFilter::kTriangle) {
    return invalid("filter.ringing: keep, but alpha weighted with " + kind +
                   " needs limit: sums with negative weights may have no alpha to divide by");
  }
  if (filter.kind != MipFilter::kKaiser) return {};
  if (auto checked = check_range("filter.kaiser_width", filter.kaiser_width, 1, 16); !checked) return checked;
  return check_range("filter.kaiser_alpha", filter.kaiser_alpha, 0, 20);
}

uint64_t saturating_product(uint64_t a, uint64_t b) { return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b; }
uint64_t saturating_sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/// The plan of options whose size has been checked.
Result<PyramidPlan> make_plan(const PyramidOptions& options, bool stream) {
  if (auto checked = check_enums(options); !checked) return checked.error();
  const uint32_t full = full_level_count(options.footprint, options.size);
  if (options.levels > full) {
    return invalid("levels: " + std::to_string(options.levels) + ", but a " + size_text(options.size) +
                   " base has at most " + std::to_string(full));
  }
  if (auto checked = check_formats(options, stream); !checked) return checked.error();
  if (auto checked = check_samples(options); !checked) return checked.error();
  if (auto checked = check_modes(options); !checked) return checked.error();
  if (auto checked = check_filter(options); !checked) return checked.error();

  PyramidPlan plan;
  plan.levels = options.levels == 0 ? full : options.levels;
  const auto bytes = [&](Extent size, Format format) {
    const uint64_t texels = uint64_t{size.width} * size.height * options.slices;
    return saturating_product(texels, texel_info(format).bytes_per_texel);
  };
  for (uint32_t n = 0; n < plan.levels; ++n) {
    plan.sizes[n] = level_size(options.footprint, options.size, n);
    if (n > 0) plan.bytes_written = saturating_sum(plan.bytes_written, bytes(plan.sizes[n], options.target));
  }
  if (plan.levels > 1) plan.bytes_read = bytes(options.size, options.source) * options.samples;
  return plan;
}

}  // namespace

uint32_t full_level_count(Extent size) {
  if (size.width == 0 || size.height == 0) return 0;
  return static_cast<uint32_t>(std::bit_width(std::max(size.width, size.height)));
}

Extent level_size(Extent base, uint32_t level) {
  if (level >= kMaxLevels) return {1, 1};
  return {std::max(1U, base.width >> level), std::max(1U, base.height >> level)};
}

uint32_t full_level_count(Footprint footprint, Extent size) {
  if (footprint != Footprint::kCeil || size.width == 0 || size.height == 0) return full_level_count(size);
  return static_cast<uint32_t>(std::bit_width(std::max(size.width, size.height) - 1)) + 1;
}

Extent level_size(Footprint footprint, Extent base, uint32_t level) {
  if (footprint != Footprint::kCeil || level >= kMaxLevels) return level_size(base, level);
  const uint64_t block = uint64_t{1} << level;
  const auto texels = [&](uint32_t size) { return static_cast<uint32_t>(std::max<uint64_t>(1, div_up(size, block))); };
  return {texels(base.width), texels(base.height)};
}

TexelRange footprint_range(Footprint footprint, uint32_t size, uint32_t level, uint32_t i) {
  const uint32_t n = std::min(level, kMaxLevels - 1);
  if (footprint == Footprint::kCeil) {
    const uint64_t begin = uint64_t{i} << n;
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(std::min<uint64_t>(size, begin + (uint64_t{1} << n)))};
  }
  const auto number = static_cast<uint32_t>(footprint);
  return {onepass_footprint_begin(number, size, n, i), onepass_footprint_end(number, size, n, i)};
}

TexelRange affected_range(Footprint footprint, uint32_t size, uint32_t level, TexelRange changed) {
  if (changed.begin >= changed.end || changed.begin >= size) return {};
  const uint32_t n = std::min(level, kMaxLevels - 1);
  const uint32_t end = std::min(changed.end, size);
  if (footprint == Footprint::kCeil) return {changed.begin >> n, ((end - 1) >> n) + 1};
  const auto number = static_cast<uint32_t>(footprint);
  const TexelRange affected{onepass_affected_begin(number, size, n, changed.begin),
                            onepass_affected_end(number, size, n, changed.begin, end)};
  return affected.begin < affected.end ? affected : TexelRange{};
}

Rect affected_rect(const PyramidOptions& options, uint32_t level, Rect changed) {
  const auto end = [](uint32_t begin, uint32_t length) {
    return static_cast<uint32_t>(std::min<uint64_t>(UINT32_MAX, uint64_t{begin} + length));
  };
  const TexelRange x =
      affected_range(options.footprint, options.size.width, level, {changed.x, end(changed.x, changed.width)});
  const TexelRange y =
      affected_range(options.footprint, options.size.height, level, {changed.y, end(changed.y, changed.height)});
  if (x.begin == x.end || y.begin == y.end) return {};
  if (options.filter.kind != MipFilter::kBox) {
    const Extent size = level_size(options.size, level);
    return {0, 0, size.width, size.height};
  }
  return {x.begin, y.begin, x.end - x.begin, y.end - y.begin};
}

Result<PyramidPlan> plan_pyramid(const PyramidOptions& options) {
  const auto [width, height] = options.size;
  if (width == 0 || height == 0 || width > kMaxExtent || height > kMaxExtent) {
    return invalid("size: " + std::to_string(width) + "x" + std::to_string(height) +
                   " is not within 1x1 and 65535x65535");
  }
  if (options.slices == 0) return invalid("slices: 0, at least one is needed");
  // With texels of 16 bytes the sum of all bytes read and written still fits in 64 bits.
  constexpr uint64_t kMostTexels = uint64_t{1} << 52;
  if (uint64_t{width} * height > kMostTexels / options.slices) {
    return invalid("slices: " + std::to_string(options.slices) + " of " + std::to_string(width) + "x" +
                   std::to_string(height) + " are too many");
  }
  return make_plan(options, false);
}

Result<PyramidPlan> plan_pyramid_stream(const PyramidOptions& options) {
  const auto [width, height] = options.size;
  if (width == 0 || height == 0 || width > kMaxStreamExtent || height > kMaxStreamExtent) {
    return invalid("size: " + std::to_string(width) + "x" + std::to_string(height) +
                   " is not within 1x1 and 2147483648x2147483648");
  }
  if (options.slices != 1) return invalid("slices: " + std::to_string(options.slices) + ", a stream has one");
  auto plan = make_plan(options, true);
  if (!plan) return plan;
  if (auto checked = require_one_sample(options.samples); !checked) return checked.error();
  if (options.footprint == Footprint::kTight) {
    return unsupported("footprint tight: its levels are not made from each other, so that a stream cannot make them");
  }
  if (options.alpha == Alpha::kCoverage) {
    return unsupported("alpha coverage: needs all texels of a level before it writes one, which a stream has not");
  }
  if (options.filter.kind != MipFilter::kBox) {
    return unsupported("filter.kind: " + std::string(word_of(options.filter.kind)) + ": streams have box only");
  }
  return plan;
}

}  // namespace onepass
