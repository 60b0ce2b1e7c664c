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

// The fewest bytes of a texel: images of four components have two channels at least.
#define LEAST_SOURCE_BYTES (COMPONENTS == 4 ? 2u : 1u)
#define LEAST_TARGET_BYTES (COMPONENTS == 1 ? 1u : 2u)
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
#define RESULTS_WITHIN_SOURCE 1
#if ONEPASS_TWO_TO_ONE_ONLY && !defined(CHANNELS)
#define ONEPASS_TEXEL_PAIRS (SOURCE_BYTES <= 8u)
#define ONEPASS_OWN_TEXEL_PAIRS
#endif
#define ONEPASS_TILE_PARTS (256u / BLOCK_SIZE)

/// The parameter of the kernel: PyramidParameters in cuda_impl.hpp.
struct KERNEL_STRUCT {
  PyramidParams pc;
  DeviceRows source;
  DeviceRows levels[CUDA_PYRAMID_LEVELS];  // levels[n] is level n + 1
  ONEPASS_COHERENT uint* counters;
  Address kept;     // elements of COMPONENTS words
  Address mailbox;  // elements of COMPONENTS words

  static constexpr Specialized<CONSTANT_REDUCTION> REDUCTION{};
  static constexpr Specialized<CONSTANT_FOOTPRINT> FOOTPRINT{};
  static constexpr Specialized<CONSTANT_TEXEL_MODE> TEXEL_MODE{};
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

#include "cuda/source_and_target.cuh"

#include "pyramid/pyramid_arithmetic.glsl"

  void onepass_store_level(uint level, uint2 where, uint slice, ONEPASS_ELEMENT value) {
    store_target(levels[level - 1u], where, slice, encode(value));
  }

#ifdef ONEPASS_OWN_TEXEL_PAIRS
  void onepass_load_base_pairs(uint2 texel, uint slice, ONEPASS_ELEMENT value[4]) {
    if (!has_wide_loads(pc.size.x)) {
      ONEPASS_UNROLL for (uint q = 0u; q < 4u; ++q) {
        value[q] = onepass_load_base_quad(texel + uint2(q & 1u, 16u * (q >> 1u)), slice);
      }
      return;
    }
    uint4 rows[4][4];  // all loads precede the first conversion
    ONEPASS_UNROLL for (uint row = 0u; row < 4u; ++row) {
      uint2 first = 2u * (texel + uint2(0u, 16u * (row >> 1u))) + uint2(0u, row & 1u);
      first = min(first, uint2(pc.size.x - 4u, pc.size.y - 1u));
      load_four_texels<LEAST_SOURCE_BYTES, 4u * COMPONENTS>(address(source, first, slice, SOURCE_STEP), SOURCE_BYTES,
                                                            rows[row]);
    }
    const float2 half_each = float2(0.5, 0.5);
    ONEPASS_UNROLL for (uint q = 0u; q < 4u; ++q) {
      ONEPASS_ELEMENT in_row[2];
      ONEPASS_UNROLL for (uint y = 0u; y < 2u; ++y) {
        const uint4* texels = &rows[(q & 2u) + y][2u * (q & 1u)];
        in_row[y] = onepass_reduce2(decode(source_light(whole_values(texels[0]))),
                                    decode(source_light(whole_values(texels[1]))), half_each);
      }
      value[q] = onepass_reduce2(in_row[0], in_row[1], half_each);
    }
  }
  void onepass_store_pair(uint2 texel, uint slice, ONEPASS_ELEMENT first, ONEPASS_ELEMENT second) {
    store_target_pair(levels[0], texel, slice, encode(first), encode(second));
  }
#endif

#if COMPONENTS == 1
  MAILBOX_WORDS load_element(Address from, uint element) { return load_relaxed(from + 4ull * element); }
  void store_element(Address to, uint element, MAILBOX_WORDS words) { store_relaxed(to + 4ull * element, words); }
#elif COMPONENTS == 2
  MAILBOX_WORDS load_element(Address from, uint element) { return load_relaxed2(from + 8ull * element); }
  void store_element(Address to, uint element, MAILBOX_WORDS words) { store_relaxed2(to + 8ull * element, words); }
#else
  MAILBOX_WORDS load_element(Address from, uint element) { return load_relaxed4(from + 16ull * element); }
  void store_element(Address to, uint element, MAILBOX_WORDS words) { store_relaxed4(to + 16ull * element, words); }
#endif
  ONEPASS_ELEMENT onepass_load_intermediate(uint index) { return onepass_bits_float(load_element(kept, index)); }
  void onepass_store_intermediate(uint index, ONEPASS_ELEMENT value) {
    store_element(kept, index, onepass_float_bits(value));
  }
  uint onepass_increment(uint counter) {
    uint before;
    onepass_atomic_add_before(counters[counter], 1u, before);
    return before;
  }
  void onepass_reset(uint counter) { onepass_atomic_store(counters[counter], 0u); }
  void onepass_touch_level(uint level) {}

#if ONEPASS_MAILBOX
  MAILBOX_WORDS mailbox_load(uint element) { return load_element(mailbox, element); }
  void mailbox_store(uint element, MAILBOX_WORDS words) { store_element(mailbox, element, words); }
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
