// pyramid_tight.glsl: the tight footprint in one dispatch.
//
// Tight footprints are not nested: a texel of level n+1 may begin in the middle of one of level n. So coarse levels are
// not made from finer ones. A workgroup owns a 64x64 tile of the base. It makes its texels of levels 1 to 3 directly,
// and for every coarser texel it reduces the part of the footprint that lies in its tile. These parts are combined in
// the exchange buffer by atomic maximum on order-preserving integers (complemented for min, so that zero is the
// identity of both). The owner of a coarser tile converts these accumulators to texels and resets them to zero.
#include "onepass/workgroup_exchange.glsl"

// Eight rows of a tile, and reductions of eight texels each of these rows. A last tile may be a texel wider and higher.
#define ROWS 8u
#define ROW_STRIDE 72u
groupshared ONEPASS_ELEMENT s_rows[8 * 72];
groupshared ONEPASS_ELEMENT s_runs[8 * 9];

layout(binding = 3) ONEPASS_COHERENT buffer IntermediateBits { uint intermediate_bits[]; };

const float2 kNoWeight = float2(0.0, 0.0);

uint ordered(float value) {
  uint bits = floatBitsToUint(value);
  return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}
float unordered(uint key) { return uintBitsToFloat((key & 0x80000000u) != 0u ? key & 0x7FFFFFFFu : ~key); }

// Is the reduction of component c a minimum?
bool is_min(uint c) { return REDUCTION == ONEPASS_MIN || (REDUCTION == ONEPASS_MIN_MAX && c == 0u); }

void add_part(uint index, float value, uint c) {
  uint key = ordered(value);
  onepass_atomic_max(intermediate_bits[index * COMPONENTS + c], is_min(c) ? ~key : key);
}
float take_sum(uint index, uint c) {
  uint key;
  onepass_atomic_load(intermediate_bits[index * COMPONENTS + c], key);
  intermediate_bits[index * COMPONENTS + c] = 0u;
  return unordered(is_min(c) ? ~key : key);
}

// Texels of `level` that a tile of `stage` owns: begin in xy, end in zw.
uint4 owned(OnepassStage stage, uint2 tile, uint level) {
  uint width = 64u >> (level - stage.first);
  return uint4(tile * width, min((tile + 1u) * width, onepass_level_size2(pc.size, level)));
}

bool affected(uint2 texel, uint4 rect) {
  return all(greaterThanEqual(texel, rect.xy)) && all(lessThan(texel, rect.zw));
}

void make_fine_levels(OnepassStage stage, uint2 tile, uint slice, uint lane) {
  for (uint level = 1u; level <= stage.depth; ++level) {
    uint4 own = owned(stage, tile, level);
    uint4 rect = onepass_store_rect(level);
    uint width = own.z - min(own.x, own.z);
    uint height = own.w - min(own.y, own.w);
    for (uint begin = 0u; begin < width * height; begin += 256u) {
      uint i = begin + lane;
      uint2 texel = own.xy + uint2(i % width, i / width);
      if (i >= width * height || !affected(texel, rect)) continue;
      uint2 x = onepass_tight_range(pc.size.x, level, texel.x);
      uint2 y = onepass_tight_range(pc.size.y, level, texel.y);
      ONEPASS_ELEMENT value = onepass_load_base(uint2(x.x, y.x), slice);
      // Per axis a footprint is shorter than two blocks of 2^level texels.
      for (uint v = 0u; v < (2u << level); ++v) {
        for (uint u = 0u; u < (2u << level); ++u) {
          if (y.x + v < y.y && x.x + u < x.y) {
            value = onepass_reduce2(value, onepass_load_base(uint2(x.x + u, y.x + v), slice), kNoWeight);
          }
        }
      }
      onepass_store_level(level, texel, slice, value);
    }
  }
}

// The coarse texel that an invocation reduces a part of: its level (0: none), the texel, and the columns and rows of
// the tile in its footprint, relative to the tile.
struct Part {
  uint level;
  uint2 texel;
  uint2 x;
  uint2 y;
};

Part assign_part(uint first_level, uint4 tile, uint lane) {
  Part part;
  part.level = 0u;
  part.texel = uint2(0u, 0u);
  part.x = uint2(0u, 0u);
  part.y = uint2(0u, 0u);
  for (uint level = first_level; level <= pc.last_level; ++level) {
    uint2 columns = onepass_affected(pc.size.x, level, tile.x, tile.z);
    uint2 rows = onepass_affected(pc.size.y, level, tile.y, tile.w);
    uint width = columns.y - columns.x;
    uint count = width * (rows.y - rows.x);
    if (part.level == 0u && lane < count) {
      part.level = level;
      part.texel = uint2(columns.x + lane % width, rows.x + lane / width);
      uint2 x = onepass_tight_range(pc.size.x, level, part.texel.x);
      uint2 y = onepass_tight_range(pc.size.y, level, part.texel.y);
      part.x = clamp(x, uint2(tile.x), uint2(tile.z)) - tile.x;
      part.y = clamp(y, uint2(tile.y), uint2(tile.w)) - tile.y;
    }
    lane -= count;  // wraps once assigned, to more than any count
  }
  return part;
}

void load_rows(uint4 tile, uint row, uint slice, uint lane) {
  for (uint begin = 0u; begin < ROWS * ROW_STRIDE; begin += 256u) {
    uint i = begin + lane;
    if (i >= ROWS * ROW_STRIDE) continue;
    uint2 at = min(tile.xy + uint2(i % ROW_STRIDE, row + i / ROW_STRIDE), tile.zw - 1u);
    s_rows[i] = onepass_load_base(at, slice);
  }
  onepass_group_barrier();  // rows are complete
  if (lane < ROWS * 9u) {
    ONEPASS_ELEMENT run = s_rows[8u * lane];
    for (uint i = 1u; i < 8u; ++i) run = onepass_reduce2(run, s_rows[8u * lane + i], kNoWeight);
    s_runs[lane] = run;
  }
  onepass_group_barrier();  // reductions of eight are complete
}

// Reduction of texels [x.x, x.y) of a row in shared memory: single texels, reductions of eight, single texels.
ONEPASS_ELEMENT reduce_row(uint row, uint2 x) {
  ONEPASS_ELEMENT value = s_rows[row * ROW_STRIDE + x.x];
  uint head = min((x.x + 7u) & ~7u, x.y);
  uint tail = max(x.y & ~7u, head);
  for (uint i = 0u; i < 7u; ++i) {
    if (x.x + i < head) value = onepass_reduce2(value, s_rows[row * ROW_STRIDE + x.x + i], kNoWeight);
  }
  for (uint run = 0u; run < 9u; ++run) {
    if (8u * run >= head && 8u * run + 8u <= tail) value = onepass_reduce2(value, s_runs[row * 9u + run], kNoWeight);
  }
  for (uint i = 0u; i < 7u; ++i) {
    if (tail + i < x.y) value = onepass_reduce2(value, s_rows[row * ROW_STRIDE + tail + i], kNoWeight);
  }
  return value;
}

void add_coarse_parts(uint first_level, uint4 tile, uint slice, uint lane) {
  Part part = assign_part(first_level, tile, lane);
  bool started = false;
  ONEPASS_ELEMENT value;
  for (uint row = 0u; row < tile.w - tile.y; row += ROWS) {
    load_rows(tile, row, slice, lane);
    for (uint v = 0u; v < ROWS; ++v) {
      ONEPASS_ELEMENT here = reduce_row(v, part.x);
      if (part.level > 0u && row + v >= part.y.x && row + v < part.y.y) {
        value = started ? onepass_reduce2(value, here, kNoWeight) : here;
        started = true;
      }
    }
    onepass_group_barrier();  // every read of the rows is done
  }
  if (started) {
    uint index = onepass_intermediate_offset(part.level, slice) +
                 part.texel.y * onepass_level_size(pc.size.x, part.level) + part.texel.x;
#if COMPONENTS == 1
    add_part(index, float(value), 0u);
#else
    for (uint c = 0u; c < COMPONENTS; ++c) add_part(index, float(value[c]), c);
#endif
  }
}

// Converts the accumulators of a completed coarser tile to texels.
void finish_levels(OnepassStage stage, uint2 tile, uint slice, uint lane) {
  for (uint level = stage.first + 1u; level <= stage.first + stage.depth; ++level) {
    uint4 own = owned(stage, tile, level);
    uint4 rect = onepass_store_rect(level);
    uint kept = onepass_intermediate_offset(level, slice);
    uint width = own.z - min(own.x, own.z);
    uint height = own.w - min(own.y, own.w);
    for (uint begin = 0u; begin < width * height; begin += 256u) {
      uint i = begin + lane;
      if (i >= width * height) continue;
      uint2 texel = own.xy + uint2(i % width, i / width);
      uint index = kept + texel.y * onepass_level_size(pc.size.x, level) + texel.x;
      KEPT_ELEMENT value;
#if COMPONENTS == 1
      value = take_sum(index, 0u);
#else
      for (uint c = 0u; c < COMPONENTS; ++c) value[c] = take_sum(index, c);
#endif
      if (affected(texel, rect)) onepass_store_level(level, texel, slice, ONEPASS_ELEMENT(value));
    }
  }
}

void tight_pyramid(uint3 group) {
  uint lane = onepass_workgroup_index();
  uint2 tile = group.xy + onepass_active_begin(0u);
  uint slice = group.z;
  uint index = 0u;
  onepass_clear_claims(lane);
  onepass_delay(tile);
  OnepassStage fine = onepass_stage(0u);
  make_fine_levels(fine, tile, slice, lane);
  // The last tile of an axis also has the last texel of an odd size.
  uint2 end = 64u * (tile + 1u);
  uint2 count = onepass_tile_count(fine);
  if (tile.x + 1u == count.x) end.x = pc.size.x;
  if (tile.y + 1u == count.y) end.y = pc.size.y;
  bool more = STAGE_COUNT > 1u;
  if (more) add_coarse_parts(fine.depth + 1u, uint4(64u * tile, end), slice, lane);
  while (more) {
    onepass_delay(tile);
    onepass_find_parents(index, tile, slice, lane);
    more = onepass_arrive(index, lane);
    if (more) {
      index = onepass_claimed_stage();
      tile = onepass_claimed_tile();
      finish_levels(onepass_stage(index), tile, slice, lane);
    }
  }
}
