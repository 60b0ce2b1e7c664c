// cpu.cpp: cpu::Pyramid: validates arguments and runs the Chain (cpu_chain.hpp) that computes the levels.
#include <new>
#include <stdexcept>
#include <string>

#include "cpu/views.hpp"
#include "cpu/workers.hpp"
#include "image/error.hpp"
#include "onepass/pyramid.hpp"
#include "pyramid/cpu_chain.hpp"

namespace onepass::cpu {

struct ONEPASS_INTERNAL Pyramid::Impl {
  PyramidOptions options;
  PyramidPlan plan;
  Workers workers;
  Progress progress;
  std::unique_ptr<Chain> chain;
  bool built = false;

  Impl(const PyramidOptions& wanted, const PyramidPlan& planned, const PyramidTuning& tuning)
      : options(wanted), plan(planned), workers(tuning.threads), progress(tuning.progress) {
    chain = options.reduction == Reduction::kMode    ? make_mode_chain(options, plan, workers)
            : options.footprint == Footprint::kTight ? make_tight_chain(options, plan, workers)
            : options.filter.kind != MipFilter::kBox ? make_filter_chain(options, plan, workers)
                                                     : make_chain(options, plan, workers);
  }

  [[nodiscard]] Result<void> check(const ImageView& source, std::span<const MutableImageView> levels) const {
    if (levels.size() != plan.levels - 1) {
      return invalid("levels: " + std::to_string(levels.size()) + " views, expected " +
                     std::to_string(plan.levels - 1) + ": level 1 to " + std::to_string(plan.levels - 1));
    }
    auto checked = check_view("source", source, options.source, options.size, options.slices);
    for (uint32_t n = 1; n < plan.levels && checked.ok(); ++n) {
      checked = check_view("level " + std::to_string(n), levels[n - 1], options.target, plan.sizes[n], options.slices);
    }
    return checked;
  }

  Result<void> run(const ImageView& source, std::span<const MutableImageView> levels, const Rect* changed) {
    Job job = {.source = source, .levels = levels};
    ProgressWatch watch(progress);
    job.watch = &watch;
    job.fresh = changed == nullptr || !built;
    if (changed != nullptr) job.changed = *changed;
    for (uint32_t n = 1; n < plan.levels; ++n) {
      const Extent size = plan.sizes[n];
      job.stored[n] = changed == nullptr ? Rect{0, 0, size.width, size.height} : affected_rect(options, n, *changed);
    }
    built = false;  // remains false if an allocation fails in chain->run()
    try {
      chain->run(job);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "no memory to build the pyramid", ""};
    } catch (const std::length_error&) {
      return Error{ErrorCode::kOutOfMemory, "no memory to build the pyramid", ""};
    }
    if (!watch.finish()) return Error{ErrorCode::kCancelled, "cancelled while the levels were made", ""};
    built = true;
    return {};
  }
};

Result<Pyramid> Pyramid::create(const PyramidOptions& options, const PyramidTuning& tuning) {
  auto plan = plan_pyramid(options);
  if (!plan) return plan.error();
  if (auto checked = require_one_sample(options.samples); !checked) return checked.error();
  const auto no_memory = [&] {
    return Error{ErrorCode::kOutOfMemory, "no memory for a pyramid of a " + size_text(options.size) + " base", ""};
  };
  try {
    return Pyramid(std::make_unique<Impl>(options, *plan, tuning));
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::length_error&) {  // a size above vector::max_size()
    return no_memory();
  }
}

Result<void> Pyramid::build(const ImageView& source, std::span<const MutableImageView> levels) {
  if (impl_->plan.levels == 1 && levels.empty()) return {};
  if (auto checked = impl_->check(source, levels); !checked) return checked;
  return impl_->run(source, levels, nullptr);
}

Result<void> Pyramid::update(const ImageView& source, std::span<const MutableImageView> levels, Rect changed) {
  const auto [width, height] = impl_->options.size;
  const bool inside = changed.width > 0 && changed.height > 0 && changed.x < width &&
                      changed.width <= width - changed.x && changed.y < height && changed.height <= height - changed.y;
  if (!inside) {
    return invalid("changed: " + size_text({changed.width, changed.height}) + " at (" + std::to_string(changed.x) +
                   ", " + std::to_string(changed.y) + ") is empty or leaves the base of " +
                   size_text(impl_->options.size));
  }
  if (impl_->plan.levels == 1 && levels.empty()) return {};
  if (auto checked = impl_->check(source, levels); !checked) return checked;
  const bool everything = impl_->options.alpha == Alpha::kCoverage || impl_->options.filter.kind != MipFilter::kBox;
  return impl_->run(source, levels, everything ? nullptr : &changed);
}

const PyramidPlan& Pyramid::plan() const { return impl_->plan; }

Pyramid::Pyramid(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Pyramid::Pyramid(Pyramid&&) noexcept = default;
Pyramid& Pyramid::operator=(Pyramid&&) noexcept = default;
Pyramid::~Pyramid() = default;

}  // namespace onepass::cpu
