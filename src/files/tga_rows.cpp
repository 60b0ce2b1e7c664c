// tga_rows.cpp: reads Truevision TGA files: a header of 18 bytes, a palette, pixels, and from version 2 on a footer.
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

#include "files/byte_stream.hpp"
#include "files/row_reader.hpp"
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

struct TgaHeader {
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
  uint64_t palette_at = 0;
  uint64_t pixels_at = 0;
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

Result<void> check_depths(const Source& source, const TgaHeader& header, uint32_t map_type) {
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
void read_extension(const Source& source, TgaHeader& header) {
  std::array<std::byte, kTgaFooterSize> footer{};
  if (source.size() < footer.size() || source.read_at(source.size() - footer.size(), footer) != 0) return;
  const uint64_t at = load<uint32_t>(footer, 0);
  if (!has_tga_footer(footer) || at == 0) return;
  std::array<std::byte, kExtensionSize> area{};
  if (at < kTgaHeaderSize || at + kExtensionSize > source.size() - kTgaFooterSize || source.read_at(at, area) != 0 ||
      load<uint16_t>(area, 0) < kExtensionSize) {
    header.warning = "its extension area at offset " + std::to_string(at) + " is not whole and was not used";
    return;
  }
  header.attributes_type = byte_at(area, kAttributesType);
  const auto above = load<uint16_t>(area, kGamma);
  const auto below = load<uint16_t>(area, kGamma + 2);
  if (above != 0 && below != 0) header.gamma = static_cast<double>(above) / below;
}

Result<TgaHeader> read_tga_header(const Source& source) {
  const std::span<const std::byte> bytes = source.bytes;
  if (bytes.size() < kTgaHeaderSize) return source.bad("TGA: truncated in the header");
  TgaHeader header;
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
Result<void> check_length(const Source& source, const TgaHeader& header) {
  const uint64_t pixels = uint64_t{header.width} * header.height;
  const uint64_t least =
      header.runs ? div_up(pixels, kLongestRun) * (1 + header.pixel_bytes()) : pixels * header.pixel_bytes();
  const uint64_t there = source.size() - std::min(header.pixels_at, source.size());
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

// The extension area decides. Without one, only eight attribute bits are alpha, because many programs leave a single
// attribute bit undefined.
AlphaAssociation association(const TgaHeader& header) {
  const bool gray = header.kind == Kind::kGray;
  const bool room = gray ? header.bits == 16 : header.colour_bits() == 32 || header.colour_bits() == 16;
  if (!room) return AlphaAssociation::kNone;
  if (header.attributes_type == 3) return AlphaAssociation::kStraight;
  if (header.attributes_type == 4) return AlphaAssociation::kPremultiplied;
  if (header.attributes_type != TgaHeader::kUnknownType) return AlphaAssociation::kNone;
  return header.attribute_bits == 8 && (gray || header.colour_bits() == 32) ? AlphaAssociation::kStraight
                                                                            : AlphaAssociation::kNone;
}

// Pixels as they are stored become colours row by row:
//
//     file --plain, or packets of pixels--> stored_ --palette, five bits, order--> row
class TgaReader final : public RowReader {
 public:
  explicit TgaReader(const Source& source) : source_(source), bytes_(source_) {}

  Result<void> open(Color color) {
    Result<TgaHeader> header = read_tga_header(source_);
    if (!header) return header.error();
    tga_ = std::move(*header);
    if (auto fine = check_length(source_, tga_); !fine) return fine;
    if (tga_.kind == Kind::kPalette) {
      if (auto done = read_palette(); !done) return done;
    }
    const bool gray = tga_.kind == Kind::kGray;
    AlphaAssociation alpha = association(tga_);
    header_.size = {tga_.width, tga_.height};
    set_alpha(alpha);
    const bool guessed = alpha != AlphaAssociation::kNone && tga_.attributes_type == TgaHeader::kUnknownType;
    if (guessed) {
      const Result<bool> found = any_alpha();
      if (!found) return found.error();
      if (!*found) {
        set_alpha(AlphaAssociation::kNone);
        header_.warnings.emplace_back(
            "alpha is 0 everywhere and was taken as opaque, for nothing else says that it is alpha");
      }
    }
    header_.stored_bits = !gray && (tga_.colour_bits() == 15 || tga_.colour_bits() == 16) ? 5 : 8;
    if (!tga_.warning.empty()) header_.warnings.insert(header_.warnings.begin(), tga_.warning);
    if (tga_.gamma != 0 && color == Color::kAuto) {
      header_.warnings.push_back("the gamma of the extension area, " + std::to_string(tga_.gamma) + ", is not applied");
    }
    return {};
  }

  [[nodiscard]] uint64_t memory_bytes() const override {
    const uint64_t places = tga_.runs && !tga_.from_top ? sizeof(Packet) * tga_.height : 0;
    return 2 * sizeof(Colour) * palette_.size() + tga_.pixel_bytes() * tga_.width + places + bytes_.memory_bytes();
  }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    if (y_ == 0) {
      if (auto done = prepare(); !done) return done;
    }
    for (; rows > 0; --rows, ++y_, out += stride) {
      if (auto done = load_row(tga_.from_top ? y_ : tga_.height - 1 - y_); !done) return done;
      if (auto done = convert(reinterpret_cast<uint8_t*>(out)); !done) return done;
    }
    return {};
  }

 private:
  // A packet of up to 128 pixels: one pixel repeated, or as many pixels.
  struct Packet {
    uint64_t at = 0;    // of its next pixel in the file
    uint32_t left = 0;  // pixels that are still to come
    bool run = false;
  };

  void set_alpha(AlphaAssociation alpha) {
    const bool gray = tga_.kind == Kind::kGray;
    const bool has = alpha != AlphaAssociation::kNone;
    header_.layout = {.channels = (gray ? 1U : 3U) + (has ? 1U : 0U), .alpha = alpha, .colour = !gray};
    header_.stored_channels = header_.layout.channels;
  }

  Result<void> read_palette() {
    const size_t entry = tga_.entry_bytes();
    std::vector<std::byte> stored(entry * tga_.palette_length);
    if (const int number = source_.read_at(tga_.palette_at, stored); number != 0) {
      return number < 0 ? source_.bad("TGA: truncated in the colour map") : source_.unreadable(number);
    }
    palette_.reserve(tga_.palette_length);
    for (size_t i = 0; i < tga_.palette_length; ++i) {
      palette_.push_back(colour_of(&stored[i * entry], tga_.palette_bits));
    }
    return {};
  }

  // Whether any alpha is not 0. The reader stands at the first row then.
  Result<bool> any_alpha() {
    std::vector<std::byte> row(row_bytes());
    bool found = false;
    for (uint32_t y = 0; !found && y < tga_.height; ++y) {
      if (auto done = read(1, row.data(), row.size()); !done) return done.error();
      for (size_t i = header_.layout.channels - 1; i < row.size(); i += header_.layout.channels) {
        found = found || row[i] != std::byte{0};
      }
    }
    y_ = 0;
    return found;
  }

  // Rows of packets, which may go across the ends of rows, are found by a first pass over the file if the last one is
  // to come first.
  Result<void> prepare() {
    stored_.resize(tga_.pixel_bytes() * tga_.width);
    bytes_.seek(tga_.pixels_at);
    packet_ = {};
    places_.clear();
    if (!tga_.runs || tga_.from_top) return {};
    for (uint32_t row = 0; row < tga_.height; ++row) {
      places_.push_back(packet_);
      places_.back().at = bytes_.position();
      if (auto done = expand_row(row); !done) return done;
    }
    return {};
  }

  Result<void> load_row(uint32_t row) {
    if (!tga_.runs) {
      const int number = source_.read_at(tga_.pixels_at + uint64_t{row} * stored_.size(), stored_);
      return number == 0 ? Result<void>() : source_.unreadable(number);
    }
    if (!places_.empty()) {
      packet_ = places_[row];
      bytes_.seek(packet_.at);
    }
    return expand_row(row);
  }

  Result<void> expand_row(uint32_t row) {
    const size_t pixel = tga_.pixel_bytes();
    for (size_t x = 0; x < tga_.width;) {
      if (packet_.left == 0) {
        if (!bytes_.has(1)) return truncated(row, x);
        const uint8_t code = bytes_.take();
        packet_.left = (code & 127U) + 1;
        packet_.run = code >= 128;
      }
      const size_t count = std::min<size_t>(packet_.left, tga_.width - x);
      if (!bytes_.has((packet_.run ? 1 : count) * pixel)) return truncated(row, x);
      std::byte* to = stored_.data() + x * pixel;
      for (size_t i = 0; i < count * pixel; i += packet_.run ? pixel : count * pixel) {
        std::memcpy(to + i, bytes_.data(), packet_.run ? pixel : count * pixel);
      }
      packet_.left -= static_cast<uint32_t>(count);
      if (!packet_.run) bytes_.skip(count * pixel);
      if (packet_.run && packet_.left == 0) bytes_.skip(pixel);
      x += count;
    }
    return {};
  }

  // The colours of stored_.
  Result<void> convert(uint8_t* out) {
    const size_t pixel = tga_.pixel_bytes();
    const uint32_t channels = header_.layout.channels;
    for (size_t x = 0; x < tga_.width; ++x, out += channels) {
      const std::byte* from = stored_.data() + (tga_.from_right ? tga_.width - 1 - x : x) * pixel;
      if (tga_.kind == Kind::kGray) {
        for (uint32_t c = 0; c < channels; ++c) out[c] = std::to_integer<uint8_t>(from[c]);
        continue;
      }
      Colour colour;
      if (tga_.kind == Kind::kPalette) {
        const uint32_t index =
            std::to_integer<uint32_t>(from[0]) | (tga_.bits == 16 ? std::to_integer<uint32_t>(from[1]) << 8 : 0);
        const size_t entry = size_t{index} - tga_.palette_first;  // huge for an index below the first
        if (entry >= palette_.size()) return bad_index(index);
        colour = palette_[entry];
      } else {
        colour = colour_of(from, tga_.bits);
      }
      for (size_t c = 0; c < 3; ++c) out[c] = colour[c];
      if (channels == 4) out[3] = colour[3];
    }
    return {};
  }

  [[nodiscard]] Error truncated(uint32_t row, size_t x) const {
    const uint64_t pixels = uint64_t{tga_.width} * tga_.height;
    return bytes_.ended("TGA: truncated: " + std::to_string(uint64_t{row} * tga_.width + x) + " of " +
                        std::to_string(pixels) + " pixels are there");
  }
  [[nodiscard]] Error bad_index(uint32_t index) const {
    return source_.bad("TGA: a pixel has the index " + std::to_string(index) + ", the colour map has " +
                       std::to_string(tga_.palette_first) + " to " +
                       std::to_string(tga_.palette_first + tga_.palette_length - 1));
  }

  Source source_;
  ByteStream bytes_;  // of packets; refers to source_
  TgaHeader tga_;
  std::vector<Colour> palette_;
  std::vector<std::byte> stored_;  // a row of pixels as stored, packets expanded
  Packet packet_;
  std::vector<Packet> places_;  // where rows from the bottom begin
  uint32_t y_ = 0;
};

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

Result<std::unique_ptr<RowReader>> open_tga_rows(const Source& source, const RowOptions& options) {
  auto reader = std::make_unique<TgaReader>(source);
  if (auto done = reader->open(options.color); !done) return done.error();
  return std::unique_ptr<RowReader>(std::move(reader));
}

}  // namespace onepass::files
