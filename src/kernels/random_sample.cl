// SPDX-License-Identifier: MIT
// Fills an array with numbers of random_samplers.cl, one per work-item. Parameters: T, and those of that
// file.

#ifdef GAMMA
kernel void sample_gamma(global T *out, ulong first, uint count, ulong place, uint stream, uint4 key, REAL d, REAL c,
                         REAL power, REAL scale) {
  const uint i = (uint)get_global_id(0);
  if (i < count) out[first + i] = gamma_at(place + i, stream, key, d, c, power, scale);
}
#endif

#ifdef COUNTS
kernel void sample_poisson_small(global T *out, ulong first, uint count, ulong place, uint stream, uint4 key,
                                 double none, double rate) {
  const uint i = (uint)get_global_id(0);
  if (i < count) out[first + i] = (T)(ulong)poisson_small_at(place + i, stream, key, 1, none, rate);
}

kernel void sample_poisson(global T *out, ulong first, uint count, ulong place, uint stream, uint4 key, double rate,
                           double a, double b, double quick, double log_scale) {
  const uint i = (uint)get_global_id(0);
  if (i < count) out[first + i] = (T)(ulong)poisson_at(place + i, stream, key, 1, rate, a, b, quick, log_scale);
}

kernel void sample_binomial_small(global T *out, ulong first, uint count, ulong place, uint stream, uint4 key,
                                  double n, double flipped, double none, double odds) {
  const uint i = (uint)get_global_id(0);
  if (i < count) out[first + i] = (T)binomial_small_at(place + i, stream, key, n, flipped, none, odds);
}

kernel void sample_binomial(global T *out, ulong first, uint count, ulong place, uint stream, uint4 key, double n,
                            double flipped, double mean, double a, double b, double quick, double log_scale,
                            double mode, double slope, double rest) {
  const uint i = (uint)get_global_id(0);
  if (i < count)
    out[first + i] = (T)binomial_at(place + i, stream, key, n, flipped, mean, a, b, quick, log_scale, mode, slope, rest);
}
#endif
