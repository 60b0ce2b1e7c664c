// light_vulkan.cpp: fills enough sets of images to exceed the caches, and binds a meter, a tone map or both to each
// set.
#include "light_vulkan.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "image/div_up.hpp"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/tone_map.hpp"

namespace onepass::bench {
namespace {

constexpr float kSeconds = 1.0F / 60;

void change_layout(const vulkan::DeviceImage& image, VkCommandBuffer commands, VkImageLayout from, VkImageLayout to) {
  image.transition(commands, from, vulkan::kAllAccesses, to, vulkan::kAllAccesses);
}

/// A result buffer that the host can read, in device memory if the device has such memory.
Result<vulkan::Buffer> create_results(const Gpu& gpu, uint64_t bytes) {
  return vulkan::Buffer::create(gpu.impl(), bytes,
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true,
                                VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

std::vector<MeterResult> read_results(const vulkan::Buffer& buffer) {
  std::vector<MeterResult> out(1);
  std::memcpy(static_cast<void*>(out.data()), buffer.mapped, sizeof(MeterResult));
  return out;
}

/// A meter, a tone map with the exposure of a meter's results, or both.
class MeterAndMap final : public LightTechnique {
 public:
  MeterAndMap(const Gpu& gpu, const LightCase& light) : gpu_(gpu), light_(light) {}

  Result<void> init(const LightSets& sets) {
    auto meter = vulkan::Meter::create(gpu_.device(), light_.meter());
    if (!meter) return meter.error();
    meter_.emplace(std::move(*meter));
    if (light_.maps()) {
      auto map = vulkan::ToneMap::create(gpu_.device(), light_.tone());
      if (!map) return map.error();
      map_.emplace(std::move(*map));
    }
    auto results = create_results(gpu_, meter_->dispatch_plan().result_bytes);
    if (!results) return results.error();
    results_ = std::move(*results);
    for (size_t i = 0; i < sets.count(); ++i) {
      // The host reads the results of set 0.
      auto metered = meter_->bind({.source = sets.source(i), .results = i == 0 ? results_.buffer : VK_NULL_HANDLE});
      if (!metered) return metered.error();
      metered_.push_back(std::move(*metered));
      if (!map_) continue;
      auto mapped = map_->bind({.source = sets.source(i),
                                .target = sets.target(i),
                                .exposure = metered_[i].results(),
                                .exposure_offset = metered_[i].results_offset() + offsetof(MeterResult, exposure)});
      if (!mapped) return mapped.error();
      mapped_.push_back(std::move(*mapped));
    }
    return gpu_.device().run([&](VkCommandBuffer commands) {
      for (const vulkan::MeterBinding& binding : metered_) meter_->record_reset(commands, binding);
      full_barrier(gpu_, commands);
    });
  }

  void record(VkCommandBuffer commands, size_t set) const override {
    if (light_.meters()) meter_->record(commands, metered_[set], {.cut = true});
    if (light_.meters() && map_) stage_barrier(gpu_, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    if (map_) map_->record(commands, mapped_[set]);
  }
  uint64_t bytes() const override { return light_.bytes(); }

  Result<std::vector<MeterResult>> results() const override {
    return light_.meters() ? read_results(results_) : std::vector<MeterResult>();
  }

 private:
  const Gpu& gpu_;
  LightCase light_;
  std::optional<vulkan::Meter> meter_;
  std::optional<vulkan::ToneMap> map_;
  vulkan::Buffer results_;
  std::vector<vulkan::MeterBinding> metered_;
  std::vector<vulkan::ToneMapBinding> mapped_;
};

class Frame final : public LightTechnique {
 public:
  Frame(const Gpu& gpu, const LightCase& light) : gpu_(gpu), light_(light) {}

  Result<void> init(const LightSets& sets) {
    auto frames = vulkan::FrameToneMap::create(gpu_.device(), {light_.meter(), light_.tone()});
    if (!frames) return frames.error();
    frames_.emplace(std::move(*frames));
    auto results = create_results(gpu_, frames_->dispatch_plan().result_bytes);
    if (!results) return results.error();
    results_ = std::move(*results);
    for (size_t i = 0; i < sets.count(); ++i) {
      auto binding = frames_->bind(
          {.source = sets.source(i), .target = sets.target(i), .results = i == 0 ? results_.buffer : VK_NULL_HANDLE});
      if (!binding) return binding.error();
      bindings_.push_back(std::move(*binding));
    }
    return gpu_.device().run([&](VkCommandBuffer commands) {
      for (const vulkan::FrameToneMapBinding& binding : bindings_) frames_->record_reset(commands, binding);
      full_barrier(gpu_, commands);
    });
  }

  void record(VkCommandBuffer commands, size_t set) const override {
    frames_->record(commands, bindings_[set], {.seconds = kSeconds, .cut = true});
  }
  uint64_t bytes() const override { return light_.bytes(); }

  Result<std::vector<MeterResult>> results() const override { return read_results(results_); }

 private:
  const Gpu& gpu_;
  LightCase light_;
  std::optional<vulkan::FrameToneMap> frames_;
  vulkan::Buffer results_;
  std::vector<vulkan::FrameToneMapBinding> bindings_;
};

}  // namespace

Result<std::unique_ptr<LightSets>> LightSets::create(const Gpu& gpu, const LightCase& light, uint32_t most) {
  std::unique_ptr<LightSets> out(new LightSets(gpu, light));
  const uint64_t texels = uint64_t{light.size.width} * light.size.height;
  // Every pass moves at least the source of a set.
  out->set_bytes_ = texels * format_info(light.source).bytes_per_texel;
  const uint64_t count = std::clamp<uint64_t>(kColdBytes / out->set_bytes_ + 1, 2, most);
  auto source = light_image(light);
  if (!source) return source.error();
  out->host_source_ = std::move(*source);
  for (uint64_t i = 0; i < count; ++i) {
    if (auto created = out->create_set(); !created) return created.error();
  }
  if (auto uploaded = out->upload(); !uploaded) return uploaded.error();
  return out;
}

Result<void> LightSets::create_set() {
  constexpr VkImageUsageFlags kTransfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  vulkan::DeviceImage::Request request = {
      .format = light_.source, .size = light_.size, .usage = VK_IMAGE_USAGE_SAMPLED_BIT | kTransfers};
  auto source = vulkan::DeviceImage::create(gpu_.impl(), request);
  if (!source) return source.error();
  request.format = light_.target;
  request.usage = VK_IMAGE_USAGE_STORAGE_BIT | kTransfers;
  auto target = vulkan::DeviceImage::create(gpu_.impl(), request);
  if (!target) return target.error();
  // The longest copy is that of local exposure.
  LightCase longest = light_;
  longest.work = LightWork::kLocalExposure;
  const uint64_t bytes = std::max<uint64_t>(longest.bytes() / 2, host_source_.size_in_bytes());
  auto buffer = vulkan::Buffer::create(gpu_.impl(), round_up(bytes, 16),
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, false);
  if (!buffer) return buffer.error();
  sets_.push_back({std::move(*source), std::move(*target), std::move(*buffer)});
  return {};
}

// Fills the buffers with copies of the source, so that they compress as little as the images.
Result<void> LightSets::upload() {
  const uint64_t bytes = vulkan::packed_bytes(sets_[0].source, 0, 1);
  auto staging = vulkan::Buffer::create(gpu_.impl(), bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
  if (!staging) return staging.error();
  vulkan::pack_view(host_source_.view(), static_cast<std::byte*>(staging->mapped));
  for (const Set& set : sets_) {
    auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
      for (uint64_t at = 0; at < set.buffer.size; at += bytes) {
        const VkBufferCopy region{0, at, std::min(bytes, set.buffer.size - at)};
        gpu_.vk().vkCmdCopyBuffer(commands, staging->buffer, set.buffer.buffer, 1, &region);
      }
      change_layout(set.target, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
      change_layout(set.source, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
      copy_levels(set.source, *staging, 0, 0, 1, true, commands);
      change_layout(set.source, commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                    VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
      full_barrier(gpu_, commands);
    });
    if (!ran) return ran;
  }
  return {};
}

ReadOnlyImages LightSets::images() const {
  ReadOnlyImages out{light_.source, light_.target, light_.size, 1, {}};
  for (const Set& set : sets_) out.sets.emplace_back(set.source.image, set.target.image);
  return out;
}

Result<Image> LightSets::download() const {
  const vulkan::DeviceImage& target = sets_[0].target;
  auto image = Image::create(light_.target, light_.size);
  if (!image) return image.error();
  auto staging =
      vulkan::Buffer::create(gpu_.impl(), vulkan::packed_bytes(target, 0, 1), VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!staging) return staging.error();
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    full_barrier(gpu_, commands);
    change_layout(target, commands, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    copy_levels(target, *staging, 0, 0, 1, false, commands);
    change_layout(target, commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    full_barrier(gpu_, commands);
  });
  if (!ran) return ran.error();
  vulkan::unpack_view(static_cast<const std::byte*>(staging->mapped), image->view());
  return image;
}

Result<std::unique_ptr<LightTechnique>> make_light_technique(const Gpu& gpu, const LightSets& sets,
                                                             const LightCase& light) {
  if (light.work == LightWork::kFrame) {
    auto frame = std::make_unique<Frame>(gpu, light);
    if (auto made = frame->init(sets); !made) return made.error();
    return std::unique_ptr<LightTechnique>(std::move(frame));
  }
  auto both = std::make_unique<MeterAndMap>(gpu, light);
  if (auto made = both->init(sets); !made) return made.error();
  return std::unique_ptr<LightTechnique>(std::move(both));
}

TechniqueResult make_light_copy(const Gpu& gpu, const LightSets& sets, uint64_t bytes) {
  std::vector<VkBuffer> buffers;
  for (size_t i = 0; i < sets.count(); ++i) buffers.push_back(sets.buffer(i).buffer);
  return make_copy(gpu, buffers, bytes);
}

}  // namespace onepass::bench
