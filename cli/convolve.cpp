// convolve.cpp: `onepass convolve`: convolves images with a kernel image.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "commands.hpp"
#include "fourier_command.hpp"
#include "onepass/fourier_convolution.hpp"
#include "option_group.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

struct ConvolveRequest {
  FourierRequest common;
  ConvolutionOptions convolution;
  std::string kernel, kernel_color, origin;
  std::string mode = "same", scale = "unit_sum", boundary, alpha;
  bool per_channel = false;
};

Result<void> finish(ConvolveRequest& request) {
  ConvolutionOptions& c = request.convolution;
  c.mode = value_of<ConvolutionMode>(request.mode);
  c.scale = value_of<KernelScale>(request.scale);
  // The full result holds all positions at which the kernel touches the image; beyond it is 0.
  const bool full = c.mode == ConvolutionMode::kFull;
  if (request.boundary.empty()) request.boundary = full ? "zero" : "mirror";
  c.boundary = value_of<Boundary>(request.boundary);
  c.kernel_channels = request.per_channel ? KernelChannels::kPerChannel : KernelChannels::kShared;
  if (request.origin.empty()) return {};
  const auto numbers = parse_numbers("--origin", request.origin, 2, 2);
  if (!numbers) return numbers.error();
  for (const double number : *numbers) {
    if (number == std::floor(number) && std::abs(number) <= INT32_MAX) continue;
    return usage(fmt::format("--origin: {} is not two whole numbers", request.origin));
  }
  c.kernel_origin = Offset{static_cast<int32_t>((*numbers)[0]), static_cast<int32_t>((*numbers)[1])};
  return {};
}

Result<FourierPicture> convolve_picture(const ConvolveRequest& all, const FourierRequest& request, const Base& base) {
  auto kernel = load_kernel(request, all.kernel, all.kernel_color);
  if (!kernel) return kernel.error();
  ConvolutionOptions options = all.convolution;
  options.alpha = alpha_policy(all.alpha, AlphaPolicy::kFilter, base);
  options.size = base.image.size();
  options.slices = base.image.slices();
  options.source = base.image.format();
  options.target = target_format(request, options.source);
  options.kernel_size = kernel->size();
  options.kernel = kernel->format();
  const auto plan = plan_convolution(options);
  if (!plan) return plan.error();
  auto image = Image::create(plan->options.target, plan->result_size, options.slices);
  if (!image) return image.error();
  FourierPicture made;
  const EngineVersions versions = convolution_versions(request, options, *kernel, base.image, *image);
  if (auto done = run_on_engine(request, made.report, versions); !done) return about_kernel(all.kernel, done.error());
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

Command add_convolve(CLI::App& app) {
  CLI::App* command = app.add_subcommand("convolve", "Convolve images with a kernel image of any size");
  command->footer(
      "Texel (floor(w/2), floor(h/2)) of the kernel weights the image's own texel; --origin names another.\n"
      "Examples:\n"
      "  onepass convolve photo.jpg --kernel bokeh.png -o blurred.png\n"
      "  onepass convolve frame.exr --kernel flare.exr --per-channel --boundary zero -o lit.exr\n"
      "  onepass convolve a.exr --kernel b.exr --mode full --scale none -o full.exr");
  auto request = std::make_shared<ConvolveRequest>();
  add_fourier_options(*command, request->common);
  Group what(*command, "Computation");
  what.add("-k,--kernel", request->kernel, "FILE", "Kernel: an image file")->required();
  what.choice<files::Color>("--kernel-color", request->kernel_color, "Encoding of the kernel's weights (default auto)");
  what.add("--origin", request->origin, "X,Y",
           "Texel of the kernel that weights the image's own texel (default its centre)");
  what.choice<KernelScale>("--scale", request->scale,
                           "Scaling of the kernel's weights (default unit: sum 1, colours kept)");
  what.flag("--per-channel", request->per_channel,
            "Each channel of the kernel for its channel of the image; else its luminance for all");
  what.choice<Boundary>("--boundary", request->boundary,
                        "Texels beyond the edges (default mirror; zero with --mode full)");
  what.choice<ConvolutionMode>("--mode", request->mode, "Size of the result (default same)");
  what.choice<AlphaPolicy>("--alpha", request->alpha,
                           "Alpha: pass leaves it unchanged, filter convolves it too (default filter)");
  return [=] {
    request->common.files.also_read.push_back(request->kernel);
    if (auto good = finish(*request); !good) return usage_error(request->common, good.error());
    return run_fourier(*command, request->common, picture_maker([&](const FourierRequest& common, const Base& base) {
      return convolve_picture(*request, common, base);
    }));
  };
}

}  // namespace onepass::cli
