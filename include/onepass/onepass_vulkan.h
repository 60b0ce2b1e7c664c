/* onepass_vulkan.h: onepass for C on a GPU, in your own command buffer. Read onepass.h first.
 *
 *     onepass_vulkan_device_handles handles;
 *     onepass_vulkan_device_handles_init(&handles, sizeof handles);
 *     handles.instance = instance, handles.physical_device = gpu, handles.device = device;
 *     handles.queue_family = family, handles.api_version = VK_API_VERSION_1_3;
 *     handles.shader_storage_image_write_without_format = VK_TRUE;
 *     onepass_vulkan_device* on = NULL;
 *     if (onepass_vulkan_device_adopt(&handles, &on, &error) != ONEPASS_OK) return fail(error.message);
 *     // onepass_vulkan_pyramid_create, onepass_vulkan_pyramid_bind
 *     onepass_vulkan_pyramid_record(pyramid, commands, binding);  // every frame
 *
 * Memory that a bind function allocates is ready for the first recording. On scratch memory and results of yours,
 * record the technique's reset function once before it, and a barrier.
 *
 * The C++ header of each technique, onepass/vulkan/pyramid.hpp and so on, and docs/integration.md describe its
 * barriers, image usages and layouts.
 *
 * Recording allocates nothing and does not wait, except that the first update compiles a pipeline unless prepare_update
 * was set. A record function returns ONEPASS_INVALID_ARGUMENT for a null handle, a binding of another object, a number
 * out of range or a kernel that was not set; ONEPASS_OUT_OF_MEMORY from that first update; otherwise ONEPASS_OK. An
 * update of an empty rectangle records nothing. Create, bind, set_kernel and finish functions return the errors of
 * their C++ counterparts.
 *
 * Lifetimes. The VkDevice outlives all objects made from it. A binding is destroyed after its commands have run, before
 * or after its technique; a technique before or after the onepass_vulkan_device.
 *
 * Threads. Create and bind from any thread; any number of record functions at once, with the same or different objects,
 * into distinct command buffers. No other call may use a handle during its set_kernel or its destroy function. */
#ifndef ONEPASS_ONEPASS_VULKAN_H
#define ONEPASS_ONEPASS_VULKAN_H

#include <vulkan/vulkan_core.h>

#include "onepass/onepass.h"
#include "onepass/vulkan_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The device: onepass/vulkan/device.hpp ---- */

/* Your device, Vulkan 1.2 or later, and the features that were enabled when it was created. */
typedef struct onepass_vulkan_device_handles {
  size_t struct_size;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* That of volk or your own. NULL: the system's loader. */
  VkInstance instance;
  VkPhysicalDevice physical_device;
  VkDevice device;
  VkPipelineCache pipeline_cache;                     /* Or VK_NULL_HANDLE. */
  uint32_t queue_family;                              /* Family of the queues for the commands; must support compute. */
  VkBool32 shader_storage_image_write_without_format; /* Required. */
  VkBool32 shader_storage_image_array_dynamic_indexing;
  VkBool32 compute_full_subgroups; /* For shuffles; without it, odd sizes in particular are slower. */
  VkBool32 sampler_filter_minmax;
  VkBool32 subgroup_size_control; /* With compute_full_subgroups: the library chooses the size of subgroups. */
  VkBool32 shader_storage_image_read_without_format; /* For ONEPASS_SOURCE_USAGE_STORAGE. */
  VkBool32 shader_subgroup_uniform_control_flow; /* Kernels with subgroup operations declare it: docs/devices.md. */
  VkBool32 shader_maximal_reconvergence;         /* The same; they declare it alone where both are true. */
  uint32_t api_version; /* VkApplicationInfo::apiVersion of the instance: 1.2 or higher. 0: not stated. */
  const VkAllocationCallbacks*
      allocation_callbacks; /* Or NULL; for all objects of the library. The struct is copied. */
  onepass_vulkan_memory_callbacks
      memory; /* Or null functions: each buffer and image has a VkDeviceMemory of its own. */
} onepass_vulkan_device_handles;
ONEPASS_API void onepass_vulkan_device_handles_init(onepass_vulkan_device_handles* handles, size_t struct_size);

/* A device on which techniques are created: onepass::vulkan::Device. */
typedef struct onepass_vulkan_device onepass_vulkan_device;

/* Uses your device; allocates nothing on it. Errors: ONEPASS_INVALID_ARGUMENT for null handles or a queue family
 * without compute or one of two memory callbacks, ONEPASS_UNSUPPORTED if a requirement is missing, ONEPASS_NOT_FOUND
 * without a loader, ONEPASS_DEVICE if Vulkan functions are missing. */
ONEPASS_API onepass_code onepass_vulkan_device_adopt(const onepass_vulkan_device_handles* handles,
                                                     onepass_vulkan_device** device, onepass_error* error);
ONEPASS_API void onepass_vulkan_device_destroy(onepass_vulkan_device* device);

/* Destroys the pipelines and tables that no technique of the device uses; returns their number. NULL: 0. */
ONEPASS_API size_t onepass_vulkan_device_trim(const onepass_vulkan_device* device);

/* Not 0 if the format can be a source. */
ONEPASS_API int onepass_vulkan_device_can_read(const onepass_vulkan_device* device, onepass_format format);

/* Not 0 if the format can be a target. */
ONEPASS_API int onepass_vulkan_device_can_write(const onepass_vulkan_device* device, onepass_format format);

/* ---- Pyramids: onepass/vulkan/pyramid.hpp ---- */

typedef uint32_t onepass_pyramid_path;
enum { ONEPASS_PYRAMID_PATH_AUTO = 0, ONEPASS_PYRAMID_PATH_SINGLE_DISPATCH = 1, ONEPASS_PYRAMID_PATH_PER_LEVEL = 2 };

typedef uint32_t onepass_switch;
enum { ONEPASS_SWITCH_AUTO = 0, ONEPASS_SWITCH_OFF = 1, ONEPASS_SWITCH_ON = 2 };

typedef uint32_t onepass_sampling;
enum { ONEPASS_SAMPLING_AUTO = 0, ONEPASS_SAMPLING_FETCH = 1, ONEPASS_SAMPLING_LINEAR = 2 };

/* How a source is read, which decides the usage that its image needs: SAMPLED, or STORAGE and layout GENERAL. */
typedef uint32_t onepass_source_usage;
enum { ONEPASS_SOURCE_USAGE_SAMPLED = 0, ONEPASS_SOURCE_USAGE_STORAGE = 1 };

/* Content of the scratch memory when an update is recorded. */
typedef uint32_t onepass_scratch;
enum { ONEPASS_SCRATCH_UNKNOWN = 0, ONEPASS_SCRATCH_FROM_LAST_BUILD = 1 };

/* Tuning: onepass::vulkan::PyramidTuning. As an argument, NULL means the defaults, which are 0. */
typedef struct onepass_vulkan_pyramid_tuning {
  size_t struct_size;
  onepass_pyramid_path path;
  onepass_switch subgroup;
  onepass_sampling sampling;
  uint32_t prepare_update; /* 0 or 1: creates the pipeline of updates now, not when the first update is recorded. */
  onepass_switch last_to_start; /* On: last-to-start mode, which needs forward progress of all started workgroups. */
  onepass_switch publish;       /* On: self-validating words, which need stores that become visible without barriers. */
  onepass_source_usage source_usage; /* Sampled. */
  onepass_switch second_dispatch;    /* Off: always one dispatch. On: the levels after the first few in a second one,
                                        wherever possible. */
} onepass_vulkan_pyramid_tuning;
ONEPASS_API void onepass_vulkan_pyramid_tuning_init(onepass_vulkan_pyramid_tuning* tuning, size_t struct_size);

/* Cost of a pyramid on its device. */
typedef struct onepass_vulkan_pyramid_plan {
  size_t struct_size;
  uint64_t scratch_bytes;
  uint64_t bytes_read;
  uint64_t bytes_written;
  uint32_t levels; /* Number of levels, including level 0. */
  uint32_t dispatches;
  onepass_pyramid_path path; /* Never auto. */
  uint32_t reserved;
} onepass_vulkan_pyramid_plan;

/* The images of one binding. Level 0 is read from source; level n is written to mip level target_level + n - 1 of
 * target. */
typedef struct onepass_vulkan_pyramid_images {
  size_t struct_size;
  VkImage source;   /* Usage SAMPLED, or as source_usage of the tuning. */
  VkImage target;   /* Usage STORAGE; for sRGB with flags MUTABLE_FORMAT and EXTENDED_USAGE. In layout GENERAL. */
  VkBuffer scratch; /* Usage STORAGE_BUFFER, TRANSFER_DST; scratch_bytes long. Null: bind allocates. */
  VkDeviceSize scratch_offset; /* In bytes; a multiple of 256. */
  VkImageLayout source_layout; /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t source_level;
  uint32_t source_slice;
  uint32_t target_level; /* 1 */
  uint32_t target_slice;
  uint32_t reserved;
} onepass_vulkan_pyramid_images;
ONEPASS_API void onepass_vulkan_pyramid_images_init(onepass_vulkan_pyramid_images* images, size_t struct_size);

/* Makes pyramids on a device: onepass::vulkan::Pyramid. */
typedef struct onepass_vulkan_pyramid onepass_vulkan_pyramid;

/* A pyramid bound to images and scratch memory; each frame in flight needs its own. */
typedef struct onepass_vulkan_pyramid_binding onepass_vulkan_pyramid_binding;

/* Validates the options and compiles the pipelines. */
ONEPASS_API onepass_code onepass_vulkan_pyramid_create(const onepass_vulkan_device* device,
                                                       const onepass_pyramid_options* options,
                                                       const onepass_vulkan_pyramid_tuning* tuning,
                                                       onepass_vulkan_pyramid** pyramid, onepass_error* error);
ONEPASS_API void onepass_vulkan_pyramid_destroy(onepass_vulkan_pyramid* pyramid);

/* The cost of a pyramid. */
ONEPASS_API onepass_code onepass_vulkan_pyramid_get_plan(const onepass_vulkan_pyramid* pyramid,
                                                         onepass_vulkan_pyramid_plan* plan, onepass_error* error);

/* Creates views, descriptors and, if it is null in images, scratch memory. */
ONEPASS_API onepass_code onepass_vulkan_pyramid_bind(const onepass_vulkan_pyramid* pyramid,
                                                     const onepass_vulkan_pyramid_images* images,
                                                     onepass_vulkan_pyramid_binding** binding, onepass_error* error);
ONEPASS_API void onepass_vulkan_pyramid_binding_destroy(onepass_vulkan_pyramid_binding* binding);

/* Records the clearing of the scratch memory, a transfer: once before the first use of memory of yours, and after other
 * uses of the memory. Without it, or if two recordings of a binding overlap, levels are unspecified until the next
 * reset; dispatches end, and write to the levels and the scratch memory only. */
ONEPASS_API onepass_code onepass_vulkan_pyramid_record_reset(const onepass_vulkan_pyramid* pyramid,
                                                             VkCommandBuffer commands,
                                                             const onepass_vulkan_pyramid_binding* binding);

/* Records the making of levels 1 and up of every slice. */
ONEPASS_API onepass_code onepass_vulkan_pyramid_record(const onepass_vulkan_pyramid* pyramid, VkCommandBuffer commands,
                                                       const onepass_vulkan_pyramid_binding* binding);

/* Records an update of the texels that a change inside a rectangle of the base can affect. */
ONEPASS_API onepass_code onepass_vulkan_pyramid_record_update(const onepass_vulkan_pyramid* pyramid,
                                                              VkCommandBuffer commands,
                                                              const onepass_vulkan_pyramid_binding* binding,
                                                              onepass_rect changed, onepass_scratch scratch);

/* ---- Tile reductions: onepass/vulkan/tile_reduction.hpp ---- */

typedef uint32_t onepass_tile_strategy;
enum {
  ONEPASS_TILE_STRATEGY_AUTO = 0,
  /* 1, atomic in earlier versions, is ONEPASS_UNSUPPORTED. */
  ONEPASS_TILE_STRATEGY_TREE = 2,
  ONEPASS_TILE_STRATEGY_SUBGROUP = 3
};

/* Tuning: onepass::vulkan::TileReductionTuning. As an argument, NULL means the defaults, which are 0. */
typedef struct onepass_vulkan_tile_reduction_tuning {
  size_t struct_size;
  onepass_tile_strategy strategy;
  uint32_t gathers;
  uint32_t workgroup_size;
  onepass_source_usage source_usage; /* Sampled. */
} onepass_vulkan_tile_reduction_tuning;
ONEPASS_API void onepass_vulkan_tile_reduction_tuning_init(onepass_vulkan_tile_reduction_tuning* tuning,
                                                           size_t struct_size);

/* The images of one binding. */
typedef struct onepass_vulkan_tile_reduction_images {
  size_t struct_size;
  VkImage source;              /* Usage SAMPLED, or as source_usage of the tuning. */
  VkImage target;              /* Usage STORAGE; sRGB as for pyramids. In layout GENERAL. */
  VkImageLayout source_layout; /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t source_level;
  uint32_t source_slice;
  uint32_t target_level;
  uint32_t target_slice;
  uint32_t reserved;
} onepass_vulkan_tile_reduction_images;
ONEPASS_API void onepass_vulkan_tile_reduction_images_init(onepass_vulkan_tile_reduction_images* images,
                                                           size_t struct_size);

/* Makes tile reductions on a device: onepass::vulkan::TileReduction. */
typedef struct onepass_vulkan_tile_reduction onepass_vulkan_tile_reduction;

/* A tile reduction bound to images. */
typedef struct onepass_vulkan_tile_reduction_binding onepass_vulkan_tile_reduction_binding;

/* Validates the options and compiles the pipeline. */
ONEPASS_API onepass_code onepass_vulkan_tile_reduction_create(const onepass_vulkan_device* device,
                                                              const onepass_tile_reduction_options* options,
                                                              const onepass_vulkan_tile_reduction_tuning* tuning,
                                                              onepass_vulkan_tile_reduction** tiles,
                                                              onepass_error* error);
ONEPASS_API void onepass_vulkan_tile_reduction_destroy(onepass_vulkan_tile_reduction* tiles);

/* Creates views and descriptors. */
ONEPASS_API onepass_code onepass_vulkan_tile_reduction_bind(const onepass_vulkan_tile_reduction* tiles,
                                                            const onepass_vulkan_tile_reduction_images* images,
                                                            onepass_vulkan_tile_reduction_binding** binding,
                                                            onepass_error* error);
ONEPASS_API void onepass_vulkan_tile_reduction_binding_destroy(onepass_vulkan_tile_reduction_binding* binding);

/* Records the reduction of every slice: one dispatch, no barriers. */
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

/* Source of the twiddle factors. */
typedef uint32_t onepass_twiddles;
enum { ONEPASS_TWIDDLES_TABLE = 0, ONEPASS_TWIDDLES_COMPUTED = 1 };

/* Storage of a transform's image. */
typedef uint32_t onepass_side_kind;
enum { ONEPASS_SIDE_IMAGE = 0, ONEPASS_SIDE_BUFFER = 1 };

/* Tuning of transforms and of the operations based on them: onepass::vulkan::TransformTuning. As an argument, NULL
 * means the defaults. */
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

/* The use for which a transform is created. As an argument, NULL means the defaults: images, both directions. */
typedef struct onepass_vulkan_transform_sides {
  size_t struct_size;
  onepass_side_kind source;
  onepass_side_kind target;
  uint32_t forward; /* 1: creates the pipelines of record_forward. */
  uint32_t inverse; /* 1: creates the pipelines of record_inverse. */
} onepass_vulkan_transform_sides;
ONEPASS_API void onepass_vulkan_transform_sides_init(onepass_vulkan_transform_sides* sides, size_t struct_size);

/* Rows of texels in an image or a buffer, according to the sides. Zero-initialise it. */
typedef struct onepass_vulkan_side {
  VkImage image;       /* Source: usage SAMPLED. Target: usage STORAGE, sRGB as for pyramids, in layout GENERAL. */
  VkBuffer buffer;     /* Usage STORAGE_BUFFER. */
  VkDeviceSize offset; /* In bytes; a multiple of 256. */
  uint32_t level;
  uint32_t slice;
  VkImageLayout layout;  /* Layout of a source; 0 (UNDEFINED): SHADER_READ_ONLY_OPTIMAL. */
  uint32_t row_stride;   /* Texels from one row of a buffer to the next; 0: the width read or written. */
  uint32_t slice_stride; /* Texels from one slice to the next; 0: no gap. */
  uint32_t reserved;
} onepass_vulkan_side;

/* A range of a buffer. */
typedef struct onepass_vulkan_buffer_range {
  VkBuffer buffer;     /* Usage STORAGE_BUFFER. */
  VkDeviceSize offset; /* In bytes; a multiple of 256. */
} onepass_vulkan_buffer_range;

/* The memory of one binding. */
typedef struct onepass_vulkan_transform_resources {
  size_t struct_size;
  onepass_vulkan_side source;           /* Not needed without forward. */
  onepass_vulkan_buffer_range spectrum; /* Size: spectrum_bytes of the plan. */
  onepass_vulkan_side target;           /* Not needed without inverse. */
  onepass_vulkan_buffer_range scratch;  /* Size: scratch_bytes. Null buffer: bind allocates. */
} onepass_vulkan_transform_resources;
ONEPASS_API void onepass_vulkan_transform_resources_init(onepass_vulkan_transform_resources* resources,
                                                         size_t struct_size);

/* Transforms on a device: onepass::vulkan::Transform. */
typedef struct onepass_vulkan_transform onepass_vulkan_transform;

/* A transform bound to memory. */
typedef struct onepass_vulkan_transform_binding onepass_vulkan_transform_binding;

/* Validates the options, compiles the pipelines and computes the tables. */
ONEPASS_API onepass_code onepass_vulkan_transform_create(const onepass_vulkan_device* device,
                                                         const onepass_transform_options* options,
                                                         const onepass_vulkan_transform_sides* sides,
                                                         const onepass_vulkan_transform_tuning* tuning,
                                                         onepass_vulkan_transform** transform, onepass_error* error);
ONEPASS_API void onepass_vulkan_transform_destroy(onepass_vulkan_transform* transform);

/* Bytes of scratch memory per binding. 0 for NULL. */
ONEPASS_API uint64_t onepass_vulkan_transform_scratch_bytes(const onepass_vulkan_transform* transform);

/* Creates views and descriptors. */
ONEPASS_API onepass_code onepass_vulkan_transform_bind(const onepass_vulkan_transform* transform,
                                                       const onepass_vulkan_transform_resources* resources,
                                                       onepass_vulkan_transform_binding** binding,
                                                       onepass_error* error);
ONEPASS_API void onepass_vulkan_transform_binding_destroy(onepass_vulkan_transform_binding* binding);

/* Records source to spectrum. ONEPASS_INVALID_ARGUMENT if the transform was created without forward. */
ONEPASS_API onepass_code onepass_vulkan_transform_record_forward(const onepass_vulkan_transform* transform,
                                                                 VkCommandBuffer commands,
                                                                 const onepass_vulkan_transform_binding* binding);

/* Records spectrum to target. ONEPASS_INVALID_ARGUMENT if the transform was created without inverse. */
ONEPASS_API onepass_code onepass_vulkan_transform_record_inverse(const onepass_vulkan_transform* transform,
                                                                 VkCommandBuffer commands,
                                                                 const onepass_vulkan_transform_binding* binding);

/* ---- Convolutions, filters, deconvolutions: onepass/vulkan/fourier_*.hpp ---- */

/* The images of one binding; buffers and strides of the sides are not used. */
typedef struct onepass_vulkan_operation_images {
  size_t struct_size;
  onepass_vulkan_side source;
  onepass_vulkan_side target;
  onepass_vulkan_buffer_range
      scratch;       /* Size: scratch_bytes. Null buffer: bind allocates. Mip bloom: and TRANSFER_DST. */
  VkImage mip_chain; /* Bloom by a mip chain only: as onepass_vulkan_bloom_mip_chain_info says. Null: bind makes one. */
} onepass_vulkan_operation_images;
ONEPASS_API void onepass_vulkan_operation_images_init(onepass_vulkan_operation_images* images, size_t struct_size);

/* A convolver, a filter, a deconvolver or a bloom bound to images. */
typedef struct onepass_vulkan_operation_binding onepass_vulkan_operation_binding;
ONEPASS_API void onepass_vulkan_operation_binding_destroy(onepass_vulkan_operation_binding* binding);

/* Convolves on a device: onepass::vulkan::Convolver. */
typedef struct onepass_vulkan_convolver onepass_vulkan_convolver;

/* Validates the options, compiles the pipelines, computes tables and allocates memory for the kernel. */
ONEPASS_API onepass_code onepass_vulkan_convolver_create(const onepass_vulkan_device* device,
                                                         const onepass_convolution_options* options,
                                                         const onepass_vulkan_transform_tuning* tuning,
                                                         onepass_vulkan_convolver** convolver, onepass_error* error);
ONEPASS_API void onepass_vulkan_convolver_destroy(onepass_vulkan_convolver* convolver);

/* Bytes of scratch memory per binding. 0 for NULL. */
ONEPASS_API uint64_t onepass_vulkan_convolver_scratch_bytes(const onepass_vulkan_convolver* convolver);

/* Copies a kernel's weights to memory that the commands of record_kernel read; do not call it while the device executes
 * them. Recording without a kernel is refused. */
ONEPASS_API onepass_code onepass_vulkan_convolver_set_kernel(onepass_vulkan_convolver* convolver,
                                                             const onepass_image_view* kernel, onepass_error* error);

/* Records the computation of the kernel's spectrum: once for each kernel, before record. */
ONEPASS_API onepass_code onepass_vulkan_convolver_record_kernel(const onepass_vulkan_convolver* convolver,
                                                                VkCommandBuffer commands);

/* Creates views and descriptors. */
ONEPASS_API onepass_code onepass_vulkan_convolver_bind(const onepass_vulkan_convolver* convolver,
                                                       const onepass_vulkan_operation_images* images,
                                                       onepass_vulkan_operation_binding** binding,
                                                       onepass_error* error);

/* Records the convolution from source to target. */
ONEPASS_API onepass_code onepass_vulkan_convolver_record(const onepass_vulkan_convolver* convolver,
                                                         VkCommandBuffer commands,
                                                         const onepass_vulkan_operation_binding* binding);

/* Filters on a device: onepass::vulkan::Filter. */
typedef struct onepass_vulkan_filter onepass_vulkan_filter;

/* Validates the options, compiles the pipelines and computes the tables. */
ONEPASS_API onepass_code onepass_vulkan_filter_create(const onepass_vulkan_device* device,
                                                      const onepass_filter_options* options,
                                                      const onepass_vulkan_transform_tuning* tuning,
                                                      onepass_vulkan_filter** filter, onepass_error* error);
ONEPASS_API void onepass_vulkan_filter_destroy(onepass_vulkan_filter* filter);

/* Bytes of scratch memory per binding. 0 for NULL. */
ONEPASS_API uint64_t onepass_vulkan_filter_scratch_bytes(const onepass_vulkan_filter* filter);

/* Creates views and descriptors. */
ONEPASS_API onepass_code onepass_vulkan_filter_bind(const onepass_vulkan_filter* filter,
                                                    const onepass_vulkan_operation_images* images,
                                                    onepass_vulkan_operation_binding** binding, onepass_error* error);

/* Records the filter from source to target. */
ONEPASS_API onepass_code onepass_vulkan_filter_record(const onepass_vulkan_filter* filter, VkCommandBuffer commands,
                                                      const onepass_vulkan_operation_binding* binding);

/* Deconvolves on a device: onepass::vulkan::Deconvolver. */
typedef struct onepass_vulkan_deconvolver onepass_vulkan_deconvolver;

/* Validates the options, compiles the pipelines, computes tables and allocates memory for the kernel. */
ONEPASS_API onepass_code onepass_vulkan_deconvolver_create(const onepass_vulkan_device* device,
                                                           const onepass_deconvolution_options* options,
                                                           const onepass_vulkan_transform_tuning* tuning,
                                                           onepass_vulkan_deconvolver** deconvolver,
                                                           onepass_error* error);
ONEPASS_API void onepass_vulkan_deconvolver_destroy(onepass_vulkan_deconvolver* deconvolver);

/* Bytes of scratch memory per binding. 0 for NULL. */
ONEPASS_API uint64_t onepass_vulkan_deconvolver_scratch_bytes(const onepass_vulkan_deconvolver* deconvolver);

/* Copies the blur's weights to memory that the recorded commands read; do not call it while the device executes
 * recordings of this object. Recording without a kernel is refused. */
ONEPASS_API onepass_code onepass_vulkan_deconvolver_set_kernel(onepass_vulkan_deconvolver* deconvolver,
                                                               const onepass_image_view* kernel, onepass_error* error);

/* Records the computation of the kernel's spectrum: once for each kernel, before record. */
ONEPASS_API onepass_code onepass_vulkan_deconvolver_record_kernel(const onepass_vulkan_deconvolver* deconvolver,
                                                                  VkCommandBuffer commands);

/* Creates views and descriptors. Source and target have the size of the options. */
ONEPASS_API onepass_code onepass_vulkan_deconvolver_bind(const onepass_vulkan_deconvolver* deconvolver,
                                                         const onepass_vulkan_operation_images* images,
                                                         onepass_vulkan_operation_binding** binding,
                                                         onepass_error* error);

/* Records the deconvolution from source to target. */
ONEPASS_API onepass_code onepass_vulkan_deconvolver_record(const onepass_vulkan_deconvolver* deconvolver,
                                                           VkCommandBuffer commands,
                                                           const onepass_vulkan_operation_binding* binding);

/* ---- Bloom: onepass/vulkan/bloom.hpp ---- */

/* Adds bloom on a device: onepass::vulkan::Bloom. Its bindings are those of convolvers. */
typedef struct onepass_vulkan_bloom onepass_vulkan_bloom;

/* Validates the options, compiles the pipelines, computes tables and sets the built-in kernel, if the options name no
 * other. */
ONEPASS_API onepass_code onepass_vulkan_bloom_create(const onepass_vulkan_device* device,
                                                     const onepass_bloom_options* options,
                                                     const onepass_vulkan_transform_tuning* tuning,
                                                     onepass_vulkan_bloom** bloom, onepass_error* error);
ONEPASS_API void onepass_vulkan_bloom_destroy(onepass_vulkan_bloom* bloom);

/* Bytes of scratch memory per binding. 0 for NULL. */
ONEPASS_API uint64_t onepass_vulkan_bloom_scratch_bytes(const onepass_vulkan_bloom* bloom);

/* Sets *info to what onepass_vulkan_operation_images.mip_chain must be; other usages may be added.
 * ONEPASS_INVALID_ARGUMENT for NULL and for bloom without a mip chain. */
ONEPASS_API onepass_code onepass_vulkan_bloom_mip_chain_info(const onepass_vulkan_bloom* bloom,
                                                             VkImageCreateInfo* info);

/* Rescales a kernel image and copies it to memory that the commands of record_kernel read; do not call it while the
 * device executes them. If the options name a kernel image, recording without one is refused. */
ONEPASS_API onepass_code onepass_vulkan_bloom_set_kernel(onepass_vulkan_bloom* bloom, const onepass_image_view* kernel,
                                                         onepass_error* error);

/* Records the computation of the kernel's spectrum: once for each kernel, also the built-in one, before record. */
ONEPASS_API onepass_code onepass_vulkan_bloom_record_kernel(const onepass_vulkan_bloom* bloom,
                                                            VkCommandBuffer commands);

/* Creates views and descriptors. */
ONEPASS_API onepass_code onepass_vulkan_bloom_bind(const onepass_vulkan_bloom* bloom,
                                                   const onepass_vulkan_operation_images* images,
                                                   onepass_vulkan_operation_binding** binding, onepass_error* error);

/* Records the bloom from source to target. */
ONEPASS_API onepass_code onepass_vulkan_bloom_record(const onepass_vulkan_bloom* bloom, VkCommandBuffer commands,
                                                     const onepass_vulkan_operation_binding* binding);

/* ---- Correlations: onepass/vulkan/fourier_correlation.hpp ---- */

/* Cost and buffer sizes of a correlation on its device. */
typedef struct onepass_vulkan_correlation_plan {
  size_t struct_size;
  uint64_t scratch_bytes;
  uint64_t result_bytes;  /* Bytes that onepass_vulkan_correlator_finish reads. */
  uint64_t surface_bytes; /* The correlation for all shifts: floats, rows without gaps. */
  uint32_t dispatches;
  uint32_t reserved;
} onepass_vulkan_correlation_plan;

/* The images and buffers of one binding. */
typedef struct onepass_vulkan_correlation_resources {
  size_t struct_size;
  onepass_vulkan_side first; /* Images; buffers and strides of the sides are not used. */
  onepass_vulkan_side second;
  onepass_vulkan_buffer_range result;  /* Size: result_bytes. */
  onepass_vulkan_buffer_range surface; /* Size: surface_bytes, or null. Float (x, y): shift (x, y), modulo the size. */
  onepass_vulkan_buffer_range scratch; /* Size: scratch_bytes. Null buffer: bind allocates. */
} onepass_vulkan_correlation_resources;
ONEPASS_API void onepass_vulkan_correlation_resources_init(onepass_vulkan_correlation_resources* resources,
                                                           size_t struct_size);

/* Correlates on a device: onepass::vulkan::Correlator. */
typedef struct onepass_vulkan_correlator onepass_vulkan_correlator;

/* A correlation bound to memory. */
typedef struct onepass_vulkan_correlation_binding onepass_vulkan_correlation_binding;

/* Validates the options, compiles the pipelines and computes the tables. */
ONEPASS_API onepass_code onepass_vulkan_correlator_create(const onepass_vulkan_device* device,
                                                          const onepass_correlation_options* options,
                                                          const onepass_vulkan_transform_tuning* tuning,
                                                          onepass_vulkan_correlator** correlator, onepass_error* error);
ONEPASS_API void onepass_vulkan_correlator_destroy(onepass_vulkan_correlator* correlator);

/* The cost and buffer sizes of a correlation. */
ONEPASS_API onepass_code onepass_vulkan_correlator_get_plan(const onepass_vulkan_correlator* correlator,
                                                            onepass_vulkan_correlation_plan* plan,
                                                            onepass_error* error);

/* Creates views and descriptors. */
ONEPASS_API onepass_code onepass_vulkan_correlator_bind(const onepass_vulkan_correlator* correlator,
                                                        const onepass_vulkan_correlation_resources* resources,
                                                        onepass_vulkan_correlation_binding** binding,
                                                        onepass_error* error);
ONEPASS_API void onepass_vulkan_correlation_binding_destroy(onepass_vulkan_correlation_binding* binding);

/* Records the correlation from images to result and surface. */
ONEPASS_API onepass_code onepass_vulkan_correlator_record(const onepass_vulkan_correlator* correlator,
                                                          VkCommandBuffer commands,
                                                          const onepass_vulkan_correlation_binding* binding);

/* The shift in the bytes of a result that you have read back. ONEPASS_BAD_DATA for a texel that is NaN or beyond
 * +-1e18. */
ONEPASS_API onepass_code onepass_vulkan_correlator_finish(const onepass_vulkan_correlator* correlator,
                                                          const void* result, size_t result_bytes, onepass_shift* shift,
                                                          onepass_error* error);

/* ---- Meters: onepass/vulkan/luminance.hpp ---- */

/* Tuning: onepass::vulkan::MeterTuning. As an argument, NULL means the defaults, which are 0. */
typedef struct onepass_vulkan_meter_tuning {
  size_t struct_size;
  uint32_t two_pass; /* 0 or 1. */
  uint32_t groups;
  uint32_t copies;
  onepass_switch subgroup;
  onepass_switch divergent_barriers; /* Off: as two_pass. */
  uint32_t reserved;                 /* 0 */
} onepass_vulkan_meter_tuning;
ONEPASS_API void onepass_vulkan_meter_tuning_init(onepass_vulkan_meter_tuning* tuning, size_t struct_size);

/* The images and buffers of one binding. */
typedef struct onepass_vulkan_meter_images {
  size_t struct_size;
  VkImage source;   /* Usage SAMPLED. */
  VkImage mask;     /* Metering by mask: usage SAMPLED. */
  VkBuffer results; /* Usage STORAGE_BUFFER, TRANSFER_DST: one onepass_meter_result per slice. Null: bind allocates. */
  VkDeviceSize results_offset; /* In bytes; a multiple of 256. */
  VkBuffer scratch;            /* Usage STORAGE_BUFFER, TRANSFER_DST: scratch_bytes. Null: bind allocates. */
  VkDeviceSize scratch_offset; /* In bytes; a multiple of 256. */
  VkImageLayout source_layout; /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t source_level;
  uint32_t source_slice;
  VkImageLayout mask_layout; /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t mask_level;
  uint32_t mask_slice;
} onepass_vulkan_meter_images;
ONEPASS_API void onepass_vulkan_meter_images_init(onepass_vulkan_meter_images* images, size_t struct_size);

/* Meters images on a device: onepass::vulkan::Meter. */
typedef struct onepass_vulkan_meter onepass_vulkan_meter;

/* A meter bound to images and buffers. */
typedef struct onepass_vulkan_meter_binding onepass_vulkan_meter_binding;

/* Validates the options and compiles the pipelines. */
ONEPASS_API onepass_code onepass_vulkan_meter_create(const onepass_vulkan_device* device,
                                                     const onepass_meter_options* options,
                                                     const onepass_vulkan_meter_tuning* tuning,
                                                     onepass_vulkan_meter** meter, onepass_error* error);
ONEPASS_API void onepass_vulkan_meter_destroy(onepass_vulkan_meter* meter);

/* Bytes of scratch memory per binding. 0 for NULL. */
ONEPASS_API uint64_t onepass_vulkan_meter_scratch_bytes(const onepass_vulkan_meter* meter);

/* Creates views, descriptors and the buffers that are null in images. */
ONEPASS_API onepass_code onepass_vulkan_meter_bind(const onepass_vulkan_meter* meter,
                                                   const onepass_vulkan_meter_images* images,
                                                   onepass_vulkan_meter_binding** binding, onepass_error* error);
ONEPASS_API void onepass_vulkan_meter_binding_destroy(onepass_vulkan_meter_binding* binding);

/* The buffer of results, and the offset at which they begin. A null buffer for NULL. */
ONEPASS_API onepass_vulkan_buffer_range onepass_vulkan_meter_results(const onepass_vulkan_meter_binding* binding);

/* Records the clearing of results and scratch memory to zero: once before the first use of memory of yours, and to
 * forget the history. Memory that bind allocates is zero. */
ONEPASS_API onepass_code onepass_vulkan_meter_record_reset(const onepass_vulkan_meter* meter, VkCommandBuffer commands,
                                                           const onepass_vulkan_meter_binding* binding);

/* Records the clearing of scratch memory alone: the results keep the history, as after a resize. */
ONEPASS_API onepass_code onepass_vulkan_meter_record_reset_scratch(const onepass_vulkan_meter* meter,
                                                                   VkCommandBuffer commands,
                                                                   const onepass_vulkan_meter_binding* binding);

/* Records the metering of every slice. frame: NULL means {0, 0}; ONEPASS_INVALID_ARGUMENT for seconds outside 0 to
 * 1e9. */
ONEPASS_API onepass_code onepass_vulkan_meter_record(const onepass_vulkan_meter* meter, VkCommandBuffer commands,
                                                     const onepass_vulkan_meter_binding* binding,
                                                     const onepass_meter_frame* frame);

/* ---- Tone maps: onepass/vulkan/tone_map.hpp ---- */

/* Tuning: onepass::vulkan::ToneMapTuning. As an argument, NULL means the defaults, which are 0. */
typedef struct onepass_vulkan_tone_map_tuning {
  size_t struct_size;
  uint32_t pixels;
  uint32_t workgroup_size;
  onepass_switch divergent_barriers; /* Off: refuses local exposure. */
  uint32_t reserved;                 /* 0 */
} onepass_vulkan_tone_map_tuning;
ONEPASS_API void onepass_vulkan_tone_map_tuning_init(onepass_vulkan_tone_map_tuning* tuning, size_t struct_size);

/* The images and the exposure buffer of one binding. */
typedef struct onepass_vulkan_tone_map_images {
  size_t struct_size;
  VkImage source;               /* Usage SAMPLED. */
  VkImage target;               /* Usage STORAGE; sRGB as for pyramids. In layout GENERAL. */
  VkBuffer exposure;            /* Usage STORAGE_BUFFER: exposure factors as floats. Null: 1. */
  VkDeviceSize exposure_offset; /* Bytes to the first slice's factor, a multiple of 4; 4 in a onepass_meter_result. */
  VkDeviceSize exposure_stride; /* Bytes to the next slice's factor, a multiple of 4; 0: one factor for all. */
  VkImageLayout source_layout;  /* SHADER_READ_ONLY_OPTIMAL. */
  uint32_t source_level;
  uint32_t source_slice;
  uint32_t target_level;
  uint32_t target_slice;
  uint32_t reserved;
  VkBuffer scratch; /* Local exposure only. Usage STORAGE_BUFFER, TRANSFER_DST: scratch_bytes. Null: bind allocates. */
  VkDeviceSize scratch_offset; /* A multiple of 256. */
} onepass_vulkan_tone_map_images;
ONEPASS_API void onepass_vulkan_tone_map_images_init(onepass_vulkan_tone_map_images* images, size_t struct_size);

/* Maps images on a device: onepass::vulkan::ToneMap. */
typedef struct onepass_vulkan_tone_map onepass_vulkan_tone_map;

/* A tone map bound to images. */
typedef struct onepass_vulkan_tone_map_binding onepass_vulkan_tone_map_binding;

/* Validates the options, fits the curves and compiles the pipeline. */
ONEPASS_API onepass_code onepass_vulkan_tone_map_create(const onepass_vulkan_device* device,
                                                        const onepass_tone_map_options* options,
                                                        const onepass_vulkan_tone_map_tuning* tuning,
                                                        onepass_vulkan_tone_map** map, onepass_error* error);
ONEPASS_API void onepass_vulkan_tone_map_destroy(onepass_vulkan_tone_map* map);

/* Bytes of scratch memory per binding: 0 without local exposure, and for NULL. */
ONEPASS_API uint64_t onepass_vulkan_tone_map_scratch_bytes(const onepass_vulkan_tone_map* map);

/* Creates views and descriptors. */
ONEPASS_API onepass_code onepass_vulkan_tone_map_bind(const onepass_vulkan_tone_map* map,
                                                      const onepass_vulkan_tone_map_images* images,
                                                      onepass_vulkan_tone_map_binding** binding, onepass_error* error);
ONEPASS_API void onepass_vulkan_tone_map_binding_destroy(onepass_vulkan_tone_map_binding* binding);

/* Records the clearing of your scratch memory: once before its first use. Nothing without local exposure. */
ONEPASS_API onepass_code onepass_vulkan_tone_map_record_reset(const onepass_vulkan_tone_map* map,
                                                              VkCommandBuffer commands,
                                                              const onepass_vulkan_tone_map_binding* binding);

/* Records the mapping of every slice. exposure is multiplied by that of the options and by the factor in the buffer; a
 * value that is not finite or not above 0 counts as 1. */
ONEPASS_API onepass_code onepass_vulkan_tone_map_record(const onepass_vulkan_tone_map* map, VkCommandBuffer commands,
                                                        const onepass_vulkan_tone_map_binding* binding, float exposure);

/* ---- Frames of video: onepass/vulkan/frame_tone_map.hpp ---- */

/* Tuning: onepass::vulkan::FrameToneMapTuning. As an argument, NULL means the defaults, which are 0. */
typedef struct onepass_vulkan_frame_tone_map_tuning {
  size_t struct_size;
  uint32_t groups;
  uint32_t copies;
  onepass_switch subgroup;
  onepass_switch divergent_barriers; /* Off: refuses. */
} onepass_vulkan_frame_tone_map_tuning;
ONEPASS_API void onepass_vulkan_frame_tone_map_tuning_init(onepass_vulkan_frame_tone_map_tuning* tuning,
                                                           size_t struct_size);

/* The images and buffers of one binding; fields as for meters and tone maps. */
typedef struct onepass_vulkan_frame_tone_map_images {
  size_t struct_size;
  VkImage source;              /* Usage SAMPLED. */
  VkImage mask;                /* Metering by mask: usage SAMPLED. */
  VkImage target;              /* Usage STORAGE, not the source image; in layout GENERAL. */
  VkBuffer results;            /* One onepass_meter_result per slice. Null: bind allocates. */
  VkDeviceSize results_offset; /* In bytes; a multiple of 256. */
  VkBuffer scratch;            /* Size: scratch_bytes. Null: bind allocates. */
  VkDeviceSize scratch_offset; /* In bytes; a multiple of 256. */
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

/* Meters and maps frames on a device: onepass::vulkan::FrameToneMap. */
typedef struct onepass_vulkan_frame_tone_map onepass_vulkan_frame_tone_map;

/* A frame tone map bound to images and buffers. */
typedef struct onepass_vulkan_frame_tone_map_binding onepass_vulkan_frame_tone_map_binding;

/* Validates the options, fits the curves and compiles the pipeline. */
ONEPASS_API onepass_code onepass_vulkan_frame_tone_map_create(
    const onepass_vulkan_device* device, const onepass_meter_options* meter, const onepass_tone_map_options* tone,
    const onepass_vulkan_frame_tone_map_tuning* tuning, onepass_vulkan_frame_tone_map** frames, onepass_error* error);
ONEPASS_API void onepass_vulkan_frame_tone_map_destroy(onepass_vulkan_frame_tone_map* frames);

/* Bytes of scratch memory per binding. 0 for NULL. */
ONEPASS_API uint64_t onepass_vulkan_frame_tone_map_scratch_bytes(const onepass_vulkan_frame_tone_map* frames);

/* Creates views, descriptors and the buffers that are null in images. */
ONEPASS_API onepass_code onepass_vulkan_frame_tone_map_bind(const onepass_vulkan_frame_tone_map* frames,
                                                            const onepass_vulkan_frame_tone_map_images* images,
                                                            onepass_vulkan_frame_tone_map_binding** binding,
                                                            onepass_error* error);
ONEPASS_API void onepass_vulkan_frame_tone_map_binding_destroy(onepass_vulkan_frame_tone_map_binding* binding);

/* The buffer of results, and the offset at which they begin. A null buffer for NULL. */
ONEPASS_API onepass_vulkan_buffer_range
onepass_vulkan_frame_tone_map_results(const onepass_vulkan_frame_tone_map_binding* binding);

/* Records the clearing of results and scratch memory to zero: once before the first use of memory of yours, and to
 * forget the history. Memory that bind allocates is zero. The next frame is mapped with exposure 1. */
ONEPASS_API onepass_code
onepass_vulkan_frame_tone_map_record_reset(const onepass_vulkan_frame_tone_map* frames, VkCommandBuffer commands,
                                           const onepass_vulkan_frame_tone_map_binding* binding);

/* Records the clearing of scratch memory alone: the results keep the history, as after a resize. */
ONEPASS_API onepass_code
onepass_vulkan_frame_tone_map_record_reset_scratch(const onepass_vulkan_frame_tone_map* frames,
                                                   VkCommandBuffer commands,
                                                   const onepass_vulkan_frame_tone_map_binding* binding);

/* Records one dispatch that maps every slice with the exposure in its result and meters it into its result. frame: as
 * for onepass_vulkan_meter_record. */
ONEPASS_API onepass_code onepass_vulkan_frame_tone_map_record(const onepass_vulkan_frame_tone_map* frames,
                                                              VkCommandBuffer commands,
                                                              const onepass_vulkan_frame_tone_map_binding* binding,
                                                              const onepass_meter_frame* frame);

#ifdef __cplusplus
}
#endif

#endif
