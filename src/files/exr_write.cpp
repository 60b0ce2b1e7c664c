// exr_write.cpp: writes OpenEXR files: one level in scanlines, or a whole chain of levels in tiles.
//
// Rows are decoded to linear floats and passed on in bands, one row of tiles high, so that OpenEXR can compress the
// chunks of a band in parallel and no second copy of a level is needed.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfTileDescription.h>
#include <OpenEXR/ImfTiledOutputFile.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "files/exr_attributes.hpp"
#include "files/exr_threads.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"
#include "files/writers.hpp"
#include "image/error.hpp"

namespace onepass::files {
namespace {

// Rows per band of a scanline file: enough chunks of 16 or 32 lines for many threads.
constexpr uint32_t kBandRows = 256;

// Limits of OpenEXR: coordinates between these bounds, exclusive, and pixel aspect ratios, inclusive.
constexpr int32_t kMaxCoordinate = std::numeric_limits<int32_t>::max() / 2;
constexpr float kMinAspect = 1e-6F;
constexpr float kMaxAspect = 1e6F;

// Writes OpenEXR's output to an AtomicFile. OpenEXR drops errors that occur while it closes a file, so the first error
// is kept.
class FileStream : public Imf::OStream {
 public:
  explicit FileStream(AtomicFile& file) : OStream("file"), file_(file) {}

  void write(const char bytes[], int count) override {
    check(file_.write(std::as_bytes(std::span(bytes, static_cast<size_t>(count)))));
  }
  uint64_t tellp() override { return file_.position(); }
  void seekp(uint64_t position) override { check(file_.seek(position)); }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  void check(const Result<void>& done) {
    if (!done && !error_) error_ = done.error();
    if (error_) throw std::runtime_error(error_->message);
  }

  AtomicFile& file_;
  std::optional<Error> error_;
};

// Settings that all levels share.
struct Plan {
  std::vector<std::string> channels;
  Format format = Format::kUndefined;  // of a band: half or float
  bool tiled = false;
  bool multiply = false;  // colours by alpha
  Box data{};
  Box display{};
};

Imf::Compression compression_of(ExrCompression compression) {
  switch (compression) {
    case ExrCompression::kNone:
      return Imf::NO_COMPRESSION;
    case ExrCompression::kRle:
      return Imf::RLE_COMPRESSION;
    case ExrCompression::kZips:
      return Imf::ZIPS_COMPRESSION;
    case ExrCompression::kZip:
      return Imf::ZIP_COMPRESSION;
    case ExrCompression::kPiz:
      return Imf::PIZ_COMPRESSION;
  }
  return Imf::ZIP_COMPRESSION;
}

std::vector<std::string> default_names(const FormatInfo& info) {
  if (info.depth) return {"Z"};
  switch (info.channels) {
    case 1:
      return {"Y"};
    case 2:
      return {"R", "G"};
    case 3:
      return {"R", "G", "B"};
    default:
      return {"R", "G", "B", "A"};
  }
}

// Whether the fourth channel is the alpha of the others.
bool writes_alpha(const std::vector<std::string>& names) {
  return names.size() == 4 && (names[3] == "A" || names[3].ends_with(".A"));
}

std::string text_of(const Box& box) {
  return "(" + std::to_string(box.min_x) + ", " + std::to_string(box.min_y) + ") to (" + std::to_string(box.max_x) +
         ", " + std::to_string(box.max_y) + ")";
}

// Checks the windows and the pixel aspect ratio.
Result<void> check_windows(const std::filesystem::path& path, Extent base, const ExrOptions& options) {
  const auto invalid = [&](std::string message) {
    return file_error(path, ErrorCode::kInvalidArgument, std::move(message));
  };
  const auto check_box = [&](const char* name, const Box& box) -> Result<void> {
    for (const int32_t coordinate : {box.min_x, box.min_y, box.max_x, box.max_y}) {
      if (coordinate <= -kMaxCoordinate || coordinate >= kMaxCoordinate) {
        return invalid(std::string(name) + " is " + text_of(box) + ", beyond the coordinates of EXR files, " +
                       std::to_string(kMaxCoordinate - 1));
      }
    }
    if (box.max_x < box.min_x || box.max_y < box.min_y) {
      return invalid(std::string(name) + " is " + text_of(box) + ", which is empty");
    }
    return {};
  };
  if (options.data_window) {
    const Box& box = *options.data_window;
    if (auto fine = check_box("data_window", box); !fine) return fine;
    const int64_t width = int64_t{box.max_x} - box.min_x + 1;
    const int64_t height = int64_t{box.max_y} - box.min_y + 1;
    if (width != base.width || height != base.height) {
      return invalid("data_window is " + text_of(box) + ", " + std::to_string(width) + "x" + std::to_string(height) +
                     ", but the base is " + size_text(base));
    }
  }
  if (options.display_window) {
    if (auto fine = check_box("display_window", *options.display_window); !fine) return fine;
  }
  if (!(options.pixel_aspect_ratio >= kMinAspect && options.pixel_aspect_ratio <= kMaxAspect)) {
    return invalid("pixel_aspect_ratio is " + std::to_string(options.pixel_aspect_ratio) + ", not 1e-6 to 1e6");
  }
  return {};
}

Result<void> check_options(const std::filesystem::path& path, std::span<const ImageView> levels,
                           const ExrOptions& options) {
  const auto invalid = [&](std::string message) {
    return file_error(path, ErrorCode::kInvalidArgument, std::move(message));
  };
  const FormatInfo& info = format_info(levels.front().format);
  if (levels.front().slices != 1) {
    return file_error(path, ErrorCode::kUnsupported,
                      "an EXR file holds one slice, not " + std::to_string(levels.front().slices));
  }
  if (options.tile_size < 8 || options.tile_size > 4096) {
    return invalid("tile_size is " + std::to_string(options.tile_size) + ", not 8 to 4096");
  }
  if (!options.channels.empty() && options.channels.size() != info.channels) {
    return invalid(std::to_string(options.channels.size()) + " channel names for " + std::to_string(info.channels) +
                   " channels");
  }
  for (auto name = options.channels.begin(); name != options.channels.end(); ++name) {
    if (name->empty() || name->size() > 255 || name->find('\0') != std::string::npos) {
      return invalid("\"" + *name + "\" cannot be the name of an EXR channel");
    }
    if (std::find(options.channels.begin(), name, *name) != name)
      return invalid("channel name \"" + *name + "\" twice");
  }
  if (auto fine = check_windows(path, levels.front().size, options); !fine) return fine;
  const bool mipmap = options.layout == ExrLayout::kMipmap;
  if (levels.size() == 1 && !mipmap) return {};
  if (options.layout == ExrLayout::kScanline) {
    return invalid("an EXR file in scanlines holds one level, not " + std::to_string(levels.size()));
  }
  if (levels.back().size != Extent{1, 1}) {
    return invalid(std::to_string(levels.size()) + " levels, of which the last is not 1x1: EXR holds one level or all");
  }
  return {};
}

Imath::Box2i to_imath(const Box& box) { return {Imath::V2i(box.min_x, box.min_y), Imath::V2i(box.max_x, box.max_y)}; }

Plan plan_for(std::span<const ImageView> levels, const ExrOptions& options) {
  const FormatInfo& info = format_info(levels.front().format);
  Plan plan;
  plan.channels = options.channels.empty() ? default_names(info) : options.channels;
  const bool small = info.bytes_per_texel / info.channels == 1 ||
                     (info.type == ChannelType::kFloat && info.bytes_per_texel / info.channels == 2);
  const bool half = options.type == ExrType::kHalf || (options.type == ExrType::kAuto && small);
  plan.format = half ? half_format(info.channels) : float_format(info.channels);
  plan.tiled = levels.size() > 1 || options.layout == ExrLayout::kMipmap;
  plan.multiply = options.alpha == AlphaAssociation::kStraight && writes_alpha(plan.channels);
  const Extent size = levels.front().size;
  plan.data = options.data_window.value_or(
      Box{0, 0, static_cast<int32_t>(size.width) - 1, static_cast<int32_t>(size.height) - 1});
  plan.display = options.display_window.value_or(plan.data);
  return plan;
}

// Rows of one level, decoded, premultiplied if required, and encoded as the file's channel type.
class Band {
 public:
  Band(const Plan& plan, const ImageView& level, uint32_t rows)
      : plan_(plan),
        level_(level),
        info_(format_info(plan.format)),
        texels_(size_t{4} * level.size.width),
        bytes_(size_t{level.size.width} * info_.bytes_per_texel * std::min(rows, level.size.height)) {}

  // Fills the band with rows [y, y + rows) of the level and returns it at its position in pixel space.
  Imf::FrameBuffer fill(uint32_t y, uint32_t rows) {
    const uint32_t width = level_.size.width;
    const size_t stride = size_t{width} * info_.bytes_per_texel;
    for (uint32_t i = 0; i < rows; ++i) {
      decode_row(level_.format, level_.row(y + i), width, texels_.data());
      if (plan_.multiply) multiply();
      encode_row(plan_.format, texels_.data(), width, bytes_.data() + i * stride);
    }
    const size_t channel_bytes = info_.bytes_per_texel / info_.channels;
    const Imath::V2i origin(plan_.data.min_x, plan_.data.min_y + static_cast<int>(y));
    Imf::FrameBuffer buffer;
    for (size_t c = 0; c < plan_.channels.size(); ++c) {
      buffer.insert(plan_.channels[c],
                    Imf::Slice::Make(channel_bytes == 2 ? Imf::HALF : Imf::FLOAT, bytes_.data() + c * channel_bytes,
                                     origin, width, rows, info_.bytes_per_texel, stride));
    }
    return buffer;
  }

 private:
  void multiply() {
    for (size_t i = 0; i < texels_.size(); i += 4) {
      for (size_t c = 0; c < 3; ++c) texels_[i + c] *= texels_[i + 3];
    }
  }

  const Plan& plan_;
  ImageView level_;
  const FormatInfo& info_;
  std::vector<float> texels_;
  std::vector<std::byte> bytes_;
};

void write_scanlines(Imf::OutputFile& file, const Plan& plan, const ImageView& level) {
  Band band(plan, level, kBandRows);
  for (uint32_t y = 0; y < level.size.height; y += kBandRows) {
    const uint32_t rows = std::min(kBandRows, level.size.height - y);
    file.setFrameBuffer(band.fill(y, rows));
    file.writePixels(static_cast<int>(rows));
  }
}

void write_tiles(Imf::TiledOutputFile& file, const Plan& plan, const ImageView& level, int number, uint32_t tile_size) {
  Band band(plan, level, tile_size);
  for (uint32_t y = 0; y < level.size.height; y += tile_size) {
    const int row = static_cast<int>(y / tile_size);
    file.setFrameBuffer(band.fill(y, std::min(tile_size, level.size.height - y)));
    file.writeTiles(0, file.numXTiles(number) - 1, row, row, number, number);
  }
}

void write_levels(Imf::OStream& stream, const Plan& plan, std::span<const ImageView> levels,
                  const ExrOptions& options) {
  Imf::Header header(to_imath(plan.display), to_imath(plan.data), options.pixel_aspect_ratio);
  if (options.attributes != nullptr) options.attributes->insert_into(header);
  header.compression() = compression_of(options.compression);
  if (options.chromaticities) {
    const auto& c = *options.chromaticities;
    Imf::addChromaticities(header, Imf::Chromaticities({c[0], c[1]}, {c[2], c[3]}, {c[4], c[5]}, {c[6], c[7]}));
  }
  const size_t channel_bytes = format_info(plan.format).bytes_per_texel / plan.channels.size();
  for (const std::string& name : plan.channels) {
    header.channels().insert(name, Imf::Channel(channel_bytes == 2 ? Imf::HALF : Imf::FLOAT));
  }
  const int threads = use_exr_threads(options.threads);
  if (!plan.tiled) {
    Imf::OutputFile file(stream, header, threads);
    write_scanlines(file, plan, levels.front());
    return;
  }
  header.setTileDescription(
      Imf::TileDescription(options.tile_size, options.tile_size, Imf::MIPMAP_LEVELS, Imf::ROUND_DOWN));
  Imf::TiledOutputFile file(stream, header, threads);
  for (size_t n = 0; n < levels.size(); ++n) {
    write_tiles(file, plan, levels[n], static_cast<int>(n), options.tile_size);
  }
}

}  // namespace

Result<void> write_exr(const std::filesystem::path& path, std::span<const ImageView> levels,
                       const ExrOptions& options) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_levels(path, levels); !fine) return fine;
    if (auto fine = check_options(path, levels, options); !fine) return fine;
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    FileStream stream(*file);
    try {
      write_levels(stream, plan_for(levels, options), levels, options);
    } catch (const std::exception& exception) {
      if (stream.error()) return *stream.error();
      throw;
    }
    if (stream.error()) return *stream.error();
    return file->commit();
  });
}

}  // namespace onepass::files
