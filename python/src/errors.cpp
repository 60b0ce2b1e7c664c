// errors.cpp: see errors.hpp.
#include "errors.hpp"

#include <pybind11/pybind11.h>

namespace onepass::python {
namespace {

namespace py = pybind11;

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kBadData:
      return "bad_data";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kOutOfMemory:
      return "out_of_memory";
    case ErrorCode::kDevice:
      return "device";
    case ErrorCode::kDeviceLost:
      return "device_lost";
    case ErrorCode::kCancelled:
      return "cancelled";
  }
  return "invalid_argument";
}

// The name of the field with which the library's messages begin: "cutoff 7 ...", "levels[2]: ...".
std::string leading_name(const std::string& message) {
  const size_t end = message.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
  if (end == 0 || end == std::string::npos) return {};
  return message.substr(0, end);
}

}  // namespace

void fail(ErrorCode code, std::string message, std::string argument) {
  throw Failure{{code, std::move(message), {}}, std::move(argument)};
}

void register_errors() {
  py::register_exception_translator([](std::exception_ptr exception) {
    try {
      std::rethrow_exception(exception);
    } catch (const Failure& failure) {
      const auto& [error, argument] = failure;
      try {
        const py::object make = py::module_::import("onepass._errors").attr("make_error");
        const std::string field = error.code == ErrorCode::kInvalidArgument ? leading_name(error.message) : "";
        const auto text = [](const std::string& bytes) {
          return py::reinterpret_steal<py::object>(
              PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
        };
        const py::object value =
            make(name_of(error.code), text(error.message), text(error.context), text(argument), text(field));
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())), value.ptr());
      } catch (py::error_already_set& other) {
        other.restore();
      }
    }
  });
}

}  // namespace onepass::python
