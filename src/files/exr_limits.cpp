// exr_limits.cpp: bounds from a header alone: the least bytes that its samples take, and the most that its chunks need.
#include "files/exr_limits.hpp"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfCompression.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfTileDescription.h>

#include <algorithm>
#include <string>

#include "files/exr_scan.hpp"
#include "files/exr_threads.hpp"
#include "files/pixels.hpp"
#include "image/div_up.hpp"

namespace onepass::files {
namespace {

// Each thread decompresses one chunk (a tile or a block of scanlines) at a time in memory.
constexpr uint64_t kMaxChunkBytes = uint64_t{1} << 30;

// Largest ratio of raw to compressed bytes. The lossy DWA codecs apply Huffman coding to run lengths.
uint64_t best_ratio(Imf::Compression compression) {
  switch (compression) {
    case Imf::NO_COMPRESSION:
      return 1;
    case Imf::DWAA_COMPRESSION:
    case Imf::DWAB_COMPRESSION:
      return 65536;
    default:
      return 2048;
  }
}

uint64_t lines_per_chunk(Imf::Compression compression) {
  switch (compression) {
    case Imf::NO_COMPRESSION:
    case Imf::RLE_COMPRESSION:
    case Imf::ZIPS_COMPRESSION:
      return 1;
    case Imf::ZIP_COMPRESSION:
    case Imf::PXR24_COMPRESSION:
      return 16;
    case Imf::DWAB_COMPRESSION:
      return 256;
    default:
      return 32;
  }
}

uint64_t bytes_per_sample(const Imf::Channel& channel) { return channel.type == Imf::HALF ? 2 : 4; }

// Bytes of a pixel with a sample of every channel.
uint64_t bytes_per_pixel(const Imf::Header& header) {
  uint64_t bytes = 0;
  for (auto it = header.channels().begin(); it != header.channels().end(); ++it) {
    bytes += bytes_per_sample(it.channel());
  }
  return bytes;
}

// Bytes of all samples of the base.
uint64_t bytes_of_samples(const Imf::Header& header, uint64_t width, uint64_t height) {
  uint64_t bytes = 0;
  for (auto it = header.channels().begin(); it != header.channels().end(); ++it) {
    const auto divide = [](uint64_t size, int sampling) { return size / static_cast<uint64_t>(std::max(1, sampling)); };
    bytes +=
        divide(width, it.channel().xSampling) * divide(height, it.channel().ySampling) * bytes_per_sample(it.channel());
  }
  return bytes;
}

// Bytes of all levels that read_levels() creates.
uint64_t levels_bytes(const Imf::Header& header, Format format) {
  uint64_t width = box_width(header.dataWindow());
  uint64_t height = box_height(header.dataWindow());
  uint64_t bytes = image_bytes(format, width, height);
  const bool chain = is_tiled(header) && header.tileDescription().mode == Imf::MIPMAP_LEVELS &&
                     header.tileDescription().roundingMode == Imf::ROUND_DOWN;
  while (chain && (width > 1 || height > 1)) {
    width = std::max<uint64_t>(1, width / 2);
    height = std::max<uint64_t>(1, height / 2);
    bytes += image_bytes(format, width, height);
  }
  return bytes;
}

}  // namespace

bool is_tiled(const Imf::Header& header) {
  return header.hasTileDescription() && (!header.hasType() || Imf::isTiled(header.type()));
}

Result<void> check_part(const Source& source, const Imf::Header& header) {
  const Imath::Box2i window = header.dataWindow();
  const uint64_t width = box_width(window);
  const uint64_t height = box_height(window);
  if (auto fine = check_size(source, width, height); !fine) return fine;
  const uint64_t pixel = bytes_per_pixel(header);
  uint64_t chunk_pixels = width * std::min(height, lines_per_chunk(header.compression()));
  uint64_t chunks = div_up(height, lines_per_chunk(header.compression()));
  if (is_tiled(header)) {
    const Imf::TileDescription& tile = header.tileDescription();
    if (tile.xSize == 0 || tile.ySize == 0 || tile.xSize > kMaxSize || tile.ySize > kMaxSize) {
      return source.bad("EXR: the tile size is " + size_text(tile.xSize, tile.ySize));
    }
    chunk_pixels = uint64_t{tile.xSize} * tile.ySize;
    chunks = div_up(width, tile.xSize) * div_up(height, tile.ySize);
  }
  if (pixel == 0) return source.bad("EXR: the part has no channels");
  if (chunk_pixels > kMaxChunkBytes / pixel) {
    return source.unsupported("EXR: a tile or block of scanlines of " + std::to_string(chunk_pixels) + " pixels of " +
                              std::to_string(pixel) + " bytes is too large");
  }
  if (auto fine = check_plausible(source, width, height, chunks * kMinChunkBytes, 1); !fine) return fine;
  return check_plausible(source, width, height, bytes_of_samples(header, width, height),
                         best_ratio(header.compression()));
}

// Measured with OpenEXR 3.1 and rounded up here: at most 3.5 chunks per buffer, 168 KB of tables for PIZ, 48 bytes per
// row or chunk. DWA's buffers are as wide as the data window, even for tiles.
uint64_t decoder_bytes(const Imf::Header& header, int threads) {
  constexpr uint64_t kFixed = 65536;
  constexpr uint64_t kBufferFixed = 16384;
  constexpr uint64_t kPizTables = uint64_t{192} << 10;
  const uint64_t width = box_width(header.dataWindow());
  const uint64_t height = box_height(header.dataWindow());
  const Imf::Compression compression = header.compression();
  const bool dwa = compression == Imf::DWAA_COMPRESSION || compression == Imf::DWAB_COMPRESSION;
  const bool tiled = is_tiled(header);
  const uint64_t lines = tiled ? header.tileDescription().ySize : lines_per_chunk(compression);
  const uint64_t columns = tiled ? header.tileDescription().xSize : width;
  const uint64_t pixels = lines * (dwa ? std::max(width, columns) + 8 : columns);
  const uint64_t chunks = tiled ? (div_up(width, columns) + 1) * (div_up(height, lines) + 1) * 4 : height;
  const uint64_t buffers = threads > 0 ? uint64_t{2} * static_cast<uint64_t>(file_threads(threads)) : 1;
  const uint64_t buffer =
      4 * pixels * bytes_per_pixel(header) + kBufferFixed + (compression == Imf::PIZ_COMPRESSION ? kPizTables : 0);
  return kFixed + buffers * buffer + 64 * (height + chunks);
}

Result<void> check_exr_memory(const Source& source, const ReadOptions& options, const Imf::Header& header,
                              const Selection& selection, Format format, int threads) {
  const auto channels = static_cast<uint32_t>(selection.channels.size());
  const uint64_t width = box_width(header.dataWindow());
  const uint64_t height = box_height(header.dataWindow());
  const Imath::Box2i& display = header.displayWindow();
  uint64_t bytes = levels_bytes(header, format);
  uint64_t result = bytes;
  if (selection.content == Content::kLuminanceChroma) bytes += image_bytes(Format::kRG16Sfloat, width / 2, height / 2);
  if (options.window == Window::kDisplay && header.dataWindow() != display) {
    if (auto fine = check_size(source, box_width(display), box_height(display)); !fine) return fine;
    result = image_bytes(format, box_width(display), box_height(display));
    bytes += result + 32 * box_width(display);  // plus a row to fill with
  }
  if (options.color == Color::kSrgb) {
    const uint64_t factor = format == half_format(channels) ? 2 : 1;  // decoded texels are floats
    bytes = std::max(bytes, (1 + factor) * result + 16 * std::max(width, box_width(display)));
  }
  return check_memory(source, options, bytes + decoder_bytes(header, threads),
                      "EXR: an image of " + size_text(width, height) + " pixels");
}

}  // namespace onepass::files
