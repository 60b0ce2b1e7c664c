// row_spec.hpp: how rows of a format are decoded to working values and encoded again: the constants of both
// conversions, which both engines need. row_codec.hpp, of the CPU engine, has the functions.
#pragma once

#include <array>
#include <cstdint>

#include "onepass/image.hpp"

namespace onepass::image {

/// How channels are stored. kSrgb8 is four channels with linear alpha, kSrgbColors one or two sRGB-encoded channels,
/// kX8D24 a word with 24 bits of depth.
enum class Storage : uint32_t { kU8, kSrgb8, kSrgbColors, kU16, kF16, kF32, kA2B10G10R10, kB10G11R11, kX8D24 };

/// The weight of a transparent texel, so that colour survives where all texels are transparent; far below any visible
/// alpha.
inline constexpr float kLeastWeight = 0x1p-40F;

/// The meaning of channels, by which decoded texels are transformed (prepare); finish inverts the transform.
enum class PixelSemantics : uint32_t {
  kPlain,     ///< Independent channels: no transform.
  kPair,      ///< One source channel becomes two: min and max.
  kWeighted,  ///< (c, a) <-> (c * w, w) with w = max(a, 0) + 2^-40.
  kCoverage,  ///< As kWeighted, with alpha clamped to 0..1 and in units of the source's quantised values, in which sums
              ///< are exact; finish scales alpha by an AlphaScale.
  kNormal,    ///< Vectors: UNORM to -1..1, two channels to three; finish normalises.
};

/// kCoverage: how a level's alphas become those to store. `alpha` is a working alpha, 0 to DecodeSpec::alpha_unit.
struct AlphaScale {
  float scale = 1.0F;          ///< The stored alpha is alpha * scale, at most 1, within the following bounds.
  float cut = 0.0F;            ///< alpha >= cut: the texel passes the alpha test.
  float least_passing = 0.0F;  ///< Least alpha that the target stores and that passes the test.
  float most_failing = 1.0F;   ///< Largest alpha that the target stores and that does not pass it.
};

/// kCoverage: the alpha of a working texel.
template <typename T>
[[nodiscard]] T alpha_of_weight(T weight) {
  return weight > T(kLeastWeight) ? weight - T(kLeastWeight) : T(0);
}

struct DecodeOptions {
  PixelSemantics semantics = PixelSemantics::kPlain;
  /// UNORM values of 8 and 16 bits stay integers (0..255, 0..65535), so that their sums are exact. Only with kPlain and
  /// kPair; the other meanings need 0..1.
  bool keeps_integers = false;
  /// sRGB values become fixed point (row_srgb.hpp), whose sums are exact, and the alpha beside them stays 0..255.
  bool fixed_srgb = false;
};

struct EncodeOptions {
  PixelSemantics semantics = PixelSemantics::kPlain;
  double unit = 1;           ///< The working value that stands for 1.
  bool within_unit = false;  ///< No value is NaN, below 0 or above `unit`: values need not be clamped.
  bool fixed_srgb = false;   ///< Alpha of sRGB texels is 0..255.
};

/// How rows of a format are decoded.
struct DecodeSpec {
  Storage storage = Storage::kF32;
  PixelSemantics semantics = PixelSemantics::kPlain;
  uint32_t stored_channels = 0;                             ///< As stored: 1, 2 or 4.
  uint32_t channels = 0;                                    ///< Of the working form: 1, 2 or 4.
  std::array<float, 4> divisor = {1.0F, 1.0F, 1.0F, 1.0F};  ///< Divisor of decoded values.
  double unit = 1;                                          ///< The working value that stands for 1.
  float alpha_unit = 1;                                     ///< The quantised alpha that stands for 1; floats: 1.
  bool fixed_srgb = false;
  bool is_signed = true;    ///< kNormal: the format stores -1..1 directly.
  bool blue_first = false;  ///< Red and blue are exchanged: as FormatInfo.

  /// Do decoded texels differ from working texels?
  [[nodiscard]] bool prepares() const {
    return semantics != PixelSemantics::kPlain || divisor[0] != 1.0F || blue_first;
  }
};

/// How rows of a format are encoded.
struct EncodeSpec {
  Storage storage = Storage::kF32;
  PixelSemantics semantics = PixelSemantics::kPlain;
  uint32_t stored_channels = 0;  ///< As stored: 1, 2 or 4.
  uint32_t channels = 0;         ///< Of the working form: 1, 2 or 4.
  uint32_t texel_bytes = 0;      ///< Of a stored texel.
  float divisor = 1;             ///< Divisor of working values before they are encoded.
  double scale = 1;              ///< UNORM of 8 and 16 bits: quantised value per working unit.
  float alpha_unit = 1;          ///< The quantised alpha that stands for 1; floats: 1.
  bool within_unit = false;
  bool fixed_srgb = false;
  bool is_signed = true;    ///< kNormal: the format stores -1..1 directly.
  bool blue_first = false;  ///< Red and blue are exchanged: as FormatInfo.

  /// Do working texels differ from the texels to encode?
  [[nodiscard]] bool finishes() const {
    return semantics == PixelSemantics::kWeighted || semantics == PixelSemantics::kCoverage ||
           semantics == PixelSemantics::kNormal || divisor != 1.0F || blue_first;
  }
  /// Working values are quantised 8-bit values, or means of them: encoding only rounds.
  [[nodiscard]] bool has_quantised_values() const {
    return storage == Storage::kU8 && within_unit && scale == 1 && !blue_first;
  }
  /// A working row of floats has the bytes of a target row.
  [[nodiscard]] bool stores_as_is() const { return storage == Storage::kF32 && !finishes(); }
};

DecodeSpec make_decode_spec(Format format, const DecodeOptions& options = {});
EncodeSpec make_encode_spec(Format format, const EncodeOptions& options = {});

}  // namespace onepass::image
