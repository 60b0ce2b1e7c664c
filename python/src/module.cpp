// module.cpp: the extension module onepass._onepass. Its classes are the engines of the package onepass, which
// documents them: they take arrays that need no copy, and dictionaries of options.
#include "module.hpp"

#include "errors.hpp"

PYBIND11_MODULE(_onepass, module) {
  namespace python = onepass::python;
  python::register_errors();
  python::add_engines(module);
  python::add_pyramids(module);
  python::add_fourier(module);
  python::add_operations(module);
  python::add_light(module);
  python::add_files(module);
  module.attr("__version__") = ONEPASS_VERSION;
}
