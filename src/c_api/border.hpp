// border.hpp: how calls cross from C to C++ and back: codes, messages, sized structs, exceptions that end here.
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

#include "onepass/image.hpp"
#include "onepass/onepass.h"
#include "onepass/result.hpp"

namespace onepass::c_api {

inline Error invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), {}}; }

/// Fills *error, unless null, and returns the code. A message that is too long is cut at a whole character.
onepass_code finish(onepass_error* error, onepass_code code, std::string_view context, std::string_view message);

/// As finish(), with what the C++ call said.
onepass_code finish(onepass_error* error, const Result<void>& result);

/// Runs `body`, which returns Result<void>, and turns what comes of it, exceptions included, into a code. What the
/// standard library throws is memory, or a thread that could not be started: resources either way.
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

/// Runs `create`, which returns Result<C++ object>, and puts what it made into a new Handle; `*out` is null otherwise.
/// A Handle holds one C++ object and is made from it.
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

/// A pointer that may not be null. Errors: kInvalidArgument, naming it.
Result<void> require(const void* pointer, const char* name);

/// A field that has no meaning yet.
Result<void> require_zero(uint32_t reserved, const char* name = "reserved");

// ---- Sized structs

/// Had an earlier version of a struct this size? A struct that grows says so here.
template <typename Struct>
constexpr bool had_size(size_t) {
  return false;
}
template <>
constexpr bool had_size<onepass_tone_map_options>(size_t size) {
  return size == offsetof(onepass_tone_map_options, local_highlights) ||
         size == offsetof(onepass_tone_map_options, paper_white_nits);
}

constexpr size_t kMostStructBytes = size_t{1} << 16U;

/// Copies a sized struct of a caller over `defaults`, as onepass.h says versions meet.
/// Errors: kInvalidArgument for null and for sizes that no version had, kUnsupported for fields of the future.
template <typename Struct>
Result<Struct> read_struct(const char* name, const Struct* in, const Struct& defaults) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  if (auto there = require(in, name); !there) return there.error();
  const size_t size = in->struct_size;
  if (size < sizeof(Struct) && !had_size<Struct>(size)) {
    return invalid(std::string(name) + ".struct_size: " + std::to_string(size) + " is not sizeof the struct, " +
                   std::to_string(sizeof(Struct)));
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(in);
  if (size > kMostStructBytes) {
    return invalid(std::string(name) + ".struct_size: " + std::to_string(size) + " is not sizeof a struct");
  }
  if (size > sizeof(Struct) &&
      !std::all_of(bytes + sizeof(Struct), bytes + size, [](unsigned char byte) { return byte == 0; })) {
    return Error{ErrorCode::kUnsupported,
                 std::string(name) + ".struct_size: " + std::to_string(size) + ": fields beyond byte " +
                     std::to_string(sizeof(Struct)) + " are set, which this version of the library does not know",
                 {}};
  }
  Struct value = defaults;
  std::memcpy(&value, bytes, std::min(size, sizeof(Struct)));
  value.struct_size = sizeof(Struct);
  return value;
}

/// Writes `value` into a sized struct of `size` bytes: what fits, zeros beyond, and struct_size.
template <typename Struct>
void write_struct(Struct* out, size_t size, Struct value) noexcept {
  static_assert(std::is_trivially_copyable_v<Struct>);
  if (out == nullptr || size < sizeof(size_t) || size > kMostStructBytes) return;
  value.struct_size = size;
  std::memcpy(static_cast<void*>(out), &value, std::min(size, sizeof(Struct)));
  if (size > sizeof(Struct))
    std::memset(reinterpret_cast<unsigned char*>(out) + sizeof(Struct), 0, size - sizeof(Struct));
}

/// Is a result's struct_size one that some version has?
template <typename Struct>
Result<void> check_result_struct(const char* name, const Struct* out) {
  if (auto there = require(out, name); !there) return there.error();
  const size_t size = out->struct_size;
  if ((size >= sizeof(Struct) && size <= kMostStructBytes) || had_size<Struct>(size)) return {};
  return invalid(std::string(name) + ".struct_size: " + std::to_string(out->struct_size) +
                 " is not sizeof the struct, " + std::to_string(sizeof(Struct)));
}

/// Fills a result of the caller's version, whose struct_size says how long it is.
template <typename Struct>
void write_result(Struct* out, const Struct& value) noexcept {
  write_struct(out, out->struct_size, value);
}

// ---- The small structs

inline Extent to_cpp(onepass_extent extent) { return {extent.width, extent.height}; }
inline onepass_extent to_c(Extent extent) { return {extent.width, extent.height}; }
inline Rect to_cpp(onepass_rect rect) { return {rect.x, rect.y, rect.width, rect.height}; }
inline onepass_rect to_c(Rect rect) { return {rect.x, rect.y, rect.width, rect.height}; }

/// Views with the strides that 0 stands for.
Result<ImageView> view_of(const char* name, const onepass_image_view* view);
Result<MutableImageView> view_of(const char* name, const onepass_mutable_image_view* view);

/// The thread count of a tuning that may be null.
Result<uint32_t> threads_of(const onepass_cpu_tuning* tuning);

/// An enumerator's number, equal in C and C++: checked where the C++ options are validated.
template <typename Enum>
constexpr uint32_t number(Enum value) {
  return static_cast<uint32_t>(value);
}

}  // namespace onepass::c_api
