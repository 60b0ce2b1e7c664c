// fourier_correlation.hpp: estimates the shift between two images.
//
//     c(s) = sum over x of first(x) * second(x - s),  cyclic:  C(f) = First(f) * conj Second(f)
//
// The position of the largest c is the shift that aligns the second image with the first:
//     first(x, y) ~ second(x - shift.x, y - shift.y)
// There are two normalisations:
//     kPhase   C(f) / |C(f)|: all frequencies have the same weight. A sharp peak that does not depend on blur and
//              lighting, for photographs and textures. Noise at frequencies without signal has weight as well.
//     kCross   c / sqrt(sum first^2 * sum second^2): Pearson's coefficient. A broad peak, good for smooth and for noisy
//              images.
// If the c of several shifts is equal to within 1e-5, as in repeating patterns, the result is the shortest of these
// shifts. Along an axis on which c does not vary, as between stripes, the shift is 0.
// The correlated signal is luminance (Rec. 709, linear light), or the first of one or two channels: the mean is
// removed, a window is applied, and the power is scaled to 1. So values can have any scale, up to 1e18. Frequencies
// without signal (below `floor`) are left out: the correlation of constant images is 0 everywhere.
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

/// Weights of texels. A window suppresses the image edges, where shifted images differ.
enum class CorrelationWindow : uint32_t {
  kHann,  ///< sin^2(pi (i + 1/2) / n) per axis; 1 for a single texel.
  kNone,  ///< All weights are 1: for images that wrap around.
};

/// How the peak is located between texels.
enum class PeakRefinement : uint32_t {
  kNone,      ///< No refinement: whole texels.
  kParabola,  ///< A parabola through the peak and its neighbours, per axis. Biased by up to 0.1 texels, more for
              ///< kPhase.
  kFourier,   ///< The maximum of the trigonometric polynomial c, to which an upsampled transform converges.
};

/// Options of a correlation, the same for both engines.
struct CorrelationOptions {
  Extent size;                         ///< Size of both images, 1 to 65535 per axis.
  Format first = Format::kUndefined;   ///< Any format.
  Format second = Format::kUndefined;  ///< kUndefined: same as first.
  CorrelationKind kind = CorrelationKind::kPhase;
  CorrelationWindow window = CorrelationWindow::kHann;
  PeakRefinement refinement = PeakRefinement::kFourier;
  float floor = 1e-5F;  ///< kPhase: frequencies weaker than this times the square root of the mean power are left out.
                        ///< 0 to 1; the rounding error of the transform is 2e-7.
};

/// A shift between two images.
struct ShiftEstimate {
  double x = 0;           ///< Texels that the second image must move to the right, above -W/2 and up to W/2.
  double y = 0;           ///< Texels that it must move down, above -H/2 and up to H/2.
  double confidence = 0;  ///< c at the peak, 0 to 1. 1: the images are shifts of each other. Images of noise with N
                          ///< texels: about sqrt(2 ln N / N).
};

/// The transforms and the minimum memory traffic of a correlation.
struct CorrelationPlan {
  CorrelationOptions options;  ///< The options, with defaults resolved.
  TransformOptions forward;    ///< The transform of both images at once, as two channels.
  TransformOptions inverse;    ///< The transform back to c.
  Traffic traffic;             ///< Traffic of the transforms.
};

/// Validates the options and computes the plan. Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<CorrelationPlan> plan_correlation(const CorrelationOptions& options);

namespace cpu {

/// Correlates images in host memory. Results are the same for any number of threads.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API Correlator {
 public:
  /// Validates the options, computes tables and allocates memory.
  /// Errors: those of plan_correlation(), kOutOfMemory.
  static Result<Correlator> create(const CorrelationOptions& options, const TransformTuning& tuning = {});

  /// The shift between two images of one slice. Never NaN. Cost: plan().traffic.
  /// Errors: kInvalidArgument if a view does not match the options, kBadData for a texel that is NaN or beyond +-1e18,
  /// kOutOfMemory.
  Result<ShiftEstimate> estimate(const ImageView& first, const ImageView& second);

  /// Computes c for all shifts: texel (x, y) of `target`, kR32Sfloat of options.size, is c of the shift (x, y), modulo
  /// the size.
  /// Errors: those of estimate().
  Result<void> correlate(const ImageView& first, const ImageView& second, const MutableImageView& target);

  [[nodiscard]] const CorrelationPlan& plan() const;  ///< The plan of the options given to create().

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
