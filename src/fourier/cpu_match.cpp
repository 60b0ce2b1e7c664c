// cpu_match.cpp: cpu::TemplateMatcher: a fused pass per group of templates, whose rows of scores become statistics.
//
// Each template is one slice of one channel: two rows of the same template share a complex signal, so that no bit of a
// score depends on the other templates. A task folds a block of rows of all templates of a group into the statistics,
// in order: no two tasks have the same texels, and sums have one order for any number of threads.
//
// Image and templates are scaled before they are transformed: the image by a power of 2 to values below 2, templates to
// norm 1 or, for kProduct, by a power of 2 to norms from 1 to 2. No intermediate value overflows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "cpu/views.hpp"
#include "fourier/cpu_image_rows.hpp"
#include "fourier/cpu_impl.hpp"
#include "fourier/cpu_kernel_spectrum.hpp"
#include "fourier/kernel_weights.hpp"
#include "fourier/operation_plan.hpp"
#include "image/error.hpp"
#include "onepass/fourier_match.hpp"

namespace onepass::cpu {
namespace {

constexpr double kLargestTexel = 1e14;       ///< A product of 65535^2 texels is below the largest float.
constexpr double kLeastDeviation = 1e-4;     ///< kCoefficient, times the image's: below is rounding error.
constexpr double kRoundingDeviation = 1e-6;  ///< Times the largest texel: the deviation of a constant template.

/// The power of 2 that is at most `value`, as a float; 1 for 0.
float power_of_two_below(double value) {
  return value > 0 ? std::ldexp(1.0F, std::clamp(std::ilogb(value), -126, 126)) : 1.0F;
}

Error bad_texel(const char* image, uint32_t x, uint32_t y, const std::string& which = {}) {
  return {ErrorCode::kBadData,
          which + "texel (" + std::to_string(x) + ", " + std::to_string(y) + ") is not within +-1e14", image};
}

/// Where a row of statistics begins.
struct StatisticsRow {
  float* maximum = nullptr;
  uint32_t* index = nullptr;
  double* sum = nullptr;
  double* squares = nullptr;
};

/// Folds the scores values[i] * factor * (factors ? factors[i] : 1) of a template into the statistics.
void fold(const float* values, uint32_t count, float factor, const float* factors, uint32_t number,
          const StatisticsRow& row) {
  constexpr uint32_t kMost = 256;
  float scores[kMost];
  for (uint32_t first = 0; first < count; first += kMost) {
    const uint32_t n = std::min(kMost, count - first);
    const float* in = values + first;
    for (uint32_t i = 0; i < n; ++i) scores[i] = in[i] * factor;
    if (factors != nullptr) {
      for (uint32_t i = 0; i < n; ++i) scores[i] *= factors[first + i];
    }
    float* maximum = row.maximum + first;
    uint32_t* index = row.index + first;
    for (uint32_t i = 0; i < n; ++i) {
      const bool more = scores[i] > maximum[i];
      maximum[i] = more ? scores[i] : maximum[i];
      index[i] = more ? number : index[i];
    }
    double* sum = row.sum + first;
    double* squares = row.squares + first;
    for (uint32_t i = 0; i < n; ++i) {
      const double score = scores[i];
      sum[i] += score;
      squares[i] += score * score;
    }
  }
}

}  // namespace

struct ONEPASS_INTERNAL TemplateMatcher::Impl {
  MatchPlan plan;
  TransformTuning tuning;
  Workers workers;
  Transform::Impl transform;
  KernelSpectrum spectrum;
  bool image_set = false;
  float image_unit = 1;  ///< The transformed image is in this unit.
  uint32_t count = 0;
  AlignedVector<float> maximum;
  AlignedVector<uint32_t> index;
  AlignedVector<double> sum;
  AlignedVector<double> squares;
  AlignedVector<float> inverse_norms;  ///< kCoefficient: of the image under the template.
  Image made;                          ///< Templates of a TemplateMaker.
  Image turned;                        ///< Templates, scaled and turned by half a circle.
  std::vector<float> units;            ///< Of turned templates.

  Impl(MatchPlan planned, const TransformPlan& image, const TransformPlan& templates, const TransformTuning& tuned)
      : plan(std::move(planned)),
        tuning(tuned),
        workers(tuned.threads),
        transform(templates, tuned, kMatchBytes),
        spectrum(image, 1),
        maximum(texels()),
        index(texels()),
        sum(texels()),
        squares(texels()),
        inverse_norms(plan.options.score == MatchScore::kCoefficient ? texels() : 0),
        units(plan.templates.slices) {}

  [[nodiscard]] size_t texels() const { return size_t{plan.options.size.width} * plan.options.size.height; }
  [[nodiscard]] bool centred() const { return plan.options.score != MatchScore::kProduct; }

  /// Templates of a group: the first `good` of them are in `turned`; `error` says what is wrong with the next.
  struct Group {
    uint32_t good = 0;
    std::optional<Error> error;
  };

  Result<Image> load(const ImageView& image);
  void sum_windows(const ImageView& signal);
  void invert_norms(double power);
  void clear();
  std::optional<Error> turn_one(const ImageView& templates, uint32_t slice, uint32_t place,
                                std::vector<float>& scratch);
  Group turn(const ImageView& templates, uint32_t first, uint32_t number);
  Group make(uint32_t number, const TemplateMaker& maker);
  uint32_t match(uint32_t number, const ProgressShare& progress);
  Result<void> add(uint32_t total, const std::function<Group(uint32_t done, uint32_t number)>& next);
  void write_row(uint32_t y, const MatchTargets& targets) const;
};

// The searched signal in units of image_unit, less its mean unless the score is kProduct.
Result<Image> TemplateMatcher::Impl::load(const ImageView& image) {
  const Extent size = plan.options.size;
  auto made_signal = Image::create(Format::kR32Sfloat, size);
  if (!made_signal) return made_signal.error();
  const MutableImageView signal = made_signal->view();
  const uint32_t channels = texel_info(image.format).channels;
  std::vector<std::vector<float>> scratch(workers.slots());
  // Sums per row, added in the order of the rows: results do not depend on the number of threads.
  struct RowSums {
    double sum = 0, largest = 0;
    int64_t bad = -1;
  };
  std::vector<RowSums> rows(size.height);
  for_rows(workers, size.height, 1, [&](uint32_t y, uint32_t /*slice*/, uint32_t slot) {
    scratch[slot].resize(size_t{4} * size.width);
    const float* rgba = scratch[slot].data();
    decode_row(image.format, image.row(y), size.width, scratch[slot].data());
    auto* out = reinterpret_cast<float*>(signal.row(y));
    RowSums& sums = rows[y];
    for (uint32_t x = 0; x < size.width; ++x, rgba += 4) {
      out[x] = static_cast<float>(signal_value(rgba, channels));
      const double value = out[x];  // rounded: the mean of equal texels is their value
      if (!(std::fabs(value) <= kLargestTexel) && sums.bad < 0) sums.bad = x;
      sums.sum += value;
      sums.largest = std::max(sums.largest, std::fabs(value));
    }
  });
  RowSums all;
  for (uint32_t y = 0; y < size.height; ++y) {
    if (rows[y].bad >= 0) return bad_texel("image", static_cast<uint32_t>(rows[y].bad), y);
    all.sum += rows[y].sum;
    all.largest = std::max(all.largest, rows[y].largest);
  }
  const double mean = centred() ? all.sum / static_cast<double>(texels()) : 0;
  image_unit = power_of_two_below(all.largest);
  const double scale = 1.0 / image_unit;
  for_rows(workers, size.height, 1, [&](uint32_t y, uint32_t /*slice*/, uint32_t /*slot*/) {
    auto* values = reinterpret_cast<float*>(signal.row(y));
    for (uint32_t x = 0; x < size.width; ++x) values[x] = static_cast<float>((values[x] - mean) * scale);
  });
  return made_signal;
}

// Sums of the signal and of its squares over the part of a row that a template covers, to `sum` and `squares`; then,
// down every column, their sums over all rows so far. Differences of two rows are sums under the template. Sums of
// whole rows and columns keep more digits than a table of sums over all texels before.
void TemplateMatcher::Impl::sum_windows(const ImageView& signal) {
  const MatchOptions& o = plan.options;
  const uint32_t width = o.size.width;
  std::vector<std::vector<double>> scratch(workers.slots());
  for_rows(workers, o.size.height, 1, [&](uint32_t y, uint32_t /*slice*/, uint32_t slot) {
    scratch[slot].resize(size_t{2} * (width + 1));
    double* before = scratch[slot].data();  // sums of the texels before x
    double* squares_before = before + width + 1;
    const auto* in = reinterpret_cast<const float*>(signal.row(y));
    for (uint32_t x = 0; x < width; ++x) {
      const double value = in[x];
      before[x + 1] = before[x] + value;
      squares_before[x + 1] = squares_before[x] + value * value;
    }
    for (uint32_t x = 0; x < width; ++x) {
      const int64_t left = int64_t{x} - o.origin->x;
      const auto begin = static_cast<size_t>(std::max<int64_t>(left, 0));
      const auto end = static_cast<size_t>(std::min<int64_t>(left + o.template_size.width, width));
      sum[size_t{y} * width + x] = before[end] - before[begin];
      squares[size_t{y} * width + x] = squares_before[end] - squares_before[begin];
    }
  });
  constexpr uint32_t kColumns = 64;
  workers.run((size_t{width} + kColumns - 1) / kColumns, [&](size_t task, uint32_t /*slot*/) {
    const size_t first = task * kColumns, end = std::min<size_t>(first + kColumns, width);
    for (uint32_t y = 1; y < o.size.height; ++y) {
      for (size_t i = size_t{y} * width + first; i < size_t{y} * width + end; ++i) {
        sum[i] += sum[i - width];
        squares[i] += squares[i - width];
      }
    }
  });
}

// 1 / norm of the signal under the template, less its mean there, from sum_windows(). `power`: mean square of the
// signal.
void TemplateMatcher::Impl::invert_norms(double power) {
  const MatchOptions& o = plan.options;
  const size_t width = o.size.width;
  const double covered = static_cast<double>(o.template_size.width) * o.template_size.height;
  const double least = kLeastDeviation * kLeastDeviation * power * covered;
  for_rows(workers, o.size.height, 1, [&](uint32_t y, uint32_t /*slice*/, uint32_t /*slot*/) {
    const int64_t top = int64_t{y} - o.origin->y;
    const auto last = static_cast<size_t>(std::min<int64_t>(top + o.template_size.height, o.size.height) - 1);
    for (size_t x = 0; x < width; ++x) {
      double sum_here = sum[last * width + x], squares_here = squares[last * width + x];
      if (top > 0) {
        sum_here -= sum[static_cast<size_t>(top - 1) * width + x];
        squares_here -= squares[static_cast<size_t>(top - 1) * width + x];
      }
      const double square = squares_here - sum_here * sum_here / covered;
      inverse_norms[y * width + x] = square > least ? static_cast<float>(1 / std::sqrt(square)) : 0.0F;
    }
  });
}

void TemplateMatcher::Impl::clear() {
  std::fill(maximum.begin(), maximum.end(), -std::numeric_limits<float>::infinity());
  std::fill(index.begin(), index.end(), 0U);
  std::fill(sum.begin(), sum.end(), 0.0);
  std::fill(squares.begin(), squares.end(), 0.0);
  count = 0;
}

// Slice `slice` of `templates`, scaled, to slice `place` of `turned`.
std::optional<Error> TemplateMatcher::Impl::turn_one(const ImageView& templates, uint32_t slice, uint32_t place,
                                                     std::vector<float>& scratch) {
  const Extent size = plan.options.template_size;
  const uint32_t channels = texel_info(templates.format).channels;
  const MutableImageView to = turned.view();
  const auto row_of = [&](uint32_t y) { return reinterpret_cast<float*>(to.row(size.height - 1 - y, place)); };
  scratch.resize(size_t{4} * size.width);
  double total = 0, largest = 0;
  for (uint32_t y = 0; y < size.height; ++y) {
    decode_row(templates.format, templates.row(y, slice), size.width, scratch.data());
    float* out = row_of(y) + size.width;
    for (uint32_t x = 0; x < size.width; ++x) {
      const auto rounded = static_cast<float>(signal_value(&scratch[size_t{4} * x], channels));
      const double value = rounded;
      if (!(std::fabs(value) <= kLargestTexel)) {
        return bad_texel("templates", x, y, "template " + std::to_string(count + place) + ": ");
      }
      total += value;
      largest = std::max(largest, std::fabs(value));
      *--out = rounded;
    }
  }
  const double covered = static_cast<double>(size.width) * size.height;
  const double mean = centred() ? total / covered : 0;
  double power = 0;
  for (uint32_t y = 0; y < size.height; ++y) {
    const float* values = row_of(y);
    for (uint32_t x = 0; x < size.width; ++x) power += (values[x] - mean) * (values[x] - mean);
  }
  const double norm = std::sqrt(power);
  const bool constant = norm <= kRoundingDeviation * largest * std::sqrt(covered);
  units[place] = centred() ? 1.0F : power_of_two_below(norm);
  const double scale = !centred() ? 1.0 / units[place] : constant ? 0 : 1 / norm;
  for (uint32_t y = 0; y < size.height; ++y) {
    float* values = row_of(y);
    for (uint32_t x = 0; x < size.width; ++x) values[x] = static_cast<float>((values[x] - mean) * scale);
  }
  return {};
}

TemplateMatcher::Impl::Group TemplateMatcher::Impl::turn(const ImageView& templates, uint32_t first, uint32_t number) {
  std::vector<std::optional<Error>> errors(number);
  std::vector<std::vector<float>> scratch(workers.slots());
  workers.run(number, [&](size_t i, uint32_t slot) {
    const auto place = static_cast<uint32_t>(i);
    errors[i] = turn_one(templates, first + place, place, scratch[slot]);
  });
  for (uint32_t i = 0; i < number; ++i) {
    if (errors[i]) return {i, std::move(errors[i])};
  }
  return {number, {}};
}

TemplateMatcher::Impl::Group TemplateMatcher::Impl::make(uint32_t number, const TemplateMaker& maker) {
  const MutableImageView all = made.view();
  for (uint32_t i = 0; i < number; ++i) {
    if (maker(count + i, {all.row(0, i), all.format, all.size, 1, all.row_stride, all.slice_stride})) continue;
    Group group = turn(all, 0, i);
    if (!group.error) {
      group.error = Error{ErrorCode::kCancelled, "template " + std::to_string(count + i) + " was not made", "make"};
    }
    return group;
  }
  return turn(all, 0, number);
}

// Folds the scores of the first `number` turned templates into the statistics. Returns how many.
uint32_t TemplateMatcher::Impl::match(uint32_t number, const ProgressShare& progress) {
  const size_t width = plan.options.size.width;
  const auto multiply = [&](const SpectrumStrip& strip, uint32_t) { spectrum.multiply(strip); };
  const auto store = [&](uint32_t slice, uint32_t y, uint32_t x, uint32_t texels_here, float* values) {
    const size_t at = y * width + x;
    const bool divides = plan.options.score == MatchScore::kCoefficient;
    fold(values, texels_here, divides ? 1.0F : units[slice] * image_unit, divides ? &inverse_norms[at] : nullptr,
         count + slice, {&maximum[at], &index[at], &sum[at], &squares[at]});
  };
  return transform.apply_in_order(turned.view(), number, multiply, store, progress);
}

Result<void> TemplateMatcher::Impl::add(uint32_t total,
                                        const std::function<Group(uint32_t done, uint32_t number)>& next) {
  if (!image_set) return invalid("no image is set", "image");
  if (total > std::numeric_limits<uint32_t>::max() - count) {
    return invalid("count: " + std::to_string(total) + " templates after " + std::to_string(count) +
                   " are more than 2^32 - 1");
  }
  ProgressWatch watch(tuning.progress);
  const uint32_t together = plan.templates.slices;
  const double share = static_cast<double>(together) / std::max(1U, total);
  for (uint32_t done = 0; done < total && !watch.is_cancelled();) {
    const uint32_t number = std::min(together, total - done);
    const Group group = next(done, number);
    count += match(group.good, {&watch, share});
    if (group.error && !watch.is_cancelled()) return *group.error;
    done += number;
  }
  return finish(watch);
}

void TemplateMatcher::Impl::write_row(uint32_t y, const MatchTargets& targets) const {
  const size_t width = plan.options.size.width;
  const size_t at = y * width;
  if (targets.maximum.data != nullptr) std::memcpy(targets.maximum.row(y), &maximum[at], width * sizeof(float));
  if (targets.index.data != nullptr) std::memcpy(targets.index.row(y), &index[at], width * sizeof(uint32_t));
  auto* means = targets.mean.data != nullptr ? targets.mean.row(y) : nullptr;
  auto* deviations = targets.deviation.data != nullptr ? targets.deviation.row(y) : nullptr;
  for (size_t x = 0; x < width && (means != nullptr || deviations != nullptr); ++x) {
    const double mean = sum[at + x] / count;
    const double variance = squares[at + x] / count - mean * mean;
    const auto mean_here = static_cast<float>(mean);
    const auto deviation = static_cast<float>(std::sqrt(std::max(0.0, variance)));
    if (means != nullptr) std::memcpy(means + x * sizeof(float), &mean_here, sizeof(float));
    if (deviations != nullptr) std::memcpy(deviations + x * sizeof(float), &deviation, sizeof(float));
  }
}

Result<TemplateMatcher> TemplateMatcher::create(const MatchOptions& options, const TransformTuning& tuning) try {
  auto plan = plan_match(options);
  if (!plan) return plan.error();
  const auto image_plan = plan_transform(plan->image);
  if (!image_plan) return image_plan.error();
  const auto templates_plan = plan_transform(plan->templates);
  if (!templates_plan) return templates_plan.error();
  auto turned = Image::create(Format::kR32Sfloat, plan->options.template_size, plan->templates.slices);
  if (!turned) return turned.error();
  auto impl = std::make_unique<Impl>(std::move(*plan), *image_plan, *templates_plan, tuning);
  impl->turned = std::move(*turned);
  return TemplateMatcher(std::move(impl));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for a search", ""};
}

Result<void> TemplateMatcher::set_image(const ImageView& image) try {
  const MatchOptions& o = impl_->plan.options;
  if (auto good = check_color_view("image", image, o.image, o.size, 1); !good) return good;
  impl_->image_set = false;
  impl_->count = 0;
  auto signal = impl_->load(image);
  if (!signal) return signal.error();
  if (auto set = impl_->spectrum.set(signal->view(), impl_->tuning); !set) return set;
  if (o.score == MatchScore::kCoefficient) {
    double power = 0;
    for (uint32_t y = 0; y < o.size.height; ++y) {
      const auto* values = reinterpret_cast<const float*>(signal->view().row(y));
      for (uint32_t x = 0; x < o.size.width; ++x) power += double{values[x]} * values[x];
    }
    impl_->sum_windows(signal->view());
    impl_->invert_norms(power / static_cast<double>(impl_->texels()));
  }
  impl_->clear();
  impl_->image_set = true;
  return {};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for the image of a search", ""};
}

Result<void> TemplateMatcher::add(const ImageView& templates) try {
  const MatchOptions& o = impl_->plan.options;
  if (templates.slices == 0) return invalid("templates: slices 0");
  if (auto good = check_color_view("templates", templates, o.templates, o.template_size, templates.slices); !good) {
    return good;
  }
  return impl_->add(templates.slices,
                    [&](uint32_t done, uint32_t number) { return impl_->turn(templates, done, number); });
} catch (const std::bad_alloc&) {
  impl_->image_set = false;
  impl_->count = 0;
  return Error{ErrorCode::kOutOfMemory, "no memory to match templates", ""};
}

Result<void> TemplateMatcher::add(uint32_t count, const TemplateMaker& make) try {
  if (!make) return invalid("make: no function");
  const MatchPlan& plan = impl_->plan;
  if (impl_->made.view().data == nullptr) {
    auto made = Image::create(Format::kR32Sfloat, plan.options.template_size, plan.templates.slices);
    if (!made) return made.error();
    impl_->made = std::move(*made);
  }
  return impl_->add(count, [&](uint32_t /*done*/, uint32_t number) { return impl_->make(number, make); });
} catch (const std::bad_alloc&) {
  impl_->image_set = false;
  impl_->count = 0;
  return Error{ErrorCode::kOutOfMemory, "no memory to match templates", ""};
}

Result<void> TemplateMatcher::write(const MatchTargets& targets) const {
  const Extent size = impl_->plan.options.size;
  if (impl_->count == 0) return invalid("no template has been added", "templates");
  const auto check = [&](const char* name, const MutableImageView& view, Format format) -> Result<void> {
    if (view.data == nullptr) return {};
    return check_view(name, view, format, size, 1);
  };
  auto good = check("maximum", targets.maximum, Format::kR32Sfloat);
  if (good) good = check("index", targets.index, Format::kR32Uint);
  if (good) good = check("mean", targets.mean, Format::kR32Sfloat);
  if (good) good = check("deviation", targets.deviation, Format::kR32Sfloat);
  if (!good) return good;
  for_rows(impl_->workers, size.height, 1,
           [&](uint32_t y, uint32_t /*slice*/, uint32_t /*slot*/) { impl_->write_row(y, targets); });
  return {};
}

uint32_t TemplateMatcher::count() const { return impl_->count; }
const MatchPlan& TemplateMatcher::plan() const { return impl_->plan; }

TemplateMatcher::TemplateMatcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TemplateMatcher::TemplateMatcher(TemplateMatcher&&) noexcept = default;
TemplateMatcher& TemplateMatcher::operator=(TemplateMatcher&&) noexcept = default;
TemplateMatcher::~TemplateMatcher() = default;

}  // namespace onepass::cpu
