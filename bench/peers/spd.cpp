// spd.cpp: FidelityFX SPD 2.0 on the image sets: spd.comp around AMD's headers, one dispatch per pyramid.
//
// Its counter must be 0 before the first dispatch; SPD resets it itself.
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "image/div_up.hpp"
#include "kernels/peer_spd_r32f_load.h"
#include "kernels/peer_spd_r32f_load_switch.h"
#include "kernels/peer_spd_r32f_min.h"
#include "kernels/peer_spd_r32f_min_switch.h"
#include "kernels/peer_spd_r32f_sampler.h"
#include "kernels/peer_spd_r32f_sampler_switch.h"
#include "kernels/peer_spd_rgba16f_half.h"
#include "kernels/peer_spd_rgba16f_half_switch.h"
#include "kernels/peer_spd_rgba16f_load.h"
#include "kernels/peer_spd_rgba16f_load_switch.h"
#include "kernels/peer_spd_rgba16f_sampler.h"
#include "kernels/peer_spd_rgba16f_sampler_switch.h"
#include "kernels/peer_spd_rgba8_half.h"
#include "kernels/peer_spd_rgba8_half_switch.h"
#include "kernels/peer_spd_rgba8_load.h"
#include "kernels/peer_spd_rgba8_load_switch.h"
#include "kernels/peer_spd_rgba8_sampler.h"
#include "kernels/peer_spd_rgba8_sampler_switch.h"
#include "peers/pyramid_peers.hpp"
#include "peers/set_views.hpp"

namespace onepass::bench {
namespace {

constexpr uint32_t kMostLevels = 12;
constexpr uint32_t kExchangedLevel = 5;  // counted from the first level that SPD writes

/// A variant of spd.comp.
struct Kernel {
  Format format;
  Reduction reduction;
  PyramidPeer peer;
  std::span<const uint32_t> dynamic;
  std::span<const uint32_t> by_switch;  // for devices without dynamic indexing of storage images
};
const Kernel kKernels[] = {
    {Format::kR32Sfloat, Reduction::kMean, PyramidPeer::kSpd, kernel_peer_spd_r32f_sampler,
     kernel_peer_spd_r32f_sampler_switch},
    {Format::kR32Sfloat, Reduction::kMean, PyramidPeer::kSpdLoad, kernel_peer_spd_r32f_load,
     kernel_peer_spd_r32f_load_switch},
    {Format::kR32Sfloat, Reduction::kMin, PyramidPeer::kSpdLoad, kernel_peer_spd_r32f_min,
     kernel_peer_spd_r32f_min_switch},
    {Format::kRGBA16Sfloat, Reduction::kMean, PyramidPeer::kSpd, kernel_peer_spd_rgba16f_sampler,
     kernel_peer_spd_rgba16f_sampler_switch},
    {Format::kRGBA16Sfloat, Reduction::kMean, PyramidPeer::kSpdHalf, kernel_peer_spd_rgba16f_half,
     kernel_peer_spd_rgba16f_half_switch},
    {Format::kRGBA16Sfloat, Reduction::kMean, PyramidPeer::kSpdLoad, kernel_peer_spd_rgba16f_load,
     kernel_peer_spd_rgba16f_load_switch},
    {Format::kRGBA8Unorm, Reduction::kMean, PyramidPeer::kSpd, kernel_peer_spd_rgba8_sampler,
     kernel_peer_spd_rgba8_sampler_switch},
    {Format::kRGBA8Unorm, Reduction::kMean, PyramidPeer::kSpdHalf, kernel_peer_spd_rgba8_half,
     kernel_peer_spd_rgba8_half_switch},
    {Format::kRGBA8Unorm, Reduction::kMean, PyramidPeer::kSpdLoad, kernel_peer_spd_rgba8_load,
     kernel_peer_spd_rgba8_load_switch},
};

std::span<const uint32_t> kernel_of(const Gpu& gpu, const PyramidPeerCase& one) {
  const bool dynamic = gpu.device().handles().features.storage_image_array_dynamic_indexing;
  for (const Kernel& kernel : kKernels) {
    if (kernel.format == one.pyramid.target && kernel.reduction == one.pyramid.reduction && kernel.peer == one.peer) {
      return dynamic ? kernel.dynamic : kernel.by_switch;
    }
  }
  return {};
}

const std::vector<Binding> kBindings = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                        {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, kMostLevels},
                                        VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                        VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};

class Spd final : public VulkanTechnique {
 public:
  Spd(const Gpu& gpu, const ImageSets& images) : gpu_(gpu), pyramid_(images.pyramid()), views_(gpu, images) {}

  Result<void> init(const ImageSets& images, const PyramidPeerCase& one) {
    const auto& [width, height] = pyramid_.size;
    groups_ = {div_up(width, 64), div_up(height, 64)};
    push_ = {images.target(0).levels, groups_.width * groups_.height,
             std::bit_cast<uint32_t>(1.0F / static_cast<float>(width)),
             std::bit_cast<uint32_t>(1.0F / static_cast<float>(height))};
    PipelineRequest request;
    request.code = kernel_of(gpu_, one);
    request.bindings = kBindings;
    request.push_bytes = sizeof(push_);
    request.full_subgroups = true;  // SPD exchanges values between the four invocations of a quad
    request.linear_filter = one.peer != PyramidPeer::kSpdLoad;
    auto pipeline = ComputePipeline::create(gpu_, request);
    if (!pipeline) return pipeline.error();
    pipeline_ = std::move(*pipeline);
    auto sets = DescriptorSets::create(gpu_, *pipeline_, kBindings, static_cast<uint32_t>(images.count()));
    if (!sets) return sets.error();
    sets_ = std::move(*sets);
    for (size_t i = 0; i < images.count(); ++i) {
      if (auto written = write_set(i); !written) return written;
    }
    return gpu_.device().run([&](VkCommandBuffer commands) {
      for (const vulkan::Buffer& counter : counters_) {
        gpu_.vk().vkCmdFillBuffer(commands, counter.buffer, 0, VK_WHOLE_SIZE, 0);
      }
      full_barrier(gpu_, commands);
    });
  }

  void record(VkCommandBuffer commands, size_t set) const override {
    pipeline_->dispatch(commands, (*sets_)[set], push_, groups_.width, groups_.height, pyramid_.slices);
  }

  uint64_t bytes() const override {
    const PyramidPlan plan = *plan_pyramid(pyramid_.options());
    return plan.bytes_read + plan.bytes_written;
  }

 private:
  Result<void> write_set(size_t set) {
    auto counter = vulkan::Buffer::create(gpu_.impl(), sizeof(uint32_t),
                                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, false);
    if (!counter) return counter.error();
    sets_->write_buffer(set, 3, counter->buffer);
    counters_.push_back(std::move(*counter));
    auto source = views_.source(set);
    if (!source) return source.error();
    sets_->write_image(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                       {pipeline_->sampler(), *source, source_layout()});
    auto levels = views_.levels(set, kMostLevels);
    if (!levels) return levels.error();
    const auto level_of = [&](uint32_t n) {
      return VkDescriptorImageInfo{VK_NULL_HANDLE, (*levels)[n], VK_IMAGE_LAYOUT_GENERAL};
    };
    for (uint32_t n = 0; n < kMostLevels; ++n) {
      sets_->write_image(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, level_of(n), n);
    }
    sets_->write_image(set, 2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, level_of(kExchangedLevel));
    return {};
  }

  const Gpu& gpu_;
  PyramidCase pyramid_;
  Extent groups_;
  std::array<uint32_t, 4> push_{};
  std::unique_ptr<ComputePipeline> pipeline_;
  std::unique_ptr<DescriptorSets> sets_;
  std::vector<vulkan::Buffer> counters_;
  SetViews views_;
};

Error unsupported(const Gpu& gpu, const char* message) {
  return {ErrorCode::kUnsupported, message, gpu.device().info().name};
}

}  // namespace

TechniqueResult make_spd(const Gpu& gpu, const ImageSets& images, const PyramidPeerCase& one) {
  if (images.target(0).levels > kMostLevels) return unsupported(gpu, "SPD makes at most 12 levels");
  if (!gpu.has_quads()) return unsupported(gpu, "no quad operations in compute shaders");
  if (one.peer == PyramidPeer::kSpdHalf && !gpu.has_peer_features()) {
    return unsupported(gpu, "no half arithmetic in subgroup operations");
  }
  if (one.peer != PyramidPeer::kSpdLoad && !gpu.can_filter(one.pyramid.source)) {
    return unsupported(gpu, "no linear filter for this format");
  }
  auto out = std::make_unique<Spd>(gpu, images);
  if (auto made = out->init(images, one); !made) return made.error();
  return std::unique_ptr<VulkanTechnique>(std::move(out));
}

}  // namespace onepass::bench
