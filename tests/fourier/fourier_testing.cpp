// fourier_testing.cpp: compares each direction by a relative L2 error. The inverse is measured against the energy of
// the whole domain, because a small result may be almost 0.
#include "tests/fourier/fourier_testing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace onepass::testing {
namespace {

template <typename T, size_t kCount>
T any_of(const T (&values)[kCount], Random& random) {
  return values[random.below(kCount)];
}

}  // namespace

double fourier_tolerance(const TransformOptions& options) {
  return options.precision == SpectrumPrecision::kHalf ? kFourierHalfError : kFourierFloatError;
}

TransformOptions fourier_kind(uint32_t kind, Extent size) {
  constexpr Format kFloats[] = {Format::kUndefined, Format::kR32Sfloat, Format::kRG32Sfloat, Format::kRGBA32Sfloat,
                                Format::kRGBA32Sfloat};
  if (kind < 4) return {.size = size, .channels = kind + 1, .source = kFloats[kind + 1]};
  const uint32_t channels = 2 * (kind - 3);
  return {.size = size, .channels = channels, .signal = Signal::kComplex, .source = kFloats[channels]};
}

TransformOptions random_transform(Random& random, uint32_t most) {
  TransformOptions o = fourier_kind(random.below(kFourierKinds), {1 + random.below(most), 1 + random.below(most)});
  o.slices = 1 + random.below(3);
  o.norm = any_of({Norm::kBackward, Norm::kOrtho, Norm::kForward, Norm::kNone}, random);
  o.order = any_of({SpectrumOrder::kRows, SpectrumOrder::kColumns}, random);
  o.origin = any_of({SpectrumOrigin::kCorner, SpectrumOrigin::kCentre}, random);
  o.boundary = any_of({Boundary::kZero, Boundary::kWrap, Boundary::kClamp, Boundary::kMirror}, random);
  if (random.below(3) == 0) {
    o.precision = SpectrumPrecision::kHalf;
    o.peak = any_of({2.0F, 3.5F}, random);
    if (o.norm == Norm::kNone) o.norm = Norm::kOrtho;
  }
  if (random.below(2) == 0) {
    const Extent crop = {1 + random.below(o.size.width), 1 + random.below(o.size.height)};
    o.crop = {random.below(5), random.below(5), crop.width, crop.height};
    const auto within = [&](uint32_t size) {
      return static_cast<int32_t>(random.below(2 * size + 1)) - static_cast<int32_t>(size);
    };
    o.placement = {within(o.size.width), within(o.size.height)};
  }
  if (random.below(2) == 0) {
    o.result.x = random.below(o.size.width);
    o.result.y = random.below(o.size.height);
    o.result.width = 1 + random.below(o.size.width - o.result.x);
    o.result.height = 1 + random.below(o.size.height - o.result.y);
  }
  return o;
}

PaddedImage transform_source(const TransformOptions& o, Random& random) {
  const Rect crop = o.crop == Rect{} ? Rect{0, 0, o.size.width, o.size.height} : o.crop;
  PaddedImage source(o.source, {crop.x + crop.width + random.below(3), crop.y + crop.height + random.below(3)},
                     o.slices, 16, 32);
  fill_random(source.view(), random);
  return source;
}

ComplexValues random_spectrum(const TransformOptions& options, Random& random) {
  const auto plan = plan_transform(options);
  EXPECT_TRUE(plan);
  const size_t bytes = options.precision == SpectrumPrecision::kHalf ? 4 : 8;
  ComplexValues pairs(plan->spectrum_bytes / bytes);
  for (auto& pair : pairs) pair = {random.between(-1, 1), random.between(-1, 1)};
  return read_pairs(options, write_pairs(options, pairs));
}

double result_error(const TransformOptions& options, const std::vector<double>& actual, const ComplexValues& spectrum) {
  const std::vector<double> expected = oracle_image(options, spectrum);
  TransformOptions whole = options;
  whole.result = {};
  const std::vector<double> domain = oracle_image(whole, spectrum);
  if (actual.size() != expected.size()) return HUGE_VAL;
  double error = 0;
  double energy = 0;
  for (size_t i = 0; i < expected.size(); ++i) error += (actual[i] - expected[i]) * (actual[i] - expected[i]);
  for (const double value : domain) energy += value * value;
  if (error == 0) return 0;
  return std::sqrt(error / static_cast<double>(expected.size()) * static_cast<double>(domain.size()) / energy);
}

::testing::AssertionResult forward_matches(const FourierEngine& engine, const TransformOptions& options, Random& random,
                                           Oracle oracle) {
  const PaddedImage source = transform_source(options, random);
  const ComplexValues actual = read_pairs(options, engine.forward(options, source.view()));
  const double error = relative_error(actual, oracle_spectrum(options, source.view(), oracle == Oracle::kDefinition));
  if (error < fourier_tolerance(options)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "forward " << describe(options) << ": " << error;
}

::testing::AssertionResult inverse_matches(const FourierEngine& engine, const TransformOptions& options,
                                           Random& random) {
  const ComplexValues spectrum = random_spectrum(options, random);
  const PaddedImage target = engine.inverse(options, write_pairs(options, spectrum));
  const double error = result_error(options, read_values(options, target.view()), spectrum);
  if (error < fourier_tolerance(options)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "inverse " << describe(options) << ": " << error;
}

::testing::AssertionResult both_match(const FourierEngine& engine, const TransformOptions& options, Random& random) {
  const auto there = forward_matches(engine, options, random);
  if (!there) return there;
  return inverse_matches(engine, options, random);
}

::testing::AssertionResult unseen_rows_leave_nothing(const FourierEngine& engine, Random& random) {
  struct Case {
    uint32_t height;
    int32_t placement;
    Boundary boundary;
    uint32_t begin, end;  // of the rows inside the domain
  };
  constexpr uint32_t kRows = 18;
  for (const auto& [height, placement, boundary, begin, end] :
       {Case{30, -24, Boundary::kClamp, 17, 18}, Case{30, 30, Boundary::kClamp, 0, 1},
        Case{20, -12, Boundary::kClamp, 12, 18}, Case{18, -9, Boundary::kMirror, 9, 18},
        Case{18, 9, Boundary::kMirror, 0, 9}}) {
    for (const float unseen : {1e20F, std::numeric_limits<float>::quiet_NaN()}) {
      const TransformOptions options = {.size = {11, height},
                                        .source = Format::kR32Sfloat,
                                        .crop = {3, 2, 5, kRows},
                                        .placement = {2, placement},
                                        .boundary = boundary};
      PaddedImage source = transform_source(options, random);
      for (uint32_t y = 0; y < kRows; ++y) {
        auto* row = reinterpret_cast<float*>(source.view().row(options.crop.y + y, 0));
        if (y < begin || y >= end) std::fill_n(row + options.crop.x, options.crop.width, unseen);
      }
      const ComplexValues actual = read_pairs(options, engine.forward(options, source.view()));
      const double error = relative_error(actual, oracle_spectrum(options, source.view(), true));
      if (!(error < kFourierFloatError)) {
        return ::testing::AssertionFailure() << describe(options) << " unseen " << unseen << ": " << error;
      }
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace onepass::testing
