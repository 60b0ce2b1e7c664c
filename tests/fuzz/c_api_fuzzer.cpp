// c_api_fuzzer.cpp: fuzzes the C API: option structs of any size with any bits in their fields, views of any format,
// size and stride, and null pointers. No call may crash, access memory outside a view (each has memory of exactly its
// size), or return a value that the header excludes.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "onepass/onepass.h"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using fuzz::Input;
using Memory = std::unique_ptr<std::byte[]>;

// Larger images are planned but not processed, to save time.
constexpr uint32_t kMostEdge = 200;
constexpr uint32_t kMostSlices = 8;
constexpr uint64_t kMostPixels = 4U << 20;  // bytes of one view

constexpr onepass_format kFormats[] = {9, 16, 37, 43, 64, 70, 76, 77, 83, 91, 97, 100, 103, 109, 122, 124, 126};

onepass_format any_format(Input& in) { return in.one_in(16) ? in.number() : in.pick(kFormats); }

// An error struct or null, and the conditions that must hold for it after a call.
class ErrorCheck {
 public:
  explicit ErrorCheck(Input& in) : given_(!in.one_in(8)) {}
  onepass_error* get() { return given_ ? &error_ : nullptr; }
  void check(onepass_code code) const {
    if (code < ONEPASS_OK || code > ONEPASS_CANCELLED) fuzz::fail("code " + std::to_string(code));
    if (!given_) return;
    if (std::memchr(error_.message, 0, sizeof error_.message) == nullptr) fuzz::fail("a message without an end");
    if (error_.code != code) fuzz::fail("error.code is not what was returned");
    if ((code == ONEPASS_OK) != (error_.message[0] == 0)) fuzz::fail("a message that does not fit the code");
  }

 private:
  bool given_;
  onepass_error error_{};
};

// A copy of a struct in memory of exactly the size that its struct_size states; in 7 of 8 cases that is the true size.
template <typename Struct>
Memory sized(Input& in, const Struct& value) {
  const size_t size = in.one_in(8) ? in.below(2 * sizeof(Struct)) : sizeof(Struct);
  const size_t room = std::max(size, sizeof(size_t));
  Memory memory(new std::byte[room]());
  std::memcpy(memory.get(), &value, std::min(room, sizeof(Struct)));
  std::memcpy(memory.get(), &size, sizeof size);
  if (size > sizeof(Struct) && in.flag()) memory[size - 1] = static_cast<std::byte>(in.byte());
  return memory;
}

// Overwrites up to five 32-bit fields between struct_size and `end`.
template <typename Struct>
void spoil(Input& in, Struct& value, size_t end = sizeof(Struct)) {
  for (uint32_t i = in.below(6); i > 0; --i) {
    const size_t at = sizeof(size_t) + 4 * in.below(static_cast<uint32_t>((end - sizeof(size_t)) / 4));
    uint32_t bits = 0;
    switch (in.below(5)) {
      case 0:
        bits = in.below(12);
        break;
      case 1:
        bits = 0U - in.below(4);
        break;
      case 2:
        bits = std::bit_cast<uint32_t>(static_cast<float>(in.byte()) / 64.0F);
        break;
      default:
        bits = in.number();
        break;
    }
    std::memcpy(reinterpret_cast<std::byte*>(&value) + at, &bits, 4);
  }
}

// A view, mostly with expected properties, in memory of exactly its size; null data above kMostPixels.
template <typename ViewType>
class View {
 public:
  View(Input& in, onepass_format format, onepass_extent size, uint32_t slices) : given_(!in.one_in(32)) {
    view_.format = in.one_in(24) ? any_format(in) : format;
    view_.size = size;
    view_.slices = slices;
    if (in.one_in(16)) view_.size = {in.below(70), in.below(70)};
    if (in.one_in(24)) view_.slices = in.below(4);
    const uint64_t texel = onepass_format_bytes(view_.format);
    const uint64_t row = texel * view_.size.width;
    if (in.one_in(3)) view_.row_stride = row + texel * in.below(4);
    if (in.one_in(3))
      view_.slice_stride = std::max<uint64_t>(row, view_.row_stride) * (view_.size.height + in.below(3));
    if (in.one_in(24)) view_.row_stride = in.flag() ? in.below(64) : uint64_t{in.number()} << in.below(32);
    if (in.one_in(24)) view_.slice_stride = in.flag() ? in.below(64) : uint64_t{in.number()} << in.below(32);
    allocate(in, texel);
  }
  const ViewType* get() const { return given_ ? &view_ : nullptr; }
  const ViewType& value() const { return view_; }

 private:
  void allocate(Input& in, uint64_t texel) {
    const uint64_t row = view_.row_stride != 0 ? view_.row_stride : texel * view_.size.width;
    const uint64_t slice = view_.slice_stride != 0 ? view_.slice_stride : row * view_.size.height;
    const uint64_t slices = std::max(1U, view_.slices);
    const bool small = row < kMostPixels && slice < kMostPixels && slices < 64 && view_.size.height < 65536;
    if (!small || view_.size.width == 0 || view_.size.height == 0) return;  // data stays null
    const uint64_t bytes = (slices - 1) * slice + (view_.size.height - 1) * row + texel * view_.size.width;
    if (bytes > kMostPixels) return;
    pixels_.reset(new std::byte[std::max<uint64_t>(bytes, 1)]);
    in.fill({pixels_.get(), bytes});
    view_.data = in.one_in(32) ? nullptr : pixels_.get();
  }

  bool given_;
  ViewType view_{};
  Memory pixels_;
};
using Source = View<onepass_image_view>;
using Target = View<onepass_mutable_image_view>;

bool small(onepass_extent size) { return size.width <= kMostEdge && size.height <= kMostEdge; }

onepass_extent some_size(Input& in) { return {in.between(1, 40), in.between(1, 40)}; }

// Creates a handle from options and a tuning, passes it to `use` and destroys it.
template <typename Options, typename Handle, typename Use>
void with_handle(Input& in, const Options& options,
                 onepass_code (*create)(const Options*, const onepass_cpu_tuning*, Handle**, onepass_error*),
                 void (*destroy)(Handle*), const Use& use) {
  onepass_cpu_tuning tuning;
  onepass_cpu_tuning_init(&tuning, sizeof tuning);
  tuning.threads = 1;
  if (in.one_in(8)) spoil(in, tuning);
  if (tuning.threads > 2) tuning.threads = 2;
  const Memory tuning_memory = sized(in, tuning);
  const Memory memory = sized(in, options);
  Handle* handle = reinterpret_cast<Handle*>(&tuning);  // any value except null
  ErrorCheck error(in);
  const bool no_options = in.one_in(64);
  const bool no_place = in.one_in(64);
  const onepass_code code =
      create(no_options ? nullptr : reinterpret_cast<const Options*>(memory.get()),
             in.one_in(8) ? nullptr : reinterpret_cast<const onepass_cpu_tuning*>(tuning_memory.get()),
             no_place ? nullptr : &handle, error.get());
  error.check(code);
  if ((no_options || no_place) && code != ONEPASS_INVALID_ARGUMENT) fuzz::fail("null is no argument");
  if (no_place) return;
  if ((code == ONEPASS_OK) != (handle != nullptr)) fuzz::fail("a handle that does not fit the code");
  if (handle == nullptr) return;
  use(handle);
  destroy(handle);
}

template <typename Call>
void checked(Input& in, const Call& call) {
  ErrorCheck error(in);
  error.check(call(error.get()));
}

void pyramid(Input& in) {
  onepass_pyramid_options o;
  onepass_pyramid_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.source = o.target = any_format(in);
  if (in.one_in(4)) o.target = any_format(in);
  spoil(in, o);
  onepass_pyramid_plan plan{};
  plan.struct_size = sizeof plan;
  const Memory plan_memory = sized(in, plan);
  checked(in, [&](onepass_error* e) {
    return onepass_plan_pyramid(&o, reinterpret_cast<onepass_pyramid_plan*>(plan_memory.get()), e);
  });
  if (!small(o.size) || o.slices > kMostSlices) return;
  with_handle(in, o, onepass_cpu_pyramid_create, onepass_cpu_pyramid_destroy, [&](onepass_cpu_pyramid* handle) {
    const Source source(in, o.source, o.size, o.slices);
    std::vector<Target> targets;
    std::vector<onepass_mutable_image_view> levels;
    const uint32_t count =
        in.one_in(4) ? in.below(10) : (onepass_plan_pyramid(&o, &plan, nullptr) == 0 ? plan.levels : 0);
    for (uint32_t n = 1; n < count; ++n) {
      targets.emplace_back(in, o.target, plan.sizes[n < 32 ? n : 31], o.slices);
      levels.push_back(targets.back().value());
    }
    const bool update = in.one_in(3);
    const onepass_rect rect{in.below(50), in.below(50), in.below(50), in.one_in(8) ? in.number() : in.below(50)};
    checked(in, [&](onepass_error* e) {
      return update ? onepass_cpu_pyramid_update(handle, source.get(), levels.data(), levels.size(), rect, e)
                    : onepass_cpu_pyramid_build(handle, source.get(), levels.data(), levels.size(), e);
    });
  });
}

// A stream that makes the pyramid of a whole image.
void streamed(Input& in) {
  onepass_pyramid_options o;
  onepass_pyramid_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.source = o.target = in.flag() ? uint32_t{ONEPASS_FORMAT_R8G8B8_UNORM} : any_format(in);
  spoil(in, o);
  if (!small(o.size) || o.slices > kMostSlices) return;
  onepass_pyramid_plan plan{};
  plan.struct_size = sizeof plan;
  onepass_pyramid_options one = o;
  one.slices = 1;
  const uint32_t count = onepass_plan_pyramid_stream(&one, &plan, nullptr) == ONEPASS_OK ? plan.levels : 0;
  const Source source(in, o.source, o.size, o.slices);
  std::vector<Target> targets;
  std::vector<onepass_mutable_image_view> levels;
  for (uint32_t n = 1; n < count; ++n) {
    targets.emplace_back(in, o.target, plan.sizes[n], o.slices);
    levels.push_back(targets.back().value());
  }
  onepass_cpu_tuning tuning;
  onepass_cpu_tuning_init(&tuning, sizeof tuning);
  tuning.threads = 1;
  checked(in, [&](onepass_error* e) {
    return onepass_cpu_pyramid_stream_image(&o, &tuning, source.get(), levels.data(), levels.size(), e);
  });
}

// Texels as floats and back.
void texels(Input& in) {
  const onepass_format format = any_format(in);
  const uint32_t count = in.below(70);
  const Memory stored(new std::byte[size_t{count} * 16 + 1]());
  std::vector<float> rgba(size_t{count} * 4 + 1);
  checked(in, [&](onepass_error* e) { return onepass_decode_texels(format, stored.get(), count, rgba.data(), e); });
  const onepass_format other = any_format(in);
  checked(in, [&](onepass_error* e) { return onepass_encode_texels(other, rgba.data(), count, stored.get(), e); });
}

// Blocks of any bits, decompressed, and compressed again.
void blocks(Input& in) {
  const onepass_block_format format = 130 + in.below(18);
  const onepass_extent size{in.below(22), in.below(22)};
  const uint32_t slices = in.below(3);
  const size_t bytes = size_t{6} * 6 * 2 * 16;
  const Memory stored(new std::byte[bytes]());
  for (size_t i = 0; i < bytes; ++i) stored[i] = static_cast<std::byte>(in.below(256));
  const Memory texels(new std::byte[size_t{22} * 22 * 2 * 16]());
  const onepass_mutable_image_view image{texels.get(), any_format(in), size, slices, 0, 0};
  const onepass_block_view from{stored.get(), format, size, slices, 0, 0};
  checked(in, [&](onepass_error* e) { return onepass_decompress_blocks(&from, &image, nullptr, e); });
  onepass_block_options o;
  onepass_block_options_init(&o, sizeof o);
  spoil(in, o);
  const onepass_image_view source{texels.get(), any_format(in), size, slices, 0, 0};
  const onepass_mutable_block_view to{stored.get(), format, size, slices, 0, 0};
  checked(in, [&](onepass_error* e) { return onepass_compress_blocks(&source, &to, &o, nullptr, e); });
}

// Levels of normal maps and of their roughness, normals of heights, packed channels, of any texels.
void materials(Input& in) {
  const onepass_extent size{in.below(22), in.below(22)};
  const onepass_extent half{std::max(1U, size.width / 2), std::max(1U, size.height / 2)};
  const uint32_t slices = in.below(3);
  const Memory base(new std::byte[size_t{22} * 22 * 2 * 16]());
  for (size_t i = 0; i < size_t{22} * 22 * 2 * 16; ++i) base[i] = static_cast<std::byte>(in.below(256));
  const Memory made(new std::byte[size_t{22} * 22 * 2 * 16]());
  const Memory level(new std::byte[size_t{11} * 11 * 2 * 16]());
  const onepass_image_view normals{base.get(), any_format(in), size, slices, 0, 0};
  const onepass_image_view rough{base.get(), any_format(in), size, slices, 0, 0};
  const onepass_mutable_image_view target{made.get(), any_format(in), size, slices, 0, 0};
  const onepass_mutable_image_view levels{level.get(), any_format(in), half, slices, 0, 0};
  onepass_roughness_options o;
  onepass_roughness_options_init(&o, sizeof o);
  spoil(in, o);
  const bool constant = in.one_in(2);
  checked(in, [&](onepass_error* e) {
    return onepass_roughness_mips(&normals, constant ? nullptr : &rough, nullptr, 0, &levels, 1, &o, nullptr, e);
  });
  checked(in, [&](onepass_error* e) {
    return onepass_roughness_mips(&normals, nullptr, &levels, 1, nullptr, 0, &o, nullptr, e);
  });
  onepass_height_options h;
  onepass_height_options_init(&h, sizeof h);
  spoil(in, h);
  checked(in, [&](onepass_error* e) { return onepass_height_to_normals(&rough, &target, &h, nullptr, e); });
  checked(in, [&](onepass_error* e) { return onepass_flip_normal_y(&normals, &target, nullptr, e); });
  checked(in, [&](onepass_error* e) { return onepass_convert_normals(&normals, &target, nullptr, e); });
  const onepass_channel_source channels[4] = {
      {&normals, in.below(5), 0}, {nullptr, 0, 0.5F}, {&rough, in.below(5), 0}, {&normals, 0, 0}};
  const size_t count = in.below(6);
  checked(in, [&](onepass_error* e) { return onepass_pack_channels(channels, count, &target, nullptr, e); });
}

void tiles(Input& in) {
  onepass_tile_reduction_options o;
  onepass_tile_reduction_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.source = o.target = any_format(in);
  spoil(in, o);
  onepass_tile_reduction_plan plan{};
  plan.struct_size = sizeof plan;
  const bool planned = onepass_plan_tile_reduction(&o, &plan, nullptr) == ONEPASS_OK;
  if (!small(o.size) || o.slices > kMostSlices) return;
  with_handle(in, o, onepass_cpu_tile_reduction_create, onepass_cpu_tile_reduction_destroy,
              [&](onepass_cpu_tile_reduction* handle) {
                const Source source(in, o.source, o.size, o.slices);
                const Target target(in, o.target, planned ? plan.size : o.size, o.slices);
                checked(in, [&](onepass_error* e) {
                  return onepass_cpu_tile_reduction_reduce(handle, source.get(), target.get(), e);
                });
              });
}

void transform(Input& in) {
  onepass_transform_options o;
  onepass_transform_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.source = any_format(in);
  spoil(in, o);
  onepass_transform_plan plan{};
  plan.struct_size = sizeof plan;
  const bool planned = onepass_plan_transform(&o, &plan, nullptr) == ONEPASS_OK;
  if (!small(o.size) || o.slices > kMostSlices || (planned && plan.spectrum_bytes > kMostPixels)) return;
  with_handle(in, o, onepass_cpu_transform_create, onepass_cpu_transform_destroy, [&](onepass_cpu_transform* handle) {
    const onepass_extent image =
        o.crop.width != 0 ? onepass_extent{o.crop.x + o.crop.width, o.crop.y + o.crop.height} : o.size;
    const onepass_extent result = o.result.width != 0 ? onepass_extent{o.result.width, o.result.height} : o.size;
    const Source source(in, o.source, image, o.slices);
    const Target target(in, o.target != 0 ? o.target : o.source, result, o.slices);
    const size_t bytes = in.one_in(8) ? in.below(4096) : plan.spectrum_bytes;
    const Memory spectrum(new std::byte[std::max<size_t>(bytes, 1)]());
    void* place = in.one_in(32) ? nullptr : spectrum.get();
    checked(in, [&](onepass_error* e) { return onepass_cpu_transform_forward(handle, source.get(), place, bytes, e); });
    checked(in, [&](onepass_error* e) { return onepass_cpu_transform_inverse(handle, place, bytes, target.get(), e); });
  });
}

void convolution(Input& in) {
  onepass_convolution_options o;
  onepass_convolution_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.kernel_size = {in.between(1, 9), in.between(1, 9)};
  o.source = any_format(in);
  o.kernel = any_format(in);
  spoil(in, o);
  onepass_convolution_plan plan{};
  plan.struct_size = sizeof plan;
  const bool planned = onepass_plan_convolution(&o, &plan, nullptr) == ONEPASS_OK;
  if (!small(o.size) || !small(o.kernel_size) || o.slices > kMostSlices) return;
  with_handle(in, o, onepass_cpu_convolver_create, onepass_cpu_convolver_destroy, [&](onepass_cpu_convolver* handle) {
    const Source kernel(in, o.kernel, o.kernel_size, 1);
    const Source source(in, o.source, o.size, o.slices);
    const Target target(in, o.target != 0 ? o.target : o.source, planned ? plan.result_size : o.size, o.slices);
    if (!in.one_in(8)) {
      checked(in, [&](onepass_error* e) { return onepass_cpu_convolver_set_kernel(handle, kernel.get(), e); });
    }
    checked(in,
            [&](onepass_error* e) { return onepass_cpu_convolver_convolve(handle, source.get(), target.get(), e); });
  });
}

void bloom(Input& in) {
  onepass_bloom_options o;
  onepass_bloom_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.source = any_format(in);
  o.method = in.below(2);
  o.resolution = in.below(2);
  if (o.method == ONEPASS_BLOOM_METHOD_CONVOLUTION && in.one_in(2)) {
    o.kernel_size = {in.between(1, 9), in.between(1, 9)};
    o.kernel = any_format(in);
  }
  spoil(in, o);
  if (!small(o.size) || !small(o.kernel_size) || o.slices > kMostSlices) return;
  with_handle(in, o, onepass_cpu_bloom_create, onepass_cpu_bloom_destroy, [&](onepass_cpu_bloom* handle) {
    const Source kernel(in, o.kernel, o.kernel_size, 1);
    const Source source(in, o.source, o.size, o.slices);
    const Target target(in, o.target != 0 ? o.target : o.source, o.size, o.slices);
    if (!in.one_in(8)) {
      checked(in, [&](onepass_error* e) { return onepass_cpu_bloom_set_kernel(handle, kernel.get(), e); });
    }
    checked(in, [&](onepass_error* e) { return onepass_cpu_bloom_apply(handle, source.get(), target.get(), e); });
  });
}

void filter(Input& in) {
  onepass_filter_options o;
  onepass_filter_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.source = any_format(in);
  spoil(in, o, offsetof(onepass_filter_options, notches));
  std::vector<onepass_notch> notches(32);
  for (uint32_t i = in.below(5); i > 0; --i) notches[in.below(32)] = {in.real(), in.real(), in.real()};
  o.notches = in.one_in(4) ? nullptr : notches.data();
  if (!small(o.size) || o.slices > kMostSlices || o.margin > kMostEdge) return;
  with_handle(in, o, onepass_cpu_filter_create, onepass_cpu_filter_destroy, [&](onepass_cpu_filter* handle) {
    const Source source(in, o.source, o.size, o.slices);
    const Target target(in, o.target != 0 ? o.target : o.source, o.size, o.slices);
    checked(in, [&](onepass_error* e) { return onepass_cpu_filter_apply(handle, source.get(), target.get(), e); });
  });
}

void correlation(Input& in) {
  onepass_correlation_options o;
  onepass_correlation_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.first = any_format(in);
  spoil(in, o);
  if (!small(o.size)) return;
  with_handle(in, o, onepass_cpu_correlator_create, onepass_cpu_correlator_destroy,
              [&](onepass_cpu_correlator* handle) {
                const Source first(in, o.first, o.size, 1);
                const Source second(in, o.second != 0 ? o.second : o.first, o.size, 1);
                const Target target(in, ONEPASS_FORMAT_R32_SFLOAT, o.size, 1);
                onepass_shift shift{};
                checked(in, [&](onepass_error* e) {
                  return onepass_cpu_correlator_estimate(handle, first.get(), second.get(),
                                                         in.one_in(32) ? nullptr : &shift, e);
                });
                checked(in, [&](onepass_error* e) {
                  return onepass_cpu_correlator_correlate(handle, first.get(), second.get(), target.get(), e);
                });
              });
}

void template_match(Input& in) {
  onepass_match_options o;
  onepass_match_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.template_size = {in.between(1, 9), in.between(1, 9)};
  o.image = any_format(in);
  spoil(in, o);
  if (!small(o.size)) return;
  with_handle(
      in, o, onepass_cpu_template_matcher_create, onepass_cpu_template_matcher_destroy,
      [&](onepass_cpu_template_matcher* handle) {
        const Source image(in, o.image, o.size, 1);
        const Source templates(in, o.templates, o.template_size, in.between(1, 5));
        const Target best(in, ONEPASS_FORMAT_R32_SFLOAT, o.size, 1);
        const Target which(in, ONEPASS_FORMAT_R32_UINT, o.size, 1);
        checked(in, [&](onepass_error* e) { return onepass_cpu_template_matcher_set_image(handle, image.get(), e); });
        checked(in, [&](onepass_error* e) { return onepass_cpu_template_matcher_add(handle, templates.get(), e); });
        checked(in, [&](onepass_error* e) {
          return onepass_cpu_template_matcher_write(handle, best.get(), which.get(), nullptr, best.get(), e);
        });
      });
}

void deconvolution(Input& in) {
  onepass_deconvolution_options o;
  onepass_deconvolution_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.kernel_size = {in.between(1, 9), in.between(1, 9)};
  o.source = any_format(in);
  o.kernel = any_format(in);
  o.iterations = in.between(1, 4);
  spoil(in, o);
  const bool long_run = o.iterations > 8 && o.iterations <= 10000;
  if (!small(o.size) || !small(o.kernel_size) || o.slices > kMostSlices || long_run) return;
  with_handle(
      in, o, onepass_cpu_deconvolver_create, onepass_cpu_deconvolver_destroy, [&](onepass_cpu_deconvolver* handle) {
        const Source kernel(in, o.kernel, o.kernel_size, 1);
        const Source source(in, o.source, o.size, o.slices);
        const Target target(in, o.target != 0 ? o.target : o.source, o.size, o.slices);
        if (!in.one_in(8)) {
          checked(in, [&](onepass_error* e) { return onepass_cpu_deconvolver_set_kernel(handle, kernel.get(), e); });
        }
        checked(in, [&](onepass_error* e) {
          return onepass_cpu_deconvolver_deconvolve(handle, source.get(), target.get(), e);
        });
      });
}

onepass_meter_options meter_options(Input& in) {
  onepass_meter_options o;
  onepass_meter_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.source = any_format(in);
  if (in.one_in(4)) {
    o.metering = ONEPASS_METERING_MASK;
    o.mask = any_format(in);
  }
  return o;
}

void meter(Input& in) {
  onepass_meter_options o = meter_options(in);
  spoil(in, o);
  if (!small(o.size) || o.slices > kMostSlices) return;
  with_handle(in, o, onepass_cpu_meter_create, onepass_cpu_meter_destroy, [&](onepass_cpu_meter* handle) {
    const Source source(in, o.source, o.size, o.slices);
    const Source mask(in, o.mask, o.size, 1);
    const size_t count = in.one_in(8) ? in.below(12) : std::max(1U, o.slices);
    std::vector<onepass_meter_result> results(count);
    in.fill(std::as_writable_bytes(std::span(results)));
    const onepass_meter_frame frame{in.real(), in.below(2)};
    checked(in, [&](onepass_error* e) {
      return onepass_cpu_meter_measure(handle, source.get(), in.one_in(32) ? nullptr : results.data(), count,
                                       in.flag() ? &frame : nullptr, in.flag() ? mask.get() : nullptr, e);
    });
  });
}

onepass_tone_map_options tone_options(Input& in) {
  onepass_tone_map_options o;
  onepass_tone_map_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.source = any_format(in);
  o.target = any_format(in);
  if (in.one_in(4)) o.local_highlights = o.local_shadows = 0.5F;
  return o;
}

void tone_map(Input& in) {
  onepass_tone_map_options o = tone_options(in);
  spoil(in, o);
  if (!small(o.size) || o.slices > kMostSlices) return;
  with_handle(in, o, onepass_cpu_tone_map_create, onepass_cpu_tone_map_destroy, [&](onepass_cpu_tone_map* handle) {
    const Source source(in, o.source, o.size, o.slices);
    const Target target(in, o.target, o.size, o.slices);
    checked(in, [&](onepass_error* e) {
      return onepass_cpu_tone_map_apply(handle, source.get(), target.get(), in.flag() ? 1.0F : in.real(), e);
    });
  });
}

void frames(Input& in) {
  onepass_meter_options m = meter_options(in);
  onepass_tone_map_options t = tone_options(in);
  if (!in.one_in(16)) {
    t.size = m.size;
    t.source = m.source;
  }
  spoil(in, m);
  spoil(in, t);
  if (!small(m.size) || m.slices > kMostSlices || !small(t.size)) return;
  const Memory tone = sized(in, t);
  onepass_cpu_frame_tone_map* handle = nullptr;
  checked(in, [&](onepass_error* e) {
    return onepass_cpu_frame_tone_map_create(&m, reinterpret_cast<const onepass_tone_map_options*>(tone.get()), nullptr,
                                             &handle, e);
  });
  if (handle == nullptr) return;
  const Source source(in, m.source, m.size, m.slices);
  const Target target(in, t.target, m.size, m.slices);
  const Source mask(in, m.mask, m.size, 1);
  std::vector<onepass_meter_result> results(std::max(1U, m.slices));
  const onepass_meter_frame frame{in.real(), in.below(2)};
  checked(in, [&](onepass_error* e) {
    return onepass_cpu_frame_tone_map_apply(handle, source.get(), target.get(), results.data(), results.size(), &frame,
                                            in.flag() ? mask.get() : nullptr, e);
  });
  onepass_cpu_frame_tone_map_destroy(handle);
}

// Options of reflections, whose engine is on the GPU only.
void reflections(Input& in) {
  onepass_reflection_options o;
  onepass_reflection_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.color = any_format(in);
  o.depth = o.pyramid = in.flag() ? uint32_t{ONEPASS_FORMAT_R32_SFLOAT} : any_format(in);
  o.normals = o.roughness = in.flag() ? uint32_t{ONEPASS_FORMAT_R16G16B16A16_SFLOAT} : any_format(in);
  spoil(in, o);
  const Memory options = sized(in, o);
  onepass_reflection_plan plan{};
  const Memory plan_memory = sized(in, plan);
  checked(in, [&](onepass_error* e) {
    return onepass_plan_reflection(
        in.one_in(32) ? nullptr : reinterpret_cast<const onepass_reflection_options*>(options.get()),
        in.one_in(32) ? nullptr : reinterpret_cast<onepass_reflection_plan*>(plan_memory.get()), e);
  });
}

// Options of the compressor of blocks on a GPU.
void compressors(Input& in) {
  onepass_block_compressor_options o;
  onepass_block_compressor_options_init(&o, sizeof o);
  o.size = some_size(in);
  o.source = any_format(in);
  spoil(in, o);
  const Memory options = sized(in, o);
  onepass_block_compressor_plan plan{};
  const Memory plan_memory = sized(in, plan);
  checked(in, [&](onepass_error* e) {
    return onepass_plan_block_compressor(
        in.one_in(32) ? nullptr : reinterpret_cast<const onepass_block_compressor_options*>(options.get()),
        in.one_in(32) ? nullptr : reinterpret_cast<onepass_block_compressor_plan*>(plan_memory.get()), e);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input in(data, size);
  constexpr void (*kTechniques[])(Input&) = {pyramid,       tiles, transform, convolution, filter, correlation,
                                             deconvolution, meter, tone_map,  frames,      bloom};
  in.pick(kTechniques)(in);
  // Behind the technique, so that inputs found before these calls existed still mean the same.
  if (in.one_in(4)) streamed(in);
  if (in.one_in(4)) texels(in);
  if (in.one_in(4)) blocks(in);
  if (in.one_in(4)) materials(in);
  if (in.one_in(4)) reflections(in);
  if (in.one_in(4)) compressors(in);
  if (in.one_in(4)) template_match(in);
  return 0;
}
