// driver.cpp: opens NVIDIA's driver; the only file of the CUDA engine that depends on the system.
#include "cuda/driver.hpp"

#include <string>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace onepass::cuda {
namespace {

#ifdef _WIN32
constexpr const char* kDriverName = "nvcuda.dll";
void* open_library() { return reinterpret_cast<void*>(LoadLibraryA(kDriverName)); }
void* find_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(reinterpret_cast<HMODULE>(library), name));
}
#else
constexpr const char* kDriverName = "libcuda.so.1";
void* open_library() { return dlopen(kDriverName, RTLD_NOW | RTLD_LOCAL); }
void* find_symbol(void* library, const char* name) { return dlsym(library, name); }
#endif

Result<Driver> open_driver() {
  void* const library = open_library();  // never closed: the driver may have threads that still run its code
  if (library == nullptr) {
    return Error{ErrorCode::kNotFound, std::string("no CUDA driver (") + kDriverName + ") on this machine", {}};
  }
  Driver driver;
#define ONEPASS_CUDA_LOAD(member, name, parameters)                                               \
  driver.member = reinterpret_cast<decltype(driver.member)>(find_symbol(library, name));          \
  if (driver.member == nullptr) {                                                                 \
    return Error{ErrorCode::kDevice, std::string("the CUDA driver has no ") + name, kDriverName}; \
  }
  ONEPASS_CUDA_FUNCTIONS(ONEPASS_CUDA_LOAD)
#undef ONEPASS_CUDA_LOAD
  const int status = driver.init(0);
  if (status == kNoDevice) return Error{ErrorCode::kNotFound, "the CUDA driver finds no device", kDriverName};
  if (status != kSuccess) return driver_error(driver, "cuInit", status, kDriverName);
  return driver;
}

}  // namespace

Result<const Driver*> load_driver() {
  static const Result<Driver> driver = open_driver();
  if (!driver) return driver.error();
  return &*driver;
}

Error driver_error(const Driver& driver, const char* call, int status, const std::string& context) {
  const char* name = nullptr;
  if (driver.error_name(status, &name) != kSuccess || name == nullptr) name = "unknown error";
  const ErrorCode code = status == kOutOfDeviceMemory ? ErrorCode::kOutOfMemory : ErrorCode::kDevice;
  return {code, std::string(call) + ": " + name + " (" + std::to_string(status) + ")", context};
}

}  // namespace onepass::cuda
