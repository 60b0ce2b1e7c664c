// vulkan_fourier_operations.cpp: C functions for convolutions and filters on a GPU.
#include "c_api/vulkan_abi.hpp"
#include "onepass/vulkan/fourier_filter.hpp"

struct onepass_vulkan_convolver {
  onepass::vulkan::Convolver object;
};

struct onepass_vulkan_filter {
  onepass::vulkan::Filter object;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_vulkan_operation_binding_destroy(onepass_vulkan_operation_binding* binding) { delete binding; }

onepass_code onepass_vulkan_convolver_create(const onepass_vulkan_device* device,
                                             const onepass_convolution_options* options,
                                             const onepass_vulkan_transform_tuning* tuning,
                                             onepass_vulkan_convolver** convolver, onepass_error* error) {
  return create_on_device<vulkan::Convolver>(device, options, tuning, convolver, error);
}

void onepass_vulkan_convolver_destroy(onepass_vulkan_convolver* convolver) { delete convolver; }

uint64_t onepass_vulkan_convolver_scratch_bytes(const onepass_vulkan_convolver* convolver) {
  return convolver != nullptr ? convolver->object.dispatch_plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_convolver_bind(const onepass_vulkan_convolver* convolver,
                                           const onepass_vulkan_operation_images* images,
                                           onepass_vulkan_operation_binding** binding, onepass_error* error) {
  return make_binding(binding, error, convolver, "convolver", [&]() -> Result<vulkan::OperationBinding> {
    auto i = read_options(images);
    if (!i) return i.error();
    return convolver->object.bind(*i);
  });
}

onepass_code onepass_vulkan_convolver_record(const onepass_vulkan_convolver* convolver, VkCommandBuffer commands,
                                             const onepass_vulkan_operation_binding* binding) {
  if (convolver != nullptr && !convolver->object.has_kernel()) return ONEPASS_INVALID_ARGUMENT;
  return record_with(convolver, commands, binding, [&] { convolver->object.record(commands, binding->object); });
}

onepass_code onepass_vulkan_convolver_set_kernel(onepass_vulkan_convolver* convolver, const onepass_image_view* kernel,
                                                 onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(convolver, "convolver"); !there) return there;
    auto from = view_of("kernel", kernel);
    if (!from) return from.error();
    return convolver->object.set_kernel(*from);
  });
}

onepass_code onepass_vulkan_convolver_record_kernel(const onepass_vulkan_convolver* convolver,
                                                    VkCommandBuffer commands) {
  if (convolver == nullptr || commands == VK_NULL_HANDLE || !convolver->object.has_kernel())
    return ONEPASS_INVALID_ARGUMENT;
  return guarded(nullptr, [&]() -> Result<void> {
    convolver->object.record_kernel(commands);
    return {};
  });
}

onepass_code onepass_vulkan_filter_create(const onepass_vulkan_device* device, const onepass_filter_options* options,
                                          const onepass_vulkan_transform_tuning* tuning, onepass_vulkan_filter** filter,
                                          onepass_error* error) {
  return create_on_device<vulkan::Filter>(device, options, tuning, filter, error);
}

void onepass_vulkan_filter_destroy(onepass_vulkan_filter* filter) { delete filter; }

uint64_t onepass_vulkan_filter_scratch_bytes(const onepass_vulkan_filter* filter) {
  return filter != nullptr ? filter->object.dispatch_plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_filter_bind(const onepass_vulkan_filter* filter,
                                        const onepass_vulkan_operation_images* images,
                                        onepass_vulkan_operation_binding** binding, onepass_error* error) {
  return make_binding(binding, error, filter, "filter", [&]() -> Result<vulkan::OperationBinding> {
    auto i = read_options(images);
    if (!i) return i.error();
    return filter->object.bind(*i);
  });
}

onepass_code onepass_vulkan_filter_record(const onepass_vulkan_filter* filter, VkCommandBuffer commands,
                                          const onepass_vulkan_operation_binding* binding) {
  return record_with(filter, commands, binding, [&] { filter->object.record(commands, binding->object); });
}

}  // extern "C"
