// range_reader.hpp: bytes of an input that is no file of this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "onepass/result.hpp"

namespace onepass::files {

class RangeReader {
 public:
  virtual ~RangeReader() = default;

  /// Copies out.size() bytes at `offset`. After the first failure all calls fail, so that no reader takes a part of the
  /// input for the whole. Threads: any number of calls at once.
  virtual Result<void> read(uint64_t offset, std::span<std::byte> out) = 0;

  /// The first failure.
  [[nodiscard]] virtual Error failure() const = 0;
};

}  // namespace onepass::files
