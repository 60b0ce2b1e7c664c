// volume_zarr_test.cpp: OME-Zarr of every version as volumes: which axis is which, lengths, names, and what is refused.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/files/files_support.hpp"
#include "tests/volume_files/zarr_files.hpp"
#include "volume_files/volume_source.hpp"

namespace volume_files_test {
namespace {

using onepass::ErrorCode;
using onepass::VolumeSize;
using onepass::VoxelType;
using onepass::tiles::WorkerPool;
using onepass::volumes::open_zarr_volume;
using onepass::volumes::VolumeSource;

// Where x, y, z, channel and time are in the shape; -1: nowhere.
struct Axes {
  int x = -1, y = -1, z = -1, c = -1, t = -1;
};

class VolumeZarr : public ::testing::Test {
 protected:
  files_test::TempDirectory directory_;
  WorkerPool pool_{2};

  std::filesystem::path write(const ZarrFile& file, const std::string& ome, const std::string& level = "0") {
    const auto root = directory_ / "in.zarr";
    std::filesystem::remove_all(root);
    file.write(root / level);
    const std::string group = R"({"zarr_format": 3, "node_type": "group", "attributes": {"ome": )" + ome + "}}";
    if (!ome.empty()) {
      files_test::save(root / (file.version == 3 ? "zarr.json" : ".zattrs"),
                       files_test::bytes_of(file.version == 3 ? group : ome));
    }
    return root;
  }

  std::unique_ptr<VolumeSource> open(const std::filesystem::path& root) {
    auto source = open_zarr_volume(root, pool_);
    EXPECT_TRUE(source.ok()) << (source.ok() ? "" : source.error().text());
    return source.ok() ? std::move(*source) : nullptr;
  }

  void refuse(const std::filesystem::path& root, ErrorCode code, const std::vector<std::string>& words) {
    const auto source = open_zarr_volume(root, pool_);
    ASSERT_FALSE(source.ok());
    EXPECT_EQ(source.error().code, code) << source.error().text();
    for (const std::string& word : words) {
      EXPECT_NE(source.error().text().find(word), std::string::npos) << source.error().text();
    }
  }

  // Every voxel of every volume, in one box, and in one that begins inside.
  static void expect_voxels(VolumeSource& source, const ZarrFile& file, const Axes& axes) {
    const auto& header = source.header();
    for (uint32_t index = 0; index < header.set.count(); ++index) {
      const VolumeSize size = header.size;
      const onepass::volumes::VolumeBox boxes[] = {
          {.size = size},
          {.x = size.width / 2,
           .y = size.height / 2,
           .z = size.planes / 2,
           .size = {size.width - size.width / 2, 1, size.planes - size.planes / 2}}};
      for (const auto& box : boxes) {
        const size_t row = box.size.width * file.bytes + 5;
        const size_t plane = row * box.size.height + 7;
        std::vector<std::byte> out(plane * box.size.planes);
        EXPECT_GT(source.memory_bytes(box.size), 0U);
        const auto done = source.read(index, box, out.data(), row, plane);
        ASSERT_TRUE(done.ok()) << done.error().text();
        size_t wrong = 0;
        for_each({box.size.planes, box.size.height, box.size.width}, [&](const Position& at) {
          Position element(file.shape.size());
          const auto set = [&](int axis, uint32_t value) {
            if (axis >= 0) element[static_cast<size_t>(axis)] = value;
          };
          set(axes.x, box.x + at[2]);
          set(axes.y, box.y + at[1]);
          set(axes.z, box.z + at[0]);
          set(axes.c, index % header.set.channels);
          set(axes.t, index / header.set.channels);
          uint64_t got = 0;
          std::memcpy(&got, &out[at[0] * plane + at[1] * row + at[2] * file.bytes], file.bytes);
          wrong += got != file.element(element);
        });
        EXPECT_EQ(wrong, 0U) << index;
      }
    }
  }
};

TEST_F(VolumeZarr, Version4WithTimesAndChannels) {
  const ZarrFile file{.version = 2, .shape = {2, 3, 5, 9, 11}, .chunk = {1, 1, 2, 4, 6}, .codecs = {"zlib"}};
  const auto source = open(write(file, R"({"multiscales": [{"version": "0.4", "name": "brain",
    "axes": [{"name": "t", "type": "time", "unit": "millisecond"}, {"name": "c", "type": "channel"},
             {"name": "z", "type": "space", "unit": "micrometer"}, {"name": "y", "type": "space", "unit": "nanometer"},
             {"name": "x", "type": "space", "unit": "nanometer"}],
    "datasets": [{"path": "s/0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 2, 4, 5]},
                                       {"type": "translation", "translation": [0, 0, 1, 10, 20]}]}, {"path": "s/1"}],
    "coordinateTransformations": [{"type": "scale", "scale": [50, 1, 1, 2, 1]}]}, {"datasets": []}],
    "omero": {"channels": [{"label": "a", "color": "FF0000"}, {"label": "b"}, {}]},
    "image-label": {"properties": []}})",
                                 "s/0"));
  ASSERT_TRUE(source);
  const auto& header = source->header();
  EXPECT_EQ(header.size, (VolumeSize{11, 9, 5}));
  EXPECT_EQ(header.block, (VolumeSize{6, 4, 2}));
  EXPECT_EQ(header.type, VoxelType::kUint16);
  EXPECT_TRUE(header.set.times == 2 && header.set.channels == 3 && header.set.has_time_axis &&
              header.set.has_channel_axis);
  const auto& metadata = header.metadata;
  ASSERT_TRUE(metadata.voxel);
  EXPECT_EQ(metadata.voxel->x, 5);
  EXPECT_EQ(metadata.voxel->y, 8);
  EXPECT_EQ(metadata.voxel->z, 2000);
  EXPECT_EQ(metadata.origin.x, 20);
  EXPECT_EQ(metadata.origin.y, 20);
  EXPECT_EQ(metadata.origin.z, 1000);
  EXPECT_EQ(metadata.unit, "nanometer");
  EXPECT_EQ(metadata.time_step, 50);
  EXPECT_EQ(metadata.time_unit, "millisecond");
  EXPECT_EQ(metadata.name, "brain");
  EXPECT_EQ(metadata.channel_names, (std::vector<std::string>{"a", "b", ""}));
  EXPECT_EQ(metadata.omero, R"({"channels":[{"color":"FF0000","label":"a"},{"label":"b"},{}]})");
  EXPECT_EQ(metadata.image_label, R"({"properties":[]})");
  expect_voxels(*source, file, {.x = 4, .y = 3, .z = 2, .c = 1, .t = 0});
}

TEST_F(VolumeZarr, Version5InShards) {
  const ZarrFile file{.type = "float32",
                      .bytes = 4,
                      .shape = {3, 10, 9, 12},
                      .chunk = {2, 8, 8, 8},
                      .block = {1, 4, 2, 4},
                      .codecs = {"zstd", "crc32c"}};
  const auto source = open(write(file, R"({"version": "0.5", "multiscales": [{
    "axes": [{"name": "c", "type": "channel"}, {"name": "z", "type": "space"}, {"name": "y", "type": "space"},
             {"name": "x", "type": "space"}], "datasets": [{"path": "0"}]}]})"));
  ASSERT_TRUE(source);
  EXPECT_EQ(source->header().block, (VolumeSize{4, 2, 4}));
  EXPECT_TRUE(source->header().set.channels == 3 && !source->header().set.has_time_axis);
  EXPECT_FALSE(source->header().metadata.voxel);
  EXPECT_TRUE(source->header().metadata.omero.empty());
  expect_voxels(*source, file, {.x = 3, .y = 2, .z = 1, .c = 0});
}

constexpr char kVersion6[] = R"({"version": "0.6", "multiscales": [{
    "coordinateSystems": [{"name": "atlas", "axes": [{"name": "a"}]},
      {"name": "physical", "axes": [{"name": "z", "type": "space", "unit": "micrometer"},
        {"name": "y", "type": "space", "unit": "micrometer"}, {"name": "x", "type": "space", "unit": "micrometer"}]}],
    "datasets": [{"path": "0", "coordinateTransformations": [{"type": "sequence", "input": {"path": "0"},
      "output": {"name": "physical"}, "transformations": [{"type": "scale", "scale": [3, 2, 1]},
      {"type": "translation", "translation": [7, 8, 9]}]}]}],
    "coordinateTransformations": [{"type": "rotation", "input": "physical", "output": "atlas"}]}]})";

TEST_F(VolumeZarr, Version6) {
  const ZarrFile file{.shape = {5, 6, 7}, .chunk = {2, 3, 4}};
  std::string ome = kVersion6;
  auto source = open(write(file, ome));
  ASSERT_TRUE(source);
  EXPECT_EQ(source->header().metadata.voxel->z, 3);
  EXPECT_EQ(source->header().metadata.origin.x, 9);
  EXPECT_EQ(source->header().metadata.unit, "micrometer");
  expect_voxels(*source, file, {.x = 2, .y = 1, .z = 0});
  ome.replace(ome.find(R"("type": "scale", "scale")"), 24, R"("type": "affine", "affine")");
  refuse(write(file, ome), ErrorCode::kUnsupported, {"in.zarr/zarr.json", "coordinateTransformations", "affine"});
}

TEST_F(VolumeZarr, AxesInOtherOrders) {
  const ZarrFile xyz{.shape = {7, 6, 5}, .chunk = {4, 3, 2}};
  const auto axes_of = [](const std::string& names) {
    std::string text;
    for (const char name : names)
      text += (text.empty() ? "" : ", ") + (R"({"name": ")" + std::string(1, name)) + R"(", "type": "space"})";
    return R"({"multiscales": [{"axes": [)" + text + R"(], "datasets": [{"path": "0"}]}]})";
  };
  auto source = open(write(xyz, axes_of("xyz")));
  ASSERT_TRUE(source);
  EXPECT_EQ(source->header().size, (VolumeSize{7, 6, 5}));
  expect_voxels(*source, xyz, {.x = 0, .y = 1, .z = 2});
  source = open(write(xyz, axes_of("abc")));  // other names: the usual order
  ASSERT_TRUE(source);
  expect_voxels(*source, xyz, {.x = 2, .y = 1, .z = 0});
  const ZarrFile plane{.shape = {7, 6}, .chunk = {4, 3}};
  source = open(write(plane, axes_of("yx")));
  ASSERT_TRUE(source);
  EXPECT_EQ(source->header().size, (VolumeSize{6, 7, 1}));
  expect_voxels(*source, plane, {.x = 1, .y = 0});
  refuse(write(plane, axes_of("x")), ErrorCode::kBadData, {"2 axes", "name 1"});
  const ZarrFile four{.shape = {2, 7, 6, 2}, .chunk = {1, 4, 3, 1}};
  refuse(write(four, axes_of("azyx")), ErrorCode::kUnsupported, {"axes are a, z, y, x", "two or three"});
}

TEST_F(VolumeZarr, ArraysWithoutMetadataOfOme) {
  for (const int version : {2, 3}) {
    const ZarrFile file{.version = version, .shape = {4, 5, 6}, .chunk = {2, 2, 2}};
    auto source = open(write(file, "", "."));
    ASSERT_TRUE(source);
    EXPECT_EQ(source->header().size, (VolumeSize{6, 5, 4}));
    EXPECT_FALSE(source->header().metadata.voxel);
    expect_voxels(*source, file, {.x = 2, .y = 1, .z = 0});
  }
  const ZarrFile file{.shape = {4, 5, 6}, .chunk = {2, 2, 2}};
  const auto root = write(file, "", ".");
  std::string text = file.metadata();
  text.replace(1, 0, R"("dimension_names": ["x", "y", "c"], )");
  files_test::save(root / "zarr.json", files_test::bytes_of(text));
  const auto source = open(root);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->header().set.channels, 6U);
  expect_voxels(*source, file, {.x = 0, .y = 1, .c = 2});
}

TEST_F(VolumeZarr, WhatCannotBeRead) {
  constexpr auto kBad = ErrorCode::kBadData;
  constexpr auto kNot = ErrorCode::kUnsupported;
  const ZarrFile file{.version = 2, .shape = {2, 4, 5}, .chunk = {1, 2, 2}};
  const std::string good = R"({"multiscales": [{"axes": [{"name": "z", "type": "space"}, {"name": "y", "type": "space"},
    {"name": "x", "type": "space"}], "datasets": [{"path": "0", "coordinateTransformations": [
    {"type": "scale", "scale": [3, 2, 1]}]}]}]})";
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    EXPECT_NE(text.find(from), std::string::npos) << from;
    return write(file, text.replace(text.find(from), from.size(), to));
  };
  refuse(changed("[3, 2, 1]", "[3, 2]"), kBad, {".zattrs", "scale", "[3,2]", "3 axes"});
  refuse(changed("[3, 2, 1]", "[3, 2, 0]"), kBad, {"scale", "[3,2,0]"});
  refuse(changed("[3, 2, 1]", "[3, 2, \"a\"]"), kBad, {"scale"});
  refuse(changed("\"type\": \"scale\", ", "\"type\": \"rotation\", "), kNot, {"rotation"});
  refuse(changed("\"type\": \"space\"", "\"type\": \"spectrum\""), kNot, {"axes are z, y, x", "z has 2 elements"});
  refuse(changed("\"path\": \"0\"", "\"path\": \"../in.zarr/0\""), kBad, {".zattrs", "path"});
  refuse(changed("\"path\": \"0\"", "\"path\": \"1\""), ErrorCode::kNotFound, {"in.zarr/1/.zarray"});
  refuse(changed("multiscales", "plate"), kNot, {"plate"});
  refuse(changed("multiscales", "bioformats2raw.layout"), kNot, {"collection", "in.zarr/0"});
  refuse(changed("multiscales", "scales"), kBad, {".zattrs", "level"});
}

}  // namespace
}  // namespace volume_files_test
