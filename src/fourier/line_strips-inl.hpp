// line_strips-inl.hpp: transposes and copies between lines, strips and rows; separates and combines real signals.
// Included once per SIMD target.
//
// Real packing: two real signals a, b are transformed as z = a + i b. With Z its spectrum:
//     A(k) = (Z(k) + conj Z(-k)) / 2,   B(k) = (Z(k) - conj Z(-k)) / 2i,   Z(k) = A(k) + i B(k).
#if defined(ONEPASS_FOURIER_LINE_STRIPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_FOURIER_LINE_STRIPS_INL
#undef ONEPASS_FOURIER_LINE_STRIPS_INL
#else
#define ONEPASS_FOURIER_LINE_STRIPS_INL
#endif

#include <algorithm>

#include "fourier/line_passes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::cpu {
namespace HWY_NAMESPACE {

/// Transposes 16x16 floats: rows in(i) to rows out(j).
template <class In, class Out>
HWY_INLINE void transpose(In in, Out out) {
#if HWY_TARGET == HWY_SCALAR
  float block[kLanes][kLanes];
  for (size_t i = 0; i < kLanes; ++i) {
    for (size_t j = 0; j < kLanes; ++j) block[j][i] = in(i)[j];
  }
  for (size_t j = 0; j < kLanes; ++j) std::copy_n(block[j], kLanes, out(j));
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  // Loads place the quarters of the rows, because the shuffle port is the bottleneck.
  unroll<4>([&](auto quarter) ONEPASS_UNROLLED {
    constexpr size_t j = 4 * quarter();
    __m512 rows[4];  // rows i, i + 4, i + 8, i + 12
    unroll<4>([&](auto row) ONEPASS_UNROLLED {
      constexpr size_t i = row();
      __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(in(i) + j));
      v = _mm512_insertf32x4(v, _mm_loadu_ps(in(i + 4) + j), 1);
      v = _mm512_insertf32x4(v, _mm_loadu_ps(in(i + 8) + j), 2);
      rows[i] = _mm512_insertf32x4(v, _mm_loadu_ps(in(i + 12) + j), 3);
    });
    const __m512d low01 = _mm512_castps_pd(_mm512_unpacklo_ps(rows[0], rows[1]));
    const __m512d high01 = _mm512_castps_pd(_mm512_unpackhi_ps(rows[0], rows[1]));
    const __m512d low23 = _mm512_castps_pd(_mm512_unpacklo_ps(rows[2], rows[3]));
    const __m512d high23 = _mm512_castps_pd(_mm512_unpackhi_ps(rows[2], rows[3]));
    _mm512_storeu_pd(out(j), _mm512_unpacklo_pd(low01, low23));
    _mm512_storeu_pd(out(j + 1), _mm512_unpackhi_pd(low01, low23));
    _mm512_storeu_pd(out(j + 2), _mm512_unpacklo_pd(high01, high23));
    _mm512_storeu_pd(out(j + 3), _mm512_unpackhi_pd(high01, high23));
  });
#else
  // Blocks of 4x4.
  const hn::Full128<float> d;
  const hn::Repartition<double, hn::Full128<float>> d2;
  for (size_t i = 0; i < kLanes; i += 4) {
    for (size_t j = 0; j < kLanes; j += 4) {
      const auto a = hn::LoadU(d, in(i) + j);
      const auto b = hn::LoadU(d, in(i + 1) + j);
      const auto c = hn::LoadU(d, in(i + 2) + j);
      const auto e = hn::LoadU(d, in(i + 3) + j);
      const auto ab_low = hn::BitCast(d2, hn::InterleaveLower(d, a, b));
      const auto ab_high = hn::BitCast(d2, hn::InterleaveUpper(d, a, b));
      const auto ce_low = hn::BitCast(d2, hn::InterleaveLower(d, c, e));
      const auto ce_high = hn::BitCast(d2, hn::InterleaveUpper(d, c, e));
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d2, ab_low, ce_low)), d, out(j) + i);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d2, ab_low, ce_low)), d, out(j + 1) + i);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d2, ab_high, ce_high)), d, out(j + 2) + i);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d2, ab_high, ce_high)), d, out(j + 3) + i);
    }
  }
#endif
}

void transpose_blocks(const Transpose& transpose_blocks) {
  for (size_t b = 0; b < transpose_blocks.count; ++b) {
    transpose([&](size_t i) ONEPASS_UNROLLED { return transpose_blocks.in[i] + b * transpose_blocks.in_steps[i]; },
              [&](size_t j) ONEPASS_UNROLLED { return transpose_blocks.out[j] + b * transpose_blocks.out_steps[j]; });
  }
}

void transpose_blocks_mapped(const Transpose& transpose_blocks) {
  for (size_t b = 0; b < transpose_blocks.count; ++b) {
    transpose(
        [&](size_t i) ONEPASS_UNROLLED {
          return transpose_blocks.in[i] +
                 transpose_blocks.in_steps[i] *
                     transpose_blocks.in_map[transpose_blocks.in_first[i] + transpose_blocks.in_texels * b];
        },
        [&](size_t j) ONEPASS_UNROLLED { return transpose_blocks.out[j] + b * transpose_blocks.out_steps[j]; });
  }
}

/// Buffer of sixteen elements.
struct Block {
  alignas(64) float values[kLanes * kElementFloats] = {};
  [[nodiscard]] float* element(size_t i) { return values + i * kElementFloats; }
};

/// Transposes the real and imaginary parts of 16 elements: value l of element i becomes value i of element l.
HWY_INLINE void transpose_elements(const float* in, float* out) {
  for (size_t part = 0; part < kElementFloats; part += kLanes) {
    transpose([&](size_t i) ONEPASS_UNROLLED { return in + i * kElementFloats + part; },
              [&](size_t j) ONEPASS_UNROLLED { return out + j * kElementFloats + part; });
  }
}

/// Separates value k of a channel from the signal that shares its sixteen lines.
HWY_INLINE void separate(const ChannelLines& channel, const uint32_t* positions, size_t size, size_t k, FloatV scale,
                         float* out) {
  const float* here = channel.lines + positions[k] * kElementFloats;
  const float* mirror = channel.lines + positions[k == 0 ? 0 : size - k] * kElementFloats;
  for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(Floats())) {
    const Complex z = load(here + lane, kLanes);
    if (channel.part == Part::kWhole) {
      store(z * scale, out + lane, kLanes);
      continue;
    }
    const Complex m = load(mirror + lane, kLanes);
    Complex value;
    if (channel.part == Part::kFirst) {
      value = {hn::Add(z.re, m.re), hn::Sub(z.im, m.im)};
    } else {
      value = {hn::Add(z.im, m.im), hn::Sub(m.re, z.re)};
    }
    store(value * scale, out + lane, kLanes);
  }
}

void scatter(const StripRows& rows) {
  Block slots;
  Block turned;
  const FloatV scale = constant(rows.scale);
  std::byte* strip = rows.strips;
  for (uint32_t first = 0; first < rows.columns; first += rows.strip_columns, strip += rows.strip_stride) {
    const uint32_t columns = std::min(rows.strip_columns, rows.columns - first);
    size_t slot = 0;
    for (uint32_t k = 0; k < columns; ++k) {
      for (uint32_t c = 0; c < rows.channels; ++c, ++slot) {
        separate(rows.lines[c], rows.positions, rows.size, first + k, scale, slots.element(slot));
      }
    }
    if (rows.rows == kLanes && rows.halves == nullptr) {
      transpose_elements(slots.values, reinterpret_cast<float*>(strip));
      continue;
    }
    transpose_elements(slots.values, turned.values);
    const size_t count = rows.rows * kElementFloats;
    if (rows.halves != nullptr) {
      rows.halves->store(turned.values, count, strip);
    } else {
      std::copy_n(turned.values, count, reinterpret_cast<float*>(strip));
    }
  }
}

/// The inverse of separate(): stores or adds value k and its mirrored conjugate.
HWY_INLINE void combine(const float* in, FloatV scale, size_t size, size_t k, const ChannelLines& channel) {
  float* here = channel.lines + k * kElementFloats;
  float* there = channel.lines + (size - k) * kElementFloats;
  const bool is_real = k == 0 || 2 * k == size;  // its own mirror
  for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(Floats())) {
    const Complex value = load(in + lane, kLanes) * scale;
    switch (channel.part) {
      case Part::kWhole:
        store(value, here + lane, kLanes);
        break;
      case Part::kFirst:
        store({value.re, is_real ? hn::Zero(Floats()) : value.im}, here + lane, kLanes);
        if (!is_real) store({value.re, hn::Neg(value.im)}, there + lane, kLanes);
        break;
      case Part::kSecond: {
        const Complex z = load(here + lane, kLanes);
        if (is_real) {
          store({z.re, value.re}, here + lane, kLanes);
          break;
        }
        store(add_i(z, value), here + lane, kLanes);
        store(add_i(load(there + lane, kLanes), {value.re, hn::Neg(value.im)}), there + lane, kLanes);
        break;
      }
    }
  }
}

void gather(const StripRows& rows) {
  Block slots;
  Block turned;
  const FloatV scale = constant(rows.scale);
  const std::byte* strip = rows.strips;
  for (uint32_t first = 0; first < rows.columns; first += rows.strip_columns, strip += rows.strip_stride) {
    const uint32_t columns = std::min(rows.strip_columns, rows.columns - first);
    const auto* in = reinterpret_cast<const float*>(strip);
    const size_t count = rows.rows * kElementFloats;
    if (rows.halves != nullptr) {
      rows.halves->load(strip, count, turned.values);
      in = turned.values;
    } else if (rows.rows != kLanes) {
      std::copy_n(in, count, turned.values);
      in = turned.values;
    }
    transpose_elements(in, slots.values);
    size_t slot = 0;
    for (uint32_t k = 0; k < columns; ++k) {
      for (uint32_t c = 0; c < rows.channels; ++c, ++slot) {
        combine(slots.element(slot), scale, rows.size, first + k, rows.lines[c]);
      }
    }
  }
}

void interleave(const StripPairs& strips) {
  constexpr size_t kRowsAhead = 6;
  const size_t last = strips.rows - 1;
  const FloatV scale = constant(strips.scale);
  for (size_t i = 0; i <= last; ++i) {
    for (uint32_t s = 0; s < strips.strips; ++s) {
      const PairElements<false> rows = {strips.pairs[s], strips.positions, strips.stride, scale};
      const float* element = strips.elements[s] + strips.order[i] * kElementFloats;
      FarRows{rows.first, rows.elements, rows.stride}.fetch(std::min(i + kRowsAhead, last));
      for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(Floats())) {
        rows.store(load(element + lane, kLanes), i, lane);
      }
    }
  }
}

void deinterleave(const float* pairs, size_t stride, size_t count, float* elements) {
#if HWY_TARGET == HWY_SCALAR
  for (size_t i = 0; i < count; ++i, elements += kElementFloats, pairs += stride) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      elements[lane] = pairs[2 * lane];
      elements[kLanes + lane] = pairs[2 * lane + 1];
    }
  }
#else
  const Floats d;
  for (size_t i = 0; i < count; ++i, elements += kElementFloats, pairs += stride) {
    for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
      FloatV re;
      FloatV im;
      hn::LoadInterleaved2(d, pairs + 2 * lane, re, im);
      store({re, im}, elements + lane, kLanes);
    }
  }
#endif
}

void multiply_elements(float* elements, const float* factors, size_t count, bool conjugate) {
  for (size_t i = 0; i < count * kElementFloats; i += kElementFloats) {
    for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(Floats())) {
      Complex factor = load(factors + i + lane, kLanes);
      if (conjugate) factor.im = hn::Neg(factor.im);
      store(load(elements + i + lane, kLanes) * factor, elements + i + lane, kLanes);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
