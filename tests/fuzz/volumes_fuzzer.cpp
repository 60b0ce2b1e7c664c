// volumes_fuzzer.cpp: fuzzes open_volume() and VolumeSource::read(). The first byte selects what the others are: a
// file, or a text of metadata, and another one, up to a zero byte each, and behind them the only chunk of an array.
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "tests/files/files_support.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "volume_files/volume_source.hpp"

namespace {

namespace fs = std::filesystem;
using namespace onepass;
using namespace onepass::volumes;

constexpr uint64_t kMostMemory = uint64_t{64} << 20;  // more is not read

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

void save(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  files_test::save(path, std::as_bytes(std::span(text)));
}

std::string_view take_text(std::string_view& rest) {
  const std::string_view text = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(rest.size(), text.size() + 1));
  return text;
}

void save_array(const fs::path& root, const char* metadata, std::string_view text, std::string_view chunk) {
  save(root / metadata, text);
  for (const char* name : {"c/0/0/0", "c.0.0.0", "0.0.0", "0/0/0"}) save(root / name, chunk);
}

fs::path save_input(std::string_view bytes) {
  const fs::path root = directory() / "in";
  const auto kind = static_cast<unsigned char>(bytes.front()) % 4;
  bytes.remove_prefix(1);
  if (kind == 0) {
    save(root, bytes);
  } else if (kind == 3) {
    save(root / "zarr.json", take_text(bytes));
    const std::string_view metadata = take_text(bytes);
    save_array(root / "0", "zarr.json", metadata, bytes);
  } else {
    const std::string_view metadata = take_text(bytes);
    save_array(root, kind == 1 ? "zarr.json" : ".zarray", metadata, bytes);
  }
  return root;
}

void check_error(const Error& error) {
  if (error.message.empty() || error.context.empty()) fuzz::fail("an error that says nothing: " + error.text());
}

void read_some(VolumeSource& source) {
  const VolumeHeader& header = source.header();
  const VolumeSize size{std::min(header.size.width, 40U), std::min(header.size.height, 40U),
                        std::min(header.size.planes, 6U)};
  if (size.width == 0 || size.height == 0 || size.planes == 0 || header.set.count() == 0) fuzz::fail("an empty volume");
  if (source.memory_bytes(size) > kMostMemory) return;
  const size_t row = size_t{size.width} * voxel_info(header.type).bytes;
  std::vector<std::byte> out(row * size.height * size.planes);
  const VolumeBox box{header.size.width - size.width, header.size.height - size.height,
                      header.size.planes - size.planes, size};
  for (const uint32_t index : {0U, header.set.count() - 1}) {
    if (const auto done = source.read(index, box, out.data(), row, row * size.height); !done) check_error(done.error());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static tiles::WorkerPool pool(1);
  const fs::path path = save_input({reinterpret_cast<const char*>(data), size});
  auto source = open_volume({.path = path}, pool);
  if (source) {
    read_some(**source);
  } else {
    check_error(source.error());
  }
  for (const auto& entry : fs::directory_iterator(directory())) fs::remove_all(entry.path());
  return 0;
}
