// prelude_types.hlsl: prelude_types.glsl in HLSL, whose names are most of the vocabulary. Included through it.
#ifndef ONEPASS_PRELUDE_TYPES_HLSL_
#define ONEPASS_PRELUDE_TYPES_HLSL_

#define ONEPASS_CONST           // glslang takes no specialization constants in what const begins
#define ONEPASS_TABLE static const
#define ONEPASS_PRIVATE static  // a global that is not would be a constant of the shader's

#define onepass_less(a, b) ((a) < (b))
#define onepass_greater(a, b) ((a) > (b))
#define onepass_greater_equal(a, b) ((a) >= (b))

#define onepass_zero(type) ((type)0)
#define onepass_float_bits(value) asuint(value)
#define onepass_bits_float(bits) asfloat(bits)
#define onepass_highest_bit(value) uint(firstbithigh(value))  // of a number that is not 0
#define onepass_highest_bit2(value) uint2(firstbithigh(value))
// Columns times components, as GLSL has it: mul() of a matrix declared column_major or row_major, as long as the matrix
// that is meant is the same.
#define onepass_transform(matrix_, vector_) mul(matrix_, vector_)

#endif  // ONEPASS_PRELUDE_TYPES_HLSL_
