// c_api_operations_test.cpp: correlation, deconvolution, frames and local exposure by the C API on the CPU: bit-equal
// to the C++ classes; structs of older versions; an error for every invalid argument.
#include <array>
#include <limits>

#include "onepass/bloom.hpp"
#include "onepass/fourier_correlation.hpp"
#include "onepass/fourier_deconvolution.hpp"
#include "onepass/fourier_match.hpp"
#include "onepass/frame_tone_map.hpp"
#include "onepass/reflection.hpp"
#include "tests/c_api/c_api_client.h"
#include "tests/c_api/c_api_testing.hpp"

namespace onepass::testing {
namespace {

// ---- Results equal to C++, bit by bit

TEST_F(CApi, ShiftsAreThoseOfCpp) {
  const Extent size = random_size();
  auto first = random_image(Format::kRGBA8Srgb, size);
  auto second = random_image(Format::kR16Sfloat, size);
  const auto a = c_view(first), b = c_view(second);
  std::array<double, 2> confidence{};
  for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
    const CorrelationOptions options{.size = size,
                                     .first = Format::kRGBA8Srgb,
                                     .second = Format::kR16Sfloat,
                                     .kind = kind,
                                     .window = CorrelationWindow::kNone,
                                     .refinement = PeakRefinement::kParabola,
                                     .floor = 1e-4F};
    auto correlator = cpu::Correlator::create(options);
    ASSERT_TRUE(correlator) << correlator.error().text();
    const auto expected = correlator->estimate(first.view(), second.view());
    ASSERT_TRUE(expected) << expected.error().text();
    PaddedImage surface(Format::kR32Sfloat, size), actual(Format::kR32Sfloat, size);
    ASSERT_TRUE(correlator->correlate(first.view(), second.view(), surface.view()));
    onepass_shift shift{};
    const auto to = c_view(actual.view());
    ASSERT_EQ(client_shift(&a, &b, static_cast<uint32_t>(kind), &shift, &to, &error_), ONEPASS_OK) << error_.message;
    EXPECT_EQ(shift.x, expected->x);
    EXPECT_EQ(shift.y, expected->y);
    EXPECT_EQ(shift.confidence, expected->confidence);
    EXPECT_EQ(actual.bytes(), surface.bytes());
    confidence[static_cast<size_t>(kind)] = shift.confidence;
  }
  if (size.width > 8 && size.height > 8) {
    EXPECT_NE(confidence[0], confidence[1]) << "two kinds";
  }
}

TEST_F(CApi, MatchesHaveTheBitsOfCpp) {
  const Extent size{20 + random_.below(60), 20 + random_.below(60)},
      small{1 + random_.below(20), 1 + random_.below(20)};
  auto image = random_image(Format::kR16Unorm, size);
  auto templates = random_image(Format::kR32Sfloat, small, 7);
  const auto from = c_view(image), patterns = c_view(templates);
  for (const MatchScore score : {MatchScore::kProduct, MatchScore::kUnit, MatchScore::kCoefficient}) {
    const Offset origin{0, static_cast<int32_t>(small.height) - 1};
    const MatchOptions options{
        .size = size, .image = Format::kR16Unorm, .template_size = small, .score = score, .origin = origin};
    auto matcher = cpu::TemplateMatcher::create(options);
    ASSERT_TRUE(matcher) << matcher.error().text();
    ASSERT_TRUE(matcher->set_image(image.view()));
    ASSERT_TRUE(matcher->add(templates.view()));
    ASSERT_TRUE(matcher->add(templates.view()));
    PaddedImage maximum(Format::kR32Sfloat, size), mean(Format::kR32Sfloat, size), deviation(Format::kR32Sfloat, size);
    std::vector<uint32_t> index(size_t{size.width} * size.height), c_index(index.size(), 99);
    ASSERT_TRUE(matcher->write(
        {maximum.view(), {index.data(), Format::kR32Uint, size, 1, size.width * 4}, mean.view(), deviation.view()}));

    onepass_match_options o;
    onepass_match_options_init(&o, sizeof o);
    o.size = {size.width, size.height};
    o.template_size = {small.width, small.height};
    o.image = ONEPASS_FORMAT_R16_UNORM;
    o.score = static_cast<uint32_t>(score);
    o.has_origin = 1;
    o.origin = {origin.x, origin.y};
    onepass_match_plan plan{};
    plan.struct_size = sizeof plan;
    ASSERT_EQ(onepass_plan_match(&o, &plan, &error_), ONEPASS_OK) << error_.message;
    EXPECT_EQ(plan.bytes_read, matcher->plan().traffic.bytes_read);
    EXPECT_EQ(plan.bytes_written, matcher->plan().traffic.bytes_written);
    EXPECT_EQ(plan.memory_bytes, matcher->plan().memory_bytes);
    EXPECT_EQ(plan.together, matcher->plan().templates.slices);
    EXPECT_EQ(plan.domain.width, matcher->plan().image.size.width);
    onepass_cpu_template_matcher* handle = nullptr;
    ASSERT_EQ(onepass_cpu_template_matcher_create(&o, nullptr, &handle, &error_), ONEPASS_OK) << error_.message;
    ASSERT_EQ(onepass_cpu_template_matcher_set_image(handle, &from, &error_), ONEPASS_OK) << error_.message;
    ASSERT_EQ(onepass_cpu_template_matcher_add(handle, &patterns, &error_), ONEPASS_OK) << error_.message;
    EXPECT_EQ(onepass_cpu_template_matcher_count(handle), 7U);
    const auto make = [](void* user, uint32_t number, float* texels) -> int32_t {
      const ImageView all = static_cast<PaddedImage*>(user)->view();
      if (number == 14) return 0;
      for (uint32_t y = 0; y < all.size.height; ++y) {
        std::memcpy(texels + y * all.size.width, all.row(y, number % 7), all.size.width * sizeof(float));
      }
      return 1;
    };
    EXPECT_EQ(onepass_cpu_template_matcher_make(handle, 20, make, &templates, &error_), ONEPASS_CANCELLED);
    EXPECT_EQ(onepass_cpu_template_matcher_count(handle), 14U);
    PaddedImage c_maximum(Format::kR32Sfloat, size), c_mean(Format::kR32Sfloat, size);
    PaddedImage c_deviation(Format::kR32Sfloat, size);
    const auto best = c_view(c_maximum.view()), average = c_view(c_mean.view()), spread = c_view(c_deviation.view());
    const onepass_mutable_image_view which{
        c_index.data(), ONEPASS_FORMAT_R32_UINT, {size.width, size.height}, 1, size_t{size.width} * 4, 0};
    ASSERT_EQ(onepass_cpu_template_matcher_write(handle, &best, &which, nullptr, nullptr, &error_), ONEPASS_OK)
        << error_.message;
    ASSERT_EQ(onepass_cpu_template_matcher_write(handle, nullptr, nullptr, &average, &spread, &error_), ONEPASS_OK)
        << error_.message;
    EXPECT_EQ(c_maximum.bytes(), maximum.bytes());
    EXPECT_EQ(c_mean.bytes(), mean.bytes());
    EXPECT_EQ(c_deviation.bytes(), deviation.bytes());
    EXPECT_EQ(c_index, index);
    onepass_cpu_template_matcher_destroy(handle);
  }
}

TEST_F(CApi, DeconvolutionsHaveTheBitsOfCpp) {
  const Extent size{8 + random_.below(60), 8 + random_.below(60)};
  auto source = random_image(Format::kRGBA8Unorm, size);
  auto kernel = random_image(Format::kR8Unorm, {3, 4});
  const auto from = c_view(source), weights = c_view(kernel);
  for (const DeconvolutionMethod method : {DeconvolutionMethod::kWiener, DeconvolutionMethod::kRichardsonLucy}) {
    const bool wiener = method == DeconvolutionMethod::kWiener;
    const DeconvolutionOptions options{.size = size,
                                       .source = Format::kRGBA8Unorm,
                                       .target = Format::kRGBA16Sfloat,
                                       .kernel_size = {3, 4},
                                       .kernel = Format::kR8Unorm,
                                       .kernel_origin = Offset{1, 0},
                                       .method = method,
                                       .edges = wiener ? DeconvolutionEdges::kTaper : DeconvolutionEdges::kAuto,
                                       .noise = 0.05F,
                                       .prior = WienerPrior::kLaplacian,
                                       .iterations = 3,
                                       .start = DeconvolutionStart::kConstant};
    PaddedImage expected(options.target, size), actual(options.target, size);
    auto deconvolver = cpu::Deconvolver::create(options);
    ASSERT_TRUE(deconvolver) << deconvolver.error().text();
    ASSERT_TRUE(deconvolver->set_kernel(kernel.view()));
    ASSERT_TRUE(deconvolver->deconvolve(source.view(), expected.view()));
    const auto to = c_view(actual.view());
    ASSERT_EQ(client_deconvolve(&from, &weights, static_cast<uint32_t>(method), &to, &error_), ONEPASS_OK)
        << error_.message;
    EXPECT_EQ(actual.bytes(), expected.bytes());
  }
}

TEST_F(CApi, BloomHasTheBitsOfCpp) {
  const Extent size{8 + random_.below(60), 8 + random_.below(60)};
  auto source = random_image(Format::kRGBA16Sfloat, size, 2);
  PaddedImage kernel(Format::kR8Unorm, {3, 4});
  for (uint32_t y = 0; y < 4; ++y) std::memset(kernel.view().row(y), 60 + static_cast<int>(y), 3);
  const auto from = c_view(source), weights = c_view(kernel);
  for (const bool given : {false, true}) {
    for (const BloomMethod method : {BloomMethod::kConvolution, BloomMethod::kMipChain}) {
      if (given && method == BloomMethod::kMipChain) continue;
      BloomOptions options{.size = size,
                           .slices = 2,
                           .source = Format::kRGBA16Sfloat,
                           .target = Format::kRGBA32Sfloat,
                           .method = method,
                           .resolution = BloomResolution::kHalf,
                           .scatter = 0.5F,
                           .threshold = 0.25F,
                           .knee = 0.125F};
      if (given) options.kernel_size = {3, 4}, options.kernel = Format::kR8Unorm;
      PaddedImage expected(options.target, size, 2), actual(options.target, size, 2);
      auto bloom = cpu::Bloom::create(options);
      ASSERT_TRUE(bloom) << bloom.error().text();
      if (given) {
        ASSERT_TRUE(bloom->set_kernel(kernel.view()));
      }
      ASSERT_TRUE(bloom->apply(source.view(), expected.view()));
      const auto to = c_view(actual.view());
      ASSERT_EQ(client_bloom(&from, given ? &weights : nullptr, static_cast<uint32_t>(method), &to, &error_),
                ONEPASS_OK)
          << error_.message;
      EXPECT_EQ(actual.bytes(), expected.bytes());
    }
  }
}

TEST_F(CApi, FramesHaveTheBitsOfCpp) {
  const Extent size = random_size();
  const FrameToneMapOptions options{
      .meter = {.size = size, .slices = 2, .source = Format::kRGBA16Sfloat, .metering = Metering::kCentreWeighted},
      .tone = {.size = size,
               .slices = 2,
               .source = Format::kRGBA16Sfloat,
               .target = Format::kRGBA8Srgb,
               .tone_operator = ToneOperator::kAcesHill}};
  auto frames = cpu::FrameToneMap::create(options);
  ASSERT_TRUE(frames) << frames.error().text();
  std::array<MeterResult, 2> expected{};
  std::array<onepass_meter_result, 2> actual{};
  for (int i = 0; i < 3; ++i) {  // frame 1 is mapped with the exposure metered in frame 0
    auto source = random_image(Format::kRGBA16Sfloat, size, 2);
    PaddedImage picture(Format::kRGBA8Srgb, size, 2), made(Format::kRGBA8Srgb, size, 2);
    ASSERT_TRUE(frames->apply(source.view(), picture.view(), expected, {.seconds = 0.1F, .cut = i == 0}));
    const auto from = c_view(source);
    const auto to = c_view(made.view());
    const onepass_meter_frame frame{0.1F, i == 0 ? 1U : 0U};
    ASSERT_EQ(client_frame(&from, &to, actual.data(), 2, &frame, &error_), ONEPASS_OK) << error_.message;
    EXPECT_EQ(std::memcmp(actual.data(), expected.data(), sizeof actual), 0) << i;
    EXPECT_EQ(made.bytes(), picture.bytes()) << i;
  }
}

TEST_F(CApi, LocalExposureHasTheBitsOfCpp) {
  ToneMapOptions options{.size = {40 + random_.below(40), 40 + random_.below(40)},
                         .source = Format::kRGBA16Sfloat,
                         .target = Format::kRGBA16Sfloat};
  auto source = random_image(options.source, options.size);
  PaddedImage without(options.target, options.size), expected(options.target, options.size),
      actual(options.target, options.size);
  auto plain = cpu::ToneMap::create(options);
  ASSERT_TRUE(plain && plain->apply(source.view(), without.view()));
  options.local = {.highlights = 0.6F, .shadows = 0.7F, .detail = 1.25F, .grey = 0.2F, .region = 0.25F};
  auto map = cpu::ToneMap::create(options);
  ASSERT_TRUE(map && map->apply(source.view(), expected.view()));
  const auto from = c_view(source);
  const auto to = c_view(actual.view());
  ASSERT_EQ(client_local_tone_map(&from, &to, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(actual.bytes(), expected.bytes());
  EXPECT_NE(actual.bytes(), without.bytes());
}

TEST_F(CApi, PlansOfReflectionsAreThoseOfCpp) {
  for (const Extent size : {Extent{1, 1}, {1, 37}, {63, 33}, {1920, 1080}}) {
    onepass_reflection_options o;
    onepass_reflection_options_init(&o, sizeof o);
    o.size = {size.width, size.height};
    o.slices = 3;
    o.color = o.normals = o.roughness = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;
    o.depth = o.pyramid = ONEPASS_FORMAT_R32_SFLOAT;
    o.resolution = size.height % 2;
    o.filter_passes = size.width % 6;
    const auto expected = plan_reflection({.size = size,
                                           .slices = 3,
                                           .color = Format::kRGBA16Sfloat,
                                           .depth = Format::kR32Sfloat,
                                           .pyramid = Format::kR32Sfloat,
                                           .normals = Format::kRGBA16Sfloat,
                                           .roughness = Format::kRGBA16Sfloat,
                                           .resolution = static_cast<ReflectionResolution>(size.height % 2),
                                           .filter_passes = size.width % 6});
    ASSERT_TRUE(expected) << expected.error().text();
    onepass_reflection_plan plan{};
    plan.struct_size = sizeof plan;
    ASSERT_EQ(onepass_plan_reflection(&o, &plan, &error_), ONEPASS_OK) << error_.message;
    EXPECT_EQ(plan.scratch_bytes, expected->scratch_bytes);
    EXPECT_EQ(plan.traced.width, expected->traced.width);
    EXPECT_EQ(plan.traced.height, expected->traced.height);
    EXPECT_EQ(plan.tiles.width, expected->tiles.width);
    EXPECT_EQ(plan.tiles.height, expected->tiles.height);
    EXPECT_EQ(plan.levels, expected->levels);
    EXPECT_EQ(plan.dispatches, expected->dispatches);
    o.max_steps = 0;
    expect_failure(ONEPASS_INVALID_ARGUMENT, "max_steps: 0 is not within 1 and 4096",
                   [&](onepass_error* e) { return onepass_plan_reflection(&o, &plan, e); });
    EXPECT_EQ(plan.levels, expected->levels) << "written only on success";
    plan.struct_size = 0;
    expect_failure(ONEPASS_INVALID_ARGUMENT, "plan.struct_size: 0",
                   [&](onepass_error* e) { return onepass_plan_reflection(&o, &plan, e); });
    expect_failure(ONEPASS_INVALID_ARGUMENT, "plan: null",
                   [&](onepass_error* e) { return onepass_plan_reflection(&o, nullptr, e); });
    plan.struct_size = sizeof plan;
    expect_failure(ONEPASS_INVALID_ARGUMENT, "options: null",
                   [&](onepass_error* e) { return onepass_plan_reflection(nullptr, &plan, e); });
  }
}

// ---- Invalid arguments

TEST_F(CApi, CorrelatorsAndDeconvolversAnswerNullAndBadSizes) {
  expect_guarded_create<onepass_correlation_options, onepass_cpu_correlator>(onepass_correlation_options_init,
                                                                             onepass_cpu_correlator_create, "first");
  expect_guarded_create<onepass_deconvolution_options, onepass_cpu_deconvolver>(onepass_deconvolution_options_init,
                                                                                onepass_cpu_deconvolver_create);
  onepass_cpu_correlator_destroy(nullptr);
  onepass_cpu_deconvolver_destroy(nullptr);
  onepass_cpu_frame_tone_map_destroy(nullptr);
}

TEST_F(CApi, MatchersAnswerMistakes) {
  expect_guarded_create<onepass_match_options, onepass_cpu_template_matcher>(onepass_match_options_init,
                                                                             onepass_cpu_template_matcher_create);
  onepass_cpu_template_matcher_destroy(nullptr);
  EXPECT_EQ(onepass_cpu_template_matcher_count(nullptr), 0U);
  onepass_match_options o;
  onepass_match_options_init(&o, sizeof o);
  o.size = {16, 16};
  o.template_size = {3, 3};
  o.image = ONEPASS_FORMAT_R8_UNORM;
  using M = onepass_match_options;
  expect_checked_enums<M, onepass_cpu_template_matcher>(
      o, onepass_cpu_template_matcher_create, onepass_cpu_template_matcher_destroy,
      {offsetof(M, image), offsetof(M, templates), offsetof(M, score)});
  onepass_cpu_template_matcher* matcher = nullptr;
  ASSERT_EQ(onepass_cpu_template_matcher_create(&o, nullptr, &matcher, &error_), ONEPASS_OK) << error_.message;
  const auto invalid = [&](const char* words, const auto& call) {
    expect_failure(ONEPASS_INVALID_ARGUMENT, words, call);
  };
  auto image = random_image(Format::kR8Unorm, {16, 16});
  const auto from = c_view(image);
  const auto never = [](void*, uint32_t, float*) -> int32_t { return 0; };
  using E = onepass_error;
  invalid("matcher: null", [&](E* e) { return onepass_cpu_template_matcher_set_image(nullptr, &from, e); });
  invalid("image: null", [&](E* e) { return onepass_cpu_template_matcher_set_image(matcher, nullptr, e); });
  invalid("matcher: null", [&](E* e) { return onepass_cpu_template_matcher_add(nullptr, &from, e); });
  invalid("templates: null", [&](E* e) { return onepass_cpu_template_matcher_add(matcher, nullptr, e); });
  invalid("matcher: null", [&](E* e) { return onepass_cpu_template_matcher_make(nullptr, 1, never, nullptr, e); });
  invalid("make: null", [&](E* e) { return onepass_cpu_template_matcher_make(matcher, 1, nullptr, nullptr, e); });
  invalid("no image is set", [&](E* e) { return onepass_cpu_template_matcher_make(matcher, 1, never, nullptr, e); });
  invalid("matcher: null",
          [&](E* e) { return onepass_cpu_template_matcher_write(nullptr, nullptr, nullptr, nullptr, nullptr, e); });
  const onepass_mutable_image_view none{nullptr, ONEPASS_FORMAT_R32_SFLOAT, {16, 16}, 1, 64, 0};
  invalid("deviation: data is null",
          [&](E* e) { return onepass_cpu_template_matcher_write(matcher, nullptr, nullptr, nullptr, &none, e); });
  onepass_cpu_template_matcher_destroy(matcher);
}

TEST_F(CApi, BloomAnswersMistakes) {
  expect_guarded_create<onepass_bloom_options, onepass_cpu_bloom>(onepass_bloom_options_init, onepass_cpu_bloom_create);
  onepass_cpu_bloom_destroy(nullptr);
  onepass_bloom_options o;
  onepass_bloom_options_init(&o, sizeof o);
  o.size = {16, 16};
  o.kernel_size = {3, 3};
  o.source = o.kernel = ONEPASS_FORMAT_R8_UNORM;
  using B = onepass_bloom_options;
  expect_checked_enums<B, onepass_cpu_bloom>(o, onepass_cpu_bloom_create, onepass_cpu_bloom_destroy,
                                             {offsetof(B, source), offsetof(B, target), offsetof(B, kernel),
                                              offsetof(B, method), offsetof(B, resolution), offsetof(B, boundary)});
  onepass_bloom_plan plan{};
  expect_failure(ONEPASS_INVALID_ARGUMENT, "plan.struct_size: 0",
                 [&](onepass_error* e) { return onepass_plan_bloom(&o, &plan, e); });
  onepass_cpu_bloom* bloom = nullptr;
  o.scatter = 3;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "scatter: 3",
                 [&](onepass_error* e) { return onepass_cpu_bloom_create(&o, nullptr, &bloom, e); });
  o.scatter = 0.5F;
  ASSERT_EQ(onepass_cpu_bloom_create(&o, nullptr, &bloom, &error_), ONEPASS_OK) << error_.message;
  auto image = random_image(Format::kR8Unorm, {16, 16});
  const auto from = c_view(image);
  const auto to = c_view(image.view());
  expect_failure(ONEPASS_INVALID_ARGUMENT, "no kernel is set",
                 [&](onepass_error* e) { return onepass_cpu_bloom_apply(bloom, &from, &to, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "bloom: null",
                 [&](onepass_error* e) { return onepass_cpu_bloom_apply(nullptr, &from, &to, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "kernel: null",
                 [&](onepass_error* e) { return onepass_cpu_bloom_set_kernel(bloom, nullptr, e); });
  onepass_cpu_bloom_destroy(bloom);
}

TEST_F(CApi, EnumerationsOfCorrelationsAndDeconvolutionsAreChecked) {
  onepass_correlation_options c;
  onepass_correlation_options_init(&c, sizeof c);
  c.size = {16, 16};
  c.first = ONEPASS_FORMAT_R8_UNORM;
  using C = onepass_correlation_options;
  expect_checked_enums<C, onepass_cpu_correlator>(
      c, onepass_cpu_correlator_create, onepass_cpu_correlator_destroy,
      {offsetof(C, first), offsetof(C, second), offsetof(C, kind), offsetof(C, window), offsetof(C, refinement)});
  onepass_deconvolution_options d;
  onepass_deconvolution_options_init(&d, sizeof d);
  d.size = {16, 16};
  d.kernel_size = {3, 3};
  d.source = d.kernel = ONEPASS_FORMAT_R8_UNORM;
  using D = onepass_deconvolution_options;
  expect_checked_enums<D, onepass_cpu_deconvolver>(
      d, onepass_cpu_deconvolver_create, onepass_cpu_deconvolver_destroy,
      {offsetof(D, source), offsetof(D, target), offsetof(D, kernel), offsetof(D, kernel_channels), offsetof(D, alpha),
       offsetof(D, method), offsetof(D, edges), offsetof(D, prior), offsetof(D, start)});
}

TEST_F(CApi, CorrelatorsAndDeconvolversAnswerMistakes) {
  auto image = random_image(Format::kR32Sfloat, {16, 8});
  const auto from = c_view(image);
  const auto to = c_view(image.view());
  onepass_shift shift{};
  expect_failure(ONEPASS_INVALID_ARGUMENT, "shift: null",
                 [&](onepass_error* e) { return client_shift(&from, &from, 0, nullptr, nullptr, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "kind",
                 [&](onepass_error* e) { return client_shift(&from, &from, 2, &shift, nullptr, e); });
  reinterpret_cast<float*>(image.view().row(3))[5] = std::numeric_limits<float>::infinity();
  expect_failure(ONEPASS_BAD_DATA, "(5, 3)",
                 [&](onepass_error* e) { return client_shift(&from, &from, 0, &shift, nullptr, e); });
  EXPECT_EQ(shift.confidence, 0) << "written on success only";

  PaddedImage black(Format::kR8Unorm, {3, 3});
  std::memset(black.view().data, 0, black.bytes().size());
  const auto kernel = c_view(black);
  expect_failure(ONEPASS_BAD_DATA, "", [&](onepass_error* e) { return client_deconvolve(&from, &kernel, 0, &to, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "method",
                 [&](onepass_error* e) { return client_deconvolve(&from, &kernel, 2, &to, e); });
  onepass_deconvolution_options options;
  onepass_deconvolution_options_init(&options, sizeof options);
  options.size = {16, 8};
  options.kernel_size = {3, 3};
  options.source = ONEPASS_FORMAT_R32_SFLOAT;
  options.kernel = ONEPASS_FORMAT_R8_UNORM;
  options.noise = -1;
  onepass_cpu_deconvolver* deconvolver = nullptr;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "noise: -1",
                 [&](onepass_error* e) { return onepass_cpu_deconvolver_create(&options, nullptr, &deconvolver, e); });
  options.noise = 0;
  ASSERT_EQ(onepass_cpu_deconvolver_create(&options, nullptr, &deconvolver, &error_), ONEPASS_OK) << error_.message;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "kernel",
                 [&](onepass_error* e) { return onepass_cpu_deconvolver_deconvolve(deconvolver, &from, &to, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "kernel: null",
                 [&](onepass_error* e) { return onepass_cpu_deconvolver_set_kernel(deconvolver, nullptr, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: null",
                 [&](onepass_error* e) { return onepass_cpu_deconvolver_deconvolve(deconvolver, nullptr, &to, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "deconvolver: null",
                 [&](onepass_error* e) { return onepass_cpu_deconvolver_deconvolve(nullptr, &from, &to, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "deconvolver: null",
                 [&](onepass_error* e) { return onepass_cpu_deconvolver_set_kernel(nullptr, &kernel, e); });
  onepass_cpu_deconvolver_destroy(deconvolver);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "correlator: null",
                 [&](onepass_error* e) { return onepass_cpu_correlator_estimate(nullptr, &from, &from, &shift, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "correlator: null",
                 [&](onepass_error* e) { return onepass_cpu_correlator_correlate(nullptr, &from, &from, &to, e); });
}

TEST_F(CApi, FramesAnswerMistakes) {
  onepass_meter_options meter;
  onepass_tone_map_options tone;
  onepass_meter_options_init(&meter, sizeof meter);
  onepass_tone_map_options_init(&tone, sizeof tone);
  meter.size = tone.size = {8, 8};
  meter.source = tone.source = tone.target = ONEPASS_FORMAT_R8G8B8A8_UNORM;
  onepass_cpu_frame_tone_map* frames = nullptr;
  const auto create = [&](onepass_error* e) {
    return onepass_cpu_frame_tone_map_create(&meter, &tone, nullptr, &frames, e);
  };
  ASSERT_EQ(create(&error_), ONEPASS_OK) << error_.message;
  auto image = random_image(Format::kRGBA8Unorm, {8, 8});
  const auto from = c_view(image);
  const auto to = c_view(image.view());
  onepass_meter_result result{};
  EXPECT_EQ(onepass_cpu_frame_tone_map_apply(frames, &from, &to, &result, 1, nullptr, nullptr, &error_), ONEPASS_OK);
  EXPECT_EQ(result.valid, 1U);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "results: null", [&](onepass_error* e) {
    return onepass_cpu_frame_tone_map_apply(frames, &from, &to, nullptr, 1, nullptr, nullptr, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "results", [&](onepass_error* e) {
    return onepass_cpu_frame_tone_map_apply(frames, &from, &to, &result, 2, nullptr, nullptr, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: null", [&](onepass_error* e) {
    return onepass_cpu_frame_tone_map_apply(frames, nullptr, &to, &result, 1, nullptr, nullptr, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "target: null", [&](onepass_error* e) {
    return onepass_cpu_frame_tone_map_apply(frames, &from, nullptr, &result, 1, nullptr, nullptr, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "frames: null", [&](onepass_error* e) {
    return onepass_cpu_frame_tone_map_apply(nullptr, &from, &to, &result, 1, nullptr, nullptr, e);
  });
  onepass_cpu_frame_tone_map_destroy(frames);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "meter: null", [&](onepass_error* e) {
    return onepass_cpu_frame_tone_map_create(nullptr, &tone, nullptr, &frames, e);
  });
  EXPECT_EQ(frames, nullptr);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "tone: null", [&](onepass_error* e) {
    return onepass_cpu_frame_tone_map_create(&meter, nullptr, nullptr, &frames, e);
  });
  tone.local_shadows = 0.5F;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "tone.local", create);
  tone.local_shadows = 1;
  tone.size.width = 9;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "size: the meter's is 8x8, the tone map's 9x8", create);
  tone.struct_size = 12;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "tone.struct_size: 12", create);
  meter.struct_size = 0;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "meter.struct_size: 0", create);
}

}  // namespace
}  // namespace onepass::testing
