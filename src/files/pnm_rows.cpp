// pnm_rows.cpp: reads the files of Netpbm: PBM, PGM and PPM, as text or binary, and PAM.
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
#include <bit>
#include <charconv>
#include <optional>

#include "files/byte_stream.hpp"
#include "files/pixels.hpp"
#include "files/row_reader.hpp"

namespace onepass::files {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct Header {
  bool text = false;  // samples are decimal numbers
  bool bits = false;  // PBM: 1 is black
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t depth = 1;  // samples per pixel
  uint32_t largest = 1;
  bool alpha = false;  // the last sample is alpha

  [[nodiscard]] uint64_t row_samples() const { return uint64_t{width} * depth; }
  [[nodiscard]] uint64_t sample_bytes() const { return largest > 255 ? 2 : 1; }
  /// Bytes of a row of binary pixels.
  [[nodiscard]] uint64_t row_bytes() const { return bits ? (uint64_t{width} + 7) / 8 : row_samples() * sample_bytes(); }
};

/// The characters of the file, comments left out.
class Scanner {
 public:
  explicit Scanner(const Source& source) : source_(source), bytes_(source) {}

  /// The next character; a comment is its line end. No value at the end of the file.
  std::optional<char> next() {
    std::optional<char> c = take();
    if (c != '#') return c;
    while (c && *c != '\n' && *c != '\r') c = take();
    return c;
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
    if (word.empty() && !c) return bytes_.ended(std::string("PNM: truncated before the ") + field);
    return source_.bad(std::string("PNM: the ") + field + " is \"" + printable(word) + "\"");
  }

  /// A bit of a PBM in text, where white space may be missing.
  Result<uint32_t> bit() {
    std::optional<char> c = next();
    while (c && is_space(*c)) c = next();
    if (!c) return bytes_.ended("PNM: truncated before the bit");
    if (*c != '0' && *c != '1') return source_.bad("PNM: a bit is \"" + printable(std::string(1, *c)) + "\"");
    return static_cast<uint32_t>(*c - '0');
  }

  /// A line of a PAM header, without white space at its ends; no value at the end of the file.
  std::optional<std::string_view> line() {
    auto found = bytes_.line();
    while (found && !found->empty() && is_space(found->front())) found->remove_prefix(1);
    while (found && !found->empty() && is_space(found->back())) found->remove_suffix(1);
    return found;
  }

  [[nodiscard]] const ByteStream& bytes() const { return bytes_; }
  void seek(uint64_t position) { bytes_.seek(position); }

 private:
  std::optional<char> take() { return bytes_.has(1) ? std::optional(static_cast<char>(bytes_.take())) : std::nullopt; }

  const Source& source_;
  ByteStream bytes_;
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
  scanner.seek(2);
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
  scanner.seek(3);
  for (;;) {
    const auto line = scanner.line();
    if (!line) return scanner.bytes().ended("PNM: the PAM header has no ENDHDR");
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
Result<void> check_header(const Source& source, const Header& header, uint64_t there) {
  if (auto fine = check_size(source, header.width, header.height); !fine) return fine;
  if (header.largest == 0 || header.largest > 65535) {
    return source.bad("PNM: maxval is " + std::to_string(header.largest) + ", not 1 to 65535");
  }
  // As text, a sample takes a digit and, except in PBM, white space between it and the next.
  const uint64_t row = !header.text ? header.row_bytes() : header.row_samples() * (header.bits ? 1 : 2);
  const uint64_t least = saturated_product(row, header.height) - (header.text && !header.bits ? 1 : 0);
  if (least <= there) return {};
  return source.bad("PNM: truncated: " + size_text(header.width, header.height) + " pixels take at least " +
                    std::to_string(least) + " bytes, " + std::to_string(there) + " are there");
}

class PnmReader final : public RowReader {
 public:
  explicit PnmReader(const Source& source) : source_(source), scanner_(source_) {}

  Result<void> open() {
    const char kind = std::to_integer<char>(source_.bytes[1]);
    Result<Header> header = kind == '7' ? read_pam_header(source_, scanner_) : read_plain_header(scanner_, kind);
    if (!header) return header.error();
    stored_ = *header;
    if (auto fine = check_header(source_, stored_, scanner_.bytes().left()); !fine) return fine;
    pixels_at_ = scanner_.bytes().position();
    const bool wide = stored_.largest > 255;
    most_ = wide ? 65535 : 255;
    header_.size = {stored_.width, stored_.height};
    header_.layout = {.sample = wide ? Sample::kU16 : Sample::kU8,
                      .channels = stored_.depth,
                      .alpha = stored_.alpha ? AlphaAssociation::kStraight : AlphaAssociation::kNone,
                      .colour = stored_.depth >= 3};
    // As in PNG: colours are encoded at any depth, grey of more than 8 bits is mostly a measurement.
    header_.colors.numbers = wide && stored_.depth == 1;
    header_.stored_channels = stored_.depth;
    header_.stored_bits = stored_.bits ? 1 : wide ? 16 : 8;
    std::byte behind{};
    if (!stored_.text && source_.read_at(row_at(stored_.height), {&behind, 1}) == 0 && behind == std::byte{'P'}) {
      header_.warnings.emplace_back("it holds further images, of which only the first is read");
    }
    return {};
  }

  [[nodiscard]] uint64_t memory_bytes() const override {
    return (stored_.bits ? stored_.row_bytes() : 0) + scanner_.bytes().memory_bytes();
  }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    for (; rows > 0; --rows, ++y_, out += stride) {
      auto done = most_ == 255 ? read_row(reinterpret_cast<uint8_t*>(out)) : read_row(reinterpret_cast<uint16_t*>(out));
      if (!done) return done;
    }
    return {};
  }

  bool skip(uint32_t rows) override {
    if (stored_.text) return false;
    y_ += rows;
    return true;
  }

 private:
  [[nodiscard]] uint64_t row_at(uint32_t y) const { return pixels_at_ + stored_.row_bytes() * y; }

  // Reads a row as it is stored, then scales its values.
  template <class Code>
  Result<void> read_row(Code* out) {
    const std::span row(out, stored_.row_samples());
    auto done = stored_.text ? read_text(row) : stored_.bits ? read_bits(row) : read_binary(row);
    if (!done || stored_.largest == most_) return done;
    for (Code& value : row) {
      if (value > stored_.largest) return above(value);
      value = static_cast<Code>((2 * uint64_t{value} * most_ + stored_.largest) / (2 * uint64_t{stored_.largest}));
    }
    return {};
  }

  template <class Code>
  Result<void> read_text(std::span<Code> row) {
    for (Code& value : row) {
      const auto number = stored_.bits ? scanner_.bit() : scanner_.number("value of a pixel");
      if (!number) return number.error();
      if (*number > stored_.largest) return above(*number);
      value = static_cast<Code>(stored_.bits ? 1 - *number : *number);
    }
    return {};
  }

  template <class Code>
  Result<void> read_bits(std::span<Code> row) {
    packed_.resize(stored_.row_bytes());
    if (const int number = source_.read_at(row_at(y_), packed_); number != 0) return source_.unreadable(number);
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = static_cast<Code>(1 - (std::to_integer<uint32_t>(packed_[i / 8]) >> (7 - i % 8) & 1));
    }
    return {};
  }

  template <class Code>
  Result<void> read_binary(std::span<Code> row) {
    const auto bytes = std::as_writable_bytes(row);
    if (const int number = source_.read_at(row_at(y_), bytes); number != 0) return source_.unreadable(number);
    if (std::endian::native == std::endian::little) reverse_bytes(bytes, sizeof(Code));
    return {};
  }

  [[nodiscard]] Error above(uint32_t value) const {
    return source_.bad("PNM: a value in row " + std::to_string(y_) + " is " + std::to_string(value) +
                       ", above the maxval " + std::to_string(stored_.largest));
  }

  Source source_;
  Scanner scanner_;  // refers to source_
  Header stored_;
  uint32_t most_ = 255;
  uint64_t pixels_at_ = 0;
  std::vector<std::byte> packed_;  // a row of bits
  uint32_t y_ = 0;
};

}  // namespace

Result<std::unique_ptr<RowReader>> open_pnm_rows(const Source& source, const RowOptions& /*options*/) {
  auto reader = std::make_unique<PnmReader>(source);
  if (auto done = reader->open(); !done) return done.error();
  return std::unique_ptr<RowReader>(std::move(reader));
}

}  // namespace onepass::files
