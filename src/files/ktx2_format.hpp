// ktx2_format.hpp: all parts of a KTX2 file except pixels, for its reader and writer.
//
//     identifier 12 | header 36 | index 32 | level index 24 * levels | data format descriptor | key/value data |
//     padding | level n (smallest) ... level 0
//
// Source: Khronos, "KTX File Format Specification", version 2.0, sections 2 to 4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onepass/blocks.hpp"
#include "onepass/color.hpp"
#include "onepass/image.hpp"

namespace onepass::files::ktx2 {

inline constexpr std::string_view kIdentifier{"\xabKTX 20\xbb\r\n\x1a\n", 12};

/// Offsets of the numbers in the header and the index.
enum Offset : size_t {
  kVkFormat = 12,
  kTypeSize = 16,
  kPixelWidth = 20,
  kPixelHeight = 24,
  kPixelDepth = 28,
  kLayerCount = 32,
  kFaceCount = 36,
  kLevelCount = 40,
  kSupercompression = 44,
  kDfdOffset = 48,
  kDfdLength = 52,
  kKvdOffset = 56,
  kKvdLength = 60,
  kSgdOffset = 64,
  kSgdLength = 72,
  kLevelIndex = 80,
};
inline constexpr size_t kLevelEntrySize = 24;  // offset, length, uncompressed length

inline constexpr uint32_t kNoSupercompression = 0;
inline constexpr uint32_t kZstd = 2;

inline constexpr uint32_t kFaces = 6;

/// A little-endian byte stream.
class Bytes {
 public:
  void u32(uint32_t value) { little(value, 4); }
  void u64(uint64_t value) { little(value, 8); }
  void raw(std::string_view value);
  void text(std::string_view value);  ///< With a terminating zero.
  void append(const Bytes& other) { bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end()); }
  void pad_to(size_t multiple);
  [[nodiscard]] size_t size() const { return bytes_.size(); }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void little(uint64_t value, size_t count);
  std::vector<std::byte> bytes_;
};

/// Whether images in host memory have the bytes of a KTX2 file: not those of depth in 24 bits or beside stencil.
bool has_file_form(const FormatInfo& info);

/// KTX2's typeSize: size of the units in which the bytes of a texel are swapped: 1, 2 or 4.
uint32_t type_size(Format format);

/// Colour fields of a data format descriptor, in the numbers of its specification.
struct DescriptorColor {
  uint32_t primaries = 0;
  uint32_t transfer = 0;
  bool premultiplied = false;
};

/// The fields for `format` and Ktx2Options::code_points; empty if both contradict each other or a number does not
/// exist.
std::optional<DescriptorColor> descriptor_color(Format format, std::array<uint8_t, 2> code_points);

/// The ITU-T H.273 code point of a descriptor's transfer function; 0 if it is unspecified or has none.
uint32_t code_point_of_transfer(uint32_t transfer);

/// The chromaticities for a descriptor's primaries; empty if they are unspecified or unknown.
std::optional<Chromaticities> primaries_of(uint32_t number);

/// Flag of a descriptor: colours are multiplied by alpha.
inline constexpr uint32_t kFlagPremultiplied = 1;

/// Appends the data format descriptor of `format`: its total size and one basic block.
void append_descriptor(Bytes& bytes, Format format, DescriptorColor color);

/// The same for blocks, whose descriptor has a colour model and one or two samples of whole blocks.
void append_descriptor(Bytes& bytes, BlockFormat format, DescriptorColor color);

/// Samples of the descriptor of a block format.
uint32_t block_samples(BlockFormat format);

/// Appends the key/value data: KTXorientation and KTXwriter.
void append_key_values(Bytes& bytes, std::string_view writer);

}  // namespace onepass::files::ktx2
