#pragma quern complex
// Complex numbers in every way that they can be written.
typedef complex64 T;
typedef struct {
  complex64 z;
  int count;
} item_t;
#define SQUARE(a) ((a) * (a))
constant complex64 kUnit = {0, 1};

T scaled(T z, float by) { return z * by + kUnit; }
double2 plain(double2 v) { return v * v; }

kernel void complex(global T *x, global const cdouble_t *y, complex<float> a, global float *r, local T *scratch) {
  const int i = get_global_id(0), k = get_local_id(0);
  T z = x[i], w = T(1, 2), table[2] = {0, (T)(1, -1)};
  complex128 wide = y[i] * z + 2.0 * y[i] / 3;
  item_t item;
  item.z = scaled(SQUARE(z), 2) / (w + 1);
  item.count = 1;
  z *= w;
  z += 1;
  z /= table[k & 1] + 2;
  z -= wide;
  z *= 0.5f;
  wide *= z;
  item.z *= item.z;
  global T *p = x + i;
  p->real += 1;
  (*p).imag = -p->imag;
  *p = (i > 2 ? *p : 0) * conj(w) + exp(z) - pow(z, 2) + polar(1, 0.5f);
  scratch[k] = z == w || z != 1 ? -z : +w;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int n = 0; n < 2; ++n) *p += scratch[(k + n) % (int)get_local_size(0)] * item.z;
  *p = *p + (T)plain((double2)(wide.x, wide.y)).x + cfloat_mul(cfloat_new(1, 0), z) + sqrt(a);
  r[i] = abs(z) + z.real() + imag(w * w) + arg(a) + norm(wide) + fabs(-1.5f) + real(T());
}
