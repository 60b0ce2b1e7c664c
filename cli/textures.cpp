// textures.cpp: `onepass textures`: finished sets of textures, from the pictures of a material.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "texture_job.hpp"
#include "texture_sheet.hpp"
#include "unit_batch.hpp"

namespace onepass::cli {
namespace {

// Peak of a set's memory as a multiple of what reading its largest picture takes: normals and packed channels of 16
// bits with their levels, moments in double precision.
constexpr uint32_t kTexturesMemoryFactor = 8;

Json texture_json(const MadeTexture& texture) {
  Json json;
  json["role"] = role_word(texture.role);
  json["file"] = texture.file.string();
  json["format"] = texture.format;
  json["width"] = texture.size.width;
  json["height"] = texture.size.height;
  json["levels"] = texture.levels;
  json["bytes"] = texture.bytes;
  const TextureError& error = texture.error;
  switch (error.meaning) {
    case TexelMeaning::kCodes:
      json["psnr_db"] = error.mean > 0 ? Json(psnr(error)) : Json(nullptr);
      json["largest_error"] = error.largest;
      break;
    case TexelMeaning::kNormals:
      json["mean_error_degrees"] = error.mean;
      json["largest_error_degrees"] = error.largest;
      break;
    case TexelMeaning::kLight:
      json["mean_error_stops"] = error.mean;
      json["largest_error_stops"] = error.largest;
      break;
  }
  return json;
}

Json set_json(const TextureSet& set, const SetReport& report) {
  Json json;
  json["outputs"] = Json::array();
  json["textures"] = Json::array();
  for (const MadeTexture& texture : report.textures) {
    json["outputs"].push_back(texture.file.string());
    json["textures"].push_back(texture_json(texture));
  }
  if (!set.unit.sheet.empty()) json["outputs"].push_back(set.unit.sheet.string());
  json["engine"] = report.engine.engine;
  json["device"] = report.engine.device.empty() ? Json(nullptr) : Json(report.engine.device);
  if (!report.engine.note.empty()) json["note"] = report.engine.note;
  json["block_engine"] = report.block_engine.engine;
  if (!report.block_engine.note.empty()) json["block_note"] = report.block_engine.note;
  json["read_ms"] = report.read_ms;
  json["make_ms"] = report.make_ms;
  json["write_ms"] = report.write_ms;
  return json;
}

UnitOutcome outcome_of(const TextureSet& set, SetReport report) {
  UnitOutcome outcome;
  outcome.note = report.engine.note;
  const size_t count = report.textures.size();
  outcome.line = fmt::format("{} -> {}{}: {} texture{} in {}", set.unit.inputs.front(), set.unit.output.string(),
                             count > 1 ? " ... " + report.textures.back().file.string() : "", count,
                             count == 1 ? "" : "s", time_text(report.make_ms));
  for (const MadeTexture& texture : report.textures) {
    outcome.lines.push_back(fmt::format(
        "{:<8}  {} {}{}, {} level{}, {}, {}", role_word(texture.role), size_text(texture.size), texture.format,
        texture.transparent ? " with alpha" : "", texture.levels, texture.levels == 1 ? "" : "s",
        bytes_text(static_cast<double>(texture.bytes)), error_text(texture.error)));
  }
  outcome.json = set_json(set, report);
  outcome.warnings = std::move(report.warnings);
  outcome.hints = std::move(report.hints);
  return outcome;
}

int run_textures(const CLI::App& command, TexturesRequest& request) {
  Console console({.quiet = request.quiet, .json = request.json});
  if (auto good = finish_textures_request(command, request); !good) {
    console.error(good.error().text());
    return status_of(good.error());
  }
  const auto sets = plan_sets(request);
  if (!sets) {
    console.error(sets.error().text());
    return kUsage;
  }
  const auto engine = EngineChoice::choose(request);
  if (!engine) {
    console.error(engine.error().text());
    return kSomeFailed;
  }
  request.inputs.clear();  // the sets hold them
  std::vector<Unit> units;
  for (const TextureSet& set : *sets) units.push_back(set.unit);
  const auto make = [&](const Unit& unit, UnitShare& share) -> Result<UnitOutcome> {
    TexturesRequest own = request;
    EngineChoice own_engine = engine->for_unit(unit.index);
    use_share(share, own, own_engine);
    const TextureSet& set = (*sets)[unit.index / request.shard.count];
    auto report = run_set(own, own_engine, set);
    if (!report) return report.error();
    return outcome_of(set, std::move(*report));
  };
  const int status = run_batch({"textures", engine->name(), kTexturesMemoryFactor}, request, units, make, console);
  return finish_run(request, console, status);
}

}  // namespace

Command add_textures(CLI::App& app) {
  CLI::App* command = app.add_subcommand("textures", "Make the finished textures of materials");
  command->footer(
      "Each INPUT is the base colour of one set; {name} is its name without a word like _albedo or _base_color at the\n"
      "end. The files of other pictures may have {name}, {dir} and {ext}. One texture is written for each role:\n"
      "  base      colours in sRGB: BC7, with alpha if the base is transparent anywhere\n"
      "  normal    unit vectors: BC5, from which shaders compute z\n"
      "  orm       occlusion, roughness and metalness in red, green and blue: BC7. Roughness of each level has the\n"
      "            variance of the normals in its footprint\n"
      "  rough_xy  with --rough-xy: roughness along x and along y: BC5\n"
      "  emissive  emitted light: BC6H of floats, otherwise BC7\n"
      "--profile mobile has ASTC in their place: 4x4 of vectors, 5x5 of orm, 6x6 of colours and light.\n"
      "--profile web has RGBA of 8 bits (halves for floats), which every GPU samples.\n"
      "{role} in --output is the role; without it NAME.ktx2 means NAME_{role}.ktx2, and DIR/ means\n"
      "DIR/{name}_{role}.ktx2. The extension is .ktx2 or .dds (desktop only).\n"
      "Examples:\n"
      "  onepass textures bricks_albedo.png --normal bricks_normal.png --rough bricks_rough.png -o out/{name}.ktx2\n"
      "  onepass textures base.png --normal n.png --pack r=ao.png,g=rough.png,b=metal.png -o out/ --sheet sheet.png\n"
      "  onepass textures base.png --height h.png --rough 0.6 --wrap -o stone.dds --quality best\n"
      "  onepass textures leaf.png --alpha coverage --normal n.png --flip-y -o leaf.ktx2 --profile web\n"
      "  onepass textures sets/*_albedo.png --normal {dir}/{name}_normal.png --rough {dir}/{name}_orm.png:g -o out/");
  auto request = std::make_shared<TexturesRequest>();
  add_textures_options(*command, *request);
  return [=] { return run_textures(*command, *request); };
}

}  // namespace onepass::cli
