// cub.cu: CUB's algorithms on an image of half floats, compiled by nvcc. See cub.hpp.
#include <cuda_fp16.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/cub.cuh>

#include "peers/cub.hpp"

namespace onepass::bench {
namespace {

struct LogLuminance {
  __host__ __device__ float operator()(uint2 texel) const {
    const float2 rg = __half22float2(reinterpret_cast<const __half2&>(texel.x));
    const float2 ba = __half22float2(reinterpret_cast<const __half2&>(texel.y));
    const float luminance = kCubWeights[0] * rg.x + kCubWeights[1] * rg.y + kCubWeights[2] * ba.x;
    return fminf(fmaxf(log2f(luminance), kCubLeast), kCubMost);
  }
};

}  // namespace

int cub_sum(void* temporary, size_t& bytes, const void* texels, float* sum, int count, void* stream) {
  return cub::DeviceReduce::TransformReduce(temporary, bytes, static_cast<const uint2*>(texels), sum, count,
                                            ::cuda::std::plus<>(), LogLuminance(), 0.0F,
                                            static_cast<cudaStream_t>(stream));
}

int cub_histogram(void* temporary, size_t& bytes, const void* texels, unsigned* bins, int count, void* stream) {
  return cub::DeviceHistogram::HistogramEven(
      temporary, bytes, thrust::make_transform_iterator(static_cast<const uint2*>(texels), LogLuminance()), bins,
      kCubBins + 1, kCubLeast, kCubMost, count, static_cast<cudaStream_t>(stream));
}

}  // namespace onepass::bench
