// SPDX-License-Identifier: MIT
// Rows of counts with a given total, one row per work-item. Each count is drawn from the trials that remain
// after the counts before it. The counts of a row have consecutive positions in the stream. Needs
// random_counts.cl.

kernel void multinomial_rows(global long *out, ulong rows, ulong length, ulong place, uint stream, uint4 key,
                             global const long *trials, ulong trials_step, global const double *p, ulong p_step) {
  const ulong row = get_global_id(0);
  if (row >= rows) return;
  long left = trials[row * trials_step];
  double rest = 1;
  bool is_valid = left >= 0;
  for (ulong k = 0; k < length; ++k) {
    const ulong at = row * length + k;
    const double share = p[row * p_step + k];
    is_valid = is_valid && share >= 0 && share <= 1;
    long count = left;
    if (is_valid && left > 0 && k + 1 < length)
      count = rest > 0 ? (long)binomial_of(place + at, stream, key, (double)left, fmin(share / rest, 1.0)) : 0;
    out[at] = is_valid ? count : -1;
    left -= count;
    rest -= share;
  }
}

kernel void multivariate_hypergeometric_rows(global long *out, ulong rows, ulong length, ulong place, uint stream,
                                             uint4 key, global const long *colors, long all, long sample) {
  const ulong row = get_global_id(0);
  if (row >= rows) return;
  long left = sample, rest = all;
  for (ulong k = 0; k < length; ++k) {
    const ulong at = row * length + k;
    rest -= colors[k];
    const long count =
        k + 1 == length
            ? left
            : (long)hypergeometric_of(place + at, stream, key, (double)colors[k], (double)rest, (double)left);
    out[at] = count;
    left -= count;
  }
}
