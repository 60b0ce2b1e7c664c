// pfm_rows.cpp: reads portable float maps: a text header, then raw floats, rows from the bottom up.
//
//     PF            RGB; Pf is grey
//     768 512       width, height
//     -1.0          below 0: little-endian, above: big-endian. Readers disagree on its magnitude; it is ignored.
// One character of white space ends the header.
// Source: P. Debevec, "PFM Portable FloatMap Image Format"; netpbm, pfm(5).
#include <bit>
#include <charconv>
#include <cmath>

#include "files/pixels.hpp"
#include "files/row_reader.hpp"

namespace onepass::files {
namespace {

constexpr size_t kMaxHeader = 1024;

bool is_blank(std::byte c) {
  const auto code = std::to_integer<uint8_t>(c);
  return code == ' ' || (code >= '\t' && code <= '\r');
}

struct PfmHeader {
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t channels = 3;
  bool big_endian = false;
  size_t length = 0;  // bytes before the floats
};

// The next word; also skips the one character after it. Empty if there is no word.
std::string_view next_word(std::span<const std::byte> bytes, size_t& at) {
  const size_t end = std::min(bytes.size(), kMaxHeader);
  while (at < end && is_blank(bytes[at])) ++at;
  const size_t first = at;
  while (at < end && !is_blank(bytes[at])) ++at;
  if (at >= end) return {};
  return {reinterpret_cast<const char*>(bytes.data()) + first, at++ - first};
}

Result<uint32_t> read_number(const Source& source, const char* field, std::string_view word) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (!word.empty() && error == std::errc() && end == word.data() + word.size()) return value;
  return source.bad(std::string("PFM: the ") + field + " is \"" + std::string(word.substr(0, 64)) + "\"");
}

Result<PfmHeader> read_header(const Source& source) {
  PfmHeader header;
  size_t at = 0;
  header.channels = next_word(source.bytes, at) == "PF" ? 3 : 1;
  const auto width = read_number(source, "width", next_word(source.bytes, at));
  if (!width) return width.error();
  const auto height = read_number(source, "height", next_word(source.bytes, at));
  if (!height) return height.error();
  const std::string_view word = next_word(source.bytes, at);
  double scale = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), scale);
  if (word.empty() || error != std::errc() || end != word.data() + word.size() || !std::isfinite(scale) || scale == 0) {
    return source.bad("PFM: the scale is \"" + std::string(word.substr(0, 64)) + "\"");
  }
  header.width = *width;
  header.height = *height;
  header.big_endian = scale > 0;
  header.length = at;
  return header;
}

class PfmReader final : public RowReader {
 public:
  explicit PfmReader(const Source& source) : source_(source) {}

  Result<void> open() {
    auto header = read_header(source_);
    if (!header) return header.error();
    const auto [width, height] = Extent{header->width, header->height};
    if (auto fine = check_size(source_, width, height); !fine) return fine;
    header_.size = {width, height};
    header_.layout = {.sample = Sample::kF32, .channels = header->channels, .colour = header->channels == 3};
    header_.linear = true;
    header_.stored_channels = header->channels;
    header_.stored_bits = 32;
    swapped_ = header->big_endian != (std::endian::native == std::endian::big);
    pixels_at_ = header->length;
    const uint64_t there = source_.size() - pixels_at_;
    const uint64_t needed = saturated_product(row_bytes(), height);
    // With CR LF line ends the file has one byte more than expected, the LF of the last line of the header.
    const auto ends = source_.bytes.subspan(pixels_at_ - 1);
    if (there == needed + 1 && ends[0] == std::byte{'\r'} && ends.size() > 1 && ends[1] == std::byte{'\n'})
      ++pixels_at_;
    if (there >= needed) return {};
    return source_.bad("PFM: truncated: " + size_text(width, height) + " pixels take " + std::to_string(needed) +
                       " bytes, " + std::to_string(there) + " are there");
  }

  [[nodiscard]] uint64_t memory_bytes() const override { return 0; }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    for (; rows > 0; --rows, ++y_, out += stride) {
      const uint64_t at = pixels_at_ + uint64_t{header_.size.height - 1 - y_} * row_bytes();
      if (const int number = source_.read_at(at, {out, row_bytes()}); number != 0) return source_.unreadable(number);
      if (swapped_) reverse_bytes({out, row_bytes()}, 4);
    }
    return {};
  }

  bool skip(uint32_t rows) override {
    y_ += rows;
    return true;
  }

 private:
  Source source_;
  bool swapped_ = false;
  uint64_t pixels_at_ = 0;
  uint32_t y_ = 0;
};

}  // namespace

Result<std::unique_ptr<RowReader>> open_pfm_rows(const Source& source, const RowOptions& /*options*/) {
  auto reader = std::make_unique<PfmReader>(source);
  if (auto done = reader->open(); !done) return done.error();
  return std::unique_ptr<RowReader>(std::move(reader));
}

}  // namespace onepass::files
