// unpack_kernel_test.cpp: embedded kernels are the modules that the build compiled, but for the names of ids; streams
// of the program xz decompress to what it has compressed, and damaged ones to nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
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

// Packing renames ids: equal words, or words that are below the bound and replace each other everywhere in functions
// and in declarations alike. Modules with other words are no such pair.
::testing::AssertionResult equal_but_for_ids(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  constexpr size_t kHeader = 5;
  constexpr size_t kBound = 3;
  if (a.size() != b.size() || a.size() < kHeader) return ::testing::AssertionFailure() << "other sizes";
  if (a[0] != b[0] || a[1] != b[1] || a[4] != b[4]) return ::testing::AssertionFailure() << "other headers";
  std::map<uint32_t, uint32_t> there, back;
  for (size_t at = kHeader; at < a.size();) {
    const size_t length = a[at] >> 16;
    if (a[at] != b[at] || length == 0 || length > a.size() - at) {
      return ::testing::AssertionFailure() << "another instruction at word " << at;
    }
    for (size_t i = at + 1; i < at + length; ++i) {
      if (a[i] == b[i]) continue;
      const bool ids = a[i] > 0 && a[i] < a[kBound] && b[i] > 0 && b[i] < b[kBound];
      if (!ids || there.emplace(a[i], b[i]).first->second != b[i] || back.emplace(b[i], a[i]).first->second != a[i]) {
        return ::testing::AssertionFailure() << "word " << i << " is " << b[i] << ", not " << a[i];
      }
    }
    at += length;
  }
  return ::testing::AssertionSuccess();
}

TEST(UnpackKernel, EveryEmbeddedKernelIsTheModuleThatWasCompiled) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ONEPASS_KERNEL_FOLDER)) {
    if (entry.path().extension() != ".spv") continue;
    const std::string name = entry.path().stem().string();
    const auto code = testing::find_kernel(name);
    if (!code) continue;
    EXPECT_TRUE(equal_but_for_ids(words_of(bytes_of_file(entry.path())), *code)) << name;
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
  const KernelEntry entries[] = {{"a", 0, 0, 8}, {"b", 0, 8, 12}, {"too long", 0, 12, 12}, {"no group", 1, 0, 4}};
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
                                " --format=raw --lzma1=preset=9e,lc=0,lp=0,pb=0,dict=4MiB --stdout " +
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

constexpr uint32_t instruction(uint32_t length, uint32_t opcode) { return length << 16 | opcode; }

// The numbers of a module of 12 ids, of which 1 to 7 are shared, as cmake/pack_kernels.pl describes them.
const std::vector<uint32_t> kHeaderNumbers{0x07230203, 0x00010500, 42, 12, 7};
const std::vector<uint32_t> kNumbers{
    23,  3, 20, 18,     // before the first function: twice 10 and 9, which do not count as its ids
    54,  4, 2,  1,  6,  // twice 1, distance 0: the id after 7, twice 3
    61,  4, 4,  1,  5,  // twice 2, distance 0: the id after 8, distance 2 from there: 8
    249, 2, 7,          // distance 3 of four ids: the second id after 9
    253, 1};
const std::vector<uint32_t> kModule{0x07230203,
                                    0x00010500,
                                    42,
                                    12,
                                    0,  // the header
                                    instruction(3, 23),
                                    10,
                                    9,
                                    instruction(4, 54),
                                    1,
                                    8,
                                    3,  //
                                    instruction(4, 61),
                                    2,
                                    9,
                                    8,
                                    instruction(2, 249),
                                    11,
                                    instruction(1, 253)};

Bytes bytes_of_numbers(const std::vector<uint32_t>& numbers) {
  Bytes bytes;
  for (const uint32_t number : numbers) {
    for (uint32_t shift = 28; shift > 0; shift -= 7) {
      if (number >> shift != 0) bytes.push_back(static_cast<std::byte>((number >> shift & 0x7F) | 0x80));
    }
    bytes.push_back(static_cast<std::byte>(number & 0x7F));
  }
  return bytes;
}

TEST_F(Lzma, ModulesAreTheirNumbers) {
  const auto unpacked = [&](const Bytes& before, const Bytes& module, size_t cut = 0) {
    Bytes plain = before;
    plain.insert(plain.end(), module.begin(), module.end());
    const Bytes packed = compressed(plain);
    const std::vector<uint32_t> content = words_of(packed);
    const KernelGroup groups[] = {{content, static_cast<uint32_t>(packed.size() - cut)}};
    const KernelEntry entries[] = {
        {"name", 0, static_cast<uint32_t>(before.size()), static_cast<uint32_t>(module.size())}};
    return find_kernel(KernelSet{entries, groups}, "name");
  };
  const auto all_numbers = [](const std::vector<uint32_t>& header, const std::vector<uint32_t>& rest) {
    std::vector<uint32_t> all = header;
    all.insert(all.end(), rest.begin(), rest.end());
    return bytes_of_numbers(all);
  };
  const Bytes numbers = all_numbers(kHeaderNumbers, kNumbers);
  EXPECT_EQ(unpacked({}, numbers), kModule);
  EXPECT_EQ(unpacked(numbers, numbers), kModule) << "after another one";
  EXPECT_FALSE(unpacked({}, numbers, 20)) << "ends too early";
  for (size_t size = 0; size < numbers.size(); ++size) {
    const auto part = unpacked({}, Bytes(numbers.begin(), numbers.begin() + static_cast<ptrdiff_t>(size)));
    if (part) {  // what ends behind an instruction
      EXPECT_TRUE(std::equal(part->begin(), part->end(), kModule.begin())) << size;
    }
  }
  const auto with_header = [&](size_t place, uint32_t number) {
    std::vector<uint32_t> header = kHeaderNumbers;
    header[place] = number;
    return unpacked({}, all_numbers(header, kNumbers));
  };
  EXPECT_FALSE(with_header(3, 0)) << "no ids";
  EXPECT_FALSE(with_header(4, 11)) << "no ids that are not shared";
  EXPECT_TRUE(with_header(4, 10)) << "one id that is not shared";
  const auto with_instruction = [&](uint32_t opcode, uint32_t length) {
    std::vector<uint32_t> rest = kNumbers;
    rest[0] = opcode;
    rest[1] = length;
    return unpacked({}, all_numbers(kHeaderNumbers, rest));
  };
  EXPECT_FALSE(with_instruction(23, 0)) << "an instruction without words";
  EXPECT_FALSE(with_instruction(23, 30)) << "an instruction beyond the module";
  EXPECT_FALSE(with_instruction(23, 0x10000)) << "a length of more than 16 bits";
  EXPECT_FALSE(with_instruction(0x10000, 3)) << "an opcode of more than 16 bits";
  Bytes longer = numbers;
  longer.insert(longer.begin(), 6, std::byte{0xFF});
  EXPECT_FALSE(unpacked({}, longer)) << "a number of more than 33 bits";
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
