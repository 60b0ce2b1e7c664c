// row_codes.cpp: maps rows of halves with a CodeTable, in SIMD: looks up the quantised values of a texel and packs them
// into a word.
#include "tone_map/row_tone.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tone_map/row_codes.cpp"
#include "hwy/foreach_target.h"  // includes this file once per target; must come first

#include "hwy/highway.h"

#include "cpu/simd_dispatch.hpp"
#include "tone_map/row_texels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::tone_map {
namespace HWY_NAMESPACE {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

/// Looks up red, green and blue and packs them into words. A gather reads four bytes; the bytes above the value are
/// replaced by the next channel.
template <typename Code, int kBits>
HWY_INLINE WordV colours(const std::byte* codes, const HalfWords& halves) {
  const auto code = [&](__m512i half) { return _mm512_i32gather_epi32(half, codes, sizeof(Code)); };
  const Words du;
  const WordV red_green = hn::ConcatEven(du, halves.high, halves.low);
  const WordV blue_alpha = hn::ConcatOdd(du, halves.high, halves.low);
  const WordV first = hn::Set(du, 0xFFFFU);
  const __m512i red = code(hn::And(red_green, first).raw);
  const __m512i green = code(hn::ShiftRight<16>(red_green).raw);
  const __m512i blue = code(hn::And(blue_alpha, first).raw);
  constexpr int kChoose = 0xCA;  // for each bit: b if a is set, else c
  const __m512i one = _mm512_set1_epi32((1 << kBits) - 1);
  const __m512i two = _mm512_set1_epi32((1 << 2 * kBits) - 1);
  const __m512i three = _mm512_set1_epi32((1 << 3 * kBits) - 1);
  const __m512i low = _mm512_ternarylogic_epi32(one, red, _mm512_slli_epi32(green, kBits), kChoose);
  const __m512i all = _mm512_ternarylogic_epi32(two, low, _mm512_slli_epi32(blue, 2 * kBits), kChoose);
  return WordV{_mm512_and_si512(all, three)};
}

#else

/// Looks up red, green and blue of a whole vector of texels and packs them into words.
template <typename Code, int kBits>
HWY_INLINE WordV colours(const std::byte* codes, const HalfWords& halves) {
  const Words du;
  const auto* table = reinterpret_cast<const Code*>(codes);
  HWY_ALIGN uint32_t pairs[2 * HWY_MAX_BYTES / sizeof(uint32_t)];
  HWY_ALIGN uint32_t words[HWY_MAX_BYTES / sizeof(uint32_t)];
  const size_t lanes = hn::Lanes(du);
  hn::Store(halves.low, du, pairs);
  hn::StoreU(halves.high, du, pairs + lanes);
  for (size_t i = 0; i < lanes; ++i) {
    const uint32_t red_green = pairs[2 * i];
    const uint32_t blue = pairs[2 * i + 1] & 0xFFFF;
    words[i] =
        table[red_green & 0xFFFF] | uint32_t{table[red_green >> 16]} << kBits | uint32_t{table[blue]} << 2 * kBits;
  }
  return hn::Load(du, words);
}

#endif

template <typename Code, int kBits>
void map_row_by_codes(const RowTone& tone, const uint16_t* halves, float* /*rgba*/, size_t texels, uint32_t /*x*/,
                      uint32_t /*y*/, uint32_t* words) {
  const size_t lanes = hn::Lanes(Words());
  const std::byte* codes = tone.codes;
  const float unit = tone.unit.alpha;
  const WordStore to(tone, words, texels);
  for (size_t i = 0; i < texels; i += lanes, halves += 4 * lanes) {
    const HalfWords read = HalfWords::load(halves, texels - i);
    const WordV colour = colours<Code, kBits>(codes, read);
    const WordV alpha = word_of(alpha_codes(texels_of(read).alpha, unit));
    to.store(hn::Or(colour, hn::ShiftLeft<3 * kBits>(alpha)), i);
  }
}

MapRow choose_map_row_by_codes(const RowTone& tone) {
  return tone.store == RowStore::kBytes ? map_row_by_codes<uint8_t, 8> : map_row_by_codes<uint16_t, 10>;
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::tone_map
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::tone_map {

ONEPASS_SIMD_EXPORT(choose_map_row_by_codes);

MapRow find_map_row_by_codes(const RowTone& tone) { return ONEPASS_SIMD_CALL(choose_map_row_by_codes)(tone); }

}  // namespace onepass::tone_map
#endif
