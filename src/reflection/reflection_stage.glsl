// reflection_stage.glsl: the stage of reflections that a macro names.
#if defined(CLASSIFY)
#include "reflection/reflection_classify.glsl"
#elif defined(PREPARE)
#include "reflection/reflection_prepare.glsl"
#elif defined(MARCH)
#include "reflection/reflection_march.glsl"
#elif defined(TEMPORAL)
#include "reflection/reflection_temporal.glsl"
#elif defined(FILTER)
#include "reflection/reflection_filter.glsl"
#else
#include "reflection/reflection_resolve.glsl"
#endif
