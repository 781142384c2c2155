// SPDX-License-Identifier: MIT
// Integers of further distributions. Needs random_families.cl. The result is -1 if the parameters are outside
// the distribution's domain or if the number does not fit its type.
//
// Parameters: those of random_each.cl, with GAMMA and COUNTS, and REAL as double.

#ifdef COUNTS
ulong counted(double number) {
  return number <= MOST ? (ulong)number : (ulong)-1;
}

// The number of trials up to the first success, by inversion; rate is -ln(1 - p).
double geometric_from(uint4 words, double rate) {
  return floor(exponential_from(words) / rate) + 1;
}

ulong geometric_of(ulong place, uint stream, uint4 key, double p) {
  if (!(p > 0 && p <= 1)) return (ulong)-1;
  return counted(geometric_from(block_for(place, stream, 1, key), -log1p(-p)));
}

// Kemp: Efficient generation of logarithmically distributed pseudo-random variables, 1981.
ulong logseries_from(uint4 words, double p, double log_rest) {
  const double v = random_uniform_double(words.xy) + 0x1p-54;
  if (v >= p) return 1;
  const double rest = exp(random_uniform_double(words.zw) * log_rest), q = 1 - rest;
  if (v <= q * q) return counted(floor(1 + log(v) / log1p(-rest)));
  return v >= q ? 1 : 2;
}

ulong logseries_of(ulong place, uint stream, uint4 key, double p) {
  if (!(p >= 0 && p < 1)) return (ulong)-1;
  return logseries_from(block_for(place, stream, 1, key), p, log1p(-p));
}

ulong negative_binomial_of(ulong place, uint stream, uint4 key, double n, double p) {
  if (!(is_positive(n) && p > 0 && p <= 1)) return (ulong)-1;
  const double rate = gamma_number(place, stream, key, FIRST, n) * ((1 - p) / p);
  return rate < 0x1p62 ? counted(poisson_number(place, stream, key, SECOND, rate)) : (ulong)-1;
}

// Devroye: Non-uniform random variate generation, 1986, X.6.1, restricted to numbers below 2^63.
#define ZIPF_MOST 9223372036854774784.0
ulong zipf_of(ulong place, uint stream, uint4 key, double a) {
  if (!(a > 1)) return (ulong)-1;
  if (a >= 1025) return 1;  // 2 has a probability of 2^-1025
  const double power = a - 1, range = expm1(-power * log(ZIPF_MOST)), scale = expm1(power * 0.69314718055994531);
  for (uint attempt = 1;; ++attempt) {
    const uint4 words = block_for(place, stream, attempt, key);
    const double x = floor(exp(-log1p(random_uniform_double(words.xy) * range) / power));
    if (!(x >= 1 && x <= ZIPF_MOST)) continue;
    const double growth = expm1(power * log1p(1 / x));
    if (random_uniform_double(words.zw) * x * growth / scale <= (1 + growth) / (1 + scale)) return counted(x);
  }
}

// ln m! - ln (m + step)!, without the terms that cancel in the sum of the four factorials of the probability.
double factorial_change(double m, double step) {
  return stirling_rest(m) - stirling_rest(m + step) - (m + step + 0.5) * log1p(step / (m + 1));
}

// Ratio of uniforms. Stadlober: The ratio of uniforms approach for generating discrete random variates, 1990.
double hypergeometric_ratio(ulong place, uint stream, uint4 key, double rarer, double other, double sample) {
  const double all = rarer + other, p = rarer / all, mean = sample * p;
  const double c = sqrt((all - sample) * sample * p * (other / all) / (all - 1) + 0.5);
  const double h = 1.7155277699214135 * c + 0.8989161620588988;  // 2 sqrt(2 / e), 3 - 2 sqrt(3 / e)
  const double mode = floor((sample + 1) * (rarer + 1) / (all + 2));
  const double last = fmin(fmin(sample, rarer) + 1, floor(mean + 0.5 + 16 * c));
  const double slope = log((rarer - mode + 1) / (mode + 1)) + log((sample - mode + 1) / (other - sample + mode + 1));
  for (uint attempt = 1;; ++attempt) {
    const uint4 words = block_for(place, stream, attempt, key);
    const double e = random_exponential_double(words.xy), v = random_uniform_double(words.zw);
    const double x = mean + 0.5 + h * (v - 0.5) * exp(e);
    if (!(x >= 0 && x < last)) continue;
    const double k = floor(x), step = k - mode;
    const double change = step * slope + factorial_change(mode, step) + factorial_change(rarer - mode, -step) +
                          factorial_change(sample - mode, -step) +
                          factorial_change(other - sample + mode, step);
    if (-2 * e <= change) return k;
  }
}

// The number of good elements in a sample without replacement. Small samples are drawn one element at a time.
ulong hypergeometric_of(ulong place, uint stream, uint4 key, double good, double bad, double sample) {
  if (!(good >= 0 && bad >= 0 && sample >= 0 && good < 1e9 && bad < 1e9 && sample <= good + bad)) return (ulong)-1;
  good = floor(good), bad = floor(bad), sample = floor(sample);
  const double all = good + bad, taken = fmin(sample, all - sample);
  double count = 0;  // good elements drawn so far; the drawn elements are the sample or its complement
  if (taken < 10) {
    double left = good;
    for (uint step = 0; step < (uint)taken; ++step) {
      const double u = random_uniform_double(block_for(place, stream, 1 + step, key).xy);
      if (u * (all - step) < left) left -= 1;
    }
    count = good - left;
  } else {
    count = hypergeometric_ratio(place, stream, key, fmin(good, bad), fmax(good, bad), taken);
    if (good > bad) count = taken - count;
  }
  return counted(taken < sample ? good - count : count);
}
#endif
