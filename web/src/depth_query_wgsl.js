// depth_query_wgsl.js: made by scripts/depth_query_wgsl.py from shaders/onepass/depth_query*.glsl; do not edit.
/* eslint-disable */

/**
 * @param {{farthest: boolean, nearest: boolean, sampleFarthest: boolean, sampleNearest: boolean, tile: boolean}} callbacks
 * @returns {string}
 */
export const depthQueryText = ({ farthest, nearest, sampleFarthest, sampleNearest, tile }) => /* wgsl */ `
const ONEPASS_ALIGNED = 0u;
const ONEPASS_COVERING = 1u;
const ONEPASS_TIGHT = 2u;
const ONEPASS_EDGE = 3u;
fn onepass_highest_bit(value: u32) -> u32 { return firstLeadingBit(value); }
fn onepass_float_bits(value: f32) -> u32 { return bitcast<u32>(value); }
fn onepass_transform(m: mat4x4f, v: vec4f) -> vec4f { return m * v; }
// Texels of a level whose sizes round down: of all footprints but ceil.
fn onepass_level_size(size: u32, level: u32) -> u32 {
  return max(size >> level, 1u);
}

// First base texel that texel 'i' of 'level' stands for.
fn onepass_footprint_begin(footprint: u32, size: u32, level: u32, i: u32) -> u32 {
  if (footprint == ONEPASS_TIGHT) {
    return ((i) * size / onepass_level_size(size, level));
  }
  // An axis of one texel is not halved further: its block stops growing.
  return i << min(level, onepass_highest_bit(size));
}

// Behind the last base texel that texel 'i' of 'level' stands for.
fn onepass_footprint_end(footprint: u32, size: u32, level: u32, i: u32) -> u32 {
  var count: u32 = onepass_level_size(size, level);
  var block: u32 = 1u << min(level, onepass_highest_bit(size));
  if (footprint == ONEPASS_TIGHT) {
    return (((i + 1u) * size + count - 1u) / count);
  }
  if (footprint == ONEPASS_EDGE && i + 1u == count) {
    return size;
  }
  return (i + 1u) * block + (select((0u), (size & (block - 1u)), footprint == ONEPASS_COVERING));
}

fn onepass_level_size2(size: vec2u, level: u32) -> vec2u {
  return vec2u(onepass_level_size(size.x, level), onepass_level_size(size.y, level));
}

// Base texels [x, y) of texel 'i' of level 'level' with the tight footprint.
fn onepass_tight_range(size: u32, level: u32, i: u32) -> vec2u {
  return vec2u(onepass_footprint_begin(ONEPASS_TIGHT, size, level, i), onepass_footprint_end(ONEPASS_TIGHT, size, level, i));
}

// Base texels [x, y) of texel 'i' of level 'level' with any footprint, ONEPASS_ALIGNED to ONEPASS_EDGE.
fn onepass_footprint_range(footprint: u32, size: u32, level: u32, i: u32) -> vec2u {
  return vec2u(onepass_footprint_begin(footprint, size, level, i), onepass_footprint_end(footprint, size, level, i));
}

// The shape of a depth pyramid. Where members are constants, compilers remove the code that is not needed.
struct OnepassDepthPyramid {
  size: vec2u,        // of the pyramid's base, 1 to 65535; the depth buffer it was made from may have another size
  first_level: u32,  // finest level that can be loaded: 0, or 1 where the pyramid image begins with level 1
  last_level: u32,   // coarsest level that can be loaded
  footprint: u32,    // ONEPASS_COVERING, ONEPASS_TIGHT or ONEPASS_EDGE; ONEPASS_ALIGNED has no promises at odd sizes
  reversed_z: bool,   // false: 0 is near, farthest is the max. true: 1 is near, farthest is the min
}

// A pyramid that has all levels, level 0 included.
fn onepass_full_depth_pyramid(size: vec2u, footprint: u32, reversed_z: bool) -> OnepassDepthPyramid {
  var pyramid: OnepassDepthPyramid;
  pyramid.size = size;
  pyramid.first_level = 0u;
  pyramid.last_level = onepass_highest_bit(max(size.x, size.y));
  pyramid.footprint = footprint;
  pyramid.reversed_z = reversed_z;
  return pyramid;
}

// NaN becomes 0.
fn onepass_axis_cell(count: u32, coordinate: f32) -> u32 {
  var at: f32 = coordinate * f32(count);
  return select((0u), (u32(min(at, f32(count - 1u)))), at > 0.0);
}

// The cell of a coordinate (clamped to 0 to 1) on a level, by coordinate.
// Promise: with covering its value bounds the values of the cells that this function returns for the same coordinate
// on every finer level, up to 32768 texels per side. With tight it bounds those of level 0, except for coordinates
// within rounding of a boundary: use onepass_cell_of_texel. No promise with edge and aligned.
fn onepass_cell(size: vec2u, level: u32, coordinate: vec2f) -> vec2u {
  var count: vec2u = onepass_level_size2(size, level);
  return vec2u(onepass_axis_cell(count.x, coordinate.x), onepass_axis_cell(count.y, coordinate.y));
}

// The coordinates for which onepass_cell returns a cell: begin in xy, end in zw, each within rounding of the
// boundaries k / level size. (Not k * 2^level / size: those are the boundaries of another convention.)
fn onepass_cell_bounds(size: vec2u, level: u32, cell: vec2u) -> vec4f {
  var count: vec2f = vec2f(onepass_level_size2(size, level));
  return vec4f(vec2f(cell) / count, vec2f(cell + vec2u(1u, 1u)) / count);
}

fn onepass_axis_cell_of_texel(footprint: u32, size: u32, level: u32, texel: u32) -> u32 {
  var count: u32 = onepass_level_size(size, level);
  if (footprint == ONEPASS_TIGHT) {
    return texel * count / size;
  }
  return min(texel >> level, count - 1u);
}

// The cell of a base texel, by texel.
// Promise: with covering, edge and tight the cell stands for the texel. Cells of neighbouring texels are the same or
// neighbours, so that cells first to last cover all texels between. None with aligned at odd sizes.
fn onepass_cell_of_texel(footprint: u32, size: vec2u, level: u32, texel: vec2u) -> vec2u {
  return vec2u(onepass_axis_cell_of_texel(footprint, size.x, level, texel.x), onepass_axis_cell_of_texel(footprint, size.y, level, texel.y));
}

// The base texels that a cell stands for, begin in xy, end in zw. Exact for every footprint.
fn onepass_cell_texels(footprint: u32, size: vec2u, level: u32, cell: vec2u) -> vec4u {
  var x: vec2u = onepass_footprint_range(footprint, size.x, level, cell.x);
  var y: vec2u = onepass_footprint_range(footprint, size.y, level, cell.y);
  return vec4u(x.x, y.x, x.y, y.y);
}

// The texel of a tile-reduced image that a base texel is in. Every texel stands for factor x factor base texels.
fn onepass_tile_of_texel(texel: vec2u, factor: u32) -> vec2u {
  return texel / factor;
}

fn onepass_axis_texels(begin: f32, end: f32, size: u32) -> vec2u {
  var count: f32 = f32(size);
  // Wider by four times the rounding error of coordinates and products.
  var slack: f32 = count * 2.384185791e-7;
  var first: f32 = begin * count - slack;
  // not fused: the C++ version finds the same texels
  var last: f32 = end * count + slack;
  // The comparisons are false for NaN, which then gives all texels.
  return vec2u(select((0u), (u32(min(first, count))), first > 0.0), select((size), (u32(ceil(max(last, 0.0)))), last < count));
}

// The base texels that a rectangle of coordinates (begin in xy, end in zw) overlaps, begin in xy, end in zw.
// Empty (begin >= end) where the rectangle is outside the image or its end lies before its begin.
// Promise: no texel that the exact rectangle touches is missing; a rectangle that ends within 2^-22 of the image's
// size of a texel's edge includes the neighbour. NaN gives all texels.
fn onepass_rect_texels(size: vec2u, rect: vec4f) -> vec4u {
  var x: vec2u = onepass_axis_texels(rect.x, rect.z, size.x);
  var y: vec2u = onepass_axis_texels(rect.y, rect.w, size.y);
  return vec4u(x.x, y.x, x.y, y.y);
}

fn onepass_texels_empty(texels: vec4u) -> bool {
  return texels.x >= texels.z || texels.y >= texels.w;
}

// First and last of the fewest cells whose footprints cover base texels 'begin' to 'last' along an axis. Footprints
// overlap: with covering by the remainder of the size, with tight by one texel. So they reach from the last cell that
// stands for texel 'begin' to the first cell that stands for texel 'last'.
fn onepass_axis_cells(footprint: u32, size: u32, level: u32, begin: u32, last: u32) -> vec2u {
  var count: u32 = onepass_level_size(size, level);
  var first_cell: u32 = onepass_axis_cell_of_texel(footprint, size, level, begin);
  var last_cell: u32 = onepass_axis_cell_of_texel(footprint, size, level, last);
  if (footprint == ONEPASS_TIGHT) {
    first_cell = ((begin + 1u) * count - 1u) / size;
  }
  if (footprint == ONEPASS_COVERING) {
    var overlap: u32 = size & ((1u << level) - 1u);
    last_cell = select((0u), (min((last - overlap) >> level, count - 1u)), last >= overlap);
  }
  return vec2u(first_cell, max(first_cell, last_cell));
}

// The fewest cells of a level, first in xy, last in zw, that cover a rectangle of base texels (not empty). With
// aligned they may not cover it, at odd sizes.
fn onepass_texels_cells(pyramid: OnepassDepthPyramid, level: u32, texels: vec4u) -> vec4u {
  var x: vec2u = onepass_axis_cells(pyramid.footprint, pyramid.size.x, level, texels.x, texels.z - 1u);
  var y: vec2u = onepass_axis_cells(pyramid.footprint, pyramid.size.y, level, texels.y, texels.w - 1u);
  return vec4u(x.x, y.x, x.y, y.y);
}

fn onepass_fits_four(cells: vec4u) -> bool {
  return cells.z - cells.x <= 1u && cells.w - cells.y <= 1u;
}

// The level on which four cells cover a rectangle of base texels (not empty): the finest one with cells at least as
// long as the rectangle, or the next finer one where four of its cells suffice too.
// Never finer than first_level. May be coarser than last_level: then four cells are not enough.
fn onepass_texels_level(pyramid: OnepassDepthPyramid, texels: vec4u) -> u32 {
  var longest: u32 = max(texels.z - texels.x, texels.w - texels.y);
  var level: u32 = select((0u), (onepass_highest_bit(longest - 1u) + 1u), longest > 1u);
  if (level > 0u && onepass_fits_four(onepass_texels_cells(pyramid, level - 1u, texels))) {
    level -= 1u;
  }
  return max(level, pyramid.first_level);
}

// As onepass_texels_level, for a rectangle of coordinates; last_level + 1 where it is outside the image.
fn onepass_rect_level(pyramid: OnepassDepthPyramid, rect: vec4f) -> u32 {
  var texels: vec4u = onepass_rect_texels(pyramid.size, rect);
  return select((onepass_texels_level(pyramid, texels)), (pyramid.last_level + 1u), onepass_texels_empty(texels));
}

// Bits of a float's magnitude as a half float, rounded towards zero or, if 'away', away from it. Not for NaN.
fn onepass_half_magnitude(magnitude: u32, away: bool) -> u32 {
  if (magnitude == 0x7F800000u) {
    return 0x7C00u;
  }
  if (magnitude >= 0x47800000u) {
    return select((0x7BFFu), (0x7C00u), away);
  }
  // 65536 and more
  var half_bits: u32;
  var inexact: bool;
  if (magnitude < 0x38800000u) {
    // below 2^-14: a multiple of 2^-24
    var exponent: u32 = magnitude >> 23;
    var mantissa: u32 = (magnitude & 0x7FFFFFu) | (select((0u), (0x800000u), exponent > 0u));
    var shift: u32 = min(126u - exponent, 31u);
    half_bits = mantissa >> shift;
    inexact = (mantissa & ((1u << shift) - 1u)) != 0u;
  } else {
    var rebiased: u32 = magnitude - (112u << 23);
    half_bits = rebiased >> 13;
    inexact = (rebiased & 0x1FFFu) != 0u;
  }
  return half_bits + (select((0u), (1u), away && inexact));
  // a carry into the exponent, up to infinity, is right
}

fn onepass_half_directed(value: f32, up: bool) -> u32 {
  var bits: u32 = onepass_float_bits(value);
  var magnitude: u32 = bits & 0x7FFFFFFFu;
  var sign: u32 = (bits >> 16) & 0x8000u;
  if (magnitude > 0x7F800000u) {
    return sign | 0x7E00u;
  }
  return sign | onepass_half_magnitude(magnitude, (sign == 0u) == up);
}

// Bits of the smallest half float that is not below 'value'; infinity above 65504. NaN stays NaN. Devices that flush
// subnormal floats may treat values below 2^-126 as 0.
fn onepass_half_up(value: f32) -> u32 {
  return onepass_half_directed(value, true);
}

// Bits of the largest half float that is not above 'value'; minus infinity below -65504. NaN stays NaN.
fn onepass_half_down(value: f32) -> u32 {
  return onepass_half_directed(value, false);
}

// For a farthest depth: bits of the nearest half float at or behind 'depth'.
fn onepass_half_farther(depth: f32, reversed_z: bool) -> u32 {
  return onepass_half_directed(depth, !reversed_z);
}

// For a nearest depth: bits of the farthest half float at or in front of 'depth'.
fn onepass_half_nearer(depth: f32, reversed_z: bool) -> u32 {
  return onepass_half_directed(depth, reversed_z);
}

// The projection from view space to coordinates and depth. View space: x to the right, y down, distance forward (as in
// Vulkan's clip space; negate an axis of the opposite direction). Normalised device coordinates are
// scale * x / distance + offset, or scale * x + offset if orthographic; coordinates are half of that plus 0.5.
struct OnepassProjection {
  scale: vec2f,
  offset: vec2f,     // off-centre frusta, jitter
  near_plane: f32,  // distance, > 0 for perspectives
  far_plane: f32,   // distance; 0: a perspective without far plane
  orthographic: bool,
  reversed_z: bool,  // near is depth 1
}

// Bounds of an object, seen from the eye.
struct OnepassBounds {
  rect: vec4f,    // coordinates, begin in xy, end in zw; may lie outside the image
  nearest: f32,  // the depth of the object's nearest point, or nearer
  known: bool,     // false: the object crosses the near plane or lies behind; other members are undefined
}

const ONEPASS_SLACK = 4.76837158e-7;        // 2^-21: for a sum of four products, or a quotient
const ONEPASS_SPHERE_SLACK = 1.9073486e-6;  // 2^-19: for a square root and the products around it
const ONEPASS_MOST = 3.402823466e38;        // the largest float, beyond every depth

// Depth of a distance between the planes. Within 8 ULP; 16 where division is only as precise as Vulkan requires.
fn onepass_depth_of_distance(p: OnepassProjection, distance: f32) -> f32 {
  var depth: f32;
  if (p.orthographic) {
    var range: f32 = p.far_plane - p.near_plane;
    return (select((distance - p.near_plane), (p.far_plane - distance), p.reversed_z)) / range;
  }
  depth = select(((distance - p.near_plane) / distance), (p.near_plane / distance), p.reversed_z);
  if (p.far_plane > 0.0) {
    var range: f32 = p.far_plane - p.near_plane;
    depth *= (select((p.far_plane), (p.far_plane - distance), p.reversed_z)) / range;
  }
  return depth;
}

// Distance (linear depth) of a depth in 0 to 1. Within 8 ULP. The largest float for an infinite distance.
fn onepass_distance_of_depth(p: OnepassProjection, depth: f32) -> f32 {
  var to_near: f32 = select((1.0 - depth), (depth), p.reversed_z);
  var to_far: f32 = select((depth), (1.0 - depth), p.reversed_z);
  if (p.orthographic) {
    return p.near_plane * to_near + p.far_plane * to_far;
  }
  // near * far / (near * to_far + far * to_near), without the cancellation near the far plane.
  var scaled: f32 = to_near;
  if (p.far_plane > 0.0) {
    scaled += to_far * (p.near_plane / p.far_plane);
  }
  return select((ONEPASS_MOST), (p.near_plane / scaled), scaled > 0.0);
}

// Least and largest slope (position if orthographic) of a sphere along one axis, widened.
fn onepass_sphere_axis(orthographic: bool, x: f32, distance: f32, radius: f32) -> vec2f {
  if (orthographic) {
    var slack: f32 = ONEPASS_SLACK * (abs(x) + radius);
    return vec2f(x - radius - slack, x + radius + slack);
  }
  var square: f32 = (distance - radius) * (distance + radius);
  // > 0: all of it is in front
  var tangent: f32 = sqrt(x * x + square);
  var middle: f32 = x * distance;
  var half_width: f32 = radius * tangent;
  var slack: f32 = ONEPASS_SPHERE_SLACK * (abs(middle) + half_width);
  return vec2f((middle - half_width - slack) / square, (middle + half_width + slack) / square);
}

// Least and largest coordinate for two slopes, widened.
fn onepass_axis_coordinates(slopes: vec2f, scale: f32, offset: f32) -> vec2f {
  var ends: vec2f = slopes * scale;
  var slack: f32 = ONEPASS_SPHERE_SLACK * (max(abs(ends.x), abs(ends.y)) + abs(offset) + 1.0) * 0.25;
  var begin: f32 = 0.5 * (min(ends.x, ends.y) + offset) + 0.5 - slack;
  var end: f32 = 0.5 * (max(ends.x, ends.y) + offset) + 0.5 + slack;
  return vec2f(begin, end);
}

// Bounds of a sphere given in view space, 'center' as x, y, distance; radius >= 0.
// Promise: no point of the sphere is outside the rectangle or nearer than 'nearest'. The rectangle is the tightest
// one, except for rounding.
// Not known where the sphere touches the near plane or lies behind it, or where a number is not finite.
fn onepass_project_sphere(p: OnepassProjection, center: vec3f, radius: f32) -> OnepassBounds {
  var bounds: OnepassBounds;
  var distance: f32 = center.z - radius;
  distance -= ONEPASS_SLACK * (abs(center.z) + radius);
  bounds.known = distance > p.near_plane && abs(center.x) + abs(center.y) + center.z + radius < ONEPASS_MOST;
  var x: vec2f = onepass_axis_coordinates(onepass_sphere_axis(p.orthographic, center.x, center.z, radius), p.scale.x, p.offset.x);
  var y: vec2f = onepass_axis_coordinates(onepass_sphere_axis(p.orthographic, center.y, center.z, radius), p.scale.y, p.offset.y);
  bounds.rect = vec4f(x.x, y.x, x.y, y.y);
  var depth: f32 = onepass_depth_of_distance(p, distance);
  // Reversed perspective depth is precise where it is small.
  var magnitude: f32 = select((1.0), (depth), p.reversed_z && !p.orthographic);
  bounds.nearest = select((depth - 2.0 * ONEPASS_SLACK * magnitude), (depth + 2.0 * ONEPASS_SLACK * magnitude), p.reversed_z);
  return bounds;
}

fn onepass_magnitude_sum(v: vec3f) -> f32 {
  return abs(v.x) + abs(v.y) + abs(v.z);
}

// Bounds of the box between two corners, low.x <= high.x and so on, under a matrix to Vulkan's clip space
// (0 <= z <= w, y downwards as in the image), perspective or orthographic.
// Promise: no point of the box is outside the rectangle or nearer than 'nearest'. Not known where a corner is in front
// of the near plane (z < 0, reversed z > w) or w <= 0, within rounding, or where a number is not finite.
fn onepass_project_box(clip_of_world: mat4x4f, low: vec3f, high: vec3f, reversed_z: bool) -> OnepassBounds {
  var column_x: vec4f = onepass_transform(clip_of_world, vec4f(1.0, 0.0, 0.0, 0.0));
  var column_y: vec4f = onepass_transform(clip_of_world, vec4f(0.0, 1.0, 0.0, 0.0));
  var column_z: vec4f = onepass_transform(clip_of_world, vec4f(0.0, 0.0, 1.0, 0.0));
  var column_w: vec4f = onepass_transform(clip_of_world, vec4f(0.0, 0.0, 0.0, 1.0));
  var far_corner: vec3f = max(abs(low), abs(high));
  // Bound of the error of a corner's clip coordinates.
  var error: vec4f = abs(column_x) * far_corner.x + abs(column_y) * far_corner.y + abs(column_z) * far_corner.z + abs(column_w);
  error *= ONEPASS_SLACK;
  var x0: vec4f = column_x * low.x;
  var x1: vec4f = column_x * high.x;
  var y0: vec4f = column_y * low.y;
  var y1: vec4f = column_y * high.y;
  var z0: vec4f = column_z * low.z + column_w;
  var z1: vec4f = column_z * high.z + column_w;
  var least: vec3f = vec3f(ONEPASS_MOST, ONEPASS_MOST, ONEPASS_MOST);
  var most: vec3f = vec3f(-ONEPASS_MOST, -ONEPASS_MOST, -ONEPASS_MOST);
  var least_w: f32 = ONEPASS_MOST;
  var least_inside: f32 = ONEPASS_MOST;
  // least distance behind the near plane, in clip space
  for (var i: u32 = 0u; i < 8u; i++) {
    var corner: vec4f = (select((x0), (x1), (i & 1u) != 0u)) + ((select((y0), (y1), (i & 2u) != 0u)) + (select((z0), (z1), (i & 4u) != 0u)));
    var device: vec3f = corner.xyz / corner.w;
    least = min(least, device);
    most = max(most, device);
    least_w = min(least_w, corner.w);
    least_inside = min(least_inside, select((corner.z), (corner.w - corner.z), reversed_z));
  }
  least_w -= error.w;
  var bounds: OnepassBounds;
  // Sums that are not finite fail the comparison.
  var sizes: f32 = onepass_magnitude_sum(low) + onepass_magnitude_sum(high) + (error.x + error.y + error.z + error.w);
  bounds.known = least_w > 0.0 && least_inside >= error.z + (select((0.0), (error.w), reversed_z)) && sizes < ONEPASS_MOST;
  var magnitude: vec3f = max(abs(least), abs(most));
  var slack: vec3f = (error.xyz + magnitude * error.w) / least_w + ONEPASS_SLACK * magnitude;
  // Adding 0.5 to small device coordinates loses bits.
  var low_half: f32 = 0.5 - 0.5 * ONEPASS_SLACK;
  var high_half: f32 = 0.5 + 0.5 * ONEPASS_SLACK;
  bounds.rect = vec4f(0.5 * (least.xy - slack.xy) + vec2f(low_half, low_half), 0.5 * (most.xy + slack.xy) + vec2f(high_half, high_half));
  bounds.nearest = select((least.z - slack.z), (most.z + slack.z), reversed_z);
  return bounds;
}

// True if 'a' is strictly nearer than 'b'; false for NaN.
fn onepass_is_nearer(a: f32, b: f32, reversed_z: bool) -> bool {
  return select((a < b), (a > b), reversed_z);
}

fn onepass_farther(a: f32, b: f32, reversed_z: bool) -> f32 {
  return select((max(a, b)), (min(a, b)), reversed_z);
}
fn onepass_nearer(a: f32, b: f32, reversed_z: bool) -> f32 {
  return select((min(a, b)), (max(a, b)), reversed_z);
}

// The farthest depth of a query that cannot tell: beyond every depth.
fn onepass_unknown_farthest(reversed_z: bool) -> f32 {
  return select((ONEPASS_MOST), (-ONEPASS_MOST), reversed_z);
}
// The nearest depth of a query that cannot tell: in front of every depth.
fn onepass_unknown_nearest(reversed_z: bool) -> f32 {
  return select((-ONEPASS_MOST), (ONEPASS_MOST), reversed_z);
}

// The four (or fewer) cells to load for a rectangle of base texels: their level, the first cell in xy, the last in zw.
// False: the rectangle is empty, or four cells of last_level do not cover it.
fn onepass_query_cells(pyramid: OnepassDepthPyramid, texels: vec4u, level: ptr<function, u32>, cells: ptr<function, vec4u>) -> bool {
  (*level) = pyramid.last_level;
  (*cells) = vec4u(0u, 0u, 0u, 0u);
  if (onepass_texels_empty(texels)) {
    return false;
  }
  (*level) = min(onepass_texels_level(pyramid, texels), pyramid.last_level);
  (*cells) = onepass_texels_cells(pyramid, (*level), texels);
  return onepass_fits_four((*cells));
}

// The coordinate at which a linear filter reads all cells: the corner they share, or the middle of the only one. Along
// an axis with two cells both weights are 1/2, so that rounding of coordinates to sub-texels (at least 4 bits, usually
// 8) makes neither of them zero. Along an axis with one cell its neighbours have a weight of about zero: whether a
// device reads them is not defined, and can only make the answer more conservative.
fn onepass_sample_point(pyramid: OnepassDepthPyramid, level: u32, cells: vec4u) -> vec2f {
  return 0.5 * vec2f(cells.xy + cells.zw + vec2u(1u, 1u)) / vec2f(onepass_level_size2(pyramid.size, level));
}

${farthest ? /* wgsl */ `
// The farthest depth of a rectangle of base texels, begin in xy, end in zw, by four loads.
// Promise: no texel in it is farther, with covering, edge and tight; with aligned a texel may be, at odd sizes. Texels
// around the rectangle count as well, as far as the four cells reach. Unsure: onepass_unknown_farthest.
fn onepass_texels_farthest(pyramid: OnepassDepthPyramid, texels: vec4u) -> f32 {
  var level: u32;
  var cells: vec4u;
  if (!onepass_query_cells(pyramid, texels, &level, &cells)) {
    return onepass_unknown_farthest(pyramid.reversed_z);
  }
  var top: f32 = onepass_farther(onepass_load_farthest(level, cells.xy), onepass_load_farthest(level, cells.zy), pyramid.reversed_z);
  var bottom: f32 = onepass_farther(onepass_load_farthest(level, cells.xw), onepass_load_farthest(level, cells.zw), pyramid.reversed_z);
  return onepass_farther(top, bottom, pyramid.reversed_z);
}

// The same for a rectangle of coordinates; see onepass_rect_texels.
fn onepass_rect_farthest(pyramid: OnepassDepthPyramid, rect: vec4f) -> f32 {
  return onepass_texels_farthest(pyramid, onepass_rect_texels(pyramid.size, rect));
}

// Is everything at depth 'nearest' and behind it hidden at all of these base texels?
// Promise: true only if every texel is strictly nearer, with covering, edge and tight. Unsure: false.
fn onepass_texels_occluded(pyramid: OnepassDepthPyramid, texels: vec4u, nearest: f32) -> bool {
  return onepass_is_nearer(onepass_texels_farthest(pyramid, texels), nearest, pyramid.reversed_z);
}

// The same for a rectangle of coordinates. The part outside the image does not count; all outside: false.
fn onepass_rect_occluded(pyramid: OnepassDepthPyramid, rect: vec4f, nearest: f32) -> bool {
  return onepass_texels_occluded(pyramid, onepass_rect_texels(pyramid.size, rect), nearest);
}

// Is a box hidden, seen through 'clip_of_world'? See onepass_project_box. Promise: as onepass_rect_occluded for its
// rectangle and nearest depth. False if it crosses the near plane, lies behind the camera or outside the image.
fn onepass_box_occluded(pyramid: OnepassDepthPyramid, clip_of_world: mat4x4f, low: vec3f, high: vec3f) -> bool {
  var bounds: OnepassBounds = onepass_project_box(clip_of_world, low, high, pyramid.reversed_z);
  return bounds.known && onepass_rect_occluded(pyramid, bounds.rect, bounds.nearest);
}

// Is a sphere hidden? 'center' in view space: x, y, distance. Promise: as onepass_box_occluded.
fn onepass_sphere_occluded(pyramid: OnepassDepthPyramid, projection: OnepassProjection, center: vec3f, radius: f32) -> bool {
  var bounds: OnepassBounds = onepass_project_sphere(projection, center, radius);
  return bounds.known && onepass_rect_occluded(pyramid, bounds.rect, bounds.nearest);
}
` : ''}

${nearest ? /* wgsl */ `
// The nearest depth of a rectangle of base texels by four loads; promise as onepass_texels_farthest, mirrored.
fn onepass_texels_nearest(pyramid: OnepassDepthPyramid, texels: vec4u) -> f32 {
  var level: u32;
  var cells: vec4u;
  if (!onepass_query_cells(pyramid, texels, &level, &cells)) {
    return onepass_unknown_nearest(pyramid.reversed_z);
  }
  var top: f32 = onepass_nearer(onepass_load_nearest(level, cells.xy), onepass_load_nearest(level, cells.zy), pyramid.reversed_z);
  var bottom: f32 = onepass_nearer(onepass_load_nearest(level, cells.xw), onepass_load_nearest(level, cells.zw), pyramid.reversed_z);
  return onepass_nearer(top, bottom, pyramid.reversed_z);
}

// The same for a rectangle of coordinates.
fn onepass_rect_nearest(pyramid: OnepassDepthPyramid, rect: vec4f) -> f32 {
  return onepass_texels_nearest(pyramid, onepass_rect_texels(pyramid.size, rect));
}

// Is a point at a base texel certainly visible, by one load of one level? For particles: only a particle with the
// answer false needs the full depth buffer. Level 4 is a good choice; the level is clamped to first_level..last_level.
// Promise: true only if the texel's depth is behind 'depth', with covering, edge and tight. Unsure: false.
fn onepass_certainly_visible(pyramid: OnepassDepthPyramid, level: u32, texel: vec2u, depth: f32) -> bool {
  var there: u32 = min(max(level, pyramid.first_level), pyramid.last_level);
  var cell: vec2u = onepass_cell_of_texel(pyramid.footprint, pyramid.size, there, texel);
  return onepass_is_nearer(depth, onepass_load_nearest(there, cell), pyramid.reversed_z);
}
` : ''}

${tile ? /* wgsl */ `
// The same against a tile-reduced image of nearest depths, of ceil(base size / factor) tiles.
fn onepass_tile_certainly_visible(texel: vec2u, factor: u32, depth: f32, reversed_z: bool) -> bool {
  return onepass_is_nearer(depth, onepass_load_tile(onepass_tile_of_texel(texel, factor)), reversed_z);
}
` : ''}

${sampleFarthest ? /* wgsl */ `
// onepass_texels_farthest by one sample of a reduction sampler. Promise: the same, but up to one cell more
// conservative.
fn onepass_texels_farthest_sampled(pyramid: OnepassDepthPyramid, texels: vec4u) -> f32 {
  var level: u32;
  var cells: vec4u;
  if (!onepass_query_cells(pyramid, texels, &level, &cells)) {
    return onepass_unknown_farthest(pyramid.reversed_z);
  }
  return onepass_sample_farthest(level, onepass_sample_point(pyramid, level, cells));
}

// onepass_texels_occluded by one sample.
fn onepass_texels_occluded_sampled(pyramid: OnepassDepthPyramid, texels: vec4u, nearest: f32) -> bool {
  return onepass_is_nearer(onepass_texels_farthest_sampled(pyramid, texels), nearest, pyramid.reversed_z);
}
` : ''}

${sampleNearest ? /* wgsl */ `
// onepass_texels_nearest by one sample of a reduction sampler.
fn onepass_texels_nearest_sampled(pyramid: OnepassDepthPyramid, texels: vec4u) -> f32 {
  var level: u32;
  var cells: vec4u;
  if (!onepass_query_cells(pyramid, texels, &level, &cells)) {
    return onepass_unknown_nearest(pyramid.reversed_z);
  }
  return onepass_sample_nearest(level, onepass_sample_point(pyramid, level, cells));
}
` : ''}

${nearest ? /* wgsl */ `

const ONEPASS_RAY_MARCHING = 0u;
const ONEPASS_RAY_HIT = 1u;     // the ray went behind the depth of 'texel' at time t
const ONEPASS_RAY_MISSED = 2u;  // the ray reached its end or the image border

// The state of a ray march.
struct OnepassRay {
  origin: vec3f,     // base texels, base texels, depth
  direction: vec3f,  // in the same units, per time from 0 to 1
  inverse: vec2f,    // 1 / direction, 0 along an axis without movement
  t: f32,           // the current time
  texel: vec2u,       // the base texel at time t
  level: u32,        // the level of the next step
  state: u32,        // a number ONEPASS_RAY_
}

// At most 1e-30 texels per unit of time count as no movement.
fn onepass_ray_inverse(direction: f32) -> f32 {
  return select((0.0), (1.0 / direction), abs(direction) > 1e-30);
}

// A ray from one point to another, in coordinates and depth. Straight lines in the world are straight here under any
// projection. The ray ends at 'to': clip it in the world first. A ray that starts outside the image has missed.
fn onepass_ray_begin(pyramid: OnepassDepthPyramid, start: vec3f, to: vec3f) -> OnepassRay {
  var size: vec2f = vec2f(pyramid.size);
  var ray: OnepassRay;
  ray.origin = vec3f(start.xy * size, start.z);
  ray.direction = vec3f(to.xy * size, to.z) - ray.origin;
  ray.inverse = vec2f(onepass_ray_inverse(ray.direction.x), onepass_ray_inverse(ray.direction.y));
  ray.t = 0.0;
  ray.level = pyramid.first_level;
  var inside: bool = ray.origin.x >= 0.0 && ray.origin.y >= 0.0 && ray.origin.x < size.x && ray.origin.y < size.y;
  ray.state = select((ONEPASS_RAY_MISSED), (ONEPASS_RAY_MARCHING), inside);
  ray.texel = select((vec2u(0u, 0u)), (vec2u(ray.origin.xy)), inside);
  return ray;
}

fn onepass_ray_depth(ray: OnepassRay, t: f32) -> f32 {
  return ray.origin.z + ray.direction.z * t;
}

// The point of the ray at its current time: coordinates and depth.
fn onepass_ray_point(pyramid: OnepassDepthPyramid, ray: OnepassRay) -> vec3f {
  var at: vec3f = ray.origin + ray.direction * ray.t;
  return vec3f(at.xy / vec2f(pyramid.size), at.z);
}

// The time at which the ray crosses the boundary before texel 'wall' of an axis. Monotonic in 'wall'.
fn onepass_boundary_time(wall: u32, origin: f32, inverse: f32) -> f32 {
  return (f32(wall) - origin) * inverse;
}

// The time at which the ray leaves base texels [begin, end) of an axis.
fn onepass_leave_time(begin: u32, end: u32, origin: f32, inverse: f32) -> f32 {
  if (inverse == 0.0) {
    return ONEPASS_MOST;
  }
  return onepass_boundary_time(select((begin), (end), inverse > 0.0), origin, inverse);
}

// The ray's texel of an axis at time t, before it leaves [begin, end): the one whose boundaries have crossing times
// around t. 'texel' is an earlier texel of the ray.
fn onepass_follow(texel: u32, begin: u32, end: u32, t: f32, origin: f32, direction: f32, inverse: f32) -> u32 {
  if (inverse == 0.0) {
    return texel;
  }
  var low: f32 = f32(select((begin), (texel), inverse > 0.0));
  var high: f32 = f32(select((texel), (end - 1u), inverse > 0.0));
  var guess: u32 = u32(min(max(origin + direction * t, low), high));
  // The guess is rounded and at most one texel off: the crossing times of its boundaries decide.
  var passed: bool = onepass_boundary_time(select((guess), (guess + 1u), inverse > 0.0), origin, inverse) <= t;
  var before: bool = onepass_boundary_time(select((guess + 1u), (guess), inverse > 0.0), origin, inverse) > t;
  if (inverse > 0.0) {
    if (passed && guess + 1u < end) {
      return guess + 1u;
    }
    if (before && guess > texel) {
      return guess - 1u;
    }
  } else {
    if (passed && guess > begin) {
      return guess - 1u;
    }
    if (before && guess < texel) {
      return guess + 1u;
    }
  }
  return guess;
}

// The base texel after leaving [begin, end) of an axis.
fn onepass_beyond(begin: u32, end: u32, inverse: f32) -> u32 {
  return select((begin - 1u), (end), inverse > 0.0);
}

// One step with the nearest depth of the ray's cell, 'cell' = onepass_cell_of_texel(footprint, size, ray.level,
// ray.texel): leaves the cell, continues one level finer, or hits. With a nearest depth beyond every depth
// (onepass_unknown_farthest) the ray leaves: after a hit that the caller refuses, set the state to
// ONEPASS_RAY_MARCHING and pass the texel in this way.
fn onepass_ray_advance(pyramid: OnepassDepthPyramid, ray: ptr<function, OnepassRay>, cell: vec2u, nearest: f32) {
  var box: vec4u = onepass_cell_texels(pyramid.footprint, pyramid.size, (*ray).level, cell);
  var leave_x: f32 = onepass_leave_time(box.x, box.z, (*ray).origin.x, (*ray).inverse.x);
  var leave_y: f32 = onepass_leave_time(box.y, box.w, (*ray).origin.y, (*ray).inverse.y);
  var leave: f32 = max(min(min(leave_x, leave_y), 1.0), (*ray).t);
  var here: f32 = onepass_ray_depth((*ray), (*ray).t);
  var there: f32 = onepass_ray_depth((*ray), leave);
  var here_in_front: bool = onepass_is_nearer(here, nearest, pyramid.reversed_z);
  var in_front: bool = here_in_front && onepass_is_nearer(there, nearest, pyramid.reversed_z);
  if (in_front) {
    var over_x: bool = leave_x <= leave;
    var over_y: bool = leave_y <= leave;
    var out_x: bool = over_x && (select((box.x == 0u), (box.z == pyramid.size.x), (*ray).inverse.x > 0.0));
    var out_y: bool = over_y && (select((box.y == 0u), (box.w == pyramid.size.y), (*ray).inverse.y > 0.0));
    (*ray).t = leave;
    if (leave >= 1.0 || out_x || out_y) {
      (*ray).state = ONEPASS_RAY_MISSED;
      return;
    }
    (*ray).texel.x = select((onepass_follow((*ray).texel.x, box.x, box.z, leave, (*ray).origin.x, (*ray).direction.x, (*ray).inverse.x)), (onepass_beyond(box.x, box.z, (*ray).inverse.x)), over_x);
    (*ray).texel.y = select((onepass_follow((*ray).texel.y, box.y, box.w, leave, (*ray).origin.y, (*ray).direction.y, (*ray).inverse.y)), (onepass_beyond(box.y, box.w, (*ray).inverse.y)), over_y);
    (*ray).level = min((*ray).level + 1u, pyramid.last_level);
    return;
  }
  // The time of reaching the cell's depth; below a little before, so that rounding cannot overshoot.
  var reach: f32 = select(((*ray).t), ((nearest - (*ray).origin.z) / (*ray).direction.z), here_in_front);
  if ((*ray).level == pyramid.first_level) {
    (*ray).t = min(max(reach, (*ray).t), leave);
    (*ray).state = ONEPASS_RAY_HIT;
    return;
  }
  (*ray).level -= 1u;
  reach *= 1.0 - ONEPASS_SLACK;
  if (here_in_front && reach > (*ray).t && reach < leave && onepass_is_nearer(onepass_ray_depth((*ray), reach), nearest, pyramid.reversed_z)) {
    (*ray).t = reach;
    (*ray).texel.x = onepass_follow((*ray).texel.x, box.x, box.z, reach, (*ray).origin.x, (*ray).direction.x, (*ray).inverse.x);
    (*ray).texel.y = onepass_follow((*ray).texel.y, box.y, box.w, reach, (*ray).origin.y, (*ray).direction.y, (*ray).inverse.y);
  }
}

// One step: loads one nearest depth, then leaves the cell, continues one level finer, or hits.
// Promise: with covering, edge and tight the ray hits the base texel, and at the time, that it would hit on level 0
// alone: the first texel on its way whose depth is not behind all of the ray within it. With first_level 1, it hits a
// cell of that level that it goes behind, not later. With aligned it may miss, at odd sizes.
fn onepass_ray_step(pyramid: OnepassDepthPyramid, ray: ptr<function, OnepassRay>) {
  var cell: vec2u = onepass_cell_of_texel(pyramid.footprint, pyramid.size, (*ray).level, (*ray).texel);
  onepass_ray_advance(pyramid, ray, cell, onepass_load_nearest((*ray).level, cell));
}

// Advances until the ray hits, misses, or has taken max_steps steps; then its state is still ONEPASS_RAY_MARCHING, and
// it has hit nothing up to its time. The caller decides whether a hit surface is thick enough to stop the ray.
fn onepass_march(pyramid: OnepassDepthPyramid, start: vec3f, to: vec3f, max_steps: u32) -> OnepassRay {
  var ray: OnepassRay = onepass_ray_begin(pyramid, start, to);
  for (var i: u32 = 0u; i < max_steps && ray.state == ONEPASS_RAY_MARCHING; i++) {
    onepass_ray_step(pyramid, &ray);
  }
  return ray;
}

` : ''}
`;
