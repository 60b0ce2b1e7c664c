// files_bombs.cpp: most files are written by hand from the definitions of the formats, so that making them takes little
// memory.
#include "tests/files/files_bombs.hpp"

#include <zlib.h>

#include <stdexcept>

namespace files_test {
namespace {

void put_big(Bytes& bytes, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(value >> shift));
}

void put_text(Bytes& bytes, std::string_view text) {
  const Bytes more = bytes_of(text);
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// The checksum is a placeholder; repair_png_checksums() sets it.
void put_chunk(Bytes& bytes, std::string_view name, const Bytes& contents) {
  put_big(bytes, static_cast<uint32_t>(contents.size()));
  put_text(bytes, name);
  bytes.insert(bytes.end(), contents.begin(), contents.end());
  put_big(bytes, 0);
}

// One zlib stream of `head`, followed by zeros up to `size` bytes.
Bytes deflated(const Bytes& head, size_t size) {
  z_stream stream{};
  if (deflateInit(&stream, 9) != Z_OK) throw std::runtime_error("deflateInit");
  Bytes out;
  std::vector<std::byte> piece(65536);
  std::vector<std::byte> packed(65536);
  const auto feed = [&](const Bytes& in, size_t count, bool last) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream.avail_in = static_cast<uInt>(count);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = static_cast<uInt>(packed.size());
      deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
      out.insert(out.end(), packed.begin(), packed.end() - stream.avail_out);
    } while (stream.avail_out == 0);
  };
  feed(head, head.size(), false);
  for (size_t done = head.size(); done < size;) {
    const size_t count = std::min(piece.size(), size - done);
    feed(piece, count, false);
    done += count;
  }
  feed(piece, 0, true);
  deflateEnd(&stream);
  return out;
}

Bytes png_start(uint32_t width, uint32_t height, int bits) {
  Bytes bytes = bytes_of("\x89PNG\r\n\x1a\n");
  Bytes header;
  put_big(header, width);
  put_big(header, height);
  for (const int value : {bits, 0, 0, 0, 0}) header.push_back(static_cast<std::byte>(value));
  put_chunk(bytes, "IHDR", header);
  return bytes;
}

void finish_png(Bytes& bytes, size_t raw) {
  put_chunk(bytes, "IDAT", deflated({}, raw));
  put_chunk(bytes, "IEND", {});
  repair_png_checksums(bytes);
}

}  // namespace

Bytes hdr_bomb(uint32_t edge) {
  std::vector<uint8_t> pixels;
  const uint32_t repeats = edge - 1;
  for (uint32_t y = 0; y < edge; ++y) {
    // One pixel, then two repeat marks with the low and the high byte of the count.
    const auto low = static_cast<uint8_t>(repeats & 0xff);
    const auto high = static_cast<uint8_t>(repeats >> 8);
    pixels.insert(pixels.end(), {0, 0, 0, 0, 1, 1, 1, low, 1, 1, 1, high});
  }
  return make_hdr("-Y " + std::to_string(edge) + " +X " + std::to_string(edge), pixels);
}

Bytes png_bomb(uint32_t width, uint32_t height) {
  Bytes bytes = png_start(width, height, 1);
  finish_png(bytes, (size_t{width} / 8 + 1) * height);
  return bytes;
}

Bytes png_text_bomb(size_t count, size_t size) {
  Bytes bytes = png_start(1, 1, 8);
  Bytes text = bytes_of(std::string_view("Comment\0\0", 9));  // keyword, compression method
  const Bytes packed = deflated({}, size);
  text.insert(text.end(), packed.begin(), packed.end());
  for (size_t i = 0; i < count; ++i) put_chunk(bytes, "zTXt", text);
  finish_png(bytes, 2);
  return bytes;
}

Bytes png_profile_bomb(uint32_t size) {
  // ICC.1:2010, 7.2: size, preferred CMM, version 4, class, colour space, connection space... signature at byte 36.
  Bytes profile;
  put_big(profile, size);
  profile.resize(8);
  put_big(profile, 0x04000000);
  put_text(profile, "mntrGRAYXYZ ");
  profile.resize(36);
  put_text(profile, "acsp");
  profile.resize(68);
  for (const uint32_t value : {0x0000f6d6U, 0x00010000U, 0x0000d32dU}) put_big(profile, value);  // D50
  profile.resize(128);
  put_big(profile, 0);  // no tags
  Bytes chunk = bytes_of(std::string_view("icc\0\0", 5));
  const Bytes packed = deflated(profile, size);
  chunk.insert(chunk.end(), packed.begin(), packed.end());
  Bytes bytes = png_start(1, 1, 8);
  put_chunk(bytes, "iCCP", chunk);
  finish_png(bytes, 2);
  return bytes;
}

Bytes ktx2_bomb(uint32_t width, uint32_t height) {
  constexpr size_t kBlock = size_t{128} << 10;
  const size_t size = size_t{width} * height * 4;
  // RFC 8878: magic number, descriptor (8-byte size, one segment), size, blocks (bits: last 1, type 2, size 21; type 1
  // repeats a byte).
  Bytes frame;
  put32(frame, 0xfd2fb528);
  frame.push_back(std::byte{0xe0});
  put64(frame, size);
  for (size_t at = 0; at < size; at += kBlock) {
    const size_t count = std::min(kBlock, size - at);
    const auto head = static_cast<uint32_t>(count << 3 | 1 << 1 | (at + count == size ? 1 : 0));
    for (const int shift : {0, 8, 16}) frame.push_back(static_cast<std::byte>(head >> shift));
    frame.push_back(std::byte{7});
  }
  // make_ktx2() would compress the level again: store it as given and set the header fields afterwards.
  Bytes bytes = make_ktx2({.vk_format = 37, .width = width, .height = height, .levels = {frame}, .orientation = {}});
  set32(bytes, 44, 2);          // supercompressionScheme
  set64(bytes, 80 + 16, size);  // uncompressedByteLength of level 0
  return bytes;
}

Bytes exr_bomb(int edge) {
  const TempDirectory directory;
  constexpr int kDwab = 9;
  make_exr(directory / "x.exr", {.data = {0, 0, edge - 1, edge - 1},
                                 .display = {0, 0, edge - 1, edge - 1},
                                 .channels = {{"Y", ExrSpec::Type::kHalf, [](int, int, int) { return 0.5; }}},
                                 .compression = kDwab});
  return load(directory / "x.exr");
}

Bytes exr_attribute_bomb(size_t count) {
  const TempDirectory directory;
  make_exr(directory / "x.exr", {.channels = {{"Y", ExrSpec::Type::kHalf, [](int, int, int) { return 0.5; }}}});
  Bytes attributes;
  for (size_t i = 0; i < count; ++i) {
    put_text(attributes, "n" + std::to_string(i));
    attributes.push_back(std::byte{0});
    put_text(attributes, "u");  // a type unknown to OpenEXR
    attributes.push_back(std::byte{0});
    put32(attributes, 1);
    attributes.push_back(std::byte{1});
  }
  constexpr size_t kFirst = 8;  // behind magic number and version
  Bytes bytes = load(directory / "x.exr");
  bytes.insert(bytes.begin() + kFirst, attributes.begin(), attributes.end());
  return bytes;
}

Bytes flat_jpeg(uint32_t edge, bool progressive) {
  return make_jpeg(edge, edge, 1, std::vector<uint8_t>(size_t{edge} * edge, 128), {}, progressive);
}

}  // namespace files_test
