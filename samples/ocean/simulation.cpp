// simulation.cpp: objects of the library for one size, and the commands of a frame with their barriers.
#include "simulation.hpp"

#include <cmath>
#include <cstring>

#include "kernels/evolve_comp.h"
#include "kernels/whitecaps_comp.h"

namespace samples::ocean {
namespace {

namespace ov = onepass::vulkan;

constexpr onepass::Format kFormat = onepass::Format::kRGBA16Sfloat;
constexpr uint32_t kFieldLayers = 2 * CASCADES;
constexpr double kFoamSeconds = 2.5;  // after which 1/e of it is left
constexpr Gpu::Access kCompute{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                               VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
// For commands that are not timed.
constexpr Gpu::Access kAll{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

onepass::Extent square(uint32_t texels) { return {texels, texels}; }

// Two complex signals per texel and slice, from a spectrum to an image, without the factor 1 / texels^2.
ov::Transform make_transform(const Gpu& gpu, uint32_t texels) {
  return value_of(ov::Transform::create(gpu.device(),
                                        {.size = square(texels),
                                         .slices = kFieldLayers,
                                         .signal = onepass::Signal::kComplex,
                                         .source = kFormat,
                                         .target = kFormat,
                                         .norm = onepass::Norm::kForward,
                                         .order = onepass::SpectrumOrder::kColumns},
                                        {.target = ov::SideKind::kImage, .forward = false}));
}

ov::Pyramid make_mips(const Gpu& gpu, uint32_t texels, uint32_t layers) {
  return value_of(ov::Pyramid::create(
      gpu.device(), {.size = square(texels), .slices = layers, .source = kFormat, .target = kFormat}));
}

ov::PyramidBinding bind_mips(const ov::Pyramid& pyramid, const Image& image) {
  return value_of(
      pyramid.bind({.source = image.handle, .source_layout = VK_IMAGE_LAYOUT_GENERAL, .target = image.handle}));
}

Image make_image(Gpu& gpu, uint32_t texels, uint32_t layers) {
  return gpu.image(VK_FORMAT_R16G16B16A16_SFLOAT, square(texels), onepass::full_level_count(square(texels)),
                   VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                       VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                   layers);
}

WaterParams make_params(const Options& options) {
  WaterParams params{};
  for (uint32_t c = 0; c < CASCADES; ++c) params.lengths[c] = static_cast<float>(kLengths[c]);
  params.texels = options.texels;
  params.choppiness = static_cast<float>(options.choppiness);
  params.foam_left = static_cast<float>(std::exp(-1.0 / (FRAMES_PER_SECOND * kFoamSeconds)));
  return params;
}

}  // namespace

Simulation::Simulation(Gpu& gpu, const Options& options)
    : gpu_(gpu),
      params_(make_params(options)),
      transform_(make_transform(gpu, options.texels)),
      fields_mips_(make_mips(gpu, options.texels, kFieldLayers)),
      surface_mips_(make_mips(gpu, options.texels, CASCADES)),
      fields_(make_image(gpu, options.texels, kFieldLayers)),
      surface_(make_image(gpu, options.texels, CASCADES)),
      wave_buffer_(gpu.buffer(sizeof(Wave) * CASCADES * options.texels * options.texels,
                              VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kDevice)),
      spectra_(gpu.buffer(transform_.plan().spectrum_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, Memory::kDevice)),
      staging_(gpu.buffer(wave_buffer_.size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                          Memory::kHost)),
      transform_binding_(
          value_of(transform_.bind({.spectrum = {.buffer = spectra_.handle}, .target = {.image = fields_.handle}}))),
      fields_binding_(bind_mips(fields_mips_, fields_)),
      surface_binding_(bind_mips(surface_mips_, surface_)),
      queries_(gpu.timestamps(kSteps + 1)) {
  evolve_ = gpu.compute(kernel_evolve_comp, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                        sizeof(WaterParams));
  evolve_set_ = gpu.descriptors(evolve_, {wave_buffer_.handle, spectra_.handle});
  whitecaps_ =
      gpu.compute(kernel_whitecaps_comp, {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
                  sizeof(WaterParams));
  whitecaps_set_ = gpu.descriptors(whitecaps_, {ImageResource{fields_.view, VK_IMAGE_LAYOUT_GENERAL},
                                                ImageResource{surface_.view, VK_IMAGE_LAYOUT_GENERAL}});
  const Wind wind{.speed = static_cast<double>(options.wind), .direction = 1.1};
  for (uint32_t c = 0; c < CASCADES; ++c) waves_[c] = make_waves(wind, c, options.texels);
  upload_waves(gpu);
}

void Simulation::upload_waves(Gpu& gpu) {
  const size_t bytes = waves_[0].size() * sizeof(Wave);
  for (uint32_t c = 0; c < CASCADES; ++c) std::memcpy(staging_.mapped + c * bytes, waves_[c].data(), bytes);
  gpu.run([&](VkCommandBuffer commands) {
    const VkBufferCopy copy{0, 0, wave_buffer_.size};
    gpu.vk.vkCmdCopyBuffer(commands, staging_.handle, wave_buffer_.handle, 1, &copy);
    for (const Image* image : {&fields_, &surface_}) {
      gpu.transition(commands, *image, VK_IMAGE_LAYOUT_UNDEFINED, kAll, VK_IMAGE_LAYOUT_GENERAL, kAll);
    }
    const VkClearColorValue calm{};
    const VkImageSubresourceRange all{surface_.aspect, 0, surface_.levels, 0, surface_.layers};
    gpu.vk.vkCmdClearColorImage(commands, surface_.handle, VK_IMAGE_LAYOUT_GENERAL, &calm, 1, &all);
  });
}

void Simulation::record(VkCommandBuffer commands, Step step) const {
  const uint32_t n = params_.texels;
  const auto params = std::as_bytes(std::span(&params_, 1));
  switch (step) {
    case Step::kEvolve:
      gpu_.dispatch(commands, evolve_, evolve_set_, params, (n + 63) / 64, n, CASCADES);
      break;
    case Step::kTransform:
      transform_.record_inverse(commands, transform_binding_);
      break;
    case Step::kWhitecaps:
      gpu_.dispatch(commands, whitecaps_, whitecaps_set_, params, (n + 7) / 8, (n + 7) / 8, CASCADES);
      break;
    case Step::kMipChains:
      fields_mips_.record(commands, fields_binding_);
      surface_mips_.record(commands, surface_binding_);
      break;
  }
}

std::array<double, kSteps> Simulation::advance() {
  params_.frame = (params_.frame + 1) % LOOP_FRAMES;
  const auto& vk = gpu_.vk;
  const auto write_time = [&](VkCommandBuffer commands, uint32_t query) {
    vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, query);
  };
  gpu_.run([&](VkCommandBuffer commands) {
    vk.vkCmdResetQueryPool(commands, queries_, 0, kSteps + 1);
    write_time(commands, 0);
    for (uint32_t step = 0; step < kSteps; ++step) {
      record(commands, static_cast<Step>(step));
      gpu_.barrier(commands, kCompute, kCompute);
      write_time(commands, step + 1);
    }
  });
  std::array<uint64_t, kSteps + 1> ticks{};
  Gpu::require(vk.vkGetQueryPoolResults(gpu_.handle(), queries_, 0, kSteps + 1, sizeof(ticks), ticks.data(),
                                        sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
               "vkGetQueryPoolResults");
  std::array<double, kSteps> times{};
  for (uint32_t step = 0; step < kSteps; ++step) {
    times[step] = static_cast<double>(ticks[step + 1] - ticks[step]) * gpu_.nanoseconds_per_tick() * 1e-3;
  }
  return times;
}

double Simulation::significant_height() const {
  double variance = 0;
  for (const auto& waves : waves_) {
    for (const Wave& wave : waves) variance += 2 * (double{wave.re} * wave.re + double{wave.im} * wave.im);
  }
  return 4 * std::sqrt(variance);
}

std::vector<std::array<float, 4>> Simulation::read(const Image& image, uint32_t level, uint32_t layer) const {
  const onepass::Extent size = onepass::level_size(image.size, level);
  gpu_.run([&](VkCommandBuffer commands) {
    constexpr VkImageLayout kCopied = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    gpu_.transition(commands, image, VK_IMAGE_LAYOUT_GENERAL, kAll, kCopied, kAll);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {image.aspect, level, layer, 1};
    copy.imageExtent = {size.width, size.height, 1};
    gpu_.vk.vkCmdCopyImageToBuffer(commands, image.handle, kCopied, staging_.handle, 1, &copy);
    gpu_.transition(commands, image, kCopied, kAll, VK_IMAGE_LAYOUT_GENERAL, kAll);
  });
  std::vector<std::array<float, 4>> texels(size_t{size.width} * size.height);
  onepass::decode_row(kFormat, staging_.mapped, static_cast<uint32_t>(texels.size()), texels[0].data());
  return texels;
}

}  // namespace samples::ocean
