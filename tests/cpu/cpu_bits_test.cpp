// cpu_bits_test.cpp: results of the CPU engine on fixed inputs have the bits listed here, on every SIMD target. The
// list is the same for all processors, compilers and operating systems: a run on one of them compares it with all the
// others. Results are correct by the tests of each technique; this program only compares.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iomanip>

#include "onepass/bloom.hpp"
#include "onepass/fourier_convolution.hpp"
#include "onepass/fourier_correlation.hpp"
#include "onepass/fourier_deconvolution.hpp"
#include "onepass/fourier_filter.hpp"
#include "onepass/fourier_match.hpp"
#include "onepass/frame_tone_map.hpp"
#include "onepass/pyramid_stream.hpp"
#include "onepass/tile_reduction.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/enumerators.hpp"

namespace onepass::testing {
namespace {

constexpr uint32_t kSeed = 1;

/// FNV-1a with 64 bits. Source: Fowler, Noll, Vo, Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
class Hash {
 public:
  void add(const void* data, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      value_ = (value_ ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001B3;
    }
  }
  void add(const ImageView& image) {
    for (uint32_t slice = 0; slice < image.slices; ++slice) {
      for (uint32_t y = 0; y < image.size.height; ++y) {
        add(image.row(y, slice), size_t{image.size.width} * format_info(image.format).bytes_per_texel);
      }
    }
  }
  void add(const Result<void>& done) { EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().text()); }
  [[nodiscard]] uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xCBF29CE484222325;
};

PaddedImage random_image(Format format, Extent size, uint32_t slices = 1) {
  PaddedImage image(format, size, slices);
  Random random(kSeed);
  fill_random(image.view(), random);
  return image;
}

/// Light between 0 and 8, with full range in the exponent.
PaddedImage random_light(Extent size) {
  PaddedImage image(Format::kRGBA32Sfloat, size);
  Random random(kSeed);
  for (uint32_t y = 0; y < size.height; ++y) {
    auto* row = reinterpret_cast<float*>(image.view().row(y));
    for (uint32_t i = 0; i < 4 * size.width; ++i) {
      const float unit = random.between(0, 1);
      row[i] = 8 * unit * unit * unit * unit;
    }
  }
  return image;
}

/// The value of a result that must not fail.
template <typename T>
T created(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

void pyramids(Hash& hash, Format format, Reduction reduction) {
  for (const Extent size : {Extent{128, 96}, Extent{127, 93}, Extent{1, 77}}) {
    for (const Footprint footprint : enumerators_without<Footprint::kCeil>()) {
      if (footprint == Footprint::kTight && reduction == Reduction::kMean) continue;
      const PyramidOptions options = {.size = size,
                                      .slices = 2,
                                      .source = format,
                                      .target = format,
                                      .reduction = reduction,
                                      .footprint = footprint};
      const PaddedImage source = random_image(format, size, 2);
      Levels levels(options);
      hash.add(created(cpu::Pyramid::create(options)).build(source.view(), levels.views));
      for (const MutableImageView& level : levels.views) hash.add(level);
    }
  }
}

void mip_filters(Hash& hash, MipFilter kind) {
  for (const Format format : {Format::kRGBA8Srgb, Format::kRG16Unorm, Format::kR32Sfloat}) {
    for (const MipFilterInput input : all_enumerators<MipFilterInput>()) {
      for (const Ringing ringing : all_enumerators<Ringing>()) {
        PyramidOptions options = {.size = {131, 94}, .source = format, .target = format};
        options.filter = {.kind = kind, .input = input, .boundary = Boundary::kMirror, .ringing = ringing};
        const bool has_alpha = format_info(format).channels == 4 && ringing == Ringing::kLimit;
        options.alpha = has_alpha ? Alpha::kWeighted : Alpha::kIndependent;
        const PaddedImage source = random_image(format, options.size);
        Levels levels(options);
        hash.add(created(cpu::Pyramid::create(options)).build(source.view(), levels.views));
        for (const MutableImageView& level : levels.views) hash.add(level);
      }
    }
  }
}

void alpha_and_normals(Hash& hash) {
  for (PyramidOptions options : {PyramidOptions{.alpha = Alpha::kWeighted}, PyramidOptions{.alpha = Alpha::kCoverage},
                                 PyramidOptions{.normal_map = NormalMap::kRenormalize}}) {
    options.size = {127, 96};
    options.source = options.target = Format::kRGBA8Unorm;
    const PaddedImage source = random_image(options.source, options.size);
    Levels levels(options);
    hash.add(created(cpu::Pyramid::create(options)).build(source.view(), levels.views));
    for (const MutableImageView& level : levels.views) hash.add(level);
  }
}

void tiles(Hash& hash) {
  for (const Format format : {Format::kRGBA8Srgb, Format::kR32Sfloat}) {
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMin, Reduction::kMax}) {
      const TileReductionOptions options = {
          .size = {131, 77}, .source = format, .target = format, .reduction = reduction, .factor = 16};
      const auto reduce = created(cpu::TileReduction::create(options));
      PaddedImage target(format, reduce.plan().size);
      hash.add(reduce.reduce(random_image(format, options.size).view(), target.view()));
      hash.add(target.view());
    }
  }
}

void transforms(Hash& hash, Signal signal, SpectrumPrecision precision) {
  // Lengths of small factors, of every radix, and primes.
  for (const Extent size : {Extent{64, 32}, Extent{60, 63}, Extent{97, 11}, Extent{257, 4}}) {
    const Format format = signal == Signal::kReal ? Format::kRGBA32Sfloat : Format::kRG32Sfloat;
    auto transform = created(cpu::Transform::create(
        {.size = size, .signal = signal, .source = format, .target = format, .precision = precision, .peak = 2}));
    std::vector<std::byte> spectrum(transform.plan().spectrum_bytes);
    hash.add(transform.forward(random_image(format, size).view(), spectrum));
    hash.add(spectrum.data(), spectrum.size());
    PaddedImage target(format, size);
    hash.add(transform.inverse(spectrum, target.view()));
    hash.add(target.view());
  }
}

void convolution(Hash& hash) {
  auto convolver = created(cpu::Convolver::create({.size = {70, 51},
                                                   .source = Format::kRGBA16Sfloat,
                                                   .kernel_size = {9, 6},
                                                   .kernel = Format::kR32Sfloat,
                                                   .boundary = Boundary::kMirror}));
  PaddedImage target(Format::kRGBA16Sfloat, convolver.plan().result_size);
  hash.add(convolver.set_kernel(random_image(Format::kR32Sfloat, {9, 6}).view()));
  hash.add(convolver.convolve(random_image(Format::kRGBA16Sfloat, {70, 51}).view(), target.view()));
  hash.add(target.view());
}

void filters(Hash& hash) {
  for (const FilterShape shape : {FilterShape::kIdeal, FilterShape::kButterworth, FilterShape::kGaussian}) {
    const Extent size = {70, 51};
    auto filter = created(cpu::Filter::create({.size = size, .source = Format::kRGBA32Sfloat, .shape = shape}));
    PaddedImage target(Format::kRGBA32Sfloat, size);
    hash.add(filter.apply(random_image(Format::kRGBA32Sfloat, size).view(), target.view()));
    hash.add(target.view());
  }
}

void correlation(Hash& hash) {
  const Extent size = {64, 45};
  for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
    auto correlator = created(cpu::Correlator::create({.size = size, .first = Format::kR32Sfloat, .kind = kind}));
    PaddedImage target(Format::kR32Sfloat, size);
    const PaddedImage source = random_image(Format::kR32Sfloat, size);
    hash.add(correlator.correlate(source.view(), source.view(), target.view()));
    hash.add(target.view());
  }
}

void template_match(Hash& hash) {
  const Extent size = {64, 45}, templates = {9, 12};
  for (const MatchScore score : {MatchScore::kProduct, MatchScore::kUnit, MatchScore::kCoefficient}) {
    auto matcher = created(cpu::TemplateMatcher::create(
        {.size = size, .image = Format::kR32Sfloat, .template_size = templates, .score = score}));
    hash.add(matcher.set_image(random_image(Format::kR32Sfloat, size).view()));
    hash.add(matcher.add(random_image(Format::kR32Sfloat, templates).view()));
    PaddedImage maximum(Format::kR32Sfloat, size), deviation(Format::kR32Sfloat, size);
    hash.add(matcher.write({.maximum = maximum.view(), .deviation = deviation.view()}));
    hash.add(maximum.view());
    hash.add(deviation.view());
  }
}

void deconvolution(Hash& hash) {
  const Extent size = {48, 37};
  for (const DeconvolutionMethod method : {DeconvolutionMethod::kWiener, DeconvolutionMethod::kRichardsonLucy}) {
    auto deconvolver = created(cpu::Deconvolver::create({.size = size,
                                                         .source = Format::kRGBA8Srgb,
                                                         .kernel_size = {5, 5},
                                                         .kernel = Format::kR8Unorm,
                                                         .method = method}));
    PaddedImage target(deconvolver.plan().options.target, size);
    hash.add(deconvolver.set_kernel(random_image(Format::kR8Unorm, {5, 5}).view()));
    hash.add(deconvolver.deconvolve(random_image(Format::kRGBA8Srgb, size).view(), target.view()));
    hash.add(target.view());
  }
}

void meter(Hash& hash) {
  for (const Metering metering : {Metering::kAverage, Metering::kCentreWeighted, Metering::kSpot}) {
    const Extent size = {133, 61};
    const auto meter =
        created(cpu::Meter::create({.size = size, .source = Format::kRGBA32Sfloat, .metering = metering}));
    MeterResult result;
    hash.add(meter.measure(random_light(size).view(), {&result, 1}));
    hash.add(&result, sizeof(result));
  }
}

void tone_map(Hash& hash, ToneOperator tone_operator) {
  const Extent size = {133, 17};
  for (const Transfer transfer : {Transfer::kSrgb, Transfer::kLinear, Transfer::kPq, Transfer::kHlg}) {
    const ToneMapOptions options = {.size = size,
                                    .source = Format::kRGBA32Sfloat,
                                    .target = Format::kRGBA16Unorm,
                                    .tone_operator = tone_operator,
                                    .transfer = transfer};
    PaddedImage target(options.target, size);
    hash.add(created(cpu::ToneMap::create(options)).apply(random_light(size).view(), target.view()));
    hash.add(target.view());
  }
}

void local_exposure(Hash& hash) {
  const Extent size = {133, 70};
  const ToneMapOptions options = {.size = size,
                                  .source = Format::kRGBA32Sfloat,
                                  .target = Format::kRGBA8Srgb,
                                  .dither = Dither::kOn,
                                  .local = {.highlights = 0.5F, .shadows = 0.7F, .detail = 1.2F}};
  PaddedImage target(options.target, size);
  hash.add(created(cpu::ToneMap::create(options)).apply(random_light(size).view(), target.view()));
  hash.add(target.view());
}

void frame(Hash& hash) {
  const Extent size = {133, 70};
  const FrameToneMapOptions options = {
      .meter = {.size = size, .source = Format::kRGBA32Sfloat},
      .tone = {.size = size, .source = Format::kRGBA32Sfloat, .target = Format::kRGBA8Srgb}};
  PaddedImage target(options.tone.target, size);
  MeterResult result;
  hash.add(created(cpu::FrameToneMap::create(options)).apply(random_light(size).view(), target.view(), {&result, 1}));
  hash.add(target.view());
  hash.add(&result, sizeof(result));
}

// Both methods, at both resolutions; the built-in kernel and an image.
void bloom(Hash& hash) {
  const Extent size = {91, 53};
  for (const BloomMethod method : {BloomMethod::kConvolution, BloomMethod::kMipChain}) {
    for (const BloomResolution resolution : {BloomResolution::kFull, BloomResolution::kHalf}) {
      const BloomOptions options = {.size = size,
                                    .source = Format::kRGBA32Sfloat,
                                    .method = method,
                                    .resolution = resolution,
                                    .threshold = 1,
                                    .knee = 0.5F};
      PaddedImage target(options.source, size);
      hash.add(created(cpu::Bloom::create(options)).apply(random_light(size).view(), target.view()));
      hash.add(target.view());
    }
  }
  auto tinted = created(cpu::Bloom::create({.size = size,
                                            .source = Format::kRGBA32Sfloat,
                                            .kernel_size = {9, 6},
                                            .kernel = Format::kRGBA8Unorm,
                                            .boundary = Boundary::kZero}));
  PaddedImage target(Format::kRGBA32Sfloat, size);
  hash.add(tinted.set_kernel(random_image(Format::kRGBA8Unorm, {9, 6}).view()));
  hash.add(tinted.apply(random_light(size).view(), target.view()));
  hash.add(target.view());
}

// The levels of a stream, one after the other.
void stream(Hash& hash, Format format) {
  for (const Extent size : {Extent{2100, 37}, Extent{127, 93}}) {
    for (const Footprint footprint : enumerators_without<Footprint::kTight>()) {
      const PyramidOptions options = {.size = size, .source = format, .target = format, .footprint = footprint};
      std::vector<std::vector<std::byte>> levels(full_level_count(footprint, size));
      const size_t texel = texel_info(format).bytes_per_texel;
      const auto sink = [&](const cpu::LevelRows& out) -> Result<void> {
        for (uint32_t y = 0; y < out.count; ++y) {
          const auto* row = static_cast<const std::byte*>(out.data) + y * out.row_stride;
          levels[out.level].insert(levels[out.level].end(), row, row + texel * out.width);
        }
        return {};
      };
      Random random(kSeed);
      std::vector<std::byte> rows(texel * size.width * size.height);
      for (std::byte& byte : rows) byte = static_cast<std::byte>(random.below(256));
      hash.add(created(cpu::PyramidStream::create(options, sink)).push(rows.data(), texel * size.width, size.height));
      for (const auto& level : levels) hash.add(level.data(), level.size());
    }
  }
}

void mode(Hash& hash) {
  for (const Format format : {Format::kR8Uint, Format::kR16Uint, Format::kR32Uint}) {
    for (const Footprint footprint : {Footprint::kAligned, Footprint::kCeil}) {
      const PyramidOptions options = {
          .size = {131, 94}, .source = format, .target = format, .reduction = Reduction::kMode, .footprint = footprint};
      const size_t texel = texel_info(format).bytes_per_texel;
      PaddedImage source(format, options.size, 1, texel);
      Random random(kSeed);
      for (uint32_t y = 0; y < options.size.height; ++y) {
        for (uint32_t x = 0; x < options.size.width; ++x) {
          const uint32_t label = random.below(3);
          std::memcpy(source.view().row(y) + x * texel, &label, texel);
        }
      }
      Levels levels(options);
      hash.add(created(cpu::Pyramid::create(options)).build(source.view(), levels.views));
      for (const MutableImageView& level : levels.views) {
        for (uint32_t y = 0; y < level.size.height; ++y) hash.add(level.row(y), texel * level.size.width);
      }
    }
  }
}

struct Case {
  std::string name;
  std::function<void(Hash&)> run;
  friend void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const FormatInfo& info : all_formats()) {
    if (info.depth) continue;
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
      cases.push_back({"pyramid_" + std::string(info.name) + (reduction == Reduction::kMean ? "_mean" : "_max"),
                       [=](Hash& hash) { pyramids(hash, info.format, reduction); }});
    }
  }
  cases.push_back({"pyramid_alpha_and_normals", alpha_and_normals});
  for (const MipFilter kind : enumerators_without<MipFilter::kBox>()) {
    cases.push_back({"mip_filter_" + std::string(word_of(kind)), [=](Hash& hash) { mip_filters(hash, kind); }});
  }
  cases.push_back({"tile_reduction", tiles});
  cases.push_back({"transform_real", [](Hash& hash) { transforms(hash, Signal::kReal, SpectrumPrecision::kFloat); }});
  cases.push_back(
      {"transform_complex", [](Hash& hash) { transforms(hash, Signal::kComplex, SpectrumPrecision::kFloat); }});
  cases.push_back({"transform_half", [](Hash& hash) { transforms(hash, Signal::kReal, SpectrumPrecision::kHalf); }});
  cases.push_back({"convolution", convolution});
  cases.push_back({"filter", filters});
  cases.push_back({"correlation", correlation});
  cases.push_back({"template_match", template_match});
  cases.push_back({"deconvolution", deconvolution});
  cases.push_back({"meter", meter});
  for (uint32_t i = 0; i < words<ToneOperator>().size(); ++i) {
    cases.push_back(
        {"tone_map_" + std::to_string(i), [=](Hash& hash) { tone_map(hash, static_cast<ToneOperator>(i)); }});
  }
  cases.push_back({"local_exposure", local_exposure});
  cases.push_back({"frame", frame});
  cases.push_back({"bloom", bloom});
  cases.push_back({"stream_r8g8b8_unorm", [](Hash& hash) { stream(hash, Format::kRGB8Unorm); }});
  cases.push_back({"stream_r16g16b16a16_unorm", [](Hash& hash) { stream(hash, Format::kRGBA16Unorm); }});
  cases.push_back({"mode", mode});
  return cases;
}

struct Expected {
  const char* name;
  uint64_t hash;
};
constexpr Expected kExpected[] = {
    {"pyramid_r8g8_srgb_mean", 0x49EE43BDDB07A1CA},      {"pyramid_r8g8_srgb_max", 0xB2B566693F2FC273},
    {"pyramid_b8g8r8a8_unorm_mean", 0xCAD5F02EA897E4DD}, {"pyramid_b8g8r8a8_unorm_max", 0x08E79BCDB6B90AD0},
    {"pyramid_b8g8r8a8_srgb_mean", 0x2DD9718F3A45105C},  {"pyramid_b8g8r8a8_srgb_max", 0x08E79BCDB6B90AD0},
#include "tests/cpu/cpu_bits_expected.inc"
};

class CpuBits : public ::testing::TestWithParam<Case> {};

TEST_P(CpuBits, AreThoseOfEveryPlatform) {
  const SevenThreads allow;
  const std::string& name = GetParam().name;
  const auto* expected =
      std::find_if(std::begin(kExpected), std::end(kExpected), [&](const Expected& e) { return e.name == name; });
  const uint64_t wanted = expected != std::end(kExpected) ? expected->hash : 0;  // missing: the line is printed
  on_every_simd_target([&](const char* target) {
    Hash hash;
    GetParam().run(hash);
    EXPECT_EQ(hash.value(), wanted) << target << ": {\"" << name << "\", 0x" << std::hex << std::uppercase
                                    << std::setw(16) << std::setfill('0') << hash.value() << "},";
  });
}

INSTANTIATE_TEST_SUITE_P(All, CpuBits, ::testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace onepass::testing
