// loader.cpp: opens libvulkan and loads its functions.
#include "vulkan/loader.hpp"

#include <dlfcn.h>

namespace onepass::vulkan {
namespace {

PFN_vkGetInstanceProcAddr open_loader() {
  for (const char* name : {"libvulkan.so.1", "libvulkan.so"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      return reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
    }
  }
  return nullptr;
}

Error missing(const char* name) { return {ErrorCode::kDevice, std::string("Vulkan has no ") + name, {}}; }

}  // namespace

Result<GlobalFunctions> load_vulkan() {
  static const PFN_vkGetInstanceProcAddr get =
      open_loader();  // never closed: drivers may have threads that still run its code
  if (get == nullptr) return Error{ErrorCode::kNotFound, "no Vulkan loader (libvulkan.so.1) on this machine", {}};
  GlobalFunctions functions;
  functions.get_instance_proc_addr = get;
#define ONEPASS_LOAD(name)                                                   \
  functions.name = reinterpret_cast<PFN_##name>(get(VK_NULL_HANDLE, #name)); \
  if (functions.name == nullptr) return missing(#name);
  ONEPASS_GLOBAL_FUNCTIONS(ONEPASS_LOAD)
#undef ONEPASS_LOAD
  return functions;
}

Result<InstanceFunctions> load_instance(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
  InstanceFunctions functions;
#define ONEPASS_LOAD(name)                                             \
  functions.name = reinterpret_cast<PFN_##name>(get(instance, #name)); \
  if (functions.name == nullptr) return missing(#name);
  ONEPASS_INSTANCE_FUNCTIONS(ONEPASS_LOAD)
#undef ONEPASS_LOAD
  return functions;
}

Result<DeviceFunctions> load_device(PFN_vkGetDeviceProcAddr get, VkDevice device) {
  DeviceFunctions functions;
#define ONEPASS_LOAD(name)                                           \
  functions.name = reinterpret_cast<PFN_##name>(get(device, #name)); \
  if (functions.name == nullptr) return missing(#name);
  ONEPASS_DEVICE_FUNCTIONS(ONEPASS_LOAD)
#undef ONEPASS_LOAD
  return functions;
}

Error vulkan_error(VkResult result, const char* call) {
  const bool memory = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return {
      memory ? ErrorCode::kOutOfMemory : ErrorCode::kDevice,
      std::string(call) + (memory ? " ran out of memory" : " failed") + " (VkResult " + std::to_string(result) + ")",
      {}};
}

}  // namespace onepass::vulkan
