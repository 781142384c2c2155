// SPDX-License-Identifier: MIT
struct vec {
  float x, y, z;
};
typedef struct particle {
  struct vec position, velocity;
  float mass;
  int alive;
  uchar tags[4];
} particle;
union bits {
  float f;
  uint u;
};
enum state { dead, moving = 3, resting };

static struct vec add(struct vec a, const struct vec b) {
  a.x += b.x, a.y += b.y, a.z += b.z;
  return a;
}

void advance(__global particle *p, float dt) {
  struct vec d = {.z = p->velocity.z * dt, .x = p->velocity.x * dt, .y = p->velocity.y * dt};
  p->position = add(p->position, d);
}

kernel void step(global particle *all, float dt, global uint *bits_of_mass) {
  size_t i = get_global_id(0);
  global particle *p = &all[i];
  union bits b;
  if (p->alive == dead) return;
  advance(p, dt);
  (*p).alive = p->velocity.x == 0 ? resting : moving;
  p->tags[i & 3] += (uchar)sizeof(particle);
  b.f = p->mass;
  bits_of_mass[i] = b.u;
}
