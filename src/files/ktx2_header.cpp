// ktx2_header.cpp: reads and checks all parts before the pixels; see ktx2_header.hpp.
//
// The VkFormat determines the format, the data format descriptor only the encoding of values.
// Source: Khronos, "KTX File Format Specification", version 2.0, sections 3 and 4.
#include "files/ktx2_header.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "image/div_up.hpp"

namespace onepass::files::ktx2 {
namespace {

// A Zstandard block of 128 KiB of one value takes 4 bytes.
constexpr uint64_t kZstdRatio = 32768;

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

// What a file without a VkFormat holds, by the colour model of its descriptor.
const char* undefined_name(const Source& source) {
  const auto descriptor = load<uint32_t>(source.bytes, Offset::kDfdOffset);
  constexpr size_t kModel = 12;  // after the total size and two words
  if (descriptor > source.bytes.size() || source.bytes.size() - descriptor <= kModel) return " (undefined)";
  switch (static_cast<uint8_t>(source.bytes[descriptor + kModel])) {
    case 163:
      return " (undefined: ETC1S of Basis Universal)";
    case 166:
      return " (undefined: UASTC of Basis Universal)";
    default:
      return " (undefined)";
  }
}

Result<void> find_format(const Source& source, Header& header) {
  const auto* found = std::find_if(kExpansions.begin(), kExpansions.end(),
                                   [&](const Expansion& entry) { return entry.vk_format == header.vk_format; });
  if (found == kExpansions.end()) {
    const BlockFormatInfo& blocks = block_format_info(static_cast<BlockFormat>(header.vk_format));
    if (blocks.channels != 0) {
      header.blocks = blocks.format;
      header.format = blocks.texels;
      header.stored_texel = blocks.bytes_per_block;
      header.stored_channels = blocks.channels;
      return {};
    }
    const FormatInfo& info = format_info(static_cast<Format>(header.vk_format));
    if (has_file_form(info)) {
      header.format = info.format;
      header.stored_texel = info.bytes_per_texel;
      header.stored_channels = info.channels;
      return {};
    }
    return source.unsupported("KTX2: vkFormat is " + std::to_string(header.vk_format) +
                              (header.vk_format == 0 ? undefined_name(source) : "") + ", which is not supported");
  }
  header.expansion = found;
  header.format = found->format;
  header.stored_texel = found->channels * found->channel_bytes;
  header.stored_channels = found->channels;
  return {};
}

// Checks the fields against each other and against the supported values.
Result<void> check_header(const Source& source, Header& header) {
  if (header.depth != 0 && (header.layers != 0 || header.faces != 1)) {
    return source.bad("KTX2: pixelDepth is " + std::to_string(header.depth) + " with layerCount " +
                      std::to_string(header.layers) + " and faceCount " + std::to_string(header.faces) +
                      "; 3-D images have neither layers nor faces");
  }
  if (header.width != 0 && header.height == 0) {
    return source.unsupported("KTX2: pixelHeight is 0; 1-D images are not supported");
  }
  if (auto fine = check_size(source, header.width, header.height); !fine) return fine;
  if (header.faces != 1 && header.faces != kFaces) {
    return source.bad("KTX2: faceCount is " + std::to_string(header.faces) + ", not 1 or 6");
  }
  if (header.faces == kFaces && header.width != header.height) {
    return source.bad("KTX2: a cube of " + size_text(header.width, header.height) + " faces");
  }
  const uint64_t slices = header.depth != 0 ? header.depth : uint64_t{std::max(1U, header.layers)} * header.faces;
  if (slices > kMaxSlices) {
    return source.unsupported("KTX2: " +
                              (header.depth != 0 ? "pixelDepth is " + std::to_string(header.depth)
                                                 : "layerCount is " + std::to_string(header.layers)) +
                              ", more than " + std::to_string(kMaxSlices) + " slices");
  }
  header.slices = static_cast<uint32_t>(slices);
  if (header.levels == 0) header.levels = 1;  // "to be generated when loaded"
  const uint32_t longest = std::max({header.width, header.height, header.depth});
  if (header.levels > 1 && longest >> (std::min(header.levels, 32U) - 1) == 0) {
    return source.bad("KTX2: levelCount is " + std::to_string(header.levels) + ", too many for " +
                      size_text(header.width, header.height) +
                      (header.depth != 0 ? "x" + std::to_string(header.depth) : ""));
  }
  if (header.supercompression != kNoSupercompression && header.supercompression != kZstd) {
    return source.unsupported("KTX2: supercompressionScheme is " + std::to_string(header.supercompression) +
                              supercompression_name(header.supercompression) + "; none and Zstandard are possible");
  }
  return find_format(source, header);
}

Result<Header> read_header(const Source& source) {
  if (source.bytes.size() < Offset::kLevelIndex + kLevelEntrySize) return source.bad("KTX2: the header is truncated");
  const auto number = [&](Offset offset) { return load<uint32_t>(source.bytes, offset); };
  Header header{.vk_format = number(Offset::kVkFormat),
                .width = number(Offset::kPixelWidth),
                .height = number(Offset::kPixelHeight),
                .depth = number(Offset::kPixelDepth),
                .layers = number(Offset::kLayerCount),
                .faces = number(Offset::kFaceCount),
                .levels = number(Offset::kLevelCount),
                .supercompression = number(Offset::kSupercompression)};
  if (auto fine = check_header(source, header); !fine) return fine.error();
  uint32_t type_bytes = header.expansion != nullptr ? header.expansion->channel_bytes : type_size(header.format);
  if (header.blocks != BlockFormat::kUndefined) type_bytes = 1;
  if (number(Offset::kTypeSize) != type_bytes) {
    return source.bad("KTX2: typeSize is " + std::to_string(number(Offset::kTypeSize)) + ", not the " +
                      std::to_string(type_bytes) + " of vkFormat " + std::to_string(header.vk_format));
  }
  if (source.bytes.size() < Offset::kLevelIndex + kLevelEntrySize * header.levels) {
    return source.bad("KTX2: the level index is truncated");
  }
  return header;
}

// The level's entry in the index, checked, with its bytes.
Result<Level> find_level(const Source& source, const Header& header, uint32_t n) {
  const std::string name = "KTX2: level " + std::to_string(n);
  const size_t entry = Offset::kLevelIndex + kLevelEntrySize * n;
  const auto offset = load<uint64_t>(source.bytes, entry);
  const auto length = load<uint64_t>(source.bytes, entry + 8);
  const auto uncompressed = load<uint64_t>(source.bytes, entry + 16);
  Level level{.size = level_extent(header, n),
              .slices = header.depth != 0 ? std::max(1U, header.depth >> n) : header.slices,
              .bytes = {}};
  // At most 2^16 * 2^16 texels * 2^16 slices * 2^4 bytes: no overflow.
  const Extent units =
      header.blocks == BlockFormat::kUndefined ? level.size : size_in_blocks(header.blocks, level.size);
  level.length = uint64_t{units.width} * units.height * level.slices * header.stored_texel;
  if (offset > source.bytes.size() || length > source.bytes.size() - offset) {
    return source.bad(name + " is " + std::to_string(length) + " bytes at offset " + std::to_string(offset) +
                      ", beyond the end of the file: truncated or damaged");
  }
  level.bytes = source.bytes.subspan(offset, length);
  const bool stored = header.supercompression == kNoSupercompression;
  const uint64_t claimed = stored ? length : uncompressed;
  if (claimed != level.length) {
    return source.bad(name + (stored ? " has byteLength " : " has uncompressedByteLength ") + std::to_string(claimed) +
                      ", not the " + std::to_string(level.length) + " of " +
                      size_text(level.size.width, level.size.height) + " in " + std::to_string(level.slices) +
                      " slices");
  }
  if (uncompressed != level.length) {
    return source.bad(name + " has uncompressedByteLength " + std::to_string(uncompressed) +
                      " without compression, not " + std::to_string(level.length));
  }
  const uint64_t alignment = stored ? std::lcm(uint64_t{header.stored_texel}, uint64_t{4}) : 1;
  if (offset % alignment != 0) {
    return source.bad(name + " starts at offset " + std::to_string(offset) + ", not at a multiple of " +
                      std::to_string(alignment));
  }
  if (!stored && level.length / kZstdRatio > length) {
    return source.bad(name + ": " + std::to_string(level.length) + " bytes cannot fit in " + std::to_string(length) +
                      ": truncated or damaged");
  }
  return level;
}

// A part of the file that the header names.
struct Part {
  std::string name;
  uint64_t offset = 0;
  uint64_t length = 0;
};

// Refuses parts that lie outside the file or share bytes.
Result<void> check_parts(const Source& source, std::vector<Part> parts) {
  std::erase_if(parts, [](const Part& part) { return part.length == 0; });
  for (const Part& part : parts) {
    if (part.offset <= source.bytes.size() && part.length <= source.bytes.size() - part.offset) continue;
    return source.bad("KTX2: " + part.name + " is " + std::to_string(part.length) + " bytes at offset " +
                      std::to_string(part.offset) + ", beyond the end of the file: truncated or damaged");
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.offset < b.offset; });
  for (size_t i = 1; i < parts.size(); ++i) {
    const Part& before = parts[i - 1];
    if (parts[i].offset >= before.offset + before.length) continue;
    return source.bad("KTX2: " + parts[i].name + " at offset " + std::to_string(parts[i].offset) + " overlaps " +
                      before.name + ", which ends at " + std::to_string(before.offset + before.length));
  }
  return {};
}

Part part_at(const Source& source, const char* name, Offset offset, Offset length) {
  return {name, load<uint32_t>(source.bytes, offset), load<uint32_t>(source.bytes, length)};
}

// Reads the descriptor, whose part has been checked to lie in the file. A file without one states nothing.
Result<DescriptorBytes> read_descriptor(const Source& source, const Header& header, const Part& part) {
  if (part.length == 0) return DescriptorBytes{};
  constexpr uint32_t kTotalAndHeader = 28;
  const auto bad = [&](const std::string& what) { return source.bad("KTX2: the data format descriptor " + what); };
  if (part.length < kTotalAndHeader) return bad("has " + std::to_string(part.length) + " bytes, too few for a block");
  const auto word = [&](size_t n) { return load<uint32_t>(source.bytes, part.offset + 4 * n); };
  if (word(0) != part.length) {
    return bad("has dfdTotalSize " + std::to_string(word(0)) + ", but dfdByteLength is " + std::to_string(part.length));
  }
  const uint32_t block = word(2) >> 16;
  if (word(1) != 0 || block < kTotalAndHeader - 4 || block > part.length - 4) {
    return bad("does not start with a basic block, of " + std::to_string(block) + " bytes");
  }
  const uint32_t samples = (block - (kTotalAndHeader - 4)) / 16;
  const bool blocks = header.blocks != BlockFormat::kUndefined;
  const uint32_t expected = blocks ? block_samples(header.blocks) : header.stored_channels;
  if (samples != expected) {
    return bad("has " + std::to_string(samples) + " samples, but vkFormat " + std::to_string(header.vk_format) +
               " has " + std::to_string(expected) + (blocks ? " of blocks" : " channels"));
  }
  const uint32_t plane = word(5) & 0xff;
  const bool unsized = plane == 0 && header.supercompression != kNoSupercompression;
  if (plane != header.stored_texel && !unsized) {
    return bad("has bytesPlane0 " + std::to_string(plane) + ", but a " + (blocks ? "block" : "texel") +
               " of vkFormat " + std::to_string(header.vk_format) + " has " + std::to_string(header.stored_texel) +
               " bytes");
  }
  const uint32_t transfer = word(3) >> 16 & 0xff;
  if (format_info(header.format).type == ChannelType::kSrgb && transfer != 0 &&
      code_point_of_transfer(transfer) != 13) {
    return bad("has the transfer function " + std::to_string(transfer) + ", but vkFormat " +
               std::to_string(header.vk_format) + " is sRGB-encoded");
  }
  return DescriptorBytes{.primaries = word(3) >> 8 & 0xff,
                         .transfer = code_point_of_transfer(transfer),
                         .stored_transfer = transfer,
                         .premultiplied = (word(3) >> 24 & kFlagPremultiplied) != 0};
}

// Takes over one pair.
Result<void> take_pair(const Source& source, const Header& header, std::string_view key, std::string_view value,
                       KeyValues& out) {
  value = value.substr(0, value.find('\0'));
  if (key == "KTXorientation") {
    // Of a 3-D image the third letter is the direction of the planes: "i", away from the viewer, is their order here.
    const std::string_view plane = header.depth != 0 && value.ends_with('i') ? value.substr(0, 2) : value;
    if (plane == "rd" || plane == "ru" || plane == "ld" || plane == "lu") {
      out.orientation = plane;
    } else if (out.warnings.empty()) {
      out.warnings.push_back("its KTXorientation \"" + printable(value) +
                             "\" is none of rd, ru, ld and lu and is not used");
    }
  }
  if (key != "KTXswizzle") return {};
  if (value.size() != 4 || value.find_first_not_of("rgba01") != std::string_view::npos) {
    return source.bad("KTX2: KTXswizzle is \"" + printable(value) + "\", not four of r, g, b, a, 0 and 1");
  }
  if (!is_identity(value, header.stored_channels)) {
    for (size_t c = 0; c < 4; ++c) {
      const size_t channel = std::string_view("rgba").find(value[c]);
      if (channel == std::string_view::npos || channel < header.stored_channels || channel == c) continue;
      return source.bad("KTX2: KTXswizzle is \"" + std::string(value) + "\", but vkFormat " +
                        std::to_string(header.vk_format) + " has no " + std::string(1, value[c]));
    }
    if (format_info(header.format).depth) {
      return source.unsupported("KTX2: KTXswizzle is \"" + std::string(value) + "\", which depth cannot have");
    }
  }
  out.swizzle = value;
  return {};
}

// Reads the key/value data: pairs of a length, a key that ends with a zero, and a value, padded to 4 bytes.
Result<KeyValues> read_key_values(const Source& source, const Header& header, const Part& part) {
  KeyValues out;
  std::string_view data(reinterpret_cast<const char*>(source.bytes.data()) + (part.length > 0 ? part.offset : 0),
                        part.length);
  while (!data.empty()) {
    uint32_t size = 0;
    if (data.size() < 4) return source.bad("KTX2: the key/value data ends within a length");
    std::memcpy(&size, data.data(), 4);
    data.remove_prefix(4);
    if (size < 2 || size > data.size()) {
      return source.bad("KTX2: a pair of the key/value data has " + std::to_string(size) + " bytes, " +
                        std::to_string(data.size()) + " are left");
    }
    const std::string_view pair = data.substr(0, size);
    const size_t end = pair.find('\0');
    if (end == std::string_view::npos) {
      return source.bad("KTX2: the key \"" + printable(pair) + "\" of the key/value data has no end");
    }
    if (auto done = take_pair(source, header, pair.substr(0, end), pair.substr(end + 1), out); !done)
      return done.error();
    data.remove_prefix(std::min<size_t>(round_up(size_t{size}, 4), data.size()));
  }
  return out;
}

}  // namespace

bool is_identity(std::string_view swizzle, uint32_t channels) {
  constexpr std::string_view kChannels = "rgba";
  constexpr std::string_view kMissing = "0001";
  if (channels == 1 && (swizzle == "rrr1" || swizzle == "rrra")) return true;
  for (size_t c = 0; c < 4; ++c) {
    if (swizzle[c] != kChannels[c] && (c < channels || swizzle[c] != kMissing[c])) return false;
  }
  return true;
}

Result<Contents> read_contents(const Source& source) {
  Contents out;
  Result<Header> header = read_header(source);
  if (!header) return header.error();
  out.header = *header;
  const Part descriptor = part_at(source, "the data format descriptor", Offset::kDfdOffset, Offset::kDfdLength);
  const Part key_values = part_at(source, "the key/value data", Offset::kKvdOffset, Offset::kKvdLength);
  const auto global = load<uint64_t>(source.bytes, Offset::kSgdLength);
  if (global != 0) {
    return source.bad("KTX2: sgdByteLength is " + std::to_string(global) + ", but supercompressionScheme " +
                      std::to_string(out.header.supercompression) + " has no global data");
  }
  std::vector<Part> parts = {
      {"the level index", 0, Offset::kLevelIndex + uint64_t{kLevelEntrySize} * out.header.levels},
      descriptor,
      key_values};
  for (uint32_t n = 0; n < out.header.levels; ++n) {
    Result<Level> level = find_level(source, out.header, n);
    if (!level) return level.error();
    const auto offset = static_cast<uint64_t>(level->bytes.data() - source.bytes.data());
    parts.push_back({"level " + std::to_string(n), offset, level->bytes.size()});
    out.levels.push_back(*level);
  }
  if (auto fine = check_parts(source, std::move(parts)); !fine) return fine.error();
  Result<DescriptorBytes> stated = read_descriptor(source, out.header, descriptor);
  if (!stated) return stated.error();
  out.descriptor = *stated;
  Result<KeyValues> pairs = read_key_values(source, out.header, key_values);
  if (!pairs) return pairs.error();
  out.key_values = std::move(*pairs);
  return out;
}

}  // namespace onepass::files::ktx2
