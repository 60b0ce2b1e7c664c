// enumerators.hpp: the enumerators of options, for loops of tests: a new one is tested without a change there.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>

#include "onepass/words.hpp"

namespace onepass::testing {

/// All enumerators, in the order of their numbers.
template <typename Enum>
constexpr auto all_enumerators() {
  std::array<Enum, std::size(kWords<Enum>)> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Enum>(i);
  return all;
}

/// All enumerators but those named.
template <auto kFirst, decltype(kFirst)... kOthers>
constexpr auto enumerators_without() {
  using Enum = decltype(kFirst);
  std::array<Enum, std::size(kWords<Enum>) - 1 - sizeof...(kOthers)> some{};
  size_t count = 0;
  for (const Enum one : all_enumerators<Enum>()) {
    if (one != kFirst && (... && (one != kOthers))) some[count++] = one;
  }
  return some;
}

}  // namespace onepass::testing
