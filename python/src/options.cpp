// options.cpp: see options.hpp.
#include "options.hpp"

#include <climits>
#include <cmath>

#include "errors.hpp"

namespace onepass::python {
namespace {

std::string shown(const py::handle& value) {
  PyObject* text = PyObject_Repr(value.ptr());
  if (text == nullptr) {
    PyErr_Clear();
    return "a value";
  }
  std::string result = py::reinterpret_steal<py::str>(text);
  if (result.size() > 60) result = result.substr(0, 57) + "...";
  return result;
}

}  // namespace

py::object Options::take(const char* name) {
  PyObject* value = PyDict_GetItemString(values_.ptr(), name);  // borrowed
  if (value == nullptr) return py::none();
  ++taken_;
  return py::reinterpret_borrow<py::object>(value);
}

long long Options::integer(const char* name, const py::object& value, long long low, long long high) {
  const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) {
    PyErr_Clear();
    fail(ErrorCode::kInvalidArgument, "is " + shown(value) + ", expected an integer", name);
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || number < low || number > high) {
    fail(ErrorCode::kInvalidArgument,
         "is " + shown(value) + ", expected " + std::to_string(low) + " to " + std::to_string(high), name);
  }
  return number;
}

double Options::real(const char* name, const py::object& value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    fail(ErrorCode::kInvalidArgument, "is " + shown(value) + ", expected a number", name);
  }
  return number;
}

void Options::number(const char* name, uint32_t& field) {
  const py::object value = take(name);
  if (!value.is_none()) field = static_cast<uint32_t>(integer(name, value, 0, UINT32_MAX));
}

void Options::number(const char* name, int32_t& field) {
  const py::object value = take(name);
  if (!value.is_none()) field = static_cast<int32_t>(integer(name, value, INT32_MIN, INT32_MAX));
}

void Options::number(const char* name, uint64_t& field) {
  const py::object value = take(name);
  if (!value.is_none()) field = static_cast<uint64_t>(integer(name, value, 0, LLONG_MAX));
}

void Options::number(const char* name, float& field) {
  const py::object value = take(name);
  if (!value.is_none()) field = static_cast<float>(real(name, value));
}

void Options::flag(const char* name, bool& field) {
  const py::object value = take(name);
  if (value.is_none()) return;
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) {
    PyErr_Clear();
    fail(ErrorCode::kInvalidArgument, "is " + shown(value) + ", expected True or False", name);
  }
  field = truth == 1;
}

void Options::text(const char* name, std::string& field) {
  const py::object value = take(name);
  if (!value.is_none()) field = word_of(name, value);
}

std::string Options::word_of(const char* name, const py::object& value) {
  if (PyBytes_Check(value.ptr()) != 0) return value.cast<std::string>();  // a path, which need not be text
  if (!py::isinstance<py::str>(value)) {
    fail(ErrorCode::kInvalidArgument, "is " + shown(value) + ", expected a string", name);
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    fail(ErrorCode::kInvalidArgument, "is not valid Unicode", name);
  }
  return {text, static_cast<size_t>(size)};
}

std::optional<size_t> Options::index_of(const char* name, std::span<const std::string_view> known) {
  const py::object value = take(name);
  if (value.is_none()) return std::nullopt;
  const std::string word = word_of(name, value);
  std::string all;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i] == word) return i;
    all += (i == 0 ? "'" : ", '") + std::string(known[i]) + "'";
  }
  fail(ErrorCode::kInvalidArgument, "is '" + word + "', expected one of " + all, name);
}

void Options::finish() const {
  if (taken_ >= values_.size()) return;
  fail(ErrorCode::kInvalidArgument, "options contain a name that is not known: " + shown(values_), "options");
}

void read_floats(const py::object& values, float* out, size_t count, const char* argument) {
  const py::object list = py::reinterpret_steal<py::object>(PySequence_List(values.ptr()));
  if (!list || static_cast<size_t>(PyList_GET_SIZE(list.ptr())) != count) {
    PyErr_Clear();
    fail(ErrorCode::kInvalidArgument, "is " + shown(values) + ", expected " + std::to_string(count) + " numbers",
         argument);
  }
  for (size_t i = 0; i < count; ++i) {
    const double number = PyFloat_AsDouble(PyList_GET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i)));
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      fail(ErrorCode::kInvalidArgument, "is " + shown(values) + ", expected " + std::to_string(count) + " numbers",
           argument);
    }
    out[i] = static_cast<float>(number);
  }
}

}  // namespace onepass::python
