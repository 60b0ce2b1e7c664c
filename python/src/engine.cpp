// engine.cpp: see engine.hpp.
#include "engine.hpp"

#include <map>

#include "errors.hpp"

namespace onepass::python {

namespace py = pybind11;

SharedDevice* device_of(const std::string& engine) {
  if (engine == "cpu") return nullptr;
  if (engine != "vulkan" && !engine.starts_with("vulkan:")) {
    fail(ErrorCode::kInvalidArgument, "is '" + engine + "', expected 'auto', 'cpu', 'vulkan' or 'vulkan:DEVICE'",
         "engine");
  }
  // Never destroyed: at the end of the process the driver may already be unloaded.
  static auto* mutex = new std::mutex;
  static auto* devices = new std::map<std::string, std::unique_ptr<SharedDevice>>;
  const py::gil_scoped_release unlocked;
  const std::lock_guard lock(*mutex);
  std::unique_ptr<SharedDevice>& shared = (*devices)[engine];
  if (!shared) {
    const std::string selector = engine == "vulkan" ? "" : engine.substr(sizeof("vulkan:") - 1);
    vulkan::Device device = take(vulkan::Device::open({.selector = selector, .allow_software = true}));
    shared.reset(new SharedDevice{std::move(device), {}});
  }
  return shared.get();
}

void add_engines(py::module_& module) {
  module.def("devices", [] {
    std::vector<vulkan::DeviceInfo> found;
    {
      const py::gil_scoped_release unlocked;
      found = take(vulkan::list_devices());
    }
    py::list list;
    for (const vulkan::DeviceInfo& info : found) {
      py::dict device;
      device["index"] = info.index;
      device["name"] = info.name;
      device["driver"] = info.driver;
      device["software"] = info.software;
      device["usable"] = info.usable;
      device["unusable_reason"] = info.unusable_reason;
      device["memory_bytes"] = info.memory_bytes;
      list.append(device);
    }
    return list;
  });
}

}  // namespace onepass::python
