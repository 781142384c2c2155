// SPDX-License-Identifier: MIT
struct header {
  unsigned kind : 3;
  int level : 5;
  unsigned : 0;
  uchar flag : 1, rest : 7;
  short tail;
  ulong wide : 40;
};

struct variant {
  int tag;
  union {
    int whole;
    float real;
    struct {
      short low, high;
    };
  };
};

typedef struct __attribute__((packed)) {
  char c;
  int i __attribute__((aligned(4)));
  char d;
  float f;
} mixed;

kernel void bit_fields(global struct header *all, global int *out) {
  size_t i = get_global_id(0);
  global struct header *h = all + i;
  h->kind = (uint)i;
  h->level = (int)i - 20;
  h->level += 1;
  h->flag ^= 1;
  h->rest++;
  h->wide = (ulong)i << 38 | 5;
  struct header copy = {.kind = 1, .tail = 7};
  struct header listed = {2, -3, 1, 9, 4, 77};
  out[4 * i] = h->kind + 10 * h->level + 1000 * copy.tail + (h->kind - 5 < 0 ? 100000 : 0);
  out[4 * i + 1] = (int)sizeof(struct header) + copy.kind;
  out[4 * i + 2] = listed.kind * 100 + listed.level * 10 + listed.rest + (int)listed.wide;
  out[4 * i + 3] = h->flag + 2 * h->rest + (int)(h->wide >> 36);
}

kernel void unnamed_members(global struct variant *all, global int *out) {
  size_t i = get_global_id(0);
  struct variant v = {.tag = 3, .real = 1.5f};
  struct variant w = {1, {(int)i}};
  struct variant x = {.low = 5, .high = (short)i};
  all[i] = i & 1 ? v : w;
  all[i].tag += x.high;
  global struct variant *p = &all[i];
  out[i] = p->whole + (p->low ^ p->high) + x.whole + as_int(v.real);
}

kernel void layouts(global int *out) {
  mixed m = {1, 2, 3, 4.0f};
  union { float f; int i; uchar4 bytes; } u = {.bytes = (uchar4)(1, 2, 3, 4)};
  char odd __attribute__((aligned(16))) = 3;
  out[0] = sizeof(mixed);
  out[1] = (int)((char *)&m.i - (char *)&m);
  out[2] = (int)((char *)&m.f - (char *)&m);
  out[3] = u.i;
  out[4] = (int)((size_t)&odd & 15) + odd;
  out[5] = sizeof(struct variant);
}
