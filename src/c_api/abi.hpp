// abi.hpp: the ABI boundary between C and C++: codes, messages, sized structs; no exception passes it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "c_api/flat_structs.hpp"
#include "image/error.hpp"
#include "onepass/image.hpp"
#include "onepass/onepass.h"
#include "onepass/progress.hpp"
#include "onepass/result.hpp"

namespace onepass::c_api {

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

/// Fills *error, unless it is null, and returns the code. A message that is too long is cut at a whole character.
inline onepass_code finish(onepass_error* error, onepass_code code, std::string_view context,
                           std::string_view message) {
  if (error == nullptr) return code;
  error->code = code;
  error->context_length = 0;
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
    error->context_length = static_cast<uint16_t>(length);
    append(": ");
  }
  append(message);
  std::memset(error->message + length, 0, sizeof(error->message) - length);
  return code;
}

/// The message with the C field in front: structs within structs are flat in C.
inline std::string in_c(std::string message) {
  for (const std::string_view flat : kFlatStructs) {
    if (message.starts_with(flat)) message[flat.size() - 1] = '_';
  }
  return message;
}

/// finish() with the result of a C++ call.
inline onepass_code finish(onepass_error* error, const Result<void>& result) {
  if (result) return finish(error, ONEPASS_OK, {}, {});
  const Error& said = result.error();
  return finish(error, code_of(said.code), said.context, in_c(said.message));
}

/// The error of a code that a caller's sink returned.
inline Error error_of_sink(onepass_code code) {
  static_assert(ONEPASS_CANCELLED - ONEPASS_INVALID_ARGUMENT == static_cast<int>(ErrorCode::kCancelled));
  const bool known = code >= ONEPASS_INVALID_ARGUMENT && code <= ONEPASS_CANCELLED;
  return {known ? static_cast<ErrorCode>(code - ONEPASS_INVALID_ARGUMENT) : ErrorCode::kIo,
          "the sink returned " + std::to_string(code) + ", " + onepass_code_text(code), ""};
}

/// Runs `body`, which returns Result<void>, and converts its result or an exception to a code. Exceptions of the
/// standard library mean that memory or threads are exhausted: ONEPASS_OUT_OF_MEMORY in both cases.
template <typename Body>
onepass_code guarded(onepass_error* error, const Body& body) noexcept {
  try {
    return finish(error, body());
  } catch (const std::exception& exception) {
    return finish(error, ONEPASS_OUT_OF_MEMORY, {}, exception.what());
  } catch (...) {
    return finish(error, ONEPASS_OUT_OF_MEMORY, {}, "an exception of unknown type");
  }
}

/// Runs `create`, which returns Result<C++ object>, and moves the object into a new Handle; after a failure `*out` is
/// null. A Handle is an aggregate of one C++ object.
template <typename Handle, typename Create>
onepass_code make_handle(Handle** out, onepass_error* error, const Create& create) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(error, [&]() -> Result<void> {
    if (out == nullptr) return invalid("where the handle goes: null");
    auto made = create();
    if (!made) return made.error();
    *out = new Handle{std::move(*made)};
    return {};
  });
}

/// Checks that a pointer is not null. Errors: kInvalidArgument, naming the pointer.
inline Result<void> require(const void* pointer, const char* name) {
  if (pointer == nullptr) return invalid(std::string(name) + ": null");
  return {};
}

/// Checks that a field without a meaning is 0. Errors: kInvalidArgument.
inline Result<void> require_zero(uint32_t reserved, const char* name = "reserved") {
  if (reserved != 0) return invalid(std::string(name) + ": " + std::to_string(reserved) + " is not 0");
  return {};
}

// ---- Sized structs

constexpr size_t kMostStructBytes = size_t{1} << 16U;

/// Copies a sized struct of a caller over `defaults`, by the rules for different versions in onepass.h.
/// Errors: kInvalidArgument for null and for sizes that no version had, kUnsupported if fields of a later version are
/// set.
template <typename Struct>
Result<Struct> read_struct(const char* name, const Struct* in, const Struct& defaults) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  if (auto there = require(in, name); !there) return there.error();
  const size_t size = in->struct_size;
  if (size < sizeof(Struct)) {
    return invalid(std::string(name) + ".struct_size: " + std::to_string(size) + " is not sizeof the struct, " +
                   std::to_string(sizeof(Struct)));
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(in);
  if (size > kMostStructBytes) {
    return invalid(std::string(name) + ".struct_size: " + std::to_string(size) + " is not sizeof a struct");
  }
  if (size > sizeof(Struct) &&
      !std::all_of(bytes + sizeof(Struct), bytes + size, [](unsigned char byte) { return byte == 0; })) {
    return unsupported(std::string(name) + ".struct_size: " + std::to_string(size) + ": fields beyond byte " +
                       std::to_string(sizeof(Struct)) + " are set, which this version of the library does not know");
  }
  Struct value = defaults;
  std::memcpy(&value, bytes, std::min(size, sizeof(Struct)));
  value.struct_size = sizeof(Struct);
  return value;
}

/// Writes `value` into a sized struct of `size` bytes: as many bytes as fit, zeros after them, and struct_size.
template <typename Struct>
void write_struct(Struct* out, size_t size, Struct value) noexcept {
  static_assert(std::is_trivially_copyable_v<Struct>);
  if (out == nullptr || size < sizeof(size_t) || size > kMostStructBytes) return;
  value.struct_size = size;
  std::memcpy(static_cast<void*>(out), &value, std::min(size, sizeof(Struct)));
  if (size > sizeof(Struct))
    std::memset(reinterpret_cast<unsigned char*>(out) + sizeof(Struct), 0, size - sizeof(Struct));
}

/// Checks that a result's struct_size is that of some version. Errors: kInvalidArgument.
template <typename Struct>
Result<void> check_result_struct(const char* name, const Struct* out) {
  if (auto there = require(out, name); !there) return there.error();
  const size_t size = out->struct_size;
  if (size >= sizeof(Struct) && size <= kMostStructBytes) return {};
  return invalid(std::string(name) + ".struct_size: " + std::to_string(out->struct_size) +
                 " is not sizeof the struct, " + std::to_string(sizeof(Struct)));
}

/// Fills a result of the caller's version; its struct_size gives its size.
template <typename Struct>
void write_result(Struct* out, const Struct& value) noexcept {
  write_struct(out, out->struct_size, value);
}

// ---- Small structs

inline Extent to_cpp(onepass_extent extent) { return {extent.width, extent.height}; }
inline onepass_extent to_c(Extent extent) { return {extent.width, extent.height}; }
inline Rect to_cpp(onepass_rect rect) { return {rect.x, rect.y, rect.width, rect.height}; }
inline onepass_rect to_c(Rect rect) { return {rect.x, rect.y, rect.width, rect.height}; }

template <typename View>
void resolve_strides(View& view) {
  if (view.slices == 0) view.slices = 1;
  if (view.row_stride == 0) view.row_stride = size_t{view.size.width} * texel_info(view.format).bytes_per_texel;
  if (view.slice_stride == 0 && view.row_stride <= SIZE_MAX / std::max(1U, view.size.height)) {
    view.slice_stride = view.row_stride * view.size.height;
  }
}

/// Converts a view and replaces strides of 0 by their defaults. Errors: kInvalidArgument for null.
inline Result<ImageView> view_of(const char* name, const onepass_image_view* view) {
  if (auto there = require(view, name); !there) return there.error();
  ImageView out{view->data,         static_cast<Format>(view->format),
                to_cpp(view->size), view->slices,
                view->row_stride,   view->slice_stride};
  resolve_strides(out);
  return out;
}
inline Result<MutableImageView> view_of(const char* name, const onepass_mutable_image_view* view) {
  if (auto there = require(view, name); !there) return there.error();
  MutableImageView out{view->data,         static_cast<Format>(view->format),
                       to_cpp(view->size), view->slices,
                       view->row_stride,   view->slice_stride};
  resolve_strides(out);
  return out;
}

/// The number of threads of a tuning that may be null.
inline Result<uint32_t> threads_of(const onepass_cpu_tuning* tuning) {
  if (tuning == nullptr) return uint32_t{0};
  auto value = read_struct("tuning", tuning, onepass_cpu_tuning{});
  if (!value) return value.error();
  if (auto zero = require_zero(value->reserved, "tuning.reserved"); !zero) return zero.error();
  return value->threads;
}

/// The callback of a tuning that may be null; empty if it has none.
inline Result<Progress> progress_of(const onepass_cpu_tuning* tuning) {
  if (tuning == nullptr) return Progress();
  auto value = read_struct("tuning", tuning, onepass_cpu_tuning{});
  if (!value) return value.error();
  if (value->progress == nullptr) return Progress();
  return Progress([call = value->progress, user = value->progress_user](double done) { return call(user, done) != 0; });
}

/// The number of an enumerator. It is equal in C and C++; range checks are done where the C++ options are validated.
template <typename Enum>
constexpr uint32_t number(Enum value) {
  return static_cast<uint32_t>(value);
}

}  // namespace onepass::c_api
