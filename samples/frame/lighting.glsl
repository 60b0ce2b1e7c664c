// lighting.glsl: the light that arrives at a point: sun with a shadow map, sky, what the hall's surfaces reflect,
// lamps.
//
// In the building the sky is a rectangle: the open front, the slats, or the door. The irradiance of a rectangle of even
// luminance is an integral along its edges (J. Lambert, 1760); the part below the horizon is left out approximately
// (S. Hill, E. Heitz, "Real-Time Area Lighting: a Journey from Research to Production", 2016).
#ifndef FRAME_LIGHTING_GLSL_
#define FRAME_LIGHTING_GLSL_
#include "eyes.glsl"
#include "sky.glsl"

layout(set = 0, binding = 1) uniform sampler2D shadow_map;  // 0 is near the sun

bool inside_building(vec3 at) {
  return abs(at.x) < HALL_HALF_WIDTH + 0.35 && at.y < HALL_HEIGHT + 0.1 && at.z > DARK_BACK - 0.1 &&
         at.z < HALL_FRONT + 0.1;
}
bool inside_dark_room(vec3 at) { return at.z < DOOR_Z; }

vec3 sun_coordinates(vec3 at) {
  vec3 clip = (frame.sun_of_world * vec4(at, 1.0)).xyz;
  return vec3(0.5 + 0.5 * clip.xy, clip.z);
}

// One texel: for fog and particles, which need no smooth edge.
float sun_visible_once(vec3 at) {
  vec3 s = sun_coordinates(at);
  if (any(lessThan(s.xy, vec2(0.0))) || any(greaterThanEqual(s.xy, vec2(1.0)))) return 1.0;
  return texelFetch(shadow_map, ivec2(s.xy * vec2(textureSize(shadow_map, 0))), 0).r >= s.z - 0.0004 ? 1.0 : 0.0;
}

// Percentage-closer filter of 4x4 texels.
float sun_visible(vec3 at, vec3 normal) {
  vec3 s = sun_coordinates(at + 0.03 * normal);
  if (any(lessThan(s.xy, vec2(0.002))) || any(greaterThan(s.xy, vec2(0.998)))) return 1.0;
  float sum = 0.0;
  vec2 size = vec2(textureSize(shadow_map, 0));
  vec2 t = fract(s.xy * size - 0.5);
  for (int j = -1; j <= 1; j += 2) {
    for (int i = -1; i <= 1; i += 2) {
      vec2 corner = (floor(s.xy * size - 0.5) + 1.0 + vec2(i, j)) / size;
      vec4 lit = vec4(greaterThanEqual(textureGather(shadow_map, corner), vec4(s.z - 0.0003)));
      vec2 wx = i < 0 ? vec2(1.0 - t.x, 1.0) : vec2(1.0, t.x);
      vec2 wy = j < 0 ? vec2(1.0 - t.y, 1.0) : vec2(1.0, t.y);
      sum += wy.x * dot(lit.wz, wx) + wy.y * dot(lit.xy, wx);  // gathers: lower left, lower right, right, left
    }
  }
  return sum / 9.0;
}

// Share of the sun's light that passes the balls, which the shadow map does not have: they move.
float ball_shadow(vec3 at) {
  float open = 1.0;
  for (uint i = 0u; i < frame.ball_count; ++i) {
    vec3 to_ball = frame.balls[i].xyz - at;
    float along = dot(to_ball, kToSun);
    float radius = frame.balls[i].w;
    float soft = 0.02 + 0.01 * along;  // the penumbra
    if (along > 0.0) open *= smoothstep(radius - soft, radius + soft, length(to_ball - along * kToSun));
  }
  return open;
}

// Share of the ambient light that passes them.
float ball_occlusion(vec3 at, vec3 normal) {
  float open = 1.0;
  for (uint i = 0u; i < frame.ball_count; ++i) {
    vec3 to_ball = frame.balls[i].xyz - at;
    float part = frame.balls[i].w / length(to_ball);
    open *= 1.0 - min(part * part, 1.0) * max(dot(normalize(to_ball), normal), 0.0);
  }
  return open;
}

vec3 edge_integral(vec3 a, vec3 b) {
  float cosine = clamp(dot(a, b), -0.9999, 0.9999);
  return cross(a, b) * (acos(cosine) * inversesqrt(1.0 - cosine * cosine));
}

// Share of the light of the hemisphere above `normal` that comes from a rectangle, given by a corner and two edges.
float rectangle_share(vec3 at, vec3 normal, vec3 corner, vec3 u, vec3 v) {
  vec3 a = normalize(corner - at);
  vec3 b = normalize(corner + u - at);
  vec3 c = normalize(corner + u + v - at);
  vec3 d = normalize(corner + v - at);
  vec3 sum = edge_integral(a, b) + edge_integral(b, c) + edge_integral(c, d) + edge_integral(d, a);
  float length_of = length(sum) / 6.28319;
  float along = abs(dot(sum, normal)) / 6.28319;
  // The sign: the rectangle's middle is in front of the surface or behind it.
  if (dot(corner + 0.5 * (u + v) - at, normal) < 0.0) along = -along;
  return max((length_of * length_of + along) / (length_of + 1.0), 0.0);
}

// Irradiance divided by pi, without the sun's and the lamps' direct light.
vec3 ambient_light(vec3 at, vec3 normal) {
  if (!inside_building(at)) {
    vec3 up = vec3(17.0, 19.0, 25.0);
    vec3 to_sun = vec3(24.0, 18.0, 13.0);
    vec3 ground = vec3(5.5, 4.6, 2.6);
    vec3 light = mix(ground, up, 0.5 + 0.5 * normal.y) + to_sun * max(0.25 + 0.5 * dot(normal, kToSun), 0.0);
    float beside = abs(at.x) < HALL_HALF_WIDTH + 4.0 ? smoothstep(HALL_FRONT - 4.0, HALL_FRONT + 10.0, at.z) : 1.0;
    return light * mix(0.5, 1.0, beside) * mix(0.55, 1.0, smoothstep(-0.2, 1.2, at.y));
  }
  const float w = HALL_HALF_WIDTH;
  if (inside_dark_room(at)) {
    float door = rectangle_share(at, normal, vec3(-DOOR_HALF_WIDTH, 0.0, DOOR_Z), vec3(2.0 * DOOR_HALF_WIDTH, 0.0, 0.0),
                                 vec3(0.0, DOOR_HEIGHT, 0.0));
    return vec3(3.4, 3.1, 2.8) * door + vec3(0.035, 0.027, 0.021);
  }
  float front =
      rectangle_share(at, normal, vec3(-w, 0.0, HALL_FRONT), vec3(2.0 * w, 0.0, 0.0), vec3(0.0, HALL_HEIGHT, 0.0));
  float side = rectangle_share(at, normal, vec3(w - 0.1, 0.0, SLATS_BACK), vec3(0.0, 0.0, HALL_FRONT - SLATS_BACK),
                               vec3(0.0, HALL_HEIGHT, 0.0));
  // The sunlit part of the floor lights the ceiling and the walls.
  float floor_share = rectangle_share(at, normal, vec3(-4.0, -0.05, 1.0), vec3(9.5, 0.0, 0.0), vec3(0.0, 0.0, 12.0));
  return vec3(30.0, 28.0, 27.0) * front + vec3(9.0, 7.5, 5.6) * side + vec3(9.5, 6.6, 3.9) * floor_share +
         vec3(0.34, 0.29, 0.24);
}

// Light that the corners between surfaces, columns and the floor do not receive.
float corner_occlusion(vec3 at, vec3 normal) {
  if (!inside_building(at)) return 1.0;
  const float w = HALL_HALF_WIDTH;
  float open = 1.0;
  if (abs(normal.y) < 0.5) open *= 1.0 - 0.45 * exp(-max(at.y, 0.0) / 0.22) - 0.30 * exp(-(HALL_HEIGHT - at.y) / 0.5);
  if (abs(normal.x) < 0.5) open *= 1.0 - 0.40 * exp(-max(w - abs(at.x), 0.0) / 0.35);
  if (normal.y > 0.5 && !inside_dark_room(at)) {  // around the columns: every 4 m, 0.5 m wide at the floor
    vec2 to_column = abs(vec2(abs(at.x) - 3.4, mod(at.z + 2.0, 4.0) - 2.0));
    open *= 1.0 - 0.55 * exp(-length(max(to_column - 0.25, 0.0)) / 0.16);
  }
  return open;
}

const vec3 kLampColour = vec3(1.0, 0.56, 0.22);

vec3 lamp_light(vec3 at, vec3 normal) {
  if (!inside_building(at)) return vec3(0.0);
  float sum = 0.0;
  for (uint i = 0u; i < frame.lamp_count; ++i) {
    vec3 lamp = frame.lamps[i].xyz;
    if (inside_dark_room(lamp) != inside_dark_room(at)) continue;
    vec3 away = lamp - at;
    float square = dot(away, away) + 0.06;
    if (square > 81.0) continue;
    float fade = 1.0 - square / 81.0;
    float cosine = dot(away, normal) * inversesqrt(square);
    sum += frame.lamps[i].w / square * fade * fade * max(0.15 + 0.85 * cosine, 0.0);
  }
  return kLampColour * sum / 3.14159;
}

// Specular reflection of the sun: Trowbridge and Reitz's distribution, for a reflectance of 0.04 at normal incidence.
float sun_highlight(vec3 normal, vec3 view, float roughness) {
  vec3 middle = normalize(kToSun + view);
  float cosine = max(dot(normal, middle), 0.0);
  float square = roughness * roughness * roughness * roughness;
  float shape = cosine * cosine * (square - 1.0) + 1.0;
  float fresnel = 0.04 + 0.96 * pow(1.0 - max(dot(view, middle), 0.0), 5.0);
  return fresnel * square / (12.5664 * shape * shape * max(dot(normal, view), 0.15));
}
#endif  // FRAME_LIGHTING_GLSL_
