// c_api_options_test.cpp: every field of the C option structs reaches the C++ field of the same name.
#include <gtest/gtest.h>

#include <cstring>

#include "c_api/options.hpp"
#include "c_api/vulkan_abi.hpp"

namespace onepass::c_api {
namespace {

/// An option struct in which each 32-bit word has another bit pattern: 3, 5, 7... `zeros` are the offsets of words that
/// must stay 0.
template <typename Options>
Options counted(std::initializer_list<size_t> zeros = {}) {
  Options options;
  auto* bytes = reinterpret_cast<unsigned char*>(&options);
  uint32_t word = 3;
  for (size_t place = 0; place < sizeof(Options); place += 4, word += 2) std::memcpy(bytes + place, &word, 4);
  for (const size_t zero : zeros) std::memset(bytes + zero, 0, 4);
  options.struct_size = sizeof options;
  return options;
}

template <typename T>
uint32_t bits(const T& value) {
  static_assert(sizeof(T) == 4);
  uint32_t out = 0;
  std::memcpy(&out, &value, 4);
  return out;
}

void expect_same(uint32_t cpp, uint32_t c, const char* field) { EXPECT_EQ(cpp, c) << field; }

#define SAME(field) expect_same(bits(cpp->field), bits(c.field), #field)
#define SAME_EXTENT(field) SAME(field.width), SAME(field.height)
#define SAME_RECT(field) SAME(field.x), SAME(field.y), SAME(field.width), SAME(field.height)

TEST(CApiOptions, PyramidsAndTilesReachCpp) {
  {
    const auto c = counted<onepass_pyramid_options>();
    const auto cpp = read_options(&c);
    ASSERT_TRUE(cpp);
    SAME_EXTENT(size), SAME(slices), SAME(levels), SAME(source), SAME(target), SAME(reduction), SAME(footprint);
    SAME(alpha), SAME(alpha_threshold), SAME(normal_map), SAME(samples);
    expect_same(bits(cpp->filter.kind), bits(c.filter_kind), "filter.kind");
    expect_same(bits(cpp->filter.input), bits(c.filter_input), "filter.input");
    expect_same(bits(cpp->filter.boundary), bits(c.filter_boundary), "filter.boundary");
    expect_same(bits(cpp->filter.ringing), bits(c.filter_ringing), "filter.ringing");
    EXPECT_EQ(cpp->filter.kaiser_width, c.filter_kaiser_width);
    EXPECT_EQ(cpp->filter.kaiser_alpha, c.filter_kaiser_alpha);
  }
  const auto c = counted<onepass_tile_reduction_options>();
  const auto cpp = read_options(&c);
  ASSERT_TRUE(cpp);
  SAME_EXTENT(size), SAME(slices), SAME(source), SAME(target), SAME(reduction), SAME(factor), SAME(samples);
}

TEST(CApiOptions, TransformsAndOperationsReachCpp) {
  {
    const auto c = counted<onepass_transform_options>({offsetof(onepass_transform_options, reserved)});
    const auto cpp = read_options(&c);
    ASSERT_TRUE(cpp);
    SAME_EXTENT(size), SAME(slices), SAME(channels), SAME(signal), SAME(source), SAME(target), SAME_RECT(crop);
    SAME(placement.x), SAME(placement.y), SAME(boundary), SAME_RECT(result), SAME(norm), SAME(order), SAME(origin);
    SAME(precision), SAME(peak);
  }
  {
    const auto c = counted<onepass_convolution_options>();
    const auto cpp = read_options(&c);
    ASSERT_TRUE(cpp);
    SAME_EXTENT(size), SAME(slices), SAME(channels), SAME(source), SAME(target), SAME_EXTENT(kernel_size);
    SAME(kernel), SAME(boundary), SAME(mode), SAME(scale), SAME(kernel_channels), SAME(alpha), SAME(mix);
    ASSERT_TRUE(cpp->kernel_origin);
    EXPECT_EQ(cpp->kernel_origin->x, c.kernel_origin.x);
    EXPECT_EQ(cpp->kernel_origin->y, c.kernel_origin.y);
  }
  auto c = counted<onepass_filter_options>();
  const onepass_notch notches[] = {{1, 2, 3}, {4, 5, 6}};
  c.notches = notches;
  c.notch_count = 2;
  auto cpp = read_options(&c);
  ASSERT_TRUE(cpp);
  SAME_EXTENT(size), SAME(slices), SAME(channels), SAME(source), SAME(target), SAME(band), SAME(shape), SAME(cutoff);
  SAME(upper_cutoff), SAME(order), SAME(stop_gain), SAME(pass_gain), SAME(dc), SAME(domain), SAME(log_offset);
  SAME(alpha), SAME(boundary), SAME(margin), SAME(notch_count);
  EXPECT_EQ(cpp->notches[1].fy, 5);
  EXPECT_EQ(cpp->notches[1].radius, 6);
  c.notches = nullptr;
  EXPECT_EQ(read_options(&c).error().message, "notches: null");
  c.notches = notches;
  c.notch_count = 33;
  EXPECT_EQ(read_options(&c).error().message, "notch_count: 33 is more than 32");
}

TEST(CApiOptions, LightReachesCpp) {
  {
    const auto c = counted<onepass_meter_options>();
    const auto cpp = read_options(&c);
    ASSERT_TRUE(cpp);
    SAME_EXTENT(size), SAME(slices), SAME(source), SAME_RECT(rect), SAME(weights), SAME(delta), SAME(metering);
    SAME(centre_x), SAME(centre_y), SAME(radius), SAME(mask), SAME(histogram_low), SAME(histogram_high);
    for (size_t i = 0; i < 8; ++i) SAME(percentiles[i]);
    SAME(statistic), SAME(clip_low), SAME(clip_high), SAME(lowest_ev100), SAME(highest_ev100), SAME(rule), SAME(key);
    SAME(calibration), SAME(lens_attenuation), SAME(compensation);
    EXPECT_EQ(cpp->adaptation.up_stops_per_second, c.adaptation_up_stops_per_second);
    EXPECT_EQ(cpp->adaptation.down_stops_per_second, c.adaptation_down_stops_per_second);
    EXPECT_EQ(cpp->adaptation.ease_stops, c.adaptation_ease_stops);
  }
  const auto c = counted<onepass_tone_map_options>();
  const auto cpp = read_options(&c);
  ASSERT_TRUE(cpp);
  SAME_EXTENT(size), SAME(slices), SAME(source), SAME(target), SAME(tone_operator), SAME(exposure), SAME(white);
  EXPECT_EQ(cpp->drago.bias, c.drago_bias);
  EXPECT_EQ(cpp->drago.average, c.drago_average);
  EXPECT_EQ(cpp->drago.white, c.drago_white);
  SAME(look), SAME(transfer), SAME(gamma), SAME(peak_nits), SAME(primaries), SAME(dither);
  EXPECT_EQ(cpp->local.highlights, c.local_highlights);
  EXPECT_EQ(cpp->local.shadows, c.local_shadows);
  EXPECT_EQ(cpp->local.detail, c.local_detail);
  EXPECT_EQ(cpp->local.grey, c.local_grey);
  EXPECT_EQ(cpp->local.region, c.local_region);
  SAME(paper_white_nits), SAME(headroom);
}

TEST(CApiOptions, BloomReachesCpp) {
  const auto c = counted<onepass_bloom_options>();
  const auto cpp = read_options(&c);
  ASSERT_TRUE(cpp);
  SAME_EXTENT(size), SAME(slices), SAME(source), SAME(target), SAME(method), SAME(resolution), SAME(scatter);
  SAME(threshold), SAME(knee), SAME(kernel_width), SAME_EXTENT(kernel_size), SAME(kernel), SAME(boundary), SAME(spread);
  EXPECT_EQ(cpp->glare.field_of_view, c.glare_field_of_view);
  EXPECT_EQ(cpp->glare.rays, c.glare_rays);
}

TEST(CApiOptions, DefaultsOfBloom) {
  onepass_bloom_options c;
  onepass_bloom_options_init(&c, sizeof c);
  const auto cpp = read_options(&c);
  ASSERT_TRUE(cpp);
  const BloomOptions wanted;
  EXPECT_EQ(cpp->scatter, wanted.scatter);
  EXPECT_EQ(cpp->kernel_width, wanted.kernel_width);
  EXPECT_EQ(cpp->glare, wanted.glare);
  EXPECT_EQ(cpp->boundary, wanted.boundary);
  EXPECT_EQ(cpp->spread, wanted.spread);
  EXPECT_EQ(cpp->slices, wanted.slices);
}

TEST(CApiOptions, ReflectionsReachCpp) {
  auto c = counted<onepass_reflection_options>();
  const auto cpp = read_options(&c);
  ASSERT_TRUE(cpp);
  SAME_EXTENT(size), SAME(slices), SAME(color), SAME(depth), SAME(pyramid), SAME(normals), SAME(roughness);
  SAME(motion), SAME(environment), SAME(hit_distance), SAME(footprint), SAME(normal_encoding), SAME(roughness_channel);
  SAME(color_frame), SAME(motion_scale[0]), SAME(motion_scale[1]), SAME(rays), SAME(mirror_roughness);
  SAME(max_roughness), SAME(thickness), SAME(relative_thickness), SAME(border_fade), SAME(max_steps);
  SAME(history_frames), SAME(history_deviations), SAME(filter_passes), SAME(filter_radius), SAME(resolution);
  EXPECT_TRUE(cpp->reversed_depth);
  c.reversed_depth = 0;
  EXPECT_FALSE(read_options(&c)->reversed_depth);
}

TEST(CApiOptions, TuningAndImagesOfReflectionsReachCpp) {
  auto tuning = counted<onepass_vulkan_reflection_tuning>({offsetof(onepass_vulkan_reflection_tuning, reserved)});
  EXPECT_EQ(read_options(&tuning)->march_group, tuning.march_group);
  tuning.reserved = 1;
  EXPECT_FALSE(read_options(&tuning));
  EXPECT_EQ(read_options(static_cast<const onepass_vulkan_reflection_tuning*>(nullptr))->march_group, 0U);

  using C = onepass_vulkan_reflection_images;
  using Cpp = vulkan::ReflectionImages;
  const std::pair<onepass_vulkan_reflection_image C::*, vulkan::ReflectionImage Cpp::*> fields[] = {
      {&C::color, &Cpp::color},
      {&C::depth, &Cpp::depth},
      {&C::pyramid, &Cpp::pyramid},
      {&C::normals, &Cpp::normals},
      {&C::roughness, &Cpp::roughness},
      {&C::motion, &Cpp::motion},
      {&C::environment, &Cpp::environment},
      {&C::target, &Cpp::target},
      {&C::hit_distance, &Cpp::hit_distance}};
  auto images = counted<C>();
  for (const auto& [c, cpp] : fields) (images.*c).reserved = 0;
  const auto read = read_options(&images);
  ASSERT_TRUE(read);
  for (const auto& [c, cpp] : fields) {
    EXPECT_EQ((*read.*cpp).image, (images.*c).image);
    EXPECT_EQ((*read.*cpp).level, (images.*c).level);
    EXPECT_EQ((*read.*cpp).first_slice, (images.*c).first_slice);
    EXPECT_EQ((*read.*cpp).layout, (images.*c).layout);
    C changed = images;
    (changed.*c).reserved = 7;
    EXPECT_NE(read_options(&changed).error().message.find("reserved: 7 is not 0"), std::string::npos);
    changed = images;
    (changed.*c).layout = VK_IMAGE_LAYOUT_UNDEFINED;
    EXPECT_EQ((*read_options(&changed).*cpp).layout, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  }
  EXPECT_EQ(read->scratch, images.scratch);
  EXPECT_EQ(read->scratch_offset, images.scratch_offset);
}

TEST(CApiOptions, DefaultsOfReflections) {
  onepass_reflection_options c;
  onepass_reflection_options_init(&c, sizeof c);
  const ReflectionOptions wanted;
  const ReflectionOptions* cpp = &wanted;
  SAME_EXTENT(size), SAME(slices), SAME(color), SAME(depth), SAME(pyramid), SAME(normals), SAME(roughness);
  SAME(motion), SAME(environment), SAME(hit_distance), SAME(footprint), SAME(normal_encoding), SAME(roughness_channel);
  SAME(color_frame), SAME(motion_scale[0]), SAME(motion_scale[1]), SAME(rays), SAME(mirror_roughness);
  SAME(max_roughness), SAME(thickness), SAME(relative_thickness), SAME(border_fade), SAME(max_steps);
  SAME(history_frames), SAME(history_deviations), SAME(filter_passes), SAME(filter_radius), SAME(resolution);
  EXPECT_EQ(c.reversed_depth, wanted.reversed_depth ? 1U : 0U);
}

TEST(CApiOptions, CorrelationsAndDeconvolutionsReachCpp) {
  {
    const auto c = counted<onepass_correlation_options>();
    const auto cpp = read_options(&c);
    ASSERT_TRUE(cpp);
    SAME_EXTENT(size), SAME(first), SAME(second), SAME(kind), SAME(window), SAME(refinement), SAME(floor);
  }
  auto c = counted<onepass_deconvolution_options>();
  auto cpp = read_options(&c);
  ASSERT_TRUE(cpp);
  SAME_EXTENT(size), SAME(slices), SAME(channels), SAME(source), SAME(target), SAME_EXTENT(kernel_size), SAME(kernel);
  SAME(kernel_channels), SAME(alpha), SAME(method), SAME(edges), SAME(noise), SAME(prior), SAME(iterations);
  SAME(start);
  ASSERT_TRUE(cpp->kernel_origin);
  EXPECT_EQ(cpp->kernel_origin->x, c.kernel_origin.x);
  EXPECT_EQ(cpp->kernel_origin->y, c.kernel_origin.y);
  c.has_kernel_origin = 0;
  EXPECT_FALSE(read_options(&c)->kernel_origin);
}

// Defaults set by init equal the C++ defaults.
TEST(CApiOptions, DefaultsOfCorrelationsDeconvolutionsAndLocalExposure) {
  onepass_correlation_options shift;
  onepass_correlation_options_init(&shift, sizeof shift);
  const CorrelationOptions wanted_shift;
  const auto read_shift = read_options(&shift);
  ASSERT_TRUE(read_shift);
  EXPECT_EQ(read_shift->kind, wanted_shift.kind);
  EXPECT_EQ(read_shift->window, wanted_shift.window);
  EXPECT_EQ(read_shift->refinement, wanted_shift.refinement);
  EXPECT_EQ(read_shift->floor, wanted_shift.floor);
  onepass_deconvolution_options sharp;
  onepass_deconvolution_options_init(&sharp, sizeof sharp);
  const DeconvolutionOptions wanted;
  const auto read = read_options(&sharp);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->slices, wanted.slices);
  EXPECT_FALSE(read->kernel_origin);
  EXPECT_EQ(read->alpha, wanted.alpha);
  EXPECT_EQ(read->method, wanted.method);
  EXPECT_EQ(read->edges, wanted.edges);
  EXPECT_EQ(read->noise, wanted.noise);
  EXPECT_EQ(read->prior, wanted.prior);
  EXPECT_EQ(read->iterations, wanted.iterations);
  onepass_tone_map_options map;
  onepass_tone_map_options_init(&map, sizeof map);
  const auto local = read_options(&map)->local;
  EXPECT_FALSE(local.enabled());
  EXPECT_EQ(local.grey, LocalExposure{}.grey);
  EXPECT_EQ(local.region, LocalExposure{}.region);
}

TEST(CApiOptions, LongMessagesEndAtAWholeCharacter) {
  onepass_error error;
  // 503 bytes, then two characters of 2 bytes each: the first one fits, the second would be cut.
  const std::string text = std::string(503, 'x') + "\xC3\xA9\xC3\xA9";
  EXPECT_EQ(finish(&error, ONEPASS_IO, {}, text), ONEPASS_IO);
  EXPECT_EQ(std::string(error.message), std::string(503, 'x') + "\xC3\xA9");
  EXPECT_EQ(error.context_length, 0U);
  EXPECT_EQ(finish(&error, ONEPASS_IO, {}, std::string(504, 'x') + "\xC3\xA9"), ONEPASS_IO);
  EXPECT_EQ(std::string(error.message), std::string(504, 'x'));
  EXPECT_EQ(finish(&error, ONEPASS_IO, std::string(600, 'c'), "m"), ONEPASS_IO);
  EXPECT_EQ(std::string(error.message), std::string(505, 'c'));
  EXPECT_EQ(error.context_length, 505U);
}

TEST(CApiOptions, TheContextOfAMessageHasALength) {
  onepass_error error;
  error.context_length = 7;
  EXPECT_EQ(finish(&error, ONEPASS_IO, "a.png", "cannot be read"), ONEPASS_IO);
  EXPECT_STREQ(error.message, "a.png: cannot be read");
  EXPECT_EQ(error.context_length, 5U);
  EXPECT_EQ(finish(&error, ONEPASS_OK, {}, {}), ONEPASS_OK);
  EXPECT_EQ(error.context_length, 0U);
}

TEST(CApiOptions, ExceptionsBecomeCodes) {
  onepass_error error;
  EXPECT_EQ(guarded(&error, []() -> Result<void> { throw std::bad_alloc(); }), ONEPASS_OUT_OF_MEMORY);
  EXPECT_EQ(guarded(&error, []() -> Result<void> { throw std::length_error("too long"); }), ONEPASS_OUT_OF_MEMORY);
  EXPECT_STREQ(error.message, "too long");
  EXPECT_EQ(guarded(nullptr, []() -> Result<void> { throw 7; }), ONEPASS_OUT_OF_MEMORY);
  const std::pair<ErrorCode, onepass_code> codes[] = {{ErrorCode::kInvalidArgument, ONEPASS_INVALID_ARGUMENT},
                                                      {ErrorCode::kUnsupported, ONEPASS_UNSUPPORTED},
                                                      {ErrorCode::kNotFound, ONEPASS_NOT_FOUND},
                                                      {ErrorCode::kBadData, ONEPASS_BAD_DATA},
                                                      {ErrorCode::kIo, ONEPASS_IO},
                                                      {ErrorCode::kOutOfMemory, ONEPASS_OUT_OF_MEMORY},
                                                      {ErrorCode::kDevice, ONEPASS_DEVICE},
                                                      {ErrorCode::kDeviceLost, ONEPASS_DEVICE_LOST},
                                                      {ErrorCode::kCancelled, ONEPASS_CANCELLED}};
  for (const auto& [cpp, c] : codes) {
    EXPECT_EQ(guarded(&error, [cpp = cpp]() -> Result<void> { return Error{cpp, "m", "where"}; }), c);
    EXPECT_STREQ(error.message, "where: m");
  }
}

}  // namespace
}  // namespace onepass::c_api
