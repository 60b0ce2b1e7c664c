// exr_scan.cpp: scans the headers of an OpenEXR file before OpenEXR parses them.
//
// OpenEXR 3.1 allocates attribute values by the sizes that the file states, and tables by its windows, before it
// notices that the file is too short. This scan follows the lengths only and refuses such files:
//     magic 4 | version and flags 4 | header of each part | 0 (multi-part files only) | offset tables | chunks
//     header: { name 0 type 0 size 4 value }... 0
//
// Source: OpenEXR, "OpenEXR File Layout", 2.0.
#include "files/exr_scan.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "image/div_up.hpp"

namespace onepass::files {
namespace {

constexpr uint32_t kTiledFlag = 0x200;
constexpr uint32_t kDeepFlag = 0x800;
constexpr uint32_t kMultiPartFlag = 0x1000;
constexpr size_t kMaxNameLength = 255;
constexpr uint64_t kMaxLinesPerChunk = 256;  // DWAB
// Memory of OpenEXR 3.1 for headers, which it copies several times: measured with 20000 attributes of 13 bytes, and
// with 400 parts, and rounded up.
constexpr uint64_t kPartMemory = 16384;
constexpr uint64_t kAttributeMemory = 2048;
constexpr uint64_t kByteMemory = 8;

constexpr int64_t kMaxWindowEdge = int64_t{1} << 30;

// Attribute types of fixed size. OpenEXR reads that many bytes whatever size the file states, and would take the rest
// of a longer value for the next attribute.
struct TypeSize {
  std::string_view type;
  uint32_t size;
};
constexpr std::array<TypeSize, 24> kTypeSizes = {{
    {"box2i", 16},
    {"box2f", 16},
    {"chromaticities", 32},
    {"compression", 1},
    {"deepImageState", 1},
    {"double", 8},
    {"envmap", 1},
    {"float", 4},
    {"int", 4},
    {"keycode", 28},
    {"lineOrder", 1},
    {"m33f", 36},
    {"m33d", 72},
    {"m44f", 64},
    {"m44d", 128},
    {"rational", 8},
    {"tiledesc", 9},
    {"timecode", 8},
    {"v2i", 8},
    {"v2f", 8},
    {"v2d", 16},
    {"v3i", 12},
    {"v3f", 12},
    {"v3d", 24},
}};

class HeaderScan {
 public:
  HeaderScan(const Source& source, const ReadOptions& options)
      : source_(source), options_(options), bytes_(source.bytes) {}

  Result<void> check() {
    if (bytes_.size() < 8) return truncated();
    position_ = 4;
    const uint32_t flags = number();
    multi_part_ = (flags & kMultiPartFlag) != 0;
    says_type_ = (flags & (kMultiPartFlag | kDeepFlag)) != 0;
    do {
      tiled_ = (flags & kTiledFlag) != 0;  // for single-part files; in others each header has a type
      if (auto fine = check_header(); !fine) return fine;
      if (left() == 0) return truncated();
      ++parts_;
    } while (multi_part_ && bytes_[position_] != std::byte{0});
    return check_memory(source_, options_,
                        kPartMemory * parts_ + kAttributeMemory * attributes_ + kByteMemory * position_,
                        "EXR: the header with " + std::to_string(attributes_) + " attributes");
  }

 private:
  struct Attribute {
    std::string_view name;
    std::string_view type;
    std::span<const std::byte> value;
  };

  [[nodiscard]] size_t left() const { return bytes_.size() - position_; }
  Error truncated() { return source_.bad("EXR: the header is truncated"); }

  uint32_t number() {
    const auto value = load<uint32_t>(bytes_, position_);
    position_ += 4;
    return value;
  }

  // Reads a zero-terminated name; empty optional if it is too long or the file ends.
  std::optional<std::string_view> name() {
    const size_t limit = std::min(left(), kMaxNameLength + 1);
    const auto* first = reinterpret_cast<const char*>(bytes_.data()) + position_;
    const auto* end = std::find(first, first + limit, '\0');
    if (end == first + limit) return std::nullopt;
    position_ += static_cast<size_t>(end - first) + 1;
    return std::string_view(first, static_cast<size_t>(end - first));
  }

  Result<void> check_header() {
    chunks_ = 0;
    width_ = height_ = 0;
    tile_width_ = tile_height_ = 0;
    for (;;) {
      const auto attribute_name = name();
      if (!attribute_name) return truncated();
      if (attribute_name->empty()) break;
      const auto type = name();
      if (!type || left() < 4) return truncated();
      const uint32_t size = number();
      if (size > left()) {
        return source_.bad("EXR: the attribute " + std::string(*attribute_name) + " claims " + std::to_string(size) +
                           " bytes, more than the file has left");
      }
      ++attributes_;
      if (*type == "idmanifest") {
        // OpenEXR 3.1 reads 4 bytes more than its size and takes the middle of the next attribute for its beginning.
        return source_.unsupported("EXR: the attribute " + std::string(*attribute_name) + " is an ID manifest");
      }
      const Attribute attribute{*attribute_name, *type, bytes_.subspan(position_, size)};
      position_ += size;
      if (!value_fits(attribute)) {
        return source_.bad("EXR: the attribute " + std::string(attribute.name) + " of type " +
                           std::string(attribute.type) + " cannot have " + std::to_string(size) + " bytes");
      }
      if (auto fine = look_at(attribute); !fine) return fine;
    }
    return check_chunks();
  }

  // Whether the size of the value agrees with its type and contents.
  static bool value_fits(const Attribute& attribute) {
    const std::span<const std::byte> value = attribute.value;
    if (attribute.type == "chlist") return channels_fit(value);
    if (attribute.type == "stringvector") return strings_fit(value);
    if (attribute.type == "preview") {
      return value.size() >= 8 && value.size() % 4 == 0 &&
             (value.size() - 8) / 4 == uint64_t{load<uint32_t>(value, 0)} * load<uint32_t>(value, 4);
    }
    const auto* known = std::find_if(kTypeSizes.begin(), kTypeSizes.end(),
                                     [&](const TypeSize& entry) { return entry.type == attribute.type; });
    return known == kTypeSizes.end() || known->size == value.size();
  }

  // { name 0 | type 4, linear 1, reserved 3, sampling 4 + 4 }... 0
  static bool channels_fit(std::span<const std::byte> value) {
    constexpr size_t kChannelSize = 16;
    while (!value.empty()) {
      const auto end = std::find(value.begin(), value.end(), std::byte{0});
      if (end == value.end()) return false;
      const auto length = static_cast<size_t>(end - value.begin());
      value = value.subspan(length + 1);
      if (length == 0) return value.empty();
      if (length > kMaxNameLength || value.size() < kChannelSize) return false;
      value = value.subspan(kChannelSize);
    }
    return false;
  }

  // { length 4 | characters }...
  static bool strings_fit(std::span<const std::byte> value) {
    while (!value.empty()) {
      if (value.size() < 4) return false;
      const size_t length = load<uint32_t>(value, 0);
      value = value.subspan(4);
      if (length > value.size()) return false;
      value = value.subspan(length);
    }
    return true;
  }

  // Stores the values that determine the size of the offset table.
  Result<void> look_at(const Attribute& attribute) {
    const auto value = [&](size_t index) { return int64_t{load<int32_t>(attribute.value, 4 * index)}; };
    if (attribute.name == "chunkCount" && attribute.value.size() == 4) {
      if (value(0) < 0) return source_.bad("EXR: chunkCount is " + std::to_string(value(0)));
      chunks_ = static_cast<uint64_t>(value(0));
    }
    if (says_type_ && attribute.name == "type" && attribute.type == "string") {
      const std::string_view type(reinterpret_cast<const char*>(attribute.value.data()), attribute.value.size());
      tiled_ = type == "tiledimage" || type == "deeptile";
    }
    if (attribute.name == "tiles" && attribute.value.size() == 9) {
      tile_width_ = load<uint32_t>(attribute.value, 0);
      tile_height_ = load<uint32_t>(attribute.value, 4);
    }
    if ((attribute.name != "dataWindow" && attribute.name != "displayWindow") || attribute.value.size() != 16)
      return {};
    for (size_t i = 0; i < 4; ++i) {
      if (std::abs(value(i)) > kMaxWindowEdge) {
        return source_.bad("EXR: " + std::string(attribute.name) + " has the coordinate " + std::to_string(value(i)));
      }
    }
    if (value(2) < value(0) || value(3) < value(1))
      return source_.bad("EXR: " + std::string(attribute.name) + " is empty");
    if (attribute.name == "displayWindow") return {};
    width_ = static_cast<uint64_t>(value(2) - value(0) + 1);
    height_ = static_cast<uint64_t>(value(3) - value(1) + 1);
    return check_size(source_, width_, height_);
  }

  // Checks that the offset table and the chunk headers fit into the file.
  Result<void> check_chunks() {
    if (width_ == 0) return source_.bad("EXR: there is no dataWindow");
    if (tiled_ && (tile_width_ == 0 || tile_height_ == 0)) {
      return source_.bad("EXR: the tile size is " + size_text(tile_width_, tile_height_));
    }
    const uint64_t least =
        tiled_ ? div_up(width_, tile_width_) * div_up(height_, tile_height_) : div_up(height_, kMaxLinesPerChunk);
    return check_plausible(source_, width_, height_, std::max(least, chunks_) * kMinChunkBytes, 1);
  }

  const Source& source_;
  const ReadOptions& options_;
  std::span<const std::byte> bytes_;
  size_t position_ = 0;
  uint64_t parts_ = 0;
  uint64_t attributes_ = 0;
  uint64_t chunks_ = 0;
  uint64_t width_ = 0;
  uint64_t height_ = 0;
  bool multi_part_ = false;
  bool says_type_ = false;  // each header states whether its part is tiled
  bool tiled_ = false;
  uint64_t tile_width_ = 0;
  uint64_t tile_height_ = 0;
};

}  // namespace

Result<void> check_exr_headers(const Source& source, const ReadOptions& options) {
  return HeaderScan(source, options).check();
}

}  // namespace onepass::files
