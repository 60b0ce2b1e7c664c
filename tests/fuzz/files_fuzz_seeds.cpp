// files_fuzz_seeds.cpp: writes the seed corpus of the fuzz targets: a small file of every kind for the readers,
// random bytes for write_fuzzer and c_api_fuzzer, a text for tunings_fuzzer.
#include <png.h>

#include <cstdio>
#include <random>

#include "tests/files/files_bombs.hpp"
#include "tests/files/files_support.hpp"

namespace {

using files_test::Bytes;
using Seeds = std::vector<std::pair<std::string, Bytes>>;

// Inserts a chunk behind IHDR.
Bytes with_chunk(Bytes png, std::string_view name, std::string_view contents) {
  constexpr size_t kAfterHeader = 8 + 25;
  Bytes chunk;
  const auto size = static_cast<uint32_t>(contents.size());
  for (const int shift : {24, 16, 8, 0}) chunk.push_back(static_cast<std::byte>(size >> shift));
  for (const std::string_view text : {name, contents, std::string_view("\0\0\0\0", 4)}) {
    const Bytes more = files_test::bytes_of(text);
    chunk.insert(chunk.end(), more.begin(), more.end());
  }
  png.insert(png.begin() + kAfterHeader, chunk.begin(), chunk.end());
  files_test::repair_png_checksums(png);
  return png;
}

// Seeds that the truncation tests cannot use: ignored chunks, unsupported colours, small bombs.
void add_more(Seeds& seeds) {
  using namespace std::string_view_literals;
  const Bytes png = files_test::make_png(
      {.width = 2, .height = 2, .colour_type = PNG_COLOR_TYPE_RGB, .samples = std::vector<uint32_t>(12, 9)});
  seeds.emplace_back("pq.png", with_chunk(png, "cICP", "\x09\x10\0\x01"sv));
  seeds.emplace_back("gamma.png", with_chunk(png, "gAMA", "\0\x01\x86\xa0"sv));
  seeds.emplace_back("srgb.png", with_chunk(png, "sRGB", "\0"sv));
  seeds.emplace_back("resolution.png", with_chunk(png, "pHYs", "\0\0\x0b\x13\0\0\x0b\x13\x01"sv));
  seeds.emplace_back("primaries.png", with_chunk(png, "cHRM",
                                                 "\0\0\x7a\x26\0\0\x80\x84\0\0\xfa\0\0\0\x80\xe8"
                                                 "\0\0\x75\x30\0\0\xea\x60\0\0\x3a\x98\0\0\x17\x70"sv));
  seeds.emplace_back("profile.png", files_test::png_profile_bomb(700));
  seeds.emplace_back("texts.png", files_test::png_text_bomb(3, 100000));
  seeds.emplace_back("bomb.png", files_test::png_bomb(3000, 3000));
  seeds.emplace_back("cmyk.jpg", files_test::make_jpeg(8, 8, 4, std::vector<uint8_t>(256, 50)));
  seeds.emplace_back("flat.jpg", files_test::flat_jpeg(64, true));
  seeds.emplace_back("bomb.hdr", files_test::hdr_bomb(300));
  seeds.emplace_back("bomb.ktx2", files_test::ktx2_bomb(4096, 4096));
  seeds.emplace_back("attributes.exr", files_test::exr_attribute_bomb(40));
  seeds.emplace_back("bomb.exr", files_test::exr_bomb(512));
}

// Pixels without a header, and unfinished outputs with a changed file: its number, a position, whether the file is cut
// there, and the bytes to write.
std::vector<std::pair<std::string, std::string>> tiles_seeds() {
  using namespace std::string_literals;
  const std::string raw = "\x0e\x01\0\0"s;
  const std::string unfinished = "\x30\x01\0\0"s;
  const std::string shards = "\x70\x01\0\0"s;
  std::vector<std::pair<std::string, std::string>> seeds;
  for (const char output : {'\0', '\1', '\2'}) {
    const std::string number = std::to_string(int{output});
    seeds.emplace_back("raw" + number, "17x3:gray16:be+1\n" + std::string(103, 'x') + output + raw);
    seeds.emplace_back("journal" + number, "\0\0\1\0"s + "1 0 5 6\n" + output + unfinished);
    seeds.emplace_back("cut" + number, "\1\3\0\1"s + output + unfinished);
    seeds.emplace_back("shards" + number, "\2\x10\0\0"s + "99999999999 -1" + output + shards);
    seeds.emplace_back("short_shards" + number, "\3\4\0\1"s + output + shards);
  }
  return seeds;
}

// Arrays of Zarr with one chunk, alone and as OME-Zarr, and NIfTI.
std::vector<std::pair<std::string, std::string>> volumes_seeds() {
  using namespace std::string_literals;
  const std::string end = "\0"s;
  const std::string common = R"("zarr_format": 3, "node_type": "array", "shape": [3, 4, 5], "data_type": "uint16",
"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 4, 6]}}, "fill_value": 7,
"chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}})";
  const std::string bytes = R"({"name": "bytes", "configuration": {"endian": "big"}})";
  const std::string transpose = R"({"name": "transpose", "configuration": {"order": [2, 0, 1]}})";
  const std::string plain = "{" + common + R"(, "codecs": [)" + transpose + ", " + bytes + "]}";
  const std::string shards = "{" + common + R"(, "codecs": [{"name": "sharding_indexed", "configuration":
{"chunk_shape": [2, 4, 6], "codecs": [)" +
                             bytes + R"(, {"name": "gzip"}, {"name": "crc32c"}],
"index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], "index_location": "start"}}]})";
  const std::string none(8, '\xff');
  const std::string index = " \0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0"s + none + none;
  const std::string old = R"({"zarr_format": 2, "shape": [3, 4, 5], "chunks": [4, 4, 6], "dtype": ">u2", "order": "F",
"fill_value": 1, "filters": null, "compressor": {"id": "zlib"}, "dimension_separator": "/"})";
  const std::string ome = R"({"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"multiscales": [{
"axes": [{"name": "z", "type": "space", "unit": "nanometer"}, {"name": "y", "type": "space"}, {"name": "x"}],
"datasets": [{"path": "0", "coordinateTransformations": [{"type": "sequence", "transformations": [
{"type": "scale", "scale": [1, 2, 3]}, {"type": "translation", "translation": [1, 2, 3]}]}]}]}]}}})";
  const std::string elements(192, 'e');
  std::string nifti(352 + 24, '\0');
  nifti.replace(0, 4, "\x5c\x01\0\0"s);
  nifti.replace(40, 8, "\x03\0\x02\0\x03\0\x02\0"s);
  nifti.replace(70, 2, "\x04\0"s);
  nifti.replace(108, 4, "\0\0\xb0\x43"s);
  nifti.replace(344, 4, "n+1\0"s);
  return {{"nifti", end + nifti},
          {"plain", "\x01" + plain + end + elements},
          {"shards", "\x01" + shards + end + index + elements},
          {"version_2", "\x02" + old + end + elements},
          {"ome", "\x03" + ome + end + plain + end + elements}};
}

// A row of every technique with every kind of condition and field.
std::string tunings_seed() {
  return R"({"onepass_tunings": 1, "device": "Some \"GPU\u00ae\"", "driver": "1", "processors": 60,
"pyramid": [{"when": {"width": 1920, "footprint": "covering", "pipelines": "own"}, "use": {"path": "per_level"}}],
"transform": [{"when": {"texels": {"at_least": 1, "at_most": 9}}, "use": {"values_per_invocation": 8}}],
"meter": [{"when": {"format": "r16g16b16a16_sfloat"}, "use": {"groups": 65535, "subgroup": "on"}}],
"tile_reduction": [{"when": {"factor": 16}, "use": {"strategy": "tree", "gathers": 16}}],
"tone_map": [{"use": {"pixels": 8}}], "frame_tone_map": [{"use": {"copies": 1}}]})";
}

void save(const std::filesystem::path& directory, const std::string& name, const Bytes& bytes) {
  std::filesystem::create_directories(directory);
  files_test::save(directory / name, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: files_fuzz_seeds DIRECTORY\n");
    return 2;
  }
  const std::filesystem::path root(argv[1]);
  Seeds seeds = files_test::seed_files();
  add_more(seeds);
  for (auto& [name, bytes] : seeds) {
    std::string extension = std::filesystem::path(name).extension().string().substr(1);
    if (extension == "jpg") extension = "jpeg";
    if (extension == "tif") extension = "tiff";
    for (const unsigned choice : {0U, 0x11U, 0x62U}) {
      Bytes seed = bytes;
      seed.push_back(static_cast<std::byte>(choice));
      save(root / ("read_" + extension + "_fuzzer"), name + "." + std::to_string(choice), seed);
    }
    if (extension == "tiff") {
      Bytes seed = bytes;
      seed.insert(seed.begin(), std::byte{0});
      save(root / "volumes_fuzzer", name, seed);
    }
    // Bytes of the options: output, flags, size of tiles, reduction, colour. Outputs: TIFF, DeepZoom, OME-Zarr, KTX2.
    for (const unsigned output : {0U, 1U, 2U, 4U}) {
      Bytes seed = bytes;
      for (const unsigned option : {output, output & 1, output == 4 ? 0U : 1U, 0U, 0U})
        seed.push_back(static_cast<std::byte>(option));
      save(root / "tiles_fuzzer", name + "." + std::to_string(output), seed);
    }
  }
  for (const auto& [name, text] : tiles_seeds()) save(root / "tiles_fuzzer", name, files_test::bytes_of(text));
  for (const auto& [name, text] : volumes_seeds()) save(root / "volumes_fuzzer", name, files_test::bytes_of(text));
  save(root / "tunings_fuzzer", "all_techniques", files_test::bytes_of(tunings_seed()));
  std::mt19937 random(1);
  for (const char* target : {"write_fuzzer", "c_api_fuzzer"}) {
    for (int i = 0; i < 40; ++i) {
      Bytes bytes(static_cast<size_t>(20 + i * 10));
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
      save(root / target, "random" + std::to_string(i), bytes);
    }
  }
  return 0;
}
