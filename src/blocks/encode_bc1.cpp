// encode_bc1.cpp: the encoder of BC1 and of the colours of BC3.
//
// A block has two endpoints of 5, 6 and 5 bits, and two colours between them (or one, and black). The encoder fits a
// line through the colours, takes the ends of their projections as endpoints, and alternates: each texel takes the
// nearest palette colour, then least squares give the endpoints that suit these choices best. Blocks of almost one
// colour get the endpoints whose mix at 1/3 is nearest to it, and kBest tries neighbours of each endpoint.
#include <array>
#include <cmath>
#include <cstring>

#include "blocks/encode.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "blocks/encode_bc1.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "blocks/lanes-inl.hpp"
#include "cpu/simd_dispatch.hpp"

// Of each 8-bit value, the stored endpoints of 5 and of 6 bits whose mix 2/3 + 1/3 is nearest: e0 + 64 * e1.
#ifndef ONEPASS_BLOCKS_BC1_TABLES
#define ONEPASS_BLOCKS_BC1_TABLES
namespace onepass::blocks {
namespace {

constexpr std::array<int32_t, 256> nearest_mixes(int32_t most) {
  std::array<int32_t, 256> table{};
  for (int32_t value = 0; value < 256; ++value) {
    int32_t best = INT32_MAX;
    for (int32_t e0 = 0; e0 <= most; ++e0) {
      for (int32_t e1 = std::max(0, e0 - 4); e1 <= std::min(most, e0 + 4); ++e1) {
        const int32_t mix = 255 * (2 * e0 + e1) - value * 3 * most;  // in units of 1 / (3 * most)
        const int32_t error = 16 * (mix < 0 ? -mix : mix) + (e0 < e1 ? e1 - e0 : e0 - e1);
        if (error >= best) continue;
        best = error;
        table[static_cast<size_t>(value)] = e0 + 64 * e1;
      }
    }
  }
  return table;
}

constexpr auto kMixesOf5 = nearest_mixes(31);
constexpr auto kMixesOf6 = nearest_mixes(63);

}  // namespace
}  // namespace onepass::blocks
#endif

HWY_BEFORE_NAMESPACE();
namespace onepass::blocks {
namespace HWY_NAMESPACE {
namespace {

constexpr float kMost[3] = {31, 63, 31};  // stored values

/// Endpoints as stored integers.
struct Stored {
  I value[2][3];
};

/// The best choice so far.
struct Choice {
  V error;
  Stored ends;
  I index[16];  ///< Steps from endpoint 0.
  M three;      ///< Of one colour between the endpoints, not two.
};

struct Problem {
  const Texels& texels;
  float weights[3];  ///< Of the channels' squared differences.
  V weight[16];      ///< Of texels: 0 if transparent.
};

HWY_INLINE void real_ends(const Stored& ends, V (&real)[2][3]) {
  for (int e = 0; e < 2; ++e) {
    for (int c = 0; c < 3; ++c) real[e][c] = hn::Mul(to_float(ends.value[e][c]), constant(255 / kMost[c]));
  }
}

HWY_INLINE Stored quantised(const V (&real)[2][3]) {
  Stored ends;
  for (int e = 0; e < 2; ++e) {
    for (int c = 0; c < 3; ++c) {
      ends.value[e][c] = rounded(clamped(hn::Mul(real[e][c], constant(kMost[c] / 255)), 0, kMost[c]));
    }
  }
  return ends;
}

/// Sums for the least squares of endpoints.
struct Squares {
  V a, aa;  ///< Weighted sums of the share of endpoint 1 and of its square.
  V ax[3];  ///< Of share times texel.
};

/// Chooses the nearest of kSteps + 1 palette colours for every texel. Returns the error, and fills indices and sums.
template <int kSteps>
HWY_INLINE V choose(const Problem& problem, const Stored& ends, I (&index)[16], Squares& squares) {
  V real[2][3];
  real_ends(ends, real);
  V along[3];
  V project[3];
  V length = hn::Zero(Floats());
  for (int c = 0; c < 3; ++c) {
    along[c] = hn::Sub(real[1][c], real[0][c]);
    project[c] = hn::Mul(along[c], constant(problem.weights[c]));
    length = hn::Add(length, hn::Mul(along[c], project[c]));
  }
  const V scale = hn::Div(constant(kSteps), hn::Max(length, constant(1e-6F)));
  for (V& p : project) p = hn::Mul(p, scale);
  V error = hn::Zero(Floats());
  squares.a = squares.aa = squares.ax[0] = squares.ax[1] = squares.ax[2] = hn::Zero(Floats());
  for (int i = 0; i < 16; ++i) {
    V from[3];
    for (int c = 0; c < 3; ++c) from[c] = hn::Sub(problem.texels.channel[c][i], real[0][c]);
    const V t =
        hn::Add(hn::Add(hn::Mul(from[0], project[0]), hn::Mul(from[1], project[1])), hn::Mul(from[2], project[2]));
    index[i] = rounded(clamped(t, 0, kSteps));
    const V share = hn::Mul(to_float(index[i]), constant(1.0F / kSteps));
    V texel_error = hn::Zero(Floats());
    for (int c = 0; c < 3; ++c) {
      const V difference = hn::Sub(from[c], hn::Mul(share, along[c]));
      texel_error = hn::Add(texel_error, hn::Mul(squared(difference), constant(problem.weights[c])));
    }
    error = hn::Add(error, hn::Mul(texel_error, problem.weight[i]));
    const V weighted = hn::Mul(share, problem.weight[i]);
    squares.a = hn::Add(squares.a, weighted);
    squares.aa = hn::Add(squares.aa, hn::Mul(weighted, share));
    for (int c = 0; c < 3; ++c) {
      squares.ax[c] = hn::Add(squares.ax[c], hn::Mul(weighted, problem.texels.channel[c][i]));
    }
  }
  return error;
}

/// The endpoints with the least squares for the indices that gave `squares`; `real` keeps its value where all texels
/// have the same index.
HWY_INLINE void solve(const Moments<3>& moments, const Squares& squares, V (&real)[2][3]) {
  const V ab = hn::Sub(squares.a, squares.aa);
  const V bb = hn::Add(hn::Sub(moments.count, hn::Add(squares.a, squares.a)), squares.aa);
  const V determinant = hn::Sub(hn::Mul(squares.aa, bb), hn::Mul(ab, ab));
  const M solvable = hn::Gt(determinant, constant(1e-3F));
  const V inverse = hn::Div(constant(1), select(solvable, determinant, constant(1)));
  for (int c = 0; c < 3; ++c) {
    const V ax = squares.ax[c];
    const V bx = hn::Sub(moments.sum[c], ax);
    const V e0 = hn::Mul(hn::Sub(hn::Mul(bx, squares.aa), hn::Mul(ax, ab)), inverse);
    const V e1 = hn::Mul(hn::Sub(hn::Mul(ax, bb), hn::Mul(bx, ab)), inverse);
    real[0][c] = select(solvable, clamped(e0, 0, 255), real[0][c]);
    real[1][c] = select(solvable, clamped(e1, 0, 255), real[1][c]);
  }
}

template <int kSteps>
HWY_INLINE void consider(const Problem& problem, const Stored& ends, M allowed, Choice& best, Squares& squares) {
  I index[16];
  const V error = choose<kSteps>(problem, ends, index, squares);
  const M better = hn::And(allowed, hn::Lt(error, best.error));
  best.error = select(better, error, best.error);
  for (int e = 0; e < 2; ++e) {
    for (int c = 0; c < 3; ++c) best.ends.value[e][c] = select(better, ends.value[e][c], best.ends.value[e][c]);
  }
  for (int i = 0; i < 16; ++i) best.index[i] = select(better, index[i], best.index[i]);
  best.three = kSteps == 2 ? hn::Or(best.three, better) : hn::AndNot(better, best.three);
}

/// Tries each stored value of each endpoint one lower and one higher.
template <int kSteps>
HWY_INLINE void search_neighbours(const Problem& problem, M allowed, Choice& best) {
  Squares unused;
  for (int round = 0; round < 2; ++round) {
    for (int e = 0; e < 2; ++e) {
      for (int c = 0; c < 3; ++c) {
        for (const int step : {-1, 1}) {
          Stored ends = best.ends;
          const I moved = hn::Add(ends.value[e][c], int_constant(step));
          ends.value[e][c] = hn::Min(hn::Max(moved, hn::Zero(Ints())), int_constant(static_cast<int32_t>(kMost[c])));
          consider<kSteps>(problem, ends, allowed, best, unused);
        }
      }
    }
  }
}

template <int kSteps>
HWY_INLINE void fit(const Problem& problem, const Moments<3>& moments, const Line<3>& line, int refinements, M allowed,
                    Choice& best) {
  V least = constant(1e9F);
  V most = constant(-1e9F);
  for (int i = 0; i < 16; ++i) {
    V t = hn::Zero(Floats());
    for (int c = 0; c < 3; ++c) {
      t = hn::Add(t, hn::Mul(hn::Sub(problem.texels.channel[c][i], line.mean[c]), line.project[c]));
    }
    const M counts = hn::Gt(problem.weight[i], hn::Zero(Floats()));
    least = select(counts, hn::Min(least, t), least);
    most = select(counts, hn::Max(most, t), most);
  }
  const M none = hn::Gt(least, most);
  least = select(none, hn::Zero(Floats()), least);
  most = select(none, hn::Zero(Floats()), most);
  V real[2][3];
  for (int c = 0; c < 3; ++c) {
    real[0][c] = clamped(hn::Add(line.mean[c], hn::Mul(line.along[c], least)), 0, 255);
    real[1][c] = clamped(hn::Add(line.mean[c], hn::Mul(line.along[c], most)), 0, 255);
  }
  for (int round = 0;; ++round) {
    Squares squares;
    consider<kSteps>(problem, quantised(real), allowed, best, squares);
    if (round == refinements) return;
    solve(moments, squares, real);
  }
}

/// Endpoints whose mix at 1/3 is nearest to the mean.
HWY_INLINE Stored single_color(const Line<3>& line) {
  Stored ends;
  for (int c = 0; c < 3; ++c) {
    const I place = rounded(clamped(line.mean[c], 0, 255));
    const I pair = hn::GatherIndex(Ints(), c == 1 ? kMixesOf6.data() : kMixesOf5.data(), place);
    ends.value[0][c] = hn::And(pair, int_constant(63));
    ends.value[1][c] = hn::ShiftRight<6>(pair);
  }
  return ends;
}

/// Sets the weights of texels, and returns whether a block has transparent texels, whose bits are in `transparent`.
HWY_INLINE M weigh(const EncodeSettings& settings, Problem& problem, I& transparent) {
  transparent = hn::Zero(Ints());
  for (int i = 0; i < 16; ++i) {
    problem.weight[i] = problem.texels.color_weight[i];
    if (!settings.transparent) continue;
    const M clear = hn::Lt(problem.texels.channel[3][i], constant(settings.alpha_threshold));
    problem.weight[i] = select(clear, hn::Zero(Floats()), problem.texels.alpha_weight[i]);
    transparent = hn::Or(transparent, select(clear, int_constant(1 << i), hn::Zero(Ints())));
  }
  return hn::RebindMask(Floats(), hn::Ne(transparent, hn::Zero(Ints())));
}

HWY_INLINE Moments<3> moments_of(const Problem& problem) {
  Moments<3> out;
  out.count = hn::Zero(Floats());
  for (int c = 0; c < 3; ++c) {
    out.sum[c] = hn::Zero(Floats());
    for (int e = 0; e <= c; ++e) out.product[c][e] = hn::Zero(Floats());
  }
  for (int i = 0; i < 16; ++i) {
    out.count = hn::Add(out.count, problem.weight[i]);
    for (int c = 0; c < 3; ++c) {
      const V weighted = hn::Mul(problem.texels.channel[c][i], problem.weight[i]);
      out.sum[c] = hn::Add(out.sum[c], weighted);
      for (int e = 0; e <= c; ++e) {
        out.product[c][e] = hn::Add(out.product[c][e], hn::Mul(weighted, problem.texels.channel[e][i]));
      }
    }
  }
  return out;
}

/// The two words of a block.
HWY_INLINE void pack(const Choice& best, I transparent, bool four_colors, I& colors, I& codes) {
  const auto packed = [&](int e) {
    return hn::Or(hn::Or(hn::ShiftLeft<11>(best.ends.value[e][0]), hn::ShiftLeft<5>(best.ends.value[e][1])),
                  best.ends.value[e][2]);
  };
  I first = packed(0);
  I second = packed(1);
  // Four colours need first > second, three first <= second. BC3 has four in either order.
  const auto three = hn::RebindMask(Ints(), best.three);
  const auto ascending = hn::Lt(first, second);
  const auto swap = hn::Or(hn::And(three, hn::Gt(first, second)), hn::AndNot(three, ascending));
  const I old = first;
  first = hn::IfThenElse(swap, second, first);
  second = hn::IfThenElse(swap, old, second);
  const auto equal = hn::AndNot(three, hn::Eq(first, second));
  const I steps = hn::IfThenElse(three, int_constant(2), int_constant(3));
  codes = hn::Zero(Ints());
  for (int i = 15; i >= 0; --i) {
    const I step = hn::IfThenElse(swap, hn::Sub(steps, best.index[i]), best.index[i]);
    // Steps 0 .. steps become the codes 0, 2 (, 3), 1.
    I code = hn::IfThenElse(hn::Eq(step, steps), int_constant(1),
                            hn::IfThenElse(hn::Gt(step, hn::Zero(Ints())), hn::Add(step, int_constant(1)), step));
    if (!four_colors) code = hn::IfThenElse(equal, hn::Zero(Ints()), code);
    const I bit = hn::And(transparent, int_constant(1 << i));
    code = hn::IfThenElse(hn::Gt(bit, hn::Zero(Ints())), int_constant(3), code);
    codes = hn::Or(hn::ShiftLeft<2>(codes), code);
  }
  colors = hn::Or(first, hn::ShiftLeft<16>(second));
}

void encode_lanes(const Texels& texels, const EncodeSettings& settings, bool four_colors, I& colors, I& codes) {
  Problem problem{texels, {settings.weights[0], settings.weights[1], settings.weights[2]}, {}};
  I transparent;
  const M holes = weigh(settings, problem, transparent);
  const M whole = hn::Not(holes);
  const Moments<3> moments = moments_of(problem);
  const float roots[3] = {std::sqrt(problem.weights[0]), std::sqrt(problem.weights[1]), std::sqrt(problem.weights[2])};
  const Line<3> line = fit_line(moments, roots);
  const bool best_quality = settings.quality == BlockQuality::kBest;
  const int refinements = settings.quality == BlockQuality::kFast     ? 1
                          : settings.quality == BlockQuality::kNormal ? 2
                                                                      : 4;
  Choice best{constant(1e30F), {}, {}, hn::Lt(constant(1), constant(0))};
  for (int e = 0; e < 2; ++e) {
    for (int c = 0; c < 3; ++c) best.ends.value[e][c] = hn::Zero(Ints());
  }
  for (I& index : best.index) index = hn::Zero(Ints());
  Squares unused;
  if (!hn::AllFalse(Floats(), whole)) {
    fit<3>(problem, moments, line, refinements, whole, best);
    consider<3>(problem, single_color(line), whole, best, unused);
    if (best_quality) search_neighbours<3>(problem, whole, best);
  }
  const bool three_too = best_quality && !four_colors;
  if (three_too || !hn::AllFalse(Floats(), holes)) {
    const M allowed = three_too ? hn::Or(whole, holes) : holes;
    fit<2>(problem, moments, line, refinements, allowed, best);
    if (best_quality) search_neighbours<2>(problem, hn::Or(holes, hn::And(allowed, best.three)), best);
  }
  pack(best, transparent, four_colors, colors, codes);
}

void bc1_blocks(const ColorBlocks& blocks, const EncodeSettings& settings, bool four_colors, std::byte* out,
                size_t stride) {
  const size_t lanes = hn::Lanes(Floats());
  Texels texels;
  HWY_ALIGN int32_t colors[kMostLanes];
  HWY_ALIGN int32_t codes[kMostLanes];
  for (size_t first = 0; first < blocks.count; first += lanes) {
    load_texels(blocks, first, settings, texels);
    I color_lanes;
    I code_lanes;
    encode_lanes(texels, settings, four_colors, color_lanes, code_lanes);
    hn::Store(color_lanes, Ints(), colors);
    hn::Store(code_lanes, Ints(), codes);
    for (size_t lane = 0; lane < lanes && first + lane < blocks.count; ++lane) {
      std::memcpy(out + (first + lane) * stride, &colors[lane], 4);
      std::memcpy(out + (first + lane) * stride + 4, &codes[lane], 4);
    }
  }
}

}  // namespace

void bc1(const ColorBlocks& blocks, const EncodeSettings& settings, bool four_colors, std::byte* out, size_t stride) {
  bc1_blocks(blocks, settings, four_colors, out, stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::blocks
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::blocks {

ONEPASS_SIMD_EXPORT(bc1);

void encode_bc1(const ColorBlocks& blocks, const EncodeSettings& settings, bool four_colors, std::byte* out,
                size_t stride) {
  ONEPASS_SIMD_CALL(bc1)(blocks, settings, four_colors, out, stride);
}

}  // namespace onepass::blocks
#endif
