// integration_testing.hpp: IntegrationFixture: the library in a program that has created its own Vulkan device.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <memory>

#include "tests/integration/technique_rig.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {

/// A test with a device of its own, which the library adopts, and images for all techniques. At its end it checks that
/// no validation message came and that nothing outside the images was written.
class IntegrationFixture : public ::testing::Test {
 protected:
  IntegrationFixture() : seed_(random_seed()) { std::printf("seed %u\n", seed_); }

  /// Creates a device with this loader, and lets the library adopt it. To be called in ASSERT_NO_FATAL_FAILURE: a test
  /// has no device where this fails.
  void start(PFN_vkGetInstanceProcAddr get, bool compute_only = false) {
    own_ = OwnDevice::create(get, compute_only);
    ASSERT_NE(own_, nullptr);
    auto adopted = vulkan::Device::adopt(own_->handles());
    ASSERT_TRUE(adopted) << adopted.error().text();
    device_ = std::make_unique<vulkan::Device>(*adopted);
    rig_ = std::make_unique<Rig>(*own_, *device_, seed_);
  }

  void TearDown() override {
    if (own_ != nullptr) {
      EXPECT_EQ(own_->validation_messages(), 0) << "see above";
    }
    if (rig_ != nullptr) {
      EXPECT_FALSE(rig_->guards_touched());
      EXPECT_FALSE(rig_->outside_touched());
    }
    driver_.reset();
    rig_.reset();
    device_.reset();
    own_.reset();
  }

  uint32_t seed_;
  std::unique_ptr<OwnDevice> own_;
  std::unique_ptr<vulkan::Device> device_;
  std::unique_ptr<Rig> rig_;
  std::unique_ptr<Driver> driver_;
};

}  // namespace onepass::testing
