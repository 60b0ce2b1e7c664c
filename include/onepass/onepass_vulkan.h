/* onepass_vulkan.h: onepass for C on a GPU, in your own command buffer. Read onepass.h first.
 *
 *     onepass_vulkan_device_handles handles;
 *     onepass_vulkan_device_handles_init(&handles, sizeof handles);
 *     handles.instance = instance, handles.physical_device = gpu, handles.device = device;
 *     handles.shader_storage_image_write_without_format = VK_TRUE;
 *     onepass_vulkan_device* on = NULL;
 *     if (onepass_vulkan_device_adopt(&handles, &on, &error) != ONEPASS_OK) return fail(error.message);
 *     ... onepass_vulkan_pyramid_create, onepass_vulkan_pyramid_bind ...
 *     onepass_vulkan_pyramid_record_reset(pyramid, commands, binding);  // once, then a barrier
 *     onepass_vulkan_pyramid_record(pyramid, commands, binding);        // every frame
 *
 * Barriers, image usages and layouts that a technique wants are said in its C++ header, onepass/vulkan/pyramid.hpp and
 * so on, and in docs/integration.md.
 *
 * Recording allocates nothing and waits for nothing; the first update compiles a pipeline unless prepare_update was
 * set. The code that a record function returns is ONEPASS_INVALID_ARGUMENT for a null handle, a binding of another
 * object, a number out of range or a kernel that was not set, ONEPASS_OUT_OF_MEMORY from that first update, and else
 * ONEPASS_OK. An update of nothing records nothing.
 *
 * Lifetimes. The VkDevice outlives all that was made from it. A binding is destroyed after its commands have run,
 * before or after its technique; a technique before or after the onepass_vulkan_device.
 *
 * Threads. Create and bind from any thread; record from any number at once, with the same or different objects, into
 * distinct command buffers. onepass_vulkan_convolver_set_kernel and onepass_vulkan_deconvolver_set_kernel by
 * themselves. Destroying is not recording: nobody else may use the handle. */
#ifndef ONEPASS_ONEPASS_VULKAN_H
#define ONEPASS_ONEPASS_VULKAN_H

#include <vulkan/vulkan_core.h>

#include "onepass/onepass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The device: onepass/vulkan/device.hpp ---- */

/* Your device, Vulkan 1.2 or later, and the features that were enabled when it was created. */
typedef struct onepass_vulkan_device_handles {
  size_t struct_size;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* volk's or your own. NULL: the system's loader. */
  VkInstance instance;
  VkPhysicalDevice physical_device;
  VkDevice device;
  VkPipelineCache pipeline_cache;                     /* Or VK_NULL_HANDLE. */
  uint32_t queue_family;                              /* Of the queues that commands go to; must support compute. */
  VkBool32 shader_storage_image_write_without_format; /* Required. */
  VkBool32 shader_storage_image_array_dynamic_indexing;
  VkBool32 vulkan_memory_model; /* With vulkanMemoryModelDeviceScope. */
  VkBool32 shader_float16;
  VkBool32 shader_subgroup_extended_types;
  VkBool32 compute_full_subgroups; /* For shuffles: without it odd sizes above all are slower. */
  VkBool32 sampler_filter_minmax;
} onepass_vulkan_device_handles;
ONEPASS_API void onepass_vulkan_device_handles_init(onepass_vulkan_device_handles* handles, size_t struct_size);

typedef struct onepass_vulkan_device onepass_vulkan_device;

/* Nothing is allocated on the device. */
ONEPASS_API onepass_code onepass_vulkan_device_adopt(const onepass_vulkan_device_handles* handles,
                                                     onepass_vulkan_device** device, onepass_error* error);
ONEPASS_API void onepass_vulkan_device_destroy(onepass_vulkan_device* device);

/* Not 0 if the format can be a source, or a target. */
ONEPASS_API int onepass_vulkan_device_can_read(const onepass_vulkan_device* device, onepass_format format);
ONEPASS_API int onepass_vulkan_device_can_write(const onepass_vulkan_device* device, onepass_format format);

/* ---- Pyramids: onepass/vulkan/pyramid.hpp ---- */

typedef uint32_t onepass_pyramid_path;
enum { ONEPASS_PYRAMID_PATH_AUTO = 0, ONEPASS_PYRAMID_PATH_SINGLE_DISPATCH = 1, ONEPASS_PYRAMID_PATH_PER_LEVEL = 2 };

typedef uint32_t onepass_switch;
enum { ONEPASS_SWITCH_AUTO = 0, ONEPASS_SWITCH_OFF = 1, ONEPASS_SWITCH_ON = 2 };

typedef uint32_t onepass_sampling;
enum { ONEPASS_SAMPLING_AUTO = 0, ONEPASS_SAMPLING_FETCH = 1, ONEPASS_SAMPLING_LINEAR = 2 };

typedef uint32_t onepass_arithmetic;
enum { ONEPASS_ARITHMETIC_FLOAT = 0, ONEPASS_ARITHMETIC_PACKED_HALF = 1 };

/* What the scratch memory holds when an update is recorded. */
typedef uint32_t onepass_scratch;
enum { ONEPASS_SCRATCH_UNKNOWN = 0, ONEPASS_SCRATCH_FROM_LAST_BUILD = 1 };

/* Never changes a result beyond the contract on rounding. Where it is taken, NULL is the defaults, which are 0. */
typedef struct onepass_vulkan_pyramid_tuning {
  size_t struct_size;
  onepass_pyramid_path path;
  onepass_switch subgroup;
  onepass_sampling sampling;
  onepass_arithmetic arithmetic;
  onepass_switch memory_model;
  uint32_t stage_depth;
  uint32_t run;
  uint32_t prepare_update; /* 0 or 1: creates the pipeline of updates now and not when the first is recorded. */
  onepass_switch waits; /* On: workgroups may wait for others that have begun. */
  uint32_t reserved; /* 0 */
} onepass_vulkan_pyramid_tuning;
ONEPASS_API void onepass_vulkan_pyramid_tuning_init(onepass_vulkan_pyramid_tuning* tuning, size_t struct_size);

/* What a pyramid costs on its device. */
typedef struct onepass_vulkan_pyramid_plan {
  size_t struct_size;
  uint64_t scratch_bytes;
  uint64_t bytes_read;
  uint64_t bytes_written;
  uint32_t levels; /* Level 0 included. */
  uint32_t dispatches;
  onepass_pyramid_path path; /* Never auto. */
  uint32_t reserved;
} onepass_vulkan_pyramid_plan;

/* Level 0 is read from source; level n is written to mip level target_level + n - 1 of target. */
typedef struct onepass_vulkan_pyramid_images {
  size_t struct_size;
  VkImage source; /* Usage SAMPLED. */
  VkImage target; /* Usage STORAGE; sRGB also flags MUTABLE_FORMAT and EXTENDED_USAGE. In layout GENERAL. */
  VkBuffer
      scratch; /* Usage STORAGE_BUFFER and TRANSFER_DST, scratch_bytes from scratch_offset on; null: bind allocates. */
  VkDeviceSize scratch_offset; /* In the buffer: a multiple of 256. */
  VkImageLayout source_layout; /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t source_level;
  uint32_t source_slice;
  uint32_t target_level; /* 1 */
  uint32_t target_slice;
  uint32_t reserved;
} onepass_vulkan_pyramid_images;
ONEPASS_API void onepass_vulkan_pyramid_images_init(onepass_vulkan_pyramid_images* images, size_t struct_size);

typedef struct onepass_vulkan_pyramid onepass_vulkan_pyramid;
typedef struct onepass_vulkan_pyramid_binding onepass_vulkan_pyramid_binding;
ONEPASS_API onepass_code onepass_vulkan_pyramid_create(const onepass_vulkan_device* device,
                                                       const onepass_pyramid_options* options,
                                                       const onepass_vulkan_pyramid_tuning* tuning,
                                                       onepass_vulkan_pyramid** pyramid, onepass_error* error);
ONEPASS_API void onepass_vulkan_pyramid_destroy(onepass_vulkan_pyramid* pyramid);
ONEPASS_API onepass_code onepass_vulkan_pyramid_get_plan(const onepass_vulkan_pyramid* pyramid,
                                                         onepass_vulkan_pyramid_plan* plan, onepass_error* error);
ONEPASS_API onepass_code onepass_vulkan_pyramid_bind(const onepass_vulkan_pyramid* pyramid,
                                                     const onepass_vulkan_pyramid_images* images,
                                                     onepass_vulkan_pyramid_binding** binding, onepass_error* error);
ONEPASS_API void onepass_vulkan_pyramid_binding_destroy(onepass_vulkan_pyramid_binding* binding);

/* Zeroes the scratch memory: a transfer. Once before the first use, and after the memory was used for something else.
 */
ONEPASS_API onepass_code onepass_vulkan_pyramid_record_reset(const onepass_vulkan_pyramid* pyramid,
                                                             VkCommandBuffer commands,
                                                             const onepass_vulkan_pyramid_binding* binding);
ONEPASS_API onepass_code onepass_vulkan_pyramid_record(const onepass_vulkan_pyramid* pyramid, VkCommandBuffer commands,
                                                       const onepass_vulkan_pyramid_binding* binding);
ONEPASS_API onepass_code onepass_vulkan_pyramid_record_update(const onepass_vulkan_pyramid* pyramid,
                                                              VkCommandBuffer commands,
                                                              const onepass_vulkan_pyramid_binding* binding,
                                                              onepass_rect changed, onepass_scratch scratch);

/* ---- Tile reductions: onepass/vulkan/tile_reduction.hpp ---- */

typedef uint32_t onepass_tile_strategy;
enum {
  ONEPASS_TILE_STRATEGY_AUTO = 0,
  ONEPASS_TILE_STRATEGY_ATOMIC = 1,
  ONEPASS_TILE_STRATEGY_TREE = 2,
  ONEPASS_TILE_STRATEGY_SUBGROUP = 3
};

/* Options of a tile reduction that never change a result. */
typedef struct onepass_vulkan_tile_reduction_tuning {
  size_t struct_size;
  onepass_tile_strategy strategy;
  uint32_t gathers;
  uint32_t workgroup_size;
  uint32_t reserved;
} onepass_vulkan_tile_reduction_tuning;
ONEPASS_API void onepass_vulkan_tile_reduction_tuning_init(onepass_vulkan_tile_reduction_tuning* tuning,
                                                           size_t struct_size);

/* What one binding of a tile reduction works on. */
typedef struct onepass_vulkan_tile_reduction_images {
  size_t struct_size;
  VkImage source;              /* Usage SAMPLED. */
  VkImage target;              /* Usage STORAGE, as for pyramids; in layout GENERAL. */
  VkImageLayout source_layout; /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t source_level;
  uint32_t source_slice;
  uint32_t target_level;
  uint32_t target_slice;
  uint32_t reserved;
} onepass_vulkan_tile_reduction_images;
ONEPASS_API void onepass_vulkan_tile_reduction_images_init(onepass_vulkan_tile_reduction_images* images,
                                                           size_t struct_size);

typedef struct onepass_vulkan_tile_reduction onepass_vulkan_tile_reduction;
typedef struct onepass_vulkan_tile_reduction_binding onepass_vulkan_tile_reduction_binding;
ONEPASS_API onepass_code onepass_vulkan_tile_reduction_create(const onepass_vulkan_device* device,
                                                              const onepass_tile_reduction_options* options,
                                                              const onepass_vulkan_tile_reduction_tuning* tuning,
                                                              onepass_vulkan_tile_reduction** tiles,
                                                              onepass_error* error);
ONEPASS_API void onepass_vulkan_tile_reduction_destroy(onepass_vulkan_tile_reduction* tiles);
ONEPASS_API onepass_code onepass_vulkan_tile_reduction_bind(const onepass_vulkan_tile_reduction* tiles,
                                                            const onepass_vulkan_tile_reduction_images* images,
                                                            onepass_vulkan_tile_reduction_binding** binding,
                                                            onepass_error* error);
ONEPASS_API void onepass_vulkan_tile_reduction_binding_destroy(onepass_vulkan_tile_reduction_binding* binding);
ONEPASS_API onepass_code onepass_vulkan_tile_reduction_record(const onepass_vulkan_tile_reduction* tiles,
                                                              VkCommandBuffer commands,
                                                              const onepass_vulkan_tile_reduction_binding* binding);

/* ---- Transforms: onepass/vulkan/fourier.hpp ---- */

typedef uint32_t onepass_fourier_technique;
enum {
  ONEPASS_FOURIER_TECHNIQUE_AUTO = 0,
  ONEPASS_FOURIER_TECHNIQUE_SHARED_MEMORY = 1,
  ONEPASS_FOURIER_TECHNIQUE_PING_PONG = 2,
  ONEPASS_FOURIER_TECHNIQUE_FOUR_STEP = 3
};

/* Where twiddle factors come from. */
typedef uint32_t onepass_twiddles;
enum { ONEPASS_TWIDDLES_TABLE = 0, ONEPASS_TWIDDLES_COMPUTED = 1 };

/* Where a transform's image lies. */
typedef uint32_t onepass_side_kind;
enum { ONEPASS_SIDE_IMAGE = 0, ONEPASS_SIDE_BUFFER = 1 };

/* Of transforms and of all that is made with them. */
typedef struct onepass_vulkan_transform_tuning {
  size_t struct_size;
  onepass_fourier_technique technique;
  onepass_twiddles twiddles;
  uint32_t most_radix; /* 16 */
  uint32_t lines_of_rows;
  uint32_t lines_of_columns;
  uint32_t reserved;
} onepass_vulkan_transform_tuning;
ONEPASS_API void onepass_vulkan_transform_tuning_init(onepass_vulkan_transform_tuning* tuning, size_t struct_size);

/* What a transform is created for. NULL is the defaults: images, both directions. */
typedef struct onepass_vulkan_transform_sides {
  size_t struct_size;
  onepass_side_kind source;
  onepass_side_kind target;
  uint32_t forward; /* 1: creates the pipelines of record_forward. */
  uint32_t inverse; /* 1 */
} onepass_vulkan_transform_sides;
ONEPASS_API void onepass_vulkan_transform_sides_init(onepass_vulkan_transform_sides* sides, size_t struct_size);

/* Rows of texels, an image or a buffer, as the sides said. Zero-initialise it. */
typedef struct onepass_vulkan_side {
  VkImage image;       /* Source: usage SAMPLED. Target: usage STORAGE, as for pyramids; in layout GENERAL. */
  VkBuffer buffer;     /* Usage STORAGE_BUFFER. */
  VkDeviceSize offset; /* In the buffer: a multiple of 256. */
  uint32_t level;
  uint32_t slice;
  VkImageLayout layout;  /* Of a source; 0 (UNDEFINED): SHADER_READ_ONLY_OPTIMAL. */
  uint32_t row_stride;   /* Texels from row to row of a buffer; 0: the width read or written. */
  uint32_t slice_stride; /* Texels from slice to slice; 0: rows without gaps. */
  uint32_t reserved;
} onepass_vulkan_side;

/* Bytes of a buffer: usage STORAGE_BUFFER, an offset that is a multiple of 256. */
typedef struct onepass_vulkan_buffer_range {
  VkBuffer buffer;     /* Usage STORAGE_BUFFER. */
  VkDeviceSize offset; /* A multiple of 256. */
} onepass_vulkan_buffer_range;

/* What one binding of a transform works on. */
typedef struct onepass_vulkan_transform_resources {
  size_t struct_size;
  onepass_vulkan_side source;           /* Not needed without forward. */
  onepass_vulkan_buffer_range spectrum; /* spectrum_bytes. */
  onepass_vulkan_side target;           /* Not needed without inverse. */
  onepass_vulkan_buffer_range scratch;  /* scratch_bytes; null buffer: bind allocates. */
} onepass_vulkan_transform_resources;
ONEPASS_API void onepass_vulkan_transform_resources_init(onepass_vulkan_transform_resources* resources,
                                                         size_t struct_size);

typedef struct onepass_vulkan_transform onepass_vulkan_transform;
typedef struct onepass_vulkan_transform_binding onepass_vulkan_transform_binding;
ONEPASS_API onepass_code onepass_vulkan_transform_create(const onepass_vulkan_device* device,
                                                         const onepass_transform_options* options,
                                                         const onepass_vulkan_transform_sides* sides,
                                                         const onepass_vulkan_transform_tuning* tuning,
                                                         onepass_vulkan_transform** transform, onepass_error* error);
ONEPASS_API void onepass_vulkan_transform_destroy(onepass_vulkan_transform* transform);

/* Bytes of scratch memory of a binding. 0 for NULL. */
ONEPASS_API uint64_t onepass_vulkan_transform_scratch_bytes(const onepass_vulkan_transform* transform);
ONEPASS_API onepass_code onepass_vulkan_transform_bind(const onepass_vulkan_transform* transform,
                                                       const onepass_vulkan_transform_resources* resources,
                                                       onepass_vulkan_transform_binding** binding,
                                                       onepass_error* error);
ONEPASS_API void onepass_vulkan_transform_binding_destroy(onepass_vulkan_transform_binding* binding);

/* Only the directions that the transform was created for; the other is ONEPASS_INVALID_ARGUMENT. */
ONEPASS_API onepass_code onepass_vulkan_transform_record_forward(const onepass_vulkan_transform* transform,
                                                                 VkCommandBuffer commands,
                                                                 const onepass_vulkan_transform_binding* binding);
ONEPASS_API onepass_code onepass_vulkan_transform_record_inverse(const onepass_vulkan_transform* transform,
                                                                 VkCommandBuffer commands,
                                                                 const onepass_vulkan_transform_binding* binding);

/* ---- Convolutions, filters, deconvolutions: onepass/vulkan/fourier_convolution.hpp and its neighbours ---- */

/* Images; buffers and strides of the sides are not used. */
typedef struct onepass_vulkan_operation_images {
  size_t struct_size;
  onepass_vulkan_side source;
  onepass_vulkan_side target;
  onepass_vulkan_buffer_range scratch; /* scratch_bytes; null buffer: bind allocates. */
} onepass_vulkan_operation_images;
ONEPASS_API void onepass_vulkan_operation_images_init(onepass_vulkan_operation_images* images, size_t struct_size);

/* A convolver, a filter or a deconvolver tied to images. */
typedef struct onepass_vulkan_operation_binding onepass_vulkan_operation_binding;
ONEPASS_API void onepass_vulkan_operation_binding_destroy(onepass_vulkan_operation_binding* binding);

typedef struct onepass_vulkan_convolver onepass_vulkan_convolver;
ONEPASS_API onepass_code onepass_vulkan_convolver_create(const onepass_vulkan_device* device,
                                                         const onepass_convolution_options* options,
                                                         const onepass_vulkan_transform_tuning* tuning,
                                                         onepass_vulkan_convolver** convolver, onepass_error* error);
ONEPASS_API void onepass_vulkan_convolver_destroy(onepass_vulkan_convolver* convolver);
ONEPASS_API uint64_t onepass_vulkan_convolver_scratch_bytes(const onepass_vulkan_convolver* convolver);

/* Copies weights to where record_kernel finds them: not while the device runs a recording of that. Recordings before it
 * are refused. */
ONEPASS_API onepass_code onepass_vulkan_convolver_set_kernel(onepass_vulkan_convolver* convolver,
                                                             const onepass_image_view* kernel, onepass_error* error);

/* Once for each kernel, before record. */
ONEPASS_API onepass_code onepass_vulkan_convolver_record_kernel(const onepass_vulkan_convolver* convolver,
                                                                VkCommandBuffer commands);
ONEPASS_API onepass_code onepass_vulkan_convolver_bind(const onepass_vulkan_convolver* convolver,
                                                       const onepass_vulkan_operation_images* images,
                                                       onepass_vulkan_operation_binding** binding,
                                                       onepass_error* error);
ONEPASS_API onepass_code onepass_vulkan_convolver_record(const onepass_vulkan_convolver* convolver,
                                                         VkCommandBuffer commands,
                                                         const onepass_vulkan_operation_binding* binding);

typedef struct onepass_vulkan_filter onepass_vulkan_filter;
ONEPASS_API onepass_code onepass_vulkan_filter_create(const onepass_vulkan_device* device,
                                                      const onepass_filter_options* options,
                                                      const onepass_vulkan_transform_tuning* tuning,
                                                      onepass_vulkan_filter** filter, onepass_error* error);
ONEPASS_API void onepass_vulkan_filter_destroy(onepass_vulkan_filter* filter);
ONEPASS_API uint64_t onepass_vulkan_filter_scratch_bytes(const onepass_vulkan_filter* filter);
ONEPASS_API onepass_code onepass_vulkan_filter_bind(const onepass_vulkan_filter* filter,
                                                    const onepass_vulkan_operation_images* images,
                                                    onepass_vulkan_operation_binding** binding, onepass_error* error);
ONEPASS_API onepass_code onepass_vulkan_filter_record(const onepass_vulkan_filter* filter, VkCommandBuffer commands,
                                                      const onepass_vulkan_operation_binding* binding);

typedef struct onepass_vulkan_deconvolver onepass_vulkan_deconvolver;
ONEPASS_API onepass_code onepass_vulkan_deconvolver_create(const onepass_vulkan_device* device,
                                                           const onepass_deconvolution_options* options,
                                                           const onepass_vulkan_transform_tuning* tuning,
                                                           onepass_vulkan_deconvolver** deconvolver,
                                                           onepass_error* error);
ONEPASS_API void onepass_vulkan_deconvolver_destroy(onepass_vulkan_deconvolver* deconvolver);
ONEPASS_API uint64_t onepass_vulkan_deconvolver_scratch_bytes(const onepass_vulkan_deconvolver* deconvolver);

/* As of convolvers: set_kernel first, not while the device runs a recording; record_kernel once for each kernel. */
ONEPASS_API onepass_code onepass_vulkan_deconvolver_set_kernel(onepass_vulkan_deconvolver* deconvolver,
                                                               const onepass_image_view* kernel, onepass_error* error);
ONEPASS_API onepass_code onepass_vulkan_deconvolver_record_kernel(const onepass_vulkan_deconvolver* deconvolver,
                                                                  VkCommandBuffer commands);
ONEPASS_API onepass_code onepass_vulkan_deconvolver_bind(const onepass_vulkan_deconvolver* deconvolver,
                                                         const onepass_vulkan_operation_images* images,
                                                         onepass_vulkan_operation_binding** binding,
                                                         onepass_error* error);
ONEPASS_API onepass_code onepass_vulkan_deconvolver_record(const onepass_vulkan_deconvolver* deconvolver,
                                                           VkCommandBuffer commands,
                                                           const onepass_vulkan_operation_binding* binding);

/* ---- Correlations: onepass/vulkan/fourier_correlation.hpp ---- */

/* What a correlation needs on its device. */
typedef struct onepass_vulkan_correlation_plan {
  size_t struct_size;
  uint64_t scratch_bytes;
  uint64_t result_bytes;  /* What onepass_vulkan_correlator_finish reads. */
  uint64_t surface_bytes; /* All of the correlation: floats, rows without gaps. */
  uint32_t dispatches;
  uint32_t reserved;
} onepass_vulkan_correlation_plan;

/* What one binding of a correlator works on. */
typedef struct onepass_vulkan_correlation_resources {
  size_t struct_size;
  onepass_vulkan_side first; /* Images; buffers and strides of the sides are not used. */
  onepass_vulkan_side second;
  onepass_vulkan_buffer_range result; /* result_bytes. */
  onepass_vulkan_buffer_range
      surface; /* surface_bytes: float (x, y) is of the shift (x, y), modulo the size; or null. */
  onepass_vulkan_buffer_range scratch; /* scratch_bytes; null buffer: bind allocates. */
} onepass_vulkan_correlation_resources;
ONEPASS_API void onepass_vulkan_correlation_resources_init(onepass_vulkan_correlation_resources* resources,
                                                           size_t struct_size);

typedef struct onepass_vulkan_correlator onepass_vulkan_correlator;
typedef struct onepass_vulkan_correlation_binding onepass_vulkan_correlation_binding;
ONEPASS_API onepass_code onepass_vulkan_correlator_create(const onepass_vulkan_device* device,
                                                          const onepass_correlation_options* options,
                                                          const onepass_vulkan_transform_tuning* tuning,
                                                          onepass_vulkan_correlator** correlator, onepass_error* error);
ONEPASS_API void onepass_vulkan_correlator_destroy(onepass_vulkan_correlator* correlator);
ONEPASS_API onepass_code onepass_vulkan_correlator_get_plan(const onepass_vulkan_correlator* correlator,
                                                            onepass_vulkan_correlation_plan* plan,
                                                            onepass_error* error);
ONEPASS_API onepass_code onepass_vulkan_correlator_bind(const onepass_vulkan_correlator* correlator,
                                                        const onepass_vulkan_correlation_resources* resources,
                                                        onepass_vulkan_correlation_binding** binding,
                                                        onepass_error* error);
ONEPASS_API void onepass_vulkan_correlation_binding_destroy(onepass_vulkan_correlation_binding* binding);
ONEPASS_API onepass_code onepass_vulkan_correlator_record(const onepass_vulkan_correlator* correlator,
                                                          VkCommandBuffer commands,
                                                          const onepass_vulkan_correlation_binding* binding);

/* The shift that the bytes of a result say, read back by you. ONEPASS_BAD_DATA for a texel beyond +-1e18 or NaN. */
ONEPASS_API onepass_code onepass_vulkan_correlator_finish(const onepass_vulkan_correlator* correlator,
                                                          const void* result, size_t result_bytes, onepass_shift* shift,
                                                          onepass_error* error);

/* ---- Meters: onepass/vulkan/luminance.hpp ---- */

/* Options of a meter that never change a result. */
typedef struct onepass_vulkan_meter_tuning {
  size_t struct_size;
  uint32_t two_pass; /* 0 or 1. */
  uint32_t groups;
  uint32_t copies;
  uint32_t memory_model; /* 0 or 1. */
  onepass_switch subgroup;
  uint32_t reserved;
} onepass_vulkan_meter_tuning;
ONEPASS_API void onepass_vulkan_meter_tuning_init(onepass_vulkan_meter_tuning* tuning, size_t struct_size);

/* What one binding of a meter works on. */
typedef struct onepass_vulkan_meter_images {
  size_t struct_size;
  VkImage source;   /* Usage SAMPLED. */
  VkImage mask;     /* Metering by mask: usage SAMPLED. */
  VkBuffer results; /* Usage STORAGE_BUFFER and TRANSFER_DST: one onepass_meter_result a slice; null: bind allocates. */
  VkDeviceSize results_offset; /* A multiple of 256. */
  VkBuffer scratch;            /* Usage STORAGE_BUFFER and TRANSFER_DST: scratch_bytes; null: bind allocates. */
  VkDeviceSize scratch_offset; /* A multiple of 256. */
  VkImageLayout source_layout; /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t source_level;
  uint32_t source_slice;
  VkImageLayout mask_layout; /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t mask_level;
  uint32_t mask_slice;
} onepass_vulkan_meter_images;
ONEPASS_API void onepass_vulkan_meter_images_init(onepass_vulkan_meter_images* images, size_t struct_size);

typedef struct onepass_vulkan_meter onepass_vulkan_meter;
typedef struct onepass_vulkan_meter_binding onepass_vulkan_meter_binding;
ONEPASS_API onepass_code onepass_vulkan_meter_create(const onepass_vulkan_device* device,
                                                     const onepass_meter_options* options,
                                                     const onepass_vulkan_meter_tuning* tuning,
                                                     onepass_vulkan_meter** meter, onepass_error* error);
ONEPASS_API void onepass_vulkan_meter_destroy(onepass_vulkan_meter* meter);
ONEPASS_API uint64_t onepass_vulkan_meter_scratch_bytes(const onepass_vulkan_meter* meter);
ONEPASS_API onepass_code onepass_vulkan_meter_bind(const onepass_vulkan_meter* meter,
                                                   const onepass_vulkan_meter_images* images,
                                                   onepass_vulkan_meter_binding** binding, onepass_error* error);
ONEPASS_API void onepass_vulkan_meter_binding_destroy(onepass_vulkan_meter_binding* binding);

/* The buffer of results, from the offset on. */
ONEPASS_API onepass_vulkan_buffer_range onepass_vulkan_meter_results(const onepass_vulkan_meter_binding* binding);
ONEPASS_API onepass_code onepass_vulkan_meter_record_reset(const onepass_vulkan_meter* meter, VkCommandBuffer commands,
                                                           const onepass_vulkan_meter_binding* binding);
ONEPASS_API onepass_code onepass_vulkan_meter_record(const onepass_vulkan_meter* meter, VkCommandBuffer commands,
                                                     const onepass_vulkan_meter_binding* binding,
                                                     const onepass_meter_frame* frame);

/* ---- Tone maps: onepass/vulkan/tone_map.hpp ---- */

/* Options of a tone map that never change a result. */
typedef struct onepass_vulkan_tone_map_tuning {
  size_t struct_size;
  uint32_t pixels;
  uint32_t workgroup_size;
} onepass_vulkan_tone_map_tuning;
ONEPASS_API void onepass_vulkan_tone_map_tuning_init(onepass_vulkan_tone_map_tuning* tuning, size_t struct_size);

/* What one binding of a tone map works on. */
typedef struct onepass_vulkan_tone_map_images {
  size_t struct_size;
  VkImage source;               /* Usage SAMPLED. */
  VkImage target;               /* Usage STORAGE, as for pyramids; in layout GENERAL. */
  VkBuffer exposure;            /* Usage STORAGE_BUFFER: factors as floats; null: 1. */
  VkDeviceSize exposure_offset; /* Of the first slice's: a multiple of 4. Of a onepass_meter_result: 4. */
  VkDeviceSize exposure_stride; /* To the next slice's, a multiple of 4; 0: all slices have the same. */
  VkImageLayout source_layout;  /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t source_level;
  uint32_t source_slice;
  uint32_t target_level;
  uint32_t target_slice;
  uint32_t reserved;
} onepass_vulkan_tone_map_images;
ONEPASS_API void onepass_vulkan_tone_map_images_init(onepass_vulkan_tone_map_images* images, size_t struct_size);

typedef struct onepass_vulkan_tone_map onepass_vulkan_tone_map;
typedef struct onepass_vulkan_tone_map_binding onepass_vulkan_tone_map_binding;
ONEPASS_API onepass_code onepass_vulkan_tone_map_create(const onepass_vulkan_device* device,
                                                        const onepass_tone_map_options* options,
                                                        const onepass_vulkan_tone_map_tuning* tuning,
                                                        onepass_vulkan_tone_map** map, onepass_error* error);
ONEPASS_API void onepass_vulkan_tone_map_destroy(onepass_vulkan_tone_map* map);
ONEPASS_API onepass_code onepass_vulkan_tone_map_bind(const onepass_vulkan_tone_map* map,
                                                      const onepass_vulkan_tone_map_images* images,
                                                      onepass_vulkan_tone_map_binding** binding, onepass_error* error);
ONEPASS_API void onepass_vulkan_tone_map_binding_destroy(onepass_vulkan_tone_map_binding* binding);

/* exposure: 1, or a factor of this frame. */
ONEPASS_API onepass_code onepass_vulkan_tone_map_record(const onepass_vulkan_tone_map* map, VkCommandBuffer commands,
                                                        const onepass_vulkan_tone_map_binding* binding, float exposure);

/* ---- Frames of video: onepass/vulkan/frame_tone_map.hpp ---- */

/* Options of a frame tone map that never change a result. */
typedef struct onepass_vulkan_frame_tone_map_tuning {
  size_t struct_size;
  uint32_t groups;
  uint32_t copies;
  onepass_switch subgroup;
  uint32_t reserved;
} onepass_vulkan_frame_tone_map_tuning;
ONEPASS_API void onepass_vulkan_frame_tone_map_tuning_init(onepass_vulkan_frame_tone_map_tuning* tuning,
                                                           size_t struct_size);

/* What one binding of a frame tone map works on: fields as in those of meters and tone maps. */
typedef struct onepass_vulkan_frame_tone_map_images {
  size_t struct_size;
  VkImage source;              /* Usage SAMPLED. */
  VkImage mask;                /* Metering by mask: usage SAMPLED. */
  VkImage target;              /* Usage STORAGE, another image than the source; in layout GENERAL. */
  VkBuffer results;            /* One onepass_meter_result a slice; null: bind allocates. */
  VkDeviceSize results_offset; /* A multiple of 256. */
  VkBuffer scratch;            /* scratch_bytes; null: bind allocates. */
  VkDeviceSize scratch_offset; /* A multiple of 256. */
  VkImageLayout source_layout; /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t source_level;
  uint32_t source_slice;
  VkImageLayout mask_layout; /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t mask_level;
  uint32_t mask_slice;
  uint32_t target_level;
  uint32_t target_slice;
} onepass_vulkan_frame_tone_map_images;
ONEPASS_API void onepass_vulkan_frame_tone_map_images_init(onepass_vulkan_frame_tone_map_images* images,
                                                           size_t struct_size);

typedef struct onepass_vulkan_frame_tone_map onepass_vulkan_frame_tone_map;
typedef struct onepass_vulkan_frame_tone_map_binding onepass_vulkan_frame_tone_map_binding;
ONEPASS_API onepass_code onepass_vulkan_frame_tone_map_create(
    const onepass_vulkan_device* device, const onepass_meter_options* meter, const onepass_tone_map_options* tone,
    const onepass_vulkan_frame_tone_map_tuning* tuning, onepass_vulkan_frame_tone_map** frames, onepass_error* error);
ONEPASS_API void onepass_vulkan_frame_tone_map_destroy(onepass_vulkan_frame_tone_map* frames);
ONEPASS_API uint64_t onepass_vulkan_frame_tone_map_scratch_bytes(const onepass_vulkan_frame_tone_map* frames);
ONEPASS_API onepass_code onepass_vulkan_frame_tone_map_bind(const onepass_vulkan_frame_tone_map* frames,
                                                            const onepass_vulkan_frame_tone_map_images* images,
                                                            onepass_vulkan_frame_tone_map_binding** binding,
                                                            onepass_error* error);
ONEPASS_API void onepass_vulkan_frame_tone_map_binding_destroy(onepass_vulkan_frame_tone_map_binding* binding);

/* The buffer of results, from the offset on. */
ONEPASS_API onepass_vulkan_buffer_range
onepass_vulkan_frame_tone_map_results(const onepass_vulkan_frame_tone_map_binding* binding);

/* Zeroes results and scratch memory, once; the first frame is mapped with exposure 1. */
ONEPASS_API onepass_code
onepass_vulkan_frame_tone_map_record_reset(const onepass_vulkan_frame_tone_map* frames, VkCommandBuffer commands,
                                           const onepass_vulkan_frame_tone_map_binding* binding);
ONEPASS_API onepass_code onepass_vulkan_frame_tone_map_record(const onepass_vulkan_frame_tone_map* frames,
                                                              VkCommandBuffer commands,
                                                              const onepass_vulkan_frame_tone_map_binding* binding,
                                                              const onepass_meter_frame* frame);

#ifdef __cplusplus
}
#endif

#endif
