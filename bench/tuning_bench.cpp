// tuning_bench.cpp: rows of vulkan::measure_tunings().
#include "tuning_bench.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "onepass/vulkan/tunings.hpp"

namespace onepass::bench {
namespace {

// {"groups": 128, "copies": 4} as "groups 128 copies 4", which a CSV file can hold.
std::string fields_of(std::string use) {
  std::erase_if(use, [](char c) { return std::string_view("{}\":,").find(c) != std::string_view::npos; });
  return use;
}

std::string name_of(const vulkan::MeasuredCase& one) {
  std::string name = "tuning/vulkan/" + one.technique + "/" + one.name;
  std::replace(name.begin(), name.end(), ' ', '/');
  return name;
}

}  // namespace

Result<void> report_tunings(const vulkan::Device& device, double seconds, Report& report) {
  auto measured = vulkan::measure_tunings(device, {.seconds = seconds});
  if (!measured) return measured.error();
  for (const vulkan::MeasuredCase& one : measured->cases) {
    Row row{.name = name_of(one),
            .engine = "vulkan",
            .format = {},
            .reduction = {},
            .footprint = {},
            .path = fields_of(one.use),
            .mode = "cold throughput",
            .times = {}};
    row.times.median = row.times.least = row.times.most = one.default_microseconds;
    row.reference = one.best_microseconds;
    report.add(row);
    std::printf("%8.3f %10.1f %10.1f  %s  %s\n", one.default_microseconds / one.best_microseconds,
                one.default_microseconds, one.best_microseconds, row.name.c_str(), row.path.c_str());
  }
  for (const std::string& note : measured->notes) std::printf("%s\n", note.c_str());
  return {};
}

}  // namespace onepass::bench
