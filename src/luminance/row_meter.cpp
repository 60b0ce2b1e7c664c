// row_meter.cpp: see row_meter.hpp. What is done to a pixel is easier to read in row_plain.cpp.
//
// Of a pixel of a normal image, positive and finite, nothing but the arithmetic is done. A block's extremes and sum say
// whether there were others: then it is done again by a function that sorts them out. The histogram has what the block
// before has found while this one is worked on, so that its stores overlap with arithmetic.
//
// Logarithms are not summed up: mantissas are multiplied, exponents added, and one logarithm is taken of a row's
// product.

#include "luminance/row_meter.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "luminance/row_meter.cpp"
#include "hwy/foreach_target.h"  // includes this file once a target: first

#include <limits>
#include <type_traits>

#include "cpu/row_load-inl.hpp"
#include "image/log2.hpp"
#include "luminance/bins.hpp"

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
#if HWY_ARCH_X86 && HWY_TARGET == HWY_AVX3_DL
  } else if constexpr (std::is_same_v<Loader, load::LoadF16>) {
    const auto planes = load::planes_of_halves<true>(_mm512_loadu_si512(group), _mm512_loadu_si512(group + 2 * kLanes));
    return {FloatV{planes.red}, FloatV{planes.green}, FloatV{planes.blue}};
#endif
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
  FloatV product;   // of mantissas; weighted: sum of weighted fractions
  IntV exponents;   // biased; weighted: weighted, as they are
  IntV weights;     // of ordinary pixels
  FloatV min, max;  // of luminance
};

/// What is done with a pixel, all of it in one vector.
struct Work {
  Colours colours;
  FloatV luminance;
  FloatV argument;   // of the logarithm that is averaged
  FloatV low, high;  // for min and max
  FloatV binned;     // what is counted
  FloatM has_bin;
};

HWY_INLINE uint64_t count(FloatM mask) { return hn::CountTrue(Floats(), mask); }

HWY_INLINE int64_t sum_of(IntV values) {
  alignas(64) int32_t lanes[kVector];
  hn::Store(values, Ints(), lanes);
  int64_t sum = 0;
  for (const int32_t lane : lanes) sum += lane;
  return sum;
}

HWY_INLINE uint64_t sum_where(FloatM mask, IntV values) {
  return static_cast<uint64_t>(sum_of(hn::IfThenElseZero(hn::RebindMask(Ints(), mask), values)));
}

/// Of pixels among which there may be any: counts them and takes out what is not metered. `looked_at`: those that are
/// pixels, of a weight above 0.
template <bool kWeighted>
HWY_INLINE void sort_out(FloatM looked_at, IntV weights, FloatV delta, Work& work, LaneSums& sums) {
  const Floats d;
  const Ints di;
  const auto magnitude = [&](FloatV v) HWY_ATTR { return hn::And(hn::BitCast(di, v), hn::Set(di, 0x7FFFFFFF)); };
  const IntV largest =
      hn::Max(hn::Max(magnitude(work.colours.red), magnitude(work.colours.green)), magnitude(work.colours.blue));
  const IntV infinity = hn::Set(di, 0x7F800000);
  const FloatM keep = hn::And(looked_at, hn::RebindMask(d, hn::Lt(largest, infinity)));
  const FloatV zero = hn::Zero(d);
  const FloatV raw = hn::IfThenElseZero(keep, work.luminance);
  const FloatM is_negative = hn::And(keep, hn::Lt(raw, zero));
  const FloatM is_zero = hn::And(keep, hn::Eq(raw, zero));
  const uint64_t kept = count(keep);
  const uint64_t negative = count(is_negative);
  const uint64_t zeros = count(is_zero);
  sums.finite += kept;
  sums.negative += negative;
  sums.zero += zeros;
  sums.weight += kWeighted ? sum_where(keep, weights) : kept;
  sums.zero_weight += kWeighted ? sum_where(hn::Or(is_negative, is_zero), weights) : negative + zeros;
  if (kept != kVector) {
    sums.nan += count(hn::And(looked_at, hn::RebindMask(d, hn::Gt(largest, infinity))));
    sums.infinite += count(hn::And(looked_at, hn::RebindMask(d, hn::Eq(largest, infinity))));
  }

  const FloatV y = hn::Min(hn::Max(raw, zero), hn::Set(d, std::numeric_limits<float>::max()));
  const FloatV one = hn::Set(d, 1.0F);
  work.colours.red = hn::IfThenElseZero(keep, work.colours.red);
  work.colours.green = hn::IfThenElseZero(keep, work.colours.green);
  work.colours.blue = hn::IfThenElseZero(keep, work.colours.blue);
  work.luminance = y;
  work.argument = hn::IfThenElse(keep, hn::Max(hn::Add(y, delta), hn::Set(d, 0x1p-126F)), one);
  work.low = hn::IfThenElse(keep, y, hn::Set(d, std::numeric_limits<float>::infinity()));
  work.high = y;
  work.has_bin = hn::And(keep, hn::Gt(y, zero));
  work.binned = hn::IfThenElse(work.has_bin, y, one);
}

/// What is used of a MeterRowSpec.
struct Constants {
  FloatV red, green, blue, delta, bin_low, bin_scale, last_bin;
  explicit Constants(const MeterRowSpec& spec)
      : red(hn::Set(Floats(), spec.params.red)),
        green(hn::Set(Floats(), spec.params.green)),
        blue(hn::Set(Floats(), spec.params.blue)),
        delta(hn::Set(Floats(), spec.params.delta)),
        bin_low(hn::Set(Floats(), spec.params.bin_low)),
        bin_scale(hn::Set(Floats(), spec.params.bin_scale)),
        last_bin(hn::Set(Floats(), static_cast<float>(spec.bins - 1))) {}
};

/// Of numbers that an int32_t holds: ConvertTo() would look for others.
HWY_INLINE IntV truncate(FloatV v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return IntV{_mm512_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return IntV{_mm256_cvttps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  return IntV{_mm_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(Ints(), v);
#endif
}

// ---- Bins. The automatic histogram's are numbered as in bins.hpp, less kFirstBin.

constexpr int32_t kMantissa = 0x7FFFFF;
constexpr int32_t kOneBits = 0x3F800000;

HWY_INLINE FloatV mantissa_of(IntV bits) {
  return hn::BitCast(Floats(), hn::OrAnd(hn::Set(Ints(), kOneBits), bits, hn::Set(Ints(), kMantissa)));
}

/// Where bins with these numbers end.
HWY_INLINE FloatV ends_of(IntV bins) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return FloatV{_mm512_permutex2var_ps(_mm512_load_ps(kBinEnds), bins.raw, _mm512_load_ps(kBinEnds + 16))};
#else
  return hn::GatherIndex(Floats(), kBinEnds, bins);
#endif
}

/// Of luminances from kFirstBinned to kBeyondBinned; kFirstBin is still to be taken off.
HWY_INLINE IntV automatic_bins(FloatV luminance) {
  const Floats d;
  const Ints di;
  const IntV bits = hn::BitCast(di, luminance);
  const FloatV m = mantissa_of(bits);
  const FloatV guess =
      hn::Add(hn::Mul(hn::Add(hn::Mul(m, hn::Set(d, kGuess[2])), hn::Set(d, kGuess[1])), m), hn::Set(d, kGuess[0]));
  const IntV before = truncate(guess);
  const IntV all_stops = hn::ShiftRight<23 - kBinBits>(bits);
  const IntV bins = hn::OrAnd(before, all_stops, hn::Set(di, -static_cast<int32_t>(kBinsAStop)));
  const auto is_next = hn::RebindMask(di, hn::Ge(m, ends_of(before)));
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return IntV{_mm512_mask_add_epi32(bins.raw, is_next.raw, bins.raw, _mm512_set1_epi32(1))};
#else
  return hn::Sub(bins, hn::VecFromMask(di, is_next));
#endif
}

/// Of a range that is given.
HWY_INLINE IntV given_bins(const Constants& constants, Log2V log2) {
  const Floats d;
  const FloatV log2_luminance = hn::Add(hn::ConvertTo(d, log2.whole), log2.fraction);
  const FloatV place = hn::Mul(hn::Sub(log2_luminance, constants.bin_low), constants.bin_scale);
  return truncate(hn::Min(hn::Max(place, hn::Zero(d)), constants.last_bin));
}

/// Adds a vector to a block. The logarithm's argument is a positive normal number.
template <bool kWeighted, bool kScaled>
HWY_INLINE void add_vector(const Work& work, IntV weights, BlockSums& block) {
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
  if constexpr (kWeighted) {
    const Log2V averaged = log2_of_vector(work.argument);
    block.exponents = hn::Add(block.exponents, hn::Mul(averaged.whole, weights));
    block.product = hn::Add(block.product, hn::Mul(averaged.fraction, hn::ConvertTo(d, weights)));
  } else {
    const IntV bits = hn::BitCast(di, work.argument);
    block.exponents = hn::Add(block.exponents, hn::ShiftRight<23>(bits));
    block.product = hn::Mul(block.product, mantissa_of(bits));
  }
}

/// A block's bins that are still to be counted, lane by lane.
struct Places {
  alignas(64) uint32_t bins[kBlockGroups * kVector];
  size_t vectors = 0;
  const uint8_t* weights = nullptr;  // of the part
};

/// Counts `kVectors` vectors from `first` on, each lane in its copy. Bin `kFirst` is the histogram's first.
template <bool kWeighted, size_t kVectors, size_t kFirst>
HWY_INLINE void count_places(const Places& places, size_t first, uint32_t* HWY_RESTRICT histogram) {
  constexpr size_t kAtOnce = 4;  // written out: compilers leave loops of this length alone
  static_assert(kVector % kAtOnce == 0 && kCopies % kAtOnce == 0);
  const auto four = [&](size_t i) HWY_ATTR {
    uint32_t* copies = histogram + i % kCopies * kCopyWords;
    const uint32_t* bin = places.bins + first * kVector + i;
    const uint8_t* weights = kWeighted ? places.weights + (first + i / kVector) * kLanes + i % kVector : nullptr;
    const auto add = [&](ptrdiff_t k) HWY_ATTR {
      constexpr ptrdiff_t kStride = kCopyWords;
      const uint32_t weight = kWeighted ? weights[k] : 1;
      copies[static_cast<ptrdiff_t>(bin[k]) + (k * kStride - static_cast<ptrdiff_t>(kFirst))] += weight;
    };
    add(0);
    add(1);
    add(2);
    add(3);
  };
  four(0);
  if constexpr (kVectors * kVector > 4) four(4);
  if constexpr (kVectors * kVector > 8) four(8), four(12);
  if constexpr (kVectors * kVector > 16) four(16), four(20), four(24), four(28);
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

// ---- Rows

/// Which of a group's pixels a lane has.
template <bool kColour>
struct PixelOfLane {
  alignas(64) float number[kLanes];
  PixelOfLane() {
    for (size_t i = 0; i < kLanes; ++i) number[lane_of_pixel(kColour, i)] = static_cast<float>(i);
  }
};

template <class Loader, bool kColour, int kScale, bool kWeighted, bool kAutomatic>
class RowMeter {
 public:
  using Stored = typename Loader::Stored;

  RowMeter(const MeterRowSpec& spec, LaneSums& sums, uint32_t* histogram)
      : spec_(spec), sums_(sums), histogram_(histogram) {
    for (size_t part = 0; part < kParts; ++part) {
      products_[part] = hn::Set(Floats(), 1.0F);
      exponents_[part] = hn::Zero(Ints());
    }
  }

  void add_row(const Stored* texels, size_t count, const uint8_t* weights);

 private:
  static constexpr size_t kParts = kLanes / kVector;
  static constexpr size_t kGroupChannels = kLanes * (kColour ? 4 : 1);
  static constexpr size_t kBlockPixels = kLanes * kBlockGroups;
  // Powers of two round nothing, so what cannot overflow is scaled at the end of a block.
  static constexpr bool kScaled = sizeof(Stored) == sizeof(float);
  static constexpr size_t kFirst = kAutomatic ? kFirstBin : 0;

  /// Lanes `part * kVector` and up of a block's groups.
  struct Block {
    const Stored* texels;
    size_t pixels, part;
    const uint8_t* weights;
  };

  HWY_INLINE Work load(const Constants& constants, const Stored* group, size_t part) const {
    Work work;
    work.colours = load_colours<Loader, kColour, kScale>(loader_, group, part);
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

  /// The block's vectors from `first` on, with any pixels.
  HWY_NOINLINE void add_any(const Block& block, size_t first, BlockSums& sums, Places& places);
  HWY_INLINE void add_any(const Constants& constants, const Stored* group, size_t part, size_t pixels,
                          const uint8_t* weights, BlockSums& sums, uint32_t* bins);

  /// One vector of each of two groups, whose pixels are taken to need no sorting out.
  HWY_INLINE void add_two(const Constants& constants, const Stored* group, size_t part, const uint8_t* weights,
                          BlockSums& sums, uint32_t* bins);

  /// Whether what was added up without looking needed no sorting out: had luminances with a bin, and weights.
  static HWY_INLINE bool were_ordinary(const BlockSums& sums) {
    const Floats d;
    const FloatV least = hn::Set(d, kAutomatic ? kFirstBinned : 0x1p-126F);
    const FloatV most = hn::Set(d, kAutomatic ? kBeyondBinned : std::numeric_limits<float>::infinity());
    const FloatV largest = hn::Set(d, std::numeric_limits<float>::max());
    // A NaN may be lost by min and max, but not by the sum.
    const FloatM in_range = hn::And(hn::Ge(sums.min, least), hn::Lt(sums.max, most));
    return hn::AllTrue(d, hn::And(in_range, hn::Le(sums.luminance, largest)));
  }

  HWY_INLINE void add_block(const Constants& constants, const Block& block);
  HWY_INLINE void count_rest(size_t vector);
  HWY_INLINE void finish(const BlockSums& sums, size_t part, size_t vectors);

  static HWY_INLINE BlockSums first_sums() {
    const Floats d;
    const FloatV zero = hn::Zero(d);
    const IntV none = hn::Zero(Ints());
    return {zero,
            zero,
            zero,
            zero,
            hn::Set(d, kWeighted ? 0.0F : 1.0F),
            none,
            none,
            hn::Set(d, std::numeric_limits<float>::infinity()),
            zero};
  }

  /// The same pair of groups of the next block.
  static HWY_INLINE void prefetch_next_block(const Stored* group) {
    constexpr size_t kLine = 64 / sizeof(Stored);
    for (size_t i = 0; i < 2 * kGroupChannels; i += kLine) hwy::Prefetch(group + kBlockGroups * kGroupChannels + i);
  }

  const MeterRowSpec& spec_;
  LaneSums& sums_;
  uint32_t* histogram_;
  Loader loader_{};
  Places places_[2];         // of this block and of the one before
  size_t now_ = 0;           // the one of `places_` that is being filled
  bool careful_ = false;     // the block before had pixels to sort out
  FloatV products_[kParts];  // of mantissas of the row
  IntV exponents_[kParts];   // biased by 127 a pixel
};

template <class Loader, bool kColour, int kScale, bool kWeighted, bool kAutomatic>
HWY_INLINE void RowMeter<Loader, kColour, kScale, kWeighted, kAutomatic>::add_two(const Constants& constants,
                                                                                  const Stored* group, size_t part,
                                                                                  const uint8_t* weights,
                                                                                  BlockSums& sums, uint32_t* bins) {
  Work work0 = load(constants, group, part);
  Work work1 = load(constants, group + kGroupChannels, part);
  const IntV weight0 = load_weights(weights, part);
  const IntV weight1 = load_weights(kWeighted ? weights + kLanes : nullptr, part);
  IntV bins0;
  IntV bins1;
  if constexpr (kAutomatic) {
    bins0 = automatic_bins(work0.luminance);
    bins1 = automatic_bins(work1.luminance);
  } else {
    Log2V log0;
    Log2V log1;
    log2_of_two(work0.luminance, work1.luminance, log0, log1);
    bins0 = given_bins(constants, log0);
    bins1 = given_bins(constants, log1);
  }
  const Words du;
  hn::Store(hn::BitCast(du, bins0), du, bins);
  hn::Store(hn::BitCast(du, bins1), du, bins + kVector);
  const auto add = [&](Work& work, IntV weight) HWY_ATTR {
    work.argument = hn::Add(work.luminance, constants.delta);
    work.low = work.high = work.luminance;
    if constexpr (kWeighted) {
      sums.weights = hn::Add(sums.weights, weight);
      // What has no weight is not ordinary, which its luminance says.
      const auto none = hn::RebindMask(Floats(), hn::Eq(weight, hn::Zero(Ints())));
      work.low = hn::IfThenZeroElse(none, work.low);
    }
    add_vector<kWeighted, kScaled>(work, weight, sums);
  };
  add(work0, weight0);
  add(work1, weight1);
}

template <class Loader, bool kColour, int kScale, bool kWeighted, bool kAutomatic>
HWY_INLINE void RowMeter<Loader, kColour, kScale, kWeighted, kAutomatic>::add_any(const Constants& constants,
                                                                                  const Stored* group, size_t part,
                                                                                  size_t pixels, const uint8_t* weights,
                                                                                  BlockSums& sums, uint32_t* bins) {
  static const PixelOfLane<kColour> pixel_of_lane;
  const Floats d;
  const Ints di;
  const Words du;
  Work work = load(constants, group, part);
  const IntV weight = load_weights(weights, part);
  const FloatV number = hn::Load(d, pixel_of_lane.number + part * kVector);
  FloatM looked_at = hn::Lt(number, hn::Set(d, static_cast<float>(pixels)));
  if constexpr (kWeighted) looked_at = hn::And(looked_at, hn::RebindMask(d, hn::Gt(weight, hn::Zero(di))));
  sort_out<kWeighted>(looked_at, weight, constants.delta, work, sums_);
  IntV found;
  if constexpr (kAutomatic) {
    found = automatic_bins(work.binned);
    found = hn::Min(hn::Max(found, hn::Set(di, kFirstBin)), hn::Set(di, kFirstBin + ONEPASS_LUMINANCE_FINE_BINS - 1));
  } else {
    const FloatV normal = hn::Max(work.binned, hn::Set(d, 0x1p-126F));
    found = given_bins(constants, log2_of_vector(normal));
  }
  const IntV no_bin = hn::Set(di, static_cast<int32_t>(kFirst + spec_.bins));
  found = hn::IfThenElse(hn::RebindMask(di, work.has_bin), found, no_bin);
  hn::Store(hn::BitCast(du, found), du, bins);
  add_vector<kWeighted, kScaled>(work, weight, sums);
}

template <class Loader, bool kColour, int kScale, bool kWeighted, bool kAutomatic>
HWY_NOINLINE void RowMeter<Loader, kColour, kScale, kWeighted, kAutomatic>::add_any(const Block& block, size_t first,
                                                                                    BlockSums& sums, Places& places) {
  const Constants constants(spec_);
  BlockSums all = sums;
  for (size_t i = first; i * kLanes < block.pixels; ++i) {
    const Stored* group = block.texels + i * kGroupChannels;
    const uint8_t* weights = kWeighted ? block.weights + i * kLanes : nullptr;
    const size_t rest = block.pixels - i * kLanes;
    Stored last[kGroupChannels] = {};
    if (rest < kLanes) {
      std::memcpy(last, group, rest * (kColour ? 4 : 1) * sizeof(Stored));
      group = last;
    }
    add_any(constants, group, block.part, rest, weights, all, places.bins + i * kVector);
  }
  sums = all;
}

/// Counts what is left of the block before.
template <class Loader, bool kColour, int kScale, bool kWeighted, bool kAutomatic>
HWY_INLINE void RowMeter<Loader, kColour, kScale, kWeighted, kAutomatic>::count_rest(size_t vector) {
  const Places& before = places_[1 - now_];
  for (; vector < before.vectors; ++vector) count_places<kWeighted, 1, kFirst>(before, vector, histogram_);
}

template <class Loader, bool kColour, int kScale, bool kWeighted, bool kAutomatic>
HWY_INLINE void RowMeter<Loader, kColour, kScale, kWeighted, kAutomatic>::add_block(const Constants& constants,
                                                                                    const Block& block) {
  Places& places = places_[now_];
  const Places& before = places_[1 - now_];
  const size_t vectors = (block.pixels + kLanes - 1) / kLanes;
  BlockSums sums = first_sums();
  size_t done = 0;
  size_t counted = 0;
  if (HWY_LIKELY(!careful_)) {
    const size_t paired = block.pixels / (2 * kLanes) * 2;
    if (HWY_LIKELY(before.vectors >= paired)) counted = paired;
    for (; done < paired; done += 2) {
      const Stored* group = block.texels + done * kGroupChannels;
      prefetch_next_block(group);
      add_two(constants, group, block.part, kWeighted ? block.weights + done * kLanes : nullptr, sums,
              places.bins + done * kVector);
      if (HWY_LIKELY(counted != 0)) count_places<kWeighted, 2, kFirst>(before, done, histogram_);
    }
  }
  count_rest(counted);
  if (done != 0 && HWY_LIKELY(were_ordinary(sums))) {
    const uint64_t pixels = done * kVector;
    sums_.finite += pixels;
    sums_.weight += kWeighted ? static_cast<uint64_t>(sum_of(sums.weights)) : pixels;
  } else {
    sums = first_sums();
    done = 0;
  }
  if (done < vectors) {
    BlockSums copy = sums;
    add_any(block, done, copy, places);
    careful_ = done == 0 && !were_ordinary(copy);
    sums = copy;
  }
  places.vectors = vectors;
  places.weights = kWeighted ? block.weights + block.part * kVector : nullptr;
  finish(sums, block.part, vectors);
  now_ = 1 - now_;
}

/// Adds a block's sums to the row's.
template <class Loader, bool kColour, int kScale, bool kWeighted, bool kAutomatic>
HWY_INLINE void RowMeter<Loader, kColour, kScale, kWeighted, kAutomatic>::finish(const BlockSums& sums, size_t part,
                                                                                 size_t vectors) {
  const Floats d;
  const Ints di;
  const size_t lane = part * kVector;
  const auto scaled = [&](FloatV v) HWY_ATTR { return kScaled ? v : hn::Mul(v, hn::Set(d, kSumScale)); };
  add_to(sums_.red.data() + lane, scaled(sums.red));
  add_to(sums_.green.data() + lane, scaled(sums.green));
  add_to(sums_.blue.data() + lane, scaled(sums.blue));
  add_to(sums_.luminance.data() + lane, scaled(sums.luminance));
  hn::Store(hn::Min(sums.min, hn::Load(d, sums_.min.data() + lane)), d, sums_.min.data() + lane);
  hn::Store(hn::Max(sums.max, hn::Load(d, sums_.max.data() + lane)), d, sums_.max.data() + lane);
  if constexpr (kWeighted) {
    sums_.log2_whole += sum_of(sums.exponents);
    add_to(sums_.log2_fraction.data() + lane, sums.product);
  } else {
    // The row's product is a mantissa again after each block.
    const IntV bits = hn::BitCast(di, hn::Mul(products_[part], sums.product));
    products_[part] = mantissa_of(bits);
    const IntV biased = hn::Add(sums.exponents, hn::ShiftRight<23>(bits));
    const IntV bias = hn::Set(di, static_cast<int32_t>(127 * (vectors + 1)));
    exponents_[part] = hn::Add(exponents_[part], hn::Sub(biased, bias));
  }
}

template <class Loader, bool kColour, int kScale, bool kWeighted, bool kAutomatic>
void RowMeter<Loader, kColour, kScale, kWeighted, kAutomatic>::add_row(const Stored* texels, size_t count,
                                                                       const uint8_t* weights) {
  const Constants constants(spec_);
  for (size_t begin = 0; begin < count; begin += kBlockPixels) {
    const size_t pixels = count - begin < kBlockPixels ? count - begin : kBlockPixels;
    for (size_t part = 0; part < kParts; ++part) {
      add_block(constants, {texels + begin * (kColour ? 4 : 1), pixels, part, kWeighted ? weights + begin : nullptr});
    }
  }
  count_rest(0);
  if constexpr (kWeighted) return;
  for (size_t part = 0; part < kParts; ++part) {
    const Log2V product = log2_of_vector(products_[part]);
    sums_.log2_whole += sum_of(hn::Add(product.whole, exponents_[part]));
    add_to(sums_.log2_fraction.data() + part * kVector, product.fraction);
  }
}

template <class Loader, bool kColour, int kScale, bool kWeighted, bool kAutomatic>
void meter_row(const MeterRowSpec& spec, const void* texels, size_t count, const uint8_t* weights, LaneSums& sums,
               uint32_t* histogram) {
  RowMeter<Loader, kColour, kScale, kWeighted, kAutomatic> row(spec, sums, histogram);
  row.add_row(static_cast<const typename Loader::Stored*>(texels), count, weights);
}

template <class Loader, bool kColour, int kScale = 0>
MeterRow choose_weighted(const MeterRowSpec& spec) {
  if (spec.automatic()) {
    return spec.weighted ? meter_row<Loader, kColour, kScale, true, true>
                         : meter_row<Loader, kColour, kScale, false, true>;
  }
  return spec.weighted ? meter_row<Loader, kColour, kScale, true, false>
                       : meter_row<Loader, kColour, kScale, false, false>;
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
