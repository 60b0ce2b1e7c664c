// report.cpp: a row is written as soon as it is added, so that an interrupted run keeps its results; comment lines
// describe the machine.
#include "report.hpp"

#include <ctime>
#include <iomanip>
#include <sstream>
#include <thread>

#include "levels.hpp"

namespace onepass::bench {
namespace {

constexpr const char* kColumns =
    "name,engine,format,width,height,slices,reduction,footprint,path,mode,median_us,min_us,max_us,bytes,gb_per_s,"
    "reference_us,ratio,threads,ratio_min,ratio_max";

// A number with four significant digits, six from 1000 up; empty for 0.
std::string number(double value) {
  if (value == 0) return {};
  std::ostringstream text;
  text << std::setprecision(value >= 1000 ? 6 : 4) << value;
  return text.str();
}

}  // namespace

double Row::gigabytes_per_second() const {
  return times.median > 0 ? static_cast<double>(bytes) / times.median * 1e-3 : 0;
}

double Row::ratio() const {
  if (ratios.median > 0) return ratios.median;
  return reference > 0 ? times.median / reference : 0;
}

std::string cpu_description() {
  std::ifstream info("/proc/cpuinfo");
  std::string model = "unknown CPU";
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      model = line.substr(colon + 2);
      break;
    }
  }
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[16] = {};
  std::strftime(text, sizeof(text), "%Y-%m-%d", &utc);
  return text;
}

Result<void> Report::open(const std::string& path, const Machine& machine) {
  path_ = path;
  file_.open(path);
  if (!file_) return Error{ErrorCode::kIo, "cannot be written", path};
  file_ << "# onepass-bench: medians, microseconds; gb_per_s is bytes over median; ratio is median over reference_us,\n"
           "# which was measured alternately with it: speed of light, for tile reductions read_only, for transforms a "
           "copy of the same bytes (vulkan), memcpy of the same bytes (cpu), or for peers this library's technique.\n"
        << "# cpu: " << machine.cpu << "\n";
  if (!machine.gpu.empty()) file_ << "# gpu: " << machine.gpu << "\n# driver: " << machine.driver << "\n";
  file_ << "# commit: " << machine.commit << "\n# date: " << machine.date << "\n# seed: " << run_seed() << "\n"
        << kColumns << "\n";
  return {};
}

void Report::add(const Row& row) {
  if (!file_.is_open()) return;
  file_ << row.name << ',' << row.engine << ',' << row.format << ',' << row.width << ',' << row.height << ','
        << row.slices << ',' << row.reduction << ',' << row.footprint << ',' << row.path << ',' << row.mode << ','
        << number(row.times.median) << ',' << number(row.times.least) << ',' << number(row.times.most) << ','
        << row.bytes << ',' << number(row.gigabytes_per_second()) << ',' << number(row.reference) << ','
        << number(row.ratio()) << ',' << row.threads << ',' << number(row.ratios.least) << ','
        << number(row.ratios.most) << std::endl;
}

Result<void> Report::close() {
  if (!file_.is_open()) return {};
  file_.close();
  if (!file_) return Error{ErrorCode::kIo, "could not be written to the end", path_};
  return {};
}

}  // namespace onepass::bench
