// bc7_fit-inl.hpp: endpoints and indices of one mode of BC7, for blocks in lanes. Included once per SIMD target.
//
// A fit alternates: endpoints are quantised, every texel takes the nearest palette colour by its projection on the line
// between them, then least squares give better endpoints for these indices. Errors are those of the decoded texels.
#if defined(ONEPASS_BLOCKS_BC7_FIT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_BLOCKS_BC7_FIT_INL
#undef ONEPASS_BLOCKS_BC7_FIT_INL
#else
#define ONEPASS_BLOCKS_BC7_FIT_INL
#endif

#include <cmath>

#include "blocks/lanes-inl.hpp"
#include "blocks/tables.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::blocks {
namespace HWY_NAMESPACE {

/// What the fits of a batch of blocks share.
struct Bc7Problem {
  Texels texels;
  float weights[4];  ///< Of the channels' squared differences.
  float roots[4];
  M opaque;       ///< Alpha is 255 in every texel of the image.
  bool weighted;  ///< Weights of colours and of alpha can differ.
};

/// The shape of a mode, or of one of its two parts.
struct Shape {
  int subsets;
  int channels;
  int index_bits;
  int bits;  ///< Of a stored channel, without the P-bit.
  PBit p_bit;
};

/// The channels of a fit: places in Texels::channel.
template <int kC>
struct Channels {
  int at[kC];
};

template <Shape kShape>
struct Fit {
  V error;
  I ends[kShape.subsets][2][kShape.channels];  ///< As stored; a P-bit is the lowest bit.
  I index[16];
};

/// Masks of texel i that is in a subset other than the first.
template <int kSubsets>
struct Partition {
  I bits;  ///< Of kTwoSubsets or kThreeSubsets.
  HWY_INLINE M in(int subset, int texel) const {
    if constexpr (kSubsets == 2) {
      const I bit = hn::And(bits, int_constant(1 << texel));
      return hn::RebindMask(Floats(), hn::Eq(bit, int_constant(subset << texel)));
    } else {
      // The two bits of a texel in the highest places would be a sign: compare a shifted copy.
      const I low = hn::And(texel < 8 ? bits : hn::ShiftRight<16>(bits), int_constant(0xFFFF));
      const I pair = hn::And(low, int_constant(3 << (2 * (texel % 8))));
      return hn::RebindMask(Floats(), hn::Eq(pair, int_constant(subset << (2 * (texel % 8)))));
    }
  }
};
template <>
struct Partition<1> {
  HWY_INLINE M in(int /*subset*/, int /*texel*/) const { return hn::Eq(constant(0), constant(0)); }
};

/// Real endpoints of each subset.
template <Shape kShape>
struct Ends {
  V value[kShape.subsets][2][kShape.channels];
};

/// A stored value, and the 8-bit value that it means.
struct Quantised {
  I stored;
  V value;
};

/// Quantises one channel of an endpoint whose P-bit is `p`.
template <Shape kShape>
HWY_INLINE Quantised quantise(V real, I p) {
  constexpr int kBits = kShape.bits + (kShape.p_bit == PBit::kNone ? 0 : 1);
  constexpr float kMost = (1 << kBits) - 1;
  Quantised out;
  const V scaled = hn::Mul(real, constant(kMost / 255));
  if constexpr (kShape.p_bit == PBit::kNone) {
    out.stored = rounded(scaled);
  } else {
    const V half = hn::Mul(hn::Max(hn::Sub(scaled, to_float(p)), hn::Zero(Floats())), constant(0.5F));
    const I high = hn::Min(rounded(half), int_constant((1 << kShape.bits) - 1));
    out.stored = hn::Or(hn::Add(high, high), p);
  }
  if constexpr (kBits == 8) {
    out.value = to_float(out.stored);
  } else {
    const I shifted = hn::ShiftLeft<8 - kBits>(out.stored);
    out.value = to_float(hn::Or(shifted, hn::ShiftRight<kBits>(shifted)));
  }
  return out;
}

template <Shape kShape>
HWY_INLINE V quantisation_error(const Bc7Problem& problem, const Channels<kShape.channels>& channels,
                                const V (&real)[kShape.channels], I p) {
  V error = hn::Zero(Floats());
  for (int c = 0; c < kShape.channels; ++c) {
    const V difference = hn::Sub(quantise<kShape>(real[c], p).value, real[c]);
    error = hn::Add(error, hn::Mul(squared(difference), constant(problem.weights[channels.at[c]])));
  }
  return error;
}

/// Chooses P-bits and quantises. `value`: what the stored endpoints mean.
template <Shape kShape>
HWY_INLINE void quantise_ends(const Bc7Problem& problem, const Channels<kShape.channels>& channels,
                              const Ends<kShape>& real, I (&stored)[kShape.subsets][2][kShape.channels],
                              Ends<kShape>& value) {
  const I one = int_constant(1);
  for (int s = 0; s < kShape.subsets; ++s) {
    I p[2] = {hn::Zero(Ints()), hn::Zero(Ints())};
    if constexpr (kShape.p_bit != PBit::kNone) {
      V gain[2];  // of P-bit 1
      for (int e = 0; e < 2; ++e) {
        gain[e] = hn::Sub(quantisation_error<kShape>(problem, channels, real.value[s][e], hn::Zero(Ints())),
                          quantisation_error<kShape>(problem, channels, real.value[s][e], one));
      }
      if constexpr (kShape.p_bit == PBit::kShared) gain[0] = gain[1] = hn::Add(gain[0], gain[1]);
      for (int e = 0; e < 2; ++e) {
        M set = hn::Gt(gain[e], hn::Zero(Floats()));
        // An alpha of exactly 255 needs it.
        if constexpr (kShape.channels == 4) set = hn::Or(set, problem.opaque);
        p[e] = select(set, one, hn::Zero(Ints()));
      }
    }
    for (int e = 0; e < 2; ++e) {
      for (int c = 0; c < kShape.channels; ++c) {
        const Quantised q = quantise<kShape>(real.value[s][e][c], p[e]);
        stored[s][e][c] = q.stored;
        value.value[s][e][c] = q.value;
      }
    }
  }
}

/// The weight of the second endpoint in 64ths.
template <int kIndexBits>
HWY_INLINE V weight_of(I index) {
  if constexpr (kIndexBits == 2) {
    return to_float(
        hn::Add(hn::Add(hn::ShiftLeft<4>(index), hn::ShiftLeft<2>(index)), hn::Add(index, hn::ShiftRight<1>(index))));
  } else if constexpr (kIndexBits == 3) {
    return to_float(hn::Add(hn::Add(hn::ShiftLeft<3>(index), index), hn::ShiftRight<2>(index)));
  } else {
    const I odd = hn::And(hn::ShiftRight<1>(index), int_constant(1));
    return to_float(hn::Add(hn::Add(hn::ShiftLeft<2>(index), hn::ShiftRight<2>(index)), odd));
  }
}

/// Sums for the least squares of the endpoints of a subset, over one kind of weight.
struct WeightSums {
  V count, a, aa;
};
template <int kC>
struct LeastSquares {
  WeightSums color, alpha;
  V x[kC], ax[kC];
};

/// The place of alpha among the channels of a fit; -1: none.
template <int kC>
HWY_INLINE int place_of_alpha(const Channels<kC>& channels) {
  for (int c = 0; c < kC; ++c) {
    if (channels.at[c] == 3) return c;
  }
  return -1;
}

template <int kC>
HWY_INLINE void clear(LeastSquares<kC>& sums) {
  const V zero = hn::Zero(Floats());
  sums.color = sums.alpha = {zero, zero, zero};
  for (int c = 0; c < kC; ++c) sums.x[c] = sums.ax[c] = zero;
}

HWY_INLINE void add(WeightSums& sums, V weight, V share) {
  const V weighted = hn::Mul(weight, share);
  sums.count = hn::Add(sums.count, weight);
  sums.a = hn::Add(sums.a, weighted);
  sums.aa = hn::Add(sums.aa, hn::Mul(weighted, share));
}

/// Endpoints of a subset in the form in which texels are projected.
template <int kC>
struct Palette {
  V first[kC];
  V along[kC];
  V project[kC];  ///< Scaled so that the sum is the index, where all weights are 1.
  V color_length, alpha_length;
};

template <Shape kShape>
HWY_INLINE Palette<kShape.channels> palette_of(const Bc7Problem& problem, const Channels<kShape.channels>& channels,
                                               const V (&ends)[2][kShape.channels]) {
  constexpr int kC = kShape.channels;
  Palette<kC> out;
  out.color_length = out.alpha_length = hn::Zero(Floats());
  for (int c = 0; c < kC; ++c) {
    out.first[c] = ends[0][c];
    out.along[c] = hn::Sub(ends[1][c], ends[0][c]);
    out.project[c] = hn::Mul(out.along[c], constant(problem.weights[channels.at[c]]));
    V& length = channels.at[c] == 3 ? out.alpha_length : out.color_length;
    length = hn::Add(length, hn::Mul(out.along[c], out.project[c]));
  }
  constexpr float kSteps = (1 << kShape.index_bits) - 1;
  const V scale = hn::Div(constant(kSteps), hn::Max(hn::Add(out.color_length, out.alpha_length), constant(1e-6F)));
  for (int c = 0; c < kC; ++c) out.project[c] = hn::Mul(out.project[c], scale);
  return out;
}

/// The palette of the subset that texel i is in.
template <Shape kShape>
HWY_INLINE Palette<kShape.channels> palette_at(const Palette<kShape.channels> (&palettes)[kShape.subsets],
                                               const Partition<kShape.subsets>& partition, int texel) {
  Palette<kShape.channels> out = palettes[0];
  for (int s = 1; s < kShape.subsets; ++s) {
    const M here = partition.in(s, texel);
    for (int c = 0; c < kShape.channels; ++c) {
      out.first[c] = select(here, palettes[s].first[c], out.first[c]);
      out.along[c] = select(here, palettes[s].along[c], out.along[c]);
      out.project[c] = select(here, palettes[s].project[c], out.project[c]);
    }
    out.color_length = select(here, palettes[s].color_length, out.color_length);
    out.alpha_length = select(here, palettes[s].alpha_length, out.alpha_length);
  }
  return out;
}

/// The index of a texel, not rounded. `from`: its difference to the first endpoint.
template <int kC>
HWY_INLINE V position(const Bc7Problem& problem, const Palette<kC>& palette, const V (&from)[kC], int alpha, int texel,
                      float steps) {
  V t = hn::Zero(Floats());
  for (int c = 0; c < kC; ++c) {
    if (c != alpha) t = hn::Add(t, hn::Mul(from[c], palette.project[c]));
  }
  if (alpha < 0) return t;
  const V alpha_t = hn::Mul(from[alpha], palette.project[alpha]);
  if (!problem.weighted || kC == 1) return hn::Add(t, alpha_t);
  const V color_weight = problem.texels.color_weight[texel];
  const V alpha_weight = problem.texels.alpha_weight[texel];
  const V length = hn::Add(palette.color_length, palette.alpha_length);
  const V weighted = hn::Add(hn::Mul(color_weight, palette.color_length), hn::Mul(alpha_weight, palette.alpha_length));
  const V sum = hn::Add(hn::Mul(color_weight, t), hn::Mul(alpha_weight, alpha_t));
  // Both weights are 1 in most texels: then this is the sum above, bit for bit.
  const M equal = hn::Eq(weighted, length);
  const V scaled = hn::Mul(sum, hn::Div(hn::Max(length, constant(1e-6F)), hn::Max(weighted, constant(1e-6F))));
  return clamped(select(equal, hn::Add(t, alpha_t), scaled), 0, steps);
}

/// Chooses the index of every texel for quantised endpoints. Returns the error of the decoded texels.
template <Shape kShape>
HWY_INLINE V choose_indices(const Bc7Problem& problem, const Channels<kShape.channels>& channels,
                            const Partition<kShape.subsets>& partition, const Ends<kShape>& ends, I (&index)[16],
                            LeastSquares<kShape.channels> (&sums)[kShape.subsets]) {
  constexpr int kC = kShape.channels;
  constexpr float kSteps = (1 << kShape.index_bits) - 1;
  const int alpha = place_of_alpha(channels);
  Palette<kC> palettes[kShape.subsets];
  for (int s = 0; s < kShape.subsets; ++s) {
    palettes[s] = palette_of<kShape>(problem, channels, ends.value[s]);
    clear(sums[s]);
  }
  V error = hn::Zero(Floats());
  for (int i = 0; i < 16; ++i) {
    const Palette<kC> palette = palette_at<kShape>(palettes, partition, i);
    V from[kC];
    for (int c = 0; c < kC; ++c) from[c] = hn::Sub(problem.texels.channel[channels.at[c]][i], palette.first[c]);
    index[i] = rounded(clamped(position(problem, palette, from, alpha, i, kSteps), 0, kSteps));
    const V weight = weight_of<kShape.index_bits>(index[i]);
    const V share = hn::Mul(weight, constant(1 / 64.0F));
    V color_error = hn::Zero(Floats());
    for (int c = 0; c < kC; ++c) {
      // The decoder's integer arithmetic, exact in floats: (64 first + weight (second - first) + 32) >> 6.
      const V sum =
          hn::Add(hn::Mul(palette.first[c], constant(64)), hn::Add(hn::Mul(weight, palette.along[c]), constant(32)));
      const V decoded = to_float(to_int(hn::Mul(sum, constant(1 / 64.0F))));
      const V difference = hn::Sub(problem.texels.channel[channels.at[c]][i], decoded);
      const V channel_error = hn::Mul(squared(difference), constant(problem.weights[channels.at[c]]));
      if (c == alpha) {
        error = hn::Add(error, hn::Mul(channel_error, problem.texels.alpha_weight[i]));
      } else {
        color_error = hn::Add(color_error, channel_error);
      }
    }
    error = hn::Add(error, hn::Mul(color_error, problem.texels.color_weight[i]));
    for (int s = 0; s < kShape.subsets; ++s) {
      const M here = partition.in(s, i);
      const V color_weight = hn::IfThenElseZero(here, problem.texels.color_weight[i]);
      const V alpha_weight = hn::IfThenElseZero(here, problem.texels.alpha_weight[i]);
      if (kC > 1) add(sums[s].color, color_weight, share);
      if (alpha >= 0) add(sums[s].alpha, alpha_weight, share);
      for (int c = 0; c < kC; ++c) {
        const V x = hn::Mul(c == alpha ? alpha_weight : color_weight, problem.texels.channel[channels.at[c]][i]);
        sums[s].x[c] = hn::Add(sums[s].x[c], x);
        sums[s].ax[c] = hn::Add(sums[s].ax[c], hn::Mul(x, share));
      }
    }
  }
  return error;
}

/// The endpoints of a subset with the least squares; unchanged where all its texels have the same index.
template <int kC>
HWY_INLINE void solve(const LeastSquares<kC>& sums, int alpha, V (&ends)[2][kC]) {
  for (int c = 0; c < kC; ++c) {
    const WeightSums& w = c == alpha ? sums.alpha : sums.color;
    const V ab = hn::Sub(w.a, w.aa);
    const V bb = hn::Add(hn::Sub(w.count, hn::Add(w.a, w.a)), w.aa);
    const V determinant = hn::Sub(hn::Mul(w.aa, bb), hn::Mul(ab, ab));
    const M solvable = hn::Gt(determinant, constant(1e-3F));
    const V inverse = hn::Div(constant(1), select(solvable, determinant, constant(1)));
    const V bx = hn::Sub(sums.x[c], sums.ax[c]);
    const V e0 = hn::Mul(hn::Sub(hn::Mul(bx, w.aa), hn::Mul(sums.ax[c], ab)), inverse);
    const V e1 = hn::Mul(hn::Sub(hn::Mul(sums.ax[c], bb), hn::Mul(bx, ab)), inverse);
    ends[0][c] = select(solvable, clamped(e0, 0, 255), ends[0][c]);
    ends[1][c] = select(solvable, clamped(e1, 0, 255), ends[1][c]);
  }
}

/// Moments of the texels of a subset, weighted as colours are.
template <Shape kShape>
HWY_INLINE Moments<kShape.channels> moments_of(const Bc7Problem& problem, const Channels<kShape.channels>& channels,
                                               const Partition<kShape.subsets>& partition, int subset) {
  constexpr int kC = kShape.channels;
  Moments<kC> out;
  out.count = hn::Zero(Floats());
  for (int c = 0; c < kC; ++c) {
    out.sum[c] = hn::Zero(Floats());
    for (int e = 0; e <= c; ++e) out.product[c][e] = hn::Zero(Floats());
  }
  for (int i = 0; i < 16; ++i) {
    const V* const weights = kC == 1 && channels.at[0] == 3 ? problem.texels.alpha_weight : problem.texels.color_weight;
    const V weight = hn::IfThenElseZero(partition.in(subset, i), weights[i]);
    out.count = hn::Add(out.count, weight);
    for (int c = 0; c < kC; ++c) {
      const V x = hn::Mul(problem.texels.channel[channels.at[c]][i], weight);
      out.sum[c] = hn::Add(out.sum[c], x);
      for (int e = 0; e <= c; ++e) {
        out.product[c][e] = hn::Add(out.product[c][e], hn::Mul(x, problem.texels.channel[channels.at[e]][i]));
      }
    }
  }
  return out;
}

/// The ends of the projections of a subset's texels on its line.
template <Shape kShape>
HWY_INLINE void first_ends(const Bc7Problem& problem, const Channels<kShape.channels>& channels,
                           const Partition<kShape.subsets>& partition, Ends<kShape>& ends) {
  constexpr int kC = kShape.channels;
  float roots[kC];
  for (int c = 0; c < kC; ++c) roots[c] = problem.roots[channels.at[c]];
  for (int s = 0; s < kShape.subsets; ++s) {
    const Line<kC> line = fit_line(moments_of<kShape>(problem, channels, partition, s), roots);
    V least = constant(1e9F);
    V most = constant(-1e9F);
    for (int i = 0; i < 16; ++i) {
      V t = hn::Zero(Floats());
      for (int c = 0; c < kC; ++c) {
        const V from = hn::Sub(problem.texels.channel[channels.at[c]][i], line.mean[c]);
        t = hn::Add(t, hn::Mul(from, line.project[c]));
      }
      const V* const weights =
          kC == 1 && channels.at[0] == 3 ? problem.texels.alpha_weight : problem.texels.color_weight;
      const M counts = hn::And(partition.in(s, i), hn::Gt(weights[i], hn::Zero(Floats())));
      least = select(counts, hn::Min(least, t), least);
      most = select(counts, hn::Max(most, t), most);
    }
    const M none = hn::Gt(least, most);
    least = select(none, hn::Zero(Floats()), least);
    most = select(none, hn::Zero(Floats()), most);
    for (int c = 0; c < kC; ++c) {
      ends.value[s][0][c] = clamped(hn::Add(line.mean[c], hn::Mul(line.along[c], least)), 0, 255);
      ends.value[s][1][c] = clamped(hn::Add(line.mean[c], hn::Mul(line.along[c], most)), 0, 255);
    }
  }
}

/// The best of 1 + `refinements` rounds.
template <Shape kShape>
void fit(const Bc7Problem& problem, const Channels<kShape.channels>& channels,
         const Partition<kShape.subsets>& partition, int refinements, Fit<kShape>& best) {
  Ends<kShape> real;
  first_ends<kShape>(problem, channels, partition, real);
  const int alpha = place_of_alpha(channels);
  best.error = constant(1e30F);
  for (auto& subset : best.ends) {
    for (auto& end : subset) {
      for (I& channel : end) channel = hn::Zero(Ints());
    }
  }
  for (I& index : best.index) index = hn::Zero(Ints());
  for (int round = 0;; ++round) {
    I stored[kShape.subsets][2][kShape.channels];
    I index[16];
    Ends<kShape> value;
    LeastSquares<kShape.channels> sums[kShape.subsets];
    quantise_ends<kShape>(problem, channels, real, stored, value);
    const V error = choose_indices<kShape>(problem, channels, partition, value, index, sums);
    const M better = hn::Lt(error, best.error);
    best.error = select(better, error, best.error);
    for (int s = 0; s < kShape.subsets; ++s) {
      for (int e = 0; e < 2; ++e) {
        for (int c = 0; c < kShape.channels; ++c) {
          best.ends[s][e][c] = select(better, stored[s][e][c], best.ends[s][e][c]);
        }
      }
    }
    for (int i = 0; i < 16; ++i) best.index[i] = select(better, index[i], best.index[i]);
    if (round == refinements) return;
    for (int s = 0; s < kShape.subsets; ++s) solve(sums[s], alpha, real.value[s]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::blocks
HWY_AFTER_NAMESPACE();
#endif
