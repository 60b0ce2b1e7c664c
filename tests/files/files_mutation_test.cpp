// files_mutation_test.cpp: a short run of what the libFuzzer targets do at length: small files of every kind, changed
// at random, are read through the public API. No read may crash, hang, return an inconsistent image or trigger a
// sanitizer. The seed is fixed unless ONEPASS_SEED is set; ONEPASS_MUTATION_COUNT changes the number of files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/files/files_support.hpp"
#include "tests/support/test_seed.hpp"

namespace {

using namespace files_test;

uint32_t environment(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

// Makes one to eight changes of the kinds that find most errors: bits, bytes, extreme numbers, cuts, copies.
Bytes mutated(Bytes bytes, std::mt19937& random) {
  const auto below = [&](size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random); };
  constexpr std::array<uint32_t, 8> kExtremes = {0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
  const size_t changes = 1 + below(8);
  for (size_t i = 0; i < changes && !bytes.empty(); ++i) {
    // More changes in headers: they have more effect than pixels.
    const size_t at = below(2) == 0 ? below(bytes.size()) : below(std::min<size_t>(bytes.size(), 400));
    switch (below(6)) {
      case 0:
        bytes[at] ^= static_cast<std::byte>(1U << below(8));
        break;
      case 1:
        bytes[at] = static_cast<std::byte>(random());
        break;
      case 2:
        if (at + 4 <= bytes.size()) set32(bytes, at, kExtremes[below(kExtremes.size())]);
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), 1 + below(8), static_cast<std::byte>(random()));
        break;
      default: {
        const size_t count = std::min(1 + below(16), bytes.size() - at);
        const size_t from = below(bytes.size() - count + 1);
        const Bytes copy(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                         bytes.begin() + static_cast<std::ptrdiff_t>(from + count));
        std::copy(copy.begin(), copy.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }
  return bytes;
}

TEST(FilesMutation, DamagedFilesGiveErrorsOrImages) {
  const uint32_t seed = onepass::testing::seed_or(20240229);
  const uint32_t count = environment("ONEPASS_MUTATION_COUNT", 20000);
  std::printf("ONEPASS_SEED=%u ONEPASS_MUTATION_COUNT=%u\n", seed, count);
  std::mt19937 random(seed);
  const auto seeds = seed_files();
  uint32_t images = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const auto& [name, original] = seeds[i % seeds.size()];
    Bytes bytes = mutated(original, random);
    if (i % 2 == 0) repair_png_checksums(bytes);
    const auto color = static_cast<onepass::files::Color>(i / seeds.size() % 3);
    const auto file = onepass::files::read_memory(bytes, name, {.color = color, .threads = 1});
    if (!file) {
      ASSERT_EQ(file.error().context, name);
      ASSERT_FALSE(file.error().message.empty());
      continue;
    }
    ++images;
    ASSERT_FALSE(file->levels.empty()) << name << " " << i;
    for (const auto& level : file->levels) {
      ASSERT_EQ(level.format(), file->levels[0].format());
      ASSERT_EQ(level.slices(), file->levels[0].slices());
      // Reads every byte, so that the sanitizers find unwritten and out-of-bounds bytes.
      uint32_t sum = 0;
      for (size_t b = 0; b < level.size_in_bytes(); ++b) sum += std::to_integer<uint32_t>(level.data()[b]);
      ASSERT_LE(sum, 255 * level.size_in_bytes());
    }
  }
  // The mutations must leave some files readable and make some unreadable.
  EXPECT_GT(images, count / 100);
  EXPECT_LT(images, count - count / 10);
}

}  // namespace
