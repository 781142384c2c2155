// SPDX-License-Identifier: MIT
// How many steps each point of a grid stays within the circle of radius 2.
kernel void mandelbrot(global int *steps, int width, float left, float top, float scale, int limit) {
  const int column = get_global_id(0), row = get_global_id(1);
  const float cx = left + scale * column, cy = top + scale * row;
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (n < limit && x * x + y * y <= 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    n++;
  }
  steps[row * width + column] = n;
}
