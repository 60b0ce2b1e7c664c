// row_codec.hpp: rows of texels to rows of floats and back, for the CPU engines. A codec is chosen by the format and by
// the meaning of its values; its functions are chosen at run time for the best SIMD target. All targets give the same
// bits.
//
// A row in working form has 1, 2 or 4 interleaved channels of T: float, or double for the mean to 16-bit UNORM targets,
// where float is not precise enough.
//
//     source row --decode--> stored channels --prepare--> working row    RowDecoder
//     working row --finish--> stored channels --encode--> target row     RowEncoder
#pragma once

#include <cstddef>
#include <cstdint>

#include "image/row_spec.hpp"

namespace onepass::image {

/// Elements beyond its end that a working row must allow to read and write: row functions process whole vectors.
inline constexpr size_t kRowPadding = 64;

template <typename T>
using DecodeRow = void (*)(const DecodeSpec& spec, const void* row, size_t texels, T* out);
template <typename T>
using EncodeRow = void (*)(const EncodeSpec& spec, const T* in, size_t texels, void* row);
using CopyBytes = void (*)(const void* from, size_t bytes, void* to);

/// Decodes rows of a format. T is float or double. Row pointers are at the first texel used.
template <typename T>
class RowDecoder {
 public:
  explicit RowDecoder(const DecodeSpec& spec);
  [[nodiscard]] const DecodeSpec& spec() const { return spec_; }

  /// Decodes `texels` texels to working texels; reads nothing beyond them. `scratch` holds stored channels between the
  /// two steps if spec().prepares(). It may be `out` if both have the same number of channels.
  void decode(const void* row, size_t texels, T* out, T* scratch = nullptr) const;

 private:
  DecodeSpec spec_;
  DecodeRow<T> decode_;
};

/// Encodes rows of a format. T is float or double. Row pointers are at the first texel used.
template <typename T>
class RowEncoder {
 public:
  explicit RowEncoder(const EncodeSpec& spec);
  [[nodiscard]] const EncodeSpec& spec() const { return spec_; }

  /// Returns the values to encode: `in`, or `out` with the converted texels if spec().finishes(). `alpha`: for
  /// kCoverage.
  const T* finish(const T* in, size_t texels, const AlphaScale& alpha, T* out) const;

  /// Encodes `texels` finished texels; writes nothing beyond them.
  void encode(const T* in, size_t texels, void* row) const { encode_(spec_, in, texels, row); }

  /// The same with non-temporal stores. `scratch` has space for the encoded texels.
  void encode_non_temporal(const T* in, size_t texels, void* row, T* scratch) const;

  /// Copies with non-temporal stores: no cache pollution, and no read of the lines that are overwritten.
  void copy_non_temporal(const void* from, size_t bytes, void* to) const { copy_(from, bytes, to); }

 private:
  EncodeSpec spec_;
  EncodeRow<T> encode_;
  EncodeRow<T> encode_non_temporal_ = nullptr;  ///< Null if no such function exists.
  CopyBytes copy_;
};

}  // namespace onepass::image
