// files_support.hpp: shared by the tests of onepass::files: a temporary directory, and files written by libpng,
// libjpeg, OpenEXR and by hand.
#pragma once

#include <OpenEXR/ImfForward.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onepass/files.hpp"

namespace files_test {

using Bytes = std::vector<std::byte>;

/// A new directory, removed with its contents at the end.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Names of all entries, hidden ones included, sorted.
  [[nodiscard]] std::vector<std::string> entries() const;

 private:
  std::filesystem::path path_;
};

Bytes load(const std::filesystem::path& path);
void save(const std::filesystem::path& path, std::span<const std::byte> bytes);
Bytes bytes_of(std::string_view text);

/// The largest memory of the process so far, in bytes; 0 on Windows.
int64_t peak_memory();

/// Runs `body` in a child process and returns its result; 99 if a signal killed it. Not on Windows.
int in_child(const std::function<int()>& body);
/// The same as an ordinary user: file permissions do not restrict the superuser.
int as_ordinary_user(const std::function<int()>& body);

/// Append, read and overwrite little-endian numbers.
void put32(Bytes& bytes, uint32_t value);
void put64(Bytes& bytes, uint64_t value);
uint32_t get32(const Bytes& bytes, size_t offset);
uint64_t get64(const Bytes& bytes, size_t offset);
void set32(Bytes& bytes, size_t offset, uint32_t value);
void set64(Bytes& bytes, size_t offset, uint64_t value);

/// Transfer functions of IEC 61966-2-1, in double.
double srgb_decode(double encoded);
double srgb_encode(double linear);

/// A PNG to be written by libpng. `samples`: in file order, one number per sample or palette index.
struct PngSpec {
  uint32_t width = 1;
  uint32_t height = 1;
  int bits = 8;
  int colour_type = 0;  // libpng's PNG_COLOR_TYPE_*
  bool interlaced = false;
  std::vector<uint32_t> samples{};
  std::vector<std::array<uint8_t, 3>> palette{};
  std::vector<uint8_t> palette_alpha{};
  std::optional<std::array<uint16_t, 3>> transparent{};  // tRNS: first number for grey, all for RGB
  int gamma = 0;                                         // gAMA, in 1/100000; 0: none
};
Bytes make_png(const PngSpec& spec);

/// Corrects all checksums, so that readers judge a damaged PNG by its contents. Other files stay unchanged.
void repair_png_checksums(Bytes& bytes);

/// A PNG read by libpng without any transformation.
struct PngContent {
  uint32_t width = 0;
  uint32_t height = 0;
  int bits = 0;
  int colour_type = 0;
  bool has_srgb = false;
  std::vector<uint32_t> samples{};
};
PngContent parse_png(const Bytes& bytes);

/// A JPEG written by libjpeg at quality 100 without chroma subsampling. `samples`: interleaved, 1, 3 or 4 per pixel (4:
/// CMYK).
Bytes make_jpeg(uint32_t width, uint32_t height, int components, std::span<const uint8_t> samples,
                std::span<const uint8_t> app1 = {}, bool progressive = false);

/// The same of one channel, valid but with a scan for each coefficient of a block and each of its lowest three bits.
Bytes make_jpeg_of_253_scans(uint32_t width, uint32_t height, std::span<const uint8_t> samples);

/// A one-part EXR to be written by OpenEXR. Channel values are functions of pixel coordinates; a subsampled channel
/// stores every `sampling`-th pixel of every `sampling`-th row.
struct ExrSpec {
  enum class Type { kHalf, kFloat, kUint };
  struct Channel {
    std::string name;
    Type type = Type::kHalf;
    std::function<double(int x, int y, int level)> value{};
    int sampling = 1;
  };
  onepass::files::Box data{0, 0, 0, 0};
  onepass::files::Box display{0, 0, 0, 0};
  std::vector<Channel> channels{};
  std::string part{};
  uint32_t tile_size = 0;  // 0: scanlines
  enum class Levels { kOne, kMipDown, kMipUp, kRip } levels = Levels::kOne;
  int compression = 3;       // OpenEXR's Imf::Compression; 3: ZIP
  bool stray_tiles = false;  // attribute "xiles" of the type of "tiles", which OpenEXR refuses to write for scanlines
  std::function<void(Imf::Header&)> edit{};  // further changes of the header
};
void make_exr(const std::filesystem::path& path, const ExrSpec& spec);

/// Several parts, scanlines only. `deep` adds a deep part named "deep" at the end.
void make_multipart_exr(const std::filesystem::path& path, const std::vector<ExrSpec>& parts, bool deep = false);

/// A KTX2 file made by hand; levels[0] is the base. Offsets and lengths are valid; tests damage them afterwards.
struct Ktx2Spec {
  uint32_t vk_format = 0;
  uint32_t width = 1;
  uint32_t height = 1;
  uint32_t depth = 0;
  uint32_t layers = 0;
  uint32_t faces = 1;
  uint32_t supercompression = 0;  // 2: compresses `levels` by Zstandard
  std::vector<Bytes> levels{};
  std::string orientation{};  // empty: none stored
  std::string swizzle{};      // likewise
  Bytes descriptor{};         // likewise
};
Bytes make_ktx2(const Ktx2Spec& spec);

/// A Radiance file with the given scanline bytes.
Bytes make_hdr(const std::string& size_line, std::span<const uint8_t> pixels);

/// Small valid files of every type and kind, with names: seeds for mutation.
std::vector<std::pair<std::string, Bytes>> seed_files();

/// Channel `c` of a texel as a float, by the definition of the format; for the formats that readers return.
double texel(const onepass::ImageView& image, uint32_t x, uint32_t y, uint32_t c, uint32_t slice = 0);

/// An image of pseudo-random stored values; floats are multiples of 1/64 in -8..8, exact in half.
onepass::Image random_image(onepass::Format format, onepass::Extent size, uint32_t slices, uint32_t seed);

/// A chain of `count` levels of random stored values; 0: down to 1x1.
std::vector<onepass::Image> random_levels(onepass::Format format, onepass::Extent size, uint32_t slices,
                                          uint32_t count = 0);
std::vector<onepass::ImageView> views(const std::vector<onepass::Image>& levels);

}  // namespace files_test
