// volume_files_safety_test.cpp: what a run leaves after an interruption, what a resumed run makes of it, and what is
// never destroyed.
#include "tests/volume_files/volume_files_support.hpp"

namespace volume_files_test {
namespace {

using onepass::testing::random_seed;
using onepass::testing::random_volume;
using onepass::volumes::block_limits;
using onepass::volumes::VolumeProgress;

class VolumeFilesSafety : public VolumeFiles {
 protected:
  /// A pyramid of many blocks in two or more passes.
  VolumeFileOptions many_blocks(const std::string& output) {
    Generator random(random_seed());
    block_limits.voxels = 1;
    return save(random_volume<uint16_t>({120, 100, 70}, 1, random, 3), output);
  }
  std::filesystem::path work(const VolumeFileOptions& o) { return onepass::tiles::unfinished_path(o.output); }

  /// Runs until `blocks` blocks are made.
  void interrupt(VolumeFileOptions o, uint64_t blocks) {
    o.progress = [blocks](const VolumeProgress& p) { return p.blocks < blocks; };
    // Reports come ten times per second; the first one is immediate.
    const auto report = make_volume(o);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, ErrorCode::kCancelled) << report.error().text();
  }
};

TEST_F(VolumeFilesSafety, ResumedRunsMakeTheSameBytes) {
  VolumeFileOptions o = many_blocks("whole.zarr");
  const VolumeFileReport whole = good(o);
  ASSERT_GT(whole.progress.blocks, 50U);
  const auto files = tree(o.output);
  o.output = directory_ / "out.zarr";
  interrupt(o, 0);
  EXPECT_FALSE(std::filesystem::exists(o.output));
  bad(o, ErrorCode::kInvalidArgument, {"out.zarr.unfinished", "unfinished output of an earlier run", "resume"});
  o.resume = true;
  VolumeFileReport report = good(o);
  EXPECT_EQ(report.progress.blocks, whole.progress.blocks);
  EXPECT_TRUE(tree(o.output) == files);
  EXPECT_FALSE(std::filesystem::exists(work(o)));
}

TEST_F(VolumeFilesSafety, CompleteBlocksAreKeptAndDamagedOnesMadeAgain) {
  VolumeFileOptions o = many_blocks("whole.zarr");
  const VolumeFileReport whole = good(o);
  const auto files = tree(o.output);
  o.output = directory_ / "out.zarr";
  // The last step fails: its place is taken when all blocks are complete.
  o.progress = [&](const VolumeProgress& p) {
    if (p.voxels == p.all_voxels) files_test::save(o.output, {});
    return true;
  };
  bad(o, ErrorCode::kIo, {"out.zarr", "is a file, but the output is a directory"});
  std::filesystem::remove(o.output);
  o.progress = {};
  o.resume = true;
  const auto image = work(o) / "image";
  std::filesystem::remove(image / "0/c/1/1/1");
  std::filesystem::resize_file(image / "1/c/0/0/1", 5);
  std::filesystem::remove(work(o) / "kept_1/3");
  const VolumeFileReport report = good(o);
  EXPECT_GE(report.progress.blocks, 2U);
  EXPECT_LE(report.progress.blocks, 3U);
  EXPECT_EQ(report.progress.blocks + report.progress.blocks_kept, whole.progress.blocks);
  EXPECT_TRUE(tree(o.output) == files);
}

TEST_F(VolumeFilesSafety, OtherOptionsDoNotResume) {
  VolumeFileOptions o = many_blocks("out.zarr");
  interrupt(o, 0);
  o.resume = true;
  VolumeFileOptions other = o;
  other.reduction = Reduction::kMax;
  bad(other, ErrorCode::kInvalidArgument, {"out.zarr.unfinished", "other options"});
  block_limits.voxels = uint64_t{1} << 30;
  bad(o, ErrorCode::kInvalidArgument, {"out.zarr.unfinished", "other options"});
  EXPECT_TRUE(std::filesystem::exists(work(o)));
}

TEST_F(VolumeFilesSafety, NothingOfOthersIsReplaced) {
  VolumeFileOptions o = many_blocks("out.zarr");
  std::filesystem::create_directory(o.output);
  files_test::save(o.output / "zarr.json", files_test::bytes_of("{}"));
  bad(o, ErrorCode::kIo, {"out.zarr", "no earlier output of onepass", "zarr.json"});
  std::filesystem::remove(o.output / "zarr.json");
  good(o);  // an empty directory
  good(o);  // an earlier output
  const auto files = tree(o.output);
  for (const char* name : {"notes.txt", "0/notes.txt", "0/c/9/9/9", "0/c/0/0/0.bak", "7/zarr.json", "c/0"}) {
    std::filesystem::create_directories((o.output / name).parent_path());
    files_test::save(o.output / name, files_test::bytes_of("mine"));
    bad(o, ErrorCode::kIo, {"out.zarr", "it holds"});
    std::filesystem::remove(o.output / name);
    for (const char* folder : {"0/c/9", "7", "c"}) std::filesystem::remove_all(o.output / folder);
  }
  EXPECT_TRUE(tree(o.output) == files);
  files_test::save(o.output.string() + ".unfinished", {});
  bad(o, ErrorCode::kIo, {"out.zarr.unfinished"});
}

TEST_F(VolumeFilesSafety, PagesAreReplacedOnlyIfTheyShowTheOutput) {
  VolumeFileOptions o = many_blocks("out.zarr");
  o.viewer = true;
  const auto page = directory_ / "out.html";
  const auto mine = files_test::bytes_of("<p>my page</p>");
  files_test::save(page, mine);
  bad(o, ErrorCode::kIo, {"out.html", "no earlier output of onepass", "it does not show out.zarr", "move it away"});
  EXPECT_FALSE(std::filesystem::exists(o.output));
  o.viewer = false;
  EXPECT_EQ(good(o).viewer, "");
  EXPECT_TRUE(files_test::load(page) == mine);
  std::filesystem::remove(page);
  o.viewer = true;
  EXPECT_EQ(good(o).viewer, page);
  good(o);  // its own page
  std::filesystem::copy(page, directory_ / "other.html");
  VolumeFileOptions other = o;
  other.output = directory_ / "other.zarr";
  bad(other, ErrorCode::kIo, {"other.html", "it does not show other.zarr"});
  // A page that appears while the run works, and a run that continues when it is gone.
  std::filesystem::remove(directory_ / "other.html");
  other.progress = [&](const VolumeProgress&) {
    files_test::save(directory_ / "other.html", mine);
    return true;
  };
  bad(other, ErrorCode::kIo, {"other.html", "it does not show other.zarr"});
  EXPECT_FALSE(std::filesystem::exists(other.output));
  std::filesystem::remove(directory_ / "other.html");
  other.progress = {};
  other.resume = true;
  EXPECT_GT(good(other).progress.blocks_kept, 0U);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "other.html"));
  // An input is no page.
  std::filesystem::rename(o.input.path, directory_ / "in.html");
  o.input.path = directory_ / "in.html";
  o.output = directory_ / "in.zarr";
  bad(o, ErrorCode::kInvalidArgument, {"output:", "in.html"});
}

TEST_F(VolumeFilesSafety, TheMergeMakesThePage) {
  VolumeFileOptions o = many_blocks("a<b&c d@PATH@\"'.zarr");
  o.viewer = true;
  const auto path = directory_ / "a<b&c d@PATH@\"'.html";
  for (const uint32_t index : {1, 0}) {
    o.shard = {index, 2};
    EXPECT_EQ(good(o).viewer, "");
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  o.shard = {};
  o.merge = 2;
  EXPECT_EQ(good(o).viewer, path);
  const auto bytes = files_test::load(path);
  const std::string page(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_NE(page.find("<title>a&lt;b&amp;c d@PATH@\"'</title>"), std::string::npos) << page.substr(0, 400);
  EXPECT_NE(page.find("path: \"a%3Cb%26c%20d%40PATH%40%22%27.zarr\""), std::string::npos);
  EXPECT_EQ(page.find("@DECODERS@"), std::string::npos);
  EXPECT_NE(page.find("decodeZstd"), std::string::npos);
}

TEST_F(VolumeFilesSafety, InputsAreNotOutputs) {
  VolumeFileOptions o = many_blocks("out.zarr");
  std::filesystem::create_directory(o.output);
  std::filesystem::rename(o.input.path, o.output / "in.raw");
  o.input.path = o.output / "in.raw";
  bad(o, ErrorCode::kInvalidArgument, {"output:", "out.zarr", "in.raw"});
  EXPECT_TRUE(std::filesystem::exists(o.input.path));
}

}  // namespace
}  // namespace volume_files_test
