// curl_library.cpp: finds the functions by name. A library that lacks one counts as absent.
#include "remote/curl_library.hpp"

#include <dlfcn.h>

#include <optional>
#include <string>
#include <type_traits>

namespace onepass::remote {
namespace {

std::optional<CurlLibrary> load_curl() {
  void* library = nullptr;
  for (const char* const name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {  // Debian has the second one for git
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) return {};
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, (std::string("curl_") + name).c_str()));
    return function != nullptr;
  };
  CurlLibrary found;
  const bool complete = find(found.global_init, "global_init") && find(found.easy_init, "easy_init") &&
                        find(found.easy_setopt, "easy_setopt") && find(found.easy_perform, "easy_perform") &&
                        find(found.easy_strerror, "easy_strerror") && find(found.easy_cleanup, "easy_cleanup") &&
                        find(found.slist_append, "slist_append") && find(found.slist_free_all, "slist_free_all");
  if (!complete || found.global_init(kCurlGlobalDefault) != curl_code::kOk) return {};
  return found;
}

}  // namespace

const CurlLibrary* find_curl() {
  static const std::optional<CurlLibrary> library = load_curl();  // never closed
  return library ? &*library : nullptr;
}

}  // namespace onepass::remote
