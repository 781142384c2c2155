// SPDX-License-Identifier: MIT
// Real numbers of further distributions: functions of a position in the stream and of the parameters, as in
// random_each.cl. Logarithms of uniform numbers are computed as exponential numbers, which have the same bits
// on every device.
//
// Parameters: those of random_each.cl, with GAMMA, and with COUNTS for distributions that need a count.

// First attempts for the numbers that one element needs. The ranges are so large that they do not overlap.
#define FIRST 1u
#define SECOND 0x40000001u
#define THIRD 0x80000001u

#ifdef GAMMA
#define PI_REAL ((REAL)3.14159265358979323846)

// Returns the gamma number for shape >= 1. For shape < 1 it must be multiplied by exp(-boost / shape), which
// may underflow.
REAL gamma_part(ulong place, uint stream, uint4 key, uint first, REAL shape, REAL *boost) {
  const REAL d = (shape < 1 ? shape + 1 : shape) - (REAL)1 / 3;
  return d * gamma_factor(place, stream, key, first, d, 1 / sqrt(9 * d), boost);
}

REAL gamma_number(ulong place, uint stream, uint4 key, uint first, REAL shape) {
  REAL boost;
  const REAL number = gamma_part(place, stream, key, first, shape, &boost);
  return shape < 1 ? number * exp(-boost / shape) : number;
}

// The ratio of a gamma number of shape b to one of shape a, also if both underflow.
REAL gamma_ratio(ulong place, uint stream, uint4 key, REAL a, REAL b) {
  REAL of_a, of_b;
  const REAL x = gamma_part(place, stream, key, FIRST, a, &of_a);
  const REAL y = gamma_part(place, stream, key, SECOND, b, &of_b);
  REAL power = 0;  // of_a / a - of_b / b
  if (a < 1 && b < 1)
    power = a < b ? (of_a - of_b * (a / b)) / a : (of_a * (b / a) - of_b) / b;
  else if (a < 1)
    power = of_a / a;
  else if (b < 1)
    power = -of_b / b;
  return y / x * exp(power);
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
REAL log_gamma_of(ulong place, uint stream, uint4 key, REAL shape) {
  if (!is_at_least_0(shape)) return (REAL)NAN;
  if (shape == 0) return -(REAL)INFINITY;
  REAL boost;
  const REAL number = log(gamma_part(place, stream, key, FIRST, shape, &boost));
  if (!(shape < 1)) return number;
  const REAL power = boost / shape;
#ifdef IN_DOUBLE
  return fmax(number - power, -1.7e308);
#else
  return fmax(number - power, -3.4e38f);
#endif
}

REAL standard_t_of(ulong place, uint stream, uint4 key, REAL df) {
  if (!is_positive(df)) return (REAL)NAN;
  const REAL normal = normal_number(place, stream, key, SECOND);
  return normal * sqrt(df / 2 / gamma_number(place, stream, key, FIRST, df / 2));
}

// The tangent of an angle below pi / 4 or its reciprocal, with a random sign.
REAL standard_cauchy_of(ulong place, uint stream, uint4 key) {
  const uint4 words = block_for(place, stream, 1, key);
#ifdef IN_DOUBLE
  const double u = quern_middle((((ulong)words.y << 32) | words.x) >> 12);
#else
  const float u = fma((float)(int)(words.x >> 1), 0x1p-31f, 0x1p-32f);
#endif
  const REAL slope = tan(u * (PI_REAL / 4));
  const REAL result = (words.z & 1) != 0 ? slope : 1 / slope;
  return (words.z & 2) != 0 ? -result : result;
}

REAL gumbel_of(ulong place, uint stream, uint4 key, REAL loc, REAL scale) {
  return is_at_least_0(scale) ? loc - scale * log(exponential_number(place, stream, key, 1)) : (REAL)NAN;
}

REAL laplace_of(ulong place, uint stream, uint4 key, REAL loc, REAL scale) {
  if (!is_at_least_0(scale)) return (REAL)NAN;
  const REAL distance = scale * exponential_number(place, stream, key, 1);
  return (block_for(place, stream, 1, key).z & 1) != 0 ? loc + distance : loc - distance;
}

REAL logistic_of(ulong place, uint stream, uint4 key, REAL loc, REAL scale) {
  if (!is_at_least_0(scale)) return (REAL)NAN;
  const REAL e = exponential_number(place, stream, key, 1);
  return loc - scale * (e + log(-expm1(-e)));
}

REAL pareto_of(ulong place, uint stream, uint4 key, REAL a) {
  return is_positive(a) ? expm1(exponential_number(place, stream, key, 1) / a) : (REAL)NAN;
}

REAL power_of(ulong place, uint stream, uint4 key, REAL a) {
  return is_positive(a) ? exp(-exponential_number(place, stream, key, 1) / a) : (REAL)NAN;
}

REAL rayleigh_of(ulong place, uint stream, uint4 key, REAL scale) {
  return is_at_least_0(scale) ? scale * sqrt(2 * exponential_number(place, stream, key, 1)) : (REAL)NAN;
}

REAL weibull_of(ulong place, uint stream, uint4 key, REAL a) {
  if (!is_at_least_0(a)) return (REAL)NAN;
  return a == 0 ? 0 : pow(exponential_number(place, stream, key, 1), 1 / a);
}

REAL triangular_of(ulong place, uint stream, uint4 key, REAL left, REAL mode, REAL right) {
  if (!(left <= mode && mode <= right && left < right && right - left < (REAL)INFINITY)) return (REAL)NAN;
  const REAL u = uniform_number(place, stream, key, 1), share = (mode - left) / (right - left);
  return u <= share ? left + sqrt(u * share) * (right - left)
                    : right - sqrt((1 - u) * ((right - mode) / (right - left))) * (right - left);
}

// Best and Fisher: Efficient simulation of the von Mises distribution, 1979. 1 - rho, s - 1 and 1 - w are
// computed without subtraction from 1, so that small and large kappa lose no digits.
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
    const REAL q = hypot((REAL)1, 2 * kappa), r = 1 + q, root = sqrt(2 * r);
    const REAL rho = 2 * kappa / (r + root), rest = (1 + 1 / (q + 2 * kappa) + root) / (r + root);
    const REAL s1 = rest * rest / (2 * rho);  // s - 1
    for (uint attempt = FIRST;; ++attempt) {
      const uint4 words = block_for(place, stream, attempt, key);
#ifdef IN_DOUBLE
      const double u = random_uniform_double(words.xy), e = random_exponential_double(words.zw);
#else
      const float u = random_uniform(words.x), e = random_exponential(words.y);
#endif
      const REAL half_sine = sin(u * (PI_REAL / 2));
      const REAL z1 = 2 * half_sine * half_sine;    // 1 - z, z = cos(pi u)
      const REAL w1 = s1 * z1 / (s1 + 2 - z1);      // 1 - w
      const REAL y = kappa * (s1 + w1);             // kappa (s - w)
      if (!(log(y) + e + 1 - y >= 0)) continue;
      angle = 2 * asin(fmin(sqrt(w1 / 2), (REAL)1));
      if ((block_for(place, stream, THIRD, key).x & 1) != 0) angle = -angle;
      break;
    }
  }
  const REAL sum = mu + angle;
  return fabs(sum) <= PI_REAL ? sum : sum - 2 * PI_REAL * rint(sum / (2 * PI_REAL));
}

// Michael, Schucany and Haas: Generating random variates using transformations with multiple roots, 1976. The
// smaller root is written without cancellation.
REAL wald_of(ulong place, uint stream, uint4 key, REAL mean, REAL scale) {
  if (!(is_positive(mean) && is_positive(scale))) return (REAL)NAN;
  const REAL normal = normal_number(place, stream, key, FIRST), y = mean * normal * normal;
  const REAL sum = sqrt(y) + sqrt(y + 4 * scale), share = 4 * scale / (sum * sum);  // the root divided by the mean
  return uniform_number(place, stream, key, SECOND) * (1 + share) <= 1 ? mean * share : mean / share;
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
