// technique_rig.cpp: creates images, buffers and scratch memory once; a Driver per interface creates, binds and records
// all techniques on them. Guard bytes between parts of the scratch memory show writes beyond them.
#include "tests/integration/technique_rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"

namespace onepass::testing {
namespace {

constexpr Format kHalf = Format::kRGBA16Sfloat;
constexpr uint64_t kScratchBytes = uint64_t{32} << 20U;
constexpr std::byte kGuard{0x5A};

PlacedImage make_image(const vulkan::Device& device, Format format, Extent size, Place at, VkImageUsageFlags usage,
                       uint32_t levels = 1) {
  auto image = PlacedImage::create(device.impl(),
                                   {.format = format, .size = size, .levels = levels, .slices = 1, .usage = usage}, at);
  if (image) return std::move(*image);
  ADD_FAILURE() << image.error().text();
  return {};
}

vulkan::Buffer make_buffer(const vulkan::Device& device, uint64_t bytes) {
  auto buffer = vulkan::Buffer::create(
      device.impl(), bytes,
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (buffer) return std::move(*buffer);
  ADD_FAILURE() << buffer.error().text();
  return {};
}

PyramidOptions pyramid_options() {
  return {.size = kRigSize, .source = kHalf, .target = kHalf, .reduction = Reduction::kMax};
}
TileReductionOptions tile_options() {
  return {.size = kRigSize, .source = kHalf, .target = kHalf, .reduction = Reduction::kMax, .factor = 8};
}
MeterOptions meter_options() {
  return {.size = kRigSize, .source = kHalf, .metering = Metering::kMask, .mask = Format::kR8Unorm};
}
ToneMapOptions tone_options() { return {.size = kRigSize, .source = kHalf, .target = Format::kRGBA8Srgb}; }
TransformOptions transform_options() { return {.size = kRigSize, .source = kHalf, .order = SpectrumOrder::kColumns}; }
ConvolutionOptions convolution_options() {
  return {.size = kRigSize,
          .source = kHalf,
          .kernel_size = {5, 5},
          .kernel = Format::kR8Unorm,
          .boundary = Boundary::kMirror,
          .scale = KernelScale::kUnitSum};
}
FilterOptions filter_options() { return {.size = kRigSize, .source = kHalf}; }
FrameToneMapOptions frame_options() {
  ToneMapOptions tone = tone_options();
  tone.tone_operator = ToneOperator::kAcesHill;
  return {.meter = meter_options(), .tone = tone};
}
ToneMapOptions local_options() {
  ToneMapOptions tone = tone_options();
  tone.local = {.highlights = 0.5F, .shadows = 0.75F, .detail = 1.25F};
  return tone;
}
DeconvolutionOptions deconvolution_options() {
  return {.size = kRigSize,
          .source = kHalf,
          .kernel_size = {5, 5},
          .kernel = Format::kR8Unorm,
          .method = DeconvolutionMethod::kRichardsonLucy,
          .iterations = 2};
}
CorrelationOptions correlation_options() {
  return {.size = kRigSize, .first = kHalf, .second = kHalf, .kind = CorrelationKind::kCross};
}
BloomOptions bloom_options() {
  return {.size = kRigSize, .source = kHalf, .scatter = 0.5F, .threshold = 0.25F, .knee = 0.125F};
}
BloomOptions mip_bloom_options() {
  BloomOptions options = bloom_options();
  options.method = BloomMethod::kMipChain;
  options.resolution = BloomResolution::kHalf;
  options.kernel_width = 2;
  return options;
}

}  // namespace

Rig::Rig(OwnDevice& o, const vulkan::Device& d, uint32_t seed, const RigPlaces& places)
    : own(o),
      device(d),
      source_pixels(kHalf, kRigSize),
      kernel_pixels(Format::kR8Unorm, {5, 5}),
      mask_pixels(Format::kR8Unorm, kRigSize) {
  Random random(seed);
  fill_random(source_pixels.view(), random);
  fill_random(kernel_pixels.view(), random);
  for (uint32_t y = 0; y < kRigSize.height; ++y) {
    std::byte* row = mask_pixels.view().row(y);
    for (uint32_t x = 0; x < kRigSize.width; ++x) row[x] = static_cast<std::byte>(1 + random.below(255));
  }
  create_images(places);
  spectrum = make_buffer(device, plan_transform(transform_options())->spectrum_bytes);
  results = make_buffer(device, sizeof(MeterResult));
  frame_results = make_buffer(device, sizeof(MeterResult));
  shift = make_buffer(device, uint64_t{1} << 18U);
  surface = make_buffer(device, uint64_t{kRigSize.width} * kRigSize.height * 4);
  create_scratch();
  clear();
}

// Creates the images, filled with poison; uploads source and mask.
void Rig::create_images(const RigPlaces& places) {
  constexpr VkImageUsageFlags kSampled = VK_IMAGE_USAGE_SAMPLED_BIT, kStorage = VK_IMAGE_USAGE_STORAGE_BIT;
  source = make_image(device, kHalf, kRigSize, places.source, kSampled);
  mask = make_image(device, Format::kR8Unorm, kRigSize, places.mask, kSampled);
  levels = make_image(device, kHalf, level_size(kRigSize, 1), places.target, kStorage, full_level_count(kRigSize) - 1);
  tiles = make_image(device, kHalf, kRigTiles, places.target, kStorage);
  for (PlacedImage* image : {&restored, &filtered, &sharpened, &glowing, &mip_glowing})
    *image = make_image(device, kHalf, kRigSize, places.target, kStorage);
  blurred = make_image(device, kHalf, kRigSize, places.target, kStorage | kSampled);
  for (PlacedImage* image : {&picture, &frame, &local})
    *image = make_image(device, Format::kRGBA8Srgb, kRigSize, places.target, kStorage);
  uint64_t bytes = std::max(source.whole_bytes(), mask.whole_bytes());
  for (const PlacedImage* image : targets()) bytes = std::max(bytes, image->whole_bytes());
  staging_ = make_buffer(device, bytes);
  own.run([&](VkCommandBuffer commands) {
    for (const PlacedImage* image : targets()) {
      image->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        vulkan::kTransferWrites);
      image->record_poison(staging_, commands);
      image->transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites,
                        VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites);
    }
  });
  upload(source_pixels, source);
  upload(mask_pixels, mask);
}

void Rig::upload(const PaddedImage& pixels, const PlacedImage& image) {
  own.run([&](VkCommandBuffer commands) {
    image.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                     vulkan::kTransferWrites);
    image.record_poison(staging_, commands);
  });
  vulkan::pack_view(pixels.view(), static_cast<std::byte*>(staging_.mapped));
  own.run([&](VkCommandBuffer commands) {
    full_barrier(own, commands);
    image.record_part(staging_, 0, 1, true, commands);
    image.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites,
                     VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, vulkan::kShaderReads);
  });
}

Rig::~Rig() {
  own.vk.vkDestroyBuffer(own.device, scratch, nullptr);
  own.vk.vkFreeMemory(own.device, memory_, nullptr);
  for (const auto& [image, memory] : images_) {
    own.vk.vkDestroyImage(own.device, image, nullptr);
    own.vk.vkFreeMemory(own.device, memory, nullptr);
  }
}

VkDeviceMemory Rig::allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags required, VkDeviceSize bytes) {
  const VkMemoryAllocateInfo info{
      VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, bytes,
      vulkan::memory_types(device.impl().memory, {.needs = needs, .required = required}).at(0)};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  EXPECT_EQ(own.vk.vkAllocateMemory(own.device, &info, nullptr, &memory), VK_SUCCESS);
  return memory;
}

VkImage Rig::take_image(const VkImageCreateInfo& info) {
  if (!gives_scratch) return VK_NULL_HANDLE;
  VkImage image = VK_NULL_HANDLE;
  EXPECT_EQ(own.vk.vkCreateImage(own.device, &info, nullptr, &image), VK_SUCCESS);
  VkMemoryRequirements needs{};
  own.vk.vkGetImageMemoryRequirements(own.device, image, &needs);
  images_.emplace_back(image, allocate(needs, 0, needs.size));
  EXPECT_EQ(own.vk.vkBindImageMemory(own.device, image, images_.back().second, 0), VK_SUCCESS);
  return image;
}

// Binds the buffer at an offset in an allocation, as memory allocators do.
void Rig::create_scratch() {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = kScratchBytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  ASSERT_EQ(own.vk.vkCreateBuffer(own.device, &info, nullptr, &scratch), VK_SUCCESS);
  VkMemoryRequirements needs{};
  own.vk.vkGetBufferMemoryRequirements(own.device, scratch, &needs);
  const VkDeviceSize place = 3 * needs.alignment;
  memory_ =
      allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, place + needs.size);
  ASSERT_EQ(own.vk.vkBindBufferMemory(own.device, scratch, memory_, place), VK_SUCCESS);
  void* mapped = nullptr;
  ASSERT_EQ(own.vk.vkMapMemory(own.device, memory_, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  scratch_bytes_ = static_cast<std::byte*>(mapped) + place;
  std::memset(scratch_bytes_, static_cast<int>(kGuard), kScratchBytes);
}

vulkan::BufferRange Rig::take_scratch(uint64_t bytes) {
  if (!gives_scratch) return {};
  const uint64_t offset = next_;
  next_ = (offset + bytes + 255) / 256 * 256 + 256;
  EXPECT_LE(next_, kScratchBytes);
  taken_.emplace_back(offset, offset + bytes);
  return {scratch, offset};
}

void Rig::spoil_scratch(uint32_t word) {
  for (const auto& [begin, end] : taken_) {
    for (uint64_t at = begin; at + 4 <= end; at += 4) std::memcpy(scratch_bytes_ + at, &word, 4);
  }
}

bool Rig::guards_touched() {
  uint64_t from = 0;
  for (const auto& [begin, end] : taken_) {
    if (std::any_of(scratch_bytes_ + from, scratch_bytes_ + begin, [](std::byte b) { return b != kGuard; }))
      return true;
    from = end;
  }
  return std::any_of(scratch_bytes_ + from, scratch_bytes_ + kScratchBytes, [](std::byte b) { return b != kGuard; });
}

std::vector<const PlacedImage*> Rig::targets() const {
  return {&levels, &tiles, &picture,   &restored, &blurred,    &filtered,
          &frame,  &local, &sharpened, &glowing,  &mip_glowing};
}

std::vector<const vulkan::Buffer*> Rig::buffers_of(Technique technique) const {
  switch (technique) {
    case Technique::kMeter:
      return {&results};
    case Technique::kForward:
      return {&spectrum};
    case Technique::kFrame:
      return {&frame_results};
    case Technique::kCorrelator:
      return {&shift, &surface};
    default:
      return {};
  }
}

const PlacedImage* Rig::target_of(Technique technique) const {
  switch (technique) {
    case Technique::kPyramid:
      return &levels;
    case Technique::kTiles:
      return &tiles;
    case Technique::kToneMap:
      return &picture;
    case Technique::kInverse:
      return &restored;
    case Technique::kConvolver:
      return &blurred;
    case Technique::kFilter:
      return &filtered;
    case Technique::kFrame:
      return &frame;
    case Technique::kLocal:
      return &local;
    case Technique::kDeconvolver:
      return &sharpened;
    case Technique::kBloom:
      return &glowing;
    case Technique::kMipBloom:
      return &mip_glowing;
    case Technique::kMeter:
    case Technique::kForward:
    case Technique::kCorrelator:
      return nullptr;
  }
  return nullptr;
}

std::vector<std::byte> Rig::download(Technique technique) {
  std::vector<std::byte> all;
  for (const vulkan::Buffer* buffer : buffers_of(technique)) {
    const auto* bytes = static_cast<const std::byte*>(buffer->mapped);
    all.insert(all.end(), bytes, bytes + buffer->size);
  }
  const PlacedImage* image = target_of(technique);
  if (image == nullptr) return all;
  std::memset(staging_.mapped, 0, staging_.size);
  own.run([&](VkCommandBuffer commands) {
    image->transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                      vulkan::kTransferReads);
    image->record_part(staging_, 0, image->part_levels, false, commands);
    image->transition(commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, vulkan::kTransferReads, VK_IMAGE_LAYOUT_GENERAL,
                      vulkan::kShaderWrites);
    full_barrier(own, commands);
  });
  const auto* bytes = static_cast<const std::byte*>(staging_.mapped);
  all.insert(all.begin(), bytes, bytes + image->part_bytes(0, image->part_levels));
  return all;
}

bool Rig::outside_touched() {
  std::vector<std::pair<const PlacedImage*, VkImageLayout>> images = {
      {&source, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}, {&mask, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}};
  for (const PlacedImage* image : targets()) images.emplace_back(image, VK_IMAGE_LAYOUT_GENERAL);
  return std::any_of(images.begin(), images.end(), [&](const auto& entry) {
    const auto& [image, layout] = entry;
    own.run([&, image = image, layout = layout](VkCommandBuffer commands) {
      image->transition(commands, layout, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                        vulkan::kTransferReads);
      vulkan::copy_levels(*image, staging_, 0, 0, image->levels, false, commands);
      image->transition(commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, vulkan::kTransferReads, layout,
                        vulkan::kShaderWrites);
      full_barrier(own, commands);
    });
    return image->outside_touched(static_cast<const std::byte*>(staging_.mapped));
  });
}

void Rig::clear() {
  own.run([&](VkCommandBuffer commands) {
    const VkClearColorValue colour{{0.123F, 0.5F, 0.7F, 0.9F}};
    for (const PlacedImage* image : targets()) {
      const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, image->at.level, image->part_levels, image->at.slice,
                                        image->part_slices};
      own.vkCmdClearColorImage(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, &colour, 1, &all);
    }
    full_barrier(own, commands);
  });
  for (const vulkan::Buffer* buffer : {&spectrum, &results, &frame_results, &shift, &surface})
    std::memset(buffer->mapped, 0x33, buffer->size);
}

onepass_vulkan_device_handles c_handles(const OwnDevice& own) {
  onepass_vulkan_device_handles handles;
  onepass_vulkan_device_handles_init(&handles, sizeof handles);
  const vulkan::DeviceHandles h = own.handles();
  handles.get_instance_proc_addr = h.get_instance_proc_addr;
  handles.instance = h.instance;
  handles.physical_device = h.physical_device;
  handles.device = h.device;
  handles.queue_family = h.queue_family;
  handles.shader_storage_image_write_without_format = VK_TRUE;
  return handles;
}

void full_barrier(const OwnDevice& own, VkCommandBuffer commands) {
  VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  all.srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  all.dstAccessMask = all.srcAccessMask;
  own.vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                              VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, nullptr,
                              0, nullptr);
}

void record_all(const Rig& rig, const Driver& driver, VkCommandBuffer commands, First first) {
  if (first == First::kReset) {
    driver.reset(commands);
  } else {
    driver.record_kernels(commands);
  }
  full_barrier(rig.own, commands);
  for (uint32_t t = 0; t < kTechniques; ++t) {
    driver.record(static_cast<Technique>(t), commands);
    full_barrier(rig.own, commands);
  }
}

// ---- The driver by the C++ classes

namespace {

/// The value; an error fails the test and aborts.
template <typename T>
T take(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().text();
    std::abort();
  }
  return std::move(*result);
}

/// One slice of one level, as a side of a transform.
vulkan::Side side_of(const PlacedImage& image, VkImageLayout layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL) {
  return {.image = image.image, .level = image.at.level, .slice = image.at.slice, .layout = layout};
}

class CppDriver : public Driver {
 public:
  explicit CppDriver(Rig& rig)
      : pyramid_(take(vulkan::Pyramid::create(rig.device, pyramid_options()))),
        tiles_(take(vulkan::TileReduction::create(rig.device, tile_options()))),
        meter_(take(vulkan::Meter::create(rig.device, meter_options()))),
        map_(take(vulkan::ToneMap::create(rig.device, tone_options()))),
        transform_(take(vulkan::Transform::create(rig.device, transform_options()))),
        convolver_(take(vulkan::Convolver::create(rig.device, convolution_options()))),
        filter_(take(vulkan::Filter::create(rig.device, filter_options()))),
        frames_(take(vulkan::FrameToneMap::create(rig.device, frame_options()))),
        local_(take(vulkan::ToneMap::create(rig.device, local_options()))),
        deconvolver_(take(vulkan::Deconvolver::create(rig.device, deconvolution_options()))),
        correlator_(take(vulkan::Correlator::create(rig.device, correlation_options()))),
        bloom_(take(vulkan::Bloom::create(rig.device, bloom_options()))),
        mip_bloom_(take(vulkan::Bloom::create(rig.device, mip_bloom_options()))),
        mip_chain_(rig.take_image(mip_bloom_.mip_chain_info())),
        rig_(rig),
        bindings_(bind()) {
    EXPECT_LE(correlator_.dispatch_plan().result_bytes, rig.shift.size);
    for (const auto& set :
         {convolver_.set_kernel(rig.kernel_pixels.view()), deconvolver_.set_kernel(rig.kernel_pixels.view())}) {
      if (!set) ADD_FAILURE() << set.error().text();
    }
  }

  void bind_again() const override { static_cast<void>(bind()); }

  void reset(VkCommandBuffer commands) const override {
    pyramid_.record_reset(commands, bindings_.pyramid);
    meter_.record_reset(commands, bindings_.meter);
    map_.record_reset(commands, bindings_.map);  // nothing
    local_.record_reset(commands, bindings_.local);
    frames_.record_reset(commands, bindings_.frames);
    record_kernels(commands);
  }
  void reset_scratch(VkCommandBuffer commands) const override {
    pyramid_.record_reset(commands, bindings_.pyramid);
    local_.record_reset(commands, bindings_.local);
    meter_.record_reset_scratch(commands, bindings_.meter);
    frames_.record_reset_scratch(commands, bindings_.frames);
  }
  void record_kernels(VkCommandBuffer commands) const override {
    convolver_.record_kernel(commands);
    deconvolver_.record_kernel(commands);
    bloom_.record_kernel(commands);
  }

  void record(Technique technique, VkCommandBuffer commands) const override {
    switch (technique) {
      case Technique::kPyramid:
        return pyramid_.record(commands, bindings_.pyramid);
      case Technique::kTiles:
        return tiles_.record(commands, bindings_.tiles);
      case Technique::kMeter:
        return meter_.record(commands, bindings_.meter);
      case Technique::kToneMap:
        return map_.record(commands, bindings_.map, 1.5F);
      case Technique::kForward:
        return transform_.record_forward(commands, bindings_.transform);
      case Technique::kInverse:
        return transform_.record_inverse(commands, bindings_.transform);
      case Technique::kConvolver:
        return convolver_.record(commands, bindings_.convolver);
      case Technique::kFilter:
        return filter_.record(commands, bindings_.filter);
      case Technique::kFrame:
        return frames_.record(commands, bindings_.frames, {.seconds = 0.25F, .cut = true});
      case Technique::kLocal:
        return local_.record(commands, bindings_.local, 1.5F);
      case Technique::kDeconvolver:
        return deconvolver_.record(commands, bindings_.deconvolver);
      case Technique::kCorrelator:
        return correlator_.record(commands, bindings_.correlator);
      case Technique::kBloom:
        return bloom_.record(commands, bindings_.bloom);
      case Technique::kMipBloom:
        return mip_bloom_.record(commands, bindings_.mip_bloom);
    }
  }

  std::array<double, 3> shift(std::span<const std::byte> result) const override {
    const ShiftEstimate found = take(correlator_.finish(result));
    return {found.x, found.y, found.confidence};
  }

 private:
  struct Bindings {
    vulkan::PyramidBinding pyramid;
    vulkan::TileReductionBinding tiles;
    vulkan::MeterBinding meter;
    vulkan::ToneMapBinding map;
    vulkan::TransformBinding transform;
    vulkan::OperationBinding convolver;
    vulkan::OperationBinding filter;
    vulkan::FrameToneMapBinding frames;
    vulkan::ToneMapBinding local;
    vulkan::OperationBinding deconvolver;
    vulkan::CorrelationBinding correlator;
    vulkan::OperationBinding bloom;
    vulkan::OperationBinding mip_bloom;
  };

  Bindings bind() const {
    return {
        .pyramid = bind_pyramid(),
        .tiles = take(tiles_.bind({.source = rig_.source.image,
                                   .source_level = rig_.source.at.level,
                                   .source_slice = rig_.source.at.slice,
                                   .target = rig_.tiles.image,
                                   .target_level = rig_.tiles.at.level,
                                   .target_slice = rig_.tiles.at.slice})),
        .meter = bind_meter(),
        .map = bind_map(map_, rig_.picture, rig_.results.buffer),
        .transform = take(transform_.bind({.source = side_of(rig_.source),
                                           .spectrum = {.buffer = rig_.spectrum.buffer},
                                           .target = side_of(rig_.restored),
                                           .scratch = rig_.take_scratch(transform_.dispatch_plan().scratch_bytes)})),
        .convolver = bind_operation(convolver_, rig_.blurred),
        .filter = bind_operation(filter_, rig_.filtered),
        .frames = bind_frames(),
        .local = bind_map(local_, rig_.local, VK_NULL_HANDLE),
        .deconvolver = bind_operation(deconvolver_, rig_.sharpened),
        .correlator = take(correlator_.bind({.first = side_of(rig_.source),
                                             .second = side_of(rig_.blurred, VK_IMAGE_LAYOUT_GENERAL),
                                             .result = {.buffer = rig_.shift.buffer},
                                             .surface = {.buffer = rig_.surface.buffer},
                                             .scratch = rig_.take_scratch(correlator_.dispatch_plan().scratch_bytes)})),
        .bloom = bind_operation(bloom_, rig_.glowing),
        .mip_bloom = bind_operation(mip_bloom_, rig_.mip_glowing, mip_chain_)};
  }
  template <typename Operation>
  vulkan::OperationBinding bind_operation(const Operation& operation, const PlacedImage& target,
                                          VkImage mip_chain = VK_NULL_HANDLE) const {
    return take(operation.bind({.source = side_of(rig_.source),
                                .target = side_of(target),
                                .scratch = rig_.take_scratch(operation.dispatch_plan().scratch_bytes),
                                .mip_chain = mip_chain}));
  }
  vulkan::ToneMapBinding bind_map(const vulkan::ToneMap& map, const PlacedImage& target, VkBuffer exposure) const {
    const auto scratch = map.dispatch_plan().scratch_bytes != 0 ? rig_.take_scratch(map.dispatch_plan().scratch_bytes)
                                                                : vulkan::BufferRange{};
    return take(map.bind({.source = rig_.source.image,
                          .source_level = rig_.source.at.level,
                          .source_slice = rig_.source.at.slice,
                          .target = target.image,
                          .target_level = target.at.level,
                          .target_slice = target.at.slice,
                          .exposure = exposure,
                          .exposure_offset = exposure != VK_NULL_HANDLE ? 4U : 0U,
                          .scratch = scratch.buffer,
                          .scratch_offset = scratch.offset}));
  }
  vulkan::PyramidBinding bind_pyramid() const {
    const auto scratch = rig_.take_scratch(pyramid_.dispatch_plan().scratch_bytes);
    return take(pyramid_.bind({.source = rig_.source.image,
                               .source_level = rig_.source.at.level,
                               .source_slice = rig_.source.at.slice,
                               .target = rig_.levels.image,
                               .target_level = rig_.levels.at.level,
                               .target_slice = rig_.levels.at.slice,
                               .scratch = scratch.buffer,
                               .scratch_offset = scratch.offset}));
  }
  vulkan::MeterBinding bind_meter() const {
    const auto scratch = rig_.take_scratch(meter_.dispatch_plan().scratch_bytes);
    return take(meter_.bind({.source = rig_.source.image,
                             .source_level = rig_.source.at.level,
                             .source_slice = rig_.source.at.slice,
                             .mask = rig_.mask.image,
                             .mask_level = rig_.mask.at.level,
                             .mask_slice = rig_.mask.at.slice,
                             .results = rig_.results.buffer,
                             .scratch = scratch.buffer,
                             .scratch_offset = scratch.offset}));
  }

  vulkan::FrameToneMapBinding bind_frames() const {
    const auto scratch = rig_.take_scratch(frames_.dispatch_plan().scratch_bytes);
    return take(frames_.bind({.source = rig_.source.image,
                              .source_level = rig_.source.at.level,
                              .source_slice = rig_.source.at.slice,
                              .mask = rig_.mask.image,
                              .mask_level = rig_.mask.at.level,
                              .mask_slice = rig_.mask.at.slice,
                              .target = rig_.frame.image,
                              .target_level = rig_.frame.at.level,
                              .target_slice = rig_.frame.at.slice,
                              .results = rig_.frame_results.buffer,
                              .scratch = scratch.buffer,
                              .scratch_offset = scratch.offset}));
  }

  vulkan::Pyramid pyramid_;
  vulkan::TileReduction tiles_;
  vulkan::Meter meter_;
  vulkan::ToneMap map_;
  vulkan::Transform transform_;
  vulkan::Convolver convolver_;
  vulkan::Filter filter_;
  vulkan::FrameToneMap frames_;
  vulkan::ToneMap local_;
  vulkan::Deconvolver deconvolver_;
  vulkan::Correlator correlator_;
  vulkan::Bloom bloom_;
  vulkan::Bloom mip_bloom_;
  VkImage mip_chain_;
  Rig& rig_;
  Bindings bindings_;
};

}  // namespace

std::unique_ptr<Driver> make_cpp_driver(Rig& rig) { return std::make_unique<CppDriver>(rig); }

}  // namespace onepass::testing
