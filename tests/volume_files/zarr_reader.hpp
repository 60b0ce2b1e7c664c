// zarr_reader.hpp: arrays of Zarr 2 and 3 as bytes, read by their specifications, for the tests of volumes in files.
// Sources: "Zarr core specification", version 3, 2024; "Sharding codec", version 1.0 (ZEP 2), 2023; "Zarr storage
// specification version 2", 2022; CRC-32C: RFC 3720, 2004, appendix B.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace volume_files_test {

/// An array: all voxels in C order, little-endian.
struct ZarrVoxels {
  std::vector<uint64_t> shape;
  std::string type;  // "uint16" (version 3) or "<u2" (version 2)
  std::vector<std::byte> bytes;
  std::string problem;  // empty: the array is what its metadata say
};

ZarrVoxels read_zarr_array(const std::filesystem::path& folder);

nlohmann::json read_json(const std::filesystem::path& file);

}  // namespace volume_files_test
