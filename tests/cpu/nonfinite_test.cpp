// nonfinite_test.cpp: find_nonfinite() and replace_nonfinite(). Oracle: the bits of exponents and mantissas, texel by
// texel.
#include "onepass/nonfinite.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "image/row_nonfinite.hpp"
#include "tbb/global_control.h"
#include "tests/cpu/simd_targets.hpp"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {
namespace {

// ---- The oracle

/// The bits of a channel in a texel, from the lowest: mantissa, exponent, sign.
struct ChannelLayout {
  uint32_t shift = 0;  ///< In bits from the beginning of the texel; bytes are little-endian.
  uint32_t mantissa_bits = 0, exponent_bits = 0;
  bool sign = true;
  [[nodiscard]] uint32_t bits() const { return mantissa_bits + exponent_bits + (sign ? 1 : 0); }
};

struct TexelLayout {
  Format format;
  std::vector<ChannelLayout> channels;
};

const std::vector<TexelLayout>& layouts() {
  static const std::vector<TexelLayout> all = [] {
    const auto equal = [](Format format, uint32_t count, uint32_t mantissa, uint32_t exponent) {
      TexelLayout layout{format, {}};
      for (uint32_t c = 0; c < count; ++c)
        layout.channels.push_back({c * (1 + mantissa + exponent), mantissa, exponent});
      return layout;
    };
    return std::vector<TexelLayout>{
        equal(Format::kR16Sfloat, 1, 10, 5),
        equal(Format::kRG16Sfloat, 2, 10, 5),
        equal(Format::kRGBA16Sfloat, 4, 10, 5),
        equal(Format::kR32Sfloat, 1, 23, 8),
        equal(Format::kRG32Sfloat, 2, 23, 8),
        equal(Format::kRGBA32Sfloat, 4, 23, 8),
        equal(Format::kD32Sfloat, 1, 23, 8),
        equal(Format::kD32SfloatS8, 1, 23, 8),
        {Format::kB10G11R11Ufloat, {{0, 6, 5, false}, {11, 6, 5, false}, {22, 5, 5, false}}}};
  }();
  return all;
}

uint32_t ones(uint32_t count) { return count == 32 ? ~0U : (1U << count) - 1; }

uint32_t read_code(const ChannelLayout& channel, const std::byte* texel) {
  uint32_t word = 0;
  std::memcpy(&word, texel + channel.shift / 16 * 2, channel.bits() == 16 ? 2 : 4);
  if (channel.bits() < 16) std::memcpy(&word, texel, 4);
  return (channel.bits() < 16 ? word >> channel.shift : word) & ones(channel.bits());
}

void write_code(const ChannelLayout& channel, uint32_t code, std::byte* texel) {
  if (channel.bits() >= 16) {
    std::memcpy(texel + channel.shift / 8, &code, channel.bits() / 8);
    return;
  }
  uint32_t word = 0;
  std::memcpy(&word, texel, 4);
  word = (word & ~(ones(channel.bits()) << channel.shift)) | code << channel.shift;
  std::memcpy(texel, &word, 4);
}

enum class Kind { kFinite, kInfinite, kNan };

Kind kind_of(const ChannelLayout& channel, uint32_t code) {
  const uint32_t exponent = code >> channel.mantissa_bits & ones(channel.exponent_bits);
  if (exponent != ones(channel.exponent_bits)) return Kind::kFinite;
  return (code & ones(channel.mantissa_bits)) != 0 ? Kind::kNan : Kind::kInfinite;
}

/// Zeros, denormals, 1, the largest finite value, Inf, NaN with all kinds of payloads, either sign.
std::vector<uint32_t> special_codes(const ChannelLayout& channel) {
  const uint32_t m = channel.mantissa_bits, infinity = ones(channel.exponent_bits) << m;
  std::vector<uint32_t> codes = {0,
                                 1,
                                 ones(m),
                                 1U << m,
                                 ones(channel.exponent_bits - 1) << m,
                                 infinity - 1,
                                 infinity,
                                 infinity | 1,
                                 infinity | 1U << (m - 1),
                                 infinity | ones(m)};
  if (channel.sign) {
    for (size_t i = 0, count = codes.size(); i < count; ++i) codes.push_back(codes[i] | 1U << (channel.bits() - 1));
  }
  return codes;
}

/// The definitions of nonfinite.hpp, texel by texel. Replaces values in `rewritten` unless it is null.
NonFinite oracle(const TexelLayout& layout, const ImageView& image, const NonFiniteOptions& options,
                 const MutableImageView* rewritten = nullptr) {
  NonFinite out;
  Rect rect = options.rect;
  if (rect == Rect{}) rect = {0, 0, image.size.width, image.size.height};
  const size_t texel_bytes = format_info(image.format).bytes_per_texel;
  for (uint32_t slice = 0; slice < image.slices; ++slice) {
    for (uint32_t y = rect.y; y < rect.y + rect.height; ++y) {
      for (uint32_t x = rect.x; x < rect.x + rect.width; ++x) {
        const std::byte* texel = image.row(y, slice) + x * texel_bytes;
        int nan = -1, infinite = -1;
        for (int c = static_cast<int>(layout.channels.size()) - 1; c >= 0; --c) {
          const ChannelLayout& channel = layout.channels[static_cast<size_t>(c)];
          const uint32_t code = read_code(channel, texel);
          const Kind kind = kind_of(channel, code);
          const bool replaced = kind == Kind::kNan || (kind == Kind::kInfinite && options.infinite);
          if (kind == Kind::kNan) nan = c;
          if (kind == Kind::kInfinite && options.infinite) infinite = c;
          if (!replaced || rewritten == nullptr) continue;
          const bool negative = channel.sign && code >> (channel.bits() - 1) != 0;
          const uint32_t largest =
              (ones(channel.exponent_bits) - 1) << channel.mantissa_bits | ones(channel.mantissa_bits);
          write_code(channel, kind == Kind::kNan ? 0 : largest | (negative ? 1U << (channel.bits() - 1) : 0),
                     rewritten->row(y, slice) + x * texel_bytes);
        }
        const int offending = nan >= 0 ? nan : infinite;
        if (offending < 0) continue;
        if (out.count() == 0) {
          float value = std::numeric_limits<float>::quiet_NaN();
          if (nan < 0) {
            const ChannelLayout& channel = layout.channels[static_cast<size_t>(infinite)];
            const bool negative = channel.sign && read_code(channel, texel) >> (channel.bits() - 1) != 0;
            value = negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
          }
          out.first = {x, y, slice, static_cast<uint32_t>(offending), value};
        }
        ++(nan >= 0 ? out.nan_count : out.infinite_count);
      }
    }
  }
  return out;
}

bool same_value(float a, float b) { return std::isnan(a) ? std::isnan(b) : a == b; }

::testing::AssertionResult same(const Result<NonFinite>& actual, const NonFinite& expected) {
  if (!actual) return ::testing::AssertionFailure() << actual.error().text();
  const auto text = [](const NonFinite& n) {
    return "nan " + std::to_string(n.nan_count) + ", infinite " + std::to_string(n.infinite_count) + ", first " +
           std::to_string(n.first.value) + " in channel " + std::to_string(n.first.channel) + " at " +
           std::to_string(n.first.x) + ", " + std::to_string(n.first.y) + " of slice " + std::to_string(n.first.slice);
  };
  const NonFiniteTexel &a = actual->first, &b = expected.first;
  if (actual->nan_count == expected.nan_count && actual->infinite_count == expected.infinite_count && a.x == b.x &&
      a.y == b.y && a.slice == b.slice && a.channel == b.channel && same_value(a.value, b.value)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << text(*actual) << "; expected " << text(expected);
}

// ---- Images

/// Random finite texels; the share `share` of channels has special values, including NaN and Inf. Gaps are NaN.
class Specimen {
 public:
  Specimen(const TexelLayout& layout, Extent size, uint32_t slices, double share, Random& random, size_t gap = 24)
      : layout_(layout) {
    const size_t texel_bytes = format_info(layout.format).bytes_per_texel;
    const size_t row_stride = size.width * texel_bytes + gap;
    const size_t slice_stride = row_stride * size.height + 2 * gap;
    bytes_.assign(slice_stride * slices, std::byte{0xFF});
    view_ = {bytes_.data(), layout.format, size, slices, row_stride, slice_stride};
    std::vector<std::vector<uint32_t>> special;
    for (const ChannelLayout& channel : layout.channels) special.push_back(special_codes(channel));
    for (uint32_t slice = 0; slice < slices; ++slice) {
      for (uint32_t y = 0; y < size.height; ++y) {
        for (uint32_t x = 0; x < size.width; ++x) {
          for (size_t c = 0; c < special.size(); ++c) {
            const ChannelLayout& channel = layout.channels[c];
            uint32_t code = random.word() & ones(channel.bits());
            if (kind_of(channel, code) != Kind::kFinite) code ^= 1U << channel.mantissa_bits;
            if (random.between(0, 1) < share) code = special[c][random.below(static_cast<uint32_t>(special[c].size()))];
            write_code(channel, code, view_.row(y, slice) + x * texel_bytes);
          }
        }
      }
    }
  }
  Specimen(const Specimen&) = delete;

  /// Results and bytes of both functions equal those of the oracle.
  void expect_exact(const NonFiniteOptions& options) {
    const std::vector<std::byte> before = bytes_;
    const NonFinite expected = oracle(layout_, view_, options);
    EXPECT_TRUE(same(find_nonfinite(view_, options), expected));
    EXPECT_TRUE(bytes_ == before) << "find_nonfinite wrote";
    oracle(layout_, view_, options, &view_);
    std::vector<std::byte> replaced = bytes_;
    std::copy(before.begin(), before.end(), bytes_.begin());
    EXPECT_TRUE(same(replace_nonfinite(view_, options), expected));
    EXPECT_TRUE(bytes_ == replaced);
    EXPECT_TRUE(same(find_nonfinite(view_, options), {}));
    std::copy(before.begin(), before.end(), bytes_.begin());
  }

  [[nodiscard]] MutableImageView view() const { return view_; }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  const TexelLayout& layout_;
  std::vector<std::byte> bytes_;
  MutableImageView view_;
};

void set_texel(const MutableImageView& image, uint32_t x, uint32_t y, uint32_t slice, std::array<float, 4> rgba) {
  encode_row(image.format, rgba.data(), 1, image.row(y, slice) + x * format_info(image.format).bytes_per_texel);
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// ---- Tests

TEST(NonFinite, EveryFloatFormatIsLaidOutHere) {
  size_t floats = 0;
  for (const FormatInfo& info : all_formats()) floats += info.type == ChannelType::kFloat ? 1 : 0;
  EXPECT_EQ(floats, layouts().size());
}

TEST(NonFinite, BitPatternsOfEveryFormatSizeAndTarget) {
  for (const size_t target : machine_targets()) {
    const OnlyTarget only(target);
    for (const TexelLayout& layout : layouts()) {
      for (const Extent size :
           {Extent{1, 1}, Extent{3, 2}, Extent{17, 5}, Extent{64, 3}, Extent{129, 4}, Extent{1000, 3}}) {
        for (const double share : {0.0, 0.002, 0.1, 1.0}) {
          SCOPED_TRACE(std::string(name_of_target(target)) + " " + std::string(format_info(layout.format).name) + " " +
                       std::to_string(size.width) + "x" + std::to_string(size.height) + ", share " +
                       std::to_string(share));
          Random random(size.width + 7);
          Specimen image(layout, size, 1 + size.width % 3, share, random);
          image.expect_exact({});
          image.expect_exact({.infinite = false});
          if (size.width > 2) image.expect_exact({.rect = {1, 1, size.width - 2, size.height - 1}});
        }
      }
    }
  }
}

TEST(NonFinite, EveryCodeOfHalvesAndPackedFloats) {
  for (const TexelLayout& layout : layouts()) {
    if (layout.channels[0].bits() > 16) continue;
    Random random(3);
    for (size_t c = 0; c < layout.channels.size(); ++c) {
      const ChannelLayout& channel = layout.channels[c];
      Specimen image(layout, {1U << channel.bits(), 1}, 1, 0, random);
      for (uint32_t code = 0; code <= ones(channel.bits()); ++code) {
        write_code(channel, code, image.view().row(0) + size_t{code} * format_info(layout.format).bytes_per_texel);
      }
      image.expect_exact({});
      const uint64_t nan_codes = (uint64_t{1} << channel.mantissa_bits) - 1;
      EXPECT_EQ(find_nonfinite(image.view())->nan_count, nan_codes * (channel.sign ? 2 : 1));
      EXPECT_EQ(find_nonfinite(image.view())->infinite_count, channel.sign ? 2U : 1U);
    }
  }
}

// The library works in bands of 256 KiB. The images have many bands, and the first texel found may be in any.
TEST(NonFinite, SameForAnyNumberOfThreads) {
  const tbb::global_control allow_more_threads_than_cores(tbb::global_control::max_allowed_parallelism, 7);
  Random random(5);
  const TexelLayout& layout = layouts()[5];
  ASSERT_EQ(layout.format, Format::kRGBA32Sfloat);
  for (const double share : {0.0, 1e-5, 0.01}) {
    const Specimen image(layout, {611, 200}, 2, share, random);
    const NonFinite expected = oracle(layout, image.view(), {});
    for (const uint32_t threads : {1U, 2U, 7U, 0U}) {
      EXPECT_TRUE(same(find_nonfinite(image.view(), {.threads = threads}), expected)) << threads;
    }
    const std::vector<std::byte> before = image.bytes();
    ASSERT_TRUE(same(replace_nonfinite(image.view(), {.threads = 1}), expected));
    const std::vector<std::byte> after = image.bytes();
    for (const uint32_t threads : {2U, 7U, 0U}) {
      std::copy(before.begin(), before.end(), static_cast<std::byte*>(image.view().data));
      EXPECT_TRUE(same(replace_nonfinite(image.view(), {.threads = threads}), expected)) << threads;
      EXPECT_TRUE(image.bytes() == after) << threads;
    }
  }
}

TEST(NonFinite, FirstIsTheFirstOfItsSliceRowAndColumn) {
  auto image = Image::create(Format::kRGBA32Sfloat, {300, 200}, 3);
  ASSERT_TRUE(image);
  std::fill_n(image->data(), image->size_in_bytes(), std::byte{0});
  set_texel(image->view(), 2, 0, 2, {kNan, 0, 0, 0});
  set_texel(image->view(), 1, 150, 1, {0, 0, kInf, -kInf});
  set_texel(image->view(), 299, 149, 1, {-kInf, 1, 2, kNan});
  EXPECT_TRUE(same(find_nonfinite(image->view()), {2, 1, {299, 149, 1, 3, kNan}}));
  EXPECT_TRUE(same(find_nonfinite(image->view(), {.rect = {0, 150, 10, 50}}), {0, 1, {1, 150, 1, 2, kInf}}));
  EXPECT_TRUE(
      same(find_nonfinite(image->view(), {.infinite = false, .rect = {0, 0, 10, 200}}), {1, 0, {2, 0, 2, 0, kNan}}));
  EXPECT_TRUE(same(find_nonfinite(image->view(), {.rect = {3, 0, 290, 200}}), {}));
}

// A texel counts once, however many of its channels are not finite; NaN has priority over Inf.
TEST(NonFinite, TexelsAreCountedNotChannels) {
  for (const Format format : {Format::kRGBA16Sfloat, Format::kRGBA32Sfloat}) {
    auto image = Image::create(format, {40, 1});
    ASSERT_TRUE(image);
    std::fill_n(image->data(), image->size_in_bytes(), std::byte{0});
    set_texel(image->view(), 3, 0, 0, {kInf, kNan, kNan, -kInf});
    set_texel(image->view(), 4, 0, 0, {0, 0, 0, kNan});
    set_texel(image->view(), 5, 0, 0, {kInf, kInf, -kInf, 0});
    EXPECT_TRUE(same(find_nonfinite(image->view()), {2, 1, {3, 0, 0, 1, kNan}}));
    EXPECT_TRUE(same(find_nonfinite(image->view(), {.infinite = false}), {2, 0, {3, 0, 0, 1, kNan}}));
    EXPECT_EQ(find_nonfinite(image->view())->count(), 3U);
  }
}

TEST(NonFinite, ReplacedByTheLargestFiniteValue) {
  struct Case {
    Format format;
    std::array<float, 4> before, after;
  };
  constexpr float kMost = std::numeric_limits<float>::max();
  for (const Case& c : {Case{Format::kRGBA32Sfloat, {kNan, kInf, -kInf, 7}, {0, kMost, -kMost, 7}},
                        Case{Format::kRGBA16Sfloat, {kNan, kInf, -kInf, 7}, {0, 65504, -65504, 7}},
                        Case{Format::kB10G11R11Ufloat, {kInf, kInf, kInf, 1}, {65024, 65024, 64512, 1}},
                        Case{Format::kB10G11R11Ufloat, {kNan, 7, kNan, 1}, {0, 7, 0, 1}},
                        Case{Format::kD32Sfloat, {-kInf, 0, 0, 1}, {-kMost, 0, 0, 1}}}) {
    auto image = Image::create(c.format, {1, 1});
    ASSERT_TRUE(image);
    set_texel(image->view(), 0, 0, 0, c.before);
    ASSERT_EQ(find_nonfinite(image->view())->count(), 1U);
    ASSERT_TRUE(replace_nonfinite(image->view()));
    std::array<float, 4> rgba{};
    decode_row(c.format, image->data(), 1, rgba.data());
    EXPECT_EQ(rgba, c.after);
    EXPECT_FALSE(std::signbit(rgba[0]) && rgba[0] == 0);
  }
}

// The scalar row functions, which no test machine selects.
TEST(NonFinite, PlainRowFunctionsAgree) {
  for (const TexelLayout& layout : layouts()) {
    for (const bool infinite : {true, false}) {
      Random random(13);
      const Specimen image(layout, {97, 1}, 1, 0.2, random);
      const NonFiniteOptions options{.infinite = infinite};
      const NonFinite expected = oracle(layout, image.view(), options);
      const auto check = [&](const image::NonFiniteCounts& n) {
        EXPECT_TRUE(
            same(NonFinite{n.nan, n.infinite, {static_cast<uint32_t>(n.x), 0, 0, n.channel, n.value}}, expected))
            << format_info(layout.format).name;
      };
      image::NonFiniteCounts found, replaced;
      image::find_nonfinite_scalar(layout.format, image.view().row(0), 97, infinite, found);
      check(found);
      const std::vector<std::byte> before = image.bytes();
      ASSERT_TRUE(replace_nonfinite(image.view(), options));
      const std::vector<std::byte> after = image.bytes();
      std::copy(before.begin(), before.end(), static_cast<std::byte*>(image.view().data));
      image::replace_nonfinite_scalar(layout.format, image.view().row(0), 97, infinite, replaced);
      check(replaced);
      EXPECT_TRUE(image.bytes() == after) << format_info(layout.format).name;
    }
  }
}

// The rows end at the end of a page; the next page is inaccessible.
TEST(NonFinite, NothingBeyondARowIsReadOrWritten) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<std::byte*>(pages) + page, page, PROT_NONE), 0);
  for (const size_t target : machine_targets()) {
    const OnlyTarget only(target);
    for (const TexelLayout& layout : layouts()) {
      const uint32_t bytes = format_info(layout.format).bytes_per_texel;
      for (uint32_t width = 1; width <= 70; ++width) {
        std::fill_n(static_cast<std::byte*>(pages), page, std::byte{0xFF});
        const MutableImageView image{static_cast<std::byte*>(pages) + page - size_t{width} * bytes,
                                     layout.format,
                                     {width, 1},
                                     1,
                                     size_t{width} * bytes,
                                     0};
        EXPECT_EQ(find_nonfinite(image)->nan_count, width);
        EXPECT_EQ(replace_nonfinite(image)->nan_count, width);
        EXPECT_EQ(static_cast<std::byte*>(pages)[page - size_t{width} * bytes - 1], std::byte{0xFF});
        EXPECT_EQ(static_cast<std::byte*>(pages)[page - 1], std::byte{0});
      }
    }
  }
  munmap(pages, 2 * page);
}

TEST(NonFinite, UnormFormatsAreNotRead) {
  for (const FormatInfo& info : all_formats()) {
    if (info.type == ChannelType::kFloat) continue;
    const MutableImageView image{reinterpret_cast<void*>(uintptr_t{64}), info.format, {9, 9}, 2, 999, 99999};
    EXPECT_TRUE(same(find_nonfinite(image), {})) << info.name;
    EXPECT_TRUE(same(replace_nonfinite(image), {})) << info.name;
  }
}

TEST(NonFinite, ViewsAndRectanglesAreChecked) {
  std::array<float, 12> texels{};
  const ImageView good{texels.data(), Format::kR32Sfloat, {4, 3}, 1, 16, 0};
  ASSERT_TRUE(find_nonfinite(good));
  const auto refused = [](const ImageView& image, const NonFiniteOptions& options, const std::string& words) {
    const auto found = find_nonfinite(image, options);
    ASSERT_FALSE(found) << words;
    EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(found.error().message.find(words), std::string::npos) << found.error().message;
    const MutableImageView same_image{
        const_cast<void*>(image.data), image.format, image.size, image.slices, image.row_stride, image.slice_stride};
    const auto replaced = replace_nonfinite(same_image, options);
    ASSERT_FALSE(replaced);
    EXPECT_EQ(replaced.error().message, found.error().message);
  };
  ImageView bad = good;
  bad.data = nullptr;
  refused(bad, {}, "image: data is null");
  bad = good;
  bad.format = static_cast<Format>(5);
  refused(bad, {}, "image: unknown format 5");
  bad = good;
  bad.size.height = 0;
  refused(bad, {}, "image: size 4x0, slices 1 is empty");
  bad = good;
  bad.slices = 0;
  refused(bad, {}, "slices 0 is empty");
  bad = good;
  bad.row_stride = 15;
  refused(bad, {}, "row_stride 15");
  bad = good;
  bad.slices = 2;
  refused(bad, {}, "slice_stride 0");
  refused(good, {.rect = {1, 0, 4, 3}}, "rect: 4x3 at 1, 0 is not within 4x3");
  refused(good, {.rect = {0, 3, 1, 1}}, "rect: 1x1 at 0, 3");
  refused(good, {.rect = {1, 1, 0, 1}}, "rect: 0x1");
  refused(good, {.rect = {0xFFFFFFFF, 0, 2, 1}}, "rect: 2x1 at 4294967295, 0");
}

}  // namespace
}  // namespace onepass::testing
