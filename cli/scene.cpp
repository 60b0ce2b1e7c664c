// scene.cpp: `onepass scene`: renders the sample scene to an OpenEXR file with RGBA and Z.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfOutputFile.h>
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <charconv>
#include <memory>
#include <thread>

#include "commands.hpp"
#include "console.hpp"
#include "elapsed.hpp"
#include "exr_stream.hpp"
#include "json_text.hpp"
#include "names.hpp"
#include "onepass/files.hpp"
#include "path_of.hpp"
#include "scene/render.hpp"

namespace onepass::cli {
namespace {

void write_pixels(AtomicStream& stream, const ImageView& colour, const ImageView& depth) {
  const auto width = static_cast<int>(depth.size.width);
  const auto height = static_cast<int>(depth.size.height);
  Imf::Header header(width, height);
  header.compression() = Imf::ZIP_COMPRESSION;
  Imf::FrameBuffer pixels;
  constexpr std::array<const char*, 4> kNames{"R", "G", "B", "A"};
  auto* bytes = const_cast<char*>(static_cast<const char*>(colour.data));  // NOLINT: OpenEXR only reads it
  for (size_t c = 0; c < kNames.size(); ++c) {
    header.channels().insert(kNames[c], Imf::Channel(Imf::HALF));
    pixels.insert(kNames[c], Imf::Slice(Imf::HALF, bytes + 2 * c, 8, colour.row_stride));
  }
  header.channels().insert("Z", Imf::Channel(Imf::FLOAT));
  auto* z = const_cast<char*>(static_cast<const char*>(depth.data));  // NOLINT: as above
  pixels.insert("Z", Imf::Slice(Imf::FLOAT, z, 4, depth.row_stride));
  Imf::OutputFile file(stream, header);
  file.setFrameBuffer(pixels);
  file.writePixels(height);
}

Result<void> write_scene(const std::string& path, const ImageView& colour, const ImageView& depth) {
  auto file = files::AtomicFile::create(path_of(path));
  if (!file) return file.error();
  AtomicStream stream(path, *file);
  try {
    write_pixels(stream, colour, depth);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "out of memory", path};
  } catch (const std::exception& exception) {
    return stream.state() ? Error{ErrorCode::kIo, exception.what(), path} : stream.state().error();
  }
  if (!stream.state()) return stream.state();  // the end of a file is written by a destructor, which cannot throw
  return file->commit();
}

struct SceneRequest {
  std::string output;
  std::string size = "1920x1080";
  uint32_t threads = 0;
  bool json = false;
  bool quiet = false;
};

// Parses WIDTHxHEIGHT, each 1 to 16384.
Result<Extent> parse_size(const std::string& text) {
  Extent size;
  const char* const end = text.data() + text.size();
  const auto width = std::from_chars(text.data(), end, size.width);
  const bool cross = width.ec == std::errc() && width.ptr != end && *width.ptr == 'x';
  const auto height = cross ? std::from_chars(width.ptr + 1, end, size.height) : width;
  if (!cross || height.ec != std::errc() || height.ptr != end) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("--size: '{}' is not WIDTHxHEIGHT", text), ""};
  }
  constexpr uint32_t kMost = 16384;
  if (size.width == 0 || size.height == 0 || size.width > kMost || size.height > kMost) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--size: {} is not between 1x1 and {}x{}", text, kMost, kMost), ""};
  }
  return size;
}

Result<scene::Picture> render_with_bar(Extent size, uint32_t threads, Console& console) {
  std::atomic<uint32_t> progress{0};
  std::atomic<bool> done{false};
  std::jthread watcher([&] {
    using namespace std::chrono_literals;
    for (int tick = 0; !done; ++tick) {
      std::this_thread::sleep_for(20ms);
      if (tick % 5 == 4) console.bar(progress / 1000.0, "rendering");
    }
  });
  auto picture = scene::render(size, threads, progress);
  done = true;
  watcher.join();
  console.clear_bar();
  return picture;
}

Result<void> make_scene(const SceneRequest& request, Extent size, Console& console) {
  const auto start = Clock::now();
  // An output that cannot be written is reported before the rendering, not after it.
  if (auto probe = files::AtomicFile::create(path_of(request.output)); !probe) return probe.error();
  auto picture = render_with_bar(size, request.threads, console);
  if (!picture) return picture.error();
  const double render_ms = milliseconds_since(start);
  auto half = Image::create(Format::kRGBA16Sfloat, size);
  if (!half) return half.error();
  for (uint32_t y = 0; y < size.height; ++y) {
    const auto* row = reinterpret_cast<const float*>(picture->colour.view().row(y));
    encode_row(Format::kRGBA16Sfloat, row, size.width, half->view().row(y));
  }
  if (auto done = write_scene(request.output, half->view(), picture->depth.view()); !done) return done;
  const double write_ms = milliseconds_since(start) - render_ms;
  console.line(fmt::format("{}: {} RGBA half and Z float, rendered in {}", request.output, size_text(size),
                           time_text(render_ms)));
  if (request.json) {
    Json json;
    json["onepass"] = ONEPASS_VERSION;
    json["command"] = "scene";
    json["outputs"] = {request.output};
    json["width"] = size.width;
    json["height"] = size.height;
    json["near"] = scene::kNear;
    json["far"] = scene::kFar;
    json["render_ms"] = render_ms;
    json["write_ms"] = write_ms;
    print_output("{}\n", json_text(json));
  }
  return {};
}

int run_scene(const SceneRequest& request) {
  Console console({.quiet = request.quiet, .json = request.json});
  const auto usage = [&](const std::string& message) {
    console.error(message);
    return kUsage;
  };
  const auto size = parse_size(request.size);
  if (!size) return usage(size.error().text());
  if (files::type_of_extension(path_of(request.output)) != files::Type::kExr) {
    return usage(request.output + ": the output's extension must be .exr");
  }
  if (auto done = make_scene(request, *size, console); !done) {
    console.error(done.error().text());
    return kSomeFailed;
  }
  return console.flush() ? kAllGood : kSomeFailed;
}

}  // namespace

Command add_scene(CLI::App& app) {
  CLI::App* command = app.add_subcommand("scene", "Render the sample scene: HDR colour and depth");
  auto request = std::make_shared<SceneRequest>();
  command->add_option("-o,--output", request->output, "The OpenEXR file to write")->required()->type_name("FILE.exr");
  command->add_option("--size", request->size, "Size of the picture (default 1920x1080)")->type_name("WxH");
  command->add_option("--threads", request->threads, "CPU threads (default those that the process may use)")
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""));
  command->add_flag("--json", request->json, "Print one JSON object");
  command->add_flag("-q,--quiet", request->quiet, "Print errors only");
  command->footer(
      fmt::format("R, G, B, A: half floats, linear light, Rec. 709 primaries; the sun is about 500 times brighter "
                  "than a sunlit wall.\n"
                  "Z: float, depth of a perspective projection as Vulkan and Direct3D define it: 0 at {} m, 1 at {} m "
                  "and in the sky;\n"
                  "   z = f / (f - n) * (1 - n / distance).\n"
                  "Every run renders the same pixels.",
                  scene::kNear, scene::kFar));
  return [=] { return run_scene(*request); };
}

}  // namespace onepass::cli
