// tile_reduction_texel.glsl: loads, reduces and stores texels, in the common subset of GLSL and HLSL. Part of
// tile_reduction.comp, which has the bindings and constants.
//
// Needs load_source(texel, slice) and store_target(texel, slice, value), and gather_red(at) and gather_green(at) where
// the source has them (src/vulkan/source_image.glsl).

#if COMPONENTS == 1
#define NOTHING 0.0
#elif COMPONENTS == 2
#define NOTHING float2(0.0, 0.0)
#else
#define NOTHING float4(0.0, 0.0, 0.0, 0.0)
#endif

ONEPASS_ELEMENT decode(float4 texel) {
#if COMPONENTS == 1
  return texel.r;
#elif COMPONENTS == 2 && defined(ONEPASS_CUDA)
  return texel.rg;  // load_source() has repeated a single channel
#elif COMPONENTS == 2
  return SOURCE_CHANNELS == 1u ? texel.rr : texel.rg;
#else
  return texel;
#endif
}

ONEPASS_ELEMENT onepass_reduce(ONEPASS_ELEMENT a, ONEPASS_ELEMENT b) {
  if (REDUCTION == ONEPASS_MEAN) return a + b;
  if (REDUCTION == ONEPASS_MIN) return min(a, b);
  if (REDUCTION == ONEPASS_MAX) return max(a, b);
#if COMPONENTS == 2
  return float2(min(a.x, b.x), max(a.y, b.y));
#else
  return a;
#endif
}

// 2x2 texels: one gather per channel for one or two channels that can be gathered, else fetches.
void load_four(uint2 texel, uint slice, ONEPASS_OUT(ONEPASS_ELEMENT) a, ONEPASS_OUT(ONEPASS_ELEMENT) b,
               ONEPASS_OUT(ONEPASS_ELEMENT) c, ONEPASS_OUT(ONEPASS_ELEMENT) d) {
#ifdef gather_red
  if (SOURCE_CHANNELS <= 2u) {
    float3 middle = float3(float2(texel + 1u) / float2(pc.size), slice);
    float4 r = gather_red(middle);
    float4 g = SOURCE_CHANNELS == 2u ? gather_green(middle) : float4(0.0, 0.0, 0.0, 0.0);
    a = decode(float4(r.w, g.w, 0.0, 1.0));
    b = decode(float4(r.z, g.z, 0.0, 1.0));
    c = decode(float4(r.x, g.x, 0.0, 1.0));
    d = decode(float4(r.y, g.y, 0.0, 1.0));
  } else
#endif
  {
    uint2 from = min(texel, pc.size - 1u);
    uint2 to = min(texel + 1u, pc.size - 1u);
    a = decode(load_source(from, slice));
    b = decode(load_source(uint2(to.x, from.y), slice));
    c = decode(load_source(uint2(from.x, to.y), slice));
    d = decode(load_source(to, slice));
  }
}

ONEPASS_ELEMENT onepass_load_block(uint2 texel, uint slice) {
  ONEPASS_ELEMENT a, b, c, d;
  load_four(texel, slice, a, b, c, d);
  if (REDUCTION == ONEPASS_MEAN && PARTIAL) {
    const ONEPASS_ELEMENT nothing = NOTHING;
    bool left = texel.x < pc.size.x;
    bool right = texel.x + 1u < pc.size.x;
    bool upper = texel.y < pc.size.y;
    bool lower = texel.y + 1u < pc.size.y;
    a = left && upper ? a : nothing;
    b = right && upper ? b : nothing;
    c = left && lower ? c : nothing;
    d = right && lower ? d : nothing;
  }
  ONEPASS_ELEMENT value = onepass_reduce(onepass_reduce(a, b), onepass_reduce(c, d));
  // The factor is a power of two: exact, and sums of many blocks do not overflow.
  if (REDUCTION == ONEPASS_MEAN) value *= 1.0 / float(4u << (2u * SIDE_LOG2));
  return value;
}

void onepass_store_tile(uint2 tile, uint slice, ONEPASS_ELEMENT value) {
  if (REDUCTION == ONEPASS_MEAN && PARTIAL) {
    if (tile.x + 1u == pc.tiles.x) value *= pc.last_scale.x;
    if (tile.y + 1u == pc.tiles.y) value *= pc.last_scale.y;
  }
#if COMPONENTS == 1
  float4 texel = float4(value, 0.0, 0.0, 1.0);
#elif COMPONENTS == 2
  float4 texel = float4(value, 0.0, 1.0);
#else
  float4 texel = value;
#endif
  store_target(tile, slice, encode_target(texel));
}
