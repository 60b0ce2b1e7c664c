// cli_tiles_test.cpp: `onepass tiles`: reports, errors, interruption and resumption of the program.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "tests/cli/cli_trees.hpp"

namespace cli_test {
namespace {

class CliTiles : public CliTrees {};

TEST_F(CliTiles, ReportsLevelsAsJson) {
  make_noise("in.raw", size_t{3} * 300 * 200);
  const auto json = nlohmann::json::parse(
      good({"tiles", "in.raw", "--raw", "300x200:rgb8", "-o", "out.dzi", "--viewer", "--json"}).out);
  EXPECT_EQ(json["outputs"], nlohmann::json({"out.dzi", "out_files", "out.html"}));
  EXPECT_EQ(json["levels"], 10);
  EXPECT_EQ(json["sizes"][1], nlohmann::json({150, 100}));
  EXPECT_EQ(json["color"], "srgb");
  EXPECT_EQ(json["encoding"], "jpeg");
  EXPECT_EQ(json["tile_size"], 254);
  EXPECT_EQ(json["tiles"], 11);
  EXPECT_NE(bytes("out.html").find("out_files"), std::string::npos);
  EXPECT_EQ(bytes("out.html").find('@'), std::string::npos);
}

TEST_F(CliTiles, WholeOutputs) {
  make("in.png", Format::kRGBA8Srgb, {40, 30}, pattern);
  const auto json = nlohmann::json::parse(good({"tiles", "in.png", "-o", "out.ktx2", "--json"}).out);
  EXPECT_EQ(json["bytes_written"], bytes("out.ktx2").size());
  good({"mips", "in.png", "-o", "same.ktx2"});
  const auto out = read("out.ktx2");
  const auto same = read("same.ktx2");
  ASSERT_EQ(out.levels.size(), same.levels.size());
  for (size_t n = 0; n < out.levels.size(); ++n) {
    ASSERT_EQ(out.levels[n].size_in_bytes(), same.levels[n].size_in_bytes());
    EXPECT_EQ(std::memcmp(out.levels[n].data(), same.levels[n].data(), same.levels[n].size_in_bytes()), 0) << n;
  }
  bad(1, {"tiles", "in.png", "-o", "none/out.exr"}, {"none/out.exr"});
}

TEST_F(CliTiles, UsageErrorsNameTheOption) {
  make("in.png", Format::kRGBA8Srgb, {40, 30}, pattern);
  bad(2, {"tiles", "in.png", "-o", "out.jpg"}, {"-o", "out.jpg"});
  bad(2, {"tiles", "in.png", "-o", "out.tif", "--tile-size", "100"}, {"--tile-size", "100", "16"});
  bad(2, {"tiles", "in.png", "-o", "out.tif", "--overlap", "2"}, {"--overlap"});
  bad(2, {"tiles", "in.png", "-o", "out.dzi", "--quality", "101"}, {"--quality", "101"});
  bad(2, {"tiles", "in.png", "-o", "out.zarr", "--compression", "lzw"}, {"--compression", "lzw"});
  bad(2, {"tiles", "in.png", "--grid", "{x}_{y}.png", "-o", "out.zarr"}, {"--grid"});
  bad(2, {"tiles", "-o", "out.zarr"}, {"--grid"});
  bad(2, {"tiles", "in.png", "-o", "out.dzi", "--compression", "jpg"}, {"--compression", "jpeg"});
  bad(1, {"tiles", "none.tif", "-o", "out.dzi"}, {"none.tif"});
  write_bytes("broken.tif", std::string("II*\0\x08\0\0\0", 8));
  bad(1, {"tiles", "broken.tif", "-o", "out.dzi"}, {"broken.tif", "TIFF"});
  EXPECT_EQ(listing(), (std::vector<std::string>{"broken.tif", "in.png"}));
}

// One row of 256 MB, none of which takes place on the disk.
TEST_F(CliTiles, MosaicsByATable) {
  write_bytes("a.raw", std::string(20 * 10, '\x20'));
  write_bytes("b.raw", std::string(20 * 10, '\x30'));
  write_bytes("t.csv", "file,x,y\na.raw,0,0\nb.raw,15,2\n");
  const auto with = [](std::vector<std::string> more) {
    std::vector<std::string> all = {"tiles", "--grid", "t.csv", "--raw", "20x10:gray8", "-o", "out.tif"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  bad(1, with({}), {"t.csv", "no file covers pixel (20, 0)", "fill"});
  const auto json = nlohmann::json::parse(
      good(with({"--fill", "7", "--grid-overlap", "average", "--color", "linear", "--json"})).out);
  EXPECT_EQ(json["width"], 35);
  EXPECT_EQ(json["height"], 12);
  EXPECT_EQ(json["input"], "t.csv");
  bad(2, with({"--fill", "256"}), {"--fill: 256 is no uint8"});
  bad(2, with({"--fill", "x"}), {"--fill"});
  bad(1, with({"--fill", "0", "--grid-overlap", "average"}), {"--grid-overlap: average is for numbers"});
  bad(2, with({"--grid-overlap", "last"}), {"--grid-overlap", "last"});
  bad(2, {"tiles", "--grid", "{x}_{y}.png", "-o", "out.tif", "--fill", "0"}, {"--fill: is for a table"});
}

TEST_F(CliTiles, MemoryHasTheLimitOfTheOption) {
  const std::string header = "Pf\n64000000 1\n-1.0\n";
  write_bytes("in.pfm", header);
  std::filesystem::resize_file(path("in.pfm"), header.size() + 256000000);
  bad(1, {"tiles", "in.pfm", "-o", "out.tif", "--max-memory", "200M"}, {"in.pfm", "limit of 200 MiB"});
  bad(2, {"tiles", "in.pfm", "-o", "out.tif", "--max-memory", "12X"}, {"--max-memory", "12X"});
  EXPECT_EQ(listing(), std::vector<std::string>{"in.pfm"});
}

TEST_F(CliTiles, NoInputIsOverwritten) {
  make("in.png", Format::kRGBA8Srgb, {40, 30}, pattern);
  good({"tiles", "in.png", "-o", "in.tif"});
  const std::string before = bytes("in.tif");
  bad(2, {"tiles", "in.tif", "-o", "in.tif"}, {"-o: in.tif", "overwrite an input"});
  std::filesystem::create_symlink("in.tif", path("link.tif"));
  bad(2, {"tiles", "link.tif", "-o", "in.tif"}, {"-o: in.tif", "overwrite an input, link.tif"});
  EXPECT_EQ(bytes("in.tif"), before);
  good({"tiles", "in.png", "-o", "q.dzi"});
  bad(2, {"tiles", "q_files/5/0_0.png", "-o", "q.dzi"}, {"-o: q_files", "holds the input"});
  write_bytes("q.html", "mine");
  bad(1, {"tiles", "in.png", "-o", "q.dzi", "--viewer"}, {"q.html", "no earlier output", "move it away"});
  EXPECT_EQ(bytes("q.html"), "mine");
}

TEST_F(CliTiles, StandardStreamsAreNoFiles) {
  make("in.png", Format::kRGBA8Srgb, {40, 30}, pattern);
  bad(2, {"tiles", "-", "-o", "out.tif"}, {"standard input"});
  bad(2, {"tiles", "in.png", "-o", "-"}, {"-o -", "standard output"});
  bad(2, {"tiles", "in.png", "-o", "out.tif", "--threads", "100000"}, {"--threads", "100000"});
}

// A limit of the file size stands for a full disk.
TEST_F(CliTiles, FullDiskLeavesTheOldOutputAndCanBeResumed) {
  make_noise("in.raw", size_t{3} * 1000 * 1000);
  const Args arguments{"tiles", "in.raw", "--raw", "1000x1000:rgb8", "-o", "out.tif", "--tile-size", "64"};
  good(arguments);
  const auto whole = tree();
  const Outcome full = run(arguments, {.file_limit = 100000});
  EXPECT_EQ(full.status, 1);
  EXPECT_NE(full.err.find("out.tif: cannot write"), std::string::npos) << full.err;
  EXPECT_EQ(bytes("out.tif"), whole.at("out.tif"));
  ASSERT_TRUE(std::filesystem::exists(path("out.tif.unfinished")));
  bad(2, arguments, {"out.tif.unfinished"});
  Args again = arguments;
  again.emplace_back("--resume");
  good(again);
  EXPECT_TRUE(tree() == whole);
}

// Signals at many times of the run, also between the renames at its end.
TEST_F(CliTiles, InterruptedRunsResumeToTheSameBytes) {
  make_noise("in.raw", size_t{3} * 600 * 600);
  const Args arguments{"tiles", "in.raw", "--raw", "600x600:rgb8", "-o", "out.dzi", "--tile-size", "64"};
  good(arguments);
  const auto whole = tree();
  Args again = arguments;
  again.emplace_back("--resume");
  int unfinished = 0;
  for (int delay = 10; delay < 250; delay += 30) {
    const Outcome outcome =
        run(arguments, {.kill_signal = delay % 20 == 0 ? SIGKILL : SIGTERM, .kill_delay_ms = delay});
    ASSERT_TRUE(outcome.status == 128 + SIGTERM || outcome.status == 0 || outcome.signal != 0) << outcome.err;
    if (std::filesystem::exists(path("out.dzi.unfinished")) ||
        std::filesystem::exists(path(".out.dzi.unfinished.old"))) {
      ++unfinished;
      const Outcome resumed = run(again);
      EXPECT_EQ(resumed.status, 0) << resumed.err;
    }
    EXPECT_TRUE(tree() == whole) << delay;
  }
  std::cout << unfinished << " runs were resumed\n";
}

TEST_F(CliTiles, ShardsMakeTheBytesOfOneRun) {
  make_noise("in.raw", size_t{3} * 150 * 1000);
  const Args base{"tiles", "in.raw", "--raw", "150x1000:rgb8", "-o", "out.tif", "--tile-size", "16"};
  const auto with = [&](const Args& more) {
    Args all = base;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  good(base);
  const auto whole = tree();
  good(with({"--shard", "0/4"}));
  {
    const WithVariable index("SLURM_ARRAY_TASK_ID", "1");
    good(with({"--shard", "auto/4"}));
  }
  {
    const WithVariable index("JOB_COMPLETION_INDEX", "2");
    good(with({"--shard", "auto/4"}));
  }
  bad(1, with({"--merge", "4"}), {"out.tif.unfinished", "shard 3 of 4 is missing"});
  {
    const WithVariable index("AWS_BATCH_JOB_ARRAY_INDEX", "3");
    const auto json = nlohmann::json::parse(good(with({"--shard", "auto/4", "--json"})).out);
    EXPECT_EQ(json["shard"]["index"], 3);
    EXPECT_EQ(json["shard"]["count"], 4);
    EXPECT_EQ(json["shard"]["first_row"], 768);
    EXPECT_EQ(json["shard"]["rows"], 232);
    EXPECT_EQ(json["shard"]["was_complete"], false);
    EXPECT_NE(good(with({"--shard", "auto/4"})).out.find("shard 3/4 is complete already"), std::string::npos);
  }
  const auto json = nlohmann::json::parse(good(with({"--merge", "4", "--json"})).out);
  EXPECT_EQ(json["merge"]["count"], 4);
  EXPECT_GT(json["merge"]["joined_bytes"], 0);
  EXPECT_TRUE(tree() == whole);
}

TEST_F(CliTiles, BadShardsNameTheOption) {
  make_noise("in.raw", size_t{3} * 20 * 20);
  const auto refuse = [&](const Args& more, const std::vector<std::string>& words) {
    Args all{"tiles", "in.raw", "--raw", "20x20:rgb8", "-o", "out.tif"};
    all.insert(all.end(), more.begin(), more.end());
    bad(2, all, words);
  };
  refuse({"--shard", "4/4"}, {"--shard 4/4", "0 to 3"});
  refuse({"--shard", "half"}, {"--shard", "half"});
  refuse({"--shard", "auto/4"}, {"--shard auto/4", "SLURM_ARRAY_TASK_ID"});
  refuse({"--merge", "0"}, {"--merge", "0"});
  refuse({"--merge", "2", "--shard", "0/2"}, {"--merge"});
  refuse({"--shard", "0/2", "--resume"}, {"--resume"});
  EXPECT_EQ(listing(), (std::vector<std::string>{"in.raw"}));
  Args shard{"tiles", "in.raw", "--raw", "20x20:rgb8", "-o", "out.tif", "--shard", "0/2"};
  good(shard);
  shard.insert(shard.end(), {"--quality", "30"});
  bad(2, shard, {"--quality: '30'", "'75'", "delete out.tif.unfinished"});
}

// Processes that end at any time, and are started again as a scheduler does.
TEST_F(CliTiles, KilledShardsRunAgainToTheSameBytes) {
  make_noise("in.raw", size_t{3} * 400 * 2000);
  for (const std::string name : {"out.dzi", "out.tif"}) {
    const Args base{"tiles", "in.raw", "--raw", "400x2000:rgb8", "-o", name, "--tile-size", "32"};
    good(base);
    const auto whole = tree();
    int killed = 0;
    for (int shard = 0; shard < 3; ++shard) {
      Args arguments = base;
      arguments.insert(arguments.end(), {"--shard", std::to_string(shard) + "/3"});
      for (const int delay : {15, 40, 80}) {
        const Outcome outcome = run(arguments, {.kill_signal = SIGKILL, .kill_delay_ms = delay});
        killed += outcome.signal == SIGKILL ? 1 : 0;
      }
      good(arguments);
    }
    std::cout << killed << " shards were killed\n";
    Args merge = base;
    merge.insert(merge.end(), {"--merge", "3"});
    for (const int delay : {5, 15, 30}) {
      const Outcome outcome = run(merge, {.kill_signal = SIGKILL, .kill_delay_ms = delay});
      if (outcome.signal == 0) break;  // the merge was faster
    }
    if (std::filesystem::exists(path(name + ".unfinished"))) good(merge);
    std::filesystem::remove_all(path("." + name + ".unfinished.old"));
    EXPECT_TRUE(tree() == whole) << name;
  }
}

}  // namespace
}  // namespace cli_test
