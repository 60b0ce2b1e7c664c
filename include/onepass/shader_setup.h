/* shader_setup.h: what a program does on the CPU before it dispatches a shader written around shaders/onepass: sizes of
 * dispatches and of scratch memory, and the constants that the shader reads. C99 and C++, header only, no state, no
 * allocation, nothing to link.
 *
 *     OnepassPyramidRequest request = {0};
 *     request.width = 1920;
 *     request.height = 1080;
 *     request.slices = 1;
 *     request.levels = -1;
 *     request.footprint = ONEPASS_SETUP_FOOTPRINT_COVERING;
 *     OnepassPyramidSetup setup;
 *     if (onepass_pyramid_setup(&request, &setup) != ONEPASS_SETUP_OK) ...
 *     // counters: setup.counters uints, zero before the first dispatch; kept: setup.kept elements of ONEPASS_ELEMENT
 *     vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof setup.constants, &setup.constants);
 *     vkCmdDispatch(commands, setup.groups[0], setup.groups[1], setup.groups[2]);
 *
 * Threads: every function may be called from any thread. Errors: a number, ONEPASS_SETUP_...; nothing is then to
 * be dispatched: groups are 0. docs/shaders/ has a page on each shader header. */
#ifndef ONEPASS_SHADER_SETUP_H_
#define ONEPASS_SHADER_SETUP_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a setup function returns. */
enum OnepassSetupResult {
  ONEPASS_SETUP_OK = 0,
  ONEPASS_SETUP_BAD_SIZE = 1,      /**< width or height 0 or above 65535, or no slices. */
  ONEPASS_SETUP_BAD_LEVELS = 2,    /**< Fewer than -1, or more than there are. */
  ONEPASS_SETUP_BAD_FOOTPRINT = 3, /**< Not one of ONEPASS_FOOTPRINT_. */
  ONEPASS_SETUP_BAD_SUBGROUP = 4,  /**< Not 0 and not a power of two from 8 to 128. */
  ONEPASS_SETUP_BAD_RECTANGLE = 5, /**< Begins outside the base, or is empty. */
  ONEPASS_SETUP_TOO_LARGE = 6,     /**< Scratch memory of 2^32 elements or more, or another number out of range. */
  ONEPASS_SETUP_BAD_FACTOR = 7     /**< Of a tile reduction: not 2, 4, 8, 16, 32 or 64. */
};

/** Which base texels a texel of a level stands for: the numbers of ONEPASS_FOOTPRINT in shaders. The tight footprint is
 * made by the library's own kernels only. */
enum OnepassSetupFootprint {
  ONEPASS_SETUP_FOOTPRINT_ALIGNED = 0,
  ONEPASS_SETUP_FOOTPRINT_COVERING = 1,
  ONEPASS_SETUP_FOOTPRINT_EDGE = 3
};

/** PyramidParams of onepass/pyramid_params.h, byte for byte: 128 bytes, for push constants, or for a buffer laid out
 * without padding (std430, StructuredBuffer). Not for a constant buffer of DirectX, whose arrays have 16-byte steps. */
typedef struct OnepassPyramidConstants {
  uint32_t size[2];
  uint32_t last_level;
  uint32_t level;
  uint32_t stage_count;
  uint32_t stage_depths;
  uint32_t stage_firsts;
  uint32_t stage_kinds;
  uint32_t base_made;
  uint32_t base_run;
  uint32_t partial;
  uint32_t kept_levels;
  uint32_t kept_stride;
  uint32_t counter_stride;
  uint32_t region[2];
  uint32_t active_tiles[6][2];
  uint32_t kept_begin[4];
} OnepassPyramidConstants;

/** What a pyramid is to be. Zero it, then fill in what differs. */
typedef struct OnepassPyramidRequest {
  uint32_t width;         /**< Of the base, texels: 1 to 65535. */
  uint32_t height;        /**< Of the base, texels: 1 to 65535. */
  uint32_t slices;        /**< Array layers or cube faces, 1 or more: the third axis of the dispatch. */
  int32_t levels;         /**< How many to make, beginning with level 1; -1: all down to 1x1. */
  uint32_t footprint;     /**< ONEPASS_FOOTPRINT_...; the same as ONEPASS_FOOTPRINT of the shader. */
  uint32_t subgroup_size; /**< Lanes of a subgroup (wave) if the shader is compiled with ONEPASS_SUBGROUP 1, 8 to 128 and
                               fixed for the pipeline; 0 with ONEPASS_SUBGROUP 0: any size will do. */
  uint32_t x, y;          /**< A rectangle of the base: only texels that it affects are stored. */
  uint32_t rectangle_width, rectangle_height; /**< Both 0: everything. */
  uint32_t reuses_scratch; /**< With a rectangle. 1: counters and kept texels are those that the last dispatch on the same
                                base left, and only tiles that the rectangle affects run. 0: they are anything (counters
                                zero): all tiles run, fewer texels are stored. */
  uint32_t waits; /**< 1: with ONEPASS_MAIL 1, workgroups may wait for others that have begun (ONEPASS_STAGE_WAITS), on a
                       device that lets all that have begun go on, which Vulkan and DirectX do not promise. */
} OnepassPyramidRequest;

/** How to dispatch it. */
typedef struct OnepassPyramidSetup {
  OnepassPyramidConstants constants;
  uint32_t groups[3];       /**< Workgroups of 256 invocations. A 0: there is nothing to do, dispatch nothing. */
  uint32_t group_offset[2]; /**< The tile that workgroup (0, 0) makes. The shader takes it from the constants. */
  uint32_t levels;          /**< Levels that are made. */
  uint32_t counters;        /**< 32-bit numbers of the counter buffer, of all slices; 0 where one stage makes all levels. */
  uint32_t kept;            /**< Elements of the hand-over buffer, of all slices. */
} OnepassPyramidSetup;

/** Lays out the one dispatch that makes a pyramid. Pure arithmetic; the same numbers as the library's own dispatches, which
 * give a workgroup two tiles at most where texels have 8 bytes or more.
 * Errors: any of enum OnepassSetupResult but BAD_FACTOR. */
static inline int onepass_pyramid_setup(const OnepassPyramidRequest* request, OnepassPyramidSetup* setup);

/** How to dispatch a tile reduction: one texel for every factor x factor. */
typedef struct OnepassTileSetup {
  uint32_t tiles[2];        /**< Size of the coarse image: ONEPASS_TILE_COUNT. */
  uint32_t groups[3];       /**< Workgroups of 1 << group_log2 invocations. */
  uint32_t side_log2;       /**< ONEPASS_TILE_SIDE_LOG2 */
  uint32_t reads_log2;      /**< ONEPASS_TILE_READS_LOG2 */
  uint32_t group_log2;      /**< ONEPASS_TILE_GROUP_LOG2: 8, 256 invocations. */
} OnepassTileSetup;

/** Lays out a tile reduction of workgroups of 256. Errors: BAD_SIZE, BAD_FACTOR. */
static inline int onepass_tile_setup(uint32_t width, uint32_t height, uint32_t slices, uint32_t factor,
                                     OnepassTileSetup* setup);

/** LuminanceParams of onepass/luminance_params.h, byte for byte: 128 bytes. */
typedef struct OnepassLuminanceConstants {
  uint32_t origin;           /**< Of the metered rectangle: x, and y in the upper half. */
  uint32_t size;             /**< Width, and height in the upper half. */
  uint32_t tiles_x;
  float red, green, blue;    /**< Weights of luminance: Rec.709. */
  float delta;               /**< Added to luminance before the logarithm: 1e-4. */
  float bin_low, bin_scale;  /**< Of 2048 bins: from 2^-32 on, 32 a stop. With 256 bins: your range. */
  float centre_x, centre_y, inverse_radius_x, inverse_radius_y; /**< Metering about the centre and by a spot. */
  float up, down, ease;      /**< Adaptation, stops a second: 3, 1; eased within 1.5 stops. */
  float seconds;             /**< Since the last dispatch; below 0 (the default): a cut. */
  float ev_offset;           /**< EV100 minus log2 luminance: 3, a reflected-light meter of K = 12.5. */
  float exposure_offset;     /**< log2 of what the metered luminance becomes: of 0.18. */
  float clip_low, clip_high; /**< Shares of the weight that count with STATISTIC 2: 0.1 to 0.9. */
  float log2_low, log2_high; /**< What the metered log2 luminance is clamped to: EV100 -32 to 32. */
  float percentiles[8];
  uint32_t groups; /**< Of a slice. */
} OnepassLuminanceConstants;

/** How to dispatch a meter over a rectangle of an image. */
typedef struct OnepassLuminanceSetup {
  OnepassLuminanceConstants constants; /**< `pc` of the shader; change what is not about sizes as you like. */
  uint32_t groups[3];                  /**< Workgroups of 256 invocations. */
  uint32_t words; /**< 32-bit numbers of scratch memory, of all slices: onepass_words. Zero before the first dispatch. */
} OnepassLuminanceSetup;

/** Lays out a meter of average metering: `bins` counted (256 or 2048) as in the shader's BINS. The same numbers as the
 * library's own meter with its defaults. Errors: BAD_SIZE, BAD_RECTANGLE, TOO_LARGE. */
static inline int onepass_luminance_setup(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint32_t slices,
                                          uint32_t bins, OnepassLuminanceSetup* setup);

/* ---- From here on: how it is done. Names that end in an underscore are not for use. */

enum {
  ONEPASS_SETUP_TILE_ = 64,   /* texels of a stage's finest level per tile and axis */
  ONEPASS_SETUP_GENERAL_ = 0, /* kinds of stages: ONEPASS_STAGE_ */
  ONEPASS_SETUP_PLAIN_ = 1,
  ONEPASS_SETUP_STREAM_ = 2,
  ONEPASS_SETUP_POSTS_ = 0x10000000, /* ONEPASS_STAGE_POSTS */
  ONEPASS_SETUP_WAITS_ = 0x20000000, /* ONEPASS_STAGE_WAITS */
  ONEPASS_SETUP_STAGES_ = 6
};

typedef struct OnepassStage_ {
  uint32_t first, depth, kind;
} OnepassStage_;

typedef struct OnepassLayout_ {
  const OnepassPyramidRequest* request;
  OnepassPyramidConstants* out;
} OnepassLayout_;

static inline uint32_t onepass_min_(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t onepass_max_(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint32_t onepass_div_up_(uint32_t a, uint32_t b) { return (a + b - 1U) / b; }
static inline uint32_t onepass_level_(uint32_t size, uint32_t level) { return onepass_max_(1U, size >> level); }
static inline uint32_t onepass_axis_size_(OnepassLayout_ l, int axis) {
  return axis == 0 ? l.request->width : l.request->height;
}

static inline OnepassStage_ onepass_stage_at_(const OnepassPyramidConstants* c, uint32_t index) {
  OnepassStage_ stage;
  stage.first = c->stage_firsts >> (4U * index) & 15U;
  stage.depth = c->stage_depths >> (4U * index) & 15U;
  stage.kind = c->stage_kinds >> (4U * index) & 15U;
  return stage;
}

/* Texels that a tile of a stage above 0 makes of its last level, along an axis; of its third for streams. */
static inline uint32_t onepass_later_made_(OnepassLayout_ l, OnepassStage_ stage, int axis) {
  if (stage.kind == ONEPASS_SETUP_STREAM_) {
    const uint32_t lanes = l.request->subgroup_size;
    const uint32_t odd = (l.request->width >> stage.first & 7U) != 0U ? 1U : 0U;
    return axis == 0 ? lanes / 4U - odd : 256U / lanes;
  }
  return (uint32_t)ONEPASS_SETUP_TILE_ >> stage.depth;
}

static inline uint32_t onepass_made_(OnepassLayout_ l, uint32_t index, int axis) {
  if (index == 0U) return axis == 0 ? l.out->base_made & 0xFFFFU : l.out->base_made >> 16;
  return onepass_later_made_(l, onepass_stage_at_(l.out, index), axis);
}

/* The texels of its finest level that a tile of a stage above 0 makes them from, without the halo. */
static inline uint32_t onepass_span_(OnepassLayout_ l, OnepassStage_ stage, int axis) {
  return stage.kind == ONEPASS_SETUP_STREAM_ ? 8U * onepass_later_made_(l, stage, axis) : (uint32_t)ONEPASS_SETUP_TILE_;
}

static inline uint32_t onepass_tiles_(OnepassLayout_ l, OnepassStage_ stage, uint32_t stream_made, int axis) {
  const uint32_t size = onepass_axis_size_(l, axis);
  if (stage.kind == ONEPASS_SETUP_STREAM_) {
    return onepass_div_up_(onepass_level_(size, stage.first + 3U), stream_made);
  }
  return onepass_div_up_(onepass_level_(size, stage.first + 1U), (uint32_t)ONEPASS_SETUP_TILE_ / 2U);
}

static inline uint32_t onepass_later_tiles_(OnepassLayout_ l, OnepassStage_ stage, int axis) {
  return onepass_tiles_(l, stage, onepass_later_made_(l, stage, axis), axis);
}

static inline int onepass_one_tile_(OnepassLayout_ l, OnepassStage_ stage) {
  return onepass_later_tiles_(l, stage, 0) == 1U && onepass_later_tiles_(l, stage, 1) == 1U;
}

/* How many levels from `first` on, up to `limit`, halve exactly and need no halo, along an axis? */
static inline uint32_t onepass_exact_levels_(OnepassLayout_ l, uint32_t first, uint32_t limit, int axis) {
  const uint32_t size = onepass_axis_size_(l, axis);
  uint32_t count = 0;
  while (count < limit && (size >> first) >= 2U << count &&
         (l.request->footprint == ONEPASS_SETUP_FOOTPRINT_ALIGNED || (size & ((2U << (first + count)) - 1U)) == 0U)) {
    ++count;
  }
  return count;
}

/* The stage that begins at level `first`: six levels where they halve exactly, three where they do not, all the rest once
 * a single tile holds a whole level. */
static inline OnepassStage_ onepass_choose_stage_(OnepassLayout_ l, uint32_t first) {
  const OnepassPyramidRequest* r = l.request;
  const uint32_t remaining = l.out->last_level - first;
  OnepassStage_ stage;
  uint32_t limit, plain;
  int one_tile;
  stage.first = first;
  stage.depth = onepass_min_(3U, remaining);
  stage.kind = ONEPASS_SETUP_GENERAL_;
  one_tile = onepass_one_tile_(l, stage);
  if (r->subgroup_size == 0U) {
    if (one_tile) stage.depth = remaining;
    return stage;
  }
  limit = onepass_min_(remaining, 6U);
  plain = onepass_min_(onepass_exact_levels_(l, first, limit, 0), onepass_exact_levels_(l, first, limit, 1));
  if (plain >= (one_tile ? remaining : stage.depth) && (plain >= 3U || first > 0U)) {
    stage.depth = plain;
    stage.kind = ONEPASS_SETUP_PLAIN_;
    return stage;
  }
  if (r->footprint == ONEPASS_SETUP_FOOTPRINT_COVERING && remaining >= 3U && onepass_min_(r->width, r->height) >> first >= 8U) {
    stage.kind = ONEPASS_SETUP_STREAM_;
    if (one_tile && onepass_one_tile_(l, stage)) stage.depth = remaining;
  } else if (one_tile) {
    stage.depth = remaining;
  }
  return stage;
}

/* May stage 0 post the single texels that it hands over? Not where the chain ends with several tiles, nor where a middle
 * tile has no coarser one that waits for it. */
static inline int onepass_may_post_(OnepassLayout_ l) {
  const OnepassStage_ base = onepass_stage_at_(l.out, 0), middle = onepass_stage_at_(l.out, 1);
  int axis;
  if (l.out->stage_count < 2U || base.depth != 6U || base.kind != ONEPASS_SETUP_PLAIN_ ||
      middle.kind != ONEPASS_SETUP_PLAIN_ || !onepass_one_tile_(l, onepass_stage_at_(l.out, l.out->stage_count - 1U))) {
    return 0;
  }
  for (axis = 0; axis < 2 && l.out->stage_count > 2U; ++axis) {
    const OnepassStage_ coarser = onepass_stage_at_(l.out, 2);
    const uint32_t last = (onepass_later_tiles_(l, middle, axis) - 1U) * onepass_later_made_(l, middle, axis);
    if (last >= onepass_later_tiles_(l, coarser, axis) * onepass_span_(l, coarser, axis)) return 0;
  }
  return 1;
}

/* What a workgroup of stage 0 makes one after the other. Of plain tiles, each loaded while the one before is made, as many as
 * leave workgroups that keep a large GPU busy, all at a time. Of rows of a stream three, which share the rows read ahead, or
 * one where that leaves too few workgroups. */
static inline uint32_t onepass_usual_run_(OnepassLayout_ l, OnepassStage_ base) {
  const uint64_t enough_groups = 500U;
  const uint64_t count = (uint64_t)onepass_later_tiles_(l, base, 0) * onepass_later_tiles_(l, base, 1) * l.request->slices;
  uint32_t run = 1;
  if (base.kind == ONEPASS_SETUP_STREAM_) return count < enough_groups ? 1U : 3U;
  while (base.kind == ONEPASS_SETUP_PLAIN_ && run < 8U && count >= 2U * run * enough_groups) run *= 2U;
  return run;
}

/* Fills what the constants say about stages, and what a workgroup of stage 0 makes. */
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
  axis = base.kind == ONEPASS_SETUP_PLAIN_ ? 0 : 1; /* along which it is made */
  c->base_run = onepass_usual_run_(l, base);
  /* A workgroup counts in at the coarser tile that it begins in and that one's neighbours: it must not reach further. */
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
  if (onepass_may_post_(l)) {
    c->stage_kinds |= ONEPASS_SETUP_POSTS_;
    if (l.request->waits != 0U) c->stage_kinds |= ONEPASS_SETUP_WAITS_;
  }
}

/* Workgroups of stage 0 along an axis. */
static inline uint32_t onepass_base_tiles_(OnepassLayout_ l, int axis) {
  const OnepassStage_ stage = onepass_stage_at_(l.out, 0);
  const uint32_t tiles = onepass_tiles_(l, stage, onepass_made_(l, 0, axis), axis);
  return stage.kind == ONEPASS_SETUP_PLAIN_ && axis == 0 ? onepass_div_up_(tiles, l.out->base_run) : tiles;
}

/* Where the levels that stages read lie in the hand-over buffer; 0 if they fit. */
static inline int onepass_place_kept_(OnepassLayout_ l) {
  OnepassPyramidConstants* c = l.out;
  uint64_t kept = 0, counters = 0;
  uint32_t i;
  for (i = 1; i < c->stage_count; ++i) {
    const OnepassStage_ stage = onepass_stage_at_(c, i);
    if (i > 1U) c->kept_begin[i - 2U] = (uint32_t)kept;
    c->kept_levels |= 1U << stage.first;
    kept += (uint64_t)onepass_level_(l.request->width, stage.first) * onepass_level_(l.request->height, stage.first);
    counters += (uint64_t)onepass_later_tiles_(l, stage, 0) * onepass_later_tiles_(l, stage, 1);
  }
  if (kept * l.request->slices > UINT32_MAX || counters * l.request->slices > UINT32_MAX) return 1;
  c->kept_stride = (uint32_t)kept;
  c->counter_stride = (uint32_t)counters;
  return 0;
}

/* Texels of a level that a change of base texels [begin, end) affects, along an axis. Empty: begin == end. */
static inline void onepass_affected_(OnepassLayout_ l, uint32_t level, int axis, uint32_t* begin, uint32_t* end) {
  const uint32_t size = onepass_axis_size_(l, axis);
  const uint32_t count = onepass_level_(size, level);
  const uint32_t tail = size & ((1U << level) - 1U);
  uint32_t first = *begin >> level;
  uint32_t last = (*end - 1U) >> level;
  if (l.request->footprint == ONEPASS_SETUP_FOOTPRINT_COVERING) first = *begin >= tail ? (*begin - tail) >> level : 0U;
  if (l.request->footprint == ONEPASS_SETUP_FOOTPRINT_ALIGNED) {
    uint32_t shift = level; /* an axis that is down to one texel stays what it is */
    while (shift > 0U && size >> shift == 0U) --shift;
    if (*begin >= count << shift) {
      *begin = *end = 0;
      return;
    }
  }
  *begin = onepass_min_(first, count - 1U);
  *end = onepass_min_(last, count - 1U) + 1U;
}

/* Tiles of stage 0 that hold a texel the rectangle affects, on any level of that stage. */
static inline void onepass_affected_tiles_(OnepassLayout_ l, int axis, uint32_t* begin, uint32_t* end) {
  const OnepassStage_ stage = onepass_stage_at_(l.out, 0);
  const uint32_t depth = stage.kind == ONEPASS_SETUP_STREAM_ ? 3U : stage.depth;
  const uint32_t count = onepass_base_tiles_(l, axis);
  uint32_t from = UINT32_MAX, to = 0, step;
  for (step = 1; step <= depth; ++step) {
    const uint32_t width = onepass_made_(l, 0, axis) << (depth - step);
    uint32_t first = *begin, last = *end;
    onepass_affected_(l, step, axis, &first, &last);
    if (first == last) continue;
    from = onepass_min_(from, first / width);
    to = onepass_max_(to, (last - 1U) / width + 1U);
  }
  *begin = onepass_min_(from, count - 1U);
  *end = onepass_min_(to, count);
}

/* Texels of its finest level that a tile of a stage reads beyond its own. */
static inline uint32_t onepass_halo_(OnepassLayout_ l, OnepassStage_ stage, int axis, uint32_t own_end) {
  const uint32_t size = onepass_axis_size_(l, axis);
  if (l.request->footprint == ONEPASS_SETUP_FOOTPRINT_ALIGNED) return 0;
  if (l.request->footprint == ONEPASS_SETUP_FOOTPRINT_EDGE && own_end < onepass_level_(size, stage.first + stage.depth)) return 0;
  return onepass_level_(size, stage.first) & ((1U << stage.depth) - 1U);
}

/* The tiles of every stage that run when tiles [begin, end) of stage 0 do, along an axis. */
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
    l.out->active_tiles[i][0] |= begin << shift;
    l.out->active_tiles[i][1] |= end << shift;
  }
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
  const OnepassPyramidSetup nothing = {{{0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}, {{0}}, {0}}, {0}, {0}, 0, 0, 0};
  const int partial = request->rectangle_width != 0U;
  OnepassLayout_ l;
  uint32_t full = 0, begin[2], end[2];
  int axis;
  const int checked = onepass_check_pyramid_(request, &full);
  *setup = nothing;
  if (checked != ONEPASS_SETUP_OK) return checked;
  l.request = request;
  l.out = &setup->constants;
  l.out->size[0] = request->width;
  l.out->size[1] = request->height;
  l.out->last_level = request->levels < 0 ? full : (uint32_t)request->levels;
  setup->levels = l.out->last_level;
  if (setup->levels == 0U) return ONEPASS_SETUP_OK;
  onepass_choose_stages_(l);
  if (onepass_place_kept_(l) != 0) {
    *setup = nothing;
    return ONEPASS_SETUP_TOO_LARGE;
  }
  setup->kept = l.out->kept_stride * request->slices;
  setup->counters = l.out->counter_stride * request->slices;
  /* Rectangles that reach beyond the base end with it. */
  begin[0] = partial ? request->x : 0U;
  begin[1] = partial ? request->y : 0U;
  end[0] = partial ? request->x + onepass_min_(request->rectangle_width, request->width - request->x) : request->width;
  end[1] = partial ? request->y + onepass_min_(request->rectangle_height, request->height - request->y) : request->height;
  l.out->partial = partial ? 1U : 0U;
  l.out->region[0] = begin[0] | begin[1] << 16;
  l.out->region[1] = end[0] | end[1] << 16;
  for (axis = 0; axis < 2; ++axis) {
    if (partial && request->reuses_scratch != 0U) {
      onepass_affected_tiles_(l, axis, &begin[axis], &end[axis]);
    } else {
      begin[axis] = 0;
      end[axis] = onepass_base_tiles_(l, axis);
    }
  }
  if (begin[0] >= end[0] || begin[1] >= end[1]) return ONEPASS_SETUP_OK; /* no texel is affected */
  for (axis = 0; axis < 2; ++axis) {
    onepass_activate_(l, axis, begin[axis], end[axis]);
    setup->groups[axis] = end[axis] - begin[axis];
    setup->group_offset[axis] = begin[axis];
  }
  setup->groups[2] = request->slices;
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
  setup->reads_log2 = onepass_min_(2U * setup->side_log2, 2U); /* four reads in flight, or all there are */
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
  const OnepassLuminanceConstants usual = {
      0, 0, 0, 0.2126F, 0.7152F, 0.0722F, 1e-4F, -32.0F, 32.0F, 0.0F, 0.0F, 0.0F, 0.0F, 3.0F, 1.0F, 1.5F, -1.0F, 3.0F,
      -2.473931188F, 0.1F, 0.9F, -35.0F, 29.0F, {0.01F, 0.05F, 0.25F, 0.5F, 0.75F, 0.9F, 0.95F, 0.99F}, 0};
  uint64_t words;
  uint32_t tiles, least, wanted;
  setup->constants = usual;
  setup->groups[0] = setup->groups[1] = setup->groups[2] = setup->words = 0;
  if (width == 0U || height == 0U || width > 65535U || height > 65535U || slices == 0U) return ONEPASS_SETUP_BAD_SIZE;
  if (x > 65535U - width || y > 65535U - height) return ONEPASS_SETUP_BAD_RECTANGLE;
  if (bins != 256U && bins != 2048U) return ONEPASS_SETUP_TOO_LARGE;
  setup->constants.origin = x | y << 16;
  setup->constants.size = width | height << 16;
  setup->constants.tiles_x = onepass_div_up_(width, 128U);
  setup->constants.centre_x = 0.5F * (float)width - 0.5F;
  setup->constants.centre_y = 0.5F * (float)height - 0.5F;
  setup->constants.inverse_radius_x = 2.0F / (1.41421356F * (float)width);
  setup->constants.inverse_radius_y = 2.0F / (1.41421356F * (float)height);
  /* At most one group a tile, and none with more than 8192 of them: its histogram has 32 bits. */
  tiles = setup->constants.tiles_x * onepass_div_up_(height, 16U);
  least = onepass_div_up_(tiles, 8192U);
  wanted = onepass_max_(1U, 264U / slices);
  setup->constants.groups = onepass_min_(onepass_max_(wanted, least), onepass_min_(tiles, 65535U));
  /* A counter, eight copies of sums, two words a bin. */
  words = ((uint64_t)1056 + (uint64_t)2 * bins) * slices;
  if (words > UINT32_MAX) return ONEPASS_SETUP_TOO_LARGE;
  setup->groups[0] = setup->constants.groups;
  setup->groups[1] = 1;
  setup->groups[2] = slices;
  setup->words = (uint32_t)words;
  return ONEPASS_SETUP_OK;
}

#ifdef __cplusplus
}
#endif

#endif /* ONEPASS_SHADER_SETUP_H_ */
