// depth_query_projection.glsl: projects objects to screen rectangles and depths, and converts depths to distances.
// Loads nothing. Part of depth_query.glsl.
//
// Bounds are conservative: rectangles are widened and nearest depths moved towards the viewer by more than the rounding
// error of the arithmetic here, even where divisions and square roots have only the precision that Vulkan requires.
//
// The sphere: in the plane of an axis and the viewing direction, tangents from the eye touch the circle at the slopes
//     (x d -+ r t) / (d^2 - r^2),   t^2 = x^2 + d^2 - r^2
// M. Mara, M. McGuire, "2D Polyhedral Bounds of a Clipped, Perspective-Projected 3D Sphere", JCGT, 2013.
#ifndef ONEPASS_DEPTH_QUERY_PROJECTION_GLSL_
#define ONEPASS_DEPTH_QUERY_PROJECTION_GLSL_

#include "onepass/prelude_types.glsl"
#include "onepass/prelude_names.glsl"

/// The projection from view space to coordinates and depth. View space: x to the right, y down, distance forward (as in
/// Vulkan's clip space; negate an axis of the opposite direction). Normalised device coordinates are
/// scale * x / distance + offset, or scale * x + offset if orthographic; coordinates are half of that plus 0.5.
struct OnepassProjection {
  float2 scale;
  float2 offset;     // off-centre frusta, jitter
  float near_plane;  // distance, > 0 for perspectives
  float far_plane;   // distance; 0: a perspective without far plane
  bool orthographic;
  bool reversed_z;  // near is depth 1
};

/// Bounds of an object, seen from the eye.
struct OnepassBounds {
  float4 rect;    // coordinates, begin in xy, end in zw; may lie outside the image
  float nearest;  // the depth of the object's nearest point, or nearer
  bool known;     // false: the object crosses the near plane or lies behind; other members are undefined
};

#define ONEPASS_SLACK 4.76837158e-7        // 2^-21: for a sum of four products, or a quotient
#define ONEPASS_SPHERE_SLACK 1.9073486e-6  // 2^-19: for a square root and the products around it
#define ONEPASS_MOST 3.402823466e38        // the largest float, beyond every depth

/// Depth of a distance between the planes. Within 8 ULP; 16 where division is only as precise as Vulkan requires.
float onepass_depth_of_distance(OnepassProjection p, float distance) {
  float depth;
  if (p.orthographic) {
    float range = p.far_plane - p.near_plane;
    return (p.reversed_z ? p.far_plane - distance : distance - p.near_plane) / range;
  }
  depth = p.reversed_z ? p.near_plane / distance : (distance - p.near_plane) / distance;
  if (p.far_plane > 0.0) {
    float range = p.far_plane - p.near_plane;
    depth *= (p.reversed_z ? p.far_plane - distance : p.far_plane) / range;
  }
  return depth;
}

/// Distance (linear depth) of a depth in 0 to 1. Within 8 ULP. The largest float for an infinite distance.
float onepass_distance_of_depth(OnepassProjection p, float depth) {
  float to_near = p.reversed_z ? depth : 1.0 - depth;
  float to_far = p.reversed_z ? 1.0 - depth : depth;
  if (p.orthographic) return p.near_plane * to_near + p.far_plane * to_far;
  // near * far / (near * to_far + far * to_near), without the cancellation near the far plane.
  float scaled = to_near;
  if (p.far_plane > 0.0) scaled += to_far * (p.near_plane / p.far_plane);
  return scaled > 0.0 ? p.near_plane / scaled : ONEPASS_MOST;
}

// Least and largest slope (position if orthographic) of a sphere along one axis, widened.
float2 onepass_sphere_axis(bool orthographic, float x, float distance, float radius) {
  if (orthographic) {
    float slack = ONEPASS_SLACK * (abs(x) + radius);
    return float2(x - radius - slack, x + radius + slack);
  }
  float square = (distance - radius) * (distance + radius);  // > 0: all of it is in front
  float tangent = sqrt(x * x + square);
  float middle = x * distance;
  float half_width = radius * tangent;
  float slack = ONEPASS_SPHERE_SLACK * (abs(middle) + half_width);
  return float2((middle - half_width - slack) / square, (middle + half_width + slack) / square);
}

// Least and largest coordinate for two slopes, widened.
float2 onepass_axis_coordinates(float2 slopes, float scale, float offset) {
  float2 ends = slopes * scale;
  float slack = ONEPASS_SPHERE_SLACK * (max(abs(ends.x), abs(ends.y)) + abs(offset) + 1.0) * 0.25;
  float begin = 0.5 * (min(ends.x, ends.y) + offset) + 0.5 - slack;
  float end = 0.5 * (max(ends.x, ends.y) + offset) + 0.5 + slack;
  return float2(begin, end);
}

/// Bounds of a sphere given in view space, `center` as x, y, distance; radius >= 0.
/// Promise: no point of the sphere is outside the rectangle or nearer than `nearest`. The rectangle is the tightest
/// one, except for rounding.
/// Not known where the sphere touches the near plane or lies behind it, or where a number is not finite.
OnepassBounds onepass_project_sphere(OnepassProjection p, float3 center, float radius) {
  OnepassBounds bounds;
  float distance = center.z - radius;
  distance -= ONEPASS_SLACK * (abs(center.z) + radius);
  bounds.known = distance > p.near_plane && abs(center.x) + abs(center.y) + center.z + radius < ONEPASS_MOST;
  float2 x =
      onepass_axis_coordinates(onepass_sphere_axis(p.orthographic, center.x, center.z, radius), p.scale.x, p.offset.x);
  float2 y =
      onepass_axis_coordinates(onepass_sphere_axis(p.orthographic, center.y, center.z, radius), p.scale.y, p.offset.y);
  bounds.rect = float4(x.x, y.x, x.y, y.y);
  float depth = onepass_depth_of_distance(p, distance);
  // Reversed perspective depth is precise where it is small.
  float magnitude = p.reversed_z && !p.orthographic ? depth : 1.0;
  bounds.nearest = p.reversed_z ? depth + 2.0 * ONEPASS_SLACK * magnitude : depth - 2.0 * ONEPASS_SLACK * magnitude;
  return bounds;
}

float onepass_magnitude_sum(float3 v) { return abs(v.x) + abs(v.y) + abs(v.z); }

/// Bounds of the box between two corners, low.x <= high.x and so on, under a matrix to Vulkan's clip space
/// (0 <= z <= w, y downwards as in the image), perspective or orthographic.
/// Promise: no point of the box is outside the rectangle or nearer than `nearest`. Not known where a corner is in front
/// of the near plane (z < 0, reversed z > w) or w <= 0, within rounding, or where a number is not finite.
OnepassBounds onepass_project_box(float4x4 clip_of_world, float3 low, float3 high, bool reversed_z) {
  float4 column_x = onepass_transform(clip_of_world, float4(1.0, 0.0, 0.0, 0.0));
  float4 column_y = onepass_transform(clip_of_world, float4(0.0, 1.0, 0.0, 0.0));
  float4 column_z = onepass_transform(clip_of_world, float4(0.0, 0.0, 1.0, 0.0));
  float4 column_w = onepass_transform(clip_of_world, float4(0.0, 0.0, 0.0, 1.0));
  float3 far_corner = max(abs(low), abs(high));
  // Bound of the error of a corner's clip coordinates.
  float4 error =
      abs(column_x) * far_corner.x + abs(column_y) * far_corner.y + abs(column_z) * far_corner.z + abs(column_w);
  error *= ONEPASS_SLACK;
  float4 x0 = column_x * low.x;
  float4 x1 = column_x * high.x;
  float4 y0 = column_y * low.y;
  float4 y1 = column_y * high.y;
  float4 z0 = column_z * low.z + column_w;
  float4 z1 = column_z * high.z + column_w;
  float3 least = float3(ONEPASS_MOST, ONEPASS_MOST, ONEPASS_MOST);
  float3 most = float3(-ONEPASS_MOST, -ONEPASS_MOST, -ONEPASS_MOST);
  float least_w = ONEPASS_MOST;
  float least_inside = ONEPASS_MOST;  // least distance behind the near plane, in clip space
  for (uint i = 0u; i < 8u; ++i) {
    float4 corner = ((i & 1u) != 0u ? x1 : x0) + (((i & 2u) != 0u ? y1 : y0) + ((i & 4u) != 0u ? z1 : z0));
    float3 device = corner.xyz / corner.w;
    least = min(least, device);
    most = max(most, device);
    least_w = min(least_w, corner.w);
    least_inside = min(least_inside, reversed_z ? corner.w - corner.z : corner.z);
  }
  least_w -= error.w;
  OnepassBounds bounds;
  // Sums that are not finite fail the comparison.
  float sizes = onepass_magnitude_sum(low) + onepass_magnitude_sum(high) + (error.x + error.y + error.z + error.w);
  bounds.known = least_w > 0.0 && least_inside >= error.z + (reversed_z ? error.w : 0.0) && sizes < ONEPASS_MOST;
  float3 magnitude = max(abs(least), abs(most));
  float3 slack = (error.xyz + magnitude * error.w) / least_w + ONEPASS_SLACK * magnitude;
  // Adding 0.5 to small device coordinates loses bits.
  float low_half = 0.5 - 0.5 * ONEPASS_SLACK;
  float high_half = 0.5 + 0.5 * ONEPASS_SLACK;
  bounds.rect = float4(0.5 * (least.xy - slack.xy) + float2(low_half, low_half),
                       0.5 * (most.xy + slack.xy) + float2(high_half, high_half));
  bounds.nearest = reversed_z ? most.z + slack.z : least.z - slack.z;
  return bounds;
}

#include "onepass/prelude_names_end.glsl"
#endif  // ONEPASS_DEPTH_QUERY_PROJECTION_GLSL_
