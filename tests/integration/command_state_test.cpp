// command_state_test.cpp: what a recording leaves changed in a command buffer, as docs/integration.md says: the compute
// bind point's pipeline and descriptor sets, and push constants. A renderer with a bindless set 1 binds them again.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "test_user_sets.h"
#include "tests/integration/technique_rig.hpp"
#include "tests/vulkan/replaced_vulkan.hpp"

namespace onepass::testing {
namespace {

constexpr uint32_t kTables = 4;

/// A compute pipeline with two sets: results, and an array of buffers.
class UserPipeline {
 public:
  explicit UserPipeline(OwnDevice& own, const vulkan::Device& device) : own_(own) {
    const auto buffer = [&](VkDeviceSize bytes) {
      return std::move(*vulkan::Buffer::create(device.impl(), bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true));
    };
    results_ = buffer(sizeof(uint32_t) * kMost);
    std::memset(results_.mapped, 0, results_.size);
    for (uint32_t i = 0; i < kTables; ++i) {
      tables_.push_back(buffer(16));
      const uint32_t value = 1000 * (i + 1);
      std::memcpy(tables_.back().mapped, &value, sizeof value);
    }
    for (uint32_t set = 0; set < 2; ++set) {
      const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, set == 0 ? 1 : kTables,
                                                 VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
      VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
      info.bindingCount = 1;
      info.pBindings = &binding;
      own.vk.vkCreateDescriptorSetLayout(own.device, &info, nullptr, &layouts_[set]);
    }
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 12};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 2;
    layout.pSetLayouts = layouts_.data();
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &range;
    own.vk.vkCreatePipelineLayout(own.device, &layout, nullptr, &layout_);
    VkShaderModuleCreateInfo module_info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    module_info.codeSize = sizeof kernel_test_user_sets;
    module_info.pCode = kernel_test_user_sets;
    VkShaderModule module = VK_NULL_HANDLE;
    own.vk.vkCreateShaderModule(own.device, &module_info, nullptr, &module);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout_;
    own.vk.vkCreateComputePipelines(own.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
    own.vk.vkDestroyShaderModule(own.device, module, nullptr);
    create_sets();
  }
  UserPipeline(const UserPipeline&) = delete;
  ~UserPipeline() {
    own_.vk.vkDestroyPipeline(own_.device, pipeline_, nullptr);
    own_.vk.vkDestroyPipelineLayout(own_.device, layout_, nullptr);
    own_.vk.vkDestroyDescriptorPool(own_.device, pool_, nullptr);
    for (VkDescriptorSetLayout layout : layouts_) own_.vk.vkDestroyDescriptorSetLayout(own_.device, layout, nullptr);
  }

  /// Binds all that a recording of the library disturbs.
  void bind(VkCommandBuffer commands) const {
    own_.vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    own_.vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 2, sets_.data(), 0, nullptr);
  }
  /// Writes a value that names table and place to results()[place].
  void dispatch(VkCommandBuffer commands, uint32_t place) const {
    const uint32_t constants[] = {place, place % kTables, place};
    own_.vk.vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, constants);
    own_.vk.vkCmdDispatch(commands, 1, 1, 1);
  }
  static uint32_t expected(uint32_t place) { return 1000 * (place % kTables + 1) + place; }
  [[nodiscard]] const uint32_t* results() const { return static_cast<const uint32_t*>(results_.mapped); }

 private:
  static constexpr uint32_t kMost = 64;

  void create_sets() {
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1 + kTables};
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = 2;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    own_.vk.vkCreateDescriptorPool(own_.device, &pool, nullptr, &pool_);
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = pool_;
    allocate.descriptorSetCount = 2;
    allocate.pSetLayouts = layouts_.data();
    own_.vk.vkAllocateDescriptorSets(own_.device, &allocate, sets_.data());
    std::vector<VkDescriptorBufferInfo> infos{{results_.buffer, 0, VK_WHOLE_SIZE}};
    for (const vulkan::Buffer& table : tables_) infos.push_back({table.buffer, 0, VK_WHOLE_SIZE});
    for (uint32_t set = 0; set < 2; ++set) {
      VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
      write.dstSet = sets_[set];
      write.descriptorCount = set == 0 ? 1 : kTables;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &infos[set];
      own_.vk.vkUpdateDescriptorSets(own_.device, 1, &write, 0, nullptr);
    }
  }

  OwnDevice& own_;
  vulkan::Buffer results_;
  std::vector<vulkan::Buffer> tables_;
  std::array<VkDescriptorSetLayout, 2> layouts_{};
  std::array<VkDescriptorSet, 2> sets_{};
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
};

using CommandState = ReplacedVulkan;

TEST_F(CommandState, ToBindPipelineSetsAndConstantsAgainSuffices) {
  const auto device = vulkan::Device::adopt(own->handles());
  ASSERT_TRUE(device) << device.error().text();
  Rig rig(*own, *device, 11);
  const UserPipeline user(*own, *device);
  const auto driver = make_cpp_driver(rig);
  own->run([&](VkCommandBuffer commands) {
    user.bind(commands);
    user.dispatch(commands, 0);
    driver->reset(commands);  // records the spectra of kernels, too
    full_barrier(*own, commands);
    user.bind(commands);
    for (uint32_t t = 0; t < kTechniques; ++t) {
      driver->record(static_cast<Technique>(t), commands);
      full_barrier(*own, commands);
      user.bind(commands);
      user.dispatch(commands, t + 1);
    }
    full_barrier(*own, commands);
  });
  for (uint32_t place = 0; place <= kTechniques; ++place) {
    EXPECT_EQ(user.results()[place], UserPipeline::expected(place)) << "after technique " << place - 1;
  }
}

// Nothing else is bound or pushed: set 0 at the compute bind point without dynamic offsets, constants of the compute
// stage, at most the 128 bytes that every device has.
TEST_F(CommandState, OnlySetZeroIsBoundAndOnlyComputeConstantsArePushed) {
  static int sets = 0, constants = 0;
  sets = constants = 0;
  replace_function(
      "vkCmdBindPipeline", +[](VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline) {
        EXPECT_EQ(point, VK_PIPELINE_BIND_POINT_COMPUTE);
        own->vk.vkCmdBindPipeline(commands, point, pipeline);
      });
  replace_function(
      "vkCmdBindDescriptorSets",
      +[](VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t first, uint32_t count,
          const VkDescriptorSet* bound, uint32_t offset_count, const uint32_t* offsets) {
        ++sets;
        EXPECT_EQ(point, VK_PIPELINE_BIND_POINT_COMPUTE);
        EXPECT_EQ(first, 0U);
        EXPECT_EQ(count, 1U);
        EXPECT_EQ(offset_count, 0U);
        own->vk.vkCmdBindDescriptorSets(commands, point, layout, first, count, bound, offset_count, offsets);
      });
  replace_function(
      "vkCmdPushConstants", +[](VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages,
                                uint32_t offset, uint32_t size, const void* values) {
        ++constants;
        EXPECT_EQ(stages, static_cast<VkShaderStageFlags>(VK_SHADER_STAGE_COMPUTE_BIT));
        EXPECT_LE(offset + size, 128U);
        own->vk.vkCmdPushConstants(commands, layout, stages, offset, size, values);
      });
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  Rig rig(*own, *device, 12);
  const auto driver = make_cpp_driver(rig);
  own->run([&](VkCommandBuffer commands) { record_all(rig, *driver, commands); });
  EXPECT_GE(sets, static_cast<int>(kTechniques));
  EXPECT_GE(constants, static_cast<int>(kTechniques));
}

}  // namespace
}  // namespace onepass::testing
