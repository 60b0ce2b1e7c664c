// volume_files_test.cpp: outputs of make_volume() against the definition, in any division into blocks.
#include <cmath>

#include "tests/volume_files/volume_files_support.hpp"

namespace volume_files_test {
namespace {

using onepass::testing::has;
using onepass::testing::kReductions;
using onepass::testing::random_seed;
using onepass::testing::random_volume;
using onepass::testing::with_every_type;
using onepass::volumes::block_limits;

constexpr VolumeCompression kCodecs[] = {
    VolumeCompression::kZstd,
    VolumeCompression::kNone,
#ifdef ONEPASS_HAS_BLOSC
    VolumeCompression::kBloscLz4,
    VolumeCompression::kBloscZstd,
#endif
};

TEST_F(VolumeFiles, EveryTypeAndReductionMatchesTheDefinition) {
  Generator random(random_seed());
  int round = 0;
  with_every_type([&]<typename T>() {
    for (const Reduction reduction : kReductions) {
      if (!has<T>(reduction)) continue;
      const VolumeSize size = {1 + below(random, 90), 1 + below(random, 70), 1 + below(random, 50)};
      const Volume<T> base = random_volume<T>(size, 1, random, below(random, 4));
      VolumeFileOptions o = save(base, "out.zarr");
      o.reduction = reduction;
      o.zarr_version = round % 3 == 0 ? 2 : 3;
      if (o.zarr_version == 2 || round % 3 == 1) o.shard_size = o.zarr_version == 2 ? VolumeSize{} : o.chunk;
      o.compression = kCodecs[round % std::size(kCodecs)];
      if (round % 4 == 1) o.steps = {{2, 2, 1}, {2, 2, 2}};
      block_limits.voxels = round % 5 == 0 ? uint64_t{1} << 30 : 1;
      expect_levels(good(o), o, base);
      ++round;
    }
  });
}

TEST_F(VolumeFiles, BlocksAndThreadsDoNotChangeTheBytes) {
  Generator random(random_seed());
  const Volume<float> base = random_volume<float>({150, 97, 66}, 1, random);
  VolumeFileOptions o = save(base, "whole.zarr");
  o.steps = {{2, 2, 1}, {2, 2, 2}};
  const VolumeFileReport whole = good(o);
  EXPECT_EQ(whole.progress.blocks, 1U);
  expect_levels(whole, o, base);
  const auto files = tree(o.output);
  o.output = directory_ / "blocks.zarr";
  for (const uint64_t voxels : {1, 1 << 16, 1 << 18}) {
    for (const uint32_t threads : {1, 3}) {
      block_limits.voxels = voxels;
      o.threads = threads;
      EXPECT_GT(good(o).progress.blocks, 3U);
      EXPECT_TRUE(tree(o.output) == files) << voxels << " " << threads;
    }
  }
}

TEST_F(VolumeFiles, SmallBlocksAtBordersKeepWideSums) {
  // Cells of 2^17 voxels, whose sums need 64 bits; those of the last block, 5 voxels, would fit into 32.
  constexpr uint32_t kBlock = 1U << 21;
  Volume<uint16_t> base({kBlock + 5, 1, 1}, 1);
  for (const uint32_t x : {0U, 1U, 70000U, kBlock - 1, kBlock, kBlock + 3}) base.at(x, 0, 0, 0) = 65535;
  VolumeFileOptions o = save(base, "out.zarr");
  o.chunk = {8, 1, 1};
  o.shard_size = {16, 1, 1};
  o.steps = {{2, 1, 1}};
  block_limits.voxels = kBlock;
  const VolumeFileReport report = good(o);
  EXPECT_EQ(report.block_level, 17U);
  EXPECT_EQ(report.progress.blocks, 3U);
  expect_levels(report, o, base);
}

TEST_F(VolumeFiles, ZeroChunksAreNotStored) {
  Volume<uint8_t> base({64, 40, 40}, 1);
  base.at(63, 39, 39, 0) = 255;
  VolumeFileOptions o = save(base, "out.zarr");
  o.reduction = Reduction::kMax;
  expect_levels(good(o), o, base);
  EXPECT_FALSE(std::filesystem::exists(o.output / "0/c/0/0/0"));
  EXPECT_TRUE(std::filesystem::exists(o.output / "0/c/2/2/3"));
  o.zarr_version = 2;
  o.shard_size = {};
  expect_levels(good(o), o, base);
  EXPECT_FALSE(std::filesystem::exists(o.output / "0/0/0/0"));
  EXPECT_TRUE(std::filesystem::exists(o.output / "0/4/4/7"));
}

TEST_F(VolumeFiles, MetadataSayWhereLevelsLie) {
  Generator random(random_seed());
  VolumeFileOptions o = save(random_volume<uint16_t>({40, 40, 16}, 1, random), "out.zarr");
  o.input.voxel = {.x = 0.5, .y = 0.5, .z = 2};
  const VolumeFileReport report = good(o);
  ASSERT_EQ(report.steps, (std::vector<VolumeStep>{{2, 2, 1}, {2, 2, 1}, {2, 2, 2}}));
  const auto ome = read_json(o.output / "zarr.json")["attributes"]["ome"];
  EXPECT_EQ(ome["version"], "0.5");
  const auto& image = ome["multiscales"][0];
  EXPECT_EQ(image["name"], "in");
  EXPECT_EQ(image["type"], "mean");
  EXPECT_EQ(image["metadata"]["method"], "onepass volume");
  ASSERT_EQ(image["axes"].size(), 3U);
  EXPECT_EQ(image["axes"][0]["name"], "z");
  EXPECT_EQ(image["axes"][2]["unit"], "micrometer");
  const auto& first = image["datasets"][0]["coordinateTransformations"];
  EXPECT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0]["scale"], (std::vector<double>{2, 0.5, 0.5}));
  const auto& last = image["datasets"][3]["coordinateTransformations"];
  EXPECT_EQ(last[0]["scale"], (std::vector<double>{4, 4, 4}));
  EXPECT_EQ(last[1]["translation"], (std::vector<double>{1, 1.75, 1.75}));
  EXPECT_EQ(read_json(o.output / "3/zarr.json")["chunk_grid"]["configuration"]["chunk_shape"],
            (std::vector<int>{8, 8, 8}));

  o.zarr_version = 2;
  o.shard_size = {};
  good(o);
  const auto old = read_json(o.output / ".zattrs");
  EXPECT_EQ(old["multiscales"][0]["version"], "0.4");
  EXPECT_EQ(old["multiscales"][0]["datasets"], image["datasets"]);
  EXPECT_EQ(read_json(o.output / "0/.zarray")["dimension_separator"], "/");
}

TEST_F(VolumeFiles, UsualChunksFollowTheNumberOfPlanes) {
  const auto chunk = [&](VolumeSize size) {
    VolumeFileOptions o = save(Volume<uint8_t>(size, 1), "out.zarr");
    o.chunk = o.shard_size = {};
    const VolumeFileReport report = good(o);
    EXPECT_EQ(report.shard_size.planes, 4 * report.chunk.planes);
    return report.chunk;
  };
  EXPECT_EQ(chunk({300, 20, 100}), (VolumeSize{64, 64, 64}));
  EXPECT_EQ(chunk({300, 20, 30}), (VolumeSize{64, 64, 32}));
  EXPECT_EQ(chunk({300, 20, 16}), (VolumeSize{128, 128, 16}));
  EXPECT_EQ(chunk({300, 20, 1}), (VolumeSize{512, 512, 1}));
}

TEST_F(VolumeFiles, LevelsAndStepsAreThoseOfTheOptions) {
  VolumeFileOptions o = save(Volume<uint8_t>({100, 60, 12}, 1), "out.zarr");
  const auto sizes = [&] { return good(o).sizes; };
  EXPECT_EQ(sizes().size(), 5U);
  o.levels = 2;
  EXPECT_EQ(sizes(), (std::vector<VolumeSize>{{100, 60, 12}, {50, 30, 6}}));
  o.levels = 1;
  EXPECT_EQ(sizes(), (std::vector<VolumeSize>{{100, 60, 12}}));
  o.levels = 0;
  o.steps = {{2, 2, 1}};
  EXPECT_EQ(sizes(), (std::vector<VolumeSize>{{100, 60, 12}, {50, 30, 12}, {25, 15, 12}, {13, 8, 12}, {7, 4, 12}}));
  o.steps = {{1, 1, 2}};
  o.levels = 5;
  EXPECT_EQ(sizes().back(), (VolumeSize{100, 60, 1}));
  o.levels = 6;
  bad(o, ErrorCode::kInvalidArgument, {"levels: 6 is more than the 5 that the steps make of 100x60x12"});
}

TEST_F(VolumeFiles, BadOptionsAreRefused) {
  const VolumeFileOptions plain = save(Volume<uint8_t>({30, 20, 10}, 1), "out.zarr");
  const auto refuse = [&](const auto& change, const std::string& message) {
    VolumeFileOptions o = plain;
    change(o);
    bad(o, ErrorCode::kInvalidArgument, {message});
  };
  refuse([](auto& o) { o.output = "out.tif"; }, "output: 'out.tif' does not end in .zarr");
  refuse([](auto& o) { o.input.path.clear(); }, "input: either a file or names of planes");
  refuse([](auto& o) { o.chunk = {8, 0, 8}; }, "chunk: 8x0x8 is not 1 to 4096 per axis");
  refuse([](auto& o) { o.shard_size = {16, 16, 12}; }, "shard_size: 16x16x12 is not a multiple of the chunk 8x8x8");
  refuse([](auto& o) { o.shard_size = {8 * 65, 8, 8}; }, "shard_size: 520x8x8 has more than 64 chunks per axis");
  refuse([](auto& o) { o.zarr_version = 2; }, "shard_size: 16x16x16, but Zarr 2 has one chunk per file");
  refuse([](auto& o) { o.zarr_version = 4; }, "zarr_version: 4 is neither 2 nor 3");
  refuse([](auto& o) { o.steps = {{1, 1, 1}}; }, "steps: 1x1x1 is not 1 or 2 per axis");
  refuse([](auto& o) { o.input.voxel = {1, 0, 2}; }, "voxel: 1.000000x0.000000x2.000000 is not positive and finite");
  refuse([](auto& o) { o.input.voxel = {1, 1, HUGE_VAL}; }, "voxel: 1.000000x1.000000xinf is not positive and finite");
  refuse([](auto& o) { o.reduction = Reduction::kMinMax; }, "reduction: choose mean, min, max or mode");
  refuse([](auto& o) { o.shard = {3, 3}; }, "shard: 3/3 is not 0/N");
  refuse([](auto& o) { o.input.raw = "30x20:uint8"; }, "raw: '30x20:uint8' is not XxYxZ:FORMAT");
  refuse([](auto& o) { o.input.raw = "30x20x10:uint9"; }, "raw: '30x20x10:uint9' is not XxYxZ:FORMAT");
  VolumeFileOptions o = plain;
  o.input.raw = "30x20x11:uint8";
  bad(o, ErrorCode::kBadData, {"in.raw", "has 6000 bytes; 30x20x11:uint8 needs 0 + 600 * 11 * 1"});
  o.input.raw = "15x20x10:float16";
  o.reduction = Reduction::kMode;
  bad(o, ErrorCode::kInvalidArgument, {"float16", "mode needs integers"});
  o = plain;
  o.max_bytes = 1 << 10;
  bad(o, ErrorCode::kOutOfMemory, {"blocks of 32x32x32 voxels need"});
  EXPECT_FALSE(std::filesystem::exists(plain.output));
}

TEST_F(VolumeFiles, RawVoxelsInEitherByteOrder) {
  Volume<uint16_t> base({3, 2, 2}, 1);
  for (size_t i = 0; i < base.voxels.size(); ++i) base.voxels[i] = static_cast<uint16_t>(i * 0x0101 + 7);
  VolumeFileOptions o = save(base, "out.zarr");
  std::vector<std::byte> bytes(5, std::byte{0xEE});
  for (const uint16_t voxel : base.voxels) {
    bytes.push_back(static_cast<std::byte>(voxel >> 8));
    bytes.push_back(static_cast<std::byte>(voxel & 0xFF));
  }
  files_test::save(o.input.path, bytes);
  o.input.raw = "3x2x2:uint16:be+5";
  expect_levels(good(o), o, base);
}

}  // namespace
}  // namespace volume_files_test
