// first_frame.cpp: a renderer whose first frame does not wait for the compilation of the fast kernels. A pyramid with a
// dispatch for each level has a small kernel, which compiles in a fraction of the time and computes the same levels.
// The fast pyramid is created on another thread and takes over once it is ready. docs/integration.md explains its
// parts.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "adopted.hpp"
#include "onepass/vulkan/pyramid.hpp"

namespace {

using namespace onepass;
using Clock = std::chrono::steady_clock;

constexpr VkExtent2D kSize{1920, 1080};
constexpr double kMostMilliseconds = 60000;  // for the fast kernels
constexpr uint32_t kFramesAfter = 4;         // with the fast pyramid
constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// [early]
/// An object that is there at once, and its faster replacement, which another thread creates.
template <typename Object>
class Early {
 public:
  Early(Object quick, std::function<Object()> create_fast)
      : quick_(std::move(quick)), creation_(std::async(std::launch::async, std::move(create_fast))) {}

  /// Takes over the fast object if it is ready. Once a frame.
  void update() {
    using namespace std::chrono_literals;
    if (creation_.valid() && creation_.wait_for(0s) == std::future_status::ready) fast_ = creation_.get();
  }
  [[nodiscard]] bool is_fast() const { return fast_.has_value(); }
  /// For recording. The quick object stays alive: frames in flight may still use it.
  [[nodiscard]] const Object& get() const { return fast_ ? *fast_ : quick_; }

 private:
  Object quick_;
  std::optional<Object> fast_;
  std::future<Object> creation_;  // its destructor waits for the other thread
};

/// A depth pyramid and its bindings, one for each frame in flight.
struct HiZ {
  vulkan::Pyramid pyramid;
  std::vector<vulkan::PyramidBinding> bindings;
};

HiZ make_hiz(const vulkan::Device& gpu, VkImage depth, const std::vector<VkImage>& levels, PyramidPath path) {
  auto pyramid = take(vulkan::Pyramid::create(gpu,
                                              {.size = {kSize.width, kSize.height},
                                               .source = Format::kD32Sfloat,
                                               .target = Format::kR32Sfloat,
                                               .reduction = Reduction::kMax},
                                              {.path = path}));
  std::vector<vulkan::PyramidBinding> bindings;
  for (VkImage target : levels) {
    bindings.push_back(take(pyramid.bind({.source = depth, .target = target, .target_level = 0})));
  }
  return {std::move(pyramid), std::move(bindings)};
}
// [/early]

/// Clears the depth buffer, which stands for drawing, and records its pyramid.
void record_frame(VkCommandBuffer commands, const HiZ& hiz, uint32_t slot, VkImage depth, VkImage levels, float far) {
  constexpr VkImageLayout kTransfer = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  constexpr VkPipelineStageFlags2 kClear = VK_PIPELINE_STAGE_2_CLEAR_BIT;
  const VkClearDepthStencilValue value{far, 0};
  const VkImageSubresourceRange range{VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
  barrier(commands, depth, VK_IMAGE_ASPECT_DEPTH_BIT, kCompute, 0, VK_IMAGE_LAYOUT_UNDEFINED, kClear,
          VK_ACCESS_2_TRANSFER_WRITE_BIT, kTransfer);
  vkCmdClearDepthStencilImage(commands, depth, kTransfer, &value, 1, &range);
  barrier(commands, depth, VK_IMAGE_ASPECT_DEPTH_BIT, kClear, VK_ACCESS_2_TRANSFER_WRITE_BIT, kTransfer, kCompute,
          VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  barrier(commands, levels, VK_IMAGE_ASPECT_COLOR_BIT, VK_PIPELINE_STAGE_2_COPY_BIT, 0, VK_IMAGE_LAYOUT_UNDEFINED,
          kCompute, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_IMAGE_LAYOUT_GENERAL);
  hiz.pyramid.record(commands, hiz.bindings[slot]);
}

/// Copies the coarsest level, one texel.
void read_back(VkCommandBuffer commands, VkImage levels, uint32_t level, VkBuffer to, VkDeviceSize offset) {
  memory_barrier(commands, kCompute, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_PIPELINE_STAGE_2_COPY_BIT,
                 VK_ACCESS_2_TRANSFER_READ_BIT);
  VkBufferImageCopy region{};
  region.bufferOffset = offset;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1};
  region.imageExtent = {1, 1, 1};
  vkCmdCopyImageToBuffer(commands, levels, VK_IMAGE_LAYOUT_GENERAL, to, 1, &region);
  memory_barrier(commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_2_HOST_BIT,
                 VK_ACCESS_2_HOST_READ_BIT);
}

float depth_of(uint32_t frame) { return static_cast<float>(frame % 64) / 64; }

int run(const vulkan::Device& gpu) {
  uint32_t count = 0;  // levels 1 and up
  while (std::max(kSize.width, kSize.height) >> (count + 1) != 0) ++count;
  const GpuImage depth(VK_FORMAT_D32_SFLOAT, kSize, 1, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  const VkExtent2D half{kSize.width / 2, kSize.height / 2};
  std::vector<std::unique_ptr<GpuImage>> images;
  std::vector<VkImage> levels;
  for (uint32_t i = 0; i < kFramesInFlight; ++i) {
    images.push_back(std::make_unique<GpuImage>(VK_FORMAT_R32_SFLOAT, half, count,
                                                VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
    levels.push_back(images.back()->image);
  }
  const Buffer seen(sizeof(float) * kFramesInFlight, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  void* mapped = nullptr;
  check(vkMapMemory(device, seen.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  const Frames frames;

  const auto begin = Clock::now();
  // [switch]
  Early<HiZ> hiz(make_hiz(gpu, depth.image, levels, PyramidPath::kPerLevel),
                 [&] { return make_hiz(gpu, depth.image, levels, PyramidPath::kAuto); });
  // [/switch]
  const double quick_ms = milliseconds_since(begin);
  double fast_ms = 0;
  uint32_t frame = 0, quick_frames = 0, fast_frames = 0;
  for (; fast_frames < kFramesAfter; ++frame) {
    if (milliseconds_since(begin) > kMostMilliseconds) return fail("the fast pyramid is never ready");
    const uint32_t slot = frame % kFramesInFlight;
    if (frame >= kFramesInFlight) {
      frames.wait(frame - kFramesInFlight + 1);
      float farthest = 0;
      std::memcpy(&farthest, static_cast<const float*>(mapped) + slot, sizeof farthest);
      if (farthest != depth_of(frame - kFramesInFlight)) return fail("a farthest depth is wrong");
    }
    VkCommandBuffer commands = frames.buffers[slot];
    const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
    record_frame(commands, hiz.get(), slot, depth.image, levels[slot], depth_of(frame));
    read_back(commands, levels[slot], count - 1, seen.buffer, sizeof(float) * slot);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    frames.submit(commands, frame);
    (hiz.is_fast() ? fast_frames : quick_frames) += 1;
    hiz.update();
    if (hiz.is_fast() && fast_ms == 0) fast_ms = milliseconds_since(begin);
  }
  frames.wait(frame);
  if (hiz.get().pyramid.dispatch_plan().path == PyramidPath::kPerLevel) return fail("the fast pyramid is not used");
  std::printf("%s: first frame after %.1f ms, %u frames by the small kernel, by the fast one after %.1f ms\n",
              gpu.info().name.c_str(), quick_ms, quick_frames, fast_ms);
  return quick_frames > 0 ? 0 : fail("the small kernel is not used");
}

}  // namespace

int main() { return run_on_device(run); }
