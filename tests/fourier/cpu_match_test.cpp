// cpu_match_test.cpp: statistics of the scores of many templates against direct sums in double; planted templates are
// found; ties, constants, errors, cancellation.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "cpu/progress_watch.hpp"
#include "onepass/fourier_match.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/fourier/fourier_ops_oracle.hpp"

namespace fourier_ops_test {
namespace {

using namespace onepass;

constexpr MatchScore kScores[] = {MatchScore::kProduct, MatchScore::kUnit, MatchScore::kCoefficient};

Extent extent_of(const Plane& plane) { return {static_cast<uint32_t>(plane.w), static_cast<uint32_t>(plane.h)}; }

MatchOptions options_of(const Plane& image, const Plane& pattern, MatchScore score) {
  return {.size = extent_of(image), .image = Format::kR32Sfloat, .template_size = extent_of(pattern), .score = score};
}

Plane minus(const Plane& plane, double value) {
  Plane out = plane;
  for (double& v : out.v) v -= value;
  return out;
}

double mean_of(const Plane& plane) {
  double sum = 0;
  for (const double v : plane.v) sum += v;
  return sum / static_cast<double>(plane.v.size());
}

double norm_of(const Plane& plane) {
  double sum = 0;
  for (const double v : plane.v) sum += v * v;
  return std::sqrt(sum);
}

// The texels under a template whose texel (ox, oy) lies on (x, y); 0 beyond the edges.
Plane under(const Plane& image, const Plane& pattern, int x, int y, int ox, int oy) {
  Plane out(pattern.w, pattern.h);
  for (int j = 0; j < pattern.h; ++j) {
    for (int i = 0; i < pattern.w; ++i) out.at(i, j) = image.beyond(x - ox + i, y - oy + j, Boundary::kZero);
  }
  return out;
}

double product(const Plane& a, const Plane& b) {
  double sum = 0;
  for (size_t i = 0; i < a.v.size(); ++i) sum += a.v[i] * b.v[i];
  return sum;
}

// The scores of one template, from the definition.
Plane scores_of(const Plane& given, const Plane& pattern, MatchScore score, int ox, int oy) {
  const bool centred = score != MatchScore::kProduct;
  const Plane image = centred ? minus(given, mean_of(given)) : given;
  Plane weights = centred ? minus(pattern, mean_of(pattern)) : pattern;
  const double norm = norm_of(weights);
  if (centred) {
    for (double& w : weights.v) w = norm > 1e-9 ? w / norm : 0;
  }
  Plane out(image.w, image.h);
  for (int y = 0; y < image.h; ++y) {
    for (int x = 0; x < image.w; ++x) {
      const Plane window = under(image, pattern, x, y, ox, oy);
      out.at(x, y) = product(window, weights);
      if (score != MatchScore::kCoefficient) continue;
      const double deviation = norm_of(minus(window, mean_of(window)));
      out.at(x, y) = deviation > 1e-9 ? out.at(x, y) / deviation : 0;
    }
  }
  return out;
}

struct Found {
  Plane maximum, mean, deviation;
  std::vector<uint32_t> index;
  std::vector<std::byte> bytes;  ///< Of all four.
};

Found statistics_of(const cpu::TemplateMatcher& matcher) {
  const Extent size = matcher.plan().options.size;
  auto maximum = Image::create(Format::kR32Sfloat, size), mean = Image::create(Format::kR32Sfloat, size);
  auto deviation = Image::create(Format::kR32Sfloat, size);
  Found found;
  found.index.resize(size_t{size.width} * size.height);
  const auto done = matcher.write({maximum->view(),
                                   {found.index.data(), Format::kR32Uint, size, 1, size.width * sizeof(uint32_t)},
                                   mean->view(),
                                   deviation->view()});
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  found.maximum = plane_of(*maximum, 0);
  found.mean = plane_of(*mean, 0);
  found.deviation = plane_of(*deviation, 0);
  for (const Image* image : {&*maximum, &*mean, &*deviation}) {
    found.bytes.insert(found.bytes.end(), image->data(), image->data() + image->size_in_bytes());
  }
  const auto* index = reinterpret_cast<const std::byte*>(found.index.data());
  found.bytes.insert(found.bytes.end(), index, index + found.index.size() * sizeof(uint32_t));
  return found;
}

cpu::TemplateMatcher matcher_of(const MatchOptions& options, const Plane& image,
                                const cpu::TransformTuning& tuning = {}) {
  auto matcher = cpu::TemplateMatcher::create(options, tuning);
  EXPECT_TRUE(matcher) << (matcher ? "" : matcher.error().text());
  const auto set = matcher->set_image(image_of({image}, options.image).view());
  EXPECT_TRUE(set) << (set ? "" : set.error().text());
  return std::move(*matcher);
}

Image slices_of(const std::vector<Plane>& templates) {
  return image_of(templates, Format::kR32Sfloat, static_cast<uint32_t>(templates.size()));
}

Found match(const MatchOptions& options, const Plane& image, const std::vector<Plane>& templates,
            const cpu::TransformTuning& tuning = {}) {
  auto matcher = matcher_of(options, image, tuning);
  const auto done = matcher.add(slices_of(templates).view());
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  EXPECT_EQ(matcher.count(), templates.size());
  return statistics_of(matcher);
}

// Compares statistics with those of the definition. The bound on scores is that of the header.
void expect_statistics(const MatchOptions& o, const Plane& image, const std::vector<Plane>& templates) {
  SCOPED_TRACE(::testing::Message() << image.w << "x" << image.h << ", template " << templates[0].w << "x"
                                    << templates[0].h << ", " << templates.size() << " of score "
                                    << static_cast<int>(o.score));
  const Found found = match(o, image, templates);
  const int ox = o.origin ? o.origin->x : templates[0].w / 2;
  const int oy = o.origin ? o.origin->y : templates[0].h / 2;
  std::vector<Plane> scores;
  double norm = 1;
  for (const Plane& pattern : templates) {
    scores.push_back(scores_of(image, pattern, o.score, ox, oy));
    if (o.score == MatchScore::kProduct) norm = std::max(norm, norm_of(pattern));
  }
  const Plane signal = o.score == MatchScore::kProduct ? image : minus(image, mean_of(image));
  const double power = norm_of(signal) / std::sqrt(static_cast<double>(signal.v.size()));
  double bound = 2e-6 * norm * power * std::sqrt(static_cast<double>(templates[0].v.size()));
  for (int y = 0; y < image.h; ++y) {
    for (int x = 0; x < image.w; ++x) {
      if (o.score == MatchScore::kCoefficient) {  // the score that is divided has the bound
        const Plane window = under(signal, templates[0], x, y, ox, oy);
        const double deviation = norm_of(minus(window, mean_of(window)));
        bound = 2e-7 + (deviation > 0 ? 2e-6 * power * std::sqrt(static_cast<double>(window.v.size())) / deviation : 0);
      }
      double largest = -std::numeric_limits<double>::infinity(), sum = 0, squares = 0;
      for (const Plane& score : scores) {
        largest = std::max(largest, score.at(x, y));
        sum += score.at(x, y);
      }
      const double mean = sum / static_cast<double>(scores.size());
      for (const Plane& score : scores) squares += (score.at(x, y) - mean) * (score.at(x, y) - mean);
      const double deviation = std::sqrt(squares / static_cast<double>(scores.size()));
      const uint32_t index = found.index[static_cast<size_t>(y * image.w + x)];
      ASSERT_NEAR(found.maximum.at(x, y), largest, bound) << x << "," << y;
      ASSERT_LT(index, scores.size());
      ASSERT_NEAR(scores[index].at(x, y), largest, 2 * bound) << x << "," << y;
      ASSERT_NEAR(found.mean.at(x, y), mean, bound) << x << "," << y;
      ASSERT_NEAR(found.deviation.at(x, y), deviation, bound) << x << "," << y;
    }
  }
}

std::vector<Plane> noises(size_t count, int w, int h, std::mt19937& random, double low = -1, double high = 2) {
  std::vector<Plane> templates;
  for (size_t i = 0; i < count; ++i) templates.push_back(noise(w, h, random, low, high));
  return templates;
}

TEST(TemplateMatch, MatchesTheDefinition) {
  std::mt19937 random(71);
  const int sizes[][4] = {{7, 5, 3, 3},    {1, 17, 1, 5},   {17, 1, 4, 1},   {9, 8, 9, 8},
                          {64, 48, 16, 8}, {33, 35, 32, 3}, {40, 19, 2, 19}, {1, 1, 1, 1},
                          {21, 30, 1, 1},  {50, 37, 37, 6}, {2, 2, 2, 1},    {31, 31, 30, 31}};
  for (const auto& s : sizes) {
    const Plane image = noise(s[0], s[1], random, -3, 1);
    const std::vector<Plane> templates = noises(5, s[2], s[3], random);
    for (const MatchScore score : kScores) {
      MatchOptions o = options_of(image, templates[0], score);
      expect_statistics(o, image, templates);
      o.origin = Offset{0, 0};
      expect_statistics(o, image, templates);
      o.origin = Offset{s[2] - 1, s[3] - 1};
      expect_statistics(o, image, {templates[0]});
    }
  }
}

TEST(TemplateMatch, MoreTemplatesThanAreTransformedTogether) {
  std::mt19937 random(72);
  const Plane image = noise(19, 14, random);
  for (const MatchScore score : kScores) {
    const std::vector<Plane> templates = noises(150, 5, 4, random);
    const MatchOptions o = options_of(image, templates[0], score);
    ASSERT_LT(plan_match(o)->templates.slices, 70U);
    expect_statistics(o, image, templates);
  }
}

// Negative scores only: nothing starts at 0.
TEST(TemplateMatch, NegativeScores) {
  std::mt19937 random(73);
  const Plane image = noise(23, 18, random, -2, -1);
  const std::vector<Plane> templates = noises(4, 5, 5, random, 1, 2);
  const MatchOptions o = options_of(image, templates[0], MatchScore::kProduct);
  expect_statistics(o, image, templates);
  const Found found = match(o, image, templates);
  for (const double v : found.maximum.v) EXPECT_LT(v, 0);
}

TEST(TemplateMatch, LowestIndexWinsTies) {
  std::mt19937 random(74);
  const Plane image = noise(60, 45, random);
  std::vector<Plane> templates = noises(3, 7, 9, random);
  for (int i = 0; i < 99; ++i) templates.push_back(templates[static_cast<size_t>(i % 3)]);
  for (const MatchScore score : kScores) {
    const Found found = match(options_of(image, templates[0], score), image, templates);
    EXPECT_LT(*std::max_element(found.index.begin(), found.index.end()), 3U);
    for (uint32_t i = 0; i < 3; ++i) EXPECT_NE(std::count(found.index.begin(), found.index.end(), i), 0);
  }
}

TEST(TemplateMatch, PlantedTemplatesAreFound) {
  std::mt19937 random(75);
  std::normal_distribution<double> normal;
  Plane image(190, 140);
  for (double& v : image.v) v = 40 + 2 * normal(random);
  const std::vector<Plane> templates = noises(20, 15, 12, random, -1.5, 1.5);
  struct Place {
    int x, y;
    uint32_t index;
  };
  const Place places[] = {{20, 30, 4}, {100, 30, 17}, {60, 100, 0}, {170, 120, 19}, {140, 70, 4}};
  for (const Place& place : places) {
    const Plane& pattern = templates[place.index];
    for (int j = 0; j < pattern.h; ++j) {
      for (int i = 0; i < pattern.w; ++i) image.at(place.x - 7 + i, place.y - 6 + j) += 3 * pattern.at(i, j);
    }
  }
  for (const MatchScore score : {MatchScore::kUnit, MatchScore::kCoefficient}) {
    const Found found = match(options_of(image, templates[0], score), image, templates);
    Plane left = found.maximum;
    for (size_t n = 0; n < std::size(places); ++n) {
      const auto best = static_cast<int>(std::max_element(left.v.begin(), left.v.end()) - left.v.begin());
      const int x = best % image.w, y = best / image.w;
      const auto* place =
          std::find_if(std::begin(places), std::end(places), [&](const Place& p) { return p.x == x && p.y == y; });
      ASSERT_NE(place, std::end(places)) << x << "," << y;
      EXPECT_EQ(found.index[static_cast<size_t>(best)], place->index);
      left.at(x, y) = -1;
    }
  }
}

TEST(TemplateMatch, ConstantsScoreNothing) {
  std::mt19937 random(76);
  const Plane other = noise(30, 21, random), pattern = noise(6, 5, random);
  for (const double level : {0.0, 0.1, -3.3, 65535.0, 9e13}) {
    Plane image(30, 21), flat(6, 5);
    image.v.assign(image.v.size(), level);
    flat.v.assign(flat.v.size(), level);
    for (const MatchScore score : {MatchScore::kUnit, MatchScore::kCoefficient}) {
      for (const auto& [a, b] :
           {std::pair<const Plane*, const Plane*>{&image, &pattern}, {&other, &flat}, {&image, &flat}}) {
        const Found found = match(options_of(*a, *b, score), *a, {*b, *b});
        EXPECT_EQ(norm_of(found.maximum) + norm_of(found.mean) + norm_of(found.deviation), 0) << level;
        EXPECT_EQ(*std::max_element(found.index.begin(), found.index.end()), 0U);
      }
    }
  }
}

// Windows of one value have the coefficient 0, even beside others, and contrasts of 1/1000 are measured.
TEST(TemplateMatch, CoefficientsOfFlatAndFaintParts) {
  std::mt19937 random(77);
  Plane image = noise(96, 40, random, 0, 1000);
  for (int y = 0; y < image.h; ++y) {
    for (int x = 0; x < 32; ++x) image.at(x, y) = 7;
    for (int x = 32; x < 64; ++x) image.at(x, y) = 7 + image.at(x, y) / 1000;
  }
  const std::vector<Plane> templates = noises(3, 6, 6, random);
  const MatchOptions o = options_of(image, templates[0], MatchScore::kCoefficient);
  const Found found = match(o, image, templates);
  const Plane first = scores_of(image, templates[0], o.score, 3, 3),
              second = scores_of(image, templates[1], o.score, 3, 3);
  const Plane third = scores_of(image, templates[2], o.score, 3, 3);
  for (int y = 3; y <= image.h - 3; ++y) {
    for (int x = 3; x <= 29; ++x) ASSERT_EQ(found.maximum.at(x, y), 0) << x << "," << y;
    for (int x = 35; x <= 61; ++x) {
      const double largest = std::max({first.at(x, y), second.at(x, y), third.at(x, y)});
      ASSERT_NEAR(found.maximum.at(x, y), largest, 2e-3) << x << "," << y;
    }
  }
}

// Powers of 2 change no bit of a score but its exponent, even if templates are denormal.
TEST(TemplateMatch, NumbersOfAnyScale) {
  std::mt19937 random(78);
  const auto times_power = [](Plane plane, int exponent) {
    for (double& v : plane.v) v = std::ldexp(v, exponent);
    return plane;
  };
  const Plane image = noise(31, 26, random, -1, 1);
  std::vector<Plane> templates = noises(3, 7, 7, random, -1, 1);
  for (Plane& plane : templates) {
    for (double& v : plane.v) v = std::round(v * 4096) / 4096;
  }
  const std::pair<int, int> exponents[] = {{-100, 46}, {46, 46}, {20, 46}, {46, -130}};
  for (const MatchScore score : kScores) {
    const MatchOptions o = options_of(image, templates[0], score);
    const Found plain = match(o, image, templates);
    for (const auto& [of_image, of_templates] : exponents) {
      SCOPED_TRACE(::testing::Message() << "2^" << of_image << ", 2^" << of_templates);
      std::vector<Plane> scaled;
      for (const Plane& plane : templates) scaled.push_back(times_power(plane, of_templates));
      const Found found = match(o, times_power(image, of_image), scaled);
      const int of_scores = score == MatchScore::kProduct ? of_image + of_templates
                            : score == MatchScore::kUnit  ? of_image
                                                          : 0;
      EXPECT_EQ(found.maximum.v, times_power(plain.maximum, of_scores).v);
      EXPECT_EQ(found.index, plain.index);
    }
  }
}

// Templates of very different scale do not spoil each other's digits.
TEST(TemplateMatch, TemplatesDoNotDependOnEachOther) {
  std::mt19937 random(79);
  const Plane image = noise(40, 33, random);
  const std::vector<Plane> few = noises(2, 5, 5, random);
  const MatchOptions o = options_of(image, few[0], MatchScore::kProduct);
  std::vector<Plane> templates;
  for (int i = 0; i < 40; ++i) {  // far below the scores of few[0] and few[1], which are positive
    templates.push_back(noise(5, 5, random, -1e13, -1e12));
  }
  templates.push_back(few[0]);
  templates.push_back(few[1]);
  const Found alone = match(o, image, few), among = match(o, image, templates);
  EXPECT_EQ(among.maximum.v, alone.maximum.v);
}

TEST(TemplateMatch, TheSameBitsForThreadsDivisionsAndSimdTargets) {
  const onepass::testing::SevenThreads seven;
  std::mt19937 random(80);
  const Plane image = noise(101, 83, random);
  const std::vector<Plane> templates = noises(83, 11, 8, random);
  for (const MatchScore score : kScores) {
    const MatchOptions o = options_of(image, templates[0], score);
    const Found one = match(o, image, templates, {.threads = 1});
    for (const uint32_t threads : {2U, 7U})
      EXPECT_EQ(match(o, image, templates, {.threads = threads}).bytes, one.bytes);
    onepass::testing::on_every_simd_target(
        [&](const char* target) { EXPECT_EQ(match(o, image, templates).bytes, one.bytes) << target; });
    auto divided = matcher_of(o, image);
    for (size_t first = 0, count = 1; first < templates.size();
         first += count, count = std::min<size_t>(count * 3, 83 - first)) {
      const auto* begin = templates.data() + first;
      ASSERT_TRUE(divided.add(slices_of({begin, begin + count}).view()));
    }
    EXPECT_EQ(statistics_of(divided).bytes, one.bytes);
    ASSERT_TRUE(divided.set_image(image_of({image}, o.image).view())) << "a second search with the same object";
    EXPECT_EQ(divided.count(), 0U);
    std::vector<uint32_t> asked;
    ASSERT_TRUE(divided.add(83, [&](uint32_t index, const MutableImageView& texels) {
      asked.push_back(index);
      const Image one_template = image_of({templates[index]}, Format::kR32Sfloat);
      for (uint32_t y = 0; y < texels.size.height; ++y) {
        std::memcpy(texels.row(y), one_template.view().row(y), texels.size.width * sizeof(float));
      }
      return true;
    }));
    EXPECT_EQ(statistics_of(divided).bytes, one.bytes);
    EXPECT_EQ(asked.size(), 83U);
    EXPECT_TRUE(std::is_sorted(asked.begin(), asked.end()));
  }
}

TEST(TemplateMatch, AnyFormat) {
  std::mt19937 random(81);
  const std::vector<Plane> colours = noises(4, 37, 29, random, 0, 1), patterns = noises(6, 5, 6, random, 0, 1);
  const Image photo = image_of(colours, Format::kRGBA8Srgb);
  const Image pairs = image_of(patterns, Format::kRG16Unorm, 3);
  auto matcher = cpu::TemplateMatcher::create(
      {.size = {37, 29}, .image = Format::kRGBA8Srgb, .template_size = {5, 6}, .templates = Format::kRG16Unorm});
  ASSERT_TRUE(matcher);
  ASSERT_TRUE(matcher->set_image(photo.view()));
  ASSERT_TRUE(matcher->add(pairs.view()));
  const Plane r = plane_of(photo, 0), g = plane_of(photo, 1), b = plane_of(photo, 2);
  Plane luminance(37, 29);
  for (size_t i = 0; i < r.v.size(); ++i) luminance.v[i] = 0.2126 * r.v[i] + 0.7152 * g.v[i] + 0.0722 * b.v[i];
  std::vector<Plane> firsts;
  for (uint32_t s = 0; s < 3; ++s) firsts.push_back(plane_of(pairs, 0, s));
  const Found wanted = match(options_of(luminance, firsts[0], MatchScore::kCoefficient), luminance, firsts);
  EXPECT_LT(difference(statistics_of(*matcher).maximum, wanted.maximum), 1e-6);
  EXPECT_EQ(statistics_of(*matcher).index, wanted.index);

  const std::vector<std::byte> with_alpha = statistics_of(*matcher).bytes;
  std::vector<std::byte> rgb;
  for (size_t i = 0; i < photo.size_in_bytes(); ++i) {
    if (i % 4 != 3) rgb.push_back(photo.data()[i]);
  }
  ASSERT_TRUE(matcher->set_image({rgb.data(), Format::kRGB8Srgb, {37, 29}, 1, size_t{37} * 3, 0}));
  ASSERT_TRUE(matcher->add(pairs.view()));
  EXPECT_EQ(statistics_of(*matcher).bytes, with_alpha) << "without alpha";
}

TEST(TemplateMatch, TargetsWithoutDataAreLeftOut) {
  std::mt19937 random(82);
  const Plane image = noise(12, 10, random);
  auto matcher = matcher_of(options_of(image, Plane(3, 3), MatchScore::kUnit), image);
  ASSERT_TRUE(matcher.add(slices_of(noises(2, 3, 3, random)).view()));
  auto mean = Image::create(Format::kR32Sfloat, {12, 10});
  ASSERT_TRUE(matcher.write({.mean = mean->view()}));
  EXPECT_EQ(plane_of(*mean, 0).v, statistics_of(matcher).mean.v);
  EXPECT_TRUE(matcher.write({}));
}

// After an error the statistics are those of count() templates.
TEST(TemplateMatch, WhatIsCountedIsWhole) {
  std::mt19937 random(83);
  const Plane image = noise(90, 64, random);
  const std::vector<Plane> templates = noises(200, 9, 7, random);
  const MatchOptions o = options_of(image, templates[0], MatchScore::kUnit);
  const auto first = [&](uint32_t count) {
    return match(o, image, {templates.begin(), templates.begin() + count}).bytes;
  };

  std::vector<Plane> bad = templates;
  bad[131].at(2, 5) = std::numeric_limits<double>::quiet_NaN();
  auto matcher = matcher_of(o, image);
  const auto refused = matcher.add(slices_of(bad).view());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadData);
  EXPECT_NE(refused.error().text().find("templates: template 131: texel (2, 5)"), std::string::npos)
      << refused.error().text();
  EXPECT_EQ(matcher.count(), 131U);
  EXPECT_EQ(statistics_of(matcher).bytes, first(131));

  matcher = matcher_of(o, image);
  const auto ended = matcher.add(200, [&](uint32_t index, const MutableImageView& texels) {
    for (uint32_t y = 0; y < texels.size.height; ++y) {
      for (uint32_t x = 0; x < texels.size.width; ++x) {
        reinterpret_cast<float*>(texels.row(y))[x] =
            static_cast<float>(templates[index].at(static_cast<int>(x), static_cast<int>(y)));
      }
    }
    return index < 77;
  });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(matcher.count(), 77U);
  EXPECT_EQ(statistics_of(matcher).bytes, first(77));

  const auto interval = cpu::ProgressWatch::interval.load();
  cpu::ProgressWatch::interval = std::chrono::milliseconds(0);
  for (const uint32_t threads : {1U, 3U}) {
    for (const double at : {0.0, 0.2, 0.5, 0.8}) {
      auto cancelled = matcher_of(o, image, {.threads = threads, .progress = [&](double part) { return part < at; }});
      const auto done = cancelled.add(slices_of(templates).view());
      ASSERT_FALSE(done);
      EXPECT_EQ(done.error().code, ErrorCode::kCancelled);
      EXPECT_LT(cancelled.count(), 200U);
      if (cancelled.count() > 0) {
        EXPECT_EQ(statistics_of(cancelled).bytes, first(cancelled.count()));
      }
      EXPECT_EQ(cancelled.count() > 0, at > 0.4) << at;
    }
  }
  cpu::ProgressWatch::interval = interval;
}

TEST(TemplateMatchErrors, NameFieldAndValue) {
  const auto refused = [&](const MatchOptions& options, const std::string& words) {
    const auto made = cpu::TemplateMatcher::create(options);
    ASSERT_FALSE(made) << words;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(made.error().message.find(words), std::string::npos) << made.error().message;
  };
  const MatchOptions good{.size = {8, 6}, .image = Format::kR32Sfloat, .template_size = {4, 3}};
  const auto with = [&](const auto& change) {
    MatchOptions o = good;
    change(o);
    return o;
  };
  refused(with([](MatchOptions& o) { o.size = {0, 4}; }), "size: 0x4");
  refused(with([](MatchOptions& o) { o.size = {70000, 4}; }), "size: 70000x4");
  refused(with([](MatchOptions& o) { o.image = Format::kUndefined; }), "image");
  refused(with([](MatchOptions& o) { o.templates = static_cast<Format>(3); }), "templates");
  refused(with([](MatchOptions& o) { o.template_size = {0, 3}; }), "template_size: 0x3");
  refused(with([](MatchOptions& o) { o.template_size = {9, 3}; }), "template_size: 9x3");
  refused(with([](MatchOptions& o) { o.template_size = {4, 7}; }), "template_size: 4x7");
  refused(with([](MatchOptions& o) { o.score = static_cast<MatchScore>(3); }), "score: 3");
  refused(with([](MatchOptions& o) { o.origin = Offset{4, 0}; }), "origin: 4,0");
  refused(with([](MatchOptions& o) { o.origin = Offset{0, -1}; }), "origin: 0,-1");
  refused({.size = {65535, 1}, .image = Format::kR32Sfloat, .template_size = {60000, 1}}, "template_size: 60000x1");

  const auto says = [](const Result<void>& done, ErrorCode code, const std::string& words) {
    ASSERT_FALSE(done) << words;
    EXPECT_EQ(done.error().code, code) << done.error().text();
    EXPECT_NE(done.error().text().find(words), std::string::npos) << done.error().text();
  };
  Plane image(8, 6);
  image.v.assign(image.v.size(), 1);
  auto matcher = cpu::TemplateMatcher::create(good);
  ASSERT_TRUE(matcher);
  const Image pattern = slices_of({Plane(4, 3)});
  says(matcher->add(pattern.view()), ErrorCode::kInvalidArgument, "no image is set");
  says(matcher->write({}), ErrorCode::kInvalidArgument, "no template");
  says(matcher->set_image(pattern.view()), ErrorCode::kInvalidArgument, "image: size 4x3, expected 8x6");
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -2e14}) {
    ASSERT_TRUE(matcher->set_image(image_of({image}, Format::kR32Sfloat).view()));
    Plane spoilt = image;
    spoilt.at(3, 4) = value;
    says(matcher->set_image(image_of({spoilt}, Format::kR32Sfloat).view()), ErrorCode::kBadData, "image: texel (3, 4)");
    says(matcher->add(pattern.view()), ErrorCode::kInvalidArgument, "no image is set");
  }
  ASSERT_TRUE(matcher->set_image(image_of({image}, Format::kR32Sfloat).view()));
  says(matcher->add(slices_of({Plane(3, 3)}).view()), ErrorCode::kInvalidArgument, "templates: size 3x3");
  ImageView none = pattern.view();
  none.slices = 0;
  says(matcher->add(none), ErrorCode::kInvalidArgument, "templates: slices 0");
  says(matcher->add(3, nullptr), ErrorCode::kInvalidArgument, "make");
  ASSERT_TRUE(matcher->add(pattern.view()));
  says(matcher->add(0xFFFFFFFFU, [](uint32_t, const MutableImageView&) { return false; }), ErrorCode::kInvalidArgument,
       "count: 4294967295");
  auto wrong = Image::create(Format::kR32Sfloat, {8, 5});
  says(matcher->write({.maximum = wrong->view()}), ErrorCode::kInvalidArgument, "maximum: size 8x5");
  says(matcher->write({.index = wrong->view()}), ErrorCode::kInvalidArgument, "index: format");
  says(matcher->write({.mean = wrong->view()}), ErrorCode::kInvalidArgument, "mean: size");
  says(matcher->write({.deviation = wrong->view()}), ErrorCode::kInvalidArgument, "deviation: size");
}

}  // namespace
}  // namespace fourier_ops_test
