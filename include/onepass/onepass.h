/* onepass.h: onepass for C, and for every language that can call C: pyramids, tile reductions, transforms and the
 * operations based on them, meters and tone maps of images in host memory. onepass_vulkan.h is the GPU version, in your
 * own command buffer.
 *
 * The terms and the full descriptions are in the C++ headers: onepass::cpu::Pyramid is onepass_cpu_pyramid,
 * PyramidOptions::footprint is onepass_pyramid_options.footprint, Footprint::kCovering is ONEPASS_FOOTPRINT_COVERING.
 *
 *     onepass_error error;
 *     onepass_pyramid_options options;
 *     onepass_pyramid_options_init(&options, sizeof options);
 *     options.size = (onepass_extent){1920, 1080};
 *     options.source = options.target = ONEPASS_FORMAT_R8G8B8A8_SRGB;
 *     onepass_cpu_pyramid* pyramid = NULL;
 *     if (onepass_cpu_pyramid_create(&options, NULL, &pyramid, &error) != ONEPASS_OK) return fail(error.message);
 *     onepass_cpu_pyramid_build(pyramid, &photo, levels, level_count, &error);
 *     onepass_cpu_pyramid_destroy(pyramid);
 *
 * Errors. A function that can fail returns a code, 0 for success, and fills *error if error is not NULL. Outputs are
 * written only on success; *handle becomes NULL on failure. No call changes what others do: there is no last error,
 * nothing to initialise or shut down. No C++ exception leaves a function; exhausted memory is ONEPASS_OUT_OF_MEMORY. A
 * NULL pointer that is not allowed is ONEPASS_INVALID_ARGUMENT. The other errors of a function are those of its C++
 * counterpart.
 *
 * Sized structs. A struct that begins with struct_size may grow at its end in a later version. Its _init function sets
 * struct_size, which is sizeof the struct, and the defaults; then set the fields that differ. If program and library
 * have different versions: fields that the program does not know have their defaults; fields that the library does not
 * know must be zero bytes, as _init leaves them, otherwise the call returns ONEPASS_UNSUPPORTED. A size that no version
 * had, for example 0, is ONEPASS_INVALID_ARGUMENT. In result structs you set struct_size; the library sets fields that
 * it does not know to zero. Structs without struct_size never change. Fields named reserved must be 0. If the comment
 * of an option field begins with a value, that value is its default.
 *
 * Handles. A create function returns a handle through a pointer; its destroy function destroys it and accepts NULL.
 * Pixels and options are not used after a call returns.
 *
 * Threads. Distinct handles are independent. One onepass_cpu_* handle is used by one thread at a time, not always the
 * same thread. Functions without a handle may be called from any number of threads at once. */
#ifndef ONEPASS_ONEPASS_H
#define ONEPASS_ONEPASS_H

#include <stddef.h>
#include <stdint.h>

#include "onepass/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions, codes, errors ---- */

/* Version of the interface in this header. It is raised when something changes that a program may rely on; new
 * functions and new fields at the end of sized structs do not raise it. */
#define ONEPASS_ABI_VERSION 1

/* ONEPASS_ABI_VERSION of the loaded library. If it differs from that of the header, call no other function. */
ONEPASS_API uint32_t onepass_abi_version(void);

/* Return codes of functions, one for each onepass::ErrorCode. */
typedef int32_t onepass_code;
enum {
  ONEPASS_OK = 0,
  ONEPASS_INVALID_ARGUMENT = 1, /* An option, format, view or pointer is invalid on every device. */
  ONEPASS_UNSUPPORTED = 2,      /* The request is well-formed, but this library or device does not support it. */
  ONEPASS_NOT_FOUND = 3,        /* There is no such device, or no Vulkan on this machine. */
  ONEPASS_BAD_DATA = 4,         /* A technique refuses the pixels, for example a kernel that sums to 0. */
  ONEPASS_IO = 5,               /* Reading or writing failed. */
  ONEPASS_OUT_OF_MEMORY = 6,    /* Host or device memory, or threads, are exhausted. */
  ONEPASS_DEVICE = 7,           /* A Vulkan call failed for another reason. */
  ONEPASS_DEVICE_LOST = 8,      /* VK_ERROR_DEVICE_LOST: nothing on this VkDevice works any more. */
  ONEPASS_CANCELLED = 9         /* A progress callback returned 0. */
};

/* A code as text, for example "invalid argument". Never NULL. */
ONEPASS_API const char* onepass_code_text(onepass_code code);

/* Description of a failure. Every function with an onepass_error parameter fills it, also on success. */
typedef struct onepass_error {
  onepass_code code;
  char message[508]; /* UTF-8 with a final 0, cut at a whole character; names the field and its value. "" on success. */
} onepass_error;

/* ---- Pixels: onepass/image.hpp ---- */

/* Texel formats, with the numbers of VkFormat. */
typedef uint32_t onepass_format;
enum {
  ONEPASS_FORMAT_UNDEFINED = 0,
  ONEPASS_FORMAT_R8_UNORM = 9,
  ONEPASS_FORMAT_R8_UINT = 13, /* Labels, for ONEPASS_REDUCTION_MODE only. */
  ONEPASS_FORMAT_R8_SRGB = 15,
  ONEPASS_FORMAT_R8G8_UNORM = 16,
  ONEPASS_FORMAT_R8G8_SRGB = 22,
  /* Three channels without padding: options of streams only; also views, on the CPU and of kernels, where options
   * name the format with alpha: see is_row_format() in onepass/image.hpp. */
  ONEPASS_FORMAT_R8G8B8_UNORM = 23,
  ONEPASS_FORMAT_R8G8B8_SRGB = 29,
  ONEPASS_FORMAT_R8G8B8A8_UNORM = 37,
  ONEPASS_FORMAT_R8G8B8A8_SRGB = 43,
  ONEPASS_FORMAT_B8G8R8A8_UNORM = 44,
  ONEPASS_FORMAT_B8G8R8A8_SRGB = 50,
  ONEPASS_FORMAT_A2B10G10R10_UNORM = 64,
  ONEPASS_FORMAT_R16_UNORM = 70,
  ONEPASS_FORMAT_R16_UINT = 74, /* Labels. */
  ONEPASS_FORMAT_R16_SFLOAT = 76,
  ONEPASS_FORMAT_R16G16_UNORM = 77,
  ONEPASS_FORMAT_R16G16_SFLOAT = 83,
  ONEPASS_FORMAT_R16G16B16_UNORM = 84,  /* As R8G8B8. */
  ONEPASS_FORMAT_R16G16B16_SFLOAT = 90, /* The same. */
  ONEPASS_FORMAT_R16G16B16A16_UNORM = 91,
  ONEPASS_FORMAT_R16G16B16A16_SFLOAT = 97,
  ONEPASS_FORMAT_R32_UINT = 98, /* Labels. */
  ONEPASS_FORMAT_R32_SFLOAT = 100,
  ONEPASS_FORMAT_R32G32_SFLOAT = 103,
  ONEPASS_FORMAT_R32G32B32_SFLOAT = 106, /* As R8G8B8. */
  ONEPASS_FORMAT_R32G32B32A32_SFLOAT = 109,
  ONEPASS_FORMAT_B10G11R11_UFLOAT = 122,
  /* Depth: only as a source. Stencil is not read; in host memory there is depth alone, as X8_D24 or D32. */
  ONEPASS_FORMAT_D16_UNORM = 124,
  ONEPASS_FORMAT_X8_D24_UNORM = 125,
  ONEPASS_FORMAT_D32_SFLOAT = 126,
  ONEPASS_FORMAT_D24_UNORM_S8_UINT = 129,
  ONEPASS_FORMAT_D32_SFLOAT_S8_UINT = 130
};

/* Bytes per texel, 1 to 16; 0 for a format that is not one of these. */
ONEPASS_API uint32_t onepass_format_bytes(onepass_format format);

/* Width and height in texels. */
typedef struct onepass_extent {
  uint32_t width;
  uint32_t height;
} onepass_extent;

/* The texels [x, x + width) by [y, y + height). */
typedef struct onepass_rect {
  uint32_t x;
  uint32_t y;
  uint32_t width;
  uint32_t height;
} onepass_rect;

/* A signed offset in texels. */
typedef struct onepass_offset {
  int32_t x;
  int32_t y;
} onepass_offset;

/* Your pixels that a call reads. Rows from top to bottom, channels interleaved, slices one after the other. */
typedef struct onepass_image_view {
  const void* data;
  onepass_format format;
  onepass_extent size;
  uint32_t slices;     /* Array layers or cube faces. 0 counts as 1. */
  size_t row_stride;   /* Bytes from one row to the next. 0: width times bytes per texel, no gap. */
  size_t slice_stride; /* Bytes from one slice to the next. 0: height times row_stride. */
} onepass_image_view;

/* Your pixels that a call writes; fields as in onepass_image_view. */
typedef struct onepass_mutable_image_view {
  void* data;
  onepass_format format;
  onepass_extent size;
  uint32_t slices;
  size_t row_stride;
  size_t slice_stride;
} onepass_mutable_image_view;

/* Receives the fraction of a call's work that is done, about ten times a second, on any thread, from one at a time;
 * returns 0 to cancel the call, which then returns ONEPASS_CANCELLED. It must not call the object it watches. */
typedef int32_t (*onepass_progress)(void* user, double fraction);

/* Tuning of the CPU engine; it never changes a result. As an argument, NULL means the defaults. */
typedef struct onepass_cpu_tuning {
  size_t struct_size;
  uint32_t threads; /* At most this many threads. 0: the processors that the process may use, by its affinity mask and,
                     * on Linux, the processor quota of its control groups (rounded up). */
  uint32_t reserved;
  /* NULL: none. Not called by tile reductions, meters, tone maps, a bloom by mip chain, and calls that set a kernel. */
  onepass_progress progress;
  void* progress_user; /* Passed to progress. */
} onepass_cpu_tuning;
ONEPASS_API void onepass_cpu_tuning_init(onepass_cpu_tuning* tuning, size_t struct_size);

/* ---- NaN and Inf: onepass/nonfinite.hpp ---- */

/* The values to find and the region to search. As an argument, NULL means the defaults. */
typedef struct onepass_nonfinite_options {
  size_t struct_size;
  onepass_rect rect; /* The region to search, in all slices; all 0: the whole image. */
  uint32_t infinite; /* 1: Inf and NaN. 0: NaN only. */
  uint32_t reserved;
} onepass_nonfinite_options;
ONEPASS_API void onepass_nonfinite_options_init(onepass_nonfinite_options* options, size_t struct_size);

/* The non-finite texels of an image. A texel with NaN in any channel is a NaN texel; one with Inf and no NaN is an
 * infinite texel. */
typedef struct onepass_nonfinite {
  size_t struct_size;
  uint64_t nan_count;
  uint64_t infinite_count;
  uint32_t x; /* The first texel of either kind, by slice, row and column. All 0 if there is none. */
  uint32_t y;
  uint32_t slice;
  uint32_t channel; /* The first NaN channel, or the first Inf channel of an infinite texel. */
  float value;
  uint32_t reserved;
} onepass_nonfinite;

/* Counts NaN and infinite texels. UNORM and sRGB formats have none and are not read. */
ONEPASS_API onepass_code onepass_find_nonfinite(const onepass_image_view* image,
                                                const onepass_nonfinite_options* options,
                                                const onepass_cpu_tuning* tuning, onepass_nonfinite* found,
                                                onepass_error* error);

/* Replaces NaN by 0, +Inf by the largest finite value of the format, -Inf by its negative. *replaced receives the
 * counts before the replacement. */
ONEPASS_API onepass_code onepass_replace_nonfinite(const onepass_mutable_image_view* image,
                                                   const onepass_nonfinite_options* options,
                                                   const onepass_cpu_tuning* tuning, onepass_nonfinite* replaced,
                                                   onepass_error* error);

/* ---- Pyramids: onepass/pyramid.hpp ---- */

typedef uint32_t onepass_reduction;
enum {
  ONEPASS_REDUCTION_MEAN = 0,
  ONEPASS_REDUCTION_MIN = 1,
  ONEPASS_REDUCTION_MAX = 2,
  ONEPASS_REDUCTION_MIN_MAX = 3, /* Two-channel targets. */
  ONEPASS_REDUCTION_MODE = 4     /* Labels: most frequent of up to four. CPU engine of pyramids only. */
};

/* The base texels that a texel of level n represents. */
typedef uint32_t onepass_footprint;
enum {
  ONEPASS_FOOTPRINT_ALIGNED = 0,
  ONEPASS_FOOTPRINT_COVERING = 1,
  ONEPASS_FOOTPRINT_TIGHT = 2,
  ONEPASS_FOOTPRINT_EDGE = 3,
  ONEPASS_FOOTPRINT_CEIL = 4 /* Level sizes round up. CPU engine only. */
};

typedef uint32_t onepass_alpha;
enum { ONEPASS_ALPHA_INDEPENDENT = 0, ONEPASS_ALPHA_WEIGHTED = 1, ONEPASS_ALPHA_COVERAGE = 2 };

typedef uint32_t onepass_normal_map;
enum { ONEPASS_NORMAL_MAP_OFF = 0, ONEPASS_NORMAL_MAP_RENORMALIZE = 1 };

/* Options of a pyramid: onepass::PyramidOptions. */
typedef struct onepass_pyramid_options {
  size_t struct_size;
  onepass_extent size;         /* Size of the base, 1 to 65535 per axis. */
  uint32_t slices;             /* 1 */
  uint32_t levels;             /* 0: down to 1x1. Level 0 counts. */
  onepass_format source;       /* Any. */
  onepass_format target;       /* Any except depth, with the channels of the source (min_max: two). */
  onepass_reduction reduction; /* Mean. */
  onepass_footprint footprint; /* Covering. */
  onepass_alpha alpha;         /* Independent. */
  float alpha_threshold;       /* 0.5: for coverage, which weighs colours by alpha, too. */
  onepass_normal_map normal_map;
  uint32_t samples; /* 1. Of the source: more are read on Vulkan only. 0 counts as 1. */
} onepass_pyramid_options;
ONEPASS_API void onepass_pyramid_options_init(onepass_pyramid_options* options, size_t struct_size);

/* The levels of a pyramid and its minimum memory traffic. */
typedef struct onepass_pyramid_plan {
  size_t struct_size;
  uint64_t bytes_read;
  uint64_t bytes_written;
  uint32_t levels; /* Number of levels, including level 0. */
  uint32_t reserved;
  onepass_extent sizes[32]; /* sizes[n] is the size of level n, for n < levels. */
} onepass_pyramid_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value;
 * ONEPASS_UNSUPPORTED for fields of a later version. */
ONEPASS_API onepass_code onepass_plan_pyramid(const onepass_pyramid_options* options, onepass_pyramid_plan* plan,
                                              onepass_error* error);

/* Makes pyramids in host memory: onepass::cpu::Pyramid. */
typedef struct onepass_cpu_pyramid onepass_cpu_pyramid;

/* Errors: those of onepass_plan_pyramid, ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_pyramid_create(const onepass_pyramid_options* options,
                                                    const onepass_cpu_tuning* tuning, onepass_cpu_pyramid** pyramid,
                                                    onepass_error* error);
ONEPASS_API void onepass_cpu_pyramid_destroy(onepass_cpu_pyramid* pyramid);

/* Makes levels 1 and up. levels[0] receives level 1; level_count is that of the plan minus 1. */
ONEPASS_API onepass_code onepass_cpu_pyramid_build(onepass_cpu_pyramid* pyramid, const onepass_image_view* source,
                                                   const onepass_mutable_image_view* levels, size_t level_count,
                                                   onepass_error* error);

/* Rewrites only the texels that a change inside a rectangle of the base can affect; the result is that of a build. */
ONEPASS_API onepass_code onepass_cpu_pyramid_update(onepass_cpu_pyramid* pyramid, const onepass_image_view* source,
                                                    const onepass_mutable_image_view* levels, size_t level_count,
                                                    onepass_rect changed, onepass_error* error);

/* ---- Pyramids of images larger than memory: onepass/pyramid_stream.hpp ---- */

/* Validates the options of a stream and computes the plan. Errors: as onepass_plan_pyramid; ONEPASS_UNSUPPORTED for the
 * footprint tight and the alpha coverage. */
ONEPASS_API onepass_code onepass_plan_pyramid_stream(const onepass_pyramid_options* options, onepass_pyramid_plan* plan,
                                                     onepass_error* error);

/* Finished rows of a level; the pixels are valid during the call of the sink only. */
typedef struct onepass_level_rows {
  size_t struct_size;
  uint32_t level;    /* 1 and up. */
  uint32_t first;    /* Index of the first row; the rows of a level come in order. */
  uint32_t count;    /* Rows, at least 1. */
  uint32_t width;    /* Texels of a row. */
  const void* data;  /* In the target format. */
  size_t row_stride; /* Bytes from one row to the next. */
} onepass_level_rows;

/* Receives finished rows inside onepass_cpu_pyramid_stream_push, on its thread. A code other than ONEPASS_OK ends the
 * stream; push returns it. */
typedef onepass_code (*onepass_level_sink)(void* user, const onepass_level_rows* rows);

/* Makes a pyramid from rows that arrive in order: onepass::cpu::PyramidStream. */
typedef struct onepass_cpu_pyramid_stream onepass_cpu_pyramid_stream;

/* Errors: those of onepass_plan_pyramid_stream, ONEPASS_INVALID_ARGUMENT for a null sink, ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_pyramid_stream_create(const onepass_pyramid_options* options,
                                                           const onepass_cpu_tuning* tuning, onepass_level_sink sink,
                                                           void* user, onepass_cpu_pyramid_stream** stream,
                                                           onepass_error* error);
ONEPASS_API void onepass_cpu_pyramid_stream_destroy(onepass_cpu_pyramid_stream* stream);

/* Takes the next `count` rows of the base and passes the rows that they complete to the sink. The last row of the base
 * completes all levels. After an error of the sink, a cancellation or ONEPASS_OUT_OF_MEMORY every call returns it. */
ONEPASS_API onepass_code onepass_cpu_pyramid_stream_push(onepass_cpu_pyramid_stream* stream, const void* rows,
                                                         size_t row_stride, uint32_t count, onepass_error* error);

/* ---- Tile reductions: onepass/tile_reduction.hpp ---- */

/* Options of a tile reduction: onepass::TileReductionOptions. */
typedef struct onepass_tile_reduction_options {
  size_t struct_size;
  onepass_extent size;
  uint32_t slices;             /* 1 */
  onepass_format source;       /* Any. */
  onepass_format target;       /* Any except depth, with the channels of the source (min_max: two). */
  onepass_reduction reduction; /* Min. */
  uint32_t factor;             /* 16: side of a tile in texels: 2, 4, 8, 16, 32 or 64. */
  uint32_t samples;            /* 1. Of the source: more are read on Vulkan only. 0 counts as 1. */
} onepass_tile_reduction_options;
ONEPASS_API void onepass_tile_reduction_options_init(onepass_tile_reduction_options* options, size_t struct_size);

/* The size of the result and the minimum memory traffic. */
typedef struct onepass_tile_reduction_plan {
  size_t struct_size;
  uint64_t bytes_read;
  uint64_t bytes_written;
  onepass_extent size; /* Size of the target: ceil(size / factor) per axis. */
} onepass_tile_reduction_plan;

/* Validates the options and computes the plan. Errors: as onepass_plan_pyramid. */
ONEPASS_API onepass_code onepass_plan_tile_reduction(const onepass_tile_reduction_options* options,
                                                     onepass_tile_reduction_plan* plan, onepass_error* error);

/* Makes tile reductions in host memory: onepass::cpu::TileReduction. */
typedef struct onepass_cpu_tile_reduction onepass_cpu_tile_reduction;

/* Errors: those of onepass_plan_tile_reduction, ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_tile_reduction_create(const onepass_tile_reduction_options* options,
                                                           const onepass_cpu_tuning* tuning,
                                                           onepass_cpu_tile_reduction** tiles, onepass_error* error);
ONEPASS_API void onepass_cpu_tile_reduction_destroy(onepass_cpu_tile_reduction* tiles);

/* Makes the coarse image of every slice. The target has the size of the plan and must not overlap the source. */
ONEPASS_API onepass_code onepass_cpu_tile_reduction_reduce(const onepass_cpu_tile_reduction* tiles,
                                                           const onepass_image_view* source,
                                                           const onepass_mutable_image_view* target,
                                                           onepass_error* error);

/* ---- Transforms: onepass/fourier.hpp, which has the layout of spectra ---- */

typedef uint32_t onepass_signal;
enum { ONEPASS_SIGNAL_REAL = 0, ONEPASS_SIGNAL_COMPLEX = 1 };

typedef uint32_t onepass_norm;
enum { ONEPASS_NORM_BACKWARD = 0, ONEPASS_NORM_ORTHO = 1, ONEPASS_NORM_FORWARD = 2, ONEPASS_NORM_NONE = 3 };

typedef uint32_t onepass_spectrum_order;
enum { ONEPASS_SPECTRUM_ORDER_ROWS = 0, ONEPASS_SPECTRUM_ORDER_COLUMNS = 1 };

typedef uint32_t onepass_spectrum_origin;
enum { ONEPASS_SPECTRUM_ORIGIN_CORNER = 0, ONEPASS_SPECTRUM_ORIGIN_CENTRE = 1 };

typedef uint32_t onepass_spectrum_precision;
enum { ONEPASS_SPECTRUM_PRECISION_FLOAT = 0, ONEPASS_SPECTRUM_PRECISION_HALF = 1 };

/* Content of the domain outside the image. */
typedef uint32_t onepass_boundary;
enum { ONEPASS_BOUNDARY_ZERO = 0, ONEPASS_BOUNDARY_WRAP = 1, ONEPASS_BOUNDARY_CLAMP = 2, ONEPASS_BOUNDARY_MIRROR = 3 };

/* Options of a transform: onepass::TransformOptions. */
typedef struct onepass_transform_options {
  size_t struct_size;
  onepass_extent size;       /* Size of the domain, 1 to 65535 per axis. */
  uint32_t slices;           /* 1 */
  uint32_t channels;         /* 0: all. Number of leading channels to transform, 1 to 4. */
  onepass_signal signal;     /* Real. */
  onepass_format source;     /* Format that forward reads: any. */
  onepass_format target;     /* Format that inverse writes: any except depth. Undefined: that of the source. */
  onepass_rect crop;         /* The texels of the image placed in the domain; all 0: {0, 0, size}. */
  onepass_offset placement;  /* Position of the crop's first texel in the domain. */
  onepass_boundary boundary; /* Zero: fills the rest of the domain. */
  onepass_rect result;       /* The texels of the domain that inverse writes; all 0: {0, 0, size}. */
  onepass_norm norm;         /* Backward. */
  onepass_spectrum_order order;
  onepass_spectrum_origin origin;
  onepass_spectrum_precision precision;
  float peak; /* 1: half precision only, upper bound of a texel's magnitude. */
  uint32_t reserved;
} onepass_transform_options;
ONEPASS_API void onepass_transform_options_init(onepass_transform_options* options, size_t struct_size);

/* Sizes of the spectrum, factors, and minimum memory traffic. */
typedef struct onepass_transform_plan {
  size_t struct_size;
  uint64_t spectrum_bytes;      /* Size of the pairs (re, im) of all channels, rows and slices. */
  onepass_extent spectrum_size; /* {W/2 + 1, H} for real signals, {W, H} for complex ones. */
  uint32_t spectrum_channels;   /* The number of channels for real signals, half of it for complex ones. */
  uint32_t reserved;
  double forward_factor; /* Stored value / bare sum. */
  double inverse_factor; /* Factor applied to the bare inverse sum. */
  double half_scale;     /* Half precision: stored value / value under the requested norm. Otherwise 1. */
  uint64_t forward_bytes_read;
  uint64_t forward_bytes_written;
  uint64_t inverse_bytes_read;
  uint64_t inverse_bytes_written;
} onepass_transform_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value. */
ONEPASS_API onepass_code onepass_plan_transform(const onepass_transform_options* options, onepass_transform_plan* plan,
                                                onepass_error* error);

/* Transforms images in host memory: onepass::cpu::Transform. */
typedef struct onepass_cpu_transform onepass_cpu_transform;

/* Errors: those of onepass_plan_transform, ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_transform_create(const onepass_transform_options* options,
                                                      const onepass_cpu_tuning* tuning,
                                                      onepass_cpu_transform** transform, onepass_error* error);
ONEPASS_API void onepass_cpu_transform_destroy(onepass_cpu_transform* transform);

/* Image to spectrum. spectrum_bytes must be that of the plan. */
ONEPASS_API onepass_code onepass_cpu_transform_forward(onepass_cpu_transform* transform,
                                                       const onepass_image_view* source, void* spectrum,
                                                       size_t spectrum_bytes, onepass_error* error);

/* Spectrum to image. spectrum_bytes must be that of the plan; the target has the size of the option result. */
ONEPASS_API onepass_code onepass_cpu_transform_inverse(onepass_cpu_transform* transform, const void* spectrum,
                                                       size_t spectrum_bytes, const onepass_mutable_image_view* target,
                                                       onepass_error* error);

/* ---- Convolutions: onepass/fourier_convolution.hpp ---- */

typedef uint32_t onepass_convolution_mode;
enum { ONEPASS_CONVOLUTION_SAME = 0, ONEPASS_CONVOLUTION_FULL = 1, ONEPASS_CONVOLUTION_VALID = 2 };

typedef uint32_t onepass_kernel_scale;
enum {
  ONEPASS_KERNEL_SCALE_NONE = 0,
  ONEPASS_KERNEL_SCALE_UNIT_SUM = 1,
  ONEPASS_KERNEL_SCALE_UNIT_SUM_PER_CHANNEL = 2
};

typedef uint32_t onepass_kernel_channels;
enum { ONEPASS_KERNEL_SHARED = 0, ONEPASS_KERNEL_PER_CHANNEL = 1 };

typedef uint32_t onepass_alpha_policy;
enum { ONEPASS_ALPHA_FILTER = 0, ONEPASS_ALPHA_PASS = 1 };

/* Options of a convolution: onepass::ConvolutionOptions. */
typedef struct onepass_convolution_options {
  size_t struct_size;
  onepass_extent size; /* Size of the image. */
  uint32_t slices;     /* 1 */
  uint32_t channels;   /* As in onepass_transform_options. */
  onepass_format source;
  onepass_format target; /* Undefined: that of the source. */
  onepass_extent kernel_size;
  onepass_format kernel;
  uint32_t has_kernel_origin;   /* 0: (floor(w/2), floor(h/2)). 1: kernel_origin. */
  onepass_offset kernel_origin; /* Kernel texel that is aligned with the image texel. */
  onepass_boundary boundary;
  onepass_convolution_mode mode;
  onepass_kernel_scale scale;
  onepass_kernel_channels kernel_channels;
  onepass_alpha_policy alpha;
  float mix; /* 1: only the convolution. 0: only the image. */
} onepass_convolution_options;
ONEPASS_API void onepass_convolution_options_init(onepass_convolution_options* options, size_t struct_size);

/* Sizes and minimum memory traffic of a convolution. */
typedef struct onepass_convolution_plan {
  size_t struct_size;
  onepass_extent result_size; /* Size of the target. */
  onepass_extent domain;      /* Size of the transform in texels. */
  uint64_t kernel_bytes;      /* Size of the kernel spectra. */
  uint64_t bytes_read;
  uint64_t bytes_written;
} onepass_convolution_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value. */
ONEPASS_API onepass_code onepass_plan_convolution(const onepass_convolution_options* options,
                                                  onepass_convolution_plan* plan, onepass_error* error);

/* Convolves images in host memory: onepass::cpu::Convolver. */
typedef struct onepass_cpu_convolver onepass_cpu_convolver;

/* Errors: those of onepass_plan_convolution, ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_convolver_create(const onepass_convolution_options* options,
                                                      const onepass_cpu_tuning* tuning,
                                                      onepass_cpu_convolver** convolver, onepass_error* error);
ONEPASS_API void onepass_cpu_convolver_destroy(onepass_cpu_convolver* convolver);

/* Transforms a kernel and stores its spectrum. ONEPASS_BAD_DATA if weights are not finite or their sum, by which they
 * are scaled, is 0. */
ONEPASS_API onepass_code onepass_cpu_convolver_set_kernel(onepass_cpu_convolver* convolver,
                                                          const onepass_image_view* kernel, onepass_error* error);

/* Convolves with the last kernel set; ONEPASS_INVALID_ARGUMENT if there is none. The target has the plan's result_size
 * and must not overlap the source. */
ONEPASS_API onepass_code onepass_cpu_convolver_convolve(onepass_cpu_convolver* convolver,
                                                        const onepass_image_view* source,
                                                        const onepass_mutable_image_view* target, onepass_error* error);

/* ---- Filters: onepass/fourier_filter.hpp ---- */

typedef uint32_t onepass_filter_band;
enum {
  ONEPASS_FILTER_ALL = 0,
  ONEPASS_FILTER_LOW_PASS = 1,
  ONEPASS_FILTER_HIGH_PASS = 2,
  ONEPASS_FILTER_BAND_PASS = 3,
  ONEPASS_FILTER_BAND_STOP = 4
};

typedef uint32_t onepass_filter_shape;
enum { ONEPASS_FILTER_IDEAL = 0, ONEPASS_FILTER_BUTTERWORTH = 1, ONEPASS_FILTER_GAUSSIAN = 2 };

/* The gain of frequency 0. */
typedef uint32_t onepass_dc_gain;
enum { ONEPASS_DC_FILTER = 0, ONEPASS_DC_KEEP = 1, ONEPASS_DC_REMOVE = 2 };

typedef uint32_t onepass_filter_domain;
enum { ONEPASS_FILTER_LINEAR = 0, ONEPASS_FILTER_LOGARITHM = 1 };

/* A frequency to suppress, together with (-fx, -fy), in cycles per texel. */
typedef struct onepass_notch {
  float fx;
  float fy;
  float radius; /* Cutoff around the frequency, 1e-9 to 1. */
} onepass_notch;

/* Options of a filter: onepass::FilterOptions. */
typedef struct onepass_filter_options {
  size_t struct_size;
  onepass_extent size;
  uint32_t slices; /* 1 */
  uint32_t channels;
  onepass_format source;
  onepass_format target;      /* Undefined: that of the source. */
  onepass_filter_band band;   /* Low-pass. */
  onepass_filter_shape shape; /* Butterworth. */
  float cutoff;               /* 0.1 cycles per texel: 1e-9 to 1; Gaussian low- and high-pass: up to 1e9. */
  float upper_cutoff;         /* 0.2: band-pass and band-stop. */
  uint32_t order;             /* 2: Butterworth, 1 to 64. */
  float stop_gain;            /* 0 */
  float pass_gain;            /* 1 */
  onepass_dc_gain dc;
  onepass_filter_domain domain;
  float log_offset; /* 1/256: for logarithm, above 0. */
  onepass_alpha_policy alpha;
  onepass_boundary boundary; /* Mirror. */
  uint32_t margin;           /* 0: as many texels as the boundary needs. */
  uint32_t notch_count;      /* 0: at most 32. */
  const onepass_notch* notches;
} onepass_filter_options;
ONEPASS_API void onepass_filter_options_init(onepass_filter_options* options, size_t struct_size);

/* Filters images in host memory: onepass::cpu::Filter. */
typedef struct onepass_cpu_filter onepass_cpu_filter;

/* Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value; ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_filter_create(const onepass_filter_options* options,
                                                   const onepass_cpu_tuning* tuning, onepass_cpu_filter** filter,
                                                   onepass_error* error);
ONEPASS_API void onepass_cpu_filter_destroy(onepass_cpu_filter* filter);

/* Filters an image. Both views have the size of the options; they must not overlap. */
ONEPASS_API onepass_code onepass_cpu_filter_apply(onepass_cpu_filter* filter, const onepass_image_view* source,
                                                  const onepass_mutable_image_view* target, onepass_error* error);

/* ---- Correlations: onepass/fourier_correlation.hpp ---- */

typedef uint32_t onepass_correlation_kind;
enum { ONEPASS_CORRELATION_PHASE = 0, ONEPASS_CORRELATION_CROSS = 1 };

typedef uint32_t onepass_correlation_window;
enum { ONEPASS_CORRELATION_WINDOW_HANN = 0, ONEPASS_CORRELATION_WINDOW_NONE = 1 };

/* How the peak is located between texels. */
typedef uint32_t onepass_peak_refinement;
enum { ONEPASS_PEAK_NONE = 0, ONEPASS_PEAK_PARABOLA = 1, ONEPASS_PEAK_FOURIER = 2 };

/* Options of a correlation, which estimates the shift between two images: onepass::CorrelationOptions. */
typedef struct onepass_correlation_options {
  size_t struct_size;
  onepass_extent size; /* Size of both images. */
  onepass_format first;
  onepass_format second;              /* Undefined: same as first. */
  onepass_correlation_kind kind;      /* Phase. */
  onepass_correlation_window window;  /* Hann. */
  onepass_peak_refinement refinement; /* Fourier. */
  float floor;                        /* 1e-5: phase only, weaker frequencies are left out. 0 to 1. */
} onepass_correlation_options;
ONEPASS_API void onepass_correlation_options_init(onepass_correlation_options* options, size_t struct_size);

/* A shift between two images. */
typedef struct onepass_shift {
  double x;          /* Texels that the second image must move to the right, -W/2 to W/2. */
  double y;          /* Texels that it must move down, -H/2 to H/2. */
  double confidence; /* 0 to 1: the correlation at the peak. */
} onepass_shift;

/* Correlates images in host memory: onepass::cpu::Correlator. */
typedef struct onepass_cpu_correlator onepass_cpu_correlator;

/* Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value; ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_correlator_create(const onepass_correlation_options* options,
                                                       const onepass_cpu_tuning* tuning,
                                                       onepass_cpu_correlator** correlator, onepass_error* error);
ONEPASS_API void onepass_cpu_correlator_destroy(onepass_cpu_correlator* correlator);

/* The shift between two images of one slice. ONEPASS_BAD_DATA for a texel that is NaN or beyond +-1e18. */
ONEPASS_API onepass_code onepass_cpu_correlator_estimate(onepass_cpu_correlator* correlator,
                                                         const onepass_image_view* first,
                                                         const onepass_image_view* second, onepass_shift* shift,
                                                         onepass_error* error);

/* The correlation for all shifts: target texel (x, y), R32_SFLOAT, is that of the shift (x, y), modulo the size.
 * Errors: those of onepass_cpu_correlator_estimate. */
ONEPASS_API onepass_code onepass_cpu_correlator_correlate(onepass_cpu_correlator* correlator,
                                                          const onepass_image_view* first,
                                                          const onepass_image_view* second,
                                                          const onepass_mutable_image_view* target,
                                                          onepass_error* error);

/* ---- Deconvolutions: onepass/fourier_deconvolution.hpp ---- */

typedef uint32_t onepass_deconvolution_method;
enum { ONEPASS_DECONVOLUTION_WIENER = 0, ONEPASS_DECONVOLUTION_RICHARDSON_LUCY = 1 };

/* Noise power over image power, as a function of frequency. */
typedef uint32_t onepass_wiener_prior;
enum { ONEPASS_WIENER_FLAT = 0, ONEPASS_WIENER_LAPLACIAN = 1 };

/* Assumption about the content beyond the edges. */
typedef uint32_t onepass_deconvolution_edges;
enum {
  ONEPASS_DECONVOLUTION_EDGES_AUTO = 0,    /* Wiener: taper; Richardson-Lucy: unknown. */
  ONEPASS_DECONVOLUTION_EDGES_UNKNOWN = 1, /* Only Richardson-Lucy. */
  ONEPASS_DECONVOLUTION_EDGES_MIRROR = 2,  /* Only Wiener. */
  ONEPASS_DECONVOLUTION_EDGES_TAPER = 3,   /* Only Wiener. */
  ONEPASS_DECONVOLUTION_EDGES_WRAP = 4
};

/* The first estimate of Richardson-Lucy. */
typedef uint32_t onepass_deconvolution_start;
enum { ONEPASS_DECONVOLUTION_START_IMAGE = 0, ONEPASS_DECONVOLUTION_START_CONSTANT = 1 };

/* Options of a deconvolution: onepass::DeconvolutionOptions. */
typedef struct onepass_deconvolution_options {
  size_t struct_size;
  onepass_extent size; /* Size of the image. */
  uint32_t slices;     /* 1 */
  uint32_t channels;   /* As in onepass_transform_options. */
  onepass_format source;
  onepass_format target;      /* Undefined: that of the source. */
  onepass_extent kernel_size; /* At most the domain: the image, with mirror twice the image; any for unknown edges. */
  onepass_format kernel;
  uint32_t has_kernel_origin; /* As in onepass_convolution_options. */
  onepass_offset kernel_origin;
  onepass_kernel_channels kernel_channels;
  onepass_alpha_policy alpha;          /* Pass. */
  onepass_deconvolution_method method; /* Wiener. */
  onepass_deconvolution_edges edges;
  float noise; /* 0.01: Wiener, 0 or more. */
  onepass_wiener_prior prior;
  uint32_t iterations; /* 20: Richardson-Lucy, 1 to 10000. */
  onepass_deconvolution_start start; /* Image. */
} onepass_deconvolution_options;
ONEPASS_API void onepass_deconvolution_options_init(onepass_deconvolution_options* options, size_t struct_size);

/* Deconvolves images in host memory: onepass::cpu::Deconvolver. */
typedef struct onepass_cpu_deconvolver onepass_cpu_deconvolver;

/* Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value; ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_deconvolver_create(const onepass_deconvolution_options* options,
                                                        const onepass_cpu_tuning* tuning,
                                                        onepass_cpu_deconvolver** deconvolver, onepass_error* error);
ONEPASS_API void onepass_cpu_deconvolver_destroy(onepass_cpu_deconvolver* deconvolver);

/* Sets the blur. ONEPASS_BAD_DATA if weights are not finite, sum to 0 or, for Richardson-Lucy, one is negative. */
ONEPASS_API onepass_code onepass_cpu_deconvolver_set_kernel(onepass_cpu_deconvolver* deconvolver,
                                                            const onepass_image_view* kernel, onepass_error* error);

/* Deconvolves with the last kernel set; ONEPASS_INVALID_ARGUMENT if there is none. Both views have the size of the
 * options; they must not overlap. */
ONEPASS_API onepass_code onepass_cpu_deconvolver_deconvolve(onepass_cpu_deconvolver* deconvolver,
                                                            const onepass_image_view* source,
                                                            const onepass_mutable_image_view* target,
                                                            onepass_error* error);

/* ---- Bloom: onepass/bloom.hpp, which has the formulas ---- */

typedef uint32_t onepass_bloom_method;
enum { ONEPASS_BLOOM_CONVOLUTION = 0, ONEPASS_BLOOM_MIP_CHAIN = 1 };

/* Size at which the glow is computed. */
typedef uint32_t onepass_bloom_resolution;
enum { ONEPASS_BLOOM_FULL = 0, ONEPASS_BLOOM_HALF = 1 };

/* Options of a bloom: onepass::BloomOptions. */
typedef struct onepass_bloom_options {
  size_t struct_size;
  onepass_extent size; /* Size of the image. */
  uint32_t slices;     /* 1 */
  onepass_format source;
  onepass_format target; /* Undefined: that of the source. */
  onepass_bloom_method method;
  onepass_bloom_resolution resolution;
  float scatter;              /* 0.1: share of the bright light that scatters, 0 to 1. */
  float threshold;            /* Only light above it scatters; 0: all light. */
  float knee;                 /* Half the width of the transition at the threshold. */
  float kernel_width;         /* 0.5: width of the glow in widths of the image, 0.0001 to 4. */
  float glare_field_of_view;  /* 60: degrees across the width of the image; built-in kernel. */
  uint32_t glare_rays;        /* Streaks of the built-in kernel, 0 to 64. */
  onepass_extent kernel_size; /* Size of a kernel image; all 0: the built-in kernel. */
  onepass_format kernel;      /* Its format; undefined: the built-in kernel. */
  onepass_boundary boundary;  /* ONEPASS_BOUNDARY_MIRROR */
  float spread;               /* 0.75: mip chain: share that each level takes from the next coarser one, 0 to 1. */
} onepass_bloom_options;
ONEPASS_API void onepass_bloom_options_init(onepass_bloom_options* options, size_t struct_size);

/* Sizes and minimum memory traffic of a bloom. */
typedef struct onepass_bloom_plan {
  size_t struct_size;
  onepass_extent glow_size;   /* Size at which the glow is computed. */
  onepass_extent kernel_size; /* Convolution: texels of the kernel at that size. */
  onepass_extent domain;      /* Convolution: size of the transforms. */
  uint64_t kernel_bytes;      /* Convolution: size of the kernel's spectra. */
  uint32_t levels;            /* Mip chain: its levels. */
  uint32_t passes;            /* Over images. */
  uint64_t bytes_read;
  uint64_t bytes_written;
} onepass_bloom_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value. */
ONEPASS_API onepass_code onepass_plan_bloom(const onepass_bloom_options* options, onepass_bloom_plan* plan,
                                            onepass_error* error);

/* Adds bloom to images in host memory: onepass::cpu::Bloom. */
typedef struct onepass_cpu_bloom onepass_cpu_bloom;

/* Sets the built-in kernel, if the options name no other. Errors: those of onepass_plan_bloom, ONEPASS_OUT_OF_MEMORY.
 */
ONEPASS_API onepass_code onepass_cpu_bloom_create(const onepass_bloom_options* options,
                                                  const onepass_cpu_tuning* tuning, onepass_cpu_bloom** bloom,
                                                  onepass_error* error);
ONEPASS_API void onepass_cpu_bloom_destroy(onepass_cpu_bloom* bloom);

/* Rescales a kernel image and stores its spectrum. ONEPASS_BAD_DATA if weights are not finite or their sum is 0. */
ONEPASS_API onepass_code onepass_cpu_bloom_set_kernel(onepass_cpu_bloom* bloom, const onepass_image_view* kernel,
                                                      onepass_error* error);

/* Adds bloom. Source and target have the size of the options and do not overlap. ONEPASS_INVALID_ARGUMENT if the
 * options name a kernel image and none is set. */
ONEPASS_API onepass_code onepass_cpu_bloom_apply(onepass_cpu_bloom* bloom, const onepass_image_view* source,
                                                 const onepass_mutable_image_view* target, onepass_error* error);

/* ---- Meters: onepass/luminance.hpp ---- */

typedef uint32_t onepass_luminance_weights;
enum { ONEPASS_LUMINANCE_REC709 = 0, ONEPASS_LUMINANCE_REC2020 = 1, ONEPASS_LUMINANCE_ACES_CG = 2 };

typedef uint32_t onepass_metering;
enum {
  ONEPASS_METERING_AVERAGE = 0,
  ONEPASS_METERING_CENTRE_WEIGHTED = 1,
  ONEPASS_METERING_SPOT = 2,
  ONEPASS_METERING_MASK = 3
};

typedef uint32_t onepass_meter_statistic;
enum { ONEPASS_STATISTIC_LOG_AVERAGE = 0, ONEPASS_STATISTIC_MEAN = 1, ONEPASS_STATISTIC_PERCENTILES = 2 };

typedef uint32_t onepass_exposure_rule;
enum { ONEPASS_EXPOSURE_KEY = 0, ONEPASS_EXPOSURE_SATURATION = 1 };

/* Options of a meter: onepass::MeterOptions. */
typedef struct onepass_meter_options {
  size_t struct_size;
  onepass_extent size;
  uint32_t slices; /* 1 */
  onepass_format source;
  onepass_rect rect; /* The pixels to meter; all 0: the whole image. */
  onepass_luminance_weights weights;
  float delta; /* 1e-4: added to luminance before the logarithm. */
  onepass_metering metering;
  float centre_x; /* 0.5 */
  float centre_y; /* 0.5 */
  float radius;
  onepass_format mask; /* For metering by mask: format of the mask. */
  float histogram_low; /* log2 of luminance; equal to histogram_high: automatic. */
  float histogram_high;
  float percentiles[8]; /* 0.01 0.05 0.25 0.5 0.75 0.9 0.95 0.99 */
  onepass_meter_statistic statistic;
  float clip_low;      /* 0.1 */
  float clip_high;     /* 0.9 */
  float lowest_ev100;  /* -32 */
  float highest_ev100; /* 32 */
  onepass_exposure_rule rule;
  float key;                   /* 0.18 */
  float calibration;           /* 12.5 */
  float lens_attenuation;      /* 0.65 */
  float compensation;          /* 0 stops */
  float up_stops_per_second;   /* 3: adaptation while the scene is brighter. */
  float down_stops_per_second; /* 1 */
  float ease_stops;            /* 1.5 */
} onepass_meter_options;
ONEPASS_API void onepass_meter_options_init(onepass_meter_options* options, size_t struct_size);

/* The time of an image. As an argument, NULL means {0, 0}: no time has passed. Results without a history
 * (has_history 0), such as those of bytes 0, adapt at once whatever the frame is. Images that are black (without a
 * pixel brighter than delta) or have no finite pixel do not begin a history: until the first image with light, exposure
 * is 1. */
typedef struct onepass_meter_frame {
  float seconds; /* Seconds since the previous image, 0 to 1e9. */
  uint32_t cut;  /* Not 0: ignores the previous images: for a new scene or camera. */
} onepass_meter_frame;

/* The measurements of one slice and the state of adaptation: pass the same struct with the next image. Its layout is
 * that of LuminanceResult in shaders/onepass/luminance_params.h; the fields are those of onepass::MeterResult. */
typedef struct onepass_meter_result {
  uint32_t valid;
  float exposure;
  float ev100;
  float log_average;
  float adapted_luminance;
  float mean_luminance;
  float min_luminance;
  float max_luminance;
  float mean_colour[3];
  float metered_luminance;
  uint32_t finite_count;
  uint32_t nan_count;
  uint32_t infinite_count;
  uint32_t negative_count;
  uint32_t zero_count;
  uint32_t has_history;
  float adapted_log2;
  float histogram_low;
  float histogram_high;
  uint32_t reserved0;
  uint64_t total_weight;
  uint64_t zero_weight;
  float percentiles[8];
  uint32_t reserved1[2];
  uint64_t histogram[256];
} onepass_meter_result;

/* Meters images in host memory: onepass::cpu::Meter. */
typedef struct onepass_cpu_meter onepass_cpu_meter;

/* Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value; ONEPASS_UNSUPPORTED for fields of a later version;
 * ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_meter_create(const onepass_meter_options* options,
                                                  const onepass_cpu_tuning* tuning, onepass_cpu_meter** meter,
                                                  onepass_error* error);
ONEPASS_API void onepass_cpu_meter_destroy(onepass_cpu_meter* meter);

/* Meters every slice. result_count is the number of slices. mask: for metering by mask, otherwise NULL. */
ONEPASS_API onepass_code onepass_cpu_meter_measure(const onepass_cpu_meter* meter, const onepass_image_view* source,
                                                   onepass_meter_result* results, size_t result_count,
                                                   const onepass_meter_frame* frame, const onepass_image_view* mask,
                                                   onepass_error* error);

/* ---- Tone maps: onepass/tone_map.hpp ---- */

typedef uint32_t onepass_tone_operator;
enum {
  ONEPASS_TONE_EXPOSURE = 0,
  ONEPASS_TONE_REINHARD = 1,
  ONEPASS_TONE_REINHARD_EXTENDED = 2,
  ONEPASS_TONE_REINHARD_LUMINANCE = 3,
  ONEPASS_TONE_HABLE = 4,
  ONEPASS_TONE_HEJL_BURGESS_DAWSON = 5,
  ONEPASS_TONE_ACES_NARKOWICZ = 6,
  ONEPASS_TONE_ACES_HILL = 7,
  ONEPASS_TONE_AGX_SOBOTKA = 8,
  ONEPASS_TONE_AGX_BLENDER = 9,
  ONEPASS_TONE_PBR_NEUTRAL = 10,
  ONEPASS_TONE_LOTTES = 11,
  ONEPASS_TONE_UCHIMURA = 12,
  ONEPASS_TONE_DRAGO = 13
};

typedef uint32_t onepass_transfer;
enum {
  ONEPASS_TRANSFER_LINEAR = 0,
  ONEPASS_TRANSFER_SRGB = 1,
  ONEPASS_TRANSFER_GAMMA = 2,
  ONEPASS_TRANSFER_PQ = 3,
  ONEPASS_TRANSFER_HLG = 4
};

typedef uint32_t onepass_primaries;
enum { ONEPASS_PRIMARIES_REC709 = 0, ONEPASS_PRIMARIES_REC2020 = 1 };

typedef uint32_t onepass_agx_look;
enum { ONEPASS_AGX_LOOK_NONE = 0, ONEPASS_AGX_LOOK_GOLDEN = 1, ONEPASS_AGX_LOOK_PUNCHY = 2 };

typedef uint32_t onepass_dither;
enum { ONEPASS_DITHER_OFF = 0, ONEPASS_DITHER_ON = 1 };

/* Options of a tone map: onepass::ToneMapOptions. */
typedef struct onepass_tone_map_options {
  size_t struct_size;
  onepass_extent size;
  uint32_t slices; /* 1 */
  onepass_format source;
  onepass_format target;
  onepass_tone_operator tone_operator; /* AgX as in Blender. */
  float exposure;                      /* 1 */
  float white;                         /* 4: for the two Reinhard operators that use it. */
  float drago_bias;                    /* 0.85 */
  float drago_average;                 /* 0.18 */
  float drago_white;                   /* 100 */
  onepass_agx_look look;
  onepass_transfer transfer; /* sRGB. */
  float gamma;               /* 2.2 */
  float peak_nits;           /* 1000: the largest luminance that PQ stores, in cd/m^2. */
  onepass_primaries primaries;
  onepass_dither dither;
  uint32_t reserved;
  /* Local exposure; off while the three contrasts are 1. Programs built before these fields existed have the
   * defaults. */
  float local_highlights; /* 1: contrast of regions brighter than grey, in stops, 0 to 2. */
  float local_shadows;    /* 1: contrast of regions darker than grey, 0 to 2. */
  float local_detail;     /* 1: contrast inside regions, 0 to 4. */
  float local_grey;       /* 0.18: the exposed luminance that does not change. */
  float local_region;     /* 0.0625: side of a region as a share of the image's shorter side, 1/256 to 1/2. */
  uint32_t reserved2;
  /* High dynamic range displays. Programs built before these fields existed have the defaults. */
  float paper_white_nits; /* 203: luminance of display light 1 with PQ and HLG, 1 to 10000 cd/m^2, at most the peak. */
  float headroom;         /* 1: linear float targets: largest display light of operators with headroom, 1 to 10000. */
} onepass_tone_map_options;
ONEPASS_API void onepass_tone_map_options_init(onepass_tone_map_options* options, size_t struct_size);

/* Maps images in host memory: onepass::cpu::ToneMap. */
typedef struct onepass_cpu_tone_map onepass_cpu_tone_map;

/* Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value; ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_tone_map_create(const onepass_tone_map_options* options,
                                                     const onepass_cpu_tuning* tuning, onepass_cpu_tone_map** map,
                                                     onepass_error* error);
ONEPASS_API void onepass_cpu_tone_map_destroy(onepass_cpu_tone_map* map);

/* Maps every slice. exposure is multiplied by that of the options; a value that is not finite or not above 0 counts as
 * 1. The target may be the source if their formats have the same number of bytes per texel. With one slice, a target of
 * fewer bytes per texel may begin where the source begins, with the same row_stride or a smaller one. */
ONEPASS_API onepass_code onepass_cpu_tone_map_apply(const onepass_cpu_tone_map* map, const onepass_image_view* source,
                                                    const onepass_mutable_image_view* target, float exposure,
                                                    onepass_error* error);

/* ---- Frames of video: onepass/frame_tone_map.hpp ---- */

/* Meters and maps frames, each read once: onepass::cpu::FrameToneMap. */
typedef struct onepass_cpu_frame_tone_map onepass_cpu_frame_tone_map;

/* Both option structs have the same size, slices and source, and local exposure is off; otherwise
 * ONEPASS_INVALID_ARGUMENT. Other errors: those of onepass_cpu_meter_create and onepass_cpu_tone_map_create. */
ONEPASS_API onepass_code onepass_cpu_frame_tone_map_create(const onepass_meter_options* meter,
                                                           const onepass_tone_map_options* tone,
                                                           const onepass_cpu_tuning* tuning,
                                                           onepass_cpu_frame_tone_map** frames, onepass_error* error);
ONEPASS_API void onepass_cpu_frame_tone_map_destroy(onepass_cpu_frame_tone_map* frames);

/* Maps every slice with the exposure in its result before the call (1 if the result is zeroed), then meters it into its
 * result. The other arguments are those of onepass_cpu_meter_measure and onepass_cpu_tone_map_apply. */
ONEPASS_API onepass_code onepass_cpu_frame_tone_map_process(const onepass_cpu_frame_tone_map* frames,
                                                            const onepass_image_view* source,
                                                            const onepass_mutable_image_view* target,
                                                            onepass_meter_result* results, size_t result_count,
                                                            const onepass_meter_frame* frame,
                                                            const onepass_image_view* mask, onepass_error* error);

#ifdef __cplusplus
}
#endif

#endif
