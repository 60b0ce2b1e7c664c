// row_kernels.cpp: derives a RowSpec from pyramid options and selects the row functions for it.
#include "reduction/row_kernels.hpp"

#include <algorithm>

#include "reduction/row_plain.hpp"

namespace onepass::cpu {
namespace {

Storage storage_of(Format format) {
  const FormatInfo& info = format_info(format);
  if (format == Format::kA2B10G10R10Unorm) return Storage::kA2B10G10R10;
  if (format == Format::kB10G11R11Ufloat) return Storage::kB10G11R11;
  switch (info.bytes_per_texel / info.channels) {
    case 1:
      if (info.type == ChannelType::kSrgb) return info.channels == 1 ? Storage::kSrgbR8 : Storage::kSrgb8;
      return Storage::kU8;
    case 2:
      return info.type == ChannelType::kFloat ? Storage::kF16 : Storage::kU16;
    default:
      return Storage::kF32;
  }
}

/// The quantised value that stands for 1, by channel; 1 for formats other than UNORM.
std::array<float, 4> largest_codes(Storage storage) {
  switch (storage) {
    case Storage::kU8:
      return {255, 255, 255, 255};
    case Storage::kU16:
      return {65535, 65535, 65535, 65535};
    case Storage::kA2B10G10R10:
      return {1023, 1023, 1023, 3};
    default:
      return {1, 1, 1, 1};
  }
}

/// Is it UNORM with the same number of bits in all channels?
bool is_uniform_unorm(Storage storage) { return storage == Storage::kU8 || storage == Storage::kU16; }

bool is_srgb(Storage storage) { return storage == Storage::kSrgb8 || storage == Storage::kSrgbR8; }

PixelSemantics meaning_of(const PyramidOptions& options) {
  if (options.normal_map == NormalMap::kRenormalize) return PixelSemantics::kNormal;
  if (options.alpha == Alpha::kWeighted) return PixelSemantics::kWeighted;
  if (options.alpha == Alpha::kCoverage) return PixelSemantics::kCoverage;
  const bool pair = options.reduction == Reduction::kMinMax && format_info(options.source).channels == 1;
  return pair ? PixelSemantics::kPair : PixelSemantics::kPlain;
}

uint32_t as_stored(uint32_t channels) { return channels == 3 ? 4 : channels; }

template <typename Kernel>
void take(Kernel& kernel, Kernel better) {
  if (better != nullptr) kernel = better;
}

}  // namespace

RowSpec make_row_spec(const PyramidOptions& options) {
  const FormatInfo& source = format_info(options.source);
  const FormatInfo& target = format_info(options.target);
  RowSpec spec;
  spec.source = storage_of(options.source);
  spec.target = storage_of(options.target);
  spec.reduction = options.reduction;
  spec.meaning = meaning_of(options);
  spec.source_channels = as_stored(source.channels);
  spec.target_channels = as_stored(target.channels);
  spec.channels = spec.source_channels;
  if (spec.meaning == PixelSemantics::kPair) spec.channels = 2;
  if (spec.meaning == PixelSemantics::kNormal) spec.channels = 4;
  spec.signed_source = source.type == ChannelType::kFloat;
  spec.signed_target = target.type == ChannelType::kFloat;

  spec.fixed_srgb = spec.meaning == PixelSemantics::kPlain && spec.reduction == Reduction::kMean &&
                    is_srgb(spec.source) && is_srgb(spec.target);
  const bool plain = spec.meaning == PixelSemantics::kPlain || spec.meaning == PixelSemantics::kPair;
  const bool keeps_codes = plain && is_uniform_unorm(spec.source);
  const std::array<float, 4> ones = {1, 1, 1, 1};
  spec.source_divisor = keeps_codes ? ones : largest_codes(spec.source);
  const double unit = keeps_codes ? largest_codes(spec.source)[0] : 1.0;
  if (is_uniform_unorm(spec.target)) {
    spec.target_divisor = ones;
    spec.encode_scale = largest_codes(spec.target)[0] / unit;
  } else {
    const auto divisor = static_cast<float>(unit);
    spec.target_divisor = {divisor, divisor, divisor, divisor};
  }
  return spec;
}

template <>
RowKernels<double> find_row_kernels<double>(const RowSpec& spec) {
  return scalar_row_kernels<double>(spec);
}

template <>
RowKernels<float> find_row_kernels<float>(const RowSpec& spec) {
  RowKernels<float> kernels = scalar_row_kernels<float>(spec);
  for (const RowKernels<float>& simd :
       {find_decode_kernels(spec), find_fold_kernels(spec), find_fold_source_kernels(spec), find_wide_kernels(spec),
        find_code_kernels(spec), find_tile_kernels(spec), find_srgb_tile_kernels(spec), find_fused_row_kernels(spec),
        find_encode_kernels(spec)}) {
    take(kernels.decode, simd.decode);
    take(kernels.fold_rows, simd.fold_rows);
    take(kernels.fold_columns, simd.fold_columns);
    take(kernels.fold_quads, simd.fold_quads);
    take(kernels.fold_source_rows, simd.fold_source_rows);
    take(kernels.fold_source_quads, simd.fold_source_quads);
    take(kernels.fold_wide, simd.fold_wide);
    take(kernels.fold_source_wide, simd.fold_source_wide);
    take(kernels.fold_unorm8, simd.fold_unorm8);
    take(kernels.fold_tiles, simd.fold_tiles);
    take(kernels.store_tiles_non_temporal, simd.store_tiles_non_temporal);
    kernels.tile_texels = std::max(kernels.tile_texels, simd.tile_texels);
    take(kernels.fused_rows, simd.fused_rows);
    take(kernels.encode, simd.encode);
    take(kernels.encode_non_temporal, simd.encode_non_temporal);
    take(kernels.stream, simd.stream);
  }
  return kernels;
}

}  // namespace onepass::cpu
