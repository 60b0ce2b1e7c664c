// cpu_chain.hpp: Chain: computes the levels of a pyramid in host memory.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "cpu/progress_watch.hpp"
#include "cpu/workers.hpp"
#include "onepass/pyramid.hpp"

namespace onepass::cpu {

inline constexpr uint32_t kLeastBandRows = 32;  ///< Rows of a stage's input; bands overlap by up to seven.
inline constexpr uint32_t kMostBandRows = 256;
inline constexpr uint32_t kBandsPerThread = 6;  ///< Evens out time that other programs take from a thread.

/// One build or update. Sizes and formats have been checked.
struct Job {
  ImageView source{};
  std::span<const MutableImageView> levels{};  ///< levels[n-1] is level n.
  std::array<Rect, kMaxLevels> stored{};       ///< Texels of each level to write; empty: none.
  Rect changed{};                              ///< Base texels that differ from the previous job, unless fresh.
  ProgressWatch* watch = nullptr;              ///< Receives shares of the job; tasks do nothing once it is cancelled.
  bool fresh = true;                           ///< Compute everything; ignore the levels stored by earlier jobs.
};

/// Computes levels and stores the intermediate data of later updates.
class Chain {
 public:
  virtual ~Chain() = default;
  virtual void run(const Job& job) = 0;
};

/// The chain for the footprints aligned, covering, edge and ceil. May throw std::bad_alloc.
std::unique_ptr<Chain> make_chain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers);

/// The chain for Footprint::kTight. May throw std::bad_alloc.
std::unique_ptr<Chain> make_tight_chain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers);

/// The chain for Reduction::kMode. May throw std::bad_alloc.
std::unique_ptr<Chain> make_mode_chain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers);

/// The chain for a MipFilter other than kBox. It makes whole levels only. May throw std::bad_alloc.
std::unique_ptr<Chain> make_filter_chain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers);

}  // namespace onepass::cpu
