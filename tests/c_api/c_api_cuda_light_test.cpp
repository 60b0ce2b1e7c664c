// c_api_cuda_light_test.cpp: C functions of tile reductions, meters and tone maps on CUDA memory, through a driver
// library that runs kernels on the host (tests/cuda/fake_library.cpp): the results of the CPU engine, errors of
// arguments.
#include <cmath>
#include <cstring>
#include <vector>

#include "onepass/onepass_cuda.h"
#include "tests/c_api/c_api_testing.hpp"

namespace onepass::testing {
namespace {

constexpr onepass_extent kSize = {45, 30};
constexpr uint32_t kSlices = 2;
constexpr size_t kTexels = 45 * 30;

class CApiCudaLight : public CApi {
 protected:
  CApiCudaLight() {
    light_.resize(kTexels * kSlices * 4);
    for (float& value : light_) value = static_cast<float>(1 + random_.below(4096)) / 1024.0F;
    EXPECT_EQ(onepass_cuda_device_open(0, &device_, &error_), ONEPASS_OK) << error_.message;
  }
  ~CApiCudaLight() override { onepass_cuda_device_destroy(device_); }

  /// Rows without gaps; `bytes` are those of one texel.
  static onepass_cuda_image image(void* data, size_t bytes, onepass_extent size = kSize) {
    const size_t row = bytes * size.width;
    return {.data = data, .row_stride = row, .slice_stride = row * size.height, .channel_stride = 0};
  }
  onepass_image_view view() const {
    return {.data = light_.data(),
            .format = ONEPASS_FORMAT_R32G32B32A32_SFLOAT,
            .size = kSize,
            .slices = kSlices,
            .row_stride = 0,
            .slice_stride = 0};
  }
  static onepass_mutable_image_view target_view(void* data, onepass_format format, onepass_extent size) {
    return {.data = data, .format = format, .size = size, .slices = kSlices, .row_stride = 0, .slice_stride = 0};
  }
  void expect_refused(onepass_code code, const char* message) const {
    EXPECT_EQ(code, ONEPASS_INVALID_ARGUMENT);
    EXPECT_STREQ(error_.message, message);
  }

  onepass_meter_options meter_options() const {
    onepass_meter_options options;
    onepass_meter_options_init(&options, sizeof options);
    options.size = kSize;
    options.slices = kSlices;
    options.source = ONEPASS_FORMAT_R32G32B32A32_SFLOAT;
    return options;
  }
  onepass_tone_map_options tone_options() const {
    onepass_tone_map_options options;
    onepass_tone_map_options_init(&options, sizeof options);
    options.size = kSize;
    options.slices = kSlices;
    options.source = ONEPASS_FORMAT_R32G32B32A32_SFLOAT;
    options.target = ONEPASS_FORMAT_R8G8B8A8_SRGB;
    return options;
  }

  std::vector<float> light_;
  onepass_cuda_device* device_ = nullptr;
};

TEST_F(CApiCudaLight, TilesAreThoseOfTheCpuEngine) {
  onepass_tile_reduction_options options;
  onepass_tile_reduction_options_init(&options, sizeof options);
  options.size = kSize;
  options.slices = kSlices;
  options.source = options.target = ONEPASS_FORMAT_R32G32B32A32_SFLOAT;
  options.reduction = ONEPASS_REDUCTION_MAX;
  options.factor = 8;
  const onepass_extent coarse = {6, 4};
  std::vector<float> made(6 * 4 * 4 * kSlices, -1.0F);
  std::vector<float> expected(made.size(), -2.0F);

  onepass_cuda_tile_reduction* reduction = nullptr;
  ASSERT_EQ(onepass_cuda_tile_reduction_create(device_, &options, nullptr, &reduction, &error_), ONEPASS_OK)
      << error_.message;
  const onepass_cuda_image source = image(light_.data(), 16);
  const onepass_cuda_image target = image(made.data(), 16, coarse);
  onepass_cuda_tile_reduction_binding* binding = nullptr;
  expect_refused(onepass_cuda_tile_reduction_bind(reduction, nullptr, &target, &binding, &error_), "source: null");
  expect_refused(onepass_cuda_tile_reduction_bind(reduction, &source, nullptr, &binding, &error_), "target: null");
  expect_refused(onepass_cuda_tile_reduction_bind(nullptr, &source, &target, &binding, &error_), "reduction: null");
  ASSERT_EQ(onepass_cuda_tile_reduction_bind(reduction, &source, &target, &binding, &error_), ONEPASS_OK)
      << error_.message;
  ASSERT_EQ(onepass_cuda_tile_reduction_record(reduction, nullptr, binding, &error_), ONEPASS_OK) << error_.message;

  onepass_cpu_tile_reduction* cpu = nullptr;
  ASSERT_EQ(onepass_cpu_tile_reduction_create(&options, nullptr, &cpu, &error_), ONEPASS_OK) << error_.message;
  const onepass_image_view from = view();
  const onepass_mutable_image_view to = target_view(expected.data(), options.target, coarse);
  EXPECT_EQ(onepass_cpu_tile_reduction_reduce(cpu, &from, &to, &error_), ONEPASS_OK) << error_.message;
  onepass_cpu_tile_reduction_destroy(cpu);
  EXPECT_EQ(std::memcmp(made.data(), expected.data(), made.size() * 4), 0);

  onepass_cuda_tile_reduction* other = nullptr;
  ASSERT_EQ(onepass_cuda_tile_reduction_create(device_, &options, nullptr, &other, &error_), ONEPASS_OK);
  expect_refused(onepass_cuda_tile_reduction_record(other, nullptr, binding, &error_),
                 "binding: belongs to another reduction");
  onepass_cuda_tile_reduction_destroy(other);
  onepass_cuda_tile_reduction_binding_destroy(binding);
  onepass_cuda_tile_reduction_destroy(reduction);

  onepass_cuda_image_memory memory;
  onepass_cuda_image_memory_init(&memory, sizeof memory);
  EXPECT_EQ(memory.source_channels, ONEPASS_CUDA_CHANNELS_INTERLEAVED);
  memory.source_channels = 5;
  expect_refused(onepass_cuda_tile_reduction_create(device_, &options, &memory, &reduction, &error_),
                 "memory.source_channels: 5 is unknown");
  memory.struct_size = 3;
  EXPECT_EQ(onepass_cuda_tile_reduction_create(device_, &options, &memory, &reduction, &error_),
            ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(std::strncmp(error_.message, "memory.struct_size: 3", 21), 0) << error_.message;
}

TEST_F(CApiCudaLight, PlanesOfAReductionAreChannels) {
  onepass_tile_reduction_options options;
  onepass_tile_reduction_options_init(&options, sizeof options);
  options.size = {4, 2};
  options.source = options.target = ONEPASS_FORMAT_R32G32_SFLOAT;
  options.factor = 2;
  onepass_cuda_image_memory memory;
  onepass_cuda_image_memory_init(&memory, sizeof memory);
  memory.target_channels = ONEPASS_CUDA_CHANNELS_PLANAR;
  onepass_cuda_tile_reduction* reduction = nullptr;
  ASSERT_EQ(onepass_cuda_tile_reduction_create(device_, &options, &memory, &reduction, &error_), ONEPASS_OK)
      << error_.message;
  float from[16];  // texel i has the channels 2i and 2i + 1
  for (int i = 0; i < 16; ++i) from[i] = static_cast<float>(i);
  float to[4] = {};
  const onepass_cuda_image source = image(from, 8, {4, 2});
  const onepass_cuda_image target = {.data = to, .row_stride = 8, .slice_stride = 0, .channel_stride = 8};
  onepass_cuda_tile_reduction_binding* binding = nullptr;
  ASSERT_EQ(onepass_cuda_tile_reduction_bind(reduction, &source, &target, &binding, &error_), ONEPASS_OK)
      << error_.message;
  ASSERT_EQ(onepass_cuda_tile_reduction_record(reduction, nullptr, binding, &error_), ONEPASS_OK) << error_.message;
  const float expected[4] = {0, 4, 1, 5};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(to[i], expected[i]) << i;
  onepass_cuda_tile_reduction_binding_destroy(binding);
  onepass_cuda_tile_reduction_destroy(reduction);
}

/// Measures, then maps with the exposures that stay in device memory.
TEST_F(CApiCudaLight, MetersAndToneMapsAreThoseOfTheCpuEngine) {
  const onepass_meter_options measures = meter_options();
  onepass_cuda_meter* meter = nullptr;
  ASSERT_EQ(onepass_cuda_meter_create(device_, &measures, nullptr, &meter, &error_), ONEPASS_OK) << error_.message;
  const uint64_t scratch_bytes = onepass_cuda_meter_scratch_bytes(meter);
  EXPECT_GT(scratch_bytes, 0U);
  EXPECT_EQ(onepass_cuda_meter_scratch_bytes(nullptr), 0U);
  // Memory of the caller's with any content, which a reset clears.
  std::vector<std::byte> scratch(scratch_bytes + 255, std::byte{0xAB});
  alignas(16) onepass_meter_result results[kSlices];
  std::memset(static_cast<void*>(results), 0xAB, sizeof results);
  onepass_cuda_meter_images images;
  onepass_cuda_meter_images_init(&images, sizeof images);
  images.source = image(light_.data(), 16);
  images.results = results;
  images.scratch = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 255) / 256 * 256);
  onepass_cuda_meter_binding* metering = nullptr;
  ASSERT_EQ(onepass_cuda_meter_bind(meter, &images, &metering, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(onepass_cuda_meter_results(metering), results);
  EXPECT_EQ(onepass_cuda_meter_results(nullptr), nullptr);
  ASSERT_EQ(onepass_cuda_meter_record_reset(meter, nullptr, metering, &error_), ONEPASS_OK) << error_.message;
  ASSERT_EQ(onepass_cuda_meter_record(meter, nullptr, metering, nullptr, &error_), ONEPASS_OK) << error_.message;

  onepass_meter_result expected[kSlices] = {};
  onepass_cpu_meter* cpu_meter = nullptr;
  ASSERT_EQ(onepass_cpu_meter_create(&measures, nullptr, &cpu_meter, &error_), ONEPASS_OK) << error_.message;
  const onepass_image_view from = view();
  EXPECT_EQ(onepass_cpu_meter_measure(cpu_meter, &from, expected, kSlices, nullptr, nullptr, &error_), ONEPASS_OK);
  onepass_cpu_meter_destroy(cpu_meter);
  for (uint32_t s = 0; s < kSlices; ++s) {
    EXPECT_EQ(results[s].valid, 1U);
    EXPECT_EQ(results[s].finite_count, expected[s].finite_count);
    EXPECT_NEAR(results[s].exposure, expected[s].exposure, 1e-4F * expected[s].exposure);
    EXPECT_EQ(results[s].max_luminance, expected[s].max_luminance);
  }

  // The history adapts: after half a second of a scene that is darker by four stops, the exposure lies between.
  for (float& value : light_) value *= 0.0625F;
  const onepass_meter_frame later = {.seconds = 0.5F, .cut = 0};
  ASSERT_EQ(onepass_cuda_meter_record_reset_scratch(meter, nullptr, metering, &error_), ONEPASS_OK) << error_.message;
  ASSERT_EQ(onepass_cuda_meter_record(meter, nullptr, metering, &later, &error_), ONEPASS_OK) << error_.message;
  EXPECT_GT(results[0].exposure, 1.1F * expected[0].exposure);
  EXPECT_LT(results[0].exposure, 8.0F * expected[0].exposure);
  const onepass_meter_frame never = {.seconds = -1.0F, .cut = 0};
  EXPECT_EQ(onepass_cuda_meter_record(meter, nullptr, metering, &never, &error_), ONEPASS_INVALID_ARGUMENT);

  const onepass_tone_map_options tones = tone_options();
  onepass_cuda_tone_map* map = nullptr;
  ASSERT_EQ(onepass_cuda_tone_map_create(device_, &tones, nullptr, &map, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(onepass_cuda_tone_map_scratch_bytes(map), 0U);
  std::vector<uint8_t> made(kTexels * kSlices * 4, 7);
  onepass_cuda_tone_map_images pictures;
  onepass_cuda_tone_map_images_init(&pictures, sizeof pictures);
  pictures.source = image(light_.data(), 16);
  pictures.target = image(made.data(), 4);
  pictures.exposure = &results->exposure;
  pictures.exposure_stride = sizeof(onepass_meter_result);
  onepass_cuda_tone_map_binding* mapping = nullptr;
  ASSERT_EQ(onepass_cuda_tone_map_bind(map, &pictures, &mapping, &error_), ONEPASS_OK) << error_.message;
  ASSERT_EQ(onepass_cuda_tone_map_record_reset(map, nullptr, mapping, &error_), ONEPASS_OK) << error_.message;
  ASSERT_EQ(onepass_cuda_tone_map_record(map, nullptr, mapping, 2.0F, &error_), ONEPASS_OK) << error_.message;

  onepass_cpu_tone_map* cpu_map = nullptr;
  ASSERT_EQ(onepass_cpu_tone_map_create(&tones, nullptr, &cpu_map, &error_), ONEPASS_OK) << error_.message;
  std::vector<uint8_t> shown(made.size());
  for (uint32_t s = 0; s < kSlices; ++s) {  // each slice has its own exposure
    const onepass_mutable_image_view to = target_view(shown.data(), tones.target, kSize);
    ASSERT_EQ(onepass_cpu_tone_map_apply(cpu_map, &from, &to, 2.0F * results[s].exposure, &error_), ONEPASS_OK);
    for (size_t i = s * kTexels * 4; i < (s + 1) * kTexels * 4; ++i) {
      ASSERT_LE(std::abs(made[i] - shown[i]), 1) << "byte " << i;
    }
  }
  onepass_cpu_tone_map_destroy(cpu_map);

  onepass_cuda_tone_map* other = nullptr;
  ASSERT_EQ(onepass_cuda_tone_map_create(device_, &tones, nullptr, &other, &error_), ONEPASS_OK);
  expect_refused(onepass_cuda_tone_map_record(other, nullptr, mapping, 1.0F, &error_),
                 "binding: belongs to another map");
  onepass_cuda_tone_map_destroy(other);
  onepass_cuda_tone_map_binding_destroy(mapping);
  onepass_cuda_tone_map_destroy(map);
  onepass_cuda_meter_binding_destroy(metering);
  onepass_cuda_meter_destroy(meter);
}

TEST_F(CApiCudaLight, MasksAndLocalExposureTakeMemory) {
  onepass_meter_options measures = meter_options();
  measures.metering = ONEPASS_METERING_MASK;
  measures.mask = ONEPASS_FORMAT_R8_UNORM;
  onepass_cuda_meter_memory memory;
  onepass_cuda_meter_memory_init(&memory, sizeof memory);
  memory.mask_channels = 2;
  onepass_cuda_meter* meter = nullptr;
  expect_refused(onepass_cuda_meter_create(device_, &measures, &memory, &meter, &error_),
                 "memory.mask_channels: 2 is unknown");
  memory.mask_channels = ONEPASS_CUDA_CHANNELS_INTERLEAVED;
  ASSERT_EQ(onepass_cuda_meter_create(device_, &measures, &memory, &meter, &error_), ONEPASS_OK) << error_.message;
  // The left column alone counts, and it is dark.
  std::vector<uint8_t> mask(kTexels, 0);
  for (size_t y = 0; y < kSize.height; ++y) {
    mask[y * kSize.width] = 255;
    for (size_t c = 0; c < 4; ++c) light_[y * kSize.width * 4 + c] = 0.25F;
  }
  onepass_cuda_meter_images images;
  onepass_cuda_meter_images_init(&images, sizeof images);
  images.source = image(light_.data(), 16);
  images.mask = image(mask.data(), 1);
  onepass_cuda_meter_binding* metering = nullptr;
  ASSERT_EQ(onepass_cuda_meter_bind(meter, &images, &metering, &error_), ONEPASS_OK) << error_.message;
  ASSERT_EQ(onepass_cuda_meter_record(meter, nullptr, metering, nullptr, &error_), ONEPASS_OK) << error_.message;
  const auto* measured = static_cast<const onepass_meter_result*>(onepass_cuda_meter_results(metering));
  EXPECT_EQ(measured->finite_count, kSize.height);
  EXPECT_NEAR(measured->mean_luminance, 0.25F, 1e-6F);
  onepass_cuda_meter_binding_destroy(metering);
  images.mask.data = nullptr;
  expect_refused(onepass_cuda_meter_bind(meter, &images, &metering, &error_), "mask.data: null");
  images.struct_size = 8;
  EXPECT_EQ(onepass_cuda_meter_bind(meter, &images, &metering, &error_), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(std::strncmp(error_.message, "images.struct_size: 8", 21), 0) << error_.message;
  onepass_cuda_meter_destroy(meter);

  onepass_tone_map_options tones = tone_options();
  tones.local_highlights = 0.5F;
  onepass_cuda_tone_map* map = nullptr;
  ASSERT_EQ(onepass_cuda_tone_map_create(device_, &tones, nullptr, &map, &error_), ONEPASS_OK) << error_.message;
  EXPECT_GT(onepass_cuda_tone_map_scratch_bytes(map), 0U);
  std::vector<uint8_t> made(kTexels * kSlices * 4, 7);
  onepass_cuda_tone_map_images pictures;
  onepass_cuda_tone_map_images_init(&pictures, sizeof pictures);
  pictures.source = image(light_.data(), 16);
  pictures.target = image(made.data(), 4);
  onepass_cuda_tone_map_binding* mapping = nullptr;
  ASSERT_EQ(onepass_cuda_tone_map_bind(map, &pictures, &mapping, &error_), ONEPASS_OK) << error_.message;
  ASSERT_EQ(onepass_cuda_tone_map_record(map, nullptr, mapping, 1.0F, &error_), ONEPASS_OK) << error_.message;
  std::vector<uint8_t> shown(made.size());
  onepass_cpu_tone_map* cpu_map = nullptr;
  ASSERT_EQ(onepass_cpu_tone_map_create(&tones, nullptr, &cpu_map, &error_), ONEPASS_OK) << error_.message;
  const onepass_image_view from = view();
  const onepass_mutable_image_view to = target_view(shown.data(), tones.target, kSize);
  EXPECT_EQ(onepass_cpu_tone_map_apply(cpu_map, &from, &to, 1.0F, &error_), ONEPASS_OK);
  onepass_cpu_tone_map_destroy(cpu_map);
  for (size_t i = 0; i < made.size(); ++i) ASSERT_LE(std::abs(made[i] - shown[i]), 1) << "byte " << i;
  onepass_cuda_tone_map_binding_destroy(mapping);
  pictures.source.row_stride = 8;
  EXPECT_EQ(onepass_cuda_tone_map_bind(map, &pictures, &mapping, &error_), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(std::strncmp(error_.message, "source.row_stride: 8", 20), 0) << error_.message;
  onepass_cuda_tone_map_destroy(map);
}

}  // namespace
}  // namespace onepass::testing
