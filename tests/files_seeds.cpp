// files_seeds.cpp: a small valid file of every type and kind, for the tests that damage files.
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfOpaqueAttribute.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <png.h>

#include "files_support.hpp"

namespace files_test {
namespace {

using Seeds = std::vector<std::pair<std::string, Bytes>>;

std::vector<uint32_t> pattern(size_t count, uint32_t below) {
  std::vector<uint32_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<uint32_t>(i * 37 + i / 7) % below;
  return values;
}

void add_png(Seeds& seeds) {
  seeds.emplace_back("gray1.png", make_png({.width = 9, .height = 5, .bits = 1, .samples = pattern(45, 2)}));
  seeds.emplace_back(
      "gray16_interlaced.png",
      make_png({.width = 9, .height = 5, .bits = 16, .interlaced = true, .samples = pattern(45, 65536)}));
  seeds.emplace_back(
      "rgb8.png", make_png({.width = 7, .height = 6, .colour_type = PNG_COLOR_TYPE_RGB, .samples = pattern(126, 256)}));
  seeds.emplace_back("rgba16.png", make_png({.width = 5,
                                             .height = 4,
                                             .bits = 16,
                                             .colour_type = PNG_COLOR_TYPE_RGB_ALPHA,
                                             .samples = pattern(80, 65536)}));
  seeds.emplace_back("palette.png", make_png({.width = 6,
                                              .height = 3,
                                              .bits = 2,
                                              .colour_type = PNG_COLOR_TYPE_PALETTE,
                                              .samples = pattern(18, 3),
                                              .palette = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
                                              .palette_alpha = {0, 128}}));
}

void add_jpeg(Seeds& seeds) {
  std::vector<uint8_t> rgb(16 * 16 * 3);
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(i * 5);
  const std::string exif("Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 32);
  seeds.emplace_back("rgb.jpg",
                     make_jpeg(16, 16, 3, rgb, {reinterpret_cast<const uint8_t*>(exif.data()), exif.size()}));
  seeds.emplace_back("progressive.jpg", make_jpeg(16, 16, 3, rgb, {}, true));
  seeds.emplace_back("gray.jpg", make_jpeg(16, 16, 1, rgb));
}

void add_exr(Seeds& seeds) {
  const TempDirectory directory;
  const auto ramp = [](int x, int y, int level) { return x * 0.25 + y + level; };
  using enum ExrSpec::Type;
  ExrSpec exr{
      .data = {-2, 1, 10, 8},
      .display = {0, 0, 15, 15},
      .channels = {{"R", kHalf, ramp},
                   {"G", kHalf, ramp},
                   {"B", kHalf, ramp},
                   {"Z", kFloat, ramp},
                   {"id", kUint, [](int, int, int) { return 7.0; }}},
  };
  for (const int compression : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    exr.compression = compression;
    make_exr(directory / "x.exr", exr);
    seeds.emplace_back("scanline" + std::to_string(compression) + ".exr", load(directory / "x.exr"));
  }
  exr.compression = 3;
  exr.tile_size = 8;
  exr.levels = ExrSpec::Levels::kMipDown;
  make_exr(directory / "x.exr", exr);
  seeds.emplace_back("mipmap.exr", load(directory / "x.exr"));
  exr.compression = 4;
  exr.levels = ExrSpec::Levels::kRip;
  make_exr(directory / "x.exr", exr);
  seeds.emplace_back("ripmap.exr", load(directory / "x.exr"));
  exr.levels = ExrSpec::Levels::kOne;
  exr.tile_size = 0;
  exr.part = "colour";
  ExrSpec depth = exr;
  depth.part = "depth";
  make_multipart_exr(directory / "x.exr", {exr, depth}, true);
  seeds.emplace_back("multipart.exr", load(directory / "x.exr"));
}

// Pictures that are more than their channels: luminance and chroma, grey with alpha, and a header that says much.
void add_exr_pictures(Seeds& seeds) {
  const TempDirectory directory;
  const auto ramp = [](int x, int y, int) { return x * 0.25 + y; };
  const auto chroma = [](int x, int y, int) { return (x - y) / 16.0; };
  using enum ExrSpec::Type;
  const onepass::files::Box box{-2, 2, 9, 9};
  const auto add = [&](const char* name, const ExrSpec& spec) {
    make_exr(directory / "x.exr", spec);
    seeds.emplace_back(name, load(directory / "x.exr"));
  };
  const auto describe = [](Imf::Header& header) {
    Imf::addChromaticities(header, Imf::Chromaticities());
    Imf::addOwner(header, "owner");
    Imf::addMultiView(header, {"left", "right"});
    header.insert("studio", Imf::OpaqueAttribute("unknownType"));
    header.insert("acesImageContainerFlag", Imf::IntAttribute(1));
  };
  add("chroma_subsampled.exr",
      {.data = box,
       .display = box,
       .channels = {{"Y", kHalf, ramp}, {"RY", kHalf, chroma, 2}, {"BY", kHalf, chroma, 2}, {"A", kHalf, chroma}},
       .compression = 4,
       .edit = describe});
  add("chroma_float.exr", {.data = box,
                           .display = box,
                           .channels = {{"Y", kFloat, ramp}, {"RY", kFloat, chroma, 2}, {"BY", kFloat, chroma, 2}},
                           .compression = 0});
  add("chroma_full.exr", {.data = box,
                          .display = {-4, 0, 9, 9},
                          .channels = {{"Y", kUint, ramp}, {"RY", kFloat, chroma}, {"BY", kHalf, chroma}},
                          .tile_size = 4,
                          .levels = ExrSpec::Levels::kMipDown,
                          .edit = describe});
  add("grey_alpha.exr", {.data = box, .display = box, .channels = {{"Y", kHalf, ramp}, {"A", kFloat, chroma}}});
}

void add_hdr_and_ktx2(Seeds& seeds) {
  const std::vector<uint8_t> flat = {128, 64, 32, 129, 1, 1, 1, 2, 10, 20, 30, 128};
  seeds.emplace_back("flat.hdr", make_hdr("-Y 1 +X 4", flat));
  std::vector<uint8_t> runs = {2, 2, 0, 16};
  for (int plane = 0; plane < 4; ++plane) runs.insert(runs.end(), {128 + 10, 5, 6, 1, 2, 3, 4, 5, 130});
  seeds.emplace_back("runs.hdr", make_hdr("-Y 1 +X 16", runs));

  Bytes map = bytes_of("PF\n3 2\n-1.0\n");
  map.resize(map.size() + 3 * 2 * 12, std::byte{0x3e});
  seeds.emplace_back("colour.pfm", map);
  map = bytes_of("Pf 5 1 1.5\n");
  map.resize(map.size() + 5 * 4, std::byte{0x41});
  seeds.emplace_back("grey.pfm", map);

  const Bytes pixels(4 * 4 * 4, std::byte{77});
  const Bytes coarse(2 * 2 * 4, std::byte{78});
  seeds.emplace_back(
      "stored.ktx2",
      make_ktx2({.vk_format = 37, .width = 4, .height = 4, .levels = {pixels, coarse}, .orientation = "ru"}));
  seeds.emplace_back("zstd.ktx2", make_ktx2({.vk_format = 43,
                                             .width = 4,
                                             .height = 4,
                                             .supercompression = 2,
                                             .levels = {pixels, coarse},
                                             .orientation = {}}));
  seeds.emplace_back("rgb.ktx2",
                     make_ktx2({.vk_format = 23, .width = 4, .height = 4, .levels = {Bytes(48, std::byte{9})}}));
  seeds.emplace_back("cube.ktx2", make_ktx2({.vk_format = 100,
                                             .width = 2,
                                             .height = 2,
                                             .layers = 2,
                                             .faces = 6,
                                             .levels = {Bytes(192), Bytes(48)},
                                             .orientation = {}}));
}

}  // namespace

std::vector<std::pair<std::string, Bytes>> seed_files() {
  Seeds seeds;
  add_png(seeds);
  add_jpeg(seeds);
  add_exr(seeds);
  add_exr_pictures(seeds);
  add_hdr_and_ktx2(seeds);
  return seeds;
}

}  // namespace files_test
