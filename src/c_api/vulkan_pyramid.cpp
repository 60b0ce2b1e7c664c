// vulkan_pyramid.cpp: C functions for pyramids on a GPU.
#include "onepass/vulkan/pyramid.hpp"

#include "c_api/vulkan_abi.hpp"

struct onepass_vulkan_pyramid {
  onepass::vulkan::Pyramid object;
};

struct onepass_vulkan_pyramid_binding {
  onepass::vulkan::PyramidBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_vulkan_pyramid_create(const onepass_vulkan_device* device, const onepass_pyramid_options* options,
                                           const onepass_vulkan_pyramid_tuning* tuning,
                                           onepass_vulkan_pyramid** pyramid, onepass_error* error) {
  return create_on_device<vulkan::Pyramid>(device, options, tuning, pyramid, error);
}

void onepass_vulkan_pyramid_destroy(onepass_vulkan_pyramid* pyramid) { delete pyramid; }

onepass_code onepass_vulkan_pyramid_get_plan(const onepass_vulkan_pyramid* pyramid, onepass_vulkan_pyramid_plan* plan,
                                             onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(pyramid, "pyramid"); !there) return there;
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    const vulkan::PyramidDispatchPlan& p = pyramid->object.dispatch_plan();
    write_result(plan, {.struct_size = 0,
                        .scratch_bytes = p.scratch_bytes,
                        .bytes_read = p.bytes_read,
                        .bytes_written = p.bytes_written,
                        .levels = p.plan.levels,
                        .dispatches = static_cast<uint32_t>(p.dispatches.size()),
                        .path = number(p.path),
                        .reserved = 0});
    return {};
  });
}

onepass_code onepass_vulkan_pyramid_bind(const onepass_vulkan_pyramid* pyramid,
                                         const onepass_vulkan_pyramid_images* images,
                                         onepass_vulkan_pyramid_binding** binding, onepass_error* error) {
  return make_binding(binding, error, pyramid, "pyramid", [&]() -> Result<vulkan::PyramidBinding> {
    auto i = read_options(images);
    if (!i) return i.error();
    return pyramid->object.bind(*i);
  });
}

void onepass_vulkan_pyramid_binding_destroy(onepass_vulkan_pyramid_binding* binding) { delete binding; }

onepass_code onepass_vulkan_pyramid_record_reset(const onepass_vulkan_pyramid* pyramid, VkCommandBuffer commands,
                                                 const onepass_vulkan_pyramid_binding* binding) {
  return record_with(pyramid, commands, binding, [&] { pyramid->object.record_reset(commands, binding->object); });
}

onepass_code onepass_vulkan_pyramid_record(const onepass_vulkan_pyramid* pyramid, VkCommandBuffer commands,
                                           const onepass_vulkan_pyramid_binding* binding) {
  return record_with(pyramid, commands, binding, [&] { pyramid->object.record(commands, binding->object); });
}

onepass_code onepass_vulkan_pyramid_record_update(const onepass_vulkan_pyramid* pyramid, VkCommandBuffer commands,
                                                  const onepass_vulkan_pyramid_binding* binding, onepass_rect changed,
                                                  onepass_scratch scratch) {
  if (scratch > ONEPASS_SCRATCH_FROM_LAST_BUILD) return ONEPASS_INVALID_ARGUMENT;
  return record_with(pyramid, commands, binding, [&] {
    pyramid->object.record_update(commands, binding->object, to_cpp(changed), static_cast<vulkan::Scratch>(scratch));
  });
}

}  // extern "C"
