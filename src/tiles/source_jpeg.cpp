// source_jpeg.cpp: JPEG by rows with libjpeg. A progressive file costs libjpeg the coefficients of the whole picture,
// two bytes each, which count against TileInput::max_bytes. CMYK files are read as a whole.
#include <cstddef>
#include <cstdio>
// jpeglib.h needs size_t and FILE
#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdlib>
#include <cstring>

#include "tiles/file_io.hpp"
#include "tiles/row_source.hpp"

namespace onepass::tiles {
namespace {

// libjpeg's state. Functions that call libjpeg set a jump target and own no objects with destructors.
struct Decoder {
  jpeg_decompress_struct state{};
  jpeg_error_mgr errors{};
  jpeg_source_mgr source{};
  std::jmp_buf target{};
  std::array<char, JMSG_LENGTH_MAX> message{};
  InputHandle file;
  uint64_t position = 0;
  std::array<JOCTET, 65536> buffer{};
  bool truncated = false;
  int read_error = 0;  // errno

  Decoder() {
    state.err = jpeg_std_error(&errors);
    errors.error_exit = &on_error;
    errors.emit_message = &on_message;
    state.client_data = this;
    jpeg_create_decompress(&state);
    source.init_source = &on_start;
    source.fill_input_buffer = &on_fill;
    source.skip_input_data = &on_skip;
    source.resync_to_restart = &jpeg_resync_to_restart;
    source.term_source = &on_start;
    state.src = &source;
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&state); }

  static Decoder& of(j_common_ptr info) { return *static_cast<Decoder*>(info->client_data); }
  [[noreturn]] static void on_error(j_common_ptr info) {
    Decoder& self = of(info);
    info->err->format_message(info, self.message.data());
    std::longjmp(self.target, 1);
  }
  // Damage for which libjpeg invents pixels is an error.
  static void on_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    const int code = info->err->msg_code;
    constexpr int kExtraneousData = 119;  // JWRN_EXTRANEOUS_DATA
    if (code != kExtraneousData) on_error(info);
  }
  static void on_start(j_decompress_ptr /*info*/) {}
  static boolean on_fill(j_decompress_ptr info) {
    Decoder& self = *static_cast<Decoder*>(info->client_data);
    const uint64_t left = self.file.size - std::min(self.position, self.file.size);
    const size_t count = std::min<uint64_t>(left, self.buffer.size());
    const int number =
        count == 0 ? -1 : read_fully(self.file.handle.number(), self.buffer.data(), count, self.position);
    if (number != 0) {
      self.read_error = std::max(number, 0);
      self.truncated = number < 0;
      std::longjmp(self.target, 1);
    }
    self.position += count;
    self.source.next_input_byte = self.buffer.data();
    self.source.bytes_in_buffer = count;
    return TRUE;
  }
  static void on_skip(j_decompress_ptr info, long count) {  // NOLINT: libjpeg's type
    Decoder& self = *static_cast<Decoder*>(info->client_data);
    auto skip = static_cast<size_t>(std::max(count, 0L));
    if (skip <= self.source.bytes_in_buffer) {
      self.source.next_input_byte += skip;
      self.source.bytes_in_buffer -= skip;
      return;
    }
    skip -= self.source.bytes_in_buffer;
    self.position += skip;
    self.source.bytes_in_buffer = 0;
  }

  bool open() {
    if (setjmp(target) != 0) return false;  // NOLINT: libjpeg's way of returning errors
    jpeg_save_markers(&state, JPEG_APP0 + 2, 0xFFFF);
    jpeg_read_header(&state, TRUE);
    return true;
  }
  bool start(uint64_t max_bytes) {
    if (setjmp(target) != 0) return false;                                                       // NOLINT
    state.mem->max_memory_to_use = static_cast<long>(std::min<uint64_t>(max_bytes, INT64_MAX));  // NOLINT
    state.out_color_space = state.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&state);
    return true;
  }
  bool rows(uint32_t count, std::byte* out, size_t stride) {
    if (setjmp(target) != 0) return false;  // NOLINT
    // libjpeg's own count of rows is used, because a jump would leave changed arguments undefined.
    const JDIMENSION first = state.output_scanline;
    while (state.output_scanline - first < count) {
      auto* row = reinterpret_cast<JSAMPROW>(out + (state.output_scanline - first) * stride);
      jpeg_read_scanlines(&state, &row, 1);
    }
    return true;
  }
  bool icc(JOCTET** profile, unsigned* size) {
    if (setjmp(target) != 0) return false;  // NOLINT
    return jpeg_read_icc_profile(&state, profile, size) != FALSE;
  }
};

class JpegRows final : public RowSource {
 public:
  explicit JpegRows(const std::filesystem::path& path) { name_ = path.string(); }

  // False: CMYK.
  Result<bool> open(uint64_t max_bytes) {
    auto file = open_input(name_);
    if (!file) return file.error();
    decoder_.file = std::move(*file);
    if (!decoder_.open()) return failed();
    const jpeg_decompress_struct& state = decoder_.state;
    if (state.num_components != 1 && state.num_components != 3) return false;
    size_ = {state.image_width, state.image_height};
    layout_.channels = static_cast<uint32_t>(state.num_components);
    layout_.colour = layout_.channels == 3;
    memory_ = decoder_.state.progressive_mode != FALSE ? uint64_t{6} * size_.width * size_.height
                                                       : uint64_t{64} * layout_.channels * size_.width;
    if (memory_ > max_bytes) {
      return error(ErrorCode::kOutOfMemory, "a progressive JPEG needs " + std::to_string(memory_) +
                                                " bytes of coefficients, more than the limit of " +
                                                std::to_string(max_bytes));
    }
    if (state.density_unit != 0 && state.X_density > 0 && state.Y_density > 0) {
      tags_.resolution = Resolution{static_cast<double>(state.X_density), static_cast<double>(state.Y_density),
                                    static_cast<uint16_t>(state.density_unit == 1 ? 2 : 3)};
    }
    JOCTET* profile = nullptr;
    unsigned bytes = 0;
    if (decoder_.icc(&profile, &bytes)) {
      const auto* first = reinterpret_cast<const std::byte*>(profile);
      tags_.icc.assign(first, first + bytes);
    }
    std::free(profile);  // NOLINT: allocated by libjpeg
    if (!decoder_.start(max_bytes)) return failed();
    return true;
  }

  [[nodiscard]] uint64_t memory_bytes() const override { return memory_; }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    if (!decoder_.rows(rows, out, stride)) return failed();
    return {};
  }

 private:
  Error failed() const {
    if (decoder_.read_error != 0) {
      return error(ErrorCode::kIo, std::string("cannot read it: ") + std::strerror(decoder_.read_error));
    }
    return error(ErrorCode::kBadData,
                 "JPEG: " + (decoder_.truncated ? std::string("truncated") : std::string(decoder_.message.data())) +
                     ", at row " + std::to_string(decoder_.state.output_scanline));
  }

  Decoder decoder_;
  uint64_t memory_ = 0;
};

}  // namespace

Result<SourcePtr> open_jpeg_rows(const std::filesystem::path& path, uint64_t max_bytes) {
  auto source = std::make_unique<JpegRows>(path);
  const auto opened = source->open(max_bytes);
  if (!opened) return opened.error();
  if (!*opened) return open_memory_rows(path, max_bytes, 0);
  return SourcePtr(std::move(source));
}

}  // namespace onepass::tiles
