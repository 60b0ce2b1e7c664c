// cli_streams_test.cpp: standard streams that are full, closed or broken pipes. What stderr loses changes no result and
// no exit status; what stdout loses is an error, after all files have been made.
#include <algorithm>
#include <csignal>
#include <map>

#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

class CliStreams : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    make("a.png", Format::kRGBA8Srgb, {32, 32}, pattern);
    make("z.png", Format::kRGBA8Srgb, {32, 32}, pattern);
    make("alpha.png", Format::kRGBA8Srgb, {32, 32},
         [](uint32_t x, uint32_t y, uint32_t c) { return c == 3 ? 0.5F : pattern(x, y, c); });
  }
  // All files below the directory.
  [[nodiscard]] std::map<std::string, std::string> tree() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      if (!entry.is_regular_file()) continue;
      const std::string name = std::filesystem::relative(entry, directory_);
      all[name] = bytes(name);
    }
    return all;
  }
};

struct Case {
  Args arguments;
  int status;
};

TEST_F(CliStreams, LostMessagesChangeNothing) {
  write_bytes("bad.png", "no picture");
  const std::vector<Case> cases{{{"mips", "bad.png", "a.png", "none.png", "z.png", "-o", "out/"}, 1},
                                {{"mips", "a.png", "-o", "out/"}, 0},
                                {{"tiles", "alpha.png", "-o", "out.dzi", "--tile-format", "jpeg"}, 0},  // a warning
                                {{"tiles", "bad.png", "-o", "out.tif"}, 1},
                                {{"mips", "a.png"}, 2},
                                {{"mips", "a.png", "-o", "a.png"}, 2},
                                {{"nonsense"}, 2}};
  std::vector<RunOptions> streams;
  streams.push_back({.stderr_to = "/dev/full"});
  for (const bool ignore : {false, true}) {
    streams.push_back({.closed = {2}, .ignore_broken_pipes = ignore});
    streams.push_back({.broken = {2}, .ignore_broken_pipes = ignore});
    streams.push_back({.closed = {0, 2}, .ignore_broken_pipes = ignore});
  }
  const auto before = tree();
  const auto remove_outputs = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      if (!before.contains(entry.path().filename())) std::filesystem::remove_all(entry);
    }
  };
  for (const Case& one : cases) {
    ASSERT_EQ(run(one.arguments).status, one.status);
    const auto wanted = tree();
    remove_outputs();
    for (size_t i = 0; i < streams.size(); ++i) {
      const Outcome outcome = run(one.arguments, streams[i]);
      EXPECT_EQ(outcome.status, one.status) << one.arguments[0] << ", streams " << i << ", signal " << outcome.signal;
      EXPECT_TRUE(tree() == wanted) << one.arguments[0] << ", streams " << i;
      remove_outputs();
    }
  }
}

// Reports on stdout are data: their loss is an error, but no reason to stop.
TEST_F(CliStreams, LostOutputIsAnErrorAfterAllFiles) {
  good({"mips", "a.png", "z.png", "-o", "wanted/", "-q"});
  for (const bool json : {false, true}) {
    Args arguments{"mips", "a.png", "z.png", "-o", "out/"};
    if (json) arguments.emplace_back("--json");
    for (const bool ignore : {false, true}) {
      for (const RunOptions& options :
           {RunOptions{.stdout_to = "/dev/full"}, RunOptions{.closed = {1}, .ignore_broken_pipes = ignore},
            RunOptions{.broken = {1}, .ignore_broken_pipes = ignore},
            RunOptions{.closed = {0, 1}, .ignore_broken_pipes = ignore}}) {
        const Outcome outcome = run(arguments, options);
        EXPECT_EQ(outcome.status, 1) << outcome.signal;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_NE(outcome.err.find("standard output: cannot write: "), std::string::npos) << outcome.err;
        for (const std::string name : {"a.ktx2", "z.ktx2"}) EXPECT_EQ(bytes("out/" + name), bytes("wanted/" + name));
        std::filesystem::remove_all(path("out"));
      }
    }
  }
  EXPECT_EQ(run({"mips", "a.png", "-o", "-", "--output-format", "ktx2"}, {.broken = {1}}).status, 1);
  EXPECT_EQ(run({"mips", "a.png", "-o", "-", "--output-format", "ktx2"}, {.closed = {1}}).status, 1);
  for (const Args& arguments : {Args{"--help"}, Args{"--version"}, Args{"info"}, Args{"info", "--json"}}) {
    EXPECT_EQ(run(arguments, {.broken = {1}}).status, 1) << arguments[0];
    EXPECT_EQ(run(arguments, {.closed = {1}}).status, 1) << arguments[0];
  }
}

// No file gets the number of a closed stream, where messages would be written into it.
TEST_F(CliStreams, FilesDoNotReplaceClosedStreams) {
  good({"mips", "a.png", "-o", "wanted.ktx2", "-q"});
  const Outcome outcome = run({"mips", "a.png", "none.png", "-o", "out/", "--threads", "1"}, {.closed = {0, 1, 2}});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(bytes("out/a.ktx2"), bytes("wanted.ktx2"));
}

}  // namespace
}  // namespace cli_test
