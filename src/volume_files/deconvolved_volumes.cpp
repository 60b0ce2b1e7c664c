// deconvolved_volumes.cpp: the library's deconvolution in tiles, between a source and a file.
#include "volume_files/deconvolved_volumes.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>
#include <utility>

#include "files/writers.hpp"
#include "image/error.hpp"
#include "onepass/words.hpp"
#include "tiles/system.hpp"
#include "volume_files/crc32c.hpp"
#include "volume_files/flat_voxels.hpp"
#include "volume_files/ome_metadata.hpp"

namespace onepass::volumes {
namespace {

using tiles::text_of;

constexpr uint32_t kLeastSlab = 16;            // planes that are read at once: enough for all threads of a decoder
constexpr uint32_t kMostKernelExtent = 65535;  // VolumeDeconvolutionOptions::kernel_size

/// Memory of the plan, out of that of the run: the rest is for the kernel's voxels, decoders and further threads. It
/// does not depend on the number of threads, because tiles change bits of the result.
uint64_t limit_of_tiles(uint64_t max_bytes) { return max_bytes / 8 * 7; }

uint64_t voxels_bytes(const VolumeHeader& header) { return product(header.size) * voxel_info(header.type).bytes; }

/// Planes of a slab: whole blocks of the source.
uint32_t slab_planes(const VolumeHeader& header) {
  const uint32_t block = std::max(header.block.planes, 1U);
  return block >= kLeastSlab ? block : (kLeastSlab + block - 1) / block * block;
}

std::string lengths_text(const VoxelSize& voxel) {
  const auto text = [](double length) { return number_text(static_cast<float>(length)); };
  return text_of(text(voxel.x), "x", text(voxel.y), "x", text(voxel.z));
}

/// The extents of a voxel in micrometres, as the metadata state them or `given` does.
std::optional<VoxelSize> lengths_of(const VolumeMetadata& metadata, const std::optional<VoxelSize>& given) {
  if (given) return given;
  const auto unit = zarr::micrometres(metadata.unit);
  if (!metadata.voxel || !unit) return std::nullopt;
  const VoxelSize& v = *metadata.voxel;
  return VoxelSize{v.x * *unit, v.y * *unit, v.z * *unit};
}

bool is_near(double a, double b) { return std::fabs(a - b) <= 0.01 * std::max(std::fabs(a), std::fabs(b)); }

}  // namespace

Result<std::unique_ptr<DeconvolvedVolumes>> DeconvolvedVolumes::open(const VolumeLayout& layout, VolumeSource& source,
                                                                     tiles::WorkerPool& pool,
                                                                     const remote::SitePtr& kernel_site) {
  if (source.header().type == VoxelType::kUint64) {
    return Error{ErrorCode::kInvalidArgument, "deconvolution: voxels are uint64, labels, which no blur has made",
                 source.name()};
  }
  std::unique_ptr<DeconvolvedVolumes> volumes(new DeconvolvedVolumes(layout, source));
  if (auto done = volumes->read_kernel(pool, kernel_site); !done) return done.error();
  if (auto done = volumes->plan(pool.threads()); !done) return done.error();
  if (auto done = volumes->check_weights(); !done) return done.error();
  return volumes;
}

Result<void> DeconvolvedVolumes::check_kernel(const VolumeHeader& kernel) const {
  const auto wrong = [&](ErrorCode code, std::string text) { return Error{code, std::move(text), kernel_name_}; };
  const uint32_t channels = source_.header().set.channels;
  if (kernel.set.times > 1) {
    return wrong(ErrorCode::kInvalidArgument,
                 text_of("has ", kernel.set.times, " times; a point spread function has one"));
  }
  if (kernel.set.channels > 1 && kernel.set.channels != channels) {
    return wrong(ErrorCode::kInvalidArgument, text_of("has ", kernel.set.channels,
                                                      " channels; a point spread function has one, or those of the "
                                                      "volume: ",
                                                      channels));
  }
  if (kernel.type == VoxelType::kUint64) {
    return wrong(ErrorCode::kUnsupported, "has uint64, labels, not the weights of a point spread function");
  }
  if (std::max({kernel.size.width, kernel.size.height, kernel.size.planes}) > kMostKernelExtent) {
    return wrong(ErrorCode::kUnsupported,
                 text_of("has ", axes_text(kernel.size), " voxels; a point spread function has up to ",
                         kMostKernelExtent, " per axis"));
  }
  const uint64_t most = limit_of_tiles(layout_.options.max_bytes);
  const uint64_t bytes = voxels_bytes(kernel);
  if (bytes <= most / kernel.set.channels) return {};
  return wrong(ErrorCode::kOutOfMemory, text_of("has ", axes_text(kernel.size), " voxels, more than the limit of ",
                                                layout_.options.max_bytes >> 20, " MiB holds"));
}

/// Reads all voxels of the point spread function.
Result<void> DeconvolvedVolumes::read_kernel(tiles::WorkerPool& pool, const remote::SitePtr& kernel_site) {
  const VolumeInput& input = layout_.options.deconvolution->kernel;
  auto opened = open_volume(input, pool, kernel_site);
  if (!opened) {
    Error error = opened.error();
    if (error.code == ErrorCode::kInvalidArgument) error.message = "deconvolution: " + error.message;
    return error;
  }
  VolumeSource& kernel = **opened;
  const VolumeHeader& header = kernel.header();
  kernel_name_ = kernel.name();
  if (auto fine = check_kernel(header); !fine) return fine;
  kernels_ = header.set.channels;
  const size_t row = size_t{header.size.width} * voxel_info(header.type).bytes;
  const size_t plane = row * header.size.height;
  kernel_.resize(plane * header.size.planes * kernels_);
  for (uint32_t k = 0; k < kernels_; ++k) {
    const VolumeBox all = {0, 0, 0, header.size};
    if (auto done = kernel.read(k, all, kernel_.data() + k * plane * header.size.planes, row, plane); !done)
      return done;
  }
  plan_.options.kernel = header.type;
  plan_.options.kernel_size = header.size;
  const auto mine = lengths_of(layout_.header.metadata, layout_.options.input.voxel);
  const auto theirs = lengths_of(header.metadata, input.voxel);
  if (mine && theirs && !(is_near(mine->x, theirs->x) && is_near(mine->y, theirs->y) && is_near(mine->z, theirs->z))) {
    warning_ = text_of(kernel_name_, " has voxels of ", lengths_text(*theirs), " micrometres, the volume of ",
                       lengths_text(*mine), ": the point spread function is used as it is, not resampled");
  }
  return {};
}

/// Tiles and threads.
Result<void> DeconvolvedVolumes::plan(uint32_t threads) {
  const VolumeFileDeconvolution& d = *layout_.options.deconvolution;
  const VolumeHeader& header = source_.header();
  VolumeDeconvolutionOptions o = plan_.options;
  o.size = header.size;
  o.source = header.type;
  o.target = layout_.header.type;
  o.kernel_origin = d.kernel_origin;
  o.iterations = d.iterations;
  o.acceleration = d.acceleration;
  o.start = d.start;
  o.background = d.background;
  o.halo = d.halo;
  const uint64_t most = layout_.options.max_bytes;
  o.max_bytes = limit_of_tiles(most);
  auto planned = plan_volume_deconvolution(o, VolumeAccess::kFunctions);
  if (!planned) {
    Error error = planned.error();
    if (!error.message.starts_with("max_bytes: ")) return error;
    return Error{ErrorCode::kOutOfMemory,
                 text_of("a deconvolution in 7/8 of the limit of ", most >> 20, " MiB: ", error.message),
                 source_.name()};
  }
  plan_ = *planned;
  VolumeSize slab = plan_.measured;
  slab.planes = std::min(slab.planes, slab_planes(header));
  memory_bytes_ = plan_.memory_bytes + kernel_.size() + source_.memory_bytes(slab);
  if (memory_bytes_ > most) {
    return Error{
        ErrorCode::kOutOfMemory,
        text_of("a deconvolution needs ", memory_bytes_ >> 20,
                " MiB with the point spread function and decoders, more than the limit of ", most >> 20, " MiB"),
        source_.name()};
  }
  const uint64_t further = (most - memory_bytes_) / std::max<uint64_t>(plan_.thread_bytes, 1);
  threads_ = static_cast<uint32_t>(std::min<uint64_t>(threads, 1 + further));
  memory_bytes_ += (threads_ - 1) * plan_.thread_bytes;
  return {};
}

/// The weights of further channels are checked before hours of work on the first one: a deconvolution of one voxel.
Result<void> DeconvolvedVolumes::check_weights() const {
  VolumeDeconvolutionOptions o = plan_.options;
  o.size = {1, 1, 1};
  o.source = o.target = VoxelType::kFloat32;
  o.iterations = 1;
  float voxel = 1;
  for (uint32_t k = 0; k < kernels_; ++k) {
    const auto done = cpu::deconvolve_volume(o, cpu::VolumeView{&voxel, 4, 4}, kernel_of(k),
                                             cpu::MutableVolumeView{&voxel, 4, 4}, {.threads = threads_});
    if (!done) return about_kernel(done.error());
  }
  return {};
}

/// Errors of the kernel, in the words of this function.
Error DeconvolvedVolumes::about_kernel(Error error) const {
  if (error.context == "kernel") {
    error.context = kernel_name_;
    if (kernels_ == 1) error.message = "as a point spread function: " + error.message;
  }
  return error;
}

std::string DeconvolvedVolumes::identity() const {
  const VolumeDeconvolutionOptions& o = plan_.options;
  return text_of(axes_text(o.kernel_size), " ", voxel_info(o.kernel).name, " ", kernels_, " ", crc32c_of(kernel_), " ",
                 o.kernel_origin->x, ",", o.kernel_origin->y, ",", o.kernel_origin->z, " ", o.iterations, " ",
                 word_of(o.acceleration), " ", word_of(o.start), " ", number_text(o.background), " ",
                 axes_text(*o.halo), " ", axes_text(plan_.tile), " ", voxel_info(o.target).name);
}

std::filesystem::path DeconvolvedVolumes::path_of(uint32_t volume) const {
  return layout_.work / text_of("deconvolved_", volume);
}

cpu::VolumeView DeconvolvedVolumes::kernel_of(uint32_t volume) const {
  const VolumeDeconvolutionOptions& o = plan_.options;
  const size_t row = size_t{o.kernel_size.width} * voxel_info(o.kernel).bytes;
  const size_t plane = row * o.kernel_size.height;
  return {kernel_.data() + volume % kernels_ * plane * o.kernel_size.planes, row, plane};
}

/// Reads a tile in slabs.
Result<void> DeconvolvedVolumes::read_tile(uint32_t volume, const VolumePoint& first, const VolumeSize& size,
                                           const cpu::MutableVolumeView& voxels,
                                           const std::function<Result<void>()>& poll) {
  const uint32_t depth = slab_planes(source_.header());
  for (uint32_t z = 0; z < size.planes;) {
    const uint32_t planes = std::min(depth - (first.z + z) % depth, size.planes - z);
    const VolumeBox box = {first.x, first.y, first.z + z, {size.width, size.height, planes}};
    auto* const out = static_cast<std::byte*>(voxels.data) + z * voxels.plane_stride;
    auto done = source_.read(volume, box, out, voxels.row_stride, voxels.plane_stride);
    if (done) done = poll();
    if (!done) return done;
    z += planes;
  }
  return {};
}

/// Writes a box to its place in the file.
Result<void> DeconvolvedVolumes::write_box(const std::filesystem::path& path, int file, const VolumePoint& first,
                                           const VolumeSize& size, const cpu::VolumeView& voxels) const {
  const VolumeSize& whole = layout_.header.size;
  const size_t row = size_t{size.width} * layout_.voxel_bytes();
  const uint32_t rows = size.width == whole.width && voxels.row_stride == row ? size.height : 1;
  for (uint32_t z = 0; z < size.planes; ++z) {
    for (uint32_t y = 0; y < size.height; y += rows) {
      const uint64_t place = (uint64_t{first.z + z} * whole.height + first.y + y) * whole.width + first.x;
      const auto* const from =
          static_cast<const std::byte*>(voxels.data) + z * voxels.plane_stride + y * voxels.row_stride;
      const int failed = tiles::write_fully(file, {from, row * rows}, place * layout_.voxel_bytes());
      if (failed != 0) return tiles::write_error(path, failed);
    }
  }
  return {};
}

Result<void> DeconvolvedVolumes::deconvolve(uint32_t volume, const std::filesystem::path& path, const Report& report) {
  files::Handle file = tiles::system::open_file(path, tiles::system::Access::kReplace);
  if (!file.valid()) return tiles::write_error(path, errno);
  double done_part = 0;
  Result<void> reported;
  const auto poll = [&] { return report(done_part); };
  const remote::PollScope polls(layout_.site, poll);
  const auto read = [&](VolumePoint first, VolumeSize size, const cpu::MutableVolumeView& voxels) {
    return read_tile(volume, first, size, voxels, poll);
  };
  const auto write = [&](VolumePoint first, VolumeSize size, const cpu::VolumeView& voxels) {
    return write_box(path, file.number(), first, size, voxels);
  };
  const auto progress = [&](double part) {
    reported = report(done_part = part);
    return reported.ok();
  };
  const auto done = cpu::deconvolve_volume(plan_.options, read, kernel_of(volume), write,
                                           {.threads = threads_, .progress = progress});
  if (!reported) return reported;
  if (!done) return about_kernel(done.error());
  if (!tiles::system::sync_data(file.number())) return tiles::write_error(path, errno);
  return file.close() ? Result<void>() : tiles::write_error(path, errno);
}

Result<void> DeconvolvedVolumes::make(uint32_t volume, const Report& report) {
  const std::filesystem::path path = path_of(volume);
  const auto status = tiles::system::status(path);
  if (!status || status->size != voxels_bytes(layout_.header)) {
    std::filesystem::path part = path;
    part += ".part";
    if (auto done = deconvolve(volume, part, report); !done) return done;
    std::error_code error;
    std::filesystem::rename(part, path, error);
    if (error) return tiles::write_error(path, error.value());
  }
  auto file = tiles::open_input(path);
  if (!file) return file.error();
  file_ = std::move(*file);
  return report(1);
}

Result<void> DeconvolvedVolumes::read(uint32_t volume, const VolumeBox& box, std::byte* out, size_t row_stride,
                                      size_t plane_stride) {
  return read_flat_voxels(path_of(volume).string(), file_, 0, layout_.header, false, box, out, row_stride,
                          plane_stride);
}

void DeconvolvedVolumes::remove(uint32_t volume) {
  std::error_code none;
  file_ = {};
  std::filesystem::remove(path_of(volume), none);
}

}  // namespace onepass::volumes
