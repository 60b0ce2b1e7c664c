// options.hpp: the keyword arguments of a call as fields of an options struct.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace onepass::python {

namespace py = pybind11;

/// Reads a dictionary of options. Every failure names the argument. Names that nothing has read are an error of
/// finish().
class Options {
 public:
  explicit Options(py::dict values) : values_(std::move(values)) {}

  /// Writes the number of this name to `field`; None and an absent name leave it unchanged.
  void number(const char* name, uint32_t& field);
  void number(const char* name, int32_t& field);
  void number(const char* name, uint64_t& field);
  void number(const char* name, float& field);
  void flag(const char* name, bool& field);
  void text(const char* name, std::string& field);

  /// Writes the enumerator that belongs to the given word.
  template <typename E, size_t count>
  void choice(const char* name, E& field, const std::pair<std::string_view, E> (&words)[count]) {
    const py::object value = take(name);
    if (value.is_none()) return;
    const std::string word = word_of(name, value);
    std::string known;
    for (const auto& [text, enumerator] : words) {
      if (text == word) {
        field = enumerator;
        return;
      }
      known += (known.empty() ? "'" : ", '") + std::string(text) + "'";
    }
    refuse(name, word, known);
  }

  /// The value of this name, or None.
  py::object take(const char* name);

  void finish() const;

 private:
  static std::string word_of(const char* name, const py::object& value);
  [[noreturn]] static void refuse(const char* name, const std::string& word, const std::string& known);
  double real(const char* name, const py::object& value);
  long long integer(const char* name, const py::object& value, long long low, long long high);

  py::dict values_;
  uint32_t taken_ = 0;
};

/// Floats of a sequence of exactly `count` numbers.
void read_floats(const py::object& values, float* out, size_t count, const char* argument);

}  // namespace onepass::python
