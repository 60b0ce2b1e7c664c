/* hiz.c: a hierarchical depth buffer in your own command buffer, in C. docs/integration.md shows it. */
/* [hiz] */
#include "onepass/onepass_vulkan.h"

/* depth: in SHADER_READ_ONLY_OPTIMAL. target: R32_SFLOAT, half the size, in GENERAL; its mip level 0 receives level 1
 * of the pyramid. Pass the result to destroy_hiz() when the commands have run. */
typedef struct hiz {
  onepass_vulkan_device* device;
  onepass_vulkan_pyramid* pyramid;
  onepass_vulkan_pyramid_binding* binding;
} hiz;

onepass_code create_hiz(hiz* out, const onepass_vulkan_device_handles* handles, VkImage depth, VkImage target,
                        onepass_extent size, onepass_error* error) {
  const hiz nothing = {NULL, NULL, NULL};
  *out = nothing;
  onepass_pyramid_options options;
  onepass_pyramid_options_init(&options, sizeof options);
  options.size = size;
  options.source = ONEPASS_FORMAT_D32_SFLOAT;
  options.target = ONEPASS_FORMAT_R32_SFLOAT;
  options.reduction = ONEPASS_REDUCTION_MAX;
  onepass_vulkan_pyramid_images images;
  onepass_vulkan_pyramid_images_init(&images, sizeof images);
  images.source = depth;
  images.target = target;
  images.target_level = 0;
  onepass_code code = onepass_vulkan_device_adopt(handles, &out->device, error);
  if (code == ONEPASS_OK) code = onepass_vulkan_pyramid_create(out->device, &options, NULL, &out->pyramid, error);
  if (code == ONEPASS_OK) code = onepass_vulkan_pyramid_bind(out->pyramid, &images, &out->binding, error);
  return code; /* if not ONEPASS_OK, error->message describes the failure */
}

void destroy_hiz(hiz* h) {
  onepass_vulkan_pyramid_binding_destroy(h->binding);
  onepass_vulkan_pyramid_destroy(h->pyramid);
  onepass_vulkan_device_destroy(h->device);
}
/* Once: onepass_vulkan_pyramid_record_reset(h.pyramid, commands, h.binding), then a barrier.
 * Every frame: onepass_vulkan_pyramid_record(h.pyramid, commands, h.binding). */
/* [/hiz] */
