// image_params.h: numbers and structs of images in linear device memory, one text for C++ and for kernels in CUDA C++.
#ifndef ONEPASS_IMAGE_PARAMS_H_
#define ONEPASS_IMAGE_PARAMS_H_

// The numbers of the specialised constants (cuda/specialized.cuh) of source and target, in the order of FormatConstants
// (cuda/images.hpp). A kernel's other constants follow.
#define CONSTANT_SOURCE_CHANNELS 0
#define CONSTANT_TARGET_CHANNELS 1
#define CONSTANT_SOURCE_UNORM 2
#define CONSTANT_TARGET_KIND 3
#define CONSTANT_SOURCE_SRGB 4
#define CONSTANT_TARGET_SRGB 5
#define CONSTANT_SOURCE_STORAGE 6
#define CONSTANT_TARGET_STORAGE 7
#define CONSTANT_SOURCE_BYTES 8  // of a texel that one load reads; 0: channel by channel
#define CONSTANT_TARGET_BYTES 9
#define CONSTANT_SOURCE_STEP 10  // bytes from a texel to the next
#define CONSTANT_TARGET_STEP 11
#define CONSTANT_SOURCE_BLUE_FIRST 12
#define CONSTANT_TARGET_BLUE_FIRST 13
#define CONSTANT_SOURCE_SCALE 14    // float: factor of loaded values
#define CONSTANT_SOURCE_ONE 15      // float: the loaded value of an alpha that is not stored
#define CONSTANT_TARGET_SCALE 16    // float: factor of values in UNORM targets
#define CONSTANT_TARGET_DIVISOR 17  // float: divisor of values in targets of floats
#define CONSTANT_TARGET_INVERSE 18  // float: 1 / divisor
#define CONSTANT_TARGET_MOST 19     // float: largest integer of the target
#define CONSTANTS_OF_FORMATS 20

// How the channels of a texel are stored.
#define STORED_U8 0
#define STORED_U16 1
#define STORED_F16 2
#define STORED_F32 3
#define STORED_A2B10G10R10 4
#define STORED_B10G11R11 5
#define STORED_X8D24 6

/// Rows of texels. Channel c of the texel at (x, y) of slice s begins at byte
///     data + s * slice_stride + y * row_stride + x * bytes of a texel, or of its channel if planar + c *
///     channel_stride.
struct DeviceRows {
  unsigned long long data;
  unsigned long long slice_stride;
  unsigned long long channel_stride;  // planar images: from a channel to the next
  unsigned int row_stride;
  unsigned int alignment;  // of every row: a power of two up to 16
};

#endif  // ONEPASS_IMAGE_PARAMS_H_
