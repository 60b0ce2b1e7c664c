// row_codec_scalar.cpp: the row codec in plain loops over texels, for float and double. Its order of operations and its
// rounding are the reference that the SIMD versions must match.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "image/row_codec_functions.hpp"
#include "image/row_srgb.hpp"
#include "image/small_float.hpp"
#include "image/srgb.hpp"

namespace onepass::image {
namespace {

template <typename Stored>
Stored load(const std::byte* bytes, size_t index) {
  Stored value;
  std::memcpy(&value, bytes + index * sizeof(Stored), sizeof value);
  return value;
}

template <typename Stored>
void store(std::byte* bytes, size_t index, Stored value) {
  std::memcpy(bytes + index * sizeof(Stored), &value, sizeof value);
}

// ---- Stored texels to working texels

template <typename T>
T srgb_value(const DecodeSpec& spec, size_t code) {
  if (spec.fixed_srgb) return static_cast<T>(srgb_fixed().decode[code]);
  if constexpr (std::is_same_v<T, double>) return srgb_tables().decode_double[code];
  return static_cast<T>(srgb_tables().decode[code]);
}

template <typename T>
void decode_packed(Storage storage, const std::byte* row, size_t texels, T* out) {
  for (size_t i = 0; i < texels; ++i, out += 4) {
    const auto word = load<uint32_t>(row, i);
    if (storage == Storage::kA2B10G10R10) {
      for (uint32_t c = 0; c < 3; ++c) out[c] = static_cast<T>(word >> 10 * c & 1023U);
      out[3] = static_cast<T>(word >> 30);
    } else {
      out[0] = static_cast<T>(decode_magnitude(word & 0x7FFU, 6));
      out[1] = static_cast<T>(decode_magnitude(word >> 11 & 0x7FFU, 6));
      out[2] = static_cast<T>(decode_magnitude(word >> 22, 5));
      out[3] = 1;
    }
  }
}

template <typename T>
void prepare_normal(const DecodeSpec& spec, const T* in, T* out) {
  for (uint32_t c = 0; c < spec.stored_channels; ++c) {
    const bool vector = c < 3 && !spec.is_signed;
    out[c] = vector ? 2 * in[c] - 1 : in[c];
  }
  if (spec.stored_channels > 2) return;
  out[2] = std::sqrt(std::max(T(0), (1 - out[0] * out[0]) - out[1] * out[1]));
  out[3] = 0;
}

/// `texel` times `weight`.
template <typename T>
void prepare_weighted(const T* texel, T weight, T* out) {
  for (uint32_t c = 0; c < 3; ++c) out[c] = texel[c] * weight;
  out[3] = weight;
}

/// The alpha of kCoverage in units of quantised values; NaN becomes 0.
template <typename T>
T alpha_in_units(T alpha, T unit) {
  const T clamped = alpha > 0 ? std::min(alpha, T(1)) : T(0);
  return unit == 1 ? clamped : std::floor(clamped * unit + T(0.5));
}

}  // namespace

template <typename T>
void decode_scalar(const DecodeSpec& spec, const void* source_row, size_t texels, T* out) {
  const auto* row = static_cast<const std::byte*>(source_row);
  const size_t count = texels * spec.stored_channels;
  const auto each = [&](auto value_of) {
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<T>(value_of(i));
  };
  switch (spec.storage) {
    case Storage::kU8:
      return each([&](size_t i) { return load<uint8_t>(row, i); });
    case Storage::kU16:
      return each([&](size_t i) { return load<uint16_t>(row, i); });
    case Storage::kF16:
      return each([&](size_t i) { return decode_half(load<uint16_t>(row, i)); });
    case Storage::kF32:
      return each([&](size_t i) { return load<float>(row, i); });
    case Storage::kSrgb8:
      // Entries from 256 on are those of alpha, which is linear.
      return each([&](size_t i) { return srgb_value<T>(spec, load<uint8_t>(row, i) + (i % 4 == 3 ? 256U : 0U)); });
    case Storage::kSrgbColors:
      return each([&](size_t i) { return srgb_value<T>(spec, load<uint8_t>(row, i)); });
    case Storage::kX8D24:
      return each([&](size_t i) { return load<uint32_t>(row, i) & 0xFFFFFFU; });
    default:
      decode_packed(spec.storage, row, texels, out);
  }
}

template <typename T>
void prepare_scalar(const DecodeSpec& spec, const T* in, size_t texels, T* out) {
  const uint32_t channels = spec.stored_channels;
  for (size_t i = 0; i < texels; ++i, in += channels, out += spec.channels) {
    T texel[4];
    for (uint32_t c = 0; c < channels; ++c) texel[c] = in[c] / static_cast<T>(spec.divisor[c]);
    if (spec.blue_first) std::swap(texel[0], texel[2]);
    switch (spec.semantics) {
      case PixelSemantics::kPair:
        out[0] = out[1] = texel[0];
        break;
      case PixelSemantics::kNormal:
        prepare_normal(spec, texel, out);
        break;
      case PixelSemantics::kWeighted:
        prepare_weighted(texel, (texel[3] > 0 ? texel[3] : T(0)) + T(kLeastWeight), out);
        break;
      case PixelSemantics::kCoverage:
        prepare_weighted(texel, alpha_in_units(texel[3], T(spec.alpha_unit)) + T(kLeastWeight), out);
        break;
      default:
        std::copy_n(texel, channels, out);
    }
  }
}

// ---- Working texels to stored texels

namespace {

template <typename T>
void finish_normal(const EncodeSpec& spec, const T* in, T* out) {
  const T length = std::sqrt((in[0] * in[0] + in[1] * in[1]) + in[2] * in[2]);
  const bool has_direction = length > 0;
  T texel[4] = {0, 0, 1, in[3]};
  for (uint32_t c = 0; c < 3; ++c) {
    if (has_direction || length != length) texel[c] = in[c] / length;
    if (!spec.is_signed) texel[c] = T(0.5) * texel[c] + T(0.5);
  }
  std::copy_n(texel, spec.stored_channels, out);
}

/// The alpha to store for a working alpha of kCoverage; pyramid_coverage.comp has the same operations.
float scaled_alpha(float alpha, const AlphaScale& scale, float unit) {
  float stored = std::min(1.0F, alpha * scale.scale);
  if (unit != 1) stored = std::floor(stored * unit + 0.5F) / unit;
  return alpha >= scale.cut ? std::max(stored, scale.least_passing) : std::min(stored, scale.most_failing);
}

/// `value * scale`, rounded to nearest even and clamped; NaN becomes 0.
template <typename T>
uint32_t unorm_code(T value, T scale, T max) {
  const T scaled = value * scale;
  return scaled > 0 ? static_cast<uint32_t>(std::nearbyint(scaled < max ? scaled : max)) : 0U;
}

template <typename T>
void encode_packed(const EncodeSpec& spec, const T* in, size_t texels, std::byte* row) {
  for (size_t i = 0; i < texels; ++i, in += 4) {
    uint32_t word = 0;
    if (spec.storage == Storage::kA2B10G10R10) {
      for (uint32_t c = 0; c < 3; ++c) word |= unorm_code(in[c], T(1023), T(1023)) << 10 * c;
      word |= unorm_code(in[3], T(3), T(3)) << 30;
    } else {
      word = encode_b10g11r11(static_cast<float>(in[0]), static_cast<float>(in[1]), static_cast<float>(in[2]));
    }
    store(row, i, word);
  }
}

}  // namespace

template <typename T>
void finish_scalar(const EncodeSpec& spec, const T* in, size_t texels, const AlphaScale& alpha, T* out) {
  const uint32_t channels = spec.stored_channels;
  for (size_t i = 0; i < texels; ++i, in += spec.channels, out += channels) {
    switch (spec.semantics) {
      case PixelSemantics::kWeighted:
        for (uint32_t c = 0; c < 3; ++c) out[c] = in[c] / in[3];
        out[3] = std::max(T(0), in[3] - T(kLeastWeight));
        break;
      case PixelSemantics::kCoverage:
        for (uint32_t c = 0; c < 3; ++c) out[c] = in[c] / in[3];
        out[3] = scaled_alpha(static_cast<float>(alpha_of_weight(in[3])), alpha, spec.alpha_unit);
        break;
      case PixelSemantics::kNormal:
        finish_normal(spec, in, out);
        break;
      default:
        for (uint32_t c = 0; c < channels; ++c) out[c] = in[c] / static_cast<T>(spec.divisor);
    }
    if (spec.blue_first) std::swap(out[0], out[2]);
  }
}

template <typename T>
void encode_scalar(const EncodeSpec& spec, const T* in, size_t texels, void* target_row) {
  auto* row = static_cast<std::byte*>(target_row);
  const size_t count = texels * spec.stored_channels;
  const T scale = static_cast<T>(spec.scale);
  for (size_t i = 0; i < count; ++i) {
    switch (spec.storage) {
      case Storage::kU8:
        store(row, i, static_cast<uint8_t>(unorm_code(in[i], scale, T(255))));
        break;
      case Storage::kU16:
        store(row, i, static_cast<uint16_t>(unorm_code<double>(in[i], spec.scale, 65535)));
        break;
      case Storage::kF16:
        store(row, i, encode_half(static_cast<float>(in[i])));
        break;
      case Storage::kF32:
        store(row, i, static_cast<float>(in[i]));
        break;
      case Storage::kSrgb8: {
        const T alpha_scale = spec.fixed_srgb ? T(1) : T(255);
        const uint32_t code =
            i % 4 == 3 ? unorm_code(in[i], alpha_scale, T(255)) : encode_srgb(srgb_tables(), static_cast<float>(in[i]));
        store(row, i, static_cast<uint8_t>(code));
        break;
      }
      case Storage::kSrgbColors:
        store(row, i, static_cast<uint8_t>(encode_srgb(srgb_tables(), static_cast<float>(in[i]))));
        break;
      default:
        return encode_packed(spec, in, texels, row);
    }
  }
}

template void decode_scalar<float>(const DecodeSpec&, const void*, size_t, float*);
template void decode_scalar<double>(const DecodeSpec&, const void*, size_t, double*);
template void prepare_scalar<float>(const DecodeSpec&, const float*, size_t, float*);
template void prepare_scalar<double>(const DecodeSpec&, const double*, size_t, double*);
template void finish_scalar<float>(const EncodeSpec&, const float*, size_t, const AlphaScale&, float*);
template void finish_scalar<double>(const EncodeSpec&, const double*, size_t, const AlphaScale&, double*);
template void encode_scalar<float>(const EncodeSpec&, const float*, size_t, void*);
template void encode_scalar<double>(const EncodeSpec&, const double*, size_t, void*);

}  // namespace onepass::image
