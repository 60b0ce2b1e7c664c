// row_meter.cpp: meters rows of pixels in SIMD: sums, extremes, histogram. row_plain.cpp, the scalar reference, is
// easier to read.
//
// A block of 256 pixels is first added as if all were ordinary: positive and finite. The block's extremes and sum show
// whether they were; if not, add_any() repeats the block and checks every pixel. Histogram updates lag one block
// behind, so that their stores overlap arithmetic.
//
// Without weights, a row takes one logarithm per lane: mantissas are multiplied, exponents added.

#include "luminance/row_meter.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "luminance/row_meter.cpp"
#include "hwy/foreach_target.h"  // includes this file once per target; must come first

#include <limits>

#include "cpu/simd_dispatch.hpp"
#include "luminance/row_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::luminance {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE  // no vectors of constant size: the scalar reference runs instead

MeterRow choose_meter_row(const MeterRowSpec& /*spec*/) { return nullptr; }

#else

// ---- Rows

/// The number of each lane's pixel in its group.
template <bool kColour>
struct PixelOfLane {
  alignas(64) float number[kLanes];
  PixelOfLane() {
    for (size_t i = 0; i < kLanes; ++i) number[lane_of_pixel(kColour, i)] = static_cast<float>(i);
  }
};

/// A block of groups, and the vector to meter of each: the lanes from `part * kVector` on.
template <typename Stored>
struct Block {
  const Stored* texels;
  size_t pixels, part;
  const uint8_t* weights;
};

/// One format of stored pixels.
template <class Loader, bool kColour, int kScale>
struct Pixels {
  using Stored = typename Loader::Stored;
  static constexpr size_t kChannels = kColour ? 4 : 1;
  static constexpr size_t kGroupChannels = kLanes * kChannels;
  // Scaling by a power of two is exact: sums that cannot overflow, of all but fp32, are scaled at the end of a block.
  static constexpr bool kScaled = sizeof(Stored) == sizeof(float);

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

  /// Adds the block's vectors from `first` on, and checks every pixel.
  HWY_NOINLINE void add_any(const MeterRowSpec& spec, const Block<Stored>& block, size_t first, BlockSums& sums,
                            Places& places, LaneSums& out) const;
};

HWY_INLINE IntV load_weights(const uint8_t* weights, size_t part) {
  const hn::Rebind<uint8_t, Ints> bytes;
  return hn::PromoteTo(Ints(), hn::LoadU(bytes, weights + part * kVector));
}

template <class Loader, bool kColour, int kScale>
HWY_NOINLINE void Pixels<Loader, kColour, kScale>::add_any(const MeterRowSpec& spec, const Block<Stored>& block,
                                                           size_t first, BlockSums& sums, Places& places,
                                                           LaneSums& out) const {
  static const PixelOfLane<kColour> pixel_of_lane;
  const Floats d;
  const Ints di;
  const Constants constants(spec);
  BlockSums all = sums;
  for (size_t i = first; i * kLanes < block.pixels; ++i) {
    const Stored* group = block.texels + i * kGroupChannels;
    const size_t rest = block.pixels - i * kLanes;
    Stored last[kGroupChannels] = {};
    if (rest < kLanes) {
      std::memcpy(last, group, rest * kChannels * sizeof(Stored));
      group = last;
    }
    Work work = load(constants, group, block.part);
    const IntV weight = spec.weighted ? load_weights(block.weights + i * kLanes, block.part) : hn::Set(di, 1);
    const FloatV number = hn::Load(d, pixel_of_lane.number + block.part * kVector);
    const FloatM in_row = hn::Lt(number, hn::Set(d, static_cast<float>(rest)));
    const FloatM looked_at = hn::And(in_row, hn::RebindMask(d, hn::Gt(weight, hn::Zero(di))));
    sort_out(spec.weighted, looked_at, weight, constants.delta, work, out);
    IntV found;
    if (spec.automatic()) {
      found = automatic_bins(work.binned);
      found = hn::Min(hn::Max(found, hn::Set(di, kFirstBin)), hn::Set(di, kFirstBin + ONEPASS_LUMINANCE_FINE_BINS - 1));
    } else {
      found = given_bins(constants, log2_of_vector(hn::Max(work.binned, hn::Set(d, 0x1p-126F))));
    }
    const IntV no_bin = hn::Set(di, static_cast<int32_t>(kFirstBin + spec.bins));
    found = hn::IfThenElse(hn::RebindMask(di, work.has_bin), found, no_bin);
    hn::Store(hn::BitCast(Words(), found), Words(), places.bins + i * kVector);
    spec.weighted ? add_vector<true, kScaled>(work, weight, all) : add_vector<false, kScaled>(work, weight, all);
  }
  sums = all;
}

/// Rows with instances of their own: pixels have equal weights. Other rows decide at run time, because every instance
/// is compiled for a second per SIMD target.
enum class Rows { kAutomaticBins, kGivenBins, kAny };

/// Meters a row.
template <class Loader, bool kColour, int kScale, Rows kRows>
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
  using Format = Pixels<Loader, kColour, kScale>;
  static constexpr size_t kParts = kLanes / kVector;
  static constexpr size_t kGroupChannels = Format::kGroupChannels;
  static constexpr size_t kBlockPixels = kLanes * kBlockGroups;

  [[nodiscard]] HWY_INLINE bool weighted() const { return kRows == Rows::kAny && weighted_; }
  [[nodiscard]] HWY_INLINE bool automatic() const {
    return kRows == Rows::kAny ? automatic_ : kRows == Rows::kAutomaticBins;
  }

  /// Adds one vector of each of two groups without checking their pixels.
  HWY_INLINE void add_two(const Constants& constants, const Stored* group, size_t part, const uint8_t* weights,
                          BlockSums& sums, uint32_t* bins);

  /// Whether all pixels added without checks are ordinary: with a luminance within the bins, and a weight.
  [[nodiscard]] HWY_INLINE bool were_ordinary(const BlockSums& sums) const {
    const Floats d;
    const FloatV least = hn::Set(d, automatic() ? kFirstBinned : 0x1p-126F);
    const FloatV most = hn::Set(d, automatic() ? kBeyondBinned : std::numeric_limits<float>::infinity());
    const FloatV largest = hn::Set(d, std::numeric_limits<float>::max());
    // A NaN may be lost by min and max, but not by the sum.
    const FloatM in_range = hn::And(hn::Ge(sums.min, least), hn::Lt(sums.max, most));
    return hn::AllTrue(d, hn::And(in_range, hn::Le(sums.luminance, largest)));
  }

  HWY_INLINE void add_block(const Constants& constants, const Block<Stored>& block);
  template <size_t kVectors>
  HWY_INLINE void count_bins(const Places& places, size_t vector);
  HWY_INLINE void count_rest(size_t vector);
  HWY_INLINE void finish(const BlockSums& sums, size_t part, size_t vectors);

  [[nodiscard]] HWY_INLINE BlockSums first_sums() const {
    const Floats d;
    const FloatV zero = hn::Zero(d);
    const IntV none = hn::Zero(Ints());
    return {zero,
            zero,
            zero,
            zero,
            hn::Set(d, weighted() ? 0.0F : 1.0F),
            none,
            none,
            hn::Set(d, std::numeric_limits<float>::infinity()),
            zero};
  }

  /// Prefetches the same pair of groups of the next block.
  static HWY_INLINE void prefetch_next_block(const Stored* group) {
    constexpr size_t kLine = 64 / sizeof(Stored);
    for (size_t i = 0; i < 2 * kGroupChannels; i += kLine) hwy::Prefetch(group + kBlockGroups * kGroupChannels + i);
  }

  const MeterRowSpec& spec_;
  const bool weighted_ = spec_.weighted;
  const bool automatic_ = spec_.automatic();
  LaneSums& sums_;
  uint32_t* histogram_;
  Format pixels_;
  Places places_[2];         // bins of this block and of the previous one
  size_t now_ = 0;           // index in `places_` of this block's bins
  bool careful_ = false;     // the previous block was not ordinary: check every pixel
  FloatV products_[kParts];  // of the row's mantissas
  IntV exponents_[kParts];   // sums of the row's exponents, without bias
};

template <class Loader, bool kColour, int kScale, Rows kRows>
HWY_INLINE void RowMeter<Loader, kColour, kScale, kRows>::add_two(const Constants& constants, const Stored* group,
                                                                  size_t part, const uint8_t* weights, BlockSums& sums,
                                                                  uint32_t* bins) {
  Work work0 = pixels_.load(constants, group, part);
  Work work1 = pixels_.load(constants, group + kGroupChannels, part);
  IntV bins0;
  IntV bins1;
  if (automatic()) {
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
  const auto add = [&](Work& work, const uint8_t* group_weights) HWY_ATTR {
    work.argument = hn::Add(work.luminance, constants.delta);
    work.low = work.high = work.luminance;
    if (!weighted()) return add_vector<false, Format::kScaled>(work, hn::Zero(Ints()), sums);
    const IntV weight = load_weights(group_weights, part);
    sums.weights = hn::Add(sums.weights, weight);
    // A pixel without weight is not ordinary: its minimum becomes 0.
    const auto none = hn::RebindMask(Floats(), hn::Eq(weight, hn::Zero(Ints())));
    work.low = hn::IfThenZeroElse(none, work.low);
    add_vector<true, Format::kScaled>(work, weight, sums);
  };
  add(work0, weights);
  add(work1, weighted() ? weights + kLanes : nullptr);
}

/// Counts `kVectors` vectors of bins from `vector` on.
template <class Loader, bool kColour, int kScale, Rows kRows>
template <size_t kVectors>
HWY_INLINE void RowMeter<Loader, kColour, kScale, kRows>::count_bins(const Places& places, size_t vector) {
  weighted() ? count_places<true, kVectors>(places, vector, histogram_)
             : count_places<false, kVectors>(places, vector, histogram_);
}

/// Counts the bins of the previous block from vector `vector` on.
template <class Loader, bool kColour, int kScale, Rows kRows>
HWY_INLINE void RowMeter<Loader, kColour, kScale, kRows>::count_rest(size_t vector) {
  const Places& before = places_[1 - now_];
  for (; vector < before.vectors; ++vector) count_bins<1>(before, vector);
}

template <class Loader, bool kColour, int kScale, Rows kRows>
HWY_INLINE void RowMeter<Loader, kColour, kScale, kRows>::add_block(const Constants& constants,
                                                                    const Block<Stored>& block) {
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
      add_two(constants, group, block.part, weighted() ? block.weights + done * kLanes : nullptr, sums,
              places.bins + done * kVector);
      if (HWY_LIKELY(counted != 0)) count_bins<2>(before, done);
    }
  }
  count_rest(counted);
  if (done != 0 && HWY_LIKELY(were_ordinary(sums))) {
    const uint64_t pixels = done * kVector;
    sums_.finite += pixels;
    sums_.weight += weighted() ? static_cast<uint64_t>(sum_of(sums.weights)) : pixels;
  } else {
    sums = first_sums();
    done = 0;
  }
  if (done < vectors) {
    BlockSums copy = sums;
    pixels_.add_any(spec_, block, done, copy, places, sums_);
    careful_ = done == 0 && !were_ordinary(copy);
    sums = copy;
  }
  places.vectors = vectors;
  places.weights = weighted() ? block.weights + block.part * kVector : nullptr;
  finish(sums, block.part, vectors);
  now_ = 1 - now_;
}

/// Adds the sums of a block to those of the row.
template <class Loader, bool kColour, int kScale, Rows kRows>
HWY_INLINE void RowMeter<Loader, kColour, kScale, kRows>::finish(const BlockSums& sums, size_t part, size_t vectors) {
  const Floats d;
  const Ints di;
  const size_t lane = part * kVector;
  const auto scaled = [&](FloatV v) HWY_ATTR { return Format::kScaled ? v : hn::Mul(v, hn::Set(d, kSumScale)); };
  add_to(sums_.red.data() + lane, scaled(sums.red));
  add_to(sums_.green.data() + lane, scaled(sums.green));
  add_to(sums_.blue.data() + lane, scaled(sums.blue));
  add_to(sums_.luminance.data() + lane, scaled(sums.luminance));
  hn::Store(hn::Min(sums.min, hn::Load(d, sums_.min.data() + lane)), d, sums_.min.data() + lane);
  hn::Store(hn::Max(sums.max, hn::Load(d, sums_.max.data() + lane)), d, sums_.max.data() + lane);
  if (weighted()) {
    sums_.log2_whole += sum_of(sums.exponents);
    add_to(sums_.log2_fraction.data() + lane, sums.product);
  } else {
    // Only the mantissa of the row's product is kept; its exponent is added to the sum.
    const IntV bits = hn::BitCast(di, hn::Mul(products_[part], sums.product));
    products_[part] = mantissa_of(bits);
    const IntV biased = hn::Add(sums.exponents, hn::ShiftRight<23>(bits));
    const IntV bias = hn::Set(di, static_cast<int32_t>(127 * (vectors + 1)));
    exponents_[part] = hn::Add(exponents_[part], hn::Sub(biased, bias));
  }
}

template <class Loader, bool kColour, int kScale, Rows kRows>
void RowMeter<Loader, kColour, kScale, kRows>::add_row(const Stored* texels, size_t count, const uint8_t* weights) {
  const Constants constants(spec_);
  for (size_t begin = 0; begin < count; begin += kBlockPixels) {
    const size_t pixels = count - begin < kBlockPixels ? count - begin : kBlockPixels;
    for (size_t part = 0; part < kParts; ++part) {
      add_block(constants, {texels + begin * Format::kChannels, pixels, part, weighted() ? weights + begin : nullptr});
    }
  }
  count_rest(0);
  if (weighted()) return;
  for (size_t part = 0; part < kParts; ++part) {
    const Log2V product = log2_of_vector(products_[part]);
    sums_.log2_whole += sum_of(hn::Add(product.whole, exponents_[part]));
    add_to(sums_.log2_fraction.data() + part * kVector, product.fraction);
  }
}

template <class Loader, bool kColour, int kScale, Rows kRows>
void meter_row(const MeterRowSpec& spec, const void* texels, size_t count, const uint8_t* weights, LaneSums& sums,
               uint32_t* histogram) {
  RowMeter<Loader, kColour, kScale, kRows> row(spec, sums, histogram);
  row.add_row(static_cast<const typename Loader::Stored*>(texels), count, weights);
}

template <class Loader, bool kColour, int kScale = 0>
MeterRow choose_rows(const MeterRowSpec& spec) {
  if (spec.weighted) return meter_row<Loader, kColour, kScale, Rows::kAny>;
  return spec.automatic() ? meter_row<Loader, kColour, kScale, Rows::kAutomaticBins>
                          : meter_row<Loader, kColour, kScale, Rows::kGivenBins>;
}

#if HWY_TARGET == HWY_AVX3_DL && (HWY_TARGETS & HWY_AVX3) != 0

/// Only formats that this target loads in fewer operations than AVX3, whose functions serve the others.
MeterRow choose_meter_row(const MeterRowSpec& spec) {
  if (!spec.colour) return nullptr;
  if (spec.storage == MeterStorage::kSrgb8) return choose_rows<load::LoadSrgb8Colours, true>(spec);
  return spec.storage == MeterStorage::kF16 ? choose_rows<load::LoadF16, true>(spec) : nullptr;
}

#else

MeterRow choose_meter_row(const MeterRowSpec& spec) {
  switch (spec.storage) {
    case MeterStorage::kU8:
      return spec.colour ? choose_rows<load::LoadU8, true, 255>(spec) : choose_rows<load::LoadU8, false, 255>(spec);
    case MeterStorage::kSrgb8:
      return spec.colour ? choose_rows<load::LoadSrgb8Colours, true>(spec)
                         : choose_rows<load::LoadSrgbEach, false>(spec);
    case MeterStorage::kU16:
      return spec.colour ? choose_rows<load::LoadU16, true, 65535>(spec)
                         : choose_rows<load::LoadU16, false, 65535>(spec);
    case MeterStorage::kF16:
      return spec.colour ? choose_rows<load::LoadF16, true>(spec) : choose_rows<load::LoadF16, false>(spec);
    case MeterStorage::kF32:
      return spec.colour ? choose_rows<load::LoadF32, true>(spec) : choose_rows<load::LoadF32, false>(spec);
  }
  return nullptr;
}

#endif

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::luminance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::luminance {

ONEPASS_SIMD_EXPORT(choose_meter_row);

MeterRow find_meter_row(const MeterRowSpec& spec) { return ONEPASS_SIMD_FIND(choose_meter_row, spec); }

}  // namespace onepass::luminance
#endif
