// job.cpp: loads the base, makes the levels or updates existing ones, writes them and draws the sheet.
#include "job.hpp"

#include <fmt/core.h>

#include <cmath>

#include "block_levels.hpp"
#include "elapsed.hpp"
#include "input.hpp"
#include "interrupt.hpp"
#include "option_names.hpp"
#include "path_of.hpp"
#include "sheet.hpp"

namespace onepass::cli {
namespace {

Format two_channels(Format format) {
  switch (format) {
    case Format::kR8Unorm:
    case Format::kRG8Unorm:
      return Format::kRG8Unorm;
    case Format::kR16Unorm:
    case Format::kRG16Unorm:
    case Format::kD16Unorm:
      return Format::kRG16Unorm;
    case Format::kR16Sfloat:
    case Format::kRG16Sfloat:
      return Format::kRG16Sfloat;
    default:
      return Format::kRG32Sfloat;
  }
}

// The format of the levels if the user names none.
Format default_target(const PyramidRequest& request, Format source) {
  const bool min_max = request.pyramid.reduction == Reduction::kMinMax;
  if (request.kind == Request::Kind::kHiz) return min_max ? Format::kRG32Sfloat : Format::kR32Sfloat;
  if (min_max) return two_channels(source);
  if (source == Format::kD16Unorm) return Format::kR16Unorm;
  if (source == Format::kD32Sfloat) return Format::kR32Sfloat;
  return source;
}

// Adds the file's name to an error that names an option or nothing.
Error about(const std::string& path, const Error& library_error) {
  const Error error = in_option_names(library_error);
  return {error.code, error.context.empty() ? error.message : error.context + ": " + error.message, path};
}

// Reads the file to update and checks that its levels match the request. A grey base becomes RGBA if they are RGBA.
Result<files::ImageFile> load_existing(const PyramidRequest& request, Base& input, PyramidOptions& options) {
  const AlphaAssociation alpha = input.info.alpha;
  files::ReadOptions reading{.max_bytes = request.picture.max_memory};
  if (alpha != AlphaAssociation::kNone) reading.alpha = alpha;
  auto file = files::read(path_of(request.update), reading);
  if (!file) return file.error();
  const auto refuse = [&](std::string message) {
    return Error{ErrorCode::kInvalidArgument, std::move(message), request.update};
  };
  if (file->type != files::Type::kKtx2) return refuse("is not a KTX2 file, which --update needs");
  const Image& base = file->levels.front();
  if (base.size() != options.size) {
    return refuse(fmt::format("is {}, but the input is {}", size_text(base.size()), size_text(options.size)));
  }
  if (base.slices() != options.slices) {
    return refuse(fmt::format("has {} slices, but the input has {}", base.slices(), options.slices));
  }
  if (file->cube != input.info.cube || file->array != input.info.array) {
    const auto what = [](bool faces, bool layers) { return faces ? "a cube" : layers ? "an array" : "one image"; };
    return refuse(fmt::format("is {}, but the input makes {}", what(file->cube, file->array),
                              what(input.info.cube, input.info.array)));
  }
  if (options.target == options.source && rgba_format_of(options.source) == base.format()) {
    if (auto widened = grey_to_rgba(input.image); !widened) return widened.error();
    options.source = options.target = base.format();
  }
  if (base.format() != options.target) {
    return refuse(fmt::format("has format {}, but the new pyramid has {}", format_info(base.format()).name,
                              format_info(options.target).name));
  }
  const auto count = static_cast<uint32_t>(file->levels.size());
  if (options.levels != 0 && options.levels != count) {
    return refuse(fmt::format("has {} levels, not {}", count, options.levels));
  }
  options.levels = count;
  return file;
}

void copy_rect(const Image& from, Image& to, Rect rect) {
  const size_t texel = format_info(from.format()).bytes_per_texel;
  for (uint32_t slice = 0; slice < from.slices(); ++slice) {
    for (uint32_t y = rect.y; y < rect.y + rect.height; ++y) {
      const std::byte* source = from.view().row(y, slice) + rect.x * texel;
      std::copy(source, source + rect.width * texel, to.view().row(y, slice) + rect.x * texel);
    }
  }
}

// The output's levels, finest first. Level 0 is empty if the base itself can be written.
struct Prepared {
  std::vector<Image> levels;
  bool zstd = false;  // the updated file was compressed
};

// Converts the base to the alpha association and the primaries in which the levels are averaged.
//
// Averages are right if each colour is weighted by its alpha. Premultiplied colours are; straight ones need
// Alpha::kWeighted, which reads and writes straight colours. A premultiplied base is therefore averaged per channel if
// the output holds premultiplied colours. Otherwise it is made straight and averaged by weight, so that formats of few
// bits are divided by alpha before they are rounded. Alpha coverage does both for straight colours.
Result<void> prepare_colours(const PyramidRequest& request, const Unit& unit, Base& base, PyramidOptions& options,
                             AlphaAssociation stored_alpha) {
  const files::Type type = files::type_of_extension(unit.output);
  const auto primaries = output_primaries_for(request.picture, base, type);
  if (auto done = convert_primaries(base, primaries, request.threads); !done) return done;
  if (base.info.alpha != AlphaAssociation::kPremultiplied || options.reduction != Reduction::kMean) return {};
  if (options.alpha == Alpha::kCoverage || stored_alpha == AlphaAssociation::kStraight) {
    if (auto done = associate(base, AlphaAssociation::kStraight, request.threads); !done) return done;
    if (options.alpha == Alpha::kIndependent && base.stored_alpha != base.info.alpha) options.alpha = Alpha::kWeighted;
  } else {
    options.alpha = Alpha::kIndependent;
  }
  return {};
}

Result<Prepared> prepare_levels(const PyramidRequest& request, Base& base, PyramidOptions& options,
                                const PyramidPlan& plan) {
  const bool spread = options.reduction == Reduction::kMinMax && format_info(options.source).channels == 1;
  const bool same = options.source == options.target;
  if (!request.update.empty()) {
    const Rect region = *request.region;
    if (region.x >= options.size.width || region.width > options.size.width - region.x ||
        region.y >= options.size.height || region.height > options.size.height - region.y) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("region {},{},{},{} exceeds the image of {}", region.x, region.y, region.width,
                               region.height, size_text(options.size)),
                   ""};
    }
    auto file = load_existing(request, base, options);
    if (!file) return file.error();
    auto converted = same ? Result<Image>(Image()) : convert(base.image.view(), options.target, spread);
    if (!converted) return converted.error();
    copy_rect(same ? base.image : *converted, file->levels.front(), region);
    return Prepared{std::move(file->levels), file->zstd};
  }
  std::vector<Image> levels(1);
  if (!same) {
    auto converted = convert(base.image.view(), options.target, spread);
    if (!converted) return converted.error();
    levels[0] = std::move(*converted);
  }
  for (uint32_t level = 1; level < plan.levels; ++level) {
    auto image = Image::create(options.target, plan.sizes[level], options.slices);
    if (!image) return image.error();
    levels.push_back(std::move(*image));
  }
  return Prepared{std::move(levels)};
}

// The levels to write, finest first; the first is empty if the base itself can be written.
struct Made {
  std::vector<Image> levels;
  bool zstd = false;  // the updated file was compressed
  EngineReport engine;
  double milliseconds = 0;  // of the engine alone
};

Result<Made> make_levels(const PyramidRequest& request, const EngineChoice& engine, Base& base,
                         PyramidOptions& options) {
  const auto plan = plan_pyramid(options);
  if (!plan) return plan.error();
  auto prepared = prepare_levels(request, base, options, *plan);
  if (!prepared) return prepared.error();
  std::vector<Image>& levels = prepared->levels;
  std::vector<MutableImageView> coarser;
  for (size_t level = 1; level < levels.size(); ++level) coarser.push_back(levels[level].view());
  const auto start = Clock::now();
  auto made = engine.make(options, base.image.view(), coarser, request.region);
  if (!made) return made.error();
  return Made{std::move(levels), prepared->zstd, std::move(*made), milliseconds_since(start)};
}

Result<Made> reduce_tiles(const PyramidRequest& request, const EngineChoice& engine, const Base& base,
                          const PyramidOptions& options) {
  const TileReductionOptions tiles{.size = options.size,
                                   .slices = options.slices,
                                   .source = options.source,
                                   .target = options.target,
                                   .reduction = options.reduction,
                                   .factor = request.factor};
  const auto plan = plan_tile_reduction(tiles);
  if (!plan) return plan.error();
  auto image = Image::create(tiles.target, plan->size, tiles.slices);
  if (!image) return image.error();
  const auto start = Clock::now();
  auto made = engine.reduce(tiles, base.image.view(), image->view());
  if (!made) return made.error();
  Made out;
  out.milliseconds = milliseconds_since(start);
  out.levels.push_back(std::move(*image));
  out.engine = std::move(*made);
  return out;
}

// A warning of finite values that the target's floats do not hold, which they limit to their largest value; empty if
// there are none.
std::string overflow_warning(const ImageView& base, Format target) {
  const FormatInfo& info = format_info(target);
  const FormatInfo& source = format_info(base.format);
  if (source.type != ChannelType::kFloat || largest_value(target, 0) >= largest_value(base.format, 0)) return "";
  uint64_t count = 0;
  std::vector<float> row(size_t{4} * base.size.width);
  for (uint32_t slice = 0; slice < base.slices; ++slice) {
    for (uint32_t y = 0; y < base.size.height; ++y) {
      decode_row(base.format, base.row(y, slice), base.size.width, row.data());
      for (size_t x = 0; x < base.size.width; ++x) {
        bool beyond = false;
        for (uint32_t c = 0; c < source.channels; ++c) {
          const float value = info.packed ? row[4 * x + c] : std::fabs(row[4 * x + c]);
          beyond = beyond || (std::isfinite(value) && value > largest_value(target, c));
        }
        count += beyond ? 1 : 0;
      }
    }
  }
  if (count == 0) return "";
  return fmt::format("{} texel{} beyond {:.0f}, the largest value of {}, limited to it", count, count == 1 ? "" : "s",
                     largest_value(target, 0), info.name);
}

// Does a target hold every value of a channel of the source?
bool holds(Format source, Format target) {
  const FormatInfo& from = format_info(source);
  const FormatInfo& to = format_info(target);
  const uint32_t from_bytes = from.bytes_per_texel / from.channels;
  const uint32_t to_bytes = to.bytes_per_texel / to.channels;
  if (to.type == ChannelType::kFloat && to_bytes == 4) return true;
  return to.type == from.type && to_bytes >= from_bytes;
}

// PNG files round floats to 16 bits: makes sure that this moves no alpha across the threshold of the alpha test. The
// level becomes fp32, because half floats near a threshold are further apart than the codes of the file.
Result<void> keep_alpha_test(Image& image, float threshold, uint32_t threads) {
  if (image.format() != Format::kRGBA32Sfloat) {
    auto wide = Image::create(Format::kRGBA32Sfloat, image.size(), image.slices());
    if (!wide) return wide.error();
    if (auto done = convert_colors(image.view(), wide->view(), {}, threads); !done) return done.error();
    image = std::move(*wide);
  }
  const MutableImageView level = image.view();
  float code = std::ceil(threshold * 65535);
  if ((code - 1) / 65535 >= threshold) --code;
  if (code / 65535 < threshold) ++code;
  std::vector<float> row(size_t{4} * level.size.width);
  for (uint32_t slice = 0; slice < level.slices; ++slice) {
    for (uint32_t y = 0; y < level.size.height; ++y) {
      decode_row(level.format, level.row(y, slice), level.size.width, row.data());
      for (size_t i = 3; i < row.size(); i += 4) {
        row[i] = row[i] >= threshold ? std::max(row[i], code / 65535) : std::min(row[i], (code - 1) / 65535);
      }
      encode_row(level.format, row.data(), level.size.width, level.row(y, slice));
    }
  }
  return {};
}

// Compresses the levels and writes them into `set`. Colours of the file are straight unless the user wants otherwise.
Result<std::vector<std::filesystem::path>> write_blocks(files::FileSet& set, const PyramidRequest& request,
                                                        const EngineChoice& engine, const std::filesystem::path& output,
                                                        std::span<const ImageView> levels, Base& base,
                                                        AlphaAssociation stored_alpha, UnitReport& report) {
  const AlphaAssociation alpha = base.info.alpha;
  report.blocks = block_format_for(request.block, levels.front().format, alpha != AlphaAssociation::kNone);
  std::vector<Image> converted;
  std::vector<ImageView> stored(levels.begin(), levels.end());
  for (ImageView& level : stored) {
    if (alpha == AlphaAssociation::kNone || alpha == stored_alpha) break;
    auto copy = Image::create(level.format, level.size, level.slices);
    if (!copy) return copy.error();
    const auto done = convert_colors(level, copy->view(), {.from = alpha, .to = stored_alpha}, request.threads);
    if (!done) return done.error();
    converted.push_back(std::move(*copy));
    level = converted.back().view();
  }
  auto blocks = compress_levels(stored, report.blocks, request.block_options, request.threads, engine);
  if (!blocks) return blocks.error();
  report.block_engine = blocks->engine;
  for (std::string& warning : blocks->warnings) base.warnings.push_back(std::move(warning));
  std::vector<BlockView> views;
  for (const BlockImage& level : blocks->levels) views.push_back(level.view());
  const files::WriteOptions options = write_options(request, base.info, levels.front(), stored_alpha);
  const auto writer = [&](const std::filesystem::path& path) {
    const bool ktx2 = files::type_of_extension(output) == files::Type::kKtx2;
    return ktx2 ? files::write_ktx2(path, views, options.ktx2) : files::write_dds(path, views, options.dds);
  };
  if (auto made = make_directory(request.output, output); !made) return made.error();
  if (auto done = set.write(output, writer); !done) return done.error();
  return std::vector<std::filesystem::path>{output};
}

SheetText sheet_text(const PyramidRequest& request, const Unit& unit, const UnitReport& report) {
  SheetText text;
  text.title = path_of(unit.inputs.front()).filename().string();
  if (unit.inputs.size() > 1) text.title += fmt::format(" and {} more", unit.inputs.size() - 1);
  const MipFilter filter = request.pyramid.filter.kind;
  const std::string rule = request.factor != 0         ? fmt::format("factor {}", request.factor)
                           : filter != MipFilter::kBox ? std::string(word_of(filter))
                                                       : std::string(word_of(request.pyramid.footprint));
  text.details = fmt::format("{}  {}  {}, {}", size_text(report.sizes.front()), format_info(report.target).name,
                             word_of(request.pyramid.reduction), rule);
  text.depth = request.kind == Request::Kind::kHiz;
  text.reversed = request.reversed_z;
  text.min_max = request.pyramid.reduction == Reduction::kMinMax;
  text.data = request.color == files::Color::kLinear;
  return text;
}

}  // namespace

Result<UnitReport> run_unit(const PyramidRequest& request, const EngineChoice& engine, const Unit& unit) {
  UnitReport report;
  const std::string& name = unit.inputs.front();
  auto start = Clock::now();
  auto base = load_base(request, unit.inputs);
  if (!base) return base.error().context.empty() ? about(name, base.error()) : base.error();
  report.read_ms = milliseconds_since(start);

  PyramidOptions options = request.pyramid;
  const AlphaAssociation stored_alpha = output_alpha_for(request.picture, *base, files::type_of_extension(unit.output));
  if (auto done = prepare_colours(request, unit, *base, options, stored_alpha); !done) return about(name, done.error());
  options.size = base->image.size();
  options.slices = base->image.slices();
  options.source = base->image.format();
  options.target = request.target != Format::kUndefined ? request.target : default_target(request, base->format);
  std::string overflow = overflow_warning(base->image.view(), options.target);
  if (!overflow.empty()) base->warnings.push_back(std::move(overflow));
  if (request.kind == Request::Kind::kHiz && !holds(options.source, options.target)) {
    base->warnings.push_back(
        fmt::format("{} rounds depths to nearest, so a query may report a visible object as hidden; use --format {} "
                    "to keep them exact",
                    format_info(options.target).name, format_info(default_target(request, base->format)).name));
  }
  auto made = request.factor != 0 ? reduce_tiles(request, engine, *base, options)
                                  : make_levels(request, engine, *base, options);
  if (!made) {
    const bool names_update = !request.update.empty() && made.error().context == request.update;
    return names_update ? made.error() : about(name, made.error());
  }
  report.make_ms = made->milliseconds;
  report.engine = std::move(made->engine);

  if (options.alpha == Alpha::kCoverage && files::type_of_extension(unit.output) == files::Type::kPng &&
      format_info(options.target).type == ChannelType::kFloat) {
    for (size_t level = 1; level < made->levels.size(); ++level) {
      auto kept = keep_alpha_test(made->levels[level], options.alpha_threshold, request.threads);
      if (!kept) return about(name, kept.error());
    }
  }

  std::vector<ImageView> views;
  for (const Image& level : made->levels) views.push_back(level.view());
  if (views[0].data == nullptr) views[0] = base->image.view();
  report.source = options.source;
  report.target = options.target;
  report.slices = options.slices;
  report.cube = base->info.cube;
  for (const ImageView& view : views) report.sizes.push_back(view.size);

  start = Clock::now();
  base->info.zstd = made->zstd;
  files::FileSet set;  // the pyramid and its sheet appear together
  auto written = request.block == Block::kNone
                     ? write_levels(set, request, unit.output, views, base->info, stored_alpha)
                     : write_blocks(set, request, engine, unit.output, views, *base, stored_alpha, report);
  if (!written) return written.error().context.empty() ? about(name, written.error()) : written.error();
  report.outputs = std::move(*written);
  if (!unit.sheet.empty()) {
    if (auto ready = make_directory(request.sheet, unit.sheet); !ready) return ready.error();
    const auto writer = [&](const std::filesystem::path& path) {
      return write_sheet(path, views, sheet_text(request, unit, report));
    };
    if (auto drawn = set.write(unit.sheet, writer); !drawn) return drawn.error();
    report.outputs.push_back(unit.sheet);
  }
  if (auto done = commit_files(set); !done) return done.error();
  report.write_ms = milliseconds_since(start);
  report.warnings = std::move(base->warnings);
  report.hints = std::move(base->hints);
  if (stored_alpha == AlphaAssociation::kStraight && base->emissive_texels > 0) {
    report.warnings.push_back(emission_warning(base->emissive_texels));
  }
  return report;
}

}  // namespace onepass::cli
