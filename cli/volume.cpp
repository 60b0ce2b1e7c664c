// volume.cpp: `onepass volume`: pyramids of volumes (3-D images) that are larger than memory.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "console.hpp"
#include "fourier_command.hpp"
#include "json_text.hpp"
#include "onepass/volume_files.hpp"
#include "option_group.hpp"
#include "option_names.hpp"
#include "path_of.hpp"
#include "picture_options.hpp"
#include "shard.hpp"
#include "shown_input.hpp"
#include "system.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

using volumes::VolumeCompression;
using volumes::VolumeFileDeconvolution;
using volumes::VolumeFileOptions;
using volumes::VolumeFileReport;
using volumes::VolumeProgress;

constexpr Name<VolumeCompression> kVolumeCompressions[] = {{"zstd", VolumeCompression::kZstd},
                                                           {"none", VolumeCompression::kNone},
                                                           {"blosc-lz4", VolumeCompression::kBloscLz4},
                                                           {"blosc-zstd", VolumeCompression::kBloscZstd}};

struct VolumeRequest {
  VolumeFileOptions options;
  std::string input, output, raw, planes, voxel_size, shard, max_memory;
  VolumeFileDeconvolution deconvolution;
  std::string psf, psf_raw, origin, halo, acceleration = "none", start = "image";
  std::string steps = "auto", chunk, shard_size, reduction = "mean", compression = "zstd";
  bool json = false;
  bool quiet = false;
};

std::string volume_text(const VolumeSize& size) {
  return fmt::format("{}x{}x{}", size.width, size.height, size.planes);
}

/// "2x2x1", or one number for all axes.
template <typename T>
std::optional<std::array<T, 3>> parse_axes(std::string_view text) {
  std::array<T, 3> values{};
  size_t count = 0;
  for (const char* at = text.data(); count < 3;) {
    const auto [end, code] = std::from_chars(at, text.data() + text.size(), values[count]);
    if (code != std::errc()) return std::nullopt;
    ++count;
    if (end == text.data() + text.size()) break;
    if (*end != 'x' || count == 3) return std::nullopt;
    at = end + 1;
  }
  if (count == 1) values[1] = values[2] = values[0];
  return count == 2 ? std::nullopt : std::optional(values);
}

Result<VolumeSize> parse_voxels(const char* option, const std::string& text) {
  const auto axes = parse_axes<uint32_t>(text);
  if (axes && (*axes)[0] > 0 && (*axes)[1] > 0 && (*axes)[2] > 0) return VolumeSize{(*axes)[0], (*axes)[1], (*axes)[2]};
  return usage(fmt::format("{}: '{}' is not N or XxYxZ, for example 64 or 128x128x32", option, text));
}

Result<VoxelSize> parse_voxel_size(const std::string& text) {
  const auto axes = parse_axes<double>(text);
  const auto fits = [](double extent) { return extent > 0 && extent < 1e30; };
  if (axes && fits((*axes)[0]) && fits((*axes)[1]) && fits((*axes)[2])) {
    return VoxelSize{(*axes)[0], (*axes)[1], (*axes)[2]};
  }
  return usage(fmt::format("--voxel-size: '{}' is not XxYxZ in micrometres, for example 0.4x0.4x2", text));
}

/// "auto", or axes of each step: "xyz", "xy,xy,xyz".
Result<std::vector<VolumeStep>> parse_steps(const std::string& text) {
  std::vector<VolumeStep> steps;
  if (text == "auto") return steps;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, comma - begin);
    VolumeStep step = {1, 1, 1};
    bool fine = !word.empty();
    for (const char axis : word) {
      uint32_t* const factor = axis == 'x' ? &step.x : axis == 'y' ? &step.y : axis == 'z' ? &step.z : nullptr;
      fine = fine && factor != nullptr && *factor == 1;
      if (factor != nullptr) *factor = 2;
    }
    if (!fine) {
      return usage(
          fmt::format("--steps: '{}' is not auto or the axes of each step, for example xyz or xy,xy,xyz", text));
    }
    steps.push_back(step);
    begin = comma + 1;
  }
  return steps;
}

std::string speed_text(const VolumeProgress& p) {
  const double rate = p.seconds > 0 ? static_cast<double>(p.voxels) / p.seconds / 1e6 : 0;
  return fmt::format("{:.0f} Mvoxel/s", rate);
}

/// The share of the work that is done. Deconvolutions take most of the time.
double share_of(const VolumeProgress& p, bool deconvolves) {
  const double reduced = p.all_voxels > 0 ? static_cast<double>(p.voxels) / static_cast<double>(p.all_voxels) : 1;
  return deconvolves ? 0.9 * p.deconvolved + 0.1 * reduced : reduced;
}

std::string progress_text(const VolumeProgress& p, bool deconvolves) {
  const double share = share_of(p, deconvolves);
  const auto seconds = static_cast<uint64_t>(share > 0 ? p.seconds / share * (1 - share) + 0.5 : 0);
  const std::string left =
      share > 0 ? fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60) : "?";
  return fmt::format("{}, {} left, {} written, peak {}",
                     deconvolves ? fmt::format("{:.0f}% deconvolved", 100 * p.deconvolved) : speed_text(p), left,
                     bytes_text(static_cast<double>(p.bytes_written)),
                     bytes_text(static_cast<double>(system::peak_memory())));
}

Json size_json(const VolumeSize& size) { return {size.width, size.height, size.planes}; }

std::string input_of(const VolumeRequest& request) { return request.planes.empty() ? request.input : request.planes; }

Json volume_json(const VolumeRequest& request, const VolumeFileReport& report) {
  Json json;
  json["input"] = input_of(request);
  json["output"] = report.output.string();
  if (!report.viewer.empty()) json["viewer"] = report.viewer.string();
  json["type"] = voxel_info(report.type).name;
  json["times"] = report.times;
  json["channels"] = report.channels;
  json["reduction"] = request.reduction;
  json["sizes"] = Json::array();
  for (const VolumeSize& size : report.sizes) json["sizes"].push_back(size_json(size));
  json["steps"] = Json::array();
  for (const auto& [x, y, z] : report.steps) json["steps"].push_back({x, y, z});
  json["zarr"] = request.options.zarr_version;
  json["chunk"] = size_json(report.chunk);
  json["shard_size"] = size_json(report.shard_size);
  json["compression"] = request.compression;
  json["block"] = size_json(report.block);
  json["block_level"] = report.block_level;
  json["blocks"] = report.progress.blocks;
  json["blocks_kept"] = report.progress.blocks_kept;
  json["bytes_written"] = report.progress.bytes_written;
  json["seconds"] = report.progress.seconds;
  json["planned_memory"] = report.planned_bytes;
  json["peak_memory"] = system::peak_memory();
  json["was_complete"] = report.was_complete;
  json["warnings"] = report.warnings;
  const VolumeFileOptions& o = request.options;
  if (o.shard.count > 0) json["shard"] = {{"index", o.shard.index}, {"count", o.shard.count}};
  if (o.merge > 0) json["merge"] = o.merge;
  if (o.deconvolution) {
    json["deconvolution"] = {{"psf", request.psf},
                             {"iterations", o.deconvolution->iterations},
                             {"tiles", size_json(report.deconvolution_tiles)}};
  }
  return json;
}

std::string volume_line(const VolumeRequest& request, const VolumeFileReport& report) {
  const std::string output = report.output.string();
  if (report.was_complete) {
    return request.options.shard.count > 0
               ? output + " is complete already"
               : output + ": the finished output of an interrupted run was put in its place";
  }
  const uint32_t volumes = report.times * report.channels;
  const VolumeProgress& p = report.progress;
  std::string blocks;
  const VolumeSize& tiles = report.deconvolution_tiles;
  if (tiles.width > 0) {
    const uint64_t count = uint64_t{tiles.width} * tiles.height * tiles.planes;
    blocks = fmt::format("deconvolved in {} tile{}, ", count, count == 1 ? "" : "s");
  }
  blocks += fmt::format("{} block{}", p.blocks, p.blocks == 1 ? "" : "s");
  if (p.blocks_kept > 0) blocks += fmt::format(" and {} kept", p.blocks_kept);
  return fmt::format("{} -> {}: {}{} of {}, {} level{}, {}, {} in {} ({}, peak {})", input_of(request), output,
                     volumes > 1 ? fmt::format("{} volumes of ", volumes) : "", volume_text(report.sizes.front()),
                     voxel_info(report.type).name, report.sizes.size(), report.sizes.size() == 1 ? "" : "s", blocks,
                     bytes_text(static_cast<double>(p.bytes_written)), time_text(p.seconds * 1000), speed_text(p),
                     bytes_text(static_cast<double>(system::peak_memory())));
}

/// Options of sizes.
Result<void> finish_sizes(VolumeRequest& r) {
  VolumeFileOptions& o = r.options;
  if (!r.voxel_size.empty()) {
    const auto voxel = parse_voxel_size(r.voxel_size);
    if (!voxel) return voxel.error();
    o.input.voxel = *voxel;
  }
  auto steps = parse_steps(r.steps);
  if (!steps) return steps.error();
  o.steps = std::move(*steps);
  if (!r.chunk.empty()) {
    const auto chunk = parse_voxels("--chunk", r.chunk);
    if (!chunk) return chunk.error();
    o.chunk = *chunk;
  }
  if (!r.shard_size.empty()) {
    const auto size = parse_voxels("--shard-size", r.shard_size);
    if (!size) return size.error();
    o.shard_size = *size;
  }
  return {};
}

/// Options of the deconvolution.
Result<void> finish_deconvolution(const CLI::App& command, VolumeRequest& r) {
  if (command.count("--deconvolve") == 0) {
    for (const char* option :
         {"--psf-raw", "--origin", "--iterations", "--acceleration", "--start", "--background", "--halo", "--float"}) {
      if (command.count(option) > 0) return usage(fmt::format("{} is for --deconvolve", option));
    }
    return {};
  }
  if (r.psf == "-") return usage("--deconvolve -: a point spread function is read from a file");
  VolumeFileDeconvolution& d = r.deconvolution;
  if (r.psf.find("{z}") != std::string::npos) {
    d.kernel.planes = r.psf;
  } else {
    d.kernel.path = path_of(r.psf);
    r.psf = shown_input(r.psf);
  }
  d.kernel.raw = r.psf_raw;
  d.acceleration = value_of<DeconvolutionAcceleration>(r.acceleration);
  d.start = value_of<DeconvolutionStart>(r.start);
  if (!r.origin.empty()) {
    const auto numbers = parse_numbers("--origin", r.origin, 3, 3);
    if (!numbers) return numbers.error();
    std::array<uint32_t, 3> at{};
    for (size_t i = 0; i < 3; ++i) {
      at[i] = static_cast<uint32_t>(std::clamp((*numbers)[i], 0.0, 1e9));
      if (at[i] != (*numbers)[i]) return usage(fmt::format("--origin: {} is not three whole numbers", r.origin));
    }
    d.kernel_origin = VolumePoint{at[0], at[1], at[2]};
  }
  if (!r.halo.empty()) {
    const auto halo = parse_axes<uint32_t>(r.halo);
    if (!halo) return usage(fmt::format("--halo: '{}' is not N or XxYxZ, for example 32 or 32x32x16", r.halo));
    d.halo = VolumeSize{(*halo)[0], (*halo)[1], (*halo)[2]};
  }
  r.options.deconvolution = d;
  return {};
}

Result<void> finish_volume(const CLI::App& command, VolumeRequest& r) {
  VolumeFileOptions& o = r.options;
  if (r.input.empty() == r.planes.empty()) return usage("either an input or --planes is needed");
  if (r.input == "-") return usage("volume reads files, not standard input, which has no places to go back to");
  if (r.output == "-") return usage("-o -: volume writes directories, not standard output");
  o.input.path = path_of(r.input);
  r.input = shown_input(r.input);
  o.input.raw = r.raw;
  o.input.planes = r.planes;
  o.output = path_of(r.output);
  if (auto done = finish_sizes(r); !done) return done;
  if (auto done = finish_deconvolution(command, r); !done) return done;
  if (!r.max_memory.empty()) {
    const auto memory = parse_memory(r.max_memory);
    if (!memory) return memory.error();
    o.max_bytes = *memory;
  }
  if (command.count("--shard") > 0) {
    const auto shard = parse_shard(r.shard);
    if (!shard) return shard.error();
    o.shard = {shard->index, shard->count};
  }
  if (command.count("--merge") > 0 && o.merge == 0) return usage("--merge: 0 is not the number of shards");
  o.reduction = value_of<Reduction>(r.reduction);
  o.compression = value_of(kVolumeCompressions, r.compression);
  return {};
}

int run_volume(const CLI::App& command, VolumeRequest& request) {
  Console console({.quiet = request.quiet, .json = request.json});
  if (auto good = finish_volume(command, request); !good) {
    console.error(good.error().text());
    return kUsage;
  }
  request.options.progress = [&](const VolumeProgress& p) {
    if (p.all_voxels == 0) return true;  // a server is asked for the input
    const bool deconvolves = request.options.deconvolution.has_value();
    console.bar(share_of(p, deconvolves), progress_text(p, deconvolves));
    return true;
  };
  const auto report = volumes::make_volume(request.options);
  console.clear_bar();
  if (!report) {
    const Error error = in_option_names(report.error());
    console.error(error.text());
    return error.code == ErrorCode::kInvalidArgument ? kUsage : kSomeFailed;
  }
  for (const std::string& warning : report->warnings) console.warning(input_of(request) + ": " + warning);
  if (request.json) {
    print_output("{}\n", json_text(volume_json(request, *report)));
  } else {
    console.line(volume_line(request, *report));
  }
  return console.flush() ? kAllGood : kSomeFailed;
}

void add_volume_options(CLI::App& command, VolumeRequest& request) {
  VolumeFileOptions& o = request.options;
  Group files(command, "Files");
  files.add("IN", request.input, "FILE",
            "OME-Zarr, OME-TIFF, a stack of TIFF pages (also http, https), NIfTI; with --raw any file");
  files.add("-o,--output", request.output, "OUT", "Output: a directory NAME.zarr")->required();
  files.add("--raw", request.raw, "XxYxZ:FORMAT[:be][+OFFSET]",
            "Voxels without a header: uint8, int8, uint16, int16, uint32, int32, uint64, float16 or float32");
  files.add("--planes", request.planes, "PATTERN", "One file per plane, {z}: its number, as in plane_{z}.tif");
  files.add("--voxel-size", request.voxel_size, "XxYxZ",
            "Extents of a voxel in micrometres (default: as the file says)");
  files.flag("--viewer", o.viewer, "Also write NAME.html, a page that shows the output from any web server");
  files.flag("--resume", o.resume, "Continue the unfinished output of an interrupted run");
  files.add("--shard", request.shard, "I/N",
            "Make shard I of N, from 0 to N-1; auto/N: I from the variables of Slurm, Kubernetes or AWS Batch");
  files.add("--merge", o.merge, "N", "Join N shards: the coarsest levels and the finished output");
  Group what(command, "Levels");
  what.add("--levels", o.levels, "N", "Levels with the base (default: until one chunk holds a level)");
  what.add("--steps", request.steps, "AXES[,AXES...]",
           "Axes that each level halves, the last repeated: xyz, or xy,xy,xyz (default auto: towards cubic voxels)");
  what.choice<Reduction>("--reduction", request.reduction, "Combination of voxels (default mean); mode: labels",
                         {Reduction::kMinMax});
  Group deconvolution(command, "Deconvolution");
  VolumeFileDeconvolution& d = request.deconvolution;
  deconvolution.add(
      "--deconvolve", request.psf, "PSF",
      "First undo a blur (Richardson-Lucy) by its measured point spread function: a volume, or one channel "
      "for each of IN");
  deconvolution.add("--psf-raw", request.psf_raw, "XxYxZ:FORMAT", "The PSF is a file without a header, as --raw");
  deconvolution.add("--origin", request.origin, "X,Y,Z",
                    "Voxel of the PSF at the position of the light (default half of its size, rounded down)");
  deconvolution.add("--iterations", d.iterations, "N", "1 to 10000; more: sharper and noisier (default 20)");
  deconvolution.choice<DeconvolutionAcceleration>("--acceleration", request.acceleration,
                                                  "momentum: fewer iterations, more memory (default none)");
  deconvolution.choice<DeconvolutionStart>("--start", request.start, "The first estimate (default image)");
  deconvolution.add("--background", d.background, "VALUE", "Of the detector, in units of IN (default 0)");
  deconvolution.add("--halo", request.halo, "N|XxYxZ",
                    "Voxels that a tile reads around itself where memory makes tiles (default half of the PSF)");
  deconvolution.flag("--float", d.as_float, "Write float32 (default: the type of IN, rounded and clipped)");
  Group output(command, "Output");
  output.add("--zarr", o.zarr_version, "2|3", "Version of Zarr (default 3: OME-NGFF 0.5; 2: OME-NGFF 0.4)");
  output.add("--chunk", request.chunk, "N|XxYxZ", "Voxels of a chunk (default 64; fewer planes of flat volumes)");
  output.add("--shard-size", request.shard_size, "N|XxYxZ",
             "Voxels of a file of chunks, Zarr 3 (default four chunks per axis; that of a chunk: one per file)");
  output.choice("--compression", request.compression, kVolumeCompressions, "Codec of chunks (default zstd)");
  Group report(command, "Run");
  report.add("--threads", o.threads, "N", "Threads (default those that the process may use)")
      ->check(silent(CLI::Range(1, 1024)));
  report.add("--max-memory", request.max_memory, "BYTES", "Memory of the run; K, M, G are powers of 1024 (default 1G)");
  report.flag("--json", request.json, "Print one JSON object");
  report.flag("-q,--quiet", request.quiet, "Print errors only");
}

}  // namespace

Command add_volume(CLI::App& app) {
  CLI::App* command = app.add_subcommand("volume", "Make pyramids of volumes (3-D images) larger than memory");
  command->footer(
      "The output is OME-Zarr. An interrupted run leaves OUT.unfinished, which --resume continues. Many machines make "
      "a\n"
      "pyramid together with --shard, and one of them joins the shards with --merge.\n"
      "Examples:\n"
      "  onepass volume brain.zarr -o pyramid.zarr\n"
      "  onepass volume https://host/brain.zarr -o pyramid.zarr\n"
      "  onepass volume --planes 'plane_{z}.tif' -o stack.zarr --voxel-size 0.4x0.4x2\n"
      "  onepass volume scan.raw --raw 2048x2048x700:uint16 -o scan.zarr --zarr 2\n"
      "  onepass volume labels.zarr -o labels_pyramid.zarr --reduction mode\n"
      "  onepass volume cells.tif -o sharp.zarr --deconvolve psf.tif --background 100 --acceleration momentum --float\n"
      "  onepass volume brain.zarr -o pyramid.zarr --shard 0/4      (also 1/4, 2/4 and 3/4, on any machines)\n"
      "  onepass volume brain.zarr -o pyramid.zarr --merge 4");
  auto request = std::make_shared<VolumeRequest>();
  add_volume_options(*command, *request);
  return [=] { return run_volume(*command, *request); };
}

}  // namespace onepass::cli
