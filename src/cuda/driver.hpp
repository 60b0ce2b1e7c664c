// driver.hpp: the functions of NVIDIA's driver (CUDA Driver API) that the library calls, with own declarations.
//
// A table of pointers: libcuda.so.1 fills it at run time, tests fill it with functions that run kernels on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onepass/cuda/device.hpp"
#include "onepass/result.hpp"

struct CUmod_st;
struct CUfunc_st;

namespace onepass::cuda {

using DeviceAddress = unsigned long long;  // CUdeviceptr
using Context = ::CUctx_st*;
using Module = ::CUmod_st*;
using Function = ::CUfunc_st*;

/// The numbers of CUresult that the library tells apart.
enum Status : int {
  kSuccess = 0,
  kOutOfDeviceMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidPtx = 218,
  kUnsupportedPtxVersion = 222,
};

/// The numbers of CUdevice_attribute.
enum Attribute : int { kMultiprocessors = 16, kComputeMajor = 75, kComputeMinor = 76 };

/// X(member, name in the library, parameters). All return CUresult.
#define ONEPASS_CUDA_FUNCTIONS(X)                                                                             \
  X(init, "cuInit", (unsigned))                                                                               \
  X(driver_version, "cuDriverGetVersion", (int*))                                                             \
  X(device_count, "cuDeviceGetCount", (int*))                                                                 \
  X(device_get, "cuDeviceGet", (int*, int))                                                                   \
  X(device_name, "cuDeviceGetName", (char*, int, int))                                                        \
  X(device_attribute, "cuDeviceGetAttribute", (int*, int, int))                                               \
  X(device_memory, "cuDeviceTotalMem_v2", (size_t*, int))                                                     \
  X(primary_retain, "cuDevicePrimaryCtxRetain", (Context*, int))                                              \
  X(primary_release, "cuDevicePrimaryCtxRelease_v2", (int))                                                   \
  X(context_current, "cuCtxGetCurrent", (Context*))                                                           \
  X(context_push, "cuCtxPushCurrent_v2", (Context))                                                           \
  X(context_pop, "cuCtxPopCurrent_v2", (Context*))                                                            \
  X(context_device, "cuCtxGetDevice", (int*))                                                                 \
  X(module_load, "cuModuleLoadData", (Module*, const void*))                                                  \
  X(module_unload, "cuModuleUnload", (Module))                                                                \
  X(module_function, "cuModuleGetFunction", (Function*, Module, const char*))                                 \
  X(memory_allocate, "cuMemAlloc_v2", (DeviceAddress*, size_t))                                               \
  X(memory_free, "cuMemFree_v2", (DeviceAddress))                                                             \
  X(memory_clear, "cuMemsetD8_v2", (DeviceAddress, unsigned char, size_t))                                    \
  X(memory_clear_async, "cuMemsetD8Async", (DeviceAddress, unsigned char, size_t, Stream))                    \
  X(copy_to_device, "cuMemcpyHtoD_v2", (DeviceAddress, const void*, size_t))                                  \
  X(copy_to_host, "cuMemcpyDtoH_v2", (void*, DeviceAddress, size_t))                                          \
  X(context_synchronize, "cuCtxSynchronize", ())                                                              \
  X(launch, "cuLaunchKernel",                                                                                 \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**)) \
  X(error_name, "cuGetErrorName", (int, const char**))

struct Driver {
#define ONEPASS_CUDA_MEMBER(member, name, parameters) int(*member) parameters = nullptr;
  ONEPASS_CUDA_FUNCTIONS(ONEPASS_CUDA_MEMBER)
#undef ONEPASS_CUDA_MEMBER
};

/// The driver of the system, opened and initialised once per process.
/// Errors: kNotFound without a driver or a device, kDevice.
Result<const Driver*> load_driver();

/// The error of a call that failed: "cuMemAlloc: CUDA_ERROR_...".
Error driver_error(const Driver& driver, const char* call, int status, const std::string& context);

}  // namespace onepass::cuda
