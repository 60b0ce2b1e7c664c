/* c_api_vulkan_client.h: a C program that runs every technique of the C API on a GPU. */
#ifndef ONEPASS_TESTS_C_API_VULKAN_CLIENT_H
#define ONEPASS_TESTS_C_API_VULKAN_CLIENT_H

#include "onepass/onepass_vulkan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A level and a slice of an image. */
typedef struct client_place {
  uint32_t level;
  uint32_t slice;
} client_place;

/* Images of reflections in two slices, and their cameras. */
typedef struct client_hall {
  VkImage color;
  VkImage depth;
  VkImage pyramid;
  VkImage normals;
  VkImage roughness;
  VkImage motion;
  VkImage environment;
  VkImage reflected;
  VkImage distance;
  onepass_vulkan_reflection_view views[2];
} client_hall;

/* Resources that the techniques read and write. */
typedef struct client_resources {
  onepass_extent size;
  VkImage source;
  VkImage mask;
  VkImage levels;
  VkImage tiles;
  VkImage picture;
  VkImage restored;
  VkImage blurred;
  VkImage filtered;
  VkImage frame;
  VkImage local;
  VkImage sharpened;
  VkImage glowing;
  VkImage mip_glowing;
  client_hall hall;
  client_place source_at;
  client_place mask_at;   /* Of the hall's images, too. */
  client_place target_at; /* In every target; for the pyramid, of its level 1. */
  VkBuffer spectrum;
  VkBuffer results;
  VkBuffer frame_results;
  VkBuffer shift;
  VkBuffer surface;
  VkBuffer blocks;
  onepass_image_view kernel;
  /* Returns scratch memory of the given number of bytes. */
  onepass_vulkan_buffer_range (*take_scratch)(void* user, uint64_t bytes);
  /* Returns a new image. */
  VkImage (*take_image)(void* user, const VkImageCreateInfo* info);
  void* user;
} client_resources;

/* Techniques in the order in which they are recorded. */
enum {
  CLIENT_PYRAMID,
  CLIENT_TILES,
  CLIENT_METER,
  CLIENT_TONE_MAP,
  CLIENT_FORWARD,
  CLIENT_INVERSE,
  CLIENT_CONVOLVER,
  CLIENT_FILTER,
  CLIENT_FRAME,
  CLIENT_LOCAL,
  CLIENT_DECONVOLVER,
  CLIENT_CORRELATOR,
  CLIENT_BLOOM,
  CLIENT_MIP_BLOOM,
  CLIENT_REFLECTION,
  CLIENT_BLOCKS
};

typedef struct client {
  onepass_vulkan_device* device;
  onepass_vulkan_pyramid* pyramid;
  onepass_vulkan_tile_reduction* tiles;
  onepass_vulkan_meter* meter;
  onepass_vulkan_tone_map* map;
  onepass_vulkan_transform* transform;
  onepass_vulkan_convolver* convolver;
  onepass_vulkan_filter* filter;
  onepass_vulkan_frame_tone_map* frames;
  onepass_vulkan_tone_map* local;
  onepass_vulkan_deconvolver* deconvolver;
  onepass_vulkan_correlator* correlator;
  onepass_vulkan_bloom* bloom;
  onepass_vulkan_bloom* mip_bloom;
  onepass_vulkan_reflection* reflection;
  onepass_vulkan_block_compressor* compressor;
  onepass_vulkan_pyramid_binding* pyramid_binding;
  onepass_vulkan_tile_reduction_binding* tiles_binding;
  onepass_vulkan_meter_binding* meter_binding;
  onepass_vulkan_tone_map_binding* map_binding;
  onepass_vulkan_transform_binding* transform_binding;
  onepass_vulkan_operation_binding* convolver_binding;
  onepass_vulkan_operation_binding* filter_binding;
  onepass_vulkan_frame_tone_map_binding* frames_binding;
  onepass_vulkan_tone_map_binding* local_binding;
  onepass_vulkan_operation_binding* deconvolver_binding;
  onepass_vulkan_correlation_binding* correlator_binding;
  onepass_vulkan_operation_binding* bloom_binding;
  onepass_vulkan_operation_binding* mip_bloom_binding;
  onepass_vulkan_reflection_binding* reflection_binding;
  onepass_vulkan_block_binding* block_binding;
  onepass_vulkan_reflection_view views[2];
} client;

/* `out` must be zeroed memory. Call client_destroy() whatever code is returned. */
onepass_code client_create(client* out, const onepass_vulkan_device_handles* handles, const client_resources* resources,
                           onepass_error* error);
void client_destroy(client* c);
onepass_code client_reset(const client* c, VkCommandBuffer commands); /* And client_record_kernels(). */
onepass_code client_reset_scratch(const client* c, VkCommandBuffer commands);
onepass_code client_record_kernels(const client* c, VkCommandBuffer commands);
onepass_code client_record(const client* c, VkCommandBuffer commands, int technique);

/* Decodes the bytes of the correlator's result. */
onepass_code client_read_shift(const client* c, const void* result, size_t bytes, onepass_shift* shift,
                               onepass_error* error);

#ifdef __cplusplus
}
#endif

#endif
