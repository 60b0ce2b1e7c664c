// cuda_tile_reduction.cpp: C functions for tile reductions in CUDA memory.
#include "onepass/cuda/tile_reduction.hpp"

#include "c_api/cuda_abi.hpp"

struct onepass_cuda_tile_reduction {
  onepass::cuda::TileReduction object;
};

struct onepass_cuda_tile_reduction_binding {
  onepass::cuda::TileReductionBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_cuda_tile_reduction_create(const onepass_cuda_device* device,
                                                const onepass_tile_reduction_options* options,
                                                const onepass_cuda_image_memory* memory,
                                                onepass_cuda_tile_reduction** reduction, onepass_error* error) {
  return create_in_cuda<cuda::TileReduction>(device, options, memory, read_memory, reduction, error);
}

void onepass_cuda_tile_reduction_destroy(onepass_cuda_tile_reduction* reduction) { delete reduction; }

onepass_code onepass_cuda_tile_reduction_bind(const onepass_cuda_tile_reduction* reduction,
                                              const onepass_cuda_image* source, const onepass_cuda_image* target,
                                              onepass_cuda_tile_reduction_binding** binding, onepass_error* error) {
  return make_binding(binding, error, reduction, "reduction", [&]() -> Result<cuda::TileReductionBinding> {
    if (auto there = require(source, "source"); !there) return there.error();
    if (auto there = require(target, "target"); !there) return there.error();
    return reduction->object.bind({.source = to_cpp(*source), .target = to_cpp(*target)});
  });
}

void onepass_cuda_tile_reduction_binding_destroy(onepass_cuda_tile_reduction_binding* binding) { delete binding; }

onepass_code onepass_cuda_tile_reduction_record(const onepass_cuda_tile_reduction* reduction, void* stream,
                                                const onepass_cuda_tile_reduction_binding* binding,
                                                onepass_error* error) {
  return record_in_cuda(reduction, "reduction", binding, error,
                        [&] { return reduction->object.record(static_cast<cuda::Stream>(stream), binding->object); });
}

}  // extern "C"
