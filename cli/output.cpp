// output.cpp: expands output names, finds collisions before anything is written, and writes pictures and levels.
#include "output.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "path_of.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarks[] = {"{name}", "{ext}", "{dir}"};

// The output for `input`: `text` with the marks of the input. A directory gets the input's name with `extension`.
fs::path expand(const std::string& text, const std::string& input, std::string_view extension) {
  const std::string name = with_marks(text, marks_of(input));
  if (is_directory_name(name)) return path_of(name) / path_of(path_of(input).stem().string() + std::string(extension));
  return path_of(name);
}

// Extension of the output if only a directory is named.
std::string_view extension_of(const Request& request, const std::string& input) {
  if (!request.extension.empty()) return request.extension;
  if (request.kind != Request::Kind::kPicture) return ".ktx2";
  switch (files::type_of_extension(path_of(input))) {
    case files::Type::kExr:
    case files::Type::kHdr:
    case files::Type::kPfm:
      return ".exr";
    case files::Type::kKtx2:
      return ".ktx2";
    case files::Type::kDds:
      return ".dds";
    default:
      return ".png";
  }
}

// "%d" or "%0Nd" in a file name: position, length and N; length 0 if there is none.
struct LevelMark {
  size_t at = 0;
  size_t length = 0;
  int digits = 0;
};

LevelMark find_level_mark(std::string_view name) {
  for (size_t at = name.find('%'); at != std::string_view::npos; at = name.find('%', at + 1)) {
    const std::string_view rest = name.substr(at + 1);
    if (rest.starts_with('d')) return {at, 2, 1};
    if (rest.size() >= 3 && rest[0] == '0' && rest[1] >= '1' && rest[1] <= '9' && rest[2] == 'd') {
      return {at, 4, rest[1] - '0'};
    }
  }
  return {};
}

std::vector<fs::path> files_of(const Request& request, const Unit& unit) {
  std::vector<fs::path> files;
  const bool levels = request.kind != Request::Kind::kPicture;
  if (levels && files::type_of_extension(unit.output) == files::Type::kPng) {
    for (uint32_t level = 0; level < kMaxLevels; ++level) files.push_back(level_path(unit.output, level));
    files.push_back(unit.output);  // with --factor a single image has this name
  } else if (!unit.output.empty()) {
    files.push_back(unit.output);
  }
  if (!unit.sheet.empty()) files.push_back(unit.sheet);
  return files;
}

Result<void> check_collisions(const Request& request, const std::vector<Unit>& units) {
  std::vector<fs::path> inputs;
  for (const auto* files : {&request.inputs, &request.also_read}) {
    for (const std::string& file : *files) inputs.push_back(path_of(file));
  }
  std::vector<files::OutputPlace> outputs;
  std::vector<const Unit*> makers;  // of the outputs
  for (const Unit& unit : units) {
    for (fs::path& file : files_of(request, unit)) {
      outputs.push_back({std::move(file)});
      makers.push_back(&unit);
    }
  }
  if (const auto conflict = files::find_output_conflict(inputs, outputs)) {
    if (conflict->kind != files::OutputConflict::Kind::kIsOutput) return usage(conflict->message);
    return usage(
        fmt::format("{}: two outputs would have this name (the second from {}); distinguish them by {{name}}_{{ext}} "
                    "or {{dir}}",
                    outputs[conflict->output].path.string(), makers[conflict->output]->inputs.front()));
  }
  return {};
}

Result<void> check_type(const Request& request, const fs::path& output) {
  const bool picture = request.kind == Request::Kind::kPicture;
  switch (files::type_of_extension(output)) {
    case files::Type::kHdr:
    case files::Type::kPfm:
    case files::Type::kTiff:
    case files::Type::kJpeg:
    case files::Type::kPnm:
      if (picture) return {};
      break;
    case files::Type::kKtx2:
    case files::Type::kDds:
    case files::Type::kExr:
    case files::Type::kPng:
      return {};
    default:
      break;
  }
  return usage(fmt::format("{}: the output's extension must be .ktx2, .dds, .exr{} or .png", output.string(),
                           picture ? ", .tif, .jpg, .hdr, .pfm, .ppm, .pgm, .pnm, .pam" : ""));
}

Result<void> check_sheet_type(const Request& request, const fs::path& sheet) {
  const bool svg = request.sheet_svg && sheet.extension() == ".svg";
  if (svg || files::type_of_extension(sheet) == files::Type::kPng) return {};
  return usage(fmt::format("{} {}: the {}'s extension must be {}.png", request.sheet_option, sheet.string(),
                           request.sheet_option.substr(2), request.sheet_svg ? ".svg or " : ""));
}

Result<std::vector<fs::path>> write_png_levels(files::FileSet& set, const Request& request, const fs::path& output,
                                               std::span<const ImageView> levels, const PictureInfo& info) {
  files::PngOptions options = write_options(request, info, levels.front(), AlphaAssociation::kStraight).png;
  options.alpha = info.alpha;
  const bool depth = request.kind == Request::Kind::kHiz || request.color == files::Color::kLinear;
  options.color = depth ? files::Color::kLinear : files::Color::kSrgb;
  if (format_info(levels.front().format).type == ChannelType::kFloat) options.bits = 16;
  if (levels.front().slices != 1) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("PNG stores one slice, not {}; write .ktx2", levels.front().slices), output.string()};
  }
  std::vector<fs::path> written;
  for (const ImageView& level : levels) {
    const fs::path target = request.one_level && find_level_mark(output.filename().string()).length == 0
                                ? output
                                : level_path(output, static_cast<uint32_t>(written.size()));
    const auto writer = [&](const fs::path& path) { return files::write_png(path, level, options); };
    if (auto done = set.write(target, writer); !done) return done.error();
    written.push_back(target);
  }
  return written;
}

}  // namespace

std::vector<NameMark> marks_of(const std::string& input) {
  const fs::path path = path_of(input);
  const std::string ending = path.extension().string();
  const std::string directory = path.parent_path().string();
  return {{"{name}", path.stem().string()},
          {"{ext}", ending.empty() ? ending : ending.substr(1)},
          {"{dir}", directory.empty() ? "." : directory}};
}

std::string with_marks(std::string_view text, std::span<const NameMark> marks) {
  std::string name;
  for (size_t at = 0; at < text.size();) {
    const auto found = std::find_if(marks.begin(), marks.end(),
                                    [&](const NameMark& mark) { return text.substr(at).starts_with(mark.mark); });
    if (found == marks.end()) {
      name += text[at++];
    } else {
      name += found->value;
      at += found->mark.size();
    }
  }
  return name;
}

Result<void> check_marks(const std::string& text, std::span<const std::string_view> marks) {
  for (size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    const size_t end = text.find('}', at);
    if (end == std::string::npos) break;
    const std::string word = text.substr(at, end - at + 1);
    const bool letters =
        word.size() > 2 && std::all_of(word.begin() + 1, word.end() - 1, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!letters || std::find(marks.begin(), marks.end(), word) != marks.end()) continue;
    std::string all;
    for (size_t i = 0; i < marks.size(); ++i) {
      all += (i == 0 ? "" : i + 1 < marks.size() ? ", " : " and ") + std::string(marks[i]);
    }
    return usage(fmt::format("{}: {} is not one of {}", text, word, all));
  }
  return {};
}

bool has_mark(std::string_view text, std::span<const std::string_view> marks) {
  return std::any_of(marks.begin(), marks.end(),
                     [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
}

bool is_directory_name(const std::string& text) {
  std::error_code error;
  return text.ends_with('/') || fs::is_directory(path_of(text), error);
}

Result<std::vector<Unit>> plan_units(const Request& request) {
  const bool together = request.cube || request.array;
  const bool many = request.inputs.size() > 1 && !together;
  const auto placed = [](const std::string& text) { return is_directory_name(text) || has_mark(text, kMarks); };
  for (const std::string* text : {&request.output, &request.sheet}) {
    if (auto good = check_marks(*text, kMarks); !good) return good.error();
  }
  if (many && !request.output.empty() && !placed(request.output)) {
    return usage(fmt::format("-o {}: several inputs need a directory or a name with {{name}}", request.output));
  }
  if (many && !request.sheet.empty() && !placed(request.sheet)) {
    return usage(fmt::format("{} {}: several inputs need a directory or a name with {{name}}", request.sheet_option,
                             request.sheet));
  }
  std::vector<Unit> units;
  if (together) {
    units.push_back({request.inputs, {}, {}});
  } else {
    for (const std::string& input : request.inputs) units.push_back({{input}, {}, {}, false, units.size()});
  }
  for (Unit& unit : units) {
    if (!request.output.empty()) {
      unit.output = expand(request.output, unit.inputs.front(), extension_of(request, unit.inputs.front()));
      if (auto good = check_type(request, unit.output); !good) return good.error();
      if (auto good = check_output_meaning(request.picture, unit.output); !good) return good.error();
      if (request.zstd > 0 && files::type_of_extension(unit.output) != files::Type::kKtx2) {
        return usage(fmt::format("--zstd: {} is not a KTX2 file", unit.output.string()));
      }
      const files::Type type = files::type_of_extension(unit.output);
      if (request.dds_header != files::DdsHeader::kDx10 && type != files::Type::kDds) {
        return usage(fmt::format("--dds-header: {} is not a DDS file", unit.output.string()));
      }
      if (request.block != Block::kNone && type != files::Type::kDds && type != files::Type::kKtx2) {
        return usage(fmt::format("--block: {} is neither a DDS nor a KTX2 file", unit.output.string()));
      }
      if (request.block >= Block::kAstc4x4 && type != files::Type::kKtx2) {
        return usage(fmt::format("--block: DDS files hold no ASTC; {} must be a KTX2 file", unit.output.string()));
      }
      unit.makes_directory = request.output.ends_with('/');
    }
    if (request.sheet.empty()) continue;
    unit.sheet = expand(request.sheet, unit.inputs.front(), ".png");
    if (auto good = check_sheet_type(request, unit.sheet); !good) return good.error();
  }
  if (auto good = check_collisions(request, units); !good) return good.error();
  return units;
}

Result<std::vector<Unit>> units_of_shard(const Request& request) {
  auto units = plan_units(request);
  if (!units) return units;
  std::erase_if(*units, [&](const Unit& unit) { return unit.index % request.shard.count != request.shard.index; });
  return units;
}

Result<void> check_directory(const Unit& unit) {
  const fs::path directory = unit.output.parent_path();
  std::error_code error;
  if (unit.makes_directory || directory.empty() || fs::exists(directory, error) || error) return {};
  if (unit.output.string().find("://") != std::string::npos) {
    return Error{ErrorCode::kIo, "onepass writes files, not URLs", unit.output.string()};
  }
  return Error{
      ErrorCode::kIo,
      fmt::format("there is no directory {} (a directory whose name ends with / is created)", directory.string()),
      unit.output.string()};
}

Result<void> make_directory(const std::string& name, const fs::path& output) {
  if (!name.ends_with('/')) return {};
  const fs::path directory = output.parent_path();
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return Error{ErrorCode::kIo, "cannot create the directory: " + error.message(), directory.string()};
  return {};
}

namespace {

// Readers take all JPEG files, and PNM files of colours, as sRGB, but the writers store integers unchanged. Those of 16
// bits are linear and must be encoded.
bool must_encode(const Request& request, const fs::path& output, Format format) {
  const bool grey = format == Format::kR16Unorm;
  if (request.color != files::Color::kAuto || (!grey && format != Format::kRGBA16Unorm)) return false;
  const files::Type type = files::type_of_extension(output);
  return type == files::Type::kJpeg || (type == files::Type::kPnm && !(grey && stores_grey(output)));
}

}  // namespace

bool stores_grey(const fs::path& pnm) {
  std::string extension = pnm.extension().string();
  for (char& c : extension) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return extension != ".ppm";
}

Result<void> write_picture(const Request& request, const fs::path& output, const ImageView& image,
                           const PictureInfo& info, AlphaAssociation stored_alpha) {
  if (auto made = make_directory(request.output, output); !made) return made.error();
  if (must_encode(request, output, image.format)) {
    auto light = Image::create(image.format == Format::kR16Unorm ? Format::kR32Sfloat : Format::kRGBA32Sfloat,
                               image.size, image.slices);
    if (!light) return light.error();
    if (auto done = convert_colors(image, light->view(), {}, request.threads); !done) return done.error();
    return write_picture(request, output, light->view(), info, stored_alpha);
  }
  files::WriteOptions options = write_options(request, info, image, stored_alpha);
  options.png.color = request.color == files::Color::kLinear ? files::Color::kLinear : files::Color::kSrgb;
  if (format_info(image.format).type == ChannelType::kFloat) options.png.bits = 16;
  options.pnm.bits = options.png.bits;
  options.pnm.color = request.color == files::Color::kLinear ? files::Color::kLinear : files::Color::kAuto;
  return files::write(output, std::span(&image, 1), options);
}

fs::path level_path(const fs::path& pattern, uint32_t level) {
  std::string name = pattern.filename().string();
  const LevelMark mark = find_level_mark(name);
  if (mark.length > 0) {
    name.replace(mark.at, mark.length, fmt::format("{:0{}}", level, mark.digits));
  } else {
    name = fmt::format("{}.{}{}", pattern.stem().string(), level, pattern.extension().string());
  }
  return pattern.parent_path() / path_of(name);
}

Result<std::vector<fs::path>> write_levels(files::FileSet& set, const Request& request, const fs::path& output,
                                           std::span<const ImageView> levels, const PictureInfo& info,
                                           AlphaAssociation stored_alpha) {
  if (auto made = make_directory(request.output, output); !made) return made.error();
  if (files::type_of_extension(output) == files::Type::kPng)
    return write_png_levels(set, request, output, levels, info);
  files::WriteOptions options = write_options(request, info, levels.front(), stored_alpha);
  if (request.kind == Request::Kind::kHiz) {
    options.exr.channels = format_info(levels.front().format).channels == 2 ? std::vector<std::string>{"Z.min", "Z.max"}
                                                                            : std::vector<std::string>{"Z"};
  }
  const auto writer = [&](const fs::path& path) { return files::write(path, levels, options); };
  if (auto done = set.write(output, writer); !done) return done.error();
  return std::vector<fs::path>{output};
}

}  // namespace onepass::cli
