// depth_query_answers.glsl: the part of depth_query_test.comp that GLSL and HLSL share: answers one query of b_queries
// in b_answers.
ONEPASS_PRIVATE uint g_query;  // index of the first word of this invocation's query
ONEPASS_PRIVATE uint g_answer;
uint word(uint i) { return b_queries[g_query + i]; }
float number(uint i) { return onepass_bits_float(word(i)); }
uint2 word2(uint i) { return uint2(word(i), word(i + 1u)); }
float2 number2(uint i) { return float2(number(i), number(i + 1u)); }
float3 number3(uint i) { return float3(number2(i), number(i + 2u)); }
float4 number4(uint i) { return float4(number2(i), number2(i + 2u)); }
void put(uint i, uint value) { b_answers[g_answer + i] = value; }
void put(uint i, bool value) { put(i, value ? 1u : 0u); }
void put(uint i, float value) { put(i, onepass_float_bits(value)); }
void put(uint i, uint2 value) {
  put(i, value.x);
  put(i + 1u, value.y);
}
void put(uint i, uint4 value) {
  put(i, value.xy);
  put(i + 2u, value.zw);
}
void put(uint i, float4 value) { put(i, onepass_float_bits(value)); }

OnepassDepthPyramid the_pyramid() {
  OnepassDepthPyramid pyramid;
  pyramid.size = pc.size;
  pyramid.first_level = pc.first_level;
  pyramid.last_level = pc.last_level;
  pyramid.footprint = pc.footprint;
  pyramid.reversed_z = pc.reversed_z != 0u;
  return pyramid;
}

OnepassProjection the_projection(uint i) {
  OnepassProjection p;
  p.scale = number2(i);
  p.offset = number2(i + 2u);
  p.near_plane = number(i + 4u);
  p.far_plane = number(i + 5u);
  p.orthographic = word(i + 6u) != 0u;
  p.reversed_z = word(i + 7u) != 0u;
  return p;
}

void answer_cells(OnepassDepthPyramid pyramid) {
  uint level = word(0);
  uint2 texel = word2(1);
  uint2 cell = onepass_cell_of_texel(pyramid.footprint, pyramid.size, level, texel);
  put(0, onepass_cell(pyramid.size, level, number2(3)));
  put(2, cell);
  put(4, onepass_cell_texels(pyramid.footprint, pyramid.size, level, cell));
  put(8, onepass_cell_bounds(pyramid.size, level, cell));
  put(12, onepass_certainly_visible(pyramid, level, texel, number(5)));
  put(13, onepass_tile_certainly_visible(texel, pc.tile_factor, number(5), pyramid.reversed_z));
}

void answer_rect(OnepassDepthPyramid pyramid) {
  float4 rect = number4(0);
  uint4 texels = onepass_rect_texels(pyramid.size, rect);
  put(0, texels);
  put(4, onepass_rect_level(pyramid, rect));
  put(5, onepass_rect_farthest(pyramid, rect));
  put(6, onepass_rect_nearest(pyramid, rect));
  put(7, onepass_rect_occluded(pyramid, rect, number(4)));
  put(8, onepass_texels_farthest_sampled(pyramid, texels));
  put(9, onepass_texels_nearest_sampled(pyramid, texels));
  put(10, onepass_texels_occluded_sampled(pyramid, texels, number(4)));
}

void answer_bounds(OnepassBounds bounds, bool occluded) {
  put(0, bounds.known);
  put(1, occluded);
  put(2, bounds.known ? bounds.rect : float4(0.0, 0.0, 0.0, 0.0));
  put(6, bounds.known ? bounds.nearest : 0.0);
}

void answer_box(OnepassDepthPyramid pyramid) {
  float4x4 clip_of_world = matrix_of_columns(number4(0), number4(4), number4(8), number4(12));
  answer_bounds(onepass_project_box(clip_of_world, number3(16), number3(19), pyramid.reversed_z),
                onepass_box_occluded(pyramid, clip_of_world, number3(16), number3(19)));
}

void answer_sphere(OnepassDepthPyramid pyramid) {
  OnepassProjection projection = the_projection(0);
  answer_bounds(onepass_project_sphere(projection, number3(8), number(11)),
                onepass_sphere_occluded(pyramid, projection, number3(8), number(11)));
}

void answer_ray(OnepassDepthPyramid pyramid) {
  OnepassRay ray = onepass_march(pyramid, number3(0), number3(3), word(6));
  put(0, ray.state);
  put(1, ray.texel);
  put(3, ray.level);
  put(4, ray.t);
}

void answer_depth() {
  OnepassProjection projection = the_projection(0);
  float value = number(8);
  put(0, onepass_half_up(value));
  put(1, onepass_half_down(value));
  put(2, onepass_half_farther(value, projection.reversed_z));
  put(3, onepass_half_nearer(value, projection.reversed_z));
  put(4, onepass_distance_of_depth(projection, number(9)));
  put(5, onepass_depth_of_distance(projection, number(10)));
}

void answer_query(uint index) {
  if (index >= pc.count) return;
  g_query = index * QUERY_WORDS;
  g_answer = index * ANSWER_WORDS;
  OnepassDepthPyramid pyramid = the_pyramid();
  if (MODE == 0u) answer_cells(pyramid);
  if (MODE == 1u) answer_rect(pyramid);
  if (MODE == 2u) answer_box(pyramid);
  if (MODE == 3u) answer_sphere(pyramid);
  if (MODE == 4u) answer_ray(pyramid);
  if (MODE == 5u) answer_depth();
}
