// SPDX-License-Identifier: MIT
// Kernels for all distribution families, precompiled for the host: real numbers (REALS) and some counts
// (COUNT_TILES) in tiles (random_tiles.cl), other counts (ITEMS) one by one. `family` is a random::Family;
// src/random/families.cpp checks that the numbers agree, and the parameters.

#ifdef REALS
void normal_tile(ulong place, uint stream, uint4 key, uint attempt, REAL *restrict numbers) {
  uint words[4 * TILE];
  tile_words(place, stream, attempt, key, words);
  FOR_TILE numbers[i] = normal_from(WORDS_AT(words, i));
}

// Families of one or two gamma numbers. Their functions in random_families.cl choose the same shapes and
// attempts.
void gamma_families_tile(uint family, ulong place, uint stream, uint4 key, REAL a, REAL b, REAL c,
                         REAL *restrict numbers) {
  const bool is_ratio = family == 8 || family == 10, is_noncentral_f = family == 16;
  const REAL nonc = is_noncentral_f ? c : family == 15 ? b : (REAL)0;
  if (nonc != 0 && !(a > 1)) {  // The shape depends on the element.
    FOR_TILE numbers[i] = is_noncentral_f ? noncentral_f_of(place + (ulong)i, stream, key, a, b, c)
                                          : noncentral_chisquare_of(place + (ulong)i, stream, key, a, b);
    return;
  }
  const REAL shapes[2] = {family == 8 || family == 13 ? a : family == 10 ? b / 2 : nonc != 0 ? (a - 1) / 2 : a / 2,
                          family == 8 ? b : family == 10 ? a / 2 : b / 2};
  REAL parts[2 * TILE], boosts[2 * TILE], normals[TILE];
  for (int k = 0; k < (is_ratio || is_noncentral_f ? 2 : 1); ++k) {
    const REAL shape = shapes[k], d = gamma_d(shape);
    REAL *const part = parts + k * TILE, *const boost = boosts + k * TILE;
    gamma_tile(place, stream, key, k == 0 ? FIRST : is_noncentral_f ? THIRD : SECOND, d, 1 / sqrt(9 * d), shape < 1, part,
               boost);
    FOR_TILE part[i] *= d;
    if (shape < 1 && !is_ratio && family != 13) {
      FOR_TILE part[i] *= exp(-boost[i] / shape);
    }
  }
  if (family == 21 || nonc != 0) normal_tile(place, stream, key, SECOND, normals);
  switch (family) {
    case 8:
    case 10:
      FOR_TILE numbers[i] = parts[TILE + i] / parts[i];
      if (shapes[0] < 1 || shapes[1] < 1) {
        FOR_TILE numbers[i] *= exp(ratio_power_from(boosts[i], boosts[TILE + i], shapes[0], shapes[1]));
      }
      if (family == 8) {
        FOR_TILE numbers[i] = 1 / (1 + numbers[i]);
      } else {
        FOR_TILE numbers[i] *= b / a;
      }
      break;
    case 13:
      FOR_TILE numbers[i] = log_gamma_from(parts[i], boosts[i], a);
      if (a == 0) {
        FOR_TILE numbers[i] = -(REAL)INFINITY;
      }
      break;
    case 21: FOR_TILE numbers[i] = standard_t_from(normals[i], parts[i], a); break;
    default:
      FOR_TILE numbers[i] = 2 * parts[i];
      if (nonc != 0) {
        FOR_TILE {
          const REAL shifted = normals[i] + sqrt(nonc);
          numbers[i] += shifted * shifted;
        }
      }
      if (is_noncentral_f) {
        FOR_TILE numbers[i] = numbers[i] * (b / a) / (2 * parts[TILE + i]);
      }
  }
}

void vonmises_tile(ulong place, uint stream, uint4 key, REAL mu, REAL kappa, REAL *restrict numbers) {
  if (kappa < (REAL)0x1p-60f || kappa > (REAL)1e30f) {
    FOR_TILE numbers[i] = vonmises_of(place + (ulong)i, stream, key, mu, kappa);
    return;
  }
  const REAL s1 = vonmises_s1(kappa);
  uint words[4 * TILE], signs[4 * TILE];
  int failed[TILE];
  tile_words(place, stream, FIRST, key, words);
  tile_words(place, stream, THIRD, key, signs);
  FOR_TILE {
    REAL w1;
    failed[i] = vonmises_attempt(WORDS_AT(words, i), kappa, s1, &w1) ? 0 : 1;
    numbers[i] = w1;
  }
  FOR_TILE {
    uint attempt = FIRST + 1;
    while (failed[i] != 0) {
      REAL w1;
      if (vonmises_attempt(block_for(place + (ulong)i, stream, attempt, key), kappa, s1, &w1)) failed[i] = 0;
      numbers[i] = w1;
      ++attempt;
    }
  }
  FOR_TILE numbers[i] = vonmises_from(mu, vonmises_angle_from(numbers[i], WORDS_AT(signs, i)));
}

// Families of which an element is a function of one block.
void one_block_tile(uint family, ulong place, uint stream, uint4 key, REAL a, REAL b, REAL c, REAL *restrict numbers) {
  uint words[4 * TILE];
  tile_words(place, stream, 1, key, words);
  switch (family) {
    case 11: FOR_TILE numbers[i] = gumbel_from(WORDS_AT(words, i), a, b); break;
    case 12: FOR_TILE numbers[i] = laplace_from(WORDS_AT(words, i), a, b); break;
    case 14: FOR_TILE numbers[i] = logistic_from(WORDS_AT(words, i), a, b); break;
    case 17: FOR_TILE numbers[i] = pareto_from(WORDS_AT(words, i), a); break;
    case 18: FOR_TILE numbers[i] = power_from(WORDS_AT(words, i), a); break;
    case 19: FOR_TILE numbers[i] = rayleigh_from(WORDS_AT(words, i), a); break;
    case 20: FOR_TILE numbers[i] = standard_cauchy_from(WORDS_AT(words, i)); break;
    case 22: FOR_TILE numbers[i] = triangular_from(WORDS_AT(words, i), a, b, c); break;
    default:
      FOR_TILE numbers[i] = weibull_from(WORDS_AT(words, i), a);
      if (a == 0) {
        FOR_TILE numbers[i] = 0;
      }
  }
}

void reals_tile(uint family, ulong place, uint stream, uint4 key, REAL a, REAL b, REAL c, REAL *restrict numbers) {
  switch (family) {
    case 8:
    case 9:
    case 10:
    case 13:
    case 15:
    case 16:
    case 21: gamma_families_tile(family, place, stream, key, a, b, c, numbers); break;
    case 23: vonmises_tile(place, stream, key, a, b, numbers); break;
    case 24: {
      uint words[4 * TILE];
      REAL normals[TILE];
      tile_words(place, stream, SECOND, key, words);
      normal_tile(place, stream, key, FIRST, normals);
      FOR_TILE numbers[i] = wald_from(normals[i], uniform_from(WORDS_AT(words, i)), a, b);
      break;
    }
    default: one_block_tile(family, place, stream, key, a, b, c, numbers);
  }
}

kernel void sample_reals(global T *out, ulong first, uint count, uint each, ulong place, uint stream, uint4 key,
                         uint family, REAL a, REAL b, REAL c) {
  STORE_TILES(reals_tile(family, at, stream, key, a, b, c, values))
}
#endif

#ifdef COUNT_TILES
void negative_binomial_tile(ulong place, uint stream, uint4 key, double n, double p, ulong *restrict counts) {
  const double d = gamma_d(n), odds = (1 - p) / p;
  double rates[TILE], boosts[TILE];
  gamma_tile(place, stream, key, FIRST, d, 1 / sqrt(9 * d), n < 1, rates, boosts);
  FOR_TILE rates[i] *= d * odds;
  if (n < 1) {
    FOR_TILE rates[i] *= exp(-boosts[i] / n);
  }
  FOR_TILE {
    counts[i] = rates[i] < 0x1p62 ? counted(poisson_number(place + (ulong)i, stream, key, SECOND, rates[i])) : (ulong)-1;
  }
}

void counts_tile(uint family, ulong place, uint stream, uint4 key, double a, double b, ulong *restrict counts) {
  if (family == 29) {
    negative_binomial_tile(place, stream, key, a, b, counts);
    return;
  }
  const double log_rest = log1p(-a);
  uint words[4 * TILE];
  tile_words(place, stream, 1, key, words);
  if (family == 26) {
    double numbers[TILE];
    FOR_TILE numbers[i] = geometric_from(WORDS_AT(words, i), -log_rest);
    FOR_TILE counts[i] = counted(numbers[i]);
  } else {
    FOR_TILE counts[i] = logseries_from(WORDS_AT(words, i), a, log_rest);
  }
}

kernel void sample_count_tiles(global T *out, ulong first, uint count, uint each, ulong place, uint stream, uint4 key,
                               uint family, double a, double b, double c) {
  STORE_TILES(counts_tile(family, at, stream, key, a, b, values))
}
#endif

#ifdef ITEMS
// Hypergeometric and Zipf numbers, whose loops end at a different step for each element: one per work-item.
kernel void sample_counts(global T *out, ulong first, uint count, ulong place, uint stream, uint4 key, uint family,
                          double a, double b, double c) {
  const uint i = (uint)get_global_id(0);
  if (i >= count) return;
  const ulong number = family == 27 ? hypergeometric_of(place + i, stream, key, a, b, c)
                                    : zipf_of(place + i, stream, key, a);
  out[first + i] = (T)number;
}
#endif
