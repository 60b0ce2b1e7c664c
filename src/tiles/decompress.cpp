// decompress.cpp: one function per codec; none writes more bytes than the caller has room for.
#include "tiles/decompress.hpp"

#include <zlib.h>
#include <zstd.h>
#ifdef ONEPASS_HAS_BLOSC
#include <blosc.h>
#endif

#include <limits>
#include <memory>
#include <new>

namespace onepass::tiles {

std::optional<size_t> decompress_zlib(std::span<const std::byte> from, std::span<std::byte> to) {
  if (from.size() > std::numeric_limits<uInt>::max() || to.size() > std::numeric_limits<uInt>::max()) {
    return std::nullopt;
  }
  z_stream stream{};
  constexpr int kZlibOrGzip = 32 + MAX_WBITS;  // 32: zlib detects the header
  if (inflateInit2(&stream, kZlibOrGzip) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data()));  // not written to
  stream.avail_in = static_cast<uInt>(from.size());
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = static_cast<uInt>(to.size());
  const int code = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return code == Z_STREAM_END ? std::optional(to.size() - stream.avail_out) : std::nullopt;
}

namespace {

struct FreeDecompressor {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::optional<size_t> decompress_zstd(std::span<const std::byte> from, std::span<std::byte> to) {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  const size_t got = ZSTD_decompressDCtx(context.get(), to.data(), to.size(), from.data(), from.size());
  return ZSTD_isError(got) != 0 ? std::nullopt : std::optional(got);
}

#ifdef ONEPASS_HAS_BLOSC
std::optional<size_t> decompress_blosc(std::span<const std::byte> from, std::span<std::byte> to) {
  size_t size = 0;
  if (blosc_cbuffer_validate(from.data(), from.size(), &size) < 0 || size > to.size()) return std::nullopt;
  constexpr int kThreads = 1;
  const int got = blosc_decompress_ctx(from.data(), to.data(), to.size(), kThreads);
  return got >= 0 && static_cast<size_t>(got) == size ? std::optional(size) : std::nullopt;
}
#endif

}  // namespace onepass::tiles
