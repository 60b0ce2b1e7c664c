// image_params.h: numbers and structs of images in linear device memory, one text for C++ and for kernels in CUDA C++.
#ifndef ONEPASS_IMAGE_PARAMS_H_
#define ONEPASS_IMAGE_PARAMS_H_

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
  unsigned int unused;
};

#endif  // ONEPASS_IMAGE_PARAMS_H_
