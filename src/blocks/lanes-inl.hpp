// lanes-inl.hpp: blocks in SIMD lanes: vectors that hold one value of each block, and the line through the colours of a
// block. Included once per SIMD target.
#if defined(ONEPASS_BLOCKS_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_BLOCKS_LANES_INL
#undef ONEPASS_BLOCKS_LANES_INL
#else
#define ONEPASS_BLOCKS_LANES_INL
#endif

#include <algorithm>
#include <cstdint>

#include "blocks/encode.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace onepass::blocks {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// One float, or one integer, of each block.
using Floats = hn::CappedTag<float, kMostLanes>;
using Ints = hn::RebindToSigned<Floats>;
using V = hn::Vec<Floats>;
using I = hn::Vec<Ints>;
using M = hn::Mask<Floats>;

HWY_INLINE V constant(float value) { return hn::Set(Floats(), value); }
HWY_INLINE I int_constant(int32_t value) { return hn::Set(Ints(), value); }
HWY_INLINE V to_float(I value) { return hn::ConvertTo(Floats(), value); }
/// Truncates; of values that are not negative.
HWY_INLINE I to_int(V value) { return hn::ConvertTo(Ints(), value); }
HWY_INLINE I rounded(V value) { return to_int(hn::Add(value, constant(0.5F))); }
HWY_INLINE V clamped(V value, float least, float most) {
  return hn::Min(hn::Max(value, constant(least)), constant(most));
}
HWY_INLINE V squared(V value) { return hn::Mul(value, value); }
HWY_INLINE V select(M mask, V yes, V no) { return hn::IfThenElse(mask, yes, no); }
HWY_INLINE I select(M mask, I yes, I no) { return hn::IfThenElse(hn::RebindMask(Ints(), mask), yes, no); }

/// The texels of the blocks in the lanes. Weights are 0 outside the image.
struct Texels {
  V channel[4][16];    ///< 0 to 255.
  V color_weight[16];  ///< Of colours.
  V alpha_weight[16];  ///< Of alpha: 0 or 1.
};

/// Which block is in each lane: `first` and the following; lanes beyond the last block repeat it.
class Lanes {
 public:
  /// `Blocks`: ColorBlocks or ChannelBlocks.
  template <typename Blocks>
  HWY_INLINE Lanes(const Blocks& blocks, size_t first) {
    HWY_ALIGN int32_t places[kMostLanes];
    HWY_ALIGN int32_t inside[kMostLanes];
    for (size_t lane = 0; lane < hn::Lanes(Floats()); ++lane) {
      const size_t block = std::min(first + lane, blocks.count - 1);
      places[lane] = static_cast<int32_t>(16 * (block - first));
      inside[lane] = blocks.inside[block];
    }
    place_ = hn::Load(Ints(), places);
    inside_ = hn::Load(Ints(), inside);
  }
  /// The distance in texels from block `first` to the block of each lane.
  [[nodiscard]] HWY_INLINE I place() const { return place_; }
  /// 1 where texel `i` is in the image, else 0.
  [[nodiscard]] HWY_INLINE V weight(int i) const {
    const I bit = hn::And(inside_, int_constant(1 << i));
    return hn::IfThenElse(hn::Eq(to_float(bit), hn::Zero(Floats())), hn::Zero(Floats()), constant(1));
  }

 private:
  I place_;
  I inside_;
};

/// Loads the texels of blocks `first` and the following.
HWY_INLINE void load_texels(const ColorBlocks& blocks, size_t first, const EncodeSettings& settings, Texels& out) {
  const Lanes lanes(blocks, first);
  const auto* const texels = reinterpret_cast<const int32_t*>(blocks.texels) + 16 * first;
  const I byte = int_constant(255);
  for (int i = 0; i < 16; ++i) {
    const I texel = hn::GatherIndex(Ints(), texels + i, lanes.place());
    out.channel[0][i] = to_float(hn::And(texel, byte));
    out.channel[1][i] = to_float(hn::And(hn::ShiftRight<8>(texel), byte));
    out.channel[2][i] = to_float(hn::And(hn::ShiftRight<16>(texel), byte));
    out.channel[3][i] = to_float(hn::And(hn::ShiftRight<24>(texel), byte));
    out.alpha_weight[i] = lanes.weight(i);
    out.color_weight[i] = settings.weighted_by_alpha
                              ? hn::Mul(out.alpha_weight[i], hn::Mul(out.channel[3][i], constant(1 / 255.0F)))
                              : out.alpha_weight[i];
  }
}

/// Sums of kC channels over the texels of a subset.
template <int kC>
struct Moments {
  V count;  ///< Sum of weights.
  V sum[kC];
  V product[kC][kC];  ///< Filled for columns up to the row.
};

/// The line through the mean that fits the texels best, by the metric.
template <int kC>
struct Line {
  V mean[kC];
  V along[kC];    ///< A point of the line is mean + t * along.
  V project[kC];  ///< t of a texel is the sum of (texel - mean) * project.
};

/// Principal component analysis by power iteration. `roots`: of the weights of the channels in the metric.
template <int kC>
HWY_INLINE Line<kC> fit_line(const Moments<kC>& moments, const float (&roots)[kC]) {
  Line<kC> line;
  const V inverse = hn::Div(constant(1), hn::Max(moments.count, constant(1e-6F)));
  V covariance[kC][kC];
  for (int c = 0; c < kC; ++c) line.mean[c] = hn::Mul(moments.sum[c], inverse);
  V trace = hn::Zero(Floats());
  for (int c = 0; c < kC; ++c) {
    for (int e = 0; e <= c; ++e) {
      const V value = hn::Sub(hn::Mul(moments.product[c][e], inverse), hn::Mul(line.mean[c], line.mean[e]));
      covariance[c][e] = covariance[e][c] = hn::Mul(value, constant(roots[c] * roots[e]));
    }
    trace = hn::Add(trace, covariance[c][c]);
  }
  // Start with the column of the largest variance, and a little of another direction in case it is orthogonal.
  constexpr float kOther[4] = {0.19F, 0.23F, 0.13F, 0.17F};
  V axis[kC];
  V most = covariance[0][0];
  for (int c = 0; c < kC; ++c) axis[c] = covariance[0][c];
  for (int k = 1; k < kC; ++k) {
    const M more = hn::Gt(covariance[k][k], most);
    most = hn::Max(most, covariance[k][k]);
    for (int c = 0; c < kC; ++c) axis[c] = select(more, covariance[k][c], axis[c]);
  }
  const V scale = hn::Div(constant(1), hn::Max(trace, constant(1e-6F)));
  for (int c = 0; c < kC; ++c) axis[c] = hn::Add(hn::Mul(axis[c], scale), constant(kOther[c]));
  for (int round = 0; round < 4; ++round) {
    V next[kC];
    for (int c = 0; c < kC; ++c) {
      next[c] = hn::Mul(covariance[c][0], axis[0]);
      for (int e = 1; e < kC; ++e) next[c] = hn::Add(next[c], hn::Mul(covariance[c][e], axis[e]));
    }
    for (int c = 0; c < kC; ++c) axis[c] = hn::Mul(next[c], scale);
  }
  V length = hn::Zero(Floats());
  for (int c = 0; c < kC; ++c) length = hn::Add(length, squared(axis[c]));
  const V unit = hn::Div(constant(1), hn::Sqrt(hn::Max(length, constant(1e-20F))));
  for (int c = 0; c < kC; ++c) {
    axis[c] = hn::Mul(axis[c], unit);
    line.along[c] = hn::Mul(axis[c], constant(1 / roots[c]));
    line.project[c] = hn::Mul(axis[c], constant(roots[c]));
  }
  return line;
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::blocks
HWY_AFTER_NAMESPACE();
#endif
