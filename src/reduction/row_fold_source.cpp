// row_fold_source.cpp: reduces source rows to working rows, in SIMD, without a decoded row in memory: level 1 of all
// footprints but tight. Formats: 8- and 16-bit UNORM, half and float where texels need no prepare(), and min_max of one
// channel of these. The functions are loops over blocks of four vectors, decoded in registers:
//
//     fold_source_rows   2 or 3 rows to one
//     fold_source_quads  2x2 texels to one, in up to four pairs of rows at once; means of 8-bit UNORM add in 16 bits
#include "reduction/box_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduction/row_fold_source.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "reduction/row_fold-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: scalar reference

void set_source_folds(const BoxSpec& /*spec*/, BoxKernels<float>& /*kernels*/) {}

#else

// ---- Sums of 8-bit UNORM values, exact in 16 bits

using Codes = hn::Repartition<uint16_t, Floats>;
using CodeV = hn::Vec<Codes>;

/// Sums of neighbouring texels: `even` and `odd` hold every second channel in 16-bit lanes. Returns the channels in
/// memory order.
template <uint32_t kChannels>
HWY_INLINE CodeV add_texel_pairs(CodeV even, CodeV odd) {
  const Codes d;
  if constexpr (kChannels == 1) return hn::Add(even, odd);
  if constexpr (kChannels == 2) {
    const Words d32;
    const CodeV first = hn::Add(even, hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(d32, even))));
    const CodeV second = hn::Add(odd, hn::BitCast(d, hn::ShiftLeft<16>(hn::BitCast(d32, odd))));
    return hn::OddEven(second, first);
  }
  if constexpr (kChannels == 4) {
    const hn::Repartition<uint64_t, Codes> d64;
    const hn::Repartition<uint8_t, Codes> d8;
    const CodeV channels02 = hn::Add(even, hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, even))));
    const CodeV channels13 = hn::Add(odd, hn::BitCast(d, hn::ShiftLeft<32>(hn::BitCast(d64, odd))));
    const auto mixed = hn::OddEven(hn::BitCast(Words(), channels13), hn::BitCast(Words(), channels02));
    alignas(16) static constexpr uint8_t kInOrder[16] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
    return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(d8, mixed), hn::LoadDup128(d8, kInOrder)));
  }
}

/// Reduces a vector of 8-bit values of each row to half as many means.
template <uint32_t kChannels>
HWY_INLINE void add_quads_block(const uint8_t* upper, const uint8_t* lower, float* out) {
  const Floats d;
  const Codes d16;
  const hn::Repartition<uint8_t, Codes> d8;
  const CodeV above = hn::BitCast(d16, hn::LoadU(d8, upper));
  const CodeV below = hn::BitCast(d16, hn::LoadU(d8, lower));
  const CodeV low_byte = hn::Set(d16, 0xFF);
  const CodeV even = hn::Add(hn::And(above, low_byte), hn::And(below, low_byte));
  const CodeV odd = hn::Add(hn::ShiftRight<8>(above), hn::ShiftRight<8>(below));
  const CodeV sums = add_texel_pairs<kChannels>(even, odd);
  const hn::Half<Codes> half;
  const FloatV quarter = hn::Set(d, 0.25F);
  const FloatV first = hn::ConvertTo(d, hn::PromoteTo(Ints(), hn::LowerHalf(half, sums)));
  const FloatV second = hn::ConvertTo(d, hn::PromoteTo(Ints(), hn::UpperHalf(half, sums)));
  hn::StoreU(hn::Mul(first, quarter), d, out);
  hn::StoreU(hn::Mul(second, quarter), d, out + hn::Lanes(d));
}

template <uint32_t kChannels>
void add_source_quads(const void* const* rows, uint32_t pairs, size_t texels, float* const* outs) {
  fold_pairs_of_rows<uint8_t, 1>(rows, pairs, 2 * texels * kChannels, outs,
                                 [](const uint8_t* upper, const uint8_t* lower, float* out)
                                     HWY_ATTR { add_quads_block<kChannels>(upper, lower, out); });
}

// ---- Min and max of one channel

template <class Loader>
HWY_INLINE void fold_bounds_block(const Loader& loader, const typename Loader::Stored* upper,
                                  const typename Loader::Stored* lower, float* out) {
  const Floats d;
  FloatV above[4];
  FloatV below[4];
  loader.load4(upper, above);
  loader.load4(lower, below);
  for (size_t i = 0; i < 4; i += 2) {
    const FloatV least = fold_pairs<Smallest, 1>(hn::Min(above[i], below[i]), hn::Min(above[i + 1], below[i + 1]));
    const FloatV most = fold_pairs<Largest, 1>(hn::Max(above[i], below[i]), hn::Max(above[i + 1], below[i + 1]));
    hn::StoreInterleaved2(least, most, d, out + i * hn::Lanes(d));
  }
}

template <class Loader>
void fold_source_bounds(const void* const* rows, uint32_t pairs, size_t texels, float* const* outs) {
  using Stored = typename Loader::Stored;
  const Loader loader;
  const auto block = [&loader](const Stored* upper, const Stored* lower, float* out)
                         HWY_ATTR { fold_bounds_block(loader, upper, lower, out); };
  fold_pairs_of_rows<Stored, 2>(rows, pairs, 2 * texels, outs, block);
}

// ---- Selection of functions

void set_source_folds(const BoxSpec& spec, BoxKernels<float>& kernels) {
  if (spec.source.semantics == image::PixelSemantics::kPair) {
    with_loader(spec, [&]<class Loader>() { kernels.fold_source_quads = fold_source_bounds<Loader>; });
  }
  if (spec.source.prepares()) return;
  with_reduction(spec, [&]<class Op, uint32_t kChannels>() {
    with_loader(spec, [&]<class Loader>() {
      kernels.fold_source_rows = fold_rows_any<Loader, Op>;
      kernels.fold_source_quads = fold_quads_of<Loader, Op, kChannels>;
    });
    if (Op::kMean && spec.source.storage == Storage::kU8) kernels.fold_source_quads = add_source_quads<kChannels>;
  });
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::reduction {

ONEPASS_SIMD_EXPORT(set_source_folds);

void add_source_folds(const BoxSpec& spec, BoxKernels<float>& kernels) {
  ONEPASS_SIMD_CALL(set_source_folds)(spec, kernels);
}

}  // namespace onepass::reduction
#endif
