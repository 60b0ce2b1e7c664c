// spectrum_file.hpp: stores spectra as OpenEXR files of 32-bit floats, channels R.re, R.im, G.re, ..., with attributes
// from which the picture can be restored.
#pragma once

#include <string>
#include <vector>

#include "base.hpp"
#include "names.hpp"
#include "onepass/fourier.hpp"

namespace onepass::cli {

/// A spectrum and the options of the transform that made it: one slice of real input, 32-bit floats.
struct SpectrumFile {
  TransformOptions options;
  std::vector<std::byte> spectrum;
  PictureInfo info;  ///< Of the picture.
};

/// Writes a spectrum. Attributes hold the picture's size, the norm, the origin, and the picture's format, alpha,
/// primaries and windows. Errors: kIo, kOutOfMemory.
[[nodiscard]] Result<void> write_spectrum(const std::string& path, const TransformPlan& plan,
                                          const std::vector<std::byte>& spectrum, const PictureInfo& info);

/// Reads a file of write_spectrum(), or any EXR file with such channels, for which an even width, norm backward and DC
/// in the corner are assumed. Errors: those of files::read; kBadData for a size that no spectrum has.
[[nodiscard]] Result<SpectrumFile> read_spectrum(const Request& request, const std::string& path);

}  // namespace onepass::cli
