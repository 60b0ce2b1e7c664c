// frame.cpp: submits the culled frame, then in a second submission the same frame without culling and a comparison of
// all pixels, so that the reference does not disturb the times.
#include "frame.hpp"

#include <array>
#include <cstring>

#include "kernels/compare_comp.h"

namespace samples::occlusion {
namespace {

// Timestamps, in the order of their commands.
enum Stamp : uint32_t {
  kBegin,
  kEarlyListed,
  kEarlyDrawn,
  kPyramidMade,
  kLateListed,
  kLateDrawn,
  kReferenceBegin,
  kInViewDrawn,
  kAllDrawn,
  kStamps
};

constexpr VkDeviceSize kCommandBytes = LIST_COUNT * sizeof(VkDrawIndirectCommand);

}  // namespace

FrameLoop::FrameLoop(Gpu& gpu, const Scene& scene, onepass::Extent size, onepass::Footprint footprint)
    : gpu_(gpu),
      lists_(gpu, scene),
      renderer_(gpu, lists_),
      culled_(renderer_.target(size)),
      reference_(renderer_.target(size)),
      culling_(gpu, lists_, culled_, footprint) {
  constexpr VkDescriptorType kImage = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  different_ = gpu.buffer(
      sizeof(uint32_t),
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
      Memory::kDevice);
  results_ = gpu.buffer(kCommandBytes + sizeof(uint32_t), VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kHost);
  compare_ = gpu.compute(kernel_compare_comp, {kImage, kImage, kImage, kImage, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}, 0);
  constexpr VkImageLayout kColourRead = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  compare_set_ = gpu.descriptors(
      compare_, {ImageResource{culled_.colour.view, kColourRead}, ImageResource{culled_.depth.view, kDepthRead},
                 ImageResource{reference_.colour.view, kColourRead}, ImageResource{reference_.depth.view, kDepthRead},
                 different_.handle});
  stamps_ = gpu.timestamps(kStamps);
}

void FrameLoop::stamp(VkCommandBuffer commands, uint32_t index) const {
  gpu_.vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps_, index);
}

void FrameLoop::record_culled(VkCommandBuffer commands, const Camera& camera) const {
  gpu_.vk.vkCmdResetQueryPool(commands, stamps_, 0, kStamps);
  lists_.record_clear(gpu_, commands);
  stamp(commands, kBegin);
  culling_.record_list(commands, camera, LIST_EARLY);
  stamp(commands, kEarlyListed);
  renderer_.record(commands, culled_, Renderer::Pass::kClear, camera, LIST_EARLY);
  stamp(commands, kEarlyDrawn);
  culling_.record_pyramid(commands);
  stamp(commands, kPyramidMade);
  culling_.record_list(commands, camera, LIST_LATE);
  stamp(commands, kLateListed);
  renderer_.record(commands, culled_, Renderer::Pass::kContinue, camera, LIST_LATE);
  stamp(commands, kLateDrawn);
}

void FrameLoop::record_reference(VkCommandBuffer commands, const Camera& camera) const {
  stamp(commands, kReferenceBegin);
  culling_.record_list(commands, camera, LIST_IN_VIEW);
  renderer_.record(commands, reference_, Renderer::Pass::kClear, camera, LIST_IN_VIEW);
  stamp(commands, kInViewDrawn);
  renderer_.record(commands, reference_, Renderer::Pass::kClear, camera, LIST_ALL);
  stamp(commands, kAllDrawn);
}

void FrameLoop::record_comparison(VkCommandBuffer commands) const {
  constexpr Gpu::Access kWritten{VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                 VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  gpu_.vk.vkCmdFillBuffer(commands, different_.handle, 0, VK_WHOLE_SIZE, 0);
  gpu_.barrier(commands, kWritten,
               {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT});
  const auto groups = [](uint32_t texels) { return (texels + COMPARE_GROUP_SIZE - 1) / COMPARE_GROUP_SIZE; };
  const onepass::Extent size = culled_.colour.size;
  gpu_.dispatch(commands, compare_, compare_set_, {}, groups(size.width), groups(size.height));
  gpu_.barrier(commands, kWritten, {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT});
  const VkBufferCopy counts{0, 0, kCommandBytes};
  gpu_.vk.vkCmdCopyBuffer(commands, lists_.commands.handle, results_.handle, 1, &counts);
  const VkBufferCopy different{0, kCommandBytes, sizeof(uint32_t)};
  gpu_.vk.vkCmdCopyBuffer(commands, different_.handle, results_.handle, 1, &different);
}

FrameTimes FrameLoop::read_times() const {
  std::array<uint64_t, kStamps> ticks{};
  Gpu::require(gpu_.vk.vkGetQueryPoolResults(gpu_.handle(), stamps_, 0, kStamps, sizeof(ticks), ticks.data(),
                                             sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
               "vkGetQueryPoolResults");
  const auto between = [&](Stamp from, Stamp to) {
    return static_cast<double>(ticks[to] - ticks[from]) * gpu_.nanoseconds_per_tick() * 1e-3;
  };
  return {.early_draw = between(kEarlyListed, kEarlyDrawn),
          .pyramid = between(kEarlyDrawn, kPyramidMade),
          .cull = between(kBegin, kEarlyListed) + between(kPyramidMade, kLateListed),
          .late_draw = between(kLateListed, kLateDrawn),
          .total = between(kBegin, kLateDrawn),
          .in_view = between(kReferenceBegin, kInViewDrawn),
          .all = between(kInViewDrawn, kAllDrawn)};
}

FrameResult FrameLoop::draw(const Camera& camera) {
  gpu_.run([&](VkCommandBuffer commands) { record_culled(commands, camera); });
  gpu_.run([&](VkCommandBuffer commands) {
    record_reference(commands, camera);
    record_comparison(commands);
  });
  FrameResult result;
  result.times = read_times();
  VkDrawIndirectCommand draws[LIST_COUNT];
  std::memcpy(draws, results_.mapped, kCommandBytes);
  std::memcpy(&result.wrong, results_.mapped + kCommandBytes, sizeof(result.wrong));
  result.in_view = draws[LIST_IN_VIEW].instanceCount;
  result.early = draws[LIST_EARLY].instanceCount;
  result.late = draws[LIST_LATE].instanceCount;
  return result;
}

}  // namespace samples::occlusion
