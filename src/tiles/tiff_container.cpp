// tiff_container.cpp: tags are collected in order; values that do not fit into an entry follow the directory.
#include "tiles/tiff_container.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace onepass::tiles {
namespace {

// Types of TIFF 6.0 and BigTIFF.
constexpr uint16_t kAscii = 2;
constexpr uint16_t kShort = 3;
constexpr uint16_t kLong = 4;
constexpr uint16_t kRational = 5;
constexpr uint16_t kUndefined = 7;
constexpr uint16_t kLong8 = 16;

constexpr uint64_t kEntryBytes = 20;
constexpr uint64_t kInlineBytes = 8;  // values of at most this size stand in the entry itself

// A fraction near `value`, exact for whole numbers and for decimals of up to four digits.
std::pair<uint32_t, uint32_t> fraction_of(double value) {
  for (const uint32_t denominator : {1U, 100U, 10000U, 1U << 20}) {
    const double numerator = std::round(value * denominator);
    if (numerator > UINT32_MAX) break;
    if (std::fabs(numerator / denominator - value) <= 1e-9 * value || denominator == 1U << 20) {
      return {static_cast<uint32_t>(numerator), denominator};
    }
  }
  return {static_cast<uint32_t>(std::min(value, double{UINT32_MAX})), 1};
}

uint64_t even(uint64_t offset) { return offset + offset % 2; }

}  // namespace

void put_number(Bytes& out, uint64_t value, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> 8 * i));
}

void TiffDirectory::set_short(uint16_t tag, std::span<const uint16_t> values) {
  Entry& entry = entries_[tag] = {kShort, values.size(), {}};
  for (const uint16_t value : values) put_number(entry.bytes, value, 2);
}

void TiffDirectory::set_long(uint16_t tag, uint32_t value) { set_longs(tag, std::span(&value, 1)); }

void TiffDirectory::set_longs(uint16_t tag, std::span<const uint32_t> values) {
  Entry& entry = entries_[tag] = {kLong, values.size(), {}};
  entry.bytes.reserve(4 * values.size());
  for (const uint32_t value : values) put_number(entry.bytes, value, 4);
}

void TiffDirectory::set_long8(uint16_t tag, std::span<const uint64_t> values) {
  Entry& entry = entries_[tag] = {kLong8, values.size(), {}};
  entry.bytes.reserve(8 * values.size());
  for (const uint64_t value : values) put_number(entry.bytes, value, 8);
}

void TiffDirectory::set_rational(uint16_t tag, std::span<const double> values) {
  Entry& entry = entries_[tag] = {kRational, values.size(), {}};
  for (const double value : values) {
    const auto [numerator, denominator] = fraction_of(value);
    put_number(entry.bytes, numerator, 4);
    put_number(entry.bytes, denominator, 4);
  }
}

void TiffDirectory::set_bytes(uint16_t tag, std::span<const std::byte> bytes) {
  entries_[tag] = {kUndefined, bytes.size(), Bytes(bytes.begin(), bytes.end())};
}

void TiffDirectory::set_text(uint16_t tag, const std::string& text) {
  Entry& entry = entries_[tag] = {kAscii, text.size() + 1, {}};
  for (const char c : text) entry.bytes.push_back(static_cast<std::byte>(c));
  entry.bytes.push_back(std::byte{0});
}

void TiffDirectory::copy(const CopiedTag& tag) { entries_[tag.tag] = {tag.type, tag.count, tag.bytes}; }

uint64_t TiffDirectory::size() const {
  uint64_t size = even(8 + kEntryBytes * entries_.size() + 8);
  for (const auto& [tag, entry] : entries_) {
    if (entry.bytes.size() > kInlineBytes) size += even(entry.bytes.size());
  }
  return size;
}

void TiffDirectory::append_to(Bytes& out, uint64_t offset, uint64_t next) const {
  uint64_t values = offset + even(8 + kEntryBytes * entries_.size() + 8);
  put_number(out, entries_.size(), 8);
  for (const auto& [tag, entry] : entries_) {
    put_number(out, tag, 2);
    put_number(out, entry.type, 2);
    put_number(out, entry.count, 8);
    if (entry.bytes.size() <= kInlineBytes) {
      out.insert(out.end(), entry.bytes.begin(), entry.bytes.end());
      out.resize(out.size() + kInlineBytes - entry.bytes.size());
    } else {
      put_number(out, values, 8);
      values += even(entry.bytes.size());
    }
  }
  put_number(out, next, 8);
  if (out.size() % 2 != 0) out.push_back(std::byte{0});
  for (const auto& [tag, entry] : entries_) {
    if (entry.bytes.size() <= kInlineBytes) continue;
    out.insert(out.end(), entry.bytes.begin(), entry.bytes.end());
    if (entry.bytes.size() % 2 != 0) out.push_back(std::byte{0});
  }
}

Bytes big_tiff_header(uint64_t first_directory) {
  Bytes out;
  for (const char c : {'I', 'I'}) out.push_back(static_cast<std::byte>(c));
  put_number(out, 43, 2);  // BigTIFF
  put_number(out, 8, 2);   // bytes of an offset
  put_number(out, 0, 2);
  put_number(out, first_directory, 8);
  return out;
}

std::string cog_layout_text() {
  const std::string text =
      "LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n"
      "BLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n ";  // the space is part of it
  std::string size = std::to_string(text.size());
  size.insert(0, 6 - size.size(), '0');
  return "GDAL_STRUCTURAL_METADATA_SIZE=" + size + " bytes\n" + text;
}

}  // namespace onepass::tiles
