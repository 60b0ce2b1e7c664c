// tile_options.cpp: contradictions of options, defaults per output type, and the fields that identify a run.
#include "tiles/tile_options.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>

#include "files/icc_write.hpp"
#include "onepass/pyramid.hpp"
#include "tiles/grid_table.hpp"
#include "tiles/reducer.hpp"
#include "tiles/stream_reducer.hpp"
#include "tiles/system.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

constexpr uint32_t kLeastTile = 16;
constexpr uint32_t kMostTile = 16384;
constexpr uint32_t kMostWebp = 16383;  // WebP's largest side

Error usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), ""}; }

bool is_sampled_colour(Sample sample) { return sample == Sample::kU8 || sample == Sample::kU16; }

const char* name_of(TileCompression compression) {
  constexpr const char* kNames[] = {"auto", "none", "jpeg", "deflate", "zstd", "lzw"};
  return kNames[static_cast<size_t>(compression)];
}

// Labels are numbers of classes: neither an encoding of light nor a lossy one of tiles applies to them.
Result<void> check_labels(const TileOptions& options, bool whole) {
  if (whole) return usage("reduction: mode is for .dzi, .tif and .zarr outputs");
  if (options.color != files::Color::kAuto) {
    return usage(text_of("color: ", options.color == files::Color::kSrgb ? "srgb" : "linear",
                         " is for colours and numbers, but the reduction is mode, which is for labels"));
  }
  const auto lossy = [](const char* field, const char* value, const char* choice) {
    return usage(text_of(field, ": ", value, " would change labels, which the reduction mode makes; choose ", choice));
  };
  if (options.compression == TileCompression::kJpeg) {
    return lossy("compression", "jpeg", "deflate, zstd, lzw or none");
  }
  if (options.tile_format == TileFormat::kJpeg) return lossy("tile_format", "jpeg", "png");
  if (options.tile_format == TileFormat::kWebp) return lossy("tile_format", "webp", "png");
  return {};
}

Result<void> check_mosaic(const TileInput& input) {
  const bool is_table = is_grid_table(input.grid);
  if (input.grid_overlap != GridOverlap::kFirst && input.grid_overlap != GridOverlap::kAverage) {
    return usage("grid_overlap: choose first or average");
  }
  if (input.grid_overlap == GridOverlap::kAverage && !is_table) {
    return usage("grid_overlap: average is for a table of positions, a grid that ends in .csv");
  }
  if (input.grid_fill && !is_table) {
    return usage("grid_fill: is for a table of positions, a grid that ends in .csv");
  }
  return {};
}

// Means of encoded colours are darker than their light, and alpha weighs colours.
Result<void> check_mean(const TileInput& input, bool srgb, const PixelLayout& layout) {
  if (input.grid_overlap == GridOverlap::kFirst || (!srgb && !layout.has_alpha())) return {};
  return Error{ErrorCode::kUnsupported,
               text_of("grid_overlap: average is for numbers, but the files have ",
                       srgb ? "sRGB colours; choose first, or the color linear" : "alpha; choose first"),
               input.grid};
}

// Whether the stored values are encoded by sRGB.
bool is_srgb(const TileOptions& options, const RowSource& source) {
  const PixelLayout& layout = source.layout();
  if (!is_sampled_colour(layout.sample) || options.reduction == Reduction::kMode) return false;
  if (options.color != files::Color::kAuto) return options.color == files::Color::kSrgb;
  if (source.transfer() != Transfer::kUnknown) return source.transfer() == Transfer::kSrgb;
  const bool grey = !layout.colour && layout.channels == (layout.has_alpha() ? 2U : 1U);
  const bool colour = layout.colour && layout.channels <= 4;
  return layout.sample == Sample::kU8 && (grey || colour);
}

Result<void> resolve_deep_zoom(TileOptions& options, const RowSource& source) {
  const PixelLayout& layout = source.layout();
  const std::string pixels = text_of(layout.channels, " channels of ", sample_name(layout.sample));
  const auto refuse = [&](const std::string& text) { return Error{ErrorCode::kUnsupported, text, source.name()}; };
  if (!is_sampled_colour(layout.sample) || layout.channels > 4 ||
      (layout.channels != 1 && !layout.colour && !layout.has_alpha())) {
    return refuse("DeepZoom tiles hold grey or RGB of 8 or 16 bits, with or without alpha; the picture has " + pixels +
                  "; write .tif or .zarr");
  }
  if (options.tile_format == TileFormat::kAuto) {
    const bool plain = layout.sample == Sample::kU8 && !layout.has_alpha() && options.reduction != Reduction::kMode;
    options.tile_format = plain ? TileFormat::kJpeg : TileFormat::kPng;
  }
  if (layout.sample != Sample::kU8 && options.tile_format != TileFormat::kPng) {
    return refuse("tile_format: JPEG and WebP hold 8 bits; the picture has " + pixels + "; choose png");
  }
  if (options.overlap < 0) options.overlap = 1;
  if (options.tile_size == 0) options.tile_size = 254;
  const uint32_t edge = options.tile_size + 2 * static_cast<uint32_t>(options.overlap);
  if (options.tile_format == TileFormat::kWebp && edge > kMostWebp) {
    return usage(text_of("tile_size: ", options.tile_size, " with an overlap of ", options.overlap,
                         " is more than the ", kMostWebp, " texels of WebP"));
  }
  return {};
}

Result<void> resolve_tiff(TileOptions& options, const RowSource& source) {
  const PixelLayout& layout = source.layout();
  const bool jpeg_fits = layout.sample == Sample::kU8 && layout.channels == (layout.colour ? 3U : 1U);
  if (options.compression == TileCompression::kAuto) {
    const bool labels = options.reduction == Reduction::kMode;
    options.compression = jpeg_fits && !labels ? TileCompression::kJpeg : TileCompression::kDeflate;
  }
  if (options.compression == TileCompression::kJpeg && !jpeg_fits) {
    return Error{ErrorCode::kUnsupported,
                 text_of("compression: JPEG in TIFF holds grey and RGB of 8 bits; the picture has ", layout.channels,
                         " channels of ", sample_name(layout.sample), "; choose deflate, zstd, lzw or none"),
                 source.name()};
  }
  if (layout.channels > UINT16_MAX) {
    return Error{ErrorCode::kUnsupported, text_of("TIFF holds 65535 channels, not ", layout.channels), source.name()};
  }
  return {};
}

// GDAL writes numbers as text, also "nan", "inf" and hexadecimal floats.
std::optional<double> parse_nodata(const std::string& text) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double value = 0;
  if (text == "nan" || text == "NaN" || text == "-nan") return std::numeric_limits<double>::quiet_NaN();
  if (!(stream >> value) || !(stream >> std::ws).eof()) return std::nullopt;
  return value;
}

// Statements of the picture that the output has no place for.
void note_losses(OutputType type, OutputPlan& plan) {
  const bool web = type == OutputType::kDeepZoom && plan.options.tile_format == TileFormat::kWebp;
  if (plan.header.colors.primaries && (type == OutputType::kZarr || type == OutputType::kKtx2 || web)) {
    plan.header.warnings.emplace_back(std::string("its primaries are not those of BT.709, which ") +
                                      (web                         ? "WebP tiles"
                                       : type == OutputType::kZarr ? "OME-Zarr"
                                                                   : "KTX2 outputs") +
                                      " do not state");
  }
}

}  // namespace

const char* reduction_name(Reduction reduction) {
  switch (reduction) {
    case Reduction::kMean:
      return "mean";
    case Reduction::kMin:
      return "min";
    case Reduction::kMax:
      return "max";
    case Reduction::kMode:
      return "mode";
    default:
      return nullptr;
  }
}

OutputType output_type(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".dzi") return OutputType::kDeepZoom;
  if (extension == ".tif" || extension == ".tiff") return OutputType::kTiff;
  if (extension == ".zarr") return OutputType::kZarr;
  if (extension == ".ktx2") return OutputType::kKtx2;
  if (extension == ".exr") return OutputType::kExr;
  return OutputType::kUnknown;
}

Result<void> check_options(const TileOptions& options) {
  const OutputType type = output_type(options.output);
  if (type == OutputType::kUnknown) {
    return usage(text_of("output: '", options.output.string(), "' does not end in .dzi, .tif, .zarr, .ktx2 or .exr"));
  }
  const bool whole = type == OutputType::kKtx2 || type == OutputType::kExr;
  const bool dzi = type == OutputType::kDeepZoom;
  const bool tiff = type == OutputType::kTiff;
  if (options.tile_size != 0 && (options.tile_size < kLeastTile || options.tile_size > kMostTile)) {
    return usage(text_of("tile_size: ", options.tile_size, " is not ", kLeastTile, " to ", kMostTile));
  }
  if (tiff && options.tile_size % 16 != 0) {
    return usage(text_of("tile_size: ", options.tile_size, " is not a multiple of 16, which TIFF needs"));
  }
  if (options.tile_size != 0 && whole) return usage("tile_size: KTX2 and OpenEXR outputs have no tiles to choose");
  if (options.levels > kMaxLevels) return usage(text_of("levels: ", options.levels, " is more than ", kMaxLevels));
  if (options.overlap >= 0 && !dzi) return usage("overlap: only DeepZoom has tiles that overlap");
  // 254: the default of DeepZoom, the only type whose tiles overlap.
  const uint32_t tile = options.tile_size == 0 ? 254 : options.tile_size;
  if (options.overlap > static_cast<int32_t>(tile / 2)) {
    return usage(text_of("overlap: ", options.overlap, " is more than half of the tile size ", tile));
  }
  if (reduction_name(options.reduction) == nullptr) return usage("reduction: choose mean, min, max or mode");
  if (options.reduction == Reduction::kMode) {
    if (auto fine = check_labels(options, whole); !fine) return fine;
  }
  if (options.tile_format != TileFormat::kAuto && !dzi) return usage("tile_format: only DeepZoom has tiles in files");
#ifndef ONEPASS_HAS_WEBP
  if (options.tile_format == TileFormat::kWebp) {
    return Error{ErrorCode::kUnsupported, "tile_format: onepass was built without WebP", ""};
  }
#endif
  if (options.compression != TileCompression::kAuto) {
    if (!tiff && type != OutputType::kZarr) return usage("compression: only TIFF and OME-Zarr have one");
    const bool only_tiff =
        options.compression == TileCompression::kJpeg || options.compression == TileCompression::kLzw;
    if (only_tiff && !tiff) {
      return usage(text_of("compression: ", name_of(options.compression),
                           " is not possible in OME-Zarr; choose zstd, deflate or none"));
    }
  }
  if (options.quality < 1 || options.quality > 100) {
    return usage(text_of("quality: ", options.quality, " is not 1 to 100"));
  }
  if (options.cog && !tiff) return usage("cog: only TIFF files can be Cloud Optimized GeoTIFFs");
  if (options.viewer && !dzi) return usage("viewer: only DeepZoom outputs have a viewer");
  if (options.resume && whole) return usage("resume: KTX2 and OpenEXR outputs are written as a whole");
  if (options.shard.count > kMostShards || (options.shard.count > 0 && options.shard.index >= options.shard.count)) {
    return usage(text_of("shard: ", options.shard.index, "/", options.shard.count,
                         " is not 0/N to (N-1)/N with N up to ", kMostShards));
  }
  if (options.merge > kMostShards) return usage(text_of("merge: ", options.merge, " is not 1 to ", kMostShards));
  if (options.shard.count > 0 && options.merge > 0) return usage("merge: a run makes a shard or merges, not both");
  const char* const part = options.shard.count > 0 ? "shard" : "merge";
  if (options.shard.count > 0 || options.merge > 0) {
    if (whole) return usage(text_of(part, ": KTX2 and OpenEXR outputs are written as a whole"));
    if (options.resume) return usage("resume: a shard or merge that was interrupted is just run again");
  }
  if (options.input.path.empty() == options.input.grid.empty()) {
    return usage("input: either a file or a grid of files is needed");
  }
  return check_mosaic(options.input);
}

Result<OutputPlan> plan_output(const TileOptions& options, const RowSource& source) {
  OutputPlan plan;
  plan.options = options;
  plan.header = source.header();
  plan.srgb = is_srgb(options, source);
  if (auto fine = check_mean(options.input, plan.srgb, source.layout()); !fine) return fine.error();
  if (!plan.header.nodata.empty()) {
    plan.nodata = parse_nodata(plan.header.nodata);
    if (!plan.nodata) plan.header.warnings.push_back("its GDAL_NODATA is no number, so that all values count");
  }
  if (plan.srgb && plan.header.layout.sample == Sample::kU16 && plan.header.colors.icc.empty()) {
    // Without a statement readers take values of more than 8 bits as linear.
    plan.header.colors.icc = plan.header.layout.colour
                                 ? files::rgb_profile(kRec709Chromaticities, files::ProfileCurve::kSrgb)
                                 : files::gray_profile(files::ProfileCurve::kSrgb);
  }
  const OutputType type = output_type(options.output);
  const PixelLayout& layout = plan.header.layout;
  if (options.reduction == Reduction::kMode &&
      (layout.channels != 1 || label_format(layout.sample) == Format::kUndefined)) {
    return Error{
        ErrorCode::kUnsupported,
        text_of("reduction: mode is for labels, one channel of uint8, uint16 or uint32; the picture has ",
                layout.channels, layout.channels == 1 ? " channel of " : " channels of ", sample_name(layout.sample)),
        source.name()};
  }
  Result<void> fine;
  if (type == OutputType::kDeepZoom) fine = resolve_deep_zoom(plan.options, source);
  if (type == OutputType::kTiff) fine = resolve_tiff(plan.options, source);
  if (!fine) return fine.error();
  if (type == OutputType::kZarr && plan.options.compression == TileCompression::kAuto) {
    plan.options.compression = TileCompression::kZstd;
  }
  if (plan.options.tile_size == 0) plan.options.tile_size = 256;
  plan.options.overlap = std::max(plan.options.overlap, 0);
  if (options.color == files::Color::kSrgb && !plan.srgb) {
    return Error{ErrorCode::kUnsupported,
                 text_of("color: samples of ", sample_name(plan.header.layout.sample), " are not encoded by sRGB"),
                 source.name()};
  }

  // DeepZoom ends at 1x1, others at the first level that fits into a tile.
  const uint32_t last = type == OutputType::kDeepZoom ? 1 : plan.options.tile_size;
  for (uint32_t level = 0; options.levels == 0 || level < options.levels; ++level) {
    const Extent size = ceil_level_size(source.size(), level);
    plan.grids.push_back({size, plan.options.tile_size, static_cast<uint32_t>(plan.options.overlap)});
    const uint32_t longest = std::max(size.width, size.height);
    if (longest == 1 || (options.levels == 0 && longest <= last)) break;
  }
  if (options.levels > plan.grids.size()) {
    return usage(text_of("levels: ", options.levels, " is more than the ", plan.grids.size(), " levels down to 1x1"));
  }
  note_losses(type, plan);
  plan.work = plan.part = unfinished_path(options.output);
  return plan;
}

std::filesystem::path unfinished_path(const std::filesystem::path& output) {
  return output.parent_path() / (output.filename().string() + ".unfinished");
}

namespace {

// A hash (FNV-1a) of sizes and times of all files of a grid, and of a table itself.
uint64_t hash_of_grid(const std::string& pattern) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](int64_t value) {
    for (int i = 0; i < 8; ++i) hash = (hash ^ (static_cast<uint64_t>(value) >> 8 * i & 0xFF)) * 0x100000001b3;
  };
  const auto add_file = [&](const std::filesystem::path& path) {
    const auto status = system::status(path);
    if (!status) return false;
    add(static_cast<int64_t>(status->size));
    add(status->seconds);
    add(status->nanoseconds);
    return true;
  };
  if (is_grid_table(pattern)) {
    add_file(pattern);
    const auto table = read_grid_table(pattern);
    for (size_t i = 0; table && i < table->size(); ++i) add_file((*table)[i].path);
    return hash;
  }
  for (uint32_t y = 0, x = 1; x > 0; ++y) {
    for (x = 0; add_file(grid_name(pattern, x, y)); ++x) {
    }
  }
  return hash;
}

// Of a file, or of the metadata of OME-Zarr.
std::optional<system::Status> status_of_input(const std::filesystem::path& path) {
  const auto status = system::status(path);
  return status && status->kind == system::Kind::kDirectory ? system::status(path / ".zattrs") : status;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> identity_fields(const OutputPlan& plan) {
  const TileOptions& o = plan.options;
  const system::Status status =
      o.input.grid.empty() && !plan.site ? status_of_input(o.input.path).value_or(system::Status{}) : system::Status{};
  std::string name = o.input.grid.empty() ? o.input.path.string() : o.input.grid;
  std::replace(name.begin(), name.end(), '\n', '?');
  constexpr const char* kFormats[] = {"auto", "jpeg", "png", "webp"};
  std::vector<std::pair<std::string, std::string>> fields = {
      {"version", ONEPASS_VERSION},
      {"input", name},
      {"raw", o.input.raw},
      {"bytes", text_of(plan.site ? plan.site->identity.size : status.size)},
      {"time", plan.site ? plan.site->identity.version : text_of(status.seconds, ".", status.nanoseconds)},
      {"grid", text_of(o.input.grid.empty() ? 0 : hash_of_grid(o.input.grid))},
      {"size", text_of(plan.grids[0].size.width, "x", plan.grids[0].size.height)},
      {"pixels", text_of(plan.header.layout.channels, " channels of ", sample_name(plan.header.layout.sample))},
      {"color", plan.srgb ? "srgb" : "linear"},
      {"tile_size", text_of(o.tile_size)},
      {"levels", text_of(plan.grids.size())},  // after tile_size, which decides it by default
      {"overlap", text_of(o.overlap)},
      {"reduction", reduction_name(o.reduction)},
      {"tile_format", kFormats[static_cast<size_t>(o.tile_format)]},
      {"compression", name_of(o.compression)},
      {"quality", text_of(o.quality)},
      {"cog", o.cog ? "on" : "off"}};
  if (is_grid_table(o.input.grid)) {
    fields.emplace_back("grid_overlap", o.input.grid_overlap == GridOverlap::kFirst ? "first" : "average");
    fields.emplace_back("grid_fill", o.input.grid_fill ? text_of(std::bit_cast<uint64_t>(*o.input.grid_fill)) : "none");
  }
  return fields;
}

std::string identity_of(const OutputPlan& plan) {
  std::string line = "onepass tiles";
  for (const auto& [field, value] : identity_fields(plan)) line += text_of(" ", field, "=", value);
  return line;
}

}  // namespace onepass::tiles
