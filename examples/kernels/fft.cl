// SPDX-License-Identifier: MIT
// Complex transforms of SIZE points, one for each work-group of SIZE / 2 work-items: radix-2 butterflies after Stockham,
// which leaves the results in order without reversing bits.
#ifndef SIZE
#define SIZE 256
#endif

float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

kernel __attribute__((reqd_work_group_size(SIZE / 2, 1, 1))) void fft(global const float2 *in, global float2 *out) {
  local float2 points[SIZE];
  const int id = get_local_id(0), base = SIZE * get_group_id(0);
  points[id] = in[base + id];
  points[id + SIZE / 2] = in[base + id + SIZE / 2];
  for (int span = 1; span < SIZE; span *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const float2 even = points[id], odd = points[id + SIZE / 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int k = id & (span - 1);
    float cosine;
    const float sine = sincos(-M_PI_F * k / span, &cosine);
    const float2 turned = times(odd, (float2)(cosine, sine));
    const int at = 2 * id - k;
    points[at] = even + turned;
    points[at + span] = even - turned;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + id] = points[id];
  out[base + id + SIZE / 2] = points[id + SIZE / 2];
}
