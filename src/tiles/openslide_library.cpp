// openslide_library.cpp: finds the functions by name. A library that lacks one counts as absent.
#include "tiles/openslide_library.hpp"

#include <dlfcn.h>

#include <optional>
#include <string>
#include <type_traits>

namespace onepass::tiles {
namespace {

std::optional<OpenSlideLibrary> load() {
  void* library = nullptr;
  for (const char* const name : {"libopenslide.so.1", "libopenslide.so.0"}) {  // OpenSlide 4 and 3.4
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) return {};
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, (std::string("openslide_") + name).c_str()));
    return function != nullptr;
  };
  OpenSlideLibrary found;
  const bool complete =
      find(found.open, "open") && find(found.close, "close") && find(found.get_version, "get_version") &&
      find(found.get_error, "get_error") && find(found.get_property_value, "get_property_value") &&
      find(found.get_level0_dimensions, "get_level0_dimensions") && find(found.read_region, "read_region");
  if (!complete) return {};
  if (!find(found.get_icc_profile_size, "get_icc_profile_size") || !find(found.read_icc_profile, "read_icc_profile")) {
    found.get_icc_profile_size = nullptr;
  }
  return found;
}

}  // namespace

const OpenSlideLibrary* find_openslide() {
  static const std::optional<OpenSlideLibrary> library = load();  // never closed
  return library ? &*library : nullptr;
}

}  // namespace onepass::tiles
