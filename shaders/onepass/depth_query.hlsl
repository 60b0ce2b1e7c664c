// depth_query.hlsl: includes depth_query.glsl as HLSL. The macros to define before including it are the same.
#ifndef ONEPASS_DEPTH_QUERY_HLSL_
#define ONEPASS_DEPTH_QUERY_HLSL_

#define ONEPASS_HLSL 1
#include "onepass/depth_query.glsl"

#endif  // ONEPASS_DEPTH_QUERY_HLSL_
