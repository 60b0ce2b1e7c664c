// tiles_zarr_test.cpp: OME-Zarr of onepass/tiles.hpp as output and as input, and inputs that cannot be read.
#include <sys/stat.h>
#include <tiffio.h>

#include "tests/tiles/tiles_support.hpp"

namespace tiles_test {
namespace {

class TilesZarr : public Tiles {};

TEST_F(TilesZarr, ChunksOfEveryChannel) {
  const Picture base = random_picture({131, 77}, 3, 0, 65535);
  save_raw<uint16_t>(directory_ / "in.raw", base);
  TileOptions o = options("131x77:rgb16", "out.zarr");
  o.color = Color::kLinear;
  o.compression = TileCompression::kNone;
  o.tile_size = 32;
  const auto report = good(o);
  ASSERT_EQ(report.sizes.size(), 4);
  for (uint32_t n = 0; n < 4; ++n) {
    const Extent s = report.sizes[n];
    Picture got{s, 3, std::vector<double>(size_t{s.width} * s.height * 3)};
    for (uint32_t y = 0; y < s.height; ++y) {
      for (uint32_t x = 0; x < s.width; ++x) {
        for (uint32_t c = 0; c < 3; ++c) {
          const auto name = "out.zarr/" + std::to_string(n) + "/" + std::to_string(c) + "/" + std::to_string(y / 32) +
                            "/" + std::to_string(x / 32);
          static std::map<std::string, Bytes> chunks;
          if (!chunks.contains(name)) chunks[name] = files_test::load(directory_ / name);
          ASSERT_EQ(chunks[name].size(), 32 * 32 * 2);
          got.samples[(size_t{y} * s.width + x) * 3 + c] =
              number(&chunks[name][(size_t{y % 32} * 32 + x % 32) * 2], 16, SAMPLEFORMAT_UINT);
        }
      }
    }
    expect_level(got, base, n, {}, 0.51);
  }
}

// An OME-Zarr output as an input is the picture that it was made from, also by shards, which leave out rows of chunks.
TEST_F(TilesZarr, IsReadAsWritten) {
  const Picture base = random_picture({331, 203}, 4, 0, 65535);
  save_raw<uint16_t>(directory_ / "in.raw", base);
  TileOptions first = options("331x203:rgba16", "in.zarr");
  first.tile_size = 32;
  good(first);
  TileOptions o;
  o.input.path = directory_ / "in.zarr";
  o.tile_size = 16;
  TileOptions direct = options("331x203:rgba16", "out.zarr");
  direct.tile_size = 16;
  const auto wanted = good(direct);
  const auto files = tree(directory_ / "out.zarr");
  for (const TileCompression compression :
       {TileCompression::kZstd, TileCompression::kDeflate, TileCompression::kNone}) {
    first.compression = compression;
    good(first);
    o.output = directory_ / "out.zarr";
    const auto report = good(o);
    EXPECT_TRUE(report.srgb == wanted.srgb && report.channels == 4U);
    EXPECT_TRUE(tree(o.output) == files);
  }
  for (o.shard = {0, 3}; o.shard.index < 3; ++o.shard.index) good(o);
  o.shard = {};
  o.merge = 3;
  good(o);
  EXPECT_TRUE(tree(o.output) == files);
}

TEST_F(TilesZarr, InputThatCannotBeReadIsNamed) {
  save_raw<uint16_t>(directory_ / "in.raw", random_picture({40, 30}, 3, 0, 65535));
  TileOptions first = options("40x30:rgb16", "in.zarr");
  first.tile_size = 16;
  first.levels = 1;
  TileOptions o;
  o.input.path = directory_ / "in.zarr";
  o.output = directory_ / "out.tif";
  // Replaces `from` in a file of the input.
  const auto refuse = [&](const std::string& file, const std::string& from, const std::string& to, ErrorCode code,
                          const std::vector<std::string>& words) {
    std::filesystem::remove_all(o.input.path);  // edited: it would not be replaced
    good(first);
    const std::filesystem::path path = o.input.path / file;
    const Bytes bytes = files_test::load(path);
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << file << " " << from;
    text.replace(at, from.size(), to);
    files_test::save(path, files_test::bytes_of(text));
    bad(o, code, words);
    EXPECT_FALSE(std::filesystem::exists(o.output));
    EXPECT_FALSE(std::filesystem::exists(onepass::tiles::unfinished_path(o.output)));
  };
  constexpr auto kBad = ErrorCode::kBadData;
  constexpr auto kNot = ErrorCode::kUnsupported;
  refuse(".zattrs", "{", "[", kBad, {".zattrs", "JSON"});
  refuse(".zattrs", "\"multiscales\"", "\"x\": " + std::string(100000, '[') + std::string(100000, ']') + ", \"y\"",
         kBad, {".zattrs", "nested"});
  refuse("0/.zarray", "\"<u2\"", "\"" + std::string(1000, 'u') + "\"", kNot, {"dtype", "uuu..."});
  refuse(".zattrs", "\"name\": \"y\"", "\"name\": \"x\"", kNot, {"axes are c, x, x"});
  refuse(".zattrs", "\"name\": \"x\",\n          \"type\": \"space\"", "\"name\": \"d\", \"type\": \"channel\"", kNot,
         {"axes are c, y, d"});
  refuse(".zattrs", "\"multiscales\"", "\"plate\": {}, \"x\"", kNot, {"in.zarr", "plate"});
  refuse(".zattrs", "\"multiscales\"", "\"bioformats2raw.layout\": 3, \"x\"", kNot, {"collection", "in.zarr/0"});
  refuse(".zattrs", "\"multiscales\"", "\"x\"", kBad, {".zattrs", "level"});
  refuse(".zattrs", "\"path\": \"0\"", "\"path\": \"../in.zarr/0\"", kBad, {".zattrs", "path"});
  refuse(".zattrs", "\"path\": \"0\"", "\"path\": \"7\"", ErrorCode::kNotFound, {"in.zarr/7/.zarray"});
  refuse(".zattrs", "\"name\": \"c\",\n          \"type\": \"channel\"", "\"name\": \"z\", \"type\": \"space\"", kNot,
         {"axis z", "3 elements"});
  refuse("0/.zarray", "\"zarr_format\": 2", "\"zarr_format\": 3", kNot, {".zarray", "zarr_format", "3"});
  refuse("0/.zarray", "<u2", "<f8", kNot, {"dtype", "<f8"});
  refuse("0/.zarray", "<u2", "<u8", kNot, {".zarray", "uint64"});
  refuse("0/.zarray", "40", "-40", kBad, {"shape", "-40"});
  refuse("0/.zarray", "40", "4e3", kBad, {"shape", "4000"});
  refuse("0/.zarray", "30", "3000000000", kBad, {"shape", "3000000000"});
  refuse("0/.zarray", "16", "2000000000", kNot, {"chunks", "1 GiB"});
  refuse("0/.zarray", "16", "0", kBad, {"chunks", "0"});
  refuse("0/.zarray", "\"chunks\": [\n    1,", "\"chunks\": [", kBad, {"shape", "chunks"});
  refuse("0/.zarray", "\"fill_value\": 0", "\"fill_value\": 65536", kBad, {"fill_value", "65536", "uint16"});
  refuse("0/.zarray", "\"fill_value\": 0", "\"fill_value\": \"NaN\"", kBad, {"fill_value", "NaN"});
  refuse("0/.zarray", "\"filters\": null", "\"filters\": [{\"id\": \"delta\"}]", kNot, {"filters", "delta"});
  refuse("0/.zarray", "\"order\": \"C\"", "\"order\": \"K\"", kBad, {"order", "K"});
  refuse("0/.zarray", "\"id\": \"zstd\"", "\"id\": \"lzma\"", kNot, {"compressor", "lzma"});
  refuse("0/.zarray", "\"id\": \"zstd\"", "\"id\": \"zlib\"", kBad, {"damaged", "512"});
  good(first);
  files_test::save(o.input.path / "0/2/1/1", files_test::bytes_of("no frame of Zstandard"));
  bad(o, kBad, {"in.zarr/0/2/1/1", "damaged"});
  files_test::save(o.input.path / "0/2/1/1", Bytes(10000));
  bad(o, kBad, {"in.zarr/0/2/1/1", "10000 bytes"});
  std::filesystem::remove(o.input.path / "0/2/1/1");
  std::filesystem::create_directory(o.input.path / "0/2/1/1");
  bad(o, kNot, {"in.zarr/0/2/1/1"});
  std::filesystem::remove(o.input.path / "0/2/1/1");  // not stored: the fill value
  good(o);
  ASSERT_EQ(::mkfifo((o.input.path / "0/2/1/1").c_str(), 0600), 0);
  bad(o, kNot, {"in.zarr/0/2/1/1", "regular file"});
  std::filesystem::remove(o.input.path / "0/2/1/1");
  TileOptions onto = o;
  for (const std::string name : {"in.zarr", "all.zarr"}) {  // the input itself, and a directory that holds it
    if (name == "all.zarr") {
      std::filesystem::create_directory(directory_ / name);
      std::filesystem::rename(o.input.path, directory_ / name / "0");
      std::filesystem::copy(directory_ / name / "0/.zattrs", directory_ / name / ".zattrs");
      onto.input.path = o.input.path = directory_ / name / "0";
    }
    onto.output = directory_ / name;
    bad(onto, ErrorCode::kInvalidArgument, {name, "input"});
    good(o);
  }
  onto.input = first.input;
  files_test::save(directory_ / "all.zarr/.zattrs", files_test::bytes_of("{}"));  // of another program
  bad(onto, ErrorCode::kIo, {"all.zarr", "no earlier output"});
  // A level without chunks is more likely a mistake than a picture of one value.
  TileOptions empty = o;
  empty.input.path = directory_ / "empty.zarr";
  std::filesystem::create_directories(empty.input.path / "0");
  for (const char* name : {".zattrs", "0/.zarray"}) {
    std::filesystem::copy(o.input.path / name, empty.input.path / name);
  }
  EXPECT_EQ(good(empty).warnings,
            std::vector{(empty.input.path / "0").string() + " holds no chunk: all texels have its fill_value"});
  EXPECT_TRUE(good(o).warnings.empty());
  // Limits of memory count chunks.
  TileOptions whole = o;
  whole.output = directory_ / "out.ktx2";
  whole.color = Color::kLinear;
  whole.input.max_bytes = 40 * 30 * 8 * 4 / 3 + 1000;
  bad(whole, ErrorCode::kOutOfMemory, {"bytes"});
  std::filesystem::remove(o.input.path / ".zattrs");
  bad(o, kNot, {"all.zarr/0", ".zattrs"});
  files_test::save(o.input.path / "zarr.json", files_test::bytes_of("{}"));
  bad(o, kBad, {"zarr.json", "level"});
}

}  // namespace
}  // namespace tiles_test
