// grid_table.hpp: a table of files and the positions of their first pixels in a mosaic.
//
//     file,x,y
//     tile_00.tif,0,0
//     tile_01.tif,1843.2,-3
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "onepass/result.hpp"

namespace onepass::tiles {

/// A file of a table.
struct PlacedFile {
  std::filesystem::path path;  ///< Names without a folder are those beside the table.
  uint32_t x = 0, y = 0;       ///< Of its first pixel, from the smallest x and y of the table.
};

/// Whether the grid of an input is a table: a name that ends in ".csv".
bool is_grid_table(const std::string& grid);

/// Reads a table (RFC 4180). Its first line names the columns, of which file, x and y are read. Positions are rounded
/// to whole pixels. Errors: kNotFound, kIo; kBadData, naming the line, also for a file that is named twice.
Result<std::vector<PlacedFile>> read_grid_table(const std::filesystem::path& path);

}  // namespace onepass::tiles
