// cli_many_test.cpp: several inputs at once: files, messages and reports are those of one input at a time; memory;
// interrupts; shards; several devices.
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <regex>
#include <set>

#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

// "in 12.3 ms": times differ from run to run.
std::string without_times(const std::string& text) {
  static const std::regex kTime(R"(in [0-9.]+ (us|ms|s))");
  return std::regex_replace(text, kTime, "in TIME");
}

class CliMany : public Cli {
 protected:
  // Inputs of many sizes, the largest first, so that units end in another order than they begin. Among them is a broken
  // file, one that is missing, and some that cause warnings.
  void SetUp() override {
    Cli::SetUp();
    inputs_ = {"big.png", "broken.png", "a.exr", "missing.png", "dots.exr"};
    make("big.png", Format::kRGBA8Srgb, {700, 600}, pattern);
    write_bytes("broken.png", "broken");
    make("a.exr", Format::kRGBA16Sfloat, {200, 100}, pattern);
    make("dots.exr", Format::kRGBA32Sfloat, {90, 80}, [](uint32_t x, uint32_t y, uint32_t c) {
      return x == y && c == 0 ? std::numeric_limits<float>::infinity() : pattern(x, y, c);
    });
    for (uint32_t i = 0; i < 12; ++i) {
      inputs_.push_back("s" + std::to_string(i) + ".png");
      make(inputs_.back(), Format::kRGBA8Srgb, {40 + 7 * i, 30 + 5 * i}, pattern);
    }
  }

  [[nodiscard]] Args command(Args words, const std::string& threads) const {
    words.insert(words.begin() + 1, inputs_.begin(), inputs_.end());
    for (const char* word : {"--engine", "cpu", "--threads"}) words.emplace_back(word);
    words.push_back(threads);
    return words;
  }

  // All files below a directory, by name.
  [[nodiscard]] std::map<std::string, std::string> contents(const std::string& directory) const {
    std::map<std::string, std::string> all;
    if (!std::filesystem::exists(path(directory))) return all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path(directory))) {
      const std::string name = std::filesystem::relative(entry.path(), path("")).string();
      if (entry.is_regular_file()) all[name] = bytes(name);
    }
    return all;
  }

  // Runs `words` with one thread and with all, and expects the same files, lines and errors.
  void same_as_one_by_one(const Args& words, size_t files) const {
    const Outcome one = run(command(words, "1"));
    const auto expected = contents("out");
    std::filesystem::remove_all(path("out"));
    const Outcome many = run(command(words, "64"));
    EXPECT_EQ(many.status, one.status) << many.err;
    EXPECT_EQ(one.status, 1);
    EXPECT_EQ(without_times(many.out), without_times(one.out));
    EXPECT_EQ(many.err, one.err);
    EXPECT_EQ(expected.size(), files);
    const auto written = contents("out");
    EXPECT_TRUE(written == expected) << written.size() << " files";
    std::filesystem::remove_all(path("out"));
  }

  std::vector<std::string> inputs_;
};

TEST_F(CliMany, MipsAreThoseOfOneByOne) {
  same_as_one_by_one({"mips", "-o", "out/", "--nonfinite", "zero"}, 15);
  same_as_one_by_one({"mips", "-o", "out/", "--output-format", "png", "--sheet", "out/sheets/", "--levels", "1"}, 30);
  same_as_one_by_one({"mips", "-o", "out/{name}/", "--output-format", "exr"}, 15);
}

TEST_F(CliMany, PicturesAreThoseOfOneByOne) {
  same_as_one_by_one({"tonemap", "-o", "out/"}, 15);
  same_as_one_by_one({"tonemap", "-o", "out/", "--transfer", "pq", "--operator", "aces_hill", "--bits", "16"}, 15);
  same_as_one_by_one({"filter", "-o", "out/", "--blur", "2"}, 14);
  same_as_one_by_one({"fft", "-o", "out/", "--png", "out/"}, 28);
}

// Exposure passes from frame to frame: the order of the frames matters.
TEST_F(CliMany, SequencesAreThoseOfOneByOne) {
  same_as_one_by_one({"tonemap", "-o", "out/", "--fps", "2"}, 15);
  same_as_one_by_one({"meter", "--fps", "2", "--histogram", "out/"}, 15);
}

TEST_F(CliMany, JsonIsInTheOrderOfTheInputs) {
  const Outcome outcome = run(command({"meter", "--json"}, "64"));
  EXPECT_EQ(outcome.status, 1);
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["done"], inputs_.size() - 2);
  EXPECT_EQ(json["failed"], 2);
  EXPECT_FALSE(json.contains("shard"));
  ASSERT_EQ(json["results"].size(), inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    EXPECT_EQ(json["results"][i]["inputs"][0], inputs_[i]);
    EXPECT_EQ(json["results"][i].contains("error"), i == 1 || i == 3) << i;
  }
}

TEST_F(CliMany, NoteOnHeadroomIsPrintedOnce) {
  const Outcome outcome =
      run(command({"tonemap", "-o", "out/", "--transfer", "pq", "--operator", "aces_hill", "--bits", "16"}, "64"));
  const size_t note = outcome.out.find("  note: ");
  EXPECT_NE(note, std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("  note: ", note + 1), std::string::npos);
  EXPECT_LT(note, outcome.out.find("a.exr -> ")) << "below the line of the first picture";
}

// The limit is enough for one of the pictures, but not for as many as there are threads.
TEST_F(CliMany, LittleMemoryChangesNothing) {
  Args words{"filter"};
  for (int i = 0; i < 4; ++i) {
    words.push_back("m" + std::to_string(i) + ".png");
    make(words.back(), Format::kRGBA8Srgb, {1024, 768}, pattern);
  }
  for (const char* word : {"-o", "out/", "--blur", "3", "--engine", "cpu", "--threads", "64"}) words.emplace_back(word);
#ifdef __SANITIZE_ADDRESS__
  constexpr const char* kLittle = "600M";  // the address sanitizer takes 370 MB for itself
#else
  constexpr const char* kLittle = "130M";
#endif
  words.insert(words.end(), {"--max-memory", kLittle});
  good(words);
  const auto expected = contents("out");
  words.back() = "4G";
  good(words);
  EXPECT_EQ(expected.size(), 4U);
  EXPECT_TRUE(contents("out") == expected);
}

TEST_F(CliMany, ALackOfMemoryNamesTheFileAndLeavesTheOthers) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer needs more than the limit itself";
#endif
  make("small.png", Format::kRGBA8Srgb, {16, 16}, pattern);
  make("other.png", Format::kRGBA8Srgb, {16, 16}, pattern);
  auto large = Image::create(Format::kR8Unorm, {12000, 13000}, 1);  // 156 MB
  ASSERT_TRUE(large);
  make("large.png", *large);
  const Outcome outcome = run({"mips", "small.png", "large.png", "other.png", "-o", "some/", "--engine", "cpu",
                               "--threads", "2", "--max-memory", "130M"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("onepass: large.png: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("memory"), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(path("some/small.ktx2")));
  EXPECT_TRUE(std::filesystem::exists(path("some/other.ktx2")));
  EXPECT_FALSE(std::filesystem::exists(path("some/large.ktx2")));
}

// Signals at many times of a run: every output is the old or the whole new file, and no temporary file remains.
TEST_F(CliMany, InterruptLeavesOldOrNewFiles) {
  std::filesystem::create_directory(path("out"));
  const Args words = command({"mips", "-o", "out/{name}_%d.png", "--nonfinite", "zero"}, "64");
  (void)run(words);
  const auto whole = contents("out");
  ASSERT_GT(whole.size(), 50U);
  int ended = 0;
  for (int delay = 1; delay < 160; delay += 3) {
    for (const auto& [name, text] : whole) write_bytes(name, "precious");
    const Outcome outcome = run(words, {.kill_signal = SIGINT, .kill_delay_ms = delay});
    ASSERT_TRUE(outcome.status == 128 + SIGINT || outcome.status == 1 || outcome.signal == SIGINT) << outcome.err;
    if (outcome.status == 128 + SIGINT) ++ended;
    const auto found = contents("out");
    const std::filesystem::directory_iterator entries(path("out"));
    ASSERT_EQ(std::distance(begin(entries), end(entries)), whole.size()) << "after " << delay << " ms";
    std::map<std::string, std::set<bool>> states;  // of the levels of each picture
    for (const auto& [name, text] : found) {
      ASSERT_TRUE(text == "precious" || text == whole.at(name)) << name << " after " << delay << " ms";
      states[name.substr(0, name.rfind('_'))].insert(text == "precious");
    }
    for (const auto& [picture, state] : states) EXPECT_EQ(state.size(), 1U) << picture;
  }
  EXPECT_GT(ended, 0);
}

// ---- Shards

TEST_F(CliMany, ShardsTogetherMakeOneRun) {
  const Args words{"mips", "-o", "out/", "--sheet", "out/sheets/"};
  (void)run(command(words, "64"));
  const auto expected = contents("out");
  std::filesystem::remove_all(path("out"));
  std::map<std::string, int> made;
  for (int i = 0; i < 4; ++i) {
    Args shard = command(words, "64");
    shard.insert(shard.end(), {"--json", "--shard", std::to_string(i) + "/4"});
    const auto json = nlohmann::json::parse(run(shard).out);
    EXPECT_EQ(json["shard"], nlohmann::json::array({i, 4}));
    for (const auto& result : json["results"]) ++made[result["inputs"][0]];
    EXPECT_EQ(json["results"][0]["inputs"][0], inputs_[static_cast<size_t>(i)]);
  }
  EXPECT_EQ(made.size(), inputs_.size());
  for (const auto& [input, times] : made) EXPECT_EQ(times, 1) << input;
  EXPECT_TRUE(contents("out") == expected);
}

TEST_F(CliMany, EveryBatchCommandHasShards) {
  const std::vector<Args> commands{{"hiz", "-o", "out/", "--channel", "R"},
                                   {"meter"},
                                   {"tonemap", "-o", "out/"},
                                   {"bloom", "-o", "out/"},
                                   {"filter", "-o", "out/", "--blur", "2"},
                                   {"fft", "-o", "out/"},
                                   {"convolve", "-o", "out/", "-k", "s0.png"},
                                   {"deconvolve", "-o", "out/", "-k", "s0.png"}};
  for (Args words : commands) {
    words.insert(words.end(), {"s1.png", "s2.png", "s3.png", "--shard", "1/3", "--engine", "cpu", "--json"});
    const auto json = nlohmann::json::parse(good(words).out);
    ASSERT_EQ(json["results"].size(), 1U) << words[0];
    EXPECT_EQ(json["results"][0]["inputs"][0], "s2.png");
  }
}

TEST_F(CliMany, ShardOfAnArrayJob) {
  ::setenv("SLURM_ARRAY_TASK_ID", "2", 1);
  const auto outcome = good({"meter", "s1.png", "s2.png", "s3.png", "--shard", "auto/3", "--json"});
  ::unsetenv("SLURM_ARRAY_TASK_ID");
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["results"][0]["inputs"][0], "s3.png");
}

TEST_F(CliMany, ShardWithoutInputsSucceeds) {
  good({"mips", "s1.png", "s2.png", "-o", "out/", "--shard", "2/3"});
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(CliMany, CollisionsOfOtherShardsAreRefused) {
  make("s1.exr", Format::kR32Sfloat, {4, 4}, pattern);
  for (const char* shard : {"0/3", "1/3", "2/3"}) {
    bad(2, {"mips", "s0.png", "s1.png", "s1.exr", "-o", "out/", "--shard", shard}, {"s1.ktx2", "two outputs"});
  }
}

TEST_F(CliMany, ShardsThatCannotBe) {
  bad(2, {"mips", "s0.png", "-o", "out/", "--shard", "3/3"}, {"--shard 3/3"});
  bad(2, {"meter", "s0.png", "--fps", "2", "--shard", "0/2"}, {"--fps", "--shard"});
  bad(2, {"mips", "s0.png", "-o", "-", "--output-format", "ktx2", "--shard", "0/2"}, {"-o -", "--shard"});
}

// ---- Devices

class CliDevices : public Cli {
 protected:
  // Two devices: the manifest of lavapipe twice.
  void SetUp() override {
    Cli::SetUp();
    const std::filesystem::path drivers = "/usr/share/vulkan/icd.d";
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(drivers, error)) {
      if (!entry.path().filename().string().starts_with("lvp_icd")) continue;
      std::filesystem::copy_file(entry.path(), path("second.json"));
      ::setenv("VK_ICD_FILENAMES", (entry.path().string() + ":" + path("second.json").string()).c_str(), 1);
      return;
    }
    GTEST_SKIP() << "no lavapipe";
  }
  void TearDown() override {
    ::unsetenv("VK_ICD_FILENAMES");
    Cli::TearDown();
  }
};

TEST_F(CliDevices, AllSpreadsInputsOverDevices) {
  Args inputs;
  for (uint32_t i = 0; i < 5; ++i) {
    inputs.push_back("d" + std::to_string(i) + ".exr");
    make(inputs.back(), Format::kR32Sfloat, {67 + i, 45}, pattern);
  }
  const auto words = [&](const Args& more) {
    Args all{"hiz"};
    all.insert(all.end(), inputs.begin(), inputs.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  good(words({"-o", "cpu/", "--engine", "cpu"}));
  const auto outcome = good(words({"-o", "gpu/", "--engine", "vulkan", "--device", "all", "--json"}));
  const auto json = nlohmann::json::parse(outcome.out);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string device = json["results"][i]["device"];
    EXPECT_TRUE(device.ends_with(i % 2 == 0 ? " [0]" : " [1]")) << device;
    const std::string name = "/d" + std::to_string(i) + ".ktx2";
    EXPECT_TRUE(bytes("cpu" + name) == bytes("gpu" + name)) << i;
  }
  EXPECT_EQ(json["engine"], "vulkan");
  const std::string engines = json["device"];
  EXPECT_NE(engines.find(" [0], "), std::string::npos) << engines;
  EXPECT_TRUE(engines.ends_with(" [1]")) << engines;
  const auto shard = nlohmann::json::parse(
      good(words({"-o", "gpu/", "--engine", "vulkan", "--device", "all", "--json", "--shard", "1/2"})).out);
  EXPECT_TRUE(shard["results"][0]["device"].get<std::string>().ends_with(" [1]")) << "as without shards";
}

TEST_F(CliDevices, AllTakesSoftwareOnlyIfVulkanIsNamed) {
  make("a.exr", Format::kR32Sfloat, {16, 16}, pattern);
  bad(1, {"hiz", "a.exr", "-o", "a.ktx2", "--device", "all"}, {"--device all", "no GPU", "--engine vulkan"});
}

}  // namespace
}  // namespace cli_test
