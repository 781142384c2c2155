// SPDX-License-Identifier: MIT
kernel void print_all(int x, float y) {
  float4 f = (float4)(1.5f, -2.0f, 3.25f, y);
  char4 c = (char4)(-1, 2, 3, 4);
  printf("%d %u %x|%5.2f|%s|%c%%\n", x, x, x, y, "text", 'q');
  printf("%v4f\n", f);
  printf("%.2v4hlf|%6.1v2hlf\n", f, f.xy);
  printf("%v4hhd %v4hhx %v2hd %v3d %v2ld\n", c, c, (short2)(-7, 8), (int3)(1, -2, 3), (long2)(1L << 40, -1L));
  printf("%ld %lu %hhd %hd %*d|%-6d|%+d\n", -(1L << 40), 5UL, (char)-3, (short)300, 4, 7, 8, 9);
  half h = 1.5h;
  printf("%g %e\n", h, 0.5);
}
