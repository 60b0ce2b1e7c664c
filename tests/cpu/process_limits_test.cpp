// process_limits_test.cpp: limits of control groups in directories that look like those of Linux, and the process's
// own.
#include "onepass/process_limits.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cpu/control_groups.hpp"

namespace {

using onepass::cpu::control_group_limits;

constexpr uint64_t kMiB = uint64_t{1} << 20;

class ProcessLimits : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "onepass-limits-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  // A mount of version 2 of the group `top`, and the group of the process.
  void second(const std::string& top, const std::string& group) const {
    write("proc/self/cgroup", "0::" + group + "\n");
    write("proc/self/mountinfo",
          "24 30 0:22 / /proc rw,nosuid - proc proc rw\n"
          "31 24 0:27 " +
              top + " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  }

  std::filesystem::path root_;
};

TEST_F(ProcessLimits, NothingIsLimitedWithoutControlGroups) {
  const auto limits = control_group_limits(root_);
  EXPECT_FALSE(limits.memory);
  EXPECT_FALSE(limits.processors);
}

TEST_F(ProcessLimits, TheSmallestLimitOfAllGroupsAboveCounts) {
  second("/", "/system.slice/job.service/step");
  write("sys/fs/cgroup/system.slice/job.service/step/memory.max", "max\n");
  write("sys/fs/cgroup/system.slice/job.service/step/cpu.max", "max 100000\n");
  EXPECT_FALSE(control_group_limits(root_).memory);
  EXPECT_FALSE(control_group_limits(root_).processors);
  write("sys/fs/cgroup/system.slice/job.service/memory.max", std::to_string(300 * kMiB) + "\n");
  write("sys/fs/cgroup/system.slice/memory.max", std::to_string(900 * kMiB) + "\n");
  write("sys/fs/cgroup/system.slice/cpu.max", "250000 100000\n");
  write("sys/fs/cgroup/other/memory.max", "4096\n");
  EXPECT_EQ(control_group_limits(root_).memory, 300 * kMiB);
  EXPECT_EQ(control_group_limits(root_).processors, 2.5);
  write("sys/fs/cgroup/system.slice/memory.max", std::to_string(200 * kMiB) + "\n");
  write("sys/fs/cgroup/system.slice/job.service/step/cpu.max", "50000 100000\n");
  EXPECT_EQ(control_group_limits(root_).memory, 200 * kMiB);
  EXPECT_EQ(control_group_limits(root_).processors, 0.5);
  write("sys/fs/cgroup/system.slice/job.service/memory.high", std::to_string(100 * kMiB) + "\n");
  EXPECT_EQ(control_group_limits(root_).memory, 100 * kMiB);
  write("sys/fs/cgroup/memory.max", "1048576\n");  // a container sees the limit at its root
  EXPECT_EQ(control_group_limits(root_).memory, kMiB);
}

TEST_F(ProcessLimits, MountsMayShowAPartOfTheGroups) {
  second("/docker/abc", "/docker/abc/step");
  write("sys/fs/cgroup/step/memory.max", "8388608\n");
  EXPECT_EQ(control_group_limits(root_).memory, 8 * kMiB);
  // A namespace: the path of the process is outside of what is mounted.
  second("/", "/../elsewhere");
  write("sys/fs/cgroup/memory.max", "4194304\n");
  EXPECT_EQ(control_group_limits(root_).memory, 4 * kMiB);
  second("/docker/abcdef", "/docker/abc");
  EXPECT_EQ(control_group_limits(root_).memory, 4 * kMiB);
}

TEST_F(ProcessLimits, VersionOneHasOneHierarchyPerController) {
  write("proc/self/cgroup",
        "11:memory:/slurm/job_7/step_0\n8:cpu,cpuacct:/slurm/job_7\n4:freezer:/\n1:name=systemd:/init\n0::/\n");
  write("proc/self/mountinfo",
        "40 30 0:30 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"
        "41 30 0:31 / /sys/fs/cgroup/cpu\\040all rw shared:10 - cgroup cgroup rw,cpu,cpuacct\n"
        "42 30 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup/memory/slurm/job_7/step_0/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/cpu all/slurm/job_7/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu all/slurm/job_7/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(control_group_limits(root_).memory);
  EXPECT_FALSE(control_group_limits(root_).processors);
  write("sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes", "314572800\n");
  write("sys/fs/cgroup/cpu all/slurm/cpu.cfs_quota_us", "150000\n");
  write("sys/fs/cgroup/cpu all/slurm/cpu.cfs_period_us", "50000\n");
  write("sys/fs/cgroup/cpu all/slurm/memory.limit_in_bytes", "1\n");  // not the hierarchy of memory
  EXPECT_EQ(control_group_limits(root_).memory, 300 * kMiB);
  EXPECT_EQ(control_group_limits(root_).processors, 3.0);
}

TEST_F(ProcessLimits, DamagedFilesLimitNothing) {
  second("/", "/a");
  write("proc/self/cgroup", "::\nx\n0:\n0::/a\n");
  write("sys/fs/cgroup/a/memory.max", "many\n");
  write("sys/fs/cgroup/a/cpu.max", "100000\n");
  write("sys/fs/cgroup/cpu.max", "0 0\n");
  EXPECT_FALSE(control_group_limits(root_).memory);
  EXPECT_FALSE(control_group_limits(root_).processors);
}

TEST_F(ProcessLimits, QuotasAreRoundedUpToWholeThreads) {
  using onepass::cpu::threads_within;
  EXPECT_EQ(threads_within(8, std::nullopt), 8U);
  EXPECT_EQ(threads_within(8, 2.0), 2U);
  EXPECT_EQ(threads_within(8, 2.01), 3U);
  EXPECT_EQ(threads_within(8, 0.2), 1U);
  EXPECT_EQ(threads_within(8, 0.0), 1U);
  EXPECT_EQ(threads_within(8, 64.0), 8U);
  EXPECT_EQ(threads_within(8, 1e300), 8U);
  EXPECT_EQ(threads_within(0, std::nullopt), 1U);
}

TEST_F(ProcessLimits, TheMemoryLimitIsThatOfTheProcess) {
  EXPECT_EQ(onepass::memory_limit(), control_group_limits("/").memory);
}

TEST_F(ProcessLimits, ThreadsFollowTheAffinityMask) {
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_GE(onepass::usable_threads(), 1U);
  EXPECT_LE(onepass::usable_threads(), static_cast<uint32_t>(CPU_COUNT(&all)));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(onepass::usable_threads(), 1U);
  ::sched_setaffinity(0, sizeof all, &all);
}

}  // namespace
