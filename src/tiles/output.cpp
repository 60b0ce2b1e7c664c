// output.cpp: the code that all outputs share: entries of finished bands, which list the bytes and the checksum of each
// tile and by which an interrupted output is checked, and the defaults of outputs with one file per tile.
#include "tiles/output.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>

#include "files/writers.hpp"
#include "tiles/file_io.hpp"
#include "tiles/system.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {

std::string entry_of(std::span<const TileRecord> records) {
  std::string entry;
  for (const TileRecord& record : records) {
    entry += text_of(entry.empty() ? "" : " ", record.bytes, " ", record.crc);
  }
  return entry;
}

std::optional<std::vector<uint64_t>> numbers_of(const std::string& entry) {
  std::vector<uint64_t> numbers;
  const char* at = entry.data();
  const char* const end = at + entry.size();
  while (at != end) {
    uint64_t number = 0;
    const auto [next, code] = std::from_chars(at, end, number);
    if (code != std::errc()) return std::nullopt;
    numbers.push_back(number);
    for (at = next; at != end && *at == ' ';) ++at;
  }
  return numbers;
}

Result<OutputPtr> make_output(const OutputPlan& plan) {
  switch (output_type(plan.options.output)) {
    case OutputType::kDeepZoom:
      return make_deep_zoom(plan);
    case OutputType::kZarr:
      return make_zarr(plan);
    default:
      return make_tiff(plan);
  }
}

std::filesystem::path Output::tile_path(const Tile& /*tile*/) const { return {}; }

Result<void> Output::store(const Tile& tile, std::span<const std::byte> bytes) const {
  return write_file(tile_path(tile), bytes);
}

Result<void> Output::append(uint32_t /*level*/, uint32_t /*row*/, std::span<const Bytes> /*tiles*/) { return {}; }
bool Output::restore(uint32_t /*level*/, uint32_t /*row*/, const std::string& /*entry*/) { return true; }

Result<uint64_t> Output::join(uint32_t /*level*/, uint32_t /*row*/, const std::filesystem::path& /*part*/,
                              const std::string& /*entry*/) {
  return 0;
}

Result<bool> Output::is_intact(uint32_t level, uint32_t row, const std::filesystem::path& /*part*/,
                               const std::string& entry) const {
  const uint32_t columns = plan_.grids[level].columns();
  const size_t tiles = size_t{columns} * planes();
  const auto numbers = numbers_of(entry);
  if (!numbers || numbers->size() != 2 * tiles) return false;
  for (size_t i = 0; i < tiles; ++i) {
    const Tile tile{.level = level,
                    .column = static_cast<uint32_t>(i % columns),
                    .row = row,
                    .plane = static_cast<uint32_t>(i / columns),
                    .pixels = {}};
    const auto intact = has_checksum(tile_path(tile), 0, (*numbers)[2 * i], (*numbers)[2 * i + 1], true);
    if (!intact || !*intact) return intact;
  }
  return true;
}

Result<void> Output::sync() const {
  if (system::sync_file_system(plan_.work)) return {};
  return files::file_error(plan_.work, ErrorCode::kIo, text_of("cannot write it to disk: ", std::strerror(errno)));
}

}  // namespace onepass::tiles
