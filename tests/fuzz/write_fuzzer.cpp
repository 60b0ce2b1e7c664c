// write_fuzzer.cpp: fuzzes the writers: an image and options made from the input are written, read back and compared.
// Valid options must succeed, invalid ones must be rejected, and lossless formats must return the same bits.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "onepass/files.hpp"
#include "tests/fuzz/fuzz_input.hpp"

// Saves time: the files need not survive a power failure.
extern "C" int fsync(int /*descriptor*/) { return 0; }

namespace {

using namespace onepass;
using namespace onepass::files;
using fuzz::Input;

constexpr Format kFormats[] = {Format::kR8Unorm,         Format::kRG8Unorm,         Format::kRGBA8Unorm,
                               Format::kRGBA8Srgb,       Format::kA2B10G10R10Unorm, Format::kR8Srgb,
                               Format::kR16Unorm,        Format::kR16Sfloat,        Format::kRG16Unorm,
                               Format::kRG16Sfloat,      Format::kRGBA16Unorm,      Format::kRGBA16Sfloat,
                               Format::kR32Sfloat,       Format::kRG32Sfloat,       Format::kRGBA32Sfloat,
                               Format::kB10G11R11Ufloat, Format::kD16Unorm,         Format::kD32Sfloat};

const std::filesystem::path& directory() {
  static const std::filesystem::path path = [] {
    std::string name =
        (std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/onepass-fuzz-XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) fuzz::fail("mkdtemp");
    std::atexit([] { std::filesystem::remove_all(directory()); });
    return std::filesystem::path(name);
  }();
  return path;
}

// Levels with gaps behind rows and slices; writers must neither modify nor store the gaps.
struct Levels {
  std::vector<std::vector<std::byte>> pixels;
  std::vector<ImageView> views;
};

Levels make_levels(Input& in) {
  Levels levels;
  const Format format = in.pick(kFormats);
  const Extent size{in.between(1, 40), in.between(1, 40)};
  const uint32_t slices = in.one_in(3) ? in.between(1, 12) : 1;
  const uint32_t count = in.between(1, 7);
  const size_t row_gap = in.below(3);
  const size_t slice_gap = in.below(3);
  for (uint32_t n = 0; n < count; ++n) {
    const Extent level{std::max(1U, size.width >> n), std::max(1U, size.height >> n)};
    const size_t texel = format_info(format).bytes_per_texel;
    const size_t stride = level.width * texel + row_gap * texel;
    const size_t slice = stride * level.height + slice_gap * texel;
    // The last row ends with its last texel, so that sanitizers detect reads beyond it.
    auto& bytes = levels.pixels.emplace_back(slice * (slices - 1) + stride * (level.height - 1) + level.width * texel);
    in.fill(bytes);
    levels.views.push_back({bytes.data(), format, level, slices, stride, slice});
    if (level == Extent{1, 1}) break;
  }
  return levels;
}

const char* kExtensions[] = {".ktx2", ".exr", ".png", ".hdr", ".pfm", ".tif", ".jpg"};

AlphaAssociation association(Input& in) { return static_cast<AlphaAssociation>(in.below(3)); }

/// Those of a standard, or any numbers.
Chromaticities primaries(Input& in) {
  if (in.flag()) return kRec2020Chromaticities;
  const auto point = [&in] { return std::array<double, 2>{in.real(), in.real()}; };
  return {point(), point(), point(), point()};
}

WriteOptions make_options(Input& in) {
  WriteOptions options;
  options.ktx2.cube = in.one_in(4);
  options.ktx2.array = in.one_in(4);
  options.ktx2.zstd_level = in.one_in(3) ? static_cast<int>(in.byte()) - 5 : 0;
  if (in.one_in(4)) options.ktx2.code_points = {in.byte(), in.byte()};
  if (in.one_in(4)) {
    for (uint32_t i = in.below(6); i > 0; --i)
      options.exr.channels.push_back(in.flag() ? "Z" : "c" + std::to_string(i));
  }
  options.exr.type = static_cast<ExrType>(in.below(4));
  options.exr.layout = static_cast<ExrLayout>(in.below(4));
  options.exr.compression = static_cast<ExrCompression>(in.below(5));
  if (in.one_in(4)) options.exr.tile_size = in.below(100);
  if (in.one_in(8)) options.exr.pixel_aspect_ratio = in.real();
  if (in.one_in(8)) {
    const auto corner = [&] { return in.flag() ? static_cast<int32_t>(in.number()) : static_cast<int32_t>(in.byte()); };
    options.exr.data_window = Box{corner(), corner(), corner(), corner()};
  }
  if (in.one_in(8)) options.exr.chromaticities = {in.real(), in.real(), in.real(), in.real()};
  options.exr.threads = 1;
  options.png.bits = in.one_in(3) ? in.below(20) : 0;
  options.png.color = static_cast<Color>(in.below(3));
  options.png.keep_opaque_alpha = in.flag();
  options.png.effort = in.one_in(3) ? static_cast<int>(in.byte()) - 2 : 1;
  if (in.one_in(4)) options.png.code_points = {in.byte(), in.byte()};
  if (in.one_in(8)) options.png.gamma = in.real();
  options.png.threads = 1;
  if (in.one_in(8)) options.png.primaries = primaries(in);
  if (in.one_in(4)) options.alpha = association(in);
  options.ktx2.stored_alpha = association(in);
  options.tiff.stored_alpha = association(in);
  options.tiff.keep_opaque_alpha = in.flag();
  options.tiff.compression = static_cast<TiffCompression>(in.below(5));
  options.tiff.predictor = in.flag();
  options.tiff.tile_size = in.one_in(3) ? in.below(100) : in.below(3) * 16;
  options.tiff.big = in.flag();
  if (in.one_in(8)) options.tiff.primaries = primaries(in);
  options.tiff.threads = 1;
  if (in.one_in(8)) options.jpeg.background = {in.real(), in.real(), in.real()};
  options.jpeg.quality = in.byte() % 104 - 1;
  options.jpeg.chroma = static_cast<JpegChroma>(in.below(5));
  options.jpeg.progressive = in.flag();
  return options;
}

void check_error(const Error& error) {
  const bool callers = error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kUnsupported;
  if (!callers || error.message.empty()) fuzz::fail("writing failed: " + error.text());
}

// Compares every row of every level, bit by bit.
void compare(const std::vector<ImageView>& wanted, const ImageFile& file) {
  if (file.levels.size() != wanted.size()) fuzz::fail("a different number of levels");
  for (size_t n = 0; n < wanted.size(); ++n) {
    const ImageView got = file.levels[n].view();
    const size_t row = wanted[n].size.width * format_info(wanted[n].format).bytes_per_texel;
    for (uint32_t slice = 0; slice < wanted[n].slices; ++slice) {
      for (uint32_t y = 0; y < wanted[n].size.height; ++y) {
        if (std::memcmp(wanted[n].row(y, slice), got.row(y, slice), row) != 0) {
          fuzz::fail("row " + std::to_string(y) + " of level " + std::to_string(n) + " differs");
        }
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input in(data, size);
  const char* extension = in.pick(kExtensions);
  const WriteOptions options = make_options(in);
  const Levels levels = make_levels(in);
  const std::filesystem::path path = directory() / (std::string("x") + extension);
  if (const auto done = write(path, levels.views, options); !done) {
    check_error(done.error());
    if (std::filesystem::exists(path)) fuzz::fail("a file in spite of an error");
    return 0;
  }
  // Names of an EXR file's channels that are no colours must be given.
  std::vector<std::string> channels;
  const uint32_t count = format_info(levels.views.front().format).channels;
  if (type_of_extension(path) == Type::kExr) {
    channels = options.exr.channels;
    if (channels.empty() && count == 2) channels = {"R", "G"};
  }
  const auto file =
      read(path, {.color = Color::kLinear, .channels = channels, .max_bytes = uint64_t{64} << 20, .threads = 1});
  std::filesystem::remove(path);
  if (!file) fuzz::fail("cannot be read back: " + file.error().text());
  const ImageView& base = levels.views.front();
  if (file->base().size != base.size || file->base().slices != base.slices) fuzz::fail("another size or slice count");
  // These types store the values given, unless alpha is converted. sRGB codes are read as linear ones on purpose, so
  // that they return as they are.
  if (options.alpha) return 0;
  const bool srgb = base.format == Format::kRGBA8Srgb || base.format == Format::kR8Srgb;
  const bool same_format = file->base().format == base.format || srgb;
  const bool codes = base.format == Format::kR8Unorm || base.format == Format::kRGBA8Unorm ||
                     base.format == Format::kR16Unorm || base.format == Format::kRGBA16Unorm;
  const bool floats = base.format == Format::kR16Sfloat || base.format == Format::kRGBA16Sfloat ||
                      base.format == Format::kR32Sfloat || base.format == Format::kRGBA32Sfloat;
  const bool ktx2 = file->type == Type::kKtx2;
  const bool png = file->type == Type::kPng && (codes || srgb) && same_format && options.png.bits == 0;
  const bool tiff = file->type == Type::kTiff && (codes || srgb || floats);
  if ((ktx2 || tiff) && !same_format) fuzz::fail("another format");
  if (ktx2 || png || tiff) compare(levels.views, *file);
  return 0;
}
