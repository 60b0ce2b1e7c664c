/* hiz.h: see hiz.c. */
#pragma once

#include "onepass/onepass_vulkan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hiz {
  onepass_vulkan_device* device;
  onepass_vulkan_pyramid* pyramid;
  onepass_vulkan_pyramid_binding* binding;
} hiz;

onepass_code create_hiz(hiz* out, const onepass_vulkan_device_handles* handles, VkImage depth, VkImage target,
                        onepass_extent size, onepass_error* error);
void destroy_hiz(hiz* h);

#ifdef __cplusplus
}
#endif
