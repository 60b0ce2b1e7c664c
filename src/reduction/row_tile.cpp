// row_tile.cpp: BoxKernels::fold_tiles and fold_tiles_non_temporal, in SIMD: three levels at once where all taps are
// 2x2 of equal weight (aligned; covering and edge where sizes halve exactly). Formats: mean of RGBA8 UNORM to RGBA8
// UNORM, all reductions of float to float, min_max of one float channel. One loop over columns: a step reads eight
// source rows and writes four, two and one target rows; intermediate levels stay in registers:
//
//     row 0  ----.  level 1  --.
//     row 1  ----'             +-- level 2 --.
//     row 2  ----.  level 1  --'             |
//     row 3  ----'                           +-- level 3, also as a working row
//     ...                                    |
#include <algorithm>
#include <cstring>

#include "reduction/box_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduction/row_tile.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "reduction/row_fold-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: levels are computed one by one

void set_tiles(const BoxSpec& /*spec*/, BoxKernels<float>& /*kernels*/) {}

#else

// ---- RGBA8 UNORM, mean: sums of up to 64 texels are exact in 16 bits

using Codes = hn::Repartition<uint16_t, Floats>;
using CodeV = hn::Vec<Codes>;

/// Sums of 8-bit values: a 32-bit lane is a texel. `even` has red and blue, `odd` green and alpha.
struct TexelSums {
  CodeV even;
  CodeV odd;
};

HWY_INLINE TexelSums add(TexelSums a, TexelSums b) { return {hn::Add(a.even, b.even), hn::Add(a.odd, b.odd)}; }

HWY_INLINE CodeV add_neighbours(CodeV lower, CodeV upper) {
  const Codes d;
  const Words d32;
  const WordV low = hn::BitCast(d32, lower);
  const WordV high = hn::BitCast(d32, upper);
  return hn::Add(hn::BitCast(d, hn::ConcatEven(d32, high, low)), hn::BitCast(d, hn::ConcatOdd(d32, high, low)));
}

/// Adds every texel to its neighbour on the right.
HWY_INLINE TexelSums add_neighbours(TexelSums lower, TexelSums upper) {
  return {add_neighbours(lower.even, upper.even), add_neighbours(lower.odd, upper.odd)};
}

/// Adds a vector of texels of each of two rows.
HWY_INLINE TexelSums load_sums(const uint8_t* upper, const uint8_t* lower) {
  const Codes d;
  const hn::Repartition<uint8_t, Codes> d8;
  const CodeV above = hn::BitCast(d, hn::LoadU(d8, upper));
  const CodeV below = hn::BitCast(d, hn::LoadU(d8, lower));
  const CodeV low_byte = hn::Set(d, 0xFF);
  return {hn::Add(hn::And(above, low_byte), hn::And(below, low_byte)),
          hn::Add(hn::ShiftRight<8>(above), hn::ShiftRight<8>(below))};
}

/// sum / 2^kShift to nearest, ties to even.
template <int kShift>
HWY_INLINE CodeV round_shift(CodeV sum) {
  const Codes d;
  const CodeV is_odd = hn::And(hn::ShiftRight<kShift>(sum), hn::Set(d, 1));
  return hn::ShiftRight<kShift>(hn::Add(hn::Add(sum, hn::Set(d, (1U << (kShift - 1)) - 1)), is_odd));
}

template <int kShift, class Store>
HWY_INLINE void store_codes(TexelSums sums, uint8_t* to) {
  const hn::Repartition<uint8_t, Codes> d8;
  const CodeV codes = hn::Or(round_shift<kShift>(sums.even), hn::ShiftLeft<8>(round_shift<kShift>(sums.odd)));
  Store::store(hn::BitCast(d8, codes), d8, to);
}

/// Stores sums of 64 texels as working texels.
HWY_INLINE void store_working(TexelSums sums, float* to) {
  const Floats d;
  const Words d32;
  const FloatV scale = hn::Set(d, 1.0F / 64);
  const WordV low = hn::Set(d32, 0xFFFF);
  const auto values = [&](WordV words)
                          HWY_ATTR { return hn::Mul(hn::ConvertTo(d, hn::BitCast(Ints(), words)), scale); };
  const WordV even = hn::BitCast(d32, sums.even);
  const WordV odd = hn::BitCast(d32, sums.odd);
  hn::StoreInterleaved4(values(hn::And(even, low)), values(hn::And(odd, low)), values(hn::ShiftRight<16>(even)),
                        values(hn::ShiftRight<16>(odd)), d, to);
}

/// Writes two vectors of each of the four rows of level 1, `column` vectors from the left, and one vector of each of
/// the two rows of level 2. Returns the sum of the latter two.
template <class Store>
HWY_INLINE TexelSums fold_unorm8_columns(const uint8_t* const (&rows)[8], size_t column, uint8_t* const (&outs)[7]) {
  const size_t bytes = 4 * hn::Lanes(Words());
  TexelSums level2[2];
  for (size_t half = 0; half < 2; ++half) {
    TexelSums rows1[2][2];
    for (size_t pair = 0; pair < 2; ++pair) {
      const size_t row = 2 * half + pair;
      for (size_t i = 0; i < 2; ++i) {
        const uint8_t* upper = rows[2 * row] + (2 * column + 2 * i) * bytes;
        const uint8_t* lower = rows[2 * row + 1] + (2 * column + 2 * i) * bytes;
        prefetch(upper, 2 * bytes);
        prefetch(lower, 2 * bytes);
        rows1[pair][i] = add_neighbours(load_sums(upper, lower), load_sums(upper + bytes, lower + bytes));
        store_codes<2, Store>(rows1[pair][i], outs[row] + (column + i) * bytes);
      }
    }
    level2[half] = add_neighbours(add(rows1[0][0], rows1[1][0]), add(rows1[0][1], rows1[1][1]));
    store_codes<4, Store>(level2[half], outs[4 + half] + column / 2 * bytes);
  }
  return add(level2[0], level2[1]);
}

template <class Store>
void fold_unorm8_tiles(const void* const* source_rows, size_t texels, void* const* target_rows, float* last) {
  const uint8_t* rows[8];
  uint8_t* outs[7];
  for (size_t i = 0; i < 8; ++i) rows[i] = static_cast<const uint8_t*>(source_rows[i]);
  for (size_t i = 0; i < 7; ++i) outs[i] = static_cast<uint8_t*>(target_rows[i]);
  const size_t lanes = hn::Lanes(Words());
  for (size_t i = 0; i < texels / lanes; ++i) {
    const TexelSums left = fold_unorm8_columns<Store>(rows, 4 * i, outs);
    const TexelSums right = fold_unorm8_columns<Store>(rows, 4 * i + 2, outs);
    const TexelSums level3 = add_neighbours(left, right);
    store_codes<6, Store>(level3, outs[6] + i * 4 * lanes);
    store_working(level3, last + i * 4 * lanes);
  }
}

// ---- Floats

/// Reduces 2x2 texels: 4 * Lanes(Floats()) elements of each row to two vectors.
template <class Loader, class Op, uint32_t kChannels>
HWY_INLINE void fold_quads_registers(const Loader& loader, const typename Loader::Stored* upper,
                                     const typename Loader::Stored* lower, FloatV& first, FloatV& second) {
  FloatV above[4];
  FloatV below[4];
  loader.load4(upper, above);
  loader.load4(lower, below);
  first = fold_four<Op, kChannels>(above[0], below[0], above[1], below[1]);
  second = fold_four<Op, kChannels>(above[2], below[2], above[3], below[3]);
}

template <class Loader, class Op, uint32_t kChannels, class Store>
void fold_float_tiles(const void* const* source_rows, size_t texels, void* const* target_rows, float* last) {
  using Stored = typename Loader::Stored;
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const Loader loader;
  const Stored* rows[8];
  float* outs[7];
  for (size_t i = 0; i < 8; ++i) rows[i] = static_cast<const Stored*>(source_rows[i]);
  for (size_t i = 0; i < 7; ++i) outs[i] = static_cast<float*>(target_rows[i]);
  for (size_t i = 0; i < texels * kChannels; i += lanes) {
    FloatV level2[2][2];
    for (size_t half = 0; half < 2; ++half) {
      FloatV rows1[2][4];
      for (size_t pair = 0; pair < 2; ++pair) {
        const size_t row = 2 * half + pair;
        for (size_t part = 0; part < 2; ++part) {
          const size_t from = 8 * i + part * 4 * lanes;
          prefetch(rows[2 * row] + from, 4 * lanes * sizeof(Stored));
          prefetch(rows[2 * row + 1] + from, 4 * lanes * sizeof(Stored));
          fold_quads_registers<Loader, Op, kChannels>(loader, rows[2 * row] + from, rows[2 * row + 1] + from,
                                                      rows1[pair][2 * part], rows1[pair][2 * part + 1]);
        }
        for (size_t v = 0; v < 4; ++v) Store::store(rows1[pair][v], d, outs[row] + 4 * i + v * lanes);
      }
      for (size_t v = 0; v < 2; ++v) {
        level2[half][v] =
            fold_four<Op, kChannels>(rows1[0][2 * v], rows1[1][2 * v], rows1[0][2 * v + 1], rows1[1][2 * v + 1]);
        Store::store(level2[half][v], d, outs[4 + half] + 2 * i + v * lanes);
      }
    }
    const FloatV level3 = fold_four<Op, kChannels>(level2[0][0], level2[1][0], level2[0][1], level2[1][1]);
    Store::store(level3, d, outs[6] + i);
    hn::StoreU(level3, d, last + i);
  }
}

// ---- Min and max of one channel

struct MinMax {
  FloatV least;
  FloatV most;
};

HWY_INLINE MinMax fold_four(const MinMax& above0, const MinMax& below0, const MinMax& above1, const MinMax& below1) {
  return {fold_pairs<Smallest, 1>(hn::Min(above0.least, below0.least), hn::Min(above1.least, below1.least)),
          fold_pairs<Largest, 1>(hn::Max(above0.most, below0.most), hn::Max(above1.most, below1.most))};
}

HWY_INLINE MinMax fold_loaded(FloatV above0, FloatV below0, FloatV above1, FloatV below1) {
  return {fold_pairs<Smallest, 1>(hn::Min(above0, below0), hn::Min(above1, below1)),
          fold_pairs<Largest, 1>(hn::Max(above0, below0), hn::Max(above1, below1))};
}

template <class Store>
HWY_INLINE void store_pairs(const MinMax& value, float* to) {
  const Floats d;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  Store::store(FloatV{_mm512_permutex2var_ps(value.least.raw, low, value.most.raw)}, d, to);
  Store::store(FloatV{_mm512_permutex2var_ps(value.least.raw, high, value.most.raw)}, d, to + hn::Lanes(d));
#else
  HWY_ALIGN float pairs[2 * HWY_MAX_BYTES / sizeof(float)];
  hn::StoreInterleaved2(value.least, value.most, d, pairs);
  Store::store(hn::Load(d, pairs), d, to);
  Store::store(hn::Load(d, pairs + hn::Lanes(d)), d, to + hn::Lanes(d));
#endif
}

/// Each step makes Lanes(Floats()) texels of level 3.
template <class Loader, class Store>
void fold_bounds_tiles(const void* const* source_rows, size_t texels, void* const* target_rows, float* last) {
  using Stored = typename Loader::Stored;
  const size_t lanes = hn::Lanes(Floats());
  const Loader loader;
  const Stored* rows[8];
  float* outs[7];
  for (size_t i = 0; i < 8; ++i) rows[i] = static_cast<const Stored*>(source_rows[i]);
  for (size_t i = 0; i < 7; ++i) outs[i] = static_cast<float*>(target_rows[i]);
  for (size_t i = 0; i < texels; i += lanes) {
    MinMax level2[2][2];
    for (size_t half = 0; half < 2; ++half) {
      MinMax rows1[2][4];
      for (size_t pair = 0; pair < 2; ++pair) {
        const size_t row = 2 * half + pair;
        for (size_t part = 0; part < 2; ++part) {
          const size_t from = 8 * i + part * 4 * lanes;
          FloatV above[4];
          FloatV below[4];
          prefetch(rows[2 * row] + from, 4 * lanes * sizeof(Stored));
          prefetch(rows[2 * row + 1] + from, 4 * lanes * sizeof(Stored));
          loader.load4(rows[2 * row] + from, above);
          loader.load4(rows[2 * row + 1] + from, below);
          rows1[pair][2 * part] = fold_loaded(above[0], below[0], above[1], below[1]);
          rows1[pair][2 * part + 1] = fold_loaded(above[2], below[2], above[3], below[3]);
        }
        for (size_t v = 0; v < 4; ++v) store_pairs<Store>(rows1[pair][v], outs[row] + 2 * (4 * i + v * lanes));
      }
      for (size_t v = 0; v < 2; ++v) {
        level2[half][v] = fold_four(rows1[0][2 * v], rows1[1][2 * v], rows1[0][2 * v + 1], rows1[1][2 * v + 1]);
        store_pairs<Store>(level2[half][v], outs[4 + half] + 2 * (2 * i + v * lanes));
      }
    }
    const MinMax level3 = fold_four(level2[0][0], level2[1][0], level2[0][1], level2[1][1]);
    store_pairs<Store>(level3, outs[6] + 2 * i);
    store_pairs<CachedStore>(level3, last + 2 * i);
  }
}

// ---- Selection of functions

void set_tiles(const BoxSpec& spec, BoxKernels<float>& kernels) {
  const size_t lanes = hn::Lanes(Floats());
  const bool stores_floats = spec.source.storage == Storage::kF32 && spec.target.stores_as_is();
  if (stores_floats && spec.source.semantics == image::PixelSemantics::kPair) {
    kernels.fold_tiles = fold_bounds_tiles<LoadF32, CachedStore>;
    kernels.fold_tiles_non_temporal = fold_bounds_tiles<LoadF32, NonTemporalStore>;
    kernels.tile_texels = static_cast<uint32_t>(lanes);
  } else if (stores_floats && !spec.source.prepares()) {
    with_reduction(spec, [&]<class Op, uint32_t kChannels>() {
      kernels.fold_tiles = fold_float_tiles<LoadF32, Op, kChannels, CachedStore>;
      kernels.fold_tiles_non_temporal = fold_float_tiles<LoadF32, Op, kChannels, NonTemporalStore>;
      kernels.tile_texels = static_cast<uint32_t>(lanes / kChannels);
    });
  } else if (spec.sums_integers() && spec.target.has_quantised_values() && spec.channels() == 4) {
    kernels.fold_tiles = fold_unorm8_tiles<CachedStore>;
    kernels.fold_tiles_non_temporal = fold_unorm8_tiles<NonTemporalStore>;
    kernels.tile_texels = static_cast<uint32_t>(lanes);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::reduction {

ONEPASS_SIMD_EXPORT(set_tiles);

void add_tiles(const BoxSpec& spec, BoxKernels<float>& kernels) { ONEPASS_SIMD_CALL(set_tiles)(spec, kernels); }

}  // namespace onepass::reduction
#endif
