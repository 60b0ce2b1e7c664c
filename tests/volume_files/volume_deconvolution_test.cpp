// volume_deconvolution_test.cpp: volumes that are deconvolved before their pyramid is made, against the library's
// deconvolution of the same voxels.
#include <atomic>
#include <cmath>
#include <limits>

#include "onepass/fourier_volume.hpp"
#include "tests/volume_files/volume_files_support.hpp"
#include "tests/volume_files/zarr_files.hpp"

namespace volume_files_test {
namespace {

using onepass::DeconvolutionAcceleration;
using onepass::DeconvolutionStart;
using onepass::VolumeDeconvolutionOptions;
using onepass::volumes::block_limits;
using onepass::volumes::VolumeFileDeconvolution;
using onepass::volumes::VolumeInput;
using onepass::volumes::VolumeProgress;

template <typename T>
onepass::cpu::VolumeView view_of(const Volume<T>& v) {
  const size_t row = v.size.width * sizeof(T);
  return {v.voxels.data(), row, row * v.size.height};
}

/// The library's result of a volume in memory.
template <typename T, typename Source, typename Kernel>
Volume<T> sharpened(const Volume<Source>& source, const Volume<Kernel>& kernel, const VolumeFileDeconvolution& d) {
  const VolumeDeconvolutionOptions o{.size = source.size,
                                     .source = onepass::testing::type_of<Source>(),
                                     .target = onepass::testing::type_of<T>(),
                                     .kernel_size = kernel.size,
                                     .kernel = onepass::testing::type_of<Kernel>(),
                                     .kernel_origin = d.kernel_origin,
                                     .iterations = d.iterations,
                                     .acceleration = d.acceleration,
                                     .start = d.start,
                                     .background = d.background};
  Volume<T> out(source.size, 1);
  const size_t row = source.size.width * sizeof(T);
  const auto done = onepass::cpu::deconvolve_volume(o, view_of(source), view_of(kernel),
                                                    {out.voxels.data(), row, row * source.size.height});
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  return out;
}

class VolumeDeconvolution : public VolumeFiles {
 protected:
  Volume<uint16_t> beads_{{40, 33, 26}, 1};
  Volume<float> psf_{{5, 4, 3}, 1};

  VolumeDeconvolution() {
    fill(beads_);
    for (uint32_t z = 0; z < 3; ++z) {
      for (uint32_t y = 0; y < 4; ++y) {
        for (uint32_t x = 0; x < 5; ++x) {
          psf_.at(x, y, z, 0) = std::exp(-0.4F * static_cast<float>(x + y)) / (1 + std::abs(static_cast<float>(z) - 1));
        }
      }
    }
  }

  /// Smooth structures with a bright bead now and then.
  static void fill(Volume<uint16_t>& v) {
    size_t i = 0;
    for (uint32_t z = 0; z < v.size.planes; ++z) {
      for (uint32_t y = 0; y < v.size.height; ++y) {
        for (uint32_t x = 0; x < v.size.width; ++x) {
          const double wave = std::sin(0.3 * x) + std::cos(0.21 * y + 0.17 * z);
          v.voxels[i] = static_cast<uint16_t>(300 + 90 * wave + (i % 977 == 5 ? 3000 : 0));
          ++i;
        }
      }
    }
  }

  template <typename T>
  VolumeInput kernel_file(const Volume<T>& kernel, const std::string& name = "psf.raw") {
    files_test::save(directory_ / name, std::as_bytes(std::span(kernel.voxels)));
    return {.path = directory_ / name,
            .raw = std::to_string(kernel.size.width) + "x" + std::to_string(kernel.size.height) + "x" +
                   std::to_string(kernel.size.planes) + ":" +
                   std::string(onepass::voxel_info(onepass::testing::type_of<T>()).name)};
  }

  /// The options of a deconvolution of beads_.
  VolumeFileOptions options(const std::string& output = "out.zarr") {
    VolumeFileOptions o = save(beads_, output);
    o.deconvolution = VolumeFileDeconvolution{.kernel = kernel_file(psf_), .iterations = 6};
    return o;
  }

  /// What a run has left besides its inputs.
  [[nodiscard]] std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      const std::string name = entry.path().filename();
      if (!name.ends_with(".raw") && !name.starts_with("in")) names.push_back(name);
    }
    return names;
  }

  template <typename T>
  static std::vector<T> voxels_of(const std::filesystem::path& output) {
    const ZarrVoxels found = read_zarr_array(output / "0");
    EXPECT_EQ(found.problem, "");
    std::vector<T> voxels(found.bytes.size() / sizeof(T));
    std::memcpy(voxels.data(), found.bytes.data(), found.bytes.size());
    return voxels;
  }
};

TEST_F(VolumeDeconvolution, LevelsAreThoseOfTheLibrarysResult) {
  VolumeFileOptions o = options();
  VolumeFileDeconvolution& d = *o.deconvolution;
  for (const auto acceleration : {DeconvolutionAcceleration::kNone, DeconvolutionAcceleration::kMomentum}) {
    for (const auto start : {DeconvolutionStart::kImage, DeconvolutionStart::kConstant}) {
      d.acceleration = acceleration;
      d.start = start;
      if (start == DeconvolutionStart::kImage) d.kernel_origin = onepass::VolumePoint{0, 3, 1};
      d.background = start == DeconvolutionStart::kImage ? 37.5F : 0;
      d.as_float = false;
      VolumeFileReport report = good(o);
      EXPECT_EQ(report.deconvolution_tiles, (VolumeSize{1, 1, 1}));
      EXPECT_EQ(report.progress.deconvolved, 1);
      EXPECT_TRUE(report.warnings.empty());
      expect_levels(report, o, sharpened<uint16_t>(beads_, psf_, d));
      d.as_float = true;
      report = good(o);
      EXPECT_EQ(report.type, onepass::VoxelType::kFloat32);
      expect_levels(report, o, sharpened<float>(beads_, psf_, d));
    }
  }
  EXPECT_EQ(left(), (std::vector<std::string>{"out.zarr"}));
}

// Blocks of all passes come from the deconvolved volume, and the source is read once.
TEST_F(VolumeDeconvolution, ManyBlocksOfOneDeconvolution) {
  block_limits.voxels = 1;
  VolumeFileOptions o = options();
  o.reduction = Reduction::kMax;
  const VolumeFileReport report = good(o);
  EXPECT_GT(report.progress.blocks, 5U);
  expect_levels(report, o, sharpened<uint16_t>(beads_, psf_, *o.deconvolution));
}

TEST_F(VolumeDeconvolution, EveryTypeOfVoxelsAndWeights) {
  const auto check = [&]<typename T>() {
    if constexpr (!std::is_same_v<T, uint64_t> && !std::is_same_v<T, onepass::testing::HalfBits>) {
      Volume<T> volume({20, 11, 9}, 1);
      Volume<T> kernel({3, 2, 3}, 1);
      for (size_t i = 0; i < volume.voxels.size(); ++i) volume.voxels[i] = static_cast<T>(20 + i * 7 % 101);
      for (size_t i = 0; i < kernel.voxels.size(); ++i) kernel.voxels[i] = static_cast<T>(1 + i * 5 % 13);
      VolumeFileOptions o = save(volume, "out.zarr");
      o.deconvolution = VolumeFileDeconvolution{.kernel = kernel_file(kernel), .iterations = 3};
      expect_levels(good(o), o, sharpened<T>(volume, kernel, *o.deconvolution));
    }
  };
  onepass::testing::with_every_type(check);
}

TEST_F(VolumeDeconvolution, TilesMakeNoVisibleDifference) {
  beads_ = Volume<uint16_t>({96, 80, 48}, 1);
  fill(beads_);
  VolumeFileOptions o = options();
  o.deconvolution->as_float = true;
  o.threads = 2;
  EXPECT_EQ(good(o).deconvolution_tiles, (VolumeSize{1, 1, 1}));
  const auto expected = voxels_of<float>(o.output);
  o.max_bytes = 4 << 20;
  o.deconvolution->halo = VolumeSize{8, 8, 8};
  const VolumeFileReport tiled = good(o);
  EXPECT_GT(tiled.deconvolution_tiles.width * tiled.deconvolution_tiles.height * tiled.deconvolution_tiles.planes, 1U);
  EXPECT_LE(tiled.planned_bytes, o.max_bytes);
  const auto found = voxels_of<float>(o.output);
  ASSERT_EQ(found.size(), expected.size());
  float most = 0;
  float brightest = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    most = std::max(most, std::abs(found[i] - expected[i]));
    brightest = std::max(brightest, expected[i]);
  }
  EXPECT_GT(most, 0);
  EXPECT_LT(most, 1e-3F * brightest);
  // The number of threads changes nothing, in tiles neither.
  const auto files = tree(o.output);
  o.threads = 7;
  EXPECT_EQ(good(o).deconvolution_tiles, tiled.deconvolution_tiles);
  EXPECT_TRUE(tree(o.output) == files);
  o.max_bytes = 1 << 20;
  o.deconvolution->halo = VolumeSize{40, 40, 40};
  bad(o, ErrorCode::kOutOfMemory, {"in.raw", "7/8 of the limit of 1 MiB", "the smallest tiles need"});
}

// Two channels, each with its point spread function, at two times.
TEST_F(VolumeDeconvolution, ChannelsAndTimes) {
  const ZarrFile file{.shape = {2, 2, 9, 10, 12}, .chunk = {1, 1, 4, 5, 6}};
  file.write(directory_ / "in.zarr");
  const ZarrFile kernels{.shape = {2, 3, 2, 3}, .chunk = {1, 3, 2, 3}};
  kernels.write(directory_ / "in_psf.zarr");
  const ZarrFile shared{.shape = {3, 2, 3}, .chunk = {3, 2, 3}};
  shared.write(directory_ / "in_shared.zarr");
  VolumeFileOptions o{.input = {.path = directory_ / "in.zarr"}, .output = directory_ / "out.zarr", .chunk = {8, 8, 8}};
  for (const bool own : {true, false}) {
    o.deconvolution = VolumeFileDeconvolution{.kernel = {.path = directory_ / (own ? "in_psf.zarr" : "in_shared.zarr")},
                                              .iterations = 2};
    good(o);
    const auto found = voxels_of<uint16_t>(o.output);
    ASSERT_EQ(found.size(), size_t{4} * 9 * 10 * 12);
    for (uint32_t t = 0; t < 2; ++t) {
      for (uint32_t c = 0; c < 2; ++c) {
        Volume<uint16_t> volume({12, 10, 9}, 1);
        Volume<uint16_t> kernel({3, 2, 3}, 1);
        for_each({9, 10, 12}, [&](const Position& at) {
          volume.at(at[2], at[1], at[0], 0) = static_cast<uint16_t>(file.element({t, c, at[0], at[1], at[2]}));
        });
        for_each({3, 2, 3}, [&](const Position& at) {
          kernel.at(at[2], at[1], at[0], 0) =
              static_cast<uint16_t>(own ? kernels.element({c, at[0], at[1], at[2]}) : shared.element(at));
        });
        const Volume<uint16_t> expected = sharpened<uint16_t>(volume, kernel, *o.deconvolution);
        EXPECT_EQ(std::memcmp(&found[(t * 2 + c) * expected.voxels.size()], expected.voxels.data(),
                              expected.voxels.size() * 2),
                  0)
            << own << t << c;
      }
    }
  }
  // Weights of the second channel are checked before the first one is deconvolved.
  ZarrFile dark = kernels;
  dark.left_out = [](const Position& block) { return block[0] == 1; };
  dark.write(directory_ / "in_dark.zarr");
  o.deconvolution->kernel.path = directory_ / "in_dark.zarr";
  int calls = 0;
  o.progress = [&](const VolumeProgress&) { return ++calls > 0; };
  bad(o, ErrorCode::kBadData, {"in_dark.zarr", "sum to 0"});
  EXPECT_EQ(calls, 0);
  o.deconvolution->kernel.path = directory_ / "in.zarr";
  bad(o, ErrorCode::kInvalidArgument, {"in.zarr", "has 2 times"});
  const ZarrFile three{.shape = {3, 3, 2, 3}, .chunk = {1, 3, 2, 3}};
  three.write(directory_ / "in_three.zarr");
  o.deconvolution->kernel.path = directory_ / "in_three.zarr";
  bad(o, ErrorCode::kInvalidArgument, {"in_three.zarr", "has 3 channels", "those of the volume: 2"});
}

TEST_F(VolumeDeconvolution, OtherVoxelSizesAreAWarning) {
  VolumeFileOptions o = options();
  const auto warnings = [&](std::optional<onepass::VoxelSize> volume, std::optional<onepass::VoxelSize> kernel) {
    o.input.voxel = volume;
    o.deconvolution->kernel.voxel = kernel;
    return good(o).warnings;
  };
  using Voxel = onepass::VoxelSize;
  EXPECT_TRUE(warnings({}, Voxel{1, 1, 1}).empty());
  EXPECT_TRUE(warnings(Voxel{1, 1, 1}, {}).empty());
  EXPECT_TRUE(warnings(Voxel{0.1, 0.1, 0.3}, Voxel{0.1005, 0.1, 0.3}).empty());
  const auto found = warnings(Voxel{0.1, 0.1, 0.3}, Voxel{0.1, 0.1, 0.25});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("psf.raw has voxels of 0.1x0.1x0.25 micrometres, the volume of 0.1x0.1x0.3"),
            std::string::npos)
      << found[0];
}

TEST_F(VolumeDeconvolution, SaysWhatIsWrong) {
  const VolumeFileOptions fine = options();
  const auto refuse = [&](const char* words, ErrorCode code, const std::function<void(VolumeFileOptions&)>& change) {
    SCOPED_TRACE(words);
    VolumeFileOptions o = fine;
    change(o);
    bad(o, code, {words});
    EXPECT_TRUE(left().empty()) << left().front();
  };
  const auto argument = ErrorCode::kInvalidArgument;
  refuse("iterations: 0", argument, [](auto& o) { o.deconvolution->iterations = 0; });
  refuse("iterations: 10001", argument, [](auto& o) { o.deconvolution->iterations = 10001; });
  refuse("kernel_origin: 5,0,0 is outside of 5x4x3", argument, [](auto& o) {
    o.deconvolution->kernel_origin = onepass::VolumePoint{5, 0, 0};
  });
  refuse("background: -1", argument, [](auto& o) { o.deconvolution->background = -1; });
  refuse("background: nan", argument, [](auto& o) { o.deconvolution->background = std::nanf(""); });
  refuse("acceleration: 9", argument,
         [](auto& o) { o.deconvolution->acceleration = static_cast<DeconvolutionAcceleration>(9); });
  refuse("shard: every shard would deconvolve the whole volume", argument, [](auto& o) { o.shard = {0, 2}; });
  refuse("merge: every shard", argument, [](auto& o) { o.merge = 2; });
  refuse("deconvolution: either a file", argument, [](auto& o) { o.deconvolution->kernel = {}; });
  refuse("deconvolution: either a file", argument, [](auto& o) { o.deconvolution->kernel.planes = "p{z}.tif"; });
  refuse("deconvolution: raw describes one file", argument, [](auto& o) {
    o.deconvolution->kernel.path.clear();
    o.deconvolution->kernel.planes = "p{z}.tif";
  });
  refuse("deconvolution: raw: '5x4:float32'", argument, [](auto& o) { o.deconvolution->kernel.raw = "5x4:float32"; });
  refuse("voxel: ", argument, [](auto& o) { o.deconvolution->kernel.voxel = onepass::VoxelSize{0, 1, 1}; });
  refuse("no.raw", ErrorCode::kNotFound, [&](auto& o) { o.deconvolution->kernel.path = directory_ / "no.raw"; });
  refuse("psf.raw: has 240 bytes", ErrorCode::kBadData, [](auto& o) { o.deconvolution->kernel.raw = "5x4x4:float32"; });
  refuse("psf.raw: is no volume that is read", ErrorCode::kUnsupported,
         [](auto& o) { o.deconvolution->kernel.raw.clear(); });
  refuse("deconvolution: voxels are uint64", argument, [](auto& o) {
    o.input.raw = "10x10x10:uint64";
    o.reduction = Reduction::kMode;
  });
  refuse("psf.raw: has uint64", ErrorCode::kUnsupported, [](auto& o) { o.deconvolution->kernel.raw = "5x2x3:uint64"; });
  refuse("in.raw: has 5x4x1000 voxels, more than the limit of", ErrorCode::kOutOfMemory, [&](auto& o) {
    o.deconvolution->kernel = {.path = directory_ / "in.raw", .raw = "5x4x1000:uint16"};
    o.max_bytes = 40000;
  });
  std::filesystem::resize_file(directory_ / "in.raw", 70000);
  refuse("in.raw: has 70000x1x1 voxels; a point spread function has up to 65535 per axis", ErrorCode::kUnsupported,
         [&](auto& o) {
           o.input.raw = "40x33x26:uint8";
           o.deconvolution->kernel = {.path = directory_ / "in.raw", .raw = "70000x1x1:uint8"};
         });
  refuse("size: 66000x1x1", argument, [](auto& o) { o.input.raw = "66000x1x1:uint8"; });
}

TEST_F(VolumeDeconvolution, BadWeightsAreNamedBeforeAnythingIsWritten) {
  VolumeFileOptions o = options();
  const auto refuse = [&](const std::vector<std::string>& words) {
    o.deconvolution->kernel = kernel_file(psf_);
    bad(o, ErrorCode::kBadData, words);
    EXPECT_TRUE(left().empty());
  };
  psf_.at(3, 2, 1, 0) = -1e-6F;
  refuse({"psf.raw: ", "point spread function", "voxel (3, 2, 1) is negative"});
  psf_.at(3, 2, 1, 0) = std::numeric_limits<float>::quiet_NaN();
  refuse({"psf.raw: ", "voxel (3, 2, 1) is not finite"});
  psf_.at(3, 2, 1, 0) = std::numeric_limits<float>::infinity();
  refuse({"psf.raw: ", "voxel (3, 2, 1) is not finite"});
  std::fill(psf_.voxels.begin(), psf_.voxels.end(), 0.0F);
  refuse({"psf.raw: ", "sum to 0"});
}

TEST_F(VolumeDeconvolution, InputsAreNotOutputs) {
  VolumeFileOptions o = options();
  std::filesystem::create_directory(o.output);
  std::filesystem::rename(directory_ / "psf.raw", o.output / "psf.raw");
  o.deconvolution->kernel.path = o.output / "psf.raw";
  bad(o, ErrorCode::kInvalidArgument, {"output:", "out.zarr", "psf.raw"});
  EXPECT_TRUE(std::filesystem::exists(o.output / "psf.raw"));
}

TEST_F(VolumeDeconvolution, ResumedRunsMakeTheSameBytes) {
  block_limits.voxels = 1;
  VolumeFileOptions o = options("whole.zarr");
  good(o);
  const auto files = tree(o.output);
  std::filesystem::remove_all(o.output);
  o = options();
  const auto work = onepass::tiles::unfinished_path(o.output);
  const auto interrupt = [&](double deconvolved) {
    std::atomic<bool> ends = false;
    o.progress = [&, deconvolved](const VolumeProgress& p) {
      if (p.deconvolved >= deconvolved) ends = true;
      return !ends;
    };
    bad(o, ErrorCode::kCancelled, {"interrupted", "out.zarr.unfinished"});
    EXPECT_FALSE(std::filesystem::exists(o.output));
    o.progress = {};
  };
  interrupt(0);
  EXPECT_TRUE(std::filesystem::exists(work / "deconvolved_0.part"));
  EXPECT_FALSE(std::filesystem::exists(work / "deconvolved_0"));
  bad(o, ErrorCode::kInvalidArgument, {"out.zarr.unfinished", "resume"});
  o.resume = true;
  const auto other = [&](const std::function<void(VolumeFileOptions&)>& change) {
    VolumeFileOptions changed = o;
    change(changed);
    bad(changed, ErrorCode::kInvalidArgument, {"out.zarr.unfinished", "other options"});
  };
  other([](auto& c) { c.deconvolution->iterations = 7; });
  other([](auto& c) { c.deconvolution->background = 1e-7F; });
  other([](auto& c) { c.deconvolution->kernel_origin = onepass::VolumePoint{1, 2, 1}; });
  other([](auto& c) { c.deconvolution->acceleration = DeconvolutionAcceleration::kMomentum; });
  other([](auto& c) { c.deconvolution->start = DeconvolutionStart::kConstant; });
  other([](auto& c) { c.deconvolution->halo = VolumeSize{1, 2, 3}; });
  other([](auto& c) { c.deconvolution->as_float = true; });
  other([](auto& c) { c.deconvolution.reset(); });
  Volume<float> wider = psf_;
  wider.voxels.back() *= 2;
  other([&](auto& c) { c.deconvolution->kernel = kernel_file(wider, "wider.raw"); });
  // The deconvolution ends, and no block is made.
  interrupt(1);
  ASSERT_TRUE(std::filesystem::exists(work / "deconvolved_0"));
  double least = 1;
  o.progress = [&](const VolumeProgress& p) {
    least = std::min(least, p.deconvolved);
    return true;
  };
  good(o);
  EXPECT_EQ(least, 1);  // the complete file was taken
  EXPECT_TRUE(tree(o.output) == files);
  EXPECT_EQ(left(), (std::vector<std::string>{"out.zarr"}));
}

}  // namespace
}  // namespace volume_files_test
