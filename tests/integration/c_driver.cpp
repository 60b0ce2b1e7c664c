// c_driver.cpp: every technique driven through the C API, by the C program c_api_vulkan_client.c.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "tests/c_api/c_api_testing.hpp"
#include "tests/integration/c_driver.hpp"

namespace onepass::testing {
namespace {

class CDriver : public Driver {
 public:
  explicit CDriver(Rig& rig) {
    client_resources resources{
        {kRigSize.width, kRigSize.height},
        rig.source.image,
        rig.mask.image,
        rig.levels.image,
        rig.tiles.image,
        rig.picture.image,
        rig.restored.image,
        rig.blurred.image,
        rig.filtered.image,
        rig.frame.image,
        rig.local.image,
        rig.sharpened.image,
        rig.glowing.image,
        rig.mip_glowing.image,
        {rig.hall.color.image,
         rig.hall.depth.image,
         rig.hall.pyramid.image,
         rig.hall.normals.image,
         rig.hall.roughness.image,
         rig.hall.motion.image,
         rig.hall.environment.image,
         rig.hall.reflected.image,
         rig.hall.distance.image,
         {}},
        {rig.source.at.level, rig.source.at.slice},
        {rig.mask.at.level, rig.mask.at.slice},
        {rig.levels.at.level, rig.levels.at.slice},
        rig.spectrum.buffer,
        rig.results.buffer,
        rig.frame_results.buffer,
        rig.shift.buffer,
        rig.surface.buffer,
        rig.blocks.buffer,
        c_view(rig.kernel_pixels),
        [](void* user, uint64_t bytes) -> onepass_vulkan_buffer_range {
          const auto range = static_cast<Rig*>(user)->take_scratch(bytes);
          return {range.buffer, range.offset};
        },
        [](void* user, const VkImageCreateInfo* info) { return static_cast<Rig*>(user)->take_image(*info); },
        &rig};
    for (size_t i = 0; i < rig.hall.views.size(); ++i) {
      const vulkan::ReflectionView& view = rig.hall.views[i];
      std::copy(view.clip_from_world.begin(), view.clip_from_world.end(), resources.hall.views[i].clip_from_world);
      std::copy(view.last_clip_from_world.begin(), view.last_clip_from_world.end(),
                resources.hall.views[i].last_clip_from_world);
    }
    onepass_vulkan_device_handles handles = c_handles(rig.own);
    handles.get_instance_proc_addr = rig.device.handles().get_instance_proc_addr;
    handles.memory = rig.device.handles().memory;
    onepass_error error{};
    EXPECT_EQ(client_create(&client_, &handles, &resources, &error), ONEPASS_OK) << error.message;
  }
  ~CDriver() override { client_destroy(&client_); }
  void reset(VkCommandBuffer commands) const override { EXPECT_EQ(client_reset(&client_, commands), ONEPASS_OK); }
  void reset_scratch(VkCommandBuffer commands) const override {
    EXPECT_EQ(client_reset_scratch(&client_, commands), ONEPASS_OK);
  }
  void record_kernels(VkCommandBuffer commands) const override {
    EXPECT_EQ(client_record_kernels(&client_, commands), ONEPASS_OK);
  }
  void record(Technique technique, VkCommandBuffer commands) const override {
    EXPECT_EQ(client_record(&client_, commands, static_cast<int>(technique)), ONEPASS_OK);
  }
  std::array<double, 3> shift(std::span<const std::byte> result) const override {
    onepass_error error{};
    onepass_shift shift{};
    EXPECT_EQ(client_read_shift(&client_, result.data(), 8, &shift, &error), ONEPASS_INVALID_ARGUMENT);
    EXPECT_EQ(client_read_shift(&client_, nullptr, result.size(), &shift, &error), ONEPASS_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, "result: null");
    EXPECT_EQ(client_read_shift(&client_, result.data(), result.size(), nullptr, &error), ONEPASS_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, "shift: null");
    EXPECT_EQ(client_read_shift(&client_, result.data(), result.size(), &shift, &error), ONEPASS_OK) << error.message;
    return {shift.x, shift.y, shift.confidence};
  }

  [[nodiscard]] const client& objects() const { return client_; }

 private:
  client client_{};
};

}  // namespace

const client& client_of(const Driver& driver) { return static_cast<const CDriver&>(driver).objects(); }

std::unique_ptr<Driver> make_c_driver(Rig& rig) { return std::make_unique<CDriver>(rig); }

}  // namespace onepass::testing
