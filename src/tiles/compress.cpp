// compress.cpp: deflate, Zstandard and LZW of one block at a time.
// Sources: Adobe, "TIFF Revision 6.0", 1992, sections 13 and 14; Adobe, "TIFF Technical Note 3", 2005.
#include "tiles/compress.hpp"

#include <zlib.h>
#include <zstd.h>
#ifdef ONEPASS_HAS_BLOSC
#include <blosc.h>
#endif
#ifdef ONEPASS_HAS_DEFLATE
#include <libdeflate.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

namespace onepass::tiles {
namespace {

#ifdef ONEPASS_HAS_DEFLATE
struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};

// One compressor per thread and level; making one costs more than a small tile.
libdeflate_compressor* compressor(int level) {
  thread_local std::array<std::unique_ptr<libdeflate_compressor, FreeCompressor>, 10> made;
  auto& slot = made.at(static_cast<size_t>(level));
  if (!slot) slot.reset(libdeflate_alloc_compressor(level));
  if (!slot) throw std::bad_alloc();
  return slot.get();
}
#endif

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

template <typename T>
void subtract_left(std::byte* row, size_t samples, uint32_t channels) {
  // From the right end, because each difference needs the original value to its left.
  for (size_t i = samples; i-- > channels;) {
    T value;
    T left;
    std::memcpy(&value, row + i * sizeof(T), sizeof(T));
    std::memcpy(&left, row + (i - channels) * sizeof(T), sizeof(T));
    value = static_cast<T>(value - left);
    std::memcpy(row + i * sizeof(T), &value, sizeof(T));
  }
}

// Appends codes of up to 12 bits, most significant bit first.
class CodeWriter {
 public:
  explicit CodeWriter(Bytes& out) : out_(out) {}
  void put(uint32_t code, uint32_t bits) {
    pending_ = pending_ << bits | code;
    count_ += bits;
    while (count_ >= 8) {
      count_ -= 8;
      out_.push_back(static_cast<std::byte>(pending_ >> count_));
    }
  }
  void finish() {
    if (count_ > 0) out_.push_back(static_cast<std::byte>(pending_ << (8 - count_)));
  }

 private:
  Bytes& out_;
  uint64_t pending_ = 0;
  uint32_t count_ = 0;
};

// The strings that LZW has seen, as a hash table from (code of the prefix, next byte) to code.
class StringTable {
 public:
  void clear() { keys_.fill(kEmpty); }
  // The code of the string; if there is none, the string gets `code` and the result is 0.
  uint32_t find_or_add(uint32_t prefix, uint32_t byte, uint32_t code) {
    const uint32_t key = prefix << 8 | byte;
    size_t at = key * 2654435761U >> (32 - kLog2Slots);  // multiplicative hashing
    while (keys_[at] != kEmpty) {
      if (keys_[at] == key) return codes_[at];
      at = (at + 1) % keys_.size();
    }
    keys_[at] = key;
    codes_[at] = static_cast<uint16_t>(code);
    return 0;
  }

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  static constexpr uint32_t kLog2Slots = 14;
  std::array<uint32_t, 1U << kLog2Slots> keys_{};
  std::array<uint16_t, 1U << kLog2Slots> codes_{};
};

}  // namespace

Bytes compress_zlib(std::span<const std::byte> bytes, int level) {
#ifdef ONEPASS_HAS_DEFLATE
  libdeflate_compressor* const with = compressor(level);
  Bytes out(libdeflate_zlib_compress_bound(with, bytes.size()));
  out.resize(libdeflate_zlib_compress(with, bytes.data(), bytes.size(), out.data(), out.size()));
#else
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  Bytes out(size);
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), level) != Z_OK) {
    throw std::bad_alloc();
  }
  out.resize(size);
#endif
  return out;
}

Bytes compress_zstd(std::span<const std::byte> bytes, int level) {
  Bytes out;
  out.resize(compress_zstd(bytes, level, out).size());
  return out;
}

std::span<const std::byte> compress_zstd(std::span<const std::byte> bytes, int level, Bytes& buffer) {
  thread_local std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  buffer.resize(std::max(buffer.size(), ZSTD_compressBound(bytes.size())));
  const size_t size = ZSTD_compressCCtx(context.get(), buffer.data(), buffer.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
  return std::span(buffer).first(size);
}

#ifdef ONEPASS_HAS_BLOSC
std::span<const std::byte> compress_blosc(std::span<const std::byte> bytes, const char* compressor, int level,
                                          size_t element, Bytes& buffer) {
  constexpr size_t kBlockBytes = 0;  // chosen by Blosc
  constexpr int kThreads = 1;
  const size_t most = bytes.size() + BLOSC_MAX_OVERHEAD;
  buffer.resize(std::max(buffer.size(), most));
  const int size = blosc_compress_ctx(level, BLOSC_SHUFFLE, element, bytes.size(), bytes.data(), buffer.data(), most,
                                      compressor, kBlockBytes, kThreads);
  if (size <= 0) throw std::runtime_error("Blosc cannot compress");
  return std::span(buffer).first(static_cast<size_t>(size));
}
#endif

Bytes compress_lzw(std::span<const std::byte> bytes) {
  // Codes of TIFF 6.0, section 13: 0 to 255 are bytes, strings begin at 258.
  constexpr uint32_t kClear = 256;
  constexpr uint32_t kEnd = 257;
  constexpr uint32_t kFirst = 258;
  constexpr uint32_t kFull = 4094;  // the table is cleared when this code is the next
  Bytes out;
  out.reserve(bytes.size() / 2 + 16);
  CodeWriter codes(out);
  const auto table = std::make_unique<StringTable>();
  table->clear();
  uint32_t next = kFirst;
  uint32_t width = 9;
  codes.put(kClear, width);
  // Counts a new string; true if the table must be cleared. The width grows when the next code would not fit: the
  // reader is one string behind, so that it sees the change one code early.
  const auto add_code = [&] {
    if (++next == kFull) {
      codes.put(kClear, width);
      next = kFirst;
      width = 9;
      return true;
    }
    if (next == 1U << width) ++width;
    return false;
  };
  uint32_t prefix = kEnd;  // none
  for (const std::byte b : bytes) {
    const auto byte = std::to_integer<uint32_t>(b);
    if (prefix == kEnd) {
      prefix = byte;
      continue;
    }
    if (const uint32_t longer = table->find_or_add(prefix, byte, next); longer != 0) {
      prefix = longer;
      continue;
    }
    codes.put(prefix, width);
    prefix = byte;
    if (add_code()) table->clear();
  }
  if (prefix != kEnd) {
    codes.put(prefix, width);
    add_code();  // the reader adds a string for the last code, too
  }
  codes.put(kEnd, width);
  codes.finish();
  return out;
}

uint32_t crc32_of(uint32_t crc, std::span<const std::byte> bytes) {
#ifdef ONEPASS_HAS_DEFLATE
  return libdeflate_crc32(crc, bytes.data(), bytes.size());
#else
  return static_cast<uint32_t>(
      crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
#endif
}

void difference_rows(std::span<std::byte> block, size_t row_bytes, uint32_t channels, uint32_t width) {
  for (size_t at = 0; at + row_bytes <= block.size(); at += row_bytes) {
    std::byte* row = block.data() + at;
    if (width == 1) subtract_left<uint8_t>(row, row_bytes, channels);
    if (width == 2) subtract_left<uint16_t>(row, row_bytes / 2, channels);
    if (width == 4) subtract_left<uint32_t>(row, row_bytes / 4, channels);
  }
}

void difference_float_rows(std::span<std::byte> block, size_t row_bytes, uint32_t channels, uint32_t width) {
  Bytes sorted(row_bytes);
  const size_t samples = row_bytes / width;
  for (size_t at = 0; at + row_bytes <= block.size(); at += row_bytes) {
    std::byte* row = block.data() + at;
    for (size_t i = 0; i < samples; ++i) {
      for (uint32_t b = 0; b < width; ++b) sorted[(width - 1 - b) * samples + i] = row[i * width + b];
    }
    std::memcpy(row, sorted.data(), row_bytes);
    subtract_left<uint8_t>(row, row_bytes, channels);
  }
}

}  // namespace onepass::tiles
