// SPDX-License-Identifier: MIT
// SHA-256 of many messages of one length, each by one work-item.
constant uint round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

typedef struct {
  uint h[8];
} State;

uint turn(uint x, uint bits) { return rotate(x, 32u - bits); }

void add_block(State *state, const uint *block) {
  uint w[64];
  for (int i = 0; i < 16; i++) w[i] = block[i];
  for (int i = 16; i < 64; i++) {
    const uint s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const uint s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  State s = *state;
  for (int i = 0; i < 64; i++) {
    const uint s1 = turn(s.h[4], 6) ^ turn(s.h[4], 11) ^ turn(s.h[4], 25);
    const uint t1 = s.h[7] + s1 + bitselect(s.h[6], s.h[5], s.h[4]) + round_constants[i] + w[i];
    const uint s0 = turn(s.h[0], 2) ^ turn(s.h[0], 13) ^ turn(s.h[0], 22);
    const uint t2 = s0 + bitselect(s.h[0], s.h[1], s.h[2] ^ s.h[0]);
    for (int k = 7; k > 0; k--) s.h[k] = s.h[k - 1];
    s.h[4] += t1;
    s.h[0] = t1 + t2;
  }
  for (int k = 0; k < 8; k++) state->h[k] += s.h[k];
}

// digests[i] is the hash of the bytes messages[i * length] to messages[(i + 1) * length - 1].
kernel void sha256(global const uchar *messages, int length, global uint8 *digests) {
  global const uchar *message = messages + (size_t)get_global_id(0) * length;
  State state = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
  const int blocks = (length + 8) / 64 + 1;
  for (int b = 0; b < blocks; b++) {
    uint block[16];
    for (int i = 0; i < 16; i++) {
      uint word = 0;
      for (int k = 0; k < 4; k++) {
        const int at = 64 * b + 4 * i + k;
        const uint byte = at < length ? message[at] : at == length ? 0x80 : 0;
        word = word << 8 | byte;
      }
      block[i] = word;
    }
    if (b == blocks - 1) {
      block[14] = (uint)((ulong)length >> 29);
      block[15] = (uint)length << 3;
    }
    add_block(&state, block);
  }
  digests[get_global_id(0)] = vload8(0, state.h);  // words; their bytes are in the order of the machine
}
