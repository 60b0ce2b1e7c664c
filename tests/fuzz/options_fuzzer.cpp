// options_fuzzer.cpp: libFuzzer's way into the command line: the input is lines, an argument each. The whole program
// runs, in a directory that has been deleted, where no file can be found or made, and without '/' in arguments: what it
// does is read its options, and then fail. main.cpp is compiled with its main() under the name onepass_main().
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "fuzz_input.hpp"

int onepass_main(int argc, char** argv);

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  std::string name = "/tmp/onepass-fuzz-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr || ::chdir(name.c_str()) != 0 || ::rmdir(name.c_str()) != 0) {
    fuzz::fail("no directory to be deleted");
  }
  ::setenv("VK_ICD_FILENAMES", "none", 1);  // no device, and no time spent to find one
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
