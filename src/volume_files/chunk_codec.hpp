// chunk_codec.hpp: the codecs of chunks that are written: their names, their bytes, and their metadata.
// Sources: Zarr storage specification version 2; codecs zstd and blosc of Zarr 3; numcodecs' configurations.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>

#include "onepass/volume_files.hpp"
#include "tiles/compress.hpp"

namespace onepass::volumes {

/// A codec's name in options and messages: "zstd", "none", "blosc-lz4", "blosc-zstd"; null of other values.
const char* codec_name(VolumeCompression codec);

/// Errors: kInvalidArgument; kUnsupported if this build lacks the codec.
Result<void> check_codec(VolumeCompression codec);

/// The bytes of an encoded chunk. They lie in `chunk` or in `buffer`, whose memory the next call uses again.
/// `voxel_bytes`: of one voxel.
std::span<const std::byte> encode_chunk(VolumeCompression codec, std::span<const std::byte> chunk, size_t voxel_bytes,
                                        tiles::Bytes& buffer);

/// Memory of encode_chunk() in units of a chunk, `buffer` included.
uint32_t codec_chunks(VolumeCompression codec);

/// "compressor" of Zarr 2; null: none.
nlohmann::ordered_json compressor_of_zarr_2(VolumeCompression codec);

/// The codec of Zarr 3 that follows "bytes"; null: none.
nlohmann::ordered_json codec_of_zarr_3(VolumeCompression codec, size_t voxel_bytes);

}  // namespace onepass::volumes
