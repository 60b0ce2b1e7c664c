// source_and_target.cuh: loads texels of a source and stores those of targets, of any format. Included in the body of a
// kernel's struct, behind target_texel.glsl; the struct has a member `source`, of type DeviceRows.
//
// COMPONENTS, 1, 2 or 4: the most channels of a texel. CHANNELS: whether texels are loaded and stored channel by
// channel, as RGB and planes must be; without it a load or store has the whole texel.
// RESULTS_WITHIN_SOURCE, 0 unless defined: whether results lie between the least and the greatest value of the source,
// but for roundings.
#ifndef RESULTS_WITHIN_SOURCE
#define RESULTS_WITHIN_SOURCE 0
#endif
#define CHANNELS_NEVER 0
#define CHANNELS_ALWAYS 1
#define CHANNELS_BY_CONSTANT 2  // where SOURCE_BYTES or TARGET_BYTES is 0
#ifndef CHANNELS
#define CHANNELS CHANNELS_NEVER
#endif

// The constants of image_params.h.
static constexpr Specialized<CONSTANT_SOURCE_CHANNELS> SOURCE_CHANNELS{};
static constexpr Specialized<CONSTANT_TARGET_CHANNELS> TARGET_CHANNELS{};
static constexpr Specialized<CONSTANT_SOURCE_UNORM, bool> SOURCE_UNORM{};
static constexpr Specialized<CONSTANT_TARGET_KIND> TARGET_KIND{};
static constexpr Specialized<CONSTANT_SOURCE_SRGB, bool> SOURCE_SRGB{};
static constexpr Specialized<CONSTANT_TARGET_SRGB, bool> TARGET_SRGB{};
static constexpr Specialized<CONSTANT_SOURCE_STORAGE> SOURCE_STORAGE{};
static constexpr Specialized<CONSTANT_TARGET_STORAGE> TARGET_STORAGE{};
static constexpr Specialized<CONSTANT_SOURCE_BYTES> SOURCE_BYTES{};
static constexpr Specialized<CONSTANT_TARGET_BYTES> TARGET_BYTES{};
static constexpr Specialized<CONSTANT_SOURCE_STEP> SOURCE_STEP{};
static constexpr Specialized<CONSTANT_TARGET_STEP> TARGET_STEP{};
static constexpr Specialized<CONSTANT_SOURCE_BLUE_FIRST, bool> SOURCE_BLUE_FIRST{};
static constexpr Specialized<CONSTANT_TARGET_BLUE_FIRST, bool> TARGET_BLUE_FIRST{};
static constexpr Specialized<CONSTANT_SOURCE_SCALE, float> SOURCE_SCALE{};
static constexpr Specialized<CONSTANT_SOURCE_ONE, float> SOURCE_ONE{};
static constexpr Specialized<CONSTANT_TARGET_SCALE, float> TARGET_SCALE{};
static constexpr Specialized<CONSTANT_TARGET_DIVISOR, float> TARGET_DIVISOR{};
static constexpr Specialized<CONSTANT_TARGET_INVERSE, float> TARGET_INVERSE{};
static constexpr Specialized<CONSTANT_TARGET_MOST, float> TARGET_MOST{};

Address address(const DeviceRows& rows, uint2 texel, uint slice, uint step) const {
  return rows.data + slice * rows.slice_stride + wide_product(texel.y, rows.row_stride) + wide_product(texel.x, step);
}

// ---- The source

#if CHANNELS != CHANNELS_NEVER
float4 load_by_channel(Address at) {
  // The other image may be RGB or planes: this one may have any format, too.
  bool packed = SOURCE_STORAGE >= STORED_A2B10G10R10;
  float4 values = float4(0.0, 0.0, 0.0, SOURCE_ONE);
  uint words[4];
  ONEPASS_UNROLL for (uint c = 0u; c < COMPONENTS; ++c) {
    words[c] = 0u;
    if (c < (packed ? 1u : SOURCE_CHANNELS)) {
      words[c] = load_channel(at + c * source.channel_stride, stored_bytes(SOURCE_STORAGE));
    }
  }
  ONEPASS_UNROLL for (uint c = 0u; c < COMPONENTS; ++c) {
    if (c < SOURCE_CHANNELS) values[c] = channel_value(words[c], SOURCE_STORAGE);
  }
  if (packed) values = packed_values(words[0], SOURCE_STORAGE);
  return values;
}
#endif

#if CHANNELS != CHANNELS_ALWAYS
float4 whole_values(uint4 words) {
  float4 values = float4(0.0, 0.0, 0.0, SOURCE_ONE);
  if (SOURCE_STORAGE >= STORED_A2B10G10R10) {
    values = packed_values(words.x, SOURCE_STORAGE);
  } else {
    ONEPASS_UNROLL for (uint c = 0u; c < COMPONENTS; ++c) {
      if (c < SOURCE_CHANNELS) values[c] = channel_value(channel_bits(words, SOURCE_STORAGE, c), SOURCE_STORAGE);
    }
  }
  return values;
}

float4 load_whole(Address at) {
  return whole_values(load_texel<LEAST_SOURCE_BYTES, 4u * COMPONENTS>(at, SOURCE_BYTES));
}
#endif

/// The texel of stored values, in linear light. The second channel repeats a single one.
float4 source_light(float4 values) {
  if (SOURCE_BLUE_FIRST) values = float4(values.b, values.g, values.r, values.a);
  values = values * SOURCE_SCALE;
  if (SOURCE_SRGB) {
    values.r = srgb_decode(values.r);
    values.g = srgb_decode(values.g);
    values.b = srgb_decode(values.b);
  }
  if (SOURCE_CHANNELS == 1u) values.g = values.r;  // min_max
  return values;
}

float4 load_source(uint2 texel, uint slice) {
  Address at = address(source, texel, slice, SOURCE_STEP);
#if CHANNELS == CHANNELS_NEVER
  return source_light(load_whole(at));
#elif CHANNELS == CHANNELS_ALWAYS
  return source_light(load_by_channel(at));
#else
  float4 values;
  if (SOURCE_BYTES == 0u) {
    values = load_by_channel(at);
  } else {
    values = load_whole(at);
  }
  return source_light(values);
#endif
}

#if CHANNELS == CHANNELS_NEVER
/// Whether four neighbouring texels from a multiple of four in a row of `width` are one or two aligned loads.
bool has_wide_loads(uint width) const {
  return SOURCE_BYTES <= 8u && (width & 3u) == 0u && source.alignment >= onepass_min(4u * SOURCE_BYTES, 16u);
}
#endif

// ---- Targets

/// The bits of a channel.
uint target_bits(float value) const {
  if (TARGET_STORAGE == STORED_F32) return onepass_float_bits(divide_by_unit(value, TARGET_DIVISOR, TARGET_INVERSE));
  if (TARGET_STORAGE == STORED_F16) {
    value = divide_by_unit(value, TARGET_DIVISOR, TARGET_INVERSE);
    // No half exceeds the largest half by a rounding of such results.
    if (RESULTS_WITHIN_SOURCE && SOURCE_STORAGE != STORED_F32) return float_to_half(value);
    return half_bits(value);
  }
  return nearest_integer(value * TARGET_SCALE, TARGET_MOST);
}

/// A texel of a packed format.
uint packed_word(float4 texel) {
  if (TARGET_STORAGE == STORED_A2B10G10R10) {
    float one = TARGET_SCALE;
    return nearest_integer(texel.r * one * 1023.0, 1023.0) | nearest_integer(texel.g * one * 1023.0, 1023.0) << 10u |
           nearest_integer(texel.b * one * 1023.0, 1023.0) << 20u | nearest_integer(texel.a * one * 3.0, 3.0) << 30u;
  }
  float r = divide_by_unit(texel.r, TARGET_DIVISOR, TARGET_INVERSE);
  float g = divide_by_unit(texel.g, TARGET_DIVISOR, TARGET_INVERSE);
  float b = divide_by_unit(texel.b, TARGET_DIVISOR, TARGET_INVERSE);
  r = round_small(r < 0.0 ? 0.0f : r, 17u, 12.0, 65024.0);
  g = round_small(g < 0.0 ? 0.0f : g, 17u, 12.0, 65024.0);
  b = round_small(b < 0.0 ? 0.0f : b, 18u, 24.0, 64512.0);
  return (float_to_half(r) >> 4u & 0x7FFu) | (float_to_half(g) >> 4u & 0x7FFu) << 11u |
         (float_to_half(b) >> 5u & 0x3FFu) << 22u;
}

#if CHANNELS != CHANNELS_NEVER
void store_by_channel(const DeviceRows& rows, Address at, float4 texel) {
  if (TARGET_STORAGE >= STORED_A2B10G10R10) {
    store_channel(at, 4u, packed_word(texel));
    return;
  }
  if (TARGET_BLUE_FIRST) texel = float4(texel.b, texel.g, texel.r, texel.a);
  ONEPASS_UNROLL for (uint c = 0u; c < COMPONENTS; ++c) {
    if (c < TARGET_CHANNELS) {
      store_channel(at + c * rows.channel_stride, stored_bytes(TARGET_STORAGE), target_bits(texel[c]));
    }
  }
}
#endif

#if CHANNELS != CHANNELS_ALWAYS
uint4 whole_words(float4 texel) {
  uint4 words;
  if (TARGET_STORAGE >= STORED_A2B10G10R10) {
    words.x = packed_word(texel);
  } else {
    if (TARGET_BLUE_FIRST) texel = float4(texel.b, texel.g, texel.r, texel.a);
    words = uint4(target_bits(texel.r), target_bits(texel.g), target_bits(texel.b), target_bits(texel.a));
    if (TARGET_STORAGE == STORED_U8) {
      words.x = words.x | words.y << 8u | words.z << 16u | words.w << 24u;
    } else if (TARGET_STORAGE != STORED_F32) {
      words.x = words.x | words.y << 16u;
      words.y = words.z | words.w << 16u;
    }
  }
  return words;
}

void store_whole(Address at, float4 texel) {
  store_texel<LEAST_TARGET_BYTES, 4u * COMPONENTS>(at, TARGET_BYTES, whole_words(texel));
}
#endif

/// Stores what encode_target() or the like returns.
void store_target(const DeviceRows& rows, uint2 texel, uint slice, float4 value) {
  Address at = address(rows, texel, slice, TARGET_STEP);
#if CHANNELS == CHANNELS_NEVER
  store_whole(at, value);
#elif CHANNELS == CHANNELS_ALWAYS
  store_by_channel(rows, at, value);
#else
  if (TARGET_BYTES == 0u) {
    store_by_channel(rows, at, value);
  } else {
    store_whole(at, value);
  }
#endif
}

#if CHANNELS == CHANNELS_NEVER
/// Stores two neighbouring texels, the first at an even x.
void store_target_pair(const DeviceRows& rows, uint2 texel, uint slice, float4 first, float4 second) {
  if (TARGET_BYTES <= 8u && rows.alignment >= 2u * TARGET_BYTES) {
    store_two_texels<LEAST_TARGET_BYTES, 4u * COMPONENTS>(address(rows, texel, slice, TARGET_STEP), TARGET_BYTES,
                                                          whole_words(first), whole_words(second));
  } else {
    store_target(rows, texel, slice, first);
    store_target(rows, texel + uint2(1u, 0u), slice, second);
  }
}
#endif
