// control_groups.cpp: finds the groups of this process in versions 1 and 2 of cgroups, and reads their limits of memory
// and processors.
//
//     /proc/self/cgroup     0::/a/b             version 2: the group of this process, below the root of a mount
//                           7:memory:/a/b       version 1: one line per hierarchy, with its controllers
//     /proc/self/mountinfo  ... /a /sys/fs/cgroup rw - cgroup2 cgroup2 rw       the group /a is at /sys/fs/cgroup
//
// A limit of a group holds for all groups in it: the smallest one on the way up to the mount counts.
#include "cpu/control_groups.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace onepass::cpu {
namespace {

namespace fs = std::filesystem;

// The words of a text between separators.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(std::move(word));
  return words;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// mountinfo writes spaces and other characters as \040.
std::string unescaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool octal = text[i] == '\\' && i + 3 < text.size() && text.find_first_not_of("01234567", i + 1) > i + 3;
    out +=
        octal ? static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0')) : text[i];
    if (octal) i += 3;
  }
  return out;
}

// A group of this process: "" names the hierarchy of version 2.
struct Group {
  std::vector<std::string> controllers;
  std::string path;
};

std::vector<Group> groups_in(const fs::path& root) {
  std::vector<Group> groups;
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    groups.push_back({split(line.substr(first + 1, second - first - 1), ','), line.substr(second + 1)});
  }
  return groups;
}

struct Mount {
  std::string top;  // the group that is mounted
  std::string place;
  bool second = false;                   // version 2
  std::vector<std::string> controllers;  // of version 1
};

std::vector<Mount> mounts_in(const fs::path& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 5 || words.end() - dash < 4) continue;
    const std::string& type = dash[1];
    if (type != "cgroup" && type != "cgroup2") continue;
    mounts.push_back({unescaped(words[3]), unescaped(words[4]), type == "cgroup2", split(dash[3], ',')});
  }
  return mounts;
}

// The directories of a group and of those above it, as far as they are mounted.
std::vector<fs::path> directories_of(const fs::path& root, const Group& group, const Mount& mount) {
  const fs::path place = root / fs::path(mount.place).relative_path();
  // In a namespace of its own, a process may see the path of a group outside of what is mounted: the mount is then the
  // closest group that it can read.
  const std::string top = mount.top == "/" ? "" : mount.top;
  const bool inside = group.path == top || group.path.starts_with(top + "/");
  const bool outside = !inside || group.path.find("/..") != std::string::npos;
  fs::path below = outside ? fs::path() : fs::path(group.path.substr(top.size())).relative_path();
  std::vector<fs::path> directories;
  for (; !below.empty(); below = below.parent_path()) directories.push_back(place / below);
  directories.push_back(place);
  return directories;
}

// Numbers in a file; "max" and what is no number end them.
std::vector<double> numbers_in(const fs::path& path) {
  std::vector<double> numbers;
  std::ifstream file(path);
  for (double number = 0; file >> number;) numbers.push_back(number);
  return numbers;
}

template <typename T>
void lower(std::optional<T>& limit, T value) {
  if (!limit || value < *limit) limit = value;
}

void add_memory(const fs::path& file, ControlGroupLimits& limits) {
  const std::vector<double> bytes = numbers_in(file);
  constexpr double kNone = 0x1p62;  // version 1 writes about 2^63 for no limit
  if (!bytes.empty() && bytes[0] >= 0 && bytes[0] < kNone) lower(limits.memory, static_cast<uint64_t>(bytes[0]));
}

void add_quota(double quota, double period, ControlGroupLimits& limits) {
  if (quota > 0 && period > 0) lower(limits.processors, quota / period);
}

}  // namespace

ControlGroupLimits control_group_limits(const fs::path& root) {
  ControlGroupLimits limits;
  const std::vector<Mount> mounts = mounts_in(root);
  for (const Group& group : groups_in(root)) {
    const bool second = group.controllers.empty();
    const bool memory = second || contains(group.controllers, "memory");
    const bool processors = second || contains(group.controllers, "cpu");
    if (!memory && !processors) continue;
    for (const Mount& mount : mounts) {
      const bool same = mount.second == second && (second || contains(mount.controllers, group.controllers.front()));
      if (!same) continue;
      // A file of the other version does not exist and has no numbers. CPU limits are a quota and a period in
      // microseconds.
      for (const fs::path& directory : directories_of(root, group, mount)) {
        if (memory) {
          for (const char* name : {"memory.max", "memory.high", "memory.limit_in_bytes"}) {
            add_memory(directory / name, limits);
          }
        }
        if (!processors) continue;
        if (const auto both = numbers_in(directory / "cpu.max"); both.size() == 2) add_quota(both[0], both[1], limits);
        const auto quota = numbers_in(directory / "cpu.cfs_quota_us");
        const auto period = numbers_in(directory / "cpu.cfs_period_us");
        if (!quota.empty() && !period.empty()) add_quota(quota[0], period[0], limits);
      }
    }
  }
  return limits;
}

uint32_t threads_within(uint32_t processors, std::optional<double> quota) {
  double most = std::max(1U, processors);
  if (quota) most = std::min(most, std::ceil(*quota));
  return static_cast<uint32_t>(std::max(most, 1.0));
}

}  // namespace onepass::cpu
