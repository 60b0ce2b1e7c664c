// scene.cpp: collects the parts of the scene, with boxes before clusters, the order that geometry.cpp relies on.
#include "scene.hpp"

#include "builder.hpp"

namespace samples::frame {

Scene make_scene(uint32_t boxes) {
  Builder builder;
  add_building(builder);
  add_garden(builder);
  add_town(builder, boxes);
  Scene scene;
  scene.boxes = static_cast<uint32_t>(builder.boxes.size());
  scene.objects = std::move(builder.boxes);
  scene.objects.insert(scene.objects.end(), builder.clusters.begin(), builder.clusters.end());
  scene.lamps = std::move(builder.lamps);
  return scene;
}

}  // namespace samples::frame
