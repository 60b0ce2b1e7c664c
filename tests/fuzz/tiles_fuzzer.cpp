// tiles_fuzzer.cpp: fuzzes make_tiles(). The last five bytes of the input select options; the bytes before them are the
// picture, or damage the unfinished output of an interrupted run, which is then continued or merged.
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "onepass/tiles.hpp"
#include "tests/files/files_support.hpp"
#include "tests/fuzz/fuzz_input.hpp"

// Save time: the files need not survive a power failure.
extern "C" int fsync(int /*descriptor*/) { return 0; }
extern "C" int syncfs(int /*descriptor*/) { return 0; }

namespace {

namespace fs = std::filesystem;
using namespace onepass;
using namespace onepass::tiles;

// Pictures that need more memory must be refused, or libFuzzer's own limit reports them.
constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

// A directory for the whole process, emptied for every input.
const fs::path& directory() {
  static const fs::path path = [] {
    std::string name = (fs::exists("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/onepass-fuzz-XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) fuzz::fail("mkdtemp");
    std::atexit([] { fs::remove_all(directory()); });
    return fs::path(name);
  }();
  return path;
}

void empty_directory() {
  for (const auto& entry : fs::directory_iterator(directory())) fs::remove_all(entry.path());
}

struct Choice {
  TileOptions options;
  bool has_raw = false;  // the first line of the picture is TileInput::raw
  enum class Damage { kNone, kUnfinished, kShards } damage = Damage::kNone;
};

Choice choose(fuzz::Input in) {
  constexpr const char* kOutputs[] = {"out.tif", "out.dzi", "out.zarr", "out.tif", "out.ktx2", "out.exr"};
  Choice choice;
  TileOptions& options = choice.options;
  options.output = directory() / in.pick(kOutputs);
  options.threads = 1;
  options.input = {.path = directory() / "in", .max_bytes = kMaxBytes};
  const uint8_t flags = in.byte();
  options.cog = options.output.extension() == ".tif" && (flags & 1) != 0;
  choice.has_raw = (flags & 0x0e) == 0x0e;
  if ((flags & 0x30) == 0x30)
    choice.damage = (flags & 0x40) != 0 ? Choice::Damage::kShards : Choice::Damage::kUnfinished;
  options.tile_size = in.below(3) * 16;
  options.reduction = static_cast<Reduction>(in.below(3));
  options.color = static_cast<files::Color>(in.below(3));
  return choice;
}

bool is_whole_picture(const TileOptions& options) {
  return options.output.extension() == ".ktx2" || options.output.extension() == ".exr";
}

void check_report(const TileOptions& options, const TileReport& report) {
  if (report.sizes.empty() || report.outputs.empty()) fuzz::fail("a report without levels or outputs");
  const Extent base = report.sizes.front();
  for (size_t n = 0; n < report.sizes.size(); ++n) {
    const uint64_t up = is_whole_picture(options) ? 0 : (uint64_t{1} << n) - 1;
    const Extent size{static_cast<uint32_t>(std::max<uint64_t>(1, (base.width + up) >> n)),
                      static_cast<uint32_t>(std::max<uint64_t>(1, (base.height + up) >> n))};
    if (report.sizes[n] != size) fuzz::fail("wrong size of a level");
  }
  for (const fs::path& output : report.outputs) {
    if (!fs::exists(output)) fuzz::fail("an output that does not exist: " + output.string());
  }
}

void check_error(const Error& error) {
  const bool of_option = error.code == ErrorCode::kInvalidArgument;  // the message names it
  if (error.message.empty() || (error.context.empty() && !of_option)) fuzz::fail("an error that says nothing");
}

// Nothing is left of a picture that cannot be read.
void check_nothing_left(const TileOptions& options, const Error& error) {
  if (fs::exists(options.output)) fuzz::fail("an output in spite of an error: " + error.text());
  const bool of_input = error.code == ErrorCode::kBadData || error.code == ErrorCode::kUnsupported ||
                        error.code == ErrorCode::kInvalidArgument;
  if (of_input && fs::exists(unfinished_path(options.output))) fuzz::fail("unfinished output: " + error.text());
}

void make_picture(Choice choice, std::span<const std::byte> bytes) {
  TileOptions& options = choice.options;
  if (choice.has_raw) {
    const auto end = std::find(bytes.begin(), bytes.end(), std::byte{'\n'});
    const auto count = static_cast<size_t>(end - bytes.begin());
    options.input.raw.assign(reinterpret_cast<const char*>(bytes.data()), count);
    bytes = bytes.subspan(std::min(bytes.size(), count + 1));
  }
  files_test::Bytes picture(bytes.begin(), bytes.end());
  files_test::repair_png_checksums(picture);
  files_test::save(options.input.path, picture);
  const auto report = make_tiles(options);
  if (report) {
    check_report(options, *report);
  } else {
    check_error(report.error());
    check_nothing_left(options, report.error());
  }
}

// Replaces bytes of a file: the file, the position and the new bytes are taken from `in`.
void damage_one(const fs::path& work, fuzz::Input& in) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(work)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  if (files.empty()) return;
  std::sort(files.begin(), files.end());
  const fs::path& path = files[in.byte() % files.size()];
  files_test::Bytes bytes = files_test::load(path);
  const size_t position = std::min<size_t>(in.byte() | in.byte() << 8, bytes.size());
  if (in.flag()) bytes.resize(position);
  for (size_t i = position; !in.empty(); ++i) {
    if (i < bytes.size()) {
      bytes[i] = static_cast<std::byte>(in.byte());
    } else {
      bytes.push_back(static_cast<std::byte>(in.byte()));
    }
  }
  files_test::save(path, bytes);
}

void continue_damaged(Choice choice, fuzz::Input in) {
  TileOptions& options = choice.options;
  if (is_whole_picture(options)) return;
  options.tile_size = 16;
  options.input.raw = "70x60:gray8";
  files_test::Bytes pixels(size_t{70} * 60);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::byte>(i * i >> 4);
  files_test::save(options.input.path, pixels);
  TileOptions first = options;
  if (choice.damage == Choice::Damage::kShards) {
    first.shard.count = options.merge = 2;
    for (; first.shard.index < 2; ++first.shard.index) {
      if (const auto done = make_tiles(first); !done) fuzz::fail("shard: " + done.error().text());
    }
  } else {
    first.progress = [](const TileProgress& progress) { return progress.rows < progress.height; };
    options.resume = true;
    const auto done = make_tiles(first);
    if (done || done.error().code != ErrorCode::kCancelled) fuzz::fail("the run was not cancelled");
  }
  damage_one(unfinished_path(options.output), in);
  const auto report = make_tiles(options);
  if (report) {
    check_report(options, *report);
  } else {
    check_error(report.error());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kOptions = 5;
  if (size < kOptions) return 0;
  const size_t count = size - kOptions;
  const Choice choice = choose(fuzz::Input(data + count, kOptions));
  if (choice.damage == Choice::Damage::kNone) {
    make_picture(choice, std::as_bytes(std::span(data, count)));
  } else {
    continue_damaged(choice, fuzz::Input(data, count));
  }
  empty_directory();
  return 0;
}
