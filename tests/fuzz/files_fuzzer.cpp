// files_fuzzer.cpp: libFuzzer's way into every reader. The last byte chooses the options; checksums of PNG chunks are
// set right, because guessing them would be all that the fuzzer does. By its name the file may be a TGA, which has no
// signature.
//
//     cmake --preset fuzz && cmake --build build/fuzz --target files_fuzzer files_fuzz_seeds
//     build/fuzz/tests/files_fuzz_seeds corpus
//     build/fuzz/tests/files_fuzzer -max_len=65536 -rss_limit_mb=4096 corpus
#include <cstddef>
#include <cstdint>

#include "files_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const uint8_t choice = size > 0 ? data[size - 1] : 0;
  onepass::files::ReadOptions options;
  options.color = static_cast<onepass::files::Color>(choice % 3);
  options.window = (choice & 0x10) != 0 ? onepass::files::Window::kDisplay : onepass::files::Window::kData;
  if ((choice & 0x20) != 0) options.channels = {"Z"};
  options.threads = 1;
  options.max_bytes = uint64_t{1} << 30;
  const auto input = std::as_bytes(std::span(data, size));
  files_test::Bytes bytes(input.begin(), input.end());
  files_test::repair_png_checksums(bytes);
  const auto file = onepass::files::read_memory(bytes, "fuzz.tga", options);
  if (!file) return 0;
  uint32_t sum = 0;
  for (const auto& level : file->levels) {
    for (size_t i = 0; i < level.size_in_bytes(); i += 61) sum += std::to_integer<uint32_t>(level.data()[i]);
  }
  return sum == 0xffffffff ? -1 : 0;  // uses the sum, so that the reads stay
}
