// c_api_files_test.cpp: files, tiles and volumes in C: pixels, statements, options and errors reach C and come from it.
// The same calls in C++ are the oracle; tests of files, tiles and volumes check these.
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "onepass/onepass_files.h"
#include "onepass/tiles.hpp"
#include "onepass/volume_files.hpp"
#include "tests/c_api/c_api_testing.hpp"
#include "tests/files/files_support.hpp"

namespace onepass::testing {
namespace {

class CApiFiles : public CApi {
 protected:
  std::string path(const char* name) const { return (directory_.path() / name).string(); }

  onepass_files_image* read(const std::string& from, const onepass_files_read_options* options = nullptr) {
    onepass_files_image* image = nullptr;
    EXPECT_EQ(onepass_files_read(from.c_str(), options, &image, &error_), ONEPASS_OK) << error_.message;
    return image;
  }

  files_test::TempDirectory directory_;
};

std::vector<unsigned char> pixels_of(const onepass_image_view& view) {
  std::vector<unsigned char> out;
  const auto* bytes = static_cast<const unsigned char*>(view.data);
  const size_t row = size_t{view.size.width} * onepass_format_bytes(view.format);
  for (uint32_t s = 0; s < view.slices; ++s) {
    for (uint32_t y = 0; y < view.size.height; ++y) {
      const unsigned char* begin = bytes + s * view.slice_stride + y * view.row_stride;
      out.insert(out.end(), begin, begin + row);
    }
  }
  return out;
}

TEST_F(CApiFiles, PixelsAndStatementsReachC) {
  const PaddedImage source = random_image(Format::kRGBA8Srgb, {13, 7});
  const onepass_image_view view = c_view(source);
  const std::string png = path("a.png");
  ASSERT_EQ(onepass_files_write(png.c_str(), &view, 1, nullptr, nullptr, &error_), ONEPASS_OK) << error_.message;
  const auto expected = files::read(png);
  ASSERT_TRUE(expected);
  onepass_files_image* image = read(png);
  ASSERT_NE(image, nullptr);
  onepass_files_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(onepass_files_image_info(image, &info, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(info.levels, 1U);
  EXPECT_EQ(info.alpha, ONEPASS_ALPHA_ASSOCIATION_STRAIGHT);
  EXPECT_EQ(info.stored_channels, 4U);
  EXPECT_EQ(info.stored_bits, 8U);
  EXPECT_EQ(info.exif_orientation, 1U);
  EXPECT_EQ(info.pixel_aspect_ratio, 1.0F);
  EXPECT_EQ(info.primaries.red[0], expected->primaries.red[0]);
  EXPECT_EQ(info.primaries.white[1], expected->primaries.white[1]);
  EXPECT_EQ(info.data_window.max_x, 12);
  EXPECT_EQ(info.display_window.max_y, 6);
  EXPECT_EQ(info.warnings, expected->warnings.size());
  EXPECT_EQ(onepass_files_image_warning(image, info.warnings), nullptr);
  EXPECT_STREQ(info.type, "PNG");
  onepass_mutable_image_view pixels{};
  ASSERT_EQ(onepass_files_image_mutable_level(image, 0, &pixels, &error_), ONEPASS_OK) << error_.message;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "level: 1",
                 [&](onepass_error* e) { return onepass_files_image_mutable_level(image, 1, &pixels, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "view: null",
                 [&](onepass_error* e) { return onepass_files_image_mutable_level(image, 0, nullptr, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "image: null",
                 [&](onepass_error* e) { return onepass_files_image_mutable_level(nullptr, 0, &pixels, e); });
  onepass_image_view base{};
  ASSERT_EQ(onepass_files_image_level(image, 0, &base, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(base.format, ONEPASS_FORMAT_R8G8B8A8_SRGB);
  EXPECT_EQ(pixels_of(base), pixels_of(view));
  EXPECT_EQ(pixels.data, base.data);
  EXPECT_EQ(pixels.row_stride, base.row_stride);
  EXPECT_EQ(pixels.format, base.format);
  onepass_files_image_destroy(image);
}

TEST_F(CApiFiles, MemoryIsReadAsAFile) {
  const PaddedImage source = random_image(Format::kR8Unorm, {5, 9});
  const onepass_image_view view = c_view(source);
  onepass_files_write_options options;
  onepass_files_write_options_init(&options, sizeof options);
  options.tiff_compression = ONEPASS_FILES_TIFF_COMPRESSION_NONE;
  options.tiff_tile_size = 16;
  const std::string tiff = path("a.tif");
  ASSERT_EQ(onepass_files_write(tiff.c_str(), &view, 1, &options, nullptr, &error_), ONEPASS_OK) << error_.message;
  std::ifstream file(tiff, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  onepass_files_read_options linear;
  onepass_files_read_options_init(&linear, sizeof linear);
  linear.color = ONEPASS_FILES_COLOR_LINEAR;
  onepass_files_image* image = nullptr;
  ASSERT_EQ(onepass_files_read_memory(bytes.data(), bytes.size(), "given.tif", &linear, &image, &error_), ONEPASS_OK)
      << error_.message;
  onepass_image_view base{};
  ASSERT_EQ(onepass_files_image_level(image, 0, &base, nullptr), ONEPASS_OK);
  EXPECT_EQ(base.format, ONEPASS_FORMAT_R8_UNORM);
  EXPECT_EQ(pixels_of(base), pixels_of(view));
  onepass_files_image_destroy(image);
  expect_failure(ONEPASS_BAD_DATA, "given.tif", [&](onepass_error* e) {
    return onepass_files_read_memory(bytes.data(), 20, "given.tif", nullptr, &image, e);
  });
  EXPECT_EQ(image, nullptr);
}

TEST_F(CApiFiles, NamesOfChannelsAndAttributesPassOn) {
  const PaddedImage source = random_image(Format::kRG32Sfloat, {6, 4});
  const onepass_image_view view = c_view(source);
  const std::array<const char*, 2> names{"shadow.near", "shadow.far"};
  onepass_files_write_options options;
  onepass_files_write_options_init(&options, sizeof options);
  options.exr_channels = names.data();
  options.exr_channels_count = 2;
  options.has_exr_chromaticities = 1;
  options.exr_chromaticities = {{0.7, 0.29}, {0.17, 0.79}, {0.13, 0.04}, {0.31, 0.33}};
  options.has_exr_data_window = 1;
  options.exr_data_window = {-3, 2, 2, 5};
  const std::string exr = path("a.exr");
  ASSERT_EQ(onepass_files_write(exr.c_str(), &view, 1, &options, nullptr, &error_), ONEPASS_OK) << error_.message;
  onepass_files_read_options far;
  onepass_files_read_options_init(&far, sizeof far);
  const char* wanted = "shadow.far";
  far.channels = &wanted;
  far.channels_count = 1;
  onepass_files_image* image = read(exr, &far);
  ASSERT_NE(image, nullptr);
  onepass_files_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(onepass_files_image_info(image, &info, &error_), ONEPASS_OK);
  EXPECT_EQ(info.says_primaries, 1U);
  EXPECT_FLOAT_EQ(static_cast<float>(info.primaries.green[1]), 0.79F);
  EXPECT_EQ(info.data_window.min_x, -3);
  EXPECT_EQ(info.data_window.max_y, 5);
  onepass_image_view base{};
  ASSERT_EQ(onepass_files_image_level(image, 0, &base, nullptr), ONEPASS_OK);
  ASSERT_EQ(base.format, ONEPASS_FORMAT_R32_SFLOAT);
  const auto* first = static_cast<const float*>(base.data);
  EXPECT_EQ(first[0], reinterpret_cast<const float*>(view.data)[1]);
  // The attributes of the file that was read reach another one.
  const std::string again = path("b.exr");
  ASSERT_EQ(onepass_files_write(again.c_str(), &base, 1, nullptr, image, &error_), ONEPASS_OK) << error_.message;
  onepass_files_image_destroy(image);
}

TEST_F(CApiFiles, BlocksAreWritten) {
  std::vector<std::byte> data(8 * 9 * 6);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(37 * i);
  const onepass_block_view view{data.data(), ONEPASS_BLOCK_FORMAT_BC1_RGBA_SRGB, {9, 9}, 6, 0, 0};
  onepass_files_write_options options;
  onepass_files_write_options_init(&options, sizeof options);
  options.ktx2_cube = options.dds_cube = 1;
  options.ktx2_zstd_level = 3;
  for (const char* name : {"a.ktx2", "a.dds"}) {
    ASSERT_EQ(onepass_files_write_blocks(path(name).c_str(), &view, 1, &options, &error_), ONEPASS_OK)
        << error_.message;
    const auto file = files::read(path(name));
    ASSERT_TRUE(file);
    EXPECT_EQ(file->blocks, BlockFormat::kBc1RgbaSrgb);
    EXPECT_TRUE(file->cube);
    auto expected = Image::create(Format::kRGBA8Srgb, {9, 9}, 6);
    const BlockView given{data.data(), BlockFormat::kBc1RgbaSrgb, {9, 9}, 6, 24, 72};
    ASSERT_TRUE(expected && cpu::decompress(given, expected->view()));
    EXPECT_EQ(std::memcmp(file->levels[0].data(), expected->data(), expected->size_in_bytes()), 0);
  }
}

TEST_F(CApiFiles, MistakesAreNamed) {
  onepass_files_image* image = reinterpret_cast<onepass_files_image*>(&error_);
  const auto missing = path("none.png");
  expect_failure(ONEPASS_NOT_FOUND, "none.png",
                 [&](onepass_error* e) { return onepass_files_read(missing.c_str(), nullptr, &image, e); });
  EXPECT_EQ(image, nullptr);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "path: null",
                 [&](onepass_error* e) { return onepass_files_read(nullptr, nullptr, &image, e); });
  onepass_files_read_options options{};
  expect_failure(ONEPASS_INVALID_ARGUMENT, "struct_size: 0",
                 [&](onepass_error* e) { return onepass_files_read(missing.c_str(), &options, &image, e); });
  onepass_files_read_options_init(&options, sizeof options);
  options.channels_count = 1;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "channels: null",
                 [&](onepass_error* e) { return onepass_files_read(missing.c_str(), &options, &image, e); });
  const PaddedImage source = random_image(Format::kRGBA8Unorm, {4, 4});
  const onepass_image_view view = c_view(source);
  expect_failure(ONEPASS_UNSUPPORTED, "a.xyz", [&](onepass_error* e) {
    return onepass_files_write(path("a.xyz").c_str(), &view, 1, nullptr, nullptr, e);
  });
  std::vector<std::byte> block(16);
  const onepass_block_view blocks{block.data(), ONEPASS_BLOCK_FORMAT_BC7_UNORM, {4, 4}, 0, 0, 0};
  expect_failure(
      ONEPASS_UNSUPPORTED, "cannot write blocks to files with the extension \".png\"",
      [&](onepass_error* e) { return onepass_files_write_blocks(path("a.png").c_str(), &blocks, 1, nullptr, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "levels: null", [&](onepass_error* e) {
    return onepass_files_write_blocks(path("a.dds").c_str(), nullptr, 1, nullptr, e);
  });
  onepass_files_write_options write;
  onepass_files_write_options_init(&write, sizeof write);
  write.jpeg_quality = 500;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "quality is 500", [&](onepass_error* e) {
    return onepass_files_write(path("a.jpg").c_str(), &view, 1, &write, nullptr, e);
  });
  EXPECT_FALSE(std::filesystem::exists(path("a.jpg")));
  write.ktx2_code_points_reserved[1] = 1;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "ktx2_code_points_reserved: 1", [&](onepass_error* e) {
    return onepass_files_write(path("a.ktx2").c_str(), &view, 1, &write, nullptr, e);
  });
  ASSERT_EQ(onepass_files_write(path("a.png").c_str(), &view, 1, nullptr, nullptr, &error_), ONEPASS_OK);
  image = read(path("a.png"));
  onepass_image_view base{};
  expect_failure(ONEPASS_INVALID_ARGUMENT, "level: 1, but the file has 1",
                 [&](onepass_error* e) { return onepass_files_image_level(image, 1, &base, e); });
  onepass_files_info info{};
  expect_failure(ONEPASS_INVALID_ARGUMENT, "info.struct_size: 0",
                 [&](onepass_error* e) { return onepass_files_image_info(image, &info, e); });
  onepass_files_image_destroy(image);
  onepass_files_image_destroy(nullptr);
}

#if defined(__linux__)
TEST_F(CApiFiles, TilesAreThoseOfCpp) {
  const PaddedImage source = random_image(Format::kRGBA8Srgb, {300, 211});
  const onepass_image_view view = c_view(source);
  const std::string png = path("a.png");
  ASSERT_EQ(onepass_files_write(png.c_str(), &view, 1, nullptr, nullptr, &error_), ONEPASS_OK);
  onepass_tile_options options;
  onepass_tile_options_init(&options, sizeof options);
  const std::string c_output = path("c.tif");
  options.input_path = png.c_str();
  options.output = c_output.c_str();
  options.tile_size = 64;
  options.compression = ONEPASS_TILE_COMPRESSION_DEFLATE;
  onepass_tile_report* report = nullptr;
  ASSERT_EQ(onepass_make_tiles(&options, nullptr, nullptr, &report, &error_), ONEPASS_OK) << error_.message;
  const auto made = tiles::make_tiles({.input = {.path = png},
                                       .output = path("cpp.tif"),
                                       .tile_size = 64,
                                       .compression = tiles::TileCompression::kDeflate});
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_EQ(onepass_tile_report_levels(report), made->sizes.size());
  for (uint32_t n = 0; n < made->sizes.size(); ++n) {
    EXPECT_EQ(onepass_tile_report_size(report, n).width, made->sizes[n].width);
    EXPECT_EQ(onepass_tile_report_size(report, n).height, made->sizes[n].height);
  }
  EXPECT_EQ(onepass_tile_report_size(report, onepass_tile_report_levels(report)).width, 0U);
  EXPECT_EQ(std::string(onepass_tile_report_output(report, 0)), c_output);
  EXPECT_EQ(onepass_tile_report_output(report, 1), nullptr);
  EXPECT_EQ(onepass_tile_report_warning(report, 1000), nullptr);
  onepass_tile_progress progress{};
  progress.struct_size = sizeof progress;
  ASSERT_EQ(onepass_tile_report_progress(report, &progress, &error_), ONEPASS_OK);
  EXPECT_EQ(progress.rows, 211U);
  EXPECT_EQ(progress.tiles, made->progress.tiles);
  onepass_tile_info info{};
  expect_failure(ONEPASS_INVALID_ARGUMENT, "info.struct_size: 0",
                 [&](onepass_error* e) { return onepass_tile_report_info(report, &info, e); });
  info.struct_size = sizeof info;
  ASSERT_EQ(onepass_tile_report_info(report, &info, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(std::string(info.sample), made->sample);
  EXPECT_EQ(std::string(info.encoding), "deflate");
  EXPECT_EQ(info.channels, made->channels);
  EXPECT_EQ(info.srgb, made->srgb ? 1U : 0U);
  EXPECT_EQ(info.tile_size, 64U);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "report: null",
                 [&](onepass_error* e) { return onepass_tile_report_info(nullptr, &info, e); });
  onepass_tile_report_destroy(report);
  const auto bytes = [](const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  EXPECT_EQ(bytes(c_output), bytes(path("cpp.tif")));
}

TEST_F(CApiFiles, AWatchEndsARun) {
  const PaddedImage source = random_image(Format::kR8Unorm, {200, 150});
  const onepass_image_view view = c_view(source);
  const std::string png = path("a.png");
  ASSERT_EQ(onepass_files_write(png.c_str(), &view, 1, nullptr, nullptr, &error_), ONEPASS_OK);
  onepass_tile_options options;
  onepass_tile_options_init(&options, sizeof options);
  const std::string output = path("a.zarr");
  options.input_path = png.c_str();
  options.output = output.c_str();
  options.tile_size = 32;
  uint32_t calls = 0;
  const onepass_tile_watch end = [](void* user, const onepass_tile_progress* state) -> int32_t {
    ++*static_cast<uint32_t*>(user);
    return state->height == 150 && state->struct_size == sizeof *state ? 0 : 1;
  };
  EXPECT_EQ(onepass_make_tiles(&options, end, &calls, nullptr, &error_), ONEPASS_CANCELLED) << error_.message;
  EXPECT_GE(calls, 1U);
  options.resume = 1;
  EXPECT_EQ(onepass_make_tiles(&options, nullptr, nullptr, nullptr, &error_), ONEPASS_OK) << error_.message;
  options.output = nullptr;
  EXPECT_NE(onepass_make_tiles(&options, nullptr, nullptr, nullptr, &error_), ONEPASS_OK);
  EXPECT_STRNE(error_.message, "");
}

/// Names of all files of a directory, with their contents.
std::map<std::string, files_test::Bytes> contents_of(const std::string& root) {
  std::map<std::string, files_test::Bytes> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) {
      files[std::filesystem::relative(entry, root).string()] = files_test::load(entry.path());
    }
  }
  return files;
}

class CApiVolumeFiles : public CApiFiles {
 protected:
  /// 90 x 70 x 50 random voxels of type uint16, behind 6 other bytes, and options of every kind.
  CApiVolumeFiles() {
    files_test::Bytes bytes(6 + size_t{90} * 70 * 50 * 2);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_.below(256));
    files_test::save(input_, bytes);
    onepass_volume_file_options_init(&options_, sizeof options_);
    options_.input_path = input_.c_str();
    options_.input_raw = "90x70x50:uint16:be+6";
    options_.output = output_.c_str();
    options_.has_input_voxel = 1;
    options_.input_voxel = {0.5, 0.25, 2.0};
    options_.steps = steps_.data();
    options_.step_count = 2;
    options_.levels = 4;
    options_.reduction = ONEPASS_REDUCTION_MAX;
    options_.chunk = {16, 12, 8};
    options_.shard_size = {32, 24, 8};
    options_.compression = ONEPASS_VOLUME_COMPRESSION_NONE;
    options_.max_bytes = uint64_t{1} << 28;
    options_.threads = 2;
  }

  volumes::VolumeFileOptions same_in_cpp() const {
    return {.input = {.path = input_, .raw = "90x70x50:uint16:be+6", .voxel = VoxelSize{0.5, 0.25, 2.0}},
            .output = path("cpp.zarr"),
            .steps = {{2, 2, 1}, {1, 2, 2}},
            .levels = 4,
            .reduction = Reduction::kMax,
            .chunk = {16, 12, 8},
            .shard_size = {32, 24, 8},
            .compression = volumes::VolumeCompression::kNone,
            .max_bytes = uint64_t{1} << 28};
  }

  void expect_refusal(onepass_code code, const char* words) {
    onepass_volume_report* report = reinterpret_cast<onepass_volume_report*>(&error_);
    expect_failure(code, words,
                   [&](onepass_error* e) { return onepass_make_volume(&options_, nullptr, nullptr, &report, e); });
    EXPECT_EQ(report, nullptr);
  }

  std::string input_ = path("in.raw"), output_ = path("c.zarr");
  std::array<onepass_volume_step, 2> steps_{{{2, 2, 1}, {1, 2, 2}}};
  onepass_volume_file_options options_;
};

TEST_F(CApiVolumeFiles, OutputsAndReportsAreThoseOfCpp) {
  onepass_volume_report* report = nullptr;
  options_.viewer = 1;
  ASSERT_EQ(onepass_make_volume(&options_, nullptr, nullptr, &report, &error_), ONEPASS_OK) << error_.message;
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(output_).replace_extension(".html")));
  const auto made = volumes::make_volume(same_in_cpp());
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(contents_of(output_) == contents_of(path("cpp.zarr")));
  onepass_volume_info info{};
  expect_failure(ONEPASS_INVALID_ARGUMENT, "info.struct_size: 0",
                 [&](onepass_error* e) { return onepass_volume_report_info(report, &info, e); });
  info.struct_size = sizeof info;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "report: null",
                 [&](onepass_error* e) { return onepass_volume_report_info(nullptr, &info, e); });
  ASSERT_EQ(onepass_volume_report_info(report, &info, &error_), ONEPASS_OK) << error_.message;
  const auto same = [](const onepass_volume_size& c, const VolumeSize& cpp) {
    return VolumeSize{c.width, c.height, c.planes} == cpp;
  };
  EXPECT_EQ(info.type, ONEPASS_VOXEL_TYPE_UINT16);
  EXPECT_EQ(info.times, 1U);
  EXPECT_EQ(info.channels, 1U);
  EXPECT_EQ(info.planned_bytes, made->planned_bytes);
  EXPECT_EQ(info.was_complete, 0U);
  EXPECT_EQ(info.block_level, made->block_level);
  EXPECT_TRUE(same(info.chunk, {16, 12, 8}) && same(info.shard_size, {32, 24, 8}) && same(info.block, made->block));
  ASSERT_EQ(info.levels, 4U);
  for (uint32_t n = 0; n < 4; ++n) EXPECT_TRUE(same(onepass_volume_report_size(report, n), made->sizes[n])) << n;
  EXPECT_EQ(onepass_volume_report_size(report, 4).width, 0U);
  const onepass_volume_step last = onepass_volume_report_step(report, 2);
  EXPECT_TRUE(last.x == 1 && last.y == 2 && last.z == 2);
  EXPECT_EQ(onepass_volume_report_step(report, 3).x, 0U);
  EXPECT_EQ(onepass_volume_report_output(report), output_);
  EXPECT_EQ(onepass_volume_report_warning(report, 0), nullptr);
  onepass_volume_progress progress{};
  expect_failure(ONEPASS_INVALID_ARGUMENT, "progress.struct_size: 0",
                 [&](onepass_error* e) { return onepass_volume_report_progress(report, &progress, e); });
  progress.struct_size = sizeof progress;
  ASSERT_EQ(onepass_volume_report_progress(report, &progress, &error_), ONEPASS_OK) << error_.message;
  EXPECT_EQ(progress.voxels, made->progress.voxels);
  EXPECT_EQ(progress.all_voxels, made->progress.all_voxels);
  EXPECT_EQ(progress.blocks, made->progress.blocks);
  EXPECT_EQ(progress.blocks_kept, 0U);
  EXPECT_EQ(progress.bytes_written, made->progress.bytes_written);
  onepass_volume_report_destroy(report);
  onepass_volume_report_destroy(nullptr);
}

TEST_F(CApiVolumeFiles, ShardsMakeTheSameOutput) {
  ASSERT_TRUE(volumes::make_volume(same_in_cpp()));
  options_.merge = 2;
  expect_refusal(ONEPASS_NOT_FOUND, "shard");
  options_.merge = 0;
  options_.shard_count = 2;
  for (options_.shard_index = 0; options_.shard_index < 2; ++options_.shard_index) {
    for (const uint32_t complete : {0U, 1U}) {
      onepass_volume_report* report = nullptr;
      ASSERT_EQ(onepass_make_volume(&options_, nullptr, nullptr, &report, &error_), ONEPASS_OK) << error_.message;
      onepass_volume_info info{};
      info.struct_size = sizeof info;
      ASSERT_EQ(onepass_volume_report_info(report, &info, &error_), ONEPASS_OK);
      EXPECT_EQ(info.was_complete, complete);
      EXPECT_NE(onepass_volume_report_output(report), output_);
      onepass_volume_report_destroy(report);
    }
  }
  options_.shard_index = options_.shard_count = 0;
  options_.merge = 2;
  ASSERT_EQ(onepass_make_volume(&options_, nullptr, nullptr, nullptr, &error_), ONEPASS_OK) << error_.message;
  EXPECT_TRUE(contents_of(output_) == contents_of(path("cpp.zarr")));
}

TEST_F(CApiVolumeFiles, AWatchEndsARun) {
  ASSERT_TRUE(volumes::make_volume(same_in_cpp()));
  uint32_t calls = 0;
  const onepass_volume_watch end = [](void* user, const onepass_volume_progress* state) -> int32_t {
    ++*static_cast<uint32_t*>(user);
    return state->all_voxels >= 90 * 70 * 50 && state->struct_size == sizeof *state ? 0 : 1;
  };
  EXPECT_EQ(onepass_make_volume(&options_, end, &calls, nullptr, &error_), ONEPASS_CANCELLED) << error_.message;
  EXPECT_GE(calls, 1U);
  EXPECT_FALSE(std::filesystem::exists(output_));
  expect_refusal(ONEPASS_INVALID_ARGUMENT, "resume");
  options_.resume = 1;
  EXPECT_EQ(onepass_make_volume(&options_, nullptr, nullptr, nullptr, &error_), ONEPASS_OK) << error_.message;
  EXPECT_TRUE(contents_of(output_) == contents_of(path("cpp.zarr")));
}

TEST_F(CApiVolumeFiles, MistakesAreNamed) {
  const onepass_volume_file_options good = options_;
  const auto refused = [&](const char* words, const auto& change, onepass_code code = ONEPASS_INVALID_ARGUMENT) {
    options_ = good;
    change(options_);
    expect_refusal(code, words);
  };
  refused("options.struct_size: 0", [](auto& o) { o.struct_size = 0; });
  refused("steps: null", [](auto& o) { o.steps = nullptr; });
  refused("step_count: 32, at most 31", [](auto& o) { o.step_count = 32; });
  refused("steps: 2x2x3", [&](auto&) { steps_[1] = {2, 2, 3}; });
  steps_[1] = {1, 2, 2};
  refused("output: ''", [](auto& o) { o.output = nullptr; });
  refused("input: either", [](auto& o) { o.input_path = nullptr; });
  refused("input: either", [](auto& o) { o.input_planes = "plane_{z}.tif"; });
  refused("voxel: 0.000000x1.000000x1.000000 is not positive", [](auto& o) { o.input_voxel = {0, 1, 1}; });
  refused("raw: '90x70'", [](auto& o) { o.input_raw = "90x70"; });
  refused("reduction: choose", [](auto& o) { o.reduction = ONEPASS_REDUCTION_MIN_MAX; });
  refused("compression: choose", [](auto& o) { o.compression = 4; });
  refused("zarr_version: 4", [](auto& o) { o.zarr_version = 4; });
  refused("chunk: 16x0x8", [](auto& o) { o.chunk.height = 0; });
  refused("shard: 2/2", [](auto& o) { o.shard_index = o.shard_count = 2; });
  refused(
      "blocks of", [](auto& o) { o.max_bytes = 1; }, ONEPASS_OUT_OF_MEMORY);
  const std::string missing = path("none.raw");
  refused(
      "none.raw", [&](auto& o) { o.input_path = missing.c_str(); }, ONEPASS_NOT_FOUND);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "options: null",
                 [](onepass_error* e) { return onepass_make_volume(nullptr, nullptr, nullptr, nullptr, e); });
  EXPECT_FALSE(std::filesystem::exists(output_));
}
#endif

}  // namespace
}  // namespace onepass::testing
