// row_plain.cpp: the scalar reference of the row functions; see row_plain.hpp.
#include "reduction/row_plain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "image/row_srgb.hpp"
#include "image/small_float.hpp"
#include "image/srgb.hpp"

namespace onepass::cpu {
namespace {

/// Gives the colour of fully transparent texels a weight; far below any visible alpha.
constexpr float kLeastWeight = 0x1p-40F;

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

// ---- Source texels to working texels

template <typename T>
T srgb_value(const RowSpec& spec, size_t code) {
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
void decode(const RowSpec& spec, const void* source_row, size_t texels, T* out) {
  const auto* row = static_cast<const std::byte*>(source_row);
  const size_t count = texels * spec.source_channels;
  const auto each = [&](auto value_of) {
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<T>(value_of(i));
  };
  switch (spec.source) {
    case Storage::kU8:
      return each([&](size_t i) { return load<uint8_t>(row, i); });
    case Storage::kU16:
      return each([&](size_t i) { return load<uint16_t>(row, i); });
    case Storage::kF16:
      return each([&](size_t i) { return decode_half(load<uint16_t>(row, i)); });
    case Storage::kF32:
      return each([&](size_t i) { return load<float>(row, i); });
    case Storage::kSrgb8:
      return each([&](size_t i) { return srgb_value<T>(spec, load<uint8_t>(row, i) + (i % 4 == 3 ? 256U : 0U)); });
    case Storage::kSrgbR8:
      return each([&](size_t i) { return srgb_value<T>(spec, load<uint8_t>(row, i)); });
    default:
      decode_packed(spec.source, row, texels, out);
  }
}

template <typename T>
void prepare_normal(const RowSpec& spec, const T* in, T* out) {
  for (uint32_t c = 0; c < spec.source_channels; ++c) {
    const bool vector = c < 3 && !spec.signed_source;
    out[c] = vector ? 2 * in[c] - 1 : in[c];
  }
  if (spec.source_channels > 2) return;
  out[2] = std::sqrt(std::max(T(0), (1 - out[0] * out[0]) - out[1] * out[1]));
  out[3] = 0;
}

template <typename T>
void prepare(const RowSpec& spec, const T* in, size_t texels, T* out) {
  const uint32_t channels = spec.source_channels;
  for (size_t i = 0; i < texels; ++i, in += channels, out += spec.channels) {
    T texel[4];
    for (uint32_t c = 0; c < channels; ++c) texel[c] = in[c] / static_cast<T>(spec.source_divisor[c]);
    switch (spec.meaning) {
      case PixelSemantics::kPair:
        out[0] = out[1] = texel[0];
        break;
      case PixelSemantics::kNormal:
        prepare_normal(spec, texel, out);
        break;
      case PixelSemantics::kWeighted: {
        const T weight = (texel[3] > 0 ? texel[3] : T(0)) + T(kLeastWeight);
        for (uint32_t c = 0; c < 3; ++c) out[c] = texel[c] * weight;
        out[3] = weight;
        break;
      }
      default:
        std::copy_n(texel, channels, out);
    }
  }
}

// ---- Working rows to working rows

struct Sum {
  static constexpr bool kMean = true;
  template <typename T>
  static T fold(T a, T b, size_t /*element*/) {
    return a + b;
  }
};

struct Smallest {
  static constexpr bool kMean = false;
  template <typename T>
  static T fold(T a, T b, size_t /*element*/) {
    return a < b ? a : b;
  }
};

struct Largest {
  static constexpr bool kMean = false;
  template <typename T>
  static T fold(T a, T b, size_t /*element*/) {
    return a > b ? a : b;
  }
};

struct Bounds {
  static constexpr bool kMean = false;
  template <typename T>
  static T fold(T a, T b, size_t element) {
    return element % 2 == 0 ? Smallest::fold(a, b, element) : Largest::fold(a, b, element);
  }
};

template <class Op, typename T>
void fold_rows(const T* const* rows, uint32_t taps, const T* weights, size_t count, T* out) {
  for (size_t i = 0; i < count; ++i) {
    const T a = rows[0][i];
    const T b = rows[1][i];
    if (Op::kMean && weights != nullptr) {
      const T sides = taps == 3 ? weights[0] * a + weights[2] * rows[2][i] : weights[0] * a;
      out[i] = sides + weights[1] * b;
    } else {
      out[i] = Op::fold(a, b, i);
      if (taps == 3) out[i] = Op::fold(out[i], rows[2][i], i);
    }
  }
}

template <class Op, uint32_t kChannels, typename T>
void fold_columns(const T* in, const ColumnFold<T>& fold, size_t texels, T* out) {
  for (size_t i = 0; i < texels * kChannels; ++i) {
    const size_t channel = i % kChannels;
    const T* taps = in + (fold.taps == Taps::kOne ? i : 2 * (i - channel) + channel);
    if (fold.taps == Taps::kOne) {
      out[i] = Op::kMean ? taps[0] * fold.scale : taps[0];
    } else if (fold.taps == Taps::kTwo) {
      const T folded = Op::fold(taps[0], taps[kChannels], channel);
      out[i] = Op::kMean ? folded * fold.scale : folded;
    } else if (Op::kMean) {
      const T sides = fold.first[i] * taps[0] + fold.last[i] * taps[2 * kChannels];
      out[i] = sides + fold.middle * taps[kChannels];
    } else {
      out[i] = Op::fold(Op::fold(taps[0], taps[kChannels], channel), taps[2 * kChannels], channel);
    }
  }
}

template <class Op, uint32_t kChannels, typename T>
void fold_quads(const void* const* rows, uint32_t pairs, size_t texels, T* const* outs) {
  for (uint32_t pair = 0; pair < pairs; ++pair) {
    const auto* upper = static_cast<const T*>(rows[2 * pair]);
    const auto* lower = static_cast<const T*>(rows[2 * pair + 1]);
    for (size_t i = 0; i < texels * kChannels; ++i) {
      const size_t channel = i % kChannels;
      const size_t left = 2 * (i - channel) + channel;
      const size_t right = left + kChannels;
      const T folded =
          Op::fold(Op::fold(upper[left], lower[left], channel), Op::fold(upper[right], lower[right], channel), channel);
      outs[pair][i] = Op::kMean ? folded * T(0.25) : folded;
    }
  }
}

// ---- Working texels to target texels

template <typename T>
void finish_normal(const RowSpec& spec, const T* in, T* out) {
  const T length = std::sqrt((in[0] * in[0] + in[1] * in[1]) + in[2] * in[2]);
  const bool has_direction = length > 0;
  T texel[4] = {0, 0, 1, in[3]};
  for (uint32_t c = 0; c < 3; ++c) {
    if (has_direction || length != length) texel[c] = in[c] / length;
    if (!spec.signed_target) texel[c] = T(0.5) * texel[c] + T(0.5);
  }
  std::copy_n(texel, spec.target_channels, out);
}

template <typename T>
void finish(const RowSpec& spec, const T* in, size_t texels, double alpha_scale, T* out) {
  const uint32_t channels = spec.target_channels;
  for (size_t i = 0; i < texels; ++i, in += spec.channels, out += channels) {
    switch (spec.meaning) {
      case PixelSemantics::kWeighted:
        for (uint32_t c = 0; c < 3; ++c) out[c] = in[c] / in[3];
        out[3] = std::max(T(0), in[3] - T(kLeastWeight));
        break;
      case PixelSemantics::kCoverage:
        std::copy_n(in, 4, out);
        if (alpha_scale != 1.0) out[3] = std::min(T(1), std::max(T(0), in[3]) * static_cast<T>(alpha_scale));
        break;
      case PixelSemantics::kNormal:
        finish_normal(spec, in, out);
        break;
      default:
        for (uint32_t c = 0; c < channels; ++c) out[c] = in[c] / static_cast<T>(spec.target_divisor[c]);
    }
  }
}

/// `value * scale`, rounded to nearest even and clamped; NaN becomes 0.
template <typename T>
uint32_t unorm_code(T value, T scale, T max) {
  const T scaled = value * scale;
  return scaled > 0 ? static_cast<uint32_t>(std::nearbyint(scaled < max ? scaled : max)) : 0U;
}

template <typename T>
void encode_packed(const RowSpec& spec, const T* in, size_t texels, std::byte* row) {
  for (size_t i = 0; i < texels; ++i, in += 4) {
    uint32_t word = 0;
    if (spec.target == Storage::kA2B10G10R10) {
      for (uint32_t c = 0; c < 3; ++c) word |= unorm_code(in[c], T(1023), T(1023)) << 10 * c;
      word |= unorm_code(in[3], T(3), T(3)) << 30;
    } else {
      word = encode_b10g11r11(static_cast<float>(in[0]), static_cast<float>(in[1]), static_cast<float>(in[2]));
    }
    store(row, i, word);
  }
}

template <typename T>
void encode(const RowSpec& spec, const T* in, size_t texels, void* target_row) {
  auto* row = static_cast<std::byte*>(target_row);
  const size_t count = texels * spec.target_channels;
  const T scale = static_cast<T>(spec.encode_scale);
  for (size_t i = 0; i < count; ++i) {
    switch (spec.target) {
      case Storage::kU8:
        store(row, i, static_cast<uint8_t>(unorm_code(in[i], scale, T(255))));
        break;
      case Storage::kU16:
        store(row, i, static_cast<uint16_t>(unorm_code<double>(in[i], spec.encode_scale, 65535)));
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
      case Storage::kSrgbR8:
        store(row, i, static_cast<uint8_t>(encode_srgb(srgb_tables(), static_cast<float>(in[i]))));
        break;
      default:
        return encode_packed(spec, in, texels, row);
    }
  }
}

// ---- Selection of functions

template <class Op, typename T>
void choose_folds(uint32_t channels, RowKernels<T>& kernels) {
  kernels.fold_rows = fold_rows<Op, T>;
  kernels.fold_columns = channels == 1   ? fold_columns<Op, 1, T>
                         : channels == 2 ? fold_columns<Op, 2, T>
                                         : fold_columns<Op, 4, T>;
  kernels.fold_quads = channels == 1   ? fold_quads<Op, 1, T>
                       : channels == 2 ? fold_quads<Op, 2, T>
                                       : fold_quads<Op, 4, T>;
}

}  // namespace

template <typename T>
RowKernels<T> scalar_row_kernels(const RowSpec& spec) {
  RowKernels<T> kernels;
  kernels.decode = decode<T>;
  kernels.prepare = prepare<T>;
  kernels.finish = finish<T>;
  kernels.encode = encode<T>;
  kernels.stream = [](const void* from, size_t bytes, void* to) { std::memcpy(to, from, bytes); };
  switch (spec.reduction) {
    case Reduction::kMean:
      choose_folds<Sum>(spec.channels, kernels);
      break;
    case Reduction::kMin:
      choose_folds<Smallest>(spec.channels, kernels);
      break;
    case Reduction::kMax:
      choose_folds<Largest>(spec.channels, kernels);
      break;
    case Reduction::kMinMax:
      choose_folds<Bounds>(spec.channels, kernels);
      break;
  }
  return kernels;
}

template RowKernels<float> scalar_row_kernels<float>(const RowSpec&);
template RowKernels<double> scalar_row_kernels<double>(const RowSpec&);

}  // namespace onepass::cpu
