// SPDX-License-Identifier: MIT
// The loops that classic kernels are measured against on the host, written with OpenMP by hand.
#include <chrono>
#include <cmath>
#include <cstddef>

namespace {

using Clock = std::chrono::steady_clock;

template <class Work>
double seconds_for(int calls, const Work& work) {
  const auto start = Clock::now();
  for (int call = 0; call < calls; call++) work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

#pragma omp declare simd notinbranch
float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
  const float tail =
      0.39894228040143267794f * std::exp(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - tail : tail;
}

}  // namespace

extern "C" double black_scholes(const float* price, const float* strike, const float* years, float rate,
                                float volatility, float* call, float* put, size_t count, int calls) {
  return seconds_for(calls, [=] {
#pragma omp parallel for simd
    for (size_t i = 0; i < count; i++) {
      const float s = price[i], x = strike[i], t = years[i];
      const float spread = volatility * std::sqrt(t);
      const float d1 = (std::log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
      const float d2 = d1 - spread;
      const float discounted = x * std::exp(-rate * t);
      const float n1 = normal_distribution(d1), n2 = normal_distribution(d2);
      call[i] = s * n1 - discounted * n2;
      put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
    }
  });
}

// A block of neighbours at a time, some steps between the looks at whether any is still inside.
extern "C" double mandelbrot(int* steps, int width, int height, float left, float top, float scale, int limit,
                             int calls) {
  constexpr int kBlock = 32, kSteps = 4;  // divide the width and the limit
  return seconds_for(calls, [=] {
#pragma omp parallel for schedule(dynamic, 4)
    for (int row = 0; row < height; row++) {
      const float cy = top + scale * static_cast<float>(row);
      for (int first = 0; first < width; first += kBlock) {
        float x[kBlock] = {}, y[kBlock] = {}, cx[kBlock];
        int n[kBlock] = {};
        for (int i = 0; i < kBlock; i++) cx[i] = left + scale * static_cast<float>(first + i);
        for (int step = 0; step < limit; step += kSteps) {
#pragma omp simd
          for (int i = 0; i < kBlock; i++) {
            float u = x[i], v = y[i];
            int count = n[i];
            for (int k = 0; k < kSteps; k++) {
              const int stays = u * u + v * v <= 4.0f;
              const float next = u * u - v * v + cx[i], other = 2.0f * u * v + cy;
              u = stays ? next : u;
              v = stays ? other : v;
              count += stays;
            }
            x[i] = u, y[i] = v, n[i] = count;
          }
          int inside = 0;
          for (int i = 0; i < kBlock; i++) inside |= x[i] * x[i] + y[i] * y[i] <= 4.0f;
          if (!inside) break;
        }
        for (int i = 0; i < kBlock; i++) steps[row * width + first + i] = n[i];
      }
    }
  });
}

// Positions as structures of four floats, as the kernel has them.
extern "C" double nbody(const float* position, float* velocity, float* moved, int count, float dt,
                        float softening, int calls) {
  return seconds_for(calls, [=] {
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
      const float* p = position + 4 * i;
      float fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
      for (int j = 0; j < count; j++) {
        const float* q = position + 4 * j;
        const float dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
        const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
        const float pull = q[3] * inverse * inverse * inverse;
        fx += dx * pull, fy += dy * pull, fz += dz * pull;
      }
      float* v = velocity + 4 * i;
      v[0] += fx * dt, v[1] += fy * dt, v[2] += fz * dt;
      for (int k = 0; k < 3; k++) moved[4 * i + k] = p[k] + v[k] * dt;
      moved[4 * i + 3] = p[3];
    }
  });
}
