// unit_batch.cpp: exceptions of a unit become errors of that unit.
//
// Several threads make units in the order in which they are admitted. The calling thread alone prints: it waits for the
// outcomes in the order of the units. One unit at a time is made on the calling thread.
#include "unit_batch.hpp"

#include <fmt/core.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "elapsed.hpp"
#include "onepass/process_limits.hpp"
#include "system.hpp"

namespace onepass::cli {
namespace {

// A lack of memory names a file, if only the unit's first input.
Result<UnitOutcome> make_one(const UnitMaker& make, const Unit& unit, UnitShare& share) {
  try {
    if (auto good = check_directory(unit); !good) return good.error();
    auto outcome = make(unit, share);
    const bool named = outcome || outcome.error().code != ErrorCode::kOutOfMemory || !outcome.error().context.empty();
    if (named) return outcome;
    return Error{outcome.error().code, outcome.error().message, unit.inputs.front()};
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "out of memory (see --max-memory)", unit.inputs.front()};
  } catch (const std::exception& exception) {  // if threads cannot be created, for example
    return Error{ErrorCode::kOutOfMemory, exception.what(), unit.inputs.front()};
  }
}

// The threads of a batch that makes several units at once.
class BatchThreads {
 public:
  BatchThreads(std::span<const Unit> units, const AdmissionLimits& limits, const UnitMaker& make)
      : units_(units), make_(make), admission_(units, limits), outcomes_(units.size()), dropped_(units.size()) {
    const size_t count = most_at_once(units.size(), limits);
    threads_.reserve(count);
    try {
      while (count > 1 && threads_.size() < count) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // a limit on threads or memory: those that exist do all the work
    }
  }
  BatchThreads(const BatchThreads&) = delete;
  BatchThreads& operator=(const BatchThreads&) = delete;
  ~BatchThreads() { admission_.stop(); }

  /// Blocks until unit number `i` is made. `threads`: for a unit that the calling thread makes.
  Result<UnitOutcome> take(size_t i, uint32_t threads) {
    if (threads_.empty()) {
      UnitShare all(threads);
      return make_one(make_, units_[i], all);
    }
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return outcomes_[i].has_value() || dropped_[i] != 0; });
    if (!outcomes_[i])
      return Error{ErrorCode::kOutOfMemory, "out of memory (see --max-memory)", units_[i].inputs.front()};
    Result<UnitOutcome> outcome = std::move(*outcomes_[i]);
    outcomes_[i].reset();
    return outcome;
  }

 private:
  void work() {
    for (;;) {
      UnitShare share;
      const size_t i = admission_.begin(share);
      if (i == units_.size()) return;
      try {
        auto outcome = make_one(make_, units_[i], share);
        while (!outcome && outcome.error().code == ErrorCode::kOutOfMemory && admission_.begin_alone(share)) {
          outcome = make_one(make_, units_[i], share);
        }
        const std::lock_guard lock(mutex_);
        outcomes_[i] = std::move(outcome);
      } catch (...) {  // no memory even for an error's text
        const std::lock_guard lock(mutex_);
        dropped_[i] = 1;
      }
      admission_.end(share);
      ended_.notify_all();
    }
  }

  std::span<const Unit> units_;
  const UnitMaker& make_;
  Admission admission_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<std::optional<Result<UnitOutcome>>> outcomes_;
  std::vector<char> dropped_;          // units without an outcome
  std::vector<std::jthread> threads_;  // destroyed first
};

}  // namespace

void use_share(UnitShare& share, Request& request, EngineChoice& engine) {
  const auto use_threads = [&] {
    request.threads = share.threads();
    engine.set_threads(share.threads());
  };
  use_threads();
  request.before_allocation = [&, use_threads](uint64_t bytes) {
    share.need_memory(bytes);
    use_threads();
  };
}

void use_share(UnitShare& share, Request& request) {
  request.threads = share.threads();
  request.before_allocation = [&](uint64_t bytes) {
    share.need_memory(bytes);
    request.threads = share.threads();
  };
}

int finish_run(const Request& request, Console& console, int status) {
  if (request.standard_output != nullptr && status == kAllGood) {
    if (auto done = request.standard_output->copy(); !done) {
      console.error(done.error().text());
      return kSomeFailed;
    }
  }
  return console.flush() ? status : kSomeFailed;
}

int run_batch(const BatchOptions& options, const Request& request, std::span<const Unit> units, const UnitMaker& make,
              Console& console) {
  const auto start = Clock::now();
  Json results = Json::array();
  size_t failed = 0;
  std::set<std::string> printed;  // hints and remarks
  const uint32_t usable = usable_threads();
  const AdmissionLimits limits{.threads = request.threads == 0 ? usable : std::min(request.threads, usable),
                               .memory = request.picture.max_memory,
                               .memory_factor = options.memory_factor};
  BatchThreads threads(units, limits, make);
  for (size_t i = 0; i < units.size(); ++i) {
    const std::string& name = units[i].inputs.front();
    if (units.size() > 1) console.bar(static_cast<double>(i) / static_cast<double>(units.size()), name);
    Json json;
    json["inputs"] = units[i].inputs;
    const auto outcome = threads.take(i, request.threads);
    if (outcome) {
      if (!outcome->note.empty()) console.line(fmt::format("{}: computed on the CPU: {}", name, outcome->note));
      console.line(outcome->line);
      for (const std::string& line : outcome->lines) console.line("  " + line);
      for (const std::string& remark : outcome->remarks) {
        if (printed.insert(remark).second) console.line("  " + remark);
      }
      for (const std::string& warning : outcome->warnings) console.warning(fmt::format("{}: {}", name, warning));
      for (const std::string& hint : outcome->hints) {
        if (printed.insert(hint).second) console.line(fmt::format("{}: {}", name, hint));
      }
      json.update(outcome->json);
      if (!outcome->warnings.empty()) json["warnings"] = outcome->warnings;
    } else {
      ++failed;
      console.error(outcome.error().text());
      json["error"] = outcome.error().text();
    }
    results.push_back(std::move(json));
  }
  console.clear_bar();
  const double total_ms = milliseconds_since(start);
  if (units.size() > 1) {
    const std::string text = failed == 0 ? "" : fmt::format(", {} failed", failed);
    console.line(fmt::format("{} of {} done{} in {}", units.size() - failed, units.size(), text, time_text(total_ms)));
  }
  if (request.json) {
    Json all;
    all["onepass"] = ONEPASS_VERSION;
    all["command"] = options.command;
    all["engine"] = options.device.empty() ? "cpu" : "vulkan";
    all["device"] = options.device.empty() ? Json(nullptr) : Json(options.device);
    if (request.shard.count > 1) all["shard"] = {request.shard.index, request.shard.count};
    all["done"] = units.size() - failed;
    all["failed"] = failed;
    all["total_ms"] = total_ms;
    all["results"] = std::move(results);
    print_output("{}\n", json_text(std::move(all)));
  }
  return failed == 0 ? kAllGood : kSomeFailed;
}

}  // namespace onepass::cli
