// SPDX-License-Identifier: MIT
// Sorts a power of two of keys: parts of twice the local size in local memory, longer distances pair by pair.
void order(local uint *a, local uint *b, bool ascending) {
  const uint x = *a, y = *b;
  if ((x > y) == ascending) {
    *a = y;
    *b = x;
  }
}

// Sorts each part, every second one downwards, so that two neighbours are a bitonic sequence.
kernel void sort_parts(global uint *keys, local uint *part) {
  const int id = get_local_id(0), size = get_local_size(0), base = 2 * size * get_group_id(0);
  part[id] = keys[base + id];
  part[id + size] = keys[base + id + size];
  for (int length = 2; length <= 2 * size; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const int at = 2 * id - (id & (distance - 1));
      order(part + at, part + at + distance, ((base + at) & length) == 0);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[base + id] = part[id];
  keys[base + id + size] = part[id + size];
}

// One step of a merge whose pairs are further apart than a part is long.
kernel void merge_step(global uint *keys, int length, int distance) {
  const int id = get_global_id(0);
  const int at = 2 * id - (id & (distance - 1));
  const bool ascending = (at & length) == 0;
  const uint x = keys[at], y = keys[at + distance];
  if ((x > y) == ascending) {
    keys[at] = y;
    keys[at + distance] = x;
  }
}

// The remaining steps of a merge, once its pairs lie within a part.
kernel void merge_parts(global uint *keys, int length, local uint *part) {
  const int id = get_local_id(0), size = get_local_size(0), base = 2 * size * get_group_id(0);
  part[id] = keys[base + id];
  part[id + size] = keys[base + id + size];
  for (int distance = size; distance > 0; distance /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const int at = 2 * id - (id & (distance - 1));
    order(part + at, part + at + distance, ((base + at) & length) == 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  keys[base + id] = part[id];
  keys[base + id + size] = part[id + size];
}
