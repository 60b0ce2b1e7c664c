// files_fuzz_seeds.cpp: writes the seed corpus of files_fuzzer: a small file of every kind.
#include <cstdio>

#include "files_support.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: files_fuzz_seeds DIRECTORY\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  for (const auto& [name, bytes] : files_test::seed_files())
    files_test::save(std::filesystem::path(argv[1]) / name, bytes);
  return 0;
}
