// pyramid.cu: the whole chain of all slices in one launch or in two, in CUDA C++: pyramid.comp around images in linear
// memory. src/pyramid/kernels.cmake has the variants; the constants are those of pyramid_cuda_params.h.
//
// KERNEL is the name of the kernel, COMPONENTS (1, 2 or 4) the components of an element. With CHANNELS texels are
// loaded and stored channel by channel: RGB and planes.
#define ONEPASS_CUDA 1
#define ONEPASS_SUBGROUP 1
#define ONEPASS_KEEP_NAMES 1
#include "onepass/prelude.glsl"
#include "onepass/pyramid_params.h"
#include "pyramid/pyramid_cuda_params.h"

ONEPASS_DEVICE_BEGIN

#include "cuda/specialized.cuh"
#include "cuda/texels.cuh"

#if COMPONENTS == 1
#define ONEPASS_ELEMENT float
#define MAILBOX_WORDS uint
#elif COMPONENTS == 2
#define ONEPASS_ELEMENT onepass_float2
#define MAILBOX_WORDS onepass_uint2
#else
#define ONEPASS_ELEMENT onepass_float4
#define MAILBOX_WORDS onepass_uint4
#define ONEPASS_COLUMN_PASSES 2
#endif
#if !ONEPASS_WINDOW_ONLY
#define ONEPASS_MAILBOX 1
#endif
#define ONEPASS_TILE_PARTS (256u / BLOCK_SIZE)

// The struct of each variant has a name of its own, because variants are linked together on the host.
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define KERNEL_STRUCT JOIN(KERNEL, _parameters)

/// The parameter of the kernel: PyramidParameters in cuda.cpp.
struct KERNEL_STRUCT {
  PyramidParams pc;
  DeviceRows source;
  DeviceRows levels[CUDA_PYRAMID_LEVELS];  // levels[n] is level n + 1
  ONEPASS_COHERENT uint* counters;
#if COMPONENTS == 1
  ONEPASS_COHERENT float* kept;
#else
  OnepassExchanged<ONEPASS_ELEMENT> kept;
#endif
  Address mailbox;  // elements of COMPONENTS words

  static constexpr Specialized<CONSTANT_REDUCTION> REDUCTION{};
  static constexpr Specialized<CONSTANT_FOOTPRINT> FOOTPRINT{};
  static constexpr Specialized<CONSTANT_TEXEL_MODE> TEXEL_MODE{};
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
  static constexpr Specialized<CONSTANT_STAGE_COUNT> STAGE_COUNT{};
  static constexpr Specialized<CONSTANT_STAGE_FIRSTS> STAGE_FIRSTS{};
  static constexpr Specialized<CONSTANT_STAGE_DEPTHS> STAGE_DEPTHS{};
  static constexpr Specialized<CONSTANT_STAGE_KINDS> STAGE_KINDS{};
  static constexpr Specialized<CONSTANT_WINDOW_PAIRS, bool> WINDOW_PAIRS{};
#ifdef ONLY_STAGES
  static constexpr uint STAGES = ONLY_STAGES;  // the size of shared memory depends on them
#else
  static constexpr Specialized<CONSTANT_STAGES> STAGES{};
#endif
  static constexpr Specialized<CONSTANT_BLOCK_SIZE> BLOCK_SIZE{};
  static constexpr Specialized<CONSTANT_BASE_REMAINDERS> BASE_REMAINDERS{};
  static constexpr Specialized<CONSTANT_DELAY> DELAY{};
#if defined(ONEPASS_TWO_TO_ONE_ONLY) || defined(ONEPASS_WINDOW_ONLY)
  static constexpr bool HAS_GENERAL = false;
#else
  static constexpr bool HAS_GENERAL = true;
#endif
  static constexpr bool PARTIAL = false;
  static constexpr bool SUBGROUP_POLLS = false;
  static constexpr uint MAX_POLLS = ONEPASS_DEFAULT_MAX_POLLS / 8u;  // as on GPUs of the Vulkan engine
  static constexpr float ALPHA_UNIT = 1.0;                           // of alpha coverage

#include "pyramid/pyramid_options.glsl"
  Address address(const DeviceRows& rows, uint2 texel, uint slice, uint step) const {
    return rows.data + slice * rows.slice_stride + static_cast<Address>(texel.y) * rows.row_stride +
           static_cast<Address>(texel.x) * step;
  }

  float4 load_source(uint2 texel, uint slice) {
    Address at = address(source, texel, slice, SOURCE_STEP);
    float4 values = float4(0.0, 0.0, 0.0, SOURCE_ONE);
#ifdef CHANNELS
    // The other image may be RGB or planes: this one may have any format, too.
    bool packed = SOURCE_STORAGE >= STORED_A2B10G10R10;
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
    if (SOURCE_BLUE_FIRST) values = float4(values.b, values.g, values.r, values.a);
#else
    uint4 words = load_texel<(COMPONENTS == 4 ? 2u : 1u), 4u * COMPONENTS>(at, SOURCE_BYTES);
    if (SOURCE_STORAGE >= STORED_A2B10G10R10) {
      values = packed_values(words.x, SOURCE_STORAGE);
    } else {
      ONEPASS_UNROLL for (uint c = 0u; c < COMPONENTS; ++c) {
        if (c < SOURCE_CHANNELS) values[c] = channel_value(channel_bits(words, SOURCE_STORAGE, c), SOURCE_STORAGE);
      }
    }
    if (SOURCE_BLUE_FIRST) values = float4(values.b, values.g, values.r, values.a);
#endif
    values = values * SOURCE_SCALE;
    if (SOURCE_SRGB) {
      values.r = srgb_decode(values.r);
      values.g = srgb_decode(values.g);
      values.b = srgb_decode(values.b);
    }
    if (SOURCE_CHANNELS == 1u) values.g = values.r;  // min_max
    return values;
  }
#include "pyramid/pyramid_arithmetic.glsl"

  // The bits of a channel of the target.
  uint target_bits(float value) const {
    if (TARGET_STORAGE == STORED_F32) return onepass_float_bits(divide_by_unit(value, TARGET_DIVISOR, TARGET_INVERSE));
    if (TARGET_STORAGE == STORED_F16) return half_bits(divide_by_unit(value, TARGET_DIVISOR, TARGET_INVERSE));
    return nearest_integer(value * TARGET_SCALE, TARGET_MOST);
  }

  // A texel of a packed format.
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

  void onepass_store_level(uint level, uint2 where, uint slice, ONEPASS_ELEMENT value) {
    float4 texel = encode(value);
    const DeviceRows& rows = levels[level - 1u];
    Address at = address(rows, where, slice, TARGET_STEP);
#ifdef CHANNELS
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
#else
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
    store_texel<(COMPONENTS == 1 ? 1u : 2u), 4u * COMPONENTS>(at, TARGET_BYTES, words);
#endif
  }

  ONEPASS_ELEMENT onepass_load_intermediate(uint index) { return kept[index]; }
  void onepass_store_intermediate(uint index, ONEPASS_ELEMENT value) { kept[index] = value; }
  uint onepass_increment(uint counter) {
    uint before;
    onepass_atomic_add_before(counters[counter], 1u, before);
    return before;
  }
  void onepass_reset(uint counter) { onepass_atomic_store(counters[counter], 0u); }
  void onepass_touch_level(uint level) {}

#if ONEPASS_MAILBOX
#if COMPONENTS == 1
  MAILBOX_WORDS mailbox_load(uint element) { return load_relaxed(mailbox + 4ull * element); }
  void mailbox_store(uint element, MAILBOX_WORDS words) { store_relaxed(mailbox + 4ull * element, words); }
#elif COMPONENTS == 2
  MAILBOX_WORDS mailbox_load(uint element) { return load_relaxed2(mailbox + 8ull * element); }
  void mailbox_store(uint element, MAILBOX_WORDS words) { store_relaxed2(mailbox + 8ull * element, words); }
#else
  MAILBOX_WORDS mailbox_load(uint element) { return load_relaxed4(mailbox + 16ull * element); }
  void mailbox_store(uint element, MAILBOX_WORDS words) { store_relaxed4(mailbox + 16ull * element, words); }
#endif
#include "pyramid/pyramid_mailbox.glsl"
#endif

  // For tests: delays about every third workgroup.
  void onepass_delay(uint2 tile) {
    if (DELAY == 0u || (tile.x * 7u + tile.y * 13u) % 3u != 0u) return;
    uint state = tile.x + 1u;
    ONEPASS_LOOP for (uint i = 0u; i < DELAY; ++i) state = state * 747796405u + 2891336453u;
    if (state == 0u) onepass_atomic_add(counters[0], 0u);  // keeps compilers from removing the loop
  }
  void onepass_pause(uint polls) {
#ifndef __CUDA__
    onepass_host_pause();
#endif
  }

#include "onepass/pyramid.glsl"
};

ONEPASS_DEVICE_END

ONEPASS_KERNEL KERNEL(KERNEL_STRUCT kernel) { kernel.onepass_pyramid(onepass_group_index()); }
