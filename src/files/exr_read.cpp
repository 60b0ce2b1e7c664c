// exr_read.cpp: OpenEXR files: one part, up to four of its channels, all levels of a mip-map.
//
// OpenEXR throws; the exceptions end in read_memory(). Sizes are checked after the headers are parsed and before a part
// is opened, because opening one allocates line or tile buffers by what the header says.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfCompression.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfThreading.h>
#include <OpenEXR/ImfTileDescription.h>
#include <OpenEXR/ImfTiledInputPart.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "files/exr_scan.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"

namespace onepass::files {
namespace {

// One chunk (a tile or a block of scanlines) is decompressed in memory at a time and thread.
constexpr uint64_t kMaxChunkBytes = uint64_t{1} << 30;

// A chunk's entry in the offset table and the head of the chunk.
constexpr uint64_t kMinChunkBytes = 16;

// The most texels that filling up to a display window may add.
constexpr uint64_t kMaxDisplayTexels = uint64_t{1} << 28;

// The file's bytes as OpenEXR wants them.
class MemoryStream : public Imf::IStream {
 public:
  explicit MemoryStream(const Source& source) : IStream("memory"), bytes_(source.bytes) {}

  bool read(char target[], int count) override {
    const auto size = static_cast<size_t>(count);
    if (count < 0 || position_ > bytes_.size() || size > bytes_.size() - position_) {
      throw std::runtime_error("truncated");
    }
    std::memcpy(target, bytes_.data() + position_, size);
    position_ += size;
    return position_ < bytes_.size();
  }
  uint64_t tellg() override { return position_; }
  void seekg(uint64_t position) override { position_ = position; }
  void clear() override {}

 private:
  std::span<const std::byte> bytes_;
  size_t position_ = 0;
};

struct Selection {
  int part = 0;
  std::vector<std::string> channels;
};

// Best ratio of raw to compressed bytes. The lossy DWA codecs put run lengths under a Huffman code.
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

uint64_t bytes_per_pixel(const Imf::Header& header) {
  uint64_t bytes = 0;
  for (auto it = header.channels().begin(); it != header.channels().end(); ++it) {
    bytes += it.channel().type == Imf::HALF ? 2 : 4;
  }
  return bytes;
}

Box to_box(const Imath::Box2i& box) { return {box.min.x, box.min.y, box.max.x, box.max.y}; }

uint64_t box_width(const Imath::Box2i& box) { return static_cast<uint64_t>(int64_t{box.max.x} - box.min.x + 1); }
uint64_t box_height(const Imath::Box2i& box) { return static_cast<uint64_t>(int64_t{box.max.y} - box.min.y + 1); }

bool is_deep(const Imf::Header& header) { return header.hasType() && Imf::isDeepData(header.type()); }

std::string part_name(const Imf::Header& header) { return header.hasName() ? header.name() : std::string(); }

std::vector<std::string> channel_names(const Imf::Header& header) {
  std::vector<std::string> names;
  for (auto it = header.channels().begin(); it != header.channels().end(); ++it) names.emplace_back(it.name());
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  constexpr size_t kMaxListed = 16;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMaxListed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMaxListed ? text + " and " + std::to_string(names.size() - kMaxListed) + " more" : text;
}

bool has(const Imf::Header& header, const std::string& name) { return header.channels().findChannel(name) != nullptr; }

// The R, G, B and, if there, A of a layer; `prefix` is "" or "layer.".
std::vector<std::string> colour_channels(const Imf::Header& header, const std::string& prefix) {
  std::vector<std::string> names = {prefix + "R", prefix + "G", prefix + "B"};
  if (!std::all_of(names.begin(), names.end(), [&](const auto& name) { return has(header, name); })) return {};
  if (has(header, prefix + "A")) names.push_back(prefix + "A");
  return names;
}

// The channels of this part that the options ask for; none if it lacks one.
std::vector<std::string> named_channels(const Imf::Header& header, const std::vector<std::string>& wanted) {
  if (std::all_of(wanted.begin(), wanted.end(), [&](const auto& name) { return has(header, name); })) return wanted;
  return wanted.size() == 1 ? colour_channels(header, wanted.front() + ".") : std::vector<std::string>();
}

// What is read when nothing was asked for: colour before luminance before whatever stands alone.
std::vector<std::string> default_channels(const Imf::Header& header, int preference) {
  if (preference == 0) return colour_channels(header, "");
  if (preference == 1 && has(header, "Y")) return {"Y"};
  const std::vector<std::string> all = channel_names(header);
  return preference == 2 && all.size() == 1 ? all : std::vector<std::string>();
}

Result<void> check_wanted(const Source& source, const std::vector<std::string>& wanted) {
  if (wanted.size() > 4) {
    return source.error(ErrorCode::kInvalidArgument,
                        std::to_string(wanted.size()) + " channels were asked for; 1 to 4 are possible");
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].empty()) return source.error(ErrorCode::kInvalidArgument, "the name of a channel is empty");
    if (std::find(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(i), wanted[i]) !=
        wanted.begin() + static_cast<std::ptrdiff_t>(i)) {
      return source.error(ErrorCode::kInvalidArgument, "channel \"" + wanted[i] + "\" was asked for twice");
    }
  }
  return {};
}

// The parts to look at: all, or the one named or numbered.
Result<std::vector<int>> candidate_parts(const Source& source, const Imf::MultiPartInputFile& file,
                                         const std::string& wanted) {
  std::vector<int> parts;
  std::vector<std::string> names;
  for (int n = 0; n < file.parts(); ++n) {
    names.push_back("\"" + part_name(file.header(n)) + "\"");
    if (wanted.empty() || part_name(file.header(n)) == wanted) parts.push_back(n);
  }
  if (!parts.empty()) return parts;
  int number = -1;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (error == std::errc() && end == wanted.data() + wanted.size() && number >= 0 && number < file.parts()) {
    return std::vector<int>{number};
  }
  return source.error(ErrorCode::kNotFound, "EXR: no part \"" + wanted + "\"; there are " +
                                                std::to_string(file.parts()) + ": " + joined(names));
}

Result<Selection> select(const Source& source, const Imf::MultiPartInputFile& file, const ReadOptions& options) {
  if (auto fine = check_wanted(source, options.channels); !fine) return fine.error();
  Result<std::vector<int>> parts = candidate_parts(source, file, options.part);
  if (!parts) return parts.error();
  const int preferences = options.channels.empty() ? 3 : 1;
  bool deep = false;
  std::vector<std::string> present;
  for (int preference = 0; preference < preferences; ++preference) {
    for (const int part : *parts) {
      const Imf::Header& header = file.header(part);
      std::vector<std::string> names =
          options.channels.empty() ? default_channels(header, preference) : named_channels(header, options.channels);
      if (is_deep(header)) {
        deep = deep || !names.empty() || options.channels.empty();
      } else if (!names.empty()) {
        return Selection{part, std::move(names)};
      }
      if (preference == 0) {
        for (std::string& name : channel_names(header)) present.push_back(std::move(name));
      }
    }
  }
  if (deep) return source.unsupported("EXR: the part is deep (many samples a pixel), which is not supported");
  if (!options.channels.empty()) {
    return source.error(ErrorCode::kNotFound,
                        "EXR: no part has the channel " + joined(options.channels) + "; there are " + joined(present));
  }
  return source.error(ErrorCode::kNotFound, "EXR: neither R, G, B nor Y; name a channel of " + joined(present));
}

// By what the file says it is: scanlines may have an attribute "tiles" left over.
bool is_tiled(const Imf::Header& header) {
  return header.hasTileDescription() && (!header.hasType() || Imf::isTiled(header.type()));
}

// Refuses what the header claims but the file cannot hold, and chunks too large to decompress.
Result<void> check_part(const Source& source, const Imf::Header& header) {
  const Imath::Box2i window = header.dataWindow();
  const uint64_t width = box_width(window);
  const uint64_t height = box_height(window);
  if (auto fine = check_size(source, width, height); !fine) return fine;
  const uint64_t pixel = bytes_per_pixel(header);
  uint64_t chunk_pixels = width * std::min(height, lines_per_chunk(header.compression()));
  uint64_t chunks = (height + lines_per_chunk(header.compression()) - 1) / lines_per_chunk(header.compression());
  if (is_tiled(header)) {
    const Imf::TileDescription& tile = header.tileDescription();
    if (tile.xSize == 0 || tile.ySize == 0 || tile.xSize > kMaxSize || tile.ySize > kMaxSize) {
      return source.bad("EXR: the tile size is " + size_text(tile.xSize, tile.ySize));
    }
    chunk_pixels = uint64_t{tile.xSize} * tile.ySize;
    chunks = ((width + tile.xSize - 1) / tile.xSize) * ((height + tile.ySize - 1) / tile.ySize);
  }
  if (pixel == 0) return source.bad("EXR: the part has no channels");
  if (chunk_pixels > kMaxChunkBytes / pixel) {
    return source.unsupported("EXR: a tile or block of scanlines of " + std::to_string(chunk_pixels) + " pixels of " +
                              std::to_string(pixel) + " bytes is too large");
  }
  if (auto fine = check_plausible(source, width, height, chunks * kMinChunkBytes, 1); !fine) return fine;
  return check_plausible(source, width, height, width * height * pixel, best_ratio(header.compression()));
}

// Where OpenEXR is to put the channels: interleaved in `image`, whose first pixel is `window.min`.
Imf::FrameBuffer frame_buffer(Image& image, const std::vector<std::string>& channels, const Imath::Box2i& window) {
  const MutableImageView view = image.view();
  const FormatInfo& info = format_info(view.format);
  const size_t channel_bytes = info.bytes_per_texel / info.channels;
  const Imf::PixelType type = channel_bytes == 2 ? Imf::HALF : Imf::FLOAT;
  Imf::FrameBuffer buffer;
  for (size_t c = 0; c < channels.size(); ++c) {
    buffer.insert(channels[c], Imf::Slice::Make(type, image.data() + c * channel_bytes, window, info.bytes_per_texel,
                                                view.row_stride));
  }
  return buffer;
}

void fill_alpha(Image& image) {
  const size_t count = size_t{image.size().width} * image.size().height;
  if (format_info(image.format()).bytes_per_texel == 8) {
    auto* texels = reinterpret_cast<uint16_t*>(image.data());
    for (size_t i = 0; i < count; ++i) texels[4 * i + 3] = 0x3c00;
  } else {
    auto* texels = reinterpret_cast<float*>(image.data());
    for (size_t i = 0; i < count; ++i) texels[4 * i + 3] = 1.0F;
  }
}

// Reads all levels that the file type of onepass can hold: one, or a chain that rounds down.
Result<std::vector<Image>> read_levels(const Source& source, Imf::MultiPartInputFile& file, const Selection& selection,
                                       Format format) {
  const Imf::Header& header = file.header(selection.part);
  std::vector<Image> levels;
  const auto add = [&](const Imath::Box2i& window) -> Result<void> {
    const Extent size{static_cast<uint32_t>(box_width(window)), static_cast<uint32_t>(box_height(window))};
    Result<Image> image = create_image(source, format, size);
    if (!image) return image.error();
    if (selection.channels.size() == 3) fill_alpha(*image);
    levels.push_back(std::move(*image));
    return {};
  };
  if (!is_tiled(header)) {
    const Imath::Box2i window = header.dataWindow();
    if (auto done = add(window); !done) return done.error();
    Imf::InputPart part(file, selection.part);
    part.setFrameBuffer(frame_buffer(levels.back(), selection.channels, window));
    part.readPixels(window.min.y, window.max.y);
    return levels;
  }
  Imf::TiledInputPart part(file, selection.part);
  const Imf::TileDescription& tile = header.tileDescription();
  const bool chain = tile.mode == Imf::MIPMAP_LEVELS && tile.roundingMode == Imf::ROUND_DOWN;
  const int count = chain ? part.numLevels() : 1;
  for (int n = 0; n < count; ++n) {
    const Imath::Box2i window = part.dataWindowForLevel(n);
    if (auto done = add(window); !done) return done.error();
    part.setFrameBuffer(frame_buffer(levels.back(), selection.channels, window));
    part.readTiles(0, part.numXTiles(n) - 1, 0, part.numYTiles(n) - 1, n, n);
  }
  return levels;
}

// A copy of `image`, which lies at `data`, that covers `display`; `fill` where there is nothing.
Result<Image> expanded(const Source& source, const Image& image, const Imath::Box2i& data, const Imath::Box2i& display,
                       float fill) {
  const uint64_t width = box_width(display);
  const uint64_t height = box_height(display);
  if (auto fine = check_size(source, width, height); !fine) return fine.error();
  if (width * height > kMaxDisplayTexels + box_width(data) * box_height(data)) {
    return source.unsupported("EXR: the display window of " + size_text(width, height) + " is too large to fill");
  }
  Result<Image> result =
      create_image(source, image.format(), {static_cast<uint32_t>(width), static_cast<uint32_t>(height)});
  if (!result) return result;
  const size_t texel = format_info(image.format()).bytes_per_texel;
  const std::vector<float> filler(4 * width, fill);
  std::vector<std::byte> filler_row(width * texel);
  encode_row(image.format(), filler.data(), static_cast<uint32_t>(width), filler_row.data());
  const int64_t first = std::max(data.min.x, display.min.x);
  const int64_t last = std::min(data.max.x, display.max.x);
  for (uint32_t row = 0; row < height; ++row) {
    std::byte* target = result->view().row(row);
    std::memcpy(target, filler_row.data(), filler_row.size());
    const int64_t y = int64_t{display.min.y} + row;
    if (y < data.min.y || y > data.max.y || first > last) continue;
    std::memcpy(
        target + static_cast<size_t>(first - display.min.x) * texel,
        image.view().row(static_cast<uint32_t>(y - data.min.y)) + static_cast<size_t>(first - data.min.x) * texel,
        static_cast<size_t>(last - first + 1) * texel);
  }
  return result;
}

// The image's format; half only if all channels are.
Result<Format> choose_format(const Source& source, const Imf::Header& header, const std::vector<std::string>& names) {
  bool half = true;
  for (const std::string& name : names) {
    const Imf::Channel& channel = header.channels()[name];
    half = half && channel.type == Imf::HALF;
    if (channel.xSampling != 1 || channel.ySampling != 1) {
      return source.unsupported(
          "EXR: channel " + name + " is subsampled " +
          size_text(static_cast<uint32_t>(channel.xSampling), static_cast<uint32_t>(channel.ySampling)) +
          ", which is not supported");
    }
  }
  const auto count = static_cast<uint32_t>(names.size());
  return half ? half_format(count) : float_format(count);
}

Result<ImageFile> read_selection(const Source& source, Imf::MultiPartInputFile& file, const Selection& selection,
                                 const ReadOptions& options) {
  const Imf::Header& header = file.header(selection.part);
  if (auto fine = check_part(source, header); !fine) return fine.error();
  Result<Format> format = choose_format(source, header, selection.channels);
  if (!format) return format.error();
  Result<std::vector<Image>> levels = read_levels(source, file, selection, *format);
  if (!levels) return levels.error();

  if (options.window == Window::kDisplay && header.dataWindow() != header.displayWindow()) {
    Result<Image> whole = expanded(source, levels->front(), header.dataWindow(), header.displayWindow(), options.fill);
    if (!whole) return whole.error();
    levels->clear();  // coarser levels cover the data window only
    levels->push_back(std::move(*whole));
  }
  if (options.color == Color::kSrgb) {
    for (Image& level : *levels) {
      Result<Image> decoded = decoded_from_srgb(level.view());
      if (!decoded) return source.error(decoded.error().code, decoded.error().message);
      level = std::move(*decoded);
    }
  }

  ImageFile result;
  result.type = Type::kExr;
  result.stored_channels = static_cast<uint32_t>(selection.channels.size());
  result.stored_bits = *format == half_format(result.stored_channels) ? 16 : 32;
  result.levels = std::move(*levels);
  result.exr_part = part_name(header);
  for (int n = 0; n < file.parts(); ++n) result.exr_parts.push_back(part_name(file.header(n)));
  result.exr_channels = channel_names(header);
  result.data_window = to_box(header.dataWindow());
  result.display_window = to_box(header.displayWindow());
  return result;
}

}  // namespace

int use_exr_threads(uint32_t threads) {
  static std::mutex mutex;
  constexpr uint32_t kMaxThreads = 256;
  const uint32_t wanted =
      std::min(threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency()), kMaxThreads);
  if (wanted == 1) return 0;  // the caller's thread does it all
  const std::lock_guard lock(mutex);
  const int count = static_cast<int>(wanted);
  if (Imf::globalThreadCount() < count) Imf::setGlobalThreadCount(count);
  return count;
}

Result<ImageFile> read_exr(const Source& source, const ReadOptions& options) {
  if (auto fine = check_exr_headers(source); !fine) return fine.error();
  MemoryStream stream(source);
  try {
    Imf::MultiPartInputFile file(stream, use_exr_threads(options.threads));
    Result<Selection> selection = select(source, file, options);
    if (!selection) return selection.error();
    return read_selection(source, file, *selection, options);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    return source.bad(std::string("EXR: ") + exception.what());
  }
}

}  // namespace onepass::files
