// unpack_kernel_test.cpp: embedded kernels decompress to the modules that the build compiled; damaged ones to nothing.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "vulkan/kernels.hpp"

namespace onepass::vulkan {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<uint32_t> words_of(const Bytes& bytes) {
  std::vector<uint32_t> words((bytes.size() + 3) / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

// An LZ4 frame of one block.
std::vector<uint32_t> frame(const Bytes& block, uint64_t content, bool stored = false) {
  Bytes bytes{0x04, 0x22, 0x4D, 0x18, 0x68, 0x70};
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<uint8_t>(content >> 8 * i));
  bytes.push_back(0);  // header checksum, not looked at
  const auto size = static_cast<uint32_t>(block.size()) | (stored ? 1U << 31 : 0U);
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(size >> 8 * i));
  bytes.insert(bytes.end(), block.begin(), block.end());
  bytes.insert(bytes.end(), 4, 0);
  return words_of(bytes);
}

TEST(UnpackKernel, EveryEmbeddedKernelIsTheModuleThatWasCompiled) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ONEPASS_KERNEL_FOLDER)) {
    const std::filesystem::path& path = entry.path();
    const std::string name = path.stem().string();
    if (path.extension() != ".spv" || name.ends_with(".calls") || !has_kernel(name)) continue;
    std::ifstream file(path, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto code = find_kernel(name);
    ASSERT_TRUE(code) << name;
    EXPECT_TRUE(*code == words_of(bytes)) << name;
    ++count;
  }
  EXPECT_GT(count, 50U);
  EXPECT_FALSE(find_kernel("pyramid_3"));
  EXPECT_FALSE(has_kernel(""));
}

TEST(UnpackKernel, LiteralsCopiesAndLongLengths) {
  // 4 literals, then a copy of 4 + 15 + 255 + 14 = 288 bytes from 4 back, then 4 literals: 296 bytes.
  const auto code = unpack_kernel(frame({0x4F, 'a', 'b', 'c', 'd', 4, 0, 255, 14, 0x40, 'w', 'x', 'y', 'z'}, 296));
  ASSERT_TRUE(code);
  ASSERT_EQ(code->size(), 74U);
  for (size_t i = 0; i < 73; ++i) EXPECT_EQ((*code)[i], 0x64636261U) << i;
  EXPECT_EQ(code->back(), 0x7A797877U);
  // 20 literals: 15 and 5 more.
  Bytes literals{0xF0, 5};
  for (uint8_t i = 0; i < 20; ++i) literals.push_back(i);
  const auto plain = unpack_kernel(frame(literals, 20));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->back(), 0x13121110U);
  const auto stored = unpack_kernel(frame({1, 0, 0, 0}, 4, true));
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->front(), 1U);
}

// `words` as byte planes, uncompressed.
std::vector<uint32_t> rearranged(const std::vector<uint32_t>& words) {
  Bytes planes;
  for (int shift = 0; shift < 32; shift += 8) {
    for (const uint32_t word : words) planes.push_back(static_cast<uint8_t>(word >> shift));
  }
  std::vector<uint32_t> packed = frame(planes, planes.size(), true);
  packed.insert(packed.begin(), 0x524B504FU);
  return packed;
}

TEST(UnpackKernel, BytePlanesAreJoinedAndDifferencesSummed) {
  // Instructions of opcodes 7 and 9; the second and the third of opcode 7 continue the one before them.
  const std::vector<uint32_t> header{1, 2, 3, 4, 5};
  std::vector<uint32_t> differences = header;
  differences.insert(differences.end(), {3U << 16 | 7, 100, 0x04030201});
  differences.insert(differences.end(), {2U << 16 | 9, 8});
  differences.insert(differences.end(), {3U << 16 | 7, 1, 0xFFFFFFFF});
  differences.insert(differences.end(), {2U << 16 | 7, 1});
  std::vector<uint32_t> module = header;
  module.insert(module.end(), {3U << 16 | 7, 100, 0x04030201});
  module.insert(module.end(), {2U << 16 | 9, 8});
  module.insert(module.end(), {3U << 16 | 7, 101, 0x04030200});
  module.insert(module.end(), {2U << 16 | 7, 102});
  const auto code = unpack_kernel(rearranged(differences));
  ASSERT_TRUE(code);
  EXPECT_EQ(*code, module);

  std::vector<uint32_t> packed = rearranged(differences);
  packed.resize(5);
  EXPECT_FALSE(unpack_kernel(packed)) << "ends too early";
  differences.push_back(2U << 16 | 7);
  EXPECT_FALSE(unpack_kernel(rearranged(differences))) << "an instruction reaches beyond the module";
  differences.back() = 7;
  EXPECT_FALSE(unpack_kernel(rearranged(differences))) << "an instruction without words";
}

TEST(UnpackKernel, DamagedOnesAreRefused) {
  const Bytes block{0x4F, 'a', 'b', 'c', 'd', 4, 0, 255, 14, 0x40, 'w', 'x', 'y', 'z'};
  EXPECT_FALSE(unpack_kernel({}));
  EXPECT_FALSE(unpack_kernel(frame(block, 292)));                               // longer than it says
  EXPECT_FALSE(unpack_kernel(frame(block, 300)));                               // shorter
  EXPECT_FALSE(unpack_kernel(frame(block, uint64_t{1} << 40)));                 // absurd
  EXPECT_FALSE(unpack_kernel(frame({0x4F, 'a', 'b', 'c', 'd', 5, 0, 0}, 24)));  // a copy from before the start
  EXPECT_FALSE(unpack_kernel(frame({0x4F, 'a', 'b', 'c', 'd', 0, 0, 0}, 24)));
  EXPECT_FALSE(unpack_kernel(frame({0xF0, 255}, 400)));  // a length without an end
  EXPECT_FALSE(unpack_kernel(frame({1, 0, 0, 0}, 8, true)));
  const std::vector<uint32_t> whole = frame(block, 296);
  for (size_t count = 0; count + 1 < whole.size(); ++count) {
    EXPECT_FALSE(unpack_kernel(std::span(whole).first(count))) << count;
  }
}

}  // namespace
}  // namespace onepass::vulkan
