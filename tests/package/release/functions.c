/* functions.c: LIBRARY NAMES. Loads a shared library as Python's ctypes does, finds every function that the file NAMES
 * lists, one a line, and calls some: a picture whose name is not ASCII is written, read, and reduced to a mip chain. */
#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif
#include <stdio.h>
#include <string.h>

#include "onepass/onepass.h"
#include "onepass/onepass_files.h"
#include "onepass/onepass_vulkan_host.h"

typedef void (*function)(void);

#ifdef _WIN32
static HMODULE library;

static int open_library(const char* path) {
  static wchar_t wide[4096], whole[4096];
  MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 4096);
  GetFullPathNameW(wide, 4096, whole, NULL);
  library = LoadLibraryExW(whole, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR);
  if (library == NULL) printf("cannot load %s: error %lu\n", path, GetLastError());
  return library != NULL;
}

static function find(const char* name) { return (function)GetProcAddress(library, name); }
#else
static void* library;

static int open_library(const char* path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) printf("%s\n", dlerror());
  return library != NULL;
}

static function find(const char* name) { return (function)dlsym(library, name); }
#endif

/* The function of a header, called name in this program. */
#define FIND(name, function_name) __typeof__(function_name)* name = (__typeof__(function_name)*)find(#function_name)

static int find_all(const char* list) {
  FILE* file = fopen(list, "r");
  if (file == NULL) return printf("cannot open %s\n", list), 0;
  char name[256];
  int found = 0, missing = 0;
  while (fscanf(file, "%255s", name) == 1) {
    if (find(name) != NULL) {
      ++found;
    } else {
      ++missing;
      printf("no function %s\n", name);
    }
  }
  fclose(file);
  printf("%d functions found, %d missing\n", found, missing);
  return found > 0 && missing == 0;
}

static int check(int holds, const char* text, const onepass_error* error) {
  if (!holds) printf("failed: %s: %s\n", text, error->message);
  return holds;
}

enum { SIDE = 4 };

static int make_picture(void) {
  FIND(init_write, onepass_files_write_options_init);
  FIND(write, onepass_files_write);
  FIND(read, onepass_files_read);
  FIND(level, onepass_files_image_level);
  FIND(destroy_image, onepass_files_image_destroy);
  FIND(init_pyramid, onepass_pyramid_options_init);
  FIND(create, onepass_cpu_pyramid_create);
  FIND(build, onepass_cpu_pyramid_build);
  FIND(destroy_pyramid, onepass_cpu_pyramid_destroy);
  const char* path =
      "gr\xC3\xB6\xC3\x9F"
      "e \xE7\x94\xBB\xE5\x83\x8F.png"; /* größe 画像.png */
  uint8_t texels[SIDE * SIDE];
  for (int i = 0; i < SIDE * SIDE; ++i) texels[i] = (uint8_t)(10 * i);
  const onepass_extent size = {SIDE, SIDE}, half = {SIDE / 2, SIDE / 2}, one = {1, 1};
  const onepass_image_view source = {texels, ONEPASS_FORMAT_R8_UNORM, size, 1, 0, 0};
  onepass_error error = {0};
  onepass_files_write_options o;
  init_write(&o, sizeof o);
  if (!check(write(path, &source, 1, &o, NULL, &error) == ONEPASS_OK, "write", &error)) return 0;
  onepass_files_image* image = NULL;
  if (!check(read(path, NULL, &image, &error) == ONEPASS_OK, "read", &error)) return 0;
  onepass_image_view view = {0};
  level(image, 0, &view, &error);
  int same = view.size.width == SIDE && view.size.height == SIDE;
  const size_t row = view.row_stride != 0 ? view.row_stride : SIDE;
  for (int y = 0; same && y < SIDE; ++y)
    same = memcmp((const uint8_t*)view.data + y * row, texels + y * SIDE, SIDE) == 0;
  destroy_image(image);
  if (!check(same, "the picture that was read is another one", &error)) return 0;

  onepass_pyramid_options p;
  init_pyramid(&p, sizeof p);
  p.size = size;
  p.source = p.target = ONEPASS_FORMAT_R8_UNORM;
  onepass_cpu_pyramid* pyramid = NULL;
  uint8_t first[4] = {0}, second[1] = {0};
  const onepass_mutable_image_view levels[] = {{first, ONEPASS_FORMAT_R8_UNORM, half, 1, 0, 0},
                                               {second, ONEPASS_FORMAT_R8_UNORM, one, 1, 0, 0}};
  int made =
      create(&p, NULL, &pyramid, &error) == ONEPASS_OK && build(pyramid, &source, levels, 2, &error) == ONEPASS_OK;
  destroy_pyramid(pyramid);
  printf("mip chain: %d %d %d %d, %d\n", first[0], first[1], first[2], first[3], second[0]);
  return check(made && first[0] == 25 && first[3] == 125 && second[0] == 75, "mip chain", &error);
}

static int run(const char* path, const char* names) {
  if (!open_library(path) || !find_all(names)) return 1;
  FIND(version, onepass_version);
  FIND(list_devices, onepass_vulkan_list_devices);
  FIND(count, onepass_vulkan_device_list_count);
  FIND(destroy_list, onepass_vulkan_device_list_destroy);
  printf("onepass %s\n", version());
  onepass_error error = {0};
  onepass_vulkan_device_list* list = NULL;
  if (list_devices(&list, &error) == ONEPASS_OK) {
    printf("Vulkan: %u devices\n", count(list));
    destroy_list(list);
  } else {
    printf("Vulkan: %s\n", error.message);
  }
  return make_picture() ? 0 : 1;
}

#ifdef _WIN32
int wmain(int count, wchar_t** arguments) {
  if (count != 3) return 2;
  static char path[4096], names[4096];
  WideCharToMultiByte(CP_UTF8, 0, arguments[1], -1, path, sizeof path, NULL, NULL);
  WideCharToMultiByte(CP_UTF8, 0, arguments[2], -1, names, sizeof names, NULL, NULL);
  return run(path, names);
}
#else
int main(int count, char** arguments) { return count == 3 ? run(arguments[1], arguments[2]) : 2; }
#endif
