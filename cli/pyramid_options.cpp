// pyramid_options.cpp: the options that `mips` and `hiz` share, and what contradicts what.
#include "pyramid_options.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>

namespace onepass::cli {
namespace {

constexpr std::string_view kFiles = "Files";
constexpr std::string_view kResult = "What is computed";
constexpr std::string_view kHow = "How it is computed";
constexpr std::string_view kReport = "What is reported";

CLI::Option* grouped(CLI::Option* option, std::string_view group) { return option->group(std::string(group)); }

void add_file_options(CLI::App& command, Request& request, RequestWords& words) {
  grouped(command.add_option("INPUT", request.inputs, "PNG, JPEG, EXR, HDR or KTX2 files")->required(), kFiles);
  grouped(
      command
          .add_option("-o,--output", request.output,
                      "Output: NAME.ktx2 (all levels and slices), NAME.exr (mip-mapped), NAME%d.png (a file a level; "
                      "NAME.png means NAME.%d.png). Several inputs: a directory (DIR/ makes .ktx2 files) or a name "
                      "with {name}, the input's name without extension")
          ->required(),
      kFiles);
  grouped(command.add_option("--sheet", request.sheet,
                             "Also draw all levels on one PNG; several inputs: a directory or a name with {name}"),
          kFiles);
  grouped(command
              .add_option("--channel", request.channels,
                          "Channels to read, by name: EXR channels or layers (Z, diffuse.R), R G B A of others")
              ->delimiter(',')
              ->allow_extra_args(false),
          kFiles);
  grouped(command.add_flag("--cube", request.cube, "Six inputs are the faces +X -X +Y -Y +Z -Z of a cube map"), kFiles);
  grouped(command.add_flag("--array", request.array, "The inputs are the layers of one array"), kFiles);
  grouped(command.add_option("--zstd", words.zstd, "Compress KTX2 with Zstandard: 1 to 22, 3 if no number is given")
              ->type_name("[LEVEL]"),
          kFiles);
}

void add_result_options(CLI::App& command, Request& request, RequestWords& words) {
  const bool mips = request.kind == Request::Kind::kMips;
  grouped(command
              .add_option("--reduction", words.reduction,
                          mips ? "How texels combine (default mean)"
                               : "How depths combine (default max, the farthest; min with --reversed-z)")
              ->check(CLI::IsMember(cli::words(kReductionNames))),
          kResult);
  grouped(command.add_option("--footprint", words.footprint, "Which base texels a texel stands for (default covering)")
              ->check(CLI::IsMember(cli::words(kFootprintNames))),
          kResult);
  grouped(command.add_option("--levels", request.pyramid.levels, "Number of levels, the base included (default all)")
              ->check(CLI::Range(1, static_cast<int>(kMaxLevels))),
          kResult);
  grouped(command
              .add_option("--format", words.format,
                          "Format of the levels (default: " + std::string(mips ? "that of the input)" : "r32_sfloat)"))
              ->check(CLI::IsMember(format_words(true))),
          kResult);
  grouped(command
              .add_option("--color", words.color,
                          std::string("How 8- and 16-bit values are encoded (default ") + (mips ? "auto)" : "linear)"))
              ->check(CLI::IsMember(cli::words(kColorNames))),
          kResult);
  if (mips) {
    grouped(command.add_option("--alpha", words.alpha, "Treatment of alpha (default independent)")
                ->check(CLI::IsMember(cli::words(kAlphaNames))),
            kResult);
    grouped(command.add_option("--alpha-threshold", request.pyramid.alpha_threshold,
                               "For --alpha coverage: texels at or above it count as opaque (default 0.5)"),
            kResult);
    grouped(command.add_flag("--normal-map", words.normal_map,
                             "Texels are unit vectors: renormalize; implies --color linear"),
            kResult);
  } else {
    grouped(command.add_flag("--reversed-z", request.reversed_z, "Depth 1 is near, 0 is far: reduction min"), kResult);
  }
  grouped(command.add_option("--region", words.region,
                             "With --update: only this rectangle of the base has changed; texels X,Y,WIDTH,HEIGHT"),
          kResult);
  grouped(
      command.add_option("--update", request.update,
                         "With --region: a KTX2 file made before; only texels that the region affects are made anew. "
                         "INPUT is the whole changed image. May be the output itself"),
      kResult);
}

void add_other_options(CLI::App& command, Request& request, RequestWords& words) {
  grouped(command
              .add_option("--engine", words.engine,
                          "auto (default) takes a real GPU, else the CPU; vulkan also takes software devices")
              ->check(CLI::IsMember(cli::words(kEngineNames))),
          kHow);
  grouped(
      command.add_option("--device", request.device, "Vulkan device: index or part of its name, see `onepass info`"),
      kHow);
  grouped(
      command.add_option("--path", words.path, "Vulkan: one dispatch for all levels, or one a level (default auto)")
          ->check(CLI::IsMember(cli::words(kPathNames))),
      kHow);
  grouped(command.add_option("--threads", request.threads, "CPU threads (default all)")->check(CLI::Range(1, 1024)),
          kHow);
  grouped(command.add_flag("--json", request.json, "One JSON object on stdout: what was done, sizes, times, bytes"),
          kReport);
  grouped(command.add_flag("-q,--quiet", request.quiet, "Say nothing but errors"), kReport);
}

Error usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), ""}; }

Result<int> parse_zstd(const CLI::App& command, const std::string& text) {
  if (command.count("--zstd") == 0) return 0;
  int level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error != std::errc() || end != text.data() + text.size() || level < 1 || level > 22) {
    return usage(fmt::format("--zstd: '{}' is not a level from 1 to 22", text));
  }
  return level;
}

// X,Y,WIDTH,HEIGHT
Result<Rect> parse_region(const std::string& text) {
  uint32_t numbers[4] = {};
  const char* at = text.data();
  const char* const end = at + text.size();
  bool good = true;
  for (int i = 0; i < 4 && good; ++i) {
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    good = error == std::errc() && (i == 3 ? next == end : next != end && *next == ',');
    at = next + (i < 3 && good ? 1 : 0);
  }
  if (!good) return usage(fmt::format("--region: '{}' is not X,Y,WIDTH,HEIGHT", text));
  const Rect rect{numbers[0], numbers[1], numbers[2], numbers[3]};
  if (rect.width == 0 || rect.height == 0) return usage(fmt::format("--region: '{}' is empty", text));
  return rect;
}

Result<void> check_combinations(const CLI::App& command, const Request& request) {
  const PyramidOptions& pyramid = request.pyramid;
  if (request.cube && request.array) return usage("--cube and --array exclude each other");
  if (request.cube && request.inputs.size() != 6 && request.inputs.size() != 1) {
    return usage(fmt::format("--cube needs six inputs, not {}", request.inputs.size()));
  }
  if (command.count("--region") != command.count("--update")) return usage("--region and --update need each other");
  if (!request.update.empty() && request.inputs.size() > 1 && !request.cube && !request.array) {
    return usage("--update takes one image");
  }
  if (!request.device.empty() && request.engine == Engine::kCpu) return usage("--device needs --engine vulkan");
  if (request.path != PyramidPath::kAuto && request.engine == Engine::kCpu)
    return usage("--path needs --engine vulkan");
  if (request.reversed_z && pyramid.reduction == Reduction::kMax) {
    return usage("--reversed-z with --reduction max would keep the nearest depth; leave one out");
  }
  if (pyramid.reduction == Reduction::kMean && pyramid.footprint == Footprint::kTight) {
    return usage("--footprint tight is for min, max and min_max");
  }
  if (pyramid.alpha != Alpha::kIndependent && pyramid.reduction != Reduction::kMean) {
    return usage("--alpha weighted and coverage need --reduction mean");
  }
  if (command.get_option_no_throw("--alpha-threshold") != nullptr && command.count("--alpha-threshold") > 0) {
    if (pyramid.alpha != Alpha::kCoverage) return usage("--alpha-threshold needs --alpha coverage");
    if (!(pyramid.alpha_threshold > 0 && pyramid.alpha_threshold <= 1)) {
      return usage(fmt::format("--alpha-threshold: {} is not above 0 and up to 1", pyramid.alpha_threshold));
    }
  }
  if (pyramid.normal_map != NormalMap::kOff &&
      (pyramid.reduction != Reduction::kMean || pyramid.alpha != Alpha::kIndependent)) {
    return usage("--normal-map needs --reduction mean and --alpha independent");
  }
  return {};
}

}  // namespace

void add_request_options(CLI::App& command, Request& request, RequestWords& words) {
  add_file_options(command, request, words);
  add_result_options(command, request, words);
  add_other_options(command, request, words);
}

Result<void> finish_request(const CLI::App& command, Request& request, const RequestWords& words) {
  const bool mips = request.kind == Request::Kind::kMips;
  PyramidOptions& pyramid = request.pyramid;
  if (!words.reduction.empty()) {
    pyramid.reduction = value_of(kReductionNames, words.reduction);
  } else {
    pyramid.reduction = mips ? Reduction::kMean : request.reversed_z ? Reduction::kMin : Reduction::kMax;
  }
  pyramid.footprint = value_of(kFootprintNames, words.footprint);
  pyramid.alpha = value_of(kAlphaNames, words.alpha);
  pyramid.normal_map = words.normal_map ? NormalMap::kRenormalize : NormalMap::kOff;
  request.engine = value_of(kEngineNames, words.engine);
  request.path = value_of(kPathNames, words.path);
  const bool data = !mips || words.normal_map;  // numbers, not colours
  request.color = !words.color.empty() ? value_of(kColorNames, words.color)
                  : data               ? files::Color::kLinear
                                       : files::Color::kAuto;
  if (!words.format.empty()) request.target = format_of(words.format);
  const auto zstd = parse_zstd(command, words.zstd);
  if (!zstd) return zstd.error();
  request.zstd = *zstd;
  if (!words.region.empty()) {
    const auto region = parse_region(words.region);
    if (!region) return region.error();
    request.region = *region;
  }
  return check_combinations(command, request);
}

}  // namespace onepass::cli
