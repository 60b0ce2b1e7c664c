// cpu_chain.hpp: what makes the levels of a pyramid in host memory.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "cpu/workers.hpp"
#include "onepass/pyramid.hpp"

namespace onepass::cpu {

/// One build or update. Sizes and formats have been checked.
struct Job {
  ImageView source{};
  std::span<const MutableImageView> levels{};  ///< levels[n-1] is level n.
  std::array<Rect, kMaxLevels> stored{};       ///< The texels of each level to write; empty: none.
  Rect changed{};                              ///< Base texels that differ from the earlier job, unless fresh.
  bool fresh = true;                           ///< Compute everything: nothing kept from an earlier job is of use.
};

/// Makes levels and keeps what a later update needs.
class Chain {
 public:
  virtual ~Chain() = default;
  virtual void run(const Job& job) = 0;
};

/// May throw std::bad_alloc.
std::unique_ptr<Chain> make_chain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers);

/// The one for Footprint::kTight.
std::unique_ptr<Chain> make_tight_chain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers);

}  // namespace onepass::cpu
