// fourier_match.hpp: correlates an image with many templates and keeps statistics of the scores, not the scores.
//
//     score(x, y) = sum over (i, j) of template(i, j) * image(x - ox + i, y - oy + j)            (ox, oy): origin
//
// Per texel of the image the results are the largest score, the index of the template that reached it, and the mean and
// standard deviation of all scores. From these follows a z-score, (maximum - mean) / deviation. Thousands of templates,
// such as the rotations of one, need no more memory than a few: each is transformed, multiplied by the image's spectrum
// and transformed back, and its scores are folded into the statistics while they are in cache.
// The correlation is linear, not cyclic: what is beyond the image's edges has one value (MatchScore).
//
//     onepass::MatchOptions options{.size = micrograph.size, .image = micrograph.format, .template_size = {64, 64}};
//     auto matcher = onepass::cpu::TemplateMatcher::create(options);
//     if (!matcher) return matcher.error();
//     if (auto set = matcher->set_image(micrograph); !set) return set.error();
//     if (auto done = matcher->add(templates); !done) return done.error();       // a slice per template
//     auto done = matcher->write({.maximum = best, .index = which});
//
// Sources: J. P. Lewis, "Fast Normalized Cross-Correlation", 1995 (local deviations from tables of sums); A. Roseman,
// "Particle finding in electron micrographs using a fast local correlation algorithm", 2003; F. Sigworth, "Classical
// detection theory and the cryo-EM particle selection problem", 2004 (the maximum over references).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "onepass/export.h"
#include "onepass/fourier.hpp"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// What a score is.
enum class MatchScore : uint32_t {
  kProduct,      ///< The sum of products itself. Beyond the edges the image is 0.
  kUnit,         ///< The template less its mean, divided by its norm: templates of any contrast compete equally. Unlike
                 ///< kCoefficient, the score grows with the image's contrast. Beyond the edges the image has its mean.
  kCoefficient,  ///< kUnit divided by the norm of the image under the template, less its mean there: Pearson's
                 ///< coefficient, -1 to 1 but for rounding. 0 where the image under the template is constant: where its
                 ///< standard deviation is below 1e-4 of the whole image's.
};

/// Options of a search, the same for all engines.
struct MatchOptions {
  Extent size;                        ///< Size of the image, 1 to 65535 per axis.
  Format image = Format::kUndefined;  ///< Any format. Luminance (Rec. 709, linear light), or the first of one or two
                                      ///< channels, is searched.
  Extent template_size;               ///< Size of all templates, 1 to that of the image per axis.
  Format templates = Format::kR32Sfloat;  ///< Any format, of which the same signal is taken.
  MatchScore score = MatchScore::kCoefficient;
  std::optional<Offset> origin;  ///< The template's texel that lies on the texel of a score: 0 to size - 1. Absent: the
                                 ///< centre, half the size, rounded down.
};

/// The transforms of a search.
struct MatchPlan {
  MatchOptions options;        ///< The options, with defaults resolved.
  TransformOptions image;      ///< The transform of the image, done once.
  TransformOptions templates;  ///< The transform of templates and that of scores; its slices are transformed together.
  uint64_t memory_bytes = 0;   ///< Of the image's spectrum, the statistics and the templates transformed together.
  Traffic traffic;             ///< Of one template: its transform, the spectrum of the image, the statistics.
};

/// Validates the options and computes the plan. Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<MatchPlan> plan_match(const MatchOptions& options);

/// The images of the results, all of MatchOptions::size with one slice. Those whose `data` is null are left out.
struct MatchTargets {
  MutableImageView maximum;    ///< kR32Sfloat: the largest score.
  MutableImageView index;      ///< kR32Uint: the template that reached it first, counted from 0.
  MutableImageView mean;       ///< kR32Sfloat: the mean of the scores of all templates.
  MutableImageView deviation;  ///< kR32Sfloat: their standard deviation, the root of the mean square of differences.
};

/// Computes template `index` into `texels`, kR32Sfloat of MatchOptions::template_size. False: no such template; the
/// search ends.
using TemplateMaker = std::function<bool(uint32_t index, const MutableImageView& texels)>;

namespace cpu {

/// Searches images in host memory. Views may be RGB where the options say the format with alpha (is_row_format()).
///
/// Results are bit-identical for any number of threads, any SIMD target and any division of the templates over calls.
/// A score of kProduct and kUnit differs from that in exact arithmetic by less than 2e-6 times the norm of the template
/// times the root mean square of the searched signal times the root of the number of texels of the template. Mean and
/// deviation are those of these scores, summed in double in the order of the templates, and rounded to float.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API TemplateMatcher {
 public:
  /// Validates the options, computes tables and allocates memory.
  /// Errors: those of plan_match(), kOutOfMemory.
  static Result<TemplateMatcher> create(const MatchOptions& options, const TransformTuning& tuning = {});

  /// Transforms an image of one slice and forgets all templates.
  /// Errors: kInvalidArgument if the view does not match the options, kBadData for a texel that is NaN or beyond
  /// +-1e14, kOutOfMemory; then no image is set.
  Result<void> set_image(const ImageView& image);

  /// Adds templates, one per slice, which are numbered from count() on. Cost: plan().traffic per template.
  /// Errors: those of set_image() for the templates; kInvalidArgument if no image is set or count() would exceed 2^32 -
  /// 1; kCancelled by TransformTuning::progress. After an error count() says how many templates, in order, the
  /// statistics have. kOutOfMemory: they have none, and no image is set.
  Result<void> add(const ImageView& templates);

  /// Adds `count` templates that `make` computes, by one call after the other on the calling thread, with indices from
  /// count() on.
  /// Errors: those above; kCancelled if `make` returned false, after the templates before were added.
  Result<void> add(uint32_t count, const TemplateMaker& make);

  /// Writes the statistics of all templates so far.
  /// Errors: kInvalidArgument if a view does not match, or if no template has been added.
  Result<void> write(const MatchTargets& targets) const;

  [[nodiscard]] uint32_t count() const;         ///< The number of templates in the statistics.
  [[nodiscard]] const MatchPlan& plan() const;  ///< The plan of the options given to create().

  TemplateMatcher(TemplateMatcher&&) noexcept;
  TemplateMatcher& operator=(TemplateMatcher&&) noexcept;
  ~TemplateMatcher();

  struct Impl;  // private to the library

 private:
  ONEPASS_INTERNAL explicit TemplateMatcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
