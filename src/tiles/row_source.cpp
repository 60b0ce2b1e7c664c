// row_source.cpp: finds the type of an input and opens it.
#include "tiles/row_source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include "files/url.hpp"
#include "tiles/file_io.hpp"
#include "tiles/grid_table.hpp"
#include "tiles/picture_rows.hpp"

namespace onepass::tiles {

Result<void> RowSource::skip(uint32_t rows) {
  std::vector<std::byte> row(rows > 0 ? row_bytes() : 0);
  for (; rows > 0; --rows) {
    if (auto done = read(1, row.data(), row.size()); !done) return done;
  }
  return {};
}

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

namespace {

// The source of a file, by its content.
Result<SourcePtr> open_file(const TileInput& input, WorkerPool& pool, files::Color color) {
  auto file = open_input(input.path);
  if (!file) return file.error();
  if (is_slide(input.path)) return open_slide_rows(input.path, pool);
  return open_file_rows(input.path, std::move(*file), pool, input.max_bytes, color);
}

Result<SourcePtr> open_remote(const TileInput& input, WorkerPool& pool, files::Color color,
                              const remote::SitePtr& site) {
  if (!input.raw.empty()) return files::url_error(input.path.string());
  if (is_slide(input.path)) {
    return Error{ErrorCode::kUnsupported, "whole slides are read from files, not over HTTP", input.path.string()};
  }
  auto file = open_remote_tiff(site);
  if (!file) return file.error();
  if (!*file) return open_zarr_rows(input.path, pool, site);
  return open_file_rows(input.path, std::move(**file), pool, input.max_bytes, color);
}

Result<SourcePtr> open_stored(const TileInput& input, WorkerPool& pool, files::Color color,
                              const remote::SitePtr& site) {
  if (files::is_url(input.grid)) return files::url_error(input.grid);
  if (site) return open_remote(input, pool, color, site);
  if (is_grid_table(input.grid)) return open_mosaic_rows(input, pool, color);
  if (!input.grid.empty()) return open_grid_rows(input, pool, color);
  if (!input.raw.empty()) return open_raw_rows(input.path, input.raw);
  std::error_code none;
  if (std::filesystem::is_directory(input.path, none)) return open_zarr_rows(input.path, pool);
  return open_file(input, pool, color);
}

}  // namespace

Result<SourcePtr> open_source(const TileInput& input, WorkerPool& pool, files::Color color,
                              const remote::SitePtr& site) {
  auto source = open_stored(input, pool, color, site);
  if (!source || !input.grid.empty()) return source;  // the files of a grid have been through this
  return as_meant(std::move(*source), color, input.max_bytes);
}

}  // namespace onepass::tiles
