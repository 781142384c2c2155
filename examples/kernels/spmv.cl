// SPDX-License-Identifier: MIT
// y = A x for a sparse matrix in compressed rows, by one work-item for each row or by one work-group for each row.
kernel void spmv(global const int *starts, global const int *columns, global const float *values,
                 global const float *x, global float *y, int rows) {
  const int row = get_global_id(0);
  if (row < rows) {
    float sum = 0.0f;
    for (int i = starts[row]; i < starts[row + 1]; i++) sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}

// The local size is a power of two.
kernel void spmv_long_rows(global const int *starts, global const int *columns, global const float *values,
                           global const float *x, global float *y, local float *sums) {
  const int row = get_group_id(0), id = get_local_id(0);
  float sum = 0.0f;
  for (int i = starts[row] + id; i < starts[row + 1]; i += get_local_size(0)) sum += values[i] * x[columns[i]];
  sums[id] = sum;
  for (int rest = get_local_size(0) / 2; rest > 0; rest /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < rest) sums[id] += sums[id + rest];
  }
  if (id == 0) y[row] = sums[0];
}
