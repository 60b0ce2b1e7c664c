// pnm_read.cpp: reads the files of Netpbm: PBM, PGM and PPM, as text or binary, and PAM.
//
//     P1 P2 P3     bits, grey, RGB as decimal numbers       P6                 PAM: P7
//     P4 P5 P6     the same as bytes, high byte first       # a comment        WIDTH 640
//                                                           640 480            HEIGHT 480
//     A "#" starts a comment, up to the end of the line,    255                DEPTH 4
//     anywhere before binary pixels. One character of       ...                MAXVAL 255
//     white space ends the header. Bits of PBM: 1 is black.                    TUPLTYPE RGB_ALPHA
//                                                                              ENDHDR
// Values are 0 to the header's largest, of at most 16 bits. They become 8 or 16 bits: value / largest, rounded to
// nearest. Sources: Netpbm, pbm(5), pgm(5), ppm(5), pam(5).
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "files/encoding.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"

namespace onepass::files {
namespace {

constexpr uint64_t kSmallBytes = 8192;  // the list of levels, warnings, texts of the header
constexpr size_t kMaxPamHeader = 65536;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct Header {
  bool text = false;  // samples are decimal numbers
  bool bits = false;  // PBM: 1 is black
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t depth = 1;  // samples per pixel
  uint32_t largest = 1;
  bool alpha = false;  // the last sample is alpha
  std::vector<std::string> warnings;

  [[nodiscard]] uint64_t row_samples() const { return uint64_t{width} * depth; }
  [[nodiscard]] uint64_t sample_bytes() const { return largest > 255 ? 2 : 1; }
  /// Bytes of a row of binary pixels.
  [[nodiscard]] uint64_t row_bytes() const { return bits ? (uint64_t{width} + 7) / 8 : row_samples() * sample_bytes(); }
  [[nodiscard]] bool gray() const { return depth == 1; }
};

/// The characters of the file, comments left out.
class Scanner {
 public:
  explicit Scanner(const Source& source)
      : source_(source), text_(reinterpret_cast<const char*>(source.bytes.data()), source.bytes.size()) {}

  /// The next character; a comment is its line end. No value at the end of the file.
  std::optional<char> next() {
    if (at_ >= text_.size()) return std::nullopt;
    if (text_[at_] == '#') {
      at_ = std::min(text_.find_first_of("\n\r", at_), text_.size());
      if (at_ >= text_.size()) return std::nullopt;
    }
    return text_[at_++];
  }

  /// A decimal number, after white space, and the one character after it.
  Result<uint32_t> number(const char* field) {
    std::optional<char> c = next();
    while (c && is_space(*c)) c = next();
    std::string word;
    for (; c && !is_space(*c) && word.size() < 64; c = next()) word += *c;
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (!word.empty() && error == std::errc() && end == word.data() + word.size()) return value;
    if (word.empty() && !c) return source_.bad(std::string("PNM: truncated before the ") + field);
    return source_.bad(std::string("PNM: the ") + field + " is \"" + printable(word) + "\"");
  }

  /// A bit of a PBM in text, where white space may be missing.
  Result<uint32_t> bit() {
    std::optional<char> c = next();
    while (c && is_space(*c)) c = next();
    if (!c) return source_.bad("PNM: truncated before the bit");
    if (*c != '0' && *c != '1') return source_.bad("PNM: a bit is \"" + printable(std::string(1, *c)) + "\"");
    return static_cast<uint32_t>(*c - '0');
  }

  /// A line of a PAM header, without white space at its ends; no value at the end of the file.
  std::optional<std::string_view> line() {
    const size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos || end >= kMaxPamHeader) return std::nullopt;
    std::string_view found = text_.substr(at_, end - at_);
    at_ = end + 1;
    while (!found.empty() && is_space(found.front())) found.remove_prefix(1);
    while (!found.empty() && is_space(found.back())) found.remove_suffix(1);
    return found;
  }

  [[nodiscard]] size_t position() const { return at_; }
  void skip(size_t count) { at_ += count; }

 private:
  const Source& source_;
  std::string_view text_;
  size_t at_ = 0;
};

Result<void> read_field(Scanner& scanner, const char* name, uint32_t& field) {
  auto value = scanner.number(name);
  if (!value) return value.error();
  field = *value;
  return {};
}

Result<Header> read_plain_header(Scanner& scanner, char kind) {
  Header header;
  header.text = kind <= '3';
  header.bits = kind == '1' || kind == '4';
  header.depth = kind == '3' || kind == '6' ? 3 : 1;
  scanner.skip(2);
  if (auto done = read_field(scanner, "width", header.width); !done) return done.error();
  if (auto done = read_field(scanner, "height", header.height); !done) return done.error();
  if (header.bits) return header;
  if (auto done = read_field(scanner, "maxval", header.largest); !done) return done.error();
  return header;
}

struct TupleType {
  std::string_view name;
  uint32_t depth;
  bool alpha;
};
constexpr std::array<TupleType, 6> kTupleTypes = {{{"BLACKANDWHITE", 1, false},
                                                   {"GRAYSCALE", 1, false},
                                                   {"RGB", 3, false},
                                                   {"BLACKANDWHITE_ALPHA", 2, true},
                                                   {"GRAYSCALE_ALPHA", 2, true},
                                                   {"RGB_ALPHA", 4, true}}};

Result<void> take_tuple_type(const Source& source, const std::string& type, Header& header) {
  if (header.depth < 1 || header.depth > 4) {
    return source.unsupported("PNM: DEPTH is " + std::to_string(header.depth) + ", not 1 to 4");
  }
  if (type.empty()) {  // the depth decides
    header.alpha = header.depth % 2 == 0;
    return {};
  }
  const auto* known =
      std::find_if(kTupleTypes.begin(), kTupleTypes.end(), [&](const TupleType& entry) { return entry.name == type; });
  if (known == kTupleTypes.end()) {
    return source.unsupported("PNM: TUPLTYPE is \"" + printable(type) +
                              "\"; BLACKANDWHITE, GRAYSCALE and RGB, also with _ALPHA, are possible");
  }
  if (known->depth != header.depth) {
    return source.bad("PNM: DEPTH is " + std::to_string(header.depth) + ", but TUPLTYPE " + type + " has " +
                      std::to_string(known->depth) + " samples");
  }
  header.alpha = known->alpha;
  return {};
}

Result<Header> read_pam_header(const Source& source, Scanner& scanner) {
  Header header;
  std::string type;
  std::array<bool, 4> seen{};
  scanner.skip(3);
  for (;;) {
    const auto line = scanner.line();
    if (!line) return source.bad("PNM: the PAM header has no ENDHDR");
    if (line->empty() || line->starts_with('#')) continue;
    const size_t length = static_cast<size_t>(std::find_if(line->begin(), line->end(), is_space) - line->begin());
    const std::string_view name = line->substr(0, length);
    std::string_view value = line->substr(length);
    while (!value.empty() && is_space(value.front())) value.remove_prefix(1);
    if (name == "ENDHDR") break;
    if (name == "TUPLTYPE") {
      constexpr size_t kLongest = 256;
      type += (type.empty() ? "" : " ") + std::string(value.substr(0, kLongest));  // lines of this name add up
      type.resize(std::min(type.size(), kLongest));
      continue;
    }
    constexpr std::array<std::string_view, 4> kNames = {"WIDTH", "HEIGHT", "DEPTH", "MAXVAL"};
    const std::array<uint32_t*, 4> fields = {&header.width, &header.height, &header.depth, &header.largest};
    const auto place = static_cast<size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
    if (place == kNames.size()) return source.bad("PNM: the PAM header has the line \"" + printable(*line) + "\"");
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *fields[place]);
    if (value.empty() || error != std::errc() || end != value.data() + value.size()) {
      return source.bad("PNM: " + std::string(name) + " is \"" + printable(value) + "\"");
    }
    seen[place] = true;
  }
  if (!std::all_of(seen.begin(), seen.end(), [](bool one) { return one; })) {
    return source.bad("PNM: the PAM header lacks one of WIDTH, HEIGHT, DEPTH and MAXVAL");
  }
  if (auto done = take_tuple_type(source, type, header); !done) return done.error();
  return header;
}

// Checks the sizes of the header against the length of the file.
Result<void> check_header(const Source& source, const Header& header, size_t pixels_at) {
  if (auto fine = check_size(source, header.width, header.height); !fine) return fine;
  if (header.largest == 0 || header.largest > 65535) {
    return source.bad("PNM: maxval is " + std::to_string(header.largest) + ", not 1 to 65535");
  }
  // As text, a sample takes a digit and, except in PBM, white space between it and the next.
  const uint64_t samples = header.row_samples() * header.height;
  const uint64_t least = !header.text ? header.row_bytes() * header.height : header.bits ? samples : 2 * samples - 1;
  const uint64_t there = source.bytes.size() - pixels_at;
  if (least <= there) return {};
  return source.bad("PNM: truncated: " + size_text(header.width, header.height) + " pixels take at least " +
                    std::to_string(least) + " bytes, " + std::to_string(there) + " are there");
}

class PnmReader {
 public:
  PnmReader(const Source& source, Header header, Scanner scanner)
      : source_(source), header_(std::move(header)), scanner_(scanner), row_(header_.row_samples()) {
    wide_ = header_.largest > 255;
    most_ = wide_ ? 65535 : 255;
  }

  /// Reads all rows into an image of 8- or 16-bit values of 1 or 4 channels.
  Result<void> read(const MutableImageView& image) {
    for (uint32_t y = 0; y < header_.height; ++y) {
      if (auto done = header_.text ? read_text_row() : read_binary_row(); !done) return done;
      for (uint32_t& value : row_) {
        if (value > header_.largest) {
          return source_.bad("PNM: a value in row " + std::to_string(y) + " is " + std::to_string(value) +
                             ", above the maxval " + std::to_string(header_.largest));
        }
        value =
            static_cast<uint32_t>((2 * uint64_t{value} * most_ + header_.largest) / (2 * uint64_t{header_.largest}));
      }
      if (wide_) {
        store<uint16_t>(image.row(y));
      } else {
        store<uint8_t>(image.row(y));
      }
    }
    return {};
  }
  [[nodiscard]] const Scanner& scanner() const { return scanner_; }

 private:
  Result<void> read_text_row() {
    for (uint32_t& value : row_) {
      const auto number = header_.bits ? scanner_.bit() : scanner_.number("value of a pixel");
      if (!number) return number.error();
      value = header_.bits ? 1 - *number : *number;
    }
    return {};
  }

  Result<void> read_binary_row() {
    const std::byte* from = source_.bytes.data() + scanner_.position();
    for (size_t i = 0; i < row_.size(); ++i) {
      if (header_.bits) {
        row_[i] = 1 - (std::to_integer<uint32_t>(from[i / 8]) >> (7 - i % 8) & 1);
      } else if (wide_) {
        row_[i] = std::to_integer<uint32_t>(from[2 * i]) << 8 | std::to_integer<uint32_t>(from[2 * i + 1]);
      } else {
        row_[i] = std::to_integer<uint32_t>(from[i]);
      }
    }
    scanner_.skip(header_.row_bytes());
    return {};
  }

  template <typename Code>
  void store(std::byte* target) const {
    auto* out = reinterpret_cast<Code*>(target);
    if (header_.gray()) {
      for (const uint32_t value : row_) *out++ = static_cast<Code>(value);
      return;
    }
    const bool colour = header_.depth >= 3;
    for (size_t i = 0; i < row_.size(); i += header_.depth) {
      for (size_t c = 0; c < 3; ++c) *out++ = static_cast<Code>(row_[i + (colour ? c : 0)]);
      *out++ = static_cast<Code>(header_.alpha ? row_[i + header_.depth - 1] : most_);
    }
  }

  const Source& source_;
  Header header_;
  Scanner scanner_;
  std::vector<uint32_t> row_;
  bool wide_ = false;
  uint32_t most_ = 255;
};

}  // namespace

Result<ImageFile> read_pnm(const Source& source, const ReadOptions& options) {
  Scanner scanner(source);
  const char kind = std::to_integer<char>(source.bytes[1]);
  Result<Header> header = kind == '7' ? read_pam_header(source, scanner) : read_plain_header(scanner, kind);
  if (!header) return header.error();
  if (auto fine = check_header(source, *header, scanner.position()); !fine) return fine.error();
  const bool wide = header->largest > 255;
  // As in PNG: colours are encoded at any depth, grey of more than 8 bits is mostly a measurement.
  ColorTags tags;
  tags.numbers = wide && header->gray();
  Encoding encoding = encoding_of(tags, options, header->gray());
  const bool floats = becomes_float(encoding, wide ? 16 : 8);
  const Format format = wide ? unorm16_format(header->gray() ? 1 : 4) : unorm8_format(header->gray(), encoding.linear);
  uint64_t bytes = image_bytes(format, header->width, header->height) + 4 * header->row_samples() + kSmallBytes;
  if (floats) {
    bytes += image_bytes(float_format(format_info(format).channels), header->width, header->height) + 65536 * 4;
  }
  if (auto fine = check_memory(source, options, bytes,
                               "PNM: an image of " + size_text(header->width, header->height) + " pixels");
      !fine) {
    return fine.error();
  }
  Result<Image> image = create_image(source, format, {header->width, header->height});
  if (!image) return image.error();
  PnmReader reader(source, *header, scanner);
  if (auto done = reader.read(image->view()); !done) return done.error();
  if (floats) image = decode_wide(source, *image, encoding);
  if (!image) return image.error();

  ImageFile file = single_level(Type::kPnm, std::move(*image));
  if (header->alpha) file.alpha = AlphaAssociation::kStraight;
  file.stored_channels = header->depth;
  file.stored_bits = header->bits ? 1 : wide ? 16 : 8;
  const std::span<const std::byte> rest = source.bytes.subspan(reader.scanner().position());
  if (!header->text && !rest.empty() && rest[0] == std::byte{'P'}) {
    file.warnings.emplace_back("it holds further images, of which only the first is read");
  }
  describe(file, std::move(encoding));
  return file;
}

}  // namespace onepass::files
