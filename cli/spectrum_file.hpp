// spectrum_file.hpp: spectra as OpenEXR files: channels R.re, R.im, G.re ... of 32-bit floats, and how to get back.
#pragma once

#include <string>
#include <vector>

#include "base.hpp"
#include "names.hpp"
#include "onepass/fourier.hpp"

namespace onepass::cli {

inline constexpr Name<Norm> kNormNames[] = {
    {"backward", Norm::kBackward}, {"ortho", Norm::kOrtho}, {"forward", Norm::kForward}, {"none", Norm::kNone}};
inline constexpr Name<SpectrumOrigin> kOriginNames[] = {{"corner", SpectrumOrigin::kCorner},
                                                        {"centre", SpectrumOrigin::kCentre}};

/// A spectrum and the transform that made it: real signals, one slice, rows, floats.
struct SpectrumFile {
  TransformOptions options;
  std::vector<std::byte> spectrum;
  PictureInfo info;  ///< Of the picture.
};

/// Writes it; attributes say size, norm, origin and format, and what the picture's numbers mean. Errors: kIo,
/// kOutOfMemory.
[[nodiscard]] Result<void> write_spectrum(const std::string& path, const TransformPlan& plan,
                                          const std::vector<std::byte>& spectrum, const PictureInfo& info);

/// Reads what write_spectrum wrote, or any EXR file with such channels: then of even width, norm backward, DC in the
/// corner. Errors: those of files::read; kBadData for a size that no spectrum has.
[[nodiscard]] Result<SpectrumFile> read_spectrum(const std::string& path, uint32_t threads, uint64_t max_bytes);

}  // namespace onepass::cli
