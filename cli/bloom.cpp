// bloom.cpp: `onepass bloom`: the glare of bright light in an eye or a lens, by one convolution.
//
//     result = image + scatter * (kernel * bright - bright)       bright: the image, or what exceeds the threshold
//
// The first term adds scattered light, the second removes it from its texel: a kernel that sums to 1 conserves the sum
// of the light, except light that leaves through a zero boundary. Without a threshold, one fused pass computes the
// equal (1 - scatter) * image + scatter * kernel * image.
//
// The built-in kernel is the falloff of scattering in the human eye, a sum of (angle + 0.02)^-3 and (angle + 0.02)^-2
// in degrees, with a smooth cutoff at its rim; `rays` adds the streaks that aperture blades diffract. Source: G.
// Spencer, P. Shirley, K. Zimmerman and D. Greenberg, "Physically-Based Glare Effects for Digital Images", 1995,
// equations for f1, f2 and the photopic weights.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "commands.hpp"
#include "fourier_command.hpp"
#include "onepass/fourier_convolution.hpp"
#include "option_group.hpp"

namespace onepass::cli {
namespace {

struct BloomRequest {
  FourierRequest common;
  std::string kernel, kernel_color, boundary = "mirror";
  float size = 0.5F;  // width of the kernel, in image widths
  float scatter = 0.1F;
  float threshold = 0;
  float knee = 0;
  float field_of_view = 60;  // degrees across the width of the image
  uint32_t rays = 0;
};

Error usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), ""}; }

Result<void> finish(const CLI::App& command, const BloomRequest& r) {
  const auto within = [](float value, float low, float high) { return value >= low && value <= high; };
  if (!within(r.size, 1e-4F, 4)) return usage(fmt::format("--size: {} is not within 0.0001 and 4 widths", r.size));
  if (!within(r.scatter, 0, 1)) return usage(fmt::format("--scatter: {} is not within 0 and 1", r.scatter));
  if (!within(r.threshold, 0, 1e30F)) return usage(fmt::format("--threshold: {} is not 0 or more", r.threshold));
  if (!within(r.knee, 0, 1e30F)) return usage(fmt::format("--knee: {} is not 0 or more", r.knee));
  if (!within(r.field_of_view, 0.1F, 180)) {
    return usage(fmt::format("--fov: {} is not within 0.1 and 180 degrees", r.field_of_view));
  }
  if (r.rays > 64) return usage(fmt::format("--rays: {} are more than 64", r.rays));
  if (!r.kernel.empty()) {
    for (const char* option : {"--fov", "--rays"}) {
      if (command.count(option) > 0) return usage(fmt::format("{} and --kernel exclude each other", option));
    }
  } else if (command.count("--kernel-color") > 0) {
    return usage("--kernel-color needs --kernel");
  }
  return {};
}

// Width of the kernel in texels: odd, so that it has a centre texel.
uint32_t kernel_width(const BloomRequest& request, uint32_t width) {
  const double half = std::round(0.5 * (double{request.size} * width - 1));
  return 2 * static_cast<uint32_t>(std::clamp(half, 0.0, 16000.0)) + 1;
}

// Relative amount of scattered light at an angle in degrees.
double glare(double degrees) {
  const double a = degrees + 0.02;
  return 0.478 * 20.91 / (a * a * a) + 0.138 * 72.37 / (a * a);
}

Result<Image> make_glare_kernel(const BloomRequest& request, uint32_t image_width) {
  const uint32_t n = kernel_width(request, image_width);
  auto image = Image::create(Format::kR32Sfloat, {n, n});
  if (!image) return image.error();
  const double degrees = double{request.field_of_view} / image_width;
  const double rim = n / 2 + 0.5;
  const int middle = static_cast<int>(n / 2);
  for (int y = 0; y < static_cast<int>(n); ++y) {
    auto* row = reinterpret_cast<float*>(image->view().row(static_cast<uint32_t>(y)));
    for (int x = 0; x < static_cast<int>(n); ++x) {
      const int dx = x - middle, dy = y - middle;
      // Near its peak the falloff changes within a texel: 8x8 samples are averaged.
      const int fine = dx * dx + dy * dy < 64 ? 8 : 1;
      double sum = 0;
      for (int i = 0; i < fine * fine; ++i) {
        const double px = dx + (i % fine + 0.5) / fine - 0.5, py = dy + (i / fine + 0.5) / fine - 0.5;
        const double r = std::hypot(px, py);
        const double cut = std::max(0.0, 1 - r * r / (rim * rim));
        double ray = 1;
        if (request.rays > 0) {
          const double c = std::cos(0.5 * request.rays * (std::atan2(py, px) + std::numbers::pi / 2));
          ray = 0.25 + 12 * std::pow(c * c, 200);
        }
        sum += glare(r * degrees) * cut * cut * ray;
      }
      row[x] = static_cast<float>(sum / (fine * fine));
    }
  }
  return image;
}

// Resamples a kernel image by a tent filter; its half width is the larger of a source and a target texel.
Result<Image> resample(const Image& from, Extent size) {
  auto to = Image::create(Format::kRGBA32Sfloat, size);
  if (!to) return to.error();
  const Extent old = from.size();
  std::vector<float> row(size_t{4} * old.width);
  std::vector<double> across(size_t{4} * size.width * old.height);
  const auto taps = [](uint32_t target, uint32_t n, uint32_t source, const auto& add) {
    const double ratio = static_cast<double>(source) / n;
    const double reach = std::max(1.0, ratio);
    const double centre = (target + 0.5) * ratio - 0.5;
    double total = 0;
    for (const bool adding : {false, true}) {
      for (auto i = static_cast<int64_t>(std::ceil(centre - reach)); i <= static_cast<int64_t>(centre + reach); ++i) {
        const double weight = 1 - std::fabs(static_cast<double>(i) - centre) / reach;
        if (i < 0 || i >= source || weight <= 0) continue;
        if (adding) add(static_cast<uint32_t>(i), weight / total);
        if (!adding) total += weight;
      }
    }
  };
  for (uint32_t y = 0; y < old.height; ++y) {
    decode_row(from.format(), from.view().row(y), old.width, row.data());
    for (uint32_t x = 0; x < size.width; ++x) {
      taps(x, size.width, old.width, [&](uint32_t i, double weight) {
        for (size_t c = 0; c < 4; ++c) across[(size_t{y} * size.width + x) * 4 + c] += weight * row[size_t{4} * i + c];
      });
    }
  }
  for (uint32_t y = 0; y < size.height; ++y) {
    auto* out = reinterpret_cast<float*>(to->view().row(y));
    std::vector<double> sums(size_t{4} * size.width);
    taps(y, size.height, old.height, [&](uint32_t j, double weight) {
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += weight * across[size_t{j} * size.width * 4 + i];
    });
    for (size_t i = 0; i < sums.size(); ++i) out[i] = static_cast<float>(sums[i]);
  }
  return to;
}

Result<Image> make_kernel(const BloomRequest& request, const FourierRequest& common, uint32_t image_width) {
  if (request.kernel.empty()) return make_glare_kernel(request, image_width);
  auto kernel = load_kernel(common, request.kernel, request.kernel_color);
  if (!kernel) return kernel.error();
  const uint32_t width = kernel_width(request, image_width);
  const double aspect = static_cast<double>(kernel->size().height) / kernel->size().width;
  const auto half = static_cast<uint32_t>(std::lround(0.5 * (std::clamp(aspect * width, 1.0, 32000.0) - 1)));
  Image grey;
  if (format_info(kernel->format()).channels < 3) {  // the one channel serves all colours
    auto spread = Image::create(Format::kRGBA32Sfloat, kernel->size());
    if (!spread) return spread.error();
    std::vector<float> row(size_t{4} * kernel->size().width);
    for (uint32_t y = 0; y < kernel->size().height; ++y) {
      decode_row(kernel->format(), kernel->view().row(y), kernel->size().width, row.data());
      for (size_t i = 0; i < row.size(); i += 4) row[i + 1] = row[i + 2] = row[i];
      encode_row(spread->format(), row.data(), kernel->size().width, spread->view().row(y));
    }
    kernel = std::move(spread);
  }
  return resample(*kernel, {width, 2 * half + 1});
}

// Share of a texel's light that scatters, 0 to 1. With m its largest channel: 0 below threshold - knee,
// 1 - threshold / m above threshold + knee, and a parabola over m in between.
float bright_share(const BloomRequest& request, const float* rgba, uint32_t colours) {
  float most = 0;
  for (uint32_t c = 0; c < colours; ++c) most = std::max(most, rgba[c]);
  const float over = most - request.threshold;
  const float soft = std::clamp(over + request.knee, 0.0F, 2 * request.knee);
  const float curved = request.knee > 0 ? soft * (soft / (4 * request.knee)) : 0.0F;
  // If the knee is wider than the threshold, the parabola exceeds m.
  return most > 0 ? std::clamp(std::max(curved, over) / most, 0.0F, 1.0F) : 0.0F;
}

// Calls `change(row, y, slice)` with every row of `image`, decoded to four floats per texel.
template <typename Change>
void each_row(const Image& image, const Change& change) {
  std::vector<float> row(size_t{4} * image.size().width);
  for (uint32_t slice = 0; slice < image.slices(); ++slice) {
    for (uint32_t y = 0; y < image.size().height; ++y) {
      decode_row(image.format(), image.view().row(y, slice), image.size().width, row.data());
      change(row, y, slice);
    }
  }
}

// image + scatter * (spread - bright); `spread` holds the convolved bright light.
Result<Image> compose(const BloomRequest& request, const Image& image, const Image& spread, Format target) {
  auto made = Image::create(target, image.size(), image.slices());
  if (!made) return made.error();
  const uint32_t colours = std::min(format_info(image.format()).channels, 3U);
  each_row(image, [&](std::vector<float>& row, uint32_t y, uint32_t slice) {
    const auto* glow = reinterpret_cast<const float*>(spread.view().row(y, slice));
    for (size_t i = 0; i < row.size(); i += 4) {
      const float share = bright_share(request, &row[i], colours);
      for (uint32_t c = 0; c < colours; ++c) row[i + c] += request.scatter * (glow[i + c] - share * row[i + c]);
    }
    encode_row(target, row.data(), image.size().width, made->view().row(y, slice));
  });
  return made;
}

Result<FourierPicture> bloom_picture(const BloomRequest& all, const FourierRequest& request, const Base& base) {
  const Image& source = base.image;
  auto kernel = make_kernel(all, request, source.size().width);
  if (!kernel) return kernel.error();
  const bool plain = all.threshold == 0;
  const Format target = target_format(request, source.format());
  const bool grey = format_info(source.format()).channels < 3;
  const bool tinted = !all.kernel.empty() && !grey;
  const ConvolutionOptions options{
      .size = source.size(),
      .slices = source.slices(),
      .source = plain ? source.format() : Format::kRGBA32Sfloat,
      .target = plain ? target : Format::kRGBA32Sfloat,
      .kernel_size = kernel->size(),
      .kernel = kernel->format(),
      .boundary = value_of(kBoundaryNames, all.boundary),
      .scale = KernelScale::kUnitSum,
      .kernel_channels = tinted ? KernelChannels::kPerChannel : KernelChannels::kShared,
      .alpha = AlphaPolicy::kPass,
      .mix = plain ? all.scatter : 1.0F,
  };
  const auto plan = plan_convolution(options);
  if (!plan) return plan.error();
  Image bright;
  if (!plain) {
    auto made = Image::create(options.source, options.size, options.slices);
    if (!made) return made.error();
    bright = std::move(*made);
    const uint32_t colours = std::min(format_info(source.format()).channels, 3U);
    each_row(source, [&](std::vector<float>& row, uint32_t y, uint32_t slice) {
      for (size_t i = 0; i < row.size(); i += 4) {
        const float share = bright_share(all, &row[i], colours);
        for (uint32_t c = 0; c < colours; ++c) row[i + c] *= share;
      }
      encode_row(bright.format(), row.data(), options.size.width, bright.view().row(y, slice));
    });
  }
  auto image = Image::create(options.target, options.size, options.slices);
  if (!image) return image.error();
  FourierPicture made;
  const EngineVersions versions = convolution_versions(request, options, *kernel, plain ? source : bright, *image);
  if (auto done = run_on_engine(request, made.report, versions); !done) return done.error();
  if (!plain) {
    image = compose(all, source, *image, target);
    if (!image) return image.error();
  }
  made.image = std::move(*image);
  made.report.domain = plan->image_transform.size;
  made.report.traffic = plan->traffic;
  made.report.passes = 3;
  const auto transform = plan_transform(plan->image_transform);
  if (transform)
    made.report.plan = explain_fused(*transform, "multiplication by the kernel", plan->kernel_bytes * options.slices);
  return made;
}

}  // namespace

Command add_bloom(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bloom", "Add the glare of bright light to HDR images");
  command->footer(
      "Examples:\n"
      "  onepass bloom lamps.exr -o glowing.exr --scatter 0.15\n"
      "  onepass bloom night.exr -o night_stars.exr --rays 6 --threshold 4 --knee 2\n"
      "  onepass bloom night.hdr -o dreamy.exr --kernel lens_flare.png --size 1");
  auto request = std::make_shared<BloomRequest>();
  add_fourier_options(*command, request->common);
  Group what(*command, "Computation");
  what.add("--scatter", request->scatter, "T", "Share of the light that scatters, 0 to 1 (default 0.1)");
  what.add("--threshold", request->threshold, "L", "Only light above L scatters (default 0: all light)");
  what.add("--knee", request->knee, "L", "Half the width of the transition at the threshold (default 0)");
  what.add("--size", request->size, "S", "Width of the kernel in widths of the image (default 0.5)");
  what.add("-k,--kernel", request->kernel, "FILE", "Kernel image; its colours tint the glare (default: built in)");
  what.choice("--kernel-color", request->kernel_color, kColorNames, "Encoding of the kernel's weights (default auto)");
  what.add("--fov", request->field_of_view, "DEGREES",
           "Built-in kernel: field of view across the image's width (default 60)");
  what.add("--rays", request->rays, "N", "Built-in kernel: number of streaks (default 0)");
  what.choice("--boundary", request->boundary, kBoundaryNames, "Light from beyond the edges (default mirror)");
  return [=] {
    if (!request->kernel.empty()) request->common.files.also_read = {request->kernel};
    if (auto good = finish(*command, *request); !good) return usage_error(request->common, good.error());
    return run_fourier(*command, request->common, picture_maker([&](const FourierRequest& common, const Base& base) {
      return bloom_picture(*request, common, base);
    }));
  };
}

}  // namespace onepass::cli
