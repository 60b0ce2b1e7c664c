// cli_volume_test.cpp: `onepass volume`: reports, wrong options, interruptions, shards.
#include <csignal>
#include <iostream>

#include "tests/cli/cli_trees.hpp"

namespace cli_test {
namespace {

class CliVolume : public CliTrees {
 protected:
  /// A raw volume of noise, one block.
  Args noise(int edge, const std::string& output) {
    make_noise("in.raw", static_cast<size_t>(edge) * edge * edge * 2);
    const std::string size = std::to_string(edge);
    return {"volume", "in.raw",       "--raw", size + "x" + size + "x" + size + ":uint16", "-o", output, "--chunk",
            "16",     "--shard-size", "32"};
  }
  /// A volume of which little memory holds 18 blocks.
  Args many_blocks(const std::string& output) {
    std::string labels(size_t{130} * 130 * 130 * 8, '\0');
    for (size_t i = 0; i < labels.size(); i += 8) labels[i] = static_cast<char>(i / 8 % 7);
    write_bytes("in.raw", labels);
    return {"volume",  "in.raw",   "--raw",        "130x130x130:uint64", "--reduction",  "mode", "-o",        output,
            "--chunk", "16x16x64", "--shard-size", "32x32x64",           "--max-memory", "16M",  "--threads", "2"};
  }
  /// A volume of noise and a point spread function of three voxels per axis.
  Args blurred(int edge, const std::string& output, const std::string& iterations = "4") {
    write_bytes("psf.raw", std::string("\1\2\1\2\4\2\1\2\1\2\4\2\4\x10\4\2\4\2\1\2\1\2\4\2\1\2\1", 27));
    return with(noise(edge, output),
                {"--deconvolve", "psf.raw", "--psf-raw", "3x3x3:uint8", "--iterations", iterations});
  }
  static Args with(Args all, const Args& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(CliVolume, ReportsWhatItMade) {
  const Args arguments = with(noise(60, "out.zarr"), {"--json", "--voxel-size", "0.5x0.5x1", "--viewer"});
  const auto json = nlohmann::json::parse(good(arguments).out);
  EXPECT_EQ(json["type"], "uint16");
  EXPECT_EQ(json["sizes"][0], (std::vector<int>{60, 60, 60}));
  EXPECT_EQ(json["sizes"][1], (std::vector<int>{30, 30, 60}));
  EXPECT_EQ(json["steps"][0], (std::vector<int>{2, 2, 1}));
  EXPECT_EQ(json["chunk"], (std::vector<int>{16, 16, 16}));
  EXPECT_EQ(json["shard_size"], (std::vector<int>{32, 32, 32}));
  EXPECT_EQ(json["zarr"], 3);
  EXPECT_EQ(json["blocks"], 1);
  EXPECT_GT(json["bytes_written"], 0);
  EXPECT_TRUE(std::filesystem::exists(path("out.zarr/zarr.json")));
  EXPECT_EQ(json["viewer"], "out.html");
  EXPECT_TRUE(std::filesystem::exists(path("out.html")));
  const Outcome line = good(noise(20, "out.zarr"));
  EXPECT_NE(line.out.find("in.raw -> out.zarr: 20x20x20 of uint16, 2 levels, 1 block"), std::string::npos) << line.out;
}

TEST_F(CliVolume, WrongOptionsAreNamed) {
  make_noise("in.raw", 2000);
  const auto refuse = [&](const Args& more, const std::vector<std::string>& words) {
    bad(2, with({"volume", "in.raw", "--raw", "10x10x20:uint8"}, more), words);
  };
  refuse({"-o", "out.tif"}, {"-o: 'out.tif' does not end in .zarr"});
  refuse({"-o", "-"}, {"-o -"});
  refuse({"-o", "o.zarr", "--planes", "p{z}.tif"}, {"--planes"});
  refuse({"-o", "o.zarr", "--chunk", "8x8"}, {"--chunk: '8x8' is not N or XxYxZ"});
  refuse({"-o", "o.zarr", "--chunk", "8", "--shard-size", "12"}, {"--shard-size: 12x12x12 is not a multiple"});
  refuse({"-o", "o.zarr", "--steps", "xx"}, {"--steps: 'xx'"});
  refuse({"-o", "o.zarr", "--steps", "xy,,z"}, {"--steps: 'xy,,z'"});
  refuse({"-o", "o.zarr", "--voxel-size", "1x0x1"}, {"--voxel-size: '1x0x1'"});
  refuse({"-o", "o.zarr", "--zarr", "4"}, {"--zarr: 4 is neither 2 nor 3"});
  refuse({"-o", "o.zarr", "--max-memory", "12X"}, {"--max-memory", "12X"});
  refuse({"-o", "o.zarr", "--merge", "0"}, {"--merge: 0"});
  refuse({"-o", "o.zarr", "--levels", "30"}, {"--levels: 30 is more than"});
  bad(2, {"volume", "in.raw", "--raw", "10x10:uint8", "-o", "o.zarr"}, {"--raw: '10x10:uint8'"});
  bad(1, {"volume", "none.raw", "--raw", "10x10x20:uint8", "-o", "o.zarr"}, {"none.raw"});
  bad(2, {"volume", "-", "-o", "o.zarr"}, {"standard input"});
  EXPECT_EQ(listing(), (std::vector<std::string>{"in.raw"}));
}

TEST_F(CliVolume, DeconvolutionReportsAndNamesItsOptions) {
  const Args arguments = blurred(40, "out.zarr");
  const auto json = nlohmann::json::parse(good(with(arguments, {"--float", "--json"})).out);
  EXPECT_EQ(json["type"], "float32");
  EXPECT_EQ(json["deconvolution"]["psf"], "psf.raw");
  EXPECT_EQ(json["deconvolution"]["iterations"], 4);
  EXPECT_EQ(json["deconvolution"]["tiles"], (std::vector<int>{1, 1, 1}));
  const auto whole = tree("out.zarr");
  // Every option reaches the library.
  for (const Args& more :
       {Args{"--acceleration", "momentum"}, {"--start", "constant"}, {"--background", "9000"}, {"--origin", "2,1,1"}}) {
    good(with(with(arguments, {"--float"}), more));
    EXPECT_FALSE(tree("out.zarr") == whole) << more[0];
  }
  const Outcome line = good(with(arguments, {"--halo", "3x2x1"}));
  EXPECT_NE(line.out.find("40x40x40 of uint16, 3 levels, deconvolved in 1 tile, 1 block"), std::string::npos)
      << line.out;
  const Outcome odd = good(with(arguments, {"--voxel-size", "1x1x1"}));
  EXPECT_EQ(odd.err, "");  // the point spread function states no lengths

  const auto refuse = [&](const Args& more, const std::vector<std::string>& words) {
    bad(2, with(noise(40, "o.zarr"), more), words);
  };
  for (const Args& option : {Args{"--psf-raw", "3x3x3:uint8"},
                             {"--iterations", "3"},
                             {"--acceleration", "momentum"},
                             {"--start", "image"},
                             {"--background", "1"},
                             {"--halo", "3"},
                             {"--float"}}) {
    refuse(option, {option[0] + " is for --deconvolve"});
  }
  refuse({"--deconvolve", "-"}, {"--deconvolve -"});
  refuse({"--deconvolve", "psf.raw", "--psf-raw", "3x3"}, {"--deconvolve: raw: '3x3'"});
  refuse({"--deconvolve", "p{z}.tif", "--psf-raw", "3x3x3:uint8"}, {"--deconvolve: raw describes one file"});
  const Args psf = {"--deconvolve", "psf.raw", "--psf-raw", "3x3x3:uint8"};
  refuse(with(psf, {"--halo", "3x3"}), {"--halo: '3x3'"});
  refuse(with(psf, {"--origin", "1,1"}), {"--origin"});
  refuse(with(psf, {"--origin", "1,1,0.5"}), {"--origin: 1,1,0.5 is not three whole numbers"});
  refuse(with(psf, {"--origin", "1,-1,1"}), {"--origin: 1,-1,1 is not three whole numbers"});
  refuse(with(psf, {"--origin", "1,3,1"}), {"--origin: 1,3,1 is outside of 3x3x3"});
  refuse(with(psf, {"--iterations", "0"}), {"--iterations: 0"});
  refuse(with(psf, {"--background", "-1"}), {"--background: -1"});
  refuse(with(psf, {"--acceleration", "fast"}), {"--acceleration", "fast"});
  refuse(with(psf, {"--shard", "0/2"}), {"--shard: every shard would deconvolve the whole volume"});
  refuse(with(psf, {"--merge", "2"}), {"--merge: every shard"});
  bad(1, with(noise(40, "o.zarr"), {"--deconvolve", "none.tif"}), {"none.tif"});
  EXPECT_EQ(listing(), (std::vector<std::string>{"in.raw", "out.zarr", "psf.raw"}));
}

// A deconvolution of which all tiles together need 30 MB more than the limit.
TEST_F(CliVolume, TilesKeepTheMemoryOfADeconvolution) {
  const auto run_in = [&](const std::string& limit) {
    return nlohmann::json::parse(
        good(with(blurred(150, "out.zarr", "1"), {"--json", "--max-memory", limit, "--threads", "2"})).out);
  };
  const auto whole = run_in("1G");
  EXPECT_EQ(whole["deconvolution"]["tiles"], (std::vector<int>{1, 1, 1}));
  const auto tiled = run_in("24M");
  const auto tiles = tiled["deconvolution"]["tiles"].get<std::vector<int>>();
  EXPECT_GT(tiles[0] * tiles[1] * tiles[2], 1);
  EXPECT_LE(tiled["planned_memory"], 24 << 20);
  const auto peak = [](const nlohmann::json& json) { return json["peak_memory"].get<int64_t>(); };
  const auto planned = [](const nlohmann::json& json) { return json["planned_memory"].get<int64_t>(); };
  EXPECT_GT(planned(whole), planned(tiled) + (20 << 20));
  // What the program takes without any volume is the same in both runs; arrays are rounded up to 2 MiB.
  EXPECT_LE(std::abs((peak(whole) - peak(tiled)) - (planned(whole) - planned(tiled))), 10 << 20);
}

TEST_F(CliVolume, KilledDeconvolutionsResumeToTheSameBytes) {
  const Args arguments = blurred(90, "out.zarr", "8");
  good(arguments);
  const auto whole = tree("out.zarr");
  int unfinished = 0;
  for (int delay = 20; delay < 400; delay += 60) {
    std::filesystem::remove_all(path("out.zarr"));
    const Outcome outcome =
        run(arguments, {.kill_signal = delay % 40 == 0 ? SIGKILL : SIGTERM, .kill_delay_ms = delay});
    ASSERT_TRUE(outcome.status == 128 + SIGTERM || outcome.status == 0 || outcome.signal != 0) << outcome.err;
    const bool begun = std::filesystem::exists(path("out.zarr.unfinished")) ||
                       std::filesystem::exists(path(".out.zarr.unfinished.old"));
    unfinished += begun ? 1 : 0;
    if (begun || !std::filesystem::exists(path("out.zarr"))) good(begun ? with(arguments, {"--resume"}) : arguments);
    EXPECT_TRUE(tree("out.zarr") == whole) << delay;
    EXPECT_EQ(listing(), (std::vector<std::string>{"in.raw", "out.zarr", "psf.raw"}));
  }
  std::cout << unfinished << " runs were resumed\n";
}

TEST_F(CliVolume, FullDiskEndsADeconvolution) {
  const Args arguments = blurred(60, "out.zarr");
  const Outcome full = run(arguments, {.file_limit = 30000});
  EXPECT_EQ(full.status, 1);
  EXPECT_NE(full.err.find("deconvolved_0.part: cannot write"), std::string::npos) << full.err;
  good(with(arguments, {"--resume"}));
  EXPECT_EQ(listing(), (std::vector<std::string>{"in.raw", "out.zarr", "psf.raw"}));
}

// Signals at many times of the run, also between the renames at its end.
TEST_F(CliVolume, InterruptedRunsResumeToTheSameBytes) {
  const Args arguments = many_blocks("out.zarr");
  good(arguments);
  const auto whole = tree("out.zarr");
  int unfinished = 0;
  for (int delay = 10; delay < 250; delay += 30) {
    std::filesystem::remove_all(path("out.zarr"));
    const Outcome outcome =
        run(arguments, {.kill_signal = delay % 20 == 0 ? SIGKILL : SIGTERM, .kill_delay_ms = delay});
    ASSERT_TRUE(outcome.status == 128 + SIGTERM || outcome.status == 0 || outcome.signal != 0) << outcome.err;
    if (std::filesystem::exists(path("out.zarr.unfinished")) ||
        std::filesystem::exists(path(".out.zarr.unfinished.old"))) {
      ++unfinished;
      const Outcome resumed = run(with(arguments, {"--resume"}));
      EXPECT_EQ(resumed.status, 0) << resumed.err;
    } else if (!std::filesystem::exists(path("out.zarr"))) {
      good(arguments);  // it ended before it began to write
    }
    EXPECT_TRUE(tree("out.zarr") == whole) << delay;
    EXPECT_EQ(listing(), (std::vector<std::string>{"in.raw", "out.zarr"}));
  }
  std::cout << unfinished << " runs were resumed\n";
}

TEST_F(CliVolume, FullDiskLeavesTheOldOutputAndCanBeResumed) {
  const Args arguments = with(noise(100, "out.zarr"), {"--compression", "none"});
  good(arguments);
  const auto whole = tree("out.zarr");
  const Outcome full = run(arguments, {.file_limit = 30000});
  EXPECT_EQ(full.status, 1);
  EXPECT_NE(full.err.find("cannot write"), std::string::npos) << full.err;
  ASSERT_TRUE(std::filesystem::exists(path("out.zarr.unfinished")));
  good(with(arguments, {"--resume"}));
  EXPECT_TRUE(tree("out.zarr") == whole);
}

TEST_F(CliVolume, ShardsMakeTheBytesOfOneRun) {
  const Args base = many_blocks("out.zarr");
  const auto json = nlohmann::json::parse(good(with(base, {"--json"})).out);
  ASSERT_GT(json["blocks"], 17) << json;
  const auto whole = tree("out.zarr");
  int killed = 0;
  for (const std::string shard : {"0/3", "2/3"}) {
    const Args arguments = with(base, {"--shard", shard});
    killed += run(arguments, {.kill_signal = SIGKILL, .kill_delay_ms = 40}).signal == SIGKILL ? 1 : 0;
    good(arguments);
  }
  std::cout << killed << " shards were killed\n";
  bad(1, with(base, {"--merge", "3"}), {"out.zarr.unfinished", "shard 1 of 3 is missing or not complete"});
  bad(2, with(base, {"--merge", "4"}), {"--merge: '4'", "'3'", "delete out.zarr.unfinished"});
  bad(2, with(base, {"--shard", "1/3", "--levels", "2"}), {"--levels: '2'", "'3'"});
  bad(2, base, {"out.zarr.unfinished", "holds shards"});
  {
    const WithVariable index("SLURM_ARRAY_TASK_ID", "1");
    EXPECT_EQ(nlohmann::json::parse(good(with(base, {"--shard", "auto/3", "--json"})).out)["shard"]["index"], 1);
  }
  EXPECT_NE(good(with(base, {"--shard", "1/3"})).out.find("is complete already"), std::string::npos);
  EXPECT_EQ(run(with(base, {"--merge", "3"}), {.kill_signal = SIGKILL, .kill_delay_ms = 15}).err, "");
  if (std::filesystem::exists(path("out.zarr.unfinished"))) good(with(base, {"--merge", "3"}));
  std::filesystem::remove_all(path(".out.zarr.unfinished.old"));
  EXPECT_TRUE(tree("out.zarr") == whole);
}

TEST_F(CliVolume, DamagedShardsAreNamed) {
  const Args base = many_blocks("out.zarr");
  good(with(base, {"--shard", "0/2"}));
  good(with(base, {"--shard", "1/2"}));
  std::filesystem::remove(path("out.zarr.unfinished/image/0/c/0/0/0"));
  bad(1, with(base, {"--merge", "2"}), {"shard 0/2 is damaged", "block 0", "run the shard again"});
  good(with(base, {"--shard", "0/2"}));
  good(with(base, {"--merge", "2"}));
}

}  // namespace
}  // namespace cli_test
