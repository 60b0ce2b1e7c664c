// read_fuzzer.cpp: fuzzes the reader of the type ONEPASS_FUZZ_TYPE (kPng, ...). The last byte of the input selects the
// options. PNG checksums are corrected, because the fuzzer would otherwise only try to guess them.
#include "tests/files/files_support.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using namespace onepass::files;

constexpr Type kType = Type::ONEPASS_FUZZ_TYPE;

// 64 MiB: large images are read, larger ones must be refused, or libFuzzer's own memory limit reports them.
constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

ReadOptions options_of(uint8_t choice) {
  ReadOptions options{.max_bytes = kMaxBytes, .threads = 1};
  options.color = static_cast<Color>(choice % 3);
  options.window = (choice & 0x10) != 0 ? Window::kDisplay : Window::kData;
  if ((choice & 0x80) != 0) options.max_bytes = uint64_t{1} << 19;
  if (kType != Type::kExr) return options;
  if ((choice & 0x20) != 0) options.channels = {"Z"};
  if ((choice & 0x60) == 0x60) options.channels = {"B", "id"};
  if ((choice & 0x40) != 0) options.part = (choice & 0x20) != 0 ? "1" : "depth";
  if ((choice & 0x0c) == 0x0c) options.threads = 2;
  return options;
}

void check(const ImageFile& file) {
  if (file.levels.empty()) fuzz::fail("no levels");
  const onepass::Image& base = file.levels.front();
  uint32_t sum = 0;
  uint64_t bytes = 0;
  for (size_t n = 0; n < file.levels.size(); ++n) {
    const onepass::Image& level = file.levels[n];
    const onepass::Extent size{std::max(1U, base.size().width >> n), std::max(1U, base.size().height >> n)};
    if (level.format() != base.format() || level.slices() != base.slices()) fuzz::fail("levels differ");
    if (level.size() != size) fuzz::fail("sizes of levels do not halve");
    bytes += level.size_in_bytes();
    for (size_t i = 0; i < level.size_in_bytes(); i += 61) sum += std::to_integer<uint32_t>(level.data()[i]);
  }
  if (bytes > kMaxBytes) fuzz::fail("more pixels than memory allowed");
  if (sum == 0xffffffff) std::fputs("", stderr);  // uses the sum, so that the compiler keeps the reads
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto input = std::as_bytes(std::span(data, size - 1));
  const Type type = type_of_content(input);
  if (type != kType && type != Type::kUnknown) return 0;  // tested by another target
  files_test::Bytes bytes(input.begin(), input.end());
  files_test::repair_png_checksums(bytes);
  const auto file = read_memory(bytes, "fuzz." + std::string(ONEPASS_FUZZ_EXTENSION), options_of(data[size - 1]));
  if (file) {
    check(*file);
  } else if (file.error().message.empty() || file.error().context.empty()) {
    fuzz::fail("an error that says nothing");
  }
  return 0;
}
