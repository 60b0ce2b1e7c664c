// defaults_test.cpp: what structs do whose fields a program has not set: in C, where they are 0, and in C++, where they
// are {}. A struct is its default or is refused.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "onepass/fourier_correlation.hpp"
#include "onepass/fourier_deconvolution.hpp"
#include "onepass/fourier_filter.hpp"
#include "onepass/fourier_match.hpp"
#include "onepass/frame_tone_map.hpp"
#include "onepass/pyramid_stream.hpp"
#include "onepass/tile_reduction.hpp"
#include "onepass/vulkan/blocks.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/reflection.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/c_api/c_api_zero_client.h"
#include "tests/integration/c_driver.hpp"
#include "tests/integration/integration_testing.hpp"

namespace onepass::testing {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(ONEPASS_ROOT) + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Defaults : public IntegrationFixture {};

TEST_F(Defaults, OfCStructsWithoutTheirSizeAreRefused) {
  onepass_error error{};
  EXPECT_EQ(zero_cpu(&error), 0) << "line of c_api_zero_client.c; " << error.message;
  ASSERT_NO_FATAL_FAILURE(start(system_loader()));
  driver_ = make_c_driver(*rig_);
  const onepass_vulkan_device_handles handles = c_handles(*own_);
  own_->run([&](VkCommandBuffer commands) {
    EXPECT_EQ(zero_vulkan(&client_of(*driver_), &handles, commands, &error), 0)
        << "line of c_api_zero_client.c; " << error.message;
  });
}

// Every struct of the headers that begins with its size is one that c_api_zero_client.c passes, but those that the
// library fills for callbacks.
TEST(DefaultsOfC, AreTestedForEveryStruct) {
  const std::string client = text_of("tests/c_api/c_api_zero_client.c");
  const std::set<std::string> of_callbacks = {"onepass_level_rows", "onepass_volume_plane",
                                              "onepass_vulkan_memory_request"};
  size_t count = 0;
  for (const char* header : {"onepass.h", "onepass_types.h", "onepass_vulkan.h", "onepass_vulkan_host.h",
                             "onepass_vulkan_types.h", "vulkan_memory.h"}) {
    const std::string text = text_of("include/onepass/" + std::string(header));
    const std::regex sized(R"(typedef struct (\w+) \{\n  size_t struct_size;)");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), sized); at != std::sregex_iterator(); ++at, ++count) {
      const std::string name = (*at)[1];
      if (of_callbacks.count(name) != 0) continue;
      EXPECT_TRUE(std::regex_search(client, std::regex("\\b" + name + " \\w+ = \\{"))) << name;
    }
  }
  EXPECT_GT(count, 35U);
}

// ---- Frames: the only C structs without a size whose fields are options of a technique

constexpr Extent kSize{4, 4};

/// Meters grey images of luminance 0.5, 8 and 8 with the same frame.
MeterResult adapt_in_cpp(const MeterFrame& frame, bool by_default = false) {
  const auto meter = cpu::Meter::create({.size = kSize, .source = Format::kR32Sfloat});
  EXPECT_TRUE(meter);
  MeterResult result{};
  for (const float luminance : {0.5F, 8.0F, 8.0F}) {
    const std::vector<float> texels(16, luminance);
    const ImageView view{texels.data(), Format::kR32Sfloat, kSize, 1, 16, 64};
    const auto done = by_default ? meter->measure(view, {&result, 1}) : meter->measure(view, {&result, 1}, frame);
    EXPECT_TRUE(done);
  }
  return result;
}

MeterResult adapt_in_c(const onepass_meter_frame* frame) {
  onepass_meter_options options;
  onepass_meter_options_init(&options, sizeof options);
  options.size = {kSize.width, kSize.height};
  options.source = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_cpu_meter* meter = nullptr;
  EXPECT_EQ(onepass_cpu_meter_create(&options, nullptr, &meter, nullptr), ONEPASS_OK);
  onepass_meter_result result{};
  for (const float luminance : {0.5F, 8.0F, 8.0F}) {
    const std::vector<float> texels(16, luminance);
    const onepass_image_view view{texels.data(), ONEPASS_FORMAT_R32_SFLOAT, options.size, 1, 16, 64};
    EXPECT_EQ(onepass_cpu_meter_measure(meter, &view, &result, 1, frame, nullptr, nullptr), ONEPASS_OK);
  }
  onepass_cpu_meter_destroy(meter);
  MeterResult out;
  static_assert(sizeof out == sizeof result);
  std::memcpy(static_cast<void*>(&out), &result, sizeof out);
  return out;
}

bool same_bits(const MeterResult& a, const MeterResult& b) {
  return std::memcmp(static_cast<const void*>(&a), static_cast<const void*>(&b), sizeof a) == 0;
}

TEST(DefaultsOfFrames, AreTheSameInCAndCpp) {
  const onepass_meter_frame zero{};
  const MeterResult still = adapt_in_cpp({});
  EXPECT_NEAR(still.adapted_luminance, 0.5F, 1e-3F) << "adapted to the first image at once; then no time has passed";
  EXPECT_TRUE(same_bits(still, adapt_in_cpp({}, true))) << "no argument";
  EXPECT_TRUE(same_bits(still, adapt_in_c(&zero)));
  EXPECT_TRUE(same_bits(still, adapt_in_c(nullptr)));
  // The field that a renderer sets every frame, alone: two frames of 3 stops per second.
  const onepass_meter_frame sixtieth{.seconds = 1 / 60.0F};
  const MeterResult moving = adapt_in_cpp({.seconds = 1 / 60.0F});
  EXPECT_NEAR(moving.adapted_log2 - still.adapted_log2, 2 * 3 / 60.0, 1e-5);
  EXPECT_TRUE(same_bits(moving, adapt_in_c(&sixtieth)));
  const onepass_meter_frame scene{.cut = 1};
  const MeterResult cut = adapt_in_cpp({.cut = true});
  EXPECT_NEAR(cut.adapted_luminance, 8.0F, 1e-2F);
  EXPECT_TRUE(same_bits(cut, adapt_in_c(&scene)));
}

// ---- C++

template <typename T>
void expect_refused(const Result<T>& made, const char* what) {
  ASSERT_FALSE(made) << what;
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument) << what << ": " << made.error().text();
}

TEST_F(Defaults, OfCppOptionsWithoutASizeAreRefused) {
  expect_refused(cpu::Pyramid::create({}), "pyramid");
  expect_refused(cpu::TileReduction::create({}), "tile reduction");
  expect_refused(cpu::Transform::create({}), "transform");
  expect_refused(cpu::Convolver::create({}), "convolver");
  expect_refused(cpu::Filter::create({}), "filter");
  expect_refused(cpu::Correlator::create({}), "correlator");
  expect_refused(cpu::TemplateMatcher::create({}), "template matcher");
  expect_refused(cpu::Deconvolver::create({}), "deconvolver");
  expect_refused(cpu::Bloom::create({}), "bloom");
  expect_refused(cpu::Meter::create({}), "meter");
  expect_refused(cpu::ToneMap::create({}), "tone map");
  expect_refused(cpu::FrameToneMap::create({}), "frame tone map");
  expect_refused(vulkan::Device::adopt({}), "device");
  ASSERT_NO_FATAL_FAILURE(start(system_loader()));
  expect_refused(vulkan::Pyramid::create(*device_, {}), "pyramid");
  expect_refused(vulkan::TileReduction::create(*device_, {}), "tile reduction");
  expect_refused(vulkan::Transform::create(*device_, {}), "transform");
  expect_refused(vulkan::Convolver::create(*device_, {}), "convolver");
  expect_refused(vulkan::Filter::create(*device_, {}), "filter");
  expect_refused(vulkan::Correlator::create(*device_, {}), "correlator");
  expect_refused(vulkan::Deconvolver::create(*device_, {}), "deconvolver");
  expect_refused(vulkan::Bloom::create(*device_, {}), "bloom");
  expect_refused(vulkan::Meter::create(*device_, {}), "meter");
  expect_refused(vulkan::ToneMap::create(*device_, {}), "tone map");
  expect_refused(vulkan::FrameToneMap::create(*device_, {}), "frame tone map");
  expect_refused(vulkan::Reflection::create(*device_, {}), "reflections");
  expect_refused(plan_block_compressor({}), "plan of blocks");
  expect_refused(vulkan::BlockCompressor::create(*device_, {}), "blocks");
  const auto pyramid =
      vulkan::Pyramid::create(*device_, {.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat});
  ASSERT_TRUE(pyramid) << pyramid.error().text();
  expect_refused(pyramid->bind({}), "images of a pyramid");
  const auto transform = vulkan::Transform::create(
      *device_, {.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat});
  ASSERT_TRUE(transform) << transform.error().text();
  expect_refused(transform->bind({}), "resources of a transform");
  const auto reflection = vulkan::Reflection::create(*device_, rig_->hall.options());
  ASSERT_TRUE(reflection) << reflection.error().text();
  expect_refused(reflection->bind({}), "images of reflections");
  const auto compressor = vulkan::BlockCompressor::create(*device_, {.size = {64, 64}});
  ASSERT_TRUE(compressor) << compressor.error().text();
  expect_refused(compressor->bind({}), "images of blocks");
}

}  // namespace
}  // namespace onepass::testing
