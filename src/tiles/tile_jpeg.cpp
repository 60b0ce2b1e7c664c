// tile_jpeg.cpp: JPEG tiles with libjpeg. Each thread keeps a compressor.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
// jpeglib.h needs size_t and FILE
#include <jpeglib.h>

#include <csetjmp>
#include <stdexcept>

#include "files/pixels.hpp"
#include "tiles/tile_image.hpp"

namespace onepass::tiles {
namespace {

constexpr size_t kFirstBuffer = size_t{1} << 16;

// libjpeg's state and the stream so far. Functions that call libjpeg set a jump target and own no objects with
// destructors; `out` grows inside callbacks, which return before libjpeg can jump.
struct Compressor {
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  jpeg_destination_mgr destination{};
  std::jmp_buf target{};
  std::array<char, JMSG_LENGTH_MAX> message{};
  Bytes out;

  Compressor() {
    state.err = jpeg_std_error(&errors);
    errors.error_exit = [](j_common_ptr info) {
      auto* self = static_cast<Compressor*>(info->client_data);
      info->err->format_message(info, self->message.data());
      std::longjmp(self->target, 1);
    };
    errors.emit_message = [](j_common_ptr, int) {};
    state.client_data = this;
    jpeg_create_compress(&state);
    destination.init_destination = [](j_compress_ptr info) { of(info).give_space(0); };
    destination.empty_output_buffer = [](j_compress_ptr info) -> boolean {
      of(info).give_space(of(info).out.size());
      return TRUE;
    };
    destination.term_destination = [](j_compress_ptr info) {
      Compressor& self = of(info);
      self.out.resize(self.out.size() - self.destination.free_in_buffer);
    };
    state.dest = &destination;
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { jpeg_destroy_compress(&state); }

  static Compressor& of(j_compress_ptr info) { return *static_cast<Compressor*>(info->client_data); }

  // The first `used` bytes are complete.
  void give_space(size_t used) {
    out.resize(std::max(kFirstBuffer, 2 * used));
    destination.next_output_byte = reinterpret_cast<JOCTET*>(out.data() + used);
    destination.free_in_buffer = out.size() - used;
  }

  void set_up(Extent size, uint32_t channels, int quality, bool file) {
    state.image_width = size.width;
    state.image_height = size.height;
    state.input_components = static_cast<int>(channels);
    state.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&state);
    jpeg_set_quality(&state, quality, TRUE);
    if (channels == 3) {
      state.comp_info[0].h_samp_factor = state.comp_info[0].v_samp_factor = subsamples_chroma(quality) ? 2 : 1;
    }
    state.write_JFIF_header = file ? TRUE : FALSE;
    state.write_Adobe_marker = FALSE;
  }

  bool image(const std::byte* rows, size_t stride, Extent size, uint32_t channels, int quality,
             std::span<const std::byte> icc, bool file) {
    if (setjmp(target) != 0) {  // NOLINT: libjpeg's way of returning errors
      jpeg_abort_compress(&state);
      return false;
    }
    set_up(size, channels, quality, file);
    if (!file) jpeg_suppress_tables(&state, TRUE);
    jpeg_start_compress(&state, file ? TRUE : FALSE);
    if (!icc.empty()) {
      jpeg_write_icc_profile(&state, reinterpret_cast<const JOCTET*>(icc.data()), static_cast<unsigned>(icc.size()));
    }
    constexpr uint32_t kRows = 16;
    std::array<JSAMPROW, kRows> pointers{};
    for (uint32_t y = 0; y < size.height; y += kRows) {
      const uint32_t count = std::min(kRows, size.height - y);
      for (uint32_t i = 0; i < count; ++i) {
        // libjpeg does not change input rows; its interface lacks const.
        pointers[i] = reinterpret_cast<JSAMPROW>(const_cast<std::byte*>(rows + (y + i) * stride));  // NOLINT
      }
      for (uint32_t done = 0; done < count;) {
        done += jpeg_write_scanlines(&state, pointers.data() + done, count - done);
      }
    }
    jpeg_finish_compress(&state);
    return true;
  }

  bool tables(int quality, uint32_t channels) {
    if (setjmp(target) != 0) {  // NOLINT
      jpeg_abort_compress(&state);
      return false;
    }
    set_up({16, 16}, channels, quality, false);
    jpeg_suppress_tables(&state, FALSE);
    jpeg_write_tables(&state);
    return true;
  }
};

Compressor& compressor() {
  thread_local Compressor made;
  return made;
}

// The colours of a tile with alpha over black.
Bytes over_black(const TilePixels& tile, bool srgb) {
  const uint32_t colours = tile.layout.channels - 1;
  Bytes out(size_t{colours} * tile.size.width * tile.size.height);
  std::byte* to = out.data();
  for (uint32_t y = 0; y < tile.size.height; ++y) {
    const std::byte* from = tile.row(y);
    for (uint32_t x = 0; x < tile.size.width; ++x, from += tile.layout.channels) {
      const auto alpha = std::to_integer<uint32_t>(from[colours]);
      for (uint32_t c = 0; c < colours; ++c, ++to) {
        if (alpha == 255 || tile.layout.alpha != AlphaAssociation::kStraight) {
          *to = from[c];
        } else if (srgb) {
          const double light = files::srgb_to_linear(std::to_integer<uint32_t>(from[c]) / 255.0) * alpha / 255.0;
          *to = static_cast<std::byte>(static_cast<uint32_t>(files::linear_to_srgb(light) * 255 + 0.5));
        } else {
          *to = static_cast<std::byte>((std::to_integer<uint32_t>(from[c]) * alpha + 127) / 255);
        }
      }
    }
  }
  return out;
}

}  // namespace

Bytes encode_jpeg(const TilePixels& tile, int quality, bool srgb, std::span<const std::byte> icc, JpegStream stream) {
  Compressor& with = compressor();
  TilePixels opaque = tile;
  Bytes flat;
  if (tile.layout.channels == 2 || tile.layout.channels == 4) {
    flat = over_black(tile, srgb);
    opaque.layout.channels -= 1;
    opaque.data = flat.data();
    opaque.stride = size_t{opaque.layout.channels} * tile.size.width;
  }
  if (!with.image(opaque.data, opaque.stride, tile.size, opaque.layout.channels, quality, icc,
                  stream == JpegStream::kFile)) {
    throw std::runtime_error("JPEG: " + std::string(with.message.data()));
  }
  return {with.out.begin(), with.out.end()};
}

Bytes jpeg_tables(int quality, uint32_t channels) {
  Compressor& with = compressor();
  if (!with.tables(quality, channels)) throw std::runtime_error("JPEG: " + std::string(with.message.data()));
  return {with.out.begin(), with.out.end()};
}

}  // namespace onepass::tiles
