// custom_reduction4.glsl: reductions of four texels in order, selected by COMBINE: onepass_reduce4, the elements that
// it takes, and what the levels hold. GLSL and HLSL. docs/shaders/custom_reduction.md
#define ONEPASS_OWN_REDUCE4
#if COMBINE == 0  // median: the mean of the second and the third of four
#define ONEPASS_ELEMENT float
#define BASE float
#define MADE float
float element_of(float base) { return base; }
float onepass_reduce4(float v00, float v10, float v01, float v11) {
  return 0.5 * (max(min(v00, v10), min(v01, v11)) + min(max(v00, v10), max(v01, v11)));
}
float level_texel(float element, uint2 texel) { return element; }
#elif COMBINE == 1
// Minimum and maximum, of which a level holds one: the minimum in the white fields of a checkerboard
#define ONEPASS_ELEMENT float2
#define BASE float
#define MADE float
float2 element_of(float base) { return float2(base, base); }
float2 onepass_reduce4(float2 v00, float2 v10, float2 v01, float2 v11) {
  return float2(min(min(v00.x, v10.x), min(v01.x, v11.x)), max(max(v00.y, v10.y), max(v01.y, v11.y)));
}
float level_texel(float2 element, uint2 texel) { return ((texel.x + texel.y) & 1u) == 0u ? element.x : element.y; }
#elif COMBINE == 2  // mean, and mean of squares: the variance is y - x * x
#define ONEPASS_ELEMENT float2
#define BASE float
#define MADE float2
float2 element_of(float base) {
  precise float square = base * base;  // rounded before it is added to another: the bits of the CPU
  return float2(base, square);
}
float2 onepass_reduce4(float2 v00, float2 v10, float2 v01, float2 v11) {
  precise float2 mean = 0.25 * ((v00 + v10) + (v01 + v11));  // in this order of additions
  return mean;
}
float2 level_texel(float2 element, uint2 texel) { return element; }
#else  // normal, and the closest depth in w: the first of equally close texels
#define ONEPASS_ELEMENT float4
#define ONEPASS_COLUMN_PASSES 2
#define BASE float4
#define MADE float4
float4 element_of(float4 base) { return base; }
float4 closer(float4 a, float4 b) { return b.w < a.w ? b : a; }  // reversed depth: b.w > a.w
float4 onepass_reduce4(float4 v00, float4 v10, float4 v01, float4 v11) {
  return closer(closer(v00, v10), closer(v01, v11));
}
float4 level_texel(float4 element, uint2 texel) { return element; }
#endif
