// vulkan_luminance.cpp: C functions for meters on a GPU.
#include "onepass/vulkan/luminance.hpp"

#include "c_api/vulkan_abi.hpp"
#include "luminance/settings.hpp"

struct onepass_vulkan_meter {
  onepass::vulkan::Meter object;
};

struct onepass_vulkan_meter_binding {
  onepass::vulkan::MeterBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_vulkan_meter_create(const onepass_vulkan_device* device, const onepass_meter_options* options,
                                         const onepass_vulkan_meter_tuning* tuning, onepass_vulkan_meter** meter,
                                         onepass_error* error) {
  return create_on_device<vulkan::Meter>(device, options, tuning, meter, error);
}

void onepass_vulkan_meter_destroy(onepass_vulkan_meter* meter) { delete meter; }

uint64_t onepass_vulkan_meter_scratch_bytes(const onepass_vulkan_meter* meter) {
  return meter != nullptr ? meter->object.dispatch_plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_meter_bind(const onepass_vulkan_meter* meter, const onepass_vulkan_meter_images* images,
                                       onepass_vulkan_meter_binding** binding, onepass_error* error) {
  return make_binding(binding, error, meter, "meter", [&]() -> Result<vulkan::MeterBinding> {
    auto i = read_options(images);
    if (!i) return i.error();
    return meter->object.bind(*i);
  });
}

void onepass_vulkan_meter_binding_destroy(onepass_vulkan_meter_binding* binding) { delete binding; }

onepass_vulkan_buffer_range onepass_vulkan_meter_results(const onepass_vulkan_meter_binding* binding) {
  if (binding == nullptr) return {VK_NULL_HANDLE, 0};
  return {binding->object.results(), binding->object.results_offset()};
}

onepass_code onepass_vulkan_meter_record_reset(const onepass_vulkan_meter* meter, VkCommandBuffer commands,
                                               const onepass_vulkan_meter_binding* binding) {
  return record_with(meter, commands, binding, [&] { meter->object.record_reset(commands, binding->object); });
}

onepass_code onepass_vulkan_meter_record_reset_scratch(const onepass_vulkan_meter* meter, VkCommandBuffer commands,
                                                       const onepass_vulkan_meter_binding* binding) {
  return record_with(meter, commands, binding, [&] { meter->object.record_reset_scratch(commands, binding->object); });
}

onepass_code onepass_vulkan_meter_record(const onepass_vulkan_meter* meter, VkCommandBuffer commands,
                                         const onepass_vulkan_meter_binding* binding,
                                         const onepass_meter_frame* frame) {
  if (!luminance::seconds_of(frame_of(frame))) return ONEPASS_INVALID_ARGUMENT;
  return record_with(meter, commands, binding,
                     [&] { meter->object.record(commands, binding->object, frame_of(frame)); });
}

}  // extern "C"
