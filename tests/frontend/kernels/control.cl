// SPDX-License-Identifier: MIT
// Every statement of C, by names that C and C++ reserve.
int template(int class, int new) {
  int this = 0;
  switch (class) {
    case 0: this = new; break;
    case 1: {
      int delete = new * 2;
      this = delete;
    }  // falls through
    case 2: this += 1; break;
    case -3: return -1;
    default:
      if (new > 5) goto far;
      this = 100;
  }
  return this;
far:
  do {
    this += new;
    if (this > 50) break;
    if (this & 1) continue;
    ++this;
  } while (this < 40);
  return this;
}

int index(int y0) { return y0 + 1; }
double exp2i(int n) { return n >= 0 ? (double)(1 << n) : 1.0 / (1 << -n); }

kernel void control(global int *out, global double *powers) {
  int i = get_global_id(0), namespace = 0;
  for (int k = 0; k < 10; k++) {
    if (k == 3) continue;
    if (k == 8) break;
    for (;;) {
      namespace += k;
      if (namespace % 3 == 0 || namespace > 40) break;
      else namespace++;
    }
  }
  while (1) {
    if (--namespace < 20) break;
  }
  int unsorted[6] = {5, i & 7, 3, [4] = 9}, sinf = 0;
  for (int a = 0; a < 6; ++a)
    for (int b = a + 1; b < 6; ++b)
      if (unsorted[b] < unsorted[a]) {
        int t = unsorted[a];
        unsorted[a] = unsorted[b];
        unsorted[b] = t;
      }
  for (int a = 0; a < 6; ++a) sinf = sinf * 3 + unsorted[a];
  out[i] = template(i % 7 - 3, i) + namespace * 1000 + (i ? index(i), 7 : 8) + sinf;
  powers[i] = exp2i(i % 11 - 5);
}
