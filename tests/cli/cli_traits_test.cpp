// cli_traits_test.cpp: every statement that a file can make about its picture (trait_files.cpp) x every command that
// takes pictures. A command must do with the file what it does with a plain file of the same picture: upright floats of
// linear light, with the same primaries and premultiplied alpha.
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfStandardAttributes.h>

#include <algorithm>
#include <cmath>

#include "tests/cli/cli_support.hpp"
#include "tests/files/trait_files.hpp"

namespace cli_test {
namespace {

using files_test::ExrSpec;
using files_test::trait_files;
using files_test::TraitFile;
using onepass::AlphaAssociation;
using onepass::Chromaticities;
using onepass::files::ImageFile;

class CliTraits : public Cli {
 protected:
  // The plain file of the picture.
  void save_plain(const TraitFile& c) const {
    const double weight = c.alpha == AlphaAssociation::kStraight ? files_test::kTraitAlpha / 255.0 : 1;
    const auto channel = [&](const char* name, uint32_t k) {
      return ExrSpec::Channel{name, ExrSpec::Type::kFloat, [&c, k, weight](int x, int y, int /*level*/) {
                                return weight * c.shown(static_cast<uint32_t>(x), static_cast<uint32_t>(y), k);
                              }};
    };
    ExrSpec spec;
    spec.data = spec.display = {0, 0, static_cast<int>(c.width()) - 1, static_cast<int>(c.height()) - 1};
    spec.channels = {channel("R", 0), channel("G", 1), channel("B", 2)};
    if (c.alpha) {
      spec.channels.push_back(
          {"A", ExrSpec::Type::kFloat, [](int, int, int) { return files_test::kTraitAlpha / 255.0; }});
    }
    spec.edit = [&c](Imf::Header& header) {
      const Chromaticities p = c.primaries.value_or(onepass::kRec709Chromaticities);
      const auto point = [](const auto& xy) {
        return Imath::V2f(static_cast<float>(xy[0]), static_cast<float>(xy[1]));
      };
      Imf::addChromaticities(header, Imf::Chromaticities(point(p.red), point(p.green), point(p.blue), point(p.white)));
    };
    make_exr(path("plain.exr"), spec);
  }

  // Runs a command over the file and over the plain one. The warning of the file is named once, or there is none.
  void run_both(const TraitFile& c, Args arguments, const std::string& extension) const {
    arguments.insert(arguments.begin() + 1, c.name);
    if (!extension.empty()) arguments.insert(arguments.end(), {"-o", "out" + extension});
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    size_t named = 0;
    for (size_t at = 0; (at = outcome.err.find(c.warning, at)) != std::string::npos && !c.warning.empty(); ++at)
      ++named;
    EXPECT_EQ(named, c.warning.empty() ? 0U : 1U) << outcome.err;
    out_ = outcome.out;
    arguments[1] = "plain.exr";
    if (!extension.empty()) arguments.back() = "plain_out" + extension;
    plain_out_ = good(arguments).out;
  }

  // The largest difference of red, green and blue between the two outputs, relative to the largest light.
  [[nodiscard]] double difference(const TraitFile& c, const std::string& extension) const {
    const ImageFile a = read("out" + extension);
    const ImageFile b = read("plain_out" + extension);
    EXPECT_EQ(a.levels.size(), b.levels.size());
    EXPECT_EQ(a.base().size, Extent({c.width(), c.height()}));
    EXPECT_TRUE(same_chromaticities(a.primaries, b.primaries));
    EXPECT_EQ(a.alpha, b.alpha);
    if (a.base().size != b.base().size || a.levels.size() != b.levels.size()) return 1e9;
    double most = 0;
    double largest = 0;
    for (size_t n = 0; n < a.levels.size(); ++n) {
      const auto [width, height] = a.levels[n].size();
      for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) {
          for (uint32_t k = 0; k < 3; ++k) {
            const double got = files_test::texel(a.levels[n].view(), x, y, k);
            const double wanted = files_test::texel(b.levels[n].view(), x, y, k);
            most = std::max(most, std::abs(got - wanted));
            largest = std::max(largest, std::abs(wanted));
          }
        }
      }
    }
    return most / largest;
  }

  // One file for each pair of a type and a trait; of the orientations that of most turned cameras.
  static std::vector<TraitFile> some_files() {
    std::vector<TraitFile> some;
    for (TraitFile& c : trait_files()) {
      const bool known = std::any_of(some.begin(), some.end(), [&](const TraitFile& other) {
        return other.type == c.type && other.trait == c.trait;
      });
      const bool upright = c.trait == files_test::Trait::kOrientation && c.orientation < 3;
      if (!known && !upright) some.push_back(std::move(c));
    }
    return some;
  }

  mutable std::string out_, plain_out_;
};

// Twice the slack of values encoded by sRGB, whose steepest decoding has slope 2.3.
double slack(const TraitFile& c) { return 4 * c.slack; }

TEST_F(CliTraits, MipsShowThePictureAsMeant) {
  for (const TraitFile& c : trait_files()) {
    SCOPED_TRACE(c.name + ", orientation " + std::to_string(c.orientation));
    files_test::save(path(c.name), c.file);
    save_plain(c);
    run_both(c, {"mips", "--engine", "cpu", "--format", "r32g32b32a32_sfloat"}, ".exr");
    EXPECT_LT(difference(c, ".exr"), slack(c));
  }
}

TEST_F(CliTraits, OtherCommandsTakeThePictureAsMeant) {
  make("kernel.pfm", Format::kR32Sfloat, {3, 3},
       [](uint32_t x, uint32_t y, uint32_t) { return static_cast<float>(x + 3 * y + 1); });
  const std::vector<Args> filters = {{"filter", "--lowpass", "0.2"},
                                     {"bloom", "--scatter", "0.2"},
                                     {"convolve", "--kernel", "kernel.pfm"},
                                     {"deconvolve", "--kernel", "kernel.pfm", "--noise", "0.5"}};
  for (const TraitFile& c : some_files()) {
    SCOPED_TRACE(c.name + ", orientation " + std::to_string(c.orientation));
    files_test::save(path(c.name), c.file);
    save_plain(c);
    for (Args command : filters) {
      SCOPED_TRACE(command[0]);
      command.insert(command.end(), {"--engine", "cpu", "--format", "r32g32b32a32_sfloat"});
      run_both(c, command, ".exr");
      EXPECT_LT(difference(c, ".exr"), slack(c));
    }
    run_both(c, {"tonemap", "--engine", "cpu", "--exposure", "0"}, ".png");
    EXPECT_LT(difference(c, ".png"), slack(c));
    run_both(c, {"meter", "--engine", "cpu", "--json"}, "");
    const auto exposure = [](const std::string& text) {
      return nlohmann::json::parse(text)["results"][0]["exposure"].get<double>();
    };
    EXPECT_NEAR(std::log2(exposure(out_) / exposure(plain_out_)), 0, 0.1);
    run_both(c, {"fft", "--engine", "cpu"}, ".exr");
    for (const std::string name : {"out.exr", "plain_out.exr"}) {
      good({"fft", name, "--inverse", "--engine", "cpu", "--format", "r32g32b32a32_sfloat", "-o", "back_" + name});
      std::filesystem::rename(path("back_" + name), path(name));
    }
    EXPECT_LT(difference(c, ".exr"), slack(c));
    const Outcome aligned = run({"align", c.name, "plain.exr", "--engine", "cpu", "--json"});
    ASSERT_EQ(aligned.status, 0) << aligned.err;
    EXPECT_NE(aligned.err.find(c.warning), std::string::npos) << aligned.err;
    const auto shift = nlohmann::json::parse(aligned.out);
    EXPECT_NEAR(shift["shift"][0].get<double>(), 0, 0.05) << shift.dump();
    EXPECT_NEAR(shift["shift"][1].get<double>(), 0, 0.05) << shift.dump();
    // Depths are numbers: statements about colours say nothing of them.
    const Outcome depth = run({"hiz", c.name, "--channel", "R", "--engine", "cpu", "-o", "depth.ktx2"});
    ASSERT_EQ(depth.status, 0) << depth.err;
    EXPECT_EQ(read("depth.ktx2").base().size, Extent({c.width(), c.height()}));
    const Outcome tiles = run({"tiles", c.name, "-o", "out.tif"});
    EXPECT_EQ(tiles.status, 0) << tiles.err;
    EXPECT_NE(tiles.err.find(c.warning.empty() ? c.tiles_warning : c.warning), std::string::npos) << tiles.err;
  }
}

}  // namespace
}  // namespace cli_test
