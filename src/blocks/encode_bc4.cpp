// encode_bc4.cpp: the encoder of one channel: BC4, each channel of BC5, the alpha of BC3.
//
// A block has two endpoints of 8 bits. Either six values lie between them, or four, and the lowest and the highest
// value of the format are there as well. Both are fitted: the ends of the range as endpoints, then indices and least
// squares in alternation. The second form suits blocks in which some texels are 0 or 1 and others in between.
#include <array>
#include <cstring>

#include "blocks/encode.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "blocks/encode_bc4.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "blocks/lanes-inl.hpp"
#include "cpu/simd_dispatch.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::blocks {
namespace HWY_NAMESPACE {
namespace {

struct Values {
  V value[16];
  V weight[16];  ///< 0 outside the image, else 1.
  float least;   ///< Of the format.
  float most;
};

struct ChannelChoice {
  V error;
  V ends[2];   ///< Whole numbers; the first is the larger one of the form with six values.
  I code[16];  ///< As stored.
};

HWY_INLINE V whole(V value, const Values& values) {
  // Truncation rounds values that are not negative: signed ones are moved up by 128.
  const V moved = hn::Add(clamped(value, values.least, values.most), constant(128.5F));
  return hn::Sub(to_float(to_int(moved)), constant(128));
}

/// Sums for the least squares of endpoints, over the texels that have an index.
struct Sums {
  V count, x, a, aa, ax;
};

/// The order of endpoints that states the form: with seven steps the larger one is the first.
template <int kSteps>
HWY_INLINE void put_in_order(V (&ends)[2]) {
  const V larger = hn::Max(ends[0], ends[1]);
  const V smaller = hn::Min(ends[0], ends[1]);
  ends[0] = kSteps == 7 ? larger : smaller;
  ends[1] = kSteps == 7 ? smaller : larger;
}

/// Chooses codes for the endpoints `ends`; kSteps is 7, or 5 where the ends of the format's range have codes.
template <int kSteps>
HWY_INLINE V choose(const Values& values, const V (&ends)[2], I (&code)[16], Sums& sums) {
  const V along = hn::Sub(ends[1], ends[0]);
  const M flat = hn::Eq(along, hn::Zero(Floats()));
  // Of equal endpoints every texel takes code 0: in either form it means the first of them.
  const V scale = select(flat, hn::Zero(Floats()), hn::Div(constant(kSteps), select(flat, constant(1), along)));
  V error = hn::Zero(Floats());
  sums.count = sums.x = sums.a = sums.aa = sums.ax = hn::Zero(Floats());
  for (int i = 0; i < 16; ++i) {
    const V x = values.value[i];
    const I step = rounded(clamped(hn::Mul(hn::Sub(x, ends[0]), scale), 0, kSteps));
    const V share = hn::Mul(to_float(step), constant(1.0F / kSteps));
    V best = squared(hn::Sub(x, hn::Add(ends[0], hn::Mul(share, along))));
    // Steps 0, 1 .. kSteps - 1, kSteps are the codes 0, 2 .. kSteps, 1.
    code[i] = select(hn::Eq(share, constant(1)), int_constant(1),
                     select(hn::Gt(share, hn::Zero(Floats())), hn::Add(step, int_constant(1)), step));
    V weight = values.weight[i];
    if constexpr (kSteps == 5) {
      const V low = squared(hn::Sub(x, constant(values.least)));
      const V high = squared(hn::Sub(x, constant(values.most)));
      const M is_low = hn::Lt(low, best);
      best = hn::Min(best, low);
      const M is_high = hn::Lt(high, best);
      best = hn::Min(best, high);
      code[i] = select(is_high, int_constant(7), select(is_low, int_constant(6), code[i]));
      weight = select(hn::Or(is_low, is_high), hn::Zero(Floats()), weight);
    }
    error = hn::Add(error, hn::Mul(best, values.weight[i]));
    const V weighted = hn::Mul(share, weight);
    sums.count = hn::Add(sums.count, weight);
    sums.x = hn::Add(sums.x, hn::Mul(weight, x));
    sums.a = hn::Add(sums.a, weighted);
    sums.aa = hn::Add(sums.aa, hn::Mul(weighted, share));
    sums.ax = hn::Add(sums.ax, hn::Mul(weighted, x));
  }
  return error;
}

template <int kSteps>
HWY_INLINE void consider(const Values& values, const V (&ends)[2], ChannelChoice& best, Sums& sums) {
  I code[16];
  V ordered[2] = {ends[0], ends[1]};
  put_in_order<kSteps>(ordered);
  const V error = choose<kSteps>(values, ordered, code, sums);
  const M better = hn::Lt(error, best.error);
  best.error = select(better, error, best.error);
  for (int e = 0; e < 2; ++e) best.ends[e] = select(better, ordered[e], best.ends[e]);
  for (int i = 0; i < 16; ++i) best.code[i] = select(better, code[i], best.code[i]);
}

/// Whole endpoints with the least squares for the indices that gave `sums`, in the order of `ends`.
HWY_INLINE void solve(const Values& values, const Sums& sums, V (&ends)[2]) {
  const V ab = hn::Sub(sums.a, sums.aa);
  const V bb = hn::Add(hn::Sub(sums.count, hn::Add(sums.a, sums.a)), sums.aa);
  const V bx = hn::Sub(sums.x, sums.ax);
  const V determinant = hn::Sub(hn::Mul(sums.aa, bb), hn::Mul(ab, ab));
  const M solvable = hn::Gt(determinant, constant(1e-3F));
  const V inverse = hn::Div(constant(1), select(solvable, determinant, constant(1)));
  const V e0 = hn::Mul(hn::Sub(hn::Mul(bx, sums.aa), hn::Mul(sums.ax, ab)), inverse);
  const V e1 = hn::Mul(hn::Sub(hn::Mul(sums.ax, bb), hn::Mul(bx, ab)), inverse);
  ends[0] = select(solvable, whole(e0, values), ends[0]);
  ends[1] = select(solvable, whole(e1, values), ends[1]);
}

/// Starts with the range of the values. Of the form with seven steps both ends move inwards by `margin` 128ths of it;
/// of the other one, values less than `margin` from the ends of the format's range are left to those.
template <int kSteps>
HWY_INLINE void fit(const Values& values, float margin, int refinements, ChannelChoice& best) {
  V least = constant(values.most);
  V most = constant(values.least);
  for (int i = 0; i < 16; ++i) {
    const V x = values.value[i];
    M counts = hn::Gt(values.weight[i], hn::Zero(Floats()));
    if constexpr (kSteps == 5) {
      const M inner = hn::And(hn::Gt(x, constant(values.least + margin)), hn::Lt(x, constant(values.most - margin)));
      counts = hn::And(counts, inner);
    }
    least = select(counts, hn::Min(least, x), least);
    most = select(counts, hn::Max(most, x), most);
  }
  const M none = hn::Gt(least, most);
  most = select(none, least, most);
  const V moved = kSteps == 7 ? hn::Mul(hn::Sub(most, least), constant(margin / 128)) : hn::Zero(Floats());
  V ends[2] = {whole(hn::Sub(most, moved), values), whole(hn::Add(least, moved), values)};
  put_in_order<kSteps>(ends);
  for (int round = 0;; ++round) {
    Sums sums;
    consider<kSteps>(values, ends, best, sums);
    if (round == refinements) return;
    put_in_order<kSteps>(ends);  // as consider() does, whose sums these are
    solve(values, sums, ends);
  }
}

/// Tries endpoints up to two steps away, three times from the best ones so far.
template <int kSteps>
HWY_INLINE void search_neighbours(const Values& values, ChannelChoice& best) {
  Sums unused;
  for (int round = 0; round < 3; ++round) {
    const V base[2] = {best.ends[0], best.ends[1]};
    for (const float first : {-2.0F, -1.0F, 0.0F, 1.0F, 2.0F}) {
      for (const float second : {-2.0F, -1.0F, 0.0F, 1.0F, 2.0F}) {
        const V ends[2] = {clamped(hn::Add(base[0], constant(first)), values.least, values.most),
                           clamped(hn::Add(base[1], constant(second)), values.least, values.most)};
        consider<kSteps>(values, ends, best, unused);
      }
    }
  }
}

void encode_lanes(const Values& values, BlockQuality quality, ChannelChoice& best) {
  best.error = constant(1e30F);
  best.ends[0] = best.ends[1] = hn::Zero(Floats());
  for (I& code : best.code) code = hn::Zero(Ints());
  const int refinements = quality == BlockQuality::kFast ? 0 : quality == BlockQuality::kNormal ? 2 : 3;
  fit<7>(values, 0, refinements, best);
  if (quality == BlockQuality::kFast) return;
  if (quality == BlockQuality::kBest) {
    for (const float margin : {6.0F, 12.0F}) fit<7>(values, margin, refinements, best);
    search_neighbours<7>(values, best);
  }
  fit<5>(values, 0.5F, refinements, best);
  if (quality == BlockQuality::kBest) {
    for (const float margin : {10.0F, 20.0F, 40.0F}) fit<5>(values, margin, refinements, best);
    search_neighbours<5>(values, best);
  }
}

HWY_INLINE void load_values(const ChannelBlocks& blocks, size_t first, Values& out) {
  const Lanes lanes(blocks, first);
  for (int i = 0; i < 16; ++i) {
    out.value[i] = hn::GatherIndex(Floats(), blocks.values + 16 * first + i, lanes.place());
    out.weight[i] = lanes.weight(i);
  }
}

}  // namespace

void bc4(const ChannelBlocks& blocks, BlockQuality quality, bool has_sign, std::byte* out, size_t stride) {
  const size_t lanes = hn::Lanes(Floats());
  Values values;
  values.least = has_sign ? -127.0F : 0.0F;
  values.most = has_sign ? 127.0F : 255.0F;
  for (size_t first = 0; first < blocks.count; first += lanes) {
    load_values(blocks, first, values);
    ChannelChoice best;
    encode_lanes(values, quality, best);
    HWY_ALIGN float ends[2][kMostLanes];
    HWY_ALIGN int32_t codes[2][kMostLanes];
    for (int e = 0; e < 2; ++e) {
      hn::Store(best.ends[e], Floats(), ends[e]);
      I packed = hn::Zero(Ints());
      for (int i = 7; i >= 0; --i) packed = hn::Or(hn::ShiftLeft<3>(packed), best.code[8 * e + i]);
      hn::Store(packed, Ints(), codes[e]);
    }
    for (size_t lane = 0; lane < lanes && first + lane < blocks.count; ++lane) {
      const auto end = [&](int e) { return static_cast<uint64_t>(static_cast<int32_t>(ends[e][lane]) & 255); };
      const auto code = [&](int e) { return static_cast<uint64_t>(codes[e][lane]); };
      const uint64_t block = end(0) | end(1) << 8 | code(0) << 16 | code(1) << 40;
      std::memcpy(out + (first + lane) * stride, &block, sizeof block);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::blocks
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::blocks {

ONEPASS_SIMD_EXPORT(bc4);

void encode_bc4(const ChannelBlocks& blocks, BlockQuality quality, bool has_sign, std::byte* out, size_t stride) {
  ONEPASS_SIMD_CALL(bc4)(blocks, quality, has_sign, out, stride);
}

}  // namespace onepass::blocks
#endif
