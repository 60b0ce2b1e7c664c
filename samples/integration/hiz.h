/* hiz.h: see hiz.c. */
#pragma once

#include "onepass/onepass_vulkan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* [hiz] */
typedef struct hiz {
  onepass_vulkan_device* device;
  onepass_vulkan_pyramid* pyramid;
  onepass_vulkan_pyramid_binding* binding;
} hiz;

/* depth: in SHADER_READ_ONLY_OPTIMAL. target: R32_SFLOAT, half the size, in GENERAL; its mip level 0 receives level 1
 * of the pyramid. After a failure nothing is left to destroy. */
onepass_code create_hiz(hiz* out, const onepass_vulkan_device_handles* handles, VkImage depth, VkImage target,
                        onepass_extent size, onepass_error* error);

/* Call it when the commands have run. */
void destroy_hiz(hiz* h);
/* [/hiz] */

#ifdef __cplusplus
}
#endif
