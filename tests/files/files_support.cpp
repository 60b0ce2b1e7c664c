// files_support.cpp: makes test files by libraries independent of the code under test, or by hand.
#include "tests/files/files_support.hpp"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfDeepFrameBuffer.h>
#include <OpenEXR/ImfDeepScanLineOutputPart.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfMultiPartOutputFile.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfOutputPart.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfTileDescription.h>
#include <OpenEXR/ImfTileDescriptionAttribute.h>
#include <OpenEXR/ImfTiledOutputFile.h>
#include <png.h>
#include <zstd.h>

#ifndef _WIN32
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <stdexcept>
// jpeglib.h needs FILE and size_t declared before it.
#include <jpeglib.h>

namespace files_test {

using onepass::Format;

TempDirectory::TempDirectory() {
  std::random_device random;
  do {
    path_ = std::filesystem::temp_directory_path() / ("onepass-test-" + std::to_string(random()));
  } while (!std::filesystem::create_directory(path_));  // throws errors other than an existing name
  std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
}
TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}
std::vector<std::string> TempDirectory::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Bytes load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return bytes_of(text);
}
void save(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}
Bytes bytes_of(std::string_view text) {
  const auto span = std::as_bytes(std::span(text));
  return {span.begin(), span.end()};
}

#ifndef _WIN32
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int as_ordinary_user(const std::function<int()>& body) {
  constexpr uid_t kNobody = 65534;
  return in_child([&] {
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) return 98;
    return body();
  });
}

int64_t peak_memory() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? int64_t{usage.ru_maxrss} * 1024 : 0;
}
#else
int64_t peak_memory() { return 0; }
#endif

void put32(Bytes& bytes, uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}
void put64(Bytes& bytes, uint64_t value) {
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}
uint64_t get64(const Bytes& bytes, size_t offset) {
  return get32(bytes, offset) | uint64_t{get32(bytes, offset + 4)} << 32;
}
uint32_t get32(const Bytes& bytes, size_t offset) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= std::to_integer<uint32_t>(bytes.at(offset + i)) << (8 * i);
  return value;
}
void set32(Bytes& bytes, size_t offset, uint32_t value) {
  for (size_t i = 0; i < 4; ++i) bytes.at(offset + i) = static_cast<std::byte>(value >> (8 * i));
}
void set64(Bytes& bytes, size_t offset, uint64_t value) {
  set32(bytes, offset, static_cast<uint32_t>(value));
  set32(bytes, offset + 4, static_cast<uint32_t>(value >> 32));
}

double srgb_decode(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}
double srgb_encode(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1.0 / 2.4) - 0.055;
}

// PNG -----------------------------------------------------------------------------------------------------------------

namespace {

uint32_t png_channels(int colour_type) {
  switch (colour_type) {
    case PNG_COLOR_TYPE_RGB:
      return 3;
    case PNG_COLOR_TYPE_RGB_ALPHA:
      return 4;
    case PNG_COLOR_TYPE_GRAY_ALPHA:
      return 2;
    default:
      return 1;
  }
}

// Packs a row as PNG stores it: 16-bit samples big-endian, samples below 8 bits from the top bit down.
std::vector<png_byte> packed_row(const PngSpec& spec, uint32_t y) {
  const size_t count = size_t{spec.width} * png_channels(spec.colour_type);
  std::vector<png_byte> row((count * static_cast<size_t>(spec.bits) + 7) / 8);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t sample = spec.samples.at(y * count + i);
    if (spec.bits == 16) {
      row[2 * i] = static_cast<png_byte>(sample >> 8);
      row[2 * i + 1] = static_cast<png_byte>(sample);
    } else {
      const size_t bit = i * static_cast<size_t>(spec.bits);
      const auto shift = 8 - static_cast<size_t>(spec.bits) - bit % 8;
      row[bit / 8] = static_cast<png_byte>(row[bit / 8] | (sample << shift));
    }
  }
  return row;
}

[[noreturn]] void png_failure(png_structp, png_const_charp text) { throw std::runtime_error(text); }

void set_chunks(png_structp png, png_infop info, const PngSpec& spec) {
  if (!spec.palette.empty()) {
    std::vector<png_color> colours;
    for (const auto& c : spec.palette) colours.push_back({c[0], c[1], c[2]});
    png_set_PLTE(png, info, colours.data(), static_cast<int>(colours.size()));
  }
  if (!spec.palette_alpha.empty()) {
    png_set_tRNS(png, info, spec.palette_alpha.data(), static_cast<int>(spec.palette_alpha.size()), nullptr);
  }
  if (spec.transparent) {
    png_color_16 colour{};
    colour.gray = colour.red = (*spec.transparent)[0];
    colour.green = (*spec.transparent)[1];
    colour.blue = (*spec.transparent)[2];
    png_set_tRNS(png, info, nullptr, 0, &colour);
  }
  if (spec.gamma != 0) png_set_gAMA_fixed(png, info, spec.gamma);
}

}  // namespace

Bytes make_png(const PngSpec& spec) {
  Bytes bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, &png_failure, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &bytes,
      [](png_structp p, png_bytep data, size_t count) {
        auto* target = static_cast<Bytes*>(png_get_io_ptr(p));
        const auto* first = reinterpret_cast<const std::byte*>(data);
        target->insert(target->end(), first, first + count);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, spec.width, spec.height, spec.bits, spec.colour_type,
               spec.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  set_chunks(png, info, spec);
  png_write_info(png, info);
  std::vector<std::vector<png_byte>> rows;
  std::vector<png_bytep> pointers;
  for (uint32_t y = 0; y < spec.height; ++y) rows.push_back(packed_row(spec, y));
  for (auto& row : rows) pointers.push_back(row.data());
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

namespace {

// CRC-32 of PNG chunks, bit by bit from its definition.
uint32_t crc32_of(std::span<const std::byte> bytes) {
  uint32_t crc = 0xffffffff;
  for (const std::byte byte : bytes) {
    crc ^= std::to_integer<uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0);
  }
  return ~crc;
}

uint32_t byte_swapped(uint32_t value) {
  return value >> 24 | (value >> 8 & 0xff00) | (value << 8 & 0xff0000) | value << 24;
}

}  // namespace

void repair_png_checksums(Bytes& bytes) {
  constexpr size_t kSignatureSize = 8;
  if (onepass::files::type_of_content(bytes) != onepass::files::Type::kPng) return;
  // A chunk: 4 bytes length, 4 type, contents, 4 checksum of type and contents; all big-endian.
  for (size_t at = kSignatureSize; bytes.size() - at >= 12;) {
    const size_t length = byte_swapped(get32(bytes, at));
    if (length > bytes.size() - at - 12) return;
    set32(bytes, at + 8 + length, byte_swapped(crc32_of(std::span(bytes).subspan(at + 4, length + 4))));
    at += length + 12;
  }
}

PngContent parse_png(const Bytes& bytes) {
  struct Reader {
    const Bytes& bytes;
    size_t position = 0;
  } reader{bytes};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, &png_failure, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_read_fn(png, &reader, [](png_structp p, png_bytep data, size_t count) {
    auto* source = static_cast<Reader*>(png_get_io_ptr(p));
    if (count > source->bytes.size() - source->position) throw std::runtime_error("PNG truncated");
    std::memcpy(data, source->bytes.data() + source->position, count);
    source->position += count;
  });
  png_read_info(png, info);
  PngContent content{.width = png_get_image_width(png, info),
                     .height = png_get_image_height(png, info),
                     .bits = png_get_bit_depth(png, info),
                     .colour_type = png_get_color_type(png, info),
                     .has_srgb = png_get_valid(png, info, PNG_INFO_sRGB) != 0,
                     .samples = {}};
  std::vector<png_byte> row(png_get_rowbytes(png, info));
  for (uint32_t y = 0; y < content.height; ++y) {
    png_read_row(png, row.data(), nullptr);
    for (size_t i = 0; i < size_t{content.width} * png_channels(content.colour_type); ++i) {
      content.samples.push_back(content.bits == 16 ? row[2 * i] * 256U + row[2 * i + 1] : row[i]);
    }
  }
  png_read_end(png, nullptr);
  png_destroy_read_struct(&png, &info, nullptr);
  return content;
}

// JPEG ----------------------------------------------------------------------------------------------------------------

namespace {

/// `choose_scans` determines which scans the file has.
Bytes make_jpeg_of(uint32_t width, uint32_t height, int components, std::span<const uint8_t> samples,
                   std::span<const uint8_t> app1, const std::function<void(jpeg_compress_struct&)>& choose_scans) {
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  errors.error_exit = [](j_common_ptr) { throw std::runtime_error("libjpeg"); };
  jpeg_create_compress(&state);
  unsigned char* memory = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type
  jpeg_mem_dest(&state, &memory, &size);
  state.image_width = width;
  state.image_height = height;
  state.input_components = components;
  state.in_color_space = components == 1 ? JCS_GRAYSCALE : (components == 3 ? JCS_RGB : JCS_CMYK);
  jpeg_set_defaults(&state);
  jpeg_set_quality(&state, 100, TRUE);
  for (int c = 0; c < state.num_components; ++c)
    state.comp_info[c].h_samp_factor = state.comp_info[c].v_samp_factor = 1;
  choose_scans(state);
  jpeg_start_compress(&state, TRUE);
  if (!app1.empty()) jpeg_write_marker(&state, JPEG_APP0 + 1, app1.data(), static_cast<unsigned>(app1.size()));
  std::vector<uint8_t> row(size_t{width} * static_cast<size_t>(components));
  for (uint32_t y = 0; y < height; ++y) {
    std::copy_n(samples.begin() + static_cast<std::ptrdiff_t>(y * row.size()), row.size(), row.begin());
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&state, &pointer, 1);
  }
  jpeg_finish_compress(&state);
  const auto* first = reinterpret_cast<const std::byte*>(memory);
  Bytes bytes(first, first + size);
  jpeg_destroy_compress(&state);
  std::free(memory);
  return bytes;
}

}  // namespace

Bytes make_jpeg(uint32_t width, uint32_t height, int components, std::span<const uint8_t> samples,
                std::span<const uint8_t> app1, bool progressive) {
  return make_jpeg_of(width, height, components, samples, app1, [progressive](jpeg_compress_struct& state) {
    if (progressive) jpeg_simple_progression(&state);
  });
}

Bytes make_jpeg_of_253_scans(uint32_t width, uint32_t height, std::span<const uint8_t> samples) {
  constexpr int kLowBits = 3;
  std::vector<jpeg_scan_info> scans = {{1, {0}, 0, 0, 0, 0}};
  for (int coefficient = 1; coefficient < DCTSIZE2; ++coefficient) {
    scans.push_back({1, {0}, coefficient, coefficient, 0, kLowBits});
    for (int bit = kLowBits; bit > 0; --bit) scans.push_back({1, {0}, coefficient, coefficient, bit, bit - 1});
  }
  return make_jpeg_of(width, height, 1, samples, {}, [&](jpeg_compress_struct& state) {
    state.scan_info = scans.data();
    state.num_scans = static_cast<int>(scans.size());
  });
}

// KTX2 and HDR --------------------------------------------------------------------------------------------------------

namespace {

// Bytes of the units of a format's texels, by VkFormat: 8, 16 and 32 bits, packed formats 32.
uint32_t ktx2_type_size(uint32_t vk_format) {
  if (vk_format >= 131 && vk_format <= 184) return 1;  // blocks
  if (vk_format >= 70 && vk_format <= 97) return 2;
  if (vk_format == 124) return 2;  // D16
  return (vk_format >= 51 && vk_format <= 69) || vk_format >= 98 ? 4 : 1;
}

}  // namespace

Bytes make_ktx2(const Ktx2Spec& spec) {
  std::vector<Bytes> stored = spec.levels;
  if (spec.supercompression == 2) {
    for (Bytes& level : stored) {
      Bytes packed(ZSTD_compressBound(level.size()));
      packed.resize(ZSTD_compress(packed.data(), packed.size(), level.data(), level.size(), 3));
      level = packed;
    }
  }
  Bytes key_values;
  for (const auto& [key, value] :
       {std::pair<std::string, std::string>{"KTXorientation", spec.orientation}, {"KTXswizzle", spec.swizzle}}) {
    if (value.empty()) continue;
    const Bytes pair = bytes_of(key + '\0' + value + '\0');
    put32(key_values, static_cast<uint32_t>(pair.size()));
    key_values.insert(key_values.end(), pair.begin(), pair.end());
    while (key_values.size() % 4 != 0) key_values.push_back(std::byte{0});
  }
  Bytes bytes = bytes_of(std::string_view("\xab\x4b\x54\x58\x20\x32\x30\xbb\x0d\x0a\x1a\x0a", 12));
  const auto index_end = static_cast<uint32_t>(80 + 24 * stored.size());
  const auto levels = static_cast<uint32_t>(stored.size());
  const auto descriptor = static_cast<uint32_t>(spec.descriptor.size());
  for (const uint32_t value : {spec.vk_format, ktx2_type_size(spec.vk_format), spec.width, spec.height, spec.depth,
                               spec.layers, spec.faces, levels, spec.supercompression, descriptor > 0 ? index_end : 0U,
                               descriptor, index_end + descriptor, static_cast<uint32_t>(key_values.size())}) {
    put32(bytes, value);
  }
  put64(bytes, 0);
  put64(bytes, 0);
  // The base is stored first, contrary to custom: readers must follow the level index. 48: a multiple of every texel.
  constexpr uint64_t kAlignment = 48;
  const auto aligned = [](uint64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; };
  uint64_t offset = aligned(index_end + descriptor + key_values.size());
  for (size_t n = 0; n < stored.size(); ++n) {
    put64(bytes, offset);
    put64(bytes, stored[n].size());
    put64(bytes, spec.levels[n].size());
    offset += aligned(stored[n].size());
  }
  bytes.insert(bytes.end(), spec.descriptor.begin(), spec.descriptor.end());
  bytes.insert(bytes.end(), key_values.begin(), key_values.end());
  for (const Bytes& level : stored) {
    bytes.resize(aligned(bytes.size()));
    bytes.insert(bytes.end(), level.begin(), level.end());
  }
  return bytes;
}

Bytes make_hdr(const std::string& size_line, std::span<const uint8_t> pixels) {
  Bytes bytes = bytes_of("#?RADIANCE\n# made by a test\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=1.0\n\n" + size_line + "\n");
  for (const uint8_t value : pixels) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// OpenEXR -------------------------------------------------------------------------------------------------------------

namespace {

Imath::Box2i to_imath(const onepass::files::Box& box) {
  return {Imath::V2i(box.min_x, box.min_y), Imath::V2i(box.max_x, box.max_y)};
}

Imf::PixelType to_imf(ExrSpec::Type type) {
  return type == ExrSpec::Type::kHalf ? Imf::HALF : (type == ExrSpec::Type::kFloat ? Imf::FLOAT : Imf::UINT);
}

Imf::Header header_of(const ExrSpec& spec) {
  Imf::Header header(to_imath(spec.display), to_imath(spec.data));
  header.compression() = static_cast<Imf::Compression>(spec.compression);
  for (const auto& channel : spec.channels) {
    header.channels().insert(channel.name, Imf::Channel(to_imf(channel.type), channel.sampling, channel.sampling));
  }
  if (!spec.part.empty()) {
    header.setName(spec.part);
    header.setType(spec.tile_size > 0 ? Imf::TILEDIMAGE : Imf::SCANLINEIMAGE);
  }
  if (spec.tile_size > 0) {
    const bool up = spec.levels == ExrSpec::Levels::kMipUp;
    const Imf::LevelMode mode = spec.levels == ExrSpec::Levels::kOne   ? Imf::ONE_LEVEL
                                : spec.levels == ExrSpec::Levels::kRip ? Imf::RIPMAP_LEVELS
                                                                       : Imf::MIPMAP_LEVELS;
    header.setTileDescription(
        Imf::TileDescription(spec.tile_size, spec.tile_size, mode, up ? Imf::ROUND_UP : Imf::ROUND_DOWN));
  }
  if (spec.stray_tiles) header.insert("xiles", Imf::TileDescriptionAttribute(Imf::TileDescription(2, 2)));
  if (spec.edit) spec.edit(header);
  return header;
}

// Values of all channels of one level, 4 bytes per sample.
struct Planes {
  std::vector<std::vector<uint32_t>> planes;
  Imf::FrameBuffer buffer;

  Planes(const ExrSpec& spec, const Imath::Box2i& window, int level) {
    for (const auto& channel : spec.channels) {
      const int width = (window.max.x - window.min.x + 1) / channel.sampling;
      const int height = (window.max.y - window.min.y + 1) / channel.sampling;
      std::vector<uint32_t> plane(static_cast<size_t>(width) * static_cast<size_t>(height));
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          const double value =
              channel.value(window.min.x + x * channel.sampling, window.min.y + y * channel.sampling, level);
          uint32_t& bits = plane[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
          if (channel.type == ExrSpec::Type::kHalf) bits = half(static_cast<float>(value)).bits();
          if (channel.type == ExrSpec::Type::kFloat) bits = std::bit_cast<uint32_t>(static_cast<float>(value));
          if (channel.type == ExrSpec::Type::kUint) bits = static_cast<uint32_t>(value);
        }
      }
      planes.push_back(std::move(plane));
      buffer.insert(channel.name, Imf::Slice::Make(to_imf(channel.type), planes.back().data(), window, 4,
                                                   static_cast<size_t>(width) * 4, channel.sampling, channel.sampling));
    }
  }
};

}  // namespace

void make_exr(const std::filesystem::path& path, const ExrSpec& spec) {
  std::filesystem::remove(path);  // compiled by MinGW, OpenEXR would keep the end of a longer file
  const Imath::Box2i window = to_imath(spec.data);
  if (spec.tile_size == 0) {
    Planes planes(spec, window, 0);
    Imf::OutputFile file(path.string().c_str(), header_of(spec));
    file.setFrameBuffer(planes.buffer);
    file.writePixels(window.max.y - window.min.y + 1);
    return;
  }
  Imf::TiledOutputFile file(path.string().c_str(), header_of(spec));
  const bool rip = spec.levels == ExrSpec::Levels::kRip;
  for (int ly = 0; ly < file.numYLevels(); ++ly) {
    for (int lx = 0; lx < file.numXLevels(); ++lx) {
      if (!rip && lx != ly) continue;
      Planes planes(spec, file.dataWindowForLevel(lx, ly), lx);
      file.setFrameBuffer(planes.buffer);
      file.writeTiles(0, file.numXTiles(lx) - 1, 0, file.numYTiles(ly) - 1, lx, ly);
    }
  }
}

void make_multipart_exr(const std::filesystem::path& path, const std::vector<ExrSpec>& parts, bool deep) {
  std::vector<Imf::Header> headers;
  for (const ExrSpec& part : parts) headers.push_back(header_of(part));
  if (deep) {
    Imf::Header header(to_imath(parts[0].display), Imath::Box2i(Imath::V2i(0, 0), Imath::V2i(1, 1)));
    header.setName("deep");
    header.setType(Imf::DEEPSCANLINE);
    header.compression() = Imf::ZIPS_COMPRESSION;
    header.channels().insert("Z", Imf::Channel(Imf::FLOAT));
    headers.push_back(header);
  }
  std::filesystem::remove(path);
  Imf::MultiPartOutputFile file(path.string().c_str(), headers.data(), static_cast<int>(headers.size()));
  for (size_t n = 0; n < parts.size(); ++n) {
    const Imath::Box2i window = to_imath(parts[n].data);
    Planes planes(parts[n], window, 0);
    Imf::OutputPart part(file, static_cast<int>(n));
    part.setFrameBuffer(planes.buffer);
    part.writePixels(window.max.y - window.min.y + 1);
  }
  if (!deep) return;
  std::array<unsigned, 4> counts{1, 1, 1, 1};
  std::array<float, 4> values{1, 2, 3, 4};
  std::array<float*, 4> pointers{&values[0], &values[1], &values[2], &values[3]};
  Imf::DeepFrameBuffer buffer;
  buffer.insertSampleCountSlice(
      Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts.data()), sizeof(unsigned), 2 * sizeof(unsigned)));
  buffer.insert("Z", Imf::DeepSlice(Imf::FLOAT, reinterpret_cast<char*>(pointers.data()), sizeof(float*),
                                    2 * sizeof(float*), sizeof(float)));
  Imf::DeepScanLineOutputPart part(file, static_cast<int>(parts.size()));
  part.setFrameBuffer(buffer);
  part.writePixels(2);
}

// Images --------------------------------------------------------------------------------------------------------------

double texel(const onepass::ImageView& image, uint32_t x, uint32_t y, uint32_t c, uint32_t slice) {
  const onepass::FormatInfo& info = onepass::format_info(image.format);
  const std::byte* at = image.row(y, slice) + size_t{x} * info.bytes_per_texel;
  const auto read = [&]<typename T>(T value) {
    std::memcpy(&value, at + c * sizeof(T), sizeof(T));
    return value;
  };
  switch (image.format) {
    case Format::kR8Unorm:
    case Format::kRG8Unorm:
    case Format::kRGBA8Unorm:
      return read(uint8_t{}) / 255.0;
    case Format::kR8Srgb:
    case Format::kRGBA8Srgb:
      return c == 3 ? read(uint8_t{}) / 255.0 : srgb_decode(read(uint8_t{}) / 255.0);
    case Format::kR16Unorm:
    case Format::kRG16Unorm:
    case Format::kRGBA16Unorm:
    case Format::kD16Unorm:
      return read(uint16_t{}) / 65535.0;
    case Format::kR16Sfloat:
    case Format::kRG16Sfloat:
    case Format::kRGBA16Sfloat: {
      half value;
      value.setBits(read(uint16_t{}));
      return value;
    }
    case Format::kR32Sfloat:
    case Format::kRG32Sfloat:
    case Format::kRGBA32Sfloat:
    case Format::kD32Sfloat:
      return read(float{});
    default:
      throw std::runtime_error("texel: packed formats are not read");
  }
}

onepass::Image random_image(Format format, onepass::Extent size, uint32_t slices, uint32_t seed) {
  auto image = onepass::Image::create(format, size, slices);
  if (!image) throw std::runtime_error(image.error().text());
  std::mt19937 random(seed);
  const onepass::FormatInfo& info = onepass::format_info(format);
  const bool is_float = info.type == onepass::ChannelType::kFloat && !info.packed;
  const size_t channel = info.bytes_per_texel / info.channels;
  const size_t count = image->size_in_bytes();
  for (size_t i = 0; i < count; i += is_float ? channel : 1) {
    if (!is_float) {
      image->data()[i] = static_cast<std::byte>(random());
      continue;
    }
    const float value = static_cast<float>(static_cast<int>(random() % 1024) - 512) / 64.0F;
    const uint16_t bits = half(value).bits();
    std::memcpy(image->data() + i, channel == 2 ? static_cast<const void*>(&bits) : &value, channel);
  }
  return std::move(*image);
}

std::vector<onepass::Image> random_levels(Format format, onepass::Extent size, uint32_t slices, uint32_t count) {
  std::vector<onepass::Image> levels;
  for (uint32_t n = 0; count == 0 || n < count; ++n) {
    levels.push_back(
        random_image(format, {std::max(1U, size.width >> n), std::max(1U, size.height >> n)}, slices, n + 1));
    if (levels.back().size() == onepass::Extent{1, 1}) break;
  }
  return levels;
}

std::vector<onepass::ImageView> views(const std::vector<onepass::Image>& levels) {
  std::vector<onepass::ImageView> result;
  for (const auto& level : levels) result.push_back(level.view());
  return result;
}

}  // namespace files_test
