// files_seeds.cpp: a small valid file of every type and kind, for tests that damage files.
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfOpaqueAttribute.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <png.h>

#include "onepass/blocks.hpp"
#include "tests/files/files_encoders.hpp"

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

// Luminance and chroma, grey with alpha, and a header with many attributes.
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

void add_pnm(Seeds& seeds) {
  seeds.emplace_back("text_bits.pnm", bytes_of("P1 #c\n3 2\n101\n0 1 0"));
  seeds.emplace_back("text_grey.pnm", bytes_of("P2\n3 2\n# a comment\n17\n0 5 17\n1 2 3"));
  seeds.emplace_back("text_colour.pnm", bytes_of("P3 2 1 1023\n0 5 1023 1 2 3"));
  seeds.emplace_back("bits.pnm", bytes_of("P4\n11 2\n\xa5\x40\x5a\x20"));
  seeds.emplace_back("grey.pnm", bytes_of(std::string("P5\n2 2\n65535\n") + std::string("\0\1\2\3\4\5\6\7", 8)));
  seeds.emplace_back("colour.pnm", bytes_of("P6\n2 1\n255\nabcdef"));
  seeds.emplace_back("alpha.pnm",
                     bytes_of("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\n# c\nTUPLTYPE RGB_ALPHA\nENDHDR\nabcdefgh"));
}

void add_tga(Seeds& seeds) {
  const std::vector<uint8_t> bytes(64, 90);
  seeds.emplace_back(
      "colour.tga", make_tga({.width = 4, .height = 3, .bits = 24, .pixels = {&bytes[0], &bytes[36]}, .footer = true}));
  seeds.emplace_back(
      "extension.tga",
      make_tga({.width = 2, .height = 2, .bits = 32, .pixels = {&bytes[0], &bytes[16]}, .attributes = 3}));
  seeds.emplace_back("runs.tga", make_tga({.type = 10,
                                           .width = 6,
                                           .height = 2,
                                           .bits = 16,
                                           .pixels = {0x85, 1, 2, 0x04, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0x80, 7, 7},
                                           .footer = true}));
  seeds.emplace_back("palette.tga", make_tga({.type = 1,
                                              .width = 3,
                                              .height = 1,
                                              .bits = 8,
                                              .palette_first = 2,
                                              .palette_bits = 24,
                                              .palette = {1, 2, 3, 4, 5, 6},
                                              .pixels = {2, 3, 2},
                                              .footer = true}));
}

// Blocks in KTX2 files: BC7 and ASTC stored, BC4 compressed.
void add_ktx2_blocks(Seeds& seeds) {
  Bytes pixels;
  for (const uint32_t value : pattern(64, 256)) pixels.push_back(static_cast<std::byte>(value));
  seeds.emplace_back("bc7.ktx2", make_ktx2({.vk_format = 146, .width = 7, .height = 5, .levels = {pixels}}));
  if (onepass::has_astc())
    seeds.emplace_back("astc.ktx2", make_ktx2({.vk_format = 166, .width = 11, .height = 8, .levels = {pixels}}));
  seeds.emplace_back(
      "bc4.ktx2", make_ktx2({.vk_format = 140, .width = 16, .height = 8, .supercompression = 2, .levels = {pixels}}));
}

void add_dds(Seeds& seeds) {
  const auto pixels = [](size_t count) {
    Bytes bytes;
    for (const uint32_t value : pattern(count, 256)) bytes.push_back(static_cast<std::byte>(value));
    return bytes;
  };
  seeds.emplace_back("bc7.dds", make_dds({.width = 9, .height = 6, .levels = 4, .dxgi = 99, .pixels = pixels(144)}));
  seeds.emplace_back("bc6h.dds", make_dds({.width = 8, .height = 4, .dxgi = 96, .pixels = pixels(32)}));
  seeds.emplace_back("bc5.dds", make_dds({.width = 5, .height = 3, .dxgi = 84, .pixels = pixels(32)}));
  seeds.emplace_back("dxt1.dds",
                     make_dds({.width = 7, .height = 5, .levels = 2, .four_cc = "DXT1", .pixels = pixels(40)}));
  seeds.emplace_back("dxt5.dds", make_dds({.width = 4, .height = 4, .four_cc = "DXT5", .pixels = pixels(16)}));
  seeds.emplace_back("ati2.dds", make_dds({.width = 4, .height = 8, .four_cc = "ATI2", .pixels = pixels(32)}));
  seeds.emplace_back(
      "cube.dds",
      make_dds({.width = 4, .height = 4, .levels = 2, .dxgi = 28, .misc = 4, .layers = 1, .pixels = pixels(480)}));
  seeds.emplace_back("rgb565.dds", make_dds({.width = 5,
                                             .height = 3,
                                             .pixel_flags = 0x40,
                                             .four_cc = "",
                                             .bits = 16,
                                             .masks = {0xF800, 0x07E0, 0x001F, 0},
                                             .pixels = pixels(30)}));
  seeds.emplace_back("grey_alpha.dds", make_dds({.width = 3,
                                                 .height = 3,
                                                 .pixel_flags = 0x20001,
                                                 .four_cc = "",
                                                 .bits = 16,
                                                 .masks = {0xFF, 0, 0, 0xFF00},
                                                 .pixels = pixels(18)}));
  seeds.emplace_back("half.dds", make_dds({.width = 3, .height = 2, .four_cc = "q", .pixels = pixels(48)}));
}

#ifdef ONEPASS_HAS_LCMS
void add_inks(Seeds& seeds) {
  const std::vector<uint8_t> inks(16 * 16 * 4, 90);
  // One segment APP2 with the profile, behind the start marker.
  const Bytes profile = make_ink_profile(10);
  Bytes segment = bytes_of(std::string_view("\xFF\xE2\0\0ICC_PROFILE\0\1\1", 18));
  const size_t length = profile.size() + 16;
  segment[2] = static_cast<std::byte>(length >> 8);
  segment[3] = static_cast<std::byte>(length & 255);
  segment.insert(segment.end(), profile.begin(), profile.end());
  Bytes jpeg = make_jpeg(16, 16, 4, inks);
  jpeg.insert(jpeg.begin() + 2, segment.begin(), segment.end());
  seeds.emplace_back("inks.jpg", jpeg);
}
#endif

#ifdef ONEPASS_HAS_WEBP
void add_webp(Seeds& seeds) {
  std::vector<uint8_t> rgba;
  for (const uint32_t value : pattern(16 * 16 * 4, 256)) rgba.push_back(static_cast<uint8_t>(value));
  const Bytes lossless = make_webp(16, 16, rgba);
  seeds.emplace_back("lossless.webp", lossless);
  seeds.emplace_back("lossy.webp", make_webp(16, 16, rgba, 60.0F));
  seeds.emplace_back("chunks.webp",
                     webp_with_chunks(lossless, 16, 16, 0x38, {{"ICCP", Bytes(40)}},
                                      {{"EXIF", bytes_of(std::string_view("II*\0\x08\0\0\0\0\0", 10))}}));
}
#endif

#ifdef ONEPASS_HAS_TIFF
void add_tiff(Seeds& seeds) {
  const auto add = [&](const std::string& name, TiffSpec spec, uint32_t below) {
    const auto values = pattern(size_t{spec.width} * spec.height * spec.samples, below);
    spec.values.assign(values.begin(), values.end());
    seeds.emplace_back(name, make_tiff(spec));
  };
  for (const uint16_t compression : Numbers{1, 5, 8, 32773, 34925, 50000}) {
    const uint16_t predictor = compression == 1 || compression == 32773 ? 1 : 2;
    add("rgb" + std::to_string(compression) + ".tif",
        {.width = 19,
         .height = 11,
         .samples = 3,
         .photometric = 2,
         .compression = compression,
         .predictor = predictor,
         .strip_rows = 4},
        256);
  }
  add("gray1_fax.tif", {.width = 19, .height = 11, .bits = 1, .photometric = 0, .compression = 4}, 2);
  add("palette.tif",
      {.width = 9, .height = 5, .bits = 4, .photometric = 3, .palette = std::vector<uint16_t>(48, 12345)}, 16);
  add("tiles.tif",
      {.width = 19,
       .height = 17,
       .samples = 4,
       .bits = 16,
       .photometric = 2,
       .planes = true,
       .compression = 8,
       .tile_width = 16,
       .tile_height = 16,
       .extra = {1},
       .mode = "wb"},
      65536);
  add("floats.tif",
      {.width = 9,
       .height = 5,
       .samples = 3,
       .bits = 32,
       .sample_format = 3,
       .photometric = 2,
       .compression = 8,
       .predictor = 3,
       .mode = "w8"},
      100);
  add("ycc.tif", {.width = 24, .height = 17, .samples = 3, .photometric = 6, .compression = 7, .strip_rows = 16}, 256);
  add("inks.tif", {.width = 5, .height = 4, .samples = 4, .photometric = 5}, 256);
  add("odd.tif", {.width = 5, .height = 4, .samples = 2, .bits = 12, .extra = {2}}, 4096);
}
#endif

}  // namespace

std::vector<std::pair<std::string, Bytes>> seed_files() {
  Seeds seeds;
  add_png(seeds);
  add_jpeg(seeds);
  add_exr(seeds);
  add_exr_pictures(seeds);
  add_hdr_and_ktx2(seeds);
  add_tga(seeds);
  add_pnm(seeds);
  add_dds(seeds);
  add_ktx2_blocks(seeds);
#ifdef ONEPASS_HAS_LCMS
  add_inks(seeds);
#endif
#ifdef ONEPASS_HAS_WEBP
  add_webp(seeds);
#endif
#ifdef ONEPASS_HAS_TIFF
  add_tiff(seeds);
#endif
  return seeds;
}

}  // namespace files_test
