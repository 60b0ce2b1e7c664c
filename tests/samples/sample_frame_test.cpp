// sample_frame_test.cpp: the frame sample as a process: its check, its exposures, its pictures and error messages.
//
// Software Vulkan with validation, unless ONEPASS_TEST_DEVICE and ONEPASS_TEST_VALIDATION=0 say otherwise.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "onepass/files.hpp"
#include "tests/support/shell_word.hpp"

namespace {

struct Outcome {
  int status = -1;
  std::string text;  // stdout and stderr

  // The number after `what`; NaN without it.
  [[nodiscard]] double number_after(const std::string& what) const {
    const size_t at = text.find(what);
    return at == std::string::npos ? std::nan("") : std::strtod(text.c_str() + at + what.size(), nullptr);
  }
};

Outcome run(const std::string& arguments) {
  const std::string command = onepass::testing::shell_word(ONEPASS_SAMPLE) + " " + arguments + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  Outcome outcome;
  char part[4096];
  for (size_t count = 0; (count = std::fread(part, 1, sizeof(part), pipe)) > 0;) outcome.text.append(part, count);
  const int ended = ::pclose(pipe);
  if (WIFEXITED(ended)) outcome.status = WEXITSTATUS(ended);
  return outcome;
}

// Mean and standard deviation of all channels of a picture, 0 to 1.
struct Statistics {
  double mean = 0;
  double deviation = 0;
};

Statistics statistics(const onepass::Image& image) {
  std::vector<float> row(size_t{4} * image.size().width);
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (uint32_t y = 0; y < image.size().height; ++y) {
    onepass::decode_row(image.format(), image.view().row(y), image.size().width, row.data());
    for (size_t i = 0; i < row.size(); ++i) {
      if (i % 4 == 3) continue;
      sum += row[i];
      squares += double{row[i]} * row[i];
      ++count;
    }
  }
  return {sum / count, std::sqrt(squares / count - sum * sum / (count * count))};
}

class SampleFrame : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("onepass_frame_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string common() const {
    const char* device = std::getenv("ONEPASS_TEST_DEVICE");
    const char* validation = std::getenv("ONEPASS_TEST_VALIDATION");
    const bool validated = validation == nullptr || std::string(validation) != "0";
    return std::string(" --device ") + (device != nullptr ? device : "llvmpipe") + (validated ? " --validation" : "") +
           " --output " + onepass::testing::shell_word(folder_.string()) + " --boxes 5000 ";
  }

  // A picture that is neither black nor white nor of one colour.
  void expect_picture(const std::string& name, onepass::Extent size) const {
    const auto picture = onepass::files::read(folder_ / name);
    ASSERT_TRUE(picture) << picture.error().text();
    EXPECT_TRUE(size.width == 0 || picture->base().size == size) << name;
    const Statistics light = statistics(picture->levels.front());
    EXPECT_GT(light.mean, 0.04) << name;
    EXPECT_LT(light.mean, 0.9) << name;
    EXPECT_GT(light.deviation, 0.04) << name;
  }

  std::filesystem::path folder_;
};

// The sample compares every texel with a frame of all objects, linear ray marches, full depth tests and whole fog. The
// size is odd, so that the pyramids' footprints overlap.
TEST_F(SampleFrame, TechniquesChangeNoTexelAndExposureFollowsTheLight) {
  const Outcome outcome = run(common() + "--size 161x91 --frames 2 --timed 0 --view");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("3 frames are identical"), std::string::npos) << outcome.text;
  EXPECT_GT(outcome.number_after("in the dark room, "), outcome.number_after("2 frames, EV100 ") + 5) << outcome.text;
  EXPECT_GT(outcome.number_after("reflections "), 5) << outcome.text;  // least share of hits, percent
  for (const char* name : {"frame.png", "sequence/0000.png", "sequence/0001.png"}) expect_picture(name, {161, 91});
  expect_picture("steps.png", {});
  expect_picture("exposure.png", {});
}

TEST_F(SampleFrame, StereoAndLocalExposureAreIdenticalToo) {
  const Outcome outcome =
      run(common() + "--size 97x65 --stereo --local-exposure --frames 0 --timed 0 --reduce 2 --time 0.6");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("1 frames are identical"), std::string::npos) << outcome.text;
  expect_picture("frame.png", {97, 32});  // 194x65, halved
}

// Every technique with and without: many frames.
TEST_F(SampleFrame, TimesAreWritten) {
  if (std::getenv("ONEPASS_FULL") == nullptr) GTEST_SKIP() << "ONEPASS_FULL is not set";
  const std::filesystem::path csv = folder_ / "times.csv";
  const Outcome outcome =
      run(common() + "--size 64x64 --frames 0 --timed 1 --tiles --csv " + onepass::testing::shell_word(csv.string()));
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("steps per ray instead of"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("tiles of 16x16, 2x2 invocations each"), std::string::npos) << outcome.text;
  EXPECT_GT(std::filesystem::file_size(csv), 500U);
}

TEST_F(SampleFrame, RefusesBadOptionsInOneLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"--size 100", "--size: '100' is not a size"},
      {"--size 8x100", "'8' is not a number from 64 to 8192"},
      {"--boxes 3", "--boxes: '3' is not a number from 4000"},
      {"--time 1.5", "--time: '1.5' is not a number from 0 to 1"},
      {"--depth d16", "--depth: 'd16' is not d32 or d24s8"},
      {"--output-transfer hlg", "--output-transfer: 'hlg' is not srgb or pq"},
      {"--reduce 3", "--reduce: '3' is not 1, 2 or 4"},
      {"--frames", "--frames: needs a value"},
      {"--fast", "unknown option '--fast'"}};
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.text.find(message), std::string::npos) << arguments << ": " << outcome.text;
    EXPECT_EQ(outcome.text.find('\n'), outcome.text.size() - 1) << outcome.text;
  }
  EXPECT_EQ(run("--device nothing_like_this").status, 1);
  EXPECT_EQ(run("--help").status, 0);
}

}  // namespace
