// fourier_steps.glsl: what dispatches between buffers do besides a transform: STEPS, and the factors of Bluestein's
// convolution.
bool does(const uint step) { return (STEPS & step) != 0u; }

float2 chirp(uint n) { return tables[LENGTH + n]; }
float2 chirp_spectrum(uint k) { return tables[LENGTH + AXIS + k]; }

// Bluestein, after the transform forward: the input of the inverse transform at frequency k.
T convolved(T value, uint k) { return onepass_swapped(onepass_times(value, chirp_spectrum(k))); }
