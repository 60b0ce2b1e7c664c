// cli_batch_test.cpp: several inputs: output names, progress, summary, exit status.
#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

class CliBatch : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    for (const char* name : {"a.png", "b.png", "c.png"}) make(name, Format::kRGBA8Srgb, {16, 16}, pattern);
  }
};

TEST_F(CliBatch, DirectoryTakesAFileAnInput) {
  const auto outcome = good({"mips", "a.png", "b.png", "c.png", "-o", "out/", "--sheet", "sheets/"});
  for (const char* name : {"out/a.ktx2", "out/b.ktx2", "out/c.ktx2", "sheets/a.png", "sheets/c.png"}) {
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
  }
  EXPECT_NE(outcome.out.find("3 of 3 done"), std::string::npos) << outcome.out;
  good({"mips", "a.png", "b.png", "-o", "out"});
}

TEST_F(CliBatch, PlaceholderTakesTheName) {
  good({"mips", "a.png", "b.png", "-o", "{name}_levels.ktx2"});
  good({"mips", "a.png", "b.png", "-o", "{name}_%d.png", "--levels", "2"});
  EXPECT_EQ(listing(), (std::vector<std::string>{"a.png", "a_0.png", "a_1.png", "a_levels.ktx2", "b.png", "b_0.png",
                                                 "b_1.png", "b_levels.ktx2", "c.png"}));
}

// An output that is a link to another output is an error: one would overwrite the other.
TEST_F(CliBatch, LinksToOutputsAreCollisions) {
  std::filesystem::create_symlink("b.ktx2", path("a.ktx2"));
  bad(2, {"mips", "a.png", "b.png", "-o", "{name}.ktx2"}, {"b.ktx2", "two outputs"});
  std::filesystem::remove(path("a.ktx2"));
}

TEST_F(CliBatch, PlaceholderNamesDirectories) {
  good({"mips", "a.png", "b.png", "-o", "of/{name}/", "--sheet", "{name}/{name}_sheet.png/"});
  for (const char* name : {"of/a/a.ktx2", "of/b/b.ktx2", "a/a_sheet.png/a.png", "b/b_sheet.png/b.png"}) {
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
  }
}

TEST_F(CliBatch, WorkGoesOnAfterAFailure) {
  write_bytes("b.png", "broken");
  const Outcome outcome = run({"mips", "a.png", "b.png", "c.png", "-o", "out/"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(std::filesystem::exists(path("out/a.ktx2")));
  EXPECT_FALSE(std::filesystem::exists(path("out/b.ktx2")));
  EXPECT_TRUE(std::filesystem::exists(path("out/c.ktx2")));
  EXPECT_TRUE(outcome.err.starts_with("onepass: b.png: ")) << outcome.err;
  EXPECT_NE(outcome.out.find("2 of 3 done, 1 failed"), std::string::npos) << outcome.out;
}

TEST_F(CliBatch, JsonListsSuccessesAndFailures) {
  const Outcome outcome = run({"mips", "a.png", "none.png", "-o", "out/", "--json"});
  EXPECT_EQ(outcome.status, 1);
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["done"], 1);
  EXPECT_EQ(json["failed"], 1);
  ASSERT_EQ(json["results"].size(), 2U);
  EXPECT_EQ(json["results"][0]["outputs"][0], "out/a.ktx2");
  EXPECT_NE(json["results"][1]["error"].get<std::string>().find("none.png"), std::string::npos);
}

TEST_F(CliBatch, SeveralInputsNeedSeveralOutputs) {
  bad(2, {"mips", "a.png", "b.png", "-o", "one.ktx2"}, {"one.ktx2", "{name}"});
  bad(2, {"mips", "a.png", "b.png", "-o", "out/", "--sheet", "one.png"}, {"one.png", "{name}"});
  EXPECT_EQ(listing().size(), 3U);
}

TEST_F(CliBatch, SameOutputTwiceIsRefused) {
  make("a.exr", Format::kR32Sfloat, {4, 4}, pattern);
  bad(2, {"mips", "a.png", "a.exr", "-o", "out/"}, {"a.ktx2", "a.exr"});
  bad(2, {"mips", "a.png", "a.png", "-o", "{name}.ktx2"}, {"a.ktx2"});
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(CliBatch, AnotherInputIsNeverOverwritten) {
  const std::string before = bytes("b.png");
  make("b.exr", Format::kR32Sfloat, {4, 4}, pattern);
  bad(2, {"mips", "a.png", "b.exr", "b.png", "-o", "x/", "--sheet", "./"}, {"overwrite"});
  EXPECT_TRUE(bytes("b.png") == before);
}

TEST_F(CliBatch, ProgressIsDrawnOnATerminalOnly) {
  const Outcome plain = run({"mips", "a.png", "b.png", "-o", "out/"});
  EXPECT_EQ(plain.err, "");
  EXPECT_EQ(plain.out.find('\r'), std::string::npos);
  const Outcome shown = run({"mips", "a.png", "b.png", "-o", "out/"}, {.terminal = true});
  EXPECT_EQ(shown.status, 0);
  EXPECT_NE(shown.err.find('['), std::string::npos);
  EXPECT_NE(shown.err.find("50 %"), std::string::npos) << shown.err;
  EXPECT_TRUE(shown.err.ends_with("\r\x1b[K")) << "the bar is wiped at the end";
  EXPECT_EQ(run({"mips", "a.png", "b.png", "-o", "out/", "--quiet"}, {.terminal = true}).err, "");
}

}  // namespace
}  // namespace cli_test
