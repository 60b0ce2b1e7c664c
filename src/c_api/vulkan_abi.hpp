// vulkan_abi.hpp: shared parts of the Vulkan half of the C interface: handles, recording, sides, tunings.
#pragma once

#include "c_api/bindings.hpp"
#include "c_api/options.hpp"
#include "c_api/read_vulkan_options.hpp"
#include "onepass/vulkan/device.hpp"

struct onepass_vulkan_device {
  onepass::vulkan::Device object;
};

/// `owner` identifies the technique that made the binding: the address of its plan, which lives as long as the binding.
struct onepass_vulkan_operation_binding {
  onepass::vulkan::OperationBinding object;
  const void* owner = nullptr;
};

namespace onepass::c_api {

/// Creates a technique on a device in a new handle.
template <typename Object, typename Options, typename Tuning, typename Handle>
onepass_code create_on_device(const onepass_vulkan_device* device, const Options* options, const Tuning* tuning,
                              Handle** handle, onepass_error* error) noexcept {
  return make_handle(handle, error, [&]() -> Result<Object> {
    if (auto there = require(device, "device"); !there) return there.error();
    auto o = read_options(options);
    if (!o) return o.error();
    auto t = read_options(tuning);
    if (!t) return t.error();
    return Object::create(device->object, *o, *t);
  });
}

/// Runs `record` if the binding belongs to this technique; otherwise returns ONEPASS_INVALID_ARGUMENT.
template <typename Technique, typename Handle, typename Record>
onepass_code record_with(const Technique* technique, VkCommandBuffer commands, const Handle* binding,
                         const Record& record) noexcept {
  if (technique == nullptr || commands == VK_NULL_HANDLE || binding == nullptr) return ONEPASS_INVALID_ARGUMENT;
  if (binding->owner != identity(*technique)) return ONEPASS_INVALID_ARGUMENT;
  return guarded(nullptr, [&]() -> Result<void> {
    record();
    return {};
  });
}

vulkan::Side to_cpp(const onepass_vulkan_side& side);
vulkan::ReflectionImage to_cpp(const onepass_vulkan_reflection_image& image);
inline vulkan::BufferRange to_cpp(const onepass_vulkan_buffer_range& range) { return {range.buffer, range.offset}; }

}  // namespace onepass::c_api
