/* export.h: which symbols the library shows. For C and C++.
 *
 * Everything else is hidden: a program that links the static or the shared library sees these names and no others, and a
 * plugin that links the static library shows none of them itself (the CMake package and pkg-config see to that with
 * --exclude-libs), so that two plugins may bring two versions along. */
#ifndef ONEPASS_EXPORT_H
#define ONEPASS_EXPORT_H

/* ONEPASS_API: part of the interface. ONEPASS_INTERNAL: a member of an exported class that is not.
 * On Windows the build of a static library defines ONEPASS_STATIC for itself and for those who link it. */
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
