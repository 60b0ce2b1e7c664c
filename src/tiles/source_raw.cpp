// source_raw.cpp: pixels without a header, described by a text.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "files/pixels.hpp"
#include "tiles/file_io.hpp"
#include "tiles/row_source.hpp"

namespace onepass::tiles {
namespace {

struct Description {
  Extent size;
  PixelLayout layout;
  bool big_endian = false;
  uint64_t offset = 0;
};

// Reads a number from the front of `text`.
template <typename T>
bool take_number(std::string_view& text, T& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_format(std::string_view& text, PixelLayout& layout) {
  constexpr std::pair<std::string_view, uint32_t> kChannels[] = {
      {"gray", 1}, {"grey", 1}, {"rgba", 4}, {"rgb", 3}, {"rg", 2}};
  constexpr std::pair<std::string_view, Sample> kSamples[] = {
      {"8s", Sample::kI8},   {"16s", Sample::kI16}, {"32s", Sample::kI32}, {"16f", Sample::kF16},
      {"32f", Sample::kF32}, {"8", Sample::kU8},    {"16", Sample::kU16},  {"32", Sample::kU32}};
  const auto* channels = std::find_if(std::begin(kChannels), std::end(kChannels),
                                      [&](const auto& known) { return take(text, known.first); });
  if (channels == std::end(kChannels)) return false;
  const auto* sample = std::find_if(std::begin(kSamples), std::end(kSamples),
                                    [&](const auto& known) { return take(text, known.first); });
  if (sample == std::end(kSamples)) return false;
  layout.channels = channels->second;
  layout.sample = sample->second;
  layout.colour = layout.channels >= 3;
  if (layout.channels == 4) layout.alpha = AlphaAssociation::kStraight;
  return true;
}

bool parse(std::string_view text, Description& out) {
  if (!take_number(text, out.size.width) || !take(text, "x") || !take_number(text, out.size.height) || !take(text, ":"))
    return false;
  if (!take_format(text, out.layout)) return false;
  out.big_endian = take(text, ":be");
  if (!out.big_endian) take(text, ":le");
  if (take(text, "+") && !take_number(text, out.offset)) return false;
  return text.empty() && out.size.width > 0 && out.size.height > 0 && out.size.width <= kMaxEdge &&
         out.size.height <= kMaxEdge && out.offset < uint64_t{1} << 62;
}

class RawRows final : public RowSource {
 public:
  RawRows(const std::filesystem::path& path, const Description& description, InputHandle file)
      : file_(std::move(file)), position_(description.offset), big_endian_(description.big_endian) {
    name_ = path.string();
    header_.size = description.size;
    header_.layout = description.layout;
  }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    const size_t bytes = row_bytes();
    for (; rows > 0; --rows, out += stride, position_ += bytes) {
      const int done = read_fully(file_.handle.number(), out, bytes, position_);
      if (done < 0) return error(ErrorCode::kBadData, "truncated while it was read");
      if (done > 0) return error(ErrorCode::kIo, std::string("cannot read it: ") + std::strerror(done));
      if (big_endian_) files::reverse_bytes({out, bytes}, sample_bytes(layout().sample));
    }
    return {};
  }

  Result<void> skip(uint32_t rows) override {
    position_ += uint64_t{rows} * row_bytes();
    return {};
  }

 private:
  InputHandle file_;
  uint64_t position_;
  bool big_endian_;
};

}  // namespace

Result<SourcePtr> open_raw_rows(const std::filesystem::path& path, const std::string& description) {
  Description d;
  if (!parse(description, d)) {
    return Error{ErrorCode::kInvalidArgument,
                 "raw: '" + description +
                     "' is not WxH:FORMAT[:be][+OFFSET], with a FORMAT like gray8, gray16s, rgb8, rgba16 or rgba32f",
                 ""};
  }
  auto file = open_input(path);
  if (!file) return file.error();
  const uint64_t pixels = uint64_t{d.size.width} * d.size.height;
  const uint64_t pixel = d.layout.pixel_bytes();
  if (file->size < d.offset || (file->size - d.offset) / pixel < pixels) {
    return Error{ErrorCode::kBadData,
                 "has " + std::to_string(file->size) + " bytes; " + description + " needs " + std::to_string(d.offset) +
                     " + " + std::to_string(pixels) + " * " + std::to_string(pixel),
                 path.string()};
  }
  return SourcePtr(std::make_unique<RawRows>(path, d, std::move(*file)));
}

}  // namespace onepass::tiles
