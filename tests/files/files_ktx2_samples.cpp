// files_ktx2_samples.cpp: writes one KTX2 file of every format and shape into a directory, for an independent parser to
// check. File names: FORMAT_WIDTHxHEIGHT_lLEVELS_sSLICES[_cube][_array][_zstd].ktx2
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "onepass/files.hpp"

namespace {

using onepass::Extent;

struct Shape {
  Extent size;
  uint32_t levels;  // 0 = full chain
  uint32_t slices;
  bool cube;
  bool array;
};

// Levels with known bytes: byte i of level n is (31 * n + i) mod 251.
std::vector<onepass::Image> make_levels(onepass::Format format, const Shape& shape) {
  std::vector<onepass::Image> levels;
  Extent size = shape.size;
  for (uint32_t n = 0; shape.levels == 0 || n < shape.levels; ++n) {
    auto image = onepass::Image::create(format, size, shape.slices);
    for (size_t i = 0; i < image->size_in_bytes(); ++i) image->data()[i] = static_cast<std::byte>((31 * n + i) % 251);
    levels.push_back(std::move(*image));
    if (size == Extent{1, 1}) break;
    size = {std::max(1U, size.width / 2), std::max(1U, size.height / 2)};
  }
  return levels;
}

bool write_sample(const std::filesystem::path& directory, const onepass::FormatInfo& info, const Shape& shape,
                  int zstd) {
  const auto levels = make_levels(info.format, shape);
  std::vector<onepass::ImageView> views;
  for (const auto& level : levels) views.push_back(level.view());
  const std::string name = std::string(info.name) + "_" + std::to_string(shape.size.width) + "x" +
                           std::to_string(shape.size.height) + "_l" + std::to_string(levels.size()) + "_s" +
                           std::to_string(shape.slices) + (shape.cube ? "_cube" : "") + (shape.array ? "_array" : "") +
                           (zstd > 0 ? "_zstd" : "") + ".ktx2";
  const auto done = onepass::files::write_ktx2(directory / name, views,
                                               {.cube = shape.cube, .array = shape.array, .zstd_level = zstd});
  if (!done) std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return done.ok();
}

// The same of blocks: a full chain of 37x10 texels.
bool write_block_sample(const std::filesystem::path& directory, const onepass::BlockFormatInfo& info, int zstd) {
  std::vector<onepass::BlockImage> levels;
  std::vector<onepass::BlockView> views;
  for (uint32_t n = 0; n < 6; ++n) {
    const Extent size{37U >> n, std::max(1U, 10U >> n)};
    auto image = onepass::BlockImage::create(info.format, size);
    auto* const bytes = static_cast<std::byte*>(image->view().data);
    for (size_t i = 0; i < image->size_in_bytes(); ++i) bytes[i] = static_cast<std::byte>((31 * n + i) % 251);
    levels.push_back(std::move(*image));
  }
  for (const auto& level : levels) views.push_back(level.view());
  const std::string name = std::string(info.name) + "_37x10_l6_s1" + (zstd > 0 ? "_zstd" : "") + ".ktx2";
  const auto done = onepass::files::write_ktx2(directory / name, views, {.zstd_level = zstd});
  if (!done) std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return done.ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: files_ktx2_samples DIRECTORY\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  bool fine = true;
  for (const onepass::FormatInfo& info : onepass::all_formats()) {
    if (info.depth && info.format != onepass::Format::kD16Unorm && info.format != onepass::Format::kD32Sfloat) continue;
    for (const int zstd : {0, 3}) fine = write_sample(argv[1], info, {{37, 10}, 0, 1, false, false}, zstd) && fine;
  }
  for (const onepass::BlockFormatInfo& info : onepass::all_block_formats()) {
    for (const int zstd : {0, 3}) fine = write_block_sample(argv[1], info, zstd) && fine;
  }
  const onepass::FormatInfo& colour = onepass::format_info(onepass::Format::kRGBA8Srgb);
  for (const Shape& shape :
       {Shape{{1, 1}, 0, 1, false, false}, Shape{{1, 33}, 0, 1, false, false}, Shape{{16, 16}, 2, 1, false, true},
        Shape{{9, 7}, 1, 7, false, false}, Shape{{8, 8}, 0, 6, true, false}, Shape{{5, 5}, 0, 12, true, false}}) {
    fine = write_sample(argv[1], colour, shape, 0) && fine;
  }
  return fine ? 0 : 1;
}
