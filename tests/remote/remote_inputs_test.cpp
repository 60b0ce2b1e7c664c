// remote_inputs_test.cpp: tiles and volumes of inputs behind HTTP have the bytes of those of the same files on disk,
// also if the server fails now and then.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>

#include "onepass/tiles.hpp"
#include "onepass/volume_files.hpp"
#include "remote/site.hpp"
#include "tests/files/files_support.hpp"
#include "tests/remote/http_server.hpp"
#include "tests/volume_files/zarr_files.hpp"
#include "volume_files/block_plan.hpp"

namespace remote_test {
namespace {

namespace fs = std::filesystem;
using onepass::ErrorCode;
using onepass::tiles::make_tiles;
using onepass::tiles::TileOptions;
using onepass::volumes::make_volume;
using onepass::volumes::VolumeFileOptions;
using volume_files_test::Position;
using volume_files_test::ZarrFile;

std::map<std::string, files_test::Bytes> tree(const fs::path& root) {
  std::map<std::string, files_test::Bytes> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files[fs::relative(entry, root).string()] = files_test::load(entry);
  }
  return files;
}

class RemoteInputs : public ::testing::Test {
 protected:
  RemoteInputs() { onepass::remote::site_tuning = {.first_delay_ms = 1, .longest_delay_ms = 20}; }
  ~RemoteInputs() override { onepass::remote::site_tuning = {}; }

  files_test::TempDirectory folder_;  // of the server
  files_test::TempDirectory out_;
  HttpServer server_{folder_.path()};

  // Every fifth request of all fails, each time in another way.
  void fail_sometimes() {
    auto number = std::make_shared<std::atomic<int>>(0);
    server_.set_rule([number](const Request&) {
      const Behaviour kFailures[] = {{.status = 503}, {.resets = true}, {.sent_bytes = 0}, {.sent_bytes = 3}};
      const int now = (*number)++;
      return now % 5 == 4 ? kFailures[now / 5 % 4] : Behaviour{.delay_ms = 1};
    });
  }

  void make_raw(const std::string& name, size_t bytes) {
    files_test::Bytes raw(bytes);
    for (size_t i = 0; i < bytes; ++i) raw[i] = std::byte(static_cast<unsigned char>(i * 31 + i / 700 * 17));
    files_test::save(folder_ / name, raw);
  }

  VolumeFileOptions volume(const fs::path& input, const std::string& output) const {
    return {
        .input = {.path = input}, .output = out_ / output / "out.zarr", .chunk = {8, 8, 8}, .shard_size = {16, 16, 16}};
  }
  static void good(const VolumeFileOptions& o) {
    const auto report = make_volume(o);
    ASSERT_TRUE(report.ok()) << report.error().text();
  }
  static void good(const TileOptions& o) {
    const auto report = make_tiles(o);
    ASSERT_TRUE(report.ok()) << report.error().text();
  }
  template <typename Result>
  static void refused(const Result& report, ErrorCode code, const std::vector<std::string>& words) {
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, code) << report.error().text();
    for (const std::string& word : words) {
      EXPECT_NE(report.error().text().find(word), std::string::npos) << report.error().text() << " lacks " << word;
    }
  }

  void SetUp() override {
    for (const char* name : {"disk", "web", "x", "y"}) fs::create_directory(out_ / name);
  }

  // The outputs of an input on disk and behind HTTP.
  void expect_same_volume(const std::string& name) {
    good(volume(folder_ / name, "disk"));
    fail_sometimes();
    good(volume(server_.url(name), "web"));
    EXPECT_TRUE(tree(out_ / "disk") == tree(out_ / "web")) << name;
    fs::remove_all(out_ / "disk/out.zarr");
    fs::remove_all(out_ / "web/out.zarr");
  }
  void expect_same_tiles(const std::string& name, uint32_t threads = 0) {
    const TileOptions disk{.input = {.path = folder_ / name}, .output = out_ / "disk.tif", .threads = threads};
    good(disk);
    fail_sometimes();
    TileOptions web = disk;
    web.input.path = server_.url(name);
    web.output = out_ / "web.tif";
    good(web);
    EXPECT_TRUE(files_test::load(out_ / "disk.tif") == files_test::load(out_ / "web.tif")) << name;
  }
  // A tiled pyramid of a picture of random bytes.
  void make_picture(const std::string& name, const std::string& size, size_t bytes, bool cog = false) {
    make_raw("in.raw", bytes);
    good(TileOptions{.input = {.path = folder_ / "in.raw", .raw = size}, .output = folder_ / name, .cog = cog});
  }
};

TEST_F(RemoteInputs, ZarrVolumesAreThoseOnDisk) {
  const ZarrFile files[] = {
      {.shape = {20, 30, 40}, .chunk = {16, 16, 16}, .block = {8, 8, 8}, .codecs = {"zstd"}},
      {.shape = {20, 30, 40}, .chunk = {16, 16, 16}, .block = {8, 4, 8}, .index_at_start = true},
      {.version = 2, .shape = {20, 30, 40}, .chunk = {8, 8, 8}, .codecs = {"zlib"}, .separator = '.'},
      {.version = 2,
       .shape = {20, 30, 40},
       .chunk = {8, 8, 8},
       .fill_text = "7",
       .fill = 7,
       .left_out = [](const Position& at) { return (at[0] + at[1] + at[2]) % 2 == 1; }},
      {.version = 2, .shape = {20, 30, 40}, .chunk = {8, 8, 8}, .separator = '.', .states_separator = false},
      {.version = 2,
       .shape = {20, 30, 40},
       .chunk = {8, 8, 8},
       .states_separator = false,
       .left_out = [](const Position& at) { return at[0] == 0; }}};
  for (const ZarrFile& file : files) {
    fs::remove_all(folder_ / "in.zarr");
    file.write(folder_ / "in.zarr");
    expect_same_volume("in.zarr");
    EXPECT_GT(server_.most_at_once(), 2);
  }
}

TEST_F(RemoteInputs, OmeZarrWithNamesThatNeedEncoding) {
  make_raw("in.raw", 40 * 30 * 20);
  VolumeFileOptions o = volume(folder_ / "in.raw", "in.zarr");
  o.input.raw = "40x30x20:uint8";
  o.output = folder_ / "b%r a#in?.zarr";
  good(o);
  good(volume(o.output, "disk"));
  fail_sometimes();
  good(volume(server_.url("b%25r a%23in%3F.zarr/"), "web"));
  EXPECT_TRUE(tree(out_ / "disk") == tree(out_ / "web"));
}

TEST_F(RemoteInputs, TiffVolumesAreThoseOnDisk) {
  make_raw("planes.raw", 40 * 30);
  for (const auto compression : {onepass::tiles::TileCompression::kNone, onepass::tiles::TileCompression::kDeflate}) {
    good(TileOptions{.input = {.path = folder_ / "planes.raw", .raw = "40x30:gray8"},
                     .output = folder_ / "scan 1.tif",
                     .tile_size = 16,
                     .compression = compression});
    good(volume(folder_ / "scan 1.tif", "disk"));
    fail_sometimes();
    good(volume(server_.url("scan 1.tif"), "web"));
    EXPECT_TRUE(tree(out_ / "disk") == tree(out_ / "web"));  // the name, too
    fs::remove_all(out_ / "disk/out.zarr");
    fs::remove_all(out_ / "web/out.zarr");
  }
}

TEST_F(RemoteInputs, TilesOfTiffAreThoseOnDisk) {
  make_picture("a.tif", "900x1100:rgb8", size_t{900} * 1100 * 3);
  expect_same_tiles("a.tif");
  expect_same_tiles("a.tif", 1);
  make_picture("cog.tif", "900x1100:gray16", size_t{900} * 1100 * 2, true);
  expect_same_tiles("cog.tif");
  // Of an output that is written as a whole, states while a server is waited for have their rows, too.
  server_.set_rule([](const Request& request) { return Behaviour{.delay_ms = request.number < 3 ? 0 : 300}; });
  bool is_wrong = false;
  TileOptions ktx{.input = {.path = server_.url("a.tif")}, .output = out_ / "web.ktx2"};
  uint64_t rows = 0;
  ktx.progress = [&](const onepass::tiles::TileProgress& state) {
    is_wrong = is_wrong || state.rows < rows;
    rows = state.rows;
    return true;
  };
  good(ktx);
  EXPECT_FALSE(is_wrong);
  EXPECT_EQ(rows, 1100U);
  server_.set_rule([](const Request&) { return Behaviour{.has_ranges = false}; });
  good(TileOptions{.input = {.path = server_.url("a.tif")}, .output = out_ / "whole.tif"});
  EXPECT_EQ(server_.count("a.tif"), 1U);
}

TEST_F(RemoteInputs, TilesOfZarrAreThoseOnDisk) {
  const ZarrFile file{.version = 2, .shape = {300, 500}, .chunk = {64, 64}, .codecs = {"zlib"}};
  file.write(folder_ / "in.zarr");
  expect_same_tiles("in.zarr");
}

TEST_F(RemoteInputs, RunsThatWereStoppedContinue) {
  const ZarrFile file{.shape = {40, 30, 40}, .chunk = {16, 16, 16}, .block = {8, 8, 8}, .codecs = {"zstd"}};
  file.write(folder_ / "in.zarr");
  good(volume(folder_ / "in.zarr", "disk"));
  VolumeFileOptions o = volume("http://me:geheim@" + server_.url("in.zarr").substr(7) + "?key=abc", "web");
  // The server stalls in the middle of the voxels; the progress function ends the run.
  server_.set_rule(
      [](const Request& request) { return Behaviour{.delay_ms = request.path.ends_with("zarr.json") ? 0 : 100000}; });
  int calls = 0;
  o.progress = [&](const onepass::volumes::VolumeProgress&) { return ++calls < 3; };
  const auto start = std::chrono::steady_clock::now();
  refused(make_volume(o), ErrorCode::kCancelled, {"out.zarr: interrupted"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  o.progress = {};
  o.resume = true;
  server_.set_rule({});
  good(o);
  EXPECT_TRUE(tree(out_ / "disk") == tree(out_ / "web"));
}

TEST_F(RemoteInputs, OpeningCanBeStopped) {
  server_.set_rule([](const Request&) { return Behaviour{.delay_ms = 100000}; });
  const auto start = std::chrono::steady_clock::now();
  VolumeFileOptions volume_options = volume(server_.url("in.zarr"), "web");
  volume_options.progress = [](const onepass::volumes::VolumeProgress&) { return false; };
  refused(make_volume(volume_options), ErrorCode::kCancelled, {"interrupted"});
  TileOptions tile_options{.input = {.path = server_.url("in.tif")}, .output = out_ / "web.tif"};
  tile_options.progress = [](const onepass::tiles::TileProgress&) { return false; };
  refused(make_tiles(tile_options), ErrorCode::kCancelled, {"interrupted"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(RemoteInputs, ShardsMakeTheSameOutput) {
  make_picture("a.tif", "300x700:gray8", size_t{300} * 700);
  good(TileOptions{.input = {.path = folder_ / "a.tif"}, .output = out_ / "disk.dzi", .tile_size = 32});
  const std::string url = "http://me:geheim@" + server_.url("a.tif").substr(7) + "?key=abc";
  TileOptions web{.input = {.path = url}, .output = out_ / "web.dzi", .tile_size = 32};
  for (uint32_t i = 0; i < 2; ++i) {
    web.shard = {i, 2};
    good(web);
  }
  const auto shards = files_test::load(out_ / "web.dzi.unfinished/shards");
  const std::string text(reinterpret_cast<const char*>(shards.data()), shards.size());
  EXPECT_NE(text.find("input=http://127.0.0.1"), std::string::npos) << text;
  EXPECT_EQ(text.find("geheim"), std::string::npos) << text;
  EXPECT_EQ(text.find("abc"), std::string::npos) << text;
  web.shard = {};
  web.merge = 2;
  server_.set_rule([](const Request&) { return Behaviour{.etag = "\"other\""}; });
  refused(make_tiles(web), ErrorCode::kInvalidArgument, {"another size or time"});
  server_.set_rule({});
  good(web);
  EXPECT_TRUE(tree(out_ / "disk_files") == tree(out_ / "web_files"));
}

// Both the volume and the point spread function may be behind HTTP.
TEST_F(RemoteInputs, DeconvolutionsAreThoseOfFilesOnDisk) {
  ZarrFile{.shape = {12, 20, 24}, .chunk = {8, 8, 8}}.write(folder_ / "in.zarr");
  ZarrFile{.shape = {3, 5, 4}, .chunk = {3, 5, 4}}.write(folder_ / "psf.zarr");
  VolumeFileOptions disk = volume(folder_ / "in.zarr", "disk");
  disk.deconvolution = {.kernel = {.path = folder_ / "psf.zarr"}, .iterations = 3};
  good(disk);
  fail_sometimes();
  VolumeFileOptions web = volume(server_.url("in.zarr"), "web");
  web.deconvolution = {.kernel = {.path = server_.url("psf.zarr")}, .iterations = 3};
  good(web);
  EXPECT_TRUE(tree(out_ / "disk") == tree(out_ / "web"));
  web.deconvolution->kernel.path = server_.url("none.zarr");
  refused(make_volume(web), ErrorCode::kNotFound, {"none.zarr"});
}

// Work of another version of the input is not continued, and not lost either.
TEST_F(RemoteInputs, ChangedInputsDoNotContinueRecordedWork) {
  const ZarrFile file{.shape = {64, 64, 64}, .chunk = {16, 16, 16}};
  file.write(folder_ / "in.zarr");
  onepass::volumes::block_limits.voxels = 1;
  VolumeFileOptions o = volume(server_.url("in.zarr"), "web");
  o.progress = [](const onepass::volumes::VolumeProgress& p) { return p.blocks < 3; };
  onepass::remote::site_tuning.tries = 1;
  server_.set_rule([](const Request&) { return Behaviour{.delay_ms = 20}; });
  refused(make_volume(o), ErrorCode::kCancelled, {"out.zarr.unfinished", "can be continued"});
  o.progress = {};
  o.resume = true;
  const auto before = tree(out_ / "web");
  for (const Behaviour& changed :
       {Behaviour{.etag = "\"other\""}, {.etag = "", .headers = "Last-Modified: Tue, 01 Dec 2026 10:00:00 GMT\r\n"}}) {
    server_.set_rule([changed](const Request&) { return changed; });
    refused(make_volume(o), ErrorCode::kInvalidArgument, {"out.zarr.unfinished", "other options"});
    EXPECT_TRUE(tree(out_ / "web") == before);
  }
  server_.set_rule({});
  const auto resumed = make_volume(o);
  ASSERT_TRUE(resumed.ok()) << resumed.error().text();
  EXPECT_GE(resumed->progress.blocks_kept, 3U);
  good(volume(folder_ / "in.zarr", "disk"));
  EXPECT_TRUE(tree(out_ / "disk") == tree(out_ / "web"));
  onepass::volumes::block_limits = {};

  make_picture("a.tif", "900x1100:gray8", size_t{900} * 1100);
  TileOptions tiles{.input = {.path = server_.url("a.tif")}, .output = out_ / "web.dzi", .tile_size = 32};
  tiles.progress = [](const onepass::tiles::TileProgress& p) { return p.tiles < 100; };
  refused(make_tiles(tiles), ErrorCode::kCancelled, {"web.dzi.unfinished"});
  tiles.progress = {};
  tiles.resume = true;
  server_.set_rule([](const Request&) { return Behaviour{.etag = "\"other\""}; });
  refused(make_tiles(tiles), ErrorCode::kInvalidArgument, {"web.dzi.unfinished"});
  server_.set_rule({});
  good(tiles);
  good(TileOptions{.input = {.path = folder_ / "a.tif"}, .output = out_ / "disk.dzi", .tile_size = 32});
  EXPECT_TRUE(tree(out_ / "disk_files") == tree(out_ / "web_files"));
}

TEST_F(RemoteInputs, WhatIsNotReadIsNamed) {
  files_test::save(folder_ / "a.png", files_test::bytes_of("\x89PNG and more"));
  const auto tiles = [&](onepass::tiles::TileInput input) {
    return make_tiles({.input = std::move(input), .output = out_ / "x.tif"});
  };
  const std::string url = server_.url("a.png");
  refused(tiles({.path = url}), ErrorCode::kNotFound, {url, "zarr.json", "TIFF and OME-Zarr"});
  refused(tiles({.path = url, .raw = "1x1:rgb8"}), ErrorCode::kUnsupported, {url, "TIFF and OME-Zarr"});
  refused(tiles({.grid = server_.url("{x}_{y}.png")}), ErrorCode::kUnsupported, {"TIFF and OME-Zarr"});
  refused(tiles({.path = server_.url("a.svs")}), ErrorCode::kUnsupported, {"a.svs", "whole slides"});
  refused(tiles({.path = "s3://bucket/folder/a.tif"}), ErrorCode::kUnsupported,
          {"https://bucket.s3.amazonaws.com/folder/a.tif"});
  refused(make_volume({.input = {.planes = server_.url("{z}.png")}, .output = out_ / "x.zarr"}),
          ErrorCode::kUnsupported, {"TIFF and OME-Zarr"});
  refused(make_volume(volume("s3://me:geheim@bucket/a.zarr", "x")), ErrorCode::kUnsupported,
          {"https://bucket.s3.amazonaws.com/a.zarr"});
  refused(make_volume(volume(server_.url("none.zarr"), "x")), ErrorCode::kNotFound, {"none.zarr", "zarr.json"});
}

// What a file that vanishes leaves, a resumed run continues.
TEST_F(RemoteInputs, VanishedFilesKeepTheWork) {
  make_picture("a.tif", "3000x3000:gray8", size_t{3000} * 3000);
  server_.set_rule([](const Request& request) { return Behaviour{.status = request.number < 9 ? 0 : 404}; });
  TileOptions o{.input = {.path = server_.url("a.tif"), .max_bytes = uint64_t{64} << 20}, .output = out_ / "x.tif"};
  refused(make_tiles(o), ErrorCode::kIo, {"a.tif", "changed on the server", "404"});
  EXPECT_TRUE(fs::is_directory(out_ / "x.tif.unfinished"));
  server_.set_rule({});
  o.resume = true;
  good(o);
}

// Threads that wait for the index of one shard do not ask for it again, each by itself.
TEST_F(RemoteInputs, FailuresOfAShardAreNotRepeated) {
  const ZarrFile file{.shape = {64, 64, 64}, .chunk = {64, 64, 64}, .block = {8, 8, 8}};
  file.write(folder_ / "in.zarr");
  server_.set_rule([](const Request& request) {
    return request.path.ends_with("zarr.json") ? Behaviour() : Behaviour{.delay_ms = 20, .status = 503};
  });
  VolumeFileOptions o = volume(server_.url("in.zarr"), "x");
  refused(make_volume(o), ErrorCode::kIo, {"in.zarr/c/0/0/0", "503", "5 tries"});
  EXPECT_EQ(server_.count("in.zarr/c/0/0/0"), 5U);
}

TEST_F(RemoteInputs, FailuresOfAChunkEndTheOthers) {
  const ZarrFile file{.shape = {64, 64, 64}, .chunk = {8, 8, 8}};  // 512 chunks
  file.write(folder_ / "in.zarr");
  server_.set_rule([](const Request& request) {
    if (request.path.ends_with("zarr.json")) return Behaviour();
    return request.path.ends_with("c/0/0/0") ? Behaviour{.status = 403} : Behaviour{.delay_ms = 5};
  });
  VolumeFileOptions o = volume(server_.url("in.zarr"), "x");
  o.chunk = {64, 64, 64};
  o.shard_size = o.chunk;
  refused(make_volume(o), ErrorCode::kIo, {"in.zarr/c/0/0/0", "403"});
  EXPECT_LT(server_.count(), 100U);
}

TEST_F(RemoteInputs, FailuresEndTheRun) {
  const ZarrFile file{.shape = {20, 30, 40}, .chunk = {16, 16, 16}, .block = {8, 8, 8}};
  file.write(folder_ / "in.zarr");
  server_.set_rule(
      [](const Request& request) { return Behaviour{.status = request.path.ends_with("zarr.json") ? 0 : 503}; });
  refused(make_volume(volume(server_.url("in.zarr"), "x")), ErrorCode::kIo, {"in.zarr/c/0/0/0", "503", "5 tries"});
  server_.set_rule(
      [](const Request& request) { return Behaviour{.status = request.path.ends_with("zarr.json") ? 0 : 403}; });
  refused(make_volume(volume(server_.url("in.zarr"), "y")), ErrorCode::kIo, {"in.zarr/c/0/0/0", "403"});
  // The pixels of a TIFF file, whose directory could be read
  make_picture("a.tif", "900x1100:rgb8", size_t{900} * 1100 * 3);
  server_.set_rule([](const Request& request) { return Behaviour{.status = request.number < 2 ? 0 : 503}; });
  refused(make_tiles({.input = {.path = server_.url("a.tif")}, .output = out_ / "x.tif"}), ErrorCode::kIo,
          {"a.tif: cannot read it: the server answers 503", "5 tries"});
}

}  // namespace
}  // namespace remote_test
