#include "reflection_vulkan.hpp"

#include <algorithm>

#include "onepass/vulkan/pyramid.hpp"

namespace onepass::bench {
namespace {

constexpr VkImageUsageFlags kTransfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkImageUsageFlags kSampled = VK_IMAGE_USAGE_SAMPLED_BIT | kTransfers;
constexpr VkImageUsageFlags kStored = VK_IMAGE_USAGE_STORAGE_BIT | kTransfers;
constexpr Format kTarget = Format::kRGBA16Sfloat;
constexpr Format kPyramid = Format::kRG32Sfloat;  // of minima and maxima
constexpr uint32_t kVerifiedFrames = 8;

uint64_t texels_of(Extent size) { return uint64_t{size.width} * size.height; }

uint64_t bytes_of(Format format) { return format_info(format).bytes_per_texel; }

class Reflections final : public VulkanTechnique {
 public:
  Reflections(vulkan::Reflection reflection, const ReflectionSets& sets)
      : reflection_(std::move(reflection)), sets_(sets), frames_(sets.views()) {}

  Result<void> init(const Gpu& gpu, bool all_matte) {
    for (size_t i = 0; i < sets_.views(); ++i) {
      auto scratch = vulkan::Buffer::create(
          gpu.impl(), reflection_.plan().scratch_bytes,
          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
          false);
      if (!scratch) return scratch.error();
      histories_.push_back(std::move(*scratch));
    }
    for (size_t i = 0; i < sets_.count(); ++i) {
      const ReflectionSets::Set& set = sets_[i];
      auto binding = reflection_.bind({.color = {.image = set.color.image},
                                       .depth = {.image = set.depth.image},
                                       .pyramid = {.image = set.pyramid.image},
                                       .normals = {.image = set.normals.image},
                                       .roughness = {.image = all_matte ? set.color.image : set.normals.image},
                                       .motion = {.image = set.motion.image},
                                       .target = {.image = set.target.image},
                                       .scratch = histories_[i % sets_.views()].buffer});
      if (!binding) return binding.error();
      bindings_.push_back(std::move(*binding));
    }
    for (uint32_t place = 0; place < 2; ++place) {
      places_[place] = {.clip_from_world = SceneCamera(sets_.size(), place).clip_from_world(),
                        .last_clip_from_world = SceneCamera(sets_.size(), 1 - place).clip_from_world()};
    }
    return {};
  }

  void record(VkCommandBuffer commands, size_t set) const override {
    const uint32_t frame = frames_[set % sets_.views()]++;
    const vulkan::ReflectionView& view = places_[ReflectionSets::place_of(set)];
    reflection_.record(commands, bindings_[set], {.views = {&view, 1}, .index = frame, .reset = frame == 0});
  }
  uint64_t bytes() const override { return sets_.image_bytes(); }

 private:
  vulkan::Reflection reflection_;
  const ReflectionSets& sets_;
  std::vector<vulkan::Buffer> histories_;  // one per view
  std::vector<vulkan::ReflectionBinding> bindings_;
  std::array<vulkan::ReflectionView, 2> places_;
  mutable std::vector<uint32_t> frames_;  // recorded so far, per view
};

}  // namespace

uint64_t ReflectionSets::image_bytes() const {
  return texels_of(size_) * (bytes_of(kSceneColor) + bytes_of(kSceneDepth) + bytes_of(kSceneNormals) +
                             bytes_of(kSceneMotion) + bytes_of(kTarget));
}

// The history of a view is as large as 24 bytes per texel, and two sets share it.
uint64_t ReflectionSets::set_bytes() const { return image_bytes() + 12 * texels_of(size_); }

Result<std::unique_ptr<ReflectionSets>> ReflectionSets::create(const Gpu& gpu, Extent size, uint32_t most) {
  std::unique_ptr<ReflectionSets> out(new ReflectionSets(gpu, size));
  const uint64_t count = std::clamp<uint64_t>(kColdBytes / out->set_bytes() + 1, 2, most);
  const uint64_t views = count / 2 | 1;
  for (uint64_t i = 0; i < 2 * views; ++i) {
    if (auto created = out->create_set(); !created) return created.error();
  }
  for (uint32_t place = 0; place < 2; ++place) {
    auto images = render(size, place);
    if (!images) return images.error();
    if (auto uploaded = out->upload(place, *images); !uploaded) return uploaded.error();
  }
  if (auto built = out->build_pyramids(); !built) return built.error();
  return out;
}

Result<void> ReflectionSets::create_set() {
  Set set;
  const auto create = [&](vulkan::DeviceImage& out, const vulkan::DeviceImage::Request& request) -> Result<void> {
    auto image = vulkan::DeviceImage::create(gpu_.impl(), request);
    if (!image) return image.error();
    out = std::move(*image);
    return {};
  };
  const PyramidOptions pyramid{
      .size = size_, .source = kSceneDepth, .target = kPyramid, .reduction = Reduction::kMinMax};
  const std::pair<vulkan::DeviceImage*, vulkan::DeviceImage::Request> all[] = {
      {&set.color, {.format = kSceneColor, .size = size_, .usage = kSampled}},
      {&set.depth, {.format = kSceneDepth, .size = size_, .usage = kSampled}},
      {&set.pyramid,
       {.format = kPyramid,
        .size = level_size(size_, 1),
        .levels = plan_pyramid(pyramid)->levels - 1,
        .usage = kSampled | kStored}},
      {&set.normals, {.format = kSceneNormals, .size = size_, .usage = kSampled}},
      {&set.motion, {.format = kSceneMotion, .size = size_, .usage = kSampled}},
      {&set.target, {.format = kTarget, .size = size_, .usage = kStored}}};
  for (const auto& [image, request] : all) {
    if (auto created = create(*image, request); !created) return created;
  }
  auto copied = vulkan::Buffer::create(gpu_.impl(), image_bytes() / 2,
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, false);
  if (!copied) return copied.error();
  set.copied = std::move(*copied);
  sets_.push_back(std::move(set));
  return {};
}

// Fills the buffers with the colours, so that they compress as little as the images.
Result<void> ReflectionSets::upload(uint32_t place, const SceneImages& images) const {
  const std::pair<const Image*, vulkan::DeviceImage Set::*> all[] = {{&images.color, &Set::color},
                                                                     {&images.depth, &Set::depth},
                                                                     {&images.normals, &Set::normals},
                                                                     {&images.motion, &Set::motion}};
  for (const auto& [host, member] : all) {
    const uint64_t bytes = vulkan::packed_bytes(sets_[0].*member, 0, 1);
    auto staging = vulkan::Buffer::create(gpu_.impl(), bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
    if (!staging) return staging.error();
    vulkan::pack_view(host->view(), static_cast<std::byte*>(staging->mapped));
    auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
      for (size_t i = place; i < sets_.size(); i += 2) {
        record_upload(sets_[i].*member, *staging, 0, commands);
        if (host != &images.color) continue;
        const VkDeviceSize size = sets_[i].copied.size;
        for (VkDeviceSize at = 0; at < size; at += bytes) {
          const VkBufferCopy region{0, at, std::min(bytes, size - at)};
          gpu_.vk().vkCmdCopyBuffer(commands, staging->buffer, sets_[i].copied.buffer, 1, &region);
        }
      }
      full_barrier(gpu_, commands);
    });
    if (!ran) return ran;
  }
  return {};
}

Result<void> ReflectionSets::build_pyramids() const {
  auto pyramid = vulkan::Pyramid::create(
      gpu_.device(), {.size = size_, .source = kSceneDepth, .target = kPyramid, .reduction = Reduction::kMinMax});
  if (!pyramid) return pyramid.error();
  std::vector<vulkan::PyramidBinding> bindings;
  for (const Set& set : sets_) {
    auto binding = pyramid->bind({.source = set.depth.image, .target = set.pyramid.image, .target_level = 0});
    if (!binding) return binding.error();
    bindings.push_back(std::move(*binding));
  }
  return gpu_.device().run([&](VkCommandBuffer commands) {
    for (size_t i = 0; i < sets_.size(); ++i) {
      const Set& set = sets_[i];
      for (const vulkan::DeviceImage* image : {&set.pyramid, &set.target}) {
        image->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_GENERAL,
                          vulkan::kAllAccesses);
      }
      pyramid->record(commands, bindings[i]);
      set.pyramid.transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kAllAccesses,
                             VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, vulkan::kAllAccesses);
    }
    full_barrier(gpu_, commands);
  });
}

Result<std::vector<float>> ReflectionSets::download(size_t set) const {
  const vulkan::DeviceImage& target = sets_[set].target;
  auto staging =
      vulkan::Buffer::create(gpu_.impl(), vulkan::packed_bytes(target, 0, 1), VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!staging) return staging.error();
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    record_download(target, *staging, 0, commands);
    target.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, vulkan::kTransferReads, VK_IMAGE_LAYOUT_GENERAL,
                      vulkan::kAllAccesses);
  });
  if (!ran) return ran.error();
  std::vector<float> texels(4 * texels_of(size_));
  const auto* bytes = static_cast<const std::byte*>(staging->mapped);
  for (uint64_t row = 0; row < size_.height; ++row) {
    const uint64_t first = row * size_.width;
    decode_row(kTarget, bytes + bytes_of(kTarget) * first, size_.width, texels.data() + 4 * first);
  }
  return texels;
}

ReflectionOptions reflection_options(Extent size) {
  return {.size = size,
          .color = kSceneColor,
          .depth = kSceneDepth,
          .pyramid = kPyramid,
          .normals = kSceneNormals,
          .roughness = kSceneNormals,
          .motion = kSceneMotion,
          .reversed_depth = true,
          .roughness_channel = 3,
          .relative_thickness = 0.004F,  // the default of 0.02 brings the walls a fifth more light than there is
          .border_fade = 0};             // the checks know only hits and misses
}

TechniqueResult make_reflections(const Gpu& gpu, const ReflectionSets& sets, const ReflectionOptions& options,
                                 bool all_matte) {
  auto reflection = vulkan::Reflection::create(gpu.device(), options);
  if (!reflection) return reflection.error();
  auto out = std::make_unique<Reflections>(std::move(*reflection), sets);
  if (auto made = out->init(gpu, all_matte); !made) return made.error();
  return std::unique_ptr<VulkanTechnique>(std::move(out));
}

TechniqueResult make_reflection_copy(const Gpu& gpu, const ReflectionSets& sets) {
  std::vector<VkBuffer> buffers;
  for (size_t i = 0; i < sets.count(); ++i) buffers.push_back(sets[i].copied.buffer);
  return make_copy(gpu, buffers, sets.image_bytes());
}

Result<void> verify_reflections(const Gpu& gpu, const ReflectionSets& sets, const VulkanTechnique& technique,
                                const ReflectionChecks& checks, const std::string& name) {
  size_t set = 0;
  for (uint32_t frame = 0; frame < kVerifiedFrames; ++frame) {
    set = frame % 2 * sets.views();
    auto ran = gpu.device().run([&](VkCommandBuffer commands) {
      technique.record(commands, set);
      full_barrier(gpu, commands);
    });
    if (!ran) return ran;
  }
  const auto texels = sets.download(set);
  if (!texels) return texels.error();
  const std::string wrong = wrong_reflections(*texels, sets.size(), ReflectionSets::place_of(set), checks);
  return wrong.empty() ? Result<void>() : Error{ErrorCode::kBadData, "wrong output: " + wrong, name};
}

}  // namespace onepass::bench
