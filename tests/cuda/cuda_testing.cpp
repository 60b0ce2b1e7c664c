// cuda_testing.cpp: opens the device once per program; moves images between interleaved host memory and the order of
// channels on the device; compares RGB with the oracle's RGBA.
#include "tests/cuda/cuda_testing.hpp"

#include <cstdlib>
#include <cstring>

#include "tests/cuda/fake_driver.hpp"

namespace onepass::testing {
namespace {

void check(int status, const char* call) { EXPECT_EQ(status, 0) << call; }

Format with_alpha(Format format) {
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

/// A view of RGB as an image with an alpha of 1. Other formats as they are, or, if `opaque`, with an alpha of 1.
PaddedImage expanded(const ImageView& view, bool opaque = false) {
  PaddedImage out(with_alpha(view.format), view.size, view.slices);
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

/// An image on the device, and its place in a copy of that memory.
struct Placed {
  size_t row_stride = 0, channel_stride = 0, slice_stride = 0, bytes = 0;
  uint32_t channels = 1, texel_step = 0, channel_bytes = 0, channel_step = 0;

  Placed(Format format, Extent size, uint32_t slices, cuda::Channels order, const CudaSetup& setup) {
    const FormatInfo& info = texel_info(format);
    const bool planar = order == cuda::Channels::kPlanar;
    channels = planar ? info.channels : 1;
    channel_bytes = info.bytes_per_texel / channels;
    texel_step = channel_bytes;
    row_stride = size_t{size.width} * texel_step + setup.row_gap;
    channel_stride = row_stride * size.height;
    slice_stride = channel_stride * channels + setup.slice_gap;
    bytes = slice_stride * slices;
  }

  [[nodiscard]] cuda::DeviceImage image(void* data) const {
    return {.data = data, .row_stride = row_stride, .slice_stride = slice_stride, .channel_stride = channel_stride};
  }

  /// Calls copy(place in the device's order, place in the view) for every channel of every texel, or for whole texels.
  template <typename Copy>
  void for_each(const ImageView& view, const Copy& copy) const {
    const uint32_t texel_bytes = texel_info(view.format).bytes_per_texel;
    for (uint32_t slice = 0; slice < view.slices; ++slice) {
      for (uint32_t y = 0; y < view.size.height; ++y) {
        for (uint32_t x = 0; x < view.size.width; ++x) {
          for (uint32_t c = 0; c < channels; ++c) {
            copy(slice * slice_stride + c * channel_stride + y * row_stride + size_t{x} * texel_step,
                 view.row(y, slice) + size_t{x} * texel_bytes + size_t{c} * channel_bytes);
          }
        }
      }
    }
  }
};

/// Bytes that no texel has, which a build must not change.
bool gaps_changed(const Placed& placed, const ImageView& view, std::vector<std::byte> bytes) {
  placed.for_each(view, [&](size_t at, const std::byte*) {
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(at), placed.channel_bytes, PaddedImage::kPoison);
  });
  return std::any_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte != PaddedImage::kPoison; });
}

/// Promises of the CUDA engine: docs/accuracy.md.
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

}  // namespace

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

::testing::AssertionResult cuda_build_matches(const CudaSetup& setup, const ImageView& source, int builds) {
  const PyramidOptions& options = setup.options;
  PyramidOptions known = options;  // by the oracle
  known.source = with_alpha(options.source);
  known.target = with_alpha(options.target);
  const std::string name = describe(options) + " levels " + std::to_string(options.levels);
  auto pyramid = cuda::create_pyramid(test_cuda_device(), options, setup.memory, setup.tuning, setup.test);
  if (!pyramid) return ::testing::AssertionFailure() << name << ": " << pyramid.error().text();

  const Placed placed_source(options.source, options.size, options.slices, setup.memory.source, setup);
  std::vector<std::byte> bytes(placed_source.bytes, std::byte{0xFF});
  placed_source.for_each(source, [&](size_t at, const std::byte* texel) {
    std::memcpy(bytes.data() + at, texel, placed_source.channel_bytes);
  });
  const CudaMemory source_memory(bytes.size());
  source_memory.upload(bytes.data(), bytes.size());

  Levels levels(options);
  cuda::PyramidImages images{.source = placed_source.image(source_memory.data()), .levels = {}};
  std::vector<Placed> placed;
  std::vector<CudaMemory> memory;
  const auto poison = [&] {
    for (size_t i = 0; i < placed.size(); ++i) {
      memory[i].upload(std::vector<std::byte>(placed[i].bytes, PaddedImage::kPoison).data(), placed[i].bytes);
    }
  };
  for (const MutableImageView& view : levels.views) {
    placed.emplace_back(options.target, view.size, view.slices, setup.memory.target, setup);
    memory.emplace_back(placed.back().bytes);
    images.levels.push_back(placed.back().image(memory.back().data()));
  }
  const CudaMemory scratch(pyramid->dispatch_plan().scratch_bytes);
  if (!setup.own_scratch) images.scratch = scratch.data();
  auto binding = pyramid->bind(images);
  if (!binding) return ::testing::AssertionFailure() << name << ": " << binding.error().text();
  Result<void> done;
  if (!setup.own_scratch) done = pyramid->record_reset(nullptr, *binding);
  for (int i = 0; i < builds && done; ++i) {
    poison();
    done = pyramid->record(nullptr, *binding);
  }
  if (!done) return ::testing::AssertionFailure() << name << ": " << done.error().text();

  std::vector<PaddedImage> actual;
  for (size_t i = 0; i < placed.size(); ++i) {
    bytes.resize(placed[i].bytes);
    memory[i].download(bytes.data(), bytes.size());
    placed[i].for_each(levels.views[i], [&](size_t at, const std::byte* texel) {
      std::memcpy(const_cast<std::byte*>(texel), bytes.data() + at, placed[i].channel_bytes);
    });
    if (gaps_changed(placed[i], levels.views[i], bytes)) {
      return ::testing::AssertionFailure() << name << ": level " << i + 1 << " was written between its texels";
    }
    actual.push_back(expanded(levels.views[i]));
  }
  std::vector<MutableImageView> views;
  for (PaddedImage& image : actual) views.push_back(image.view());
  const PaddedImage known_source = expanded(source, is_row_format(options.target));  // an RGB target drops alpha
  return matches(oracle_pyramid(known, known_source.view()), views, cuda_tolerance(known), name);
}

::testing::AssertionResult cuda_build_matches(const CudaSetup& setup, uint32_t seed, int builds) {
  Random random(seed);
  PaddedImage source(setup.options.source, setup.options.size, setup.options.slices);
  fill_random(source.view(), random);
  return cuda_build_matches(setup, source.view(), builds);
}

}  // namespace onepass::testing
