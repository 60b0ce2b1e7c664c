// result.hpp: the return type of every function of onepass that can fail.
//
// Such a function returns Result<T>: either the value or an Error. The Error holds the kind of the failure, one
// sentence about what happened, and the file, option or device concerned. The library does not throw on purpose, print
// or abort.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

/// Checks a condition that only a mistake in the calling code can break. Release builds do not check it.
#define ONEPASS_ASSERT(condition) assert(condition)

namespace onepass {

/// The kind of a failure, for a program that decides what to do next. Error::message explains the failure to people.
///
/// A request that fails everywhere is kInvalidArgument: unknown enumerators and formats, and formats that a technique
/// does not define, such as depth as a target. A request that another device, build or file type would meet is
/// kUnsupported: another engine may do it.
enum class ErrorCode {
  kInvalidArgument,  ///< An option or image description is out of range, or contradicts itself or another one.
  kUnsupported,      ///< The request is well-formed, but this build, device or file format does not support it.
  kNotFound,         ///< The file, channel or device does not exist.
  kBadData,  ///< A file is damaged, truncated or not of the type its name states; or a technique refuses the pixels.
  kIo,       ///< Reading or writing failed: permissions, a full disk, a vanished directory.
  kOutOfMemory,  ///< Host or device memory is exhausted.
  kDevice,       ///< A Vulkan call failed for another reason.
  kDeviceLost,   ///< VK_ERROR_DEVICE_LOST: nothing on this VkDevice works any more; destroy it and create another.
  kCancelled,    ///< A Progress callback (progress.hpp) returned false.
};

/// A failure: its kind, a message, and the object it concerns.
struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;  ///< One clause without a final stop, naming the field and its value.
  std::string context;  ///< The file, option or device concerned; may be empty.

  /// `context: message`, or `message` alone if there is no context.
  [[nodiscard]] std::string text() const { return context.empty() ? message : context + ": " + message; }
};

/// A value of type T, or the Error that prevented it.
template <typename T>
class [[nodiscard]] Result {
 public:
  /// Success.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  /// Failure.
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }  ///< Whether there is a value.
  explicit operator bool() const { return ok(); }                ///< Same as ok().

  /// The value. Calling this on a failed result is a caller mistake.
  [[nodiscard]] T& value() & {
    ONEPASS_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  /// The value, read-only.
  [[nodiscard]] const T& value() const& {
    ONEPASS_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  /// The value, as an rvalue to move from.
  [[nodiscard]] T&& value() && {
    ONEPASS_ASSERT(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }                     ///< value()
  const T& operator*() const& { return value(); }          ///< value()
  T&& operator*() && { return std::move(*this).value(); }  ///< value()
  T* operator->() { return &value(); }                     ///< A member of value().
  const T* operator->() const { return &value(); }         ///< A member of value().

  /// The error. Calling this on a successful result is a caller mistake.
  [[nodiscard]] const Error& error() const {
    ONEPASS_ASSERT(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success, or the Error that prevented it.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;  ///< Success.
  /// Failure.
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return ok_; }   ///< Whether the call succeeded.
  explicit operator bool() const { return ok_; }  ///< Same as ok().

  /// The error. Calling this on success is a caller mistake.
  [[nodiscard]] const Error& error() const {
    ONEPASS_ASSERT(!ok_);
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace onepass
