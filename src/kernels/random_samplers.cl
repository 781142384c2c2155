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
// Numbers of one block of words.
REAL uniform_from(uint4 words) {
#ifdef IN_DOUBLE
  return random_uniform_double(words.xy);
#else
  return random_uniform(words.x);
#endif
}

REAL normal_from(uint4 words) {
#ifdef IN_DOUBLE
  return random_normal2_double(words).x;
#else
  return random_normal2(words.xy).x;
#endif
}

REAL exponential_from(uint4 words) {
#ifdef IN_DOUBLE
  return random_exponential_double(words.xy);
#else
  return random_exponential(words.x);
#endif
}

// An exponential number that is independent of exponential_from.
REAL other_exponential_from(uint4 words) {
#ifdef IN_DOUBLE
  return random_exponential_double(words.zw);
#else
  return random_exponential(words.y);
#endif
}

// Marsaglia and Tsang: A simple method for generating gamma variables, 2000. One attempt; returns whether it
// succeeds. Then v d is a gamma number of shape d + 1/3, with c = 1 / sqrt(9 d).
bool gamma_attempt(uint4 words, uint4 more, REAL d, REAL c, REAL *v) {
  const REAL x = normal_from(words), root = (REAL)1 + c * x, cube = root * root * root;
  *v = cube;
  // -e is the logarithm of a uniform number. The logarithm of a negative number is NaN: the attempt fails.
  const REAL e = exponential_from(more);
  return -e < (REAL)0.5f * x * x + d * ((REAL)1 - cube + log(cube));
}

// The v of the first attempt that succeeds. `boost` receives an independent exponential number.
REAL gamma_factor(ulong place, uint stream, uint4 key, uint first, REAL d, REAL c, REAL *boost) {
  for (uint attempt = first;; attempt += 2) {
    const uint4 words = block_for(place, stream, attempt, key);
    const uint4 more = block_for(place, stream, attempt + 1, key);
    REAL v;
    if (!gamma_attempt(words, more, d, c, &v)) continue;
    *boost = other_exponential_from(more);
    return v;
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

// A proposal of transformed rejection: u in [-1/2, 1/2), and v in (0, 1) with its exponential number e = -ln v.
double proposed_u(uint4 words) {
  return random_uniform_double(words.xy) - 0.5;
}

double proposed_v(uint4 words) {
  return quern_middle((((ulong)words.w << 32) | words.z) >> 12);
}

// The count of a proposal. `centre` is the mean plus a part of 1.
double proposed_count(double u, double a, double b, double centre) {
  return floor((2 * a / (0.5 - fabs(u)) + b) * u + centre);
}

// Most proposals are accepted by this test, which needs no logarithm.
bool is_quick(double u, double v, double quick) {
  return 0.5 - fabs(u) >= 0.07 && v <= quick;
}

// Logarithms of probabilities are differences of large numbers. The formulas contain no terms that cancel, so
// that means of 10^15 are as accurate as small ones.
double poisson_at(ulong place, uint stream, uint4 key, uint first, double rate, double a, double b, double quick,
                  double log_scale) {
  double k = 0;
  for (uint attempt = first;; ++attempt) {
    const uint4 words = block_for(place, stream, attempt, key);
    const double u = proposed_u(words), v = proposed_v(words), us = 0.5 - fabs(u);
    k = proposed_count(u, a, b, rate + 0.43);
    if (is_quick(u, v, quick)) break;
    if (!(k >= 0) || (us < 0.013 && v > us)) continue;
    const double e = random_exponential_double(words.zw);
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
    const double u = proposed_u(words), v = proposed_v(words), us = 0.5 - fabs(u);
    k = proposed_count(u, a, b, mean);
    if (!(k >= 0 && k <= n)) continue;
    if (is_quick(u, v, quick)) break;
    const double e = random_exponential_double(words.zw), distance = k - mode;
    if (log_scale - e - log(a / (us * us) + b) <=
        rest + distance * slope - (k + 0.5) * log1p(distance / (mode + 1)) -
            (n - k + 0.5) * log1p(-distance / (n - mode + 1)) - stirling_rest(k) - stirling_rest(n - k))
      break;
  }
  return (ulong)(flipped != 0 ? (long)n - (long)k : (long)k);
}
#endif
