// SPDX-License-Identifier: MIT
// Random numbers by rejection, which need a varying number of words. Each number has a position in the
// stream. Its words come from blocks whose counter contains that position and the number of the attempt.
// `first` is the first attempt: an element that needs several such numbers gives each a range of attempts.
// Parameters: REAL, THREEFRY, GAMMA and COUNTS.

uint4 block_for(ulong place, uint stream, uint attempt, uint4 key) {
  const uint4 counter = (uint4)((uint)place, (uint)(place >> 32), stream, attempt);
#ifdef THREEFRY
  return threefry4x32(counter, key);
#else
  return philox4x32(counter, key.xy);
#endif
}

#ifdef GAMMA
// Marsaglia and Tsang: A simple method for generating gamma variables, 2000. The result times d is a gamma
// number of shape d + 1/3, with c = 1 / sqrt(9 d). `boost` receives an independent exponential number.
REAL gamma_factor(ulong place, uint stream, uint4 key, uint first, REAL d, REAL c, REAL *boost) {
  for (uint attempt = first;; attempt += 2) {
    const uint4 words = block_for(place, stream, attempt, key);
    const uint4 more = block_for(place, stream, attempt + 1, key);
    // A normal number and two exponential numbers; -e is the logarithm of a uniform number.
#ifdef IN_DOUBLE
    const double x = random_normal2_double(words).x;
    const double e = random_exponential_double(more.xy);
    *boost = random_exponential_double(more.zw);
#else
    const float x = random_normal2(words.xy).x;
    const float e = random_exponential(more.x);
    *boost = random_exponential(more.y);
#endif
    REAL v = (REAL)1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    if (-e < (REAL)0.5f * x * x + d * ((REAL)1 - v + log(v))) return v;
  }
}

REAL gamma_at(ulong place, uint stream, uint4 key, REAL d, REAL c, REAL power, REAL scale) {
  REAL boost;
  REAL result = d * gamma_factor(place, stream, key, 1, d, c, &boost) * scale;
  if (power > 0) result *= exp(-boost * power);
  return result;
}
#endif

#ifdef COUNTS
// Smaller probabilities do not change a sum that has 53 bits.
#define RAREST 0x1p-60

double poisson_small_at(ulong place, uint stream, uint4 key, uint first, double none, double rate) {
  double u = random_uniform_double(block_for(place, stream, first, key).xy);
  double p = none;
  int k = 0;
  while (u >= p && p > RAREST) {
    u -= p;
    ++k;
    p *= rate / k;
  }
  return k;
}

ulong binomial_small_at(ulong place, uint stream, uint4 key, double n, double flipped, double none, double odds) {
  double u = random_uniform_double(block_for(place, stream, 1, key).xy);
  double p = none, k = 0;
  while (u >= p && p > RAREST && k < n) {
    u -= p;
    k += 1;
    p *= (n - k + 1) / k * odds;
  }
  return (ulong)(flipped != 0 ? (long)n - (long)k : (long)k);
}

// ln k! - ((k + 1/2) ln (k + 1) - (k + 1) + ln sqrt(2 pi)).
double stirling_rest(double k) {
  if (k < 10) return lgamma(k + 1) - ((k + 0.5) * log(k + 1) - (k + 1) + 0.91893853320467274);
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// Logarithms of probabilities are differences of large numbers. The formulas contain no terms that cancel, so
// that means of 10^15 are as accurate as small ones.
double poisson_at(ulong place, uint stream, uint4 key, uint first, double rate, double a, double b, double quick,
                  double log_scale) {
  double k = 0;
  for (uint attempt = first;; ++attempt) {
    const uint4 words = block_for(place, stream, attempt, key);
    const double u = random_uniform_double(words.xy) - 0.5;
    const double e = random_exponential_double(words.zw), v = exp(-e);
    const double us = 0.5 - fabs(u);
    k = floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= quick) break;
    if (!(k >= 0) || (us < 0.013 && v > us)) continue;
    const double excess = k + 1 - rate;
    if (log_scale - e - log(a / (us * us) + b) <=
        excess - (k + 0.5) * log1p(excess / rate) - stirling_rest(k))
      break;
  }
  return k;
}

ulong binomial_at(ulong place, uint stream, uint4 key, double n, double flipped, double mean, double a, double b,
                  double quick, double log_scale, double mode, double slope, double rest) {
  double k = 0;
  for (uint attempt = 1;; ++attempt) {
    const uint4 words = block_for(place, stream, attempt, key);
    const double u = random_uniform_double(words.xy) - 0.5;
    const double e = random_exponential_double(words.zw), v = exp(-e);
    const double us = 0.5 - fabs(u);
    k = floor((2 * a / us + b) * u + mean);
    if (!(k >= 0 && k <= n)) continue;
    if (us >= 0.07 && v <= quick) break;
    const double distance = k - mode;
    if (log_scale - e - log(a / (us * us) + b) <=
        rest + distance * slope - (k + 0.5) * log1p(distance / (mode + 1)) -
            (n - k + 0.5) * log1p(-distance / (n - mode + 1)) - stirling_rest(k) - stirling_rest(n - k))
      break;
  }
  return (ulong)(flipped != 0 ? (long)n - (long)k : (long)k);
}
#endif
