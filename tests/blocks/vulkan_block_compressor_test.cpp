// vulkan_block_compressor_test.cpp: vulkan::BlockCompressor beside cpu::compress at its quality kFast: the same bits on
// software devices, which divide and take square roots as IEEE 754 says, elsewhere the same quality. All formats, sizes
// that 4 does not divide, levels, slices, options; blocks in a buffer and in a compressed image; errors.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "onepass/vulkan/blocks.hpp"
#include "tests/blocks/blocks_testing.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/vulkan/vulkan_testing.hpp"
#include "vulkan/barrier.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::testing {
namespace {

using vulkan::BlockCompressor;

using VulkanBlockCompressor = VulkanTest;

bool can_compress(const BlockFormatInfo& info) {
  return info.format != BlockFormat::kBc2Unorm && info.format != BlockFormat::kBc2Srgb && !is_astc(info.format);
}

std::vector<BlockLevel> levels_of(const BlockCompressorOptions& options) {
  auto plan = plan_block_compressor(options);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().text());
  return plan ? plan->levels : std::vector<BlockLevel>();
}

/// Levels of smooth colours, noise, flat blocks and two colours; alpha is 255 in the left half.
std::vector<Image> make_levels(const BlockCompressorOptions& options, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Image> levels;
  for (const BlockLevel& level : levels_of(options)) {
    auto image = Image::create(Format::kRGBA8Unorm, level.size, options.slices);
    EXPECT_TRUE(image);
    const uint32_t width = level.size.width;
    for (size_t i = 0; i < image->size_in_bytes(); ++i) {
      const auto c = static_cast<uint32_t>(i % 4);
      const auto x = static_cast<uint32_t>(i / 4 % width);
      const auto y = static_cast<uint32_t>(i / 4 / width);
      const auto noise = static_cast<uint32_t>(random());
      const uint32_t wave = static_cast<uint32_t>(128 + 90 * std::sin(0.06 * x * (c + 1) + 0.05 * y)) + noise % 5;
      const uint32_t kinds[] = {wave, noise >> 8, x / 4 * 37 + y / 4 * 91 + c * 53,
                                (noise >> 9 ^ x) & 1 ? 40 * c : 201};
      const uint32_t code = c == 3 && 2 * x < width ? 255 : kinds[x / 4 % 2 + 2 * (y / 4 % 2)] & 255;
      image->data()[i] = static_cast<std::byte>(code);
    }
    if (options.source != Format::kRGBA8Unorm) {
      auto other = Image::create(options.source, level.size, options.slices);
      EXPECT_TRUE(other);
      std::vector<float> row(size_t{4} * width);
      for (uint32_t y = 0; y < level.size.height * options.slices; ++y) {
        const uint32_t line = y % level.size.height;
        const uint32_t slice = y / level.size.height;
        decode_row(Format::kRGBA8Unorm, image->view().row(line, slice), width, row.data());
        encode_row(options.source, row.data(), width, other->view().row(line, slice));
      }
      *image = std::move(*other);
    }
    levels.push_back(std::move(*image));
  }
  return levels;
}

std::vector<BlockImage> block_images(const BlockCompressorOptions& options) {
  std::vector<BlockImage> images;
  for (const BlockLevel& level : levels_of(options)) {
    images.push_back(std::move(*BlockImage::create(options.blocks, level.size, options.slices)));
  }
  return images;
}

std::vector<BlockImage> compressed_on_the_cpu(const BlockCompressorOptions& options, const std::vector<Image>& levels) {
  std::vector<BlockImage> out = block_images(options);
  for (size_t n = 0; n < levels.size(); ++n) {
    const BlockOptions same{.quality = BlockQuality::kFast,
                            .metric = options.metric,
                            .alpha = options.alpha,
                            .alpha_threshold = options.alpha_threshold};
    const auto done = cpu::compress(levels[n].view(), out[n].view(), same);
    EXPECT_TRUE(done) << (done ? "" : done.error().text());
  }
  return out;
}

std::vector<BlockImage> compressed(const BlockCompressorOptions& options, const std::vector<Image>& levels) {
  std::vector<BlockImage> out = block_images(options);
  std::vector<ImageView> sources;
  std::vector<MutableBlockView> views;
  for (size_t n = 0; n < levels.size(); ++n) {
    sources.push_back(levels[n].view());
    views.push_back(out[n].view());
    std::memset(views[n].data, 0xEE, out[n].size_in_bytes());
  }
  const auto done = vulkan::compress_levels(test_device(), options, sources, views);
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  return out;
}

/// The integer that the bits of a half form, with the fraction that rounding to a half would remove.
double half_code(double v) {
  if (v < 0) return -half_code(-v);
  if (v < 0x1p-14) return v * 0x1p24;
  const int exponent = std::ilogb(v);
  return 1024 * (exponent + 14 + std::ldexp(v, -exponent));
}

/// Squared differences of the decompressed texels, in the channels of the format, as they are stored: of light as
/// codes of halves, by the weights of the metric, because that is what encoders of light minimize.
double squared_error(const BlockImage& blocks, const Image& source, BlockMetric metric) {
  const BlockFormatInfo& info = block_format_info(blocks.format());
  const bool srgb = info.type == ChannelType::kSrgb;
  const Format format = srgb ? Format::kRGBA8Srgb : Format::kRGBA32Sfloat;
  auto image = Image::create(format, blocks.size(), blocks.slices());
  EXPECT_TRUE(image && cpu::decompress(blocks.view(), image->view()));
  const uint32_t width = blocks.size().width;
  std::vector<float> wanted(size_t{4} * width), got(size_t{4} * width);
  double sum = 0;
  for (uint32_t s = 0; s < blocks.slices(); ++s) {
    for (uint32_t y = 0; y < blocks.size().height; ++y) {
      decode_row(source.format(), source.view().row(y, s), width, wanted.data());
      decode_row(format, image->view().row(y, s), width, got.data());
      for (size_t i = 0; i < wanted.size(); ++i) {
        if (i % 4 >= info.channels) continue;
        double a = wanted[i];
        double b = got[i];
        const bool maps_sign = info.has_sign && info.type != ChannelType::kFloat &&
                               format_info(source.format()).type != ChannelType::kFloat;
        if (maps_sign) a = 2 * a - 1;
        if (srgb && i % 4 < 3) {
          const auto encoded = [](double v) {
            return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
          };
          a = encoded(a);
          b = encoded(b);
        }
        double weight = 1;
        if (info.type == ChannelType::kFloat) {
          a = half_code(info.has_sign ? a : std::max(a, 0.0));
          b = half_code(b);
          if (metric == BlockMetric::kLuma) weight = std::array{0.2126, 0.7152, 0.0722}[i % 4];
        }
        sum += weight * (a - b) * (a - b);
      }
    }
  }
  return sum;
}

/// `exact`: the blocks have the same bits on software devices.
void expect_blocks_of_the_cpu(const BlockCompressorOptions& options, uint32_t seed, bool exact = true) {
  const std::vector<Image> levels = make_levels(options, seed);
  const std::vector<BlockImage> wanted = compressed_on_the_cpu(options, levels);
  const std::vector<BlockImage> got = compressed(options, levels);
  double wanted_error = 0;
  double error = 0;
  for (size_t n = 0; n < levels.size(); ++n) {
    const std::string name = name_of(options.blocks) + " of " + std::string(format_info(options.source).name) + ", " +
                             std::to_string(options.size.width) + "x" + std::to_string(options.size.height) +
                             ", level " + std::to_string(n);
    const size_t bytes = block_format_info(options.blocks).bytes_per_block;
    const auto* const a = static_cast<const std::byte*>(wanted[n].view().data);
    const auto* const b = static_cast<const std::byte*>(got[n].view().data);
    for (size_t at = 0; exact && test_device().info().software && at < wanted[n].size_in_bytes(); at += bytes) {
      ASSERT_EQ(std::memcmp(a + at, b + at, bytes), 0) << name << ", block " << at / bytes;
    }
    wanted_error += squared_error(wanted[n], levels[n], options.metric);
    error += squared_error(got[n], levels[n], options.metric);
  }
  EXPECT_LE(error, std::pow(10, 0.005) * wanted_error) << name_of(options.blocks);  // 0.05 dB
}

TEST_F(VulkanBlockCompressor, EveryFormatHasTheBlocksOfTheCpuEngine) {
  const uint32_t seed = random_seed();
  for (const BlockFormatInfo& info : all_block_formats()) {
    if (!can_compress(info) || info.type == ChannelType::kFloat) continue;
    // Encoders of colours take 8 bits, those of channels and of light what the device makes of a texel.
    const bool colors = info.texels == Format::kRGBA8Unorm || info.texels == Format::kRGBA8Srgb;
    const Format source = colors ? info.texels : Format::kRGBA32Sfloat;
    expect_blocks_of_the_cpu(
        {.size = {77, 46}, .slices = 2, .levels = 0, .source = source, .blocks = info.format, .alpha_threshold = 0.4F},
        seed);
  }
}

// Apart from the other formats: the compiler of SwiftShader has no memory for this kernel.
TEST_F(VulkanBlockCompressor, LightHasTheBlocksOfTheCpuEngine) {
  const uint32_t seed = random_seed();
  for (const BlockFormat format : {BlockFormat::kBc6hUfloat, BlockFormat::kBc6hSfloat}) {
    const BlockCompressorOptions options{.size = {77, 46}, .slices = 2, .levels = 0, .blocks = format};
    for (const Format source : {Format::kRGBA32Sfloat, Format::kRGBA16Sfloat}) {
      BlockCompressorOptions of = options;
      of.source = source;
      expect_blocks_of_the_cpu(of, seed);
    }
    BlockCompressorOptions of = options;
    of.source = Format::kRGBA8Srgb;
    of.metric = BlockMetric::kLuma;
    expect_blocks_of_the_cpu(of, seed, false);
  }
}

TEST_F(VulkanBlockCompressor, EverySizeAndLevelHasTheBlocksOfTheCpuEngine) {
  const uint32_t seed = random_seed();
  for (const BlockFormat format : {BlockFormat::kBc1RgbUnorm, BlockFormat::kBc3Unorm, BlockFormat::kBc7Unorm}) {
    for (uint32_t side = 1; side <= 9; ++side) {
      expect_blocks_of_the_cpu({.size = {side, 1 + side * 5 % 9}, .levels = 0, .blocks = format}, seed + side);
    }
    expect_blocks_of_the_cpu({.size = {1, 300}, .slices = 3, .levels = 0, .blocks = format}, seed);
    expect_blocks_of_the_cpu({.size = {301, 65}, .slices = 6, .levels = 3, .blocks = format}, seed);
  }
}

TEST_F(VulkanBlockCompressor, MetricsAndWeightsOfAlphaAreThoseOfTheCpuEngine) {
  const uint32_t seed = random_seed();
  for (const BlockFormat format :
       {BlockFormat::kBc1RgbUnorm, BlockFormat::kBc1RgbaUnorm, BlockFormat::kBc3Unorm, BlockFormat::kBc7Unorm}) {
    for (const BlockMetric metric : {BlockMetric::kUniform, BlockMetric::kLuma}) {
      for (const BlockAlpha alpha : {BlockAlpha::kIndependent, BlockAlpha::kWeighted}) {
        expect_blocks_of_the_cpu({.size = {120, 60}, .blocks = format, .metric = metric, .alpha = alpha}, seed);
      }
    }
  }
}

TEST_F(VulkanBlockCompressor, SourcesOfOtherEncodingsAreConverted) {
  struct Case {
    Format source;
    BlockFormat blocks;
    bool exact;  // no conversion in which devices may round in their own way
  };
  const uint32_t seed = random_seed();
  for (const Case& of : {Case{Format::kRGBA16Sfloat, BlockFormat::kBc7Unorm, true},
                         {Format::kRGBA16Unorm, BlockFormat::kBc3Unorm, true},
                         {Format::kBGRA8Srgb, BlockFormat::kBc1RgbSrgb, true},
                         {Format::kR8Unorm, BlockFormat::kBc4Unorm, false},
                         {Format::kRG8Unorm, BlockFormat::kBc5Snorm, false},
                         {Format::kRG16Unorm, BlockFormat::kBc5Unorm, false},
                         {Format::kRGBA32Sfloat, BlockFormat::kBc7Srgb, false}}) {
    expect_blocks_of_the_cpu({.size = {64, 40}, .levels = 2, .source = of.source, .blocks = of.blocks}, seed, of.exact);
  }
}

TEST_F(VulkanBlockCompressor, FlatBlocksAreExactWhereTheFormatCanHoldThem) {
  auto image = Image::create(Format::kRGBA8Unorm, {64, 64});
  ASSERT_TRUE(image);
  for (uint32_t i = 0; i < 64 * 64; ++i) {  // block n: grey n
    const auto code = static_cast<std::byte>(i / 256 * 16 + i % 64 / 4);
    for (uint32_t c = 0; c < 4; ++c) image->data()[4 * i + c] = c == 3 ? std::byte{255} : code;
  }
  for (const BlockFormat format : {BlockFormat::kBc4Unorm, BlockFormat::kBc7Unorm, BlockFormat::kBc3Unorm}) {
    auto blocks = BlockImage::create(format, {64, 64});
    ASSERT_TRUE(blocks);
    const ImageView source = image->view();
    const MutableBlockView view = blocks->view();
    const BlockCompressorOptions options{.size = {64, 64}, .blocks = format};
    ASSERT_TRUE(vulkan::compress_levels(test_device(), options, {&source, 1}, {&view, 1}));
    auto out = Image::create(Format::kRGBA8Unorm, {64, 64});
    ASSERT_TRUE(out && cpu::decompress(blocks->view(), out->view()));
    // BC7's mode 6 has one lowest bit for red, green, blue and alpha, which 255 sets: even greys are a code off.
    const int most = format == BlockFormat::kBc4Unorm ? 0 : 1;
    for (size_t i = 0; i < out->size_in_bytes(); i += 4) {
      const int difference = static_cast<int>(out->data()[i]) - static_cast<int>(image->data()[i]);
      ASSERT_LE(std::abs(difference), most) << name_of(format) << ", texel " << i / 4;
      ASSERT_EQ(out->data()[i + 3], std::byte{255}) << name_of(format) << ", texel " << i / 4;
    }
  }
}

// ---- A compressed image

/// Bytes of levels and slices of an image of blocks, and back.
std::vector<VkBufferImageCopy> copies_of(const BlockCompressorOptions& options, uint32_t level, uint32_t slice) {
  std::vector<VkBufferImageCopy> copies;
  for (const BlockLevel& of : levels_of(options)) {
    VkBufferImageCopy copy{};
    copy.bufferOffset = of.offset;
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level++, slice, options.slices};
    copy.imageExtent = {of.size.width, of.size.height, 1};
    copies.push_back(copy);
  }
  return copies;
}

/// Of levels to levels 1 and up of the slices from 2.
std::vector<VkBufferImageCopy> uploads_of(const std::vector<Image>& levels, uint32_t slices) {
  std::vector<VkBufferImageCopy> copies;
  uint64_t offset = 0;
  for (const Image& level : levels) {
    VkBufferImageCopy copy{};
    copy.bufferOffset = offset;
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, static_cast<uint32_t>(copies.size()) + 1, 2, slices};
    copy.imageExtent = {level.size().width, level.size().height, 1};
    copies.push_back(copy);
    offset += level.size_in_bytes();
  }
  return copies;
}

/// Compresses levels 1 and up of the slices from 2 of an image into levels 2 and up of the slices from 1 of a texture,
/// twice, and returns the bytes of the texture.
std::vector<std::byte> compressed_into_a_texture(const BlockCompressorOptions& options,
                                                 const std::vector<Image>& levels, bool own_buffer) {
  using namespace vulkan;
  const Device::Impl& impl = test_device().impl();
  const auto count = static_cast<uint32_t>(levels.size());
  auto source = DeviceImage::create(
      impl, {.format = options.source,
             .size = {2 * options.size.width, 2 * options.size.height},
             .levels = count + 1,
             .slices = options.slices + 2,
             .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_STORAGE_BIT});
  auto texture =
      DeviceImage::create(impl, {.format = static_cast<Format>(options.blocks),
                                 .size = {4 * options.size.width, 4 * options.size.height},
                                 .levels = count + 2,
                                 .slices = options.slices + 1,
                                 .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
  EXPECT_TRUE(source && texture);
  auto compressor = BlockCompressor::create(test_device(), options);
  EXPECT_TRUE(compressor) << (compressor ? "" : compressor.error().text());
  const std::vector<VkBufferImageCopy> uploads = uploads_of(levels, options.slices);
  const uint64_t texel_bytes = uploads.back().bufferOffset + levels.back().size_in_bytes();
  const uint64_t bytes = compressor->plan().bytes;
  constexpr VkBufferUsageFlags kCopies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  auto staging = Buffer::create(impl, std::max(texel_bytes, bytes), kCopies, true);
  auto buffer = Buffer::create(impl, 256 + bytes, kCopies | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
  EXPECT_TRUE(staging && buffer);
  for (uint32_t n = 0; n < count; ++n) {
    std::memcpy(static_cast<std::byte*>(staging->mapped) + uploads[n].bufferOffset, levels[n].data(),
                levels[n].size_in_bytes());
  }
  auto binding = compressor->bind({.source = source->image,
                                   .source_level = 1,
                                   .source_slice = 2,
                                   .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                                   .blocks = own_buffer ? VK_NULL_HANDLE : buffer->buffer,
                                   .blocks_offset = own_buffer ? 0U : 256U,
                                   .target = texture->image,
                                   .target_level = 2,
                                   .target_slice = 1});
  EXPECT_TRUE(binding) << (binding ? "" : binding.error().text());
  constexpr VkImageLayout kTarget = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  constexpr VkImageLayout kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const auto ran = test_device().run([&](VkCommandBuffer commands) {
    source->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kNoAccesses, kTarget, kTransferWrites);
    impl.functions.vkCmdCopyBufferToImage(commands, staging->buffer, source->image, kTarget, count, uploads.data());
    source->transition(commands, kTarget, kTransferWrites, VK_IMAGE_LAYOUT_GENERAL, kShaderReads);
    texture->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, kNoAccesses, kTarget, kTransferWrites);
    compressor->record(commands, *binding);
    record_barrier(impl, commands, {.before = kTransferWrites, .after = kTransferWrites});
    compressor->record(commands, *binding);
    texture->transition(commands, kTarget, kTransferWrites, kSource, kTransferReads);
    const auto downloads = copies_of(options, 2, 1);
    impl.functions.vkCmdCopyImageToBuffer(commands, texture->image, kSource, staging->buffer, count, downloads.data());
    record_barrier(impl, commands, {.before = kTransferWrites, .after = kHostReads});
  });
  EXPECT_TRUE(ran) << (ran ? "" : ran.error().text());
  std::vector<std::byte> out(bytes);
  std::memcpy(out.data(), staging->mapped, bytes);
  return out;
}

TEST_F(VulkanBlockCompressor, TextureHoldsTheBlocksAtItsLevelsAndSlices) {
  for (const auto& [source, format] : {std::pair{Format::kRGBA8Unorm, BlockFormat::kBc7Unorm},
                                       {Format::kRGBA8Srgb, BlockFormat::kBc1RgbaSrgb},
                                       {Format::kRGBA8Unorm, BlockFormat::kBc5Unorm}}) {
    const auto features = test_device().impl().features_of(static_cast<VkFormat>(format));
    if ((features & VK_FORMAT_FEATURE_TRANSFER_DST_BIT) == 0) GTEST_SKIP() << "no compressed images";
    const BlockCompressorOptions options{
        .size = {37, 26}, .slices = 2, .levels = 0, .source = source, .blocks = format};
    const std::vector<Image> levels = make_levels(options, random_seed());
    const std::vector<BlockImage> wanted = compressed(options, levels);
    for (const bool own_buffer : {false, true}) {
      const std::vector<std::byte> got = compressed_into_a_texture(options, levels, own_buffer);
      size_t at = 0;
      for (const BlockImage& level : wanted) {
        const auto* const bytes = static_cast<const std::byte*>(level.view().data);
        const auto differs = std::mismatch(bytes, bytes + level.size_in_bytes(), got.data() + at).first - bytes;
        ASSERT_EQ(static_cast<size_t>(differs), level.size_in_bytes())
            << name_of(format) << ", level of width " << level.size().width << ", own buffer " << own_buffer;
        at += level.size_in_bytes();
      }
      EXPECT_EQ(at, got.size());
    }
  }
}

// ---- Plan and errors

TEST(BlockCompressorPlans, CountEveryByte) {
  const auto plan =
      plan_block_compressor({.size = {13, 6}, .slices = 3, .levels = 0, .blocks = BlockFormat::kBc1RgbSrgb});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->levels.size(), 4U);  // 13x6, 6x3, 3x1, 1x1: 4x2, 2x1, 1 and 1 blocks
  EXPECT_EQ(plan->levels[1].blocks, (Extent{2, 1}));
  EXPECT_EQ(plan->levels[1].offset, 8U * 8 * 3);
  EXPECT_EQ(plan->levels[1].slice_bytes, 8U * 2);
  EXPECT_EQ(plan->levels[3].size, (Extent{1, 1}));
  EXPECT_EQ(plan->levels[3].offset, 8U * (8 + 2 + 1) * 3);
  EXPECT_EQ(plan->bytes, 8U * (8 + 2 + 1 + 1) * 3);
  EXPECT_EQ(plan->bytes_read, 4U * (13 * 6 + 6 * 3 + 3 + 1) * 3);
  const auto largest = plan_block_compressor({.size = {65535, 65535}, .levels = 0});
  ASSERT_TRUE(largest);
  EXPECT_EQ(largest->levels.size(), 16U);
  EXPECT_EQ(largest->levels[1].offset, 16ULL * 16384 * 16384);
}

void expect_error(const BlockCompressorOptions& options, const std::string& message) {
  const auto plan = plan_block_compressor(options);
  ASSERT_FALSE(plan) << message;
  EXPECT_EQ(plan.error().message, message);
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
  const auto made = BlockCompressor::create(test_device(), options);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, message);
}

TEST_F(VulkanBlockCompressor, BadOptionsAreNamedWithTheirValue) {
  const Extent size{8, 4};
  expect_error({}, "size: 0x0, not 1 to 65535 per axis");
  expect_error({.size = {65536, 1}}, "size: 65536x1, not 1 to 65535 per axis");
  expect_error({.size = size, .slices = 0}, "slices: 0");
  expect_error({.size = size, .levels = 5}, "levels: 5, but 8x4 has 4");
  expect_error({.size = size, .source = Format::kD32Sfloat},
               "source: format d32_sfloat has no colours that blocks could hold");
  expect_error({.size = size, .source = Format::kR8Uint},
               "source: format r8_uint has no colours that blocks could hold");
  expect_error({.size = size, .source = Format::kRGB8Unorm},
               "source: format r8g8b8_unorm is for images in host memory");
  expect_error({.size = size, .source = static_cast<Format>(7777)}, "source: unknown format 7777");
  expect_error({.size = size, .blocks = static_cast<BlockFormat>(7777)}, "blocks: unknown format 7777");
  expect_error({.size = size, .blocks = BlockFormat::kBc2Srgb}, "blocks: format bc2_srgb can only be decompressed");
  expect_error({.size = size, .blocks = BlockFormat::kAstc6x6Srgb},
               "blocks: format astc_6x6_srgb is compressed on the CPU only");
  expect_error({.size = size, .metric = static_cast<BlockMetric>(5)}, "metric: 5 is not an enumerator");
  expect_error({.size = size, .alpha = static_cast<BlockAlpha>(6)}, "alpha: 6 is not an enumerator");
  expect_error({.size = size, .alpha_threshold = 1.5F}, "alpha_threshold: 1.500000 is not 0 to 1");
  expect_error({.size = size, .alpha_threshold = NAN}, "alpha_threshold: nan is not 0 to 1");
}

TEST_F(VulkanBlockCompressor, BadImagesAreNamedWithTheirValue) {
  auto compressor = BlockCompressor::create(test_device(), {.size = {8, 4}});
  ASSERT_TRUE(compressor) << compressor.error().text();
  const auto refused = [&](const vulkan::BlockImages& images) {
    const auto binding = compressor->bind(images);
    return binding ? std::string("bound") : binding.error().message;
  };
  auto image = vulkan::DeviceImage::create(
      test_device().impl(), {.format = Format::kRGBA8Unorm, .size = {8, 4}, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  auto buffer = vulkan::Buffer::create(test_device().impl(), 1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
  ASSERT_TRUE(image && buffer);
  EXPECT_EQ(refused({.blocks = buffer->buffer}), "source: null image");
  EXPECT_EQ(refused({.source = image->image}),
            "blocks: null buffer, and target: null image: nothing receives the blocks");
  EXPECT_EQ(refused({.source = image->image, .blocks = buffer->buffer, .blocks_offset = 16}),
            "blocks_offset: 16 is not a multiple of 256");
  EXPECT_EQ(refused({.source = image->image, .blocks = buffer->buffer, .blocks_offset = 256}), "bound");
}

TEST_F(VulkanBlockCompressor, BadViewsAreNamedWithTheirValue) {
  const BlockCompressorOptions options{.size = {8, 4}, .levels = 2};
  const std::vector<Image> levels = make_levels(options, 1);
  std::vector<BlockImage> images = block_images(options);
  const auto refused = [&](std::vector<ImageView> from, std::vector<MutableBlockView> to) {
    const auto done = vulkan::compress_levels(test_device(), options, from, to);
    return done ? std::string("compressed") : done.error().message;
  };
  const ImageView l0 = levels[0].view(), l1 = levels[1].view();
  const MutableBlockView b0 = images[0].view(), b1 = images[1].view();
  EXPECT_EQ(refused({l0}, {b0, b1}), "levels: 1 views, not 2");
  EXPECT_EQ(refused({l0, l1}, {b0, b1, b1}), "blocks: 3 views, not 2");
  EXPECT_EQ(refused({l0, l0}, {b0, b1}), "levels[1]: size is 8x4, not 4x2");
  EXPECT_EQ(refused({l0, l1}, {b0, b0}), "blocks[1]: bc7_unorm of 8x4, 1 slices, not bc7_unorm of 4x2, 1");
  EXPECT_EQ(refused({l0, l1}, {b0, b1}), "compressed");
}

}  // namespace
}  // namespace onepass::testing
