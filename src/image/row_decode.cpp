// row_decode.cpp: source texels to floats: RowKernels::decode, in SIMD, for all formats but the packed ones.

#include "reduction/row_kernels.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/row_decode.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "image/row_load-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: scalar reference

RowKernels<float> choose_decode(const RowSpec& /*spec*/) { return {}; }

#else

template <class Loader>
void decode_channels(const RowSpec& spec, const void* row, size_t texels, float* out) {
  using Stored = typename Loader::Stored;
  const Floats d;
  const Loader loader;
  const size_t lanes = hn::Lanes(d);
  const size_t count = texels * spec.source_channels;
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

RowKernels<float> choose_decode(const RowSpec& spec) {
  RowKernels<float> kernels;
  switch (spec.source) {
    case Storage::kU8:
      kernels.decode = decode_channels<LoadU8>;
      break;
    case Storage::kSrgb8:
      kernels.decode = spec.fixed_srgb ? decode_channels<LoadSrgbFixed> : decode_channels<LoadSrgb8>;
      break;
    case Storage::kSrgbR8:
      kernels.decode = spec.fixed_srgb ? decode_channels<LoadSrgbFixedColours> : decode_channels<LoadSrgb8Colours>;
      break;
    case Storage::kU16:
      kernels.decode = decode_channels<LoadU16>;
      break;
    case Storage::kF16:
      kernels.decode = decode_channels<LoadF16>;
      break;
    case Storage::kF32:
      kernels.decode = decode_channels<LoadF32>;
      break;
    default:
      break;  // packed formats: the scalar reference suffices
  }
  return kernels;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::cpu {

HWY_EXPORT(choose_decode);

RowKernels<float> find_decode_kernels(const RowSpec& spec) { return HWY_DYNAMIC_DISPATCH(choose_decode)(spec); }

}  // namespace onepass::cpu
#endif
