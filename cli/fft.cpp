// fft.cpp: `onepass fft`: transforms images to spectrum files, draws spectra as PNG, and transforms spectra back.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>

#include "commands.hpp"
#include "console.hpp"
#include "elapsed.hpp"
#include "fourier_command.hpp"
#include "interrupt.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "option_group.hpp"
#include "path_of.hpp"
#include "spectrum_file.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

struct FftRequest {
  FourierRequest common;
  std::string norm = "backward", origin = "corner";
  bool inverse = false;
  bool phase = false;
  bool only_picture = false;  ///< The output is the drawing; no spectrum is written.
};

Result<void> finish(const CLI::App& command, FftRequest& request) {
  Request& files = request.common.files;
  if (request.inverse) {
    for (const char* option : {"--png", "--phase", "--norm", "--origin", "--channel", "--color"}) {
      if (command.count(option) > 0) return usage(fmt::format("{} and --inverse exclude each other", option));
    }
    if (files.output.empty()) return usage("--inverse needs --output");
    return {};
  }
  if (command.count("--format") > 0) return usage("--format needs --inverse");
  if (files.output.empty() && files.sheet.empty()) return usage("--output or --png is needed");
  if (request.phase && files.sheet.empty()) return usage("--phase needs --png");
  request.only_picture = files.output.empty();
  if (request.only_picture) std::swap(files.output, files.sheet);
  files.extension = request.only_picture ? ".png" : ".exr";
  std::string& format = files.picture.output_format;
  if (files.output == "-" && format.empty()) format = files.extension.substr(1);
  if (!format.empty() && "." + format != files.extension) {
    return usage(
        fmt::format("--output-format: {} cannot store a {}", format, request.only_picture ? "picture" : "spectrum"));
  }
  const std::filesystem::path output = path_of(files.output);
  const auto wanted = request.only_picture ? files::Type::kPng : files::Type::kExr;
  if (output.has_extension() && !std::filesystem::is_directory(output) && files::type_of_extension(output) != wanted) {
    return usage(fmt::format(
        "{}: {}", files.output,
        request.only_picture ? "the picture's extension must be .png" : "a spectrum's extension must be .exr"));
  }
  return {};
}

// Draws a whole spectrum, DC in the middle: a value from 0 to 1 per channel.
class SpectrumPicture {
 public:
  SpectrumPicture(const TransformPlan& plan, const std::vector<std::byte>& spectrum) : plan_(plan), data_(spectrum) {
    std::vector<float> sample;
    for (size_t i = 0; i < data_.size() / 8; ++i) {
      const double magnitude = std::abs(pair(i));
      if (!std::isfinite(magnitude)) continue;
      most_ = std::max(most_, magnitude);
      if (i % 61 == 0) sample.push_back(static_cast<float>(magnitude));
    }
    // Magnitudes are scaled to unnormalised sums over texels, whatever the norm. Black lies at the first percentile.
    unit_ = 1 / plan.forward_factor;
    if (sample.size() < 100) return;
    const auto weak = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 100);
    std::nth_element(sample.begin(), weak, sample.end());
    black_ = std::log1p(*weak * unit_);
  }

  [[nodiscard]] Result<Image> draw(bool phase) const {
    const Extent size = plan_.options.size;
    const uint32_t colours = std::min(plan_.spectrum_channels, 3U);
    auto image = Image::create(colours == 1 ? Format::kR8Unorm : Format::kRGBA8Unorm, size);
    if (!image) return image.error();
    std::vector<float> row(size_t{4} * size.width);
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        float* texel = &row[size_t{4} * x];
        texel[0] = texel[1] = texel[2] = 0;
        texel[3] = 1;
        const uint32_t kx = (x + size.width - size.width / 2) % size.width;
        const uint32_t ky = (y + size.height - size.height / 2) % size.height;
        for (uint32_t c = 0; c < colours; ++c) texel[c] = static_cast<float>(shown(value(kx, ky, c), phase));
      }
      encode_row(image->format(), row.data(), size.width, image->view().row(y));
    }
    return image;
  }

 private:
  [[nodiscard]] std::complex<double> pair(size_t i) const {
    float parts[2];
    std::copy_n(data_.data() + 8 * i, 8, reinterpret_cast<std::byte*>(parts));
    return {parts[0], parts[1]};
  }

  // The value at any frequency; those that are not stored are conjugates of stored ones.
  [[nodiscard]] std::complex<double> value(uint32_t kx, uint32_t ky, uint32_t c) const {
    const Extent size = plan_.options.size;
    const bool stored = kx < plan_.spectrum_size.width;
    const uint32_t x = stored ? kx : size.width - kx;
    uint32_t y = stored ? ky : (size.height - ky) % size.height;
    if (plan_.options.origin == SpectrumOrigin::kCentre) y = (y + size.height / 2) % size.height;
    const std::complex<double> found = pair(plan_.index(x, y, c));
    return stored ? found : std::conj(found);
  }

  [[nodiscard]] double shown(std::complex<double> value, bool phase) const {
    const double magnitude = std::abs(value);
    const double white = std::log1p(most_ * unit_);
    if (!phase) return white > black_ ? (std::log1p(magnitude * unit_) - black_) / (white - black_) : 0;
    if (!(magnitude > 1e-7 * most_)) return 0.5;  // only rounding error
    return std::arg(value) / (2 * std::numbers::pi) + 0.5;
  }

  const TransformPlan& plan_;
  const std::vector<std::byte>& data_;
  double most_ = 0;
  double unit_ = 1;
  double black_ = 0;
};

// Channels to transform: without alpha if it is 1 everywhere, which the inverse writes anyway.
uint32_t channels_of(const Image& image) {
  const uint32_t channels = format_info(image.format()).channels;
  if (channels < 4) return channels;
  std::vector<float> row(size_t{4} * image.size().width);
  for (uint32_t y = 0; y < image.size().height; ++y) {
    decode_row(image.format(), image.view().row(y), image.size().width, row.data());
    for (size_t i = 3; i < row.size(); i += 4) {
      if (row[i] != 1) return 4;
    }
  }
  return 3;
}

// How the GPU transforms along one axis, for --explain.
std::string stage_text(const vulkan::StagePlan& stage) {
  std::string radices;
  for (uint32_t i = 0; i < stage.passes; ++i) radices += fmt::format("{}{}", i == 0 ? "" : " x ", stage.radices[i]);
  const std::string length =
      stage.transform_length == stage.length ? "" : fmt::format("as a convolution of {}, ", stage.transform_length);
  const char* how = stage.technique == FourierTechnique::kSharedMemory ? "in shared memory"
                    : stage.technique == FourierTechnique::kFourStep   ? "four-step"
                                                                       : "one dispatch per pass";
  return fmt::format("on the GPU, {}: {}{}, {}, {}; reads {}, writes {}", stage.axis == Axis::kX ? "rows" : "columns",
                     length, radices, how,
                     stage.dispatches == 1 ? "one dispatch" : fmt::format("{} dispatches", stage.dispatches),
                     bytes_text(static_cast<double>(stage.traffic.bytes_read)),
                     bytes_text(static_cast<double>(stage.traffic.bytes_written)));
}

std::vector<std::string> explain(const TransformPlan& plan, bool inverse,
                                 const std::vector<vulkan::StagePlan>& stages) {
  const TransformOptions& o = plan.options;
  const Traffic& traffic = inverse ? plan.inverse : plan.forward;
  const auto bytes = [](uint64_t count) { return bytes_text(static_cast<double>(count)); };
  const std::string rows =
      fmt::format("rows: {} lines of {}, {} channels", o.size.height, length_text(o.size.width), o.channels);
  const std::string columns =
      fmt::format("columns: {} lines of {}", plan.spectrum_size.width, length_text(o.size.height));
  // Bytes that pass 1 writes and pass 2 reads; the rest of the traffic is image and spectrum.
  const uint64_t between = uint64_t{8} * plan.spectrum_size.width * plan.spectrum_channels * o.size.height;
  std::vector<std::string> lines = {
      fmt::format("spectrum {} of {} channels, {}", size_text(plan.spectrum_size), plan.spectrum_channels,
                  bytes(plan.spectrum_bytes)),
      fmt::format("pass 1, {}; reads {}, writes {}", inverse ? columns : rows, bytes(traffic.bytes_read - between),
                  bytes(between)),
      fmt::format("pass 2, {}; reads {}, writes {}", inverse ? rows : columns, bytes(between),
                  bytes(traffic.bytes_written - between)),
      fmt::format("reads {}, writes {}", bytes(traffic.bytes_read), bytes(traffic.bytes_written))};
  for (const vulkan::StagePlan& stage : stages) lines.push_back(stage_text(stage));
  return lines;
}

/// Fills the report. `stages`: the GPU's stages; empty if the CPU transformed.
void describe(FourierReport& report, const FourierRequest& request, const TransformPlan& plan, bool inverse,
              const std::vector<vulkan::StagePlan>& stages) {
  report.domain = plan.options.size;
  report.traffic = inverse ? plan.inverse : plan.forward;
  report.passes = 2;
  if (request.explain) report.plan = explain(plan, inverse, stages);
}

Result<FourierReport> forward(const FftRequest& all, const FourierRequest& request, const Unit& unit) {
  const std::string& name = unit.inputs.front();
  auto start = Clock::now();
  auto base = load_base(request.files, unit.inputs);
  if (!base) return base.error().context.empty() ? about_file(name, base.error()) : base.error();
  FourierReport report;
  report.read_ms = milliseconds_since(start);
  if (base->image.slices() != 1) {
    return Error{ErrorCode::kUnsupported, fmt::format("has {} slices; a spectrum has one", base->image.slices()), name};
  }
  start = Clock::now();
  const TransformOptions options{.size = base->image.size(),
                                 .channels = channels_of(base->image),
                                 .source = base->image.format(),
                                 .target = target_format(request, base->image.format()),
                                 .norm = value_of<Norm>(all.norm),
                                 .origin = value_of<SpectrumOrigin>(all.origin)};
  const auto planned = plan_transform(options);
  if (!planned) return about_file(name, planned.error());
  const TransformPlan& plan = *planned;
  std::vector<std::byte> spectrum(plan.spectrum_bytes);
  std::vector<vulkan::StagePlan> stages;
  const auto on_vulkan = [&](const vulkan::Device& device) -> Result<double> {
    const auto done = vulkan::transform_forward(device, options, {}, base->image.view(), spectrum);
    if (!done) return done.error();
    stages = done->plan.forward;
    return done->gpu_microseconds;
  };
  const auto on_cpu = [&]() -> Result<void> {
    auto transform = cpu::Transform::create(options, {.threads = request.files.threads});
    if (!transform) return transform.error();
    return transform->forward(base->image.view(), spectrum);
  };
  if (auto done = run_on_engine(request, report, {on_vulkan, on_cpu}); !done) return about_file(name, done.error());
  report.make_ms = milliseconds_since(start);
  describe(report, request, plan, false, stages);
  report.source = options.source;
  report.target = Format::kRG32Sfloat;
  report.size = plan.spectrum_size;

  start = Clock::now();
  const std::filesystem::path picture = all.only_picture ? unit.output : unit.sheet;
  if (auto ready = make_directory(request.files.output, unit.output); !ready) return ready.error();
  files::FileSet set;  // the spectrum and its picture appear together
  if (!all.only_picture) {
    const auto writer = [&](const std::filesystem::path& path) {
      return write_spectrum(path.string(), plan, spectrum, base->info);
    };
    if (auto done = set.write(unit.output, writer); !done) return done.error();
    report.outputs.push_back(unit.output);
  }
  if (!picture.empty()) {
    if (auto ready = make_directory(request.files.sheet, unit.sheet); !ready) return ready.error();
    auto image = SpectrumPicture(plan, spectrum).draw(all.phase);
    if (!image) return image.error();
    const auto writer = [&](const std::filesystem::path& path) {
      return files::write_png(path, image->view(), {.color = files::Color::kLinear, .threads = request.files.threads});
    };
    if (auto done = set.write(picture, writer); !done) return done.error();
    report.outputs.push_back(picture);
  }
  if (auto done = commit_files(set); !done) return done.error();
  report.write_ms = milliseconds_since(start);
  report.warnings = std::move(base->warnings);
  return report;
}

Result<FourierReport> inverse(const FourierRequest& request, const Unit& unit) {
  const std::string& name = unit.inputs.front();
  FourierReport report;
  auto start = Clock::now();
  auto file = read_spectrum(request.files, name);
  if (!file) return file.error();
  report.read_ms = milliseconds_since(start);
  start = Clock::now();
  if (request.files.target != Format::kUndefined) file->options.target = request.files.target;
  const auto plan = plan_transform(file->options);
  if (!plan) return about_file(name, plan.error());
  auto image = Image::create(file->options.target, file->options.size);
  if (!image) return image.error();
  std::vector<vulkan::StagePlan> stages;
  const auto on_vulkan = [&](const vulkan::Device& device) -> Result<double> {
    const auto done = vulkan::transform_inverse(device, file->options, {}, file->spectrum, image->view());
    if (!done) return done.error();
    stages = done->plan.inverse;
    return done->gpu_microseconds;
  };
  const auto on_cpu = [&]() -> Result<void> {
    auto transform = cpu::Transform::create(file->options, {.threads = request.files.threads});
    if (!transform) return transform.error();
    return transform->inverse(file->spectrum, image->view());
  };
  if (auto done = run_on_engine(request, report, {on_vulkan, on_cpu}); !done) return about_file(name, done.error());
  report.make_ms = milliseconds_since(start);
  describe(report, request, *plan, true, stages);
  report.source = Format::kRG32Sfloat;
  report.target = file->options.target;
  report.size = file->options.size;
  start = Clock::now();
  Base base;
  base.image = std::move(*image);
  base.info = std::move(file->info);
  base.type = files::Type::kExr;
  base.stored_alpha = base.info.alpha;
  const files::Type type = files::type_of_extension(unit.output);
  const auto primaries = output_primaries_for(request.files.picture, base, type);
  if (auto done = convert_primaries(base, primaries, request.files.threads); !done)
    return about_file(name, done.error());
  const AlphaAssociation alpha = output_alpha_for(request.files.picture, base, type);
  if (auto done = write_picture(request.files, unit.output, base.image.view(), base.info, alpha); !done) {
    return done.error();
  }
  report.outputs = {unit.output};
  report.write_ms = milliseconds_since(start);
  return report;
}

}  // namespace

Command add_fft(CLI::App& app) {
  CLI::App* command = app.add_subcommand("fft", "Transform images to spectra and back");
  command->footer(
      "A spectrum is an OpenEXR file of (W/2+1)xH frequencies with channels R.re, R.im, G.re ... and what --inverse "
      "needs\n"
      "to restore the picture: size, norm, origin and format.\n"
      "Examples:\n"
      "  onepass fft photo.jpg -o spectrum.exr --png magnitude.png\n"
      "  onepass fft photo.jpg --png phase.png --phase\n"
      "  onepass fft spectrum.exr --inverse -o photo_again.png");
  auto request = std::make_shared<FftRequest>();
  add_fourier_options(*command, request->common, {.output_required = false, .slices = false});
  Group what(*command, "Computation");
  what.flag("--inverse", request->inverse, "INPUT is a spectrum; restore its picture");
  what.add("--png", request->common.files.sheet, "FILE.png",
           "Draw the spectrum: logarithm of its magnitude, frequency 0 in the middle, scaled to white");
  what.flag("--phase", request->phase, "With --png: draw the phase instead, -180 degrees black, 180 white");
  what.choice<Norm>("--norm", request->norm, "Direction that divides by W*H (default backward: the inverse)");
  what.choice<SpectrumOrigin>("--origin", request->origin,
                              "Row of frequency 0 in the file: first or middle (default corner)");
  return [=] {
    if (auto good = finish(*command, *request); !good) return usage_error(request->common, good.error());
    return run_fourier(*command, request->common, [&](const FourierRequest& common, const Unit& unit) {
      return request->inverse ? inverse(common, unit) : forward(*request, common, unit);
    });
  };
}

}  // namespace onepass::cli
