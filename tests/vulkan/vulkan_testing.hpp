// vulkan_testing.hpp: the device under test, and pyramids on it that tests can upload, build, update and read back.
//
// The device is chosen by the environment: ONEPASS_TEST_DEVICE (index or name; default: software Vulkan) and
// ONEPASS_TEST_VALIDATION (0: without validation layers; gpu: with GPU-assisted validation, too). Any validation
// message fails the test it appears in.
#pragma once

#include <memory>
#include <string>

#include "onepass/vulkan/pyramid.hpp"
#include "pyramid/test_tuning.hpp"
#include "tests/pyramid/pyramid_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::testing {

/// The device under test; opened once.
const vulkan::Device& test_device();

/// Whether the feature vulkanMemoryModel, with the scope of the device, is enabled on the test device.
bool has_memory_model();
/// Whether shaderFloat16 and shaderSubgroupExtendedTypes are enabled on the test device.
bool has_half_arithmetic();

/// Validation messages so far.
int validation_messages();

/// Fails a test in which validation messages appeared.
class VulkanTest : public ::testing::Test {
 protected:
  void SetUp() override { before_ = validation_messages(); }
  void TearDown() override { EXPECT_EQ(validation_messages(), before_) << "validation messages, see above"; }

 private:
  int before_ = 0;
};

/// The tolerance that the contract gives a GPU: one quantised step, 4 ULP.
Tolerance gpu_tolerance(const PyramidOptions& options, const vulkan::PyramidTuning& tuning);

/// Selects test cases. Software Vulkan compiles a pipeline in one to two seconds, so it gets a random selection with a
/// printed seed; GPUs, and full runs, try every case.
class Sample {
 public:
  Sample();
  /// True for one case in `odds`.
  bool takes(uint32_t odds);
  [[nodiscard]] uint32_t seed() const { return seed_; }

 private:
  uint32_t seed_;
  Random random_;
};

/// A pyramid with its own device images.
class GpuPyramid {
 public:
  struct Setup {
    PyramidOptions options;
    vulkan::PyramidTuning tuning;
    vulkan::PyramidTestTuning test = {};
    bool source_is_level_0 = false;  ///< One image for source and target.
    VkBuffer scratch = VK_NULL_HANDLE;
  };
  static Result<GpuPyramid> create(const Setup& setup);

  /// Uploads the base (all slices). Levels keep their content.
  void upload(const ImageView& source);
  /// Overwrites levels 1 and up.
  void upload_levels(const Levels& levels);
  /// Zeroes the scratch memory.
  void reset();
  void build(int times = 1);
  /// Only records a build or an update, without barriers.
  void record(VkCommandBuffer commands) const { pyramid_->record(commands, *binding_); }
  void record_update(VkCommandBuffer commands, Rect changed, vulkan::Scratch scratch) const {
    pyramid_->record_update(commands, *binding_, changed, scratch);
  }
  void update(Rect changed, vulkan::Scratch scratch);
  /// Reads levels 1 and up back.
  void download(Levels& levels);

  [[nodiscard]] const vulkan::PyramidDispatchPlan& dispatch_plan() const { return pyramid_->dispatch_plan(); }

 private:
  GpuPyramid() = default;
  void make_usable(VkCommandBuffer commands);

  std::unique_ptr<vulkan::Pyramid> pyramid_;
  std::unique_ptr<vulkan::DeviceImage> source_;  // null if the target's level 0 is the source
  std::unique_ptr<vulkan::DeviceImage> target_;
  std::unique_ptr<vulkan::Buffer> staging_;
  std::unique_ptr<vulkan::PyramidBinding> binding_;
  uint32_t first_level_ = 0;  // level of the target image that is level 1 of the pyramid
};

/// Builds a pyramid on the device under test, `builds` times, the last time over poison, and compares all levels with
/// the oracle.
::testing::AssertionResult gpu_build_matches(const PyramidOptions& options, const vulkan::PyramidTuning& tuning,
                                             const ImageView& source, int builds = 1);
/// The same with random texels.
::testing::AssertionResult gpu_build_matches(const PyramidOptions& options, const vulkan::PyramidTuning& tuning,
                                             uint32_t seed = 1, int builds = 1);
/// The same with any set-up.
::testing::AssertionResult gpu_build_matches(const GpuPyramid::Setup& setup, int builds = 1);

std::string describe(const vulkan::PyramidTuning& tuning);
/// Options, tuning and test tuning.
std::string describe(const GpuPyramid::Setup& setup);

}  // namespace onepass::testing
