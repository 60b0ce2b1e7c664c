/* c_api_client.h: a C program that uses the C API, as functions that a test can call. */
#ifndef ONEPASS_TESTS_C_API_CLIENT_H
#define ONEPASS_TESTS_C_API_CLIENT_H

#include "onepass/onepass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each function creates a handle if needed, uses it, destroys it and returns the first code other than ONEPASS_OK. */
onepass_code client_pyramid(const onepass_image_view* source, const onepass_mutable_image_view* levels, size_t count,
                            onepass_reduction reduction, const onepass_rect* changed, onepass_error* error);
onepass_code client_tiles(const onepass_image_view* source, const onepass_mutable_image_view* target,
                          onepass_error* error);
onepass_code client_transform(const onepass_image_view* source, void* spectrum, size_t bytes,
                              const onepass_mutable_image_view* target, onepass_error* error);
onepass_code client_convolve(const onepass_image_view* source, const onepass_image_view* kernel,
                             const onepass_mutable_image_view* target, onepass_error* error);
onepass_code client_filter(const onepass_image_view* source, const onepass_mutable_image_view* target,
                           onepass_error* error);
onepass_code client_meter(const onepass_image_view* source, onepass_meter_result* results, size_t count,
                          const onepass_meter_frame* frame, onepass_error* error);
onepass_code client_tone_map(const onepass_image_view* source, const onepass_mutable_image_view* target, float exposure,
                             onepass_error* error);
onepass_code client_local_tone_map(const onepass_image_view* source, const onepass_mutable_image_view* target,
                                   onepass_error* error);

/* Estimates the shift; if target is not NULL, also writes the whole correlation surface. */
onepass_code client_shift(const onepass_image_view* first, const onepass_image_view* second,
                          onepass_correlation_kind kind, onepass_shift* shift, const onepass_mutable_image_view* target,
                          onepass_error* error);
onepass_code client_deconvolve(const onepass_image_view* source, const onepass_image_view* kernel,
                               onepass_deconvolution_method method, const onepass_mutable_image_view* target,
                               onepass_error* error);
/* Adds bloom; kernel: NULL for the built-in one. */
onepass_code client_bloom(const onepass_image_view* source, const onepass_image_view* kernel,
                          onepass_bloom_method method, const onepass_mutable_image_view* target, onepass_error* error);
onepass_code client_frame(const onepass_image_view* source, const onepass_mutable_image_view* target,
                          onepass_meter_result* results, size_t count, const onepass_meter_frame* frame,
                          onepass_error* error);
onepass_code client_nonfinite(const onepass_mutable_image_view* image, onepass_rect rect, uint32_t infinite,
                              onepass_nonfinite* found, onepass_nonfinite* replaced, onepass_error* error);

#ifdef __cplusplus
}
#endif

#endif
