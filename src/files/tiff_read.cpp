// tiff_read.cpp: a whole TIFF or BigTIFF image from its rows.
//
//     rows of all samples --place--> channels of the image --encoding--> light or sRGB values
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "files/cmyk.hpp"
#include "files/encoding.hpp"
#include "files/icc.hpp"
#include "files/lab.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"
#include "files/tiff_layout.hpp"
#include "files/tiff_library.hpp"
#include "files/tiff_rows.hpp"

namespace onepass::files {
namespace {

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

// Integers of 32 bits and signed ones become floats.
bool becomes_float(Sample sample) { return sample == Sample::kU32 || is_signed(sample); }

// Gray and a sample other than alpha stay two channels if linear; no encoded format has two.
Target target_of(const TiffPage& page, const TiffChannels& from, bool linear) {
  const bool one = from.gray();
  const bool two = from.colours == 1 && !one && linear && from.association == AlphaAssociation::kNone;
  const uint32_t channels = one ? 1 : two ? 2 : 4;
  Target target;
  target.linear = linear;
  switch (page.sample) {
    case Sample::kU8:
      target.format = two ? Format::kRG8Unorm : unorm8_format(one, linear);
      break;
    case Sample::kU16:
      target.format = unorm16_format(channels);
      break;
    case Sample::kF16:
      target.format = half_format(channels);
      break;
    default:
      target.format = float_format(channels);
      break;
  }
  if (two) {
    target.sample = {0, from.alpha, -1, -1};
  } else if (from.inks()) {
    target.sample = {0, 1, 2, 3};
  } else if (from.colours == 3) {
    target.sample = {0, 1, 2, from.alpha};
  } else {
    target.sample = {0, 0, 0, from.alpha};
  }
  return target;
}

std::vector<uint32_t> planes_of(const Target& target) {
  std::vector<uint32_t> planes;
  for (const int sample : target.sample) {
    const auto plane = static_cast<uint32_t>(sample);
    if (sample >= 0 && std::find(planes.begin(), planes.end(), plane) == planes.end()) planes.push_back(plane);
  }
  std::sort(planes.begin(), planes.end());
  return planes;
}

// Copies samples of rows to channels of an image.
class Placement {
 public:
  Placement(const TiffPage& page, const Target& target)
      : sample_(page.sample), row_channels_(page.row_channels()), target_(target) {}

  /// Whether a row of samples is a row of the image.
  [[nodiscard]] bool is_copy() const {
    const uint32_t channels = format_info(target_.format).channels;
    bool same = channels == row_channels_ && !becomes_float(sample_);
    for (uint32_t c = 0; c < channels; ++c) same = same && target_.sample[c] == static_cast<int>(c);
    return same;
  }

  void place(const std::byte* row, uint32_t width, std::byte* to) const {
    switch (sample_) {
      case Sample::kU8:
        return place_as<uint8_t, uint8_t>(row, width, to, 255, 1);
      case Sample::kU16:
        return place_as<uint16_t, uint16_t>(row, width, to, 65535, 1);
      case Sample::kF16:
        return place_as<uint16_t, uint16_t>(row, width, to, 0x3C00, 1);  // 1.0
      case Sample::kF32:
        return place_as<float, float>(row, width, to, 1, 1);
      case Sample::kU32:
        return place_as<uint32_t, float>(row, width, to, 1, 4294967295.0);
      case Sample::kI8:
        return place_as<int8_t, float>(row, width, to, 1, 1);
      case Sample::kI16:
        return place_as<int16_t, float>(row, width, to, 1, 1);
      case Sample::kI32:
        return place_as<int32_t, float>(row, width, to, 1, 1);
    }
  }

 private:
  // `range`: the sample that stands for 1 where From and To differ.
  template <typename From, typename To>
  void place_as(const std::byte* row, uint32_t width, std::byte* to, To opaque, double range) const {
    const uint32_t channels = format_info(target_.format).channels;
    for (uint32_t c = 0; c < channels; ++c) {
      const int sample = target_.sample[c];
      const std::byte* in = row + (sample < 0 ? 0 : static_cast<size_t>(sample) * sizeof(From));
      To* out = reinterpret_cast<To*>(to) + c;
      for (uint32_t x = 0; x < width; ++x, in += row_channels_ * sizeof(From), out += channels) {
        if (sample < 0) {
          *out = opaque;
          continue;
        }
        From value;
        std::memcpy(&value, in, sizeof(From));
        if constexpr (std::is_same_v<From, To>) {
          *out = value;
        } else {
          *out = static_cast<To>(value / range);
        }
      }
    }
  }

  Sample sample_;
  uint32_t row_channels_;
  const Target& target_;
};

class TiffReader {
 public:
  TiffReader(const Source& source, const ReadOptions& options)
      : source_(source),
        options_(options),
        rows_(source, {.max_bytes = options.max_bytes, .threads = options.threads}) {}

  Result<ImageFile> read() {
    if (auto done = rows_.open(); !done) return done.error();
    if (libtiff_converts(tiff())) return converted();
    if (auto done = rows_.read_tags(); !done) return done.error();
    if (auto fine = check_tiff_compression(source_, rows_.page()); !fine) return fine.error();
    if (auto fine = check_length(); !fine) return fine.error();
    if (auto done = rows_.start(TiffPages::kFirst); !done) return done.error();
    const TiffPage& page = rows_.page();
    file_.warnings = rows_.header().warnings;
    const Result<TiffChannels> channels = tiff_channels(source_, tiff(), page, file_.warnings);
    if (!channels) return channels.error();
    Encoding encoding = encoding_of_samples(*channels);
    const Target target = target_of(page, *channels, encoding.linear);
    if (page.planes) rows_.use_planes(planes_of(target));
    if (auto fine = check_all_memory(*channels, target); !fine) return fine.error();
    Result<Image> image = pixels(*channels, target);
    if (!image) return image.error();
    image = decoded(std::move(*image), encoding);
    if (!image) return image.error();

    add_level(file_, Type::kTiff, std::move(*image));
    describe(file_, rows_.header());
    file_.alpha = channels->association;
    describe_page();
    describe(file_, std::move(encoding));
    return std::move(file_);
  }

 private:
  [[nodiscard]] TIFF* tiff() const { return rows_.file().tiff(); }

  Result<ImageFile> converted() {
    Result<Image> image = read_converted(source_, options_, tiff(), rows_.file().messages(), rows_.directory_bytes());
    if (!image) return image.error();
    if (options_.color == Color::kLinear && image->format() == Format::kRGBA8Srgb) {
      file_.warnings.emplace_back("its colours are converted to sRGB, which Color::kLinear does not change");
    }
    add_level(file_, Type::kTiff, std::move(*image));
    uint16_t samples = 1;
    uint16_t bits = 8;
    TIFFGetFieldDefaulted(tiff(), TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(tiff(), TIFFTAG_BITSPERSAMPLE, &bits);
    file_.stored_channels = samples;
    file_.stored_bits = bits;
    file_.exif_orientation = rows_.header().orientation;
    file_.warnings.insert(file_.warnings.end(), rows_.header().warnings.begin(), rows_.header().warnings.end());
    describe_page();
    if (const uint32_t more = tiff_further_pages(tiff()); more > 0) {
      file_.warnings.push_back("only the first page is read, " + std::to_string(more) + " more are left out");
    }
    return std::move(file_);
  }

  // Floats are linear light, whatever curves the profile has; only its primaries are used.
  Encoding encoding_of_samples(const TiffChannels& channels) {
    const TiffPage& page = rows_.page();
    ColorTags tags = rows_.header().colors;
    if (channels.inks()) {
      profile_ = std::move(tags.icc);
      tags = {.srgb = true};
    }
    if (page.photometric == PHOTOMETRIC_CIELAB) tags = {.srgb = true};  // as pixels() returns them
    tags.numbers = page.bits > 8;
    profile_size_ = tags.icc.size();
    const bool profiled = profile_size_ != 0;
    Encoding encoding = encoding_of(tags, options_, channels.gray());
    if ((!is_float(page.sample) && !is_signed(page.sample)) || options_.color == Color::kSrgb) return encoding;
    if (profiled && options_.color == Color::kAuto && !encoding.linear) {
      encoding.warnings.emplace_back("the ICC profile has transfer curves, which floats are not decoded by");
    }
    encoding.linear = true;
    encoding.srgb = false;
    return encoding;
  }

  [[nodiscard]] Result<void> check_length() const {
    const TiffPage& page = rows_.page();
    const uint64_t rows = page.tiled ? page.blocks_down() * page.block_height : page.size.height;
    const uint64_t needed = page.block_row_bytes() * page.blocks_across() * rows * page.plane_count();
    return check_plausible(source_, page.size.width, page.size.height, needed, best_ratio(page.compression));
  }

  Result<void> check_all_memory(const TiffChannels& channels, const Target& target) {
    const TiffPage& page = rows_.page();
    const auto [width, height] = page.size;
    const bool copied = !target.linear && page.sample != Sample::kU8;
    uint64_t bytes = image_bytes(target.format, width, height);
    if (!Placement(page, target).is_copy()) bytes += group_bytes();
    if (copied) bytes += image_bytes(float_format(format_info(target.format).channels), width, height);
    if (copied && page.sample == Sample::kU16) bytes += 3 * 65536 * sizeof(float);  // tables of decode_wide()
    bytes += channels.inks() ? inks_bytes(profile_.size()) : icc_bytes(profile_size_) + 2 * profile_size_;
    // Each thread needs buffers of its own: with one thread the memory limit may suffice.
    const uint64_t rest = options_.max_bytes - std::min(options_.max_bytes, bytes + source_.held);
    if (rows_.decoder_bytes() > rest) rows_.use_one_thread();
    return check_memory(source_, options_, bytes + rows_.decoder_bytes(),
                        "TIFF: an image of " + size_text(width, height) + " pixels");
  }

  [[nodiscard]] uint64_t group_bytes() const { return uint64_t{rows_.row_bytes()} * rows_.block_rows(); }

  Result<Image> pixels(const TiffChannels& channels, const Target& target) {
    const Extent size = rows_.page().size;
    Result<Image> image = create_image(source_, target.format, size);
    if (!image) return image;
    const MutableImageView view = image->view();
    const Placement placement(rows_.page(), target);
    if (placement.is_copy()) {
      if (auto done = rows_.read(size.height, view.row(0), view.row_stride); !done) return done.error();
    } else {
      std::vector<std::byte> group(group_bytes());
      for (uint32_t y = 0; y < size.height;) {
        const uint32_t count = std::min(rows_.block_rows(), size.height - y);
        if (auto done = rows_.read(count, group.data(), rows_.row_bytes()); !done) return done.error();
        for (uint32_t i = 0; i < count; ++i, ++y) {
          placement.place(group.data() + i * rows_.row_bytes(), size.width, view.row(y));
        }
      }
    }
    if (!rows_.warning().empty()) file_.warnings.push_back(rows_.warning());
    if (channels.inks()) inks_to_srgb(*image, profile_, InkPolarity::kAmount, file_.warnings);
    if (rows_.page().photometric == PHOTOMETRIC_CIELAB) lab_to_srgb(*image);
    return image;
  }

  // Decodes the values of an image by its encoding.
  Result<Image> decoded(Image image, const Encoding& encoding) {
    const TiffPage& page = rows_.page();
    if (page.sample == Sample::kU32) {
      file_.warnings.emplace_back("BitsPerSample is 32 of integers: floats keep 24 bits of them");
    }
    if (is_signed(page.sample)) {
      file_.warnings.emplace_back(std::string("SampleFormat is 2: signed integers become floats of the same value") +
                                  (page.bits == 32 ? ", which keep 24 bits of them" : ""));
    }
    if (encoding.linear) return image;
    switch (page.sample) {
      case Sample::kU8:
        recode(image, encoding);
        return image;
      case Sample::kU16:
        return decode_wide(source_, image, encoding);
      default:
        return decode_floats(source_, image, encoding);
    }
  }

  void describe_page() {
    if (!rows_.header().nodata.empty()) {
      file_.warnings.push_back("its GDAL_NODATA of " + rows_.header().nodata +
                               " counts as a value, which `tiles` leaves out");
    }
    uint32_t kind = 0;
    if (TIFFGetField(tiff(), TIFFTAG_SUBFILETYPE, &kind) != 0 && (kind & FILETYPE_REDUCEDIMAGE) != 0) {
      file_.warnings.push_back("NewSubfileType is " + std::to_string(kind) + ": the first page is a reduced copy");
    }
  }

  const Source& source_;
  const ReadOptions& options_;
  TiffRowReader rows_;
  ImageFile file_;
  std::vector<std::byte> profile_;  // CMYK
  size_t profile_size_ = 0;         // of other profiles
};

}  // namespace

Result<ImageFile> read_tiff(const Source& source, const ReadOptions& options) {
  return TiffReader(source, options).read();
}

}  // namespace onepass::files
