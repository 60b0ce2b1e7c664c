// box_kernels.cpp: derives a BoxSpec from formats and reduction, and selects the functions for it.
#include "reduction/box_kernels.hpp"

#include <algorithm>

namespace onepass::reduction {

namespace {

/// The format with red first whose other properties are the same.
Format red_first(Format format) {
  const FormatInfo& info = format_info(format);
  const auto formats = all_formats();
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const FormatInfo& other) {
    return !other.blue_first && other.type == info.type && other.bits == info.bits;
  });
  ONEPASS_ASSERT(found != formats.end());
  return found->format;
}

}  // namespace

BoxSpec make_box_spec(Format source, Format target, Reduction reduction, image::PixelSemantics semantics) {
  using image::PixelSemantics;
  // All channels are reduced alike, so that BGRA to BGRA is RGBA to RGBA: only a change of the order is a conversion.
  if (format_info(source).blue_first && format_info(target).blue_first) {
    source = red_first(source);
    target = red_first(target);
  }
  const FormatInfo& source_info = format_info(source);
  const FormatInfo& target_info = format_info(target);
  if (semantics == PixelSemantics::kPlain && reduction == Reduction::kMinMax && source_info.channels == 1) {
    semantics = PixelSemantics::kPair;
  }
  const bool fixed_srgb = semantics == PixelSemantics::kPlain && reduction == Reduction::kMean &&
                          source_info.type == ChannelType::kSrgb && target_info.type == ChannelType::kSrgb &&
                          source_info.blue_first == target_info.blue_first;
  BoxSpec spec;
  spec.reduction = reduction;
  spec.source =
      image::make_decode_spec(source, {.semantics = semantics, .keeps_integers = true, .fixed_srgb = fixed_srgb});
  const bool has_integers = spec.source.unit != 1;  // and so have their means, minima and maxima
  spec.target = image::make_encode_spec(
      target,
      {.semantics = semantics, .unit = spec.source.unit, .within_unit = has_integers, .fixed_srgb = fixed_srgb});
  return spec;
}

template <>
BoxKernels<double> find_box_kernels<double>(const BoxSpec& spec) {
  return scalar_box_kernels<double>(spec);
}

template <>
BoxKernels<float> find_box_kernels<float>(const BoxSpec& spec) {
  BoxKernels<float> kernels = scalar_box_kernels<float>(spec);
  add_folds(spec, kernels);  // replaces the scalar reference
  add_source_folds(spec, kernels);
  add_wide_folds(spec, kernels);
  add_srgb_folds(spec, kernels);
  add_unorm8_folds(spec, kernels);
  add_tiles(spec, kernels);
  add_srgb_tiles(spec, kernels);
  add_fused_rows(spec, kernels);
  add_fused_srgb_rows(spec, kernels);
  return kernels;
}

}  // namespace onepass::reduction
