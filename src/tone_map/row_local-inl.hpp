// row_local-inl.hpp: local exposure on vectors of texels: their place between nodes of the grid, and their factor.
// Included once per SIMD target. Vulkan version: shaders/onepass/local_exposure.glsl.
//
// No multiplication and addition are fused, and divisions are correctly rounded: every target computes the same bits.
#if defined(ONEPASS_TONE_MAP_ROW_LOCAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_TONE_MAP_ROW_LOCAL_INL
#undef ONEPASS_TONE_MAP_ROW_LOCAL_INL
#else
#define ONEPASS_TONE_MAP_ROW_LOCAL_INL
#endif

#include <algorithm>
#include <limits>

#include "image/log2.hpp"
#include "tone_map/row_local.hpp"
#include "tone_map/row_texels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::tone_map {
namespace HWY_NAMESPACE {

// ---- Steps of a chunk

/// Calls step.run<4>(i) for each group of four vectors, of `count` values in whole vectors, and step.run<1>(i) for each
/// vector of the rest. The operations of one vector depend on each other, those of different vectors do not.
template <class Step>
HWY_INLINE void in_fours(size_t count, const Step& step) {
  const size_t lanes = hn::Lanes(Floats());
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) step.template run<4>(i);
  for (; i < count; i += lanes) step.template run<1>(i);
}

/// Evaluates a polynomial for several vectors in step.
template <size_t kPowers, size_t kVectors>
HWY_INLINE void polynomial(const float (&powers)[kPowers], const FloatV (&x)[kVectors], FloatV (&value)[kVectors]) {
  for (size_t v = 0; v < kVectors; ++v) value[v] = set(powers[kPowers - 1]);
  for (size_t power = kPowers - 1; power-- > 0;) {
    for (size_t v = 0; v < kVectors; ++v) value[v] = hn::Add(hn::Mul(value[v], x[v]), set(powers[power]));
  }
}

/// The luminance that a texel's place depends on, negative if the texel is no colour: a channel is not finite.
template <class Source>
HWY_INLINE FloatV light_of(const Rgb& c) {
  const FloatV y = hn::Add(hn::Add(hn::Mul(c.r, set(0.2126F)), hn::Mul(c.g, set(0.7152F))), hn::Mul(c.b, set(0.0722F)));
  const FloatV largest = hn::Max(hn::Max(c.r, c.g), c.b);
  const FloatV most = set(std::numeric_limits<float>::max());
  auto colour = hn::Le(hn::Abs(y), most);  // no finite halves have an infinite luminance
  if constexpr (!Source::kHalves) {
    colour = hn::And(hn::Le(hn::Abs(c.r), most), hn::And(hn::Le(hn::Abs(c.g), most), hn::Le(hn::Abs(c.b), most)));
  }
  // Colours outside the gamut may have luminance 0: their largest channel counts.
  const FloatV light = hn::Max(y, hn::Mul(largest, set(0.0722F)));
  const FloatV limited = hn::Min(hn::Max(light, set(static_cast<float>(ONEPASS_LOCAL_LEAST))),
                                 set(static_cast<float>(ONEPASS_LOCAL_MOST)));
  return hn::IfThenElse(colour, limited, set(-1.0F));
}

/// The places of a chunk's texels on the axis of luminance: between `nodes` and the next ones, at `above`, 0 to 1.
struct LocalPlanes {
  int32_t* nodes;  ///< With the sign bit set if the texel is no colour.
  float* above;

  [[nodiscard]] HWY_INLINE IntV node(size_t i) const {
    return hn::And(hn::Load(Ints(), nodes + i), hn::Set(Ints(), std::numeric_limits<int32_t>::max()));
  }
  [[nodiscard]] HWY_INLINE hn::Mask<Floats> colour(size_t i) const {
    return hn::RebindMask(Floats(), hn::Gt(hn::Load(Ints(), nodes + i), hn::Set(Ints(), -1)));
  }
};

/// Replaces `above`, results of light_of(), by places: CPU version of onepass_local_place() of the shader.
struct FindPlaces {
  LocalPlanes planes;

  template <size_t kVectors>
  HWY_INLINE void run(size_t begin) const {
    const Floats d;
    const Ints di;
    const size_t lanes = hn::Lanes(d);
    IntV whole[kVectors];
    IntV sign[kVectors];
    FloatV t[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {  // the same operations as log2_parts()
      const IntV light = hn::BitCast(di, hn::Load(d, planes.above + begin + v * lanes));
      const IntV bits = hn::And(light, hn::Set(di, std::numeric_limits<int32_t>::max()));
      sign[v] = hn::And(light, hn::Set(di, std::numeric_limits<int32_t>::min()));
      whole[v] = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, static_cast<int32_t>(kSqrtHalf))));
      t[v] = hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(whole[v]))), set(1.0F));
    }
    FloatV p[kVectors];
    polynomial(kLog2, t, p);
    for (size_t v = 0; v < kVectors; ++v) {
      const FloatV above = hn::Add(hn::Mul(p[v], t[v]), set(0.5F));
      hn::Store(hn::Min(hn::Max(above, set(0.0F)), set(1.0F)), d, planes.above + begin + v * lanes);
      const IntV node = hn::Sub(whole[v], hn::Set(di, ONEPASS_LOCAL_LOW + 1));
      hn::Store(hn::Or(node, sign[v]), di, planes.nodes + begin + v * lanes);
    }
  }
};

/// Replaces stops, within -100 and 100, by factors: the same operations as exp2_of(). Exactly 1 for 0.
struct FindFactors {
  float* stops;

  template <size_t kVectors>
  HWY_INLINE void run(size_t begin) const {
    const Floats d;
    const size_t lanes = hn::Lanes(d);
    FloatV whole[kVectors];
    FloatV part[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      const FloatV x = hn::Load(d, stops + begin + v * lanes);
      whole[v] = hn::Floor(hn::Add(x, set(0.5F)));
      part[v] = hn::Sub(x, whole[v]);
    }
    FloatV p[kVectors];
    polynomial(kExp2, part, p);
    for (size_t v = 0; v < kVectors; ++v) {
      const FloatV mantissa = hn::Add(hn::Mul(p[v], part[v]), set(1.0F));
      const IntV exponent = hn::Add(truncated(whole[v]), hn::Set(Ints(), 127));
      hn::Store(hn::Mul(mantissa, hn::BitCast(d, hn::ShiftLeft<23>(exponent))), d, stops + begin + v * lanes);
    }
  }
};

// ---- Nodes

/// Values of the nodes below and above texels.
struct NodePair {
  FloatV low_weight, high_weight, low_offset, high_offset;
};

/// The nodes of a column of regions for each lane.
HWY_INLINE NodePair gather_nodes(const float* nodes, IntV column, IntV node) {
  const Floats d;
  const IntV at = hn::Add(hn::Mul(column, hn::Set(Ints(), 2 * kLocalStride)), node);
  return {hn::GatherIndex(d, nodes, at), hn::GatherIndex(d, nodes + 1, at),
          hn::GatherIndex(d, nodes + kLocalStride, at), hn::GatherIndex(d, nodes + kLocalStride + 1, at)};
}

/// The nodes of one column of regions, for all lanes.
struct ColumnNodes {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  static_assert(kLocalStride == 3 * 16);
  __m512 weights[3], offsets[3];
  explicit HWY_INLINE ColumnNodes(const float* nodes) {
    for (size_t i = 0; i < 3; ++i) {
      weights[i] = _mm512_load_ps(nodes + 16 * i);
      offsets[i] = _mm512_load_ps(nodes + kLocalStride + 16 * i);
    }
  }

  /// `from_32`: lanes with an index of 32 or more.
  static HWY_INLINE FloatV lookup(const __m512 (&table)[3], __m512i index, __mmask16 from_32) {
    const __m512 lower = _mm512_permutex2var_ps(table[0], index, table[1]);
    if (HWY_LIKELY(from_32 == 0)) return FloatV{lower};
    return FloatV{_mm512_mask_permutexvar_ps(lower, from_32, index, table[2])};
  }
  HWY_INLINE NodePair at(IntV node) const {
    const __m512i low = node.raw;
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(1));
    const __mmask16 low_from_32 = _mm512_cmpgt_epi32_mask(low, _mm512_set1_epi32(31));
    const __mmask16 high_from_32 = _mm512_cmpgt_epi32_mask(high, _mm512_set1_epi32(31));
    return {lookup(weights, low, low_from_32), lookup(weights, high, high_from_32), lookup(offsets, low, low_from_32),
            lookup(offsets, high, high_from_32)};
  }
#else
  const float* nodes;
  explicit HWY_INLINE ColumnNodes(const float* from) : nodes(from) {}
  HWY_INLINE NodePair at(IntV node) const { return gather_nodes(nodes, hn::Zero(Ints()), node); }
#endif
};

/// Weight and offset, interpolated between two nodes of a column of the grid; the offset is relative to the lower node.
struct Between {
  FloatV weight, offset;
};
HWY_INLINE Between between_nodes(const NodePair& pair, FloatV above) {
  const FloatV below = hn::Sub(set(1.0F), above);
  return {hn::Add(hn::Mul(below, pair.low_weight), hn::Mul(above, pair.high_weight)),
          hn::Add(hn::Mul(below, pair.low_offset), hn::Mul(above, hn::Add(pair.high_offset, pair.high_weight)))};
}

// ---- Bases and stops

/// The position of a texel's column x between centres of regions.
struct Column {
  float last;  ///< The last column of regions.
  float inverse_side;

  explicit HWY_INLINE Column(const LocalParams& params)
      : last(static_cast<float>(params.columns - 1)), inverse_side(params.inverse_side) {}
  [[nodiscard]] float at(uint32_t x) const {
    return std::min(std::max((static_cast<float>(x) + 0.5F) * inverse_side - 0.5F, 0.0F), last);
  }
  [[nodiscard]] HWY_INLINE FloatV at(FloatV x) const {
    const FloatV place = hn::Sub(hn::Mul(hn::Add(x, set(0.5F)), set(inverse_side)), set(0.5F));
    return hn::Min(hn::Max(place, set(0.0F)), set(last));
  }
};

/// Finds the bases of `count` texels from column `x` on, whole vectors, in stops above their nodes.
inline HWY_NOINLINE void find_bases(const LocalScale& scale, uint32_t x, size_t count, const LocalPlanes& places,
                                    float* bases) {
  const Floats d;
  const Ints di;
  const size_t lanes = hn::Lanes(d);
  const Column column(scale.params);
  const auto last = static_cast<int32_t>(column.last);
  const auto store = [&](const Between& a, const Between& b, FloatV share, size_t i) HWY_ATTR {
    const FloatV weight = hn::Add(a.weight, hn::Mul(hn::Sub(b.weight, a.weight), share));
    const FloatV offset = hn::Add(a.offset, hn::Mul(hn::Sub(b.offset, a.offset), share));
    // The weight is never 0: it includes the texel's own.
    hn::Store(hn::Div(offset, hn::Max(weight, set(1e-30F))), d, bases + i);
  };
  const auto first_at = [&](size_t i) { return static_cast<int32_t>(column.at(x + static_cast<uint32_t>(i))); };
  const auto at = [&](size_t i)
                      HWY_ATTR { return column.at(hn::ConvertTo(d, hn::Iota(di, static_cast<int32_t>(x + i)))); };
  for (size_t i = 0; i < count;) {
    const int32_t first = first_at(i);
    if (first != first_at(i + lanes - 1)) {  // the vector's texels lie between different columns
      const IntV node = places.node(i);
      const FloatV above = hn::Load(d, places.above + i);
      const FloatV place = at(i);
      const IntV left = truncated(place);
      const IntV right = hn::Min(hn::Add(left, hn::Set(di, 1)), hn::Set(di, last));
      store(between_nodes(gather_nodes(scale.nodes, left, node), above),
            between_nodes(gather_nodes(scale.nodes, right, node), above), hn::Sub(place, hn::ConvertTo(d, left)), i);
      i += lanes;
      continue;
    }
    const ColumnNodes left(scale.nodes + size_t{2} * kLocalStride * static_cast<size_t>(first));
    const ColumnNodes right(scale.nodes + size_t{2} * kLocalStride * static_cast<size_t>(std::min(first + 1, last)));
    do {
      const IntV node = places.node(i);
      const FloatV above = hn::Load(d, places.above + i);
      store(between_nodes(left.at(node), above), between_nodes(right.at(node), above),
            hn::Sub(at(i), set(static_cast<float>(first))), i);
      i += lanes;
    } while (i < count && first_at(i + lanes - 1) == first);
  }
}

/// Replaces bases by log2 of the factors: CPU version of onepass_local_factor() of the shader. 0 for texels that are no
/// colour.
HWY_INLINE void find_stops(const LocalScale& scale, size_t count, const LocalPlanes& places, float* bases) {
  const Floats d;
  const Ints di;
  const LocalParams& params = scale.params;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const FloatV base = hn::Load(d, bases + i);
    const IntV whole = hn::Add(places.node(i), hn::Set(di, ONEPASS_LOCAL_LOW + scale.exposure_whole));
    const FloatV from_grey = hn::Add(hn::ConvertTo(d, whole), hn::Add(base, set(scale.exposure_part + 0.5F)));
    const FloatV most = set(static_cast<float>(ONEPASS_LOCAL_STOPS));
    const FloatV moved = hn::Min(hn::Max(from_grey, hn::Neg(most)), most);
    const FloatV contrast = hn::IfThenElse(hn::Gt(moved, set(0.0F)), set(params.highlights), set(params.shadows));
    const FloatV detail = hn::Sub(hn::Load(d, places.above + i), base);
    const FloatV stops = hn::Add(hn::Mul(contrast, moved), hn::Mul(set(params.detail), detail));
    hn::Store(hn::IfThenElseZero(places.colour(i), stops), d, bases + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::tone_map
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
