// pyramid_options.cpp: adds, parses and checks the options of `mips` and `hiz`.
#include "pyramid_options.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <charconv>

#include "input_list.hpp"
#include "option_group.hpp"
#include "path_of.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

void add_file_options(CLI::App& command, PyramidRequest& request, PyramidWords& words) {
  const bool mips = request.kind == Request::Kind::kMips;
  add_input_options(command, request, words, mips ? "auto" : "linear");
  Group group(command, "Files");
  group.add("-o,--output", request.output, "FILE", "Output file or pattern; see below")->required();
  group.add("--sheet", request.sheet, "FILE.png", "Also draw all levels in one picture");
  group.flag("--cube", request.cube, "Six inputs are the faces +X -X +Y -Y +Z -Z of a cube map");
  group.flag("--array", request.array, "The inputs are the layers of one array");
  group.choice<files::DdsHeader>("--dds-header", words.dds_header, "Header of DDS files (default dx10)");
  group.add("--zstd", words.zstd, "[LEVEL]", "Compress KTX2 with Zstandard: 1 to 22, 3 if no number is given");
}

void add_result_options(CLI::App& command, PyramidRequest& request, PyramidWords& words) {
  const bool mips = request.kind == Request::Kind::kMips;
  Group group(command, "Computation");
  group.choice<Reduction>("--reduction", words.reduction,
                          mips ? "Reduction of texels to one (default mean)"
                               : "Reduction of texels to one (default max, the farthest; min with --reversed-z)",
                          {Reduction::kMode});
  group.choice<Footprint>("--footprint", words.footprint,
                          "Base texels that a texel of a level stands for (default covering)");
  group.add("--levels", request.pyramid.levels, "N", "Number of levels, the base included (default all)")
      ->check(silent(CLI::Range(1, static_cast<int>(kMaxLevels))));
  group
      .add("--format", words.format, "FORMAT",
           std::string("Format of the levels, as `onepass info` lists them (default ") +
               (mips ? "the input's)" : "r32_sfloat)"))
      ->check(one_of(format_words(true)));
  if (mips) {
    group.choice<Alpha>("--alpha", words.alpha,
                        "Treatment of alpha; coverage also weighs colours by alpha (default independent)");
    group.add("--alpha-threshold", request.pyramid.alpha_threshold, "A",
              "For coverage: texels with at least this alpha count as opaque (default 0.5)");
    group.flag("--normal-map", words.normal_map,
               "Texels are unit vectors, and so are those of the levels; implies --color linear");
  } else {
    group.add("--factor", request.factor, "N",
              "Make one image instead of levels, with one texel per NxN texels; N: 2, 4, 8, 16, 32 or 64");
    group.flag("--reversed-z", request.reversed_z, "Depth 1 is near and 0 is far: reduction min");
  }
  if (mips) {
    group.choice("--block", words.block, kBlockNames,
                 "DDS, KTX2: format of the blocks that levels are compressed to (default none)");
    group.choice<BlockQuality>("--block-quality", words.block_quality, "Work for each block (default normal)");
    group.choice<BlockMetric>("--block-weights", words.block_metric,
                              "Error that --block makes small: all channels the same, or weighted as in luma "
                              "(default uniform)");
  }
  group.add("--update", request.update, "FILE.ktx2", "An existing pyramid, of which only one region is rebuilt");
  group.add("--region", words.region, "X,Y,W,H", "With --update: the rectangle of base texels that changed");
}

void add_filter_options(CLI::App& command, PyramidRequest& request, PyramidWords& words) {
  MipFilterOptions& filter = request.pyramid.filter;
  Group group(command, "Filter");
  group.choice<MipFilter>("--filter", words.filter, "Weights of the mean: box is the fastest (default box)");
  group.choice<Boundary>("--boundary", words.boundary,
                         "Texels beyond the edges; wrap for textures that repeat (default clamp)", {Boundary::kZero});
  group.choice<Ringing>(
      "--ringing", words.ringing,
      "limit: no value beyond those of the texels around it, as filters make beside edges (default keep)");
  group.choice<MipFilterInput>(
      "--filter-input", words.filter_input,
      "Texels that are filtered: of the level before, or of the base, slower (default finer_level)");
  group.add("--kaiser-width", filter.kaiser_width, "W",
            "Half width of kaiser in texels of the level, 1 to 16 (default 3)");
  group.add("--kaiser-alpha", filter.kaiser_alpha, "A",
            "Shape of kaiser, 0 to 20: higher values blur and ring less (default 4)");
}

void add_other_options(CLI::App& command, PyramidRequest& request, PyramidWords& words) {
  Group how(command, "Execution");
  how.choice("--engine", words.engine, kEngineNames, "auto: a GPU if there is one, else the CPU (default auto)");
  how.add("--device", request.device, "INDEX|NAME|all", kDeviceHelp);
  how.add("--tunings", request.tunings, "FILE", kTuningsHelp);
  how.choice<PyramidPath>("--path", words.path, "Vulkan: one dispatch for all levels, or one per level (default auto)");
  how.add("--threads", request.threads, "N", kThreadsHelp)->check(silent(CLI::Range(1, 1024)));
  how.add("--shard", words.shard, "I/N|auto/N", kShardHelp);
  Group report(command, "Reports");
  report.flag("--json", request.json, "Print one JSON object: operations, sizes, times, bytes");
  report.flag("-q,--quiet", request.quiet, "Print errors only");
}

// Parses X,Y,WIDTH,HEIGHT.
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

Result<void> check_factor(const CLI::App& command, const PyramidRequest& request) {
  if (command.get_option_no_throw("--factor") == nullptr || command.count("--factor") == 0) return {};
  if (!std::has_single_bit(request.factor) || request.factor < 2 || request.factor > 64) {
    return usage(fmt::format("--factor: {} is not one of 2, 4, 8, 16, 32 and 64", request.factor));
  }
  for (const char* other : {"--levels", "--footprint", "--update", "--path"}) {
    if (command.count(other) > 0) return usage(fmt::format("--factor and {} exclude each other", other));
  }
  return {};
}

Result<void> check_filter(const CLI::App& command, const PyramidRequest& request) {
  const PyramidOptions& pyramid = request.pyramid;
  const MipFilter kind = pyramid.filter.kind;
  for (const char* option : {"--boundary", "--ringing", "--filter-input"}) {
    if (kind == MipFilter::kBox && command.get_option_no_throw(option) != nullptr && command.count(option) > 0) {
      return usage(fmt::format("{} needs a --filter other than box", option));
    }
  }
  for (const char* option : {"--kaiser-width", "--kaiser-alpha"}) {
    if (kind != MipFilter::kKaiser && command.get_option_no_throw(option) != nullptr && command.count(option) > 0) {
      return usage(fmt::format("{} needs --filter kaiser", option));
    }
  }
  if (kind == MipFilter::kBox) return {};
  const auto refuse = [&](const char* what) { return usage(fmt::format("--filter {} {}", word_of(kind), what)); };
  if (pyramid.reduction != Reduction::kMean) return refuse("needs --reduction mean");
  if (pyramid.footprint != Footprint::kCovering) return refuse("needs --footprint covering");
  if (pyramid.alpha == Alpha::kCoverage) return refuse("needs --alpha independent or weighted");
  const bool has_negative_weights = kind != MipFilter::kTriangle;
  if (pyramid.alpha == Alpha::kWeighted && pyramid.filter.ringing == Ringing::kKeep && has_negative_weights) {
    return refuse("and --alpha weighted need --ringing limit: some weights are negative");
  }
  if (request.path == PyramidPath::kSingleDispatch) {
    return refuse(
        "and --path single_dispatch exclude each other: other filters than box take two dispatches per level");
  }
  return {};
}

Result<void> check_combinations(const CLI::App& command, const PyramidRequest& request) {
  const PyramidOptions& pyramid = request.pyramid;
  if (auto good = check_factor(command, request); !good) return good;
  if (auto good = check_filter(command, request); !good) return good;
  if (request.cube && request.array) return usage("--cube and --array exclude each other");
  if (request.cube && request.inputs.size() != 6 && request.inputs.size() != 1) {
    return usage(fmt::format("--cube needs six inputs, not {}", request.inputs.size()));
  }
  if (command.count("--region") != command.count("--update")) return usage("--region and --update need each other");
  if (!request.update.empty() && request.inputs.size() > 1 && !request.cube && !request.array) {
    return usage("--update takes one image");
  }
  if (request.path != PyramidPath::kAuto && request.engine == Engine::kCpu)
    return usage("--path needs --engine vulkan");
  if (request.block == Block::kNone) {
    for (const char* other : {"--block-quality", "--block-weights"}) {
      if (command.get_option_no_throw(other) != nullptr && command.count(other) > 0) {
        return usage(fmt::format("{} needs --block", other));
      }
    }
  }
  if (request.reversed_z && pyramid.reduction == Reduction::kMax) {
    return usage("--reversed-z with --reduction max would keep the nearest depth; use one of them");
  }
  if (pyramid.reduction == Reduction::kMean && pyramid.footprint == Footprint::kTight) {
    return usage("--footprint tight is for min, max and min_max");
  }
  if (pyramid.footprint == Footprint::kCeil) {
    if (request.kind == Request::Kind::kHiz) {
      return usage("--footprint ceil is for mips: depth queries know sizes that round down");
    }
    if (request.engine == Engine::kVulkan || !request.device.empty()) {
      return usage("--footprint ceil: sizes of Vulkan images round down; use --engine cpu");
    }
    const files::Type type = files::type_of_extension(path_of(request.output));
    if (pyramid.levels != 1 && (type == files::Type::kKtx2 || type == files::Type::kDds || type == files::Type::kExr ||
                                !request.update.empty())) {
      return usage(
          "--footprint ceil: sizes of levels in KTX2, DDS and EXR files round down; write a .png and a --sheet");
    }
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

const char* output_help() {
  return "The extension of the output selects the file type:\n"
         "  NAME.ktx2, NAME.dds\n"
         "              all levels and slices; with --block compressed for GPUs\n"
         "  NAME.exr    a mip-mapped tiled OpenEXR file (all levels or one)\n"
         "  NAME%d.png  one file per level; %02d pads the number with zeros; NAME.png means NAME.%d.png\n"
         "Several inputs: {name} in --output or --sheet is each input's name without extension; a directory\n"
         "(DIR/, created if it does not exist) means DIR/{name}.ktx2 or DIR/{name}.png.\n"
         "--update: INPUT is the complete changed image; the output may be the updated file itself.\n";
}

void add_pyramid_options(CLI::App& command, PyramidRequest& request, PyramidWords& words) {
  add_file_options(command, request, words);
  add_result_options(command, request, words);
  const bool mips = request.kind == Request::Kind::kMips;
  if (mips) add_filter_options(command, request, words);
  add_picture_options(command, request.picture, words.picture,
                      {.colour = mips, .nonfinite = mips ? "keep" : "refuse, of NaN only: far may be infinite"});
  add_other_options(command, request, words);
}

Result<void> finish_pyramid_request(const CLI::App& command, PyramidRequest& request, const PyramidWords& words) {
  const bool mips = request.kind == Request::Kind::kMips;
  const auto nonfinite = mips ? NonFinitePolicy::kKeep : NonFinitePolicy::kRefuseNan;
  request.one_level = request.factor != 0;
  if (auto good = finish_inputs(command, request, words, nonfinite); !good) return good;
  PyramidOptions& pyramid = request.pyramid;
  if (!words.reduction.empty()) {
    pyramid.reduction = value_of<Reduction>(words.reduction);
  } else {
    pyramid.reduction = mips ? Reduction::kMean : request.reversed_z ? Reduction::kMin : Reduction::kMax;
  }
  pyramid.footprint = value_of<Footprint>(words.footprint);
  pyramid.alpha = value_of<Alpha>(words.alpha);
  pyramid.filter.kind = value_of<MipFilter>(words.filter);
  pyramid.filter.input = value_of<MipFilterInput>(words.filter_input);
  pyramid.filter.boundary = value_of<Boundary>(words.boundary);
  pyramid.filter.ringing = value_of<Ringing>(words.ringing);
  pyramid.normal_map = words.normal_map ? NormalMap::kRenormalize : NormalMap::kOff;
  request.block = value_of(kBlockNames, words.block);
  if (request.block != Block::kNone) request.extension = request.block >= Block::kAstc4x4 ? ".ktx2" : ".dds";
  request.block_options = {
      .quality = value_of<BlockQuality>(words.block_quality),
      .metric = value_of<BlockMetric>(words.block_metric),
      .alpha = pyramid.alpha == Alpha::kIndependent ? BlockAlpha::kIndependent : BlockAlpha::kWeighted,
      .alpha_threshold = pyramid.alpha_threshold};
  request.engine = value_of(kEngineNames, words.engine);
  request.path = value_of<PyramidPath>(words.path);
  request.data = !mips || words.normal_map;
  request.needs_alpha = pyramid.alpha != Alpha::kIndependent;
  request.depth_channels = pyramid.reduction == Reduction::kMinMax ? 2 : 1;
  request.color = !words.color.empty() ? value_of<files::Color>(words.color)
                  : request.data       ? files::Color::kLinear
                                       : files::Color::kAuto;
  if (!words.format.empty()) request.target = format_of(words.format);
  request.dds_header = value_of<files::DdsHeader>(words.dds_header);
  const auto zstd = parse_zstd(command, words.zstd);
  if (!zstd) return zstd.error();
  request.zstd = *zstd;
  if (!words.region.empty()) {
    const auto region = parse_region(words.region);
    if (!region) return region.error();
    request.region = *region;
  }
  if (auto good = finish_device_options(request); !good) return good;
  return check_combinations(command, request);
}

}  // namespace onepass::cli
