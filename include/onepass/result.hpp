// result.hpp: how every fallible function of onepass answers.
//
// A call that can fail returns Result<T>: the value, or an Error that says what kind of failure it was, what
// happened in one sentence, and where (the file, option or device concerned). The library does not throw on
// purpose, print or abort.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

/// Checks a condition that only a mistake in the calling code can break. Does nothing in release builds.
#define ONEPASS_ASSERT(condition) assert(condition)

namespace onepass {

/// The kind of a failure: enough for a program to decide what to do; the message is for people.
enum class ErrorCode {
  kInvalidArgument,  ///< An option or image description contradicts itself or another one.
  kUnsupported,      ///< Well-formed, but this library, device or file format does not do it.
  kNotFound,         ///< A file, channel or device that does not exist.
  kBadData,          ///< A file is damaged, truncated or not what its name says; or pixels a technique refuses.
  kIo,               ///< Reading or writing failed: permissions, a full disk, a vanished directory.
  kOutOfMemory,      ///< Host or device memory is exhausted.
  kDevice,           ///< A Vulkan call failed for another reason.
};

/// What went wrong.
struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;  ///< One clause without a final stop, naming the field and its value.
  std::string context;  ///< The file, option or device concerned; may be empty.

  /// `context: message`, or just the message.
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

  [[nodiscard]] bool ok() const { return state_.index() == 0; }  ///< Is there a value?
  explicit operator bool() const { return ok(); }                ///< The same.

  /// The value. Calling this on a failed result is a caller mistake.
  [[nodiscard]] T& value() & {
    ONEPASS_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  /// The value, to read.
  [[nodiscard]] const T& value() const& {
    ONEPASS_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  /// The value, to move from.
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

  [[nodiscard]] bool ok() const { return ok_; }   ///< Did it succeed?
  explicit operator bool() const { return ok_; }  ///< The same.

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
