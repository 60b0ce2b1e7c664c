// cpu_volume_passes.cpp: the passes over planes and over lines along z. Overview: cpu_volume_passes.hpp.
#include "fourier/cpu_volume_passes.hpp"

#include <algorithm>

namespace onepass::cpu {
namespace {

/// All values are at their positions, and zeros are around them.
bool in_place(const BoxSide& side, uint32_t size) {
  return side.boundary == Boundary::kZero && side.placement >= 0 &&
         static_cast<uint64_t>(side.placement) + side.count <= size;
}

std::vector<uint32_t> texels(const BoxSide& side, uint32_t size) {
  std::vector<uint32_t> at(size);
  for (uint32_t i = 0; i < size; ++i) at[i] = texel_at(i, size, side.count, side.placement, side.boundary);
  return at;
}

}  // namespace

VolumePasses::VolumePasses(const VolumeDomain& domain, uint32_t threads, ProgressWatch* watch)
    : domain_(domain),
      workers_(threads),
      watch_(watch),
      kernels_(find_line_kernels()),
      x_plan_(domain.size.width),
      y_plan_(domain.size.height),
      z_plan_(domain.size.planes),
      scratch_(workers_.slots()) {
  work_.allocate(domain_.work() * kElementFloats * sizeof(float));
  kernel_.allocate(domain_.kernel() * kElementFloats * sizeof(float));
  std::fill_n(strip(domain_.planes, 0), domain_.plane() * kElementFloats, 0.0F);
  scratch(0);  // a lack of memory shows here
}

VolumePasses::Box VolumePasses::box(const BoxSide& x, const BoxSide& y, const BoxSide& z) const {
  Box box{.x = x, .y = y, .z = z};
  box.in_place_x = in_place(x, domain_.size.width);
  box.in_place_y = in_place(y, domain_.size.height);
  box.from_x = texels(x, domain_.size.width);
  box.from_y = texels(y, domain_.size.height);
  const auto plane = static_cast<uint32_t>(domain_.plane());
  box.from_z = texels(z, domain_.size.planes);
  box.to_z.resize(domain_.size.planes);
  for (uint32_t i = 0; i < domain_.size.planes; ++i) {
    box.from_z[i] = std::min(box.from_z[i], domain_.planes) * plane;
    const int64_t to = int64_t{i} - z.placement;
    box.to_z[i] = (to >= 0 && to < z.count ? static_cast<uint32_t>(to) : domain_.planes + 1) * plane;
  }
  return box;
}

/// The scratch memory of a slot, allocated by the thread that uses it first.
VolumePasses::Scratch& VolumePasses::scratch(uint32_t slot) {
  Scratch& s = scratch_[slot];
  if (s.rows != nullptr) return s;
  const size_t lines = std::max<size_t>(domain_.row(), domain_.size.planes) * kElementFloats;
  const size_t pass =
      std::max({x_plan_.scratch_elements(), y_plan_.scratch_elements() + y_plan_.size, z_plan_.scratch_elements()}) *
      kElementFloats;
  s.memory.allocate((lines + pass + kBlockRows * domain_.row()) * sizeof(float));
  s.lines = reinterpret_cast<float*>(s.memory.data());
  s.pass = s.lines + lines;
  s.rows = s.pass + pass;
  return s;
}

void VolumePasses::run(size_t tasks, double share, const std::function<void(size_t, uint32_t)>& task) {
  if (watch_ == nullptr) return workers_.run(tasks, task);
  const double part = share / static_cast<double>(tasks);
  workers_.run(tasks, [&](size_t index, uint32_t slot) {
    if (watch_->is_cancelled()) return;
    task(index, slot);
    watch_->add(part);
  });
}

// ---- Rows of a plane

StripRows VolumePasses::strip_rows(const Box& box, uint32_t plane, uint32_t row, uint32_t group,
                                   Scratch& scratch) const {
  const uint32_t first = row + group * kLanes;
  const uint32_t at = first + (box.in_place_y ? static_cast<uint32_t>(box.y.placement) : 0);
  StripRows rows;
  rows.size = domain_.size.width;
  rows.columns = domain_.size.width / 2 + 1;
  rows.strip_columns = kLanes;
  rows.rows = std::min(kLanes, box.y.count - first);
  rows.positions = x_plan_.positions.data();
  rows.lines[0] = {scratch.lines, group == 0 ? Part::kFirst : Part::kSecond};
  rows.strips = reinterpret_cast<std::byte*>(strip(plane, 0) + at * kElementFloats);
  rows.strip_stride = domain_.strip() * kElementFloats * sizeof(float);
  return rows;
}

/// Sets the other positions of a row whose values are at theirs, or at its begin.
void VolumePasses::place(const Box& in, float* row) const {
  const size_t end = domain_.row();
  if (in.in_place_x) {
    const auto first = static_cast<size_t>(in.x.placement);
    std::fill(row, row + first, 0.0F);
    std::fill(row + first + in.x.count, row + end, 0.0F);
    return;
  }
  std::vector<float> values(row, row + in.x.count);
  for (uint32_t i = 0; i < domain_.size.width; ++i) row[i] = in.from_x[i] == kNoTexel ? 0.0F : values[in.from_x[i]];
  std::fill(row + domain_.size.width, row + end, 0.0F);
}

/// Loads the rows of a block; those beyond the box are zero, because two rows share a complex signal.
void VolumePasses::load_block(const Box& in, const VolumeRow& load, uint32_t z, uint32_t row, uint32_t slot) {
  Scratch& s = scratch(slot);
  for (uint32_t i = 0; i < kBlockRows; ++i) {
    float* values = s.rows + i * domain_.row();
    if (row + i >= in.y.count) {
      std::fill_n(values, domain_.row(), 0.0F);
      continue;
    }
    load(z, row + i, values + (in.in_place_x ? in.x.placement : 0), slot);
    place(in, values);
  }
}

/// Transforms 32 rows, of which two at a time share a complex signal.
void VolumePasses::block_to_strips(const Box& in, uint32_t plane, uint32_t row, Scratch& s) const {
  Transpose transpose;
  transpose.count = div_up(domain_.size.width, kLanes);
  transpose.in_steps.fill(kLanes);
  transpose.out_steps.fill(kLanes * kElementFloats);
  for (uint32_t g = 0; g < 2; ++g) {
    for (uint32_t i = 0; i < kLanes; ++i) {
      transpose.in[i] = s.rows + (g * kLanes + i) * domain_.row();
      transpose.out[i] = s.lines + i * kElementFloats + g * kLanes;
    }
    kernels_.transpose_blocks(transpose);
  }
  kernels_.transform({.plan = &x_plan_,
                      .source = s.lines,
                      .source_elements = x_plan_.identity.data(),
                      .target = s.lines,
                      .target_elements = x_plan_.positions.data(),
                      .scratch = x_plan_.chirp == nullptr ? s.lines : s.pass});
  for (uint32_t g = 0; g < 2 && row + g * kLanes < in.y.count; ++g) {
    StripRows rows = strip_rows(in, plane, row, g, s);
    rows.scale = 0.5F;
    kernels_.scatter(rows);
  }
}

/// The inverse; the values of `out` are then at their positions in the rows.
void VolumePasses::strips_to_block(const Box& out, uint32_t plane, uint32_t row, Scratch& s) const {
  for (uint32_t g = 0; g < 2 && row + g * kLanes < out.y.count; ++g) {
    kernels_.gather(strip_rows(out, plane, row, g, s));
  }
  kernels_.transform({.plan = &x_plan_,
                      .source = s.lines,
                      .source_elements = x_plan_.identity.data(),
                      .target = s.lines,
                      .target_elements = x_plan_.positions.data(),
                      .scratch = x_plan_.chirp == nullptr ? s.lines : s.pass,
                      .inverse = true});
  const auto first = static_cast<uint32_t>(out.x.placement);
  Transpose transpose;
  transpose.count = div_up(out.x.count, kLanes);
  transpose.in_map = x_plan_.positions.data();
  transpose.in_texels = kLanes;
  transpose.in_steps.fill(kElementFloats);
  transpose.out_steps.fill(kLanes);
  for (uint32_t g = 0; g < 2; ++g) {
    for (uint32_t i = 0; i < kLanes; ++i) {
      transpose.in[i] = s.lines + g * kLanes;
      transpose.in_first[i] = first + i;
      transpose.out[i] = s.rows + (g * kLanes + i) * domain_.row() + first;
    }
    kernels_.transpose_blocks_mapped(transpose);
  }
}

// ---- Columns of a plane

void VolumePasses::columns_forward(const Box& in, uint32_t plane, Scratch& s) const {
  const auto first = static_cast<size_t>(in.in_place_y ? in.y.placement : 0);
  for (uint32_t n = 0; n < domain_.strips(); ++n) {
    float* values = strip(plane, n);
    const float* source = values;
    if (in.in_place_y) {
      std::fill_n(values, first * kElementFloats, 0.0F);
      const size_t end = first + in.y.count;
      std::fill_n(values + end * kElementFloats, (domain_.size.height - end) * kElementFloats, 0.0F);
    } else {
      float* rows = s.pass + y_plan_.scratch_elements() * kElementFloats;
      for (uint32_t y = 0; y < domain_.size.height; ++y) {
        float* to = rows + y * kElementFloats;
        if (in.from_y[y] == kNoTexel) {
          std::fill_n(to, kElementFloats, 0.0F);
        } else {
          std::copy_n(values + in.from_y[y] * kElementFloats, kElementFloats, to);
        }
      }
      source = rows;
    }
    kernels_.transform({.plan = &y_plan_,
                        .source = source,
                        .source_elements = y_plan_.identity.data(),
                        .target = values,
                        .target_elements = y_plan_.positions.data(),
                        .scratch = y_plan_.chirp == nullptr ? values : s.pass});
  }
}

void VolumePasses::columns_inverse(uint32_t plane, Scratch& s) const {
  for (uint32_t n = 0; n < domain_.strips(); ++n) {
    float* values = strip(plane, n);
    kernels_.transform({.plan = &y_plan_,
                        .source = values,
                        .source_elements = y_plan_.positions.data(),
                        .target = values,
                        .target_elements = y_plan_.identity.data(),
                        .scratch = s.pass,
                        .inverse = true});
  }
}

void VolumePasses::forward(const Box& in, const VolumeRow& load, double share) {
  run(in.z.count, share, [&](size_t index, uint32_t slot) {
    const auto plane = static_cast<uint32_t>(index);
    for (uint32_t row = 0; row < in.y.count; row += kBlockRows) {
      load_block(in, load, plane, row, slot);
      block_to_strips(in, plane, row, scratch(slot));
    }
    columns_forward(in, plane, scratch(slot));
  });
}

void VolumePasses::inverse(const Box& out, const VolumeRow& store, double share) {
  run(out.z.count, share, [&](size_t index, uint32_t slot) {
    const auto plane = static_cast<uint32_t>(index);
    Scratch& s = scratch(slot);
    columns_inverse(plane, s);
    for (uint32_t row = 0; row < out.y.count; row += kBlockRows) {
      strips_to_block(out, plane, row, s);
      for (uint32_t i = 0; i < kBlockRows && row + i < out.y.count; ++i) {
        store(plane, row + i, s.rows + i * domain_.row() + out.x.placement, slot);
      }
    }
  });
}

void VolumePasses::change(const Box& box, const VolumeRow& change, double share) {
  run(box.z.count, share, [&](size_t index, uint32_t slot) {
    const auto plane = static_cast<uint32_t>(index);
    Scratch& s = scratch(slot);
    columns_inverse(plane, s);
    for (uint32_t row = 0; row < box.y.count; row += kBlockRows) {
      strips_to_block(box, plane, row, s);
      load_block(box, change, plane, row, slot);
      block_to_strips(box, plane, row, s);
    }
    columns_forward(box, plane, s);
  });
}

// ---- Lines along z

void VolumePasses::each_line(double share, const std::function<void(size_t, float*, Scratch&)>& task) {
  const uint32_t groups = div_up(domain_.size.height, kTaskLines);
  run(size_t{domain_.strips()} * groups, share, [&](size_t index, uint32_t slot) {
    const auto number = static_cast<uint32_t>(index / groups);
    const uint32_t first = static_cast<uint32_t>(index % groups) * kTaskLines;
    Scratch& s = scratch(slot);
    for (uint32_t ky = first; ky < std::min(first + kTaskLines, domain_.size.height); ++ky) {
      task(size_t{number} * domain_.size.height + ky, strip(0, number) + ky * kElementFloats, s);
    }
  });
}

void VolumePasses::depth_forward(const Box& in, const float* first, float* line, Scratch& s) const {
  kernels_.transform({.plan = &z_plan_,
                      .source = first,
                      .source_elements = in.from_z.data(),
                      .target = line,
                      .target_elements = z_plan_.positions.data(),
                      .scratch = z_plan_.chirp == nullptr ? line : s.pass,
                      .far = true});
}

void VolumePasses::multiply(const Box& in, const Box& out, bool conjugate, double share) {
  each_line(share, [&](size_t line, float* first, Scratch& s) {
    depth_forward(in, first, s.lines, s);
    kernels_.multiply(s.lines, kernel() + line * domain_.size.planes * kElementFloats, domain_.size.planes, conjugate);
    kernels_.transform({.plan = &z_plan_,
                        .source = s.lines,
                        .source_elements = z_plan_.positions.data(),
                        .target = first,
                        .target_elements = out.to_z.data(),
                        .scratch = s.pass,
                        .inverse = true,
                        .far = true});
  });
}

void VolumePasses::keep_kernel(const Box& in, double scale) {
  const double voxels = static_cast<double>(domain_.size.width) * domain_.size.height * domain_.size.planes;
  const auto factor = static_cast<float>(scale / voxels);
  each_line(0, [&](size_t line, float* first, Scratch& s) {
    float* values = kernel() + line * domain_.size.planes * kElementFloats;
    depth_forward(in, first, values, s);
    for (size_t i = 0; i < domain_.size.planes * kElementFloats; ++i) values[i] *= factor;
  });
}

}  // namespace onepass::cpu
