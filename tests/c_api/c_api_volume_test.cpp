// c_api_volume_test.cpp: C functions of volumes: the planes of C++, errors of arguments.
#include <cstring>
#include <vector>

#include "onepass/volume_stream.hpp"
#include "tests/c_api/c_api_testing.hpp"

namespace onepass::testing {
namespace {

constexpr onepass_volume_step kSteps[] = {{2, 2, 1}, {2, 1, 2}};

onepass_volume_options volume_options() {
  onepass_volume_options options;
  onepass_volume_options_init(&options, sizeof options);
  options.size = {45, 13, 7};
  options.type = ONEPASS_VOXEL_TYPE_INT16;
  options.channels = 2;
  options.reduction = ONEPASS_REDUCTION_MAX;
  options.steps = kSteps;
  options.step_count = 2;
  return options;
}

constexpr size_t kRow = 45 * 2 * 2;
constexpr size_t kPlane = kRow * 13;

TEST_F(CApi, VolumesHaveTheVoxelsOfCpp) {
  std::vector<std::byte> base(kPlane * 7);
  for (std::byte& byte : base) byte = static_cast<std::byte>(random_.below(256));
  const VolumeOptions cpp = {.size = {45, 13, 7},
                             .type = VoxelType::kInt16,
                             .channels = 2,
                             .reduction = Reduction::kMax,
                             .steps = {{2, 2, 1}, {2, 1, 2}}};
  std::vector<std::byte> expected;
  const auto sink = [&](const cpu::VolumePlane& plane) -> Result<void> {
    const auto* data = static_cast<const std::byte*>(plane.data);
    expected.insert(expected.end(), data, data + plane.row_stride * plane.height);
    return {};
  };
  auto made = cpu::VolumeStream::create(cpp, sink);
  ASSERT_TRUE(made.ok()) << made.error().text();
  ASSERT_TRUE(made->push(base.data(), kRow, kPlane, 7).ok());

  const onepass_volume_options options = volume_options();
  onepass_volume_plan plan{};
  plan.struct_size = sizeof plan;
  ASSERT_EQ(onepass_plan_volume(&options, &plan, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(plan.levels, 3U);
  EXPECT_EQ(plan.sizes[2].width, 12U);
  EXPECT_EQ(plan.sizes[2].height, 7U);
  EXPECT_EQ(plan.sizes[2].planes, 4U);
  EXPECT_EQ(plan.bytes_read, base.size());
  EXPECT_EQ(plan.bytes_written, expected.size());
  EXPECT_EQ(plan.stream_bytes, made->plan().stream_bytes);
  EXPECT_EQ(plan.thread_bytes, made->plan().thread_bytes);

  std::vector<std::byte> actual;
  const auto take = [](void* user, const onepass_volume_plane* plane) -> onepass_code {
    auto& to = *static_cast<std::vector<std::byte>*>(user);
    const auto* data = static_cast<const std::byte*>(plane->data);
    to.insert(to.end(), data, data + plane->row_stride * plane->height);
    return plane->struct_size == sizeof *plane && plane->width <= 23 ? ONEPASS_OK : ONEPASS_DEVICE;
  };
  onepass_cpu_volume_stream* stream = nullptr;
  ASSERT_EQ(onepass_cpu_volume_stream_create(&options, nullptr, take, &actual, &stream, &error_), ONEPASS_OK)
      << error_.message;
  EXPECT_EQ(onepass_cpu_volume_stream_push(stream, base.data(), kRow, 0, 1, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(onepass_cpu_volume_stream_push(stream, base.data() + kPlane, kRow, kPlane, 6, &error_), ONEPASS_OK);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "count: 1 planes after 7 of 7",
                 [&](onepass_error* e) { return onepass_cpu_volume_stream_push(stream, base.data(), kRow, 0, 1, e); });
  onepass_cpu_volume_stream_destroy(stream);
  onepass_cpu_volume_stream_destroy(nullptr);
  EXPECT_TRUE(actual == expected);

  const onepass_volume_view source = {base.data(), kRow, kPlane};
  std::vector<std::byte> first(size_t{23} * 4 * 7 * 7);
  std::vector<std::byte> second(size_t{12} * 4 * 7 * 4);
  const onepass_mutable_volume_view levels[] = {{first.data(), 23 * 4, 23 * 4 * 7},
                                                {second.data(), 12 * 4, 12 * 4 * 7}};
  ASSERT_EQ(onepass_cpu_build_volume(&options, nullptr, &source, levels, 2, &error_), ONEPASS_OK) << error_.message;
  EXPECT_TRUE(std::search(expected.begin(), expected.end(), first.begin(), first.begin() + 23 * 4 * 7) !=
              expected.end());
  EXPECT_TRUE(std::equal(second.end() - 12 * 4 * 7, second.end(), expected.end() - 12 * 4 * 7));
}

TEST_F(CApi, VolumesAnswerMistakes) {
  const std::vector<std::byte> base(kPlane * 7);
  onepass_volume_options options = volume_options();
  const onepass_volume_view source = {base.data(), kRow, kPlane};
  const auto full_disk = [](void* /*user*/, const onepass_volume_plane* /*plane*/) -> onepass_code {
    return ONEPASS_IO;
  };
  onepass_cpu_volume_stream* stream = nullptr;
  const auto create = [&](onepass_error* e) {
    return onepass_cpu_volume_stream_create(&options, nullptr, full_disk, nullptr, &stream, e);
  };
  ASSERT_EQ(create(&error_), ONEPASS_OK) << error_.message;
  expect_failure(ONEPASS_IO, "the sink returned 5, input or output failed", [&](onepass_error* e) {
    return onepass_cpu_volume_stream_push(stream, base.data(), kRow, kPlane, 7, e);
  });
  onepass_cpu_volume_stream_destroy(stream);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "sink: null", [&](onepass_error* e) {
    return onepass_cpu_volume_stream_create(&options, nullptr, nullptr, nullptr, &stream, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "stream: null", [&](onepass_error* e) {
    return onepass_cpu_volume_stream_push(nullptr, base.data(), kRow, kPlane, 7, e);
  });
  options.type = 9;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "type: 9", create);
  options = volume_options();
  options.reduction = 99;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "reduction: 99", create);
  options = volume_options();
  options.steps = nullptr;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "steps: null", create);
  options.step_count = 0;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "steps: none", create);
  options.steps = kSteps;
  options.step_count = SIZE_MAX;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "step_count: ", create);
  EXPECT_EQ(stream, nullptr);
  options = volume_options();
  onepass_mutable_volume_view levels[2] = {};
  expect_failure(ONEPASS_INVALID_ARGUMENT, "level 1: data is null",
                 [&](onepass_error* e) { return onepass_cpu_build_volume(&options, nullptr, &source, levels, 2, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "levels: null",
                 [&](onepass_error* e) { return onepass_cpu_build_volume(&options, nullptr, &source, nullptr, 2, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "level_count: ", [&](onepass_error* e) {
    return onepass_cpu_build_volume(&options, nullptr, &source, levels, SIZE_MAX, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: null",
                 [&](onepass_error* e) { return onepass_cpu_build_volume(&options, nullptr, nullptr, levels, 2, e); });
}

TEST_F(CApi, StepsOfVolumesAreThoseOfCpp) {
  onepass_volume_step steps[31];
  EXPECT_EQ(onepass_isotropic_steps({4000, 4000, 100}, 4, 4, 40, 64, steps), 6U);
  EXPECT_EQ(steps[2].z, 1U);
  EXPECT_EQ(steps[3].z, 2U);
  EXPECT_EQ(onepass_isotropic_steps({0x80000000U, 1, 1}, 1, 1, 1, 1, steps), 31U);
  EXPECT_EQ(onepass_isotropic_steps({512, 512, 512}, 1, 0, 1, 64, steps), 0U);
  EXPECT_EQ(onepass_isotropic_steps({512, 512, 512}, 1, 1, 1, 64, nullptr), 0U);
}

}  // namespace
}  // namespace onepass::testing
