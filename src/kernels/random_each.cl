// SPDX-License-Identifier: MIT
// Random numbers with parameters for each element: functions of a position in the stream and of the
// distribution's parameters. Outside of the distribution's domain the result is NaN, or -1 for counts.
//
// Parameters: those of random_samplers.cl; IN_DOUBLE if REAL is double; MOST, the largest count that fits;
// EXCLUSIVE if the upper bound of integers is excluded.

#ifdef GAMMA
REAL uniform_number(ulong place, uint stream, uint4 key, uint attempt) {
  return uniform_from(block_for(place, stream, attempt, key));
}

REAL normal_number(ulong place, uint stream, uint4 key, uint attempt) {
  return normal_from(block_for(place, stream, attempt, key));
}

REAL exponential_number(ulong place, uint stream, uint4 key, uint attempt) {
  return exponential_from(block_for(place, stream, attempt, key));
}

REAL uniform_of(ulong place, uint stream, uint4 key, REAL low, REAL high) {
  return low <= high ? fma(uniform_number(place, stream, key, 1), high - low, low) : (REAL)NAN;
}

REAL normal_of(ulong place, uint stream, uint4 key, REAL mean, REAL deviation) {
  return deviation >= 0 ? fma(normal_number(place, stream, key, 1), deviation, mean) : (REAL)NAN;
}

REAL lognormal_of(ulong place, uint stream, uint4 key, REAL mean, REAL deviation) {
  return exp(normal_of(place, stream, key, mean, deviation));
}

REAL exponential_of(ulong place, uint stream, uint4 key, REAL scale) {
  return scale >= 0 ? exponential_number(place, stream, key, 1) * scale : (REAL)NAN;
}

REAL gamma_of(ulong place, uint stream, uint4 key, REAL shape, REAL scale) {
  if (!(shape >= 0 && shape < (REAL)INFINITY && scale >= 0)) return (REAL)NAN;
  if (shape == 0) return 0;
  const bool small = shape < 1;
  const REAL d = (small ? shape + 1 : shape) - (REAL)1 / 3;
  return gamma_at(place, stream, key, d, 1 / sqrt(9 * d), small ? 1 / shape : (REAL)0, scale);
}
#endif

#ifdef COUNTS
double poisson_number(ulong place, uint stream, uint4 key, uint first, double rate) {
  if (rate < 10) return poisson_small_at(place, stream, key, first, exp(-rate), rate);
  const double b = 0.931 + 2.53 * sqrt(rate);
  const double log_root = 0.5 * log(2 * 3.14159265358979323846 * rate);
  return poisson_at(place, stream, key, first, rate, -0.059 + 0.02483 * b, b, 0.9277 - 3.6224 / (b - 2),
                    log(1.1239 + 1.1328 / (b - 3.4)) + log_root);
}

ulong poisson_of(ulong place, uint stream, uint4 key, double rate) {
  if (!(rate >= 0 && rate + 40 + 10 * sqrt(rate) <= MOST)) return (ulong)-1;
  return (ulong)poisson_number(place, stream, key, 1, rate);
}

ulong binomial_of(ulong place, uint stream, uint4 key, double n, double probability) {
  if (!(n >= 0 && n <= MOST && probability >= 0 && probability <= 1)) return (ulong)-1;
  const bool flipped = probability > 0.5;
  const double p = flipped ? 1 - probability : probability, q = 1 - p;
  if (n * p < 10) return binomial_small_at(place, stream, key, n, flipped ? 1 : 0, exp(n * log1p(-p)), p / q);
  const double deviation = sqrt(n * p * q), b = 1.15 + 2.53 * deviation, mode = floor((n + 1) * p);
  return binomial_at(place, stream, key, n, flipped ? 1 : 0, n * p + 0.5, -0.0873 + 0.0248 * b + 0.01 * p, b,
                     0.92 - 4.2 / b, log((2.83 + 5.1 / b) * deviation), mode,
                     log(p / q * ((n - mode + 1) / (mode + 1))), stirling_rest(mode) + stirling_rest(n - mode));
}
#endif

#ifdef INTEGERS
// Lemire's method, as in random_fill.cl. An empty range gives the lower bound.
ulong integers_of(ulong place, uint stream, uint4 key, WHOLE low, WHOLE high) {
#ifdef EXCLUSIVE
  if (high <= low) return (ulong)low;
  const ulong count = (ulong)high - (ulong)low;
#else
  if (high < low) return (ulong)low;
  const ulong count = (ulong)high - (ulong)low + 1;  // 0: all integers of the type
#endif
  for (uint attempt = 1;; ++attempt) {
    const uint4 words = block_for(place, stream, attempt, key);
    const ulong word = (ulong)words.y << 32 | words.x;
    if (count == 0) return word;
    if (word * count >= (0 - count) % count) return (ulong)low + mul_hi(word, count);
  }
}
#endif
