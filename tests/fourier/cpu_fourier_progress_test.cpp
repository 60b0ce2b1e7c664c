// cpu_fourier_progress_test.cpp: progress reports and cancellation of transforms, operations on spectra and blooms on
// the CPU engine. Oracle: the same calls without a callback.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "cpu/progress_watch.hpp"
#include "onepass/bloom.hpp"
#include "onepass/fourier.hpp"
#include "onepass/fourier_convolution.hpp"
#include "onepass/fourier_correlation.hpp"
#include "onepass/fourier_deconvolution.hpp"
#include "onepass/fourier_filter.hpp"
#include "onepass/fourier_match.hpp"
#include "onepass/onepass.h"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {
namespace {

constexpr Extent kSize{203, 101};
constexpr uint32_t kSlices = 3;
constexpr Format kFormat = Format::kR32Sfloat;

PaddedImage random_image(Extent size, uint32_t slices, uint32_t seed) {
  PaddedImage image(kFormat, size, slices);
  Random random(seed);
  for (uint32_t slice = 0; slice < slices; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      auto* row = reinterpret_cast<float*>(image.view().row(y, slice));
      for (uint32_t x = 0; x < size.width; ++x) row[x] = random.between(0.1F, 2.0F);
    }
  }
  return image;
}

/// One call with a tuning; its output as bytes.
struct Outcome {
  Result<void> done;
  std::vector<std::byte> bytes;
};
using Call = std::function<Outcome(const cpu::TransformTuning&)>;

Outcome with_bytes(const Result<void>& done, const PaddedImage& image) {
  return {done, {image.bytes().begin(), image.bytes().end()}};
}

// With one thread, each task reports.
void expect_reports(const Call& call) {
  const Outcome plain = call({.threads = 1});
  ASSERT_TRUE(plain.done) << plain.done.error().text();
  std::vector<double> fractions;
  const Outcome watched = call({.threads = 1, .progress = [&](double fraction) {
                                  fractions.push_back(fraction);
                                  return true;
                                }});
  ASSERT_TRUE(watched.done) << watched.done.error().text();
  EXPECT_EQ(watched.bytes, plain.bytes);
  ASSERT_GE(fractions.size(), 4U) << "tasks, and the end";
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_GT(fractions.front(), 0);
  EXPECT_LT(fractions.front(), 0.5);
  EXPECT_LT(fractions[fractions.size() - 3], 1 - 1e-9) << "the last task has a share";
  EXPECT_NEAR(fractions[fractions.size() - 2], 1, 1e-9) << "the shares of the tasks add up to the whole";
  EXPECT_EQ(fractions.back(), 1);
}

// Cancels at the first report, in the middle, and in the last tasks.
void expect_cancels(const Call& call) {
  const Outcome complete = call({.threads = 1});
  for (const double at : {0.0, 0.5, 0.99}) {
    for (const uint32_t threads : {1U, 3U}) {
      if (at > 0.9 && threads > 1) continue;  // a thread does not report while another one does
      SCOPED_TRACE(std::to_string(at) + ", threads " + std::to_string(threads));
      int later = 0;
      bool cancels = false;
      const Outcome cancelled = call({.threads = threads, .progress = [&](double fraction) {
                                        later += cancels ? 1 : 0;
                                        cancels = cancels || fraction >= at;
                                        return !cancels;
                                      }});
      ASSERT_FALSE(cancelled.done);
      EXPECT_EQ(cancelled.done.error().code, ErrorCode::kCancelled);
      EXPECT_EQ(later, 0);
      if (at == 0 && threads == 1) {  // nothing was written after the first task
        size_t equal = 0;
        for (size_t i = 0; i < complete.bytes.size(); ++i) equal += cancelled.bytes[i] == complete.bytes[i] ? 1 : 0;
        EXPECT_LT(equal, complete.bytes.size() / 2);
      }
    }
  }
}

void expect_both(const Call& call) {
  expect_reports(call);
  expect_cancels(call);
}

class CpuFourierProgress : public ::testing::Test {
 protected:
  CpuFourierProgress() { cpu::ProgressWatch::interval = std::chrono::milliseconds(0); }
  ~CpuFourierProgress() override { cpu::ProgressWatch::interval = before_; }

 private:
  std::chrono::milliseconds before_ = cpu::ProgressWatch::interval;
};

const TransformOptions kTransform{.size = kSize, .slices = kSlices, .source = kFormat, .target = kFormat};

TEST_F(CpuFourierProgress, Forward) {
  const PaddedImage source = random_image(kSize, kSlices, 1);
  expect_both([&](const cpu::TransformTuning& tuning) -> Outcome {
    auto transform = cpu::Transform::create(kTransform, tuning);
    if (!transform) return {transform.error(), {}};
    std::vector<std::byte> spectrum(transform->plan().spectrum_bytes);
    auto done = transform->forward(source.view(), spectrum);
    return {done, spectrum};
  });
}

TEST_F(CpuFourierProgress, InverseAndAgainAfterACancelledCall) {
  const PaddedImage source = random_image(kSize, kSlices, 2);
  auto forward = cpu::Transform::create(kTransform);
  ASSERT_TRUE(forward);
  std::vector<std::byte> spectrum(forward->plan().spectrum_bytes);
  ASSERT_TRUE(forward->forward(source.view(), spectrum));
  expect_both([&](const cpu::TransformTuning& tuning) -> Outcome {
    auto transform = cpu::Transform::create(kTransform, tuning);
    if (!transform) return {transform.error(), {}};
    PaddedImage target(kFormat, kSize, kSlices);
    auto done = transform->inverse(spectrum, target.view());
    return with_bytes(done, target);
  });
  bool goes_on = false;
  auto transform = cpu::Transform::create(kTransform, {.progress = [&](double) { return goes_on; }});
  PaddedImage again(kFormat, kSize, kSlices), expected(kFormat, kSize, kSlices);
  ASSERT_TRUE(transform);
  ASSERT_FALSE(transform->inverse(spectrum, again.view()));
  goes_on = true;
  ASSERT_TRUE(transform->inverse(spectrum, again.view()));
  ASSERT_TRUE(forward->inverse(spectrum, expected.view()));
  EXPECT_TRUE(std::ranges::equal(again.bytes(), expected.bytes()));
}

TEST_F(CpuFourierProgress, Convolution) {
  const PaddedImage source = random_image(kSize, kSlices, 3), kernel = random_image({9, 7}, 1, 4);
  expect_both([&](const cpu::TransformTuning& tuning) -> Outcome {
    auto convolver = cpu::Convolver::create(
        {.size = kSize, .slices = kSlices, .source = kFormat, .kernel_size = {9, 7}, .kernel = kFormat}, tuning);
    if (!convolver) return {convolver.error(), {}};
    PaddedImage target(kFormat, kSize, kSlices);
    Result<void> done = convolver->set_kernel(kernel.view());
    if (done) done = convolver->convolve(source.view(), target.view());
    return with_bytes(done, target);
  });
}

TEST_F(CpuFourierProgress, FilterOfBothDomains) {
  const PaddedImage source = random_image(kSize, kSlices, 5);
  for (const FilterDomain domain : {FilterDomain::kLinear, FilterDomain::kLogarithm}) {
    SCOPED_TRACE(static_cast<int>(domain));
    expect_both([&](const cpu::TransformTuning& tuning) -> Outcome {
      auto filter =
          cpu::Filter::create({.size = kSize, .slices = kSlices, .source = kFormat, .domain = domain}, tuning);
      if (!filter) return {filter.error(), {}};
      PaddedImage target(kFormat, kSize, kSlices);
      auto done = filter->apply(source.view(), target.view());
      return with_bytes(done, target);
    });
  }
}

TEST_F(CpuFourierProgress, Correlation) {
  const PaddedImage first = random_image(kSize, 1, 6), second = random_image(kSize, 1, 7);
  expect_both([&](const cpu::TransformTuning& tuning) -> Outcome {
    auto correlator = cpu::Correlator::create({.size = kSize, .first = kFormat}, tuning);
    if (!correlator) return {correlator.error(), {}};
    PaddedImage target(kFormat, kSize);
    auto done = correlator->correlate(first.view(), second.view(), target.view());
    return with_bytes(done, target);
  });
}

TEST_F(CpuFourierProgress, TemplateMatch) {
  const PaddedImage image = random_image(kSize, 1, 12), templates = random_image({17, 12}, 150, 13);
  const MatchOptions options{.size = kSize, .image = kFormat, .template_size = {17, 12}};
  ASSERT_LT(plan_match(options)->templates.slices, 75U) << "several groups";
  expect_both([&](const cpu::TransformTuning& tuning) -> Outcome {
    auto matcher = cpu::TemplateMatcher::create(options, tuning);
    if (!matcher) return {matcher.error(), {}};
    if (auto set = matcher->set_image(image.view()); !set) return {set, {}};
    PaddedImage target(kFormat, kSize);
    auto done = matcher->add(templates.view());
    if (matcher->count() > 0 && !matcher->write({.maximum = target.view()})) return {Result<void>(), {}};
    return with_bytes(done, target);
  });
}

Outcome deconvolve(const DeconvolutionOptions& options, const cpu::TransformTuning& tuning) {
  auto deconvolver = cpu::Deconvolver::create(options, tuning);
  if (!deconvolver) return {deconvolver.error(), {}};
  const PaddedImage source = random_image(options.size, options.slices, 8);
  const PaddedImage kernel = random_image(options.kernel_size, 1, 9);
  PaddedImage target(kFormat, options.size, options.slices);
  Result<void> done = deconvolver->set_kernel(kernel.view());
  if (done) done = deconvolver->deconvolve(source.view(), target.view());
  return with_bytes(done, target);
}

TEST_F(CpuFourierProgress, Wiener) {
  for (const DeconvolutionEdges edges : {DeconvolutionEdges::kWrap, DeconvolutionEdges::kTaper}) {
    SCOPED_TRACE(static_cast<int>(edges));
    const DeconvolutionOptions options{
        .size = kSize, .slices = kSlices, .source = kFormat, .kernel_size = {9, 7}, .kernel = kFormat, .edges = edges};
    expect_both([&](const cpu::TransformTuning& tuning) { return deconvolve(options, tuning); });
  }
}

TEST_F(CpuFourierProgress, RichardsonLucy) {
  for (const DeconvolutionEdges edges : {DeconvolutionEdges::kUnknown, DeconvolutionEdges::kWrap}) {
    SCOPED_TRACE(static_cast<int>(edges));
    const DeconvolutionOptions options{.size = {59, 51},
                                       .source = kFormat,
                                       .kernel_size = {9, 7},
                                       .kernel = kFormat,
                                       .method = DeconvolutionMethod::kRichardsonLucy,
                                       .edges = edges,
                                       .iterations = 7};
    expect_both([&](const cpu::TransformTuning& tuning) { return deconvolve(options, tuning); });
  }
}

TEST_F(CpuFourierProgress, Bloom) {
  const PaddedImage source = random_image(kSize, kSlices, 10);
  for (const BloomResolution resolution : {BloomResolution::kFull, BloomResolution::kHalf}) {
    SCOPED_TRACE(static_cast<int>(resolution));
    expect_both([&](const cpu::TransformTuning& tuning) -> Outcome {
      auto bloom =
          cpu::Bloom::create({.size = kSize, .slices = kSlices, .source = kFormat, .resolution = resolution}, tuning);
      if (!bloom) return {bloom.error(), {}};
      PaddedImage target(kFormat, kSize, kSlices);
      auto done = bloom->apply(source.view(), target.view());
      return with_bytes(done, target);
    });
  }
}

TEST_F(CpuFourierProgress, ReachesC) {
  const PaddedImage source = random_image({59, 51}, 1, 11), kernel = random_image({9, 7}, 1, 12);
  PaddedImage target(kFormat, {59, 51});
  onepass_deconvolution_options options;
  onepass_deconvolution_options_init(&options, sizeof options);
  options.size = {59, 51};
  options.source = options.kernel = ONEPASS_FORMAT_R32_SFLOAT;
  options.kernel_size = {9, 7};
  options.method = ONEPASS_DECONVOLUTION_METHOD_RICHARDSON_LUCY;
  options.iterations = 100;
  onepass_cpu_tuning tuning;
  onepass_cpu_tuning_init(&tuning, sizeof tuning);
  int reports = 0;
  tuning.progress_user = &reports;
  tuning.progress = [](void* user, double fraction) -> int32_t {
    EXPECT_TRUE(fraction > 0 && fraction < 1) << fraction;
    return ++*static_cast<int*>(user) < 2 ? 1 : 0;
  };
  onepass_error error;
  onepass_cpu_deconvolver* deconvolver = nullptr;
  ASSERT_EQ(onepass_cpu_deconvolver_create(&options, &tuning, &deconvolver, &error), ONEPASS_OK) << error.message;
  const auto c_view = [](const ImageView& view) {
    return onepass_image_view{view.data, ONEPASS_FORMAT_R32_SFLOAT, {view.size.width, view.size.height},
                              1,         view.row_stride,           0};
  };
  const onepass_image_view c_kernel = c_view(kernel.view()), c_source = c_view(source.view());
  const onepass_mutable_image_view c_target{
      target.view().data, ONEPASS_FORMAT_R32_SFLOAT, {59, 51}, 1, target.view().row_stride, 0};
  ASSERT_EQ(onepass_cpu_deconvolver_set_kernel(deconvolver, &c_kernel, &error), ONEPASS_OK) << error.message;
  EXPECT_EQ(onepass_cpu_deconvolver_deconvolve(deconvolver, &c_source, &c_target, &error), ONEPASS_CANCELLED);
  EXPECT_EQ(reports, 2);
  onepass_cpu_deconvolver_destroy(deconvolver);
}

}  // namespace
}  // namespace onepass::testing
