// block_shaders_test.cpp: the encoders of blocks in shaders, samples/shaders/blocks.comp and .hlsl, beside
// cpu::compress at its quality kFast: the same bits on a device that divides and takes square roots as IEEE 754 says,
// as software devices do; elsewhere the same quality of the decompressed texels.
#include <cmath>
#include <cstring>

#include "onepass/blocks.hpp"
#include "tests/shaders/sample_kernels.hpp"
#include "tests/shaders/shader_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

using BlockShaders = VulkanTest;

BlockFormat format_of(uint32_t bc) {
  switch (bc) {
    case 1:
      return BlockFormat::kBc1RgbUnorm;
    case 3:
      return BlockFormat::kBc3Unorm;
    case 4:
      return BlockFormat::kBc4Unorm;
    case 6:
      return BlockFormat::kBc6hUfloat;
    default:
      return BlockFormat::kBc7Unorm;
  }
}

/// A quarter each of smooth colours, noise, flat blocks and two colours. Alpha is 255 in the upper half. `light`:
/// values of 2^-16 to 2^16 in place of 0 to 1.
std::vector<float> picture(Extent size, bool light, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> texels(size_t{4} * size.width * size.height);
  for (size_t i = 0; i < texels.size(); ++i) {
    const uint32_t c = i % 4;
    const auto x = static_cast<uint32_t>(i / 4 % size.width);
    const uint32_t y = static_cast<uint32_t>(i / 4) / size.width;
    const auto noise = static_cast<uint32_t>(random());
    uint32_t code = 0;
    switch (x / 4 % 2 + 2 * (y / 4 % 2)) {
      case 0:
        code = static_cast<uint32_t>(128 + 90 * std::sin(0.05 * x * (c + 1) + 0.06 * y) + noise % 7);
        break;
      case 1:
        code = noise & 255;
        break;
      case 2:
        code = (x / 4 * 37 + y / 4 * 91 + c * 53) & 255;
        break;
      default:
        code = ((noise >> 8 ^ x) & 1) != 0 ? 30 + 20 * c : 200 - 15 * c;
    }
    if (c == 3 && 2 * y < size.height) code = 255;
    texels[i] = static_cast<float>(code) / 255;
    if (light && c < 3) texels[i] = std::exp2(32 * texels[i] - 16) * (code == 0 ? 0 : 1);
  }
  return texels;
}

double squared_error(BlockFormat format, Extent size, const std::byte* blocks, const std::vector<float>& texels) {
  auto image = Image::create(Format::kRGBA32Sfloat, size);
  EXPECT_TRUE(image);
  const BlockFormatInfo& info = block_format_info(format);
  const size_t row = size_t{size_in_blocks(format, size).width} * info.bytes_per_block;
  EXPECT_TRUE(
      cpu::decompress({blocks, format, size, 1, row, row * size_in_blocks(format, size).height}, image->view()));
  double sum = 0;
  for (size_t i = 0; i < texels.size(); ++i) {
    if (i % 4 >= info.channels) continue;
    double a = texels[i];
    double b = reinterpret_cast<const float*>(image->data())[i];
    if (info.type == ChannelType::kFloat) {  // differences of about equal ratios
      a = std::log2(std::min(a, 65504.0) + 1e-6);
      b = std::log2(b + 1e-6);
    }
    sum += (a - b) * (a - b);
  }
  return sum;
}

/// Runs all variants of the samples for `light` or for all other formats. Returns their number.
int expect_blocks_of_the_cpu(bool light) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  int kernels = 0;
  for (const SampleKernel& kernel : sample_kernels()) {
    if (kernel.sample != "blocks" || (kernel.number("BC", 7) == 6) != light) continue;
    ++kernels;
    const BlockFormat format = format_of(kernel.number("BC", 7));
    const bool weighs = kernel.definitions.find("ONEPASS_BLOCK_LUMA") != std::string_view::npos;
    const BlockOptions options{.quality = BlockQuality::kFast,
                               .metric = weighs ? BlockMetric::kLuma : BlockMetric::kUniform,
                               .alpha = weighs ? BlockAlpha::kWeighted : BlockAlpha::kIndependent};
    for (const Extent size : {Extent{1, 1}, {2, 3}, {4, 4}, {5, 9}, {7, 6}, {61, 38}, {160, 96}}) {
      const std::vector<float> texels = picture(size, format == BlockFormat::kBc6hUfloat, seed);
      auto expected = BlockImage::create(format, size);
      const ImageView source{texels.data(), Format::kRGBA32Sfloat, size, 1, size_t{16} * size.width};
      EXPECT_TRUE(expected && cpu::compress(source, expected->view(), options));
      std::vector<uint32_t> words(expected->size_in_bytes() / 4, 0xEEEEEEEE);
      const Extent count = size_in_blocks(format, size);
      ShaderRun run{.code = kernel.code,
                    .buffers = {{.binding = 1, .words = &words}},
                    .sources = {{.binding = 0, .size = size, .channels = 4, .levels = {texels}}},
                    .push = {size.width, size.height},
                    .groups = {(count.width + 7) / 8, (count.height + 7) / 8, 1}};
      run_shader(run);
      const auto* const wanted = static_cast<const std::byte*>(expected->view().data);
      if (test_device().info().software) {
        const size_t bytes = block_format_info(format).bytes_per_block;
        for (size_t n = 0; n < expected->size_in_bytes() / bytes; ++n) {
          const bool same = std::memcmp(wanted + n * bytes, &words[n * bytes / 4], bytes) == 0;
          EXPECT_TRUE(same) << kernel.name << ", " << size.width << "x" << size.height << ", block " << n;
          if (!same) break;
        }
      }
      const double error = squared_error(format, size, reinterpret_cast<const std::byte*>(words.data()), texels);
      EXPECT_LE(error, std::pow(10, 0.005) * squared_error(format, size, wanted, texels))  // 0.05 dB
          << kernel.name << ", " << size.width << "x" << size.height;
    }
  }
  return kernels;
}

TEST_F(BlockShaders, BlocksAreThoseOfTheCpuEngine) { EXPECT_EQ(expect_blocks_of_the_cpu(false), 12); }

// Apart from the other formats: the compiler of SwiftShader has no memory for this shader.
TEST_F(BlockShaders, LightHasTheBlocksOfTheCpuEngine) { EXPECT_EQ(expect_blocks_of_the_cpu(true), 4); }

}  // namespace
}  // namespace onepass::testing
