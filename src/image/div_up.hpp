// div_up.hpp: integer division that rounds up.
#pragma once

#include <concepts>
#include <type_traits>

namespace onepass {

/// The number of parts of size `b` that hold `a`. a + b - 1 must not overflow.
template <std::integral A, std::integral B>
constexpr auto div_up(A a, B b) {
  using T = std::common_type_t<A, B>;
  return (static_cast<T>(a) + static_cast<T>(b) - 1) / static_cast<T>(b);
}

/// The least multiple of `b` that is not below `a`. The same limit.
template <std::integral A, std::integral B>
constexpr auto round_up(A a, B b) {
  return div_up(a, b) * static_cast<std::common_type_t<A, B>>(b);
}

}  // namespace onepass
