// experiments.hpp: what measure_tunings() measures: the cases of each technique, and the candidates for their tuning.
#pragma once

#include <string>
#include <vector>

#include "tuning/search.hpp"
#include "vulkan/tunings.hpp"

namespace onepass::vulkan {

/// One case of a technique. It stands for images of about as many texels for which `when` holds.
template <typename Tuning>
struct Experiment {
  std::string label;
  typename Tuned<Tuning>::Options options;
  std::vector<TuningCondition> when;
  OutputTolerance tolerance;
  Tuning asked{};  // fields that are no candidates: pipelines
};

/// The cases of a technique, the most important ones first: time may end before the last one.
template <typename Tuning>
std::vector<Experiment<Tuning>> experiments();

/// The candidates of a case, axis by axis. Only values under which a wrong result would be seen: none that only the
/// caller can vouch for (subgroup and last_to_start on).
template <typename Tuning>
std::vector<std::vector<Tuning>> candidates(const Device::Impl& device, const Experiment<Tuning>& experiment);

/// The images of an experiment, and a function that makes its technique with a tuning.
template <typename Tuning>
Result<std::function<Result<Runner>(const Tuning&)>> open_experiment(const Device& device,
                                                                     const Experiment<Tuning>& experiment);

}  // namespace onepass::vulkan
