// pfm_read.cpp: reads portable float maps: a text header, then raw floats, rows from the bottom up.
//
//     PF            RGB; Pf is grey
//     768 512       width, height
//     -1.0          below 0: little-endian, above: big-endian. Readers disagree on its magnitude; it is ignored.
// One character of white space ends the header.
// Source: P. Debevec, "PFM Portable FloatMap Image Format"; netpbm, pfm(5).
#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

#include "files/pixels.hpp"
#include "files/readers.hpp"

namespace onepass::files {
namespace {

constexpr size_t kMaxHeader = 1024;
constexpr uint64_t kSmallBytes = 4096;  // words of the header, the list of levels

bool is_space(std::byte c) {
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
  while (at < end && is_space(bytes[at])) ++at;
  const size_t first = at;
  while (at < end && !is_space(bytes[at])) ++at;
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

float load_float(const std::byte* from, bool big_endian) {
  uint32_t bits = 0;
  for (size_t i = 0; i < 4; ++i) bits |= std::to_integer<uint32_t>(from[i]) << (big_endian ? 24 - 8 * i : 8 * i);
  return std::bit_cast<float>(bits);
}

}  // namespace

Result<ImageFile> read_pfm(const Source& source, const ReadOptions& options) {
  auto header = read_header(source);
  if (!header) return header.error();
  if (auto fine = check_size(source, header->width, header->height); !fine) return fine.error();
  const uint64_t row_bytes = uint64_t{4} * header->channels * header->width;
  // With CR LF line ends the file has one byte more than expected, the LF of the last line of the header.
  const bool one_more = source.bytes.size() - header->length == row_bytes * header->height + 1;
  if (one_more && source.bytes[header->length - 1] == std::byte{'\r'} &&
      source.bytes[header->length] == std::byte{'\n'}) {
    ++header->length;
  }
  if (source.bytes.size() - header->length < row_bytes * header->height) {
    return source.bad("PFM: truncated: " + size_text(header->width, header->height) + " pixels take " +
                      std::to_string(row_bytes * header->height) + " bytes, " +
                      std::to_string(source.bytes.size() - header->length) + " are there");
  }
  const bool grey = header->channels == 1;
  const Format format = grey ? Format::kR32Sfloat : Format::kRGBA32Sfloat;
  // sRGB decoding needs a second image and a row of floats.
  const bool decoded = options.color == Color::kSrgb;
  const uint64_t bytes = (decoded ? 2 : 1) * image_bytes(format, header->width, header->height) +
                         (decoded ? uint64_t{16} * header->width : 0) + kSmallBytes;
  if (auto fine = check_memory(source, options, bytes,
                               "PFM: an image of " + size_text(header->width, header->height) + " pixels");
      !fine) {
    return fine.error();
  }
  auto image = create_image(source, format, {header->width, header->height});
  if (!image) return image.error();
  for (uint32_t y = 0; y < header->height; ++y) {
    const std::byte* from = source.bytes.data() + header->length + row_bytes * (header->height - 1 - y);
    auto* texel = reinterpret_cast<float*>(image->view().row(y));
    for (uint32_t x = 0; x < header->width; ++x) {
      for (uint32_t c = 0; c < header->channels; ++c, from += 4) *texel++ = load_float(from, header->big_endian);
      if (!grey) *texel++ = 1.0F;
    }
  }
  ImageFile file = single_level(Type::kPfm, std::move(*image));
  file.stored_channels = header->channels;
  file.stored_bits = 32;
  if (!decoded) return file;
  Result<Image> linear = decoded_from_srgb(file.base());
  if (!linear) return source.error(linear.error().code, linear.error().message);
  file.levels.front() = std::move(*linear);
  return file;
}

}  // namespace onepass::files
