// cli_tune_test.cpp: `onepass tune`, and --tunings of the commands that use Vulkan devices.
#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

constexpr const char* kPerLevel = R"({"onepass_tunings": 1, "pyramid": [{"use": {"path": "per_level"}}]})";

TEST_F(Cli, TuneMeasuresPrintsAndWrites) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  const auto outcome =
      good({"tune", "--technique", "tile_reduction", "--device", "0", "--seconds", "0.5", "-o", "tunings.json"});
  EXPECT_NE(outcome.out.find("tile_reduction 3840x2160 r32_sfloat max 8"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("default us"), std::string::npos) << outcome.out;
  const auto tunings = nlohmann::json::parse(bytes("tunings.json"));
  EXPECT_EQ(tunings["onepass_tunings"], 1);
  const auto info = nlohmann::json::parse(good({"info", "--json"}).out);
  EXPECT_EQ(tunings["device"], info["vulkan"][0]["name"]);
  const auto tuned = nlohmann::json::parse(good({"info", "--json", "--tunings", "tunings.json"}).out);
  EXPECT_TRUE(tuned["vulkan"][0]["tunings"].get<std::string>().starts_with("caller's text: "));
  EXPECT_NE(good({"info", "--tunings", "tunings.json"}).out.find("tunings: caller's text: "), std::string::npos);
}

TEST_F(Cli, TuneReportsJson) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  const auto outcome =
      good({"tune", "--technique", "tile_reduction,meter", "--device", "0", "--seconds", "0.2", "--json"});
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["command"], "tune");
  EXPECT_TRUE(json["output"].is_null());
  ASSERT_GE(json["cases"].size() + json["notes"].size(), 2U);  // what is not measured has a note
  ASSERT_GE(json["cases"].size(), 1U);
  EXPECT_EQ(json["cases"][0]["technique"], "tile_reduction");
  for (const auto& one : json["cases"]) {
    EXPECT_GT(one["default_us"].get<double>(), 0);
    EXPECT_LE(one["best_us"].get<double>(), one["default_us"].get<double>());
  }
  EXPECT_EQ(json["tunings"]["onepass_tunings"], 1);
  EXPECT_EQ(good({"tune", "--technique", "tile_reduction", "--device", "0", "--seconds", "0.2", "-q"}).out, "");
}

TEST_F(Cli, TuneShowsItsProgressOnTerminals) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  const auto shown =
      run({"tune", "--technique", "tile_reduction", "--device", "0", "--seconds", "0.2"}, {.terminal = true});
  EXPECT_EQ(shown.status, 0);
  EXPECT_NE(shown.err.find("%  tile_reduction 3840x2160"), std::string::npos) << shown.err;
}

TEST_F(Cli, TuneRefusesWithoutMeasuring) {
  bad(2, {"tune", "--technique", "pyramids"}, {"'pyramids' is not one of", "did you mean pyramid"});
  bad(2, {"tune", "--seconds", "0"}, {"--seconds"});
  if (has_vulkan()) bad(2, {"tune", "--device", "no such device"}, {"no such device"});
  bad(1, {"tune", "-o", "no/such/directory.json"}, {"no/such"});
  const WithVariable none("VK_ICD_FILENAMES", "none");
  const WithVariable no_files("VK_DRIVER_FILES", "none");
  bad(2, {"tune"}, {"no Vulkan driver", "the CPU engine has none"});
}

TEST_F(Cli, TuningsHaveAnEffect) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  make("a.exr", Format::kR32Sfloat, {67, 45}, pattern);
  write_bytes("tunings.json", kPerLevel);
  good({"hiz", "a.exr", "-o", "cpu.ktx2", "--engine", "cpu"});
  const Args on_device{"hiz", "a.exr", "-o", "gpu.ktx2", "--engine", "vulkan", "--device", "0", "--json"};
  const auto path_with = [&](const Args& more) {
    Args arguments = on_device;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto json = nlohmann::json::parse(good(arguments).out);
    EXPECT_TRUE(bytes("cpu.ktx2") == bytes("gpu.ktx2"));
    return json["results"][0]["path"].get<std::string>();
  };
  EXPECT_NE(path_with({}), "per_level");
  EXPECT_EQ(path_with({"--tunings", "tunings.json"}), "per_level");
  EXPECT_NE(path_with({"--tunings", "tunings.json", "--path", "single_dispatch"}), "per_level") << "options go first";
}

TEST_F(Cli, TuningsOfAnotherDeviceWarn) {
  if (!has_vulkan()) GTEST_SKIP() << "no Vulkan device";
  make("a.png", Format::kRGBA8Srgb, {16, 16}, pattern);
  write_bytes("other.json", R"({"onepass_tunings": 1, "device": "no such device"})");
  write_bytes("every.json", R"({"onepass_tunings": 1})");
  const Args on_device{"mips", "a.png", "-o", "a.ktx2", "--engine", "vulkan", "--device", "0", "--tunings"};
  const auto errors_with = [&](const Args& more) {
    Args arguments = on_device;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.err;
  };
  EXPECT_NE(errors_with({"other.json"}).find("warning: --tunings: the file has none for "), std::string::npos);
  EXPECT_EQ(errors_with({"other.json", "--quiet"}).find("warning: --tunings"), std::string::npos);
  EXPECT_EQ(errors_with({"every.json"}).find("warning: --tunings"), std::string::npos);
}

TEST_F(Cli, EveryCommandOfTheDeviceTakesTunings) {
  make("a.png", Format::kRGBA8Srgb, {16, 16}, pattern);
  make("b.png", Format::kRGBA8Srgb, {16, 16}, pattern);
  write_bytes("wrong.json", "{\"onepass_tunings\": 1,\n \"meter\": [{\"use\": {\"copies\": 3}}]}");
  const std::vector<Args> commands{{"mips", "a.png", "-o", "o.ktx2"},
                                   {"hiz", "a.png", "-o", "o.ktx2"},
                                   {"fft", "a.png", "-o", "o.exr"},
                                   {"filter", "a.png", "-o", "o.png", "--blur", "1"},
                                   {"convolve", "a.png", "-o", "o.png", "--kernel", "b.png"},
                                   {"deconvolve", "a.png", "-o", "o.png", "--kernel", "b.png"},
                                   {"bloom", "a.png", "-o", "o.png"},
                                   {"align", "a.png", "b.png"},
                                   {"meter", "a.png"},
                                   {"tonemap", "a.png", "-o", "o.png"}};
  for (Args arguments : commands) {
    arguments.insert(arguments.end(), {"--tunings", "wrong.json"});
    bad(2, arguments, {"wrong.json: line 2: meter[0].use.copies: 3 is not a power of two from 1 to 4"});
  }
}

TEST_F(Cli, TuningsThatCannotBeReadAreRefused) {
  make("a.png", Format::kRGBA8Srgb, {16, 16}, pattern);
  write_bytes("tunings.json", kPerLevel);
  write_bytes("empty.json", "");
  bad(1, {"mips", "a.png", "-o", "a.ktx2", "--tunings", "none.json"}, {"none.json", "cannot read"});
  bad(2, {"mips", "a.png", "-o", "a.ktx2", "--tunings", "empty.json"}, {"empty.json", "is empty"});
  bad(1, {"info", "--tunings", "none.json"}, {"none.json"});
  bad(2, {"info", "--tunings", ""}, {"--tunings: is empty"});
  std::filesystem::create_directory(path("folder.json"));
  bad(1, {"info", "--tunings", "folder.json"}, {"folder.json", "cannot read"});
  write_bytes("long.json", std::string((1U << 20U) + 10, ' '));
  bad(2, {"info", "--tunings", "long.json"}, {"long.json", "at most 1048576"});
  write_bytes("same.ktx2", kPerLevel);
  bad(2, {"mips", "a.png", "-o", "same.ktx2", "--tunings", "same.ktx2"}, {"same.ktx2", "would overwrite an input"});
  EXPECT_EQ(bytes("same.ktx2").size(), std::string_view(kPerLevel).size());
  bad(2, {"info", "--report", "--tunings", "tunings.json"}, {"exclude each other"});
  for (const char* command : {"mips", "tonemap", "fft"}) {
    bad(2, {command, "a.png", "-o", "a.exr", "--tunings", "tunings.json", "--engine", "cpu"},
        {"--tunings needs --engine vulkan"});
  }
}

}  // namespace
}  // namespace cli_test
