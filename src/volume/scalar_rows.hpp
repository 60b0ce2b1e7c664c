// scalar_rows.hpp: the definitions of rows.hpp, one element after the other: the ends of rows that fill no vector, and
// whole rows of processors without vectors.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "image/small_float.hpp"
#include "volume/rows.hpp"

namespace onepass::volume {

/// A half, so that it is a type of its own.
struct Half {
  uint16_t bits = 0;
};

/// Voxels need not be aligned.
template <typename T>
T element_at(const std::byte* row, size_t index) {
  T value;
  std::memcpy(&value, row + index * sizeof value, sizeof value);
  return value;
}

template <typename T>
void put(std::byte* row, size_t index, T value) {
  std::memcpy(row + index * sizeof value, &value, sizeof value);
}

// ---- Means

template <typename Sum, typename T>
Sum summand(T value) {
  if constexpr (std::is_same_v<T, Half>) {
    return static_cast<Sum>(decode_half(value.bits));
  } else {
    return static_cast<Sum>(value);
  }
}

template <typename T, typename Sum, uint32_t kRows>
Sum sum_of_rows(const RowFold& fold, size_t i) {
  std::array<Sum, kRows> values;
  for (uint32_t row = 0; row < kRows; ++row) values[row] = summand<Sum>(element_at<T>(fold.rows[row], i));
  if constexpr (kRows == 1) return values[0];
  if constexpr (kRows == 2) return values[0] + values[1];
  if constexpr (kRows == 4) return (values[0] + values[1]) + (values[2] + values[3]);
}

/// Adds rows from element `i` on; `i` is even if pairs are added, too.
template <typename T, typename Sum, uint32_t kRows, bool kPairs>
void sum_rest(const RowFold& fold, size_t i) {
  for (; i < fold.elements; i += kPairs ? 2 : 1) {
    Sum sum = sum_of_rows<T, Sum, kRows>(fold, i);
    if (kPairs && i + 1 < fold.elements) sum += sum_of_rows<T, Sum, kRows>(fold, i + 1);
    put(fold.out, kPairs ? i / 2 : i, sum);
  }
}

template <typename Sum>
void halve_sums(const std::byte* row, size_t texels, uint32_t channels, std::byte* out) {
  for (size_t x = 0; x < texels; x += 2) {
    for (uint32_t c = 0; c < channels; ++c) {
      Sum sum = element_at<Sum>(row, x * channels + c);
      if (x + 1 < texels) sum += element_at<Sum>(row, (x + 1) * channels + c);
      put(out, x / 2 * channels + c, sum);
    }
  }
}

/// sum / count rounded to nearest, of two equally near to the even one.
template <typename Sum>
Sum rounded_quotient(Sum sum, Sum count) {
  Sum quotient = sum / count;
  Sum rest = sum % count;
  if (rest < 0) {  // towards minus infinity
    rest += count;
    --quotient;
  }
  const Sum other = count - rest;
  return quotient + (rest > other || (rest == other && (quotient & 1) != 0) ? 1 : 0);
}

template <typename Sum, typename T>
void round_rest(const std::byte* sums, size_t i, size_t elements, uint64_t count, std::byte* out) {
  for (; i < elements; ++i) {
    const Sum sum = element_at<Sum>(sums, i);
    if constexpr (std::is_same_v<T, Half>) {
      put(out, i, Half{encode_half(static_cast<float>(sum / static_cast<double>(count)))});
    } else if constexpr (std::is_floating_point_v<T>) {
      put(out, i, static_cast<T>(sum / static_cast<double>(count)));
    } else {
      put(out, i, static_cast<T>(rounded_quotient(sum, static_cast<Sum>(count))));
    }
  }
}

// ---- Minimum and maximum. Floats are compared as integers whose order is theirs: the sign bit and, of negative
// numbers, the inverted magnitude.

template <typename T>
T order_key(T bits) {
  constexpr T kMagnitude = std::numeric_limits<T>::max();
  return bits < 0 ? static_cast<T>(bits ^ kMagnitude) : bits;
}

/// kKeyed: the integers are the bits of floats.
template <typename T, bool kKeyed, bool kMax>
T extreme(T a, T b) {
  if constexpr (kKeyed) {
    return order_key(extreme<T, false, kMax>(order_key(a), order_key(b)));
  } else {
    return kMax ? std::max(a, b) : std::min(a, b);
  }
}

template <typename T, bool kKeyed, bool kMax, bool kPairs>
void extreme_rest(const RowFold& fold, size_t i) {
  for (; i < fold.elements; i += kPairs ? 2 : 1) {
    T value = element_at<T>(fold.rows[0], i);
    for (uint32_t row = 0; row < fold.row_count; ++row) {
      value = extreme<T, kKeyed, kMax>(value, element_at<T>(fold.rows[row], i));
      if (!kPairs || i + 1 == fold.elements) continue;
      value = extreme<T, kKeyed, kMax>(value, element_at<T>(fold.rows[row], i + 1));
    }
    put(fold.out, kPairs ? i / 2 : i, value);
  }
}

template <typename T, bool kKeyed, bool kMax>
void halve_extremes(const std::byte* row, size_t texels, uint32_t channels, std::byte* out) {
  for (size_t x = 0; x < texels; x += 2) {
    for (uint32_t c = 0; c < channels; ++c) {
      T value = element_at<T>(row, x * channels + c);
      if (x + 1 < texels) value = extreme<T, kKeyed, kMax>(value, element_at<T>(row, (x + 1) * channels + c));
      put(out, x / 2 * channels + c, value);
    }
  }
}

// ---- Mode

/// The most frequent of `count` labels, at most 8, the smallest of several. Sorts them.
template <typename T>
T most_frequent(std::array<T, 8>& labels, size_t count) {
  std::sort(labels.begin(), labels.begin() + static_cast<ptrdiff_t>(count));
  T best = labels[0];
  size_t most = 0;
  for (size_t i = 0; i < count;) {
    size_t end = i + 1;
    while (end < count && labels[end] == labels[i]) ++end;
    if (end - i > most) {
      most = end - i;
      best = labels[i];
    }
    i = end;
  }
  return best;
}

template <typename T, bool kPairs>
void mode_rest(const RowFold& fold, size_t i) {
  for (; i < fold.elements; i += kPairs ? 2 : 1) {
    std::array<T, 8> labels{};
    size_t count = 0;
    for (uint32_t row = 0; row < fold.row_count; ++row) {
      labels[count++] = element_at<T>(fold.rows[row], i);
      if (kPairs && i + 1 < fold.elements) labels[count++] = element_at<T>(fold.rows[row], i + 1);
    }
    put(fold.out, kPairs ? i / 2 : i, most_frequent(labels, count));
  }
}

}  // namespace onepass::volume
