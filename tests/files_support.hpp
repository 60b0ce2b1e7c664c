// files_support.hpp: what the tests of onepass::files share: a directory of their own, and files written by libpng,
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

/// A new directory, removed with everything in it at the end.
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

/// Runs `body` in a child process and returns what it returned; 99 if it was killed.
int in_child(const std::function<int()>& body);
/// The same without the superuser's rights, to whom permissions mean nothing.
int as_ordinary_user(const std::function<int()>& body);

/// Little-endian numbers at the end of `bytes`.
void put32(Bytes& bytes, uint32_t value);
void put64(Bytes& bytes, uint64_t value);
uint32_t get32(const Bytes& bytes, size_t offset);
uint64_t get64(const Bytes& bytes, size_t offset);
void set32(Bytes& bytes, size_t offset, uint32_t value);
void set64(Bytes& bytes, size_t offset, uint64_t value);

/// IEC 61966-2-1, in double.
double srgb_decode(double encoded);
double srgb_encode(double linear);

/// A PNG to be written by libpng. Samples are in file order, one number a sample (or palette index).
struct PngSpec {
  uint32_t width = 1;
  uint32_t height = 1;
  int bits = 8;
  int colour_type = 0;  // libpng's PNG_COLOR_TYPE_*
  bool interlaced = false;
  std::vector<uint32_t> samples{};
  std::vector<std::array<uint8_t, 3>> palette{};
  std::vector<uint8_t> palette_alpha{};
  std::optional<std::array<uint16_t, 3>> transparent{};  // tRNS of gray (first number) and RGB
  int gamma = 0;                                         // gAMA, in 1/100000; 0 = none
};
Bytes make_png(const PngSpec& spec);

/// Sets the checksum of every chunk right, so that a damaged PNG is judged by its contents. Does nothing to other
/// files.
void repair_png_checksums(Bytes& bytes);

/// A PNG as libpng reads it without any transformation.
struct PngContent {
  uint32_t width = 0;
  uint32_t height = 0;
  int bits = 0;
  int colour_type = 0;
  bool has_srgb = false;
  std::vector<uint32_t> samples{};
};
PngContent parse_png(const Bytes& bytes);

/// A JPEG written by libjpeg at quality 100 without chroma subsampling. `samples` interleaved, 1, 3 or 4 a pixel (4 =
/// CMYK).
Bytes make_jpeg(uint32_t width, uint32_t height, int components, std::span<const uint8_t> samples,
                std::span<const uint8_t> app1 = {}, bool progressive = false);

/// A one-part EXR to be written by OpenEXR. Channel values are a function of pixel coordinates; a subsampled channel
/// has those of every `sampling`-th pixel of every `sampling`-th row.
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
  uint32_t tile_size = 0;  // 0 = scanlines
  enum class Levels { kOne, kMipDown, kMipUp, kRip } levels = Levels::kOne;
  int compression = 3;       // OpenEXR's Imf::Compression; 3 = ZIP
  bool stray_tiles = false;  // an attribute "xiles" of the type that "tiles" has, which OpenEXR would not write
  std::function<void(Imf::Header&)> edit{};  // what else the header shall have
};
void make_exr(const std::filesystem::path& path, const ExrSpec& spec);

/// Several parts, scanlines only. `deep` adds a deep part named "deep" at the end.
void make_multipart_exr(const std::filesystem::path& path, const std::vector<ExrSpec>& parts, bool deep = false);

/// A KTX2 file by hand, levels[0] the base. Offsets and lengths are right; tests damage them afterwards.
struct Ktx2Spec {
  uint32_t vk_format = 0;
  uint32_t width = 1;
  uint32_t height = 1;
  uint32_t depth = 0;
  uint32_t layers = 0;
  uint32_t faces = 1;
  uint32_t supercompression = 0;  // 2 compresses `levels` by Zstandard
  std::vector<Bytes> levels{};
  std::string orientation{};  // empty: none stored
};
Bytes make_ktx2(const Ktx2Spec& spec);

/// A Radiance file with the given scanline bytes.
Bytes make_hdr(const std::string& size_line, std::span<const uint8_t> pixels);

/// A small valid file of every type and kind, with names: seeds for mutation.
std::vector<std::pair<std::string, Bytes>> seed_files();

/// Channel `c` of a texel of an image as float, by the definition of the format, for the formats that readers make.
double texel(const onepass::ImageView& image, uint32_t x, uint32_t y, uint32_t c, uint32_t slice = 0);

/// An image whose stored codes are pseudo-random (floats: multiples of 1/64 in -8..8, exact in half).
onepass::Image random_image(onepass::Format format, onepass::Extent size, uint32_t slices, uint32_t seed);

/// A chain of `count` levels of random codes; 0 = down to 1x1.
std::vector<onepass::Image> random_levels(onepass::Format format, onepass::Extent size, uint32_t slices,
                                          uint32_t count = 0);
std::vector<onepass::ImageView> views(const std::vector<onepass::Image>& levels);

}  // namespace files_test
