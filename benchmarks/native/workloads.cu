// SPDX-License-Identifier: MIT
// The workloads of examples/kernels by hand in CUDA C: the same algorithms, block sizes and memory.
#define TILE 16

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[TILE][TILE];
  __shared__ float b_tile[TILE][TILE];
  const int column = threadIdx.x, row = threadIdx.y;
  const int x = blockIdx.x * TILE + column, y = blockIdx.y * TILE + row;
  float sum = 0.0f;
  for (int t = 0; t < n; t += TILE) {
    a_tile[row][column] = a[y * n + t + column];
    b_tile[row][column] = b[(t + row) * n + x];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += a_tile[row][k] * b_tile[k][column];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

extern "C" __global__ void transpose(const float* in, float* out, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  const int column = threadIdx.x, row = threadIdx.y;
  int x = blockIdx.x * TILE + column;
  int y = blockIdx.y * TILE + row;
  if (x < width && y < height) tile[row][column] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * TILE + column;
  y = blockIdx.x * TILE + row;
  if (x < height && y < width) out[y * height + x] = tile[column][row];
}

extern "C" __global__ void nbody(const float4* position, float4* velocity, float4* moved, int n, float dt,
                                 float softening) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 p = position[i];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
  for (int j = 0; j < n; j++) {
    const float4 q = position[j];
    const float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
    const float scale = q.w * inverse * inverse * inverse;
    fx += dx * scale;
    fy += dy * scale;
    fz += dz * scale;
  }
  float4 v = velocity[i];
  v.x += fx * dt;
  v.y += fy * dt;
  v.z += fz * dt;
  velocity[i] = v;
  moved[i] = make_float4(p.x + v.x * dt, p.y + v.y * dt, p.z + v.z * dt, p.w);
}

static __device__ float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail =
      0.39894228040143267794f * expf(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(const float* price, const float* strike, const float* years, float rate,
                                         float volatility, float* call, float* put) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float s = price[i], x = strike[i], t = years[i];
  const float spread = volatility * sqrtf(t);
  const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
  const float d2 = d1 - spread;
  const float discounted = x * expf(-rate * t);
  const float n1 = normal_distribution(d1), n2 = normal_distribution(d2);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

extern "C" __global__ void mandelbrot(int* steps, int width, float left, float top, float scale, int limit) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const float cx = left + scale * column, cy = top + scale * row;
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (n < limit && x * x + y * y <= 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    n++;
  }
  steps[row * width + column] = n;
}

extern "C" __global__ void reduce_sum(const float* in, float* sums, int n) {
  __shared__ float scratch[256];
  const int id = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + id; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  scratch[id] = sum;
  __syncthreads();
  for (int half_size = blockDim.x / 2; half_size > 0; half_size /= 2) {
    if (id < half_size) scratch[id] += scratch[id + half_size];
    __syncthreads();
  }
  if (id == 0) sums[blockIdx.x] = scratch[0];
}

extern "C" __global__ void histogram(const unsigned char* in, unsigned* counts, int n) {
  __shared__ unsigned mine[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) mine[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
    if (mine[bin] > 0) atomicAdd(&counts[bin], mine[bin]);
}

extern "C" __global__ void scan_parts(const int* in, int* out, int* totals, int n) {
  __shared__ int scratch[512];
  const int id = threadIdx.x, size = blockDim.x, i = blockIdx.x * blockDim.x + id;
  int *from = scratch, *to = scratch + size;
  from[id] = i < n ? in[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < size; distance *= 2) {
    to[id] = id >= distance ? from[id] + from[id - distance] : from[id];
    __syncthreads();
    int* swap = from;
    from = to;
    to = swap;
  }
  if (i < n) out[i] = from[id];
  if (id == size - 1) totals[blockIdx.x] = from[id];
}

static __device__ void order(unsigned* a, unsigned* b, bool ascending) {
  const unsigned x = *a, y = *b;
  if ((x > y) == ascending) {
    *a = y;
    *b = x;
  }
}

extern "C" __global__ void sort_parts(unsigned* keys) {
  __shared__ unsigned part[512];
  const int id = threadIdx.x, size = blockDim.x, base = 2 * size * blockIdx.x;
  part[id] = keys[base + id];
  part[id + size] = keys[base + id + size];
  for (int length = 2; length <= 2 * size; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const int at = 2 * id - (id & (distance - 1));
      order(part + at, part + at + distance, ((base + at) & length) == 0);
    }
  }
  __syncthreads();
  keys[base + id] = part[id];
  keys[base + id + size] = part[id + size];
}

extern "C" __global__ void jacobi_step(const float* in, float* out, int width, int height) {
  __shared__ float cells[TILE + 2][TILE + 2];
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  const int column = threadIdx.x + 1, row = threadIdx.y + 1;
  const int left = max(x - 1, 0), right = min(x + 1, width - 1);
  const int above = max(y - 1, 0), below = min(y + 1, height - 1);
  cells[row][column] = in[y * width + x];
  if (column == 1) cells[row][0] = in[y * width + left];
  if (column == TILE) cells[row][TILE + 1] = in[y * width + right];
  if (row == 1) cells[0][column] = in[above * width + x];
  if (row == TILE) cells[TILE + 1][column] = in[below * width + x];
  __syncthreads();
  const bool is_border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  const float mean =
      0.25f * (cells[row - 1][column] + cells[row + 1][column] + cells[row][column - 1] + cells[row][column + 1]);
  out[y * width + x] = is_border ? cells[row][column] : mean;
}

static __constant__ unsigned round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

struct State {
  unsigned h[8];
};

static __device__ unsigned turn(unsigned x, unsigned bits) { return __funnelshift_r(x, x, bits); }

static __device__ void add_block(State* state, const unsigned* block) {
  unsigned w[64];
  for (int i = 0; i < 16; i++) w[i] = block[i];
  for (int i = 16; i < 64; i++) {
    const unsigned s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const unsigned s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  State s = *state;
  for (int i = 0; i < 64; i++) {
    const unsigned s1 = turn(s.h[4], 6) ^ turn(s.h[4], 11) ^ turn(s.h[4], 25);
    const unsigned t1 =
        s.h[7] + s1 + ((s.h[6] & ~s.h[4]) | (s.h[5] & s.h[4])) + round_constants[i] + w[i];
    const unsigned s0 = turn(s.h[0], 2) ^ turn(s.h[0], 13) ^ turn(s.h[0], 22);
    const unsigned mask = s.h[2] ^ s.h[0];
    const unsigned t2 = s0 + ((s.h[0] & ~mask) | (s.h[1] & mask));
    for (int k = 7; k > 0; k--) s.h[k] = s.h[k - 1];
    s.h[4] += t1;
    s.h[0] = t1 + t2;
  }
  for (int k = 0; k < 8; k++) state->h[k] += s.h[k];
}

extern "C" __global__ void sha256(const unsigned char* messages, int length, unsigned* digests) {
  const size_t id = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  const unsigned char* message = messages + id * length;
  State state = {
      {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
  const int blocks = (length + 8) / 64 + 1;
  for (int b = 0; b < blocks; b++) {
    unsigned block[16];
    for (int i = 0; i < 16; i++) {
      unsigned word = 0;
      for (int k = 0; k < 4; k++) {
        const int at = 64 * b + 4 * i + k;
        const unsigned byte = at < length ? message[at] : at == length ? 0x80 : 0;
        word = word << 8 | byte;
      }
      block[i] = word;
    }
    if (b == blocks - 1) {
      block[14] = (unsigned)((unsigned long long)length >> 29);
      block[15] = (unsigned)length << 3;
    }
    add_block(&state, block);
  }
  for (int k = 0; k < 8; k++) digests[8 * id + k] = state.h[k];
}

#define SIZE 256
extern "C" __global__ void fft(const float2* in, float2* out) {
  __shared__ float2 points[SIZE];
  const int id = threadIdx.x, base = SIZE * blockIdx.x;
  points[id] = in[base + id];
  points[id + SIZE / 2] = in[base + id + SIZE / 2];
  for (int span = 1; span < SIZE; span *= 2) {
    __syncthreads();
    const float2 even = points[id], odd = points[id + SIZE / 2];
    __syncthreads();
    const int k = id & (span - 1);
    float sine, cosine;
    sincosf(-3.14159265358979323846f * k / span, &sine, &cosine);
    const float2 turned =
        make_float2(odd.x * cosine - odd.y * sine, odd.x * sine + odd.y * cosine);
    const int at = 2 * id - k;
    points[at] = make_float2(even.x + turned.x, even.y + turned.y);
    points[at + span] = make_float2(even.x - turned.x, even.y - turned.y);
  }
  __syncthreads();
  out[base + id] = points[id];
  out[base + id + SIZE / 2] = points[id + SIZE / 2];
}

extern "C" __global__ void spmv(const int* starts, const int* columns, const float* values, const float* x, float* y,
                                int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int i = starts[row]; i < starts[row + 1]; i++) sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}
