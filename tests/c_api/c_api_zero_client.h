/* c_api_zero_client.h: passes structs whose struct_size is 0 to the C API. Both functions return 0, or the line of the
 * first call that did not refuse its struct by that name. */
#ifndef ONEPASS_TESTS_C_API_ZERO_CLIENT_H
#define ONEPASS_TESTS_C_API_ZERO_CLIENT_H

#include "tests/c_api/c_api_vulkan_client.h"

#ifdef __cplusplus
extern "C" {
#endif

int zero_cpu(onepass_error* error);
/* commands: in the recording state; reflections are recorded into it. */
int zero_vulkan(const client* c, const onepass_vulkan_device_handles* sound, VkCommandBuffer commands,
                onepass_error* error);

#ifdef __cplusplus
}
#endif

#endif
