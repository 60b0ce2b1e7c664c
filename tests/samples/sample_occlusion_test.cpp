// sample_occlusion_test.cpp: the occlusion sample as a process: its pictures, counts, files and error messages.
//
// Software Vulkan with validation, unless ONEPASS_TEST_DEVICE and ONEPASS_TEST_VALIDATION=0 say otherwise.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "onepass/files.hpp"
#include "tests/support/shell_word.hpp"

namespace {

struct Outcome {
  int status = -1;
  std::string text;  // stdout and stderr
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

// Column sums of a CSV file; `lines` is the number of lines after the header.
struct Sums {
  size_t lines = 0;
  double in_view = 0, drawn = 0, wrong = 0;
};

Sums read_csv(const std::filesystem::path& path) {
  Sums sums;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line,
            "frame,boxes,in_view,drawn_phase_1,drawn_phase_2,phase_1_us,pyramid_us,cull_us,phase_2_us,total_us,"
            "in_view_us,all_boxes_us,wrong_pixels");
  while (std::getline(file, line)) {
    std::vector<double> values;
    std::stringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) values.push_back(std::stod(field));
    if (values.size() != 13) {
      ADD_FAILURE() << path << ": " << line;
      continue;
    }
    ++sums.lines;
    sums.in_view += values[2];
    sums.drawn += values[3] + values[4];
    sums.wrong += values[12];
  }
  return sums;
}

class SampleOcclusion : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("onepass_occlusion_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string common() const {
    const char* device = std::getenv("ONEPASS_TEST_DEVICE");
    const char* validation = std::getenv("ONEPASS_TEST_VALIDATION");
    const bool validated = validation == nullptr || std::string(validation) != "0";
    return std::string(" --device ") + (device != nullptr ? device : "llvmpipe") + (validated ? " --validation" : "") +
           " --output " + onepass::testing::shell_word(folder_.string()) + " --csv " +
           onepass::testing::shell_word((folder_ / "frames.csv").string()) + " ";
  }

  void expect_picture(const std::string& name, onepass::Extent size) const {
    const auto picture = onepass::files::read(folder_ / name);
    ASSERT_TRUE(picture) << picture.error().text();
    EXPECT_TRUE(size.width == 0 || picture->base().size == size) << name;
  }

  std::filesystem::path folder_;
};

TEST_F(SampleOcclusion, CulledFramesAreIdenticalAndDrawLess) {
  for (const onepass::Extent size : {onepass::Extent{320, 180}, onepass::Extent{319, 179}}) {
    const Outcome outcome = run(common() + "--boxes 2000 --frames 24 --size " + std::to_string(size.width) + "x" +
                                std::to_string(size.height));
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    EXPECT_NE(outcome.text.find("all frames are identical"), std::string::npos) << outcome.text;
    const Sums sums = read_csv(folder_ / "frames.csv");
    EXPECT_EQ(sums.lines, 24U);
    EXPECT_EQ(sums.wrong, 0);
    EXPECT_LT(sums.drawn, 0.5 * sums.in_view);
    EXPECT_GT(sums.drawn, 24);
    expect_picture("frame.png", size);
    expect_picture("map.png", {});
    expect_picture("pyramid.png", {});
    EXPECT_FALSE(std::filesystem::exists(folder_ / "wrong.png"));
  }
}

TEST_F(SampleOcclusion, AlignedHidesWhatIsVisibleWhereCoveringDoesNot) {
  const std::string scene = common() + "--boxes 4000 --frames 48 --size 319x179 --footprint ";
  const Outcome covering = run(scene + "covering");
  EXPECT_EQ(covering.status, 0) << covering.text;
  EXPECT_EQ(read_csv(folder_ / "frames.csv").wrong, 0);

  const Outcome aligned = run(scene + "aligned");
  EXPECT_EQ(aligned.status, 0) << aligned.text;
  EXPECT_NE(aligned.text.find("aligned hides visible boxes"), std::string::npos) << aligned.text;
  EXPECT_GT(read_csv(folder_ / "frames.csv").wrong, 0);
  expect_picture("wrong.png", {});
  expect_picture("wrong_difference.png", {});
}

TEST_F(SampleOcclusion, RefusesBadOptionsInOneLine) {
  const std::vector<std::pair<std::string, std::string>> cases{{"--size 100", "--size: '100' is not a size"},
                                                               {"--size 8x100", "'8' is not a number from 16 to 8192"},
                                                               {"--boxes 3", "--boxes: '3' is not a number from 500"},
                                                               {"--frames -1", "--frames: '-1'"},
                                                               {"--footprint best", "'best' is not covering"},
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
