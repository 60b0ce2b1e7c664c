// cuda.hpp: the few functions of CUDA's driver and of cuFFT that the benchmark calls, found when the program runs. The
// declarations are our own, so that nothing of CUDA is needed to build it.
//
// The driver's interface (libcuda), not the runtime's: it comes with every driver, and cuFFT works in any context of
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "onepass/result.hpp"

namespace onepass::bench {

using CudaPointer = uint64_t;                   ///< CUdeviceptr
using CudaEvent = struct CudaEventOf*;          ///< CUevent
using CudaStream = struct CudaStreamOf*;        ///< CUstream
using CudaContext = struct CudaContextOf*;      ///< CUcontext
using CudaGraph = struct CudaGraphOf*;          ///< CUgraph
using CudaGraphExec = struct CudaGraphExecOf*;  ///< CUgraphExec
using CufftHandle = int;

struct CudaUuid {
  uint8_t bytes[16];
};

/// cufftType and directions.
enum : int { kCufftR2C = 0x2a, kCufftC2R = 0x2c, kCufftC2C = 0x29, kCufftForward = -1, kCufftInverse = 1 };

/// Functions of libcuda.so.1 and libcufft.so. All return 0 for success.
struct CudaFunctions {
  int (*init)(unsigned flags);
  int (*device_count)(int* count);
  int (*device_get)(int* device, int index);
  int (*device_uuid)(CudaUuid* uuid, int device);
  int (*context_retain)(CudaContext* context, int device);
  int (*context_release)(int device);
  int (*context_set)(CudaContext context);
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
  int (*plan_many)(CufftHandle* plan, int rank, int* size, int* in_embed, int in_stride, int in_distance,
                   int* out_embed, int out_stride, int out_distance, int type, int batch);
  int (*plan_destroy)(CufftHandle plan);
  int (*plan_stream)(CufftHandle plan, CudaStream stream);
  int (*execute_c2c)(CufftHandle plan, void* in, void* out, int direction);
  int (*execute_r2c)(CufftHandle plan, void* in, void* out);
  int (*execute_c2r)(CufftHandle plan, void* in, void* out);
  int (*version)(int* version);

  /// Loads the libraries once per process. Prints one line that says what was found or is missing.
  /// Errors: kUnsupported if a library or function is missing.
  static Result<const CudaFunctions*> load();
};

}  // namespace onepass::bench
