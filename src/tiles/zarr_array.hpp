// zarr_array.hpp: the metadata of the base of an OME-Zarr picture, versions 0.1 to 0.4 (Zarr version 2).
// Sources: "Next-generation file formats (NGFF)", version 0.4, 2022; "Zarr storage specification version 2", 2022.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "onepass/image.hpp"
#include "onepass/result.hpp"
#include "tiles/picture_header.hpp"

namespace onepass::tiles {

/// An array of rows, columns and, on an axis of its own, channels; all other axes have one element.
struct ZarrArray {
  enum class Axis { kOne, kChannel, kRow, kColumn };
  enum class Codec { kNone, kZlib, kZstd, kBlosc };  ///< kZlib: zlib or gzip.
  struct Dimension {
    Axis axis = Axis::kOne;
    uint32_t size = 1;
    uint32_t chunk = 1;  ///< Elements of a chunk along this axis.
    size_t stride = 1;   ///< Elements of a chunk between two neighbours along this axis.
  };

  std::filesystem::path folder;       ///< Of the chunks.
  std::vector<Dimension> dimensions;  ///< In the order of the shape; the last one varies fastest.
  bool swapped = false;               ///< The byte order of the samples is not the machine's.
  std::array<std::byte, 4> fill{};    ///< The sample of chunks that are not stored, in the machine's byte order.
  Codec codec = Codec::kNone;
  char separator = '.';
  PictureHeader header;  ///< Without its size.

  /// The dimension of an axis; one of size 1 if the array has none.
  [[nodiscard]] Dimension dimension(Axis axis) const;
  [[nodiscard]] size_t chunk_bytes() const;
  [[nodiscard]] std::filesystem::path chunk_path(uint32_t channel_chunk, uint32_t row_chunk,
                                                 uint32_t column_chunk) const;
};

/// Reads the metadata of the first multiscale image in the directory `root`. Errors: kNotFound, kIo, kBadData,
/// kUnsupported, with the file as context.
Result<ZarrArray> read_zarr_array(const std::filesystem::path& root);

}  // namespace onepass::tiles
