// bloom.cpp: `onepass bloom`: the glare of bright light in an eye or a lens; onepass/bloom.hpp has the formulas.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "fourier_command.hpp"
#include "onepass/pyramid.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "option_group.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

struct BloomRequest {
  FourierRequest common;
  std::string kernel, kernel_color, boundary = "mirror", method = "convolution", resolution = "full";
  float size = 0.5F;  // width of the kernel, in image widths
  float scatter = 0.1F;
  float threshold = 0;
  float knee = 0;
  float spread = 0.75F;
  float field_of_view = 60;  // degrees across the width of the image
  uint32_t rays = 0;
};

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
  if (!within(r.spread, 0, 1)) return usage(fmt::format("--spread: {} is not within 0 and 1", r.spread));
  if (value_of<BloomMethod>(r.method) == BloomMethod::kMipChain) {
    for (const char* option : {"--fov", "--rays", "--kernel"}) {
      if (command.count(option) > 0) return usage(fmt::format("{} needs --method convolution", option));
    }
    const Boundary boundary = value_of<Boundary>(r.boundary);
    if (boundary != Boundary::kClamp && boundary != Boundary::kMirror) {
      return usage(fmt::format("--boundary: {} needs --method convolution", r.boundary));
    }
  } else if (command.count("--spread") > 0) {
    return usage("--spread needs --method mip_chain");
  }
  if (!r.kernel.empty()) {
    for (const char* option : {"--fov", "--rays"}) {
      if (command.count(option) > 0) return usage(fmt::format("{} and --kernel exclude each other", option));
    }
  } else if (command.count("--kernel-color") > 0) {
    return usage("--kernel-color needs --kernel");
  }
  return {};
}

// Lines for --explain.
std::vector<std::string> explain(const BloomPlan& plan) {
  const BloomOptions& o = plan.options;
  const bool half = o.resolution == BloomResolution::kHalf;
  std::vector<std::string> lines;
  if (o.method == BloomMethod::kMipChain) {
    lines.push_back(fmt::format("pass 1: the bright light of {}", size_text(plan.glow_size)));
    lines.push_back(fmt::format("a mip chain of {} levels down to {}, and its sum from coarse to fine", plan.levels,
                                size_text(level_size(plan.glow_size, plan.levels - 1))));
  } else {
    // The transforms of a convolution of this size; the bright pass and the composite are part of its row passes.
    const auto convolution = plan_convolution({.size = plan.glow_size,
                                               .slices = o.slices,
                                               .source = o.source,
                                               .target = half ? Format::kRGBA32Sfloat : o.target,
                                               .kernel_size = plan.kernel_size,
                                               .kernel = Format::kR32Sfloat,
                                               .boundary = o.boundary,
                                               .alpha = AlphaPolicy::kPass});
    const auto transform = convolution ? plan_transform(convolution->image_transform) : convolution.error();
    if (!transform) return lines;
    lines = explain_fused(*transform, "multiplication by the kernel", plan.kernel_bytes * o.slices);
    lines.push_back(fmt::format("pass 1 applies the threshold{}", half ? " and averages 2x2 texels" : ""));
    if (!half) lines.emplace_back("pass 3 adds the glow to the image, which it reads again");
  }
  if (half || o.method == BloomMethod::kMipChain) {
    lines.push_back(fmt::format("pass {}: adds the glow of {} to the image", plan.passes, size_text(plan.glow_size)));
  }
  return lines;
}

// Both versions of a bloom. The references must outlive the result.
EngineVersions bloom_versions(const FourierRequest& request, const BloomOptions& options, const Image* kernel,
                              const Image& source, Image& target) {
  return {.on_vulkan = [&, kernel](const vulkan::Device& device) -> Result<double> {
            const ImageView view = kernel != nullptr ? kernel->view() : ImageView{};
            const auto done = vulkan::bloom_image(device, options, {}, kernel != nullptr ? &view : nullptr,
                                                  source.view(), target.view());
            if (!done) return done.error();
            return done->gpu_microseconds;
          },
          .on_cpu = [&, kernel]() -> Result<void> {
            auto bloom = cpu::Bloom::create(options, {.threads = request.files.threads});
            if (!bloom) return bloom.error();
            if (kernel != nullptr) {
              if (auto set = bloom->set_kernel(kernel->view()); !set) return set;
            }
            return bloom->apply(source.view(), target.view());
          }};
}

Result<FourierPicture> bloom_picture(const BloomRequest& all, const FourierRequest& request, const Base& base) {
  const Image& source = base.image;
  Image kernel;
  BloomOptions options{
      .size = source.size(),
      .slices = source.slices(),
      .source = source.format(),
      .target = target_format(request, source.format()),
      .method = value_of<BloomMethod>(all.method),
      .resolution = value_of<BloomResolution>(all.resolution),
      .scatter = all.scatter,
      .threshold = all.threshold,
      .knee = all.knee,
      .kernel_width = all.size,
      .glare = {.field_of_view = all.field_of_view, .rays = all.rays},
      .boundary = value_of<Boundary>(all.boundary),
      .spread = all.spread,
  };
  const bool given = !all.kernel.empty();
  if (given) {
    auto loaded = load_kernel(request, all.kernel, all.kernel_color);
    if (!loaded) return loaded.error();
    kernel = std::move(*loaded);
    options.kernel_size = kernel.size();
    options.kernel = kernel.format();
  }
  const auto plan = plan_bloom(options);
  if (!plan) return plan.error();
  auto image = Image::create(plan->options.target, options.size, options.slices);
  if (!image) return image.error();
  FourierPicture made;
  const EngineVersions versions = bloom_versions(request, options, given ? &kernel : nullptr, source, *image);
  if (auto done = run_on_engine(request, made.report, versions); !done) return about_kernel(all.kernel, done.error());
  made.image = std::move(*image);
  made.report.domain = plan->domain == Extent{} ? plan->glow_size : plan->domain;
  made.report.traffic = plan->traffic;
  made.report.passes = plan->passes;
  made.report.plan = explain(*plan);
  return made;
}

}  // namespace

Command add_bloom(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bloom", "Add the glare of bright light to HDR images");
  command->footer(
      "Examples:\n"
      "  onepass bloom lamps.exr -o glowing.exr --scatter 0.15\n"
      "  onepass bloom night.exr -o night_stars.exr --rays 6 --threshold 4 --knee 2\n"
      "  onepass bloom night.exr -o quick.exr --method mip_chain --resolution half --size 1\n"
      "  onepass bloom night.hdr -o dreamy.exr --kernel lens_flare.png --size 1");
  auto request = std::make_shared<BloomRequest>();
  add_fourier_options(*command, request->common);
  Group what(*command, "Computation");
  what.add("--scatter", request->scatter, "T", "Share of the light that scatters, 0 to 1 (default 0.1)");
  what.add("--threshold", request->threshold, "L", "Only light above L scatters (default 0: all light)");
  what.add("--knee", request->knee, "L", "Half the width of the transition at the threshold (default 0)");
  what.choice<BloomMethod>("--method", request->method, "Computation of the glow (default convolution)");
  what.choice<BloomResolution>("--resolution", request->resolution, "Size of the glow (default full)");
  what.add("--size", request->size, "S", "Width of the kernel in widths of the image (default 0.5)");
  what.add("-k,--kernel", request->kernel, "FILE", "Kernel image; its colours tint the glare (default: built in)");
  what.choice<files::Color>("--kernel-color", request->kernel_color, "Encoding of the kernel's weights (default auto)");
  what.add("--fov", request->field_of_view, "DEGREES",
           "Built-in kernel: field of view across the image's width (default 60)");
  what.add("--rays", request->rays, "N", "Built-in kernel: number of streaks (default 0)");
  what.add("--spread", request->spread, "P",
           "mips: share of its light that a level takes from the coarser one, 0 to 1 (default 0.75)");
  what.choice<Boundary>("--boundary", request->boundary, "Light from beyond the edges (default mirror)");
  return [=] {
    if (!request->kernel.empty()) request->common.files.also_read.push_back(request->kernel);
    if (auto good = finish(*command, *request); !good) return usage_error(request->common, good.error());
    return run_fourier(*command, request->common, picture_maker([&](const FourierRequest& common, const Base& base) {
      return bloom_picture(*request, common, base);
    }));
  };
}

}  // namespace onepass::cli
