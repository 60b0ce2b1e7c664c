// scene.cpp: collects the parts of the scene: boxes, clusters, balls, the order that geometry.cpp relies on.
#include "scene.hpp"

#include <cmath>

#include "builder.hpp"

namespace samples::frame {

vec4 ball_at(const Ball& ball, float seconds) {
  const float swing = ball.reach[3] > 0 ? std::sin(6.2831853F * seconds / ball.reach[3]) : 0;
  return {ball.place[0] + swing * ball.reach[0], ball.place[1] + swing * ball.reach[1],
          ball.place[2] + swing * ball.reach[2], ball.place[3]};
}

Scene make_scene(uint32_t boxes) {
  Builder builder;
  add_building(builder);
  add_garden(builder);
  add_town(builder, boxes);
  Scene scene;
  scene.boxes = static_cast<uint32_t>(builder.boxes.size());
  scene.objects = std::move(builder.boxes);
  scene.objects.insert(scene.objects.end(), builder.clusters.begin(), builder.clusters.end());
  for (const Ball& ball : builder.balls) {
    const auto [x, y, z, r] = ball_at(ball, 0);
    scene.objects.push_back({x - r, y - r, z - r, MATERIAL_METAL, x + r, y + r, z + r, 0});
  }
  scene.balls = std::move(builder.balls);
  scene.lamps = std::move(builder.lamps);
  return scene;
}

}  // namespace samples::frame
