// bindings.hpp: bindings of the C interface, of every device: each stores which technique made it.
#pragma once

#include "c_api/abi.hpp"

namespace onepass::c_api {

/// Identifies a technique by the address of its plan, which lives as long as its bindings.
template <typename Technique>
const void* identity(const Technique& technique) {
  return &technique.object.plan();
}

/// Runs `bind`, which returns Result<C++ binding>, and moves the binding into a new Handle that stores its owner.
template <typename Handle, typename Technique, typename Bind>
onepass_code make_binding(Handle** out, onepass_error* error, const Technique* technique, const char* name,
                          const Bind& bind) noexcept {
  using Made = decltype(bind());
  const onepass_code code = make_handle(out, error, [&]() -> Made {
    if (auto there = require(technique, name); !there) return there.error();
    return bind();
  });
  if (code == ONEPASS_OK) (*out)->owner = identity(*technique);
  return code;
}

}  // namespace onepass::c_api
