// filter.cpp: `onepass filter`: multiplies spectra of images by transfer functions.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "fourier_command.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "option_group.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

struct FilterRequest {
  FourierRequest common;
  FilterOptions filter;
  std::string low, high, pass, stop, blur, gains;
  std::vector<std::string> notches;
  std::string shape, dc = "filter", boundary = "mirror", alpha;
  bool homomorphic = false;
};

// Sets the band from the one option that was given.
Result<void> parse_band(FilterRequest& request) {
  FilterOptions& f = request.filter;
  const struct {
    const char* option;
    const std::string& text;
    FilterBand band;
  } bands[] = {{"--lowpass", request.low, FilterBand::kLowPass},
               {"--highpass", request.high, FilterBand::kHighPass},
               {"--bandpass", request.pass, FilterBand::kBandPass},
               {"--bandstop", request.stop, FilterBand::kBandStop},
               {"--blur", request.blur, FilterBand::kLowPass}};
  const char* chosen = nullptr;
  f.band = FilterBand::kAll;
  for (const auto& band : bands) {
    if (band.text.empty()) continue;
    if (chosen != nullptr) return usage(fmt::format("{} and {} exclude each other", chosen, band.option));
    chosen = band.option;
    f.band = band.band;
    const size_t count = band.band == FilterBand::kBandPass || band.band == FilterBand::kBandStop ? 2 : 1;
    const auto numbers = parse_numbers(band.option, band.text, count, count);
    if (!numbers) return numbers.error();
    f.cutoff = static_cast<float>((*numbers)[0]);
    if (count == 2) f.upper_cutoff = static_cast<float>((*numbers)[1]);
    if (&band.text != &request.blur) continue;
    // The range of the library's cutoffs: far beyond any image, far below any detail.
    if (!(f.cutoff >= 1e-9F && f.cutoff <= 1e8F)) {
      return usage(fmt::format("--blur: {} is not within 1e-9 and 1e8 texels", band.text));
    }
    if (!request.shape.empty()) return usage("--blur and --shape exclude each other");
    f.shape = FilterShape::kGaussian;
    f.cutoff = gaussian_cutoff(f.cutoff);
  }
  if (chosen == nullptr && request.notches.empty() && request.gains.empty()) {
    return usage("one of --lowpass, --highpass, --bandpass, --bandstop, --blur and --notch is needed");
  }
  return {};
}

Result<void> parse_notches(FilterRequest& request) {
  if (request.notches.size() > kMaxNotches) {
    return usage(fmt::format("--notch: {} are more than {}", request.notches.size(), kMaxNotches));
  }
  for (const std::string& text : request.notches) {
    const auto numbers = parse_numbers("--notch", text, 3, 3);
    if (!numbers) return numbers.error();
    request.filter.notches[request.filter.notch_count++] = {
        static_cast<float>((*numbers)[0]), static_cast<float>((*numbers)[1]), static_cast<float>((*numbers)[2])};
  }
  return {};
}

Result<void> finish(const CLI::App& command, FilterRequest& request) {
  FilterOptions& f = request.filter;
  f.shape = request.shape.empty() ? FilterShape::kButterworth : value_of<FilterShape>(request.shape);
  f.dc = value_of<DcGain>(request.dc);
  f.boundary = value_of<Boundary>(request.boundary);
  f.domain = request.homomorphic ? FilterDomain::kLogarithm : FilterDomain::kLinear;
  if (auto good = parse_band(request); !good) return good;
  if (auto good = parse_notches(request); !good) return good;
  if (!request.gains.empty()) {
    const auto numbers = parse_numbers("--gains", request.gains, 2, 2);
    if (!numbers) return numbers.error();
    f.stop_gain = static_cast<float>((*numbers)[0]);
    f.pass_gain = static_cast<float>((*numbers)[1]);
  }
  if (command.count("--order") > 0 && f.shape != FilterShape::kButterworth) {
    return usage("--order is for --shape butterworth");
  }
  if (command.count("--log-offset") > 0 && !request.homomorphic) return usage("--log-offset needs --homomorphic");
  // A plan for 16x16 texels finds options that are wrong for every image.
  FilterOptions any = f;
  any.size = {16, 16};
  any.source = Format::kR32Sfloat;
  if (const auto plan = plan_filter(any); !plan) return usage(plan.error().message);
  return {};
}

// Whether the filter is a plain blur, so that a cut-out gets a blurred outline. Filters that sharpen or remove the mean
// give no meaningful alpha.
bool blurs(const FilterRequest& request) {
  const FilterOptions& f = request.filter;
  return f.band == FilterBand::kLowPass && request.gains.empty() && f.dc != DcGain::kRemove && !request.homomorphic &&
         request.notches.empty();
}

Result<FourierPicture> filter_picture(const FilterRequest& all, const FourierRequest& request, const Base& base) {
  FilterOptions options = all.filter;
  options.alpha = alpha_policy(all.alpha, blurs(all) ? AlphaPolicy::kFilter : AlphaPolicy::kPass, base);
  options.size = base.image.size();
  options.slices = base.image.slices();
  options.source = base.image.format();
  options.target = target_format(request, options.source);
  const auto plan = plan_filter(options);
  if (!plan) return plan.error();
  auto image = Image::create(plan->options.target, options.size, options.slices);
  if (!image) return image.error();
  FourierPicture made;
  const auto on_vulkan = [&](const vulkan::Device& device) -> Result<double> {
    const auto done = vulkan::filter_image(device, options, {}, base.image.view(), image->view());
    if (!done) return done.error();
    return done->gpu_microseconds;
  };
  const auto on_cpu = [&]() -> Result<void> {
    auto filter = cpu::Filter::create(options, {.threads = request.files.threads});
    if (!filter) return filter.error();
    return filter->apply(base.image.view(), image->view());
  };
  if (auto done = run_on_engine(request, made.report, {on_vulkan, on_cpu}); !done) return done.error();
  made.image = std::move(*image);
  made.report.domain = plan->domain;
  made.report.traffic = plan->traffic;
  made.report.passes = 3;
  const auto transform = plan_transform(plan->image_transform);
  if (transform) made.report.plan = explain_fused(*transform, "multiplication by the gain", 0);
  return made;
}

void add_options(CLI::App& command, FilterRequest& request) {
  FilterOptions& f = request.filter;
  Group what(command, "Computation");
  what.add("--lowpass", request.low, "F", "Pass frequencies below F cycles per texel (0.5: the highest)");
  what.add("--highpass", request.high, "F", "Pass frequencies above F");
  what.add("--bandpass", request.pass, "F1,F2", "Pass frequencies between F1 and F2");
  what.add("--bandstop", request.stop, "F1,F2", "Stop frequencies between F1 and F2");
  what.add("--blur", request.blur, "SIGMA", "Gaussian blur of this standard deviation in texels");
  what.add("--notch", request.notches, "FX,FY,R",
           "Stop the frequencies within R of (FX, FY) and of its mirror image; repeatable")
      ->allow_extra_args(false);
  what.choice<FilterShape>("--shape", request.shape, "Shape of the transition (default butterworth)");
  what.add("--order", f.order, "N", "Steepness of butterworth, 1 to 64 (default 2)");
  what.add("--gains", request.gains, "STOP,PASS", "Gains of stopped and of passed frequencies (default 0,1)");
  what.choice<DcGain>("--dc", request.dc,
                      "Mean of the image: filtered as any frequency, kept or removed (default filter)");
  what.flag("--homomorphic", request.homomorphic,
            "Filter logarithms; with --highpass and --gains 0.5,1.2 this evens out lighting");
  what.add("--log-offset", f.log_offset, "X", "Added before the logarithm (default 1/256)");
  what.choice<Boundary>("--boundary", request.boundary, "Texels beyond the edges (default mirror)");
  what.add("--margin", f.margin, "N", "Width of the boundary in texels; 0: chosen by the filter (default 0)");
  what.choice<AlphaPolicy>("--alpha", request.alpha,
                           "Alpha: pass leaves it unchanged (default filter with --blur and --lowpass, else pass)");
}

}  // namespace

Command add_filter(CLI::App& app) {
  CLI::App* command = app.add_subcommand("filter", "Filter images by frequency");
  command->footer(
      "Examples:\n"
      "  onepass filter photo.jpg -o smooth.png --lowpass 0.1 --order 2\n"
      "  onepass filter photo.jpg -o edges.png --highpass 0.05 --dc keep\n"
      "  onepass filter scan.png -o clean.png --notch 0.25,0.1,0.01\n"
      "  onepass filter face.png -o even.png --homomorphic --highpass 0.02 --gains 0.4,1.2 --dc keep");
  auto request = std::make_shared<FilterRequest>();
  add_fourier_options(*command, request->common);
  add_options(*command, *request);
  return [=] {
    if (auto good = finish(*command, *request); !good) return usage_error(request->common, good.error());
    return run_fourier(*command, request->common, picture_maker([&](const FourierRequest& common, const Base& base) {
      return filter_picture(*request, common, base);
    }));
  };
}

}  // namespace onepass::cli
