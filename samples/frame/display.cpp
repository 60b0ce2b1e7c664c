// display.cpp: creates meter, bloom and tone maps of onepass for the frame's images. The tone map reads the exposure
// from the meter's result buffer: the host does not wait for it.
#include "display.hpp"

#include <cstddef>
#include <cstring>

namespace samples::frame {
namespace {

namespace ov = onepass::vulkan;

ov::Meter make_meter(const Gpu& gpu, const Targets& targets) {
  return value_of(
      ov::Meter::create(gpu.device(), {.size = targets.size,
                                       .slices = targets.eyes,
                                       .source = onepass::Format::kRGBA16Sfloat,
                                       .metering = onepass::Metering::kCentreWeighted,
                                       .centre_y = 0.62F,
                                       .statistic = onepass::MeterStatistic::kPercentiles,
                                       .clip_low = 0.05F,
                                       .clip_high = 0.9F,
                                       .calibration = 0.125F,  // the unit of light is 100 cd/m2
                                       .compensation = 0.3F,
                                       .adaptation = {.up_stops_per_second = 1.4F, .down_stops_per_second = 0.7F}}));
}

ov::Bloom make_bloom(const Gpu& gpu, const Targets& targets) {
  return value_of(ov::Bloom::create(gpu.device(), {.size = targets.size,
                                                   .slices = targets.eyes,
                                                   .source = onepass::Format::kRGBA16Sfloat,
                                                   .method = onepass::BloomMethod::kMipChain,
                                                   .scatter = 0.07F,
                                                   .spread = 0.8F}));
}

ov::ToneMap make_map(const Gpu& gpu, const Targets& targets, const Options& options,
                     const onepass::LocalExposure& local) {
  const bool pq = options.output_transfer == Output::kPq;
  return value_of(
      ov::ToneMap::create(gpu.device(), {.size = targets.size,
                                         .slices = targets.eyes,
                                         .source = onepass::Format::kRGBA16Sfloat,
                                         .target = pq ? onepass::Format::kRGBA16Unorm : onepass::Format::kRGBA8Unorm,
                                         .tone_operator = onepass::ToneOperator::kAgxBlender,
                                         .look = onepass::AgxLook::kPunchy,
                                         .transfer = pq ? onepass::Transfer::kPq : onepass::Transfer::kSrgb,
                                         .primaries = pq ? onepass::Primaries::kRec2020 : onepass::Primaries::kRec709,
                                         .dither = onepass::Dither::kOn,
                                         .local = local}));
}

ov::ToneMapImages map_images(const Image& source, const Image& picture, const ov::MeterBinding& meter) {
  return {.source = source.handle,
          .source_layout = VK_IMAGE_LAYOUT_GENERAL,
          .target = picture.handle,
          .exposure = meter.results(),
          .exposure_offset = meter.results_offset() + offsetof(onepass::MeterResult, exposure)};
}

}  // namespace

Display::Display(Gpu& gpu, const Targets& targets, const Options& options)
    : gpu_(gpu),
      meter_(make_meter(gpu, targets)),
      meter_binding_(value_of(meter_.bind({.source = targets.scene.handle, .source_layout = VK_IMAGE_LAYOUT_GENERAL}))),
      glowing_(
          gpu.image(kLight, targets.size, 1, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, targets.eyes)),
      bloom_(make_bloom(gpu, targets)),
      bloom_binding_(value_of(bloom_.bind({.source = {.image = targets.scene.handle, .layout = VK_IMAGE_LAYOUT_GENERAL},
                                           .target = {.image = glowing_.handle, .layout = VK_IMAGE_LAYOUT_GENERAL}}))),
      picture_(
          gpu.image(options.output_transfer == Output::kPq ? VK_FORMAT_R16G16B16A16_UNORM : VK_FORMAT_R8G8B8A8_UNORM,
                    targets.size, 1, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, targets.eyes)),
      global_(make_map(gpu, targets, options, {})),
      global_binding_(value_of(global_.bind(map_images(glowing_, picture_, meter_binding_)))),
      plain_binding_(value_of(global_.bind(map_images(targets.scene, picture_, meter_binding_)))),
      local_(make_map(gpu, targets, options, {.highlights = 0.72F, .shadows = 0.72F})),
      local_binding_(value_of(local_.bind(map_images(glowing_, picture_, meter_binding_)))),
      result_(gpu.buffer(sizeof(onepass::MeterResult), VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kHost)) {
  gpu.run([&](VkCommandBuffer commands) {
    for (const Image* image : {&glowing_, &picture_}) {
      gpu.transition(commands, *image, VK_IMAGE_LAYOUT_UNDEFINED, {VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
                     VK_IMAGE_LAYOUT_GENERAL, kComputeBoth);
    }
    bloom_.record_kernel(commands);
    meter_.record_reset(commands, meter_binding_);
  });
}

void Display::record_meter(VkCommandBuffer commands, float seconds, bool cut) const {
  gpu_.barrier(commands, kComputeWrite, kComputeBoth);
  meter_.record(commands, meter_binding_, {.seconds = seconds, .cut = cut});
}

void Display::record_bloom(VkCommandBuffer commands) const {
  gpu_.barrier(commands, kComputeBoth, kComputeBoth);
  bloom_.record(commands, bloom_binding_);
}

void Display::record_tone_map(VkCommandBuffer commands, bool bloom, bool local_exposure) const {
  gpu_.barrier(commands, kComputeWrite, kComputeBoth);
  if (local_exposure) {
    local_.record(commands, local_binding_);
  } else {
    global_.record(commands, bloom ? global_binding_ : plain_binding_);
  }
}

void Display::record_readback(VkCommandBuffer commands) const {
  gpu_.barrier(commands, kComputeWrite, {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT});
  const VkBufferCopy copy{meter_binding_.results_offset(), 0, sizeof(onepass::MeterResult)};
  gpu_.vk.vkCmdCopyBuffer(commands, meter_binding_.results(), result_.handle, 1, &copy);
}

onepass::MeterResult Display::meter_result() const {
  onepass::MeterResult result;
  std::memcpy(&result, result_.mapped, sizeof(result));
  return result;
}

}  // namespace samples::frame
