// images.cpp: formats and images of the CUDA engine.
#include "cuda/images.hpp"

#include <bit>

#include "cuda/driver.hpp"
#include "image/error.hpp"

namespace onepass::cuda {
namespace {

// Values of the KIND_ macros in target_texel.glsl.
enum TargetKind : uint32_t { kKindFloat = 0, kKindUnorm = 1 };

constexpr uint64_t kWidestAccess = 16;  // bytes

}  // namespace

uint32_t storage_of(const FormatInfo& info) {
  if (info.format == Format::kA2B10G10R10Unorm) return STORED_A2B10G10R10;
  if (info.format == Format::kB10G11R11Ufloat) return STORED_B10G11R11;
  if (info.format == Format::kX8D24Unorm || info.format == Format::kD24UnormS8) return STORED_X8D24;
  switch (info.bytes_per_texel / info.channels) {
    case 1:
      return STORED_U8;
    case 2:
      return info.type == ChannelType::kFloat ? STORED_F16 : STORED_U16;
    default:
      return STORED_F32;
  }
}

float unit_of(const FormatInfo& info) {
  if (info.type == ChannelType::kSrgb) return 255.0F;
  switch (storage_of(info)) {
    case STORED_U8:
      return 255.0F;
    case STORED_U16:
      return 65535.0F;
    case STORED_X8D24:
      return 16777215.0F;
    default:
      return 1.0F;
  }
}

Result<Stored> describe_stored(const std::string& field, Format format, Channels channels) {
  Stored stored;
  stored.info = texel_info(format);
  const uint32_t texel = stored.info.bytes_per_texel;
  stored.planar = channels == Channels::kPlanar && stored.info.channels > 1;
  if (stored.planar && (stored.info.packed || stored.info.blue_first)) {
    return invalid(field + ": " + std::string(stored.info.name) + " cannot be planar");
  }
  stored.step = stored.planar ? texel / stored.info.channels : texel;
  stored.load = !stored.planar && std::has_single_bit(texel) ? texel : 0;
  return stored;
}

FormatConstants make_format_constants(const Stored& source, const Stored& target, Working working) {
  FormatConstants constants{};
  constants.source_channels = source.info.channels;
  constants.target_channels = target.info.channels;
  constants.source_unorm = source.info.type == ChannelType::kUnorm ? 1 : 0;
  constants.source_srgb = source.info.type == ChannelType::kSrgb ? 1 : 0;
  constants.target_srgb = target.info.type == ChannelType::kSrgb ? 1 : 0;
  constants.target_kind = target.info.type == ChannelType::kFloat ? kKindFloat : kKindUnorm;
  constants.source_storage = storage_of(source.info);
  constants.target_storage = storage_of(target.info);
  constants.source_bytes = source.load;
  constants.target_bytes = target.load;
  constants.source_step = source.step;
  constants.target_step = target.step;
  constants.source_blue_first = source.info.blue_first ? 1 : 0;
  constants.target_blue_first = target.info.blue_first ? 1 : 0;
  const float source_unit = unit_of(source.info);
  const float target_unit = unit_of(target.info);
  const bool integers = working == Working::kIntegers && constants.source_srgb == 0 && constants.target_srgb == 0;
  const float one = integers ? source_unit : 1.0F;
  constants.source_scale = integers ? 1.0F : 1.0F / source_unit;
  constants.source_one = one / constants.source_scale;  // before it is scaled
  constants.target_scale = target_unit / one;
  constants.target_divisor = one;
  constants.target_inverse = 1.0F / one;
  constants.target_most = target_unit;
  return constants;
}

uint64_t real_bytes(uint64_t planned, Format format) {
  return planned / format_info(image::with_alpha(format)).bytes_per_texel * texel_info(format).bytes_per_texel;
}

Result<void> check_slices(uint32_t slices) {
  if (slices <= kMostBlocks) return {};
  return unsupported("slices: " + std::to_string(slices) + " exceed 65535, the most blocks of a launch");
}

Result<void> check_one_sample(uint32_t samples) {
  if (samples == 1) return {};
  return unsupported("samples: " + std::to_string(samples) + ", but images in linear memory have one");
}

Result<void> check_address(const std::string& field, const void* address, size_t alignment) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (number % alignment == 0) return {};
  return invalid(field + ": the address " + std::to_string(number) + " is not a multiple of " +
                 std::to_string(alignment));
}

Result<DeviceRows> make_rows(const std::string& field, const DeviceImage& image, const Stored& stored,
                             const ImageShape& shape) {
  if (image.data == nullptr) return invalid(field + ".data: null");
  const uint64_t row = uint64_t{shape.size.width} * stored.step;
  const uint32_t alignment = stored.alignment();
  const auto check = [&](const char* name, uint64_t value, uint64_t least) -> Result<void> {
    const std::string text = field + "." + name + ": " + std::to_string(value);
    if (value < least) return invalid(text + " is below " + std::to_string(least));
    if (value % alignment != 0) return invalid(text + " is not a multiple of " + std::to_string(alignment));
    return {};
  };
  const auto data = reinterpret_cast<DeviceAddress>(image.data);
  if (auto checked = check("data", data, 1); !checked) return checked.error();
  if (auto checked = check("row_stride", image.row_stride, row); !checked) return checked.error();
  if (image.row_stride > UINT32_MAX) {
    return invalid(field + ".row_stride: " + std::to_string(image.row_stride) + " is not below 2^32");
  }
  DeviceRows rows{.data = data,
                  .slice_stride = shape.slices > 1 ? image.slice_stride : 0,
                  .channel_stride = stored.step,
                  .row_stride = static_cast<uint32_t>(image.row_stride),
                  .alignment = 0};
  const uint64_t plane = image.row_stride * (shape.size.height - 1) + row;
  if (stored.planar) {
    // Slices may lie between the channels of others.
    if (auto checked = check("channel_stride", image.channel_stride, plane); !checked) return checked.error();
    rows.channel_stride = image.channel_stride;
  } else {
    rows.channel_stride = stored.info.bytes_per_texel / stored.info.channels;
  }
  if (shape.slices > 1) {
    if (auto checked = check("slice_stride", image.slice_stride, plane); !checked) return checked.error();
  }
  const uint64_t all = rows.data | rows.slice_stride | rows.row_stride | kWidestAccess;
  rows.alignment = static_cast<uint32_t>(all & (~all + 1));
  return rows;
}

}  // namespace onepass::cuda
