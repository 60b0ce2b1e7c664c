// cuda/image.hpp: images in linear device memory, for all techniques of the CUDA engine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onepass::cuda {

/// The order of a texel's channels in memory.
enum class Channels : uint32_t {
  kInterleaved,  ///< The channels of a texel one after another, as in all formats: HWC. With 1, 2, 4, 8 or 16 bytes per
                 ///< texel it is read by one load, RGB by three.
  kPlanar,       ///< An image of one channel after the other: CHW. Not for packed formats and BGRA.
};

/// How images are stored, apart from their format.
struct ImageMemory {
  Channels source = Channels::kInterleaved;
  Channels target = Channels::kInterleaved;
};

/// Rows of texels in device memory. Channel c of the texel at (x, y) of slice s begins at byte
///     data + s * slice_stride + y * row_stride + x * bytes per texel + offset of channel c,
/// with Channels::kPlanar at
///     data + s * slice_stride + c * channel_stride + y * row_stride + x * bytes per channel.
struct DeviceImage {
  void* data = nullptr;     ///< A CUdeviceptr. Aligned as its strides: to the bytes of a texel, if these are 1, 2, 4, 8
                            ///< or 16 and interleaved, else to those of a channel.
  size_t row_stride = 0;    ///< Bytes from one row to the next, below 2^32.
  size_t slice_stride = 0;  ///< Bytes from one slice to the next; not used if there is one slice.
  size_t channel_stride = 0;  ///< kPlanar: bytes from one channel to the next.
};

}  // namespace onepass::cuda
