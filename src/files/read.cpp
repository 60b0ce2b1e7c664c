// read.cpp: loads a file and calls the reader of its type; also the checks that all readers share.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "files/readers.hpp"
#include "files/row_reader.hpp"
#include "files/system.hpp"
#include "files/url.hpp"
#include "image/div_up.hpp"

namespace onepass::files {
namespace {

// A whole file in memory; malloc, because the contents need not be cleared first.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data_); }

  [[nodiscard]] bool reserve(size_t capacity) {
    void* data = std::realloc(data_, capacity);
    if (data == nullptr) return false;
    data_ = data;
    capacity_ = capacity;
    return true;
  }
  [[nodiscard]] std::byte* end() { return static_cast<std::byte*>(data_) + size_; }
  [[nodiscard]] size_t room() const { return capacity_ - size_; }
  [[nodiscard]] size_t capacity() const { return capacity_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  void grow(size_t count) { size_ += count; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// Long enough for every signature, and for the header of a TGA file.
constexpr size_t kSignatureSize = kTgaHeaderSize;

Error system_error(const Source& source, const char* what, int number) {
  const ErrorCode code = number == ENOENT || number == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
  if (number == EISDIR) return source.error(code, "is a directory");
  if (code == ErrorCode::kNotFound && is_url(source.name)) return url_error(source.name);
  return source.error(code, number == ENOENT ? "no such file" : std::string(what) + ": " + std::strerror(number));
}

// Reads up to `count` bytes; fewer only at the end of the file.
Result<void> fill(const Source& source, int file, Buffer& buffer, size_t count) {
  const ptrdiff_t got = system::read(file, {buffer.end(), count});
  if (got < 0) return system_error(source, "cannot read it", errno);
  buffer.grow(static_cast<size_t>(got));
  return {};
}

Error not_an_image(const Source& source) {
  return source.bad(source.bytes.empty()
                        ? "the file is empty"
                        : "is not a PNG, JPEG, OpenEXR, Radiance HDR, PFM, KTX2, TIFF, WebP, TGA, PNM or DDS file");
}

// TGA files have no signature: without a footer a file is TGA if its header is possible and its name has the extension.
Type type_of(const Source& source) {
  const Type type = type_of_content(source.bytes);
  if (type != Type::kUnknown) return type;
  std::array<std::byte, kTgaFooterSize> end{};
  const bool footer =
      source.size() >= end.size() && source.read_at(source.size() - end.size(), end) == 0 && has_tga_footer(end);
  const bool named = type_of_extension(source.name) == Type::kTga && can_be_tga_header(source.bytes);
  return footer || named ? Type::kTga : Type::kUnknown;
}

Error too_long(const Source& source, const ReadOptions& options) {
  return source.error(ErrorCode::kOutOfMemory, "the file is longer than the limit of " +
                                                   memory_text(options.max_bytes, Rounding::kDown) +
                                                   " (ReadOptions::max_bytes)");
}

// Loads the file, at most options.max_bytes of it. The signature is checked first, so that an endless device or a huge
// file of another type is not read.
Result<void> load_file(const Source& source, const std::filesystem::path& path, const ReadOptions& options,
                       Buffer& buffer) {
  const Handle file = system::open_input(path);
  if (!file.valid()) return system_error(source, "cannot open it", errno);
  const auto status = system::status(file.number());
  if (!status) return system_error(source, "cannot read it", errno);
  if (status->directory) return system_error(source, "cannot read it", EISDIR);

  const Error no_memory = source.error(ErrorCode::kOutOfMemory, "out of memory");
  const size_t expected = status->size;
  if (!buffer.reserve(kSignatureSize)) return no_memory;
  if (auto done = fill(source, file.number(), buffer, kSignatureSize); !done) return done;
  const Source start{.bytes = buffer.bytes(), .name = source.name, .file = file.number(), .file_size = expected};
  if (type_of(start) == Type::kUnknown) return not_an_image(start);
  if (expected > options.max_bytes) return too_long(source, options);
  // One byte more than expected or allowed, so that the end is found without another iteration.
  constexpr size_t kFirstRoom = 65536;
  const uint64_t most = std::max<uint64_t>(std::min<uint64_t>(options.max_bytes, SIZE_MAX / 4) + 1, kSignatureSize);
  uint64_t room = expected > 0 ? expected + 1 : std::min<uint64_t>(kFirstRoom, most);
  for (;;) {
    if (room > buffer.capacity() && !buffer.reserve(room)) return no_memory;
    if (auto done = fill(source, file.number(), buffer, buffer.room()); !done) return done;
    if (buffer.bytes().size() > options.max_bytes) return too_long(source, options);
    if (buffer.room() > 0) return {};
    room = std::min(most, buffer.capacity() * uint64_t{2});
  }
}

// Applies the options on colours and alpha to all levels.
Result<void> convert(const Source& source, ImageFile& file, const ReadOptions& options) {
  if (options.assume_primaries) {
    file.primaries = *options.assume_primaries;
    file.says_primaries = true;
  }
  const bool has_alpha = file.alpha != AlphaAssociation::kNone;
  if (has_alpha && options.assume_alpha) file.alpha = *options.assume_alpha;
  ColorConversion conversion{.from = file.alpha, .to = file.alpha};
  if (has_alpha && options.alpha) conversion.to = *options.alpha;
  if (options.primaries && !same_chromaticities(*options.primaries, file.primaries)) {
    const auto matrix = conversion_matrix(file.primaries, *options.primaries);
    if (!matrix) return source.error(matrix.error().code, matrix.error().message);
    conversion.matrix = *matrix;
  }
  if (options.primaries) file.primaries = *options.primaries;
  if (conversion.from == conversion.to && !conversion.matrix) return {};
  for (Image& level : file.levels) {
    const auto report = convert_colors(level.view(), level.view(), conversion, options.threads);
    if (!report) return source.error(report.error().code, report.error().message);
    if (&level == &file.levels.front()) file.emissive_texels = report->emissive_texels;
  }
  file.alpha = conversion.to;
  return {};
}

struct Reader {
  Type type;
  std::string_view name;
  std::string_view label;  // begins error messages
  // Opens rows; null: none. Both null pointers and null readers mean that the picture is read as a whole.
  Result<std::unique_ptr<RowReader>> (*open_rows)(const Source&, const RowOptions&);
  // Reads a whole picture; null: all rows are a picture.
  Result<ImageFile> (*read)(const Source&, const ReadOptions&);
};

// The one list of the readers. KTX2 and DDS have no rows, because they hold textures, which fit into the memory of a
// GPU with all levels and slices; WebP has none, because libwebp keeps the whole picture for lossless files, and ends
// at 16383 pixels.
constexpr std::array<Reader, 11> kReaders = {{{Type::kPng, "PNG", "PNG", open_png_rows, read_png},
                                              {Type::kJpeg, "JPEG", "JPEG", open_jpeg_rows, read_jpeg},
                                              {Type::kExr, "OpenEXR", "EXR", open_exr_rows, read_exr},
                                              {Type::kHdr, "Radiance HDR", "HDR", open_hdr_rows, nullptr},
                                              {Type::kPfm, "PFM", "PFM", open_pfm_rows, nullptr},
                                              {Type::kKtx2, "KTX2", "KTX2", nullptr, read_ktx2},
                                              {Type::kTiff, "TIFF", "TIFF", open_tiff_rows, read_tiff},
                                              {Type::kWebp, "WebP", "WebP", nullptr, read_webp},
                                              {Type::kTga, "TGA", "TGA", open_tga_rows, nullptr},
                                              {Type::kPnm, "PNM", "PNM", open_pnm_rows, nullptr},
                                              {Type::kDds, "DDS", "DDS", nullptr, read_dds}}};

// Null for an unknown type.
const Reader* reader_of(Type type) {
  const auto* found =
      std::find_if(kReaders.begin(), kReaders.end(), [&](const Reader& reader) { return reader.type == type; });
  return found == kReaders.end() ? nullptr : found;
}

}  // namespace

std::string_view type_name(Type type) {
  const Reader* reader = reader_of(type);
  return reader == nullptr ? "unknown" : reader->name;
}

Type type_of_content(std::span<const std::byte> bytes) {
  using namespace std::string_view_literals;
  struct Signature {
    std::string_view bytes;
    Type type;
  };
  static constexpr std::array<Signature, 11> kSignatures = {{
      {"\x89PNG\r\n\x1a\n"sv, Type::kPng},
      {"\xff\xd8\xff"sv, Type::kJpeg},
      {"\x76\x2f\x31\x01"sv, Type::kExr},
      {"#?RADIANCE"sv, Type::kHdr},
      {"#?RGBE"sv, Type::kHdr},
      {"\xabKTX 20\xbb\r\n\x1a\n"sv, Type::kKtx2},
      {"II*\0"sv, Type::kTiff},
      {"MM\0*"sv, Type::kTiff},
      {"II+\0"sv, Type::kTiff},  // BigTIFF
      {"MM\0+"sv, Type::kTiff},
      {"DDS "sv, Type::kDds},
  }};
  for (const Signature& signature : kSignatures) {
    if (bytes.size() >= signature.bytes.size() &&
        std::memcmp(bytes.data(), signature.bytes.data(), signature.bytes.size()) == 0) {
      return signature.type;
    }
  }
  // A RIFF container: its size lies between the two words.
  if (bytes.size() >= 12 && std::memcmp(bytes.data(), "RIFF", 4) == 0 && std::memcmp(&bytes[8], "WEBP", 4) == 0) {
    return Type::kWebp;
  }
  // "PF" or "Pf", then white space.
  const auto at = [&](size_t i) { return i < bytes.size() ? std::to_integer<char>(bytes[i]) : '\0'; };
  const bool space = at(2) == ' ' || (at(2) >= '\t' && at(2) <= '\r');
  if (at(0) == 'P' && (at(1) == 'F' || at(1) == 'f') && space) return Type::kPfm;
  // "P1" to "P6", then white space or a comment; "P7" and a line end, for "P7 332" is another format.
  if (at(0) == 'P' && at(1) >= '1' && at(1) <= '6' && (space || at(2) == '#')) return Type::kPnm;
  if (at(0) == 'P' && at(1) == '7' && at(2) == '\n') return Type::kPnm;
  return has_tga_footer(bytes) ? Type::kTga : Type::kUnknown;
}

namespace {

Result<ImageFile> read_rows(const Source& source, const ReadOptions& options, const Reader& reader) {
  auto rows =
      reader.open_rows(source, {.max_bytes = options.max_bytes, .threads = options.threads, .color = options.color});
  if (!rows) return rows.error();
  return image_of_rows(**rows, source, options, reader.type, reader.label);
}

Result<ImageFile> read_loaded(const Source& source, const ReadOptions& options) {
  try {
    const Type type = type_of(source);
    const Reader* reader = reader_of(type);
    if (reader == nullptr) return not_an_image(source);
    if (type != Type::kExr) {
      if (!options.channels.empty()) {
        return source.error(ErrorCode::kInvalidArgument, "channel \"" + options.channels.front() +
                                                             "\" was asked for, but " + std::string(reader->name) +
                                                             " channels have no names");
      }
      if (!options.part.empty()) {
        return source.error(ErrorCode::kInvalidArgument, "part \"" + options.part + "\" was asked for, but " +
                                                             std::string(reader->name) + " files have no parts");
      }
    }
    Result<ImageFile> file =
        reader->read != nullptr ? reader->read(source, options) : read_rows(source, options, *reader);
    if (!file) return file;
    for (std::string& warning : file->warnings) warning = printable(warning, warning.size());
    if (auto done = convert(source, *file, options); !done) return done.error();
    return file;
  } catch (const std::bad_alloc&) {
    return source.error(ErrorCode::kOutOfMemory, "out of memory");
  } catch (const std::exception& exception) {
    return source.bad(exception.what());
  }
}

}  // namespace

Result<ImageFile> read_memory(std::span<const std::byte> bytes, std::string_view name, const ReadOptions& options) {
  return read_loaded({bytes, name}, options);
}

Result<ImageFile> read(const std::filesystem::path& path, const ReadOptions& options) {
  const std::string name = path.string();
  Buffer buffer;
  if (auto done = load_file({{}, name}, path, options, buffer); !done) return done.error();
  return read_loaded({buffer.bytes(), name, buffer.capacity()}, options);
}

Result<ImageFile> read_source(const Source& source, const ReadOptions& options) {
  if (source.in_memory()) return read_loaded(source, options);
  if (type_of(source) == Type::kUnknown) return not_an_image(source);
  if (source.file_size > options.max_bytes) return too_long(source, options);
  Buffer buffer;
  if (!buffer.reserve(source.file_size)) return source.error(ErrorCode::kOutOfMemory, "out of memory");
  if (const int number = source.read_at(0, {buffer.end(), source.file_size}); number != 0) {
    if (source.ranges != nullptr) return source.unreadable(number);
    return system_error(source, "cannot read it", number < 0 ? EIO : number);
  }
  buffer.grow(source.file_size);
  return read_loaded({buffer.bytes(), source.name, buffer.capacity()}, options);
}

int Source::read_at(uint64_t offset, std::span<std::byte> out) const {
  if (offset > size() || out.size() > size() - offset) return -1;
  if (in_memory()) {
    if (!out.empty()) std::memcpy(out.data(), bytes.data() + offset, out.size());
    return 0;
  }
  if (ranges != nullptr) return ranges->read(offset, out) ? 0 : EIO;
  while (!out.empty()) {
    const ptrdiff_t n = system::read_at(file, out, offset);
    if (n < 0) return errno;
    if (n == 0) return -1;
    out = out.subspan(static_cast<size_t>(n));
    offset += static_cast<uint64_t>(n);
  }
  return 0;
}

void describe(ImageFile& file, const PictureHeader& header) {
  file.alpha = header.layout.alpha;
  file.stored_channels = header.stored_channels;
  file.stored_bits = header.stored_bits;
  file.exif_orientation = header.orientation;
  file.pixel_aspect_ratio = header.pixel_aspect_ratio;
}

Result<std::unique_ptr<RowReader>> open_rows(const Source& source, const RowOptions& options) {
  try {
    const Reader* reader = reader_of(type_of(source));
    if (reader == nullptr) return not_an_image(source);
    if (reader->open_rows == nullptr) return open_whole_rows(source, options);
    auto rows = reader->open_rows(source, options);
    if (!rows) return rows;
    if (*rows == nullptr) return open_whole_rows(source, options);
    const auto [width, height] = (*rows)->header().size;
    auto fine = check_memory(source, {.max_bytes = options.max_bytes}, (*rows)->memory_bytes() + (*rows)->row_bytes(),
                             std::string(reader->label) + ": a row of " + size_text(width, height) + " pixels");
    if (!fine) return fine.error();
    return rows;
  } catch (const std::bad_alloc&) {
    return source.error(ErrorCode::kOutOfMemory, "out of memory");
  } catch (const std::exception& exception) {
    return source.bad(exception.what());
  }
}

std::string size_text(uint64_t width, uint64_t height) { return std::to_string(width) + "x" + std::to_string(height); }

Result<void> check_size(const Source& source, uint64_t width, uint64_t height) {
  if (width == 0 || height == 0) return source.bad("the size is " + size_text(width, height));
  if (width > source.max_edge || height > source.max_edge) {
    return source.error(ErrorCode::kUnsupported,
                        "the size is " + size_text(width, height) + ", more than " + std::to_string(source.max_edge));
  }
  return {};
}

Result<void> check_plausible(const Source& source, uint64_t width, uint64_t height, uint64_t needed,
                             uint64_t best_ratio) {
  if (needed / best_ratio <= source.size()) return {};
  return source.bad("the header claims " + size_text(width, height) + " pixels, which cannot fit in " +
                    std::to_string(source.size()) + " bytes: truncated or damaged");
}

std::string memory_text(uint64_t bytes, Rounding rounding) {
  constexpr std::array<const char*, 4> kUnits = {" KiB", " MiB", " GiB", " TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >> (10 * (unit + 2)) != 0) ++unit;
  const uint64_t size = uint64_t{1} << (10 * (unit + 1));
  const uint64_t rest = bytes % size * 10;
  uint64_t tenths = bytes / size * 10 + rest / size;
  if (rounding == Rounding::kUp && rest % size != 0) ++tenths;
  const std::string fraction = tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10);
  return std::to_string(tenths / 10) + fraction + kUnits[unit];
}

Result<void> check_memory(const Source& source, const ReadOptions& options, uint64_t bytes, std::string_view what) {
  const uint64_t needed = bytes > UINT64_MAX - source.held ? UINT64_MAX : bytes + source.held;
  if (needed <= options.max_bytes) {
    if (options.before_allocation) options.before_allocation(needed);
    return {};
  }
  return source.error(ErrorCode::kOutOfMemory, std::string(what) + " needs " + memory_text(needed, Rounding::kUp) +
                                                   " of memory, more than the limit of " +
                                                   memory_text(options.max_bytes, Rounding::kDown) +
                                                   " (ReadOptions::max_bytes)");
}

uint64_t image_bytes(Format format, uint64_t width, uint64_t height, uint64_t slices) {
  constexpr uint64_t kAlignment = 64;  // alignment of Image::create
  const uint64_t bytes = width * height * slices * format_info(format).bytes_per_texel;
  return round_up(bytes, kAlignment);
}

Result<Image> create_image(const Source& source, Format format, Extent size, uint32_t slices) {
  Result<Image> image = Image::create(format, size, slices);
  if (!image) return source.error(image.error().code, image.error().message);
  return image;
}

ImageFile single_level(Type type, Image image) {
  ImageFile file;
  add_level(file, type, std::move(image));
  return file;
}

void add_level(ImageFile& file, Type type, Image image) {
  file.type = type;
  file.data_window = {0, 0, static_cast<int32_t>(image.size().width) - 1,
                      static_cast<int32_t>(image.size().height) - 1};
  file.display_window = file.data_window;
  file.levels.push_back(std::move(image));
}

}  // namespace onepass::files
