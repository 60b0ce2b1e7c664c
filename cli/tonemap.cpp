// tonemap.cpp: `onepass tonemap`: meters HDR images and maps them to pictures, or draws sheets of exposures or
// operators.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "commands.hpp"
#include "elapsed.hpp"
#include "fourier_command.hpp"
#include "light_command.hpp"
#include "option_group.hpp"
#include "path_of.hpp"
#include "tone_sheet.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

constexpr size_t kMostCells = 64;

/// The operators that map highlights above the paper white, for messages.
std::string headroom_operators() {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < words<ToneOperator>().size(); ++i) {
    if (uses_headroom(static_cast<ToneOperator>(i))) names.push_back(words<ToneOperator>()[i]);
  }
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

struct ToneCommand {
  LightRequest request;
  ToneMapOptions tone;  // without size, slices and formats
  std::string exposure = "auto";
  std::string transfer, primaries = "rec709", look = "none", bracket;
  bool compare = false;
  bool dither = false;
  bool local_exposure = false;
  LocalExposure local{.highlights = 0.6F, .shadows = 0.7F};  // for --local-exposure
  uint32_t bits = 0;
  float white = 0;  // 0: the operator's default
  bool automatic = true;
  float stops = 0;              // of --exposure, if not automatic
  std::vector<float> brackets;  // stops
  std::shared_ptr<SequenceMeter> sequence = std::make_shared<SequenceMeter>();
};

// ---- Options

/// Parses FROM:TO:STEP, in stops.
Result<std::vector<float>> parse_bracket(const std::string& text) {
  std::string commas = text;
  for (char& c : commas) c = c == ':' ? ',' : c == ',' ? ':' : c;
  const auto numbers = parse_numbers("--bracket", commas, 3, 3);
  if (!numbers) return usage(fmt::format("--bracket: '{}' is not FROM:TO:STEP, three numbers", text));
  const double from = (*numbers)[0], to = (*numbers)[1], step = (*numbers)[2];
  if (!(step > 0) || from > to || from < -64 || to > 64) {
    return usage(fmt::format("--bracket: '{}' needs FROM <= TO within -64 and 64, and a STEP above 0", text));
  }
  const double count = std::floor((to - from) / step + 1e-6) + 1;
  if (count > kMostCells) {
    return usage(fmt::format("--bracket: '{}' is {} exposures, more than {}", text, count, kMostCells));
  }
  std::vector<float> stops;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const double stop = from + i * step;
    stops.push_back(std::fabs(stop) < 1e-6 * step ? 0.0F : static_cast<float>(stop));  // rounding must not miss 0
  }
  return stops;
}

Result<void> finish_exposure(const CLI::App& command, ToneCommand& c) {
  c.automatic = c.exposure == "auto";
  if (c.automatic) return {};
  const auto stops = parse_numbers("--exposure", c.exposure, 1, 1);
  if (!stops || std::fabs(stops->front()) > 64) {
    return usage(fmt::format("--exposure: '{}' is neither auto nor a number of stops within -64 and 64", c.exposure));
  }
  c.stops = static_cast<float>(stops->front());
  for (const char* option : {"--key", "--rule", "--compensation", "--metering", "--centre", "--radius", "--mask",
                             "--statistic", "--percentiles", "--ev-range", "--delta", "--calibration", "--fps"}) {
    if (command.count(option) > 0) return usage(fmt::format("{} needs --exposure auto", option));
  }
  return {};
}

/// The value that exposure gives to the metered luminance.
float metered_average(const MeterOptions& meter) {
  const float average = meter.rule == ExposureRule::kKey ? meter.key : meter.lens_attenuation * meter.calibration / 78;
  return average * std::exp2(meter.compensation);
}

/// Whether the transfer defines the luminance of a display.
bool has_display(Transfer transfer) { return transfer == Transfer::kPq || transfer == Transfer::kHlg; }

/// Checks --paper-white and --peak-nits.
Result<void> check_display(const CLI::App& command, const ToneMapOptions& tone) {
  const bool pq = tone.transfer == Transfer::kPq;
  if (command.count("--peak-nits") > 0 && !pq) return usage("--peak-nits needs --transfer pq");
  if (command.count("--paper-white") > 0 && !has_display(tone.transfer)) {
    return usage("--paper-white needs --transfer pq or hlg");
  }
  for (const auto& [option, nits] :
       {std::pair{"--peak-nits", tone.peak_nits}, std::pair{"--paper-white", tone.paper_white_nits}}) {
    if (!(nits >= 1 && nits <= 10000)) return usage(fmt::format("{}: {} is not within 1 and 10000", option, nits));
  }
  const float peak = pq ? tone.peak_nits : kHlgPeakNits;
  if (!has_display(tone.transfer) || tone.paper_white_nits <= peak) return {};
  if (command.count("--paper-white") == 0) {
    return usage(fmt::format("--peak-nits: {} is below the paper white of {}: set --paper-white too", peak,
                             tone.paper_white_nits));
  }
  return usage(fmt::format("--paper-white: {} is above the peak of {}", tone.paper_white_nits, peak));
}

Result<void> finish_tone(const CLI::App& command, ToneCommand& c) {
  ToneMapOptions& tone = c.tone;
  tone.tone_operator = value_of<ToneOperator>(c.request.tone_operator);
  tone.look = value_of<AgxLook>(c.look);
  tone.primaries = value_of<Primaries>(c.primaries);
  if (command.count("--white") > 0) {
    if (c.compare || tone.tone_operator != ToneOperator::kDrago) tone.white = c.white;
    if (c.compare || tone.tone_operator == ToneOperator::kDrago) tone.drago.white = c.white;
    const bool has_white = c.compare || tone.tone_operator == ToneOperator::kDrago ||
                           tone.tone_operator == ToneOperator::kReinhardExtended ||
                           tone.tone_operator == ToneOperator::kReinhardLuminance;
    if (!has_white) return usage(fmt::format("--white: the operator {} has no white", c.request.tone_operator));
  }
  if (command.count("--bias") > 0 && !c.compare && tone.tone_operator != ToneOperator::kDrago) {
    return usage(fmt::format("--bias: the operator {} has no bias", c.request.tone_operator));
  }
  if (!c.transfer.empty()) tone.transfer = value_of<Transfer>(c.transfer);
  if (command.count("--gamma") > 0 && tone.transfer != Transfer::kGamma) return usage("--gamma needs --transfer gamma");
  if (auto good = check_display(command, tone); !good) return good;
  if (c.bits != 0 && c.bits != 8 && c.bits != 10 && c.bits != 16 && c.bits != 32) {
    return usage(fmt::format("--bits: {} is not 8, 10, 16 or 32", c.bits));
  }
  for (const char* option : {"--highlight-contrast", "--shadow-contrast", "--detail", "--region"}) {
    if (!c.local_exposure && command.count(option) > 0) return usage(fmt::format("{} needs --local-exposure", option));
  }
  if (c.local_exposure) {
    tone.local = c.local;
    if (c.automatic) tone.local.grey = std::clamp(metered_average(c.request.meter), 0x1p-16F, 0x1p16F);
  }
  if (c.compare && command.count("--operator") > 0) return usage("--compare and --operator exclude each other");
  const bool sheet = c.compare || !c.bracket.empty();
  if (sheet && c.compare && !c.bracket.empty()) return usage("--compare and --bracket exclude each other");
  for (const char* option : {"--transfer", "--primaries", "--bits", "--dither"}) {
    if (sheet && command.count(option) > 0) return usage(fmt::format("{}: sheets are 8-bit sRGB", option));
  }
  ToneMapOptions sample = tone;
  sample.size = {1, 1};
  sample.source = sample.target = Format::kRGBA32Sfloat;
  if (const auto plan = plan_tone_map(sample); !plan) return usage(plan.error().message);
  return {};
}

Result<void> finish(const CLI::App& command, ToneCommand& c) {
  if (auto good = finish_light_request(command, c.request); !good) return good;
  if (auto good = finish_exposure(command, c); !good) return good;
  if (!c.bracket.empty()) {
    auto brackets = parse_bracket(c.bracket);
    if (!brackets) return brackets.error();
    c.brackets = std::move(*brackets);
  }
  return finish_tone(command, c);
}

/// The options for the output's file type and --bits. Errors: kInvalidArgument, a usage error.
Result<ToneMapOptions> choose_target(const ToneCommand& c, const std::filesystem::path& output) {
  ToneMapOptions tone = c.tone;
  const files::Type type = files::type_of_extension(output);
  const bool plain =
      type == files::Type::kTiff || type == files::Type::kJpeg || type == files::Type::kPnm;  // cannot name a transfer
  const bool codes = type == files::Type::kPng || type == files::Type::kKtx2 || plain;
  if (c.transfer.empty()) tone.transfer = codes ? Transfer::kSrgb : Transfer::kLinear;
  const uint32_t bits = c.bits != 0 ? c.bits : codes ? 8 : 16;
  const auto refuse = [&](const char* what) {
    return usage(fmt::format("--bits {}: {} stores {}", bits, output.string(), what));
  };
  switch (type) {
    case files::Type::kPng:
      if (bits == 10 || bits == 32) return refuse("8 or 16");
      break;
    case files::Type::kExr:
      if (bits == 8 || bits == 10) return refuse("16 or 32");
      break;
    case files::Type::kTiff:
      if (bits == 10) return refuse("8, 16 or 32");
      break;
    case files::Type::kJpeg:
    case files::Type::kPnm:
      if (type == files::Type::kJpeg && bits != 8) return refuse("8");
      if (bits == 10 || bits == 32) return refuse("8 or 16");
      if (tone.primaries != Primaries::kRec709) {
        return usage(fmt::format("--primaries rec2020: {} cannot store primaries; write .exr, .tif, .ktx2 or .png",
                                 output.string()));
      }
      break;
    case files::Type::kHdr:
    case files::Type::kPfm:
      if (c.bits != 0) return refuse("a fixed number of bits");
      if (tone.primaries != Primaries::kRec709) {
        return usage(
            fmt::format("--primaries rec2020: {} cannot store primaries; write .exr, .ktx2 or .png", output.string()));
      }
      break;
    default:
      break;
  }
  const bool srgb = tone.transfer == Transfer::kSrgb || (bits == 32 && tone.transfer == Transfer::kLinear);
  if (plain && !srgb) {
    return usage(fmt::format("--transfer {}: {} cannot store this transfer; write .png or .ktx2",
                             word_of(tone.transfer), output.string()));
  }
  if (type == files::Type::kHdr || type == files::Type::kPfm || bits == 32) {
    tone.target = Format::kRGBA32Sfloat;
  } else if (bits == 10) {
    tone.target = Format::kA2B10G10R10Unorm;
  } else if (bits == 16) {
    const bool whole = type == files::Type::kPng || type == files::Type::kTiff || type == files::Type::kPnm;
    tone.target = whole ? Format::kRGBA16Unorm : Format::kRGBA16Sfloat;
  } else {
    tone.target = tone.transfer == Transfer::kSrgb ? Format::kRGBA8Srgb : Format::kRGBA8Unorm;
  }
  const bool integer = format_info(tone.target).type != ChannelType::kFloat;
  if (c.dither && !integer) return usage(fmt::format("--dither: {} stores floats", output.string()));
  if (c.dither) tone.dither = Dither::kOn;
  return tone;
}

/// Checks the targets of all outputs before the first is made.
Result<void> check_targets(const ToneCommand& c) {
  const auto units = plan_units(c.request.files);
  if (!units) return units.error();
  const bool sheet = c.compare || !c.brackets.empty();
  for (const Unit& unit : *units) {
    if (sheet && files::type_of_extension(unit.output) != files::Type::kPng) {
      return usage(fmt::format("{}: a sheet's extension must be .png", unit.output.string()));
    }
    if (auto tone = choose_target(c, unit.output); !tone) return tone.error();
  }
  return {};
}

// ---- Making

/// Format for grey sources: one channel, if there is such a format.
Format grey_target(Format target) {
  switch (target) {
    case Format::kRGBA8Srgb:
      return Format::kR8Srgb;
    case Format::kRGBA8Unorm:
      return Format::kR8Unorm;
    case Format::kRGBA16Unorm:
      return Format::kR16Unorm;
    case Format::kRGBA16Sfloat:
      return Format::kR16Sfloat;
    case Format::kA2B10G10R10Unorm:
      return Format::kA2B10G10R10Unorm;
    default:
      return Format::kR32Sfloat;
  }
}

struct Exposed {
  float factor = 1;
  EngineReport engine;
  Json meter = Json::array();
  std::string warning{};
};

Result<Exposed> find_exposure(const ToneCommand& c, const EngineChoice& engine, const Unit& unit, const Base& base,
                              UnitShare& share) {
  Exposed out;
  if (!c.automatic) {
    out.factor = std::exp2(c.stops);
    return out;
  }
  const auto copy = premultiplied_copy(base, c.request.files.threads);
  if (!copy) return copy.error();
  auto metered = c.sequence->meter(c.request, engine, *copy ? (**copy).view() : base.image.view(), unit.index, share);
  if (!metered) return metered.error();
  out.factor = metered->exposure;
  out.engine = metered->engine;
  out.warning = dark_warning(*metered);
  for (const MeterResult& result : metered->results) out.meter.push_back(meter_json(metered->options, result, false));
  return out;
}

/// Adds the report of a second step to that of the first.
void add_report(EngineReport& to, const EngineReport& more) {
  to.engine = more.engine;
  to.device = more.device;
  if (to.note.empty()) to.note = more.note;
  to.dispatches += more.dispatches;
  to.bytes_read += more.bytes_read;
  to.bytes_written += more.bytes_written;
  to.gpu_microseconds += more.gpu_microseconds;
}

/// ITU-T H.273 code points of a mapped picture: primaries, transfer.
std::array<uint8_t, 2> code_points(const ToneMapOptions& tone) {
  const uint8_t primaries = tone.primaries == Primaries::kRec2020 ? 9 : 1;
  switch (tone.transfer) {
    case Transfer::kPq:
      return {primaries, 16};
    case Transfer::kHlg:
      return {primaries, 18};
    case Transfer::kLinear:
      return {primaries, 8};
    case Transfer::kSrgb:
      return {primaries, 13};
    default:
      return {primaries, static_cast<uint8_t>(tone.gamma == 2.2F ? 4 : tone.gamma == 1.0F ? 8 : 2)};
  }
}

/// Code points for cICP. {0, 0} for sRGB with BT.709, which readers assume but for grey of 16 bits, and for a gamma
/// without a code point: gAMA holds it, and cICP would override gAMA.
std::array<uint8_t, 2> png_code_points(const ToneMapOptions& tone, Format format) {
  constexpr uint8_t kUnspecified = 2;
  const std::array<uint8_t, 2> numbers = code_points(tone);
  const bool usual =
      tone.transfer == Transfer::kSrgb && tone.primaries == Primaries::kRec709 && format != Format::kR16Unorm;
  return usual || numbers[1] == kUnspecified ? std::array<uint8_t, 2>{} : numbers;
}

Result<void> write_mapped(const ToneCommand& c, const Unit& unit, const Base& base, const ToneMapOptions& tone,
                          const ImageView& image, AlphaAssociation stored_alpha) {
  PictureInfo info = base.info;
  if (tone.primaries == Primaries::kRec2020) info.primaries = kRec2020Chromaticities;
  files::WriteOptions options = write_options(c.request.files, info, image, stored_alpha);
  options.ktx2.code_points = code_points(tone);
  options.png.primaries.reset();  // the code points replace them
  options.png.code_points = png_code_points(tone, image.format);
  if (tone.transfer == Transfer::kSrgb) options.tiff.color = files::Color::kSrgb;
  if (tone.transfer == Transfer::kGamma) options.png.gamma = tone.gamma;
  const bool named = options.png.code_points[0] != 0;
  if (!named && tone.primaries == Primaries::kRec2020) options.png.primaries = kRec2020Chromaticities;
  return files::write(unit.output, std::span(&image, 1), options);
}

// Premultiplies the mapped picture. If the input was premultiplied, emission (colour with alpha 0) is kept.
Result<void> premultiply_again(Base& base, const MutableImageView& image, uint32_t threads) {
  const ColorConversion conversion{.from = AlphaAssociation::kStraight,
                                   .to = AlphaAssociation::kPremultiplied,
                                   .keep_emission = base.stored_alpha == AlphaAssociation::kPremultiplied};
  if (auto done = convert_colors(image, image, conversion, threads); !done) return done.error();
  base.info.alpha = AlphaAssociation::kPremultiplied;
  return {};
}

/// Reports display levels, and that an operator does not use the headroom.
void report_display(const ToneCommand& c, const ToneMapOptions& tone, LightReport& report) {
  const bool headroom = uses_headroom(tone.tone_operator);
  report.details["paper_white_nits"] = tone.paper_white_nits;
  report.details["peak_nits"] = tone.transfer == Transfer::kPq ? tone.peak_nits : kHlgPeakNits;
  report.details["headroom"] = headroom ? headroom_of(tone) : 1.0;
  if (headroom) return;
  report.remarks.push_back(fmt::format("note: {} maps nothing above the paper white, {} cd/m^2; the operators {} do",
                                       c.request.tone_operator, tone.paper_white_nits, headroom_operators()));
}

/// Where a mapped picture goes.
struct TargetSpace {
  Image own;  ///< Without pixels if the picture replaces the source.
  MutableImageView view;
};

/// Space for the target of `tone`: the front of the source's own memory where its texels are smaller.
Result<TargetSpace> target_space(const ToneMapOptions& tone, Image& source) {
  TargetSpace space;
  const size_t texel_bytes = format_info(tone.target).bytes_per_texel;
  if (tone.slices == 1 && texel_bytes < format_info(tone.source).bytes_per_texel) {
    const size_t row_bytes = tone.size.width * texel_bytes;
    space.view = {source.data(), tone.target, tone.size, 1, row_bytes, row_bytes * tone.size.height};
    return space;
  }
  auto own = Image::create(tone.target, tone.size, tone.slices);
  if (!own) return own.error();
  space.own = std::move(*own);
  space.view = space.own.view();
  return space;
}

Result<LightReport> map_picture(const ToneCommand& c, const EngineChoice& engine, const Unit& unit, Base& base,
                                Exposed&& exposed) {
  auto tone = choose_target(c, unit.output);
  if (!tone) return tone.error();
  tone->size = base.image.size();
  tone->slices = base.image.slices();
  tone->source = base.image.format();
  if (format_info(tone->source).channels == 1) tone->target = grey_target(tone->target);
  if (tone->target == Format::kR16Unorm && files::type_of_extension(unit.output) == files::Type::kPnm &&
      stores_grey(unit.output)) {
    return usage(fmt::format(
        "--bits 16: {} cannot store this transfer, because 16-bit grey is linear there; write .png, .tif or 8 bits",
        unit.output.string()));
  }
  auto space = target_space(*tone, base.image);
  if (!space) return space.error();
  const MutableImageView image = space->view;
  auto made = engine.map_tones(*tone, std::as_const(base.image).view(), image, exposed.factor);
  if (!made) return made.error();
  LightReport report;
  report.engine = exposed.engine;
  add_report(report.engine, *made);
  const auto start = Clock::now();
  if (auto ready = make_directory(c.request.files.output, unit.output); !ready) return ready.error();
  const AlphaAssociation stored_alpha =
      output_alpha_for(c.request.files.picture, base, files::type_of_extension(unit.output));
  if (base.info.alpha == AlphaAssociation::kStraight && stored_alpha == AlphaAssociation::kPremultiplied &&
      format_info(tone->target).channels == 4) {
    if (auto done = premultiply_again(base, image, c.request.files.threads); !done) return done.error();
  }
  if (auto written = write_mapped(c, unit, base, *tone, image, stored_alpha); !written) return written.error();
  if (stored_alpha == AlphaAssociation::kStraight && base.emissive_texels > 0) {
    report.warnings.push_back(emission_warning(base.emissive_texels));
  }
  report.write_ms = milliseconds_since(start);
  report.outputs = {unit.output};
  report.summary = fmt::format(" {}, {} at {:+.2f} EV", format_info(tone->target).name, c.request.tone_operator,
                               std::log2(exposed.factor));
  report.details["format"] = format_info(tone->target).name;
  report.details["operator"] = c.request.tone_operator;
  report.details["transfer"] = word_of(tone->transfer);
  if (has_display(tone->transfer)) report_display(c, *tone, report);
  return report;
}

// ---- Sheets

/// Share of pixels with a channel at 255.
double share_white(const Pixels& pixels) {
  uint64_t white = 0;
  for (const Rgb& p : pixels.texels) white += p.r == 255 || p.g == 255 || p.b == 255;
  return static_cast<double>(white) / static_cast<double>(pixels.texels.size());
}

/// One cell: the first slice, mapped at full size, then scaled.
Result<ToneCell> make_cell(const EngineChoice& engine, ToneMapOptions tone, const Image& source, float exposure,
                           size_t count, EngineReport& report) {
  tone.size = source.size();
  tone.source = source.format();
  tone.target = Format::kRGBA8Srgb;
  auto image = Image::create(tone.target, tone.size);
  if (!image) return image.error();
  ImageView first = source.view();
  first.slices = 1;
  auto made = engine.map_tones(tone, first, image->view(), exposure);
  if (!made) return made.error();
  add_report(report, *made);
  Pixels pixels(tone.size, {});
  for (uint32_t y = 0; y < tone.size.height; ++y) {
    const auto* row = reinterpret_cast<const uint8_t*>(image->view().row(y));
    for (uint32_t x = 0; x < tone.size.width; ++x, row += 4) pixels.at(x, y) = {row[0], row[1], row[2]};
  }
  ToneCell cell;
  cell.remark = fmt::format("{:.3g}%", 100 * share_white(pixels));
  const Extent shown = tone_cell_size(tone.size, count);
  if (shown.width < tone.size.width || shown.height < tone.size.height) {
    cell.picture = shrink(pixels, shown);
  } else {
    cell.picture = Pixels(shown, {});
    blit(cell.picture, pixels, {0, 0, shown.width, shown.height});
  }
  return cell;
}

Result<LightReport> make_sheet(const ToneCommand& c, const EngineChoice& engine, const Unit& unit, const Base& base,
                               Exposed&& exposed) {
  LightReport report;
  report.engine = exposed.engine;
  const size_t count = c.compare ? words<ToneOperator>().size() : c.brackets.size();
  std::vector<ToneCell> cells;
  for (size_t i = 0; i < count; ++i) {
    ToneMapOptions tone = c.tone;
    const float stops = c.compare ? 0.0F : c.brackets[i];
    if (c.compare) {
      tone.tone_operator = static_cast<ToneOperator>(i);
      const bool agx =
          tone.tone_operator == ToneOperator::kAgxBlender || tone.tone_operator == ToneOperator::kAgxSobotka;
      if (!agx) tone.look = AgxLook::kNone;
    }
    auto cell = make_cell(engine, tone, base.image, exposed.factor * std::exp2(stops), count, report.engine);
    if (!cell) return cell.error();
    cell->label = c.compare ? std::string(words<ToneOperator>()[i]) : fmt::format("{:+.3g} EV", stops);
    cell->chosen = !c.compare && stops == 0;
    cells.push_back(std::move(*cell));
  }
  const std::string how = c.automatic ? fmt::format("metered {:+.2f} EV", std::log2(exposed.factor))
                                      : fmt::format("exposure {:+.2f} EV", c.stops);
  std::string what = c.compare ? fmt::format("{} operators", count) : c.request.tone_operator;
  if (c.local_exposure) what += "  local exposure";
  if (auto ready = make_directory(c.request.files.output, unit.output); !ready) return ready.error();
  auto written =
      write_tone_sheet(unit.output, path_of(unit.inputs.front()).filename().string(),
                       fmt::format("{}  {}  {}  %: clipped pixels", size_text(base.image.size()), what, how), cells);
  if (!written) return written.error();
  report.outputs = {unit.output};
  report.summary = fmt::format(", a sheet of {}, {}", count, how);
  report.details["format"] = "sheet";
  report.details["cells"] = Json::array();
  for (const ToneCell& cell : cells) report.details["cells"].push_back(cell.label);
  return report;
}

// Exposure is metered on premultiplied colours, the light that arrives; curves apply to straight ones, those of
// surfaces.
Result<LightReport> run_unit(const ToneCommand& c, const EngineChoice& engine, const Unit& unit, Base& base,
                             UnitShare& share) {
  auto exposed = find_exposure(c, engine, unit, base, share);
  if (!exposed) return exposed.error();
  if (auto done = associate(base, AlphaAssociation::kStraight, c.request.files.threads); !done) return done.error();
  const float factor = exposed->factor;
  Json meter = std::move(exposed->meter);
  std::string warning = std::move(exposed->warning);
  const bool sheet = c.compare || !c.brackets.empty();
  auto report = sheet ? make_sheet(c, engine, unit, base, std::move(*exposed))
                      : map_picture(c, engine, unit, base, std::move(*exposed));
  if (!report) return report.error();
  report->details["exposure"] = factor;
  if (!warning.empty()) report->warnings.push_back(std::move(warning));
  if (c.local_exposure) {
    const LocalExposure& local = c.tone.local;
    report->details["local_exposure"] = {{"highlight_contrast", local.highlights},
                                         {"shadow_contrast", local.shadows},
                                         {"detail", local.detail},
                                         {"grey", local.grey},
                                         {"region", local.region}};
  }
  report->details["exposure_ev"] = std::log2(factor);
  if (c.automatic) report->details["meter"] = std::move(meter);
  return report;
}

void add_tone_options(CLI::App& command, ToneCommand& c) {
  Group what(command, "Tone mapping");
  what.choice<ToneOperator>(
      "--operator", c.request.tone_operator,
      fmt::format("Tone curve (default agx_blender). With pq and hlg, {} map highlights above the paper white",
                  headroom_operators()));
  what.add("--exposure", c.exposure, "auto|EV", "Exposure in stops, or auto: metered (default auto)");
  what.add(
      "--white", c.white, "L",
      "For reinhard_extended, reinhard_luminance and drago: the exposed light that becomes 1, with pq and hlg the peak "
      "of reinhard's (default 4; drago 100)");
  what.add("--bias", c.tone.drago.bias, "B", "For drago, 0.5 to 1: higher is darker (default 0.85)");
  what.choice<AgxLook>("--look", c.look, "Grading after agx_blender and agx_sobotka (default none)");
  what.choice<Transfer>("--transfer", c.transfer,
                        "Encoding of the output (default srgb in PNG and KTX2, linear in EXR, HDR and PFM)");
  what.add("--gamma", c.tone.gamma, "G", "Exponent of --transfer gamma, 1 to 3 (default 2.2)");
  what.add("--paper-white", c.tone.paper_white_nits, "NITS",
           "For --transfer pq and hlg: cd/m^2 of reference white, 1 (default 203; at most the peak)");
  what.add("--peak-nits", c.tone.peak_nits, "NITS",
           "For --transfer pq: the largest cd/m^2 that is stored (default 1000; hlg: always 1000)");
  what.choice<Primaries>("--primaries", c.primaries, "Primaries of the output (default rec709)");
  what.add("--bits", c.bits, "8|10|16|32", "PNG 8 or 16 (default 8), EXR 16 or 32 (default 16), KTX2 any (default 8)");
  what.flag("--dither", c.dither, "Dither, which hides the steps of 8, 10 and 16 bits");
  Group local(command, "Local exposure");
  local.flag("--local-exposure", c.local_exposure,
             "Bring regions brighter or darker than grey nearer to grey and keep their detail");
  local.add("--highlight-contrast", c.local.highlights, "C",
            "Contrast of regions brighter than grey, 0 to 2: 1 changes nothing, 0.5 halves their stops (default 0.6)");
  local.add("--shadow-contrast", c.local.shadows, "C", "The same for regions darker than grey (default 0.7)");
  local.add("--detail", c.local.detail, "C", "Contrast inside regions, 0 to 4 (default 1)");
  local.add("--region", c.local.region, "S",
            "Side of a region as a share of the image's shorter side, 1/256 to 1/2 (default 0.0625)");
  Group sheets(command, "Contact sheets: the output is one PNG with several pictures");
  sheets.add("--bracket", c.bracket, "FROM:TO:STEP", "Exposures at these offsets in stops, for example -4:4:1");
  sheets.flag("--compare", c.compare, "One picture per operator");
}

}  // namespace

Command add_tonemap(CLI::App& app) {
  CLI::App* command = app.add_subcommand("tonemap", "Tone-map HDR images to displayable pictures");
  command->footer(
      "Examples:\n"
      "  onepass tonemap desk.exr -o desk.png\n"
      "  onepass tonemap desk.exr -o desk.png --operator agx_blender --exposure auto --key 0.18 --percentiles 10,90\n"
      "  onepass tonemap desk.exr -o hdr10.png --bits 16 --transfer pq --primaries rec2020\n"
      "  onepass tonemap desk.exr -o desk.png --local-exposure --highlight-contrast 0.5 --detail 1.2\n"
      "  onepass tonemap desk.exr -o bracket.png --bracket -4:4:1\n"
      "  onepass tonemap desk.exr -o operators.png --compare\n"
      "  onepass tonemap frames/*.exr -o out/ --fps 24");
  auto state = std::make_shared<ToneCommand>();
  LightRequest& request = state->request;
  add_light_files(*command, request);
  request.files.extension = ".png";
  Group output(*command, "Files");
  output.add("-o,--output", request.files.output, "OUT", output_types_help())->required();
  add_picture_options(*command, request.files.picture, request.words.picture, {.output_primaries = false});
  add_tone_options(*command, *state);
  add_meter_options(*command, request);
  add_light_engine(*command, request);
  return [=] {
    ToneCommand& c = *state;
    if (auto good = finish(*command, c); !good) return usage_error(c.request, good.error());
    if (auto good = check_targets(c); !good) return usage_error(c.request, good.error());
    return run_light(*command, c.request,
                     [&](const LightRequest& unit_request, const EngineChoice& engine, const Unit& unit, Base& base,
                         UnitShare& share) {
                       ToneCommand own = c;
                       own.request = unit_request;
                       return run_unit(own, engine, unit, base, share);
                     });
  };
}

}  // namespace onepass::cli
