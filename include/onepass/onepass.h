/* onepass.h: onepass for C, and for every language that can call C: pyramids, tile reductions, transforms and the
 * operations based on them, meters and tone maps of images in host memory. onepass_vulkan_host.h has the same on a
 * GPU; onepass_vulkan.h is the GPU version in your own command buffer.
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
 * it does not know to zero. Structs without struct_size never change. Fields named reserved must be 0. The comment of
 * an option field gives its default, unless all its bytes are 0.
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
#include "onepass/onepass_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions, codes, errors ---- */

/* Version of the interface in this header. It is raised when something changes that a program may rely on; new
 * functions and new fields at the end of sized structs do not raise it. */
#define ONEPASS_ABI_VERSION 1

/* ONEPASS_ABI_VERSION of the loaded library. If it differs from that of the header, call no other function. */
ONEPASS_API uint32_t onepass_abi_version(void);

/* Version of the loaded library, for example "0.1.0". Never NULL. */
ONEPASS_API const char* onepass_version(void);

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
  char message[506]; /* UTF-8 with a final 0, cut at a whole character; names the field and its value. "" on success. */
  uint16_t context_length; /* Bytes of the file or device at the start of the message, which ": " follows. 0: none. */
} onepass_error;

/* ---- Pixels: onepass/image.hpp ---- */

/* Bytes per texel, 1 to 16; 0 for a format that is not one of these. */
ONEPASS_API uint32_t onepass_format_bytes(onepass_format format);

/* Decodes `count` texels to four floats each, as a Vulkan sampler does: missing colour channels become 0, a missing
 * alpha 1, and sRGB becomes linear light. rgba has room for 4 * count floats. ONEPASS_INVALID_ARGUMENT for labels. */
ONEPASS_API onepass_code onepass_decode_texels(onepass_format format, const void* texels, size_t count, float* rgba,
                                               onepass_error* error);

/* Encodes four floats per texel. UNORM and sRGB clamp to 0..1 and round to nearest; NaN becomes 0. Half and
 * B10G11R11_UFLOAT round to nearest, finite values beyond the largest to that, negative B10G11R11_UFLOAT to 0.
 * ONEPASS_INVALID_ARGUMENT for labels and depth. */
ONEPASS_API onepass_code onepass_encode_texels(onepass_format format, const float* rgba, size_t count, void* texels,
                                               onepass_error* error);

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

/* Makes the pyramid of an image in memory by a stream per slice, for the formats of three channels, which
 * onepass_cpu_pyramid_build does not take. Views, levels and errors are those of onepass_cpu_pyramid_build; options are
 * those of a stream, with the slices of the image. */
ONEPASS_API onepass_code onepass_cpu_pyramid_stream_image(const onepass_pyramid_options* options,
                                                          const onepass_cpu_tuning* tuning,
                                                          const onepass_image_view* source,
                                                          const onepass_mutable_image_view* levels, size_t level_count,
                                                          onepass_error* error);

/* ---- Pyramids of volumes (3-D images): onepass/volume_stream.hpp ---- */

/* The numbers that a volume holds, in the byte order of the machine. They need not be aligned. */
typedef uint32_t onepass_voxel_type;
enum {
  ONEPASS_VOXEL_TYPE_UINT8 = 0,
  ONEPASS_VOXEL_TYPE_INT8 = 1,
  ONEPASS_VOXEL_TYPE_UINT16 = 2,
  ONEPASS_VOXEL_TYPE_INT16 = 3,
  ONEPASS_VOXEL_TYPE_UINT32 = 4,
  ONEPASS_VOXEL_TYPE_INT32 = 5,
  ONEPASS_VOXEL_TYPE_UINT64 = 6, /* Labels; not ONEPASS_REDUCTION_MEAN. */
  ONEPASS_VOXEL_TYPE_FLOAT16 = 7,
  ONEPASS_VOXEL_TYPE_FLOAT32 = 8
};

/* The size of a volume in voxels. */
typedef struct onepass_volume_size {
  uint32_t width;  /* x */
  uint32_t height; /* y */
  uint32_t planes; /* z */
} onepass_volume_size;

/* The factors between a level and the finer one before it, per axis: 1 or 2. */
typedef struct onepass_volume_step {
  uint32_t x;
  uint32_t y;
  uint32_t z;
} onepass_volume_step;

/* Options of a volume pyramid. */
typedef struct onepass_volume_options {
  size_t struct_size;
  onepass_volume_size size;
  onepass_voxel_type type;          /* Of the base and of every level. */
  uint32_t channels;                /* Interleaved numbers of a voxel, 1 to 4. ONEPASS_REDUCTION_MODE: 1. Default 1. */
  onepass_reduction reduction;      /* MEAN, MIN, MAX, or MODE of integers. */
  const onepass_volume_step* steps; /* steps[0] leads to level 1. onepass_isotropic_steps has some. */
  size_t step_count;                /* 1 to 31. */
} onepass_volume_options;
ONEPASS_API void onepass_volume_options_init(onepass_volume_options* options, size_t struct_size);

/* Steps that bring voxels of x by y by z, in any one unit of length, nearer to a cube, then keep them so, until no axis
 * has more than `largest` voxels: onepass::isotropic_steps. `steps` has room for 31. Returns their number; 0 for a
 * length that is not positive and finite, and for NULL. */
ONEPASS_API uint32_t onepass_isotropic_steps(onepass_volume_size size, double x, double y, double z, uint32_t largest,
                                             onepass_volume_step* steps);

/* The levels of a volume pyramid and its costs. */
typedef struct onepass_volume_plan {
  size_t struct_size;
  uint64_t bytes_read;
  uint64_t bytes_written;
  uint64_t stream_bytes; /* Bytes that a stream allocates for one thread. */
  uint64_t thread_bytes; /* Of these, working rows of a thread. */
  uint32_t levels;       /* Number of levels, including level 0. */
  uint32_t reserved;
  onepass_volume_size sizes[32]; /* sizes[n] is the size of level n, for n < levels. */
} onepass_volume_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value;
 * ONEPASS_UNSUPPORTED for sums of a mean that 64 bits do not hold and for fields of a later version. */
ONEPASS_API onepass_code onepass_plan_volume(const onepass_volume_options* options, onepass_volume_plan* plan,
                                             onepass_error* error);

/* A finished plane of a level; the voxels are valid during the call of the sink only. */
typedef struct onepass_volume_plane {
  size_t struct_size;
  uint32_t level;    /* 1 and up. */
  uint32_t z;        /* Index of the plane; the planes of a level come in order. */
  uint32_t width;    /* Voxels of a row. */
  uint32_t height;   /* Rows. */
  const void* data;  /* In the type of the options. */
  size_t row_stride; /* Bytes from one row to the next. */
} onepass_volume_plane;

/* Receives finished planes inside onepass_cpu_volume_stream_push, on its thread. A code other than ONEPASS_OK ends the
 * stream; push returns it. */
typedef onepass_code (*onepass_volume_sink)(void* user, const onepass_volume_plane* plane);

/* Makes a volume pyramid from planes that arrive in order: onepass::cpu::VolumeStream. */
typedef struct onepass_cpu_volume_stream onepass_cpu_volume_stream;

/* Errors: those of onepass_plan_volume, ONEPASS_INVALID_ARGUMENT for a null sink, ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_volume_stream_create(const onepass_volume_options* options,
                                                          const onepass_cpu_tuning* tuning, onepass_volume_sink sink,
                                                          void* user, onepass_cpu_volume_stream** stream,
                                                          onepass_error* error);
ONEPASS_API void onepass_cpu_volume_stream_destroy(onepass_cpu_volume_stream* stream);

/* Takes the next `count` planes of the base and passes the planes that they complete to the sink. The last plane of the
 * base completes all levels. plane_stride is not used if count is 1. After an error of the sink, a cancellation or
 * ONEPASS_OUT_OF_MEMORY every call returns it. */
ONEPASS_API onepass_code onepass_cpu_volume_stream_push(onepass_cpu_volume_stream* stream, const void* planes,
                                                        size_t row_stride, size_t plane_stride, uint32_t count,
                                                        onepass_error* error);

/* Your voxels that a call reads. */
typedef struct onepass_volume_view {
  const void* data;
  size_t row_stride;   /* Bytes from one row to the next. */
  size_t plane_stride; /* Bytes from one plane to the next; not used if there is one plane. */
} onepass_volume_view;

/* Your voxels that a call writes; fields as in onepass_volume_view. */
typedef struct onepass_mutable_volume_view {
  void* data;
  size_t row_stride;
  size_t plane_stride;
} onepass_mutable_volume_view;

/* Makes levels 1 and up of a volume in memory: levels[0] receives level 1; level_count is step_count. Errors: those of
 * a stream; ONEPASS_INVALID_ARGUMENT if the views do not match the options. */
ONEPASS_API onepass_code onepass_cpu_build_volume(const onepass_volume_options* options,
                                                  const onepass_cpu_tuning* tuning, const onepass_volume_view* source,
                                                  const onepass_mutable_volume_view* levels, size_t level_count,
                                                  onepass_error* error);

/* ---- Tile reductions: onepass/tile_reduction.hpp ---- */

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

/* The smallest size >= n without prime factors above 7: such sizes transform fastest. 1 for n = 0. */
ONEPASS_API uint32_t onepass_next_smooth_size(uint32_t n);

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

/* Size of the transform and minimum memory traffic of a filter. */
typedef struct onepass_filter_plan {
  size_t struct_size;
  onepass_extent domain; /* Size of the transform in texels. */
  uint64_t bytes_read;
  uint64_t bytes_written;
} onepass_filter_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value. */
ONEPASS_API onepass_code onepass_plan_filter(const onepass_filter_options* options, onepass_filter_plan* plan,
                                             onepass_error* error);

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

/* Minimum memory traffic of the transforms of a correlation. */
typedef struct onepass_correlation_plan {
  size_t struct_size;
  uint64_t bytes_read;
  uint64_t bytes_written;
} onepass_correlation_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value. */
ONEPASS_API onepass_code onepass_plan_correlation(const onepass_correlation_options* options,
                                                  onepass_correlation_plan* plan, onepass_error* error);

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

/* ---- Templates in an image: onepass/fourier_match.hpp ---- */

/* The transforms of a search, its memory, and the minimum memory traffic of one template. */
typedef struct onepass_match_plan {
  size_t struct_size;
  onepass_extent domain; /* Size of the transforms in texels. */
  uint64_t memory_bytes; /* Of the image's spectrum, the statistics and the templates transformed together. */
  uint64_t bytes_read;   /* Of one template. */
  uint64_t bytes_written;
  uint32_t together; /* The number of templates that are transformed together. */
  uint32_t reserved;
} onepass_match_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value. */
ONEPASS_API onepass_code onepass_plan_match(const onepass_match_options* options, onepass_match_plan* plan,
                                            onepass_error* error);

/* Computes template `index` into `texels`: floats of the options' template size, rows without gaps. Returns 0 if there
 * is no such template; the search ends. */
typedef int32_t (*onepass_template_maker)(void* user, uint32_t index, float* texels);

/* Searches images in host memory for templates: onepass::cpu::TemplateMatcher. */
typedef struct onepass_cpu_template_matcher onepass_cpu_template_matcher;

/* Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value; ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cpu_template_matcher_create(const onepass_match_options* options,
                                                             const onepass_cpu_tuning* tuning,
                                                             onepass_cpu_template_matcher** matcher,
                                                             onepass_error* error);
ONEPASS_API void onepass_cpu_template_matcher_destroy(onepass_cpu_template_matcher* matcher);

/* Sets the image, of one slice, and forgets all templates. ONEPASS_BAD_DATA for a texel that is NaN or beyond
 * +-1e14. */
ONEPASS_API onepass_code onepass_cpu_template_matcher_set_image(onepass_cpu_template_matcher* matcher,
                                                                const onepass_image_view* image, onepass_error* error);

/* Adds templates, one per slice. ONEPASS_BAD_DATA as above, ONEPASS_CANCELLED by onepass_cpu_tuning::progress: then the
 * statistics have the templates that onepass_cpu_template_matcher_count() says, in order. */
ONEPASS_API onepass_code onepass_cpu_template_matcher_add(onepass_cpu_template_matcher* matcher,
                                                          const onepass_image_view* templates, onepass_error* error);

/* Adds `count` templates that `make` computes, by one call after the other on the calling thread, with indices from
 * onepass_cpu_template_matcher_count() on. Errors: those above; ONEPASS_CANCELLED if `make` returned 0, after the
 * templates before were added. */
ONEPASS_API onepass_code onepass_cpu_template_matcher_make(onepass_cpu_template_matcher* matcher, uint32_t count,
                                                           onepass_template_maker make, void* user,
                                                           onepass_error* error);

/* The number of templates in the statistics; 0 for NULL. */
ONEPASS_API uint32_t onepass_cpu_template_matcher_count(const onepass_cpu_template_matcher* matcher);

/* Writes per texel of the image the largest score, R32_SFLOAT, the index of the first template that reached it,
 * R32_UINT, and mean and standard deviation of the scores of all templates, R32_SFLOAT. NULL leaves one out. */
ONEPASS_API onepass_code onepass_cpu_template_matcher_write(const onepass_cpu_template_matcher* matcher,
                                                            const onepass_mutable_image_view* maximum,
                                                            const onepass_mutable_image_view* index,
                                                            const onepass_mutable_image_view* mean,
                                                            const onepass_mutable_image_view* deviation,
                                                            onepass_error* error);

/* ---- Deconvolutions: onepass/fourier_deconvolution.hpp ---- */

/* Sizes, passes and minimum memory traffic of a deconvolution. */
typedef struct onepass_deconvolution_plan {
  size_t struct_size;
  onepass_extent domain;   /* Size of the transform in texels. */
  onepass_extent estimate; /* Richardson-Lucy: size of the estimate, margins included. Wiener: size of the image. */
  uint64_t bytes_read;     /* Of all passes. */
  uint64_t bytes_written;
  uint32_t passes; /* Over images. */
  uint32_t reserved;
} onepass_deconvolution_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value. */
ONEPASS_API onepass_code onepass_plan_deconvolution(const onepass_deconvolution_options* options,
                                                    onepass_deconvolution_plan* plan, onepass_error* error);

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

/* ---- Spectra of volumes: onepass/fourier_volume.hpp ---- */

/* Options of a transform of a volume. */
typedef struct onepass_volume_transform_options {
  size_t struct_size;
  onepass_volume_size size; /* 1 to 65535 per axis. */
  onepass_signal signal;    /* REAL: floats, half a spectrum. COMPLEX: pairs (re, im), a full spectrum. */
  onepass_norm norm;
  uint32_t reserved;
} onepass_volume_transform_options;
ONEPASS_API void onepass_volume_transform_options_init(onepass_volume_transform_options* options, size_t struct_size);

/* Volume to spectrum: pair (kz * SH + ky) * SW + kx is that of (kx, ky, kz). spectrum_bytes: 8 * SW * SH * SD; SW is
 * width / 2 + 1 for real signals. Errors: ONEPASS_INVALID_ARGUMENT, ONEPASS_OUT_OF_MEMORY, ONEPASS_CANCELLED. */
ONEPASS_API onepass_code onepass_cpu_transform_volume(const onepass_volume_transform_options* options,
                                                      const onepass_cpu_tuning* tuning,
                                                      const onepass_volume_view* source, void* spectrum,
                                                      size_t spectrum_bytes, onepass_error* error);

/* Spectrum to volume. */
ONEPASS_API onepass_code onepass_cpu_inverse_transform_volume(const onepass_volume_transform_options* options,
                                                              const onepass_cpu_tuning* tuning, const void* spectrum,
                                                              size_t spectrum_bytes,
                                                              const onepass_mutable_volume_view* target,
                                                              onepass_error* error);

/* A voxel of a volume. */
typedef struct onepass_volume_point {
  uint32_t x;
  uint32_t y;
  uint32_t z;
} onepass_volume_point;

/* Options of a convolution of a volume. Types: not ONEPASS_VOXEL_TYPE_UINT64; default ONEPASS_VOXEL_TYPE_FLOAT32. */
typedef struct onepass_volume_convolution_options {
  size_t struct_size;
  onepass_volume_size size;           /* 1 to 65535 per axis. */
  onepass_voxel_type source;          /* Of the volume. */
  onepass_voxel_type target;          /* Of the result: integers are rounded and clipped. */
  onepass_volume_size kernel_size;    /* 1 to 65535 per axis, also larger than the volume. */
  onepass_voxel_type kernel;          /* Of the kernel. */
  uint32_t has_kernel_origin;         /* 1: kernel_origin is set. 0: half of the kernel's size, rounded down. */
  onepass_volume_point kernel_origin; /* Kernel voxel that is aligned with the volume's. */
  onepass_boundary boundary;
  onepass_convolution_mode mode;
  onepass_kernel_scale scale; /* NONE; both others: weights are divided by their sum. */
} onepass_volume_convolution_options;
ONEPASS_API void onepass_volume_convolution_options_init(onepass_volume_convolution_options* options,
                                                         size_t struct_size);

/* The result and the memory of a convolution. */
typedef struct onepass_volume_convolution_plan {
  size_t struct_size;
  uint64_t memory_bytes;           /* That the call allocates, for one thread. */
  onepass_volume_size domain;      /* Size of the transforms. */
  onepass_volume_size result_size; /* Size of the target. */
} onepass_volume_convolution_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value. */
ONEPASS_API onepass_code onepass_plan_volume_convolution(const onepass_volume_convolution_options* options,
                                                         onepass_volume_convolution_plan* plan, onepass_error* error);

/* Convolves a volume with a kernel. The target has result_size. Errors: those of the plan; ONEPASS_BAD_DATA if weights
 * are not finite or their sum, by which they are scaled, is 0; ONEPASS_OUT_OF_MEMORY, ONEPASS_CANCELLED. */
ONEPASS_API onepass_code onepass_cpu_convolve_volume(const onepass_volume_convolution_options* options,
                                                     const onepass_cpu_tuning* tuning,
                                                     const onepass_volume_view* source,
                                                     const onepass_volume_view* kernel,
                                                     const onepass_mutable_volume_view* target, onepass_error* error);

/* Options of a deconvolution of a volume by Richardson-Lucy. Types as those of a convolution. */
typedef struct onepass_volume_deconvolution_options {
  size_t struct_size;
  uint64_t max_bytes;              /* Memory with one thread; decides the tiles. Default 2^31. */
  onepass_volume_size size;        /* 1 to 65535 per axis. */
  onepass_voxel_type source;       /* Of the volume. Negative voxels and NaN count as 0, Inf as the largest number. */
  onepass_voxel_type target;       /* Of the result, in the unit of the source: integers are rounded and clipped. */
  onepass_volume_size kernel_size; /* Of the point spread function; any. */
  onepass_voxel_type kernel;       /* Of the kernel, which is scaled to sum 1. */
  uint32_t has_kernel_origin;      /* As in onepass_volume_convolution_options. */
  onepass_volume_point kernel_origin;
  uint32_t iterations; /* 1 to 10000. Default 20. */
  onepass_deconvolution_acceleration acceleration;
  onepass_deconvolution_start start;
  float background;         /* In the unit of the source: in the volume, not in the result. 0 or more. */
  uint32_t has_halo;        /* 1: halo is set. 0: half of the kernel's size, rounded up. */
  onepass_volume_size halo; /* Voxels that a tile reads beyond itself where the volume is divided. */
  uint32_t reserved;
} onepass_volume_deconvolution_options;
ONEPASS_API void onepass_volume_deconvolution_options_init(onepass_volume_deconvolution_options* options,
                                                           size_t struct_size);

/* The tiles and the memory of a deconvolution. */
typedef struct onepass_volume_deconvolution_plan {
  size_t struct_size;
  uint64_t memory_bytes;        /* That the call allocates, for one thread; at most max_bytes. */
  uint64_t thread_bytes;        /* That each further thread allocates. */
  onepass_volume_size tiles;    /* Number of tiles per axis. */
  onepass_volume_size tile;     /* Voxels of a tile's result; the last one of an axis may have fewer. */
  onepass_volume_size measured; /* Voxels of the volume that a tile reads. */
  onepass_volume_size estimate; /* With the margin of kernel size - 1. */
  onepass_volume_size domain;   /* Size of the transforms. */
  uint32_t reserved;
} onepass_volume_deconvolution_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value, also
 * if the smallest tiles need more than max_bytes. */
ONEPASS_API onepass_code onepass_plan_volume_deconvolution(const onepass_volume_deconvolution_options* options,
                                                           onepass_volume_deconvolution_plan* plan,
                                                           onepass_error* error);

/* Removes a known blur from a volume in memory, or mapped into it. Errors: those of the plan; ONEPASS_BAD_DATA if
 * weights of the kernel are not finite, negative or all 0; ONEPASS_OUT_OF_MEMORY, ONEPASS_CANCELLED. */
ONEPASS_API onepass_code onepass_cpu_deconvolve_volume(const onepass_volume_deconvolution_options* options,
                                                       const onepass_cpu_tuning* tuning,
                                                       const onepass_volume_view* source,
                                                       const onepass_volume_view* kernel,
                                                       const onepass_mutable_volume_view* target, onepass_error* error);

/* ---- Bloom: onepass/bloom.hpp, which has the formulas ---- */

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

/* The time of an image. As an argument, NULL means {0, 0}: no time has passed. Results without a history
 * (has_history 0), such as those of bytes 0, adapt at once whatever the frame is. Images that are black (without a
 * pixel brighter than delta) or have no finite pixel do not begin a history: until the first image with light, exposure
 * is 1. */
typedef struct onepass_meter_frame {
  float seconds; /* Seconds since the previous image, 0 to 1e9. */
  uint32_t cut;  /* Not 0: ignores the previous images: for a new scene or camera. */
} onepass_meter_frame;

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

/* The data of an operator for your own kernel around shaders/onepass/tone_map.glsl, or for derivatives:
 * onepass::tone_map_shader(). docs/shaders/tone_map.md. */
typedef struct onepass_tone_map_shader onepass_tone_map_shader;

/* Fits the curves, which takes some milliseconds. Errors: those of onepass_cpu_tone_map_create. */
ONEPASS_API onepass_code onepass_tone_map_shader_create(const onepass_tone_map_options* options,
                                                        onepass_tone_map_shader** shader, onepass_error* error);
ONEPASS_API void onepass_tone_map_shader_destroy(onepass_tone_map_shader* shader);

/* ToneMapProgram of tone_map_params.h in layout std140, as `count` floats that live as long as the shader. NULL for
 * NULL. */
ONEPASS_API const float* onepass_tone_map_shader_program(const onepass_tone_map_shader* shader, size_t* count);

/* The cubics of all curves, four floats each, the lowest power first. As above. */
ONEPASS_API const float* onepass_tone_map_shader_cubics(const onepass_tone_map_shader* shader, size_t* count);

/* The macros that the header needs: lines such as "#define ONEPASS_TONE_MIX 0". NULL for NULL. */
ONEPASS_API const char* onepass_tone_map_shader_definitions(const onepass_tone_map_shader* shader);

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
ONEPASS_API onepass_code onepass_cpu_frame_tone_map_apply(const onepass_cpu_frame_tone_map* frames,
                                                          const onepass_image_view* source,
                                                          const onepass_mutable_image_view* target,
                                                          onepass_meter_result* results, size_t result_count,
                                                          const onepass_meter_frame* frame,
                                                          const onepass_image_view* mask, onepass_error* error);

/* ---- Reflections: onepass/reflection.hpp. Their engine is in onepass_vulkan.h ---- */

/* Sizes and costs of screen-space reflections. */
typedef struct onepass_reflection_plan {
  size_t struct_size;
  uint64_t scratch_bytes; /* Of a binding, history included: 56 bytes per traced texel, 8 per tile, 24640. */
  onepass_extent traced;  /* Texels that have rays: the size, or its half, rounded up. */
  onepass_extent tiles;   /* Tiles of 8x8 of these. */
  uint32_t levels;        /* Levels below the base that the depth pyramid has; 0: there is no pyramid image. */
  uint32_t dispatches;    /* Of a recording. */
} onepass_reflection_plan;

/* Validates the options and computes the plan. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value. */
ONEPASS_API onepass_code onepass_plan_reflection(const onepass_reflection_options* options,
                                                 onepass_reflection_plan* plan, onepass_error* error);

/* ---- Block-compressed textures: onepass/blocks.hpp ---- */

/* Blocks that a call reads: rows of blocks from top to bottom, slices one after the other. */
typedef struct onepass_block_view {
  const void* data;
  onepass_block_format format;
  onepass_extent size; /* In texels, 1 to 65535 per axis. */
  uint32_t slices;     /* Array layers or cube faces. 0 counts as 1. */
  size_t row_stride;   /* Bytes from one row of blocks to the next. 0: no gap. */
  size_t slice_stride; /* Bytes from one slice to the next. 0: no gap. */
} onepass_block_view;

/* Blocks that a call writes; fields as in onepass_block_view. */
typedef struct onepass_mutable_block_view {
  void* data;
  onepass_block_format format;
  onepass_extent size;
  uint32_t slices;
  size_t row_stride;
  size_t slice_stride;
} onepass_mutable_block_view;

/* Bytes per block, 8 or 16; 0 for a format that is not one of these. */
ONEPASS_API uint32_t onepass_block_bytes(onepass_block_format format);

/* Width and height of a block in texels: 4 and 4, of ASTC up to 12 and 12; 0 and 0 for a format that is not one of
 * these. A level of W x H texels has ceil(W / width) * ceil(H / height) blocks. */
ONEPASS_API onepass_extent onepass_block_size(onepass_block_format format);

/* 1 if this library compresses and decompresses ASTC, 0 if it was built without astcenc: both calls then return
 * ONEPASS_UNSUPPORTED. */
ONEPASS_API int onepass_has_astc(void);

/* Compresses all slices of an image to blocks of the same size and number of slices. The blocks are the same for any
 * number of threads and any processor. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value, also for BC2;
 * ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_compress_blocks(const onepass_image_view* source,
                                                 const onepass_mutable_block_view* blocks,
                                                 const onepass_block_options* options, const onepass_cpu_tuning* tuning,
                                                 onepass_error* error);

/* Sizes and bytes of an onepass_vulkan_block_compressor. */
typedef struct onepass_block_compressor_plan {
  size_t struct_size;
  uint64_t bytes;       /* Of all blocks. */
  uint64_t bytes_read;  /* Texels, each once. */
  uint32_t levels;      /* Level n has max(1, size >> n) texels per axis. */
  uint32_t reserved;    /* 0. */
  uint64_t offsets[16]; /* Where the blocks of a level begin, slice by slice, row by row, in bytes. */
} onepass_block_compressor_plan;

/* Lays out the blocks of all levels and slices. Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value. */
ONEPASS_API onepass_code onepass_plan_block_compressor(const onepass_block_compressor_options* options,
                                                       onepass_block_compressor_plan* plan, onepass_error* error);

/* Decompresses all slices of blocks to an image of the same size and number of slices. The same errors. */
ONEPASS_API onepass_code onepass_decompress_blocks(const onepass_block_view* blocks,
                                                   const onepass_mutable_image_view* target,
                                                   const onepass_cpu_tuning* tuning, onepass_error* error);

/* ---- Textures of materials: onepass/material.hpp, which has all that is said of the options ---- */

/* Makes levels 1 and up of a normal map (2 to 4 channels) and of its roughness: renormalised means, and the roughness
 * that the variance of the normals adds. `roughness`: an image of the same size; null: options->roughness everywhere.
 * normal_levels[0] and roughness_levels[0] receive level 1; either may be null with a count of 0. Channels of
 * roughness_levels other than options->target_channel (and the next one with the covariance) keep their values.
 * Errors: ONEPASS_INVALID_ARGUMENT, naming the field and its value; ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_roughness_mips(const onepass_image_view* normals, const onepass_image_view* roughness,
                                                const onepass_mutable_image_view* normal_levels,
                                                size_t normal_level_count,
                                                const onepass_mutable_image_view* roughness_levels,
                                                size_t roughness_level_count, const onepass_roughness_options* options,
                                                const onepass_cpu_tuning* tuning, onepass_error* error);

/* Makes a normal map of heights, by central differences. The same errors. */
ONEPASS_API onepass_code onepass_height_to_normals(const onepass_image_view* heights,
                                                   const onepass_mutable_image_view* normals,
                                                   const onepass_height_options* options,
                                                   const onepass_cpu_tuning* tuning, onepass_error* error);

/* Reverses y of a normal map; both views have the same format, and may be of the same image. The same errors. */
ONEPASS_API onepass_code onepass_flip_normal_y(const onepass_image_view* source,
                                               const onepass_mutable_image_view* target,
                                               const onepass_cpu_tuning* tuning, onepass_error* error);

/* Copies a normal map to another format and number of channels, with vectors of length 1. The same errors. */
ONEPASS_API onepass_code onepass_convert_normals(const onepass_image_view* source,
                                                 const onepass_mutable_image_view* target,
                                                 const onepass_cpu_tuning* tuning, onepass_error* error);

/* The content of one channel. */
typedef struct onepass_channel_source {
  const onepass_image_view* image; /* Null: `value` everywhere. */
  uint32_t channel;                /* Of the image, 0 to 3. */
  float value;                     /* Used if there is no image. */
} onepass_channel_source;

/* Fills each channel of a picture from a channel of another of the same size; channel_count is the number of channels
 * of `target`. The same errors. */
ONEPASS_API onepass_code onepass_pack_channels(const onepass_channel_source* channels, size_t channel_count,
                                               const onepass_mutable_image_view* target,
                                               const onepass_cpu_tuning* tuning, onepass_error* error);

#ifdef __cplusplus
}
#endif

#endif
