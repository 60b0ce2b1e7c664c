// cpu_deconvolution_test.cpp: known blurs are undone; both methods match references in double.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "onepass/fourier_deconvolution.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/fourier/fourier_ops_oracle.hpp"

namespace fourier_ops_test {
namespace {

using namespace onepass;

DeconvolutionOptions basic(const Plane& image, const Plane& kernel) {
  return {.size = {static_cast<uint32_t>(image.w), static_cast<uint32_t>(image.h)},
          .source = Format::kR32Sfloat,
          .kernel_size = {static_cast<uint32_t>(kernel.w), static_cast<uint32_t>(kernel.h)},
          .kernel = Format::kR32Sfloat};
}

Image run(const DeconvolutionOptions& options, const Image& image, const Image& kernel, uint32_t threads = 0) {
  auto deconvolver = cpu::Deconvolver::create(options, {.threads = threads});
  EXPECT_TRUE(deconvolver) << (deconvolver ? "" : deconvolver.error().text());
  if (!deconvolver) return {};
  auto target = Image::create(deconvolver->plan().options.target, options.size, options.slices);
  auto done = deconvolver->set_kernel(kernel.view());
  if (done) done = deconvolver->deconvolve(image.view(), target->view());
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  return std::move(*target);
}

Plane run(const DeconvolutionOptions& options, const Plane& image, const Plane& kernel) {
  return plane_of(run(options, image_of({image}, Format::kR32Sfloat), image_of({kernel}, Format::kR32Sfloat)), 0);
}

Plane unit_sum(Plane kernel) {
  double sum = 0;
  for (const double w : kernel.v) sum += w;
  for (double& w : kernel.v) w /= sum;
  return kernel;
}

// An asymmetric kernel, so that errors of orientation or origin show.
Plane streak(int w, int h) {
  Plane kernel(w, h);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) kernel.at(x, y) = static_cast<float>(std::exp(-std::abs(x - y) - 0.3 * x));
  }
  return kernel;
}

// A large scene with edges, a blob and dark areas, from which frames are cut.
Plane scene(int w, int h) {
  Plane plane(w, h);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const bool square = (x / 9 + y / 7) % 3 == 0;
      const double dx = x - 0.6 * w, dy = y - 0.4 * h;
      plane.at(x, y) = (square ? 0.8 : 0.1) + std::exp(-(dx * dx + dy * dy) / 60);
    }
  }
  return plane;
}

// Reference: the Wiener filter on a cyclic domain, with the kernel wrapped around (0, 0).
Plane wiener(const Plane& domain, const Plane& kernel, int ox, int oy, double noise, WienerPrior prior) {
  Plane around(domain.w, domain.h);
  for (int j = 0; j < kernel.h; ++j) {
    for (int i = 0; i < kernel.w; ++i) {
      around.at((i - ox + domain.w) % domain.w, (j - oy + domain.h) % domain.h) += kernel.at(i, j);
    }
  }
  const Spectrum h = transform(around);
  Spectrum g = transform(domain);
  for (int ky = 0; ky < domain.h; ++ky) {
    for (int kx = 0; kx < domain.w; ++kx) {
      const auto at = static_cast<size_t>(ky * domain.w + kx);
      const double sx = std::sin(std::numbers::pi * kx / domain.w), sy = std::sin(std::numbers::pi * ky / domain.h);
      const double p = prior == WienerPrior::kFlat ? (at == 0 ? 0 : 1) : std::pow(4 * (sx * sx + sy * sy), 2);
      g[at] *= std::conj(h[at]) / (std::norm(h[at]) + noise * p);
    }
  }
  return inverse(g, domain.w, domain.h);
}

TEST(Wiener, IsTheDefinition) {
  const Plane image = scene(40, 27);
  for (const WienerPrior prior : {WienerPrior::kFlat, WienerPrior::kLaplacian}) {
    for (const DeconvolutionEdges edges : {DeconvolutionEdges::kMirror, DeconvolutionEdges::kWrap}) {
      for (const auto& origin : {std::pair{3, 2}, {0, 4}}) {
        const Plane kernel = streak(6, 5);
        DeconvolutionOptions o = basic(image, kernel);
        o.prior = prior;
        o.edges = edges;
        o.noise = 0.02F;
        o.kernel_origin = Offset{origin.first, origin.second};
        const bool mirror = edges == DeconvolutionEdges::kMirror;
        const Plane domain = mirror ? extend(image, 80, 54, 0, 0, Boundary::kMirror) : image;
        const Plane all = wiener(domain, unit_sum(kernel), origin.first, origin.second, o.noise, prior);
        EXPECT_LE(difference(run(o, image, kernel), crop(all, 0, 0, 40, 27)), 2e-5)
            << static_cast<int>(prior) << static_cast<int>(edges);
      }
    }
  }
}

TEST(Wiener, InvertsABlurThatLosesNothing) {
  const Plane sharp = scene(48, 36);
  Plane kernel(3, 3);
  kernel.v = {0, 0.1, 0, 0.1, 0.6, 0.1, 0, 0.1, 0};
  const Plane blurred = convolve(sharp, kernel, 1, 1, Boundary::kWrap, 0, 0, 48, 36);
  DeconvolutionOptions o = basic(sharp, kernel);
  o.edges = DeconvolutionEdges::kWrap;
  o.noise = 0;
  EXPECT_LE(difference(run(o, blurred, kernel), sharp), 1e-5);
}

TEST(Wiener, LostFrequenciesStayEmpty) {
  const Plane sharp = scene(32, 32);
  Plane kernel(4, 4);
  kernel.v.assign(16, 1.0);  // a box: its spectrum has zeros
  const Plane blurred = convolve(sharp, unit_sum(kernel), 2, 2, Boundary::kWrap, 0, 0, 32, 32);
  DeconvolutionOptions o = basic(sharp, kernel);
  o.edges = DeconvolutionEdges::kWrap;
  o.noise = 0;
  const Plane made = run(o, blurred, kernel);
  EXPECT_LT(largest(made), 3) << "finite, and not blown up";
  EXPECT_LT(rms_difference(made, sharp), rms_difference(blurred, sharp));
}

TEST(Wiener, KeepsTheMean) {
  Plane image(20, 20);
  image.v.assign(400, 0.7);
  const Plane kernel = streak(5, 5);
  for (const DeconvolutionEdges edges :
       {DeconvolutionEdges::kMirror, DeconvolutionEdges::kTaper, DeconvolutionEdges::kWrap}) {
    DeconvolutionOptions o = basic(image, kernel);
    o.edges = edges;
    o.noise = 0.5F;
    EXPECT_LE(difference(run(o, image, kernel), image), 1e-5) << static_cast<int>(edges);
  }
}

// A frame cut from a larger scene that was blurred first, as by a camera: texels outside the frame blur into it.
struct Frame {
  Plane sharp, blurred, kernel;
};

Frame make_frame() {
  const Plane kernel = unit_sum(streak(9, 9));
  const Plane whole = scene(110, 90);
  return {crop(whole, 20, 20, 70, 50), convolve(whole, kernel, 4, 4, Boundary::kZero, 20, 20, 70, 50), kernel};
}

TEST(Deconvolution, SharpensFramesOfAScene) {
  const Frame frame = make_frame();
  const double before = rms_difference(frame.blurred, frame.sharp);
  const auto after = [&](DeconvolutionMethod method, DeconvolutionEdges edges) {
    DeconvolutionOptions o = basic(frame.sharp, frame.kernel);
    o.method = method;
    o.edges = edges;
    o.noise = 0.003F;
    o.iterations = 40;
    return rms_difference(run(o, frame.blurred, frame.kernel), frame.sharp);
  };
  EXPECT_LT(after(DeconvolutionMethod::kWiener, DeconvolutionEdges::kMirror), 0.75 * before);
  EXPECT_LT(after(DeconvolutionMethod::kWiener, DeconvolutionEdges::kTaper), 0.75 * before);
  const double unknown = after(DeconvolutionMethod::kRichardsonLucy, DeconvolutionEdges::kUnknown);
  EXPECT_LT(unknown, 0.5 * before);
  EXPECT_LT(unknown, after(DeconvolutionMethod::kRichardsonLucy, DeconvolutionEdges::kWrap)) << "margins are worth it";
}

// A frame of texture, blurred by motion: mirrored, the content beyond the edges contradicts the blur.
TEST(Deconvolution, DefaultEdgesSuitFramesBlurredByMotion) {
  std::mt19937 random(46);
  Plane whole = noise(128, 128, random, 0.0, 1);
  for (int y = 0; y < whole.h; ++y) {
    for (int x = 0; x < whole.w; ++x) whole.at(x, y) = 0.2 * whole.at(x, y) + ((x / 11 + y / 8) % 2 == 0 ? 0.7 : 0.1);
  }
  Plane streaks(15, 1);
  streaks.v.assign(15, 1.0);
  const Plane kernel = unit_sum(streaks);
  const Plane sharp = crop(whole, 24, 24, 80, 80);
  const Plane blurred = convolve(whole, kernel, 7, 0, Boundary::kZero, 24, 24, 80, 80);
  const auto error_of = [&](DeconvolutionEdges edges) {
    DeconvolutionOptions o = basic(sharp, kernel);
    o.edges = edges;
    o.noise = 0.001F;
    return rms_difference(run(o, blurred, kernel), sharp);
  };
  const double chosen = error_of(DeconvolutionEdges::kAuto);
  EXPECT_LT(chosen, 0.75 * error_of(DeconvolutionEdges::kMirror));
  EXPECT_LT(chosen, 0.8 * rms_difference(blurred, sharp));
}

// Reference: Richardson-Lucy with direct summation.
Plane richardson_lucy(const Plane& image, const Plane& kernel, int ox, int oy, uint32_t iterations, bool unknown,
                      DeconvolutionStart start = DeconvolutionStart::kImage) {
  const int mx = unknown ? kernel.w - 1 - ox : 0, my = unknown ? kernel.h - 1 - oy : 0;
  const int ew = unknown ? image.w + kernel.w - 1 : image.w, eh = unknown ? image.h + kernel.h - 1 : image.h;
  const Boundary boundary = unknown ? Boundary::kZero : Boundary::kWrap;
  Plane flipped(kernel.w, kernel.h);
  for (int j = 0; j < kernel.h; ++j) {
    for (int i = 0; i < kernel.w; ++i) flipped.at(i, j) = kernel.at(kernel.w - 1 - i, kernel.h - 1 - j);
  }
  const auto adjoint = [&](const Plane& p) {
    return convolve(p, flipped, kernel.w - 1 - ox, kernel.h - 1 - oy, boundary, -mx, -my, ew, eh);
  };
  Plane ones(image.w, image.h);
  ones.v.assign(ones.v.size(), 1.0);
  const Plane weight = unknown ? adjoint(ones) : ones;
  Plane x(ew, eh);
  for (int j = 0; j < eh; ++j) {
    for (int i = 0; i < ew; ++i) {
      const double texel = std::max(image.beyond(i - mx, j - my, Boundary::kClamp), 1e-6);
      x.at(i, j) = start == DeconvolutionStart::kImage ? texel : 0.0005;  // any constant that is small
    }
  }
  for (uint32_t n = 0; n < iterations; ++n) {
    Plane ratio = convolve(x, kernel, ox, oy, boundary, mx, my, image.w, image.h);
    for (size_t t = 0; t < ratio.v.size(); ++t) ratio.v[t] = std::max(image.v[t], 0.0) / ratio.v[t];
    const Plane correction = adjoint(ratio);
    for (size_t t = 0; t < x.v.size(); ++t) {
      if (weight.v[t] >= 1e-3) x.v[t] *= correction.v[t] / weight.v[t];
    }
  }
  return crop(x, mx, my, image.w, image.h);
}

TEST(RichardsonLucy, IsTheDefinition) {
  const Plane kernel = unit_sum(streak(5, 4));
  Plane image = scene(26, 21);
  image.at(4, 4) = -0.3;  // counts as 0
  for (const auto& origin : {std::pair{2, 2}, {0, 3}}) {
    for (const bool unknown : {true, false}) {
      Plane of_start[2];
      for (const DeconvolutionStart start : {DeconvolutionStart::kImage, DeconvolutionStart::kConstant}) {
        DeconvolutionOptions o = basic(image, kernel);
        o.method = DeconvolutionMethod::kRichardsonLucy;
        o.edges = unknown ? DeconvolutionEdges::kUnknown : DeconvolutionEdges::kWrap;
        o.iterations = 12;
        o.kernel_origin = Offset{origin.first, origin.second};
        o.start = start;
        const Plane made = run(o, image, kernel);
        const Plane oracle = richardson_lucy(image, kernel, origin.first, origin.second, 12, unknown, start);
        EXPECT_LE(difference(made, oracle), 1e-4) << unknown << " " << origin.first << " " << static_cast<int>(start);
        for (const double v : made.v) EXPECT_GE(v, 0);
        of_start[static_cast<int>(start)] = oracle;
      }
      EXPECT_GT(difference(of_start[0], of_start[1]), 1e-2) << "the starts differ";
    }
  }
}

TEST(RichardsonLucy, DarknessAndNanStayFinite) {
  Plane image(24, 24);
  const Plane kernel = streak(5, 5);
  DeconvolutionOptions o = basic(image, kernel);
  o.method = DeconvolutionMethod::kRichardsonLucy;
  EXPECT_LE(largest(run(o, image, kernel)), 1e-5) << "black stays black";
  image.at(12, 12) = 100;
  image.at(3, 3) = std::numeric_limits<double>::quiet_NaN();
  for (const double v : run(o, image, kernel).v) EXPECT_TRUE(std::isfinite(v) && v >= 0) << v;
}

// kWrap needs no margin: the domain is the image, up to the largest size of 65535.
TEST(Deconvolution, WrapsTheWidestImages) {
  Plane kernel(3, 1);
  kernel.v = {0.25, 0.75, 0};
  Plane sharp(65535, 1);
  for (int x = 0; x < sharp.w; ++x) sharp.at(x, 0) = 1 + x % 7;
  const Plane blurred = convolve(sharp, kernel, 1, 0, Boundary::kWrap, 0, 0, sharp.w, 1);
  DeconvolutionOptions o = basic(blurred, kernel);
  o.edges = DeconvolutionEdges::kWrap;
  o.noise = 1e-9F;
  EXPECT_LE(difference(run(o, blurred, kernel), sharp), 1e-4);
  o.edges = DeconvolutionEdges::kMirror;
  const auto plan = plan_deconvolution(o);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("size: 65535x1 needs a domain of 131070x2"), std::string::npos)
      << plan.error().message;
}

// A kernel with more channels than the image: kPerChannel uses the first one, kShared uses the luminance.
TEST(Deconvolution, KernelsOfMoreChannelsThanTheImage) {
  std::mt19937 random(45);
  const Plane image = noise(23, 19, random, 0.1, 1);
  std::vector<Plane> kernels;
  for (int i = 0; i < 3; ++i) kernels.push_back(noise(3, 4, random, 0.1, 1));
  Plane luminance(3, 4);
  for (size_t t = 0; t < luminance.v.size(); ++t) {
    luminance.v[t] = 0.2126 * kernels[0].v[t] + 0.7152 * kernels[1].v[t] + 0.0722 * kernels[2].v[t];
  }
  DeconvolutionOptions o = basic(image, kernels[0]);
  const Plane of_first = run(o, image, kernels[0]), of_luminance = run(o, image, luminance);
  o.kernel = Format::kRGBA32Sfloat;
  const Image source = image_of({image}, o.source), kernel = image_of(kernels, o.kernel);
  EXPECT_LE(difference(plane_of(run(o, source, kernel), 0), of_luminance), 1e-5);
  o.kernel_channels = KernelChannels::kPerChannel;
  EXPECT_LE(difference(plane_of(run(o, source, kernel), 0), of_first), 1e-5);
}

// Scaling the input by a power of two scales the result, bit by bit.
TEST(RichardsonLucy, AnyUnit) {
  const Plane kernel = unit_sum(streak(5, 4));
  const Plane image = scene(26, 21);
  DeconvolutionOptions o = basic(image, kernel);
  o.method = DeconvolutionMethod::kRichardsonLucy;
  const Plane expected = run(o, image, kernel);
  for (const int exponent : {-100, -40, -3, 20, 110}) {
    Plane other = image;
    for (double& value : other.v) value = std::ldexp(value, exponent);
    const Plane made = run(o, other, kernel);
    for (size_t i = 0; i < made.v.size(); ++i) ASSERT_EQ(std::ldexp(made.v[i], -exponent), expected.v[i]) << exponent;
  }
}

// With AlphaPolicy::kPass the scaling of light does not apply to alpha.
TEST(RichardsonLucy, AlphaIsNoLight) {
  const Plane kernel = unit_sum(streak(3, 3));
  const Plane image = scene(26, 21);
  Plane dark = image, one(26, 21);
  for (double& value : dark.v) value = std::ldexp(value, -40);
  one.v.assign(one.v.size(), 1.0);
  DeconvolutionOptions o = basic(image, kernel);
  o.method = DeconvolutionMethod::kRichardsonLucy;
  o.source = Format::kRGBA32Sfloat;
  o.alpha = AlphaPolicy::kPass;
  const Image k = image_of({kernel}, o.kernel);
  const Plane expected = plane_of(run(o, image_of({image, image, image, one}, o.source), k), 1);
  const Plane made = plane_of(run(o, image_of({dark, dark, dark, one}, o.source), k), 1);
  for (size_t i = 0; i < made.v.size(); ++i) ASSERT_EQ(std::ldexp(made.v[i], 40), expected.v[i]) << i;
}

TEST(RichardsonLucy, InfinityIsTheLargestNumber) {
  const Plane kernel = unit_sum(streak(3, 3));
  Plane image = scene(26, 21);
  DeconvolutionOptions o = basic(image, kernel);
  o.method = DeconvolutionMethod::kRichardsonLucy;
  o.slices = 2;
  const Image two = image_of({image, image}, o.source, 2);
  image.at(12, 12) = std::numeric_limits<double>::infinity();
  const Image one_hot = image_of({image, scene(26, 21)}, o.source, 2);
  const Image k = image_of({kernel}, o.kernel);
  const Plane hot = plane_of(run(o, one_hot, k, 1), 0, 0);
  for (int y = 0; y < 21; ++y) {
    for (int x = 0; x < 26; ++x) {
      const bool far = std::abs(x - 12) + std::abs(y - 12) > 12;
      EXPECT_TRUE(far ? std::isfinite(hot.at(x, y)) : hot.at(x, y) >= 0) << x << " " << y;
    }
  }
  EXPECT_GT(hot.at(12, 12), 1e38);
  EXPECT_EQ(difference(plane_of(run(o, one_hot, k, 1), 0, 1), plane_of(run(o, two, k, 1), 0, 1)), 0)
      << "a slice has its own unit";
}

TEST(Deconvolution, ChannelsSlicesAlphaThreadsAndSimdTargets) {
  const onepass::testing::SevenThreads seven;
  std::mt19937 random(44);
  std::vector<Plane> planes, kernels;
  for (int i = 0; i < 8; ++i) planes.push_back(noise(23, 19, random, 0.1, 1));
  for (int i = 0; i < 3; ++i) kernels.push_back(noise(3, 4, random, 0.1, 1));
  for (const DeconvolutionMethod method : {DeconvolutionMethod::kWiener, DeconvolutionMethod::kRichardsonLucy}) {
    DeconvolutionOptions o = basic(planes[0], kernels[0]);
    o.method = method;
    o.iterations = 5;
    o.slices = 2;
    // A taper is as wide as the mean of the kernels: with it, channels are not independent.
    if (method == DeconvolutionMethod::kWiener) o.edges = DeconvolutionEdges::kMirror;
    o.source = Format::kRGBA32Sfloat;
    o.kernel = Format::kRGBA32Sfloat;
    o.kernel_channels = KernelChannels::kPerChannel;
    const Image image = image_of(planes, o.source, 2), kernel = image_of(kernels, o.kernel);
    const Image one = run(o, image, kernel, 1);
    for (const uint32_t threads : {2U, 7U}) {
      const Image many = run(o, image, kernel, threads);
      EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size_in_bytes()), 0) << threads;
    }
    onepass::testing::on_every_simd_target([&](const char* target) {
      const Image made = run(o, image, kernel);
      for (uint32_t c = 0; c < 3; ++c) EXPECT_LE(difference(plane_of(made, c), plane_of(one, c)), 2e-4) << target;
    });
    for (uint32_t slice = 0; slice < 2; ++slice) {
      EXPECT_EQ(difference(plane_of(one, 3, slice), planes[slice * 4 + 3]), 0) << "alpha passes";
      for (uint32_t c = 0; c < 3; ++c) {
        DeconvolutionOptions alone = o;
        alone.slices = 1;
        alone.source = alone.kernel = Format::kR32Sfloat;
        alone.kernel_channels = KernelChannels::kShared;
        EXPECT_LE(difference(plane_of(one, c, slice), run(alone, planes[slice * 4 + c], kernels[c])), 2e-4) << c;
      }
    }
  }
}

TEST(DeconvolutionErrors, NameFieldAndValue) {
  const auto refused = [&](const std::function<void(DeconvolutionOptions&)>& change, const std::string& words) {
    DeconvolutionOptions options = basic(Plane(8, 8), Plane(3, 3));
    change(options);
    const auto made = cpu::Deconvolver::create(options);
    ASSERT_FALSE(made) << words;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(made.error().message.find(words), std::string::npos) << made.error().message;
  };
  using M = DeconvolutionMethod;
  using E = DeconvolutionEdges;
  refused([](auto& o) { o.size = {8, 0}; }, "size: 8x0");
  refused([](auto& o) { o.kernel_size = {0, 3}; }, "kernel_size: 0x3");
  refused(
      [](auto& o) {
        o.edges = E::kWrap;
        o.kernel_size = {9, 3};
      },
      "kernel_size: 9x3");
  refused([](auto& o) { o.edges = E::kUnknown; }, "edges: unknown");
  refused(
      [](auto& o) {
        o.method = M::kRichardsonLucy;
        o.edges = E::kTaper;
      },
      "edges: mirror and taper");
  refused([](auto& o) { o.noise = -0.1F; }, "noise: -0.1");
  refused([](auto& o) { o.noise = std::numeric_limits<float>::quiet_NaN(); }, "noise: nan");
  refused([](auto& o) { o.iterations = 0; }, "iterations: 0");
  refused([](auto& o) { o.method = static_cast<M>(9); }, "method");
  refused([](auto& o) { o.edges = static_cast<E>(9); }, "edges");
  refused([](auto& o) { o.prior = static_cast<WienerPrior>(9); }, "prior");
  refused([](auto& o) { o.start = static_cast<DeconvolutionStart>(2); }, "start");
  DeconvolutionOptions options = basic(Plane(8, 8), Plane(3, 3));
  options.method = M::kRichardsonLucy;
  auto deconvolver = cpu::Deconvolver::create(options);
  Plane kernel(3, 3);
  kernel.at(0, 0) = -1;
  kernel.at(1, 1) = 3;
  const auto negative = deconvolver->set_kernel(image_of({kernel}, Format::kR32Sfloat).view());
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().code, ErrorCode::kBadData);
  const Image image = image_of({Plane(8, 8)}, Format::kR32Sfloat);
  auto target = Image::create(Format::kR32Sfloat, {8, 8});
  EXPECT_FALSE(deconvolver->deconvolve(image.view(), target->view())) << "no kernel";
}

}  // namespace
}  // namespace fourier_ops_test
