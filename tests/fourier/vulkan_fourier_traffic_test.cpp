// vulkan_fourier_traffic_test.cpp: the bytes that invocations of every stage read and write, counted on the device,
// equal the plan. The kernels of this test count them (COUNT_TRAFFIC).
#include <cstdio>
#include <cstring>

#include "fourier/vulkan_impl.hpp"
#include "tests/fourier/fourier_testing.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/vulkan/vulkan_testing.hpp"
#include "vulkan/host_image.hpp"
#include "vulkan/image_view.hpp"

namespace onepass::testing {
namespace {

using fourier::Stage;
using vulkan::Buffer;
using vulkan::DeviceImage;

class VulkanFourierTraffic : public VulkanTest {};

/// All memory that a stage can read or write, and the counters.
struct Memory {
  DeviceImage image;
  Buffer in, out, scratch, counts;
  vulkan::BindingObjects objects{test_device().impl(), "test"};
  VkImageView view = VK_NULL_HANDLE;
  vulkan::StageSets sets;
};

Buffer device_buffer(uint64_t bytes) {
  auto buffer = Buffer::create(test_device().impl(), bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
  EXPECT_TRUE(buffer.ok());
  return std::move(*buffer);
}

void create_image(const TransformOptions& o, Stage stage, Memory& memory) {
  const bool source = stage == Stage::kRowsForward;
  const Format format = source ? o.source : o.target;
  const Extent size =
      source ? Extent{o.crop.x + o.crop.width, o.crop.y + o.crop.height} : Extent{o.result.width, o.result.height};
  const VkImageUsageFlags usage = source ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_STORAGE_BIT;
  auto image = DeviceImage::create(test_device().impl(), {format, size, 1, o.slices, usage});
  ASSERT_TRUE(image.ok());
  memory.image = std::move(*image);
  const vulkan::ViewRequest request{.image = memory.image.image, .format = format, .slices = o.slices, .usage = usage};
  ASSERT_TRUE(memory.objects.add_view(request, memory.view).ok());
}

void run(const vulkan::FourierStage& stage, const TransformPlan& plan, Memory& memory) {
  const vulkan::Device::Impl& device = test_device().impl();
  const TransformOptions& o = plan.options;
  create_image(o, stage.layout().stage, memory);
  const uint64_t bytes = std::max(
      {plan.spectrum_bytes, fourier::intermediate_bytes(plan, true), fourier::intermediate_bytes(plan, false)});
  memory.in = device_buffer(bytes);
  memory.out = device_buffer(bytes);
  memory.scratch = device_buffer(std::max<uint64_t>(stage.scratch_bytes(), 256));
  auto counts = Buffer::create(device, 8, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true);
  ASSERT_TRUE(counts.ok());
  memory.counts = std::move(*counts);
  std::memset(memory.counts.mapped, 0, 8);
  const vulkan::StageResources resources{.image = memory.view,
                                         .image_layout = VK_IMAGE_LAYOUT_GENERAL,
                                         .side = {},
                                         .in = {memory.in.buffer, 0, VK_WHOLE_SIZE},
                                         .out = {memory.out.buffer, 0, VK_WHOLE_SIZE},
                                         .scratch = {memory.scratch.buffer, 0, VK_WHOLE_SIZE},
                                         .operand = {memory.counts.buffer, 0, VK_WHOLE_SIZE}};
  ASSERT_TRUE(stage.create_sets(memory.objects, resources, memory.sets).ok());
  auto ran = test_device().run([&](VkCommandBuffer commands) {
    memory.image.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_GENERAL,
                            vulkan::kShaderReads | vulkan::kShaderWrites);
    stage.record(commands, memory.sets);
    vulkan::record_barrier(device, commands, vulkan::kBetweenDispatches);
  });
  ASSERT_TRUE(ran.ok());
}

TEST_F(VulkanFourierTraffic, CountsAreThoseOfThePlan) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (int round = 0; round < (full_run() ? 200 : 6); ++round) {
    for (const Stage stage :
         {Stage::kRowsForward, Stage::kColumnsForward, Stage::kColumnsInverse, Stage::kRowsInverse}) {
      const auto technique = static_cast<FourierTechnique>(1 + random.below(3));
      TransformOptions options;
      auto plan = plan_transform({.size = {4, 4}, .source = Format::kRGBA32Sfloat});
      // Bluestein's kernels of whole lines have no variant with counters; they read and write the same bytes. Other
      // lengths are drawn.
      auto created = Result<vulkan::FourierStage>(Error{ErrorCode::kUnsupported, {}, {}});
      const auto counts = [&] {
        if (!created) return false;
        const TransformStagePlan& made = created->layout().plan;
        return made.technique != FourierTechnique::kSharedMemory || made.length == made.transform_length;
      };
      for (int tries = 0; tries < 200 && !counts(); ++tries) {
        options = random_transform(random, 40);
        plan = plan_transform(options);
        ASSERT_TRUE(plan.ok());
        vulkan::KernelBatch batch(test_device());
        created = vulkan::FourierStage::create(
            batch, {.plan = &*plan, .stage = stage, .tuning = {.technique = technique}, .counted = true});
        ASSERT_TRUE(created.ok()) << created.error().text() << " seed " << seed;
        if (counts()) {
          ASSERT_TRUE(batch.compile());
        }
      }
      ASSERT_TRUE(counts()) << "seed " << seed;
      Memory memory;
      ASSERT_NO_FATAL_FAILURE(run(*created, *plan, memory));
      const auto* bytes = static_cast<const uint32_t*>(memory.counts.mapped);
      const Traffic& traffic = created->layout().plan.traffic;
      EXPECT_EQ(bytes[0], traffic.bytes_read) << describe(options) << " stage " << static_cast<uint32_t>(stage)
                                              << " technique " << static_cast<uint32_t>(technique) << " seed " << seed;
      EXPECT_EQ(bytes[1], traffic.bytes_written)
          << describe(options) << " stage " << static_cast<uint32_t>(stage) << " technique "
          << static_cast<uint32_t>(technique) << " seed " << seed;
    }
  }
}

// The classic example, 512x256 along x: the library's traffic as a fraction of the classic shaders' traffic.
TEST_F(VulkanFourierTraffic, FractionOfTheClassicForms) {
  const auto plan = plan_transform({.size = {512, 256}, .source = Format::kRGBA32Sfloat});
  ASSERT_TRUE(plan.ok());
  vulkan::KernelBatch batch(test_device());
  const auto stage =
      vulkan::FourierStage::create(batch, {.plan = &*plan, .stage = Stage::kRowsForward, .counted = true});
  ASSERT_TRUE(stage.ok());
  const Traffic ours = stage->layout().plan.traffic;
  EXPECT_EQ(ours.bytes_read, 2097152U);
  EXPECT_EQ(ours.bytes_written, 2097152U);
  EXPECT_EQ(classic_ping_pong_traffic({512, 256}, Axis::kX).bytes_read, 36 * ours.bytes_read);
  EXPECT_EQ(classic_ping_pong_traffic({512, 256}, Axis::kX).bytes_written, 18 * ours.bytes_written);
  EXPECT_EQ(classic_shared_memory_traffic({512, 256}, false).bytes_written, 2 * ours.bytes_written);
}

}  // namespace
}  // namespace onepass::testing
