// vulkan_fourier.cpp: C functions for transforms on a GPU.
#include "c_api/vulkan_abi.hpp"

struct onepass_vulkan_transform {
  onepass::vulkan::Transform object;
};

struct onepass_vulkan_transform_binding {
  onepass::vulkan::TransformBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_vulkan_transform_create(const onepass_vulkan_device* device,
                                             const onepass_transform_options* options,
                                             const onepass_vulkan_transform_sides* sides,
                                             const onepass_vulkan_transform_tuning* tuning,
                                             onepass_vulkan_transform** transform, onepass_error* error) {
  return make_handle(transform, error, [&]() -> Result<vulkan::Transform> {
    if (auto there = require(device, "device"); !there) return there.error();
    auto o = read_options(options);
    if (!o) return o.error();
    auto s = read_options(sides);
    if (!s) return s.error();
    auto t = read_options(tuning);
    if (!t) return t.error();
    return vulkan::Transform::create(device->object, *o, *s, *t);
  });
}

void onepass_vulkan_transform_destroy(onepass_vulkan_transform* transform) { delete transform; }

uint64_t onepass_vulkan_transform_scratch_bytes(const onepass_vulkan_transform* transform) {
  return transform != nullptr ? transform->object.dispatch_plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_transform_bind(const onepass_vulkan_transform* transform,
                                           const onepass_vulkan_transform_resources* resources,
                                           onepass_vulkan_transform_binding** binding, onepass_error* error) {
  return make_binding(binding, error, transform, "transform", [&]() -> Result<vulkan::TransformBinding> {
    auto r = read_options(resources);
    if (!r) return r.error();
    return transform->object.bind(*r);
  });
}

void onepass_vulkan_transform_binding_destroy(onepass_vulkan_transform_binding* binding) { delete binding; }

onepass_code onepass_vulkan_transform_record_forward(const onepass_vulkan_transform* transform,
                                                     VkCommandBuffer commands,
                                                     const onepass_vulkan_transform_binding* binding) {
  if (transform == nullptr || transform->object.dispatch_plan().forward.empty()) return ONEPASS_INVALID_ARGUMENT;
  return record_with(transform, commands, binding,
                     [&] { transform->object.record_forward(commands, binding->object); });
}

onepass_code onepass_vulkan_transform_record_inverse(const onepass_vulkan_transform* transform,
                                                     VkCommandBuffer commands,
                                                     const onepass_vulkan_transform_binding* binding) {
  if (transform == nullptr || transform->object.dispatch_plan().inverse.empty()) return ONEPASS_INVALID_ARGUMENT;
  return record_with(transform, commands, binding,
                     [&] { transform->object.record_inverse(commands, binding->object); });
}

}  // extern "C"
