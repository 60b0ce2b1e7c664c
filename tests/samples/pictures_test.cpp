// pictures_test.cpp: pyramids, transforms, meters and tone maps of real pictures, on both engines, against the oracles.
//
// Pictures: what the frame sample draws, and the files of ONEPASS_TEST_PICTURES, files and folders (with all folders
// below) separated by colons. Of an OpenEXR file with a channel Z, that channel is a picture of its own.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "onepass/files.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/fourier/fourier_testing.hpp"
#include "tests/luminance/luminance_oracle.hpp"
#include "tests/support/shell_word.hpp"
#include "tests/tone_map/tone_map_oracle.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {
namespace {

namespace fs = std::filesystem;

struct Picture {
  std::string name;
  Image image;
};

class Pictures : public VulkanTest {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("onepass_pictures_" + std::to_string(std::random_device{}()));
    const char* device = std::getenv("ONEPASS_TEST_DEVICE");
    const std::string command =
        testing::shell_word(ONEPASS_SAMPLE) + " --device " + (device != nullptr ? device : "llvmpipe") +
        " --size 321x181 --frames 0 --timed 0 --output " + testing::shell_word(folder_.string()) + " > " +
        testing::shell_word(folder_.string() + ".log");
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    add(folder_ / "frame.png");
    const char* list = std::getenv("ONEPASS_TEST_PICTURES");
    std::string rest = list != nullptr ? list : "";
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(':'), rest.size());
      add_all(rest.substr(0, end));
      rest.erase(0, end + 1);
    }
    std::printf("%zu pictures\n", pictures_.size());
  }
  static void TearDownTestSuite() {
    pictures_.clear();
    fs::remove_all(folder_);
    fs::remove(folder_.string() + ".log");
  }

  static std::vector<Picture> pictures_;

 private:
  static void add(const fs::path& path) {
    auto file = files::read(path);
    ASSERT_TRUE(file) << file.error().text();
    pictures_.push_back({path.filename().string(), std::move(file->levels.front())});
    if (file->type != files::Type::kExr) return;
    files::ReadOptions depth;
    depth.channels = {"Z"};
    if (auto with_depth = files::read(path, depth)) {
      pictures_.push_back({path.filename().string() + " Z", std::move(with_depth->levels.front())});
    }
  }
  static void add_all(const fs::path& path) {
    ASSERT_TRUE(fs::exists(path)) << "ONEPASS_TEST_PICTURES: " << path;
    if (!fs::is_directory(path)) return add(path);
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file() && files::type_of_extension(entry.path()) != files::Type::kUnknown) {
        found.push_back(entry.path());
      }
    }
    ASSERT_FALSE(found.empty()) << "ONEPASS_TEST_PICTURES: no pictures in " << path;
    std::sort(found.begin(), found.end());
    for (const fs::path& file : found) add(file);
  }

  static fs::path folder_;
};

std::vector<Picture> Pictures::pictures_;
fs::path Pictures::folder_;

/// The error allowed for the device's decoding: one bit for UNORM, half a quantised step for sRGB.
double device_error(Format format) {
  const ChannelType type = format_info(format).type;
  return type == ChannelType::kSrgb ? 0x1p-9 : type == ChannelType::kUnorm ? 0x1p-23 : 0;
}

/// The linear value of an sRGB code half a code above that of `value`, minus `value`.
double half_srgb_code(double value) {
  const double code = value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
  const double above = code + 0.5 / 255;
  return (above <= 0.04045 ? above / 12.92 : std::pow((above + 0.055) / 1.055, 2.4)) - value;
}

/// The error allowed for a spectrum, relative to its Euclidean norm. A device may decode every sRGB code half a code
/// too high or too low, which is a larger share of a dark picture than of a bright one. The spectrum of a real signal
/// has half of the values: at least half of the picture's energy, at most all of the error's.
double spectrum_device_error(const ImageView& source, uint32_t channels) {
  if (format_info(source.format).type != ChannelType::kSrgb) return device_error(source.format);
  double errors = 0;
  double values = 0;
  std::vector<float> row(size_t{4} * source.size.width);
  for (uint32_t y = 0; y < source.size.height; ++y) {
    decode_row(source.format, source.row(y), source.size.width, row.data());
    for (size_t i = 0; i < row.size(); ++i) {
      if (i % 4 >= channels) continue;
      const double error = half_srgb_code(row[i]);
      errors += error * error;
      values += double{row[i]} * row[i];
    }
  }
  return std::sqrt(2 * errors / values);
}

::testing::AssertionResult cpu_build_matches(const PyramidOptions& options, const ImageView& source) {
  Levels levels(options);
  auto pyramid = cpu::Pyramid::create(options);
  if (!pyramid) return ::testing::AssertionFailure() << describe(options) << ": " << pyramid.error().text();
  if (auto built = pyramid->build(source, levels.views); !built) {
    return ::testing::AssertionFailure() << describe(options) << ": " << built.error().text();
  }
  return matches(oracle_pyramid(options, source), levels.views, cpu_tolerance(options), describe(options));
}

TEST_F(Pictures, PyramidsAreRight) {
  for (const Picture& picture : pictures_) {
    SCOPED_TRACE(picture.name);
    const ImageView source = picture.image.view();
    PyramidOptions options{.size = source.size, .source = source.format, .target = source.format};
    for (const Footprint footprint : {Footprint::kCovering, Footprint::kAligned}) {
      for (const Reduction reduction : {Reduction::kMean, Reduction::kMin}) {
        options.footprint = footprint;
        options.reduction = reduction;
        EXPECT_TRUE(cpu_build_matches(options, source));
        EXPECT_TRUE(gpu_build_matches(options, {}, source));
      }
    }
  }
}

// Of the corner of at most 2048 texels each way.
TEST_F(Pictures, SpectraAreRight) {
  for (const Picture& picture : pictures_) {
    SCOPED_TRACE(picture.name);
    ImageView source = picture.image.view();
    source.size = {std::min(source.size.width, 2048U), std::min(source.size.height, 2048U)};
    const TransformOptions options{.size = source.size,
                                   .channels = std::min(uint32_t{format_info(source.format).channels}, 3U),
                                   .source = source.format};
    const auto plan = plan_transform(options);
    ASSERT_TRUE(plan) << plan.error().text();
    const ComplexValues expected = oracle_spectrum(options, source);

    std::vector<std::byte> spectrum(plan->spectrum_bytes);
    auto transform = cpu::Transform::create(options);
    ASSERT_TRUE(transform) << transform.error().text();
    auto done = transform->forward(source, spectrum);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_LE(relative_error(read_pairs(options, spectrum), expected), kFourierFloatError) << describe(options);

    std::fill(spectrum.begin(), spectrum.end(), std::byte{0});
    auto reported = vulkan::transform_forward(test_device(), options, {}, source, spectrum);
    ASSERT_TRUE(reported) << reported.error().text();
    EXPECT_LE(relative_error(read_pairs(options, spectrum), expected),
              kFourierFloatError + spectrum_device_error(source, options.channels))
        << describe(options);
  }
}

TEST_F(Pictures, ExposuresAreRight) {
  for (const Picture& picture : pictures_) {
    SCOPED_TRACE(picture.name);
    const ImageView source = picture.image.view();
    const MeterOptions options{.size = source.size, .source = source.format};
    MeterResult result;
    auto meter = cpu::Meter::create(options);
    ASSERT_TRUE(meter) << meter.error().text();
    auto done = meter->measure(source, {&result, 1}, {});
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_TRUE(result_matches(options, oracle_meter(options, source, 0), result));

    auto reported = vulkan::meter_image(test_device(), options, {}, source, {&result, 1});
    ASSERT_TRUE(reported) << reported.error().text();
    EXPECT_TRUE(result_matches(options, oracle_meter(options, source, 0, {}, device_error(source.format)), result));
  }
}

TEST_F(Pictures, ToneMapsAreRight) {
  for (const Picture& picture : pictures_) {
    SCOPED_TRACE(picture.name);
    const ImageView source = picture.image.view();
    const bool grey = format_info(source.format).channels == 1;
    for (const ToneOperator tone_operator :
         {ToneOperator::kAcesNarkowicz, ToneOperator::kAgxBlender, ToneOperator::kPbrNeutral}) {
      const ToneMapOptions options{.size = source.size,
                                   .source = source.format,
                                   .target = grey ? Format::kR8Srgb : Format::kRGBA8Srgb,
                                   .tone_operator = tone_operator};
      PaddedImage target(options.target, options.size);
      const auto map = cpu::ToneMap::create(options);
      ASSERT_TRUE(map) << map.error().text();
      auto done = map->apply(source, target.view());
      ASSERT_TRUE(done) << done.error().text();
      EXPECT_TRUE(tones_match(options, source, target.view(), 1e-5));

      auto reported = vulkan::map_tones(test_device(), options, {}, source, target.view(), 1);
      ASSERT_TRUE(reported) << reported.error().text();
      EXPECT_TRUE(tones_match(options, source, target.view(), 1e-5 + 2 * device_error(source.format) + 0.02 / 255));
    }
  }
}

}  // namespace
}  // namespace onepass::testing
