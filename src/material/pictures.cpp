// pictures.cpp: cpu::height_to_normals(), cpu::flip_normal_y(), cpu::convert_normals() and
// cpu::pack_channels(): pictures of materials from
// others, row by row.
#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <vector>

#include "cpu/workers.hpp"
#include "material/vectors.hpp"
#include "onepass/material.hpp"

namespace onepass::cpu {
namespace {

using material::Vector;

/// Calls make(y, slice, slot) for all rows of `view`. Errors: kOutOfMemory.
template <typename Make>
Result<void> for_rows(Workers& workers, const ImageView& view, const Make& make) {
  const size_t rows = view.size.height;
  workers.run(rows * view.slices, [&](size_t i, uint32_t slot) {
    make(static_cast<uint32_t>(i % rows), static_cast<uint32_t>(i / rows), slot);
  });
  return {};
}

/// Runs `work`, which may not get the memory for rows.
template <typename Work>
Result<void> with_memory(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for rows of texels", ""};
  }
}

/// The two texels of a difference at `i`, and the distance that it stands for.
struct Difference {
  Difference(uint32_t size, uint32_t i, Boundary boundary) : before(i == 0 ? 0 : i - 1), after(i + 1) {
    if (boundary == Boundary::kWrap) {
      if (i == 0) before = size - 1;
      if (after == size) after = 0;
      return;
    }
    if (after == size) after = i;
    if (boundary == Boundary::kClamp)
      distance = std::max(1U, after - before);  // a mirrored slope is halved at the edge
  }
  uint32_t before;
  uint32_t after;
  uint32_t distance = 2;
};

struct HeightRows {
  std::vector<float> above, here, below, out;
};

class HeightNormals {
 public:
  HeightNormals(const ImageView& heights, const MutableImageView& normals, const HeightOptions& options)
      : heights_(heights), normals_(normals), options_(options), format_(normals.format) {}

  void make_row(uint32_t y, uint32_t slice, HeightRows& rows) const {
    const uint32_t width = heights_.size.width;
    const Difference vertical(heights_.size.height, y, options_.boundary);
    decode(vertical.before, slice, rows.above);
    decode(y, slice, rows.here);
    decode(vertical.after, slice, rows.below);
    rows.out.resize(size_t{4} * width);
    const double down = options_.normal_y == NormalY::kUp ? 1 : -1;
    const uint32_t c = options_.channel;
    for (uint32_t x = 0; x < width; ++x) {
      const Difference d(width, x, options_.boundary);
      const auto slope = [&](float after, float before, uint32_t distance) {
        return options_.scale * (double{after} - double{before}) / distance;
      };
      const double dx = slope(rows.here[size_t{4} * d.after + c], rows.here[size_t{4} * d.before + c], d.distance);
      const double dy = slope(rows.below[size_t{4} * x + c], rows.above[size_t{4} * x + c], vertical.distance);
      float* const texel = rows.out.data() + size_t{4} * x;
      format_.store(unit(Vector{-dx, down * dy, 1}), texel);
      texel[3] = 1;
    }
    encode_row(normals_.format, rows.out.data(), width, normals_.row(y, slice));
  }

 private:
  void decode(uint32_t y, uint32_t slice, std::vector<float>& row) const {
    row.resize(size_t{4} * heights_.size.width);
    decode_row(heights_.format, heights_.row(y, slice), heights_.size.width, row.data());
  }

  ImageView heights_;
  MutableImageView normals_;
  HeightOptions options_;
  material::VectorFormat format_;
};

Result<void> check_heights(const ImageView& heights, const MutableImageView& normals, const HeightOptions& options) {
  if (auto fine = check_enumerators("boundary", options.boundary, "normal_y", options.normal_y); !fine) return fine;
  if (options.boundary == Boundary::kZero) return invalid("boundary: zero would make cliffs at the edges");
  if (!std::isfinite(options.scale)) return invalid("scale: " + std::to_string(options.scale) + " is not finite");
  if (auto fine = material::check_format("heights", heights, true); !fine) return fine;
  if (auto fine = material::check_shape("heights", heights); !fine) return fine;
  if (auto fine = check_view("heights", heights, heights.format, heights.size, heights.slices); !fine) return fine;
  const uint32_t channels = texel_info(heights.format).channels;
  if (auto fine = material::check_channel("channel", options.channel, channels); !fine) return fine;
  if (auto fine = material::check_data_format("normals", normals, 2); !fine) return fine;
  return check_view("normals", normals, normals.format, heights.size, heights.slices);
}

Result<void> check_sources(std::span<const ChannelSource> channels, const MutableImageView& target) {
  if (auto fine = material::check_format("target", target, false); !fine) return fine;
  if (auto fine = material::check_shape("target", target); !fine) return fine;
  if (auto fine = check_view("target", target, target.format, target.size, target.slices); !fine) return fine;
  const uint32_t needed = texel_info(target.format).channels;
  if (channels.size() != needed) {
    return invalid("channels: " + std::to_string(channels.size()) + ", but target has " + std::to_string(needed));
  }
  for (size_t i = 0; i < channels.size(); ++i) {
    const ChannelSource& source = channels[i];
    if (source.image.data == nullptr) continue;
    const std::string name = "channels[" + std::to_string(i) + "]";
    if (auto fine = material::check_format(name + ".image", source.image, true); !fine) return fine;
    const Format format = source.image.format;
    if (auto fine = check_view(name + ".image", source.image, format, target.size, target.slices); !fine) return fine;
    if (auto fine = material::check_channel(name + ".channel", source.channel, 4); !fine) return fine;
  }
  return {};
}

}  // namespace

Result<void> height_to_normals(const ImageView& heights, const MutableImageView& normals, const HeightOptions& options,
                               const MaterialTuning& tuning) {
  if (auto fine = check_heights(heights, normals, options); !fine) return fine;
  return with_memory([&] {
    const HeightNormals maker(heights, normals, options);
    Workers workers(tuning.threads);
    std::vector<HeightRows> rows(workers.slots());
    return for_rows(workers, heights,
                    [&](uint32_t y, uint32_t slice, uint32_t slot) { maker.make_row(y, slice, rows[slot]); });
  });
}

Result<void> flip_normal_y(const ImageView& source, const MutableImageView& target, const MaterialTuning& tuning) {
  if (auto fine = material::check_data_format("source", source, 2); !fine) return fine;
  const FormatInfo& info = texel_info(source.format);
  if (info.packed && info.type == ChannelType::kFloat) {
    return invalid("source: format " + std::string(info.name) + " has no sign");
  }
  if (auto fine = material::check_shape("source", source); !fine) return fine;
  if (auto fine = check_view("source", source, source.format, source.size, source.slices); !fine) return fine;
  if (auto fine = check_view("target", target, source.format, source.size, source.slices); !fine) return fine;
  return with_memory([&] {
    const bool is_signed = material::VectorFormat(source.format).is_signed;
    Workers workers(tuning.threads);
    std::vector<std::vector<float>> rows(workers.slots());
    return for_rows(workers, source, [&](uint32_t y, uint32_t slice, uint32_t slot) {
      std::vector<float>& row = rows[slot];
      row.resize(size_t{4} * source.size.width);
      decode_row(source.format, source.row(y, slice), source.size.width, row.data());
      for (size_t i = 1; i < row.size(); i += 4) row[i] = is_signed ? -row[i] : 1 - row[i];
      encode_row(target.format, row.data(), source.size.width, target.row(y, slice));
    });
  });
}

Result<void> convert_normals(const ImageView& source, const MutableImageView& target, const MaterialTuning& tuning) {
  if (auto fine = material::check_data_format("source", source, 2); !fine) return fine;
  if (auto fine = material::check_shape("source", source); !fine) return fine;
  if (auto fine = check_view("source", source, source.format, source.size, source.slices); !fine) return fine;
  if (auto fine = material::check_data_format("target", target, 2); !fine) return fine;
  if (auto fine = check_view("target", target, target.format, source.size, source.slices); !fine) return fine;
  return with_memory([&] {
    const material::VectorFormat from(source.format), to(target.format);
    Workers workers(tuning.threads);
    std::vector<std::vector<float>> rows(workers.slots());
    return for_rows(workers, source, [&](uint32_t y, uint32_t slice, uint32_t slot) {
      std::vector<float>& row = rows[slot];
      row.resize(size_t{4} * source.size.width);
      decode_row(source.format, source.row(y, slice), source.size.width, row.data());
      for (size_t i = 0; i < row.size(); i += 4) to.store(from.vector_of(row.data() + i), row.data() + i);
      encode_row(target.format, row.data(), source.size.width, target.row(y, slice));
    });
  });
}

Result<void> pack_channels(std::span<const ChannelSource> channels, const MutableImageView& target,
                           const MaterialTuning& tuning) {
  if (auto fine = check_sources(channels, target); !fine) return fine;
  return with_memory([&] {
    struct Rows {
      std::vector<float> in, out;
    };
    const uint32_t width = target.size.width;
    Workers workers(tuning.threads);
    std::vector<Rows> rows(workers.slots());
    return for_rows(workers, target, [&](uint32_t y, uint32_t slice, uint32_t slot) {
      auto& [in, out] = rows[slot];
      in.resize(size_t{4} * width);
      out.assign(size_t{4} * width, 1.0F);
      for (size_t c = 0; c < channels.size(); ++c) {
        const ChannelSource& source = channels[c];
        const bool constant = source.image.data == nullptr;
        if (!constant) decode_row(source.image.format, source.image.row(y, slice), width, in.data());
        for (size_t x = 0; x < width; ++x) out[4 * x + c] = constant ? source.value : in[4 * x + source.channel];
      }
      encode_row(target.format, out.data(), width, target.row(y, slice));
    });
  });
}

}  // namespace onepass::cpu
