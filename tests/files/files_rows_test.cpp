// files_rows_test.cpp: Radiance, PFM, TGA and PNM files by rows from an open file, in every order in which they can be
// stored, in bounded memory. The files are made by hand from one picture, whose codes are the expected values.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "files/row_reader.hpp"
#include "files/system.hpp"
#include "tests/files/files_encoders.hpp"

namespace {

using namespace files_test;
namespace files = onepass::files;

// Larger than the window through which an open file is read.
constexpr uint32_t kWidth = 61;
constexpr uint32_t kHeight = 300;

// Runs of five equal pixels, and rows that all differ.
uint8_t code(uint32_t x, uint32_t y, uint32_t c) { return static_cast<uint8_t>((x / 5 * 7 + y * 13 + c * 50) % 251); }

using Codes = std::vector<uint8_t>;
using Pixels = std::vector<Codes>;  // in the order in which they are stored

// The order of pixels in a file: by rows or columns, each from either end.
struct Order {
  bool columns = false, from_right = false, from_bottom = false;
};

Pixels ordered(Order order, const std::vector<uint32_t>& channels) {
  Pixels pixels;
  const uint32_t lines = order.columns ? kWidth : kHeight;
  const uint32_t length = order.columns ? kHeight : kWidth;
  for (uint32_t line = 0; line < lines; ++line) {
    for (uint32_t i = 0; i < length; ++i) {
      const uint32_t x = order.columns ? line : i;
      const uint32_t y = order.columns ? i : line;
      Codes pixel;
      for (const uint32_t c : channels) {
        pixel.push_back(code(order.from_right ? kWidth - 1 - x : x, order.from_bottom ? kHeight - 1 - y : y, c));
      }
      pixels.push_back(pixel);
    }
  }
  return pixels;
}

Codes joined(const Pixels& pixels) {
  Codes out;
  for (const Codes& pixel : pixels) out.insert(out.end(), pixel.begin(), pixel.end());
  return out;
}

// Packets of TGA, runs and literals by turns, across the ends of rows.
Codes packets(const Pixels& pixels) {
  Codes out;
  for (size_t i = 0, number = 0; i < pixels.size(); ++number) {
    size_t count = 1;
    if (number % 2 == 0) {
      while (count < 128 && i + count < pixels.size() && pixels[i + count] == pixels[i]) ++count;
      out.push_back(static_cast<uint8_t>(127 + count));
      out.insert(out.end(), pixels[i].begin(), pixels[i].end());
    } else {
      count = std::min<size_t>(1 + number % 128, pixels.size() - i);
      out.push_back(static_cast<uint8_t>(count - 1));
      for (size_t k = 0; k < count; ++k) out.insert(out.end(), pixels[i + k].begin(), pixels[i + k].end());
    }
    i += count;
  }
  return out;
}

// Run-length planes of Radiance scanlines of `length` pixels with the exponent of whole mantissas.
Codes planes(const Pixels& pixels, uint32_t length) {
  Codes out;
  for (size_t first = 0; first < pixels.size(); first += length) {
    out.insert(out.end(), {2, 2, static_cast<uint8_t>(length >> 8), static_cast<uint8_t>(length & 255)});
    for (size_t c = 0; c < 4; ++c) {
      for (size_t i = 0; i < length;) {
        const auto at = [&](size_t n) { return c == 3 ? uint8_t{136} : pixels[first + n][c]; };
        size_t count = 1;
        while (count < 127 && i + count < length && at(i + count) == at(i)) ++count;
        const bool run = count > 1;
        out.push_back(static_cast<uint8_t>(run ? 128 + count : count));
        out.push_back(at(i));
        i += count;
      }
    }
  }
  return out;
}

double number_at(const std::byte* at, files::Sample sample) {
  if (sample == files::Sample::kU8) return std::to_integer<int>(*at);
  if (sample == files::Sample::kU16) {
    uint16_t value = 0;
    std::memcpy(&value, at, 2);
    return value / 257.0;
  }
  float value = 0;
  std::memcpy(&value, at, 4);
  return value;
}

class FilesRows : public testing::Test {
 protected:
  // Reads the file by `step` rows, of which every third step is left out, and compares them with the picture.
  void expect_rows(const std::string& name, const Bytes& bytes, uint32_t step, bool in_rows) {
    SCOPED_TRACE(name + ", step " + std::to_string(step));
    save(directory_ / name, bytes);
    const files::Handle file = files::system::open_input(directory_ / name);
    Bytes start(std::min<size_t>(bytes.size(), 4096));
    const files::Source source{.bytes = start, .name = name, .file = file.number(), .file_size = bytes.size()};
    ASSERT_EQ(source.read_at(0, start), 0);
    auto reader = files::open_rows(source, {.max_bytes = uint64_t{128} << 10});
    ASSERT_TRUE(reader) << reader.error().text();
    const files::PictureHeader& header = (*reader)->header();
    ASSERT_EQ(header.size, (onepass::Extent{kWidth, kHeight}));
    EXPECT_FALSE(header.decoded);
    if (in_rows) {
      EXPECT_LT((*reader)->memory_bytes(), 24U << 10);
    }
    const size_t row = (*reader)->row_bytes();
    Bytes rows(row * step);
    for (uint32_t y = 0, number = 0; y < kHeight; y += step, ++number) {
      const uint32_t count = std::min(step, kHeight - y);
      if (number % 3 == 1 && (*reader)->skip(count)) continue;
      const auto done = (*reader)->read(count, rows.data(), row);
      ASSERT_TRUE(done) << done.error().text();
      if (number % 3 == 1) continue;
      const uint32_t colours = header.layout.channels < 3 ? 1 : 3;
      for (uint32_t i = 0; i < count * kWidth * colours; ++i) {
        const uint32_t x = i / colours % kWidth;
        const uint32_t at = y + i / colours / kWidth;
        const size_t pixel = header.layout.pixel_bytes();
        const std::byte* sample =
            rows.data() + row * (at - y) + x * pixel + i % colours * (pixel / header.layout.channels);
        ASSERT_EQ(number_at(sample, header.layout.sample), code(x, at, i % colours)) << x << ", " << at;
      }
    }
  }
  void expect_all_steps(const std::string& name, const Bytes& bytes, bool in_rows = true) {
    for (const uint32_t step : {1U, 7U, kHeight}) expect_rows(name, bytes, step, in_rows);
  }

  TempDirectory directory_;
};

TEST_F(FilesRows, TgaFromEveryCorner) {
  for (const uint8_t origin : {uint8_t{0}, uint8_t{1}, uint8_t{2}, uint8_t{3}}) {
    const Order order{.from_right = (origin & 1) != 0, .from_bottom = (origin & 2) == 0};
    for (const bool runs : {false, true}) {
      for (const uint8_t channels : {uint8_t{1}, uint8_t{3}}) {
        const Pixels pixels = ordered(order, channels == 1 ? std::vector<uint32_t>{0} : std::vector<uint32_t>{2, 1, 0});
        TgaSpec spec{.type = static_cast<uint8_t>((channels == 1 ? 3 : 2) + (runs ? 8 : 0)),
                     .width = kWidth,
                     .height = kHeight,
                     .bits = static_cast<uint8_t>(8 * channels),
                     .descriptor = static_cast<uint8_t>(origin << 4),
                     .pixels = runs ? packets(pixels) : joined(pixels)};
        spec.footer = channels == 3;  // a file of another name is known by its end
        expect_all_steps(spec.footer ? "a.bin" : "a.tga", make_tga(spec));
      }
    }
  }
}

TEST_F(FilesRows, RadianceInAllOrders) {
  for (const bool columns : {false, true}) {
    for (const bool from_right : {false, true}) {
      for (const bool from_bottom : {false, true}) {
        const std::string x = (from_right ? "-X " : "+X ") + std::to_string(kWidth);
        const std::string y = (from_bottom ? "+Y " : "-Y ") + std::to_string(kHeight);
        const std::string size = columns ? x + " " + y : y + " " + x;
        const Pixels pixels = ordered({columns, from_right, from_bottom}, {0, 1, 2});
        expect_all_steps("runs.hdr", make_hdr(size, planes(pixels, columns ? kHeight : kWidth)), !columns);
        Pixels flat = pixels;
        for (Codes& pixel : flat) pixel.push_back(136);
        expect_all_steps("flat.hdr", make_hdr(size, joined(flat)), !columns);
      }
    }
  }
}

TEST_F(FilesRows, PfmOfBothByteOrders) {
  for (const bool big : {false, true}) {
    Bytes bytes = bytes_of("PF\n61 300\n" + std::string(big ? "1\n" : "-1\n"));
    for (const uint8_t value : joined(ordered({.from_bottom = true}, {0, 1, 2}))) {
      const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
      for (uint32_t i = 0; i < 4; ++i)
        bytes.push_back(static_cast<std::byte>(bits >> (big ? 24 - 8 * i : 8 * i) & 255));
    }
    expect_all_steps("a.pfm", bytes);
  }
}

TEST_F(FilesRows, PnmOfEveryKind) {
  const auto with = [](const std::string& header, const Codes& codes) {
    Bytes bytes = bytes_of(header);
    for (const uint8_t value : codes) bytes.push_back(static_cast<std::byte>(value));
    return bytes;
  };
  const Codes grey = joined(ordered({}, {0}));
  const Codes colour = joined(ordered({}, {0, 1, 2}));
  const Codes alpha = joined(ordered({}, {0, 1, 2, 0}));
  Codes wide;
  std::string text;
  for (const uint8_t value : colour) {
    wide.insert(wide.end(), {value, value});
    text += std::to_string(value) + (value % 3 == 0 ? " # a comment\n" : " ");
  }
  expect_all_steps("a.pgm", with("P5 61 300 255\n", grey));
  expect_all_steps("a.ppm", with("P6 61 300 255\n", colour));
  expect_all_steps("wide.ppm", with("P6 61 300 65535\n", wide));
  expect_all_steps("text.ppm", with("P3 61 300 255\n" + text, {}));
  expect_all_steps("a.pam", with("P7\nWIDTH 61\nHEIGHT 300\nDEPTH 4\nMAXVAL 255\nENDHDR\n", alpha));
}

}  // namespace
