/* shader_setup.h: the CPU side of shaders written around shaders/onepass: sizes of dispatches and of scratch memory,
 * and the constants that the shader reads. C99 and C++, header only, no state, no allocation, nothing to link.
 *
 *     OnepassPyramidRequest request = {0};
 *     request.width = 1920;
 *     request.height = 1080;
 *     request.slices = 1;
 *     request.levels = -1;
 *     request.footprint = ONEPASS_SETUP_FOOTPRINT_COVERING;
 *     OnepassPyramidSetup setup;
 *     if (onepass_pyramid_setup(&request, &setup) != ONEPASS_SETUP_OK) return 1;
 *     // counters: setup.counters uints, zero before the first dispatch
 *     // exchange buffer: setup.kept elements of ONEPASS_ELEMENT
 *     vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof setup.constants, &setup.constants);
 *     vkCmdDispatch(commands, setup.groups[0], setup.groups[1], setup.groups[2]);
 *
 * Threads: every function may be called from any thread, any number of calls at once. Errors: a function returns one of
 * ONEPASS_SETUP_...; after an error, groups are 0 and nothing is dispatched. docs/shaders/ has a page on each shader
 * header. */
#ifndef ONEPASS_SHADER_SETUP_H_
#define ONEPASS_SHADER_SETUP_H_

#include <stdint.h>

#include "onepass/luminance_params.h"
#include "onepass/pyramid_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Return codes of the setup functions. */
enum OnepassSetupResult {
  ONEPASS_SETUP_OK = 0,
  ONEPASS_SETUP_BAD_SIZE = 1,      /**< Width or height is 0 or above 65535 (SPD: 4096), or there are no slices. */
  ONEPASS_SETUP_BAD_LEVELS = 2,    /**< Below -1, or more levels than the base has. */
  ONEPASS_SETUP_BAD_FOOTPRINT = 3, /**< Not an OnepassSetupFootprint. */
  ONEPASS_SETUP_BAD_SUBGROUP = 4,  /**< Not 0, and not a power of two from 8 to 128. */
  ONEPASS_SETUP_BAD_RECTANGLE = 5, /**< Begins outside the base, has one side of 0, or ends beyond 65535. */
  ONEPASS_SETUP_TOO_LARGE = 6,     /**< Scratch memory of 2^32 elements or more, or `bins` is not 256 or 2048. */
  ONEPASS_SETUP_BAD_FACTOR = 7     /**< Factor of a tile reduction: not 2, 4, 8, 16, 32 or 64. */
};

/** The base texels that a texel of a level represents, with the numbers of ONEPASS_FOOTPRINT in shaders. The tight
 * footprint, 2, is left out: only the library's own kernels support it. */
enum OnepassSetupFootprint {
  ONEPASS_SETUP_FOOTPRINT_ALIGNED = 0,
  ONEPASS_SETUP_FOOTPRINT_COVERING = 1,
  ONEPASS_SETUP_FOOTPRINT_EDGE = 3
};

/** Options of a pyramid. Zero the struct, then set the members that differ. */
typedef struct OnepassPyramidRequest {
  uint32_t width;     /**< Width of the base in texels: 1 to 65535. */
  uint32_t height;    /**< Height of the base in texels: 1 to 65535. */
  uint32_t slices;    /**< Array layers or cube faces, 1 or more: the third axis of the dispatch. */
  int32_t levels;     /**< Number of levels to make, beginning with level 1; -1: all down to 1x1. */
  uint32_t footprint; /**< ONEPASS_SETUP_FOOTPRINT_...; equal to ONEPASS_FOOTPRINT of the shader. 0 is ALIGNED, while
                         the default of PyramidOptions in C++ is covering. */
  uint32_t subgroup_size; /**< Invocations per subgroup (wave), 8 to 128 and fixed for the pipeline, if the shader is
                               compiled with ONEPASS_SUBGROUP 1; 0 with ONEPASS_SUBGROUP 0, for any subgroup size. */
  uint32_t x, y;          /**< A rectangle of the base: only the texels that it affects are stored. */
  uint32_t rectangle_width, rectangle_height; /**< Both 0: everything. */
  uint32_t reuses_scratch; /**< With a rectangle. 1: counters and intermediate texels are those of the last dispatch for
                                the same base; only tiles that the rectangle affects run. 0: the scratch memory is
                                undefined (counters are zero): all tiles run, but only affected texels are stored. */
  uint32_t last_to_start;  /**< 1: last-to-start mode, with ONEPASS_MAILBOX 1 (ONEPASS_STAGE_LAST_TO_START). Requires
                                forward progress of all started workgroups, which Vulkan and DirectX do not guarantee. */
  uint32_t texel_bytes; /**< Bytes per texel of the base; 0: 4. Affects speed only: at odd sizes, a subgroup makes fewer
                           rows of wide texels. */
} OnepassPyramidRequest;

/** The dispatch of a pyramid, and the sizes of its buffers. */
typedef struct OnepassPyramidSetup {
  OnepassPyramidConstants constants; /**< PyramidParams of the shader, 128 bytes: for push constants, or for a buffer
                                        laid out without padding (std430, StructuredBuffer). Not for a DirectX constant
                                          buffer, whose array elements are 16 bytes apart. */
  uint32_t groups[3];                /**< Workgroups of 256 invocations. If one is 0, there is nothing to dispatch. */
  uint32_t group_offset[2];          /**< The tile of workgroup (0, 0). The shader reads it from the constants. */
  uint32_t levels;                   /**< Number of levels that are made. */
  uint32_t counters; /**< 32-bit elements of the counter buffer, all slices; 0 if one stage makes all levels. */
  uint32_t kept;     /**< Elements of the exchange buffer, which holds the intermediate levels, all slices. */
} OnepassPyramidSetup;

/** Computes the one dispatch that makes a pyramid, from the request alone: the numbers of the library's own single
 * dispatches, which are computed by the same functions. Errors: any of enum OnepassSetupResult except BAD_FACTOR. */
static inline int onepass_pyramid_setup(const OnepassPyramidRequest* request, OnepassPyramidSetup* setup);

/** The dispatch of a tile reduction: one texel per factor x factor texels. */
typedef struct OnepassTileSetup {
  uint32_t tiles[2];   /**< Size of the coarse image: ONEPASS_TILE_COUNT. */
  uint32_t groups[3];  /**< Workgroups of 1 << group_log2 invocations. */
  uint32_t side_log2;  /**< ONEPASS_TILE_SIDE_LOG2 */
  uint32_t reads_log2; /**< ONEPASS_TILE_READS_LOG2 */
  uint32_t group_log2; /**< ONEPASS_TILE_GROUP_LOG2: 8, for 256 invocations. */
} OnepassTileSetup;

/** Computes a tile reduction with workgroups of 256 invocations. Errors: BAD_SIZE, BAD_FACTOR. */
static inline int onepass_tile_setup(uint32_t width, uint32_t height, uint32_t slices, uint32_t factor,
                                     OnepassTileSetup* setup);

/** The dispatch of a meter over a rectangle of an image. */
typedef struct OnepassLuminanceSetup {
  /** `pc` of the shader, 128 bytes. Members that are not sizes may be changed. Set are: weights of Rec.709; delta 1e-4;
      2048 bins from 2^-32, 32 per stop (with 256 bins set your range); adaptation up 3 and down 1 stops per second,
      eased within 1.5; seconds -1, a cut; EV100 for a meter of K = 12.5; exposure to 0.18; shares 0.1 to 0.9 for
      STATISTIC 2; log2 luminance from EV100 -32 to 32. */
  OnepassLuminanceConstants constants;
  uint32_t groups[3]; /**< Workgroups of 256 invocations. */
  uint32_t words; /**< 32-bit elements of scratch memory (onepass_words), all slices. Zero before the first dispatch. */
} OnepassLuminanceSetup;

/** Computes a meter with average metering; `bins`, 256 or 2048, is BINS of the shader. The numbers are those of the
 * library's own meter with its defaults. Errors: BAD_SIZE, BAD_RECTANGLE, TOO_LARGE. */
static inline int onepass_luminance_setup(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint32_t slices,
                                          uint32_t bins, OnepassLuminanceSetup* setup);

/** What a shader around onepass/spd.glsl makes. Zero the struct, then set the members that differ. */
typedef struct OnepassSpdRequest {
  uint32_t width;     /**< Width of the source image in texels: 1 to 4096. */
  uint32_t height;    /**< Height of the source image in texels: 1 to 4096. */
  uint32_t slices;    /**< Array layers or cube faces, 1 or more; each has a counter. */
  int32_t levels;     /**< Number of mips to make; -1: all of the image, also with a rectangle. */
  uint32_t footprint; /**< ALIGNED, as SPD; COVERING if the shader defines ONEPASS_REDUCTION, for exact odd sizes. */
  uint32_t x, y; /**< A rectangle of the source: all texels that it affects are made again, and others with them. */
  uint32_t rectangle_width, rectangle_height; /**< Both 0: everything. */
} OnepassSpdRequest;

/** The values that SpdSetup() of `ffx_spd.h` and ffxSpdSetup() of the FidelityFX SDK return. */
typedef struct OnepassSpdSetup {
  uint32_t groups[3];        /**< Workgroups of 256 invocations: dispatchThreadGroupCountXY, and the slices. */
  uint32_t group_offset[2];  /**< workGroupOffset: the tile of workgroup (0, 0). */
  uint32_t work_group_count; /**< numWorkGroups: those of one slice. */
  uint32_t mips;             /**< Number of mips that are made. */
} OnepassSpdSetup;

/** Computes the dispatch of a shader around onepass/spd.glsl. With a rectangle, levels that the dispatch does not make
 * again must hold the results of earlier ones. Errors: BAD_SIZE, BAD_LEVELS, BAD_FOOTPRINT, BAD_RECTANGLE. */
static inline int onepass_spd_setup(const OnepassSpdRequest* request, OnepassSpdSetup* setup);

/* ---- Implementation. Names that end in an underscore are private. */

enum {
  ONEPASS_SETUP_TILE_ = 64, /* texels of a stage's finest level per tile, along one axis */
};

typedef struct OnepassStage_ {
  uint32_t first, depth, kind;
} OnepassStage_;

/* Tunings of stage 0: measured on an H100 (docs/experiments/pyramid.md), which runs 250 to 600 workgroups of four rows
 * in one or two rounds. "Groups of four" are the workgroups if each subgroup makes four rows of level 3. */
enum {
  ONEPASS_TUNING_ONE_ROW_BELOW_GROUPS_ = 400,   /* sliding window: one row per subgroup if one row makes fewer groups */
  ONEPASS_TUNING_TWO_ROWS_BELOW_GROUPS_ = 250,  /* two rows if there are fewer groups of four */
  ONEPASS_TUNING_FOUR_ROWS_BELOW_GROUPS_ = 600, /* four rows if there are fewer groups of four; above: by texel size */
  ONEPASS_TUNING_ONE_ROW_TEXEL_BYTES_ = 16,     /* one row from this texel size on */
  ONEPASS_TUNING_TWO_ROWS_TEXEL_BYTES_ = 8,     /* large images: two rows from this texel size on, otherwise four */
  ONEPASS_TUNING_PAIRS_FROM_TILES_ = 600,       /* 2:1 stage: two tiles per workgroup from this number of tiles */
  ONEPASS_TUNING_PAIRS_BELOW_TILES_ = 1100      /* to below this one */
};

typedef struct OnepassLayout_ {
  const OnepassPyramidRequest* request;
  OnepassPyramidConstants* out;
  uint32_t stage_depth;         /* most levels of a 2:1 stage, 3 to 6; 0: six */
  uint32_t tiles_per_workgroup; /* sliding window: rows per subgroup; 1, 2, 4 or 8; 0: by size */
  uint32_t later_windows;       /* covering: stages after the first are sliding windows, also if their levels halve
                                   exactly and if they are the last and smaller than a window */
} OnepassLayout_;

static inline uint32_t onepass_div_up_(uint32_t a, uint32_t b) { return (a + b - 1U) / b; }
static inline uint32_t onepass_axis_size_(OnepassLayout_ l, int axis) {
  return axis == 0 ? l.request->width : l.request->height;
}

static inline OnepassStage_ onepass_stage_at_(const OnepassPyramidConstants* c, uint32_t index) {
  OnepassStage_ stage;
  stage.first = onepass_stage_bits(c->stage_firsts, index);
  stage.depth = onepass_stage_bits(c->stage_depths, index);
  stage.kind = onepass_stage_bits(c->stage_kinds, index);
  return stage;
}

/* Texels of its last level (sliding window: of its third) that a tile of a stage above 0 makes, along one axis. */
static inline uint32_t onepass_later_made_(OnepassLayout_ l, OnepassStage_ stage, int axis) {
  const uint32_t lanes = l.request->subgroup_size;
  return axis == 0 ? onepass_made_x(stage.kind, stage.depth, stage.first, lanes, l.request->width)
                   : onepass_made_y(stage.kind, stage.depth, lanes);
}

static inline uint32_t onepass_made_(OnepassLayout_ l, uint32_t index, int axis) {
  if (index == 0U) return axis == 0 ? l.out->base_made & 0xFFFFU : l.out->base_made >> 16;
  return onepass_later_made_(l, onepass_stage_at_(l.out, index), axis);
}

/* Texels of its finest level that a tile of a stage above 0 covers, without the halo, along one axis. */
static inline uint32_t onepass_span_(OnepassLayout_ l, OnepassStage_ stage, int axis) {
  return onepass_span_of(stage.kind, onepass_later_made_(l, stage, axis));
}

static inline uint32_t onepass_tiles_(OnepassLayout_ l, OnepassStage_ stage, uint32_t window_made, int axis) {
  return onepass_tiles_of(stage.kind, onepass_axis_size_(l, axis), stage.first, window_made);
}

static inline uint32_t onepass_later_tiles_(OnepassLayout_ l, OnepassStage_ stage, int axis) {
  return onepass_tiles_(l, stage, onepass_later_made_(l, stage, axis), axis);
}

static inline int onepass_one_tile_(OnepassLayout_ l, OnepassStage_ stage) {
  return onepass_later_tiles_(l, stage, 0) == 1U && onepass_later_tiles_(l, stage, 1) == 1U;
}

/* Number of levels from `first` on, up to `limit`, that halve exactly and need no halo, along one axis. */
static inline uint32_t onepass_exact_levels_(OnepassLayout_ l, uint32_t first, uint32_t limit, int axis) {
  const uint32_t size = onepass_axis_size_(l, axis);
  uint32_t count = 0;
  while (count < limit && (size >> first) >= 2U << count &&
         (l.request->footprint == ONEPASS_SETUP_FOOTPRINT_ALIGNED || (size & ((2U << (first + count)) - 1U)) == 0U)) {
    ++count;
  }
  return count;
}

/* Chooses the stage that begins at level `first`: six levels where they halve exactly, otherwise three; all remaining
 * levels once a single tile holds a whole level. */
static inline OnepassStage_ onepass_choose_stage_(OnepassLayout_ l, uint32_t first) {
  const OnepassPyramidRequest* r = l.request;
  const uint32_t remaining = l.out->last_level - first;
  OnepassStage_ stage;
  const int tight = r->footprint == ONEPASS_TIGHT;
  uint32_t limit, halving;
  int one_tile;
  stage.first = first;
  stage.depth = onepass_min_(3U, remaining);
  stage.kind = ONEPASS_STAGE_GENERAL;
  one_tile = onepass_one_tile_(l, stage) && (first > 0U || !tight);
  if (tight || r->subgroup_size == 0U) {
    if (one_tile) stage.depth = remaining;
    return stage;
  }
  limit = onepass_min_(remaining, l.stage_depth == 0U ? 6U : l.stage_depth);
  halving = onepass_min_(onepass_exact_levels_(l, first, limit, 0), onepass_exact_levels_(l, first, limit, 1));
  if (l.later_windows != 0U && first > 0U) {
    stage.kind = ONEPASS_STAGE_SLIDING_WINDOW;
    if (r->width >> first <= 65U && r->height >> first <= 33U && onepass_one_tile_(l, stage)) {
      stage.depth = remaining; /* pyramid_last_tile.glsl makes it */
      return stage;
    }
    stage.kind = ONEPASS_STAGE_GENERAL;
  } else if (halving >= (one_tile ? remaining : stage.depth) && (halving >= 3U || first > 0U)) {
    stage.depth = halving;
    stage.kind = ONEPASS_STAGE_TWO_TO_ONE;
    return stage;
  }
  if (r->footprint == ONEPASS_SETUP_FOOTPRINT_COVERING && remaining >= 3U &&
      onepass_min_(r->width, r->height) >> first >= 8U) {
    stage.kind = ONEPASS_STAGE_SLIDING_WINDOW;
    /* Levels beyond the third are made as in a general tile, whose third level has 8x8 texels. */
    if (one_tile && onepass_one_tile_(l, stage)) stage.depth = remaining;
  } else if (one_tile) {
    stage.depth = remaining;
  }
  return stage;
}

/* Whether stage 0 may publish its results in the mailbox: each of its tiles must make a single texel, for a 2:1 stage.
 * Not if the last stage has several tiles, because none of them can safely flip the buffer parity: none knows when all
 * workgroups have read it. Not if a tile of stage 1 contributes to no tile of stage 2. See workgroup_exchange.glsl. */
static inline int onepass_may_publish_(OnepassLayout_ l) {
  const OnepassStage_ base = onepass_stage_at_(l.out, 0), middle = onepass_stage_at_(l.out, 1);
  int axis;
  if (l.out->stage_count < 2U || base.depth != 6U || base.kind != ONEPASS_STAGE_TWO_TO_ONE ||
      middle.kind != ONEPASS_STAGE_TWO_TO_ONE ||
      !onepass_one_tile_(l, onepass_stage_at_(l.out, l.out->stage_count - 1U))) {
    return 0;
  }
  for (axis = 0; axis < 2 && l.out->stage_count > 2U; ++axis) {
    const OnepassStage_ coarser = onepass_stage_at_(l.out, 2);
    const uint32_t last = (onepass_later_tiles_(l, middle, axis) - 1U) * onepass_later_made_(l, middle, axis);
    if (last >= onepass_later_tiles_(l, coarser, axis) * onepass_span_(l, coarser, axis)) return 0;
  }
  return 1;
}

/* Number of workgroups if stage 0 makes `rows` rows of level 3 per subgroup (sliding window), or one tile each. */
static inline uint64_t onepass_groups_(OnepassLayout_ l, OnepassStage_ base, uint32_t rows) {
  const uint32_t x = onepass_tiles_(l, base, onepass_later_made_(l, base, 0), 0);
  const uint32_t y = onepass_tiles_(l, base, onepass_later_made_(l, base, 1) * rows, 1);
  return (uint64_t)x * y * l.request->slices;
}

/* Rows of level 3 that a subgroup of a sliding-window stage 0 makes: more rows share the cost of the rows read ahead,
 * fewer rows leave more concurrent subgroups. */
static inline uint32_t onepass_default_rows_(OnepassLayout_ l, OnepassStage_ base) {
  const uint64_t of_four = onepass_groups_(l, base, 4U);
  if (onepass_groups_(l, base, 1U) < ONEPASS_TUNING_ONE_ROW_BELOW_GROUPS_) return 1U;
  if (l.request->texel_bytes >= ONEPASS_TUNING_ONE_ROW_TEXEL_BYTES_) return 1U;
  if (of_four < ONEPASS_TUNING_TWO_ROWS_BELOW_GROUPS_) return 2U;
  if (of_four < ONEPASS_TUNING_FOUR_ROWS_BELOW_GROUPS_) return 4U;
  return l.request->texel_bytes >= ONEPASS_TUNING_TWO_ROWS_TEXEL_BYTES_ ? 2U : 4U;
}

/* Tiles per workgroup of a 2:1 stage 0: one, or two of which the second is loaded while the first is reduced; one where
 * a tile makes fewer than six levels and another stage follows. */
static inline uint32_t onepass_default_tiles_(OnepassLayout_ l, OnepassStage_ base) {
  const uint64_t tiles = onepass_groups_(l, base, 1U);
  if (base.depth < 6U && base.depth < l.out->last_level) return 1U;
  return tiles >= ONEPASS_TUNING_PAIRS_FROM_TILES_ && tiles < ONEPASS_TUNING_PAIRS_BELOW_TILES_ ? 2U : 1U;
}

/* Tiles per workgroup of a 2:1 stage 0, or rows per subgroup of a sliding-window one. */
static inline uint32_t onepass_choose_run_(OnepassLayout_ l, OnepassStage_ base) {
  if (base.kind == ONEPASS_STAGE_GENERAL) return 1U;
  if (l.tiles_per_workgroup != 0U) return l.tiles_per_workgroup;
  return base.kind == ONEPASS_STAGE_SLIDING_WINDOW ? onepass_default_rows_(l, base) : onepass_default_tiles_(l, base);
}

/* Sets the stages and the texels per workgroup of stage 0 in the constants. */
static inline void onepass_choose_stages_(OnepassLayout_ l) {
  OnepassPyramidConstants* c = l.out;
  OnepassStage_ base;
  uint32_t first = 0, width, height;
  int axis;
  while (first < c->last_level) {
    const OnepassStage_ stage = onepass_choose_stage_(l, first);
    const uint32_t shift = 4U * c->stage_count++;
    c->stage_firsts |= stage.first << shift;
    c->stage_depths |= stage.depth << shift;
    c->stage_kinds |= stage.kind << shift;
    first += stage.depth;
  }
  base = onepass_stage_at_(c, 0);
  width = onepass_later_made_(l, base, 0);
  height = onepass_later_made_(l, base, 1);
  axis = base.kind == ONEPASS_STAGE_TWO_TO_ONE ? 0 : 1; /* axis along which a workgroup makes several tiles or rows */
  c->base_run = onepass_choose_run_(l, base);
  /* A workgroup increments only the counters of the parent tile in which it begins and of that tile's neighbours, so
   * it must not reach beyond these. It could with small subgroups: their sliding-window tiles are narrow and tall. */
  while (c->stage_count > 1U && c->base_run > 1U) {
    const uint32_t span = onepass_span_(l, onepass_stage_at_(c, 1), axis);
    const uint32_t side = c->base_run * (axis == 0 ? width : height);
    uint32_t a = side, b = span;
    while (b != 0U) {
      const uint32_t rest = a % b;
      a = b;
      b = rest;
    }
    if (side - a <= span) break;
    c->base_run /= 2U;
  }
  c->base_made = axis == 0 ? c->base_run * width | height << 16 : width | c->base_run * height << 16;
  if (onepass_may_publish_(l)) {
    c->stage_kinds |= ONEPASS_STAGE_PUBLISHES;
    if (l.request->last_to_start != 0U) c->stage_kinds |= ONEPASS_STAGE_LAST_TO_START;
  }
}

/* Number of workgroups of stage 0 along one axis. */
static inline uint32_t onepass_base_tiles_(OnepassLayout_ l, int axis) {
  const OnepassStage_ stage = onepass_stage_at_(l.out, 0);
  const uint32_t tiles = onepass_tiles_(l, stage, onepass_made_(l, 0, axis), axis);
  return stage.kind == ONEPASS_STAGE_TWO_TO_ONE && axis == 0 ? onepass_div_up_(tiles, l.out->base_run) : tiles;
}

/* Sets the positions of the intermediate levels in the exchange buffer. Returns 0 if they fit. */
static inline int onepass_place_intermediate_(OnepassLayout_ l) {
  OnepassPyramidConstants* c = l.out;
  uint64_t kept = 0, counters = 0;
  uint32_t i;
  for (i = 1; i < c->stage_count; ++i) {
    const OnepassStage_ stage = onepass_stage_at_(c, i);
    if (i > 1U) c->intermediate_begin[i - 2U] = (uint32_t)kept;
    c->intermediate_levels |= 1U << stage.first;
    kept += (uint64_t)onepass_level_size(l.request->width, stage.first) *
            onepass_level_size(l.request->height, stage.first);
    counters += (uint64_t)onepass_later_tiles_(l, stage, 0) * onepass_later_tiles_(l, stage, 1);
  }
  if (kept * l.request->slices > UINT32_MAX || counters * l.request->slices > UINT32_MAX) return 1;
  c->intermediate_stride = (uint32_t)kept;
  c->counter_stride = (uint32_t)counters;
  return 0;
}

/* Tiles of stage 0 with a texel that the rectangle affects, on any level of the stage, along one axis. */
static inline void onepass_affected_tiles_(OnepassLayout_ l, int axis, uint32_t* begin, uint32_t* end) {
  const OnepassStage_ stage = onepass_stage_at_(l.out, 0);
  const uint32_t depth = stage.kind == ONEPASS_STAGE_SLIDING_WINDOW ? 3U : stage.depth;
  const uint32_t count = onepass_base_tiles_(l, axis);
  uint32_t from = UINT32_MAX, to = 0, step;
  for (step = 1; step <= depth; ++step) {
    const uint32_t width = onepass_made_(l, 0, axis) << (depth - step);
    const uint32_t size = onepass_axis_size_(l, axis);
    const uint32_t first = onepass_affected_begin(l.request->footprint, size, step, *begin);
    const uint32_t last = onepass_affected_end(l.request->footprint, size, step, *begin, *end);
    if (first >= last) continue;
    from = onepass_min_(from, first / width);
    to = onepass_max_(to, (last - 1U) / width + 1U);
  }
  *begin = onepass_min_(from, count - 1U);
  *end = onepass_min_(to, count);
}

/* Halo of a tile: texels of the stage's finest level that it reads beyond its own, along one axis. */
static inline uint32_t onepass_halo_(OnepassLayout_ l, OnepassStage_ stage, int axis, uint32_t own_end) {
  return onepass_halo_texels(l.request->footprint, onepass_axis_size_(l, axis), stage.first, stage.first + stage.depth,
                             own_end);
}

/* Tiles of every stage that run if tiles [begin, end) of stage 0 run, along one axis. */
static inline void onepass_activate_(OnepassLayout_ l, int axis, uint32_t begin, uint32_t end) {
  const uint32_t shift = axis == 0 ? 0U : 16U;
  uint32_t i;
  for (i = 0; i < l.out->stage_count; ++i) {
    if (i > 0U) {
      const OnepassStage_ coarser = onepass_stage_at_(l.out, i);
      const uint32_t width = onepass_made_(l, i - 1U, axis);
      const uint32_t span = onepass_span_(l, coarser, axis);
      const uint32_t count = onepass_later_tiles_(l, coarser, axis);
      uint32_t home = begin * width / span;
      if (home > 0U) {
        const uint32_t own_end = home * ((uint32_t)ONEPASS_SETUP_TILE_ >> coarser.depth);
        if (begin * width < span * home + onepass_halo_(l, coarser, axis, own_end) || home >= count) --home;
      }
      end = onepass_min_((end * width - 1U) / span + 1U, count);
      begin = home;
    }
    l.out->active_tiles[i].x |= begin << shift;
    l.out->active_tiles[i].y |= end << shift;
  }
}

/* Sets the active tiles of a dispatch that makes the texels affected by the rectangle [begin, end) of the base; with
 * all_tiles, all texels. Sets `groups` and the tile of workgroup (0, 0); groups are 0 if no texel is affected. */
static inline void onepass_dispatch_(OnepassLayout_ l, const uint32_t* begin, const uint32_t* end, int all_tiles,
                                     uint32_t* groups, uint32_t* offset) {
  uint32_t from[2], to[2];
  int axis;
  for (axis = 0; axis < 2; ++axis) {
    from[axis] = begin[axis];
    to[axis] = end[axis];
    if (all_tiles) {
      from[axis] = 0;
      to[axis] = onepass_base_tiles_(l, axis);
    } else {
      onepass_affected_tiles_(l, axis, &from[axis], &to[axis]);
    }
  }
  groups[0] = groups[1] = groups[2] = 0;
  if (from[0] >= to[0] || from[1] >= to[1]) return;
  for (axis = 0; axis < 2; ++axis) {
    onepass_activate_(l, axis, from[axis], to[axis]);
    groups[axis] = to[axis] - from[axis];
    offset[axis] = from[axis];
  }
  groups[2] = l.request->slices;
}

static inline int onepass_check_pyramid_(const OnepassPyramidRequest* r, uint32_t* full) {
  const uint32_t longest = onepass_max_(r->width, r->height);
  const uint32_t n = r->subgroup_size;
  if (r->width == 0U || r->height == 0U || longest > 65535U || r->slices == 0U) return ONEPASS_SETUP_BAD_SIZE;
  *full = 0;
  while (longest >> (*full + 1U) != 0U) ++*full;
  if (r->levels < -1 || (r->levels >= 0 && (uint32_t)r->levels > *full)) return ONEPASS_SETUP_BAD_LEVELS;
  if (r->footprint != ONEPASS_SETUP_FOOTPRINT_ALIGNED && r->footprint != ONEPASS_SETUP_FOOTPRINT_COVERING &&
      r->footprint != ONEPASS_SETUP_FOOTPRINT_EDGE) {
    return ONEPASS_SETUP_BAD_FOOTPRINT;
  }
  if (n != 0U && (n < 8U || n > 128U || (n & (n - 1U)) != 0U)) return ONEPASS_SETUP_BAD_SUBGROUP;
  if ((r->rectangle_width == 0U) != (r->rectangle_height == 0U)) return ONEPASS_SETUP_BAD_RECTANGLE;
  if (r->rectangle_width != 0U && (r->x >= r->width || r->y >= r->height)) return ONEPASS_SETUP_BAD_RECTANGLE;
  return ONEPASS_SETUP_OK;
}

static inline int onepass_pyramid_setup(const OnepassPyramidRequest* request, OnepassPyramidSetup* setup) {
  const OnepassPyramidSetup nothing = {
      {{0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0, 0}, {{0, 0}}, {0}}, {0}, {0}, 0, 0, 0};
  const int partial = request->rectangle_width != 0U;
  OnepassLayout_ l;
  uint32_t full = 0, begin[2], end[2];
  const int checked = onepass_check_pyramid_(request, &full);
  *setup = nothing;
  if (checked != ONEPASS_SETUP_OK) return checked;
  l.request = request;
  l.out = &setup->constants;
  l.stage_depth = 0;
  l.tiles_per_workgroup = 0;
  l.later_windows = 0;
  l.out->size.x = request->width;
  l.out->size.y = request->height;
  l.out->last_level = request->levels < 0 ? full : (uint32_t)request->levels;
  setup->levels = l.out->last_level;
  if (setup->levels == 0U) return ONEPASS_SETUP_OK;
  onepass_choose_stages_(l);
  if (onepass_place_intermediate_(l) != 0) {
    *setup = nothing;
    return ONEPASS_SETUP_TOO_LARGE;
  }
  setup->kept = l.out->intermediate_stride * request->slices;
  setup->counters = l.out->counter_stride * request->slices;
  /* The part of a rectangle beyond the base is ignored. */
  begin[0] = partial ? request->x : 0U;
  begin[1] = partial ? request->y : 0U;
  end[0] = partial ? request->x + onepass_min_(request->rectangle_width, request->width - request->x) : request->width;
  end[1] =
      partial ? request->y + onepass_min_(request->rectangle_height, request->height - request->y) : request->height;
  l.out->partial = partial ? 1U : 0U;
  l.out->region.x = begin[0] | begin[1] << 16;
  l.out->region.y = end[0] | end[1] << 16;
  onepass_dispatch_(l, begin, end, !(partial && request->reuses_scratch != 0U), setup->groups, setup->group_offset);
  return ONEPASS_SETUP_OK;
}

static inline int onepass_tile_setup(uint32_t width, uint32_t height, uint32_t slices, uint32_t factor,
                                     OnepassTileSetup* setup) {
  const OnepassTileSetup nothing = {{0}, {0}, 0, 0, 0};
  uint32_t lanes_log2, tiles_log2;
  *setup = nothing;
  if (width == 0U || height == 0U || width > 65535U || height > 65535U || slices == 0U) return ONEPASS_SETUP_BAD_SIZE;
  if (factor < 2U || factor > 64U || (factor & (factor - 1U)) != 0U) return ONEPASS_SETUP_BAD_FACTOR;
  while (2U << setup->side_log2 < factor) ++setup->side_log2;
  setup->tiles[0] = onepass_div_up_(width, factor);
  setup->tiles[1] = onepass_div_up_(height, factor);
  setup->group_log2 = 8;
  setup->reads_log2 = onepass_min_(2U * setup->side_log2, 2U); /* four reads in flight, or as many as there are */
  if (2U * setup->side_log2 - setup->reads_log2 > 8U) setup->reads_log2 = 2U * setup->side_log2 - 8U;
  lanes_log2 = 2U * setup->side_log2 - setup->reads_log2;
  tiles_log2 = setup->group_log2 - lanes_log2;
  setup->groups[0] = onepass_div_up_(setup->tiles[0], 1U << ((tiles_log2 + 1U) >> 1));
  setup->groups[1] = onepass_div_up_(setup->tiles[1], 1U << (tiles_log2 >> 1));
  setup->groups[2] = slices;
  return ONEPASS_SETUP_OK;
}

static inline int onepass_luminance_setup(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint32_t slices,
                                          uint32_t bins, OnepassLuminanceSetup* setup) {
  /* clang-format off */
  const OnepassLuminanceConstants usual = {
      0, 0, 0, 0.2126F, 0.7152F, 0.0722F, 1e-4F, -32.0F, 32.0F, 0.0F, 0.0F, 0.0F, 0.0F, 3.0F, 1.0F, 1.5F, -1.0F, 3.0F,
      -2.473931188F, 0.1F, 0.9F, -35.0F, 29.0F, {0.01F, 0.05F, 0.25F, 0.5F, 0.75F, 0.9F, 0.95F, 0.99F}, 0};
  /* clang-format on */
  uint64_t words;
  uint32_t tiles, least, wanted;
  setup->constants = usual;
  setup->groups[0] = setup->groups[1] = setup->groups[2] = setup->words = 0;
  if (width == 0U || height == 0U || width > 65535U || height > 65535U || slices == 0U) return ONEPASS_SETUP_BAD_SIZE;
  if (x > 65535U - width || y > 65535U - height) return ONEPASS_SETUP_BAD_RECTANGLE;
  if (bins != (uint32_t)ONEPASS_LUMINANCE_BINS && bins != (uint32_t)ONEPASS_LUMINANCE_FINE_BINS) {
    return ONEPASS_SETUP_TOO_LARGE;
  }
  setup->constants.origin = x | y << 16;
  setup->constants.size = width | height << 16;
  setup->constants.tiles_x = onepass_div_up_(width, ONEPASS_LUMINANCE_TILE_WIDTH);
  setup->constants.centre_x = 0.5F * (float)width - 0.5F;
  setup->constants.centre_y = 0.5F * (float)height - 0.5F;
  setup->constants.inverse_radius_x = 2.0F / (1.41421356F * (float)width);
  setup->constants.inverse_radius_y = 2.0F / (1.41421356F * (float)height);
  /* At most one workgroup per tile; at most 8192 tiles per workgroup, because its histogram has 32 bits. */
  tiles = setup->constants.tiles_x * onepass_div_up_(height, ONEPASS_LUMINANCE_TILE_HEIGHT);
  least = onepass_div_up_(tiles, 8192U);
  wanted = onepass_max_(1U, 264U / slices);
  setup->constants.groups = onepass_min_(onepass_max_(wanted, least), onepass_min_(tiles, 65535U));
  /* One counter, eight copies of the sums, two words per bin. */
  words = ((uint64_t)ONEPASS_LUMINANCE_BINS_AT + (uint64_t)2 * bins) * slices;
  if (words > UINT32_MAX) return ONEPASS_SETUP_TOO_LARGE;
  setup->groups[0] = setup->constants.groups;
  setup->groups[1] = 1;
  setup->groups[2] = slices;
  setup->words = (uint32_t)words;
  return ONEPASS_SETUP_OK;
}

static inline int onepass_spd_setup(const OnepassSpdRequest* request, OnepassSpdSetup* setup) {
  const OnepassSpdSetup nothing = {{0}, {0}, 0, 0};
  const int partial = request->rectangle_width != 0U;
  const uint32_t size[2] = {request->width, request->height};
  const uint32_t begin[2] = {partial ? request->x : 0U, partial ? request->y : 0U};
  const uint32_t extent[2] = {request->rectangle_width, request->rectangle_height};
  uint32_t full = 0, made;
  int axis;
  *setup = nothing;
  if (size[0] == 0U || size[1] == 0U || onepass_max_(size[0], size[1]) > 4096U || request->slices == 0U) {
    return ONEPASS_SETUP_BAD_SIZE;
  }
  while (onepass_max_(size[0], size[1]) >> (full + 1U) != 0U) ++full;
  if (request->levels < -1 || (request->levels >= 0 && (uint32_t)request->levels > full)) {
    return ONEPASS_SETUP_BAD_LEVELS;
  }
  if (request->footprint != ONEPASS_SETUP_FOOTPRINT_ALIGNED && request->footprint != ONEPASS_SETUP_FOOTPRINT_COVERING) {
    return ONEPASS_SETUP_BAD_FOOTPRINT;
  }
  if ((extent[0] == 0U) != (extent[1] == 0U) || begin[0] >= size[0] || begin[1] >= size[1]) {
    return ONEPASS_SETUP_BAD_RECTANGLE;
  }
  setup->mips = request->levels < 0 ? full : (uint32_t)request->levels;
  if (setup->mips == 0U) return ONEPASS_SETUP_OK;
  made = onepass_min_(setup->mips, 6U); /* levels of a tile of 64x64 texels */
  for (axis = 0; axis < 2; ++axis) {
    const uint32_t last = partial && extent[axis] < size[axis] - begin[axis] ? begin[axis] + extent[axis] : size[axis];
    /* SPD runs the tiles of the rectangle. With halos, the first texel that it affects may be in a tile before it. */
    setup->group_offset[axis] = begin[axis] / 64U;
    if (request->footprint == ONEPASS_SETUP_FOOTPRINT_COVERING) {
      setup->group_offset[axis] =
          onepass_affected_begin(request->footprint, size[axis], made, begin[axis]) >> (6U - made);
    }
    setup->groups[axis] = (last - 1U) / 64U + 1U - setup->group_offset[axis];
  }
  setup->groups[2] = request->slices;
  setup->work_group_count = setup->groups[0] * setup->groups[1];
  return ONEPASS_SETUP_OK;
}

#ifdef __cplusplus
}
#endif

#endif /* ONEPASS_SHADER_SETUP_H_ */
