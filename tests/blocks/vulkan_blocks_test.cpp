// vulkan_blocks_test.cpp: random blocks of every format as the device samples them, beside cpu::decompress: BC6H and
// BC7 bit for bit; of the others a device may round an interpolated colour in its own way. A blit to 32-bit floats
// reads every texel once. On lavapipe, unless ONEPASS_TEST_DEVICE names another device.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/blocks/blocks_testing.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/vulkan/own_device.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::testing {
namespace {

using vulkan::Buffer;
using vulkan::DeviceImage;

constexpr Extent kSize{144, 256};  // 2304 blocks
constexpr VkImageLayout kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
constexpr VkImageLayout kTarget = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
constexpr vulkan::Accesses kWrite{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT};
constexpr vulkan::Accesses kRead{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT};

/// Blocks of an image of kSize: random ones, of ASTC those of random texels, because most random bits are no block of
/// ASTC.
std::vector<std::byte> blocks_of(const BlockFormatInfo& info, uint32_t seed) {
  if (!is_astc(info.format)) return random_blocks(info.format, size_t{kSize.width} * kSize.height / 16, seed);
  std::mt19937 random(seed);
  auto source = Image::create(Format::kRGBA8Unorm, kSize);
  auto blocks = BlockImage::create(info.format, kSize);
  EXPECT_TRUE(source && blocks);
  for (size_t i = 0; i < source->size_in_bytes(); ++i) {
    source->data()[i] = static_cast<std::byte>(random() % (1 + i / 4 % kSize.width));
  }
  EXPECT_TRUE(cpu::compress(source->view(), blocks->view(), {.quality = BlockQuality::kFast}));
  const auto* const data = static_cast<const std::byte*>(blocks->view().data);
  return {data, data + blocks->size_in_bytes()};
}

/// Are both the same value of a format? The specification defines BC6H and BC7 bit for bit. Of the others devices round
/// the interpolated value in their own way: lavapipe of Mesa 22.3 truncates it twice to a code, signed values to 7
/// bits, and decodes sRGB by a polynomial, which is half a code off. `codes` more are allowed. SwiftShader expands the
/// endpoints of ASTC in sRGB as those in UNORM, which is one code off.
bool agree(const BlockFormatInfo& info, float device, float host, float codes) {
  if (info.type == ChannelType::kFloat) return device == host;
  if (info.format >= BlockFormat::kBc7Unorm) {
    const int most = is_astc(info.format) && info.type == ChannelType::kSrgb ? 1 : 0;
    return std::abs(std::lround(device * 255) - std::lround(host * 255)) <= most;
  }
  codes += info.type == ChannelType::kSrgb ? 2.6F : 2.1F;
  return std::fabs(device - host) < codes / (info.has_sign ? 127 : 255);
}

/// The codes by which a device may miss channel `channel` of a block because of its weights. NVIDIA's are sums of
/// binary fractions: a third of green of BC1 to BC3 is 80.25 / 256, and sevenths and fifths of alpha and of BC4 and BC5
/// miss by more than an eightieth. A fiftieth of the distance between the endpoints is allowed.
float codes_of_weights(const BlockFormatInfo& info, const std::byte* block, size_t channel) {
  const bool bc4 = info.format >= BlockFormat::kBc4Unorm && info.format <= BlockFormat::kBc5Snorm;
  const bool bc3 = info.format == BlockFormat::kBc3Unorm || info.format == BlockFormat::kBc3Srgb;
  if (bc4 || (bc3 && channel == 3)) {
    const std::byte* ends = block + (bc4 && channel == 1 ? 8 : 0);
    const auto end = [&](int i) {
      const auto code = static_cast<uint8_t>(ends[i]);
      return info.has_sign ? static_cast<float>(static_cast<int8_t>(code)) : static_cast<float>(code);
    };
    return std::fabs(end(0) - end(1)) / 50;
  }
  if (info.format >= BlockFormat::kBc4Unorm || channel != 1) return 0;
  uint16_t ends[2];
  std::memcpy(ends, block + (info.bytes_per_block == 16 ? 8 : 0), sizeof ends);
  const auto green = [](uint16_t end) { return static_cast<float>(end >> 5 & 63); };
  return std::fabs(green(ends[0]) - green(ends[1])) * 255 / 63 / 50;
}

/// The stored value of a channel that was decoded from sRGB.
float encoded(float light) {
  return light <= 0.0031308F ? 12.92F * light : 1.055F * std::pow(light, 1 / 2.4F) - 0.055F;
}

class VulkanBlocks : public ::testing::Test {
 protected:
  void SetUp() override {
    own_ = OwnDevice::create(system_loader());
    ASSERT_NE(own_, nullptr);
    const vulkan::DeviceHandles handles = own_->handles();
    device_ = std::make_unique<vulkan::Device>(std::move(*vulkan::Device::adopt(handles)));
    blit_ = reinterpret_cast<PFN_vkCmdBlitImage>(own_->vki.vkGetDeviceProcAddr(own_->device, "vkCmdBlitImage"));
  }
  void TearDown() override {
    if (own_ != nullptr) {
      EXPECT_EQ(own_->validation_messages(), 0) << own_->take_messages();
    }
  }

  [[nodiscard]] bool samples(BlockFormat format) const {
    VkFormatProperties properties{};
    own_->vki.vkGetPhysicalDeviceFormatProperties(own_->physical, static_cast<VkFormat>(format), &properties);
    return (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_SRC_BIT) != 0;
  }

  /// The texels that the device reads, as RGBA floats.
  std::vector<float> sampled(BlockFormat format, const std::vector<std::byte>& data) {
    const auto& impl = device_->impl();
    constexpr VkImageUsageFlags kUsage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    auto blocks = DeviceImage::create(impl, {.format = static_cast<Format>(format), .size = kSize, .usage = kUsage});
    auto texels = DeviceImage::create(impl, {.format = Format::kRGBA32Sfloat, .size = kSize, .usage = kUsage});
    std::vector<float> out(size_t{4} * kSize.width * kSize.height);
    auto staging = Buffer::create(impl, std::max(data.size(), out.size() * sizeof(float)),
                                  VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
    EXPECT_TRUE(blocks && texels && staging);
    std::memcpy(staging->mapped, data.data(), data.size());
    own_->run([&](VkCommandBuffer commands) { record(commands, *blocks, *texels, *staging); });
    std::memcpy(out.data(), staging->mapped, out.size() * sizeof(float));
    return out;
  }

  void record(VkCommandBuffer commands, const DeviceImage& blocks, const DeviceImage& texels, const Buffer& staging) {
    const auto& vk = device_->impl().functions;
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {kSize.width, kSize.height, 1};
    blocks.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kRead, kTarget, kWrite);
    vk.vkCmdCopyBufferToImage(commands, staging.buffer, blocks.image, kTarget, 1, &copy);
    blocks.transition(commands, kTarget, kWrite, kSource, kRead);
    texels.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kRead, kTarget, kWrite);
    const VkOffset3D end{static_cast<int32_t>(kSize.width), static_cast<int32_t>(kSize.height), 1};
    const VkImageBlit region{copy.imageSubresource, {{}, end}, copy.imageSubresource, {{}, end}};
    blit_(commands, blocks.image, kSource, texels.image, kTarget, 1, &region, VK_FILTER_NEAREST);
    texels.transition(commands, kTarget, kWrite, kSource, kRead);
    vk.vkCmdCopyImageToBuffer(commands, texels.image, kSource, staging.buffer, 1, &copy);
    VkMemoryBarrier to_host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                            VK_ACCESS_HOST_READ_BIT};
    vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                            nullptr, 0, nullptr);
  }

  std::unique_ptr<OwnDevice> own_;
  std::unique_ptr<vulkan::Device> device_;
  PFN_vkCmdBlitImage blit_ = nullptr;
};

TEST_F(VulkanBlocks, SampledTexelsAreThoseOfDecompress) {
  int formats = 0;
  for (const BlockFormatInfo& info : all_block_formats()) {
    if (!samples(info.format) || (is_astc(info.format) && !has_astc())) continue;
    ++formats;
    const auto data = blocks_of(info, random_seed());
    const std::vector<float> device = sampled(info.format, data);
    auto image = Image::create(Format::kRGBA32Sfloat, kSize);
    ASSERT_TRUE(image && cpu::decompress(tight_blocks(info.format, data, kSize), image->view()));
    const auto* const host = reinterpret_cast<const float*>(image->data());
    int wrong = 0;
    for (size_t i = 0; i < device.size() && wrong < 5; ++i) {
      const uint32_t row = size_in_blocks(info.format, kSize).width;
      const size_t block = i / 4 % kSize.width / info.size.width + i / 4 / kSize.width / info.size.height * row;
      const bool reserved = info.format >= BlockFormat::kBc7Unorm && !is_astc(info.format) && block % 9 == 8;
      if (reserved && i % 4 == 3) continue;  // the specification allows an alpha of 0 and of 1
      const bool srgb = info.type == ChannelType::kSrgb && i % 4 < 3;
      const float codes = codes_of_weights(info, &data[block * info.bytes_per_block], i % 4);
      if (srgb ? agree(info, encoded(device[i]), encoded(host[i]), codes) : agree(info, device[i], host[i], codes)) {
        continue;
      }
      ADD_FAILURE() << info.name << ", block " << block << ", texel " << i / 4 << ", channel " << i % 4 << ": device "
                    << device[i] << ", host " << host[i];
      ++wrong;
    }
  }
  EXPECT_TRUE(formats > 0) << "the device samples no format of blocks";
}

}  // namespace
}  // namespace onepass::testing
