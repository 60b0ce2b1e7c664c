// readers.hpp: shared by the readers of all file types: their input, checks and errors.
//
// A reader may throw std::bad_alloc and std::exception; read.cpp turns those into errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "files/range_reader.hpp"
#include "onepass/files.hpp"

namespace onepass::files {

/// `text`, which comes from a file, for a message: control characters and bytes that are not UTF-8 become "\\x1b", and
/// what follows the first `most` bytes "...".
std::string printable(std::string_view text, size_t most = 64);

/// A file, in memory or open, and its name for errors.
struct Source {
  std::span<const std::byte> bytes;  ///< The whole file; of an open file its beginning.
  std::string_view name;
  uint64_t held = 0;              ///< Bytes that read() has allocated for the file itself; 0 if the caller owns them.
  int file = -1;                  ///< Descriptor of an open file; -1: the file is in memory, or `ranges` has it.
  uint64_t file_size = 0;         ///< Of an open file or of `ranges`, in bytes.
  uint32_t max_edge = kMaxSize;   ///< Largest width and height.
  RangeReader* ranges = nullptr;  ///< A file of another machine.

  [[nodiscard]] bool in_memory() const { return file < 0 && ranges == nullptr; }
  [[nodiscard]] uint64_t size() const { return in_memory() ? bytes.size() : file_size; }
  /// Copies out.size() bytes at `offset`. Returns 0, an errno, or -1 if the file ends before.
  [[nodiscard]] int read_at(uint64_t offset, std::span<std::byte> out) const;

  [[nodiscard]] Error error(ErrorCode code, const std::string& message) const {
    return {code, printable(message, message.size()), std::string(name)};
  }
  [[nodiscard]] Error bad(const std::string& message) const { return error(ErrorCode::kBadData, message); }
  /// The error of a read_at() that returned `number`.
  [[nodiscard]] Error unreadable(int number) const {
    if (ranges != nullptr && number > 0) return ranges->failure();
    return error(ErrorCode::kIo,
                 std::string("cannot read it: ") + (number > 0 ? std::strerror(number) : "it ends early"));
  }
  [[nodiscard]] Error unsupported(const std::string& message) const { return error(ErrorCode::kUnsupported, message); }
};

/// read() of a source. Throws nothing.
Result<ImageFile> read_source(const Source& source, const ReadOptions& options);

/// Whether `bytes` end like a TGA file of version 2.
bool has_tga_footer(std::span<const std::byte> bytes);
/// Whether `bytes` start with a possible TGA header. Random bytes do so once in some thousand times: call it only if
/// something else suggests a TGA file.
bool can_be_tga_header(std::span<const std::byte> bytes);

/// Bytes that has_tga_footer() and can_be_tga_header() inspect.
inline constexpr size_t kTgaFooterSize = 26;
inline constexpr size_t kTgaHeaderSize = 18;

/// a * b, or the largest number if that is less.
constexpr uint64_t saturated_product(uint64_t a, uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/// "640x480".
std::string size_text(uint64_t width, uint64_t height);

/// Refuses sizes of 0 and above source.max_edge.
Result<void> check_size(const Source& source, uint64_t width, uint64_t height);

/// Refuses a file that is too short for its header: no encoder of its type packs `needed` bytes of pixels into less
/// than `needed / best_ratio` bytes. Called before the pixels are allocated.
Result<void> check_plausible(const Source& source, uint64_t width, uint64_t height, uint64_t needed,
                             uint64_t best_ratio);

/// Refuses a file whose reading needs more than options.max_bytes. `bytes`: peak of all memory that the reader and its
/// decoder allocate; the bytes that read() holds of the file are added here. Called before any of it is allocated.
/// Calls options.before_allocation for a file that fits.
/// `what`: subject of the message, "PNG: an image of 9x9 pixels".
Result<void> check_memory(const Source& source, const ReadOptions& options, uint64_t bytes,
                          std::string_view what = "the image");

/// Bytes that Image::create allocates.
uint64_t image_bytes(Format format, uint64_t width, uint64_t height, uint64_t slices = 1);

/// "12 bytes", "1.5 MiB", "8 GiB": prefixes are powers of 1024, tenths are rounded down or up.
enum class Rounding { kDown, kUp };
std::string memory_text(uint64_t bytes, Rounding rounding);

/// Image::create with the file's name in the error.
Result<Image> create_image(const Source& source, Format format, Extent size, uint32_t slices = 1);

/// An ImageFile of one level, whose data and display windows are those of the image.
ImageFile single_level(Type type, Image image);
/// The same for a file that has warnings already.
void add_level(ImageFile& file, Type type, Image image);

/// Little-endian number of type T at `offset`, which the caller has checked to be inside.
template <typename T>
T load(std::span<const std::byte> bytes, size_t offset) {
  ONEPASS_ASSERT(offset + sizeof(T) <= bytes.size());
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

}  // namespace onepass::files
