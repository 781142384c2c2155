// SPDX-License-Identifier: MIT
kernel void integers(global const int *a, global const int *b, global long *out) {
  int i = get_global_id(0);
  int x = a[i], y = b[i];
  uint ux = x, uy = y;
  long lx = x, ly = (long)y << 20;
  char c = (char)x;
  uchar uc = (uchar)y;
  short s = (short)(x * y);
  long h = 17;
#define MIX(v) h = h * 31 + (long)(v)
  MIX(x + y); MIX(x - y); MIX(x * y); MIX(-x); MIX(~y);
  MIX(x << y); MIX(x >> y); MIX(ux << uy); MIX(ux >> uy); MIX(lx << y); MIX(lx >> uy);
  if (y != 0 && !(x == INT_MIN && y == -1)) { MIX(x / y); MIX(x % y); }
  if (uy != 0) { MIX(ux / uy); MIX(ux % uy); }
  int unharmed = x / (y - y); ulong unharmed_too = ux % (ulong)(uy - uy); unharmed += unharmed_too != 0; (void)unharmed;
  int q = x; q /= y | 1; MIX(q); q = x; q %= 7; MIX(q); q <<= y; MIX(q); q >>= 3; MIX(q); q ^= x; MIX(q);
  MIX(c + uc); MIX(c * c); MIX(s); MIX((uchar)(uc + 200)); MIX(c >> 1); c += 100; MIX(c); uc -= 7; MIX(uc);
  MIX(x < y); MIX(ux < uy); MIX(x < uy); MIX((x & y) | (x ^ y)); MIX(!x); MIX(x && y); MIX(x || y);
  MIX(abs(x)); MIX(abs_diff(x, y)); MIX(mul_hi(x, y)); MIX(mul_hi(ux, uy)); MIX(mul_hi(lx, ly)); MIX(rotate(ux, uy)); MIX(rotate(c, c));
  MIX(popcount(ux)); MIX(popcount(c)); MIX(clz(x)); MIX(clz(c)); MIX(clz(lx)); MIX(hadd(x, y)); MIX(rhadd(ux, uy));
  MIX(min(x, y)); MIX(max(ux, uy)); MIX(clamp(x, -5, 5)); MIX(mad24(x & 0xfff, y & 0xfff, 3)); MIX(mul24(x & 0xff, 3));
  MIX(add_sat(x, y)); MIX(sub_sat(x, y)); MIX(add_sat(ux, uy)); MIX(sub_sat(ux, uy)); MIX(add_sat(c, (char)y)); MIX(sub_sat(uc, (uchar)x));
  MIX(select(x, y, x > y)); MIX(as_uint(x)); MIX(convert_uchar(x)); MIX('a' + '\n' + '\x41'); MIX(0x7fffffff + 0u); MIX(sizeof(long) + sizeof x);
  MIX(x > y ? x : ux); MIX((x, y)); MIX(0b101 + 017); MIX(bitselect(x, y, 0xff)); MIX(x == y ? 1L : 2);
  out[i] = h;
}
