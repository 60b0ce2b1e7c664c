// vulkan_measure_test.cpp: measure_tunings() on the device under test, with validation: short measurements of every
// technique, and what a device makes of the text.
#include <algorithm>
#include <string>

#include "onepass/vulkan/tunings.hpp"
#include "tests/vulkan/vulkan_testing.hpp"
#include "vulkan/tunings.hpp"

namespace onepass::testing {
namespace {

using VulkanMeasure = VulkanTest;

class EveryTechnique : public VulkanTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(EveryTechnique, IsMeasuredAndItsCandidatesAgree) {
  double last = -1;
  std::string what;
  const auto measured = vulkan::measure_tunings(
      test_device(), {.techniques = {GetParam()}, .seconds = 0.5, .progress = [&](double share, std::string_view text) {
                        EXPECT_GE(share, last);
                        last = share;
                        if (!text.empty()) what = text;
                      }});
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(last, 1);
  EXPECT_TRUE(what.starts_with(GetParam())) << what;
  ASSERT_FALSE(measured->cases.empty());
  for (const vulkan::MeasuredCase& one : measured->cases) {
    EXPECT_EQ(one.technique, GetParam());
    EXPECT_GT(one.best_microseconds, 0) << one.name;
    EXPECT_LE(one.best_microseconds, one.default_microseconds) << one.name;
    EXPECT_EQ(one.use.empty(), one.best_microseconds == one.default_microseconds) << one.name;
  }
  for (const std::string& note : measured->notes) EXPECT_NE(note.find("no time was left"), std::string::npos) << note;
  const auto tunings = vulkan::parse_tunings(measured->text);
  ASSERT_TRUE(tunings) << tunings.error().text();
  EXPECT_EQ(tunings->front().device, test_device().info().name);
  EXPECT_EQ(tunings->front().driver, test_device().info().driver);
  const auto faster = std::count_if(measured->cases.begin(), measured->cases.end(),
                                    [](const vulkan::MeasuredCase& one) { return !one.use.empty(); });
  size_t rows = 0;
  std::apply([&](const auto&... each) { rows = (each.size() + ...); }, tunings->front().rows);
  EXPECT_EQ(rows, static_cast<size_t>(faster));
}

INSTANTIATE_TEST_SUITE_P(All, EveryTechnique,
                         ::testing::Values("pyramid", "transform", "meter", "tile_reduction", "tone_map",
                                           "frame_tone_map"));

TEST_F(VulkanMeasure, OptionsAreChecked) {
  const auto refused = [](const vulkan::MeasureOptions& options, const char* message) {
    const auto measured = vulkan::measure_tunings(test_device(), options);
    ASSERT_FALSE(measured);
    EXPECT_EQ(measured.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(measured.error().message.find(message), std::string::npos) << measured.error().message;
  };
  refused({.techniques = {"bloom"}}, "techniques: 'bloom' is not one of tile_reduction, tone_map");
  refused({.seconds = 0}, "seconds: 0");
  refused({.seconds = -1}, "seconds: -1");
  vulkan::DeviceHandles handles = test_device().handles();
  const auto adopted = vulkan::Device::adopt(handles);
  ASSERT_TRUE(adopted) << adopted.error().text();
  EXPECT_NE(vulkan::measure_tunings(*adopted).error().message.find("needs a device from open()"), std::string::npos);
}

TEST(MeasureTunings, NeedsADeviceWithoutTunings) {
  const auto device = vulkan::Device::open(
      {.allow_software = true, .tunings = R"({"onepass_tunings": 1, "meter": [{"use": {"groups": 8}}]})"});
  ASSERT_TRUE(device) << device.error().text();
  const auto measured = vulkan::measure_tunings(*device, {.techniques = {"meter"}, .seconds = 0.1});
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace onepass::testing
