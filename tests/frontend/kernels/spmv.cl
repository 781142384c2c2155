// SPDX-License-Identifier: MIT
__kernel void spmv(__global const int *row_start, __global const int *columns, __global const double *values,
                   __global const double *x, __global double *y, int rows) {
  const int row = get_global_id(0);
  if (row < rows) {
    double sum = 0;
    for (int k = row_start[row]; k < row_start[row + 1]; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}
