// cpu_correlation_test.cpp: known shifts are found; correlation surfaces match the definition.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "onepass/fourier_correlation.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/fourier/fourier_ops_oracle.hpp"

namespace fourier_ops_test {
namespace {

using namespace onepass;

CorrelationOptions basic(const Plane& plane) {
  return {.size = {static_cast<uint32_t>(plane.w), static_cast<uint32_t>(plane.h)}, .first = Format::kR32Sfloat};
}

ShiftEstimate estimate(const CorrelationOptions& options, const Plane& first, const Plane& second) {
  auto correlator = cpu::Correlator::create(options);
  EXPECT_TRUE(correlator) << (correlator ? "" : correlator.error().text());
  const Image a = image_of({first}, Format::kR32Sfloat);
  const Image b = image_of({second}, Format::kR32Sfloat);
  const auto shift = correlator->estimate(a.view(), b.view());
  EXPECT_TRUE(shift) << (shift ? "" : shift.error().text());
  return shift ? *shift : ShiftEstimate{.confidence = -1};
}

// Cyclic shift: first(x, y) = second(x - sx, y - sy).
Plane roll(const Plane& second, int sx, int sy) {
  Plane first(second.w, second.h);
  for (int y = 0; y < first.h; ++y) {
    for (int x = 0; x < first.w; ++x) first.at(x, y) = second.beyond(x - sx, y - sy, Boundary::kWrap);
  }
  return first;
}

// Cyclic shift by any real amount: phase factors on the spectrum. Nyquist frequencies of even sizes are set to 0.
Plane glide(const Plane& second, double sx, double sy) {
  Spectrum spectrum = transform(second);
  for (int ky = 0; ky < second.h; ++ky) {
    for (int kx = 0; kx < second.w; ++kx) {
      auto& value = spectrum[static_cast<size_t>(ky * second.w + kx)];
      value *= std::polar(1.0, -2 * std::numbers::pi * (cycles(kx, second.w) * sx + cycles(ky, second.h) * sy));
      if (2 * kx == second.w || 2 * ky == second.h) value = 0;
    }
  }
  return inverse(spectrum, second.w, second.h);
}

// Three Gaussian blobs, shifted by (sx, sy).
Plane blobs(int w, int h, double sx, double sy) {
  Plane plane(w, h);
  const double places[][3] = {{0.3, 0.4, 5}, {0.62, 0.55, 7}, {0.5, 0.7, 4}};
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      for (const auto& p : places) {
        const double dx = x - sx - p[0] * w, dy = y - sy - p[1] * h;
        plane.at(x, y) += std::exp(-(dx * dx + dy * dy) / (2 * p[2] * p[2]));
      }
    }
  }
  return plane;
}

TEST(Correlation, WholeTexelsOnACircle) {
  std::mt19937 random(31);
  const int sizes[][2] = {{64, 48}, {63, 47}, {128, 9}, {1, 50}, {50, 1}, {97, 101}, {2, 2}};
  for (const auto& s : sizes) {
    const Plane second = noise(s[0], s[1], random);
    for (const auto& shift : {std::pair{0, 0}, {5, -3}, {-17, 11}, {1, 1}}) {
      const int sx = shift.first % ((s[0] + 1) / 2), sy = shift.second % ((s[1] + 1) / 2);
      for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
        for (const PeakRefinement refinement :
             {PeakRefinement::kNone, PeakRefinement::kParabola, PeakRefinement::kFourier}) {
          CorrelationOptions o = basic(second);
          o.kind = kind;
          o.window = CorrelationWindow::kNone;
          o.refinement = refinement;
          const ShiftEstimate found = estimate(o, roll(second, sx, sy), second);
          const double tolerance = refinement == PeakRefinement::kNone       ? 0
                                   : refinement == PeakRefinement::kParabola ? 0.3
                                                                             : 2e-3;
          EXPECT_NEAR(found.x, sx, tolerance)
              << s[0] << "x" << s[1] << " kind " << static_cast<int>(kind) << " ref " << static_cast<int>(refinement);
          EXPECT_NEAR(found.y, sy, tolerance)
              << s[0] << "x" << s[1] << " kind " << static_cast<int>(kind) << " ref " << static_cast<int>(refinement);
          if (refinement == PeakRefinement::kNone) {
            EXPECT_NEAR(found.confidence, 1, 1e-4);
          }
        }
      }
    }
  }
}

TEST(Correlation, PartsOfTexelsOnACircle) {
  std::mt19937 random(32);
  const Plane second = glide(noise(60, 45, random), 0, 0);
  for (const auto& shift : {std::pair{0.25, -0.4}, {7.5, 3.1}, {-12.37, 20.02}}) {
    const Plane first = glide(second, shift.first, shift.second);
    for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
      CorrelationOptions o = basic(second);
      o.kind = kind;
      o.window = CorrelationWindow::kNone;
      const ShiftEstimate found = estimate(o, first, second);
      EXPECT_NEAR(found.x, shift.first, 1e-4) << static_cast<int>(kind);
      EXPECT_NEAR(found.y, shift.second, 1e-4) << static_cast<int>(kind);
      EXPECT_GT(found.confidence, 0.98) << "the whole peak, not what of it falls on a texel";
      EXPECT_LE(found.confidence, 1);
    }
  }
}

TEST(Correlation, SmoothImages) {
  for (const auto& shift : {std::pair{3.0, -2.0}, {1.3, 0.7}, {-6.45, 4.2}}) {
    const Plane second = blobs(120, 90, 0, 0);
    const Plane first = blobs(120, 90, shift.first, shift.second);
    for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
      CorrelationOptions o = basic(second);
      o.kind = kind;
      o.window = CorrelationWindow::kNone;
      const ShiftEstimate found = estimate(o, first, second);
      EXPECT_NEAR(found.x, shift.first, 0.02) << static_cast<int>(kind);
      EXPECT_NEAR(found.y, shift.second, 0.02) << static_cast<int>(kind);
      EXPECT_GT(found.confidence, 0.9) << static_cast<int>(kind);
    }
  }
}

// Two frames of a larger scene: content entering at one side differs from content leaving at the other.
TEST(Correlation, WindowedFramesOfAScene) {
  std::mt19937 random(33);
  Plane scene = filter(noise(300, 260, random), [](double fx, double fy) {
    return 1 / (0.02 + std::hypot(fx, fy));  // 1/f, as in natural images
  });
  for (const auto& shift : {std::pair{12, -7}, {-25, 18}, {1, 0}}) {
    const Plane second = crop(scene, 60, 60, 160, 128);
    const Plane first = crop(scene, 60 - shift.first, 60 - shift.second, 160, 128);
    CorrelationOptions o = basic(second);
    const ShiftEstimate found = estimate(o, first, second);
    EXPECT_NEAR(found.x, shift.first, 0.05);
    EXPECT_NEAR(found.y, shift.second, 0.05);
    EXPECT_GT(found.confidence, 0.2);
  }
}

TEST(Correlation, Noise) {
  std::mt19937 random(34);
  const Plane clean = glide(noise(96, 96, random), 0, 0);
  Plane first = glide(clean, 4.6, -9.3);
  Plane second = clean;
  const Plane a = noise(96, 96, random, -0.5, 0.5), b = noise(96, 96, random, -0.5, 0.5);
  for (size_t i = 0; i < a.v.size(); ++i) {
    first.v[i] += a.v[i];
    second.v[i] += b.v[i];
  }
  CorrelationOptions o = basic(first);
  o.window = CorrelationWindow::kNone;
  for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
    o.kind = kind;
    const ShiftEstimate found = estimate(o, first, second);
    EXPECT_NEAR(found.x, 4.6, 0.05) << static_cast<int>(kind);
    EXPECT_NEAR(found.y, -9.3, 0.05) << static_cast<int>(kind);
    EXPECT_GT(found.confidence, 0.3);
    EXPECT_LT(found.confidence, 0.9);
    EXPECT_LT(estimate(o, a, b).confidence, 0.1) << "two noises have nothing in common";
  }
}

TEST(Correlation, ConstantAndEmptyImagesAreNotNan) {
  for (const double level : {0.0, 0.1, 1.0, 65535.0, 1e17}) {
    for (const auto& s : {std::pair{16, 16}, {1, 1}, {5, 1}, {1, 2}}) {
      Plane constant(s.first, s.second);
      constant.v.assign(constant.v.size(), level);
      std::mt19937 random(35);
      const Plane other = noise(s.first, s.second, random);
      for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
        for (const CorrelationWindow window : {CorrelationWindow::kHann, CorrelationWindow::kNone}) {
          CorrelationOptions o = basic(constant);
          o.kind = kind;
          o.window = window;
          for (const Plane* second : {static_cast<const Plane*>(&constant), &other}) {
            const ShiftEstimate found = estimate(o, constant, *second);
            EXPECT_EQ(found.x, 0);
            EXPECT_EQ(found.y, 0);
            EXPECT_EQ(found.confidence, 0) << level << " " << s.first << "x" << s.second;
          }
        }
      }
    }
  }
}

TEST(Correlation, NumbersOfAnyScale) {
  std::mt19937 random(36);
  const Plane second = noise(70, 50, random);
  const Plane first = roll(second, 6, -8);
  for (const double scale : {1e-12, 255.0, 65535.0, 1e15}) {
    Plane a = first, b = second;
    for (double& v : a.v) v = static_cast<float>(v * scale + 3 * scale);
    for (double& v : b.v) v = static_cast<float>(v * scale);
    for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
      CorrelationOptions o = basic(a);
      o.kind = kind;
      o.window = CorrelationWindow::kNone;
      const ShiftEstimate found = estimate(o, a, b);
      EXPECT_NEAR(found.x, 6, 1e-3) << scale;
      EXPECT_NEAR(found.y, -8, 1e-3) << scale;
      EXPECT_NEAR(found.confidence, 1, 0.02) << scale;
    }
  }
}

// A periodic pattern: of all shifts that fit, the shortest is reported. A shift of half the size is positive.
TEST(Correlation, OfManyShiftsTheShortest) {
  std::mt19937 random(41);
  const Plane tile = noise(8, 12, random);
  Plane second(64, 48);
  for (int y = 0; y < 48; ++y) {
    for (int x = 0; x < 64; ++x) second.at(x, y) = tile.at(x % 8, y % 12);
  }
  const Plane unlike = noise(64, 48, random);
  for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
    for (const PeakRefinement refinement :
         {PeakRefinement::kNone, PeakRefinement::kParabola, PeakRefinement::kFourier}) {
      CorrelationOptions o = basic(second);
      o.kind = kind;
      o.window = CorrelationWindow::kNone;
      o.refinement = refinement;
      const double tolerance = refinement == PeakRefinement::kParabola ? 0.3 : 2e-3;
      for (const auto& shift : {std::pair{3, 2}, {5, -4}, {-11, 31}}) {
        const ShiftEstimate found = estimate(o, roll(second, shift.first, shift.second), second);
        EXPECT_NEAR(found.x, std::remainder(shift.first, 8), tolerance);
        EXPECT_NEAR(found.y, std::remainder(shift.second, 12), tolerance);
        EXPECT_NEAR(found.confidence, 1, refinement == PeakRefinement::kFourier ? 0.05 : 0.3);
      }
      const ShiftEstimate half = estimate(o, roll(unlike, 32, 24), unlike);
      EXPECT_NEAR(half.x, 32, tolerance);
      EXPECT_NEAR(half.y, 24, tolerance);
    }
  }
}

// Along an axis on which the image is constant, the reported shift is 0.
TEST(Correlation, ConstantAlongAnAxis) {
  std::mt19937 random(42);
  const Plane row = noise(90, 1, random);
  Plane second(90, 70);
  for (int y = 0; y < 70; ++y) {
    for (int x = 0; x < 90; ++x) second.at(x, y) = row.at(x, 0);
  }
  const auto transposed = [](const Plane& plane) {
    Plane out(plane.h, plane.w);
    for (int y = 0; y < plane.h; ++y) {
      for (int x = 0; x < plane.w; ++x) out.at(y, x) = plane.at(x, y);
    }
    return out;
  };
  for (const CorrelationKind kind : {CorrelationKind::kPhase, CorrelationKind::kCross}) {
    for (const PeakRefinement refinement : {PeakRefinement::kNone, PeakRefinement::kFourier}) {
      CorrelationOptions o = basic(second);
      o.kind = kind;
      o.window = CorrelationWindow::kNone;
      o.refinement = refinement;
      const Plane first = roll(second, -13, 20);
      ShiftEstimate found = estimate(o, first, second);
      EXPECT_NEAR(found.x, -13, 2e-3);
      EXPECT_EQ(found.y, 0);
      o.size = {70, 90};
      found = estimate(o, transposed(first), transposed(second));
      EXPECT_EQ(found.x, 0);
      EXPECT_NEAR(found.y, -13, 2e-3);
    }
  }
}

// Tests for constant axes use windowed texels: the corner does not count.
TEST(Correlation, BrightCorner) {
  std::mt19937 random(43);
  const Plane scene = noise(256, 256, random);
  Plane first = roll(scene, 4, 7), second = scene;
  first.at(0, 0) = second.at(0, 0) = 1e7;
  const ShiftEstimate found = estimate(basic(first), first, second);
  EXPECT_NEAR(found.x, 4, 0.01);
  EXPECT_NEAR(found.y, 7, 0.01);
  EXPECT_GT(found.confidence, 0.5);
}

// Peaks so broad that fp32 values of neighbouring texels are equal; refinement must still find the shift.
TEST(Correlation, BroadPeaks) {
  for (const double shift : {40.0, 12.25, -300.5, 20000.75}) {
    Plane first(65535, 2), second(65535, 2);
    for (int y = 0; y < 2; ++y) {
      for (int x = 0; x < 65535; ++x) {
        const double tau = 2 * std::numbers::pi / 65535;
        second.at(x, y) = std::cos(tau * x) + 0.1 * y;
        first.at(x, y) = std::cos(tau * (x - shift)) + 0.1 * y;
      }
    }
    CorrelationOptions o = basic(first);
    o.kind = CorrelationKind::kCross;
    o.window = CorrelationWindow::kNone;
    const ShiftEstimate found = estimate(o, first, second);
    EXPECT_NEAR(found.x, shift, 0.05);
    EXPECT_NEAR(found.y, 0, 1e-3);
  }
}

// Stripes: all power is in two frequencies. Phase correlation must not divide by the empty ones.
TEST(Correlation, EmptyFrequencies) {
  Plane first(64, 32), second(64, 32);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) {
      second.at(x, y) = std::cos(2 * std::numbers::pi * x / 64) + std::sin(2 * std::numbers::pi * y / 32);
      first.at(x, y) = std::cos(2 * std::numbers::pi * (x - 5) / 64) + std::sin(2 * std::numbers::pi * (y + 3) / 32);
    }
  }
  CorrelationOptions o = basic(first);
  o.window = CorrelationWindow::kNone;
  const ShiftEstimate found = estimate(o, first, second);
  EXPECT_NEAR(found.x, 5, 0.01);
  EXPECT_NEAR(found.y, -3, 0.01);
  EXPECT_NEAR(found.confidence, 1, 0.01);
}

TEST(Correlation, ColoursCountAsLuminance) {
  std::mt19937 random(37);
  const Plane base = noise(40, 40, random), other = noise(40, 40, random);
  const Plane moved = roll(base, 4, 2);
  auto correlator = cpu::Correlator::create({.size = {40, 40},
                                             .first = Format::kRGBA8Srgb,
                                             .second = Format::kRGBA32Sfloat,
                                             .window = CorrelationWindow::kNone});
  const Image a = image_of({other, moved, other, other}, Format::kRGBA8Srgb);
  const Image b = image_of({other, base, other, other}, Format::kRGBA32Sfloat);
  const auto shift = correlator->estimate(a.view(), b.view());
  ASSERT_TRUE(shift);
  EXPECT_NEAR(shift->x, 4, 0.05) << "green outweighs red and blue";
  EXPECT_NEAR(shift->y, 2, 0.05);
}

TEST(Correlation, SurfaceIsTheDefinition) {
  std::mt19937 random(38);
  for (const CorrelationWindow window : {CorrelationWindow::kNone, CorrelationWindow::kHann}) {
    Plane first = noise(12, 9, random), second = noise(12, 9, random);
    CorrelationOptions o = basic(first);
    o.window = window;
    const Image a = image_of({first}, Format::kR32Sfloat), b = image_of({second}, Format::kR32Sfloat);
    for (Plane* plane : {&first, &second}) {
      const auto weight = [&](int x, int y) {
        const double sx = std::sin(std::numbers::pi * (x + 0.5) / 12), sy = std::sin(std::numbers::pi * (y + 0.5) / 9);
        return window == CorrelationWindow::kNone ? 1.0 : sx * sx * sy * sy;
      };
      double weights = 0, sum = 0, power = 0;
      for (int y = 0; y < 9; ++y) {
        for (int x = 0; x < 12; ++x) {
          weights += weight(x, y);
          sum += weight(x, y) * plane->at(x, y);
        }
      }
      for (int y = 0; y < 9; ++y) {
        for (int x = 0; x < 12; ++x) {
          double& v = plane->at(x, y);
          v = (v - sum / weights) * weight(x, y);
          power += v * v;
        }
      }
      for (double& v : plane->v) v /= std::sqrt(power);
    }
    for (const CorrelationKind kind : {CorrelationKind::kCross, CorrelationKind::kPhase}) {
      o.kind = kind;
      Plane wanted(12, 9);
      if (kind == CorrelationKind::kCross) {
        for (int sy = 0; sy < 9; ++sy) {
          for (int sx = 0; sx < 12; ++sx) {
            for (int y = 0; y < 9; ++y) {
              for (int x = 0; x < 12; ++x) {
                wanted.at(sx, sy) += first.at(x, y) * second.beyond(x - sx, y - sy, Boundary::kWrap);
              }
            }
          }
        }
      } else {
        Spectrum f = transform(first);
        const Spectrum s = transform(second);
        size_t count = 0;
        for (size_t i = 0; i < f.size(); ++i) {
          const bool empty = std::abs(f[i]) < 1e-9 || std::abs(s[i]) < 1e-9;
          f[i] *= std::conj(s[i]);
          f[i] = empty ? 0 : f[i] / std::abs(f[i]);
          count += empty ? 0 : 1;
        }
        for (auto& v : f) v *= static_cast<double>(f.size()) / static_cast<double>(count);
        wanted = inverse(f, 12, 9);
      }
      auto correlator = cpu::Correlator::create(o);
      auto target = Image::create(Format::kR32Sfloat, {12, 9});
      ASSERT_TRUE(correlator->correlate(a.view(), b.view(), target->view()));
      EXPECT_LE(difference(plane_of(*target, 0), wanted), 1e-5) << static_cast<int>(kind);
    }
  }
}

TEST(Correlation, TheSameNumbersForThreadsAndSimdTargets) {
  const onepass::testing::SevenThreads seven;
  std::mt19937 random(39);
  const Plane second = noise(81, 66, random);
  const Image a = image_of({glide(second, 2.2, 3.3)}, Format::kR32Sfloat), b = image_of({second}, Format::kR32Sfloat);
  const auto with = [&](uint32_t threads) {
    auto correlator = cpu::Correlator::create(basic(second), {.threads = threads});
    return *correlator->estimate(a.view(), b.view());
  };
  const ShiftEstimate one = with(1);
  for (const uint32_t threads : {2U, 7U}) {
    const ShiftEstimate many = with(threads);
    EXPECT_EQ(one.x, many.x) << threads;
    EXPECT_EQ(one.y, many.y) << threads;
    EXPECT_EQ(one.confidence, many.confidence) << threads;
  }
  onepass::testing::on_every_simd_target([&](const char* target) {
    const ShiftEstimate made = with(0);
    EXPECT_NEAR(one.x, made.x, 1e-4) << target;
    EXPECT_NEAR(one.y, made.y, 1e-4) << target;
    EXPECT_NEAR(one.confidence, made.confidence, 1e-4) << target;
  });
}

TEST(CorrelationErrors, NameFieldAndValue) {
  const auto refused = [&](const CorrelationOptions& options, const std::string& words) {
    const auto made = cpu::Correlator::create(options);
    ASSERT_FALSE(made) << words;
    EXPECT_NE(made.error().message.find(words), std::string::npos) << made.error().message;
  };
  refused({.size = {0, 4}, .first = Format::kR32Sfloat}, "size: 0x4");
  refused({.size = {4, 4}}, "first");
  refused({.size = {4, 4}, .first = Format::kR32Sfloat, .second = static_cast<Format>(3)}, "second");
  refused({.size = {4, 4}, .first = Format::kR32Sfloat, .kind = static_cast<CorrelationKind>(5)}, "kind");
  refused({.size = {4, 4}, .first = Format::kR32Sfloat, .window = static_cast<CorrelationWindow>(5)}, "window");
  refused({.size = {4, 4}, .first = Format::kR32Sfloat, .refinement = static_cast<PeakRefinement>(5)}, "refinement");
  refused({.size = {4, 4}, .first = Format::kR32Sfloat, .floor = -1}, "floor: -1");
  auto correlator = cpu::Correlator::create({.size = {4, 4}, .first = Format::kR32Sfloat});
  Plane plane(4, 4);
  const Image good = image_of({plane}, Format::kR32Sfloat);
  EXPECT_FALSE(correlator->estimate(good.view(), image_of({Plane(4, 5)}, Format::kR32Sfloat).view()));
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e30}) {
    plane.at(2, 3) = value;
    const auto bad = correlator->estimate(good.view(), image_of({plane}, Format::kR32Sfloat).view());
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().code, ErrorCode::kBadData);
    EXPECT_NE(bad.error().text().find("second: texel (2, 3)"), std::string::npos) << bad.error().text();
  }
}

}  // namespace
}  // namespace fourier_ops_test
