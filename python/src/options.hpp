// options.hpp: the keyword arguments of a call as fields of an options struct.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onepass/words.hpp"

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

  /// Writes the enumerator that belongs to the given word, one of those of onepass/words.hpp but the `left_out`.
  template <typename E>
  void choice(const char* name, E& field, std::initializer_list<E> left_out = {}) {
    std::vector<std::string_view> known;
    for (const std::string_view word : words<E>()) {
      if (std::find(left_out.begin(), left_out.end(), *from_word<E>(word)) == left_out.end()) known.push_back(word);
    }
    if (const auto index = index_of(name, known)) field = *from_word<E>(known[*index]);
  }

  /// The index of the given word; nothing for None and an absent name.
  std::optional<size_t> index_of(const char* name, std::span<const std::string_view> known);

  /// The value of this name, or None.
  py::object take(const char* name);

  void finish() const;

 private:
  static std::string word_of(const char* name, const py::object& value);
  double real(const char* name, const py::object& value);
  long long integer(const char* name, const py::object& value, long long low, long long high);

  py::dict values_;
  uint32_t taken_ = 0;
};

/// Floats of a sequence of exactly `count` numbers.
void read_floats(const py::object& values, float* out, size_t count, const char* argument);

}  // namespace onepass::python
