// workgroups.cpp: the scheduler. An invocation runs on a stack of its own (ucontext) until it ends, or waits: for its
// workgroup at a barrier, for its subgroup at a shuffle, or for others' results in a loop that polls.
#include "tests/cuda/workgroups.hpp"

#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace onepass::testing {
namespace {

constexpr size_t kStackBytes = size_t{256} << 10;
constexpr uint32_t kSubgroup = 32;
constexpr uint32_t kNoValue = 0x7FC0DEADU;  // of an invocation that is not at the shuffle: as a float, NaN

enum class State { kReady, kAtBarrier, kAtShuffle, kPolling, kDone };

struct Invocation {
  ucontext_t context{};
  std::unique_ptr<std::byte[]> stack;
  State state = State::kReady;
  uint32_t given = 0;  // to a shuffle
};

/// A workgroup that is running. One per process: makecontext() passes no pointers.
struct Group {
  std::vector<Invocation> invocations;
  ucontext_t scheduler{};
  const std::function<void()>* kernel = nullptr;
  std::array<uint32_t, 3> group{};
  uint32_t running = 0;
  std::array<uint32_t, kSubgroup> taken{};  // the values of a shuffle, of the subgroup that runs
  std::string error;
};
Group* current = nullptr;

void run_invocation() {
  (*current->kernel)();
  current->invocations[current->running].state = State::kDone;
}

void wait(State state) {
  Invocation& self = current->invocations[current->running];
  self.state = state;
  swapcontext(&self.context, &current->scheduler);
}

void start(Invocation& invocation) {
  getcontext(&invocation.context);
  if (!invocation.stack) invocation.stack.reset(new std::byte[kStackBytes]);
  invocation.context.uc_stack.ss_sp = invocation.stack.get();
  invocation.context.uc_stack.ss_size = kStackBytes;
  invocation.context.uc_link = &current->scheduler;
  invocation.state = State::kReady;
  makecontext(&invocation.context, run_invocation, 0);
}

/// Runs the invocations of a subgroup until each has ended or waits for the workgroup. While one polls, a shuffle waits
/// for it.
void run_subgroup(uint32_t first, std::mt19937& random) {
  Group& group = *current;
  const auto size = std::min<uint32_t>(kSubgroup, static_cast<uint32_t>(group.invocations.size()) - first);
  std::vector<uint32_t> order(size);
  for (uint32_t i = 0; i < size; ++i) order[i] = first + i;
  for (bool shuffled = true; shuffled;) {
    shuffled = false;
    std::shuffle(order.begin(), order.end(), random);
    for (const uint32_t index : order) {
      Invocation& one = group.invocations[index];
      if (one.state != State::kReady) continue;
      group.running = index;
      swapcontext(&group.scheduler, &one.context);
    }
    const auto polls = [&](uint32_t index) { return group.invocations[index].state == State::kPolling; };
    if (std::any_of(order.begin(), order.end(), polls)) return;
    group.taken.fill(kNoValue);
    for (const uint32_t index : order) {
      Invocation& one = group.invocations[index];
      if (one.state != State::kAtShuffle) continue;
      group.taken[index - first] = one.given;
      shuffled = true;
    }
    for (const uint32_t index : order) {
      Invocation& one = group.invocations[index];
      if (shuffled && one.state == State::kAtShuffle) one.state = State::kReady;
      // Masks of all invocations, as the prelude's shuffles have, need all of them.
      if (shuffled && one.state != State::kReady && group.error.empty()) {
        group.error = "invocation " + std::to_string(index) + " is not at the shuffle of its subgroup";
      }
    }
    // All invocations read the values before the next shuffle replaces them: they run until they wait again.
  }
}

void run_group(std::mt19937& random) {
  Group& group = *current;
  for (Invocation& one : group.invocations) start(one);
  std::vector<uint32_t> firsts;
  for (uint32_t i = 0; i < group.invocations.size(); i += kSubgroup) firsts.push_back(i);
  const auto count = [&](State state) {
    return std::count_if(group.invocations.begin(), group.invocations.end(),
                         [state](const Invocation& one) { return one.state == state; });
  };
  while (group.error.empty()) {
    std::shuffle(firsts.begin(), firsts.end(), random);
    for (const uint32_t first : firsts) run_subgroup(first, random);
    if (count(State::kPolling) != 0) {
      for (Invocation& one : group.invocations) {
        if (one.state == State::kPolling) one.state = State::kReady;
      }
      continue;
    }
    const auto waiting = count(State::kAtBarrier);
    if (waiting == 0) return;
    if (count(State::kDone) != 0) {
      group.error = std::to_string(waiting) + " invocations wait at a barrier, the others have ended";
      return;
    }
    for (Invocation& one : group.invocations) one.state = State::kReady;
  }
}

}  // namespace

std::string run_workgroups(const Workgroups& workgroups, const std::function<void()>& kernel) {
  Group group;
  group.invocations = std::vector<Invocation>(workgroups.invocations);
  group.kernel = &kernel;
  current = &group;
  std::mt19937 random(workgroups.seed);
  std::vector<std::array<uint32_t, 3>> groups;
  for (uint32_t z = 0; z < workgroups.count[2]; ++z) {
    for (uint32_t y = 0; y < workgroups.count[1]; ++y) {
      for (uint32_t x = 0; x < workgroups.count[0]; ++x) groups.push_back({x, y, z});
    }
  }
  std::shuffle(groups.begin(), groups.end(), random);
  for (const auto& index : groups) {
    group.group = index;
    run_group(random);
    if (!group.error.empty()) break;
  }
  current = nullptr;
  return group.error;
}

uint32_t running_invocation() { return current->running; }
std::array<uint32_t, 3> running_group() { return current->group; }
void wait_for_group() { wait(State::kAtBarrier); }
void pause_invocation() { wait(State::kPolling); }

uint32_t shuffle_word(uint32_t value, uint32_t lane) {
  current->invocations[current->running].given = value;
  wait(State::kAtShuffle);
  return current->taken[lane % kSubgroup];
}

bool all_of_subgroup(bool value) {
  current->invocations[current->running].given = value ? 1U : 0U;
  wait(State::kAtShuffle);
  return std::all_of(current->taken.begin(), current->taken.end(), [](uint32_t one) { return one == 1U; });
}

}  // namespace onepass::testing
