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

#include "image/error.hpp"
#include "onepass/image.hpp"
#include "onepass/onepass.h"
#include "onepass/progress.hpp"
#include "onepass/result.hpp"

namespace onepass::c_api {

/// Fills *error, unless it is null, and returns the code. A message that is too long is cut at a whole character.
onepass_code finish(onepass_error* error, onepass_code code, std::string_view context, std::string_view message);

/// finish() with the result of a C++ call.
onepass_code finish(onepass_error* error, const Result<void>& result);

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
Result<void> require(const void* pointer, const char* name);

/// Checks that a field without a meaning is 0. Errors: kInvalidArgument.
Result<void> require_zero(uint32_t reserved, const char* name = "reserved");

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

/// Converts a view and replaces strides of 0 by their defaults. Errors: kInvalidArgument for null.
Result<ImageView> view_of(const char* name, const onepass_image_view* view);
Result<MutableImageView> view_of(const char* name, const onepass_mutable_image_view* view);

/// The number of threads of a tuning that may be null.
Result<uint32_t> threads_of(const onepass_cpu_tuning* tuning);

/// The callback of a tuning that may be null; empty if it has none.
Result<Progress> progress_of(const onepass_cpu_tuning* tuning);

/// The number of an enumerator. It is equal in C and C++; range checks are done where the C++ options are validated.
template <typename Enum>
constexpr uint32_t number(Enum value) {
  return static_cast<uint32_t>(value);
}

}  // namespace onepass::c_api
