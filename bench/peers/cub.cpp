// cub.cpp: CUB's reduction and histogram of an image, in CUDA memory of their own, timed by CUDA events.
#include "peers/cub.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "peers/cuda.hpp"
#include "peers/light_peers.hpp"

namespace onepass::bench {
namespace {

class Cub final : public LightPeerPlan {
 public:
  Cub(std::unique_ptr<CudaQueue> queue, LightPeer peer) : queue_(std::move(queue)), peer_(peer) {}

  Result<void> init(const ImageView& source, size_t sets) {
    count_ = static_cast<int>(source.size.width * source.size.height);
    const size_t bytes = size_t{8} * static_cast<size_t>(count_);
    if (auto measured = run(0, nullptr); !measured) return measured;  // sets temporary_bytes_
    auto temporary = queue_->allocate(std::max<size_t>(temporary_bytes_, 1));
    if (!temporary) return temporary.error();
    temporary_ = *temporary;
    auto result = queue_->allocate(sizeof(bins_));
    if (!result) return result.error();
    result_ = *result;
    for (size_t i = 0; i < sets; ++i) {
      auto texels = queue_->allocate(bytes);
      if (!texels) return texels.error();
      texels_.push_back(*texels);
      ONEPASS_CUDA(queue_->cuda().copy_to_device(*texels, source.data, bytes));
    }
    return queue_->finish();
  }

  Result<void> verify(const ImageView& source) override {
    if (auto ran = run(0); !ran) return ran;
    if (auto finished = queue_->finish(); !finished) return finished;
    ONEPASS_CUDA(queue_->cuda().copy_to_host(bins_.data(), result_, sizeof(bins_)));
    double sum = 0;
    std::array<int64_t, kCubBins> expected{};
    std::vector<float> texels(size_t{4} * source.size.width);
    for (uint32_t y = 0; y < source.size.height; ++y) {
      decode_row(source.format, source.row(y), source.size.width, texels.data());
      for (uint32_t x = 0; x < source.size.width; ++x) {
        const float* texel = &texels[size_t{4} * x];
        const float luminance = kCubWeights[0] * texel[0] + kCubWeights[1] * texel[1] + kCubWeights[2] * texel[2];
        const float value = std::clamp(std::log2(luminance), kCubLeast, kCubMost);
        sum += static_cast<double>(value);
        const float bin = (value - kCubLeast) / (kCubMost - kCubLeast) * kCubBins;
        if (bin < kCubBins) ++expected[static_cast<size_t>(bin)];
      }
    }
    return peer_ == LightPeer::kCubSum ? verify_sum(sum) : verify_histogram(expected);
  }

  Result<Comparison> compare(VulkanTimer& timer, MemorySets& sets, const VulkanTechnique& reference,
                             Mode mode) override {
    return queue_->compare(
        timer, sets, texels_.size(), [this](size_t set) { return run(set); }, reference, mode);
  }

 private:
  Result<void> run(size_t set) { return run(set, pointer(temporary_)); }

  Result<void> run(size_t set, void* temporary) {
    const void* texels = texels_.empty() ? nullptr : pointer(texels_[set]);
    void* result = pointer(result_);
    if (peer_ == LightPeer::kCubSum) {
      ONEPASS_CUDA(cub_sum(temporary, temporary_bytes_, texels, static_cast<float*>(result), count_, queue_->stream()));
    } else {
      ONEPASS_CUDA(
          cub_histogram(temporary, temporary_bytes_, texels, static_cast<unsigned*>(result), count_, queue_->stream()));
    }
    return {};
  }

  [[nodiscard]] Result<void> verify_sum(double expected) const {
    const double actual = static_cast<double>(std::bit_cast<float>(bins_[0]));
    // Floats are added up in a tree. Written so that a NaN fails.
    if (std::abs(actual - expected) < 1e-4 * std::abs(expected)) return {};
    return wrong("the sum is " + std::to_string(actual) + ", not " + std::to_string(expected));
  }

  // Values on the boundary of two bins may be in either of them.
  [[nodiscard]] Result<void> verify_histogram(const std::array<int64_t, kCubBins>& expected) const {
    int64_t moved = 0;
    for (size_t i = 0; i < kCubBins; ++i) moved += std::abs(int64_t{bins_[i]} - expected[i]);
    if (moved <= count_ / 5000) return {};
    return wrong(std::to_string(moved) + " texels are in other bins");
  }

  static Error wrong(std::string message) { return {ErrorCode::kBadData, "wrong output: " + message, "CUB"}; }
  static void* pointer(CudaPointer address) { return reinterpret_cast<void*>(static_cast<uintptr_t>(address)); }

  std::unique_ptr<CudaQueue> queue_;
  LightPeer peer_;
  int count_ = 0;
  size_t temporary_bytes_ = 0;
  CudaPointer temporary_ = 0;
  CudaPointer result_ = 0;
  std::vector<CudaPointer> texels_;
  std::array<uint32_t, kCubBins> bins_{};  // of the sum, the first word alone
};

}  // namespace

LightPeerResult make_cub(const Gpu& gpu, LightPeer peer, const ImageView& source, size_t sets) {
  auto queue = CudaQueue::create(gpu, "CUB");
  if (!queue) return queue.error();
  auto out = std::make_unique<Cub>(std::move(*queue), peer);
  if (auto made = out->init(source, sets); !made) return made.error();
  return std::unique_ptr<LightPeerPlan>(std::move(out));
}

}  // namespace onepass::bench
