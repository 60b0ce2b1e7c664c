// volume_files_support.hpp: raw volumes as inputs, and outputs as voxels, for the tests of volumes in files.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "onepass/tiles.hpp"
#include "onepass/volume_files.hpp"
#include "tests/files/files_support.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/volume/volume_testing.hpp"
#include "tests/volume_files/zarr_reader.hpp"
#include "volume_files/block_plan.hpp"

namespace volume_files_test {

using onepass::ErrorCode;
using onepass::Reduction;
using onepass::VolumeSize;
using onepass::VolumeStep;
using onepass::testing::below;
using onepass::testing::Generator;
using onepass::testing::Volume;
using onepass::volumes::make_volume;
using onepass::volumes::VolumeCompression;
using onepass::volumes::VolumeFileOptions;
using onepass::volumes::VolumeFileReport;

/// All files of a directory with their contents.
inline std::map<std::string, files_test::Bytes> tree(const std::filesystem::path& root) {
  std::map<std::string, files_test::Bytes> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files[std::filesystem::relative(entry, root)] = files_test::load(entry);
  }
  return files;
}

class VolumeFiles : public ::testing::Test {
 protected:
  files_test::TempDirectory directory_;

  ~VolumeFiles() override { onepass::volumes::block_limits = {}; }

  /// Writes voxels to in.raw and describes them. Chunks of 8 voxels per axis, so that small volumes have many.
  template <typename T>
  VolumeFileOptions save(const Volume<T>& volume, const std::string& output) {
    files_test::save(directory_ / "in.raw", std::as_bytes(std::span(volume.voxels)));
    VolumeFileOptions o;
    o.input.path = directory_ / "in.raw";
    o.input.raw = std::to_string(volume.size.width) + "x" + std::to_string(volume.size.height) + "x" +
                  std::to_string(volume.size.planes) + ":" +
                  std::string(onepass::voxel_info(onepass::testing::type_of<T>()).name);
    o.output = directory_ / output;
    o.chunk = {8, 8, 8};
    o.shard_size = {16, 16, 16};
    return o;
  }

  static VolumeFileReport good(const VolumeFileOptions& o) {
    auto report = make_volume(o);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().text());
    return report.ok() ? *report : VolumeFileReport();
  }

  static void bad(const VolumeFileOptions& o, ErrorCode code, const std::vector<std::string>& words) {
    const auto report = make_volume(o);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, code) << report.error().text();
    for (const std::string& word : words) {
      EXPECT_NE(report.error().text().find(word), std::string::npos) << report.error().text() << " lacks " << word;
    }
  }

  /// Compares all levels of an output with the definition.
  template <typename T>
  static void expect_levels(const VolumeFileReport& report, const VolumeFileOptions& o, const Volume<T>& base) {
    const onepass::VolumeOptions definition = {
        .size = base.size, .type = onepass::testing::type_of<T>(), .reduction = o.reduction, .steps = report.steps};
    Volume<T> finer = base;
    for (size_t n = 0; n < report.sizes.size(); ++n) {
      if (n > 0) finer = onepass::testing::oracle_level(definition, base, finer, n);
      const ZarrVoxels found = read_zarr_array(o.output / std::to_string(n));
      ASSERT_EQ(found.problem, "") << n;
      ASSERT_EQ(found.shape, (std::vector<uint64_t>{finer.size.planes, finer.size.height, finer.size.width}));
      ASSERT_EQ(found.bytes.size(), finer.voxels.size() * sizeof(T));
      EXPECT_EQ(std::memcmp(found.bytes.data(), finer.voxels.data(), found.bytes.size()), 0)
          << onepass::testing::describe(definition) << ", level " << n;
    }
  }
};

}  // namespace volume_files_test
