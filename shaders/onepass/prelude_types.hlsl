// prelude_types.hlsl: the names of prelude_types.glsl in HLSL; most are HLSL's own. prelude_types.glsl includes it.
#ifndef ONEPASS_PRELUDE_TYPES_HLSL_
#define ONEPASS_PRELUDE_TYPES_HLSL_

#define onepass_float2 float2
#define onepass_float4 float4

#define ONEPASS_CONST  // glslang rejects specialization constants in a const initialiser
#define ONEPASS_TABLE static const
#define ONEPASS_OUT(type) out type
#define ONEPASS_INOUT(type) inout type
#define ONEPASS_OUT_ARRAY(type) out type
#define ONEPASS_INOUT_ARRAY(type) inout type
#define ONEPASS_PRIVATE static  // a non-static global would be a uniform

#define onepass_less(a, b) ((a) < (b))
#define onepass_greater(a, b) ((a) > (b))
#define onepass_greater_equal(a, b) ((a) >= (b))

#define onepass_zero(type) ((type)0)
#define onepass_float_bits(value) asuint(value)
#define onepass_bits_float(bits) asfloat(bits)
#define onepass_highest_bit(value) uint(firstbithigh(value))  // the value must not be 0
#define onepass_highest_bit2(value) uint2(firstbithigh(value))
// Sum of columns times components, as in GLSL. mul() gives it for column_major and row_major declarations alike, if
// both describe the same mathematical matrix.
#define onepass_transform(matrix_, vector_) mul(matrix_, vector_)

#endif  // ONEPASS_PRELUDE_TYPES_HLSL_
