// files.hpp: reads and writes image files: PNG, JPEG, OpenEXR, Radiance HDR, PFM, KTX2, TIFF, WebP, TGA, PNM and DDS
// (target onepass::files).
//
// The core library reads no files; this library converts files to onepass::Image and back. Reading detects the type by
// content, writing by extension. Every failure is an Error whose context is the file and whose message names the field
// and its value. Nothing throws, and a damaged file causes nothing worse than an Error.
//
//     auto photo = onepass::files::read("photo.jpg");
//     if (!photo) return photo.error();
//     const onepass::ImageView base = photo->base();           // r8g8b8a8_srgb
//     // make levels of it
//     auto done = onepass::files::write_ktx2("photo.ktx2", levels, {.zstd_level = 3});
//
// An output file appears complete or not at all: it is written under a temporary name in the target's directory and
// renamed when complete. AtomicFile offers this to other writers, FileSet for several files at once.
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

#include "onepass/blocks.hpp"
#include "onepass/color.hpp"
#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::files {

/// File types. kUnknown is the type of unrecognised content or extensions. kPnm: the files of Netpbm, which are PBM,
/// PGM, PPM and PAM.
enum class Type { kUnknown, kPng, kJpeg, kExr, kHdr, kPfm, kKtx2, kTiff, kWebp, kTga, kPnm, kDds };

/// "PNG", "JPEG", "OpenEXR", "Radiance HDR", "PFM", "KTX2", "TIFF", "WebP", "TGA", "PNM", "DDS" or "unknown".
[[nodiscard]] ONEPASS_API std::string_view type_name(Type type);

/// The type whose signature is at the start of `bytes`; the first 12 bytes of a file are enough. Only TGA has no
/// signature at the start: it is recognised by the footer of version 2, "TRUEVISION-XFILE." at the very end, if `bytes`
/// are the whole file. TGA files without a footer are kUnknown here, because their header, 18 bytes of small numbers,
/// is not distinctive enough. read() and read_memory() accept them if the name ends in .tga and the header can be that
/// of a TGA.
[[nodiscard]] ONEPASS_API Type type_of_content(std::span<const std::byte> bytes);

/// The type that the extension of `path` stands for, in upper or lower case: .png, .jpg, .jpeg, .exr, .hdr, .pfm,
/// .ktx2, .tif, .tiff, .webp, .tga, .pnm, .pbm, .pgm, .ppm, .pam, .dds.
[[nodiscard]] ONEPASS_API Type type_of_extension(const std::filesystem::path& path);

/// The largest width and height in texels that is read or written. Larger sizes are refused before any allocation.
inline constexpr uint32_t kMaxSize = 65535;

/// The maximum number of slices (layers times faces) of a KTX2 or DDS file.
inline constexpr uint32_t kMaxSlices = 65535;

/// The default of ReadOptions::max_bytes: 8 GiB, an image of 32768x16384 texels of 16 bytes.
inline constexpr uint64_t kDefaultMaxBytes = uint64_t{1} << 33;

// Reading -------------------------------------------------------------------------------------------------------------

/// Interpretation of the stored values of a file.
///
/// Formats of type kSrgb are decoded when they are read, so a pyramid of such an image averages linear light. There is
/// no 16-bit and no two-channel sRGB format. Encoded values of these kinds are converted to another format:
///
/// | stored                    | encoded                         | linear                                  |
/// | ------------------------- | ------------------------------- | --------------------------------------- |
/// | 8-bit grey                | kR8Srgb                         | kR8Unorm                                |
/// | 8-bit grey+alpha, colour  | kRGBA8Srgb                      | kRGBA8Unorm                             |
/// | 16-bit grey               | kR32Sfloat, decoded             | kR16Unorm                               |
/// | 16-bit grey+alpha, colour | kRGBA32Sfloat, colour decoded   | kRGBA16Unorm                            |
/// | half, float               | kR.. to kRGBA32Sfloat, decoded  | the same (3 channels become 4, alpha 1) |
///
/// Alpha is always linear; it is 1 if the file has none. Linear reading keeps stored values unchanged, bit for bit.
enum class Color {
  kAuto,  ///< As the file states: by a chunk of PNG, an ICC profile, the format or descriptor of KTX2. Without a
          ///< statement integers of 8 bits and fewer are sRGB, and so are colours of PNG and PNM at any depth; other
          ///< integers of more than 8 bits are linear. EXR, HDR, PFM and float TIFF are linear. PQ and HLG (PNG, KTX2)
          ///< are decoded to the light of a display in floats, of which 1 is reference white, 203 cd/m^2 (ITU-R
          ///< BT.2408): PQ up to 49.3, HLG, as a display of 1000 cd/m^2 shows it, up to 4.93. HDR: EXPOSURE and
          ///< COLORCORR are divided out.
  kSrgb,  ///< sRGB-encoded, regardless of the file. An 8-bit KTX2 with one channel becomes kR8Srgb, with two kRG8Srgb,
          ///< with four kRGBA8Srgb; other KTX2 formats are decoded to 32-bit float with the same number of channels.
  kLinear,  ///< Linear, regardless of the file: for normal maps, masks, heights and depth. An sRGB KTX2 becomes UNORM.
};

/// The texels of an EXR part that form the image.
enum class Window {
  kData,     ///< The data window: all pixels in the file. Its position is in ImageFile::data_window.
  kDisplay,  ///< The display window: texels outside the data window get `fill`; parts of the data window outside it are
             ///< cut off.
};

/// Options of read() and read_memory().
struct ReadOptions {
  Color color = Color::kAuto;

  /// EXR: the channels to read, 1 to 4 full names such as "Z" or "diffuse.R". They become R, G, B, A in this order; for
  /// three, alpha is 1. A single name of a layer ("diffuse") stands for its R, G, B and, if present, A. Empty: the
  /// first of these that the part has: R, G and B, with A (also as Red, red, r or .R...); luminance and chroma (Y, RY,
  /// BY, with A) as RGB; Y, with A as grey RGBA; its only channel; otherwise an error that lists the names. {"Y"} reads
  /// luminance alone. Other file types have no named channels and refuse a list.
  std::vector<std::string> channels{};

  /// EXR: name or index ("0", "1"...) of the part. Empty: the first part that has the channels. Other types refuse a
  /// part.
  std::string part{};

  /// The alpha association of the file's colours, if the file states a wrong one. No value: as the file states.
  std::optional<AlphaAssociation> assume_alpha{};
  /// The alpha association of the returned image; colours are converted if necessary. No value: as in the file.
  std::optional<AlphaAssociation> alpha{};

  /// The primaries of the file's colours, regardless of the file. No value: as the file states; BT.709 if it states
  /// none.
  std::optional<Chromaticities> assume_primaries{};
  /// The primaries of the returned image; colours are converted if necessary. No value: as in the file.
  std::optional<Chromaticities> primaries{};

  /// Upper limit in bytes of the memory that reading uses at any time: pixels and the decoder's working memory. A file
  /// that needs more fails with kOutOfMemory before anything of it is allocated.
  uint64_t max_bytes = kDefaultMaxBytes;

  Window window = Window::kData;  ///< EXR only. kDisplay returns only the base if the two windows differ.
  float fill = 0.0F;              ///< Value of all channels outside the data window, for Window::kDisplay.

  /// Tuning, does not change the result: threads for EXR, TIFF and WebP decoding and for colour conversion; 0 =
  /// usable_threads(), 1 = only the calling thread. OpenEXR's process-wide pool is enlarged to this number if it is
  /// smaller, and never shrunk.
  uint32_t threads = 0;

  /// Called before pixels are allocated, with the most bytes that reading will use, the file itself included; at most
  /// max_bytes. The call may block, so that a program that reads several files at once can limit their sum. A reader
  /// may call it more than once; the largest number counts. It must not throw.
  std::function<void(uint64_t bytes)> before_allocation{};
};

/// A rectangle in EXR's pixel space. Both corners are included; coordinates can be negative.
struct Box {
  int32_t min_x = 0;
  int32_t min_y = 0;
  int32_t max_x = -1;
  int32_t max_y = -1;
  friend bool operator==(const Box&, const Box&) = default;
};

/// The attributes of an EXR header that describe the picture, not its storage: camera, time, owner, comments, custom
/// attributes. An opaque object that passes from ImageFile::exr_attributes to ExrOptions::attributes.
///
/// It holds all attributes, also of unknown types, except those that describe the storage (channels, compression,
/// windows, tiles, name of the part...), a preview, values computed from pixels, chromaticities, and names that start
/// with "onepass". A writer creates these from its own options.
class ExrAttributes;

/// The content of a file.
struct ImageFile {
  Type type = Type::kUnknown;

  /// Alpha association of the colours in `levels`: kNone if the file has no alpha (an added alpha of 1 does not count)
  /// or its fourth channel is not alpha. EXR: kPremultiplied if the fourth channel read is named A. KTX2: the flag of
  /// its descriptor. TIFF: ExtraSamples. Others: kStraight.
  AlphaAssociation alpha = AlphaAssociation::kNone;

  /// Primaries of the colours in `levels`.
  Chromaticities primaries = kRec709Chromaticities;
  bool says_primaries = false;  ///< The file states its primaries; otherwise BT.709 was assumed.

  /// Statements of the file about its colours that could not be applied, one clause each, for example an ICC profile
  /// with tables or a gamma beside an unknown transfer.
  std::vector<std::string> warnings;

  /// Texels of level 0 with alpha 0 and a colour that became straight through ReadOptions::alpha; see ColorReport.
  uint64_t emissive_texels = 0;

  /// levels[n] is level n, size max(1, base >> n), with all slices. There is at least one level; KTX2 and mip-mapped
  /// EXR (rounding down) can have more. All levels have the same format and, but for 3-D images, number of slices.
  std::vector<Image> levels;

  bool cube = false;   ///< KTX2, DDS: slices are cube faces +X -X +Y -Y +Z -Z, of layer 0, then of layer 1...
  bool array = false;  ///< KTX2: declared as an array, even with one layer. DDS: several layers.
  bool zstd = false;   ///< KTX2: compressed by Zstandard.
  /// KTX2: a 3-D image. Slices are its planes: max(1, depth >> n) of level n.
  bool volume = false;
  /// DDS, KTX2: the format of the blocks that the levels were decompressed from; kUndefined if the file stores texels.
  BlockFormat blocks = BlockFormat::kUndefined;

  /// Number of channels that the file stores for the pixels read: 1 grey, 2 grey and alpha, 3 or 4. A palette counts as
  /// 3, or as 4 with transparency. EXR: the number of channels read.
  uint32_t stored_channels = 0;
  uint32_t stored_bits = 0;  ///< Bits of one stored channel: 1, 2, 4, 8, 16 or 32 (TIFF: also others up to 64; TGA of
                             ///< 15 and 16 bits: 5). KTX2: the widest channel. HDR, PFM: 32.

  /// Encoding of the values as the file states it, as a number of ITU-T H.273: 4 gamma 2.2, 8 linear, 13 sRGB, 16 PQ,
  /// 18 HLG; 0 if it states none. PNG: cICP. KTX2: transferFunction of the descriptor.
  uint32_t transfer = 0;

  /// JPEG, PNG, WebP: EXIF orientation, 1 (upright) to 8; 1 if absent. TIFF: the tag Orientation, with the same
  /// numbers. It is reported, not applied. The origin of a TGA is applied.
  uint32_t exif_orientation = 1;
  /// KTX2: the KTXorientation value, "rd" if absent. Reported, not applied; KTXswizzle is applied.
  std::string ktx_orientation = "rd";

  std::string exr_part;                   ///< Name of the part read; empty for single-part files without a name.
  std::vector<std::string> exr_parts;     ///< Names of all parts; one entry (possibly empty) for a single-part file.
  std::vector<std::string> exr_channels;  ///< Names of all channels of the part read.
  Box data_window;     ///< EXR: that of the file; with Window::kDisplay, the display window. Others: the image.
  Box display_window;  ///< EXR: that of the file. Others: the image.
  float pixel_aspect_ratio =
      1;  ///< Width over height of a pixel. EXR: pixelAspectRatio. HDR: 1 / PIXASPECT. Others: 1.
  std::shared_ptr<const ExrAttributes> exr_attributes;  ///< EXR: all attributes that can be passed on; may be null.

  /// Level 0.
  [[nodiscard]] ImageView base() const { return levels.front().view(); }
};

/// Reads the image file at `path`, a regular file or a pipe.
///
/// PNG: every bit depth and colour type, interlaced or not; 1, 2 and 4 bits are expanded to 8, palettes to RGB(A), tRNS
/// to alpha. JPEG: grey, YCbCr, RGB, CMYK and YCCK, see below. EXR: half, float and uint channels (uint becomes float;
/// a value above 2^24 is refused) of scanline and tiled parts; the result is half only if all channels read are half.
/// Luminance and chroma become RGB: by the definition if all pixels have chroma; if chroma is subsampled 2x2, by
/// OpenEXR's filters, which have half precision. Ripmaps, and mip-maps that round up, give their base. Deep parts and
/// other subsampled channels are refused. HDR: RGBE or XYZE (kXyzChromaticities), pixels in any of the eight orders,
/// flat or run-length coded, old or new; becomes kRGBA32Sfloat. Color::kAuto divides by EXPOSURE and COLORCORR;
/// PRIMARIES are those of the image; other lines of the header are ignored. PFM: grey or RGB, either byte order;
/// becomes kR32Sfloat or kRGBA32Sfloat, bit for bit; the scale is not applied. KTX2: every onepass::Format; in addition
/// R8G8B8, B8G8R8 and B8G8R8A8 in UNORM and SRGB, R16G16B16 UNORM and SFLOAT, and R32G32B32_SFLOAT, which become the
/// RGBA format, and the blocks of BC1 to BC7 and, if has_astc(), of ASTC, which are decompressed. Plain or Zstandard;
/// 2-D, array, cube and 3-D, all levels. Other formats and supercompressions are refused by number. KTXswizzle is
/// applied; one and two channels become RGBA where it sets others. Parts that overlap, lie outside the file or
/// contradict each other are refused.
///
/// TIFF and BigTIFF: the first page, of strips or tiles, with interleaved or separate planes; unsigned integers of 1 to
/// 16 bits (fewer than 8 are expanded to 8, 9 to 15 to 16) and of 32 bits (to floats, with 24 bits of precision),
/// signed integers of 8, 16 and 32 bits (to floats of the same value, with a warning), floats of 16, 24, 32 and 64
/// bits; grey, palettes, RGB, CMYK, YCbCr; L*a*b* (white D50) of 8 and 16 bits becomes sRGB, as does YCbCr outside
/// JPEG (8 bits, by libtiff), SGI LogLuv linear floats of BT.709; compressions none, PackBits, LZW, deflate, JPEG,
/// CCITT, and LZMA, Zstandard and WebP if libtiff has them. ExtraSamples defines alpha as in OpenImageIO: 1 is
/// kPremultiplied, 2 kStraight, 0 a fourth channel that is not alpha; without the tag, the fourth sample of RGB is
/// premultiplied alpha. Further samples and pages are left out with a warning. Complex numbers and other colour spaces
/// are refused by tag and value.
///
/// WebP: lossy or lossless; animations are refused. TGA: colour of 15, 16, 24 and 32 bits, grey, palettes, run-length
/// coded or not, from any corner; entries of palettes also of 8 bits. The extension area defines the alpha. Without
/// one, 8 attribute bits are alpha; if all of them are 0, the image is taken as opaque, with a warning.
///
/// PNM: PBM, PGM and PPM, as text or binary, and PAM of grey or RGB, with or without alpha (straight). The largest
/// value (maxval) is 1 to 65535; up to 255 values become 8 bits, above 16, rounded to nearest. Of several images the
/// first is read, with a warning.
///
/// DDS: 2-D textures, arrays and cubes, all levels. With the header of DX10 every onepass::Format that DXGI has, BGRA8,
/// BGRX8, B5G6R5, B5G5R5A1, B4G4R4A4, A8 and RGB of 32-bit floats, and the blocks of BC1 to BC7, which are decompressed
/// (block_format_info().texels). Without it DXT1 to DXT5, ATI1, ATI2, BC4U, BC4S, BC5U, BC5S, 16-bit UNORM, half and
/// float by their numbers, and words with masks of up to 16 bits per channel: RGB, grey, alpha. Masks become 8 bits, or
/// 16 if a channel has more, rounded to nearest. Without the header of DX10, colours of up to 8 bits are taken as sRGB;
/// with it their format says. Volumes, 1-D textures, palettes and signed integers are refused.
///
/// CMYK becomes sRGB by the embedded ICC profile, relative colorimetric with black point compensation. Without a
/// profile, or in a build without Little CMS, it becomes (1 - C)(1 - K), with a warning. It never has alpha. JPEG files
/// store inverted inks, with and without Adobe's marker. Builds without TIFF or WebP refuse files of these types
/// (kUnsupported).
///
/// Colours and alpha are returned as the file stores them. By convention, EXR files hold premultiplied and PNG files
/// straight colours; neither is converted unless ReadOptions::alpha is set.
///
/// Cost: the whole file in memory besides the image; both together are at most ReadOptions::max_bytes.
/// Errors: kNotFound (no such file, channel or part), kIo (a directory, permissions, a failing disk), kBadData (not an
/// image, truncated, damaged, size 0, or more pixels than the file can contain), kUnsupported (including sizes above
/// kMaxSize), kInvalidArgument (options that do not match the file type), kOutOfMemory.
/// Threads: any number of calls at once.
[[nodiscard]] ONEPASS_API Result<ImageFile> read(const std::filesystem::path& path, const ReadOptions& options = {});

/// Reads an image file from memory; otherwise the same as read(). `name` becomes the context of errors.
[[nodiscard]] ONEPASS_API Result<ImageFile> read_memory(std::span<const std::byte> bytes, std::string_view name,
                                                        const ReadOptions& options = {});

// Writing -------------------------------------------------------------------------------------------------------------

/// Options of write_ktx2().
struct Ktx2Options {
  /// Alpha association of the given colours. kNone: that of `stored_alpha`, nothing is converted.
  AlphaAssociation alpha = AlphaAssociation::kNone;
  /// Alpha association in the file and its descriptor: kStraight or kPremultiplied. kNone counts as kStraight.
  AlphaAssociation stored_alpha = AlphaAssociation::kNone;

  bool cube = false;   ///< Slices are cube faces: the number of slices is a multiple of 6, the base is square.
  bool array = false;  ///< Declares an array even if there is one layer. Several layers are always an array.
  int zstd_level = 0;  ///< 0 = stored; 1 to 22 = Zstandard supercompression, 3 is a good choice.

  /// Colour primaries and transfer function as numbers of ITU-T H.273: {9, 16} is BT.2020 with PQ. Primaries 1 or 9;
  /// transfer 2 (unspecified), 4 (gamma 2.2), 8 (linear), 13 (sRGB), 16 (PQ) or 18 (HLG); *_SRGB formats allow only 13.
  /// 8-bit UNORM formats refuse 13: use the *_SRGB format. Zeros: BT.709 and the transfer of the format, sRGB or
  /// linear. Depth formats allow only zeros.
  std::array<uint8_t, 2> code_points{};
};

/// Writes a KTX2 file: all given levels, all slices, smallest level first as the format requires.
///
/// `levels[n]` is level n, size max(1, base >> n); 1 level up to the full chain, all with one format (any Format) and
/// number of slices. The data format descriptor states transfer, primaries and alpha association; KTXwriter is
/// "onepass <version>", KTXorientation "rd".
/// Errors: kInvalidArgument for levels that do not match each other and options that are not allowed, kIo,
/// kOutOfMemory.
/// Threads: any number of calls at once, for different files.
/// Source: Khronos, "KTX File Format Specification", version 2.0, 2021; Khronos Data Format Specification 1.3.
[[nodiscard]] ONEPASS_API Result<void> write_ktx2(const std::filesystem::path& path, std::span<const ImageView> levels,
                                                  const Ktx2Options& options = {});

/// The same for blocks of any format. Blocks are never converted: Ktx2Options::alpha does not count.
[[nodiscard]] ONEPASS_API Result<void> write_ktx2(const std::filesystem::path& path, std::span<const BlockView> levels,
                                                  const Ktx2Options& options = {});

/// Headers of DDS files.
enum class DdsHeader {
  kDx10,    ///< States every format, sRGB, the association of alpha, and arrays.
  kLegacy,  ///< That of DirectX 9, for programs that know no other: a FourCC or masks. It states neither sRGB nor, but
            ///< for BC2 and BC3, premultiplied alpha, and holds one image or one cube.
};

/// Options of write_dds().
struct DdsOptions {
  /// Alpha association of the given colours. kNone: that of `stored_alpha`, nothing is converted. Blocks are never
  /// converted.
  AlphaAssociation alpha = AlphaAssociation::kNone;
  /// Alpha association in the file and its header: kStraight or kPremultiplied. kNone counts as kStraight.
  AlphaAssociation stored_alpha = AlphaAssociation::kNone;
  bool cube = false;  ///< Slices are cube faces: the number of slices is a multiple of 6, the base is square.
  DdsHeader header = DdsHeader::kDx10;
};

/// Writes a DDS file: all given levels of the first slice, then of the next ones.
///
/// `levels[n]` is level n, size max(1, base >> n); 1 level up to the full chain, all with one format and number of
/// slices. Formats: those that DXGI has; not R8 and R8G8 in sRGB, nor depth in 24 bits or beside stencil. The header of
/// DX10 states alpha as opaque, straight or premultiplied. Formats of DdsHeader::kLegacy: RGBA8, BGRA8 and their sRGB,
/// R8, R16, RG16 and RGBA16 UNORM, half and float of one, two and four channels, and blocks of BC1 to BC5.
/// Errors: kInvalidArgument for levels that do not match each other and options that are not allowed, kUnsupported for
/// other formats and, with kLegacy, for arrays, kIo, kOutOfMemory.
/// Threads: any number of calls at once, for different files.
/// Source: Microsoft, "Programming Guide for DDS", 2021.
[[nodiscard]] ONEPASS_API Result<void> write_dds(const std::filesystem::path& path, std::span<const ImageView> levels,
                                                 const DdsOptions& options = {});
/// The same for blocks of any format; BC1 without alpha is stored as BC1, with opaque alpha in the header.
[[nodiscard]] ONEPASS_API Result<void> write_dds(const std::filesystem::path& path, std::span<const BlockView> levels,
                                                 const DdsOptions& options = {});

/// Type of the channels of an EXR file.
enum class ExrType {
  kAuto,   ///< Half for 8-bit, packed and half images, float for all others.
  kHalf,   ///< 16 bits; finite values beyond 65504 become 65504.
  kFloat,  ///< 32 bits.
};

/// Storage layout of an EXR file.
enum class ExrLayout {
  kAuto,      ///< kMipmap for more than one level, kScanline for one.
  kScanline,  ///< One level, in scanlines.
  kMipmap,    ///< Tiles with MIPMAP_LEVELS, ROUND_DOWN. The format allows only full chains, down to 1x1.
};

/// Lossless compressions of EXR files. kZips compresses single rows, kZip 16 rows at a time. kZips gives larger files,
/// but a program that shows a part of the image reads less.
enum class ExrCompression { kNone, kRle, kZip, kPiz, kZips };

/// Options of write_exr().
struct ExrOptions {
  /// Alpha association of the given colours. kStraight colours are multiplied by alpha, because EXR files hold
  /// premultiplied colours. Alpha is a fourth channel named "A" or "layer.A".
  AlphaAssociation alpha = AlphaAssociation::kNone;

  /// Channel names in the order of the image. Empty: Y (Z for depth formats), R G, R G B or R G B A.
  std::vector<std::string> channels{};
  ExrType type = ExrType::kAuto;
  ExrLayout layout = ExrLayout::kAuto;
  ExrCompression compression = ExrCompression::kZip;
  uint32_t tile_size = 64;  ///< Edge of a tile in texels, 8 to 4096.
  /// CIE x and y of red, green, blue and white, stored in the file. No value: not stored; readers assume Rec.709.
  std::optional<std::array<float, 8>> chromaticities{};
  /// The position of the image in pixel space; its size is that of the base. No value: at (0, 0).
  std::optional<Box> data_window{};
  std::optional<Box> display_window{};                ///< No value: the data window.
  float pixel_aspect_ratio = 1;                       ///< Width over height of a pixel; 1e-6 to 1e6.
  std::shared_ptr<const ExrAttributes> attributes{};  ///< Further attributes, from ImageFile::exr_attributes.
  uint32_t threads = 0;                               ///< Tuning: as in ReadOptions::threads.
};

/// Writes an OpenEXR file of linear values (sRGB formats are decoded), one slice.
///
/// Errors: kInvalidArgument for levels that do not match each other or are neither one level nor a full chain, a wrong
/// number of channel names, windows that are empty or do not match the base, a tile size or aspect ratio out of range;
/// kUnsupported for several slices; kIo, kOutOfMemory.
/// Threads: any number of calls at once, for different files.
[[nodiscard]] ONEPASS_API Result<void> write_exr(const std::filesystem::path& path, std::span<const ImageView> levels,
                                                 const ExrOptions& options = {});

/// Options of write_png().
struct PngOptions {
  /// Alpha association of the given colours. kPremultiplied colours are divided by alpha: PNG files hold straight
  /// colours.
  AlphaAssociation alpha = AlphaAssociation::kNone;

  uint32_t bits = 0;  ///< 8 or 16; 0 = 16 for 16-bit UNORM, otherwise 8. A reduction of bits rounds to nearest.

  /// Encoding of float and packed values. kAuto and kSrgb: clamped to 0..1 and sRGB-encoded (kAuto leaves depth
  /// linear); kLinear: clamped and scaled. 8- and 16-bit UNORM and sRGB values are stored unchanged in all cases.
  Color color = Color::kAuto;

  bool keep_opaque_alpha = false;  ///< Stores the alpha of a four-channel image even if all of it is 1.

  /// Deflate effort, 0 to 9. Level 1 with the Sub filter is several times faster than zlib's default, for a slightly
  /// larger file. From 6 up, all filters are tried.
  int effort = 1;

  /// Colour primaries and transfer function as numbers of ITU-T H.273, for a cICP chunk: {9, 16} is BT.2020 with PQ.
  /// Zeros: none. If set, the values are not sRGB, and no sRGB chunk is written.
  std::array<uint8_t, 2> code_points{};

  /// Primaries for a cHRM chunk, which replaces the sRGB chunk; without code_points, a gAMA of 2.2 is written as well.
  /// Imaginary primaries, such as those of ACES, are refused. No value: not written.
  std::optional<Chromaticities> primaries{};

  /// The values are light to the power of 1 / gamma. Writes a gAMA chunk, for readers without cICP and for transfers
  /// that cICP cannot name. 0: none. Not for sRGB-encoded files.
  float gamma = 0;

  uint32_t threads = 0;  ///< Tuning: threads for filters and deflate; 0 = usable_threads(). The file is the same.
};

/// Writes a PNG file of one level and one slice. One channel becomes grey, two become RGB with blue 0, four RGBA or
/// RGB. sRGB-encoded files contain an sRGB chunk. Linear files contain no gAMA chunk, because viewers would brighten
/// normal maps and masks: read them with Color::kLinear, or set code_points to {1, 8} for linear light.
/// Errors: kUnsupported for several slices, kInvalidArgument, kIo, kOutOfMemory.
/// Threads: any number of calls at once, for different files.
[[nodiscard]] ONEPASS_API Result<void> write_png(const std::filesystem::path& path, const ImageView& image,
                                                 const PngOptions& options = {});

/// Writes a Radiance HDR file of one level and one slice: linear values (sRGB formats are decoded) as 8-bit mantissas
/// with a shared exponent, rounded to nearest, run-length coded. Negative values and NaN become 0, infinity the largest
/// value. One channel is written to all three; alpha is left out.
/// `alpha`: association of the given colours; kStraight colours are multiplied by alpha.
/// Errors: kUnsupported for several slices, kInvalidArgument, kIo, kOutOfMemory.
/// Threads: any number of calls at once, for different files.
[[nodiscard]] ONEPASS_API Result<void> write_hdr(const std::filesystem::path& path, const ImageView& image,
                                                 AlphaAssociation alpha = AlphaAssociation::kNone);

/// Writes a PFM file of one level and one slice: linear values as little-endian floats. One channel becomes grey,
/// others RGB; alpha is left out.
/// `alpha`: association of the given colours; kStraight colours are multiplied by alpha.
/// Errors: kUnsupported for several slices, kInvalidArgument, kIo, kOutOfMemory.
/// Threads: any number of calls at once, for different files.
[[nodiscard]] ONEPASS_API Result<void> write_pfm(const std::filesystem::path& path, const ImageView& image,
                                                 AlphaAssociation alpha = AlphaAssociation::kNone);

/// Options of write_pnm().
struct PnmOptions {
  /// Alpha association of the given colours. PAM files hold straight colours; of others alpha is left out, and
  /// kStraight colours are multiplied by it.
  AlphaAssociation alpha = AlphaAssociation::kNone;
  uint32_t bits = 0;  ///< 8 or 16; 0 = 16 for 16-bit UNORM, otherwise 8. A reduction of bits rounds to nearest.
  /// Encoding of float and packed values, as in PngOptions. kAuto: sRGB, but linear for files of 16-bit grey.
  Color color = Color::kAuto;
};

/// Writes a binary Netpbm file of one level and one slice; the extension of `path` states its kind: .pgm (grey, one
/// channel), .ppm (RGB), .pam (grey, RGB, or RGB with alpha), .pnm (PGM or PPM). The largest value is 255 or 65535. The
/// files cannot state how values are encoded; readers assume sRGB or BT.709.
/// Errors: kUnsupported for several slices, for .pbm and for colours in .pgm; kInvalidArgument, kIo, kOutOfMemory.
/// Threads: any number of calls at once, for different files.
/// Source: Netpbm, pgm(5), ppm(5), pam(5).
[[nodiscard]] ONEPASS_API Result<void> write_pnm(const std::filesystem::path& path, const ImageView& image,
                                                 const PnmOptions& options = {});

/// Lossless compressions of TIFF files.
enum class TiffCompression { kNone, kLzw, kDeflate, kZstd };

/// Options of write_tiff().
struct TiffOptions {
  /// Alpha association of the given colours. kNone: that of `stored_alpha`, nothing is converted.
  AlphaAssociation alpha = AlphaAssociation::kNone;
  /// Alpha association in the file and its tag ExtraSamples: kStraight or kPremultiplied. kNone: that of `alpha`;
  /// kStraight if that is kNone too.
  AlphaAssociation stored_alpha = AlphaAssociation::kNone;

  bool keep_opaque_alpha = false;  ///< Stores the alpha of a four-channel image even if all of it is 1.

  TiffCompression compression = TiffCompression::kDeflate;
  /// Stores differences between neighbours, which compress better: of integers (Predictor 2), of the bytes of floats
  /// (3).
  bool predictor = true;

  /// 0: strips of about 256 KiB, which every reader supports. Otherwise the edge of tiles in texels, a multiple of 16,
  /// at most 4096.
  uint32_t tile_size = 0;

  /// Writes BigTIFF, with 64-bit offsets, at any size. Images that may exceed 4 GiB are always BigTIFF.
  bool big = false;

  /// Primaries of the colours, for the tags PrimaryChromaticities and WhitePoint and an ICC profile. No value: no tags,
  /// and a profile only for sRGB formats.
  std::optional<Chromaticities> primaries{};

  /// kSrgb: UNORM values are encoded as sRGB, and a profile says so; readers take more than 8 bits without a profile as
  /// linear. kAuto and kLinear: they are linear.
  Color color = Color::kAuto;

  uint32_t threads = 0;  ///< Tuning: threads for colour conversion; 0 = usable_threads(). libtiff itself uses one
                         ///< thread.
};

/// Writes a TIFF file of one level and one slice.
///
/// Values are stored unchanged: 8- and 16-bit UNORM, sRGB, half and float; A2B10G10R10 as 16 bits, B10G11R11 as half.
/// One channel becomes grey, two become grey with an extra sample that is not alpha, four RGB with alpha or RGB. sRGB
/// formats get an sRGB profile. Linear UNORM gets none unless `primaries` are given: read 8 bits with Color::kLinear.
/// With `primaries`, linear colours get a linear profile. Builds without Little CMS write no profiles.
/// Errors: kUnsupported for several slices, for a compression that libtiff lacks, and in builds without TIFF;
/// kInvalidArgument, kIo, kOutOfMemory.
/// Threads: any number of calls at once, for different files.
/// Source: Adobe, "TIFF Revision 6.0", 1992.
[[nodiscard]] ONEPASS_API Result<void> write_tiff(const std::filesystem::path& path, const ImageView& image,
                                                  const TiffOptions& options = {});

/// Chroma subsampling of a JPEG file.
enum class JpegChroma {
  kAuto,  ///< k444 from quality 90 up, otherwise k420.
  k444,   ///< Full resolution.
  k422,   ///< Half the resolution horizontally.
  k420,   ///< Half the resolution in both directions.
};

/// Options of write_jpeg().
struct JpegOptions {
  /// Alpha association of the given colours. JPEG has no alpha: the image is blended over `background`. kNone: alpha is
  /// left out, colours are stored as given.
  AlphaAssociation alpha = AlphaAssociation::kNone;
  std::array<float, 3> background{};  ///< Linear light behind the image; finite. Default: black.

  int quality = 90;  ///< 1 to 100, as libjpeg scales its tables. At 90, a photograph takes about 2 bits per pixel.
  JpegChroma chroma = JpegChroma::kAuto;
  bool progressive = false;  ///< Several scans, from coarse to fine: a few percent smaller, slower to read.
};

/// Writes a JPEG file (JFIF, 8 bits, YCbCr of BT.601) of one level and one slice. Float and packed values are clamped
/// to 0..1 and sRGB-encoded; sRGB and UNORM values are stored unchanged. One channel becomes grey, two become RGB with
/// blue 0. No profile and no EXIF data are written; readers assume sRGB.
/// Errors: kUnsupported for several slices and for sizes above 65500 texels; kInvalidArgument, kIo, kOutOfMemory.
/// Threads: any number of calls at once, for different files.
[[nodiscard]] ONEPASS_API Result<void> write_jpeg(const std::filesystem::path& path, const ImageView& image,
                                                  const JpegOptions& options = {});

/// Options of write(), for each type that it can write.
struct WriteOptions {
  /// Alpha association of the levels' colours for all types; overrides `alpha` in the options below. Types without
  /// alpha (HDR, PFM, JPEG, PGM, PPM) hold the image blended over black. No value: nothing is converted.
  std::optional<AlphaAssociation> alpha{};
  Ktx2Options ktx2{};
  DdsOptions dds{};
  ExrOptions exr{};
  PngOptions png{};
  TiffOptions tiff{};
  JpegOptions jpeg{};
  PnmOptions pnm{};
};

/// Writes `levels` as the type that the extension of `path` names: .ktx2, .dds, .exr, or .png, .tif, .tiff, .jpg,
/// .jpeg, .hdr, .pfm, .pnm, .pgm, .ppm, .pam (exactly one level). Errors: those of the writers; kUnsupported for other
/// extensions.
[[nodiscard]] ONEPASS_API Result<void> write(const std::filesystem::path& path, std::span<const ImageView> levels,
                                             const WriteOptions& options = {});

/// The same for blocks: .ktx2 or .dds; kUnsupported for other extensions. Blocks are never converted: of the options
/// `ktx2` and `dds` count alone.
[[nodiscard]] ONEPASS_API Result<void> write(const std::filesystem::path& path, std::span<const BlockView> levels,
                                             const WriteOptions& options = {});

// Output that appears complete or not at all --------------------------------------------------------------------------

/// A file that is written under a temporary name beside its target and replaces the target on commit().
///
///     auto file = AtomicFile::create("report.json");
///     if (!file) return file.error();
///     if (auto done = file->write(text); !done) return done.error();
///     return file->commit();
///
/// Without commit(), the destructor deletes the temporary file and an existing target is not changed. An existing
/// file's permission bits are kept. A symbolic link stays a link; the file that it leads to is replaced or created. A
/// link in a sticky directory that everybody can write to, such as /tmp, is refused unless it belongs to the caller or
/// to the directory's owner. Errors of a full disk are reported by write() or commit(). commit() forces the contents to
/// the disk before the rename, and the directory after it: after a power failure, either the old or the new file is
/// there, complete; once commit() has returned, it is the new one, on file systems that honour fsync. This costs a few
/// milliseconds per file. Threads: one object is used by one thread at a time.
class ONEPASS_API AtomicFile {
 public:
  /// Creates the temporary file.
  /// Errors: kIo if the directory does not exist or is not writable, or if the target is a directory, another
  /// non-regular file, write-protected, or behind another user's link; kOutOfMemory.
  static Result<AtomicFile> create(const std::filesystem::path& target);

  /// Writes at the current position, which starts at 0, and advances it. Errors: kIo.
  Result<void> write(std::span<const std::byte> bytes);
  /// Writes text. Errors: kIo.
  Result<void> write(std::string_view text);

  /// Sets the position, in bytes from the start of the file. Errors: kIo.
  Result<void> seek(uint64_t position);
  [[nodiscard]] uint64_t position() const;  ///< Current position, in bytes from the start of the file.

  /// Completes the file and renames it to the target. Must be the last call; after an error the temporary file is gone.
  /// Only if the disk fails to store the directory entry, the new file is in place although an error is returned.
  /// Errors: kIo.
  Result<void> commit();

  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();

 private:
  struct State;
  ONEPASS_INTERNAL explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Several files, in any directories, that appear together. They are written in hidden directories beside their targets
/// and renamed when all of them are complete:
///
///     FileSet set;
///     auto done = set.write("out/a.0.png", [&](const auto& path) { return write_png(path, base); });
///     if (done) done = set.write("other/sheet.png", [&](const auto& path) { return write_png(path, sheet); });
///     return done ? set.commit() : done;
///
/// Links, permissions and power failures: as in AtomicFile, for each file. If one file cannot be renamed, the files
/// before it are restored: old files return, new ones are deleted. If the process is killed or the machine fails during
/// the renames of commit(), some files are new and some old, each of them complete. The disk needs space for old and
/// new files at the same time. Threads: one object is used by one thread at a time.
class ONEPASS_API FileSet {
 public:
  FileSet();  ///< An empty set; no file is touched.

  /// The path at which to write the file that will become `target`; it has the target's extension. The caller must not
  /// add the same target twice. Errors: those of AtomicFile::create().
  Result<std::filesystem::path> add(const std::filesystem::path& target);

  /// Calls `writer` with the path that add() returns; errors of the writer name the target. Errors: those of add() and
  /// of the writer.
  Result<void> write(const std::filesystem::path& target,
                     const std::function<Result<void>(const std::filesystem::path&)>& writer);

  /// Renames all files to their targets, in the order in which they were added. Must be the last call; after an error
  /// no temporary file is left, and every target is as it was. Errors: kIo, also for a file that was added and not
  /// written; kOutOfMemory.
  Result<void> commit();

  FileSet(FileSet&&) noexcept;
  FileSet& operator=(FileSet&&) noexcept;
  ~FileSet();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The file that writing to `path` creates or replaces: the absolute `path`, or, for a symbolic link, its final target,
/// which need not exist.
[[nodiscard]] ONEPASS_API std::filesystem::path write_target(const std::filesystem::path& path);

/// A file or directory that a run is about to write, for find_output_conflict().
struct OutputPlace {
  std::filesystem::path path;
  bool tree = false;  ///< A directory that is replaced or deleted with everything in it.
};

/// Why an output must not be written.
struct OutputConflict {
  /// How the output meets an input or another output.
  enum class Kind {
    kIsInput,     ///< The output is an input, or a hard link to it.
    kHoldsInput,  ///< An input is in a directory that is replaced.
    kInInput,     ///< The output is in a directory that is an input.
    kIsOutput,    ///< Two outputs are the same file.
  };
  Kind kind = Kind::kIsInput;
  size_t output = 0;    ///< Number of the output.
  size_t other = 0;     ///< Number of the input, or of the earlier output.
  std::string message;  ///< One line that names both.
};

/// The first output that would destroy an input. Existing files and directories are compared by device and inode, links
/// followed; others by their directory and name. Reads no contents and changes no file. An input that cannot be found
/// is no error: reading it will be one. May throw std::bad_alloc.
[[nodiscard]] ONEPASS_API std::optional<OutputConflict> find_output_conflict(
    std::span<const std::filesystem::path> inputs, std::span<const OutputPlace> outputs);

/// Deletes the temporary files of every AtomicFile and FileSet of the process that is not committed yet. For a signal
/// handler that ends the process afterwards: async-signal-safe, takes no lock, allocates nothing. A later commit()
/// fails.
ONEPASS_API void discard_pending_files() noexcept;

/// From now on no AtomicFile or FileSet of the process creates a temporary file: calls that would do so never return.
/// For a signal handler, before discard_pending_files(), where other threads write files until the process ends. Waits
/// up to 0.1 s for files that are being created. Async-signal-safe.
ONEPASS_API void stop_creating_files() noexcept;

}  // namespace onepass::files
