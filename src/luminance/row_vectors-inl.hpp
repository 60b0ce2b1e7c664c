// row_vectors-inl.hpp: the operations of row_meter.cpp on one vector of pixels: loads, logarithms, checks, bins, sums,
// updates of the histogram. Included once per SIMD target.
#if defined(ONEPASS_LUMINANCE_ROW_VECTORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_LUMINANCE_ROW_VECTORS_INL
#undef ONEPASS_LUMINANCE_ROW_VECTORS_INL
#else
#define ONEPASS_LUMINANCE_ROW_VECTORS_INL
#endif

#include <limits>
#include <type_traits>

#include "image/log2.hpp"
#include "image/row_load-inl.hpp"
#include "luminance/bins.hpp"
#include "luminance/row_meter.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::luminance {
namespace HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

namespace hn = hwy::HWY_NAMESPACE;
namespace load = image::HWY_NAMESPACE;

using load::Floats;
using load::FloatV;
using load::Ints;
using load::Words;
using load::WordV;
using IntV = hn::Vec<Ints>;
using FloatM = hn::Mask<Floats>;
constexpr size_t kVector = HWY_MAX_BYTES / sizeof(float);  // lanes in a vector, of the 16
static_assert(kLanes % kVector == 0);

// ---- Pixels

struct Colours {
  FloatV red, green, blue;
};

/// Loads the lanes from `part * kVector` on, of 16 pixels. Stored values are divided by `kScale`, unless it is 0.
template <class Loader, bool kColour, int kScale>
HWY_INLINE Colours load_colours(const Loader& loader, const typename Loader::Stored* group, size_t part) {
  const Floats d;
  const auto scaled = [&](FloatV v) {
    if constexpr (kScale != 0) {
      // v / kScale, rounded, cheaper than a division: the product with kUpper, a power of two, is exact. Tested for all
      // v.
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

/// log2 of two vectors, interleaved: each is a chain of dependent operations.
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
  step(6);  // unrolled by hand: compilers do not unroll a loop of this length
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

/// The sums of a block in one vector.
struct BlockSums {
  FloatV red, green, blue, luminance;
  FloatV product;   // of mantissas; weighted: sum of weighted fractions of log2
  IntV exponents;   // sum, biased; weighted: weighted sum of integer parts of log2, not biased
  IntV weights;     // sum for pixels added without checks
  FloatV min, max;  // of luminance
};

/// One vector of pixels, and values derived from them.
struct Work {
  Colours colours;
  FloatV luminance;
  FloatV argument;   // of the logarithm that is averaged
  FloatV low, high;  // for min and max
  FloatV binned;     // luminance to count in the histogram, where has_bin
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

/// Counts finite, NaN, infinite, negative and zero pixels, and replaces values that are not metered by neutral ones.
/// `looked_at`: lanes with a pixel of weight above 0.
HWY_INLINE void sort_out(bool weighted, FloatM looked_at, IntV weights, FloatV delta, Work& work, LaneSums& sums) {
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
  sums.weight += weighted ? sum_where(keep, weights) : kept;
  sums.zero_weight += weighted ? sum_where(hn::Or(is_negative, is_zero), weights) : negative + zeros;
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

/// The constants of a MeterRowSpec, as vectors.
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

/// Truncates numbers that fit an int32_t. ConvertTo() would also handle others.
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

// ---- Bins. Their numbers are those of bins.hpp plus kFirstBin, which count_places() subtracts.

constexpr int32_t kMantissa = 0x7FFFFF;
constexpr int32_t kOneBits = 0x3F800000;  // of 1.0F

HWY_INLINE FloatV mantissa_of(IntV bits) {
  return hn::BitCast(Floats(), hn::OrAnd(hn::Set(Ints(), kOneBits), bits, hn::Set(Ints(), kMantissa)));
}

/// Upper edges of the bins with these numbers in a stop, 0 to 31.
HWY_INLINE FloatV ends_of(IntV bins) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return FloatV{
      _mm512_permutex2var_ps(_mm512_load_ps(kBinEnds.data()), bins.raw, _mm512_load_ps(kBinEnds.data() + 16))};
#else
  return hn::GatherIndex(Floats(), kBinEnds.data(), bins);
#endif
}

/// The bins of luminances from kFirstBinned to below kBeyondBinned.
HWY_INLINE IntV automatic_bins(FloatV luminance) {
  const Floats d;
  const Ints di;
  const IntV bits = hn::BitCast(di, luminance);
  const FloatV m = mantissa_of(bits);
  const FloatV guess =
      hn::Add(hn::Mul(hn::Add(hn::Mul(m, hn::Set(d, kGuess[2])), hn::Set(d, kGuess[1])), m), hn::Set(d, kGuess[0]));
  const IntV before = truncate(guess);
  const IntV all_stops = hn::ShiftRight<23 - kBinBits>(bits);
  const IntV bins = hn::OrAnd(before, all_stops, hn::Set(di, -static_cast<int32_t>(kBinsPerStop)));
  const auto is_next = hn::RebindMask(di, hn::Ge(m, ends_of(before)));
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return IntV{_mm512_mask_add_epi32(bins.raw, is_next.raw, bins.raw, _mm512_set1_epi32(1))};
#else
  return hn::Sub(bins, hn::VecFromMask(di, is_next));
#endif
}

/// The bins in a given range, plus kFirstBin.
HWY_INLINE IntV given_bins(const Constants& constants, Log2V log2) {
  const Floats d;
  const FloatV log2_luminance = hn::Add(hn::ConvertTo(d, log2.whole), log2.fraction);
  const FloatV place = hn::Mul(hn::Sub(log2_luminance, constants.bin_low), constants.bin_scale);
  const IntV bins = truncate(hn::Min(hn::Max(place, hn::Zero(d)), constants.last_bin));
  return hn::Add(bins, hn::Set(Ints(), static_cast<int32_t>(kFirstBin)));
}

/// Adds a vector to a block. `work.argument` must be positive and normal.
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

/// The bins of a block's pixels, which are counted later.
struct Places {
  alignas(64) uint32_t bins[kBlockGroups * kVector];
  size_t vectors = 0;
  const uint8_t* weights = nullptr;  // of the block's first vector
};

/// Counts `kVectors` vectors from `first` on, lane i in copy i modulo kCopies.
template <bool kWeighted, size_t kVectors>
HWY_INLINE void count_places(const Places& places, size_t first, uint32_t* HWY_RESTRICT histogram) {
  constexpr size_t kAtOnce = 4;  // unrolled by hand: compilers do not unroll a loop of this length
  static_assert(kVector % kAtOnce == 0 && kCopies % kAtOnce == 0);
  const auto four = [&](size_t i) HWY_ATTR {
    uint32_t* copies = histogram + i % kCopies * kCopyWords;
    const uint32_t* bin = places.bins + first * kVector + i;
    const uint8_t* weights = kWeighted ? places.weights + (first + i / kVector) * kLanes + i % kVector : nullptr;
    const auto add = [&](ptrdiff_t k) HWY_ATTR {
      constexpr ptrdiff_t kStride = kCopyWords;
      const uint32_t weight = kWeighted ? weights[k] : 1;
      copies[static_cast<ptrdiff_t>(bin[k]) + (k * kStride - static_cast<ptrdiff_t>(kFirstBin))] += weight;
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

/// Adds a vector of floats to as many doubles.
HWY_INLINE void add_to(double* sums, FloatV values) {
  const hn::Repartition<double, Floats> dd;
  const hn::Half<Floats> half;
  constexpr size_t kHalf = kVector / 2;
  const auto lower = hn::PromoteTo(dd, hn::LowerHalf(half, values));
  const auto upper = hn::PromoteTo(dd, hn::UpperHalf(half, values));
  hn::StoreU(hn::Add(hn::LoadU(dd, sums), lower), dd, sums);
  hn::StoreU(hn::Add(hn::LoadU(dd, sums + kHalf), upper), dd, sums + kHalf);
}

#endif
}  // namespace HWY_NAMESPACE
}  // namespace onepass::luminance
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
