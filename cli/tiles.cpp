// tiles.cpp: `onepass tiles`: pyramids of pictures that are larger than memory.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "commands.hpp"
#include "console.hpp"
#include "json_text.hpp"
#include "onepass/tiles.hpp"
#include "option_group.hpp"
#include "option_names.hpp"
#include "path_of.hpp"
#include "picture_options.hpp"
#include "shard.hpp"
#include "shown_input.hpp"
#include "system.hpp"

#ifdef ONEPASS_HAS_TIFF
#include <tiffio.h>
#endif

namespace onepass::cli {
namespace {

using tiles::TileCompression;
using tiles::TileFormat;
using tiles::TileOptions;
using tiles::TileProgress;
using tiles::TileReport;

constexpr Name<tiles::GridOverlap> kGridOverlaps[] = {{"first", tiles::GridOverlap::kFirst},
                                                      {"average", tiles::GridOverlap::kAverage}};

struct TilesRequest {
  TileOptions options;
  std::string input, output, raw, grid, shard, max_memory;
  std::string tile_format = "auto", compression = "auto", reduction = "mean", color = "auto";
  std::string grid_overlap = "first";
  double fill = 0;
  uint32_t overlap = 0;
  bool json = false;
  bool quiet = false;
};

std::string duration_text(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string rate_text(const TileProgress& p) {
  const double rate = p.seconds > 0 ? static_cast<double>(p.texels) / p.seconds / 1e6 : 0;
  return fmt::format("{:.0f} Mtexel/s", rate);
}

std::string bar_text(const TileProgress& p) {
  const double share = p.height > 0 ? static_cast<double>(p.rows) / static_cast<double>(p.height) : 1;
  const std::string left = share > 0 ? duration_text(p.seconds / share * (1 - share)) : "?";
  return fmt::format("{}, {} left, {} written, peak {}", rate_text(p), left,
                     bytes_text(static_cast<double>(p.bytes_written)),
                     bytes_text(static_cast<double>(system::peak_memory())));
}

Json tiles_json(const TilesRequest& request, const TileReport& report) {
  Json json;
  json["input"] = request.grid.empty() ? request.input : request.grid;
  json["outputs"] = Json::array();
  for (const auto& output : report.outputs) json["outputs"].push_back(output.string());
  json["width"] = report.sizes.front().width;
  json["height"] = report.sizes.front().height;
  json["channels"] = report.channels;
  json["sample"] = report.sample;
  json["color"] = report.srgb ? "srgb" : "linear";
  json["reduction"] = request.reduction;
  json["levels"] = report.sizes.size();
  json["sizes"] = Json::array();
  for (const Extent& size : report.sizes) json["sizes"].push_back({size.width, size.height});
  json["tile_size"] = report.tile_size;
  json["encoding"] = report.encoding;
  json["tiles"] = report.progress.tiles;
  json["tiles_kept"] = report.progress.tiles_kept;
  json["bytes_written"] = report.progress.bytes_written;
  json["seconds"] = report.progress.seconds;
  json["peak_memory"] = system::peak_memory();
  json["warnings"] = report.warnings;
  const TileOptions& o = request.options;
  const tiles::TileTraffic& traffic = report.traffic;
  if (o.shard.count > 0) {
    json["shard"] = {{"index", o.shard.index},
                     {"count", o.shard.count},
                     {"was_complete", traffic.was_complete},
                     {"first_row", traffic.first_row},
                     {"rows", traffic.rows},
                     {"rows_read", traffic.rows_read},
                     {"rows_skipped", traffic.rows_skipped},
                     {"base_bytes", traffic.base_bytes},
                     {"kept_level", traffic.kept_level},
                     {"kept_bytes", traffic.kept_bytes}};
  }
  if (o.merge > 0) {
    json["merge"] = {{"count", o.merge},
                     {"kept_level", traffic.kept_level},
                     {"kept_bytes", traffic.kept_bytes},
                     {"joined_bytes", traffic.joined_bytes}};
  }
  return json;
}

std::string shard_line(const TilesRequest& request, const TileReport& report) {
  const tiles::TileShard shard = request.options.shard;
  const tiles::TileTraffic& traffic = report.traffic;
  const std::string name = fmt::format("{}: shard {}/{}", request.output, shard.index, shard.count);
  if (traffic.was_complete) return name + " is complete already";
  if (traffic.rows == 0) return name + " has no rows; there are more shards than rows of tiles";
  return fmt::format("{} -> {}: rows {} to {} of {}, levels 0 to {}, {}, {} tiles, {} in {} ({}, peak {})",
                     request.grid.empty() ? request.input : request.grid, name, traffic.first_row,
                     traffic.first_row + traffic.rows - 1, report.sizes.front().height, traffic.kept_level,
                     report.encoding, report.progress.tiles,
                     bytes_text(static_cast<double>(report.progress.bytes_written + traffic.kept_bytes)),
                     time_text(report.progress.seconds * 1000), rate_text(report.progress),
                     bytes_text(static_cast<double>(system::peak_memory())));
}

std::string report_line(const TilesRequest& request, const TileReport& report) {
  if (request.options.shard.count > 0) return shard_line(request, report);
  const std::string output = report.outputs.front().string();
  if (report.encoding.empty()) return output + ": the finished output of an interrupted run was put in its place";
  const Extent base = report.sizes.front();
  std::string tiles = report.progress.tiles > 0 ? fmt::format(", {} tiles", report.progress.tiles) : "";
  if (report.progress.tiles_kept > 0) tiles += fmt::format(" and {} kept", report.progress.tiles_kept);
  return fmt::format("{} -> {}: {}x{}, {} channel{} of {}, {} level{}, {}{}, {} in {} ({}, peak {})",
                     request.grid.empty() ? request.input : request.grid, output, base.width, base.height,
                     report.channels, report.channels == 1 ? "" : "s", report.sample, report.sizes.size(),
                     report.sizes.size() == 1 ? "" : "s", report.encoding, tiles,
                     bytes_text(static_cast<double>(report.progress.bytes_written)),
                     time_text(report.progress.seconds * 1000), rate_text(report.progress),
                     bytes_text(static_cast<double>(system::peak_memory())));
}

Result<void> finish(const CLI::App& command, TilesRequest& r) {
  const auto usage = [](std::string text) { return Error{ErrorCode::kInvalidArgument, std::move(text), ""}; };
  if (r.input.empty() == r.grid.empty()) return usage("either an input file or --grid is needed");
  if (r.input == "-") return usage("tiles reads files, not standard input, which has no places to go back to");
  if (r.output == "-") return usage("-o -: tiles writes files, not standard output");
  r.options.input.path = path_of(r.input);
  r.input = shown_input(r.input);
  r.options.input.raw = r.raw;
  r.options.input.grid = r.grid;
  r.options.input.grid_overlap = value_of(kGridOverlaps, r.grid_overlap);
  if (command.count("--fill") > 0) r.options.input.grid_fill = r.fill;
  r.options.input.max_bytes = usual_max_memory();
  if (!r.max_memory.empty()) {
    const auto memory = parse_memory(r.max_memory);
    if (!memory) return memory.error();
    r.options.input.max_bytes = *memory;
    limit_process_memory(*memory);
  }
  r.options.output = path_of(r.output);
  if (command.count("--shard") > 0) {
    const auto shard = parse_shard(r.shard);
    if (!shard) return shard.error();
    r.options.shard = {shard->index, shard->count};
  }
  if (command.count("--merge") > 0 && r.options.merge == 0) return usage("--merge: 0 is not the number of shards");
  r.options.tile_format = value_of<TileFormat>(r.tile_format);
  r.options.compression = value_of<TileCompression>(r.compression);
  r.options.reduction = value_of<Reduction>(r.reduction);
  r.options.color = value_of<files::Color>(r.color);
  if (command.count("--overlap") > 0) {
    r.options.overlap = static_cast<int32_t>(std::min(r.overlap, 1U << 20));
  }
  return {};
}

int run_tiles(const CLI::App& command, TilesRequest& request) {
  Console console({.quiet = request.quiet, .json = request.json});
  if (auto good = finish(command, request); !good) {
    console.error(good.error().text());
    return kUsage;
  }
  request.options.progress = [&](const TileProgress& p) {
    if (p.height == 0) return true;  // a server is asked for the input
    const double share = p.height > 0 ? static_cast<double>(p.rows) / static_cast<double>(p.height) : 1;
    console.bar(share, bar_text(p));
    return true;
  };
#ifdef ONEPASS_HAS_TIFF
  // OpenSlide reports errors itself; libtiff, which both use, would print them a second time, once per thread.
  TIFFSetErrorHandler(nullptr);
  TIFFSetWarningHandler(nullptr);
#endif
  const auto report = tiles::make_tiles(request.options);
  console.clear_bar();
  if (!report) {
    const Error error = in_option_names(report.error());
    console.error(error.text());
    return error.code == ErrorCode::kInvalidArgument ? kUsage : kSomeFailed;
  }
  for (const std::string& warning : report->warnings) {
    console.warning((request.grid.empty() ? request.input : request.grid) + ": " + warning);
  }
  if (request.json) {
    print_output("{}\n", json_text(tiles_json(request, *report)));
  } else {
    console.line(report_line(request, *report));
  }
  return console.flush() ? kAllGood : kSomeFailed;
}

}  // namespace

Command add_tiles(CLI::App& app) {
  CLI::App* command = app.add_subcommand("tiles", "Make tiled pyramids of pictures larger than memory");
  command->footer(
      "Inputs: TIFF, BigTIFF, OME-TIFF, OME-Zarr, PNG, JPEG, OpenEXR, whole slides (.svs, .ndpi, .scn, .mrxs, .vms,\n"
      ".vmu, .bif) where OpenSlide is installed; other types as a whole. TIFF and OME-Zarr also from http:// and "
      "https://\n"
      "addresses.\n"
      "The output's extension selects its type:\n"
      "  NAME.dzi   DeepZoom: the descriptor, and tiles in NAME_files\n"
      "  NAME.tif   pyramidal tiled BigTIFF; with --cog a Cloud Optimized GeoTIFF\n"
      "  NAME.zarr  OME-Zarr 0.4\n"
      "  NAME.ktx2, NAME.exr   all levels in one file, of pictures that fit into memory\n"
      "An interrupted run leaves OUT.unfinished, which --resume continues; of a KTX2 or EXR file it leaves nothing.\n"
      "Many machines make a pyramid together with --shard, and one of them joins the shards with --merge.\n"
      "Examples:\n"
      "  onepass tiles scan.tif -o scan.dzi --viewer\n"
      "  onepass tiles ortho.tif -o ortho_cog.tif --cog --compression deflate\n"
      "  onepass tiles cells.ome.tif -o cells.zarr\n"
      "  onepass tiles slide.svs -o slide.dzi\n"
      "  onepass tiles --grid 'tile_{x}_{y}.png' -o mosaic.dzi\n"
      "  onepass tiles --grid positions.csv -o mosaic.tif --grid-overlap average --fill 0\n"
      "  onepass tiles segments.tif -o segments.zarr --reduction mode\n"
      "  onepass tiles dump.bin --raw 40000x30000:rgb8 -o dump.tif\n"
      "  onepass tiles scan.tif -o scan.dzi --shard 0/4      (also 1/4, 2/4 and 3/4, on any machines)\n"
      "  onepass tiles scan.tif -o scan.dzi --merge 4");
  auto request = std::make_shared<TilesRequest>();
  TileOptions& o = request->options;
  Group files(*command, "Files");
  files.add("IN", request->input, "FILE", "TIFF, OME-TIFF, PNG, JPEG, OpenEXR, slides by rows; other types as a whole");
  files.add("-o,--output", request->output, "OUT", "Output: .dzi, .tif, .zarr, .ktx2 or .exr")->required();
  files.add("--raw", request->raw, "WxH:FORMAT[:be][+OFFSET]",
            "Pixels without a header: gray, rg, rgb or rgba and 8, 16, 32, 8s, 16s, 32s, 16f or 32f");
  files.add("--grid", request->grid, "PATTERN|FILE.csv",
            "A grid of files, {x}: column, {y}: row, from 0; or a table with the columns file, x and y (pixels)");
  files.choice("--grid-overlap", request->grid_overlap, kGridOverlaps,
               "Pixels that several files of a table have (default first)");
  files.add("--fill", request->fill, "VALUE", "Samples of pixels that no file of a table has (default: an error)");
  files.flag("--resume", o.resume, "Continue the unfinished output of an interrupted run");
  files.add("--shard", request->shard, "I/N",
            "Make shard I of N, from 0 to N-1; auto/N: I from the variables of Slurm, Kubernetes or AWS Batch");
  files.add("--merge", o.merge, "N", "Join N shards: the coarsest levels and the finished output");
  Group what(*command, "Levels");
  what.add("--levels", o.levels, "N", "Levels with the base (default: until one tile holds a level; .dzi: to 1x1)");
  what.add("--tile-size", o.tile_size, "N", "Edge of a tile in texels (default 256; .dzi 254)");
  what.add("--overlap", request->overlap, "N", ".dzi: texels shared with each neighbour (default 1)");
  what.choice<Reduction>("--reduction", request->reduction, "Combination of texels (default mean); mode: labels",
                         {Reduction::kMinMax});
  what.choice<files::Color>("--color", request->color,
                            "Encoding of the values, whose light is averaged (default auto: as the file says)");
  Group tiles_group(*command, "Tiles");
  tiles_group.choice<TileFormat>("--tile-format", request->tile_format,
                                 ".dzi: file format of tiles (default auto: jpeg; png for alpha and 16 bits)");
  tiles_group.choice<TileCompression>(
      "--compression", request->compression,
      ".tif: default auto: jpeg for 8-bit grey and RGB, else deflate; .zarr: zstd, deflate or none");
  tiles_group.add("--quality", o.quality, "Q", "JPEG and WebP: 1 to 100 (default 75)");
  tiles_group.flag("--cog", o.cog, ".tif: order of a Cloud Optimized GeoTIFF");
  tiles_group.flag("--viewer", o.viewer, ".dzi: also write NAME.html, a page that shows the result");
  Group report(*command, "Run");
  report.add("--threads", o.threads, "N", "Threads (default those that the process may use)")
      ->check(silent(CLI::Range(1, 1024)));
  add_max_memory(report, request->max_memory);
  report.flag("--json", request->json, "Print one JSON object");
  report.flag("-q,--quiet", request->quiet, "Print errors only");
  return [=] { return run_tiles(*command, *request); };
}

}  // namespace onepass::cli
