// tga_read.cpp: reads Truevision TGA files: a header of 18 bytes, a palette, pixels, and from version 2 on a footer.
//
//     0  length of the identification   1  palette: 0 or 1         2  type: 1 palette, 2 colour, 3 grey; + 8: runs
//     3  first entry of the palette     5  its entries             7  their bits
//     8  x, 10 y of the screen          12 width, 14 height        16 bits per pixel
//     17 bits 0-3: attribute bits; 4: columns from the right; 5: rows from the top; 6-7: interleaved
//
//     the last 26 bytes: offset of the extension area, of the developer area, "TRUEVISION-XFILE.", 0
// Source: Truevision, "Truevision TGA File Format Specification", version 2.0, 1991.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "files/encoding.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"
#include "image/div_up.hpp"

namespace onepass::files {
namespace {

using Colour = std::array<uint8_t, 4>;  // red, green, blue, alpha

constexpr std::string_view kFooterText("TRUEVISION-XFILE.\0", 18);
constexpr size_t kExtensionSize = 495;
constexpr size_t kAttributesType = 494;  // in the extension area
constexpr size_t kGamma = 478;
constexpr size_t kLongestRun = 128;

enum class Kind : uint8_t { kPalette = 1, kColour = 2, kGray = 3 };

struct Header {
  Kind kind = Kind::kColour;
  bool runs = false;
  uint32_t palette_first = 0;
  uint32_t palette_length = 0;
  uint32_t palette_bits = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t bits = 0;  // per pixel
  uint32_t attribute_bits = 0;
  bool from_right = false;
  bool from_top = false;
  size_t palette_at = 0;
  size_t pixels_at = 0;
  uint32_t attributes_type = kUnknownType;  // of the extension area
  double gamma = 0;                         // of the extension area; 0: none
  std::string warning;                      // on the extension area

  static constexpr uint32_t kUnknownType = 256;
  [[nodiscard]] size_t pixel_bytes() const { return div_up(bits, 8); }
  [[nodiscard]] size_t entry_bytes() const { return div_up(palette_bits, 8); }
  /// Bits of the colours themselves.
  [[nodiscard]] uint32_t colour_bits() const { return kind == Kind::kPalette ? palette_bits : bits; }
};

uint32_t byte_at(std::span<const std::byte> bytes, size_t i) { return std::to_integer<uint32_t>(bytes[i]); }

Error bad_field(const Source& source, const std::string& field, uint32_t value, const std::string& expected) {
  return source.unsupported("TGA: the " + field + " is " + std::to_string(value) + ", not " + expected);
}

Result<void> check_depths(const Source& source, const Header& header, uint32_t map_type) {
  const auto one_of = [](uint32_t value, std::initializer_list<uint32_t> values) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  if (header.kind == Kind::kPalette) {
    if (map_type != 1) return bad_field(source, "colour map type", map_type, "1, which the image type needs");
    if (!one_of(header.bits, {8, 16}))
      return bad_field(source, "pixel depth", header.bits, "8 or 16 bits of a palette");
    if (!one_of(header.palette_bits, {8, 15, 16, 24, 32})) {
      return bad_field(source, "colour map entry size", header.palette_bits, "8, 15, 16, 24 or 32 bits");
    }
    if (header.palette_length == 0) return bad_field(source, "colour map length", 0, "1 or more");
  } else if (header.kind == Kind::kGray) {
    if (!one_of(header.bits, {8, 16})) return bad_field(source, "pixel depth", header.bits, "8 or 16 bits of grey");
  } else if (!one_of(header.bits, {15, 16, 24, 32})) {
    return bad_field(source, "pixel depth", header.bits, "15, 16, 24 or 32 bits of colour");
  }
  return {};
}

// Reads the extension area. One that is not where the footer says, or too short, does not change the pixels that every
// other reader shows: it is a warning.
void read_extension(const Source& source, Header& header) {
  if (!has_tga_footer(source.bytes)) return;
  const uint64_t at = load<uint32_t>(source.bytes, source.bytes.size() - kTgaFooterSize);
  if (at == 0) return;
  if (at < kTgaHeaderSize || at + kExtensionSize > source.bytes.size() - kTgaFooterSize ||
      load<uint16_t>(source.bytes, at) < kExtensionSize) {
    header.warning = "its extension area at offset " + std::to_string(at) + " is not whole and was not used";
    return;
  }
  header.attributes_type = byte_at(source.bytes, at + kAttributesType);
  const auto above = load<uint16_t>(source.bytes, at + kGamma);
  const auto below = load<uint16_t>(source.bytes, at + kGamma + 2);
  if (above != 0 && below != 0) header.gamma = static_cast<double>(above) / below;
}

Result<Header> read_header(const Source& source) {
  const std::span<const std::byte> bytes = source.bytes;
  if (bytes.size() < kTgaHeaderSize) return source.bad("TGA: truncated in the header");
  Header header;
  const uint32_t map_type = byte_at(bytes, 1);
  const uint32_t type = byte_at(bytes, 2);
  if (map_type > 1) return bad_field(source, "colour map type", map_type, "0 or 1");
  if ((type & 7) < 1 || (type & 7) > 3 || (type & ~0xBU) != 0) {
    return bad_field(source, "image type", type, "1, 2, 3, 9, 10 or 11");
  }
  header.kind = static_cast<Kind>(type & 7);
  header.runs = (type & 8) != 0;
  header.palette_first = load<uint16_t>(bytes, 3);
  header.palette_length = load<uint16_t>(bytes, 5);
  header.palette_bits = byte_at(bytes, 7);
  header.width = load<uint16_t>(bytes, 12);
  header.height = load<uint16_t>(bytes, 14);
  header.bits = byte_at(bytes, 16);
  const uint32_t descriptor = byte_at(bytes, 17);
  header.attribute_bits = descriptor & 15;
  header.from_right = (descriptor & 0x10) != 0;
  header.from_top = (descriptor & 0x20) != 0;
  if (descriptor >> 6 != 0) return bad_field(source, "interleaving", descriptor >> 6, "0");
  if (auto fine = check_size(source, header.width, header.height); !fine) return fine.error();
  if (auto fine = check_depths(source, header, map_type); !fine) return fine.error();
  header.palette_at = kTgaHeaderSize + byte_at(bytes, 0);
  header.pixels_at = header.palette_at + (map_type == 1 ? header.palette_length * header.entry_bytes() : 0);
  read_extension(source, header);
  return header;
}

// Checks the minimum length of the stored pixels.
Result<void> check_length(const Source& source, const Header& header) {
  const uint64_t pixels = uint64_t{header.width} * header.height;
  const uint64_t least =
      header.runs ? div_up(pixels, kLongestRun) * (1 + header.pixel_bytes()) : pixels * header.pixel_bytes();
  const uint64_t there = source.bytes.size() - std::min(header.pixels_at, source.bytes.size());
  if (least <= there) return {};
  return source.bad("TGA: truncated: " + size_text(header.width, header.height) + " pixels of " +
                    std::to_string(header.bits) + " bits take at least " + std::to_string(least) + " bytes, " +
                    std::to_string(there) + " are there");
}

// The colour of a pixel of `bits` 8 (grey), 15, 16, 24 or 32. Five bits are scaled to eight, rounded: 31 becomes 255.
Colour colour_of(const std::byte* from, uint32_t bits) {
  const auto byte = [&](size_t i) { return std::to_integer<uint8_t>(from[i]); };
  if (bits == 8) return {byte(0), byte(0), byte(0), 255};
  if (bits == 24) return {byte(2), byte(1), byte(0), 255};
  if (bits == 32) return {byte(2), byte(1), byte(0), byte(3)};
  const uint32_t word = byte(0) | uint32_t{byte(1)} << 8;
  const auto five = [&](uint32_t shift) { return static_cast<uint8_t>(((word >> shift & 31) * 255 + 15) / 31); };
  return {five(10), five(5), five(0), bits == 16 && word >> 15 == 0 ? uint8_t{0} : uint8_t{255}};
}

class TgaReader {
 public:
  TgaReader(const Source& source, const Header& header, bool alpha, const MutableImageView& image)
      : source_(source), header_(header), alpha_(alpha), image_(image), channels_(format_info(image.format).channels) {}

  Result<void> read() {
    if (header_.kind == Kind::kPalette) {
      const size_t entry = header_.entry_bytes();
      if (header_.pixels_at > source_.bytes.size()) return source_.bad("TGA: truncated in the colour map");
      for (uint32_t i = 0; i < header_.palette_length; ++i) {
        palette_.push_back(colour_of(&source_.bytes[header_.palette_at + i * entry], header_.palette_bits));
      }
    }
    position_ = header_.pixels_at;
    return header_.runs ? read_runs() : read_plain();
  }
  /// Whether any alpha was not 0.
  [[nodiscard]] bool met_alpha() const { return met_alpha_; }

 private:
  [[nodiscard]] size_t pixel_count() const { return size_t{header_.width} * header_.height; }

  Result<void> read_plain() {
    for (size_t i = 0; i < pixel_count(); ++i) {
      if (!put(i, next_colour())) return bad_index();
    }
    return {};
  }

  // Packets of up to 128 pixels: a count byte, whose highest bit means one pixel repeated. Some programs write packets
  // across the end of a row.
  Result<void> read_runs() {
    for (size_t i = 0; i < pixel_count();) {
      if (position_ >= source_.bytes.size()) return truncated(i);
      const uint32_t packet = byte_at(source_.bytes, position_++);
      const size_t count = std::min<size_t>((packet & 127) + 1, pixel_count() - i);
      const bool run = packet >= 128;
      if (source_.bytes.size() - position_ < (run ? 1 : count) * header_.pixel_bytes()) return truncated(i);
      Colour colour{};
      for (size_t k = 0; k < count; ++k) {
        if (k == 0 || !run) colour = next_colour();
        if (!put(i++, colour)) return bad_index();
      }
    }
    return {};
  }

  Colour next_colour() {
    const std::byte* from = &source_.bytes[position_];
    position_ += header_.pixel_bytes();
    if (header_.kind == Kind::kPalette) {
      index_ = std::to_integer<uint32_t>(from[0]) | (header_.bits == 16 ? std::to_integer<uint32_t>(from[1]) << 8 : 0);
      const size_t entry = size_t{index_} - header_.palette_first;  // huge for an index below the first
      inside_ = entry < palette_.size();
      return inside_ ? palette_[entry] : Colour{};
    }
    if (header_.kind == Kind::kColour) return colour_of(from, header_.bits);
    Colour colour = colour_of(from, 8);
    if (header_.bits == 16) colour[3] = std::to_integer<uint8_t>(from[1]);
    return colour;
  }

  // Stores pixel `i` of the file, whose first pixel can be in any corner.
  bool put(size_t i, Colour colour) {
    const auto row = static_cast<uint32_t>(i / header_.width);
    const auto column = static_cast<uint32_t>(i % header_.width);
    const uint32_t y = header_.from_top ? row : header_.height - 1 - row;
    const uint32_t x = header_.from_right ? header_.width - 1 - column : column;
    if (!alpha_) colour[3] = 255;
    met_alpha_ = met_alpha_ || colour[3] != 0;
    std::memcpy(image_.row(y) + size_t{x} * channels_, colour.data(), channels_);
    return inside_;
  }

  [[nodiscard]] Error truncated(size_t pixel) const {
    return source_.bad("TGA: truncated: " + std::to_string(pixel) + " of " + std::to_string(pixel_count()) +
                       " pixels are there");
  }
  [[nodiscard]] Error bad_index() const {
    return source_.bad("TGA: a pixel has the index " + std::to_string(index_) + ", the colour map has " +
                       std::to_string(header_.palette_first) + " to " +
                       std::to_string(header_.palette_first + header_.palette_length - 1));
  }

  const Source& source_;
  const Header& header_;
  bool alpha_;
  MutableImageView image_;
  uint32_t channels_;
  std::vector<Colour> palette_;
  size_t position_ = 0;
  uint32_t index_ = 0;
  bool inside_ = true;
  bool met_alpha_ = false;
};

// The extension area decides. Without one, only eight attribute bits are alpha, because many programs leave a single
// attribute bit undefined.
AlphaAssociation association(const Header& header) {
  const bool gray = header.kind == Kind::kGray;
  const bool room = gray ? header.bits == 16 : header.colour_bits() == 32 || header.colour_bits() == 16;
  if (!room) return AlphaAssociation::kNone;
  if (header.attributes_type == 3) return AlphaAssociation::kStraight;
  if (header.attributes_type == 4) return AlphaAssociation::kPremultiplied;
  if (header.attributes_type != Header::kUnknownType) return AlphaAssociation::kNone;
  return header.attribute_bits == 8 && (gray || header.colour_bits() == 32) ? AlphaAssociation::kStraight
                                                                            : AlphaAssociation::kNone;
}

void make_opaque(Image& image) {
  std::byte* alpha = image.data() + 3;
  for (size_t i = 0; i < image.size_in_bytes(); i += 4) alpha[i] = std::byte{255};
}

}  // namespace

bool has_tga_footer(std::span<const std::byte> bytes) {
  if (bytes.size() < kTgaFooterSize) return false;
  return std::memcmp(bytes.data() + bytes.size() - kFooterText.size(), kFooterText.data(), kFooterText.size()) == 0;
}

bool can_be_tga_header(std::span<const std::byte> bytes) {
  constexpr std::array<uint32_t, 6> kTypes = {1, 2, 3, 9, 10, 11};
  constexpr std::array<uint32_t, 5> kDepths = {8, 15, 16, 24, 32};
  const auto has = [](const auto& values, uint32_t value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  if (bytes.size() < kTgaHeaderSize || byte_at(bytes, 1) > 1 || !has(kTypes, byte_at(bytes, 2))) return false;
  if (byte_at(bytes, 1) == 1 && byte_at(bytes, 7) != 0 && !has(kDepths, byte_at(bytes, 7))) return false;
  return has(kDepths, byte_at(bytes, 16));
}

Result<ImageFile> read_tga(const Source& source, const ReadOptions& options) {
  const Result<Header> header = read_header(source);
  if (!header) return header.error();
  if (auto fine = check_length(source, *header); !fine) return fine.error();
  AlphaAssociation alpha = association(*header);
  const bool gray = header->kind == Kind::kGray && alpha == AlphaAssociation::kNone;
  Encoding encoding = encoding_of({}, options, gray);
  const Format format = unorm8_format(gray, encoding.linear);
  // The palette grows by doubling. 1 KiB: the description of the level, and warnings.
  const uint64_t bytes =
      image_bytes(format, header->width, header->height) + 3 * sizeof(Colour) * header->palette_length + 1024;
  if (auto fine = check_memory(source, options, bytes,
                               "TGA: an image of " + size_text(header->width, header->height) + " pixels");
      !fine) {
    return fine.error();
  }
  Result<Image> image = create_image(source, format, {header->width, header->height});
  if (!image) return image.error();
  TgaReader reader(source, *header, alpha != AlphaAssociation::kNone, image->view());
  if (auto done = reader.read(); !done) return done.error();

  ImageFile file;
  if (!header->warning.empty()) file.warnings.push_back(header->warning);
  if (alpha != AlphaAssociation::kNone && !reader.met_alpha() && header->attributes_type == Header::kUnknownType) {
    make_opaque(*image);
    alpha = AlphaAssociation::kNone;
    file.warnings.emplace_back("alpha is 0 everywhere and was taken as opaque, for nothing else says that it is alpha");
  }
  if (header->gamma != 0 && options.color == Color::kAuto) {
    file.warnings.push_back("the gamma of the extension area, " + std::to_string(header->gamma) + ", is not applied");
  }
  add_level(file, Type::kTga, std::move(*image));
  file.alpha = alpha;
  file.stored_channels = (header->kind == Kind::kGray ? 1 : 3) + (alpha != AlphaAssociation::kNone ? 1 : 0);
  file.stored_bits =
      header->kind != Kind::kGray && (header->colour_bits() == 15 || header->colour_bits() == 16) ? 5 : 8;
  describe(file, std::move(encoding));
  return file;
}

}  // namespace onepass::files
