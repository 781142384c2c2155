// SPDX-License-Identifier: MIT
kernel void mandelbrot(global int *out, int width, int limit, float x0, float y0, float step) {
  int px = get_global_id(0), py = get_global_id(1);
  float cr = x0 + px * step, ci = y0 + py * step;
  float zr = 0, zi = 0;
  int n = 0;
  while (n < limit && zr * zr + zi * zi <= 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = t;
    n++;
  }
  out[py * width + px] = n;
}
