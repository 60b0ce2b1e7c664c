// row_decode.cpp: stored texels to floats, in SIMD: find_simd_decode(). All formats but the packed ones.

#include "image/row_codec_functions.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/row_decode.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "image/row_load-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::image {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: scalar reference

DecodeRow<float> choose_decode(const DecodeSpec& /*spec*/) { return nullptr; }

#else

template <class Loader>
void decode_channels(const DecodeSpec& spec, const void* row, size_t texels, float* out) {
  using Stored = typename Loader::Stored;
  const Floats d;
  const Loader loader;
  const size_t lanes = hn::Lanes(d);
  const size_t count = texels * spec.stored_channels;
  const auto* in = static_cast<const Stored*>(row);
  const auto block = [&](const Stored* from, float* to) {
    FloatV values[4];
    loader.load4(from, values);
    for (size_t i = 0; i < 4; ++i) hn::StoreU(values[i], d, to + i * lanes);
  };
  size_t i = 0;
  for (; i + block_elements() <= count; i += block_elements()) block(in + i, out + i);
  if (i < count) block(LastBlock<Stored>(in + i, count - i).elements, out + i);
}

DecodeRow<float> choose_decode(const DecodeSpec& spec) {
  switch (spec.storage) {
    case Storage::kU8:
      return decode_channels<LoadU8>;
    case Storage::kSrgb8:
      return spec.fixed_srgb ? decode_channels<LoadSrgbFixed> : decode_channels<LoadSrgb8>;
    case Storage::kSrgbColors:
      return spec.fixed_srgb ? decode_channels<LoadSrgbFixedColours> : decode_channels<LoadSrgb8Colours>;
    case Storage::kU16:
      return decode_channels<LoadU16>;
    case Storage::kF16:
      return decode_channels<LoadF16>;
    case Storage::kF32:
      return decode_channels<LoadF32>;
    default:
      return nullptr;  // packed formats: the scalar reference suffices
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::image {

ONEPASS_SIMD_EXPORT(choose_decode);

DecodeRow<float> find_simd_decode(const DecodeSpec& spec) { return ONEPASS_SIMD_CALL(choose_decode)(spec); }

}  // namespace onepass::image
#endif
