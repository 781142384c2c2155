// SPDX-License-Identifier: MIT
// Points in the unit square by an integer hash; how many fall into the quarter circle.
uint hash(uint x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ x >> 16;
}

kernel void pi(global int *hits, int points, uint seed) {
  uint id = get_global_id(0);
  int count = 0;
  for (int i = 0; i < points; ++i) {
    const uint a = hash(seed + 2u * (id * (uint)points + i)), b = hash(seed + 2u * (id * (uint)points + i) + 1u);
    const float x = (a >> 8) * 0x1p-24f, y = (b >> 8) * 0x1p-24f;
    count += x * x + y * y < 1.0f;
  }
  atomic_add(hits, count);
}
