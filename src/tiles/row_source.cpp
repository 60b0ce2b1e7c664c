// row_source.cpp: finds the type of an input and opens it.
#include "tiles/row_source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include "tiles/file_io.hpp"

namespace onepass::tiles {

Result<void> RowSource::skip(uint32_t rows) {
  std::vector<std::byte> row(rows > 0 ? row_bytes() : 0);
  for (; rows > 0; --rows) {
    if (auto done = read(1, row.data(), row.size()); !done) return done;
  }
  return {};
}

#ifndef ONEPASS_HAS_TIFF
Result<SourcePtr> open_tiff_rows(const std::filesystem::path& path, WorkerPool& /*pool*/) {
  return Error{ErrorCode::kUnsupported, "is a TIFF file, and onepass was built without TIFF", path.string()};
}
#endif

namespace {

// Whole slides are known by their names: some are TIFF files, of others the file is an index of many.
bool is_slide(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 7> kExtensions = {".svs", ".ndpi", ".scn", ".mrxs", ".vms", ".vmu", ".bif"};
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

}  // namespace

Result<SourcePtr> open_source(const TileInput& input, WorkerPool& pool) {
  if (!input.grid.empty()) return open_grid_rows(input, pool);
  if (!input.raw.empty()) return open_raw_rows(input.path, input.raw);
  std::error_code none;
  if (std::filesystem::is_directory(input.path, none)) {
    return open_zarr_rows(input.path, pool);
  }
  auto file = open_input(input.path);
  if (!file) return file.error();
  if (is_slide(input.path)) return open_slide_rows(input.path, pool);
  std::array<std::byte, 16> start{};
  const size_t count = std::min<uint64_t>(file->size, start.size());
  if (const int number = read_fully(file->handle.number(), start.data(), count, 0); number != 0) {
    return Error{ErrorCode::kIo, std::string("cannot read it: ") + std::strerror(number), input.path.string()};
  }
  switch (files::type_of_content(std::span(start.data(), count))) {
    case files::Type::kTiff:
      return open_tiff_rows(input.path, pool);
    case files::Type::kPng:
      return open_png_rows(input.path, input.max_bytes);
    case files::Type::kJpeg:
      return open_jpeg_rows(input.path, input.max_bytes);
    case files::Type::kExr:
      return open_exr_rows(input.path, pool.threads());
    default:
      return open_memory_rows(input.path, input.max_bytes, pool.threads());
  }
}

}  // namespace onepass::tiles
