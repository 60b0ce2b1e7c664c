// vulkan_sources_test.cpp: images that renderers make as sources: multisampled depth, depth beside stencil, sources
// without usage SAMPLED. Multisampled images are drawn with a depth for every sample that the test computes again; the
// oracle reduces over samples and texels.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/multisample_depth_frag.h"
#include "kernels/multisample_depth_vert.h"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "tests/support/enumerators.hpp"
#include "tests/tile_reduction/tile_reduction_oracle.hpp"
#include "tests/vulkan/own_device.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::testing {
namespace {

using vulkan::DeviceImage;
using vulkan::PyramidTuning;
using vulkan::SourceUsage;
using vulkan::Switch;

constexpr Extent kSize{203, 117};
constexpr uint32_t kSlices = 2;      // of a binding, ...
constexpr uint32_t kFirstSlice = 1;  // ... in an image of four
constexpr uint32_t kAllSlices = 4;
constexpr Reduction kReductions[] = {Reduction::kMin, Reduction::kMax, Reduction::kMinMax};
constexpr auto kFootprints = enumerators_without<Footprint::kCeil>();
constexpr Format kDepthFormats[] = {Format::kD16Unorm, Format::kX8D24Unorm, Format::kD32Sfloat, Format::kD24UnormS8,
                                    Format::kD32SfloatS8};

const char* name_of(Format format) { return format_info(format).name.data(); }

// The depth that multisample_depth.frag writes.
double depth_of(uint32_t x, uint32_t y, uint32_t slice, uint32_t sample, uint32_t seed) {
  uint32_t h = seed + x * 2654435761U + y * 2246822519U + slice * 3266489917U + sample * 668265263U;
  h = (h ^ h >> 15U) * 2246822519U;
  h ^= h >> 13U;
  return (h & 4095U) / 4096.0;
}

// The step of a stored depth; 0 for floats, which hold the depths of the test exactly.
double step_of(Format format) {
  if (format_info(format).type == ChannelType::kFloat) return 0;
  return format == Format::kD16Unorm ? 1 / 65535.0 : 1 / 16777215.0;
}

// Extreme depths of one slice of the source: of the texels [x.begin, x.end) by [y.begin, y.end), over all samples.
struct Bounds {
  double least = 2;
  double most = -1;
};

struct Drawn {
  uint32_t samples = 1;
  uint32_t seed = 1;
  std::optional<Rect> redrawn;  // with seed + 1

  [[nodiscard]] double depth(uint32_t x, uint32_t y, uint32_t slice, uint32_t sample) const {
    const bool again = redrawn && x >= redrawn->x && x < redrawn->x + redrawn->width && y >= redrawn->y &&
                       y < redrawn->y + redrawn->height;
    return depth_of(x, y, slice, sample, seed + (again ? 1 : 0));
  }
  [[nodiscard]] Bounds bounds(TexelRange x, TexelRange y, uint32_t slice) const {
    Bounds out;
    for (uint32_t v = y.begin; v < y.end; ++v) {
      for (uint32_t u = x.begin; u < x.end; ++u) {
        for (uint32_t s = 0; s < samples; ++s) {
          const double value = depth(u, v, slice, s);
          out.least = std::min(out.least, value);
          out.most = std::max(out.most, value);
        }
      }
    }
    return out;
  }
};

class VulkanSources : public ::testing::Test {
 protected:
  void SetUp() override {
    own_ = OwnDevice::create(system_loader());
    ASSERT_NE(own_, nullptr);
    vulkan::DeviceHandles handles = own_->handles();
    device_ = std::make_unique<vulkan::Device>(std::move(*vulkan::Device::adopt(handles)));
  }
  void TearDown() override {
    if (own_ != nullptr) {
      EXPECT_EQ(own_->validation_messages(), 0) << own_->take_messages();
    }
  }

  // An image of all slices with drawn depths, in layout DEPTH_STENCIL_READ_ONLY_OPTIMAL; nothing if the device has no
  // such images.
  std::optional<DeviceImage> draw(Format format, const Drawn& drawn) {
    auto image = DeviceImage::create(device_->impl(),
                                     {.format = format,
                                      .size = kSize,
                                      .slices = kAllSlices,
                                      .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                                      .samples = static_cast<VkSampleCountFlagBits>(drawn.samples)});
    if (!image) return std::nullopt;
    draw_into(*image, drawn.samples, drawn.seed, {0, 0, kSize.width, kSize.height}, false);
    return std::move(*image);
  }
  void draw_into(const DeviceImage& image, uint32_t samples, uint32_t seed, Rect rect, bool again);

  VkPipeline create_pipeline(const DeviceImage& image, uint32_t samples, VkPipelineLayout layout);

  // Runs `record` between barriers, and copies all levels of `target`, in layout GENERAL, to host memory.
  std::vector<std::vector<float>> run_and_read(const DeviceImage& target,
                                               const std::function<void(VkCommandBuffer)>& record, bool keep = false);

  std::unique_ptr<OwnDevice> own_;
  std::unique_ptr<vulkan::Device> device_;
};

VkPipeline VulkanSources::create_pipeline(const DeviceImage& image, uint32_t samples, VkPipelineLayout layout) {
  const auto module = [&](std::span<const uint32_t> code) {
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = code.size_bytes();
    info.pCode = code.data();
    VkShaderModule made = VK_NULL_HANDLE;
    EXPECT_EQ(own_->vk.vkCreateShaderModule(own_->device, &info, nullptr, &made), VK_SUCCESS);
    return made;
  };
  const VkShaderModule modules[] = {module(kernel_multisample_depth_vert), module(kernel_multisample_depth_frag)};
  VkPipelineShaderStageCreateInfo stages[2]{};
  for (size_t i = 0; i < 2; ++i) {
    stages[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stages[i].stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
    stages[i].module = modules[i];
    stages[i].pName = "main";
  }
  const VkPipelineVertexInputStateCreateInfo vertices{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkViewport viewport{0, 0, static_cast<float>(kSize.width), static_cast<float>(kSize.height), 0, 1};
  const VkRect2D scissor{{0, 0}, {kSize.width, kSize.height}};
  VkPipelineViewportStateCreateInfo view{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  view.viewportCount = view.scissorCount = 1;
  view.pViewports = &viewport;
  view.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  multisample.rasterizationSamples = static_cast<VkSampleCountFlagBits>(samples);
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.depthAttachmentFormat = static_cast<VkFormat>(image.format);
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &vertices;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &view;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &multisample;
  info.pDepthStencilState = &depth;
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_EQ(own_->vkCreateGraphicsPipelines(own_->device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
  for (VkShaderModule made : modules) own_->vk.vkDestroyShaderModule(own_->device, made, nullptr);
  return pipeline;
}

// Draws every sample of every slice inside `rect`. Other texels keep their depths if the image is drawn `again`.
void VulkanSources::draw_into(const DeviceImage& image, uint32_t samples, uint32_t seed, Rect rect, bool again) {
  const vulkan::DeviceFunctions& vk = own_->vk;
  const VkPushConstantRange range{VK_SHADER_STAGE_FRAGMENT_BIT, 0, 28};
  VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  ASSERT_EQ(vk.vkCreatePipelineLayout(own_->device, &layout_info, nullptr, &layout), VK_SUCCESS);
  VkPipeline pipeline = create_pipeline(image, samples, layout);
  std::vector<VkImageView> views(image.slices);
  for (uint32_t slice = 0; slice < image.slices; ++slice) {
    VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    info.image = image.image;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = static_cast<VkFormat>(image.format);
    info.subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, slice, 1};
    ASSERT_EQ(vk.vkCreateImageView(own_->device, &info, nullptr, &views[slice]), VK_SUCCESS);
  }
  const vulkan::Accesses writes{
      VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
      VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT};
  own_->run([&](VkCommandBuffer commands) {
    image.transition(commands, again ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_UNDEFINED,
                     again ? vulkan::kShaderReads : vulkan::kNoAccesses,
                     VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, writes);
    for (uint32_t slice = 0; slice < image.slices; ++slice) {
      VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
      attachment.imageView = views[slice];
      attachment.imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
      attachment.loadOp = again ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_DONT_CARE;
      attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
      VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
      rendering.renderArea = {{0, 0}, {kSize.width, kSize.height}};
      rendering.layerCount = 1;
      rendering.pDepthAttachment = &attachment;
      own_->vkCmdBeginRendering(commands, &rendering);
      vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      for (uint32_t sample = 0; sample < samples; ++sample) {
        const uint32_t constants[] = {rect.x, rect.y, rect.width, rect.height, slice, sample, seed};
        vk.vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof constants, constants);
        own_->vkCmdDraw(commands, 3, 1, 0, 0);
      }
      own_->vkCmdEndRendering(commands);
    }
    image.transition(commands, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, writes,
                     VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL, vulkan::kShaderReads);
  });
  for (VkImageView view : views) vk.vkDestroyImageView(own_->device, view, nullptr);
  vk.vkDestroyPipeline(own_->device, pipeline, nullptr);
  vk.vkDestroyPipelineLayout(own_->device, layout, nullptr);
}

std::vector<std::vector<float>> VulkanSources::run_and_read(const DeviceImage& target,
                                                            const std::function<void(VkCommandBuffer)>& record,
                                                            bool keep) {
  auto staging = vulkan::Buffer::create(device_->impl(), vulkan::packed_bytes(target, 0, target.levels),
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  EXPECT_TRUE(staging);
  own_->run([&](VkCommandBuffer commands) {
    target.transition(commands, keep ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : VK_IMAGE_LAYOUT_UNDEFINED,
                      keep ? vulkan::kTransferReads : vulkan::kNoAccesses, VK_IMAGE_LAYOUT_GENERAL,
                      vulkan::kShaderWrites);
    record(commands);
    vulkan::record_download(target, *staging, 0, commands);
  });
  std::vector<std::vector<float>> levels;
  for (uint32_t n = 0; n < target.levels; ++n) {
    const auto* from = reinterpret_cast<const float*>(static_cast<const std::byte*>(staging->mapped) +
                                                      vulkan::packed_bytes(target, 0, n));
    levels.emplace_back(from, from + target.level_bytes(n) / sizeof(float));
  }
  return levels;
}

bool is_near(double actual, double expected, double step) { return std::fabs(actual - expected) <= 2 * step; }

// Compares one level with the extreme depths of ranges of texels.
::testing::AssertionResult level_matches(const std::vector<float>& level, Extent size, Reduction reduction,
                                         const Drawn& drawn, double step,
                                         const std::function<TexelRange(uint32_t, bool)>& range) {
  const uint32_t channels = reduction == Reduction::kMinMax ? 2 : 1;
  for (uint32_t slice = 0; slice < kSlices; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        const Bounds expected = drawn.bounds(range(x, true), range(y, false), kFirstSlice + slice);
        const float* texel = &level[((size_t{slice} * size.height + y) * size.width + x) * channels];
        const double first = reduction == Reduction::kMax ? expected.most : expected.least;
        if (is_near(texel[0], first, step) && (channels == 1 || is_near(texel[1], expected.most, step))) continue;
        return ::testing::AssertionFailure() << "slice " << slice << " texel " << x << ", " << y << ": " << texel[0]
                                             << ", not " << first << " (most " << expected.most << ")";
      }
    }
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult levels_match(const std::vector<std::vector<float>>& levels, const PyramidOptions& options,
                                        const Drawn& drawn) {
  for (uint32_t n = 1; n <= levels.size(); ++n) {
    auto same = level_matches(levels[n - 1], level_size(kSize, n), options.reduction, drawn, step_of(options.source),
                              [&](uint32_t i, bool is_x) {
                                return oracle_footprint(options.footprint, is_x ? kSize.width : kSize.height, n, i);
                              });
    if (!same) return ::testing::AssertionFailure() << "level " << n << " " << same.message();
  }
  return ::testing::AssertionSuccess();
}

PyramidOptions pyramid_of(Format source, Reduction reduction, Footprint footprint, uint32_t samples) {
  return {.size = kSize,
          .slices = kSlices,
          .source = source,
          .target = reduction == Reduction::kMinMax ? Format::kRG32Sfloat : Format::kR32Sfloat,
          .reduction = reduction,
          .footprint = footprint,
          .samples = samples};
}

Result<DeviceImage> create_target(const vulkan::Device& device, Format format, Extent size, uint32_t levels) {
  return DeviceImage::create(device.impl(), {.format = format,
                                             .size = size,
                                             .levels = levels,
                                             .slices = kSlices,
                                             .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
}

bool is_tried(Reduction reduction, Footprint footprint) {
  if (footprint == Footprint::kCovering) return reduction != Reduction::kMin;
  return footprint == Footprint::kAligned ? reduction == Reduction::kMin : reduction == Reduction::kMax;
}

// Every count of samples that the device offers for one format, every reduction, footprint and path, and an update.
// Without ONEPASS_FULL some reductions of each footprint, because software Vulkan takes a second or two per pipeline.
TEST_F(VulkanSources, MultisampledDepthIsReducedOverItsSamples) {
  if ((own_->family_flags & VK_QUEUE_GRAPHICS_BIT) == 0) GTEST_SKIP() << "no graphics queue to draw depth";
  uint32_t tried = 0;
  for (const uint32_t samples : {2U, 4U, 8U}) {
    Drawn drawn{.samples = samples, .seed = 11 * samples};
    const auto image = draw(Format::kD32Sfloat, drawn);
    if (!image) {
      std::printf("no d32_sfloat images of %u samples\n", samples);
      continue;
    }
    ++tried;
    for (const Reduction reduction : kReductions) {
      for (const Footprint footprint : kFootprints) {
        if (!full_run() && !is_tried(reduction, footprint)) continue;
        const PyramidOptions options = pyramid_of(image->format, reduction, footprint, samples);
        std::vector<PyramidTuning> tunings = {{.path = PyramidPath::kPerLevel}};
        if (footprint == Footprint::kTight) {
          tunings.push_back({.subgroup = Switch::kOn});
        } else {
          tunings.push_back({.path = PyramidPath::kSingleDispatch, .subgroup = Switch::kOn});
        }
        for (const PyramidTuning& tuning : tunings) {
          auto pyramid = vulkan::Pyramid::create(*device_, options, tuning);
          ASSERT_TRUE(pyramid) << pyramid.error().text();
          auto target = create_target(*device_, options.target, level_size(kSize, 1), pyramid->plan().levels - 1);
          ASSERT_TRUE(target);
          auto binding = pyramid->bind({.source = image->image,
                                        .source_slice = kFirstSlice,
                                        .source_layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
                                        .target = target->image,
                                        .target_level = 0});
          ASSERT_TRUE(binding) << binding.error().text();
          const auto levels = run_and_read(*target, [&](VkCommandBuffer commands) {
            pyramid->record_reset(commands, *binding);
            vulkan::record_barrier(device_->impl(), commands, vulkan::kFullBarrier);
            pyramid->record(commands, *binding);
          });
          EXPECT_TRUE(levels_match(levels, options, drawn))
              << samples << " samples, reduction " << static_cast<int>(reduction) << " footprint "
              << static_cast<int>(footprint) << " path " << static_cast<int>(tuning.path);
          const bool updates = tuning.path == PyramidPath::kSingleDispatch && reduction == Reduction::kMax;
          if (!updates || footprint != Footprint::kCovering || drawn.redrawn) continue;
          drawn.redrawn = Rect{50, 31, 17, 40};
          draw_into(*image, samples, drawn.seed + 1, *drawn.redrawn, true);
          const auto updated = run_and_read(
              *target,
              [&](VkCommandBuffer commands) {
                pyramid->record_update(commands, *binding, *drawn.redrawn, vulkan::Scratch::kFromLastBuild);
              },
              true);
          EXPECT_TRUE(levels_match(updated, options, drawn)) << samples << " samples, updated";
        }
      }
    }
  }
  if (tried == 0) GTEST_SKIP() << "no multisampled d32_sfloat images";
}

// Every depth format, with one sample and more, in pyramids and tile reductions.
TEST_F(VulkanSources, EveryDepthFormatIsReadWithAndWithoutSamples) {
  if ((own_->family_flags & VK_QUEUE_GRAPHICS_BIT) == 0) GTEST_SKIP() << "no graphics queue to draw depth";
  uint32_t tried = 0;
  for (const Format format : kDepthFormats) {
    for (const uint32_t samples : {1U, 2U, 4U, 8U}) {
      const Drawn drawn{.samples = samples, .seed = 5 * samples + static_cast<uint32_t>(format)};
      const auto image = draw(format, drawn);
      if (!image) {
        std::printf("no %s images of %u samples\n", name_of(format), samples);
        continue;
      }
      ++tried;
      const PyramidOptions options = pyramid_of(format, Reduction::kMinMax, Footprint::kCovering, samples);
      const PyramidPath path = full_run() ? PyramidPath::kSingleDispatch : PyramidPath::kPerLevel;
      auto pyramid = vulkan::Pyramid::create(*device_, options, {.path = path, .subgroup = Switch::kOn});
      ASSERT_TRUE(pyramid) << pyramid.error().text();
      auto target = create_target(*device_, options.target, level_size(kSize, 1), pyramid->plan().levels - 1);
      ASSERT_TRUE(target);
      auto binding = pyramid->bind({.source = image->image,
                                    .source_slice = kFirstSlice,
                                    .source_layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
                                    .target = target->image,
                                    .target_level = 0});
      ASSERT_TRUE(binding) << binding.error().text();
      const auto levels = run_and_read(*target, [&](VkCommandBuffer commands) {
        pyramid->record_reset(commands, *binding);
        vulkan::record_barrier(device_->impl(), commands, vulkan::kFullBarrier);
        pyramid->record(commands, *binding);
      });
      EXPECT_TRUE(levels_match(levels, options, drawn)) << name_of(format) << " samples " << samples;

      for (const Reduction reduction : kReductions) {
        const uint32_t factor = reduction == Reduction::kMin ? 4 : 16;
        const TileReductionOptions tile_options{.size = kSize,
                                                .slices = kSlices,
                                                .source = format,
                                                .target = pyramid_of(format, reduction, {}, 1).target,
                                                .reduction = reduction,
                                                .factor = factor,
                                                .samples = samples};
        auto tiles = vulkan::TileReduction::create(*device_, tile_options);
        ASSERT_TRUE(tiles) << tiles.error().text();
        auto coarse = create_target(*device_, tile_options.target, tiles->plan().size, 1);
        ASSERT_TRUE(coarse);
        auto tile_binding = tiles->bind({.source = image->image,
                                         .source_slice = kFirstSlice,
                                         .source_layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
                                         .target = coarse->image});
        ASSERT_TRUE(tile_binding) << tile_binding.error().text();
        const auto made =
            run_and_read(*coarse, [&](VkCommandBuffer commands) { tiles->record(commands, *tile_binding); });
        EXPECT_TRUE(level_matches(
            made[0], tiles->plan().size, reduction, drawn, step_of(format),
            [&](uint32_t i, bool is_x) {
              return TexelRange{factor * i, std::min(factor * (i + 1), is_x ? kSize.width : kSize.height)};
            }))
            << name_of(format) << " samples " << samples << " factor " << factor;
      }
    }
  }
  EXPECT_GE(tried, 2U) << "D16 and a format of 24 or 32 bits are required";
}

// ---- Sources that are read as storage images

// Random sources through make_pyramid() and reduce_tiles(), which create them without usage SAMPLED.
class VulkanStorageSources : public VulkanSources {
 protected:
  // A device of the library's own, with all features; ONEPASS_TEST_DEVICE chooses it.
  void SetUp() override {
    const char* selector = std::getenv("ONEPASS_TEST_DEVICE");
    const char* validation = std::getenv("ONEPASS_TEST_VALIDATION");
    auto opened = vulkan::Device::open(
        {.selector = selector != nullptr ? selector : "llvmpipe",
         .validation = validation == nullptr || std::string_view(validation) != "0",
         .on_validation_message = [this](std::string_view text) { messages_.append(text).append("\n"); }});
    ASSERT_TRUE(opened) << opened.error().text();
    opened_.emplace(std::move(*opened));
  }
  void TearDown() override { EXPECT_EQ(messages_, ""); }

  std::string messages_;
  std::optional<vulkan::Device> opened_;
};

TEST_F(VulkanStorageSources, AreRefusedByNameWhereTheFeatureIsMissing) {
  if (opened_->info().features.storage_image_read_without_format) GTEST_SKIP() << "the feature is there";
  const auto pyramid =
      vulkan::Pyramid::create(*opened_, {.size = kSize, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm},
                              {.source_usage = SourceUsage::kStorage});
  ASSERT_FALSE(pyramid);
  EXPECT_EQ(pyramid.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(pyramid.error().message,
            "tuning.source_usage: storage: feature shaderStorageImageReadWithoutFormat is not enabled");
  const auto tiles = vulkan::TileReduction::create(
      *opened_, {.size = kSize, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat},
      {.source_usage = SourceUsage::kStorage});
  ASSERT_FALSE(tiles);
  EXPECT_EQ(tiles.error().message, pyramid.error().message);
}

TEST_F(VulkanStorageSources, MatchTheOracle) {
  if (!opened_->info().features.storage_image_read_without_format) {
    GTEST_SKIP() << "no shaderStorageImageReadWithoutFormat";
  }
  Random random(17);
  for (const Format format : {Format::kR32Sfloat, Format::kRG16Sfloat, Format::kRGBA8Unorm, Format::kBGRA8Unorm,
                              Format::kRGBA16Sfloat, Format::kRGBA32Sfloat}) {
    if ((opened_->impl().features_of(static_cast<VkFormat>(format)) & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) == 0) {
      std::printf("no storage images of %s\n", name_of(format));
      continue;
    }
    PaddedImage source(format, kSize, kSlices);
    fill_random(source.view(), random);
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMax, Reduction::kMinMax}) {
      const bool pair = reduction == Reduction::kMinMax;
      if (pair && format_info(format).channels > 2) continue;
      PyramidOptions options{.size = kSize,
                             .slices = kSlices,
                             .source = format,
                             .target = pair ? Format::kRG32Sfloat : format,
                             .reduction = reduction};
      for (const PyramidPath path : {PyramidPath::kSingleDispatch, PyramidPath::kPerLevel}) {
        for (const Footprint footprint : kFootprints) {
          options.footprint = footprint;
          const bool tight = footprint == Footprint::kTight;
          if (tight && (reduction == Reduction::kMean || path == PyramidPath::kSingleDispatch)) continue;
          Levels levels(options);
          const auto made = vulkan::make_pyramid(
              *opened_, options, {.path = path, .source_usage = SourceUsage::kStorage}, source.view(), levels.views);
          ASSERT_TRUE(made) << made.error().text();
          const Tolerance tolerance =
              reduction == Reduction::kMean ? Tolerance{.codes = 1, .ulps = 4, .code_ulps = 0} : Tolerance{0, 1.5, 0};
          EXPECT_TRUE(matches(oracle_pyramid(options, source.view()), levels.views, tolerance)) << describe(options);
        }
      }
      const TileReductionOptions tile_options{.size = kSize,
                                              .slices = kSlices,
                                              .source = format,
                                              .target = options.target,
                                              .reduction = reduction,
                                              .factor = 8};
      PaddedImage coarse(options.target, oracle_tiles_size(tile_options), kSlices);
      const auto made = vulkan::reduce_tiles(*opened_, tile_options, {.source_usage = SourceUsage::kStorage},
                                             source.view(), coarse.view());
      ASSERT_TRUE(made) << made.error().text();
      EXPECT_TRUE(tiles_match(tile_options, source.view(), coarse.view(), {.codes = 1, .ulps = 4, .code_ulps = 0}));
    }
  }
}

// ---- What is refused

TEST_F(VulkanSources, SaysWhatIsWrong) {
  const auto message = [&](const PyramidOptions& options, const PyramidTuning& tuning = {}) {
    const auto made = vulkan::Pyramid::create(*device_, options, tuning);
    return made ? std::string("created") : made.error().message;
  };
  PyramidOptions options = pyramid_of(Format::kD32Sfloat, Reduction::kMax, Footprint::kCovering, 4);
  EXPECT_EQ(message(options, {.path = PyramidPath::kSingleDispatch, .subgroup = Switch::kOff}),
            "samples: 4: a single dispatch needs subgroup operations for such sources");
  EXPECT_EQ(message(options, {.sampling = vulkan::Sampling::kLinear}),
            "tuning.sampling: linear needs a sampled source of one sample");
  options.footprint = Footprint::kTight;
  EXPECT_EQ(message(options, {.path = PyramidPath::kSingleDispatch, .subgroup = Switch::kOn}),
            "samples: 4: a single dispatch has no tight footprints of such sources");
  options.footprint = Footprint::kCovering;
  for (const uint32_t samples : {0U, 3U, 16U}) {
    options.samples = samples;
    EXPECT_EQ(message(options), "samples: " + std::to_string(samples) + " is not one of 1, 2, 4 and 8");
  }
  options.samples = 4;
  options.reduction = Reduction::kMean;
  EXPECT_EQ(message(options), "reduction: mean, but the source has 4 samples: resolve it first");
  options.reduction = Reduction::kMax;
  options.source = options.target = Format::kRGBA8Unorm;
  EXPECT_EQ(message(options), "source: r8g8b8a8_unorm has 4 channels, but a source of 4 samples has one");
  options.source = Format::kR32Sfloat;
  options.target = Format::kR32Sfloat;
  const auto cpu = cpu::Pyramid::create(options);
  ASSERT_FALSE(cpu);
  EXPECT_EQ(cpu.error().message, "samples: 4, but images in host memory have one");
  const TileReductionOptions tiles{
      .size = kSize, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .samples = 4};
  EXPECT_EQ(cpu::TileReduction::create(tiles).error().message, cpu.error().message);
  EXPECT_EQ(plan_pyramid(options)->bytes_read, 4ULL * 4 * kSize.width * kSize.height * kSlices);
  EXPECT_EQ(plan_tile_reduction(tiles)->bytes_read, 4ULL * 4 * kSize.width * kSize.height);
  options.samples = 1;
  EXPECT_EQ(message(options, {.source_usage = static_cast<SourceUsage>(2)}),
            "tuning.source_usage: 2 is not an enumerator");
  const uint32_t counts = device_->impl().limits.sampledImageDepthSampleCounts;
  for (const uint32_t samples : {2U, 4U, 8U}) {
    if ((counts & samples) != 0) continue;
    options = pyramid_of(Format::kD32Sfloat, Reduction::kMax, Footprint::kCovering, samples);
    EXPECT_EQ(message(options),
              "samples: the device cannot sample images of " + std::to_string(samples) + " samples of d32_sfloat");
  }
}

}  // namespace
}  // namespace onepass::testing
