// tiff_handle.cpp: opens libtiff with callbacks that copy the first error and warning into fixed buffers. libjpeg
// invents pixels for damaged data and only warns: such a warning counts as an error.
#include "files/tiff_handle.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>

#include "files/readers.hpp"

namespace onepass::files {
namespace {

int close_nothing(thandle_t /*client*/) { return 0; }

// Replaces numbers that no file has: sizes and counts of damaged files, which libtiff prints after they have wrapped
// around.
std::string without_huge_numbers(const std::string& text) {
  constexpr size_t kMostDigits = 15;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t digits = std::min(text.find_first_not_of("0123456789", at), text.size()) - at;
    if (digits > kMostDigits) {
      out += "(an impossible number)";
    } else {
      out += text.substr(at, std::max<size_t>(digits, 1));
    }
    at += std::max<size_t>(digits, 1);
  }
  return out;
}

}  // namespace

std::string TiffMessages::text(const Text& text) {
  std::string out(text.data());
  for (char& c : out) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  out = without_huge_numbers(out);
  out = printable(out, out.size());
  while (!out.empty() && (out.back() == '.' || out.back() == '!' || out.back() == ' ')) out.pop_back();
  return out.empty() ? "damaged" : out;
}

void TiffMessages::clear() {
  error_ = {};
  warning_ = {};
  made_up_ = false;
}

int TiffMessages::on_error(TIFF* /*tiff*/, void* self, const char* /*module*/, const char* format, va_list arguments) {
  Text& text = static_cast<TiffMessages*>(self)->error_;
  if (text[0] == '\0') std::vsnprintf(text.data(), text.size(), format, arguments);
  return 1;  // no other handler is called
}

int TiffMessages::on_warning(TIFF* /*tiff*/, void* self, const char* module, const char* format, va_list arguments) {
  auto* messages = static_cast<TiffMessages*>(self);
  Text text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  const bool jpeg = module != nullptr && std::strcmp(module, "JPEGLib") == 0;
  if (jpeg && std::strstr(text.data(), "extraneous bytes") == nullptr) {
    messages->made_up_ = true;
    if (messages->error_[0] == '\0') messages->error_ = text;
  } else if (messages->warning_[0] == '\0') {
    messages->warning_ = text;
  }
  return 1;
}

TiffHandle open_tiff(const TiffClient& client, const char* mode, uint64_t largest, TiffMessages& messages) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(TIFFOpenOptionsAlloc(),
                                                                                 &TIFFOpenOptionsFree);
  if (!options) throw std::bad_alloc();
  constexpr uint64_t kMost = std::numeric_limits<tmsize_t>::max();
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(std::clamp<uint64_t>(largest, 1, kMost)));
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &TiffMessages::on_error, &messages);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &TiffMessages::on_warning, &messages);
  return TiffHandle(TIFFClientOpenExt("TIFF", mode, client.data, client.read, client.write, client.seek, &close_nothing,
                                      client.size, client.map, client.unmap, options.get()));
}

}  // namespace onepass::files
