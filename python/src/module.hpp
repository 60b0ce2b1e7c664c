// module.hpp: the parts of the extension module, and the options that all objects have.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

#include "arrays.hpp"
#include "engine.hpp"
#include "options.hpp"

namespace onepass::python {

/// engine, threads and color of an object.
struct Call {
  explicit Call(Options& options) {
    std::string engine = "cpu";
    options.text("engine", engine);
    options.number("threads", threads);
    static constexpr std::string_view kColors[] = {"linear", "srgb"};
    if (options.index_of("color", kColors).value_or(0) == 1) numbers = Numbers::kSrgb;
    device = device_of(engine);
  }

  SharedDevice* device = nullptr;
  uint32_t threads = 0;
  Numbers numbers = Numbers::kLinear;
};

void add_pyramids(pybind11::module_& module);
void add_fourier(pybind11::module_& module);
void add_operations(pybind11::module_& module);
void add_light(pybind11::module_& module);
void add_files(pybind11::module_& module);

}  // namespace onepass::python
