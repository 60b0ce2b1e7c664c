// cpu_volume_deconvolution_test.cpp: Richardson-Lucy of volumes against its definition in double, tiles against the
// whole volume, and what all functions of volumes share: threads, progress, errors.
#include <cstring>

#include "cpu/progress_watch.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/fourier/volume_fourier_testing.hpp"

namespace volume_fourier_test {
namespace {

VolumeDeconvolutionOptions deconvolution(VolumeSize size, VolumeSize kernel, uint32_t iterations) {
  return {.size = size, .kernel_size = kernel, .iterations = iterations};
}

Cube run(const VolumeDeconvolutionOptions& options, const Cube& a, const Cube& kernel, uint32_t threads = 0) {
  Floats out(a.size, 1);
  expect_done(
      cpu::deconvolve_volume(options, Floats(a, 2).view(), Floats(kernel).view(), out.out(), {.threads = threads}));
  return out.cube();
}

/// Richardson-Lucy from its definition: the estimate has kernel - 1 voxels more than the volume, per axis.
Cube reference(const VolumeDeconvolutionOptions& o, const Cube& g, const Cube& kernel, Point origin) {
  const VolumeSize n = g.size, k = kernel.size;
  const Cube h = unit_sum(kernel);
  Cube x(VolumeSize{n.width + k.width - 1, n.height + k.height - 1, n.planes + k.planes - 1});
  const Point margin = {k.width - 1 - origin.x, k.height - 1 - origin.y, k.planes - 1 - origin.z};
  const double unit = std::exp2(std::floor(std::log2(largest(g))));
  const auto blur = [&](const Cube& from) { return convolve(from, h, origin, Boundary::kZero, margin, n); };
  const auto adjoint = [&](const Cube& from) {
    Cube out(x.size);
    each(n, [&](int64_t u, int64_t v, int64_t w) {
      each(k, [&](int64_t i, int64_t j, int64_t l) {
        out.at(u + k.width - 1 - i, v + k.height - 1 - j, w + k.planes - 1 - l) += h.at(i, j, l) * from.at(u, v, w);
      });
    });
    return out;
  };
  each(x.size, [&](int64_t u, int64_t v, int64_t w) {
    const double near =
        g.at(std::clamp<int64_t>(u - margin.x, 0, n.width - 1), std::clamp<int64_t>(v - margin.y, 0, n.height - 1),
             std::clamp<int64_t>(w - margin.z, 0, n.planes - 1));
    x.at(u, v, w) = o.start == DeconvolutionStart::kConstant ? unit : std::max(near - o.background, 1e-6 * unit);
  });
  Cube ones(n);
  std::fill(ones.v.begin(), ones.v.end(), 1.0);
  const Cube share = adjoint(ones);
  const bool constant = o.start == DeconvolutionStart::kConstant;
  for (size_t v = 0; constant && v < x.v.size(); ++v) {
    if (share.v[v] < 1e-3) x.v[v] = 1e-6 * unit;
  }
  Cube previous = x;
  for (uint32_t i = 1; i <= o.iterations; ++i) {
    Cube from = x;
    const bool moves = o.acceleration != DeconvolutionAcceleration::kNone && !(constant && i == 2);
    const double momentum = moves ? (i - 1.0) / (i + 2.0) : 0;
    for (size_t v = 0; v < x.v.size(); ++v)
      from.v[v] = std::max(x.v[v] + momentum * (x.v[v] - previous.v[v]), 1e-6 * unit);
    if (momentum == 0) from = x;
    Cube ratio = blur(from);
    for (size_t v = 0; v < g.v.size(); ++v) ratio.v[v] = g.v[v] / (ratio.v[v] + o.background);
    const Cube correction = adjoint(ratio);
    previous = x;
    for (size_t v = 0; v < x.v.size(); ++v) {
      x.v[v] = share.v[v] < 1e-3 ? from.v[v] : from.v[v] * correction.v[v] / share.v[v];
    }
  }
  Cube out(n);
  each(n, [&](int64_t u, int64_t v, int64_t w) { out.at(u, v, w) = x.at(u + margin.x, v + margin.y, w + margin.z); });
  return out;
}

TEST(CpuVolumeFourier, RichardsonLucyMatchesTheDefinition) {
  for (const VolumeSize kernel_size : {VolumeSize{4, 3, 5}, {1, 1, 1}, {9, 12, 2}}) {
    const Cube kernel = streak(kernel_size);
    const Cube g = noise({10, 9, 7}, 8, 3, 50);
    for (const auto start : {DeconvolutionStart::kImage, DeconvolutionStart::kConstant}) {
      for (const auto acceleration : {DeconvolutionAcceleration::kNone, DeconvolutionAcceleration::kMomentum}) {
        for (const float background : {0.0F, 2.5F}) {
          SCOPED_TRACE(::testing::Message()
                       << kernel_size.width << ", start " << static_cast<int>(start) << ", acceleration "
                       << static_cast<int>(acceleration) << ", background " << background);
          VolumeDeconvolutionOptions options = deconvolution(g.size, kernel_size, 7);
          options.start = start;
          options.acceleration = acceleration;
          options.background = background;
          options.kernel_origin = VolumePoint{kernel_size.width / 3, kernel_size.height / 2, kernel_size.planes - 1};
          const Point origin = {kernel_size.width / 3, kernel_size.height / 2, kernel_size.planes - 1};
          const Cube expected = reference(options, g, kernel, origin);
          EXPECT_LT(difference(run(options, g, kernel), expected), 1e-4 * largest(expected));
        }
      }
    }
  }
}

/// Spheres and a wall that leaves the volume: voxels 4 and more beyond the edges count, too.
Cube phantom(VolumeSize size, uint32_t margin) {
  Cube cube(VolumeSize{size.width + 2 * margin, size.height + 2 * margin, size.planes + 2 * margin});
  each(cube.size, [&](int64_t x, int64_t y, int64_t z) {
    const auto u = static_cast<double>(x - margin), v = static_cast<double>(y - margin),
               w = static_cast<double>(z - margin);
    double value = 20;
    for (int s = 0; s < 6; ++s) {
      const double dx = u - (7.3 * s + 2), dy = v - (5.1 * s + 3), dz = w - (3.7 * s + 1);
      if (dx * dx + dy * dy + dz * dz < 12) value = 200 + 30 * s;
    }
    if (u > size.width - 5.0) value = 120;
    cube.at(x, y, z) = value;
  });
  return cube;
}

struct Scene {
  Cube truth, blurred, kernel;
};

/// A phantom, blurred with the content beyond its edges.
Scene scene(VolumeSize size, VolumeSize kernel_size) {
  Scene s;
  s.kernel = Cube(kernel_size);
  each(kernel_size, [&](int64_t x, int64_t y, int64_t z) {
    const double dx = real(x) - 0.5 * (kernel_size.width - 1), dy = real(y) - 0.5 * (kernel_size.height - 1);
    const double dz = real(z) - 0.5 * (kernel_size.planes - 1);
    s.kernel.at(x, y, z) = std::exp(-(dx * dx + dy * dy) / 3 - dz * dz / 5);
  });
  s.kernel = unit_sum(s.kernel);
  const uint32_t margin = 8;
  const Cube wide = phantom(size, margin);
  const Point origin = {kernel_size.width / 2, kernel_size.height / 2, kernel_size.planes / 2};
  s.blurred = convolve(wide, s.kernel, origin, Boundary::kClamp, {margin, margin, margin}, size);
  s.truth = Cube(size);
  each(size,
       [&](int64_t x, int64_t y, int64_t z) { s.truth.at(x, y, z) = wide.at(x + margin, y + margin, z + margin); });
  return s;
}

TEST(CpuVolumeFourier, KnownBlurIsRemoved) {
  const Scene s = scene({36, 30, 22}, {7, 7, 9});
  VolumeDeconvolutionOptions options = deconvolution(s.truth.size, s.kernel.size, 40);
  const double before = rms(s.blurred, s.truth);
  const double plain = rms(run(options, s.blurred, s.kernel), s.truth);
  options.acceleration = DeconvolutionAcceleration::kMomentum;
  const double accelerated = rms(run(options, s.blurred, s.kernel), s.truth);
  EXPECT_LT(plain, 0.8 * before);
  EXPECT_LT(accelerated, 0.95 * plain);
}

// A constant volume stays constant up to its corners: edges do not ring.
TEST(CpuVolumeFourier, EdgesOfAFlatVolumeStayFlat) {
  Cube flat({20, 16, 12});
  std::fill(flat.v.begin(), flat.v.end(), 40.0);
  const Cube kernel = streak({6, 5, 7});
  for (const auto acceleration : {DeconvolutionAcceleration::kNone, DeconvolutionAcceleration::kMomentum}) {
    VolumeDeconvolutionOptions options = deconvolution(flat.size, kernel.size, 30);
    options.acceleration = acceleration;
    EXPECT_LT(difference(run(options, flat, kernel), flat), 40 * 3e-4);
  }
}

VolumeDeconvolutionOptions in_tiles(VolumeDeconvolutionOptions options) {
  options.max_bytes = plan_volume_deconvolution(options)->memory_bytes / 2;
  options.halo = VolumeSize{8, 8, 8};
  return options;
}

TEST(CpuVolumeFourier, TilesHaveNoSeams) {
  const Scene s = scene({60, 44, 26}, {7, 7, 5});
  for (const auto start : {DeconvolutionStart::kImage, DeconvolutionStart::kConstant}) {
    for (const auto acceleration : {DeconvolutionAcceleration::kNone, DeconvolutionAcceleration::kMomentum}) {
      for (const float background : {0.0F, 10.0F}) {
        SCOPED_TRACE(::testing::Message() << "start " << static_cast<int>(start) << ", acceleration "
                                          << static_cast<int>(acceleration) << ", background " << background);
        VolumeDeconvolutionOptions options = deconvolution(s.truth.size, s.kernel.size, 15);
        options.start = start;
        options.acceleration = acceleration;
        options.background = background;
        const Cube whole = run(options, s.blurred, s.kernel);
        options = in_tiles(options);
        const auto plan = plan_volume_deconvolution(options);
        ASSERT_TRUE(plan) << plan.error().text();
        EXPECT_GT(plan->tiles.width * plan->tiles.height * plan->tiles.planes, 1U);
        const Cube tiled = run(options, s.blurred, s.kernel);
        // Momentum reaches farther with as many iterations: in a volume this small, whose tiles are mostly halo.
        const double most = acceleration == DeconvolutionAcceleration::kNone ? 1e-3 : 1e-2;
        EXPECT_LT(difference(tiled, whole), most * largest(whole));
        EXPECT_GT(difference(tiled, whole), 0);
      }
    }
  }
}

TEST(CpuVolumeFourier, FunctionsReadAndWriteTheSameTiles) {
  const Scene s = scene({60, 44, 26}, {7, 7, 5});
  VolumeDeconvolutionOptions options = in_tiles(deconvolution(s.truth.size, s.kernel.size, 15));
  const Cube tiled = run(options, s.blurred, s.kernel);
  const auto in_memory = plan_volume_deconvolution(options);
  ASSERT_TRUE(in_memory) << in_memory.error().text();
  const uint64_t copies =
      uint64_t{in_memory->measured.width} * in_memory->measured.height * in_memory->measured.planes * sizeof(float) +
      uint64_t{in_memory->tile.width} * in_memory->tile.height * sizeof(float);
  options.max_bytes = in_memory->memory_bytes + copies;
  const auto plan = plan_volume_deconvolution(options, VolumeAccess::kFunctions);
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_EQ(plan->tile, in_memory->tile);
  Floats in(s.blurred);
  Floats out(s.blurred.size);
  int writes = 0;
  const auto read = [&](VolumePoint first, VolumeSize size, const cpu::MutableVolumeView& voxels) -> Result<void> {
    EXPECT_EQ(size, plan->measured);
    each(size, [&](int64_t x, int64_t y, int64_t z) {
      std::memcpy(static_cast<char*>(voxels.data) + static_cast<size_t>(z) * voxels.plane_stride +
                      static_cast<size_t>(y) * voxels.row_stride + 4 * static_cast<size_t>(x),
                  &in.at(x + first.x, y + first.y, z + first.z), 4);
    });
    return {};
  };
  const auto write = [&](VolumePoint first, VolumeSize size, const cpu::VolumeView& voxels) -> Result<void> {
    ++writes;
    EXPECT_EQ(size.planes, 1U);
    each(size, [&](int64_t x, int64_t y, int64_t /*z*/) {
      std::memcpy(&out.at(x + first.x, y + first.y, first.z),
                  static_cast<const char*>(voxels.data) + static_cast<size_t>(y) * voxels.row_stride +
                      4 * static_cast<size_t>(x),
                  4);
    });
    return {};
  };
  expect_done(cpu::deconvolve_volume(options, read, Floats(s.kernel).view(), write));
  EXPECT_EQ(difference(out.cube(), tiled), 0);

  // Of a run that is cancelled while it writes, no plane is written that has not been stored.
  cpu::ProgressWatch::interval = std::chrono::milliseconds(0);
  writes = 0;
  const auto cancelled = cpu::deconvolve_volume(options, read, Floats(s.kernel).view(), write,
                                                {.progress = [&](double) { return writes == 0; }});
  cpu::ProgressWatch::interval = std::chrono::milliseconds(100);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(writes, 1);

  const auto failed = cpu::deconvolve_volume(
      options,
      [](VolumePoint, VolumeSize, const cpu::MutableVolumeView&) -> Result<void> {
        return Error{ErrorCode::kIo, "gone", "disk"};
      },
      Floats(s.kernel).view(), write);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kIo);
}

TEST(CpuVolumeFourier, BadVoxelsCountAsZeroOrTheLargest) {
  Cube g = noise({12, 10, 8}, 9, 1, 2);
  const Cube kernel = streak({3, 3, 3});
  const VolumeDeconvolutionOptions options = deconvolution(g.size, kernel.size, 5);
  g.at(4, 5, 3) = 0;
  const Cube expected = run(options, g, kernel);
  g.at(4, 5, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(difference(run(options, g, kernel), expected), 0);
  g.at(4, 5, 3) = -5;
  EXPECT_EQ(difference(run(options, g, kernel), expected), 0);
  g.at(4, 5, 3) = std::numeric_limits<double>::infinity();
  for (const double value : run(options, g, kernel).v) ASSERT_FALSE(std::isnan(value));
  std::fill(g.v.begin(), g.v.end(), 0.0);
  for (const double value : run(options, g, kernel).v) ASSERT_LT(std::abs(value), 1e-30);
}

// The unit of the volume does not matter: powers of two give the same bits.
TEST(CpuVolumeFourier, UnitDoesNotMatter) {
  Cube g = noise({12, 10, 8}, 10, 1, 2);
  const Cube kernel = streak({3, 3, 3});
  const VolumeDeconvolutionOptions options = deconvolution(g.size, kernel.size, 5);
  Cube expected = run(options, g, kernel);
  for (double& value : g.v) value *= 0x1p-70;
  for (double& value : expected.v) value *= 0x1p-70;
  EXPECT_EQ(difference(run(options, g, kernel), expected), 0);
}

TEST(CpuVolumeFourier, ThreadsAndTargetsGiveTheSameBits) {
  const onepass::testing::SevenThreads seven;
  const Scene s = scene({37, 33, 18}, {5, 4, 6});
  VolumeDeconvolutionOptions options = deconvolution(s.truth.size, s.kernel.size, 3);
  options.acceleration = DeconvolutionAcceleration::kMomentum;
  const auto results = [&](uint32_t threads) {
    const cpu::VolumeTuning tuning{.threads = threads};
    std::vector<Cube> all = {run(options, s.blurred, s.kernel, threads)};
    Floats convolved(s.truth.size);
    VolumeConvolutionOptions mirrored = convolution(s.truth, s.kernel);
    mirrored.boundary = Boundary::kMirror;
    expect_done(
        cpu::convolve_volume(mirrored, Floats(s.truth).view(), Floats(s.kernel).view(), convolved.out(), tuning));
    all.push_back(convolved.cube());
    const VolumeTransformOptions transform{.size = s.truth.size};
    Floats spectrum(VolumeSize{2 * (37 / 2 + 1), 33, 18});
    expect_done(cpu::transform_volume(transform, Floats(s.truth).view(), std::as_writable_bytes(std::span(spectrum.v)),
                                      tuning));
    all.push_back(spectrum.cube());
    Floats again(s.truth.size);
    expect_done(cpu::inverse_transform_volume(transform, std::as_bytes(std::span(spectrum.v)), again.out(), tuning));
    all.push_back(again.cube());
    return all;
  };
  const auto expected = results(1);
  const auto expect_same = [&](uint32_t threads) {
    const auto made = results(threads);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(difference(made[i], expected[i]), 0) << i << ", threads " << threads;
  };
  expect_same(2);
  expect_same(7);
  onepass::testing::on_every_simd_target([&](const char* target) {
    SCOPED_TRACE(target);
    expect_same(2);
  });
}

TEST(CpuVolumeFourier, ReportsProgressAndIsCancelled) {
  cpu::ProgressWatch::interval = std::chrono::milliseconds(0);
  const Scene s = scene({24, 20, 10}, {3, 3, 3});
  const VolumeDeconvolutionOptions options = deconvolution(s.truth.size, s.kernel.size, 4);
  Floats out(s.truth.size);
  std::vector<double> fractions;
  const auto call = [&](bool go_on) {
    fractions.clear();
    return cpu::deconvolve_volume(options, Floats(s.blurred).view(), Floats(s.kernel).view(), out.out(),
                                  {.threads = 1, .progress = [&, go_on](double fraction) {
                                     fractions.push_back(fraction);
                                     return go_on || fraction < 0.5;
                                   }});
  };
  expect_done(call(true));
  ASSERT_GT(fractions.size(), 20U);
  for (size_t i = 1; i < fractions.size(); ++i) EXPECT_GE(fractions[i], fractions[i - 1]);
  EXPECT_GT(fractions[fractions.size() - 2], 0.95);
  EXPECT_EQ(fractions.back(), 1.0);
  const auto cancelled = call(false);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kCancelled);
  EXPECT_LT(fractions.back(), 0.6);
  cpu::ProgressWatch::interval = std::chrono::milliseconds(100);
}

// The microscope's volume of 2 GB is deconvolved in less memory than it has.
TEST(CpuVolumeFourier, TilesKeepTheMemory) {
  VolumeDeconvolutionOptions options = deconvolution({2048, 2048, 256}, {64, 64, 64}, 20);
  options.source = options.target = VoxelType::kUint16;
  options.acceleration = DeconvolutionAcceleration::kMomentum;
  for (const uint64_t most : {uint64_t{600} << 20, uint64_t{1} << 30, uint64_t{3} << 30}) {
    options.max_bytes = most;
    const auto plan = plan_volume_deconvolution(options);
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_LE(plan->memory_bytes, most);
    EXPECT_GT(plan->memory_bytes, most / 2);
    EXPECT_GE(plan->tiles.width * plan->tile.width, 2048U);
    EXPECT_GE(plan->domain.width, plan->estimate.width);
  }
  options.max_bytes = 1 << 20;
  const auto refused = plan_volume_deconvolution(options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("max_bytes: 1048576"), std::string::npos) << refused.error().text();
}

std::string refusal(const VolumeDeconvolutionOptions& options) {
  const auto plan = plan_volume_deconvolution(options);
  return plan ? "" : plan.error().text();
}

TEST(CpuVolumeFourier, SaysWhatIsWrong) {
  const VolumeDeconvolutionOptions good = deconvolution({8, 7, 6}, {3, 3, 3}, 2);
  const auto expect_refusal = [&](const char* field, const std::function<void(VolumeDeconvolutionOptions&)>& change) {
    VolumeDeconvolutionOptions options = good;
    change(options);
    EXPECT_NE(refusal(options).find(field), std::string::npos) << field << ": " << refusal(options);
  };
  EXPECT_EQ(refusal(good), "");
  expect_refusal("size", [](auto& o) { o.size.planes = 0; });
  expect_refusal("size", [](auto& o) { o.size.width = 65536; });
  expect_refusal("kernel_size", [](auto& o) { o.kernel_size.height = 0; });
  expect_refusal("kernel_origin", [](auto& o) { o.kernel_origin = VolumePoint{0, 0, 3}; });
  expect_refusal("iterations", [](auto& o) { o.iterations = 0; });
  expect_refusal("background", [](auto& o) { o.background = -1; });
  expect_refusal("background", [](auto& o) { o.background = std::nanf(""); });
  expect_refusal("source", [](auto& o) { o.source = VoxelType::kUint64; });
  expect_refusal("target", [](auto& o) { o.target = VoxelType::kUint64; });
  expect_refusal("kernel", [](auto& o) { o.kernel = static_cast<VoxelType>(99); });
  expect_refusal("acceleration", [](auto& o) { o.acceleration = static_cast<DeconvolutionAcceleration>(2); });

  const Cube a = noise(good.size, 11);
  Floats out(a.size);
  Cube kernel = streak({3, 3, 3});
  const auto code = [&] {
    const auto done = cpu::deconvolve_volume(good, Floats(a).view(), Floats(kernel).view(), out.out());
    return done ? ErrorCode::kIo : done.error().code;
  };
  kernel.at(1, 1, 1) = -0.1;
  EXPECT_EQ(code(), ErrorCode::kBadData);
  kernel.at(1, 1, 1) = std::nan("");
  EXPECT_EQ(code(), ErrorCode::kBadData);
  kernel = Cube({3, 3, 3});
  EXPECT_EQ(code(), ErrorCode::kBadData);
  const auto null = cpu::deconvolve_volume(good, {}, Floats(kernel).view(), out.out());
  EXPECT_EQ(null.error().code, ErrorCode::kInvalidArgument);
  const auto narrow = cpu::convolve_volume({.size = a.size, .kernel_size = {3, 3, 3}}, {out.v.data(), 8, 80},
                                           Floats(kernel).view(), out.out());
  EXPECT_EQ(narrow.error().code, ErrorCode::kInvalidArgument);
  const auto flat = cpu::deconvolve_volume(good, {out.v.data(), 32, 223}, Floats(kernel).view(), out.out());
  EXPECT_EQ(flat.error().message, "source: plane_stride 223, a plane has 224 bytes");
  std::vector<std::byte> spectrum(8);
  EXPECT_EQ(cpu::transform_volume({.size = a.size}, Floats(a).view(), spectrum).error().code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace volume_fourier_test
