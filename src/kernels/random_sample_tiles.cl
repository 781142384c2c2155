// SPDX-License-Identifier: MIT
// Kernels of random_sample.cl for the host. A work-item computes `each` elements, tile by tile. Those for small
// means are not among them: their loops end at a different step for each element, which the lowering
// vectorises over work-items, and gcc does not.
// Parameters: those of random_sample.cl.

#ifdef GAMMA
kernel void sample_gamma(global T *out, ulong first, uint count, uint each, ulong place, uint stream, uint4 key, REAL d,
                         REAL c, REAL power, REAL scale) {
  STORE_TILES(gamma_at_tile(at, stream, key, d, c, power, scale, values))
}
#endif

#ifdef COUNTS
kernel void sample_poisson(global T *out, ulong first, uint count, uint each, ulong place, uint stream, uint4 key,
                           double rate, double a, double b, double quick, double log_scale) {
  STORE_TILES(poisson_tile(at, stream, key, rate, a, b, quick, log_scale, values))
}

kernel void sample_binomial(global T *out, ulong first, uint count, uint each, ulong place, uint stream, uint4 key,
                            double n, double flipped, double mean, double a, double b, double quick,
                            double log_scale, double mode, double slope, double rest) {
  STORE_TILES(binomial_tile(at, stream, key, n, flipped, mean, a, b, quick, log_scale, mode, slope, rest, values))
}
#endif
