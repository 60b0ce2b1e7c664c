// workgroups.hpp: runs kernels in CUDA C++ on the host, to compare them with the CPU engine where there is no GPU.
// Every invocation of a workgroup has a stack of its own; a scheduler runs one invocation at a time until it waits for
// others. The order is random, so that a missing barrier shows as a wrong result.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace onepass::testing {

struct Workgroups {
  std::array<uint32_t, 3> count{1, 1, 1};
  uint32_t invocations = 256;  ///< Per workgroup; subgroups have 32.
  uint32_t seed = 1;           ///< Of the order in which invocations run.
};

/// Calls `kernel` in every invocation of every workgroup, one workgroup after the other, in random order. Returns what
/// would hang or be undefined on a device: barriers and shuffles that not all invocations reach; empty: none.
std::string run_workgroups(const Workgroups& workgroups, const std::function<void()>& kernel);

/// The calling invocation, for the prelude.
uint32_t running_invocation();
std::array<uint32_t, 3> running_group();
void wait_for_group();
void pause_invocation();  ///< Lets all others run first: for loops that poll for their results.
uint32_t shuffle_word(uint32_t value, uint32_t lane);
bool all_of_subgroup(bool value);

}  // namespace onepass::testing
