// cpu_stream.hpp: StreamLevels: makes the levels of a pyramid from rows of the base that arrive in order.
#pragma once

#include <cstddef>
#include <memory>

#include "cpu/workers.hpp"
#include "onepass/pyramid_stream.hpp"

namespace onepass::cpu {

inline constexpr uint32_t kStreamBatch = 64;       ///< Rows of the base that are reduced at once.
inline constexpr uint32_t kStreamStageLevels = 3;  ///< Levels between two levels whose rows are kept unrounded.

class StreamLevels {
 public:
  virtual ~StreamLevels() = default;

  /// Takes `count` rows, at most kStreamBatch, that remain valid until keep(), and passes the rows that they complete
  /// to the sink. Returns the sink's error. May throw std::bad_alloc.
  virtual Result<void> take(const std::byte* rows, size_t row_stride, uint32_t count) = 0;

  /// Copies the rows that later rows of levels need.
  virtual void keep() = 0;
};

/// Reductions of numbers: cpu_stream_levels.cpp. `part` has been checked, its last_level and rows are not 0, and it
/// outlives the result. May throw std::bad_alloc.
std::unique_ptr<StreamLevels> make_stream_levels(const PyramidOptions& options, const PyramidPlan& plan,
                                                 Workers& workers, const LevelSink& sink, const StreamPart& part);

/// Bytes of an unrounded row of `width` texels. Labels have no unrounded form: such a row is one of the level.
size_t unrounded_row_bytes(const PyramidOptions& options, uint32_t width);

/// Reduction::kMode: cpu_mode.cpp. `part` as above. May throw std::bad_alloc.
std::unique_ptr<StreamLevels> make_mode_stream(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers,
                                               const LevelSink& sink, const StreamPart& part);

}  // namespace onepass::cpu
