// jpeg_write.cpp: writes JPEG files with libjpeg-turbo.
//
// As in jpeg_read.cpp, errors are reported by longjmp: functions that call setjmp hold plain values only.
#include <cstddef>
#include <cstdio>
// jpeglib.h needs FILE and size_t declared before it.
#include <jpeglib.h>
// jerror.h numbers its codes by macros of jpeglib.h.
#include <jerror.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <optional>
#include <vector>

#include "files/pixels.hpp"
#include "files/writers.hpp"
#include "image/error.hpp"

namespace onepass::files {
namespace {

constexpr uint32_t kMaxEdge = 65500;  // limit of libjpeg
constexpr int kFullChroma = 90;       // from this quality on, kAuto does not subsample chroma
constexpr size_t kBufferSize = size_t{1} << 16;

// The libjpeg objects of one file.
struct Encoder {
  jpeg_error_mgr errors{};
  jpeg_destination_mgr destination{};
  jpeg_compress_struct state{};
  AtomicFile* file = nullptr;
  std::optional<Error> failure;  // of the file; more specific than libjpeg's message
  std::jmp_buf target{};
  std::array<char, JMSG_LENGTH_MAX> message{};
  std::array<JOCTET, kBufferSize> buffer{};

  explicit Encoder(AtomicFile& output) : file(&output) {
    state.err = jpeg_std_error(&errors);
    state.client_data = this;
    errors.error_exit = &on_error;
    errors.emit_message = [](j_common_ptr /*state*/, int /*level*/) {};
    destination.init_destination = &on_start;
    destination.empty_output_buffer = &on_full;
    destination.term_destination = &on_end;
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() { jpeg_destroy_compress(&state); }

  template <typename State>
  static Encoder* self(State* common) {
    return static_cast<Encoder*>(common->client_data);
  }
  [[noreturn]] static void on_error(j_common_ptr common) {
    Encoder* encoder = self(common);
    common->err->format_message(common, encoder->message.data());
    std::longjmp(encoder->target, 1);  // NOLINT: libjpeg's way of returning errors
  }
  static void on_start(j_compress_ptr common) { self(common)->rewind(); }
  static boolean on_full(j_compress_ptr common) {
    Encoder* encoder = self(common);
    if (!encoder->store(kBufferSize)) ERREXIT(common, JERR_FILE_WRITE);
    encoder->rewind();
    return TRUE;
  }
  static void on_end(j_compress_ptr common) {
    Encoder* encoder = self(common);
    if (!encoder->store(kBufferSize - encoder->destination.free_in_buffer)) ERREXIT(common, JERR_FILE_WRITE);
  }

  void rewind() {
    destination.next_output_byte = buffer.data();
    destination.free_in_buffer = kBufferSize;
  }
  // Not part of the callbacks, because objects with destructors must be destroyed before libjpeg calls longjmp.
  bool store(size_t count) {
    Result<void> done = file->write(std::as_bytes(std::span(buffer.data(), count)));
    if (!done) failure = done.error();
    return done.ok();
  }
};

// Converts rows of an image to the file's 8-bit values.
class RowCodes {
 public:
  RowCodes(const ImageView& image, const JpegOptions& options)
      : image_(image), options_(options), texels_(size_t{4} * image.size.width), codes_(texels_.size()) {
    const FormatInfo& info = format_info(image.format);
    channels_ = info.channels == 1 ? 1 : 3;
    has_alpha_ = info.channels == 4 && options.alpha != AlphaAssociation::kNone;
    // As in PNG files: UNORM and depth are stored unchanged, all other values are light and are sRGB-encoded.
    const bool kept = info.depth || (info.type == ChannelType::kUnorm && !info.packed);
    encoded_ = kept ? Format::kRGBA8Unorm : Format::kRGBA8Srgb;
  }

  [[nodiscard]] int channels() const { return channels_; }

  /// Row `y`, one or three bytes per pixel.
  uint8_t* row(uint32_t y) {
    const uint32_t width = image_.size.width;
    decode_row(image_.format, image_.row(y), width, texels_.data());
    if (has_alpha_) put_behind();
    encode_row(encoded_, texels_.data(), width, codes_.data());
    for (size_t x = 0; x < width; ++x) {
      for (size_t c = 0; c < static_cast<size_t>(channels_); ++c) {
        codes_[x * static_cast<size_t>(channels_) + c] = codes_[4 * x + c];
      }
    }
    return codes_.data();
  }

 private:
  // Composites the colours over the background.
  void put_behind() {
    const bool straight = options_.alpha == AlphaAssociation::kStraight;
    for (size_t i = 0; i < texels_.size(); i += 4) {
      const float alpha = texels_[i + 3];
      for (size_t c = 0; c < 3; ++c) {
        const float colour = straight ? texels_[i + c] * alpha : texels_[i + c];
        texels_[i + c] = colour + (1 - alpha) * options_.background[c];
      }
    }
  }

  ImageView image_;
  const JpegOptions& options_;
  std::vector<float> texels_;
  std::vector<uint8_t> codes_;
  int channels_ = 3;
  bool has_alpha_ = false;
  Format encoded_ = Format::kRGBA8Srgb;
};

// Luma samples per chroma sample, horizontally and vertically.
std::array<int, 2> chroma_factors(const JpegOptions& options) {
  switch (options.chroma) {
    case JpegChroma::k444:
      return {1, 1};
    case JpegChroma::k422:
      return {2, 1};
    case JpegChroma::k420:
      return {2, 2};
    case JpegChroma::kAuto:
      break;
  }
  return options.quality >= kFullChroma ? std::array{1, 1} : std::array{2, 2};
}

bool start(Encoder& encoder, Extent size, int channels, const JpegOptions& options, std::array<int, 2> factors) {
  jpeg_compress_struct& state = encoder.state;
  if (setjmp(encoder.target) != 0) return false;  // NOLINT: libjpeg's way of returning errors
  jpeg_create_compress(&state);
  state.dest = &encoder.destination;
  state.image_width = size.width;
  state.image_height = size.height;
  state.input_components = channels;
  state.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&state);
  jpeg_set_quality(&state, options.quality, TRUE);
  state.optimize_coding = TRUE;
  if (channels == 3) {
    state.comp_info[0].h_samp_factor = factors[0];
    state.comp_info[0].v_samp_factor = factors[1];
  }
  if (options.progressive) jpeg_simple_progression(&state);
  jpeg_start_compress(&state, TRUE);
  return true;
}

bool write_row(Encoder& encoder, uint8_t* row) {
  if (setjmp(encoder.target) != 0) return false;  // NOLINT
  jpeg_write_scanlines(&encoder.state, &row, 1);
  return true;
}

bool finish(Encoder& encoder) {
  if (setjmp(encoder.target) != 0) return false;  // NOLINT
  jpeg_finish_compress(&encoder.state);
  return true;
}

Result<void> check_options(const std::filesystem::path& path, const ImageView& image, const JpegOptions& options) {
  if (image.slices != 1) {
    return file_error(path, ErrorCode::kUnsupported,
                      "a JPEG file holds one slice, not " + std::to_string(image.slices));
  }
  if (image.size.width > kMaxEdge || image.size.height > kMaxEdge) {
    return file_error(path, ErrorCode::kUnsupported,
                      "the size is " + size_text(image.size) + ", a JPEG file holds up to " + std::to_string(kMaxEdge));
  }
  if (options.quality < 1 || options.quality > 100) {
    return file_error(path, ErrorCode::kInvalidArgument,
                      "quality is " + std::to_string(options.quality) + ", not 1 to 100");
  }
  for (const float light : options.background) {
    if (std::isfinite(light)) continue;
    return file_error(path, ErrorCode::kInvalidArgument,
                      "background is " + std::to_string(light) + ", not a finite number");
  }
  return {};
}

}  // namespace

Result<void> write_jpeg(const std::filesystem::path& path, const ImageView& image, const JpegOptions& options) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_levels(path, std::span(&image, 1)); !fine) return fine;
    if (auto fine = check_options(path, image, options); !fine) return fine;
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    RowCodes codes(image, options);
    const auto encoder = std::make_unique<Encoder>(*file);  // too large for a stack
    bool fine = start(*encoder, image.size, codes.channels(), options, chroma_factors(options));
    for (uint32_t y = 0; y < image.size.height && fine; ++y) fine = write_row(*encoder, codes.row(y));
    if (fine && finish(*encoder)) return file->commit();
    if (encoder->failure) return *encoder->failure;
    return file_error(path, ErrorCode::kIo, "JPEG: " + std::string(encoder->message.data()));
  });
}

}  // namespace onepass::files
