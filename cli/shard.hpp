// shard.hpp: the value of --shard: which part of a run this process makes.
//
//     3/20      shard 3 of 20, counted from 0
//     auto/20   the index comes from the array job that the process belongs to: SLURM_ARRAY_TASK_ID (Slurm),
//               JOB_COMPLETION_INDEX (Kubernetes Indexed Jobs) or AWS_BATCH_JOB_ARRAY_INDEX (AWS Batch)
#pragma once

#include <cstdint>
#include <string_view>

#include "onepass/result.hpp"

namespace onepass::cli {

inline constexpr uint32_t kMostShards = 1000000;

/// Shard `index` of `count`; 0/1 is the whole.
struct Shard {
  uint32_t index = 0;
  uint32_t count = 1;  ///< 1 to kMostShards.
};

/// Reads "I/N" with I from 0 to N-1, or "auto/N".
/// Errors: kInvalidArgument, naming --shard or the variable of the environment, and the value.
[[nodiscard]] Result<Shard> parse_shard(std::string_view text);

}  // namespace onepass::cli
