// row_codec_functions.hpp: the functions among which RowDecoder and RowEncoder choose.
#pragma once

#include "image/row_codec.hpp"

namespace onepass::image {

/// The scalar reference (row_codec_scalar.cpp). It defines the results of the SIMD versions, is the only version for
/// double and for packed formats, and replaces SIMD versions that a target does not have. T is float or double.
template <typename T>
void decode_scalar(const DecodeSpec& spec, const void* row, size_t texels, T* out);
template <typename T>
void prepare_scalar(const DecodeSpec& spec, const T* in, size_t texels, T* out);
template <typename T>
void finish_scalar(const EncodeSpec& spec, const T* in, size_t texels, const AlphaScale& alpha, T* out);
template <typename T>
void encode_scalar(const EncodeSpec& spec, const T* in, size_t texels, void* row);

/// Decoding on the best enabled SIMD target (row_decode.cpp); null if it has no function for the format.
DecodeRow<float> find_simd_decode(const DecodeSpec& spec);

/// Encoding on the best enabled SIMD target (row_encode.cpp); members without a function are null.
struct SimdEncode {
  EncodeRow<float> encode = nullptr;
  EncodeRow<float> encode_non_temporal = nullptr;  ///< `row` must be a multiple of a texel's size.
  CopyBytes copy_non_temporal = nullptr;
};
SimdEncode find_simd_encode(const EncodeSpec& spec);

}  // namespace onepass::image
