// sample_frame_test.cpp: the frame sample as a process: its check, its exposures, its pictures and error messages.
//
// Software Vulkan with validation, unless ONEPASS_TEST_DEVICE and ONEPASS_TEST_VALIDATION=0 say otherwise.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
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

// A picture as floats, four channels.
struct Floats {
  onepass::Extent size;
  std::vector<float> texels;

  [[nodiscard]] float at(uint32_t x, uint32_t y, uint32_t c) const {
    return texels[4 * (size_t{y} * size.width + x) + c];
  }
};

Floats read(const std::filesystem::path& path) {
  const auto file = onepass::files::read(path);
  if (!file) {
    ADD_FAILURE() << file.error().text();
    return {};
  }
  const onepass::Image& image = file->levels.front();
  Floats result{image.size(), std::vector<float>(size_t{4} * image.size().width * image.size().height)};
  for (uint32_t y = 0; y < image.size().height; ++y) {
    onepass::decode_row(image.format(), image.view().row(y), image.size().width,
                        &result.texels[size_t{4} * image.size().width * y]);
  }
  return result;
}

// Sum of the differences of neighbours in green.
double unevenness(const Floats& picture) {
  double sum = 0;
  for (uint32_t y = 0; y < picture.size.height; ++y) {
    for (uint32_t x = 1; x < picture.size.width; ++x) {
      sum += std::abs(double{picture.at(x, y, 1)} - double{picture.at(x - 1, y, 1)});
    }
  }
  return sum;
}

// Whether a texel's colours are among those that the other picture has around (u, v), in texels; centres have halves.
bool is_near(const Floats& picture, double u, double v, const Floats& other, uint32_t x, uint32_t y) {
  constexpr float kTolerance = 0.02F;
  const auto left = static_cast<uint32_t>(u - 0.5);
  const auto top = static_cast<uint32_t>(v - 0.5);
  for (uint32_t c = 0; c < 3; ++c) {
    float least = 1;
    float most = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      const float value =
          picture.at(std::min(left + i % 2, picture.size.width - 1), std::min(top + i / 2, picture.size.height - 1), c);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    if (other.at(x, y, c) < least - kTolerance || other.at(x, y, c) > most + kTolerance) return false;
  }
  return true;
}

struct Double3 {
  double x, y, z;
};
Double3 operator+(Double3 a, Double3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Double3 operator-(Double3 a, Double3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Double3 operator*(Double3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
double dot(Double3 a, Double3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Double3 normalized(Double3 a) { return a * (1 / std::sqrt(dot(a, a))); }

// A camera of the sample: x to the right, y up, z forward; half the vertical field of view has the tangent 0.52.
struct Camera {
  Camera(Double3 eye, Double3 target, onepass::Extent extent) : at(eye), size(extent) {
    forward = normalized(target - eye);
    right = normalized({forward.z, 0, -forward.x});
    up = {forward.y * right.z - forward.z * right.y, forward.z * right.x - forward.x * right.z,
          forward.x * right.y - forward.y * right.x};
    half_height = 0.52;
    half_width = half_height * size.width / size.height;
  }
  [[nodiscard]] Double3 ray(double x, double y) const {
    return normalized(forward + right * (half_width * (2 * x / size.width - 1)) +
                      up * (half_height * (1 - 2 * y / size.height)));
  }
  [[nodiscard]] std::pair<double, double> project(Double3 point) const {
    const Double3 from = point - at;
    const double away = dot(from, forward);
    return {size.width * (0.5 + 0.5 * dot(from, right) / away / half_width),
            size.height * (0.5 - 0.5 * dot(from, up) / away / half_height)};
  }

  Double3 at, forward{}, right{}, up{};
  onepass::Extent size;
  double half_width = 0, half_height = 0;
};

// Distance to a ball along a ray; 0: none.
double hit_ball(Double3 from, Double3 direction, Double3 middle, double radius) {
  const Double3 to = middle - from;
  const double along = dot(to, direction);
  const double inside = radius * radius - dot(to, to) + along * along;
  return along > 0 && inside > 0 ? along - std::sqrt(inside) : 0;
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

  // The pictures of the steps: blue surfaces are as without reflections, most of the others are not.
  void expect_reflections_of_the_screen() const {
    const Floats without = read(folder_ / "surfaces.png");
    const Floats with = read(folder_ / "reflected.png");
    const Floats roughness = read(folder_ / "roughness.png");
    double changed = 0;
    double reflecting = 0;
    for (uint32_t y = 0; y < 90; ++y) {
      for (uint32_t x = 0; x < 160; ++x) {
        double difference = 0;
        for (uint32_t c = 0; c < 3; ++c) {
          difference = std::max(difference, std::abs(double{with.at(x, y, c)} - double{without.at(x, y, c)}));
        }
        if (roughness.at(x, y, 0) != roughness.at(x, y, 2)) {  // blue: no reflections
          EXPECT_EQ(difference, 0) << x << ", " << y;
        } else {
          ++reflecting;
          changed += difference > 0.02 ? 1 : 0;
        }
      }
    }
    EXPECT_GT(reflecting, 2000);
    EXPECT_GT(changed, 0.4 * reflecting) << reflecting;
    // Rays of one frame are noisy, because most of the surfaces are rough; the filters take the noise away.
    EXPECT_GT(unevenness(read(folder_ / "rays.png")), 1.5 * unevenness(read(folder_ / "reflections.png")));
  }

  std::filesystem::path folder_;
};

// The sample compares every texel with a frame of all objects, linear ray marches, full depth tests and whole fog. The
// size is odd, so that the pyramids' footprints overlap.
TEST_F(SampleFrame, TechniquesChangeNoTexelAndExposureFollowsTheLight) {
  const Outcome outcome = run(common() + "--size 161x91 --frames 2 --timed 0 --view");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("3 frames are identical"), std::string::npos) << outcome.text;
  EXPECT_GT(outcome.number_after("at the begin, "), outcome.number_after("2 frames, EV100 ") + 5) << outcome.text;
  EXPECT_GT(outcome.number_after("confidences of "), 0.05) << outcome.text;  // the least one
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

// The floor as a mirror shows the gold ball where the definition of a mirror says, in the colours that the picture of
// the surfaces has at the reflected point. Camera and ball: those of the sample at --time 0.42.
TEST_F(SampleFrame, MirrorFloorShowsTheBallAboveIt) {
  const onepass::Extent size{320, 180};
  const std::string options = common() + "--size 320x180 --frames 0 --timed 0 --time 0.42 --floor-roughness 0 ";
  const Outcome outcome = run(options + "--step surfaces --step reflections --step confidence");
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  const Floats surfaces = read(folder_ / "surfaces.png");
  const Floats reflections = read(folder_ / "reflections.png");
  const Floats confidence = read(folder_ / "confidence.png");
  const Camera camera({-1.35, 1.45, -8.6}, {0.55, 2.05, 6.0}, size);
  const Double3 ball{0.75, 0.62, -3.6};
  const double radius = 0.62;
  double compared = 0;
  double right = 0;
  double aside = 0;
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t x = 0; x < size.width; ++x) {
      const Double3 eye_ray = camera.ray(x + 0.5, y + 0.5);
      if (eye_ray.y > -0.01 || hit_ball(camera.at, eye_ray, ball, radius) > 0) continue;
      const Double3 floor = camera.at + eye_ray * (-camera.at.y / eye_ray.y);
      const Double3 mirrored{eye_ray.x, -eye_ray.y, eye_ray.z};
      const double distance = hit_ball(floor, mirrored, ball, radius);
      if (distance <= 0) continue;
      const Double3 met = floor + mirrored * distance;
      // The front of the ball, away from its silhouette, where the screen shows what the floor mirrors.
      if (dot(normalized(met - ball), normalized(camera.at - met)) < 0.35) continue;
      const auto [u, v] = camera.project(met);
      if (u < 1 || v < 1 || u > size.width - 1 || v > size.height - 1) continue;
      ++compared;
      if (confidence.at(x, y, 0) < 0.9F) continue;
      right += is_near(surfaces, u, v, reflections, x, y) ? 1 : 0;
      aside += is_near(surfaces, u + 12, v, reflections, x, y) ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 200);
  EXPECT_GT(right, 0.97 * compared) << compared << " texels";
  EXPECT_LT(aside, 0.5 * compared) << compared << " texels";
}

// What --step surfaces shows has no reflections of the screen; the picture with reflections differs in the floor, and
// not in the ceiling.
TEST_F(SampleFrame, ReflectionsChangeReflectingSurfacesOnly) {
  for (const char* resolution : {"", "--half-reflections "}) {
    const Outcome outcome = run(common() + resolution +
                                "--size 160x90 --frames 0 --timed 0 --step surfaces --step reflected --step roughness "
                                "--step rays --step reflections");
    ASSERT_EQ(outcome.status, 0) << outcome.text;
    expect_reflections_of_the_screen();
  }
}

// Every technique with and without: many frames.
TEST_F(SampleFrame, TimesAreWritten) {
  if (std::getenv("ONEPASS_FULL") == nullptr) GTEST_SKIP() << "ONEPASS_FULL is not set";
  const std::filesystem::path csv = folder_ / "times.csv";
  const Outcome outcome =
      run(common() + "--size 64x64 --frames 0 --timed 1 --tiles --csv " + onepass::testing::shell_word(csv.string()));
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("mean confidence 0."), std::string::npos) << outcome.text;
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
      {"--rays 3", "--rays: '3' is not quarter, 1, 2 or 4"},
      {"--step mirror",
       "--step: 'mirror' is not normals, roughness, motion, surfaces, rays, reflections, confidence or reflected"},
      {"--floor-roughness 2", "--floor-roughness: '2' is not a number from 0 to 1"},
      {"--until 1.1", "--until: '1.1' is not a number from 0 to 1"},
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
