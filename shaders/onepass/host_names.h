// host_names.h: names of the shading languages in C and C++, from here to host_names_end.h, for headers of constants
// that shaders and host programs include. No include guard.
#ifndef ONEPASS_HOST_NAMES_H_
#define ONEPASS_HOST_NAMES_H_
#include <stddef.h>
#include <stdint.h>
typedef struct OnepassUint2 {
  uint32_t x, y;
} OnepassUint2;
#endif
#define ONEPASS_STRUCT_(name) \
  typedef struct name name;   \
  struct name
#define uint uint32_t
#define uint2 OnepassUint2
