// row_codec.cpp: selects the functions of a codec.
#include "image/row_codec.hpp"

#include <cstring>
#include <type_traits>

#include "image/row_codec_functions.hpp"

namespace onepass::image {
namespace {

template <typename T>
DecodeRow<T> choose_decode(const DecodeSpec& spec) {
  if constexpr (std::is_same_v<T, float>) {
    if (const DecodeRow<float> simd = find_simd_decode(spec)) return simd;
  }
  return decode_scalar<T>;
}

void copy_scalar(const void* from, size_t bytes, void* to) { std::memcpy(to, from, bytes); }

}  // namespace

// ---- RowDecoder

template <typename T>
RowDecoder<T>::RowDecoder(const DecodeSpec& spec) : spec_(spec), decode_(choose_decode<T>(spec)) {}

template <typename T>
void RowDecoder<T>::decode(const void* row, size_t texels, T* out, T* scratch) const {
  if (!spec_.prepares()) return decode_(spec_, row, texels, out);
  decode_(spec_, row, texels, scratch);
  prepare_scalar<T>(spec_, scratch, texels, out);
}

// ---- RowEncoder

template <typename T>
RowEncoder<T>::RowEncoder(const EncodeSpec& spec) : spec_(spec), encode_(encode_scalar<T>), copy_(copy_scalar) {
  if constexpr (std::is_same_v<T, float>) {
    const SimdEncode simd = find_simd_encode(spec);
    if (simd.encode != nullptr) encode_ = simd.encode;
    if (simd.copy_non_temporal != nullptr) copy_ = simd.copy_non_temporal;
    encode_non_temporal_ = simd.encode_non_temporal;
  }
}

template <typename T>
const T* RowEncoder<T>::finish(const T* in, size_t texels, const AlphaScale& alpha, T* out) const {
  if (!spec_.finishes()) return in;
  finish_scalar<T>(spec_, in, texels, alpha, out);
  return out;
}

template <typename T>
void RowEncoder<T>::encode_non_temporal(const T* in, size_t texels, void* row, T* scratch) const {
  const size_t bytes = texels * spec_.texel_bytes;
  if (std::is_same_v<T, float> && spec_.stores_as_is()) return copy_(in, bytes, row);
  if (encode_non_temporal_ != nullptr && reinterpret_cast<uintptr_t>(row) % spec_.texel_bytes == 0) {
    return encode_non_temporal_(spec_, in, texels, row);
  }
  encode_(spec_, in, texels, scratch);
  copy_(scratch, bytes, row);
}

template class RowDecoder<float>;
template class RowDecoder<double>;
template class RowEncoder<float>;
template class RowEncoder<double>;

}  // namespace onepass::image
