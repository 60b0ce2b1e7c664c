// picture_rows.cpp: two row sources around another one: Coloured replaces values, Upright turns.
#include "tiles/picture_rows.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "files/icc_write.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

bool is_code(Sample sample) { return sample == Sample::kU8 || sample == Sample::kU16; }

// A source whose rows come from another one. It takes over the description of that.
class Changed : public RowSource {
 public:
  explicit Changed(SourcePtr inner) : inner_(std::move(inner)) {
    name_ = inner_->name();
    header_ = inner_->header();
    transfer_ = inner_->transfer();
  }
  [[nodiscard]] uint32_t block_rows() const override { return inner_->block_rows(); }
  [[nodiscard]] uint64_t memory_bytes() const override { return inner_->memory_bytes(); }
  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override { return inner_->read(rows, out, stride); }
  Result<void> skip(uint32_t rows) override { return inner_->skip(rows); }
  void release_handles() override { inner_->release_handles(); }

 protected:
  SourcePtr inner_;
};

class Coloured final : public Changed {
 public:
  using Changed::Changed;

  void settle(files::Color color) {
    const files::ColorTags stated = header_.colors;
    const bool grey = !header_.layout.colour;
    files::Encoding encoding = files::encoding_of(stated, {.color = color}, grey);
    for (std::string& warning : encoding.warnings) header_.warnings.push_back(std::move(warning));
    const bool says =
        encoding.says_primaries && !grey && !same_chromaticities(encoding.primaries, kRec709Chromaticities);
    header_.colors.primaries = says ? std::optional(encoding.primaries) : std::nullopt;
    const bool states_transfer = stated.code_points || stated.srgb || stated.gamma || !stated.numbers ||
                                 (!stated.icc.empty() && encoding.warnings.empty());
    if (is_code(header_.layout.sample) && transfer_ == Transfer::kUnknown && states_transfer) {
      transfer_ = encoding.linear ? Transfer::kLinear : Transfer::kSrgb;
      if (color == files::Color::kAuto) make_tables(encoding);
    }
    const bool recoded = !tables_[0].empty();
    if (recoded) header_.colors.icc.clear();
    if (header_.colors.icc.empty()) make_profile(recoded, states_transfer, color);
  }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    if (auto done = inner_->read(rows, out, stride); !done || tables_[0].empty()) return done;
    for (uint32_t y = 0; y < rows; ++y) {
      if (header_.layout.sample == Sample::kU8) {
        replace(reinterpret_cast<uint8_t*>(out + y * stride));
      } else {
        replace(reinterpret_cast<uint16_t*>(out + y * stride));
      }
    }
    return {};
  }

 private:
  [[nodiscard]] uint32_t colours() const { return header_.layout.colour ? 3 : 1; }

  // The sRGB value of each stored value, if they are not encoded by sRGB.
  void make_tables(const files::Encoding& encoding) {
    if (encoding.linear || encoding.srgb) return;
    const uint32_t most = header_.layout.sample == Sample::kU8 ? 255 : 65535;
    for (uint32_t c = 0; c < colours(); ++c) tables_[c] = files::srgb_codes(encoding, c, most);
  }

  // A profile for primaries and curves that the outputs could not state otherwise.
  void make_profile(bool recoded, bool states_transfer, files::Color color) {
    const bool linear = transfer_ == Transfer::kLinear && color == files::Color::kAuto && states_transfer &&
                        is_code(header_.layout.sample);
    if (!header_.layout.colour) {
      if (linear) header_.colors.icc = files::gray_profile(files::ProfileCurve::kLinear);
      return;
    }
    if (!header_.colors.primaries && !linear) return;
    const bool light = !recoded && (transfer_ == Transfer::kLinear || !is_code(header_.layout.sample));
    header_.colors.icc = files::rgb_profile(header_.colors.primaries.value_or(kRec709Chromaticities),
                                            light ? files::ProfileCurve::kLinear : files::ProfileCurve::kSrgb);
    if (!header_.colors.icc.empty()) return;
    header_.warnings.emplace_back(header_.colors.primaries
                                      ? "its primaries are lost, because onepass was built without "
                                        "Little CMS"
                                      : "its values are linear, which the output does not state, because "
                                        "onepass was built without Little CMS");
  }

  template <class Code>
  void replace(Code* pixel) const {
    for (uint32_t x = 0; x < header_.size.width; ++x, pixel += header_.layout.channels) {
      for (uint32_t c = 0; c < colours(); ++c) pixel[c] = static_cast<Code>(tables_[c][pixel[c]]);
    }
  }

  std::array<std::vector<uint16_t>, 3> tables_;
};

// Turns a picture by its EXIF orientation:
//
//     1 upright   2 mirrored   3 turned by 180 degrees   4 upside down   5 to
//     8: 1 to 4 of the transposed picture, with the meaning that 6 must be
//     turned clockwise and 8 counter-clockwise
class Upright final : public Changed {
 public:
  explicit Upright(SourcePtr inner) : Changed(std::move(inner)) {
    const uint32_t turn = std::exchange(header_.orientation, 1);
    swap_ = turn >= 5;
    flip_x_ = turn == 2 || turn == 3 || turn == 6 || turn == 7;
    flip_y_ = turn == 3 || turn == 4 || turn == 7 || turn == 8;
    if (!swap_) return;
    std::swap(header_.size.width, header_.size.height);
    std::swap(header_.pixel_width_um, header_.pixel_height_um);
    if (header_.resolution) std::swap(header_.resolution->x, header_.resolution->y);
  }

  [[nodiscard]] bool needs_memory() const { return swap_ || flip_y_; }
  [[nodiscard]] uint64_t picture_bytes() const { return uint64_t{row_bytes()} * header_.size.height; }
  [[nodiscard]] uint32_t block_rows() const override { return needs_memory() ? 1 : inner_->block_rows(); }
  [[nodiscard]] uint64_t memory_bytes() const override {
    return inner_->memory_bytes() + (needs_memory() ? picture_bytes() : row_bytes());
  }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    if (!needs_memory()) return read_mirrored(rows, out, stride);
    if (picture_.empty()) {
      picture_.resize(picture_bytes());
      const size_t bytes = inner_->row_bytes();
      const uint32_t block = std::max(64U, inner_->block_rows());
      for (uint32_t y = 0; y < inner_->size().height;) {
        const uint32_t count = std::min(block, inner_->size().height - y);
        if (auto done = inner_->read(count, picture_.data() + y * bytes, bytes); !done) return done;
        y += count;
      }
    }
    const size_t pixel = header_.layout.pixel_bytes();
    const size_t stored_row = inner_->row_bytes();
    for (; rows > 0; --rows, ++y_, out += stride) {
      const size_t v = flip_y_ ? header_.size.height - 1 - y_ : y_;
      for (uint32_t x = 0; x < header_.size.width; ++x) {
        const size_t u = flip_x_ ? header_.size.width - 1 - x : x;
        const std::byte* from = picture_.data() + (swap_ ? u * stored_row + v * pixel : v * stored_row + u * pixel);
        std::memcpy(out + x * pixel, from, pixel);
      }
    }
    return {};
  }

  Result<void> skip(uint32_t rows) override {
    y_ += rows;
    return needs_memory() ? Result<void>() : inner_->skip(rows);
  }

 private:
  Result<void> read_mirrored(uint32_t rows, std::byte* out, size_t stride) {
    if (auto done = inner_->read(rows, out, stride); !done) return done;
    const size_t pixel = header_.layout.pixel_bytes();
    for (; rows > 0; --rows, out += stride) {
      for (size_t x = 0; x < header_.size.width / 2; ++x) {
        std::swap_ranges(out + x * pixel, out + (x + 1) * pixel, out + (header_.size.width - 1 - x) * pixel);
      }
    }
    return {};
  }

  bool swap_ = false;  // transpose, before the flips
  bool flip_x_ = false;
  bool flip_y_ = false;
  uint32_t y_ = 0;
  std::vector<std::byte> picture_;  // as stored
};

}  // namespace

Result<SourcePtr> as_meant(SourcePtr source, files::Color color, uint64_t max_bytes) {
  auto coloured = std::make_unique<Coloured>(std::move(source));
  coloured->settle(color);
  const uint32_t orientation = coloured->header().orientation;
  if (orientation <= 1 || orientation > 8) return SourcePtr(std::move(coloured));
  auto upright = std::make_unique<Upright>(std::move(coloured));
  if (upright->needs_memory()) {
    auto fine = files::check_memory({.name = upright->name()}, {.max_bytes = max_bytes}, upright->memory_bytes(),
                                    text_of("turning the whole picture by its orientation ", orientation));
    if (!fine) return fine.error();
  }
  return SourcePtr(std::move(upright));
}

}  // namespace onepass::tiles
