// source_nifti.cpp: NIfTI-1 and NIfTI-2 in one file, of either byte order, also compressed by gzip. A compressed file
// is decompressed once, into a temporary file without a name, because gzip has no random access. Sources: "NIfTI-1 data
// format", nifti1.h, 2007; "NIfTI-2 data format", nifti2.h, 2011.
#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>

#include "files/readers.hpp"
#include "tiles/system.hpp"
#include "tiles/text.hpp"
#include "volume_files/flat_voxels.hpp"
#include "volume_files/gzip_file.hpp"
#include "volume_files/volume_source.hpp"

namespace onepass::volumes {
namespace {

constexpr size_t kHeader1Bytes = 348;
constexpr size_t kHeader2Bytes = 540;

// What both versions state.
struct NiftiHeader {
  bool swapped = false;
  std::array<int64_t, 8> dim{};
  std::array<double, 8> pixdim{};
  int datatype = 0;
  int units = 0;
  double offset = 0;  // of the first voxel, in bytes
  double slope = 0, intercept = 0;
  bool is_pair = false;  // voxels are in a file of their own
};

// Numbers of a header at fixed places.
struct HeaderBytes {
  std::span<const std::byte> bytes;
  bool swapped = false;

  template <typename T>
  [[nodiscard]] T at(size_t offset) const {
    std::array<std::byte, sizeof(T)> value;
    std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(offset), sizeof(T), value.begin());
    if (swapped) std::reverse(value.begin(), value.end());
    return std::bit_cast<T>(value);
  }
  [[nodiscard]] bool has_text(size_t offset, std::string_view text) const {
    return std::memcmp(bytes.data() + offset, text.data(), text.size()) == 0;
  }
};

NiftiHeader header_1(const HeaderBytes& from) {
  NiftiHeader header{.swapped = from.swapped};
  for (size_t i = 0; i < 8; ++i) {
    header.dim[i] = from.at<int16_t>(40 + 2 * i);
    header.pixdim[i] = from.at<float>(76 + 4 * i);
  }
  header.datatype = from.at<int16_t>(70);
  header.offset = from.at<float>(108);
  header.slope = from.at<float>(112);
  header.intercept = from.at<float>(116);
  header.units = std::to_integer<int>(from.bytes[123]);
  header.is_pair = from.has_text(344, "ni1");
  return header;
}

NiftiHeader header_2(const HeaderBytes& from) {
  NiftiHeader header{.swapped = from.swapped};
  for (size_t i = 0; i < 8; ++i) {
    header.dim[i] = from.at<int64_t>(16 + 8 * i);
    header.pixdim[i] = from.at<double>(104 + 8 * i);
  }
  header.datatype = from.at<int16_t>(12);
  header.offset = static_cast<double>(from.at<int64_t>(168));
  header.slope = from.at<double>(176);
  header.intercept = from.at<double>(184);
  header.units = from.at<int32_t>(500);
  header.is_pair = from.has_text(4, "ni2");
  return header;
}

std::optional<NiftiHeader> parse_nifti(std::span<const std::byte> bytes) {
  for (const bool swapped : {false, true}) {
    const HeaderBytes from{bytes, swapped};
    const auto size = bytes.size() < kHeader1Bytes ? 0 : from.at<int32_t>(0);
    if (size == kHeader1Bytes && (from.has_text(344, "n+1") || from.has_text(344, "ni1"))) return header_1(from);
    const bool is_2 = size == kHeader2Bytes && bytes.size() >= kHeader2Bytes;
    if (is_2 && (from.has_text(4, "n+2") || from.has_text(4, "ni2"))) return header_2(from);
  }
  return std::nullopt;
}

struct NiftiType {
  int code;
  VoxelType type;
};
constexpr NiftiType kNiftiTypes[] = {{2, VoxelType::kUint8},    {4, VoxelType::kInt16},    {8, VoxelType::kInt32},
                                     {16, VoxelType::kFloat32}, {256, VoxelType::kInt8},   {512, VoxelType::kUint16},
                                     {768, VoxelType::kUint32}, {1280, VoxelType::kUint64}};

// Units of length are in the low three bits, units of time in the next three.
std::string length_unit(int units) {
  constexpr const char* kUnits[] = {"", "meter", "millimeter", "micrometer"};
  return (units & 7) < 4 ? kUnits[units & 7] : "";
}
std::string time_unit(int units) {
  switch (units & 0x38) {
    case 8:
      return "second";
    case 16:
      return "millisecond";
    case 24:
      return "microsecond";
    default:
      return "";
  }
}

class NiftiVolume final : public VolumeSource {
 public:
  explicit NiftiVolume(const std::filesystem::path& path) { name_ = path.string(); }

  Result<void> open();

  [[nodiscard]] uint64_t memory_bytes(VolumeSize /*box*/) const override { return 0; }
  Result<void> read(uint32_t index, const VolumeBox& box, std::byte* out, size_t row_stride,
                    size_t plane_stride) override {
    // In the file channels vary slowest.
    const uint64_t stored = uint64_t{index % header_.set.channels} * header_.set.times + index / header_.set.channels;
    return read_flat_voxels(name_, file_, offset_ + stored * volume_bytes_, header_, swapped_, box, out, row_stride,
                            plane_stride);
  }

 private:
  [[nodiscard]] Error refused(ErrorCode code, const std::string& text) const { return {code, "NIfTI: " + text, name_}; }
  Result<void> take_header(const NiftiHeader& nifti);
  Result<void> take_sizes(const NiftiHeader& nifti);
  Result<void> check_size(uint64_t size_of_file, uint64_t ratio) const;
  Result<void> decompress();

  tiles::InputHandle file_;
  bool swapped_ = false;
  uint64_t offset_ = 0;
  uint64_t volume_bytes_ = 0;
};

Result<void> NiftiVolume::take_sizes(const NiftiHeader& nifti) {
  const auto& dim = nifti.dim;
  if (dim[0] < 1 || dim[0] > 7)
    return refused(ErrorCode::kBadData, tiles::text_of("dim[0] is ", dim[0], ", not 1 to 7"));
  std::array<uint32_t, 8> sizes{};
  sizes.fill(1);
  for (size_t i = 1; i <= static_cast<size_t>(dim[0]); ++i) {
    constexpr int64_t kMost = int64_t{1} << 31;
    if (dim[i] < 1 || dim[i] > kMost) return refused(ErrorCode::kBadData, tiles::text_of("dim[", i, "] is ", dim[i]));
    sizes[i] = static_cast<uint32_t>(dim[i]);
    if (i > 5 && sizes[i] > 1) {
      return refused(ErrorCode::kUnsupported, tiles::text_of("dim[", i, "] is ", dim[i], "; up to five are read"));
    }
  }
  header_.size = {sizes[1], sizes[2], sizes[3]};
  header_.set = {.times = sizes[4],
                 .channels = sizes[5],
                 .has_time_axis = dim[0] >= 4 && sizes[4] > 1,
                 .has_channel_axis = dim[0] >= 5 && sizes[5] > 1};
  header_.block = {sizes[1], 1, 1};
  if (uint64_t{sizes[4]} * sizes[5] > UINT32_MAX) {
    return refused(ErrorCode::kBadData, tiles::text_of("dim[4] is ", dim[4], " and dim[5] ", dim[5]));
  }
  return {};
}

Result<void> NiftiVolume::take_header(const NiftiHeader& nifti) {
  if (nifti.is_pair) return refused(ErrorCode::kUnsupported, "voxels are in another file (.img); .nii is read");
  if (auto done = take_sizes(nifti); !done) return done;
  const auto* type = std::find_if(std::begin(kNiftiTypes), std::end(kNiftiTypes),
                                  [&](const NiftiType& known) { return known.code == nifti.datatype; });
  if (type == std::end(kNiftiTypes)) {
    return refused(ErrorCode::kUnsupported,
                   tiles::text_of("datatype is ", nifti.datatype,
                                  "; 2, 4, 8, 16, 256, 512, 768 and 1280 are read: integers of up to 32 bits, "
                                  "uint64 and float32"));
  }
  header_.type = type->type;
  // Slope 0 means that values are not scaled.
  const bool scaled = nifti.slope != 0 && (nifti.slope != 1 || nifti.intercept != 0);
  if (scaled && !(std::isnan(nifti.slope) && std::isnan(nifti.intercept))) {
    return refused(ErrorCode::kUnsupported, tiles::text_of("scl_slope is ", nifti.slope, " and scl_inter ",
                                                           nifti.intercept, "; voxels that are the values are read"));
  }
  if (!(nifti.offset >= 0 && nifti.offset < 0x1p+62)) {
    return refused(ErrorCode::kBadData, tiles::text_of("vox_offset is ", nifti.offset));
  }
  offset_ = static_cast<uint64_t>(nifti.offset);
  swapped_ = nifti.swapped;
  volume_bytes_ = files::saturated_product(
      files::saturated_product(uint64_t{header_.size.width} * header_.size.height, header_.size.planes),
      voxel_info(header_.type).bytes);
  VolumeMetadata& metadata = header_.metadata;
  const VoxelSize voxel{std::abs(nifti.pixdim[1]), std::abs(nifti.pixdim[2]), std::abs(nifti.pixdim[3])};
  const auto is_length = [](double length) { return std::isfinite(length) && length > 0; };
  if (is_length(voxel.x) && is_length(voxel.y) && is_length(voxel.z)) metadata.voxel = voxel;
  metadata.unit = length_unit(nifti.units);
  metadata.time_unit = time_unit(nifti.units);
  if (is_length(nifti.pixdim[4]) && !metadata.time_unit.empty()) metadata.time_step = nifti.pixdim[4];
  return {};
}

// A file of `size_of_file` bytes that hold at most `ratio` bytes each.
Result<void> NiftiVolume::check_size(uint64_t size_of_file, uint64_t ratio) const {
  const uint64_t bytes = files::saturated_product(volume_bytes_, header_.set.count());
  if (bytes <= files::saturated_product(size_of_file, ratio) &&
      offset_ <= files::saturated_product(size_of_file, ratio) - bytes) {
    return {};
  }
  return refused(ErrorCode::kBadData,
                 tiles::text_of("has ", size_of_file, " bytes", ratio > 1 ? ", compressed," : "", "; its header needs ",
                                offset_, " + ", bytes, ": truncated or damaged"));
}

// From here on file_ is the contents of the compressed file.
Result<void> NiftiVolume::decompress() {
  tiles::InputHandle contents;
  contents.handle = tiles::system::create_temporary_file();
  if (!contents.handle.valid()) {
    return Error{ErrorCode::kIo, std::string("cannot create a temporary file: ") + std::strerror(errno), name_};
  }
  const uint64_t wanted = offset_ + volume_bytes_ * header_.set.count();
  const auto write = [&](std::span<const std::byte> part) -> Result<void> {
    const int number = tiles::write_fully(contents.handle.number(), part, contents.size);
    contents.size += part.size();
    if (number == 0) return {};
    return Error{ErrorCode::kIo, std::string("cannot write its contents to a temporary file: ") + std::strerror(number),
                 name_};
  };
  const auto got = decompress_gzip(name_, file_, wanted, write);
  if (!got) return got.error();
  file_ = std::move(contents);
  return {};
}

Result<void> NiftiVolume::open() {
  auto file = tiles::open_input(name_);
  if (!file) return file.error();
  file_ = std::move(*file);
  std::vector<std::byte> start(std::min<uint64_t>(file_.size, kHeader2Bytes));
  if (const int number = tiles::read_fully(file_.handle.number(), start.data(), start.size(), 0); number != 0) {
    return Error{ErrorCode::kIo, "cannot read it", name_};
  }
  const bool gzip = start.size() > 2 && start[0] == std::byte{0x1F} && start[1] == std::byte{0x8B};
  if (gzip) {
    start.clear();
    const auto got = decompress_gzip(name_, file_, kHeader2Bytes, [&](std::span<const std::byte> part) {
      start.insert(start.end(), part.begin(), part.end());
      return Result<void>();
    });
    if (!got) return got.error();
  }
  const auto nifti = parse_nifti(start);
  if (!nifti) return Error{ErrorCode::kBadData, "is no NIfTI file", name_};
  if (auto done = take_header(*nifti); !done) return done;
  if (auto fine = check_size(file_.size, gzip ? kBestGzipRatio : 1); !fine) return fine;
  if (gzip) {
    if (auto done = decompress(); !done) return done;
    if (auto fine = check_size(file_.size, 1); !fine) return fine;
  }
  std::filesystem::path stem = std::filesystem::path(name_).stem();
  if (stem.extension() == ".nii") stem = stem.stem();
  header_.metadata.name = stem.string();
  return {};
}

}  // namespace

Result<VolumeSourcePtr> open_nifti_volume(const std::filesystem::path& path) {
  auto source = std::make_unique<NiftiVolume>(path);
  if (auto done = source->open(); !done) return done.error();
  return VolumeSourcePtr(std::move(source));
}

}  // namespace onepass::volumes
