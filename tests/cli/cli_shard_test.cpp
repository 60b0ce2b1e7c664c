// cli_shard_test.cpp: the value of --shard, and the variables of array jobs.
#include <cstdlib>

#include "shard.hpp"
#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

using onepass::cli::parse_shard;

class CliShard : public ::testing::Test {
 protected:
  CliShard() { clear(); }
  ~CliShard() override { clear(); }

  static void clear() {
    for (const char* name : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"}) {
      ::unsetenv(name);
    }
  }
  static void expect(const char* text, uint32_t index, uint32_t count) {
    const auto shard = parse_shard(text);
    ASSERT_TRUE(shard.ok()) << shard.error().text();
    EXPECT_EQ(shard->index, index) << text;
    EXPECT_EQ(shard->count, count) << text;
  }
  static void refuse(const char* text, const std::vector<std::string>& words) {
    const auto shard = parse_shard(text);
    ASSERT_FALSE(shard.ok()) << text;
    EXPECT_EQ(shard.error().code, onepass::ErrorCode::kInvalidArgument);
    for (const std::string& word : words) {
      EXPECT_NE(shard.error().text().find(word), std::string::npos) << shard.error().text();
    }
  }
};

TEST_F(CliShard, NumbersAreRead) {
  expect("0/1", 0, 1);
  expect("3/20", 3, 20);
  expect("999999/1000000", 999999, 1000000);
}

TEST_F(CliShard, OtherTextsAreRefused) {
  for (const char* text : {"", "3", "/", "3/", "/3", "-1/3", "1/3/5", "1/3 ", " 1/3", "1.5/3", "a/3", "autos/3",
                           "4294967296/4294967297"}) {
    refuse(text, {"--shard", "'" + std::string(text) + "'", "auto/N"});
  }
  refuse("0/0", {"--shard 0/0", "1 to 1000000"});
  refuse("0/1000001", {"--shard 0/1000001"});
  refuse("20/20", {"--shard 20/20", "0 to 19"});
}

TEST_F(CliShard, ArrayJobsNameTheIndex) {
  refuse("auto/4", {"--shard auto/4", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"});
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"}) {
    ::setenv(name, "3", 1);
    expect("auto/4", 3, 4);
    expect("1/4", 1, 4);  // a given index counts
    refuse("auto/3", {name, "'3'", "0 to 2"});
    ::setenv(name, "three", 1);
    refuse("auto/4", {name, "'three'"});
    clear();
  }
}

TEST_F(CliShard, ArrayJobsThatDisagreeAreRefused) {
  ::setenv("SLURM_ARRAY_TASK_ID", "2", 1);
  ::setenv("JOB_COMPLETION_INDEX", "2", 1);
  expect("auto/4", 2, 4);
  ::setenv("AWS_BATCH_JOB_ARRAY_INDEX", "3", 1);
  refuse("auto/4", {"SLURM_ARRAY_TASK_ID is 2", "AWS_BATCH_JOB_ARRAY_INDEX is 3"});
}

}  // namespace
}  // namespace cli_test
