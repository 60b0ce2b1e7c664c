// unpack_kernel_test.cpp: embedded kernels decompress to the modules that the build compiled, streams of the program xz
// to what it has compressed, and damaged ones to nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/vulkan/all_kernels.hpp"
#include "vulkan/kernels.hpp"
#include "vulkan/lzma.hpp"

#ifdef ONEPASS_XZ
#include "tests/files/files_support.hpp"
#include "tests/support/shell_word.hpp"
#endif

namespace onepass::vulkan {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> chars{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Bytes bytes(chars.size());
  std::memcpy(bytes.data(), chars.data(), chars.size());
  return bytes;
}

std::vector<uint32_t> words_of(const Bytes& bytes) {
  std::vector<uint32_t> words((bytes.size() + 3) / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

TEST(UnpackKernel, EveryEmbeddedKernelIsTheModuleThatWasCompiled) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ONEPASS_KERNEL_FOLDER)) {
    if (entry.path().extension() != ".spv") continue;
    const std::string name = entry.path().stem().string();
    const auto code = testing::find_kernel(name);
    if (!code) continue;
    EXPECT_TRUE(*code == words_of(bytes_of_file(entry.path()))) << name;
    ++count;
  }
  EXPECT_GT(count, 50U);
  EXPECT_FALSE(testing::find_kernel("pyramid_3"));
  EXPECT_FALSE(testing::find_kernel(""));
  EXPECT_TRUE(has_kernel(kPyramidKernels, "pyramid_4"));
  EXPECT_FALSE(has_kernel(kPyramidKernels, "bloom"));
}

TEST(UnpackKernel, StoredGroupsAndEntriesBeyondThem) {
  const std::vector<uint32_t> words{1, 2, 3, 4, 5};
  const KernelGroup groups[] = {{words, 0}};
  const KernelEntry entries[] = {{"a", 0, 0, 2}, {"b", 0, 2, 3}, {"too long", 0, 3, 3}, {"no group", 1, 0, 1}};
  const KernelSet set{entries, groups};
  EXPECT_EQ(find_kernel(set, "a"), (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(find_kernel(set, "b"), (std::vector<uint32_t>{3, 4, 5}));
  EXPECT_FALSE(find_kernel(set, "too long"));
  EXPECT_FALSE(find_kernel(set, "no group"));
}

#ifdef ONEPASS_XZ
class Lzma : public ::testing::Test {
 protected:
  [[nodiscard]] Bytes compressed(const Bytes& bytes) const {
    files_test::save(directory_ / "plain", bytes);
    const std::string command = testing::shell_word(ONEPASS_XZ) +
                                " --format=raw --lzma1=preset=9e,lc=0,lp=2,pb=2,dict=4MiB --stdout " +
                                testing::shell_word((directory_ / "plain").string()) + " > " +
                                testing::shell_word((directory_ / "packed").string());
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return bytes_of_file(directory_ / "packed");
  }

  files_test::TempDirectory directory_;
  std::mt19937 random_{12345};
};

Bytes decompressed(const Bytes& packed, size_t size) {
  Bytes out(size);
  return decompress_lzma(packed, out) ? out : Bytes{};
}

// Noise: literals. Words of few values, and earlier parts again from all distances up to 3 MiB with some bytes changed:
// copies of all lengths, repeated distances, literals after copies.
TEST_F(Lzma, StreamsOfXzAreWhatItHasCompressed) {
  for (const size_t size : {1, 2, 3, 4, 5, 100, 4099, 65537, 3 << 20}) {
    Bytes noise(size), parts;
    for (std::byte& byte : noise) byte = static_cast<std::byte>(random_());
    while (parts.size() < size) {
      const size_t length = 1 + random_() % (random_() % 4 == 0 ? 5000 : 12);
      if (parts.empty() || random_() % 3 == 0) {
        for (size_t i = 0; i < length; ++i) parts.push_back(static_cast<std::byte>(random_() % 5));
      } else {
        const size_t back = 1 + random_() % std::min(parts.size(), size_t{1} << random_() % 22);
        for (size_t i = 0; i < length; ++i) parts.push_back(parts[parts.size() - back]);
        if (random_() % 2 == 0) parts.back() ^= std::byte{1};
      }
    }
    for (const Bytes& plain : {noise, parts, Bytes(size, std::byte{7})}) {
      const Bytes packed = compressed(plain);
      EXPECT_TRUE(decompressed(packed, plain.size()) == plain) << size;
      const size_t first = plain.size() / 2;  // less than the stream holds
      EXPECT_TRUE(decompressed(packed, first) == Bytes(plain.begin(), plain.begin() + static_cast<ptrdiff_t>(first)));
      EXPECT_TRUE(decompressed(packed, plain.size() + 1).empty()) << "more than the stream holds";
    }
  }
}

// Cut streams give nothing; changed ones give other bytes or nothing, and touch no memory outside (sanitizers).
TEST_F(Lzma, DamagedStreamsAreRefused) {
  Bytes plain;
  for (int i = 0; i < 3000; ++i) plain.push_back(static_cast<std::byte>(i % 7 * (random_() % 3)));
  const Bytes packed = compressed(plain);
  for (size_t size = 0; size + 12 < packed.size(); ++size) {  // the last bytes are the mark of the end
    EXPECT_TRUE(
        decompressed(Bytes(packed.begin(), packed.begin() + static_cast<ptrdiff_t>(size)), plain.size()).empty())
        << size;
  }
  for (size_t i = 0; i < packed.size(); ++i) {
    Bytes changed = packed;
    changed[i] ^= static_cast<std::byte>(1 + random_() % 255);
    decompressed(changed, plain.size());
    if (i == 0) {
      EXPECT_TRUE(decompressed(changed, plain.size()).empty()) << "the first byte is always 0";
    }
  }
}

TEST_F(Lzma, OperandsAreSumsOfDifferences) {
  // Instructions of opcodes 7 and 9; the second and the third of opcode 7 continue the one before them.
  std::vector<uint32_t> differences{1, 2, 3, 4, 5, 3U << 16 | 7, 100, 0x04030201, 2U << 16 | 9, 8};
  differences.insert(differences.end(), {3U << 16 | 7, 1, 0xFFFFFFFF, 2U << 16 | 7, 1});
  std::vector<uint32_t> module{1, 2, 3, 4, 5, 3U << 16 | 7, 100, 0x04030201, 2U << 16 | 9, 8};
  module.insert(module.end(), {3U << 16 | 7, 101, 0x04030200, 2U << 16 | 7, 102});
  const auto unpacked = [&](const std::vector<uint32_t>& words, size_t cut = 0) {
    Bytes plain(4 * words.size());
    std::memcpy(plain.data(), words.data(), plain.size());
    const Bytes packed = compressed(plain);
    const std::vector<uint32_t> content = words_of(packed);
    const KernelGroup groups[] = {{content, static_cast<uint32_t>(packed.size() - cut)}};
    const KernelEntry entries[] = {{"first", 0, 0, 15}, {"rest", 0, 15, static_cast<uint32_t>(words.size() - 15)}};
    return find_kernel(KernelSet{entries, groups}, words.size() > 15 ? "rest" : "first");
  };
  EXPECT_EQ(unpacked(differences), module);
  EXPECT_FALSE(unpacked(differences, 20)) << "ends too early";
  std::vector<uint32_t> two = differences;  // the module after another one, whose operands do not count
  two.insert(two.end(), differences.begin(), differences.end());
  EXPECT_EQ(unpacked(two), module);
  differences[13] = 7U << 16 | 7;
  EXPECT_FALSE(unpacked(differences)) << "an instruction reaches beyond the module";
  differences[13] = 7;
  EXPECT_FALSE(unpacked(differences)) << "an instruction without words";
}

TEST_F(Lzma, GroupsBeyondTheirContentAreRefused) {
  const std::vector<uint32_t> content(4);
  const KernelGroup groups[] = {{content, 17}};
  const KernelEntry entries[] = {{"a", 0, 0, 1}};
  EXPECT_FALSE(find_kernel(KernelSet{entries, groups}, "a"));
}
#endif

}  // namespace
}  // namespace onepass::vulkan
