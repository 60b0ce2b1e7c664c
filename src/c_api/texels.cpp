// texels.cpp: C functions that decode and encode texels.
#include <algorithm>

#include "c_api/abi.hpp"

using namespace onepass;
using namespace onepass::c_api;

namespace {

// Rows of at most this many texels: decode_row() and encode_row() count in 32 bits.
constexpr size_t kMostTexels = size_t{1} << 30U;

/// Checks the arguments that both directions have.
Result<void> check(Format format, const void* texels, const float* rgba) {
  const FormatInfo info = texel_info(format);
  if (info.channels == 0 || info.type == ChannelType::kUint) {
    return invalid("format: " + std::to_string(number(format)) + " has no colours");
  }
  if (auto there = require(texels, "texels"); !there) return there;
  return require(rgba, "rgba");
}

}  // namespace

extern "C" {

onepass_code onepass_decode_texels(onepass_format format, const void* texels, size_t count, float* rgba,
                                   onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const auto from = static_cast<Format>(format);
    if (auto checked = check(from, texels, rgba); !checked) return checked;
    const size_t bytes = texel_info(from).bytes_per_texel;
    for (size_t begin = 0; begin < count; begin += kMostTexels) {
      const auto part = static_cast<uint32_t>(std::min(kMostTexels, count - begin));
      decode_row(from, static_cast<const std::byte*>(texels) + begin * bytes, part, rgba + begin * 4);
    }
    return {};
  });
}

onepass_code onepass_encode_texels(onepass_format format, const float* rgba, size_t count, void* texels,
                                   onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const auto to = static_cast<Format>(format);
    if (auto checked = check(to, texels, rgba); !checked) return checked;
    const FormatInfo info = texel_info(to);
    if (info.depth) return invalid("format: " + std::to_string(format) + " is a depth format, which is only read");
    for (size_t begin = 0; begin < count; begin += kMostTexels) {
      const auto part = static_cast<uint32_t>(std::min(kMostTexels, count - begin));
      encode_row(to, rgba + begin * 4, part, static_cast<std::byte*>(texels) + begin * info.bytes_per_texel);
    }
    return {};
  });
}

}  // extern "C"
