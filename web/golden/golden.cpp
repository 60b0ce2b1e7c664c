// golden.cpp: results of the CPU engine for the tests of the WebGPU package.
//
//     web_golden CASES.json
//
// CASES.json is an array of objects; "kind" selects the technique, and the other fields are options with the names of
// the C++ API. Enumerators are their numbers, formats those of VkFormat. "input" is a file of raw texels, rows from top
// to bottom without gaps; "output" receives the result in the same form. Exit status 1 with a message if a case fails.
#include <array>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "onepass/color.hpp"
#include "onepass/fourier.hpp"
#include "onepass/fourier_convolution.hpp"
#include "onepass/image.hpp"
#include "onepass/luminance.hpp"
#include "onepass/pyramid.hpp"
#include "onepass/tile_reduction.hpp"
#include "onepass/tone_map.hpp"

namespace {

using namespace onepass;
using Json = nlohmann::json;

/// The value of a result; throws its error.
template <class T>
T take(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}
void take(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

template <class T>
void set(const Json& from, const char* name, T& to) {
  const auto found = from.find(name);
  if (found == from.end()) return;
  if constexpr (std::is_enum_v<T>) {
    to = static_cast<T>(found->get<uint32_t>());
  } else {
    to = found->get<T>();
  }
}

Extent extent_of(const Json& value) { return {value.at(0).get<uint32_t>(), value.at(1).get<uint32_t>()}; }
Rect rect_of(const Json& value) {
  const auto four = value.get<std::array<uint32_t, 4>>();
  return {four[0], four[1], four[2], four[3]};
}

Image read_image(const std::string& path, Format format, Extent size, uint32_t slices) {
  Image image = take(Image::create(format, size, slices));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(image.data()), static_cast<std::streamsize>(image.size_in_bytes()));
  if (file.gcount() != static_cast<std::streamsize>(image.size_in_bytes())) {
    throw std::runtime_error(path + ": too short");
  }
  return image;
}

/// Appends results to the output of a case.
class Output {
 public:
  explicit Output(const Json& json) : file_(json.at("output").get<std::string>(), std::ios::binary) {}
  void write(const void* data, size_t bytes) {
    file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    if (!file_.flush()) throw std::runtime_error("output: cannot be written");
  }
  void write(const Image& image) { write(image.data(), image.size_in_bytes()); }

 private:
  std::ofstream file_;
};

/// The fields that all techniques share.
template <class Options>
Image set_source(const Json& json, Options& options) {
  options.size = extent_of(json.at("size"));
  set(json, "slices", options.slices);
  set(json, "source", options.source);
  return read_image(json.at("input").get<std::string>(), options.source, options.size, options.slices);
}

void make_pyramid(const Json& json, Output& output) {
  PyramidOptions options;
  const Image source = set_source(json, options);
  set(json, "levels", options.levels);
  set(json, "target", options.target);
  set(json, "reduction", options.reduction);
  set(json, "footprint", options.footprint);
  set(json, "alpha", options.alpha);
  auto pyramid = take(cpu::Pyramid::create(options));
  std::vector<Image> levels;
  std::vector<MutableImageView> views;
  for (uint32_t n = 1; n < pyramid.plan().levels; ++n) {
    levels.push_back(take(Image::create(options.target, pyramid.plan().sizes.at(n), options.slices)));
    views.push_back(levels.back().view());
  }
  take(pyramid.build(source.view(), views));
  for (const Image& level : levels) output.write(level);
}

void make_tiles(const Json& json, Output& output) {
  TileReductionOptions options;
  const Image source = set_source(json, options);
  set(json, "target", options.target);
  set(json, "reduction", options.reduction);
  set(json, "factor", options.factor);
  const auto tiles = take(cpu::TileReduction::create(options));
  Image target = take(Image::create(options.target, tiles.plan().size, options.slices));
  take(tiles.reduce(source.view(), target.view()));
  output.write(target);
}

/// "frames": an array of {seconds, cut}; every frame meters the same image. Writes the results after each frame.
void make_meter(const Json& json, Output& output) {
  MeterOptions options;
  const Image source = set_source(json, options);
  if (json.contains("rect")) options.rect = rect_of(json.at("rect"));
  set(json, "weights", options.weights);
  set(json, "delta", options.delta);
  set(json, "metering", options.metering);
  set(json, "centre_x", options.centre_x);
  set(json, "centre_y", options.centre_y);
  set(json, "radius", options.radius);
  set(json, "mask", options.mask);
  set(json, "histogram_low", options.histogram_low);
  set(json, "histogram_high", options.histogram_high);
  set(json, "percentiles", options.percentiles);
  set(json, "statistic", options.statistic);
  set(json, "clip_low", options.clip_low);
  set(json, "clip_high", options.clip_high);
  set(json, "lowest_ev100", options.lowest_ev100);
  set(json, "highest_ev100", options.highest_ev100);
  set(json, "rule", options.rule);
  set(json, "key", options.key);
  set(json, "calibration", options.calibration);
  set(json, "lens_attenuation", options.lens_attenuation);
  set(json, "compensation", options.compensation);
  set(json, "up_stops_per_second", options.adaptation.up_stops_per_second);
  set(json, "down_stops_per_second", options.adaptation.down_stops_per_second);
  set(json, "ease_stops", options.adaptation.ease_stops);
  const auto meter = take(cpu::Meter::create(options));
  std::vector<MeterResult> results(options.slices);
  Image mask;
  if (options.metering == Metering::kMask) {
    mask = read_image(json.at("mask_input").get<std::string>(), options.mask, options.size, 1);
  }
  const Image dimmer = json.contains("second_input") ? read_image(json.at("second_input").get<std::string>(),
                                                                  options.source, options.size, options.slices)
                                                     : Image();
  for (const Json& step : json.at("frames")) {
    MeterFrame frame;
    set(step, "seconds", frame.seconds);
    set(step, "cut", frame.cut);
    const bool second = step.value("second", false);
    take(meter.measure(second ? dimmer.view() : source.view(), results, frame,
                       options.metering == Metering::kMask ? ImageView(mask.view()) : ImageView{}));
    output.write(results.data(), results.size() * sizeof(MeterResult));
  }
}

void set_tone_options(const Json& json, ToneMapOptions& options) {
  set(json, "target", options.target);
  set(json, "tone_operator", options.tone_operator);
  set(json, "exposure", options.exposure);
  set(json, "white", options.white);
  set(json, "drago_bias", options.drago.bias);
  set(json, "drago_average", options.drago.average);
  set(json, "drago_white", options.drago.white);
  set(json, "look", options.look);
  set(json, "transfer", options.transfer);
  set(json, "gamma", options.gamma);
  set(json, "peak_nits", options.peak_nits);
  set(json, "primaries", options.primaries);
  set(json, "dither", options.dither);
  set(json, "paper_white_nits", options.paper_white_nits);
  set(json, "headroom", options.headroom);
}

void make_tone_map(const Json& json, Output& output) {
  ToneMapOptions options;
  const Image source = set_source(json, options);
  set_tone_options(json, options);
  const auto map = take(cpu::ToneMap::create(options));
  Image target = take(Image::create(options.target, options.size, options.slices));
  take(map.apply(source.view(), target.view(), json.value("applied_exposure", 1.0F)));
  output.write(target);
}

/// The curves of an operator, for the GPU: the program (84 floats) and the cubics.
void make_tone_shader(const Json& json, Output& output) {
  ToneMapOptions options{.size = {1, 1}, .source = Format::kRGBA32Sfloat};
  set_tone_options(json, options);
  const auto shader = take(tone_map_shader(options));
  output.write(shader.program.data(), shader.program.size() * sizeof(float));
  output.write(shader.cubics.data(), shader.cubics.size() * sizeof(float));
}

void set_transform(const Json& json, TransformOptions& options) {
  options.size = extent_of(json.at("size"));
  set(json, "slices", options.slices);
  set(json, "channels", options.channels);
  set(json, "source", options.source);
  set(json, "target", options.target);
  set(json, "boundary", options.boundary);
  set(json, "norm", options.norm);
  if (json.contains("crop")) options.crop = rect_of(json.at("crop"));
  if (json.contains("placement")) {
    options.placement = {json.at("placement").at(0).get<int32_t>(), json.at("placement").at(1).get<int32_t>()};
  }
  if (json.contains("result")) options.result = rect_of(json.at("result"));
}

void make_fourier(const Json& json, Output& output) {
  TransformOptions options;
  set_transform(json, options);
  const Extent image = json.contains("image") ? extent_of(json.at("image")) : options.size;
  const Image source = read_image(json.at("input").get<std::string>(), options.source, image, options.slices);
  auto transform = take(cpu::Transform::create(options));
  std::vector<std::byte> spectrum(transform.plan().spectrum_bytes);
  take(transform.forward(source.view(), spectrum));
  output.write(spectrum.data(), spectrum.size());
}

void make_convolution(const Json& json, Output& output) {
  ConvolutionOptions options;
  const Image source = set_source(json, options);
  set(json, "target", options.target);
  options.kernel_size = extent_of(json.at("kernel_size"));
  set(json, "kernel", options.kernel);
  if (json.contains("kernel_origin")) {
    options.kernel_origin =
        Offset{json.at("kernel_origin").at(0).get<int32_t>(), json.at("kernel_origin").at(1).get<int32_t>()};
  }
  set(json, "boundary", options.boundary);
  set(json, "scale", options.scale);
  set(json, "kernel_channels", options.kernel_channels);
  set(json, "alpha", options.alpha);
  set(json, "mix", options.mix);
  const Image kernel = read_image(json.at("kernel_input").get<std::string>(), options.kernel, options.kernel_size, 1);
  auto convolver = take(cpu::Convolver::create(options));
  take(convolver.set_kernel(kernel.view()));
  Image target = take(Image::create(convolver.plan().options.target, convolver.plan().result_size, options.slices));
  take(convolver.convolve(source.view(), target.view()));
  output.write(target);
}

/// The matrices from Rec. 709 to Display P3 and to Rec. 2020, as doubles by rows.
void make_matrix(const Json&, Output& output) {
  for (const auto* to : {&kDisplayP3Chromaticities, &kRec2020Chromaticities}) {
    const ColorMatrix matrix = take(conversion_matrix(kRec709Chromaticities, *to));
    output.write(matrix.data(), sizeof(matrix));
  }
}

void run(const Json& json) {
  const auto kind = json.at("kind").get<std::string>();
  Output output(json);
  if (kind == "pyramid") return make_pyramid(json, output);
  if (kind == "tile_reduction") return make_tiles(json, output);
  if (kind == "meter") return make_meter(json, output);
  if (kind == "tone_map") return make_tone_map(json, output);
  if (kind == "tone_shader") return make_tone_shader(json, output);
  if (kind == "fourier") return make_fourier(json, output);
  if (kind == "convolution") return make_convolution(json, output);
  if (kind == "matrix") return make_matrix(json, output);
  throw std::runtime_error("kind: " + kind);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: web_golden CASES.json\n";
    return 2;
  }
  size_t number = 0;
  try {
    std::ifstream file(arguments[1]);
    for (const Json& json : Json::parse(file)) {
      run(json);
      ++number;
    }
  } catch (const std::exception& error) {
    std::cerr << "web_golden: case " << number << ": " << error.what() << "\n";
    return 1;
  }
  return 0;
}
