// files_signal_test.cpp: PQ and HLG files become light. The definitions of SMPTE ST 2084 and BT.2100 stand here again.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::Format;
using onepass::Image;
using onepass::files::Color;
using onepass::files::ImageFile;

constexpr double kWhite = 203;  // cd/m2 of light 1

double pq(double signal) {
  const double m1 = 0.1593017578125, m2 = 78.84375, c1 = 0.8359375, c2 = 18.8515625, c3 = 18.6875;
  const double p = std::pow(signal, 1 / m2);
  return 10000 * std::pow(std::max(p - c1, 0.0) / (c2 - c3 * p), 1 / m1) / kWhite;
}

std::array<double, 3> hlg(std::array<double, 3> signal, const std::array<double, 3>& weights) {
  const double a = 0.17883277, b = 0.28466892, c = 0.55991073;
  double y = 0;
  for (size_t i = 0; i < 3; ++i) {
    double& s = signal[i];
    s = s <= 0.5 ? s * s / 3 : (std::exp((s - c) / a) + b) / 12;
    y += weights[i] * s;
  }
  for (double& s : signal) s *= 1000 * std::pow(y, 0.2) / kWhite;
  return signal;
}

constexpr std::array<double, 3> kWeights2020 = {0.2627, 0.6780, 0.0593};
constexpr std::array<double, 3> kWeights709 = {0.21263901, 0.71516868, 0.07219232};

// A row of values in every quarter of the range, and the signals that they stand for.
Image row_of(Format format, std::vector<std::array<double, 3>>& signals) {
  auto image = Image::create(format, {64, 1});
  const bool wide = onepass::format_info(format).bytes_per_texel == 8;
  const double most = wide ? 65535 : 255;
  for (uint32_t x = 0; x < 64; ++x) {
    std::array<double, 3> signal{};
    for (uint32_t c = 0; c < 3; ++c) {
      const auto code = static_cast<uint32_t>(std::floor(((x * 37 + c * 21) % 64) / 63.0 * most));
      signal[c] = code / most;
      if (wide) {
        reinterpret_cast<uint16_t*>(image->data())[4 * x + c] = static_cast<uint16_t>(code);
      } else {
        image->data()[4 * x + c] = static_cast<std::byte>(code);
      }
    }
    if (wide) {
      reinterpret_cast<uint16_t*>(image->data())[4 * x + 3] = 0x8000;
    } else {
      image->data()[4 * x + 3] = std::byte{0x80};
    }
    signals.push_back(signal);
  }
  return std::move(*image);
}

void expect_light(const ImageFile& file, const std::vector<std::array<double, 3>>& signals, int transfer,
                  const std::array<double, 3>& weights, double alpha) {
  ASSERT_EQ(file.base().format, Format::kRGBA32Sfloat);
  EXPECT_EQ(file.transfer, static_cast<uint32_t>(transfer));
  EXPECT_TRUE(file.warnings.empty());
  for (uint32_t x = 0; x < 64; ++x) {
    const std::array<double, 3> s = signals[x];
    const std::array<double, 3> light = transfer == 16 ? std::array{pq(s[0]), pq(s[1]), pq(s[2])} : hlg(s, weights);
    for (uint32_t c = 0; c < 3; ++c) {
      // Published constants of HLG have eight digits, the weights four.
      EXPECT_NEAR(texel(file.base(), x, 0, c), light[c], light[c] * (transfer == 16 ? 2e-6 : 3e-5) + 1e-9)
          << transfer << " texel " << x << " channel " << c;
    }
    EXPECT_NEAR(texel(file.base(), x, 0, 3), alpha, 1e-7);
  }
}

TEST(FilesSignal, PqAndHlgOfPngAndKtx2BecomeLight) {
  const TempDirectory directory;
  for (const Format format : {Format::kRGBA8Unorm, Format::kRGBA16Unorm}) {
    std::vector<std::array<double, 3>> signals;
    const Image image = row_of(format, signals);
    const onepass::ImageView view = image.view();
    const double alpha = format == Format::kRGBA8Unorm ? 128 / 255.0 : 32768 / 65535.0;
    for (const uint8_t primaries : {uint8_t{1}, uint8_t{9}}) {
      for (const uint8_t transfer : {uint8_t{16}, uint8_t{18}}) {
        const auto& weights = primaries == 9 ? kWeights2020 : kWeights709;
        ASSERT_TRUE(onepass::files::write_png(directory / "x.png", view, {.code_points = {primaries, transfer}}));
        ASSERT_TRUE(
            onepass::files::write_ktx2(directory / "x.ktx2", {&view, 1}, {.code_points = {primaries, transfer}}));
        for (const char* name : {"x.png", "x.ktx2"}) {
          const auto file = onepass::files::read(directory / name);
          ASSERT_TRUE(file) << file.error().text();
          SCOPED_TRACE(name);
          expect_light(*file, signals, transfer, weights, alpha);
          EXPECT_TRUE(file->says_primaries);
          // Read as linear, the values are those of the file.
          const auto stored = onepass::files::read(directory / name, {.color = Color::kLinear});
          ASSERT_TRUE(stored);
          EXPECT_EQ(stored->base().format, format);
          EXPECT_EQ(stored->transfer, transfer);
          EXPECT_EQ(texel(stored->base(), 5, 0, 1), texel(view, 5, 0, 1));
        }
      }
    }
  }
}

TEST(FilesSignal, ReferenceWhiteIsOne) {
  const TempDirectory directory;
  // BT.2408, table 1: 203 cd/m2 is 58 % of a PQ signal, 75 % of HLG.
  for (const auto& [transfer, signal] : {std::pair<uint8_t, double>{16, 0.58068888}, {18, 0.75}}) {
    auto image = Image::create(Format::kR16Unorm, {1, 1});
    *reinterpret_cast<uint16_t*>(image->data()) = static_cast<uint16_t>(std::lround(signal * 65535));
    ASSERT_TRUE(onepass::files::write_png(directory / "w.png", image->view(), {.code_points = {9, transfer}}));
    const auto file = onepass::files::read(directory / "w.png");
    ASSERT_TRUE(file) << file.error().text();
    ASSERT_EQ(file->base().format, Format::kR32Sfloat);
    EXPECT_NEAR(texel(file->base(), 0, 0, 0), 1, transfer == 16 ? 2e-4 : 1.5e-2);
  }
}

}  // namespace
