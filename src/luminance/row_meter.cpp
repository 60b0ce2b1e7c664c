// row_meter.cpp: see row_meter.hpp. What is done to a pixel is easier to read in row_plain.cpp.
//
// Of a pixel of a normal image, positive and finite, nothing but the arithmetic is done. One test a vector finds the
// others, for which masks do the rest. Logarithms are not summed up: mantissas are multiplied, exponents added, and one
// logarithm is taken of the product of 16.

#include "luminance/row_meter.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "luminance/row_meter.cpp"
#include "hwy/foreach_target.h"  // includes this file once a target: first

#include <limits>

#include "cpu/row_load-inl.hpp"
#include "luminance/log2.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::luminance {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE  // no vectors of a size known here: the plain function does it

MeterRow choose_meter_row(const MeterRowSpec& /*spec*/) { return nullptr; }

#else

namespace hn = hwy::HWY_NAMESPACE;
namespace load = cpu::HWY_NAMESPACE;

using load::Floats;
using load::FloatV;
using load::Ints;
using load::Words;
using load::WordV;
using IntV = hn::Vec<Ints>;
using FloatM = hn::Mask<Floats>;
constexpr size_t kVector = HWY_MAX_BYTES / sizeof(float);  // of the 16 lanes
static_assert(kLanes % kVector == 0);

// ---- Pixels

struct Colours {
  FloatV red, green, blue;
};

/// Lanes `part * kVector` and up of 16 pixels. `Scale`: what is stored, divided by this, is the value; 0: is the value.
template <class Loader, bool kColour, int kScale>
HWY_INLINE Colours load_colours(const Loader& loader, const typename Loader::Stored* group, size_t part) {
  const Floats d;
  const auto scaled = [&](FloatV v) {
    if constexpr (kScale != 0) return hn::Div(v, hn::Set(d, static_cast<float>(kScale)));
    return v;
  };
  if constexpr (!kColour) {
    const FloatV value = scaled(loader.one.load(group + part * kVector));
    return {value, value, value};
  } else {
    FloatV texels[4];
    if constexpr (kVector == kLanes) {
      loader.load4(group, texels);
    } else {
      for (size_t j = 0; j < 4; ++j) texels[j] = loader.one.load(group + 4 * (4 * j + part * kVector / 4));
    }
    const hn::Repartition<double, Floats> pairs;
    const auto rg01 = hn::BitCast(pairs, hn::InterleaveLower(d, texels[0], texels[1]));
    const auto rg23 = hn::BitCast(pairs, hn::InterleaveLower(d, texels[2], texels[3]));
    const auto ba01 = hn::BitCast(pairs, hn::InterleaveUpper(d, texels[0], texels[1]));
    const auto ba23 = hn::BitCast(pairs, hn::InterleaveUpper(d, texels[2], texels[3]));
    return {scaled(hn::BitCast(d, hn::InterleaveLower(pairs, rg01, rg23))),
            scaled(hn::BitCast(d, hn::InterleaveUpper(pairs, rg01, rg23))),
            scaled(hn::BitCast(d, hn::InterleaveLower(pairs, ba01, ba23)))};
  }
}

// ---- Logarithms

struct Log2V {
  IntV whole;
  FloatV fraction;
};

HWY_INLINE Log2V log2_of_vector(FloatV x) {
  const Floats d;
  const Ints di;
  const IntV bits = hn::BitCast(di, x);
  const IntV whole = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, static_cast<int32_t>(kSqrtHalf))));
  const FloatV t = hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(whole))), hn::Set(d, 1.0F));
  // Written out: compilers leave loops of this length alone.
  const auto next = [&](FloatV sum, int i) HWY_ATTR { return hn::Add(hn::Mul(sum, t), hn::Set(d, kLog2[i])); };
  const FloatV upper = next(next(next(hn::Set(d, kLog2[7]), 6), 5), 4);
  const FloatV p = next(next(next(next(upper, 3), 2), 1), 0);
  return {whole, hn::Mul(p, t)};
}

// ---- Sums

/// What a block adds up in one vector.
struct BlockSums {
  FloatV red, green, blue, luminance;
  FloatV product;         // of mantissas; weighted: sum of weighted fractions
  IntV exponents;         // biased; weighted: weighted, as they are
  FloatV min, max;        // of the row
  uint64_t ordinary = 0;  // pixels that needed no sorting out
};

/// What is done with a pixel, all of it in one vector.
struct Work {
  Colours colours;
  FloatV luminance;
  FloatV argument;   // of the logarithm that is averaged
  FloatV low, high;  // for min and max
  FloatV binned;     // of the logarithm that is counted
  FloatM has_bin;
};

HWY_INLINE uint64_t count(FloatM mask) { return hn::CountTrue(Floats(), mask); }

HWY_INLINE uint64_t sum_where(FloatM mask, IntV values) {
  const Ints di;
  const IntV kept = hn::IfThenElseZero(hn::RebindMask(di, mask), values);
  alignas(64) int32_t lanes[kVector];
  hn::Store(kept, di, lanes);
  uint64_t sum = 0;
  for (const int32_t lane : lanes) sum += static_cast<uint64_t>(lane);
  return sum;
}

/// Of pixels among which there may be any: counts them and takes out what is not metered. `looked_at`: those that are
/// pixels, of a weight above 0.
HWY_NOINLINE void sort_out(FloatM looked_at, IntV weights, float delta, Work& work, LaneSums& sums) {
  const Floats d;
  const Ints di;
  const auto magnitude = [&](FloatV v) { return hn::And(hn::BitCast(di, v), hn::Set(di, 0x7FFFFFFF)); };
  const IntV largest =
      hn::Max(hn::Max(magnitude(work.colours.red), magnitude(work.colours.green)), magnitude(work.colours.blue));
  const IntV infinity = hn::Set(di, 0x7F800000);
  const FloatM nan = hn::And(looked_at, hn::RebindMask(d, hn::Gt(largest, infinity)));
  const FloatM infinite = hn::And(looked_at, hn::RebindMask(d, hn::Eq(largest, infinity)));
  const FloatM keep = hn::And(looked_at, hn::RebindMask(d, hn::Lt(largest, infinity)));
  const FloatV zero = hn::Zero(d);
  const FloatV raw = hn::IfThenElseZero(keep, work.luminance);
  const FloatM is_negative = hn::And(keep, hn::Lt(raw, zero));
  const FloatM is_zero = hn::And(keep, hn::Eq(raw, zero));
  sums.nan += count(nan);
  sums.infinite += count(infinite);
  sums.finite += count(keep);
  sums.negative += count(is_negative);
  sums.zero += count(is_zero);
  sums.weight += sum_where(keep, weights);
  sums.zero_weight += sum_where(hn::Or(is_negative, is_zero), weights);

  const FloatV y = hn::Min(hn::Max(raw, zero), hn::Set(d, std::numeric_limits<float>::max()));
  const FloatV one = hn::Set(d, 1.0F);
  work.colours.red = hn::IfThenElseZero(keep, work.colours.red);
  work.colours.green = hn::IfThenElseZero(keep, work.colours.green);
  work.colours.blue = hn::IfThenElseZero(keep, work.colours.blue);
  work.luminance = y;
  work.argument = hn::IfThenElse(keep, hn::Add(y, hn::Set(d, delta)), one);
  work.low = hn::IfThenElse(keep, y, hn::Set(d, std::numeric_limits<float>::infinity()));
  work.high = y;
  work.has_bin = hn::And(keep, hn::Gt(y, zero));
  work.binned = hn::IfThenElse(work.has_bin, y, one);
}

/// Adds one vector of every histogram index to its copy.
template <bool kWeighted>
HWY_INLINE void count_bins(IntV places, IntV weights, uint32_t* histogram) {
  const Ints di;
  alignas(64) int32_t place[kVector];
  alignas(64) int32_t weight[kVector];
  hn::Store(places, di, place);
  if constexpr (kWeighted) hn::Store(weights, di, weight);
  const auto count_one = [&](size_t lane, size_t copy) HWY_ATTR {
    histogram[static_cast<uint32_t>(place[lane]) + copy] += kWeighted ? static_cast<uint32_t>(weight[lane]) : 1U;
  };
  for (size_t lane = 0; lane < kVector; lane += kCopies) {
    count_one(lane, 0);
    count_one(lane + 1, 1);
    count_one(lane + 2, 2);
    count_one(lane + 3, 3);
  }
  static_assert(kCopies == 4);
}

template <bool kWeighted>
HWY_INLINE void add_vector(const MeterRowSpec& spec, const Work& work, IntV weights, BlockSums& block,
                           uint32_t* histogram) {
  const Floats d;
  const Ints di;
  FloatV scale = hn::Set(d, kSumScale);
  if constexpr (kWeighted) scale = hn::Mul(hn::ConvertTo(d, weights), scale);
  block.red = hn::Add(block.red, hn::Mul(work.colours.red, scale));
  block.green = hn::Add(block.green, hn::Mul(work.colours.green, scale));
  block.blue = hn::Add(block.blue, hn::Mul(work.colours.blue, scale));
  block.luminance = hn::Add(block.luminance, hn::Mul(work.luminance, scale));
  block.min = hn::Min(block.min, work.low);
  block.max = hn::Max(block.max, work.high);

  const FloatV argument = hn::Max(work.argument, hn::Set(d, 0x1p-126F));
  if constexpr (kWeighted) {
    const Log2V log2 = log2_of_vector(argument);
    block.exponents = hn::Add(block.exponents, hn::Mul(log2.whole, weights));
    block.product = hn::Add(block.product, hn::Mul(log2.fraction, hn::ConvertTo(d, weights)));
  } else {
    const IntV bits = hn::BitCast(di, argument);
    block.exponents = hn::Add(block.exponents, hn::ShiftRight<23>(bits));
    const IntV mantissa = hn::Or(hn::And(bits, hn::Set(di, 0x7FFFFF)), hn::Set(di, 0x3F800000));
    block.product = hn::Mul(block.product, hn::BitCast(d, mantissa));
  }

  const Log2V log2 = log2_of_vector(work.binned);
  const FloatV log2_luminance = hn::Add(hn::ConvertTo(d, log2.whole), log2.fraction);
  const FloatV place =
      hn::Mul(hn::Sub(log2_luminance, hn::Set(d, spec.params.bin_low)), hn::Set(d, spec.params.bin_scale));
  const FloatV inside = hn::Min(hn::Max(place, hn::Zero(d)), hn::Set(d, static_cast<float>(spec.bins - 1)));
  const IntV bin = hn::ConvertTo(di, inside);
  const IntV none = hn::Set(di, static_cast<int32_t>(spec.bins));
  const IntV kept = hn::IfThenElse(hn::RebindMask(di, work.has_bin), bin, none);
  count_bins<kWeighted>(hn::ShiftLeft<2>(kept), weights, histogram);
  static_assert(kCopies == 4);
}

/// Adds floats to doubles.
HWY_INLINE void add_to(double* sums, FloatV values) {
  const hn::Repartition<double, Floats> dd;
  const hn::Half<Floats> half;
  constexpr size_t kHalf = kVector / 2;
  const auto lower = hn::PromoteTo(dd, hn::LowerHalf(half, values));
  const auto upper = hn::PromoteTo(dd, hn::UpperHalf(half, values));
  hn::StoreU(hn::Add(hn::LoadU(dd, sums), lower), dd, sums);
  hn::StoreU(hn::Add(hn::LoadU(dd, sums + kHalf), upper), dd, sums + kHalf);
}

HWY_INLINE int64_t sum_of(IntV values) {
  alignas(64) int32_t lanes[kVector];
  hn::Store(values, Ints(), lanes);
  int64_t sum = 0;
  for (const int32_t lane : lanes) sum += lane;
  return sum;
}

// ---- Rows

/// Which of a group's pixels a lane has.
template <bool kColour>
struct PixelOfLane {
  alignas(64) float number[kLanes];
  PixelOfLane() {
    for (size_t i = 0; i < kLanes; ++i) number[lane_of_pixel(kColour, i)] = static_cast<float>(i);
  }
};

template <class Loader, bool kColour, int kScale, bool kWeighted>
struct RowMeter {
  using Stored = typename Loader::Stored;
  static constexpr size_t kGroupChannels = kLanes * (kColour ? 4 : 1);

  const MeterRowSpec& spec;
  LaneSums& sums;
  uint32_t* histogram;
  Loader loader{};

  /// One vector of a group. `pixels` of the 16 exist.
  template <bool kPartial>
  HWY_INLINE void add(const Stored* group, size_t part, size_t pixels, const uint8_t* weights, BlockSums& block) {
    const Floats d;
    const LuminanceParams& params = spec.params;
    Work work;
    work.colours = load_colours<Loader, kColour, kScale>(loader, group, part);
    if constexpr (kColour) {
      work.luminance = hn::Add(hn::Add(hn::Mul(work.colours.red, hn::Set(d, params.red)),
                                       hn::Mul(work.colours.green, hn::Set(d, params.green))),
                               hn::Mul(work.colours.blue, hn::Set(d, params.blue)));
    } else {
      work.luminance = work.colours.red;
    }
    const FloatM ordinary = hn::And(hn::Gt(work.luminance, hn::Zero(d)),
                                    hn::Le(work.luminance, hn::Set(d, std::numeric_limits<float>::max())));
    IntV weight = hn::Set(Ints(), 1);
    FloatM looked_at = hn::Eq(hn::Zero(d), hn::Zero(d));
    if constexpr (kWeighted) {
      const hn::Rebind<uint8_t, Ints> bytes;
      weight = hn::PromoteTo(Ints(), hn::LoadU(bytes, weights + part * kVector));
      looked_at = hn::RebindMask(d, hn::Gt(weight, hn::Zero(Ints())));
    }
    if constexpr (kPartial) {
      static const PixelOfLane<kColour> pixel_of_lane;
      const FloatV number = hn::Load(d, pixel_of_lane.number + part * kVector);
      looked_at = hn::And(looked_at, hn::Lt(number, hn::Set(d, static_cast<float>(pixels))));
    }
    if (!kWeighted && !kPartial && HWY_LIKELY(hn::AllTrue(d, ordinary))) {
      work.argument = hn::Add(work.luminance, hn::Set(d, params.delta));
      work.low = work.high = work.binned = work.luminance;
      work.has_bin = ordinary;
      block.ordinary += kVector;
    } else {
      sort_out(looked_at, weight, params.delta, work, sums);
    }
    add_vector<kWeighted>(spec, work, weight, block, histogram);
  }

  /// Lanes `part * kVector` and up of the groups of a block.
  HWY_INLINE void add_part(const Stored* block_texels, size_t pixels, const uint8_t* weights, size_t part) {
    const Floats d;
    const Ints di;
    const size_t lane = part * kVector;
    BlockSums block{hn::Zero(d),
                    hn::Zero(d),
                    hn::Zero(d),
                    hn::Zero(d),
                    hn::Set(d, kWeighted ? 0.0F : 1.0F),
                    hn::Zero(di),
                    hn::Load(d, sums.min.data() + lane),
                    hn::Load(d, sums.max.data() + lane),
                    0};
    const size_t groups = pixels / kLanes;
    for (size_t i = 0; i < groups; ++i) {
      add<false>(block_texels + i * kGroupChannels, part, kLanes, kWeighted ? weights + i * kLanes : nullptr, block);
    }
    auto vectors = static_cast<int64_t>(groups);
    if (pixels % kLanes != 0) {
      const size_t rest = pixels % kLanes;
      Stored last[kGroupChannels] = {};
      std::memcpy(last, block_texels + groups * kGroupChannels, rest * (kColour ? 4 : 1) * sizeof(Stored));
      add<true>(last, part, rest, kWeighted ? weights + groups * kLanes : nullptr, block);
      ++vectors;
    }
    add_to(sums.red.data() + lane, block.red);
    add_to(sums.green.data() + lane, block.green);
    add_to(sums.blue.data() + lane, block.blue);
    add_to(sums.luminance.data() + lane, block.luminance);
    sums.finite += block.ordinary;
    sums.weight += block.ordinary;
    hn::Store(block.min, d, sums.min.data() + lane);
    hn::Store(block.max, d, sums.max.data() + lane);
    sums.log2_whole += sum_of(block.exponents);
    if constexpr (kWeighted) {
      add_to(sums.log2_fraction.data() + lane, block.product);
    } else {
      const Log2V product = log2_of_vector(block.product);
      sums.log2_whole += sum_of(product.whole) - 127 * vectors * static_cast<int64_t>(kVector);
      add_to(sums.log2_fraction.data() + lane, product.fraction);
    }
  }

  void add_row(const Stored* texels, size_t count, const uint8_t* weights) {
    constexpr size_t kBlock = kLanes * kBlockGroups;
    for (size_t begin = 0; begin < count; begin += kBlock) {
      const size_t pixels = count - begin < kBlock ? count - begin : kBlock;
      for (size_t part = 0; part < kLanes / kVector; ++part) {
        add_part(texels + begin * (kColour ? 4 : 1), pixels, kWeighted ? weights + begin : nullptr, part);
      }
    }
  }
};

template <class Loader, bool kColour, int kScale, bool kWeighted>
void meter_row(const MeterRowSpec& spec, const void* texels, size_t count, const uint8_t* weights, LaneSums& sums,
               uint32_t* histogram) {
  RowMeter<Loader, kColour, kScale, kWeighted> row{spec, sums, histogram};
  row.add_row(static_cast<const typename Loader::Stored*>(texels), count, weights);
}

template <class Loader, bool kColour, int kScale = 0>
MeterRow choose_weighted(const MeterRowSpec& spec) {
  return spec.weighted ? meter_row<Loader, kColour, kScale, true> : meter_row<Loader, kColour, kScale, false>;
}

MeterRow choose_meter_row(const MeterRowSpec& spec) {
  switch (spec.storage) {
    case MeterStorage::kU8:
      return spec.colour ? choose_weighted<load::LoadU8, true, 255>(spec)
                         : choose_weighted<load::LoadU8, false, 255>(spec);
    case MeterStorage::kSrgb8:
      return choose_weighted<load::LoadSrgb8, true>(spec);
    case MeterStorage::kU16:
      return spec.colour ? choose_weighted<load::LoadU16, true, 65535>(spec)
                         : choose_weighted<load::LoadU16, false, 65535>(spec);
    case MeterStorage::kF16:
      return spec.colour ? choose_weighted<load::LoadF16, true>(spec) : choose_weighted<load::LoadF16, false>(spec);
    case MeterStorage::kF32:
      return spec.colour ? choose_weighted<load::LoadF32, true>(spec) : choose_weighted<load::LoadF32, false>(spec);
  }
  return nullptr;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::luminance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::luminance {

HWY_EXPORT(choose_meter_row);

MeterRow find_meter_row(const MeterRowSpec& spec) { return HWY_DYNAMIC_DISPATCH(choose_meter_row)(spec); }

}  // namespace onepass::luminance
#endif
