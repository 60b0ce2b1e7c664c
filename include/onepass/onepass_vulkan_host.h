/* onepass_vulkan_host.h: onepass for C on a GPU, without Vulkan in your program: images in host memory are uploaded,
 * processed and downloaded. Read onepass.h first; onepass_vulkan.h is the version for your own command buffers.
 *
 *     onepass_vulkan_device* gpu = NULL;
 *     if (onepass_vulkan_device_open(NULL, &gpu, &error) != ONEPASS_OK) return fail(error.message);
 *     onepass_vulkan_make_pyramid(gpu, &options, NULL, &photo, levels, level_count, NULL, NULL, &error);
 *     onepass_vulkan_device_destroy(gpu);
 *
 * The functions are those of the C++ headers in onepass/vulkan/: onepass::vulkan::make_pyramid() is
 * onepass_vulkan_make_pyramid(). Views and options are those of the CPU functions. tuning: NULL for the defaults, or a
 * struct that onepass_vulkan.h defines. gpu_microseconds: NULL, or receives the time between the timestamps around the
 * commands on the device; 0 if its queue has none.
 *
 * Errors. ONEPASS_INVALID_ARGUMENT for options and views, as on the CPU, and for a device that was adopted;
 * ONEPASS_UNSUPPORTED if the device cannot do it; ONEPASS_OUT_OF_MEMORY, ONEPASS_DEVICE, ONEPASS_DEVICE_LOST.
 *
 * Threads. One of these calls at a time per device; distinct devices are independent. The device keeps pipelines and
 * tables, so that a call with the options of an earlier one compiles nothing. */
#ifndef ONEPASS_ONEPASS_VULKAN_HOST_H
#define ONEPASS_ONEPASS_VULKAN_HOST_H

#include "onepass/onepass.h"

#ifdef __cplusplus
extern "C" {
#endif

struct onepass_vulkan_pyramid_tuning;
struct onepass_vulkan_tile_reduction_tuning;
struct onepass_vulkan_transform_tuning;
struct onepass_vulkan_meter_tuning;
struct onepass_vulkan_tone_map_tuning;

/* ---- Devices: onepass/vulkan/device.hpp ---- */

/* A Vulkan device of this machine: onepass::vulkan::DeviceInfo. */
typedef struct onepass_vulkan_device_info {
  size_t struct_size;
  const char* name;
  const char* driver;          /* Driver name and version. */
  const char* unusable_reason; /* The missing requirement; "" if the device is usable. */
  uint64_t memory_bytes;       /* Size of the largest device-local heap. */
  uint32_t index;              /* Selects the device in onepass_vulkan_device_open(). */
  uint32_t api_version;        /* As VK_MAKE_API_VERSION encodes it. */
  uint32_t software;           /* 1: runs on the CPU. */
  uint32_t usable;             /* 1: meets the library's requirements. */
  uint32_t subgroup_size;
  uint32_t shared_memory_bytes;
  uint32_t max_image_size; /* In texels. */
  uint32_t max_slices;
  uint32_t processors; /* Multiprocessors or compute units that default tunings fill. */
  uint32_t reserved;
  const char* tunings; /* Where tunings come from; "": the rules for unknown devices. */
} onepass_vulkan_device_info;

/* The devices of this machine. */
typedef struct onepass_vulkan_device_list onepass_vulkan_device_list;

/* Lists the devices; none if there is no loader or no driver. Errors: ONEPASS_DEVICE if the loader does not work,
 * ONEPASS_OUT_OF_MEMORY. Threads: any number of calls at once. */
ONEPASS_API onepass_code onepass_vulkan_list_devices(onepass_vulkan_device_list** list, onepass_error* error);
ONEPASS_API void onepass_vulkan_device_list_destroy(onepass_vulkan_device_list* list);

/* Number of devices; 0 for NULL. */
ONEPASS_API uint32_t onepass_vulkan_device_list_count(const onepass_vulkan_device_list* list);

/* Fills *info, whose struct_size you set. Its texts belong to the list. */
ONEPASS_API onepass_code onepass_vulkan_device_list_info(const onepass_vulkan_device_list* list, uint32_t index,
                                                         onepass_vulkan_device_info* info, onepass_error* error);

/* Receives a warning or an error of the validation layer, as UTF-8; on any thread. */
typedef void (*onepass_vulkan_message)(void* user, const char* message);

/* The device to open. As an argument, NULL means the first usable GPU. */
typedef struct onepass_vulkan_device_request {
  size_t struct_size;
  const char* selector;              /* Index, or part of the name in any case. NULL or "": the first usable GPU. */
  onepass_vulkan_message on_message; /* NULL: none. */
  void* message_user;                /* Passed to on_message. */
  uint32_t allow_software;           /* 1: without a selector and a GPU, a software device. */
  uint32_t validation;               /* 1: loads VK_LAYER_KHRONOS_validation with synchronisation validation. */
  uint32_t gpu_validation;           /* 1, with validation: also GPU-assisted validation, which is slow. */
  uint32_t reserved;
  const char* tunings; /* A JSON text of measured tunings, or NULL: onepass/vulkan/tunings.hpp. It is copied. */
} onepass_vulkan_device_request;
ONEPASS_API void onepass_vulkan_device_request_init(onepass_vulkan_device_request* request, size_t struct_size);

/* Checks a text of tunings; NULL and "" are valid. Errors: ONEPASS_INVALID_ARGUMENT, naming the line, the path of the
 * field, and the value. Threads: any number of calls at once. */
ONEPASS_API onepass_code onepass_vulkan_check_tunings(const char* tunings, onepass_error* error);

/* A device on which techniques run: onepass::vulkan::Device. */
typedef struct onepass_vulkan_device onepass_vulkan_device;

/* Opens an instance, a device and a compute queue of its own. Errors: ONEPASS_NOT_FOUND if there is no loader or
 * validation layer or no device matches the selector, ONEPASS_UNSUPPORTED if the selected device lacks a requirement,
 * ONEPASS_INVALID_ARGUMENT for tunings that cannot be read, ONEPASS_DEVICE, ONEPASS_OUT_OF_MEMORY. */
ONEPASS_API onepass_code onepass_vulkan_device_open(const onepass_vulkan_device_request* request,
                                                    onepass_vulkan_device** device, onepass_error* error);
ONEPASS_API void onepass_vulkan_device_destroy(onepass_vulkan_device* device);

/* Fills *info, whose struct_size you set. Its texts belong to the device. */
ONEPASS_API onepass_code onepass_vulkan_device_get_info(const onepass_vulkan_device* device,
                                                        onepass_vulkan_device_info* info, onepass_error* error);

/* Destroys the pipelines and tables that no technique of the device uses; returns their number. NULL: 0. */
ONEPASS_API size_t onepass_vulkan_device_trim(const onepass_vulkan_device* device);

/* Not 0 if the format can be a source. */
ONEPASS_API int onepass_vulkan_device_can_read(const onepass_vulkan_device* device, onepass_format format);

/* Not 0 if the format can be a target. */
ONEPASS_API int onepass_vulkan_device_can_write(const onepass_vulkan_device* device, onepass_format format);

/* ---- Images in host memory ---- */

/* Makes levels 1 and up; levels[0] receives level 1. changed: NULL, or the rectangle of the base that has changed since
 * the levels were made: only the texels that it can affect change. */
ONEPASS_API onepass_code onepass_vulkan_make_pyramid(const onepass_vulkan_device* device,
                                                     const onepass_pyramid_options* options,
                                                     const struct onepass_vulkan_pyramid_tuning* tuning,
                                                     const onepass_image_view* source,
                                                     const onepass_mutable_image_view* levels, size_t level_count,
                                                     const onepass_rect* changed, double* gpu_microseconds,
                                                     onepass_error* error);

/* Makes the coarse image of every slice. */
ONEPASS_API onepass_code onepass_vulkan_reduce_tiles(const onepass_vulkan_device* device,
                                                     const onepass_tile_reduction_options* options,
                                                     const struct onepass_vulkan_tile_reduction_tuning* tuning,
                                                     const onepass_image_view* source,
                                                     const onepass_mutable_image_view* target, double* gpu_microseconds,
                                                     onepass_error* error);

/* Compresses levels to blocks: one view of each per level of onepass_plan_block_compressor(), the finest first. */
ONEPASS_API onepass_code onepass_vulkan_compress_levels(const onepass_vulkan_device* device,
                                                        const onepass_block_compressor_options* options,
                                                        const onepass_image_view* levels,
                                                        const onepass_mutable_block_view* blocks, size_t level_count,
                                                        double* gpu_microseconds, onepass_error* error);

/* Image to spectrum. spectrum_bytes must be that of onepass_plan_transform(). */
ONEPASS_API onepass_code onepass_vulkan_transform_forward(const onepass_vulkan_device* device,
                                                          const onepass_transform_options* options,
                                                          const struct onepass_vulkan_transform_tuning* tuning,
                                                          const onepass_image_view* source, void* spectrum,
                                                          size_t spectrum_bytes, double* gpu_microseconds,
                                                          onepass_error* error);

/* Spectrum to image. */
ONEPASS_API onepass_code onepass_vulkan_transform_inverse(const onepass_vulkan_device* device,
                                                          const onepass_transform_options* options,
                                                          const struct onepass_vulkan_transform_tuning* tuning,
                                                          const void* spectrum, size_t spectrum_bytes,
                                                          const onepass_mutable_image_view* target,
                                                          double* gpu_microseconds, onepass_error* error);

/* Convolves an image with a kernel image. */
ONEPASS_API onepass_code onepass_vulkan_convolve_image(const onepass_vulkan_device* device,
                                                       const onepass_convolution_options* options,
                                                       const struct onepass_vulkan_transform_tuning* tuning,
                                                       const onepass_image_view* kernel,
                                                       const onepass_image_view* source,
                                                       const onepass_mutable_image_view* target,
                                                       double* gpu_microseconds, onepass_error* error);

/* Filters an image. */
ONEPASS_API onepass_code onepass_vulkan_filter_image(const onepass_vulkan_device* device,
                                                     const onepass_filter_options* options,
                                                     const struct onepass_vulkan_transform_tuning* tuning,
                                                     const onepass_image_view* source,
                                                     const onepass_mutable_image_view* target, double* gpu_microseconds,
                                                     onepass_error* error);

/* The shift between two images. target: NULL, or receives the correlation for all shifts, as
 * onepass_cpu_correlator_correlate() writes it. */
ONEPASS_API onepass_code onepass_vulkan_estimate_shift(const onepass_vulkan_device* device,
                                                       const onepass_correlation_options* options,
                                                       const struct onepass_vulkan_transform_tuning* tuning,
                                                       const onepass_image_view* first,
                                                       const onepass_image_view* second,
                                                       const onepass_mutable_image_view* target, onepass_shift* shift,
                                                       double* gpu_microseconds, onepass_error* error);

/* Removes the blur of a kernel image. */
ONEPASS_API onepass_code onepass_vulkan_deconvolve_image(const onepass_vulkan_device* device,
                                                         const onepass_deconvolution_options* options,
                                                         const struct onepass_vulkan_transform_tuning* tuning,
                                                         const onepass_image_view* kernel,
                                                         const onepass_image_view* source,
                                                         const onepass_mutable_image_view* target,
                                                         double* gpu_microseconds, onepass_error* error);

/* Adds bloom. kernel: NULL if the options name no kernel image. */
ONEPASS_API onepass_code onepass_vulkan_bloom_image(const onepass_vulkan_device* device,
                                                    const onepass_bloom_options* options,
                                                    const struct onepass_vulkan_transform_tuning* tuning,
                                                    const onepass_image_view* kernel, const onepass_image_view* source,
                                                    const onepass_mutable_image_view* target, double* gpu_microseconds,
                                                    onepass_error* error);

/* Meters every slice; the arguments are those of onepass_cpu_meter_measure(). */
ONEPASS_API onepass_code onepass_vulkan_meter_image(const onepass_vulkan_device* device,
                                                    const onepass_meter_options* options,
                                                    const struct onepass_vulkan_meter_tuning* tuning,
                                                    const onepass_image_view* source, onepass_meter_result* results,
                                                    size_t result_count, const onepass_meter_frame* frame,
                                                    const onepass_image_view* mask, double* gpu_microseconds,
                                                    onepass_error* error);

/* Maps every slice, with local exposure if the options ask for it. The target may overlap the source. */
ONEPASS_API onepass_code onepass_vulkan_map_tones(const onepass_vulkan_device* device,
                                                  const onepass_tone_map_options* options,
                                                  const struct onepass_vulkan_tone_map_tuning* tuning,
                                                  const onepass_image_view* source,
                                                  const onepass_mutable_image_view* target, float exposure,
                                                  double* gpu_microseconds, onepass_error* error);

#ifdef __cplusplus
}
#endif

#endif
