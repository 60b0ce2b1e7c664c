// png_rows.cpp: the five filters, of which each row gets the one with the least sum of magnitudes, and zlib.
// Filters: "Portable Network Graphics (PNG) Specification", W3C, 9; the stream: RFC 1950.
#include "files/png_rows.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "files/parallel.hpp"
#include "image/div_up.hpp"

namespace onepass::files {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 19;
constexpr size_t kPiecesPerThread = 4;  // made before the first of them is written

enum Filter : uint8_t { kNone, kSub, kUp, kAverage, kPaeth };

struct Piece {
  std::vector<std::byte> deflated;
  uLong checksum = 0;
  size_t bytes = 0;  // before deflate
};

uint8_t paeth(int left, int above, int corner) {
  const int estimate = left + above - corner;
  const int from_left = std::abs(estimate - left);
  const int from_above = std::abs(estimate - above);
  const int from_corner = std::abs(estimate - corner);
  if (from_left <= from_above && from_left <= from_corner) return static_cast<uint8_t>(left);
  return static_cast<uint8_t>(from_above <= from_corner ? above : corner);
}

// Stores the difference between each byte and its prediction by a filter.
template <class Predict>
void subtract(std::span<const uint8_t> row, size_t texel, const uint8_t* above, uint8_t* out, const Predict& predict) {
  for (size_t i = 0; i < row.size(); ++i) {
    const int left = i < texel ? 0 : row[i - texel];
    const int corner = i < texel ? 0 : above[i - texel];
    out[i] = static_cast<uint8_t>(row[i] - predict(left, int{above[i]}, corner));
  }
}

void filter_row(Filter filter, std::span<const uint8_t> row, size_t texel, const uint8_t* above, uint8_t* out) {
  switch (filter) {
    case kNone:
      std::copy(row.begin(), row.end(), out);
      return;
    case kSub:
      std::copy_n(row.begin(), std::min(texel, row.size()), out);
      for (size_t i = texel; i < row.size(); ++i) out[i] = static_cast<uint8_t>(row[i] - row[i - texel]);
      return;
    case kUp:
      return subtract(row, texel, above, out, [](int /*left*/, int up, int /*corner*/) { return up; });
    case kAverage:
      return subtract(row, texel, above, out, [](int left, int up, int /*corner*/) { return (left + up) / 2; });
    case kPaeth:
      return subtract(row, texel, above, out, paeth);
  }
}

// Sum of the bytes' distances from 0 modulo 256: small sums deflate well.
uint64_t distance(std::span<const uint8_t> bytes) {
  uint64_t sum = 0;
  for (const uint8_t byte : bytes) sum += std::min<uint32_t>(byte, 256U - byte);
  return sum;
}

// Appends the filter's number and the filtered row.
class RowFilter {
 public:
  RowFilter(const PngRowShape& shape, int effort)
      : texel_(shape.texel_bytes), effort_(effort), tried_(shape.row_bytes), above_(shape.row_bytes) {}

  /// The row above, needed if looks_above(); without a call it is zeros.
  void set_above(const std::byte* above) { std::memcpy(above_.data(), above, above_.size()); }
  [[nodiscard]] bool looks_above() const { return effort_ >= kThoroughEffort; }

  void filter(const std::byte* bytes, std::byte* out) {
    const std::span row(reinterpret_cast<const uint8_t*>(bytes), above_.size());
    auto* to = reinterpret_cast<uint8_t*>(out);
    if (!looks_above()) {
      *to = effort_ == 0 ? kNone : kSub;
      filter_row(static_cast<Filter>(*to), row, texel_, nullptr, to + 1);
      return;
    }
    uint64_t best = UINT64_MAX;
    for (const Filter filter : {kNone, kSub, kUp, kAverage, kPaeth}) {
      filter_row(filter, row, texel_, above_.data(), tried_.data());
      const uint64_t cost = distance(tried_);
      if (cost >= best) continue;
      best = cost;
      *to = filter;
      std::copy(tried_.begin(), tried_.end(), to + 1);
    }
    std::copy(row.begin(), row.end(), above_.begin());
  }

 private:
  size_t texel_;
  int effort_;
  std::vector<uint8_t> tried_;
  std::vector<uint8_t> above_;
};

// Deflates to blocks that end on a whole byte, without header and checksum. `last`: they end the stream.
std::vector<std::byte> deflate_bytes(std::span<const std::byte> bytes, int effort, bool last) {
  constexpr int kRaw = -15;  // 32 KB of window, no header
  constexpr int kMemory = 8;
  z_stream stream{};
  const int strategy = effort == 0 ? Z_DEFAULT_STRATEGY : Z_FILTERED;
  if (deflateInit2(&stream, effort, Z_DEFLATED, kRaw, kMemory, strategy) != Z_OK) throw std::bad_alloc();
  std::vector<std::byte> out;
  try {
    out.resize(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 16);  // plus an empty block
  } catch (...) {
    deflateEnd(&stream);
    throw;
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  const bool done = last ? result == Z_STREAM_END : result == Z_OK && stream.avail_in == 0 && stream.avail_out != 0;
  if (!done) throw std::runtime_error("deflate: result " + std::to_string(result));
  return out;
}

Piece make_piece(const PngRowShape& shape, int effort, const PngRowReader& read, uint32_t first, uint32_t rows) {
  const size_t stride = shape.row_bytes + 1;
  std::vector<std::byte> filtered(stride * rows);
  RowFilter filter(shape, effort);
  if (filter.looks_above() && first > 0) filter.set_above(read(first - 1));
  for (uint32_t y = 0; y < rows; ++y) filter.filter(read(first + y), filtered.data() + y * stride);
  Piece piece;
  piece.bytes = filtered.size();
  piece.checksum = adler32_z(1, reinterpret_cast<const Bytef*>(filtered.data()), filtered.size());
  piece.deflated = deflate_bytes(filtered, effort, first + rows == shape.rows);
  return piece;
}

}  // namespace

bool deflate_png_rows(const PngRowShape& shape, int effort, uint32_t threads,
                      const std::function<PngRowReader()>& make_reader,
                      const std::function<bool(std::span<const std::byte>)>& write) {
  const auto rows = static_cast<uint32_t>(std::clamp<size_t>(kPieceBytes / (shape.row_bytes + 1), 1, shape.rows));
  const size_t count = div_up(size_t{shape.rows}, rows);
  const size_t at_once = kPiecesPerThread * usable_threads(threads);
  uLong checksum = 1;
  std::vector<Piece> pieces;
  for (size_t begin = 0; begin < count; begin += at_once) {
    pieces.assign(std::min(at_once, count - begin), {});
    run_tasks(threads, pieces.size(), [&](size_t i) {
      const auto first = static_cast<uint32_t>((begin + i) * rows);
      pieces[i] = make_piece(shape, effort, make_reader(), first, std::min(rows, shape.rows - first));
    });
    for (size_t i = 0; i < pieces.size(); ++i) {
      std::vector<std::byte>& out = pieces[i].deflated;
      checksum = adler32_combine(checksum, pieces[i].checksum, static_cast<z_off_t>(pieces[i].bytes));
      if (begin + i == 0) {
        const std::byte header[] = {std::byte{0x78}, std::byte{0x01}};  // deflate, 32 KB of window
        out.insert(out.begin(), std::begin(header), std::end(header));
      }
      if (begin + i + 1 == count) {
        for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<std::byte>(checksum >> shift & 0xFF));
      }
      if (!write(out)) return false;
    }
  }
  return true;
}

}  // namespace onepass::files
