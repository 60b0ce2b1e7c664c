// zarr_array_test.cpp: Zarr arrays of both versions against the definition of their elements, and metadata and shards
// that lie.
#include "volume_files/zarr_array.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/files/files_support.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/volume_files/zarr_files.hpp"
#include "volume_files/crc32c.hpp"

namespace volume_files_test {
namespace {

using onepass::ErrorCode;
using onepass::tiles::WorkerPool;
using onepass::zarr::ArrayBox;
using onepass::zarr::read_array_metadata;
using onepass::zarr::Strides;

class ZarrArrays : public ::testing::Test {
 protected:
  files_test::TempDirectory directory_;
  std::mt19937 random_{onepass::testing::random_seed()};
  int number_ = 0;

  uint32_t below(uint32_t count) { return static_cast<uint32_t>(random_() % count); }

  // Writes `file`, and compares the whole array and some boxes.
  void expect_read(const ZarrFile& file, uint32_t threads = 2) {
    SCOPED_TRACE(file.metadata());
    const auto folder = directory_ / std::to_string(number_++);
    file.write(folder);
    auto metadata = read_array_metadata(folder);
    ASSERT_TRUE(metadata.ok()) << metadata.error().text();
    WorkerPool pool(threads);
    onepass::zarr::ZarrArray array(std::move(*metadata), pool);
    EXPECT_GT(array.memory_bytes({.size = {1, 1, 1, 1, 1, 1, 1, 1}}), 0U);
    for (int i = 0; i < 6; ++i) {
      ArrayBox box;
      for (size_t d = 0; d < file.shape.size(); ++d) {
        box.first[d] = i == 0 ? 0 : below(file.shape[d]);
        box.size[d] = i == 0 ? file.shape[d] : 1 + below(file.shape[d] - box.first[d]);
      }
      expect_box(file, array, box);
    }
  }

  // Reads a box with rows that are farther apart than they need be, in a random order of dimensions.
  void expect_box(const ZarrFile& file, onepass::zarr::ZarrArray& array, const ArrayBox& box) {
    const size_t count = file.shape.size();
    std::vector<size_t> order(count);
    for (size_t d = 0; d < count; ++d) order[d] = d;
    std::shuffle(order.begin(), order.end(), random_);
    Strides strides{};
    size_t stride = file.bytes;
    for (const size_t d : order) {
      strides[d] = stride;
      stride = stride * box.size[d] + 3;
    }
    Bytes out(stride, std::byte{0xAB});
    const auto done = array.read(box, out.data(), strides);
    ASSERT_TRUE(done.ok()) << done.error().text();
    size_t wrong = 0;
    for_each(Position(box.size.begin(), box.size.begin() + static_cast<ptrdiff_t>(count)), [&](const Position& at) {
      Position element;
      size_t offset = 0;
      for (size_t d = 0; d < count; ++d) {
        element.push_back(box.first[d] + at[d]);
        offset += at[d] * strides[d];
      }
      uint64_t got = 0;
      std::memcpy(&got, &out[offset], file.bytes);
      wrong += got != file.element(element);
      std::memset(&out[offset], 0xAB, file.bytes);
    });
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(std::count(out.begin(), out.end(), std::byte{0xAB}), static_cast<ptrdiff_t>(out.size()));
  }

  // Text replaced in the metadata of `file`; or, without `from`, a change of the folder.
  void expect_refused(const ZarrFile& file, const std::string& from, const std::string& to, ErrorCode code,
                      const std::vector<std::string>& words) {
    SCOPED_TRACE(from + " -> " + to);
    const auto folder = directory_ / std::to_string(number_++);
    file.write(folder);
    std::string text = file.metadata();
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, from.size(), to);
    files_test::save(folder / file.metadata_name(), files_test::bytes_of(text));
    const auto metadata = read_array_metadata(folder);
    ASSERT_FALSE(metadata.ok());
    EXPECT_EQ(metadata.error().code, code) << metadata.error().text();
    EXPECT_EQ(metadata.error().context, (folder / file.metadata_name()).string());
    for (const std::string& word : words) {
      EXPECT_NE(metadata.error().text().find(word), std::string::npos) << metadata.error().text();
    }
  }

  // Reads all of the array in `folder`, which must fail.
  void expect_damaged(const std::filesystem::path& folder, const std::vector<std::string>& words) {
    auto metadata = read_array_metadata(folder);
    ASSERT_TRUE(metadata.ok()) << metadata.error().text();
    ArrayBox box;
    Strides strides{};
    size_t bytes = metadata->element_bytes();
    for (size_t d = metadata->dimensions.size(); d-- > 0;) {
      box.size[d] = metadata->dimensions[d].size;
      strides[d] = bytes;
      bytes *= box.size[d];
    }
    WorkerPool pool(2);
    onepass::zarr::ZarrArray array(std::move(*metadata), pool);
    Bytes out(bytes);
    for (int i = 0; i < 2; ++i) {  // shards stay in error
      const auto done = array.read(box, out.data(), strides);
      ASSERT_FALSE(done.ok());
      EXPECT_EQ(done.error().code, ErrorCode::kBadData) << done.error().text();
      for (const std::string& word : words) {
        EXPECT_NE(done.error().text().find(word), std::string::npos) << done.error().text();
      }
    }
  }
};

struct Type {
  const char* name;
  size_t bytes;
};
constexpr Type kTypes[] = {{"uint8", 1}, {"int8", 1},   {"uint16", 2},  {"int16", 2},  {"uint32", 4},
                           {"int32", 4}, {"uint64", 8}, {"float16", 2}, {"float32", 4}};

std::vector<std::string> compressors() {
  return {"", "gzip", "zstd",
#ifdef ONEPASS_HAS_BLOSC
          "blosc"
#endif
  };
}

TEST(Crc32c, VectorsOfRfc3720) {
  const auto crc = [](const Bytes& bytes) { return onepass::volumes::crc32c_of(bytes); };
  Bytes rising;
  for (int i = 0; i < 32; ++i) rising.push_back(static_cast<std::byte>(i));
  EXPECT_EQ(crc(Bytes(32)), 0x8A9136AAU);
  EXPECT_EQ(crc(Bytes(32, std::byte{0xFF})), 0x62A8AB43U);
  EXPECT_EQ(crc(rising), 0x46DD794EU);
  EXPECT_EQ(crc(Bytes(rising.rbegin(), rising.rend())), 0x113FDB5CU);
  const uint8_t read_command[] = {0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0,
                                  0x14, 0,    0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18,
                                  0x28, 0,    0, 0, 0, 0, 0, 0, 2, 0, 0, 0,    0, 0, 0, 0};
  const auto bytes = std::as_bytes(std::span(read_command));
  EXPECT_EQ(crc(Bytes(bytes.begin(), bytes.end())), 0xD9963A56U);
  std::mt19937 random(1);
  for (size_t size = 0; size < 40; ++size) {
    Bytes some(size);
    for (auto& byte : some) byte = static_cast<std::byte>(random());
    EXPECT_EQ(crc(some), crc32c_of(some)) << size;
  }
}

TEST_F(ZarrArrays, Version2OfEveryTypeOrderAndCompressor) {
  for (const auto& [name, bytes] : kTypes) {
    for (const bool big_endian : {false, true}) {
      for (const bool fortran : {false, true}) {
        ZarrFile file{.version = 2, .type = name, .bytes = bytes, .shape = {7, 20, 31}, .chunk = {3, 8, 10}};
        file.big_endian = big_endian;
        if (fortran) file.transpose = {2, 1, 0};
        auto codecs = compressors();
        codecs.emplace_back("zlib");
        if (const auto& codec = codecs[below(static_cast<uint32_t>(codecs.size()))]; !codec.empty())
          file.codecs = {codec};
        file.separator = below(2) == 0 ? '.' : '/';
        expect_read(file);
      }
    }
  }
}

TEST_F(ZarrArrays, Version3ChainsOfCodecs) {
  const std::vector<std::vector<std::string>> chains = {
      {},
      {"crc32c"},
      {"gzip"},
      {"zstd"},
      {"zstd", "crc32c"},
      {"crc32c", "gzip"},
      {"gzip", "zstd"},
      {"crc32c", "crc32c"},
#ifdef ONEPASS_HAS_BLOSC
      {"blosc"},
      {"blosc", "crc32c"},
      {"blosc", "gzip", "crc32c"},
#endif
  };
  for (const auto& chain : chains) {
    for (const auto& [name, bytes] : kTypes) {
      ZarrFile file{.type = name, .bytes = bytes, .shape = {9, 14, 17}, .chunk = {4, 5, 9}, .codecs = chain};
      file.big_endian = below(2) == 0;
      file.version_2_keys = below(2) == 0;
      file.separator = below(2) == 0 ? '.' : '/';
      std::vector<size_t> order = {0, 1, 2};
      std::shuffle(order.begin(), order.end(), random_);
      if (below(2) == 0) file.transpose = order;
      expect_read(file);
    }
  }
}

// Without dimension_separator the names of chunks tell it, also if the first ones are not stored.
TEST_F(ZarrArrays, SeparatorsThatAreNotStated) {
  for (const char separator : {'.', '/'}) {
    expect_read({.version = 2,
                 .shape = {9, 14, 17},
                 .chunk = {4, 5, 9},
                 .separator = separator,
                 .states_separator = false,
                 .left_out = [](const Position& at) { return at[0] == 0; }});
  }
}

TEST_F(ZarrArrays, ShardsOfEveryKind) {
  for (int i = 0; i < 40; ++i) {
    const auto& [name, bytes] = kTypes[below(std::size(kTypes))];
    ZarrFile file{.type = name, .bytes = bytes};
    const uint32_t dimensions = 1 + below(4);
    std::vector<size_t> order;
    for (uint32_t d = 0; d < dimensions; ++d) {
      const uint32_t block = 1 + below(5);
      const uint32_t chunk = block * (1 + below(4));
      file.block.push_back(block);
      file.chunk.push_back(chunk);
      file.shape.push_back(1 + below(dimensions > 3 ? 12 : 30));
      order.push_back(d);
    }
    auto codecs = compressors();
    if (const auto& codec = codecs[below(static_cast<uint32_t>(codecs.size()))]; !codec.empty()) file.codecs = {codec};
    if (below(2) == 0) file.codecs.emplace_back("crc32c");
    std::shuffle(order.begin(), order.end(), random_);
    if (below(2) == 0) file.transpose = order;
    std::shuffle(order.begin(), order.end(), random_);
    if (below(2) == 0) file.shard_transpose = order;
    file.big_endian = below(2) == 0;
    file.index_at_start = below(2) == 0;
    file.index_has_crc = below(2) == 0;
    file.index_big_endian = below(2) == 0;
    file.fill_text = "3";
    file.fill = name == std::string("float16") ? 0x4200 : name == std::string("float32") ? 0x40400000 : 3;
    const uint32_t left_out = below(4);
    file.left_out = [left_out](const Position& block) {
      uint32_t sum = 0;
      for (const uint32_t n : block) sum += n;
      return left_out > 0 && sum % (left_out + 1) == 0;
    };
    expect_read(file, 1 + below(3));
  }
}

// More shards than are kept open.
TEST_F(ZarrArrays, ManyShards) {
  ZarrFile file{.shape = {40, 12}, .chunk = {2, 2}, .block = {1, 2}, .codecs = {"zstd"}};
  expect_read(file);
}

TEST_F(ZarrArrays, FillValues) {
  struct Fill {
    int version;
    const char* type;
    size_t bytes;
    const char* text;
    uint64_t bits;
  };
  constexpr Fill kFills[] = {{2, "uint16", 2, "null", 0},
                             {2, "int16", 2, "-5", 0xFFFB},
                             {2, "int32", 4, "7.0", 7},
                             {2, "float32", 4, "\"NaN\"", 0x7FC00000},
                             {2, "float16", 2, "\"-Infinity\"", 0xFC00},
                             {3, "int8", 1, "-128", 0x80},
                             {3, "uint64", 8, "18446744073709551615", UINT64_MAX},
                             {3, "float32", 4, "\"Infinity\"", 0x7F800000},
                             {3, "float32", 4, "\"0x7fc00001\"", 0x7FC00001},
                             {3, "float16", 2, "\"0x7e01\"", 0x7E01},
                             {3, "float32", 4, "0.25", 0x3E800000},
                             {3, "float16", 2, "1", 0x3C00}};
  for (const auto& [version, type, bytes, text, bits] : kFills) {
    ZarrFile file{.version = version, .type = type, .bytes = bytes, .shape = {10, 9}, .chunk = {4, 4}};
    file.fill_text = text;
    file.fill = bits;
    file.left_out = [](const Position& block) { return (block[0] + block[1]) % 2 == 0; };
    expect_read(file);
  }
}

TEST_F(ZarrArrays, MetadataThatCannotBeRead) {
  constexpr auto kBad = ErrorCode::kBadData;
  constexpr auto kNot = ErrorCode::kUnsupported;
  const ZarrFile two{.version = 2, .shape = {10, 10}, .chunk = {4, 4}, .codecs = {"zlib"}};
  expect_refused(two, "\"zarr_format\": 2", "\"zarr_format\": 1", kNot, {"zarr_format is 1"});
  expect_refused(two, "<u2", "<f8", kNot, {"dtype", "<f8", "f4"});
  expect_refused(two, "\"order\": \"C\"", "\"order\": \"K\"", kBad, {"order", "K"});
  expect_refused(two, "\"filters\": null", "\"filters\": [{\"id\": \"delta\"}]", kNot, {"filters", "delta"});
  expect_refused(two, "\"zlib\"", "\"lzma\"", kNot, {"compressor", "lzma"});
  expect_refused(two, "[4, 4]", "[4]", kBad, {"shape", "[4]"});
  expect_refused(two, "[4, 4]", "[4, 0]", kBad, {"[4,0]"});
  expect_refused(two, "[10, 10]", "[10, 4294967296]", kBad, {"4294967296"});
  expect_refused(two, "[10, 10]", "[10, -1]", kBad, {"-1"});
  expect_refused(two, "[10, 10]", "[10, 1e9]", kBad, {"1000000000"});
  expect_refused(two, "[4, 4]", "[2147483648, 2147483648]", kNot, {"chunks", "1 GiB"});
  expect_refused(two, "\"fill_value\": 0", "\"fill_value\": 65536", kBad, {"fill_value", "65536", "uint16"});
  expect_refused(two, "\"fill_value\": 0", "\"fill_value\": -1", kBad, {"fill_value", "-1", "uint16"});
  expect_refused(two, "\"fill_value\": 0", "\"fill_value\": \"NaN\"", kBad, {"fill_value", "NaN"});
  expect_refused(two, "[10, 10]", "[1, 1, 1, 1, 1, 1, 1, 1, 1]", kBad, {"shape"});

  ZarrFile three{.shape = {10, 10}, .chunk = {8, 8}, .block = {4, 4}, .transpose = {1, 0}, .codecs = {"gzip"}};
  expect_refused(three, "\"array\"", "\"group\"", kBad, {"node_type"});
  expect_refused(three, "\"uint16\"", "\"complex64\"", kNot, {"data_type", "complex64"});
  expect_refused(three, "\"uint16\"", "{\"name\": \"int64\"}", kNot, {"data_type", "int64"});
  expect_refused(three, "\"regular\"", "\"rectilinear\"", kNot, {"chunk_grid", "rectilinear"});
  expect_refused(three, "\"default\"", "\"flat\"", kNot, {"chunk_key_encoding", "flat"});
  expect_refused(three, "\"separator\": \"/\"", "\"separator\": \"-\"", kBad, {"separator", "-"});
  expect_refused(three, "\"fill_value\": 0, ", "", kBad, {"no fill_value"});
  expect_refused(three, "\"fill_value\"", "\"mask\": 1, \"fill_value\"", kNot, {"mask", "not known"});
  expect_refused(three, "\"fill_value\"", "\"storage_transformers\": [1], \"fill_value\"", kNot, {"storage_tr"});
  expect_refused(three, "[1, 0]", "[1, 1]", kBad, {"transpose", "[1,1]"});
  expect_refused(three, "[1, 0]", "[1, 2]", kBad, {"transpose", "[1,2]"});
  expect_refused(three, "[1, 0]", "[0]", kBad, {"transpose", "[0]"});
  expect_refused(three, "{\"endian\": \"little\"}", "{}", kBad, {"endian", "uint16"});
  expect_refused(three, "\"little\"", "\"middle\"", kBad, {"endian", "middle"});
  expect_refused(three, "\"gzip\"", "\"lz77\"", kNot, {"codec", "lz77"});
  expect_refused(three, "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": \"gzip\"",
                 "{\"name\": \"gzip\"", kBad, {"gzip", "wrong place"});
  expect_refused(three, "{\"name\": \"gzip\"", "{\"name\": \"bytes\"", kBad, {"bytes", "wrong place"});
  expect_refused(three, "\"chunk_shape\": [4, 4]", "\"chunk_shape\": [3, 4]", kBad, {"chunk_shape", "[3,4]"});
  expect_refused(three, "\"chunk_shape\": [4, 4]", "\"chunk_shape\": [16, 4]", kBad, {"chunk_shape", "[16,4]"});
  expect_refused(three, "\"end\"", "\"middle\"", kBad, {"index_location", "middle"});
  expect_refused(three, "{\"name\": \"crc32c\"}]", "{\"name\": \"gzip\"}]", kNot, {"index_codecs", "gzip"});
  ZarrFile wide = three;
  wide.transpose.clear();
  expect_refused(wide, "\"regular\", \"configuration\": {\"chunk_shape\": [8, 8]}",
                 "\"regular\", \"configuration\": {\"chunk_shape\": [2147483648, 2147483648]}", kNot,
                 {"chunk_shape", "4194304 chunks"});
  const std::string sharding = three.metadata().substr(three.metadata().find("{\"name\": \"sharding_indexed\""));
  const std::string one = sharding.substr(0, sharding.size() - 2);  // without "]}" of the array
  expect_refused(three, one, one + ", {\"name\": \"crc32c\"}", kNot, {"crc32c behind sharding_indexed"});
  expect_refused(three, "\"codecs\": [{\"name\": \"transpose\"", "\"codecs\": [" + one + ", {\"name\": \"transpose\"",
                 kBad, {"transpose", "wrong place"});
  expect_refused(wide,
                 "\"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": \"gzip\"",
                 "\"codecs\": [" + one + "], \"x\": [{\"name\": \"gzip\"", kNot, {"shards in shards"});
}

// Fields that say that they may be ignored, and names without an object.
TEST_F(ZarrArrays, ShortFormsAndFieldsToIgnore) {
  ZarrFile file{.type = "uint8", .bytes = 1, .shape = {10, 9}, .chunk = {4, 4}};
  const auto folder = directory_ / "short";
  file.write(folder);
  std::string text = file.metadata();
  const std::string bytes = R"({"name": "bytes", "configuration": {"endian": "little"}})";
  text.replace(text.find(bytes), bytes.size(), "\"bytes\"");
  text.replace(text.find("{"), 1, R"({"new": {"must_understand": false}, )");
  files_test::save(folder / "zarr.json", files_test::bytes_of(text));
  auto metadata = read_array_metadata(folder);
  ASSERT_TRUE(metadata.ok()) << metadata.error().text();
  WorkerPool pool(1);
  onepass::zarr::ZarrArray array(std::move(*metadata), pool);
  expect_box(file, array, {.size = {10, 9}});
}

TEST_F(ZarrArrays, DamagedChunks) {
  const ZarrFile file{.shape = {8, 8}, .chunk = {8, 8}, .codecs = {"zstd", "crc32c"}};
  const auto folder = directory_ / "array";
  const auto chunk = folder / "c/0/0";
  file.write(folder);
  const Bytes good = files_test::load(chunk);
  for (size_t i = 0; i < good.size(); ++i) {  // every byte counts
    Bytes damaged = good;
    damaged[i] ^= std::byte{1};
    files_test::save(chunk, damaged);
    expect_damaged(folder, {"c/0/0", "damaged", "128"});
  }
  files_test::save(chunk, Bytes());
  expect_damaged(folder, {"damaged"});
  files_test::save(chunk, Bytes(100000));
  expect_damaged(folder, {"c/0/0", "100000 bytes"});
}

TEST_F(ZarrArrays, DamagedShards) {
  for (const bool at_start : {false, true}) {
    ZarrFile file{.shape = {8, 8}, .chunk = {8, 8}, .block = {4, 4}};
    file.index_at_start = at_start;
    file.index_has_crc = false;
    const auto folder = directory_ / ("array" + std::to_string(at_start));
    const auto chunk = folder / "c/0/0";
    file.write(folder);
    const Bytes good = files_test::load(chunk);  // four blocks of 32 bytes, and an index of 64
    const size_t index = at_start ? 0 : 128;
    const uint64_t first = at_start ? 64 : 0;
    const auto damage = [&](size_t entry, uint64_t offset, uint64_t bytes, const std::vector<std::string>& words) {
      SCOPED_TRACE(entry);
      Bytes damaged = good;
      files_test::set64(damaged, index + 16 * entry, offset);
      files_test::set64(damaged, index + 16 * entry + 8, bytes);
      files_test::save(chunk, damaged);
      expect_damaged(folder, words);
    };
    damage(1, 1000, 32, {"c/0/0", "entry 1", "1000", "192"});
    damage(2, UINT64_MAX - 8, 32, {"entry 2"});
    damage(2, 32, UINT64_MAX - 8, {"entry 2"});
    damage(2, 0, UINT64_MAX, {"entry 2"});
    damage(3, first + 32, 0, {"chunk 1, 1", "damaged", "32 bytes"});
    damage(3, at_start ? 32 : 160, 32, {"entry 3", "index"});
    damage(1, first + 16, 32, {"overlap"});
    damage(1, first, 128, {"entry 1", "more than a chunk"});
    files_test::save(chunk, Bytes(good.begin(), good.begin() + 60));
    expect_damaged(folder, {"60 bytes", "index"});
    files_test::save(chunk, Bytes());
    expect_damaged(folder, {"0 bytes"});
  }
  ZarrFile file{.shape = {8, 8}, .chunk = {8, 8}, .block = {4, 4}, .codecs = {"crc32c"}};
  const auto folder = directory_ / "checked";
  file.write(folder);
  const Bytes good = files_test::load(folder / "c/0/0");
  for (size_t i = 0; i < good.size(); ++i) {
    Bytes damaged = good;
    damaged[i] ^= std::byte{0x10};
    files_test::save(folder / "c/0/0", damaged);
    expect_damaged(folder, {"c/0/0", "damaged"});
  }
}

// Two equal blocks may be stored once.
TEST_F(ZarrArrays, BlocksMayShareBytes) {
  ZarrFile file{.type = "uint8", .bytes = 1, .shape = {4, 4}, .chunk = {4, 4}, .block = {2, 4}};
  file.index_has_crc = false;
  const auto folder = directory_ / "array";
  file.write(folder);
  Bytes bytes = files_test::load(folder / "c/0/0");
  files_test::set64(bytes, 16 + 16, 0);
  files_test::save(folder / "c/0/0", bytes);
  auto metadata = read_array_metadata(folder);
  ASSERT_TRUE(metadata.ok());
  WorkerPool pool(1);
  onepass::zarr::ZarrArray array(std::move(*metadata), pool);
  Bytes out(16);
  ASSERT_TRUE(array.read({.size = {4, 4}}, out.data(), {4, 1}).ok());
  EXPECT_TRUE(std::equal(out.begin(), out.begin() + 8, out.begin() + 8));
}

}  // namespace
}  // namespace volume_files_test
