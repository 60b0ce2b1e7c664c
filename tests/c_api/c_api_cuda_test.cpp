// c_api_cuda_test.cpp: C functions on CUDA memory, through a driver library that runs kernels on the host
// (tests/cuda/fake_library.cpp): the levels of the CPU engine, errors of arguments.
#include <cstring>
#include <numeric>
#include <vector>

#include "onepass/onepass_cuda.h"
#include "tests/c_api/c_api_testing.hpp"

namespace onepass::testing {
namespace {

constexpr onepass_extent kSize = {37, 22};
constexpr uint32_t kSlices = 2;
constexpr size_t kRow = 37 * 4;
constexpr size_t kSlice = kRow * 22;

class CApiCuda : public CApi {
 protected:
  CApiCuda() {
    onepass_pyramid_options_init(&options_, sizeof options_);
    options_.size = kSize;
    options_.slices = kSlices;
    options_.source = options_.target = ONEPASS_FORMAT_R32_SFLOAT;
    options_.reduction = ONEPASS_REDUCTION_MAX;
    base_.resize(37 * 22 * kSlices);
    for (float& value : base_) value = static_cast<float>(random_.below(1 << 20));
    EXPECT_EQ(onepass_cuda_device_open(0, &device_, &error_), ONEPASS_OK) << error_.message;
  }
  ~CApiCuda() override {
    onepass_cuda_pyramid_binding_destroy(binding_);
    onepass_cuda_pyramid_destroy(pyramid_);
    onepass_cuda_device_destroy(device_);
  }

  void create(const onepass_cuda_pyramid_memory* memory = nullptr) {
    ASSERT_EQ(onepass_cuda_pyramid_create(device_, &options_, memory, &pyramid_, &error_), ONEPASS_OK)
        << error_.message;
  }
  onepass_cuda_image source() {
    return {.data = base_.data(), .row_stride = kRow, .slice_stride = kSlice, .channel_stride = 0};
  }

  onepass_pyramid_options options_;
  std::vector<float> base_;
  onepass_cuda_device* device_ = nullptr;
  onepass_cuda_pyramid* pyramid_ = nullptr;
  onepass_cuda_pyramid_binding* binding_ = nullptr;
};

TEST_F(CApiCuda, DevicesAreDescribed) {
  uint32_t count = 7;
  ASSERT_EQ(onepass_cuda_count_devices(&count, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(count, 1U);
  onepass_cuda_device_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(onepass_cuda_describe_device(0, &info, &error_), ONEPASS_OK) << error_.message;
  EXPECT_STREQ(info.name, "host");
  EXPECT_EQ(info.compute_major, 9U);
  EXPECT_EQ(info.multiprocessors, 132U);
  EXPECT_EQ(info.memory_bytes, uint64_t{1} << 34);
  EXPECT_EQ(info.driver_version, 12040U);
  EXPECT_EQ(onepass_cuda_describe_device(1, &info, &error_), ONEPASS_NOT_FOUND);
  EXPECT_STREQ(error_.message, "no CUDA device 1: there are 1");
  onepass_cuda_device* none = nullptr;
  EXPECT_EQ(onepass_cuda_device_open(1, &none, &error_), ONEPASS_NOT_FOUND) << error_.message;
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(onepass_cuda_device_adopt(&none, &error_), ONEPASS_INVALID_ARGUMENT) << error_.message;
  EXPECT_EQ(onepass_cuda_device_trim(nullptr), 0U);
}

TEST_F(CApiCuda, LevelsAreThoseOfTheCpuEngine) {
  create();
  onepass_cuda_pyramid_plan plan{};
  plan.struct_size = sizeof plan;
  ASSERT_EQ(onepass_cuda_pyramid_get_plan(pyramid_, &plan, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(plan.levels, 6U);
  EXPECT_GT(plan.scratch_bytes, 0U);
  const size_t count = plan.levels - 1;

  std::vector<onepass_cuda_image> levels(count);
  uint64_t bytes = 0;
  ASSERT_EQ(onepass_cuda_pyramid_pack_levels(pyramid_, nullptr, levels.data(), count, &bytes, &error_), ONEPASS_OK);
  std::vector<std::byte> memory(bytes);
  ASSERT_EQ(onepass_cuda_pyramid_pack_levels(pyramid_, memory.data(), levels.data(), count, &bytes, &error_),
            ONEPASS_OK);
  EXPECT_EQ(levels[0].data, memory.data());
  EXPECT_EQ(bytes, memory.size());
  // Scratch memory of the caller's with any content, which a reset clears; then that of the library.
  std::vector<std::byte> scratch(plan.scratch_bytes + 255, std::byte{0xAB});
  void* aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 255) / 256 * 256);
  const onepass_cuda_image base = source();
  for (void* own : {aligned, static_cast<void*>(nullptr)}) {
    std::fill(memory.begin(), memory.end(), std::byte{0xC3});
    ASSERT_EQ(onepass_cuda_pyramid_bind(pyramid_, &base, levels.data(), count, own, &binding_, &error_), ONEPASS_OK)
        << error_.message;
    if (own != nullptr) {
      ASSERT_EQ(onepass_cuda_pyramid_record_reset(pyramid_, nullptr, binding_, &error_), ONEPASS_OK);
    }
    ASSERT_EQ(onepass_cuda_pyramid_record(pyramid_, nullptr, binding_, &error_), ONEPASS_OK) << error_.message;
    onepass_cuda_pyramid_binding_destroy(std::exchange(binding_, nullptr));

    std::vector<std::vector<float>> expected;
    std::vector<onepass_mutable_image_view> views;
    onepass_extent size = kSize;
    for (size_t n = 0; n < count; ++n) {
      size = {std::max(1U, size.width / 2), std::max(1U, size.height / 2)};
      expected.emplace_back(size_t{size.width} * size.height * kSlices);
      views.push_back({.data = expected.back().data(),
                       .format = ONEPASS_FORMAT_R32_SFLOAT,
                       .size = size,
                       .slices = kSlices,
                       .row_stride = 0,
                       .slice_stride = 0});
    }
    const onepass_image_view view = {.data = base_.data(),
                                     .format = ONEPASS_FORMAT_R32_SFLOAT,
                                     .size = kSize,
                                     .slices = kSlices,
                                     .row_stride = 0,
                                     .slice_stride = 0};
    onepass_cpu_pyramid* cpu = nullptr;
    ASSERT_EQ(onepass_cpu_pyramid_create(&options_, nullptr, &cpu, &error_), ONEPASS_OK) << error_.message;
    EXPECT_EQ(onepass_cpu_pyramid_build(cpu, &view, views.data(), count, &error_), ONEPASS_OK) << error_.message;
    onepass_cpu_pyramid_destroy(cpu);
    for (size_t n = 0; n < count; ++n) {
      EXPECT_EQ(std::memcmp(levels[n].data, expected[n].data(), expected[n].size() * 4), 0) << "level " << n + 1;
    }
  }
}

TEST_F(CApiCuda, PlanesAreTheChannelsOfATexel) {
  options_.reduction = ONEPASS_REDUCTION_MIN;
  options_.size = {8, 8};
  options_.slices = 1;
  options_.source = options_.target = ONEPASS_FORMAT_R32G32_SFLOAT;
  options_.levels = 2;
  onepass_cuda_pyramid_memory memory;
  onepass_cuda_pyramid_memory_init(&memory, sizeof memory);
  EXPECT_EQ(memory.source_channels, ONEPASS_CUDA_CHANNELS_INTERLEAVED);
  memory.target_channels = ONEPASS_CUDA_CHANNELS_PLANAR;
  memory.launches = ONEPASS_CUDA_LAUNCHES_ONE;
  create(&memory);
  std::vector<float> from(128);
  std::iota(from.begin(), from.end(), 0.0F);  // texel i has the channels 2i and 2i + 1
  float to[32] = {};
  const onepass_cuda_image source = {.data = from.data(), .row_stride = 64, .slice_stride = 0, .channel_stride = 0};
  const onepass_cuda_image level = {.data = to, .row_stride = 16, .slice_stride = 0, .channel_stride = 64};
  ASSERT_EQ(onepass_cuda_pyramid_bind(pyramid_, &source, &level, 1, nullptr, &binding_, &error_), ONEPASS_OK)
      << error_.message;
  ASSERT_EQ(onepass_cuda_pyramid_record(pyramid_, nullptr, binding_, &error_), ONEPASS_OK) << error_.message;
  for (int i = 0; i < 16; ++i) {
    const auto first = static_cast<float>(i / 4 * 32 + i % 4 * 4);
    EXPECT_EQ(to[i], first) << i;
    EXPECT_EQ(to[16 + i], first + 1) << i;
  }
}

TEST_F(CApiCuda, MistakesAreNamed) {
  const auto refused = [&](onepass_code code, const char* message) {
    EXPECT_EQ(code, ONEPASS_INVALID_ARGUMENT);
    EXPECT_STREQ(error_.message, message);
  };
  refused(onepass_cuda_pyramid_create(nullptr, &options_, nullptr, &pyramid_, &error_), "device: null");
  onepass_cuda_pyramid_memory memory;
  onepass_cuda_pyramid_memory_init(&memory, sizeof memory);
  memory.target_channels = 2;
  refused(onepass_cuda_pyramid_create(device_, &options_, &memory, &pyramid_, &error_),
          "memory.target_channels: 2 is unknown");
  memory.target_channels = 0;
  memory.launches = 9;
  refused(onepass_cuda_pyramid_create(device_, &options_, &memory, &pyramid_, &error_),
          "memory.launches: 9 is unknown");
  memory.launches = 0;
  memory.reserved = 1;
  refused(onepass_cuda_pyramid_create(device_, &options_, &memory, &pyramid_, &error_), "memory.reserved: 1 is not 0");
  EXPECT_EQ(pyramid_, nullptr);

  options_.levels = 2;
  create();
  std::vector<float> level(18 * 11 * kSlices);
  onepass_cuda_image base = source();
  onepass_cuda_image first = {
      .data = level.data(), .row_stride = 18 * 4, .slice_stride = 18 * 11 * 4, .channel_stride = 0};
  refused(onepass_cuda_pyramid_bind(pyramid_, &base, &first, 2, nullptr, &binding_, &error_),
          "levels: 2 images, but the pyramid makes 1 levels");
  refused(onepass_cuda_pyramid_bind(pyramid_, nullptr, &first, 1, nullptr, &binding_, &error_), "source: null");
  refused(onepass_cuda_pyramid_bind(pyramid_, &base, nullptr, 1, nullptr, &binding_, &error_), "levels: null");
  uint64_t bytes = 0;
  refused(onepass_cuda_pyramid_pack_levels(pyramid_, nullptr, &first, 3, &bytes, &error_),
          "level_count: 3, but the pyramid makes 1 levels");
  base.data = nullptr;
  EXPECT_EQ(onepass_cuda_pyramid_bind(pyramid_, &base, &first, 1, nullptr, &binding_, &error_),
            ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(std::strncmp(error_.message, "source.data: ", 13), 0) << error_.message;

  base = source();
  first.data = level.data();
  ASSERT_EQ(onepass_cuda_pyramid_bind(pyramid_, &base, &first, 1, nullptr, &binding_, &error_), ONEPASS_OK)
      << error_.message;
  refused(onepass_cuda_pyramid_record(pyramid_, nullptr, nullptr, &error_), "binding: null");
  onepass_cuda_pyramid* other = nullptr;
  ASSERT_EQ(onepass_cuda_pyramid_create(device_, &options_, nullptr, &other, &error_), ONEPASS_OK);
  refused(onepass_cuda_pyramid_record(other, nullptr, binding_, &error_), "binding: belongs to another pyramid");
  refused(onepass_cuda_pyramid_record_reset(other, nullptr, binding_, &error_), "binding: belongs to another pyramid");
  onepass_cuda_pyramid_destroy(other);
}

}  // namespace
}  // namespace onepass::testing
