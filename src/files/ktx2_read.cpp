// ktx2_read.cpp: reads KTX2 files: all levels of uncompressed formats, stored or Zstandard-compressed.
//
// The VkFormat determines the format, the data format descriptor only the encoding of values. Every offset and length
// is checked against the file, and every length against the size of its level, before anything is allocated.
#include <zstd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "files/ktx2_format.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"
#include "image/div_up.hpp"

namespace onepass::files {
namespace {

using ktx2::Offset;

// A Zstandard block of 128 KiB of one value takes 4 bytes.
constexpr uint64_t kZstdRatio = 32768;

// Two sRGB-encoded channels. No image format has them: they are read as R8G8_UNORM and decoded to float.

constexpr size_t kMaxKeyValueLength = size_t{1} << 20;

// Longer values of KTXorientation are truncated: valid ones have 1 to 3 letters.
constexpr size_t kMaxOrientation = 64;

// Memory of the lists of levels and the orientation.
constexpr uint64_t kSmallBytes = 8192;

// A stored format that is expanded to RGBA. `order`: the stored channel for each of R, G, B and A.
struct Expansion {
  uint32_t vk_format;
  Format format;
  uint32_t channels;       // stored
  uint32_t channel_bytes;  // 1, 2 or 4
  std::array<uint8_t, 4> order;
  uint32_t opaque;  // stored value of alpha 1, if the file has no alpha
};

constexpr std::array<Expansion, 9> kExpansions = {{
    {23, Format::kRGBA8Unorm, 3, 1, {0, 1, 2, 3}, 0xff},           // R8G8B8_UNORM
    {29, Format::kRGBA8Srgb, 3, 1, {0, 1, 2, 3}, 0xff},            // R8G8B8_SRGB
    {30, Format::kRGBA8Unorm, 3, 1, {2, 1, 0, 3}, 0xff},           // B8G8R8_UNORM
    {36, Format::kRGBA8Srgb, 3, 1, {2, 1, 0, 3}, 0xff},            // B8G8R8_SRGB
    {44, Format::kRGBA8Unorm, 4, 1, {2, 1, 0, 3}, 0},              // B8G8R8A8_UNORM
    {50, Format::kRGBA8Srgb, 4, 1, {2, 1, 0, 3}, 0},               // B8G8R8A8_SRGB
    {84, Format::kRGBA16Unorm, 3, 2, {0, 1, 2, 3}, 0xffff},        // R16G16B16_UNORM
    {90, Format::kRGBA16Sfloat, 3, 2, {0, 1, 2, 3}, 0x3c00},       // R16G16B16_SFLOAT
    {106, Format::kRGBA32Sfloat, 3, 4, {0, 1, 2, 3}, 0x3f800000},  // R32G32B32_SFLOAT
}};

struct Header {
  uint32_t vk_format = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t layers = 0;  // as stored: 0 for no array
  uint32_t faces = 0;
  uint32_t levels = 0;
  uint32_t supercompression = 0;
  uint32_t slices = 0;
  Format format = Format::kUndefined;    // of the image, before options.color
  const Expansion* expansion = nullptr;  // null if stored texels need no expansion
  uint32_t stored_texel = 0;             // bytes
  uint32_t stored_channels = 0;
};

struct Level {
  Extent size;
  uint64_t length = 0;  // bytes of its pixels after decompression
  std::span<const std::byte> bytes;
};

Extent level_extent(const Header& header, uint32_t level) {
  return {std::max(1U, header.width >> level), std::max(1U, header.height >> level)};
}

const char* supercompression_name(uint32_t scheme) {
  switch (scheme) {
    case 1:
      return " (Basis Universal, BasisLZ)";
    case 3:
      return " (ZLIB)";
    default:
      return "";
  }
}

Result<void> find_format(const Source& source, Header& header) {
  const FormatInfo& info = format_info(static_cast<Format>(header.vk_format));
  if (ktx2::has_file_form(info) && !info.blue_first) {
    header.format = info.format;
    header.stored_texel = info.bytes_per_texel;
    header.stored_channels = info.channels;
    return {};
  }
  const auto* found = std::find_if(kExpansions.begin(), kExpansions.end(),
                                   [&](const Expansion& entry) { return entry.vk_format == header.vk_format; });
  if (found == kExpansions.end()) {
    return source.unsupported("KTX2: vkFormat is " + std::to_string(header.vk_format) +
                              (header.vk_format == 0 ? " (undefined)" : "") + ", which is not supported");
  }
  header.expansion = found;
  header.format = found->format;
  header.stored_texel = found->channels * found->channel_bytes;
  header.stored_channels = found->channels;
  return {};
}

// Checks the fields against each other and against the supported values.
Result<void> check_header(const Source& source, Header& header, uint32_t depth) {
  if (depth != 0) {
    return source.unsupported("KTX2: pixelDepth is " + std::to_string(depth) + "; 3-D images are not supported");
  }
  if (header.width != 0 && header.height == 0) {
    return source.unsupported("KTX2: pixelHeight is 0; 1-D images are not supported");
  }
  if (auto fine = check_size(source, header.width, header.height); !fine) return fine;
  if (header.faces != 1 && header.faces != ktx2::kFaces) {
    return source.bad("KTX2: faceCount is " + std::to_string(header.faces) + ", not 1 or 6");
  }
  if (header.faces == ktx2::kFaces && header.width != header.height) {
    return source.bad("KTX2: a cube of " + size_text(header.width, header.height) + " faces");
  }
  const uint64_t slices = uint64_t{std::max(1U, header.layers)} * header.faces;
  if (slices > kMaxSlices) {
    return source.unsupported("KTX2: layerCount is " + std::to_string(header.layers) + ", more than " +
                              std::to_string(kMaxSlices) + " slices");
  }
  header.slices = static_cast<uint32_t>(slices);
  if (header.levels == 0) header.levels = 1;  // "to be generated when loaded"
  if (header.levels > 1 && std::max(header.width, header.height) >> (std::min(header.levels, 32U) - 1) == 0) {
    return source.bad("KTX2: levelCount is " + std::to_string(header.levels) + ", too many for " +
                      size_text(header.width, header.height));
  }
  if (header.supercompression != ktx2::kNoSupercompression && header.supercompression != ktx2::kZstd) {
    return source.unsupported("KTX2: supercompressionScheme is " + std::to_string(header.supercompression) +
                              supercompression_name(header.supercompression) + "; none and Zstandard are possible");
  }
  return find_format(source, header);
}

Result<Header> read_header(const Source& source) {
  if (source.bytes.size() < Offset::kLevelIndex + ktx2::kLevelEntrySize)
    return source.bad("KTX2: the header is truncated");
  const auto number = [&](Offset offset) { return load<uint32_t>(source.bytes, offset); };
  Header header{.vk_format = number(Offset::kVkFormat),
                .width = number(Offset::kPixelWidth),
                .height = number(Offset::kPixelHeight),
                .layers = number(Offset::kLayerCount),
                .faces = number(Offset::kFaceCount),
                .levels = number(Offset::kLevelCount),
                .supercompression = number(Offset::kSupercompression)};
  if (auto fine = check_header(source, header, number(Offset::kPixelDepth)); !fine) return fine.error();
  if (source.bytes.size() < Offset::kLevelIndex + ktx2::kLevelEntrySize * header.levels) {
    return source.bad("KTX2: the level index is truncated");
  }
  return header;
}

// The level's entry in the index, checked, with its bytes.
Result<Level> find_level(const Source& source, const Header& header, uint32_t n) {
  const std::string name = "KTX2: level " + std::to_string(n);
  const size_t entry = Offset::kLevelIndex + ktx2::kLevelEntrySize * n;
  const auto offset = load<uint64_t>(source.bytes, entry);
  const auto length = load<uint64_t>(source.bytes, entry + 8);
  const auto uncompressed = load<uint64_t>(source.bytes, entry + 16);
  Level level{.size = level_extent(header, n), .bytes = {}};
  // At most 2^16 * 2^16 texels * 2^16 slices * 2^4 bytes: no overflow.
  level.length = uint64_t{level.size.width} * level.size.height * header.slices * header.stored_texel;
  if (offset > source.bytes.size() || length > source.bytes.size() - offset) {
    return source.bad(name + " is " + std::to_string(length) + " bytes at offset " + std::to_string(offset) +
                      ", beyond the end of the file: truncated or damaged");
  }
  level.bytes = source.bytes.subspan(offset, length);
  const bool stored = header.supercompression == ktx2::kNoSupercompression;
  const uint64_t claimed = stored ? length : uncompressed;
  if (claimed != level.length) {
    return source.bad(name + (stored ? " has byteLength " : " has uncompressedByteLength ") + std::to_string(claimed) +
                      ", not the " + std::to_string(level.length) + " of " +
                      size_text(level.size.width, level.size.height) + " in " + std::to_string(header.slices) +
                      " slices");
  }
  if (!stored && level.length / kZstdRatio > length) {
    return source.bad(name + ": " + std::to_string(level.length) + " bytes cannot fit in " + std::to_string(length) +
                      ": truncated or damaged");
  }
  return level;
}

// Checks the peak of memory: all levels and slices as returned; for one level at a time the decompressed bytes before
// expansion, or the expanded level before decoding with a row of floats; and Zstandard's memory to decompress in one
// step, which needs no window besides the target.
Result<void> check_ktx2_memory(const Source& source, const ReadOptions& options, const Header& header,
                               std::span<const Level> levels, Format format, bool decoded) {
  constexpr uint64_t kDecoderBytes = uint64_t{192} << 10;
  const bool packed = header.supercompression == ktx2::kZstd;
  const Format result = decoded ? float_format(format_info(format).channels) : format;
  uint64_t all = 0;
  uint64_t beside = 0;
  for (const Level& level : levels) {
    const auto bytes_in = [&](Format f) { return image_bytes(f, level.size.width, level.size.height, header.slices); };
    all += bytes_in(result);
    const uint64_t expanding = header.expansion != nullptr && packed ? level.length : 0;
    const uint64_t decoding = decoded ? bytes_in(format) + uint64_t{16} * level.size.width : 0;
    // Decompressed bytes are freed before decoding starts, and the decoded level is allocated only then.
    beside = std::max(beside, decoded ? std::max(decoding, bytes_in(format) + expanding) : expanding);
  }
  const std::string what = "KTX2: an image of " + size_text(header.width, header.height) + " pixels, " +
                           std::to_string(header.levels) + " levels, " + std::to_string(header.slices) + " slices";
  return check_memory(source, options, all + beside + (packed ? kDecoderBytes : 0) + kSmallBytes, what);
}

// Writes the decompressed pixels of the level to `target`, which has level.length bytes.
Result<void> unpack(const Source& source, const Header& header, const Level& level, std::byte* target) {
  if (header.supercompression == ktx2::kNoSupercompression) {
    std::memcpy(target, level.bytes.data(), level.length);
    return {};
  }
  const size_t got = ZSTD_decompress(target, level.length, level.bytes.data(), level.bytes.size());
  const std::string where = "KTX2: level " + size_text(level.size.width, level.size.height) + ": ";
  if (ZSTD_isError(got) != 0) return source.bad(where + "Zstandard: " + ZSTD_getErrorName(got));
  if (got != level.length) {
    return source.bad(where + std::to_string(got) + " bytes instead of " + std::to_string(level.length));
  }
  return {};
}

// Expands texel by texel: the formats are too rare for faster code.
template <typename Channel>
void expand(const Expansion& rule, const std::byte* stored, std::byte* target, size_t texels) {
  for (size_t i = 0; i < texels; ++i) {
    std::array<Channel, 4> in{};
    in[3] = static_cast<Channel>(rule.opaque);
    std::memcpy(in.data(), stored + i * rule.channels * sizeof(Channel), rule.channels * sizeof(Channel));
    const std::array<Channel, 4> out{in[rule.order[0]], in[rule.order[1]], in[rule.order[2]], in[rule.order[3]]};
    std::memcpy(target + i * sizeof out, out.data(), sizeof out);
  }
}

Result<Image> read_level(const Source& source, const Header& header, const Level& level, Format format) {
  Result<Image> image = create_image(source, format, level.size, header.slices);
  if (!image) return image;
  if (header.expansion == nullptr) {
    if (auto done = unpack(source, header, level, image->data()); !done) return done.error();
    return image;
  }
  std::vector<std::byte> decompressed;
  const std::byte* stored = level.bytes.data();
  if (header.supercompression != ktx2::kNoSupercompression) {
    decompressed.resize(level.length);
    if (auto done = unpack(source, header, level, decompressed.data()); !done) return done.error();
    stored = decompressed.data();
  }
  const size_t texels = level.length / header.stored_texel;
  switch (header.expansion->channel_bytes) {
    case 1:
      expand<uint8_t>(*header.expansion, stored, image->data(), texels);
      break;
    case 2:
      expand<uint16_t>(*header.expansion, stored, image->data(), texels);
      break;
    default:
      expand<uint32_t>(*header.expansion, stored, image->data(), texels);
      break;
  }
  return image;
}

// The value of KTXorientation; "rd" if there is none or the key/value data is damaged, which does not affect the
// pixels.
std::string orientation(const Source& source) {
  const size_t offset = load<uint32_t>(source.bytes, Offset::kKvdOffset);
  const size_t length = load<uint32_t>(source.bytes, Offset::kKvdLength);
  if (offset > source.bytes.size() || length > source.bytes.size() - offset || length > kMaxKeyValueLength) return "rd";
  std::string_view data(reinterpret_cast<const char*>(source.bytes.data()) + offset, length);
  constexpr std::string_view kKey{"KTXorientation\0", 15};
  while (data.size() > 4) {
    uint32_t size = 0;
    std::memcpy(&size, data.data(), 4);
    data.remove_prefix(4);
    if (size > data.size()) break;
    std::string_view pair = data.substr(0, size);
    if (pair.starts_with(kKey)) {
      pair.remove_prefix(kKey.size());
      return std::string(pair.substr(0, std::min(pair.find('\0'), kMaxOrientation)));
    }
    data.remove_prefix(std::min<size_t>(round_up(size_t{size}, 4), data.size()));
  }
  return "rd";
}

// Colour fields in the basic block of the data format descriptor; zeros if they are unspecified or damaged.
struct DescriptorBytes {
  uint32_t primaries = 0;
  uint32_t transfer = 0;  // by ITU-T H.273
  bool premultiplied = false;
};

DescriptorBytes descriptor_of(const Source& source) {
  constexpr size_t kPrimaries = 13;  // after the total size, two words of the basic block, and the model
  constexpr size_t kFlags = 15;
  const size_t offset = load<uint32_t>(source.bytes, Offset::kDfdOffset);
  if (offset > source.bytes.size() || source.bytes.size() - offset <= kFlags) return {};
  const auto at = [&](size_t place) { return std::to_integer<uint32_t>(source.bytes[offset + place]); };
  return {.primaries = at(kPrimaries),
          .transfer = ktx2::code_point_of_transfer(at(kPrimaries + 1)),
          .premultiplied = (at(kFlags) & ktx2::kFlagPremultiplied) != 0};
}

uint32_t widest_channel(Format format) {
  const FormatInfo& info = format_info(format);
  if (format == Format::kA2B10G10R10Unorm) return 10;
  if (format == Format::kB10G11R11Ufloat) return 11;
  return 8 * info.bytes_per_texel / info.channels;
}

}  // namespace

Result<ImageFile> read_ktx2(const Source& source, const ReadOptions& options) {
  Result<Header> header = read_header(source);
  if (!header) return header.error();
  const DescriptorBytes descriptor = descriptor_of(source);
  // Of the UNORM formats only those of 8 bits have an sRGB counterpart; others are decoded to float.
  const bool unorm = format_info(header->format).type == ChannelType::kUnorm;
  const bool says_srgb = descriptor.transfer == 13 && unorm;
  const bool srgb = options.color == Color::kSrgb || (options.color == Color::kAuto && says_srgb);
  Format format = header->format;
  if (options.color == Color::kLinear) format = without_srgb(format);
  if (srgb) format = with_srgb(format);
  const bool decode = srgb && format_info(format).type != ChannelType::kSrgb;

  std::vector<Level> levels;
  for (uint32_t n = 0; n < header->levels; ++n) {
    Result<Level> level = find_level(source, *header, n);
    if (!level) return level.error();
    levels.push_back(*level);
  }
  if (auto fine = check_ktx2_memory(source, options, *header, levels, format, decode); !fine) return fine.error();
  ImageFile file;
  for (const Level& level : levels) {
    Result<Image> image = read_level(source, *header, level, format);
    if (image && decode) image = decoded_from_srgb(image->view());
    if (!image) return source.error(image.error().code, image.error().message);
    if (file.levels.empty()) {
      file = single_level(Type::kKtx2, std::move(*image));
    } else {
      file.levels.push_back(std::move(*image));
    }
  }
  file.cube = header->faces == ktx2::kFaces;
  file.array = header->layers > 0;
  file.zstd = header->supercompression == ktx2::kZstd;
  file.stored_channels = header->stored_channels;
  file.stored_bits = widest_channel(header->format);
  file.ktx_orientation = orientation(source);
  file.transfer = descriptor.transfer;
  if (const auto primaries = ktx2::primaries_of(descriptor.primaries)) {
    file.primaries = *primaries;
    file.says_primaries = true;
  }
  if (header->stored_channels == 4) {
    file.alpha = descriptor.premultiplied ? AlphaAssociation::kPremultiplied : AlphaAssociation::kStraight;
  }
  return file;
}

}  // namespace onepass::files
