// fake_driver.cpp: the functions of the driver, and the constants of the kernel that runs.
#include "tests/cuda/fake_driver.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

namespace {
std::vector<uint32_t> constants;  // of the kernel that runs
}

/// For specialized.cuh.
unsigned onepass_host_constant(unsigned n) { return constants.at(n); }
void onepass_host_pause() { onepass::testing::pause_invocation(); }

namespace onepass::testing {
namespace {

constexpr int kInvalidValue = 1;
constexpr int kInvalidContext = 201;
constexpr int kNotFound = 500;

std::map<std::string, const HostKernel*>& host_kernels() {
  static std::map<std::string, const HostKernel*> kernels;
  return kernels;
}

struct LoadedModule {
  std::string name;
  std::vector<uint32_t> constants;
};

FakeDriver& fake() { return FakeDriver::get(); }

/// Counts a call, and returns the failure that a test has asked for.
int called(const char* name) {
  ++fake().calls[name];
  const auto failure = fake().failures.find(name);
  if (failure == fake().failures.end()) return 0;
  const int status = failure->second;
  fake().failures.erase(failure);
  return status;
}

/// The same for functions that need a current context.
int called_in_context(const char* name) {
  const int status = called(name);
  return status == 0 && fake().contexts.empty() ? kInvalidContext : status;
}

cuda::Context primary_context() { return reinterpret_cast<cuda::Context>(uintptr_t{0x1000}); }

int load_module(cuda::Module* module, const void* image) {
  if (const int status = called_in_context("cuModuleLoadData"); status != 0) return status;
  const std::string text(static_cast<const char*>(image));
  const std::string line = text.substr(0, text.find('\n'));
  std::istringstream words(line);
  std::string slashes;
  auto loaded = std::make_unique<LoadedModule>();
  words >> slashes >> loaded->name;
  for (uint32_t constant = 0; words >> constant;) loaded->constants.push_back(constant);
  if (slashes != "//" || text.find(".entry " + loaded->name + "(") == std::string::npos ||
      text.find("ONEPASS_CONSTANT") != std::string::npos || text.find(".target sm_75") == std::string::npos) {
    report_misuse("not the PTX of a kernel: " + line);
    return cuda::kInvalidPtx;
  }
  fake().loaded.push_back(line);
  ++fake().modules;
  *module = reinterpret_cast<cuda::Module>(loaded.release());
  return 0;
}

int unload_module(cuda::Module module) {
  delete reinterpret_cast<LoadedModule*>(module);
  --fake().modules;
  return called_in_context("cuModuleUnload");
}

int find_function(cuda::Function* function, cuda::Module module, const char* name) {
  if (const int status = called_in_context("cuModuleGetFunction"); status != 0) return status;
  if (reinterpret_cast<LoadedModule*>(module)->name != name) return kNotFound;
  *function = reinterpret_cast<cuda::Function>(module);
  return 0;
}

int launch(cuda::Function function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
           unsigned block_z, unsigned shared_bytes, cuda::Stream stream, void** parameters, void** extra) {
  if (const int status = called_in_context("cuLaunchKernel"); status != 0) return status;
  if (x == 0 || y == 0 || z == 0 || y > 65535 || z > 65535 || block_x == 0 || block_x % 32 != 0 || block_x > 1024 ||
      block_y != 1 || block_z != 1 || shared_bytes != 0 || extra != nullptr) {
    return kInvalidValue;
  }
  const auto& module = *reinterpret_cast<LoadedModule*>(function);
  const auto kernel = host_kernels().find(module.name);
  if (kernel == host_kernels().end()) {
    report_misuse(module.name + " is not compiled for the host");
    return kNotFound;
  }
  fake().streams.push_back(stream);
  constants = module.constants;
  const std::string error =
      kernel->second->run(parameters[0], {.count = {x, y, z}, .invocations = block_x, .seed = fake().seed++});
  if (!error.empty()) report_misuse(module.name + ": " + error);
  return 0;
}

int allocate(cuda::DeviceAddress* address, size_t bytes) {
  if (const int status = called_in_context("cuMemAlloc"); status != 0) return status;
  if (bytes == 0) return kInvalidValue;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(memory, 0xC3, bytes);
  *address = reinterpret_cast<cuda::DeviceAddress>(memory);
  fake().memory[*address] = bytes;
  return 0;
}

int release(cuda::DeviceAddress address) {
  if (const int status = called_in_context("cuMemFree"); status != 0) return status;
  if (fake().memory.erase(address) == 0) return kInvalidValue;
  std::free(reinterpret_cast<void*>(address));
  return 0;
}

int clear(cuda::DeviceAddress address, unsigned char value, size_t bytes) {
  if (const int status = called_in_context("cuMemsetD8"); status != 0) return status;
  std::memset(reinterpret_cast<void*>(address), value, bytes);
  return 0;
}

int pop_context(cuda::Context* context) {
  if (const int status = called_in_context("cuCtxPopCurrent"); status != 0) return status;
  *context = fake().contexts.back();
  fake().contexts.pop_back();
  return 0;
}

int attribute(int* value, int which, int) {
  *value = which == cuda::kComputeMajor ? fake().compute_major : which == cuda::kComputeMinor ? 0 : 132;
  return called("cuDeviceGetAttribute");
}

cuda::Driver make_table() {
  cuda::Driver driver;
  driver.init = [](unsigned) { return called("cuInit"); };
  driver.driver_version = [](int* version) { return *version = 12040, called("cuDriverGetVersion"); };
  driver.device_count = [](int* count) { return *count = 1, called("cuDeviceGetCount"); };
  driver.device_get = [](int* device, int) { return *device = 7, called("cuDeviceGet"); };
  driver.device_name = [](char* name, int, int) { return std::strcpy(name, "host"), called("cuDeviceGetName"); };
  driver.device_attribute = attribute;
  driver.device_memory = [](size_t* bytes, int) { return *bytes = size_t{1} << 34, called("cuDeviceTotalMem"); };
  driver.primary_retain = [](cuda::Context* context, int) {
    *context = primary_context();
    ++fake().retained;
    return called("cuDevicePrimaryCtxRetain");
  };
  driver.primary_release = [](int) { return --fake().retained, called("cuDevicePrimaryCtxRelease"); };
  driver.context_current = [](cuda::Context* context) {
    *context = fake().contexts.empty() ? nullptr : fake().contexts.back();
    return called("cuCtxGetCurrent");
  };
  driver.context_push = [](cuda::Context context) {
    const int status = called("cuCtxPushCurrent");
    if (status == 0) fake().contexts.push_back(context);
    return status;
  };
  driver.context_pop = pop_context;
  driver.context_device = [](int* device) { return *device = 7, called_in_context("cuCtxGetDevice"); };
  driver.module_load = load_module;
  driver.module_unload = unload_module;
  driver.module_function = find_function;
  driver.memory_allocate = allocate;
  driver.memory_free = release;
  driver.memory_clear = clear;
  driver.memory_clear_async = [](cuda::DeviceAddress address, unsigned char value, size_t bytes, cuda::Stream) {
    return clear(address, value, bytes);
  };
  driver.copy_to_device = [](cuda::DeviceAddress to, const void* from, size_t bytes) {
    if (const int status = called_in_context("cuMemcpyHtoD"); status != 0) return status;
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return 0;
  };
  driver.copy_to_host = [](void* to, cuda::DeviceAddress from, size_t bytes) {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return called_in_context("cuMemcpyDtoH");
  };
  driver.context_synchronize = [] { return called_in_context("cuCtxSynchronize"); };
  driver.launch = launch;
  driver.error_name = [](int status, const char** name) {
    *name = status == cuda::kOutOfDeviceMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_A_TEST";
    return 0;
  };
  return driver;
}

}  // namespace

HostKernel::HostKernel(const char* kernel_name, size_t bytes,
                       std::function<std::string(const void*, const Workgroups&)> run_kernel)
    : name(kernel_name), parameter_bytes(bytes), run(std::move(run_kernel)) {
  host_kernels()[name] = this;
}

FakeDriver& FakeDriver::get() {
  static FakeDriver driver;
  return driver;
}

const cuda::Driver& FakeDriver::table() {
  static const cuda::Driver table = make_table();
  return table;
}

}  // namespace onepass::testing
