// row_tone.cpp: maps rows of texels in SIMD: loads RGBA floats or halves, exposes them, runs a program's stages,
// dithers and stores. Each vector holds one channel.
//
// A row is mapped in chunks, each step for the whole chunk before the next one. The steps of one texel depend on each
// other for hundreds of cycles; a step's vectors do not, so that many of them are computed at once:
//
//     load, expose, mix, matrix | curve of all channels | hue, matrix | curve | ... | dither, store
//
// Local exposure has its steps before: load | place | base | factor | expose, mix, matrix (row_local-inl.hpp).
//
// No multiplication and addition are fused, and divisions and square roots are correctly rounded: every target computes
// the same bits.
#include "tone_map/row_tone.hpp"

#include <algorithm>
#include <utility>

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tone_map/row_tone.cpp"
#include "hwy/foreach_target.h"  // includes this file once per target; must come first

#include "hwy/highway.h"

#include "cpu/simd_dispatch.hpp"
#include "image/div_up.hpp"
#include "onepass/tone_map_params.h"
#include "tone_map/row_local-inl.hpp"
#include "tone_map/row_texels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::tone_map {
namespace HWY_NAMESPACE {

HWY_INLINE FloatV largest(const Rgb& c) { return hn::Max(hn::Max(c.r, c.g), c.b); }
HWY_INLINE FloatV smallest(const Rgb& c) { return hn::Min(hn::Min(c.r, c.g), c.b); }

HWY_INLINE FloatV dot(const Rgb& c, FloatV r, FloatV g, FloatV b) {
  return hn::Add(hn::Add(hn::Mul(c.r, r), hn::Mul(c.g, g)), hn::Mul(c.b, b));
}

// ---- Curves

/// The coefficients of one power, for all pieces.
struct Table {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  __m512 lower, upper;
  explicit HWY_INLINE Table(const std::array<float, kPieces>& table)
      : lower(_mm512_load_ps(table.data())), upper(_mm512_load_ps(table.data() + kPieces / 2)) {}
  HWY_INLINE FloatV operator[](IntV piece) const { return FloatV{_mm512_permutex2var_ps(lower, piece.raw, upper)}; }
#else
  const float* values;
  explicit HWY_INLINE Table(const std::array<float, kPieces>& table) : values(table.data()) {}
  HWY_INLINE FloatV operator[](IntV piece) const {
    return hn::GatherIndex(Floats(), values, hn::And(piece, hn::Set(Ints(), kPieces - 1)));
  }
#endif
};

/// CurveShape in vectors.
struct Shape {
  bool root;
  FloatV bottom, top, scale, bias;
  IntV shift;

  explicit HWY_INLINE Shape(const Curve& curve)
      : root(curve.root),
        bottom(set(curve.bottom)),
        top(set(curve.top)),
        scale(set(curve.scale)),
        bias(set(curve.bias)),
        shift(hn::Set(Ints(), static_cast<int32_t>(23 - curve.split))) {}
};

/// An argument of a curve: the index of its piece and its position z there. begin(), then a step() for each lower
/// power, replace it by the curve's value.
struct Located {
  FloatV& value;
  IntV piece;  // the lowest five bits count
  FloatV z;

  /// Negative values count as 0.
  HWY_INLINE Located(const Shape& shape, FloatV& x) : value(x) {
    const Floats d;
    const Ints di;
    // As integers: the bits of floats from 0 on have their order, those of negative floats are below them, and more
    // execution ports compare integers than floats.
    const IntV least = hn::BitCast(di, shape.bottom);
    const IntV most = hn::BitCast(di, shape.top);
    FloatV s = hn::BitCast(d, hn::Min(hn::Max(hn::BitCast(di, x), least), most));
    if (shape.root) s = hn::Sqrt(s);
    const IntV bits = hn::BitCast(di, hn::Add(hn::Mul(s, shape.scale), shape.bias));
    const IntV one = hn::Set(di, 0x3F800000);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    piece = hn::Shr(bits, shape.shift);  // one instruction; a shift by one count for all lanes is two
#else
    piece = hn::ShiftRightSame(bits, hn::GetLane(shape.shift));
#endif
    z = hn::Sub(hn::BitCast(d, hn::OrAnd(one, bits, hn::Set(di, 0x7FFFFF))), set(1.5F));
  }

  HWY_INLINE void begin(const Table& table) { value = table[piece]; }
  HWY_INLINE void step(const Table& table) { value = hn::Add(hn::Mul(value, z), table[piece]); }
};

/// Adds the powers from kPower down to 0. Recursive, because compilers would not unroll a loop.
template <size_t kPower, class... Values>
HWY_INLINE void horner(const Curve& curve, Values&... values) {
  if (kPower < kLeastDegree || kPower < curve.degree) {
    const Table table(curve.coefficients[kPower]);
    (values.step(table), ...);
  }
  if constexpr (kPower > 0) horner<kPower - 1>(curve, values...);
}

/// Evaluates a curve for all values in step, so that the coefficients of a power are loaded once.
template <class... Values>
HWY_INLINE void evaluate_located(const Curve& curve, Values... values) {
  const Table first(curve.coefficients[curve.degree]);
  (values.begin(first), ...);
  horner<kMostDegree - 1>(curve, values...);
}

/// The same as evaluate() of curve.hpp, in place.
template <class... Values>
HWY_INLINE void apply_to_each(const Curve& curve, Values&... values) {
  const Shape shape(curve);
  evaluate_located(curve, Located(shape, values)...);
}

// ---- Operations that mix channels

HWY_INLINE Rgb transform(const Stage& stage, const Rgb& c) {
  const auto& m = stage.weights;
  return {dot(c, set(m[0][0]), set(m[0][1]), set(m[0][2])), dot(c, set(m[1][0]), set(m[1][1]), set(m[1][2])),
          dot(c, set(m[2][0]), set(m[2][1]), set(m[2][2]))};
}

HWY_INLINE Rgb scale_by(const Curve& factor, const std::array<float, 3>& weights, const Rgb& c) {
  FloatV scale = dot(c, set(weights[0]), set(weights[1]), set(weights[2]));
  apply_to_each(factor, scale);
  return each(c, [&](FloatV v) { return hn::Mul(v, scale); });
}

HWY_INLINE Rgb scale_by_luminance(const Curve& factor, const Rgb& c) {
  return scale_by(factor, {0.2126F, 0.7152F, 0.0722F}, c);
}

/// Khronos PBR Neutral. The peak is taken after the offset is subtracted.
HWY_INLINE Rgb neutral(const Rgb& c) {
  const FloatV start = set(0.76F);
  const FloatV room = set(0.24F);
  const FloatV one = set(1.0F);
  const FloatV least = smallest(c);
  const FloatV curved = hn::Sub(least, hn::Mul(set(6.25F), hn::Mul(least, least)));
  const FloatV offset = hn::IfThenElse(hn::Lt(least, set(0.08F)), curved, set(0.04F));
  const Rgb base = each(c, [&](FloatV v) { return hn::Sub(v, offset); });
  const FloatV peak = largest(base);
  const auto compresses = hn::Ge(peak, start);
  const FloatV safe = hn::Max(peak, start);
  const FloatV pressed = hn::Sub(one, hn::Div(set(0.24F * 0.24F), hn::Add(safe, hn::Sub(room, start))));
  const FloatV shrink = hn::Div(pressed, safe);
  // 1 - g, the share of colour that is left.
  const FloatV left = hn::Div(one, hn::Add(hn::Mul(set(0.15F), hn::Sub(safe, pressed)), one));
  return each(base, [&](FloatV v) {
    const FloatV pressed_v = hn::Mul(v, shrink);
    const FloatV mixed = hn::Add(pressed, hn::Mul(hn::Sub(pressed_v, pressed), left));
    return hn::IfThenElse(compresses, mixed, v);
  });
}

/// Moves the hue of `after` by a share of the way back to that of `before`. Curves keep the order of channels, so only
/// the middle channel changes.
HWY_INLINE Rgb keep_hue(const Rgb& before, const Rgb& after) {
  const FloatV from = smallest(before);
  const FloatV to = smallest(after);
  const FloatV back = set(static_cast<float>(ONEPASS_TONE_HUE_BEFORE));
  // Greys have the range 0: 0 / 1e-30.
  const FloatV range = hn::Max(hn::Sub(largest(before), from), set(1e-30F));
  const FloatV stretch = hn::Div(hn::Mul(back, hn::Sub(largest(after), to)), range);
  const FloatV shift = hn::Sub(hn::Mul(back, to), hn::Mul(from, stretch));
  const auto one = [&](FloatV b, FloatV a) {
    return hn::Add(hn::Mul(set(static_cast<float>(ONEPASS_TONE_HUE_AFTER)), a), hn::Add(hn::Mul(b, stretch), shift));
  };
  return {one(before.r, after.r), one(before.g, after.g), one(before.b, after.b)};
}

/// Moves colours with a negative channel into the gamut: adds white until none is negative, then scales so that the
/// luminance, compensated for the saturation of dark colours, does not increase.
HWY_INLINE Rgb guard(const Program& program, const Rgb& c) {
  const FloatV zero = hn::Zero(Floats());
  const auto& w = program.rail_weights;
  const FloatV sum = set(w[0] + w[1] + w[2]);
  const FloatV least = smallest(c);
  if (hn::AllTrue(Floats(), hn::Ge(least, zero))) return c;
  const FloatV most = largest(c);
  const FloatV y = dot(c, set(w[0]), set(w[1]), set(w[2]));
  const FloatV saturation = hn::Sub(hn::Sub(most, least), hn::Sub(hn::Mul(most, sum), y));
  const auto compensated = [&](FloatV luminance, FloatV share) {
    const FloatV with = hn::Add(saturation, luminance);
    return hn::Add(with, hn::Mul(share, hn::Sub(luminance, with)));
  };
  const FloatV offset = hn::Max(hn::Neg(least), zero);
  const FloatV raised = hn::Add(y, hn::Mul(offset, sum));
  FloatV share = y;
  FloatV raised_share = raised;
  apply_to_each(program.rail, share, raised_share);
  const FloatV wanted = compensated(y, share);
  const FloatV got = compensated(raised, raised_share);
  const FloatV ratio = hn::Div(wanted, hn::Max(got, set(1e-30F)));
  const FloatV scale = hn::IfThenElse(hn::Gt(got, wanted), ratio, set(1.0F));
  return each(c, [&](FloatV v) { return hn::Mul(hn::Add(v, offset), scale); });
}

HWY_INLINE Rgb clip(const Stage& stage, const Rgb& c) {
  return each(c, [&](FloatV v) { return hn::Min(hn::Max(v, hn::Zero(Floats())), set(stage.top)); });
}

// ---- Steps of a chunk

constexpr size_t kChunk = 256;  ///< Texels mapped together: all their floats stay in the L1 cache.

/// The channels of a chunk, one plane after the other, of whole vectors.
struct Planes {
  float* red;
  size_t size;  ///< Floats of a plane.

  [[nodiscard]] HWY_INLINE Rgb load(size_t i) const {
    const Floats d;
    return {hn::Load(d, red + i), hn::Load(d, red + size + i), hn::Load(d, red + 2 * size + i)};
  }
  HWY_INLINE void store(const Rgb& c, size_t i) const {
    const Floats d;
    hn::Store(c.r, d, red + i);
    hn::Store(c.g, d, red + size + i);
    hn::Store(c.b, d, red + 2 * size + i);
  }
};

/// The step in front of the stages.
HWY_INLINE Rgb mix(const Program& program, const Rgb& c) {
  if (program.mix == Mix::kLuminance) return scale_by_luminance(program.luminance, c);
  if (program.mix == Mix::kNeutral) return neutral(c);
  return c;
}

/// A stage up to its curve.
HWY_INLINE Rgb before_curve(const Program& program, size_t index, Rgb c) {
  const Stage& stage = program.stages[index];
  if (stage.matrix) {
    c = transform(stage, c);
    if (index == 1 && program.guard_rail) c = guard(program, c);
  }
  const bool ootf = index == program.ootf_stage;
  if (stage.matrix ? stage.clips : ootf) c = clip(stage, c);
  return ootf ? scale_by(program.ootf, program.ootf_weights, c) : c;
}

/// The same as evaluate() of curve.hpp for `count` values, a multiple of a vector's lanes. Four vectors in step are
/// faster than three or six.
HWY_NOINLINE void apply(const Curve& curve, const float* from, size_t count, float* to) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const Shape shape(curve);
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    FloatV x0 = hn::Load(d, from + i);
    FloatV x1 = hn::Load(d, from + i + lanes);
    FloatV x2 = hn::Load(d, from + i + 2 * lanes);
    FloatV x3 = hn::Load(d, from + i + 3 * lanes);
    evaluate_located(curve, Located(shape, x0), Located(shape, x1), Located(shape, x2), Located(shape, x3));
    hn::Store(x0, d, to + i);
    hn::Store(x1, d, to + i + lanes);
    hn::Store(x2, d, to + i + 2 * lanes);
    hn::Store(x3, d, to + i + 3 * lanes);
  }
  for (; i < count; i += lanes) {
    FloatV x = hn::Load(d, from + i);
    evaluate_located(curve, Located(shape, x));
    hn::Store(x, d, to + i);
  }
}

/// Runs the stages of exposed and mixed texels in `now`, the first from its curve on. Returns the planes of the result:
/// `now` or `other`.
HWY_NOINLINE Planes run_stages(const Program& program, Planes now, Planes other) {
  bool restores_hue = false;
  for (size_t s = 0; s < kStages; ++s) {
    const Stage& stage = program.stages[s];
    if (s > 0 && (restores_hue || stage.matrix || s == program.ootf_stage)) {
      for (size_t i = 0; i < now.size; i += hn::Lanes(Floats())) {
        const Rgb c = restores_hue ? keep_hue(other.load(i), now.load(i)) : now.load(i);
        now.store(before_curve(program, s, c), i);
      }
    }
    if (stage.curve) {
      apply(*stage.curve, now.red, 3 * now.size, other.red);
      std::swap(now, other);
    }
    restores_hue = s == 0 && stage.curve && program.keeps_hue;
  }
  return now;
}

// ---- Texels

constexpr uint32_t kColumn = 0xC13FA9A9U;  // 2^32 / p and 2^32 / p^2, p^3 = p + 1
constexpr uint32_t kRow = 0x91E10DA5U;

/// Noise of less than half a quantisation step, a function of the position: an additive recurrence in two dimensions
/// (Roberts 2018), folded to a triangle so that it has no jump.
HWY_INLINE FloatV noise_at(WordV phase) {
  const Floats d;
  const FloatV unit = hn::Mul(hn::ConvertTo(d, hn::BitCast(Ints(), hn::ShiftRight<8>(phase))), set(0x1p-23F));
  return hn::Mul(hn::Sub(set(0.5F), hn::Abs(hn::Sub(unit, set(1.0F)))), set(0x1.FFFCp-1F));
}

/// A row of texels: the steps before a program and after it.
template <RowStore kStore, class Source>
struct Row {
  using TexelSource = Source;
  const RowTone& tone;
  const uint16_t* halves;
  float* rgba;
  size_t texels;
  WordV phase;  // of the noise of the first vector
  WordStore to;

  [[nodiscard]] HWY_INLINE Texels load(size_t i) const { return Source::load(halves, rgba, i, texels - i); }

  /// Exposes the texels from i on of a chunk, and runs the program up to the first curve.
  HWY_INLINE void expose(const Rgb& c, const Planes& exposed, size_t i) const {
    const FloatV exposure = set(tone.exposure);
    const FloatV most = set(static_cast<float>(kMostLight));
    const Rgb light = each(c, [&](FloatV v) { return hn::Min(positive(hn::Mul(v, exposure)), most); });
    exposed.store(before_curve(*tone.program, 0, mix(*tone.program, light)), i);
  }

  [[nodiscard]] HWY_INLINE FloatV noise(size_t i) const {
    return noise_at(hn::Add(phase, hn::Set(Words(), static_cast<uint32_t>(i) * kColumn)));
  }

  HWY_INLINE void store(const Texels& mapped, size_t i) const {
    const Floats d;
    Rgb c = mapped.c;
    FloatV alpha = mapped.alpha;
    if (kStore != RowStore::kFloats || tone.unit.unorm) {
      const FloatV unit = set(tone.unit.color);
      c = each(c, [&](FloatV v) { return hn::Mul(v, unit); });
      if (tone.dithers) {
        // Noise is added to the difference from the nearest quantised value: beside a large value it would be rounded.
        const FloatV added = hn::Mul(noise(i), hn::Sub(set(1.0F), hn::Mul(unit, set(0x1p-21F))));
        c = each(c, [&](FloatV v) {
          const FloatV code = hn::Round(v);
          return hn::Add(code, hn::Round(hn::Add(hn::Sub(v, code), added)));
        });
      }
      if (kStore == RowStore::kFloats || tone.dithers || tone.clips) {
        c = each(c, [&](FloatV v) { return hn::Min(hn::Max(v, hn::Zero(d)), unit); });
      }
      alpha = alpha_codes(alpha, tone.unit.alpha);
    } else {
      alpha = clean_alpha(alpha);
    }
    if constexpr (kStore == RowStore::kFloats) {
      const FloatV most = set(tone.unit.most);
      c = each(c, [&](FloatV v) { return hn::Min(hn::Max(v, hn::Zero(d)), most); });
      hn::StoreInterleaved4(c.r, c.g, c.b, alpha, d, rgba + 4 * i);
    } else {
      constexpr int kBits = kStore == RowStore::kBytes ? 8 : 10;
      const WordV green = hn::ShiftLeft<kBits>(word_of(c.g));
      const WordV blue = hn::ShiftLeft<2 * kBits>(word_of(c.b));
      to.store(hn::Or(hn::Or3(word_of(c.r), green, blue), hn::ShiftLeft<3 * kBits>(word_of(alpha))), i);
    }
  }
};

/// Loads the texels of a chunk, from `begin` on, and exposes them, each with its factor of local exposure. `x`: the
/// column of the row's first texel.
template <class AnyRow>
HWY_INLINE void expose_locally(const AnyRow& row, uint32_t x, size_t begin, const Planes& exposed, float* alpha) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const size_t size = exposed.size;
  HWY_ALIGN float light[3 * kChunk];
  HWY_ALIGN int32_t nodes[kChunk];
  HWY_ALIGN float above[kChunk];
  HWY_ALIGN float factors[kChunk];
  const Planes colours{light, size};
  const LocalPlanes places{nodes, above};
  for (size_t i = 0; i < size; i += lanes) {
    const Texels t = row.load(begin + i);
    colours.store(t.c, i);
    hn::Store(t.alpha, d, alpha + i);
    hn::Store(light_of<typename AnyRow::TexelSource>(t.c), d, above + i);
  }
  const LocalScale& local = *row.tone.local;
  in_fours(size, FindPlaces{places});
  find_bases(local, x + static_cast<uint32_t>(begin), size, places, factors);
  find_stops(local, size, places, factors);
  in_fours(size, FindFactors{factors});
  for (size_t i = 0; i < size; i += lanes) {
    const FloatV factor = hn::Load(d, factors + i);
    row.expose(each(colours.load(i), [&](FloatV v) { return hn::Mul(v, factor); }), exposed, i);
  }
}

template <RowStore kStore, class Source, bool kLocal>
void map_row(const RowTone& tone, const uint16_t* halves, float* rgba, size_t texels, uint32_t x, uint32_t y,
             uint32_t* words) {
  const Floats d;
  const Words du;
  const WordV phase = hn::Add(hn::Mul(hn::Iota(du, x), hn::Set(du, kColumn)), hn::Set(du, y * kRow));
  const Row<kStore, Source> row{tone, halves, rgba, texels, phase, WordStore(tone, words, texels)};
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN float light[3 * kChunk];
  HWY_ALIGN float mapped[3 * kChunk];
  HWY_ALIGN float alpha[kChunk];
  for (size_t begin = 0; begin < texels; begin += kChunk) {
    const size_t size = round_up(std::min(kChunk, texels - begin), lanes);
    const Planes exposed{light, size};
    if constexpr (kLocal) {
      expose_locally(row, x, begin, exposed, alpha);
    } else {
      for (size_t i = 0; i < size; i += lanes) {
        const Texels t = row.load(begin + i);
        hn::Store(t.alpha, d, alpha + i);
        row.expose(t.c, exposed, i);
      }
    }
    const Planes result = run_stages(*tone.program, exposed, {mapped, size});
    for (size_t i = 0; i < size; i += lanes) row.store({result.load(i), hn::Load(d, alpha + i)}, begin + i);
  }
}

template <class Source, bool kLocal>
MapRow choose_store(RowStore store) {
  switch (store) {
    case RowStore::kBytes:
      return map_row<RowStore::kBytes, Source, kLocal>;
    case RowStore::k10Bits:
      return map_row<RowStore::k10Bits, Source, kLocal>;
    case RowStore::kFloats:
      break;
  }
  return map_row<RowStore::kFloats, Source, kLocal>;
}

MapRow choose_map_row(const RowTone& tone, bool halves, bool local) {
  if (local) return halves ? choose_store<HalfTexels, true>(tone.store) : choose_store<FloatTexels, true>(tone.store);
  return halves ? choose_store<HalfTexels, false>(tone.store) : choose_store<FloatTexels, false>(tone.store);
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::tone_map
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::tone_map {

ONEPASS_SIMD_EXPORT(choose_map_row);

MapRow find_map_row(const RowTone& tone, bool halves, bool local) {
  return ONEPASS_SIMD_CALL(choose_map_row)(tone, halves, local);
}

}  // namespace onepass::tone_map
#endif
