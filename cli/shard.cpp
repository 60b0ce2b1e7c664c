// shard.cpp: parses I/N and auto/N, the latter by the variables of job schedulers.
#include "shard.hpp"
#include "usage.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>

namespace onepass::cli {
namespace {

constexpr const char* kIndexVariables[] = {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"};

// A whole number without sign and without further characters.
std::optional<uint32_t> number_of(std::string_view text) {
  uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || stop != end) return std::nullopt;
  return value;
}

// The index of the array job's task, by the variables that are set; two of them must agree.
Result<uint32_t> index_of_task(std::string_view text, uint32_t count) {
  const char* found = nullptr;
  uint32_t index = 0;
  for (const char* name : kIndexVariables) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const auto number = number_of(value);
    if (!number || *number >= count) {
      return usage(fmt::format("--shard {}: {} is '{}', not 0 to {}", text, name, value, count - 1));
    }
    if (found != nullptr && *number != index) {
      return usage(fmt::format("--shard {}: {} is {}, but {} is {}", text, found, index, name, *number));
    }
    if (found == nullptr) found = name;
    index = *number;
  }
  if (found != nullptr) return index;
  return usage(fmt::format("--shard {}: none of {}, {} and {} is set", text, kIndexVariables[0], kIndexVariables[1],
                           kIndexVariables[2]));
}

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  const size_t slash = text.find('/');
  const std::string_view left = text.substr(0, slash);
  const auto count = number_of(slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1));
  const auto index = number_of(left);
  if (!count || (!index && left != "auto")) {
    return usage(fmt::format("--shard: '{}' is not I/N or auto/N, for example 0/4", text));
  }
  if (*count == 0 || *count > kMostShards) {
    return usage(fmt::format("--shard {}: the number of shards is not 1 to {}", text, kMostShards));
  }
  if (!index) {
    const auto task = index_of_task(text, *count);
    if (!task) return task.error();
    return Shard{*task, *count};
  }
  if (*index >= *count) return usage(fmt::format("--shard {}: the index is not 0 to {}", text, *count - 1));
  return Shard{*index, *count};
}

}  // namespace onepass::cli
