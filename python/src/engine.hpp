// engine.hpp: the engine of an object: the CPU, or an opened Vulkan device.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <string>

#include "onepass/vulkan/device.hpp"

namespace onepass::python {

/// A device that is opened once per process. One call at a time runs on it.
struct SharedDevice {
  vulkan::Device device;
  std::mutex busy;
};

/// "cpu": null. "vulkan": the first usable GPU, or a software device if there is no GPU. "vulkan:NAME": the device with
/// this index or with this text in its name. Throws Failure.
SharedDevice* device_of(const std::string& engine);

void add_engines(pybind11::module_& module);

}  // namespace onepass::python
