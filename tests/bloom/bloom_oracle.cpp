// bloom_oracle.cpp: computes the bright pass, the blur (a direct sum, or a chain of levels) and the composite plane by
// plane, and compares them with an engine's image. Infinite and NaN texels are replaced as documented.
#include "tests/bloom/bloom_oracle.hpp"

#include <algorithm>
#include <cmath>

namespace fourier_ops_test {

using onepass::BloomMethod;
using onepass::BloomOptions;
using onepass::BloomResolution;

namespace {

// Share of the light of a texel whose largest colour is m.
double share_of(double m, double threshold, double knee) {
  if (threshold == 0) return 1;
  if (m <= 0) return 0;
  double bright = m - threshold;
  if (knee > 0 && m > threshold - knee && m < threshold + knee) {
    bright = std::max(bright, (m - threshold + knee) * (m - threshold + knee) / (4 * knee));
  }
  return std::clamp(bright / m, 0.0, 1.0);
}

double tent(double d) { return std::max(0.0, 1 - std::fabs(d)); }

// Interpolates an axis or both by weights of the distance to the texel centres; mirrored beyond the edges.
Plane enlarge(const Plane& from, int w, int h, double ratio_x, double ratio_y,
              const std::function<double(double)>& weight) {
  Plane out(w, h);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const double px = (x + 0.5) * ratio_x - 0.5, py = (y + 0.5) * ratio_y - 0.5;
      double sum = 0;
      for (int j = static_cast<int>(std::floor(py)) - 2; j <= py + 3; ++j) {
        for (int i = static_cast<int>(std::floor(px)) - 2; i <= px + 3; ++i) {
          const double by = weight(px - i) * weight(py - j);
          if (by != 0) sum += by * from.beyond(i, j, Boundary::kMirror);
        }
      }
      out.at(x, y) = sum;
    }
  }
  return out;
}

Plane halved(const Plane& from) {
  Plane out((from.w + 1) / 2, (from.h + 1) / 2);
  for (int y = 0; y < out.h; ++y) {
    for (int x = 0; x < out.w; ++x) {
      double sum = 0;
      int count = 0;
      for (int j = 2 * y; j < std::min(2 * y + 2, from.h); ++j) {
        for (int i = 2 * x; i < std::min(2 * x + 2, from.w); ++i, ++count) sum += from.at(i, j);
      }
      out.at(x, y) = sum / count;
    }
  }
  return out;
}

// The next mip level: every texel has the same total weight in it.
Plane coarser(const Plane& from) {
  Plane out(std::max(1, from.w / 2), std::max(1, from.h / 2));
  const auto weight = [](int n, int of, int i, int source) {
    if (n == 1) return 1.0;
    if (n % 2 == 0) return source / 2 == i ? 0.5 : 0.0;
    const double weights[] = {double(of - i), double(of), double(i + 1)};
    const int tap = source - 2 * i;
    return tap >= 0 && tap < 3 ? weights[tap] / n : 0.0;
  };
  for (int y = 0; y < out.h; ++y) {
    for (int x = 0; x < out.w; ++x) {
      double sum = 0;
      for (int j = 0; j < from.h; ++j) {
        for (int i = 0; i < from.w; ++i) {
          sum += weight(from.w, out.w, x, i) * weight(from.h, out.h, y, j) * from.at(i, j);
        }
      }
      out.at(x, y) = sum;
    }
  }
  return out;
}

Plane chain_of(const Plane& bright, uint32_t levels, double spread) {
  if (levels < 2) return bright;
  const Plane below = chain_of(coarser(bright), levels - 1, spread);
  const auto weight = [](double d) { return 0.5 * tent(d) + 0.25 * tent(d - 1) + 0.25 * tent(d + 1); };
  const Plane wide = enlarge(below, bright.w, bright.h, static_cast<double>(below.w) / bright.w,
                             static_cast<double>(below.h) / bright.h, weight);
  Plane out = bright;
  for (size_t i = 0; i < out.v.size(); ++i) out.v[i] = (1 - spread) * bright.v[i] + spread * wide.v[i];
  return out;
}

double sum_of(const Plane& plane) {
  double sum = 0;
  for (const double v : plane.v) sum += v;
  return sum;
}

// The texels of all colours as planes, a NaN or Inf replaced as documented.
std::vector<Plane> usable(std::vector<Plane> planes) {
  for (Plane& plane : planes) {
    for (double& v : plane.v) {
      if (std::isnan(v)) v = 0;
      if (std::isinf(v)) v = v > 0 ? 65504 : -65504;
    }
  }
  return planes;
}

}  // namespace

std::vector<Plane> bloom_of(const std::vector<Plane>& given, const BloomOptions& o, const std::vector<Plane>& kernels,
                            uint32_t levels) {
  const std::vector<Plane> colours = usable(given);
  const int w = colours[0].w, h = colours[0].h;
  Plane share(w, h);
  for (size_t i = 0; i < share.v.size(); ++i) {
    double most = colours[0].v[i];
    for (const Plane& plane : colours) most = std::max(most, plane.v[i]);
    share.v[i] = share_of(most, o.threshold, o.knee);
  }
  double sums = 0;
  for (const Plane& kernel : kernels) sums += sum_of(kernel) / static_cast<double>(kernels.size());
  const bool half = o.resolution == BloomResolution::kHalf;
  std::vector<Plane> out;
  for (size_t c = 0; c < colours.size(); ++c) {
    Plane bright = colours[c];
    for (size_t i = 0; i < bright.v.size(); ++i) bright.v[i] *= share.v[i];
    Plane glow = half ? halved(bright) : bright;
    if (o.method == BloomMethod::kConvolution) {
      const Plane& kernel = kernels[std::min(c, kernels.size() - 1)];
      glow = convolve(glow, kernel, kernel.w / 2, kernel.h / 2, o.boundary, 0, 0, glow.w, glow.h);
      for (double& v : glow.v) v /= sums;
    } else {
      glow = chain_of(glow, levels, o.spread);
    }
    if (half) glow = enlarge(glow, w, h, 0.5, 0.5, tent);
    Plane result = colours[c];
    for (size_t i = 0; i < result.v.size(); ++i) result.v[i] += o.scatter * (glow.v[i] - bright.v[i]);
    out.push_back(std::move(result));
  }
  return out;
}

std::string describe(const BloomOptions& o) {
  return std::to_string(o.size.width) + "x" + std::to_string(o.size.height) + ", " +
         std::string(onepass::format_info(o.source).name) + ", method " + std::to_string(static_cast<int>(o.method)) +
         ", resolution " + std::to_string(static_cast<int>(o.resolution)) + ", scatter " + std::to_string(o.scatter) +
         ", threshold " + std::to_string(o.threshold) + ", knee " + std::to_string(o.knee) + ", width " +
         std::to_string(o.kernel_width) + ", kernel " + std::to_string(o.kernel_size.width) + "x" +
         std::to_string(o.kernel_size.height) + ", boundary " + std::to_string(static_cast<int>(o.boundary));
}

void check_bloom(const BloomEngine& engine, BloomOptions options, uint32_t seed, double tolerance) {
  std::mt19937 random(seed);
  const uint32_t channels = onepass::format_info(options.source).channels;
  const uint32_t colours = std::min(channels, 3U);
  const auto planned = onepass::plan_bloom(options);
  ASSERT_TRUE(planned) << describe(options) << ": " << planned.error().text();
  std::vector<Plane> planes;
  for (uint32_t i = 0; i < channels * options.slices; ++i) {
    planes.push_back(noise(static_cast<int>(options.size.width), static_cast<int>(options.size.height), random, 0, 4));
  }
  const Image source = image_of(planes, options.source, options.slices);
  Image kernel;
  std::vector<Plane> kernels;
  if (options.kernel != Format::kUndefined) {
    const uint32_t given = std::min(onepass::format_info(options.kernel).channels, 3U);
    for (uint32_t c = 0; c < given; ++c) {
      kernels.push_back(noise(static_cast<int>(planned->kernel_size.width),
                              static_cast<int>(planned->kernel_size.height), random, 0.1, 1));
    }
    while (kernels.size() < onepass::format_info(options.kernel).channels) kernels.push_back(kernels.back());
    kernel = image_of(kernels, options.kernel);
    kernels.resize(colours < 3 ? 1 : given);
    for (uint32_t c = 0; c < kernels.size(); ++c) kernels[c] = plane_of(kernel, c);
  } else if (options.method == BloomMethod::kConvolution) {
    const auto made = onepass::make_bloom_kernel(*planned);
    ASSERT_TRUE(made) << made.error().text();
    kernels = {plane_of(*made, 0)};
  }
  const Image made = engine(options, options.kernel != Format::kUndefined ? &kernel : nullptr, source);
  ASSERT_NE(made.data(), nullptr) << describe(options);
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    std::vector<Plane> from;
    for (uint32_t c = 0; c < colours; ++c) from.push_back(plane_of(source, c, slice));
    const std::vector<Plane> expected = bloom_of(from, options, kernels, planned->levels);
    for (uint32_t c = 0; c < colours; ++c) {
      EXPECT_LE(difference(plane_of(made, c, slice), expected[c]), tolerance * 4)
          << describe(options) << ", colour " << c << ", slice " << slice;
    }
    if (channels == 4) {
      EXPECT_EQ(difference(plane_of(made, 3, slice), plane_of(source, 3, slice)), 0) << describe(options);
    }
  }
}

std::vector<BloomOptions> bloom_cases(Extent size, uint32_t channels) {
  std::vector<BloomOptions> out;
  const BloomOptions base{.size = size, .source = floats(channels), .scatter = 0.4F};
  for (const BloomMethod method : {BloomMethod::kConvolution, BloomMethod::kMipChain}) {
    for (const BloomResolution resolution : {BloomResolution::kFull, BloomResolution::kHalf}) {
      BloomOptions o = base;
      o.method = method;
      o.resolution = resolution;
      o.kernel_width = method == BloomMethod::kMipChain ? 2.0F : 0.5F;
      out.push_back(o);
      o.threshold = 1.5F;
      o.knee = 0.75F;
      out.push_back(o);
      o.knee = 0;
      o.scatter = 1;
      if (method == BloomMethod::kConvolution) {
        const uint32_t glow = resolution == BloomResolution::kHalf ? (size.width + 1) / 2 : size.width;
        // An odd square of the plan's width, so that rescaling changes nothing.
        const auto width = 2 * static_cast<uint32_t>(std::max(0.0, std::round(0.5 * (0.4 * glow - 1)))) + 1;
        o.kernel_width = static_cast<float>(width) / static_cast<float>(glow);
        o.kernel_size = {width, width};
        o.kernel = floats(channels);
        o.boundary = channels == 1 ? Boundary::kZero : Boundary::kWrap;
      }
      out.push_back(o);
    }
  }
  return out;
}

}  // namespace fourier_ops_test
