// cuda_testing.cpp: opens the device once per program; moves images between interleaved host memory and the order of
// channels on the device.
#include "tests/cuda/cuda_testing.hpp"

#include <cstdlib>
#include <cstring>

#include "tests/cuda/fake_driver.hpp"

namespace onepass::testing {
namespace {

void check(int status, const char* call) { EXPECT_EQ(status, 0) << call; }

}  // namespace

Format known_format(Format format) {
  switch (format) {
    case Format::kRGB8Unorm:
      return Format::kRGBA8Unorm;
    case Format::kRGB8Srgb:
      return Format::kRGBA8Srgb;
    case Format::kRGB16Unorm:
      return Format::kRGBA16Unorm;
    case Format::kRGB16Sfloat:
      return Format::kRGBA16Sfloat;
    case Format::kRGB32Sfloat:
      return Format::kRGBA32Sfloat;
    default:
      return format;
  }
}

PaddedImage expanded(const ImageView& view, bool opaque) {
  PaddedImage out(known_format(view.format), view.size, view.slices);
  std::vector<float> row(size_t{view.size.width} * 4);
  for (uint32_t slice = 0; slice < view.slices; ++slice) {
    for (uint32_t y = 0; y < view.size.height; ++y) {
      if (out.view().format == view.format && !opaque) {
        std::memcpy(out.view().row(y, slice), view.row(y, slice),
                    size_t{view.size.width} * texel_info(view.format).bytes_per_texel);
      } else {
        decode_row(view.format, view.row(y, slice), view.size.width, row.data());
        for (uint32_t x = 0; x < view.size.width; ++x) row[size_t{x} * 4 + 3] = 1;
        encode_row(out.view().format, row.data(), view.size.width, out.view().row(y, slice));
      }
    }
  }
  return out;
}

void report_misuse(const std::string& what) { ADD_FAILURE() << what; }

bool on_cuda_device() { return std::getenv("ONEPASS_TEST_CUDA") != nullptr; }

const cuda::Device& test_cuda_device() {
  static const cuda::Device device = [] {
    const char* number = std::getenv("ONEPASS_TEST_CUDA");
    auto opened = number != nullptr ? cuda::Device::create(static_cast<uint32_t>(std::strtoul(number, nullptr, 10)))
                                    : cuda::Device::Impl::create(FakeDriver::table(), 0);
    if (!opened) {
      std::printf("no CUDA device to test on: %s\n", opened.error().text().c_str());
      std::exit(1);
    }
    std::printf("CUDA device: %s, compute capability %u.%u, driver %u\n", opened->info().name.c_str(),
                opened->info().compute_major, opened->info().compute_minor, opened->info().driver_version);
    return *opened;
  }();
  return device;
}

CudaMemory::CudaMemory(size_t bytes) {
  const cuda::Device::Impl& device = test_cuda_device().impl();
  const cuda::CurrentContext current(device);
  check(device.driver.memory_allocate(&address_, std::max<size_t>(bytes, 1)), "cuMemAlloc");
}

CudaMemory::~CudaMemory() {
  const cuda::Device::Impl& device = test_cuda_device().impl();
  const cuda::CurrentContext current(device);
  if (address_ != 0) check(device.driver.memory_free(address_), "cuMemFree");
}

void CudaMemory::upload(const void* bytes, size_t count) const {
  const cuda::Device::Impl& device = test_cuda_device().impl();
  const cuda::CurrentContext current(device);
  check(device.driver.copy_to_device(address_, bytes, count), "cuMemcpyHtoD");
}

void CudaMemory::download(void* bytes, size_t count) const {
  const cuda::Device::Impl& device = test_cuda_device().impl();
  const cuda::CurrentContext current(device);
  check(device.driver.copy_to_host(bytes, address_, count), "cuMemcpyDtoH");
}

CudaImage::CudaImage(Format format, Extent size, uint32_t slices, const CudaPlace& place)
    : format_(format), size_(size), slices_(slices) {
  const FormatInfo& info = texel_info(format);
  channels_ = place.channels == cuda::Channels::kPlanar ? info.channels : 1;
  channel_bytes_ = info.bytes_per_texel / channels_;
  row_stride_ = size_t{size.width} * channel_bytes_ + place.row_gap;
  channel_stride_ = row_stride_ * size.height;
  slice_stride_ = channel_stride_ * channels_ + place.slice_gap;
  bytes_ = slice_stride_ * slices;
  memory_ = std::make_unique<CudaMemory>(bytes_);
  poison();
}

template <typename Copy>
void CudaImage::for_each(const ImageView& view, const Copy& copy) const {
  const uint32_t texel_bytes = texel_info(format_).bytes_per_texel;
  for (uint32_t slice = 0; slice < slices_; ++slice) {
    for (uint32_t y = 0; y < size_.height; ++y) {
      for (uint32_t x = 0; x < size_.width; ++x) {
        for (uint32_t c = 0; c < channels_; ++c) {
          copy(slice * slice_stride_ + c * channel_stride_ + y * row_stride_ + size_t{x} * channel_bytes_,
               view.row(y, slice) + size_t{x} * texel_bytes + size_t{c} * channel_bytes_);
        }
      }
    }
  }
}

void CudaImage::upload(const ImageView& view) const {
  std::vector<std::byte> bytes(bytes_, std::byte{0xFF});
  for_each(view, [&](size_t at, const std::byte* texel) { std::memcpy(bytes.data() + at, texel, channel_bytes_); });
  memory_->upload(bytes.data(), bytes.size());
}

void CudaImage::poison() const { memory_->upload(std::vector<std::byte>(bytes_, PaddedImage::kPoison).data(), bytes_); }

::testing::AssertionResult CudaImage::download(const MutableImageView& view) const {
  std::vector<std::byte> bytes(bytes_);
  memory_->download(bytes.data(), bytes.size());
  for_each(view, [&](size_t at, const std::byte* texel) {
    std::memcpy(const_cast<std::byte*>(texel), bytes.data() + at, channel_bytes_);
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(at), channel_bytes_, PaddedImage::kPoison);
  });
  if (std::any_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte != PaddedImage::kPoison; })) {
    return ::testing::AssertionFailure() << "an image was written between its texels";
  }
  return ::testing::AssertionSuccess();
}

Tolerance cuda_tolerance(const PyramidOptions& options) {
  const ChannelType source = format_info(options.source).type;
  const ChannelType target = format_info(options.target).type;
  // Min and max are exact; values of another encoding are rounded to the nearest step, or to its neighbour near the
  // middle of two.
  Tolerance tolerance = Tolerance::exact();
  if (source != target) tolerance.codes = 1e-3;
  if (options.reduction == Reduction::kMean) tolerance = {.codes = 1.0, .ulps = 4, .code_ulps = 0};
  if (options.alpha != Alpha::kIndependent || options.normal_map != NormalMap::kOff) tolerance.ulps = 12;
  // Colours are decoded within 2^-19 of the linear value.
  if (source == ChannelType::kSrgb) tolerance.ulps = 32;
  return tolerance;
}

}  // namespace onepass::testing
