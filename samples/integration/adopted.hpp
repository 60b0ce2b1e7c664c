// adopted.hpp: a program around the device of renderer.hpp, which onepass adopts.
#pragma once

#include <utility>

#include "onepass/vulkan/device.hpp"
#include "renderer.hpp"

template <typename T>
T take(onepass::Result<T> result) {
  if (!result) std::exit(fail(result.error().text().c_str()));
  return std::move(*result);
}

/// Calls `run` with the device, and destroys it afterwards. Returns what `run` returns: the exit status.
inline int run_on_device(int (*run)(const onepass::vulkan::Device& gpu)) {
  create_instance();
  create_device();
  int status = 0;
  {
    const auto gpu = take(onepass::vulkan::Device::adopt({.instance = instance,
                                                          .physical_device = physical,
                                                          .device = device,
                                                          .queue_family = family,
                                                          .features = {.storage_image_write_without_format = true},
                                                          .api_version = VK_API_VERSION_1_3}));
    status = run(gpu);
  }
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
  return status;
}
