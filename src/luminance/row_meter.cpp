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
#include "image/log2.hpp"

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
    if constexpr (kScale != 0) {
      // v / kScale, rounded: the product by a power of two is exact. Cheaper than dividing; tested for all v.
      constexpr float kUpper = 1.0F / (kScale + 1);
      constexpr auto kLower = static_cast<float>(1.0 / kScale - double{kUpper});
      return hn::Add(hn::Mul(v, hn::Set(d, kUpper)), hn::Mul(v, hn::Set(d, kLower)));
    }
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

/// Of two vectors in step, each of which waits for itself at every operation.
HWY_INLINE void log2_of_two(FloatV x0, FloatV x1, Log2V& log0, Log2V& log1) {
  const Floats d;
  const Ints di;
  const auto whole_of = [&](FloatV x) HWY_ATTR {
    return hn::ShiftRight<23>(hn::Sub(hn::BitCast(di, x), hn::Set(di, static_cast<int32_t>(kSqrtHalf))));
  };
  log0.whole = whole_of(x0);
  log1.whole = whole_of(x1);
  const auto rest_of = [&](FloatV x, IntV whole) HWY_ATTR {
    return hn::Sub(hn::BitCast(d, hn::Sub(hn::BitCast(di, x), hn::ShiftLeft<23>(whole))), hn::Set(d, 1.0F));
  };
  const FloatV t0 = rest_of(x0, log0.whole);
  const FloatV t1 = rest_of(x1, log1.whole);
  FloatV p0 = hn::Set(d, kLog2[7]);
  FloatV p1 = p0;
  const auto step = [&](int i) HWY_ATTR {
    p0 = hn::Mul(p0, t0);
    p1 = hn::Mul(p1, t1);
    p0 = hn::Add(p0, hn::Set(d, kLog2[i]));
    p1 = hn::Add(p1, hn::Set(d, kLog2[i]));
  };
  step(6);  // written out: compilers leave loops of this length alone
  step(5);
  step(4);
  step(3);
  step(2);
  step(1);
  step(0);
  log0.fraction = hn::Mul(p0, t0);
  log1.fraction = hn::Mul(p1, t1);
}

HWY_INLINE Log2V log2_of_vector(FloatV x) {
  Log2V log2;
  Log2V same;
  log2_of_two(x, x, log2, same);
  return log2;
}

// ---- Sums

/// What a block adds up in one vector.
struct BlockSums {
  FloatV red, green, blue, luminance;
  FloatV product;     // of mantissas; weighted: sum of weighted fractions
  IntV exponents;     // biased; weighted: weighted, as they are
  IntV weights;       // of ordinary pixels
  FloatV min, max;    // of the row
  uint64_t ordinary;  // pixels that needed no sorting out
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

/// What add_vector() uses of a MeterRowSpec.
struct Constants {
  FloatV red, green, blue, delta, bin_low, bin_scale, last_bin;
  IntV no_bin;
  explicit Constants(const MeterRowSpec& spec)
      : red(hn::Set(Floats(), spec.params.red)),
        green(hn::Set(Floats(), spec.params.green)),
        blue(hn::Set(Floats(), spec.params.blue)),
        delta(hn::Set(Floats(), spec.params.delta)),
        bin_low(hn::Set(Floats(), spec.params.bin_low)),
        bin_scale(hn::Set(Floats(), spec.params.bin_scale)),
        last_bin(hn::Set(Floats(), static_cast<float>(spec.bins - 1))),
        no_bin(hn::Set(Ints(), static_cast<int32_t>(spec.bins))) {}
};

/// Of numbers that an int32_t holds: ConvertTo() would look for others.
HWY_INLINE IntV truncate(FloatV v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return IntV{_mm512_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return IntV{_mm256_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86
  return IntV{_mm_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(Ints(), v);
#endif
}

/// Adds a vector to a block and says where its pixels are counted: bins times copies. `log2`: of work.binned.
/// `kOrdinary`: all have a bin.
template <bool kWeighted, bool kScaled, bool kOrdinary>
HWY_INLINE IntV add_vector(const Constants& constants, const Work& work, Log2V log2, IntV weights, BlockSums& block) {
  const Floats d;
  const Ints di;
  if constexpr (kWeighted || kScaled) {
    FloatV scale = hn::Set(d, kScaled ? kSumScale : 1.0F);
    if constexpr (kWeighted) scale = kScaled ? hn::Mul(hn::ConvertTo(d, weights), scale) : hn::ConvertTo(d, weights);
    block.red = hn::Add(block.red, hn::Mul(work.colours.red, scale));
    block.green = hn::Add(block.green, hn::Mul(work.colours.green, scale));
    block.blue = hn::Add(block.blue, hn::Mul(work.colours.blue, scale));
    block.luminance = hn::Add(block.luminance, hn::Mul(work.luminance, scale));
  } else {
    block.red = hn::Add(block.red, work.colours.red);
    block.green = hn::Add(block.green, work.colours.green);
    block.blue = hn::Add(block.blue, work.colours.blue);
    block.luminance = hn::Add(block.luminance, work.luminance);
  }
  block.min = hn::Min(block.min, work.low);
  block.max = hn::Max(block.max, work.high);

  const FloatV argument = hn::Max(work.argument, hn::Set(d, 0x1p-126F));
  if constexpr (kWeighted) {
    const Log2V averaged = log2_of_vector(argument);
    block.exponents = hn::Add(block.exponents, hn::Mul(averaged.whole, weights));
    block.product = hn::Add(block.product, hn::Mul(averaged.fraction, hn::ConvertTo(d, weights)));
  } else {
    const IntV bits = hn::BitCast(di, argument);
    block.exponents = hn::Add(block.exponents, hn::ShiftRight<23>(bits));
    const IntV mantissa = hn::OrAnd(hn::Set(di, 0x3F800000), bits, hn::Set(di, 0x7FFFFF));
    block.product = hn::Mul(block.product, hn::BitCast(d, mantissa));
  }

  const FloatV log2_luminance = hn::Add(hn::ConvertTo(d, log2.whole), log2.fraction);
  const FloatV place = hn::Mul(hn::Sub(log2_luminance, constants.bin_low), constants.bin_scale);
  IntV bin = truncate(hn::Min(hn::Max(place, hn::Zero(d)), constants.last_bin));
  if constexpr (!kOrdinary) bin = hn::IfThenElse(hn::RebindMask(di, work.has_bin), bin, constants.no_bin);
  return hn::ShiftLeft<kCopiesLog2>(bin);
}

/// Counts `vectors` vectors of places, each lane in its copy. `weights`: of the part.
template <bool kWeighted>
HWY_INLINE void count_places(const int32_t* HWY_RESTRICT places, size_t vectors, const uint8_t* HWY_RESTRICT weights,
                             uint32_t* HWY_RESTRICT histogram) {
  constexpr size_t kAtOnce = 4;  // written out: compilers leave loops of this length alone
  static_assert(kVector % kAtOnce == 0 && kCopies % kAtOnce == 0);
  for (size_t i = 0; i < vectors * kVector; i += kAtOnce) {
    uint32_t* copies = histogram + i % kCopies;
    const int32_t* place = places + i;
    if constexpr (kWeighted) {
      const uint8_t* weight = weights + i / kVector * kLanes + i % kVector;
      copies[place[0]] += weight[0];
      copies[place[1] + 1] += weight[1];
      copies[place[2] + 2] += weight[2];
      copies[place[3] + 3] += weight[3];
    } else {
      ++copies[place[0]];
      ++copies[place[1] + 1];
      ++copies[place[2] + 2];
      ++copies[place[3] + 3];
    }
  }
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
  static constexpr size_t kBlockPixels = kLanes * kBlockGroups;
  // Powers of two round nothing, so what cannot overflow is scaled at the end of a block.
  static constexpr bool kScaled = sizeof(Stored) == sizeof(float);

  const MeterRowSpec& spec;
  LaneSums& sums;
  uint32_t* histogram;
  Loader loader{};

  HWY_INLINE Work load(const Constants& constants, const Stored* group, size_t part) const {
    Work work;
    work.colours = load_colours<Loader, kColour, kScale>(loader, group, part);
    work.luminance = work.colours.red;
    if constexpr (kColour) {
      work.luminance =
          hn::Add(hn::Add(hn::Mul(work.colours.red, constants.red), hn::Mul(work.colours.green, constants.green)),
                  hn::Mul(work.colours.blue, constants.blue));
    }
    return work;
  }

  static HWY_INLINE IntV load_weights(const uint8_t* weights, size_t part) {
    if constexpr (!kWeighted) return hn::Set(Ints(), 1);
    const hn::Rebind<uint8_t, Ints> bytes;
    return hn::PromoteTo(Ints(), hn::LoadU(bytes, weights + part * kVector));
  }

  /// One vector of a group, with any pixels. `pixels` of the 16 exist. Out of the way, so that the loop's variables
  /// stay in registers.
  HWY_NOINLINE void add_any(const Stored* group, size_t part, size_t pixels, const uint8_t* weights, BlockSums& block,
                            int32_t* places) {
    static const PixelOfLane<kColour> pixel_of_lane;
    const Floats d;
    const Constants constants(spec);
    Work work = load(constants, group, part);
    const IntV weight = load_weights(weights, part);
    const FloatV number = hn::Load(d, pixel_of_lane.number + part * kVector);
    const FloatM exists = hn::Lt(number, hn::Set(d, static_cast<float>(pixels)));
    sort_out(hn::And(exists, hn::RebindMask(d, hn::Gt(weight, hn::Zero(Ints())))), weight, spec.params.delta, work,
             sums);
    const Log2V log2 = log2_of_vector(work.binned);
    hn::Store(add_vector<kWeighted, kScaled, false>(constants, work, log2, weight, block), Ints(), places);
  }

  /// Pixels that need no sorting out: of positive, finite luminance and a weight.
  static HWY_INLINE FloatM is_ordinary(const Work& work, IntV weight) {
    const Floats d;
    const FloatM ordinary = hn::And(hn::Gt(work.luminance, hn::Zero(d)),
                                    hn::Le(work.luminance, hn::Set(d, std::numeric_limits<float>::max())));
    if constexpr (!kWeighted) return ordinary;
    return hn::And(ordinary, hn::RebindMask(d, hn::Gt(weight, hn::Zero(Ints()))));
  }

  HWY_INLINE void add_ordinary(const Constants& constants, Work& work, Log2V log2, IntV weight, BlockSums& block,
                               int32_t* places) {
    work.argument = hn::Add(work.luminance, constants.delta);
    work.low = work.high = work.luminance;
    if constexpr (kWeighted) block.weights = hn::Add(block.weights, weight);
    hn::Store(add_vector<kWeighted, kScaled, true>(constants, work, log2, weight, block), Ints(), places);
  }

  /// One vector of each of two groups, all of whose pixels exist.
  HWY_INLINE void add_two(const Constants& constants, const Stored* group, size_t part, const uint8_t* weights,
                          BlockSums& block, int32_t* places) {
    const Floats d;
    const Stored* next = group + kGroupChannels;
    const uint8_t* next_weights = kWeighted ? weights + kLanes : nullptr;
    Work work0 = load(constants, group, part);
    Work work1 = load(constants, next, part);
    const IntV weight0 = load_weights(weights, part);
    const IntV weight1 = load_weights(next_weights, part);
    if (HWY_LIKELY(hn::AllTrue(d, hn::And(is_ordinary(work0, weight0), is_ordinary(work1, weight1))))) {
      Log2V log0;
      Log2V log1;
      log2_of_two(work0.luminance, work1.luminance, log0, log1);
      add_ordinary(constants, work0, log0, weight0, block, places);
      add_ordinary(constants, work1, log1, weight1, block, places + kVector);
      block.ordinary += 2 * kVector;
    } else {
      BlockSums copy = block;
      add_any(group, part, kLanes, weights, copy, places);
      add_any(next, part, kLanes, next_weights, copy, places + kVector);
      block = copy;
    }
  }

  /// Lanes `part * kVector` and up of the groups of a block.
  HWY_INLINE void add_part(const Constants& constants, const Stored* block_texels, size_t pixels,
                           const uint8_t* weights, size_t part) {
    alignas(64) int32_t places[kBlockGroups * kVector];
    BlockSums block = first_sums(part);
    const size_t pairs = pixels / (2 * kLanes);
    for (size_t i = 0; i < 2 * pairs; i += 2) {
      const Stored* group = block_texels + i * kGroupChannels;
      prefetch_next_block(group);
      add_two(constants, group, part, kWeighted ? weights + i * kLanes : nullptr, block, places + i * kVector);
    }
    size_t vectors = 2 * pairs;
    for (; vectors * kLanes < pixels; ++vectors) {
      const size_t rest = pixels - vectors * kLanes < kLanes ? pixels - vectors * kLanes : kLanes;
      Stored last[kGroupChannels] = {};
      std::memcpy(last, block_texels + vectors * kGroupChannels, rest * (kColour ? 4 : 1) * sizeof(Stored));
      BlockSums copy = block;
      add_any(last, part, rest, kWeighted ? weights + vectors * kLanes : nullptr, copy, places + vectors * kVector);
      block = copy;
    }
    count_places<kWeighted>(places, vectors, kWeighted ? weights + part * kVector : nullptr, histogram);
    finish(block, part, vectors);
  }

  HWY_INLINE BlockSums first_sums(size_t part) const {
    const Floats d;
    const FloatV zero = hn::Zero(d);
    const size_t lane = part * kVector;
    return {zero,
            zero,
            zero,
            zero,
            hn::Set(d, kWeighted ? 0.0F : 1.0F),
            hn::Zero(Ints()),
            hn::Zero(Ints()),
            hn::Load(d, sums.min.data() + lane),
            hn::Load(d, sums.max.data() + lane),
            0};
  }

  /// The same pair of groups of the block after this one: while pixels are counted, nothing is read.
  static HWY_INLINE void prefetch_next_block(const Stored* group) {
    constexpr size_t kLine = 64 / sizeof(Stored);
    for (size_t i = 0; i < 2 * kGroupChannels; i += kLine) hwy::Prefetch(group + kBlockGroups * kGroupChannels + i);
  }

  /// Adds a block's sums to the row's.
  HWY_INLINE void finish(const BlockSums& block, size_t part, size_t vectors) {
    const Floats d;
    const size_t lane = part * kVector;
    const auto scaled = [&](FloatV v) HWY_ATTR { return kScaled ? v : hn::Mul(v, hn::Set(d, kSumScale)); };
    add_to(sums.red.data() + lane, scaled(block.red));
    add_to(sums.green.data() + lane, scaled(block.green));
    add_to(sums.blue.data() + lane, scaled(block.blue));
    add_to(sums.luminance.data() + lane, scaled(block.luminance));
    sums.finite += block.ordinary;
    sums.weight += kWeighted ? static_cast<uint64_t>(sum_of(block.weights)) : block.ordinary;
    hn::Store(block.min, d, sums.min.data() + lane);
    hn::Store(block.max, d, sums.max.data() + lane);
    sums.log2_whole += sum_of(block.exponents);
    if constexpr (kWeighted) {
      add_to(sums.log2_fraction.data() + lane, block.product);
    } else {
      const Log2V product = log2_of_vector(block.product);
      sums.log2_whole += sum_of(product.whole) - 127 * static_cast<int64_t>(vectors * kVector);
      add_to(sums.log2_fraction.data() + lane, product.fraction);
    }
  }

  void add_row(const Stored* texels, size_t count, const uint8_t* weights) {
    const Constants constants(spec);
    for (size_t begin = 0; begin < count; begin += kBlockPixels) {
      const size_t pixels = count - begin < kBlockPixels ? count - begin : kBlockPixels;
      for (size_t part = 0; part < kLanes / kVector; ++part) {
        add_part(constants, texels + begin * (kColour ? 4 : 1), pixels, kWeighted ? weights + begin : nullptr, part);
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
      return choose_weighted<load::LoadSrgb8Colours, true>(spec);
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
