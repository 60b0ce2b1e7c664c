// test_seed.hpp: the seed of a test program's random numbers: ONEPASS_SEED, or a new one in every run. A test that
// fails prints the command that repeats it.
#pragma once

#include <errno.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>

namespace onepass::testing {

/// Prints, after each test that failed, how to run it with the same random numbers.
class SeedPrinter : public ::testing::EmptyTestEventListener {
 public:
  explicit SeedPrinter(uint32_t seed) : seed_(seed) {}

 private:
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    std::printf("repeat: ONEPASS_SEED=%u %s --gtest_filter=%s.%s\n", seed_, program_invocation_name,
                test.test_suite_name(), test.name());
    std::fflush(stdout);
  }

  uint32_t seed_;
};

/// Prints `seed`, in case the program does not survive, and again after every test that fails.
inline uint32_t announced(uint32_t seed) {
  std::printf("ONEPASS_SEED=%u\n", seed);
  ::testing::UnitTest::GetInstance()->listeners().Append(new SeedPrinter(seed));
  return seed;
}

/// ONEPASS_SEED, if it is set.
inline std::optional<uint32_t> given_seed() {
  const char* text = std::getenv("ONEPASS_SEED");
  if (text == nullptr || *text == '\0') return std::nullopt;
  return static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

/// The seed of this run: the same for all tests of a program, so that one number repeats each of them.
inline uint32_t random_seed() {
  static const uint32_t seed = announced(given_seed().value_or(std::random_device()()));
  return seed;
}

/// For tests with the same random numbers in every run: `fixed`, unless ONEPASS_SEED is set.
inline uint32_t seed_or(uint32_t fixed) { return given_seed() ? random_seed() : fixed; }

}  // namespace onepass::testing
