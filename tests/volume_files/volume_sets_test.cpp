// volume_sets_test.cpp: times and channels are volumes of their own; what a source states is passed on.
#include "tests/volume_files/volume_files_support.hpp"
#include "volume_files/volume_job.hpp"
#include "volume_files/volume_metadata.hpp"

namespace volume_files_test {
namespace {

using onepass::Result;
using onepass::VolumeOptions;
using onepass::VoxelType;
using namespace onepass::volumes;

/// Volumes in memory. Counts how often each voxel is read.
class MemoryVolumes final : public VolumeSource {
 public:
  MemoryVolumes(VolumeSize size, const VolumeSet& set, Generator& random) {
    name_ = "memory";
    header_.size = size;
    header_.type = VoxelType::kUint16;
    header_.set = set;
    for (uint32_t i = 0; i < set.count(); ++i) {
      volumes.push_back(onepass::testing::random_volume<uint16_t>(size, 1, random));
      reads.emplace_back(size, 1);
    }
  }
  VolumeHeader& header_to_change() { return header_; }
  [[nodiscard]] uint64_t memory_bytes(VolumeSize /*box*/) const override { return 0; }

  Result<void> read(uint32_t index, const VolumeBox& box, std::byte* out, size_t row_stride,
                    size_t plane_stride) override {
    for (uint32_t z = 0; z < box.size.planes; ++z) {
      for (uint32_t y = 0; y < box.size.height; ++y) {
        std::memcpy(out + z * plane_stride + y * row_stride, &volumes[index].at(box.x, box.y + y, box.z + z, 0),
                    size_t{box.size.width} * sizeof(uint16_t));
        for (uint32_t x = 0; x < box.size.width; ++x) ++reads[index].at(box.x + x, box.y + y, box.z + z, 0);
      }
    }
    return {};
  }

  std::vector<Volume<uint16_t>> volumes;
  std::vector<Volume<uint8_t>> reads;
};

class VolumeSets : public VolumeFiles {
 protected:
  VolumeFileOptions options_;

  void SetUp() override {
    block_limits.voxels = 1;
    options_.output = directory_ / "out.zarr";
    options_.chunk = {8, 8, 8};
  }

  /// Makes the unfinished output of a source, and returns its place.
  std::filesystem::path make(VolumeSource& source) {
    auto layout = plan_layout(options_, source.header());
    EXPECT_TRUE(layout.ok());
    auto passes = plan_passes(*layout);
    EXPECT_TRUE(passes.ok());
    onepass::tiles::WorkerPool pool(2);
    VolumeJob job{*layout, *passes, source, pool, {}};
    auto journal = onepass::tiles::Journal::open(layout->work, "test", onepass::tiles::Journal::Old::kRefuse);
    EXPECT_TRUE(journal.ok());
    VolumeRun run(job.layout, job.passes, pool, **journal);
    EXPECT_TRUE(make_passes(job, run, 0, static_cast<uint32_t>(passes->size()), job.all(0)).ok());
    EXPECT_TRUE(write_metadata(job.layout).ok());
    return layout->root;
  }
};

TEST_F(VolumeSets, TimesAndChannelsAreVolumes) {
  Generator random(onepass::testing::random_seed());
  MemoryVolumes source({40, 30, 20}, {.times = 2, .channels = 3}, random);
  for (const uint32_t version : {2, 3}) {
    options_.zarr_version = version;
    options_.output = directory_ / (std::to_string(version) + ".zarr");
    const std::filesystem::path root = make(source);
    const VolumeOptions definition = {
        .size = {40, 30, 20}, .type = VoxelType::kUint16, .steps = {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}};
    for (uint32_t i = 0; i < 6; ++i) {
      for (size_t n = 0; n < 4; ++n) {
        const ZarrVoxels found = read_zarr_array(root / std::to_string(n));
        const Volume<uint16_t> expected =
            n == 0 ? source.volumes[i] : oracle_level(definition, source.volumes[i], source.volumes[i], n);
        ASSERT_EQ(found.problem, "");
        ASSERT_EQ(found.shape,
                  (std::vector<uint64_t>{2, 3, expected.size.planes, expected.size.height, expected.size.width}));
        const size_t bytes = expected.voxels.size() * 2;
        ASSERT_EQ(found.bytes.size(), 6 * bytes);
        EXPECT_EQ(std::memcmp(&found.bytes[i * bytes], expected.voxels.data(), bytes), 0) << i << " " << n;
      }
    }
  }
  for (const Volume<uint8_t>& reads : source.reads) {
    EXPECT_TRUE(std::all_of(reads.voxels.begin(), reads.voxels.end(), [](uint8_t count) { return count == 2; }));
  }
}

TEST_F(VolumeSets, StatementsOfTheSourceArePassedOn) {
  Generator random(onepass::testing::random_seed());
  MemoryVolumes source({9, 9, 9}, {.times = 1, .channels = 2, .has_time_axis = true}, random);
  VolumeMetadata& metadata = source.header_to_change().metadata;
  metadata = {.name = "mouse",
              .voxel = {{.x = 1, .y = 2, .z = 3}},
              .origin = {.x = 10, .y = 0, .z = -4},
              .unit = "nanometer",
              .time_step = 0.5,
              .time_unit = "second",
              .channel_names = {"DAPI", "GFP"}};
  metadata.image_label = R"({"version": "0.1", "colors": []})";
  auto ome = read_json(make(source) / "zarr.json")["attributes"]["ome"];
  const auto& image = ome["multiscales"][0];
  EXPECT_EQ(image["name"], "mouse");
  EXPECT_EQ(image["axes"][0]["unit"], "second");
  EXPECT_EQ(image["axes"][1]["type"], "channel");
  EXPECT_EQ(image["axes"][4]["unit"], "nanometer");
  const auto& base = image["datasets"][0]["coordinateTransformations"];
  EXPECT_EQ(base[0]["scale"], (std::vector<double>{0.5, 1, 3, 2, 1}));
  EXPECT_EQ(base[1]["translation"], (std::vector<double>{0, 0, -4, 0, 10}));
  EXPECT_EQ(ome["omero"]["channels"][1]["label"], "GFP");
  EXPECT_EQ(ome["omero"]["channels"][1]["window"]["max"], 65535);
  EXPECT_EQ(ome["image-label"], nlohmann::json::parse(R"({"colors": []})"));

  metadata.omero = R"({"channels": [{"label": "mine"}]})";
  options_.zarr_version = 2;
  options_.output = directory_ / "old.zarr";
  ome = read_json(make(source) / ".zattrs");
  EXPECT_EQ(ome["omero"], nlohmann::json::parse(R"({"channels": [{"label": "mine"}], "version": "0.4"})"));
  EXPECT_EQ(ome["image-label"]["version"], "0.4");
}

TEST_F(VolumeSets, BlocksAreAsWideAsStrips) {
  Generator random(onepass::testing::random_seed());
  MemoryVolumes source({200, 100, 40}, {}, random);
  const auto block = [&] {
    const auto passes = plan_passes(*plan_layout(options_, source.header()));
    return passes.ok() ? passes->front().block : VolumeSize{};
  };
  EXPECT_EQ(block(), (VolumeSize{64, 64, 64}));
  source.header_to_change().block = {200, 8, 1};  // strips
  EXPECT_EQ(block(), (VolumeSize{256, 64, 64}));
  source.header_to_change().block = {200, 100, 1};  // whole planes
  EXPECT_EQ(block(), (VolumeSize{256, 128, 64}));
  source.header_to_change().block = {32, 32, 32};
  EXPECT_EQ(block(), (VolumeSize{64, 64, 64}));
  options_.max_bytes = 150000;  // not enough for two blocks
  source.header_to_change().block = {200, 100, 1};
  EXPECT_EQ(block(), (VolumeSize{64, 64, 64}));
}

}  // namespace
}  // namespace volume_files_test
