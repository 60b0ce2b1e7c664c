// abi.cpp: codes, messages and views at the ABI boundary; see abi.hpp.
#include "c_api/abi.hpp"

#include <algorithm>

#include "c_api/read_options.hpp"

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
std::string in_c(std::string message) {
  for (const std::string_view flat : kFlatStructs) {
    if (message.starts_with(flat)) message[flat.size() - 1] = '_';
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
