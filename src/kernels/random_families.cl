// SPDX-License-Identifier: MIT
// Real numbers of further distributions: functions of a position in the stream and of the parameters, as in
// random_each.cl. Logarithms of uniform numbers are computed as exponential numbers, which have the same bits
// on every device. A function whose name ends with _from computes the number from words or other numbers, for
// parameters within their domains; random_tiles.cl calls it, too.
//
// Parameters: those of random_each.cl, with GAMMA, and with COUNTS for distributions that need a count.

// First attempts for the numbers that one element needs. The ranges are so large that they do not overlap.
#define FIRST 1u
#define SECOND 0x40000001u
#define THIRD 0x80000001u

#ifdef GAMMA
#define PI_REAL ((REAL)3.14159265358979323846)

// The d of random_samplers.cl; for shape < 1 that of shape + 1.
REAL gamma_d(REAL shape) {
  return (shape < 1 ? shape + 1 : shape) - (REAL)1 / 3;
}

// Returns the gamma number for shape >= 1. For shape < 1 it must be multiplied by exp(-boost / shape), which
// may underflow.
REAL gamma_part(ulong place, uint stream, uint4 key, uint first, REAL shape, REAL *boost) {
  const REAL d = gamma_d(shape);
  return d * gamma_factor(place, stream, key, first, d, 1 / sqrt(9 * d), boost);
}

REAL gamma_number(ulong place, uint stream, uint4 key, uint first, REAL shape) {
  REAL boost;
  const REAL number = gamma_part(place, stream, key, first, shape, &boost);
  return shape < 1 ? number * exp(-boost / shape) : number;
}

// of_a / a - of_b / b for the boosts of shapes below 1, the logarithm of a factor of their gamma ratio.
REAL ratio_power_from(REAL of_a, REAL of_b, REAL a, REAL b) {
  if (a < 1 && b < 1) return a < b ? (of_a - of_b * (a / b)) / a : (of_a * (b / a) - of_b) / b;
  return a < 1 ? of_a / a : b < 1 ? -of_b / b : (REAL)0;
}

// The ratio of a gamma number of shape b to one of shape a, also if both underflow.
REAL gamma_ratio(ulong place, uint stream, uint4 key, REAL a, REAL b) {
  REAL of_a, of_b;
  const REAL x = gamma_part(place, stream, key, FIRST, a, &of_a);
  const REAL y = gamma_part(place, stream, key, SECOND, b, &of_b);
  return y / x * exp(ratio_power_from(of_a, of_b, a, b));
}

bool is_positive(REAL value) {
  return value > 0 && value < (REAL)INFINITY;
}

bool is_at_least_0(REAL value) {
  return value >= 0 && value < (REAL)INFINITY;
}

REAL beta_of(ulong place, uint stream, uint4 key, REAL a, REAL b) {
  if (!(is_positive(a) && is_positive(b))) return (REAL)NAN;
  return 1 / (1 + gamma_ratio(place, stream, key, a, b));
}

REAL f_of(ulong place, uint stream, uint4 key, REAL dfnum, REAL dfden) {
  if (!(is_positive(dfnum) && is_positive(dfden))) return (REAL)NAN;
  return gamma_ratio(place, stream, key, dfden / 2, dfnum / 2) * (dfden / dfnum);
}

REAL chisquare_of(ulong place, uint stream, uint4 key, REAL df) {
  return is_positive(df) ? 2 * gamma_number(place, stream, key, FIRST, df / 2) : (REAL)NAN;
}

// The logarithm of a gamma number of scale 1. Where even the logarithm overflows, the result is the lowest
// finite number.
REAL log_gamma_from(REAL part, REAL boost, REAL shape) {
  const REAL number = log(part), power = boost / shape;
#ifdef IN_DOUBLE
  return shape < 1 ? fmax(number - power, -1.7e308) : number;
#else
  return shape < 1 ? fmax(number - power, -3.4e38f) : number;
#endif
}

REAL log_gamma_of(ulong place, uint stream, uint4 key, REAL shape) {
  if (!is_at_least_0(shape)) return (REAL)NAN;
  if (shape == 0) return -(REAL)INFINITY;
  REAL boost;
  const REAL part = gamma_part(place, stream, key, FIRST, shape, &boost);
  return log_gamma_from(part, boost, shape);
}

REAL standard_t_from(REAL normal, REAL gamma, REAL df) {
  return normal * sqrt(df / 2 / gamma);
}

REAL standard_t_of(ulong place, uint stream, uint4 key, REAL df) {
  if (!is_positive(df)) return (REAL)NAN;
  const REAL normal = normal_number(place, stream, key, SECOND);
  return standard_t_from(normal, gamma_number(place, stream, key, FIRST, df / 2), df);
}

// The tangent of an angle below pi / 4 or its reciprocal, with a random sign.
REAL standard_cauchy_from(uint4 words) {
#ifdef IN_DOUBLE
  const double u = quern_middle((((ulong)words.y << 32) | words.x) >> 12);
#else
  const float u = fma((float)(int)(words.x >> 1), 0x1p-31f, 0x1p-32f);
#endif
  const REAL slope = tan(u * (PI_REAL / 4));
  const REAL result = (words.z & 1) != 0 ? slope : 1 / slope;
  return (words.z & 2) != 0 ? -result : result;
}

REAL standard_cauchy_of(ulong place, uint stream, uint4 key) {
  return standard_cauchy_from(block_for(place, stream, 1, key));
}

REAL gumbel_from(uint4 words, REAL loc, REAL scale) {
  return loc - scale * log(exponential_from(words));
}

REAL gumbel_of(ulong place, uint stream, uint4 key, REAL loc, REAL scale) {
  return is_at_least_0(scale) ? gumbel_from(block_for(place, stream, 1, key), loc, scale) : (REAL)NAN;
}

REAL laplace_from(uint4 words, REAL loc, REAL scale) {
  const REAL distance = scale * exponential_from(words);
  return loc + ((words.z & 1) != 0 ? distance : -distance);
}

REAL laplace_of(ulong place, uint stream, uint4 key, REAL loc, REAL scale) {
  return is_at_least_0(scale) ? laplace_from(block_for(place, stream, 1, key), loc, scale) : (REAL)NAN;
}

// ln u - ln (1 - u). The complements of the words give 1 - u.
REAL logistic_from(uint4 words, REAL loc, REAL scale) {
  return loc + scale * (exponential_from(~words) - exponential_from(words));
}

REAL logistic_of(ulong place, uint stream, uint4 key, REAL loc, REAL scale) {
  return is_at_least_0(scale) ? logistic_from(block_for(place, stream, 1, key), loc, scale) : (REAL)NAN;
}

// exp(x) - 1 for x >= 0 by Kahan's formula: the errors of exp and log cancel. Both have vector variants on the
// host, expm1 has none.
REAL expm1_from(REAL x) {
  const REAL power = exp(x);
  return power == 1 ? x : power < (REAL)INFINITY ? (power - 1) * x / log(power) : power;
}

REAL pareto_from(uint4 words, REAL a) {
  return expm1_from(exponential_from(words) / a);
}

REAL pareto_of(ulong place, uint stream, uint4 key, REAL a) {
  return is_positive(a) ? pareto_from(block_for(place, stream, 1, key), a) : (REAL)NAN;
}

REAL power_from(uint4 words, REAL a) {
  return exp(-exponential_from(words) / a);
}

REAL power_of(ulong place, uint stream, uint4 key, REAL a) {
  return is_positive(a) ? power_from(block_for(place, stream, 1, key), a) : (REAL)NAN;
}

REAL rayleigh_from(uint4 words, REAL scale) {
  return scale * sqrt(2 * exponential_from(words));
}

REAL rayleigh_of(ulong place, uint stream, uint4 key, REAL scale) {
  return is_at_least_0(scale) ? rayleigh_from(block_for(place, stream, 1, key), scale) : (REAL)NAN;
}

REAL weibull_from(uint4 words, REAL a) {
  return pow(exponential_from(words), 1 / a);
}

REAL weibull_of(ulong place, uint stream, uint4 key, REAL a) {
  if (!is_at_least_0(a)) return (REAL)NAN;
  return a == 0 ? 0 : weibull_from(block_for(place, stream, 1, key), a);
}

REAL triangular_from(uint4 words, REAL left, REAL mode, REAL right) {
  const REAL u = uniform_from(words), width = right - left, share = (mode - left) / width;
  const bool is_left = u <= share;
  const REAL distance = sqrt(is_left ? u * share : (1 - u) * ((right - mode) / width)) * width;
  return is_left ? left + distance : right - distance;
}

REAL triangular_of(ulong place, uint stream, uint4 key, REAL left, REAL mode, REAL right) {
  if (!(left <= mode && mode <= right && left < right && right - left < (REAL)INFINITY)) return (REAL)NAN;
  return triangular_from(block_for(place, stream, 1, key), left, mode, right);
}

// Best and Fisher: Efficient simulation of the von Mises distribution, 1979. 1 - rho, s - 1 and 1 - w are
// computed without subtraction from 1, so that small and large kappa lose no digits.
REAL vonmises_s1(REAL kappa) {
  const REAL q = hypot((REAL)1, 2 * kappa), r = 1 + q, root = sqrt(2 * r);
  const REAL rho = 2 * kappa / (r + root), rest = (1 + 1 / (q + 2 * kappa) + root) / (r + root);
  return rest * rest / (2 * rho);  // s - 1
}

// One attempt; returns whether it succeeds. w1 receives 1 - w.
bool vonmises_attempt(uint4 words, REAL kappa, REAL s1, REAL *w1) {
#ifdef IN_DOUBLE
  const double u = random_uniform_double(words.xy), e = random_exponential_double(words.zw);
#else
  const float u = random_uniform(words.x), e = random_exponential(words.y);
#endif
  const REAL half_sine = sin(u * (PI_REAL / 2));
  const REAL z1 = 2 * half_sine * half_sine;      // 1 - z, z = cos(pi u)
  const REAL rest = s1 * z1 / (s1 + 2 - z1);      // 1 - w
  const REAL y = kappa * (s1 + rest);             // kappa (s - w)
  *w1 = rest;
  return log(y) + e + 1 - y >= 0;
}

REAL vonmises_angle_from(REAL w1, uint4 words) {
  const REAL angle = 2 * asin(fmin(sqrt(w1 / 2), (REAL)1));
  return (words.x & 1) != 0 ? -angle : angle;
}

REAL vonmises_from(REAL mu, REAL angle) {
  const REAL sum = mu + angle;
  return fabs(sum) <= PI_REAL ? sum : sum - 2 * PI_REAL * rint(sum / (2 * PI_REAL));
}

REAL vonmises_of(ulong place, uint stream, uint4 key, REAL mu, REAL kappa) {
  if (!(is_at_least_0(kappa) && mu - mu == 0)) return (REAL)NAN;
  REAL angle = 0;
  if (kappa < (REAL)0x1p-60f) {
    // For so small a kappa the distribution is uniform to within the resolution of a word.
    angle = PI_REAL * (2 * uniform_number(place, stream, key, FIRST) - 1);
  } else if (kappa > (REAL)1e30f) {
    // For so large a kappa the distribution is normal to within a relative error of 1 / kappa, which is below
    // the precision.
    angle = normal_number(place, stream, key, FIRST) / sqrt(kappa);
  } else {
    const REAL s1 = vonmises_s1(kappa);
    REAL w1;
    uint attempt = FIRST;
    while (!vonmises_attempt(block_for(place, stream, attempt, key), kappa, s1, &w1)) ++attempt;
    angle = vonmises_angle_from(w1, block_for(place, stream, THIRD, key));
  }
  return vonmises_from(mu, angle);
}

// Michael, Schucany and Haas: Generating random variates using transformations with multiple roots, 1976. The
// smaller root is written without cancellation.
REAL wald_from(REAL normal, REAL u, REAL mean, REAL scale) {
  const REAL y = mean * normal * normal;
  const REAL sum = sqrt(y) + sqrt(y + 4 * scale), share = 4 * scale / (sum * sum);  // the root divided by the mean
  return u * (1 + share) <= 1 ? mean * share : mean / share;
}

REAL wald_of(ulong place, uint stream, uint4 key, REAL mean, REAL scale) {
  if (!(is_positive(mean) && is_positive(scale))) return (REAL)NAN;
  const REAL normal = normal_number(place, stream, key, FIRST);
  return wald_from(normal, uniform_number(place, stream, key, SECOND), mean, scale);
}

#ifdef COUNTS
REAL noncentral_number(ulong place, uint stream, uint4 key, REAL df, REAL nonc) {
  if (nonc == 0) return 2 * gamma_number(place, stream, key, FIRST, df / 2);
  if (df > 1) {
    const REAL shifted = normal_number(place, stream, key, SECOND) + sqrt(nonc);
    return 2 * gamma_number(place, stream, key, FIRST, (df - 1) / 2) + shifted * shifted;
  }
  return 2 * gamma_number(place, stream, key, FIRST,
                          df / 2 + (REAL)poisson_number(place, stream, key, SECOND, (double)nonc / 2));
}

REAL noncentral_chisquare_of(ulong place, uint stream, uint4 key, REAL df, REAL nonc) {
  return is_positive(df) && is_at_least_0(nonc) ? noncentral_number(place, stream, key, df, nonc) : (REAL)NAN;
}

REAL noncentral_f_of(ulong place, uint stream, uint4 key, REAL dfnum, REAL dfden, REAL nonc) {
  if (!(is_positive(dfnum) && is_positive(dfden) && is_at_least_0(nonc))) return (REAL)NAN;
  return noncentral_number(place, stream, key, dfnum, nonc) * (dfden / dfnum) /
         (2 * gamma_number(place, stream, key, THIRD, dfden / 2));
}
#endif
#endif
