// surroundings.glsl: what a reflecting surface shows where the screen does not show it, and the share of light that a
// surface reflects.
#ifndef FRAME_SURROUNDINGS_GLSL_
#define FRAME_SURROUNDINGS_GLSL_
#include "lighting.glsl"

const float kBrightest = 90.0;  // limits sparkles

// The share of even light from all sides that a surface reflects to the eye: an integral over directions of the GGX
// distribution with Schlick's approximation of Fresnel's equations, F0 (W - B) + B; cosine: between normal and view. W
// and B are fitted for roughnesses up to 0.6 and cosines from 0.05, with errors up to 0.1 and 0.03. The split of light
// and share: B. Karis, "Real Shading in Unreal Engine 4", 2013.
vec3 reflected_share(vec3 at_normal, float roughness, float cosine) {
  float square = roughness * roughness;
  float grazing = pow(1.0 - clamp(cosine, 0.0, 1.0), 5.0 - 8.8 * roughness + 13.6 * square) / (1.0 + 13.0 * square);
  return at_normal * (1.0 - 0.48 * square - grazing) + grazing;
}

// Light of the walls, ceiling and floor of the hall or of the dark room.
vec3 interior(vec3 from, vec3 direction) {
  bool dark = inside_dark_room(from);
  vec3 high = vec3(HALL_HALF_WIDTH, HALL_HEIGHT, dark ? DOOR_Z : HALL_FRONT);
  vec3 low = vec3(-HALL_HALF_WIDTH, 0.0, dark ? DARK_BACK : DOOR_Z);
  vec3 sides = mix(low, high, greaterThan(direction, vec3(0.0)));
  vec3 times = max((sides - from) * sign(direction), vec3(0.0)) / max(abs(direction), vec3(1e-4));
  float time = min(min(times.x, times.y), times.z);
  vec3 normal = -sign(direction) * vec3(equal(times, vec3(time)));
  vec3 at = from + time * direction;
  vec3 light = ambient_light(at + 0.05 * normal, normal) + lamp_light(at + 0.05 * normal, normal);
  if (normal.y < 0.5) return vec3(0.30, 0.24, 0.18) * light;
  vec3 sun = kSunColour * kSunLight * kToSun.y / 3.14159 * sun_visible(at, normal) * ball_shadow(at);
  return vec3(0.14) * (light * ball_occlusion(at, normal) + sun);  // the floor
}

// How much of a lobe around the direction passes the hall's open front.
float open_front(vec3 from, vec3 direction, float roughness) {
  if (direction.z <= 0.0 || inside_dark_room(from)) return 0.0;
  float time = max(HALL_FRONT - from.z, 0.0) / direction.z;
  vec2 at = (from + time * direction).xy;
  vec2 inside = vec2(HALL_HALF_WIDTH - abs(at.x), min(HALL_HEIGHT - at.y, at.y));
  float width = roughness * roughness * time + 1e-3;
  vec2 share = smoothstep(vec2(-width), vec2(width), inside);
  return share.x * share.y;
}

// The light from a direction: the sky, or the building.
vec3 surroundings_without_balls(vec3 from, vec3 direction, float roughness) {
  float open = inside_building(from) ? open_front(from, direction, roughness) : 1.0;
  vec3 light = vec3(0.0);
  if (open > 0.0) light += open * min(sky(direction, false), vec3(kBrightest));
  if (open < 1.0) light += (1.0 - open) * interior(from, direction);
  return light;
}

// The same with the balls as mirrors.
vec3 surroundings(vec3 from, vec3 direction, float roughness) {
  uint nearest = frame.ball_count;
  float time = 1e9;
  for (uint i = 0u; i < frame.ball_count; ++i) {
    vec3 to_ball = frame.balls[i].xyz - from;
    float along = dot(to_ball, direction);
    float inside = frame.balls[i].w * frame.balls[i].w - dot(to_ball, to_ball) + along * along;
    if (along <= 0.0 || inside <= 0.0 || along - sqrt(inside) >= time) continue;
    nearest = i;
    time = along - sqrt(inside);
  }
  if (nearest == frame.ball_count) return surroundings_without_balls(from, direction, roughness);
  vec3 met = from + time * direction;
  vec3 normal = normalize(met - frame.balls[nearest].xyz);
  return frame.metals[nearest].rgb * surroundings_without_balls(met, reflect(direction, normal), roughness);
}
#endif  // FRAME_SURROUNDINGS_GLSL_
