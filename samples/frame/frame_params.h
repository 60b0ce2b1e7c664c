// frame_params.h: constants and structs shared by the shaders and the C++ code of this sample.
#ifndef FRAME_PARAMS_H_
#define FRAME_PARAMS_H_

#ifdef __cplusplus
#include <array>
#include <cstdint>

#include "onepass/depth_query.hpp"
namespace samples::frame {
using mat4 = onepass::depth_query::Float4x4;
using vec4 = std::array<float, 4>;
using uint = uint32_t;
#endif

// The unit of light is 100 cd/m2 (of illuminance: 100 lx), so that halves hold both the dark room and the sun.

// Direction to the sun: 17 degrees above the horizon, 40 degrees to the right of the hall's axis. Metres; x to the
// right, y up, z from the dark room to the garden.
#define SUN_X 0.61470f
#define SUN_Y 0.29237f
#define SUN_Z 0.73257f

// The building: the hall, the dark room behind it, and the door between them.
#define HALL_HALF_WIDTH 6.0f
#define HALL_HEIGHT 5.0f
#define HALL_FRONT 14.0f  // the side that is open to the garden
#define SLATS_BACK -2.0f  // the right wall in front of it consists of slats
#define DOOR_Z -14.0f
#define DOOR_HALF_WIDTH 1.3f
#define DOOR_HEIGHT 3.2f
#define DARK_BACK -26.0f

// Materials.
#define MATERIAL_CONCRETE 0u
#define MATERIAL_TIMBER 1u
#define MATERIAL_FLOOR 2u  // stone, polished and worn: reflects
#define MATERIAL_LAMP 3u   // emits
#define MATERIAL_PLASTER 4u
#define MATERIAL_TILES 5u
#define MATERIAL_BARK 6u
#define MATERIAL_GROUND 7u
#define MATERIAL_WATER 8u    // reflects
#define MATERIAL_PAVING 9u   // wet and dry stone: reflects
#define MATERIAL_PLAIN 10u   // the object's colour: books, paint
#define MATERIAL_LEAVES 11u  // clusters of cards with alpha
#define MATERIAL_GRASS 12u
#define MATERIAL_METAL 13u  // balls: reflects in its colour

// Surfaces up to this roughness have rays; others have roughness 1 in Targets::normals.
#define MOST_ROUGHNESS 0.6f

// Objects are boxes, clusters of cards, or balls, in this order; an indirect draw has one kind.
#define KIND_BOX 0u
#define KIND_CLUSTER 1u
#define KIND_BALL 2u
#define KIND_COUNT 3u
#define BOX_VERTICES 36u
#define CLUSTER_CARDS 20u
#define CLUSTER_VERTICES 120u
#define BALL_RINGS 24u
#define BALL_SEGMENTS 48u
#define BALL_VERTICES 6912u

// Lists of objects to draw. Each has an indirect draw per kind.
#define LIST_EARLY 0u    // visible in the last frame: drawn before the pyramid is made
#define LIST_LATE 1u     // not visible in the last frame, and not hidden by the early objects
#define LIST_IN_VIEW 2u  // objects that intersect a frustum: for timing without occlusion culling
#define LIST_ALL 3u      // every object, untested: shadows, and the reference
#define LIST_COUNT 4u

// State of an object after a frame. EARLY and LATE are the visible set that the next frame starts with.
#define STATE_OUTSIDE 0u
#define STATE_HIDDEN 1u
#define STATE_EARLY 2u         // drawn in phase 1, still visible
#define STATE_LATE 3u          // drawn in phase 2
#define STATE_EARLY_HIDDEN 4u  // drawn in phase 1 but hidden

// The matrix of a draw: an eye, or this value for the sun.
#define EYE_SUN 2u
#define MOST_EYES 2u
#define MOST_LAMPS 24u
#define MOST_BALLS 4u

#define GROUP_SIZE 8        // invocations per side of a workgroup that owns texels
#define LIST_GROUP_SIZE 64  // invocations of a workgroup that owns objects or particles
#define FOG_SLICES 64u
#define FOG_NEAR 0.5f           // metres: begin of the second slice
#define FOG_FAR 160.0f          // end of the last one
#define PARTICLE_SCALE 4096.0f  // particles add light in integers, so that the sum has no order

struct Object {
  float low_x, low_y, low_z;
  uint material;  // MATERIAL_*
  float high_x, high_y, high_z;
  uint colour;  // 0xRRGGBB, linear, of the surface; of lamps the luminous intensity in 0.1 cd
};

// A pinhole camera. World position of texture coordinates uv and depth d, reversed and without a far plane:
// origin + near / d * (forward + (2 uv.x - 1) * right + (2 uv.y - 1) * down).
struct Eye {
  mat4 clip_of_world;
  mat4 last_clip_of_world;  // of the last frame
  vec4 origin;              // w: distance of the near plane
  vec4 right;               // half the width of the image at distance 1
  vec4 down;                // half the height
  vec4 forward;
};

struct FrameParams {
  Eye eyes[MOST_EYES];
  mat4 sun_of_world;       // to the shadow map
  vec4 lamps[MOST_LAMPS];  // position; w: luminous intensity in 100 cd
  vec4 balls[MOST_BALLS];  // position; w: radius
  vec4 last_balls[MOST_BALLS];
  vec4 metals[MOST_BALLS];  // reflectance of each at normal incidence
  uint width, height;
  uint eye_count;
  uint lamp_count;
  uint object_count;
  uint box_count;   // the first objects are boxes
  uint ball_count;  // the last ones are balls
  uint particle_count;
  uint fog_tile;          // texels per side of a column of fog: 4 or 8
  float time;             // seconds: drift of the particles, ripples
  float depth_step;       // D24: the largest rounding error of a stored depth; D32: 0
  float shadow_texel;     // size of a texel of the shadow map as a coordinate
  float floor_roughness;  // everywhere, without joints; negative: its own
  uint unused[3];
};

// Counters of a frame; 64 bits as two words, low word first.
struct Counters {
  uint reflecting;  // texels whose surface reflects
  uint confidence;  // sum of their confidences, in 16ths
  uint splats;      // texels that particles were tested at
  uint proved;      // of these, proved visible by the pyramid alone
  uint visible;
  uint fog_steps;
  uint different;  // texels
  uint unused;
};

struct DrawParams {
  uint eye;    // or EYE_SUN
  uint first;  // index of the list's first entry
};
struct CullParams {
  uint list;
};
struct ReflectParams {
  uint reflections;  // 0: the light of the surroundings only
};
struct ParticleParams {
  uint cell_first;  // 1: the pyramid's cell is tested before the depth buffer
};
struct FogParams {
  uint bounded;  // 1: columns end behind the farthest depth of their tiles
};
struct CompareParams {
  uint compare;  // 0: keeps the frame, 1: compares with the kept one
};
struct ComposeParams {
  uint fog;
  uint particles;
};

#ifdef __cplusplus
static_assert(sizeof(Object) == 32 && sizeof(Eye) == 192 && sizeof(Counters) == 32);
static_assert(sizeof(FrameParams) == 2 * 192 + 64 + 24 * 16 + 12 * 16 + 64);
}  // namespace samples::frame
#endif

#endif  // FRAME_PARAMS_H_
