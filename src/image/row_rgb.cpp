// row_rgb.cpp: adds and drops alpha with Highway's interleaved loads and stores, on channels of 1, 2 or 4 bytes as
// plain integers. A scalar loop takes the texels after the last full vector.
#include "image/row_rgb.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/row_rgb.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "hwy/highway.h"

#include "cpu/simd_dispatch.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::image {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void add_alpha_of(const void* from, size_t texels, uint32_t one, void* to) {
  const auto* in = static_cast<const T*>(from);
  auto* out = static_cast<T*>(to);
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const auto alpha = hn::Set(d, static_cast<T>(one));
  for (; i + lanes <= texels; i += lanes) {
    hn::Vec<decltype(d)> r;
    hn::Vec<decltype(d)> g;
    hn::Vec<decltype(d)> b;
    hn::LoadInterleaved3(d, in + 3 * i, r, g, b);
    hn::StoreInterleaved4(r, g, b, alpha, d, out + 4 * i);
  }
#endif
  for (; i < texels; ++i) {
    std::memcpy(out + 4 * i, in + 3 * i, 3 * sizeof(T));
    out[4 * i + 3] = static_cast<T>(one);
  }
}

template <typename T>
void drop_alpha_of(const void* from, size_t texels, void* to) {
  const auto* in = static_cast<const T*>(from);
  auto* out = static_cast<T*>(to);
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  for (; i + lanes <= texels; i += lanes) {
    hn::Vec<decltype(d)> r;
    hn::Vec<decltype(d)> g;
    hn::Vec<decltype(d)> b;
    hn::Vec<decltype(d)> a;
    hn::LoadInterleaved4(d, in + 4 * i, r, g, b, a);
    hn::StoreInterleaved3(r, g, b, d, out + 3 * i);
  }
#endif
  for (; i < texels; ++i) std::memcpy(out + 3 * i, in + 4 * i, 3 * sizeof(T));
}

// `one`: the bits of a channel that is 1.
void add_alpha_bytes(uint32_t bytes, uint32_t one, const void* from, size_t texels, void* to) {
  if (bytes == 1) return add_alpha_of<uint8_t>(from, texels, one, to);
  if (bytes == 2) return add_alpha_of<uint16_t>(from, texels, one, to);
  add_alpha_of<uint32_t>(from, texels, one, to);
}

void drop_alpha_bytes(uint32_t bytes, const void* from, size_t texels, void* to) {
  if (bytes == 1) return drop_alpha_of<uint8_t>(from, texels, to);
  if (bytes == 2) return drop_alpha_of<uint16_t>(from, texels, to);
  drop_alpha_of<uint32_t>(from, texels, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::image {

ONEPASS_SIMD_EXPORT(add_alpha_bytes);
ONEPASS_SIMD_EXPORT(drop_alpha_bytes);

void add_alpha(Format rgb, const void* from, size_t texels, void* to) {
  const FormatInfo& info = texel_info(rgb);
  const uint32_t bytes = info.bytes_per_texel / 3;
  const bool floats = info.type == ChannelType::kFloat;
  const uint32_t one = bytes == 1 ? 255 : bytes == 2 ? (floats ? 0x3C00 : 65535) : std::bit_cast<uint32_t>(1.0F);
  ONEPASS_SIMD_CALL(add_alpha_bytes)(bytes, one, from, texels, to);
}

void drop_alpha(Format rgb, const void* from, size_t texels, void* to) {
  ONEPASS_SIMD_CALL(drop_alpha_bytes)(texel_info(rgb).bytes_per_texel / 3, from, texels, to);
}

}  // namespace onepass::image
#endif
