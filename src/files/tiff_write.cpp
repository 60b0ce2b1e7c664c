// tiff_write.cpp: writes TIFF files with libtiff directly into the temporary file: strips or tiles in order, then the
// directory, and last its offset in the header.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "files/icc_write.hpp"
#include "files/pixels.hpp"
#include "files/tiff_handle.hpp"
#include "files/writers.hpp"

namespace onepass::files {
namespace {

constexpr uint64_t kStripBytes = uint64_t{1} << 18;
constexpr uint32_t kMaxWrittenTile = 4096;
// Bytes of pixels above which a file may exceed 4 GiB, because compression can enlarge data slightly.
constexpr uint64_t kMaxClassic = uint64_t{0xF0000000};

// The file, with libtiff's callbacks. Its first error is kept, because it says more than libtiff's.
struct Sink {
  AtomicFile* file = nullptr;
  uint64_t position = 0;
  uint64_t end = 0;
  std::optional<Error> failure;

  tmsize_t put(std::span<const std::byte> bytes) {
    if (failure) return -1;
    if (position != file->position()) keep(file->seek(position));
    if (!failure) keep(file->write(bytes));
    if (failure) return -1;
    position += bytes.size();
    end = std::max(end, position);
    return static_cast<tmsize_t>(bytes.size());
  }
  void keep(const Result<void>& done) {
    if (!done) failure = done.error();
  }

  static tmsize_t read(thandle_t /*self*/, void* /*target*/, tmsize_t /*count*/) { return -1; }
  // No exception may pass through libtiff.
  static tmsize_t write(thandle_t self, void* bytes, tmsize_t count) {
    try {
      return static_cast<Sink*>(self)->put(std::span(static_cast<const std::byte*>(bytes), static_cast<size_t>(count)));
    } catch (...) {
      return -1;
    }
  }
  static toff_t seek(thandle_t self, toff_t offset, int whence) {
    auto* sink = static_cast<Sink*>(self);
    const uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? sink->position : sink->end;
    return sink->position = from + offset;
  }
  static toff_t size(thandle_t self) { return static_cast<Sink*>(self)->end; }
};

// How an image is written.
struct Plan {
  Format rows = Format::kUndefined;  // format of the texels that samples are taken from
  ColorConversion conversion;        // of the image's colours and alpha to those texels
  bool direct = false;               // the image's rows have this form already
  uint32_t samples = 1;              // per pixel: the first channels of a texel
  uint32_t bits = 8;                 // per sample
  bool floats = false;
  AlphaAssociation alpha = AlphaAssociation::kNone;  // of the fourth sample
  uint16_t compression = COMPRESSION_NONE;
  uint32_t block_width = 0;  // of a tile; for strips the image's width
  uint32_t block_height = 0;

  [[nodiscard]] size_t pixel_bytes() const { return size_t{samples} * bits / 8; }
  [[nodiscard]] size_t row_bytes() const { return pixel_bytes() * block_width; }
};

uint16_t compression_of(TiffCompression compression) {
  switch (compression) {
    case TiffCompression::kNone:
      return COMPRESSION_NONE;
    case TiffCompression::kLzw:
      return COMPRESSION_LZW;
    case TiffCompression::kDeflate:
      return COMPRESSION_ADOBE_DEFLATE;
    case TiffCompression::kZstd:
      return COMPRESSION_ZSTD;
  }
  return COMPRESSION_NONE;
}

// Packed texels become formats that hold them exactly, except that ten bits are rounded to sixteen and depths of 24
// bits to float.
Format row_format(Format format) {
  const FormatInfo& info = format_info(format);
  if (info.packed && info.depth) return Format::kR32Sfloat;
  if (info.packed) return info.type == ChannelType::kFloat ? Format::kRGBA16Sfloat : Format::kRGBA16Unorm;
  if (info.blue_first) return info.type == ChannelType::kSrgb ? Format::kRGBA8Srgb : Format::kRGBA8Unorm;
  return format;
}

bool is_opaque(const ImageView& image) {
  std::vector<float> texels(size_t{4} * image.size.width);
  for (uint32_t y = 0; y < image.size.height; ++y) {
    decode_row(image.format, image.row(y), image.size.width, texels.data());
    for (size_t i = 3; i < texels.size(); i += 4) {
      if (!(texels[i] >= 1.0F)) return false;
    }
  }
  return true;
}

Plan plan_for(const ImageView& image, const TiffOptions& options) {
  const FormatInfo& info = format_info(image.format);
  Plan plan;
  plan.rows = row_format(image.format);
  const FormatInfo& rows = format_info(plan.rows);
  plan.bits = 8 * rows.bytes_per_texel / rows.channels;
  plan.floats = rows.type == ChannelType::kFloat;
  plan.samples = info.channels;
  if (info.channels == 4 && !options.keep_opaque_alpha && is_opaque(image)) plan.samples = 3;
  if (plan.samples == 4) {
    plan.alpha = options.stored_alpha != AlphaAssociation::kNone ? options.stored_alpha
                 : options.alpha != AlphaAssociation::kNone      ? options.alpha
                                                                 : AlphaAssociation::kStraight;
    plan.conversion.from = options.alpha;
    plan.conversion.to = plan.alpha;
  }
  plan.direct = plan.rows == image.format &&
                (options.alpha == AlphaAssociation::kNone || plan.alpha == options.alpha || plan.samples != 4);
  plan.compression = compression_of(options.compression);
  plan.block_width = options.tile_size != 0 ? options.tile_size : image.size.width;
  plan.block_height = options.tile_size;
  if (options.tile_size == 0) {
    const uint64_t rows_per_strip = std::max<uint64_t>(1, kStripBytes / plan.row_bytes());
    plan.block_height = static_cast<uint32_t>(std::min<uint64_t>(rows_per_strip, image.size.height));
  }
  return plan;
}

bool set_profile(TIFF* tiff, const Plan& plan, const ImageView& image, const TiffOptions& options) {
  const ChannelType type = format_info(image.format).type;
  const bool states = options.color == Color::kSrgb && type == ChannelType::kUnorm;
  bool fine = true;
  const auto set = [&](const std::vector<std::byte>& profile) {
    if (profile.empty()) return;
    fine = TIFFSetField(tiff, TIFFTAG_ICCPROFILE, static_cast<uint32_t>(profile.size()), profile.data()) != 0;
  };
  if (plan.samples < 3) {
    if (states) set(gray_profile(ProfileCurve::kSrgb));
    return fine;
  }
  const bool srgb = states || type == ChannelType::kSrgb;
  const Chromaticities primaries = options.primaries.value_or(kRec709Chromaticities);
  if (srgb || options.primaries) set(rgb_profile(primaries, srgb ? ProfileCurve::kSrgb : ProfileCurve::kLinear));
  if (options.primaries) {
    const auto number = [](double value) { return static_cast<float>(value); };
    const float corners[] = {number(primaries.red[0]),   number(primaries.red[1]),  number(primaries.green[0]),
                             number(primaries.green[1]), number(primaries.blue[0]), number(primaries.blue[1])};
    const float white[] = {number(primaries.white[0]), number(primaries.white[1])};
    fine = fine && TIFFSetField(tiff, TIFFTAG_PRIMARYCHROMATICITIES, corners) != 0 &&
           TIFFSetField(tiff, TIFFTAG_WHITEPOINT, white) != 0;
  }
  return fine;
}

bool set_tags(TIFF* tiff, const Plan& plan, const ImageView& image, const TiffOptions& options) {
  bool fine = true;
  const auto set = [&](uint32_t tag, auto... values) { fine = fine && TIFFSetField(tiff, tag, values...) != 0; };
  set(TIFFTAG_IMAGEWIDTH, image.size.width);
  set(TIFFTAG_IMAGELENGTH, image.size.height);
  set(TIFFTAG_SAMPLESPERPIXEL, plan.samples);
  set(TIFFTAG_BITSPERSAMPLE, plan.bits);
  set(TIFFTAG_SAMPLEFORMAT, plan.floats ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  set(TIFFTAG_PHOTOMETRIC, plan.samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  if (plan.samples == 2 || plan.samples == 4) {
    const uint16_t kind = plan.samples == 2                                ? EXTRASAMPLE_UNSPECIFIED
                          : plan.alpha == AlphaAssociation::kPremultiplied ? EXTRASAMPLE_ASSOCALPHA
                                                                           : EXTRASAMPLE_UNASSALPHA;
    set(TIFFTAG_EXTRASAMPLES, 1, &kind);
  }
  set(TIFFTAG_COMPRESSION, int{plan.compression});
  if (options.predictor && plan.compression != COMPRESSION_NONE) {
    set(TIFFTAG_PREDICTOR, plan.floats ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL);
  }
  if (options.tile_size != 0) {
    set(TIFFTAG_TILEWIDTH, plan.block_width);
    set(TIFFTAG_TILELENGTH, plan.block_height);
  } else {
    set(TIFFTAG_ROWSPERSTRIP, plan.block_height);
  }
  set(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  // Square pixels of unknown size.
  set(TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
  set(TIFFTAG_XRESOLUTION, 1.0);
  set(TIFFTAG_YRESOLUTION, 1.0);
  set(TIFFTAG_SOFTWARE, "onepass " ONEPASS_VERSION);
  return fine && set_profile(tiff, plan, image, options);
}

class BlockWriter {
 public:
  BlockWriter(TIFF* tiff, const Plan& plan, const ImageView& image, uint32_t threads)
      : tiff_(tiff), plan_(plan), image_(image), threads_(threads), block_(plan.row_bytes() * plan.block_height) {}

  /// False: see libtiff's error. Errors: of the converted rows.
  Result<bool> write() {
    if (!plan_.direct) {
      Result<Image> band = Image::create(plan_.rows, {image_.size.width, plan_.block_height});
      if (!band) return band.error();
      band_ = std::move(*band);
    }
    uint32_t number = 0;
    for (uint32_t y = 0; y < image_.size.height; y += plan_.block_height) {
      const Result<ImageView> rows = rows_from(y);
      if (!rows) return rows.error();
      for (uint32_t x = 0; x < image_.size.width; x += plan_.block_width) {
        if (!write_block(*rows, x, number++)) return false;
      }
    }
    return true;
  }

 private:
  // The rows of a block from `y` on, in the plan's format.
  Result<ImageView> rows_from(uint32_t y) {
    ImageView rows = image_;
    rows.data = image_.row(y);
    rows.size.height = std::min(plan_.block_height, image_.size.height - y);
    if (plan_.direct) return rows;
    MutableImageView band = band_.view();
    band.size.height = rows.size.height;
    const auto done = convert_colors(rows, band, plan_.conversion, threads_);
    if (!done) return done.error();
    return ImageView(band);
  }

  bool write_block(const ImageView& rows, uint32_t x, uint32_t number) {
    const uint32_t texel = format_info(rows.format).bytes_per_texel;
    const size_t kept = plan_.pixel_bytes();
    const uint32_t width = std::min(plan_.block_width, rows.size.width - x);
    std::fill(block_.begin(), block_.end(), std::byte{0});  // for tiles that exceed the image
    for (uint32_t y = 0; y < rows.size.height; ++y) {
      const std::byte* from = rows.row(y) + size_t{x} * texel;
      std::byte* to = block_.data() + y * plan_.row_bytes();
      for (size_t i = 0; i < width; ++i) std::memcpy(to + i * kept, from + i * texel, kept);
    }
    if (TIFFIsTiled(tiff_) != 0) {
      return TIFFWriteEncodedTile(tiff_, number, block_.data(), static_cast<tmsize_t>(block_.size())) >= 0;
    }
    const size_t bytes = plan_.row_bytes() * rows.size.height;
    return TIFFWriteEncodedStrip(tiff_, number, block_.data(), static_cast<tmsize_t>(bytes)) >= 0;
  }

  TIFF* tiff_;
  const Plan& plan_;
  ImageView image_;
  uint32_t threads_;
  std::vector<std::byte> block_;
  Image band_;
};

Result<void> check_options(const std::filesystem::path& path, const TiffOptions& options) {
  if (options.tile_size % 16 != 0 || options.tile_size > kMaxWrittenTile) {
    return file_error(path, ErrorCode::kInvalidArgument,
                      "tile_size is " + std::to_string(options.tile_size) + ", not 0 or a multiple of 16 up to " +
                          std::to_string(kMaxWrittenTile));
  }
  if (options.primaries) {
    if (auto fine = xyz_matrix(*options.primaries); !fine) {
      return file_error(path, fine.error().code, "primaries: " + fine.error().message);
    }
  }
  if (TIFFIsCODECConfigured(compression_of(options.compression)) == 0) {
    return file_error(path, ErrorCode::kUnsupported,
                      "this build of libtiff lacks Compression " + std::to_string(compression_of(options.compression)));
  }
  return {};
}

Result<void> write_checked(const std::filesystem::path& path, const ImageView& image, const TiffOptions& options) {
  const Plan plan = plan_for(image, options);
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  Sink sink{.file = &*file};
  TiffMessages messages;
  const auto failed = [&] { return sink.failure ? *sink.failure : file_error(path, ErrorCode::kIo, messages.error()); };
  const uint64_t bytes = uint64_t{plan.pixel_bytes()} * image.size.width * image.size.height;
  const bool big = options.big || bytes > kMaxClassic;
  const TiffClient client{
      .data = &sink, .read = &Sink::read, .write = &Sink::write, .seek = &Sink::seek, .size = &Sink::size};
  {
    const TiffHandle tiff = open_tiff(client, big ? "w8" : "w", UINT64_MAX, messages);
    if (!tiff || !set_tags(tiff.get(), plan, image, options)) return failed();
    const Result<bool> written = BlockWriter(tiff.get(), plan, image, options.threads).write();
    if (!written) return file_error(path, written.error().code, written.error().message);
    if (!*written || TIFFWriteDirectory(tiff.get()) == 0) return failed();
  }
  if (sink.failure) return failed();
  return file->commit();
}

}  // namespace

Result<void> write_tiff(const std::filesystem::path& path, const ImageView& image, const TiffOptions& options) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_levels(path, std::span(&image, 1)); !fine) return fine;
    if (auto fine = check_options(path, options); !fine) return fine;
    if (image.slices != 1) {
      return file_error(path, ErrorCode::kUnsupported,
                        "a TIFF file of onepass holds one slice, not " + std::to_string(image.slices));
    }
    return write_checked(path, image, options);
  });
}

}  // namespace onepass::files
