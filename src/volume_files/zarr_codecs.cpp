// zarr_codecs.cpp: undoes the codecs from the last to the first. Each step may make at most the bytes that the codecs
// before it can have made of a block, so that a stored length never decides how much is allocated.
#include "volume_files/zarr_codecs.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "tiles/decompress.hpp"
#include "volume_files/crc32c.hpp"

namespace onepass::zarr {
namespace {

constexpr uint64_t kBestRatio = 65536;  // of any codec: Zstandard makes 128 KiB of four bytes

std::optional<size_t> decompress(ByteCodec codec, std::span<const std::byte> from, std::span<std::byte> to) {
  switch (codec) {
    case ByteCodec::kZlib:
      return tiles::decompress_zlib(from, to);
    case ByteCodec::kZstd:
      return tiles::decompress_zstd(from, to);
    case ByteCodec::kBlosc:
#ifdef ONEPASS_HAS_BLOSC
      return tiles::decompress_blosc(from, to);
#endif
    case ByteCodec::kCrc32c:
      break;
  }
  return std::nullopt;
}

// The bytes before the checksum; empty if it differs.
std::span<const std::byte> checked(std::span<const std::byte> bytes) {
  if (bytes.size() < 4) return {};
  const auto data = bytes.first(bytes.size() - 4);
  uint32_t stored = 0;
  for (size_t i = 4; i-- > 0;) stored = stored << 8 | std::to_integer<uint32_t>(bytes[data.size() + i]);
  return volumes::crc32c_of(data) == stored ? data : std::span<const std::byte>();
}

template <typename T>
void copy_as(const std::byte* from, size_t from_step, std::byte* to, size_t to_step, size_t count, bool swap) {
  for (size_t i = 0; i < count; ++i, from += from_step, to += to_step) {
    std::byte value[sizeof(T)];
    std::memcpy(value, from, sizeof(T));
    if (swap) std::reverse(value, value + sizeof(T));
    std::memcpy(to, value, sizeof(T));
  }
}

}  // namespace

uint64_t decoder_bytes(const ArrayMetadata& array) {
  uint64_t bytes = array.most_stored_bytes();
  const auto compressors = array.codecs.size() - static_cast<size_t>(std::count(
                                                     array.codecs.begin(), array.codecs.end(), ByteCodec::kCrc32c));
  bytes += std::min<size_t>(compressors, 2) * array.most_stored_bytes();
  // Blosc: three of its own blocks, at most as large as one of the array.
  const bool blosc = std::find(array.codecs.begin(), array.codecs.end(), ByteCodec::kBlosc) != array.codecs.end();
  return bytes + (blosc ? 3 * uint64_t{array.block_bytes()} : 0);
}

std::span<const std::byte> decode_block(const ArrayMetadata& array, BlockBuffers& buffers) {
  std::span<const std::byte> bytes = buffers.stored;
  size_t target = 0;
  for (size_t i = array.codecs.size(); i-- > 0;) {
    const ByteCodec codec = array.codecs[i];
    if (codec == ByteCodec::kCrc32c) {
      bytes = checked(bytes);
      if (bytes.empty()) return {};
      continue;
    }
    uint64_t most = array.block_bytes();
    for (size_t before = 0; before < i; ++before) most = most_encoded_bytes(array.codecs[before], most);
    if (most / kBestRatio > bytes.size()) return {};  // a few stored bytes must not claim memory without bound
    std::vector<std::byte>& out = buffers.decoded[target];
    target = 1 - target;
    if (out.size() < most) out.resize(most);
    const auto got = decompress(codec, bytes, std::span(out).first(most));
    if (!got) return {};
    bytes = std::span<const std::byte>(out).first(*got);
  }
  return bytes.size() == array.block_bytes() ? bytes : std::span<const std::byte>();
}

void copy_elements(const std::byte* from, size_t from_step, std::byte* to, size_t to_step, size_t count, size_t bytes,
                   bool swap) {
  if (!swap && from_step == bytes && to_step == bytes) {
    std::memcpy(to, from, count * bytes);
  } else if (bytes == 1) {
    copy_as<uint8_t>(from, from_step, to, to_step, count, false);
  } else if (bytes == 2) {
    copy_as<uint16_t>(from, from_step, to, to_step, count, swap);
  } else if (bytes == 4) {
    copy_as<uint32_t>(from, from_step, to, to_step, count, swap);
  } else {
    copy_as<uint64_t>(from, from_step, to, to_step, count, swap);
  }
}

}  // namespace onepass::zarr
