/* onepass_cuda.h: onepass for C in CUDA memory, on your stream. Read onepass.h first; docs/cuda.md has the idea and the
 * costs. CUDA's toolkit and headers are not needed: a device address is a pointer, a CUstream or cudaStream_t too.
 *
 *     onepass_cuda_device* device = NULL;
 *     if (onepass_cuda_device_open(0, &device, &error) != ONEPASS_OK) return fail(error.message);
 *     onepass_cuda_pyramid* pyramid = NULL;
 *     if (onepass_cuda_pyramid_create(device, &options, NULL, &pyramid, &error)) return fail(error.message);
 *     onepass_cuda_image levels[10];  // 1 and up, in one allocation
 *     uint64_t bytes = 0;
 *     onepass_cuda_pyramid_pack_levels(pyramid, memory, levels, 10, &bytes, &error);
 *     onepass_cuda_pyramid_binding* binding = NULL;
 *     onepass_cuda_pyramid_bind(pyramid, &photo, levels, 10, NULL, &binding, &error);
 *     onepass_cuda_pyramid_record(pyramid, stream, binding, &error);  // every frame
 *
 * The functions are those of onepass/cuda/, with their errors, threads and rules for streams. Recording allocates
 * nothing, does not wait, and works while the stream is captured into a graph.
 *
 * Lifetimes. A binding is destroyed after its launches have run, before or after the pyramid, reduction, meter or tone
 * map that made it; these before or after the onepass_cuda_device. */
#ifndef ONEPASS_ONEPASS_CUDA_H
#define ONEPASS_ONEPASS_CUDA_H

#include "onepass/onepass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Devices: onepass/cuda/device.hpp ---- */

/* Properties of a CUDA device: onepass::cuda::DeviceInfo. */
typedef struct onepass_cuda_device_info {
  size_t struct_size;
  char name[256];
  uint64_t memory_bytes;  /* Total memory. */
  uint32_t ordinal;       /* The number of the device in the driver's order. */
  uint32_t compute_major; /* Compute capability: 9 of 9.0. */
  uint32_t compute_minor;
  uint32_t multiprocessors;
  uint32_t driver_version; /* Highest version of CUDA that the driver supports: 12040 is 12.4. */
  uint32_t reserved;
} onepass_cuda_device_info;

/* The number of CUDA devices. Errors: ONEPASS_NOT_FOUND without a driver, ONEPASS_DEVICE. */
ONEPASS_API onepass_code onepass_cuda_count_devices(uint32_t* count, onepass_error* error);

/* Fills *info, whose struct_size you set. Errors: as above; ONEPASS_NOT_FOUND for a number without a device. */
ONEPASS_API onepass_code onepass_cuda_describe_device(uint32_t ordinal, onepass_cuda_device_info* info,
                                                      onepass_error* error);

/* A device with a context. */
typedef struct onepass_cuda_device onepass_cuda_device;

/* The device of this number in its primary context, which CUDA's runtime, PyTorch and CuPy use. Errors:
 * ONEPASS_NOT_FOUND without a driver or a device of this number; ONEPASS_UNSUPPORTED below compute capability 7.5;
 * ONEPASS_DEVICE, ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_cuda_device_open(uint32_t ordinal, onepass_cuda_device** device, onepass_error* error);

/* The context that is current on the calling thread, which outlives everything made from the device. Errors: as above;
 * ONEPASS_INVALID_ARGUMENT without a current context. */
ONEPASS_API onepass_code onepass_cuda_device_adopt(onepass_cuda_device** device, onepass_error* error);
ONEPASS_API void onepass_cuda_device_destroy(onepass_cuda_device* device);

/* Unloads the kernels that no pyramid uses; returns their number. Launches of these must have ended. 0 for NULL. */
ONEPASS_API size_t onepass_cuda_device_trim(const onepass_cuda_device* device);

/* ---- Images: onepass/cuda/image.hpp ---- */

/* The order of a texel's channels in memory. */
typedef uint32_t onepass_cuda_channels;
enum {
  ONEPASS_CUDA_CHANNELS_INTERLEAVED = 0, /* HWC */
  ONEPASS_CUDA_CHANNELS_PLANAR = 1       /* CHW; not for packed formats and BGRA. */
};

/* Rows of texels in device memory: onepass::cuda::DeviceImage. No stride has a default. */
typedef struct onepass_cuda_image {
  void* data;            /* A CUdeviceptr. */
  size_t row_stride;     /* Bytes from one row to the next. */
  size_t slice_stride;   /* Bytes from one slice to the next; not used if there is one slice. */
  size_t channel_stride; /* ONEPASS_CUDA_CHANNELS_PLANAR: bytes from one channel to the next. */
} onepass_cuda_image;

/* How source and target are stored: onepass::cuda::ImageMemory. */
typedef struct onepass_cuda_image_memory {
  size_t struct_size;
  onepass_cuda_channels source_channels;
  onepass_cuda_channels target_channels;
} onepass_cuda_image_memory;
ONEPASS_API void onepass_cuda_image_memory_init(onepass_cuda_image_memory* memory, size_t struct_size);

/* ---- Pyramids: onepass/cuda/pyramid.hpp ---- */

/* The number of launches of a recording. */
typedef uint32_t onepass_cuda_launches;
enum {
  ONEPASS_CUDA_LAUNCHES_AUTO = 0, /* Two where it is faster, else one. */
  ONEPASS_CUDA_LAUNCHES_ONE = 1
};

/* How images are stored, and tuning: onepass::cuda::ImageMemory, onepass::cuda::PyramidTuning. */
typedef struct onepass_cuda_pyramid_memory {
  size_t struct_size;
  onepass_cuda_channels source_channels;
  onepass_cuda_channels target_channels;
  onepass_cuda_launches launches;
  uint32_t reserved; /* 0 */
} onepass_cuda_pyramid_memory;
ONEPASS_API void onepass_cuda_pyramid_memory_init(onepass_cuda_pyramid_memory* memory, size_t struct_size);

/* Cost of a pyramid on its device. */
typedef struct onepass_cuda_pyramid_plan {
  size_t struct_size;
  uint64_t scratch_bytes;
  uint64_t bytes_read;
  uint64_t bytes_written;
  uint32_t levels; /* Number of levels, including level 0. */
  uint32_t launches;
} onepass_cuda_pyramid_plan;

/* Makes pyramids of one shape in device memory: onepass::cuda::Pyramid. */
typedef struct onepass_cuda_pyramid onepass_cuda_pyramid;

/* A pyramid bound to images and scratch memory. Two launches on one binding must not overlap. */
typedef struct onepass_cuda_pyramid_binding onepass_cuda_pyramid_binding;

/* Validates the options and loads the kernels. memory: NULL for interleaved channels. Beyond the formats of other
 * engines, source and target may have three channels. */
ONEPASS_API onepass_code onepass_cuda_pyramid_create(const onepass_cuda_device* device,
                                                     const onepass_pyramid_options* options,
                                                     const onepass_cuda_pyramid_memory* memory,
                                                     onepass_cuda_pyramid** pyramid, onepass_error* error);
ONEPASS_API void onepass_cuda_pyramid_destroy(onepass_cuda_pyramid* pyramid);

/* The cost of a pyramid. */
ONEPASS_API onepass_code onepass_cuda_pyramid_get_plan(const onepass_cuda_pyramid* pyramid,
                                                       onepass_cuda_pyramid_plan* plan, onepass_error* error);

/* Where levels 1 and up lie in one allocation at `data`: levels[0] is level 1, each begins at a multiple of 256 bytes.
 * `bytes` receives the size of the allocation; data may be NULL to learn it. Errors: ONEPASS_INVALID_ARGUMENT if
 * level_count is not that of the plan minus 1. */
ONEPASS_API onepass_code onepass_cuda_pyramid_pack_levels(const onepass_cuda_pyramid* pyramid, void* data,
                                                          onepass_cuda_image* levels, size_t level_count,
                                                          uint64_t* bytes, onepass_error* error);

/* Checks the images and, if scratch is NULL, allocates scratch memory, which is clear. levels[0] receives level 1;
 * level_count is that of the plan minus 1. */
ONEPASS_API onepass_code onepass_cuda_pyramid_bind(const onepass_cuda_pyramid* pyramid,
                                                   const onepass_cuda_image* source, const onepass_cuda_image* levels,
                                                   size_t level_count, void* scratch,
                                                   onepass_cuda_pyramid_binding** binding, onepass_error* error);
ONEPASS_API void onepass_cuda_pyramid_binding_destroy(onepass_cuda_pyramid_binding* binding);

/* Enqueues the clearing of scratch memory of yours: once before the first use of a binding. stream: a CUstream or
 * cudaStream_t; NULL: the default stream. Errors: ONEPASS_INVALID_ARGUMENT for NULL and for a binding of another
 * pyramid; ONEPASS_DEVICE. */
ONEPASS_API onepass_code onepass_cuda_pyramid_record_reset(const onepass_cuda_pyramid* pyramid, void* stream,
                                                           const onepass_cuda_pyramid_binding* binding,
                                                           onepass_error* error);

/* Enqueues the making of levels 1 and up of every slice. Errors: as above. */
ONEPASS_API onepass_code onepass_cuda_pyramid_record(const onepass_cuda_pyramid* pyramid, void* stream,
                                                     const onepass_cuda_pyramid_binding* binding, onepass_error* error);

/* ---- Tile reductions: onepass/cuda/tile_reduction.hpp ---- */

/* Makes tile reductions of one shape in device memory: onepass::cuda::TileReduction. */
typedef struct onepass_cuda_tile_reduction onepass_cuda_tile_reduction;

/* A tile reduction bound to images. Any number of launches may use it at once. */
typedef struct onepass_cuda_tile_reduction_binding onepass_cuda_tile_reduction_binding;

/* Validates the options and loads the kernel. memory: NULL for interleaved channels. Source and target may have three
 * channels. onepass_plan_tile_reduction() has the size of the target. */
ONEPASS_API onepass_code onepass_cuda_tile_reduction_create(const onepass_cuda_device* device,
                                                            const onepass_tile_reduction_options* options,
                                                            const onepass_cuda_image_memory* memory,
                                                            onepass_cuda_tile_reduction** reduction,
                                                            onepass_error* error);
ONEPASS_API void onepass_cuda_tile_reduction_destroy(onepass_cuda_tile_reduction* reduction);

/* Checks the images, which do not overlap. */
ONEPASS_API onepass_code onepass_cuda_tile_reduction_bind(const onepass_cuda_tile_reduction* reduction,
                                                          const onepass_cuda_image* source,
                                                          const onepass_cuda_image* target,
                                                          onepass_cuda_tile_reduction_binding** binding,
                                                          onepass_error* error);
ONEPASS_API void onepass_cuda_tile_reduction_binding_destroy(onepass_cuda_tile_reduction_binding* binding);

/* Enqueues the reduction of every slice. Errors: as for onepass_cuda_pyramid_record(). */
ONEPASS_API onepass_code onepass_cuda_tile_reduction_record(const onepass_cuda_tile_reduction* reduction, void* stream,
                                                            const onepass_cuda_tile_reduction_binding* binding,
                                                            onepass_error* error);

/* ---- Meters: onepass/cuda/luminance.hpp ---- */

/* How source and mask are stored: onepass::cuda::MeterMemory. */
typedef struct onepass_cuda_meter_memory {
  size_t struct_size;
  onepass_cuda_channels source_channels;
  onepass_cuda_channels mask_channels;
} onepass_cuda_meter_memory;
ONEPASS_API void onepass_cuda_meter_memory_init(onepass_cuda_meter_memory* memory, size_t struct_size);

/* The images and memory of one binding: onepass::cuda::MeterImages. */
typedef struct onepass_cuda_meter_images {
  size_t struct_size;
  onepass_cuda_image source;
  onepass_cuda_image mask; /* ONEPASS_METERING_MASK: of the size of the source, one slice. */
  /* One onepass_meter_result per slice in device memory, aligned to 16 bytes. NULL: bind allocates them, of zeros. */
  void* results;
  /* onepass_cuda_meter_scratch_bytes() of device memory, aligned to 256 bytes. NULL: bind allocates it, of zeros. */
  void* scratch;
} onepass_cuda_meter_images;
ONEPASS_API void onepass_cuda_meter_images_init(onepass_cuda_meter_images* images, size_t struct_size);

/* Meters images of one shape in device memory: onepass::cuda::Meter. */
typedef struct onepass_cuda_meter onepass_cuda_meter;

/* A meter bound to images and memory. Two launches with the same results or scratch memory must not overlap. */
typedef struct onepass_cuda_meter_binding onepass_cuda_meter_binding;

/* Validates the options and loads the kernel. memory: NULL for interleaved channels. Source and mask may have three
 * channels. */
ONEPASS_API onepass_code onepass_cuda_meter_create(const onepass_cuda_device* device,
                                                   const onepass_meter_options* options,
                                                   const onepass_cuda_meter_memory* memory, onepass_cuda_meter** meter,
                                                   onepass_error* error);
ONEPASS_API void onepass_cuda_meter_destroy(onepass_cuda_meter* meter);

/* Bytes of scratch memory per binding. 0 for NULL. */
ONEPASS_API uint64_t onepass_cuda_meter_scratch_bytes(const onepass_cuda_meter* meter);

/* Checks the images, and allocates the memory that is NULL in images. */
ONEPASS_API onepass_code onepass_cuda_meter_bind(const onepass_cuda_meter* meter,
                                                 const onepass_cuda_meter_images* images,
                                                 onepass_cuda_meter_binding** binding, onepass_error* error);
ONEPASS_API void onepass_cuda_meter_binding_destroy(onepass_cuda_meter_binding* binding);

/* The results in device memory: one onepass_meter_result per slice, whose exposure a tone map reads there. NULL for
 * NULL. */
ONEPASS_API void* onepass_cuda_meter_results(const onepass_cuda_meter_binding* binding);

/* Enqueues the clearing of results and scratch memory: once before the first use of memory of yours, and to forget the
 * history. Errors: as for onepass_cuda_pyramid_record(). */
ONEPASS_API onepass_code onepass_cuda_meter_record_reset(const onepass_cuda_meter* meter, void* stream,
                                                         const onepass_cuda_meter_binding* binding,
                                                         onepass_error* error);

/* Enqueues the clearing of scratch memory alone: the results keep the history. */
ONEPASS_API onepass_code onepass_cuda_meter_record_reset_scratch(const onepass_cuda_meter* meter, void* stream,
                                                                 const onepass_cuda_meter_binding* binding,
                                                                 onepass_error* error);

/* Enqueues the metering of every slice. frame: NULL means {0, 0}. Errors: ONEPASS_INVALID_ARGUMENT for seconds outside
 * 0 to 1e9, too. */
ONEPASS_API onepass_code onepass_cuda_meter_record(const onepass_cuda_meter* meter, void* stream,
                                                   const onepass_cuda_meter_binding* binding,
                                                   const onepass_meter_frame* frame, onepass_error* error);

/* ---- Tone maps: onepass/cuda/tone_map.hpp ---- */

/* The images of one tone map: onepass::cuda::ToneMapImages. */
typedef struct onepass_cuda_tone_map_images {
  size_t struct_size;
  onepass_cuda_image source;
  /* May be the source, if both have the same format and order of channels; else the two do not overlap. */
  onepass_cuda_image target;
  /* Exposure factors, as floats in device memory. NULL: 1. A meter's: &results->exposure, and
   * sizeof(onepass_meter_result). */
  const void* exposure;
  /* Bytes from one slice's factor to the next, a multiple of 4. 0: one factor for all slices. */
  size_t exposure_stride;
  /* onepass_cuda_tone_map_scratch_bytes() of device memory, aligned to 256 bytes. NULL: bind allocates it, of zeros. */
  void* scratch;
} onepass_cuda_tone_map_images;
ONEPASS_API void onepass_cuda_tone_map_images_init(onepass_cuda_tone_map_images* images, size_t struct_size);

/* Makes tone maps of one shape in device memory: onepass::cuda::ToneMap. */
typedef struct onepass_cuda_tone_map onepass_cuda_tone_map;

/* A tone map bound to images. With local exposure two launches on it must not overlap. */
typedef struct onepass_cuda_tone_map_binding onepass_cuda_tone_map_binding;

/* Validates the options, fits the curves and loads the kernels. memory: NULL for interleaved channels. Source and
 * target may have three channels. */
ONEPASS_API onepass_code onepass_cuda_tone_map_create(const onepass_cuda_device* device,
                                                      const onepass_tone_map_options* options,
                                                      const onepass_cuda_image_memory* memory,
                                                      onepass_cuda_tone_map** map, onepass_error* error);
ONEPASS_API void onepass_cuda_tone_map_destroy(onepass_cuda_tone_map* map);

/* Bytes of scratch memory per binding: 0 without local exposure, and for NULL. */
ONEPASS_API uint64_t onepass_cuda_tone_map_scratch_bytes(const onepass_cuda_tone_map* map);

/* Checks the images, and allocates the scratch memory of local exposure that is NULL in images. */
ONEPASS_API onepass_code onepass_cuda_tone_map_bind(const onepass_cuda_tone_map* map,
                                                    const onepass_cuda_tone_map_images* images,
                                                    onepass_cuda_tone_map_binding** binding, onepass_error* error);
ONEPASS_API void onepass_cuda_tone_map_binding_destroy(onepass_cuda_tone_map_binding* binding);

/* Enqueues the clearing of scratch memory of yours: once before its first use. Nothing without local exposure. Errors:
 * as for onepass_cuda_pyramid_record(). */
ONEPASS_API onepass_code onepass_cuda_tone_map_record_reset(const onepass_cuda_tone_map* map, void* stream,
                                                            const onepass_cuda_tone_map_binding* binding,
                                                            onepass_error* error);

/* Enqueues the mapping of every slice. exposure is multiplied by that of the options and by the factor in device
 * memory; a value that is not finite or not above 0 counts as 1. */
ONEPASS_API onepass_code onepass_cuda_tone_map_record(const onepass_cuda_tone_map* map, void* stream,
                                                      const onepass_cuda_tone_map_binding* binding, float exposure,
                                                      onepass_error* error);

#ifdef __cplusplus
}
#endif

#endif
