// SPDX-License-Identifier: MIT
// One kernel for all distribution families, precompiled for the host: one number per work-item. `family` is a
// random::Family; src/random/families.cpp checks that the numbers agree.

#ifdef REALS
REAL real_of(uint family, ulong place, uint stream, uint4 key, REAL a, REAL b, REAL c) {
  switch (family) {
    case 8: return beta_of(place, stream, key, a, b);
    case 9: return chisquare_of(place, stream, key, a);
    case 10: return f_of(place, stream, key, a, b);
    case 11: return gumbel_of(place, stream, key, a, b);
    case 12: return laplace_of(place, stream, key, a, b);
    case 13: return log_gamma_of(place, stream, key, a);
    case 14: return logistic_of(place, stream, key, a, b);
    case 15: return noncentral_chisquare_of(place, stream, key, a, b);
    case 16: return noncentral_f_of(place, stream, key, a, b, c);
    case 17: return pareto_of(place, stream, key, a);
    case 18: return power_of(place, stream, key, a);
    case 19: return rayleigh_of(place, stream, key, a);
    case 20: return standard_cauchy_of(place, stream, key);
    case 21: return standard_t_of(place, stream, key, a);
    case 22: return triangular_of(place, stream, key, a, b, c);
    case 23: return vonmises_of(place, stream, key, a, b);
    case 24: return wald_of(place, stream, key, a, b);
    default: return weibull_of(place, stream, key, a);
  }
}

kernel void sample_reals(global T *out, ulong first, uint count, ulong place, uint stream, uint4 key, uint family, REAL a,
                         REAL b, REAL c) {
  const uint i = (uint)get_global_id(0);
  if (i < count) out[first + i] = real_of(family, place + i, stream, key, a, b, c);
}
#else
ulong count_of(uint family, ulong place, uint stream, uint4 key, double a, double b, double c) {
  switch (family) {
    case 26: return geometric_of(place, stream, key, a);
    case 27: return hypergeometric_of(place, stream, key, a, b, c);
    case 28: return logseries_of(place, stream, key, a);
    case 29: return negative_binomial_of(place, stream, key, a, b);
    default: return zipf_of(place, stream, key, a);
  }
}

kernel void sample_counts(global T *out, ulong first, uint count, ulong place, uint stream, uint4 key, uint family,
                          double a, double b, double c) {
  const uint i = (uint)get_global_id(0);
  if (i < count) out[first + i] = (T)count_of(family, place + i, stream, key, a, b, c);
}
#endif
