// row_local.cpp: local exposure on rows of RGBA floats, in SIMD: finds the two nodes of each texel, and computes its
// factor. Vulkan version: shaders/onepass/local_exposure.glsl.
//
// No multiplication and addition are fused, and divisions are correctly rounded: every target computes the same bits.
#include "tone_map/row_local.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tone_map/row_local.cpp"
#include "hwy/foreach_target.h"  // includes this file once per target; must come first

#include "hwy/highway.h"

#include "cpu/simd_dispatch.hpp"
#include "image/log2.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::tone_map {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using FloatV = hn::Vec<Floats>;
using IntV = hn::Vec<Ints>;
using MaskV = hn::Mask<Floats>;

HWY_INLINE FloatV set(float value) { return hn::Set(Floats(), value); }

struct Rgba {
  FloatV r, g, b, a;
};

/// A texel's position on the axis of luminance: between `node` and the next one, at `above`, 0 to 1.
struct Place {
  IntV node;
  FloatV above;
  MaskV colour;  ///< All three channels are finite.
};

/// CPU version of onepass_local_place() of shaders/onepass/local_exposure.glsl.
HWY_INLINE Place place_of(const Rgba& c) {
  const Floats d;
  const Ints di;
  const FloatV most = set(std::numeric_limits<float>::max());
  const FloatV y = hn::Add(hn::Add(hn::Mul(c.r, set(0.2126F)), hn::Mul(c.g, set(0.7152F))), hn::Mul(c.b, set(0.0722F)));
  const FloatV largest = hn::Max(hn::Max(c.r, c.g), c.b);
  Place out;
  out.colour = hn::And(hn::Le(hn::Abs(c.r), most), hn::And(hn::Le(hn::Abs(c.g), most), hn::Le(hn::Abs(c.b), most)));
  // Colours outside the gamut may have luminance 0: their largest channel counts.
  const FloatV light = hn::IfThenElse(out.colour, hn::Max(y, hn::Mul(largest, set(0.0722F))), set(1.0F));
  const FloatV limited = hn::Min(hn::Max(light, set(static_cast<float>(ONEPASS_LOCAL_LEAST))),
                                 set(static_cast<float>(ONEPASS_LOCAL_MOST)));
  // The same operations as log2_parts().
  const IntV bits = hn::BitCast(di, limited);
  const IntV whole = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, static_cast<int32_t>(kSqrtHalf))));
  const FloatV t = hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(whole))), set(1.0F));
  FloatV p = set(kLog2[7]);
  for (int i = 6; i >= 0; --i) p = hn::Add(hn::Mul(p, t), set(kLog2[i]));
  out.node = hn::Sub(whole, hn::Set(di, ONEPASS_LOCAL_LOW + 1));
  out.above = hn::Min(hn::Max(hn::Add(hn::Mul(p, t), set(0.5F)), set(0.0F)), set(1.0F));
  return out;
}

/// The same operations as exp2_of(), for arguments within -100 and 100. Exactly 1 for 0.
HWY_INLINE FloatV exp2_of_small(FloatV x) {
  const FloatV whole = hn::Floor(hn::Add(x, set(0.5F)));
  const FloatV part = hn::Sub(x, whole);
  FloatV p = set(kExp2[5]);
  for (int i = 4; i >= 0; --i) p = hn::Add(hn::Mul(p, part), set(kExp2[i]));
  const FloatV mantissa = hn::Add(hn::Mul(p, part), set(1.0F));
  const IntV exponent = hn::Add(hn::ConvertTo(Ints(), whole), hn::Set(Ints(), 127));
  return hn::Mul(mantissa, hn::BitCast(Floats(), hn::ShiftLeft<23>(exponent)));
}

/// Weight and offset, interpolated between two nodes of a column of the grid; the offset is relative to the lower node.
struct Between {
  FloatV weight, offset;
};
HWY_INLINE Between between_nodes(const float* nodes, IntV column, const Place& place) {
  const Floats d;
  const Ints di;
  const IntV at = hn::Add(hn::Mul(column, hn::Set(di, 2 * ONEPASS_LOCAL_BINS)), hn::ShiftLeft<1>(place.node));
  const FloatV low_weight = hn::GatherIndex(d, nodes, at);
  const FloatV low_offset = hn::GatherIndex(d, nodes + 1, at);
  const FloatV high_weight = hn::GatherIndex(d, nodes + 2, at);
  const FloatV high_offset = hn::GatherIndex(d, nodes + 3, at);
  const FloatV below = hn::Sub(set(1.0F), place.above);
  return {hn::Add(hn::Mul(below, low_weight), hn::Mul(place.above, high_weight)),
          hn::Add(hn::Mul(below, low_offset), hn::Mul(place.above, hn::Add(high_offset, high_weight)))};
}

/// CPU version of onepass_local_factor() of the shader. 1 for texels with a channel that is not finite.
HWY_INLINE FloatV factor_of(const LocalScale& scale, const Place& place, FloatV x) {
  const Floats d;
  const Ints di;
  const LocalParams& params = scale.params;
  const auto last = static_cast<int32_t>(params.columns) - 1;
  const FloatV at = hn::Sub(hn::Mul(hn::Add(x, set(0.5F)), set(params.inverse_side)), set(0.5F));
  const FloatV limited = hn::Min(hn::Max(at, set(0.0F)), set(static_cast<float>(last)));
  const IntV first = hn::ConvertTo(di, limited);
  const FloatV share = hn::Sub(limited, hn::ConvertTo(d, first));
  const IntV second = hn::Min(hn::Add(first, hn::Set(di, 1)), hn::Set(di, last));
  const auto* nodes = reinterpret_cast<const float*>(scale.nodes);
  const Between a = between_nodes(nodes, first, place);
  const Between b = between_nodes(nodes, second, place);
  const FloatV weight = hn::Add(a.weight, hn::Mul(hn::Sub(b.weight, a.weight), share));
  const FloatV offset = hn::Add(a.offset, hn::Mul(hn::Sub(b.offset, a.offset), share));
  // The base in stops, relative to the node, then to grey. The weight is never 0: it includes the texel's own.
  const FloatV base = hn::Div(offset, hn::Max(weight, set(1e-30F)));
  const IntV whole = hn::Add(place.node, hn::Set(di, ONEPASS_LOCAL_LOW + scale.exposure_whole));
  const FloatV from_grey = hn::Add(hn::ConvertTo(d, whole), hn::Add(base, set(scale.exposure_part + 0.5F)));
  const FloatV most = set(static_cast<float>(ONEPASS_LOCAL_STOPS));
  const FloatV moved = hn::Min(hn::Max(from_grey, hn::Neg(most)), most);
  const FloatV contrast = hn::IfThenElse(hn::Gt(moved, set(0.0F)), set(params.highlights), set(params.shadows));
  const FloatV detail = hn::Sub(place.above, base);
  const FloatV stops = hn::Add(hn::Mul(contrast, moved), hn::Mul(set(params.detail), detail));
  return hn::IfThenElse(place.colour, exp2_of_small(stops), set(1.0F));
}

void locate_row(const float* rgba, size_t texels, uint32_t* nodes, uint32_t* weights) {
  const Floats d;
  const Ints di;
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < texels; i += lanes, rgba += 4 * lanes) {
    Rgba c;
    hn::LoadInterleaved4(d, rgba, c.r, c.g, c.b, c.a);
    const Place place = place_of(c);
    const IntV none = hn::Set(di, ONEPASS_LOCAL_BINS - 1);
    const FloatV scaled = hn::Add(hn::Mul(place.above, set(ONEPASS_LOCAL_ONE)), set(0.5F));
    hn::StoreU(hn::IfThenElse(hn::RebindMask(di, place.colour), place.node, none), di,
               reinterpret_cast<int32_t*>(nodes) + i);
    hn::StoreU(hn::ConvertTo(di, scaled), di, reinterpret_cast<int32_t*>(weights) + i);
  }
}

void scale_row(const LocalScale& scale, float* rgba, size_t texels, uint32_t x) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  FloatV column = hn::ConvertTo(d, hn::Iota(Ints(), static_cast<int32_t>(x)));
  for (size_t i = 0; i < texels; i += lanes, rgba += 4 * lanes) {
    Rgba c;
    hn::LoadInterleaved4(d, rgba, c.r, c.g, c.b, c.a);
    const FloatV factor = factor_of(scale, place_of(c), column);
    column = hn::Add(column, set(static_cast<float>(lanes)));
    hn::StoreInterleaved4(hn::Mul(c.r, factor), hn::Mul(c.g, factor), hn::Mul(c.b, factor), c.a, d, rgba);
  }
}

LocalRowFunctions choose_local_rows() { return {locate_row, scale_row}; }

}  // namespace HWY_NAMESPACE
}  // namespace onepass::tone_map
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::tone_map {

ONEPASS_SIMD_EXPORT(choose_local_rows);

LocalRowFunctions find_local_rows() { return ONEPASS_SIMD_CALL(choose_local_rows)(); }

void set_exposure(float exposure, LocalScale& scale) {
  const Log2Parts parts =
      log2_parts(std::clamp(exposure, std::numeric_limits<float>::min(), std::numeric_limits<float>::max()));
  scale.exposure_whole = parts.whole;
  scale.exposure_part = parts.fraction - scale.params.grey;
}

}  // namespace onepass::tone_map
#endif
