// cuda.cpp: loads libcuda at run time, opens the CUDA device with the UUID of the Vulkan device, and times batches of
// work on one stream.
#include "peers/cuda.hpp"

#include <dlfcn.h>

#include <cstring>
#include <utility>

namespace onepass::bench {
namespace {

Result<CudaFunctions> find_functions() {
  CudaFunctions out{};
  FunctionLoader find({"libcuda.so.1", "libcuda.so"});
  find("cuInit", out.init)("cuDeviceGetCount", out.device_count)("cuDeviceGet", out.device_get);
  find("cuDeviceGetUuid", out.device_uuid)("cuDevicePrimaryCtxRetain", out.context_retain);
  find("cuDevicePrimaryCtxRelease_v2", out.context_release)("cuCtxSetCurrent", out.context_set);
  find("cuCtxSynchronize", out.context_synchronize);
  find("cuMemAlloc_v2", out.allocate)("cuMemFree_v2", out.release);
  find("cuMemcpyHtoD_v2", out.copy_to_device)("cuMemcpyDtoH_v2", out.copy_to_host);
  find("cuStreamCreate", out.stream_create)("cuStreamDestroy_v2", out.stream_destroy);
  find("cuStreamSynchronize", out.stream_synchronize)("cuStreamBeginCapture_v2", out.begin_capture);
  find("cuStreamEndCapture", out.end_capture)("cuGraphInstantiateWithFlags", out.graph_instantiate);
  find("cuGraphLaunch", out.graph_launch)("cuGraphDestroy", out.graph_destroy);
  find("cuGraphExecDestroy", out.graph_exec_destroy)("cuEventCreate", out.event_create);
  find("cuEventDestroy_v2", out.event_destroy)("cuEventRecord", out.event_record);
  find("cuEventElapsedTime", out.event_elapsed);
  if (!find.missing().empty()) return Error{ErrorCode::kUnsupported, find.missing(), "CUDA"};
  if (out.init(0) != 0) return Error{ErrorCode::kUnsupported, "cuInit failed", "CUDA"};
  return out;
}

/// The CUDA device that is the Vulkan device, by UUID.
Result<int> same_device(const CudaFunctions& cuda, const Gpu& gpu, const char* peer) {
  const auto device_uuid = gpu.uuid();
  int count = 0;
  ONEPASS_CUDA(cuda.device_count(&count));
  for (int i = 0; i < count; ++i) {
    int device = 0;
    CudaUuid uuid{};
    ONEPASS_CUDA(cuda.device_get(&device, i));
    ONEPASS_CUDA(cuda.device_uuid(&uuid, device));
    if (std::memcmp(uuid.bytes, device_uuid.data(), device_uuid.size()) == 0) return device;
  }
  return Error{ErrorCode::kUnsupported, "no CUDA device has the UUID of the measured device", peer};
}

}  // namespace

FunctionLoader::FunctionLoader(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    library_ = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (library_ != nullptr) {
      missing_.clear();
      return;
    }
    missing_ += std::string(missing_.empty() ? "" : ", ") + name;
  }
  missing_ += " cannot be loaded";
}

void* FunctionLoader::find(const char* name) {
  void* function = library_ == nullptr ? nullptr : dlsym(library_, name);
  if (function == nullptr && missing_.empty()) missing_ = std::string("no function ") + name;
  return function;
}

Result<const CudaFunctions*> CudaFunctions::load() {
  static const Result<CudaFunctions> functions = find_functions();
  if (!functions) return functions.error();
  return &*functions;
}

Error cuda_error(const char* function, int code) {
  return {ErrorCode::kDevice, "error " + std::to_string(code), function};
}

Result<std::unique_ptr<CudaQueue>> CudaQueue::create(const Gpu& gpu, const char* peer) {
  auto cuda = CudaFunctions::load();
  if (!cuda) return cuda.error();
  auto device = same_device(**cuda, gpu, peer);
  if (!device) return device.error();
  std::unique_ptr<CudaQueue> out(new CudaQueue(**cuda));
  if (auto made = out->init(*device); !made) return made.error();
  return out;
}

CudaQueue::~CudaQueue() {
  for (const CudaPointer memory : memory_) cuda_.release(memory);
  if (begin_ != nullptr) cuda_.event_destroy(begin_);
  if (end_ != nullptr) cuda_.event_destroy(end_);
  if (stream_ != nullptr) cuda_.stream_destroy(stream_);
  if (context_ != nullptr) cuda_.context_release(device_);
}

Result<void> CudaQueue::init(int device) {
  device_ = device;
  ONEPASS_CUDA(cuda_.context_retain(&context_, device_));
  ONEPASS_CUDA(cuda_.context_set(context_));
  constexpr unsigned kNonBlocking = 1;
  ONEPASS_CUDA(cuda_.stream_create(&stream_, kNonBlocking));
  ONEPASS_CUDA(cuda_.event_create(&begin_, 0));
  ONEPASS_CUDA(cuda_.event_create(&end_, 0));
  return {};
}

Result<CudaPointer> CudaQueue::allocate(size_t bytes) {
  CudaPointer memory = 0;
  ONEPASS_CUDA(cuda_.allocate(&memory, bytes));
  memory_.push_back(memory);
  return memory;
}

Result<void> CudaQueue::finish() {
  ONEPASS_CUDA(cuda_.context_synchronize());
  return {};
}

Result<CudaQueue::Batch> CudaQueue::capture(const std::function<Result<void>()>& records) {
  constexpr int kThreadLocal = 1;
  Batch out;
  ONEPASS_CUDA(cuda_.begin_capture(stream_, kThreadLocal));
  const auto recorded = records();
  ONEPASS_CUDA(cuda_.end_capture(stream_, &out.graph));
  if (!recorded) return recorded.error();
  ONEPASS_CUDA(cuda_.graph_instantiate(&out.exec, out.graph, 0));
  return out;
}

// A round: the untimed records, then all timed ones.
Result<double> CudaQueue::time(const std::vector<Batch>& batches, uint32_t records) {
  ONEPASS_CUDA(cuda_.graph_launch(batches[0].exec, stream_));
  ONEPASS_CUDA(cuda_.event_record(begin_, stream_));
  ONEPASS_CUDA(cuda_.graph_launch(batches[1].exec, stream_));
  ONEPASS_CUDA(cuda_.event_record(end_, stream_));
  ONEPASS_CUDA(cuda_.stream_synchronize(stream_));
  float milliseconds = 0;
  ONEPASS_CUDA(cuda_.event_elapsed(&milliseconds, begin_, end_));
  return static_cast<double>(milliseconds) * 1000 / records;
}

Result<Comparison> CudaQueue::compare(VulkanTimer& timer, MemorySets& sets, size_t count, const Record& record,
                                      const VulkanTechnique& reference, Mode mode) {
  std::vector<Batch> batches;  // the untimed and the timed records, captured in the first round
  const auto round = [&](uint32_t untimed, uint32_t records, bool cold) -> Result<double> {
    // The untimed records use the sets before the first timed one.
    for (const auto& [first, number] : {std::pair<size_t, uint32_t>{0, untimed}, {untimed, records}}) {
      if (batches.size() == 2) break;
      auto batch = capture([&, begin = first, end = first + number]() -> Result<void> {
        for (size_t i = begin; i < end; ++i) {
          if (auto recorded = record(cold ? i % count : 0); !recorded) return recorded;
        }
        return {};
      });
      if (!batch) return batch.error();
      batches.push_back(*batch);
    }
    return time(batches, records);
  };
  auto out = timer.compare(sets, round, reference, mode);
  for (const Batch& batch : batches) {
    cuda_.graph_exec_destroy(batch.exec);
    cuda_.graph_destroy(batch.graph);
  }
  return out;
}

}  // namespace onepass::bench
