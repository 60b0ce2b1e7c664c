// chunk_codec.cpp: a table of codecs; Zstandard and Blosc do the work.
#include "volume_files/chunk_codec.hpp"

#include "tiles/text.hpp"

namespace onepass::volumes {
namespace {

using Json = nlohmann::ordered_json;
using tiles::text_of;

struct CodecInfo {
  const char* name;
  const char* compressor;  // Blosc's; null: Blosc is not used
  int level;
};

// In the order of VolumeCompression. Blosc's level 2 of Zstandard is Zstandard's level 3.
constexpr CodecInfo kCodecs[] = {
    {"zstd", nullptr, tiles::kZstdLevel}, {"none", nullptr, 0}, {"blosc-lz4", "lz4", 5}, {"blosc-zstd", "zstd", 2}};

const CodecInfo& info_of(VolumeCompression codec) { return kCodecs[static_cast<size_t>(codec)]; }

}  // namespace

const char* codec_name(VolumeCompression codec) {
  return static_cast<size_t>(codec) < std::size(kCodecs) ? info_of(codec).name : nullptr;
}

Result<void> check_codec(VolumeCompression codec) {
  if (codec_name(codec) == nullptr) {
    return Error{ErrorCode::kInvalidArgument, "compression: choose zstd, none, blosc-lz4 or blosc-zstd", ""};
  }
#ifndef ONEPASS_HAS_BLOSC
  if (info_of(codec).compressor != nullptr) {
    return Error{ErrorCode::kUnsupported,
                 text_of("compression: ", codec_name(codec), " is not available: this build of onepass has no Blosc"),
                 ""};
  }
#endif
  return {};
}

std::span<const std::byte> encode_chunk(VolumeCompression codec, std::span<const std::byte> chunk,
                                        [[maybe_unused]] size_t voxel_bytes, tiles::Bytes& buffer) {
  if (codec == VolumeCompression::kNone) return chunk;
#ifdef ONEPASS_HAS_BLOSC
  if (const CodecInfo& info = info_of(codec); info.compressor != nullptr) {
    return tiles::compress_blosc(chunk, info.compressor, info.level, voxel_bytes, buffer);
  }
#endif
  return tiles::compress_zstd(chunk, info_of(codec).level, buffer);
}

// Blosc has two copies of its own blocks, which are no larger than the chunk.
uint32_t codec_chunks(VolumeCompression codec) { return info_of(codec).compressor != nullptr ? 3 : 1; }

Json compressor_of_zarr_2(VolumeCompression codec) {
  const CodecInfo& info = info_of(codec);
  if (codec == VolumeCompression::kNone) return nullptr;
  if (info.compressor == nullptr) return {{"id", info.name}, {"level", info.level}};
  constexpr int kBytes = 1;  // sorts bytes by significance
  return {{"id", "blosc"}, {"cname", info.compressor}, {"clevel", info.level}, {"shuffle", kBytes}, {"blocksize", 0}};
}

Json codec_of_zarr_3(VolumeCompression codec, size_t voxel_bytes) {
  const CodecInfo& info = info_of(codec);
  if (codec == VolumeCompression::kNone) return nullptr;
  if (info.compressor == nullptr) {
    return {{"name", info.name}, {"configuration", {{"level", info.level}, {"checksum", false}}}};
  }
  return {{"name", "blosc"},
          {"configuration",
           {{"typesize", voxel_bytes},
            {"cname", info.compressor},
            {"clevel", info.level},
            {"shuffle", "shuffle"},
            {"blocksize", 0}}}};
}

}  // namespace onepass::volumes
