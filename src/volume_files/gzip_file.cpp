// gzip_file.cpp: inflates member after member through two buffers of fixed size.
#include "volume_files/gzip_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

namespace onepass::volumes {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;

class Inflater {
 public:
  Inflater() {
    constexpr int kGzip = 16 + MAX_WBITS;
    if (inflateInit2(&stream, kGzip) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream{};
};

}  // namespace

Result<uint64_t> decompress_gzip(const std::string& name, const tiles::InputHandle& file, uint64_t most,
                                 const std::function<Result<void>(std::span<const std::byte>)>& sink) {
  std::vector<std::byte> in(kBufferBytes);
  std::vector<std::byte> out(kBufferBytes);
  Inflater inflater;
  z_stream& stream = inflater.stream;
  uint64_t position = 0;
  uint64_t total = 0;
  bool at_end_of_member = true;
  while (total < most) {
    if (stream.avail_in == 0) {
      const std::span part = std::span(in).first(std::min<uint64_t>(in.size(), file.size - position));
      if (part.empty()) break;
      const int number = tiles::read_fully(file.handle.number(), part.data(), part.size(), position);
      if (number > 0) return Error{ErrorCode::kIo, std::string("cannot read it: ") + std::strerror(number), name};
      if (number < 0) break;
      position += part.size();
      stream.next_in = reinterpret_cast<Bytef*>(part.data());
      stream.avail_in = static_cast<uInt>(part.size());
    }
    if (at_end_of_member) {
      inflateReset(&stream);
      at_end_of_member = false;
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(std::min<uint64_t>(out.size(), most - total));
    const uInt room = stream.avail_out;
    const int code = inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      return Error{ErrorCode::kBadData, "is a damaged gzip file", name};
    }
    at_end_of_member = code == Z_STREAM_END;
    const size_t got = room - stream.avail_out;
    if (auto done = sink(std::span(out).first(got)); !done) return done.error();
    total += got;
  }
  return total;
}

}  // namespace onepass::volumes
