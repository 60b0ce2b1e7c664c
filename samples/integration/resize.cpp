// resize.cpp: what changes with the size of a window and what stays: depth pyramid, meter and tone map of a renderer
// with two frames in flight and three swapchain images, over resizes, a minimised window and dynamic resolution. The
// exposure continues to adapt from size to size. docs/integration.md explains its parts.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "adopted.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tone_map.hpp"

namespace {

using namespace onepass;

constexpr uint32_t kSwapchainImages = 3;
constexpr float kSeconds = 1.0F / 60;
constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr VkImageAspectFlags kColour = VK_IMAGE_ASPECT_COLOR_BIT;

/// Stands for a swapchain of the window's size. A minimised window has none; here it is 1x1.
struct Swapchain {
  std::vector<std::unique_ptr<GpuImage>> images;
  explicit Swapchain(VkExtent2D size) {
    for (uint32_t i = 0; i < kSwapchainImages; ++i) {
      images.push_back(std::make_unique<GpuImage>(VK_FORMAT_R8G8B8A8_UNORM, size, 1, VK_IMAGE_USAGE_STORAGE_BIT));
    }
  }
};

// [view]
/// A pyramid and a meter for one render size, bound to images of that size or larger ones.
struct View {
  vulkan::Pyramid pyramid;
  vulkan::Meter meter;
  std::vector<vulkan::PyramidBinding> hiz;  // one for each frame in flight, each with scratch memory of its own
  vulkan::MeterBinding metered;
};

View make_view(const vulkan::Device& gpu, VkExtent2D size, VkImage depth, const std::vector<VkImage>& levels,
               VkImage scene, VkBuffer results) {
  const Extent extent{size.width, size.height};
  auto pyramid = take(vulkan::Pyramid::create(
      gpu, {.size = extent, .source = Format::kD32Sfloat, .target = Format::kR32Sfloat, .reduction = Reduction::kMax}));
  auto meter = take(vulkan::Meter::create(gpu, {.size = extent, .source = Format::kRGBA16Sfloat}));
  std::vector<vulkan::PyramidBinding> hiz;
  for (VkImage target : levels) {  // null at 1x1: there is no level to write, and record() records nothing
    hiz.push_back(take(pyramid.bind({.source = depth, .target = target, .target_level = 0})));
  }
  // The results hold the state of adaptation and belong to the renderer: every size meters into the same buffer.
  // Scratch memory of the binding is clear.
  auto metered = take(meter.bind({.source = scene, .results = results}));
  return {std::move(pyramid), std::move(meter), std::move(hiz), std::move(metered)};
}
// [/view]

// [sized]
/// All that a window size needs: images, and views of them by render size. Pipelines are the device's: a size with the
/// same stages as an earlier one compiles nothing.
struct Sized {
  VkExtent2D size;
  GpuImage depth, scene;
  std::vector<std::unique_ptr<GpuImage>> levels;  // one for each frame in flight; none at 1x1
  vulkan::ToneMap map;
  std::vector<vulkan::ToneMapBinding> presented;  // one for each swapchain image
  std::map<std::pair<uint32_t, uint32_t>, View> views;
};

std::unique_ptr<Sized> make_sized(const vulkan::Device& gpu, VkExtent2D size, const Swapchain& swapchain,
                                  VkBuffer results) {
  std::unique_ptr<Sized> out(new Sized{
      size,
      {VK_FORMAT_D32_SFLOAT, size, 1,
       VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT},
      {VK_FORMAT_R16G16B16A16_SFLOAT, size, 1, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT},
      {},
      take(vulkan::ToneMap::create(
          gpu, {.size = {size.width, size.height}, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Unorm})),
      {},
      {}});
  uint32_t count = 0;  // levels 1 and up: an image of `count` mip levels, or none
  while (std::max(size.width, size.height) >> (count + 1) != 0) ++count;
  for (uint32_t i = 0; i < kFramesInFlight && count > 0; ++i) {
    const VkExtent2D half{std::max(size.width / 2, 1U), std::max(size.height / 2, 1U)};
    out->levels.push_back(std::make_unique<GpuImage>(VK_FORMAT_R32_SFLOAT, half, count,
                                                     VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
  }
  for (const auto& image : swapchain.images) {
    out->presented.push_back(take(out->map.bind({.source = out->scene.image,
                                                 .target = image->image,
                                                 .exposure = results,
                                                 .exposure_offset = offsetof(MeterResult, exposure)})));
  }
  return out;
}

/// The view of a render size, at most the window's: dynamic resolution makes it when it first needs it.
const View& view_of(const vulkan::Device& gpu, Sized& sized, VkExtent2D render, VkBuffer results) {
  const std::pair key{render.width, render.height};
  if (const auto found = sized.views.find(key); found != sized.views.end()) return found->second;
  std::vector<VkImage> targets(kFramesInFlight, VK_NULL_HANDLE);
  for (size_t i = 0; i < sized.levels.size(); ++i) targets[i] = sized.levels[i]->image;
  return sized.views.emplace(key, make_view(gpu, render, sized.depth.image, targets, sized.scene.image, results))
      .first->second;
}
// [/sized]

/// A frame: the scene, its pyramid, its exposure, its picture. Clears stand for drawing.
struct FrameRequest {
  const Sized& sized;
  const View& view;
  uint32_t slot;   // frame in flight
  uint32_t image;  // of the swapchain
  VkImage presented;
  float light, far_depth;
};

void draw(VkCommandBuffer commands, const FrameRequest& f) {
  const VkClearDepthStencilValue far_depth{f.far_depth, 0};
  const VkClearColorValue light{{f.light, f.light, f.light, 1}};
  const VkImageSubresourceRange depth{VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1}, colour{kColour, 0, 1, 0, 1};
  constexpr VkImageLayout kTransfer = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  constexpr VkPipelineStageFlags2 kClear = VK_PIPELINE_STAGE_2_CLEAR_BIT;
  const auto around = [&](VkImage image, VkImageAspectFlags aspect, const auto& clear) {
    barrier(commands, image, aspect, kCompute, 0, VK_IMAGE_LAYOUT_UNDEFINED, kClear, VK_ACCESS_2_TRANSFER_WRITE_BIT,
            kTransfer);
    clear();
    barrier(commands, image, aspect, kClear, VK_ACCESS_2_TRANSFER_WRITE_BIT, kTransfer, kCompute,
            VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  };
  around(f.sized.depth.image, VK_IMAGE_ASPECT_DEPTH_BIT,
         [&] { vkCmdClearDepthStencilImage(commands, f.sized.depth.image, kTransfer, &far_depth, 1, &depth); });
  around(f.sized.scene.image, kColour,
         [&] { vkCmdClearColorImage(commands, f.sized.scene.image, kTransfer, &light, 1, &colour); });
}

// [frame]
void record_frame(VkCommandBuffer commands, const FrameRequest& f) {
  draw(commands, f);
  const auto to_general = [&](VkImage image, VkPipelineStageFlags2 readers) {
    barrier(commands, image, kColour, readers, 0, VK_IMAGE_LAYOUT_UNDEFINED, kCompute,
            VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_IMAGE_LAYOUT_GENERAL);
  };
  if (!f.sized.levels.empty()) {  // at 1x1 there is no pyramid: the depth buffer is its only texel
    to_general(f.sized.levels[f.slot]->image, VK_PIPELINE_STAGE_2_COPY_BIT);
    f.view.pyramid.record(commands, f.view.hiz[f.slot]);
  }
  // The results of the frame before, of whatever size, are this frame's history.
  memory_barrier(commands, kCompute, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, kCompute,
                 VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
  f.view.meter.record(commands, f.view.metered, {.seconds = kSeconds});
  memory_barrier(commands, kCompute, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, kCompute,
                 VK_ACCESS_2_SHADER_STORAGE_READ_BIT);
  to_general(f.presented, kCompute);
  f.sized.map.record(commands, f.sized.presented[f.image]);
}
// [/frame]

/// Copies the coarsest level that the view has, one texel, and the exposure to 8 bytes at `offset`.
void read_back(VkCommandBuffer commands, const FrameRequest& f, VkBuffer results, VkBuffer to, VkDeviceSize offset) {
  memory_barrier(commands, kCompute, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_PIPELINE_STAGE_2_COPY_BIT,
                 VK_ACCESS_2_TRANSFER_READ_BIT);
  const uint32_t levels = f.view.pyramid.plan().levels - 1;
  if (levels > 0) {
    VkBufferImageCopy region{};
    region.bufferOffset = offset;
    region.imageSubresource = {kColour, levels - 1, 0, 1};
    region.imageExtent = {1, 1, 1};
    vkCmdCopyImageToBuffer(commands, f.sized.levels[f.slot]->image, VK_IMAGE_LAYOUT_GENERAL, to, 1, &region);
  }
  const VkBufferCopy exposure{offsetof(MeterResult, exposure), offset + 4, 4};
  vkCmdCopyBuffer(commands, results, to, 1, &exposure);
  memory_barrier(commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                 VK_PIPELINE_STAGE_2_HOST_BIT | kCompute, VK_ACCESS_2_HOST_READ_BIT);
}

/// The sizes of the window and of rendering, one row per frame.
struct Step {
  VkExtent2D window, render;
};
constexpr Step kSteps[] = {
    {{320, 240}, {320, 240}}, {{320, 240}, {320, 240}}, {{320, 240}, {320, 240}},  // a window
    {{201, 117}, {201, 117}}, {{201, 117}, {201, 117}},                            // resized
    {{1, 1}, {1, 1}},         {{1, 1}, {1, 1}},                                    // minimised
    {{320, 240}, {320, 240}}, {{320, 240}, {160, 120}}, {{320, 240}, {160, 120}},  // restored; dynamic resolution
    {{320, 240}, {320, 240}},
};
constexpr uint32_t kFrames = std::size(kSteps);

int run(const vulkan::Device& gpu) {
  const Buffer results(
      sizeof(MeterResult),
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  const Buffer seen(8 * kFrames, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  const Frames frames;

  // [retire]
  std::unique_ptr<Swapchain> swapchain;
  std::unique_ptr<Sized> sized;
  struct Retired {
    uint64_t frame;  // the last one that used them
    std::unique_ptr<Swapchain> swapchain;
    std::unique_ptr<Sized> sized;
  };
  std::vector<Retired> retired;
  const auto resize = [&](VkExtent2D size, uint64_t frame) {  // called when the window has another size
    if (sized) retired.push_back({frame, std::move(swapchain), std::move(sized)});
    swapchain = std::make_unique<Swapchain>(size);
    sized = make_sized(gpu, size, *swapchain, results.buffer);
  };
  const auto release = [&](uint64_t finished) {  // called every frame, after the wait for the slot
    std::erase_if(retired, [&](const Retired& r) { return r.frame <= finished; });
  };
  // [/retire]

  for (uint32_t frame = 0; frame < kFrames; ++frame) {
    const Step& step = kSteps[frame];
    const uint32_t slot = frame % kFramesInFlight;
    if (frame >= kFramesInFlight) {
      frames.wait(frame - kFramesInFlight + 1);  // until the last use of this slot has finished
      release(frame - kFramesInFlight + 1);
    }
    const bool same = sized && sized->size.width == step.window.width && sized->size.height == step.window.height;
    if (!same) resize(step.window, frame);
    const uint32_t image = frame % kSwapchainImages;  // vkAcquireNextImageKHR
    const FrameRequest request{.sized = *sized,
                               .view = view_of(gpu, *sized, step.render, results.buffer),
                               .slot = slot,
                               .image = image,
                               .presented = swapchain->images[image]->image,
                               .light = frame < 2 ? 0.5F : 8.0F,  // a lamp is lit
                               .far_depth = 0.5F + 0.03125F * static_cast<float>(frame)};
    VkCommandBuffer commands = frames.buffers[slot];
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    if (frame == 0) {  // once: there is no history
      vkCmdFillBuffer(commands, results.buffer, 0, VK_WHOLE_SIZE, 0);
      memory_barrier(commands, VK_PIPELINE_STAGE_2_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT, kCompute,
                     VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
    }
    record_frame(commands, request);
    read_back(commands, request, results.buffer, seen.buffer, VkDeviceSize{8} * frame);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    frames.submit(commands, frame);
  }
  frames.wait(kFrames);

  void* mapped = nullptr;
  check(vkMapMemory(device, seen.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  float values[2 * kFrames] = {};
  std::memcpy(values, mapped, sizeof values);
  uint32_t moved = 0;
  for (uint32_t frame = 0; frame < kFrames; ++frame) {
    const float far_depth = values[2 * frame], exposure = values[2 * frame + 1];
    const bool has_levels = kSteps[frame].render.width > 1;
    if (has_levels && far_depth != 0.5F + 0.03125F * static_cast<float>(frame))
      return fail("a farthest depth is wrong");
    if (frame == 0) continue;
    // The light is four stops brighter from frame 2 on: the exposure falls by 3 stops per second, at every size.
    const float stops = std::log2(values[2 * frame - 1] / exposure);
    const float expected = frame < 2 ? 0 : 3 * kSeconds;
    if (std::fabs(stops - expected) > 1e-4F) return fail("the exposure does not continue to adapt");
    if (stops > 0.01F) ++moved;
  }
  std::printf("%s: %u frames, adapted in %u of them\n", gpu.info().name.c_str(), kFrames, moved);
  return 0;
}

}  // namespace

int main() { return run_on_device(run); }
