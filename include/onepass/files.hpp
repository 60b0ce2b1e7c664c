// files.hpp: image files in and out: PNG, JPEG, OpenEXR, Radiance HDR, PFM, KTX2, TIFF, WebP and TGA (target
// onepass::files).
//
// The core library reads no files; this one turns files into onepass::Image and back. Reading recognises a file by its
// content, writing by its extension. Every failure is an Error whose context is the file and whose message names the
// field and its value; nothing throws, and no input, however damaged, does worse than return an Error.
//
//     auto photo = onepass::files::read("photo.jpg");
//     if (!photo) return photo.error();
//     const onepass::ImageView base = photo->base();           // r8g8b8a8_srgb
//     ...
//     auto done = onepass::files::write_ktx2("photo.ktx2", levels, {.zstd_level = 3});
//
// Output files appear whole or not at all: they grow under a temporary name in the target's directory and are renamed
// when complete. AtomicFile offers the same to other writers, FileSet to several files at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onepass/color.hpp"
#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::files {

/// The file formats. kUnknown is what an unrecognised content or extension yields.
enum class Type { kUnknown, kPng, kJpeg, kExr, kHdr, kPfm, kKtx2, kTiff, kWebp, kTga };

/// "PNG", "JPEG", "OpenEXR", "Radiance HDR", "PFM", "KTX2", "TIFF", "WebP", "TGA" or "unknown".
[[nodiscard]] ONEPASS_API std::string_view type_name(Type type);

/// The type whose signature `bytes` starts with; the first 12 bytes of a file are enough. TGA alone has no signature:
/// it is told by the footer of version 2, "TRUEVISION-XFILE." at the very end, where `bytes` are the whole file. TGA
/// files without a footer are kUnknown here: 18 bytes of small numbers are too little to tell them from anything else.
/// read() and read_memory() take them for TGA where the name says so (.tga) and the header can be one.
[[nodiscard]] ONEPASS_API Type type_of_content(std::span<const std::byte> bytes);

/// The type that the extension of `path` stands for, upper or lower case: .png, .jpg, .jpeg, .exr, .hdr,
/// .pfm, .ktx2, .tif, .tiff, .webp, .tga.
[[nodiscard]] ONEPASS_API Type type_of_extension(const std::filesystem::path& path);

/// The largest width and height, in texels, that is read or written. Larger headers are refused before any allocation.
inline constexpr uint32_t kMaxSize = 65535;

/// The most slices (layers times faces) of a KTX2 file.
inline constexpr uint32_t kMaxSlices = 65535;

/// The default of ReadOptions::max_bytes: 8 GiB, an image of 32768x16384 texels of 16 bytes.
inline constexpr uint64_t kDefaultMaxBytes = uint64_t{1} << 33;

// Reading -------------------------------------------------------------------------------------------------------------

/// What the stored numbers of a file mean.
///
/// Formats of type kSrgb decode when they are read, so a pyramid of one averages in linear light. There is no 16-bit
/// and no two-channel sRGB format; encoded values of those are therefore turned into a format that can say what they
/// are:
///
/// | stored                    | encoded as sRGB                 | linear                                  |
/// | ------------------------- | ------------------------------- | --------------------------------------- |
/// | 8-bit gray                | kR8Srgb                         | kR8Unorm                                |
/// | 8-bit gray+alpha, colour  | kRGBA8Srgb                      | kRGBA8Unorm                             |
/// | 16-bit gray               | kR32Sfloat, decoded             | kR16Unorm                               |
/// | 16-bit gray+alpha, colour | kRGBA32Sfloat, colour decoded   | kRGBA16Unorm                            |
/// | half, float               | kR.. to kRGBA32Sfloat, decoded  | the same (3 channels become 4, alpha 1) |
///
/// Alpha is always linear; where a file has none it is 1. Linear reading keeps stored values as they are, bit for bit.
enum class Color {
  kAuto,    ///< What the file says: PNG, JPEG, WebP, TGA and integers of TIFF are sRGB (a PNG whose cICP or gAMA chunk
            ///< says so is linear, as are profiles of ICC with curves that are), EXR, HDR, PFM and floats of TIFF
            ///< linear, KTX2 by its format, or as its descriptor says if that is sRGB. PQ and HLG are not applied.
  kSrgb,    ///< sRGB-encoded, whatever the file says. An 8-bit KTX2 with one channel becomes kR8Srgb, one with four
            ///< kRGBA8Srgb; other KTX2 formats are decoded to 32-bit float with the same number of channels.
  kLinear,  ///< Linear, whatever the file says: for normal maps, masks, heights and depth. An sRGB KTX2 becomes UNORM.
};

/// Which texels of an EXR part become the image.
enum class Window {
  kData,     ///< The data window, all the pixels that are in the file. Its place is in ImageFile::data_window.
  kDisplay,  ///< The display window: what lies outside the data window is `fill`, what hangs over is cut off.
};

/// How to read.
struct ReadOptions {
  Color color = Color::kAuto;

  /// EXR: the channels to read, 1 to 4 full names such as "Z" or "diffuse.R"; they become R, G, B, A in this order
  /// (three get alpha 1). One name that is a layer ("diffuse") means its R, G, B and, if there, A. Empty: R, G, B and A
  /// if the part has R, G and B; else luminance and chroma, Y, RY and BY, and A, as RGB; else Y, with A as RGBA of
  /// grey; else its only channel; else an error that lists the names. {"Y"} reads luminance alone. Other file types
  /// have no named channels and refuse a list.
  std::vector<std::string> channels{};

  /// EXR: name or index ("0", "1"...) of the part. Empty: the first part that has the channels. Others: refused.
  std::string part{};

  /// How colours and alpha belong together, where the file is wrong about it. None: as the file says.
  std::optional<AlphaAssociation> assume_alpha{};
  /// How they shall in the image returned, which is converted if need be. None: as in the file.
  std::optional<AlphaAssociation> alpha{};

  /// Primaries of the file's colours, whatever it says of them. None: as it says, BT.709 if it says nothing.
  std::optional<Chromaticities> assume_primaries{};
  /// Primaries that the image returned shall have; colours are converted if need be. None: as in the file.
  std::optional<Chromaticities> primaries{};

  /// The most memory in bytes that reading may take at any time: pixels, and what decoders need beside them. A file
  /// that needs more is refused by kOutOfMemory before any of it is allocated.
  uint64_t max_bytes = kDefaultMaxBytes;

  Window window = Window::kData;  ///< EXR only. kDisplay gives the base only, where the windows differ.
  float fill = 0.0F;              ///< Value of all channels outside the data window, with Window::kDisplay.

  /// Tuning, changes no result: threads for EXR decompression; 0 = all the machine has, 1 = none but the caller's.
  /// OpenEXR's process-wide pool is enlarged to this number if it is smaller and never shrunk.
  uint32_t threads = 0;
};

/// A rectangle in EXR's pixel space, both corners included; may start at negative coordinates.
struct Box {
  int32_t min_x = 0;
  int32_t min_y = 0;
  int32_t max_x = -1;
  int32_t max_y = -1;
  friend bool operator==(const Box&, const Box&) = default;
};

/// The attributes of an EXR header that describe the picture rather than how it is stored: camera, time, owner,
/// comments, custom ones. Opaque: it goes from ImageFile::exr_attributes to ExrOptions::attributes.
///
/// Kept are all attributes, of unknown types too, but for those that say how the picture is stored (channels,
/// compression, windows, tiles, name of the part...), a preview, values computed from pixels, chromaticities, and names
/// that start with "onepass". A writer says those anew, from its own options.
class ExrAttributes;

/// What a file contained.
struct ImageFile {
  Type type = Type::kUnknown;

  /// How the colours in `levels` belong together with alpha: kNone where the file has no alpha (an alpha of 1 that was
  /// added does not count) or where the fourth channel is not one. EXR: kPremultiplied if the fourth channel read is
  /// named A. KTX2: the flag of its descriptor. TIFF: ExtraSamples. Others: kStraight.
  AlphaAssociation alpha = AlphaAssociation::kNone;

  /// Primaries of the colours in `levels`.
  Chromaticities primaries = kRec709Chromaticities;
  bool says_primaries = false;  ///< The file said which primaries its colours have; else BT.709 was taken for granted.

  /// What the file says of its colours that could not be honoured, a clause each, naming what it is: an ICC profile
  /// with tables, a gamma beside an unknown transfer...
  std::vector<std::string> warnings;

  /// Texels with alpha 0 and a colour that became straight because ReadOptions::alpha asked for it; see ColorReport.
  uint64_t emissive_texels = 0;

  /// levels[n] is level n, size max(1, base >> n), with all slices. KTX2 and mip-mapped EXR (rounding down) can have
  /// more than one; there is always at least one, and all have the same format and slice count.
  std::vector<Image> levels;

  bool cube = false;   ///< KTX2: slices are cube faces +X -X +Y -Y +Z -Z, of layer 0, then of layer 1...
  bool array = false;  ///< KTX2: declared as an array, even if of one layer.
  bool zstd = false;   ///< KTX2: compressed by Zstandard.

  /// Channels that the file stores for the pixels read: 1 gray, 2 gray and alpha, 3 or 4. Palettes count as 3, or 4
  /// with transparency. EXR: the number of channels read.
  uint32_t stored_channels = 0;
  uint32_t stored_bits = 0;  ///< Bits of one stored channel: 1, 2, 4, 8, 16, 32. KTX2: the widest channel. HDR,
                             ///< PFM: 32. TIFF: also others to 64, TGA of 15 and 16 bits: 5.

  /// How the file says its values are encoded, by the numbers of ITU-T H.273: 4 gamma 2.2, 8 linear, 13 sRGB, 16 PQ, 18
  /// HLG; 0 if it does not say. PNG: cICP. KTX2: transferFunction of the descriptor. PQ and HLG are reported, not
  /// decoded.
  uint32_t transfer = 0;

  /// JPEG, WebP: EXIF orientation, 1 (upright) to 8; 1 if absent. TIFF: the tag Orientation, which is the same number.
  /// It is reported, not applied. The origin of a TGA is applied.
  uint32_t exif_orientation = 1;
  /// KTX2: the KTXorientation value, "rd" if absent. Reported, not applied.
  std::string ktx_orientation = "rd";

  std::string exr_part;                   ///< Name of the part read; empty in single-part files without one.
  std::vector<std::string> exr_parts;     ///< Names of all parts; one entry (maybe empty) for a single-part file.
  std::vector<std::string> exr_channels;  ///< Names of all channels of the part read.
  Box data_window;               ///< EXR: as in the file; with Window::kDisplay, the display window. Others: the image.
  Box display_window;            ///< EXR: as in the file. Others: the image.
  float pixel_aspect_ratio = 1;  ///< Width over height of a pixel. EXR: pixelAspectRatio. Others: 1.
  std::shared_ptr<const ExrAttributes> exr_attributes;  ///< EXR: all other attributes that may be kept; may be null.

  /// Level 0.
  [[nodiscard]] ImageView base() const { return levels.front().view(); }
};

/// Reads the image file at `path`, a regular file or a pipe.
///
/// PNG: every bit depth and colour type, interlaced or not; 1, 2 and 4 bits are expanded to 8, palettes to RGB(A), tRNS
/// to alpha. JPEG: gray, YCbCr, RGB, CMYK and YCCK, see below. EXR: half, float and uint channels (uint becomes float;
/// a value above 2^24 is refused) of scanline and tiled parts; half only if all channels read are half; luminance and
/// chroma become RGB, by the definition where all pixels have chroma, by OpenEXR's filters, which have the precision of
/// half, where it is subsampled 2x2; ripmaps and mip-maps that round up give their base; deep parts and other
/// subsampled channels are refused. HDR: RGB, becomes kRGBA32Sfloat; EXPOSURE and COLORCORR are not applied.
/// PFM: grey or RGB, either byte order; becomes kR32Sfloat or kRGBA32Sfloat, bit for bit; the scale is not applied.
/// KTX2: every onepass::Format, plus R8G8B8, B8G8R8 and B8G8R8A8 in UNORM and SRGB, R16G16B16 UNORM and SFLOAT and
/// R32G32B32_SFLOAT, which become the RGBA format; uncompressed or Zstandard; 2-D, array and cube, all levels. Other
/// formats and supercompressions are refused by number.
///
/// TIFF and BigTIFF: the first page, of strips or tiles, planes interleaved or apart; unsigned integers of 1 to 16 bits
/// (fewer than 8 are expanded to 8, 9 to 15 to 16) and 32 (to floats, of 24 bits), floats of 16, 24, 32 and 64 bits;
/// gray, palettes, RGB, CMYK, YCbCr in JPEG; compressions none, PackBits, LZW, deflate, JPEG, CCITT, and LZMA,
/// Zstandard and WebP if libtiff has them. ExtraSamples says what alpha is, as OpenImageIO reads it: 1 kPremultiplied,
/// 2 kStraight; without the tag the fourth sample of RGB is premultiplied alpha, with 0 it is the fourth channel and no
/// alpha. Further samples are left out with a warning. Signed and complex numbers and other colour spaces are refused
/// by tag and value.
///
/// WebP: lossy or lossless; animations are refused. TGA: colour of 15, 16, 24 and 32 bits, gray, palettes, run-length
/// coded or not, from any corner; alpha is what the extension area says it is, without one the attribute bits if they
/// are 8 and not 0 everywhere (which is a warning).
///
/// CMYK becomes sRGB by the embedded ICC profile, relative colorimetric with black point compensation, or, with a
/// warning, as (1 - C)(1 - K) where there is none or the build is without Little CMS; it never has alpha. Builds
/// without TIFF or WebP refuse files of these types (kUnsupported).
///
/// Colours and alpha are what the file stores: by convention EXR files hold colours multiplied by alpha, PNG files hold
/// colours that are not, and neither becomes the other.
///
/// Cost: the whole file in memory besides the image; both together are at most ReadOptions::max_bytes.
/// Errors: kNotFound (no such file, channel or part), kIo (a directory, permissions, a failing disk), kBadData (not an
/// image, truncated, damaged, zero or absurd size, sizes that the file is too short for), kUnsupported,
/// kInvalidArgument (options that do not fit the file type), kOutOfMemory.
/// Threads: any number of calls at once.
[[nodiscard]] ONEPASS_API Result<ImageFile> read(const std::filesystem::path& path, const ReadOptions& options = {});

/// Reads an image file that is already in memory; otherwise as read(). `name` becomes the context of errors.
[[nodiscard]] ONEPASS_API Result<ImageFile> read_memory(std::span<const std::byte> bytes, std::string_view name,
                                                        const ReadOptions& options = {});

// Writing -------------------------------------------------------------------------------------------------------------

/// How to write KTX2.
struct Ktx2Options {
  /// What the colours given are. kNone: what `stored_alpha` says, nothing is converted.
  AlphaAssociation alpha = AlphaAssociation::kNone;
  /// What the file holds, and its descriptor says: kStraight or kPremultiplied. kNone counts as kStraight.
  AlphaAssociation stored_alpha = AlphaAssociation::kNone;

  bool cube = false;   ///< Slices are cube faces: their number is a multiple of 6, the base is square.
  bool array = false;  ///< Declares an array even if there is one layer. More than one layer always is one.
  int zstd_level = 0;  ///< 0 = stored; 1 to 22 = Zstandard supercompression, 3 is a good choice.

  /// Colour primaries and transfer function by the numbers of ITU-T H.273: {9, 16} is BT.2020 with PQ. Primaries 1 or
  /// 9; transfer 2 (unspecified), 4 (gamma 2.2), 8 (linear), 13 (sRGB), 16 (PQ) or 18 (HLG), of *_SRGB formats 13
  /// alone. 8-bit UNORM formats refuse 13: their *_SRGB twins say that. Zeros: BT.709, and what the format says, sRGB
  /// or linear. Depth is no colour and takes zeros only.
  std::array<uint8_t, 2> code_points{};
};

/// Writes a KTX2 file: all levels given, all slices, smallest level first as the format demands.
///
/// `levels[n]` is level n, size max(1, base >> n); 1 up to the full chain of levels, all of one format (any Format) and
/// slice count. The data format descriptor names transfer, primaries and straight alpha; KTXwriter is
/// "onepass <version>", KTXorientation "rd".
/// Errors: kInvalidArgument for levels that do not fit together or other code points, kIo, kOutOfMemory.
/// Source: Khronos, "KTX File Format Specification", version 2.0, 2021; Khronos Data Format Specification 1.3.
[[nodiscard]] ONEPASS_API Result<void> write_ktx2(const std::filesystem::path& path, std::span<const ImageView> levels,
                                                  const Ktx2Options& options = {});

/// The type of the channels of an EXR file.
enum class ExrType {
  kAuto,   ///< Half for 8-bit, packed and half images, float for all others.
  kHalf,   ///< 16 bits; larger values than 65504 become infinite.
  kFloat,  ///< 32 bits.
};

/// How the pixels of an EXR file lie.
enum class ExrLayout {
  kAuto,      ///< kMipmap for more than one level, kScanline for one.
  kScanline,  ///< One level, in scanlines.
  kMipmap,    ///< Tiles with MIPMAP_LEVELS, ROUND_DOWN. The format knows only full chains, down to 1x1.
};

/// Lossless compressions of EXR files. kZips compresses single rows, kZip 16 at a time: larger files, but a program
/// that shows parts of them reads less.
enum class ExrCompression { kNone, kRle, kZip, kPiz, kZips };

/// How to write EXR.
struct ExrOptions {
  /// What the colours given are: kStraight ones are multiplied by alpha, for EXR files hold premultiplied colours.
  /// Alpha is a fourth channel of the name "A" or "layer.A".
  AlphaAssociation alpha = AlphaAssociation::kNone;

  /// Names, one a channel in the order of the image. Empty: Y (Z for depth formats), R G or R G B A.
  std::vector<std::string> channels{};
  ExrType type = ExrType::kAuto;
  ExrLayout layout = ExrLayout::kAuto;
  ExrCompression compression = ExrCompression::kZip;
  uint32_t tile_size = 64;  ///< Edge of a tile in texels, 8 to 4096.
  /// CIE x and y of red, green, blue and white, which the file then says. None: readers take Rec.709 for granted.
  std::optional<std::array<float, 8>> chromaticities{};
  /// Where the image lies in pixel space: its size is that of the base. None: at (0, 0).
  std::optional<Box> data_window{};
  std::optional<Box> display_window{};                ///< None: the data window.
  float pixel_aspect_ratio = 1;                       ///< Width over height of a pixel; 1e-6 to 1e6.
  std::shared_ptr<const ExrAttributes> attributes{};  ///< Further attributes, from ImageFile::exr_attributes.
  uint32_t threads = 0;                               ///< Tuning: as ReadOptions::threads.
};

/// Writes an OpenEXR file of linear values (sRGB formats are decoded), one slice.
///
/// Errors: kInvalidArgument for levels that do not fit together or are not 1 or a full chain, a wrong number of channel
/// names, windows that are empty or do not fit the base, or another aspect ratio; kUnsupported for several
/// slices; kIo, kOutOfMemory.
[[nodiscard]] ONEPASS_API Result<void> write_exr(const std::filesystem::path& path, std::span<const ImageView> levels,
                                                 const ExrOptions& options = {});

/// How to write PNG.
struct PngOptions {
  /// What the colours given are: kPremultiplied ones are divided by alpha, for PNG files hold straight colours.
  AlphaAssociation alpha = AlphaAssociation::kNone;

  uint32_t bits = 0;  ///< 8 or 16; 0 = 16 for 16-bit UNORM, else 8. Fewer bits round to nearest.

  /// What float and packed values become. kAuto and kSrgb: clamped to 0..1 and sRGB-encoded (kAuto leaves depth
  /// linear); kLinear: clamped and scaled. 8- and 16-bit UNORM and sRGB values are stored as they are, whatever this
  /// says.
  Color color = Color::kAuto;

  bool keep_opaque_alpha = false;  ///< By default the alpha of a four-channel image is left out where all of it is 1.

  /// Deflate effort, 0 to 9. Level 1 with the Sub filter is several times faster than zlib's default for a slightly
  /// larger file. From 6 up all filters are tried.
  int effort = 1;

  /// Colour primaries and transfer function by the numbers of ITU-T H.273, for a cICP chunk: {9, 16} is BT.2020 with
  /// PQ. Zeros: none. With them codes are not sRGB, and no sRGB chunk is written.
  std::array<uint8_t, 2> code_points{};

  /// Primaries for a cHRM chunk, which takes the place of the sRGB chunk; without code_points, a gAMA of 2.2 goes with
  /// it. Imaginary primaries, such as those of ACES, are refused. None: none is written.
  std::optional<Chromaticities> primaries{};

  /// Codes are light to the power 1 / gamma: a gAMA chunk, for readers that do not know cICP or transfers that it does
  /// not name. 0: none. Not of sRGB-encoded files.
  float gamma = 0;

  uint32_t threads = 0;  ///< Tuning: threads for filters and deflate; 0 = all the machine has. The file is the same.
};

/// Writes a PNG file of one level, one slice. One channel becomes gray, two become RGB with blue 0, four RGBA or RGB.
/// sRGB-encoded files carry an sRGB chunk. Linear ones carry none, for a gAMA chunk would have viewers brighten normal
/// maps and masks: read them back as Color::kLinear, or set code_points to {1, 8} for linear light.
/// Errors: kUnsupported for several slices, kInvalidArgument, kIo, kOutOfMemory.
[[nodiscard]] ONEPASS_API Result<void> write_png(const std::filesystem::path& path, const ImageView& image,
                                                 const PngOptions& options = {});

/// Writes a Radiance HDR file of one level, one slice: linear values (sRGB formats are decoded) to 8-bit mantissas with
/// a shared exponent, rounded to nearest, run-length coded. Negative values and NaN become 0, infinity the brightest
/// that there is. One channel is written to all three; alpha is left out.
/// Errors: kUnsupported for several slices, kInvalidArgument, kIo, kOutOfMemory.
/// `alpha`: what the colours given are; kStraight ones are multiplied by alpha.
[[nodiscard]] ONEPASS_API Result<void> write_hdr(const std::filesystem::path& path, const ImageView& image,
                                                 AlphaAssociation alpha = AlphaAssociation::kNone);

/// Writes a PFM file of one level, one slice: linear values as floats, little-endian. One channel becomes grey, others
/// RGB; alpha is left out.
/// Errors: kUnsupported for several slices, kInvalidArgument, kIo, kOutOfMemory.
/// `alpha`: what the colours given are; kStraight ones are multiplied by alpha.
[[nodiscard]] ONEPASS_API Result<void> write_pfm(const std::filesystem::path& path, const ImageView& image,
                                                 AlphaAssociation alpha = AlphaAssociation::kNone);

/// Lossless compressions of TIFF files.
enum class TiffCompression { kNone, kLzw, kDeflate, kZstd };

/// How to write TIFF.
struct TiffOptions {
  /// What the colours given are. kNone: what `stored_alpha` says, nothing is converted.
  AlphaAssociation alpha = AlphaAssociation::kNone;
  /// What the file holds, and its tag ExtraSamples says: kStraight or kPremultiplied. kNone: as `alpha`, kStraight if
  /// that is kNone too.
  AlphaAssociation stored_alpha = AlphaAssociation::kNone;

  bool keep_opaque_alpha = false;  ///< By default the alpha of a four-channel image is left out where all of it is 1.

  TiffCompression compression = TiffCompression::kDeflate;
  /// Stores differences of neighbours, which compress better: of integers (Predictor 2), of the bytes of floats (3).
  bool predictor = true;

  /// 0: strips of about 256 KiB, which every reader knows. Else the edge of tiles in texels, a multiple of 16 to 4096.
  uint32_t tile_size = 0;

  /// BigTIFF, with offsets of 64 bits, whatever the size. Images that may pass 4 GiB always are.
  bool big = false;

  /// Primaries of the colours, for the tags PrimaryChromaticities and WhitePoint and an ICC profile. None: no tags, and
  /// a profile of sRGB formats alone.
  std::optional<Chromaticities> primaries{};

  uint32_t threads = 0;  ///< Tuning: threads that convert colours; 0 = all the machine has. libtiff has one.
};

/// Writes a TIFF file of one level, one slice.
///
/// Values are stored as they are: 8 and 16-bit UNORM, sRGB codes, half and float; A2B10G10R10 as 16 bits, B10G11R11 as
/// half. One channel becomes grey, two become grey with an extra sample that is no alpha, four RGB with alpha or RGB.
/// sRGB formats carry an sRGB profile. Linear UNORM carries none unless `primaries` are given: read it back as
/// Color::kLinear. Given primaries of linear colours make a linear profile. Builds without Little CMS write no
/// profiles.
/// Errors: kUnsupported for several slices, a compression that libtiff lacks, and in builds without TIFF;
/// kInvalidArgument, kIo, kOutOfMemory.
/// Source: Adobe, "TIFF Revision 6.0", 1992.
[[nodiscard]] ONEPASS_API Result<void> write_tiff(const std::filesystem::path& path, const ImageView& image,
                                                  const TiffOptions& options = {});

/// How much chroma of a JPEG file is kept, as a ratio of samples.
enum class JpegChroma {
  kAuto,  ///< k444 from quality 90 up, k420 below.
  k444,   ///< All of it.
  k422,   ///< Half, in horizontal direction.
  k420,   ///< A quarter, half in either direction.
};

/// How to write JPEG.
struct JpegOptions {
  /// What the colours given are. Files have no alpha: the image is put before `background`. kNone: alpha is left out,
  /// colours are stored as given.
  AlphaAssociation alpha = AlphaAssociation::kNone;
  std::array<float, 3> background{};  ///< Linear light behind the image; finite. By default black.

  int quality = 90;  ///< 1 to 100, as libjpeg scales its tables. At 90 a photograph takes about 2 bits a pixel.
  JpegChroma chroma = JpegChroma::kAuto;
  bool progressive = false;  ///< Several scans, from coarse to fine: a few percent smaller, slower to read.
};

/// Writes a JPEG file (JFIF, 8 bits, YCbCr of BT.601) of one level, one slice. Float and packed values are clamped to
/// 0..1 and sRGB-encoded, sRGB codes and UNORM values are stored as they are. One channel becomes grey, two become RGB
/// with blue 0. Nothing is written of profiles and EXIF; readers take sRGB for granted.
/// Errors: kUnsupported for several slices and above 65500 texels; kInvalidArgument, kIo, kOutOfMemory.
[[nodiscard]] ONEPASS_API Result<void> write_jpeg(const std::filesystem::path& path, const ImageView& image,
                                                  const JpegOptions& options = {});

/// Options for each type that write() can write.
struct WriteOptions {
  /// What the colours of the levels are, whatever the type; takes the place of `alpha` in the options below. Types
  /// without alpha (HDR, PFM, JPEG) hold the image as it looks on black. None: nothing is converted.
  std::optional<AlphaAssociation> alpha{};
  Ktx2Options ktx2{};
  ExrOptions exr{};
  PngOptions png{};
  TiffOptions tiff{};
  JpegOptions jpeg{};
};

/// Writes `levels` as the type that the extension of `path` names: .ktx2, .exr, or .png, .tif, .tiff, .jpg, .jpeg,
/// .hdr, .pfm (which take exactly one level). Errors: those of the writers; kUnsupported for another extension.
[[nodiscard]] ONEPASS_API Result<void> write(const std::filesystem::path& path, std::span<const ImageView> levels,
                                             const WriteOptions& options = {});

// Output that appears whole or not at all -----------------------------------------------------------------------------

/// A file that grows under a temporary name beside its target and takes the target's place on commit().
///
///     auto file = AtomicFile::create("report.json");
///     if (!file) return file.error();
///     if (auto done = file->write(text); !done) return done.error();
///     return file->commit();
///
/// Destroyed without commit(), it leaves nothing behind and an existing target untouched. An existing file's permission
/// bits are kept; a symbolic link stays a link and the file it leads to is replaced or made, except that a link in a
/// sticky directory that everybody may write to, as /tmp, is refused unless it belongs to the caller or to the
/// directory's owner. Errors of a full disk surface in write() or commit(), never silently. commit() forces contents to
/// the disk before the file takes its place, and the directory after: after a power failure the old or the new file is
/// there, whole, and once commit() has returned it is the new one, on file systems that honour fsync. That costs a few
/// milliseconds a file. Threads: one object is used by one thread at a time.
class ONEPASS_API AtomicFile {
 public:
  /// Creates the temporary file.
  /// Errors: kIo when the directory does not exist or is not writable, or the target is a directory, another
  /// non-regular file, write-protected, or behind another user's link.
  static Result<AtomicFile> create(const std::filesystem::path& target);

  /// Writes at the current position, which starts at 0 and moves on.
  Result<void> write(std::span<const std::byte> bytes);
  /// The same with text.
  Result<void> write(std::string_view text);

  /// Moves the position, from the start of the file.
  Result<void> seek(uint64_t position);
  [[nodiscard]] uint64_t position() const;  ///< Bytes from the start of the file.

  /// Completes the file and puts it in the target's place. Must be the last call; after an error nothing is left
  /// behind. Only where the disk fails to store the directory, the new file is in place and an error says so.
  Result<void> commit();

  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();

 private:
  struct State;
  ONEPASS_INTERNAL explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Several files, in any directories, that appear together. They are made in hidden directories beside their targets
/// and put in place when all of them are complete:
///
///     FileSet set;
///     set.write("out/a.0.png", [&](const auto& path) { return write_png(path, base); });
///     set.write("other/sheet.png", [&](const auto& path) { return write_png(path, sheet); });
///     return set.commit();
///
/// Links, permissions and power failures: as AtomicFile, file by file. Where a file cannot be put in its place, those
/// before it are taken back: old files return, new ones are deleted. A process that is killed, or a machine that fails,
/// while commit() renames may leave some files new and some old, each of them whole. Needs room for old and new files
/// at once. Threads: one object is used by one thread at a time.
class ONEPASS_API FileSet {
 public:
  FileSet();  ///< No files yet; touches nothing.

  /// Where to write the file that will become `target`; the name has its extension. Targets are told apart by the
  /// caller. Errors: as AtomicFile::create.
  Result<std::filesystem::path> add(const std::filesystem::path& target);

  /// Calls `writer` with what add() returns, and names the target in its errors.
  Result<void> write(const std::filesystem::path& target,
                     const std::function<Result<void>(const std::filesystem::path&)>& writer);

  /// Puts all files in place, in the order in which they were added. Must be the last call; after an error nothing is
  /// left behind, and every target is as it was. Errors: kIo, also for a file that was added and not written.
  Result<void> commit();

  FileSet(FileSet&&) noexcept;
  FileSet& operator=(FileSet&&) noexcept;
  ~FileSet();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The file that writing to `path` creates or replaces: `path`, absolute, or, for a symbolic link, what it leads to in
/// the end, whether that exists or not.
[[nodiscard]] ONEPASS_API std::filesystem::path write_target(const std::filesystem::path& path);

/// Deletes the temporary files of every AtomicFile and FileSet that is not committed yet, in the whole process. Meant
/// for a signal handler right before it ends the process: async-signal-safe, takes no lock, allocates nothing. A
/// commit() after it fails.
ONEPASS_API void discard_pending_files() noexcept;

}  // namespace onepass::files
