// tunings_fuzzer.cpp: fuzzes texts of tunings: they are refused with a message, or read, written and read again.
#include "tests/fuzz/fuzz_input.hpp"
#include "vulkan/tunings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace onepass;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = vulkan::parse_tunings(text);
  if (!read) {
    const std::string& message = read.error().message;
    if (!message.starts_with("tunings: ") || message.size() > 2000) fuzz::fail("message: " + message);
    return 0;
  }
  const std::string written = vulkan::tunings_text(*read);
  const auto again = vulkan::parse_tunings(written);
  if (!again) fuzz::fail(again.error().message + " in " + written);
  if (vulkan::tunings_text(*again) != written) fuzz::fail("read again it differs: " + written);
  return 0;
}
