// cli_fourier_test.cpp: the Fourier commands: results, effect of every option, errors.
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <thread>

#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

float one(uint32_t, uint32_t, uint32_t) { return 1; }

// pattern() with alpha of 0.25 to 1.
float leaf(uint32_t x, uint32_t y, uint32_t c) {
  return c == 3 ? 0.25F + 0.25F * static_cast<float>((x + 2 * y) % 4) : pattern(x, y, c);
}

class CliFourier : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    make("a.png", Format::kRGBA8Srgb, {41, 30}, leaf);
    make("a.exr", Format::kRGBA32Sfloat, {41, 30}, leaf);
    make("box.exr", Format::kR32Sfloat, {3, 3}, one);
  }

  void same_image(const std::string& left, const std::string& right) {
    const auto a = read(left), b = read(right);
    ASSERT_EQ(a.levels[0].format(), b.levels[0].format());
    ASSERT_EQ(a.levels[0].size(), b.levels[0].size());
    EXPECT_EQ(std::memcmp(a.levels[0].data(), b.levels[0].data(), a.levels[0].size_in_bytes()), 0) << left;
  }

  // Largest absolute difference over all texels and channels.
  float apart(const std::string& left, const std::string& right) {
    const auto a = read(left), b = read(right);
    EXPECT_EQ(a.levels[0].size(), b.levels[0].size());
    float most = 0;
    for (uint32_t y = 0; y < a.levels[0].size().height; ++y) {
      for (uint32_t x = 0; x < a.levels[0].size().width; ++x) {
        for (uint32_t c = 0; c < 4; ++c) {
          most = std::max(most, std::fabs(value(a.levels[0], x, y, c) - value(b.levels[0], x, y, c)));
        }
      }
    }
    return most;
  }

  // The same for 8-bit values.
  int codes_apart(const std::string& left, const std::string& right) {
    const auto a = read(left), b = read(right);
    EXPECT_EQ(a.levels[0].size_in_bytes(), b.levels[0].size_in_bytes());
    int most = 0;
    for (size_t i = 0; i < a.levels[0].size_in_bytes(); ++i) {
      const int code = static_cast<int>(a.levels[0].data()[i]), other = static_cast<int>(b.levels[0].data()[i]);
      most = std::max(most, std::abs(code - other));
    }
    return most;
  }

  double sum(const std::string& name, uint32_t channel) {
    const auto file = read(name);
    double total = 0;
    for (uint32_t y = 0; y < file.levels[0].size().height; ++y) {
      for (uint32_t x = 0; x < file.levels[0].size().width; ++x) total += value(file.levels[0], x, y, channel);
    }
    return total;
  }

  // As bad(); no new file may be in the directory.
  void refused(int status, const Args& arguments, const std::vector<std::string>& words) {
    const auto before = listing();
    bad(status, arguments, words);
    EXPECT_EQ(listing(), before);
  }
};

TEST_F(CliFourier, SpectraRestorePicturesExactly) {
  for (const std::string size : {"41x30", "1x1", "2x7", "16x16", "97x3"}) {
    unsigned w = 0, h = 0;
    ASSERT_EQ(std::sscanf(size.c_str(), "%ux%u", &w, &h), 2);
    for (const std::string norm : {"backward", "ortho", "forward"}) {
      for (const std::string origin : {"corner", "centre"}) {
        make("p.png", Format::kRGBA8Srgb, {w, h}, leaf);
        good({"fft", "p.png", "-o", "s.exr", "--norm", norm, "--origin", origin});
        good({"fft", "s.exr", "--inverse", "-o", "back.png"});
        same_image("p.png", "back.png");
      }
    }
  }
}

TEST_F(CliFourier, SpectraComeThroughPipes) {
  make("p.png", Format::kRGBA8Srgb, {41, 30}, leaf);
  good({"fft", "p.png", "-o", "s.exr", "--norm", "ortho"});
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread writer([&] { write_bytes("pipe", bytes("s.exr")); });
  good({"fft", "pipe", "--inverse", "-o", "back.png"});
  writer.join();
  same_image("p.png", "back.png");
}

TEST_F(CliFourier, SpectrumHasNamedChannelsAndValues) {
  make("g.exr", Format::kR32Sfloat, {6, 4},
       [](uint32_t x, uint32_t y, uint32_t) { return static_cast<float>(x + 10 * y); });
  good({"fft", "g.exr", "-o", "s.exr"});
  const auto file = read("s.exr", {.channels = {"Y.re", "Y.im"}});
  EXPECT_EQ(file.levels[0].size(), (Extent{4, 4}));
  EXPECT_EQ(file.exr_channels, (std::vector<std::string>{"Y.im", "Y.re"}));
  EXPECT_NEAR(value(file.levels[0], 0, 0, 0), 6 * 60 + 4 * 15, 1e-3) << "the sum";
  EXPECT_NEAR(value(file.levels[0], 0, 0, 1), 0, 1e-4);
  EXPECT_NEAR(value(file.levels[0], 3, 0, 0), 4 * (0 - 1 + 2 - 3 + 4 - 5), 1e-3) << "alternating signs";
  good({"fft", "g.exr", "-o", "m.exr", "--norm", "forward", "--origin", "centre"});
  EXPECT_NEAR(value(read("m.exr", {.channels = {"Y.re"}}).levels[0], 0, 2, 0), 17.5, 1e-4) << "the mean, in the middle";
  make("opaque.png", Format::kRGBA8Unorm, {4, 4},
       [](uint32_t x, uint32_t, uint32_t c) { return c == 3 ? 1.F : static_cast<float>(x) / 4; });
  good({"fft", "opaque.png", "-o", "o.exr"});
  EXPECT_EQ(read("o.exr", {.channels = {"R.re"}}).exr_channels.size(), 6U) << "an alpha of 1 is left out";
}

TEST_F(CliFourier, PicturesShowTheSpectrumCentred) {
  make("w.exr", Format::kR32Sfloat, {64, 32}, [](uint32_t x, uint32_t, uint32_t) {
    return 0.5F + 0.4F * std::cos(2 * 3.14159265F * static_cast<float>(x) / 8);
  });
  good({"fft", "w.exr", "--png", "m.png"});
  const auto picture = read("m.png", {.color = onepass::files::Color::kLinear});
  EXPECT_EQ(picture.levels[0].size(), (Extent{64, 32}));
  EXPECT_EQ(value(picture.levels[0], 32, 16), 1) << "frequency 0, the strongest";
  EXPECT_GT(value(picture.levels[0], 40, 16), 0.7);
  EXPECT_GT(value(picture.levels[0], 24, 16), 0.7) << "and its mirror image";
  EXPECT_LT(value(picture.levels[0], 36, 16), 0.1);
  EXPECT_LT(value(picture.levels[0], 40, 15), 0.1);
  make("s.exr", Format::kR32Sfloat, {64, 32},
       [](uint32_t x, uint32_t, uint32_t) { return std::sin(2 * 3.14159265F * static_cast<float>(x) / 8); });
  good({"fft", "s.exr", "--png", "p.png", "--phase", "-o", "also.exr"});
  const auto phase = read("p.png", {.color = onepass::files::Color::kLinear});
  EXPECT_NEAR(value(phase.levels[0], 40, 16), 0.25, 0.01) << "-90 degrees";
  EXPECT_NEAR(value(phase.levels[0], 24, 16), 0.75, 0.01);
  EXPECT_NEAR(value(phase.levels[0], 3, 3), 0.5, 0.01) << "nothing has no phase";
  good({"fft", "also.exr", "--inverse", "-o", "again.exr"});
  EXPECT_LT(apart("s.exr", "again.exr"), 1e-6);
}

TEST_F(CliFourier, FiltersByFrequency) {
  good({"filter", "a.exr", "-o", "all.exr", "--gains", "1,1"});
  EXPECT_LT(apart("a.exr", "all.exr"), 1e-6);
  good({"filter", "a.exr", "-o", "low.exr", "--lowpass", "0.1"});
  good({"filter", "a.exr", "-o", "high.exr", "--highpass", "0.1"});
  const auto a = read("a.exr"), low = read("low.exr"), high = read("high.exr");
  for (uint32_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(value(low.levels[0], 7, 9, c) + value(high.levels[0], 7, 9, c), value(a.levels[0], 7, 9, c), 1e-5);
  }
  EXPECT_NE(value(low.levels[0], 7, 9, 3), value(a.levels[0], 7, 9, 3)) << "alpha is blurred with the colours";
  EXPECT_EQ(value(high.levels[0], 7, 9, 3), value(a.levels[0], 7, 9, 3)) << "alpha passes";
  EXPECT_NEAR(sum("low.exr", 1), sum("a.exr", 1), 1e-2) << "the mean stays";
  EXPECT_NEAR(sum("high.exr", 1), 0, 1e-2);
  good({"filter", "a.exr", "-o", "kept.exr", "--highpass", "0.1", "--dc", "keep"});
  EXPECT_NEAR(sum("kept.exr", 1), sum("a.exr", 1), 1e-2);
  good({"filter", "a.exr", "-o", "removed.exr", "--lowpass", "0.1", "--dc", "remove"});
  EXPECT_NEAR(sum("removed.exr", 1), 0, 1e-2);
  const std::vector<Args> all{{"--shape", "ideal"},   {"--shape", "gaussian"},
                              {"--order", "5"},       {"--boundary", "zero"},
                              {"--boundary", "wrap"}, {"--boundary", "clamp"},
                              {"--margin", "3"},      {"--alpha", "pass"},
                              {"--gains", "0.2,1"},   {"--notch", "0.05,0.02,0.02"},
                              {"--homomorphic"},      {"--homomorphic", "--log-offset", "0.5"}};
  std::vector<std::string> made{"low.exr"};
  for (const Args& more : all) {
    Args arguments{"filter", "a.exr", "-o", "x" + std::to_string(made.size()) + ".exr", "--lowpass", "0.1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    good(arguments);
    for (const std::string& other : made) EXPECT_GT(apart(arguments[3], other), 1e-5) << more.front() << " " << other;
    made.push_back(arguments[3]);
  }
  good({"filter", "a.exr", "-o", "band.exr", "--bandpass", "0.1,0.2"});
  good({"filter", "a.exr", "-o", "stop.exr", "--bandstop", "0.1,0.2"});
  EXPECT_NEAR(sum("band.exr", 0) + sum("stop.exr", 0), sum("a.exr", 0), 1e-2);
  good({"filter", "a.exr", "-o", "blur.exr", "--blur", "2"});
  good({"filter", "a.exr", "-o", "same.exr", "--lowpass", "0.0795774715", "--shape", "gaussian"});
  EXPECT_LT(apart("blur.exr", "same.exr"), 1e-5);
  // Blurs with sigma below 1 / (2 pi) texels still have the requested width.
  good({"filter", "a.exr", "-o", "edge.exr", "--blur", "0.159"});
  good({"filter", "a.exr", "-o", "narrow.exr", "--blur", "0.08"});
  good({"filter", "a.exr", "-o", "none.exr", "--blur", "0.0001"});
  EXPECT_LT(apart("none.exr", "a.exr"), 1e-5);
  EXPECT_GT(apart("narrow.exr", "a.exr"), 1e-4);
  EXPECT_GT(apart("edge.exr", "a.exr"), 2 * apart("narrow.exr", "a.exr"));
}

TEST_F(CliFourier, ConvolvesWithAKernel) {
  good({"convolve", "a.exr", "-k", "box.exr", "-o", "b.exr", "--boundary", "clamp"});
  const auto a = read("a.exr"), b = read("b.exr");
  float mean = 0;
  for (uint32_t y = 4; y < 7; ++y) {
    for (uint32_t x = 4; x < 7; ++x) mean += value(a.levels[0], x, y, 0) / 9;
  }
  EXPECT_NEAR(value(b.levels[0], 5, 5, 0), mean, 1e-5);
  good({"convolve", "a.exr", "-k", "box.exr", "-o", "sum.exr", "--scale", "none"});
  EXPECT_NEAR(value(read("sum.exr").levels[0], 5, 5, 0), 9 * mean, 1e-4);
  good({"convolve", "a.exr", "-k", "box.exr", "-o", "full.exr", "--mode", "full"});
  EXPECT_EQ(read("full.exr").levels[0].size(), (Extent{43, 32}));
  good({"convolve", "a.exr", "-k", "box.exr", "-o", "valid.exr", "--mode", "valid"});
  EXPECT_EQ(read("valid.exr").levels[0].size(), (Extent{39, 28}));
  EXPECT_NEAR(value(read("valid.exr").levels[0], 4, 4, 0), mean, 1e-5);
  good({"convolve", "a.exr", "-k", "box.exr", "-o", "moved.exr", "--origin", "0,0"});
  EXPECT_NEAR(value(read("moved.exr").levels[0], 6, 6, 0), mean, 1e-5);
  good({"convolve", "a.exr", "-k", "box.exr", "-o", "alpha.exr", "--alpha", "pass"});
  EXPECT_GT(apart("alpha.exr", "b.exr"), 1e-3);
  make("tint.exr", Format::kRGBA32Sfloat, {1, 1}, [](uint32_t, uint32_t, uint32_t c) { return c == 0 ? 2.F : 0.5F; });
  good({"convolve", "a.exr", "-k", "tint.exr", "-o", "tinted.exr", "--per-channel"});
  EXPECT_NEAR(value(read("tinted.exr").levels[0], 5, 5, 0), 2 * value(a.levels[0], 5, 5, 0), 1e-5);
  good({"convolve", "a.exr", "-k", "tint.exr", "-o", "plain.exr", "--per-channel", "--scale", "unit_per_channel"});
  EXPECT_NEAR(value(read("plain.exr").levels[0], 5, 5, 0), value(a.levels[0], 5, 5, 0), 1e-5);
  make("big.exr", Format::kR32Sfloat, {101, 99}, one);
  good({"convolve", "a.exr", "-k", "big.exr", "-o", "wide.exr", "--boundary", "zero", "--scale", "none"});
  EXPECT_NEAR(value(read("wide.exr").levels[0], 20, 15, 2), sum("a.exr", 2), 1e-2) << "a kernel larger than the image";
}

TEST_F(CliFourier, BloomKeepsTheSumOfLight) {
  make("spot.exr", Format::kRGBA32Sfloat, {60, 40}, [](uint32_t x, uint32_t y, uint32_t c) {
    return c == 3 ? 1.F : x == 30 && y == 20 ? 1000.F : 0.25F;
  });
  for (const Args& more :
       std::vector<Args>{{},
                         {"--threshold", "1"},
                         {"--threshold", "1", "--knee", "0.5", "--rays", "4"},
                         {"--resolution", "half"},
                         {"--method", "mips"},
                         {"--method", "mips", "--resolution", "half", "--spread", "0.9", "--threshold", "1"}}) {
    Args arguments{"bloom", "spot.exr", "-o", "b.exr", "--scatter", "0.2", "--size", "0.7"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    good(arguments);
    const auto b = read("b.exr");
    // The levels of 60x40 do not all halve exactly.
    EXPECT_NEAR(sum("b.exr", 0) / sum("spot.exr", 0), 1, more.size() > 0 && more[0] == "--method" ? 0.02 : 1e-4);
    EXPECT_GT(value(b.levels[0], 33, 20, 0), 0.3F) << "light around the spot";
    if (more.empty() || more[0] == "--threshold") {
      EXPECT_NEAR(value(b.levels[0], 33, 20, 0), value(b.levels[0], 27, 20, 0), 1e-3) << "on both sides alike";
    }
    EXPECT_LT(value(b.levels[0], 30, 20, 0), 990.F);
    EXPECT_EQ(value(b.levels[0], 30, 20, 3), 1);
  }
  good({"bloom", "spot.exr", "-o", "none.exr", "--scatter", "0"});
  EXPECT_LT(apart("none.exr", "spot.exr"), 1e-3);
  make("spot2.exr", Format::kRGBA32Sfloat, {60, 40}, [](uint32_t x, uint32_t y, uint32_t c) {
    return c == 3 ? 1.F : x < 2 && y == 20 ? 1000.F : 0.F;
  });
  good({"bloom", "spot2.exr", "-o", "edge.exr", "--scatter", "0.5", "--size", "0.5"});
  EXPECT_LT(std::fabs(value(read("edge.exr").levels[0], 59, 20, 0)), 1e-3) << "no light from the other edge";
  good({"bloom", "spot.exr", "-o", "boxed.exr", "-k", "box.exr", "--size", "0.05", "--scatter", "1"});
  EXPECT_NEAR(value(read("boxed.exr").levels[0], 31, 21, 1), (1000 + 8 * 0.25) / 9, 1e-2) << "a box of 3x3";
  EXPECT_NEAR(sum("boxed.exr", 0) / sum("spot.exr", 0), 1, 1e-4);
  good({"bloom", "spot2.exr", "-o", "lost.exr", "--scatter", "0.5", "--boundary", "zero"});
  EXPECT_LT(sum("lost.exr", 0), 0.98 * sum("spot2.exr", 0)) << "light leaves the picture";
}

TEST_F(CliFourier, AlignPrintsTheShift) {
  const auto cloud = [](float sx, float sy) {
    return [=](uint32_t x, uint32_t y, uint32_t) {
      const float dx = static_cast<float>(x) - 30 - sx, dy = static_cast<float>(y) - 22 - sy;
      return std::exp(-(dx * dx + 2 * dy * dy) / 40) + 0.5F * std::exp(-((dx - 9) * (dx - 9) + dy * dy) / 20);
    };
  };
  make("one.exr", Format::kR32Sfloat, {64, 48}, cloud(3.25F, -2));
  make("two.exr", Format::kR32Sfloat, {64, 48}, cloud(0, 0));
  for (const std::string kind : {"phase", "cross"}) {
    std::istringstream out(good({"align", "one.exr", "two.exr", "--kind", kind, "--window", "none"}).out);
    double x = 0, y = 0, confidence = 0;
    std::string word;
    out >> x >> y >> word >> confidence;
    EXPECT_NEAR(x, 3.25, 0.05) << kind;
    EXPECT_NEAR(y, -2, 0.05) << kind;
    EXPECT_GT(confidence, 0.9) << kind;
  }
  const auto json =
      nlohmann::json::parse(good({"align", "one.exr", "two.exr", "--json", "--kind", "cross", "--refine", "none"}).out);
  EXPECT_EQ(json["shift"][0], 3.0);
  EXPECT_EQ(json["shift"][1], -2.0);
  EXPECT_NE(good({"align", "one.exr", "two.exr", "--explain"}).out.find("64 = 2^6"), std::string::npos);
  make("small.exr", Format::kR32Sfloat, {64, 47}, pattern);
  refused(1, {"align", "one.exr", "small.exr"}, {"small.exr", "64x47", "64x48"});
  refused(2, {"align", "one.exr"}, {"two images"});
  refused(2, {"align", "one.exr", "two.exr", "two.exr"}, {"two images"});
  refused(2, {"align", "one.exr", "two.exr", "--kind", "best"}, {"--kind"});
  make("nan.exr", Format::kR32Sfloat, {64, 48}, [](uint32_t x, uint32_t y, uint32_t) {
    return x == 5 && y == 6 ? std::numeric_limits<float>::quiet_NaN() : 1.F;
  });
  refused(1, {"align", "one.exr", "nan.exr"}, {"nan.exr", "(5, 6)"});
}

TEST_F(CliFourier, DeconvolveUndoesABlur) {
  make("k.exr", Format::kR32Sfloat, {3, 1}, [](uint32_t x, uint32_t, uint32_t) { return x == 1 ? 0.6F : 0.2F; });
  good({"convolve", "a.exr", "-k", "k.exr", "-o", "soft.exr"});
  const float before = apart("soft.exr", "a.exr");
  good({"deconvolve", "soft.exr", "-k", "k.exr", "-o", "sharp.exr", "--noise", "0", "--edges", "mirror"});
  EXPECT_LT(apart("sharp.exr", "a.exr"), 1e-4F);
  good({"deconvolve", "soft.exr", "-k", "k.exr", "-o", "w.exr", "--noise", "0.0001", "--prior", "laplacian"});
  EXPECT_LT(apart("w.exr", "a.exr"), before);
  good({"deconvolve", "soft.exr", "-k", "k.exr", "-o", "t.exr", "--edges", "taper"});
  good({"deconvolve", "soft.exr", "-k", "k.exr", "-o", "rl.exr", "--method", "richardson_lucy", "--iterations", "30"});
  EXPECT_LT(apart("rl.exr", "a.exr"), before);
  EXPECT_GT(apart("rl.exr", "w.exr"), 1e-5);
  good({"deconvolve", "soft.exr", "-k", "k.exr", "-o", "flat.exr", "--method", "richardson_lucy", "--start",
        "constant"});
  good({"deconvolve", "soft.exr", "-k", "k.exr", "-o", "rl.exr", "--method", "richardson_lucy", "--start", "image"});
  EXPECT_GT(apart("flat.exr", "rl.exr"), 1e-5);
}

// A kernel that does not blur along an axis causes no taper along that axis: one row, and rows at the image border.
TEST_F(CliFourier, TaperSparesAxesWithoutBlur) {
  make("k.exr", Format::kR32Sfloat, {9, 1}, [](uint32_t, uint32_t, uint32_t) { return 1.0F; });
  for (const uint32_t height : {1U, 16U}) {
    make("line.exr", Format::kR32Sfloat, {256, height},
         [](uint32_t x, uint32_t, uint32_t) { return 0.5F + 0.4F * static_cast<float>(std::sin(x * 0.3926990817)); });
    good({"convolve", "line.exr", "-k", "k.exr", "-o", "soft.exr", "--boundary", "wrap"});
    good({"deconvolve", "soft.exr", "-k", "k.exr", "-o", "sharp.exr", "--noise", "0.001", "--edges", "taper"});
    const auto sharp = read("sharp.exr");
    const auto line = read("line.exr");
    for (uint32_t x = 64; x < 192; ++x) {
      ASSERT_NEAR(value(sharp.levels[0], x, 0), value(line.levels[0], x, 0), 0.06) << height << " " << x;
    }
  }
}

// Extreme option values keep their defined meaning.
TEST_F(CliFourier, ExtremeOptionsKeepTheirMeaning) {
  make("flat.exr", Format::kR32Sfloat, {64, 64}, [](uint32_t, uint32_t, uint32_t) { return 0.5F; });
  make("dim.exr", Format::kRGBA32Sfloat, {64, 32},
       [](uint32_t x, uint32_t, uint32_t) { return x < 32 ? 0.01F : 0.0F; });
  good({"filter", "flat.exr", "-o", "kept.exr", "--bandstop", "1e-5,2e-5"});
  EXPECT_NEAR(value(read("kept.exr").levels[0], 20, 30), 0.5F, 1e-4);
  good({"filter", "flat.exr", "-o", "gone.exr", "--bandpass", "1e-5,2e-5"});
  EXPECT_NEAR(value(read("gone.exr").levels[0], 20, 30), 0.0F, 1e-4);
  for (const char* knee : {"4", "100", "1e20"}) {  // wider than the threshold
    good({"bloom", "dim.exr", "-o", "glow.exr", "--threshold", "1", "--knee", knee, "--fov", "0.1"});
    for (uint32_t x = 0; x < 64; ++x) ASSERT_GE(value(read("glow.exr").levels[0], x, 16), -1e-6F) << knee << " " << x;
  }
  // Domain of 65000 + 7: up to the limit of 65535 there is no fast length.
  make("long.exr", Format::kR32Sfloat, {65000, 1}, [](uint32_t x, uint32_t, uint32_t) { return x == 0 ? 1.0F : 0.0F; });
  make("box.exr", Format::kR32Sfloat, {15, 1}, [](uint32_t, uint32_t, uint32_t) { return 1.0F; });
  good({"convolve", "long.exr", "-k", "box.exr", "-o", "wide.exr", "--boundary", "zero", "--engine", "cpu"});
  EXPECT_NEAR(value(read("wide.exr").levels[0], 7, 0), 1 / 15.0, 1e-5);
  EXPECT_NEAR(value(read("wide.exr").levels[0], 64999, 0), 0, 1e-5);
}

TEST_F(CliFourier, BatchesFormatsAndReports) {
  make("b.png", Format::kRGBA8Srgb, {20, 10}, pattern);
  good({"filter", "a.png", "b.png", "--lowpass", "0.2", "-o", "out/"});
  EXPECT_EQ(read("out/a.png").levels[0].size(), (Extent{41, 30}));
  EXPECT_EQ(read("out/b.png").levels[0].format(), Format::kRGBA8Srgb);
  good({"fft", "a.png", "b.png", "-o", "spectra/", "--png", "shown/"});
  EXPECT_EQ(read("spectra/b.exr", {.channels = {"R.re"}}).levels[0].size(), (Extent{11, 10}));
  EXPECT_TRUE(std::filesystem::exists(path("shown/a.png")));
  good({"filter", "a.png", "--lowpass", "0.2", "-o", "f.exr", "--format", "r16g16b16a16_sfloat"});
  EXPECT_EQ(read("f.exr").levels[0].format(), Format::kRGBA16Sfloat);
  const auto out = good({"convolve", "a.png", "-k", "box.exr", "-o", "j.png", "--json", "--explain"}).out;
  const auto json = nlohmann::json::parse(out);
  EXPECT_EQ(json["command"], "convolve");
  EXPECT_EQ(json["results"][0]["width"], 41);
  EXPECT_EQ(json["results"][0]["domain"][0], 45);
  EXPECT_EQ(json["results"][0]["plan"].size(), 4U);
  EXPECT_GT(json["results"][0]["predicted_bytes_read"], 41 * 30 * 4);
  EXPECT_NE(good({"filter", "a.png", "--blur", "2", "-o", "e.png", "--explain"}).out.find("pass 2, columns"),
            std::string::npos);
  EXPECT_EQ(good({"filter", "a.png", "--blur", "2", "-o", "e.png", "-q"}).out, "");
  const Outcome some = run({"filter", "a.png", "none.png", "--blur", "2", "-o", "some/"});
  EXPECT_EQ(some.status, 1);
  EXPECT_TRUE(std::filesystem::exists(path("some/a.png")));
  good({"filter", "a.png", "a.png", "--array", "--blur", "1", "-o", "two.ktx2"});
  EXPECT_EQ(read("two.ktx2").levels[0].slices(), 2U);
  good({"filter", "a.png", "--blur", "1", "-o", "t1.png", "--threads", "1"});
  good({"filter", "a.png", "--blur", "1", "-o", "t5.png", "--threads", "5"});
  same_image("t1.png", "t5.png");
}

TEST_F(CliFourier, WrongUsage) {
  const std::vector<std::pair<Args, std::string>> wrong{
      {{"fft", "a.png"}, "--output or --png"},
      {{"fft", "a.png", "-o", "x.png"}, ".exr"},
      {{"fft", "a.png", "--png", "x.jpg"}, ".png"},
      {{"fft", "a.png", "-o", "x.exr", "--phase"}, "--phase needs --png"},
      {{"fft", "a.png", "-o", "x.exr", "--format", "r8_unorm"}, "--format needs --inverse"},
      {{"fft", "a.png", "-o", "x.exr", "--norm", "half"}, "--norm"},
      {{"fft", "a.exr", "--inverse"}, "--inverse needs --output"},
      {{"fft", "a.exr", "--inverse", "-o", "x.png", "--norm", "none"}, "--norm and --inverse"},
      {{"filter", "a.png", "-o", "x.png"}, "--lowpass"},
      {{"filter", "a.png", "-o", "x.bmp", "--blur", "1"}, "extension"},
      {{"filter", "a.png", "-o", "a.png", "--blur", "1"}, "overwrite"},
      {{"filter", "a.png", "-o", "x.png", "--lowpass", "0.1", "--highpass", "0.2"}, "exclude"},
      {{"filter", "a.png", "-o", "x.png", "--lowpass", "0"}, "or --blur: 0 is"},
      {{"filter", "a.png", "-o", "x.png", "--lowpass", "a"}, "--lowpass: 'a'"},
      {{"filter", "a.png", "-o", "x.png", "--lowpass", "0.1,0.2"}, "--lowpass"},
      {{"filter", "a.png", "-o", "x.png", "--bandpass", "0.1"}, "--bandpass"},
      {{"filter", "a.png", "-o", "x.png", "--bandpass", "0.2,0.1"}, "--bandpass or --bandstop: 0.1"},
      {{"filter", "a.png", "-o", "x.png", "--blur", "0"}, "--blur: 0 is not within 1e-9 and 1e8 texels"},
      {{"filter", "a.png", "-o", "x.png", "--blur", "1e-10"}, "--blur: 1e-10 is not within"},
      {{"filter", "a.png", "-o", "x.png", "--blur", "2e8"}, "--blur: 2e8 is not within"},
      {{"filter", "a.png", "-o", "x.png", "--blur", "1", "--shape", "ideal"}, "--shape"},
      {{"filter", "a.png", "-o", "x.png", "--notch", "0.1,0.2"}, "--notch"},
      {{"filter", "a.png", "-o", "x.png", "--notch", "0.7,0.2,0.1"}, "notches[0]"},
      {{"filter", "a.png", "-o", "x.png", "--lowpass", "0.1", "--order", "0"}, "order: 0"},
      {{"filter", "a.png", "-o", "x.png", "--lowpass", "0.1", "--order", "3", "--shape", "ideal"}, "--order"},
      {{"filter", "a.png", "-o", "x.png", "--lowpass", "0.1", "--log-offset", "1"}, "--homomorphic"},
      {{"filter", "a.png", "-o", "x.png", "--lowpass", "0.1", "--boundary", "wrap", "--margin", "2"}, "margin: 2"},
      {{"filter", "a.png", "-o", "x.png", "--lowpass", "0.1", "--gains", "1"}, "--gains"},
      {{"filter", "a.png", "-o", "x.png", "--lowpass", "0.1", "--engine", "cpu", "--device", "0"}, "--device"},
      {{"convolve", "a.png", "-o", "x.png"}, "--kernel"},
      {{"convolve", "a.png", "-o", "x.png", "-k", "box.exr", "--origin", "1"}, "--origin"},
      {{"convolve", "a.png", "-o", "x.png", "-k", "box.exr", "--mode", "most"}, "--mode"},
      {{"convolve", "a.png", "-o", "x.png", "-k", "box.exr", "--boundary", "round"}, "--boundary"},
      {{"convolve", "a.png", "a.exr", "-o", "x.png", "-k", "box.exr"}, "several inputs"},
      {{"bloom", "a.exr", "-o", "x.exr", "--scatter", "2"}, "--scatter"},
      {{"bloom", "a.exr", "-o", "x.exr", "--size", "0"}, "--size"},
      {{"bloom", "a.exr", "-o", "x.exr", "--threshold", "-1"}, "--threshold"},
      {{"bloom", "a.exr", "-o", "x.exr", "--knee", "-1"}, "--knee"},
      {{"bloom", "a.exr", "-o", "x.exr", "--fov", "0"}, "--fov"},
      {{"bloom", "a.exr", "-o", "x.exr", "--rays", "65"}, "--rays"},
      {{"bloom", "a.exr", "-o", "x.exr", "--rays", "5", "-k", "box.exr"}, "--kernel"},
      {{"bloom", "a.exr", "-o", "x.exr", "--kernel-color", "srgb"}, "--kernel-color"},
      {{"bloom", "a.exr", "-o", "x.exr", "--method", "mips", "--rays", "5"}, "--rays"},
      {{"bloom", "a.exr", "-o", "x.exr", "--method", "mips", "-k", "box.exr"}, "--kernel"},
      {{"bloom", "a.exr", "-o", "x.exr", "--method", "mips", "--boundary", "zero"}, "--boundary"},
      {{"bloom", "a.exr", "-o", "x.exr", "--spread", "0.5"}, "--spread"},
      {{"bloom", "a.exr", "-o", "x.exr", "--method", "mips", "--spread", "2"}, "--spread"},
      {{"bloom", "a.exr", "-o", "x.exr", "--resolution", "third"}, "--resolution"},
      {{"deconvolve", "a.exr", "-o", "x.exr"}, "--kernel"},
      {{"deconvolve", "a.exr", "-o", "x.exr", "-k", "box.exr", "--noise", "-1"}, "noise: -1"},
      {{"deconvolve", "a.exr", "-o", "x.exr", "-k", "box.exr", "--iterations", "5"}, "--iterations"},
      {{"deconvolve", "a.exr", "-o", "x.exr", "-k", "box.exr", "--start", "image"}, "--start"},
      {{"deconvolve", "a.exr", "-o", "x.exr", "-k", "box.exr", "--edges", "unknown"}, "edges: unknown"},
      {{"deconvolve", "a.exr", "-o", "x.exr", "-k", "box.exr", "--method", "richardson_lucy", "--noise", "1"},
       "--noise"},
      {{"deconvolve", "a.exr", "-o", "x.exr", "-k", "box.exr", "--method", "richardson_lucy", "--iterations", "0"},
       "iterations: 0"},
  };
  for (const auto& [arguments, word] : wrong) refused(2, arguments, {word});
}

// Against the CPU: 8-bit values within one step, EXR within 1e-5. Also engine, device and plan in reports.
TEST_F(CliFourier, VulkanMakesTheSame) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  const auto both = [&](Args arguments, const std::string& extension) {
    const std::string cpu = "cpu" + extension, gpu = "gpu" + extension;
    arguments.insert(arguments.end(), {"-q", "--engine", "cpu", "-o", cpu});
    good(arguments);
    *(arguments.end() - 3) = "vulkan";
    arguments.back() = gpu;
    arguments.insert(arguments.end(), {"--device", "llvmpipe", "--json"});
    const auto said = nlohmann::json::parse(good(arguments).out);
    EXPECT_EQ(said["results"][0]["engine"], "vulkan") << arguments[0];
    EXPECT_NE(said["results"][0]["device"], nullptr);
    if (extension == ".png") {
      EXPECT_LE(codes_apart(cpu, gpu), 1) << arguments[0];
    } else {
      EXPECT_LE(apart(cpu, gpu), 1e-5F) << arguments[0];
    }
  };
  both({"filter", "a.png", "--lowpass", "0.1"}, ".png");
  both({"convolve", "a.png", "-k", "box.exr", "--mode", "full"}, ".png");
  both({"bloom", "a.exr", "--size", "0.2", "--threshold", "0.5"}, ".exr");
  both({"bloom", "a.exr", "--size", "2", "--threshold", "0.5", "--method", "mips", "--resolution", "half"}, ".exr");
  both({"deconvolve", "a.exr", "-k", "box.exr"}, ".exr");
  both({"deconvolve", "a.exr", "-k", "box.exr", "--method", "richardson_lucy", "--iterations", "3"}, ".exr");
  good({"fft", "a.png", "-o", "s.exr"});
  both({"fft", "s.exr", "--inverse"}, ".png");
  const std::string plan =
      good({"fft", "a.png", "-o", "t.exr", "--engine", "vulkan", "--device", "llvmpipe", "--explain"}).out;
  EXPECT_NE(plan.find("on the GPU, rows: "), std::string::npos) << plan;
  EXPECT_NE(plan.find("in shared memory, one dispatch"), std::string::npos) << plan;
  make("long.exr", Format::kR32Sfloat, {9000, 2},
       [](uint32_t x, uint32_t, uint32_t) { return static_cast<float>(x % 7); });
  const std::string tables =
      good({"fft", "long.exr", "-o", "u.exr", "--engine", "vulkan", "--device", "llvmpipe", "--explain"}).out;
  EXPECT_NE(tables.find("on the GPU, rows: 100 x 90, four-step, 2 dispatches"), std::string::npos) << tables;
  // Pass 1 reads 9000 x 2 floats and writes 4501 x 2 complex values.
  EXPECT_NE(tables.find("pass 1, rows: 2 lines of 9000 = 2^3 3^2 5^3, 1 channels; reads 72.0 KB, writes 72.0 KB"),
            std::string::npos)
      << tables;
  good({"fft", "t.exr", "--inverse", "-o", "again.png"});
  same_image("a.png", "again.png");
  const Outcome shift = good({"align", "a.png", "a.png", "--engine", "vulkan", "--device", "llvmpipe", "--json"});
  const auto json = nlohmann::json::parse(shift.out);
  EXPECT_EQ(json["engine"], "vulkan");
  EXPECT_NEAR(json["shift"][0].get<double>(), 0, 1e-4);
  EXPECT_NEAR(json["confidence"].get<double>(), 1, 1e-4);
  make("zero.exr", Format::kR32Sfloat, {3, 3}, [](uint32_t, uint32_t, uint32_t) { return 0.F; });
  refused(1, {"convolve", "a.png", "-k", "zero.exr", "-o", "x.png", "--device", "llvmpipe"}, {"zero.exr", "sum to 0"});
}

TEST_F(CliFourier, FailuresNameTheFile) {
  refused(1, {"filter", "none.png", "-o", "x.png", "--blur", "1"}, {"none.png", "no such file"});
  refused(1, {"convolve", "a.png", "-k", "none.exr", "-o", "x.png"}, {"none.exr", "no such file"});
  refused(1, {"convolve", "a.png", "-k", "box.exr", "--per-channel", "-o", "x.png"}, {"kernel", "channels"});
  refused(1, {"convolve", "a.png", "-k", "box.exr", "--origin", "3,0", "-o", "x.png"}, {"--origin: 3,0"});
  make("zero.exr", Format::kR32Sfloat, {3, 3}, [](uint32_t, uint32_t, uint32_t) { return 0.F; });
  refused(1, {"convolve", "a.png", "-k", "zero.exr", "-o", "x.png"}, {"zero.exr", "sum to 0"});
  refused(1, {"fft", "a.exr", "--inverse", "-o", "x.png"}, {"a.exr", "Y.re"});
  refused(1, {"fft", "a.png", "--inverse", "-o", "x.exr"}, {"a.png"});
  refused(1, {"filter", "a.png", "--blur", "1", "-o", "nowhere/x.png"}, {"nowhere/x.png"});
  refused(1, {"fft", "a.png", "-o", "nowhere/x.exr"}, {"nowhere/x.exr"});
  refused(1, {"filter", "a.png", "--blur", "1", "-o", "x.png", "--device", "no such device"}, {"no such device"});
  good({"fft", "a.png", "-o", "s.exr"});
  const std::string whole = bytes("s.exr");
  write_bytes("cut.exr", whole.substr(0, whole.size() / 2));
  refused(1, {"fft", "cut.exr", "--inverse", "-o", "x.png"}, {"cut.exr"});
  std::string lying = whole;  // wrong width in the attribute onepassSize
  const size_t at = lying.find("onepassSize");
  ASSERT_NE(at, std::string::npos);
  lying[at + 12 + 4 + 4] = 99;
  write_bytes("lying.exr", lying);
  refused(1, {"fft", "lying.exr", "--inverse", "-o", "x.png"}, {"lying.exr", "99x30"});
}

}  // namespace
}  // namespace cli_test
