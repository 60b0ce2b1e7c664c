// cuda.hpp: the few functions of CUDA's driver that the benchmark calls, found when the program runs, and a stream on
// which peers are timed. The declarations are our own, so that nothing of CUDA is needed to build this.
//
// The driver's interface (libcuda), not the runtime's: it comes with every driver, and libraries that use the runtime
// work in its primary context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "onepass/result.hpp"
#include "vulkan_timer.hpp"

namespace onepass::bench {

using CudaPointer = uint64_t;                   ///< CUdeviceptr
using CudaEvent = struct CudaEventOf*;          ///< CUevent
using CudaStream = struct CudaStreamOf*;        ///< CUstream
using CudaContext = struct CudaContextOf*;      ///< CUcontext
using CudaGraph = struct CudaGraphOf*;          ///< CUgraph
using CudaGraphExec = struct CudaGraphExecOf*;  ///< CUgraphExec

struct CudaUuid {
  uint8_t bytes[16];
};

/// Looks for functions of a shared library and remembers the first missing one.
class FunctionLoader {
 public:
  /// Opens the first of `names` that is there.
  explicit FunctionLoader(std::initializer_list<const char*> names);

  template <typename Function>
  FunctionLoader& operator()(const char* name, Function& out) {
    out = reinterpret_cast<Function>(find(name));
    return *this;
  }
  /// A sentence about the first thing that is missing; empty if nothing is.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* find(const char* name);
  void* library_ = nullptr;
  std::string missing_;
};

/// Functions of libcuda.so.1. All return 0 for success.
struct CudaFunctions {
  int (*init)(unsigned flags);
  int (*device_count)(int* count);
  int (*device_get)(int* device, int index);
  int (*device_uuid)(CudaUuid* uuid, int device);
  int (*context_retain)(CudaContext* context, int device);
  int (*context_release)(int device);
  int (*context_set)(CudaContext context);
  int (*context_synchronize)();
  int (*allocate)(CudaPointer* pointer, size_t bytes);
  int (*release)(CudaPointer pointer);
  int (*copy_to_device)(CudaPointer target, const void* source, size_t bytes);
  int (*copy_to_host)(void* target, CudaPointer source, size_t bytes);
  int (*stream_create)(CudaStream* stream, unsigned flags);
  int (*stream_destroy)(CudaStream stream);
  int (*stream_synchronize)(CudaStream stream);
  int (*begin_capture)(CudaStream stream, int mode);
  int (*end_capture)(CudaStream stream, CudaGraph* graph);
  int (*graph_instantiate)(CudaGraphExec* out, CudaGraph graph, unsigned long long flags);
  int (*graph_launch)(CudaGraphExec graph, CudaStream stream);
  int (*graph_destroy)(CudaGraph graph);
  int (*graph_exec_destroy)(CudaGraphExec graph);
  int (*event_create)(CudaEvent* event, unsigned flags);
  int (*event_destroy)(CudaEvent event);
  int (*event_record)(CudaEvent event, CudaStream stream);
  int (*event_elapsed)(float* milliseconds, CudaEvent begin, CudaEvent end);

  /// Loads the library once per process. Errors: kUnsupported if it or a function is missing.
  static Result<const CudaFunctions*> load();
};

[[nodiscard]] Error cuda_error(const char* function, int code);

// Returns from the caller with an error of `call`.
#define ONEPASS_CUDA(call)                                                  \
  do {                                                                      \
    if (const int code = (call); code != 0) return cuda_error(#call, code); \
  } while (false)

/// A stream, and memory, on the CUDA device that is the measured Vulkan device.
class CudaQueue {
 public:
  /// Enqueues one record on a set of memory.
  using Record = std::function<Result<void>(size_t set)>;

  /// Errors: kUnsupported without CUDA or if it does not know the device; `peer` names what is skipped then.
  static Result<std::unique_ptr<CudaQueue>> create(const Gpu& gpu, const char* peer);
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;
  ~CudaQueue();

  [[nodiscard]] const CudaFunctions& cuda() const { return cuda_; }
  [[nodiscard]] CudaStream stream() const { return stream_; }

  /// Memory that lives as long as the queue.
  Result<CudaPointer> allocate(size_t bytes);

  /// Waits for all work, copies included: these may return before they have reached the device.
  Result<void> finish();

  /// Times records, alternating with `reference`. As Vulkan's records are in command buffers before they are timed,
  /// those of a round are captured into a CUDA graph. `count`: number of sets that cold records take in turn.
  Result<Comparison> compare(VulkanTimer& timer, MemorySets& sets, size_t count, const Record& record,
                             const VulkanTechnique& reference, Mode mode);

 private:
  /// Consecutive records, ready to launch.
  struct Batch {
    CudaGraph graph = nullptr;
    CudaGraphExec exec = nullptr;
  };

  explicit CudaQueue(const CudaFunctions& cuda) : cuda_(cuda) {}
  Result<void> init(int device);
  Result<Batch> capture(const std::function<Result<void>()>& records);
  Result<double> time(const std::vector<Batch>& batches, uint32_t records);

  const CudaFunctions& cuda_;
  int device_ = 0;
  CudaContext context_ = nullptr;
  CudaStream stream_ = nullptr;
  CudaEvent begin_ = nullptr;
  CudaEvent end_ = nullptr;
  std::vector<CudaPointer> memory_;
};

}  // namespace onepass::bench
