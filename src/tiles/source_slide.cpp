// source_slide.cpp: the base of a whole slide by OpenSlide, in bands of rows whose parts are decoded in parallel.
//
// OpenSlide gives premultiplied colours with alpha. Where the scanner has stored nothing, alpha is 0 and the slide's
// background shows.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <mutex>
#include <optional>

#include "image/div_up.hpp"
#include "onepass/tiles.hpp"
#include "tiles/openslide_library.hpp"
#include "tiles/row_source.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

constexpr uint32_t kBandRows = 256;
constexpr uint32_t kPartColumns = 1024;
constexpr uint32_t kMostTile = 4096;           // larger tiles of a slide are read in parts
constexpr uint64_t kCacheBytes = 32ULL << 20;  // of OpenSlide, by default

struct CloseSlide {
  const OpenSlideLibrary* library;
  void operator()(OpenSlide* slide) const { library->close(slide); }
};

class SlideRows final : public RowSource {
 public:
  SlideRows(const std::filesystem::path& path, const OpenSlideLibrary& library, WorkerPool& pool)
      : library_(library), pool_(pool), slide_(nullptr, CloseSlide{&library}) {
    name_ = path.string();
  }

  Result<void> open();
  [[nodiscard]] uint32_t block_rows() const override { return std::min(rows_, header_.size.height); }
  [[nodiscard]] uint64_t memory_bytes() const override {
    return uint64_t{row_bytes()} * block_rows() + pool_.threads() * uint64_t{columns_} * rows_ * 4 + kCacheBytes;
  }
  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override;
  Result<void> skip(uint32_t rows) override {
    y_ += rows;
    return {};
  }

 private:
  [[nodiscard]] const char* property(const char* name) const { return library_.get_property_value(slide_.get(), name); }
  [[nodiscard]] std::optional<double> number(const char* name) const;
  void find_tags();
  Result<void> fill_buffer(uint32_t band);
  void put(const std::vector<uint32_t>& pixels, uint32_t x, uint32_t width, uint32_t height);

  const OpenSlideLibrary& library_;
  WorkerPool& pool_;
  std::unique_ptr<OpenSlide, CloseSlide> slide_;
  uint32_t rows_ = kBandRows;         // of a band
  uint32_t columns_ = kPartColumns;   // of a task
  uint32_t background_ = 0xFFFFFF;    // red in bits 16-23
  uint32_t y_ = 0;                    // next row of read()
  std::optional<uint32_t> buffered_;  // band in buffer_
  std::vector<std::byte> buffer_;
};

// A positive number.
std::optional<double> SlideRows::number(const char* name) const {
  const char* const text = property(name);
  if (text == nullptr) return {};
  double value = 0;
  const auto [end, code] = std::from_chars(text, text + std::strlen(text), value);
  if (code != std::errc() || !(value > 0) || value > 1e9) return {};
  return value;
}

void SlideRows::find_tags() {
  header_.pixel_width_um = number("openslide.mpp-x");
  header_.pixel_height_um = number("openslide.mpp-y");
  if (header_.pixel_width_um && header_.pixel_height_um) {
    constexpr double kMicrometres = 10000;  // of a centimetre
    header_.resolution = Resolution{kMicrometres / *header_.pixel_width_um, kMicrometres / *header_.pixel_height_um, 3};
  }
  if (const char* const text = property("openslide.background-color"); text != nullptr) {
    uint32_t colour = 0;
    const auto [end, code] = std::from_chars(text, text + std::strlen(text), colour, 16);
    if (code == std::errc() && colour <= 0xFFFFFF) background_ = colour;
  }
  if (library_.get_icc_profile_size == nullptr) return;
  constexpr int64_t kMostIcc = int64_t{16} << 20;
  const int64_t bytes = library_.get_icc_profile_size(slide_.get());
  if (bytes > 0 && bytes <= kMostIcc) {
    header_.colors.icc.resize(static_cast<size_t>(bytes));
    library_.read_icc_profile(slide_.get(), header_.colors.icc.data());
  }
}

Result<void> SlideRows::open() {
  slide_.reset(library_.open(name_.c_str()));
  if (slide_ == nullptr) {
    return error(ErrorCode::kUnsupported, text_of("is no slide that OpenSlide ", library_.get_version(), " reads"));
  }
  const auto failed = [&](const char* text) { return error(ErrorCode::kBadData, text_of("OpenSlide: ", text)); };
  if (const char* const text = library_.get_error(slide_.get()); text != nullptr) return failed(text);
  int64_t width = 0;
  int64_t height = 0;
  library_.get_level0_dimensions(slide_.get(), &width, &height);
  if (width <= 0 || height <= 0 || width > kMaxEdge || height > kMaxEdge) {
    return error(ErrorCode::kBadData,
                 text_of("level 0 of the slide is ", width, "x", height, " pixels, not 1 to ", kMaxEdge, " per side"));
  }
  header_.size = {static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
  header_.layout = {.sample = Sample::kU8, .channels = 3, .colour = true};
  // Whole tiles of the slide, so that each is decoded once.
  const auto fit = [&](uint32_t& wanted, const char* name) {
    const double tile = number(name).value_or(0);
    if (tile >= 1 && tile <= kMostTile) {
      const auto edge = static_cast<uint32_t>(tile);
      wanted = edge * std::max(1U, wanted / edge);
    }
  };
  fit(rows_, "openslide.level[0].tile-height");
  fit(columns_, "openslide.level[0].tile-width");
  find_tags();
  if (const char* const text = library_.get_error(slide_.get()); text != nullptr) return failed(text);
  return {};
}

// Copies pixels to columns from x of buffer_, over the background.
void SlideRows::put(const std::vector<uint32_t>& pixels, uint32_t x, uint32_t width, uint32_t height) {
  const uint32_t* from = pixels.data();
  for (uint32_t y = 0; y < height; ++y) {
    std::byte* to = buffer_.data() + y * row_bytes() + size_t{x} * 3;
    for (uint32_t i = 0; i < width; ++i, ++from, to += 3) {
      const uint32_t rest = 255 - (*from >> 24);
      for (uint32_t c = 0; c < 3; ++c) {
        const uint32_t shift = 16 - 8 * c;
        const uint32_t shown = (*from >> shift & 255) + ((background_ >> shift & 255) * rest + 127) / 255;
        to[c] = static_cast<std::byte>(std::min(shown, 255U));
      }
    }
  }
}

Result<void> SlideRows::fill_buffer(uint32_t band) {
  buffer_.resize(row_bytes() * block_rows());
  const uint32_t first = band * rows_;
  const uint32_t height = std::min(rows_, header_.size.height - first);
  const uint32_t parts = div_up(header_.size.width, columns_);
  const size_t tasks = std::min<size_t>(parts, pool_.threads());
  std::mutex mutex;
  std::optional<Error> failure;
  pool_.run(tasks, [&](size_t task) {
    std::vector<uint32_t> pixels(size_t{std::min(columns_, header_.size.width)} * height);
    for (auto i = static_cast<uint32_t>(parts * task / tasks); i < parts * (task + 1) / tasks; ++i) {
      const uint32_t x = i * columns_;
      const uint32_t width = std::min(columns_, header_.size.width - x);
      library_.read_region(slide_.get(), pixels.data(), x, first, 0, width, height);
      if (const char* const text = library_.get_error(slide_.get()); text != nullptr) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = error(ErrorCode::kBadData, text_of("OpenSlide: ", text, ", at row ", first));
        return;
      }
      put(pixels, x, width, height);
    }
  });
  if (failure) return *failure;
  buffered_ = band;
  return {};
}

Result<void> SlideRows::read(uint32_t rows, std::byte* out, size_t stride) {
  for (; rows > 0; --rows, ++y_, out += stride) {
    const uint32_t band = y_ / rows_;
    if (buffered_ != band) {
      buffered_.reset();
      if (auto done = fill_buffer(band); !done) return done;
    }
    std::copy_n(buffer_.data() + (y_ - band * rows_) * row_bytes(), row_bytes(), out);
  }
  return {};
}

}  // namespace

Result<SourcePtr> open_slide_rows(const std::filesystem::path& path, WorkerPool& pool) {
  const OpenSlideLibrary* const library = find_openslide();
  if (library == nullptr) {
    return Error{ErrorCode::kUnsupported, "is a whole slide, and this machine has no OpenSlide (libopenslide)",
                 path.string()};
  }
  auto source = std::make_unique<SlideRows>(path, *library, pool);
  if (auto done = source->open(); !done) return done.error();
  return SourcePtr(std::move(source));
}

std::string openslide_version() {
  const OpenSlideLibrary* const library = find_openslide();
  return library != nullptr ? library->get_version() : "";
}

}  // namespace onepass::tiles
