// bc7_partition-inl.hpp: the partitions that suit blocks best, before their endpoints are known. Included once per SIMD
// target.
//
// For every partition: the sum over its subsets of the squared distances of the texels from the line that fits the
// subset best, which is the trace of their covariance without its largest eigenvalue. The traces of the third and the
// fourth power of the covariance, whose quotient is close to that eigenvalue, need no iteration.
#if defined(ONEPASS_BLOCKS_BC7_PARTITION_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_BLOCKS_BC7_PARTITION_INL
#undef ONEPASS_BLOCKS_BC7_PARTITION_INL
#else
#define ONEPASS_BLOCKS_BC7_PARTITION_INL
#endif

#include <bit>

#include "blocks/bc7_fit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::blocks {
namespace HWY_NAMESPACE {

/// Weight, weighted channels and weighted products of two channels: of a texel, or sums of them.
template <int kC>
struct Terms {
  static constexpr int kCount = 1 + kC + kC * (kC + 1) / 2;
  V term[kCount];
};

template <int kC>
HWY_INLINE void add(Terms<kC>& sum, const Terms<kC>& other) {
  for (int k = 0; k < Terms<kC>::kCount; ++k) sum.term[k] = hn::Add(sum.term[k], other.term[k]);
}

template <int kC>
HWY_INLINE Terms<kC> difference(const Terms<kC>& a, const Terms<kC>& b) {
  Terms<kC> out;
  for (int k = 0; k < Terms<kC>::kCount; ++k) out.term[k] = hn::Sub(a.term[k], b.term[k]);
  return out;
}

template <int kC>
HWY_INLINE Terms<kC> no_terms() {
  Terms<kC> out;
  for (V& term : out.term) term = hn::Zero(Floats());
  return out;
}

/// The terms of each texel, with channels scaled by the metric.
template <int kC>
HWY_INLINE Terms<kC> terms_of(const Bc7Problem& problem, int texel) {
  Terms<kC> out;
  V scaled[kC];
  out.term[0] = problem.texels.color_weight[texel];
  int k = 1;
  for (int c = 0; c < kC; ++c) {
    scaled[c] = hn::Mul(problem.texels.channel[c][texel], constant(problem.roots[c]));
    out.term[k++] = hn::Mul(scaled[c], out.term[0]);
  }
  for (int c = 0; c < kC; ++c) {
    for (int e = 0; e <= c; ++e) out.term[k++] = hn::Mul(out.term[1 + c], scaled[e]);
  }
  return out;
}

/// Sum of squared distances from the best line.
template <int kC>
HWY_INLINE V distance_from_line(const Terms<kC>& sum) {
  const V inverse = hn::Div(constant(1), hn::Max(sum.term[0], constant(1e-6F)));
  V c1[kC][kC];
  V trace = hn::Zero(Floats());
  int k = 1 + kC;
  for (int c = 0; c < kC; ++c) {
    const V mean = hn::Mul(sum.term[1 + c], inverse);
    for (int e = 0; e <= c; ++e) c1[c][e] = c1[e][c] = hn::Sub(sum.term[k++], hn::Mul(mean, sum.term[1 + e]));
    trace = hn::Add(trace, c1[c][c]);
  }
  V trace3 = hn::Zero(Floats());
  V trace4 = hn::Zero(Floats());
  for (int c = 0; c < kC; ++c) {
    for (int e = 0; e <= c; ++e) {
      V c2 = hn::Mul(c1[c][0], c1[e][0]);
      for (int f = 1; f < kC; ++f) c2 = hn::Add(c2, hn::Mul(c1[c][f], c1[e][f]));
      const V times = constant(c == e ? 1.0F : 2.0F);
      trace3 = hn::Add(trace3, hn::Mul(times, hn::Mul(c2, c1[c][e])));
      trace4 = hn::Add(trace4, hn::Mul(times, squared(c2)));
    }
  }
  const V largest = hn::Div(trace4, hn::Max(trace3, constant(1e-3F)));
  return hn::Max(hn::Sub(trace, largest), hn::Zero(Floats()));
}

/// The best partitions of each block, best first.
template <int kCount>
struct Ranking {
  V distance[kCount];
  I partition[kCount];
};

template <int kCount>
HWY_INLINE void insert(Ranking<kCount>& ranking, V distance, int partition) {
  I number = int_constant(partition);
  for (int k = 0; k < kCount; ++k) {
    const M better = hn::Lt(distance, ranking.distance[k]);
    const V worse = select(better, ranking.distance[k], distance);
    const I worse_number = select(better, ranking.partition[k], number);
    ranking.distance[k] = select(better, distance, ranking.distance[k]);
    ranking.partition[k] = select(better, number, ranking.partition[k]);
    distance = worse;
    number = worse_number;
  }
}

/// Ranks the first `count` partitions into kSubsets subsets.
template <int kC, int kSubsets, int kCount>
HWY_NOINLINE void rank_partitions(const Bc7Problem& problem, int count, Ranking<kCount>& ranking) {
  Terms<kC> texels[16];
  Terms<kC> all = no_terms<kC>();
  for (int i = 0; i < 16; ++i) {
    texels[i] = terms_of<kC>(problem, i);
    add(all, texels[i]);
  }
  for (int k = 0; k < kCount; ++k) {
    ranking.distance[k] = constant(1e30F);
    ranking.partition[k] = hn::Zero(Ints());
  }
  for (int p = 0; p < count; ++p) {
    V distance = hn::Zero(Floats());
    Terms<kC> rest = all;
    for (int s = 1; s < kSubsets; ++s) {
      Terms<kC> sum = no_terms<kC>();
      uint32_t members = 0;
      for (uint32_t i = 0; i < 16; ++i) {
        const auto place = static_cast<size_t>(p);
        const uint32_t subset = kSubsets == 2 ? kTwoSubsets[place] >> i & 1U : kThreeSubsets[place] >> (2 * i) & 3U;
        members |= subset == static_cast<uint32_t>(s) ? 1U << i : 0;
      }
      const bool inverted = kSubsets == 2 && std::popcount(members) > 8;
      for (uint32_t left = inverted ? ~members & 0xFFFFU : members; left != 0; left &= left - 1) {
        add(sum, texels[std::countr_zero(left)]);
      }
      distance = hn::Add(distance, distance_from_line(sum));
      rest = difference(rest, sum);
    }
    insert(ranking, hn::Add(distance, distance_from_line(rest)), p);
  }
}

/// The words of kTwoSubsets or kThreeSubsets.
template <int kSubsets>
HWY_INLINE Partition<kSubsets> partition_of(I number) {
  HWY_ALIGN int32_t numbers[kMostLanes];
  hn::Store(number, Ints(), numbers);
  for (size_t lane = 0; lane < hn::Lanes(Floats()); ++lane) {
    const auto place = static_cast<size_t>(numbers[lane]);
    numbers[lane] = kSubsets == 2 ? kTwoSubsets[place] : static_cast<int32_t>(kThreeSubsets[place]);
  }
  return {hn::Load(Ints(), numbers)};
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::blocks
HWY_AFTER_NAMESPACE();
#endif
