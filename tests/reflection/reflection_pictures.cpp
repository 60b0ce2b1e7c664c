// reflection_pictures.cpp: the pictures of docs/reflection.md, in the folder that is the program's argument: the hall
// as the renderer draws it, with reflections of one frame of rays, filtered, after 24 frames, and with 1024 rays per
// texel.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "onepass/files.hpp"
#include "tests/reflection/reflection_rig.hpp"

namespace {

using namespace onepass;
using namespace onepass::testing;

constexpr Extent kSize{480, 320};
constexpr std::array<float, 3> kFallback{0.5F, 0.5F, 0.5F};

/// Light that leaves the surfaces: their own, and reflections by Schlick's factor.
Image compose(const Frame& frame, const Camera& camera, const std::vector<std::array<float, 4>>& reflected, double f0) {
  auto picture = Image::create(Format::kRGBA8Srgb, frame.size);
  for (uint32_t y = 0; y < frame.size.height; ++y) {
    for (uint32_t x = 0; x < frame.size.width; ++x) {
      const size_t i = size_t{y} * frame.size.width + x;
      Vec from, direction;
      camera.ray((x + 0.5) / frame.size.width, (y + 0.5) / frame.size.height, from, direction);
      const auto& n = frame.normals[i];
      const double facing = std::max(0.0, -dot(direction, {n[0], n[1], n[2]}));
      const double share = n[3] > 0.6F ? 0 : f0 + (1 - f0) * std::pow(1 - facing, 5);
      float texel[4] = {0, 0, 0, 1};
      for (size_t c = 0; c < 3; ++c) {
        const double light = (1 - share) * frame.color[i][c] + share * reflected[i][c];
        texel[c] = static_cast<float>(1 - std::exp(-light));
      }
      encode_row(Format::kRGBA8Srgb, texel, 1, picture->view().row(y) + 4 * x);
    }
  }
  return std::move(*picture);
}

void save(const std::string& folder, const std::string& name, const Image& picture) {
  const ImageView view = picture.view();
  const auto saved = files::write(std::filesystem::path(folder) / ("reflection_" + name + ".png"), {&view, 1});
  std::printf("%s: %s\n", name.c_str(), saved ? "written" : saved.error().text().c_str());
}

}  // namespace

int main(int count, char** arguments) {
  const std::string folder = count > 1 ? arguments[1] : ".";
  const Camera& camera = usual_camera(Projection::kReversedInfinite);
  const Scene scene = hall(0.3, 0.1);
  const Frame frame = render(scene, camera, kSize);
  const auto views = views_of({camera}, {camera});
  const auto shown = [&](const std::string& name, const Reflected& reflected) {
    save(folder, name, compose(frame, camera, reflected.light, 0.5));
  };
  Reflected none;
  none.light.resize(frame.depth.size());
  shown("without", none);
  ReflectionOptions options = rig_options(kSize, camera);
  options.history_frames = 1;
  options.filter_passes = 0;
  shown("rays", ReflectionRig(options).run({frame}, {.views = views, .reset = true, .fallback = kFallback}));
  options = rig_options(kSize, camera);
  ReflectionRig rig(options);
  Reflected reflected = rig.run({frame}, {.views = views, .reset = true, .fallback = kFallback});
  shown("filtered", reflected);
  for (uint32_t n = 1; n < 24; ++n) reflected = rig.run({frame}, {.views = views, .index = n, .fallback = kFallback});
  shown("settled", reflected);
  Reflected truth = none;
  for (uint32_t i = 0; i < frame.depth.size(); ++i) {
    if (frame.shapes[i] < 0 || frame.normals[i][3] > 0.6F) continue;
    const Vec light =
        expect_reflection(scene, camera, frame, i % kSize.width, i / kSize.width, 1024, 0.05, {0.5, 0.5, 0.5}).radiance;
    truth.light[i] = {static_cast<float>(light.x), static_cast<float>(light.y), static_cast<float>(light.z), 1};
  }
  shown("reference", truth);
  return 0;
}
