// SPDX-License-Identifier: MIT
// Correctly rounded results are compared bit by bit, the others within OpenCL's bounds.
kernel void exact(global const float *x, global const float *y, global float *out) {
  int i = get_global_id(0);
  float a = x[i], b = y[i];
  int n = 24 * i;
  out[n++] = sqrt(fabs(a)); out[n++] = a / b; out[n++] = fma(a, b, 1.0f); out[n++] = floor(a); out[n++] = ceil(a);
  out[n++] = trunc(a); out[n++] = round(a); out[n++] = rint(a); out[n++] = fmin(a, b); out[n++] = fmax(a, 0.0);
  out[n++] = fmod(a, b); out[n++] = copysign(a, b); out[n++] = clamp(a, -1.0f, 1.0f); out[n++] = sign(a);
  out[n++] = step(a, b); out[n++] = isnan(a) + 2 * isinf(b) + 4 * (signbit(a) != 0); out[n++] = max(a, b);
  out[n++] = ldexp(a, 3); out[n++] = as_float(as_int(a) ^ 1); out[n++] = convert_int(a); out[n++] = convert_int_rte(a);
  out[n++] = isless(a, b) + 2 * isfinite(a) + 4 * isequal(a, a); out[n++] = select(a, b, a < b); out[n++] = nextafter(a, b);
}
kernel void bounded(global const float *x, global float *out) {
  int i = get_global_id(0);
  float a = x[i];
  int n = 16 * i;
  out[n++] = sin(a); out[n++] = cos(a); out[n++] = tan(a); out[n++] = exp(a); out[n++] = log(fabs(a)); out[n++] = pow(fabs(a), 1.5f);
  out[n++] = atan2(a, 2.0f); out[n++] = hypot(a, 3.0f); out[n++] = exp2(a); out[n++] = log2(fabs(a)); out[n++] = cbrt(a);
  out[n++] = tanh(a); out[n++] = erf(a); out[n++] = rsqrt(fabs(a)); out[n++] = mix(a, 2.0f, 0.25f); out[n++] = degrees(radians(a));
}
kernel void black_scholes(global const float *price, global const float *strike, global float *call, float r, float v, float t) {
  int i = get_global_id(0);
  float s = price[i], k = strike[i];
  float d1 = (log(s / k) + (r + 0.5f * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
  float a1 = 1.0f / (1.0f + 0.2316419f * fabs(d1)), a2 = 1.0f / (1.0f + 0.2316419f * fabs(d2));
  float p1 = a1 * (0.31938153f + a1 * (-0.356563782f + a1 * (1.781477937f + a1 * (-1.821255978f + a1 * 1.330274429f))));
  float p2 = a2 * (0.31938153f + a2 * (-0.356563782f + a2 * (1.781477937f + a2 * (-1.821255978f + a2 * 1.330274429f))));
  float n1 = 0.39894228f * exp(-0.5f * d1 * d1) * p1, n2 = 0.39894228f * exp(-0.5f * d2 * d2) * p2;
  n1 = d1 > 0 ? 1.0f - n1 : n1;
  n2 = d2 > 0 ? 1.0f - n2 : n2;
  call[i] = s * n1 - k * exp(-r * t) * n2;
}
