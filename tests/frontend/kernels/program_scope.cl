// SPDX-License-Identifier: MIT
__constant int primes[] = {2, 3, 5, 7};
constant float4 axis = (float4)(1, 2, 3, 4) * 2.0f - (float4)(0.5f);
__constant char message[] = "abc";
__constant int *first_prime = &primes[1];
global int counter = 40;
static global float history[4] = {1.0f, 2.0f};
global int *where = &counter;
int plain[2];

void note(int i) {
  static int calls = 100;
  atomic_inc((volatile global int *)&calls);
  plain[i & 1] = i;
}

kernel void change(global int *out) {
  int helper(int);
  constant int offsets[2] = {10, 20};
  static constant int more[2] = {100, 200};
  size_t i = get_global_id(0);
  out[i] = helper((int)i) + offsets[i & 1] + more[i & 1] + *first_prime + message[i & 3] + (int)axis.w;
  if (i == 0) {
    counter += 2;
    *where += 1;
    history[2] += history[1];
    note(5);
  }
}

int helper(int x) { return primes[x & 3]; }

kernel void look(global int *out) {
  out[0] = counter;
  out[1] = (int)history[2];
  out[2] = plain[1];
}
