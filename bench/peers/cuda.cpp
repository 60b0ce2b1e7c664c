// cuda.cpp: see cuda.hpp.
#include "peers/cuda.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <initializer_list>
#include <string>

namespace onepass::bench {
namespace {

void* open_library(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return library;
  }
  return nullptr;
}

/// Looks for functions of a library and remembers the first missing one.
class Loader {
 public:
  explicit Loader(void* library) : library_(library) {}

  template <typename Function>
  Loader& operator()(const char* name, Function& out) {
    out = reinterpret_cast<Function>(dlsym(library_, name));
    if (out == nullptr && missing_.empty()) missing_ = name;
    return *this;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

Error unsupported(const std::string& message) { return {ErrorCode::kUnsupported, message, "cuFFT"}; }

Result<CudaFunctions> find_functions() {
  void* driver = open_library({"libcuda.so.1", "libcuda.so"});
  if (driver == nullptr) return unsupported("libcuda.so.1 cannot be loaded");
  void* cufft = open_library({"libcufft.so", "libcufft.so.12", "libcufft.so.11"});
  if (cufft == nullptr) return unsupported("libcufft.so, .so.12 and .so.11 cannot be loaded");
  CudaFunctions out{};
  Loader of_driver(driver);
  of_driver("cuInit", out.init)("cuDeviceGetCount", out.device_count)("cuDeviceGet", out.device_get);
  of_driver("cuDeviceGetUuid", out.device_uuid)("cuDevicePrimaryCtxRetain", out.context_retain);
  of_driver("cuDevicePrimaryCtxRelease_v2", out.context_release)("cuCtxSetCurrent", out.context_set);
  of_driver("cuMemAlloc_v2", out.allocate)("cuMemFree_v2", out.release);
  of_driver("cuMemcpyHtoD_v2", out.copy_to_device)("cuMemcpyDtoH_v2", out.copy_to_host);
  of_driver("cuStreamCreate", out.stream_create)("cuStreamDestroy_v2", out.stream_destroy);
  of_driver("cuStreamSynchronize", out.stream_synchronize)("cuStreamBeginCapture_v2", out.begin_capture);
  of_driver("cuStreamEndCapture", out.end_capture)("cuGraphInstantiateWithFlags", out.graph_instantiate);
  of_driver("cuGraphLaunch", out.graph_launch)("cuGraphDestroy", out.graph_destroy);
  of_driver("cuGraphExecDestroy", out.graph_exec_destroy)("cuEventCreate", out.event_create);
  of_driver("cuEventDestroy_v2", out.event_destroy)("cuEventRecord", out.event_record);
  of_driver("cuEventElapsedTime", out.event_elapsed);
  if (!of_driver.missing().empty()) return unsupported("libcuda has no " + of_driver.missing());
  Loader of_cufft(cufft);
  of_cufft("cufftPlanMany", out.plan_many)("cufftDestroy", out.plan_destroy)("cufftSetStream", out.plan_stream);
  of_cufft("cufftExecC2C", out.execute_c2c)("cufftExecR2C", out.execute_r2c)("cufftExecC2R", out.execute_c2r);
  of_cufft("cufftGetVersion", out.version);
  if (!of_cufft.missing().empty()) return unsupported("libcufft has no " + of_cufft.missing());
  if (out.init(0) != 0) return unsupported("cuInit failed");
  return out;
}

}  // namespace

Result<const CudaFunctions*> CudaFunctions::load() {
  static const Result<CudaFunctions> functions = [] {
    auto found = find_functions();
    int number = 0;
    if (found && found->version(&number) == 0) {
      std::fprintf(stderr, "onepass-bench: cuFFT version %d\n", number);
    } else {
      std::fprintf(stderr, "onepass-bench: %s: no benchmarks of cuFFT\n",
                   found ? "cuFFT: cufftGetVersion failed" : found.error().text().c_str());
    }
    return found;
  }();
  if (!functions) return functions.error();
  return &*functions;
}

}  // namespace onepass::bench
