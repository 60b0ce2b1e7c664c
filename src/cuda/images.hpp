// images.hpp: what the host side of every technique of the CUDA engine does with images: how a format is stored, the
// constants that kernels have of it (source_and_target.cuh), and checks of pointers and strides.
#pragma once

#include <string>

#include "cuda/image_params.h"
#include "image/row_rgb.hpp"
#include "image/row_spec.hpp"
#include "onepass/cuda/image.hpp"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::cuda {

/// The most blocks of a launch on its second and third axis.
inline constexpr uint32_t kMostBlocks = 65535;

/// Scratch memory, and images that the library places, begin at multiples of it.
inline constexpr size_t kAlign = 256;

/// How an image is stored: its format and the order of its channels.
struct Stored {
  FormatInfo info;
  bool planar = false;
  uint32_t step = 0;  ///< Bytes from a texel to the next.
  uint32_t load = 0;  ///< Bytes of a texel that one load reads; 0: it is read channel by channel.

  [[nodiscard]] uint32_t alignment() const { return load != 0 ? load : info.bytes_per_texel / info.channels; }
};

/// `format` may be RGB. Errors: kInvalidArgument for planes of packed formats and BGRA, with `field` in the message.
Result<Stored> describe_stored(const std::string& field, Format format, Channels channels);

/// A number STORED_ of image_params.h.
uint32_t storage_of(const FormatInfo& info);

/// The integer that stands for 1; 1 where values are decoded to floats at once.
float unit_of(const FormatInfo& info);

/// Constants in the order of their numbers in image_params.h.
struct FormatConstants {
  uint32_t source_channels, target_channels, source_unorm, target_kind;
  uint32_t source_srgb, target_srgb, source_storage, target_storage, source_bytes, target_bytes;
  uint32_t source_step, target_step, source_blue_first, target_blue_first;
  float source_scale, source_one, target_scale, target_divisor, target_inverse, target_most;
};
static_assert(sizeof(FormatConstants) == CONSTANTS_OF_FORMATS * 4);

/// The values of UNORM texels inside a kernel.
enum class Working {
  kUnits,     ///< 0 to 1.
  kIntegers,  ///< As they are stored, so that sums of 8-bit texels are exact; 0 to 1 where a format is sRGB.
};

FormatConstants make_format_constants(const Stored& source, const Stored& target, Working working);

/// Options whose RGB formats have an alpha: plans and kernels know four channels.
template <typename Options>
Options with_alpha(Options options) {
  options.source = image::with_alpha(options.source);
  options.target = image::with_alpha(options.target);
  return options;
}

/// Bytes of texels of `format`, of which a plan counts those of with_alpha(format).
uint64_t real_bytes(uint64_t planned, Format format);

/// Errors: kUnsupported, above kMostBlocks.
Result<void> check_slices(uint32_t slices);

/// Errors: kUnsupported.
Result<void> check_one_sample(uint32_t samples);

/// Whether memory of the caller's is aligned; null is. Errors: kInvalidArgument, with `field` in the message.
Result<void> check_address(const std::string& field, const void* address, size_t alignment);

struct ImageShape {
  Extent size;
  uint32_t slices = 1;
};

/// Errors: kInvalidArgument, naming a member of `image`, which is `field`.
Result<DeviceRows> make_rows(const std::string& field, const DeviceImage& image, const Stored& stored,
                             const ImageShape& shape);

}  // namespace onepass::cuda
