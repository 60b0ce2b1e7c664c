// request.cpp: adds, parses and checks the options that commands share.
#include "request.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "engine.hpp"
#include "input_list.hpp"
#include "option_group.hpp"
#include "usage.hpp"

namespace onepass::cli {

const char* output_types_help() {
  return "Output: .png, .exr, .tif, .jpg, .hdr, .pfm, .ppm, .pgm, .pnm, .pam, .dds or .ktx2; for several inputs a "
         "directory "
         "or a "
         "name with "
         "{name}";
}

Result<int> parse_zstd(const CLI::App& command, const std::string& text) {
  if (command.count("--zstd") == 0) return 0;
  int level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error != std::errc() || end != text.data() + text.size() || level < 1 || level > 22) {
    return usage(fmt::format("--zstd: '{}' is not a level from 1 to 22", text));
  }
  return level;
}

void add_input_options(CLI::App& command, Request& request, RequestWords& words, const char* color_default) {
  Group group(command, "Files");
  group
      .add("INPUT", request.inputs, "FILE",
           "PNG, JPEG, EXR, HDR, PFM, KTX2, TIFF, WebP, TGA or PNM files, directories of them, @LIST (a file of "
           "names), or - "
           "(standard input)")
      ->required();
  group
      .add("--channel", request.channels, "NAME",
           "Channels to read, separated by commas: in EXR files names (Z, diffuse.R) or a layer; elsewhere R, G, B, A")
      ->delimiter(',')
      ->allow_extra_args(false);
  group.choice<files::Color>(
      "--color", words.color,
      fmt::format("Encoding of the values; auto: as the file states (default {})", color_default));
}

namespace {

// -o -: `output` becomes a file that is copied to stdout at the end.
Result<void> open_standard_output(Request& request) {
  const std::string& format = request.picture.output_format;
  if (format.empty()) return usage("-o -: standard output needs --output-format, png or exr for example");
  if (request.json) return usage("-o - and --json exclude each other: both write to standard output");
  if (request.shard.count > 1) return usage("-o - and --shard exclude each other");
  if (!request.sheet.empty()) return usage(fmt::format("-o - and {} exclude each other", request.sheet_option));
  if (request.inputs.size() > 1 && !request.cube && !request.array) return usage("-o -: takes one input");
  if (request.kind != Request::Kind::kPicture && format == "png" && !request.one_level) {
    return usage("-o -: levels as PNG are several files; --output-format ktx2 and exr hold all of them");
  }
  auto opened = StandardOutput::create(request.extension);
  if (!opened) return opened.error();
  request.standard_output = std::move(*opened);
  request.output = request.standard_output->path().string();
  return {};
}

}  // namespace

Result<void> finish_device_options(Request& request) {
  if (request.engine == Engine::kCpu && !request.device.empty()) return usage("--device needs --engine vulkan");
  if (request.engine == Engine::kCpu && !request.tunings.empty()) return usage("--tunings needs --engine vulkan");
  auto text = read_tunings(request.tunings);
  if (!text) return text.error();
  if (!request.tunings.empty()) request.also_read.push_back(request.tunings);
  request.tunings = std::move(*text);
  return {};
}

Result<void> finish_inputs(const CLI::App& command, Request& request, const RequestWords& words,
                           NonFinitePolicy nonfinite) {
  auto inputs = expand_inputs(request.inputs, request.also_read);
  if (!inputs) return inputs.error();
  request.inputs = std::move(*inputs);
  if (!words.shard.empty()) {
    const auto shard = parse_shard(words.shard);
    if (!shard) return shard.error();
    request.shard = *shard;
  }
  if (auto good = finish_picture_options(command, request.picture, words.picture, nonfinite); !good) return good;
  const std::string& format = request.picture.output_format;
  if (!format.empty()) request.extension = "." + format;
  return request.output == "-" ? open_standard_output(request) : Result<void>();
}

}  // namespace onepass::cli
