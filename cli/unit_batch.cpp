// unit_batch.cpp: see unit_batch.hpp. Exceptions of a unit become errors of that unit.
#include "unit_batch.hpp"

#include <fmt/core.h>

#include <chrono>
#include <new>
#include <set>

namespace onepass::cli {
namespace {

using Clock = std::chrono::steady_clock;

Result<UnitOutcome> make_one(const UnitMaker& make, const Unit& unit, size_t index) {
  try {
    if (auto good = check_directory(unit); !good) return good.error();
    return make(unit, index);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "out of memory (see --max-memory)", unit.inputs.front()};
  } catch (const std::exception& exception) {  // if threads cannot be created, for example
    return Error{ErrorCode::kOutOfMemory, exception.what(), unit.inputs.front()};
  }
}

}  // namespace

int finish_run(const Request& request, Console& console, int status) {
  if (request.standard_output != nullptr && status == kAllGood) {
    if (auto done = request.standard_output->copy(); !done) {
      console.error(done.error().text());
      return kSomeFailed;
    }
  }
  return console.flush() ? status : kSomeFailed;
}

int run_batch(const BatchWords& words, std::span<const Unit> units, const UnitMaker& make, Console& console) {
  const auto start = Clock::now();
  Json results = Json::array();
  size_t failed = 0;
  std::set<std::string> hinted;
  for (size_t i = 0; i < units.size(); ++i) {
    const std::string& name = units[i].inputs.front();
    if (units.size() > 1) console.bar(static_cast<double>(i) / static_cast<double>(units.size()), name);
    Json json;
    json["inputs"] = units[i].inputs;
    const auto outcome = make_one(make, units[i], i);
    if (outcome) {
      if (!outcome->note.empty()) console.line(fmt::format("{}: computed on the CPU: {}", name, outcome->note));
      console.line(outcome->line);
      for (const std::string& line : outcome->lines) console.line("  " + line);
      for (const std::string& warning : outcome->warnings) console.warning(fmt::format("{}: {}", name, warning));
      for (const std::string& hint : outcome->hints) {
        if (hinted.insert(hint).second) console.line(fmt::format("{}: {}", name, hint));
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
  const double total_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (units.size() > 1) {
    const std::string text = failed == 0 ? "" : fmt::format(", {} failed", failed);
    console.line(fmt::format("{} of {} done{} in {}", units.size() - failed, units.size(), text, time_text(total_ms)));
  }
  if (words.json) {
    Json all;
    all["onepass"] = ONEPASS_VERSION;
    all["command"] = words.command;
    all["engine"] = words.engine;
    all["done"] = units.size() - failed;
    all["failed"] = failed;
    all["total_ms"] = total_ms;
    all["results"] = std::move(results);
    fmt::print("{}\n", json_text(std::move(all)));
  }
  return failed == 0 ? kAllGood : kSomeFailed;
}

}  // namespace onepass::cli
