// fourier_languages.glsl: the names besides those of the prelude that GLSL and HLSL spell differently, so that
// tests/hlsl/ compiles the transform kernels as HLSL: declarations, images, half floats, numbers of invocations.
#ifdef ONEPASS_HLSL

#define CONSTANT(id, type, name, value) [[vk::constant_id(id)]] const type name = value;
#define DERIVED static  // qualifier of a global computed from specialization constants
#define READ_BUFFER(at, type, name) [[vk::binding(at)]] StructuredBuffer<type> name;
#define WRITE_BUFFER(at, type, name) [[vk::binding(at)]] RWStructuredBuffer<type> name;
#define READ_IMAGE(at, name) [[vk::binding(at)]] Texture2DArray<float4> name;
#define WRITE_IMAGE(at, name) [[vk::binding(at)]] RWTexture2DArray<float4> name;
#define FETCH(image, at) image.Load(int4(at, 0))
#define STORE(image, at, value) image[at] = value

int2 size_of(Texture2DArray<float4> image) {
  uint width, height, layers;
  image.GetDimensions(width, height, layers);
  return int2(width, height);
}

float2 unpackHalf2x16(uint bits) { return float2(f16tof32(bits), f16tof32(bits >> 16u)); }
uint packHalf2x16(float2 values) { return f32tof16(values.x) | f32tof16(values.y) << 16u; }

// The entry point sets these.
static uint3 group_id;
static uint3 invocation_id;
#define gl_WorkGroupID group_id
#define gl_GlobalInvocationID invocation_id
#define gl_LocalInvocationIndex onepass_invocation_index()

#else

#define CONSTANT(id, type, name, value) layout(constant_id = id) const type name = value;
#define DERIVED const
#define READ_BUFFER(at, type, name) \
  layout(binding = at) readonly buffer Buffer_##name { type name[]; };
#define WRITE_BUFFER(at, type, name) \
  layout(binding = at) writeonly buffer Buffer_##name { type name[]; };
#define READ_IMAGE(at, name) layout(binding = at) uniform sampler2DArray name;
#define WRITE_IMAGE(at, name) layout(binding = at) uniform writeonly image2DArray name;
#define FETCH(image, at) texelFetch(image, at, 0)
#define STORE(image, at, value) imageStore(image, at, value)
#define size_of(image) textureSize(image, 0).xy

#endif
