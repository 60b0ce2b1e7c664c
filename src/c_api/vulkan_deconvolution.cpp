// vulkan_deconvolution.cpp: C functions that remove a blur from images on a GPU.
#include "c_api/vulkan_abi.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"

struct onepass_vulkan_deconvolver {
  onepass::vulkan::Deconvolver object;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_vulkan_deconvolver_create(const onepass_vulkan_device* device,
                                               const onepass_deconvolution_options* options,
                                               const onepass_vulkan_transform_tuning* tuning,
                                               onepass_vulkan_deconvolver** deconvolver, onepass_error* error) {
  return create_on_device<vulkan::Deconvolver>(device, options, tuning, deconvolver, error);
}

void onepass_vulkan_deconvolver_destroy(onepass_vulkan_deconvolver* deconvolver) { delete deconvolver; }

uint64_t onepass_vulkan_deconvolver_scratch_bytes(const onepass_vulkan_deconvolver* deconvolver) {
  return deconvolver != nullptr ? deconvolver->object.dispatch_plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_deconvolver_set_kernel(onepass_vulkan_deconvolver* deconvolver,
                                                   const onepass_image_view* kernel, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(deconvolver, "deconvolver"); !there) return there;
    auto from = view_of("kernel", kernel);
    if (!from) return from.error();
    return deconvolver->object.set_kernel(*from);
  });
}

onepass_code onepass_vulkan_deconvolver_record_kernel(const onepass_vulkan_deconvolver* deconvolver,
                                                      VkCommandBuffer commands) {
  if (deconvolver == nullptr || commands == VK_NULL_HANDLE || !deconvolver->object.has_kernel())
    return ONEPASS_INVALID_ARGUMENT;
  return guarded(nullptr, [&]() -> Result<void> {
    deconvolver->object.record_kernel(commands);
    return {};
  });
}

onepass_code onepass_vulkan_deconvolver_bind(const onepass_vulkan_deconvolver* deconvolver,
                                             const onepass_vulkan_operation_images* images,
                                             onepass_vulkan_operation_binding** binding, onepass_error* error) {
  return make_binding(binding, error, deconvolver, "deconvolver", [&]() -> Result<vulkan::OperationBinding> {
    auto i = read_options(images);
    if (!i) return i.error();
    return deconvolver->object.bind(*i);
  });
}

onepass_code onepass_vulkan_deconvolver_record(const onepass_vulkan_deconvolver* deconvolver, VkCommandBuffer commands,
                                               const onepass_vulkan_operation_binding* binding) {
  if (deconvolver != nullptr && !deconvolver->object.has_kernel()) return ONEPASS_INVALID_ARGUMENT;
  return record_with(deconvolver, commands, binding, [&] { deconvolver->object.record(commands, binding->object); });
}

}  // extern "C"
