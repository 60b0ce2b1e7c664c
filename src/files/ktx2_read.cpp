// ktx2_read.cpp: reads KTX2 files: all levels of uncompressed formats, stored or Zstandard-compressed.
//
// ktx2_header.hpp finds and checks the parts. A level is then decompressed, expanded to RGBA, decoded and swizzled, as
// far as the file needs it.
#include <zstd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "blocks/astc.hpp"
#include "files/encoding.hpp"
#include "files/ktx2_header.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"

namespace onepass::files {
namespace {

using ktx2::Expansion;
using ktx2::Header;
using ktx2::Level;

// Memory of the lists of levels and the key/value data.
constexpr uint64_t kSmallBytes = 8192;
// Memory of cpu::decompress() for each column of texels: a row of blocks as floats, and a row of floats.
constexpr uint64_t kDecompressionBytes = 80;

// How levels change after they are read.
struct LevelSteps {
  bool srgb = false;                 // decode sRGB values of a format without sRGB counterpart
  std::optional<Encoding> encoding;  // decode values of another transfer function
  std::string_view swizzle;          // empty: none
  [[nodiscard]] bool decodes() const { return srgb || encoding.has_value(); }
};

// The format of a level with a swizzle: `format`, unless that lacks channels that the swizzle sets.
Format swizzled_format(Format format, std::string_view swizzle) {
  const FormatInfo& info = format_info(format);
  if (info.channels == 4 || (info.channels == 3 && swizzle[3] == '1')) return format;
  if (info.packed) return Format::kRGBA16Sfloat;
  if (info.type == ChannelType::kSrgb) return Format::kRGBA8Srgb;
  const uint32_t bytes = info.bytes_per_texel / info.channels;
  if (info.type == ChannelType::kFloat) return bytes == 2 ? Format::kRGBA16Sfloat : Format::kRGBA32Sfloat;
  return bytes == 2 ? Format::kRGBA16Unorm : Format::kRGBA8Unorm;
}

// Checks the peak of memory: all levels and slices as returned; for one level at a time the decompressed bytes before
// expansion, the expanded level before decoding with a row of floats, or the level before its swizzle with two rows;
// and Zstandard's memory to decompress in one step, which needs no window besides the target.
Result<void> check_ktx2_memory(const Source& source, const ReadOptions& options, const Header& header,
                               std::span<const Level> levels, Format format, const LevelSteps& steps) {
  constexpr uint64_t kDecoderBytes = uint64_t{192} << 10;
  const bool packed = header.supercompression == ktx2::kZstd;
  const bool decoded = steps.decodes();
  const Format stored = decoded ? float_format(format_info(format).channels) : format;
  const Format result = steps.swizzle.empty() ? stored : swizzled_format(stored, steps.swizzle);
  uint64_t all = 0;
  uint64_t beside = 0;
  for (const Level& level : levels) {
    const auto bytes_in = [&](Format f) { return image_bytes(f, level.size.width, level.size.height, level.slices); };
    all += bytes_in(result);
    const bool has_blocks = header.blocks != BlockFormat::kUndefined;
    uint64_t expanding = (header.expansion != nullptr || has_blocks) && packed ? level.length : 0;
    if (is_astc(header.blocks)) {
      expanding += blocks::astc_decompression_bytes(header.blocks, level.size);
    } else if (has_blocks) {
      expanding += kDecompressionBytes * (uint64_t{level.size.width} + 3);
    }
    const uint64_t decoding = decoded ? bytes_in(format) + uint64_t{16} * level.size.width : 0;
    const uint64_t swizzling = steps.swizzle.empty() ? 0 : bytes_in(stored) + uint64_t{32} * level.size.width;
    // Decompressed bytes are freed before decoding starts, and the decoded level is allocated only then.
    // The swizzled level is allocated after the decoded one, when nothing else is left.
    beside = std::max(beside, decoded ? std::max(decoding, bytes_in(format) + expanding) : expanding);
    beside = std::max(beside, swizzling);
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

// Decompresses blocks by the calling thread. The image may name the texels otherwise, UNORM or sRGB.
Result<void> decompress(const Source& source, const Header& header, const Level& level, const std::byte* blocks,
                        Image& image) {
  const Extent count = size_in_blocks(header.blocks, level.size);
  const size_t row = size_t{count.width} * header.stored_texel;
  MutableImageView target = image.view();
  target.format = header.format;
  const BlockView view{blocks, header.blocks, level.size, level.slices, row, row * count.height};
  if (auto done = cpu::decompress(view, target, {.threads = 1}); !done) {
    return source.error(done.error().code, done.error().message);
  }
  return {};
}

Result<Image> read_level(const Source& source, const Header& header, const Level& level, Format format) {
  Result<Image> image = create_image(source, format, level.size, level.slices);
  if (!image) return image;
  const bool blocks = header.blocks != BlockFormat::kUndefined;
  if (header.expansion == nullptr && !blocks) {
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
  if (blocks) {
    if (auto done = decompress(source, header, level, stored, *image); !done) return done.error();
    return image;
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

// The light of values with another transfer function than sRGB; no value if they are linear or sRGB. KTX2 has no place
// for a curve: 8-bit values, too, become floats.
std::optional<Encoding> encoding_in(const ktx2::Contents& contents, const ReadOptions& options) {
  const uint32_t transfer = contents.descriptor.transfer;
  if (options.color != Color::kAuto || transfer <= 2 || transfer == 8 || transfer == 13) return std::nullopt;
  const ColorTags tags{.code_points = {{2, static_cast<uint8_t>(transfer)}}};
  Encoding encoding = encoding_of(tags, options, contents.header.stored_channels < 3);
  if (const auto primaries = ktx2::primaries_of(contents.descriptor.primaries)) encoding.primaries = *primaries;
  return encoding;
}

Result<Image> swizzled(const Source& source, const Image& level, std::string_view swizzle) {
  const Format format = swizzled_format(level.format(), swizzle);
  Result<Image> out = create_image(source, format, level.size(), level.slices());
  if (!out) return out;
  const uint32_t width = level.size().width;
  std::vector<float> from(size_t{4} * width);
  std::vector<float> to(from.size());
  for (uint32_t slice = 0; slice < level.slices(); ++slice) {
    for (uint32_t y = 0; y < level.size().height; ++y) {
      decode_row(level.format(), level.view().row(y, slice), width, from.data());
      for (size_t i = 0; i < to.size(); ++i) {
        const char letter = swizzle[i % 4];
        const size_t channel = std::string_view("rgba").find(letter);
        to[i] = channel == std::string_view::npos ? static_cast<float>(letter - '0') : from[i - i % 4 + channel];
      }
      encode_row(format, to.data(), width, out->view().row(y, slice));
    }
  }
  return out;
}

Result<Image> make_level(const Source& source, const Header& header, const Level& level, Format format,
                         const LevelSteps& steps) {
  Result<Image> image = read_level(source, header, level, format);
  if (image && steps.srgb) image = decoded_from_srgb(image->view());
  if (image && steps.encoding) image = decode_floats(source, *image, *steps.encoding);
  if (image && !steps.swizzle.empty()) image = swizzled(source, *image, steps.swizzle);
  if (!image) return source.error(image.error().code, image.error().message);
  return image;
}

// What the file states, for the caller.
void describe_file(const ktx2::Contents& contents, uint32_t stored_bits, ImageFile& file) {
  const Header& header = contents.header;
  file.cube = header.faces == ktx2::kFaces;
  file.array = header.layers > 0;
  file.volume = header.depth > 0;
  file.zstd = header.supercompression == ktx2::kZstd;
  file.blocks = header.blocks;
  file.stored_channels = header.stored_channels;
  file.stored_bits = stored_bits;
  file.ktx_orientation = contents.key_values.orientation;
  file.warnings = contents.key_values.warnings;
  file.transfer = contents.descriptor.transfer;
  if (file.transfer == 0 && contents.descriptor.stored_transfer > 1) {
    file.warnings.push_back("its transfer function of number " + std::to_string(contents.descriptor.stored_transfer) +
                            " in the descriptor is not known and is taken as linear");
  }
  if (const auto primaries = ktx2::primaries_of(contents.descriptor.primaries)) {
    file.primaries = *primaries;
    file.says_primaries = true;
  }
  const std::string& swizzle = contents.key_values.swizzle;
  const bool plain = ktx2::is_identity(swizzle, header.stored_channels);
  if (plain ? header.stored_channels == 4 : swizzle[3] != '1') {
    file.alpha = contents.descriptor.premultiplied ? AlphaAssociation::kPremultiplied : AlphaAssociation::kStraight;
  }
}

uint32_t widest_channel(Format format) {
  const auto& bits = format_info(format).bits;
  return *std::max_element(bits.begin(), bits.end());
}

}  // namespace

Result<ImageFile> read_ktx2(const Source& source, const ReadOptions& options) {
  const Result<ktx2::Contents> contents = ktx2::read_contents(source);
  if (!contents) return contents.error();
  const Header& header = contents->header;
  // Of the UNORM formats only those of 8 bits have an sRGB counterpart; others are decoded to float.
  const bool unorm = format_info(header.format).type == ChannelType::kUnorm;
  const bool says_srgb = contents->descriptor.transfer == 13 && unorm;
  const bool srgb = options.color == Color::kSrgb || (options.color == Color::kAuto && says_srgb);
  Format format = header.format;
  if (options.color == Color::kLinear) format = without_srgb(format);
  if (srgb) format = with_srgb(format);
  LevelSteps steps{.srgb = srgb && format_info(format).type != ChannelType::kSrgb,
                   .encoding = encoding_in(*contents, options)};
  const std::string& swizzle = contents->key_values.swizzle;
  if (!ktx2::is_identity(swizzle, header.stored_channels)) steps.swizzle = swizzle;

  if (auto fine = check_ktx2_memory(source, options, header, contents->levels, format, steps); !fine) {
    return fine.error();
  }
  ImageFile file;
  for (const Level& level : contents->levels) {
    Result<Image> image = make_level(source, header, level, format, steps);
    if (!image) return image.error();
    if (file.levels.empty()) {
      file = single_level(Type::kKtx2, std::move(*image));
    } else {
      file.levels.push_back(std::move(*image));
    }
  }
  describe_file(*contents, widest_channel(header.format), file);
  return file;
}

}  // namespace onepass::files
