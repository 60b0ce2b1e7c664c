// texture_set.cpp: options of `textures`, and the files of its sets.
#include "texture_set.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "option_group.hpp"
#include "path_of.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInputMarks[] = {"{name}", "{ext}", "{dir}"};
constexpr std::string_view kOutputMarks[] = {"{name}", "{role}", "{ext}", "{dir}"};

// Words for base colours at the end of a file's name, after "_" or "-".
constexpr std::string_view kBaseWords[] = {"base_color", "basecolor", "base_colour", "basecolour", "base", "albedo",
                                           "diffuse",    "diff",      "color",       "colour",     "col"};

constexpr std::string_view kChannelWords = "rgba";

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return out;
}

// "FILE", "FILE:g" or a number from 0 to 1.
Result<ChannelInput> parse_channel(const std::string& option, const std::string& text) {
  ChannelInput input;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, input.value);
  if (error == std::errc() && stop == end) {
    if (input.value >= 0 && input.value <= 1) return input;
    return usage(fmt::format("{}: {} is not 0 to 1", option, text));
  }
  input.file = text;
  input.value = 0;
  if (text.size() >= 2 && text[text.size() - 2] == ':') {
    const size_t channel = kChannelWords.find(text.back());
    if (channel == std::string_view::npos) {
      return usage(
          fmt::format("{}: '{}' ends with :{}, which is none of :r, :g, :b and :a", option, text, text.back()));
    }
    input.channel = static_cast<uint32_t>(channel);
    input.file = text.substr(0, text.size() - 2);
  }
  if (input.file.empty()) return usage(fmt::format("{}: '{}' names no file", option, text));
  if (auto good = check_marks(input.file, kInputMarks); !good) return good.error();
  return input;
}

// "r=ao.png,g=rough.png,b=metal.png"
Result<void> parse_pack(TexturesRequest& request) {
  for (size_t at = 0; at <= request.pack.size();) {
    const size_t end = std::min(request.pack.find(',', at), request.pack.size());
    const std::string part = request.pack.substr(at, end - at);
    const size_t channel = part.empty() ? std::string_view::npos : kChannelWords.find(part[0]);
    if (channel == std::string_view::npos || part.size() < 3 || part[1] != '=') {
      return usage(fmt::format("--pack: '{}' is not like r=ao.png,g=rough.png,b=metal.png", part));
    }
    if (request.packed[channel]) return usage(fmt::format("--pack: {} is given twice", part[0]));
    auto input = parse_channel("--pack", part.substr(2));
    if (!input) return input.error();
    request.packed[channel] = std::move(*input);
    at = end + 1;
  }
  if (!request.has_orm()) return usage("--pack: g, which holds the roughness, is missing");
  return {};
}

// The channels of the packed texture: those of --pack, or of --ao, --rough and --metal.
Result<void> finish_packed(const CLI::App& command, TexturesRequest& request) {
  const bool parts = !request.ao.empty() || !request.rough.empty() || !request.metal.empty();
  if (!request.pack.empty()) {
    for (const char* option : {"--ao", "--rough", "--metal"}) {
      if (command.count(option) > 0) return usage(fmt::format("--pack and {} exclude each other", option));
    }
    if (auto good = parse_pack(request); !good) return good;
  } else if (parts) {
    const std::pair<const char*, const std::string*> options[] = {
        {"--ao", &request.ao}, {"--rough", &request.rough}, {"--metal", &request.metal}};
    for (size_t i = 0; i < 3; ++i) {
      if (options[i].second->empty()) continue;
      auto input = parse_channel(options[i].first, *options[i].second);
      if (!input) return input.error();
      request.packed[i] = std::move(*input);
    }
  } else {
    return {};
  }
  const float usual[] = {1, 1, 0};  // no occlusion, rough, no metal: the defaults of glTF without a texture
  for (size_t i = 0; i < 3; ++i) {
    if (!request.packed[i]) request.packed[i] = ChannelInput{.value = usual[i]};
  }
  return {};
}

Result<void> check_combinations(const CLI::App& command, const TexturesRequest& request) {
  const bool normals = !request.normal.empty() || !request.height.empty();
  if (!request.normal.empty() && !request.height.empty()) return usage("--normal and --height exclude each other");
  if (request.height.empty() && command.count("--height-scale") > 0) return usage("--height-scale needs --height");
  if (request.normal.empty() && request.flip_y) return usage("--flip-y needs --normal");
  for (const char* option : {"--rough-xy", "--keep-roughness"}) {
    if (command.count(option) == 0) continue;
    if (!normals) return usage(fmt::format("{} needs --normal or --height", option));
    if (!request.has_orm()) return usage(fmt::format("{} needs --rough or --pack", option));
  }
  if (request.rough_xy && request.keep_roughness) return usage("--rough-xy and --keep-roughness exclude each other");
  if (command.count("--alpha-threshold") > 0) {
    if (request.alpha != Alpha::kCoverage) return usage("--alpha-threshold needs --alpha coverage");
    if (!(request.alpha_threshold > 0 && request.alpha_threshold <= 1)) {
      return usage(fmt::format("--alpha-threshold: {} is not above 0 and up to 1", request.alpha_threshold));
    }
  }
  if (request.alpha == Alpha::kCoverage && request.filter != MipFilter::kBox) {
    return usage(fmt::format("--filter {} and --alpha coverage exclude each other", word_of(request.filter)));
  }
  if (request.profile == Profile::kWeb && command.count("--quality") > 0) {
    return usage("--quality needs --profile desktop or mobile: web has no blocks");
  }
  return {};
}

// The name of a set: that of its base without the word for base colours.
std::string set_name(const std::string& base) {
  std::string name = path_of(base).stem().string();
  const std::string low = lower_case(name);
  for (const std::string_view word : kBaseWords) {
    if (low.size() < word.size() + 2 || !low.ends_with(word)) continue;
    const size_t length = name.size() - word.size() - 1;
    if (name[length] == '_' || name[length] == '-') return name.substr(0, length);
  }
  return name;
}

std::vector<NameMark> marks_of_set(const std::string& base) {
  std::vector<NameMark> marks = marks_of(base);
  marks.front().value = set_name(base);  // {name}
  return marks;
}

// The output's name with the mark {role}, which a name without one gets before its extension.
std::string output_pattern(const std::string& output) {
  if (is_directory_name(output)) return output + (output.ends_with('/') ? "" : "/") + "{name}_{role}.ktx2";
  const std::string_view role[] = {"{role}"};
  if (has_mark(output, role)) return output;
  const fs::path path = path_of(output);
  return (path.parent_path() / path_of(path.stem().string() + "_{role}" + path.extension().string())).string();
}

Result<void> check_type(const TexturesRequest& request, const fs::path& output) {
  const files::Type type = files::type_of_extension(output);
  const bool desktop = request.profile == Profile::kDesktop;
  if (type == files::Type::kKtx2 || (type == files::Type::kDds && desktop)) {
    if (type == files::Type::kDds && request.zstd > 0) {
      return usage(fmt::format("--zstd: {} is not a KTX2 file", output.string()));
    }
    return {};
  }
  return usage(fmt::format("{}: the output's extension must be .ktx2{}", output.string(),
                           desktop ? " or .dds" : " with --profile " + request.profile_word));
}

void add_input(Unit& unit, const std::string& file) {
  if (file.empty() || std::find(unit.inputs.begin(), unit.inputs.end(), file) != unit.inputs.end()) return;
  unit.inputs.push_back(file);
}

TextureSet set_of(const TexturesRequest& request, const std::string& base) {
  TextureSet set;
  std::vector<NameMark> marks = marks_of_set(base);
  set.unit.inputs = {base};
  const auto name = [&](const std::string& text) {
    std::string file = with_marks(text, marks);
    add_input(set.unit, file);
    return file;
  };
  set.normal = name(request.normal);
  set.height = name(request.height);
  set.emissive = name(request.emissive);
  for (size_t i = 0; i < 4 && request.packed[i]; ++i) {
    set.packed[i] = *request.packed[i];
    set.packed[i].file = name(set.packed[i].file);
    set.packed_channels = static_cast<uint32_t>(i) + 1;
  }
  const std::string pattern = output_pattern(request.output);
  marks.push_back({"{role}", ""});
  const auto add = [&](Role role, bool wanted) {
    if (!wanted) return;
    marks.back().value = role_word(role);
    set.outputs.emplace_back(role, path_of(with_marks(pattern, marks)));
  };
  add(Role::kBase, true);
  add(Role::kNormal, !set.normal.empty() || !set.height.empty());
  add(Role::kOrm, request.has_orm());
  add(Role::kRoughXy, request.rough_xy);
  add(Role::kEmissive, !set.emissive.empty());
  set.unit.output = set.outputs.front().second;
  set.unit.makes_directory = request.output.ends_with('/');
  if (!request.sheet.empty()) {
    std::string sheet = request.sheet;
    if (is_directory_name(sheet)) sheet += (sheet.ends_with('/') ? "" : "/") + std::string("{name}.png");
    set.unit.sheet = path_of(with_marks(sheet, marks));
  }
  return set;
}

Result<void> check_collisions(const std::vector<TextureSet>& sets) {
  std::vector<fs::path> inputs;
  std::vector<files::OutputPlace> outputs;
  std::vector<const TextureSet*> makers;  // of the outputs
  for (const TextureSet& set : sets) {
    for (const std::string& input : set.unit.inputs) inputs.push_back(path_of(input));
    for (const auto& [role, path] : set.outputs) {
      outputs.push_back({path});
      makers.push_back(&set);
    }
    if (set.unit.sheet.empty()) continue;
    outputs.push_back({set.unit.sheet});
    makers.push_back(&set);
  }
  const auto conflict = files::find_output_conflict(inputs, outputs);
  if (!conflict) return {};
  if (conflict->kind != files::OutputConflict::Kind::kIsOutput) return usage(conflict->message);
  return usage(
      fmt::format("{}: two outputs would have this name (the second from {}); distinguish them by {{role}}, "
                  "{{name}} or {{dir}}",
                  outputs[conflict->output].path.string(), makers[conflict->output]->unit.inputs.front()));
}

void add_files(CLI::App& command, TexturesRequest& request) {
  Group group(command, "Files");
  group
      .add("INPUT", request.inputs, "FILE",
           "Base colours, one picture for each set; directories of them, or @LIST (a file of names)")
      ->required();
  group.choice<files::Color>("--color", request.words.color,
                             "Encoding of base colours and emitted light; auto: as the file states (default auto)");
  group.add("--normal", request.normal, "FILE", "Normal map; {name} and {dir} stand for parts of INPUT's name");
  group.add("--height", request.height, "FILE", "Heights, of which the normal map is made");
  group.add("--rough", request.rough, "FILE|FILE:C|0..1",
            "Roughness: a picture, its channel r, g, b or a, or a number");
  group.add("--metal", request.metal, "FILE|FILE:C|0..1", "Metalness (default 0)");
  group.add("--ao", request.ao, "FILE|FILE:C|0..1", "Ambient occlusion (default 1)");
  group.add("--pack", request.pack, "r=FILE,g=FILE,...",
            "Channels of the texture of occlusion (r), roughness (g) and metalness (b), in place of the three options");
  group.add("--emissive", request.emissive, "FILE", "Emitted light");
  group.add("-o,--output", request.output, "FILE", "Output pattern; see below")->required();
  group.add("--sheet", request.sheet, "FILE.png", "Also draw all textures and the errors of their compression");
  group.add("--zstd", request.words.zstd, "[LEVEL]",
            "Compress KTX2 with Zstandard: 1 to 22, 3 if no number is given (web: default 3)");
}

void add_computation(CLI::App& command, TexturesRequest& request) {
  Group group(command, "Computation");
  group.choice(
      "--profile", request.profile_word, kProfileNames,
      "desktop: BC7, BC5 and BC6H; mobile: ASTC; web: texels of 8 bits and halves, with Zstandard (default desktop)");
  group.choice<BlockQuality>("--quality", request.quality_word,
                             "desktop, mobile: work for each block (default normal)");
  group.choice<Alpha>("--alpha", request.alpha_word,
                      "Alpha of the base; coverage keeps the share of opaque texels (default weighted)");
  group.add("--alpha-threshold", request.alpha_threshold, "A",
            "For coverage: texels with at least this alpha count as opaque (default 0.5)");
  group.choice<MipFilter>("--filter", request.filter_word, "Weights of the mean of colours (default box)");
  group.flag("--wrap", request.wrap,
             "The textures repeat: filters, heights and enlargements continue at the opposite edge");
  group.flag("--flip-y", request.flip_y, "Reverse y of the normal map: from Direct3D to OpenGL, or back");
  group.add("--height-scale", request.height_scale, "H",
            "Height of a value of 1 above 0, in texels; y of the normals points up (default 8)");
  group.flag("--keep-roughness", request.keep_roughness,
             "Roughness of levels is the plain mean, without the variance of the normals");
  group.flag("--rough-xy", request.rough_xy,
             "Also make a texture of roughness along x and along y, for anisotropic GGX");
}

}  // namespace

const char* role_word(Role role) {
  switch (role) {
    case Role::kBase:
      return "base";
    case Role::kNormal:
      return "normal";
    case Role::kOrm:
      return "orm";
    case Role::kRoughXy:
      return "rough_xy";
    case Role::kEmissive:
      return "emissive";
  }
  return "";
}

void add_textures_options(CLI::App& command, TexturesRequest& request) {
  add_files(command, request);
  add_computation(command, request);
  add_picture_options(command, request.picture, request.words.picture, {.output = false, .nonfinite = "refuse"});
  Group how(command, "Execution");
  how.choice(
      "--engine", request.words.engine, kEngineNames,
      "Means of levels, and with --quality fast blocks of BC; auto: a GPU if there is one, else the CPU (default "
      "auto)");
  how.add("--device", request.device, "INDEX|NAME|all", kDeviceHelp);
  how.add("--tunings", request.tunings, "FILE", kTuningsHelp);
  how.add("--threads", request.threads, "N", kThreadsHelp)->check(silent(CLI::Range(1, 1024)));
  how.add("--shard", request.words.shard, "I/N|auto/N", kShardHelp);
  Group report(command, "Reports");
  report.flag("--json", request.json, "Print one JSON object: textures, formats, errors, times");
  report.flag("-q,--quiet", request.quiet, "Print errors only");
}

Result<void> finish_textures_request(const CLI::App& command, TexturesRequest& request) {
  for (const std::string* text : {&request.normal, &request.height, &request.emissive}) {
    if (auto good = check_marks(*text, kInputMarks); !good) return good;
  }
  for (const std::string* text : {&request.output, &request.sheet}) {
    if (auto good = check_marks(*text, kOutputMarks); !good) return good;
  }
  request.profile = value_of(kProfileNames, request.profile_word);
  request.engine = value_of(kEngineNames, request.words.engine);
  request.quality = value_of<BlockQuality>(request.quality_word);
  request.filter = value_of<MipFilter>(request.filter_word);
  if (!request.alpha_word.empty()) request.alpha = value_of<Alpha>(request.alpha_word);
  if (!request.words.color.empty()) request.color = value_of<files::Color>(request.words.color);
  if (request.output == "-") return usage("-o -: a set of textures is several files");
  if (auto good = finish_packed(command, request); !good) return good;
  if (auto good = finish_inputs(command, request, request.words, NonFinitePolicy::kRefuse); !good) return good;
  const auto zstd = parse_zstd(command, request.words.zstd);
  if (!zstd) return zstd.error();
  request.zstd = *zstd == 0 && request.profile == Profile::kWeb ? kUsualZstd : *zstd;
  if (auto good = finish_device_options(request); !good) return good;
  return check_combinations(command, request);
}

Result<std::vector<TextureSet>> plan_sets(const TexturesRequest& request) {
  const bool placed = is_directory_name(request.output) || has_mark(request.output, kInputMarks);
  if (request.inputs.size() > 1 && !placed) {
    return usage(fmt::format("-o {}: several inputs need a directory or a name with {{name}}", request.output));
  }
  if (request.inputs.size() > 1 && !request.sheet.empty() && !is_directory_name(request.sheet) &&
      !has_mark(request.sheet, kInputMarks)) {
    return usage(fmt::format("--sheet {}: several inputs need a directory or a name with {{name}}", request.sheet));
  }
  std::vector<TextureSet> sets;
  for (const std::string& input : request.inputs) {
    sets.push_back(set_of(request, input));
    sets.back().unit.index = sets.size() - 1;
    for (const auto& [role, path] : sets.back().outputs) {
      if (auto good = check_type(request, path); !good) return good.error();
    }
    const fs::path& sheet = sets.back().unit.sheet;
    if (!sheet.empty() && files::type_of_extension(sheet) != files::Type::kPng) {
      return usage(fmt::format("--sheet {}: the sheet's extension must be .png", sheet.string()));
    }
  }
  if (auto good = check_collisions(sets); !good) return good.error();
  std::erase_if(sets,
                [&](const TextureSet& set) { return set.unit.index % request.shard.count != request.shard.index; });
  return sets;
}

}  // namespace onepass::cli
