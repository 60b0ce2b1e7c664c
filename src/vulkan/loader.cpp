// loader.cpp: opens the system's Vulkan loader and loads its functions; the only file of the Vulkan engine that depends
// on the system.
#include "vulkan/loader.hpp"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace onepass::vulkan {
namespace {

// The names of the loader, first choice first. The rest of the library is the same on every system.
#if defined(_WIN32)
constexpr const char* kLoaderNames[] = {"vulkan-1.dll"};
#elif defined(__APPLE__)
// Without the SDK's loader MoltenVK is a complete Vulkan of its own.
constexpr const char* kLoaderNames[] = {"libvulkan.dylib", "libvulkan.1.dylib", "libMoltenVK.dylib"};
#else
constexpr const char* kLoaderNames[] = {"libvulkan.so.1", "libvulkan.so"};  // Android has the second
#endif

// vkGetInstanceProcAddr of a library; null if the system has no such library.
PFN_vkGetInstanceProcAddr open_library(const char* name) {
  constexpr const char* kFunction = "vkGetInstanceProcAddr";
#ifdef _WIN32
  const HMODULE library = LoadLibraryA(name);
  if (library == nullptr) return nullptr;
  return reinterpret_cast<PFN_vkGetInstanceProcAddr>(reinterpret_cast<void*>(GetProcAddress(library, kFunction)));
#else
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, kFunction));
#endif
}

PFN_vkGetInstanceProcAddr open_loader() {
  for (const char* name : kLoaderNames) {
    if (const auto found = open_library(name)) return found;
  }
  return nullptr;
}

Error missing(const char* name) { return {ErrorCode::kDevice, std::string("Vulkan has no ") + name, {}}; }

}  // namespace

Result<GlobalFunctions> load_vulkan() {
  static const PFN_vkGetInstanceProcAddr get =
      open_loader();  // never closed: drivers may have threads that still run its code
  if (get == nullptr)
    return Error{ErrorCode::kNotFound, std::string("no Vulkan loader (") + kLoaderNames[0] + ") on this machine", {}};
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

DebugFunctions load_debug(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
  const DebugFunctions functions{
      reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(get(instance, "vkSetDebugUtilsObjectNameEXT")),
      reinterpret_cast<PFN_vkCmdBeginDebugUtilsLabelEXT>(get(instance, "vkCmdBeginDebugUtilsLabelEXT")),
      reinterpret_cast<PFN_vkCmdEndDebugUtilsLabelEXT>(get(instance, "vkCmdEndDebugUtilsLabelEXT"))};
  const bool all = functions.set_name != nullptr && functions.begin_label != nullptr && functions.end_label != nullptr;
  return all ? functions : DebugFunctions{};
}

Error vulkan_error(VkResult result, const char* call) {
  const auto error = [&](ErrorCode code, const char* what, const std::string& name) {
    return Error{code, std::string(call) + what + " (" + name + ")", {}};
  };
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return error(ErrorCode::kOutOfMemory, " ran out of the host's memory", "VK_ERROR_OUT_OF_HOST_MEMORY");
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return error(ErrorCode::kOutOfMemory, " ran out of the device's memory", "VK_ERROR_OUT_OF_DEVICE_MEMORY");
    case VK_ERROR_TOO_MANY_OBJECTS:
      return error(ErrorCode::kOutOfMemory, " found too many objects of its kind", "VK_ERROR_TOO_MANY_OBJECTS");
    case VK_ERROR_DEVICE_LOST:
      return error(ErrorCode::kDeviceLost, ": the device is lost", "VK_ERROR_DEVICE_LOST");
    default:
      return error(ErrorCode::kDevice, " failed", "VkResult " + std::to_string(result));
  }
}

}  // namespace onepass::vulkan
