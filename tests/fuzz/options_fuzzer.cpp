// options_fuzzer.cpp: fuzzes the command line: each line of the input is an argument. The whole program runs in a
// deleted directory, where files can be neither found nor created, and '/' in arguments is replaced: it parses its
// options and then fails. main.cpp is compiled with its main() renamed to onepass_main().
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/fuzz/fuzz_input.hpp"

int onepass_main(int argc, char** argv);

// --max-memory would bound the fuzzer itself, for all inputs that follow.
extern "C" int setrlimit(__rlimit_resource_t /*resource*/, const rlimit* /*limits*/) noexcept { return 0; }

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  std::string name = "/tmp/onepass-fuzz-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr || ::chdir(name.c_str()) != 0 || ::rmdir(name.c_str()) != 0) {
    fuzz::fail("no directory to be deleted");
  }
  ::setenv("VK_ICD_FILENAMES", "none", 1);  // no device, and no time spent on a search
  ::setenv("VK_DRIVER_FILES", "none", 1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostArguments = 64;
  std::vector<std::string> arguments{"onepass", ""};
  for (size_t i = 0; i < size && arguments.size() < kMostArguments; ++i) {
    if (data[i] == '\n') {
      arguments.emplace_back();
    } else if (data[i] != 0) {
      arguments.back() += data[i] == '/' ? '_' : static_cast<char>(data[i]);
    }
  }
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const int status = onepass_main(static_cast<int>(arguments.size()), argv.data());
  if (status != 0 && status != 1 && status != 2) fuzz::fail("exit status " + std::to_string(status));
  return 0;
}
