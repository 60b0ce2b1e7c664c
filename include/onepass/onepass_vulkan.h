/* onepass_vulkan.h: onepass for C on a GPU, in your own command buffer. Read onepass.h first. onepass_vulkan_host.h,
 * which this header includes, has calls for images in host memory.
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
 * record the technique's reset function once before it, and a barrier; reflections take scratch memory of any content.
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
#include "onepass/onepass_vulkan_host.h"
#include "onepass/onepass_vulkan_types.h"
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
  VkBool32 shader_subgroup_uniform_control_flow;     /* Kernels with subgroup operations declare it: docs/devices.md. */
  VkBool32 shader_maximal_reconvergence;             /* The same; they declare it alone where both are true. */
  uint32_t api_version; /* VkApplicationInfo::apiVersion of the instance: 1.2 or higher. 0: not stated. */
  const VkAllocationCallbacks*
      allocation_callbacks; /* Or NULL; for all objects of the library. The struct is copied. */
  onepass_vulkan_memory_callbacks
      memory;          /* Or null functions: each buffer and image has a VkDeviceMemory of its own. */
  const char* tunings; /* A JSON text of measured tunings, or NULL: onepass/vulkan/tunings.hpp. It is copied. */
} onepass_vulkan_device_handles;
ONEPASS_API void onepass_vulkan_device_handles_init(onepass_vulkan_device_handles* handles, size_t struct_size);

/* Uses your device as an onepass_vulkan_device, which onepass_vulkan_host.h declares together with its destroy function
 * and its queries; allocates nothing on it. Errors: ONEPASS_INVALID_ARGUMENT for null handles, a queue family
 * without compute, one of two memory callbacks or tunings that cannot be read, ONEPASS_UNSUPPORTED if a requirement is
 * missing, ONEPASS_NOT_FOUND without a loader, ONEPASS_DEVICE if Vulkan functions are missing. */
ONEPASS_API onepass_code onepass_vulkan_device_adopt(const onepass_vulkan_device_handles* handles,
                                                     onepass_vulkan_device** device, onepass_error* error);

/* ---- Pyramids: onepass/vulkan/pyramid.hpp ---- */

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

/* Creates views and descriptors. The first source and the first target buffer with gaps between rows or slices compile
   pipelines, as onepass_vulkan_transform_create() does. */
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
ONEPASS_API onepass_code onepass_vulkan_frame_tone_map_record_reset_scratch(
    const onepass_vulkan_frame_tone_map* frames, VkCommandBuffer commands,
    const onepass_vulkan_frame_tone_map_binding* binding);

/* Records one dispatch that maps every slice with the exposure in its result and meters it into its result. frame: as
 * for onepass_vulkan_meter_record. */
ONEPASS_API onepass_code onepass_vulkan_frame_tone_map_record(const onepass_vulkan_frame_tone_map* frames,
                                                              VkCommandBuffer commands,
                                                              const onepass_vulkan_frame_tone_map_binding* binding,
                                                              const onepass_meter_frame* frame);

/* ---- Reflections: onepass/vulkan/reflection.hpp ---- */

/* What changes from frame to frame: onepass::vulkan::ReflectionFrame. */
typedef struct onepass_vulkan_reflection_frame {
  size_t struct_size;
  const onepass_vulkan_reflection_view* views; /* One per slice. */
  uint32_t view_count;
  uint32_t index; /* Number of the frame: another one, other random rays. */
  uint32_t
      reset; /* Not 0: the last frame is no history: in the first recording into new scratch memory, after a cut. */
  float fallback[3]; /* Radiance of rays without a hit, if there is no environment. 0 to 65504: values beyond count as
                      * these, NaN as 0. */
} onepass_vulkan_reflection_frame;
ONEPASS_API void onepass_vulkan_reflection_frame_init(onepass_vulkan_reflection_frame* frame, size_t struct_size);

/* Traces and filters screen-space reflections on a device: onepass::vulkan::Reflection. */
typedef struct onepass_vulkan_reflection onepass_vulkan_reflection;

/* Reflections bound to images and scratch memory, which holds their history. */
typedef struct onepass_vulkan_reflection_binding onepass_vulkan_reflection_binding;

/* Validates the options, compiles the pipelines and, once per device, makes the table of noise. */
ONEPASS_API onepass_code onepass_vulkan_reflection_create(const onepass_vulkan_device* device,
                                                          const onepass_reflection_options* options,
                                                          const onepass_vulkan_reflection_tuning* tuning,
                                                          onepass_vulkan_reflection** reflection, onepass_error* error);
ONEPASS_API void onepass_vulkan_reflection_destroy(onepass_vulkan_reflection* reflection);

/* Bytes of scratch memory per binding. 0 for NULL. */
ONEPASS_API uint64_t onepass_vulkan_reflection_scratch_bytes(const onepass_vulkan_reflection* reflection);

/* Creates views, descriptors and, if it is null in images, scratch memory. */
ONEPASS_API onepass_code onepass_vulkan_reflection_bind(const onepass_vulkan_reflection* reflection,
                                                        const onepass_vulkan_reflection_images* images,
                                                        onepass_vulkan_reflection_binding** binding,
                                                        onepass_error* error);
ONEPASS_API void onepass_vulkan_reflection_binding_destroy(onepass_vulkan_reflection_binding* binding);

/* Records the reflections of every slice. Scratch memory needs no reset: set frame.reset in the first recording.
 * ONEPASS_INVALID_ARGUMENT for NULL, also as views, for a number of views other than options.slices, and for a
 * struct_size that no version had; ONEPASS_UNSUPPORTED for fields of a later version. */
ONEPASS_API onepass_code onepass_vulkan_reflection_record(const onepass_vulkan_reflection* reflection,
                                                          VkCommandBuffer commands,
                                                          const onepass_vulkan_reflection_binding* binding,
                                                          const onepass_vulkan_reflection_frame* frame);

/* ---- Block-compressed textures: onepass/vulkan/blocks.hpp, whose opening comment states the barriers ---- */

/* Compresses images of one shape on a device: onepass::vulkan::BlockCompressor. */
typedef struct onepass_vulkan_block_compressor onepass_vulkan_block_compressor;

/* A compressor bound to an image and memory. */
typedef struct onepass_vulkan_block_binding onepass_vulkan_block_binding;

/* Validates the options and compiles the pipeline. */
ONEPASS_API onepass_code onepass_vulkan_block_compressor_create(const onepass_vulkan_device* device,
                                                                const onepass_block_compressor_options* options,
                                                                onepass_vulkan_block_compressor** compressor,
                                                                onepass_error* error);
ONEPASS_API void onepass_vulkan_block_compressor_destroy(onepass_vulkan_block_compressor* compressor);

/* Creates the view and the descriptors, and the buffer of blocks if it is null in `images`. */
ONEPASS_API onepass_code onepass_vulkan_block_compressor_bind(const onepass_vulkan_block_compressor* compressor,
                                                              const onepass_vulkan_block_images* images,
                                                              onepass_vulkan_block_binding** binding,
                                                              onepass_error* error);
ONEPASS_API void onepass_vulkan_block_binding_destroy(onepass_vulkan_block_binding* binding);

/* Records one dispatch for all levels and slices and, with a target, one copy to the image. */
ONEPASS_API onepass_code onepass_vulkan_block_compressor_record(const onepass_vulkan_block_compressor* compressor,
                                                                VkCommandBuffer commands,
                                                                const onepass_vulkan_block_binding* binding);

#ifdef __cplusplus
}
#endif

#endif
