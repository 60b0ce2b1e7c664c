// deconvolve.cpp: `onepass deconvolve`: undoes a blur with a known kernel (Wiener or Richardson-Lucy).
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "fourier_command.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "option_group.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

struct DeconvolveRequest {
  FourierRequest common;
  DeconvolutionOptions deconvolution;
  std::string kernel, kernel_color;
  std::string method = "wiener", edges = "auto", prior = "flat", start = "image", alpha;
  bool per_channel = false;
};

Result<void> finish(const CLI::App& command, DeconvolveRequest& request) {
  DeconvolutionOptions& d = request.deconvolution;
  d.method = value_of<DeconvolutionMethod>(request.method);
  d.edges = value_of<DeconvolutionEdges>(request.edges);
  d.prior = value_of<WienerPrior>(request.prior);
  d.start = value_of<DeconvolutionStart>(request.start);
  d.kernel_channels = request.per_channel ? KernelChannels::kPerChannel : KernelChannels::kShared;
  const bool wiener = d.method == DeconvolutionMethod::kWiener;
  for (const char* option : {"--noise", "--prior"}) {
    if (!wiener && command.count(option) > 0) return usage(fmt::format("{} is for --method wiener", option));
  }
  for (const char* option : {"--iterations", "--start"}) {
    if (wiener && command.count(option) > 0) return usage(fmt::format("{} is for --method richardson_lucy", option));
  }
  DeconvolutionOptions any = d;
  any.size = any.kernel_size = {3, 3};
  any.source = any.kernel = Format::kRGBA32Sfloat;
  if (const auto plan = plan_deconvolution(any); !plan) return usage(plan.error().message);
  return {};
}

Result<FourierPicture> deconvolve_picture(const DeconvolveRequest& all, const FourierRequest& request,
                                          const Base& base) {
  auto kernel = load_kernel(request, all.kernel, all.kernel_color);
  if (!kernel) return kernel.error();
  DeconvolutionOptions options = all.deconvolution;
  options.size = base.image.size();
  options.slices = base.image.slices();
  options.alpha = alpha_policy(all.alpha, AlphaPolicy::kFilter, base);
  options.source = base.image.format();
  options.target = target_format(request, options.source);
  options.kernel_size = kernel->size();
  options.kernel = kernel->format();
  const auto planned = plan_deconvolution(options);
  if (!planned) return planned.error();
  const DeconvolutionPlan& plan = *planned;
  auto image = Image::create(plan.options.target, options.size, options.slices);
  if (!image) return image.error();
  FourierPicture made;
  const auto on_vulkan = [&](const vulkan::Device& device) -> Result<double> {
    const auto done = vulkan::deconvolve_image(device, options, {}, kernel->view(), base.image.view(), image->view());
    if (!done) return done.error();
    return done->gpu_microseconds;
  };
  const auto on_cpu = [&]() -> Result<void> {
    auto deconvolver = cpu::Deconvolver::create(options, {.threads = request.files.threads});
    if (!deconvolver) return deconvolver.error();
    if (auto set = deconvolver->set_kernel(kernel->view()); !set) return set;
    return deconvolver->deconvolve(base.image.view(), image->view());
  };
  if (auto done = run_on_engine(request, made.report, {on_vulkan, on_cpu}); !done) {
    return about_kernel(all.kernel, done.error());
  }
  made.image = std::move(*image);
  made.report.domain = plan.domain;
  made.report.traffic = plan.traffic;
  // Each fused pass is three passes over memory: rows, columns, rows.
  made.report.passes = 3 * plan.passes;
  const auto transform = plan_transform(plan.blur);
  const auto kernel_plan = plan_transform(plan.kernel_transform);
  if (transform && kernel_plan) {
    made.report.plan =
        explain_fused(*transform, "multiplication by the kernel", kernel_plan->spectrum_bytes * options.slices);
    if (plan.passes > 1) made.report.plan.push_back(fmt::format("these three passes {} times", plan.passes));
  }
  return made;
}

}  // namespace

Command add_deconvolve(CLI::App& app) {
  CLI::App* command = app.add_subcommand("deconvolve", "Undo a blur whose kernel is known");
  command->footer(
      "Examples:\n"
      "  onepass deconvolve blurred.png --kernel motion.png -o sharp.png --noise 0.005\n"
      "  onepass deconvolve stars.exr --kernel psf.exr -o stars_sharp.exr --method richardson_lucy --iterations 30");
  auto request = std::make_shared<DeconvolveRequest>();
  add_fourier_options(*command, request->common);
  Group what(*command, "Computation");
  what.add("-k,--kernel", request->kernel, "FILE", "Kernel that blurred the image; scaled to sum 1")->required();
  what.choice<files::Color>("--kernel-color", request->kernel_color, "Encoding of the kernel's weights (default auto)");
  what.flag("--per-channel", request->per_channel,
            "Each channel of the kernel for its channel of the image; else its luminance for all");
  what.choice<DeconvolutionMethod>("--method", request->method,
                                   "wiener: linear; richardson_lucy: iterative, never negative (default wiener)");
  what.add("--noise", request->deconvolution.noise, "K", "Wiener: power of noise over power of image (default 0.01)");
  what.choice<WienerPrior>("--prior", request->prior,
                           "Wiener: noise alike everywhere, or more in detail (default flat)");
  what.add("--iterations", request->deconvolution.iterations, "N", "Richardson-Lucy: 1 to 10000 (default 20)");
  what.choice<DeconvolutionStart>(
      "--start", request->start,
      "Richardson-Lucy: the first estimate; constant leaves less noise in few iterations (default image)");
  what.choice<DeconvolutionEdges>(
      "--edges", request->edges,
      "Texels beyond the edges (default auto: taper for wiener, unknown for richardson_lucy)");
  what.choice<AlphaPolicy>("--alpha", request->alpha,
                           "Alpha: pass leaves it unchanged, filter sharpens it too (default filter)");
  return [=] {
    request->common.files.also_read.push_back(request->kernel);
    if (auto good = finish(*command, *request); !good) return usage_error(request->common, good.error());
    return run_fourier(*command, request->common, picture_maker([&](const FourierRequest& common, const Base& base) {
      return deconvolve_picture(*request, common, base);
    }));
  };
}

}  // namespace onepass::cli
