// tiff_read.cpp: reads TIFF and BigTIFF files with libtiff, which finds and decompresses strips and tiles.
//
//     strip or tile --unpack--> samples of one type --place--> channels of the image --encoding--> light or sRGB values
//
// libtiff accesses the file as mapped memory and copies none of it.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "files/cmyk.hpp"
#include "files/encoding.hpp"
#include "files/icc.hpp"
#include "files/lab.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"
#include "files/tiff_handle.hpp"
#include "files/tiff_layout.hpp"
#include "files/tiff_library.hpp"
#include "files/tiff_tags.hpp"

namespace onepass::files {
namespace {

// A file in memory with libtiff's callbacks.
struct Memory {
  std::span<const std::byte> bytes;
  uint64_t position = 0;

  static tmsize_t read(thandle_t self, void* target, tmsize_t count) {
    auto* memory = static_cast<Memory*>(self);
    const uint64_t size = memory->bytes.size();
    const uint64_t left = memory->position < size ? size - memory->position : 0;
    const uint64_t got = std::min<uint64_t>(left, count < 0 ? 0 : static_cast<uint64_t>(count));
    if (got > 0) std::memcpy(target, memory->bytes.data() + memory->position, got);
    memory->position += got;
    return static_cast<tmsize_t>(got);
  }
  static tmsize_t write(thandle_t /*self*/, void* /*bytes*/, tmsize_t /*count*/) { return 0; }
  static toff_t seek(thandle_t self, toff_t offset, int whence) {
    auto* memory = static_cast<Memory*>(self);
    const uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? memory->position : memory->bytes.size();
    return memory->position = from + offset;
  }
  static toff_t size(thandle_t self) { return static_cast<Memory*>(self)->bytes.size(); }
  static int map(thandle_t self, void** base, toff_t* size) {
    const std::span<const std::byte> bytes = static_cast<Memory*>(self)->bytes;
    *base = const_cast<std::byte*>(bytes.data());  // libtiff reads only
    *size = bytes.size();
    return 1;
  }
  static void unmap(thandle_t /*self*/, void* /*base*/, toff_t /*size*/) {}
};

// Largest number of bytes that an encoder packs into one.
uint64_t best_ratio(uint16_t compression) {
  switch (compression) {
    case COMPRESSION_NONE:
      return 1;
    case COMPRESSION_PACKBITS:
      return 64;
    case COMPRESSION_LZW:  // 4096 bytes in a code of 12 bits
      return 2731;
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE:
      return 1032;
    case COMPRESSION_JPEG:
      return 8192;
    default:  // a line of fax takes one bit, a block of Zstandard four bytes
      return 65536;
  }
}

// Source samples of the image's channels, and its format before decoding.
struct Target {
  Format format = Format::kUndefined;
  std::array<int, 4> sample{-1, -1, -1, -1};  // index in a pixel; -1: opaque alpha
  bool linear = false;                        // values are not decoded
};

// Unpacks a row of samples of a block to type T. Integers of 32 bits and signed ones become floats.
template <typename T>
void unpack(const TiffLayout& layout, const std::byte* from, size_t count, T* to) {
  unpack_tiff_samples(layout.bits, !layout.palette.empty(), from, count, reinterpret_cast<std::byte*>(to));
}

template <>
void unpack(const TiffLayout& layout, const std::byte* from, size_t count, float* to) {
  const auto integers = [&]<typename Integer>(Integer value, double range) {
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(&value, from + i * sizeof value, sizeof value);
      to[i] = static_cast<float>(value / range);
    }
  };
  if (layout.sample == TiffSample::kCode32) return integers(uint32_t{}, 4294967295.0);
  if (layout.is_signed) {
    return layout.bits == 8    ? integers(int8_t{}, 1)
           : layout.bits == 16 ? integers(int16_t{}, 1)
                               : integers(int32_t{}, 1);
  }
  unpack_tiff_samples(layout.bits, false, from, count, reinterpret_cast<std::byte*>(to));
}

// Converts blocks of a file to channels of an image with samples of type T.
template <typename T>
class BlockReader {
 public:
  BlockReader(TIFF* tiff, const TiffLayout& layout, const Target& target, T opaque, MutableImageView image)
      : tiff_(tiff), layout_(layout), target_(target), opaque_(opaque), image_(image) {
    block_.resize(layout.block_bytes);
    row_bytes_ = layout.block_bytes / layout.block_height;
    row_.resize(size_t{layout.block_width} * layout.block_samples());
  }

  /// False: the reason is libtiff's error or refused().
  bool read() {
    for (uint32_t plane = 0; plane < layout_.plane_count(); ++plane) {
      if (!is_used(plane)) continue;
      for (uint32_t y = 0; y < layout_.height; y += layout_.block_height) {
        for (uint32_t x = 0; x < layout_.width; x += layout_.block_width) {
          if (!read_block(x, y, plane)) return false;
        }
      }
    }
    return true;
  }
  [[nodiscard]] const std::string& refused() const { return refused_; }

 private:
  [[nodiscard]] bool is_used(uint32_t plane) const {
    if (!layout_.planes) return true;
    return std::any_of(target_.sample.begin(), target_.sample.end(),
                       [&](int sample) { return sample == static_cast<int>(plane); });
  }

  bool read_block(uint32_t x, uint32_t y, uint32_t plane) {
    const uint32_t rows = std::min(layout_.block_height, layout_.height - y);
    const uint32_t width = std::min(layout_.block_width, layout_.width - x);
    const auto plane16 = static_cast<uint16_t>(plane);
    const uint32_t number =
        layout_.tiled ? TIFFComputeTile(tiff_, x, y, 0, plane16) : TIFFComputeStrip(tiff_, y, plane16);
    // The last strip has the remaining rows only, the last tile all rows.
    const uint64_t wanted = layout_.tiled ? layout_.block_bytes : row_bytes_ * rows;
    const tmsize_t got = layout_.tiled
                             ? TIFFReadEncodedTile(tiff_, number, block_.data(), static_cast<tmsize_t>(wanted))
                             : TIFFReadEncodedStrip(tiff_, number, block_.data(), static_cast<tmsize_t>(wanted));
    if (got < 0) return false;
    if (static_cast<uint64_t>(got) < wanted) {
      refused_ = std::string(layout_.tiled ? "tile " : "strip ") + std::to_string(number) + " has " +
                 std::to_string(got) + " bytes, not " + std::to_string(wanted);
      return false;
    }
    for (uint32_t i = 0; i < rows; ++i) {
      unpack(layout_, block_.data() + i * row_bytes_, size_t{width} * layout_.block_samples(), row_.data());
      invert(width, plane);
      place(image_.row(y + i), x, width, plane);
    }
    return true;
  }

  // Inverts MinIsWhite samples: the colour, not alpha.
  void invert(uint32_t width, uint32_t plane) {
    if (layout_.photometric != PHOTOMETRIC_MINISWHITE || plane != 0) return;
    const size_t step = layout_.block_samples();
    for (size_t i = 0; i < width * step; i += step) row_[i] = static_cast<T>(opaque_ - row_[i]);
  }

  void place(std::byte* row, uint32_t x, uint32_t width, uint32_t plane) const {
    const uint32_t channels = format_info(image_.format).channels;
    T* to = reinterpret_cast<T*>(row) + size_t{x} * channels;
    if (!layout_.palette.empty()) return place_colours(to, width, channels);
    const uint32_t step = layout_.block_samples();
    for (uint32_t c = 0; c < channels; ++c) {
      const int sample = target_.sample[c];
      const int first = layout_.planes ? static_cast<int>(plane) : 0;
      if (sample >= 0 && layout_.planes && sample != first) continue;
      for (size_t i = 0; i < width; ++i) {
        to[i * channels + c] = sample < 0 ? opaque_ : row_[i * step + static_cast<size_t>(sample - first)];
      }
    }
  }

  void place_colours(T* to, uint32_t width, uint32_t channels) const {
    for (size_t i = 0; i < width; ++i) {
      const uint8_t* colour = &layout_.palette[3 * static_cast<size_t>(row_[i])];
      for (uint32_t c = 0; c < channels; ++c) to[i * channels + c] = c < 3 ? static_cast<T>(colour[c]) : opaque_;
    }
  }

  TIFF* tiff_;
  const TiffLayout& layout_;
  const Target& target_;
  T opaque_;
  MutableImageView image_;
  std::vector<std::byte> block_;
  size_t row_bytes_ = 0;
  std::vector<T> row_;
  std::string refused_;
};

// Gray and a sample other than alpha stay two channels if linear; no encoded format has two.
Target target_of(const TiffLayout& layout, bool linear) {
  const bool one = layout.gray();
  const bool two = layout.colours == 1 && !one && linear && layout.association == AlphaAssociation::kNone;
  const uint32_t channels = one ? 1 : two ? 2 : 4;
  Target target;
  target.linear = linear;
  switch (layout.sample) {
    case TiffSample::kCode8:
      target.format = two ? Format::kRG8Unorm : unorm8_format(one, linear);
      break;
    case TiffSample::kCode16:
      target.format = unorm16_format(channels);
      break;
    case TiffSample::kHalf:
      target.format = half_format(channels);
      break;
    case TiffSample::kCode32:
    case TiffSample::kFloat:
      target.format = float_format(channels);
      break;
  }
  if (two) {
    target.sample = {0, layout.alpha, -1, -1};
  } else if (layout.inks()) {
    target.sample = {0, 1, 2, 3};
  } else if (layout.colours == 3) {
    target.sample = {0, 1, 2, layout.alpha};
  } else {
    target.sample = {0, 0, 0, layout.alpha};
  }
  return target;
}

// Memory of libtiff for any file: its lists of tags and the tables of a codec.
constexpr uint64_t kLibraryBytes = uint64_t{512} << 10;

// The window size that a strip or tile states for its decoder.
uint64_t history_bytes(const TiffLayout& layout, std::span<const std::byte> block) {
  const auto byte = [&](size_t at) { return at < block.size() ? std::to_integer<uint64_t>(block[at]) : 0; };
  if (layout.compression == COMPRESSION_ZSTD) {
    // RFC 8878, 3.1.1.1: without a window descriptor the output is the window.
    const bool single = (byte(4) & 0x20) != 0;
    const uint64_t base = uint64_t{1} << (10 + (byte(5) >> 3));
    return single ? 0 : base + base / 8 * (byte(5) & 7) + (uint64_t{1} << 18);
  }
  if (layout.compression != COMPRESSION_LZMA) return 0;
  // The .xz format, 3.1: after 12 bytes the header of a block: size, flags, and filters with identification, size and
  // properties. LZMA2 is 0x21, its property the dictionary size. A later block can state a larger one, which is not
  // seen here; that memory is reserved but not touched.
  uint64_t largest = 0;
  for (size_t at = 14; at < 14 + 4 * 8; ++at) {
    if (byte(at) != 0x21 || byte(at + 1) != 1 || byte(at + 2) > 40) continue;
    const uint64_t bits = byte(at + 2);
    largest = std::max(largest, (2 | (bits & 1)) << (bits / 2 + 11));
  }
  return largest + (uint64_t{1} << 18);
}

// Peak of memory: the image, the copy that it is decoded into, a block, and libtiff's memory for blocks.
uint64_t memory_of(const TiffLayout& layout, const Target& target) {
  const FormatInfo& info = format_info(target.format);
  const bool copied = !target.linear && layout.sample != TiffSample::kCode8;
  uint64_t bytes = image_bytes(target.format, layout.width, layout.height);
  if (copied) bytes += image_bytes(float_format(info.channels), layout.width, layout.height);
  if (copied && layout.sample == TiffSample::kCode16) bytes += 3 * 65536 * sizeof(float);  // tables of decode_wide()
  const bool plain = layout.compression == COMPRESSION_NONE;
  bytes += layout.block_bytes * (plain ? 1 : 4);
  bytes += uint64_t{64} * layout.block_width * layout.block_samples();  // rows of samples; runs of fax
  return bytes + uint64_t{64} * layout.block_count();  // offsets and lengths of blocks, as read and as kept
}

class TiffReader {
 public:
  TiffReader(const Source& source, const ReadOptions& options) : source_(source), options_(options) {
    memory_.bytes = source.bytes;
    const TiffClient client{&memory_,      &Memory::read, &Memory::write, &Memory::seek,
                            &Memory::size, &Memory::map,  &Memory::unmap};
    // D: the tables of strips and tiles are loaded later, when sizes have been checked.
    tiff_ = open_tiff(client, "rD", options.max_bytes, messages_);
  }

  Result<ImageFile> read() {
    if (!tiff_) return failed();
    messages_.clear();  // drops warnings about unknown tags
    if (libtiff_converts(tiff_.get())) return converted();
    const Result<TiffLayout> layout = tiff_layout(source_, tiff_.get(), file_.warnings);
    if (!layout) return layout.error();
    Encoding encoding = encoding_of_samples(*layout);
    const Target target = target_of(*layout, encoding.linear);
    if (auto fine = check(*layout, target); !fine) return fine.error();
    Result<Image> image = pixels(*layout, target);
    if (!image) return image.error();
    image = decoded(std::move(*image), *layout, encoding);
    if (!image) return image.error();

    add_level(file_, Type::kTiff, std::move(*image));
    file_.alpha = layout->association;
    file_.stored_channels = layout->palette.empty() ? layout->samples : 3;
    file_.stored_bits = layout->bits;
    describe_page();
    describe(file_, std::move(encoding));
    return std::move(file_);
  }

 private:
  [[nodiscard]] Error failed() const {
    const std::string message = messages_.error();
    const bool memory = message.find("emory") != std::string::npos || message.find("No space") != std::string::npos;
    return source_.error(memory ? ErrorCode::kOutOfMemory : ErrorCode::kBadData, message);
  }

  Result<ImageFile> converted() {
    Result<Image> image =
        read_converted(source_, options_, tiff_.get(), messages_, kLibraryBytes + TiffTags(source_).memory());
    if (!image) return image.error();
    if (options_.color == Color::kLinear && image->format() == Format::kRGBA8Srgb) {
      file_.warnings.emplace_back("its colours are converted to sRGB, which Color::kLinear does not change");
    }
    add_level(file_, Type::kTiff, std::move(*image));
    uint16_t samples = 1;
    uint16_t bits = 8;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_BITSPERSAMPLE, &bits);
    file_.stored_channels = samples;
    file_.stored_bits = bits;
    describe_page();
    return std::move(file_);
  }

  // Floats are linear light, whatever curves the profile has; only its primaries are used.
  Encoding encoding_of_samples(const TiffLayout& layout) {
    ColorTags tags = tiff_colors(tiff_.get(), file_.warnings);
    if (layout.inks()) {
      profile_ = std::move(tags.icc);
      tags = {.srgb = true};
    }
    if (layout.photometric == PHOTOMETRIC_CIELAB) tags = {.srgb = true};  // as pixels() returns them
    tags.numbers = layout.bits > 8;
    profile_size_ = tags.icc.size();
    const bool profiled = profile_size_ != 0;
    Encoding encoding = encoding_of(tags, options_, layout.gray());
    if ((!layout.floats && !layout.is_signed) || options_.color == Color::kSrgb) return encoding;
    if (profiled && options_.color == Color::kAuto && !encoding.linear) {
      encoding.warnings.emplace_back("the ICC profile has transfer curves, which floats are not decoded by");
    }
    encoding.linear = true;
    encoding.srgb = false;
    return encoding;
  }

  Result<void> check(const TiffLayout& layout, const Target& target) const {
    const uint64_t rows = layout.tiled ? layout.blocks_down() * layout.block_height : layout.height;
    const uint64_t needed =
        layout.block_bytes / layout.block_height * layout.blocks_across() * rows * layout.plane_count();
    if (auto fine = check_plausible(source_, layout.width, layout.height, needed, best_ratio(layout.compression));
        !fine) {
      return fine;
    }
    const TiffTags tags(source_);
    if (auto fine = check_tiff_tables(source_, tags, layout.height, layout.plane_count(),
                                      layout.tiled ? std::optional(layout.block_count()) : std::nullopt);
        !fine)
      return fine;
    uint64_t bytes = kLibraryBytes + tags.memory() + memory_of(layout, target);
    if (tags.number(TIFFTAG_FILLORDER) == uint64_t{FILLORDER_LSB2MSB}) bytes += source_.bytes.size();
    bytes += layout.inks() ? inks_bytes(profile_.size()) : icc_bytes(profile_size_) + 2 * profile_size_;
    const std::string what = "TIFF: an image of " + size_text(layout.width, layout.height) + " pixels";
    if (auto fine = check_memory(source_, options_, bytes, what); !fine) return fine;
    return check_memory(source_, options_, bytes + most_history(layout), what);
  }

  // Largest window of all blocks. Loads their offsets, whose memory has been checked.
  [[nodiscard]] uint64_t most_history(const TiffLayout& layout) const {
    if (layout.compression != COMPRESSION_ZSTD && layout.compression != COMPRESSION_LZMA) return 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < layout.block_count(); ++i) {
      const uint64_t at = TIFFGetStrileOffset(tiff_.get(), i);
      if (at < source_.bytes.size()) most = std::max(most, history_bytes(layout, source_.bytes.subspan(at)));
    }
    return most;
  }

  template <typename T>
  Result<void> read_blocks(const TiffLayout& layout, const Target& target, T opaque, Image& image) {
    BlockReader<T> reader(tiff_.get(), layout, target, opaque, image.view());
    messages_.clear();
    const bool read = reader.read();
    if (!reader.refused().empty()) return source_.bad("TIFF: " + reader.refused());
    if (!read || messages_.made_up()) return failed();
    if (messages_.has_warning()) file_.warnings.push_back(messages_.warning());
    return {};
  }

  Result<Image> pixels(const TiffLayout& layout, const Target& target) {
    constexpr uint16_t kHalfOne = 0x3C00;
    Result<Image> image = create_image(source_, target.format, {layout.width, layout.height});
    if (!image) return image;
    Result<void> done;
    switch (layout.sample) {
      case TiffSample::kCode8:
        done = read_blocks<uint8_t>(layout, target, 255, *image);
        break;
      case TiffSample::kCode16:
        done = read_blocks<uint16_t>(layout, target, 65535, *image);
        break;
      case TiffSample::kHalf:
        done = read_blocks<uint16_t>(layout, target, kHalfOne, *image);
        break;
      case TiffSample::kCode32:
      case TiffSample::kFloat:
        done = read_blocks<float>(layout, target, 1, *image);
        break;
    }
    if (!done) return done.error();
    if (layout.inks()) inks_to_srgb(*image, profile_, InkPolarity::kAmount, file_.warnings);
    if (layout.photometric == PHOTOMETRIC_CIELAB) lab_to_srgb(*image);
    return image;
  }

  // Decodes the values of an image by its encoding.
  Result<Image> decoded(Image image, const TiffLayout& layout, const Encoding& encoding) {
    if (layout.sample == TiffSample::kCode32) {
      file_.warnings.emplace_back("BitsPerSample is 32 of integers: floats keep 24 bits of them");
    }
    if (layout.is_signed) {
      file_.warnings.emplace_back(std::string("SampleFormat is 2: signed integers become floats of the same value") +
                                  (layout.bits == 32 ? ", which keep 24 bits of them" : ""));
    }
    if (encoding.linear) return image;
    switch (layout.sample) {
      case TiffSample::kCode8:
        recode(image, encoding);
        return image;
      case TiffSample::kCode16:
        return decode_wide(source_, image, encoding);
      default:
        return decode_floats(source_, image, encoding);
    }
  }

  // Tags other than colours, and a warning about pages that are not read.
  void describe_page() {
    uint16_t orientation = 1;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_ORIENTATION, &orientation);
    file_.exif_orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    uint32_t kind = 0;
    if (TIFFGetField(tiff_.get(), TIFFTAG_SUBFILETYPE, &kind) != 0 && (kind & FILETYPE_REDUCEDIMAGE) != 0) {
      file_.warnings.push_back("NewSubfileType is " + std::to_string(kind) + ": the first page is a reduced copy");
    }
    if (const std::string nodata = tiff_nodata(tiff_.get()); !nodata.empty()) {
      file_.warnings.push_back("its GDAL_NODATA of " + nodata + " counts as a value, which `tiles` leaves out");
    }
    if (TIFFLastDirectory(tiff_.get()) != 0) return;
    const uint32_t more = tiff_further_pages(tiff_.get());
    if (more > 0)
      file_.warnings.push_back("only the first page is read, " + std::to_string(more) + " more are left out");
  }

  const Source& source_;
  const ReadOptions& options_;
  Memory memory_;
  TiffMessages messages_;
  TiffHandle tiff_;
  ImageFile file_;
  std::vector<std::byte> profile_;  // CMYK
  size_t profile_size_ = 0;         // of other profiles
};

}  // namespace

Result<ImageFile> read_tiff(const Source& source, const ReadOptions& options) {
  if (auto fine = check_tiff_tags(source); !fine) return fine.error();
  const uint64_t tags = kLibraryBytes + TiffTags(source).memory();
  if (auto fine = check_memory(source, options, tags, "TIFF: reading the directory"); !fine) return fine.error();
  return TiffReader(source, options).read();
}

}  // namespace onepass::files
