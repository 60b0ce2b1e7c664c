// volume_sources_test.cpp: NIfTI, TIFF stacks and numbered planes as volumes, and files that lie or are damaged.
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#ifdef ONEPASS_HAS_TIFF
#include <tiffio.h>
#endif

#include "tests/files/files_support.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/volume_files/zarr_files.hpp"
#include "volume_files/volume_source.hpp"

namespace volume_files_test {
namespace {

using onepass::ErrorCode;
using onepass::Result;
using onepass::VolumeSize;
using onepass::VoxelType;
using onepass::tiles::WorkerPool;
using onepass::volumes::open_volume;
using onepass::volumes::VolumeInput;
using onepass::volumes::VolumeSource;
using onepass::volumes::VolumeSourcePtr;

// The voxel of a volume of tests.
uint16_t voxel_at(uint32_t t, uint32_t c, uint32_t z, uint32_t y, uint32_t x) {
  return static_cast<uint16_t>(((t * 7 + c * 5 + z) * 31 + y) * 37 + x * 3);
}

class VolumeSources : public ::testing::Test {
 protected:
  files_test::TempDirectory directory_;
  WorkerPool pool_{2};

  Result<VolumeSourcePtr> open(const std::filesystem::path& path) { return open_volume({.path = path}, pool_); }

  void expect_refused(const VolumeInput& input, ErrorCode code, const std::vector<std::string>& words) {
    const auto source = open_volume(input, pool_);
    ASSERT_FALSE(source.ok());
    EXPECT_EQ(source.error().code, code) << source.error().text();
    for (const std::string& word : words) {
      EXPECT_NE(source.error().text().find(word), std::string::npos) << source.error().text();
    }
  }

  // Every voxel, and a box inside with gaps between its rows.
  static void expect_voxels(const Result<VolumeSourcePtr>& opened) {
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    VolumeSource& source = **opened;
    const auto& [size, type, set, metadata, block] = source.header();
    ASSERT_EQ(type, VoxelType::kUint16);
    for (uint32_t index = 0; index < set.count(); ++index) {
      const uint32_t x0 = size.width / 3;
      const uint32_t y0 = size.height / 2;
      for (const auto& box : {onepass::volumes::VolumeBox{.size = size},
                              {x0, y0, size.planes - 1, {size.width - x0 - 1, size.height - y0, 1}}}) {
        const size_t row = box.size.width + 1;
        const size_t plane = row * box.size.height + 2;
        std::vector<uint16_t> out(plane * box.size.planes, 0xABCD);
        const auto done = source.read(index, box, reinterpret_cast<std::byte*>(out.data()), row * 2, plane * 2);
        ASSERT_TRUE(done.ok()) << done.error().text();
        size_t wrong = 0;
        for_each({box.size.planes, box.size.height, box.size.width}, [&](const Position& at) {
          wrong += out[at[0] * plane + at[1] * row + at[2]] !=
                   voxel_at(index / set.channels, index % set.channels, box.z + at[0], box.y + at[1], box.x + at[2]);
        });
        EXPECT_EQ(wrong, 0U) << index;
        EXPECT_EQ(out[box.size.width], 0xABCD);
      }
    }
  }
};

// ---- NIfTI

struct Nifti {
  int version = 1;
  bool big_endian = false;
  std::array<int64_t, 8> dim = {3, 11, 9, 5, 1, 1, 1, 1};
  int datatype = 512;
  double slope = 0;
  double intercept = 0;
  double offset = 0;  // 0: behind the header
  std::string magic;

  [[nodiscard]] Bytes header() const {
    Bytes bytes(version == 1 ? 352 : 544);
    const auto put = [&](size_t at, auto value) {
      auto raw = std::bit_cast<std::array<std::byte, sizeof(value)>>(value);
      if (big_endian) std::reverse(raw.begin(), raw.end());
      std::copy(raw.begin(), raw.end(), bytes.begin() + static_cast<ptrdiff_t>(at));
    };
    const double first = offset == 0 ? static_cast<double>(bytes.size()) : offset;
    const std::string name = !magic.empty() ? magic : version == 1 ? "n+1" : "n+2";
    put(0, version == 1 ? int32_t{348} : int32_t{540});
    std::memcpy(&bytes[version == 1 ? 344 : 4], name.data(), name.size());
    for (size_t i = 0; i < 8; ++i) {
      const double length = i == 4 ? 1.5 : 0.25 * static_cast<double>(i);
      if (version == 1) {
        put(40 + 2 * i, static_cast<int16_t>(dim[i]));
        put(76 + 4 * i, static_cast<float>(length));
      } else {
        put(16 + 8 * i, dim[i]);
        put(104 + 8 * i, length);
      }
    }
    put(version == 1 ? 70 : 12, static_cast<int16_t>(datatype));
    constexpr int kMicrometreAndMillisecond = 3 + 16;
    if (version == 1) {
      put(108, static_cast<float>(first));
      put(112, static_cast<float>(slope));
      put(116, static_cast<float>(intercept));
      put(123, static_cast<char>(kMicrometreAndMillisecond));
    } else {
      put(168, static_cast<int64_t>(first));
      put(176, slope);
      put(184, intercept);
      put(500, int32_t{kMicrometreAndMillisecond});
    }
    return bytes;
  }

  [[nodiscard]] Bytes file() const {
    Bytes bytes = header();
    const auto size = [&](int64_t i) { return dim[0] >= i ? static_cast<uint32_t>(dim[static_cast<size_t>(i)]) : 1; };
    for_each({size(5), size(4), size(3), size(2), size(1)}, [&](const Position& at) {
      const uint16_t value = voxel_at(at[1], at[0], at[2], at[3], at[4]);
      const auto high = static_cast<std::byte>(value >> 8);
      const auto low = static_cast<std::byte>(value & 0xFF);
      bytes.push_back(big_endian ? high : low);
      bytes.push_back(big_endian ? low : high);
    });
    return bytes;
  }
};

void save_gzip(const std::filesystem::path& path, const Bytes& bytes) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

TEST_F(VolumeSources, NiftiOfBothVersionsAndByteOrders) {
  for (const int version : {1, 2}) {
    for (const bool big_endian : {false, true}) {
      Nifti nifti{.version = version, .big_endian = big_endian, .dim = {5, 11, 9, 5, 2, 3, 1, 1}};
      files_test::save(directory_ / "in.nii", nifti.file());
      const auto source = open(directory_ / "in.nii");
      expect_voxels(source);
      const auto& header = (*source)->header();
      EXPECT_EQ(header.size, (VolumeSize{11, 9, 5}));
      EXPECT_TRUE(header.set.times == 2 && header.set.channels == 3);
      const auto& metadata = header.metadata;
      EXPECT_TRUE(metadata.voxel->x == 0.25 && metadata.voxel->y == 0.5 && metadata.voxel->z == 0.75);
      EXPECT_EQ(metadata.unit + " " + metadata.time_unit + " " + metadata.name, "micrometer millisecond in");
      EXPECT_EQ(metadata.time_step, 1.5);
      save_gzip(directory_ / "in.nii.gz", nifti.file());
      expect_voxels(open(directory_ / "in.nii.gz"));
    }
  }
  Nifti unscaled;
  unscaled.slope = 1;
  files_test::save(directory_ / "in.nii", unscaled.file());
  expect_voxels(open(directory_ / "in.nii"));
  unscaled.slope = unscaled.intercept = std::nan("");  // as nibabel writes them
  files_test::save(directory_ / "in.nii", unscaled.file());
  expect_voxels(open(directory_ / "in.nii"));
}

TEST_F(VolumeSources, NiftiThatCannotBeRead) {
  const auto path = directory_ / "in.nii";
  const auto refuse = [&](const Nifti& nifti, ErrorCode code, const std::vector<std::string>& words) {
    for (const bool gzip : {false, true}) {
      Bytes bytes = nifti.header();
      bytes.resize(bytes.size() + 990);
      if (gzip) {
        save_gzip(path, bytes);
      } else {
        files_test::save(path, bytes);
      }
      expect_refused({.path = path}, code, words);
    }
  };
  constexpr auto kBad = ErrorCode::kBadData;
  constexpr auto kNot = ErrorCode::kUnsupported;
  for (const int version : {1, 2}) {
    refuse({.version = version, .dim = {0, 11, 9, 5}}, kBad, {"in.nii", "dim[0] is 0"});
    refuse({.version = version, .dim = {8, 11, 9, 5}}, kBad, {"dim[0] is 8"});
    refuse({.version = version, .dim = {3, 11, -9, 5}}, kBad, {"dim[2] is -9"});
    refuse({.version = version, .dim = {3, 11, 9, 0}}, kBad, {"dim[3] is 0"});
    refuse({.version = version, .dim = {6, 11, 9, 5, 1, 1, 2}}, kNot, {"dim[6] is 2"});
    refuse({.version = version, .dim = {3, 32767, 32767, 32767}}, kBad, {"truncated"});
    refuse({.version = version, .datatype = 64}, kNot, {"datatype is 64"});
    refuse({.version = version, .slope = 2}, kNot, {"scl_slope is 2"});
    refuse({.version = version, .slope = 1, .intercept = -1024}, kNot, {"scl_inter -1024"});
    refuse({.version = version, .offset = -1}, kBad, {"vox_offset is -1"});
    refuse({.version = version, .offset = 1e15}, kBad, {"truncated"});
  }
  refuse({.offset = std::nan("")}, kBad, {"vox_offset"});
  refuse({.version = 2, .dim = {3, int64_t{1} << 40, 9, 5}}, kBad, {"dim[1] is 1099511627776"});
  refuse({.version = 2, .dim = {5, 1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30}}, kBad, {"dim[4]"});
  refuse({.magic = "ni1"}, kNot, {".img"});
  refuse({.magic = "n-1"}, kBad, {"no NIfTI"});
  Bytes bytes = Nifti().file();
  bytes.pop_back();
  save_gzip(path, bytes);
  expect_refused({.path = path}, kBad, {"truncated"});
  save_gzip(path, Nifti().file());
  bytes = files_test::load(path);
  bytes[bytes.size() / 2] ^= std::byte{0xFF};
  files_test::save(path, bytes);
  expect_refused({.path = path}, kBad, {"in.nii"});
  files_test::save(path, files_test::bytes_of("text"));
  expect_refused({.path = path}, kNot, {"no volume"});
  files_test::save(path, {});
  expect_refused({.path = path}, kNot, {"no volume"});
  expect_refused({.path = directory_ / "none"}, ErrorCode::kNotFound, {"none"});
}

// ---- Numbered planes

Bytes pgm(uint32_t width, uint32_t height, uint32_t z) {
  Bytes bytes = files_test::bytes_of("P5 " + std::to_string(width) + " " + std::to_string(height) + " 65535\n");
  for_each({height, width}, [&](const Position& at) {
    const uint16_t value = voxel_at(0, 0, z, at[0], at[1]);
    bytes.push_back(static_cast<std::byte>(value >> 8));
    bytes.push_back(static_cast<std::byte>(value & 0xFF));
  });
  return bytes;
}

TEST_F(VolumeSources, NumberedPlanes) {
  constexpr uint32_t kFirst = 7;
  for (uint32_t z = 0; z < 6; ++z) {
    files_test::save(directory_ / ("a_" + std::string(z % 2, '0') + std::to_string(z + kFirst) + ".pgm"),
                     pgm(13, 8, z));
  }
  files_test::save(directory_ / "a_.pgm", {});
  files_test::save(directory_ / "a_x.pgm", {});
  files_test::save(directory_ / "a_1.pgm.txt", {});
  const VolumeInput input{.planes = (directory_ / "a_{z}.pgm").string()};
  auto source = open_volume(input, pool_);
  expect_voxels(source);
  EXPECT_EQ((*source)->header().size, (VolumeSize{13, 8, 6}));
  EXPECT_EQ((*source)->header().block, (VolumeSize{13, 8, 1}));
  // A file that has changed since.
  files_test::save(directory_ / "a_9.pgm", pgm(13, 7, 2));
  std::vector<std::byte> out(13 * 8 * 6 * 2);
  const auto done = (*source)->read(0, {.size = {13, 8, 6}}, out.data(), 26, 26 * 8);
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().text().find("a_9.pgm: is 13x7"), std::string::npos) << done.error().text();
  expect_refused(input, ErrorCode::kBadData, {"a_9.pgm", "13x7", "13x8"});
  std::filesystem::remove(directory_ / "a_9.pgm");
  expect_refused(input, ErrorCode::kNotFound, {"no file of number 9"});
  files_test::save(directory_ / "a_9.pgm", pgm(13, 8, 2));
  files_test::save(directory_ / "a_009.pgm", pgm(13, 8, 2));
  expect_refused(input, ErrorCode::kBadData, {"has the number of"});
  expect_refused({.planes = "a.pgm"}, ErrorCode::kInvalidArgument, {"{z}"});
  expect_refused({.planes = "{z}/a_{z}.pgm"}, ErrorCode::kInvalidArgument, {"{z}"});
  expect_refused({.planes = (directory_ / "b_{z}.pgm").string()}, ErrorCode::kNotFound, {"b_{z}.pgm"});
  expect_refused({.planes = (directory_ / "none/b_{z}.pgm").string()}, ErrorCode::kNotFound, {"none"});
}

#ifdef ONEPASS_HAS_TIFF
// ---- TIFF

struct Pages {
  uint32_t count = 5;
  const char* mode = "w";
  std::string description;
  bool tiled = false;
  uint16_t compression = COMPRESSION_NONE;
  uint32_t rows_per_strip = 4;
  std::function<uint16_t(uint32_t page, uint32_t y, uint32_t x)> value = [](uint32_t page, uint32_t y, uint32_t x) {
    return voxel_at(0, 0, page, y, x);
  };

  void save(const std::filesystem::path& path) const {
    constexpr uint32_t kWidth = 37, kHeight = 21, kTile = 16;
    TIFF* tiff = TIFFOpen(path.c_str(), mode);
    for (uint32_t page = 0; page < count; ++page) {
      TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, kWidth);
      TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, kHeight);
      TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
      TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
      TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
      TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
      if (page == 0 && !description.empty()) TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description.c_str());
      if (!tiled) TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows_per_strip);
      if (tiled) TIFFSetField(tiff, TIFFTAG_TILEWIDTH, kTile);
      if (tiled) TIFFSetField(tiff, TIFFTAG_TILELENGTH, kTile);
      if (tiled) {
        for (uint32_t y = 0; y < kHeight; y += kTile) {
          for (uint32_t x = 0; x < kWidth; x += kTile) {
            std::vector<uint16_t> tile(kTile * kTile);
            for (uint32_t i = 0; i < tile.size(); ++i) tile[i] = value(page, y + i / kTile, x + i % kTile);
            TIFFWriteTile(tiff, tile.data(), x, y, 0, 0);
          }
        }
      } else {
        for (uint32_t y = 0; y < kHeight; ++y) {
          std::vector<uint16_t> row(kWidth);
          for (uint32_t x = 0; x < kWidth; ++x) row[x] = value(page, y, x);
          TIFFWriteScanline(tiff, row.data(), y, 0);
        }
      }
      TIFFWriteDirectory(tiff);
    }
    TIFFClose(tiff);
  }
};

std::string ome(const std::string& order, uint32_t z, uint32_t c, uint32_t t, const std::string& data = "<TiffData/>") {
  return "<?xml version=\"1.0\"?><OME><Image><Pixels DimensionOrder=\"" + order +
         "\" SizeX=\"37\" SizeY=\"21\" SizeZ=\"" + std::to_string(z) + "\" SizeC=\"" + std::to_string(c) +
         "\" SizeT=\"" + std::to_string(t) +
         "\" PhysicalSizeX=\"0.5\" PhysicalSizeY=\"0.5\" PhysicalSizeZ=\"2\"><Channel Name=\"one\"/><Channel "
         "Name=\"two\"/>" +
         data + "</Pixels></Image></OME>";
}

TEST_F(VolumeSources, TiffPagesInStripsAndTiles) {
  const auto path = directory_ / "in.tif";
  for (const char* mode : {"wl", "wb", "w8"}) {
    for (const int compression : {COMPRESSION_NONE, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_LZW}) {
      for (const bool tiled : {false, true}) {
        Pages pages{.mode = mode, .tiled = tiled, .compression = static_cast<uint16_t>(compression)};
        pages.save(path);
        const auto source = open(path);
        expect_voxels(source);
        EXPECT_EQ((*source)->header().size, (VolumeSize{37, 21, 5}));
        EXPECT_FALSE((*source)->header().metadata.voxel);
      }
    }
  }
}

TEST_F(VolumeSources, OmeTiffOfEveryOrder) {
  const auto path = directory_ / "in.ome.tif";
  constexpr uint32_t kZ = 3, kC = 2, kT = 4;
  for (const std::string order : {"XYZCT", "XYZTC", "XYCZT", "XYCTZ", "XYTZC", "XYTCZ"}) {
    Pages pages{.count = kZ * kC * kT, .description = ome(order, kZ, kC, kT)};
    pages.value = [&](uint32_t page, uint32_t y, uint32_t x) {
      uint32_t z = 0, c = 0, t = 0;
      for (const char axis : order.substr(2)) {
        uint32_t& at = axis == 'Z' ? z : axis == 'C' ? c : t;
        const uint32_t size = axis == 'Z' ? kZ : axis == 'C' ? kC : kT;
        at = page % size;
        page /= size;
      }
      return voxel_at(t, c, z, y, x);
    };
    pages.save(path);
    const auto source = open(path);
    expect_voxels(source);
    const auto& header = (*source)->header();
    EXPECT_TRUE(header.size.planes == kZ && header.set.channels == kC && header.set.times == kT);
    EXPECT_TRUE(header.metadata.voxel->x == 0.5 && header.metadata.voxel->z == 2);
    EXPECT_EQ(header.metadata.channel_names, (std::vector<std::string>{"one", "two"}));
  }
  // Each plane on a page of its own, backwards.
  std::string data;
  for (int z = 0; z < 5; ++z) {
    data += "<TiffData FirstZ=\"" + std::to_string(z) + "\" IFD=\"" + std::to_string(4 - z) + "\"/>";
  }
  Pages pages{.description = ome("XYZCT", 5, 1, 1, data)};
  pages.value = [](uint32_t page, uint32_t y, uint32_t x) { return voxel_at(0, 0, 4 - page, y, x); };
  pages.save(path);
  expect_voxels(open(path));
}

TEST_F(VolumeSources, ImagejStackWithOneDirectory) {
  const auto path = directory_ / "in.tif";
  Pages pages{.count = 1,
              .description = "ImageJ=1.53t\nimages=6\nchannels=2\nslices=3\nunit=\\u00B5m\nspacing=2.5\n",
              .rows_per_strip = 21};
  pages.value = [](uint32_t, uint32_t y, uint32_t x) { return voxel_at(0, 0, 0, y, x); };
  pages.save(path);
  // libtiff writes the directory behind the voxels; the other planes follow the first, so the file is built anew.
  const Bytes written = files_test::load(path);
  constexpr size_t kPlane = 37 * 21 * 2;
  const size_t first = 8;
  Bytes planes;
  for (uint32_t page = 1; page < 6; ++page) {
    for_each({21, 37}, [&](const Position& at) {
      const uint16_t value = voxel_at(0, page % 2, page / 2, at[0], at[1]);
      planes.push_back(static_cast<std::byte>(value & 0xFF));
      planes.push_back(static_cast<std::byte>(value >> 8));
    });
  }
  // Voxels of the first plane and the others at the end, where the only strip now begins.
  Bytes bytes = written;
  const auto end = static_cast<uint32_t>(bytes.size());
  bytes.insert(bytes.end(), written.begin() + first, written.begin() + first + kPlane);
  bytes.insert(bytes.end(), planes.begin(), planes.end());
  size_t directory = files_test::get32(bytes, 4);
  for (size_t i = 0; i < files_test::get32(bytes, directory) % 65536; ++i) {
    const size_t entry = directory + 2 + 12 * i;
    if (files_test::get32(bytes, entry) % 65536 == TIFFTAG_STRIPOFFSETS) files_test::set32(bytes, entry + 8, end);
  }
  files_test::save(path, bytes);
  const auto source = open(path);
  expect_voxels(source);
  const auto& header = (*source)->header();
  EXPECT_EQ(header.size, (VolumeSize{37, 21, 3}));
  EXPECT_EQ(header.set.channels, 2U);
  bytes.pop_back();
  files_test::save(path, bytes);
  expect_refused({.path = path}, ErrorCode::kBadData, {"images is 6"});
}

TEST_F(VolumeSources, TiffThatCannotBeRead) {
  const auto path = directory_ / "in.tif";
  const auto refuse = [&](const std::string& description, ErrorCode code, const std::vector<std::string>& words) {
    Pages{.description = description, .compression = COMPRESSION_LZW}.save(path);
    expect_refused({.path = path}, code, words);
  };
  constexpr auto kBad = ErrorCode::kBadData;
  refuse(ome("XYZCT", 6, 1, 1), kBad, {"in.tif", "SizeZ is 6", "5 pages"});
  refuse(ome("XYZCT", 0, 1, 1), kBad, {"SizeZ is 0"});
  refuse(ome("XYZCT", 4294967295, 4294967295, 2), kBad, {"SizeZ is 4294967295"});
  refuse(ome("XYZ", 5, 1, 1), kBad, {"DimensionOrder", "XYZ"});
  refuse(ome("XYZZT", 5, 1, 1), kBad, {"DimensionOrder"});
  refuse(ome("XYZCT", 5, 1, 1, "<TiffData IFD=\"4\" PlaneCount=\"5\"/>"), kBad, {"is page 5"});
  refuse(ome("XYZCT", 5, 1, 1, "<TiffData IFD=\"0\" PlaneCount=\"4\"/>"), kBad, {"no page holds plane z 4"});
  refuse(ome("XYZCT", 5, 1, 1, "<TiffData IFD=\"4294967295\" FirstZ=\"4294967295\" PlaneCount=\"4294967295\"/>"), kBad,
         {"no page"});
  refuse(
      ome("XYZCT", 5, 1, 1, "<TiffData><UUID FileName=\"a\"/></TiffData><TiffData><UUID FileName=\"b\"/></TiffData>"),
      ErrorCode::kUnsupported, {"several files"});
  refuse("ImageJ=1\nimages=6\n", kBad, {"images is 6", "5 pages"});
  refuse("ImageJ=1\nimages=5\nslices=2\nchannels=2\n", kBad, {"slices 2"});
  refuse("ImageJ=1\nimages=x\n", kBad, {"images is 0"});
  refuse("ImageJ=1\nimages=4294967295\nslices=65537\nchannels=65535\n", kBad, {"images is 4294967295"});
}
#endif

// ---- Damage

// Whatever the bytes say, opening and reading end with voxels or an error that names the file.
class VolumeDamage : public VolumeSources {
 protected:
  std::mt19937 random_{onepass::testing::random_seed()};
  uint32_t read_ = 0;

  void open_and_read(const std::filesystem::path& path) {
    auto source = open(path);
    if (!source) {
      EXPECT_FALSE(source.error().context.empty()) << source.error().text();
      return;
    }
    const auto& header = (*source)->header();
    const VolumeSize size{std::min(header.size.width, 40U), std::min(header.size.height, 40U),
                          std::min(header.size.planes, 6U)};
    const size_t row = size_t{size.width} * voxel_info(header.type).bytes;
    std::vector<std::byte> out(row * size.height * size.planes);
    const uint32_t index = static_cast<uint32_t>(random_() % header.set.count());
    const auto done = (*source)->read(index, {.size = size}, out.data(), row, row * size.height);
    if (!done) {
      EXPECT_FALSE(done.error().context.empty()) << done.error().text();
    }
    read_ += done.ok();
  }

  // Changes some bytes of `file`, then opens `path`.
  void damage(const std::filesystem::path& file, const std::filesystem::path& path, int times) {
    const Bytes good = files_test::load(file);
    for (int i = 0; i < times; ++i) {
      Bytes bytes = good;
      for (uint32_t k = 0; k < 1 + random_() % 4; ++k)
        bytes[random_() % bytes.size()] = static_cast<std::byte>(random_());
      if (random_() % 8 == 0) bytes.resize(random_() % bytes.size());
      files_test::save(file, bytes);
      open_and_read(path);
    }
    files_test::save(file, good);
  }
};

TEST_F(VolumeDamage, Nifti) {
  for (const int version : {1, 2}) {
    const Bytes bytes = Nifti{.version = version}.file();
    files_test::save(directory_ / "in.nii", bytes);
    damage(directory_ / "in.nii", directory_ / "in.nii", 300);
    save_gzip(directory_ / "in.nii.gz", bytes);
    damage(directory_ / "in.nii.gz", directory_ / "in.nii.gz", 300);
  }
  EXPECT_GT(read_, 0U);
}

TEST_F(VolumeDamage, Zarr) {
  ZarrFile file{
      .shape = {9, 10, 11}, .chunk = {8, 8, 8}, .block = {4, 4, 2}, .transpose = {1, 0, 2}, .codecs = {"zstd"}};
  for (const bool crc : {false, true}) {
    file.index_has_crc = crc;
    file.index_at_start = crc;
    const auto root = directory_ / ("in" + std::to_string(crc));
    file.write(root);
    damage(root / "zarr.json", root, 500);
    damage(root / "c/0/0/0", root, 500);
  }
  ZarrFile old{.version = 2, .shape = {9, 10, 11}, .chunk = {8, 8, 8}, .codecs = {"gzip"}};
  old.write(directory_ / "old");
  damage(directory_ / "old/.zarray", directory_ / "old", 500);
  damage(directory_ / "old/0/0/0", directory_ / "old", 300);
  EXPECT_GT(read_, 0U);
}

#ifdef ONEPASS_HAS_TIFF
TEST_F(VolumeDamage, Tiff) {
  const auto path = directory_ / "in.tif";
  const Pages kinds[] = {
      {.description = ome("XYZCT", 5, 1, 1, "<TiffData IFD=\"0\" PlaneCount=\"5\"/>")},
      {.description = "ImageJ=1\nimages=5\nslices=5\n", .tiled = true, .compression = COMPRESSION_LZW},
      {.compression = COMPRESSION_ADOBE_DEFLATE}};
  for (const Pages& pages : kinds) {
    pages.save(path);
    damage(path, path, 500);
  }
  EXPECT_GT(read_, 0U);
}
#endif

}  // namespace
}  // namespace volume_files_test
