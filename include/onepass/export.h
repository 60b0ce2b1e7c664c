/* export.h: the symbols that the library exports. For C and C++.
 *
 * All other symbols are hidden. A program that links the static or the shared library sees only these names. A plugin
 * that links the static library does not export them again: the CMake package and pkg-config pass --exclude-libs to the
 * linker. So two plugins can contain two versions of the library. */
#ifndef ONEPASS_EXPORT_H
#define ONEPASS_EXPORT_H

/* ONEPASS_API marks a part of the interface; ONEPASS_INTERNAL a member of an exported class that is private to the
 * library. On Windows, the build of a static library defines ONEPASS_STATIC for itself and for programs that link
 * it. */
#if !defined(_WIN32)
#define ONEPASS_API __attribute__((visibility("default")))
#define ONEPASS_INTERNAL __attribute__((visibility("hidden")))
#else
#define ONEPASS_INTERNAL
#if defined(ONEPASS_STATIC)
#define ONEPASS_API
#elif defined(ONEPASS_BUILDING)
#define ONEPASS_API __declspec(dllexport)
#else
#define ONEPASS_API __declspec(dllimport)
#endif
#endif

#endif
