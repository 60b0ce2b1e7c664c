// fourier_correlation.hpp: how far is one image shifted against another?
//
//     c(s) = sum over x of first(x) * second(x - s),  on a circle:  C(f) = First(f) * conj Second(f)
//
// The place of the largest c is the shift to apply to the second image so that it lies on the first:
// first(x, y) ~ second(x - shift.x, y - shift.y). Two normalisations:
//     kPhase   C(f) / |C(f)|: every frequency counts the same. A sharp peak, indifferent to blur and lighting, for
//              photographs and textures. Noise in frequencies without signal counts as well.
//     kCross   c as it is, over sqrt(sum first^2 * sum second^2): Pearson's coefficient. A broad peak, good on smooth
//              and on noisy images.
// Of shifts whose c is the same to 1e-5, as in patterns that repeat, the shortest is taken; along an axis on which c
// does not vary, as between stripes, the shift is 0.
// What is correlated is luminance (Rec. 709, linear light) or the first of one or two channels, less its mean,
// windowed, at unit power: numbers of any scale do, up to 1e18. Frequencies without signal (below `floor`) are left
// out, not divided by: constant images correlate to 0 everywhere.
//
//     auto correlator = onepass::cpu::Correlator::create({.size = a.size, .first = a.format, .second = b.format});
//     if (!correlator) return correlator.error();
//     auto shift = correlator->estimate(a, b);          // shift->x, shift->y, shift->confidence
//
// Sources: C. Kuglin and D. Hines, "The Phase Correlation Image Alignment Method", 1975; M. Guizar-Sicairos, S. Thurman
// and J. Fienup, "Efficient subpixel image registration algorithms", 2008 (kFourier is the limit of their upsampling).
#pragma once

#include <cstdint>
#include <memory>

#include "onepass/export.h"
#include "onepass/fourier.hpp"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// The normalisation; see the top of this file.
enum class CorrelationKind : uint32_t {
  kPhase,
  kCross,
};

/// Weights of texels, so that edges, which a shift makes differ, do not count.
enum class CorrelationWindow : uint32_t {
  kHann,  ///< sin^2(pi (i + 1/2) / n) per axis; 1 for a single texel.
  kNone,  ///< All alike: for images that wrap around.
};

/// How a peak is found between texels.
enum class PeakRefinement : uint32_t {
  kNone,      ///< It is not: whole texels.
  kParabola,  ///< Through the peak and its neighbours, per axis. Biased by up to 0.1 texels, more for kPhase.
  kFourier,   ///< The maximum of the trigonometric polynomial that c is: what an upsampled transform converges to.
};

/// What to correlate. The two engines take the same options.
struct CorrelationOptions {
  Extent size;                         ///< Of both images.
  Format first = Format::kUndefined;   ///< Any.
  Format second = Format::kUndefined;  ///< kUndefined: as first.
  CorrelationKind kind = CorrelationKind::kPhase;
  CorrelationWindow window = CorrelationWindow::kHann;
  PeakRefinement refinement = PeakRefinement::kFourier;
  float floor = 1e-5F;  ///< kPhase: frequencies weaker than this times the mean power's root are empty. 0 to 1; the
                        ///< transform's own rounding is at 2e-7.
};

/// A shift.
struct ShiftEstimate {
  double x = 0;           ///< Texels to the right that the second image must move, above -W/2 and up to W/2.
  double y = 0;           ///< Texels down, above -H/2 and up to H/2.
  double confidence = 0;  ///< 0 to 1: c at the peak. 1: the images are shifts of each other; noise: about
                          ///< sqrt(2 ln N / N) for N texels.
};

/// What a correlation costs.
struct CorrelationPlan {
  CorrelationOptions options;  ///< With everything that was left open resolved.
  TransformOptions forward;    ///< Of both images at once, as two channels.
  TransformOptions inverse;    ///< Of c.
  Traffic traffic;             ///< Of the transforms.
};

/// Validates the options. Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<CorrelationPlan> plan_correlation(const CorrelationOptions& options);

namespace cpu {

/// Correlates images in host memory. The same numbers come out for any number of threads.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Correlator {
 public:
  /// Errors: those of plan_correlation, kOutOfMemory.
  static Result<Correlator> create(const CorrelationOptions& options, const TransformTuning& tuning = {});

  /// The shift between two images of one slice. Never NaN.
  /// Errors: kInvalidArgument when a view does not match, kBadData for a texel beyond +-1e18 or NaN, kOutOfMemory.
  Result<ShiftEstimate> estimate(const ImageView& first, const ImageView& second);

  /// All of c: target texel (x, y), kR32Sfloat of options.size, is c of the shift (x, y), modulo the size.
  /// Errors: as estimate().
  Result<void> correlate(const ImageView& first, const ImageView& second, const MutableImageView& target);

  [[nodiscard]] const CorrelationPlan& plan() const;  ///< What it costs.

  Correlator(Correlator&&) noexcept;
  Correlator& operator=(Correlator&&) noexcept;
  ~Correlator();

  struct Impl;  // private to the library

 private:
  ONEPASS_INTERNAL explicit Correlator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
