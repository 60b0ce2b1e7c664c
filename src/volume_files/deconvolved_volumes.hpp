// deconvolved_volumes.hpp: the volumes of an input, deconvolved one after the other into files of the unfinished
// output.
//
//     OUT.unfinished/deconvolved_3        volume 3: voxels of the output's type, x fastest; until its blocks are made
//     OUT.unfinished/deconvolved_3.part   the same, not complete
//
// A run that resumes takes a complete file as it is.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "onepass/fourier_volume.hpp"
#include "tiles/file_io.hpp"
#include "volume_files/volume_layout.hpp"

namespace onepass::volumes {

class DeconvolvedVolumes {
 public:
  /// Receives the part of a deconvolution that is done; its error ends the deconvolution.
  using Report = std::function<Result<void>(double part)>;

  /// Reads the point spread function and plans the tiles. The references outlive the object.
  /// Errors: those of a source; kInvalidArgument, kBadData or kUnsupported for a point spread function or options that
  /// do not fit; kOutOfMemory if max_bytes is too small.
  static Result<std::unique_ptr<DeconvolvedVolumes>> open(const VolumeLayout& layout, VolumeSource& source,
                                                          tiles::WorkerPool& pool, const remote::SitePtr& kernel_site);

  /// All that decides the voxels besides the input.
  [[nodiscard]] std::string identity() const;
  [[nodiscard]] VolumeSize tiles() const { return plan_.tiles; }
  /// Memory of make().
  [[nodiscard]] uint64_t memory_bytes() const { return memory_bytes_; }
  /// Memory of the point spread functions, as long as the object lives.
  [[nodiscard]] uint64_t kernel_bytes() const { return kernel_.size(); }
  /// A sentence on voxels of another size; empty: none.
  [[nodiscard]] const std::string& warning() const { return warning_; }

  /// Deconvolves a volume of the set, unless its file is complete. Errors: those of the source and of `report`; kIo.
  Result<void> make(uint32_t volume, const Report& report);

  /// VolumeSource::read() of the volume that make() made last.
  Result<void> read(uint32_t volume, const VolumeBox& box, std::byte* out, size_t row_stride, size_t plane_stride);

  /// Removes the files of a volume.
  void remove(uint32_t volume);

 private:
  DeconvolvedVolumes(const VolumeLayout& layout, VolumeSource& source) : layout_(layout), source_(source) {}

  [[nodiscard]] std::filesystem::path path_of(uint32_t volume) const;
  [[nodiscard]] cpu::VolumeView kernel_of(uint32_t volume) const;
  Result<void> read_kernel(tiles::WorkerPool& pool, const remote::SitePtr& kernel_site);
  Result<void> check_kernel(const VolumeHeader& kernel) const;
  Result<void> check_weights() const;
  Result<void> plan(uint32_t threads);
  [[nodiscard]] Error about_kernel(Error error) const;
  Result<void> read_tile(uint32_t volume, const VolumePoint& first, const VolumeSize& size,
                         const cpu::MutableVolumeView& voxels, const std::function<Result<void>()>& poll);
  Result<void> write_box(const std::filesystem::path& path, int file, const VolumePoint& first, const VolumeSize& size,
                         const cpu::VolumeView& voxels) const;
  Result<void> deconvolve(uint32_t volume, const std::filesystem::path& path, const Report& report);

  const VolumeLayout& layout_;
  VolumeSource& source_;
  VolumeDeconvolutionPlan plan_;
  uint32_t threads_ = 1;
  uint64_t memory_bytes_ = 0;
  std::string warning_;
  std::string kernel_name_;
  uint32_t kernels_ = 1;           ///< Point spread functions: one, or one per channel.
  std::vector<std::byte> kernel_;  ///< Their voxels, one after the other.
  tiles::InputHandle file_;        ///< What make() made.
};

}  // namespace onepass::volumes
