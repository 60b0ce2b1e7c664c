// depth_query.hlsl: depth_query.glsl for HLSL: the same text, the same macros and functions to define before including it.
#ifndef ONEPASS_DEPTH_QUERY_HLSL_
#define ONEPASS_DEPTH_QUERY_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/depth_query.glsl"

#endif  // ONEPASS_DEPTH_QUERY_HLSL_
