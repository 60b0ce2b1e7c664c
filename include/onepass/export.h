/* export.h: which symbols the library shows. For C and C++.
 *
 * Everything else is hidden: a program that links the static or the shared library sees these names and no others. */
#ifndef ONEPASS_EXPORT_H
#define ONEPASS_EXPORT_H

/* Defined by the build of a static library for itself and for those who link it. */
#if defined(ONEPASS_STATIC)
#define ONEPASS_API
#elif defined(_WIN32) && defined(ONEPASS_BUILDING)
#define ONEPASS_API __declspec(dllexport)
#elif defined(_WIN32)
#define ONEPASS_API __declspec(dllimport)
#else
#define ONEPASS_API __attribute__((visibility("default")))
#endif

#endif
