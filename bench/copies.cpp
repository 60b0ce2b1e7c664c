// copies.cpp: every thread copies or reads one contiguous range. The non-temporal copy uses streaming stores of AVX-512
// or SSE2, which do not read the target's lines first.
#include "copies.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace onepass::bench {
namespace {

using CopyFunction = void (*)(std::byte* to, const std::byte* from, size_t bytes);

void memory_copy(std::byte* to, const std::byte* from, size_t bytes) { std::memcpy(to, from, bytes); }

// One contiguous range per thread, so that memcpy gets sizes that are typical of programs.
void split(cpu::Workers& workers, std::byte* to, const std::byte* from, size_t bytes, CopyFunction copy) {
  constexpr size_t kLine = 64;
  const size_t stretch = (bytes / workers.slots() + kLine) / kLine * kLine;
  workers.run(workers.slots(), [&](size_t i, uint32_t) {
    const size_t begin = std::min(bytes, i * stretch);
    copy(to + begin, from + begin, std::min(stretch, bytes - begin));
  });
}

#ifdef __x86_64__
__attribute__((target("avx512f"))) void stream_avx512(std::byte* to, const std::byte* from, size_t bytes) {
  size_t i = 0;
  for (; i + 64 <= bytes; i += 64) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
  }
  std::memcpy(to + i, from + i, bytes - i);
  _mm_sfence();
}

void stream_sse2(std::byte* to, const std::byte* from, size_t bytes) {
  size_t i = 0;
  for (; i + 16 <= bytes; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
  std::memcpy(to + i, from + i, bytes - i);
  _mm_sfence();
}
#endif

}  // namespace

void copy_plain(cpu::Workers& workers, std::byte* to, const std::byte* from, size_t bytes) {
  split(workers, to, from, bytes, memory_copy);
}

uint64_t read_plain(cpu::Workers& workers, const std::byte* from, size_t bytes) {
  const size_t words = bytes / 8;
  const size_t stretch = words / workers.slots() + 1;
  std::vector<uint64_t> sums(workers.slots());
  workers.run(workers.slots(), [&](size_t i, uint32_t) {
    const auto* word = reinterpret_cast<const uint64_t*>(from);
    const size_t begin = std::min(words, i * stretch), end = std::min(words, begin + stretch);
    // Sixteen independent sums, which compilers turn into several vector accumulators.
    uint64_t sum[16] = {};
    size_t at = begin;
    for (; at + 16 <= end; at += 16) {
      for (size_t k = 0; k < 16; ++k) sum[k] += word[at + k];
    }
    for (; at < end; ++at) sum[0] += word[at];
    for (const uint64_t one : sum) sums[i] += one;
  });
  uint64_t total = 0;
  for (const uint64_t one : sums) total += one;
  return total;
}

#ifdef __x86_64__
void copy_non_temporal(cpu::Workers& workers, std::byte* to, const std::byte* from, size_t bytes) {
  split(workers, to, from, bytes, __builtin_cpu_supports("avx512f") ? stream_avx512 : stream_sse2);
}
bool has_non_temporal_copy() { return true; }
#else
void copy_non_temporal(cpu::Workers& workers, std::byte* to, const std::byte* from, size_t bytes) {
  copy_plain(workers, to, from, bytes);
}
bool has_non_temporal_copy() { return false; }
#endif

}  // namespace onepass::bench
