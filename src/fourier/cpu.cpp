// cpu.cpp: cpu::Transform: tables, work memory and the sequence of passes of each call. Overview: cpu_impl.hpp.
#include <algorithm>
#include <cmath>
#include <new>
#include <string>

#include "cpu/large_pages.hpp"
#include "cpu/views.hpp"
#include "fourier/cpu_impl.hpp"
#include "image/div_up.hpp"
#include "image/error.hpp"

namespace onepass::cpu {
namespace {

constexpr size_t kTogetherBytes = size_t{512}
                                  << 10;       ///< Of strips that are stored together: they stay in the L2 cache.
constexpr size_t kFarBytes = size_t{4} << 20;  ///< Spectra of this size leave the L2 cache while they are written.
constexpr size_t kPage = 4096;

}  // namespace

Result<void> finish(ProgressWatch& watch) {
  if (watch.finish()) return {};
  return Error{ErrorCode::kCancelled, "cancelled while the image was transformed", ""};
}

/// A batch touches more small pages than the TLB holds: from 256 KB on, asks Linux for pages of 2 MB.
void RawMemory::allocate(size_t bytes) {
  constexpr size_t kHugePage = size_t{2} << 20;
  const size_t whole = round_up(bytes, kHugePage);
  const bool huge = bytes >= kHugePage / 8;
  data_.reset(static_cast<std::byte*>(::operator new (huge ? whole : bytes, std::align_val_t{kHugePage})));
  if (huge) cpu::advise_large_pages(data_.get(), whole);
}

Transform::Impl::Impl(const TransformPlan& planned, const TransformTuning& tuned, size_t work_at_once)
    : plan(planned),
      tuning(tuned),
      workers_(tuned.threads),
      kernels_(find_line_kernels()),
      decoder_(image::make_decode_spec(planned.options.source, {.keeps_integers = true})),
      encoder_(image::make_encode_spec(planned.options.target)),
      row_plan_(planned.options.size.width),
      column_plan_(planned.options.size.height),
      scratch_(workers_.slots()) {
  const TransformOptions& o = plan.options;
  if (half()) row_factor_ = 1 / (o.peak * std::sqrt(static_cast<double>(o.size.width)));
  assign_batches();
  map_axes();
  allocate(work_at_once);
}

/// Assigns the 16 rows of each channel to lines. Two real signals share complex lines: two channels or, of the last of
/// an odd number of channels, two groups of rows.
void Transform::Impl::assign_batches() {
  const uint32_t channels = plan.spectrum_channels;
  groups_ = real() && channels % 2 == 1 ? 2 : 1;
  batches_ = 0;
  for (uint32_t g = 0; g < groups_; ++g) {
    for (uint32_t c = 0; c < channels; ++c) {
      ChannelBatch& home = channel_batches_[g][c];
      const bool alone = c % 2 == 0 && c + 1 == channels;
      if (!real()) {
        home = {batches_++, Part::kWhole};
      } else if (alone) {
        home =
            g == 0 ? ChannelBatch{batches_++, Part::kFirst} : ChannelBatch{channel_batches_[0][c].batch, Part::kSecond};
      } else if (c % 2 == 0) {
        home = {batches_++, Part::kFirst};
      } else {
        home = {channel_batches_[g][c - 1].batch, Part::kSecond};
      }
    }
  }
  strip_columns_ = kLanes / channels;
  strips_ = div_up(plan.spectrum_size.width, strip_columns_);
}

void Transform::Impl::map_axes() {
  const TransformOptions& o = plan.options;
  const Rect& crop = o.crop;
  work_rows_ = std::max(crop.height, o.result.height) + 2;
  texel_of_x_.resize(o.size.width);
  for (uint32_t x = 0; x < o.size.width; ++x) {
    texel_of_x_[x] = std::min(texel_at(x, o.size.width, crop.width, o.placement.x, o.boundary), crop.width);
  }
  texels_in_order_ = texel_of_x_ == row_plan_.identity;
  seen_rows_ = visible_texels(o.size.height, crop.height, o.placement.y, o.boundary);
  row_of_y_.resize(o.size.height);
  row_to_y_.resize(o.size.height);
  position_of_ky_.resize(o.size.height);
  pair_stride_ = size_t{plan.spectrum_size.width} * plan.spectrum_channels * 2;
  const uint32_t shift = o.origin == SpectrumOrigin::kCentre ? o.size.height / 2 : 0;
  for (uint32_t y = 0; y < o.size.height; ++y) {
    row_of_y_[y] = std::min(texel_at(y, o.size.height, crop.height, o.placement.y, o.boundary), work_rows_ - 2);
    const bool wanted = y >= o.result.y && y - o.result.y < o.result.height;
    row_to_y_[y] = wanted ? y - o.result.y : work_rows_ - 1;
    position_of_ky_[y] = (y + shift) % o.size.height;
  }
}

void Transform::Impl::allocate(size_t work_at_once) {
  const TransformOptions& o = plan.options;
  strip_bytes_ = work_rows_ * kElementFloats * (half() ? 2 : 4);
  const size_t slice_bytes = strip_bytes_ * strips_;
  slices_at_once_ = static_cast<uint32_t>(std::clamp<size_t>(work_at_once / slice_bytes, 1, o.slices));
  work_.allocate(slice_bytes * slices_at_once_);
  const bool conflicts = pair_stride_ * sizeof(float) % kPage == 0 || plan.spectrum_bytes / o.slices >= kFarBytes;
  const bool stores_pairs =  // as pairs_of() needs it
      !half() && o.order == SpectrumOrder::kRows && strip_columns_ * plan.spectrum_channels == kLanes;
  stages_columns_ = conflicts && stores_pairs && column_plan_.chirp == nullptr;
  if (stages_columns_) {
    const size_t bytes = size_t{o.size.height} * kElementFloats * sizeof(float);
    const uint32_t most = std::min(StripPairs::kMostStrips, std::max(1U, strips_ / (4 * workers_.slots())));
    strips_together_ = static_cast<uint32_t>(std::clamp<size_t>(kTogetherBytes / bytes, 1, most));
  }
  line_elements_ = std::max(o.size.width, o.crop.width + 1) + kLanes;  // transposes write whole blocks
  scratch(0);  // a lack of memory shows here, before the first call
}

/// The scratch memory of a slot, allocated by the thread that uses it first.
Transform::Impl::Scratch& Transform::Impl::scratch(uint32_t slot) {
  Scratch& s = scratch_[slot];
  if (s.decoded != nullptr) return s;
  constexpr size_t kElementBytes = kElementFloats * sizeof(float);
  const size_t strip_elements = std::max<size_t>(work_rows_, plan.spectrum_size.height);
  const size_t passes = std::max(row_plan_.scratch_elements(), column_plan_.scratch_elements());
  constexpr size_t kPadding = image::kRowPadding * sizeof(float);
  const size_t lines = std::max(batches_ * line_elements_, strip_elements) * kElementBytes + kPadding;
  const size_t pass = std::max(passes, strip_elements * strips_together_) * kElementBytes + kPadding;
  s.memory.allocate(lines + pass + kLanes * kChunkFloats * sizeof(float) + kPadding);
  s.lines = s.memory.data();
  s.passes = s.lines + lines;
  s.decoded = s.passes + pass;
  return s;
}

void Transform::Impl::each_slices(const std::function<void(Slices)>& work) {
  for (uint32_t first = 0; first < plan.options.slices; first += slices_at_once_) {
    work({first, std::min(slices_at_once_, plan.options.slices - first)});
  }
}

void Transform::Impl::run_pass(size_t tasks, Slices slices, double part,
                               const std::function<void(size_t, uint32_t)>& task) {
  if (progress_.watch == nullptr) return workers_.run(tasks, task);
  const double share = progress_.share * part * slices.count / plan.options.slices / static_cast<double>(tasks);
  workers_.run(tasks, [&](size_t index, uint32_t slot) {
    if (progress_.watch->is_cancelled()) return;
    task(index, slot);
    progress_.watch->add(share);
  });
}

/// Calls `task` for every strip, with scratch memory for its spectrum.
void Transform::Impl::each_strip(Slices slices, double part,
                                 const std::function<void(SpectrumStrip&, std::byte* work, Scratch&, uint32_t)>& task) {
  run_pass(size_t{slices.count} * strips_, slices, part, [&](size_t index, uint32_t slot) {
    const auto slice = static_cast<uint32_t>(index / strips_);
    const auto number = static_cast<uint32_t>(index % strips_);
    Scratch& s = scratch(slot);
    SpectrumStrip strip = strip_at(slices, slice, number, s);
    task(strip, work_strip(slice, number), s, slot);
  });
}

SpectrumStrip Transform::Impl::strip_at(Slices slices, uint32_t slice, uint32_t number, const Scratch& scratch) const {
  SpectrumStrip strip;
  strip.slice = slices.first + slice;
  strip.first_kx = number * strip_columns_;
  strip.columns = std::min(strip_columns_, plan.spectrum_size.width - strip.first_kx);
  strip.channels = plan.spectrum_channels;
  strip.height = plan.spectrum_size.height;
  strip.values = lines(scratch, 0);
  return strip;
}

void Transform::Impl::forward(const ImageView& source, std::span<std::byte> spectrum, const ProgressShare& progress) {
  progress_ = progress;
  const double factor = plan.forward_factor / row_factor_;
  each_slices([&](Slices slices) {
    rows_to_strips(source, slices, 0.5);
    strips_to_spectrum(slices, factor, 0.5, spectrum);
  });
}

void Transform::Impl::inverse(std::span<const std::byte> spectrum, const MutableImageView& target,
                              const ProgressShare& progress) {
  progress_ = progress;
  const double column_factor = half() ? 1 / std::sqrt(static_cast<double>(plan.options.size.height)) : 1.0;
  each_slices([&](Slices slices) {
    each_strip(slices, 0.5, [&](SpectrumStrip& strip, std::byte* work, Scratch& s, uint32_t /*slot*/) {
      const std::byte* pairs = pairs_of(strip, const_cast<std::byte*>(spectrum.data()));
      if (pairs == nullptr) load_strip(spectrum, strip, s);
      columns_inverse(strip.values, work, column_factor, s, pairs);
    });
    strips_to_rows(target, slices, plan.inverse_factor / column_factor, 0.5);
  });
}

Transform::Impl::ApplyFactors Transform::Impl::apply_factors() const {
  const double texels = static_cast<double>(plan.options.size.width) * plan.options.size.height;
  // Strips of half floats are scaled to stay in range; the factor of the last rows makes up for it.
  const double columns = half() ? 1.0 / plan.options.size.height : 1.0;
  const double whole = plan.options.norm == Norm::kNone ? 1.0 : 1 / texels;
  return {columns, whole / row_factor_ / columns};
}

// 0.25, 0.5 and, for the rows of the result, 0.25: shares of progress, by the number of transforms.
void Transform::Impl::apply_to_strips(const ImageView& source, Slices slices, const StripOperation& operation,
                                      const RowPart& load) {
  const double factor = apply_factors().columns;
  rows_to_strips(source, slices, 0.25, load);
  each_strip(slices, 0.5, [&](SpectrumStrip& strip, std::byte* work, Scratch& s, uint32_t slot) {
    columns_forward(work, strip.values, s);
    operation(strip, slot);
    columns_inverse(strip.values, work, factor, s);
  });
}

void Transform::Impl::apply(const ImageView& source, const StripOperation& operation, const MutableImageView& target,
                            const RowChanges& changes, const ProgressShare& progress) {
  progress_ = progress;
  each_slices([&](Slices slices) {
    apply_to_strips(source, slices, operation, changes.load);
    strips_to_rows(target, slices, apply_factors().rows, 0.25, changes.store);
  });
}

uint32_t Transform::Impl::apply_in_order(const ImageView& source, uint32_t count, const StripOperation& operation,
                                         const RowPart& store, const ProgressShare& progress) {
  progress_ = progress;
  const double factor = apply_factors().rows;
  const uint32_t blocks = result_blocks();
  for (uint32_t first = 0; first < count; first += slices_at_once_) {
    const Slices slices{first, std::min(slices_at_once_, count - first)};
    apply_to_strips(source, slices, operation, {});
    if (progress.watch->is_cancelled()) return first;
    const double share = progress.share * 0.25 * slices.count / plan.options.slices / blocks;
    workers_.run(blocks, [&](size_t block, uint32_t slot) {
      for (uint32_t slice = 0; slice < slices.count; ++slice) {
        strips_to_block({}, slices, slice, static_cast<uint32_t>(block), factor, store, scratch(slot));
      }
      progress.watch->add(share);
    });
  }
  return count;
}

void Transform::Impl::inspect(const ImageView& source, const StripOperation& operation) {
  progress_ = {};
  each_slices([&](Slices slices) {
    rows_to_strips(source, slices, 0.5);
    each_strip(slices, 0.5, [&](SpectrumStrip& strip, std::byte* work, Scratch& s, uint32_t slot) {
      columns_forward(work, strip.values, s);
      operation(strip, slot);
    });
  });
}

Result<void> Transform::Impl::check_source(const ImageView& source) const {
  const TransformOptions& o = plan.options;
  const Rect& crop = o.crop;
  const uint64_t right = uint64_t{crop.x} + crop.width;
  const uint64_t bottom = uint64_t{crop.y} + crop.height;
  if (right > source.size.width || bottom > source.size.height) {
    return invalid("source: size " + size_text(source.size) + ", the crop ends at " + std::to_string(right) + "," +
                   std::to_string(bottom));
  }
  return check_color_view("source", source, o.source, source.size, o.slices);
}

Result<void> Transform::Impl::check_target(const MutableImageView& target) const {
  const TransformOptions& o = plan.options;
  return check_color_view("target", target, o.target, {o.result.width, o.result.height}, o.slices);
}

Result<void> Transform::Impl::check_spectrum(std::span<const std::byte> spectrum) const {
  if (spectrum.size() == plan.spectrum_bytes) return {};
  return invalid("spectrum: " + std::to_string(spectrum.size()) + " bytes, expected " +
                 std::to_string(plan.spectrum_bytes));
}

// ---- The public class

namespace {

/// Runs `call` with a watch for the caller's progress; std::bad_alloc becomes kOutOfMemory.
template <class Call>
Result<void> guarded(const TransformTuning& tuning, const Call& call) {
  ProgressWatch watch(tuning.progress);
  try {
    call(ProgressShare{&watch});
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory to transform", ""};
  }
  return finish(watch);
}

}  // namespace

Result<Transform> Transform::create(const TransformOptions& options, const TransformTuning& tuning) {
  auto plan = plan_transform(options);
  if (!plan) return plan.error();
  try {
    return Transform(std::make_unique<Impl>(*plan, tuning));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory to transform", ""};
  }
}

Result<void> Transform::forward(const ImageView& source, std::span<std::byte> spectrum) {
  auto checked = impl_->check_source(source);
  if (checked) checked = impl_->check_spectrum(spectrum);
  if (!checked) return checked;
  return guarded(impl_->tuning, [&](const ProgressShare& progress) { impl_->forward(source, spectrum, progress); });
}

Result<void> Transform::inverse(std::span<const std::byte> spectrum, const MutableImageView& target) {
  auto checked = impl_->check_spectrum(spectrum);
  if (checked) checked = impl_->check_target(target);
  if (!checked) return checked;
  return guarded(impl_->tuning, [&](const ProgressShare& progress) { impl_->inverse(spectrum, target, progress); });
}

const TransformPlan& Transform::plan() const { return impl_->plan; }

Transform::Transform(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Transform::Transform(Transform&&) noexcept = default;
Transform& Transform::operator=(Transform&&) noexcept = default;
Transform::~Transform() = default;

}  // namespace onepass::cpu
