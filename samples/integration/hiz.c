/* hiz.c: a hierarchical depth buffer in your own command buffer, in C. docs/integration.md shows it. */
#include "hiz.h"

/* [hiz] */
onepass_code create_hiz(hiz* out, const onepass_vulkan_device_handles* handles, VkImage depth, VkImage target,
                        onepass_extent size, onepass_error* error) {
  *out = (hiz){NULL, NULL, NULL};
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
  if (code != ONEPASS_OK) destroy_hiz(out); /* error->message describes the failure */
  return code;
}

void destroy_hiz(hiz* h) {
  onepass_vulkan_pyramid_binding_destroy(h->binding);
  onepass_vulkan_pyramid_destroy(h->pyramid);
  onepass_vulkan_device_destroy(h->device);
  *h = (hiz){NULL, NULL, NULL};
}
/* Once: onepass_vulkan_pyramid_record_reset(h.pyramid, commands, h.binding), then a barrier.
 * Every frame: onepass_vulkan_pyramid_record(h.pyramid, commands, h.binding). */
/* [/hiz] */
