// SPDX-License-Identifier: MIT
// Prices of European options after Black and Scholes, with a polynomial for the normal distribution.
float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  const float tail = 0.39894228040143267794f * exp(-0.5f * d * d) *
                     (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float *price, global const float *strike, global const float *years,
                          float rate, float volatility, global float *call, global float *put) {
  const int i = get_global_id(0);
  const float s = price[i], x = strike[i], t = years[i];
  const float spread = volatility * sqrt(t);
  const float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
  const float d2 = d1 - spread;
  const float discounted = x * exp(-rate * t);
  const float n1 = normal_distribution(d1), n2 = normal_distribution(d2);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
