// SPDX-License-Identifier: MIT
// Tiles: numbers of TILE consecutive elements by loops that the host's compiler vectorises, for the samplers
// that are precompiled for the host. An element is the same function of its position as in
// random_samplers.cl. An attempt that fails is left to the functions there, one element at a time. Tiles are
// always computed whole, so that the functions of libm and their vector variants do not alternate.
//
// Parameters: those of random_samplers.cl.

#define TILE 16
#define WORDS_AT(words, i) (uint4)((words)[4 * (i)], (words)[4 * (i) + 1], (words)[4 * (i) + 2], (words)[4 * (i) + 3])
#define FOR_TILE for (int i = 0; i < TILE; ++i)

// The blocks of one attempt.
void tile_words(ulong place, uint stream, uint attempt, uint4 key, uint *restrict words) {
#ifdef THREEFRY
  FOR_TILE {
    const uint4 block = block_for(place + (ulong)i, stream, attempt, key);
    words[4 * i] = block.x;
    words[4 * i + 1] = block.y;
    words[4 * i + 2] = block.z;
    words[4 * i + 3] = block.w;
  }
#else
  quern_philox_words((uint4)((uint)place, (uint)(place >> 32), stream, attempt), key.xy, words);
#endif
}

// Calls `tile`, which computes values[0] to values[TILE - 1] for the elements from `at` on, for the elements
// of this work-item, and stores them.
#define STORE_TILES(tile)                                                                 \
  const uint begin = (uint)get_global_id(0) * each, end = min(begin + each, count);       \
  for (uint from = begin; from < end; from += TILE) {                                     \
    const ulong at = place + from;                                                        \
    T values[TILE];                                                                       \
    tile;                                                                                 \
    global T *const to = out + first + from;                                              \
    const int length = (int)min(end - from, (uint)TILE);                                  \
    for (int i = 0; i < length; ++i) to[i] = values[i];                                   \
  }

#ifdef GAMMA
// gamma_factor of random_samplers.cl; the boosts only if they are needed.
void gamma_tile(ulong place, uint stream, uint4 key, uint first, REAL d, REAL c, bool boosted, REAL *restrict factors,
                REAL *restrict boosts) {
  uint words[4 * TILE], more[4 * TILE];
  tile_words(place, stream, first, key, words);
  tile_words(place, stream, first + 1, key, more);
  int failed[TILE];
  int failures = 0;
  FOR_TILE {
    REAL v;
    failed[i] = gamma_attempt(WORDS_AT(words, i), WORDS_AT(more, i), d, c, &v) ? 0 : 1;
    factors[i] = v;
    failures += failed[i];
  }
  if (boosted) {
    FOR_TILE boosts[i] = other_exponential_from(WORDS_AT(more, i));
  }
  if (failures == 0) return;
  FOR_TILE {
    if (failed[i] == 0) continue;
    REAL boost;
    factors[i] = gamma_factor(place + (ulong)i, stream, key, first + 2, d, c, &boost);
    if (boosted) boosts[i] = boost;
  }
}

void gamma_at_tile(ulong place, uint stream, uint4 key, REAL d, REAL c, REAL power, REAL scale,
                   REAL *restrict numbers) {
  REAL boosts[TILE];
  gamma_tile(place, stream, key, 1, d, c, power > 0, numbers, boosts);
  FOR_TILE numbers[i] = d * numbers[i] * scale;
  if (power > 0) {
    FOR_TILE numbers[i] *= exp(-boosts[i] * power);
  }
}
#endif

#ifdef COUNTS
void poisson_tile(ulong place, uint stream, uint4 key, double rate, double a, double b, double quick,
                  double log_scale, ulong *restrict counts) {
  uint words[4 * TILE];
  tile_words(place, stream, 1, key, words);
  double numbers[TILE], accepted[TILE];
  FOR_TILE {
    const uint4 block = WORDS_AT(words, i);
    const double u = proposed_u(block);
    numbers[i] = proposed_count(u, a, b, rate + 0.43);
    accepted[i] = is_quick(u, proposed_v(block), quick) ? 1.0 : 0.0;
  }
  FOR_TILE counts[i] = (ulong)(long)numbers[i];
  FOR_TILE {
    if (accepted[i] == 0)
      counts[i] = (ulong)poisson_at(place + (ulong)i, stream, key, 1, rate, a, b, quick, log_scale);
  }
}

void binomial_tile(ulong place, uint stream, uint4 key, double n, double flipped, double mean, double a, double b,
                   double quick, double log_scale, double mode, double slope, double rest, ulong *restrict counts) {
  uint words[4 * TILE];
  tile_words(place, stream, 1, key, words);
  double numbers[TILE], accepted[TILE];
  FOR_TILE {
    const uint4 block = WORDS_AT(words, i);
    const double u = proposed_u(block), k = proposed_count(u, a, b, mean);
    numbers[i] = flipped != 0 ? n - k : k;
    accepted[i] = k >= 0 && k <= n && is_quick(u, proposed_v(block), quick) ? 1.0 : 0.0;
  }
  FOR_TILE counts[i] = (ulong)(long)numbers[i];
  FOR_TILE {
    if (accepted[i] == 0)
      counts[i] = binomial_at(place + (ulong)i, stream, key, n, flipped, mean, a, b, quick, log_scale, mode, slope, rest);
  }
}
#endif
