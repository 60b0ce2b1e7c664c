// abi.cpp: codes, messages and views at the ABI boundary; see abi.hpp.
#include "c_api/abi.hpp"

#include <algorithm>

namespace onepass::c_api {
namespace {

constexpr onepass_code code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return ONEPASS_INVALID_ARGUMENT;
    case ErrorCode::kUnsupported:
      return ONEPASS_UNSUPPORTED;
    case ErrorCode::kNotFound:
      return ONEPASS_NOT_FOUND;
    case ErrorCode::kBadData:
      return ONEPASS_BAD_DATA;
    case ErrorCode::kIo:
      return ONEPASS_IO;
    case ErrorCode::kOutOfMemory:
      return ONEPASS_OUT_OF_MEMORY;
    case ErrorCode::kDevice:
      return ONEPASS_DEVICE;
    case ErrorCode::kDeviceLost:
      return ONEPASS_DEVICE_LOST;
    case ErrorCode::kCancelled:
      return ONEPASS_CANCELLED;
  }
  return ONEPASS_DEVICE;
}
static_assert(sizeof(onepass_error) == 512);

template <typename View>
void resolve_strides(View& view) {
  if (view.slices == 0) view.slices = 1;
  if (view.row_stride == 0) view.row_stride = size_t{view.size.width} * texel_info(view.format).bytes_per_texel;
  if (view.slice_stride == 0 && view.row_stride <= SIZE_MAX / std::max(1U, view.size.height)) {
    view.slice_stride = view.row_stride * view.size.height;
  }
}

// Formats have the numbers of VkFormat in C and C++.
static_assert(ONEPASS_FORMAT_R8_UNORM == number(Format::kR8Unorm));
static_assert(ONEPASS_FORMAT_R8_UINT == number(Format::kR8Uint));
static_assert(ONEPASS_FORMAT_R8_SRGB == number(Format::kR8Srgb));
static_assert(ONEPASS_FORMAT_R8G8_UNORM == number(Format::kRG8Unorm));
static_assert(ONEPASS_FORMAT_R8G8_SRGB == number(Format::kRG8Srgb));
static_assert(ONEPASS_FORMAT_R8G8B8_UNORM == number(Format::kRGB8Unorm));
static_assert(ONEPASS_FORMAT_R8G8B8_SRGB == number(Format::kRGB8Srgb));
static_assert(ONEPASS_FORMAT_R16_UINT == number(Format::kR16Uint));
static_assert(ONEPASS_FORMAT_R16G16B16_UNORM == number(Format::kRGB16Unorm));
static_assert(ONEPASS_FORMAT_R16G16B16_SFLOAT == number(Format::kRGB16Sfloat));
static_assert(ONEPASS_FORMAT_R32_UINT == number(Format::kR32Uint));
static_assert(ONEPASS_FORMAT_R32G32B32_SFLOAT == number(Format::kRGB32Sfloat));
static_assert(ONEPASS_FORMAT_R8G8B8A8_UNORM == number(Format::kRGBA8Unorm));
static_assert(ONEPASS_FORMAT_R8G8B8A8_SRGB == number(Format::kRGBA8Srgb));
static_assert(ONEPASS_FORMAT_B8G8R8A8_UNORM == number(Format::kBGRA8Unorm));
static_assert(ONEPASS_FORMAT_B8G8R8A8_SRGB == number(Format::kBGRA8Srgb));
static_assert(ONEPASS_FORMAT_A2B10G10R10_UNORM == number(Format::kA2B10G10R10Unorm));
static_assert(ONEPASS_FORMAT_R16_UNORM == number(Format::kR16Unorm));
static_assert(ONEPASS_FORMAT_R16_SFLOAT == number(Format::kR16Sfloat));
static_assert(ONEPASS_FORMAT_R16G16_UNORM == number(Format::kRG16Unorm));
static_assert(ONEPASS_FORMAT_R16G16_SFLOAT == number(Format::kRG16Sfloat));
static_assert(ONEPASS_FORMAT_R16G16B16A16_UNORM == number(Format::kRGBA16Unorm));
static_assert(ONEPASS_FORMAT_R16G16B16A16_SFLOAT == number(Format::kRGBA16Sfloat));
static_assert(ONEPASS_FORMAT_R32_SFLOAT == number(Format::kR32Sfloat));
static_assert(ONEPASS_FORMAT_R32G32_SFLOAT == number(Format::kRG32Sfloat));
static_assert(ONEPASS_FORMAT_R32G32B32A32_SFLOAT == number(Format::kRGBA32Sfloat));
static_assert(ONEPASS_FORMAT_B10G11R11_UFLOAT == number(Format::kB10G11R11Ufloat));
static_assert(ONEPASS_FORMAT_D16_UNORM == number(Format::kD16Unorm));
static_assert(ONEPASS_FORMAT_X8_D24_UNORM == number(Format::kX8D24Unorm));
static_assert(ONEPASS_FORMAT_D32_SFLOAT == number(Format::kD32Sfloat));
static_assert(ONEPASS_FORMAT_D24_UNORM_S8_UINT == number(Format::kD24UnormS8));
static_assert(ONEPASS_FORMAT_D32_SFLOAT_S8_UINT == number(Format::kD32SfloatS8));

}  // namespace

onepass_code finish(onepass_error* error, onepass_code code, std::string_view context, std::string_view message) {
  if (error == nullptr) return code;
  error->code = code;
  constexpr size_t kRoom = sizeof(error->message) - 1;
  size_t length = 0;
  bool cut = false;
  const auto append = [&](std::string_view text) {
    if (cut) return;
    const size_t taken = std::min(text.size(), kRoom - length);
    std::copy_n(text.data(), taken, error->message + length);
    length += taken;
    if (taken == text.size()) return;
    cut = true;
    // The first byte that does not fit continues a UTF-8 character: remove that character's first bytes too.
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    if (!continues(text[taken])) return;
    while (length > 0 && continues(error->message[length - 1])) --length;
    if (length > 0) --length;
  };
  if (!context.empty()) {
    append(context);
    append(": ");
  }
  append(message);
  std::memset(error->message + length, 0, sizeof(error->message) - length);
  return code;
}

namespace {

// Renames the C++ field at the beginning of a message to the C field: structs within structs are flat in C.
std::string in_c(const std::string& message) {
  for (const auto& [cpp, c] :
       {std::pair<std::string_view, std::string_view>{"local.", "local_"}, {"drago.", "drago_"}, {"adaptation.", ""}}) {
    if (message.starts_with(cpp)) return std::string(c) + message.substr(cpp.size());
  }
  return message;
}

}  // namespace

onepass_code finish(onepass_error* error, const Result<void>& result) {
  if (result) return finish(error, ONEPASS_OK, {}, {});
  const Error& said = result.error();
  return finish(error, code_of(said.code), said.context, in_c(said.message));
}

Result<void> require(const void* pointer, const char* name) {
  if (pointer == nullptr) return invalid(std::string(name) + ": null");
  return {};
}

Result<void> require_zero(uint32_t reserved, const char* name) {
  if (reserved != 0) return invalid(std::string(name) + ": " + std::to_string(reserved) + " is not 0");
  return {};
}

Result<ImageView> view_of(const char* name, const onepass_image_view* view) {
  if (auto there = require(view, name); !there) return there.error();
  ImageView out{view->data,         static_cast<Format>(view->format),
                to_cpp(view->size), view->slices,
                view->row_stride,   view->slice_stride};
  resolve_strides(out);
  return out;
}

Result<MutableImageView> view_of(const char* name, const onepass_mutable_image_view* view) {
  if (auto there = require(view, name); !there) return there.error();
  MutableImageView out{view->data,         static_cast<Format>(view->format),
                       to_cpp(view->size), view->slices,
                       view->row_stride,   view->slice_stride};
  resolve_strides(out);
  return out;
}

Result<uint32_t> threads_of(const onepass_cpu_tuning* tuning) {
  if (tuning == nullptr) return uint32_t{0};
  auto value = read_struct("tuning", tuning, onepass_cpu_tuning{});
  if (!value) return value.error();
  if (auto zero = require_zero(value->reserved, "tuning.reserved"); !zero) return zero.error();
  return value->threads;
}

Result<Progress> progress_of(const onepass_cpu_tuning* tuning) {
  if (tuning == nullptr) return Progress();
  auto value = read_struct("tuning", tuning, onepass_cpu_tuning{});
  if (!value) return value.error();
  if (value->progress == nullptr) return Progress();
  return Progress([call = value->progress, user = value->progress_user](double done) { return call(user, done) != 0; });
}

}  // namespace onepass::c_api

using namespace onepass::c_api;

extern "C" {

uint32_t onepass_abi_version(void) { return ONEPASS_ABI_VERSION; }

const char* onepass_code_text(onepass_code code) {
  switch (code) {
    case ONEPASS_OK:
      return "success";
    case ONEPASS_INVALID_ARGUMENT:
      return "invalid argument";
    case ONEPASS_UNSUPPORTED:
      return "unsupported";
    case ONEPASS_NOT_FOUND:
      return "not found";
    case ONEPASS_BAD_DATA:
      return "bad data";
    case ONEPASS_IO:
      return "input or output failed";
    case ONEPASS_OUT_OF_MEMORY:
      return "out of memory";
    case ONEPASS_DEVICE:
      return "device error";
    case ONEPASS_DEVICE_LOST:
      return "device lost";
    case ONEPASS_CANCELLED:
      return "cancelled";
    default:
      return "not a code of onepass";
  }
}

uint32_t onepass_format_bytes(onepass_format format) {
  return onepass::texel_info(static_cast<onepass::Format>(format)).bytes_per_texel;
}

void onepass_cpu_tuning_init(onepass_cpu_tuning* tuning, size_t struct_size) {
  write_struct(tuning, struct_size, onepass_cpu_tuning{});
}

}  // extern "C"
