// SPDX-License-Identifier: MIT
// Which pixels lie inside a polygon: a ray to the right crosses its edges an odd number of times.
typedef struct {
  float x, y;
} point;

int crosses(point p, point a, point b) {
  if ((a.y > p.y) == (b.y > p.y)) return 0;
  return p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x;
}

kernel void polygon_mask(global const point *corners, int count, int width, int height, global uchar *mask) {
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  if (column >= width || row >= height) return;
  const point p = {(column + 0.5f) / width, (row + 0.5f) / height};
  int inside = 0;
  for (int i = 0, j = count - 1; i < count; j = i++) inside ^= crosses(p, corners[i], corners[j]);
  mask[row * width + column] = inside;
}

kernel void polygon_mask_constant(constant float2 *corners, int count, int width, int height, global uchar *mask) {
  const int column = get_global_id(0), row = get_global_id(1);
  if (column < width && row < height) {
    const float2 p = (float2)((column + 0.5f) / width, (row + 0.5f) / height);
    bool inside = false;
    for (int i = 0, j = count - 1; i < count; j = i++) {
      const float2 a = corners[i], b = corners[j];
      if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) inside = !inside;
    }
    mask[row * width + column] = inside ? 1 : 0;
  }
}
