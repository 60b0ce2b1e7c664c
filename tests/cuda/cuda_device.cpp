// cuda_device.cpp: the few functions of the driver's interface (CUDA Driver API) that a launch needs.
#include "tests/cuda/cuda_device.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace onepass::testing {

using Address = unsigned long long;  // CUdeviceptr

struct CudaDevice::Driver {
  int (*init)(unsigned);
  int (*device_get)(int*, int);
  int (*device_name)(char*, int, int);
  int (*retain)(void**, int);
  int (*set_current)(void*);
  int (*load)(void**, const void*);
  int (*unload)(void*);
  int (*function)(void**, void*, const char*);
  int (*allocate)(Address*, size_t);
  int (*release)(Address);
  int (*to_device)(Address, const void*, size_t);
  int (*to_host)(void*, Address, size_t);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  int (*synchronize)();
  int (*error_string)(int, const char**);

  bool find(void* library) {
    const auto get = [library](auto& out, const char* name) {
      out = reinterpret_cast<std::decay_t<decltype(out)>>(dlsym(library, name));
      return out != nullptr;
    };
    return get(init, "cuInit") && get(device_get, "cuDeviceGet") && get(device_name, "cuDeviceGetName") &&
           get(retain, "cuDevicePrimaryCtxRetain") && get(set_current, "cuCtxSetCurrent") &&
           get(load, "cuModuleLoadData") && get(unload, "cuModuleUnload") && get(function, "cuModuleGetFunction") &&
           get(allocate, "cuMemAlloc_v2") && get(release, "cuMemFree_v2") && get(to_device, "cuMemcpyHtoD_v2") &&
           get(to_host, "cuMemcpyDtoH_v2") && get(launch, "cuLaunchKernel") && get(synchronize, "cuCtxSynchronize") &&
           get(error_string, "cuGetErrorString");
  }
};

CudaDevice* CudaDevice::get() {
  static CudaDevice device;
  static const bool found = [] {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    auto driver = std::make_shared<Driver>();
    int index = 0;
    void* context = nullptr;
    char name[256] = {};
    if (library == nullptr || !driver->find(library) || driver->init(0) != 0) return false;
    if (driver->device_get(&index, 0) != 0 || driver->device_name(name, sizeof name, index) != 0) return false;
    if (driver->retain(&context, index) != 0 || driver->set_current(context) != 0) return false;
    device.driver_ = driver;
    device.name_ = name;
    return true;
  }();
  return found ? &device : nullptr;
}

std::string CudaDevice::run(const std::string& file, const CudaKernel& kernel, const Launch& launch) {
  const Driver& cu = *driver_;
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream.is_open() || text.str().empty()) return "cannot read " + file;
  std::string error;
  const auto done = [&](int result, const std::string& what) {
    const char* words = nullptr;
    if (result != 0 && error.empty()) {
      cu.error_string(result, &words);
      error = what + ": " + (words != nullptr ? words : std::to_string(result));
    }
    return error.empty();
  };
  void* module = nullptr;
  void* function = nullptr;
  if (!done(cu.load(&module, text.str().c_str()), "cuModuleLoadData " + file)) return error;
  done(cu.function(&function, module, kernel.name.c_str()), "cuModuleGetFunction " + kernel.name);
  Launch there = launch;
  there.pointers.clear();
  for (const std::span<std::byte> buffer : launch.buffers) {
    Address address = 0;
    if (done(cu.allocate(&address, std::max<size_t>(buffer.size(), 16)), "cuMemAlloc")) {
      done(cu.to_device(address, buffer.data(), buffer.size()), "cuMemcpyHtoD");
    }
    there.pointers.push_back(reinterpret_cast<void*>(address));
  }
  std::vector<std::byte> bytes = kernel.parameters(there);
  void* parameters[] = {bytes.data()};
  if (error.empty()) {
    done(cu.launch(function, launch.groups[0], launch.groups[1], launch.groups[2], launch.invocations, 1, 1, 0, nullptr,
                   parameters, nullptr),
         "cuLaunchKernel");
    done(cu.synchronize(), "cuCtxSynchronize");
  }
  for (size_t i = 0; i < there.pointers.size(); ++i) {
    const auto address = reinterpret_cast<Address>(there.pointers[i]);
    if (error.empty()) done(cu.to_host(launch.buffers[i].data(), address, launch.buffers[i].size()), "cuMemcpyDtoH");
    if (address != 0) cu.release(address);
  }
  cu.unload(module);
  return error;
}

}  // namespace onepass::testing
