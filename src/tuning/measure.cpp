// measure.cpp: measure_tunings(): searches a tuning for every case within a time, and writes the rows of those that are
// faster than the default.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "tuning/experiments.hpp"
#include "tuning/texels.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSampleMicroseconds = 1500;  // of a timed sample at least; shorter techniques are recorded repeatedly
constexpr uint32_t kMostRepeats = 64;
constexpr double kWarmUpSeconds = 0.25;  // of a GPU, whose idle clocks are low
constexpr double kIdleSeconds = 0.02;    // after which a GPU counts as idle
constexpr double kLeastShare = 1;        // seconds of a case

double seconds_now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

/// Times runners by GPU timestamps, or by the clock of the host if the queue has none.
class RunnerTimer {
 public:
  explicit RunnerTimer(const Device& device) : device_(device), timestamps_(device.impl()) {}

  /// Chooses how often a sample repeats a technique.
  Result<void> prepare(const Runner& runner) {
    repeats_ = 1;
    auto time = sample(runner);
    if (!time) return time.error();
    repeats_ = std::clamp(static_cast<uint32_t>(kSampleMicroseconds / std::max(*time, 1.0)), 1U, kMostRepeats);
    return {};
  }

  /// Microseconds of one recording. A GPU that was idle, while pipelines were compiled, first works until its clocks
  /// are up.
  Result<double> sample(const Runner& runner) {
    const double begin = seconds_now();
    const bool idle = !device_.info().software && begin > last_end_ + kIdleSeconds;
    while (idle && seconds_now() < begin + kWarmUpSeconds) {
      if (auto ran = run(runner); !ran) return ran.error();
    }
    return run(runner);
  }

 private:
  Result<double> run(const Runner& runner) {
    const double begin = seconds_now();
    auto ran = device_.run([&](VkCommandBuffer commands) {
      timestamps_.around(commands, [&] {
        for (uint32_t i = 0; i < repeats_; ++i) {
          runner.record(commands, next_set_++ % runner.sets);
          record_barrier(device_.impl(), commands, kBetweenDispatches);
        }
      });
    });
    if (!ran) return ran.error();
    last_end_ = seconds_now();
    double time = timestamps_.microseconds();
    if (time <= 0) time = 1e6 * (last_end_ - begin);
    return time / repeats_;
  }

  const Device& device_;
  Timestamps timestamps_;
  double last_end_ = 0;  // of a sample, seconds
  uint32_t repeats_ = 1;
  size_t next_set_ = 0;
};

/// A measured case, for the rows of the text.
template <typename Tuning>
struct Measured {
  uint64_t texels = 0;
  std::vector<TuningCondition> when;
  Tuning use{};
};

bool same(const std::vector<TuningCondition>& a, const std::vector<TuningCondition>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TuningCondition& x, const TuningCondition& y) {
    return x.property == y.property && x.least == y.least && x.most == y.most;
  });
}

}  // namespace

TuningCondition texels_around(uint64_t texels, const std::vector<uint64_t>& others) {
  TuningCondition range{Property::kTexels, texels / 2 + 1, 2 * texels};
  for (const uint64_t other : others) {
    const auto middle = static_cast<uint64_t>(std::sqrt(static_cast<double>(other) * static_cast<double>(texels)));
    if (other < texels) range.least = std::max(range.least, middle + 1);
    if (other > texels) range.most = std::min(range.most, middle);
  }
  return range;
}

namespace {

template <typename Tuning>
void add_rows(const std::vector<Measured<Tuning>>& measured, Tunings& out) {
  auto& rows = std::get<std::vector<TuningRow<Tuning>>>(out.rows);
  for (const Measured<Tuning>& one : measured) {
    if (is_default(one.use)) continue;
    std::vector<uint64_t> others;  // that the row must leave out, also those whose default is the best
    for (const Measured<Tuning>& other : measured) {
      if (same(one.when, other.when)) others.push_back(other.texels);
    }
    TuningRow<Tuning> row{one.when, one.use};
    row.when.insert(row.when.begin(), texels_around(one.texels, others));
    rows.push_back(std::move(row));
  }
}

const MeterOptions& sized_options(const FrameToneMapOptions& options) { return options.meter; }
template <typename Options>
const Options& sized_options(const Options& options) {
  return options;
}

/// The measurement of all techniques that were asked for.
class Measurement {
 public:
  Measurement(const Device& device, const MeasureOptions& options)
      : device_(device), options_(options), timer_(device), begin_(seconds_now()) {}

  template <typename Tuning>
  [[nodiscard]] bool is_wanted() const {
    const auto& names = options_.techniques;
    return names.empty() || std::find(names.begin(), names.end(), Tuned<Tuning>::kName) != names.end();
  }

  /// Measures the cases of a technique until `share` of the time that is left has passed.
  template <typename Tuning>
  Result<void> measure(double share) {
    const double end = seconds_now() + share * std::max(0.0, begin_ + options_.seconds - seconds_now());
    const auto cases = experiments<Tuning>();
    std::vector<Measured<Tuning>> measured;
    for (size_t i = 0; i < cases.size(); ++i) {
      const double left = end - seconds_now();
      if (left <= 0 && (i > 0 || seconds_now() >= begin_ + options_.seconds)) {
        note<Tuning>(std::to_string(cases.size() - i) + " of " + std::to_string(cases.size()) +
                     " cases not measured: no time was left");
        break;
      }
      const double deadline = seconds_now() + std::max(kLeastShare, left / static_cast<double>(cases.size() - i));
      auto found = measure_case(cases[i], {deadline, end}, measured);
      if (!found && found.error().code == ErrorCode::kDeviceLost) return found.error();
      if (!found) note<Tuning>(cases[i].label + ": not measured: " + found.error().text());
    }
    add_rows(measured, tunings_);
    return {};
  }

  MeasuredTunings take() {
    tunings_.device = device_.info().name;
    tunings_.driver = device_.info().driver;
    report(1, {});
    out_.text = tunings_text({tunings_});
    return std::move(out_);
  }

 private:
  struct Times {
    double deadline, latest;
  };
  template <typename Tuning>
  Result<void> measure_case(const Experiment<Tuning>& experiment, const Times& times,
                            std::vector<Measured<Tuning>>& measured) {
    report((seconds_now() - begin_) / options_.seconds, std::string(Tuned<Tuning>::kName) + " " + experiment.label);
    auto make = open_experiment(device_, experiment);
    if (!make) return make.error();
    bool prepared = false;
    SearchTask<Tuning> task;
    task.asked = experiment.asked;
    task.axes = candidates(device_.impl(), experiment);
    task.make = *make;
    task.time = [&](const Runner& runner) -> Result<double> {
      if (!prepared) {
        if (auto warm = timer_.prepare(runner); !warm) return warm.error();
        prepared = true;
      }
      return timer_.sample(runner);
    };
    task.now = seconds_now;
    task.deadline = times.deadline;
    task.latest = times.latest;
    task.tolerance = experiment.tolerance;
    auto found = TuningSearch<Tuning>(task).run();
    device_.trim();  // the pipelines of the candidates
    if (!found) return found.error();
    for (const std::string& dropped : found->notes) note<Tuning>(experiment.label + ": " + dropped);
    if (found->default_us == 0) return {};
    const std::string use = is_default(found->use) ? std::string() : use_text(found->use);
    out_.cases.push_back({std::string(Tuned<Tuning>::kName), experiment.label, found->default_us, found->best_us, use});
    const TuningCase of = tuning_case(sized_options(experiment.options));
    measured.push_back({of[static_cast<size_t>(Property::kTexels)], experiment.when, found->use});
    return {};
  }

  template <typename Tuning>
  void note(const std::string& text) {
    out_.notes.push_back(std::string(Tuned<Tuning>::kName) + " " + text);
  }
  void report(double share, const std::string& text) const {
    if (options_.progress) options_.progress(std::min(share, 1.0), text);
  }

  const Device& device_;
  const MeasureOptions& options_;
  RunnerTimer timer_;
  double begin_ = 0;
  Tunings tunings_;
  MeasuredTunings out_;
};

template <typename Tuning>
struct Weight {
  double value;
};

// Techniques in the order of their measurement, with the weight of each in the division of the time.
constexpr std::tuple kOrder{Weight<TileReductionTuning>{1}, Weight<ToneMapTuning>{1}, Weight<MeterTuning>{1},
                            Weight<FrameToneMapTuning>{1},  Weight<PyramidTuning>{3}, Weight<TransformTuning>{4}};

template <typename Visit>
void for_each_weight(const Visit& visit) {
  std::apply([&](const auto&... each) { (visit(each), ...); }, kOrder);
}

Result<void> check_options(const Device& device, const MeasureOptions& options) {
  if (!device.impl().owned) return invalid("device: measure_tunings() needs a device from open()");
  // Its rows would count as the default, and a text without them would be slower.
  if (!device.impl().handles.tunings.empty()) return invalid("device: measure_tunings() needs one without tunings");
  if (!(options.seconds > 0) || options.seconds > 86400) {
    return invalid("seconds: " + std::to_string(options.seconds) + " is not above 0 and at most 86400");
  }
  for (const std::string& name : options.techniques) {
    bool known = false;
    std::string all;
    for_each_weight([&]<typename Tuning>(const Weight<Tuning>&) {
      known = known || name == Tuned<Tuning>::kName;
      all += (all.empty() ? "" : ", ") + std::string(Tuned<Tuning>::kName);
    });
    if (!known) return invalid("techniques: '" + name + "' is not one of " + all);
  }
  return {};
}

}  // namespace

Result<MeasuredTunings> measure_tunings(const Device& device, const MeasureOptions& options) {
  if (auto checked = check_options(device, options); !checked) return checked.error();
  Measurement measurement(device, options);
  double weights = 0;
  for_each_weight([&]<typename Tuning>(const Weight<Tuning>& weight) {
    if (measurement.is_wanted<Tuning>()) weights += weight.value;
  });
  Result<void> done;
  for_each_weight([&]<typename Tuning>(const Weight<Tuning>& weight) {
    if (!done || !measurement.is_wanted<Tuning>()) return;
    done = measurement.measure<Tuning>(weight.value / weights);
    weights -= weight.value;
  });
  if (!done) return done.error();
  return measurement.take();
}

}  // namespace onepass::vulkan
