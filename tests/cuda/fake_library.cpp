// fake_library.cpp: the driver without a GPU as a library with the name of NVIDIA's, libcuda.so.1, for tests that reach
// the CUDA engine through the C functions: the library opens it as it would open the driver.
#include <cstdio>
#include <cstdlib>

#include "tests/cuda/fake_driver.hpp"

using namespace onepass;

void testing::report_misuse(const std::string& what) {
  std::fprintf(stderr, "fake CUDA driver: %s\n", what.c_str());
  std::abort();
}

#define EXPORT(name, member, parameters, arguments)                       \
  extern "C" __attribute__((visibility("default"))) int name parameters { \
    return testing::FakeDriver::table().member arguments;                 \
  }
EXPORT(cuInit, init, (unsigned flags), (flags))
EXPORT(cuDriverGetVersion, driver_version, (int* version), (version))
EXPORT(cuDeviceGetCount, device_count, (int* count), (count))
EXPORT(cuDeviceGet, device_get, (int* device, int ordinal), (device, ordinal))
EXPORT(cuDeviceGetName, device_name, (char* name, int bytes, int device), (name, bytes, device))
EXPORT(cuDeviceGetAttribute, device_attribute, (int* value, int which, int device), (value, which, device))
EXPORT(cuDeviceTotalMem_v2, device_memory, (size_t * bytes, int device), (bytes, device))
EXPORT(cuDevicePrimaryCtxRetain, primary_retain, (cuda::Context * context, int device), (context, device))
EXPORT(cuDevicePrimaryCtxRelease_v2, primary_release, (int device), (device))
EXPORT(cuCtxGetCurrent, context_current, (cuda::Context * context), (context))
EXPORT(cuCtxPushCurrent_v2, context_push, (cuda::Context context), (context))
EXPORT(cuCtxPopCurrent_v2, context_pop, (cuda::Context * context), (context))
EXPORT(cuCtxGetDevice, context_device, (int* device), (device))
EXPORT(cuModuleLoadData, module_load, (cuda::Module * module, const void* image), (module, image))
EXPORT(cuModuleUnload, module_unload, (cuda::Module module), (module))
EXPORT(cuModuleGetFunction, module_function, (cuda::Function * function, cuda::Module module, const char* name),
       (function, module, name))
EXPORT(cuMemAlloc_v2, memory_allocate, (cuda::DeviceAddress * address, size_t bytes), (address, bytes))
EXPORT(cuMemFree_v2, memory_free, (cuda::DeviceAddress address), (address))
EXPORT(cuMemsetD8_v2, memory_clear, (cuda::DeviceAddress address, unsigned char value, size_t bytes),
       (address, value, bytes))
EXPORT(cuMemsetD8Async, memory_clear_async,
       (cuda::DeviceAddress address, unsigned char value, size_t bytes, cuda::Stream stream),
       (address, value, bytes, stream))
EXPORT(cuMemcpyHtoD_v2, copy_to_device, (cuda::DeviceAddress to, const void* from, size_t bytes), (to, from, bytes))
EXPORT(cuMemcpyDtoH_v2, copy_to_host, (void* to, cuda::DeviceAddress from, size_t bytes), (to, from, bytes))
EXPORT(cuCtxSynchronize, context_synchronize, (), ())
EXPORT(cuLaunchKernel, launch,
       (cuda::Function function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
        unsigned block_z, unsigned shared_bytes, cuda::Stream stream, void** parameters, void** extra),
       (function, x, y, z, block_x, block_y, block_z, shared_bytes, stream, parameters, extra))
EXPORT(cuGetErrorName, error_name, (int status, const char** name), (status, name))
